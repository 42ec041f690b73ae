"""Which interval a number gets: one function maps what the number is to the method that fits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.infer import resample
from tallymark.infer.cells import cell_by_cell, of_draws, percentiles, threshold_draws
from tallymark.infer.clustered import Clustered
from tallymark.infer.delong import OF_AUC, auc_interval, hand_till_error
from tallymark.infer.jackknife import (
    CHANCE,
    STUDENT,
    Jackknife,
    drawn_with_chance,
    leave_out,
    scaled,
    with_chance,
)
from tallymark.infer.replicates import Replicates
from tallymark.metric import get
from tallymark.metric.measure import Statistic, Tally, Value
from tallymark.metric.proportion import quantile, wilson, worth
from tallymark.tally.arrays import Floats
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreTally
from tallymark.tally.sums import Sums
from tallymark.tally.threads import side_by_side, threads_for

WEIGHTED = ", weighted rows"
_HAIR = 1e-12
"""Draws that differ by less than this, relatively, differ by rounding alone."""

FEW_FREEDOMS = 5
"""Fewer degrees of freedom than this: single rows decide how far a number is known."""

CONSERVATIVE = ", classes taken as fully correlated (conservative)"


class Bounds(NamedTuple):
    """An interval, how it was made, and why it may be too narrow."""

    low: float
    high: float
    method: str
    caution: str | None = None


class Intervals:
    """Values with intervals of many statistics on one tally, from one set of draws.

    ``tally`` is a LabelTally or a sequence of ScoreTally; ``sums`` the additive losses of the
    same rows where there are more than two classes. ``by_class`` takes the shares of the classes
    as known, not as sampled: only what the classifier does within each class varies. Where rows
    come in clusters, ``clustered`` resamples them and the tally gives the values alone.
    """

    def __init__(
        self,
        tally: LabelTally | Sequence[ScoreTally],
        *,
        level: float = 0.95,
        seed: int = 0,
        sums: Sums | None = None,
        by_class: bool = False,
        clustered: Clustered | None = None,
    ) -> None:
        self.tally = tally
        self.clustered = clustered
        self.by_class = by_class
        self.level = level
        self.seed = seed
        self._given = sums
        self.z = quantile(level)

    @cached_property
    def sums(self) -> Sums | None:
        """The additive losses of the rows; of one column its tally holds them."""
        if self._given is None and not isinstance(self.tally, LabelTally) and len(self.tally) == 1:
            return Sums.of_scores(self.tally)
        return self._given

    def of(self, statistics: Mapping[str, Statistic]) -> dict[str, Value]:
        """Return each statistic's value, interval and method."""
        points = {key: s.point(self._read_by(s)) for key, s in statistics.items()}
        defined = {k: s for k, s in statistics.items() if not points[k].reason}
        if self.clustered is not None:
            found = self.clustered.bounds(defined, points, self.z, self.level)
        elif isinstance(self.tally, LabelTally):
            found = self._of_labels(self.tally, defined)
        else:
            found = self._of_scores(tuple(self.tally), defined, points)
        return {
            key: self._finish(point, statistics[key], found.get(key))
            for key, point in points.items()
        }

    def _read_by(self, s: Statistic) -> Tally:
        return self.sums if s.metric.needs == "rows" and self.sums is not None else self.tally

    def _finish(self, point: Value, statistic: Statistic, bounds: tuple[Any, ...] | None) -> Value:
        if bounds is None:
            return point
        low, high, method, caution = Bounds(*bounds)
        if math.isinf(point.value) and not (low < high):
            return replace(point, method="no interval: the value is infinite")
        least, most = statistic.metric.range_of(**statistic.params)
        low, high = max(low, least), min(high, most)
        if math.isnan(low) or math.isnan(high):
            return replace(point, method=f"no interval: {method}")
        if low == high or high - low < _HAIR * min(abs(low), abs(high)):
            return replace(point, method=f"no interval: {method}, every draw gives the same")
        # A percentile interval of a skewed statistic may miss the number it belongs to.
        low, high = min(low, point.value), max(high, point.value)
        return replace(point, low=low, high=high, level=self.level, method=method, caution=caution)

    # -- labels --------------------------------------------------------------------------------

    def _of_labels(
        self, tally: LabelTally, statistics: Mapping[str, Statistic]
    ) -> dict[str, tuple[float, float, str]]:
        found = {}
        drawn: dict[str, Statistic] = {}
        for key, s in statistics.items():
            if (
                s.metric.proportion is not None
                and s.average in ("overall", "binary")
                and not (self.by_class and s.mixes_classes(tally.labels))
            ):
                found[key] = self._proportion(tally, s)
            else:
                drawn[key] = s
        if drawn and tally.counts.sum() > 0:
            found.update(self._drawn(tally, drawn))
        return found

    def _proportion(self, tally: LabelTally, s: Statistic) -> tuple[float, float, str]:
        assert s.metric.proportion is not None
        part, whole = s.metric.proportion(s.view(tally.counts, tally.labels))
        if tally.sum_squared_weights is None:
            low, high = wilson(part, whole, self.z)
            return float(low), float(high), "Wilson"
        n = worth(
            part, whole, *s.metric.proportion(s.view(tally.sum_squared_weights, tally.labels))
        )
        lows, highs = wilson(part / whole * n, n, self.z)
        return float(lows), float(highs), "Wilson" + self._suffix(tally.sum_squared_weights)

    def _drawn(
        self, tally: LabelTally, statistics: Mapping[str, Statistic]
    ) -> dict[str, tuple[float, float, str]]:
        n = resample.effective_rows(tally.counts, tally.sum_squared_weights, tally.rows)
        draws = max(200, min(resample.LABEL_DRAWS, int(2e8 / max(tally.counts.size, 1))))
        suffix = self._suffix(tally.sum_squared_weights)
        # An empty cell of the 2x2 matrix at hand cannot be drawn: take those from the posterior.
        empty = {k for k, s in statistics.items() if s.has_empty_cell(tally)}
        out = self._bounds(
            tally, {k: s for k, s in statistics.items() if k not in empty}, n, draws, False, suffix
        )
        flat = {k: statistics[k] for k, (low, high, _) in out.items() if low == high}
        flat.update({k: statistics[k] for k in empty})
        out.update(self._bounds(tally, flat, n, draws, True, suffix))
        return out

    def _bounds(
        self,
        tally: LabelTally,
        statistics: Mapping[str, Statistic],
        n: float,
        draws: int,
        posterior: bool,
        suffix: str,
    ) -> dict[str, tuple[float, float, str]]:
        if not statistics:
            return {}
        rng = np.random.default_rng(self.seed)
        if self.by_class:
            rows = resample.label_rows(tally)
            blocks = resample.stratified_matrices(tally.counts, rows, draws, rng, posterior)
            name = resample.CLASS_POSTERIOR if posterior else resample.CLASS_BY_CLASS
        else:
            blocks = resample.matrix_draws(
                tally.counts, n, draws, rng, np.array(posterior), tally.sum_squared_weights
            )
            name = resample.SOME_CELL_EMPTY if posterior else resample.NO_CELL_EMPTY
        whole = not (self.by_class or posterior or len(tally.labels) < 2)
        whole = whole and tally.sum_squared_weights is None and tally.counts.sum() == n
        drawn, start = np.empty((len(statistics), draws)), 0
        for block in map(cell_by_cell, blocks):
            seen: dict[Any, Any] = {}
            for values, s in zip(drawn, statistics.values(), strict=True):
                values[start : start + len(block)] = of_draws(s, block, tally.labels, whole, seen)
            start += len(block)
        out = {}
        bounds = zip(*percentiles(drawn, self.level), strict=True)
        for (key, s), values, (low, high) in zip(statistics.items(), drawn, bounds, strict=True):
            method = f"{name}, {draws:,} draws"
            if s.metric.error == "optimistic":
                point = s.of_matrix(tally.counts, tally.labels)
                low, high = drawn_with_chance(low, high, values, point)
                method += CHANCE
            out[key] = (float(low), float(high), method + suffix)
        return out

    # -- scores --------------------------------------------------------------------------------

    def _of_scores(
        self,
        tallies: tuple[ScoreTally, ...],
        statistics: Mapping[str, Statistic],
        points: Mapping[str, Value],
    ) -> dict[str, tuple[Any, ...]]:
        found: dict[str, tuple[Any, ...]] = {}
        rest: dict[str, Statistic] = {}
        suffix = self._suffix(tallies[0].sum_squared_weights)
        for key, s in statistics.items():
            if s.metric.name in OF_AUC and len(tallies) == 1:
                low, high, method, caution = self._area
                of = OF_AUC[s.metric.name]
                found[key] = (of(low), of(high), method, caution)
            elif s.metric.needs == "rows":
                found[key] = self._of_rows(s, points[key].value)
            elif s.metric.name == "hand_till_auc" and len(tallies) > 1:
                error = hand_till_error(tallies)
                method = "DeLong's standard errors of the pairs" + CONSERVATIVE
                value = points[key].value
                found[key] = (value - self.z * error, value + self.z * error, method)
            elif s.metric.name == "provost_domingos_auc":
                rest[key] = Statistic(get("roc_auc"), "weighted")
            elif s.metric.needs == "probabilities" and len(tallies) > 1:
                bounds = self._of_sums(s, points[key].value)
                apart = (math.nan, math.nan, "the columns of a row are tallied apart")
                found[key] = bounds or apart
            else:
                rest[key] = s
        if len(tallies) == 1:
            resampled = Replicates(tallies[0], self.seed, self.by_class)
            threads = resampled.ready(list(rest.values()))

            def judge(i: int) -> None:
                key, s = todo[i]
                judged[key] = self._of_ranking(s, points[key].value, resampled, suffix)

            todo, judged = list(rest.items()), dict[str, Bounds]()
            side_by_side(judge, len(todo), threads)
            return found | judged
        columns = [Replicates(t, self.seed, self.by_class) for t in tallies]
        for key, s in rest.items():
            if s.average not in ("macro", "weighted"):
                why = "a ranking of all classes together repeats every row"
                found[key] = (math.nan, math.nan, why)
                continue
            support = np.array([float(t.score_counts.positives) for t in tallies])
            weights = np.ones_like(support) if s.average == "macro" else support
            errors = [c.error(s) for c in columns]
            error = float((weights * errors).sum() / weights.sum())
            low, high = scaled(points[key].value, error, self.z, self._extent(s))
            found[key] = (low, high, _ERRORS[s.metric.error] + CONSERVATIVE + suffix)
        return found

    def _of_ranking(self, s: Statistic, value: float, resampled: Replicates, suffix: str) -> Bounds:
        """Return the interval of a number of one class's scores, by how chance moves it."""
        if math.isinf(value):
            return Bounds(value, value, "")
        if s.metric.error != "quantile":
            left = leave_out(s, resampled.tally, self.by_class)
            reach = left.reach(self.level)
            low, high = scaled(value, left.error, reach, self._extent(s))
            if low < high:
                method = "jackknife" + STUDENT
                if s.metric.error != "smooth":
                    half = reach * left.error
                    low, high = with_chance((low, high), value, resampled.bias(s, left), half)
                    method += CHANCE
                if s.metric.error == "null_at_zero" and resampled.is_calibrated(
                    s, value, self.level
                ):
                    low = self._extent(s)[0]
                caution = _caution(left)
                if caution:  # what few rows do not show, the posterior does not take for impossible
                    drawn = resample.percentile_bounds(resampled.posterior(s, value), self.level)
                    if np.isfinite(drawn).all():
                        low, high = min(low, float(drawn[0])), max(high, float(drawn[1]))
                        method += " and Dirichlet posterior"
                return Bounds(low, high, method + suffix, caution)
        values = resampled.posterior(s, value)
        lows, highs = resample.percentile_bounds(values, self.level)
        method = resample.CLASS_SCORES if self.by_class else resample.SOME_SCORES
        return Bounds(float(lows), float(highs), f"{method}, {len(values):,} draws{suffix}")

    def _extent(self, s: Statistic) -> tuple[float, float]:
        return s.metric.range_of(**s.params)

    @cached_property
    def _area(self) -> Bounds:
        """The bounds of the area under the one ROC curve, which several metrics share."""
        assert not isinstance(self.tally, LabelTally)
        return Bounds(*auc_interval(self.tally[0], self.level))

    def _suffix(self, squares: NDArray[Any] | None) -> str:
        return "" if squares is None or self.by_class else WEIGHTED

    @property
    def _of_each(self) -> str:
        return " of each class" if self.by_class else ""

    def _of_rows(self, s: Statistic, value: float) -> tuple[float, float, str]:
        """Return the normal interval of a mean over rows; its metric is linear in the means."""
        assert self.sums is not None
        params = {**s.metric.params, **s.params}
        # What is added whatever the rows are, as by the top k of k classes, does not vary.
        errors = self.sums.errors(by_class=self.by_class)
        fixed = float(s.metric.function(errors.scaled(0.0), **params))
        error = float(s.metric.function(errors, **params)) - fixed
        method = "normal, mean over rows" + self._of_each
        return value - self.z * error, value + self.z * error, method

    def _of_sums(self, s: Statistic, value: float) -> tuple[float, float, str] | None:
        """Return the normal interval of a mean of row losses, or of the root of one."""
        if self.sums is None or s.metric.name not in self.sums.names or s.params:
            return None
        mean, error = self.sums.mean(s.metric.name, by_class=self.by_class)
        method = "normal, mean of row losses" + self._of_each
        if s.metric.name == "root_mean_squared_error":
            low, high = max(mean - self.z * error, 0.0), mean + self.z * error
            return math.sqrt(low), math.sqrt(high), method
        return value - self.z * error, value + self.z * error, method


