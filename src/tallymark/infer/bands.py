"""Compute confidence bands of curves: intervals of single points, and bands of the whole curve.

There are four kinds of band:

- ``pointwise``: the interval of the rates at a fixed threshold.
- ``vertical``: the interval of y at a fixed x (false positive rate, recall or depth). It is wider,
  because the threshold for this x is uncertain too.
- ``simultaneous``: contains the whole curve. A pointwise or vertical band contains the truth at one
  point in 95 % of samples, but the whole true curve in far fewer. The true score distribution of
  each class is within Kolmogorov's distance of the sample's, with a probability that is known
  exactly for any distribution. So at all thresholds at once, both rates lie in a rectangle, and the
  band is the envelope of these rectangles. It is as wide in the middle as at the ends. It is
  conservative, because a curve rarely leaves by both rates at the same threshold.
- ``calibrated``: the same, but narrower: the rectangles are only as large as resampled curves
  require, and the probability is an estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curve import CURVES, Axis, Curve, CurveDefinition, Projection, definition
from tallymark.errors import InputError
from tallymark.infer.clustered import Clustered
from tallymark.infer.methods import beta_interval
from tallymark.infer.sampler import Sampler, effective_cells, percentile_bounds
from tallymark.metric import METRICS, Metric, get
from tallymark.metric.proportion import effective_hits, quantile, wilson
from tallymark.metric.registry import ratio
from tallymark.tally.arrays import Floats
from tallymark.tally.joint import GROUPS, GROUPS_OF_MANY
from tallymark.tally.labels import Counts
from tallymark.tally.scores import ScoreCounts, ScoreTally

POINTS = 400
"""Maximum number of points of curves whose bounds are drawn."""

WHOLE_POINTS = 4000
"""Curves with more points than this get a whole-curve band on a grid instead of all corners."""

DRAWS = 2000
CALIBRATION_DRAWS = 1000
_HALF = 0.5
"""Prior rows of each class beyond either end of the draws: every rate has Jeffreys' prior, and the
four counts at any threshold have the Dirichlet posterior used elsewhere for empty cells."""

_SLACK = 1e-12
_HALVINGS = 8
_ALONG = 400
Bounds = tuple[Floats, Floats]

APPROXIMATE = ", effective sample size of the weights (approximate)"


def _part(axis: Axis, c: Counts) -> tuple[Any, Any] | None:
    """Return part and whole of an axis that is a proportion, else None."""
    metric = get(axis.metric) if axis.metric else None
    if metric is None or metric._sampling.proportion is None:
        return None
    return metric._sampling.proportion(c if metric._needs == "counts" else c.matrix())  # type: ignore[no-any-return]


def _has_formula(axis: Axis, stratified: bool) -> bool:
    """Return whether a formula gives the bounds of an axis; otherwise they are drawn."""
    proportion = bool(axis.metric) and get(axis.metric)._sampling.proportion is not None
    return proportion and bool(axis.of_class or not stratified)


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
    """Return a curve with bounds: ``low`` and ``high`` of y, and of x if it is a rate too.

    Parameters
    ----------
    tally : ScoreTally
        The scores of one class against the rest.
    name : str
        A curve of :data:`tallymark.curve.CURVES`, or a metric of decisions.
    kind : {"pointwise", "vertical", "simultaneous", "calibrated"}
        "pointwise" bounds x and y at each threshold separately: Wilson's interval for proportions,
        with the effective number of rows if weighted; otherwise posterior percentiles of the four
        counts, at no more than 400 points. "vertical" bounds y at given x from the same draws,
        with an uncertain threshold. "simultaneous" contains the whole true curve with probability
        ``level`` or more: the score distributions of both classes lie within the exact quantiles
        of Kolmogorov's distance, each at the root of ``level``, so every point of the curve lies
        in a rectangle; low and high are their envelope. "calibrated" scales the rectangles to
        contain ``level`` of 1,000 drawn curves: much narrower, and slightly too narrow if a class
        has few rows.
    level : float
        Confidence level.
    seed : int
        Seed of the draws.
    stratified : bool
        Whether class shares are known rather than sampled: then only the scores within each class
        vary.
    clustered : Clustered, optional
        The same rows with their clusters, which are resampled as wholes; the tally gives the
        values.
    draws : int
        Number of draws if there is no formula, at least 100; with clusters, that of ``clustered``.
    params
        Parameters of the curve or of the metric.

    Returns
    -------
    Curve
        Its ``method`` names how the bounds were computed. A pointwise band has the points of the
        curve; the others have their own x steps and no thresholds. Bounds are NaN where unknown.

    Raises
    ------
    InputError
        A kind that the curve does not support; a simultaneous or calibrated band with clusters;
        rows of only one class where both are needed.

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
    quantile(level)  # raises InputError for an invalid level
    if draws < 100:
        raise InputError(f"draws is {draws}; a band needs at least 100")
    band = _Band(tally, level, seed, stratified, clustered, draws)
    if kind == "pointwise":
        return band.pointwise(curve, params)
    r = tally._score_counts
    if curve.both_classes and not (r.positives > 0 and r.negatives > 0):
        raise InputError(f"a {kind} band of {name} needs rows of both classes; only one is present")
    if kind == "vertical":
        return band.vertical(curve)
    observed = curve(tally, **params)
    whole = band.calibrated if kind == "calibrated" else band.simultaneous
    return whole(curve, observed)


