"""Rank metrics, which are invariant to increasing maps of the scores."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Literal

import numpy as np

from tallymark.errors import InputError
from tallymark.metric.registry import SKILL, OfArea, metric, ratio
from tallymark.metric.threshold import BOTH_CLASSES
from tallymark.tally.score_counts import area_between, at, greatest, rank_sums
from tallymark.tally.scores import ScoreCounts, ScoreTally
from tallymark.tally.sums import MOST_RANKS, Sums

ranking = partial(
    metric, needs="ranking", undefined=BOTH_CLASSES, binning_bounds="ends", order="whole"
)
"""Declare a rank metric of one class against the rest."""

read_at = partial(ranking, error="quantile", order="part")
"""Declare a rank metric that is read at one threshold."""


def _pairs(r: ScoreCounts, tied: float) -> Any:
    """Return the share of concordant (positive, negative) pairs; a tie counts as ``tied``."""
    sums = rank_sums(r)
    result = ratio(sums.concordant + tied * sums.tied, r.positives * r.negatives)
    return np.minimum(result, 1.0)  # sums of weights may exceed 1 by rounding


# -- ROC ---------------------------------------------------------------------------------------


@ranking(
    title="ROC area",
    formula="P(score of a positive > score of a negative) + ½·P(equal)",
    chance=0.5,
    aliases=(
        "AUC",
        "AUROC",
        "ROC area",
        "area under the ROC curve",
        "area under the curve",
        "c index",
        "c statistic",
        "concordance",
    ),
    of_area=OfArea(),
    relatives=("average_precision", "partial_roc_auc", "gini_coefficient"),
    sources=("hanley1982", "fawcett2006", "tharwat2018"),
)
def roc_auc(r: ScoreCounts) -> Any:
    """Probability that a positive row scores higher than a negative one; ties count half.

    The area under the ROC curve by trapezoids, which is Mann and Whitney's U / (P·N). It says
    nothing about any one threshold, and with rare positives it can be high while precision is
    low. Below 0.5 it is reported as it is.

    Misleading: With rare positives it can be high while precision is low, and it averages over
    thresholds of no practical use.

    >>> import tallymark as tm
    >>> tm.metrics.roc_auc([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.4, 0.3])
    0.9166666666666666
    """
    return _pairs(r, 0.5)


@ranking(
    title="Optimistic ROC area",
    formula="P(score of a positive ≥ score of a negative)",
    aliases=("AUC optimistic",),
    placements=lambda: (1.0, 1.0),
    of_area=OfArea(ties=1.0),
    relatives=("roc_auc", "roc_auc_pessimistic"),
    sources=("fawcett2006", "tharwat2018"),
)
def roc_auc_optimistic(r: ScoreCounts) -> Any:
    """ROC area with positives first within every tie: its highest value.

    Misleading: If it is far above the pessimistic area, the scores are too coarse to rank.

    >>> import tallymark as tm
    >>> tm.metrics.roc_auc_optimistic([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.4, 0.3])
    1.0
    """
    return _pairs(r, 1.0)


@ranking(
    title="Pessimistic ROC area",
    formula="P(score of a positive > score of a negative)",
    aliases=("AUC pessimistic",),
    placements=lambda: (1.0, 1.0),
    of_area=OfArea(ties=0.0),
    relatives=("roc_auc", "roc_auc_optimistic"),
    sources=("fawcett2006", "tharwat2018"),
)
def roc_auc_pessimistic(r: ScoreCounts) -> Any:
    """ROC area with negatives first within every tie: its lowest value.

    Misleading: If it is far below the optimistic area, the scores are too coarse to rank.

    >>> import tallymark as tm
    >>> tm.metrics.roc_auc_pessimistic([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.4, 0.3])
    0.8333333333333334
    """
    return _pairs(r, 0.0)


@ranking(
    title="Gini coefficient",
    formula="2·area - 1",
    **SKILL,
    aliases=("Gini", "Somers' D", "accuracy ratio", "gain capture"),
    of_area=OfArea(slope=2.0, intercept=-1.0),
    relatives=("roc_auc",),
    sources=("fawcett2006",),
)
def gini_coefficient(r: ScoreCounts) -> Any:
    """ROC area, rescaled so that guessing is 0.

    Misleading: As for the ROC area. It is not the Gini index of decision trees.

    >>> import tallymark as tm
    >>> tm.metrics.gini([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    0.5
    """
    return 2 * _pairs(r, 0.5) - 1


@ranking(
    title="Kolmogorov-Smirnov distance",
    formula="max over thresholds of |TPR - FPR|",
    chance=0.0,
    aliases=("KS", "KS statistic"),
    relatives=("youden_j", "roc_auc"),
    sources=("shin2016",),
    error="fitted",
    order="part",
    binning_bounds=lambda worst, best: _between_distances(_distances(worst), _distances(best)),
)
def kolmogorov_smirnov(r: ScoreCounts) -> Any:
    """Greatest distance between the score distributions of the two classes.

    Misleading: One threshold decides it, chosen on the same rows.

    >>> import tallymark as tm
    >>> tm.metrics.ks([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    0.5
    """
    return np.maximum(*_distances(r))


def _distances(r: ScoreCounts) -> tuple[Any, Any]:
    """Return the greatest distances of the ROC curve above and below the diagonal."""

    def beyond(rises: Any, total: Any, falls: Any, others: Any) -> Any:
        def height(a: Any, b: Any) -> Any:
            return ratio(a, total[..., None]) - ratio(b, others[..., None])

        place = greatest(rises, falls, height)
        return ratio(at(rises, place), total) - ratio(at(falls, place), others)

    (tp, fp), p, n = r._cumulative_counts, r.positives, r.negatives
    return beyond(tp, p, fp, n), beyond(fp, n, tp, p)


def _between_distances(worst: tuple[Any, Any], best: tuple[Any, Any]) -> tuple[Any, Any]:
    # A better order raises the curve everywhere: the distance above the diagonal grows, the one
    # below shrinks. So the larger of the two lies between the larger of their lower bounds and the
    # larger of their upper bounds.
    return np.maximum(worst[0], best[1]), np.maximum(best[0], worst[1])


# -- partial ROC areas and related areas -------------------------------------------------------


def _mcclish(area: Any, low: float, high: float, axis: str) -> Any:
    """Return a partial area on McClish's scale: 1/2 for guessing, 1 at the maximum."""
    least = (high**2 - low**2) / 2
    if axis == "tpr":
        least = (high - low) - least
    return (1 + (area - least) / (high - low - least)) / 2


@ranking(
    title="Partial ROC area",
    formula="∫ TPR d(FPR) over low..high of FPR; over TPR: ∫ TNR d(TPR)",
    aliases=("pAUC", "partial AUC"),
    relatives=("roc_auc", "sensitivity_at_fpr", "specificity_at_sensitivity"),
    sources=("mcclish1989", "dodd2003"),
    presets={
        "partial_roc_auc_standardized": {
            "params": {"standardized": True},
            "title": "Standardised partial ROC area",
            "meaning": "Partial area on McClish's scale: 1/2 is guessing, 1 the maximum.",
            "aliases": ("McClish", "standardized partial AUC"),
            "chance": 0.5,
        }
    },
    range_given=lambda low, high, axis, standardized: (
        _mcclish(0.0, low, high, axis) if standardized else 0.0,
        1.0 if standardized else high - low,
    ),
    placements=lambda low, high, axis, standardized: (
        (1.0, high - low) if axis == "fpr" else (high - low, 1.0)
    ),
    order="part",
)
def partial_roc_auc(
    r: ScoreCounts,
    *,
    low: float = 0.0,
    high: float = 0.1,
    axis: Literal["fpr", "tpr"] = "fpr",
    standardized: bool = False,
) -> Any:
    """Area under part of the ROC curve: low false positive rates, or high sensitivities.

    ``axis="fpr"`` integrates sensitivity over false positive rates from low to high, ``axis="tpr"``
    specificity over sensitivities. ``standardized`` uses McClish's scale,
    (1 + (area - least) / (most - least)) / 2, where least is the area of guessing; it is negative
    far below guessing.

    Misleading: Its maximum is the width of the range: compare equal ranges only, or use the
    standardised form.

    >>> import tallymark as tm
    >>> round(tm.metrics.partial_roc_auc([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], high=0.5), 6)
    0.25
    >>> tm.metrics.partial_roc_auc([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], low=0.5, high=1, axis="tpr")
    0.25
    """
    if axis not in ("fpr", "tpr"):
        raise InputError(f"axis is {axis!r}; say 'fpr' or 'tpr'")
    if not 0 <= low < high <= 1:
        raise InputError(f"low is {low!r} and high is {high!r}; 0 <= low < high <= 1 is needed")
    area = r._cached(_partial_area, low=low, high=high, axis=axis)
    return _mcclish(area, low, high, axis) if standardized else area


def _partial_area(r: ScoreCounts, low: float, high: float, axis: str) -> Any:
    """Return the ROC area from low to high of FPR, or of TNR over TPR."""
    (tp, fp), p, n = r._cumulative_counts, r.positives, r.negatives
    if axis == "fpr":
        return ratio(area_between(fp, tp, low * n, high * n), p * n)
    return high - low - ratio(area_between(tp, fp, low * p, high * p), p * n)


@ranking(
    title="Area under the convex hull of the ROC curve",
    formula="ROC area after pooling scores until the share of positives rises with them",
    range=(0.5, 1),
    chance=0.5,
    aliases=("AUCH", "ROCCH", "convex hull AUC"),
    relatives=("roc_auc", "min_cllr", "h_measure"),
    sources=("provost2001", "fawcett2006"),
    error="fitted",
    never_below="roc_auc",
)
def roc_hull_auc(r: ScoreCounts) -> Any:
    """ROC area of the best thresholds and mixtures of them.

    Misleading: The hull is fitted to the same rows: with few it is well above the area on new rows,
    and it is never below 1/2.

    >>> import tallymark as tm
    >>> tm.metrics.roc_hull_auc([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    0.875
    """
    return _pairs(r.roc_convex_hull, 0.5)


@ranking(
    title="Area under the kappa curve",
    formula="∫ κ d(FPR) along the ROC curve, exact between thresholds",
    **SKILL,
    relatives=("roc_auc", "cohen_kappa", "h_measure"),
    sources=("kaymak2012", "liu2014"),
)
def auk(r: ScoreCounts) -> Any:
    """Mean of Cohen's kappa over the false positive rates: a ROC area that uses prevalence.

    Misleading: Its maximum depends on prevalence, so do not compare values between data sets.

    >>> import tallymark as tm
    >>> round(tm.metrics.auk([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.3, 0.2]), 4)
    0.3122
    """
    undefined = (r.positives == 0) | (r.negatives == 0)
    return np.where(undefined, np.nan, rank_sums(r).kappa)


@ranking(
    title="H-measure",
    formula="1 - ∫ least loss(c) w(c) dc / ∫ loss of the better trivial rule(c) w(c) dc, w a Beta",
    chance=0.0,
    aliases=("H", "Hand's H"),
    relatives=("roc_auc", "roc_hull_auc", "expected_cost"),
    sources=("hand2009", "hand2014"),
    error="optimistic",
)
def h_measure(r: ScoreCounts, *, alpha: float | None = None, beta: float | None = None) -> Any:
    """Share of the loss avoided, averaged over the relative cost of a false alarm and a miss.

    c is the cost of a false alarm divided by the cost of both errors. Its distribution is
    Beta(``alpha``, ``beta``), by default Beta(1 + prevalence, 2 - prevalence), as Hand and
    Anagnostopoulos propose; Hand first proposed Beta(2, 2). The distribution is the same for every
    classifier, unlike the one that the ROC area implies.

    Misleading: It depends on the assumed distribution of costs, and with few rows its hull is
    optimistic.

    >>> import tallymark as tm
    >>> round(tm.metrics.h_measure([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.3, 0.2]), 4)
    0.5873
    """
    for name, shape in (("alpha", alpha), ("beta", beta)):
        if shape is not None and not 0 < shape < math.inf:
            raise InputError(f"{name} is {shape!r}; give a shape above 0")
    p, q = ratio(r.positives, r.total)[..., None], ratio(r.negatives, r.total)[..., None]
    a = 1 + p if alpha is None else np.full_like(p, alpha)
    b = 1 + q if beta is None else np.full_like(p, beta)

    # On the hull a block of rows is called positive if the cost is at most its share of positives.
    # Then its negatives are false positives; otherwise its positives are false negatives.
    hull = r.roc_convex_hull
    rows = hull.pos + hull.neg
    alarms, misses = _over_costs(ratio(hull.pos, rows), ratio(hull.neg, rows), a, b)
    least = (hull.neg * alarms + hull.pos * misses).sum(-1)
    # The loss of the better trivial rule is that of all rows in one block.
    alarms, misses = (v[..., 0] for v in _over_costs(p, q, a, b))
    trivial = r.negatives * alarms + r.positives * misses
    avoided = np.maximum(1 - ratio(least, trivial), 0.0)  # below 0 only by rounding
    return np.where((r.positives == 0) | (r.negatives == 0), np.nan, avoided)


def _over_costs(c: Any, rest: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """Return E[C·1(C ≤ c)] and E[(1 - C)·1(C > c)] for a cost C of distribution Beta(a, b).

    ``rest`` is 1 - c. Both are NaN where there is no row; the results are finite there. Most
    replicates share the costs of the first one, so equal ones are computed once.
    """
    from scipy.special import betainc

    if c.ndim == 1:
        result: Any = betainc(a + 1, b, c), betainc(b + 1, a, rest)
    else:
        lines = math.prod(c.shape[:-1])
        x, y, i, j = (v.reshape(lines, v.shape[-1]) for v in (c, rest, a, b))
        differs = (x != x[:1]) | (y != y[:1]) | (i != i[:1]) | (j != j[:1])
        differs[:1] = True
        differs &= x >= 0
        line, _ = places = np.nonzero(differs)
        x, y, i, j = x[places], y[places], i[line, 0], j[line, 0]
        table = np.zeros((2, *differs.shape))
        table[0][places], table[1][places] = betainc(i + 1, j, x), betainc(j + 1, i, y)
        result = np.where(differs, table, table[:, :1]).reshape(2, *c.shape)
    return a / (a + b) * result[0], b / (a + b) * result[1]


# -- more than two classes ---------------------------------------------------------------------


def _one_a_class(columns: tuple[ScoreTally, ...], name: str) -> None:
    classes = len(columns[0].labels)
    if len(columns) != classes and not (len(columns) == 1 and classes <= 2):
        raise InputError(
            f"{name} needs one score column per class, and there are {len(columns)} for {classes} "
            "classes"
        )


NO_CLASS_EMPTY = {
    "a class has no true row": lambda columns: (columns[0].counts.sum(0) == 0).any(),
    "there are fewer than two classes": lambda columns: len(columns[0].labels) < 2,
}


@metric(
    title="Hand and Till's M",
    formula="mean over pairs of classes of (A(i|j) + A(j|i)) / 2",
    needs="class_scores",
    chance=0.5,
    aliases=("M", "hand till", "hand & till", "multiclass AUC", "roc_auc ovo"),
    undefined=NO_CLASS_EMPTY,
    relatives=("roc_auc", "provost_domingos_auc"),
    sources=("hand2001",),
    averages=("roc_auc", "pairs"),
    binning_bounds="ends",
    order="whole",
)
def hand_till_auc(columns: tuple[ScoreTally, ...]) -> Any:
    """ROC area for more than two classes: how well pairs of them are separated on average.

    A(i|j) is the probability that a row of class i has a higher score for i than a row of class j.
    The result does not depend on the class shares.

    Misleading: Every pair of classes has the same weight, including rare ones.

    >>> import tallymark as tm
    >>> scores = [[0.6, 0.3, 0.1], [0.5, 0.2, 0.3], [0.2, 0.5, 0.3], [0.3, 0.2, 0.5]]
    >>> tm.metrics.hand_till_auc(["a", "b", "b", "c"], scores)
    0.875
    """
    _one_a_class(columns, "hand_till_auc")
    labels = columns[0].labels
    areas = []
    for column in columns:
        others = [k for k, label in enumerate(labels) if label != column.positive]
        areas += [float(_pairs(r, 0.5)) for r in column._pairs_with(others, column.counts)]
    return np.asarray(sum(areas) / len(areas) if areas else math.nan)


@metric(
    title="Provost and Domingos' total area",
    formula="Σ share of class k · ROC area of class k against the rest",
    needs="class_scores",
    chance=0.5,
    aliases=("provost domingos", "roc_auc weighted"),
    undefined=NO_CLASS_EMPTY,
    relatives=("roc_auc", "hand_till_auc"),
    sources=("provost2003", "tharwat2018"),
    averages=("roc_auc", "weighted"),
    binning_bounds="ends",
    order="whole",
)
def provost_domingos_auc(columns: tuple[ScoreTally, ...]) -> Any:
    """ROC area of each class against the rest, weighted by the frequency of the class.

    Misleading: Frequent classes dominate it, and it changes with the class shares although each of
    its areas does not.

    >>> import tallymark as tm
    >>> scores = [[0.6, 0.3, 0.1], [0.5, 0.2, 0.3], [0.2, 0.5, 0.3], [0.3, 0.2, 0.5]]
    >>> tm.metrics.provost_domingos_auc(["a", "b", "b", "c"], scores)
    0.8125
    """
    _one_a_class(columns, "provost_domingos_auc")
    rankings = (c._without_cache()._score_counts for c in columns)  # one in memory at a time
    of_each = [(float(_pairs(r, 0.5)), float(r.positives)) for r in rankings]
    areas, shares = ([*v] for v in zip(*of_each, strict=True))
    if len(columns) == 1:
        return np.asarray(areas[0])  # the same for either class
    return np.asarray(ratio(sum(a * s for a, s in zip(areas, shares, strict=True)), sum(shares)))


@metric(
    title="Top-k accuracy",
    formula="share of rows whose true class is among the k of highest score",
    needs="rows",
    kind="rank",
    classes="many",
    chance="k / classes",
    undefined={"there is no row": lambda rows: not rows.weight},
    relatives=("accuracy", "hand_till_auc"),
    sources=("russakovsky2015",),
    binning_bounds="ends",
)
def top_k_accuracy(rows: Sums, *, k: int = 2) -> Any:
    """Accuracy with k guesses; classes tied for the last places share these equally.

    k is at most 20. With k equal to the number of classes it is 1.

    Misleading: It rises with k for every model: with 5 of 10 classes, a high value is easy.

    >>> import tallymark as tm
    >>> scores = [[0.6, 0.3, 0.1], [0.5, 0.2, 0.3], [0.2, 0.5, 0.3], [0.3, 0.5, 0.2]]
    >>> tm.metrics.top_k_accuracy(["a", "b", "b", "c"], scores, k=1)
    0.5
    """
    if not k >= 1 or k != int(k):
        raise InputError(f"k is {k!r}; give a number of classes, 1 or more")
    counted = [name for name in rows.names if name.startswith("top_")]
    if k > len(counted) and len(counted) < MOST_RANKS:
        return np.asarray(1.0 if rows.weight else math.nan)
    if k > MOST_RANKS:
        raise InputError(f"k is {k!r}; give at most {MOST_RANKS}, up to which hits are counted")
    return np.asarray(rows.average(f"top_{int(k)}"))
