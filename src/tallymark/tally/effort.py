"""Score tallies with effort: the cost of inspecting a row, e.g. its lines of code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tallymark.tally.arrays import Floats, Label, tabulate
from tallymark.tally.io import Saved, alike, array, weights_agree
from tallymark.tally.joint import PairedPredictions
from tallymark.tally.score_counts import ScoreCounts

ALONE = 64
"""Cells of the highest scores that are never merged: they decide what is found first."""

GROUPS = 800
"""Number of score groups for resampling, with up to four cells each."""

BINS = 8
"""Bins for the effort of rows with merged scores."""


@dataclass(frozen=True, eq=False, repr=False)
class EffortCounts(ScoreCounts):
    """One class against the rest at each distinct pair of a score and an effort.

    ``scores`` (G,) ascend and repeat where rows of one score differ in ``effort`` (G,), which a row
    of that cell takes. ``pos`` and ``neg`` (..., G) as in :class:`ScoreCounts`.
    """

    effort: Floats

    def _with_counts(self, pos: NDArray[Any], neg: NDArray[Any]) -> EffortCounts:
        """Return other counts of the same cells."""
        return EffortCounts(self.scores, pos, neg, self.effort)

    def __reduce__(self) -> tuple[Any, ...]:
        return EffortCounts, (self.scores, self.pos, self.neg, self.effort)


@dataclass(frozen=True, eq=False)
class EffortTally(Saved):
    """One score column by score, effort and class: the data for resampling.

    ``counts`` (2, G) of the positive class and of the other, ``sum_squared_weights`` (2, G) or None
    where no row has a weight.

    >>> import tallymark as tm
    >>> t = tm.evaluate([0, 1, 1], y_score=[0.2, 0.9, 0.9], effort=[30, 5, 8]).models[0]._efforts
    >>> t.scores.tolist(), t.effort.tolist(), t.counts.tolist()
    ([0.2, 0.9, 0.9], [30.0, 5.0, 8.0], [[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]])
    """

    _neighbours_alike: ClassVar[bool] = False
    bins: ClassVar[None] = None
    labels: tuple[Label, ...]
    positive: Label
    scores: Floats = field(metadata=array("scores", axes=("cells",), signed=True))
    effort: Floats = field(metadata=array("effort", axes=("cells",)))
    counts: Floats = field(metadata=array("counts", axes=(2, "cells")))
    sum_squared_weights: Floats | None = field(
        metadata=array("sum_squared_weights", axes=(2, "cells"))
    )
    rows: int

    def _facts(self) -> Iterator[tuple[str, bool]]:
        order = np.lexsort((self.effort, self.scores))
        yield "labels", alike(self.labels) and self.positive in self.labels
        yield "scores", np.array_equal(order, np.arange(len(order)))
        yield "counts", weights_agree(self.rows, self.counts, self.sum_squared_weights)

    @classmethod
    def _of_rows(cls, joint: PairedPredictions, name: str) -> Self:
        """Return the tally of rows of two classes by a model's scores and their efforts."""
        assert joint.positive is not None
        scores, effort, other, cell = _cells(joint, name)
        shape, weights = (2, len(scores)), joint.weights
        squares = None if weights is None else tabulate(shape, (other, cell), weights**2)
        counts = tabulate(shape, (other, cell), weights)
        return cls(joint.labels, joint.positive, scores, effort, counts, squares, joint.rows)

    @cached_property
    def _score_counts(self) -> EffortCounts:
        """The positive class against the rest."""
        return EffortCounts(self.scores, self.counts[0], self.counts[1], self.effort)

    @cached_property
    def _squared_score_counts(self) -> EffortCounts | None:
        """The sums of squared weights of the positive class and the rest, or None."""
        squares = self.sum_squared_weights
        return (
            None
            if squares is None
            else EffortCounts(self.scores, squares[0], squares[1], self.effort)
        )

    def _multiplied(self, factors: dict[Label, float]) -> EffortTally:
        """Return the same rows with the counts of each class multiplied."""
        other = next(label for label in self.labels if label != self.positive)
        by = np.array([[factors[self.positive]], [factors[other]]])
        squares = self.counts if self.sum_squared_weights is None else self.sum_squared_weights
        return replace(self, counts=self.counts * by, sum_squared_weights=squares * by**2)

    def _coarse(
        self, groups: int = GROUPS, around: tuple[int, ...] = (), *, lowest: bool = False
    ) -> EffortTally:
        """Return at most about four times so many cells, for resampling.

        Rows of neighbouring scores are put together with those of their class that take about as
        much; the highest scores stay as they are. A cell has the mean score of its group and the
        mean effort of its rows, so that the sums of all efforts are kept.
        """
        if len(self.scores) <= 4 * groups:
            return self
        if groups not in self._kept:
            self._kept[groups] = self._grouped(max(4 * groups // (2 * BINS), 1))
        return self._kept[groups][0]

    def _places(self, joint: PairedPredictions, name: str) -> NDArray[np.intp]:
        """Return the cell of :meth:`_coarse` of each row."""
        _, _, other, cell = _cells(joint, name)
        if self._coarse() is self:
            return cell
        return np.asarray(self._kept[GROUPS][1][other, cell])

    @cached_property
    def _kept(self) -> dict[int, tuple[EffortTally, NDArray[np.intp]]]:
        return {}

    def _grouped(self, groups: int) -> tuple[EffortTally, NDArray[np.intp]]:
        """Return cells of so many groups of scores, of each class apart, and the place of each."""
        # A line is a class of a cell: class, score, effort, rows.
        k, at = np.nonzero(self.counts)
        mass, effort = self.counts[k, at], self.effort[at]
        distinct, place = np.unique(self.scores, return_inverse=True)
        rows = np.bincount(place, self.counts.sum(0))
        share = (rows.cumsum() - rows / 2) / rows.sum()
        group_of = np.floor(share * groups)
        group_of[-ALONE:] = groups + np.arange(min(ALONE, len(distinct)))
        group = np.unique(group_of, return_inverse=True)[1][place][at]
        # Half of the bins' borders are at equal rows, half at equal efforts: of the long ones few.
        order = np.argsort(effort, kind="stable")
        both = np.empty(len(effort))
        for weight in (mass, mass * effort):
            total = weight.sum()
            part = np.cumsum(weight[order]) - weight[order] / 2
            both[order] = (0.0 if weight is mass else both[order]) + part / (2 * (total or 1.0))
        bin_ = np.minimum((both * BINS).astype(np.intp), BINS - 1)
        key = (group * BINS + bin_) * 2 + k
        cells, cell = np.unique(key, return_inverse=True)
        n = np.bincount(cell, mass)
        of_group = np.bincount(group, mass)
        score = np.bincount(group, mass * self.scores[at]) / of_group
        counts = np.zeros((2, len(cells)))
        counts[cells % 2, np.arange(len(cells))] = n
        squares = None
        if self.sum_squared_weights is not None:
            squares = np.zeros_like(counts)
            sums = np.bincount(cell, self.sum_squared_weights[k, at])
            squares[cells % 2, np.arange(len(cells))] = sums
        grouped = replace(
            self,
            scores=score[cells // (2 * BINS)],
            effort=np.bincount(cell, mass * effort) / n,
            counts=counts,
            sum_squared_weights=squares,
        )
        place = np.zeros(self.counts.shape, np.intp)
        place[k, at] = cell
        return grouped, place


def _cells(
    joint: PairedPredictions, name: str
) -> tuple[Floats, Floats, NDArray[np.intp], NDArray[np.intp]]:
    """Return the score and the effort of each cell, and the class and the cell of each row."""
    assert joint.effort is not None
    scores, effort = joint.model(name).scores[0] + 0.0, joint.effort + 0.0
    order = np.lexsort((effort, scores))
    s, e = scores[order], effort[order]
    first = np.append(True, (s[1:] != s[:-1]) | (e[1:] != e[:-1]))[: len(s)]
    cell = np.empty(len(s), np.intp)
    cell[order] = np.cumsum(first) - 1
    return s[first], e[first], (joint.true != joint.positive_code).astype(np.intp), cell
