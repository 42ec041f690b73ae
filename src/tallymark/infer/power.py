"""Compute the power of tests and the variance of ROC areas from numbers of rows.

These are pure functions over arrays; :mod:`tallymark.infer.plan` offers them to users.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

MOST_ROWS = 10**9
MOST_SUMMED = 1_000_000
"""Largest number of rows for which exact tests are summed: at most ten seconds of work."""

_BLOCK = 4096
_SMOOTH = 10.0
"""Variance of the number of discordant rows above which the steps of a sign test average out:
their remaining effect on the power is below exp(-2 * 10), less than the effect of one row."""


def z_power(
    effect: Any,
    null_error: Any,
    error: Any,
    alpha: float,
    two_sided: bool,
    degrees: Any = math.inf,
) -> Array:
    """Return the probability that an estimate lies beyond z standard errors of the null.

    ``effect`` is the distance of the truth from the null, ``null_error`` the standard error that
    the test uses, ``error`` the true one. If the test estimates its error with ``degrees`` of
    freedom, Student's t replaces z.

    >>> round(float(z_power(0.2, 0.07, 0.07, 0.05, True)), 4)
    0.8152
    >>> round(float(z_power(0.2, 0.07, 0.07, 0.05, True, degrees=20)), 4)
    0.7797
    """
    from scipy.special import ndtr, ndtri, stdtrit

    share, is_normal = 1 - alpha / (2 if two_sided else 1), np.isinf(degrees)
    z = np.where(is_normal, ndtri(share), stdtrit(np.where(is_normal, 1.0, degrees), share))
    out = ndtr((effect - z * null_error) / error)
    return np.asarray(out + ndtr((-effect - z * null_error) / error) if two_sided else out)


def rows_for_effect(
    effect: float, error: float, rows: float, alpha: float, two_sided: bool, power: float = 0.8
) -> int | None:
    """Return the least n at which a test of an effect has the given power; None if out of reach.

    The standard error is ``error`` on ``rows`` rows and ``error`` √(rows / n) on n. The test has
    size ``alpha``, or half of it if one-sided. Use an effect that matters in practice, not the
    observed one: power at an observed effect only restates its p-value.

    Source: hoenig2001.

    >>> rows_for_effect(0.1, 0.05, 200, 0.05, True)  # 200 (2.8016 * 0.05 / 0.1)²
    393
    """

    def reached(n: Array) -> Array:
        at_n = error * np.sqrt(rows / n)
        return z_power(effect, at_n, at_n, alpha if two_sided else alpha / 2, two_sided)

    return least(reached, power)


# -- proportions -----------------------------------------------------------------------------------


def binomial_power(
    n: Any, expected: float, reference: float, alpha: float, two_sided: bool
) -> Array:
    """Return the power of the exact binomial test, which takes at most alpha/2 from each tail.

    One-sided, it tests in the direction of ``expected``.

    >>> binomial_power([20, 21], 0.9, 0.6, 0.05, False).round(4).tolist()
    [0.867, 0.9478]
    """
    n = np.asarray(n)
    sides = [(expected, reference), (1 - expected, 1 - reference)]
    if not two_sided:
        sides = [side for side in sides if side[0] > side[1]]
    return np.asarray(sum(_above(n, p, null, alpha / len(sides)) for p, null in sides))


def _above(n: Array, p: float, null: float, alpha: float) -> Array:
    from scipy.stats import binom

    # The least count with an upper tail of at most alpha under the null.
    return np.asarray(binom.sf(binom.isf(alpha, n, null), n, p))


def enough(expected: float, reference: float, alpha: float, power: float) -> float:
    """Return a number of rows beyond which the one-sided exact binomial test has enough power.

    This is Chernoff's bound on both tails: with x such that KL(x, reference) = ln(1/alpha)/n, the
    test rejects above nx, and fails to reject with probability at most exp(-n KL(x, expected)).
    """
    from scipy.special import rel_entr

    def kl(x: float, p: float) -> float:
        return float(rel_entr(x, p) + rel_entr(1 - x, 1 - p))

    false_alarm, miss = -math.log(alpha), -math.log1p(-power)
    low, high = reference, expected
    for _ in range(200):
        x = (low + high) / 2
        enough = kl(x, reference) * miss > kl(x, expected) * false_alarm
        low, high = (low, x) if enough else (x, high)
    distance = kl(low, reference)
    return math.ceil(false_alarm / distance) if distance > 0 else math.inf


def least_binomial(
    expected: float, reference: float, alpha: float, power: float, two_sided: bool
) -> int | None:
    """Return the least n from which the power stays at or above the target; None if out of reach.

    More rows may have less power, because the test takes whole counts. So search downwards from a
    bound, and return one more than the last n that falls short.
    """
    bound = enough(expected, reference, alpha / (2 if two_sided else 1), power)
    if bound > MOST_SUMMED:
        return None
    return _stays(
        lambda n: binomial_power(n, expected, reference, alpha, two_sided), power, int(bound)
    )


def _stays(values: Callable[[Array], Array], target: float, bound: int, first: int = 1) -> int:
    """Return the least n from which all values up to the bound are at or above a target."""
    for high in range(bound, first - 1, -_BLOCK):
        n = np.arange(max(high - _BLOCK + 1, first), high + 1)
        short = n[values(n) < target]
        if len(short):
            return int(short[-1]) + 1
    return first


def least(values: Callable[[Array], Array], target: float, start: int = 1) -> int | None:
    """Return the least n from which rising values are at or above a target; None if out of reach.

    Values may dip slightly, because the rows of each class are rounded to whole numbers; so the
    following n are checked too.
    """
    high = start
    while values(np.array([high]))[0] < target:
        if high > MOST_ROWS:
            return None
        high *= 2
    if high > start:
        high = _halved(values, target, high // 2, high)
    return _stays(values, target, high + _BLOCK - 1, high)


def _halved(values: Callable[[Array], Array], target: float, low: int, high: int) -> int:
    """Return the least n above ``low`` whose value is at or above a target."""
    between = range(low + 1, high)
    return low + 1 + bisect_left(between, target, key=lambda n: values(np.array([n]))[0])


# -- areas under the ROC curve ---------------------------------------------------------------------


def hanley_mcneil(area: float, m: Any, n: Any) -> Array:
    """Return Hanley and McNeil's variance of the area, for exponential scores."""
    q1, q2 = area * (1 - area) ** 2 / (2 - area), area**2 * (1 - area) / (1 + area)
    return _of_pairs(area, q1, q2, m, n)


