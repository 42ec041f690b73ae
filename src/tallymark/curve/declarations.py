"""Declarations of all curves of one score tally, and the functions that compute their points."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from tallymark import _kernels
from tallymark.curve.definitions import (
    CURVES,
    DIAGONAL,
    SCORE,
    THRESHOLD,
    Axis,
    Points,
    Projection,
    Reference,
    at_thresholds,
    curve,
    declare,
    from_zero,
    up_to_one,
)
from tallymark.curve.points import Curve, step_values
from tallymark.metric.calibration import binned
from tallymark.metric.measure import refuse_no_probability
from tallymark.metric.proportion import binomial_draws, quantile, wilson
from tallymark.metric.registry import ratio
from tallymark.metric.retrieval import positives_in_top
from tallymark.tally.arrays import Floats
from tallymark.tally.labels import Counts
from tallymark.tally.score_counts import bin_starts
from tallymark.tally.scores import ScoreCounts, ScoreTally

FPR = Axis("false_positive_rate")
FNR = Axis("false_negative_rate")
TPR = Axis("sensitivity", "sensitivity (recall)")
PRECISION = Axis("precision")
DEPTH = Axis("predicted_positive_rate", "share of rows called positive")
COST = Axis("probability cost", "probability cost of positives")
BELOW = "share at or below"
INTERPOLATED = 2000  # points of a curve that is interpolated between thresholds
GRID = np.array([1e-6, 0.001, 0.4, 0.5, 0.6, 0.999, 1 - 1e-6])  # nodes of straight reference lines

ISO_F = (0.2, 0.4, 0.6, 0.8)
"""F1 values of the iso-F1 lines on a precision-recall curve."""


def equal_f(f: float) -> Reference:
    """Return the line of constant F1 in a precision-recall plot."""
    recall = f / (2 - f) + (1 - f / (2 - f)) * np.linspace(0, 1, 24) ** 2
    return Reference(
        f"F1 {f:g}", lambda share: (recall, f * recall / (2 * recall - f)), ":", fine=True
    )


def _perfect_lift(share: float) -> tuple[Any, Any]:
    depth = np.linspace(share, 1, 40)
    return np.append(0.0, depth), np.append(1 / share, 1 / depth)


def equal_rates(frr: Curve, far: Curve) -> tuple[Any, Any] | None:
    """Return threshold and rate where the error rates cross, interpolated between two thresholds.

    None without thresholds or if a rate is undefined.

    >>> t = ScoreTally.from_arrays([0] * 5 + [1] * 4, [0.2] * 4 + [0.8] + [0.2] + [0.8] * 3)
    >>> equal_rates(CURVES["frr"](t), CURVES["far"](t))
    ([0.2], [0.238...])
    """
    x, a, b = _together(far, frr)
    gap = a - b  # falls as the threshold rises
    if not len(x) or np.isnan(gap).any():
        return None
    even = np.flatnonzero(gap == 0)
    if len(even):
        at = int(even[len(even) // 2])
        return [float(x[at])], [float(a[at])]
    at = max(int(np.count_nonzero(gap > 0)) - 1, 0)
    above = (far.y[0], frr.y[0]) if at + 1 == len(x) else (a[at + 1], b[at + 1])
    share = gap[at] / (gap[at] - (above[0] - above[1]))
    return [float(x[at])], [float(a[at] + share * (above[0] - a[at]))]


def widest_gap(a: Curve, b: Curve) -> tuple[Any, Any] | None:
    """Return the ends of the largest gap of two curves over the score, None if undefined."""
    x, first, second = _together(a, b)
    gap = np.abs(first - second)
    if not len(x) or np.isnan(gap).any():
        return None
    widest = np.flatnonzero(gap >= gap.max())
    at = int(widest[len(widest) // 2])
    return [x[at]] * 2, [first[at], second[at]]


def _together(a: Curve, b: Curve) -> tuple[Floats, Floats, Floats]:
    x = np.unique(np.append(a.x, b.x))
    x = x[np.isfinite(x)]
    return x, step_values(a, x), step_values(b, x)


# -- ROC and related curves --------------------------------------------------------------------

declare(
    "roc",
    FPR,
    TPR,
    meaning="the ROC curve: (0, 0), a point at every distinct score, ending at (1, 1).",
    title="ROC curve",
    words="Each point is a threshold: the share of positives found against the share of negatives "
    "that raise a false alarm. Up and left is better; the diagonal is guessing.",
    page="first",
    json=True,
    beside=("roc_auc", "area"),
    references=(DIAGONAL,),
    projection=Projection("fpr", "tpr", lambda x, tpr, share: tpr),
    both_classes=True,
)

CORNERS = "its corners inside a tie are not thresholds; use the band of roc"


@curve(
    FPR,
    TPR,
    json=True,
    no_band="its corners were chosen on the same rows; use the band of "
    "roc, or that of cost, which corrects for the choice",
)
def roc_hull(tally: ScoreTally) -> Points:
    """Return the corners of the convex hull of the ROC curve: the thresholds worth choosing.

    Each corner is optimal for some costs; points between corners are mixtures of two of them.

    >>> c = CURVES["roc_hull"](ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.x.tolist(), c.y.tolist(), c.threshold.tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0], [inf, 0.9, 0.3, 0.1])
    """
    x, y, threshold = _hull(tally)
    return {"x": x, "y": y, "threshold": threshold}


@curve(FPR, TPR, no_band=CORNERS)
def roc_optimistic(tally: ScoreTally) -> Points:
    """Return the ROC curve if, within every tie, positives had been ranked first.

    Every order of the tied rows gives a curve between this one and ``roc_pessimistic``; ``roc``
    goes through the middle. The corners inside a tie are not thresholds.

    >>> c = CURVES["roc_optimistic"](ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.4]))
    >>> c.x.tolist(), c.y.tolist()
    ([0.0, 0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0, 1.0])
    """
    return _tie_corners(tally, upper=True)


@curve(FPR, TPR, no_band=CORNERS)
def roc_pessimistic(tally: ScoreTally) -> Points:
    """Return the ROC curve if, within every tie, negatives had been ranked first.

    >>> c = CURVES["roc_pessimistic"](ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.4]))
    >>> c.x.tolist(), c.y.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    return _tie_corners(tally, upper=False)


