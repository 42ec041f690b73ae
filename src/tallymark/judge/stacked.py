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

from tallymark.judge import resample
from tallymark.judge.interval import WEIGHTED
from tallymark.judge.jackknife import CHANCE, drawn_with_chance
from tallymark.metric.measure import Statistic, Value
from tallymark.metric.proportion import quantile, wilson, worth
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.labels import LabelTally

FEWEST_DRAWS = 400
"""So many at least of each of very many matrices, as of the thresholds of a slider."""

_CELLS = 20_000_000
_AT_ONCE = 1 << 18
"""Cells drawn at a time: more do not stay in a core's own memory."""

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

    A proportion gets Wilson's interval; anything else the percentile interval of multinomial
    draws, or of draws from the posterior of the cells where one of four is empty or all draws are
    the same: what :class:`tallymark.judge.interval.Intervals` does with one matrix, with fewer
    draws (at least 400) of very many.

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
    out |= _drawn(drawn, points, matrices, squares, labels, level, seed)
    columns = {}
    for key, s in statistics.items():
        reasons = _reasons(s, points[key], matrices, labels)
        columns[key] = _finished(s, points[key], *out[key], reasons, level)
    return columns


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
                told[at] += f"; {words}" if told[at] else words
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
                if s.metric.sampling == "inflated":
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
