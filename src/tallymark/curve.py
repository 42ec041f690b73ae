"""Curves as data: two metrics over all thresholds, without colours or axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np

from tallymark.errors import InputError
from tallymark.metric.measure import refuse_no_probability
from tallymark.metric.proportion import quantile, wilson
from tallymark.metric.registry import Metric, ratio
from tallymark.tally.arrays import Floats
from tallymark.tally.scores import ScoreTally


@dataclass(frozen=True, slots=True)
class Curve:
    """Points of a curve, read-only.

    ``x`` and ``y`` are values of the metrics named; ``threshold``, where there is one a point,
    falls from +inf; ``low`` and ``high`` bound y; ``counts`` are rows behind each point.
    ``error`` is the greatest distance, in x or y, that thinning left between a dropped point and
    the line drawn instead of it.
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

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, np.ndarray):
                value = value.view()
                value.flags.writeable = False
                object.__setattr__(self, f.name, value)

    def __len__(self) -> int:
        return len(self.x)

    def thin(self, points: int = 1000) -> Curve:
        """Return at most so many of the points, the ends among them, and the error this makes.

        Points are kept at even steps of the curve's length in x plus y, and where the curve turns
        within a step they are the points nearest to those steps.
        """
        if points < 2:
            raise InputError(f"points is {points}; a curve needs at least its two ends")
        if len(self.x) <= points:
            return self
        # A curve of one class has no value on one axis: there the other alone decides.
        length = sum(np.abs(np.diff(np.nan_to_num(v))) for v in (self.x, self.y))
        along = np.concatenate([[0.0], np.cumsum(length)])
        wanted = np.linspace(0, along[-1], points - 1)
        keep = np.unique(np.append(np.searchsorted(along, wanted), [0, len(along) - 1]))
        keep = keep[keep < len(along)]

        def of(values: Floats | None) -> Floats | None:
            return None if values is None else values[keep]

        # A dropped point lies between two kept ones: at worst as far as the nearer of them.
        at = np.searchsorted(keep, np.arange(len(along)), side="right") - 1
        left, right = keep[at], keep[np.minimum(at + 1, len(keep) - 1)]
        share = np.where(
            along[right] > along[left],
            (along - along[left]) / np.maximum(along[right] - along[left], 1e-300),
            0.0,
        )
        error = max(
            float(np.nan_to_num(np.abs(v[left] + share * (v[right] - v[left]) - v)).max())
            for v in (self.x, self.y)
        )
        return replace(
            self,
            x=self.x[keep],
            y=self.y[keep],
            threshold=of(self.threshold),
            counts=of(self.counts),
            low=of(self.low),
            high=of(self.high),
            error=error,
        )


@dataclass(frozen=True, slots=True)
class Histogram:
    """Rows of each class by score: ``pos`` and ``neg`` between ``edges``."""

    edges: Floats
    pos: Floats
    neg: Floats


