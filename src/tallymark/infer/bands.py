"""Compute confidence bands of curves: intervals of single points, and bands of the whole curve.

There are three kinds of band:

- ``pointwise``: the interval of the rates at a fixed threshold.
- ``vertical``: the interval of y at a fixed x (false positive rate, recall or depth). It is wider,
  because the threshold for this x is uncertain too.
- ``simultaneous``: contains the whole curve. A pointwise or vertical band contains the truth at one
  point in 95 % of samples, but the whole true curve in far fewer. At each threshold, both rates
  have an interval of ±c on the arcsine scale, where the standard error of a rate is the same
  everywhere; the band is the envelope of these rectangles ("sup-t"). The same c holds at all
  thresholds. It is the smallest with which the bands of samples of this size contain the whole
  curve that they were drawn from, in a share ``level`` of simulated samples. The distribution of a
  single class has an exact band by Kolmogorov's distance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curve import CURVES, Axis, Curve, CurveDefinition, Projection, definition
from tallymark.errors import InputError
from tallymark.infer.clustered import Clustered
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

SAMPLES = 500
"""Simulated samples of a simultaneous band."""

_CELLS = (100, 600)
"""Minimum and maximum number of thresholds of a simulated sample."""

_LEAST, _MOST = 1.5**0.5, 8.0
"""Limits of the half width of a band in standard errors: with less, the interval of a rate of 0 in
the sample would exclude 0."""

_HALF = 0.5
"""Prior rows of each class beyond either end of the draws: every rate has Jeffreys' prior, and the
four counts at any threshold have the Dirichlet posterior used elsewhere for empty cells."""

_SLACK = 1e-12
_HALVINGS = 12
Bounds = tuple[Floats, Floats]

FEW = 10
"""With fewer rows of a class, a simultaneous band holds less often than its level says."""

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
    kind : {"pointwise", "vertical", "simultaneous"}
        "pointwise" bounds x and y at each threshold separately: Wilson's interval for proportions,
        with the effective number of rows if weighted; otherwise posterior percentiles of the four
        counts, at no more than 400 points. "vertical" bounds y at given x from the same draws,
        with an uncertain threshold. "simultaneous" contains the whole true curve with probability
        ``level``: at each threshold with rate p of n rows, asin√p ± c / (2√n) for both classes,
        and low and high are the envelope. c is the quantile at ``level`` over 500 samples,
        simulated from a curve of normal scores with the same AUC, of the smallest c with which
        the band of a sample contains that curve; of decision, from the sample's own rates. Of a
        single class: Kolmogorov's exact band.
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
        A kind that the curve does not support; a simultaneous band with clusters; rows of only one
        class where both are needed.

    Notes
    -----
    Sources: wilson1927; gu2008 for the draws, here with half a row of each class beyond either
    end; campbell1994 and macskassy2005 for rectangles around a ROC curve, anscombe1948 for the
    scale, montielolea2019 for the quantile, simard2011 for a single class.

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
    return band.simultaneous(curve, curve(tally, **params))


def _refuse(
    curve: CurveDefinition, name: str, kind: str, clustered: bool, stratified: bool
) -> None:
    if kind not in curve.bands:
        if curve.no_band:
            raise InputError(f"{name} has no band: {curve.no_band}")
        kinds = " or ".join(repr(k) for k in curve.bands)
        raise InputError(f"{name} has no {kind!r} band; say {kinds}")
    if clustered and kind == "simultaneous":
        raise InputError(
            "a simultaneous band treats rows as independent, and these are clustered; use "
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

        The points are chosen for the band: it turns at some of them. For independent rows; ties
        make the band conservative, and weighted rows count as their effective number.
        """
        if curve.whole_band == "one class":
            rows = effective_cells(*self._totals)[0][0 if curve.y.of_class == "positive" else 1]
            far = _kolmogorov(float(rows), self.level)
            low, high = np.clip(observed.y - far, 0.0, 1.0), np.clip(observed.y + far, 0.0, 1.0)
            method = "Kolmogorov-Smirnov, the whole curve"
            return self.bounded(observed, low, high, method + self.suffix)
        tpr, fpr = self.rates
        pos, neg = (np.full((1, 1), max(v, 1.0)) for v in self.effective_rows)
        share = np.full((1, 1), self.prevalence)
        rates = Rates(tpr[None], fpr[None], pos, neg, share, self.stratified)
        whole = WHOLE_BANDS[curve.whole_band]
        critical = self._critical(whole, rates, observed)
        if curve.whole_band == "decision":
            rates, all_turns = _at_scores(rates, self.tally.scores, observed.x), True
        else:
            observed, all_turns = _points(observed, whole.turns(rates, critical))
        low, high = (v[0] for v in whole.bounds(rates, np.full((1, 1), critical), observed.x))
        if curve.projection is not None and curve.whole_band != "tpr":
            ends = [_path(curve).height(observed.x, v, 0.5) for v in (low, high)]
            low, high = np.minimum(*ends), np.maximum(*ends)
        if not all_turns or curve.whole_band in ("tpr", "depth"):
            low, high = _outwards(low, high)
        method = f"sup-t, {min(self.count, SAMPLES):,} simulated samples, the whole curve"
        rarest = min(float(pos[0, 0]), float(neg[0, 0]))
        if rarest < FEW:
            method += f", less reliable with only {rarest:.3g} rows of a class"
        return self.bounded(observed, low, high, method + self.suffix)

    def _critical(self, whole: WholeBand, rates: Rates, observed: Curve) -> float:
        """Return c, the half width in standard errors, from simulated samples.

        It is the quantile of the smallest c with which the band of a sample contains the whole
        curve of the population.
        """
        count = min(self.count, SAMPLES)
        rng = Sampler(self.seed).generator("curve", "whole")
        population = whole.population(rates, self.tally.scores, observed.x)
        samples = population.samples(rng, count)
        at, y = whole.truth(population, observed.x)
        rank = min(int(np.ceil((count + 1) * self.level - 1e-9)), count)
        least, most, held = _LEAST, _MOST, 0
        for _ in range(_HALVINGS):
            c = (least + most) / 2
            low, high = whole.bounds(samples, np.full((len(samples.pos), 1), c), at)
            inside = np.all((low <= y + _SLACK) & (y <= high + _SLACK), axis=1)
            # A sample whose band contains the curve at c does so at all larger ones.
            within = int(np.count_nonzero(inside))
            if held + within >= rank:
                most, samples = c, samples.of(inside)
            else:
                held += within
                least, samples = c, samples.of(~inside)
        return most


