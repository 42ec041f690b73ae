"""Metrics of scores and probabilities: scikit-learn's conventions over our counts by score.

Rows are grouped by distinct score once, and curves are computed from the groups. Negative weights,
which scikit-learn accepts, are refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from itertools import combinations
from typing import Any

import numpy as np

from tallymark import InputError, ScoreTally
from tallymark.core import METRICS, Coded, ScoreCounts
from tallymark.sklearn.plain import (
    Array,
    UnusualError,
    coded,
    drop_in,
    marks_of,
    numbers,
    plain,
    positive_of,
    undefined,
    warn,
    weights_of,
)

__all__ = [
    "auc",
    "average_precision_score",
    "brier_score_loss",
    "calibration_curve",
    "confusion_matrix_at_thresholds",
    "d2_log_loss_score",
    "det_curve",
    "log_loss",
    "metric_at_thresholds",
    "precision_recall_curve",
    "roc_auc_score",
    "roc_curve",
    "top_k_accuracy_score",
]

Curve = tuple[Array, Array, Array]

_NO_POSITIVE = "No positive class found in y_true, recall is set to one for all thresholds."


def ranked(true: Coded, score: Array, label: Any, weights: Array | None) -> ScoreCounts:
    """Return the counts of a class and of the others by score, without rows of weight 0."""
    occurs = label in true.labels
    positive = true.codes == true.labels.index(label) if occurs else np.zeros(len(score), bool)
    if weights is not None and not weights.all():
        weighted = weights != 0
        positive, score, weights = positive[weighted], score[weighted], weights[weighted]
    try:
        tally = ScoreTally.from_arrays(
            positive.astype(np.int8), score, positive=1, sample_weight=weights
        )
    except InputError:
        if weights is not None and weights.min() < 0:
            raise
        raise UnusualError from None
    return tally._score_counts


def _counts_by_falling_score(
    y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any
) -> tuple[Array, Array, Array]:
    """Return TP, FP and the threshold at each distinct score, the highest first."""
    true, score = coded(y_true), numbers(y_score)
    if score.shape != true.codes.shape or (len(true.labels) > 2 and pos_label is None):
        raise UnusualError
    label = positive_of(pos_label, true.labels)
    r = ranked(true, score, label, weights_of(sample_weight, len(score)))
    tp, fp = r._cumulative_counts
    return tp[1:], fp[1:], r.scores[::-1].astype(score.dtype)


def _with_both_ends(keep: Array, *columns: Array) -> tuple[Array, ...]:
    ends = np.concatenate([[True], keep, [True]])
    return tuple(c[ends] for c in columns)


def _thin_at_same_recall(tp: Array, fp: Array, thresholds: Array) -> tuple[Array, ...]:
    """Return the points without those that have the same TP as both neighbours."""
    if len(tp) <= 2:
        return tp, fp, thresholds
    changes = np.diff(tp) != 0
    return _with_both_ends(changes[:-1] | changes[1:], tp, fp, thresholds)


def _from_zero(tp: Array, fp: Array, thresholds: Array) -> Curve:
    return (
        np.concatenate([[0.0], tp]),
        np.concatenate([[0.0], fp]),
        np.concatenate([[np.inf], thresholds.astype(np.float64)]),
    )


@drop_in
def confusion_matrix_at_thresholds(
    y_true: Any, y_score: Any, *positional: Any, pos_label: Any = None, sample_weight: Any = None
) -> tuple[Array, Array, Array, Array, Array]:
    """Return TN, FP, FN, TP and falling thresholds; a score at a threshold is predicted positive.

    >>> confusion_matrix_at_thresholds([0, 1, 1], [0.1, 0.8, 0.4])[3]
    array([1., 2., 2.])
    """
    if positional:
        raise UnusualError
    tp, fp, thresholds = _counts_by_falling_score(y_true, y_score, pos_label, sample_weight)
    return fp[-1] - fp, fp, tp[-1] - tp, tp, thresholds


@drop_in
def metric_at_thresholds(
    y_true: Any,
    y_score: Any,
    metric_func: Callable[..., Any],
    *,
    sample_weight: Any,
    metric_params: Any,
) -> tuple[Array, Array]:
    """Return a metric of decisions at every distinct score, the highest first, and the scores.

    Rows are counted once: a metric of this package gets the four counts at a threshold as the
    weights of four rows. Other functions are called with all rows, as scikit-learn does.

    >>> from tallymark.sklearn import recall_score
    >>> metric_at_thresholds([0, 1, 1], [0.1, 0.8, 0.4], recall_score)[0]
    array([0.5, 1. , 1. ])
    """
    params = metric_params or {}
    counted = getattr(metric_func, "__module__", "") == "tallymark.sklearn.classification"
    if not counted or "normalize" in params or coded(y_true).labels != (0, 1):
        raise UnusualError
    tp, fp, thresholds = _counts_by_falling_score(y_true, y_score, None, sample_weight)
    true, predicted = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    values = []
    for counts in np.stack([fp[-1] - fp, fp, tp[-1] - tp, tp], axis=1).astype(np.float64):
        cells = counts > 0
        values.append(
            metric_func(true[cells], predicted[cells], sample_weight=counts[cells], **params)
        )
    return np.asarray(values), thresholds


@drop_in
def roc_curve(
    y_true: Any, y_score: Any, *, pos_label: Any, sample_weight: Any, drop_intermediate: bool
) -> Curve:
    """Return FPR, TPR and thresholds; a rate without rows is NaN, with a warning.

    >>> fpr, tpr, thresholds = roc_curve([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    >>> fpr.tolist(), tpr.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    tp, fp, thresholds = _counts_by_falling_score(y_true, y_score, pos_label, sample_weight)
    if drop_intermediate and len(tp) > 2:
        bent = (np.diff(fp, 2) != 0) | (np.diff(tp, 2) != 0)
        tp, fp, thresholds = _with_both_ends(bent, tp, fp, thresholds)
    tp, fp, thresholds = _from_zero(tp, fp, thresholds)
    _warn_of_an_empty_class(fp[-1], tp[-1])
    fpr, tpr = (c / c[-1] if c[-1] > 0 else np.full(len(c), np.nan) for c in (fp, tp))
    return fpr, tpr, thresholds


def _warn_of_an_empty_class(negatives: Any, positives: Any) -> None:
    for rows, word, rate in ((negatives, "negative", "false"), (positives, "positive", "true")):
        if rows <= 0:
            undefined(f"No {word} samples in y_true, {rate} positive value should be meaningless")


@drop_in
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
    tp, fp, thresholds = _from_zero(
        *_counts_by_falling_score(y_true, y_score, pos_label, sample_weight)
    )
    if not (tp[-1] and fp[-1]):
        raise UnusualError
    if drop_intermediate:
        tp, fp, thresholds = _thin_at_same_recall(tp, fp, thresholds)
    first = int(np.searchsorted(fp, fp[0], side="right")) - 1
    last = int(np.searchsorted(tp, tp[-1])) + 1
    fpr, fnr = fp / fp[-1], (tp[-1] - tp) / tp[-1]
    return fpr[first:last][::-1], fnr[first:last][::-1], thresholds[first:last][::-1]


@drop_in
def precision_recall_curve(
    y_true: Any, y_score: Any, *, pos_label: Any, sample_weight: Any, drop_intermediate: bool
) -> Curve:
    """Return precision, recall and rising thresholds; a last point (1, 0) has no threshold.

    >>> precision, recall, thresholds = precision_recall_curve([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    >>> precision.round(3).tolist(), recall.tolist()
    ([0.5, 0.667, 0.5, 1.0, 1.0], [1.0, 1.0, 0.5, 0.5, 0.0])
    """
    tp, fp, thresholds = _counts_by_falling_score(y_true, y_score, pos_label, sample_weight)
    if drop_intermediate:
        tp, fp, thresholds = _thin_at_same_recall(tp, fp, thresholds)
    predicted = tp + fp
    precision = np.divide(tp, predicted, out=np.zeros_like(tp), where=predicted != 0)
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


@drop_in
def auc(x: Any, y: Any) -> float:
    """Return the area under points joined by straight lines; x rises or falls throughout.

    >>> auc([0, 0.5, 1], [0, 1, 1])
    0.75
    """
    x, y = numbers(x), numbers(y)
    if x.ndim != 1 or x.shape != y.shape or len(x) < 2 or "b" in (x.dtype.kind, y.dtype.kind):
        raise UnusualError
    steps = np.diff(x)
    falls = bool((steps < 0).any())
    if falls and (steps > 0).any():
        raise UnusualError
    return float((-1 if falls else 1) * (steps * (y[1:] + y[:-1]) / 2).sum())


# -- one number ----------------------------------------------------------------------------------


def _average(
    area: Callable[[Coded, Array, Array | None], float],
    marks: Array,
    scores: Array,
    average: str | None,
    weights: Array | None,
) -> Any:
    """Apply a metric of one class to every column, or every row, and average the values."""
    if marks.shape != scores.shape:
        raise UnusualError

    def value(in_class: Array, score: Array, row_weights: Array | None) -> float:
        return area(coded(in_class), score, row_weights)

    if average == "micro":
        row_weights = None if weights is None else np.repeat(weights, marks.shape[1])
        return value(marks.ravel(), scores.ravel(), row_weights)
    share = None
    if average == "weighted":
        share = marks.sum(0) if weights is None else weights @ marks
        if math.isclose(share.sum(), 0, abs_tol=1e-12):
            return 0.0
    if average == "samples":
        share, weights, marks, scores = weights, None, marks.T, scores.T
    values = np.array([value(m, s, weights) for m, s in zip(marks.T, scores.T, strict=True)])
    if average is None:
        return values
    if share is not None:
        values[share == 0] = 0
    return float(np.average(values, weights=share))


def _columns_of(true: Coded, labels: Any, columns: int) -> Array:
    """Return each row's class by the column of its scores.

    ``labels`` are the classes of the columns, sorted, or None for all classes that occur.
    """
    classes = true.labels if labels is None else coded(labels).labels
    if labels is not None and classes != tuple(plain(labels).tolist()):
        raise UnusualError
    if len(classes) != columns or not set(true.labels) <= set(classes):
        raise UnusualError
    if classes == true.labels:
        return true.codes
    index = {label: i for i, label in enumerate(classes)}
    column_of: Array = np.array([index[label] for label in true.labels])
    return np.asarray(column_of[true.codes])


def _mean_precision(true: Coded, score: Array, weights: Array | None, label: Any = 1) -> float:
    value = float(METRICS["average_precision"].compute(ranked(true, score, label, weights)))
    if math.isnan(value):
        warn(_NO_POSITIVE)
        return 0.0
    return value


@drop_in
def average_precision_score(
    y_true: Any, y_score: Any, *, average: str | None, pos_label: Any, sample_weight: Any
) -> Any:
    """Return the mean precision over the positives; 0 with a warning if there are none.

    >>> average_precision_score([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    0.8333333333333333
    """
    values, score = plain(y_true), numbers(y_score)
    weights = weights_of(sample_weight, len(values))
    if values.ndim == 1 and score.ndim == 1:
        true = coded(values)
        if score.shape != values.shape or len(true.labels) > 2 or pos_label not in true.labels:
            raise UnusualError
        return _mean_precision(true, score, weights, pos_label)
    if pos_label != 1:
        raise UnusualError
    if values.ndim == 2:
        return _average(_mean_precision, marks_of(values), score, average, weights)
    true = coded(values)
    if len(true.labels) < 3 or score.shape[1] != len(true.labels):
        raise UnusualError
    marks = true.codes[:, None] == np.arange(score.shape[1])
    return _average(_mean_precision, marks, score, average, weights)


@drop_in
def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None,
    sample_weight: Any,
    max_fpr: float | None,
    multi_class: str,
    labels: Any,
) -> Any:
    """Return the ROC area; NaN with a warning if there is only one class.

    Two classes without weights cost one sort of integers and no curve.

    >>> roc_auc_score([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.4, 0.3])
    0.9166666666666666
    """
    values, score = plain(y_true), numbers(y_score)
    weights, full_area = weights_of(sample_weight, len(values)), max_fpr in (None, 1)
    if weights is None and full_area and values.shape == score.shape and values.dtype.kind in "biu":
        with suppress(InputError):  # several labels a row, or classes other than 0 and 1
            value: float = METRICS["roc_auc"](values, score)
            if not math.isnan(value):
                return value

    def area(true: Coded, score: Array, weights: Array | None) -> float:
        return _area(true, score, weights, max_fpr)

    if values.ndim == 2:
        return _average(area, marks_of(values), score, average, weights)
    true = coded(values)
    if score.ndim == 1:
        if len(true.labels) > 2 or values.shape != score.shape:
            raise UnusualError
        return area(true, score, weights)
    columns = score.shape[1]
    if columns < 3 or not full_area or multi_class == "raise" or average == "samples":
        raise UnusualError
    if not np.allclose(1, score.sum(axis=1)) or len(score) != len(values):
        raise UnusualError
    codes = _columns_of(true, labels, columns)
    if multi_class == "ovr":
        return _average(area, codes[:, None] == np.arange(columns), score, average, weights)
    if weights is not None or average not in ("macro", "weighted"):
        raise UnusualError
    return _one_vs_one(codes, score, average)


def _area(true: Coded, score: Array, weights: Array | None, max_fpr: float | None) -> float:
    """Return the area for two classes, the greater one positive; a partial area standardized."""
    if len(true.labels) != 2:
        undefined("Only one class is present in y_true. ROC AUC score is not defined in that case.")
        return math.nan
    r = ranked(true, score, true.labels[1], weights)
    _warn_of_an_empty_class(r.negatives, r.positives)
    if max_fpr in (None, 1):
        return float(METRICS["roc_auc"].compute(r))
    return float(METRICS["partial_roc_auc"].compute(r, high=max_fpr, standardized=True))


def _one_vs_one(codes: Array, y_score: Array, average: str) -> float:
    """Return Hand and Till's mean over pairs of classes.

    For each pair (a, b), average the area of a against b by the scores of a, and of b against a by
    the scores of b.
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


@drop_in
def top_k_accuracy_score(
    y_true: Any, y_score: Any, *, k: int, normalize: bool, sample_weight: Any, labels: Any
) -> float:
    """Return the share of rows whose class is among the k highest scores, ties by column.

    The rank of a class is the number of columns with a higher score, found without sorting.

    >>> top_k_accuracy_score([0, 1, 2, 2], [[5, 2, 2], [3, 4, 2], [2, 4, 1], [7, 2, 2]], k=1)
    0.5
    """
    true, score = coded(y_true), numbers(y_score)
    columns = 2 if score.ndim == 1 else score.shape[1]
    if len(score) != len(true.codes) or (score.ndim == 2 and columns < 3):
        raise UnusualError
    weights = weights_of(sample_weight, len(score))
    hits = _in_top(_columns_of(true, labels, columns), score, k)
    if k >= columns:
        undefined(
            f"'k' ({k}) greater than or equal to 'n_classes' ({columns}) will result in a perfect "
            "score and is therefore meaningless."
        )
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
    true_score = np.take_along_axis(y_score, codes[:, None], axis=1)
    higher = y_score > true_score
    higher |= (y_score == true_score) & (np.arange(y_score.shape[1]) > codes[:, None])
    return np.asarray(np.count_nonzero(higher, axis=1) < k)


# -- probabilities -------------------------------------------------------------------------------

_CHUNK = 1 << 15


def _total(loss: Callable[..., Array], weights: Array | None, *columns: Array) -> float:
    """Return the sum of a loss over all rows, computed in chunks."""
    total = 0.0
    for start in range(0, len(columns[0]), _CHUNK):
        rows = slice(start, start + _CHUNK)
        losses = loss(*(c[rows] for c in columns))
        total += float(
            losses.sum() if weights is None else losses @ weights[rows].astype(np.float64)
        )
    return total


def _squares(codes: Array, y_proba: Array) -> Array:
    """Return the squared distance of each row's probabilities (n, K) to its class."""
    marks = codes[:, None] == np.arange(y_proba.shape[1])
    squares: Array = np.square(marks - y_proba.astype(np.float64, copy=False))
    return np.asarray(squares.sum(1))


def _probabilities(y_proba: Any, true: Coded) -> Array:
    """Return probabilities: one per row, or one per row and class with a sum of 1."""
    p = numbers(y_proba)
    if p.dtype.kind == "b" or len(p) != len(true.codes) or p.min() < 0 or p.max() > 1:
        raise UnusualError
    p = p if p.dtype.kind == "f" else p.astype(np.float64)
    if p.ndim == 2:
        slack = math.sqrt(np.finfo(p.dtype).eps)
        if p.shape[1] == 1 or not np.isclose(p.sum(axis=1), 1, rtol=slack).all():
            raise UnusualError
    return p


def _p_true(codes: Array, y_proba: Array) -> Array:
    """Return the predicted probability of each row's true class."""
    if y_proba.ndim == 1:
        p_true = np.where(codes == 1, y_proba, 1 - y_proba)
    else:
        p_true = np.take_along_axis(y_proba, codes[:, None], axis=1)[:, 0]
    return p_true.astype(np.float64, copy=False)


@drop_in
def log_loss(
    y_true: Any,
    y_proba: Any = None,
    *,
    normalize: bool,
    sample_weight: Any,
    labels: Any,
    y_pred: Any = "deprecated",
) -> float:
    """Return the mean of -ln(probability of the true class), clipped to epsilon and 1 - epsilon.

    Epsilon is the machine epsilon of the probabilities; tallymark's own ``log_loss`` does not clip.

    >>> round(log_loss(["no", "yes", "yes", "no"], [0.1, 0.9, 0.8, 0.35]), 4)
    0.2162
    """
    true, p, weights = _probabilities_of(y_true, y_proba, y_pred, sample_weight)
    total = _total_log_loss(true, p, labels, weights)
    return total / float(len(p) if weights is None else weights.sum()) if normalize else total


@drop_in
def d2_log_loss_score(
    y_true: Any,
    y_proba: Any = None,
    *,
    sample_weight: Any,
    labels: Any,
    y_pred: Any = "deprecated",
) -> float:
    """Return 1 - log loss / log loss of always giving the class shares, clipped as ``log_loss``.

    tallymark's own ``log_loss_skill_score`` does not clip.

    >>> round(d2_log_loss_score(["no", "yes", "yes", "no"], [0.1, 0.9, 0.8, 0.35]), 4)
    0.6881
    """
    true, p, weights = _probabilities_of(y_true, y_proba, y_pred, sample_weight)
    rows = np.bincount(true.codes, weights)
    rows = rows[rows != 0]
    if len(rows) < 2 or rows.min() < 0:  # no entropy to explain: they divide by a clipped 0
        raise UnusualError
    reference = -float(rows @ np.log(rows / rows.sum()))
    return 1 - _total_log_loss(true, p, labels, weights) / reference


def _probabilities_of(
    y_true: Any, y_proba: Any, y_pred: Any, sample_weight: Any
) -> tuple[Coded, Array, Array | None]:
    """Return the columns of a log loss; leave their old name of the probabilities to them."""
    if y_proba is None or not (isinstance(y_pred, str) and y_pred == "deprecated"):
        raise UnusualError
    true = coded(y_true)
    p = _probabilities(y_proba, true)
    return true, p, weights_of(sample_weight, len(p))


def _total_log_loss(true: Coded, p: Array, labels: Any, weights: Array | None) -> float:
    """Return the total log loss of all rows, with probabilities clipped as in scikit-learn."""
    p_true = _p_true(_columns_of(true, labels, 2 if p.ndim == 1 else p.shape[1]), p)
    eps = float(np.finfo(p.dtype).eps)
    p_true = np.minimum(np.maximum(p_true, eps), 1 - eps)
    return _total(lambda p: -np.log(p), weights, p_true)


@drop_in
def brier_score_loss(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any,
    pos_label: Any,
    labels: Any,
    scale_by_half: bool | str,
) -> float:
    """Return the mean squared distance to the true class, halved for two classes by default.

    >>> brier_score_loss([0, 1], [0.5, 0.75])
    0.15625
    """
    true = coded(y_true)
    p = _probabilities(y_proba, true)
    weights = weights_of(sample_weight, len(p))
    if p.ndim == 1:
        label = positive_of(pos_label, true.labels)
        if label not in true.labels or len(true.labels) > 2:
            raise UnusualError
        codes = true.codes == true.labels.index(label)
        total = _total(lambda p: 2 * np.square(1 - p), weights, _p_true(codes, p))
    else:
        total = _total(_squares, weights, _columns_of(true, labels, p.shape[1]), p)
    if scale_by_half is True or (scale_by_half == "auto" and (p.ndim == 1 or p.shape[1] < 3)):
        total /= 2
    return total / float(len(p) if weights is None else weights.sum())


@drop_in
def calibration_curve(
    y_true: Any, y_prob: Any, *, pos_label: Any, n_bins: int, strategy: str
) -> tuple[Array, Array]:
    """Return the share of positives and the mean probability of each bin with rows.

    Bins have equal width, or their edges are quantiles of the probabilities.

    >>> calibration_curve([0, 0, 1, 1], [0.1, 0.3, 0.35, 0.9], n_bins=2)
    (array([0.33333333, 1.        ]), array([0.25, 0.9 ]))
    """
    true = coded(y_true)
    p = _probabilities(y_prob, true)
    label = positive_of(pos_label, true.labels)
    if p.ndim == 2 or label not in true.labels or len(true.labels) > 2:
        raise UnusualError
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    if strategy == "quantile":
        edges = np.percentile(p, edges * 100)
    bin_index = np.searchsorted(edges[1:-1], p)
    positive = true.codes == true.labels.index(label)
    rows, positives, sums = (
        np.bincount(bin_index, row_weights, minlength=n_bins) for row_weights in (None, positive, p)
    )
    nonempty = rows > 0
    return positives[nonempty] / rows[nonempty], sums[nonempty] / rows[nonempty]