def roc(tally: ScoreTally) -> Curve:
    """Return the ROC curve: (0, 0), a point at every distinct score, ending at (1, 1).

    >>> c = roc(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.x.tolist(), c.y.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    r = tally.ranking()
    tp, fp = r.from_top()
    with np.errstate(all="ignore"):
        x, y = ratio(fp, fp[-1]), ratio(tp, tp[-1])  # their last, so that the end is (1, 1)
    return Curve("roc", "false_positive_rate", "sensitivity", x, y, r.thresholds())


def pr(tally: ScoreTally) -> Curve:
    """Return the precision-recall curve, from recall 0 to (1, prevalence).

    At recall 0 no row is called positive and precision is undefined; the curve starts at the
    precision of its first point where that has a true positive, else at 0.

    >>> c = pr(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.x.tolist(), c.y.round(3).tolist()
    ([0.0, 0.5, 0.5, 1.0, 1.0], [1.0, 1.0, 0.5, 0.667, 0.5])
    """
    r = tally.ranking()
    tp, fp = r.from_top()
    called = tp + fp
    with np.errstate(all="ignore"):
        x, y = ratio(tp, tp[-1]), ratio(tp, called)
    # Rows of weight 0 at the top call nothing positive either.
    first = int(np.searchsorted(called, 0, side="right"))
    if first < len(y):
        y[:first] = y[first] if tp[first] > 0 else 0.0
    return Curve("pr", "sensitivity", "precision", x, y, r.thresholds())


def calibration(
    tally: ScoreTally,
    bins: int = 10,
    strategy: Literal["mass", "width"] = "mass",
    level: float = 0.95,
) -> Curve:
    """Return the calibration curve: mean probability against the share that was positive.

    ``strategy`` cuts the probabilities into bins of about equal rows ("mass") or equal width;
    rows of one score are never parted, so that there may be fewer bins. Bounds are Wilson's, at
    the effective number of rows where they are weighted. Scores outside 0 to 1 are refused.

    >>> c = calibration(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.4]), bins=2)
    >>> c.x.tolist(), c.y.tolist(), c.counts.tolist()
    ([0.1, 0.5666666666666668], [0.0, 0.6666666666666666], [1.0, 3.0])
    """
    if strategy not in ("mass", "width"):
        raise InputError(f"strategy is {strategy!r}; say 'mass' or 'width'")
    if bins < 1:
        raise InputError(f"bins is {bins}; there must be at least one")
    refuse_no_probability(tally, "a calibration curve")
    r = tally.ranking()
    rows = r.pos + r.neg
    if strategy == "width":
        place = np.minimum((r.scores * bins).astype(np.intp), bins - 1)
    else:
        middle = (np.cumsum(rows) - rows / 2) / max(float(rows.sum()), 1e-300)
        place = np.minimum((middle * bins).astype(np.intp), bins - 1)

    def add(values: Any) -> Floats:
        return np.bincount(place, values, minlength=bins).astype(np.float64)

    n, hits, mass = add(rows), add(r.pos), add(rows * r.scores)
    full = n > 0
    n, hits, mass = n[full], hits[full], mass[full]
    squares = tally.ranking_squares()
    effective = n if squares is None else n**2 / add(squares.pos + squares.neg)[full]
    share = hits / n
    low, high = wilson(share * effective, effective, quantile(level))
    return Curve(
        "calibration",
        "mean probability",
        "share positive",
        mass / n,
        share,
        counts=n,
        low=low,
        high=high,
    )


CURVES: Mapping[str, Callable[[ScoreTally], Curve]] = {
    "roc": roc,
    "pr": pr,
    "calibration": calibration,
}
"""The curves of one score tally, by name."""


def histogram(tally: ScoreTally, bins: int = 40) -> Histogram:
    """Return how the scores of both classes are spread: over 0..1, or over their own range.

    >>> histogram(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]), bins=2)
    Histogram(edges=array([0. , 0.5, 1. ]), pos=array([1., 1.]), neg=array([2., 0.]))
    """
    if bins < 1:
        raise InputError(f"bins is {bins}; there must be at least one")
    r = tally.ranking()
    low, high = 0.0, 1.0
    if len(r.scores) and not (r.scores[0] >= 0 and r.scores[-1] <= 1):
        low, high = float(r.scores[0]), float(r.scores[-1])
        if low == high:
            low, high = low - 0.5, high + 0.5
    share = np.linspace(0, 1, bins + 1)
    edges = low * (1 - share) + high * share  # high - low may overflow
    place = np.clip(np.searchsorted(edges, r.scores, side="right") - 1, 0, bins - 1)
    pos, neg = (np.bincount(place, n, minlength=bins).astype(np.float64) for n in (r.pos, r.neg))
    return Histogram(edges, pos, neg)


def best_thresholds(tally: ScoreTally, metric: Metric, **params: Any) -> tuple[Floats, float]:
    """Return every threshold at which a metric of the decisions is best, and its value there.

    Values that differ by no more than the rounding of a few operations are equal: 2/3 - 1/3 and
    1/3 are, though not to the bit. Chosen and judged on the same rows, the value flatters. No
    threshold and NaN come back where the metric is undefined at all of them.

    >>> from tallymark.metric import get
    >>> t = ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    >>> best_thresholds(t, get("accuracy"))
    (array([0.9, 0.3]), 0.75)
    """
    if metric.family != "threshold":
        raise InputError(f"{metric.name} judges no single threshold; choose a threshold metric")
    r = tally.ranking()
    counts = r.falling()
    values = metric.compute(counts if metric.needs == "counts" else counts.matrix(), **params)
    if metric.better == "low":
        values = -values
    if np.isnan(values).all():
        return np.empty(0), float("nan")
    best = float(np.nanmax(values))
    slack = 8 * np.finfo(np.float64).eps * max(abs(best), 1.0) if np.isfinite(best) else 0.0
    return r.thresholds()[values >= best - slack], -best if metric.better == "low" else best


def davis_goadrich_point(
    tp_a: float, fp_a: float, tp_b: float, fp_b: float, x: float, positives: float
) -> tuple[float, float]:
    """Return recall and precision ``x`` true positives after A on the way to B.

    Between two thresholds false positives grow in proportion to true positives, so that
    precision does not change linearly (Davis & Goadrich 2006). Precision is NaN where no row is
    called positive, recall where there is no positive.

    >>> recall, precision = davis_goadrich_point(3, 1, 4, 1, 0.5, 10)
    >>> recall, round(precision, 3)
    (0.35, 0.778)
    """
    if not 0 <= x <= tp_b - tp_a:
        raise InputError(f"x is {x}; it counts true positives from A to B, 0 to {tp_b - tp_a:g}")
    slope = (fp_b - fp_a) / (tp_b - tp_a) if tp_b > tp_a else 0.0
    tp, fp = tp_a + x, fp_a + slope * x
    recall = tp / positives if positives else math.nan
    return recall, tp / (tp + fp) if tp + fp else math.nan
