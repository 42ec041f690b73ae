"""Curves over thresholds: scikit-learn's conventions over our rankings.

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

from tallymark.errors import InputError
from tallymark.metric import METRICS
from tallymark.sklearn.checks import (
    Array,
    as_weights,
    check,
    check_finite,
    check_lengths,
    classes_of,
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


def rank(positive: Array, score: Array, weights: Array | None) -> ScoreCounts:
    """Group rows by score: which are positive, their scores, their weights; zero ones left out."""
    if weights is not None:
        kept = weights != 0
        positive, score, weights = positive[kept], score[kept], weights[kept]
    return ScoreTally.from_arrays(
        positive.astype(np.int8),
        score,
        positive=1,
        sample_weight=weights,
    ).score_counts


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
    return rank(np.asarray(true == label), score, sample_weight), score.dtype, classes


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
    rates = []
    for counts, word, rate in ((fp, "negative", "false"), (tp, "positive", "true")):
        if counts[-1] <= 0:
            undefined(f"No {word} samples in y_true, {rate} positive value should be meaningless")
            rates.append(np.full(len(counts), np.nan))
        else:
            rates.append(counts / counts[-1])
    return rates[0], rates[1], thresholds


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
        warn_no_positive()
        recall = np.ones_like(tp)
    else:
        recall = tp / tp[-1]
    return (
        np.concatenate([precision[::-1], [1.0]]),
        np.concatenate([recall[::-1], [0.0]]),
        thresholds[::-1],
    )


def warn_no_positive() -> None:
    """Warn that recall has no denominator."""
    warn("No positive class found in y_true, recall is set to one for all thresholds.")


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
        warn_no_positive()
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
    value = float(METRICS["roc_auc"].compute(r))
    for rows, word, rate in ((r.negatives, "negative", "false"), (r.positives, "positive", "true")):
        if rows <= 0:
            undefined(f"No {word} samples in y_true, {rate} positive value should be meaningless")
    return value


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