def _refuse(
    curve: CurveDefinition, name: str, kind: str, clustered: bool, stratified: bool
) -> None:
    if kind not in curve.bands:
        if curve.no_band:
            raise InputError(f"{name} has no band: {curve.no_band}")
        kinds = " or ".join(repr(k) for k in curve.bands)
        raise InputError(f"{name} has no {kind!r} band; say {kinds}")
    if clustered and kind in ("simultaneous", "calibrated"):
        raise InputError(
            f"a {kind} band treats rows as independent, and these are clustered; use "
            "band='pointwise' or 'vertical'"
        )
    if clustered and not curve.of_clusters:
        raise InputError(f"a band of {name} treats rows as independent, and these are clustered")
    if stratified and curve.bounded == "prevalence":
        raise InputError(
            f"{name} depends only on the class shares, which are given here: it has no band"
        )


@dataclass(frozen=True)
class _Draws:
    """The four counts at some thresholds, resampled (draws, S).

    ``places`` (S,), increasing, are the numbers of distinct scores predicted positive. ``blocks``
    (blocks, S) are the counts of each cluster if rows are clustered.
    """

    places: NDArray[np.intp]
    counts: Counts
    blocks: Counts | None = None


def _take(c: Counts, index: NDArray[np.intp]) -> Counts:
    return Counts(*(v[..., index] for v in (c.tp, c.fp, c.fn, c.tn)))


def _four(tp: Any, fp: Any, positives: Any, negatives: Any) -> Counts:
    """Return the four counts, clipped at zero against rounding errors."""
    p, n = (np.asarray(v)[..., None] for v in (positives, negatives))
    return Counts(tp, fp, np.maximum(p - tp, 0.0), np.maximum(n - fp, 0.0))


