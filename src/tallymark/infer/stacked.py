"""Numbers and intervals of many matrices at once, by the rules that one matrix's follow."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tallymark.infer import resample
from tallymark.infer.delong import OF_AUC, newcombe
from tallymark.infer.interval import FEW_FREEDOMS, WEIGHTED
from tallymark.infer.jackknife import (
    CHANCE,
    STUDENT,
    drawn_with_chance,
    left_out_of_each,
    reaches,
    scaled_all,
)
from tallymark.metric.measure import Statistic, Value
from tallymark.metric.proportion import quantile, wilson, worth
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.labels import LabelTally
from tallymark.tally.ragged import Judged

FEWEST_DRAWS = 400
"""So many at least of each of very many matrices, as of the thresholds of a slider."""

_CELLS = 20_000_000
_AT_ONCE = 1 << 18
"""Cells drawn at a time: more do not stay in a core's own memory."""

_MOST_LEFT_OUT = 100
"""Cells of a matrix up to which rows are left out of each; of more, draws take no longer."""

_HAIR = 1e-12


@dataclass(frozen=True, eq=False)
class Column:
    """One statistic of many tallies: its values and bounds, of shape (S,), each with its method.

    ``methods`` and ``reasons`` hold a text, or None, a tally.
    """

    statistic: Statistic
    values: Floats
    lows: Floats
    highs: Floats
    methods: Sequence[str | None]
    reasons: Sequence[str | None]
    level: float
    cautions: Sequence[str | None] | None = None

    @classmethod
    def of(cls, statistic: Statistic, values: Sequence[Value], level: float) -> Self:
        """Lay single values side by side."""
        return cls(
            statistic,
            np.array([v.value for v in values]),
            np.array([v.low for v in values]),
            np.array([v.high for v in values]),
            [v.method for v in values],
            [v.reason for v in values],
            level,
            [v.caution for v in values],
        )

    def replaced(self, values: Mapping[int, Value]) -> Self:
        """Return the column with the values of some tallies in place of its own."""
        if not values:
            return self
        numbers = [self.values.copy(), self.lows.copy(), self.highs.copy()]
        methods, reasons = list(self.methods), list(self.reasons)
        cautions = list(self.cautions or [None] * len(methods))
        for i, v in values.items():
            for column, number in zip(numbers, (v.value, v.low, v.high), strict=True):
                column[i] = number
            methods[i], reasons[i], cautions[i] = v.method, v.reason, v.caution
        a, low, high = numbers
        return type(self)(self.statistic, a, low, high, methods, reasons, self.level, cautions)

    @cached_property
    def _definition(self) -> dict[str, Any]:
        return self.statistic.describe()

    def value(self, i: int) -> Value:
        """Return the value of one tally."""
        low, high = float(self.lows[i]), float(self.highs[i])
        return Value(
            self.statistic.metric.name, float(self.values[i]), low, high,
            None if np.isnan(low) else self.level, self.methods[i], self.reasons[i],
            None if self.cautions is None else self.cautions[i], 0, self._definition,
        )  # fmt: skip


