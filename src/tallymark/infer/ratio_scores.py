"""Compare two ratios, or odds ratios, of proportions: their difference, their ratio, equality.

Each of the two ratios has a score, the distance of the data from a value in standard errors, and
the two are independent. Of a hypothesis that ties them, such as equality, Q is the least sum of
their squared scores over all values that fulfil it. It has a chi-square distribution with one
degree of freedom; the interval of a difference or a ratio has the values whose Q is within the
squared critical value, so it agrees with the p-value of every value.

On different rows, the two ratios are those of the two samples (:class:`ScoreRatio`). On the same
rows, the ratio of two likelihood ratios is the ratio of both models' shares among the positives
over that among the negatives, and these two are independent (:class:`PairedRatio`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from tallymark.infer.two_shares import Contrast, crossing, score
from tallymark.metric.proportion import quantile
from tallymark.metric.registry import get
from tallymark.tally.arrays import Floats

FAR = 40.0
"""Largest logarithm of a ratio that is searched."""

_PLACES = np.linspace(0.0, 1.0, 33)
_ROUNDS = 6
"""Rounds of the search for the least Q; each makes the range sixteen times narrower."""

_DOUBLINGS = 50


class Scored(Protocol):
    """A ratio with its estimate and its score, for stacks of shape (S,)."""

    @property
    def estimate(self) -> Floats:
        """The log ratio, shape (S,), clipped to the search range."""

    def score(self, log_ratio: Floats) -> Floats:
        """Return the score statistics at given log ratios, of shape (..., S, places)."""


class ScoreRatio(NamedTuple):
    """The ratio, or odds ratio, of two proportions of different rows: hits and rows of both."""

    contrast: Contrast
    hits: tuple[Any, Any]
    rows: tuple[Any, Any]

    @property
    def estimate(self) -> Floats:
        """The logarithm of the ratio."""
        (x1, x2), (n1, n2) = (map(_stack, pair) for pair in (self.hits, self.rows))
        odds = self.contrast == "odds ratio"
        with np.errstate(all="ignore"):
            first, second = (x1 / (n1 - x1), x2 / (n2 - x2)) if odds else (x1 / n1, x2 / n2)
            return np.asarray(np.clip(np.log(first) - np.log(second), -FAR, FAR))

    def score(self, log_ratio: Floats) -> Floats:
        """Return the skewness-corrected scores of logarithms of ratios."""
        hits, rows = (tuple(_stack(v)[:, None] for v in pair) for pair in (self.hits, self.rows))
        return score(self.contrast, (hits[0], hits[1]), (rows[0], rows[1]), np.exp(log_ratio))


class PairedRatio(NamedTuple):
    """The ratio of two proportions of the same rows.

    The rows are those of both hits, only the first, only the second, and neither. The score of a
    ratio θ is (x - θy) / √(nθ(p + q)), with x and y the hits of either, and p and q the shares of
    rows that only one hits which fit best if θ is true. At θ = 1, its square is McNemar's
    chi-square. Where neither hits any row, the score of every ratio is 0. Source: tang2003.
    """

    both: Any
    one: Any
    other: Any
    none: Any

    @property
    def estimate(self) -> Floats:
        """The logarithm of the ratio; 0 where neither hits any row."""
        a, b, c = (_stack(v) for v in self[:3])
        with np.errstate(all="ignore"):
            ratio = np.nan_to_num(np.log(a + b) - np.log(a + c), nan=0.0)
            return np.asarray(np.clip(ratio, -FAR, FAR))

    def score(self, log_ratio: Floats) -> Floats:
        """Return the score statistics at given log ratios.

        >>> z = PairedRatio(36, 12, 2, 0).score(np.zeros((1, 1)))
        >>> round(z.item() ** 2, 4)  # (12 - 2)² / (12 + 2)
        7.1429
        """
        a, b, c, d = (_stack(v)[:, None] for v in self)
        t, hit = np.exp(log_ratio), a + b + c
        n = hit + d
        with np.errstate(all="ignore"):
            m = hit / n
            # Quadratic equation for the share q, of which the larger root is the likeliest.
            square, linear = (1 + t) * hit, m * ((a + c) * t**2 - (a + b + 2 * c))
            constant = -c * m * m * (t - 1)
            root = np.sqrt(np.maximum(linear**2 - 4 * square * constant, 0.0))
            q = np.where(
                linear > 0, -2 * constant / (linear + root), (root - linear) / (2 * square)
            )
            p = (m * (t - 1) + q) / t
            gap, variance = a + b - t * (a + c), n * t * (p + q)
            return np.where(gap == 0, 0.0, gap / np.sqrt(variance))


def _stack(v: Any) -> Floats:
    return np.atleast_1d(np.asarray(v, np.float64))


class Scale(NamedTuple):
    """The scale on which two ratios are compared.

    ``tied`` returns, from the logarithm of one ratio and a shift, that of the other: both differ
    on the scale by the shift.
    """

    tied: Callable[[Floats, Floats], Floats]


def _sum(log_ratio: Floats, shift: Floats) -> Floats:
    return log_ratio + shift


LOGARITHM = Scale(_sum)
"""A shift is the logarithm of the ratio of both ratios."""


def scale_of(metric: str, params: Mapping[str, Any]) -> Scale:
    """Return the scale of a metric that is a function of a ratio: a shift is its difference."""
    m = get(metric)
    of = m._sampling.two_shares
    assert of is not None

    def tied(log_ratio: Floats, shift: Floats) -> Floats:
        value = m._at_parameters(of.value, np.exp(log_ratio), params)
        return np.asarray(np.log(m._at_parameters(of.inverse, value + shift, params)))

    return Scale(tied)


@np.errstate(all="ignore")
def least_q(first: Scored, second: Scored, shift: Any, scale: Scale = LOGARITHM) -> Floats:
    """Return Q of shifts (..., S): the least z₁² + z₂² where both ratios differ by the shift.

    Infinite for a shift that no two ratios have.

    >>> one = ScoreRatio("ratio", (45, 8), (50, 50))
    >>> other = ScoreRatio("ratio", (30, 10), (50, 50))
    >>> round(least_q(one, other, 0.0).item(), 4)
    1.9795
    """
    shift = np.asarray(shift, np.float64) + np.zeros_like(first.estimate)
    estimate = np.broadcast_to(second.estimate, shift.shape)
    met = scale.tied(np.broadcast_to(first.estimate, shift.shape), -shift)
    low = np.minimum(estimate, np.where(np.isnan(met), -FAR, met))
    high = np.maximum(estimate, np.where(np.isnan(met), FAR, met))
    # Corrected for skewness, the score of an infinite estimate is 0 at a finite value.
    endless = (np.abs(low) >= FAR) | (np.abs(high) >= FAR)
    margin = np.where(endless, 2 * FAR, 0.5 + (high - low) / 4)
    low, high = np.maximum(low - margin, -FAR), np.minimum(high + margin, FAR)
    least = np.full(shift.shape, math.inf)
    for _ in range(_ROUNDS):
        place = low[..., None] + (high - low)[..., None] * _PLACES
        other = scale.tied(place, shift[..., None])
        q = first.score(np.clip(other, -FAR, FAR)) ** 2 + second.score(place) ** 2
        q = np.where(np.isnan(q) | np.isnan(other), math.inf, q)
        i = q.argmin(-1)[..., None]
        least = np.minimum(least, np.take_along_axis(q, i, -1)[..., 0])
        ends = (np.clip(i + step, 0, len(_PLACES) - 1) for step in (-1, 1))
        low, high = (np.take_along_axis(place, end, -1)[..., 0] for end in ends)
    return least


def p_of(q: Any) -> Floats:
    """Return p-values of Q, which is chi-square with one degree of freedom under equality.

    >>> round(float(p_of(3.841459)), 4)
    0.05
    """
    from scipy.special import erfc

    return np.asarray(erfc(np.sqrt(np.asarray(q) / 2)))


@np.errstate(all="ignore")
def bounds(
    q: Callable[[Floats], Floats], middle: Floats, step: Floats, level: float
) -> tuple[Floats, Floats]:
    """Return where Q crosses the squared critical value below and above ``middle`` (S,).

    Parameters
    ----------
    q : callable
        Returns Q of shifts (..., S).
    middle, step : array (S,)
        The estimates, and how far the search goes at first.
    level : float
        The confidence level; a bound is infinite where Q stays below the critical value.

    """
    z = quantile(level)
    side = np.array([[-1.0], [1.0]])

    def beyond(shift: Floats) -> Floats:
        return np.asarray(np.sqrt(q(shift)) - z)

    inner = np.broadcast_to(middle, (2, *middle.shape)) + 0.0
    moved = step
    outer = inner + side * moved
    at_outer = beyond(outer)
    for _ in range(_DOUBLINGS):
        near = at_outer < 0
        if not near.any():
            break
        moved = 2 * moved
        inner = np.where(near, outer, inner)
        outer = np.where(near, outer + side * moved, outer)
        at_outer = beyond(outer)
    endless = at_outer < 0
    found = crossing(beyond, inner, outer, 1e-12)
    found = np.where(endless, side * math.inf, found)
    return found[0], found[1]


def bounds_of_ratio(first: Scored, second: Scored, level: float) -> tuple[Floats, Floats]:
    """Return the interval of the first ratio over the second: the ratios whose Q is small.

    >>> low, high = bounds_of_ratio(PairedRatio(70, 10, 12, 8), PairedRatio(20, 15, 5, 260), 0.95)
    >>> round(low.item(), 3), round(high.item(), 3)
    (0.495, 0.953)
    """
    middle = first.estimate - second.estimate
    ends = bounds(
        lambda shift: least_q(first, second, shift), middle, np.full(middle.shape, 0.25), level
    )
    low, high = (np.exp(end) for end in ends)
    return low, high
