"""The table of Weka's option ``-p``: classes with their index, and the probability of one class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.reading.chunks import WHOLE, Chunk, FrameTable
from tallymark.tally.arrays import Coded, Label, code_labels

if TYPE_CHECKING:
    from tallymark.reading.files import FileTable


class WekaTable:
    """The table of Weka's ``-p``, whose classes are written as "2:name": the names alone."""

    def __init__(self, table: FrameTable | FileTable) -> None:
        self.table = table
        self.name, self.kind = table.name, table.kind
        self.columns = table.columns
        self.close = table.close
        self.in_percent = table.in_percent

    @property
    def format(self) -> Sequence[str]:
        """What was read in another way than usual."""
        return self.table.format

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return self.table.rows

    def chunks(self, *columns: Any, **options: Any) -> Iterator[Chunk]:
        """Read the columns named, with "2:name" read as "name" and "2:?" as missing."""
        for chunk in self.table.chunks(*columns, **options):
            classes = {c: chunk.labels[c] for c in _WEKA_CLASSES if c in chunk.labels}
            names = [_weka_name(v) for c in classes.values() for v in c.labels if ":" in str(v)]
            # Both columns' names are judged together: integers only if they all are.
            whole = any(names) and all(n is None or WHOLE.fullmatch(n) for n in names)
            stripped = {
                c: _strip_weka(coded, whole)
                for c, coded in classes.items()
                if any(isinstance(label, str) for label in coded.labels)
            }
            yield replace(chunk, labels={**chunk.labels, **stripped})


_WEKA_CLASSES = ("actual", "predicted")


def _weka_name(label: Label) -> str | None:
    """Return the name of a class as Weka writes it, None where it is missing."""
    text = str(label)
    index, colon, name = text.partition(":")
    name = name if colon and index.isdecimal() else text
    return None if name == "?" else name


def _strip_weka(coded: Coded, whole: bool) -> Coded:
    names = [_weka_name(label) for label in coded.labels]
    meant = code_labels([n if n is None or not whole else int(n) for n in names], "classes")
    return Coded(np.append(meant.codes, -1)[coded.codes], meant.labels)
