"""Metrics of scores and probabilities: scikit-learn's conventions over our counts by score.

Rows are grouped by distinct score once; curves are arithmetic on the groups. Negative weights,
which scikit-learn lets through, are refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.multiclass import type_of_target

from tallymark.errors import InputError
from tallymark.metric import METRICS
from tallymark.sklearn.checks import (
    Array,
    as_weights,
    check,
    check_finite,
    check_lengths,
    classes_of,
    codes_of,
    column,
    is_single_column,
    numbers,
    positive_of,
    target,
    undefined,
    warn,
)
from tallymark.tally.scores import ScoreCounts, ScoreTally

Curve = tuple[Array, Array, Array]

_NO_POSITIVE = "No positive class found in y_true, recall is set to one for all thresholds."


def ranked(
    y_true: Any,
    y_score: Any,
    pos_label: Any,
    sample_weight: Any,
    known: tuple[str, Array] | None = None,
) -> tuple[ScoreCounts, Any, Array]:
    """Check and rank rows; return also the type of the scores and the classes.

    ``known`` is the target's type with its classes, where they are known.
    """
    kind, classes = known or target(y_true)
    if not (kind == "binary" or (kind == "multiclass" and pos_label is not None)):
        raise InputError(f"{kind} format is not supported")
    check_lengths(y_true, y_score, sample_weight)
    true, score = column(y_true), column(y_score)
    if not len(true):
        raise InputError("y_true holds no row; give at least one")
    label = positive_of(pos_label, classes)
    check_finite(true)
    check_finite(score)
    if sample_weight is not None:
        sample_weight = as_weights(column(sample_weight), len(true))
    positive, known_scores = (true == label).astype(np.int8), score
    if sample_weight is not None and not sample_weight.all():
        kept = sample_weight != 0
        positive, known_scores, sample_weight = (v[kept] for v in (positive, score, sample_weight))
    tally = ScoreTally.from_arrays(positive, known_scores, positive=1, sample_weight=sample_weight)
    return tally.score_counts, score.dtype, classes


def _falling(r: ScoreCounts, dtype: Any) -> tuple[Array, Array, Array]:
    """Return TP, FP and the threshold at each distinct score from the top."""
    tp, fp = r.cumulative_counts
    return tp[1:], fp[1:], r.scores[::-1].astype(dtype)


def _kept(keep: Array, *columns: Array) -> tuple[Array, ...]:
    ends = np.concatenate([[True], keep, [True]])
    return tuple(c[ends] for c in columns)


def _thin_at_same_recall(tp: Array, fp: Array, thresholds: Array) -> tuple[Array, ...]:
    """Leave out points whose true positives are those of both neighbours."""
    if len(tp) <= 2:
        return tp, fp, thresholds
    moved = np.diff(tp) != 0
    return _kept(moved[:-1] | moved[1:], tp, fp, thresholds)


def _from_zero(tp: Array, fp: Array, thresholds: Array) -> Curve:
    return (
        np.concatenate([[0.0], tp]),
        np.concatenate([[0.0], fp]),
        np.concatenate([[np.inf], thresholds.astype(np.float64)]),
    )


def confusion_matrix_at_thresholds(
    y_true: Any, y_score: Any, *late: Any, pos_label: Any = None, sample_weight: Any = None
) -> tuple[Array, Array, Array, Array, Array]:
    """Return TN, FP, FN, TP and the thresholds, which fall; scores at one are called positive.

    >>> confusion_matrix_at_thresholds([0, 1, 1], [0.1, 0.8, 0.4])[3]
    array([1., 2., 2.])
    """
    if late:
        named = dict(zip(("pos_label", "sample_weight"), late, strict=False))
        words = ", ".join(f"{name}={value}" for name, value in named.items())
        warn(
            f"Pass {words} as keyword args. From version 1.11 passing these as positional "
            "arguments will result in an error",
            FutureWarning,
        )
        return confusion_matrix_at_thresholds(y_true, y_score, **named)
    check("confusion_matrix_at_thresholds", locals())
    r, dtype, _ = ranked(y_true, y_score, pos_label, sample_weight)
    tp, fp, thresholds = _falling(r, dtype)
    return fp[-1] - fp, fp, tp[-1] - tp, tp, thresholds


def roc_curve(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: bool = True,
) -> Curve:
    """Return FPR, TPR and thresholds; a rate of no row is NaN, with a warning.

    >>> fpr, tpr, thresholds = roc_curve([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    >>> fpr.tolist(), tpr.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    check("roc_curve", locals())
    r, dtype, _ = ranked(y_true, y_score, pos_label, sample_weight)
    tp, fp, thresholds = _falling(r, dtype)
    if drop_intermediate and len(tp) > 2:
        bent = (np.diff(fp, 2) != 0) | (np.diff(tp, 2) != 0)
        tp, fp, thresholds = _kept(bent, tp, fp, thresholds)
    tp, fp, thresholds = _from_zero(tp, fp, thresholds)
    _warn_of_an_empty_class(fp[-1], tp[-1])
    fpr, tpr = (c / c[-1] if c[-1] > 0 else np.full(len(c), np.nan) for c in (fp, tp))
    return fpr, tpr, thresholds


def _warn_of_an_empty_class(negatives: Any, positives: Any) -> None:
    for rows, word, rate in ((negatives, "negative", "false"), (positives, "positive", "true")):
        if rows <= 0:
            undefined(f"No {word} samples in y_true, {rate} positive value should be meaningless")


def det_curve(
    y_true: Any,
    y_score: Any,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: bool = False,
) -> Curve:
    """Return FPR, FNR and rising thresholds, from the first FNR of 0 to the last FPR of 0.

    >>> fpr, fnr, thresholds = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr.tolist(), fnr.tolist(), thresholds.tolist()
    ([0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.35, 0.4, 0.8])
    """
    check("det_curve", locals())
    r, dtype, classes = ranked(y_true, y_score, pos_label, sample_weight)
    tp, fp, thresholds = _from_zero(*_falling(r, dtype))
    if drop_intermediate:
        tp, fp, thresholds = _thin_at_same_recall(tp, fp, thresholds)
    if len(classes) != 2:
        raise InputError(
            "Only one class is present in y_true. Detection error tradeoff curve is not defined "
            "in that case."
        )
    first = int(np.searchsorted(fp, fp[0], side="right")) - 1
    last = int(np.searchsorted(tp, tp[-1])) + 1
    fpr, fnr = fp / fp[-1], (tp[-1] - tp) / tp[-1]
    return fpr[first:last][::-1], fnr[first:last][::-1], thresholds[first:last][::-1]


def precision_recall_curve(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: bool = False,
) -> Curve:
    """Return precision, recall and rising thresholds; a last point (1, 0) has no threshold.

    >>> precision, recall, thresholds = precision_recall_curve([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    >>> precision.round(3).tolist(), recall.tolist()
    ([0.5, 0.667, 0.5, 1.0, 1.0], [1.0, 1.0, 0.5, 0.5, 0.0])
    """
    check("precision_recall_curve", locals())
    r, dtype, _ = ranked(y_true, y_score, pos_label, sample_weight)
    tp, fp, thresholds = _falling(r, dtype)
    if drop_intermediate:
        tp, fp, thresholds = _thin_at_same_recall(tp, fp, thresholds)
    called = tp + fp
    precision = np.divide(tp, called, out=np.zeros_like(tp), where=called != 0)
    if tp[-1] == 0:
        warn(_NO_POSITIVE)
        recall = np.ones_like(tp)
    else:
        recall = tp / tp[-1]
    return (
        np.concatenate([precision[::-1], [1.0]]),
        np.concatenate([recall[::-1], [0.0]]),
        thresholds[::-1],
    )


def auc(x: Any, y: Any) -> float:
    """Return the area under points joined by straight lines; x rises or falls throughout.

    >>> auc([0, 0.5, 1], [0, 1, 1])
    0.75
    """
    check("auc", locals(), "x", "y")
    check_lengths(x, y)
    x, y = column(x), column(y)
    if len(x) < 2:
        raise InputError(
            f"At least 2 points are needed to compute area under curve, but x.shape = {x.shape}"
        )
    steps = np.diff(x)
    direction = -1 if (steps < 0).any() else 1
    if direction < 0 and not (steps <= 0).all():
        raise InputError(f"x is neither increasing nor decreasing : {x}.")
    return float(direction * (steps * (y[1:] + y[:-1]) / 2).sum())


# -- one number ----------------------------------------------------------------------------------

_Binary = Callable[[Array, Array, "Array | None"], float]


def _average(
    binary: _Binary, marks: Array, scores: Array, average: str | None, weights: Array | None
) -> Any:
    """Apply a metric of one class to every column, or every row, and average the values."""
    check_lengths(marks, scores, weights)
    marks, scores = check_array(marks), check_array(scores)
    if marks.shape != scores.shape:
        raise InputError(f"y_true has shape {marks.shape} and y_score {scores.shape}")
    if average == "micro":
        each = None if weights is None else np.repeat(weights, marks.shape[1])
        return binary(marks.ravel(), scores.ravel(), each)
    share = None
    if average == "weighted":
        share = marks.sum(0) if weights is None else weights @ marks
        if math.isclose(share.sum(), 0, abs_tol=1e-12):
            return 0.0
    if average == "samples":
        share, weights, marks, scores = weights, None, marks.T, scores.T
    values = np.array(
        [binary(m, s, weights) for m, s in zip(marks.T, scores.T, strict=True)], dtype=np.float64
    )
    if average is None:
        return values
    if share is not None:
        values[share == 0] = 0
    return float(np.average(values, weights=share))


def _indicators(y_true: Array, classes: Array) -> Array:
    return np.asarray(np.asarray(y_true)[:, None] == classes, dtype=np.int8)


def _mean_precision(r: ScoreCounts) -> float:
    value = float(METRICS["average_precision"].compute(r))
    if math.isnan(value):
        warn(_NO_POSITIVE)
        return 0.0
    return value


def average_precision_score(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    pos_label: Any = 1,
    sample_weight: Any = None,
) -> Any:
    """Return the mean precision over the positives, 0 with a warning where there is none.

    >>> average_precision_score([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    0.8333333333333333
    """
    check("average_precision_score", locals(), "y_true", "y_score")
    if sample_weight is not None:
        sample_weight = column(sample_weight)
    kind, classes = target(y_true)
    if kind in ("multiclass", "multilabel-indicator") and pos_label != 1:
        raise InputError(
            f"Parameter pos_label is fixed to 1 for {kind} y_true. Do not set pos_label or set "
            "pos_label to 1."
        )
    if kind == "binary" and len(classes) == 2 and pos_label not in classes.tolist():
        raise InputError(
            f"pos_label={pos_label} is not a valid label. It should be one of {classes}"
        )
    if kind == "multiclass":
        y_true, y_score = _indicators(column(y_true), classes), np.asarray(y_score)
        if y_score.shape != y_true.shape:
            raise _not_one_column_a_class(y_score)
    elif kind not in ("binary", "multilabel-indicator"):
        raise InputError(f"{kind} format is not supported")

    def binary(true: Array, score: Array, weights: Array | None) -> float:
        return _mean_precision(ranked(true, score, pos_label, weights)[0])

    if kind == "binary":
        known = kind, classes
        return _mean_precision(ranked(y_true, y_score, pos_label, sample_weight, known)[0])
    return _average(binary, y_true, y_score, average, sample_weight)


def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    sample_weight: Any = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: Any = None,
) -> Any:
    """Return the area under the ROC curve, NaN with a warning where one class is all.

    Two classes without weights cost one sort of integers and no curve.

    >>> roc_auc_score([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.4, 0.3])
    0.9166666666666666
    """
    check("roc_auc_score", locals(), "y_true", "y_score", "labels")
    plain = sample_weight is None and max_fpr in (None, 1) and is_single_column(y_true)
    if plain and y_true.dtype.kind != "U" and type(y_score) is np.ndarray and y_score.ndim == 1:
        try:
            value = METRICS["roc_auc"](y_true, y_score)
        except InputError:
            value = math.nan  # the careful way says why, in scikit-learn's words
        if not math.isnan(value) and len(y_true) == len(y_score):
            return value
    kind, _ = target(y_true)
    y_true, y_score = numbers(y_true, dtype=None), numbers(y_score)
    if sample_weight is not None:
        sample_weight = column(sample_weight)
    wide = y_score.ndim == 2 and y_score.shape[1] > 2
    if kind == "multiclass" or (kind == "binary" and wide):
        if max_fpr not in (None, 1):
            raise InputError(
                "Partial AUC computation not available in multiclass setting, 'max_fpr' must be "
                f"set to `None`, received `max_fpr={max_fpr}` instead"
            )
        if multi_class == "raise":
            raise InputError("multi_class must be in ('ovo', 'ovr')")
        return _many_classes(y_true, y_score, labels, multi_class, average, sample_weight)

    def binary(true: Array, score: Array, weights: Array | None) -> float:
        return _area(true, score, weights, max_fpr)

    if kind == "binary":
        return binary(y_true, y_score, sample_weight)
    if kind != "multilabel-indicator":
        raise InputError(f"{kind} format is not supported")
    return _average(binary, y_true, y_score, average, sample_weight)


def _area(true: Array, score: Array, weights: Array | None, max_fpr: float | None = None) -> float:
    """Return the area of two classes, the greater one positive; partial ones standardised."""
    true = column(true)
    classes = classes_of(true)
    if len(classes) != 2:
        undefined("Only one class is present in y_true. ROC AUC score is not defined in that case.")
        return math.nan
    r, _, _ = ranked(np.asarray(true == classes[1]).astype(np.int8), score, 1, weights)
    if max_fpr in (None, 1):
        return _defined(r)
    tp, fp = r.cumulative_counts
    if not (tp[-1] and fp[-1]):
        return _defined(r)
    fpr, tpr = fp / fp[-1], tp / tp[-1]
    stop = int(np.searchsorted(fpr, max_fpr, side="right"))
    height = np.interp(max_fpr, fpr[stop - 1 : stop + 1], tpr[stop - 1 : stop + 1])
    part = auc(np.append(fpr[:stop], max_fpr), np.append(tpr[:stop], height))
    least = max_fpr**2 / 2
    return 0.5 * (1 + (part - least) / (max_fpr - least))


def _defined(r: ScoreCounts) -> float:
    """Return the area, and say so where weights of 0 left one class only."""
    _warn_of_an_empty_class(r.negatives, r.positives)
    return float(METRICS["roc_auc"].compute(r))


def _not_one_column_a_class(y_score: Array) -> InputError:
    return InputError(
        "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains "
        f"multiple classes. Got `y_score.shape={y_score.shape}`."
    )


def known_classes(labels: Any, y_true: Array, columns: int, stop: str = "") -> Array:
    """Return the classes of the score columns: ``labels``, which must be sorted, or those seen."""
    if labels is None:
        return classes_of(y_true)
    labels = column(labels)
    classes = np.unique(labels)
    if len(classes) != len(labels):
        raise InputError(f"Parameter 'labels' must be unique{stop}")
    if not np.array_equal(classes, labels):
        raise InputError(f"Parameter 'labels' must be ordered{stop}")
    if len(classes) != columns:
        given = f", {len(classes)}," if not stop else f" ({len(classes)})"
        wanted = f", {columns}" if not stop else f" ({columns})."
        where = "columns in" if not stop else "classes in"
        raise InputError(
            f"Number of given labels{given} not equal to the number of {where} 'y_score'{wanted}"
        )
    if len(np.setdiff1d(y_true, classes)):
        raise InputError(f"'y_true' contains labels not in parameter 'labels'{stop}")
    return classes


def _many_classes(
    y_true: Array,
    y_score: Array,
    labels: Any,
    multi_class: str,
    average: str | None,
    weights: Array | None,
) -> Any:
    if y_score.ndim != 2:
        raise _not_one_column_a_class(y_score)
    if not np.allclose(1, y_score.sum(axis=1)):
        raise InputError(
            "Target scores need to be probabilities for multiclass roc_auc, i.e. they should sum "
            "up to 1.0 over classes"
        )
    options: tuple[str | None, ...] = ("macro", "weighted", None)
    if multi_class == "ovr":
        options = ("micro", *options)
    if average not in options:
        raise InputError(f"average must be one of {options} for multiclass problems")
    if average is None and multi_class == "ovo":
        raise NotImplementedError("average=None is not implemented for multi_class='ovo'.")
    y_true = column(y_true)
    classes = known_classes(labels, y_true, y_score.shape[1])
    if len(classes) != y_score.shape[1]:
        raise InputError(
            "Number of classes in y_true not equal to the number of columns in 'y_score'"
        )
    if multi_class == "ovr":
        return _average(_area, _indicators(y_true, classes), y_score, average, weights)
    if weights is not None:
        raise InputError(
            "sample_weight is not supported for multiclass one-vs-one ROC AUC, 'sample_weight' "
            "must be None in this case."
        )
    return _one_vs_one(np.searchsorted(classes, y_true), y_score, average)


def _one_vs_one(codes: Array, y_score: Array, average: str | None) -> float:
    """Return Hand and Till's mean over pairs of classes.

    Of a pair (a, b) it takes the mean of a against b by a's score and of b against a by b's.
    """
    scores = y_score.astype(np.float64, copy=False)
    rows = {int(c): scores[codes == c] for c in np.unique(codes)}

    def area(a: int, b: int) -> float:
        true = np.repeat(np.array([1, 0], dtype=np.int8), [len(rows[a]), len(rows[b])])
        score = np.concatenate([rows[a][:, a], rows[b][:, a]])
        return float(METRICS["roc_auc"](true, score, positive=1))

    pairs = list(combinations(rows, 2))
    areas = [(area(a, b) + area(b, a)) / 2 for a, b in pairs]
    sizes = [len(rows[a]) + len(rows[b]) for a, b in pairs]
    return float(np.average(areas, weights=sizes if average == "weighted" else None))


def top_k_accuracy_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int = 2,
    normalize: bool = True,
    sample_weight: Any = None,
    labels: Any = None,
) -> float:
    """Return the share of rows whose class is among the k highest scores, ties by column.

    A class's rank is counted, not sorted for: the columns that beat it.

    >>> top_k_accuracy_score([0, 1, 2], [[0.5, 0.2, 0.3], [0.3, 0.4, 0.3], [0.7, 0.2, 0.1]], k=1)
    0.6666666666666666
    """
    check("top_k_accuracy_score", locals(), "y_true", "y_score", "labels")
    y_true = column(numbers(y_true, dtype=None))
    kind, _ = target(y_true)
    if kind == "binary" and labels is not None and len(labels) > 2:
        kind = "multiclass"
    if kind not in ("binary", "multiclass"):
        raise InputError(f"y type must be 'binary' or 'multiclass', got '{kind}' instead.")
    y_score = numbers(y_score)
    if kind == "binary":
        if y_score.ndim == 2 and y_score.shape[1] != 1:
            raise InputError(
                f"`y_true` is binary while y_score is 2d with {y_score.shape[1]} classes. If "
                "`y_true` does not contain all the labels, `labels` must be provided."
            )
        y_score = column(y_score)
    elif y_score.ndim != 2:
        raise _not_one_column_a_class(y_score)
    check_lengths(y_true, y_score, sample_weight)
    weights = as_weights(sample_weight, len(y_true))
    columns = y_score.shape[1] if y_score.ndim == 2 else 2
    classes = known_classes(labels, y_true, columns, stop=".")
    if len(classes) != columns:
        raise InputError(
            f"Number of classes in 'y_true' ({len(classes)}) not equal to the number of classes "
            f"in 'y_score' ({columns}).You can provide a list of all known classes by assigning "
            "it to the `labels` parameter."
        )
    if k >= columns:
        undefined(
            f"'k' ({k}) greater than or equal to 'n_classes' ({columns}) will result in a perfect "
            "score and is therefore meaningless."
        )
    hits = _in_top(np.searchsorted(classes, y_true), y_score, k)
    if weights is None:
        right = int(np.count_nonzero(hits))
        return right / len(hits) if normalize else float(right)
    return float(np.average(hits, weights=weights) if normalize else hits @ weights)


