"""All matrices of whole counts that satisfy stated numbers, or the proof that there is none.

The unknowns are the number of positives, TP and FP. A claim about a ratio of two sums of counts is
a pair of linear inequalities. Eliminating one unknown after another (Fourier-Motzkin) bounds the
others, so that few matrices remain; other claims are checked on these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark import Counts
from tallymark.core import Display, Floats, Sampler

Formula = Callable[[Counts], Any]
"""Counts of any shape -> values, NaN where undefined."""

_LARGEST = 10_000
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class Form:
    """A metric as ``num · x / den · x`` with whole numbers, x = (positives, tp, fp, rows)."""

    num: tuple[int, ...]
    den: tuple[int, ...]


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
    defined = np.isfinite(y)
    if defined.sum() < 12:
        return None
    x, y = x[defined], y[defined]
    first = 0 if positives is None else 1  # of the same margins, positives are no unknown
    used = x[:, first:]
    # num·x - y·den·x = 0 for all points: the form lies in the null space.
    scale = np.abs(used).max(0)
    system = np.concatenate([used / scale, -y[:, None] * used / scale], 1)
    _, sizes, rights = np.linalg.svd(system)
    null = rights[sizes <= _CLOSE * sizes[0]]
    if len(null) != 1:
        return None  # no form, or many, as of a constant
    whole = np.split(np.array(_whole(null[0] / np.tile(scale, 2)), dtype=object), 2)
    num, den = (np.append([0] * first, part) for part in whole)
    below = x @ den
    if (below < 0).all():
        num, den = -num, -den
    elif not (below > 0).all():
        return None  # a claim would be no pair of inequalities
    values = np.asarray(x @ num / (x @ den), dtype=np.float64)
    if not np.allclose(values, y, rtol=1e-11, atol=1e-12):
        return None
    return Form(tuple(num.tolist()), tuple(den.tolist()))


def _points(rows: int, positives: int | None) -> Floats:
    rng = Sampler().generator("matrices")
    p = rng.integers(2, 40, 60) if positives is None else np.full(60, positives)
    n = p + rng.integers(2, 40, 60) if positives is None else np.full(60, rows)
    tp = np.floor(rng.random(60) * (p + 1))
    fp = np.floor(rng.random(60) * (n - p + 1))
    return np.stack([p, tp, fp, n], 1).astype(np.float64)


def _whole(vector: Floats) -> list[int]:
    """Return a vector in the smallest whole numbers, with nearly zero entries as 0."""
    nonzero = np.where(np.abs(vector) > 1e-7 * np.abs(vector).max(), vector, 0.0)
    least = np.abs(nonzero[nonzero != 0]).min()
    fractions = [Fraction(float(v / least)).limit_denominator(_LARGEST) for v in nonzero]
    common = math.lcm(*(f.denominator for f in fractions))
    whole = [int(f * common) for f in fractions]
    return [v // math.gcd(*whole) for v in whole]


Ints = NDArray[np.int64]
_Half = tuple[list[float], float]

KEPT = 20
"""Matrices that are listed; all are counted."""
MOST = 60_000_000
"""Most matrices that are checked one by one; beyond, the search gives up."""
_BLOCK = 1 << 20
_EDGE = 1e-12
"""Values of roots this close to the end of a stated interval count as inside."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The interval of a rounded number, ends included unless ``high_open``."""

    low: Fraction
    high: Fraction
    high_open: bool = False

    def holds(self, x: Fraction, slack: Fraction = Fraction(0)) -> bool:
        """Tell whether an exact number would be printed so; ``slack`` widens ends that count."""
        return self.low - slack <= x and (
            x < self.high if self.high_open else x <= self.high + slack
        )


