"""Tests of classifiers by their results: over folds, over data sets, of ranks, Bayesian ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from tallymark.errors import InputError, check_word
from tallymark.infer.corrected_t import (
    FoldTest,
    Reasoned,
    differences,
    fold_test,
    mean_and_error,
    why_no_spread,
)
from tallymark.infer.sampler import Sampler
from tallymark.metric.correlation import midranks
from tallymark.metric.proportion import quantile
from tallymark.tally.arrays import Floats

Zeros = Literal["split", "drop", "pratt"]

ZEROS = {
    "split": ("zsplit", "their ranks go half to each side"),
    "drop": ("wilcox", "they are left out"),
    "pratt": ("pratt", "they are ranked and then left out"),
}
"""What is done with differences of zero: SciPy's name of it, and in words."""

MOST_EXACT = 50
"""Differences up to which Wilcoxon's distribution is counted out."""


TOO_OFTEN = (
    "5x2cv tests find differences too often where few rows make learners unstable: between equal "
    "learners with 100 rows in 8 to 24 % of comparisons. Use the corrected resampled t over the "
    "same ten folds."
)


def paired_5x2_t(a: Any, b: Any, *, level: float = 0.95) -> FoldTest:
    """Return Dietterich's t test of five repeats of two-fold cross-validation.

    t = d_11 / sqrt(mean s_i²) with 5 degrees of freedom, d_ij the difference in fold j of repeat i
    and s_i² = (d_i1 - d_i2)² / 2. It depends on which of the ten folds comes first;
    :func:`paired_5x2_f` does not. ``difference`` is the mean of all ten. Its errors are those
    within a repeat: what all repeats share, being of the same rows, is not in them, so that it
    rejects too often with few rows: :func:`tallymark.infer.corrected_t.corrected_t` over the ten
    holds its level better.

    Parameters
    ----------
    a, b : array of float, shape (5, 2), or (10,) repeat by repeat
        Values of the two classifiers on the same folds.
    level : float
        Kept beside the result; the test has no interval.

    Raises
    ------
    InputError
        Values that are missing, or not five times two.

    Source: dietterich1998.

    Examples
    --------
    >>> test = paired_5x2_t([0.9, 0.8] * 5, [0.8, 0.78, 0.8, 0.8, 0.9, 0.8, 0.8, 0.82, 0.8, 0.8])
    >>> round(test.statistic, 4), test.df, round(test.p_value, 4)
    (1.5656, (5,), 0.1782)

    """
    from scipy.special import stdtr

    def judge(d: Floats, s: Floats) -> tuple[float, tuple[int, ...], float]:
        t = float(d[0, 0] / math.sqrt(s.mean()))
        return t, (5,), 2 * stdtr(5, -abs(t))

    return _five_by_two(a, b, level, "5x2_t", "5x2cv paired t", judge)


def paired_5x2_f(a: Any, b: Any, *, level: float = 0.95) -> FoldTest:
    """Return Alpaydin's combined F test of five repeats of two-fold cross-validation.

    F = sum d_ij² / (2 sum s_i²) with 10 and 5 degrees of freedom; see :func:`paired_5x2_t` for d
    and s. The order of the folds does not matter to it. It assumes independent differences, and
    rejects too often with few rows: see :func:`paired_5x2_t`.

    Parameters
    ----------
    a, b : array of float, shape (5, 2), or (10,) repeat by repeat
        Values of the two classifiers on the same folds.
    level : float
        Kept beside the result; the test has no interval.

    Raises
    ------
    InputError
        Values that are missing, or not five times two.

    Source: alpaydin1999.

    Examples
    --------
    >>> test = paired_5x2_f([0.9, 0.8] * 5, [0.8, 0.78, 0.8, 0.8, 0.9, 0.8, 0.8, 0.82, 0.8, 0.8])
    >>> round(test.statistic, 4), test.df, round(test.p_value, 4)
    (1.0, (10, 5), 0.5349)

    """
    from scipy.special import fdtrc

    def judge(d: Floats, s: Floats) -> tuple[float, tuple[int, ...], float]:
        f = float((d * d).sum() / (2 * s.sum()))
        return f, (10, 5), fdtrc(10, 5, f)

    return _five_by_two(a, b, level, "5x2_f", "combined 5x2cv F", judge)