def _in_top(codes: Array, y_score: Array, k: int) -> Array:
    if y_score.ndim == 1:
        if k > 1:
            return np.ones(len(codes), dtype=bool)
        cut = 0.5 if y_score.min() >= 0 and y_score.max() <= 1 else 0.0
        return np.asarray((y_score > cut) == codes)
    of_truth = np.take_along_axis(y_score, codes[:, None], axis=1)
    ahead = y_score > of_truth
    ahead |= (y_score == of_truth) & (np.arange(y_score.shape[1]) > codes[:, None])
    return np.asarray(np.count_nonzero(ahead, axis=1) < k)


# -- probabilities -------------------------------------------------------------------------------

_CHUNK = 1 << 15
_DTYPES = [np.float64, np.float32, np.float16]


def _total(loss: Callable[..., Array], weights: Array | None, *columns: Array) -> float:
    """Return a loss of each row summed over all of them, chunk after chunk."""
    total = 0.0
    for start in range(0, len(columns[0]), _CHUNK):
        rows = slice(start, start + _CHUNK)
        each = loss(*(c[rows] for c in columns))
        total += float(each.sum() if weights is None else each @ weights[rows].astype(np.float64))
    return total


def _squares(marks: Array, y_proba: Array) -> Array:
    """Return the squared distance of each row's probabilities (n, K) to its class, or marks."""
    if marks.ndim == 1:
        marks = marks[:, None] == np.arange(y_proba.shape[1])
    squares: Array = np.square(marks - y_proba.astype(np.float64, copy=False))
    return np.asarray(squares.sum(1))


