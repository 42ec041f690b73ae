"""Metrics of predicted labels: scikit-learn's conventions over tallymark's counts.

Where the two differ the drop-in follows scikit-learn: what is 0/0 becomes ``zero_division`` (0
and a warning) and not NaN with a reason, and the positive class is ``pos_label=1``.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.multiclass import type_of_target, unique_labels

from tallymark.errors import InputError
from tallymark.metric import METRICS
from tallymark.sklearn.checks import (
    Array,
    as_weights,
    check,
    check_lengths,
    codes_of,
    column,
    is_single_column,
    mean,
    undefined,
    warn,
)
from tallymark.tally.arrays import MAX_CLASSES, code_labels, join_labels
from tallymark.tally.labels import Counts, LabelTally, one_vs_rest
from tallymark.tally.score_counts import lazy

# -- two columns of labels, counted: classes, or one column a label ------------------------------


@dataclass(frozen=True, eq=False)
class Classes:
    """One class a row: ``labels`` are all that occur, sorted.

    ``table`` holds the counts [true, predicted] where the rows are counted already, else ``codes``
    the true and the predicted class of each row.
    """

    labels: Array
    rows: int
    table: Array | None = None
    codes: tuple[Array, Array] | None = None
    weights: Array | None = None

    @property
    def kind(self) -> str:
        """The type of target as scikit-learn calls it."""
        return "binary" if len(self.labels) <= 2 else "multiclass"

    @lazy
    def matrix(self) -> Array:
        """Counts [true, predicted], floating."""
        if self.codes is None:
            assert self.table is not None
            return self.table
        k, (true, pred) = len(self.labels), self.codes
        cells = np.bincount(true * k + pred, self.weights, minlength=k * k)
        return cells.reshape(k, k).astype(np.float64)

    @property
    def exact(self) -> Array:
        """Counts [true, predicted], integers where the weights are."""
        if self.weights is None:
            return self.matrix.astype(np.int64)
        if self.weights.dtype.kind not in "iub":
            return self.matrix
        if float(np.abs(self.weights.astype(np.float64)).sum()) < 2**53:
            return np.rint(self.matrix).astype(np.int64)
        assert self.codes is not None  # beyond what a double counts: integers, which may wrap
        out = np.zeros((len(self.labels), len(self.labels)), dtype=np.int64)
        np.add.at(out, self.codes, self.weights.astype(np.int64))
        return out

    @lazy
    def counts(self) -> Counts:
        """Each class against the rest: without a matrix where the classes are very many."""
        if self.codes is None or len(self.labels) <= MAX_CLASSES:
            return one_vs_rest(self.matrix)
        true, pred = self.codes
        hit = np.where(true == pred, 1.0 if self.weights is None else self.weights, 0.0)
        tp, called, actual = (
            np.bincount(codes, weights, minlength=len(self.labels)).astype(np.float64)
            for codes, weights in ((true, hit), (pred, self.weights), (true, self.weights))
        )
        fp, fn = called - tp, actual - tp
        return Counts(tp, fp, fn, self.total - tp - fp - fn)

    @lazy
    def total(self) -> float:
        """The sum of all weights."""
        return float(self.rows if self.weights is None else self.weights.sum())

    def is_true(self, label: Any) -> bool:
        """Return whether any row is truly of this class, whatever its weight."""
        at = self.place.get(label)
        if at is None:
            return False
        return bool((self.matrix[at] if self.codes is None else self.codes[0] == at).any())

    @lazy
    def place(self) -> dict[Any, int]:
        """The index of each label."""
        return {label: i for i, label in enumerate(self.labels.tolist())}

    def against_rest(self, labels: Any, samplewise: bool = False) -> Counts:
        """Return the classes asked for, each against the rest; one that never occurs has no row."""
        if samplewise:
            raise InputError(
                "Samplewise metrics are not available outside of multilabel classification."
            )
        c = self.counts
        if labels is None:
            return c
        wanted = np.asarray(labels)
        place = [self.place.get(label, -1) for label in wanted.tolist()]
        at = np.array(place, dtype=np.intp)
        if min(place, default=-1) >= 0:
            return Counts(c.tp[at], c.fp[at], c.fn[at], c.tn[at])
        present = at >= 0
        tp, fp, fn = (np.where(present, v[at], 0.0) for v in (c.tp, c.fp, c.fn))
        return Counts(tp, fp, fn, np.where(present, c.tn[at], self.total))

    @property
    def errors(self) -> Array:
        """Rows named right and rows named wrong, as a matrix whose accuracy is theirs."""
        right = self.counts.tp.sum() if self.codes else self.matrix.trace()
        return _right_and_wrong(right, self.counts.fn.sum() if self.codes else self.rows - right)


@dataclass(frozen=True, eq=False)
class Marks:
    """Any number of labels a row: a column a label, marked where not zero; dense or sparse."""

    true: Any
    pred: Any
    weights: Array | None

    kind = "multilabel-indicator"

    @property
    def labels(self) -> Array:
        """The columns' numbers."""
        return np.arange(self.true.shape[1])

    @property
    def row_weights(self) -> Array:
        """The weight of each row, 1 where there are none."""
        return np.ones(self.true.shape[0]) if self.weights is None else self.weights

    def against_rest(self, labels: Any, samplewise: bool = False) -> Counts:
        """Count each column asked for over the rows, or each row over those columns."""
        true, pred = self.true != 0, self.pred != 0
        if labels is not None:
            columns = np.asarray(labels)
            least, most = columns.min(), columns.max()
            if least < 0 or most >= true.shape[1]:
                words = f"{least} < 0" if least < 0 else f"{most} > {true.shape[1] - 1}"
                raise InputError(
                    f"All labels must be in [0, n labels) for multilabel targets. Got {words}"
                )
            true, pred = true[:, columns], pred[:, columns]
        both = true & pred if isinstance(true, np.ndarray) else true.multiply(pred)
        total: Any
        if samplewise:
            tp, called, actual = (self.row_weights * _sums(m, 1) for m in (both, pred, true))
            total = self.row_weights * true.shape[1]
        else:
            tp, called, actual = (_sums(m, 0, self.weights) for m in (both, pred, true))
            total = self.row_weights.sum()
        fp, fn = called - tp, actual - tp
        return Counts(tp, fp, fn, total - tp - fp - fn)

    @property
    def errors(self) -> Array:
        """Rows whose labels are all right and others, as a matrix whose accuracy is theirs."""
        wrong, w = _sums(self.true != self.pred, 1) > 0, self.row_weights
        return _right_and_wrong(w[~wrong].sum(), w[wrong].sum())

    @property
    def cell_errors(self) -> Array:
        """Marks that are right and wrong, over all rows and columns."""
        wrong, w = _sums(self.true != self.pred, 1), self.row_weights
        return _right_and_wrong((w * (self.true.shape[1] - wrong)).sum(), (w * wrong).sum())


