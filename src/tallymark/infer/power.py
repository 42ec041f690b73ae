"""Compute the power of tests and the variance of ROC areas from numbers of rows.

These are pure functions over arrays; :mod:`tallymark.infer.plan` offers them to users.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

MOST_ROWS = 10**9
MOST_SUMMED = 1_000_000
"""Largest number of rows for which exact tests are summed: at most ten seconds of work."""

FEW_DISCORDANT = 20
"""With fewer discordant rows, McNemar's exact test decides."""

_BLOCK = 4096
_SMOOTH = 10.0
"""Variance of the number of discordant rows above which the steps of a sign test average out:
their remaining effect on the power is below exp(-2 * 10), less than the effect of one row."""


def z_power(effect: Any, null_error: Any, error: Any, alpha: float, two_sided: bool) -> Array:
    """Return the probability that an estimate lies beyond z standard errors of the null.

    ``effect`` is the distance of the truth from the null, ``null_error`` the standard error that
    the test uses, ``error`` the true one.

    >>> round(float(z_power(0.2, 0.07, 0.07, 0.05, True)), 4)
    0.8152
    """
    from scipy.special import ndtr, ndtri

    z = ndtri(1 - alpha / (2 if two_sided else 1))
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


def _welch(parts: Sequence[Array], rows: Sequence[Array]) -> Array:
    """Return Welch's degrees of freedom of a sum of variances, at least 1."""
    below = sum(part**2 / np.maximum(n - 1, 1e-9) for part, n in zip(parts, rows, strict=True))
    return np.asarray(np.maximum(sum(parts) ** 2 / below, 1.0))


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


class OfRows(NamedTuple):
    """Moments of what one class's rows contribute to DeLong's test, for normal scores.

    A row's influence on the difference of areas is its centred placement ψ; on the variance of
    the own class ψ² - E ψ², and on that of the other class 2 λ, since it moves their placements.
    """

    variance: float
    third: float
    of_square: float
    with_other: float
    square_with_other: float
    of_other: float

    @classmethod
    def of(cls, areas: tuple[float, float], correlation: float, of_others: float) -> OfRows:
        """Return the moments, from the correlation of both scores in this class and the other.

        The score of model k is x + shift of its area, and pairs count where x + y + shift > 0.
        The integrals are sums over even grids, which for normal densities are almost exact.
        """
        from scipy.special import ndtr, ndtri

        shift = math.sqrt(2) * ndtri(areas)
        gap = areas[1] - areas[0]
        z, far = np.linspace(-8, 8, 81), np.linspace(-12, 12, 2001)
        weight, far_weight = (np.exp(-(v**2) / 2) / np.exp(-(v**2) / 2).sum() for v in (z, far))
        weights = weight[:, None] * weight
        x = (z[:, None], correlation * z[:, None] + math.sqrt(1 - correlation**2) * z)
        psi = ndtr(x[1] + shift[1]) - ndtr(x[0] + shift[0]) - gap
        # The placement of a row of the other class, expected from one of its two scores.
        root = math.sqrt(2 - of_others**2)
        known_first = ndtr((of_others * far + shift[1]) / root) - ndtr(far + shift[0]) - gap
        known_second = ndtr(far + shift[1]) - ndtr((of_others * far + shift[0]) / root) - gap
        beyond = (np.cumsum((v * far_weight)[::-1]) for v in (known_first, known_second))
        first, second = (
            np.interp(a + h, -far[::-1], b) for a, h, b in zip(x, shift, beyond, strict=True)
        )

        def mean(values: Array) -> float:
            return float((values * weights).sum())

        other = second - first
        other = other - mean(other)
        square = psi**2 - mean(psi**2)
        means = (psi**2, psi**3, square**2, psi * other, square * other, other**2)
        return cls(*map(mean, means))