def _refuse_outside(y_proba: Array, low: str) -> None:
    if y_proba.max() > 1:
        raise InputError(f"y_prob contains values greater than 1: {y_proba.max()}")
    if y_proba.min() < 0:
        raise InputError(f"y_prob contains values {low} than 0: {y_proba.min()}")


def _classes(y_true: Any, labels: Any) -> Array:
    """Return the classes of the columns of probabilities, sorted."""
    if labels is None:
        classes = classes_of(y_true)
        if len(classes) == 1:
            raise InputError(
                f"y_true contains only one label ({classes[0]}). Please provide the list of all "
                "expected class labels explicitly through the labels argument."
            )
        return classes
    classes = np.unique(np.asarray(labels))
    if len(classes) == len(labels) and not np.array_equal(classes, labels):
        warn(
            f"Labels passed were {labels}. But this function assumes labels are ordered "
            f"lexicographically. Pass the ordered labels={classes.tolist()} and ensure that the "
            "columns of y_prob correspond to this ordering."
        )
    if not np.isin(y_true, classes).all():
        raise InputError(
            f"y_true contains values {set(y_true) - set(labels)} not belonging to the passed "
            f"labels {labels}."
        )
    if len(classes) == 1:
        raise InputError(f"The labels array needs to contain at least two labels, got {classes}.")
    return classes


