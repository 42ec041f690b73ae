"""Points of curves, and histograms of scores, without any drawing."""

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

    ``x`` and ``y`` are values of ``x_metric`` and ``y_metric``. ``threshold``, if points have one,
    falls from +inf. ``low`` and ``high`` bound y, ``x_low`` and ``x_high`` bound x, NaN where there
    is no bound. ``counts`` is the number of rows behind each point. ``error`` is the greatest
    distance, in x or y, between a point dropped by thinning and the line drawn instead. ``method``
    and ``level`` are those of the bounds, if they were requested as a band.

    ``step`` is how points are joined: empty for straight lines, "post" if a point's value extends
    to the next point, "pre" if it extends back to the previous one, as in matplotlib's
    ``drawstyle="steps-post"``.
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
        """Return one row per point: x and y by their metrics' names, threshold, bounds, counts."""
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
        """Return the curve with NaN bounds, for rows for which the bounds are not valid."""
        if self.low is None:
            return self
        nothing = np.full(len(self.x), np.nan)
        return replace(self, low=nothing, high=nothing)

    def at(self, index: Any) -> Curve:
        """Return the curve at some points, given by index or mask, with all their fields."""
        try:
            arrays: dict[str, Any] = {
                f.name: np.atleast_1d(value[index])
                for f in fields(self)
                if isinstance(value := getattr(self, f.name), np.ndarray)
            }
        except (IndexError, TypeError, ValueError):
            arrays = {}
        if not arrays or arrays["x"].ndim > 1:  # NumPy reads None as a new axis
            raise InputError(
                f"index is {shown(index)}; give positions or a mask of {len(self.x)} points"
            )
        return replace(self, **arrays)

    def thin(self, points: int = 1000) -> Curve:
        """Return the curve with at most this many points, both ends included, and its ``error``.

        Points are kept at even steps of the curve's length in x plus y; the kept point is the one
        nearest to a step. For a step function over an unbounded axis, such as the threshold, only
        y counts, since a flat stretch needs no points. The points that are kept are exact.
        """
        if len(self.x) <= points:
            return self
        # Each axis is scaled by its range. A non-finite axis does not count: a curve of one class
        # has no values on one axis, and a threshold may be infinite.
        x, y = (np.asarray(v, np.float64) for v in (self.x, self.y))
        if not self.step:
            along = _lengths(x, y)
            keep = _evenly(along, points)
            return replace(self.at(keep), error=self.error + _line_error(x, y, along, keep))
        if self.step == "pre":  # from the end: a dropped point is drawn at the next kept one
            keep = (len(x) - 1 - _evenly(_lengths(x[::-1], y[::-1]), points))[::-1]
        else:
            keep = _evenly(_lengths(np.zeros_like(y), y), points)
        return replace(self.at(keep), error=self.error + self._step_error(keep))

    def _step_error(self, keep: Any) -> float:
        """Return the greatest distance in y of dropped points from the thinned step function."""
        places = np.arange(len(self.y))
        if self.step == "pre":
            drawn_as = np.searchsorted(keep, places)
        else:
            drawn_as = np.searchsorted(keep, places, side="right") - 1
        with np.errstate(invalid="ignore"):
            off = np.abs(self.y[keep][drawn_as] - self.y)
        return float(off[np.isfinite(off)].max(initial=0.0))

    def between(self, low: float, high: float) -> Curve:
        """Return a step function over x, cut and extended to draw it from ``low`` to ``high``.

        The threshold +inf is drawn at ``high``, and the value at the lowest score extends down to
        ``low``. A distribution function is 0 below every score and 1 above.

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


def step_values(curve: Curve, x: Any) -> Floats:
    """Return the values at x of a step function over the threshold or the score.

    >>> far = Curve("far", "threshold", "rate", np.array([np.inf, 0.8, 0.2]),
    ...             np.array([0.0, 0.1, 1.0]), step="post")
    >>> step_values(far, [0.9, 0.8, 0.5, 0.1]).tolist()
    [0.0, 0.1, 0.1, 1.0]
    """
    at = np.asarray(x, dtype=np.float64)
    if len(curve.x) > 1 and curve.x[0] < curve.x[-1]:
        below = np.searchsorted(curve.x, at, side="right")
        return np.append(0.0, curve.y)[below]
    # Take the value at the lowest threshold at or above x, above all of them at the highest.
    place = np.searchsorted(curve.x[::-1], at, side="left")
    return curve.y[::-1][np.minimum(place, len(curve.x) - 1)]


def _lengths(x: Floats, y: Floats) -> Floats:
    """Return the length of a curve up to each point, in x plus y, each divided by its range."""
    steps = np.zeros(len(x))
    for values in (x, y):
        finite = values[np.isfinite(values)]
        with np.errstate(invalid="ignore", over="ignore"):
            extent = float(finite.max() - finite.min()) if finite.size else 0.0
            step = np.abs(np.diff(values)) / (extent or 1.0)
        steps[1:] += np.where(np.isfinite(step), step, 0.0)
    return np.cumsum(steps)


def _evenly(along: Floats, points: int) -> NDArray[np.intp]:
    """Return indices at even steps of length, about ``points`` at most, both ends included."""
    lengths = np.linspace(0, along[-1], points - 1)
    return np.unique(np.append(np.searchsorted(along, lengths), [0, len(along) - 1]))


def _line_error(x: Floats, y: Floats, along: Floats, keep: NDArray[np.intp]) -> float:
    """Return the greatest distance, in x or y, of dropped points from lines between kept ones."""
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
    """Histogram of the scores of each class: rows ``pos`` and ``neg`` between ``edges``."""

    edges: Floats
    pos: Floats
    neg: Floats

    def _coarser(self) -> Histogram:
        """Return the histogram with neighbouring bins merged in pairs; an odd last one is kept."""
        starts = np.arange(0, len(self.pos), 2)
        edges = np.append(self.edges[starts], self.edges[-1])
        return Histogram(edges, *(np.add.reduceat(v, starts) for v in (self.pos, self.neg)))


@checked
def histogram(tally: ScoreTally, bins: int = 40) -> Histogram:
    """Return a histogram of both classes' scores, over 0..1 or else over the scores' own range.

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
    # The scores are sorted, so search the edges in them. A score on an edge is in the upper bin.
    starts = np.append(0, np.searchsorted(r.scores, edges[1:-1], side="left"))
    ends = np.append(starts[1:], len(r.scores))
    pos, neg = (v[len(r.scores) - starts] - v[len(r.scores) - ends] for v in r._cumulative_counts)
    return Histogram(edges, pos, neg)