# -- bands of the whole curve ----------------------------------------------------------------------


@dataclass(frozen=True)
class Rates:
    """The rates of samples at thresholds from +inf down [sample, threshold].

    ``pos`` and ``neg`` are the rows of each class and ``share`` is the prevalence [sample, 1],
    which is ``known``, or sampled with the rows.
    """

    tpr: Floats
    fpr: Floats
    pos: Floats
    neg: Floats
    share: Floats
    known: bool

    @property
    def depth(self) -> Floats:
        """The share of all rows predicted positive."""
        return np.asarray(self.share * self.tpr + (1 - self.share) * self.fpr)

    @property
    def rows(self) -> Floats:
        """Total number of rows."""
        return self.pos + self.neg

    def shares(self, c: Floats) -> Bounds:
        """Return bounds of the prevalence at c standard errors."""
        return (self.share,) * 2 if self.known else arcsine_bounds(self.share, self.rows, c)

    def of(self, some: NDArray[Any]) -> Rates:
        """Return some of the samples."""
        pos, neg, share = self.pos[some], self.neg[some], self.share[some]
        return Rates(self.tpr[some], self.fpr[some], pos, neg, share, self.known)

    def samples(self, rng: np.random.Generator, count: int) -> Rates:
        """Return samples from these rates as a population."""
        rows = np.full((count, 1), max(2, round(float(self.rows[0, 0]))))
        share = float(self.share[0, 0])
        pos = np.full((count, 1), max(1, round(float(self.pos[0, 0]))))
        if not self.known:
            pos = np.clip(rng.binomial(rows, share), 1, rows - 1)
        neg = (
            np.full((count, 1), max(1, round(float(self.neg[0, 0])))) if self.known else rows - pos
        )
        drawn = []
        for n, rate in ((pos, self.tpr[0]), (neg, self.fpr[0])):
            cells = np.maximum(np.diff(rate, prepend=0.0, append=1.0), 0.0)
            counts = rng.multinomial(n[:, 0], cells / cells.sum()).cumsum(1)[:, :-1]
            drawn.append(counts / n)
        tpr, fpr = drawn
        shares = np.full((count, 1), share) if self.known else pos / rows
        return Rates(tpr, fpr, pos * 1.0, neg * 1.0, shares, self.known)


