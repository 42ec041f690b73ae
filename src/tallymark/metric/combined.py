"""Combinations of rates: one number for both kinds of error."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tallymark.errors import InputError
from tallymark.metric.registry import (
    Function,
    TwoShares,
    log_of,
    magnitude,
    metric,
    ratio,
    share,
)
from tallymark.metric.threshold import (
    BOTH_CLASSES,
    BOTH_PRODUCTS_ZERO,
    NO_POSITIVE_AT_ALL,
    NO_POSITIVES,
    NONE_CALLED_POSITIVE,
    false_negative_rate,
    false_positive_rate,
    sensitivity,
    specificity,
)
from tallymark.tally.labels import Counts

# -- likelihood and odds -----------------------------------------------------------------------


def of_odds(value: Function, inverse: Function) -> TwoShares:
    """Return the declaration of a function of the diagnostic odds ratio."""
    return TwoShares("odds ratio", sensitivity, false_positive_rate, value, inverse)


@metric(
    title="Positive likelihood ratio",
    formula="TPR / FPR",
    range=(0, math.inf),
    chance=1.0,
    aliases=("LR+", "PLR", "lr plus", "positive likelihood"),
    undefined={
        **BOTH_CLASSES,
        "no row was predicted positive, 0/0": lambda c: c.called_positive == 0,
    },
    two_shares=TwoShares("ratio", sensitivity, false_positive_rate),
    relatives=("negative_likelihood_ratio", "diagnostic_odds_ratio"),
    sources=("tharwat2018", "glas2003"),
)
def positive_likelihood_ratio(c: Counts) -> Any:
    """How many times more likely a positive call is for a positive row than for a negative one.

    Infinite if there is no false alarm.

    Misleading: With few false alarms, one row more or less can double it.

    >>> import tallymark as tm
    >>> tm.metrics.lr_plus([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0])
    2.0
    """
    return ratio(ratio(c.tp, c.positives), ratio(c.fp, c.negatives))


@metric(
    title="Negative likelihood ratio",
    formula="FNR / TNR",
    range=(0, math.inf),
    better="low",
    chance=1.0,
    aliases=("LR-", "NLR", "lr minus", "negative likelihood"),
    undefined={
        **BOTH_CLASSES,
        "no row was predicted negative, 0/0": lambda c: c.called_negative == 0,
    },
    two_shares=TwoShares("ratio", false_negative_rate, specificity),
    relatives=("positive_likelihood_ratio", "diagnostic_odds_ratio"),
    sources=("tharwat2018", "glas2003"),
)
def negative_likelihood_ratio(c: Counts) -> Any:
    """How many times more likely a negative call is for a positive row than for a negative one.

    Misleading: With few misses, one row more or less can double it.

    >>> import tallymark as tm
    >>> tm.metrics.lr_minus([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """
    return ratio(ratio(c.fn, c.positives), ratio(c.tn, c.negatives))


ODDS_UNDEFINED = {**BOTH_CLASSES, **BOTH_PRODUCTS_ZERO}


@metric(
    title="Diagnostic odds ratio",
    formula="(TP·TN) / (FP·FN)",
    range=(0, math.inf),
    chance=1.0,
    aliases=("DOR", "odds ratio"),
    undefined=ODDS_UNDEFINED,
    two_shares=TwoShares("odds ratio", sensitivity, false_positive_rate),
    relatives=("discriminant_power", "yule_q", "positive_likelihood_ratio"),
    sources=("glas2003", "tharwat2018"),
)
def diagnostic_odds_ratio(c: Counts) -> Any:
    """Odds of a positive call for positive rows over those for negative rows; 1 is guessing.

    Infinite if one kind of error does not occur; 0.5 is not added to empty cells.

    Misleading: It is the same for a test that rules in and one that rules out, and one empty cell
    makes it infinite.

    >>> import tallymark as tm
    >>> tm.metrics.dor([1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0])
    4.0
    """
    return ratio(c.tp * c.tn, c.fp * c.fn)


def _power_of_odds(odds: Any, base: float) -> Any:
    return math.sqrt(3) / math.pi * np.log(odds) / log_of(base)


def _odds_of_power(power: Any, base: float) -> Any:
    return np.exp(power * math.pi / math.sqrt(3) * log_of(base))


@metric(
    title="Discriminant power",
    formula="(√3/π) · (ln(TPR/FNR) + ln(TNR/FPR))",
    range=(-math.inf, math.inf),
    chance=0.0,
    aliases=("DP", "test effectiveness"),
    undefined=ODDS_UNDEFINED,
    two_shares=of_odds(_power_of_odds, _odds_of_power),
    relatives=("diagnostic_odds_ratio", "d_prime"),
    sources=("sokolova2006", "tharwat2018"),
)
def discriminant_power(c: Counts, *, base: float = math.e) -> Any:
    """Logarithm of the diagnostic odds ratio, scaled to a standard logistic variable.

    Its authors call it poor below 1 and good above 3. ``base`` is that of the logarithm: some
    software uses 10, which gives 0.535 where this gives 1.231.

    Misleading: Software differs by the base of the logarithm, and one empty cell makes it infinite.

    >>> import tallymark as tm
    >>> round(tm.metrics.dp([1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0]), 4)
    0.7643
    """
    return _power_of_odds(ratio(c.tp * c.tn, c.fp * c.fn), base)


@metric(
    title="Number needed to diagnose",
    formula="1 / (TPR + TNR - 1)",
    range=(-math.inf, math.inf),
    better="neither",
    aliases=("NND",),
    undefined=BOTH_CLASSES,
    relatives=("youden_j",),
    sources=("linn2006",),
)
def number_needed_to_diagnose(c: Counts) -> Any:
    """Positive rows to test to find one more than guessing would find.

    Misleading: 1 is best, but lower is not always better: below 0 the test is worse than guessing,
    and near guessing it grows without bound.

    >>> import tallymark as tm
    >>> tm.metrics.nnd([1, 1, 1, 1, 0, 0], [1, 1, 0, 0, 0, 0])
    2.0
    """
    return ratio(1.0, ratio(c.tp, c.positives) - ratio(c.fp, c.negatives))


@metric(
    title="Prevalence threshold",
    formula="√FPR / (√TPR + √FPR)",
    better="low",
    chance=0.5,
    aliases=("PT",),
    undefined={
        **BOTH_CLASSES,
        **NONE_CALLED_POSITIVE,
    },
    two_shares=TwoShares(
        "ratio",
        sensitivity,
        false_positive_rate,
        lambda lr: 1 / (1 + np.sqrt(lr)),
        lambda prevalence: np.exp(2 * np.log((1 - prevalence) / prevalence)),
    ),
    relatives=("positive_likelihood_ratio", "precision"),
    sources=("balayla2020",),
)
def prevalence_threshold(c: Counts) -> Any:
    """Prevalence below which precision falls most steeply.

    Misleading: It depends on the two rates alone and says nothing about these rows.

    >>> import tallymark as tm
    >>> round(tm.metrics.prevalence_threshold([1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0]), 6)
    0.333333
    """
    result, alarmed = np.sqrt(ratio(c.tp, c.positives)), np.sqrt(ratio(c.fp, c.negatives))
    return ratio(alarmed, result + alarmed)


# -- F and its relatives -----------------------------------------------------------------------


def _f(tp: Any, fp: Any, fn: Any, beta: float) -> Any:
    if not beta >= 0:
        raise InputError(f"beta is {beta!r}; give a number, zero or more")
    b2 = beta * beta
    if math.isinf(b2):
        return ratio(tp, tp + fn)
    hits = (1 + b2) * tp
    return ratio(hits, hits + b2 * fn + fp)


def _f_denominator(c: Counts, beta: float) -> Any:
    """Return what the denominator of the F-measure counts; the positives where only recall does."""
    b2 = beta * beta
    return c.positives if math.isinf(b2) else (1 + b2) * c.tp + b2 * c.fn + c.fp


F_UNDEFINED: Mapping[str, Function] = {
    **NO_POSITIVE_AT_ALL,
    "no row was predicted positive, and only precision counts": lambda c, beta: (
        (c.called_positive == 0) & (beta * beta == 0)
    ),
    "no row is truly positive, and only recall counts": lambda c, beta: (
        (c.positives == 0) & math.isinf(beta * beta)
    ),
}


@metric(
    title="F-beta",
    formula="(1+β²)·TP / ((1+β²)·TP + β²·FN + FP)",
    aliases=("fbeta",),
    undefined=F_UNDEFINED,
    denominator=_f_denominator,
    relatives=("precision", "sensitivity", "jaccard"),
    sources=("vanrijsbergen1979", "tharwat2018", "shin2016"),
    presets={
        "f1": {
            "params": {"beta": 1.0},
            "title": "F1",
            "meaning": "Harmonic mean of precision and recall.",
            "aliases": (
                "F-measure",
                "F-score",
                "F meas",
                "FSC",
                "f1 score",
                "dice",
                "dice coefficient",
                "sorensen",
                "Zijdenbos similarity index",
            ),
        },
        "f2": {
            "params": {"beta": 2.0},
            "title": "F2",
            "meaning": "F-measure that weights recall twice as much as precision.",
        },
        "f0_5": {
            "params": {"beta": 0.5},
            "title": "F0.5",
            "meaning": "F-measure that weights recall half as much as precision.",
            "aliases": ("f0.5", "f05"),
        },
    },
)
def f_beta(c: Counts, *, beta: float = 1.0) -> Any:
    """Harmonic mean of precision and recall, with recall weighted β times as much.

    It ignores true negatives. It changes with prevalence and with the choice of the positive class.

    Misleading: It ignores true negatives, and changes with prevalence and the choice of the
    positive class.

    >>> import tallymark as tm
    >>> tm.metrics.f_beta([1, 1, 0, 0], [1, 0, 1, 0], beta=2)
    0.5
    """
    return _f(c.tp, c.fp, c.fn, beta)


@metric(
    title="Effectiveness",
    formula="1 - F_β, α = 1/(1+β²)",
    better="low",
    aliases=("E", "van Rijsbergen's E"),
    undefined=F_UNDEFINED,
    denominator=_f_denominator,
    relatives=("f_beta",),
    sources=("vanrijsbergen1979", "shin2016"),
)
def effectiveness(c: Counts, *, beta: float = 1.0) -> Any:
    """Van Rijsbergen's E: 1 minus the F-measure.

    Misleading: Like F, it ignores true negatives.

    >>> import tallymark as tm
    >>> tm.metrics.effectiveness([1, 1, 0, 0], [1, 0, 1, 0])
    0.5
    """
    return 1 - _f(c.tp, c.fp, c.fn, beta)


@metric(
    title="Adjusted F-measure",
    formula="√(F₂ · F₀.₅ of the switched classes)",
    aliases=("AGF",),
    undefined={
        **NO_POSITIVE_AT_ALL,
        "no row is truly negative or predicted negative": lambda c: (
            (c.negatives == 0) & (c.called_negative == 0)
        ),
    },
    relatives=("f2", "geometric_mean"),
    sources=("maratea2014", "tharwat2018"),
)
def adjusted_f(c: Counts) -> Any:
    """Geometric mean of F2 for the positives and F0.5 for the negatives.

    Made for rare positives: it counts the negatives too, but still changes with prevalence.

    Misleading: It still changes with prevalence, although it was made for rare positives.

    >>> import tallymark as tm
    >>> round(tm.metrics.agf([1, 1, 0, 0, 0], [1, 0, 1, 0, 0]), 4)
    0.5774
    """
    return np.sqrt(_f(c.tp, c.fp, c.fn, 2.0) * _f(c.tn, c.fn, c.fp, 0.5))


@share(
    title="Jaccard index",
    formula="TP / (TP + FP + FN)",
    aliases=(
        "Tanimoto",
        "critical success index",
        "CSI",
        "threat score",
        "jaccard index",
        "IoU",
        "intersection over union",
    ),
    undefined=NO_POSITIVE_AT_ALL,
    relatives=("f1", "equitable_threat_score"),
    sources=("jaccard1901", "tharwat2018"),
)
def jaccard(c: Counts) -> Any:
    """Overlap of the truly positive rows with those called positive.

    It orders classifiers exactly as F1 does: J = F1 / (2 - F1).

    Misleading: It orders classifiers exactly as F1 does, so it adds no information to F1.

    >>> import tallymark as tm
    >>> tm.metrics.jaccard([1, 1, 1, 0, 0], [1, 1, 0, 1, 0])
    0.5
    """
    return c.tp, c.tp + c.fp + c.fn


@metric(
    title="Fowlkes-Mallows index",
    formula="√(TPR · PPV)",
    aliases=("FM", "FM index", "G-measure", "G-mean1"),
    undefined={**NO_POSITIVES, **NONE_CALLED_POSITIVE},
    relatives=("f1", "geometric_mean"),
    sources=("fowlkes1983",),
)
def fowlkes_mallows(c: Counts) -> Any:
    """Geometric mean of precision and recall.

    Some papers on defect prediction call it the G-mean, which elsewhere is √(TPR · TNR).

    Misleading: Some papers call it the G-mean, which elsewhere is √(TPR · TNR).

    >>> import tallymark as tm
    >>> tm.metrics.fowlkes_mallows([1, 1, 0, 0], [1, 0, 1, 0])
    0.5
    """
    return np.sqrt(ratio(c.tp, c.positives) * ratio(c.tp, c.called_positive))


@metric(
    title="P4",
    formula="4·TP·TN / (4·TP·TN + (TP + TN)·(FP + FN))",
    undefined={
        "TP·TN and (TP + TN)·(FP + FN) are both 0, 0/0": lambda c: (
            (c.tp * c.tn == 0) & ((c.tp + c.tn) * (c.fp + c.fn) == 0)
        )
    },
    relatives=("f1", "matthews_corrcoef"),
    sources=("sitarz2023",),
)
def p4(c: Counts) -> Any:
    """Harmonic mean of precision, recall, specificity and negative predictive value.

    F1 for both classes at once: swapping the positive class does not change it.

    Misleading: It is 0 if TP or TN is 0, whatever the other cells hold.

    >>> import tallymark as tm
    >>> round(tm.metrics.p4([1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0]), 6)
    0.666667
    """
    right = 4 * c.tp * c.tn
    return ratio(right, right + (c.tp + c.tn) * (c.fp + c.fn))


# -- for unequal classes -----------------------------------------------------------------------


@metric(
    title="Adjusted geometric mean",
    formula="(GM + TNR·Nₙ) / (1 + Nₙ) if TPR > 0, else 0; Nₙ = N/T",
    aliases=("AGM",),
    undefined=BOTH_CLASSES,
    smooth=False,
    relatives=("geometric_mean", "specificity"),
    sources=("batuwita2012", "tharwat2018"),
)
def adjusted_geometric_mean(c: Counts, *, counts: bool = False) -> Any:
    """Geometric mean of both rates, shifted towards specificity by the share of negatives.

    ``counts=True`` uses their number instead, as one tutorial prints it; with many rows that is
    nearly specificity.

    Misleading: With counts instead of shares it tends to specificity as the number of rows grows.

    >>> import tallymark as tm
    >>> round(tm.metrics.agm([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]), 4)
    0.6674
    """
    tpr, tnr = ratio(c.tp, c.positives), ratio(c.tn, c.negatives)
    weight = c.negatives if counts else ratio(c.negatives, c.total)
    mean = (np.sqrt(tpr * tnr) + tnr * weight) / (1 + weight)
    return np.where((c.tp == 0) & (c.positives > 0), 0.0 * mean, mean)


@metric(
    title="Optimization precision",
    formula="ACC - |TPR - TNR| / (TPR + TNR)",
    range=(-1, 1),
    aliases=("OP", "optimized precision"),
    undefined={
        **BOTH_CLASSES,
        "TPR and TNR are both 0": lambda c: (c.tp == 0) & (c.tn == 0),
    },
    smooth=False,
    relatives=("accuracy", "balanced_accuracy"),
    sources=("ranawana2006", "tharwat2018"),
    error="optimistic",
)
def optimization_precision(c: Counts) -> Any:
    """Accuracy minus a penalty for the difference of sensitivity and specificity.

    Misleading: It can be below 0, and penalises unequal rates even where both are good.

    >>> import tallymark as tm
    >>> round(tm.metrics.optimization_precision([1, 1, 0, 0, 0], [1, 0, 0, 0, 0]), 4)
    0.4667
    """
    tpr, tnr = ratio(c.tp, c.positives), ratio(c.tn, c.negatives)
    return ratio(c.tp + c.tn, c.total) - ratio(magnitude(tpr - tnr), tpr + tnr)


@metric(
    title="Balance",
    formula="1 - √((pf² + (1 - pd)²) / 2)",
    aliases=("Menzies' balance",),
    undefined=BOTH_CLASSES,
    smooth=False,
    relatives=("youden_j", "geometric_mean"),
    sources=("menzies2007",),
)
def balance(c: Counts) -> Any:
    """Closeness of the ROC point to the perfect corner, from 0 (farthest) to 1 (perfect).

    Used for defect prediction; pd is sensitivity, pf the false positive rate.

    Misleading: It weights both errors equally and says nothing about precision.

    >>> import tallymark as tm
    >>> round(tm.metrics.balance([1, 1, 0, 0], [1, 1, 1, 0]), 4)
    0.6464
    """
    miss, alarm = ratio(c.fn, c.positives), ratio(c.fp, c.negatives)
    return 1 - np.sqrt((alarm**2 + miss**2) / 2)


@metric(
    title="Index of balanced accuracy",
    formula="(1 + α·(TPR - TNR)) · TPR · TNR",
    undefined=BOTH_CLASSES,
    relatives=("geometric_mean", "balanced_accuracy"),
    sources=("garcia2009",),
)
def iba(c: Counts, *, alpha: float = 0.1) -> Any:
    """Squared geometric mean of both rates, increased where sensitivity is the higher.

    Misleading: The reward for a higher TPR depends on α: the same rates can give another value.

    >>> import tallymark as tm
    >>> round(tm.metrics.iba([1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0]), 5)
    0.76875
    """
    if not 0 <= alpha <= 1:
        raise InputError(f"alpha is {alpha!r}; it must lie between 0 and 1")
    tpr, tnr = ratio(c.tp, c.positives), ratio(c.tn, c.negatives)
    return (1 + alpha * (tpr - tnr)) * tpr * tnr
