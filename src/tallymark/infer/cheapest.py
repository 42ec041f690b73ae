"""Find which of several models costs least, for all error costs and prevalences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tallymark.infer.crossing import RATES, heights
from tallymark.tally.arrays import Floats
from tallymark.tally.scores import ScoreCounts

PLACES = np.arange(1, 50) / 50
"""Probability costs at which models are compared; at 0 and at 1 all models cost nothing."""

EVERY = 3
"""Step between the false positive rates that are used; costs change by less than about 0.01."""


@dataclass(frozen=True, slots=True)
class Cheapest:
    """A range of costs in which one model is shown to cost less than every other.

    ``low`` and ``high`` are probability costs (Drummond and Holte 2006), the share of the positives
    in the cost of always being wrong: π·cFN / (π·cFN + (1 - π)·cFP). ``ratios`` are the same limits
    as ratios of the cost of a false negative to that of a false positive, at the prevalence of the
    rows; None where the range is unbounded.
    """

    model: str
    low: float
    high: float
    ratios: tuple[float | None, float | None]


def least_costs(r: ScoreCounts) -> Floats:
    """Return the minimum expected cost over all thresholds: [..., place of :data:`PLACES`].

    It is a share of the cost of being always wrong. Predicting all rows negative, or all positive,
    is allowed.

    >>> r = ScoreCounts(np.array([0.2, 0.7]), np.array([1.0, 3.0]), np.array([3.0, 1.0]))
    >>> least_costs(r)[[4, 24, 44]].round(3).tolist()
    [0.1, 0.25, 0.1]
    """
    missed, alarms = 1 - heights(r)[..., ::EVERY], RATES[::EVERY]
    out = np.empty((*missed.shape[:-1], len(PLACES)))
    for i, x in enumerate(PLACES):
        out[..., i] = (x * missed + (1 - x) * alarms).min(-1)
    return np.minimum(out, np.minimum(PLACES, 1 - PLACES))


def cheapest(
    names: Sequence[str], bands: Mapping[tuple[str, str], tuple[Floats, Floats]], share: float
) -> tuple[Cheapest, ...]:
    """Return the ranges of costs in which one model costs significantly less than all others.

    ``bands`` are simultaneous bands of the second model's cost minus the first's, for each pair;
    ``share`` is the prevalence.
    """
    ahead = {name: np.ones(len(PLACES), dtype=bool) for name in names}
    for first, second in combinations(names, 2):
        low, high = bands[first, second]
        ahead[first] &= low > 0
        ahead[second] &= high < 0
    ranges = []
    for name in names:
        edges = np.flatnonzero(np.diff(ahead[name], prepend=False, append=False))
        for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            low, high = PLACES[start], PLACES[end - 1]
            ratio = [float(x * (1 - share) / ((1 - x) * share)) for x in (low, high)]
            ends = (ratio[0] if start else None, ratio[1] if end < len(PLACES) else None)
            ranges.append(Cheapest(name, float(low), float(high), ends))
    return tuple(sorted(ranges, key=lambda c: c.low))
