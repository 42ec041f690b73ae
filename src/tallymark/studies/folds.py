"""Is one of two classifiers better? Tests over the folds of one data set, or over data sets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tallymark.display import Display
from tallymark.errors import InputError, check_word
from tallymark.metric.correlation import TIES, midranks
from tallymark.metric.measure import fields_of
from tallymark.metric.proportion import quantile
from tallymark.tally.arrays import Floats, as_scores, same_length

Zeros = Literal["split", "drop", "pratt"]

ZEROS = {"split": "zsplit", "drop": "wilcox", "pratt": "pratt"}
"""What is done with differences of zero, and what SciPy calls it."""

_ZERO_WORDS = {
    "split": "their ranks go half to each side",
    "drop": "they are left out",
    "pratt": "they are ranked and then left out",
}

LARGEST = 1e100
"""Far beyond any metric, as its reciprocal is below: squares neither overflow nor vanish."""

MOST_EXACT = 50
"""Differences up to which Wilcoxon's distribution is counted out."""


@dataclass(frozen=True, slots=True, repr=False)
class FoldTest(Display):
    """The difference of two classifiers, and how often chance alone would make one as large.

    ``difference`` is the first classifier's value less the second's, in the metric's own units:
    the mean, or for Wilcoxon's test the pseudo-median. ``interval`` is of that difference, None
    of a test that has none. ``n`` counts the differences and ``zeros`` those of them
    that are zero. ``statistic`` and ``p_value`` are NaN if and only if ``reason`` says why.
    """

    test: str
    method: str
    statistic: float
    df: tuple[int, ...]
    p_value: float
    difference: float
    interval: tuple[float, float] | None
    level: float
    n: int
    zeros: int
    reason: str = ""

    def __post_init__(self) -> None:
        undefined = math.isnan(self.p_value)
        if undefined != bool(self.reason) or undefined != math.isnan(self.statistic):
            raise ValueError("a test has a statistic and a p-value, or a reason why not")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, None for what is undefined."""
        return {**fields_of(self), "reason": self.reason or None}


_UNDEFINED: Mapping[str, Any] = {
    "statistic": math.nan, "df": (), "p_value": math.nan, "interval": None,
}  # fmt: skip


def corrected_t(a: Any, b: Any, *, ratio: float, level: float = 0.95) -> FoldTest:
    """Return Nadeau and Bengio's corrected resampled t test over the folds of one data set.

    t = mean(d) / sqrt((1/n + ratio) s²) with n - 1 degrees of freedom, d the n differences and s²
    their variance. Folds share training rows, so their results are not independent and s²/n is
    too small; ratio = test rows / training rows makes up for it (of k-fold cross-validation
    1/(k-1), repeated or not). A correlation of that size is assumed, not measured.

    Parameters
    ----------
    a, b : array of float, shape (n,)
        Values of the two classifiers on the same folds.
    ratio : float
        Test rows over training rows of a fold, above 0; 0 gives the ordinary paired t test.
    level : float
        Of the interval of the mean difference.

    Returns
    -------
    FoldTest
        With a reason in place of numbers for fewer than two folds, or for differences that are
        all the same, which have no spread.

    Raises
    ------
    InputError
        Values that are missing or of different numbers, or a ratio below 0.

    Sources: nadeau2003; bouckaert2004 for repeated cross-validation.

    Examples
    --------
    >>> test = corrected_t([0.9, 0.8, 0.85, 0.95], [0.8, 0.75, 0.85, 0.85], ratio=1 / 3)
    >>> round(test.statistic, 4), test.df, round(test.p_value, 4)
    (1.7094, (3,), 0.1859)

    """
    from scipy.special import stdtr, stdtrit

    check_ratio(ratio)
    quantile(level)  # refuses one outside 0 to 1
    d = differences(a, b)
    mean = float(d.mean()) if len(d) else math.nan
    method = "corrected resampled t" if ratio else "paired t"
    test = "corrected_t" if ratio else "paired_t"
    common: dict[str, Any] = {"test": test, "method": method, "difference": mean, "level": level,
                              "n": len(d), "zeros": _zeros(d)}  # fmt: skip
    reason = no_spread(d)
    if reason:
        return FoldTest(**common, **_UNDEFINED, reason=reason)
    df = len(d) - 1
    error = mean_error(d, ratio)
    t = mean / error
    half = float(stdtrit(df, (1 + level) / 2)) * error
    return FoldTest(**common, statistic=t, df=(df,), p_value=float(2 * stdtr(df, -abs(t))),
                    interval=(mean - half, mean + half))  # fmt: skip


def paired_5x2_t(a: Any, b: Any, *, level: float = 0.95) -> FoldTest:
    """Return Dietterich's t test of five repeats of two-fold cross-validation.

    t = d_11 / sqrt(mean s_i²) with 5 degrees of freedom, d_ij the difference in fold j of repeat i
    and s_i² = (d_i1 - d_i2)² / 2. It hangs on which of the ten folds comes first;
    :func:`paired_5x2_f` does not. ``difference`` is the mean of all ten.

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

    return _five_by_two(
        a, b, level, "5x2_t", "5x2cv paired t", (5,),
        lambda d, s: float(d[0, 0] / math.sqrt(s.mean())),
        lambda t: float(2 * stdtr(5, -abs(t))),
    )  # fmt: skip