class DeLongTest(NamedTuple):
    """How the difference of two areas and its estimated variance vary together.

    A larger difference has fewer rows that either model ranks wrongly, or more that only one does:
    its estimated error then varies with it, so that the power is not that of a normal variable with
    a known error. ``pairs`` is the variance of one pair that the rows of both do not explain.
    """

    positives: OfRows
    negatives: OfRows
    pairs: float

    @classmethod
    def of(
        cls, first: float, second: float, of_positives: float, of_negatives: float
    ) -> DeLongTest:
        """Return the facts of the second area minus the first, from correlations of the scores."""
        areas, inside = (first, second), (of_positives, of_negatives)
        each = OfRows.of(areas, *inside), OfRows.of(areas, *inside[::-1])
        both = float(orthant_covariance(first, second, sum(inside) / 2)) + first * second
        explained = (second - first) ** 2 + each[0].variance + each[1].variance
        return cls(*each, max(first + second - 2 * both - explained, 0.0))

    def power(self, effect: float, error: Any, m: Any, n: Any, alpha: float, *, far: bool) -> Array:
        """Return the probability that the interval of a comparison excludes the null value.

        It does if D > t √V + U, with V DeLong's variance, t of Welch's degrees of freedom, and U
        the correction for skewness. D - t √V is taken as normal, with the moments of V to first
        order in 1/m and 1/n; ``effect`` and ``error`` are the mean and standard error of D,
        ``alpha`` the tail of t, ``far`` whether the tail on the wrong side counts.
        """
        from scipy.special import ndtr, stdtrit

        m, n = np.asarray(m, dtype=float), np.asarray(n, dtype=float)
        classes = (self.positives, m, n), (self.negatives, n, m)
        parts = [own.variance / rows for own, rows, _ in classes]
        variance = sum(parts) + self.pairs / (m * n)
        with_gap = sum(
            own.third / rows**2 + 2 * own.with_other / (rows * others)
            for own, rows, others in classes
        )
        of_variance = sum(
            own.of_square / rows**3
            + 4 * own.square_with_other / (rows**2 * others)
            + 4 * own.of_other / (rows * others**2)
            for own, rows, others in classes
        )
        skew = sum(own.third / rows**2 for own, rows, _ in classes) / variance**1.5
        t = stdtrit(_welch(parts, (m, n)), 1 - alpha)
        # The standard deviation of the estimated error, and its covariance with D, in true errors.
        spread = np.sqrt(of_variance) / (2 * variance)
        few = np.minimum(1.0, MOST_SPREAD / spread)
        spread, together = few * spread, few * with_gap / (2 * variance**1.5)
        estimated = np.sqrt(1 + self.pairs / (m * n * variance)) / (1 + spread**2 / 2)

        def beyond(side: int) -> Array:
            away = side * effect / error - t * estimated - np.maximum(-side * skew, 0) * t**2 / 2
            return np.asarray(ndtr(away / np.sqrt(1 + (t * spread) ** 2 - 2 * side * t * together)))

        return beyond(1) + beyond(-1) if far else beyond(1)


MOST_SPREAD = 0.3
"""Largest coefficient of variation of an estimated error for which its moments to first order are
used; classes of 10 rows or more have less."""


def score_correlation(first: float, second: float, correlation: float, share: float) -> float:
    """Return the correlation of normal scores, the same in both classes, from that of the areas.

    At most 0.999 in absolute value.

    >>> round(score_correlation(0.8, 0.85, 0.4452, 0.3), 2)
    0.5
    """
    from scipy.optimize import brentq

    m, n = share * 1e6, (1 - share) * 1e6
    errors = math.sqrt(float(binormal(first, m, n) * binormal(second, m, n)))

    def excess(r: float) -> float:
        return float(binormal_covariance(first, second, r, r, m, n)) / errors - correlation

    low, high = -0.999, 0.999
    if excess(high) <= 0 or excess(low) >= 0:
        return high if excess(high) <= 0 else low
    return float(brentq(excess, low, high))


# -- Cohen's kappa ---------------------------------------------------------------------------------


def ratings(kappa: float, first: float, second: float) -> Array:
    """Return the shares of the four pairs of ratings of two raters, by kappa and both shares.

    ``first`` and ``second`` are the shares of rows that each rater calls positive. A share is
    negative if no ratings have this kappa.

    >>> ratings(0.6, 0.5, 0.5).round(3).tolist()
    [[0.4, 0.1], [0.1, 0.4]]
    """
    by_chance = first * second + (1 - first) * (1 - second)
    both = (kappa * (1 - by_chance) + by_chance - 1 + first + second) / 2
    return np.array([[both, first - both], [second - both, 1 - first - second + both]])


def kappa_variance(kappa: float, first: float, second: float) -> float:
    """Return n times the large-sample variance of Cohen's kappa of two raters.

    With pₑ the agreement by chance and p the :func:`ratings`, it is (Σᵢ pᵢᵢ (1 - (rᵢ + sᵢ)(1 - κ))²
    + (1 - κ)² Σᵢ≠ⱼ pᵢⱼ (sᵢ + rⱼ)² - (κ - pₑ (1 - κ))²) / (1 - pₑ)², where r and s are the shares of
    the first and of the second rater.

    Source: fleiss1969.

    >>> round(kappa_variance(0.6, 0.5, 0.5), 4)  # 1 - κ² for equal shares of one half
    0.64
    """
    p, rest = ratings(kappa, first, second), 1 - kappa
    r, s = np.array([first, 1 - first]), np.array([second, 1 - second])
    by_chance = float(r @ s)
    agree = float((np.diag(p) * (1 - (r + s) * rest) ** 2).sum())
    sums = (s[:, None] + r) ** 2 * p
    differ = rest**2 * float(sums.sum() - np.trace(sums))
    return (agree + differ - (kappa - by_chance * rest) ** 2) / (1 - by_chance) ** 2


