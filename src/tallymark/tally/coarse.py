"""Very many distinct scores put together into few groups, for resampling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tallymark import _kernels
from tallymark.tally.along import bin_sums
from tallymark.tally.arrays import Floats
from tallymark.tally.threads import side_by_side, threads_for

if TYPE_CHECKING:
    from tallymark.tally.scores import ScoreTally

_LONG = 1 << 10
"""Groups of more probabilities than this on average are added up from sums of stretches."""

_FINE = 1 << 13
"""More groups than this are looked for side by side."""

_ERRORS_NEAR = np.concatenate([np.arange(-7, -2), np.arange(-7, 8) / 3, np.arange(3, 8)])
"""Thirds of a standard error where most draws are, whole ones where few are."""


def starts(tally: ScoreTally, groups: int, cut: float | None) -> NDArray[np.intp]:
    """Return where the groups start that have weight."""
    found = _cut(tally, groups, cut)
    if tally.score_counts.whole:  # every score has a row
        return found
    return np.asarray(found[_rows(_added(tally, found)[0]) > 0])


def grouped(
    tally: ScoreTally, groups: int, cut: float | None, around: Sequence[int], lowest: bool
) -> ScoreTally:
    """Return a tally in at most about so many groups: see :meth:`ScoreTally.coarse`."""
    found = _cut(tally, groups, cut, around)
    if lowest and tally.sum_squared_weights is None and len(tally.labels) == 2:
        return _of_order(tally, found)
    # Means of scores within 1, so that no sum overflows, and never outside their own group:
    # rounding must not let two groups meet or change places.
    unit = float(max(-tally.scores[0], tally.scores[-1])) or 1.0
    counts, weighted = _added(tally, found, unit)
    rows = _rows(counts)
    full = rows > 0
    if not full.all():
        found, counts, weighted, rows = found[full], counts[full], weighted[full], rows[full]
    ends = np.append(found[1:], len(tally.scores)) - 1
    with np.errstate(over="ignore"):
        means = weighted / rows * unit
    low, high = tally.scores[np.stack([found, ends], 1)].T  # neighbours share a line of memory
    scores = low if lowest else np.clip(means, low, high)
    squares = None
    if tally.sum_squared_weights is not None:
        squares = np.add.reduceat(tally.sum_squared_weights, found, axis=0)
    return type(tally)(tally.labels, tally.positive, scores, counts, squares, tally.rows)


def _cut(
    tally: ScoreTally, groups: int, cut: float | None, around: Sequence[int] = ()
) -> NDArray[np.intp]:
    """Return :func:`starts` with those of groups without weight."""
    if tally.sum_squared_weights is None:
        tops, cuts = tally.score_counts.cumulative_counts, [np.empty(0, dtype=np.intp)] * 2

        def cut_of(i: int) -> None:
            cuts[i] = _of_top(tops[i], groups // 2) + 1

        side_by_side(cut_of, 2, threads_for(len(tally.scores)) if groups > _FINE else 1)
    else:
        cuts = [_at_shares(v, groups // 2) + 1 for v in tally.split(tally.counts)]
    if cut is not None:
        cuts.append(np.searchsorted(tally.scores, [cut]))
    cuts += [_near(tally, place) for place in around]
    found = np.sort(np.concatenate([[0], *cuts]), kind="stable")  # of runs that rise already
    new = np.append(True, found[1:] != found[:-1])
    return np.asarray(found[new & (found < len(tally.scores))])


def _near(tally: ScoreTally, place: int) -> NDArray[np.intp]:
    """Return starts of groups about a threshold, in steps of its counts' standard errors."""
    size = len(tally.scores)
    place = min(place, size)
    squares, found = tally.squared_score_counts, [np.array([place])]
    of_weights = (None, None) if squares is None else (squares.positives, squares.negatives)
    for top, second in zip(tally.score_counts.cumulative_counts, of_weights, strict=True):
        each = 1.0 if second is None else float(second) / max(float(top[-1]), 1e-300)
        rows = top[place] / each * (1 - top[place] / max(float(top[-1]), 1e-300))
        steps = top[place] + _ERRORS_NEAR * (each * math.sqrt(max(rows, 1.0)))
        found.append(np.searchsorted(top, steps))
    return np.asarray(size - np.minimum(np.concatenate(found), size))


