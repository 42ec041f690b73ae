"""The counts and metrics of two classes at many thresholds, as a slider looks them up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tallymark.data import Model
from tallymark.display import Display
from tallymark.infer.intervals import interval
from tallymark.infer.tallies import AtThresholds, thresholds_of
from tallymark.metric import get
from tallymark.metric.measure import Statistic
from tallymark.tally.arrays import Floats
from tallymark.tally.score_counts import search
from tallymark.tally.scores import ScoreTally

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
    tops = r.cumulative_counts
    # Even steps along the ROC curve, so that neither class's detail is lost.
    wanted = np.linspace(0, 2, SWEEP_POINTS)
    last = len(r.scores)
    found = search(last + 1, lambda i: tops[0][i] / r.positives + tops[1][i] / r.negatives, wanted)
    index = np.unique(np.clip(found, 0, last))
    cuts = np.where(index == 0, np.inf, r.scores[last - np.maximum(index, 1)])
    if model.threshold is not None:
        cuts = np.unique(np.append(cuts, model.threshold))[::-1]
    stack = AtThresholds(tally.labels, thresholds_of(tally, cuts))
    statistics = {n: Statistic.of(get(n), tally.labels, tally.positive) for n in SWEPT}
    estimates = interval(statistics, stack, level=level, seed=seed, stratified=stratified)
    none = np.full(len(cuts), np.nan)
    c = stack.matrices[0]
    p = tally.labels.index(tally.positive)
    n = 1 - p
    metrics = {
        name: (e.values, *((e.lows, e.highs) if bounded else (none, none)))
        for name, e in estimates.items()
    }
    return Sweep(cuts, c[:, p, p], c[:, n, p], c[:, p, n], c[:, n, n], metrics)