def arcsine(share: Any, rows: Any) -> Floats:
    """Return shares on a scale on which their standard error is 1, 2√n asin√p (Anscombe)."""
    return np.asarray(
        2 * np.sqrt(rows) * np.arcsin(np.sqrt((share * rows + 3 / 8) / (rows + 3 / 4)))
    )


def _rate(scaled: Any, rows: Any) -> Floats:
    """Return the rates sin²(v / 2√n) of values on the arcsine scale."""
    return np.asarray(np.sin(np.clip(scaled / (2 * np.sqrt(rows)), 0.0, np.pi / 2)) ** 2)


def _scaled(rate: Any, rows: Any) -> Floats:
    """Return true rates on the arcsine scale."""
    return np.asarray(2 * np.sqrt(rows) * np.arcsin(np.sqrt(np.clip(rate, 0.0, 1.0))))


def arcsine_bounds(share: Any, rows: Any, c: Any) -> Bounds:
    """Return a proportion minus and plus c standard errors, computed on the arcsine scale.

    >>> low, high = arcsine_bounds(np.array([0.0, 0.5]), 20, 2.0)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.284], [0.123, 0.716])
    """
    at = arcsine(share, rows)
    return _rate(at - c, rows), _rate(at + c, rows)


def _interpolated(at: Floats, x: Floats, y: Floats) -> Floats:
    """Return y at ``at`` [sample, point] along increasing polylines [sample, corner]."""
    at = np.clip(at, x[:, :1], x[:, -1:])
    if len(x) == 1:
        return np.asarray(np.interp(at, x[0], y[0]))
    # Shift the samples apart, end to end, so that one pass interpolates all.
    apart = np.arange(len(x))[:, None] * (float(x.max()) + 1.0)
    every = np.interp((at + apart).ravel(), (x + apart).ravel(), y.ravel())
    return np.asarray(every.reshape(at.shape))


def envelope(x: Floats, y: Floats, rows: tuple[Any, Any], c: Floats, at: Floats) -> Bounds:
    """Return the lowest and highest y at ``at`` within c standard errors of increasing curves.

    Both rates of a threshold lie in a rectangle of ±c on the arcsine scale; the envelope joins its
    upper left corners, and its lower right ones, of all thresholds.
    """
    u, v = arcsine(x, rows[0]), arcsine(y, rows[1])
    here = _scaled(at, rows[0])
    here = np.broadcast_to(here, (len(x), here.shape[-1]))
    after, before = here + c + _SLACK, here - c - _SLACK
    low = _rate(_interpolated(before, u, v) - c, rows[1])
    high = _rate(_interpolated(after, u, v) + c, rows[1])
    return np.where(before <= u[:, :1], 0.0, low), np.where(after >= u[:, -1:], 1.0, high)


def weighted_difference(
    shares: tuple[Any, Any], bounds: tuple[Bounds, Bounds], weights: tuple[Any, Any]
) -> Bounds:
    """Return bounds of a p - b q: the errors of both shares are added as squares (MOVER)."""
    (p, q), ((p_low, p_high), (q_low, q_high)), (a, b) = shares, bounds, weights
    middle = a * p - b * q
    low = middle - np.hypot(a * (p - p_low), b * (q_high - q))
    return low, middle + np.hypot(a * (p_high - p), b * (q - q_low))


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