def _tie_corners(tally: ScoreTally, upper: bool) -> Points:
    c = CURVES["roc"](tally)
    x = np.stack([c.x[:-1] if upper else c.x[1:], c.x[1:]], 1).ravel()
    y = np.stack([c.y[1:] if upper else c.y[:-1], c.y[1:]], 1).ravel()
    x, y = np.append(c.x[:1], x), np.append(c.y[:1], y)
    moved = np.append(True, (np.diff(x) != 0) | (np.diff(y) != 0))
    return {"x": x[moved], "y": y[moved]}


def _hull(tally: ScoreTally) -> tuple[Floats, Floats, Floats]:
    """Return FPR, TPR and the threshold at the corners of the convex hull of the ROC curve."""
    scores, hull = tally.scores, tally._score_counts.roc_convex_hull
    tp, fp = hull._cumulative_counts
    starts = np.append(0, np.searchsorted(scores, hull.scores[:-1]) + 1)[: len(hull.scores)]
    with np.errstate(all="ignore"):
        x, y = ratio(fp, fp[-1]), ratio(tp, tp[-1])
    return x, y, np.append(np.inf, scores[starts][::-1])


# -- precision and recall ----------------------------------------------------------------------


@curve(
    TPR,
    PRECISION,
    step="pre",
    title="Precision and recall",
    words="Each point is a threshold: how many of the rows called positive are right, against how "
    "many of the positives are found.",
    page="first",
    json=True,
    beside=("average_precision", "AP"),
    references=(
        Reference("chance", lambda share: ([0, 1], [share, share]), of_share=True),
        *map(equal_f, ISO_F),
    ),
    projection=Projection(
        "tpr", "fpr", lambda x, fpr, share: share * x / (share * x + (1 - share) * fpr)
    ),
    both_classes=True,
)
def pr(tally: ScoreTally) -> Points:
    """Return the precision-recall curve, from recall 0 to (1, prevalence).

    At recall 0 no row is called positive and precision is undefined. The curve starts at the
    precision of its first point if that has a true positive, else at 0. Between two points it has
    the precision of the lower threshold, so its area is average precision.

    >>> c = CURVES["pr"](ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.x.tolist(), c.y.round(3).tolist()
    ([0.0, 0.5, 0.5, 1.0, 1.0], [1.0, 1.0, 0.5, 0.667, 0.5])
    """
    r = tally._score_counts
    points = at_thresholds(r, TPR, PRECISION)
    y, (tp, fp) = points["y"], r._cumulative_counts
    # Precision is also undefined at the top thresholds if their rows have weight 0.
    first = int(np.argmax(tp + fp > 0)) if tp[-1] + fp[-1] > 0 else len(y)
    if first < len(y):
        y[:first] = y[first] if tp[first] > 0 else 0.0
    return points


