"""Which rows to label next, and how many labels a width of the interval needs."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallymark import InputError
from tallymark.core import Sampler, many, number, quantile
from tallymark.parts.judges.estimate import Estimator
from tallymark.parts.judges.strata import LEAST, Codes
from tallymark.parts.judges.tally import NO_TRUTH


@dataclass(frozen=True)
class Rows:
    """The codes of each row [row, column], as in the cells of a tally, and its number."""

    codes: Codes
    numbers: Codes


def allocation(estimate: Estimator, metric: str, n: int) -> Codes:
    """Return how many more rows of each pair to label, ``n`` in all.

    First every pair gets :data:`LEAST` labels, the largest ones first; then one at a time where it
    lowers the variance Σ (Wσ)² / m most, which is Neyman's allocation in whole numbers.
    """
    p = estimate.pairs
    left = (p.rows - p.labelled).astype(int)
    if not left.sum():
        raise InputError("every row has a true class; there is nothing left to label")
    n = min(n, int(left.sum()))
    labelled, more = p.labelled.astype(int), np.zeros(len(left), dtype=np.intp)
    for pair in np.argsort(-p.rows, kind="stable"):
        wanted = min(LEAST - labelled[pair], left[pair], n - more.sum())
        more[pair] = max(wanted, 0)
    weight = p.rows / estimate.rows * estimate.spread(metric)

    def gain(pair: int) -> float:
        m = max(labelled[pair] + more[pair], 1)
        return float(weight[pair] ** 2 / (m * (m + 1)))

    heap = [(-gain(i), i) for i in range(len(left)) if more[i] < left[i]]
    heapq.heapify(heap)
    for _ in range(n - int(more.sum())):
        _, pair = heapq.heappop(heap)
        more[pair] += 1
        if more[pair] < left[pair]:
            heapq.heappush(heap, (-gain(pair), pair))
    return more


def next_rows(
    rows: Rows, estimate: Estimator, more: Codes, column: int | None, seed: int
) -> NDArray[np.intp]:
    """Return the places of rows without a true class, at random within each pair."""
    p, rng = estimate.pairs, Sampler(seed).generator("label next")
    predicted = rows.codes[:, 1 if column is None else 2 + column]
    chosen = []
    for pair, k in enumerate(more):
        mine = (predicted == p.predicted[pair, 0]) & (rows.codes[:, 1] == p.judged[pair])
        places = np.flatnonzero(mine & (rows.codes[:, 0] == NO_TRUTH))
        chosen.append(rng.choice(places, size=min(k, len(places)), replace=False))
    return np.sort(np.concatenate(chosen))


def labels_needed(estimate: Estimator, metric: str, width: float, allocated: bool) -> int:
    """Return how many labels give an interval of a width; see ``FewLabels.labels_needed``."""
    p, n = estimate.pairs, estimate.rows
    share, spread = p.rows / n, estimate.spread(metric)
    within = float((share * spread**2).sum())
    whole, _ = estimate.variance(metric)
    between = max(whole - within / n, 0.0)
    z = quantile(estimate.level)
    wanted = (width / (2 * z)) ** 2 - between
    size = float((share * spread).sum()) ** 2 if allocated else within
    if wanted <= 0 or size / wanted > n:
        least = 2 * z * math.sqrt(whole)
        raise InputError(
            f"width is {width:g}, and {metric} of {many(int(n), 'row')} has an interval of about "
            f"{number(least)} even if all are labelled; give a larger width, or more rows"
        )
    return max(math.ceil(size / wanted), 1)
