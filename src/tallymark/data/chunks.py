"""What every reader hands over: chunks of coded labels and numbers, and what texts stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tallymark.tally.arrays import Coded, Codes, Floats

CHUNK_ROWS = 4_000_000


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some rows of a table: label columns coded, number columns float64 with NaN for missing.

    Numbers are finite or NaN: who makes a chunk checks them.

    ``groups`` are columns that say which rows belong together, as codes, -1 where it is missing.
    """

    first_row: int
    labels: dict[str, Coded]
    numbers: dict[str, Floats]
    rows: int
    groups: dict[str, Codes] = field(default_factory=dict)


class Table(Protocol):
    """Columns by name, read in chunks of rows."""

    @property
    def name(self) -> str:
        """What to call it in messages."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""

    @property
    def rows(self) -> int:
        """How many rows it has."""

    def chunks(
        self,
        labels: Sequence[str],
        numbers: Sequence[str],
        size: int = CHUNK_ROWS,
        *,
        groups: Sequence[str] = (),
        subgroups: Sequence[str] = (),
    ) -> Iterator[Chunk]:
        """Read the columns named; every chunk's label columns list the labels of all rows.

        The codes of the ``groups`` mean the same in every chunk. ``subgroups`` are those of the
        label columns that name parts of the rows, of which there may be more than classes.
        """


WHOLE = re.compile(r"-?(0|[1-9][0-9]*)")
_NUMBER = re.compile(r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?inf|nan")


def read_texts(texts: Sequence[str]) -> list[Any]:
    """Return the labels that texts stand for: all booleans, all numbers, or the texts unchanged.

    Only true and false are booleans; yes and no are texts, and so are codes such as 007.

    >>> read_texts(["0", "1"]), read_texts(["true", "False"]), read_texts(["007", "1"])
    ([0, 1], [True, False], ['007', '1'])
    """
    bare = [t.strip().lower() for t in texts]
    if set(bare) <= {"true", "false"}:
        return [t == "true" for t in bare]
    if all(WHOLE.fullmatch(t) for t in bare):
        return [int(t) for t in bare]
    if all(_NUMBER.fullmatch(t) for t in bare) and set(bare) != {"nan"}:
        return [float(t) for t in bare]
    return list(texts)
