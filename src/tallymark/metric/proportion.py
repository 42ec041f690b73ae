"""The interval of a proportion, which curves and judgements share."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError

_HAIR = 1e-12


def quantile(level: float) -> float:
    """Return z such that a normal variable lies within z standard deviations with this chance."""
    if not 0 < level < 1:
        raise InputError(f"level is {level!r}; it must lie between 0 and 1, such as 0.95")
    return NormalDist().inv_cdf((1 + level) / 2)


def wilson(successes: Any, n: Any, z: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return Wilson's score interval of a proportion, of any shape; NaN where n is 0.

    >>> low, high = wilson(8, 10, 1.959964)
    >>> round(float(low), 4), round(float(high), 4)
    (0.4902, 0.9433)
    """
    n = np.asarray(n, dtype=np.float64)
    with np.errstate(all="ignore"):
        p = np.true_divide(successes, n)
        centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        low, high = centre - half, centre + half
        # Exact at the ends, where rounding would leave the proportion itself outside.
        return np.where(p == 0, 0.0, np.maximum(low, 0)), np.where(p == 1, 1.0, np.minimum(high, 1))


def worth(part: Any, whole: Any, part2: Any, whole2: Any) -> NDArray[Any]:
    """Return how many rows of weight 1 tell as much of a proportion as weighted rows do.

    p(1 - p) over the variance of the proportion when rows are drawn with their weights,
    ((1 - p)² Σw² of the part + p² Σw² of the rest) / (Σw)²: Kish's (Σw)² / Σw² where weights have
    nothing to do with the part, fewer where the part, or the rest, rests on few heavy rows. Kish's
    where the part is nothing or all.

    Parameters
    ----------
    part, whole : array
        Sums of the weights of the part and of the whole.
    part2, whole2 : array
        Sums of their squares.

    Examples
    --------
    >>> float(worth(30.0, 40.0, 30.0, 40.0))  # all weights 1
    40.0
    >>> float(worth(3.0, 4.0, 9.0, 10.0))  # one row of weight 3 is the part, one of 1 the rest
    2.6666666666666665

    """
    with np.errstate(all="ignore"):
        p = np.true_divide(part, whole)
        spread = (1 - p) ** 2 * part2 + p**2 * (np.asarray(whole2) - part2)
        kish = np.true_divide(np.square(whole), whole2)
        found = p * (1 - p) * np.square(whole) / spread
        # Weights that were multiplied miss 0 and 1 by a rounding error.
        inside = (p > _HAIR) & (p < 1 - _HAIR) & (spread > 0)
        return np.asarray(np.where(inside, found, kish))