Targets = Classes | Marks


def _right_and_wrong(right: Any, wrong: Any) -> Array:
    return np.array([[right, wrong], [0.0, 0.0]])


def _sums(marks: Any, axis: int, weights: Array | None = None) -> Array:
    """Return the marks of each row, or of each column, dense or sparse."""
    if weights is not None:
        return np.asarray(marks.T @ weights.astype(np.float64))
    dense = isinstance(marks, np.ndarray)
    sums = np.count_nonzero(marks, axis=axis) if dense else marks.sum(axis=axis)
    return np.asarray(sums, dtype=np.float64).reshape(-1)


def count(y_true: Any, y_pred: Any, sample_weight: Any = None) -> Targets:
    """Check and count true and predicted labels as scikit-learn's classification metrics do.

    >>> count(["b", "a", "b"], ["b", "b", "b"]).matrix
    array([[0., 1.],
           [0., 2.]])
    >>> count([[0, 1], [1, 1]], [[1, 1], [0, 1]]).against_rest(None).tp
    array([0., 2.])
    """
    if _is_plain_table(y_true) and _is_plain_table(y_pred) and y_true.shape == y_pred.shape:
        check_lengths(y_true, y_pred, sample_weight)
        return Marks(y_true, y_pred, as_weights(sample_weight, len(y_true)))
    plain = _count_plain(_as_column(y_true), _as_column(y_pred), sample_weight)
    return plain or _count_any(y_true, y_pred, sample_weight)


