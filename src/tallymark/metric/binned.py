"""Rows put together by their probabilities: what calibration is told by."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallymark.errors import InputError
from tallymark.metric.registry import ratio
from tallymark.tally.along import bin_lines, bin_sums
from tallymark.tally.score_counts import ScoreCounts, bins_of_few
from tallymark.tally.walk import Stretch, by_kernel, search


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
    """Return where the bins of :func:`bin_rows` start, and the last ends, in one ranking.

    Found among the rising places of the groups, of which only some are looked at.
    """
    size = len(r.scores)
    starts = np.empty(bins + 1, dtype=np.intp)
    starts[0], starts[-1] = 0, size
    if strategy == "width":
        starts[1:-1] = r.scores.searchsorted(np.arange(1, bins) / bins)
    else:
        tp, fp = r.cumulative_counts
        total = tp[-1] + fp[-1]
        if not r.long:
            below = total - (tp[:-1] + fp[:-1])[::-1]
            places = np.floor(ratio((below - (r.pos + r.neg) / 2) * bins, total))
            starts[1:-1] = places.searchsorted(np.arange(1, bins))
            return starts

        def place(i: Any) -> Any:
            below = total - (tp[size - 1 - i] + fp[size - 1 - i])
            return np.floor(ratio((below - r.rows_at(i) / 2) * bins, total))

        starts[1:-1] = search(size, place, np.arange(1, bins))
    return starts


@by_kernel(lambda r, **p: bins_of_few(r, **p) if r.of_few else bin_sums(r, r.kept(bin_starts, **p)))
def _bin_sums(s: Stretch, bins: int, strategy: str) -> Any:
    """Return what :func:`binned` tells of each bin, of a stretch: shape (5, bins)."""
    starts = s.whole.kept(bin_starts, bins=bins, strategy=strategy)
    q = 1 - s.scores
    sums = (s.rows, s.pos * q - s.neg * s.scores, s.pos, s.rows * s.scores, s.rows * q)
    inside = np.clip(len(s.whole.scores) - starts[::-1] - s.start, 0, s.stop - s.start)
    there = inside[1:] > inside[:-1]
    found = np.zeros((len(sums), bins))
    for out, v in zip(found, sums, strict=True):
        out[there] = np.add.reduceat(v, inside[:-1][there])
    return found[:, ::-1]


def binned(r: ScoreCounts, bins: int, strategy: str, *of: int) -> list[Any]:
    """Return rows, positives beyond those promised, and other sums of each bin: (..., bins).

    ``of`` may ask for the positives (2), the promised ones (3), and the rows not promised (4).

    What was promised is taken off row by row: two sums would differ by a rounding error where
    all but few of the promises were kept.
    """
    _check_bins(bins, strategy)
    if r.long or (r.plain and (strategy == "width" or r.of_few)):
        found = r.added(_bin_sums, bins=bins, strategy=strategy)
        return [found[i] for i in (0, 1, *of)]
    if r.pos.dtype == r.neg.dtype == np.float64 and r.pos.size:
        sums = r.kept(bin_lines, bins=bins, strategy=strategy)
        return [sums[i] for i in (0, 1, *of)]
    return binned_alike(r, bins, strategy, of)


def binned_alike(r: ScoreCounts, bins: int, strategy: str, of: tuple[int, ...]) -> list[Any]:
    """Return :func:`binned` of rankings that are not long, of numbers of any kind."""
    place = bin_rows(r, bins, strategy)
    rows, beyond = r.pos + r.neg, r.pos * (1 - r.scores) - r.neg * r.scores
    values = (lambda: r.pos, lambda: rows * r.scores, lambda: rows * (1 - r.scores))
    parts = (rows, beyond, *(values[i - 2]() for i in of))
    if place.ndim > 1 and strategy == "mass":  # other bins in every replicate
        # One after the other: a bin's groups lie side by side, and no two replicates share one.
        place = place + bins * np.arange(place[..., 0].size).reshape(*place.shape[:-1], 1)
        flat = place.ravel()
        starts = np.flatnonzero(np.append(flat[:1] >= 0, flat[1:] != flat[:-1]))
        each = np.zeros((len(parts), *place.shape[:-1], bins))
        for sums, v in zip(each, parts, strict=True):
            sums.reshape(-1)[flat[starts]] = np.add.reduceat(v.ravel(), starts)
        return list(each)
    places = place if place.ndim == 1 else place.reshape(-1, place.shape[-1])[0]
    starts = np.flatnonzero(np.append(places[:1] >= 0, places[1:] != places[:-1]))
    used = places[starts]
    out = []
    for v in parts:
        sums = np.zeros((*v.shape[:-1], bins))
        if len(used):
            sums[..., used] = np.add.reduceat(v, starts, axis=-1)
        out.append(sums)
    return out