def _five_by_two(
    a: Any,
    b: Any,
    level: float,
    test: str,
    method: str,
    judge: Callable[[Floats, Floats], tuple[float, tuple[int, ...], float]],
) -> FoldTest:
    """Return what ``judge`` makes of the differences and their variances, where there are some."""
    shapes = {np.shape(a), np.shape(b)}
    if len(shapes) != 1 or not shapes <= {(5, 2), (10,)}:
        raise InputError(
            f"the {method} test needs five repeats of two folds, and the shapes are {np.shape(a)} "
            f"and {np.shape(b)}; give two arrays of shape (5, 2)"
        )
    quantile(level)
    flat = differences(np.ravel(a), np.ravel(b))
    d, reason = flat.reshape(5, 2), why_no_spread(flat)
    s = (d[:, 0] - d[:, 1]) ** 2 / 2
    if not reason and not s.any():
        reason = "both folds of every repeat have the same difference, so it has no variance"
    mean = float(flat.mean())
    if reason:
        return fold_test(test, method, flat, mean, level, reason=reason)
    return replace(fold_test(test, method, flat, mean, level, *judge(d, s)), warning=TOO_OFTEN)


def wilcoxon(a: Any, b: Any, *, zeros: Zeros = "split", level: float = 0.95) -> FoldTest:
    """Return Wilcoxon's signed rank test, two-sided.

    The differences are ranked by size, ties sharing their mean rank; T, the smaller of the sums of
    ranks of positive and of negative differences, is held against all ways to set the signs:
    counted out up to 50 differences, with any ties, by the normal approximation of more.

    ``difference`` is Hodges and Lehmann's pseudo-median, the median of the means of all pairs of
    differences, which is above 0 where the sum of ranks of the positive ones is the larger;
    ``interval`` holds the shifts that the test would not reject, by the distribution without
    ties; None where there are too few differences to reject any.

    Over data sets it is the test of two classifiers; over the folds of one data set it takes folds
    for independent, which they are not, and finds differences too easily.

    Parameters
    ----------
    a, b : array of float, shape (n,)
        Values of the two classifiers on the same folds or data sets.
    zeros : {"split", "drop", "pratt"}
        What becomes of differences of zero: their ranks go half to each side (Demsar), they are
        left out before ranking (Wilcoxon), or after (Pratt).
    level : float
        Of the interval.

    Returns
    -------
    FoldTest
        With a reason in place of numbers where every difference is zero, or there is none.

    Raises
    ------
    InputError
        Values that are missing or of different numbers, or a rule for zeros that does not exist.

    Sources: wilcoxon1945; hodges1963 for the difference; demsar2006.

    Examples
    --------
    >>> test = wilcoxon([0.9, 0.8, 0.7, 0.9, 0.6], [0.8, 0.75, 0.7, 0.85, 0.58])
    >>> test.statistic, test.p_value, test.zeros, round(test.difference, 4)
    (0.5, 0.125, 1, 0.05)

    """
    check_word("zeros", zeros, ZEROS)
    quantile(level)
    d = differences(a, b)
    middle, interval = _pseudo_median(d, level) if len(d) else (math.nan, None)
    method = "Wilcoxon signed rank"
    if not d.any():
        reason = "every difference is zero" if len(d) else "there is no difference"
        return fold_test("wilcoxon", method, d, middle, level, interval=interval, reason=reason)
    kept = d[d != 0] if zeros == "drop" else d
    ranks = midranks(np.abs(kept)[None])[0] + 1
    smaller = min(float(ranks[kept > 0].sum()), float(ranks[kept < 0].sum()))
    even = float(ranks[kept == 0].sum()) / 2 if zeros == "split" else 0.0
    if len(d) <= MOST_EXACT:
        how, chance = "exact", _sums_of_ranks(ranks[kept != 0])
        p = min(1.0, 2 * float(chance[: round(2 * smaller) + 1].sum()))
    else:
        from scipy.stats import wilcoxon as by_scipy

        how, options = "normal approximation", {"zero_method": ZEROS[zeros][0]}
        p = by_scipy(np.sign(kept) * ranks, method="asymptotic", **options).pvalue
    if not d.all():
        how += f"; {np.sum(d == 0)} of {len(d)} differences are zero: {ZEROS[zeros][1]}"
    return fold_test(
        "wilcoxon", f"{method}, {how}", d, middle, level, smaller + even, (), p, interval
    )


