"""The counts and metrics of two classes at many thresholds, as a slider looks them up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tallymark.data import Model
from tallymark.display import Display
from tallymark.infer.interval import sweep_bounds
from tallymark.infer.resample import class_rows, effective_rows
from tallymark.metric import get
from tallymark.metric.measure import Statistic
from tallymark.tally.arrays import Floats
from tallymark.tally.labels import Counts
from tallymark.tally.reductions import search
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
    by_class: bool = False,
    bounded: bool = True,
) -> Sweep:
    """Return counts and metrics at up to 201 thresholds, even steps along the ROC curve.

    With ``by_class`` the shares of the classes are known, as in
    :class:`tallymark.infer.interval.Intervals`, and the bounds say only what each class leaves
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
    above = np.searchsorted(r.scores, cuts, side="left")
    place = len(r.scores) - above
    # All four from the same running sums: a difference to another sum of the same weights may be
    # a hair below zero.
    tp, fp = (v[place] for v in tops)
    fn, tn = tops[0][-1] - tp, tops[1][-1] - fp
    matrices = np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2)
    labels = [label for label in tally.labels if label != tally.positive] + [tally.positive]
    statistics = {n: Statistic.of(get(n), labels, tally.positive) for n in SWEPT}
    if not bounded:
        none = np.full(len(cuts), np.nan)
        unbounded = {n: (s.of_matrix(matrices, labels), none, none) for n, s in statistics.items()}
        return Sweep(cuts, tp, fp, fn, tn, unbounded)
    n = float(tally.rows)
    if tally.sum_squared_weights is not None:
        n = effective_rows(tally.counts, tally.sum_squared_weights, tally.rows)
    # In the order of the matrices, the positive class last.
    at = [tally.labels.index(label) for label in labels]
    rows = class_rows(tally.counts, tally.sum_squared_weights)[at] if by_class else None
    squares, second = None, tally.squared_score_counts
    if second is not None:
        c = second.counts_by_threshold()
        squares = Counts(*(v[place] for v in (c.tp, c.fp, c.fn, c.tn))).matrix()
    bounds = sweep_bounds(
        statistics,
        matrices if squares is not None else matrices * (n / float(r.total)),
        labels,
        n,
        level=level,
        seed=seed,
        rows=rows,
        squares=squares,
    )
    metrics = {n: (s.of_matrix(matrices, labels), *bounds[n]) for n, s in statistics.items()}
    return Sweep(cuts, tp, fp, fn, tn, metrics)
