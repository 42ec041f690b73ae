"""Score intervals and tests of two proportions: their difference, ratio and odds ratio.

The score of a value θ is the distance between what is observed and what θ demands, in standard
errors at the proportions that fit the data best if θ is true (the restricted maximum likelihood
estimates; Miettinen and Nurminen 1985). It is corrected for its skewness (Gart and Nam 1990;
Laud 2017). The interval has the values whose score is within the critical value, and the p-value
of a θ is that of its score: they agree for every θ. All functions take arrays of any shape.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from tallymark.metric.proportion import quantile
from tallymark.tally.arrays import Floats

TITLE = "skewness-corrected score"

Contrast = Literal["difference", "ratio", "odds ratio"]

_FAR = 40.0
"""Largest logarithm of a ratio that is searched; beyond it, the interval has no bound."""

_STEPS = 100
_ROUGH, _CLOSE = 1e-5, 1e-14
"""Widths of the range in which a bound is found: of the uncorrected one, of the corrected one."""


def score(
    contrast: Contrast,
    hits: tuple[Any, Any],
    rows: tuple[Any, Any],
    value: Any,
    *,
    skew: bool = True,
) -> Floats:
    """Return the score of a value of a contrast of two proportions, in standard errors.

    Parameters
    ----------
    contrast : {"difference", "ratio", "odds ratio"}
        p1 - p2, p1 / p2, or the ratio of p / (1 - p).
    hits, rows : (array, array)
        Hits and rows of the first and the second proportion.
    value : array
        The contrast to test.
    skew : bool
        Whether to correct the score for its skewness.

    Returns
    -------
    array
        Positive where the data show more than ``value``; NaN without rows.

    Examples
    --------
    >>> round(float(score("difference", (56, 48), (70, 80), 0.0, skew=False)), 4)
    2.6413

    """
    (x1, x2), (n1, n2) = (tuple(np.asarray(v, np.float64) for v in pair) for pair in (hits, rows))
    t = np.asarray(value, np.float64)
    with np.errstate(all="ignore"):
        p1, p2 = x1 / n1, x2 / n2
        (r1, q1), (r2, q2) = _restricted(contrast, x1, x2, n1, n2, t)
        v1, v2 = r1 * q1, r2 * q2
        more = (n1 + n2) / (n1 + n2 - 1)
        if contrast == "odds ratio":
            # Of the two equal distances, take that of the proportion that is nearer to 0 or 1.
            first = np.where(p1 > 0.5, n1 * q1 - (n1 - x1), x1 - n1 * r1)
            second = np.where(p2 > 0.5, (n2 - x2) - n2 * q2, n2 * r2 - x2)
            spread = 1 / (n1 * v1) + 1 / (n2 * v2)
            gap, variance = np.where(n1 * v1 <= n2 * v2, first, second) * spread, spread * more
            third = (q1 - r1) / (n1 * v1) ** 2 - (q2 - r2) / (n2 * v2) ** 2
        else:
            factor = t if contrast == "ratio" else np.ones_like(t)
            gap = p1 - p2 * factor - (0 if contrast == "ratio" else t)
            variance = (v1 / n1 + factor**2 * v2 / n2) * more
            third = v1 * (q1 - r1) / n1**2 - factor**3 * v2 * (q2 - r2) / n2**2
        plain = np.where(gap == 0, 0.0, gap / np.sqrt(variance))
        if not skew:
            return np.asarray(plain)
        g = np.where(variance > 0, third / (6 * variance**1.5), 0.0)
        inside = 1 + 4 * g * (g + plain)
        corrected = 2 * (g + plain) / (1 + np.sqrt(np.maximum(inside, 0.0)))
        return np.asarray(np.where((inside < 0) | ~np.isfinite(corrected), plain, corrected))


def _restricted(
    contrast: Contrast, x1: Floats, x2: Floats, n1: Floats, n2: Floats, t: Floats
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Return the maximum likelihood estimates (p, 1 - p) of both under a value of the contrast."""
    n, x = n1 + n2, x1 + x2
    if contrast == "ratio":
        a, b, c = n * t, n1 * t + x1 + n2 + x2 * t, x
        r2 = np.clip(2 * c / (b + np.sqrt(np.maximum(b * b - 4 * a * c, 0.0))), 0.0, 1.0)
        r1 = np.clip(r2 * t, 0.0, 1.0)
        return (r1, 1 - r1), (r2, 1 - r2)
    if contrast == "odds ratio":
        # Solve for p and for 1 - p apart: the difference of 1 and p would lose all its digits.
        r2, q2 = _odds_root(n1, n2, x, t), _odds_root(n1, n2, n - x, 1 / t)
        odds = q2 + t * r2
        return (t * r2 / odds, q2 / odds), (r2, q2)
    # The cubic of Miettinen and Nurminen, solved by cosines.
    l3, l2 = n, (n1 + 2 * n2) * t - n - x
    l1, l0 = (n2 * t - n - 2 * x2) * t + x, x2 * t * (1 - t)
    q = l2**3 / (3 * l3) ** 3 - l1 * l2 / (6 * l3**2) + l0 / (2 * l3)
    p = np.copysign(np.sqrt(np.maximum(l2**2 / (3 * l3) ** 2 - l1 / (3 * l3), 0.0)), q)
    turn = np.where(p == 0, 0.0, np.clip(q / np.where(p == 0, 1.0, p**3), -1.0, 1.0))
    r2 = np.clip(2 * p * np.cos((math.pi + np.arccos(turn)) / 3) - l2 / (3 * l3), 0.0, 1.0)
    r1 = np.clip(r2 + t, 0.0, 1.0)
    return (r1, 1 - r1), (r2, 1 - r2)