def _pseudo_median(d: Floats, level: float) -> tuple[float, tuple[float, float] | None]:
    """Return the median of the means of pairs, and the c-th from either end: Tukey's interval."""
    n = len(d)
    i, j = np.triu_indices(n)
    means = np.sort((d[i] + d[j]) / 2)
    if n <= MOST_EXACT:
        chance = _sums_of_ranks(np.arange(1.0, n + 1))[::2]
        cut = int(np.count_nonzero(2 * np.cumsum(chance) <= 1 - level))
    else:
        error = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        cut = math.floor(n * (n + 1) / 4 - quantile(level) * error)
    interval = (float(means[cut - 1]), float(means[-cut])) if cut else None
    return float(np.median(means)), interval


def _sums_of_ranks(ranks: Floats) -> Floats:
    """Return the chance of each sum 0, 1/2, 1, ... of ranks by lot; SciPy's has no ties."""
    twice = np.rint(2 * ranks).astype(np.int64)  # midranks are halves
    chance = np.zeros(int(twice.sum()) + 1)
    chance[0] = 1.0
    for r in twice.tolist():
        chance[r:] += chance[: len(chance) - r].copy()
        chance /= 2
    return chance


Ties = Literal["corrected", "plain"]
TIES_OF_RANKS: tuple[Ties, ...] = ("corrected", "plain")

DRAWS = 50_000
PRIOR = 0.5
"""The weight of the prior's one pseudo-result, in data sets: no difference (Benavoli et al.)."""

_AT_ONCE = 4096


