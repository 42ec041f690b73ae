"""Very many distinct scores put together into few groups, for resampling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tallymark.tally.arrays import Floats
from tallymark.tally.reductions import search

if TYPE_CHECKING:
    from tallymark.tally.scores import ScoreTally

_ERRORS_NEAR = np.concatenate([np.arange(-7, -2), np.arange(-7, 8) / 3, np.arange(3, 8)])
"""Thirds of a standard error where most draws are, whole ones where few are."""


def starts(tally: ScoreTally, groups: int, cut: float | None) -> NDArray[np.intp]:
    """Return where the groups start that have weight."""
    found = _cut(tally, groups, cut)
    return np.asarray(found[_counts(tally, found).sum(1) > 0])


def grouped(
    tally: ScoreTally, groups: int, cut: float | None, around: Sequence[int], lowest: bool
) -> ScoreTally:
    """Return a tally in at most about so many groups: see :meth:`ScoreTally.coarse`."""
    found = _cut(tally, groups, cut, around)
    counts = _counts(tally, found)
    full = counts.sum(1) > 0
    if not full.all():
        found, counts = found[full], counts[full]
    scores = tally.scores[found] if lowest else _means(tally, found, counts)
    squares = tally.sum_squared_weights
    if squares is not None:
        squares = np.add.reduceat(squares, found, axis=0)
    return type(tally)(tally.labels, tally.positive, scores, counts, squares, tally.rows)


def _means(tally: ScoreTally, starts: NDArray[np.intp], counts: Floats) -> Floats:
    """Return the mean score of the rows of each group, within the group whatever the rounding."""
    unit = max(1.0, -float(tally.scores[0]), float(tally.scores[-1]))
    scores = tally.scores / unit if unit > 1 else tally.scores  # so that no sum overflows
    ends = np.append(starts[1:], len(scores))
    if tally.rows != len(scores) or tally.sum_squared_weights is not None:
        scores = tally.counts.sum(1) * scores
    weighted = np.add.reduceat(scores, starts)
    with np.errstate(over="ignore"):
        means = weighted / counts.sum(1) * unit
    # Two groups must not meet or change places.
    return np.asarray(np.clip(means, tally.scores[starts], tally.scores[ends - 1]))


def _cut(
    tally: ScoreTally, groups: int, cut: float | None, around: Sequence[int] = ()
) -> NDArray[np.intp]:
    """Return :func:`starts` with those of groups without weight."""
    size = len(tally.scores)
    cuts = [_at_shares(rows, groups // 2) + 1 for rows in tally.score_counts.cumulative_counts]
    if cut is not None:
        cuts.append(np.searchsorted(tally.scores, [cut]))
    cuts += [_near(tally, place) for place in around]
    found = np.unique(np.concatenate([[0], *cuts]))
    return np.asarray(found[found < size])


def _near(tally: ScoreTally, place: int) -> NDArray[np.intp]:
    """Return starts of groups about a threshold, in steps of its counts' standard errors."""
    size = len(tally.scores)
    place = min(place, size)
    squares, found = tally.squared_score_counts, [np.array([place])]
    of_weights = (None, None) if squares is None else (squares.positives, squares.negatives)
    for above, second in zip(tally.score_counts.cumulative_counts, of_weights, strict=True):
        each = 1.0 if second is None else float(second) / max(float(above[-1]), 1e-300)
        rows = above[place] / each * (1 - above[place] / max(float(above[-1]), 1e-300))
        steps = above[place] + _ERRORS_NEAR * (each * math.sqrt(max(rows, 1.0)))
        found.append(np.searchsorted(above, steps))
    return np.asarray(size - np.minimum(np.concatenate(found), size))


def _counts(tally: ScoreTally, starts: NDArray[np.intp]) -> Floats:
    """Return the counts of groups: of whole rows of two classes differences of cumulative ones."""
    if tally.sum_squared_weights is not None or len(tally.labels) != 2:
        return np.add.reduceat(tally.counts, starts, axis=0)
    edges = len(tally.scores) - np.append(starts, len(tally.scores))
    pos, neg = (rows[edges[:-1]] - rows[edges[1:]] for rows in tally.score_counts.cumulative_counts)
    return np.stack((neg, pos) if tally.labels.index(tally.positive) else (pos, neg), 1)


def _at_shares(above: Floats, parts: int) -> NDArray[np.intp]:
    """Return where rows from the lowest score on reach 1, 2, ... of so many equal parts of all.

    ``above`` (G + 1) are their cumulative counts from the highest score down.

    >>> _at_shares(np.array([0.0, 2.0, 3.0, 3.0, 4.0]), 2).tolist()
    [2]
    """
    size, total = len(above) - 1, above[-1]
    shares = np.linspace(0, total, parts + 1)[1:-1]
    return search(size, lambda i: total - above[size - 1 - i], shares)
