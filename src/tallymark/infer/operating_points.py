"""Operating points: the optimal threshold with its optimism, and metrics at many thresholds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.display import Display, fields_of, json_number
from tallymark.errors import InputError
from tallymark.infer.clustered import Clustered
from tallymark.infer.intervals import interval
from tallymark.infer.sampler import Sampler
from tallymark.infer.samples import Tallies
from tallymark.infer.tallies import thresholds_of
from tallymark.listing import Listing
from tallymark.metric import Metric, get
from tallymark.metric.measure import Statistic, Value
from tallymark.reading.models import Model
from tallymark.tables import metric_row
from tallymark.tally.arrays import Floats
from tallymark.tally.labels import Counts
from tallymark.tally.score_counts import search
from tallymark.tally.scores import ScoreCounts, ScoreTally

REPEATS = 50
"""Splits of the rows that measure the optimism, to about 4 % of the interval's half width."""

_OF_ALL = 2 / 3
"""The optimism of all rows over that of half of them. It falls with the root of the number of rows
where scores have a few levels, so by a factor of 0.71, and with the power 2/3 of it where they are
continuous, by 0.63 (Kim and Pollard 1990)."""

CHOSEN: Mapping[str, tuple[str, Mapping[str, float]]] = {
    "highest Youden's J": ("youden_j", {}),
    "highest F1": ("f1", {}),
    "highest MCC": ("matthews_corrcoef", {}),
    "most found with at most 5 % false alarms": ("sensitivity", {"false_positive_rate": 0.05}),
}
"""The thresholds that a report names: what each is best at, and within which limits."""

NONE = "no threshold satisfies the limits, or the metric is undefined at all of them"
NO_HALVES = "each half of the rows needs both classes to choose a threshold and to test one"

_SLACK = 8 * np.finfo(np.float64).eps


@dataclass(frozen=True, slots=True, repr=False)
class Corrected(Display):
    """A number on the rows that chose the threshold, and what to expect of it on new ones.

    ``value`` is the number on these rows. ``corrected`` is the one to expect on new rows, with its
    interval, which is that of the number that this very threshold has there.
    """

    metric: str
    value: float
    corrected: Value

    @property
    def optimism(self) -> float:
        """Return how much higher the number is on the rows that chose than is to be expected.

        Below 0 where low is good.
        """
        return self.value - self.corrected.value

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return fields_of(self) | {"optimism": json_number(self.optimism)}


