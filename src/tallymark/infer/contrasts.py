"""Compute intervals and p-values of differences: one function per method.

A design (:mod:`tallymark.infer.difference`) chooses the method for its rows. Each function returns
both bounds and the p-value, for single values or stacks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tallymark.infer import two_shares
from tallymark.infer.delong import Areas, newcombe
from tallymark.infer.power import FEW_DISCORDANT
from tallymark.infer.sampler import DRAWS as DRAWS_OF_VALUES
from tallymark.infer.sampler import Sampler
from tallymark.infer.samples import Area, Matrices, Shares, critical_value, scaled
from tallymark.infer.significance import PROPORTION_TESTS, mcnemar
from tallymark.metric.measure import Statistic, Value
from tallymark.metric.proportion import quantile
from tallymark.tally.arrays import Floats, Label

SQUARE_AND_ADD = "square-and-add of both intervals"
OF_AREAS = "{}, {}, Student's t"
SAME_RANKING = "same ranking"
_HAIR = 1e-12

PRIOR_ROWS = 2.0
"""Prior weight of posterior draws, in rows, spread evenly over the pairs of predictions."""

Ends = tuple[Any, Any, Any]
"""Values with the lower and upper bounds of their intervals, of any shape."""


class NullTest(Protocol):
    """A test whose p-value is below 1 - level for exactly the values outside the interval."""

    def p_value(self, gap: float, null: float = 0.0) -> float:
        """Return the two-sided p-value of the null value, given the observed difference."""


class ReversedTest(NamedTuple):
    """The test of a difference whose models are exchanged."""

    test: NullTest

    def p_value(self, gap: float, null: float = 0.0) -> float:
        """Return the p-value of the opposite null value, given the opposite difference."""
        return self.test.p_value(-gap, -null)


class Bounds(NamedTuple):
    """The interval of a difference and its test; NaN if there is none.

    ``null_test`` gives the p-value of any difference; without it, the interval does.
    """

    low: float
    high: float
    method: str
    p_value: float = math.nan
    test: str | None = None
    draws: int = 0
    p_at_most: bool = False
    null_test: NullTest | None = None


def no_bounds(why: str) -> Bounds:
    """Return bounds without an interval, with the reason."""
    return Bounds(math.nan, math.nan, f"no interval: {why}")


def no_more_than(bounds: Bounds, p_value: float, test: str, level: float) -> Bounds:
    """Return bounds that claim no more than an exact test of no difference does.

    If its p-value is the larger one, it is that of the difference, and the interval reaches 0
    unless it is significant.

    >>> found = no_more_than(Bounds(0.01, 0.5, "score", 0.03, "score"), 0.125, "exact", 0.95)
    >>> found.low, found.high, found.p_value, found.test
    (0.0, 0.5, 0.125, 'exact')
    """
    if not p_value > bounds.p_value:
        return bounds
    low, high = bounds.low, bounds.high
    if p_value >= 1 - level:
        low, high = min(low, 0.0), max(high, 0.0)
    return bounds._replace(low=low, high=high, p_value=p_value, test=test)


def as_tested(bounds: Bounds, gap: float, p_value: float, test: str, level: float) -> Bounds:
    """Return bounds with the p-value of a test that they were not made from.

    Where both disagree about 0, the bound on its side moves to gap · (1 - z / z(p)), with z the
    critical value and z(p) that of the p-value: it then leaves 0 out exactly if p < 1 - level.

    >>> found = as_tested(Bounds(-0.01, 0.5, "intervals"), 0.2, 0.04, "test", 0.95)
    >>> round(found.low, 4), found.high, found.p_value
    (0.0091, 0.5, 0.04)
    """
    from scipy.special import ndtri

    low, high, significant = bounds.low, bounds.high, p_value < 1 - level
    if (low > 0 or high < 0) != significant:
        end = gap * (1 + quantile(level) / float(ndtri(p_value / 2)))
        low, high = (end, high) if gap > 0 else (low, end)
    return bounds._replace(low=low, high=high, p_value=p_value, test=test)


def least_p(draws: Any) -> Any:
    """Return the smallest two-sided p-value that a number of draws can give, 0 without draws.

    One draw is added to either tail, because zero draws beyond the null do not prove p = 0.

    >>> round(float(least_p(1999)), 4), float(least_p(0))
    (0.001, 0.0)
    """
    n = np.asarray(draws)
    return np.where(n > 0, 2 / (1 + n), 0.0)


# -- both intervals ---------------------------------------------------------------------------


def mover(
    gap: Any, first: tuple[Any, Any], second: tuple[Any, Any], correlation: Any = 0.0
) -> tuple[Any, Any]:
    """Return the interval of a difference from the intervals of both values, for any shape.

    With δ the distance of a value from its bound on one side, the bounds lie
    √(δ₁² - 2 r δ₁ δ₂ + δ₂²) from the difference (Newcombe 1998; Zou and Donner 2008; MOVER). This
    preserves the skew of both intervals.

    Parameters
    ----------
    gap : float or array
        The first value minus the second.
    first, second : (float, float)
        Distances of each value above its lower bound and below its upper bound.
    correlation : float
        Correlation of the two estimates, -1..1. If it is positive, 0 gives a conservative (too
        wide) interval.

    Examples
    --------
    >>> low, high = mover(0.1, (0.04, 0.03), (0.04, 0.03), 0.5)
    >>> round(float(low), 4), round(float(high), 4)
    (0.0639, 0.1361)

    """
    r = np.clip(correlation, -1.0, 1.0)

    def along(x: Any, y: Any) -> Any:
        return np.sqrt(np.maximum(x * x - 2 * r * x * y + y * y, 0.0))

    return gap - along(first[0], second[1]), gap + along(first[1], second[0])


def p_of_bounds(
    value: Any, low: Any, high: Any, level: float, null: float = 0.0, degrees: Any = math.inf
) -> Any:
    """Return the two-sided p-value of a null value that agrees with the bounds, for any shape.

    The standard error is the distance to the bound on the side of the null, divided by the
    critical value of Student's t. NaN if that bound equals the value.

    >>> round(float(p_of_bounds(0.2, 0.0, 0.3, 0.95)), 4)
    0.05
    """
    from scipy.special import stdtr

    gap = np.asarray(value - null, dtype=np.float64)
    with np.errstate(all="ignore"):
        toward = np.where(gap > 0, value - low, high - value)
        errors = critical_value(level, np.asarray(degrees, np.float64)) * np.abs(gap) / toward
        return np.where(toward > 0, 2 * stdtr(degrees, -errors), math.nan)


@np.errstate(all="ignore")
def of_both_intervals(
    first: Ends,
    second: Ends,
    level: float,
    *,
    correlation: Any = 0.0,
    degrees: Any = math.inf,
    draws: Any = 0,
) -> tuple[Floats, Floats, Floats]:
    """Return the bounds of differences from the intervals of both values, and their p-values.

    The bounds are those of :func:`mover`, and the p-values agree with them (see
    :func:`p_of_bounds`). If an interval rests on draws, the p-value is at least the smallest one
    that they can show. NaN where an interval has no bound.

    Parameters
    ----------
    first, second : (values, lows, highs)
        The values with their intervals, of any shape.
    level : float
        Confidence level of all the intervals.
    correlation, degrees, draws : float or array
        Correlation of both values, degrees of freedom of Student's t, and number of draws behind
        the intervals, 0 if nothing is drawn.

    """
    (a, a_low, a_high), (b, b_low, b_high) = first, second
    gap = np.asarray(a - b)
    low, high = mover(gap, (a - a_low, a_high - a), (b - b_low, b_high - b), correlation)
    least = np.maximum(least_p(draws), np.finfo(float).tiny)  # a tail too small for a double
    p = np.maximum(p_of_bounds(gap, low, high, level, degrees=degrees), least)
    bounded = np.isfinite(low) & np.isfinite(high)
    low, high, p = (np.where(bounded, v, math.nan) for v in (low, high, p))
    return low, high, p


@np.errstate(all="ignore")
def ratios(
    first: Ends, second: Ends, least: float, correlation: Any = 0.0
) -> tuple[Floats, Floats, Floats]:
    """Return the ratios of values with bounds, NaN where the metric can be negative.

    On the log scale they are differences of values with the given ``correlation``.
    """
    (a, a_low, a_high), (b, b_low, b_high) = first, second
    ratio = np.where((least >= 0) & (b > 0) & np.isfinite(a) & np.isfinite(b), a / b, math.nan)
    arms = [(np.log(v / low), np.log(high / v)) for v, low, high in (first, second)]
    down, up = mover(0.0, arms[0], arms[1], correlation)
    bounded = (
        np.isfinite(ratio) & np.isfinite(a_high + b_high) & np.isfinite(a_low + b_low) & (a > 0)
    )
    low = np.where(bounded, np.where(a_low > 0, ratio * np.exp(down), 0.0), math.nan)
    high = np.where(bounded, np.where(b_low > 0, ratio * np.exp(up), math.inf), math.nan)
    return ratio, low, high


def normal_p(gaps: Any, errors: Any) -> Floats:
    """Return the p-values of differences with known standard errors, of any shape."""
    from scipy.special import erfc

    with np.errstate(all="ignore"):
        return np.asarray(erfc(np.abs(gaps) / errors / math.sqrt(2)))


def square_and_add(a: Value, b: Value, correlation: float | None = None, draws: int = 0) -> Bounds:
    """Return the interval of a - b from the intervals of both, and its p-value.

    ``correlation`` is that of both values over the ``draws``. Without it, independence is assumed;
    for positively correlated values, the interval is then conservative (too wide).
    """
    if math.isnan(a.low) or math.isnan(b.low):
        without = a if math.isnan(a.low) else b
        why = (without.method or "every draw gives the same").removeprefix("no interval: ")
        return no_bounds(why)
    if any(map(math.isinf, (a.low, a.high, b.low, b.high))):
        return no_bounds("one of the two intervals is unbounded")
    how = f"correlated as in {draws:,} resamples"
    if correlation is None:
        correlation, draws, how = 0.0, draws_behind(a.method, b.method), "as if independent"
    assert a.level is not None
    one, other = ((v.value, v.low, v.high) for v in (a, b))
    bounds = of_both_intervals(one, other, a.level, correlation=correlation, draws=draws)
    low, high, p = (float(v) for v in bounds)
    if math.isnan(low):
        return no_bounds("its bounds exceed the largest number")
    return one_of_intervals(low, high, p, f"{SQUARE_AND_ADD}, {how}", draws=draws)


def draws_behind(*methods: str | None) -> int:
    """Return the number of draws behind the intervals of values, 0 if nothing is drawn."""
    return DRAWS_OF_VALUES if any("draws" in (m or "") for m in methods) else 0


def one_of_intervals(
    low: float, high: float, p: float, method: str, test: str = SQUARE_AND_ADD, draws: int = 0
) -> Bounds:
    """Return the interval and the p-value of one difference, from :func:`of_both_intervals`."""
    if math.isnan(p):
        return Bounds(low, high, method, draws=draws)
    return Bounds(low, high, method, p, test, draws, bool(draws > 0 and p <= least_p(draws)))


# -- proportions ------------------------------------------------------------------------------


def is_proportion(s: Statistic) -> bool:
    """Return whether a statistic is a proportion of rows, not an average over classes."""
    return s.metric._sampling.proportion is not None and s.average in ("overall", "binary")


def is_ratio(s: Statistic) -> bool:
    """Return whether a statistic is a ratio or odds ratio of two proportions, or a function."""
    return s.metric._sampling.two_shares is not None and s.average in ("overall", "binary")


def hits_and_rows(
    s: Statistic, counts: Floats, squares: Floats | None, labels: Sequence[Label]
) -> tuple[Floats, Floats]:
    """Return hits and rows of a proportion of matrices [..., K, K], 0 where there are no rows.

    With weights, both use the effective number of rows.
    """
    hit, n = Matrices(counts, squares, labels, Sampler()).proportion(s)
    return np.nan_to_num(hit), np.nan_to_num(n)


class PairedShares(NamedTuple):
    """Two proportions of the same rows: counts of both hits, the first, the second, neither.

    Arrays of counts are as many pairs of proportions.

    Tango's (1998) score of a difference δ is (b - c - nδ) / √(n (2q + δ(1 - δ))), with q the share
    of rows that only the second hits which fits best if δ is true. At δ = 0 its square is
    McNemar's chi-square.
    """

    both: Any
    one: Any
    other: Any
    none: Any

    @property
    def rows(self) -> Any:
        """The number of rows."""
        return self.both + self.one + self.other + self.none

    def score(self, difference: Any) -> Floats:
        """Return how many standard errors the data are above a difference.

        >>> float(PairedShares(36, 12, 2, 0).score(0.0).round(4))  # (12 - 2) / √(12 + 2)
        2.6726
        """
        n, b, c, d = self.rows, self.one, self.other, np.asarray(difference)
        gap = b - c - n * d
        half = (-b - c + (2 * n - b + c) * d) / 2
        with np.errstate(all="ignore"):
            fit = (np.sqrt(np.maximum(half**2 + 2 * n * c * d * (1 - d), 0.0)) - half) / (2 * n)
            variance = n * (2 * fit + d * (1 - d))
            z = np.where(variance > 0, gap / np.sqrt(variance), np.copysign(math.inf, gap))
        return np.asarray(np.where(gap == 0, 0.0, z))

    def bounds(self, level: float) -> tuple[Any, Any]:
        """Return Tango's interval of the difference.

        >>> low, high = PairedShares(36, 12, 2, 0).bounds(0.95)
        >>> round(low, 4), round(high, 4)
        (0.0611, 0.3447)
        """
        with np.errstate(invalid="ignore"):
            gap = np.asarray((self.one - self.other) / np.maximum(self.rows, 1e-300))
        z = quantile(level)
        side = np.array([-1.0, 1.0]).reshape(2, *[1] * gap.ndim)
        ends = np.broadcast_to(side, (2, *gap.shape))
        low, high = two_shares.crossing(
            lambda d: side * self.score(d) + z, np.broadcast_to(gap, ends.shape), ends, 1e-14
        ).tolist()
        return low, high

    def p_value(self, gap: float, null: float = 0.0) -> float:
        """Return the two-sided p-value of the null value."""
        return math.erfc(abs(float(self.score(null))) / math.sqrt(2))


def of_paired_shares(
    fours: Sequence[tuple[float, float, float, float]], level: float
) -> list[Bounds]:
    """Return Tango's intervals of differences of two proportions, and McNemar's tests.

    Each of ``fours`` is the rows that both hit, only the first, only the second, and neither. With
    fewer than :data:`.FEW_DISCORDANT` rows that only one hits, McNemar's exact test decides.
    """
    ends = PairedShares(*np.reshape(np.asarray(fours, np.float64), (-1, 4)).T).bounds(level)
    both = zip(fours, *ends, strict=True)
    return [_of_paired_shares(PairedShares(*four), (low, high), level) for four, low, high in both]


def _of_paired_shares(shares: PairedShares, ends: tuple[float, float], level: float) -> Bounds:
    if not shares.rows:
        return no_bounds("there is no row")
    discordant = shares.one + shares.other
    test = mcnemar(shares.one, shares.other, "chi-square" if discordant else "exact")
    bounds = Bounds(*ends, "Tango's score", test.p_value, test.name, null_test=shares)
    if discordant >= FEW_DISCORDANT:
        return bounds
    exact = mcnemar(shares.one, shares.other, "exact")
    return no_more_than(bounds, exact.p_value, exact.name, level)


SCORE_TEST = PROPORTION_TESTS["score"][0]


class EqualShares(NamedTuple):
    """The score test of the difference of two proportions on different rows."""

    hits: tuple[float, float]
    rows: tuple[float, float]

    def p_value(self, gap: float, null: float = 0.0) -> float:
        """Return the two-sided p-value of the null value.

        >>> round(EqualShares((56, 48), (70, 80)).p_value(0.2), 4)
        0.008
        """
        return float(two_shares.p_value("difference", self.hits, self.rows, null))


def of_shares(shares: Shares, level: float, title: str) -> list[Bounds]:
    """Return the score intervals of the differences of S pairs of proportions, and their tests.

    NaN without rows. Sources: miettinen1985, gart1990, laud2017.

    >>> (found,) = of_shares((([56], [48]), ([70], [80])), 0.95, "score")
    >>> round(found.low, 4), round(found.high, 4), round(found.p_value, 4)
    (0.0534, 0.3398, 0.008)
    """
    low, high = two_shares.bounds("difference", *shares, level)
    p = two_shares.p_value("difference", *shares, 0.0)
    (x1, x2), (n1, n2) = (tuple(np.asarray(v).tolist() for v in pair) for pair in shares)
    columns = low.tolist(), high.tolist(), p.tolist(), x1, x2, n1, n2
    return [
        Bounds(a, b, title, q, SCORE_TEST, null_test=EqualShares((x, y), (n, m)))
        for a, b, q, x, y, n, m in zip(*columns, strict=True)
    ]


# -- means over rows ---------------------------------------------------------------------------


def of_student(gap: float, error: float, degrees: float, level: float, name: str) -> Bounds:
    """Return Student's interval of a difference with the given standard error, and its test."""
    from scipy.special import stdtr

    half = float(critical_value(level, degrees)) * error
    p = 2 * float(stdtr(degrees, -abs(gap / error)))
    return Bounds(gap - half, gap + half, name, p, name)


