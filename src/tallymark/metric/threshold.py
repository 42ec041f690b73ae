"""Metrics of the four counts of one class against the rest."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tallymark.metric.registry import Preset, magnitude, metric, ratio
from tallymark.tally.labels import Counts


def _no_positives(c: Counts) -> Any:
    return c.positives == 0


def _no_negatives(c: Counts) -> Any:
    return c.negatives == 0


def _none_called_positive(c: Counts) -> Any:
    return c.called_positive == 0


def _none_called_negative(c: Counts) -> Any:
    return c.called_negative == 0


NO_ROWS = {"there is no row": lambda c: c.total == 0}
NO_POSITIVES = {"no row is truly positive": _no_positives}
NO_NEGATIVES = {"no row is truly negative": _no_negatives}
BOTH_CLASSES = {**NO_POSITIVES, **NO_NEGATIVES}
NONE_CALLED_POSITIVE = {"no row was predicted positive": _none_called_positive}
NONE_CALLED_NEGATIVE = {"no row was predicted negative": _none_called_negative}
NO_POSITIVE_AT_ALL = {
    "no row is truly positive or predicted positive": lambda c: (
        (c.positives == 0) & (c.called_positive == 0)
    )
}


# -- rates of the true classes -----------------------------------------------------------------


@metric(
    title="Sensitivity",
    formula="TP / (TP + FN)",
    needs="counts",
    range=(0, 1),
    better="high",
    aliases=(
        "TPR",
        "recall",
        "true positive rate",
        "hit rate",
        "probability of detection",
        "pd",
    ),
    undefined=NO_POSITIVES,
    proportion=lambda c: (c.tp, c.positives),
    sources=("tharwat2018", "fawcett2006"),
)
def sensitivity(c: Counts) -> Any:
    """Share of the truly positive rows that were found.

    Calling every row positive makes it 1: read it beside specificity or precision.

    >>> import tallymark as tm
    >>> tm.metrics.sensitivity([1, 1, 1, 0], [1, 1, 0, 0])
    0.6666666666666666
    """
    return ratio(c.tp, c.positives)


@metric(
    title="Specificity",
    formula="TN / (FP + TN)",
    needs="counts",
    range=(0, 1),
    better="high",
    aliases=("TNR", "true negative rate", "inverse recall", "selectivity"),
    undefined=NO_NEGATIVES,
    proportion=lambda c: (c.tn, c.negatives),
    sources=("tharwat2018", "fawcett2006"),
)
def specificity(c: Counts) -> Any:
    """Share of the truly negative rows that were left alone.

    Calling every row negative makes it 1: read it beside sensitivity.

    >>> import tallymark as tm
    >>> tm.metrics.specificity([1, 0, 0, 0, 0], [1, 1, 0, 0, 0])
    0.75
    """
    return ratio(c.tn, c.negatives)


@metric(
    title="False positive rate",
    formula="FP / (FP + TN)",
    needs="counts",
    range=(0, 1),
    better="low",
    aliases=("FPR", "fall-out", "false alarm rate", "pf", "FAR", "FMR", "false match rate",
             "false acceptance rate"),
    undefined=NO_NEGATIVES,
    proportion=lambda c: (c.fp, c.negatives),
    sources=("tharwat2018", "fawcett2006"),
)  # fmt: skip
def false_positive_rate(c: Counts) -> Any:
    """Share of the truly negative rows that raised a false alarm.

    >>> import tallymark as tm
    >>> tm.metrics.false_positive_rate([1, 0, 0, 0, 0], [1, 1, 0, 0, 0])
    0.25
    """
    return ratio(c.fp, c.negatives)


@metric(
    title="False negative rate",
    formula="FN / (TP + FN)",
    needs="counts",
    range=(0, 1),
    better="low",
    aliases=("FNR", "miss rate", "FRR", "FNMR", "false rejection rate", "false non-match rate"),
    undefined=NO_POSITIVES,
    proportion=lambda c: (c.fn, c.positives),
    sources=("tharwat2018",),
)
def false_negative_rate(c: Counts) -> Any:
    """Share of the truly positive rows that were missed.

    >>> import tallymark as tm
    >>> tm.metrics.false_negative_rate([1, 1, 1, 1, 0], [1, 1, 1, 0, 0])
    0.25
    """
    return ratio(c.fn, c.positives)


@metric(
    title="Youden's J",
    formula="TPR + TNR - 1",
    needs="counts",
    range=(-1, 1),
    better="high",
    chance=0.0,
    aliases=("informedness", "bookmaker informedness", "J", "Youden index", "BM", "YI"),
    undefined=BOTH_CLASSES,
    sources=("youden1950", "tharwat2018", "powers2011"),
)
def youden_j(c: Counts) -> Any:
    """How much better than guessing both classes are told apart; 0 is guessing.

    The height of the ROC point above the diagonal. It weighs both kinds of error alike, whatever
    they cost and however rare the positives are.

    >>> import tallymark as tm
    >>> tm.metrics.youden_j([1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 0])
    0.75
    """
    return ratio(c.tp, c.positives) - ratio(c.fp, c.negatives)


# -- rates of the predictions ------------------------------------------------------------------


@metric(
    title="Precision",
    formula="TP / (TP + FP)",
    needs="counts",
    range=(0, 1),
    better="high",
    chance="prevalence",
    aliases=("PPV", "positive predictive value"),
    undefined=NONE_CALLED_POSITIVE,
    proportion=lambda c: (c.tp, c.called_positive),
    sources=("tharwat2018", "shin2020"),
)
def precision(c: Counts) -> Any:
    """Share of the rows called positive that truly are.

    It falls with the prevalence: a test with the same sensitivity and specificity has a far lower
    precision where positives are rare.

    >>> import tallymark as tm
    >>> tm.metrics.precision([1, 1, 0, 0, 0], [1, 1, 1, 1, 0])
    0.5
    """
    return ratio(c.tp, c.called_positive)


@metric(
    title="Negative predictive value",
    formula="TN / (TN + FN)",
    needs="counts",
    range=(0, 1),
    better="high",
    chance="1 - prevalence",
    aliases=("NPV", "inverse precision", "true negative accuracy", "TNA"),
    undefined=NONE_CALLED_NEGATIVE,
    proportion=lambda c: (c.tn, c.called_negative),
    sources=("tharwat2018",),
)
def negative_predictive_value(c: Counts) -> Any:
    """Share of the rows called negative that truly are.

    Where positives are rare it is near 1 for any classifier.

    >>> import tallymark as tm
    >>> tm.metrics.npv([1, 1, 0, 0, 0], [1, 0, 0, 0, 0])
    0.75
    """
    return ratio(c.tn, c.called_negative)


@metric(
    title="False discovery rate",
    formula="FP / (TP + FP)",
    needs="counts",
    range=(0, 1),
    better="low",
    aliases=("FDR",),
    undefined=NONE_CALLED_POSITIVE,
    proportion=lambda c: (c.fp, c.called_positive),
    sources=("tharwat2018",),
)
def false_discovery_rate(c: Counts) -> Any:
    """Share of the rows called positive that are not.

    >>> import tallymark as tm
    >>> tm.metrics.false_discovery_rate([1, 1, 1, 0], [1, 1, 1, 1])
    0.25
    """
    return ratio(c.fp, c.called_positive)


@metric(
    title="False omission rate",
    formula="FN / (TN + FN)",
    needs="counts",
    range=(0, 1),
    better="low",
    aliases=("FOR",),
    undefined=NONE_CALLED_NEGATIVE,
    proportion=lambda c: (c.fn, c.called_negative),
    sources=("tharwat2018",),
)
def false_omission_rate(c: Counts) -> Any:
    """Share of the rows called negative that are truly positive.

    >>> import tallymark as tm
    >>> tm.metrics.false_omission_rate([1, 1, 0, 0, 0], [1, 0, 0, 0, 0])
    0.25
    """
    return ratio(c.fn, c.called_negative)


@metric(
    title="Markedness",
    formula="PPV + NPV - 1",
    needs="counts",
    range=(-1, 1),
    better="high",
    chance=0.0,
    aliases=("MK", "delta P"),
    undefined={**NONE_CALLED_POSITIVE, **NONE_CALLED_NEGATIVE},
    sources=("powers2011", "tharwat2018"),
)
def markedness(c: Counts) -> Any:
    """How much a prediction tells about the truth; 0 is nothing.

    The counterpart of Youden's J, read from the predictions; MCC squared is their product. It
    moves with the prevalence.

    >>> import tallymark as tm
    >>> tm.metrics.markedness([1, 1, 0, 0, 0], [1, 0, 0, 0, 0])
    0.75
    """
    return ratio(c.tp, c.called_positive) - ratio(c.fn, c.called_negative)


@metric(
    title="Prevalence",
    formula="(TP + FN) / T",
    needs="counts",
    range=(0, 1),
    better="neither",
    aliases=("base rate",),
    undefined=NO_ROWS,
    proportion=lambda c: (c.positives, c.total),
    sources=("tharwat2018",),
)
def prevalence(c: Counts) -> Any:
    """Share of the rows that are truly positive: a fact of the data, not of the classifier.

    >>> import tallymark as tm
    >>> tm.metrics.prevalence([1, 0, 0, 0], [1, 1, 0, 0])
    0.25
    """
    return ratio(c.positives, c.total)


@metric(
    title="Predicted positive rate",
    formula="(TP + FP) / T",
    needs="counts",
    range=(0, 1),
    better="neither",
    aliases=("PPR", "bias", "depth"),
    undefined=NO_ROWS,
    proportion=lambda c: (c.called_positive, c.total),
    sources=("tharwat2018",),
)
def predicted_positive_rate(c: Counts) -> Any:
    """Share of the rows that were called positive.

    >>> import tallymark as tm
    >>> tm.metrics.predicted_positive_rate([1, 0, 0, 0], [1, 1, 0, 0])
    0.5
    """
    return ratio(c.called_positive, c.total)


@metric(
    title="Lift",
    formula="PPV / prevalence",
    needs="counts",
    range=(0, math.inf),
    better="high",
    chance=1.0,
    undefined={**NONE_CALLED_POSITIVE, **NO_POSITIVES},
    sources=("shin2020",),
)
def lift(c: Counts) -> Any:
    """How many times more positives the chosen rows hold than rows taken at random.

    Its highest possible value is 1 / prevalence, so that lifts of different data do not compare.

    >>> import tallymark as tm
    >>> tm.metrics.lift([1, 0, 0, 0], [1, 1, 0, 0])
    2.0
    """
    return ratio(c.tp * c.total, c.called_positive * c.positives)


# -- likelihood and odds -----------------------------------------------------------------------


@metric(
    title="Positive likelihood ratio",
    formula="TPR / FPR",
    needs="counts",
    range=(0, math.inf),
    better="high",
    chance=1.0,
    aliases=("LR+", "PLR", "lr plus", "positive likelihood"),
    undefined={
        **BOTH_CLASSES,
        "no row was predicted positive, 0/0": _none_called_positive,
    },
    sources=("tharwat2018", "glas2003"),
)
def positive_likelihood_ratio(c: Counts) -> Any:
    """How many times likelier a positive call is for a positive row than for a negative one.

    Infinite when there was no false alarm.

    >>> import tallymark as tm
    >>> tm.metrics.lr_plus([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0])
    2.0
    """
    return ratio(ratio(c.tp, c.positives), ratio(c.fp, c.negatives))


@metric(
    title="Negative likelihood ratio",
    formula="FNR / TNR",
    needs="counts",
    range=(0, math.inf),
    better="low",
    chance=1.0,
    aliases=("LR-", "NLR", "lr minus", "negative likelihood"),
    undefined={
        **BOTH_CLASSES,
        "no row was predicted negative, 0/0": _none_called_negative,
    },
    sources=("tharwat2018", "glas2003"),
)
def negative_likelihood_ratio(c: Counts) -> Any:
    """How many times likelier a negative call is for a positive row than for a negative one.

    >>> import tallymark as tm
    >>> tm.metrics.lr_minus([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """
    return ratio(ratio(c.fn, c.positives), ratio(c.tn, c.negatives))


ODDS_UNDEFINED = {
    **BOTH_CLASSES,
    "TP·TN and FP·FN are both 0, 0/0": lambda c: (c.tp * c.tn == 0) & (c.fp * c.fn == 0),
}


@metric(
    title="Diagnostic odds ratio",
    formula="(TP·TN) / (FP·FN)",
    needs="counts",
    range=(0, math.inf),
    better="high",
    chance=1.0,
    aliases=("DOR", "odds ratio"),
    undefined=ODDS_UNDEFINED,
    sources=("glas2003", "tharwat2018"),
)
def diagnostic_odds_ratio(c: Counts) -> Any:
    """Odds of a positive call for positive rows over those for negative rows; 1 is guessing.

    Infinite as soon as one kind of error does not occur; no half is added to empty cells.

    >>> import tallymark as tm
    >>> tm.metrics.dor([1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0])
    4.0
    """
    return ratio(c.tp * c.tn, c.fp * c.fn)


@metric(
    title="Discriminant power",
    formula="(√3/π) · (ln(TPR/FNR) + ln(TNR/FPR))",
    needs="counts",
    range=(-math.inf, math.inf),
    better="high",
    chance=0.0,
    aliases=("DP", "test effectiveness"),
    undefined=ODDS_UNDEFINED,
    sources=("sokolova2006", "tharwat2018"),
)
def discriminant_power(c: Counts, *, base: float = math.e) -> Any:
    """Logarithm of the diagnostic odds ratio, scaled to a standard logistic variable.

    Below 1 poor, above 3 good, as its authors put it. ``base`` is that of the logarithm: some
    software uses 10, which gives 0.535 where this gives 1.231.

    >>> import tallymark as tm
    >>> round(tm.metrics.dp([1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0]), 4)
    0.7643
    """
    odds = ratio(c.tp * c.tn, c.fp * c.fn)
    return math.sqrt(3) / math.pi * np.log(odds) / math.log(base)


# -- F and its relatives -----------------------------------------------------------------------


def _f(tp: Any, fp: Any, fn: Any, beta: float) -> Any:
    if math.isinf(beta):
        return ratio(tp, tp + fn)
    b2 = beta * beta
    return ratio((1 + b2) * tp, (1 + b2) * tp + b2 * fn + fp)


def _weighs_nothing(c: Counts) -> Any:
    return c.tp + c.fp + c.fn == 0


@metric(
    title="F-beta",
    formula="(1+β²)·TP / ((1+β²)·TP + β²·FN + FP)",
    needs="counts",
    range=(0, 1),
    better="high",
    aliases=("fbeta",),
    undefined=NO_POSITIVE_AT_ALL,
    sources=("vanrijsbergen1979", "tharwat2018", "shin2020"),
    presets={
        "f1": Preset(
            {"beta": 1.0},
            "F1",
            "Harmonic mean of precision and recall.",
            ("F-measure", "F-score", "FSC", "f1 score", "dice"),
        ),
        "f2": Preset(
            {"beta": 2.0}, "F2", "Precision and recall in one, recall weighing twice as much."
        ),
        "f0_5": Preset(
            {"beta": 0.5},
            "F0.5",
            "Precision and recall in one, recall weighing half as much.",
            ("f0.5", "f05"),
        ),
    },
)
def f_beta(c: Counts, *, beta: float = 1.0) -> Any:
    """Harmonic mean of precision and recall, recall weighing β times as much as precision.

    True negatives do not enter. It moves with the prevalence, and with which class is called
    positive.

    >>> import tallymark as tm
    >>> tm.metrics.f_beta([1, 1, 0, 0], [1, 0, 1, 0], beta=2)
    0.5
    """
    return _f(c.tp, c.fp, c.fn, beta)


@metric(
    title="Effectiveness",
    formula="1 - F_β, α = 1/(1+β²)",
    needs="counts",
    range=(0, 1),
    better="low",
    aliases=("E", "van Rijsbergen's E"),
    undefined=NO_POSITIVE_AT_ALL,
    sources=("vanrijsbergen1979", "shin2020"),
)
def effectiveness(c: Counts, *, beta: float = 1.0) -> Any:
    """Van Rijsbergen's E: what F lacks to 1.

    >>> import tallymark as tm
    >>> tm.metrics.effectiveness([1, 1, 0, 0], [1, 0, 1, 0])
    0.5
    """
    return 1 - _f(c.tp, c.fp, c.fn, beta)


@metric(
    title="Adjusted F-measure",
    formula="√(F₂ · F₀.₅ of the switched classes)",
    needs="counts",
    range=(0, 1),
    better="high",
    aliases=("AGF",),
    undefined={
        **NO_POSITIVE_AT_ALL,
        "no row is truly negative or predicted negative": lambda c: (
            (c.negatives == 0) & (c.called_negative == 0)
        ),
    },
    sources=("maratea2014", "tharwat2018"),
)
def adjusted_f(c: Counts) -> Any:
    """F2 of the positives brought together with F0.5 of the negatives.

    Meant for rare positives, so that the negatives count too; it still moves with the prevalence.

    >>> import tallymark as tm
    >>> round(tm.metrics.agf([1, 1, 0, 0, 0], [1, 0, 1, 0, 0]), 4)
    0.5774
    """
    return np.sqrt(_f(c.tp, c.fp, c.fn, 2.0) * _f(c.tn, c.fn, c.fp, 0.5))


@metric(
    title="Jaccard index",
    formula="TP / (TP + FP + FN)",
    needs="counts",
    range=(0, 1),
    better="high",
    aliases=("Tanimoto", "critical success index", "CSI", "threat score"),
    undefined=NO_POSITIVE_AT_ALL,
    proportion=lambda c: (c.tp, c.tp + c.fp + c.fn),
    sources=("jaccard1901", "tharwat2018"),
)
def jaccard(c: Counts) -> Any:
    """Overlap of the truly positive rows with those called positive.

    It orders classifiers exactly as F1 does: J = F1 / (2 - F1).

    >>> import tallymark as tm
    >>> tm.metrics.jaccard([1, 1, 1, 0, 0], [1, 1, 0, 1, 0])
    0.5
    """
    return ratio(c.tp, c.tp + c.fp + c.fn)


@metric(
    title="Fowlkes-Mallows index",
    formula="√(TPR · PPV)",
    needs="counts",
    range=(0, 1),
    better="high",
    aliases=("FM", "G-measure", "G-mean1"),
    undefined={**NO_POSITIVES, **NONE_CALLED_POSITIVE},
    sources=("fowlkes1983",),
)
def fowlkes_mallows(c: Counts) -> Any:
    """Geometric mean of precision and recall.

    Some texts on defect prediction call it the G-mean, which elsewhere is √(TPR · TNR).

    >>> import tallymark as tm
    >>> tm.metrics.fowlkes_mallows([1, 1, 0, 0], [1, 0, 1, 0])
    0.5
    """
    return np.sqrt(ratio(c.tp, c.positives) * ratio(c.tp, c.called_positive))


# -- for unequal classes -----------------------------------------------------------------------


@metric(
    title="Adjusted geometric mean",
    formula="(GM + TNR·Nₙ) / (1 + Nₙ) if TPR > 0, else 0; Nₙ = N/T",
    needs="counts",
    range=(0, 1),
    better="high",
    aliases=("AGM",),
    undefined=BOTH_CLASSES,
    smooth=False,
    sources=("batuwita2012", "tharwat2018"),
)
def adjusted_geometric_mean(c: Counts, *, counts: bool = False) -> Any:
    """Geometric mean of both rates, pulled towards specificity by the share of negatives.

    ``counts=True`` weighs by their number instead, as one tutorial prints it; with many rows that
    is specificity and nothing else.

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
    needs="counts",
    range=(-1, 1),
    better="high",
    aliases=("OP", "optimized precision"),
    undefined={
        **BOTH_CLASSES,
        "TPR and TNR are both 0": lambda c: (c.tp == 0) & (c.tn == 0),
    },
    smooth=False,
    sources=("ranawana2006", "tharwat2018"),
)
def optimization_precision(c: Counts) -> Any:
    """Accuracy less a penalty for treating the classes unequally.

    >>> import tallymark as tm
    >>> round(tm.metrics.optimization_precision([1, 1, 0, 0, 0], [1, 0, 0, 0, 0]), 4)
    0.4667
    """
    tpr, tnr = ratio(c.tp, c.positives), ratio(c.tn, c.negatives)
    return ratio(c.tp + c.tn, c.total) - ratio(magnitude(tpr - tnr), tpr + tnr)


@metric(
    title="Balance",
    formula="1 - √((pf² + (1 - pd)²) / 2)",
    needs="counts",
    range=(0, 1),
    better="high",
    aliases=("Menzies' balance",),
    undefined=BOTH_CLASSES,
    smooth=False,
    sources=("menzies2007",),
)
def balance(c: Counts) -> Any:
    """How near the ROC point lies to the perfect corner, from 0 (farthest) to 1 (there).

    Used for defect prediction; pd is sensitivity, pf the false positive rate.

    >>> import tallymark as tm
    >>> round(tm.metrics.balance([1, 1, 0, 0], [1, 1, 1, 0]), 4)
    0.6464
    """
    miss, alarm = ratio(c.fn, c.positives), ratio(c.fp, c.negatives)
    return 1 - np.sqrt((alarm**2 + miss**2) / 2)
