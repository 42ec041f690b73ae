"""Weka's formats: the header of ARFF files, and the table that its option -p prints."""

from __future__ import annotations

import gzip
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tallymark.data.chunks import CHUNK_ROWS, WHOLE, Chunk, Table
from tallymark.errors import InputError
from tallymark.tally.arrays import Coded, Floats, Label

_ATTRIBUTE = re.compile(
    r"""@attribute\s+
        (?:'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<plain>[^\s'"{]+))
        \s*(?P<kind>\{.*\}|(?<=[\s'"])[A-Za-z].*)""",
    re.IGNORECASE | re.VERBOSE,
)
_VALUE = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,'"]*?))\s*(?:,|$)""")


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column: its name, and its values if it is nominal."""

    name: str
    values: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Header:
    """The columns, and how many lines come before the first row."""

    attributes: tuple[Attribute, ...]
    lines: int

    @property
    def classes(self) -> dict[str, tuple[str, ...]]:
        """The declared values of each nominal column, which stay even where none occurs."""
        return {a.name: a.values for a in self.attributes if a.values is not None}


def read_header(path: str) -> Header:
    """Read the declarations of an ARFF file up to its ``@data``."""
    name = Path(path).name
    attributes = []
    opener: Any = gzip.open if path.lower().endswith(".gz") else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", newline="\n") as file:
            lines = enumerate(file, start=1)
            for number, line in lines:
                text = line.strip()
                if text.lower().startswith("@attribute"):
                    attributes.append(_attribute(text, name, number))
                elif text.lower().startswith("@data"):
                    if not attributes:
                        raise InputError(
                            f"{name} declares no @attribute before @data on line {number}; "
                            "declare its columns"
                        )
                    _refuse_sparse(lines, name)
                    return Header(tuple(attributes), number)
    except UnicodeDecodeError:
        raise InputError(f"{name} is not UTF-8 text; save it as UTF-8") from None
    except (gzip.BadGzipFile, EOFError):
        raise InputError(f"{name} is no complete gzip file; pack or fetch it again") from None
    raise InputError(f"{name} has no @data line, so it is no ARFF file; look at what it holds")


def copy_rows(path: str, header: Header, target: Path) -> None:
    """Copy the rows, with a blank line for every comment so that lines keep their numbers.

    All lines end alike then: DuckDB takes no file that mixes line ends.
    """
    opener: Any = gzip.open if path.lower().endswith(".gz") else open
    with opener(path, "rb") as source, target.open("wb") as rows:
        for line in itertools.islice(source, header.lines, None):
            comment = line.strip()[:1] in (b"", b"%")
            rows.write(b"\n" if comment else line.rstrip(b"\r\n") + b"\n")


def _refuse_sparse(lines: Iterable[tuple[int, str]], name: str) -> None:
    for number, line in lines:
        text = line.strip()
        if text and not text.startswith("%"):
            if text.startswith("{"):
                raise InputError(
                    f"{name} holds sparse rows, the first on line {number}; convert it to plain "
                    "rows (Weka's SparseToNonSparse)"
                )
            return


def _attribute(text: str, name: str, number: int) -> Attribute:
    found = _ATTRIBUTE.match(text)
    if not found:
        raise InputError(
            f"{name} has an @attribute on line {number} that cannot be read: {text!r}; write it as "
            "@attribute NAME TYPE"
        )
    quoted = found["single"] if found["single"] is not None else found["double"]
    column = found["plain"] if quoted is None else _unescape(quoted)
    kind = found["kind"]
    if not kind.startswith("{"):
        return Attribute(column, None)
    return Attribute(column, _values(kind[1 : kind.rindex("}")], name, number))


def _values(text: str, name: str, number: int) -> tuple[str, ...]:
    values = []
    at = 0
    while at < len(text):
        found = _VALUE.match(text, at)
        if found is None or found.end() == at:
            raise InputError(
                f"{name} has a value on line {number} that cannot be read: {text[at:].strip()!r}; "
                "close its quote and put a comma behind it"
            )
        single, double, plain = found.groups()
        quoted = single if single is not None else double
        values.append(plain if quoted is None else _unescape(quoted))
        at = found.end()
    return tuple(dict.fromkeys(values))


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


# -- the table of -p ----------------------------------------------------------------------------


class WekaTable:
    """The table of Weka's ``-p``, whose classes are written as "2:name": the names alone."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.name = table.name
        self.columns = table.columns
        self.classes: tuple[Label, ...] = ()
        """The classes in Weka's order, known once a chunk has been read."""

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return self._table.rows

    def chunks(
        self,
        labels: Sequence[str],
        numbers: Sequence[str],
        size: int = CHUNK_ROWS,
        *,
        groups: Sequence[str] = (),
        subgroups: Sequence[str] = (),
    ) -> Iterator[Chunk]:
        """Read the columns named, with "2:name" read as "name" and "2:?" as missing."""
        for chunk in self._table.chunks(labels, numbers, size, groups=groups, subgroups=subgroups):
            order: dict[int, str] = {}
            for column in _WEKA_CLASSES:
                for label in chunk.labels[column].labels if column in chunk.labels else ():
                    index, name = _weka_class(label)
                    if name is not None and index is not None:
                        order[index] = name
            # Both columns' names are judged together: integers only if they all are.
            known = sorted(order)
            self.classes = tuple(_integers_if_all([order[i] for i in known]))
            whole = bool(self.classes) and not isinstance(self.classes[0], str)
            yield replace(
                chunk,
                labels={
                    c: _strip_weka(coded, whole) if c in _WEKA_CLASSES else coded
                    for c, coded in chunk.labels.items()
                },
            )


_WEKA_CLASSES = ("actual", "predicted")


def _weka_class(label: Label) -> tuple[int | None, str | None]:
    """Return the index and the name of a class as Weka writes it; no name where it is missing."""
    if not isinstance(label, str):
        return None, str(label)
    index, colon, name = label.partition(":")
    if colon and index.isdecimal():
        return int(index), None if name == "?" else name
    return None, None if label == "?" else label


def _integers_if_all(texts: Sequence[str]) -> list[Label]:
    if all(WHOLE.fullmatch(t) for t in texts):
        return [int(t) for t in texts]
    return list(texts)


def _strip_weka(coded: Coded, whole: bool) -> Coded:
    if not any(isinstance(label, str) for label in coded.labels):
        return coded
    names = [_weka_class(label)[1] for label in coded.labels]
    meant: list[Label | None] = [n if n is None or not whole else int(n) for n in names]
    labels = tuple(sorted({m for m in meant if m is not None}))
    place = [-1 if m is None else labels.index(m) for m in meant]
    return Coded(np.array([*place, -1], dtype=np.intp)[coded.codes], labels)


def weka_positive_score(predicted: Coded, probability: Floats, positive: Label) -> Floats:
    """Return the probability of the positive class from that of the predicted one of two."""
    at = predicted.labels.index(positive) if positive in predicted.labels else -2
    return np.where(predicted.codes == at, probability, 1 - probability)
