"""What a threshold chosen on these rows gains on new rows over other decisions.

The rows that chose the threshold flatter it, so its rates are first lowered by their optimism
(:mod:`tallymark.infer.operating_points`). Both decisions are made on the same rows, so the interval
of the gain is that of their joint counts: rows that both call positive, only one, or neither.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.infer.operating_points import OptimalThreshold, Splits, chosen_threshold
from tallymark.infer.sampler import DRAWS, PRIOR_ROWS, Sampler, effective_cells
from tallymark.infer.samples import critical_value
from tallymark.metric import Metric
from tallymark.metric.measure import Value
from tallymark.reading.models import Model
from tallymark.tally.arrays import Floats
from tallymark.tally.joint import PairedPredictions
from tallymark.tally.labels import Counts
from tallymark.tally.scores import ScoreCounts, ScoreTally

NO_GAIN = "the decisions in force, or the choice on new rows, are not known"


class Moved(NamedTuple):
    """The best threshold on these rows, and what it gains on new rows.

    ``gain`` is over the decisions in force, ``over_constant`` over the better of calling every row
    positive and none.
    """

    best: OptimalThreshold
    gain: Value
    over_constant: Value


def moved_threshold(
    splits: Splits,
    model: Model,
    metric: Metric,
    params: Mapping[str, Any] | None = None,
    joint: PairedPredictions | None = None,
) -> Moved:
    """Return how much better a metric is on new rows at its best threshold than as decided now.

    The gain is positive where moving the threshold helps, also if lower is better. From the joint
    counts of the decisions in force and those at the chosen threshold, in each class, come 1,000
    draws of their Dirichlet posterior; with clusters, the counts without each of them (jackknife,
    Student's t). In each, the rates at the chosen threshold are lowered by the mean optimism of the
    choice. A choice near the decisions in force has less of it, so the upper bound leaves it out.
    The gain over a constant decision is that of the same draws; the metric must be defined for it.
    Sources: efron1983, kim1990.

    Parameters
    ----------
    splits : Splits
        The scores, and random halves of their rows.
    model : Model
        The model with its decisions, at a threshold or given.
    metric : Metric
        The metric to improve, of four counts.
    params : mapping, optional
        Its parameters.
    joint : PairedPredictions, optional
        The rows; needed with clusters, and for decisions that no threshold makes.

    Returns
    -------
    Moved
        A gain is NaN, with a reason, where either decision is not known.

    Examples
    --------
    >>> from tallymark.metric import get
    >>> from tallymark.reading.given_arrays import from_arrays
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 400)
    >>> model, = from_arrays(y, y_score={"m": rng.normal(y) - 2}, threshold=0.0).models
    >>> splits = Splits(model.scores[0], Sampler(), None, 0.95)
    >>> moved_threshold(splits, model, get("youden_j")).gain.low > 0
    True

    """
    params, level = params or {}, splits.level
    best, optimism = chosen_threshold(splits, metric, {}, params)
    none = Value(metric.name, math.nan, reason=NO_GAIN)
    if optimism is None or not math.isfinite(best.threshold):
        return Moved(best, none, none)
    cells = _cells(splits, model, best.threshold, joint)
    if cells is None:
        return Moved(best, none, none)
    sign = -1 if metric.better == "low" else 1

    def value(called: Floats, totals: Floats) -> Floats:
        return sign * np.asarray(metric.compute(_as(metric, called, totals), **params))

    def at_choice(of: Floats, less: float) -> tuple[Floats, Floats]:
        """Return the metric at the chosen threshold, from joint counts [..., class, now, new]."""
        totals = of.sum((-2, -1))
        new = np.clip(of[..., :, 1].sum(-1) - less * optimism * totals, 0.0, totals)
        return value(new, totals), totals

    def gain(of: Floats, less: float = 1.0) -> Floats:
        new, totals = at_choice(of, less)
        return np.asarray(new - value(of[..., 1, :].sum(-1), totals))

    def over_constant(of: Floats, less: float = 1.0) -> Floats:
        new, totals = at_choice(of, less)
        constants = value(totals, totals), value(np.zeros(totals.shape), totals)
        return np.asarray(new - np.maximum(*constants))

    counts, squares = cells
    drawn = None
    if splits.clustered is None:
        possible = np.ones((2, 2, 2), dtype=bool)
        if model.threshold is not None:  # no row is called positive at the higher one alone
            possible[:, 0, 1] = best.threshold < model.threshold
            possible[:, 1, 0] = best.threshold > model.threshold
        drawn = _posterior(splits.sampler, counts[0], squares, possible)
    definition = {"formula": metric.words.formula, "average": "binary"}

    def estimated(gained: Callable[..., Floats]) -> Value:
        at, here = float(gained(counts.sum(0))), float(gained(counts.sum(0), 0.0))
        if math.isnan(at):
            return none
        if drawn is None:
            half = _jackknifed(gained, counts, level)
            low, high = at - half, max(at, here) + half
            method = "jackknife of clusters, Student's t"
        else:
            low = float(np.nanquantile(gained(drawn), (1 - level) / 2))
            high = max(float(np.nanquantile(gained(drawn, of), (1 + level) / 2)) for of in (0, 1))
            method = f"Dirichlet posterior, {DRAWS:,} draws"
        method += ", less the optimism of the choice"
        return Value(metric.name, at, low, high, level, method, definition=definition)

    return Moved(best, estimated(gain), estimated(over_constant))


def _as(metric: Metric, called: Floats, totals: Floats) -> Any:
    """Return the counts [..., class] of rows called positive in the form that a metric reads."""
    tp, fp = called[..., 0], called[..., 1]
    c = Counts(tp, fp, totals[..., 0] - tp, totals[..., 1] - fp)
    return c if metric._needs == "counts" else c.matrix()


def _cells(
    splits: Splits, model: Model, chosen: float, joint: PairedPredictions | None
) -> tuple[Floats, Floats | None] | None:
    """Return the joint counts [cluster, class, now, chosen], the positive class first.

    Without clusters there is one, and the sums of squared weights [class, now, chosen], if any,
    are the second array.
    """
    by_row = splits.clustered is not None or model.threshold is None
    if not by_row:
        t, at = splits.tally, np.array([model.threshold, chosen])
        squares = t._squared_score_counts
        counts = _nested(t._score_counts, at)[None]
        return counts, None if squares is None else _nested(squares, at)
    if joint is None or joint.positive_code is None:
        return None
    code, column = joint.positive_code, joint.model(model.name)
    now = column.decisions(model.threshold, code) == code
    new = column.scores[0] >= chosen
    place = 4 * (joint.true != code) + 2 * now + new
    groups = 1
    if splits.clustered is not None:
        assert joint.clusters is not None
        groups = joint.groups or 1
        place = place + 8 * joint.clusters.astype(np.int64)

    def table(weights: Floats | None) -> Floats:
        return np.bincount(place, weights, 8 * groups).astype(float).reshape(groups, 2, 2, 2)

    squares_ = None if joint.weights is None or groups > 1 else table(joint.weights**2)[0]
    scaled = table(joint.weights)
    return _as_weighted(splits.tally, scaled, squares_)


def _as_weighted(
    tally: ScoreTally, counts: Floats, squares: Floats | None
) -> tuple[Floats, Floats | None]:
    """Return counts of rows with the class totals of a tally, which another prevalence changes."""
    r = tally._score_counts
    total = counts.sum((0, 2, 3))
    of_tally = np.array([float(r.positives), float(r.negatives)])
    times = np.divide(of_tally, total, out=np.ones(2), where=total > 0)[:, None, None]
    return counts * times, None if squares is None else squares * times**2


def _nested(r: ScoreCounts, thresholds: Floats) -> Floats:
    """Return the joint counts [class, now, chosen] of two thresholds, of which one is higher."""
    c = r.at(thresholds)
    of_classes = ((c.tp, c.positives), (c.fp, c.negatives))
    out = np.empty((2, 2, 2))
    for cell, ((now, new), totals) in zip(out, of_classes, strict=True):
        both = min(now, new)
        cell[:] = [[totals[0] - max(now, new), new - both], [now - both, both]]
    return out


def _posterior(
    sampler: Sampler, counts: Floats, squares: Floats | None, possible: NDArray[np.bool_]
) -> Floats:
    """Return draws [draws, class, now, chosen] of joint counts from their Dirichlet posterior.

    The prior is worth two rows, spread evenly over the cells that are ``possible``.
    """
    lead = (2, 4) if sampler.stratified else (1, 8)  # cells that are drawn together
    cells = counts.reshape(lead)
    rows, unit = effective_cells(cells, None if squares is None else squares.reshape(lead))
    prior = possible.reshape(lead) * PRIOR_ROWS / possible.sum()
    drawn = sampler.generator("gain").standard_gamma(rows + prior, size=(DRAWS, *lead)) * unit
    drawn *= cells.sum(-1, keepdims=True) / drawn.sum(-1, keepdims=True)
    return np.asarray(drawn.reshape(-1, *counts.shape))


def _jackknifed(gain: Any, counts: Floats, level: float) -> float:
    """Return the half-width of the interval of a gain from the counts without each cluster."""
    groups = len(counts)
    if groups < 2:
        return math.nan
    without = gain(counts.sum(0) - counts)
    spread = (groups - 1) / groups * float(((without - without.mean()) ** 2).sum())
    return float(critical_value(level, groups - 1)) * math.sqrt(spread)
