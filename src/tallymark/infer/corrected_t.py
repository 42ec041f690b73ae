"""Compute the corrected resampled t test of the difference between classifiers over folds."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from tallymark.display import Display, fields_of
from tallymark.errors import InputError
from tallymark.metric.correlation import TIES, complete
from tallymark.metric.proportion import quantile
from tallymark.tally.arrays import Floats

LARGEST = 1e100
"""Far beyond any metric, as its reciprocal is below: squares neither overflow nor underflow."""


class Reasoned(Display):
    """A result whose numbers are NaN if and only if ``reason`` is given."""

    __slots__ = ()
    _numbers: ClassVar[tuple[str, ...]]
    reason: str

    def __post_init__(self) -> None:
        if any(math.isnan(getattr(self, name)) != bool(self.reason) for name in self._numbers):
            raise ValueError(f"a {type(self).__name__} has numbers, or a reason why not")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data, None for what is undefined."""
        texts = {k: v or None for k, v in fields_of(self).items() if k in ("reason", "warning")}
        return {**fields_of(self), **texts}


@dataclass(frozen=True, slots=True, repr=False)
class FoldTest(Reasoned):
    """A test of the difference between two classifiers over folds.

    ``difference`` is the first classifier's value minus the second's, in the metric's units: the
    mean, or the pseudo-median of a rank test. ``interval`` is that of the difference, None if the
    test has none. ``n`` is the number of differences and ``zeros`` how many of them are zero.
    ``statistic`` and ``p_value`` are NaN if and only if ``reason`` is given. ``warning`` says why
    a p-value may be too small, and what to do.
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
    warning: str = ""

    _numbers = ("statistic", "p_value")

    def _reversed(self) -> FoldTest:
        """Return the same test with the classifiers exchanged: only a t has a direction."""
        signed = self.test in ("corrected_t", "5x2_t")
        interval = self.interval
        return replace(
            self,
            statistic=0.0 - self.statistic if signed else self.statistic,
            difference=0.0 - self.difference,
            interval=None if interval is None else (0.0 - interval[1], 0.0 - interval[0]),
        )


def corrected_t(a: Any, b: Any, *, ratio: float | None, level: float = 0.95) -> FoldTest:
    """Return Nadeau and Bengio's corrected resampled t test over the folds of one data set.

    t = mean(d) / sqrt((1/n + ratio) s²) with n - 1 degrees of freedom, d the n differences and s²
    their variance. Folds share training rows, so their results are correlated and s²/n is too
    small; ratio = test rows / training rows corrects for it (1/(k-1) for k-fold cross-validation,
    repeated or not; 1 for five times two folds). A correlation of that size is assumed, not
    estimated.

    Parameters
    ----------
    a, b : array of float, shape (n,)
        Values of the two classifiers on the same folds.
    ratio : float or None
        Test rows over training rows of a fold, above 0; 0 gives the ordinary paired t test. None
        if unknown; the result then has a reason instead of numbers.
    level : float
        Confidence level of the interval of the mean difference.

    Returns
    -------
    FoldTest
        With a reason instead of numbers for fewer than two folds, or for equal differences, which
        have no variance.

    Raises
    ------
    InputError
        Missing values, different numbers of values, or a ratio below 0.

    Sources: nadeau2003; bouckaert2004 for repeated cross-validation.

    Examples
    --------
    >>> test = corrected_t([0.9, 0.8, 0.85, 0.95], [0.8, 0.75, 0.85, 0.85], ratio=1 / 3)
    >>> round(test.statistic, 4), test.df, round(test.p_value, 4)
    (1.7094, (3,), 0.1859)

    """
    from scipy.special import stdtr, stdtrit

    quantile(level)  # raises InputError outside 0 to 1
    d = differences(a, b)
    mean, error, reason = mean_and_error(d, ratio)
    names = ("paired_t", "paired t") if ratio == 0 else ("corrected_t", "corrected resampled t")
    if reason:
        return fold_test(*names, d, mean, level, reason=reason)
    t, df = mean / error, len(d) - 1
    half = float(stdtrit(df, (1 + level) / 2)) * error
    p = 2 * stdtr(df, -abs(t))
    return fold_test(*names, d, mean, level, t, (df,), p, (mean - half, mean + half))


def fold_test(
    test: str,
    method: str,
    d: Floats,
    difference: float,
    level: float,
    statistic: float = math.nan,
    df: tuple[int, ...] = (),
    p_value: float = math.nan,
    interval: tuple[float, float] | None = None,
    reason: str = "",
) -> FoldTest:
    """Return the result of a test of differences ``d``."""
    return FoldTest(
        test,
        method,
        statistic,
        df,
        float(p_value),
        difference,
        interval,
        level,
        len(d),
        int(np.count_nonzero(d == 0)),
        reason,
    )


def check_ratio(ratio: float | None) -> None:
    """Raise InputError for an invalid ratio of test rows to training rows."""
    if ratio is not None and not 0 <= ratio < math.inf:
        raise InputError(
            f"ratio is {ratio}; give test rows over training rows, such as 1/9 for ten folds"
        )


def differences(a: Any, b: Any) -> Floats:
    """Return a - b, with differences in the last bits, or below 1e-100, set to zero.

    Raises
    ------
    InputError
        Values that are missing, not numbers or beyond 1e100, or different numbers of values.

    """
    first, second = complete(a=a, b=b)
    refuse_large(first, "a")
    refuse_large(second, "b")
    d = first - second
    size = np.maximum(np.abs(first), np.abs(second))
    return np.asarray(np.where(np.abs(d) <= np.maximum(TIES * size, 1 / LARGEST), 0.0, d))


def refuse_large(values: Floats, name: str) -> None:
    """Raise InputError for values whose squares would overflow."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest > LARGEST:
        raise InputError(
            f"{name} holds {largest:g}, and no metric is beyond {LARGEST:g}; correct it"
        )


def why_no_spread(d: Floats) -> str:
    """Return why differences have no standard deviation; empty if they have one."""
    if len(d) < 2:
        subject = "one difference has" if len(d) else "no differences have"
        return f"{subject} no variance; give two or more"
    if not d.any():
        return "every difference is zero"
    if np.isinf(d).any():
        return "some differences are infinite, so they have no variance"
    # Equal differences may not be bit-identical, e.g. 0.9 - 0.8 and 0.8 - 0.7.
    if np.ptp(d) <= 1e-9 * np.abs(d).max():
        return "every difference is the same, so they have no variance"
    return ""


def mean_and_error(d: Floats, ratio: float | None) -> tuple[float, float, str]:
    """Return the mean over folds, its error sqrt((1/n + ratio) s²), and why there is none."""
    check_ratio(ratio)
    mean, reason = float(d.mean()) if len(d) else math.nan, why_no_spread(d)
    if reason:
        return mean, math.nan, reason
    if ratio is None:
        reason = "how many rows each result is trained on is not known; say test rows over "
        return mean, math.nan, reason + "training rows, such as ratio=0.25"
    return mean, math.sqrt((1 / len(d) + ratio) * float(d.var(ddof=1))), ""