@dataclass(frozen=True)
class _Band:
    """A tally with the options of its bands."""

    tally: ScoreTally
    level: float
    seed: int
    stratified: bool
    clustered: Clustered | None
    count: int

    # -- the rows ------------------------------------------------------------------------------

    @cached_property
    def rates(self) -> tuple[Floats, Floats]:
        """TPR and FPR at every threshold from +inf down."""
        tp, fp = (ratio(v, v[-1]) for v in self.tally._score_counts._cumulative_counts)
        return tp, fp

    @cached_property
    def _totals(self) -> tuple[Floats, Floats]:
        """The total weights of positives and negatives, and the sums of their squares."""
        r, squares = self.tally._score_counts, self.tally._squared_score_counts
        second = r if squares is None else squares
        totals, seconds = (np.array([v.positives, v.negatives], float) for v in (r, second))
        return totals, seconds

    @property
    def prevalence(self) -> float:
        """The share of positives."""
        return float(ratio(self._totals[0][0], self._totals[0].sum()))

    @property
    def rows(self) -> float:
        """The number of rows; effective (Kish) if weighted."""
        totals, second = (v.sum() for v in self._totals)
        return float(ratio(totals**2, second)) if second else 0.0

    @property
    def effective_rows(self) -> Floats:
        """The effective numbers of positives and of negatives.

        If class shares are sampled, both are shares of the whole sample's effective number.
        """
        totals, second = self._totals
        if self.stratified:
            return effective_cells(totals, second)[0]
        return np.asarray(totals * (totals.sum() / second.sum() if second.sum() else 0.0))

    def distances(self, level: float) -> tuple[float, float]:
        """Return the maximum errors of TPR and FPR over all thresholds, each at a level."""
        pos, neg = (_kolmogorov(n, level) for n in effective_cells(*self._totals)[0])
        return pos, neg

    def share(self, level: float) -> tuple[float, float]:
        """Return Clopper and Pearson's interval of the prevalence, or the known value twice."""
        if self.stratified:
            return self.prevalence, self.prevalence
        low, high = beta_interval(self.prevalence * self.rows, self.rows, level)
        return float(low), float(high)

    @property
    def suffix(self) -> str:
        """A note about weighted rows for the method."""
        weighted = self.tally.sum_squared_weights is not None and not self.stratified
        return APPROXIMATE if weighted and self.clustered is None else ""

    def bounded(self, c: Curve, low: Floats, high: Floats, method: str) -> Curve:
        """Return a curve with bounds in the range of y that include it, NaN without either."""
        metric = METRICS.get(c.y_metric)
        if metric is not None and not metric.params:  # parameters may change the range
            low, high = np.clip(low, *metric.range), np.clip(high, *metric.range)
        low, high = np.minimum(low, c.y), np.maximum(high, c.y)
        return replace(c, low=low, high=high, level=self.level, method=method)

    # -- draws along the thresholds ------------------------------------------------------------

    def draws(self, places: NDArray[np.intp]) -> _Draws:
        """Return posterior draws of the counts at increasing places, monotone within each draw.

        The shares of each class between two thresholds are gamma variables with the number of rows
        as their shape, and half a row beyond either end. So the four counts at any threshold have
        their Dirichlet posterior under Jeffreys' prior.
        """
        r, rng = self.tally._score_counts, Sampler(self.seed).generator("curve")
        both = []
        for tops, rows in zip(r._cumulative_counts, self.effective_rows, strict=True):
            total = float(tops[-1])
            edges = np.concatenate([[0.0], tops[places], [total]])
            shape = np.maximum(np.diff(edges), 0.0) * (rows / total if total else 0.0)
            shape[[0, -1]] += _HALF
            both.append(rng.standard_gamma(shape, (self.count, len(shape))).cumsum(1))
        along, totals = np.stack(both), self._totals[0][:, None, None]
        sums = along[..., -1:]
        along *= totals / sums if self.stratified else totals.sum() / sums.sum(0)
        return _Draws(places, _four(*along[..., :-1], *along[..., -1]))

    def of_clusters(self) -> _Draws:
        """Return draws of whole clusters, at the thresholds of their block counts."""
        rows = self.clustered
        if rows is None or rows.resampled is None:
            raise InputError("with this many classes the clusters are not resampled: no band")
        several = len(rows.model.scores) > 1
        column = rows.model.scores.index(self.tally) if several else 0
        replicates = rows.resampled.rankings(0)[0][column]
        starts = self.tally._starts(GROUPS_OF_MANY if several else GROUPS)
        places = np.append(0, len(self.tally.scores) - starts[::-1])
        grouped = rows.resampled.blocks.ranked[0][column]
        pos = grouped.counts[grouped.positive]
        ranking = ScoreCounts(replicates.scores, pos, grouped.counts.sum(0) - pos)
        return _Draws(places, replicates._counts_by_threshold(), ranking._counts_by_threshold())

    def drawing(self) -> str:
        """Return in words what is drawn."""
        if self.clustered is not None:
            return f"cluster bootstrap, {self.clustered.draws:,} draws"
        each = " within each class" if self.stratified else ""
        return f"posterior{each}, {self.count:,} draws"

    # -- pointwise -----------------------------------------------------------------------------

    def pointwise(self, curve: CurveDefinition, params: Mapping[str, Any]) -> Curve:
        """Return a curve with pointwise bounds."""
        if curve.bounded == "own":
            options = {"level": self.level, "stratified": self.stratified, **params}
            how = self.drawing() if self.stratified else "Wilson" + self.suffix
            result = curve(self.tally, **options)
            return replace(result, level=self.level, method=f"{how}, in each part")
        result = curve(self.tally, **params)
        if curve.bounded == "prevalence":
            return self._of_prevalence(result)
        # If x is the decision threshold itself, it has no bounds.
        fixed = curve.x.open or not (curve.x.metric or curve.x.formula)
        axes = (curve.y,) if fixed else (curve.y, curve.x)
        clustered = self.clustered is not None
        need_draws = [clustered or not _has_formula(axis, self.stratified) for axis in axes]
        if any(need_draws) and not clustered:
            result = result.thin(POINTS)
        places = self._places(result)
        along = blocks = None
        if any(need_draws):
            sample = self.of_clusters() if clustered else self.draws(np.unique(places))
            index = np.minimum(np.searchsorted(sample.places, places), len(sample.places) - 1)
            at_draws = sample.places[index] == places  # clusters only have block thresholds
            if not at_draws.all():
                result, places, index = result.at(at_draws), places[at_draws], index[at_draws]
            along = _take(sample.counts, index)
            blocks = None if sample.blocks is None else _take(sample.blocks, index)
        r, squares = self.tally._score_counts, self.tally._squared_score_counts
        here = _take(r._counts_by_threshold(), places)
        second = None if squares is None else _take(squares._counts_by_threshold(), places)
        bounds = []
        for axis, by_draws in zip(axes, need_draws, strict=True):
            if not by_draws or along is None:
                bounds.append(self._wilson(axis, here, second))
                continue
            x = result.x if fixed and axis.formula else None
            of_axis = curve.params if axis is curve.y else {}
            values, draws = (axis.of(c, x, **of_axis) for c in (here, along))
            least, most = get(axis.metric).range_of(**of_axis) if axis.metric else axis.range
            low, high = percentile_bounds(np.moveaxis(draws, 0, -1), self.level)
            low = np.maximum(np.minimum(low, values), least)
            high = np.minimum(np.maximum(high, values), most)
            if blocks is not None:
                low, high = self._unless_flat(low, high, _part(axis, blocks))
            bounds.append((low, high))
        how = (self.drawing() if need_draws[0] else "Wilson") + self.suffix
        result = self.bounded(result, *bounds[0], f"{how}, at each threshold")
        if fixed:
            return result
        # Some points lie between two thresholds, e.g. at recall gain 0.
        stray = ~np.isclose(curve.x.of(here), result.x, equal_nan=True)
        low, high = (np.where(stray, np.nan, v) for v in bounds[1])
        return replace(result, x_low=np.minimum(low, result.x), x_high=np.maximum(high, result.x))

    def _places(self, c: Curve) -> NDArray[np.intp]:
        """Return the number of distinct scores predicted positive at each point."""
        scores = self.tally.scores
        if c.threshold is None:  # x is a score
            return len(scores) - 1 - np.searchsorted(scores, c.x)
        return len(scores) - np.searchsorted(scores, c.threshold, side="left")

    def _wilson(self, axis: Axis, c: Counts, second: Counts | None) -> Bounds:
        def share(counts: Counts) -> tuple[Any, Any]:
            proportion = _part(axis, counts)
            assert proportion is not None
            return proportion

        hits, rows = effective_hits(share, c, second)
        return wilson(hits, rows, quantile(self.level))

    def _unless_flat(self, low: Floats, high: Floats, blocks: tuple[Any, Any] | None) -> Bounds:
        """Return bounds; where all cluster draws are equal, Wilson's if it is a proportion.

        Each block counts as one row there, the worst case of correlation; ``blocks`` are the part
        and whole of the proportion in each block. NaN if it is not a proportion.
        """
        flat = high - low <= _SLACK
        lows = highs = np.full(low.shape, np.nan)
        if blocks is not None:
            part, whole = blocks
            n = ratio(whole.sum(0) ** 2, (whole**2).sum(0))
            lows, highs = wilson(ratio(part.sum(0), whole.sum(0)) * n, n, quantile(self.level))
        return np.where(flat, lows, low), np.where(flat, highs, high)

    def _of_prevalence(self, observed: Curve) -> Curve:
        """Return the bounds of a curve that depends only on prevalence."""
        n = self.rows
        ends = wilson(self.prevalence * n, n, quantile(self.level))
        low, high = (p - (1 - p) * observed.x / (1 - observed.x) for p in ends)
        return self.bounded(observed, low, high, f"Wilson{self.suffix}, of the share of positives")

    # -- vertical ------------------------------------------------------------------------------

    def vertical(self, curve: CurveDefinition) -> Curve:
        """Return y at given x, with the bounds of each."""
        every, path = self.tally._score_counts._counts_by_threshold(), _path(curve)
        if self.clustered is None:
            sample = self.draws(self._spread(POINTS // 2))
        else:
            sample = self.of_clusters()
        from_zero = path.x == "fpr"
        at = _grid() if from_zero else _grid()[1:]
        y = heights(curve, every, at, exact=True)
        coarse = heights(curve, _take(every, sample.places), at, exact=True)
        replicates = np.moveaxis(heights(curve, sample.counts, at), 0, -1)
        low, high = (bound + (y - coarse) for bound in percentile_bounds(replicates, self.level))
        if sample.blocks is not None:
            positives = sample.blocks.positives[:, :1]
            share = (y * positives, positives) if curve.y.of_class == "positive" else None
            low, high = self._unless_flat(low, high, share)
        low, high = np.maximum(low, 0.0), np.minimum(high, get(curve.y.metric).range[1])
        if from_zero:
            # Every draw starts at 0, where the curve may be as high as at the next point.
            side = low if path.falls else high
            side[0] = side[1]
        observed = Curve(curve.name, curve.x.name, curve.y.name, at, y)
        return self.bounded(observed, low, high, f"{self.drawing()}{self.suffix}, at each x")

    def _spread(self, steps: int) -> NDArray[np.intp]:
        """Return places along the curve, dense where there are few false positives."""
        (tp, fp), even = self.rates, np.linspace(0, 1, steps)
        cuts = [np.searchsorted(fp, np.append(even**2, even)), np.searchsorted(tp, even)]
        cuts.append(np.searchsorted((tp + fp) / 2, even))
        return np.unique(np.minimum(np.concatenate(cuts), len(self.tally.scores)))

    # -- whole-curve bands ---------------------------------------------------------------------

    def simultaneous(self, curve: CurveDefinition, observed: Curve) -> Curve:
        """Return a curve with its simultaneous band.

        The points are chosen for the band: straight lines between low and high at these points
        enclose the whole band. For independent rows; ties make the band conservative, and weighted
        rows count as their effective number.
        """
        observed, low, high = WHOLE_BANDS[curve.whole_band](self, curve, observed)
        method = "Kolmogorov-Smirnov, the whole curve" + self.suffix
        return self.bounded(observed, low, high, method)

    def calibrated(self, curve: CurveDefinition, observed: Curve) -> Curve:
        """Return a ROC or DET curve with the band that contains ``level`` of the drawn curves.

        The rectangles of the simultaneous band are scaled by a common factor until that share of
        the drawn curves lies inside.
        """
        few = replace(self, count=min(self.count, CALIBRATION_DRAWS), stratified=True)
        c = few.draws(self._spread(POINTS // 4)).counts
        (pos, neg), (tpr, fpr) = self.distances(self.level**0.5), self.rates
        y, x = (_along(v) for v in (c.tp / c.positives, c.fp / c.negatives))
        some = np.unique(np.linspace(0, len(fpr) - 1, WHOLE_POINTS).astype(np.intp))
        f, t = fpr[some], tpr[some]
        low, high = np.zeros((len(x), 1)), np.ones((len(x), 1))
        for _ in range(_HALVINGS):
            scale = (low + high) / 2
            least = lowest(f, t, x - scale * neg - _SLACK) - scale * pos
            most = highest(f, t, x + scale * neg + _SLACK) + scale * pos
            inside = ((least <= y + _SLACK) & (y <= most + _SLACK)).all(1, keepdims=True)
            low, high = np.where(inside, low, scale), np.where(inside, scale, high)
        scale = np.sort(high, axis=0)[int(np.ceil(self.level * len(high) - 1e-9)) - 1, 0]
        observed, low, high = _around(curve, observed, fpr, tpr, scale * neg, scale * pos)
        method = f"Kolmogorov-Smirnov, calibrated by {few.count:,} draws, the whole curve"
        return self.bounded(observed, low, high, method + self.suffix)


# -- the envelope of rectangles ------------------------------------------------------------------


def _along(rates: Floats) -> Floats:
    """Return points along the lines from 0 through the rates (draws, S) to 1.

    With few thresholds, a line can leave a band between two corners that are inside.
    """
    ends = np.zeros((len(rates), 1))
    corners = np.concatenate([ends, rates, ends + 1], 1)
    parts = max(1, _ALONG // corners.shape[1])
    steps = np.arange(parts) / parts
    between = corners[:, :-1, None] * (1 - steps) + corners[:, 1:, None] * steps
    return np.asarray(between.reshape(len(rates), -1))


@lru_cache(maxsize=256)
def _kolmogorov(rows: float, level: float) -> float:
    """Return the quantile at ``level`` of Kolmogorov's distance for a number of rows.

    Exact for independent rows, and conservative with ties.
    """
    from scipy.stats import kstwo

    n = int(rows + 1e-9)
    return float(kstwo.ppf(level, n)) if n else 1.0


def highest(x: Floats, y: Floats, at: Floats) -> Floats:
    """Return the highest y of an increasing polyline at or before each x."""
    i = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 1)
    return _between(x, y, i, np.minimum(i + 1, len(x) - 1), at)


def lowest(x: Floats, y: Floats, at: Floats) -> Floats:
    """Return the lowest y of an increasing polyline at or after each x."""
    i = np.clip(np.searchsorted(x, at, side="left"), 0, len(x) - 1)
    return _between(x, y, np.maximum(i - 1, 0), i, at)


def _between(x: Floats, y: Floats, i: Any, j: Any, at: Floats) -> Floats:
    gap = x[j] - x[i]
    share = np.clip((at - x[i]) / np.where(gap > 0, gap, 1.0), 0.0, 1.0)
    return np.asarray(y[i] + np.where(gap > 0, share, 0.0) * (y[j] - y[i]))


def _envelope(c: Curve, x: Floats, y: Floats, dx: float, dy: float) -> WholeBand:
    """Return the bounds along a curve, for an increasing polyline with errors dx and dy."""
    c, whole = _corners(c, dx)
    # The slack keeps a corner on its side despite rounding errors.
    low = np.clip(lowest(x, y, c.x - dx - _SLACK) - dy, 0.0, 1.0)
    high = np.clip(highest(x, y, c.x + dx + _SLACK) + dy, 0.0, 1.0)
    return (c, low, high) if whole else (c, *_outwards(low, high))


def _corners(c: Curve, dx: float) -> tuple[Curve, bool]:
    """Return a curve with points wherever its band can turn, and whether all are included."""
    order = np.argsort(c.x, kind="stable")
    c = replace(c, threshold=None).at(order)
    if len(c) > WHOLE_POINTS:
        at = np.linspace(c.x[0], c.x[-1], WHOLE_POINTS)
        return replace(c, x=at, y=_joined(c, at)), False
    turns = np.concatenate([c.x - dx, c.x + dx])
    turns = np.setdiff1d(turns[(turns > c.x[0]) & (turns < c.x[-1])], c.x)
    x = np.concatenate([c.x, turns])
    y = np.concatenate([c.y, _joined(c, turns)])
    order = np.argsort(x, kind="stable")
    return replace(c, x=x[order], y=y[order]), True


def _joined(c: Curve, at: Floats) -> Floats:
    """Return y between the points of a curve with increasing x, interpolated as it is drawn."""
    if c.step == "pre":
        return c.y[np.searchsorted(c.x, at, side="left")]
    return np.interp(at, c.x, c.y)


def _outwards(low: Floats, high: Floats) -> Bounds:
    """Return the bounds extended to their neighbours, so that straight lines do not cut them."""
    beside = [
        np.stack([np.append(v[:1], v[:-1]), v, np.append(v[1:], v[-1:])]) for v in (low, high)
    ]
    return beside[0].min(0), beside[1].max(0)


def _path(curve: CurveDefinition) -> Projection:
    assert curve.projection is not None
    return curve.projection


WholeBand = tuple[Curve, Floats, Floats]


def _of_roc(b: _Band, curve: CurveDefinition, c: Curve) -> WholeBand:
    (pos, neg), (tpr, fpr) = b.distances(b.level**0.5), b.rates
    return _around(curve, c, fpr, tpr, neg, pos)


def _around(
    curve: CurveDefinition, c: Curve, fpr: Floats, tpr: Floats, dx: float, dy: float
) -> WholeBand:
    c, low, high = _envelope(c, fpr, tpr, dx, dy)
    ends = [_path(curve).height(c.x, v, 0.5) for v in (low, high)]  # independent of prevalence
    return c, np.minimum(*ends), np.maximum(*ends)


def _of_pr(b: _Band, curve: CurveDefinition, c: Curve) -> WholeBand:
    """Return the band from the false positive rate at each recall, and the prevalence."""
    level = b.level ** (1 / 2 if b.stratified else 1 / 3)
    (pos, neg), (tpr, fpr) = b.distances(level), b.rates
    c, least, most = _envelope(c, tpr, fpr, pos, neg)
    shares = zip(b.share(level), (most, least), strict=True)
    ends = (_path(curve).height(c.x, f, p) for p, f in shares)
    low, high = (np.where(np.isnan(v), 1.0, v) for v in ends)
    return (c, *_outwards(low, high))


def _of_gain(b: _Band, curve: CurveDefinition, c: Curve) -> WholeBand:
    """Return the band of recall at each depth, the share of all rows predicted positive."""
    p, (tpr, fpr) = b.prevalence, b.rates
    # Depth, recall and prevalence are dependent, so each gets a third of the error rate.
    level = b.level**0.5 if b.stratified else 1 - (1 - b.level) / 3
    pos, neg = b.distances(level)
    deep = p * pos + (1 - p) * neg if b.stratified else _kolmogorov(b.rows, level)
    c, low, high = _envelope(c, p * tpr + (1 - p) * fpr, tpr, deep, pos)
    # For any ranking, recall <= depth / prevalence, and 1 - recall <= (1 - depth) / prevalence.
    least = b.share(level)[0]
    low, high = np.fmax(low, 1 - (1 - c.x) / least), np.fmin(high, c.x / least)
    return (c, *_outwards(*(_path(curve).height(c.x, v, p) for v in (low, high))))


def _of_one_class(b: _Band, curve: CurveDefinition, c: Curve) -> WholeBand:
    """Return the band of the distribution function of one class's scores."""
    far = b.distances(b.level)[0 if curve.y.of_class == "positive" else 1]
    return c, np.clip(c.y - far, 0.0, 1.0), np.clip(c.y + far, 0.0, 1.0)


def _of_cost(b: _Band, curve: CurveDefinition, c: Curve) -> WholeBand:
    """Return the band of the minimum cost over all thresholds, at the error of any of them."""
    pos, neg = b.distances(b.level**0.5)
    at = np.union1d(c.x, np.linspace(0, 1, 201))
    c = Curve(c.name, c.x_metric, c.y_metric, at, np.interp(at, c.x, c.y))
    far = at * pos + (1 - at) * neg
    return c, np.maximum(c.y - far, 0.0), np.minimum(c.y + far, np.minimum(at, 1 - at))


def _of_decision(b: _Band, curve: CurveDefinition, c: Curve) -> WholeBand:
    """Return the band of net benefit, with uncertain prevalence if it was sampled."""
    level = b.level ** (1 / 2 if b.stratified else 1 / 3)
    pos, neg = b.distances(level)
    place = len(b.tally.scores) - np.searchsorted(b.tally.scores, c.x, side="left")
    tpr, fpr = (v[place] for v in b.rates)
    odds, (least, most) = c.x / (1 - c.x), b.share(level)
    low = least * np.maximum(tpr - pos, 0) - (1 - least) * odds * np.minimum(fpr + neg, 1)
    high = most * np.minimum(tpr + pos, 1) - (1 - most) * odds * np.maximum(fpr - neg, 0)
    return c, low, high


WHOLE_BANDS: Mapping[str, Callable[[_Band, CurveDefinition, Curve], WholeBand]] = {
    "fpr": _of_roc,
    "tpr": _of_pr,
    "depth": _of_gain,
    "one class": _of_one_class,
    "cost": _of_cost,
    "decision": _of_decision,
}
"""Functions that compute the band of a whole curve, by :attr:`CurveDefinition.whole_band`."""


# -- heights -----------------------------------------------------------------------------------


def _grid() -> Floats:
    """Return the x of vertical bands: steps of 0.001 up to 0.1, then of 0.01."""
    return np.concatenate([np.arange(100) / 1000, np.arange(10, 101) / 100])


def heights(curve: CurveDefinition, c: Counts, at: Floats, exact: bool = False) -> Floats:
    """Return the y of curves at given x, interpolated between the counts at thresholds.

    Interpolation is linear in the counts, i.e. for randomised decisions between two thresholds.
    ``exact`` is for a single curve: take the best y where it is vertical at an x.
    """
    path, first = _path(curve), _take(c, np.zeros(1, np.intp))
    ends = [
        (np.atleast_2d(v), np.atleast_2d(t))
        for v, t in ((c.tp, first.positives), (c.fp, first.negatives))
    ]
    tpr, fpr = (np.concatenate([0 * t, v, t], 1) / np.where(t > 0, t, np.nan) for v, t in ends)
    share = ends[0][1] / (ends[0][1] + ends[1][1])
    rates = {"tpr": tpr, "fpr": fpr}
    x = share * tpr + (1 - share) * fpr if path.x == "depth" else rates[path.x]
    other = rates[path.other]
    if exact:
        best = highest if path.other == "tpr" else lowest
        other = best(x[0], other[0], at)
    else:
        other = np.stack([np.interp(at, a, b) for a, b in zip(x, other, strict=True)])
    y = path.height(at, other, share)
    return np.asarray(y.reshape(-1) if exact else y)