# -- ranks over data sets ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class Friedman(Reasoned):
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

    _numbers = ("statistic", "p_value", "f", "f_p_value")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON; an infinite F is the text "inf"."""
        names = {"ranks": "mean_ranks", "statistic": "chi2"}
        return {names.get(k, k): v for k, v in Reasoned.to_dict(self).items()}


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
    common: dict[str, Any] = {
        "datasets": d,
        "ranks": tuple(ranks.mean(0).tolist()),
        "ties": ties,
        "df": k - 1,
        "f_df": (k - 1, (k - 1) * (d - 1)),
    }
    spread = float((ranks**2).sum()) - d * k * (k + 1) ** 2 / 4
    reason = "" if spread > 0 else "all classifiers tie on every data set"
    if d < 2:
        reason = "one data set gives one order; give two or more"
    if reason:
        nan = math.nan
        return Friedman(statistic=nan, p_value=nan, f=nan, f_p_value=nan, reason=reason, **common)
    between = float(((ranks.sum(0) - d * (k + 1) / 2) ** 2).sum())
    chi2 = (k - 1) * between / (spread if ties == "corrected" else d * k * (k**2 - 1) / 12)
    left = d * (k - 1) - chi2
    if left <= 1e-9 * d:
        equal = np.unique(ranks[0], return_counts=True)[1].tolist()
        orders = math.factorial(k) // math.prod(map(math.factorial, equal))
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
    from scipy.stats import studentized_range

    quantile(level)
    if classifiers < 2 or datasets < 1:
        raise InputError(
            f"a critical difference needs two classifiers and a data set, not {classifiers} and "
            f"{datasets}"
        )
    q = studentized_range.ppf(level, classifiers, np.inf) / math.sqrt(2)
    return float(q) * rank_error(classifiers, datasets)


def rank_tests(
    ranks: Sequence[float], datasets: int, pairs: Sequence[tuple[int, int]]
) -> tuple[Floats, Floats, Floats]:
    """Return z of pairs of mean ranks, their two-sided p-values, and Nemenyi's.

    z = (R_i - R_j) / sqrt(K (K+1) / (6 D)), normal where no classifiers differ;
    :func:`tallymark.infer.multiplicity.holm` adjusts the p-values for their number, of the
    comparisons with a control or of all pairs. Nemenyi's are those of the studentized range of K,
    which allow for all pairs.

    Source: demsar2006. That the other classifiers in the table enter, and may change which pairs
    differ, is what benavoli2016 holds against it.

    >>> z, p, nemenyi = rank_tests([3.143, 2.0, 2.893, 1.964], 14, [(0, 1), (0, 2), (0, 3)])
    >>> z.round(3).tolist(), p.round(3).tolist(), nemenyi.round(3).tolist()
    ([2.342, 0.512, 2.416], [0.019, 0.608, 0.016], [0.089, 0.956, 0.074])
    """
    from scipy.special import ndtr
    from scipy.stats import studentized_range

    mean = np.asarray(ranks, dtype=np.float64)
    i, j = np.asarray(pairs, dtype=np.intp).reshape(-1, 2).T
    z: Floats = (mean[i] - mean[j]) / rank_error(len(mean), datasets)
    nemenyi = studentized_range.sf(np.abs(z) * math.sqrt(2), len(mean), np.inf)
    return z, 2 * ndtr(-np.abs(z)), np.clip(nemenyi, 0.0, 1.0)


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
class Posterior(Reasoned):
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

    _numbers = ("below", "within", "above")


def check_rope(rope: float) -> None:
    """Refuse an invalid region of practical equivalence."""
    if not 0 <= rope < math.inf:
        raise InputError(
            f"rope is {rope}; give the largest difference that does not matter, such as 0.01, or 0"
        )


def correlated_t(a: Any, b: Any, *, ratio: float | None, rope: float = 0.01) -> Posterior:
    """Return Corani and Benavoli's Bayesian correlated t test over the folds of one data set.

    With a flat prior the mean difference has Student's distribution with n - 1 degrees of
    freedom, the mean of the n differences, and the scale sqrt((1/n + ratio) s²): the numbers of
    :func:`tallymark.infer.corrected_t.corrected_t`, read as probabilities of the difference itself.

    Parameters
    ----------
    a, b : array of float, shape (n,)
        Values of the two classifiers on the same folds.
    ratio : float or None
        Test rows over training rows of a fold; rho / (1 - rho) of the paper with rho the share of
        test rows. None where it is not known, which is then the reason why there are no numbers.
    rope : float
        The largest difference that does not matter, in units of the metric.

    Returns
    -------
    Posterior
        With a reason in place of numbers where the differences have no spread.

    Raises
    ------
    InputError
        As :func:`tallymark.infer.corrected_t.corrected_t`, or a rope below 0.

    Source: corani2015.

    Examples
    --------
    >>> p = correlated_t([0.9, 0.8, 0.85, 0.95], [0.8, 0.75, 0.85, 0.85], ratio=1 / 3)
    >>> round(p.below, 4), round(p.within, 4), round(p.above, 4)
    (0.0708, 0.0524, 0.8767)

    """
    from scipy.special import stdtr

    check_rope(rope)
    d = differences(a, b)
    mean, scale, reason = mean_and_error(d, ratio)
    below = within = above = math.nan
    if not reason:
        below = float(stdtr(len(d) - 1, (-rope - mean) / scale))
        above = float(stdtr(len(d) - 1, (mean - rope) / scale))
        within = max(1 - below - above, 0.0)
    return Posterior("Bayesian correlated t", below, within, above, rope, len(d), 0, 0, reason)


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
        The largest difference that does not matter, in units of the metric.
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
    [0.97, 0.0]
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
    rng = Sampler(seed).generator("data sets")
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
    for row, shares in zip(d, won / draws, strict=True):
        reason = "" if n else "there is no difference"
        if n and not rope and not row.any():
            reason = "every difference is zero"
        below, within, above = (math.nan if reason else float(p) for p in shares)
        out.append(
            Posterior("Bayesian signed rank", below, within, above, rope, n, draws, seed, reason)
        )
    return out