@dataclass(frozen=True, slots=True, repr=False)
class OptimalThreshold(Display):
    """A threshold chosen on these rows.

    ``thresholds`` are all that are equally good, falling; ``threshold`` is the first of them that
    calls some row positive. ``limits`` are the rates that were to be kept. NaN and no threshold
    where nothing keeps the limits or the metric is undefined everywhere. ``repeats`` is the number
    of splits of the rows that told the optimism.
    """

    threshold: float
    thresholds: Floats
    best: Corrected
    limits: tuple[Corrected, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    repeats: int = REPEATS

    def table(self) -> Listing:
        """Return what is best, then the limits: on these rows, and as expected on new ones."""
        return Listing(
            tuple(
                {"threshold": self.threshold, "these_rows": c.value}
                | metric_row(c.metric, c.corrected)
                for c in (self.best, *self.limits)
            )
        )


def optimal_threshold(
    tally: ScoreTally,
    metric: str | Metric = "youden_j",
    *,
    within: Mapping[str, float] | None = None,
    repeats: int = REPEATS,
    level: float = 0.95,
    seed: int = 0,
    stratified: bool = False,
    clustered: Clustered | None = None,
    **params: Any,
) -> OptimalThreshold:
    """Return the threshold at which a metric of the decisions is best, and its optimism.

    The optimism is measured on the counts. In every split of the rows into random halves each
    half chooses a threshold, whose rates of true and false positives are read on that half and on
    the other. The mean difference, times 2/3 since all rows choose better than half of them, is
    taken off the rates at the threshold that all rows choose. The metric of these counts is the
    number to expect on new rows. Its interval holds percentiles of their Dirichlet posterior; of
    clusters it is the metric's own at that threshold, less the same optimism. A bootstrap sample,
    in contrast, shares rows with those it is judged on and misses about a third of the optimism.
    Sources: stone1974, efron1983, kim1990.

    Parameters
    ----------
    tally : ScoreTally
        Of two classes.
    metric : str
        Any metric of decisions; ``expected_cost`` with its costs and prevalence finds the
        cheapest threshold.
    within : {metric: number}, optional
        Rates to keep: at most so much of one of which low is good, at least so much of one of
        which high is good, and at most so many called positive. ``"sensitivity",
        within={"fpr": 0.01}`` finds the most positives with at most 1 % false alarms, and
        ``within={"predicted_positive_rate": 0.05}`` if 5 % of the rows can be acted on.
    repeats, seed : int
        Of the splits that tell the optimism. More than about 800 distinct scores are binned for
        them.
    level : float
        Of the interval of the number to expect.
    stratified : bool
        Whether the shares of the classes are known, as of a tally brought to another class
        balance: the interval then says only what each class leaves open.
    clustered : Clustered, optional
        The rows of the tally in their clusters, which are then split whole.
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
    if repeats < 1:
        raise InputError(f"repeats is {repeats}; there must be at least one")
    splits = Splits(tally, Sampler(seed, stratified), clustered, level, repeats)
    return best_threshold(splits, get(metric), within or {}, params)


def report_thresholds(
    tally: ScoreTally,
    *,
    level: float = 0.95,
    seed: int = 0,
    stratified: bool = False,
    clustered: Clustered | None = None,
) -> dict[str, OptimalThreshold]:
    """Return the thresholds that a report names: what each is best at -> its choice."""
    splits = Splits(tally, Sampler(seed, stratified), clustered, level)
    return {
        name: best_threshold(splits, get(metric), limits, {})
        for name, (metric, limits) in CHOSEN.items()
    }


@dataclass(frozen=True)
class Splits:
    """A tally and the rates of random halves of its rows, split once for all goals."""

    tally: ScoreTally
    sampler: Sampler
    clustered: Clustered | None
    level: float
    repeats: int = REPEATS

    @cached_property
    def halves(self) -> list[tuple[Floats, Floats]]:
        """TPR and FPR at every threshold of both halves [b, 2, G + 1], some splits at a time.

        NaN in a half without rows of the class.
        """
        if self.clustered is not None:
            blocks = [self.clustered.halves(self.repeats)]
        else:
            blocks = list(self.sampler.halves(self.tally._coarse(), self.repeats))
        with np.errstate(invalid="ignore"):
            return [(c.tp / (c.tp + c.fn), c.fp / (c.fp + c.tn)) for c in map(_counts, blocks)]

    def optimism(self, judge: Callable[[Counts], tuple[Any, NDArray[Any]]]) -> Floats | None:
        """Return how much higher TPR and FPR are on the rows that choose than on new rows.

        None where no half has both classes to choose by, and the other to judge by.
        """
        r, gaps = self.tally._score_counts, []
        p, n = r.positives, r.negatives
        for rates in self.halves:
            tpr, fpr = rates
            # Every half is judged as if the classes had the weight that they have on all rows.
            good = judge(Counts(tpr * p, fpr * n, (1 - tpr) * p, (1 - fpr) * n))[1]
            chosen = _first_best(good)[..., None]
            gap = [np.take_along_axis(v - v[:, ::-1], chosen, -1)[..., 0] for v in rates]
            gaps.append(np.stack(gap)[:, ~np.isneginf(good.max(-1))])
        every = np.concatenate(gaps, 1)
        usable = every[:, ~np.isnan(every).any(0)]
        return usable.mean(1) * _OF_ALL if usable.size else None

    def expected(
        self, statistics: Mapping[str, Statistic], threshold: float, optimism: Floats
    ) -> dict[str, Value]:
        """Return what to expect of statistics at a threshold on new rows, with intervals."""
        t, s = self.tally, self.sampler
        positive = t.labels.index(t.positive)
        shift = optimism[:: 1 if positive == 0 else -1]

        def less(matrices: Floats) -> Floats:
            total = matrices.sum(-1)
            part = matrices[..., positive]
            share = np.divide(part, total, out=np.zeros(total.shape), where=total > 0)
            called = np.clip(share - shift, 0.0, 1.0) * total
            out = np.empty(matrices.shape)
            out[..., positive], out[..., 1 - positive] = called, total - called
            return out

        counts, squares = thresholds_of(t, np.array([threshold]))
        clusters = None
        if self.clustered is not None:
            clusters = self.clustered.deciding(t.at(threshold), threshold, less)
        moved = less(counts)
        if squares is not None:  # rows that move weigh what the others of their class do
            with np.errstate(invalid="ignore"):
                usual = squares.sum(-1, keepdims=True) / counts.sum(-1, keepdims=True)
                squares = moved * np.where(counts > 0, squares / counts, usual)
        estimates = interval(
            statistics,
            Tallies(t.labels, (moved, squares)),
            level=self.level,
            seed=s.seed,
            stratified=s.stratified,
            clusters=clusters,
            method="posterior" if clusters is None else "auto",
        )
        return {key: e.value() for key, e in estimates.items()}


def best_threshold(
    splits: Splits, metric: Metric, limits: Mapping[str, float], params: Mapping[str, Any]
) -> OptimalThreshold:
    """Return the threshold at which a metric is as good as can be within limits."""
    metrics = [metric, *map(get, limits)]
    for m in metrics:
        if m._needs not in ("counts", "matrix"):
            raise InputError(
                f"{m.name} is not computed at a single threshold; choose a threshold metric"
            )
    metric._check(params)
    for m in metrics:
        lacks = "has no best threshold" if m is metric else "sets no limit"
        if m.better == "neither" and (m is metric or not m._capacity):
            raise InputError(
                f"{m.name} does not rank models: neither high nor low is better; it {lacks}"
            )

    def judge(c: Counts) -> tuple[list[NDArray[Any]], NDArray[Any]]:
        """Return all metrics, and how good each threshold is: -inf where it breaks a limit."""
        values = [
            m.compute(c if m._needs == "counts" else c.matrix(), **(params if m is metric else {}))
            for m in metrics
        ]
        good = np.negative(values[0]) if metric.better == "low" else values[0]
        good = np.where(np.isnan(good), -np.inf, good)
        for m, bound, rate in zip(metrics[1:], limits.values(), values[1:], strict=True):
            at_most = m.better == "low" or m._capacity
            good = np.where(rate <= bound if at_most else rate >= bound, good, -np.inf)
        return values, good

    t = splits.tally
    values, good = judge(_counts(t._score_counts))
    if good.max() == -math.inf:
        none = [Corrected(m.name, math.nan, Value(m.name, math.nan, reason=NONE)) for m in metrics]
        return OptimalThreshold(math.nan, np.empty(0), none[0], tuple(none[1:]), params, 0)
    tied = np.flatnonzero(_as_good(good))
    thresholds = np.append(t.scores[::-1], np.inf)[tied]
    optimism = splits.optimism(judge)
    if optimism is None:
        expected = {m.name: Value(m.name, math.nan, reason=NO_HALVES) for m in metrics}
    else:
        options = [params, *({} for _ in limits)]
        statistics = {
            m.name: Statistic.of(m, t.labels, t.positive, **o)
            for m, o in zip(metrics, options, strict=True)
        }
        expected = splits.expected(statistics, float(thresholds[0]), optimism)
    best, *rates = (
        Corrected(m.name, float(v[tied[0]]), expected[m.name])
        for m, v in zip(metrics, values, strict=True)
    )
    ties = np.sort(thresholds)[::-1]
    return OptimalThreshold(float(thresholds[0]), ties, best, tuple(rates), params, splits.repeats)


def _counts(r: ScoreCounts) -> Counts:
    """Return the counts at every score, from the highest down, and last at +inf: (..., G + 1).

    The threshold that calls no row positive stands last, so that of equals another is taken.
    """
    c = r._counts_by_threshold()
    return Counts(*(np.concatenate([v[..., 1:], v[..., :1]], -1) for v in (c.tp, c.fp, c.fn, c.tn)))


def _as_good(good: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which places (..., G) are as good as the best, but for rounding."""
    top = good.max(-1, keepdims=True)
    slack = np.where(np.isfinite(top), _SLACK * np.maximum(np.abs(top), 1.0), 0.0)
    return np.asarray(good >= top - slack)


def _first_best(good: NDArray[Any]) -> NDArray[np.intp]:
    return np.asarray(_as_good(good).argmax(-1))


# -- many thresholds -------------------------------------------------------------------------------

SWEPT = (
    "accuracy",
    "balanced_accuracy",
    "sensitivity",
    "specificity",
    "precision",
    "negative_predictive_value",
    "f1",
    "matthews_corrcoef",
    "cohen_kappa",
    "youden_j",
)
"""The metrics that a threshold slider moves."""

SWEEP_POINTS = 200


@dataclass(frozen=True, slots=True, repr=False)
class Sweep(Display):
    """The four counts and the metrics at thresholds, with bounds."""

    threshold: Floats
    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats
    metrics: Mapping[str, tuple[Floats, Floats, Floats]]


def sweep_cuts(model: Model, tally: ScoreTally) -> Floats:
    """Return up to 201 thresholds falling from +inf, and the one that a model decides by."""
    r = tally._score_counts
    tp, fp = r._cumulative_counts
    # Even steps along the ROC curve, so that neither class's detail is lost.
    steps, last = np.linspace(0, 2, SWEEP_POINTS), len(r.scores)
    places = search(last + 1, lambda i: tp[i] / r.positives + fp[i] / r.negatives, steps)
    index = np.unique(np.clip(places, 0, last))
    cuts = np.where(index == 0, np.inf, r.scores[last - np.maximum(index, 1)])
    if model.threshold is not None:
        cuts = np.unique(np.append(cuts, model.threshold))[::-1]
    return cuts


def sweep_of(
    tally: ScoreTally,
    cuts: Floats,
    *,
    level: float = 0.95,
    seed: int = 0,
    stratified: bool = False,
    bounded: bool = True,
) -> Sweep:
    """Return counts and metrics at thresholds, in their order.

    With ``stratified`` the shares of the classes are known, as in
    :func:`tallymark.infer.intervals.interval`, and the bounds say only what each class leaves
    open. Without ``bounded`` there are none: they hold for rows that stand alone.
    """
    stack = Tallies(tally.labels, thresholds_of(tally, cuts))
    statistics = {n: Statistic.of(get(n), tally.labels, tally.positive) for n in SWEPT}
    estimates = interval(statistics, stack, level=level, seed=seed, stratified=stratified)
    none = np.full(len(cuts), np.nan)
    metrics = {
        name: (e.values, *((e.lows, e.highs) if bounded else (none, none)))
        for name, e in estimates.items()
    }
    c = tally._score_counts.at(cuts)
    return Sweep(cuts, c.tp, c.fp, c.fn, c.tn, metrics)