def _odds_root(n1: Floats, n2: Floats, x: Floats, t: Floats) -> Floats:
    """Return the second proportion that fits best to ``x`` hits in all, at an odds ratio."""
    a, b, c = n2 * (t - 1), n1 * t + n2 - x * (t - 1), -x
    root = np.sqrt(np.maximum(b * b - 4 * a * c, 0.0))
    return np.clip(np.where(b > 0, -2 * c / (b + root), (root - b) / (2 * a)), 0.0, 1.0)


def p_value(contrast: Contrast, hits: tuple[Any, Any], rows: tuple[Any, Any], null: Any) -> Floats:
    """Return the two-sided p-value of a value of the contrast; 1 where nothing can be tested.

    >>> round(float(p_value("ratio", (45, 8), (50, 50), 3.169946)), 4)
    0.05
    """
    from scipy.special import erfc

    z = score(contrast, hits, rows, null)
    return np.where(np.isnan(z), 1.0, erfc(np.abs(z) / math.sqrt(2)))


def bounds(
    contrast: Contrast, hits: tuple[Any, Any], rows: tuple[Any, Any], level: float
) -> tuple[Floats, Floats]:
    """Return the interval of a contrast of two proportions.

    The lower bound of a ratio is 0, and the upper bound infinite, where no value within reach has
    a score beyond the critical value. NaN without rows, and where a ratio is 0/0.

    >>> low, high = bounds("ratio", (45, 8), (50, 50), 0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (3.1699, 11.6618)
    """
    (x1, x2), (n1, n2) = (tuple(np.asarray(v, np.float64) for v in pair) for pair in (hits, rows))
    z, ratio = quantile(level), contrast != "difference"
    side = np.array([-1.0, 1.0]).reshape(2, *[1] * np.broadcast(x1, x2, n1, n2).ndim)

    def beyond(skew: bool) -> Callable[[Any], Floats]:
        def of(place: Any) -> Floats:
            value = np.exp(place) if ratio else place
            return score(contrast, (x1, x2), (n1, n2), value, skew=skew) + side * z

        return of

    shape = np.broadcast(x1, x2, n1, n2).shape
    far = _FAR if ratio else 1.0
    with np.errstate(all="ignore"):
        if ratio:
            odds = contrast == "odds ratio"
            top = x1 / (n1 - x1) if odds else x1 / n1
            bottom = x2 / (n2 - x2) if odds else x2 / n2
            undefined = (top == 0) & (bottom == 0) | np.isinf(top) & np.isinf(bottom)
            middle = np.clip(np.log(top) - np.log(bottom), -far, far)
        else:
            undefined, middle = np.zeros(shape, bool), x1 / n1 - x2 / n2
    undefined = undefined | np.isnan(middle)
    middle = np.broadcast_to(np.where(undefined, 0.0, middle), shape)
    outside = np.broadcast_to(side * far, (2, *shape))
    near = crossing(beyond(skew=False), np.broadcast_to(middle, outside.shape), outside, _ROUGH)
    ends = _nearest(beyond(skew=True), near, far)
    if ratio:
        unbounded = side * ends >= far * (1 - 1e-9)
        ends = np.where(unbounded, np.where(side < 0, 0.0, math.inf), np.exp(ends))
    ends = np.where(undefined, math.nan, ends)
    return ends[0], ends[1]