def binormal(area: float, m: Any, n: Any) -> Array:
    """Return the variance of the area for normal scores of equal spread, exact.

    Two positives both score above one negative with probability P(Z1 <= h, Z2 <= h), where
    h = probit(area) and the normal variables have correlation 1/2.
    """
    both = float(orthant_covariance(area, area, 0.5))
    return _of_pairs(area, both, both, m, n)


def _of_pairs(area: float, q1: float, q2: float, m: Any, n: Any) -> Array:
    """Return the variance of a Mann-Whitney statistic.

    V = (A(1-A) + (m-1) q1 + (n-1) q2) / (mn), where A² + q1 is the probability that two positives
    score above one negative, and A² + q2 that one positive scores above two negatives.
    """
    m, n = np.asarray(m, dtype=float), np.asarray(n, dtype=float)
    return np.asarray((area * (1 - area) + (m - 1) * q1 + (n - 1) * q2) / (m * n))


def area_degrees(m: Any, n: Any) -> Array:
    """Return the degrees of freedom of the variance of an area estimated from m and n rows.

    Welch's formula over the terms of both classes, which are assumed proportional to 1/m and 1/n.

    >>> area_degrees(20, [20, 180, 10**6]).round(1).tolist()
    [38.0, 23.4, 19.0]
    """
    m, n = np.asarray(m, dtype=float), np.asarray(n, dtype=float)
    parts = 1 / (m**2 * np.maximum(m - 1, 1e-9)) + 1 / (n**2 * np.maximum(n - 1, 1e-9))
    return np.asarray(np.maximum((1 / m + 1 / n) ** 2 / parts, 1.0))