def _marks(y_true: Any, labels: Any) -> tuple[Array, int]:
    """Return each row's class by its column (n,), or every mark (n, K); and K."""
    kind = "" if is_single_column(y_true) else type_of_target(y_true, input_name="y_true")
    if kind == "multilabel-indicator":
        marks = check_array(y_true, dtype=None) != 0
        return marks, marks.shape[1]
    if "multioutput" in kind or "continuous" in kind or kind == "unknown":
        raise InputError(f"Unknown label type: {kind}")
    classes = _classes(y_true, labels)
    return codes_of(column(y_true), classes), len(classes)


def _many(
    y_true: Any, y_proba: Array, sample_weight: Any, labels: Any
) -> tuple[Array, Array, Array | None]:
    """Check probabilities, a column a class (or the second class's alone); return marks too."""
    _refuse_outside(y_proba, "lower")
    check_lengths(y_proba, y_true, sample_weight)
    weights = as_weights(sample_weight, len(y_proba))
    marks, classes = _marks(y_true, labels)
    if y_proba.ndim == 2 and y_proba.shape[1] == 1:
        y_proba = y_proba[:, 0]
    columns = 2
    if y_proba.ndim == 2:
        columns = y_proba.shape[1]
        slack = math.sqrt(np.finfo(y_proba.dtype).eps)
        if not np.isclose(y_proba.sum(axis=1), 1, rtol=slack).all():
            warn("The y_prob values do not sum to one. Make sure to pass probabilities.")
    if classes != columns:
        raise InputError(
            f"y_true and y_prob contain different number of classes: {classes} vs {columns}. "
            "Please provide the true labels explicitly through the labels argument. Classes found "
            f"in y_true: {classes_of(y_true)}"
            if labels is None
            else "The number of classes in labels is different from that in y_prob. Classes found "
            f"in labels: {np.unique(np.asarray(labels))}"
        )
    return marks, y_proba, weights


