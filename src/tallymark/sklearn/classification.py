"""Metrics of predicted labels: scikit-learn's conventions over tallymark's counts.

Where the two differ the drop-in follows scikit-learn: what is 0/0 becomes ``zero_division`` (0
and a warning) and not NaN with a reason, and the positive class is ``pos_label=1``.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from tallymark.errors import InputError
from tallymark.metric import METRICS
from tallymark.sklearn.checks import Array, check, mean, mean_of_few, undefined, warn
from tallymark.sklearn.targets import Classes, Marks, PlainMatrix, Targets, count
from tallymark.tally.labels import Counts, OneMatrix


def _overall(name: str, matrix: Array, whole: bool = False, **params: Any) -> float:
    """Return a metric of a matrix; of whole counts sooner."""
    metric = METRICS[name]
    return (metric.raw if whole and len(matrix) > 1 else metric.single)(matrix, **params)


def _one_column(targets: Targets) -> Classes:
    if isinstance(targets, Marks):
        raise InputError(f"{targets.kind} is not supported")
    return targets


def _warn_of_one_label(labels: int) -> None:
    if labels == 1:
        warn(
            "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have "
            "the correct shape, use the 'labels' parameter to pass all known labels."
        )


def _whole(values: Any, targets: Targets) -> Array:
    """Return counts as integers where they are: without weights."""
    array = np.asarray(values)
    return array.astype(np.int64) if targets.weights is None else array


# -- one number of all rows ----------------------------------------------------------------------


def accuracy_score(
    y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None
) -> float:
    """Return the share of rows named right; of several labels a row, all of them must be.

    >>> accuracy_score(["a", "b", "c", "c"], ["a", "b", "c", "a"])
    0.75
    """
    check("accuracy_score", normalize=normalize, sample_weight=sample_weight)
    targets = count(y_true, y_pred, sample_weight)
    matrix = targets.errors
    if not normalize:
        return float(matrix[0, 0])
    return _overall("accuracy", matrix, targets.weights is None)


def zero_one_loss(
    y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None
) -> float:
    """Return the share of rows named wrong, or their number.

    >>> zero_one_loss([1, 0, 1, 1], [1, 1, 1, 1], normalize=False)
    1.0
    """
    check("zero_one_loss", normalize=normalize, sample_weight=sample_weight)
    targets = count(y_true, y_pred, sample_weight)
    matrix = targets.errors
    if not normalize:
        return float(matrix[0, 1])
    return _overall("error_rate", matrix, targets.weights is None)


def hamming_loss(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Return the share of labels that are wrong; of several labels a row, each counts.

    >>> hamming_loss([[0, 1], [1, 1]], [[0, 0], [1, 1]])
    0.25
    """
    check("hamming_loss", sample_weight=sample_weight)
    targets = count(y_true, y_pred, sample_weight)
    matrix = targets.cell_errors if isinstance(targets, Marks) else targets.errors
    return _overall("error_rate", matrix, targets.weights is None)


def balanced_accuracy_score(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, adjusted: bool = False
) -> float:
    """Return the mean share found of the classes that are true of some row.

    tallymark's own ``balanced_accuracy`` is NaN where a class was predicted and never true; here
    such a class is left out, with a warning.

    >>> balanced_accuracy_score([1, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0])
    0.75
    """
    check(
        "balanced_accuracy_score", (y_true, y_pred), adjusted=adjusted, sample_weight=sample_weight
    )
    targets = _one_column(count(y_true, y_pred, sample_weight))
    _warn_of_one_label(len(targets.names))
    found = _values("recall", targets.few() or targets.counts)
    gone = np.count_nonzero(np.isnan(found))
    if gone:
        warn("y_pred contains classes not in y_true")
    score = np.float64(mean(found))
    if adjusted:
        chance = 1 / (len(found) - gone)
        score = (score - chance) / (1 - chance)
    return float(score)