def _as_column(y: Any) -> Any:
    """Return lists of nothing but whole numbers or texts as the arrays that they stand for."""
    if type(y) is list and y and len(set(map(type, y))) == 1 and type(y[0]) in (int, str, bool):
        return np.array(y)
    return y


def _is_plain_table(y: Any) -> bool:
    """Return whether this is a NumPy table of several columns of 0 and 1, or booleans."""
    if type(y) is not np.ndarray or y.ndim != 2 or y.dtype.kind not in "biu":
        return False
    if not len(y) or y.shape[1] < 2:
        return False
    return y.dtype.kind == "b" or bool(y.min() >= 0 and y.max() <= 1)


def _count_plain(y_true: Any, y_pred: Any, sample_weight: Any) -> Classes | None:
    """Count one-dimensional arrays of integers, booleans or texts; None for all else."""
    if not (is_single_column(y_true) and is_single_column(y_pred)):
        return None
    texts = {y_true.dtype.kind == "U", y_pred.dtype.kind == "U"}
    if len(texts) == 2 or not len(y_true) or len(y_true) != len(y_pred):
        return None
    dtype, rows = np.result_type(y_true, y_pred), len(y_true)
    try:
        if sample_weight is None:
            tally = LabelTally.from_arrays(y_true, y_pred)
            return Classes(np.array(tally.labels, dtype=dtype), rows, table=tally.counts)
        check_lengths(y_true, y_pred, sample_weight)
        weights = as_weights(sample_weight, rows)
        coded = {"y_true": code_labels(y_true, "y_true"), "y_pred": code_labels(y_pred, "y_pred")}
        names, (true, pred) = join_labels(coded)
    except InputError:
        # More classes than a tally holds, or a fault to be told in scikit-learn's words.
        return None
    return Classes(np.array(names, dtype=dtype), rows, codes=(true, pred), weights=weights)


def _count_any(y_true: Any, y_pred: Any, sample_weight: Any) -> Targets:
    check_lengths(y_true, y_pred, sample_weight)
    kinds = [type_of_target(y, input_name=n) for y, n in ((y_true, "y_true"), (y_pred, "y_pred"))]
    rows = y_true.shape[0] if hasattr(y_true, "shape") else len(y_true)
    if not rows:
        raise InputError(
            "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample "
            "is required."
        )
    weights = as_weights(sample_weight, rows)
    if len({kind.replace("binary", "multiclass") for kind in kinds}) > 1:
        raise InputError(
            f"Classification metrics can't handle a mix of {kinds[0]} and {kinds[1]} targets"
        )
    kind = kinds[0]
    if kind == "multilabel-indicator":
        unique_labels(y_true, y_pred)  # which refuses different numbers of columns
        return Marks(*_tables(y_true, y_pred), weights)
    if kind not in ("binary", "multiclass"):
        raise InputError(f"{kind} is not supported")
    if any(hasattr(y, "tocsr") for y in (y_true, y_pred)):
        raise TypeError("Sparse input is only supported when targets are of multilabel type")
    columns = [column(y) for y in (y_true, y_pred)]
    labels = np.asarray(unique_labels(*columns))
    true, pred = (codes_of(c, labels) for c in columns)
    return Classes(labels, rows, codes=(true, pred), weights=weights)


def _tables(*ys: Any) -> tuple[Any, Any]:
    """Return both tables alike: sparse where one is."""
    if any(hasattr(y, "tocsr") for y in ys):
        from scipy.sparse import csr_array

        made = [csr_array(y) for y in ys]
        for y in made:
            y.sum_duplicates()
        return made[0], made[1]
    true, pred = (check_array(y, dtype=None) for y in ys)
    return true, pred


# -- helpers -------------------------------------------------------------------------------------


def _overall(name: str, matrix: Array, **params: Any) -> float:
    return float(METRICS[name].compute(matrix, **params))


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
    check("accuracy_score", locals())
    matrix = count(y_true, y_pred, sample_weight).errors
    return _overall("accuracy", matrix) if normalize else float(matrix[0, 0])


