"""The difference of one number of two models: its interval, its p-value, and who chooses them.

The two are judged on the same rows (:class:`tallymark.infer.paired.Paired`) or on different ones
(:class:`Independent`). :meth:`Design.difference` is the one place that chooses a method.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.data import Model
from tallymark.display import Display
from tallymark.infer.delong import auc_covariance, auc_variance, newcombe
from tallymark.infer.intervals import Inference
from tallymark.infer.jackknife import critical_value, scaled
from tallymark.infer.sampler import percentile_bounds
from tallymark.infer.significance import two_proportions
from tallymark.metric import Metric
from tallymark.metric.measure import Statistic, Value, fields_of, json_number
from tallymark.metric.proportion import quantile, wilson, worth
from tallymark.tally.arrays import Floats, Label

DRAWS = 2000
SQUARE_AND_ADD = "square-and-add of both intervals"
_HAIR = 1e-12


@dataclass(frozen=True, slots=True, repr=False)
class Difference(Display):
    """A metric of one model less that of another, with its interval.

    ``value`` is ``first_value - second_value``, NaN if and only if ``reason`` says why; ``low``
    and ``high`` are NaN, and ``method`` says so, where there is no interval. ``p_value`` is that of
    ``test``, NaN where there is none. ``warning`` says why the interval may be too narrow.
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
    warning: str | None = None

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

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {**fields_of(self), "value": json_number(self.value)}


class Bounds(NamedTuple):
    """The interval of a difference and the test beside it; NaN where there is none."""

    low: float
    high: float
    method: str
    p_value: float = math.nan
    test: str | None = None


def no_bounds(why: str) -> Bounds:
    """Return no interval, and why."""
    return Bounds(math.nan, math.nan, f"no interval: {why}")


@dataclass(frozen=True)
class Contrast:
    """Two models' values of one statistic, whose difference is wanted."""

    first: str
    second: str
    statistic: Statistic
    a: Value
    b: Value

    @property
    def metric(self) -> Metric:
        """The statistic's metric."""
        return self.statistic.metric

    @property
    def gap(self) -> float:
        """The first value less the second."""
        return self.a.value - self.b.value

    @property
    def arms(self) -> list[tuple[float, float]]:
        """How far each value lies above its lower bound and below its upper one."""
        return [(v.value - v.low, v.high - v.value) for v in (self.a, self.b)]


class Design:
    """Which rows two models were judged on, and so how the errors of their numbers go together."""

    def __init__(
        self,
        values: Mapping[str, Mapping[str, Value]],
        labels: Sequence[Label],
        positive: Label | None,
        level: float,
    ) -> None:
        self.values = values
        self.labels = labels
        self.positive = positive
        self.level = level
        self.z = quantile(level)

    def difference(self, first: str, second: str, metric: Metric, **definition: Any) -> Difference:
        """Return one metric of the first model less that of the second.

        ``definition`` is what :meth:`Statistic.of` takes, such as the average.
        """
        a, b = (self.values[name].get(metric.name) for name in (first, second))
        if a is None or b is None:
            nan, lacking = math.nan, first if a is None else second
            return Difference(metric.name, nan, nan, reason=f"{lacking} does not have it")
        if (known := _without_interval(metric.name, (first, second), a, b)) is not None:
            return known
        options = {"positive": self.positive, **definition}
        statistic = Statistic.of(metric, self.labels, **options)
        contrast = Contrast(first, second, statistic, a, b)
        found = self._bounds(contrast)
        d = Difference(
            metric.name, a.value, b.value, p_value=found.p_value, test=found.test,
            method=found.method,
        )  # fmt: skip
        if math.isnan(found.low) or math.isnan(found.high):
            return d
        least, most = statistic.metric.range_of(**statistic.params)
        low, high = max(found.low, least - most), min(found.high, most - least)
        low, high = min(low, d.value), max(high, d.value)
        return replace(d, low=low, high=high, level=self.level, warning=self.warning(found))

    def _bounds(self, c: Contrast) -> Bounds:
        """Return what the first method that serves says: of what the number is, and of the rows."""
        for method in (self.of_areas, self.of_row_means, self.of_proportions, self.of_draws):
            found = method(c)
            if found is not None:
                return found
        return self.of_intervals(c)

    @abstractmethod
    def of_areas(self, c: Contrast) -> Bounds | None:
        """Judge ROC areas by DeLong's covariance."""

    def of_row_means(self, c: Contrast) -> Bounds | None:
        """Judge means over rows by the differences of the rows."""
        return None

    @abstractmethod
    def of_proportions(self, c: Contrast) -> Bounds | None:
        """Judge shares of rows by Newcombe's interval."""

    def of_draws(self, c: Contrast) -> Bounds | None:
        """Judge by replicates of both."""
        return None

    def of_intervals(self, c: Contrast) -> Bounds:
        """Judge by the intervals of both, whatever they are."""
        return square_and_add(c.a, c.b)

    def warning(self, found: Bounds) -> str | None:
        """Say why an interval may be too narrow."""
        return None


