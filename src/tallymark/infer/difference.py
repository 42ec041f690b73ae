"""A metric of one model less that of another, and its interval from those of both."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.display import Display
from tallymark.infer.gaps import mover
from tallymark.metric import Metric
from tallymark.metric.measure import Value, json_number
from tallymark.metric.proportion import quantile, wilson

DRAWS = 2000
Judged = tuple[float, float, str, float, str | None]
"""Low, high, the method, the p-value and the test's name."""


@dataclass(frozen=True, slots=True, repr=False)
class Difference(Display):
    """A metric of one model less that of another, with its interval.

    ``value`` is ``first_value - second_value``, NaN if and only if ``reason`` says why; ``low``
    and ``high`` are NaN, and ``method`` says so, where there is no interval. ``p_value`` is that of
    ``test``, NaN where there is none. ``caution`` says why the interval may be too narrow.
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
    caution: str | None = None

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
            "caution": self.caution,
        }


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
    p: float, test: str | None, caution: str | None = None,
) -> Difference:  # fmt: skip
    """Return a difference with its bounds, which hold it and are no further than it can be."""
    d = Difference(metric.name, a.value, b.value, p_value=p, test=test, method=method)
    if math.isnan(low) or math.isnan(high):
        return d
    least, most = metric.range
    width = most - least
    low, high = max(low, -width), min(high, width)
    low, high = min(low, d.value), max(high, d.value)
    return replace(d, low=low, high=high, level=level, caution=caution)


def p_of(gaps: NDArray[Any]) -> float:
    """Return the two-sided p-value of which the percentile interval is the inversion."""
    there = gaps[~np.isnan(gaps)]
    beyond = min(int((there <= 0).sum()), int((there >= 0).sum()))
    return min(1.0, 2 * (1 + beyond) / (1 + len(there)))


def square_and_add(a: Value, b: Value) -> Judged:
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
    assert a.level is not None
    p = p_of_bounds(gap, low, high, a.level)
    if math.isnan(p):
        return low, high, f"{name}, as if independent", p, None
    if any("draws" in (v.method or "") for v in (a, b)):
        p = max(p, 2 / (1 + DRAWS))  # draws tell nothing of rarer things
    return low, high, f"{name}, as if independent", p, name


def p_of_bounds(gap: float, low: float, high: float, level: float) -> float:
    """Return the two-sided p-value that agrees with the bounds of a difference.

    The distance to the bound on the side of 0 stands for as many normal errors as the level says.
    NaN where that bound is the difference itself, beyond which nothing is told.

    >>> round(p_of_bounds(0.2, 0.0, 0.3, 0.95), 4)
    0.05
    """
    toward = abs(gap - (low if gap > 0 else high))
    if not toward > 0:
        return math.nan
    return math.erfc(quantile(level) * abs(gap) / toward / math.sqrt(2))


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

    return mover((one - other) / n, (p - l1, u1 - p), (q - l2, u2 - q), phi)
