"""Rows put together by their probabilities: the bins of calibration errors and curves."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tallymark.errors import InputError
from tallymark.metric.registry import ratio
from tallymark.tally.arrays import Floats
from tallymark.tally.reductions import nodes, search
from tallymark.tally.score_counts import ScoreCounts


def bin_rows(r: ScoreCounts, bins: int, strategy: str) -> Any:
    """Return the bin of each score: of equal width, or of about equal rows ("mass").

    Rows of one score are never parted: a score belongs where the middle of its rows does.
    """
    _check_bins(bins, strategy)
    rows = r.pos + r.neg
    if strategy == "width":
        # A probability on an edge belongs to the bin above it; 0.29 * 100 would be below 29.
        edges = np.arange(bins + 1) / bins
        place = np.searchsorted(edges, r.scores, side="right") - 1
        return np.broadcast_to(np.clip(place, 0, bins - 1), rows.shape)
    # Multiplied before divided, for the same reason.
    middle = (np.cumsum(rows, axis=-1) - rows / 2) * bins
    place = np.nan_to_num(np.floor(ratio(middle, rows.sum(-1, keepdims=True))))
    return np.clip(place, 0, bins - 1).astype(np.intp)


def _check_bins(bins: int, strategy: str) -> None:
    if strategy not in ("mass", "width"):
        raise InputError(f"strategy is {strategy!r}; say 'mass' or 'width'")
    if bins < 1:
        raise InputError(f"bins is {bins}; there must be at least one")


def bin_starts(r: ScoreCounts, bins: int, strategy: str) -> Any:
    """Return where the bins of :func:`bin_rows` start, and the last ends, in one row of scores.

    Found among the rising places of the groups, of which only some are looked at.
    """
    tp, fp = r.cumulative_counts
    size, total = len(r.scores), tp[-1] + fp[-1]
    if strategy == "width":
        starts = r.scores.searchsorted(np.arange(1, bins) / bins)
    else:

        def place(i: Any) -> Any:
            above, reached = (tp[k] + fp[k] for k in (size - 1 - i, size - i))
            return np.floor(ratio((total - (above + reached) / 2) * bins, total))

        starts = search(size, place, np.arange(1, bins))
    return np.concatenate([[0], starts, [size]])


class Bins(NamedTuple):
    """What bins of probabilities hold, each an array (..., bins).

    ``beyond`` are the positives less those promised, the sums of the probabilities: taken off row
    by row, since two sums would differ by a rounding error where most promises were kept.
    """

    rows: Floats
    beyond: Floats
    positives: Floats
    promised: Floats
    not_promised: Floats


def binned(r: ScoreCounts, bins: int, strategy: str) -> Bins:
    """Return what each bin holds."""
    _check_bins(bins, strategy)
    return r.cached(_binned, bins=bins, strategy=strategy)


def _binned(r: ScoreCounts, bins: int, strategy: str) -> Bins:
    if r.cumulative_counts[0].ndim > 1:
        return _of_stack(r, bins, strategy)
    starts = bin_starts(r, bins, strategy)
    few = nodes(r, cuts=starts[:-1].tolist())
    inside = starts < len(r.scores)
    places = np.full(bins + 1, len(few.p))
    places[inside] = few.p.searchsorted(r.scores[starts[inside]])
    used = places[1:] > places[:-1]
    out = np.zeros((5, bins))
    if used.any():
        out[:, used] = np.add.reduceat(_parts(few), places[:-1][used], axis=-1)
    return Bins(*out)


def _parts(few: Any) -> Floats:
    """Return what each score adds to the sums of its bin."""
    p, q, pos, neg = few
    rows = pos + neg
    return np.stack([rows, pos * q - neg * p, pos, rows * p, rows * q])


def _of_stack(r: ScoreCounts, bins: int, strategy: str) -> Bins:
    """Return the sums of replicates, whose bins of equal mass differ."""
    place = bin_rows(r, bins, strategy)
    parts = _parts(nodes(r))
    lead, size = place.shape[:-1], place.shape[-1]
    # One after the other: a bin's groups lie side by side, and no two replicates share one.
    place = place.reshape(-1, size)
    flat = (place + bins * np.arange(len(place))[:, None]).ravel()
    starts = np.flatnonzero(np.append(flat[:1] >= 0, flat[1:] != flat[:-1]))
    out = np.zeros((5, len(place) * bins))
    if len(starts):
        out[:, flat[starts]] = np.add.reduceat(parts.reshape(5, -1), starts, axis=-1)
    return Bins(*out.reshape(5, *lead, bins))
