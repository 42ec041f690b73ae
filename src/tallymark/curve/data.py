"""What a curve is: plain points, without colours or axes."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from tallymark import _kernels
from tallymark.errors import InputError
from tallymark.tally.arrays import Floats
from tallymark.tally.scores import ScoreTally


@dataclass(frozen=True, slots=True)
class Curve:
    """Points of a curve, read-only.

    ``x`` and ``y`` are values of the metrics named; ``threshold``, where there is one a point,
    falls from +inf; ``low`` and ``high`` bound y, ``x_low`` and ``x_high`` bound x, both NaN where
    there is no bound; ``counts`` are rows behind each point. ``error`` is the greatest distance, in
    x or y, that thinning left between a dropped point and the line drawn instead of it. ``method``
    says what the bounds are and ``level`` how sure, where they were asked for as a band.
    """

    name: str
    x_metric: str
    y_metric: str
    x: Floats
    y: Floats
    threshold: Floats | None = None
    counts: Floats | None = None
    low: Floats | None = None
    high: Floats | None = None
    error: float = 0.0
    x_low: Floats | None = None
    x_high: Floats | None = None
    level: float | None = None
    method: str = ""

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, np.ndarray):
                value = value.view()
                value.flags.writeable = False
                object.__setattr__(self, f.name, value)

    def __len__(self) -> int:
        return len(self.x)

    def unbounded(self) -> Curve:
        """Return the curve without its bounds, for rows that these do not hold for."""
        if self.low is None:
            return self
        nothing = np.full(len(self.x), np.nan)
        return replace(self, low=nothing, high=nothing)

    def at(self, index: Any) -> Curve:
        """Return the points of an index, or of a mask, with all that is known of them."""
        taken = {
            f.name: value[index]
            for f in fields(self)
            if isinstance(value := getattr(self, f.name), np.ndarray)
        }
        return replace(self, **taken)

    def thin(self, points: int = 1000) -> Curve:
        """Return at most so many of the points, the ends among them, and the error this makes.

        Points are kept at even steps of the curve's length in x plus y, and where the curve turns
        within a step they are the points nearest to those steps.
        """
        if points < 2:
            raise InputError(f"points is {points}; a curve needs at least its two ends")
        if len(self.x) <= points:
            return self
        # Each axis counts by its range. A curve of one class has no value on one axis, and a
        # threshold may be infinite: there the other axis alone decides.
        x, y = (np.ascontiguousarray(v, np.float64) for v in (self.x, self.y))
        keep, error = _kernels.thin(x, y, points)
        return replace(self.at(keep), error=error)


@dataclass(frozen=True, slots=True)
class Histogram:
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

    >>> histogram(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]), bins=2)
    Histogram(edges=array([0. , 0.5, 1. ]), pos=array([1., 1.]), neg=array([2., 0.]))
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
    if r.whole:  # differences of running sums are exact
        pos, neg = (
            v[len(r.scores) - starts] - v[len(r.scores) - ends] for v in r.cumulative_counts
        )
        return Histogram(edges, pos, neg)
    there = ends > starts
    pos, neg = np.zeros((2, bins))
    for sums, rows in ((pos, r.pos), (neg, r.neg)):
        sums[there] = np.add.reduceat(rows, starts[there]) if there.any() else 0.0
    return Histogram(edges, pos, neg)
