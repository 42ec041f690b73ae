"""Layouts: column sets of known programs, whose names determine their roles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tallymark.part import added
from tallymark.tally.arrays import Coded

if TYPE_CHECKING:
    from tallymark.reading.chunks import Chunk


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns that a program writes to a table of predictions.

    A table has this layout if it has all ``columns``. ``truth``, ``pred`` and ``score`` are the
    columns of these roles; the score is the probability of the predicted class. ``program`` and
    ``option`` name the source of the table, and ``model`` its model. ``meant`` converts the labels
    of the truth and of the prediction, by column.
    """

    program: str
    option: str
    columns: tuple[str, ...]
    truth: str
    pred: str
    score: str
    model: str
    meant: Callable[[Mapping[str, Coded]], Mapping[str, Coded]]

    @property
    def made_by(self) -> str:
        """The program and option that wrote the table."""
        return f"{self.program}'s {self.option}"

    def fits(self, roles: Mapping[str, Sequence[str]]) -> bool:
        """Return whether the user's roles agree with this layout."""
        own = {"truth": self.truth, "pred": self.pred, "score": self.score}
        return all(roles[role] in ([], [column]) for role, column in own.items())

    def read(self, chunk: Chunk) -> Chunk:
        """Return a chunk with converted labels."""
        classes = {c: chunk.labels[c] for c in (self.truth, self.pred) if c in chunk.labels}
        return replace(chunk, labels={**chunk.labels, **self.meant(classes)})


def layout_of(columns: Sequence[str]) -> Layout | None:
    """Return the layout of a table with these columns; usually None."""
    return next(
        (layout for layout in added("layouts") if set(layout.columns) <= set(columns)), None
    )
