"""Compute the tests over five repeats of two-fold cross-validation, Dietterich's and Alpaydin's."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tallymark.errors import InputError
from tallymark.infer.corrected_t import FoldTest, differences, fold_test, why_no_spread
from tallymark.tally.arrays import Floats

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
    rejects too often with few rows. The corrected resampled t over the ten holds its level better.

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
