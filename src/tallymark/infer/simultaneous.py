"""Where a whole curve lies: bands that hold all of it at once.

Both classes' distributions of scores lie within Kolmogorov's distance of those of the sample, with
a probability that is known exactly whatever the distributions are. Then at every threshold at once
both rates lie in a rectangle, and with them whatever they make: a band is the envelope of the
rectangles. It is as wide in the middle as at the ends, and holds more often than it says, as a
curve seldom leaves by both rates at the same threshold. How much smaller rectangles would do can be
learnt from curves drawn anew: then the band is narrower, and its probability an estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from tallymark.curve import Curve, CurveDefinition, Projection
from tallymark.infer.sampler import effective_cells
from tallymark.metric.registry import ratio
from tallymark.tally.arrays import Floats
from tallymark.tally.labels import Counts
from tallymark.tally.scores import ScoreTally

POINTS = 4000
"""A band has every corner of a curve of so many points, else a grid of so many."""

_SLACK = 1e-12
_HALVINGS = 8
_ALONG = 400
Bounds = tuple[Floats, Floats]
Band = tuple[Curve, Floats, Floats]


@dataclass(frozen=True)
class _Sample:
    """The scores of a sample, and how sure a band is to be."""

    tally: ScoreTally
    level: float
    stratified: bool

    def at(self, level: float) -> _Sample:
        """Return the same rows at another level."""
        return replace(self, level=level)

    @property
    def rates(self) -> tuple[Floats, Floats]:
        """TPR and FPR at every threshold from +inf down."""
        tp, fp = (ratio(v, v[-1]) for v in self.tally.score_counts.cumulative_counts)
        return tp, fp

    @property
    def prevalence(self) -> float:
        """The share of positives."""
        r = self.tally.score_counts
        return float(ratio(r.positives, r.total))

    @property
    def rows(self) -> float:
        """How many rows there are, weighted ones by Kish's formula."""
        squares = self.tally.sum_squared_weights
        total = self.tally.counts.sum(keepdims=True).ravel()
        second = None if squares is None else squares.sum(keepdims=True).ravel()
        return float(effective_cells(total, second)[0][0])

    @property
    def distances(self) -> tuple[float, float]:
        """How far TPR and FPR can be off at any threshold, each at the level."""
        r, squares = self.tally.score_counts, self.tally.squared_score_counts
        second = r if squares is None else squares
        totals = (r.positives, second.positives), (r.negatives, second.negatives)
        pos, neg = (
            _kolmogorov(_whole(float(t) ** 2 / float(s) if s > 0 else 0.0), self.level)
            for t, s in totals
        )
        return pos, neg

    @property
    def share(self) -> tuple[float, float]:
        """Clopper and Pearson's interval of the share of positives; as it is where it is known."""
        from scipy.special import betaincinv

        if self.stratified:
            return self.prevalence, self.prevalence
        n, tail = self.rows, (1 - self.level) / 2
        p = self.prevalence * n
        low = float(betaincinv(p, n - p + 1, tail)) if p > 0 else 0.0
        high = float(betaincinv(p + 1, n - p, 1 - tail)) if p < n else 1.0
        return low, high


@np.errstate(all="ignore")
def simultaneous(
    tally: ScoreTally,
    curve: CurveDefinition,
    made: Curve,
    *,
    level: float,
    stratified: bool = False,
) -> Band:
    """Return a curve with its points as the band wants them, low and high.

    Low and high are known at every point, and the straight lines between them enclose what lies
    between. All of this holds of independent rows; tied scores make the band hold more often, and
    weighted rows are taken for their effective number.
    """
    return METHODS[curve.whole_band](_Sample(tally, level, stratified), curve, made)


@np.errstate(all="ignore")
def calibrated(
    tally: ScoreTally, curve: CurveDefinition, made: Curve, drawn: Counts, *, level: float
) -> Band:
    """Return a ROC or DET curve with the band that holds ``level`` of the drawn curves.

    ``drawn`` (draws, S) are counts at some thresholds. The rectangles are those of
    :func:`simultaneous`, all scaled by the one number at which so many of the curves lie inside.
    """
    s = _Sample(tally, level**0.5, stratified=True)
    (pos, neg), (tpr, fpr) = s.distances, s.rates
    y, x = (_along(v) for v in (drawn.tp / drawn.positives, drawn.fp / drawn.negatives))
    some = np.unique(np.linspace(0, len(fpr) - 1, POINTS).astype(np.intp))
    f, t = fpr[some], tpr[some]
    low, high = np.zeros((len(x), 1)), np.ones((len(x), 1))
    for _ in range(_HALVINGS):
        scale = (low + high) / 2
        least = lowest(f, t, x - scale * neg - _SLACK) - scale * pos
        most = highest(f, t, x + scale * neg + _SLACK) + scale * pos
        inside = ((least <= y + _SLACK) & (y <= most + _SLACK)).all(1, keepdims=True)
        low, high = np.where(inside, low, scale), np.where(inside, scale, high)
    scale = np.sort(high, axis=0)[int(np.ceil(level * len(high) - 1e-9)) - 1, 0]
    return _around(curve, made, fpr, tpr, scale * neg, scale * pos)


