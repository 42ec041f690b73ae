"""Delete-one jackknife standard errors, and intervals on the scale of a metric's range."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.infer.sampler import effective_cells
from tallymark.metric.measure import Statistic
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.effort import EffortTally
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreCounts, ScoreTally

GROUPS = 400
"""Bins of scores that rows are left out of: all rows of one count alike."""

_QUANTILES = 100
_ENDS = 0.03
"""Of very many scores the middle of each class is left out by the hundredth, and the bins at both
ends, where rows move numbers most, one by one."""

_AT_ONCE = 160
"""Replicates evaluated together: few enough for the processor's cache."""


class StandardError(NamedTuple):
    """Standard errors (...), their degrees of freedom and Efron's acceleration.

    NaN where the number is undefined or infinite without one of the rows.
    """

    error: Floats
    degrees_of_freedom: Floats
    acceleration: Floats


@dataclass(frozen=True)
class Jackknife:
    """Numbers without one row of each cell of a tally, and what that says of their errors.

    ``values[..., C]``: the number without one row of each cell; ``weight[..., C]`` the weight of
    such a row, 0 in an empty cell, ``rows[..., C]`` how many there are (of weighted rows their
    effective number) and ``truth[C]`` their class. ``value[...]`` is the number on all rows. With
    ``stratified`` the shares of the classes are known, so that only what happens within each class
    counts. ``scores[C]`` are those of the cells, where they have some.
    """

    value: Floats
    values: Floats
    weight: Floats
    rows: Floats
    truth: NDArray[np.intp]
    stratified: bool = False
    scores: Floats | None = None

    def slopes(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return the change of the number per added row at the scores: of positives, of others."""
        assert self.scores is not None
        with np.errstate(invalid="ignore"):  # of a number that is infinite
            rises = (self.value - self.values) / self.weight
        pos, neg = (
            np.interp(scores, self.scores[own], rises[own]) if own.any() else np.zeros(len(scores))
            for own in (self.truth == 1, self.truth == 0)
        )
        return pos, neg

    @cached_property
    def standard_error(self) -> StandardError:
        """The root of (n-1)/n times the sum of squared changes, of each class if ``stratified``.

        The degrees of freedom are Satterthwaite's, 2 V² / Var(V) with V that sum: many where many
        rows each change the number as much, few where few rows carry most of it. They are infinite
        where the error is certain and NaN where no row changes the number.
        """
        classes = np.unique(self.truth) if self.stratified else [0]
        together: list[Any] = [self.truth == k if self.stratified else slice(None) for k in classes]
        variance, second, third, spread = (np.zeros(np.shape(self.value)) for _ in range(4))
        used = self.weight > 0
        with np.errstate(all="ignore"):
            change = np.asarray(self.values - np.expand_dims(self.value, -1))
            slope = np.where(used, change / self.weight, 0.0)
            for cells in together:
                weight, rows = self.weight[..., cells], self.rows[..., cells]
                total = (weight * rows).sum(-1, keepdims=True)
                mean = (weight * rows * slope[..., cells]).sum(-1, keepdims=True) / total
                moves = weight * (slope[..., cells] - np.where(total > 0, mean, 0.0))
                n, squared = rows.sum(-1), moves * moves
                square = (rows * squared).sum(-1)
                variance += np.where(n > 0, (n - 1) / n * square, 0.0)
                second += square
                third += (rows * squared * moves).sum(-1)
                spread += (rows * squared * squared).sum(-1) - square**2 / np.maximum(n, 1.0)
            certain = ~(spread > 1e-12 * second**2)
            freedom = np.where(certain, np.inf, np.maximum(2 * second**2 / spread, 1.0))
            acceleration = np.where(second > 0, -third / (6 * second**1.5), 0.0)
            defined = (np.isfinite(change) | ~used).all(-1)
            made = (
                np.where(defined, np.sqrt(variance.clip(0.0)), np.nan),
                np.where(defined & (second > 0), freedom, np.nan),
                np.where(np.isfinite(acceleration), acceleration, 0.0),
            )
            return StandardError(*(v[()] for v in made))

    @property
    def error(self) -> Floats:
        """The standard error."""
        return self.standard_error.error

    @property
    def degrees_of_freedom(self) -> Floats:
        """Its degrees of freedom."""
        return self.standard_error.degrees_of_freedom


def jackknife(
    statistic: Statistic, tally: LabelTally | ScoreTally | EffortTally, stratified: bool = False
) -> Jackknife:
    """Leave one row out of each cell of a tally: of decisions, or of the scores of one class.

    More than :data:`GROUPS` distinct scores are binned first. A weighted cell counts as so many
    rows of one weight as its effective number (Kish).

    >>> from tallymark.metric import get
    >>> t = LabelTally((0, 1), np.array([[40.0, 10.0], [5.0, 45.0]]))
    >>> made = jackknife(Statistic.of(get("accuracy"), t.labels, 1), t)
    >>> round(float(made.error), 4), round((0.85 * 0.15 / 99) ** 0.5, 4)
    (0.0359, 0.0359)
    """
    if isinstance(tally, LabelTally):
        counts, squares = tally.counts, tally.sum_squared_weights
        return jackknife_matrices(statistic, counts, squares, tally.labels, stratified)
    # A number read off bins jumps where one ends: each is left out by itself.
    cells, replicates = delete_one(tally, each=statistic.metric.error == "null_at_zero")
    values = [statistic.of_score_counts([r]) for r in replicates]
    value = statistic.of_score_counts([tally.coarse(GROUPS).score_counts])
    weight, rows, truth, scores = cells
    values_of = np.concatenate([np.empty(0), *values])
    return Jackknife(value, values_of, weight, rows, truth, stratified, scores)


def jackknife_matrices(
    statistic: Statistic,
    matrices: Floats,
    sum_squared_weights: Floats | None,
    labels: Sequence[Label],
    stratified: bool = False,
) -> Jackknife:
    """Leave one row out of each cell of ``matrices[..., K, K]``. Source: efron1993.

    >>> from tallymark.metric import get
    >>> accuracy = Statistic.of(get("accuracy"), (0, 1))
    >>> counts = np.array([[[40.0, 10.0], [5.0, 45.0]]])
    >>> jackknife_matrices(accuracy, counts, None, (0, 1)).error.round(4).tolist()
    [0.0359]
    """
    shape, k = matrices.shape, matrices.shape[-1]
    cells = matrices.reshape(*shape[:-2], k * k)
    squares = None if sum_squared_weights is None else sum_squared_weights.reshape(cells.shape)
    weight, rows = _rows_of(cells, squares)
    value = statistic.of_matrix(matrices, labels)
    values = np.repeat(np.expand_dims(value, -1), k * k, -1)
    for c in np.flatnonzero((cells > 0).reshape(-1, k * k).any(0)).tolist():
        moved = cells.copy()
        moved[..., c] = np.maximum(moved[..., c] - weight[..., c], 0)
        changed = statistic.of_matrix(moved.reshape(shape), labels)
        values[..., c] = np.where(cells[..., c] > 0, changed, value)
    return Jackknife(value, values, weight, rows, np.arange(k * k) // k, stratified)


Cells = tuple[Floats, Floats, NDArray[np.intp], Floats]
"""The weight of a row, the rows, the class and the score of each cell."""


def delete_one(tally: ScoreTally | EffortTally, each: bool) -> tuple[Cells, list[ScoreCounts]]:
    """Return the cells of the scores of one class, and the scores without a row of each.

    They are made once for all numbers. Unless ``each`` bin is wanted by itself, neighbouring ones
    of very many scores are taken together, and a row is left out by their shares: that moves a
    smooth number as one of them does.
    """
    few = tally.coarse(GROUPS)
    squares, alone = few.squared_score_counts, each or few is tally or not tally.neighbours_alike
    return few.score_counts.cached(_delete_one, squares=squares, alone=alone)


def _delete_one(
    r: ScoreCounts, squares: ScoreCounts | None, alone: bool
) -> tuple[Cells, list[ScoreCounts]]:
    cells: list[Cells] = []
    replicates: list[ScoreCounts] = []
    for truth, own in ((1, r.pos), (0, r.neg)):
        starts = _starts(own, alone)
        if not len(starts):
            continue
        counts, second = np.add.reduceat(own, starts), None
        if squares is not None:
            second = np.add.reduceat(squares.pos if truth else squares.neg, starts)
        weight, rows = _rows_of(counts, second)
        bins = np.maximum(np.searchsorted(starts, np.arange(len(own)), side="right") - 1, 0)
        without = np.maximum(own - weight[bins] * (own / counts[bins]), 0)
        for start in range(0, len(starts), _AT_ONCE):
            some = np.arange(start, min(start + _AT_ONCE, len(starts)))
            moved = np.where(bins == some[:, None], without, own)
            other = np.broadcast_to(r.neg if truth else r.pos, moved.shape)
            replicates.append(r.with_counts(*((moved, other) if truth else (other, moved))))
        cells.append((weight, rows, np.full(len(starts), truth), r.scores[starts]))
    columns = [np.concatenate(column) for column in zip(*cells, strict=True)]
    return tuple(columns), replicates  # type: ignore[return-value]


def _starts(own: Floats, alone: bool) -> NDArray[np.intp]:
    """Return where the cells that hold rows start, or bins of several of them.

    >>> _starts(np.array([0.0, 2.0, 0.0, 3.0]), alone=True).tolist()
    [1, 3]
    >>> len(_starts(np.ones(1000), alone=False))  # 30 at either end, and 94 bins between them
    154
    """
    places = np.flatnonzero(own > 0)
    if alone or not len(places):
        return places
    below = (own.cumsum() - own / 2)[places] / own.sum()
    bins: Floats = np.floor(below * _QUANTILES)
    bins[np.minimum(below, 1 - below) < _ENDS] = -1
    first = np.append(True, (bins[1:] < 0) | (bins[1:] != bins[:-1]))
    return np.asarray(places[first])


def _rows_of(counts: Floats, squares: Floats | None) -> tuple[Floats, Floats]:
    """Return the weight of a row of each cell, 0 where there is none, and how many there are."""
    if squares is None:
        return np.minimum(counts, 1.0), np.where(counts > 0, np.maximum(counts, 1.0), 0.0)
    rows, weight = effective_cells(counts, squares)
    return np.where(counts > 0, weight, 0.0), rows


# -- from standard errors to intervals -------------------------------------------------------------


def percentile_level(level: float, degrees_of_freedom: float) -> float:
    """Return a level further out than asked for, as Student's t is further out.

    Percentiles of draws of n clusters are too near by the root of (n-1)/n, and take the spread of
    the clusters for known (Hesterberg 2015).

    >>> round(percentile_level(0.95, 17), 4)
    0.9701
    """
    from scipy.special import ndtr

    z = critical_value(level, degrees_of_freedom) * math.sqrt(1 + 1 / degrees_of_freedom)
    return float(1 - 2 * ndtr(-z))


def critical_value(level: float, degrees_of_freedom: Any) -> Floats:
    """Return the two-sided quantile of Student's t; of the normal at infinite freedom.

    >>> critical_value(0.95, np.array([4, math.inf])).round(3).tolist()
    [2.776, 1.96]
    """
    from scipy.special import ndtri, stdtrit

    share, endless = (1 + level) / 2, np.isinf(degrees_of_freedom)
    quantile = stdtrit(np.where(endless, 1.0, degrees_of_freedom), share)
    return np.where(endless, ndtri(share), quantile)[()]  # type: ignore[no-any-return]


def scaled(
    values: Any, errors: Any, critical: Any, extent: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Return normal intervals on the scale that suits a metric's range.

    Shares on the logit scale, correlations on Fisher's z, ratios from 0 up on the logarithm: the
    bounds stay in the range. A value at the end of its range has no such interval: NaN.

    >>> low, high = scaled(np.array([0.9, 1.0]), 0.05, 1.959964, (0, 1))
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.7518, nan], [0.9639, nan])
    """
    least, most = extent
    with np.errstate(all="ignore"):
        half = np.where(np.asarray(errors) > 0, critical * np.asarray(errors), np.nan)
        if math.isfinite(least) and math.isfinite(most):
            share = np.asarray((values - least) / (most - least))
            centre, half = np.log(share / (1 - share)), half / (most - least) / share / (1 - share)
            ends = (1 / (1 + np.exp(half - centre)), 1 / (1 + np.exp(-half - centre)))
            low, high = (least + (most - least) * end for end in ends)
            inside = (share > 0) & (share < 1)
        elif math.isfinite(least):
            factor = np.exp(np.minimum(half / (values - least), 700))
            low, high = least + (values - least) / factor, least + (values - least) * factor
            inside = values > least
        elif math.isfinite(most):
            low, high = scaled(-values, errors, critical, (-most, math.inf))
            return -high, -low
        else:
            low, high, inside = values - half, values + half, np.isfinite(values)
        return np.where(inside, low, np.nan)[()], np.where(inside, high, np.nan)[()]