# -- ROC areas --------------------------------------------------------------------------------


@np.errstate(all="ignore")
def area_bounds(areas: Areas, level: float) -> tuple[Floats, Floats, Floats]:
    """Return the interval of the first of two ROC areas minus the second, and its p-value.

    Square-and-add of both intervals on the logit scale (Newcombe's if an area is 0 or 1), with
    the correlation from their covariance and the critical value of Student's t with Welch's
    degrees of freedom. The p-value agrees with the interval (:func:`p_of_bounds`). Stacks of pairs
    are allowed: values [..., 2] and covariance [..., 2, 2]. NaN if the difference has no variance.

    Sources: delong1988, obuchowski1997, welch1947, zou2008.
    """

    def of_contrast(covariance: Floats) -> Floats:
        return covariance[..., 0, 0] + covariance[..., 1, 1] - 2 * covariance[..., 0, 1]

    values, covariance, parts = areas
    variance, variances = of_contrast(covariance), np.diagonal(covariance, 0, -2, -1)
    degrees = welch([(of_contrast(v), n - 1) for v, n in parts])
    z = critical_value(level, degrees)[..., None]
    low, high = scaled(values, np.sqrt(variances), z, (0, 1))
    inside = (values > 0) & (values < 1) & (variances > _HAIR)
    if not inside.all():
        m, n = (np.asarray(parts[i][1])[..., None] for i in (0, -1))
        ends = newcombe(values, m, n, z)
        low, high = np.where(inside, low, ends[0]), np.where(inside, high, ends[1])
    gap, first, second = values[..., 0] - values[..., 1], values - low, high - values
    correlation = np.nan_to_num(covariance[..., 0, 1] / np.sqrt(variances.prod(-1)))
    (a_down, b_down), (a_up, b_up) = (np.moveaxis(v, -1, 0) for v in (first, second))
    bounds = mover(gap, (a_down, a_up), (b_down, b_up), correlation)
    p = p_of_bounds(gap, *bounds, level, degrees=degrees)
    varies = variance > _HAIR * variances.sum(-1)
    low, high, p = (np.where(varies, v, math.nan) for v in (*bounds, p))
    return low, high, p


