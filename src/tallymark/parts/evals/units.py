"""Statistics of units that each have a sum and a size: means, differences, repeated answers.

A unit is whatever is independent of the others: a question, or a cluster of questions. Its sum
``s`` adds the grades of its questions, from 0 to 1 each, and its size ``m`` their weights.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark import InputError
from tallymark.core import BetaPosterior, Floats, beta_interval, many, mcnemar, quantile, wilson

FEWEST_CLUSTERS = 10
"""With fewer clusters, an interval says little, and a warning says so."""

FEWEST_QUESTIONS = 10
"""Coverage was measured from this number of questions on."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """An estimate with its interval, and the p-value of its null hypothesis if it has one."""

    value: float
    low: float
    high: float
    variance: float
    method: str
    p_value: float = math.nan


# -- intervals of one mean -----------------------------------------------------------------------


def beta_plus_one(
    sums: Any, sizes: Any, *, counts: Any = 1.0, strata: NDArray[Any] | None = None
) -> BetaPosterior:
    """Return the posterior of a mean with one more unit, whose grade is 0 or 1 by chance.

    Of G units with sums s, sizes m, T = Σm and the mean size m̄ = T / G, the mean and the variance
    of the beta distribution are

        μ = (Σs + m̄/2) / (T + m̄),
        v = (Σ(s - μm)² + m̄²μ²/2 + m̄²(1 - μ)²/2) / (T + m̄)² · (G + 1) / G.

    Parameters
    ----------
    sums, sizes : arrays (G,)
        Sums from 0 to the size of each unit.
    counts : array (G,), optional
        How many units have this sum and size.
    strata : array (G,) of codes, optional
        Units of each stratum vary about their own mean, with n / (n - 1) for its n units.

    Examples
    --------
    >>> posterior = beta_plus_one([0, 2, 1, 4, 4, 1], [1, 3, 1, 7, 5, 2])
    >>> [round(bound, 4) for bound in posterior.bounds(0.95)]
    [0.4099, 0.7969]

    """
    s, m = np.asarray(sums, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    n = np.broadcast_to(np.asarray(counts, dtype=np.float64), s.shape)
    units, total, sum_of_all = float(n.sum()), float(n @ m), float(n @ s)
    extra = total / units
    mean = (sum_of_all + extra / 2) / (total + extra)
    if strata is None:
        squares = float(n @ (s - mean * m) ** 2)
    else:
        squares = float(_about_strata(s, m, strata, mean).sum())
    added = extra**2 * (mean**2 + (1 - mean) ** 2) / 2
    variance = (squares + added) / (total + extra) ** 2 * (units + 1) / units
    return BetaPosterior(sum_of_all / total, mean, variance)


def _about_strata(s: Floats, m: Floats, strata: NDArray[Any], mean: float) -> Floats:
    """Return the squared deviations of units from the mean of their stratum; single ones' from all.

    They are multiplied by n / (n - 1), so that their sum has no bias.
    """
    units = np.bincount(strata)
    own = np.bincount(strata, s) / np.maximum(np.bincount(strata, m), 1e-300)
    several = units > 1
    centre = np.where(several, own, mean)[strata]
    factor = np.where(several, units / np.maximum(units - 1, 1), 1.0)[strata]
    squares: Floats = factor * (s - centre * m) ** 2
    return squares


# -- several answers to a question: pass@k, pass^k, consistency -----------------------------------


def pass_at(right: Floats, answers: Floats, k: int) -> Floats:
    """Return the probability that at least one of k answers is right: 1 - C(n-c, k) / C(n, k).

    ``right`` are the c right ones of n ``answers`` of each question. Sources: chen2021.

    >>> pass_at(np.array([0.0, 7.0]), np.array([8.0, 8.0]), 2).tolist()
    [0.0, 1.0]
    """
    return 1 - pass_all(answers - right, answers, k)


def pass_all(right: Floats, answers: Floats, k: int) -> Floats:
    """Return the probability that all of k answers are right: C(c, k) / C(n, k).

    Sources: yao2024.

    >>> pass_all(np.array([4.0]), np.array([8.0]), 2).round(4).tolist()
    [0.2143]
    """
    out = np.ones(len(right))
    for i in range(k):
        out *= np.maximum(right - i, 0) / (answers - i)
    return out


def consistency(right: Floats, answers: Floats) -> Floats:
    """Return the share of pairs of answers to each question that are both right or both wrong.

    >>> consistency(np.array([0.0, 3.0]), np.array([4.0, 4.0])).tolist()
    [1.0, 0.5]
    """
    wrong = answers - right
    alike = right * (right - 1) + wrong * (wrong - 1)
    share: Floats = alike / (answers * (answers - 1))
    return share


# -- differences ---------------------------------------------------------------------------------


def jackknife_t(sums: Floats, sizes: Floats, level: float) -> Bounds:
    """Return a ratio Σs / Σm, its delete-one-unit standard error and Student's t interval.

    The null hypothesis is 0.
    """
    from scipy.special import stdtr, stdtrit

    units, total, sum_of_all = len(sums), float(sizes.sum()), float(sums.sum())
    value = sum_of_all / total
    without = (sum_of_all - sums) / (total - sizes)
    variance = (units - 1) / units * float(((without - value) ** 2).sum())
    error = math.sqrt(variance)
    half = float(stdtrit(units - 1, (1 + level) / 2)) * error
    t = abs(value) / error if error > 0 else math.inf if value else 0.0
    p = 2 * float(stdtr(units - 1, -t)) if t else 1.0
    return Bounds(value, value - half, value + half, variance, "delete-one jackknife, t", p)


MID_P = "posterior with one more question; McNemar's mid-p test"


def difference_of_shares(only_first: int, only_second: int, n: int, level: float) -> Bounds:
    """Return the difference of two proportions of the same n questions, with McNemar's mid-p value.

    The interval is that of (d + 1) / 2 by :func:`beta_plus_one`. In the rare cases where the test
    and the interval disagree about 0, both say that no difference is proved.

    >>> b = difference_of_shares(9, 13, 80, 0.95)
    >>> round(b.low, 4), round(b.high, 4), round(b.p_value, 4)
    (-0.1652, 0.0671, 0.4049)
    """
    counts = [only_first, only_second, n - only_first - only_second]
    posterior = beta_plus_one([1.0, 0.0, 0.5], np.ones(3), counts=counts)
    value = (only_first - only_second) / n
    low, high = (2 * bound - 1 for bound in posterior.bounds(level))
    p = mcnemar(only_first, only_second).p_value
    excluded = not min(low, value) <= 0 <= max(high, value)
    if excluded and p >= 1 - level:
        low, high = min(low, 0.0), max(high, 0.0)
    elif not excluded and p < 1 - level:
        p = max(posterior.p_value(0.5), 1 - level)
    variance = ((only_first + only_second) / n - value**2) / n
    return Bounds(value, min(low, value), max(high, value), variance, MID_P, p)


def win_bounds(wins: int, losses: int, ties: int, level: float) -> Bounds:
    """Return the share of wins, ties counted as half, with its interval and the sign test."""
    both = difference_of_shares(wins, losses, wins + losses + ties, level)
    value, low, high = ((x + 1) / 2 for x in (both.value, both.low, both.high))
    return Bounds(value, low, high, both.variance / 4, "posterior with one more case", both.p_value)


# -- what can be shown ---------------------------------------------------------------------------


def smallest_difference(
    n: float, disagreement: float, z: float, z_power: float, most: float | None = None
) -> float:
    """Return the smallest difference d that n questions show, NaN if they show none.

    It solves Connor's equation, with q the share of questions on which the models disagree:

        d √n = z √q + z_power √(q - d²)

    ``most`` is the largest possible difference, by default q. Sources: connor1987.

    >>> round(smallest_difference(100, 0.2, 1.959964, 0.8416212), 5)
    0.12382
    """
    root = n - z**2 + z_power**2
    if disagreement <= 0 or root < 0:
        return math.nan
    d = math.sqrt(disagreement) * (z * math.sqrt(n) + z_power * math.sqrt(root)) / (n + z_power**2)
    return d if d <= (disagreement if most is None else most) else math.nan


def questions_needed(difference: float, disagreement: float, z: float, z_power: float) -> float:
    """Return the number of questions that show a difference: the inverse of the above.

    >>> round(questions_needed(0.02, 0.15, 1.959964, 0.8416212))
    2941
    """
    spread = z * math.sqrt(disagreement) + z_power * math.sqrt(disagreement - difference**2)
    ratio = spread / difference
    return ratio * ratio


# -- units of questions --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Units:
    """How questions form units: their weights, clusters and strata, each None if there are none.

    ``cluster`` and ``strata`` are codes from 0 on.
    """

    questions: int
    weights: Floats | None = None
    cluster: NDArray[Any] | None = None
    strata: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        if self.cluster is not None and self.number < 2:
            raise InputError(
                f"all {many(self.questions, 'question')} are in one cluster, so nothing shows how "
                "clusters vary; name another column with cluster=..., or leave it out"
            )

    @property
    def number(self) -> int:
        """The number of units."""
        return self.questions if self.cluster is None else int(self.cluster.max()) + 1

    @property
    def plain(self) -> bool:
        """Whether questions are independent and have equal weights."""
        return self.weights is None and self.cluster is None

    def sums(self, values: Floats) -> tuple[Floats, Floats]:
        """Return the sums and the sizes of units."""
        weights = np.ones(self.questions) if self.weights is None else self.weights
        weighted = values if self.weights is None else values * weights
        if self.cluster is None:
            return weighted, weights
        sums, sizes = (np.bincount(self.cluster, x) for x in (weighted, weights))
        return np.asarray(sums, dtype=np.float64), np.asarray(sizes, dtype=np.float64)

    def posterior(self, values: Floats) -> BetaPosterior:
        """Return the posterior of the mean of values from 0 to 1."""
        strata = self.strata if self.cluster is None else None
        return beta_plus_one(*self.sums(values), strata=strata)

    def mean(self, values: Floats, level: float, *, shares: bool, exact: bool = False) -> Bounds:
        """Return the mean of values from 0 to 1; ``shares`` says that each is 0 or 1."""
        n = self.questions
        if self.plain and shares:
            right = float(values.sum())
            p = right / n
            if exact:
                low, high = map(float, beta_interval(right, n, level))
                bounds, method = (low, high), "Clopper-Pearson"
            else:
                bounds, method = _wilson(p, n, level), "Wilson"
            return Bounds(p, *bounds, p * (1 - p) / n, method)
        if exact:
            raise InputError(
                "method='clopper-pearson' is for grades of 0 and 1, one for each question, without "
                "clusters; leave it out"
            )
        posterior = self.posterior(values)
        what = "question" if self.cluster is None else "cluster"
        method = f"posterior with one more {what}"
        bounds = posterior.bounds(level)
        return Bounds(posterior.value, *bounds, posterior.variance, method)

    def difference(self, first: Floats, second: Floats, level: float, *, shares: bool) -> Bounds:
        """Return the mean of first - second, and whether it is 0."""
        d = first - second
        if self.plain and shares:
            only_first, only_second = (int(np.count_nonzero(d == sign)) for sign in (1, -1))
            return difference_of_shares(only_first, only_second, len(d), level)
        if self.cluster is not None:
            bounds = jackknife_t(*self.sums(d), level)
            if bounds.variance > 0 or not d.any():
                low, high = max(bounds.low, -1.0), min(bounds.high, 1.0)
                return Bounds(
                    bounds.value, low, high, bounds.variance, bounds.method, bounds.p_value
                )
        posterior = self.posterior((d + 1) / 2)
        low, high = (2 * bound - 1 for bound in posterior.bounds(level))
        s, m = self.sums(d)
        value = float(s.sum() / m.sum())
        variance = float(((s - value * m) ** 2).sum() / m.sum() ** 2)
        if self.strata is not None and self.cluster is None:
            variance = float(_about_strata(s, m, self.strata, value).sum() / m.sum() ** 2)
        return Bounds(
            value, low, high, variance, "posterior with one more unit", posterior.p_value(0.5)
        )

    def disagreement(self, bounds: Bounds) -> float:
        """Return the share of independent questions with as much disagreement as this variance."""
        return self.questions * bounds.variance + bounds.value**2


def _wilson(p: float, n: int, level: float) -> tuple[float, float]:
    low, high = wilson(p * n, n, quantile(level))
    return float(low), float(high)
