"""Several classifiers over data sets: mean ranks, tests of them, and Bayesian comparisons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tallymark.display import Display
from tallymark.errors import InputError, check_word
from tallymark.metric.correlation import midranks
from tallymark.metric.measure import fields_of
from tallymark.metric.proportion import quantile
from tallymark.studies.folds import (
    check_ratio,
    differences,
    mean_error,
    no_spread,
)
from tallymark.tally.arrays import Floats

Ties = Literal["corrected", "plain"]
TIES_OF_RANKS: tuple[Ties, ...] = ("corrected", "plain")

DRAWS = 50_000
PRIOR = 0.5
"""The weight of the prior's one pseudo-result, in data sets: no difference (Benavoli et al.)."""

_AT_ONCE = 4096


# -- ranks -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class Friedman(Display):
    """Whether the mean ranks of classifiers over data sets differ more than chance would make them.

    ``statistic`` is Friedman's chi squared with ``df`` degrees of freedom; ``f`` Iman and
    Davenport's with ``f_df``, which is less conservative and is the one to go by. ``ranks`` are the
    mean ranks, 1 the best. The numbers are NaN if and only if ``reason`` says why.
    """

    datasets: int
    ranks: tuple[float, ...]
    ties: Ties
    statistic: float
    df: int
    p_value: float
    f: float
    f_df: tuple[int, int]
    f_p_value: float
    reason: str = ""

    def __post_init__(self) -> None:
        numbers = (self.statistic, self.p_value, self.f, self.f_p_value)
        if any(math.isnan(v) != bool(self.reason) for v in numbers):
            raise ValueError("Friedman's test has numbers, or a reason why not")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON; an infinite F is the text "inf"."""
        names = {"ranks": "mean_ranks", "statistic": "chi2"}
        named = {names.get(k, k): v for k, v in fields_of(self).items()}
        return {**named, "reason": self.reason or None}


def rank_table(values: Any, *, better: str = "high") -> Floats:
    """Return the ranks of classifiers within each data set: 1 the best, equals share their mean.

    Parameters
    ----------
    values : array of float, shape (D, K)
        A row a data set, a column a classifier. Values that differ in their last bits are equal.
    better : {"high", "low"}
        Which values are good.

    Raises
    ------
    InputError
        Fewer than two classifiers, no data set, a missing value, or a direction that does not
        exist.

    Examples
    --------
    >>> rank_table([[0.9, 0.8, 0.8], [0.5, 0.7, 0.6]]).tolist()
    [[1.0, 2.5, 2.5], [3.0, 1.0, 2.0]]

    """
    check_word("better", better, ("high", "low"))
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] < 2 or not len(x):
        raise InputError(
            f"ranks need a table of data sets and two classifiers or more, not shape {x.shape}"
        )
    if not np.isfinite(x).all():
        row, column = np.argwhere(~np.isfinite(x))[0]
        raise InputError(
            f"the value of classifier {column} on data set {row} is missing; leave that data set "
            "out"
        )
    ranks: Floats = midranks(-x if better == "high" else x) + 1
    return ranks


def friedman(values: Any, *, better: str = "high", ties: Ties = "corrected") -> Friedman:
    """Return Friedman's test of K classifiers over D data sets, with Iman and Davenport's F.

    With R_j the sum of ranks of classifier j,
    chi2 = (K-1) sum (R_j - D(K+1)/2)² / (sum of squared ranks - D K (K+1)²/4), with K-1 degrees
    of freedom, and F = (D-1) chi2 / (D(K-1) - chi2) with K-1 and (K-1)(D-1). Where all data sets
    rank alike F is infinite; its p-value is then the chance of so many equal orders.

    Parameters
    ----------
    values : array of float, shape (D, K)
        See :func:`rank_table`.
    better : {"high", "low"}
        Which values are good.
    ties : {"corrected", "plain"}
        The sum of squared ranks as it is, which equal ranks make smaller, or as it would be
        without ties, as Demsar has it: the plain one is the smaller chi2.

    Returns
    -------
    Friedman
        With a reason in place of numbers for one data set, or where all classifiers tie on all.

    Raises
    ------
    InputError
        As :func:`rank_table`, or a rule for ties that does not exist.

    Sources: friedman1937; iman1980; demsar2006.

    Examples
    --------
    >>> test = friedman([[0.9, 0.8, 0.7], [0.9, 0.7, 0.8], [0.6, 0.5, 0.4], [0.8, 0.9, 0.5]])
    >>> test.ranks, test.statistic, round(test.f, 6), round(test.f_p_value, 4)
    ((1.25, 2.0, 2.75), 4.5, 3.857143, 0.0837)

    """
    from scipy.special import chdtrc, fdtrc

    check_word("ties", ties, TIES_OF_RANKS)
    ranks = rank_table(values, better=better)
    d, k = ranks.shape
    common: dict[str, Any] = {"datasets": d, "ranks": tuple(ranks.mean(0).tolist()), "ties": ties,
                              "df": k - 1, "f_df": (k - 1, (k - 1) * (d - 1))}  # fmt: skip
    spread = float((ranks**2).sum()) - d * k * (k + 1) ** 2 / 4
    reason = ""
    if d < 2:
        reason = "one data set gives one order; it takes two or more"
    elif spread <= 0:
        reason = "all classifiers tie on every data set"
    if reason:
        nan = math.nan
        return Friedman(statistic=nan, p_value=nan, f=nan, f_p_value=nan, reason=reason, **common)
    between = float(((ranks.sum(0) - d * (k + 1) / 2) ** 2).sum())
    chi2 = (k - 1) * between / (spread if ties == "corrected" else d * k * (k**2 - 1) / 12)
    left = d * (k - 1) - chi2
    if left <= 1e-9 * d:
        orders = math.factorial(k)
        for n in np.unique(ranks[0], return_counts=True)[1].tolist():
            orders //= math.factorial(n)
        f, f_p = math.inf, math.exp((1 - d) * math.log(orders))
    else:
        f = (d - 1) * chi2 / left
        f_p = float(fdtrc(k - 1, (k - 1) * (d - 1), f))
    return Friedman(
        statistic=chi2, p_value=float(chdtrc(k - 1, chi2)), f=f, f_p_value=f_p, **common
    )


def rank_error(classifiers: int, datasets: int) -> float:
    """Return the standard error of a difference of two mean ranks: sqrt(K (K+1) / (6 D))."""
    return math.sqrt(classifiers * (classifiers + 1) / (6 * datasets))


def critical_difference(classifiers: int, datasets: int, *, level: float = 0.95) -> float:
    """Return Nemenyi's critical difference of mean ranks.

    CD = q sqrt(K (K+1) / (6 D)), q the quantile of the studentized range of K normal means over
    the square root of 2; two classifiers whose mean ranks differ by it or more are told apart.

    >>> round(critical_difference(4, 14), 2), round(critical_difference(4, 14, level=0.9), 2)
    (1.25, 1.12)
    """
    from scipy.optimize import brentq
    from scipy.special import ndtri
    from scipy.stats import studentized_range

    quantile(level)
    if classifiers < 2 or datasets < 1:
        raise InputError(
            f"a critical difference needs two classifiers and a data set, not {classifiers} and "
            f"{datasets}"
        )
    # It lies between the quantiles of one pair and, by Bonferroni, of all of them; SciPy's own
    # search takes seconds for many classifiers.
    pairs = classifiers * (classifiers - 1) / 2
    least, most = (-float(ndtri((1 - level) / 2 / m)) for m in (1, pairs))
    q = least
    if pairs > 1:
        q = brentq(
            lambda x: float(studentized_range.sf(x * 2**0.5, classifiers, np.inf)) - (1 - level),
            least * (1 - 1e-9), most * (1 + 1e-9), xtol=1e-10,
        )  # fmt: skip
    return float(q) * rank_error(classifiers, datasets)


def nemenyi(ranks: Sequence[float], datasets: int) -> Floats:
    """Return Nemenyi's p-value of every pair of mean ranks, [K, K] with ones on the diagonal.

    >>> nemenyi([3.143, 2.0, 2.893, 1.964], 14)[0].round(3).tolist()
    [1.0, 0.089, 0.956, 0.074]
    """
    from scipy.stats import studentized_range

    mean = np.asarray(ranks, dtype=np.float64)
    k = len(mean)
    i, j = np.triu_indices(k, 1)
    q = np.abs(mean[i] - mean[j]) / rank_error(k, datasets) * math.sqrt(2)
    p: Floats = np.ones((k, k))
    p[i, j] = p[j, i] = np.clip(studentized_range.sf(q, k, np.inf), 0.0, 1.0)
    return p


def rank_tests(
    ranks: Sequence[float], datasets: int, pairs: Sequence[tuple[int, int]]
) -> tuple[Floats, Floats]:
    """Return z of pairs of mean ranks, and their two-sided p-values before any adjustment.

    z = (R_i - R_j) / sqrt(K (K+1) / (6 D)), normal where no classifiers differ;
    :func:`tallymark.infer.significance.holm` adjusts for their number, of the comparisons
    with a control or of all pairs.

    Source: demsar2006. That the other classifiers in the table enter, and may change which pairs
    differ, is what benavoli2016 holds against it.

    >>> z, p = rank_tests([3.143, 2.0, 2.893, 1.964], 14, [(0, 1), (0, 2), (0, 3)])
    >>> z.round(3).tolist(), p.round(3).tolist()
    ([2.342, 0.512, 2.416], [0.019, 0.608, 0.016])
    """
    from scipy.special import ndtr

    mean = np.asarray(ranks, dtype=np.float64)
    i, j = np.asarray(pairs, dtype=np.intp).reshape(-1, 2).T
    z: Floats = (mean[i] - mean[j]) / rank_error(len(mean), datasets)
    p: Floats = 2 * ndtr(-np.abs(z))
    return z, p


def groups(ranks: Sequence[float], difference: float) -> tuple[tuple[int, ...], ...]:
    """Return the largest groups of classifiers whose mean ranks all lie within a difference.

    Groups may overlap; a classifier told apart from all others is in none. Best ranks first.

    >>> groups([1.2, 3.9, 2.1, 3.0], 1.5)
    ((0, 2), (2, 3), (3, 1))
    """
    mean = np.asarray(ranks, dtype=np.float64)
    order = np.argsort(mean, kind="stable").tolist()
    out: list[tuple[int, ...]] = []
    reached = 0
    for i, first in enumerate(order):
        end = max(j for j in range(i, len(order)) if mean[order[j]] - mean[first] < difference)
        if end > i and end > reached:
            out.append(tuple(order[i : end + 1]))
            reached = end
    return tuple(out)


# -- how probable a difference is --------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class Posterior(Display):
    """How probable it is that the first classifier's values are lower, about the same, or higher.

    ``within`` is the probability that the difference is no larger than ``rope``, the region of
    practical equivalence; ``below`` and ``above`` that it is larger, in which direction.
    ``draws`` and ``seed`` are 0 of one that is computed without chance. The three are NaN if and
    only if ``reason`` says why.
    """

    method: str
    below: float
    within: float
    above: float
    rope: float
    n: int
    draws: int
    seed: int
    reason: str = ""

    def __post_init__(self) -> None:
        if any(math.isnan(p) != bool(self.reason) for p in (self.below, self.within, self.above)):
            raise ValueError("a posterior has three probabilities, or a reason why not")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, None for what is undefined."""
        return {**fields_of(self), "reason": self.reason or None}