def unpaired(one: Area, other: Area) -> Areas:
    """Return the areas of two stacks of independent samples, pair by pair."""
    values, variances = (np.stack([a[i] for a in (one, other)], -1) for i in (0, 1))
    rows = (np.asarray(a.degrees_of_freedom) + 1 for a in (one, other))
    covariance = variances[..., None] * np.eye(2)
    each = (covariance * own for own in np.eye(2))
    return Areas(values, covariance, tuple(zip(each, rows, strict=True)))


def both_vary(areas: Areas) -> NDArray[np.bool_]:
    """Return where both areas of a pair have a variance; an area of 0 or 1 has none."""
    return np.asarray((np.diagonal(areas.covariance, 0, -2, -1) > _HAIR).all(-1))


@np.errstate(all="ignore")
def welch(parts: Sequence[tuple[Any, Any]]) -> Floats:
    """Return the degrees of freedom of a sum of variances, given (variance, degrees) pairs.

    (Σ v)² / Σ v²/f (Satterthwaite 1946, Welch 1947): close to those of the largest variance.
    Stacks are allowed.

    >>> welch([(1.0, 4.0), (0.0, 100.0)]).item(), welch([(1.0, 9.0), (1.0, 9.0)]).item()
    (4.0, 18.0)
    """
    total = np.asarray(sum(v for v, _ in parts))
    spread = np.asarray(sum(np.square(v) / np.maximum(f, 1e-9) for v, f in parts))
    return np.asarray(np.where(spread > 0, np.maximum(total**2 / spread, 1.0), math.inf))