@dataclass(frozen=True, slots=True)
class Constraint:
    """One claim: a formula of the counts and the interval it must lie in."""

    formula: Formula
    bounds: Bounds
    form: Form | None

    @classmethod
    def of(cls, formula: Formula, bounds: Bounds, rows: int, positives: int | None) -> Constraint:
        """Find the formula's form: of all matrices, or of those with these margins."""
        form = ratio_of_sums(formula, rows)
        if form is None and positives is not None and 0 < positives < rows:
            form = ratio_of_sums(formula, rows, positives)
        return cls(formula, bounds, form)

    def halves(self) -> list[tuple[list[int], int]]:
        """Return inequalities ``a · (positives, tp, fp, rows) >= least`` in whole numbers."""
        if self.form is None:
            return []
        num, den = self.form.num, self.form.den
        low, high = self.bounds.low, self.bounds.high
        below = [low.denominator * a - low.numerator * b for a, b in zip(num, den, strict=True)]
        above = [high.numerator * b - high.denominator * a for a, b in zip(num, den, strict=True)]
        return [(below, 0), (above, 1 if self.bounds.high_open else 0), (list(den), 1)]

    def keeps(self, x: Ints) -> NDArray[np.bool_]:
        """Tell of each of ``x[:, (positives, tp, fp, rows)]`` whether the claim holds."""
        with np.errstate(all="ignore"):
            y = np.asarray(self.formula(counts_of(x)), dtype=np.float64)
        low, high = float(self.bounds.low), float(self.bounds.high)
        slack = _EDGE * max(1.0, abs(low), abs(high))
        above = y < high - slack if self.bounds.high_open else y <= high + slack
        return (y >= low - slack) & above


@dataclass(frozen=True, slots=True, repr=False)
class Solutions(Display):
    """How many matrices fit, the first of them, and the range of each count.

    ``matrices`` are rows of TP, FN, FP, TN. ``complete`` is False if the search gave up.
    """

    count: int
    matrices: tuple[tuple[int, int, int, int], ...]
    ranges: tuple[tuple[int, int], ...]
    complete: bool = True


NONE = Solutions(0, (), ())
UNDECIDED = Solutions(0, (), (), complete=False)


def solve(
    constraints: Sequence[Constraint],
    rows: int,
    positives: int | None = None,
    known: Mapping[str, int] | None = None,
) -> Solutions:
    """Return every matrix of ``rows`` rows that satisfies all constraints.

    Parameters
    ----------
    constraints : sequence of Constraint
    rows : int
    positives : int, optional
        The number of positives, where it is known.
    known : mapping, optional
        Counts that are known: of "tp", "fn", "fp" and "tn".

    """
    pairs = _pairs(_halves(constraints, rows, positives, known or {}), rows)
    if pairs is None:
        return UNDECIDED
    p, t, low, high = pairs
    sizes = np.maximum(high - low + 1, 0)
    total = int(sizes.sum())
    if not total:
        return NONE
    p, t, low, high, sizes = (v[sizes > 0] for v in (p, t, low, high, sizes))
    others = [c for c in constraints if c.form is None]
    if others:
        return UNDECIDED if total > MOST else _checked(others, p, t, low, sizes, rows)
    each = (
        (tp, n - tp, fp, rows - n - fp)
        for n, tp, first, last in zip(*(v.tolist() for v in (p, t, low, high)), strict=True)
        for fp in range(first, last + 1)
    )
    ends = ((t, t), (p - t, p - t), (low, high), (rows - p - high, rows - p - low))
    ranges = tuple((int(a.min()), int(b.max())) for a, b in ends)
    return Solutions(total, tuple(islice(each, KEPT)), ranges)


_CELLS = {"tp": (0, 1, 0, 0), "fn": (1, -1, 0, 0), "fp": (0, 0, 1, 0), "tn": (-1, 0, -1, 1)}
"""The four counts as sums of positives, TP, FP and rows."""