def _without_interval(metric: str, names: tuple[str, str], a: Value, b: Value) -> Difference | None:
    """Return the difference of two values of which one is undefined or infinite."""
    if a.reason or b.reason:
        name, why = (names[0], a.reason) if a.reason else (names[1], b.reason)
        return Difference(metric, a.value, b.value, reason=f"{name}: {why}")
    if math.isinf(a.value) or math.isinf(b.value):
        if a.value == b.value:
            return Difference(metric, a.value, b.value, reason="both are infinite")
        method = "no interval: one of the two is infinite"
        return Difference(metric, a.value, b.value, method=method)
    return None


# -- different rows ----------------------------------------------------------------------------


class Side:
    """One model on rows of its own, and its values."""

    def __init__(
        self, inference: Inference, model: Model, name: str, values: Mapping[str, Value]
    ) -> None:
        self.counted = inference.counted
        self.model = model
        self.name = name
        self.values = values
        self.stratified: bool = inference.options["stratified"]
        self.clustered = inference.clusters(model.name)

    @classmethod
    def of(cls, inference: Inference, model: Model, name: str, metrics: Iterable[Metric]) -> Side:
        """Return a side with those of the metrics that its model has."""
        counted = inference.counted
        statistics = {
            m.name: Statistic.of(m, counted.classes, counted.positive)
            for m in metrics
            if model.holds(m)
        }
        return cls(inference, model, name, inference.values(model, statistics))

    @property
    def simple(self) -> bool:
        """Whether every row counts once and alone."""
        return not (self.counted.weighted or self.stratified or self.clustered)

    def proportion(self, s: Statistic) -> tuple[float, float] | None:
        """Return hits and rows, weighted ones by their effective number, of a proportion of rows.

        None for what is none, or has no such interval: of clusters, or where rows of several
        classes whose shares are known are mixed.
        """
        t = self.model.labels
        if self.clustered or not is_proportion(s):
            return None
        if self.stratified and s.mixes_classes(t.labels):
            return None
        hit, n = hits_and_rows(s, t.counts, t.sum_squared_weights, t.labels)
        return float(hit), float(n)

    @cached_property
    def area(self) -> tuple[float, float, float]:
        """The ROC area of two classes, its variance, and the rows or clusters that it rests on.

        DeLong's variance, or Obuchowski's of clusters.
        """
        tally = self.model.scores[0]
        if self.clustered is not None:
            n = float(self.clustered.joint.groups or 0)
            if n == 1:
                return math.nan, math.nan, n
            areas, covariance = auc_covariance(self.clustered.joint, [tally])
            return float(areas[0]), float(covariance[0, 0]), n
        r, squares = tally.score_counts, tally.squared_score_counts
        totals = np.array([r.positives, r.negatives])
        second = totals if squares is None else np.array([squares.positives, squares.negatives])
        return *auc_variance(tally), float((totals**2 / second).min())


