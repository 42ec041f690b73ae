"""Two columns of labels as scikit-learn takes them, counted: classes, or one column a label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.multiclass import type_of_target, unique_labels

from tallymark.errors import InputError
from tallymark.sklearn.checks import Array, as_weights, check_lengths, column, is_single_column
from tallymark.tally.arrays import MAX_CLASSES, code_labels, join_labels
from tallymark.tally.labels import Counts, LabelTally, one_vs_rest
from tallymark.tally.score_counts import lazy


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
        if self.table is not None:
            return self.table
        assert self.codes is not None
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
        if self.table is not None:
            right = self.table.trace()
            return _right_and_wrong(right, self.rows - right)
        return _right_and_wrong(self.counts.tp.sum(), self.counts.fn.sum())


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
            most = true.shape[1] - 1
            for beyond, words in (
                (columns.max() > most, f"{columns.max()} > {most}"),
                (columns.min() < 0, f"{columns.min()} < 0"),
            ):
                if beyond:
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
        return Marks(y_true, y_pred, _checked(sample_weight, y_true, y_pred))
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


def _checked(sample_weight: Any, y_true: Array, y_pred: Array) -> Array | None:
    check_lengths(y_true, y_pred, sample_weight)
    return as_weights(sample_weight, len(y_true))


def _count_plain(y_true: Any, y_pred: Any, sample_weight: Any) -> Classes | None:
    """Count one-dimensional arrays of integers, booleans or texts; None for all else."""
    if not (is_single_column(y_true) and is_single_column(y_pred)):
        return None
    if (y_true.dtype.kind == "U") != (y_pred.dtype.kind == "U"):
        return None
    if not len(y_true) or len(y_true) != len(y_pred):
        return None
    dtype, rows = np.result_type(y_true, y_pred), len(y_true)
    try:
        if sample_weight is None:
            tally = LabelTally.from_arrays(y_true, y_pred)
            return Classes(np.array(tally.labels, dtype=dtype), rows, table=tally.counts)
        weights = _checked(sample_weight, y_true, y_pred)
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
    different = set(kinds)
    if different == {"binary", "multiclass"}:
        different = {"multiclass"}
    if len(different) > 1:
        raise InputError(
            f"Classification metrics can't handle a mix of {kinds[0]} and {kinds[1]} targets"
        )
    kind = different.pop()
    if kind == "multilabel-indicator":
        unique_labels(y_true, y_pred)  # which refuses different numbers of columns
        return Marks(*_indicators(y_true, y_pred), weights)
    if kind not in ("binary", "multiclass"):
        raise InputError(f"{kind} is not supported")
    if any(hasattr(y, "tocsr") for y in (y_true, y_pred)):
        raise TypeError("Sparse input is only supported when targets are of multilabel type")
    columns = [column(y) for y in (y_true, y_pred)]
    labels = np.asarray(unique_labels(*columns))
    true, pred = (codes_of(c, labels) for c in columns)
    return Classes(labels, rows, codes=(true, pred), weights=weights)


def codes_of(values: Array, labels: Array) -> Array:
    """Return where each value stands among sorted labels."""
    if values.dtype.kind == "O" or labels.dtype.kind == "O":
        place = {label: i for i, label in enumerate(labels.tolist())}
        return np.array([place[v] for v in values.tolist()], dtype=np.intp)
    return np.searchsorted(labels, values).astype(np.intp)


def _indicators(*ys: Any) -> tuple[Any, Any]:
    """Return both tables alike: sparse where one is."""
    if any(hasattr(y, "tocsr") for y in ys):
        from scipy.sparse import csr_array

        made = [csr_array(y) for y in ys]
        for y in made:
            y.sum_duplicates()
        return made[0], made[1]
    true, pred = (check_array(y, dtype=None) for y in ys)
    return true, pred