def _halves(
    constraints: Sequence[Constraint], rows: int, positives: int | None, known: Mapping[str, int]
) -> list[tuple[list[int], int]]:
    """Return all inequalities as (coefficients of positives, tp, fp; least): a · x >= least."""
    raw = [h for c in constraints for h in c.halves()]
    raw += [(list(cell), known.get(name, 0)) for name, cell in _CELLS.items()]
    raw += [([-v for v in _CELLS[name]], -count) for name, count in known.items()]
    least, most = (0, rows) if positives is None else (positives, positives)
    raw += [([1, 0, 0, 0], least), ([-1, 0, 0, 0], -most)]
    out = []
    for a, least in raw:
        divisor = math.gcd(*a[:3])
        right = least - a[3] * rows
        if divisor > 1:  # whole numbers: a tighter bound
            a, right = [v // divisor for v in a], -((-right) // divisor)
        out.append((a[:3], right))
    return out


def _eliminate(halves: list[_Half], i: int) -> list[_Half]:
    """Return inequalities with the i-th unknown eliminated (Fourier-Motzkin)."""
    out = [h for h in halves if h[0][i] == 0]
    for up, a in [h for h in halves if h[0][i] > 0]:
        for down, b in [h for h in halves if h[0][i] < 0]:
            k, m = -down[i], up[i]
            joined = [k * u + m * d for u, d in zip(up, down, strict=True)]
            scale = max(map(abs, joined)) or 1.0
            joined = [v / scale if abs(v) > 1e-13 * scale else 0.0 for v in joined]
            out.append((joined, (k * a + m * b) / scale))
    return out


def _limits(
    halves: Iterable[tuple[Any, Any]], low: Any, high: Any, slack: float = 0
) -> tuple[Any, Any]:
    """Return the whole numbers x between which all ``a x >= b`` hold; none where one cannot."""
    for a, b in halves:
        if a > 0:
            low = np.maximum(low, -((slack * a - b) // a))
        elif a < 0:
            high = np.minimum(high, (b + slack * a) // a)
        else:
            high = np.where(b > slack, -1, high)
    return low, high


def _pairs(halves: list[tuple[list[int], int]], rows: int) -> tuple[Ints, ...] | None:
    """Return positives, TP and the range of FP that satisfy the inequalities."""
    relaxed: list[_Half] = [([float(v) for v in a], float(b)) for a, b in halves]
    flat = _eliminate(relaxed, 2)
    slack = 1e-9 * max(rows, 1)
    low, high = _limits([(a[0], b) for a, b in _eliminate(flat, 1)], 0.0, float(rows), slack)
    if high - low >= MOST:
        return None
    p = np.arange(int(low), int(high) + 1)
    of_tp = ((a[1], b - a[0] * p) for a, b in flat if a[1])
    first, last = _limits(of_tp, np.zeros(len(p)), p.astype(np.float64), slack)
    sizes = np.maximum(last - first + 1, 0).astype(np.int64)
    if sizes.sum() > MOST:
        return None
    positives = np.repeat(p, sizes)
    starts = np.cumsum(sizes) - sizes
    tp = np.arange(len(positives)) + np.repeat(first.astype(np.int64) - starts, sizes)
    if max((abs(v) for a, b in halves for v in (*a, b)), default=0) * max(rows, 1) > 1 << 60:
        positives, tp = positives.astype(object), tp.astype(object)  # of any size, slower
    of_fp = ((a[2], b - a[0] * positives - a[1] * tp) for a, b in halves)
    ends = _limits(of_fp, np.zeros(len(tp), dtype=np.int64), rows - positives)
    return tuple(np.asarray(v, dtype=np.int64) for v in (positives, tp, *ends))


def _checked(
    others: Sequence[Constraint], p: Ints, t: Ints, low: Ints, sizes: Ints, rows: int
) -> Solutions:
    """Return the matrices that satisfy the other claims, checked in blocks."""
    count = 0
    first: list[Any] = []
    least, most = np.full(4, np.iinfo(np.int64).max), np.full(4, -1, dtype=np.int64)
    ends = np.cumsum(sizes)
    for block in range(0, int(ends[-1]), _BLOCK):
        places = np.arange(block, min(block + _BLOCK, int(ends[-1])))
        of = np.searchsorted(ends, places, side="right")
        fp = low[of] + places - (ends - sizes)[of]
        x = np.stack([p[of], t[of], fp, np.full(len(fp), rows)], 1)
        for c in others:
            x = x[c.keeps(x)] if len(x) else x  # metrics of matrices refuse an empty array
        if len(x):
            count += len(x)
            four = np.stack([x[:, 1], x[:, 0] - x[:, 1], x[:, 2], rows - x[:, 0] - x[:, 2]], 1)
            least, most = np.minimum(least, four.min(0)), np.maximum(most, four.max(0))
            first += map(tuple, four[: KEPT - len(first)].tolist())
    if not count:
        return NONE
    return Solutions(count, tuple(first), tuple(zip(least.tolist(), most.tolist(), strict=True)))


def number_of_matrices(rows: int, positives: int | None, known: Mapping[str, int]) -> int:
    """Return how many matrices of these rows there are in all, with the counts that are known."""

    def ways(total: int, names: tuple[str, ...]) -> int:
        """Return how many values of these counts add up to a total."""
        rest = total - sum(known.get(name, 0) for name in names)
        unknown = sum(name not in known for name in names)
        if not unknown:
            return int(rest == 0)
        return math.comb(rest + unknown - 1, unknown - 1) if rest >= 0 else 0

    if positives is None:
        return ways(rows, ("tp", "fn", "fp", "tn"))
    return ways(positives, ("tp", "fn")) * ways(rows - positives, ("fp", "tn"))