class Independent(Design):
    """Models on different rows, of which none is in both: the variances of both add up.

    - ROC areas: square-and-add on the logit scale with DeLong's variances (Obuchowski's of
      clusters), as far out as Student's t of Welch's degrees of freedom, which the test takes too;
    - a proportion of rows: Newcombe's square-and-add of Wilson's intervals, and the score test;
    - anything else: square-and-add of both intervals, and the p-value that agrees with it.

    Sources: newcombe1998, zou2008, delong1988, obuchowski1997.
    """

    def __init__(self, sides: Sequence[Side], level: float) -> None:
        counted = sides[0].counted
        values = {side.name: side.values for side in sides}
        super().__init__(values, counted.classes, counted.positive, level)
        self.sides = {side.name: side for side in sides}

    def _two(self, c: Contrast) -> tuple[Side, Side]:
        return self.sides[c.first], self.sides[c.second]

    def of_areas(self, c: Contrast) -> Bounds | None:
        """Judge ROC areas: see :func:`difference_of_areas`."""
        if c.metric.roc_area is None or self.positive is None:
            return None
        sides = self._two(c)
        areas, variances, rows = (np.array(v) for v in zip(*(s.area for s in sides), strict=True))
        if not (variances > _HAIR).all():  # an area of 0 or 1 has a one-sided interval
            return self.of_intervals(c)
        parts = [(np.diag(variances * own), n) for own, n in zip(np.eye(2), rows, strict=True)]
        name = "Obuchowski, clusters" if any(s.clustered for s in sides) else "DeLong"
        return difference_of_areas(
            c, areas, np.diag(variances), parts, self.level, f"{name}, unpaired, Student's t"
        )

    def of_proportions(self, c: Contrast) -> Bounds | None:
        """Judge shares of rows: Newcombe's method 10, and the score test."""
        shares = [side.proportion(c.statistic) for side in self._two(c)]
        if shares[0] is None or shares[1] is None:
            return None
        found = self.of_intervals(c)
        test = two_proportions(*shares[0], *shares[1])
        weighted = any(side.counted.weighted for side in self._two(c))
        method = "Newcombe, unpaired" + (", weighted rows" if weighted else "")
        # Where both sides hit all rows, or none, there is nothing to be tested.
        p = 1.0 if test.reason else test.p_value
        return Bounds(found.low, found.high, method, p, test.name)

    def of_intervals(self, c: Contrast) -> Bounds:
        """Judge by the intervals of both."""
        for v, name in ((c.a, c.first), (c.b, c.second)):
            if math.isnan(v.low):
                why = (v.method or "it has none").removeprefix("no interval: ")
                return no_bounds(f"of {name}, {why}")
        found = square_and_add(c.a, c.b)
        return found._replace(method=found.method.removesuffix(", as if independent"))


# -- proportions -------------------------------------------------------------------------------


def is_proportion(s: Statistic) -> bool:
    """Tell whether a statistic is a share of rows, and no average over classes."""
    return s.metric.proportion is not None and s.average in ("overall", "binary")


def hits_and_rows(
    s: Statistic, counts: Floats, sum_squared_weights: Floats | None, labels: Sequence[Label]
) -> tuple[Floats, Floats]:
    """Return hits and rows of a proportion of matrices [..., K, K].

    Of weighted rows both are those of their effective number.
    """
    assert s.metric.proportion is not None
    hit, whole = (np.asarray(v, np.float64) for v in s.metric.proportion(s.view(counts, labels)))
    if sum_squared_weights is None:
        return hit, whole
    second = s.metric.proportion(s.view(sum_squared_weights, labels))
    with np.errstate(all="ignore"):
        n = np.nan_to_num(worth(hit, whole, *second))
        return np.nan_to_num(hit / whole) * n, n


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
    arms = []
    for hit in (both + one, both + other):
        low, high = wilson(hit, n, z)
        arms.append((hit / n - float(low), float(high) - hit / n))
    product = (both + one) * (other + none) * (both + other) * (one + none)
    phi = 0.0
    if product:
        top = both * none - one * other
        phi = (max(top - n / 2, 0.0) if top > 0 else top) / math.sqrt(product)
    low, high = mover((one - other) / n, arms[0], arms[1], phi)
    return float(low), float(high)


