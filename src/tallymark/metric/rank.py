"""Metrics of the order of the scores: unmoved by any increasing map of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError
from tallymark.metric.registry import metric, ratio
from tallymark.tally.scores import Ranking

NO_POSITIVES = {"no row is truly positive": lambda r: r.positives == 0}
BOTH_CLASSES = {**NO_POSITIVES, "no row is truly negative": lambda r: r.negatives == 0}


def _over(a: Any, last: Any) -> Any:
    return ratio(a, last[..., None])


def _pairs(r: Ranking, tied: float) -> Any:
    """Return the share of (positive, negative) pairs in the right order, ties counting as told."""
    below = np.cumsum(r.neg, axis=-1) - r.neg
    return ratio((r.pos * (below + tied * r.neg)).sum(-1), r.positives * r.negatives)


# -- ROC ---------------------------------------------------------------------------------------


@metric(
    title="Area under the ROC curve",
    formula="P(score of a positive > score of a negative) + ½·P(equal)",
    needs="ranking",
    range=(0, 1),
    better="high",
    chance=0.5,
    aliases=("AUC", "AUROC", "c statistic", "concordance"),
    undefined=BOTH_CLASSES,
    kernel=lambda lower, not_higher, p, n: (lower + not_higher) / (2 * p * n),
    sources=("hanley1982", "fawcett2006", "tharwat2018"),
)
def roc_auc(r: Ranking) -> Any:
    """Chance that a positive row scores higher than a negative one, ties counting half.

    The area under the ROC curve by trapezoids, which is Mann and Whitney's U / (P·N). It says
    nothing about any one threshold, and with rare positives it can be high while precision is
    low. Below 0.5 it is reported as it is.

    >>> import tallymark as tm
    >>> tm.metrics.roc_auc([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.4, 0.3])
    0.9166666666666666
    """
    return _pairs(r, 0.5)


@metric(
    title="Optimistic area under the ROC curve",
    formula="P(score of a positive ≥ score of a negative)",
    needs="ranking",
    range=(0, 1),
    better="high",
    aliases=("AUC optimistic",),
    undefined=BOTH_CLASSES,
    kernel=lambda lower, not_higher, p, n: not_higher / (p * n),
    sources=("fawcett2006", "tharwat2018"),
)
def roc_auc_optimistic(r: Ranking) -> Any:
    """Area if, within every tie, positives had been ranked first: the most it could be.

    >>> import tallymark as tm
    >>> tm.metrics.roc_auc_optimistic([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.4, 0.3])
    1.0
    """
    return _pairs(r, 1.0)


@metric(
    title="Pessimistic area under the ROC curve",
    formula="P(score of a positive > score of a negative)",
    needs="ranking",
    range=(0, 1),
    better="high",
    aliases=("AUC pessimistic",),
    undefined=BOTH_CLASSES,
    kernel=lambda lower, not_higher, p, n: lower / (p * n),
    sources=("fawcett2006", "tharwat2018"),
)
def roc_auc_pessimistic(r: Ranking) -> Any:
    """Area if, within every tie, negatives had been ranked first: the least it could be.

    >>> import tallymark as tm
    >>> tm.metrics.roc_auc_pessimistic([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.4, 0.3])
    0.8333333333333334
    """
    return _pairs(r, 0.0)


@metric(
    title="Gini coefficient",
    formula="2·AUC - 1",
    needs="ranking",
    range=(-1, 1),
    better="high",
    chance=0.0,
    aliases=("Gini", "Somers' D", "accuracy ratio"),
    undefined=BOTH_CLASSES,
    kernel=lambda lower, not_higher, p, n: (lower + not_higher - p * n) / (p * n),
    sources=("fawcett2006",),
)
def gini_coefficient(r: Ranking) -> Any:
    """Area under the ROC curve on a scale where guessing is 0.

    >>> import tallymark as tm
    >>> tm.metrics.gini([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    0.5
    """
    return 2 * _pairs(r, 0.5) - 1


@metric(
    title="Kolmogorov-Smirnov distance",
    formula="max over thresholds of |TPR - FPR|",
    needs="ranking",
    range=(0, 1),
    better="high",
    chance=0.0,
    aliases=("KS",),
    undefined=BOTH_CLASSES,
    smooth=False,
    sources=("shin2020",),
)
def kolmogorov_smirnov(r: Ranking) -> Any:
    """Greatest distance between the score distributions of the two classes.

    >>> import tallymark as tm
    >>> tm.metrics.ks([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    0.5
    """
    tp, fp = r.from_top()
    return np.abs(_over(tp, tp[..., -1]) - _over(fp, fp[..., -1])).max(-1)


@metric(
    title="Equal error rate",
    formula="FPR where FPR = FNR, on the straight line between the thresholds around it",
    needs="ranking",
    range=(0, 1),
    better="low",
    chance=0.5,
    aliases=("EER", "crossover error rate"),
    undefined=BOTH_CLASSES,
    smooth=False,
    sources=("tharwat2018", "martin1997"),
)
def equal_error_rate(r: Ranking) -> Any:
    """Error rate at the threshold where false alarms and misses are equally frequent.

    Interpolated along the ROC curve, since no threshold may give equality.

    >>> import tallymark as tm
    >>> tm.metrics.eer([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    0.5
    """
    tp, fp = r.from_top()
    fpr, fnr = _over(fp, fp[..., -1]), _over(tp[..., -1:] - tp, tp[..., -1])
    gap = fpr - fnr
    after = np.argmax(gap >= 0, axis=-1)[..., None]
    before = np.maximum(after - 1, 0)

    def at(values: Any, index: Any) -> Any:
        return np.take_along_axis(values, index, axis=-1)[..., 0]

    g0, g1 = at(gap, before), at(gap, after)
    step = np.where(g1 == g0, 0.0, ratio(-g0, g1 - g0))
    return at(fpr, before) + step * (at(fpr, after) - at(fpr, before))


# -- precision and recall ----------------------------------------------------------------------


def _steps(r: Ranking) -> tuple[Any, Any, Any, Any]:
    """Return TP and FP before and after each score from the top: shapes (..., G)."""
    tp, fp = r.from_top()
    return tp[..., :-1], fp[..., :-1], tp[..., 1:], fp[..., 1:]


@metric(
    title="Average precision",
    formula="Σ (recallₖ - recallₖ₋₁) · precisionₖ",
    needs="ranking",
    range=(0, 1),
    better="high",
    chance="prevalence",
    aliases=("AP", "AUPRC step"),
    undefined=NO_POSITIVES,
    sources=("buckley2000", "liu2014"),
)
def average_precision(r: Ranking) -> Any:
    """Mean precision over the positives as they are found from the top: the PR area by steps.

    It depends on the prevalence; guessing has about the prevalence itself.

    >>> import tallymark as tm
    >>> tm.metrics.average_precision([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    0.8333333333333333
    """
    before, _, tp, fp = _steps(r)
    step = tp - before
    part = np.where(step > 0, step * ratio(tp, tp + fp), 0.0)
    return ratio(part.sum(-1), r.positives)


@metric(
    title="PR area by trapezoids",
    formula="Σ (recallₖ - recallₖ₋₁) · (precisionₖ + precisionₖ₋₁) / 2",
    needs="ranking",
    range=(0, 1),
    better="high",
    chance="prevalence",
    aliases=("AUPRC trapezoid", "PR AUC linear"),
    undefined=NO_POSITIVES,
    sources=("tharwat2018",),
)
def pr_auc_trapezoid(r: Ranking) -> Any:
    """Area under the PR points joined by straight lines.

    No mixture of two classifiers moves along those lines: between two thresholds precision does
    not change linearly. Take pr_auc_davis_goadrich or average_precision; this is here because
    software reports it.

    >>> import tallymark as tm
    >>> round(tm.metrics.pr_auc_trapezoid([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]), 6)
    0.791667
    """
    tp0, fp0, tp, fp = _steps(r)
    after = ratio(tp, tp + fp)
    before = np.where(tp0 + fp0 == 0, after, ratio(tp0, tp0 + fp0))
    part = np.where(tp > tp0, (tp - tp0) * (before + after) / 2, 0.0)
    return ratio(part.sum(-1), r.positives)


@metric(
    title="PR area by Davis and Goadrich",
    formula="∫ precision d(recall), FP growing in proportion to TP between two thresholds",
    needs="ranking",
    range=(0, 1),
    better="high",
    chance="prevalence",
    aliases=("AUPRC Davis-Goadrich", "PR AUC"),
    undefined=NO_POSITIVES,
    sources=("davis2006", "tharwat2018"),
)
def pr_auc_davis_goadrich(r: Ranking) -> Any:
    """Area under the PR curve that mixing neighbouring thresholds can reach, integrated exactly.

    Between A and B precision is (TP_A + x) / (TP_A + x + FP_A + s·x) with s = ΔFP/ΔTP.

    >>> import tallymark as tm
    >>> round(tm.metrics.pr_auc_davis_goadrich([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]), 6)
    0.797267
    """
    tp0, fp0, tp, fp = _steps(r)
    gained = tp - tp0
    slope = 1 + ratio(fp - fp0, gained)
    lag = fp0 - (slope - 1) * tp0
    bend = np.where(lag == 0, 0.0, lag / slope**2 * np.log(ratio(tp + fp, tp0 + fp0)))
    part = np.where(gained > 0, gained / slope - bend, 0.0)
    return ratio(part.sum(-1), r.positives)


# -- the top of the list -----------------------------------------------------------------------


def positives_in_top(r: Ranking, depth: float) -> Any:
    """Return how many positives the top share of rows holds; a tie at the cut gives its share."""
    if not 0 < depth <= 1:
        raise InputError(f"depth is {depth!r}; it is a share of the rows, above 0 and at most 1")
    tp, fp = r.from_top()
    rows: NDArray[Any] = tp + fp
    wanted = depth * rows[..., -1:]
    after = np.minimum((rows < wanted).sum(-1, keepdims=True), rows.shape[-1] - 1)
    before = np.maximum(after - 1, 0)

    def at(values: Any, index: Any) -> Any:
        return np.take_along_axis(values, index, axis=-1)[..., 0]

    inside = ratio(wanted[..., 0] - at(rows, before), at(rows, after) - at(rows, before))
    return at(tp, before) + inside * (at(tp, after) - at(tp, before))


@metric(
    title="Gain at a depth",
    formula="positives in the top share / P",
    needs="ranking",
    range=(0, 1),
    better="high",
    chance="depth",
    aliases=("gain", "cumulative gain", "capture rate"),
    undefined=NO_POSITIVES,
    sources=("shin2020",),
)
def gain_at(r: Ranking, *, depth: float = 0.1) -> Any:
    """Share of all positives found among the highest scoring rows, one tenth of them by default.

    >>> import tallymark as tm
    >>> tm.metrics.gain_at([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], depth=0.5)
    0.5
    """
    return ratio(positives_in_top(r, depth), r.positives)


@metric(
    title="Response rate at a depth",
    formula="positives in the top share / rows in it",
    needs="ranking",
    range=(0, 1),
    better="high",
    chance="prevalence",
    aliases=("response rate", "cumulative response rate"),
    undefined={"there is no row": lambda r: r.total == 0},
    sources=("shin2020",),
)
def response_rate_at(r: Ranking, *, depth: float = 0.1) -> Any:
    """Share of positives among the highest scoring rows, one tenth of them by default.

    >>> import tallymark as tm
    >>> tm.metrics.response_rate_at([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], depth=0.25)
    1.0
    """
    return ratio(positives_in_top(r, depth), depth * r.total)


@metric(
    title="Lift at a depth",
    formula="response rate in the top share / prevalence",
    needs="ranking",
    range=(0, math.inf),
    better="high",
    chance=1.0,
    aliases=("top decile lift", "cumulative lift"),
    undefined=NO_POSITIVES,
    sources=("shin2020",),
)
def lift_at(r: Ranking, *, depth: float = 0.1) -> Any:
    """How many times more positives the highest scoring rows hold than rows taken at random.

    >>> import tallymark as tm
    >>> tm.metrics.lift_at([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], depth=0.25)
    2.0
    """
    return ratio(positives_in_top(r, depth), depth * r.positives)