def _p_true(marks: Array, y_proba: Array) -> Array:
    """Return the probability that was given to each row's class."""
    if y_proba.ndim == 1:
        return np.where(marks == 1, y_proba, 1 - y_proba)
    return np.take_along_axis(y_proba, marks[:, None], axis=1)[:, 0]


def log_loss(
    y_true: Any,
    y_proba: Any = None,
    *,
    normalize: bool = True,
    sample_weight: Any = None,
    labels: Any = None,
    y_pred: Any = "deprecated",
) -> float:
    """Return the mean of -ln(probability of the true class), which is kept an epsilon from 0 and 1.

    The epsilon is that of the probabilities' type; tallymark's own ``log_loss`` does not clip.

    >>> round(log_loss(["no", "yes", "yes", "no"], [0.1, 0.9, 0.8, 0.35]), 4)
    0.2162
    """
    if not (isinstance(y_pred, str) and y_pred == "deprecated"):
        if y_proba is not None:
            raise InputError(
                "Cannot use both `y_pred` and `y_proba`. `y_pred` is deprecated, use `y_proba` "
                "instead."
            )
        warn(
            "`y_pred` was renamed to `y_proba` in version 1.9 and will be removed in 1.11. Use "
            "`y_proba` instead.",
            FutureWarning,
        )
        y_proba = y_pred
    check("log_loss", locals(), "y_true", "y_proba", "labels")
    y_proba = numbers(y_proba, _DTYPES)
    marks, y_proba, weights = _many(y_true, y_proba, sample_weight, labels)
    of_all = float(len(marks) if weights is None else weights.sum())
    if marks.ndim == 2:
        marked, _ = np.nonzero(marks)
        p_true = (y_proba if y_proba.ndim == 2 else np.stack([1 - y_proba, y_proba], 1))[marks]
        weights = None if weights is None else weights[marked]
    else:
        p_true = _p_true(marks, y_proba)
    eps = float(np.finfo(y_proba.dtype).eps)
    p_true = np.minimum(np.maximum(p_true.astype(np.float64, copy=False), eps), 1 - eps)
    total = _total(lambda p: -np.log(p), weights, p_true)
    return total / of_all if normalize else total