# -- square-and-add ----------------------------------------------------------------------------


def mover(
    gap: Any, first: tuple[Any, Any], second: tuple[Any, Any], correlation: float = 0.0
) -> tuple[Any, Any]:
    """Return the interval of a difference from those of its two numbers, of any shape.

    With δ the distance of a number from its bound on the side in question, the bounds lie
    √(δ₁² - 2 r δ₁ δ₂ + δ₂²) from the difference (Newcombe 1998; Zou and Donner 2008; MOVER): they
    keep the skew of both intervals.

    Parameters
    ----------
    gap : float or array
        The first number less the second.
    first, second : (float, float)
        How far each number lies above its lower bound, and below its upper one.
    correlation : float
        Of the two estimates, -1..1. Of estimates that rise and fall together 0 makes the interval
        too wide, never too narrow.

    Examples
    --------
    >>> low, high = mover(0.1, (0.04, 0.03), (0.04, 0.03), 0.5)
    >>> round(float(low), 4), round(float(high), 4)
    (0.0639, 0.1361)

    """
    r = min(max(correlation, -1.0), 1.0)

    def along(x: Any, y: Any) -> Any:
        return np.sqrt(np.maximum(x * x - 2 * r * x * y + y * y, 0.0))

    return gap - along(first[0], second[1]), gap + along(first[1], second[0])


def square_and_add(a: Value, b: Value) -> Bounds:
    """Return the interval of a - b from those of both, taken as independent, and its p-value.

    Of two numbers that rise and fall together it is too wide, never too narrow: see :func:`mover`.
    The p-value agrees with it: see :func:`p_of_bounds`.
    """
    if math.isnan(a.low) or math.isnan(b.low):
        without = a if math.isnan(a.low) else b
        why = (without.method or "every draw gives the same").removeprefix("no interval: ")
        return no_bounds(why)
    if any(map(math.isinf, (a.low, a.high, b.low, b.high))):
        return no_bounds("that of one of the two has no end")
    gap = a.value - b.value
    first, second = ((v.value - v.low, v.high - v.value) for v in (a, b))
    low, high = map(float, mover(gap, first, second))
    assert a.level is not None
    method = f"{SQUARE_AND_ADD}, as if independent"
    p = float(p_of_bounds(gap, low, high, a.level))
    if math.isnan(p):
        return Bounds(low, high, method)
    if any("draws" in (v.method or "") for v in (a, b)):
        p = max(p, 2 / (1 + DRAWS))  # draws tell nothing of rarer things
    return Bounds(low, high, method, p, SQUARE_AND_ADD)


def p_of_bounds(
    value: Any, low: Any, high: Any, level: float, null: float = 0.0, degrees: Any = math.inf
) -> Any:
    """Return the two-sided p-value of a null value that agrees with the bounds, of any shape.

    The distance to the bound on the side of the null stands for as many errors as the level says,
    of Student's t with so many degrees of freedom. NaN where that bound is the value itself.

    >>> round(float(p_of_bounds(0.2, 0.0, 0.3, 0.95)), 4)
    0.05
    """
    from scipy.special import stdtr

    gap = np.asarray(value - null, dtype=np.float64)
    with np.errstate(all="ignore"):
        toward = np.where(gap > 0, value - low, high - value)
        errors = critical_value(level, np.asarray(degrees, np.float64)) * np.abs(gap) / toward
        return np.where(toward > 0, 2 * stdtr(degrees, -errors), math.nan)


# -- ROC areas ---------------------------------------------------------------------------------


