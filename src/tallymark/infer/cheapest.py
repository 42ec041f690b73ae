"""Which of several models costs least, for every cost of the errors and every class balance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tallymark.infer.crossing import RATES, heights
from tallymark.tally.arrays import Floats
from tallymark.tally.scores import ScoreCounts

PLACES = np.arange(1, 50) / 50
"""Probability costs at which models are compared. At 0 and at 1 all cost nothing."""

EVERY = 3
"""So many of the false positive rates are one step, which costs two digits at most."""


@dataclass(frozen=True, slots=True)
class Cheapest:
    """Where one model is shown to cost less than every other one.

    ``low`` and ``high`` are probability costs (Drummond and Holte 2006), the share of the positives
    in what always being wrong costs: π·cFN / (π·cFN + (1 - π)·cFP). ``ratios`` are the same as
    costs of a missed positive over that of a false alarm, at the share of positives of the rows;
    None where the stretch has no end.
    """

    model: str
    low: float
    high: float
    ratios: tuple[float | None, float | None]


def least_costs(r: ScoreCounts) -> Floats:
    """Return the least expected cost that any threshold reaches: [..., place of :data:`PLACES`].

    As a share of the cost of being always wrong. Calling all rows negative, or positive, is one of
    the choices.

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
    """Return the stretches in which a model costs less than each other one, beyond chance.

    ``bands`` hold of each pair what the second costs more than the first, the whole curve at once;
    ``share`` is that of the positives.
    """
    ahead = {name: np.ones(len(PLACES), dtype=bool) for name in names}
    for first, second in combinations(names, 2):
        low, high = bands[first, second]
        ahead[first] &= low > 0
        ahead[second] &= high < 0
    found = []
    for name in names:
        edges = np.flatnonzero(np.diff(ahead[name], prepend=False, append=False))
        for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            low, high = PLACES[start], PLACES[end - 1]
            ratio = [float(x * (1 - share) / ((1 - x) * share)) for x in (low, high)]
            ends = (ratio[0] if start else None, ratio[1] if end < len(PLACES) else None)
            found.append(Cheapest(name, float(low), float(high), ends))
    return tuple(sorted(found, key=lambda c: c.low))
