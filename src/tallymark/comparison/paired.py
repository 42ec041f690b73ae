"""Differences between models on the same rows: every metric, from counts of the rows in common."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.comparison.significance import Evidence, mcnemar, permutation
from tallymark.errors import InputError
from tallymark.intake import Intake, Model
from tallymark.judge import resample
from tallymark.judge.delong import OF_AUC, auc_covariance
from tallymark.judge.resampled import Resampled
from tallymark.metric import Metric
from tallymark.metric.measure import Statistic, Value, json_number
from tallymark.metric.proportion import quantile, wilson
from tallymark.tally.arrays import Floats
from tallymark.tally.joint import Joint, places
from tallymark.tally.scores import Ranking
from tallymark.tally.sums import Sums, clustered_errors, row_sums

DRAWS = 2000
RANK_GROUPS = 40
_HAIR = 1e-12


@dataclass(frozen=True, slots=True)
class Difference:
    """A metric of one model less that of another, with its interval.

    ``value`` is ``first_value - second_value``, NaN if and only if ``reason`` says why; ``low``
    and ``high`` are NaN, and ``method`` says so, where there is no interval. ``p_value`` is that of
    ``test``, NaN where there is none.
    """

    metric: str
    first_value: float
    second_value: float
    low: float = math.nan
    high: float = math.nan
    level: float | None = None
    method: str | None = None
    p_value: float = math.nan
    test: str | None = None
    reason: str | None = None

    @property
    def value(self) -> float:
        """The first model's number less the second's."""
        with np.errstate(invalid="ignore"):
            return float(np.subtract(self.first_value, self.second_value))

    @property
    def error(self) -> float:
        """The standard error that the interval stands for, NaN without one."""
        if self.level is None or math.isnan(self.low):
            return math.nan
        return (self.high - self.low) / (2 * quantile(self.level))

    def __str__(self) -> str:
        if self.reason:
            return f"undefined: {self.reason}"
        if math.isnan(self.low):
            return f"{self.value:+.4f}"
        return f"{self.value:+.4f} [{self.low:+.4f}, {self.high:+.4f}]"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "metric": self.metric,
            "first_value": json_number(self.first_value),
            "second_value": json_number(self.second_value),
            "value": json_number(self.value),
            "low": json_number(self.low),
            "high": json_number(self.high),
            "level": self.level,
            "method": self.method,
            "p_value": json_number(self.p_value),
            "test": self.test,
            "reason": self.reason,
        }


class Paired:
    """Several models on the same rows, resampled together.

    ``values`` are the models' own numbers; ``by_class`` takes the shares of the classes as known.
    A difference is judged by the method that fits what it is a difference of:

    - AUC (and Gini): DeLong's covariance of the two;
    - a proportion of rows of given true classes (accuracy, sensitivity, specificity): Newcombe's
      square-and-add of Wilson's intervals with the correlation of the two, and McNemar's test;
    - a mean of what is added up row by row (the spherical score, top-k accuracy; of more than two
      classes log loss, Brier and the like): the normal interval of the rows' differences;
    - anything else: the percentile interval of resamples in which both models have the same rows;
    - where all resamples give the same, or none can be made, square-and-add of both intervals, as
      if independent.

    With weights, clusters, or ``by_class`` all but the AUC is resampled: of clusters, whole ones,
    and the AUC's covariance is then Obuchowski's.
    """

    def __init__(
        self,
        counted: Intake,
        values: Mapping[str, Mapping[str, Value]],
        *,
        level: float = 0.95,
        seed: int = 0,
        by_class: bool = False,
        draws: int = DRAWS,
    ) -> None:
        self.counted = counted
        self.values = values
        self.level = level
        self.seed = seed
        self.by_class = by_class
        self.draws = draws
        self.z = quantile(level)
        self._drawn: dict[tuple[str, str], tuple[NDArray[Any], float] | None] = {}
        self._errors: dict[tuple[str, str | None], Sums] = {}
        self._agreed: dict[tuple[str, str], NDArray[np.float64]] = {}

    @cached_property
    def joint(self) -> Joint:
        """The rows of all models, or a refusal that says why there are none."""
        if len(self.counted.models) < 2:
            raise InputError(
                f"there is one model, {self.counted.models[0].name!r}; comparing needs two or more "
                "on the same rows, such as y_score={'a': ..., 'b': ...}"
            )
        if self.counted.joint is None:
            raise InputError(
                f"the rows of {self.counted.source} were not kept side by side, which comparing "
                "models needs; compare fewer rows or models"
            )
        return self.counted.joint

    @cached_property
    def thresholds(self) -> list[float | None]:
        """Each model's threshold, None where decisions were given."""
        return [m.threshold for m in self.counted.models]

    @cached_property
    def simple(self) -> bool:
        """Whether every row counts once and alone."""
        whole = self.joint.weights is None and self.joint.clusters is None
        return whole and not self.by_class

    @property
    def clustered(self) -> bool:
        """Whether rows come in groups that belong together."""
        return self.joint.clusters is not None

    @property
    def _units(self) -> str:
        return "clusters" if self.clustered else "rows"

    def model(self, name: str) -> Model:
        """Return one model's tallies."""
        return self.counted.models[self.joint.names.index(name)]

    def difference(self, first: str, second: str, metric: Metric) -> Difference:
        """Return one metric of the first model less that of the second."""
        a, b = (self.values[name].get(metric.name) for name in (first, second))
        if (told := without_interval(metric.name, (first, second), a, b)) is not None:
            return told
        assert a is not None
        assert b is not None
        return bounded(metric, a, b, self.level, *self._bounds(first, second, metric, a, b))

    def _bounds(self, first: str, second: str, metric: Metric, a: Value, b: Value) -> Bounds:
        if metric.name in OF_AUC and self.counted.positive is not None:
            found = self._delong(first, second, metric.name)
            if found is not None:
                return found
        found = self._of_rows(first, second, metric, a, b)
        if found is not None:
            return found
        part = self._right_of(metric) if self.simple else None
        if part is not None:
            return self._newcombe(first, second, *part)
        drawn = [self._replicates(name, metric) for name in (first, second)]
        if drawn[0] is None or drawn[1] is None:
            return square_and_add(a, b)
        with np.errstate(invalid="ignore"):
            gaps = drawn[0][0] - drawn[1][0]
            shift = (a.value - b.value) - (drawn[0][1] - drawn[1][1])
        lows, highs = resample.percentile_bounds(gaps, self.level)
        low, high = float(lows) + shift, float(highs) + shift
        name = f"bootstrap of the {self._units} in common, {self.draws:,} draws"
        if math.isnan(low) or math.isinf(low) or math.isinf(high):
            why = f"no interval: {name}, most of them undefined or infinite"
            return math.nan, math.nan, why, math.nan, None
        if high - low <= _HAIR * max(abs(low), abs(high), 1e-300):
            return square_and_add(a, b)
        return low, high, name, p_of(gaps + shift), "bootstrap"

    # -- one method each -----------------------------------------------------------------------

    @cached_property
    def _aucs(self) -> tuple[dict[str, int], Floats, Floats]:
        """The places, AUCs and their covariance of the models with scores."""
        scored = [m for m in self.counted.models if len(m.scores) == 1]
        names = [m.name for m in scored]
        sides = tuple(self.joint.side(n) for n in names)
        joint = replace(self.joint, sides=sides)
        aucs, covariance = auc_covariance(joint, [m.scores[0] for m in scored])
        return {n: i for i, n in enumerate(names)}, aucs, covariance

    def _delong(self, first: str, second: str, metric: str) -> Bounds | None:
        at, aucs, covariance = self._aucs
        i, j = at[first], at[second]
        variance = float(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j])
        scale = OF_AUC[metric](1.0) - OF_AUC[metric](0.0)
        if not variance > _HAIR * float(covariance[i, i] + covariance[j, j]):
            return None
        gap, error = float(aucs[i] - aucs[j]) * scale, math.sqrt(variance) * scale
        p = math.erfc(abs(gap / error) / math.sqrt(2))
        name = "Obuchowski, clusters, paired" if self.clustered else "DeLong, paired"
        return gap - self.z * error, gap + self.z * error, name, p, name

    def auc_test(self) -> Evidence:
        """Test whether all AUCs are equal: DeLong's chi-square of the contrasts."""
        _, aucs, covariance = self._aucs
        contrast = np.diff(np.eye(len(aucs)), axis=0)
        spread = contrast @ covariance @ contrast.T
        gap = contrast @ aucs
        name, source = "DeLong's test of all AUCs", "delong1988"
        if self.clustered:
            name, source = "Obuchowski's test of all AUCs, clusters", "obuchowski1997"
        if np.isnan(spread).any():
            why = f"a class has less than two {self._units}"
            return Evidence(name, math.nan, reason=why, source=source)
        sizes, axes = np.linalg.eigh(spread)
        free = sizes > 1e-9 * max(float(sizes[-1]), 1e-300)
        if not free.any() or sizes[-1] <= 0:
            why = "the scores order the rows alike"
            return Evidence(name, math.nan, reason=why, source=source)
        statistic = float(((axes.T @ gap)[free] ** 2 / sizes[free]).sum())
        from scipy.special import chdtrc

        degrees = int(free.sum())
        p = float(chdtrc(degrees, statistic))
        return Evidence(name, p, statistic, degrees, source=source)

    def _right_of(self, metric: Metric) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
        """Return which rows [true] a proportion is of, and which cells [true, called] it counts.

        None for what is no proportion of rows of given true classes.
        """
        labels = self.joint.labels
        if metric.proportion is None:
            return None
        s = Statistic.of(metric, labels, self.counted.positive)
        if s.average not in ("overall", "binary"):
            return None
        k = len(labels)
        units = np.eye(k * k).reshape(k * k, k, k)
        part, whole = metric.proportion(s.view(units, labels))
        part, whole = (np.asarray(v).reshape(k, k) for v in (part, whole))
        if not (whole == whole[:, :1]).all() or not np.isin(part, (0, 1)).all():
            return None
        if not np.isin(whole, (0, 1)).all():
            return None
        return whole[:, 0].astype(bool), part.astype(bool)

    def agreement(self, first: str, second: str) -> NDArray[np.float64]:
        """Return how many rows of each class the two call what: [true, by first, by second]."""
        if (first, second) not in self._agreed:
            cuts = (self.model(first).threshold, self.model(second).threshold)
            self._agreed[first, second] = self.joint.agreement(first, second, cuts)
        return self._agreed[first, second]

    def discordant(
        self, first: str, second: str, rows: NDArray[np.bool_], hits: NDArray[np.bool_]
    ) -> tuple[float, float, float, float]:
        """Return the rows that both, only the first, only the second and neither hit."""
        cells = self.agreement(first, second)[rows]
        of_a, of_b = hits[rows][:, :, None], hits[rows][:, None, :]
        cases = (of_a & of_b, of_a & ~of_b, ~of_a & of_b, ~of_a & ~of_b)
        both, one, other, none = (float((cells * c).sum()) for c in cases)
        return both, one, other, none

    def _newcombe(
        self, first: str, second: str, rows: NDArray[np.bool_], hits: NDArray[np.bool_]
    ) -> tuple[float, float, str, float, str]:
        four = self.discordant(first, second, rows, hits)
        low, high = newcombe_paired(*four, self.z)
        test = mcnemar(four[1], four[2])
        return low, high, "Newcombe, paired", test.p_value, test.name

    # -- means over rows -----------------------------------------------------------------------

    def _of_rows(
        self, first: str, second: str, metric: Metric, a: Value, b: Value
    ) -> Bounds | None:
        """Return the normal interval of a difference of means over rows, exact from the rows.

        None for what is no such mean, or where all rows differ alike.
        """
        several = len(self.model(first).scores) > 1 and metric.needs == "probabilities"
        if metric.needs != "rows" and not several:
            return None
        errors = self._row_errors(first, second)
        if metric.needs == "rows":
            # What is added whatever the rows are, as by the top k of k classes, does not vary.
            fixed = metric.function(errors.scaled(0.0), **metric.params)
            error = abs(float(metric.function(errors, **metric.params)) - float(fixed))
        elif metric.name not in errors.names:
            return None
        elif metric.name == "root_mean_squared_error":
            error = self._of_roots(first, second, a.value, b.value)
        else:
            error = errors.average(metric.name)
        if not error > 0:
            return None
        gap = a.value - b.value
        of = ", of clusters" if self.clustered else " of each class" if self.by_class else ""
        name = f"normal, paired row losses{of}"
        p = math.erfc(abs(gap / error) / math.sqrt(2))
        return gap - self.z * error, gap + self.z * error, name, p, name

    def _of_roots(self, first: str, second: str, a: float, b: float) -> float:
        """Return the error of a difference of roots of mean squares, by the delta method."""
        if not (a > 0 and b > 0):
            return math.nan
        name = "root_mean_squared_error"
        one, other, apart = (
            self._row_errors(*names).average(name) ** 2
            for names in ((first, None), (second, None), (first, second))
        )
        shared = (one + other - apart) / 2
        along, across = 1 / (2 * a), 1 / (2 * b)
        return math.sqrt(max(along**2 * one + across**2 * other - 2 * along * across * shared, 0.0))

    def _row_errors(self, first: str, second: str | None) -> Sums:
        """Return the standard errors of a model's mean losses, or of those of a difference."""
        if (first, second) in self._errors:
            return self._errors[first, second]
        j = self.joint
        scores, less = (None if n is None else self._scores(n) for n in (first, second))
        assert scores is not None
        codes, support = j.true, self.model(first).labels.reorder(j.labels).counts.sum(1)
        if scores.ndim == 1:
            assert j.positive_code is not None
            codes = (codes == j.positive_code).astype(np.int8)
            support = support[[1 - j.positive_code, j.positive_code]]
        if j.clusters is not None:
            shares = support / support.sum() if self.by_class else None
            found = clustered_errors(
                codes, scores, j.clusters, weights=j.weights, shares=shares, less=less
            )
        else:
            sums = row_sums(codes, scores, less, j.weights)
            if self.by_class:
                there = np.where(sums.weights > 0, sums.weights, 1.0)
                sums = sums.weighed(support / there)
            found = sums.errors(by_class=self.by_class)
        self._errors[first, second] = found
        return found

    def _scores(self, name: str) -> Floats:
        columns = self.joint.side(name).scores
        return columns[0] if len(columns) == 1 else np.stack(columns, 1)

    # -- resampling ----------------------------------------------------------------------------

    @cached_property
    def _resampled(self) -> Resampled:
        return Resampled(
            self.joint,
            self.counted.models,
            draws=self.draws,
            seed=self.seed,
            by_class=self.by_class,
        )

    def drawn_rankings(self, first: str, second: str, draws: int) -> list[Ranking]:
        """Return the rankings of two models over the same draws, of two classes."""
        found = []
        for name in (first, second):
            drawn, _ = self._resampled.rankings(self.joint.names.index(name))
            r = drawn[0]
            found.append(Ranking(r.scores, r.pos[:draws], r.neg[:draws]))
        return found

    def _replicates(self, name: str, metric: Metric) -> tuple[NDArray[Any], float] | None:
        """Return a metric's values over the draws, and on the counts that they are drawn from."""
        key = (name, metric.name)
        if key not in self._drawn:
            s = Statistic.of(metric, self.joint.labels, self.counted.positive)
            self._drawn[key] = self._resampled.values(self.joint.names.index(name), s)
        return self._drawn[key]

    # -- exchanging ----------------------------------------------------------------------------

    def permutation(self, first: str, second: str, metric: Metric, draws: int) -> Evidence:
        """Test a difference by exchanging, row by row, what two models said.

        Decisions are exchanged as they are; of scores their midranks, in 40 groups, for metrics of
        the ranking alone.
        """
        labels, positive = self.joint.labels, self.counted.positive
        s = Statistic.of(metric, labels, positive)
        reason = None
        if not self.simple:
            reason = "rows have weights, clusters or another class balance"
        elif metric.needs not in ("counts", "matrix", "ranking") or (
            metric.needs == "ranking" and positive is None
        ):
            reason = f"{metric.name} is no number of decisions or of one ranking"
        if reason:
            return Evidence("permutation", math.nan, reason=reason, source="good2005")
        if metric.needs != "ranking":

            def of_decisions(a: Any, b: Any) -> Any:
                return s.of_matrix(a, labels) - s.of_matrix(b, labels)

            cells = self.agreement(first, second)
            return permutation(cells, of_decisions, draws=draws, seed=self.seed)
        cells = self._rank_cells(first, second)
        code = self.joint.positive_code
        assert code is not None
        scale = np.arange(cells.shape[1], dtype=np.float64)

        def of_ranks(a: Any, b: Any) -> Any:
            return s.of_rankings([Ranking(scale, a[:, code], a[:, 1 - code])]) - s.of_rankings(
                [Ranking(scale, b[:, code], b[:, 1 - code])]
            )

        return permutation(cells, of_ranks, draws=draws, seed=self.seed)

    def _rank_cells(self, first: str, second: str) -> NDArray[np.float64]:
        """Return rows by class and by the groups of their midranks in both models."""
        found = []
        for name in (first, second):
            tally = self.model(name).scores[0]
            rows = tally.counts.sum(1)
            middle = np.cumsum(rows)
            total = middle[-1]
            rows /= 2
            middle -= rows
            middle /= total
            middle *= RANK_GROUPS
            group = np.minimum(middle, RANK_GROUPS - 1, out=rows).astype(np.uint8)
            lows = np.append(True, group[1:] != group[:-1])
            at = places(self.joint.side(name).scores[0], tally.scores[lows])
            found.append(group[lows][at])
        g = RANK_GROUPS
        return self.joint.cells((len(self.joint.labels), g, g), self.joint.true, *found)