def check_rope(rope: float) -> None:
    """Refuse a region of practical equivalence that is none."""
    if not 0 <= rope < math.inf:
        raise InputError(
            f"rope is {rope}; give the largest difference that does not matter, such as 0.01, or 0"
        )


def correlated_t(a: Any, b: Any, *, ratio: float, rope: float = 0.01) -> Posterior:
    """Return Corani and Benavoli's Bayesian correlated t test over the folds of one data set.

    With a flat prior the mean difference has Student's distribution with n - 1 degrees of
    freedom, the mean of the n differences, and the scale sqrt((1/n + ratio) s²): the numbers of
    :func:`tallymark.studies.folds.corrected_t`, read as probabilities of the difference itself.

    Parameters
    ----------
    a, b : array of float, shape (n,)
        Values of the two classifiers on the same folds.
    ratio : float
        Test rows over training rows of a fold; rho / (1 - rho) of the paper with rho the share of
        test rows.
    rope : float
        The largest difference that does not matter, in the metric's units.

    Returns
    -------
    Posterior
        With a reason in place of numbers where the differences have no spread.

    Raises
    ------
    InputError
        As :func:`tallymark.studies.folds.corrected_t`, or a rope below 0.

    Source: corani2015.

    Examples
    --------
    >>> p = correlated_t([0.9, 0.8, 0.85, 0.95], [0.8, 0.75, 0.85, 0.85], ratio=1 / 3)
    >>> round(p.below, 4), round(p.within, 4), round(p.above, 4)
    (0.0708, 0.0524, 0.8767)

    """
    from scipy.special import stdtr

    check_rope(rope)
    check_ratio(ratio)
    d = differences(a, b)
    common: dict[str, Any] = {"method": "Bayesian correlated t", "rope": rope, "n": len(d),
                              "draws": 0, "seed": 0}  # fmt: skip
    reason = no_spread(d)
    if reason:
        nan = math.nan
        return Posterior(below=nan, within=nan, above=nan, reason=reason, **common)
    df, mean, scale = len(d) - 1, float(d.mean()), mean_error(d, ratio)
    below = float(stdtr(df, (-rope - mean) / scale))
    above = float(stdtr(df, (mean - rope) / scale))
    return Posterior(below=below, within=max(1 - below - above, 0.0), above=above, **common)


