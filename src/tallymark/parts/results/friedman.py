"""Ranks of classifiers over data sets: Friedman's test, Nemenyi's and those with a control.

scikit-posthocs has the same p-values of pairs and SciPy the same chi squared, of three classifiers
or more. Neither has Iman and Davenport's F, or takes values that differ in their last bits for
equal; and scikit-posthocs would bring pandas, statsmodels, matplotlib and seaborn, 190 MB.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tallymark.core import Floats, Reasoned, midranks

Ties = Literal["corrected", "plain"]


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

    ``values[D, K]`` has a row a data set and a column a classifier. Values that differ in their
    last bits are equal; ``better`` says which are good, "high" or "low".

    >>> rank_table([[0.9, 0.8, 0.8], [0.5, 0.7, 0.6]]).tolist()
    [[1.0, 2.5, 2.5], [3.0, 1.0, 2.0]]
    """
    x = np.asarray(values, dtype=np.float64)
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

    Sources: friedman1937; iman1980; demsar2006.

    Examples
    --------
    >>> test = friedman([[0.9, 0.8, 0.7], [0.9, 0.7, 0.8], [0.6, 0.5, 0.4], [0.8, 0.9, 0.5]])
    >>> test.ranks, test.statistic, round(test.f, 6), round(test.f_p_value, 4)
    ((1.25, 2.0, 2.75), 4.5, 3.857143, 0.0837)

    """
    from scipy.special import chdtrc, fdtrc

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
    residual = d * (k - 1) - chi2
    if residual <= 1e-9 * d:
        equal = np.unique(ranks[0], return_counts=True)[1].tolist()
        orders = math.factorial(k) // math.prod(map(math.factorial, equal))
        f, f_p = math.inf, math.exp((1 - d) * math.log(orders))
    else:
        f = (d - 1) * chi2 / residual
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
    the square root of 2; two classifiers whose mean ranks differ by it or more are distinguished.

    >>> round(critical_difference(4, 14), 2), round(critical_difference(4, 14, level=0.9), 2)
    (1.25, 1.12)
    """
    from scipy.stats import studentized_range

    q = studentized_range.ppf(level, classifiers, np.inf) / math.sqrt(2)
    return float(q) * rank_error(classifiers, datasets)


def rank_tests(
    ranks: Sequence[float], datasets: int, pairs: Sequence[tuple[int, int]]
) -> tuple[Floats, Floats, Floats]:
    """Return z of pairs of mean ranks, their two-sided p-values, and Nemenyi's.

    z = (R_i - R_j) / sqrt(K (K+1) / (6 D)), normal where no classifiers differ;
    :func:`tallymark.infer.significance.holm` adjusts the p-values for their number, of the
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

    Groups may overlap; a classifier distinguished from all others is in none. Best ranks first.

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