Bounds = tuple[float, float, str, float, str | None]
"""Low, high, the method's name, the p-value and its test's name."""


def without_interval(
    metric: str, names: tuple[str, str], a: Value | None, b: Value | None
) -> Difference | None:
    """Return the difference of two values of which one is missing, undefined or infinite."""
    if a is None or b is None:
        lacking = names[0] if a is None else names[1]
        nan = math.nan
        return Difference(metric, nan, nan, reason=f"{lacking} does not have it")
    if a.reason or b.reason:
        name, why = (names[0], a.reason) if a.reason else (names[1], b.reason)
        return Difference(metric, a.value, b.value, reason=f"{name}: {why}")
    if math.isinf(a.value) or math.isinf(b.value):
        if a.value == b.value:
            return Difference(metric, a.value, b.value, reason="both are infinite")
        method = "no interval: one of the two is infinite"
        return Difference(metric, a.value, b.value, method=method)
    return None


def bounded(
    metric: Metric, a: Value, b: Value, level: float, low: float, high: float, method: str,
    p: float, test: str | None,
) -> Difference:  # fmt: skip
    """Return a difference with its bounds, which hold it and are no further than it can be."""
    d = Difference(metric.name, a.value, b.value, p_value=p, test=test, method=method)
    if math.isnan(low) or math.isnan(high):
        return d
    least, most = metric.range
    width = most - least
    low, high = max(low, -width), min(high, width)
    low, high = min(low, d.value), max(high, d.value)
    return replace(d, low=low, high=high, level=level)


