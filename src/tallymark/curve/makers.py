"""The curves of one score tally: two metrics over all thresholds, or over all costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from tallymark import _kernels
from tallymark.curve.data import Curve
from tallymark.errors import InputError
from tallymark.metric import get
from tallymark.metric.binned import bin_rows
from tallymark.metric.binomial import binomial_draws
from tallymark.metric.measure import refuse_no_probability
from tallymark.metric.proportion import quantile, wilson
from tallymark.metric.registry import Metric, ratio
from tallymark.metric.retrieval import positives_in_top
from tallymark.tally.arrays import Floats
from tallymark.tally.scores import ScoreCounts, ScoreTally
from tallymark.tally.threads import side_by_side, threads_for

DECISION_POINTS = 100
DRAWN_SCORES = 1 << 16
CURVE_POINTS = 500
FIELD_DRAWS = 2000
BAND_DRAWS = 400


def roc(tally: ScoreTally) -> Curve:
    """Return the ROC curve: (0, 0), a point at every distinct score, ending at (1, 1).

    >>> c = roc(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.x.tolist(), c.y.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    r = tally.score_counts
    tp, fp = r.cumulative_counts
    with np.errstate(all="ignore"):
        x, y = ratio(fp, fp[-1]), ratio(tp, tp[-1])  # their last, so that the end is (1, 1)
    return Curve("roc", "false_positive_rate", "sensitivity", x, y, r.thresholds())


def pr(tally: ScoreTally) -> Curve:
    """Return the precision-recall curve, from recall 0 to (1, prevalence).

    At recall 0 no row is called positive and precision is undefined; the curve starts at the
    precision of its first point where that has a true positive, else at 0.

    >>> c = pr(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.x.tolist(), c.y.round(3).tolist()
    ([0.0, 0.5, 0.5, 1.0, 1.0], [1.0, 1.0, 0.5, 0.667, 0.5])
    """
    r = tally.score_counts
    tp, fp = r.cumulative_counts
    called = tp + fp
    with np.errstate(all="ignore"):
        x, y = ratio(tp, tp[-1]), ratio(tp, called)
    # Rows of weight 0 at the top call nothing positive either.
    first = int(np.searchsorted(called, 0, side="right"))
    if first < len(y):
        y[:first] = y[first] if tp[first] > 0 else 0.0
    return Curve("pr", "sensitivity", "precision", x, y, r.thresholds())


def calibration(
    tally: ScoreTally,
    bins: int = 10,
    strategy: Literal["mass", "width"] = "mass",
    level: float = 0.95,
    bounds: Literal["interval", "consistency"] = "interval",
    by_class: bool = False,
) -> Curve:
    """Return the calibration curve: mean probability against the share that was positive.

    ``strategy`` cuts the probabilities into bins of about equal rows ("mass") or equal width;
    rows of one score are never parted, so that there may be fewer bins. ``low`` and ``high`` are
    Wilson's "interval" of the share, or "consistency" bands: where the share would lie in
    ``level`` of the cases if the probabilities were right. Weighted rows enter with their
    effective number. With ``by_class`` the shares of the classes are known, as at another class
    balance: bounds are then those of each class's own rows, from their Beta posteriors. Scores
    outside 0 to 1 are refused.

    >>> c = calibration(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.4]), bins=2)
    >>> c.x.tolist(), c.y.tolist(), c.counts.tolist()
    ([0.1, 0.5666666666666668], [0.0, 0.6666666666666666], [1.0, 3.0])
    """
    if bounds not in ("interval", "consistency"):
        raise InputError(f"bounds is {bounds!r}; say 'interval' or 'consistency'")
    refuse_no_probability(tally, "a calibration curve")
    r = tally.score_counts
    rows = r.pos + r.neg
    with np.errstate(all="ignore"):
        place = bin_rows(r, bins, strategy)

    def add(values: Any) -> Floats:
        return np.bincount(place, values, minlength=bins).astype(np.float64)

    n, hits, mass = add(rows), add(r.pos), add(rows * r.scores)
    full = n > 0
    n, hits, mass = n[full], hits[full], mass[full]
    squares = tally.squared_score_counts
    effective = n if squares is None else n**2 / add(squares.pos + squares.neg)[full]
    share, mean = hits / n, mass / n
    if by_class:
        each = (hits, add(r.neg)[full]) if bounds == "interval" else (n * mean, n * (1 - mean))
        low, high = _of_each_class(*each, r, squares, level, drawn_anew=bounds != "interval")
    elif bounds == "interval":
        low, high = wilson(share * effective, effective, quantile(level))
    else:
        low, high = _consistency(mean, effective, level)
    return Curve(
        "calibration", "mean probability", "share positive", mean, share,
        counts=n, low=low, high=high,
    )  # fmt: skip


def _consistency(mean: Floats, n: Floats, level: float) -> tuple[Floats, Floats]:
    from scipy.stats import binom

    quantile(level)  # refuses a level that is none
    whole, mean = np.rint(n), np.minimum(mean, 1.0)  # a mean of ones may be rounded up
    tail = (1 - level) / 2
    return binom.ppf(tail, whole, mean) / whole, binom.ppf(1 - tail, whole, mean) / whole


def _of_each_class(
    pos: Floats,
    neg: Floats,
    r: ScoreCounts,
    squares: ScoreCounts | None,
    level: float,
    drawn_anew: bool = False,
) -> tuple[Floats, Floats]:
    """Return bounds of pos / (pos + neg), of parts of classes whose weights are known.

    Either of what part of each class's rows lies there, whose Beta posterior knows that none of
    few may be some of many, or with ``drawn_anew`` of so many rows in expectation.
    """
    quantile(level)  # refuses a level that is none
    rng = np.random.default_rng(0)
    drawn = []
    whole = (pos, r.pos, squares and squares.pos), (neg, r.neg, squares and squares.neg)
    for part, counts, second in whole:
        total, unit = float(counts.sum()), _unit(counts, second) or 1.0
        size = (FIELD_DRAWS, len(part))
        if drawn_anew:
            drawn.append(rng.poisson(np.maximum(part, 0.0) / unit, size) * unit)
        else:
            rest = np.maximum(total - part, 0.0)
            drawn.append(total * rng.beta(part / unit + 0.5, rest / unit + 0.5, size))
    with np.errstate(all="ignore"):
        share, given = ratio(drawn[0], drawn[0] + drawn[1]), ratio(pos, pos + neg)
    share = np.where(np.isnan(share), given, share)
    low, high = np.quantile(share, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return (low, high) if drawn_anew else (np.fmin(low, given), np.fmax(high, given))


def _unit(counts: Any, squares: Any) -> float:
    """Return what one row of a class weighs, weighted ones by Kish's formula; 0 without weight."""
    total = float(counts.sum())
    return float((counts if squares is None else squares).sum()) / total if total else 0.0


# -- relatives of the ROC curve ----------------------------------------------------------------


def roc_optimistic(tally: ScoreTally) -> Curve:
    """Return the ROC curve if, within every tie, positives had been ranked first.

    With :func:`roc_pessimistic` it encloses every curve that an order of the tied rows can make;
    :func:`roc` goes through the middle. The corners inside a tie are no thresholds.

    >>> c = roc_optimistic(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.4]))
    >>> c.x.tolist(), c.y.tolist()
    ([0.0, 0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0, 1.0])
    """
    return _tie_corners(tally, "roc_optimistic", upper=True)


def roc_pessimistic(tally: ScoreTally) -> Curve:
    """Return the ROC curve if, within every tie, negatives had been ranked first.

    >>> c = roc_pessimistic(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.4]))
    >>> c.x.tolist(), c.y.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    return _tie_corners(tally, "roc_pessimistic", upper=False)


def _tie_corners(tally: ScoreTally, name: str, upper: bool) -> Curve:
    c = roc(tally)
    x = np.stack([c.x[:-1] if upper else c.x[1:], c.x[1:]], 1).ravel()
    y = np.stack([c.y[1:] if upper else c.y[:-1], c.y[1:]], 1).ravel()
    x, y = np.append(c.x[:1], x), np.append(c.y[:1], y)
    moved = np.append(True, (np.diff(x) != 0) | (np.diff(y) != 0))
    return Curve(name, c.x_metric, c.y_metric, x[moved], y[moved])


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


def roc_hull(tally: ScoreTally) -> Curve:
    """Return the corners of the convex hull of the ROC curve: the thresholds worth choosing.

    Each is best for some costs; points between corners are mixtures of two of them.

    >>> c = roc_hull(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.x.tolist(), c.y.tolist(), c.threshold.tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0], [inf, 0.9, 0.3, 0.1])
    """
    x, y, threshold = _hull(tally)
    return Curve("roc_hull", "false_positive_rate", "sensitivity", x, y, threshold)


def det(tally: ScoreTally) -> Curve:
    """Return the detection error trade-off: misses against false alarms.

    It is drawn on axes of normal deviates, where normal scores make a straight line.

    >>> c = det(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.x.tolist(), c.y.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [1.0, 0.5, 0.5, 0.0, 0.0])
    """
    c = roc(tally)
    return Curve("det", c.x_metric, "false_negative_rate", c.x, 1 - c.y, c.threshold)


def pr_gain(tally: ScoreTally) -> Curve:
    """Return the precision-recall-gain curve, from recall gain 0; its area is pr_gain_auc.

    >>> c = pr_gain(ScoreTally.from_arrays([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.3, 0.2]))
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
        x = 1 - ratio(p, n) * ratio(p - tp, tp)
        y = 1 - ratio(p, n) * ratio(fp, tp)
    return Curve("pr_gain", "recall gain", "precision gain", x, y, threshold)


# -- against the threshold ---------------------------------------------------------------------


def over_thresholds(tally: ScoreTally, metric: str | Metric, **params: Any) -> Curve:
    """Return any metric of the decisions at every threshold, from +inf down.

    >>> c = over_thresholds(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]), "accuracy")
    >>> c.x.tolist(), c.y.tolist()
    ([inf, 0.9, 0.4, 0.3, 0.1], [0.5, 0.75, 0.5, 0.75, 0.5])
    """
    found = get(metric)
    if found.needs not in ("counts", "matrix"):
        raise InputError(f"{found.name} judges no single threshold; choose a threshold metric")
    found.check(params)
    r = tally.score_counts
    counts = r.counts_by_threshold()
    values = found.compute(counts if found.needs == "counts" else counts.matrix(), **params)
    cuts = r.thresholds()
    return Curve(found.name, "threshold", found.name, cuts, values, cuts)


def far(tally: ScoreTally) -> Curve:
    """Return the false accept rate against the threshold."""
    return _renamed(over_thresholds(tally, "false_positive_rate"), "far")


def frr(tally: ScoreTally) -> Curve:
    """Return the false reject rate against the threshold; it crosses FAR at the equal error rate.

    >>> t = ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    >>> far(t).y.tolist(), frr(t).y.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [1.0, 0.5, 0.5, 0.0, 0.0])
    """
    return _renamed(over_thresholds(tally, "false_negative_rate"), "frr")


def _renamed(c: Curve, name: str) -> Curve:
    return Curve(name, c.x_metric, c.y_metric, c.x, c.y, c.threshold)


def confusion_counts(tally: ScoreTally) -> dict[str, Curve]:
    """Return the four counts against the threshold: "tp", "fp", "fn" and "tn".

    >>> c = confusion_counts(ScoreTally.from_arrays([0, 1, 1], [0.1, 0.9, 0.4]))
    >>> c["tp"].y.tolist(), c["fp"].y.tolist()
    ([0.0, 1.0, 2.0, 2.0], [0.0, 0.0, 0.0, 1.0])
    """
    r = tally.score_counts
    counts, cuts = r.counts_by_threshold(), r.thresholds()
    return {
        name: Curve(name, "threshold", name, cuts, np.asarray(getattr(counts, name)), cuts)
        for name in ("tp", "fp", "fn", "tn")
    }


def ks_positive(tally: ScoreTally) -> Curve:
    """Return the cumulative distribution of the positives' scores: the share at or below each."""
    return _cumulative(tally, "ks_positive", tally.score_counts.pos)


def ks_negative(tally: ScoreTally) -> Curve:
    """Return the cumulative distribution of the others' scores: the share at or below each.

    Its greatest distance to :func:`ks_positive` is the Kolmogorov-Smirnov distance.

    >>> t = ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    >>> ks_negative(t).y.tolist(), ks_positive(t).y.tolist()
    ([0.5, 0.5, 1.0, 1.0], [0.0, 0.5, 0.5, 1.0])
    """
    return _cumulative(tally, "ks_negative", tally.score_counts.neg)


def _cumulative(tally: ScoreTally, name: str, rows: Any) -> Curve:
    below = np.cumsum(rows)
    with np.errstate(all="ignore"):
        share = ratio(below, below[-1]) if len(below) else below
    return Curve(name, "score", "share at or below", tally.scores, share)


# -- the top of the list -----------------------------------------------------------------------


def gain(tally: ScoreTally) -> Curve:
    """Return cumulative gain: the share of positives found against the share of rows chosen.

    >>> c = gain(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.x.tolist(), c.y.tolist()
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    r = tally.score_counts
    tp, fp = r.cumulative_counts
    with np.errstate(all="ignore"):
        x, y = ratio(tp + fp, (tp + fp)[-1]), ratio(tp, tp[-1])
    return Curve("gain", "predicted_positive_rate", "sensitivity", x, y, r.thresholds())


def lift(tally: ScoreTally) -> Curve:
    """Return cumulative lift: how many times more positives than at random, against the depth.

    >>> c = lift(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.x.tolist(), c.y.round(3).tolist()
    ([0.25, 0.5, 0.75, 1.0], [2.0, 1.0, 1.333, 1.0])
    """
    c = gain(tally)
    there = c.x > 0
    assert c.threshold is not None
    with np.errstate(all="ignore"):
        y = ratio(c.y[there], c.x[there])
    return Curve("lift", c.x_metric, "lift", c.x[there], y, c.threshold[there])


def deciles(
    tally: ScoreTally, parts: int = 10, level: float = 0.95, by_class: bool = False
) -> Curve:
    """Return the response rate of each tenth of the rows, from the highest scores down.

    ``x`` is the depth at which a tenth ends, ``counts`` its rows, bounds are Wilson's, or with
    ``by_class`` those of :func:`calibration`. Rows tied at a border are shared out in proportion.

    >>> c = deciles(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]), parts=2)
    >>> c.x.tolist(), c.y.tolist(), c.counts.tolist()
    ([0.5, 1.0], [0.5, 0.5], [2.0, 2.0])
    """
    if parts < 1:
        raise InputError(f"parts is {parts}; there must be at least one")
    r = tally.score_counts
    depths = np.arange(1, parts + 1) / parts
    with np.errstate(all="ignore"):
        found = np.array([float(positives_in_top(r, d)) for d in depths])
    rows = float(r.total) / parts
    hits = np.diff(found, prepend=0.0)
    squares = tally.squared_score_counts
    effective = rows
    if squares is not None:
        effective = rows * float(r.total) / float(squares.total)
    with np.errstate(all="ignore"):
        share = np.clip(ratio(hits, rows), 0.0, 1.0)
        low, high = wilson(share * effective, np.full(parts, effective), quantile(level))
    if by_class:
        low, high = _of_each_class(hits, np.maximum(rows - hits, 0.0), r, squares, level)
    return Curve(
        "deciles", "depth", "response rate", depths, share,
        counts=np.full(parts, rows), low=low, high=high,
    )  # fmt: skip


# -- probabilities -----------------------------------------------------------------------------


def calibration_isotonic(
    tally: ScoreTally,
    level: float = 0.95,
    draws: int = BAND_DRAWS,
    seed: int = 0,
    by_class: bool = False,
) -> Curve:
    """Return isotonic calibration: the share positive that best fits while rising with p (CORP).

    No bins to choose. ``low`` and ``high`` are consistency bands: where the line would lie in
    ``level`` of the cases if the probabilities were right (outcomes drawn from them anew, at most
    about 800 groups of probabilities). With ``by_class`` outcomes are drawn for the rows that
    there are, and count for what their class does at the other class balance.

    >>> c = calibration_isotonic(ScoreTally.from_arrays([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8]))
    >>> c.x.tolist(), c.y.tolist()
    ([0.2, 0.4, 0.6, 0.8], [0.0, 0.5, 0.5, 1.0])
    """
    refuse_no_probability(tally, "a calibration curve")
    quantile(level)  # refuses a level that is none
    coarse = tally.coarse()
    r = coarse.score_counts
    rows = r.pos + r.neg
    kept = rows > 0
    p, rows = r.scores[kept], rows[kept]
    (y,) = _fitted(r.pos[kept][None], r.neg[kept][None])
    squares = coarse.squared_score_counts
    n = rows
    if squares is not None:
        n = np.maximum(np.rint(rows**2 / (squares.pos + squares.neg)[kept]), 1)
    rng = np.random.default_rng(seed)
    if by_class:
        of_pos, of_neg = (None, None) if squares is None else (squares.pos, squares.neg)
        units = _unit(r.pos, of_pos), _unit(r.neg, of_neg)
        # A row that is positive with chance p in the field is so more often among rows of which
        # a row of that class stands for less.
        of_one = [1 / unit if unit else 0.0 for unit in units]
        n = np.rint(r.pos[kept] * of_one[0] + r.neg[kept] * of_one[1])
        with np.errstate(all="ignore"):
            odds = ratio(p * of_one[0], (1 - p) * of_one[1])
            chance = np.where(np.isinf(odds), 1.0, odds / (1 + odds))
        hits = binomial_draws(rng, n, np.nan_to_num(chance), draws)
        pos, neg = hits * units[0], (n - hits) * units[1]
    else:
        pos = binomial_draws(rng, n, p, draws)
        pos *= rows / n
        neg = np.maximum(rows - pos, 0.0)
    drawn = np.sort(_fitted(pos, neg), axis=0)
    tail = (1 - level) / 2
    low = drawn[int(np.floor(tail * draws + 1e-9))] if draws else None
    high = drawn[int(np.ceil((1 - tail) * draws - 1e-9)) - 1] if draws else None
    return Curve("calibration_isotonic", "probability", "share positive", p, y,
                 counts=rows, low=low, high=high)  # fmt: skip


def _fitted(pos: Any, neg: Any) -> Floats:
    """Return the isotonic share of positives at every score, of tables (draws, G)."""
    out = np.empty(pos.shape)
    pos, neg = (np.ascontiguousarray(v, np.float64) for v in (pos, neg))
    _kernels.isotonic(pos, neg, out)
    return out


def decision(tally: ScoreTally, points: int = DECISION_POINTS) -> Curve:
    """Return the decision curve: net benefit when one acts from each probability on.

    >>> c = decision(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]), points=4)
    >>> c.x.tolist(), c.y.round(3).tolist()
    ([0.0, 0.25, 0.5, 0.75], [0.5, 0.417, 0.25, 0.25])
    """
    refuse_no_probability(tally, "a decision curve")
    r = tally.score_counts
    cuts = np.arange(points) / points
    tp, fp = r.cumulative_counts
    above = len(r.scores) - np.searchsorted(r.scores, cuts, side="left")
    with np.errstate(all="ignore"):
        y = ratio(tp[above] - fp[above] * cuts / (1 - cuts), r.total)
    return Curve("decision", "threshold probability", "net_benefit", cuts, y, cuts)


def decision_all(tally: ScoreTally, points: int = DECISION_POINTS) -> Curve:
    """Return the net benefit of calling every row positive: what a decision curve has to beat."""
    r = tally.score_counts
    cuts = np.arange(points) / points
    with np.errstate(all="ignore"):
        y = ratio(r.positives - r.negatives * cuts / (1 - cuts), r.total)
    return Curve("decision_all", "threshold probability", "net_benefit", cuts, y, cuts)


# -- costs -------------------------------------------------------------------------------------


def cost(tally: ScoreTally) -> Curve:
    """Return the cost curve of Drummond and Holte: the least cost at every class balance and cost.

    ``x`` is the probability cost of the positives, π·cFN / (π·cFN + (1 - π)·cFP); ``y`` the
    expected cost as a share of that of being always wrong, at the best threshold for that x.

    >>> c = cost(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
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
    return Curve("cost", "probability cost", "expected cost / cost of being always wrong", x, y,
                 np.append(threshold, threshold[-1]))  # fmt: skip


def kappa(tally: ScoreTally) -> Curve:
    """Return Cohen's kappa against the false positive rate; the area under it is AUK.

    >>> c = kappa(ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.x.tolist(), c.y.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.0, 0.5, 0.0])
    """
    c, k = roc(tally), over_thresholds(tally, "cohen_kappa")
    return Curve("kappa", c.x_metric, "cohen_kappa", c.x, k.y, c.threshold)


CURVES: Mapping[str, Callable[..., Curve]] = {
    "roc": roc,
    "roc_hull": roc_hull,
    "roc_optimistic": roc_optimistic,
    "roc_pessimistic": roc_pessimistic,
    "pr": pr,
    "pr_gain": pr_gain,
    "det": det,
    "far": far,
    "frr": frr,
    "ks_positive": ks_positive,
    "ks_negative": ks_negative,
    "gain": gain,
    "lift": lift,
    "deciles": deciles,
    "cost": cost,
    "kappa": kappa,
    "calibration": calibration,
    "calibration_isotonic": calibration_isotonic,
    "decision": decision,
    "decision_all": decision_all,
}
"""The curves of one score tally, by name."""

OF_PROBABILITIES = ("calibration", "calibration_isotonic", "decision", "decision_all")
"""The curves that need probabilities."""

BOUNDED: Mapping[str, tuple[str, ...]] = dict.fromkeys(
    ("calibration", "calibration_isotonic", "deciles"), ("level", "by_class")
)
"""The curves that have bounds, and what these take from an evaluation."""


def thinned(tally: ScoreTally, probabilities: bool, **options: Any) -> dict[str, Curve]:
    """Return all curves of a tally for drawing; ``options`` are those of :data:`BOUNDED`.

    Of very many scores one in some is taken first, which no picture can show: at most that share
    of either class lies between two of them.
    """
    fine = (
        tally.coarse(DRAWN_SCORES, lowest=True) if len(tally.scores) > 2 * DRAWN_SCORES else tally
    )
    skipped = 0.0 if fine is tally else 2 / DRAWN_SCORES
    names = [n for n in CURVES if n not in OF_PROBABILITIES or probabilities]
    made: dict[str, Curve] = {}

    def make(i: int) -> None:
        name = names[len(names) - 1 - i]  # the one that takes longest is among the last
        given = {k: options[k] for k in BOUNDED.get(name, ()) if k in options}
        c = CURVES[name](fine, **given).thin(CURVE_POINTS)
        made[name] = replace(c, error=c.error + skipped)

    side_by_side(make, len(names), threads_for(8 * len(fine.scores)))
    return {name: made[name] for name in names}
