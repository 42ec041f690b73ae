"""Layouts: the columns that a program writes, by whose names alone it is known what they hold."""

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
    """The columns of a table of predictions as a program writes them.

    A table has this layout if it has all ``columns``. ``truth``, ``pred`` and ``score`` are those
    of the roles, where the score is the probability of the predicted class, whichever that is.
    ``program`` and ``option`` say who made it, and ``model`` what its model is called. The labels
    of the truth and of the prediction, by column, mean what ``meant`` makes of them.
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
        """Who made the table."""
        return f"{self.program}'s {self.option}"

    def fits(self, given: Mapping[str, Sequence[str]]) -> bool:
        """Tell whether the columns that somebody gave roles are those of this layout."""
        own = {"truth": self.truth, "pred": self.pred, "score": self.score}
        return all(given[role] in ([], [column]) for role, column in own.items())

    def read(self, chunk: Chunk) -> Chunk:
        """Return a chunk whose labels are what is meant."""
        classes = {c: chunk.labels[c] for c in (self.truth, self.pred) if c in chunk.labels}
        return replace(chunk, labels={**chunk.labels, **self.meant(classes)})


def layout_of(columns: Sequence[str]) -> Layout | None:
    """Return the layout of a table with certain columns; None of most tables."""
    return next(
        (layout for layout in added("layouts") if set(layout.columns) <= set(columns)), None
    )
