"""Operating points: the optimal threshold with its optimism, and metrics at many thresholds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.data.models import Model
from tallymark.display import Display
from tallymark.errors import InputError
from tallymark.infer.clustered import Clustered
from tallymark.infer.intervals import interval
from tallymark.infer.sampler import Sampler
from tallymark.infer.tallies import Tallies, thresholds_of
from tallymark.metric import Metric, get
from tallymark.metric.measure import Statistic
from tallymark.tally.arrays import Floats
from tallymark.tally.labels import Counts
from tallymark.tally.score_counts import search
from tallymark.tally.scores import ScoreCounts, ScoreTally

CHOICE_DRAWS = 400
REPORT_DRAWS = 120
"""So many draws tell the optimism of the thresholds that a report names."""

CHOSEN: Mapping[str, tuple[str, Mapping[str, float]]] = {
    "highest Youden's J": ("youden_j", {}),
    "highest F1": ("f1", {}),
    "highest MCC": ("matthews_corrcoef", {}),
    "most found with at most 5 % false alarms": ("sensitivity", {"false_positive_rate": 0.05}),
}
"""The thresholds that a report names: what each is best at, and within which limits."""

_SLACK = 8 * np.finfo(np.float64).eps


@dataclass(frozen=True, slots=True, repr=False)
class Corrected(Display):
    """A number on the rows that chose the threshold, and what to expect of it on new ones.

    ``optimism`` is how much higher, on average over bootstrap samples, the number is on the rows
    that chose than on all rows, below 0 where low is good; ``corrected`` is the number without it.
    NaN where samples make the number infinite.
    """

    metric: str
    value: float
    optimism: float

    @property
    def corrected(self) -> float:
        """Return the number to expect on new rows, within the metric's range."""
        low, high = get(self.metric).range
        if math.isnan(self.optimism):
            return math.nan
        return min(max(self.value - self.optimism, low), high)