def stacked(
    statistics: Mapping[str, Statistic],
    matrices: Floats,
    squares: Floats | None,
    labels: Sequence[Label],
    *,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Column]:
    """Return statistics of ``matrices[S, true, predicted]`` with their intervals.

    A proportion gets Wilson's interval. A smooth score of a bounded range gets that of the
    jackknife on the scale of its range with Student's t, which needs no draws and covers as often
    (``python -m benchmarks.slices --coverage``), unless one of four cells is empty or so few rows
    tell its error that it has less than five degrees of freedom. Anything else gets what
    :class:`tallymark.infer.interval.Intervals` gives one matrix, with fewer draws (at least 400) of
    very many: the percentile interval of multinomial draws, or of draws from the posterior of the
    cells where one is empty or all draws are the same.

    Parameters
    ----------
    statistics : {key: Statistic}
        Of decisions.
    matrices, squares : array (S, K, K)
        Counts, and sums of squared weights where rows have weights.
    labels : sequence of K labels
    level, seed
        Of the intervals.

    Examples
    --------
    >>> from tallymark.metric import get
    >>> recall = Statistic.of(get("recall"), (0, 1))
    >>> column = stacked({"": recall}, np.array([[[8, 2], [1, 9]], [[8, 2], [5, 5]]]), None, (0, 1))
    >>> print(column[""].value(0), column[""].value(1))
    0.9000 [0.5958, 0.9821] 0.5000 [0.2366, 0.7634]

    """
    matrices = np.asarray(matrices, dtype=np.float64)
    z, weighted = quantile(level), "" if squares is None else WEIGHTED
    out = {}
    drawn: dict[str, Statistic] = {}
    points = {key: np.asarray(s.of_matrix(matrices, labels)) for key, s in statistics.items()}
    for key, s in statistics.items():
        if s.metric.proportion is None or s.average not in ("overall", "binary"):
            drawn[key] = s
            continue
        part, n = s.metric.proportion(s.view(matrices, labels))
        if squares is not None:
            n2 = worth(part, n, *s.metric.proportion(s.view(squares, labels)))
            with np.errstate(invalid="ignore", divide="ignore"):
                part, n = part / n * n2, n2
        low, high = wilson(part, n, z)
        methods = np.full(len(matrices), "Wilson" + weighted, dtype=object)
        out[key] = (low, high, methods)
    for key, s in drawn.items():
        out[key] = _left_out(s, points[key], matrices, squares, labels, level)
    unsettled = {key: ~np.isfinite(out[key][0]) & ~np.isnan(points[key]) for key in drawn}
    some = np.flatnonzero(np.any(list(unsettled.values()), axis=0)) if drawn else ()
    if len(some):
        second = None if squares is None else squares[some]
        here = {key: points[key][some] for key in drawn}
        found = _drawn(drawn, here, matrices[some], second, labels, level, seed)
        for key in drawn:
            mine = unsettled[key][some]
            for held, made in zip(out[key], found[key], strict=True):
                held[some[mine]] = made[mine]
    columns = {}
    for key, s in statistics.items():
        reasons = _reasons(s, points[key], matrices, labels)
        columns[key] = _finished(s, points[key], *out[key], reasons, level)
    return columns


def _left_out(
    s: Statistic,
    points: Floats,
    matrices: Floats,
    squares: Floats | None,
    labels: Sequence[Label],
    level: float,
) -> tuple[Floats, Floats, NDArray[Any]]:
    """Return bounds by the jackknife, NaN where draws tell more."""
    shape, m = len(matrices), s.metric
    name = "jackknife" + STUDENT + ("" if squares is None else WEIGHTED)
    methods = np.full(shape, name, dtype=object)
    nothing = np.full(shape, np.nan), np.full(shape, np.nan), methods
    extent = m.range_of(**s.params)
    if not (m.smooth and m.error == "smooth" and np.isfinite(extent).all()):
        return nothing
    if m.better == "neither":  # it may be at its least or most within its range, where it bends
        return nothing
    if len(labels) ** 2 > _MOST_LEFT_OUT:
        return nothing
    error, freedom = left_out_of_each(s, matrices, squares, labels)
    told = (freedom >= FEW_FREEDOMS) & ~_empty(s, matrices, labels)
    low, high = scaled_all(points, error, reaches(level, freedom), extent)
    return np.where(told, low, np.nan), np.where(told, high, np.nan), methods


def _reasons(
    s: Statistic, points: Floats, matrices: Floats, labels: Sequence[Label]
) -> list[str | None]:
    """Say of every matrix why the value is undefined, as a tally of its own would."""
    out: list[str | None] = [None] * len(points)
    lacking = np.flatnonzero(np.isnan(points))
    if not len(lacking):
        return out
    if s.average in ("overall", "binary", "micro"):
        told = [""] * len(lacking)
        for words, case in s.metric.cases(s.view(matrices[lacking], labels), **s.params).items():
            for at in np.flatnonzero(np.broadcast_to(case, lacking.shape)):
                told[at] += f" and {words}" if told[at] else words
        if all(told):
            for row, words in zip(lacking.tolist(), told, strict=True):
                out[row] = words
            return out
    for i in lacking.tolist():
        out[i] = s.told(LabelTally(tuple(labels), matrices[i]))
    return out


def _empty(s: Statistic, matrices: Floats, labels: Sequence[Label]) -> NDArray[np.bool_]:
    """Tell where one of the four counts that the value rests on is zero."""
    if s.average != "binary" and not (s.average == "overall" and len(labels) == 2):
        return np.zeros(len(matrices), dtype=bool)
    if s.average == "overall":
        return np.asarray((matrices == 0).any((-2, -1)))
    i = list(labels).index(s.positive)  # type: ignore[arg-type]
    hit, actual, called = matrices[:, i, i], matrices[:, i].sum(-1), matrices[:, :, i].sum(-1)
    rest = matrices.sum((-2, -1)) - actual - called + hit
    return np.asarray((hit == 0) | (actual == hit) | (called == hit) | (rest == 0))