def _along(rates: Floats) -> Floats:
    """Return points all along lines from 0 through the rates (draws, S) to 1.

    Of few thresholds a line can leave a band between two corners that lie within.
    """
    ends = np.zeros((len(rates), 1))
    corners = np.concatenate([ends, rates, ends + 1], 1)
    parts = max(1, _ALONG // corners.shape[1])
    steps = np.arange(parts) / parts
    between = corners[:, :-1, None] * (1 - steps) + corners[:, 1:, None] * steps
    return np.asarray(between.reshape(len(rates), -1))


def _whole(rows: float) -> int:
    return int(rows + 1e-9)


@lru_cache(maxsize=256)
def _kolmogorov(n: int, level: float) -> float:
    """Return how far a sample's distribution function is from the true one at most, so surely.

    Exact of n independent rows, and too far where several have the same score.
    """
    from scipy.stats import kstwo

    return float(kstwo.ppf(level, n)) if n else 1.0


def highest(x: Floats, y: Floats, at: Floats) -> Floats:
    """Return the highest y that a rising line of points has at each x, or before it."""
    i = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 1)
    return _between(x, y, i, np.minimum(i + 1, len(x) - 1), at)


def lowest(x: Floats, y: Floats, at: Floats) -> Floats:
    """Return the lowest y that a rising line of points has at each x, or after it."""
    i = np.clip(np.searchsorted(x, at, side="left"), 0, len(x) - 1)
    return _between(x, y, np.maximum(i - 1, 0), i, at)


def _between(x: Floats, y: Floats, i: Any, j: Any, at: Floats) -> Floats:
    gap = x[j] - x[i]
    share = np.clip((at - x[i]) / np.where(gap > 0, gap, 1.0), 0.0, 1.0)
    return np.asarray(y[i] + np.where(gap > 0, share, 0.0) * (y[j] - y[i]))


def _envelope(x: Floats, y: Floats, dx: float, dy: float, at: Floats) -> Bounds:
    """Return how low and how high a rising curve can be at each x, all points off by dx and dy."""
    # The slack keeps a corner on its side, whatever the rounding of the sums.
    low = lowest(x, y, at - dx - _SLACK) - dy
    high = highest(x, y, at + dx + _SLACK) + dy
    return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


def _corners(c: Curve, dx: float) -> tuple[Curve, bool]:
    """Return a curve with points wherever its band can turn, and whether it has all of them."""
    order = np.argsort(c.x, kind="stable")
    c = replace(c, threshold=None).at(order)
    if len(c) > POINTS:
        at = np.linspace(c.x[0], c.x[-1], POINTS)
        return replace(c, x=at, y=_joined(c, at)), False
    turns = np.concatenate([c.x - dx, c.x + dx])
    turns = np.setdiff1d(turns[(turns > c.x[0]) & (turns < c.x[-1])], c.x)
    x = np.concatenate([c.x, turns])
    y = np.concatenate([c.y, _joined(c, turns)])
    order = np.argsort(x, kind="stable")
    return replace(c, x=x[order], y=y[order]), True


def _joined(c: Curve, at: Floats) -> Floats:
    """Return y between the points of a curve with rising x, joined as it is drawn."""
    if c.step == "pre":
        return c.y[np.searchsorted(c.x, at, side="left")]
    return np.interp(at, c.x, c.y)


def _outwards(low: Floats, high: Floats) -> Bounds:
    """Return bounds that straight lines between their points do not cut: those of neighbours."""
    beside = [
        np.stack([np.append(v[:1], v[:-1]), v, np.append(v[1:], v[-1:])]) for v in (low, high)
    ]
    return beside[0].min(0), beside[1].max(0)


def _path(curve: CurveDefinition) -> Projection:
    assert curve.projection is not None
    return curve.projection


