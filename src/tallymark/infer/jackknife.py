"""Standard errors by leaving rows out, and normal intervals on the scale of a number's range."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.infer.sampler import effective_cells
from tallymark.metric.measure import Statistic
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreCounts, ScoreTally

GROUPS = 400
"""Groups of scores that rows are left out of: all rows of one count alike."""

_LOTS = 100
_ENDS = 0.03
"""Of very many scores the middle of each class is left out by the hundredth, and the groups at both
ends, where rows move numbers most, one by one."""

_AT_ONCE = 160
"""Rankings looked at together: few enough for the processor's cache."""


@dataclass(frozen=True)
class Jackknife:
    """A number without one row of each cell of a tally, and what that says of its error.

    ``values[C]``: the number without one row of each cell; ``weight[C]`` what such a row weighs,
    ``rows[C]`` how many there are (of weighted rows their effective number) and ``truth[C]`` their
    class. ``value`` is the number on all rows. With ``stratified`` the shares of the classes are
    known, so that only what happens within each class counts. ``scores[C]`` are those of the cells,
    where they have some.
    """

    value: float
    values: Floats
    weight: Floats
    rows: Floats
    truth: NDArray[np.intp]
    stratified: bool = False
    scores: Floats | None = None

    def slopes(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return how the number rises with each row at the scores: of positives and of others."""
        assert self.scores is not None
        rises = (self.value - self.values) / self.weight
        pos, neg = (
            np.interp(scores, self.scores[own], rises[own]) if own.any() else np.zeros(len(scores))
            for own in (self.truth == 1, self.truth == 0)
        )
        return pos, neg

    @cached_property
    def _moves(self) -> tuple[Floats, list[NDArray[np.bool_]]]:
        """Return what each row moves the number by, and the rows that are drawn together."""
        slope = (self.values - self.value) / self.weight
        together = [self.truth == k for k in np.unique(self.truth)]
        if not self.stratified:
            together = [np.ones(len(slope), dtype=bool)]
        moves = np.empty(len(slope))
        for own in together:
            total = self.rows[own] * self.weight[own]
            moves[own] = self.weight[own] * (
                slope[own] - (total * slope[own]).sum() / max(float(total.sum()), 1e-300)
            )
        return moves, together

    @cached_property
    def error(self) -> float:
        """The standard error: the root of (n-1)/n times the sum of squared moves.

        NaN where the number is undefined or infinite without one of the rows.
        """
        if not np.isfinite(self.values).all():
            return math.nan
        moves, together = self._moves
        variance = 0.0
        for own in together:
            n = float(self.rows[own].sum())
            variance += (n - 1) / n * float((self.rows[own] * moves[own] ** 2).sum()) if n else 0.0
        return math.sqrt(max(variance, 0.0))

    @cached_property
    def freedom(self) -> float:
        """The degrees of freedom of the error, as of Student's t; infinite where it is certain.

        Satterthwaite's: 2 V² / Var(V), where V is the sum of squared moves. Many rows that each
        move the number as much give many; where few rows move most of it, few.
        """
        if not np.isfinite(self.values).all():
            return math.nan
        moves, together = self._moves
        variance = spread = 0.0
        for own in together:
            second = float((self.rows[own] * moves[own] ** 2).sum())
            fourth = float((self.rows[own] * moves[own] ** 4).sum())
            variance += second
            spread += fourth - second**2 / max(float(self.rows[own].sum()), 1.0)
        if not spread > 1e-12 * variance**2:
            return math.inf if variance > 0 else math.nan
        return max(2 * variance**2 / spread, 1.0)

    def reach(self, level: float) -> float:
        """Return how many standard errors an interval reaches: Student's quantile."""
        return student(level, self.freedom)


def student(level: float, freedom: float) -> float:
    """Return the two-sided quantile of Student's t; of the normal at infinite freedom.

    >>> round(student(0.95, 4), 3), round(student(0.95, math.inf), 3)
    (2.776, 1.96)
    """
    from scipy.special import ndtri, stdtrit

    share = (1 + level) / 2
    return float(ndtri(share) if math.isinf(freedom) else stdtrit(freedom, share))


def leave_out(
    statistic: Statistic, tally: LabelTally | ScoreTally, stratified: bool = False
) -> Jackknife:
    """Leave one row out of each cell of a tally: of decisions, or of the scores of one class.

    Of more than :data:`GROUPS` distinct scores neighbouring ones are taken together first. A
    weighted cell is taken for as many rows as its weights are worth (Kish), all of one weight.

    >>> from tallymark.metric import get
    >>> t = LabelTally((0, 1), np.array([[40.0, 10.0], [5.0, 45.0]]))
    >>> made = leave_out(Statistic.of(get("accuracy"), t.labels, 1), t)
    >>> round(made.error, 4), round((0.85 * 0.15 / 99) ** 0.5, 4)
    (0.0359, 0.0359)
    """
    if isinstance(tally, LabelTally):
        return _of_matrix(statistic, tally, stratified)
    return _of_ranking(statistic, tally, stratified)


def jackknife_matrices(
    statistic: Statistic,
    matrices: Floats,
    sum_squared_weights: Floats | None,
    labels: Sequence[Label],
    stratified: bool = False,
) -> tuple[Floats, Floats]:
    """Return the standard errors of ``matrices[S, K, K]`` and their degrees of freedom.

    One row is left out of each cell: those of one cell move the number alike. The variance is
    (n-1)/n times the sum of the squared moves, of each true class by itself where the shares of
    the classes are fixed; the degrees of freedom are Satterthwaite's. NaN where the number is
    undefined or infinite without one of the rows, or no row moves it. Source: efron1993.

    >>> from tallymark.metric import get
    >>> accuracy = Statistic.of(get("accuracy"), (0, 1))
    >>> counts = np.array([[[40.0, 10.0], [5.0, 45.0]]])
    >>> error, _ = jackknife_matrices(accuracy, counts, None, (0, 1))
    >>> error.round(4).tolist(), round((0.85 * 0.15 / 99) ** 0.5, 4)
    ([0.0359], 0.0359)
    """
    shape = matrices.shape
    cells = matrices.reshape(shape[0], -1)
    weight, rows = np.minimum(cells, 1.0), cells
    if sum_squared_weights is not None:
        rows, weight = effective_cells(cells, sum_squared_weights.reshape(cells.shape))
        weight = np.where(cells > 0, weight, 0.0)
    value = statistic.of_matrix(matrices, labels)
    slopes = np.zeros(cells.shape)
    defined = np.ones(len(cells), dtype=bool)
    with np.errstate(all="ignore"):
        for c in np.flatnonzero((cells > 0).any(0)).tolist():
            moved = cells.copy()
            moved[:, c] = np.maximum(moved[:, c] - weight[:, c], 0)
            changed = statistic.of_matrix(moved.reshape(shape), labels) - value
            used = cells[:, c] > 0
            defined &= np.isfinite(changed) | ~used
            slopes[:, c] = np.where(used, changed / weight[:, c], 0.0)
        # Rows that are drawn together: all of them, or those of each true class.
        lead = (shape[0], shape[1] if stratified else 1, -1)
        held, slope, unit, n_of = (np.reshape(v, lead) for v in (cells, slopes, weight, rows))
        total = held.sum(-1, keepdims=True)
        middle = np.where(total > 0, (held * slope).sum(-1, keepdims=True) / total, 0.0)
        moves = unit * (slope - middle)
        n = n_of.sum(-1)
        second, fourth = (n_of * moves**2).sum(-1), (n_of * moves**4).sum(-1)
        error = np.sqrt(np.where(n > 0, (n - 1) / n * second, 0.0).clip(0.0).sum(-1))
        spread = (fourth - second**2 / np.maximum(n, 1.0)).sum(-1)
        second = second.sum(-1)
        known = spread > 1e-12 * second**2
        freedom = np.where(known, np.maximum(2 * second**2 / spread, 1.0), np.inf)
    return np.where(defined, error, np.nan), np.where(defined & (second > 0), freedom, np.nan)


def _of_matrix(s: Statistic, t: LabelTally, stratified: bool) -> Jackknife:
    cells = np.argwhere(t.counts > 0)
    weight, rows = _rows(
        t.counts[t.counts > 0],
        None if t.sum_squared_weights is None else t.sum_squared_weights[t.counts > 0],
    )
    moved = np.repeat(t.counts[None], len(cells), 0)
    at = (np.arange(len(cells)), cells[:, 0], cells[:, 1])
    moved[at] = np.maximum(moved[at] - weight, 0)
    values = s.of_matrix(moved, t.labels)
    value = float(s.of_matrix(t.counts, t.labels))
    return Jackknife(value, values, weight, rows, cells[:, 0], stratified)


def without_one(tally: ScoreTally, each: bool) -> Any:
    """Return what :func:`leave_out` leaves of the scores of one class, made once for all numbers.

    The weight of a row, rows, class and score of each cell, and the rankings without one of them.
    Unless ``each`` cell is wanted, neighbouring ones of very many scores make a lot, which a row
    is left out of by their shares: it moves a smooth number as one of them does.
    """
    few = tally.coarse(GROUPS)
    alone = each or few is tally
    return few.score_counts.cached(_left_out, squares=few.squared_score_counts, alone=alone)


def _of_ranking(s: Statistic, tally: ScoreTally, stratified: bool) -> Jackknife:
    r = tally.coarse(GROUPS).score_counts
    # What is read off bins jumps where one ends.
    weight, rows, truth, scores, left = without_one(tally, s.metric.error == "null_at_zero")
    values = np.concatenate([np.empty(0), *(s.of_score_counts([some]) for some in left)])
    value = float(s.of_score_counts([r]))
    return Jackknife(value, values, weight, rows, truth, stratified, scores)


def _left_out(r: ScoreCounts, squares: ScoreCounts | None, alone: bool) -> Any:
    found: list[tuple[Floats, Floats, NDArray[np.intp], Floats]] = []
    left: list[ScoreCounts] = []
    for truth, own in ((1, r.pos), (0, r.neg)):
        starts = _starts(own, alone)
        if not len(starts):
            continue
        cells, second = np.add.reduceat(own, starts), None
        if squares is not None:
            second = np.add.reduceat(squares.pos if truth else squares.neg, starts)
        weight, rows = _rows(cells, second)
        lot = np.maximum(np.searchsorted(starts, np.arange(len(own)), side="right") - 1, 0)
        without = np.maximum(own - weight[lot] * (own / cells[lot]), 0)
        for start in range(0, len(starts), _AT_ONCE):
            some = np.arange(start, min(start + _AT_ONCE, len(starts)))
            moved = np.where(lot == some[:, None], without, own)
            other = np.broadcast_to(r.neg if truth else r.pos, moved.shape)
            pair = (moved, other) if truth else (other, moved)
            left.append(ScoreCounts(r.scores, *pair))
        found.append((weight, rows, np.full(len(starts), truth), r.scores[starts]))
    return *(np.concatenate(columns) for columns in zip(*found, strict=True)), left


def _starts(own: Floats, alone: bool) -> NDArray[np.intp]:
    """Return where the cells that hold rows start, or lots of them.

    >>> _starts(np.array([0.0, 2.0, 0.0, 3.0]), alone=True).tolist()
    [1, 3]
    >>> len(_starts(np.ones(1000), alone=False))  # 30 at either end, and 94 lots between them
    154
    """
    places = np.flatnonzero(own > 0)
    if alone or not len(places):
        return places
    below = (own.cumsum() - own / 2)[places] / own.sum()
    lots: Floats = np.floor(below * _LOTS)
    lots[np.minimum(below, 1 - below) < _ENDS] = -1
    first = np.append(True, (lots[1:] < 0) | (lots[1:] != lots[:-1]))
    return np.asarray(places[first])


def _rows(counts: Floats, squares: Floats | None) -> tuple[Floats, Floats]:
    """Return what a row of each cell weighs, and how many rows it is worth."""
    if squares is None:
        return np.minimum(counts, 1.0), np.maximum(counts, 1.0)
    rows, weight = effective_cells(counts, squares)
    return weight, rows


def scaled(
    value: float, error: float, z: float, extent: tuple[float, float]
) -> tuple[float, float]:
    """Return the normal interval on the scale that suits a metric's range.

    Shares on the logit scale, correlations on Fisher's z, ratios from 0 up on the logarithm: the
    bounds stay in the range. A value at the end of its range has no such interval: NaN.

    >>> [round(v, 4) for v in scaled(0.9, 0.05, 1.959964, (0, 1))]
    [0.7518, 0.9639]
    """
    low, high = extent
    if math.isnan(error) or error == 0:
        return math.nan, math.nan
    if math.isfinite(low) and math.isfinite(high):
        if not low < value < high:
            return math.nan, math.nan
        share = (value - low) / (high - low)
        middle, half = math.log(share / (1 - share)), z * error / (high - low) / share / (1 - share)
        ends = (_expit(middle - half), _expit(middle + half))
        return low + (high - low) * ends[0], low + (high - low) * ends[1]
    if math.isfinite(low):
        if value <= low:
            return math.nan, math.nan
        factor = math.exp(min(z * error / (value - low), 700))
        return low + (value - low) / factor, low + (value - low) * factor
    if math.isfinite(high):
        if value >= high:
            return math.nan, math.nan
        factor = math.exp(min(z * error / (high - value), 700))
        return high - (high - value) * factor, high - (high - value) / factor
    return value - z * error, value + z * error


def scaled_all(
    values: Floats, errors: Floats, reach: Floats, extent: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Return :func:`scaled` of many numbers of one range at once.

    >>> low, high = scaled_all(np.array([0.9, 1.0]), np.full(2, 0.05), np.full(2, 1.959964), (0, 1))
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.7518, nan], [0.9639, nan])
    """
    least, most = extent
    with np.errstate(all="ignore"):
        half = np.where(errors > 0, reach * errors, np.nan)
        if math.isfinite(least) and math.isfinite(most):
            share = (values - least) / (most - least)
            middle, half = np.log(share / (1 - share)), half / (most - least) / share / (1 - share)
            ends = (1 / (1 + np.exp(half - middle)), 1 / (1 + np.exp(-half - middle)))
            low, high = (least + (most - least) * end for end in ends)
            inside = (share > 0) & (share < 1)
        elif math.isfinite(least):
            factor = np.exp(np.minimum(half / (values - least), 700))
            low, high = least + (values - least) / factor, least + (values - least) * factor
            inside = values > least
        elif math.isfinite(most):
            factor = np.exp(np.minimum(half / (most - values), 700))
            low, high = most - (most - values) * factor, most - (most - values) / factor
            inside = values < most
        else:
            low, high, inside = values - half, values + half, np.isfinite(values)
        return np.where(inside, low, np.nan), np.where(inside, high, np.nan)


def reaches(level: float, freedom: Floats) -> Floats:
    """Return :func:`student` of many degrees of freedom at once; NaN of NaN."""
    from scipy.special import ndtri, stdtrit

    share = (1 + level) / 2
    endless = np.isinf(freedom)
    far = stdtrit(np.where(endless, 1.0, freedom), share)
    return np.asarray(np.where(endless, ndtri(share), far), dtype=np.float64)


STUDENT = ", Student's t"
CHANCE = ", with and without what chance adds"


def with_chance(
    bounds: tuple[float, float], value: float, bias: float, half: float
) -> tuple[float, float]:
    """Return bounds that hold the normal interval of a value less its bias, too.

    Resampling tells the bias of what chance alone pushes up only roughly: neither is left out.

    >>> with_chance((0.25, 0.5), 0.375, bias=0.125, half=0.125)
    (0.125, 0.5)
    """
    if math.isnan(bias):
        return bounds
    return min(bounds[0], value - bias - half), max(bounds[1], value - bias + half)


def drawn_with_chance(
    low: Floats, high: Floats, drawn: NDArray[np.float64], value: Floats
) -> tuple[Floats, Floats]:
    """Return bounds of draws over the first axis, with and without what chance adds to them.

    Draws lie as far from the value on average as it lies from the truth: bounds that are
    percentiles of them are off by twice that.

    >>> low, high, value = np.array(1.0), np.array(5.0), np.array(2.0)
    >>> found = drawn_with_chance(low, high, np.array([1.0, 3.0, 5.0]), value)
    >>> [v.tolist() for v in found]
    [-1.0, 5.0]
    """
    with np.errstate(all="ignore"):
        twice = 2 * (np.nanmean(drawn, axis=0) - value)
    twice = np.where(np.isfinite(twice), twice, 0.0)
    return np.minimum(low, low - twice), np.maximum(high, high - twice)


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0