def _binary_proba(
    y_true: Any, y_proba: Array, sample_weight: Any, pos_label: Any
) -> tuple[Array, Array, Array | None]:
    y_true, y_proba = column(y_true), column(y_proba)
    check_finite(y_true)
    check_lengths(y_proba, y_true, sample_weight)
    weights = as_weights(sample_weight, len(y_proba))
    kind, classes = target(y_true)
    if kind != "binary":
        raise InputError(
            f"The type of the target inferred from y_true is {kind} but should be binary according "
            "to the shape of y_prob."
        )
    _refuse_outside(y_proba, "less")
    if pos_label is None and classes.dtype.kind not in "OUST":
        known = {0, 1}.issuperset(classes.tolist()) or {-1, 1}.issuperset(classes.tolist())
        pos_label = 1 if known else classes[-1]
    label = positive_of(pos_label, classes)
    return np.asarray(y_true == label).astype(np.intp), y_proba, weights


def brier_score_loss(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    scale_by_half: bool | str = "auto",
) -> float:
    """Return the mean squared distance to what happened, halved for two classes by default.

    >>> brier_score_loss([0, 1], [0.5, 0.75])
    0.15625
    """
    check("brier_score_loss", locals(), "y_true", "y_proba", "labels")
    y_proba = numbers(y_proba, _DTYPES)
    if y_proba.ndim == 1 or y_proba.shape[1] == 1:
        marks, y_proba, weights = _binary_proba(y_true, y_proba, sample_weight, pos_label)
    else:
        marks, y_proba, weights = _many(y_true, y_proba, sample_weight, labels)
    columns = 2 if y_proba.ndim == 1 else y_proba.shape[1]
    of_all = float(len(marks) if weights is None else weights.sum())
    if y_proba.ndim == 1:
        p_true = _p_true(marks, y_proba).astype(np.float64, copy=False)
        total = _total(lambda p: 2 * np.square(1 - p), weights, p_true)
    else:
        total = _total(_squares, weights, marks, y_proba)
    if scale_by_half is True or (scale_by_half == "auto" and columns < 3):
        total /= 2
    return total / of_all