def zero_one_loss(
    y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None
) -> float:
    """Return the share of rows named wrong, or their number.

    >>> zero_one_loss([1, 0, 1, 1], [1, 1, 1, 1], normalize=False)
    1.0
    """
    check("zero_one_loss", locals())
    matrix = count(y_true, y_pred, sample_weight).errors
    return _overall("error_rate", matrix) if normalize else float(matrix[0, 1])


def hamming_loss(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Return the share of labels that are wrong; of several labels a row, each counts.

    >>> hamming_loss([[0, 1], [1, 1]], [[0, 0], [1, 1]])
    0.25
    """
    check("hamming_loss", locals())
    targets = count(y_true, y_pred, sample_weight)
    matrix = targets.cell_errors if isinstance(targets, Marks) else targets.errors
    return _overall("error_rate", matrix)


def balanced_accuracy_score(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, adjusted: bool = False
) -> float:
    """Return the mean share found of the classes that are true of some row.

    tallymark's own ``balanced_accuracy`` is NaN where a class was predicted and never true; here
    such a class is left out, with a warning.

    >>> balanced_accuracy_score([1, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0])
    0.75
    """
    check("balanced_accuracy_score", locals(), "y_true", "y_pred")
    targets = _one_column(count(y_true, y_pred, sample_weight))
    _warn_of_one_label(len(targets.labels))
    recalls = _values("recall", targets.counts)
    n_undefined = np.count_nonzero(np.isnan(recalls))
    if n_undefined:
        warn("y_pred contains classes not in y_true")
    score = np.float64(mean(recalls))
    if adjusted:
        chance = 1 / (len(recalls) - n_undefined)
        score = (score - chance) / (1 - chance)
    return float(score)


def matthews_corrcoef(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Return the correlation of truth and prediction, 0 where one of them is all of one class.

    >>> round(matthews_corrcoef([1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 1]), 6)
    0.707107
    """
    check("matthews_corrcoef", locals(), "y_true", "y_pred")
    matrix = _one_column(count(y_true, y_pred, sample_weight)).matrix
    _warn_of_one_label(len(matrix))
    value = _overall("matthews_corrcoef", matrix)
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
    check("cohen_kappa_score", locals(), "y1", "y2", "labels")
    targets = _one_column(count(y1, y2, sample_weight))
    try:
        matrix = _of_labels(targets, labels, targets.matrix)
    except _AbsentLabelsError:
        raise InputError(
            "At least one label in `labels` must be present in `y1` (even though "
            "`cohen_kappa_score` is otherwise agnostic to the order of `y1` and `y2`)."
        ) from None
    _warn_of_one_label(len(matrix))
    value = _overall("cohen_kappa", matrix, weights=weights)
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
    check("class_likelihood_ratios", locals())
    targets = count(y_true, y_pred, sample_weight)
    if not isinstance(targets, Classes) or targets.kind != "binary":
        raise InputError(
            "class_likelihood_ratios only supports binary classification problems, got targets of "
            f"type: {targets.kind}"
        )
    instead = _replacements(replace_undefined_by)
    matrix = _of_labels(targets, labels, targets.matrix)
    if matrix.shape != (2, 2):
        raise InputError(
            f"class_likelihood_ratios needs two labels and there is {len(matrix)}; name both with "
            "labels=[negative, positive]"
        )
    (tn, fp), (fn, tp) = matrix.tolist()
    c = Counts(tp, fp, fn, tn)
    hint = "Use the `replace_undefined_by` param to control this behavior."
    if not tp + fn:
        undefined(
            "No samples of the positive class are present in `y_true`. `positive_likelihood_ratio` "
            f"and `negative_likelihood_ratio` are both set to `np.nan`. {hint}"
        )
    out = []
    for name, empty, sign in (("positive", fp == 0, "LR+"), ("negative", tn == 0, "LR-")):
        value = float(METRICS[f"{name}_likelihood_ratio"].compute(c))
        if empty:
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


# -- matrices ------------------------------------------------------------------------------------


class _AbsentLabelsError(InputError):
    """No row is truly of one of the labels asked for."""


def _of_labels(targets: Classes, labels: Any, matrix: Array) -> Array:
    """Return counts [true, predicted] of the labels asked for, in their order."""
    if labels is None:
        return matrix
    wanted = np.asarray(labels)
    if not wanted.size:
        raise InputError("'labels' should contain at least one label.")
    if not any(targets.is_true(label) for label in wanted.tolist()):
        raise _AbsentLabelsError("At least one label specified must be in y_true")
    place = {label: i for i, label in enumerate(wanted.tolist())}
    present = [label for label in place if label in targets.place]
    out = np.zeros((len(wanted), len(wanted)), dtype=matrix.dtype)
    old, new = ([at[label] for label in present] for at in (targets.place, place))
    out[np.ix_(new, new)] = matrix[np.ix_(old, old)]
    return out


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
    check("confusion_matrix", locals(), "y_true", "y_pred", "labels")
    targets = _one_column(count(y_true, y_pred, sample_weight))
    counts = _of_labels(targets, labels, targets.exact)
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
    check("multilabel_confusion_matrix", locals())
    targets = count(y_true, y_pred, sample_weight)
    return _whole(targets.against_rest(labels, samplewise).matrix(), targets)


# -- precision, recall and what is made of them --------------------------------------------------

_DENOMINATORS = {
    "precision": ("Precision", "predicted"),
    "recall": ("Recall", "true"),
    "f-score": ("F-score", "true nor predicted"),
    "jaccard": ("Jaccard", "true or predicted"),
}
_SCORES = ("precision", "recall", "f-score")
_OURS = {"recall": "sensitivity", "f-score": "f_beta"}


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
    if pos_label not in targets.place and len(targets.labels) >= 2:
        raise InputError(
            f"pos_label={pos_label} is not a valid label. It should be one of {targets.labels}"
        )
    return [pos_label]


def _values(name: str, counts: Counts, beta: float = 1.0) -> Array:
    """Return a metric of each class, NaN where it is undefined."""
    params = {"beta": float(beta)} if name == "f-score" else {}
    return METRICS[_OURS.get(name, name)].compute(counts, **params)


def _filled(
    name: str, values: Array, average: str | None, zero_division: Any, warn_for: Collection[str]
) -> Array:
    """Return these values, what is undefined made ``zero_division``."""
    missing = np.isnan(values)
    if not missing.any():
        return values
    if zero_division == "warn" and name in warn_for:
        title, empty = _DENOMINATORS[name]
        each, what = ("label", "sample") if average != "samples" else ("sample", "label")
        where = f"in {each}s with" if values.size > 1 else "due to"
        undefined(
            f"{title} is ill-defined and being set to 0.0 {where} no {empty} {what}s. Use "
            "`zero_division` parameter to control this behavior."
        )
    return np.where(missing, 0.0 if zero_division == "warn" else zero_division, values)


def _counts_of(targets: Targets, labels: Any, average: str | None) -> Counts:
    """Return the counts of the labels asked for: added up for the micro average."""
    c = targets.against_rest(labels, average == "samples")
    if average != "micro":
        return c
    return Counts(*([v.sum()] for v in (c.tp, c.fp, c.fn, c.tn)))


def _rates(function: str, given: Mapping[str, Any], *names: str) -> tuple[list[Any], Any]:
    """Return rates as the arguments of a function ask for them, and the true rows of each class."""
    check(function, given)
    targets = count(given["y_true"], given["y_pred"], given["sample_weight"])
    average, beta = given["average"], given.get("beta", 1.0)
    labels = _chosen_labels(targets, given["labels"], average, given["pos_label"])
    counts = _counts_of(targets, labels, average)
    weights = {"weighted": counts.positives, "samples": targets.weights}.get(average)
    rates: list[Any] = []
    for name in names:
        rate, warn_for = name, given.get("warn_for", names)
        if name == "f-score" and not 0 < beta < math.inf:
            rate, warn_for = "precision" if beta == 0 else "recall", ()
        values = _values(rate, counts, beta)
        values = _filled(rate, values, average, given["zero_division"], warn_for)
        rates.append(values if average is None else float(mean(values, weights)))
    return rates, _whole(counts.positives, targets)


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
    return _rates("precision_score", locals(), "precision")[0][0]


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
    return _rates("recall_score", locals(), "recall")[0][0]


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
    return _rates("f1_score", locals(), "f-score")[0][0]


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
    return _rates("fbeta_score", locals(), "f-score")[0][0]


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
    return _rates("jaccard_score", locals(), "jaccard")[0][0]


def precision_recall_fscore_support(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float = 1.0,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = None,
    warn_for: Collection[str] = _SCORES,
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> tuple[Any, Any, Any, Any]:
    """Return precision, recall, F-beta and the true rows of each class, or averages of them.

    >>> precision_recall_fscore_support([0, 1, 1, 1], [0, 1, 1, 0], average="macro")
    (0.75, 0.8333333333333333, 0.7333333333333334, None)
    """
    (precision, recall, f), support = _rates("precision_recall_fscore_support", locals(), *_SCORES)
    return precision, recall, f, support if average is None else None


# -- the report ----------------------------------------------------------------------------------

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
    check("classification_report", locals())
    targets = count(y_true, y_pred, sample_weight)
    shown = targets.labels if labels is None else np.asarray(labels)
    names = [str(name) for name in (shown if target_names is None else target_names)]
    if len(names) != len(shown) and labels is None:
        raise InputError(
            f"Number of classes, {len(shown)}, does not match size of target_names, "
            f"{len(names)}. Try specifying the labels parameter"
        )
    if len(names) != len(shown):
        warn(f"labels size, {len(shown)}, does not match size of target_names, {len(names)}")

    counts = _counts_of(targets, labels, None)
    weights = {"weighted": counts.positives, "samples": targets.weights}
    four = np.array([counts.tp, counts.fp, counts.fn, counts.tn])
    with_micro = Counts(*np.concatenate([four, four.sum(1, keepdims=True)], axis=1))
    rates = np.array([_values(name, with_micro) for name in _SCORES])
    undefined_somewhere = math.isnan(rates.sum())

    def scores(average: str | None) -> list[Any]:
        some = rates[:, -1:] if average == "micro" else rates[:, :-1]
        if average == "samples":
            of_rows = _counts_of(targets, labels, average)
            some = np.array([_values(name, of_rows) for name in _SCORES])
        if undefined_somewhere or average == "samples":
            named = zip(_SCORES, some, strict=True)
            some = np.array([_filled(n, v, average, zero_division, _SCORES) for n, v in named])
        if average == "micro":
            return list(some[:, 0].tolist())
        return list((mean(some, weights.get(average)) if average else some).tolist())

    support = _whole(counts.positives, targets)
    rows = list(zip(names, *scores(None), support.tolist(), strict=False))
    multilabel = targets.kind == "multilabel-indicator"
    every_label = labels is None or set(shown.tolist()) >= set(targets.labels.tolist())
    micro = "accuracy" if every_label and not multilabel else "micro avg"
    averages = {"micro": micro, "macro": "macro avg", "weighted": "weighted avg"}
    if multilabel:
        averages["samples"] = "samples avg"
    total = support.sum()
    means = [(title, *scores(average), total) for average, title in averages.items()]
    return _as_dict(rows, means) if output_dict else _as_text(rows, means, names, digits)


def _as_dict(rows: Sequence[_Row], averages: Sequence[_Row]) -> dict[str, Any]:
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
    lines = [f"{'':{width}} " + "".join(f" {word:>9}" for word in _HEADERS), ""]
    one = f" %9.{digits}f"
    three = one * 3
    for i, (name, *scores, support) in enumerate([*rows, *averages]):
        if i == len(rows):
            lines.append("")
        if i >= len(rows) and name == "accuracy":
            cells = " " * 20 + one % scores[2]
        else:
            cells = three % tuple(scores)
        lines.append(f"{name:>{width}} {cells} {support!s:>9}")
    return "\n".join(lines) + "\n"
