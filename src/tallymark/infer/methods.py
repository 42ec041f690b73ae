"""Define the interval methods, and choose one for each statistic.

By :func:`choose`, recall gets Wilson's interval; F1 the jackknife's on the logit scale
(:func:`_jackknife`), or the posterior's if one of the four counts is 0 or fewer than five degrees
of freedom are left; the ROC area a beta posterior with DeLong's variance.
:func:`tallymark.infer.intervals.interval` applies the methods to stacks of tallies.

To add a method, write a function of a :class:`~tallymark.infer.samples.Case` that returns the
bounds of all its values. Add it to :data:`_LIST`, with a function that returns why the method does
not apply to a case. A case has the ``values``, their ``range``, the quantile ``z`` and the
``sample``, which supplies standard errors, replicates and, for proportions, hits and rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import listed
from tallymark.infer.beta_posterior import matched_beta
from tallymark.infer.delong import (
    area_posterior,
    hand_till_error,
    newcombe,
    newcombe_variance,
    one_by_chance,
)
from tallymark.infer.influence import Influence
from tallymark.infer.power import hanley_mcneil
from tallymark.infer.sampler import moments, percentile_bounds
from tallymark.infer.samples import (
    FEW_FREEDOMS,
    MOST_CLASSES,
    Area,
    Case,
    Draw,
    Matrices,
    critical_value,
    scaled,
)
from tallymark.infer.score_samples import NULLS, Column, Columns, null_end
from tallymark.infer.two_shares import TITLE
from tallymark.metric import get
from tallymark.metric.measure import Statistic, as_average, over_pairs
from tallymark.metric.proportion import quantile, wilson
from tallymark.quantities import count, many, number, percent
from tallymark.tally.arrays import Floats, is_alphabetical
from tallymark.tally.labels import LabelTally
from tallymark.tally.occupied import OccupiedCells
from tallymark.tally.sums import Sums

WEIGHTED = ", weighted rows"
KISH = ", effective sample size of the weights (approximate)"
BIAS = ", widened for bias"
FIXED_SHARES = "it treats class shares as sampled, and here they are given"
OF_CHANCE = "errors are correlated within clusters, which inflates it"
CLUSTERS = "it treats rows as independent, and these are clustered"

FEW_CARRY = "it depends mostly on few rows"
MOST_BIAS = 0.35
"""An average over classes has as much bias as each class but a smaller standard error. If the bias
exceeds this share of the standard error, the jackknife undercovers, and the average gets the
conservative interval. Below it, the jackknife is used without widening: for average precision of
five skewed classes it covers 95 % (n = 300 and 1,000)."""

APART = "the rows were not kept side by side: the interval is wider than necessary"

FEW_OF_A_CLASS = 10
"""With fewer rows of the rarest class, an average over several classes is too uncertain; with
clusters, so are most metrics if the rarest class is in fewer clusters."""

FEW_WEIGHTED = 30
"""With fewer effective rows of a weighted proportion, its interval uses Student's t."""

FEW_LARGE_LOSSES = 10
"""With fewer degrees of freedom of a mean of unbounded losses, a few large ones carry it."""

HIDDEN_BIAS = 2.0
"""Factor of the bias that resampling shows of calibration errors and of metrics fitted to the rows:
it shows only about half of it."""

FEW_EVENTS = 5
"""With fewer events, such as wrong answers, an additional one may be at any place of the order."""

FEW_TO_FIT = 30
"""With fewer rows of a class, metrics fitted to them (such as those of the hull) get a warning, and
so do those that a single row can make as bad as it likes (Cllr, the Brier skill score)."""

FEW_FOR_JACKKNIFE = 100
"""With fewer rows of a class, the jackknife of such metrics misses outcomes that are too rare to be
among them. The interval then also covers the posterior's, which is hardly wider where both hold:
with 40 positives 4 standard deviations above the negatives, coverage of Cllr rises from 76 to
97 %."""

FEW_OF_RATIOS = 50
"""With fewer rows of the rarest class, an average of unbounded ratios over the classes depends on
the classes with the fewest errors."""

FEW_BEYOND = 3
"""With rows of fewer clusters beyond a threshold, the cluster bootstrap underestimates how far the
metric may vary there."""

FEW_TO_CALIBRATE = 100
"""With fewer rows or clusters, most of a calibration error is due to sampling noise."""

_HAIR = 1e-12
"""A standard error below this is rounding error of an exact zero."""

MOST_JACKKNIFED = 100
"""Largest number of matrix cells for the jackknife; with more, the bootstrap is no slower."""


class Bounds(NamedTuple):
    """Bounds (S,), an addition to the method's title, and why they may be too narrow.

    ``se`` (S,) are the standard errors on the metric's own scale; for a method that draws
    replicates, their standard deviation by default.
    """

    low: Any
    high: Any
    note: str = ""
    warning: str | None = None
    se: Any = None


