"""How far two columns go together, beyond what chance explains: what content alone may propose."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tallymark.reading.look import Held
from tallymark.reading.meaning import FEWEST
from tallymark.tally.arrays import Floats

CHANCE = 2.5
"""Up to so many standard errors chance explains what is seen."""

CLEARLY = 4.0
"""From so many standard errors on, one column of several goes with another."""


def agreement(one: Held, other: Held) -> float:
    """Return how far two columns of classes agree beyond chance, in standard errors."""
    classes = sorted(one.classes | other.classes)
    a, b = one.codes_of(classes), other.codes_of(classes)
    keep = (a >= 0) & (b >= 0)
    a, b, n = a[keep], b[keep], int(keep.sum())
    if n < FEWEST:
        return math.inf
    shares = [np.bincount(codes, minlength=len(classes)) / n for codes in (a, b)]
    chance = float((shares[0] * shares[1]).sum())
    spread = math.sqrt(max(chance * (1 - chance) / n, 1e-12))
    return (float((a == b).mean()) - chance) / spread


def shift(scores: Floats, own: NDArray[np.bool_]) -> float:
    """Return how far scores of some rows lie above or below the others, in standard errors.

    That is Mann and Whitney's statistic, without a correction for ties.

    >>> round(shift(np.arange(20.0), np.arange(20) % 2 == 1), 2)
    0.38
    """
    keep = np.isfinite(scores)
    scores, own = scores[keep], own[keep]
    m, n = int(own.sum()), int((~own).sum())
    if not m or not n:
        return 0.0
    ordered = np.sort(scores)
    ranks = (np.searchsorted(ordered, scores) + np.searchsorted(ordered, scores, "right")) / 2
    area = (ranks[own].sum() - m * m / 2) / (m * n)
    return float(abs(area - 0.5) / ((m + n + 1) / (12 * m * n)) ** 0.5)