def _points(c: Curve, turns: Floats) -> tuple[Curve, bool]:
    """Return a curve with points wherever its band can turn, and whether all are included."""
    order = np.argsort(c.x, kind="stable")
    c = replace(c, threshold=None).at(order)
    if len(c) > WHOLE_POINTS:
        at = np.linspace(c.x[0], c.x[-1], WHOLE_POINTS)
        return replace(c, x=at, y=_joined(c, at)), False
    more = np.unique(np.concatenate([turns, np.linspace(0, 1, 201)]))
    more = np.setdiff1d(more[(more > c.x[0]) & (more < c.x[-1])], c.x)
    x, y = np.concatenate([c.x, more]), np.concatenate([c.y, _joined(c, more)])
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


def _precision(recall: Floats, fpr: Floats, share: Any) -> Floats:
    """Return precision, 1 where no row is predicted positive."""
    found = share * recall
    called = found + (1 - share) * fpr
    return np.where(called > 0, found / np.where(called > 0, called, 1.0), 1.0)


class WholeBand:
    """A family of bands around ROC curves, wider with c, of which one is chosen."""

    def turns(self, r: Rates, c: float) -> Floats:
        """Return the x coordinates at which the band may bend."""
        return _turns(r.fpr, r.neg, c)

    def population(self, r: Rates, scores: Floats, at: Floats) -> Rates:
        """Return a population like the sample, at thresholds from high to low."""
        low, high = _CELLS
        return _normal_scores(r, int(np.clip(4 * r.rows[0, 0], low, high)))

    def truth(self, population: Rates, at: Floats) -> Bounds:
        """Return points on the population's curve."""
        t, f = population.tpr[0], population.fpr[0]
        return f, t

    def bounds(self, r: Rates, c: Floats, at: Floats) -> Bounds:
        """Return low and high [sample, point] at the points ``at``."""
        return envelope(r.fpr, r.tpr, (r.neg, r.pos), c, at)


class _OfPr(WholeBand):
    """Precision at each recall, from the false positive rate there and the prevalence."""

    def turns(self, r: Rates, c: float) -> Floats:
        return _turns(r.tpr, r.pos, c)

    def truth(self, population: Rates, at: Floats) -> Bounds:
        f, t = super().truth(population, at)
        return t, _precision(t, f, population.share[0])

    def bounds(self, r: Rates, c: Floats, at: Floats) -> Bounds:
        least, most = envelope(r.tpr, r.fpr, (r.pos, r.neg), c, at)
        low, high = r.shares(c)
        return _precision(at, most, low), _precision(at, least, high)


class _OfGain(WholeBand):
    """Recall at each depth, the share of all rows predicted positive."""

    def turns(self, r: Rates, c: float) -> Floats:
        return _turns(r.depth, r.rows, c)

    def truth(self, population: Rates, at: Floats) -> Bounds:
        f, t = super().truth(population, at)
        share = population.share[0]
        return share * t + (1 - share) * f, t

    def bounds(self, r: Rates, c: Floats, at: Floats) -> Bounds:
        low, high = envelope(r.depth, r.tpr, (r.rows, r.pos), c, at)
        # For any ranking, recall <= depth / prevalence, and 1 - recall <= (1 - depth) / prevalence.
        least = r.shares(c)[0]
        # fmax and fmin skip the NaN of 0/0, where the lower bound of the prevalence is 0.
        return np.fmax(low, 1 - (1 - at) / least), np.fmin(high, at / least)


class _OfCost(WholeBand):
    """The minimum cost over all thresholds, from the cost of each."""

    def turns(self, r: Rates, c: float) -> Floats:
        return np.zeros(0)

    def population(self, r: Rates, scores: Floats, at: Floats) -> Rates:
        return _normal_scores(r, _CELLS[0])

    def truth(self, population: Rates, at: Floats) -> Bounds:
        at = np.linspace(0, 1, 21)
        t, f = population.tpr[0], population.fpr[0]
        costs = at[:, None] * (1 - t) + (1 - at)[:, None] * f
        return at, np.minimum(costs.min(1), np.minimum(at, 1 - at))

    def bounds(self, r: Rates, c: Floats, at: Floats) -> Bounds:
        some = np.unique(np.linspace(0, r.tpr.shape[1] - 1, WHOLE_POINTS).astype(np.intp))
        rates = (r.tpr[:, some], r.fpr[:, some])
        ends = (arcsine_bounds(rates[0], r.pos, c), arcsine_bounds(rates[1], r.neg, c))
        low, high = [], []
        for x in at:
            # The cost is x less the benefit, x TPR - (1 - x) FPR.
            benefit = weighted_difference(rates, ends, (x, 1 - x))
            least, most = (x - v.max(1) for v in benefit[::-1])
            low.append(np.maximum(least, 0.0))
            high.append(np.minimum(most, min(x, 1 - x)))
        return np.stack(low, 1), np.stack(high, 1)


