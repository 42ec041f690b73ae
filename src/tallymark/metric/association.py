"""Association of truth and prediction, whatever the direction."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from tallymark.errors import InputError
from tallymark.metric.combined import of_odds
from tallymark.metric.matrix import (
    ABSENT_CLASS,
    NO_ROWS,
    ONE_CLASS,
    ONE_TRUE_CLASS,
    agreement,
    misses,
    of_matrix,
    sum_of_others,
)
from tallymark.metric.registry import SKILL, log_of, metric, ratio
from tallymark.metric.threshold import BOTH_CLASSES, BOTH_PRODUCTS_ZERO
from tallymark.tally.labels import Counts
from tallymark.tally.occupied import OccupiedCells, x_log_x


def _shares(m: Any) -> tuple[Any, Any]:
    """Return the share of rows off the diagonal, and the mean share of each class."""
    total = m.sum((-2, -1))
    off = misses(m)
    return ratio(off, total), ratio((m.sum(-1) + m.sum(-2)) / 2, total[..., None])


@of_matrix(
    title="Bennett's S",
    formula="(K·pₒ - 1) / (K - 1)",
    range=(-1, 1),
    chance="0 where every class is guessed equally often",
    aliases=("PABAK", "Brennan-Prediger", "prevalence and bias adjusted kappa"),
    undefined={**NO_ROWS, **ONE_CLASS},
    relatives=("accuracy", "cohen_kappa", "gwet_ac1"),
    sources=("bennett1954", "byrt1993"),
    shows_se=True,
)
def bennett_s(m: Any) -> Any:
    """Agreement beyond chance, with chance as guessing every class equally often.

    For two classes 2·accuracy - 1: it orders classifiers exactly as accuracy does.

    Misleading: Listing classes that hardly occur in labels lowers the chance agreement and raises
    the value.

    >>> import tallymark as tm
    >>> tm.metrics.pabak([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """
    k = m.shape[-1]
    off, _ = _shares(m)
    return 1 - ratio(off * k, k - 1)


@of_matrix(
    title="Gwet's AC1",
    formula="(pₒ - pₑ) / (1 - pₑ), pₑ = Σ πₖ(1 - πₖ) / (K - 1), πₖ the mean share of class k",
    range=(-1, 1),
    aliases=("AC1",),
    undefined={**NO_ROWS, **ONE_CLASS},
    relatives=("cohen_kappa", "scott_pi", "bennett_s"),
    sources=("gwet2008",),
    shows_se=True,
)
def gwet_ac1(m: Any) -> Any:
    """Agreement beyond chance, assuming that only rows hard to classify are guessed.

    Unlike kappa, it does not fall only because one class is frequent.

    Misleading: Where one class has nearly all rows, its chance agreement tends to 0 and its value
    to accuracy.

    >>> import tallymark as tm
    >>> round(tm.metrics.gwet_ac1([1, 1, 0, 0, 0], [1, 0, 0, 0, 0]), 4)
    0.6552
    """
    off, share = _shares(m)
    expected = ratio((share * (1 - share)).sum(-1), m.shape[-1] - 1)
    return 1 - ratio(off, 1 - expected)


def _one_category(m: Any) -> Any:
    return ((m.sum(-1) + m.sum(-2)) > 0).sum(-1) <= 1


@of_matrix(
    title="Krippendorff's alpha",
    formula="1 - observed / expected disagreement, among 2T labels, nominal",
    range=(-1, 1),
    chance="0 where classes are guessed by their shares",
    undefined={"all labels, true and predicted, are of one class": _one_category},
    relatives=("scott_pi", "cohen_kappa", "gwet_ac1"),
    sources=("krippendorff2011",),
    shows_se=True,
)
def krippendorff_alpha(m: Any) -> Any:
    """Agreement beyond chance, with truth and prediction as two interchangeable raters.

    Scott's pi with a correction for few rows. For more raters, ordered classes and missing
    ratings see :func:`tallymark.agree`.

    Misleading: Like kappa, it is low where one class is frequent, even with few errors. It counts
    rows: weights that do not sum to a number of rows change it.

    >>> import tallymark as tm
    >>> round(tm.metrics.krippendorff_alpha([1, 1, 0, 0], [1, 0, 0, 0]), 4)
    0.5333
    """
    labels = m.sum(-1) + m.sum(-2)
    off = misses(m)
    n = labels.sum(-1)
    # Sum the pairs of labels of different classes directly, which avoids cancellation.
    if isinstance(m, OccupiedCells):
        others = sum_of_others(labels)
    else:
        others = np.where(agreement(m.shape[-1]), 0.0, labels[..., None, :]).sum(-1)
    pairs = (labels * others).sum(-1)
    return 1 - ratio(np.where(n.real > 1, n - 1, 0.0) * 2 * off, pairs)


@of_matrix(
    title="Adjusted balanced accuracy",
    formula="(balanced accuracy - 1/K) / (1 - 1/K)",
    **SKILL,
    undefined=ABSENT_CLASS,
    relatives=("balanced_accuracy", "youden_j"),
    sources=("tharwat2018",),
)
def adjusted_balanced_accuracy(m: Any) -> Any:
    """Balanced accuracy rescaled so that guessing is 0; Youden's J for two classes.

    Misleading: Like balanced accuracy, it says nothing about precision where positives are rare.

    >>> import tallymark as tm
    >>> tm.metrics.adjusted_balanced_accuracy([1, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0])
    0.5
    """
    k = m.shape[-1]
    hits = m.diagonal(0, -2, -1)
    return ratio(ratio(hits, m.sum(-1)).sum(-1) - 1, k - 1)


@metric(
    title="Equitable threat score",
    formula="(TP - e) / (TP + FP + FN - e), e = (TP + FP)(TP + FN)/T",
    range=(-1 / 3, 1),
    chance=0.0,
    aliases=("ETS", "Gilbert skill score"),
    undefined={
        "no row is wrong and all are of one class, 0/0": lambda c: (
            (c.fp == 0) & (c.fn == 0) & ((c.tp == 0) | (c.tn == 0))
        )
    },
    relatives=("jaccard", "cohen_kappa"),
    sources=("gilbert1884", "schaefer1990"),
)
def equitable_threat_score(c: Counts) -> Any:
    """Jaccard index corrected for hits expected by chance; kappa / (2 - kappa).

    Misleading: It changes with prevalence: do not compare values for events of different rarity.

    >>> import tallymark as tm
    >>> round(tm.metrics.ets([1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0]), 6)
    0.2
    """
    # Expand the denominator into a sum, so that rounding cannot make it 0.
    beyond = c.tp * c.tn - c.fp * c.fn
    whole = c.tp * c.tn + (c.tp + c.tn) * (c.fp + c.fn) + c.fp**2 + c.fp * c.fn + c.fn**2
    return ratio(beyond, whole)


# -- from the four counts ----------------------------------------------------------------------


@metric(
    title="Yule's Q",
    formula="(TP·TN - FP·FN) / (TP·TN + FP·FN)",
    **SKILL,
    aliases=("odds ratio skill score", "ORSS"),
    undefined=BOTH_PRODUCTS_ZERO,
    two_shares=of_odds(lambda odds: 1 - 2 / (1 + odds), lambda q: (1 + q) / (1 - q)),
    relatives=("diagnostic_odds_ratio", "yule_y"),
    sources=("yule1900",),
)
def yule_q(c: Counts) -> Any:
    """Diagnostic odds ratio on a scale from −1 to 1: (DOR − 1) / (DOR + 1).

    Goodman and Kruskal's gamma of a 2x2 matrix. It does not change with prevalence.

    Misleading: One empty cell makes it 1 or -1, however many errors the other cell holds.

    >>> import tallymark as tm
    >>> tm.metrics.yule_q([1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0])
    0.6
    """
    right, wrong = c.tp * c.tn, c.fp * c.fn
    return ratio(right - wrong, right + wrong)


@metric(
    title="Yule's Y",
    formula="(√(TP·TN) - √(FP·FN)) / (√(TP·TN) + √(FP·FN))",
    **SKILL,
    aliases=("coefficient of colligation",),
    undefined=BOTH_PRODUCTS_ZERO,
    two_shares=of_odds(
        lambda odds: 1 - 2 / (1 + np.sqrt(odds)), lambda y: np.exp(2 * np.log((1 + y) / (1 - y)))
    ),
    relatives=("yule_q", "diagnostic_odds_ratio"),
    sources=("yule1912",),
)
def yule_y(c: Counts) -> Any:
    """What Youden's J would be at the same odds ratio if both errors were equally frequent.

    Misleading: One empty cell makes it 1 or -1, however many errors the other cell holds.

    >>> import tallymark as tm
    >>> round(tm.metrics.yule_y([1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0]), 6)
    0.333333
    """
    right, wrong = np.sqrt(c.tp * c.tn), np.sqrt(c.fp * c.fn)
    return ratio(right - wrong, right + wrong)


@metric(
    title="Symmetric extremal dependence index",
    formula="(ln FPR - ln TPR + ln FNR - ln TNR) / (ln FPR + ln TPR + ln FNR + ln TNR)",
    **SKILL,
    undefined={
        "one of the four counts is 0": lambda c: (
            (c.tp == 0) | (c.fp == 0) | (c.fn == 0) | (c.tn == 0)
        )
    },
    relatives=("yule_q", "diagnostic_odds_ratio", "youden_j"),
    sources=("ferro2011",),
)
def sedi(c: Counts) -> Any:
    """Skill for rare events; unlike most scores, it does not tend to 0 as they become rarer.

    From weather forecasting. It does not change with prevalence.

    Misleading: It uses logarithms of small rates, so a few errors change it a lot.

    >>> import tallymark as tm
    >>> round(tm.metrics.sedi([1, 1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 1, 0, 0]), 4)
    0.5638
    """
    hit, miss = np.log(ratio(c.tp, c.positives)), np.log(ratio(c.fn, c.positives))
    alarm, calm = np.log(ratio(c.fp, c.negatives)), np.log(ratio(c.tn, c.negatives))
    return ratio(alarm - hit + miss - calm, alarm + hit + miss + calm)


def probit(share: Any) -> Any:
    """Return the standard normal quantile of a share; complex steps pass on their derivative.

    >>> round(float(probit(0.975)), 3)
    1.96
    """
    from scipy.special import ndtri

    share = np.asarray(share)
    deviate = ndtri(share.real)
    if not np.iscomplexobj(share):
        return deviate
    density = np.exp(-(deviate**2) / 2) / math.sqrt(2 * math.pi)
    return deviate + 1j * ratio(share.imag, density)


@metric(
    title="d′ (sensitivity index)",
    formula="z(TPR) - z(FPR), z the normal deviate",
    range=(-math.inf, math.inf),
    chance=0.0,
    aliases=("dprime", "sensitivity index", "discriminability index"),
    undefined={
        **BOTH_CLASSES,
        "both rates are 0, or both are 1": lambda c: (
            ((c.tp == 0) & (c.fp == 0)) | ((c.fn == 0) & (c.tn == 0))
        ),
    },
    relatives=("decidability", "discriminant_power", "youden_j"),
    sources=("green1966",),
)
def d_prime(c: Counts) -> Any:
    """Distance in standard deviations between two normal distributions with these rates.

    From signal detection: it is the same at every threshold if the scores of both classes are
    normal with equal variance.

    Misleading: It assumes normal scores of equal variance in both classes, and is infinite if one
    rate is 0 or 1.

    >>> import tallymark as tm
    >>> round(tm.metrics.d_prime([1] * 10 + [0] * 10, [1] * 8 + [0] * 2 + [1] * 3 + [0] * 7), 4)
    1.366
    """
    return _deviate(c.tp, c.fn) - _deviate(c.fp, c.tn)


def _deviate(part: Any, rest: Any) -> Any:
    """Return the normal quantile of part / (part + rest), from the smaller term for accuracy."""
    few = part.real < rest.real
    deviate = probit(ratio(np.where(few, part, rest), part + rest))
    return np.where(few, deviate, -deviate)


# -- information -------------------------------------------------------------------------------


def _x_log(x: Any, of: Any, excess: Any) -> Any:
    """Return x · ln(of), and 0 where x is 0.

    ``excess`` is of - 1. Near 1, log1p(excess) keeps the digits that rounding ``of`` would lose.
    """
    near = np.abs(excess.real) < 0.5
    far = np.log(np.where(near | (x == 0), 1.0, of))
    return x * np.where(near, _log1p(np.where(near, excess, 0.0)), far)


def _log1p(x: Any) -> Any:
    """Return ln(1 + x); complex steps pass on their derivative.

    NumPy's log1p of a complex number loses a small x.
    """
    if not np.iscomplexobj(x):
        return np.log1p(x)
    return np.log1p(x.real) + 1j * ratio(x.imag, 1 + x.real)


def _others(k: int) -> Any:
    """Return the k x k matrix that sums all classes but one, without cancellation."""
    return 1.0 - agreement(k)


def _entropy(counts: Any, total: Any) -> Any:
    share = ratio(counts, total[..., None])
    rest = ratio(sum_of_others(counts), total[..., None])
    return -_x_log(share, share, -rest).sum(-1)


def _information(m: Any, true: Any, predicted: Any, total: Any) -> Any:
    """Return the mutual information of a matrix with these margins.

    The excess of a cell over its expected count comes from the determinant of the 2x2 matrix of
    that cell against the rest.
    """
    if isinstance(m, OccupiedCells):
        terms = m.x_log_x - x_log_x(true) - x_log_x(predicted)
        return ratio(terms + x_log_x(total[..., None]), total)
    expected, whole = true[..., :, None] * predicted[..., None, :], total[..., None, None]
    others = _others(m.shape[-1])
    row, column = m @ others, others @ m
    excess = ratio(m * (others @ row) - row * column, expected)
    return _x_log(ratio(m, whole), ratio(m * whole, expected), excess).sum((-2, -1))


@of_matrix(
    title="Mutual information",
    formula="Σ pᵢⱼ · ln(pᵢⱼ / (pᵢ · pⱼ))",
    range=(0, math.inf),
    chance=0.0,
    aliases=("information gain", "transinformation"),
    undefined=NO_ROWS,
    relatives=("normalized_mutual_information", "chi_square", "goodman_kruskal_lambda"),
    sources=("shannon1948",),
    error="optimistic",
)
def mutual_information(m: Any, *, base: float = math.e) -> Any:
    """Information about the true class in the prediction, in nats; base=2 gives bits.

    At most the entropy of the classes. T·2·MI is the G statistic of independence.

    Misleading: Predictions that are always wrong in the same way score as high, and few rows bias
    it upwards.

    >>> import tallymark as tm
    >>> tm.metrics.mutual_information([1, 1, 0, 0], [1, 1, 0, 0], base=2)
    1.0
    """
    return _information(m, m.sum(-1), m.sum(-2), m.sum((-2, -1))) / log_of(base)


_MEANS: dict[str, Callable[[Any, Any], Any]] = {
    "arithmetic": lambda a, b: (a + b) / 2,
    "geometric": lambda a, b: np.sqrt(a * b),
    "min": lambda a, b: np.where(a.real < b.real, a, b),
    "max": lambda a, b: np.where(a.real < b.real, b, a),
    "true": lambda a, b: a,
    "predicted": lambda a, b: b,
}


def _one_class_each(m: Any) -> tuple[Any, Any]:
    return (m.sum(-1) > 0).sum(-1) <= 1, (m.sum(-2) > 0).sum(-1) <= 1


def _no_entropy(m: Any, mean: str) -> Any:
    true, predicted = _one_class_each(m)
    if mean in ("arithmetic", "max"):
        return true & predicted
    return {"true": true, "predicted": predicted}.get(mean, true | predicted)


@of_matrix(
    title="Normalised mutual information",
    formula="MI / mean(H(true), H(predicted))",
    chance=0.0,
    aliases=("NMI", "uncertainty coefficient", "V-measure"),
    undefined={"true or predicted classes do not vary, 0/0": _no_entropy},
    relatives=("mutual_information", "cramers_v"),
    sources=("shannon1948", "strehl2002"),
    error="optimistic",
)
def normalized_mutual_information(
    m: Any,
    *,
    mean: Literal["arithmetic", "geometric", "min", "max", "true", "predicted"] = "arithmetic",
) -> Any:
    """Mutual information as a share of the entropy of the classes.

    ``mean`` chooses the entropy: the "arithmetic", "geometric", "min" or "max" of both, or that of
    the "true" (Theil's U) or "predicted" classes alone.

    Misleading: It is 1 for predictions that are always wrong in the same way, and it depends on
    mean: report which one you used.

    >>> import tallymark as tm
    >>> round(tm.metrics.nmi([1, 1, 0, 0], [1, 0, 0, 0]), 4)
    0.3437
    """
    if mean not in _MEANS:
        raise InputError(f"mean is {mean!r}; say one of {', '.join(map(repr, _MEANS))}")
    true, predicted, total = m.sum(-1), m.sum(-2), m.sum((-2, -1))
    divisor = _MEANS[mean](_entropy(true, total), _entropy(predicted, total))
    return ratio(_information(m, true, predicted, total), divisor)


@of_matrix(
    title="Goodman and Kruskal's lambda",
    formula="(Σⱼ maxᵢ nᵢⱼ - maxᵢ nᵢ) / (T - maxᵢ nᵢ)",
    chance=0.0,
    aliases=("goodman kruskal", "lambda"),
    undefined=ONE_TRUE_CLASS,
    smooth=False,
    relatives=("mutual_information", "accuracy"),
    sources=("goodman1954",),
)
def goodman_kruskal_lambda(m: Any) -> Any:
    """Share of the errors of always guessing the commonest class that predictions avoid.

    The best guess of the true class given the prediction need not be the prediction itself.

    Misleading: Where one class has most rows, it can be 0 even for informative predictions.

    >>> import tallymark as tm
    >>> tm.metrics.goodman_kruskal_lambda([1, 1, 0, 0, 0], [1, 0, 0, 0, 0])
    0.5
    """
    commonest = m.sum(-1).max(-1, initial=0)
    # Sum the other classes directly: total minus the commonest would leave a rounding error.
    others = np.sort(m.sum(-1), axis=-1)[..., :-1].sum(-1)
    avoided = m.max(-2, initial=0).sum(-1) - commonest  # at most others, apart from rounding
    return ratio(np.clip(avoided, 0.0, others), others)


# -- confusion entropy -------------------------------------------------------------------------


def _confusion_entropy(m: Any, modified: bool) -> Any:
    k = m.shape[-1]
    if k < 2:
        return np.full(m.shape[:-2], np.nan)
    hits = m.diagonal(0, -2, -1)
    around = m.sum(-1) + m.sum(-2) - (hits if modified else 0.0)
    # Each class is weighted by its total; for two classes the modified form counts the diagonal
    # twice.
    whole = 2 * m.sum((-2, -1)) - (hits.sum(-1) if modified and k > 2 else 0.0)
    if isinstance(m, OccupiedCells):
        wrong = m.sum(-1) + m.sum(-2) - 2 * hits
        total = (wrong * np.log(np.maximum(around, 1e-300))).sum(-1)
        total = total - 2 * (m.x_log_x - m.hits_log)
        return ratio(total / math.log(2 * (k - 1)), whole)
    off = np.where(agreement(k), 0.0, m)
    cells = np.array([off, np.swapaxes(off, -1, -2)])  # rows of i predicted as j; of j as i
    share = np.where(cells == 0, 1.0, ratio(cells, around[..., :, None]))
    entropy = -(share * np.log(share)).sum(-1)
    total = 0.0 + (around * entropy).sum((0, -1))
    return ratio(total / math.log(2 * (k - 1)), whole)


@of_matrix(
    title="Confusion entropy",
    formula="Σⱼ Pⱼ·CENⱼ, CENⱼ the entropy of class j's errors, base 2(K - 1)",
    range=(0, 2 / (math.e * math.log(2))),
    better="low",
    aliases=("CEN",),
    undefined={**NO_ROWS, **ONE_CLASS},
    relatives=("modified_confusion_entropy", "matthews_corrcoef", "mutual_information"),
    sources=("wei2010", "delgado2019"),
    error="optimistic",
)
def confusion_entropy(m: Any) -> Any:
    """How evenly the errors spread over the cells off the diagonal: 0 without errors.

    Misleading: With two classes it can exceed 1, and fewer errors can raise it.

    >>> import tallymark as tm
    >>> round(tm.metrics.cen([1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0]), 4)
    0.8617
    """
    return _confusion_entropy(m, modified=False)


@of_matrix(
    title="Modified confusion entropy",
    formula="as confusion entropy, with each class's hits counted once in its total",
    range=(0, 2 / (math.e * math.log(2))),
    better="low",
    aliases=("MCEN",),
    undefined={**NO_ROWS, **ONE_CLASS},
    relatives=("confusion_entropy", "matthews_corrcoef"),
    sources=("delgado2019",),
    error="optimistic",
)
def modified_confusion_entropy(m: Any) -> Any:
    """Confusion entropy modified to grow more evenly from no errors to only errors.

    Misleading: It is still not monotone in the number of errors; MCC orders matrices more
    plausibly.

    >>> import tallymark as tm
    >>> round(tm.metrics.mcen([1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0]), 4)
    0.6667
    """
    return _confusion_entropy(m, modified=True)