def obuchowski(area: float, m: Any, n: Any) -> Array:
    """Return Obuchowski's large-sample binormal variance of the area, meant for ratings.

    V = exp(-a²/2) / (32 pi) * ((5a² + 8)/m + (a² + 8)/n), a = sqrt(2) probit(area).
    """
    from scipy.special import ndtri

    a2 = 2 * ndtri(area) ** 2
    m, n = np.asarray(m, dtype=float), np.asarray(n, dtype=float)
    return np.asarray(np.exp(-a2 / 2) / (32 * np.pi) * ((5 * a2 + 8) / m + (a2 + 8) / n))


VARIANCES: Mapping[str, tuple[Callable[[float, Any, Any], Array], str, str]] = {
    "binormal": (binormal, "exact binormal variance", "bamber1975"),
    "hanley-mcneil": (hanley_mcneil, "Hanley-McNeil variance", "hanley1982"),
    "obuchowski": (obuchowski, "Obuchowski's binormal variance", "obuchowski1998"),
}


def orthant_covariance(first: float, second: float, correlation: Any) -> Array:
    """Return P(Z1 <= h, Z2 <= k) - first * second, with h and k the probits of both.

    The derivative of this probability in the correlation is the density at (h, k) (Plackett 1954).
    Integrating it avoids cancellation if the correlation is small. ``correlation`` may have any
    shape.

    >>> orthant_covariance(0.5, 0.5, [0.5, 1]).round(6).tolist()  # 1/3 - 1/4, 1/2 - 1/4
    [0.083333, 0.25]
    """
    from scipy.special import ndtri

    r = np.asarray(correlation, dtype=float)[..., None]
    sign = np.where(r < 0, -1, 1)  # for -r the sign flips, with -k in place of k
    h, k, end = ndtri(first), sign * ndtri(second), np.arcsin(np.abs(r))
    # The tanh-sinh rule (Takahasi and Mori 1974) has dense nodes at the ends, where the density may
    # drop sharply if the correlation is near 1; errors are below 1e-12 for any correlation.
    t, width = np.linspace(-3.3, 3.3, 256, retstep=True)
    share = 1 / (1 + np.exp(np.pi * np.sinh(t)))
    step = end * share * (1 - share) * np.pi * np.cosh(t) * width
    angle = end * (1 - share)  # correlation = sin(angle) removes the root from the density
    density = np.exp(-((h - k) ** 2) / (2 * np.cos(angle) ** 2) - h * k / (1 + np.sin(angle)))
    return np.asarray((sign * density * step).sum(-1) / (2 * math.pi))


def binormal_covariance(
    first: float, second: float, of_positives: float, of_negatives: float, m: Any, n: Any
) -> Array:
    """Return the covariance of two areas of normal scores on the same rows.

    ``of_positives`` and ``of_negatives`` are the correlations of the two scores within each class.
    The score differences of two positive-negative pairs correlate by the mean of both if the pairs
    are identical, and by half of one if they share that row.
    """
    m, n = np.asarray(m, dtype=float), np.asarray(n, dtype=float)
    correlations = (of_positives + of_negatives) / 2, of_negatives / 2, of_positives / 2
    same, negative, positive = orthant_covariance(first, second, correlations)
    return np.asarray((same + (m - 1) * negative + (n - 1) * positive) / (m * n))


# -- McNemar's test --------------------------------------------------------------------------------


