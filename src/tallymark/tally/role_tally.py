"""Score tallies with a number beside each row, for metrics and curves that read a part's role."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tallymark.part import tally_of
from tallymark.tally.arrays import Floats, Label, tabulate
from tallymark.tally.io import Saved, alike, array, weights_agree
from tallymark.tally.joint import PairedPredictions
from tallymark.tally.score_counts import ScoreCounts


class Cells(NamedTuple):
    """The score and the number of each cell (G,), and the class and the cell of each row (n,).

    The class is 0 for the positive one and 1 for the other.
    """

    scores: Floats
    numbers: Floats
    other: NDArray[np.intp]
    cell: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class RoleTally(Saved, ABC):
    """One score column of two classes with the numbers of a role: the base of the tallies of parts.

    Metrics and curves of the role read it in place of the score tally. A cell is a pair of a score
    and a number: ``scores`` (G,) ascend, and repeat where rows of one score have different numbers.
    ``counts`` (2, G) are of the positive class and of the other, ``sum_squared_weights`` (2, G) or
    None where no row has a weight. A part adds the field of the numbers (G,) under the role's name.
    """

    _role: ClassVar[str]
    _neighbours_alike: ClassVar[bool] = False
    bins: ClassVar[None] = None
    labels: tuple[Label, ...]
    positive: Label
    scores: Floats = field(metadata=array("scores", axes=("cells",), signed=True))
    counts: Floats = field(metadata=array("counts", axes=(2, "cells")))
    sum_squared_weights: Floats | None = field(
        metadata=array("sum_squared_weights", axes=(2, "cells"))
    )
    rows: int

    def _facts(self) -> Iterator[tuple[str, bool]]:
        order = np.lexsort((self._numbers, self.scores))
        yield "labels", alike(self.labels) and self.positive in self.labels
        yield "scores", np.array_equal(order, np.arange(len(order)))
        yield "counts", weights_agree(self.rows, self.counts, self.sum_squared_weights)

    @classmethod
    def _of_rows(cls, joint: PairedPredictions, name: str) -> Self:
        """Return the tally of rows of two classes by a model's scores and their numbers."""
        assert joint.positive is not None
        scores, numbers, *place = cls._cells(joint, name)
        shape, weights = (2, len(scores)), joint.weights
        return cls(
            labels=joint.labels,
            positive=joint.positive,
            scores=scores,
            counts=tabulate(shape, place, weights),
            sum_squared_weights=None if weights is None else tabulate(shape, place, weights**2),
            rows=joint.rows,
            **{cls._role: numbers},
        )

    @classmethod
    def _cells(cls, joint: PairedPredictions, name: str) -> Cells:
        """Return the cells of a model's rows."""
        scores, numbers = joint.model(name).scores[0] + 0.0, joint.numbers[cls._role] + 0.0
        order = np.lexsort((numbers, scores))
        s, v = scores[order], numbers[order]
        first = np.append(True, (s[1:] != s[:-1]) | (v[1:] != v[:-1]))[: len(s)]
        cell = np.empty(len(s), np.intp)
        cell[order] = np.cumsum(first) - 1
        return Cells(s[first], v[first], (joint.true != joint.positive_code).astype(np.intp), cell)

    @property
    def _numbers(self) -> Floats:
        """The number of each cell."""
        numbers: Floats = getattr(self, self._role)
        return numbers

    @abstractmethod
    def _counted(self, counts: Floats) -> ScoreCounts:
        """Return counts (2, G) of the cells as metrics and curves of the role read them."""

    def _coarse(
        self, groups: int = 0, around: tuple[int, ...] = (), *, lowest: bool = False
    ) -> Self:
        """Return a tally of fewer cells for resampling: this one, unless a part merges cells.

        The arguments are those of :meth:`ScoreTally._coarse`.
        """
        return self

    def _places(self, joint: PairedPredictions, name: str) -> NDArray[np.intp]:
        """Return the cell of :meth:`_coarse` of each row."""
        return self._cells(joint, name).cell

    @cached_property
    def _score_counts(self) -> ScoreCounts:
        """The positive class against the rest."""
        return self._counted(self.counts)

    @cached_property
    def _squared_score_counts(self) -> ScoreCounts | None:
        """The sums of squared weights of the positive class and the rest, or None."""
        squares = self.sum_squared_weights
        return None if squares is None else self._counted(squares)

    def _multiplied(self, factors: Mapping[Label, float]) -> Self:
        """Return the same rows with the counts of each class multiplied."""
        other = next(label for label in self.labels if label != self.positive)
        by = np.array([[factors[self.positive]], [factors[other]]])
        squares = self.counts if self.sum_squared_weights is None else self.sum_squared_weights
        return replace(self, counts=self.counts * by, sum_squared_weights=squares * by**2)


def role_tallies(joint: PairedPredictions, name: str) -> dict[str, Any]:
    """Return the tally of a model's rows for each role whose numbers they have."""
    return {role: tally_of(role)._of_rows(joint, name) for role in joint.numbers}