@dataclass(frozen=True, slots=True)
class Method:
    """An interval method.

    ``refusal`` returns why it does not apply to a case, or None; ``bounds`` returns the bounds of
    all S values of a case. ``draw`` is the kind of replicates that it uses. ``otherwise`` are the
    fallback methods for zero-width intervals.
    """

    name: str
    title: str
    source: str
    refusal: Callable[[Case], str | None]
    bounds: Callable[[Case], Bounds]
    draw: Draw | None = None
    otherwise: tuple[str, ...] = ()
    within: bool = False
    """Whether it resamples within each class if class shares are fixed."""
    exact: bool = True
    """Whether weighted rows enter with their squared weights, not as an effective number."""
    clustered: str | None = None
    """The title with clustered rows, None if it does not apply to them."""

    def refuses(self, case: Case) -> str | None:
        """Return why the method does not apply to a case, or None."""
        if case.sample.clustered and self.clustered is None:
            return CLUSTERS
        if case.sample.clustered and case.sample.clusters == 1:
            return "all rows are of one cluster"
        reason = _unresolved(case) or self.refusal(case)
        if reason is None and self.draw is not None:
            reason = case.sample.cannot_draw(case.statistic, self.draw)
        return reason

    def bound(self, cases: Sequence[Case]) -> list[tuple[Bounds, str]]:
        """Return the bounds of all values of cases, with their method labels."""
        out = []
        with np.errstate(all="ignore"):
            for case in cases:
                bounds = self.bounds(case)
                if bounds.se is None and self.draw:
                    bounds = bounds._replace(se=moments(case.replicates)[1])
                out.append((bounds, self._label(case, bounds.note)))
        return out

    def _label(self, case: Case, note: str) -> str:
        """Return the method label of a value."""
        sample, title = case.sample, self.title
        if sample.clustered:
            title = self.clustered or title
        elif self.within and sample.sampler.stratified:
            first, comma, rest = title.partition(",")
            title = f"{first} within each class{comma}{rest}"
        if self.draw:
            first, comma, rest = title.partition(",")
            title = f"{first}, {sample.draws:,} draws{comma}{rest}"
        if sample.weighted and not sample.sampler.stratified:
            note += WEIGHTED if self.exact else KISH
        return title + note


# -- which cases each method applies to --------------------------------------------------------


def _unresolved(c: Case) -> str | None:
    """Return why the rows cannot show the target at which a metric is read, None if they can.

    With n rows of the class, no error still allows a rate up to 1 - (1 - level)^(1/n), and a target
    below 1/n allows no error. Source: clopper1934.
    """
    s, tally = c.statistic, getattr(c.sample, "tally", None)
    if s.metric._sampling.resolution is None or tally is None:
        return None
    of_class, rate = s.metric._sampling.resolution(**{**s.metric.params, **s.params})
    rows, squares = float(getattr(tally._score_counts, of_class)), tally._squared_score_counts
    if squares is not None and rows:
        rows = rows**2 / float(getattr(squares, of_class))
    if not rows or rows * rate >= 1 - _HAIR:
        return None
    kind = "false positive" if of_class == "negatives" else "false negative"
    bound = 1 - (1 - c.level) ** (1 / rows)
    return (
        f"{count(rows)} {of_class} are too few for a {kind} rate of {rate:g}; no error among them "
        f"shows one below {number(bound)}, with {percent(c.level, 0)} confidence"
    )


def _decided(c: Case) -> bool:
    return c.statistic.metric._needs in ("counts", "matrix")


def _proportion(c: Case) -> str | None:
    s = c.statistic
    if s.metric._sampling.of_proportion is not None and c.sample.one_column:
        return FIXED_SHARES if c.sample.sampler.stratified else _drawable(c)
    if s.metric._sampling.proportion is None:
        return "it is not a proportion of rows"
    if s.average not in ("overall", "binary"):
        return "an average over classes is not a proportion of rows"
    if c.sample.sampler.stratified and s.mixes_classes(c.sample.labels):
        return FIXED_SHARES
    return _drawable(c)


def _two_shares(c: Case) -> str | None:
    s = c.statistic
    if s.metric._sampling.two_shares is None:
        return "it is not a ratio of two proportions"
    if s.average not in ("overall", "binary"):
        return "an average over classes is not a ratio of two proportions"
    return _drawable(c)


def _area(c: Case) -> str | None:
    if c.statistic.metric._roc_area is None:
        return "it is not a ROC area"
    if not c.sample.one_column:
        return "it is an average of areas"
    if c.sample.clustered and np.isnan(c.sample.area.variance).any():
        return "a class occurs in fewer than two clusters"
    return None


def _drawable(c: Case) -> str | None:
    return c.refusal


def _unweighted(c: Case) -> str | None:
    if c.sample.sampler.stratified:
        return FIXED_SHARES
    return _jackknifed(c) or ("rows have weights" if c.sample.weighted else None)


def _smooth(c: Case) -> str | None:
    if not isinstance(c.sample, Matrices):
        return "it is not computed from decisions"
    if c.sample.sampler.stratified:
        return FIXED_SHARES
    if not c.statistic.metric._sampling.smooth:
        return "it has kinks, where no derivative exists"
    if c.statistic.average in ("macro", "weighted"):
        return None
    classes = len(c.sample.labels)
    if classes <= MOST_CLASSES:
        return None
    return f"{classes:,} classes make {classes**2:,} cells, too many for derivatives"


def _mean(c: Case) -> str | None:
    if c.statistic.average == "samples":
        return None
    m = c.statistic.metric
    loss = m._sampling.row_loss is not None and not c.statistic.params and not c.sample.one_column
    errors = c.sample.errors if loss or m._needs == "rows" else None
    if errors is not None and (
        m._sampling.row_loss is None or m._sampling.row_loss.name in errors.names
    ):
        return None
    return "it is not a mean over rows whose sums were kept"


def _bounded_mean(c: Case) -> str | None:
    return _mean(c) or (
        None if np.isfinite(c.range).all() else "it has no least or no greatest value"
    )


def _mean_of_rows(c: Case) -> str | None:
    kept = c.sample.influences(c.statistic) is not None
    return _mean(c) or (None if kept else "the rows were not kept side by side")


def _placed(c: Case) -> str | None:
    if c.statistic.metric._sampling.placements is None or not isinstance(c.sample, Column):
        return "it is not a mean of the ranks of one class"
    return _drawable(c)


def _ordered(c: Case) -> str | None:
    if c.statistic.metric._sampling.ordered_mean is None or not isinstance(c.sample, Column):
        return "it is not a mean over rows that their order weights"
    return _drawable(c)


