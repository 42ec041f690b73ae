"""The points of a curve, without colours or axes."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.contract import NUMBER, checked, shown
from tallymark.display import Display
from tallymark.errors import InputError
from tallymark.listing import Listing
from tallymark.tally.arrays import Floats
from tallymark.tally.scores import ScoreTally

Step = Literal["", "pre", "post"]


@checked(low=NUMBER, high=NUMBER)
@dataclass(frozen=True, slots=True, repr=False)
class Curve(Display):
    """Points of a curve, read-only.

    ``x`` and ``y`` are values of the metrics named; ``threshold``, where there is one a point,
    falls from +inf; ``low`` and ``high`` bound y, ``x_low`` and ``x_high`` bound x, both NaN where
    there is no bound; ``counts`` are rows behind each point. ``error`` is the greatest distance, in
    x or y, that thinning left between a dropped point and the line drawn instead of it. ``method``
    says what the bounds are and ``level`` how sure, where they were asked for as a band.

    ``step`` says how the points are joined: by straight lines where it is empty, else in steps,
    which hold the value of a point up to the next one ("post") or from the one before ("pre"), as
    in matplotlib's ``drawstyle="steps-post"``.
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
    step: Step = ""

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, np.ndarray):
                value = value.view()
                value.flags.writeable = False
                object.__setattr__(self, f.name, value)

    def table(self) -> Listing:
        """Return a row a point: x and y under their metrics' names, and what stands beside them."""
        names = {"x": self.x_metric, "y": self.y_metric}
        columns = {
            names.get(name, name): np.asarray(value).tolist()
            for name in ("threshold", "x", "y", "low", "high", "x_low", "x_high", "counts")
            if (value := getattr(self, name)) is not None
        }
        points = zip(*columns.values(), strict=True)
        return Listing(tuple(dict(zip(columns, point, strict=True)) for point in points))

    def __len__(self) -> int:
        return len(self.x)

    def _unbounded(self) -> Curve:
        """Return the curve without its bounds, for rows that these do not hold for."""
        if self.low is None:
            return self
        nothing = np.full(len(self.x), np.nan)
        return replace(self, low=nothing, high=nothing)

    def at(self, index: Any) -> Curve:
        """Return the points of an index, or of a mask, with all that is known of them."""
        try:
            taken: dict[str, Any] = {
                f.name: np.atleast_1d(value[index])
                for f in fields(self)
                if isinstance(value := getattr(self, f.name), np.ndarray)
            }
        except (IndexError, TypeError, ValueError):
            taken = {}
        if not taken or taken["x"].ndim > 1:  # NumPy takes None for another axis
            raise InputError(
                f"index is {shown(index)}; give positions or a mask of {len(self.x)} points"
            )
        return replace(self, **taken)

    def thin(self, points: int = 1000) -> Curve:
        """Return at most so many of the points, the ends among them, and the error this makes.

        Points are kept at even steps of the curve's length in x plus y, and where the curve turns
        within a step they are the points nearest to those steps. Of a step function over an axis
        without end, such as the threshold, y alone counts: a level stretch needs no points. What
        is drawn at a point that is kept is exact.
        """
        if len(self.x) <= points:
            return self
        # Each axis counts by its range. A curve of one class has no value on one axis, and a
        # threshold may be infinite: there the other axis alone decides.
        x, y = (np.asarray(v, np.float64) for v in (self.x, self.y))
        if not self.step:
            along = _lengths(x, y)
            keep = _evenly(along, points)
            return replace(self.at(keep), error=self.error + _line_error(x, y, along, keep))
        if self.step == "pre":  # from the end: dropped points are drawn as the one kept after them
            keep = (len(x) - 1 - _evenly(_lengths(x[::-1], y[::-1]), points))[::-1]
        else:
            keep = _evenly(_lengths(np.zeros_like(y), y), points)
        return replace(self.at(keep), error=self.error + self._step_error(keep))

    def _step_error(self, keep: Any) -> float:
        """Return how far the steps between some of the points are from the others at most."""
        places = np.arange(len(self.y))
        if self.step == "pre":
            drawn_as = np.searchsorted(keep, places)
        else:
            drawn_as = np.searchsorted(keep, places, side="right") - 1
        with np.errstate(invalid="ignore"):
            off = np.abs(self.y[keep][drawn_as] - self.y)
        return float(off[np.isfinite(off)].max(initial=0.0))

    def between(self, low: float, high: float) -> Curve:
        """Return a step function over x as it is drawn from ``low`` to ``high``.

        The threshold +inf stands at ``high``, and the value at the lowest score goes on to
        ``low``; a distribution function is 0 below every score and 1 above.

        >>> x, y = np.array([np.inf, 0.8, 0.2]), np.array([0.0, 0.1, 1.0])
        >>> drawn = Curve("far", "threshold", "rate", x, y, step="post").between(0, 1)
        >>> drawn.x.tolist(), drawn.y.tolist()
        ([1.0, 0.8, 0.2, 0.0], [0.0, 0.1, 1.0, 1.0])
        """
        if self.step != "post" or not len(self.x):
            return self
        n = len(self.x)
        rising = n > 1 and self.x[0] < self.x[-1]
        first = [0] if rising else []
        places = np.array([*first, *range(n), n - 1])
        wide = self.at(places)
        x = np.clip(wide.x, low, high)
        x[-1] = high if rising else low
        values: dict[str, Any] = {"x": x}
        if rising:
            x[0] = low
            for name in ("y", "low"):
                v = getattr(wide, name)
                values[name] = None if v is None else np.append(0.0, v[1:])
        return replace(wide, **values)


