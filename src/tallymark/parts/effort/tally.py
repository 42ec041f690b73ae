"""Score tallies with effort: the cost of inspecting a row, e.g. its lines of code."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tallymark.core import Floats, PairedPredictions, RoleTally, ScoreCounts, array

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
class EffortTally(RoleTally):
    """One score column by score, effort and class: the data for resampling.

    >>> import tallymark as tm
    >>> ev = tm.evaluate([0, 1, 1], y_score=[0.2, 0.9, 0.9], effort=[30, 5, 8])
    >>> t = ev.models[0]._role_tallies["effort"]
    >>> t.scores.tolist(), t.effort.tolist(), t.counts.tolist()
    ([0.2, 0.9, 0.9], [30.0, 5.0, 8.0], [[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]])
    """

    _role: ClassVar[str] = "effort"
    effort: Floats = field(metadata=array("effort", axes=("cells",)))

    def _counted(self, counts: Floats) -> EffortCounts:
        """Return the counts of each cell with its effort."""
        return EffortCounts(self.scores, counts[0], counts[1], self.effort)

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
        cells = self._cells(joint, name)
        if self._coarse() is self:
            return cells.cell
        return np.asarray(self._kept[GROUPS][1][cells.other, cells.cell])

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