def _added(tally: ScoreTally, starts: NDArray[np.intp], unit: float = 1.0) -> tuple[Floats, Floats]:
    """Return the counts of groups of neighbouring scores, and sums of scores / unit.

    Whole counts have one sum. That of weights hangs on the order they are added up in, and the
    draws of groups of equal weight on its last digit: there the order is NumPy's.
    """
    if tally.sum_squared_weights is not None:
        each = tally.counts.sum(1)
        each *= tally.scores / unit
        return np.add.reduceat(tally.counts, starts, axis=0), np.add.reduceat(each, starts)
    r, begins = tally.score_counts, np.append(starts, len(tally.scores))
    if len(tally.labels) != 2 or not r.single:
        columns = [np.ascontiguousarray(c) for c in tally.counts.T]
        out = np.empty((len(columns) + 1, len(starts)))
        _kernels.add_groups(tally.scores, columns, begins[:-1], unit, out)
        return out[:-1].T, out[-1]
    if len(starts) * _LONG < len(r.scores) and r.scores[0] >= 0 and r.scores[-1] <= 1:
        return _counts(tally, starts), bin_sums(r, begins)[3] / unit  # of sums that others ask for
    sums = np.empty((1, len(starts)))
    _kernels.add_groups(r.scores, [], begins[:-1], unit, sums)
    return _counts(tally, starts), sums[0]


def _rows(counts: Floats) -> Floats:
    """Return the rows of all classes: of two without a loop over every group's two counts."""
    return counts[:, 0] + counts[:, 1] if counts.shape[1] == 2 else np.asarray(counts.sum(1))


def _counts(tally: ScoreTally, starts: NDArray[np.intp]) -> Floats:
    """Return the counts of groups: differences of running ones, exact of whole rows."""
    edges = len(tally.scores) - np.append(starts, len(tally.scores))
    pos, neg = (
        v[:-1] - v[1:] for v in (top[edges] for top in tally.score_counts.cumulative_counts)
    )
    return np.stack((neg, pos) if tally.labels.index(tally.positive) else (pos, neg), 1)


def _of_order(tally: ScoreTally, starts: NDArray[np.intp]) -> ScoreTally:
    """Return groups at the first score of each, without a pass over all scores."""
    counts = _counts(tally, starts)
    full = _rows(counts) > 0
    scores = tally.scores[starts[full]]
    return type(tally)(tally.labels, tally.positive, scores, counts[full], None, tally.rows)


def _of_top(top: Floats, parts: int) -> NDArray[np.intp]:
    """Return :func:`_at_shares` of whole rows, whose sums ``top`` runs through from the end.

    >>> _of_top(np.array([0.0, 2.0, 3.0, 3.0, 4.0]), 2).tolist()
    [2]
    """
    # Differences of whole sums are whole, so that a share is reached where the next whole one is.
    shares = np.ceil(np.linspace(0, top[-1], parts + 1)[1:-1])
    return np.asarray(len(top) - 1 - np.searchsorted(top[:-1], top[-1] - shares, side="right"))


def _at_shares(rows: Floats, parts: int) -> NDArray[np.intp]:
    """Return where sums of rows from the start reach 1, 2, ... of so many equal parts of all.

    >>> _at_shares(np.array([1.0, 0.0, 1.0, 2.0]), 2).tolist()
    [2]
    """
    # Sums over stretches first: of ten million groups only those near a cut are added up singly.
    step = 1 << 12
    sums = np.add.reduceat(rows, np.arange(0, len(rows), step))
    below = np.cumsum(sums)
    shares = np.linspace(0, below[-1], parts + 1)[1:-1]
    stretch = np.searchsorted(below, shares)
    found = np.empty(len(shares), dtype=np.intp)
    for i in np.unique(stretch):
        inside = np.cumsum(rows[i * step : (i + 1) * step]) + (below[i - 1] if i else 0.0)
        here = stretch == i
        found[here] = i * step + np.searchsorted(inside, shares[here])
    return found
