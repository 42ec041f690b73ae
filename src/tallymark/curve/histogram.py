"""How the scores of both classes are spread: rows between edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallymark.display import Display
from tallymark.errors import InputError
from tallymark.tally.arrays import Floats
from tallymark.tally.scores import ScoreTally


@dataclass(frozen=True, slots=True, repr=False)
class Histogram(Display):
    """Rows of each class by score: ``pos`` and ``neg`` between ``edges``."""

    edges: Floats
    pos: Floats
    neg: Floats

    def coarser(self) -> Histogram:
        """Put every two neighbouring bins together; an odd last one stays alone."""
        starts = np.arange(0, len(self.pos), 2)
        edges = np.append(self.edges[starts], self.edges[-1])
        return Histogram(edges, *(np.add.reduceat(v, starts) for v in (self.pos, self.neg)))


def histogram(tally: ScoreTally, bins: int = 40) -> Histogram:
    """Return how the scores of both classes are spread: over 0..1, or over their own range.

    >>> h = histogram(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]), bins=2)
    >>> h.edges, h.pos, h.neg
    (array([0. , 0.5, 1. ]), array([1., 1.]), array([2., 0.]))
    """
    if bins < 1:
        raise InputError(f"bins is {bins}; there must be at least one")
    r = tally.score_counts
    low, high = 0.0, 1.0
    if len(r.scores) and not (r.scores[0] >= 0 and r.scores[-1] <= 1):
        low, high = float(r.scores[0]), float(r.scores[-1])
        if low == high:
            low, high = low - 0.5, high + 0.5
    share = np.linspace(0, 1, bins + 1)
    edges = low * (1 - share) + high * share  # high - low may overflow
    # Scores rise, so that the edges are looked up among them; one on an edge is above it.
    starts = np.append(0, np.searchsorted(r.scores, edges[1:-1], side="left"))
    ends = np.append(starts[1:], len(r.scores))
    pos, neg = (v[len(r.scores) - starts] - v[len(r.scores) - ends] for v in r.cumulative_counts)
    return Histogram(edges, pos, neg)