def p_of(gaps: NDArray[Any]) -> float:
    """Return the two-sided p-value of which the percentile interval is the inversion."""
    there = gaps[~np.isnan(gaps)]
    beyond = min(int((there <= 0).sum()), int((there >= 0).sum()))
    return min(1.0, 2 * (1 + beyond) / (1 + len(there)))


def square_and_add(a: Value, b: Value) -> Bounds:
    """Return the interval of a - b from those of both, taken as independent, and its p-value.

    The distances of the bounds from the values are added as squares (Newcombe 1998, Zou and Donner
    2008). Of two numbers that rise and fall together it is too wide, never too narrow. The p-value
    agrees with it: the distance to the bound on the side of 0 stands for that many errors.
    """
    if math.isnan(a.low) or math.isnan(b.low):
        without = a if math.isnan(a.low) else b
        why = (without.method or "every draw gives the same").removeprefix("no interval: ")
        return math.nan, math.nan, f"no interval: {why}", math.nan, None
    if any(map(math.isinf, (a.low, a.high, b.low, b.high))):
        why = "no interval: that of one of the two has no end"
        return math.nan, math.nan, why, math.nan, None
    gap = a.value - b.value
    low = gap - math.hypot(a.value - a.low, b.high - b.value)
    high = gap + math.hypot(a.high - a.value, b.value - b.low)
    name = "square-and-add of both intervals"
    toward = abs(gap - (low if gap > 0 else high))
    if not toward > 0:  # both at an end of their own intervals, beyond which nothing is told
        return low, high, f"{name}, as if independent", math.nan, None
    assert a.level is not None
    p = math.erfc(quantile(a.level) * abs(gap) / toward / math.sqrt(2))
    if any("draws" in (v.method or "") for v in (a, b)):
        p = max(p, 2 / (1 + DRAWS))  # draws tell nothing of rarer things
    return low, high, f"{name}, as if independent", p, name


