"""Tests of two classifiers: Dietterich's and Alpaydin's over folds, and Wilcoxon's."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tallymark import InputError
from tallymark.core import (
    Floats,
    FoldTest,
    differences,
    fold_test,
    midranks,
    quantile,
    why_no_spread,
)

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
    rejects too often with few rows. :func:`corrected_t` over the ten holds its level better.

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
    flat = differences(np.ravel(a), np.ravel(b))
    d, reason = flat.reshape(5, 2), why_no_spread(flat)
    s = (d[:, 0] - d[:, 1]) ** 2 / 2
    if not reason and not s.any():
        reason = "both folds of every repeat have the same difference, so it has no variance"
    mean = float(flat.mean())
    if reason:
        return fold_test(test, method, flat, mean, level, reason=reason)
    return replace(fold_test(test, method, flat, mean, level, *judge(d, s)), warning=TOO_OFTEN)


def wilcoxon(a: Any, b: Any, *, level: float = 0.95) -> FoldTest:
    """Return Wilcoxon's signed rank test, two-sided.

    The differences are ranked by size, ties sharing their mean rank; T, the smaller of the sums of
    ranks of positive and of negative differences, is compared with those of all ways to set the
    signs: exactly up to 50 differences, with any ties, by the normal approximation of more. The
    ranks of differences of zero go half to each side, as Demsar has it.

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
    level : float
        Of the interval.

    Returns
    -------
    FoldTest
        With a reason in place of numbers where every difference is zero, or there is none.

    Raises
    ------
    InputError
        Values that are missing or of different numbers.

    Sources: wilcoxon1945; hodges1963 for the difference; demsar2006.

    Examples
    --------
    >>> test = wilcoxon([0.9, 0.8, 0.7, 0.9, 0.6], [0.8, 0.75, 0.7, 0.85, 0.58])
    >>> test.statistic, test.p_value, test.zeros, round(test.difference, 4)
    (0.5, 0.125, 1, 0.05)

    """
    d = differences(a, b)
    middle, interval = _pseudo_median(d, level) if len(d) else (math.nan, None)
    method = "Wilcoxon signed rank"
    if not d.any():
        reason = "every difference is zero" if len(d) else "there is no difference"
        return fold_test("wilcoxon", method, d, middle, level, interval=interval, reason=reason)
    ranks = midranks(np.abs(d)[None])[0] + 1
    statistic = min(float(ranks[d > 0].sum()), float(ranks[d < 0].sum()))
    if len(d) <= MOST_EXACT:
        how, chance = "exact", _sums_of_ranks(ranks[d != 0])
        p = min(1.0, 2 * float(chance[: round(2 * statistic) + 1].sum()))
    else:
        from scipy.stats import wilcoxon as by_scipy

        how, signed = "normal approximation", np.sign(d) * ranks
        p = by_scipy(signed, method="asymptotic", zero_method="zsplit").pvalue
    if not d.all():
        how += f"; {np.sum(d == 0)} of {len(d)} differences are zero: "
        how += "their ranks go half to each side"
    statistic += float(ranks[d == 0].sum()) / 2
    return fold_test("wilcoxon", f"{method}, {how}", d, middle, level, statistic, (), p, interval)


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
