"""Rates: one or more of the four counts, divided by a margin of the matrix."""

from __future__ import annotations

import math
from typing import Any

from tallymark.metric.registry import SKILL, metric, ratio, share
from tallymark.tally.labels import Counts

# These tests accept Counts, and ScoreCounts if they read only attributes that both have.
NO_ROWS = {"there is no row": lambda c: c.total == 0}
NO_POSITIVES = {"no row is truly positive": lambda c: c.positives == 0}
NO_NEGATIVES = {"no row is truly negative": lambda c: c.negatives == 0}
BOTH_CLASSES = {**NO_POSITIVES, **NO_NEGATIVES}
NONE_CALLED_POSITIVE = {"no row was predicted positive": lambda c: c.called_positive == 0}
NONE_CALLED_NEGATIVE = {"no row was predicted negative": lambda c: c.called_negative == 0}
BOTH_PRODUCTS_ZERO = {
    "TP·TN and FP·FN are both 0, 0/0": lambda c: (c.tp * c.tn == 0) & (c.fp * c.fn == 0)
}
NO_POSITIVE_AT_ALL = {
    "no row is truly positive or predicted positive": lambda c: (
        (c.positives == 0) & (c.called_positive == 0)
    )
}

COUNTED = {
    reason: what
    for reasons, what in (
        (NO_POSITIVES, "positives"),
        (NO_NEGATIVES, "negatives"),
        (NONE_CALLED_POSITIVE, "rows predicted positive"),
        (NONE_CALLED_NEGATIVE, "rows predicted negative"),
    )
    for reason in reasons
}
"""What the denominator of a share counts that is undefined for this reason, in the plural."""


# -- rates of the true classes -----------------------------------------------------------------


@share(
    title="Sensitivity",
    formula="TP / (TP + FN)",
    aliases=(
        "TPR",
        "recall",
        "true positive rate",
        "hit rate",
        "probability of detection",
        "pd",
        "TP rate",
        "sens",
        "power",
    ),
    undefined=NO_POSITIVES,
    relatives=("specificity", "false_negative_rate", "precision"),
    sources=("tharwat2018", "fawcett2006"),
)
def sensitivity(c: Counts) -> Any:
    """Share of the truly positive rows that were found.

    Calling every row positive makes it 1: read it beside specificity or precision.

    Misleading: Calling every row positive makes it 1.

    >>> import tallymark as tm
    >>> tm.metrics.sensitivity([1, 1, 1, 0], [1, 1, 0, 0])
    0.6666666666666666
    """
    return c.tp, c.positives


@share(
    title="Specificity",
    formula="TN / (FP + TN)",
    aliases=("TNR", "spec", "true negative rate", "inverse recall", "selectivity"),
    undefined=NO_NEGATIVES,
    relatives=("sensitivity", "false_positive_rate"),
    sources=("tharwat2018", "fawcett2006"),
)
def specificity(c: Counts) -> Any:
    """Share of the truly negative rows that were called negative.

    Calling every row negative makes it 1: read it beside sensitivity.

    Misleading: Calling every row negative makes it 1, and with very many negatives 0.99 still means
    many false alarms.

    >>> import tallymark as tm
    >>> tm.metrics.specificity([1, 0, 0, 0, 0], [1, 1, 0, 0, 0])
    0.75
    """
    return c.tn, c.negatives


@share(
    title="False positive rate",
    formula="FP / (FP + TN)",
    better="low",
    aliases=(
        "FPR",
        "FP rate",
        "type I error",
        "fall-out",
        "fallout",
        "false alarm rate",
        "pf",
        "FAR",
        "FMR",
        "false match rate",
        "false acceptance rate",
    ),
    undefined=NO_NEGATIVES,
    relatives=("specificity", "false_discovery_rate"),
    sources=("tharwat2018", "fawcett2006"),
)
def false_positive_rate(c: Counts) -> Any:
    """Share of the truly negative rows that were called positive.

    Misleading: A small rate can mean many false alarms: 1 % of a million negatives is ten thousand.

    >>> import tallymark as tm
    >>> tm.metrics.false_positive_rate([1, 0, 0, 0, 0], [1, 1, 0, 0, 0])
    0.25
    """
    return c.fp, c.negatives