@curve(
    TPR,
    PRECISION,
    title="Precision and recall, Davis and Goadrich",
    references=(Reference("chance", lambda share: ([0, 1], [share, share]), of_share=True),),
    no_band="its points between thresholds are interpolated; use the band of pr",
)
def pr_davis_goadrich(tally: ScoreTally) -> Points:
    """Return precision against recall, interpolated between thresholds as the ROC curve is.

    Between two thresholds true and false positives grow proportionally, as with a random choice
    between the two: precision is (TP + x) / (TP + x + FP + s x), s = dFP / dTP. Its area is
    ``pr_auc_davis_goadrich``. No classifier attains the straight lines between points of ``pr``.
    Davis and Goadrich 2006, equation 18 of Tharwat 2018.

    >>> c = CURVES["pr_davis_goadrich"](ScoreTally.from_arrays([0, 1, 1], [0.9, 0.5, 0.5]))
    >>> np.interp([0, 0.5, 1], c.x, c.y).round(3).tolist()
    [0.0, 0.5, 0.667]
    """
    r = tally._score_counts
    tp, fp = (np.asarray(v, dtype=np.float64) for v in r._cumulative_counts)
    pieces = max(INTERPOLATED // len(tp), 1)
    share = np.arange(1, pieces + 1) / pieces
    tp, fp = (
        np.append(v[:1], (v[:-1, None] + np.diff(v)[:, None] * share).ravel()) for v in (tp, fp)
    )
    c = Counts(tp, fp, tp[-1] - tp, fp[-1] - fp)
    y = PRECISION.of(c)
    y[0] = CURVES["pr"](tally).y[0]
    return {"x": TPR.of(c), "y": y}


def _gain_of(c: Counts, lost: Any) -> Any:
    """Return precision gain (lost = FP) or recall gain (lost = FN): 1 - P/N · lost/TP."""
    return 1 - ratio(c.positives, c.negatives) * ratio(lost, c.tp)


RECALL_GAIN = Axis("recall gain", formula=lambda c, x: _gain_of(c, c.fn), range=(-np.inf, 1.0))
PRECISION_GAIN = Axis(
    "precision gain", formula=lambda c, x: _gain_of(c, c.fp), range=(-np.inf, 1.0)
)


@curve(
    RECALL_GAIN,
    PRECISION_GAIN,
    title="Precision and recall gain",
    beside=("pr_gain_auc", "area"),
    references=(Reference("always positive", lambda share: ([0, 1], [1, 0])),),
)
def pr_gain(tally: ScoreTally) -> Points:
    """Return the precision-recall-gain curve, from recall gain 0; its area is pr_gain_auc.

    >>> c = CURVES["pr_gain"](ScoreTally.from_arrays([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.3, 0.2]))
    >>> c.x.round(3).tolist(), c.y.round(3).tolist()
    ([0.0, 0.333, 0.333, 1.0, 1.0, 1.0], [1.0, 1.0, 0.333, 0.667, 0.333, 0.0])
    """
    r = tally._score_counts
    tp, fp = r._cumulative_counts
    p, n = float(tp[-1]), float(fp[-1])
    threshold = r.thresholds()
    with np.errstate(all="ignore"):
        least = p * ratio(p, p + n)
        after = int(np.searchsorted(tp, least, side="right")) if p and n else len(tp)
        if after < len(tp):
            share = (least - tp[after - 1]) / (tp[after] - tp[after - 1])
            cut = fp[after - 1] + share * (fp[after] - fp[after - 1])
            tp, fp = np.append(least, tp[after:]), np.append(cut, fp[after:])
            threshold = threshold[after - 1 :]
        c = Counts(tp, fp, p - tp, n - fp)
        return {"x": RECALL_GAIN.of(c), "y": PRECISION_GAIN.of(c), "threshold": threshold}


EQUAL_RATES = (
    Reference("chance", lambda share: (GRID, 1 - GRID)),
    Reference("equal error rates", lambda share: (GRID, GRID), ":", fine=True),
)

declare(
    "det",
    Axis(FPR.name, scale="probit"),
    Axis(FNR.name, scale="probit"),
    meaning="the detection error trade-off: misses against false alarms, on axes of normal "
    "deviates.",
    title="Detection error trade-off",
    words="Misses against false alarms on axes of normal deviates, which spread out small errors; "
    "down and left is better. Normal scores give a straight line.",
    page="more",
    json=True,
    beside=("equal_error_rate", "EER"),
    references=EQUAL_RATES,
    projection=Projection("fpr", "tpr", lambda x, tpr, share: 1 - tpr),
    both_classes=True,
)


@curve(
    FNR,
    FPR,
    references=EQUAL_RATES,
    no_band="it is det with its axes exchanged; use the band of det",
)
def det_linear(tally: ScoreTally) -> Points:
    """Return both error rates on linear axes: false accepts against false rejects.

    These are the axes of Tharwat (2018, figure 12). The curve runs from (0, 1), where every row is
    accepted, to (1, 0), where every row is rejected. ``det`` has the axes of Martin et al. (1997).

    >>> c = CURVES["det_linear"](ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.x.tolist(), c.y.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [1.0, 0.5, 0.5, 0.0, 0.0])
    """
    return {name: v[::-1] for name, v in at_thresholds(tally._score_counts, FNR, FPR).items()}


# -- against the threshold or the score --------------------------------------------------------

for _name, _rate, _word in (("far", FPR, "accept"), ("frr", FNR, "reject")):
    declare(
        _name,
        THRESHOLD,
        _rate,
        step="post",
        meaning=f"the false {_word} rate against the threshold; both error rates cross at the "
        "equal error rate.",
        **(
            {}
            if _name == "far"
            else {
                "pair": "far",
                "chart": "error_rates",
                "title": "Error rates by threshold",
                "words": "As the threshold rises false accepts fall and false rejects rise; the "
                "dot is the equal error rate.",
                "sides": ("false rejects", "false accepts"),
                "axis_title": "error rate",
                "page": "more",
                "beside": ("equal_error_rate", "EER"),
                "highlight": equal_rates,
                "dot": "equal error rate",
            }
        ),
    )


@curve(
    SCORE,
    Axis(BELOW, metric="false_negative_rate"),
    step="post",
    pair="ks_negative",
    chart="ks",
    title="Kolmogorov-Smirnov",
    words="The score distributions of both classes; the thin line is their greatest distance.",
    axis_title="share of the class at or below",
    page="more",
    beside=("kolmogorov_smirnov", "KS"),
    highlight=widest_gap,
    marks_threshold=False,
)
def ks_positive(tally: ScoreTally) -> Points:
    """Return the cumulative distribution of the positives' scores: the share at or below each."""
    return _cumulative(tally, tally._score_counts.pos)


@curve(SCORE, Axis(BELOW, metric="specificity"), step="post")
def ks_negative(tally: ScoreTally) -> Points:
    """Return the cumulative distribution of the others' scores: the share at or below each.

    Its greatest distance to ``ks_positive`` is the Kolmogorov-Smirnov distance.

    >>> t = ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    >>> CURVES["ks_negative"](t).y.tolist(), CURVES["ks_positive"](t).y.tolist()
    ([0.5, 0.5, 1.0, 1.0], [0.0, 0.5, 0.5, 1.0])
    """
    return _cumulative(tally, tally._score_counts.neg)


def _cumulative(tally: ScoreTally, rows: Any) -> Points:
    below = np.cumsum(rows)
    with np.errstate(all="ignore"):
        share = ratio(below, below[-1]) if len(below) else below
    return {"x": tally.scores, "y": share}


# -- the top-ranked rows -----------------------------------------------------------------------

declare(
    "gain",
    DEPTH,
    TPR,
    meaning="cumulative gain: the share of positives found against the share of rows chosen.",
    title="Cumulative gain",
    words="Share of the positives among the rows of highest score. The thin line is a perfect "
    "order, the dashed line a random order.",
    page="more",
    json=True,
    beside=("gain_at", "top tenth"),
    references=(
        Reference("perfect", lambda share: ([0, share, 1], [0, 1, 1]), ":", of_share=True),
        DIAGONAL,
    ),
    projection=Projection("depth", "tpr", lambda x, tpr, share: tpr),
    both_classes=True,
)


@curve(
    DEPTH,
    Axis("lift", limits=from_zero),
    title="Cumulative lift",
    words="How many times more positives than in rows drawn at random; 1 is random.",
    page="more",
    beside=("top_decile_lift", "top tenth"),
    references=(
        Reference(
            "perfect",
            _perfect_lift,
            ":",
            of_share=True,
        ),
        Reference("chance", lambda share: ([0, 1], [1, 1])),
    ),
    projection=Projection("depth", "tpr", lambda x, tpr, share: tpr / x),
    both_classes=True,
)
def lift(tally: ScoreTally) -> Points:
    """Return cumulative lift: how many times more positives than at random, against the depth.

    >>> c = CURVES["lift"](ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.x.tolist(), c.y.round(3).tolist()
    ([0.25, 0.5, 0.75, 1.0], [2.0, 1.0, 1.333, 1.0])
    """
    result = at_thresholds(tally._score_counts, DEPTH, Axis("lift"))
    some = result["x"] > 0
    return {name: v[some] for name, v in result.items()}


# -- costs -------------------------------------------------------------------------------------


@curve(
    COST,
    Axis(
        "expected cost / cost of being always wrong",
        "normalised expected cost",
        limits=lambda low, high: (0.0, max(0.5, 1.08 * high)),
    ),
    title="Cost curve",
    words="The lowest cost of any threshold, for every class balance and every pair of costs; "
    "below the dashed line it beats a constant decision.",
    page="more",
    json=True,
    bounded="",
    envelope="cost",
    both_classes=True,
    marks_threshold=False,
    references=(Reference("always or never positive", lambda share: ([0, 0.5, 1], [0, 0.5, 0])),),
)
def cost(tally: ScoreTally) -> Points:
    """Return the cost curve of Drummond and Holte: the least cost at every class balance and cost.

    ``x`` is the probability cost of the positives, π·cFN / (π·cFN + (1 - π)·cFP). ``y`` is the
    expected cost at the best threshold for that x, divided by the cost of being always wrong.

    >>> c = CURVES["cost"](ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.x.tolist(), c.y.tolist(), c.threshold.tolist()
    ([0.0, 0.0, 0.5, 1.0, 1.0], [0.0, 0.0, 0.25, 0.0, 0.0], [inf, 0.9, 0.3, 0.1, 0.1])
    """
    fpr, tpr, threshold = _hull(tally)
    with np.errstate(all="ignore"):
        bend = ratio(np.diff(fpr), np.diff(fpr) + np.diff(tpr))
    x = np.concatenate([[0.0], bend, [1.0]])
    # At a bend the two neighbouring corners have the same cost.
    y = (1 - tpr[np.append(np.arange(len(tpr)), -1)]) * x
    y = y + fpr[np.append(np.arange(len(fpr)), -1)] * (1 - x)
    return {"x": x, "y": y, "threshold": np.append(threshold, threshold[-1])}


declare(
    "kappa",
    FPR,
    Axis("cohen_kappa", limits=up_to_one),
    meaning="Cohen's kappa against the false positive rate; the area under it is AUK.",
    title="Kappa curve",
    words="Agreement beyond chance at each false positive rate.",
    page="more",
    json=True,
    beside=("auk", "area"),
    references=(Reference("chance", lambda share: ([0, 1], [0, 0])),),
)


DECISION_POINTS = 100
CUTS = np.arange(DECISION_POINTS) / DECISION_POINTS
FIELD_DRAWS = 2000
BAND_DRAWS = 400

SHARE = Axis("share positive", "share truly positive")
IDENTITY = Reference("perfect calibration", lambda share: ([0, 1], [0, 1]))
ACTING = Axis("threshold probability")
BENEFIT = Axis(
    "net_benefit",
    formula=lambda c, x: ratio(c.tp - c.fp * x / (1 - x), c.total),
    range=(-np.inf, 1.0),
    limits=lambda low, high: (-0.15 * max(high, 1e-3), 1.1 * max(high, 1e-3)),
)


@curve(
    Axis("mean probability", "mean probability given"),
    SHARE,
    draw="points",
    title="Calibration",
    words="Rows are grouped by their probability; of those given 0.8, eight in ten should be "
    "positive. On the diagonal, probabilities are calibrated.",
    page="first",
    json=True,
    beside=("brier", "Brier"),
    references=(IDENTITY,),
    bounded="own",
    needs="probabilities",
)
def calibration(
    tally: ScoreTally,
    bins: int = 10,
    strategy: Literal["mass", "width"] = "mass",
    level: float = 0.95,
    bounds: Literal["interval", "consistency"] = "interval",
    stratified: bool = False,
) -> Points:
    """Return the calibration curve: mean probability against the share that was positive.

    ``strategy`` makes bins with about equal numbers of rows ("mass") or of equal "width". Rows with
    the same score stay together, so there may be fewer bins. ``low`` and ``high`` are Wilson's
    "interval" of the share, or "consistency" bands, which contain the share with probability
    ``level`` if the probabilities are calibrated. Weighted rows count by their effective sample
    size. With ``stratified`` the class shares are known, as at another class balance; the bounds
    then come from Beta posteriors of each class's rows. Scores outside 0 to 1 raise InputError.

    >>> t = ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.4])
    >>> c = CURVES["calibration"](t, bins=2)
    >>> c.x.tolist(), c.y.tolist(), c.counts.tolist()
    ([0.1, 0.5666666666666668], [0.0, 0.6666666666666666], [1.0, 3.0])
    """
    refuse_no_probability(tally, "a calibration curve")
    r = tally._score_counts
    with np.errstate(all="ignore"):
        rows, _, pos, promised, _ = binned(r, bins, strategy)
        full = rows > 0
        n, hits, mass = rows[full], pos[full], promised[full]
    squares = tally._squared_score_counts
    effective = n
    if squares is not None:
        starts = bin_starts(r, bins, strategy)[:-1][full]
        second = np.add.reduceat(squares.pos + squares.neg, starts) if len(starts) else n
        effective = n**2 / second
    share, mean = hits / n, mass / n
    if stratified:
        each = (hits, n - hits) if bounds == "interval" else (n * mean, n * (1 - mean))
        low, high = _field_bounds(*each, r, squares, level, drawn_anew=bounds != "interval")
    elif bounds == "interval":
        low, high = wilson(share * effective, effective, quantile(level))
    else:
        low, high = _consistency(mean, effective, level)
    return {"x": mean, "y": share, "counts": n, "low": low, "high": high}


def _consistency(mean: Floats, n: Floats, level: float) -> tuple[Floats, Floats]:
    from scipy.stats import binom

    quantile(level)  # check the level
    whole, mean = np.rint(n), np.minimum(mean, 1.0)  # rounding may raise a mean above 1
    tail = (1 - level) / 2
    return binom.ppf(tail, whole, mean) / whole, binom.ppf(1 - tail, whole, mean) / whole


def _field_bounds(
    pos: Floats,
    neg: Floats,
    r: ScoreCounts,
    squares: ScoreCounts | None,
    level: float,
    drawn_anew: bool = False,
) -> tuple[Floats, Floats]:
    """Return bounds of pos / (pos + neg) in parts of the classes, given the total class weights.

    By default each class's share in a part is drawn from its Beta posterior, so a count of 0 still
    allows a positive share. With ``drawn_anew`` the counts of a part are Poisson, with ``pos`` and
    ``neg`` as their means.
    """
    quantile(level)  # check the level
    rng = np.random.default_rng(0)
    replicates = []
    whole = (pos, r.pos, squares and squares.pos), (neg, r.neg, squares and squares.neg)
    for part, counts, second in whole:
        total, unit = float(counts.sum()), _unit(counts, second) or 1.0
        size = (FIELD_DRAWS, len(part))
        if drawn_anew:
            replicates.append(rng.poisson(np.maximum(part, 0.0) / unit, size) * unit)
        else:
            rest = np.maximum(total - part, 0.0)
            replicates.append(total * rng.beta(part / unit + 0.5, rest / unit + 0.5, size))
    with np.errstate(all="ignore"):
        share, observed = ratio(replicates[0], replicates[0] + replicates[1]), ratio(pos, pos + neg)
    share = np.where(np.isnan(share), observed, share)
    low, high = np.quantile(share, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return (low, high) if drawn_anew else (np.fmin(low, observed), np.fmax(high, observed))


def _unit(counts: Any, squares: Any) -> float:
    """Return the weight per effective row of a class, Σw² / Σw (Kish); 0 without weight."""
    total = float(counts.sum())
    return float((counts if squares is None else squares).sum()) / total if total else 0.0


@curve(
    Axis("depth", "tenth of the rows, from the highest scores"),
    Axis("response rate", "share of positives"),
    draw="points",
    title="Response by tenths",
    words="The share of positives in each tenth of the rows, from the highest scores down; the "
    "dashed line is the share in all rows.",
    page="more",
    json=True,
    bounded="own",
    references=(Reference("all rows", lambda share: ([0, 1], [share, share]), of_share=True),),
)
def deciles(
    tally: ScoreTally, parts: int = 10, level: float = 0.95, stratified: bool = False
) -> Points:
    """Return the response rate of each tenth of the rows, from the highest scores down.

    ``x`` is the depth at which a tenth ends and ``counts`` its number of rows. Bounds are Wilson's,
    or with ``stratified`` those of ``calibration``. Rows tied at a border are split in proportion.

    >>> c = CURVES["deciles"](ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]), parts=2)
    >>> c.x.tolist(), c.y.tolist(), c.counts.tolist()
    ([0.5, 1.0], [0.5, 0.5], [2.0, 2.0])
    """
    r = tally._score_counts
    depths = np.arange(1, parts + 1) / parts
    with np.errstate(all="ignore"):
        result = np.array([float(positives_in_top(r, d)) for d in depths])
    rows = float(r.total) / parts
    hits = np.diff(result, prepend=0.0)
    squares = tally._squared_score_counts
    effective = rows
    if squares is not None:
        effective = rows * float(r.total) / float(squares.total)
    with np.errstate(all="ignore"):
        share = np.clip(ratio(hits, rows), 0.0, 1.0)
        low, high = wilson(share * effective, np.full(parts, effective), quantile(level))
    if stratified:
        low, high = _field_bounds(hits, np.maximum(rows - hits, 0.0), r, squares, level)
    return {"x": depths, "y": share, "counts": np.full(parts, rows), "low": low, "high": high}


@curve(
    Axis("probability", "probability given"),
    SHARE,
    title="Isotonic calibration",
    json=True,
    beside=("miscalibration", "MCB"),
    references=(IDENTITY,),
    needs="probabilities",
    no_band="its low and high are already consistency bands",
)
def calibration_isotonic(
    tally: ScoreTally,
    level: float = 0.95,
    draws: int = BAND_DRAWS,
    seed: int = 0,
    stratified: bool = False,
) -> Points:
    """Return isotonic calibration: the share positive that best fits while rising with p (CORP).

    It needs no bins. ``low`` and ``high`` are consistency bands: they contain the line with
    probability ``level`` if the probabilities are calibrated (outcomes are simulated from them, in
    at most about 800 groups of probabilities). With ``stratified`` outcomes are simulated for the
    rows in the sample, and weighted as their class is at the other class balance.

    >>> t = ScoreTally.from_arrays([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8])
    >>> c = CURVES["calibration_isotonic"](t)
    >>> c.x.tolist(), c.y.tolist()
    ([0.2, 0.4, 0.6, 0.8], [0.0, 0.5, 0.5, 1.0])
    """
    refuse_no_probability(tally, "a calibration curve")
    quantile(level)  # check the level
    coarse = tally._coarse()
    r = coarse._score_counts
    rows = r.pos + r.neg
    filled = rows > 0
    p, rows = r.scores[filled], rows[filled]
    (y,) = _isotonic(r.pos[filled][None], r.neg[filled][None])
    squares = coarse._squared_score_counts
    n = rows
    if squares is not None:
        n = np.maximum(np.rint(rows**2 / (squares.pos + squares.neg)[filled]), 1)
    rng = np.random.default_rng(seed)
    if stratified:
        of_pos, of_neg = (None, None) if squares is None else (squares.pos, squares.neg)
        units = _unit(r.pos, of_pos), _unit(r.neg, of_neg)
        # p is the probability at the other class balance, where a row of the sample has the weight
        # ``unit`` of its class. In the sample its odds are divided by the ratio of the units.
        of_one = [1 / unit if unit else 0.0 for unit in units]
        n = np.rint(r.pos[filled] * of_one[0] + r.neg[filled] * of_one[1])
        with np.errstate(all="ignore"):
            odds = ratio(p * of_one[0], (1 - p) * of_one[1])
            chance = np.where(np.isinf(odds), 1.0, odds / (1 + odds))
        hits = binomial_draws(rng, n, np.nan_to_num(chance), draws)
        pos, neg = hits * units[0], (n - hits) * units[1]
    else:
        pos = binomial_draws(rng, n, p, draws)
        pos *= rows / n
        neg = np.maximum(rows - pos, 0.0)
    replicates = np.sort(_isotonic(pos, neg), axis=0)
    tail = (1 - level) / 2
    low = replicates[int(np.floor(tail * draws + 1e-9))] if draws else None
    high = replicates[int(np.ceil((1 - tail) * draws - 1e-9)) - 1] if draws else None
    return {"x": p, "y": y, "counts": rows, "low": low, "high": high}


def _isotonic(pos: Any, neg: Any) -> Floats:
    """Return the share of positives by isotonic regression at every score, (draws, G)."""
    pos, neg = (np.array(v, np.float64, order="C") for v in (pos, neg))
    _kernels.pool(pos, neg)
    with np.errstate(invalid="ignore"):
        share = ratio(pos, pos + neg)
    # The kernel stores a block's rows at its last score: copy its share to its other scores.
    places = np.where(np.isnan(share), share.shape[1] - 1, np.arange(share.shape[1]))
    block = np.minimum.accumulate(places[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(np.take_along_axis(share, block, axis=1))


@curve(
    ACTING,
    BENEFIT,
    title="Decision curve",
    words="Net benefit of acting from each probability on; the model is useful where it is above "
    "both dashed lines, treating all and treating none.",
    page="more",
    json=True,
    references=(
        Reference("act on all", lambda share: (CUTS, _acting_on_all(share)), of_share=True),
        Reference("act on none", lambda share: ([0, 1], [0, 0]), ":"),
    ),
    marks_threshold=False,
    needs="probabilities",
    envelope="decision",
    both_classes=True,
)
def decision(tally: ScoreTally, points: int = DECISION_POINTS) -> Points:
    """Return the decision curve: net benefit of acting from each probability on.

    >>> t = ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    >>> c = CURVES["decision"](t, points=4)
    >>> c.x.tolist(), c.y.round(3).tolist()
    ([0.0, 0.25, 0.5, 0.75], [0.5, 0.417, 0.25, 0.25])
    """
    refuse_no_probability(tally, "a decision curve")
    cuts = np.arange(points) / points
    return _net_benefit(tally._score_counts.at(cuts), cuts)


@curve(ACTING, BENEFIT, needs="probabilities", bounded="prevalence")
def decision_all(tally: ScoreTally, points: int = DECISION_POINTS) -> Points:
    """Return the net benefit of calling every row positive, which a decision curve must beat."""
    r = tally._score_counts
    none = np.zeros(points)
    return _net_benefit(
        Counts(none + r.positives, none + r.negatives, none, none), np.arange(points) / points
    )


def _acting_on_all(share: float) -> Any:
    return BENEFIT.of(Counts(share, 1 - share, 0.0, 0.0), CUTS)


def _net_benefit(c: Counts, cuts: Floats) -> Points:
    with np.errstate(all="ignore"):
        return {"x": cuts, "y": BENEFIT.of(c, cuts), "threshold": cuts}


__test__ = {name: c.__doc__ for name, c in CURVES.items() if c.function is not None}
