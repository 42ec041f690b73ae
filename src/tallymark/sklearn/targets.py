"""Two columns of labels as scikit-learn takes them, counted: classes, or one column a label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.multiclass import type_of_target, unique_labels

from tallymark.errors import InputError
from tallymark.sklearn.checks import (
    Array,
    as_weights,
    check_array,
    check_consistent_length,
    column_or_1d,
    is_single_column,
)
from tallymark.tally.arrays import MAX_CLASSES, code_labels, join_labels
from tallymark.tally.labels import Counts, LabelTally, count_few, one_vs_rest
from tallymark.tally.walk import lazy


class PlainMatrix(NamedTuple):
    """The four whole counts of one matrix as Python's own numbers: for formulas that only divide.

    >>> PlainMatrix(70.0, 20.0, 30.0, 80.0).positives
    100.0
    """

    tp: float
    fp: float
    fn: float
    tn: float

    @property
    def positives(self) -> float:
        """Rows whose true class is positive, P = TP + FN."""
        return self.tp + self.fn

    @property
    def called_positive(self) -> float:
        """Rows predicted positive, TP + FP."""
        return self.tp + self.fp


FEW_CLASSES = 7
"""NumPy adds up so many numbers from left to right, as a loop does: more of them in pairs."""


@dataclass(frozen=True, eq=False)
class Classes:
    """One class a row: ``names`` are all that occur, sorted; rows are counted once, when asked.

    ``cells`` or ``table`` hold the counts where a kernel has made them already, row by row or as a
    matrix, else ``codes`` the rows.
    """

    names: Sequence[Any] | Array
    dtype: Any
    rows: int
    cells: tuple[float, ...] | None = None
    table: Array | None = None
    codes: tuple[Array, Array] | None = None
    weights: Array | None = None

    @lazy
    def labels(self) -> Array:
        """All classes that occur, sorted."""
        return np.array(self.names, dtype=self.dtype)

    @property
    def kind(self) -> str:
        """The type of target as scikit-learn calls it."""
        return "binary" if len(self.names) <= 2 else "multiclass"

    @lazy
    def matrix(self) -> Array:
        """Counts [true, predicted], floating."""
        k = len(self.names)
        if self.cells is not None:
            return np.array(self.cells).reshape(k, k)
        if self.table is not None:
            return self.table
        assert self.codes is not None
        true, pred = self.codes
        cells = np.bincount(true * k + pred, self.weights, minlength=k * k)
        return cells.reshape(k, k).astype(np.float64)

    @lazy
    def each(self) -> list[PlainMatrix] | None:
        """Each of few classes against the rest, without arrays; None of many and of weights."""
        k, cells = len(self.names), self.cells
        if cells is None or k > FEW_CLASSES:
            return None
        if k == 2:
            tn, fp, fn, tp = cells
            return [PlainMatrix(tn, fn, fp, tp), PlainMatrix(tp, fp, fn, tn)]
        out = []
        for i in range(k):
            tp = cells[i * k + i]
            fp, fn = sum(cells[i::k]) - tp, sum(cells[i * k : i * k + k]) - tp
            out.append(PlainMatrix(tp, fp, fn, self.rows - tp - fp - fn))
        return out

    def few(self, labels: list[Any] | None = None) -> list[PlainMatrix] | None:
        """Return :meth:`against_rest` of few classes, without arrays; None of many and weights."""
        each = self.each
        if each is None or labels is None:
            return each
        if not 0 < len(labels) <= FEW_CLASSES:
            return None
        absent = PlainMatrix(0.0, 0.0, 0.0, float(self.rows))
        at = (self.place.get(label) for label in labels)
        return [absent if i is None else each[i] for i in at]

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

    @cached_property
    def counts(self) -> Counts:
        """Each class against the rest: without a matrix where the classes are very many."""
        if self.codes is None or len(self.labels) <= MAX_CLASSES:
            return one_vs_rest(self.matrix)
        true, pred = self.codes
        hit = true == pred
        weights = self.weights

        def add(codes: Array, w: Array | None) -> Array:
            return np.bincount(codes, w, minlength=len(self.labels)).astype(np.float64)

        tp = add(true[hit], None if weights is None else weights[hit])
        fp, fn = add(pred, weights) - tp, add(true, weights) - tp
        return Counts(tp, fp, fn, self.total - tp - fp - fn)

    @cached_property
    def total(self) -> float:
        """The sum of all weights."""
        return float(self.rows if self.weights is None else self.weights.sum())

    def is_true(self, label: Any) -> bool:
        """Tell whether any row is truly of this class, whatever its weight."""
        at = self.place.get(label)
        if at is None:
            return False
        if self.codes is not None:
            return bool((self.codes[0] == at).any())
        return bool(self.matrix[at].any())

    @lazy
    def place(self) -> dict[Any, int]:
        """The index of each label."""
        names = self.names if self.codes is None else self.labels.tolist()
        return {label: i for i, label in enumerate(names)}

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
        at = np.array([self.place.get(label, -1) for label in wanted.tolist()], dtype=np.intp)
        here = at >= 0
        tp, fp, fn = (np.where(here, v[at], 0.0) for v in (c.tp, c.fp, c.fn))
        return Counts(tp, fp, fn, np.where(here, c.tn[at], self.total))

    @property
    def errors(self) -> Array:
        """Rows named right and rows named wrong, as a matrix whose accuracy is theirs."""
        if self.cells is not None:  # whole numbers, whose sums are exact
            right = sum(self.cells[:: len(self.names) + 1])
            return _right_and_wrong(right, self.rows - right)
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
    def rows(self) -> int:
        """The number of rows."""
        return int(self.true.shape[0])

    def against_rest(self, labels: Any, samplewise: bool = False) -> Counts:
        """Count each column asked for over the rows, or each row over those columns."""
        true, pred = self.true != 0, self.pred != 0
        if labels is not None:
            columns = np.asarray(labels)
            most = true.shape[1] - 1
            if columns.max() > most:
                raise InputError(
                    "All labels must be in [0, n labels) for multilabel targets. "
                    f"Got {columns.max()} > {most}"
                )
            if columns.min() < 0:
                raise InputError(
                    "All labels must be in [0, n labels) for multilabel targets. "
                    f"Got {columns.min()} < 0"
                )
            true, pred = true[:, columns], pred[:, columns]
        if samplewise:
            w = np.ones(self.rows) if self.weights is None else self.weights
            tp, called, actual = (w * _row_sums(m) for m in (_both(true, pred), pred, true))
            total: Any = w * true.shape[1]
        else:
            tp, called, actual = (
                _column_sums(m, self.weights) for m in (_both(true, pred), pred, true)
            )
            total = self.rows if self.weights is None else self.weights.sum()
        fp, fn = called - tp, actual - tp
        return Counts(tp, fp, fn, total - tp - fp - fn)

    @cached_property
    def errors(self) -> Array:
        """Rows whose labels are all right and others, as a matrix whose accuracy is theirs."""
        wrong = _row_sums(self.true != self.pred) > 0
        w = np.ones(self.rows) if self.weights is None else self.weights
        return _right_and_wrong(w[~wrong].sum(), w[wrong].sum())

    @cached_property
    def cell_errors(self) -> Array:
        """Marks that are right and wrong, over all rows and columns."""
        wrong = _row_sums(self.true != self.pred)
        w = np.ones(self.rows) if self.weights is None else self.weights
        return _right_and_wrong((w * (self.true.shape[1] - wrong)).sum(), (w * wrong).sum())


Targets = Classes | Marks


def _right_and_wrong(right: Any, wrong: Any) -> Array:
    return np.array([[right, wrong], [0.0, 0.0]])


def _both(true: Any, pred: Any) -> Any:
    return true & pred if isinstance(true, np.ndarray) else true.multiply(pred)


def _row_sums(marks: Any) -> Array:
    dense = isinstance(marks, np.ndarray)
    sums = np.count_nonzero(marks, axis=1) if dense else marks.sum(axis=1)
    return np.asarray(sums, dtype=np.float64).reshape(-1)


def _column_sums(marks: Any, weights: Array | None) -> Array:
    if weights is not None:
        return np.asarray(marks.T @ weights.astype(np.float64))
    dense = isinstance(marks, np.ndarray)
    sums = np.count_nonzero(marks, axis=0) if dense else marks.sum(axis=0)
    return np.asarray(sums, dtype=np.float64).reshape(-1)


def count(y_true: Any, y_pred: Any, sample_weight: Any = None) -> Targets:
    """Check and count true and predicted labels as scikit-learn's classification metrics do.

    >>> count(["b", "a", "b"], ["b", "b", "b"]).matrix
    array([[0., 1.],
           [0., 2.]])
    >>> count([[0, 1], [1, 1]], [[1, 1], [0, 1]]).against_rest(None).tp
    array([0., 2.])
    """
    if sample_weight is None and is_single_column(y_true) and is_single_column(y_pred):
        few = count_few(y_true, y_pred)
        if few is not None:
            return Classes(few[0], np.result_type(y_true, y_pred), len(y_true), few[1])
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
    """Tell NumPy tables of several columns of 0 and 1, or booleans."""
    if type(y) is not np.ndarray or y.ndim != 2 or y.dtype.kind not in "biu":
        return False
    if not len(y) or y.shape[1] < 2:
        return False
    return y.dtype.kind == "b" or bool(y.min() >= 0 and y.max() <= 1)


def _checked(sample_weight: Any, y_true: Array, y_pred: Array) -> Array | None:
    check_consistent_length(y_true, y_pred, sample_weight)
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
            if len(tally.labels) <= FEW_CLASSES:
                return Classes(tally.labels, dtype, rows, tuple(tally.counts.ravel().tolist()))
            return Classes(tally.labels, dtype, rows, table=tally.counts)
        weights = _checked(sample_weight, y_true, y_pred)
        coded = {"y_true": code_labels(y_true, "y_true"), "y_pred": code_labels(y_pred, "y_pred")}
        names, (true, pred) = join_labels(coded)
    except InputError:
        # More classes than a tally holds, or a fault to be told in scikit-learn's words.
        return None
    return Classes(names, dtype, rows, codes=(true, pred), weights=weights)


def _count_any(y_true: Any, y_pred: Any, sample_weight: Any) -> Targets:
    check_consistent_length(y_true, y_pred, sample_weight)
    kinds = [type_of_target(y, input_name=n) for y, n in ((y_true, "y_true"), (y_pred, "y_pred"))]
    for y in (y_true, y_pred):
        if not (y.shape[0] if hasattr(y, "shape") else len(y)):
            raise InputError(
                "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample "
                "is required."
            )
    rows = y_true.shape[0] if hasattr(y_true, "shape") else len(y_true)
    weights = as_weights(sample_weight, rows)
    found = set(kinds)
    if found == {"binary", "multiclass"}:
        found = {"multiclass"}
    if len(found) > 1:
        raise InputError(
            f"Classification metrics can't handle a mix of {kinds[0]} and {kinds[1]} targets"
        )
    kind = found.pop()
    if kind == "multilabel-indicator":
        unique_labels(y_true, y_pred)  # which refuses different numbers of columns
        return Marks(*_indicators(y_true, y_pred), weights)
    if kind not in ("binary", "multiclass"):
        raise InputError(f"{kind} is not supported")
    columns = []
    for y in (y_true, y_pred):
        if hasattr(y, "tocsr"):
            raise TypeError("Sparse input is only supported when targets are of multilabel type")
        columns.append(column_or_1d(y))
    labels = np.asarray(unique_labels(*columns))
    codes = (_codes(columns[0], labels), _codes(columns[1], labels))
    return Classes(labels, labels.dtype, rows, codes=codes, weights=weights)


def _codes(values: Array, labels: Array) -> Array:
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
