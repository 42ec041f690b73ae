"""Label tallies: confusion matrices of true and predicted classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallymark import _kernels
from tallymark.contract import ANY, NUMBERS, checked, shown, trusted
from tallymark.display import Display
from tallymark.errors import InputError
from tallymark.tally.arrays import (
    Codes,
    Floats,
    Label,
    as_counts,
    code_labels,
    declared_levels,
    encoded,
    find_positive,
    in_order,
    is_blank,
    join_labels,
    kernel_integers,
    tables,
    whole_rows,
)
from tallymark.tally.io import floats, part
from tallymark.tally.merge import Tally, adds, axis, check
from tallymark.tally.occupied import MOST_DENSE, OccupiedCells

Missing = Literal["error", "drop"]


@checked(prevalence=NUMBERS, factor=NUMBERS)
@dataclass(frozen=True, slots=True, repr=False)
class Counts(Display):
    """True positives, false positives, false negatives and true negatives, of one shape.

    Any shape is allowed: () for one matrix, (K,) one-vs-rest, (G,) over thresholds, (B,) over
    bootstrap replicates. Counts are always floating point (complex for derivatives), because
    products of four counts overflow integers but not floats.

    >>> Counts(70, 20, 30, 80).positives
    array(100.)
    """

    tp: NDArray[Any]
    fp: NDArray[Any]
    fn: NDArray[Any]
    tn: NDArray[Any]

    def __init__(self, tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, tn: ArrayLike) -> None:
        arrays: Any = [_floating(v) for v in (tp, fp, fn, tn)]
        shape = arrays[0].shape
        if any(array.shape != shape for array in arrays):
            arrays = np.broadcast_arrays(*arrays)
        for name, array in zip(("tp", "fp", "fn", "tn"), arrays, strict=True):
            object.__setattr__(self, name, array)

    @property
    def positives(self) -> NDArray[Any]:
        """Rows whose true class is positive, P = TP + FN."""
        return np.asarray(self.tp + self.fn)

    @property
    def negatives(self) -> NDArray[Any]:
        """Rows whose true class is negative, N = FP + TN."""
        return np.asarray(self.fp + self.tn)

    @property
    def called_positive(self) -> NDArray[Any]:
        """Rows predicted positive, TP + FP."""
        return np.asarray(self.tp + self.fp)

    @property
    def called_negative(self) -> NDArray[Any]:
        """Rows predicted negative, TN + FN."""
        return np.asarray(self.tn + self.fn)

    @property
    def total(self) -> NDArray[Any]:
        """All rows, T = P + N."""
        return np.asarray(self.tp + self.fn + self.fp + self.tn)

    def _swap(self) -> Counts:
        """Return the counts with the other class as the positive one."""
        return Counts(tp=self.tn, fp=self.fn, fn=self.fp, tn=self.tp)

    def _scale_negatives(self, factor: ArrayLike) -> Counts:
        """Return the counts with the negatives multiplied; TPR and TNR do not change."""
        k = np.asarray(factor, dtype=np.float64)
        with np.errstate(all="ignore"):
            return Counts(self.tp, self.fp * k, self.fn, self.tn * k)

    def at_prevalence(self, prevalence: ArrayLike) -> Counts:
        """Return the counts at another prevalence; TPR and TNR do not change.

        >>> c = Counts(70, 20, 30, 80).at_prevalence(0.01)
        >>> round(float(c.tp / (c.tp + c.fp)), 4)
        0.0341
        """
        p = np.asarray(prevalence, dtype=np.float64)
        if not ((p > 0) & (p < 1)).all():
            raise InputError(f"prevalence is {shown(p.tolist())}; it must lie between 0 and 1")
        with np.errstate(all="ignore"):
            factor = self.positives * (1 - p) / (p * self.negatives)
        return self._scale_negatives(factor)

    def matrix(self) -> NDArray[Any]:
        """Return the 2x2 matrices ``[..., true, predicted]``, negative class first."""
        # A cell's counts lie side by side in memory: of many thresholds they are added up as such.
        cells = np.stack([self.tn, self.fp, self.fn, self.tp])
        return np.moveaxis(cells.reshape(2, 2, *cells.shape[1:]), (0, 1), (-2, -1))


def _floating(values: ArrayLike) -> NDArray[Any]:
    array = np.asarray(values)
    return array if array.dtype.kind in "fc" else array.astype(np.float64)


@checked(n=ANY)
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelTally(Tally):
    """Counts ``[true class, predicted class]`` of rows.

    ``counts`` is float64 of shape (K, K) in the order of ``labels``; with sampling weights it has
    their sums, and ``sum_squared_weights`` the sums of their squares (None if every weight is 1).
    ``rows`` is the number of rows counted. Tallies can be added: ``a + b`` is the tally of all rows
    of both, aligned by label. Of more than 1,000 classes, ``counts`` holds the occupied cells
    alone (:class:`~tallymark.tally.occupied.OccupiedCells`), with the sums and the diagonal of an
    array; ``np.asarray(counts)`` is the whole matrix.

    >>> LabelTally.from_arrays([0, 1, 1, 0], [0, 1, 0, 0]).counts
    array([[2., 0.],
           [1., 1.]])
    """

    _kind: ClassVar[str] = "label-tally"
    labels: tuple[Label, ...] = field(metadata=axis())
    counts: Floats = field(
        metadata={**adds("labels", "labels"), **part(lambda data: _cells_in(data, "counts"))}
    )
    sum_squared_weights: Floats | None = field(
        default=None,
        metadata={
            **adds("labels", "labels", lacking="counts"),
            **part(lambda data: _cells_in(data, "sum_squared_weights")),
        },
    )
    rows: int = field(default=-1, metadata=adds())

    def __post_init__(self) -> None:
        many = len(self.labels) > MOST_DENSE
        for name in ("counts", "sum_squared_weights"):
            values: Any = getattr(self, name)
            if isinstance(values, OccupiedCells):
                if not many:
                    object.__setattr__(self, name, np.asarray(values))
            elif many and np.shape(values) == (len(self.labels),) * 2:
                object.__setattr__(self, name, OccupiedCells.of(values))
        check(self)

    @classmethod
    def _empty(cls, labels: Sequence[Label] = ()) -> Self:
        """Return the tally of no rows, the neutral element of addition."""
        none = np.zeros(0, np.intp)
        cells: Any = OccupiedCells(np.zeros(0), none, none, len(labels))
        return cls(tuple(labels), cells)

    @classmethod
    def from_arrays(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Sequence[Label] | None = None,
        sample_weight: Any = None,
        missing: Missing = "error",
        first_row: int | None = None,
    ) -> Self:
        """Count rows of true and predicted labels.

        Parameters
        ----------
        y_true, y_pred : array of n labels
            Integers, texts, booleans, objects, lists; NumPy, pandas, Polars or Arrow.
        labels : sequence, optional
            The classes in the desired order; by default all that occur, sorted.
        sample_weight : array of n numbers, optional
            Sampling weights, zero or more.
        missing : {"error", "drop"}
            What to do with rows whose label is missing.
        first_row : int, optional
            Number of the first row, for messages about chunks of a table.

        Raises
        ------
        InputError
            Lengths that differ, missing labels, labels of two types, unusable weights.

        """
        if labels is None and sample_weight is None:
            few = count_few(y_true, y_pred) if missing in ("error", "drop") else None
            if few is not None:
                names, cells = few
                counts = np.array(cells).reshape(len(names), len(names))
                counts.flags.writeable = False
                return cls._unchecked(
                    labels=names, counts=counts, sum_squared_weights=None, rows=len(y_true)
                )
            fast = count_pairs(y_true, y_pred)
            if fast is not None:
                return cls(*fast, None, len(y_true))
        columns = {"y_true": y_true, "y_pred": y_pred}
        rows, weights = whole_rows(
            {name: code_labels(values, name, first_row) for name, values in columns.items()},
            sample_weight,
            missing,
            first_row,
        )
        names, (t, p) = join_labels(rows, labels)
        squares = None if weights is None else weights**2
        return cls._of_codes(names, t, p, weights, squares, len(t))

    @classmethod
    @trusted
    def _of_codes(
        cls,
        labels: tuple[Label, ...],
        true: Codes,
        pred: Codes,
        weights: Floats | None,
        squares: Floats | None,
        rows: int,
    ) -> Self:
        """Return the tally of rows, or of lines that stand for ``rows`` in all, by both classes."""
        k = len(labels)
        if k > MOST_DENSE:
            of: list[Any] = [weights] if squares is None else [weights, squares]
            return cls(labels, *OccupiedCells.of_rows(true, pred, k, of), rows=rows)  # type: ignore[misc,arg-type]
        return cls(labels, *tables((k, k), (true, pred), weights, squares), rows)

    @classmethod
    def from_counts(cls, y_true: Any, y_pred: Any, n: Any, **options: Any) -> Self:
        """Return the tally of counts computed elsewhere: one line for each (true, predicted) pair.

        >>> LabelTally.from_counts(["a", "a", "b"], ["a", "b", "b"], [80, 20, 7]).rows
        107
        """
        tally = cls.from_arrays(y_true, y_pred, sample_weight=as_counts(n, "n"), **options)
        return cls(tally.labels, tally.counts)

    def binary(self, positive: Label | None = None) -> Counts:
        """Return the four counts with one class positive and all others negative."""
        return one_class(self.counts, self.labels, find_positive(self.labels, positive))


def _cells_in(data: Any, name: str) -> Any:
    """Read counts from JSON, written as a table or, for many classes, as occupied cells."""
    if isinstance(data, dict) and "classes" in data:
        return OccupiedCells.from_dict(data)
    return floats(data, name)


def one_vs_rest(matrix: NDArray[Any] | OccupiedCells) -> Counts:
    """Return each class of ``matrix[..., true, predicted]`` against all others: shape (..., K)."""
    if isinstance(matrix, OccupiedCells):
        return _from_margins(matrix, matrix.rest)
    if matrix.ndim == 2 and matrix.dtype == np.float64 and matrix.flags.c_contiguous:
        four = np.empty((4, len(matrix)))
        if _kernels.one_vs_rest(matrix, four):  # whole numbers, whose sums are exact in any order
            counts = object.__new__(Counts)
            for name, values in zip(("tp", "fp", "fn", "tn"), four, strict=True):
                object.__setattr__(counts, name, values)
            return counts
    hit = matrix.diagonal(0, -2, -1)
    if matrix.shape[-1] == 2:  # each of the four counts is a cell
        alarm = np.diagonal(matrix[..., ::-1, :], axis1=-2, axis2=-1)
        return Counts(tp=hit, fp=alarm, fn=alarm[..., ::-1], tn=hit[..., ::-1])

    def rest(i: int) -> Any:
        return np.delete(np.delete(matrix, i, -1), i, -2).sum((-2, -1))

    return _from_margins(matrix, rest)


def _from_margins(matrix: Any, rest_of: Callable[[int], Any]) -> Counts:
    """Return one_vs_rest of matrices; ``rest_of`` sums the cells outside a class."""
    hit, actual, predicted = matrix.diagonal(0, -2, -1), matrix.sum(-1), matrix.sum(-2)
    total = matrix.sum((-2, -1))[..., None]
    rest = np.asarray(total - actual - predicted + hit)
    # If a class has nearly all rows, the difference of weighted sums is rounding error of either
    # sign, so sum the cells of the other classes directly.
    faint = rest.real < 1e-3 * total.real
    if faint.any():
        for i in np.flatnonzero(faint.any(axis=tuple(range(rest.ndim - 1)))):
            rest[..., i] = rest_of(int(i))
    return Counts(tp=hit, fp=predicted - hit, fn=actual - hit, tn=rest)


def one_class(
    matrix: NDArray[Any] | OccupiedCells, labels: Sequence[Label], positive: Label | None
) -> Counts:
    """Return one class of ``matrix[..., true, predicted]`` against all others: shape (...)."""
    if positive is None or positive not in labels:  # no such rows: all are true negatives
        zero = np.zeros(matrix.shape[:-2])
        return Counts(zero, zero, zero, matrix.sum((-2, -1)))
    i, c = list(labels).index(positive), one_vs_rest(matrix)
    return Counts(c.tp[..., i], c.fp[..., i], c.fn[..., i], c.tn[..., i])


def against_rest(tally: LabelTally, label: Label) -> LabelTally:
    """Return the matrix with all other classes merged under the name of one of them.

    The four cells contain all that one class's metrics read, and cost the same for any number of
    classes.

    >>> against_rest(LabelTally(("a", "b", "c"), [[5, 1, 0], [2, 3, 0], [0, 0, 4]]), "b").counts
    array([[9., 1.],
           [2., 3.]])
    """
    i = tally.labels.index(label)
    rest = tally.labels[1 if i == 0 else 0]

    def four(matrix: Floats) -> Floats:
        return one_class(matrix, tally.labels, label).matrix()

    squares = None if tally.sum_squared_weights is None else four(tally.sum_squared_weights)
    return LabelTally((rest, label), four(tally.counts), squares, tally.rows)


def count_few(y_true: Any, y_pred: Any) -> tuple[tuple[Label, ...], tuple[float, ...]] | None:
    """Return the counts of NumPy arrays with few whole numbers or booleans, else None.

    Returns the classes that occur, sorted, and the counts [true, predicted] row by row.

    >>> count_few(np.array([1, 3, 3]), np.array([1, 1, 3]))
    ((1, 3), (1.0, 0.0, 1.0, 1.0))
    """
    if type(y_true) is not np.ndarray or type(y_pred) is not np.ndarray:
        return None
    result: tuple[tuple[Label, ...], tuple[float, ...]] | None = _kernels.count_few(y_true, y_pred)
    return result


def count_pairs(y_true: Any, y_pred: Any) -> tuple[tuple[Label, ...], Floats] | None:
    """Return the counts of integers, booleans, texts or categories in one pass, or None."""
    columns, originals = [encoded(y_true), encoded(y_pred)], [y_true, y_pred]
    coded = [c for c in columns if c is not None]
    if len(coded) == 1 or len({isinstance(v, str) for c in coded for v in c.labels}) > 1:
        return None
    boolean = [str(getattr(y, "dtype", "")) == "bool" for y in originals]
    codes: list[Any]
    if coded:
        codes = [c.codes for c in coded]
    elif all(isinstance(y, np.ndarray) for y in originals) and boolean[0] == boolean[1]:
        codes = [kernel_integers(y) for y in originals]
    else:
        return None
    true, pred = codes
    if true is None or pred is None or true.shape != pred.shape or not true.size:
        return None
    both = np.result_type(true, pred)
    counted = _kernels.count_pairs(true.astype(both, copy=False), pred.astype(both, copy=False))
    if counted is None or len(counted[1]) > MOST_DENSE:
        return None
    low, table = counted
    if coded and low < 0:
        if table[:-low].any() or table[:, :-low].any():
            return None  # the general path reports where labels are missing
        low, table = 0, table[-low:, -low:]
    places = [np.flatnonzero(table.sum(axis)) for axis in (1, 0)]
    if coded:
        names = [
            [c.labels[i + low] for i in p.tolist()] for c, p in zip(coded, places, strict=True)
        ]
        if any(is_blank(v) for column in names for v in column):
            return None  # missing as well
    else:
        names = [(p + low).astype(bool if boolean[0] else int).tolist() for p in places]
    levels = declared_levels(dict(zip(("y_true", "y_pred"), coded, strict=True))) if coded else ()
    labels = in_order({*names[0], *names[1]}, levels)
    counts = np.zeros((len(labels), len(labels)))
    cells = np.ix_(*([labels.index(v) for v in column] for column in names))
    counts[cells] = table[np.ix_(*places)]
    return labels, counts