def _of_roc(s: _Sample, curve: CurveDefinition, c: Curve) -> Band:
    (pos, neg), (tpr, fpr) = s.at(s.level**0.5).distances, s.rates
    return _around(curve, c, fpr, tpr, neg, pos)


def _around(
    curve: CurveDefinition, c: Curve, fpr: Floats, tpr: Floats, dx: float, dy: float
) -> Band:
    c, whole = _corners(c, dx)
    low, high = _envelope(fpr, tpr, dx, dy, c.x)
    low, high = (low, high) if whole else _outwards(low, high)
    ends = [_path(curve).height(c.x, v, 0.5) for v in (low, high)]  # no share of classes in it
    return c, np.minimum(*ends), np.maximum(*ends)


def _of_pr(s: _Sample, curve: CurveDefinition, c: Curve) -> Band:
    """Bound the false positive rate at each recall, and the share of positives with it."""
    s = s.at(s.level ** (1 / 2 if s.stratified else 1 / 3))
    (pos, neg), (tpr, fpr) = s.distances, s.rates
    c, whole = _corners(c, pos)
    least, most = _envelope(tpr, fpr, pos, neg, c.x)
    least, most = (least, most) if whole else _outwards(least, most)
    ends = (_path(curve).height(c.x, f, p) for p, f in zip(s.share, (most, least), strict=True))
    low, high = (np.where(np.isnan(v), 1.0, v) for v in ends)
    return (c, *_outwards(low, high))


def _of_gain(s: _Sample, curve: CurveDefinition, c: Curve) -> Band:
    """Bound the share found at each depth, the depth being the share of all rows called."""
    p, (tpr, fpr) = s.prevalence, s.rates
    if s.stratified:
        pos, neg = s.at(s.level**0.5).distances
        deep = p * pos + (1 - p) * neg
    else:
        # The depth, what is found there and what there is to find hang together: each may be
        # wrong in a third of the errors.
        s = s.at(1 - (1 - s.level) / 3)
        pos, _ = s.distances
        deep = _kolmogorov(_whole(s.rows), s.level)
    depth = p * tpr + (1 - p) * fpr
    c, whole = _corners(c, deep)
    low, high = _envelope(depth, tpr, deep, pos, c.x)
    low, high = (low, high) if whole else _outwards(low, high)
    # No more is found than rows are chosen, and no less than leaves more than there are others.
    least = s.share[0]
    low, high = np.fmax(low, 1 - (1 - c.x) / least), np.fmin(high, c.x / least)
    return (c, *_outwards(*(_path(curve).height(c.x, v, p) for v in (low, high))))


def _of_one_class(s: _Sample, curve: CurveDefinition, c: Curve) -> Band:
    """Bound a distribution function of the scores of one class."""
    far = s.distances[0 if curve.y.of_class == "positive" else 1]
    return c, np.clip(c.y - far, 0.0, 1.0), np.clip(c.y + far, 0.0, 1.0)


def _of_cost(s: _Sample, curve: CurveDefinition, c: Curve) -> Band:
    """Bound the least cost over all thresholds: none of them is off by more."""
    pos, neg = s.at(s.level**0.5).distances
    at = np.union1d(c.x, np.linspace(0, 1, 201))
    c = Curve(c.name, c.x_metric, c.y_metric, at, np.interp(at, c.x, c.y))
    far = at * pos + (1 - at) * neg
    return c, np.maximum(c.y - far, 0.0), np.minimum(c.y + far, np.minimum(at, 1 - at))


def _of_decision(s: _Sample, curve: CurveDefinition, c: Curve) -> Band:
    """Bound net benefit, with the share of positives uncertain too where it was sampled."""
    s = s.at(s.level ** (1 / 2 if s.stratified else 1 / 3))
    pos, neg = s.distances
    place = len(s.tally.scores) - np.searchsorted(s.tally.scores, c.x, side="left")
    tpr, fpr = (v[place] for v in s.rates)
    odds, (least, most) = c.x / (1 - c.x), s.share
    low = least * np.maximum(tpr - pos, 0) - (1 - least) * odds * np.minimum(fpr + neg, 1)
    high = most * np.minimum(tpr + pos, 1) - (1 - most) * odds * np.maximum(fpr - neg, 0)
    return c, low, high


METHODS: Mapping[str, Callable[[_Sample, CurveDefinition, Curve], Band]] = {
    "fpr": _of_roc,
    "tpr": _of_pr,
    "depth": _of_gain,
    "one class": _of_one_class,
    "cost": _of_cost,
    "decision": _of_decision,
}
"""How the band of a whole curve is found: by :attr:`CurveDefinition.whole_band`."""