def of_areas(areas: Areas, slope: float, level: float, title: str) -> list[Bounds | None]:
    """Return the interval and test of differences of areas; None where there is no variance.

    ``slope`` is the change of the metric per unit of area: 2 for the Gini coefficient.
    """
    if not areas.parts:  # a class has fewer than two rows
        return [None]
    columns = (np.atleast_1d(v).tolist() for v in area_bounds(areas, level))
    title = f"{title}, logit scale"
    return [
        None if math.isnan(low) else Bounds(low * slope, high * slope, title, p, title)
        for low, high, p in zip(*columns, strict=True)
    ]


# -- draws ------------------------------------------------------------------------------------


def bounds_of_draws(
    gaps: NDArray[Any], level: float, degrees: float, widen: float = 1.0
) -> tuple[float, float]:
    """Return the percentile interval of draws, widened to Student's t.

    Draws vary as if the variance of the rows were known, so percentiles are too narrow with few
    rows. The tail probability on either side is therefore Φ(-t), with t Student's quantile times
    ``widen`` (Hesterberg 2015, the expanded percentile interval). The interval leaves 0 out exactly
    where :func:`p_of_draws` is below 1 - level, unless no number of draws beyond 0 would be. NaN if
    fewer than half of the draws are defined.
    """
    from scipy.special import ndtr

    defined = gaps[~np.isnan(gaps)]
    n = len(defined)
    if not n or 2 * n < len(gaps):
        return math.nan, math.nan
    tail = float(ndtr(-float(critical_value(level, max(degrees, 1.0))) * widen))
    place = max(math.ceil(tail * (n + 1) - 1e-9) - 2, 0)
    low, high = np.partition(defined, [place, n - 1 - place])[[place, n - 1 - place]]
    return float(low), float(high)


