"""Rows already counted elsewhere: lines alike in everything that a tally tells apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.tally.arrays import Coded, Codes, Floats, Label, join_labels
from tallymark.tally.bins import BinnedCounts, Bins
from tallymark.tally.joint import ModelColumn, PairedPredictions
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreTally
from tallymark.tally.subgroups import SubgroupCounter, SubgroupCounts, SubgroupModel
from tallymark.tally.sums import Sums


@dataclass(frozen=True, slots=True, eq=False)
class GroupCounts:
    """Groups of rows that are alike in what was asked for, and how many rows each holds.

    ``whole`` (L,) tells the rows that have every label and score; of the others only labels are
    known. ``rows`` (L,) are numbers of rows; ``weights`` and ``sum_squared_weights`` (L,) the sums
    of their weights and of the squares, None where all weigh 1. ``each`` (L,) is what every row of
    a line weighs, where rows were told apart by it. Of bins, ``low`` and ``high`` (L,) are the
    least and the greatest score that a line holds.
    """

    labels: Mapping[str, Coded]
    numbers: Mapping[str, Floats]
    subgroups: Mapping[str, Coded]
    whole: NDArray[np.bool_]
    rows: NDArray[np.int64]
    weights: Floats | None = None
    sum_squared_weights: Floats | None = None
    each: Floats | None = None
    low: Floats | None = None
    high: Floats | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def mass(self) -> Floats:
        """The weight of each line; its rows where all weigh 1."""
        return self.rows.astype(np.float64) if self.weights is None else self.weights

    def kept(self, keep: Any) -> GroupCounts:
        """Return some of the lines."""

        def coded(columns: Mapping[str, Coded]) -> dict[str, Coded]:
            return {n: Coded(c.codes[keep], c.labels) for n, c in columns.items()}

        plain = (self.weights, self.sum_squared_weights, self.each, self.low, self.high)
        return GroupCounts(
            coded(self.labels), {n: v[keep] for n, v in self.numbers.items()},
            coded(self.subgroups), self.whole[keep], self.rows[keep],
            *(None if v is None else v[keep] for v in plain),
        )  # fmt: skip

    def as_counted(self) -> GroupCounts:
        """Return lines whose weights are numbers of rows, each of weight 1."""
        if self.weights is None:
            return self
        return replace(
            self,
            rows=self.weights.astype(np.int64),
            weights=None,
            sum_squared_weights=None,
            each=None,
        )

    def codes(self, name: str, classes: Sequence[Label]) -> Codes:
        """Return a label column as codes of the classes given."""
        return join_labels({name: self.labels[name]}, classes)[1][0]

    def label_tally(self, true: Codes, called: Codes, classes: tuple[Label, ...]) -> LabelTally:
        """Count codes of the true and of the predicted class (L,)."""
        k = len(classes)
        cells = true * k + called

        def table(values: Floats) -> Floats:
            return np.bincount(cells, values, minlength=k * k).reshape(k, k).astype(np.float64)

        squares = None if self.sum_squared_weights is None else table(self.sum_squared_weights)
        return LabelTally(classes, table(self.mass), squares, int(self.rows.sum()))

    def score_tally(
        self, true: Codes, scores: Floats, positive: Label, classes: tuple[Label, ...]
    ) -> ScoreTally:
        """Count codes of the true class and scores (L,)."""
        k = len(classes)
        distinct, group = np.unique(scores, return_inverse=True)
        cells = group * k + true

        def table(values: Floats) -> Floats:
            found = np.bincount(cells, values, minlength=len(distinct) * k)
            return found.reshape(-1, k).astype(np.float64)

        squares = None if self.sum_squared_weights is None else table(self.sum_squared_weights)
        rows = int(self.rows.sum())
        return ScoreTally(classes, positive, distinct, table(self.mass), squares, rows)

    def binned_tally(
        self, true: Codes, score: str, bins: Bins, positive: Label, classes: tuple[Label, ...]
    ) -> ScoreTally:
        """Count true classes (L,) and the bins of a score; exact where each holds one score."""
        assert self.low is not None
        assert self.high is not None
        if bool((self.low == self.high).all()):
            return self.score_tally(true, self.low, positive, classes)
        made = BinnedCounts(bins, classes, self.sum_squared_weights is not None)
        own = true[:, None] == np.arange(len(classes))
        squares = (
            None if self.sum_squared_weights is None else own * self.sum_squared_weights[:, None]
        )
        place = self.numbers[score].astype(np.int64)
        rows = int(self.rows.sum())
        made.add_cells(place, self.low, self.high, own * self.mass[:, None], squares, rows)
        return ScoreTally.from_bins(made, positive)

    def sums(self, true: Codes, matrix: Floats) -> Sums:
        """Add up the losses of each row's whole vector of scores, matrix (L, K)."""
        squares = self.mass if self.sum_squared_weights is None else self.sum_squared_weights
        return Sums.of_rows(true, matrix, self.mass, squares, int(self.rows.sum()))

    def joint(
        self, classes: tuple[Label, ...], true: Codes, sides: Sequence[ModelColumn], most: int,
        positive: Label | None,
    ) -> PairedPredictions | None:  # fmt: skip
        """Return the rows one by one, None where they would take more than so many bytes.

        Weighted rows are known one by one only where lines were told apart by their weight.
        """
        if self.weights is not None and self.each is None:
            return None
        once = PairedPredictions(classes, true, tuple(sides), positive, self.each)
        if once.nbytes / max(len(self), 1) * float(self.rows.sum()) > most:
            return None
        each = None if self.each is None else np.repeat(self.each, self.rows)
        return replace(once.repeated(self.rows), weights=each)

    def subgroup_counts(
        self, columns: Mapping[str, str], classes: tuple[Label, ...], true: Codes,
        sides: Sequence[ModelColumn],
    ) -> SubgroupCounts:  # fmt: skip
        """Count the lines into subgroups; ``columns`` names the subgroup columns."""
        levels = [self.subgroups[c] for c in columns.values()]

        def counted(mass: Floats) -> SubgroupCounts:
            subgroup_counter = SubgroupCounter(tuple(columns), classes)
            subgroup_counter.add(levels, true, sides, mass)
            return subgroup_counter.done(counted=True)

        found = counted(self.mass)
        rows, models = found.rows, list(found.models)
        if self.sum_squared_weights is not None:
            rows = counted(self.rows.astype(np.float64)).rows
            squared = counted(self.sum_squared_weights).models
            models = [_squared(m, s) for m, s in zip(models, squared, strict=True)]
        if any(len(s.scores) > 1 for s in sides):
            places = self._places(found, levels)
            models = [
                replace(m, sums=self._sums_of(places, len(found), true, np.stack(s.scores, 1)))
                if len(s.scores) > 1
                else m
                for m, s in zip(models, sides, strict=True)
            ]
        return replace(found, rows=rows, models=tuple(models))

    def _places(self, subgroup_counts: SubgroupCounts, levels: Sequence[Coded]) -> Codes:
        """Return the subgroup of every line."""
        place = {key: i for i, key in enumerate(subgroup_counts.keys)}
        values: list[tuple[Any, ...]] = [(*c.labels, None) for c in levels]
        keys = zip(*(c.codes.tolist() for c in levels), strict=True)
        return np.array(
            [place[tuple(v[i] for v, i in zip(values, key, strict=True))] for key in keys],
            dtype=np.intp,
        )

    def _sums_of(self, places: Codes, n: int, true: Codes, matrix: Floats) -> tuple[Sums, ...]:
        found = []
        for i in range(n):
            keep = places == i
            found.append(self.kept(keep).sums(true[keep], matrix[keep]))
        return tuple(found)


def _squared(model: SubgroupModel, squares: SubgroupModel) -> SubgroupModel:
    """Return a model's sums of weights with the sums of their squares beside them."""
    scores = tuple(
        replace(s.lines(), sum_squared_weights=v.lines().counts)
        for s, v in zip(model.scores, squares.scores, strict=True)
    )
    return replace(model, sum_squared_weights=squares.counts, scores=scores)
