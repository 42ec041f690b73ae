"""The bounds of a difference: from draws of it, or from the intervals of the two numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.infer.jackknife import student
from tallymark.infer.sampler import percentile_bounds
from tallymark.tally.arrays import Floats

PRIOR_ROWS = 2.0
"""Rows that the prior of posterior draws is worth, spread evenly over what two models can say."""


def welch(parts: Sequence[tuple[float, float]]) -> float:
    """Return the degrees of freedom of a sum of variances, each (variance, its own degrees).

    (Σ v)² / Σ v²/f (Satterthwaite 1946, Welch 1947): near those of the part that weighs most.

    >>> welch([(1.0, 4.0), (0.0, 100.0)]), welch([(1.0, 9.0), (1.0, 9.0)])
    (4.0, 18.0)
    """
    total = sum(v for v, _ in parts)
    spread = sum(v * v / max(f, 1e-9) for v, f in parts)
    return max(total**2 / spread, 1.0) if spread > 0 else math.inf


def mover(
    gap: float,
    first: tuple[float, float],
    second: tuple[float, float],
    correlation: float = 0.0,
) -> tuple[float, float]:
    """Return the interval of a difference from those of its two numbers.

    With δ the distance of a number from its bound on the side in question, the bounds lie
    √(δ₁² - 2 r δ₁ δ₂ + δ₂²) from the difference (Newcombe 1998; Zou and Donner 2008; MOVER): they
    keep the skew of both intervals.

    Parameters
    ----------
    gap : float
        The first number less the second.
    first, second : (float, float)
        How far each number lies above its lower bound, and below its upper one.
    correlation : float
        Of the two estimates, -1..1. Of estimates that rise and fall together 0 makes the interval
        too wide, never too narrow.

    Examples
    --------
    >>> low, high = mover(0.1, (0.04, 0.03), (0.04, 0.03), 0.5)
    >>> round(low, 4), round(high, 4)
    (0.0639, 0.1361)

    """
    r = min(max(correlation, -1.0), 1.0)

    def along(x: float, y: float) -> float:
        return math.sqrt(max(x * x - 2 * r * x * y + y * y, 0.0))

    return gap - along(first[0], second[1]), gap + along(first[1], second[0])


def drawn_bounds(
    gaps: NDArray[Any], level: float, freedom: float, widen: float = 1.0
) -> tuple[float, float]:
    """Return the percentile interval of draws, reaching as far out as Student's t does.

    Draws vary as the normal does, as if the spread of the rows were known: of few rows percentiles
    are too narrow. The share left out on either side is therefore Φ(-t), t Student's quantile
    times ``widen`` (Hesterberg 2015, the expanded percentile interval).
    """
    from scipy.special import ndtr

    out = student(level, max(freedom, 1.0)) * widen
    lows, highs = percentile_bounds(gaps, 1 - 2 * float(ndtr(-out)))
    return float(lows), float(highs)


def drawn_p(gaps: NDArray[Any], freedom: float, widen: float = 1.0) -> float:
    """Return the two-sided p-value of which :func:`drawn_bounds` is the inversion.

    Twice the share of draws on the rarer side of 0, one draw added to either side, brought from
    the normal's tail to Student's. Of one or two degrees of freedom so far out a tail is asked for
    that no draw lies there: the p-value is then the larger one.
    """
    from scipy.special import ndtr, ndtri, stdtr

    there = gaps[~np.isnan(gaps)]
    beyond = min(int((there <= 0).sum()), int((there >= 0).sum()))
    share = min(1.0, 2 * (1 + beyond) / (1 + len(there)))
    out = ndtri(share / 2) / widen
    return float(2 * (ndtr(out) if math.isinf(freedom) else stdtr(max(freedom, 1.0), out)))


def posterior_cells(
    cells: Floats, draws: int, rng: np.random.Generator, by_class: bool = False
) -> Floats:
    """Return draws [draw, true, by a, by b] of what two models say, from its Dirichlet posterior.

    Resampled rows never show what did not happen among them: that a model which was always right
    errs, or that two err apart. The prior is worth two rows, spread evenly over the cells. Every
    draw has as many rows as ``cells``, and with ``by_class`` as many of each true class.
    """
    k = len(cells)
    alpha = cells + PRIOR_ROWS / cells.size
    gammas = rng.standard_gamma(alpha, size=(draws, *alpha.shape))
    if by_class:
        total = cells.sum((1, 2)).reshape(k, 1, 1)
        return np.asarray(gammas * total / gammas.sum((2, 3), keepdims=True))
    return np.asarray(gammas * cells.sum() / gammas.sum((1, 2, 3), keepdims=True))


def posterior_freedom(cells: Floats, difference: Callable[[Floats, Floats], Floats]) -> float:
    """Return the degrees of freedom of a difference over :func:`posterior_cells`.

    Welch's of what the rows of each class add to its variance, each class with the rows that it
    has, the prior's among them: where few positives decide, theirs. ``difference`` is of matrices
    [case, true, by a] and [case, true, by b].
    """
    k = len(cells)
    alpha = cells + PRIOR_ROWS / cells.size
    step = 1e-4 * alpha.sum()
    units = np.eye(cells.size).reshape(-1, *cells.shape)
    moved = alpha + step * np.concatenate([np.zeros((1, *cells.shape)), units])
    values = difference(moved.sum(3), moved.sum(2))
    slope = ((values[1:] - values[0]) / step).reshape(cells.shape)
    if not np.isfinite(slope).all():
        return float(alpha.reshape(k, -1).sum(1).min())
    off = slope - (alpha * slope).sum() / alpha.sum()
    return welch(
        [(float((a * o * o).sum()), float(a.sum())) for a, o in zip(alpha, off, strict=True)]
    )
