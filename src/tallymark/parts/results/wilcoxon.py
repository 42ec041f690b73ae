"""Wilcoxon's signed rank test of two classifiers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tallymark.core import Floats, FoldTest, differences, fold_test, midranks, quantile

MOST_EXACT = 50
"""Differences up to which Wilcoxon's distribution is counted out."""


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