def p_of_draws(gaps: NDArray[Any], degrees: float, widen: float = 1.0) -> float:
    """Return the two-sided p-value that inverts :func:`bounds_of_draws`.

    It is twice the share of draws on the rarer side of 0, with one draw added to either side, and
    converted from the normal tail to Student's. With one or two degrees of freedom, the required
    tail may lie beyond all draws; then the larger p-value is returned.
    """
    from scipy.special import ndtri, stdtr

    defined = gaps[~np.isnan(gaps)]
    beyond = min(int((defined <= 0).sum()), int((defined >= 0).sum()))
    share = min(1.0, 2 * (1 + beyond) / (1 + len(defined)))
    return float(2 * stdtr(max(degrees, 1.0), ndtri(share / 2) / widen))


def of_draws(
    gaps: NDArray[Any], level: float, degrees: float, widen: float, name: str, test: str
) -> Bounds | None:
    """Return the interval of draws and the p-value that inverts it.

    See :func:`bounds_of_draws`. None if all draws are equal.
    """
    low, high = bounds_of_draws(gaps, level, degrees, widen)
    if math.isnan(low) or math.isinf(low) or math.isinf(high):
        return no_bounds(f"{name}, most of them undefined or infinite")
    if high - low <= _HAIR * max(abs(low), abs(high), 1e-300):
        return None
    p, alike = p_of_draws(gaps, degrees, widen), bool((gaps < 0).all() or (gaps > 0).all())
    if p >= 1 - level:  # too few draws or degrees of freedom to leave 0 out
        low, high = min(low, 0.0), max(high, 0.0)
    return Bounds(low, high, name, p, test, len(gaps), alike)