class _OfDecision(WholeBand):
    """Net benefit at each threshold, from the counts there."""

    def turns(self, r: Rates, c: float) -> Floats:
        return np.zeros(0)

    def population(self, r: Rates, scores: Floats, at: Floats) -> Rates:
        r = _at_scores(r, scores, at)
        # Half a row on either side keeps rates of 0 and 1 uncertain.
        tpr, fpr = ((v * n + _HALF) / (n + 2 * _HALF) for v, n in ((r.tpr, r.pos), (r.fpr, r.neg)))
        return replace(r, tpr=tpr, fpr=fpr)

    def truth(self, population: Rates, at: Floats) -> Bounds:
        p, odds = population.share[0], at / (1 - at)
        t, f = population.tpr[0, ::-1], population.fpr[0, ::-1]
        return at, p * t - (1 - p) * odds * f

    def bounds(self, r: Rates, c: Floats, at: Floats) -> Bounds:
        odds, p = at / (1 - at), r.share
        tpr, fpr = (v[:, ::-1] for v in (r.tpr, r.fpr))
        shares, rows = (p * tpr, (1 - p) * fpr), (r.rows, r.rows)
        weights: tuple[Any, Any] = (1.0, odds)
        if r.known:
            shares, rows, weights = (tpr, fpr), (r.pos, r.neg), (p, (1 - p) * odds)
        ends = (arcsine_bounds(shares[0], rows[0], c), arcsine_bounds(shares[1], rows[1], c))
        return weighted_difference(shares, ends, weights)


def _at_scores(r: Rates, scores: Floats, at: Floats) -> Rates:
    """Return the rates at these scores, from the highest down."""
    place = (len(scores) - np.searchsorted(scores, at, side="left"))[::-1]
    return replace(r, tpr=r.tpr[:, place], fpr=r.fpr[:, place])


def _normal_scores(r: Rates, cells: int) -> Rates:
    """Return the rates of normal scores of unit variance with the AUC of the sample.

    Half a row of the smaller class on either side keeps the AUC within 0 and 1.
    """
    from scipy.special import ndtr, ndtri

    rows = float(min(r.pos[0, 0], r.neg[0, 0]))
    steps = np.diff(r.fpr[0], prepend=0.0)
    area = float((steps * (r.tpr[0] + np.append(0.0, r.tpr[0, :-1])) / 2).sum())
    lift = float(np.sqrt(2) * ndtri((area * rows + _HALF) / (rows + 2 * _HALF)))
    far = float(-ndtri(1 / (20 * max(r.pos[0, 0], r.neg[0, 0]))))
    cuts = np.linspace(max(lift, 0) + far, min(lift, 0) - far, cells)
    cuts = np.concatenate([[np.inf], cuts, [-np.inf]])
    return replace(r, tpr=ndtr(lift - cuts)[None], fpr=ndtr(-cuts)[None])


def _turns(x: Floats, rows: Floats, c: float) -> Floats:
    """Return the x coordinates at which an envelope may bend: those of the curve, ± c errors."""
    u = arcsine(x[0], rows[0])
    return _rate(np.concatenate([u - c, u + c]), rows[0])


WHOLE_BANDS: Mapping[str, WholeBand] = {
    "fpr": WholeBand(),
    "tpr": _OfPr(),
    "depth": _OfGain(),
    "cost": _OfCost(),
    "decision": _OfDecision(),
}
"""The bands of whole curves, by :attr:`CurveDefinition.whole_band`."""


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
