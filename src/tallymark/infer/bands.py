"""How sure the points of a curve are: intervals of each, and bands of the whole curve.

Three questions, and four kinds of band:

- ``pointwise``: at a threshold, where do the rates lie? The threshold is fixed.
- ``vertical``: at a false positive rate (a recall, a depth), how high is the curve? That the
  threshold which gives this rate is not known either widens the interval.
- ``simultaneous``: where does the whole curve lie? Each of the others holds the truth at one point
  in 95 % of samples, and all along the curve in far fewer.
- ``calibrated``: the same, narrower: as wide as curves drawn anew say that it has to be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curve import CURVES, Axis, Curve, CurveDefinition, Projection, definition
from tallymark.errors import InputError
from tallymark.infer.clustered import Clustered
from tallymark.infer.sampler import Sampler, percentile_bounds
from tallymark.infer.simultaneous import calibrated, highest, lowest, simultaneous
from tallymark.metric import Metric, get
from tallymark.metric.proportion import quantile, wilson, worth
from tallymark.metric.registry import ratio
from tallymark.tally.arrays import Floats
from tallymark.tally.joint import GROUPS, GROUPS_OF_MANY
from tallymark.tally.labels import Counts
from tallymark.tally.scores import ScoreCounts, ScoreTally

POINTS = 400
"""Curves whose bounds are drawn come in at most so many points."""

DRAWS = 2000
CALIBRATION_DRAWS = 1000
_HALF = 0.5
"""Rows of each class beyond either end of the draws: then every rate has Jeffreys' prior, and the
four counts at any threshold the Dirichlet posterior that other metrics take for empty cells."""

_SLACK = 1e-12
Bounds = tuple[Floats, Floats]

APPROXIMATE = ", effective sample size of the weights (approximate)"


@dataclass(frozen=True)
class _Rate:
    """What one axis of a curve holds: a function of the counts at each of its points."""

    axis: Axis
    params: Mapping[str, Any]
    x: Floats | None = None

    def of(self, c: Counts) -> Any:
        """Return the values at some counts."""
        return self.axis.of(c, self.x, **self.params)

    def part(self, c: Counts) -> tuple[Any, Any] | None:
        """Return part and whole where it is a proportion."""
        share = get(self.axis.metric).proportion if self.axis.metric else None
        if share is None:
            return None
        return share(c if get(self.axis.metric).needs == "counts" else c.matrix())  # type: ignore[no-any-return]

    @property
    def range(self) -> tuple[float, float]:
        """The values that it can have."""
        metric = self.axis.metric
        return get(metric).range_of(**self.params) if metric else self.axis.range

    def drawn(self, stratified: bool) -> bool:
        """Tell whether no formula bounds it."""
        metric = self.axis.metric
        if not metric or get(metric).proportion is None:
            return True
        return stratified and not self.axis.of_class


@np.errstate(all="ignore")
def banded(
    tally: ScoreTally,
    name: str | Metric,
    kind: str,
    *,
    level: float = 0.95,
    seed: int = 0,
    stratified: bool = False,
    clustered: Clustered | None = None,
    draws: int = DRAWS,
    **params: Any,
) -> Curve:
    """Return a curve with bounds: ``low`` and ``high`` of y, and of x where it is a rate too.

    Parameters
    ----------
    tally : ScoreTally
        The scores of one class against the rest.
    name : str
        A curve of :data:`tallymark.curve.CURVES`, or a metric of the decisions.
    kind : {"pointwise", "vertical", "simultaneous", "calibrated"}
        "pointwise" bounds x and y at every threshold by itself: Wilson's interval of proportions,
        with the effective number of rows of weighted ones; anything else the percentiles of draws
        of the four counts from their posterior, at no more than 400 points. "vertical" bounds y at
        given x, with the threshold uncertain too, from the same draws. "simultaneous" holds the
        whole true curve with probability ``level`` or more: both classes' distributions of scores
        lie within the exact quantiles of Kolmogorov's distance, each at the root of ``level``, so
        that every point of the curve lies in a rectangle; low and high are their envelope.
        "calibrated" makes the rectangles as small as ``level`` of 1,000 drawn curves allow: far
        narrower, and of few rows of a class a little too narrow.
    level : float
        Confidence.
    seed : int
        Of the draws.
    stratified : bool
        The shares of the classes are known, not sampled: only what the scores do within each class
        varies.
    clustered : Clustered, optional
        The same rows in clusters, which are then drawn whole; the tally gives the values.
    draws : int
        Of what no formula bounds, 100 or more; of rows in clusters those of ``clustered``.
    params
        Those of the curve's maker or of the metric.

    Returns
    -------
    Curve
        Its ``method`` says what the bounds are. Pointwise it has the points of the curve; else x
        has steps of its own and there are no thresholds. Bounds are NaN where nothing is known.

    Raises
    ------
    InputError
        A kind that the curve does not have; a simultaneous or calibrated band of rows in clusters;
        rows of one class where both are needed.

    Notes
    -----
    Sources: wilson1927; gu2008 for the draws, here with half a row of each class beyond either
    end; campbell1994, macskassy2005 and simard2011 for the simultaneous band.

    Examples
    --------
    >>> t = ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    >>> c = banded(t, "roc", "pointwise")
    >>> c.y.tolist(), c.low.round(2).tolist(), c.high.round(2).tolist()
    ([0.0, 0.5, 0.5, 1.0, 1.0], [0.0, 0.09, 0.09, 0.34, 0.34], [0.66, 0.91, 0.91, 1.0, 1.0])
    >>> c.method
    'Wilson, at each threshold'

    """
    curve = definition(name, **({} if name in CURVES else params))
    name = name if isinstance(name, str) else name.name
    _refuse(curve, name, kind, clustered is not None, stratified)
    quantile(level)  # refuses a level that is none
    if draws < 100:
        raise InputError(f"draws is {draws}; a band needs at least 100")
    judged = _Judged(tally, level, seed, stratified, clustered, draws)
    if kind == "pointwise":
        return judged.pointwise(curve, params)
    r = tally.score_counts
    if curve.both_classes and not (r.positives > 0 and r.negatives > 0):
        raise InputError(f"a {kind} band of {name} needs rows of both classes, and here is one")
    if kind == "vertical":
        assert curve.projection is not None
        return judged.vertical(curve, curve.projection)
    made = curve(tally, **params)
    if kind == "calibrated":
        return judged.calibrated(curve, made)
    made, low, high = simultaneous(tally, curve, made, level=level, stratified=stratified)
    return _bounded(made, low, high, level, "Kolmogorov-Smirnov, the whole curve" + judged.suffix)


def _refuse(
    curve: CurveDefinition, name: str, kind: str, clustered: bool, stratified: bool
) -> None:
    if kind not in curve.bands:
        if curve.no_band:
            raise InputError(f"{name} has no band: {curve.no_band}")
        known = " or ".join(repr(k) for k in curve.bands)
        raise InputError(f"{name} has no {kind!r} band; say {known}")
    if clustered and kind in ("simultaneous", "calibrated"):
        raise InputError(
            f"a {kind} band takes rows as independent, and these come in clusters; "
            "take band='pointwise' or 'vertical'"
        )
    if clustered and not curve.of_clusters:
        raise InputError(f"a band of {name} takes rows as independent, and these come in clusters")
    if stratified and curve.bounded == "prevalence":
        raise InputError(
            f"{name} depends on nothing but the shares of the classes, which are given here: "
            "it has no band"
        )


def _bounded(c: Curve, low: Floats, high: Floats, level: float, method: str) -> Curve:
    """Return a curve with bounds that hold it, NaN where it has no value or they are not known."""
    low, high = np.minimum(low, c.y), np.maximum(high, c.y)
    return replace(c, low=low, high=high, level=level, method=method)


# -- draws along the thresholds ----------------------------------------------------------------


@dataclass(frozen=True)
class _Drawn:
    """The four counts at some thresholds: as they are (S,) and drawn anew (draws, S).

    ``places`` (S,) rising say how many of the distinct scores are called positive. ``blocks``
    (blocks, S) are the counts of each cluster where rows come in them.
    """

    places: NDArray[np.intp]
    whole: Counts
    drawn: Counts
    blocks: Counts | None = None


def _at(r: ScoreCounts, places: NDArray[np.intp]) -> Counts:
    tp, fp = (v[..., places] for v in r.cumulative_counts)
    return _four(tp, fp, r.positives, r.negatives)


def _four(tp: Any, fp: Any, positives: Any, negatives: Any) -> Counts:
    """Return the counts; differences of sums of the same weights may be a hair below zero."""
    p, n = (np.asarray(v)[..., None] for v in (positives, negatives))
    return Counts(tp, fp, np.maximum(p - tp, 0.0), np.maximum(n - fp, 0.0))


@dataclass(frozen=True)
class _Judged:
    """A tally and how its curves are bounded."""

    tally: ScoreTally
    level: float
    seed: int
    stratified: bool
    clustered: Clustered | None
    count: int

    @property
    def suffix(self) -> str:
        """What is to be said of weighted rows."""
        weighted = self.tally.sum_squared_weights is not None and not self.stratified
        return APPROXIMATE if weighted and self.clustered is None else ""

    def worth(self) -> tuple[float, float]:
        """Return how many rows the positives and the others are worth: of equal weight, their own.

        Where the shares of the classes are sampled, both have a share of the whole sample's.
        """
        r, squares = self.tally.score_counts, self.tally.squared_score_counts
        totals = float(r.positives), float(r.negatives)
        second = totals
        if squares is not None:
            second = float(squares.positives), float(squares.negatives)
        if not self.stratified:
            factor = sum(totals) / sum(second) if sum(second) else 0.0
            return totals[0] * factor, totals[1] * factor
        each = zip(totals, second, strict=True)
        pos, neg = (t**2 / s if s else 0.0 for t, s in each)
        return pos, neg

    def draws(self, places: NDArray[np.intp]) -> _Drawn:
        """Draw the counts at rising places from one posterior, so that they rise in every draw.

        Shares of each class between two thresholds are gamma numbers of as many rows, with half a
        row beyond either end. What is summed from the top to any threshold then has the
        Dirichlet posterior of its four counts under Jeffreys' prior.
        """
        r, rng = self.tally.score_counts, Sampler(self.seed).generator("curve")
        sums, alls = [], []
        for tops, rows in zip(r.cumulative_counts, self.worth(), strict=True):
            total = float(tops[-1])
            edges = np.concatenate([[0.0], tops[places], [total]])
            shape = np.maximum(np.diff(edges), 0.0) * (rows / total if total else 0.0)
            shape[[0, -1]] += _HALF
            along = rng.standard_gamma(shape, (self.count, len(shape))).cumsum(1)
            sums.append(along[:, :-1])
            alls.append(along[:, -1:])
        totals = [float(r.positives), float(r.negatives)]
        if self.stratified:
            factors = [t / a for t, a in zip(totals, alls, strict=True)]
        else:
            factors = [sum(totals) / (alls[0] + alls[1])] * 2
        (tp, fp), (p, n) = (
            [v * f for v, f in zip(part, factors, strict=True)] for part in (sums, alls)
        )
        return _Drawn(places, _at(r, places), _four(tp, fp, p[:, 0], n[:, 0]))

    def of_clusters(self) -> _Drawn:
        """Draw clusters whole; the thresholds are those that their blocks were counted at."""
        rows = self.clustered
        if rows is None or rows.resampled is None:
            raise InputError("of so many classes the clusters are not resampled: no band")
        several = len(rows.model.scores) > 1
        column = rows.model.scores.index(self.tally) if several else 0
        drawn = rows.resampled.rankings(0)[0][column]
        starts = self.tally.starts(GROUPS_OF_MANY if several else GROUPS)
        places = np.append(0, len(self.tally.scores) - starts[::-1])
        grouped = rows.resampled.blocks.ranked[0][column]
        pos = grouped.counts[grouped.positive]
        ranking = ScoreCounts(drawn.scores, pos, grouped.counts.sum(0) - pos)
        every = np.arange(len(places))
        whole = _at(self.tally.score_counts, places)
        return _Drawn(places, whole, _at(drawn, every), _at(ranking, every))

    def drawing(self) -> str:
        """Say what is drawn."""
        if self.clustered is not None:
            return f"cluster bootstrap, {self.clustered.draws:,} draws"
        each = " within each class" if self.stratified else ""
        return f"posterior{each}, {self.count:,} draws"

    # -- pointwise -----------------------------------------------------------------------------

    def pointwise(self, curve: CurveDefinition, params: Mapping[str, Any]) -> Curve:
        """Return a curve with the bounds of every point by itself."""
        if curve.bounded == "own":
            made = curve(
                self.tally, **{"level": self.level, "stratified": self.stratified, **params}
            )
            how = self.drawing() if self.stratified else "Wilson" + self.suffix
            return replace(made, level=self.level, method=f"{how}, in each part")
        made = curve(self.tally, **params)
        if curve.bounded == "prevalence":
            return self._of_prevalence(made)
        # Where x is a cut that the decisions are made at, it has no bounds itself.
        fixed = curve.x.open or not (curve.x.metric or curve.x.formula)
        x = None if fixed else _Rate(curve.x, {})
        y = _Rate(curve.y, curve.params, made.x if fixed and curve.y.formula else None)
        return self._of_clusters(made, x, y) if self.clustered else self._of_rows(made, x, y)

    def _places(self, c: Curve) -> NDArray[np.intp]:
        """Return how many distinct scores are called positive at each point."""
        scores = self.tally.scores
        if c.threshold is None:  # the share at or below a score: what lies above it is called
            return len(scores) - 1 - np.searchsorted(scores, c.x)
        return len(scores) - np.searchsorted(scores, c.threshold, side="left")

    def _of_rows(self, made: Curve, x: _Rate | None, y: _Rate) -> Curve:
        rates = [rate for rate in (y, x) if rate is not None]
        drawn = any(rate.drawn(self.stratified) for rate in rates)
        made = made.thin(POINTS) if drawn else made
        places = self._places(made)
        squares = self.tally.squared_score_counts
        here = _at(self.tally.score_counts, places)
        second = None if squares is None else _at(squares, places)
        if drawn:
            distinct, back = np.unique(places, return_inverse=True)
            found = self.draws(distinct).drawn
            along = Counts(*(v[:, back] for v in (found.tp, found.fp, found.fn, found.tn)))
        bounds = []
        for rate in rates:
            if rate.drawn(self.stratified):
                bounds.append(self._percentiles(rate, along, rate.of(here)))
            else:
                bounds.append(self._wilson(rate, here, second))
        told = ("Wilson" if not y.drawn(self.stratified) else self.drawing()) + self.suffix
        made = _bounded(made, *bounds[0], self.level, f"{told}, at each threshold")
        if x is None:
            return made
        # Some points lie between two thresholds, as that at recall gain 0.
        stray = ~np.isclose(x.of(here), made.x, equal_nan=True)
        low, high = (np.where(stray, np.nan, v) for v in bounds[1])
        return replace(made, x_low=np.minimum(low, made.x), x_high=np.maximum(high, made.x))

    def _wilson(self, rate: _Rate, c: Counts, second: Counts | None) -> Bounds:
        found = rate.part(c)
        assert found is not None
        part, whole = found
        n = whole
        if second is not None and (squares := rate.part(second)) is not None:
            n = worth(part, whole, *squares)
        return wilson(part / whole * n, n, quantile(self.level))

    def _percentiles(self, rate: _Rate, drawn: Counts, values: Floats) -> Bounds:
        low, high = percentile_bounds(np.moveaxis(rate.of(drawn), 0, -1), self.level)
        low, high = np.minimum(low, values), np.maximum(high, values)
        return np.maximum(low, rate.range[0]), np.minimum(high, rate.range[1])

    def _of_clusters(self, made: Curve, x: _Rate | None, y: _Rate) -> Curve:
        """Return the points at the thresholds of the blocks, bounded by drawing clusters."""
        found = self.of_clusters()
        assert found.blocks is not None
        places = self._places(made)
        index = np.searchsorted(found.places, places)
        index = np.minimum(index, len(found.places) - 1)
        kept = found.places[index] == places
        made, index = made.at(kept), index[kept]
        bounds = []
        for rate in (y, x):
            if rate is None:
                continue
            low, high = self._percentiles(rate, found.drawn, rate.of(found.whole))
            flat = high - low <= _SLACK
            clusters = rate.part(found.blocks)
            if clusters is not None:
                # A rate that is 0 or 1 in every draw: the most that rows of a cluster can be
                # alike is to be one row.
                part, whole = clusters
                n = ratio(whole.sum(0) ** 2, (whole**2).sum(0))
                share = ratio(*(v.sum(0) for v in (part, whole)))
                lows, highs = wilson(share * n, n, quantile(self.level))
                low, high = np.where(flat, lows, low), np.where(flat, highs, high)
            else:
                low, high = (np.where(flat, np.nan, v) for v in (low, high))
            bounds.append((low[index], high[index]))
        made = replace(
            _bounded(made, *bounds[0], self.level, f"{self.drawing()}, at each threshold"),
            error=made.error,
        )
        return made if x is None else replace(made, x_low=bounds[1][0], x_high=bounds[1][1])

    def _of_prevalence(self, made: Curve) -> Curve:
        """Return the bounds of what depends on the share of positives alone."""
        r, squares = self.tally.score_counts, self.tally.squared_score_counts
        total = float(r.total)
        n = total if squares is None or not total else total**2 / float(squares.total)
        share = float(ratio(r.positives, total)) * n
        ends = wilson(share, n, quantile(self.level))
        low, high = (p - (1 - p) * made.x / (1 - made.x) for p in ends)
        method = f"Wilson{self.suffix}, of the share of positives"
        return _bounded(made, low, high, self.level, method)

    # -- vertical ------------------------------------------------------------------------------

    def vertical(self, curve: CurveDefinition, path: Projection) -> Curve:
        """Return y at values of x, with the bounds of each by itself."""
        r = self.tally.score_counts
        if self.clustered is None:
            found = self.draws(self._spread(POINTS // 2))
        else:
            found = self.of_clusters()
        from_zero = path.x == "fpr"
        at = _grid() if from_zero else _grid()[1:]
        y = _heights(path, _at(r, np.arange(len(r.scores) + 1)), at, exact=True)
        coarse = _heights(path, found.whole, at, exact=True)
        drawn = np.moveaxis(_heights(path, found.drawn, at), 0, -1)
        low, high = percentile_bounds(drawn, self.level)
        low, high = low + (y - coarse), high + (y - coarse)
        if found.blocks is not None:
            low, high = self._flat(curve, found.blocks, y, low, high)
        low, high = np.maximum(low, 0.0), np.minimum(high, get(curve.y.metric).range[1])
        if from_zero:
            # Every draw starts at 0, where the curve can be as high as right beside it.
            side = low if path.falls else high
            side[0] = side[1]
        made = Curve(curve.name, curve.x.name, curve.y.name, at, y)
        return _bounded(made, low, high, self.level, f"{self.drawing()}{self.suffix}, at each x")

    def _spread(self, steps: int) -> NDArray[np.intp]:
        """Return places along the curve, finely where few false positives are."""
        r = self.tally.score_counts
        tp, fp = (ratio(v, v[-1]) for v in r.cumulative_counts)
        even = np.linspace(0, 1, steps)
        cuts = [np.searchsorted(fp, np.append(even**2, even)), np.searchsorted(tp, even)]
        cuts.append(np.searchsorted((tp + fp) / 2, even))
        return np.unique(np.minimum(np.concatenate(cuts), len(r.scores)))

    def calibrated(self, curve: CurveDefinition, made: Curve) -> Curve:
        """Return the ROC curve with the band that holds most of the curves drawn."""
        few = replace(self, count=min(self.count, CALIBRATION_DRAWS), stratified=True)
        drawn = few.draws(self._spread(POINTS // 4)).drawn
        made, low, high = calibrated(self.tally, curve, made, drawn, level=self.level)
        method = f"Kolmogorov-Smirnov, calibrated by {few.count:,} draws, the whole curve"
        return _bounded(made, low, high, self.level, method + self.suffix)

    def _flat(
        self, curve: CurveDefinition, blocks: Counts, y: Floats, low: Floats, high: Floats
    ) -> Bounds:
        """Bound what is the same in every draw of clusters, where it is a rate of one class."""
        flat = high - low <= _SLACK
        if curve.y.of_class != "positive":
            return np.where(flat, np.nan, low), np.where(flat, np.nan, high)
        whole = blocks.positives[:, 0]
        n = float(ratio(whole.sum() ** 2, (whole**2).sum()))
        lows, highs = wilson(y * n, np.full(len(y), n), quantile(self.level))
        return np.where(flat, lows, low), np.where(flat, highs, high)


def _grid() -> Floats:
    """Return the x of vertical bands: thousandths up to a tenth, then hundredths."""
    return np.concatenate([np.arange(100) / 1000, np.arange(10, 101) / 100])


def sensitivity_at(r: ScoreCounts, fpr: Floats) -> Floats:
    """Return the true positive rate at false positive rates, along straight lines: [draw, rate].

    >>> r = ScoreCounts(np.array([0.1, 0.4, 0.9]), np.array([0.0, 1, 1]), np.array([1.0, 1, 0]))
    >>> sensitivity_at(r, np.array([0.25, 0.5])).tolist()
    [[0.75, 1.0]]
    """
    tp, fp = (np.atleast_2d(v) for v in r.cumulative_counts)
    with np.errstate(invalid="ignore"):
        x, y = fp / fp[:, -1:], tp / tp[:, -1:]
    return _interpolated(fpr, x, y)


def _interpolated(at: Floats, x: Floats, y: Floats) -> Floats:
    return np.stack([np.interp(at, a, b) for a, b in zip(x, y, strict=True)])


def _heights(path: Projection, c: Counts, at: Floats, exact: bool = False) -> Floats:
    """Return the y of curves at their x, through the counts at thresholds, straight between them.

    Straight in the counts, as if decisions between two thresholds were made by lot. ``exact`` is
    of one curve: the best y where it is upright at an x.
    """
    ends = [(np.atleast_2d(v), t[..., :1]) for v, t in (
        (c.tp, np.atleast_2d(c.positives)), (c.fp, np.atleast_2d(c.negatives)))]  # fmt: skip
    tpr, fpr = (np.concatenate([0 * t, v, t], 1) / np.where(t > 0, t, np.nan) for v, t in ends)
    share = ends[0][1] / (ends[0][1] + ends[1][1])
    rates = {"tpr": tpr, "fpr": fpr, "depth": share * tpr + (1 - share) * fpr}
    x, other = rates[path.x], rates[path.other]
    if exact:
        best = highest if path.other == "tpr" else lowest
        other = best(x[0], other[0], at)
    else:
        other = _interpolated(at, x, other)
    y = path.height(at, other, share)
    return np.asarray(y.reshape(-1) if exact else y)
