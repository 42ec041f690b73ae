"""Metrics of the precision-recall curve and of the top-ranked rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tallymark.errors import InputError
from tallymark.metric.binning_bounds import spans
from tallymark.metric.rank import ranking, read_at
from tallymark.metric.registry import ratio
from tallymark.metric.threshold import NO_POSITIVES, NO_ROWS
from tallymark.tally.score_counts import at, at_both, first_threshold, greatest, rank_sums
from tallymark.tally.scores import ScoreCounts


@ranking(
    title="Average precision",
    formula="Σ (recallₖ - recallₖ₋₁) · precisionₖ",
    chance="prevalence",
    aliases=("AP", "AUPRC step"),
    undefined=NO_POSITIVES,
    relatives=("pr_auc_davis_goadrich", "pr_gain_auc", "roc_auc"),
    sources=("buckley2000", "liu2014"),
    error="optimistic",
    # Take a bin with p positives and n negatives, below P positives and N negatives. Precision at
    # the t-th positive is at most (P + p) / (P + p + N), with all positives tied above the
    # negatives, and at least t / (t + N + n), with untied positives below them. With weighted rows
    # the sum of the latter is at least its integral.
    binning_bounds=lambda worst, best: (_one_by_one(worst), _by_steps(best)),
    slopes=lambda r: _slopes_of_steps(r),
)
def average_precision(r: ScoreCounts) -> Any:
    """Mean precision at each positive, from the highest score down: the PR area by steps.

    It depends on prevalence; guessing has about the prevalence itself.

    Misleading: It changes with prevalence: do not compare values at different class balances.

    >>> import tallymark as tm
    >>> tm.metrics.average_precision([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    0.8333333333333333
    """
    return _by_steps(r)


def _by_steps(r: ScoreCounts) -> Any:
    return ratio(rank_sums(r).steps, r.positives)


def _steps(r: ScoreCounts) -> tuple[Any, Any, Any, Any]:
    """Return TP and FP before and after each score, from the highest down: shapes (..., G)."""
    tp, fp = r._cumulative_counts
    return tp[..., :-1], fp[..., :-1], tp[..., 1:], fp[..., 1:]


def _slopes_of_steps(r: ScoreCounts) -> tuple[Any, Any]:
    """Return how average precision changes by the weight of a positive and of a negative.

    By score, in the order of the scores. One more row lowers the precision at each score below it,
    of a positive by less, and adds a positive of the precision at its own score.
    """
    before, _, tp, fp = _steps(r)
    rows, positives = tp + fp, r.positives
    precision = ratio(tp, rows)
    found = tp - before
    by_negative = -np.cumsum((found * ratio(precision, rows))[..., ::-1], -1)[..., ::-1]
    by_positive = np.cumsum((found * ratio(1 - precision, rows))[..., ::-1], -1)[..., ::-1]
    value = (found * precision).sum(-1) / positives
    pos = (precision + by_positive - value) / positives
    return pos[..., ::-1], (by_negative / positives)[..., ::-1]


def _one_by_one(r: ScoreCounts) -> Any:
    """Return a lower bound of the average precision of untied positives, as an integral."""
    before, _, tp, fp = _steps(r)
    lost = np.where(fp > 0, fp * np.log(ratio(tp + fp, before + fp)), 0.0)
    return ratio((tp - before - lost).sum(-1), r.positives)


def _trapezoids_within(worst: ScoreCounts, best: ScoreCounts) -> tuple[Any, Any]:
    """Return the lowest and the highest area by trapezoids of rows in bins.

    Take a bin with p positives and n negatives, below P positives and N negatives. Its points run
    from (P, N) to (P + p, N + n). In any order, precision at t true positives is at least
    t / (t + N + n) and at most t / (t + N). Both are concave in t, so a line between two points of
    the bin lies above the chord of the first from P to P + p, and below the second. The curve's
    first line starts at the precision of its other end, which is at least 0 and, while N = 0, at
    most 1. The area of rows that share one score is exact.
    """
    (p_rows, p_low, p_high), (n_rows, n_low, n_high) = spans(worst, best)
    lows, place = np.unique(np.concatenate([p_low, n_low]), return_inverse=True)
    highs = np.empty(len(lows))
    highs[place] = np.concatenate([p_high, n_high])
    p = np.bincount(place[: len(p_low)], p_rows, len(lows))[::-1]
    n = np.bincount(place[len(p_low) :], n_rows, len(lows))[::-1]
    tp, fp = p.cumsum(), n.cumsum()
    before, above = tp - p, fp - n

    def line(start: Any) -> Any:
        end = ratio(tp, tp + fp)
        return p * (np.where(before + start == 0, end, ratio(before, before + start)) + end) / 2

    exact = (highs == lows)[::-1]
    integral = p - np.where(above > 0, above * np.log(ratio(tp + above, before + above)), 0.0)
    low, high = np.where(exact, line(above), line(fp)), np.where(exact, line(above), integral)
    return ratio(low.sum(), worst.positives), ratio(high.sum(), worst.positives)


@ranking(
    title="PR area by trapezoids",
    formula="Σ (recallₖ - recallₖ₋₁) · (precisionₖ + precisionₖ₋₁) / 2",
    chance="prevalence",
    aliases=("AUPRC trapezoid", "PR AUC linear"),
    undefined=NO_POSITIVES,
    relatives=("average_precision", "pr_auc_davis_goadrich"),
    sources=("tharwat2018",),
    error="optimistic",
    binning_bounds=lambda worst, best: _trapezoids_within(worst, best),
)
def pr_auc_trapezoid(r: ScoreCounts) -> Any:
    """Area under the PR points joined by straight lines.

    No mixture of two classifiers follows those lines: between two thresholds precision does not
    change linearly. Use pr_auc_davis_goadrich or average_precision instead; this metric is here
    because other software reports it.

    Misleading: Straight lines show precision that no mixture of thresholds reaches, and software
    that starts them at precision 1 gives a constant score more than the prevalence.

    >>> import tallymark as tm
    >>> round(tm.metrics.pr_auc_trapezoid([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]), 6)
    0.791667
    """
    return ratio(rank_sums(r).trapezoids, r.positives)


@ranking(
    title="PR area by Davis and Goadrich",
    formula="∫ precision d(recall), FP growing in proportion to TP between two thresholds",
    chance="prevalence",
    aliases=("AUPRC Davis-Goadrich", "PR AUC"),
    undefined=NO_POSITIVES,
    relatives=("average_precision", "pr_auc_trapezoid"),
    sources=("davis2006", "tharwat2018"),
    error="optimistic",
)
def pr_auc_davis_goadrich(r: ScoreCounts) -> Any:
    """Area under the PR curve of mixtures of neighbouring thresholds, integrated exactly.

    Between A and B precision is (TP_A + x) / (TP_A + x + FP_A + s·x) with s = ΔFP/ΔTP.

    Misleading: It changes with prevalence: do not compare values at different class balances.

    >>> import tallymark as tm
    >>> round(tm.metrics.pr_auc_davis_goadrich([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]), 6)
    0.797267
    """
    return ratio(rank_sums(r).mixtures, r.positives)


@ranking(
    title="Area under the precision-recall-gain curve",
    formula="∫ precG d(recG) over recG 0 to 1; precG = 1 - P/N·FP/TP, recG = 1 - P/N·FN/TP",
    range=(-math.inf, 1),
    chance=0.0,
    aliases=("AUPRG", "PR gain", "precision recall gain"),
    relatives=("average_precision", "pr_auc_davis_goadrich", "f1"),
    sources=("flach2015",),
)
def pr_gain_auc(r: ScoreCounts) -> Any:
    """Area under the PR curve on axes where mixtures are straight lines and guessing is 0.

    Precision and recall are mapped to the harmonic scale from the prevalence, the precision of
    calling every row positive, to 1. The curve is then straight between thresholds, so the area is
    exact, and it is related to expected F1.

    Misleading: Its scale differs from that of other areas: small changes at high recall change it a
    lot.

    >>> import tallymark as tm
    >>> round(tm.metrics.pr_gain_auc([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.3, 0.2]), 6)
    0.666667
    """
    return rank_sums(r).gains


def _last_precise(r: ScoreCounts, precision: float) -> Any:
    """Return the last threshold with at least this precision, 0 if there is none."""
    check_target("precision", precision)

    def found(tp: Any, fp: Any) -> Any:
        return np.where(ratio(tp, tp + fp) >= precision, tp, 0.0)

    tp, fp = r._cumulative_counts
    place = greatest(tp, fp, found)
    return np.where(found(at(tp, place), at(fp, place)) > 0, place, 0)


def _first_reaching(r: ScoreCounts, recall: float) -> Any:
    """Return the first threshold with at least this recall."""
    return first_finding(r, check_target("recall", recall))


def first_finding(r: ScoreCounts, share: float) -> Any:
    """Return the first threshold with at least this recall, G + 1 without positives."""
    p = r.positives[..., None]
    # Compare TP, not FN: 1 - 0.05 is slightly less than 0.95 in floating point.
    return first_threshold(r, lambda tp, _: ratio(tp, p) >= share)


@read_at(
    title="Recall at a precision",
    formula="highest recall of the thresholds with precision ≥ target, 0 where there is none",
    aliases=("recall at fixed precision",),
    undefined=NO_POSITIVES,
    relatives=("precision_at_recall", "average_precision"),
    sources=("davis2006",),
    operating_point=_last_precise,
)
def recall_at_precision(r: ScoreCounts, *, precision: float = 0.9) -> Any:
    """Highest recall at which precision is at least the target.

    Misleading: A target chosen after seeing the curve is optimistic, and with few rows the best
    threshold is partly due to chance.

    >>> import tallymark as tm
    >>> tm.metrics.recall_at_precision([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], precision=0.6)
    1.0
    """
    return ratio(at(r._cumulative_counts[0], _last_precise(r, precision)), r.positives)


@read_at(
    title="Precision at a recall",
    formula="highest precision of the thresholds with recall ≥ target",
    chance="prevalence",
    aliases=("precision at fixed recall",),
    undefined=NO_POSITIVES,
    relatives=("recall_at_precision", "average_precision"),
    sources=("davis2006",),
    operating_point=_first_reaching,
    resolution=lambda recall: ("positives", 1 - recall),
)
def precision_at_recall(r: ScoreCounts, *, recall: float = 0.9) -> Any:
    """Highest precision at which recall is at least the target.

    Misleading: A target chosen after seeing the curve is optimistic, and with few rows the best
    threshold is partly due to chance.

    >>> import tallymark as tm
    >>> round(tm.metrics.precision_at_recall([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], recall=0.6), 4)
    0.6667
    """
    (tp, fp), p = r._cumulative_counts, r.positives[..., None]
    if tp.ndim == 1:
        start = _first_reaching(r, recall)
        tp, fp = tp[start:], fp[start:]

    def right(hits: Any, alarms: Any) -> Any:
        return np.where((ratio(hits, p) >= recall) & (hits > 0), ratio(hits, hits + alarms), 0.0)

    if not tp.size:
        return np.nan
    best = greatest(tp, fp, right)
    return ratio(at(tp, best), at(tp, best) + at(fp, best))


# -- the top-ranked rows -----------------------------------------------------------------------


def positives_in_top(r: ScoreCounts, depth: float) -> Any:
    """Return the number of positives in the top share of rows; a tie at the cut is split."""
    if not 0 < depth <= 1:
        raise InputError(f"depth is {depth!r}; give a share of the rows, above 0 and at most 1")
    return _top_positives(r, depth * r.total)


def first_of(r: ScoreCounts, rows: Any) -> Any:
    """Return the first threshold that calls at least ``rows`` rows positive, else the last."""
    rows = np.asarray(np.minimum(rows, r.total))[..., None]
    place = first_threshold(r, lambda tp, fp: tp + fp >= rows)
    return np.minimum(place, len(r.scores))


def _top_positives(r: ScoreCounts, rows: Any) -> Any:
    """Return the number of positives among the top ``rows`` rows; a tie at the cut is split."""
    rows = np.minimum(rows, r.total)
    after = first_of(r, rows)
    (tp0, fp0), (tp1, fp1) = at_both(r, np.maximum(after - 1, 0)), at_both(r, after)
    step = tp1 + fp1 - (tp0 + fp0)
    inside = np.where(step == 0, 0.0, ratio(rows - (tp0 + fp0), step))
    return tp0 + inside * (tp1 - tp0)


@read_at(
    title="Gain at a depth",
    formula="positives in the top share / P",
    chance="depth",
    aliases=("gain", "cumulative gain", "capture rate"),
    undefined=NO_POSITIVES,
    relatives=("lift_at", "recall_at_k"),
    sources=("shin2016",),
    operating_point=lambda r, depth: first_of(r, depth * r.total),
)
def gain_at(r: ScoreCounts, *, depth: float = 0.1) -> Any:
    """Share of all positives found among the highest scoring rows.

    By default, among the best tenth of the rows.

    Misleading: At a depth beyond the prevalence, an imperfect ranking can reach 1 as well.

    >>> import tallymark as tm
    >>> tm.metrics.gain_at([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], depth=0.5)
    0.5
    """
    return ratio(positives_in_top(r, depth), r.positives)


@read_at(
    title="Response rate at a depth",
    formula="positives in the top share / rows in it",
    chance="prevalence",
    aliases=("response rate", "cumulative response rate"),
    undefined=NO_ROWS,
    relatives=("lift_at", "precision_at_k"),
    sources=("shin2016",),
    operating_point=lambda r, depth: first_of(r, depth * r.total),
)
def response_rate_at(r: ScoreCounts, *, depth: float = 0.1) -> Any:
    """Share of positives among the highest scoring rows.

    By default, among the best tenth of the rows.

    Misleading: It changes with prevalence.

    >>> import tallymark as tm
    >>> tm.metrics.response_rate_at([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], depth=0.25)
    1.0
    """
    return ratio(positives_in_top(r, depth), depth * r.total)


@read_at(
    title="Lift at a depth",
    formula="response rate in the top share / prevalence",
    range=(0, math.inf),
    chance=1.0,
    aliases=("cumulative lift",),
    undefined=NO_POSITIVES,
    relatives=("gain_at", "response_rate_at"),
    sources=("shin2016",),
    presets={
        "top_decile_lift": {
            "params": {"depth": 0.1},
            "title": "Top decile lift",
            "meaning": "How many times more positives the top tenth of the rows holds than "
            "a random tenth.",
        },
        "top_two_decile_lift": {
            "params": {"depth": 0.2},
            "title": "Top two decile lift",
            "meaning": "How many times more positives the top fifth of the rows holds than "
            "a random fifth.",
        },
    },
    operating_point=lambda r, depth: first_of(r, depth * r.total),
)
def lift_at(r: ScoreCounts, *, depth: float = 0.1) -> Any:
    """How many times more positives the highest scoring rows hold than rows taken at random.

    Misleading: Its maximum is 1 / prevalence or 1 / depth, so do not compare values between data
    sets.

    >>> import tallymark as tm
    >>> tm.metrics.lift_at([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], depth=0.25)
    2.0
    """
    return ratio(positives_in_top(r, depth), depth * r.positives)


@read_at(
    title="Precision at k",
    formula="positives among the k highest scoring rows / k",
    chance="prevalence",
    aliases=("precision@k",),
    undefined={"there are fewer than k rows": lambda r, k: r.total < k},
    relatives=("recall_at_k", "response_rate_at", "r_precision"),
    sources=("manning2008",),
    operating_point=lambda r, k: first_of(r, k),
)
def precision_at_k(r: ScoreCounts, *, k: int = 10) -> Any:
    """Share of positives among the k rows of highest score; ties at the cut count by share.

    Misleading: It changes with prevalence and with the number of rows: k of many is a stricter
    choice than k of few.

    >>> import tallymark as tm
    >>> tm.metrics.precision_at_k([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], k=2)
    0.5
    """
    return ratio(_top_positives(r, _k(k)), k)


@read_at(
    title="Recall at k",
    formula="positives among the k highest scoring rows / P",
    chance="k / T",
    aliases=("recall@k",),
    undefined={**NO_POSITIVES, "there are fewer than k rows": lambda r, k: r.total < k},
    relatives=("precision_at_k", "gain_at"),
    sources=("manning2008",),
    operating_point=lambda r, k: first_of(r, k),
)
def recall_at_k(r: ScoreCounts, *, k: int = 10) -> Any:
    """Share of all positives among the k rows of highest score; ties at the cut count by share.

    Misleading: With more positives than k it cannot reach 1.

    >>> import tallymark as tm
    >>> tm.metrics.recall_at_k([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], k=1)
    0.5
    """
    return ratio(_top_positives(r, _k(k)), r.positives)


@read_at(
    title="R-precision",
    formula="positives among the P highest scoring rows / P",
    chance="prevalence",
    aliases=("precision-recall break-even point", "break even point", "PRBE"),
    undefined=NO_POSITIVES,
    relatives=("average_precision", "f1"),
    sources=("manning2008",),
    operating_point=lambda r: first_of(r, r.positives),
)
def r_precision(r: ScoreCounts) -> Any:
    """Precision when as many rows are called positive as truly are; it then equals recall.

    Misleading: It is one point of the curve, possibly not your operating point.

    >>> import tallymark as tm
    >>> tm.metrics.r_precision([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    0.5
    """
    return ratio(_top_positives(r, r.positives), r.positives)


def check_target(name: str, share: float) -> float:
    """Return the target; one outside (0, 1] raises InputError."""
    if not 0 < share <= 1:
        raise InputError(f"{name} is {share!r}; give a target above 0 and at most 1")
    return share


def _k(k: int) -> int:
    if not k >= 1 or k != int(k):
        raise InputError(f"k is {k!r}; give a number of rows, 1 or more")
    return int(k)