def calibration_curve(
    y_true: Any,
    y_prob: Any,
    *,
    pos_label: Any = None,
    n_bins: int = 5,
    strategy: str = "uniform",
) -> tuple[Array, Array]:
    """Return, for each bin that holds a row, the share of positives and the mean probability.

    Bins are of equal width, or cut at quantiles, which may part rows of one score from the next.

    >>> calibration_curve([0, 0, 1, 1], [0.1, 0.3, 0.35, 0.9], n_bins=2)
    (array([0.33333333, 1.        ]), array([0.25, 0.9 ]))
    """
    check("calibration_curve", locals(), "y_true", "y_prob")
    y_true, y_prob = column(y_true), column(y_prob)
    check_lengths(y_true, y_prob)
    classes = classes_of(y_true)
    label = positive_of(pos_label, classes)
    if y_prob.min() < 0 or y_prob.max() > 1:
        raise InputError("y_prob has values outside [0, 1].")
    if len(classes) > 2:
        raise InputError(f"Only binary classification is supported. Provided labels {classes}.")
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    if strategy == "quantile":
        edges = np.percentile(y_prob, edges * 100)
    place = np.searchsorted(edges[1:-1], y_prob)
    rows, positives, sums = (
        np.bincount(place, of, minlength=n_bins) for of in (None, y_true == label, y_prob)
    )
    held = rows > 0
    return positives[held] / rows[held], sums[held] / rows[held]