def _jackknifed(c: Case) -> str | None:
    if isinstance(c.sample, Matrices) and isinstance(c.sample.counts, OccupiedCells):
        classes = len(c.sample.labels)
        return f"{classes:,} classes make {classes**2:,} cells, too many for a jackknife"
    several = isinstance(c.sample, Columns) and not _decided(c)
    return (_average(c) if several else None) or _drawable(c)


def _pairs(c: Case) -> str | None:
    paired = isinstance(c.sample, Columns) and over_pairs(c.statistic)
    return None if paired else "it is not a mean over pairs"


def _average(c: Case) -> str | None:
    if not isinstance(c.sample, Columns) or _decided(c):
        return "it is not an average over columns of scores"
    if c.statistic.metric._needs == "probabilities" and c.sample.judged_together:
        return "the columns of a row were counted separately"
    if as_average(c.statistic).average not in c.sample.averages:
        return "a ranking of all classes together repeats every row"
    return None


def _apart_by_class(c: Case) -> str | None:
    if c.statistic.average == "micro":
        return "it is not a mean over classes"
    return _average(c) or ("it is a mean over pairs" if over_pairs(c.statistic) else None)


# -- bounds ------------------------------------------------------------------------------------


def _of_proportion(c: Case, hit: Any, n: Any, low: Any, high: Any) -> Bounds:
    of = c.statistic.metric._sampling.of_proportion
    if of is None:
        return Bounds(low, high, se=np.sqrt(hit * (n - hit) / n) / n)
    return Bounds(*of.image(low, high), ", of its proportion", se=c.standard_error.error)


def _wilson(c: Case) -> Bounds:
    hit, n = c.sample.proportion(c.statistic)
    z: Any = quantile(c.level)
    if c.sample.weighted and not c.sample.clustered:
        # The effective number of rows is an estimate, and a poor one if it is small.
        z = np.where(n < FEW_WEIGHTED, critical_value(c.level, np.maximum(n - 1, 1.0)), z)
    return _of_proportion(c, hit, n, *wilson(hit, n, z))


def _score(c: Case) -> Bounds:
    """Return the skewness-corrected score interval, mapped from the ratio to the metric."""
    s = c.statistic
    of = s.metric._sampling.two_shares
    assert of is not None
    ends = c.sample.score_bounds(s, c.level)
    low, high = np.sort([s.metric._at_parameters(of.value, end, s.params) for end in ends], 0)
    return Bounds(low, high, se=c.standard_error.error)


def beta_interval(hit: Any, n: Any, level: float, prior: float = 0.0) -> tuple[Floats, Floats]:
    """Return Clopper and Pearson's interval of proportions; with a prior of 0.5, Jeffreys'.

    >>> [round(float(bound), 4) for bound in beta_interval(8, 10, 0.95)]
    [0.4439, 0.9748]
    """
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    # At 0 or n hits, the bound is the end itself, so that it is included (Brown, Cai, DasGupta).
    low = np.where(hit <= 0, 0.0, betaincinv(hit + prior, n - hit + 1 - prior, tail))
    high = np.where(hit >= n, 1.0, betaincinv(hit + 1 - prior, n - hit + prior, 1 - tail))
    return low, high


def _beta(c: Case, prior: float = 0.0) -> Bounds:
    hit, n = c.sample.proportion(c.statistic)
    return _of_proportion(c, hit, n, *beta_interval(hit, n, c.level, prior))


def _agresti_coull(c: Case) -> Bounds:
    hit, n = c.sample.proportion(c.statistic)
    more = n + c.z**2
    p = (hit + c.z**2 / 2) / more
    half = c.z * np.sqrt(p * (1 - p) / more)
    return _of_proportion(c, hit, n, p - half, p + half)


def _delta(c: Case) -> Bounds:
    m = c.sample
    squares = [None] * len(m.counts) if m.squares is None else m.squares
    tallies = [LabelTally(m.labels, *each) for each in zip(m.counts, squares, strict=True)]
    errors = np.array([delta_error(c.statistic, t) for t in tallies])
    return Bounds(*scaled(c.values, errors, c.z, c.range), se=errors)


def delta_error(s: Statistic, t: LabelTally) -> float:
    """Return the standard error by the delta method, with exact derivatives.

    For multinomial counts, the variance is Σ n_c g_c² - (Σ n_c g_c)² / n, with g the gradient by
    complex step; for weighted rows Σ w² replaces the counts.
    """
    g, counts = s.gradient(t.counts, t.labels), t.counts
    second = counts if t.sum_squared_weights is None else t.sum_squared_weights
    if isinstance(counts, OccupiedCells):
        assert isinstance(second, OccupiedCells)
        counts, second = counts.values, second.values
    # Scaling all counts equally is not a source of uncertainty, so project it out.
    along = float((counts * g).sum()) / float(counts.sum())
    return math.sqrt(float((second * (g - along) ** 2).sum()))


