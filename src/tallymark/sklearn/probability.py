"""Metrics of the probabilities themselves: scikit-learn's conventions over our sums of losses."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.multiclass import type_of_target

from tallymark.errors import InputError
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
    warn,
)
from tallymark.tally.sums import Sums

_CHUNK = 1 << 15
_DTYPES = [np.float64, np.float32, np.float16]


def _total(loss: str, p_true: Array, weights: Array | None, codes: Array | None = None) -> float:
    """Return a loss summed over rows, chunk after chunk, since sums add.

    ``p_true`` (n,) is the probability given to what happened in each row, or with ``codes`` (n, K)
    those of all classes.
    """
    sums, total = None, 0.0
    for start in range(0, len(p_true), _CHUNK):
        rows = slice(start, start + _CHUNK)
        part = p_true[rows].astype(np.float64, copy=False)
        w = None if weights is None else weights[rows].astype(np.float64)
        if codes is None:
            each = _OF_ONE[loss](part)
            total += float(each.sum() if w is None else each @ w)
        else:
            more = Sums.of_rows(codes[rows], part, w)
            sums = more if sums is None else sums + more
    return total if sums is None else float(sums.totals[sums.names.index(loss)].sum())


_OF_ONE: dict[str, Callable[[Array], Array]] = {
    "log_loss": lambda p: -np.log(p),
    "brier": lambda p: np.square(1 - p),
}
"""Losses of the probability given to what happened, where no other one counts."""


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
    values = column(y_true)
    place = {label: i for i, label in enumerate(classes.tolist())}
    if values.dtype.kind == "O":
        return np.array([place[v] for v in values.tolist()], dtype=np.intp), len(classes)
    return np.searchsorted(classes, values).astype(np.intp), len(classes)


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
        if labels is None:
            raise InputError(
                f"y_true and y_prob contain different number of classes: {classes} vs {columns}. "
                "Please provide the true labels explicitly through the labels argument. Classes "
                f"found in y_true: {classes_of(y_true)}"
            )
        raise InputError(
            "The number of classes in labels is different from that in y_prob. Classes found in "
            f"labels: {np.unique(np.asarray(labels))}"
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
    rows = len(marks)
    of_all = float(rows if weights is None else weights.sum())
    if marks.ndim == 2:
        marked, _ = np.nonzero(marks)
        p_true = (y_proba if y_proba.ndim == 2 else np.stack([1 - y_proba, y_proba], 1))[marks]
        weights = None if weights is None else weights[marked]
    else:
        p_true = _p_true(marks, y_proba)
    eps = float(np.finfo(y_proba.dtype).eps)
    p_true = np.minimum(np.maximum(p_true.astype(np.float64, copy=False), eps), 1 - eps)
    total = _total("log_loss", p_true, weights)
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
    rows = len(marks)
    of_all = float(rows if weights is None else weights.sum())
    if y_proba.ndim == 1:
        total = 2 * _total("brier", _p_true(marks, y_proba), weights)
    elif marks.ndim == 1:
        total = _total("brier", y_proba, weights, marks)
    else:
        each = None if weights is None else np.repeat(weights, columns)
        total = _total("brier", np.where(marks, y_proba, 1 - y_proba).ravel(), each)
    if scale_by_half is True or (scale_by_half == "auto" and columns < 3):
        total /= 2
    return total / of_all


_FEW_BINS = 1000


@lru_cache(maxsize=8)
def _edges(bins: int) -> Array:
    edges = np.linspace(0.0, 1.0, bins + 1)
    edges.flags.writeable = False
    return edges


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
    edges = _edges(int(n_bins)) if n_bins <= _FEW_BINS else np.linspace(0.0, 1.0, n_bins + 1)
    if strategy == "quantile":
        edges = np.percentile(y_prob, edges * 100)
    place = np.searchsorted(edges[1:-1], y_prob)
    rows, positives, sums = (
        np.bincount(place, of, minlength=n_bins) for of in (None, y_true == label, y_prob)
    )
    held = rows > 0
    return positives[held] / rows[held], sums[held] / rows[held]