def crossing(of: Callable[[Floats], Floats], inner: Floats, outer: Floats, close: float) -> Floats:
    """Return where a function changes its sign between two places, the outer one if nowhere.

    False position in the Illinois variant, which halves the value at an end that stays; halving of
    the range where the function is infinite or the position does not come closer. ``close`` is the
    width of the final range, relative to its place (or absolute, below 1).

    >>> crossing(lambda x: 2 - x * x, np.array([1.0]), np.array([3.0]), 1e-12).round(9).tolist()
    [1.414213562]
    """
    at_inner, at_outer = of(inner), of(outer)
    none = np.sign(np.nan_to_num(at_inner)) == np.sign(np.nan_to_num(at_outer))
    sign, far = np.sign(np.nan_to_num(at_inner)), outer
    stayed = np.zeros(np.shape(sign))  # 1 where the outer end stayed, -1 where the inner one did
    with np.errstate(all="ignore"):
        for step in range(_STEPS):
            width = np.abs(outer - inner)
            open_ = ~none & (width > close * np.maximum(np.abs(outer), 1.0))
            if not open_.any():
                break
            share = at_inner / (at_inner - at_outer)
            usable = np.isfinite(share) & (step % 4 < 3)
            place = inner + np.where(usable, np.clip(share, 1e-3, 0.999), 0.5) * (outer - inner)
            at_place = of(place)
            inside = np.sign(np.nan_to_num(at_place)) == sign
            at_outer = np.where(inside, np.where(stayed > 0, at_outer / 2, at_outer), at_place)
            at_inner = np.where(inside, at_place, np.where(stayed < 0, at_inner / 2, at_inner))
            # Stop updating a root that has converged: the result must not depend on other roots.
            inner = np.where(open_ & inside, place, inner)
            outer = np.where(open_ & ~inside, place, outer)
            stayed = np.where(inside, 1.0, -1.0)
    return np.where(none, far, (inner + outer) / 2)


def _nearest(of: Any, start: Floats, far: float) -> Floats:
    """Return the root nearest to a start, found by growing steps in its direction."""
    at_start = of(start)
    direction = np.where(np.abs(start) >= far, 0.0, np.sign(np.nan_to_num(at_start)))
    inner, outer = start + 0.0, start + 0.0
    open_, step = direction != 0, 1e-3 * (1 if far == 1.0 else 5)
    for _ in range(80):
        if not open_.any():
            break
        moved = np.clip(outer + direction * step, -far, far)
        crossed = np.sign(np.nan_to_num(of(moved))) != np.sign(np.nan_to_num(at_start))
        inner = np.where(open_ & ~crossed, moved, inner)
        outer = np.where(open_, moved, outer)
        open_ &= ~crossed & (np.abs(moved) < far)
        step *= 1.15
    ended = ~open_ & (inner != outer)
    return np.where(ended, crossing(of, inner, outer, _CLOSE), outer)