def newcombe_paired(
    both: float, one: float, other: float, none: float, z: float
) -> tuple[float, float]:
    """Return the interval of the difference of two proportions of the same rows.

    Newcombe's (1998) method 10: Wilson's intervals of both, their distances added as squares less
    twice the product times the correlation φ, which is taken nearer to 0 by half a row.

    Parameters
    ----------
    both, one, other, none : int
        Rows that both hit, only the first, only the second, and neither.
    z : float
        The normal quantile of the level.

    Examples
    --------
    >>> low, high = newcombe_paired(36, 12, 2, 0, 1.959964)
    >>> round(low, 4), round(high, 4)
    (0.0569, 0.3404)

    """
    n = both + one + other + none
    if not n:
        return math.nan, math.nan
    p, q = (both + one) / n, (both + other) / n
    (l1, u1), (l2, u2) = (
        tuple(float(v) for v in wilson(hit, n, z)) for hit in (both + one, both + other)
    )
    product = (both + one) * (other + none) * (both + other) * (one + none)
    phi = 0.0
    if product:
        top = both * none - one * other
        if top > 0:
            top = max(top - n / 2, 0.0)
        phi = top / math.sqrt(product)

    def along(x: float, y: float) -> float:
        return math.sqrt(max(x * x - 2 * phi * x * y + y * y, 0.0))

    gap = (one - other) / n
    return gap - along(p - l1, u2 - q), gap + along(q - l2, u1 - p)
