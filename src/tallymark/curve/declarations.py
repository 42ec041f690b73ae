"""The curves of one score tally: each its points and all that is known of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallymark.curve.points import Curve, held
from tallymark.curve.registry import (
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
from tallymark.metric.registry import ratio
from tallymark.tally.arrays import Floats
from tallymark.tally.labels import Counts
from tallymark.tally.scores import ScoreTally

FPR = Axis("false_positive_rate")
FNR = Axis("false_negative_rate")
TPR = Axis("sensitivity", "sensitivity (recall)")
PRECISION = Axis("precision")
DEPTH = Axis("predicted_positive_rate", "share of rows called positive")
COST = Axis("probability cost", "probability cost of positives")
BELOW = "share at or below"
GRID = np.array([1e-6, 0.001, 0.4, 0.5, 0.6, 0.999, 1 - 1e-6])  # straight between

ISO_F = (0.2, 0.4, 0.6, 0.8)
"""Lines of equal F1, to read it off a precision-recall curve."""


def equal_f(f: float) -> Reference:
    """Return the line on which F1 stays the same."""
    recall = f / (2 - f) + (1 - f / (2 - f)) * np.linspace(0, 1, 24) ** 2
    return Reference(
        f"F1 {f:g}", lambda share: (recall, f * recall / (2 * recall - f)), ":", fine=True
    )


def _perfect_lift(share: float) -> tuple[Any, Any]:
    depth = np.linspace(share, 1, 40)
    return np.append(0.0, depth), np.append(1 / share, 1 / depth)


def equal_rates(frr: Curve, far: Curve) -> tuple[Any, Any] | None:
    """Return the threshold and the rate where both error rates cross, on a step of both.

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
    """Return the ends of the greatest distance of two curves over the score."""
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
    return x, held(a, x), held(b, x)


# -- ROC and its relatives ---------------------------------------------------------------------

declare(
    "roc", FPR, TPR,
    meaning="the ROC curve: (0, 0), a point at every distinct score, ending at (1, 1).",
    title="ROC curve",
    words="Each point is a threshold: the share of positives found against the share of negatives "
    "that raise a false alarm. Up and left is better; the diagonal is guessing.",
    page="first", json=True, beside=("roc_auc", "AUC"), references=(DIAGONAL,),
    projection=Projection("fpr", "tpr", lambda x, tpr, share: tpr), both_classes=True,
)  # fmt: skip

CORNERS = "its corners inside a tie are no thresholds; take that of roc"


@curve(FPR, TPR, json=True, no_band="its corners were chosen on the rows that they would be "
       "judged on; take that of roc, or cost's, which allows for the choice")  # fmt: skip
def roc_hull(tally: ScoreTally) -> Points:
    """Return the corners of the convex hull of the ROC curve: the thresholds worth choosing.

    Each is best for some costs; points between corners are mixtures of two of them.

    >>> c = CURVES["roc_hull"](ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.x.tolist(), c.y.tolist(), c.threshold.tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0], [inf, 0.9, 0.3, 0.1])
    """
    x, y, threshold = _hull(tally)
    return {"x": x, "y": y, "threshold": threshold}