def _drawn(
    statistics: Mapping[str, Statistic],
    points: Mapping[str, Floats],
    matrices: Floats,
    squares: Floats | None,
    labels: Sequence[Label],
    level: float,
    seed: int,
) -> dict[str, tuple[Floats, Floats, Any]]:
    """Return the bounds from draws, some matrices at a time, on several cores where there are."""
    if not statistics:
        return {}
    draws = max(FEWEST_DRAWS, min(resample.LABEL_DRAWS, _CELLS // max(matrices.size, 1)))
    draws = max(200, min(draws, int(2e9 / max(matrices.size, 1))))
    each = max(1, _AT_ONCE // (draws * matrices[0].size))

    def one(start: int) -> dict[str, tuple[Floats, Floats, Any]]:
        part = slice(start, start + each)
        second = None if squares is None else squares[part]
        here = {key: values[part] for key, values in points.items()}
        rng = (seed, start)
        return _drawn_once(statistics, here, matrices[part], second, labels, level, rng, draws)

    starts = range(0, len(matrices), each)
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        found = list(pool.map(one, starts))
    out = {}
    for key in statistics:
        lows, highs, methods = zip(*(f[key] for f in found), strict=True)
        out[key] = np.concatenate(lows), np.concatenate(highs), np.concatenate(methods)
    return out


def _drawn_once(
    statistics: Mapping[str, Statistic],
    points: Mapping[str, Floats],
    matrices: Floats,
    squares: Floats | None,
    labels: Sequence[Label],
    level: float,
    seed: tuple[int, int],
    draws: int,
) -> dict[str, tuple[Floats, Floats, Any]]:
    """Return the bounds of draws of each matrix as it is, else from its posterior."""
    shape, weighted = len(matrices), "" if squares is None else WEIGHTED
    posterior = {k: _empty(s, matrices, labels) for k, s in statistics.items()}
    out: dict[str, tuple[Floats, Floats, Any]] = {}
    for k in statistics:
        low, high = np.full(shape, np.nan), np.full(shape, np.nan)
        out[k] = (low, high, np.full(shape, "", dtype=object))
    wanted = {k: ~posterior[k] for k in statistics}
    for empties in (False, True):
        name = resample.SOME_CELL_EMPTY if empties else resample.NO_CELL_EMPTY
        used = np.flatnonzero(np.any(list(wanted.values()), axis=0))
        if len(used):
            part, rng = matrices[used], np.random.default_rng(seed)
            # Rows of weight 1 are their own squares: then each matrix is drawn with its own rows.
            second = part if squares is None else squares[used]
            at = np.full(len(used), empties)
            blocks = list(resample.matrix_draws(part, 0, draws, rng, at, second))
            # Each cell's draws side by side in memory: what is added up then lies together.
            cells = np.ascontiguousarray(np.moveaxis(np.concatenate(blocks), (2, 3), (0, 1)))
            drawn = np.moveaxis(cells, (0, 1), (2, 3))
            views: dict[Any, Any] = {}
            for k, s in statistics.items():
                here = wanted[k][used]
                if not here.any():
                    continue
                values = _of(s, drawn, labels, views)
                values = values if here.all() else values[:, here]
                low, high = resample.percentile_bounds(values, level)
                method = f"{name}, {draws:,} draws"
                if s.metric.error == "optimistic":
                    low, high = drawn_with_chance(low, high, values, points[k][used][here])
                    method += CHANCE
                lows, highs, methods = out[k]
                lows[used[here]], highs[used[here]] = low, high
                methods[used[here]] = method + weighted
        # Where all draws are the same the posterior is drawn from next.
        wanted = {k: posterior[k] | (out[k][0] == out[k][1]) for k in statistics}
    return out


def _of(
    s: Statistic, drawn: Floats, labels: Sequence[Label], views: dict[Any, Any]
) -> NDArray[Any]:
    """Return a statistic of the matrices, whose views of one class several statistics share."""
    if s.average != "binary":
        return s.of_matrix(drawn, labels)
    key = (s.positive, s.metric.needs)
    if key not in views:
        views[key] = s.view(drawn, labels)
    return s.metric.compute(views[key], **s.params)


def _finished(
    s: Statistic,
    points: Floats,
    lows: Floats,
    highs: Floats,
    methods: NDArray[Any],
    reasons: list[str | None],
    level: float,
) -> Column:
    """Return the column: bounds hold the value, and there are none where they say nothing."""
    least, most = s.metric.range_of(**s.params)
    lows, highs = np.maximum(lows, least), np.minimum(highs, most)
    told: list[str | None] = methods.tolist()
    with np.errstate(invalid="ignore"):
        wide = highs - lows >= _HAIR * np.minimum(np.abs(lows), np.abs(highs))
        good = (lows < highs) & wide & ~np.isnan(points)
        endless = np.isinf(points) & ~(lows < highs)
    for i in np.flatnonzero(~good).tolist():
        if reasons[i] is not None:
            told[i] = None
        elif endless[i]:
            told[i] = "no interval: the value is infinite"
        elif np.isnan(lows[i]) or np.isnan(highs[i]):
            told[i] = f"no interval: {methods[i]}"
        else:
            told[i] = f"no interval: {methods[i]}, every draw gives the same"
    lows = np.where(good, np.minimum(lows, points), np.nan)
    highs = np.where(good, np.maximum(highs, points), np.nan)
    return Column(s, points, lows, highs, told, reasons, level)


ROW_LOSS = {
    "brier": "squared",
    "mean_absolute_error": "absolute",
    "root_mean_squared_error": "root_squared",
    "log_loss": "log",
}
"""Metrics that are means of a loss of each row, which one pass over the scores gives."""


def stackable(s: Statistic) -> bool:
    """Tell whether :func:`stacked_scores` knows a number of the scores of two classes."""
    return s.metric.name in OF_AUC or (s.metric.name in ROW_LOSS and not s.params)


def stacked_scores(
    statistics: Mapping[str, Statistic], judged: Judged, level: float, weighted: bool
) -> dict[str, tuple[Column, NDArray[np.bool_]]]:
    """Return numbers of the scores of many slices with their intervals, and which lack one.

    The ROC area gets DeLong's interval on the logit scale, mean losses that of the jackknife, as
    :class:`tallymark.infer.interval.Intervals` gives them; of more than 400 distinct scores that
    takes them together in groups first, and this does not. Where few rows tell the error, or the
    value is undefined, a tally has to be judged by itself: those are marked.
    """
    out = {}
    for key, s in statistics.items():
        name = s.metric.name
        if name in OF_AUC:
            values, lows, highs, methods = _areas(judged, level, weighted)
            of: Any = OF_AUC[name]
            values, lows, highs = of(values), of(lows), of(highs)
            alone = np.isnan(values)
        else:
            found = judged.losses[ROW_LOSS[name]]
            values = found.value
            extent = s.metric.range_of(**s.params)
            lows, highs = scaled_all(values, found.error, reaches(level, found.freedom), extent)
            told = "jackknife" + STUDENT + (WEIGHTED if weighted else "")
            methods = np.full(len(values), told, dtype=object)
            with np.errstate(invalid="ignore"):
                good = (lows < highs) & (found.freedom >= FEW_FREEDOMS)
            alone = ~good & ~np.isinf(values)
        # What is undefined gets its reason where it is judged by itself.
        column = _finished(s, values, lows, highs, methods, [None] * len(values), level)
        out[key] = column, alone
    return out


def _areas(
    judged: Judged, level: float, weighted: bool
) -> tuple[Floats, Floats, Floats, NDArray[Any]]:
    """Return the ROC areas and the bounds that ``auc_interval`` gives each."""
    area, variance = judged.area, judged.variance
    with np.errstate(all="ignore"):
        m, n = judged.positives.round(), judged.negatives.round()
        if weighted:
            m = judged.positives**2 / judged.positives2
            n = judged.negatives**2 / judged.negatives2
        inside = (area > 0) & (area < 1) & (variance > 0)
        reach = reaches(level, np.maximum(np.minimum(m, n) - 1, 1.0))
        centre = np.log(area / (1 - area))
        half = reach * np.sqrt(variance) / (area * (1 - area))
        lows, highs = 1 / (1 + np.exp(half - centre)), 1 / (1 + np.exp(-half - centre))
    methods = np.full(len(area), "DeLong, logit scale" + STUDENT, dtype=object)
    z = quantile(level)
    for i in np.flatnonzero(~inside & ~np.isnan(area)).tolist():
        lows[i], highs[i] = newcombe(float(area[i]), float(m[i]), float(n[i]), z)
        methods[i] = "Newcombe, score interval"
    return area, lows, highs, methods
