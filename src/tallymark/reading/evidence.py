"""How strongly the rows associate one column with another, as z statistics."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tallymark.metric.correlation import midranks
from tallymark.reading.look import Contents
from tallymark.reading.meaning import FEWEST
from tallymark.tally.arrays import Floats

MIN_Z = 2.5
"""Independent columns can reach smaller z statistics by chance."""

STRONG_Z = 4.0
"""Above this z statistic, the best of several columns is associated with another."""


def agreement_z(one: Contents, other: Contents) -> float:
    """Return the z statistic of the agreement of two columns of classes beyond chance.

    It is infinite if there are too few rows.
    """
    classes = sorted(one.classes | other.classes)
    a, b = one.codes_of(classes), other.codes_of(classes)
    keep = (a >= 0) & (b >= 0)
    a, b, n = a[keep], b[keep], int(keep.sum())
    if n < FEWEST:
        return math.inf
    shares = [np.bincount(codes, minlength=len(classes)) / n for codes in (a, b)]
    chance = float((shares[0] * shares[1]).sum())
    standard_error = math.sqrt(max(chance * (1 - chance) / n, 1e-12))
    return (float((a == b).mean()) - chance) / standard_error


def rank_z(scores: Floats, in_class: NDArray[np.bool_]) -> float:
    """Return the absolute z statistic of the Mann-Whitney test, without a correction for ties.

    >>> round(rank_z(np.arange(20.0), np.arange(20) % 2 == 1), 2)
    0.38
    """
    keep = np.isfinite(scores)
    scores, in_class = scores[keep], in_class[keep]
    m, n = int(in_class.sum()), int((~in_class).sum())
    if not m or not n:
        return 0.0
    u = midranks(scores, ties=0)[in_class].sum() - m * (m - 1) / 2
    return float(abs(u - m * n / 2) / math.sqrt(m * n * (m + n + 1) / 12))