# -- McNemar's test --------------------------------------------------------------------------------


def connor_power(n: Any, more: float, less: float, alpha: float, two_sided: bool) -> Array:
    """Return the power of McNemar's z-test (Connor 1987) from the shares of discordant rows."""
    psi, d = more + less, more - less
    n = np.asarray(n, dtype=float)
    true = max(psi - d**2, 1e-300)  # 0 if all rows are discordant in one direction
    return z_power(d, np.sqrt(psi / n), np.sqrt(true / n), alpha, two_sided)


def sign_powers(most: int, share: float, alpha: float, two_sided: bool, test: str) -> Array:
    """Return the power of McNemar's test for each number of discordant rows from 0 to ``most``.

    ``share`` is the probability that a discordant row favours the better model.

    The exact test rejects if the probability of at most this many losses is at most alpha (alpha/2
    if two-sided); "mid-p" subtracts half of the last term. "compare" is the rule of a comparison:
    the chi-square test, which with fewer than 20 discordant rows must agree with the exact one.

    >>> powers = [sign_powers(21, 0.8, 0.05, True, test)[21] for test in ("exact", "compare")]
    >>> np.round(powers, 4).tolist()
    [0.7693, 0.8915]
    """
    from scipy.special import ndtri
    from scipy.stats import binom

    d = np.arange(most + 1)
    alpha /= 2 if two_sided else 1
    last = binom.ppf(alpha, d, 0.5)
    last = np.where(binom.cdf(last, d, 0.5) > alpha, last - 1, last)
    if test == "mid-p":
        one_more = (binom.cdf(last, d, 0.5) + binom.cdf(last + 1, d, 0.5)) / 2 <= alpha
        last = np.where(one_more, last + 1, last)
    elif test == "compare":
        by_chi_square = np.ceil((d - ndtri(1 - alpha) * np.sqrt(d)) / 2) - 1
        last = np.where(d < FEW_DISCORDANT, np.minimum(last, by_chi_square), by_chi_square)
    power = binom.cdf(last, d, 1 - share)
    if two_sided:
        power = power + binom.cdf(last, d, share)
    return np.where(last < 0, 0.0, power)


def mcnemar_power(
    n: Any, more: float, less: float, alpha: float, two_sided: bool, test: str
) -> Array:
    """Return the power of one of McNemar's tests, summed over the number of discordant rows."""
    n = np.asarray(n)
    powers = sign_powers(
        _discordant(int(n.max()), more + less)[1], more / (more + less), alpha, two_sided, test
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
    more: float, less: float, alpha: float, power: float, two_sided: bool, test: str
) -> int | None:
    """Return the least n from which the power stays at the target; None if out of reach."""
    from scipy.stats import nbinom

    psi, share = more + less, more / (more + less)
    side = alpha / (2 if two_sided else 1)
    # Split the type II error: half for too few discordant rows, half for the sign test.
    miss = (1 - power) / 2
    if test == "compare":  # by Hoeffding's bounds on both errors of the chi-square test
        of_errors = math.sqrt(-math.log(side)) + math.sqrt(-math.log(miss))
        discordant = max(FEW_DISCORDANT, (of_errors / max(share - 0.5, 1e-9)) ** 2 / 2)
    else:
        discordant = enough(share, 0.5, side, 1 - miss)
    if discordant > MOST_SUMMED:
        return None
    bound = math.ceil(discordant) + float(
        nbinom.ppf(1 - miss, math.ceil(discordant), min(psi, 1.0))
    )
    if bound > MOST_SUMMED:
        return None
    high = int(bound)
    most = _discordant(high, psi)[1]
    powers = sign_powers(most, share, alpha, two_sided, test)
    spread = psi * (1 - psi)
    smooth = math.ceil(_SMOOTH / spread) if spread > 0 else high

    def at(n: Array) -> Array:
        return _mixed(n, psi, powers)

    if smooth < high and at(np.array([smooth]))[0] < power:
        return _halved(at, power, smooth, high)
    return _stays(at, power, min(smooth, high))