@dataclass(frozen=True, slots=True, repr=False)
class OptimalThreshold(Display):
    """A threshold chosen on these rows.

    ``thresholds`` are all that are equally good, falling; ``threshold`` is the first of them that
    calls some row positive. ``limits`` are the rates that were to be kept. NaN and no threshold
    where nothing keeps the limits or the metric is undefined everywhere.
    """

    threshold: float
    thresholds: Floats
    best: Corrected
    limits: tuple[Corrected, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    draws: int = CHOICE_DRAWS


def optimal_threshold(
    tally: ScoreTally,
    metric: str | Metric = "youden_j",
    *,
    within: Mapping[str, float] | None = None,
    draws: int = CHOICE_DRAWS,
    seed: int = 0,
    stratified: bool = False,
    clustered: Clustered | None = None,
    **params: Any,
) -> OptimalThreshold:
    """Return the threshold at which a metric of the decisions is best, and its optimism.

    Parameters
    ----------
    tally : ScoreTally
        Of two classes.
    metric : str
        Any metric of decisions; ``expected_cost`` with its costs and prevalence finds the
        cheapest threshold.
    within : {metric: number}, optional
        Rates to keep: at most so much of one of which low is good, at least so much of one of
        which high is good. ``"sensitivity", within={"fpr": 0.01}`` finds the most positives with
        at most 1 % false alarms.
    draws, seed : int
        Of the bootstrap that measures the optimism: in each sample a threshold is chosen anew and
        judged on the sample and on all rows. More than about 800 distinct scores are binned
        for it.
    stratified : bool
        Whether the shares of the classes are known, as of a tally brought to another class
        balance: samples are then drawn within each class, of as many rows as it has (weighted
        ones by Kish's formula).
    clustered : Clustered, optional
        The rows of the tally in their clusters, which are then drawn whole.
    params
        The metric's own parameters.

    Raises
    ------
    InputError
        A metric that does not judge decisions, more than two classes, a limit without direction.

    Examples
    --------
    >>> t = ScoreTally.from_arrays([0, 1, 0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3, 0.2, 0.8])
    >>> optimal_threshold(t, "accuracy").threshold
    0.8
    >>> optimal_threshold(t, "sensitivity", within={"fpr": 0.5}).threshold
    0.3

    """
    if len(tally.labels) != 2:
        raise InputError(
            f"a threshold decides between two classes and this tally has {len(tally.labels)}"
        )
    samples = _Samples(tally, draws, seed, stratified, clustered)
    return _best(samples, get(metric), within or {}, params)


def report_thresholds(
    tally: ScoreTally, seed: int = 0, stratified: bool = False, clustered: Clustered | None = None
) -> dict[str, OptimalThreshold]:
    """Return the thresholds that a report names: what each is best at -> its choice."""
    samples = _Samples(tally, REPORT_DRAWS, seed, stratified, clustered)
    return {
        name: _best(samples, get(metric), limits, {}) for name, (metric, limits) in CHOSEN.items()
    }


@dataclass(frozen=True)
class _Samples:
    """The counts at every threshold of a tally and of its samples, drawn once for all goals."""

    tally: ScoreTally
    draws: int
    seed: int
    stratified: bool
    clustered: Clustered | None

    @cached_property
    def drawn(self) -> tuple[Counts, list[Counts]]:
        """Those that the samples are drawn from, and those of the samples, block by block."""
        if self.clustered is not None:
            whole, samples = self.clustered.rankings(self.draws)
            return _counts(whole), [_counts(samples)]
        binned = self.tally.coarse()
        blocks = Sampler(self.seed, self.stratified).scores(binned, "bootstrap", self.draws)
        return _counts(binned.score_counts), [_counts(block) for block in blocks]


def _best(
    samples: _Samples, metric: Metric, limits: Mapping[str, float], params: Mapping[str, Any]
) -> OptimalThreshold:
    """Return the threshold at which a metric is as good as can be within limits."""
    metrics = [metric, *map(get, limits)]
    for m in metrics:
        if m.needs not in ("counts", "matrix"):
            raise InputError(f"{m.name} judges no single threshold; choose a threshold metric")
    metric.check(params)
    for m in metrics:
        lacks = "has no best threshold" if m is metric else "sets no limit"
        if m.better == "neither":
            raise InputError(f"{m.name} is neither good nor bad when high; it {lacks}")

    def judge(c: Counts) -> tuple[list[NDArray[Any]], NDArray[Any]]:
        """Return all metrics, and how good each threshold is: -inf where it breaks a limit."""
        values = [
            m.compute(c if m.needs == "counts" else c.matrix(), **(params if m is metric else {}))
            for m in metrics
        ]
        good = np.negative(values[0]) if metric.better == "low" else values[0]
        good = np.where(np.isnan(good), -np.inf, good)
        for m, bound, rate in zip(metrics[1:], limits.values(), values[1:], strict=True):
            good = np.where(rate <= bound if m.better == "low" else rate >= bound, good, -np.inf)
        return values, good

    values, good = judge(_counts(samples.tally.score_counts))
    top = float(good.max())
    if top == -math.inf:
        nothing = [Corrected(m.name, math.nan, math.nan) for m in metrics]
        return OptimalThreshold(math.nan, np.empty(0), nothing[0], tuple(nothing[1:]), params, 0)
    slack = _SLACK * max(abs(top), 1.0) if math.isfinite(top) else 0.0
    tied = np.flatnonzero(good >= top - slack)
    thresholds = np.append(samples.tally.scores[::-1], np.inf)[tied]
    # The optimism is the mean of (on the sample - on all rows) at thresholds chosen on samples.
    whole, drawn = samples.drawn
    on_all, gaps = judge(whole)[0], []
    for counts in drawn:
        on_sample, good = judge(counts)
        chosen, usable = good.argmax(-1), ~np.isneginf(good.max(-1))
        with np.errstate(invalid="ignore"):
            here = np.take_along_axis(np.stack(on_sample), chosen[None, :, None], -1)[..., 0]
            gaps.append((here - np.stack(on_all)[:, chosen])[:, usable])
    best, *rates = (
        Corrected(m.name, float(v[tied[0]]), _mean(gap))
        for m, v, gap in zip(metrics, values, np.concatenate(gaps, 1), strict=True)
    )
    ties = np.sort(thresholds)[::-1]
    return OptimalThreshold(float(thresholds[0]), ties, best, tuple(rates), params, samples.draws)


def _counts(r: ScoreCounts) -> Counts:
    """Return the counts at every score, from the highest down, and last at +inf: (..., G + 1).

    The threshold that calls no row positive stands last, so that of equals another is taken.
    """
    c = r.counts_by_threshold()
    return Counts(*(np.concatenate([v[..., 1:], v[..., :1]], -1) for v in (c.tp, c.fp, c.fn, c.tn)))


def _mean(gaps: NDArray[Any]) -> float:
    """Return the mean of what is defined: an infinite one says nothing of the optimism."""
    defined = gaps[~np.isnan(gaps)]
    return float(defined.mean()) if len(defined) and np.isfinite(defined).all() else math.nan


# -- many thresholds -------------------------------------------------------------------------------

SWEPT = (
    "accuracy", "balanced_accuracy", "sensitivity", "specificity", "precision",
    "negative_predictive_value", "f1", "matthews_corrcoef", "cohen_kappa", "youden_j",
)  # fmt: skip
"""The metrics that a threshold slider moves."""

SWEEP_POINTS = 200


@dataclass(frozen=True, slots=True, repr=False)
class Sweep(Display):
    """The four counts and the metrics at thresholds falling from +inf, with bounds."""

    threshold: Floats
    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats
    metrics: Mapping[str, tuple[Floats, Floats, Floats]]


def sweep_of(
    model: Model,
    tally: ScoreTally,
    *,
    level: float = 0.95,
    seed: int = 0,
    stratified: bool = False,
    bounded: bool = True,
) -> Sweep:
    """Return counts and metrics at up to 201 thresholds, even steps along the ROC curve.

    With ``stratified`` the shares of the classes are known, as in
    :func:`tallymark.infer.intervals.interval`, and the bounds say only what each class leaves
    open. Without ``bounded`` there are none: they hold for rows that stand alone.
    """
    r = tally.score_counts
    tp, fp = r.cumulative_counts
    # Even steps along the ROC curve, so that neither class's detail is lost.
    steps, last = np.linspace(0, 2, SWEEP_POINTS), len(r.scores)
    places = search(last + 1, lambda i: tp[i] / r.positives + fp[i] / r.negatives, steps)
    index = np.unique(np.clip(places, 0, last))
    cuts = np.where(index == 0, np.inf, r.scores[last - np.maximum(index, 1)])
    if model.threshold is not None:
        cuts = np.unique(np.append(cuts, model.threshold))[::-1]
    stack = Tallies(tally.labels, thresholds_of(tally, cuts))
    statistics = {n: Statistic.of(get(n), tally.labels, tally.positive) for n in SWEPT}
    estimates = interval(statistics, stack, level=level, seed=seed, stratified=stratified)
    none = np.full(len(cuts), np.nan)
    metrics = {
        name: (e.values, *((e.lows, e.highs) if bounded else (none, none)))
        for name, e in estimates.items()
    }
    c = r.at(cuts)
    return Sweep(cuts, c.tp, c.fp, c.fn, c.tn, metrics)