def held(curve: Curve, x: Any) -> Floats:
    """Return the values of a step function over the threshold or the score at any x.

    >>> far = Curve("far", "threshold", "rate", np.array([np.inf, 0.8, 0.2]),
    ...             np.array([0.0, 0.1, 1.0]), step="post")
    >>> held(far, [0.9, 0.8, 0.5, 0.1]).tolist()
    [0.0, 0.1, 0.1, 1.0]
    """
    at = np.asarray(x, dtype=np.float64)
    if len(curve.x) > 1 and curve.x[0] < curve.x[-1]:
        below = np.searchsorted(curve.x, at, side="right")
        return np.append(0.0, curve.y)[below]
    # The lowest threshold at or above x decides it; below all of them the last one.
    place = np.searchsorted(curve.x[::-1], at, side="left")
    return curve.y[::-1][np.minimum(place, len(curve.x) - 1)]


def _lengths(x: Floats, y: Floats) -> Floats:
    """Return the length of a curve up to each point, in x plus y, each a share of its range."""
    steps = np.zeros(len(x))
    for values in (x, y):
        finite = values[np.isfinite(values)]
        with np.errstate(invalid="ignore", over="ignore"):
            extent = float(finite.max() - finite.min()) if finite.size else 0.0
            step = np.abs(np.diff(values)) / (extent or 1.0)
        steps[1:] += np.where(np.isfinite(step), step, 0.0)
    return np.cumsum(steps)


def _evenly(along: Floats, points: int) -> NDArray[np.intp]:
    """Return at most about so many places at even steps of a length, the ends among them."""
    wanted = np.linspace(0, along[-1], points - 1)
    return np.unique(np.append(np.searchsorted(along, wanted), [0, len(along) - 1]))


def _line_error(x: Floats, y: Floats, along: Floats, keep: NDArray[np.intp]) -> float:
    """Return how far the lines between kept points are off the others at most, in x or y."""
    gaps, length = np.diff(keep), np.diff(along[keep])
    share = along[:-1] - np.repeat(along[keep[:-1]], gaps)
    share /= np.repeat(np.where(length > 0, length, np.inf), gaps)
    error = 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        for v in (x, y):
            line = np.repeat(v[keep[:-1]], gaps) + share * np.repeat(np.diff(v[keep]), gaps)
            off = np.abs(line - v[:-1])
            error = max(error, float(off[np.isfinite(off)].max(initial=0.0)))
    return error


@dataclass(frozen=True, slots=True, repr=False)
class Histogram(Display):
    """Rows of each class by score: ``pos`` and ``neg`` between ``edges``."""

    edges: Floats
    pos: Floats
    neg: Floats

    def _coarser(self) -> Histogram:
        """Put every two neighbouring bins together; an odd last one stays alone."""
        starts = np.arange(0, len(self.pos), 2)
        edges = np.append(self.edges[starts], self.edges[-1])
        return Histogram(edges, *(np.add.reduceat(v, starts) for v in (self.pos, self.neg)))


@checked
def histogram(tally: ScoreTally, bins: int = 40) -> Histogram:
    """Return how the scores of both classes are spread: over 0..1, or over their own range.

    >>> h = histogram(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]), bins=2)
    >>> h.edges, h.pos, h.neg
    (array([0. , 0.5, 1. ]), array([1., 1.]), array([2., 0.]))
    """
    r = tally._score_counts
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
    pos, neg = (v[len(r.scores) - starts] - v[len(r.scores) - ends] for v in r._cumulative_counts)
    return Histogram(edges, pos, neg)