def matthews_corrcoef(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Return the correlation of truth and prediction, 0 where one of them is all of one class.

    >>> round(matthews_corrcoef([1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 1]), 6)
    0.707107
    """
    check("matthews_corrcoef", (y_true, y_pred), sample_weight=sample_weight)
    targets = _one_column(count(y_true, y_pred, sample_weight))
    matrix = targets.matrix
    _warn_of_one_label(len(matrix))
    value = _overall("matthews_corrcoef", matrix, targets.weights is None)
    return 0.0 if math.isnan(value) else value


def cohen_kappa_score(
    y1: Any,
    y2: Any,
    *,
    labels: Any = None,
    weights: str | None = None,
    sample_weight: Any = None,
    replace_undefined_by: float = math.nan,
) -> float:
    """Return the agreement beyond chance; ``replace_undefined_by`` and a warning where 0/0.

    >>> cohen_kappa_score([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """
    check(
        "cohen_kappa_score",
        (y1, y2, labels),
        weights=weights,
        replace_undefined_by=replace_undefined_by,
        sample_weight=sample_weight,
    )
    targets = _one_column(count(y1, y2, sample_weight))
    try:
        matrix = chosen(targets, labels)
    except _AbsentLabelsError:
        raise InputError(
            "At least one label in `labels` must be present in `y1` (even though "
            "`cohen_kappa_score` is otherwise agnostic to the order of `y1` and `y2`)."
        ) from None
    _warn_of_one_label(len(matrix))
    value = _overall("cohen_kappa", matrix, targets.weights is None, weights=weights)
    if math.isnan(value):
        why = (
            "`y1`, `y2` and `labels` have only one label in common."
            if matrix.any()
            else "`y2` contains no labels that are present in both `y1` and `labels`."
        )
        undefined(
            f"{why} `cohen_kappa_score` is undefined and set to the value defined by the "
            f"`replace_undefined_by` param, which is set to {replace_undefined_by}."
        )
        return replace_undefined_by
    return value


# -- matrices ------------------------------------------------------------------------------------


class _AbsentLabelsError(InputError):
    """No row is truly of one of the labels asked for."""


def chosen(targets: Classes, labels: Any, matrix: Array | None = None) -> Array:
    """Return counts [true, predicted] of the labels asked for, in their order."""
    matrix = targets.matrix if matrix is None else matrix
    if labels is None:
        return matrix
    wanted = np.asarray(labels)
    if not wanted.size:
        raise InputError("'labels' should contain at least one label.")
    if not any(targets.is_true(label) for label in wanted.tolist()):
        raise _AbsentLabelsError("At least one label specified must be in y_true")
    at = {label: i for i, label in enumerate(wanted.tolist())}
    here = [label for label in at if label in targets.place]
    full = np.zeros((len(wanted), len(wanted)), dtype=matrix.dtype)
    old, new = ([place[label] for label in here] for place in (targets.place, at))
    full[np.ix_(new, new)] = matrix[np.ix_(old, old)]
    return full


def confusion_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    normalize: str | None = None,
) -> Array:
    """Return counts [true, predicted]: integers unless weighted, a share of 0/0 made 0.

    >>> confusion_matrix([0, 1, 1, 0], [0, 1, 0, 0])
    array([[2, 0],
           [1, 1]])
    """
    check(
        "confusion_matrix",
        (y_true, y_pred, labels),
        normalize=normalize,
        sample_weight=sample_weight,
    )
    targets = _one_column(count(y_true, y_pred, sample_weight))
    counts = chosen(targets, labels, targets.exact)
    _warn_of_one_label(len(counts))
    if normalize is None:
        return np.array(counts)
    axis = {"true": 1, "pred": 0, "all": None}[normalize]
    with np.errstate(all="ignore"):
        return np.asarray(np.nan_to_num(counts / counts.sum(axis=axis, keepdims=True)))


def multilabel_confusion_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    sample_weight: Any = None,
    labels: Any = None,
    samplewise: bool = False,
) -> Array:
    """Return a 2x2 matrix of counts for each label, or for each row with ``samplewise``.

    >>> multilabel_confusion_matrix([0, 2, 1], [0, 2, 2])[2]
    array([[1, 1],
           [0, 1]])
    """
    check("multilabel_confusion_matrix", samplewise=samplewise, sample_weight=sample_weight)
    targets = count(y_true, y_pred, sample_weight)
    counts = asked(targets, labels, "samples" if samplewise else None)
    if isinstance(counts, list):
        return np.array([((c.tn, c.fp), (c.fn, c.tp)) for c in counts], dtype=np.int64)
    return _whole(counts.matrix(), targets)


# -- precision, recall and what is made of them --------------------------------------------------

_DENOMINATORS = {
    "precision": ("Precision", "predicted"),
    "recall": ("Recall", "true"),
    "f-score": ("F-score", "true nor predicted"),
    "jaccard": ("Jaccard", "true or predicted"),
}
_OURS = {"recall": "sensitivity", "f-score": "f_beta"}
SCORES = tuple(METRICS[name].function for name in ("precision", "sensitivity", "f_beta"))
"""Precision, recall and F1 of counts."""


def _chosen_labels(targets: Targets, labels: Any, average: str | None, pos_label: Any) -> Any:
    """Return the labels to be judged: the positive one alone for ``average="binary"``."""
    if average != "binary":
        if pos_label not in (None, 1):
            warn(
                f"Note that pos_label (set to {pos_label!r}) is ignored when average != 'binary' "
                f"(got {average!r}). You may use labels=[pos_label] to specify a single positive "
                "class.",
            )
        return labels
    if targets.kind != "binary":
        others = [None, "micro", "macro", "weighted"]
        if targets.kind != "multiclass":
            others.append("samples")
        raise InputError(
            f"Target is {targets.kind} but average='binary'. Please choose another average "
            f"setting, one of {others!r}."
        )
    assert isinstance(targets, Classes)
    if pos_label not in targets.place and len(targets.names) >= 2:
        raise InputError(
            f"pos_label={pos_label} is not a valid label. It should be one of {targets.labels}"
        )
    return [pos_label]


Asked = Counts | list[PlainMatrix]
"""The counts of the labels asked for: arrays, one matrix, or plain numbers of each of a few."""


def _values(name: str, counts: Asked, beta: float = 1.0) -> Any:
    """Return a metric of each class, NaN where it is undefined, or of one as a plain number.

    Of whole counts these formulas are 0/0 exactly where they are undefined.
    """
    metric = METRICS[_OURS.get(name, name)]
    params = {"beta": float(beta)} if name == "f-score" else {}
    if isinstance(counts, list):
        return [metric.function(c, **params) for c in counts]
    if isinstance(counts, OneMatrix):
        return metric.single(counts, **params)
    return metric.compute(counts, **params)


def _filled(
    name: str, values: Any, average: str | None, zero_division: Any, warn_for: Collection[str]
) -> Any:
    """Return these values, what is undefined made ``zero_division``."""
    if isinstance(values, list):
        if not math.isnan(sum(values)):
            return values
        values = np.array(values)
    elif isinstance(values, float):
        if not math.isnan(values):
            return values
        values = np.array([values])
    gone = np.isnan(values)
    if not np.count_nonzero(gone):
        return values
    if zero_division == "warn" and name in warn_for:
        title, missing = _DENOMINATORS[name]
        each, what = ("label", "sample") if average != "samples" else ("sample", "label")
        where = f"in {each}s with" if values.size > 1 else "due to"
        undefined(
            f"{title} is ill-defined and being set to 0.0 {where} no {missing} {what}s. Use "
            "`zero_division` parameter to control this behavior."
        )
    return np.where(gone, 0.0 if zero_division == "warn" else zero_division, values)


def asked(targets: Targets, labels: Any, average: str | None) -> Asked:
    """Return the counts of the labels asked for: of a few classes as plain numbers."""
    if isinstance(targets, Classes) and average != "samples":
        wanted = labels if average == "binary" or labels is None else np.asarray(labels).tolist()
        few = targets.few(wanted)
        if few is not None:
            return [added(few)] if average == "micro" else few
    counts = targets.against_rest(labels, average == "samples")
    if average != "micro":
        return counts
    return OneMatrix(*(v.sum() for v in (counts.tp, counts.fp, counts.fn, counts.tn)))


def added(few: Sequence[PlainMatrix]) -> PlainMatrix:
    """Add up whole counts."""
    return PlainMatrix(*map(sum, zip(*few, strict=True)))


def _support(counts: Asked) -> Any:
    """Return the true rows of each class."""
    return [c.positives for c in counts] if isinstance(counts, list) else counts.positives


def _weights_of(targets: Targets, counts: Asked, average: str | None) -> Any:
    if average == "weighted":
        return _support(counts)
    return targets.weights if average == "samples" else None


def jaccard_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Return the overlap of true and predicted positives; 0/0 is ``zero_division``, 0 or 1.

    >>> jaccard_score([1, 1, 1, 0, 0], [1, 1, 0, 1, 0])
    0.5
    """
    check(
        "jaccard_score",
        average=average,
        pos_label=pos_label,
        zero_division=zero_division,
        sample_weight=sample_weight,
    )
    targets = count(y_true, y_pred, sample_weight)
    wanted = _chosen_labels(targets, labels, average, pos_label)
    counts = asked(targets, wanted, average)
    values = _filled("jaccard", _values("jaccard", counts), average, zero_division, ("jaccard",))
    if average is None:
        return np.asarray(values)
    return mean(values, _weights_of(targets, counts, average))


def precision_recall_fscore_support(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float = 1.0,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = None,
    warn_for: Collection[str] = ("precision", "recall", "f-score"),
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> tuple[Any, Any, Any, Any]:
    """Return precision, recall, F-beta and the true rows of each class, or averages of them.

    >>> precision_recall_fscore_support([0, 1, 1, 1], [0, 1, 1, 0], average="macro")
    (0.75, 0.8333333333333333, 0.7333333333333334, None)
    """
    check(
        "precision_recall_fscore_support",
        beta=beta,
        average=average,
        pos_label=pos_label,
        zero_division=zero_division,
        sample_weight=sample_weight,
    )
    targets = count(y_true, y_pred, sample_weight)
    wanted = _chosen_labels(targets, labels, average, pos_label)
    counts = asked(targets, wanted, average)
    *scores, support = score_labels(targets, counts, beta, average, warn_for, zero_division)
    if average is not None:
        return scores[0], scores[1], scores[2], None
    precision, recall, f = (np.asarray(v) for v in scores)
    return precision, recall, f, _whole(support, targets)


def score_labels(
    targets: Targets,
    counts: Asked,
    beta: float,
    average: str | None,
    warn_for: Collection[str],
    zero_division: Any,
    known: dict[str, Any] | None = None,
) -> tuple[Any, Any, Any, Any]:
    """Return precision, recall, F-beta and support of counts, whose metrics may be known already.

    What is undefined is told for each average anew, as scikit-learn does.
    """
    values = {} if known is None else known
    names = ("precision", "recall", "f-score")[: 3 if 0 < beta < math.inf else 2]
    filled = []
    for name in names:
        if name not in values:
            values[name] = _values(name, counts, beta)
        filled.append(_filled(name, values[name], average, zero_division, warn_for))
    if beta == 0 or beta == math.inf:
        filled.append(filled[0 if beta == 0 else 1])
    if average is None:
        return *filled, _support(counts)
    weights = _weights_of(targets, counts, average)
    precision, recall, f = filled
    return mean(precision, weights), mean(recall, weights), mean(f, weights), None


def _part(
    function: str,
    name: str,
    beta: float,
    y_true: Any,
    y_pred: Any,
    labels: Any,
    pos_label: Any,
    average: str | None,
    sample_weight: Any,
    zero_division: Any,
) -> Any:
    check(
        function,
        beta=beta,
        average=average,
        pos_label=pos_label,
        zero_division=zero_division,
        sample_weight=sample_weight,
    )
    targets = count(y_true, y_pred, sample_weight)
    wanted = _chosen_labels(targets, labels, average, pos_label)
    counts = asked(targets, wanted, average)
    rate = name
    if name == "f-score" and not 0 < beta < math.inf:
        rate = "precision" if beta == 0 else "recall"
    values = _filled(rate, _values(rate, counts, beta), average, zero_division, (name,))
    if average is None:
        return np.asarray(values)
    return mean(values, _weights_of(targets, counts, average))


def precision_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Return the share of the rows called positive that truly are; 0/0 is ``zero_division``.

    >>> precision_score([1, 1, 0, 0, 0], [1, 1, 1, 1, 0])
    0.5
    """
    options = (labels, pos_label, average, sample_weight, zero_division)
    return _part("precision_score", "precision", 1.0, y_true, y_pred, *options)


def recall_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Return the share of the truly positive rows that were found; 0/0 is ``zero_division``.

    >>> recall_score([1, 1, 1, 1, 0], [1, 1, 1, 0, 0])
    0.75
    """
    options = (labels, pos_label, average, sample_weight, zero_division)
    return _part("recall_score", "recall", 1.0, y_true, y_pred, *options)


def f1_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Return the harmonic mean of precision and recall; 0/0 is ``zero_division``.

    >>> f1_score([1, 1, 0, 0], [1, 0, 1, 0])
    0.5
    """
    options = (labels, pos_label, average, sample_weight, zero_division)
    return _part("f1_score", "f-score", 1.0, y_true, y_pred, *options)


def fbeta_score(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Return the mean of precision and recall where recall weighs beta times as much.

    >>> fbeta_score([1, 1, 0, 0], [1, 0, 1, 0], beta=2)
    0.5
    """
    options = (labels, pos_label, average, sample_weight, zero_division)
    return _part("fbeta_score", "f-score", beta, y_true, y_pred, *options)


def class_likelihood_ratios(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    replace_undefined_by: Any = math.nan,
) -> tuple[float, float]:
    """Return LR+ and LR-; x/0 is ``replace_undefined_by`` with a warning, where ours is infinite.

    >>> class_likelihood_ratios([0, 1, 0, 1, 0], [1, 1, 0, 0, 0])
    (1.5, 0.75)
    """
    check(
        "class_likelihood_ratios",
        replace_undefined_by=replace_undefined_by,
        sample_weight=sample_weight,
    )
    targets = count(y_true, y_pred, sample_weight)
    if not isinstance(targets, Classes) or targets.kind != "binary":
        raise InputError(
            "class_likelihood_ratios only supports binary classification problems, got targets of "
            f"type: {targets.kind}"
        )
    instead = _replacements(replace_undefined_by)
    matrix = chosen(targets, labels)
    if matrix.shape != (2, 2):
        raise InputError(
            f"class_likelihood_ratios needs two labels and there is {len(matrix)}; name both with "
            "labels=[negative, positive]"
        )
    (tn, fp), (fn, tp) = matrix.tolist()
    c = OneMatrix(tp, fp, fn, tn)
    hint = "Use the `replace_undefined_by` param to control this behavior."
    if not c.positives:
        undefined(
            "No samples of the positive class are present in `y_true`. `positive_likelihood_ratio` "
            f"and `negative_likelihood_ratio` are both set to `np.nan`. {hint}"
        )
    out = []
    for name, none, sign in (("positive", fp == 0, "LR+"), ("negative", tn == 0, "LR-")):
        value = METRICS[f"{name}_likelihood_ratio"].single(c)
        if none:
            why = f"`{name}_likelihood_ratio` is ill-defined and "
            if sign == "LR+" and tp == 0:
                why = (
                    "No samples were predicted for the positive class and "
                    "`positive_likelihood_ratio` is "
                )
            undefined(f"{why}set to `np.nan`. {hint}")
            value = instead[sign]
        out.append(value)
    return out[0], out[1]


def _replacements(given: Any) -> dict[str, float]:
    if not isinstance(given, dict):
        return {"LR+": float(given), "LR-": float(given)}
    bounds = {"LR+": (1.0, math.inf), "LR-": (0.0, 1.0)}
    for name, (low, high) in bounds.items():
        value = given.get(name)
        if not isinstance(value, int | float) or not (math.isnan(value) or low <= value <= high):
            raise InputError(
                "The dictionary passed as `replace_undefined_by` needs to be in the form "
                "`{'LR+': `value_1`, 'LR-': `value_2`}` where the value for `LR+` ranges from "
                "`1.0` to `np.inf` or is `np.nan` and the value for `LR-` ranges from `0.0` to "
                f"`1.0` or is `np.nan`; got `{given}`."
            )
    return {name: float(given[name]) for name in bounds}


_WARN_FOR = ("precision", "recall", "f-score")
_HEADERS = ("precision", "recall", "f1-score", "support")
_Row = tuple[Any, ...]
"""A name, precision, recall, F1 and support."""


def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    target_names: Any = None,
    sample_weight: Any = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: Any = "warn",
) -> Any:
    """Return precision, recall, F1 and support by class and averaged, as text or as a dict.

    The rows are counted once for the whole report.

    >>> print(classification_report([0, 1, 1, 1], [0, 1, 1, 0]))
                  precision    recall  f1-score   support
    <BLANKLINE>
               0       0.50      1.00      0.67         1
               1       1.00      0.67      0.80         3
    <BLANKLINE>
        accuracy                           0.75         4
       macro avg       0.75      0.83      0.73         4
    weighted avg       0.88      0.75      0.77         4
    <BLANKLINE>
    """
    check(
        "classification_report",
        digits=digits,
        output_dict=output_dict,
        zero_division=zero_division,
        sample_weight=sample_weight,
    )
    targets = count(y_true, y_pred, sample_weight)
    wanted = None if labels is None else np.asarray(labels)
    if target_names is None:
        names = _named(targets, wanted)
    else:
        names = list(target_names)
        size = len(targets.labels if wanted is None else wanted)
        if len(names) != size and labels is None:
            raise InputError(
                f"Number of classes, {size}, does not match size of target_names, "
                f"{len(names)}. Try specifying the labels parameter"
            )
        if len(names) != size:
            warn(f"labels size, {size}, does not match size of target_names, {len(names)}")
    rows, averages = _rows(targets, wanted, names, zero_division)
    if output_dict:
        return _as_dict(rows, averages)
    return _as_text(rows, averages, names, digits)


def _named(targets: Targets, wanted: Array | None) -> list[str]:
    # The texts of NumPy's whole numbers and booleans are those of Python's, sooner.
    if wanted is None and isinstance(targets, Classes) and targets.dtype.kind in "biu":
        return [str(label) for label in targets.names]
    return [str(label) for label in (targets.labels if wanted is None else wanted)]


def _rows(
    targets: Targets, wanted: Array | None, names: Sequence[str], zero_division: Any
) -> tuple[list[_Row], list[_Row]]:
    """Return a row for each class and one for each average, what is micro named accuracy."""
    by_label, values = asked(targets, wanted, None), dict[str, Any]()
    multilabel = targets.kind == "multilabel-indicator"
    all_of_them = wanted is None or set(wanted.tolist()) >= set(targets.labels.tolist())
    micro = "accuracy" if all_of_them and not multilabel else "micro avg"
    if isinstance(by_label, list):
        plain = [[score(c) for c in by_label] for score in SCORES]
        if not math.isnan(sum(map(sum, plain))):
            return _plain_rows(by_label, plain, names, micro)

    def scores(average: str | None) -> tuple[Any, ...]:
        each = average not in ("micro", "samples")
        counts = by_label if each else asked(targets, wanted, average)
        known = values if each else None
        return score_labels(targets, counts, 1.0, average, _WARN_FOR, zero_division, known)

    *columns, support = scores(None)
    if targets.weights is None:
        support = [int(rows) for rows in support]
    rows = list(zip(map(str, names), *columns, support, strict=False))
    total = sum(support) if targets.weights is None else np.sum(support)
    averages = {"micro": micro, "macro": "macro avg", "weighted": "weighted avg"}
    if multilabel:
        averages["samples"] = "samples avg"
    return rows, [(title, *scores(a)[:3], total) for a, title in averages.items()]


def _plain_rows(
    counts: list[PlainMatrix], values: list[list[float]], names: Sequence[str], micro: str
) -> tuple[list[_Row], list[_Row]]:
    """Return :func:`_rows` where nothing is undefined, so that no word is said of it."""
    support = [int(c.positives) for c in counts]
    rows = list(zip(map(str, names), *values, support, strict=False))
    total = sum(support)
    whole = added(counts)
    precision, recall, f1 = SCORES
    overall = [precision(whole)] * 3
    if whole.fp != whole.fn:  # which are the same of all classes added up
        overall[1:] = recall(whole), f1(whole)
    return rows, [
        (micro, *overall, total),
        ("macro avg", *map(mean_of_few, values), total),
        ("weighted avg", *[mean_of_few(v, support) for v in values], total),
    ]


def _as_dict(rows: Iterable[_Row], averages: Iterable[_Row]) -> dict[str, Any]:
    out: dict[str, Any] = {
        name: dict(zip(_HEADERS, map(float, values), strict=True))
        for name, *values in [*rows, *averages]
    }
    if any(name == "accuracy" for name, *_ in averages):
        out["accuracy"] = out["accuracy"]["precision"]
    return out


def _as_text(
    rows: Sequence[_Row], averages: Sequence[_Row], names: Sequence[str], digits: int
) -> str:
    width = max(len("weighted avg"), digits, *map(len, names))
    form = _form(width, digits, len(rows), tuple([row[0] == "accuracy" for row in averages]))
    cells: list[Any] = []
    for row in rows:
        cells += row
    for row in averages:
        cells += (row[0], *row[3:]) if row[0] == "accuracy" else row
    return form % tuple(cells)


@lru_cache(maxsize=64)
def _form(width: int, digits: int, rows: int, short: tuple[bool, ...]) -> str:
    """Return the whole text, its cells left open; short is a line of F1 and support alone."""
    header = "".join(f" {word:>9}" for word in _HEADERS)
    share = f" %9.{digits}f"
    told, brief = (f"%{width}s {shares} %9s\n" for shares in (share * 3, f"{'':20}{share}"))
    averages = "".join(brief if accuracy else told for accuracy in short)
    return f"{'':{width}} {header}\n\n{told * rows}\n{averages}"