def difference_of_areas(
    c: Contrast,
    areas: Floats,
    covariance: Floats,
    parts: Sequence[tuple[Floats, float]],
    level: float,
    name: str,
) -> Bounds:
    """Return the interval and the test of the difference of two ROC areas.

    Square-and-add of both intervals on the logit scale, with the correlation that their covariance
    (2, 2) has, as far out as Student's t of Welch's degrees of freedom; ``parts`` are what the
    covariance is the sum of, each with the rows (or clusters) that it rests on. The test divides
    the difference by its standard error. The normal distribution, which DeLong takes, rejects too
    often with some twenty positives.
    """
    from scipy.special import stdtr

    variance = _of_contrast(covariance)
    if not variance > _HAIR * float(np.trace(covariance)):
        return square_and_add(c.a, c.b)
    degrees = welch([(_of_contrast(v), n - 1) for v, n in parts])
    z = float(critical_value(level, degrees))
    arms: list[tuple[float, float]] = []
    for area, own in zip(areas.tolist(), np.diag(covariance).tolist(), strict=True):
        if 0 < area < 1 and own > _HAIR:
            low, high = map(float, scaled(area, math.sqrt(own), z, (0, 1)))
        else:
            low, high = newcombe(area, parts[0][1], parts[-1][1], z)
        arms.append((area - low, high - area))
    both = math.sqrt(float(covariance[0, 0] * covariance[1, 1]))
    gap = float(areas[0] - areas[1])
    correlation = float(covariance[0, 1]) / both if both > 0 else 0.0
    low, high = mover(gap, arms[0], arms[1], correlation)
    p = float(2 * stdtr(degrees, -abs(gap) / math.sqrt(variance)))
    assert c.metric.roc_area is not None
    slope = c.metric.roc_area.slope
    return Bounds(float(low) * slope, float(high) * slope, f"{name}, logit scale", p, name)


def _of_contrast(covariance: Floats) -> float:
    """Return the variance of the difference of two numbers from their covariance (2, 2)."""
    return float(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])


def welch(parts: Sequence[tuple[float, float]]) -> float:
    """Return the degrees of freedom of a sum of variances, each (variance, its own degrees).

    (Σ v)² / Σ v²/f (Satterthwaite 1946, Welch 1947): near those of the part that weighs most.

    >>> welch([(1.0, 4.0), (0.0, 100.0)]), welch([(1.0, 9.0), (1.0, 9.0)])
    (4.0, 18.0)
    """
    total = sum(v for v, _ in parts)
    spread = sum(v * v / max(f, 1e-9) for v, f in parts)
    return max(total**2 / spread, 1.0) if spread > 0 else math.inf


# -- draws -------------------------------------------------------------------------------------


def drawn_bounds(
    gaps: NDArray[Any], level: float, degrees: float, widen: float = 1.0
) -> tuple[float, float]:
    """Return the percentile interval of draws, reaching as far out as Student's t does.

    Draws vary as the normal does, as if the spread of the rows were known: of few rows percentiles
    are too narrow. The share left out on either side is therefore Φ(-t), t Student's quantile
    times ``widen`` (Hesterberg 2015, the expanded percentile interval).
    """
    from scipy.special import ndtr

    out = float(critical_value(level, max(degrees, 1.0))) * widen
    low, high = percentile_bounds(gaps, 1 - 2 * float(ndtr(-out)))
    return float(low), float(high)


def drawn_p(gaps: NDArray[Any], degrees: float, widen: float = 1.0) -> float:
    """Return the two-sided p-value of which :func:`drawn_bounds` is the inversion.

    Twice the share of draws on the rarer side of 0, one draw added to either side, brought from
    the normal's tail to Student's. Of one or two degrees of freedom so far out a tail is asked for
    that no draw lies there: the p-value is then the larger one.
    """
    from scipy.special import ndtri, stdtr

    defined = gaps[~np.isnan(gaps)]
    beyond = min(int((defined <= 0).sum()), int((defined >= 0).sum()))
    share = min(1.0, 2 * (1 + beyond) / (1 + len(defined)))
    return float(2 * stdtr(max(degrees, 1.0), ndtri(share / 2) / widen))
