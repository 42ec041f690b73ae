"""Adjust p-values and interval levels for multiple comparisons."""

from __future__ import annotations

import math

import numpy as np

from tallymark.tally.arrays import Floats


def corrected(p_values: Floats, adjust: str) -> Floats:
    """Return p-values adjusted for their number by "holm", "bonferroni" or "none"; NaN stays NaN.

    >>> corrected(np.array([0.01, math.nan, 0.03]), "bonferroni").tolist()
    [0.02, nan, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    if adjust == "holm":
        return holm(p)
    return np.minimum(p * np.count_nonzero(~np.isnan(p)), 1.0) if adjust == "bonferroni" else p


def holm(p_values: Floats) -> Floats:
    """Return p-values adjusted for their number by Holm's step-down method; NaN stays NaN.

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    out = np.full(p.shape, math.nan)
    defined = np.flatnonzero(~np.isnan(p))
    order = defined[np.argsort(p[defined], kind="stable")]
    steps = p[order] * np.arange(len(order), 0, -1)
    out[order] = np.minimum(np.maximum.accumulate(steps), 1.0) if len(order) else steps
    return out


def holm_of_pairs(p_values: Floats) -> Floats:
    """Return p-values [pair, 2] adjusted step-down, if at most one null per pair can be true.

    That is so for two one-sided claims such as "above -0.02" and "below 0.02". At each step, as
    many nulls can still be true as there are pairs with a claim left (Shaffer 1986). So a single
    pair needs no adjustment, and its claim may be chosen from the data. NaN stays NaN.

    >>> holm_of_pairs(np.array([[0.001, 0.02], [0.001, 0.3]])).tolist()
    [[0.002, 0.04], [0.002, 0.3]]
    """
    p = np.asarray(p_values, dtype=np.float64)
    out = np.full(p.shape, math.nan)
    claims_left = (~np.isnan(p)).sum(1)
    least = 0.0
    for place in np.argsort(p, axis=None, kind="stable").tolist():
        pair, side = divmod(place, 2)
        if not math.isnan(p[pair, side]):
            least = max(least, float(p[pair, side]) * np.count_nonzero(claims_left))
            out[pair, side] = min(least, 1.0)
            claims_left[pair] -= 1
    return out


def each_level(level: float, of: int) -> float:
    """Return the level of each of several intervals for simultaneous coverage (Bonferroni).

    >>> round(each_level(0.95, 10), 6)
    0.995
    """
    return 1 - (1 - level) / max(of, 1)