@share(
    title="False negative rate",
    formula="FN / (TP + FN)",
    better="low",
    aliases=(
        "FNR",
        "FN rate",
        "type II error",
        "miss rate",
        "FRR",
        "FNMR",
        "false rejection rate",
        "false non-match rate",
    ),
    undefined=NO_POSITIVES,
    relatives=("sensitivity", "false_omission_rate"),
    sources=("tharwat2018",),
)
def false_negative_rate(c: Counts) -> Any:
    """Share of the truly positive rows that were missed.

    Misleading: Calling every row positive makes it 0.

    >>> import tallymark as tm
    >>> tm.metrics.false_negative_rate([1, 1, 1, 1, 0], [1, 1, 1, 0, 0])
    0.25
    """
    return c.fn, c.positives


@metric(
    title="Youden's J",
    formula="TPR + TNR - 1",
    **SKILL,
    aliases=(
        "informedness",
        "bookmaker informedness",
        "J",
        "J index",
        "Youden index",
        "BM",
        "YI",
        "Peirce skill score",
        "true skill statistic",
        "TSS",
        "Hanssen-Kuipers discriminant",
    ),
    undefined=BOTH_CLASSES,
    relatives=("balanced_accuracy", "kolmogorov_smirnov", "markedness"),
    sources=("youden1950", "tharwat2018", "powers2011"),
)
def youden_j(c: Counts) -> Any:
    """How much better than guessing the decisions separate both classes; 0 is guessing.

    The height of the ROC point above the diagonal. It weights both kinds of error equally, whatever
    they cost and however rare the positives are.

    Misleading: It weights a missed positive like a false alarm, as if classes were equally frequent
    and errors cost the same.

    >>> import tallymark as tm
    >>> tm.metrics.youden_j([1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 0])
    0.75
    """
    return ratio(c.tp, c.positives) - ratio(c.fp, c.negatives)


# -- rates of the predictions ------------------------------------------------------------------


@share(
    title="Precision",
    formula="TP / (TP + FP)",
    chance="prevalence",
    aliases=("PPV", "positive predictive value", "pos pred value"),
    undefined=NONE_CALLED_POSITIVE,
    relatives=("sensitivity", "false_discovery_rate", "lift"),
    sources=("tharwat2018", "shin2016"),
)
def precision(c: Counts) -> Any:
    """Share of the rows called positive that truly are.

    It falls with the prevalence: a test with the same sensitivity and specificity has a far lower
    precision where positives are rare.

    Misleading: It falls with the prevalence: a precision from a balanced sample does not hold where
    positives are rare.

    >>> import tallymark as tm
    >>> tm.metrics.precision([1, 1, 0, 0, 0], [1, 1, 1, 1, 0])
    0.5
    """
    return c.tp, c.called_positive


@share(
    title="Negative predictive value",
    formula="TN / (TN + FN)",
    chance="1 - prevalence",
    aliases=("NPV", "neg pred value", "inverse precision", "true negative accuracy", "TNA"),
    undefined=NONE_CALLED_NEGATIVE,
    relatives=("precision", "false_omission_rate"),
    sources=("tharwat2018",),
)
def negative_predictive_value(c: Counts) -> Any:
    """Share of the rows called negative that truly are.

    Where positives are rare it is near 1 for any classifier that calls most rows negative.

    Misleading: Where positives are rare it is near 1 for any classifier that calls most rows
    negative.

    >>> import tallymark as tm
    >>> tm.metrics.npv([1, 1, 0, 0, 0], [1, 0, 0, 0, 0])
    0.75
    """
    return c.tn, c.called_negative


