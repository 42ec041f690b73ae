"""Which metrics are a ratio of two sums of counts, found from their functions alone.

A claim about such a metric is a pair of linear inequalities, and integer matrices that satisfy
several of them can be listed without trying them all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tallymark.tally.arrays import Floats
from tallymark.tally.labels import Counts

Formula = Callable[[Counts], Any]
"""Counts of any shape -> values, NaN where undefined."""

_LARGEST = 10_000
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class Form:
    """A metric as ``num · x / den · x`` with whole numbers, x = (positives, tp, fp, rows)."""

    num: tuple[int, ...]
    den: tuple[int, ...]

    def at(self, x: tuple[int, ...]) -> Fraction | None:
        """Return the exact value, None for 0/0 and for a division by 0."""
        below = sum(b * v for b, v in zip(self.den, x, strict=True))
        if below == 0:
            return None
        return Fraction(sum(a * v for a, v in zip(self.num, x, strict=True)), below)


def counts_of(x: Any) -> Counts:
    """Return the four counts of ``x[..., (positives, tp, fp, rows)]``."""
    positives, tp, fp, rows = (np.asarray(x[..., i], dtype=np.float64) for i in range(4))
    return Counts(tp=tp, fp=fp, fn=positives - tp, tn=rows - positives - fp)


def ratio_of_sums(formula: Formula, rows: int, positives: int | None = None) -> Form | None:
    """Return a metric's form, None where it is no ratio of two sums of counts.

    With ``positives`` given, sums may hold products with the numbers of positives and of rows:
    kappa is no ratio of sums of counts, but one among matrices of the same margins.

    >>> from tallymark.metric import get
    >>> ratio_of_sums(get("jaccard").compute, 100)
    Form(num=(0, 1, 0, 0), den=(1, 0, 1, 0))
    """
    x = _points(rows, positives)
    with np.errstate(all="ignore"):
        y = np.asarray(formula(counts_of(x)), dtype=np.float64)
    there = np.isfinite(y)
    if there.sum() < 12:
        return None
    x, y = x[there], y[there]
    used = x if positives is None else x[:, 1:]
    # num·x - y·den·x = 0 for all points: the form lies in the null space.
    scale = np.abs(used).max(0)
    system = np.concatenate([used / scale, -y[:, None] * used / scale], 1)
    _, sizes, rights = np.linalg.svd(system)
    if sizes[-1] > _CLOSE * sizes[0]:
        return None
    found = _whole(system, rights, sizes, scale)
    if found is None:
        return None
    k = used.shape[1]
    num, den = found[:k], found[k:]
    if positives is not None:
        num, den = (0, *num), (0, *den)
    below = x @ np.array(den)
    if (below < 0).all():
        num, den = tuple(-v for v in num), tuple(-v for v in den)
    elif not (below > 0).all():
        return None  # a claim would be no pair of inequalities
    form = Form(num, den)
    return form if _holds(form, x, y) else None


def _points(rows: int, positives: int | None) -> Floats:
    rng = np.random.default_rng(0)
    p = rng.integers(2, 40, 60) if positives is None else np.full(60, positives)
    n = p + rng.integers(2, 40, 60) if positives is None else np.full(60, rows)
    tp = np.floor(rng.random(60) * (p + 1))
    fp = np.floor(rng.random(60) * (n - p + 1))
    return np.stack([p, tp, fp, n], 1).astype(np.float64)


def _whole(system: Floats, rights: Floats, sizes: Floats, scale: Floats) -> tuple[int, ...] | None:
    """Return the null vector in whole numbers, that of fewest terms where there are several."""
    null = rights[sizes <= _CLOSE * sizes[0]]
    if len(null) > 1:
        return None  # many forms, as of a constant
    vector = null[0] / np.concatenate([scale, scale])
    largest = np.abs(vector).max()
    kept = np.where(np.abs(vector) > 1e-7 * largest, vector, 0.0)
    least = np.abs(kept[kept != 0]).min()
    fractions = [Fraction(float(v / least)).limit_denominator(_LARGEST) for v in kept]
    common = math.lcm(*(f.denominator for f in fractions))
    whole = [int(f * common) for f in fractions]
    divisor = math.gcd(*whole) or 1
    return tuple(v // divisor for v in whole)


def _holds(form: Form, x: Floats, y: Floats) -> bool:
    for point, value in zip(x, y, strict=True):
        found = form.at(tuple(int(v) for v in point))
        if found is None or not math.isclose(float(found), value, rel_tol=1e-11, abs_tol=1e-12):
            return False
    return True