def connor_power(n: Any, more: float, less: float, alpha: float, two_sided: bool) -> Array:
    """Return the power of McNemar's z-test (Connor 1987) from the shares of discordant rows."""
    psi, d = more + less, more - less
    n = np.asarray(n, dtype=float)
    true = max(psi - d**2, 1e-300)  # 0 if all rows are discordant in one direction
    return z_power(d, np.sqrt(psi / n), np.sqrt(true / n), alpha, two_sided)


def sign_powers(most: int, share: float, alpha: float, two_sided: bool, mid_p: bool) -> Array:
    """Return the power of the sign test for 0 to ``most`` discordant rows, a share of them wins.

    It rejects if the probability of at most this many losses is at most alpha (alpha/2 if
    two-sided); the mid-p test subtracts half of the last term.
    """
    from scipy.stats import binom

    d = np.arange(most + 1)
    alpha /= 2 if two_sided else 1
    last = binom.ppf(alpha, d, 0.5)
    last = np.where(binom.cdf(last, d, 0.5) > alpha, last - 1, last)
    if mid_p:
        one_more = (binom.cdf(last, d, 0.5) + binom.cdf(last + 1, d, 0.5)) / 2 <= alpha
        last = np.where(one_more, last + 1, last)
    power = binom.cdf(last, d, 1 - share)
    if two_sided:
        power = power + binom.cdf(last, d, share)
    return np.where(last < 0, 0.0, power)


def mcnemar_power(
    n: Any, more: float, less: float, alpha: float, two_sided: bool, mid_p: bool
) -> Array:
    """Return the power of McNemar's exact conditional test, summed over the discordant rows."""
    n = np.asarray(n)
    powers = sign_powers(
        _discordant(int(n.max()), more + less)[1], more / (more + less), alpha, two_sided, mid_p
    )
    return _mixed(n, more + less, powers)


def _discordant(n: int, psi: float) -> tuple[int, int]:
    """Return the range of discordant rows whose probability is not negligible."""
    from scipy.stats import binom

    if psi >= 1:
        return n, n
    return max(int(binom.ppf(1e-15, n, psi)), 0), min(int(binom.isf(1e-15, n, psi)) + 1, n)


def _mixed(n: Array, psi: float, powers: Array) -> Array:
    from scipy.stats import binom

    out = np.empty(len(n))
    # Batch values of n that share nearly the same range of discordant rows.
    step = 64
    for start in range(0, len(n), step):
        some = n[start : start + step]
        low, high = _discordant(int(some.min()), psi)[0], _discordant(int(some.max()), psi)[1]
        d = np.arange(low, high + 1)
        out[start : start + step] = binom.pmf(d, some[:, None], min(psi, 1.0)) @ powers[d]
    return out


def least_mcnemar(
    more: float, less: float, alpha: float, power: float, two_sided: bool, mid_p: bool
) -> int | None:
    """Return the least n from which the exact power stays at the target; None if out of reach."""
    from scipy.stats import nbinom

    psi, share = more + less, more / (more + less)
    side = alpha / (2 if two_sided else 1)
    # Split the type II error: half for too few discordant rows, half for the sign test.
    miss = (1 - power) / 2
    discordant = enough(share, 0.5, side, 1 - miss)
    if discordant > MOST_SUMMED:
        return None
    bound = discordant + float(nbinom.ppf(1 - miss, discordant, min(psi, 1.0)))
    if bound > MOST_SUMMED:
        return None
    high = int(bound)
    most = _discordant(high, psi)[1]
    powers = sign_powers(most, share, alpha, two_sided, mid_p)
    spread = psi * (1 - psi)
    smooth = math.ceil(_SMOOTH / spread) if spread > 0 else high

    def at(n: Array) -> Array:
        return _mixed(n, psi, powers)

    if smooth < high and at(np.array([smooth]))[0] < power:
        return _halved(at, power, smooth, high)
    return _stays(at, power, min(smooth, high))