def _jackknife(c: Case) -> Bounds:
    s = c.statistic
    low, high, critical = c.normal
    error, freedom, _ = c.standard_error
    note, warning = "", None
    if isinstance(c.sample, Matrices) or _decided(c) or not low[0] < high[0]:
        return Bounds(low, high, se=error)
    if isinstance(c.sample, Columns):
        few = freedom[0] < FEW_FREEDOMS and not c.sample.clustered
        return Bounds(low, high, warning=FEW_CARRY if few else None, se=error)
    if s.metric._sampling.error in ("optimistic", "fitted", "null_at_zero"):
        bias = c.sample.bias(s, c.jackknife)
        if s.metric._sampling.error in NULLS:
            bias *= HIDDEN_BIAS
        low, high = _widened(low, high, c.values, bias, critical * error)
        note = BIAS
    low, high = _to_null(c, low, high)
    if s.metric._sampling.never_below is not None and c.sample.one_column:
        area = replace(s, metric=get(s.metric._sampling.never_below))
        low = np.fmin(low, _delong_beta(Case(area, c.sample.area.value, c.sample, c.level)).low)
    if c.sample.clustered:
        return Bounds(low, high, note, se=error)
    if freedom[0] < FEW_FREEDOMS or _rows_to_fit(c) < FEW_FOR_JACKKNIFE:
        warning = FEW_CARRY if freedom[0] < FEW_FREEDOMS else None
        # The posterior allows for outcomes that a few rows do not show.
        posterior = percentile_bounds(c.sample.replicates([c], "posterior")[0], c.level)
        if np.isfinite(posterior).all():
            low, high = np.minimum(low, posterior[0]), np.maximum(high, posterior[1])
            note += " and Dirichlet posterior"
    return Bounds(low, high, note, warning, error)


def _student_factor(c: Case, freedom: Any, most: Any) -> Any:
    """Return the factor by which to inflate the variance of a beta posterior of clusters.

    A posterior allows for clusters of equal size, of which the error has ``most`` degrees of
    freedom. With fewer, it is as much wider as Student's t. 1 for independent rows.
    """
    if not c.sample.clustered:
        return 1.0
    fewer = np.minimum(freedom, most)
    return (critical_value(c.level, fewer) / critical_value(c.level, most)) ** 2


def _widened(
    low: Floats, high: Floats, values: Floats, bias: Any, half: Any
) -> tuple[Floats, Floats]:
    """Return bounds widened to also cover the normal interval of the bias-corrected value.

    The bias estimate of an optimistic metric is rough, so cover both intervals.
    """
    return np.fmin(low, values - bias - half), np.fmax(high, values - bias + half)


