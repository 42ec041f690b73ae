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
from tallymark.infer.kept_limits import chance_kept, rows_without_error, surely_kept
from tallymark.infer.sampler import Sampler
from tallymark.infer.samples import Tallies
from tallymark.infer.tallies import thresholds_of
from tallymark.listing import Listing
from tallymark.metric import Metric, get
from tallymark.metric.headlines import SWEPT
from tallymark.metric.measure import Statistic, Value
from tallymark.quantities import ROW, Noun
from tallymark.reading.models import Model
from tallymark.tables import metric_row
from tallymark.tally.arrays import Floats
from tallymark.tally.labels import Counts
from tallymark.tally.score_counts import search
from tallymark.tally.scores import ScoreCounts, ScoreTally

REPEATS = 50
"""Number of splits that estimate the optimism, to about 4 % of the interval's half width."""

_OF_ALL = 2 / 3
"""Ratio of the optimism of all rows to that of half of them. It falls with the square root of the
number of rows if scores have a few levels, so by a factor of 0.71, and with the power 2/3 if they
are continuous, so by 0.63 (Kim and Pollard 1990)."""

CHOSEN: Mapping[str, tuple[str, Mapping[str, float]]] = {
    "highest Youden's J": ("youden_j", {}),
    "highest F1": ("f1", {}),
    "highest MCC": ("matthews_corrcoef", {}),
    "most found with at most 5 % false alarms": ("sensitivity", {"false_positive_rate": 0.05}),
}
"""The thresholds of a report: the metric that each optimises, and its limits."""

NONE = "no threshold satisfies the limits, or the metric is undefined at all of them"
NO_HALVES = "each half of the rows needs both classes to choose a threshold and to test one"

_OF_SKILL = "youden_j"
"""The number that is 0 for decisions by chance, whatever the threshold optimises."""

_SLACK = 8 * np.finfo(np.float64).eps


def budget_cut(tally: ScoreTally, share: float) -> float:
    """Return the lowest threshold at which no more than this share of the rows is called positive.

    Where more rows have the highest score, it is that score.

    >>> budget_cut(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]), 0.5)
    0.4
    """
    r = tally._score_counts
    called = np.cumsum((r.pos + r.neg)[::-1])
    at = max(int(np.count_nonzero(called <= share * called[-1] * (1 + 1e-12))) - 1, 0)
    return float(r.scores[::-1][at])


@dataclass(frozen=True, slots=True, repr=False)
class Corrected(Display):
    """A value on the rows that chose the threshold, and its expected value on new rows.

    ``value`` is that on these rows. ``corrected`` is the expected value on new rows, with the
    interval of the true value at this threshold.
    """

    metric: str
    value: float
    corrected: Value

    @property
    def optimism(self) -> float:
        """Return by how much the value exceeds the expected value on new rows.

        Negative if lower is better.
        """
        return self.value - self.corrected.value

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return fields_of(self) | {"optimism": json_number(self.optimism)}


