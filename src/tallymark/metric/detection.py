"""Verification and detection: equal error rates, and one error rate at a target of the other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tallymark.metric.binning_bounds import spans
from tallymark.metric.rank import ranking, read_at
from tallymark.metric.registry import ratio
from tallymark.metric.retrieval import check_target, first_finding
from tallymark.metric.threshold import BOTH_CLASSES
from tallymark.tally.score_counts import all_ends, at, at_both, ends, first_threshold, nodes
from tallymark.tally.scores import ScoreCounts


def _crossing_place(r: ScoreCounts) -> Any:
    """Return the first threshold at which FPR is at least FNR."""
    p, n = r.positives[..., None], r.negatives[..., None]
    place = first_threshold(r, lambda tp, fp: ratio(fp, n) >= ratio(p - tp, p))
    return np.minimum(place, len(r.scores))


def _around(r: ScoreCounts) -> tuple[Any, Any, Any, Any]:
    """Return FPR and FNR at the last threshold with FPR < FNR and at the next one."""
    after = _crossing_place(r)
    result: list[Any] = []
    for place in (np.maximum(after - 1, 0), after):
        tp, fp = at_both(r, place)
        result += [ratio(fp, r.negatives), ratio(r.positives - tp, r.positives)]
    return result[0], result[1], result[2], result[3]


@read_at(
    title="Equal error rate",
    formula="FPR where FPR = FNR, on the straight line between the thresholds around it",
    better="low",
    chance=0.5,
    aliases=("EER", "crossover error rate"),
    relatives=("equal_error_rate_hull", "equal_error_rate_low", "balanced_error_rate"),
    sources=("tharwat2018", "martin1997"),
    operating_point=_crossing_place,
)
def equal_error_rate(r: ScoreCounts) -> Any:
    """Error rate at the threshold where the false positive rate equals the false negative rate.

    Interpolated along the ROC curve, because there may be no threshold with equal rates.

    Misleading: It is rarely the operating point: choose the false positive rate you can afford.

    >>> import tallymark as tm
    >>> tm.metrics.eer([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    0.5
    """
    fpr0, fnr0, fpr1, fnr1 = _around(r)
    gap0, gap1 = fpr0 - fnr0, fpr1 - fnr1
    step = np.where(gap1 == gap0, 0.0, ratio(-gap0, gap1 - gap0))
    return fpr0 + step * (fpr1 - fpr0)


@ranking(
    title="Equal error rate of the convex hull",
    formula="FPR where FPR = FNR, on the convex hull of the ROC curve",
    range=(0, 0.5),
    better="low",
    chance=0.5,
    aliases=("ROCCH-EER", "EER of the convex hull"),
    relatives=("equal_error_rate", "min_cllr", "roc_hull_auc"),
    sources=("brummer2013", "tharwat2018"),
    error="fitted",
    order="part",
)
def equal_error_rate_hull(r: ScoreCounts) -> Any:
    """Equal error rate after the best monotone calibration: the highest over all priors.

    Misleading: The hull is fitted to the same rows, so with few rows it is optimistic.

    >>> import tallymark as tm
    >>> round(tm.metrics.equal_error_rate_hull([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.3, 0.2]), 4)
    0.2
    """
    return equal_error_rate._function(r.roc_convex_hull)


def _ends(r: ScoreCounts) -> tuple[Any, Any]:
    """Return both error rates, the lower first, at the threshold beside the crossing of lower sum.

    If the sums are equal it is the lower threshold, as in the competitions that defined the rule.
    """
    fpr0, fnr0, fpr1, fnr1 = _around(r)
    first = fpr0 + fnr0 < fpr1 + fnr1
    low = np.where(first, fpr0, fnr1)
    high = np.where(first, fnr0, fpr1)
    equal = fpr1 == fnr1
    return np.where(equal, fpr1, low), np.where(equal, fpr1, high)


@read_at(
    title="Equal error rate, lower end",
    formula="the smaller of FPR and FNR at the threshold nearest their crossing",
    better="low",
    aliases=("EER low",),
    relatives=("equal_error_rate", "equal_error_rate_high"),
    sources=("maio2002",),
    operating_point=_crossing_place,
    binning_bounds=None,
)
def equal_error_rate_low(r: ScoreCounts) -> Any:
    """Lower end of the interval that holds the equal error rate, where no threshold gives it.

    Of the two thresholds around the crossing it uses the one with the smaller sum of error rates.

    Misleading: Alone it is optimistic: read it with the upper end.

    >>> import tallymark as tm
    >>> tm.metrics.equal_error_rate_low([0, 1, 0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3, 0.2, 0.3])
    0.0
    """
    return _ends(r)[0]


@read_at(
    title="Equal error rate, upper end",
    formula="the larger of FPR and FNR at the threshold nearest their crossing",
    better="low",
    aliases=("EER high",),
    relatives=("equal_error_rate", "equal_error_rate_low"),
    sources=("maio2002",),
    operating_point=_crossing_place,
    binning_bounds=None,
)
def equal_error_rate_high(r: ScoreCounts) -> Any:
    """Upper end of the interval that holds the equal error rate, where no threshold gives it.

    Misleading: Few scores or many ties make the interval wide, however good the classifier is.

    >>> import tallymark as tm
    >>> tm.metrics.equal_error_rate_high([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    0.5
    """
    return _ends(r)[1]


# -- one rate at a target of the other ---------------------------------------------------------


def _first_beyond(r: ScoreCounts, fpr: float) -> Any:
    """Return the first threshold that exceeds a false positive rate, G + 1 if none does."""
    check_target("fpr", fpr)
    n = r.negatives[..., None]
    return first_threshold(r, lambda _, fp: ratio(fp, n) > fpr)


def _positives_within(r: ScoreCounts, fpr: float) -> Any:
    """Return TP at the lowest threshold with at most this false positive rate."""
    return at(r._cumulative_counts[0], np.minimum(_first_beyond(r, fpr), len(r.scores) + 1) - 1)


def _first_sensitive(r: ScoreCounts, sensitivity: float) -> Any:
    """Return the first threshold with at least this sensitivity."""
    place = first_finding(r, check_target("sensitivity", sensitivity))
    return np.minimum(place, len(r.scores))


@read_at(
    title="Sensitivity at a false positive rate",
    formula="highest TPR of the thresholds with FPR ≤ target",
    chance="the target",
    aliases=("TPR at FPR", "TAR at FAR", "sensitivity at specificity"),
    relatives=("false_negative_rate_at_fpr", "specificity_at_sensitivity", "partial_roc_auc"),
    sources=("martin1997", "fawcett2006"),
    operating_point=_first_beyond,
    resolution=lambda fpr: ("negatives", fpr),
)
def sensitivity_at_fpr(r: ScoreCounts, *, fpr: float = 0.01) -> Any:
    """Highest sensitivity at which the false positive rate is at most the target.

    Only thresholds at observed scores count; nothing is interpolated.

    Misleading: With fewer negatives than 1/target no false alarm is allowed, and one row decides.

    >>> import tallymark as tm
    >>> tm.metrics.sensitivity_at_fpr([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], fpr=0.1)
    0.5
    """
    return ratio(_positives_within(r, fpr), r.positives)


@read_at(
    title="False negative rate at a false positive rate",
    formula="lowest FNR of the thresholds with FPR ≤ target",
    better="low",
    chance="1 - the target",
    aliases=("FRR at FAR", "FNMR at FMR", "FNR at FPR"),
    relatives=("sensitivity_at_fpr", "equal_error_rate"),
    sources=("maio2002", "tharwat2018"),
    presets={
        "fmr100": {
            "params": {"fpr": 0.01},
            "title": "FMR100",
            "meaning": "Share of genuine comparisons rejected at a false match rate of 1 %.",
        },
        "fmr1000": {
            "params": {"fpr": 0.001},
            "title": "FMR1000",
            "meaning": "Share of genuine comparisons rejected at a false match rate of 0.1 %.",
        },
        "fmr10000": {
            "params": {"fpr": 0.0001},
            "title": "FMR10000",
            "meaning": "Share of genuine comparisons rejected at a false match rate of 0.01 %.",
            "listed": False,
        },
    },
    operating_point=_first_beyond,
    resolution=lambda fpr: ("negatives", fpr),
)
def false_negative_rate_at_fpr(r: ScoreCounts, *, fpr: float = 0.001) -> Any:
    """Lowest share of genuine rows rejected with at most the target share of impostors accepted.

    Misleading: A target of 0.001 needs thousands of impostor scores to be meaningful.

    >>> import tallymark as tm
    >>> tm.metrics.frr_at_far([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], fpr=0.1)
    0.5
    """
    return ratio(r.positives - _positives_within(r, fpr), r.positives)


@read_at(
    title="Specificity at a sensitivity",
    formula="highest TNR of the thresholds with TPR ≥ target",
    chance="1 - the target",
    aliases=("TNR at TPR", "specificity at recall"),
    relatives=("sensitivity_at_fpr", "partial_roc_auc"),
    sources=("fawcett2006",),
    operating_point=_first_sensitive,
    resolution=lambda sensitivity: ("positives", 1 - sensitivity),
)
def specificity_at_sensitivity(r: ScoreCounts, *, sensitivity: float = 0.95) -> Any:
    """Highest specificity at which the sensitivity is at least the target.

    One minus it is the false positive rate at 95 % recall of out-of-distribution detection.

    Misleading: The last few positives decide it, and these are the least typical ones.

    >>> import tallymark as tm
    >>> tm.metrics.specificity_at_sensitivity([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    0.5
    """
    alarms = at(r._cumulative_counts[1], _first_sensitive(r, sensitivity))
    return 1 - ratio(alarms, r.negatives)


# -- distributions and information -------------------------------------------------------------


@ranking(
    title="Decidability",
    formula="(mean of positives - mean of negatives) / √((variance + variance) / 2)",
    range=(-math.inf, math.inf),
    chance=0.0,
    aliases=("decidability index", "Daugman's d'"),
    undefined={
        **BOTH_CLASSES,
        "neither class's scores vary, and their means are the same": lambda r: _same_point(r),
    },
    relatives=("d_prime", "roc_auc"),
    sources=("daugman2000", "tharwat2018"),
    order=None,
    binning_bounds=lambda worst, best: _decided_between(worst, best),
)
def decidability(r: ScoreCounts) -> Any:
    """Distance between both classes' mean scores in standard deviations.

    Unlike other rank metrics, it depends on the score values, not only on their order.

    Misleading: Means and variances describe skewed scores poorly, and a map of the scores that
    keeps every ranking changes it.

    >>> import tallymark as tm
    >>> round(tm.metrics.decidability([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]), 4)
    1.4757
    """
    unit, low, high = _frame(r)
    p, _, pos, neg = nodes(r)
    x = ratio(p / unit - low, high - low)  # so that no square overflows or underflows
    means, variances = [], []
    of_each = zip((pos, neg), (r.positives, r.negatives), ends(r), strict=True)
    for rows, total, (first, last) in of_each:
        mean = ratio(np.where(rows == 0, 0.0, rows * x).sum(-1), total)
        square = np.where(rows == 0, 0.0, rows * (x - mean[..., None]) ** 2).sum(-1)
        means.append(mean)
        variances.append(np.where(first == last, 0.0, ratio(square, total)))
    return ratio(means[0] - means[1], np.sqrt((variances[0] + variances[1]) / 2))


def _decided_between(worst: ScoreCounts, best: ScoreCounts) -> tuple[Any, Any]:
    """Return the lowest and the highest decidability of scores in bins.

    The mean of a class lies between those of its lowest and its highest scores. The denominator is
    a Euclidean norm of the scores centered by class. By the triangle inequality, moving rows by d
    changes it by at most the norm of d, and no row moves further than the width of its bin.
    """
    parts = spans(worst, best)
    unit = max(float(np.abs(v).max(initial=0.0)) for _, *ends_of in parts for v in ends_of) or 1.0
    apart, spread, wide = [], 0.0, 0.0
    for rows, low, high in parts:
        low, high = low / unit, high / unit  # so that no square overflows
        share = rows / rows.sum()
        apart.append(((share * low).sum(), (share * high).sum()))
        spread += (share * (low - apart[-1][0]) ** 2).sum() / 2
        wide += (share * (high - low) ** 2).sum() / 2
    (low1, high1), (low0, high0) = apart
    least, most = max(np.sqrt(spread) - np.sqrt(wide), 0.0), np.sqrt(spread) + np.sqrt(wide)
    near, far = low1 - high0, high1 - low0
    return ratio(near, most if near >= 0 else least), ratio(far, least if far >= 0 else most)


def _frame(r: ScoreCounts) -> tuple[float, Any, Any]:
    """Return a unit, and the lowest and the highest occupied score in that unit, each (..., 1)."""
    if not len(r.scores):
        return 1.0, 0.0, 1.0
    # Divide large scores by 4, so that the difference of two does not overflow.
    unit = 4.0 if max(abs(r.scores[0]), abs(r.scores[-1])) > 1 else 1.0
    first, last = (np.minimum(place, len(r.scores) - 1) for place in all_ends(r))
    return unit, r.scores[first][..., None] / unit, r.scores[last][..., None] / unit


def _same_point(r: ScoreCounts) -> Any:
    first, last = (np.minimum(place, len(r.scores) - 1) for place in all_ends(r))
    return (first == last) & (first >= 0)


@ranking(
    title="Minimum Cllr",
    formula="Cllr after the best monotone calibration of these scores, in bits",
    better="low",
    chance=1.0,
    aliases=("Cllr min",),
    relatives=("cllr", "equal_error_rate_hull", "roc_auc"),
    sources=("brummer2006",),
    error="fitted",
)
def min_cllr(r: ScoreCounts) -> Any:
    """Information still missing after the best calibration: the cost of poor ranking.

    Cllr less this is the cost of poor calibration.

    Misleading: The calibration is fitted to the same rows, so with few rows it is optimistic.

    >>> import tallymark as tm
    >>> round(tm.metrics.min_cllr([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.3, 0.2]), 4)
    0.4046
    """
    pooled = r.roc_convex_hull
    result = ratio(pooled.pos, r.positives[..., None])
    raised = ratio(pooled.neg, r.negatives[..., None])
    share = np.array([result, raised])
    missing = np.where(share == 0, 0.0, share * np.log2(1 + ratio(share[::-1], share))).sum(-1)
    return np.minimum((missing[0] + missing[1]) / 2, 1.0)