def posterior_cells(
    cells: Floats, draws: int, rng: np.random.Generator, stratified: bool = False
) -> Floats:
    """Return draws of paired decisions from their Dirichlet posterior: [draw, true, by a, by b].

    Resampled rows can never contain an outcome that was not observed, such as an error of a model
    that was always right. The prior is worth two rows, spread evenly over the cells, and allows
    such outcomes. Every draw has as many rows as ``cells``, and with ``stratified`` as many of
    each true class.
    """
    axes = (1, 2) if stratified else (0, 1, 2)
    alpha = cells + PRIOR_ROWS / cells.size
    gammas = rng.standard_gamma(alpha, size=(draws, *alpha.shape))
    total = cells.sum(axes, keepdims=True)
    return np.asarray(gammas * total / gammas.sum(tuple(a + 1 for a in axes), keepdims=True))


def posterior_degrees(cells: Floats, difference: Callable[[Floats], Floats]) -> Floats:
    """Return the degrees of freedom of differences over :func:`posterior_cells`, for each pair.

    Welch's formula over the variance terms of each class, with its number of rows including the
    prior's; so they are close to the number of positives if few positives dominate the variance.
    ``cells`` are those of every pair, [pair, true, by a, by b]; ``difference`` takes cells
    [pair, case, true, by a, by b].
    """
    alpha, axes = cells + PRIOR_ROWS / cells[0].size, (1, 2, 3)
    units = np.eye(cells[0].size).reshape(-1, *cells.shape[1:])
    step = 1e-4 * alpha.sum(axes)
    moved = alpha[:, None] + step[:, None, None, None, None] * units
    slope = (difference(moved) - difference(alpha[:, None])) / step[:, None]
    slope = slope.reshape(cells.shape)
    rows = alpha.sum((2, 3))
    with np.errstate(invalid="ignore"):
        mean = (alpha * slope).sum(axes) / alpha.sum(axes)
        variances = (alpha * (slope - mean[:, None, None, None]) ** 2).sum((2, 3))
        degrees = welch([(variances[:, t], rows[:, t]) for t in range(cells.shape[1])])
    return np.asarray(np.where(np.isfinite(slope).all(axes), degrees, rows.min(1)))