@dataclass(frozen=True, slots=True, repr=False)
class OptimalThreshold(Display):
    """A threshold chosen on these rows.

    ``thresholds`` are all that are equally good, in decreasing order; ``threshold`` is the first of
    them that predicts any row positive. ``limits`` are the constrained rates. NaN and no threshold
    if no threshold satisfies the limits or the metric is always undefined. ``repeats`` is the
    number of splits of the rows that estimated the optimism. ``confident`` is the best threshold
    among those that keep the limits on new rows with the confidence of the level
    (:func:`tallymark.infer.kept_limits.surely_kept`): ``threshold`` itself, where a limit binds,
    keeps them in about half of all samples, or fewer with few rows. It is NaN where none does, and
    None without limits or where it is not known, as with clusters and for limits on other numbers
    than rates.
    """

    threshold: float
    thresholds: Floats
    best: Corrected
    limits: tuple[Corrected, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    repeats: int = REPEATS
    confident: float | None = None
    _kept: float = math.nan
    """In which share of samples ``threshold`` keeps the limits on new rows; NaN if not known."""
    _needed: str = ""
    """The rows without an error that would keep the limits with confidence, if known."""
    _unknown: str = ""
    """Why no threshold is known that keeps the limits with confidence; empty if one may be."""
    _skill: Value | None = None
    """Youden's J expected on new rows at this threshold."""
    _trivial: tuple[float, float] | None = None
    """The metric where every row is called positive, and where none is; None with limits."""
    _noun: Noun = ROW

    @property
    def _not_worth_it(self) -> tuple[str, float] | None:
        """Return the better way to decide without scores and its value, where it may do as well.

        None if the interval of the expected value excludes it, or where both ways are equal or
        undefined: :attr:`_no_skill` judges these.
        """
        new, better = self.best.corrected, get(self.best.metric).better
        ways = dict(zip(("every row", "no row"), self._trivial or (), strict=False))
        ways = {name: v for name, v in ways.items() if not math.isnan(v)}
        if len(set(ways.values())) < len(self._trivial or ()) or not ways or math.isnan(new.low):
            return None
        name = (min if better == "low" else max)(ways, key=lambda name: ways[name])
        beaten = new.high < ways[name] if better == "low" else new.low > ways[name]
        return None if beaten else (name, ways[name])

    @property
    def _no_skill(self) -> Value | None:
        """Youden's J expected on new rows, if its interval does not lie above 0; else None."""
        return self._skill if self._skill is not None and self._skill.low <= 0 else None

    def table(self) -> Listing:
        """Return the best value, then the limits: on these rows, and expected on new rows."""
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

    The optimism is estimated from the counts. Each split divides the rows into random halves. Each
    half chooses a threshold, whose true and false positive rates are read on that half and on the
    other. The mean difference, times 2/3 because all rows choose better than half of them, is
    subtracted from the rates at the threshold chosen on all rows. The metric of the resulting
    counts is the expected value on new rows. Its interval is from percentiles of their Dirichlet
    posterior; with clusters it is the metric's own at that threshold, shifted by the optimism.
    A bootstrap sample, in contrast, shares rows with its evaluation data and misses about a third
    of the optimism.
    Sources: stone1974, efron1983, kim1990.

    Parameters
    ----------
    tally : ScoreTally
        Scores of two classes.
    metric : str
        Any metric of decisions; ``expected_cost`` with its costs and prevalence finds the
        cheapest threshold.
    within : {metric: number}, optional
        Limits on rates, kept on these rows: a maximum if lower is better, a minimum if higher is
        better, and a maximum for the rate of positive predictions. ``"sensitivity",
        within={"fpr": 0.01}`` finds the most positives with at most 1 % false positives. Use
        ``within={"predicted_positive_rate": 0.05}`` if only 5 % of the rows can be acted on.
    repeats, seed : int
        Number and seed of the splits that estimate the optimism. More than about 800 distinct
        scores are binned for them.
    level : float
        Confidence level of the expected value's interval.
    stratified : bool
        Whether class shares are known, as in a tally projected to another prevalence: the
        interval then covers the variation within each class only.
    clustered : Clustered, optional
        The rows of the tally with their clusters, which are then split as wholes.
    params
        Parameters of the metric.

    Raises
    ------
    InputError
        A metric that is not of decisions, more than two classes, a limit without a direction.

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
    """Return the thresholds of a report, by name."""
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
        """TPR and FPR at every threshold of both halves [b, 2, G + 1], a batch of splits at a time.

        NaN in a half without rows of the class.
        """
        if self.clustered is not None:
            blocks = [self.clustered.halves(self.repeats)]
        else:
            blocks = list(self.sampler.halves(self.tally._coarse(), self.repeats))
        with np.errstate(invalid="ignore"):
            return [(c.tp / (c.tp + c.fn), c.fp / (c.fp + c.tn)) for c in map(_counts, blocks)]

    def optimism(self, judge: Callable[[Counts], tuple[Any, NDArray[Any]]]) -> Floats | None:
        """Return by how much TPR and FPR on the choosing rows exceed those on new rows.

        None if no split has both classes in both halves.
        """
        r, gaps = self.tally._score_counts, []
        p, n = r.positives, r.negatives
        for rates in self.halves:
            tpr, fpr = rates
            # Reweight every half to the class shares of all rows.
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
        """Return the expected values of statistics at a threshold on new rows, with intervals."""
        t, s = self.tally, self.sampler
        positive = t.labels.index(t.positive)
        shift = optimism[:: 1 if positive == 0 else -1]

        def less(matrices: Floats) -> Floats:
            total = matrices.sum(-1)
            part = matrices[..., positive]
            share = np.divide(part, total, out=np.zeros(total.shape), where=total > 0)
            positives = np.clip(share - shift, 0.0, 1.0) * total
            out = np.empty(matrices.shape)
            out[..., positive], out[..., 1 - positive] = positives, total - positives
            return out

        counts, squares = thresholds_of(t, np.array([threshold]))
        clusters = None
        if self.clustered is not None:
            clusters = self.clustered.deciding(t.at(threshold), threshold, less)
        moved = less(counts)
        if squares is not None:  # moved rows get the average weight of their class
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
    """Return the threshold at which a metric is best within limits."""
    return chosen_threshold(splits, metric, limits, params)[0]


def chosen_threshold(
    splits: Splits, metric: Metric, limits: Mapping[str, float], params: Mapping[str, Any]
) -> tuple[OptimalThreshold, Floats | None]:
    """Return the best threshold within limits, and the optimism of its TPR and FPR, if known."""
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
    for m, limit in zip(metrics[1:], limits.values(), strict=True):
        low, high = m.range_of()
        if not low <= limit <= high:
            raise InputError(
                f"the limit of {m.name} is {limit:g}, but it lies between {low:g} and {high:g}; "
                "give a limit inside"
            )

    def judge(c: Counts) -> tuple[list[NDArray[Any]], NDArray[Any]]:
        """Return all metrics, and the value of each threshold: -inf if it breaks a limit."""
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
        return OptimalThreshold(math.nan, np.empty(0), none[0], tuple(none[1:]), params, 0), None
    tied = np.flatnonzero(_as_good(good))
    thresholds = np.append(t.scores[::-1], np.inf)[tied]
    optimism = splits.optimism(judge)
    if optimism is None:
        names = [*(m.name for m in metrics), _OF_SKILL]
        expected = {name: Value(name, math.nan, reason=NO_HALVES) for name in names}
    else:
        options = [params, *({} for _ in limits)]
        statistics = {
            m.name: Statistic.of(m, t.labels, t.positive, **o)
            for m, o in zip([*metrics, get(_OF_SKILL)], [*options, {}], strict=True)
        }
        expected = splits.expected(statistics, float(thresholds[0]), optimism)
    best, *rates = (
        Corrected(m.name, float(v[tied[0]]), expected[m.name])
        for m, v in zip(metrics, values, strict=True)
    )
    ties = np.sort(thresholds)[::-1]
    bounds = dict(zip(metrics[1:], limits.values(), strict=True))
    sure = _confident(splits, bounds, good)
    r = t._score_counts
    p, n = float(r.positives), float(r.negatives)
    trivial = judge(Counts(*np.array([[p, 0], [n, 0], [0, p], [0, n]])))[0][0].tolist()
    result = OptimalThreshold(
        float(thresholds[0]),
        ties,
        best,
        tuple(rates),
        params,
        splits.repeats,
        sure,
        _skill=expected[_OF_SKILL],
        _trivial=None if limits else (trivial[0], trivial[1]),
        **_on_new_rows(splits, bounds, int(tied[0]), sure),
    )
    return result, optimism


def _on_new_rows(
    splits: Splits, limits: Mapping[Metric, float], place: int, sure: float | None
) -> dict[str, Any]:
    """Return what is known of the limits on new rows, beside the threshold that surely keeps them.

    ``place`` counts the falling scores, and then +inf.
    """
    t = splits.tally
    if not limits:
        return {}
    if splits.clustered is not None:
        return {"_unknown": "where rows come in clusters"}
    r, squares = t._score_counts, t._squared_score_counts
    kept = chance_kept(r, squares, limits, (place + 1) % (len(t.scores) + 1))
    if sure is None or kept is None:
        return {"_unknown": "for limits on such numbers"}
    needed = rows_without_error(r, limits, splits.level) if math.isnan(sure) else ""
    return {"_kept": kept, "_needed": needed}


def _confident(splits: Splits, limits: Mapping[Metric, float], good: NDArray[Any]) -> float | None:
    """Return the best threshold that keeps limits with confidence, NaN if none does.

    ``good`` are the values of the thresholds, of falling scores and then of +inf. The threshold
    that predicts no row positive is none.
    """
    t = splits.tally
    if not limits or splits.clustered is not None:
        return None
    kept = surely_kept(t._score_counts, t._squared_score_counts, limits, splits.level)
    if kept is None:
        return None
    best = np.where(kept[1:], good[:-1], -np.inf)
    return float(t.scores[::-1][best.argmax()]) if best.max() > -math.inf else math.nan


def _counts(r: ScoreCounts) -> Counts:
    """Return the counts at every score in decreasing order, then at +inf: (..., G + 1).

    The threshold without positive predictions is last, so that ties prefer another one.
    """
    c = r._counts_by_threshold()
    return Counts(*(np.concatenate([v[..., 1:], v[..., :1]], -1) for v in (c.tp, c.fp, c.fn, c.tn)))


def _as_good(good: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which places (..., G) equal the best, up to rounding errors."""
    top = good.max(-1, keepdims=True)
    slack = np.where(np.isfinite(top), _SLACK * np.maximum(np.abs(top), 1.0), 0.0)
    return np.asarray(good >= top - slack)


def _first_best(good: NDArray[Any]) -> NDArray[np.intp]:
    return np.asarray(_as_good(good).argmax(-1))


# -- many thresholds -------------------------------------------------------------------------------

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
    """Return up to 201 thresholds in decreasing order from +inf, and the model's own."""
    r = tally._score_counts
    tp, fp = r._cumulative_counts
    # Use even steps along the ROC curve, so that both classes are resolved.
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

    With ``stratified``, class shares are known, as in
    :func:`tallymark.infer.intervals.interval`, and the bounds cover the variation within each class
    only. Without ``bounded`` there are no bounds, because they assume independent rows.
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