def paired_5x2_f(a: Any, b: Any, *, level: float = 0.95) -> FoldTest:
    """Return Alpaydin's combined F test of five repeats of two-fold cross-validation.

    F = sum d_ij² / (2 sum s_i²) with 10 and 5 degrees of freedom; see :func:`paired_5x2_t` for
    d and s. The order of the folds does not matter to it.

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

    return _five_by_two(
        a, b, level, "5x2_f", "combined 5x2cv F", (10, 5),
        lambda d, s: float((d * d).sum() / (2 * s.sum())),
        lambda f: float(fdtrc(10, 5, f)),
    )  # fmt: skip


def _five_by_two(
    a: Any, b: Any, level: float, test: str, method: str, df: tuple[int, ...],
    statistic: Any, p_value: Any,
) -> FoldTest:  # fmt: skip
    shapes = {np.shape(a), np.shape(b)}
    if len(shapes) != 1 or not shapes <= {(5, 2), (10,)}:
        raise InputError(
            f"the {method} test takes five repeats of two folds, and here are shapes "
            f"{np.shape(a)} and {np.shape(b)}; give two arrays of shape (5, 2)"
        )
    quantile(level)
    flat = differences(np.ravel(a), np.ravel(b))
    d = flat.reshape(5, 2)
    s = (d[:, 0] - d[:, 1]) ** 2 / 2
    reason = no_spread(flat)
    if not reason and not s.any():
        reason = "both folds of every repeat differ by the same, so there is no spread to judge by"
    value = math.nan if reason else statistic(d, s)
    return FoldTest(
        test, method, value, () if reason else df, math.nan if reason else p_value(value),
        float(flat.mean()), None, level, 10, _zeros(flat), reason,
    )  # fmt: skip


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
    n_zeros = _zeros(d)
    middle, interval = _pseudo_median(d, level) if len(d) else (math.nan, None)
    method = "Wilcoxon signed rank"
    common: dict[str, Any] = {"test": "wilcoxon", "df": (), "difference": middle, "level": level,
                              "interval": interval, "n": len(d), "zeros": n_zeros}  # fmt: skip
    if n_zeros == len(d):
        reason = "every difference is zero" if len(d) else "there is no difference"
        return FoldTest(**{**_UNDEFINED, **common}, method=method, reason=reason)
    kept = d[d != 0] if zeros == "drop" else d
    ranks = midranks(np.abs(kept)[None])[0] + 1
    up, down = float(ranks[kept > 0].sum()), float(ranks[kept < 0].sum())
    even = float(ranks[kept == 0].sum()) / 2 if zeros == "split" else 0.0
    if len(d) <= MOST_EXACT:
        how, p = "exact", _by_all_signs(ranks[kept != 0], min(up, down))
    else:
        how, p = "normal approximation", _approximate(np.sign(kept) * ranks, zeros)
    if n_zeros:
        how += f"; {n_zeros} of {len(d)} differences are zero: {_ZERO_WORDS[zeros]}"
    return FoldTest(**common, statistic=min(up, down) + even, p_value=p,
                    method=f"{method}, {how}")  # fmt: skip


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


def _by_all_signs(ranks: Floats, smaller: float) -> float:
    """Return how often signs set by lot make one sum of ranks so small."""
    chance = _sums_of_ranks(ranks)
    return min(1.0, 2 * float(chance[: round(2 * smaller) + 1].sum()))


def _sums_of_ranks(ranks: Floats) -> Floats:
    """Return the chance of each sum 0, 1/2, 1, ... of ranks by lot; SciPy's has no ties."""
    twice = np.rint(2 * ranks).astype(np.int64)  # midranks are halves
    chance = np.zeros(int(twice.sum()) + 1)
    chance[0] = 1.0
    for r in twice.tolist():
        chance[r:] += chance[: len(chance) - r].copy()
        chance /= 2
    return chance


