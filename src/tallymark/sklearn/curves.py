"""Curves over thresholds: scikit-learn's conventions over our rankings.

Rows are grouped by distinct score once; curves are arithmetic on the groups. Negative weights,
which scikit-learn lets through, are refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tallymark.errors import InputError
from tallymark.sklearn.checks import (
    Array,
    as_weights,
    assert_all_finite,
    check,
    check_consistent_length,
    classes_of,
    column_or_1d,
    kind_of,
    positive_of,
    undefined,
    warn,
)
from tallymark.tally.score_counts import rank_few
from tallymark.tally.scores import ScoreCounts, ScoreTally

Curve = tuple[Array, Array, Array]


def rank(positive: Array, score: Array, weights: Array | None) -> ScoreCounts:
    """Group rows by score: which are positive, their scores, their weights; zero ones left out."""
    if weights is not None:
        kept = weights != 0
        positive, score, weights = positive[kept], score[kept], weights[kept]
    return ScoreTally.from_arrays(
        positive.astype(np.int8),
        np.ascontiguousarray(score, dtype=np.float64),
        positive=1,
        sample_weight=weights,
    ).score_counts


def ranked(
    y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any
) -> tuple[ScoreCounts, Any, Array]:
    """Check and rank rows; return also the type of the scores and the classes."""
    few = ranked_few(y_true, y_score) if pos_label in (None, 1) and sample_weight is None else None
    if few is not None:
        return few
    kind = kind_of(y_true)
    if not (kind == "binary" or (kind == "multiclass" and pos_label is not None)):
        raise InputError(f"{kind} format is not supported")
    check_consistent_length(y_true, y_score, sample_weight)
    true, score = column_or_1d(y_true), column_or_1d(y_score)
    if not len(true):
        raise InputError("y_true holds no row; give at least one")
    classes = classes_of(true)
    label = positive_of(pos_label, classes)
    assert_all_finite(true)
    assert_all_finite(score)
    if sample_weight is not None:
        sample_weight = as_weights(column_or_1d(sample_weight), len(true))
    return rank(np.asarray(true == label), score, sample_weight), score.dtype, classes


def ranked_few(y_true: Any, y_score: Any) -> tuple[ScoreCounts, Any, Array] | None:
    """Return what :func:`ranked` does of a few rows of 0, or -1, and 1, or None."""
    found = rank_few(y_true, y_score)
    if found is None:
        return None
    (other, one), r, _ = found
    classes = [int(c) for c, n in ((other, r.negatives), (one, r.positives)) if n]
    return r, y_score.dtype, np.array(classes)


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
        told = ", ".join(f"{name}={value}" for name, value in named.items())
        warn(
            f"Pass {told} as keyword args. From version 1.11 passing these as positional arguments "
            "will result in an error",
            FutureWarning,
        )
        return confusion_matrix_at_thresholds(y_true, y_score, **named)
    check("confusion_matrix_at_thresholds", pos_label=pos_label, sample_weight=sample_weight)
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
    check(
        "roc_curve",
        pos_label=pos_label,
        drop_intermediate=drop_intermediate,
        sample_weight=sample_weight,
    )
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
    check(
        "det_curve",
        pos_label=pos_label,
        drop_intermediate=drop_intermediate,
        sample_weight=sample_weight,
    )
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
    check(
        "precision_recall_curve",
        pos_label=pos_label,
        drop_intermediate=drop_intermediate,
        sample_weight=sample_weight,
    )
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
    check("auc", (x, y))
    check_consistent_length(x, y)
    x, y = column_or_1d(x), column_or_1d(y)
    if len(x) < 2:
        raise InputError(
            f"At least 2 points are needed to compute area under curve, but x.shape = {x.shape}"
        )
    steps = np.diff(x)
    direction = -1 if (steps < 0).any() else 1
    if direction < 0 and not (steps <= 0).all():
        raise InputError(f"x is neither increasing nor decreasing : {x}.")
    return float(direction * (steps * (y[1:] + y[:-1]) / 2).sum())
