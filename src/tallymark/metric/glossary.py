"""Names used elsewhere for several metrics, for a metric with arguments, or for no metric here."""

from __future__ import annotations

from collections.abc import Mapping

from tallymark.errors import InputError
from tallymark.metric.registry import AMBIGUOUS, Metric, get, plain

SEVERAL: Mapping[str, tuple[str, ...]] = {
    **AMBIGUOUS,
    "pr_auc": AMBIGUOUS["auprc"],
    "eer": (
        "equal_error_rate",
        "equal_error_rate_hull",
        "equal_error_rate_low",
        "equal_error_rate_high",
    ),
    "ece": (
        "expected_calibration_error",
        "root_mean_squared_calibration_error",
        "max_calibration_error",
    ),
}
"""Ambiguous names, in the form of ``plain``, and the metrics they may mean."""

ARGUMENTS: Mapping[str, tuple[str, str]] = {
    "aunu": ("roc_auc", 'average="macro"'),
    "aunp": ("roc_auc", 'average="weighted"'),
    "roc_aunu": ("roc_auc", 'average="macro"'),
    "roc_aunp": ("roc_auc", 'average="weighted"'),
    "roc_auc_ovr": ("roc_auc", 'average="macro"'),
    "weighted_kappa": ("cohen_kappa", 'weights="linear" or weights="quadratic"'),
    "linear_weighted_kappa": ("cohen_kappa", 'weights="linear"'),
    "quadratic_weighted_kappa": ("cohen_kappa", 'weights="quadratic"'),
    "deltap": ("delta_p", ""),
    "d": ("d_prime", ""),  # d', without its apostrophe
}
"""Names of a metric at certain arguments, and that metric with its arguments."""

_COUNT = (
    'A count, not a metric: ev["TP"], ev["FP"], ev["FN"] and ev["TN"] are those of two classes, '
    'ev.per_class(["TP"]) those of each class; ev.confusion_matrix() holds them all.'
)
_NIR = (
    "The share of the most frequent class, which is the accuracy of always answering that class. "
    "Test accuracy against it with tm.test."
)
_NRI = (
    "Net reclassification improvement of one model over another. tallymark does not offer it, "
    "since it can favour a miscalibrated model that is not better (Hilden and Gerds 2014). Compare "
    "net_benefit or log_loss instead."
)
_OVERLAP = "PyCM: TP / min(TP + FP, P), which is the higher of precision and sensitivity."
_INFORMATION = (
    "Weka: the bits that the probabilities add to the class shares (Kononenko and Bratko 1991). "
    "tallymark does not compute it. log_loss_skill_score, the log loss compared with that of the "
    "class shares, answers the same question with a proper score."
)
_RAE = (
    "Weka: the mean absolute error divided by that of always giving the class shares. tallymark "
    "has mean_absolute_error, and brier_skill_score, which compares squared errors in this way."
)

GLOSSARY: Mapping[str, str] = {
    "no_information_rate": _NIR,
    "nir": _NIR,
    "detection_rate": "Two definitions: in security and biometrics the sensitivity, TP / P; in "
    "R's caret the share of all rows that are true positives, TP / T, which is "
    "sensitivity x prevalence.",
    "relative_absolute_error": _RAE,
    "rae": _RAE,
    "information_score": _INFORMATION,
    "kononenko_&_bratko": _INFORMATION,
    "entropy": "The entropy of the class shares, -sum of share x ln(share), describes the data and "
    "not the classifier. mutual_information says how much of it the decisions explain.",
    "net_reclassification_improvement": _NRI,
    "nri": _NRI,
    "true_positives": _COUNT,
    "false_positives": _COUNT,
    "true_negatives": _COUNT,
    "false_negatives": _COUNT,
    "coverage": "Several meanings: where a row has several labels see coverage_error; where a "
    "classifier may abstain it is the share of rows that get an answer; of an interval, how "
    "often it holds the true value.",
    "sar": "(accuracy + ROC area + 1 - root mean squared error) / 3 (Caruana and Niculescu-Mizil "
    "2004). It is not in the registry, since it mixes three questions: read accuracy, roc_auc "
    "and root_mean_squared_error separately.",
    "classification_cost": "yardstick: the cost of each error times the probability given to it, "
    "averaged over rows. expected_cost is the mean cost of the decisions.",
    "overlap": _OVERLAP,
    "overlap_coefficient": _OVERLAP,
}
"""Names that are not metrics here: their meaning, and what to use instead."""

_AVERAGED = {
    "macro": ("counts", "ranking"),
    "weighted": ("counts", "ranking"),
    "micro": ("counts",),
}
"""Averages, and the ``needs`` of the metrics that support them."""


def with_arguments(name: str) -> tuple[Metric, str] | None:
    """Return the metric and the arguments that a name stands for, else None.

    >>> made, arguments = with_arguments("macro F1")
    >>> made.name, arguments
    ('f1', 'average="macro"')
    """
    key = plain(name)
    if key in ARGUMENTS:
        metric, arguments = ARGUMENTS[key]
        return get(metric), arguments
    for average, needs in _AVERAGED.items():
        rest = key.removeprefix(f"{average}_").removeprefix("averaged_").removesuffix(f"_{average}")
        if rest == key:
            continue
        try:
            metric_of_class = get(rest)
        except InputError:
            continue
        if metric_of_class._needs in needs:
            return metric_of_class, f'average="{average}"'
    return None