@share(
    title="False discovery rate",
    formula="FP / (TP + FP)",
    better="low",
    aliases=("FDR",),
    undefined=NONE_CALLED_POSITIVE,
    relatives=("precision", "false_positive_rate"),
    sources=("tharwat2018",),
)
def false_discovery_rate(c: Counts) -> Any:
    """Share of the rows called positive that are truly negative.

    Misleading: It rises as positives become rarer, with the classifier unchanged.

    >>> import tallymark as tm
    >>> tm.metrics.false_discovery_rate([1, 1, 1, 0], [1, 1, 1, 1])
    0.25
    """
    return c.fp, c.called_positive


@share(
    title="False omission rate",
    formula="FN / (TN + FN)",
    better="low",
    aliases=("FOR",),
    undefined=NONE_CALLED_NEGATIVE,
    relatives=("negative_predictive_value", "false_negative_rate"),
    sources=("tharwat2018",),
)
def false_omission_rate(c: Counts) -> Any:
    """Share of the rows called negative that are truly positive.

    Misleading: Where positives are rare it is near 0 for any classifier that calls most rows
    negative.

    >>> import tallymark as tm
    >>> tm.metrics.false_omission_rate([1, 1, 0, 0, 0], [1, 0, 0, 0, 0])
    0.25
    """
    return c.fn, c.called_negative


@metric(
    title="Markedness",
    formula="PPV + NPV - 1",
    **SKILL,
    aliases=("MK", "delta P"),
    undefined={**NONE_CALLED_POSITIVE, **NONE_CALLED_NEGATIVE},
    relatives=("youden_j", "matthews_corrcoef"),
    sources=("powers2011", "tharwat2018"),
)
def markedness(c: Counts) -> Any:
    """How much better than chance a prediction indicates the truth; 0 is chance.

    The counterpart of Youden's J, read from the predictions; MCC squared is their product. It
    changes with prevalence.

    Misleading: It changes with prevalence, and is undefined where all rows have the same
    prediction.

    >>> import tallymark as tm
    >>> tm.metrics.markedness([1, 1, 0, 0, 0], [1, 0, 0, 0, 0])
    0.75
    """
    return ratio(c.tp, c.called_positive) - ratio(c.fn, c.called_negative)


@share(
    title="Prevalence",
    formula="(TP + FN) / T",
    better="neither",
    aliases=("base rate",),
    undefined=NO_ROWS,
    relatives=("predicted_positive_rate", "uncertainty"),
    sources=("tharwat2018",),
)
def prevalence(c: Counts) -> Any:
    """Share of the rows that are truly positive, a property of the data, not the classifier.

    Misleading: In a sample stratified by class it says nothing about the population.

    >>> import tallymark as tm
    >>> tm.metrics.prevalence([1, 0, 0, 0], [1, 1, 0, 0])
    0.25
    """
    return c.positives, c.total


@share(
    title="Predicted positive rate",
    formula="(TP + FP) / T",
    better="neither",
    aliases=("PPR", "bias", "depth", "detection prevalence"),
    undefined=NO_ROWS,
    relatives=("prevalence",),
    sources=("tharwat2018",),
    capacity=True,
)
def predicted_positive_rate(c: Counts) -> Any:
    """Share of the rows that were called positive.

    Misleading: It can equal the prevalence even where every call is wrong.

    >>> import tallymark as tm
    >>> tm.metrics.predicted_positive_rate([1, 0, 0, 0], [1, 1, 0, 0])
    0.5
    """
    return c.called_positive, c.total


@metric(
    title="Lift",
    formula="PPV / prevalence",
    range=(0, math.inf),
    chance=1.0,
    undefined={**NONE_CALLED_POSITIVE, **NO_POSITIVES},
    relatives=("precision", "lift_at"),
    sources=("shin2016",),
)
def lift(c: Counts) -> Any:
    """How many times more positives the rows called positive hold than rows drawn at random.

    Its highest possible value is 1 / prevalence, so do not compare lifts between data sets.

    Misleading: It can be high for a few rows, and its maximum is 1 / prevalence: do not compare
    values between data sets.

    >>> import tallymark as tm
    >>> tm.metrics.lift([1, 0, 0, 0], [1, 1, 0, 0])
    2.0
    """
    return ratio(c.tp * c.total, c.called_positive * c.positives)
