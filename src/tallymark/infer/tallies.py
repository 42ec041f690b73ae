"""Stacks of tallies: what the core reads of one evaluation, of subgroups, of thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tallymark.data import Model
from tallymark.infer.rests import rests
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreTally
from tallymark.tally.subgroups import Judged, SubgroupCounts, rest_sums
from tallymark.tally.sums import Sums

Matrices = tuple[Floats, Floats | None]
"""Counts [S, true, predicted], and sums of squared weights or None."""


class Tallies:
    """S tallies of one classifier: one evaluation is a stack of one."""

    labels: tuple[Label, ...]
    """The classes, in the order of the matrices."""
    matrices: Matrices
    """Counts of decisions, and the sums of squared weights of weighted rows."""

    def __len__(self) -> int:
        return len(self.matrices[0])

    def scores(self, i: int) -> tuple[ScoreTally, ...]:
        """Return the scores of one tally: one column for two classes, else one a class."""
        return ()

    def sums(self, i: int) -> Sums | None:
        """Return the sums of what depends on a row's whole vector of scores."""
        return None

    def areas(self, losses: Sequence[str]) -> Judged | None:
        """Return ROC areas and mean losses of all tallies in one pass; None if there is none."""
        return None


@dataclass(frozen=True, eq=False)
class AtThresholds(Tallies):
    """The decisions of one ranking at many thresholds, which move decisions alone."""

    labels: tuple[Label, ...]
    matrices: Matrices


@dataclass(frozen=True, eq=False)
class Single(Tallies):
    """A stack of one: a tally of decisions, columns of scores, and sums over rows, or some of them.

    >>> len(Single(LabelTally.from_arrays([0, 1, 1], [0, 1, 0])))
    1
    """

    decisions: LabelTally | None = None
    columns: tuple[ScoreTally, ...] = ()
    given_sums: Sums | None = None

    @classmethod
    def of(cls, model: Model) -> Single:
        """Return what was counted of a model."""
        return cls(model.labels, model.scores, model.sums)

    @cached_property
    def labels(self) -> tuple[Label, ...]:  # type: ignore[override]
        """The classes."""
        return self.columns[0].labels if self.decisions is None else self.decisions.labels

    def __len__(self) -> int:
        return 1

    @cached_property
    def matrices(self) -> Matrices:  # type: ignore[override]
        """The decisions."""
        assert self.decisions is not None
        counts, squares = self.decisions.counts, self.decisions.sum_squared_weights
        return counts[None], None if squares is None else squares[None]

    def scores(self, i: int) -> tuple[ScoreTally, ...]:
        """Return the scores."""
        return self.columns

    def sums(self, i: int) -> Sums | None:
        """Return the sums over rows; of one column its tally holds them."""
        if self.given_sums is None and len(self.columns) == 1:
            return Sums.of_scores(self.columns)
        return self.given_sums


@dataclass(frozen=True, eq=False)
class SubgroupStack(Tallies):
    """One model's tallies of every subgroup, or of all rows but each subgroup's (``rest``)."""

    model: Model
    subgroup_counts: SubgroupCounts
    positive: Label | None
    rest: bool = False

    @cached_property
    def labels(self) -> tuple[Label, ...]:  # type: ignore[override]
        """The classes."""
        return self.subgroup_counts.classes

    def __len__(self) -> int:
        return len(self.subgroup_counts)

    @cached_property
    def matrices(self) -> Matrices:  # type: ignore[override]
        """The decisions of each subgroup, or of all others."""
        m = self.model
        counts, squares = self.subgroup_counts.matrices(m.name, m.threshold, self.positive)
        if not self.rest:
            return counts, squares
        return rest_sums(counts), None if squares is None else rest_sums(squares)

    def scores(self, i: int) -> tuple[ScoreTally, ...]:
        """Return the scores of one subgroup, or of all others."""
        positives = [t.positive for t in self.model.scores]
        return self.subgroup_counts.score_tallies(self.model.name, positives, i, rest=self.rest)

    def sums(self, i: int) -> Sums | None:
        """Return the sums over the rows of one subgroup, or of all others."""
        held = self.subgroup_counts.model(self.model.name).sums
        if held is None:
            columns = self.scores(i)
            return Sums.of_scores(columns) if len(columns) == 1 else None
        if not self.rest:
            return held[i]
        total = Sums.empty(held[0].names)
        for j, one in enumerate(held):
            total = total if j == i else total + one
        return total

    def areas(self, losses: Sequence[str]) -> Judged | None:
        """Return the areas and mean losses of scores of two classes."""
        stacks = self.subgroup_counts.model(self.model.name).scores
        if len(stacks) != 1 or self.positive is None:
            return None
        code = self.labels.index(self.positive)
        judged = stacks[0].judged(len(self), code, losses)
        return rests(stacks[0].lines(), judged, code) if self.rest else judged


def thresholds_of(tally: ScoreTally, cuts: Floats) -> Matrices:
    """Return the decisions of two classes at thresholds: counts, and squares of weighted rows."""
    at = len(tally.scores) - np.searchsorted(tally.scores, cuts, side="left")
    positive_last = tally.labels.index(tally.positive) == len(tally.labels) - 1

    def cut(tp: Floats, fp: Floats) -> Floats:
        # All four from the same running sums: a difference to another sum of the same weights may
        # be a hair below zero.
        neg = np.stack([fp[-1] - fp[at], fp[at]], -1)
        pos = np.stack([tp[-1] - tp[at], tp[at]], -1)
        if positive_last:
            return np.stack([neg, pos], -2)
        return np.stack([pos[:, ::-1], neg[:, ::-1]], -2)

    squares = tally.squared_score_counts
    second = None if squares is None else cut(*squares.cumulative_counts)
    return cut(*tally.score_counts.cumulative_counts), second