def signed_rank(
    a: Any, b: Any, *, rope: float = 0.01, draws: int = DRAWS, seed: int = 0
) -> Posterior:
    """Return the Bayesian signed rank test of two classifiers over data sets.

    The differences z of data sets get weights from a Dirichlet distribution, 1 each and 0.5 for
    the prior's z_0 = 0. A draw's shares are the weighted shares of pairs (i, j), i = j included,
    with (z_i + z_j) / 2 below -rope, within, and above rope; each probability is the share of
    draws in which its share is the largest. With a rope of 0 only below and above compete.

    Parameters
    ----------
    a, b : array of float, shape (n,)
        Values of the two classifiers on the same data sets.
    rope : float
        The largest difference that does not matter, in the metric's units.
    draws, seed : int
        Of the Dirichlet distribution; the probabilities' standard error is at most
        0.5 / sqrt(draws).

    Returns
    -------
    Posterior
        With a reason in place of numbers for no data set, or where every difference is zero and
        the rope too.

    Raises
    ------
    InputError
        Values that are missing or of different numbers, a rope below 0 or no draws.

    Sources: benavoli2014; benavoli2017.

    Examples
    --------
    >>> p = signed_rank([0.9, 0.8, 0.7, 0.9, 0.6], [0.8, 0.75, 0.7, 0.85, 0.58])
    >>> p.below, round(p.within, 2), round(p.above, 2)
    (0.0, 0.06, 0.94)

    """
    return signed_ranks(differences(a, b)[None], rope=rope, draws=draws, seed=seed)[0]