_ERRORS: Mapping[str, str] = {
    "smooth": "jackknife errors",
    "optimistic": "jackknife errors",
    "null_at_zero": "jackknife errors",
    "quantile": f"bootstrap standard errors, {resample.ERROR_DRAWS:,} draws",
}


def _caution(left: Jackknife) -> str | None:
    return "few rows carry most of what moves it" if left.freedom < FEW_FREEDOMS else None


def interval(
    statistic: Statistic,
    tally: LabelTally | Sequence[ScoreTally],
    *,
    level: float = 0.95,
    seed: int = 0,
) -> Value:
    """Return one statistic's value with its interval and the method's name."""
    return Intervals(tally, level=level, seed=seed).of({"": statistic})[""]


def sweep_bounds(
    statistics: Mapping[str, Statistic],
    matrices: NDArray[Any],
    labels: Sequence[Any],
    n: float,
    *,
    level: float = 0.95,
    seed: int = 0,
    draws: int = 400,
    rows: Floats | None = None,
    squares: NDArray[Any] | None = None,
) -> dict[str, tuple[NDArray[Any], NDArray[Any]]]:
    """Return bounds of binary statistics at many thresholds, ``matrices[S, 2, 2]`` of n rows.

    With ``rows`` of each true class the classes' shares in the matrices are known, not sampled:
    draws are made within each class, and a rate of one class rests on its own rows. ``squares``
    are the sums of squared weights in the cells, where rows have weights.
    """
    z = quantile(level)
    out = {}
    drawn = {}
    support = matrices.sum(-1, keepdims=True)
    as_rows = matrices
    if rows is not None:
        as_rows = matrices / np.where(support > 0, support, 1.0) * rows[:, None]
    for key, s in statistics.items():
        mixed = rows is not None and s.metric.proportion and s.mixes_classes(labels)
        if s.metric.proportion is not None and not mixed:
            part, whole = s.metric.proportion(s.view(as_rows, labels))
            if squares is not None:
                part, whole = s.metric.proportion(s.view(matrices, labels))
                rows_of = worth(part, whole, *s.metric.proportion(s.view(squares, labels)))
                with np.errstate(invalid="ignore"):
                    part, whole = part / whole * rows_of, rows_of
            out[key] = wilson(part, whole, z)
        else:
            drawn[key] = s
    empty = (matrices == 0).any((-2, -1))
    rng = np.random.default_rng(seed)
    given = threshold_draws(matrices, n, draws, rng, empty, squares, rows)
    seen: dict[Any, Any] = {}
    whole = squares is None and rows is None and bool((matrices.sum((-2, -1)) == n).all())
    keys = list(drawn)

    def bound(i: int) -> None:
        s = drawn[keys[i]]
        values = of_draws(s, given, labels, whole, seen)
        if whole and empty.any():  # shares of rows are no whole rows
            values[empty] = s.of_matrix(given[empty], labels)
        low, high = percentiles(values, level)
        point = s.of_matrix(matrices, labels)
        out[keys[i]] = np.fmin(low, point), np.fmax(high, point)

    side_by_side(bound, len(keys), threads_for(draws * matrices.size))
    return out
