"""Correlations within cells of results, all at once, and their average over data sets."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.metric.correlation import midranks
from tallymark.tally.arrays import Floats

Average = Literal["mean", "fisher"]
Bools = NDArray[np.bool_]
Counts = NDArray[np.intp]

FEWEST = 3
"""Results of an algorithm on a data set below which a correlation says nothing: two make it 1."""

NEAREST_TO_ONE = 0.9999
"""Where Fisher's z, which is infinite at 1, is stopped."""

_AT_ONCE = 1 << 18


def by_cell(values: Floats, sizes: Counts) -> tuple[Floats, Floats, Bools]:
    """Return Pearson [C, K, K], Spearman [C, K, K] and where a metric of two was constant.

    ``values[n, K]`` are ordered by cell, ``sizes[C]`` of them each.
    """
    k = values.shape[1]
    pearson = np.full((len(sizes), k, k), np.nan)
    spearman = np.full((len(sizes), k, k), np.nan)
    steady = np.zeros((len(sizes), k, k), dtype=bool)
    holes = np.isnan(values)
    # Metrics undefined in the same results are correlated at once, over the results they have.
    alike: dict[bytes, list[int]] = {}
    for column in range(k):
        alike.setdefault(holes[:, column].tobytes(), []).append(column)
    cell = np.repeat(np.arange(len(sizes)), sizes)
    for a, b in combinations_with_replacement(alike.values(), 2):
        columns = a if a is b else [*a, *b]
        own, other = slice(len(a)), slice(0 if a is b else len(a), None)
        missing = holes[:, a[0]] | holes[:, b[0]]
        rows, left = values, sizes
        if missing.any():
            rows, left = values[~missing], np.bincount(cell[~missing], minlength=len(sizes))
        starts = np.cumsum(left) - left
        for size in np.unique(left[left >= FEWEST]):
            same = np.flatnonzero(left == size)
            block = max(1, _AT_ONCE // (int(size) * len(columns)))
            for first in range(0, len(same), block):
                some = same[first : first + block]
                index = starts[some][:, None] + np.arange(size)
                x = np.ascontiguousarray(rows[index][:, :, columns].transpose(0, 2, 1))
                r, rho, still = _correlations(x)
                here, there = (np.asarray(c, dtype=np.intp) for c in (a, b))
                for out, found in ((pearson, r), (spearman, rho), (steady, still)):
                    out[np.ix_(some, here, there)] = found[:, own, other]
                    out[np.ix_(some, there, here)] = found[:, other, own]
    return pearson, spearman, steady


def _correlations(x: Floats) -> tuple[Floats, Floats, Bools]:
    """Return both correlations of x[C, K, m], and where a metric of two is constant."""
    ranks = midranks(x)
    still = ranks.min(-1) == ranks.max(-1)
    pair = still[:, :, None] | still[:, None, :]
    return _products(x, pair), _products(ranks, pair), pair


def _products(x: Floats, undefined: Bools) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        z = x / np.abs(x).max(-1, keepdims=True)  # so that no square overflows or vanishes
        z -= z.mean(-1, keepdims=True)
        z /= np.abs(z).max(-1, keepdims=True)
        z /= np.sqrt(np.einsum("ckm,ckm->ck", z, z))[:, :, None]
        r = np.clip(z @ z.transpose(0, 2, 1), -1.0, 1.0)
    k = x.shape[1]
    r[:, np.arange(k), np.arange(k)] = 1.0
    return np.where(undefined, np.nan, r)


def sums_of_sets(cells: Floats, owner: Floats, average: Average) -> tuple[Floats, Floats]:
    """Return the sum and the number of defined correlations of each data set [D, K, K].

    ``owner[D, C]`` is 1 where a cell is of a data set; by Fisher's average the sum is of z.
    """
    known = ~np.isnan(cells)
    filled = np.where(known, cells, 0.0)
    if average == "fisher":
        filled = np.arctanh(np.clip(filled, -NEAREST_TO_ONE, NEAREST_TO_ONE)) * known
    return np.tensordot(owner, filled, 1), np.tensordot(owner, known.astype(np.float64), 1)


def cluster_mean(
    cells: Floats, owner: Floats, average: Average, level: float
) -> tuple[Floats, Floats, Floats, Counts]:
    """Return mean, bounds and number of correlations [C, K, K]; ``owner[D, C]`` are the sets."""
    from scipy.special import stdtrit

    sums, counts = sums_of_sets(cells, owner, average)
    total = counts.sum(0)
    sets = np.count_nonzero(counts, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = sums.sum(0) / total
        residual = sums - counts * mean
        variance = sets / (sets - 1.0) * (residual**2).sum(0) / total**2
        half = stdtrit(np.maximum(sets - 1, 1), (1 + level) / 2) * np.sqrt(variance)
        half = np.where(sets < 2, np.nan, half)
        low, high = mean - half, mean + half
    if average == "fisher":
        mean, low, high = np.tanh(mean), np.tanh(low), np.tanh(high)
    mean, low, high = (np.clip(v, -1.0, 1.0) for v in (mean, low, high))
    itself = np.eye(len(mean), dtype=bool) & (total > 0)
    mean[itself] = low[itself] = high[itself] = 1.0
    return mean, low, high, total.astype(np.intp)


def redrawn_means(
    cells: Floats, owner: Floats, average: Average, draws: int, rng: np.random.Generator
) -> Floats:
    """Return the means [draws, K, K] over data sets drawn with replacement."""
    sums, counts = sums_of_sets(cells, owner, average)
    sets = len(owner)
    weights = rng.multinomial(sets, np.full(sets, 1 / sets), size=draws).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.tensordot(weights, sums, 1) / np.tensordot(weights, counts, 1)
    return np.tanh(means) if average == "fisher" else means


def bounds_within(r: Floats, n: int, level: float, ranks: bool) -> tuple[Floats, Floats]:
    """Return Fisher's interval of the correlations of one cell of n results.

    The standard error of z is 1/sqrt(n - 3), of ranks sqrt((1 + r^2/2) / (n - 3)) (Bonett and
    Wright 2000).
    """
    from scipy.special import ndtri

    if n < 4:
        return np.full_like(r, np.nan), np.full_like(r, np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.arctanh(r)
        half = ndtri((1 + level) / 2) * np.sqrt((1 + r * r / 2 if ranks else 1.0) / (n - 3))
    return np.tanh(z - half), np.tanh(z + half)