def _to_null(c: Case, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return bounds that reach the null value where chance alone often gives such a value."""
    s = c.statistic
    if s.metric._sampling.error not in NULLS:
        return low, high
    if not c.sample.is_null(s, float(c.values[0]), c.level):
        return low, high
    end = null_end(s)
    null = np.full(1, float(c.range[end]))
    return (low, null) if end else (null, high)


def _percentile(c: Case) -> Bounds:
    low, high = percentile_bounds(c.replicates, c.sample.percentile_level(c.statistic, c.level))
    if c.statistic.metric._sampling.error != "optimistic" or not _decided(c):
        return Bounds(low, high)
    mean, error = moments(c.replicates)
    return Bounds(*_widened(low, high, c.values, mean - c.values, c.z * error), BIAS)


def _basic(c: Case) -> Bounds:
    low, high = percentile_bounds(c.replicates, c.level)
    return Bounds(2 * c.values - high, 2 * c.values - low)


def _bca(c: Case) -> Bounds:
    from scipy.special import ndtr, ndtri

    replicates, values = np.sort(c.replicates, -1), c.values[:, None]  # NaN last
    n = np.maximum((~np.isnan(replicates)).sum(-1), 1)
    slack = 1e-12 * np.maximum(1.0, np.abs(values))
    ties = (np.abs(replicates - values) <= slack).sum(-1)
    below = (replicates < values - slack).sum(-1) + ties / 2
    bias = ndtri(np.clip(below / n, 0.5 / n, 1 - 0.5 / n))
    acceleration, bounds = np.atleast_1d(c.jackknife.standard_error.acceleration), []
    for tail in ((1 - c.level) / 2, (1 + c.level) / 2):
        moved = bias + ndtri(tail)
        share = ndtr(bias + moved / np.maximum(1 - acceleration * moved, 1e-3))
        place = np.minimum((share * n).astype(np.intp), n - 1)
        bound = np.take_along_axis(replicates, place[:, None], -1)[:, 0]
        bounds.append(np.where(2 * n < replicates.shape[-1], np.nan, bound))
    return Bounds(bounds[0], bounds[1])


def _bootstrap_errors(c: Case) -> Bounds:
    mean, error = moments(c.replicates)
    error = error * math.sqrt(1 + 1 / c.degrees_of_freedom)
    low, high = scaled(c.values, error, c.z, c.range)
    if c.statistic.metric._sampling.error == "smooth":
        return Bounds(low, high, se=error)
    half = np.where(low < high, c.z * error, np.nan)
    warning = None
    if c.sample.clustered and c.statistic.metric._sampling.error == "null_at_zero":
        warning = OF_CHANCE if c.sample.clusters < FEW_TO_CALIBRATE else None
    low, high = _widened(low, high, c.values, mean - c.values, half)
    return Bounds(*_to_null(c, low, high), BIAS, warning, error)


def _of_area(c: Case, low: Any, high: Any, error: Any) -> Bounds:
    of = c.statistic.metric._roc_area
    assert of is not None
    return Bounds(of(low), of(high), se=abs(of.slope) * error)


def _delong(c: Case) -> Bounds:
    a = c.sample.area
    error = np.sqrt(a.variance)
    return _of_area(c, a.value - c.z * error, a.value + c.z * error, error)


def _delong_logit(c: Case) -> Bounds:
    a = c.sample.area
    critical = critical_value(c.level, a.degrees_of_freedom)
    error = np.sqrt(a.variance)
    return _of_area(c, *scaled(a.value, error, critical, (0, 1)), error)


def _delong_beta(c: Case) -> Bounds:
    a = c.sample.area
    most = np.minimum(a.positives, a.negatives) - 1
    variance = a.variance * _student_factor(c, a.degrees_of_freedom, most)
    posterior = area_posterior(a.value, variance, a.positives, a.negatives)
    return _of_area(c, *_beta_about(a.value, posterior, c.level), np.sqrt(a.variance))


def _beta_about(
    values: Any, posterior: tuple[Any, Any], level: float, extent: tuple[float, float] = (0.0, 1.0)
) -> tuple[Floats, Floats]:
    """Return bounds from a posterior's mean and variance on the 0 to 1 scale of the range.

    They are widened to include the value, e.g. at an end of the range.
    """
    low, high = (extent[0] + (extent[1] - extent[0]) * b for b in matched_beta(*posterior, level))
    return np.minimum(low, values), np.maximum(high, values)


def _jackknife_beta(c: Case) -> Bounds:
    """Return bounds as for an area, with one extra row placed uniformly in the range."""
    (least, most), error, s = c.range, c.standard_error.error, c.statistic
    assert s.metric._sampling.placements is not None
    shares = np.clip((c.values - least) / (most - least), 0.0, 1.0)
    variance, a = (error / (most - least)) ** 2, c.sample.area
    placed = s.metric._sampling.placements(**{**s.metric.params, **s.params})
    posterior = area_posterior(shares, variance, a.positives, a.negatives, placed)
    return Bounds(*_beta_about(c.values, posterior, c.level, c.range), se=error)


def _jackknife_row(c: Case) -> Bounds:
    """Return the union of the jackknife interval and that of a posterior with one additional row.

    The posterior is the beta distribution with the mean and the variance of the metric with one
    more row of average weight. With fewer than :data:`FEW_EVENTS` events, and for an excess over
    the best order, that row is at any place of the order: an event at the place of most weight may
    be one of those that these rows do not show.
    """
    of, (least, most), error = c.statistic.metric._sampling.ordered_mean, c.range, c.standard_error
    assert of is not None
    n, width = float((c.sample.area.positives + c.sample.area.negatives)[0]), most - least
    r = c.sample.tally._score_counts
    events = float(c.statistic.metric._at_parameters(of.events, r, c.statistic.params))
    mean, square = 0.5 / (n + 1), 0.5 / (n + 1) ** 2
    if of.excess or events < FEW_EVENTS:
        mean, square = (v / width**power for power, v in enumerate(of.one_more(n + 1), 1))
    low, high = scaled(c.values, error.error, critical_value(c.level, n - 1), c.range)
    moved = (c.values - least) / width * n / (n + 1) + mean
    variance = (error.error / width) ** 2 * (n - 1) / (n + 1) + square - mean**2
    ends = _beta_about(c.values, (moved, variance), c.level, c.range)
    few = f"only {many(round(events), of.event)}" if events < max(of.few, FEW_EVENTS) else None
    return Bounds(np.fmin(low, ends[0]), np.fmax(high, ends[1]), warning=few, se=error.error)


def _hanley_mcneil(c: Case) -> Bounds:
    a = c.sample.area
    error = np.sqrt(hanley_mcneil(a.value, a.positives, a.negatives))
    return _of_area(c, a.value - c.z * error, a.value + c.z * error, error)


def _newcombe(c: Case) -> Bounds:
    a = c.sample.area
    error = np.sqrt(newcombe_variance(a.value, a.positives, a.negatives))
    return _of_area(c, *newcombe(a.value, a.positives, a.negatives, c.z), error)


def _of_mean(
    c: Case, between: Callable[[Any, float, tuple[float, float]], tuple[Any, Any]]
) -> Bounds:
    """Return bounds of a metric that is linear in a mean over rows, or its root.

    ``between`` returns the bounds of the mean from its standard error and the range of the losses.
    """
    m = c.statistic.metric
    outer = None if m._sampling.row_loss is None else m._sampling.row_loss.outer
    if c.statistic.average == "samples":
        error = c.sample.of_rows(c.statistic)[1].average(m.name)
    elif m._sampling.row_loss is None:
        error = error_of_sums(c.statistic, c.sample.errors)
    else:
        error = c.sample.errors.average(m._sampling.row_loss.name)
    if outer is None:
        return Bounds(*between(c.values, error, c.range), se=error)
    low, high = between(c.values**2, error, (c.range[0] ** 2, c.range[1] ** 2))
    # The standard error of the root is by the delta method.
    return Bounds(outer(np.maximum(low, 0.0)), outer(high), se=error / (2 * c.values))


def _mean_t(c: Case) -> Bounds:
    freedom = max(min(c.sample.effective_rows - 1, c.degrees_of_freedom), 1.0)
    t = critical_value(c.level, freedom)
    return _of_mean(c, lambda mean, error, _: (mean - t * error, mean + t * error))


def _mean_skew(c: Case) -> Bounds:
    """Return the bounds from the influence of each row or cluster: see :class:`.Influence`."""
    facts = _influence(c)
    if facts is None:  # all losses are equal
        return Bounds(c.values, c.values)
    low, high = facts.cautious.bounds(float(c.values[0]), c.level)
    return Bounds(np.full(1, low), np.full(1, high), se=np.full(1, math.sqrt(facts.variance)))


def _influence(c: Case) -> Influence | None:
    parts = c.sample.influences(c.statistic)
    return None if parts is None else Influence.of(parts, c.degrees_of_freedom)


def _mean_beta(c: Case) -> Bounds:
    """Return bounds of a mean over rows, with one extra row placed uniformly in the range."""
    n = c.sample.effective_rows

    def between(mean: Any, error: float, extent: tuple[float, float]) -> tuple[Any, Any]:
        width = extent[1] - extent[0]
        share = np.clip((mean - extent[0]) / width, 0.0, 1.0)
        moved, added = one_by_chance(share, n)
        variance = (error / width) ** 2 * _student_factor(c, c.degrees_of_freedom, n - 1)
        posterior = share + moved, variance * (n - 1) / (n + 1) + added
        return _beta_about(mean, posterior, c.level, extent)

    return _of_mean(c, between)


def error_of_sums(s: Statistic, errors: Sums) -> float:
    """Return the standard error of a metric that is linear in the means over rows.

    NaN if no mean changes it, e.g. top-k accuracy with k classes.
    """
    params = {**s.metric.params, **s.params}
    ones = errors._of_averages(errors.names, [1.0] * len(errors.names), errors.rows)
    fixed, moved, every = (
        float(s.metric._function(sums, **params)) for sums in (errors._scaled(0.0), errors, ones)
    )
    return moved - fixed if every != fixed else math.nan


def _hand_till(c: Case) -> Bounds:
    error = hand_till_error(c.sample.tallies)
    low, high = c.values - c.z * error, c.values + c.z * error
    return Bounds(low, high, warning=_apart(c), se=error)


def _apart(c: Case) -> str | None:
    return APART if c.sample.rows is None else None


def _conservative(c: Case) -> Bounds:
    s, columns = as_average(c.statistic), c.sample
    support, errors = np.array(columns.support(s)), columns.of_each_class(s, "error")
    weights = np.ones_like(support) if s.average == "macro" else support
    error = float((weights * errors).sum() / weights.sum())
    low, high = scaled(c.values, error, c.z, s.metric.range_of(**s.params))
    if s.metric._sampling.error in NULLS:
        low, high = _widened(low, high, c.values, columns.bias(c.statistic, None), c.z * error)
        low, high = _to_null(c, low, high)
    return Bounds(low, high, warning=_apart(c), se=error)


# -- the table ---------------------------------------------------------------------------------

_CONSERVATIVE = ", classes taken as fully correlated (conservative)"
_LIST = (
    Method(
        "wilson",
        "Wilson",
        "wilson1927",
        _proportion,
        _wilson,
        clustered="Wilson, a cluster as one row (conservative)",
    ),
    Method(
        "score",
        TITLE,
        "laud2017",
        _two_shares,
        _score,
        exact=False,
    ),
    Method("clopper-pearson", "Clopper-Pearson", "clopper1934", _proportion, _beta),
    Method("jeffreys", "Jeffreys", "brown2001", _proportion, partial(_beta, prior=0.5)),
    Method("agresti-coull", "Agresti-Coull", "agresti1998", _proportion, _agresti_coull),
    Method("delta", "delta method", "oehlert1992", _smooth, _delta),
    Method("delong", "DeLong", "delong1988", _area, _delong),
    Method(
        "delong-logit",
        "DeLong, logit scale, Student's t",
        "delong1988",
        _area,
        _delong_logit,
        clustered="Obuchowski, clusters, logit scale",
    ),
    Method(
        "delong-beta",
        "DeLong, beta posterior",
        "rubin1981",
        _area,
        _delong_beta,
        clustered="Obuchowski, clusters, beta posterior",
    ),
    Method("hanley-mcneil", "Hanley-McNeil", "hanley1982", _area, _hanley_mcneil, exact=False),
    Method(
        "newcombe",
        "Newcombe, score interval",
        "newcombe2006",
        _area,
        _newcombe,
        exact=False,
        clustered="Newcombe, score interval, a cluster as one row (conservative)",
    ),
    Method(
        "jackknife",
        "jackknife, Student's t",
        "efron1993",
        _jackknifed,
        _jackknife,
        otherwise=("posterior", "percentile"),
        within=True,
        clustered="jackknife of clusters, Student's t",
    ),
    Method(
        "jackknife-beta",
        "jackknife, beta posterior",
        "rubin1981",
        _placed,
        _jackknife_beta,
        otherwise=("posterior",),
        within=True,
    ),
    Method(
        "jackknife-row",
        "jackknife and beta posterior, one more row",
        "rubin1981",
        _ordered,
        _jackknife_row,
        within=True,
    ),
    Method(
        "percentile",
        "percentile bootstrap",
        "efron1993",
        _drawable,
        _percentile,
        "bootstrap",
        ("posterior", "wilson"),
        within=True,
        clustered="cluster bootstrap",
    ),
    Method("basic", "basic bootstrap", "efron1993", _drawable, _basic, "bootstrap", within=True),
    Method("bca", "BCa bootstrap", "efron1987", _unweighted, _bca, "bootstrap"),
    Method(
        "bayesian",
        "Bayesian bootstrap",
        "rubin1981",
        _drawable,
        _percentile,
        "bayesian",
        within=True,
    ),
    Method(
        "stratified",
        "percentile bootstrap within each class",
        "efron1993",
        _drawable,
        _percentile,
        "stratified",
        exact=False,
    ),
    Method(
        "posterior",
        "Dirichlet posterior",
        "brown2001",
        _drawable,
        _percentile,
        "posterior",
        within=True,
    ),
    Method(
        "bootstrap-errors",
        "bootstrap errors",
        "efron1993",
        _drawable,
        _bootstrap_errors,
        "bootstrap",
        ("percentile",),
        clustered="cluster bootstrap errors, Student's t",
    ),
    Method(
        "mean-skew",
        "mean over rows, Student's t with skewness",
        "johnson1978",
        _mean_of_rows,
        _mean_skew,
        within=True,
        clustered="mean over rows, of clusters, Student's t with skewness",
    ),
    Method(
        "mean-t",
        "mean over rows, Student's t",
        "efron1993",
        _mean,
        _mean_t,
        within=True,
        clustered="mean over rows, of clusters, Student's t",
    ),
    Method(
        "mean-beta",
        "mean over rows, beta posterior",
        "rubin1981",
        _bounded_mean,
        _mean_beta,
        within=True,
        clustered="mean over rows, of clusters, beta posterior",
    ),
    Method(
        "pairs",
        "DeLong's standard errors of the pairs" + _CONSERVATIVE,
        "delong1988",
        _pairs,
        _hand_till,
    ),
    Method(
        "average",
        "per-class standard errors" + _CONSERVATIVE,
        "efron1993",
        _apart_by_class,
        _conservative,
    ),
)

METHODS: dict[str, Method] = {m.name: m for m in _LIST}
"""All methods by name; you may add your own."""


def choose(cases: Sequence[Case]) -> list[NDArray[np.str_]]:
    """Return for each case the name of the method for each of its S values.

    A proportion of decisions gets Wilson's interval, and a ratio or odds ratio of two proportions,
    such as a likelihood ratio, the score interval. A smooth score with a bounded range gets the
    jackknife interval on the scale of its range with Student's t, unless one of the four counts
    behind it is zero, or its error has less than five degrees of freedom because a few rows
    dominate it; then it gets percentiles of the Dirichlet posterior of the cells. Any other metric
    of decisions gets bootstrap percentiles, or posterior percentiles if a count is zero. With more
    than 100 classes, averages over classes get the delta method, and a user's own function of the
    matrix no interval by default. With clusters, proportions get the delete-one-cluster jackknife
    too; metrics without one are resampled by whole clusters.

    The ROC area gets a beta posterior with DeLong's variance, or Newcombe's score interval if a
    class has a single row; a partial area gets a beta posterior with the jackknife variance. A mean
    over rows that are weighted by their order gets the jackknife and such a posterior together. A
    mean over rows gets a beta posterior. If losses are unbounded, it gets Student's t interval with
    their skewness, or without it if the rows were not kept. A function of a proportion gets the
    transformed Wilson interval. A metric read at a threshold gets posterior percentiles (none
    where the rows are too few for its target), one that the top-ranked rows decide gets bootstrap
    percentiles, and any other metric of scores the jackknife. Averages over classes get it too, row
    by row, if paired rows were kept. Otherwise, and for averages that are read at a threshold,
    fitted or too biased (:data:`MOST_BIAS`), classes are assumed fully correlated.
    """
    return [_chosen(case) for case in cases]


def refusals(name: str, cases: Sequence[Case]) -> list[str | None]:
    """Return for each case why a method does not apply, None if it does."""
    return [METHODS[name].refuses(case) for case in cases]


def _chosen(case: Case) -> NDArray[np.str_]:
    s, sample, size = case.statistic, case.sample, len(case.values)
    if isinstance(sample, Matrices):
        return _choose_for_matrices(case, sample)
    if _decided(case) and s.average != "samples":
        smooth = _is_smooth_score(case) or _proportion(case) is None
        name = "jackknife" if smooth else "percentile"
    elif s.metric._roc_area is not None and sample.one_column:
        a: Area = sample.area
        return np.where(np.isnan(a.variance), "newcombe", "delong-beta")
    elif _mean(case) is None:
        name = _choose_for_mean(case)
    elif isinstance(sample, Columns):
        name = _choose_for_columns(case)
    elif _proportion(case) is None:
        name = "wilson"
    elif sample.clustered:
        other = {"quantile": "percentile", "extreme": "percentile"}
        other["null_at_zero"] = "bootstrap-errors"
        name = other.get(s.metric._sampling.error, "jackknife")
    elif _placed(case) is None:
        name = "jackknife-beta"
    elif _ordered(case) is None:
        name = "jackknife-row"
    else:
        by_error = {"quantile": "posterior", "extreme": "percentile"}
        name = by_error.get(s.metric._sampling.error, "jackknife")
    return np.full(size, name)


def _is_smooth_score(case: Case) -> bool:
    """Return whether a metric of decisions is a smooth score with a bounded range.

    If neither end is better, the metric may not be monotonic within its range, so it is not one.
    """
    m = case.statistic.metric
    smooth = m._sampling.smooth and m._sampling.error == "smooth" and m.better != "neither"
    return smooth and bool(np.isfinite(case.range).all())


def _choose_for_mean(case: Case) -> str:
    if _bounded_mean(case) is None:
        return "mean-beta"
    return "mean-skew" if _mean_of_rows(case) is None else "mean-t"


def _choose_for_columns(case: Case) -> str:
    s = case.statistic
    if _jackknifed(case) is None and s.metric._sampling.error in ("smooth", "optimistic"):
        error, smooth = float(case.standard_error.error[0]), s.metric._sampling.error == "smooth"
        most = MOST_BIAS * error
        if error > _HAIR and (smooth or abs(case.sample.bias(s, case.jackknife)) <= most):
            return "jackknife"
    if _average(case) is not None and _drawable(case) is None:
        return "bootstrap-errors"
    return "pairs" if _pairs(case) is None else "average"


def _choose_for_matrices(case: Case, sample: Matrices) -> NDArray[np.str_]:
    s = case.statistic
    if _proportion(case) is None:
        return np.full(len(case.values), "wilson")
    if _two_shares(case) is None:
        return np.full(len(case.values), "score")
    first: Any = "percentile"
    if _is_smooth_score(case) and len(sample.labels) ** 2 <= MOST_JACKKNIFED:
        freedom = case.standard_error.degrees_of_freedom
        with np.errstate(invalid="ignore"):
            first = np.where(freedom >= FEW_FREEDOMS, "jackknife", "posterior")
    elif len(sample.labels) > MOST_CLASSES and _is_smooth_score(case) and _smooth(case) is None:
        first = "delta"
    of_four = s.average in ("overall", "binary")
    return np.where(of_four & sample.has_empty_cell, "posterior", first)


def source_of(label: str | None) -> str | None:
    """Return the source of the method that made an interval, by the label of its value.

    >>> source_of("DeLong, beta posterior"), source_of("basic bootstrap, 1,000 draws")
    ('rubin1981', 'efron1993')
    """
    named = [(t, m.source) for m in METHODS.values() for t in (m.title, m.clustered) if t]
    fits = [(t, source) for t, source in named if label and _begins(label, t)]
    return max(fits, key=lambda fit: len(fit[0]), default=(None, None))[1]


def _begins(label: str, title: str) -> bool:
    first, _, rest = title.partition(",")
    return label.startswith(first) and rest in label


# -- warnings about intervals --------------------------------------------------------------------


def warnings_of(
    cases: Sequence[Case], of_methods: Sequence[str | None]
) -> list[Sequence[str | None]]:
    """Return a warning for each of the S intervals of every case, None if there is none.

    ``of_methods`` are the warnings from the method of each case.
    """
    out = []
    for case, of_method in zip(cases, of_methods, strict=True):
        first = _of_order(case) or of_method
        out.append([first] * len(case.values) if first else _of_few_rows(case))
    return out


def _of_order(case: Case) -> str | None:
    """Return the warning that errors depend on a class order that was not given, else None."""
    labels = getattr(case.sample, "labels", ())
    by_distance = isinstance(dict(case.statistic.params).get("weights"), str)
    if not by_distance or not is_alphabetical(labels):
        return None
    return (
        f"the order of the classes is alphabetical ({listed(labels)}); if theirs is another one, "
        "give it with classes=[...]"
    )


def _of_few_rows(case: Case) -> Sequence[str | None]:
    """Return why each of S intervals may be too narrow, None if no rule applies.

    The rules use the tally and the metric's declaration, and apply to every method.
    """
    metric, sample = case.statistic.metric, case.sample
    silent = [None] * len(case.values)
    if isinstance(sample, Matrices):
        pooled = len(sample.labels) == 2 or case.statistic.average in ("binary", "micro")
        if pooled and metric._sampling.error != "optimistic":
            return silent
        if metric._sampling.proportion is not None and case.statistic.average == "overall":
            return silent
        rows = sample.counts.sum(-1)
        if sample.squares is not None:
            with np.errstate(invalid="ignore"):
                rows = rows**2 / sample.squares.sum(-1)
        fewest = np.where(rows > 0, rows, np.inf).min(-1)
        return [_of_rarest(n, few=_few_of_average(case)) for n in fewest.tolist()]
    if sample.clustered and (few := _of_few_clusters(case)) is not None:
        return [few]
    if not sample.clustered and metric._sampling.row_loss and not np.isfinite(case.range).all():
        return [FEW_CARRY if f < FEW_LARGE_LOSSES else None for f in _freedom_of_loss(case)]
    if isinstance(sample, Column):
        area, fewest = sample.area, _rows_to_fit(case)
        total = float((area.positives + area.negatives)[0])
        if fewest < FEW_TO_FIT:
            fitted = metric._sampling.error == "fitted"
            how = "it is fitted to these rows" if fitted else "single rows can weigh heavily"
            return [f"{how}, only {fewest:.3g} of them of the smaller class"]
        if metric._sampling.error == "null_at_zero" and total < FEW_TO_CALIBRATE:
            return [f"it varies much by chance with only {total:.3g} rows"]
    if isinstance(sample, Columns) and metric._needs not in ("rows", "probabilities"):
        return [_of_rarest(sample.rows_of_rarest(case.statistic), sample.part)]
    return silent


def _rows_to_fit(case: Case) -> float:
    """Return the rows of the smaller class if the metric is unreliable with few, else infinity.

    That is so if it is fitted to the rows, or is unbounded on its worse side and only there.
    """
    metric, sample = case.statistic.metric, case.sample
    if not isinstance(sample, Column) or metric.better == "neither" or metric._sampling.row_loss:
        return math.inf
    best, worst = metric.range if metric.better == "low" else metric.range[::-1]
    unbounded = metric._sampling.error == "smooth" and math.isinf(worst) and math.isfinite(best)
    if not unbounded and metric._sampling.error != "fitted":
        return math.inf
    return float(np.minimum(sample.area.positives, sample.area.negatives)[0])


def _few_of_average(case: Case) -> int:
    """Return the rows of the rarest class below which a metric of a matrix gets a warning."""
    if len(case.sample.labels) == 2:
        return 2 * FEW_OF_A_CLASS
    return FEW_OF_A_CLASS if np.isfinite(case.range).all() else FEW_OF_RATIOS


def _of_few_clusters(case: Case) -> str | None:
    """Return why an interval of clusters may be too narrow, None if no rule applies."""
    s, sample = case.statistic, case.sample
    few: str | None = sample.few_clusters(s)
    if few is not None:
        return few
    of_rarest, clusters = sample.of_rarest, sample.clusters
    if of_rarest < min(FEW_OF_A_CLASS, clusters / 2):
        part = getattr(sample, "part", "class")
        hold = "holds" if of_rarest == 1 else "hold"
        return f"only {of_rarest} of {clusters:,} clusters {hold} rows of the rarest {part}"
    if s.metric._sampling.error == "quantile" and sample.clusters_beyond(s) < FEW_BEYOND:
        return f"rows of fewer than {FEW_BEYOND} clusters lie beyond the threshold it is read at"
    return None


def _freedom_of_loss(case: Case) -> Sequence[float]:
    """Return Satterthwaite's degrees of freedom of S mean losses; without rows, their number."""
    if not isinstance(case.sample, Columns):
        return list(map(float, case.standard_error.degrees_of_freedom))
    facts = _influence(case)
    return [case.sample.effective_rows - 1 if facts is None else facts.effective]


def _of_rarest(rows: float, part: str = "class", few: int = FEW_OF_A_CLASS) -> str | None:
    if rows >= few:
        return None
    return f"only {rows:.3g} row{' is' if rows == 1 else 's are'} of the rarest {part}"