def _approximate(signed: Floats, zeros: Zeros) -> float:
    from scipy.stats import wilcoxon as by_scipy

    test = by_scipy(signed, zero_method=ZEROS[zeros], correction=False, method="asymptotic")
    return float(test.pvalue)


# -- what tests of folds share -----------------------------------------------------------------


def check_ratio(ratio: float) -> None:
    """Refuse what is no share of test rows to training rows."""
    if not 0 <= ratio < math.inf:
        raise InputError(
            f"ratio is {ratio}; give test rows over training rows, 1/9 of ten folds for example"
        )


def differences(a: Any, b: Any) -> Floats:
    """Return a - b, where what differs in its last bits only, or below 1e-100, is zero.

    Raises
    ------
    InputError
        Values that are missing, no numbers or beyond 1e100, or of different numbers.

    """
    first, second = as_scores(a, "a"), as_scores(b, "b")
    same_length(a=first, b=second)
    for name, column in (("a", first), ("b", second)):
        if np.isnan(column).any():
            raise InputError(
                f"{name} is missing at index {int(np.argmax(np.isnan(column)))}; leave that pair "
                "out"
            )
        refuse_large(column, name)
    d = first - second
    size = np.maximum(np.abs(first), np.abs(second))
    return np.asarray(np.where(np.abs(d) <= np.maximum(TIES * size, 1 / LARGEST), 0.0, d))


def refuse_large(values: Floats, name: str) -> None:
    """Refuse values whose squares would overflow."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest > LARGEST:
        raise InputError(
            f"{name} holds {largest:g}, and no metric is beyond {LARGEST:g}; look there"
        )


def no_spread(d: Floats) -> str:
    """Return why differences have no standard deviation to judge by; empty if they have one."""
    if len(d) < 2:
        subject = "one difference has" if len(d) else "no differences have"
        return f"{subject} no spread to judge by; it takes two or more"
    if not d.any():
        return "every difference is zero"
    # Equal differences of values such as 0.9 - 0.8 are not equal to the last bit.
    if np.ptp(d) <= 1e-9 * np.abs(d).max():
        return "every difference is the same, so there is no spread to judge by"
    return ""


def mean_error(d: Floats, ratio: float) -> float:
    """Return the standard error of the mean of correlated differences: sqrt((1/n + ratio) s²)."""
    return math.sqrt((1 / len(d) + ratio) * float(d.var(ddof=1)))


def _zeros(d: Floats) -> int:
    return int(np.count_nonzero(d == 0))
