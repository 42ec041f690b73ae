"""Choose a threshold, and say how much the choice flatters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.display import Display
from tallymark.errors import InputError
from tallymark.infer.clustered import Clustered
from tallymark.infer.sampler import Sampler
from tallymark.metric import Metric, get
from tallymark.tally.arrays import Floats
from tallymark.tally.labels import Counts
from tallymark.tally.scores import ScoreCounts, ScoreTally

CHOICE_DRAWS = 400
REPORT_DRAWS = 120
"""So many draws tell the optimism of the thresholds that a report names."""

CHOSEN: Mapping[str, tuple[str, Mapping[str, float]]] = {
    "highest Youden's J": ("youden_j", {}),
    "highest F1": ("f1", {}),
    "highest MCC": ("matthews_corrcoef", {}),
    "most found with at most 5 % false alarms": (
        "sensitivity",
        {"false_positive_rate": 0.05},
    ),
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
        judged on the sample and on all rows. More than about 800 distinct scores are made
        coarse for it.
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
    return _chosen(_Cuts(tally, draws, seed, stratified, clustered), metric, within or {}, params)


class _Cuts:
    """The counts at every threshold of a tally and of its samples, for one choice or several."""

    def __init__(
        self,
        tally: ScoreTally,
        draws: int,
        seed: int,
        stratified: bool,
        clustered: Clustered | None,
    ) -> None:
        self.tally = tally
        self.draws = draws
        self.seed = seed
        self.stratified = stratified
        self.clustered = clustered

    @cached_property
    def counts(self) -> Counts:
        """Those of the tally."""
        return _counts(self.tally.score_counts)

    @cached_property
    def samples(self) -> tuple[Counts, list[Counts]]:
        """Those that the samples are drawn from, and those of the samples, block by block."""
        if self.clustered is not None:
            whole, samples = self.clustered.rankings(self.draws)
            return _counts(whole), [_counts(samples)]
        coarse = self.tally.coarse()
        drawn = Sampler(self.seed, self.stratified).scores(coarse, "bootstrap", self.draws)
        return _counts(coarse.score_counts), [_counts(block) for block in drawn]


def _chosen(
    cuts_of: _Cuts,
    metric: str | Metric,
    within: Mapping[str, float],
    params: Mapping[str, Any],
) -> OptimalThreshold:
    goal = _judges_decisions(get(metric))
    goal.check(params)
    limits = {_judges_decisions(get(name)): least for name, least in within.items()}
    if goal.better == "neither":
        raise InputError(f"{goal.name} is neither good nor bad when high; it has no best threshold")
    for limit in limits:
        if limit.better == "neither":
            raise InputError(f"{limit.name} is neither good nor bad when high; it sets no limit")
    cuts = np.append(cuts_of.tally.scores[::-1], np.inf)
    counts = cuts_of.counts
    values = _goodness(goal, counts, params)
    here = _within(counts, values, limits)
    if not np.isfinite(here).any() and not (here == np.inf).any():
        nothing = [Corrected(m.name, math.nan, math.nan) for m in (goal, *limits)]
        return OptimalThreshold(math.nan, np.empty(0), nothing[0], tuple(nothing[1:]), params, 0)
    best = float(here.max())
    slack = _SLACK * max(abs(best), 1.0) if math.isfinite(best) else 0.0
    tied = np.flatnonzero(here >= best - slack)
    chosen = int(tied[0])
    optimism = _optimism(*cuts_of.samples, goal, limits, params)
    sign = -1.0 if goal.better == "low" else 1.0

    kept = tuple(
        Corrected(m.name, float(_values(m, counts, {})[chosen]), flatters)
        for m, flatters in zip(limits, optimism[1:], strict=True)
    )
    return OptimalThreshold(
        float(cuts[chosen]),
        np.sort(cuts[tied])[::-1],
        Corrected(goal.name, sign * float(values[chosen]), optimism[0]),
        kept,
        params,
        cuts_of.draws,
    )


def worth_knowing(
    tally: ScoreTally, seed: int = 0, stratified: bool = False, clustered: Clustered | None = None
) -> dict[str, OptimalThreshold]:
    """Return the thresholds that a report names: what each is best at -> its choice."""
    cuts = _Cuts(tally, REPORT_DRAWS, seed, stratified, clustered)
    return {told: _chosen(cuts, metric, within, {}) for told, (metric, within) in CHOSEN.items()}


def _judges_decisions(metric: Metric) -> Metric:
    if metric.needs not in ("counts", "matrix"):
        raise InputError(f"{metric.name} judges no single threshold; choose a threshold metric")
    return metric


def _counts(r: ScoreCounts) -> Counts:
    """Return the counts at every score, from the highest down, and last at +inf: (..., G + 1).

    The threshold that calls no row positive stands last, so that of equals another is taken.
    """
    c = r.counts_by_threshold()
    return Counts(*(np.concatenate([v[..., 1:], v[..., :1]], -1) for v in (c.tp, c.fp, c.fn, c.tn)))


def _values(metric: Metric, c: Counts, params: Mapping[str, Any]) -> NDArray[Any]:
    return metric.compute(c if metric.needs == "counts" else c.matrix(), **params)


def _goodness(metric: Metric, c: Counts, params: Mapping[str, Any]) -> NDArray[Any]:
    values = _values(metric, c, params)
    return -values if metric.better == "low" else values


def _within(c: Counts, values: NDArray[Any], limits: Mapping[Metric, float]) -> NDArray[Any]:
    """Return values, -inf where they are undefined or a limit is not kept."""
    out = np.where(np.isnan(values), -np.inf, values)
    for limit, bound in limits.items():
        found = _values(limit, c, {})
        kept = found <= bound if limit.better == "low" else found >= bound
        out = np.where(kept, out, -np.inf)
    return out


def _optimism(
    whole: Counts,
    drawn: Iterable[Counts],
    goal: Metric,
    limits: Mapping[Metric, float],
    params: Mapping[str, Any],
) -> list[float]:
    """Return the mean of (on the sample - on all rows) at thresholds chosen on samples."""
    asked = [(goal, params), *((m, {}) for m in limits)]
    on_all = [_values(m, whole, options) for m, options in asked]
    gaps: list[list[NDArray[Any]]] = [[] for _ in asked]
    sign = -1.0 if goal.better == "low" else 1.0
    for counts in drawn:
        values = _goodness(goal, counts, params)
        here = _within(counts, values, limits)
        chosen = here.argmax(-1)[:, None]
        usable = ~np.isneginf(here.max(-1))
        for i, (m, options) in enumerate(asked):
            found = _values(m, counts, options) if i else sign * values
            sample = np.take_along_axis(found, chosen, -1)[:, 0]
            with np.errstate(invalid="ignore"):
                gaps[i].append((sample - on_all[i][chosen[:, 0]])[usable])
    joined = [np.concatenate(g) if g else np.empty(0) for g in gaps]
    return [_mean(g) for g in joined]


def _mean(gaps: NDArray[Any]) -> float:
    """Return the mean of what is defined: an infinite one says nothing of how much it flatters."""
    there = gaps[~np.isnan(gaps)]
    return float(there.mean()) if len(there) and np.isfinite(there).all() else math.nan