@curve(FPR, TPR, no_band=CORNERS)
def roc_optimistic(tally: ScoreTally) -> Points:
    """Return the ROC curve if, within every tie, positives had been ranked first.

    With ``roc_pessimistic`` it encloses every curve that an order of the tied rows can make;
    ``roc`` goes through the middle. The corners inside a tie are no thresholds.

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
    r = tally.score_counts
    pooled = r.pav
    last = np.flatnonzero(pooled.pos + pooled.neg > 0)
    starts = np.append(0, last[:-1] + 1)[: len(last)]  # none of no rows
    tp, fp = (np.append(0.0, np.cumsum(v[last][::-1])) for v in (pooled.pos, pooled.neg))
    with np.errstate(all="ignore"):
        x, y = ratio(fp, fp[-1]), ratio(tp, tp[-1])
    return x, y, np.append(np.inf, r.scores[starts][::-1])


# -- precision and recall ----------------------------------------------------------------------


@curve(
    TPR, PRECISION, step="pre", title="Precision and recall",
    words="Each point is a threshold: how many of the rows called positive are right, against how "
    "many of the positives are found.",
    page="first", json=True, beside=("average_precision", "AP"),
    references=(
        Reference("chance", lambda share: ([0, 1], [share, share]), of_share=True),
        *map(equal_f, ISO_F),
    ),
    projection=Projection(
        "tpr", "fpr", lambda x, fpr, share: share * x / (share * x + (1 - share) * fpr)
    ),
    both_classes=True,
)  # fmt: skip
def pr(tally: ScoreTally) -> Points:
    """Return the precision-recall curve, from recall 0 to (1, prevalence).

    At recall 0 no row is called positive and precision is undefined; the curve starts at the
    precision of its first point where that has a true positive, else at 0. Between two points it
    holds the precision of the lower threshold, as average precision adds it up.

    >>> c = CURVES["pr"](ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.x.tolist(), c.y.round(3).tolist()
    ([0.0, 0.5, 0.5, 1.0, 1.0], [1.0, 1.0, 0.5, 0.667, 0.5])
    """
    r = tally.score_counts
    points = at_thresholds(r, TPR, PRECISION)
    y, (tp, fp) = points["y"], r.cumulative_counts
    # Rows of weight 0 at the top call nothing positive either.
    first = int(np.argmax(tp + fp > 0)) if tp[-1] + fp[-1] > 0 else len(y)
    if first < len(y):
        y[:first] = y[first] if tp[first] > 0 else 0.0
    return points


def _gain_of(c: Counts, lost: Any) -> Any:
    """Return precision gain, or recall gain: what is lost of 1 at the odds of the classes."""
    return 1 - ratio(c.positives, c.negatives) * ratio(lost, c.tp)


RECALL_GAIN = Axis("recall gain", formula=lambda c, x: _gain_of(c, c.fn), range=(-np.inf, 1.0))
PRECISION_GAIN = Axis(
    "precision gain", formula=lambda c, x: _gain_of(c, c.fp), range=(-np.inf, 1.0)
)


@curve(
    RECALL_GAIN, PRECISION_GAIN, title="Precision and recall gain",
    beside=("pr_gain_auc", "area"),
    references=(Reference("always positive", lambda share: ([0, 1], [1, 0])),),
)  # fmt: skip
def pr_gain(tally: ScoreTally) -> Points:
    """Return the precision-recall-gain curve, from recall gain 0; its area is pr_gain_auc.

    >>> c = CURVES["pr_gain"](ScoreTally.from_arrays([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.3, 0.2]))
    >>> c.x.round(3).tolist(), c.y.round(3).tolist()
    ([0.0, 0.333, 0.333, 1.0, 1.0, 1.0], [1.0, 1.0, 0.333, 0.667, 0.333, 0.0])
    """
    r = tally.score_counts
    tp, fp = r.cumulative_counts
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


declare(
    "det", Axis(FPR.name, scale="probit"), Axis(FNR.name, scale="probit"),
    meaning="the detection error trade-off: misses against false alarms, on axes of normal "
    "deviates.",
    title="Detection error trade-off",
    words="Misses against false alarms on axes of normal deviates, which spread out small errors; "
    "down and left is better. Normal scores make a straight line.",
    page="more", json=True, beside=("equal_error_rate", "EER"),
    references=(
        Reference("chance", lambda share: (GRID, 1 - GRID)),
        Reference("equal error rates", lambda share: (GRID, GRID), ":", fine=True),
    ),
    projection=Projection("fpr", "tpr", lambda x, tpr, share: 1 - tpr), both_classes=True,
)  # fmt: skip

# -- against the threshold or the score --------------------------------------------------------

for _name, _rate, _word in (("far", FPR, "accept"), ("frr", FNR, "reject")):
    declare(
        _name, THRESHOLD, _rate, step="post",
        meaning=f"the false {_word} rate against the threshold; both error rates cross at the "
        "equal error rate.",
        **({} if _name == "far" else {
            "pair": "far", "chart": "error_rates", "title": "Error rates by threshold",
            "words": "As the threshold rises false accepts fall and false rejects rise; the dot is "
            "the equal error rate.",
            "sides": ("false rejects", "false accepts"), "axis_title": "error rate",
            "page": "more", "beside": ("equal_error_rate", "EER"), "highlight": equal_rates,
            "dot": "equal error rate",
        }),
    )  # fmt: skip


@curve(
    SCORE, Axis(BELOW, metric="false_negative_rate"), step="post",
    pair="ks_negative", chart="ks", title="Kolmogorov-Smirnov",
    words="The score distributions of both classes; the thin line is their greatest distance.",
    axis_title="share of the class at or below", page="more",
    beside=("kolmogorov_smirnov", "KS"), highlight=widest_gap,
)  # fmt: skip
def ks_positive(tally: ScoreTally) -> Points:
    """Return the cumulative distribution of the positives' scores: the share at or below each."""
    return _cumulative(tally, tally.score_counts.pos)


@curve(SCORE, Axis(BELOW, metric="specificity"), step="post")
def ks_negative(tally: ScoreTally) -> Points:
    """Return the cumulative distribution of the others' scores: the share at or below each.

    Its greatest distance to ``ks_positive`` is the Kolmogorov-Smirnov distance.

    >>> t = ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    >>> CURVES["ks_negative"](t).y.tolist(), CURVES["ks_positive"](t).y.tolist()
    ([0.5, 0.5, 1.0, 1.0], [0.0, 0.5, 0.5, 1.0])
    """
    return _cumulative(tally, tally.score_counts.neg)


def _cumulative(tally: ScoreTally, rows: Any) -> Points:
    below = np.cumsum(rows)
    with np.errstate(all="ignore"):
        share = ratio(below, below[-1]) if len(below) else below
    return {"x": tally.scores, "y": share}


# -- the top of the list -----------------------------------------------------------------------

declare(
    "gain", DEPTH, TPR,
    meaning="cumulative gain: the share of positives found against the share of rows chosen.",
    title="Cumulative gain",
    words="How many of the positives the rows of highest score hold. The thin line is a perfect "
    "order, the dashed one a random order.",
    page="more", json=True, beside=("gain_at", "top tenth"),
    references=(
        Reference("perfect", lambda share: ([0, share, 1], [0, 1, 1]), ":", of_share=True),
        DIAGONAL,
    ),
    projection=Projection("depth", "tpr", lambda x, tpr, share: tpr), both_classes=True,
)  # fmt: skip


@curve(
    DEPTH, Axis("lift", limits=from_zero), title="Cumulative lift",
    words="How many times more positives than in rows taken at random; 1 is no better.",
    page="more", beside=("top_decile_lift", "top tenth"),
    references=(
        Reference(
            "perfect",
            _perfect_lift, ":", of_share=True,
        ),
        Reference("chance", lambda share: ([0, 1], [1, 1])),
    ),
    projection=Projection("depth", "tpr", lambda x, tpr, share: tpr / x), both_classes=True,
)  # fmt: skip
def lift(tally: ScoreTally) -> Points:
    """Return cumulative lift: how many times more positives than at random, against the depth.

    >>> c = CURVES["lift"](ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.x.tolist(), c.y.round(3).tolist()
    ([0.25, 0.5, 0.75, 1.0], [2.0, 1.0, 1.333, 1.0])
    """
    found = at_thresholds(tally.score_counts, DEPTH, Axis("lift"))
    some = found["x"] > 0
    return {name: v[some] for name, v in found.items()}


# -- costs -------------------------------------------------------------------------------------


@curve(
    COST,
    Axis("expected cost / cost of being always wrong", "normalised expected cost",
         limits=lambda low, high: (0.0, max(0.5, 1.08 * high))),
    title="Cost curve",
    words="The least cost that any threshold reaches, for every class balance and every pair of "
    "costs; below the dashed line it beats deciding without looking.",
    page="more", json=True, bounded="", envelope="cost", both_classes=True,
    references=(
        Reference("always or never positive", lambda share: ([0, 0.5, 1], [0, 0.5, 0])),
    ),
)  # fmt: skip
def cost(tally: ScoreTally) -> Points:
    """Return the cost curve of Drummond and Holte: the least cost at every class balance and cost.

    ``x`` is the probability cost of the positives, π·cFN / (π·cFN + (1 - π)·cFP); ``y`` the
    expected cost as a share of that of being always wrong, at the best threshold for that x.

    >>> c = CURVES["cost"](ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.x.tolist(), c.y.tolist(), c.threshold.tolist()
    ([0.0, 0.0, 0.5, 1.0, 1.0], [0.0, 0.0, 0.25, 0.0, 0.0], [inf, 0.9, 0.3, 0.1, 0.1])
    """
    fpr, tpr, threshold = _hull(tally)
    with np.errstate(all="ignore"):
        bend = ratio(np.diff(fpr), np.diff(fpr) + np.diff(tpr))
    x = np.concatenate([[0.0], bend, [1.0]])
    # At the bend between two corners both cost the same.
    y = (1 - tpr[np.append(np.arange(len(tpr)), -1)]) * x
    y = y + fpr[np.append(np.arange(len(fpr)), -1)] * (1 - x)
    return {"x": x, "y": y, "threshold": np.append(threshold, threshold[-1])}


declare(
    "kappa", FPR, Axis("cohen_kappa", limits=up_to_one),
    meaning="Cohen's kappa against the false positive rate; the area under it is AUK.",
    title="Kappa curve", words="Agreement beyond chance at each false positive rate.",
    page="more", json=True, beside=("auk", "area"),
    references=(Reference("chance", lambda share: ([0, 1], [0, 0])),),
)  # fmt: skip

__test__ = {name: c.__doc__ for name, c in CURVES.items() if c.function is not None}