def signed_ranks(
    d: Floats, *, rope: float = 0.01, draws: int = DRAWS, seed: int = 0
) -> list[Posterior]:
    """Return :func:`signed_rank` of every row of differences [P, n], by the same draws.

    >>> [p.above for p in signed_ranks(np.array([[0.1, 0.2], [-0.1, -0.2]]), draws=100)]
    [0.94, 0.0]
    """
    check_rope(rope)
    if draws < 1:
        raise InputError(f"draws is {draws}; give a whole number from 1, such as {DRAWS}")
    pairs, n = d.shape
    z = np.concatenate([np.zeros((pairs, 1)), d], axis=1)
    order = np.argsort(z, axis=1)
    z = np.take_along_axis(z, order, 1)
    # In order of z, the partners that bring a mean below -rope are the first so many, and those
    # that bring it above rope the last.
    slack = 2 * rope * (1 + 1e-9)  # 0.91 - 0.90 is no more than 0.01
    low = np.stack([np.searchsorted(row, -slack - row, "left") for row in z])
    high = np.stack([np.searchsorted(row, slack - row, "right") for row in z])
    rng = np.random.default_rng(seed)
    prior = np.append(PRIOR, np.ones(n))
    won = np.zeros((pairs, 3))
    for start in range(0, draws if n else 0, _AT_ONCE):
        drawn = np.ascontiguousarray(rng.dirichlet(prior, min(_AT_ONCE, draws - start)).T)
        for i in range(pairs):
            w = drawn[order[i]]
            first = np.zeros((n + 2, w.shape[1]))
            np.cumsum(w, axis=0, out=first[1:])
            below = np.einsum("ns,ns->s", w, first[low[i]])
            above = np.einsum("ns,ns->s", w, first[-1] - first[high[i]])
            within = 1 - below - above if rope else np.full_like(below, -1.0)
            shares = np.stack([below, within, above])
            best = shares >= shares.max(0) - 1e-12
            won[i] += (best / best.sum(0)).sum(1)
    out = []
    for row, (below, within, above) in zip(d, (won / draws).tolist(), strict=True):
        reason = ""
        if not n:
            reason = "there is no difference"
        elif not rope and not row.any():
            reason = "every difference is zero"
        if reason:
            below = within = above = math.nan
        out.append(Posterior("Bayesian signed rank", below, within, above, rope, n, draws, seed,
                             reason))  # fmt: skip
    return out
