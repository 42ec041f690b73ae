"""Counts of many classes by their occupied cells: matrices, their replicates, and scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError
from tallymark.tally.arrays import Floats
from tallymark.tally.io import floats, numbers

MOST_DENSE = 1000
"""Classes up to which a tally keeps every cell; of more, it keeps the occupied cells."""

MOST_MADE = 5000
"""Classes up to which the whole matrix is made on request: it then takes 200 MB."""

_DENSE_AT_ONCE = 1 << 21


class OccupiedCells:
    """Counts [draw, true, predicted] of many classes, of which most cells are empty.

    ``values[cell, draw]`` are the counts of the cells at ``true[cell]`` and ``predicted[cell]``;
    all other cells are 0. ``values[cell]`` are those of one matrix [true, predicted], without an
    axis of draws. It has the members of an array that metrics of margins use, and the sums over
    cells that the others need.

    >>> cells = OccupiedCells(np.array([[3.0], [1.0], [2.0]]), np.array([0, 0, 2]),
    ...     np.array([0, 2, 2]), 3)
    >>> cells.shape, cells.sum(-1).tolist(), cells.sum(-2).tolist(), cells.trace().tolist()
    ((1, 3, 3), [[4.0, 0.0, 2.0]], [[3.0, 0.0, 3.0]], [5.0])
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, values: Floats, true: NDArray[np.intp], predicted: NDArray[np.intp], k: int
    ) -> None:
        self.values, self.true, self.predicted, self.k = values, true, predicted, k

    @classmethod
    def of(cls, matrix: Any) -> OccupiedCells:
        """Return the cells of one matrix [true, predicted] that are not 0.

        >>> OccupiedCells.of(np.array([[3.0, 0.0], [1.0, 2.0]])).values.tolist()
        [3.0, 1.0, 2.0]
        """
        matrix = np.asarray(matrix, dtype=np.float64)
        true, predicted = np.nonzero(matrix)
        return cls(matrix[true, predicted], true, predicted, len(matrix))

    @classmethod
    def of_rows(
        cls, true: NDArray[Any], predicted: NDArray[Any], k: int, weights: Sequence[Floats | None]
    ) -> list[OccupiedCells]:
        """Return the sums over rows of each of several weights, None for the number of rows.

        >>> rows = np.array([1, 0, 1]), np.array([0, 0, 0])
        >>> OccupiedCells.of_rows(*rows, 2, [None])[0].values.tolist()
        [1.0, 2.0]
        """
        cells, place = np.unique(true.astype(np.int64) * k + predicted, return_inverse=True)
        at = np.divmod(cells.astype(np.intp), k)
        sums = (np.bincount(place, w, len(cells)).astype(np.float64) for w in weights)
        return [cls(of_cells, *at, k) for of_cells in sums]

    @property
    def cells(self) -> tuple[NDArray[np.intp], ...]:
        """The places of the cells."""
        return self.true, self.predicted

    @property
    def ndim(self) -> int:
        """Axes: true and predicted class, after one of draws if there is one."""
        return 1 + self.values.ndim

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the dense array: (draws, classes, classes), or (classes, classes)."""
        return (*self.values.shape[1:], self.k, self.k)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, at: Any) -> Any:
        """Return a stack of one with None; draws of a stack; a row of a matrix, or a cell."""
        if at is None:
            return OccupiedCells(self.values[:, None], self.true, self.predicted, self.k)
        if self.ndim == 3:
            return OccupiedCells(self.values[:, at], self.true, self.predicted, self.k)
        row, *column = at if isinstance(at, tuple) else (at,)
        if not -self.k <= row < self.k:
            raise IndexError(row)
        own, out = self.true == row % self.k, np.zeros(self.k)
        out[self.predicted[own]] = self.values[own]
        return out[column[0]] if column else out

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if self.k > MOST_MADE:
            raise InputError(
                f"{self.k:,} classes make a matrix of {self.k**2:,} cells, too many to write out; "
                "ask for the numbers of single classes (ev.per_class()), or merge rare classes "
                "before counting"
            )
        full = np.zeros((*self.values.shape[1:], self.k, self.k), dtype)
        full[..., self.true, self.predicted] = self.values.T
        return full

    def __eq__(self, other: object) -> bool:
        """Return whether all counts are equal."""
        if not isinstance(other, OccupiedCells):
            return NotImplemented
        ours, theirs = self._sorted(), other._sorted()
        return self.k == other.k and all(map(np.array_equal, ours, theirs))

    def _sorted(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the places of the cells that are not 0 in order, and their counts."""
        place = self.true.astype(np.int64) * self.k + self.predicted
        order = np.argsort(place, kind="stable")
        order = order[self.values[order] != 0]
        return place[order], self.values[order]

    def __add__(self, other: OccupiedCells) -> OccupiedCells:
        """Return the counts of both matrices."""
        true, predicted, values = (
            np.concatenate([getattr(self, name), getattr(other, name)])
            for name in ("true", "predicted", "values")
        )
        return OccupiedCells.of_rows(true, predicted, self.k, [values])[0]

    def __mul__(self, factors: Floats) -> OccupiedCells:
        """Return the counts with the rows of each true class multiplied by its factor (K, 1)."""
        moved = self.values * factors.reshape(self.k)[self.true]
        return OccupiedCells(moved, self.true, self.predicted, self.k)

    def any(self) -> bool:
        """Return whether a count is not 0."""
        return bool(self.values.any())

    def among(self, place: NDArray[np.intp], k: int) -> OccupiedCells:
        """Return the counts among ``k`` classes, where ``place`` is that of each class now.

        Rows of a class at -1 are left out.
        """
        true, predicted = place[self.true], place[self.predicted]
        keep = (true >= 0) & (predicted >= 0)
        return OccupiedCells(self.values[keep], true[keep], predicted[keep], k)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        of_cells = {"true": self.true, "predicted": self.predicted, "counts": self.values}
        return {"classes": self.k, **{name: numbers(v) for name, v in of_cells.items()}}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> OccupiedCells:
        """Read what :meth:`to_dict` wrote."""
        k, values = data["classes"], floats(data["counts"], "counts")
        true, predicted = (floats(data[name], name) for name in ("true", "predicted"))
        whole = all(
            (v == np.trunc(v)).all() and ((v >= 0) & (v < k)).all() for v in (true, predicted)
        )
        apart = len(np.unique(true * k + predicted)) == len(true)
        if (
            type(k) is not int
            or not true.shape == predicted.shape == values.shape
            or values.ndim != 1
        ):
            raise ValueError
        if not (whole and apart and len(data) == 4):
            raise ValueError
        return cls(values, true.astype(np.intp), predicted.astype(np.intp), k)

    def sum(self, axis: int | tuple[int, int] | None = None) -> Any:
        """Return the sums by true class (-1), by predicted class (-2) or over all cells."""
        if axis is None or axis == (-2, -1):
            return self._total
        assert isinstance(axis, int)
        return self._by_true if axis % self.ndim == self.ndim - 1 else self._by_predicted

    @cached_property
    def _by_true(self) -> Floats:
        return _grouped(self.values, self.true, self.k)

    @cached_property
    def _by_predicted(self) -> Floats:
        return _grouped(self.values, self.predicted, self.k)

    @cached_property
    def _total(self) -> Floats:
        return np.asarray(self._by_true.sum(-1))

    @cached_property
    def _hits(self) -> Floats:
        right = np.flatnonzero(self.true == self.predicted)
        hits = np.zeros((self.k, *self.values.shape[1:]))
        hits[self.true[right]] = self.values[right]
        return hits.T

    def diagonal(self, *_: int) -> Floats:
        """Return the counts of rows that were classified correctly, [draw, class]."""
        return self._hits

    def trace(self, *_: int) -> Floats:
        """Return how many rows were classified correctly, [draw]."""
        return np.asarray(self._hits.sum(-1))

    @cached_property
    def _misses(self) -> Floats:
        wrong = (self.true != self.predicted).astype(np.float64)
        return np.asarray(wrong @ self.values)

    def misses(self) -> Floats:
        """Return how many rows were classified incorrectly, [draw]."""
        return self._misses

    def rest(self, k: int) -> Floats:
        """Return the sum of the cells of neither true nor predicted class ``k``, [draw]."""
        others = ((self.true != k) & (self.predicted != k)).astype(np.float64)
        return np.asarray(others @ self.values)

    def weighted(self, table: Floats) -> Floats:
        """Return the sum of the counts times the numbers of a table [true, predicted], [draw]."""
        return np.asarray(table[self.true, self.predicted] @ self.values)

    def max(self, axis: int, initial: float) -> Floats:
        """Return the largest count of each predicted class (axis -2), [draw, class]."""
        assert axis == -2
        order = np.argsort(self.predicted, kind="stable")
        present, starts = np.unique(self.predicted[order], return_index=True)
        largest = np.full((self.k, *self.values.shape[1:]), float(initial))
        if len(present):
            largest[present] = np.maximum.reduceat(self.values[order], starts, axis=0)
        return largest.T

    @cached_property
    def x_log_x(self) -> Floats:
        """The sum over cells of count · ln(count), [draw]."""
        return np.asarray(_x_log_x(self.values).sum(0))

    @cached_property
    def hits_log(self) -> Floats:
        """The same sum over the cells of the diagonal."""
        return np.asarray(_x_log_x(self._hits).sum(-1))

    @cached_property
    def contingency(self) -> Floats:
        """The sum over cells of count² / (true · predicted), [draw]; NaN without a class."""
        true, predicted = self._by_true.T, self._by_predicted.T
        with np.errstate(all="ignore"):
            parts = self.values / true[self.true]
            parts *= self.values
            parts /= predicted[self.predicted]
            empty = (true == 0).any(0) | (predicted == 0).any(0)
        return np.where(empty, np.nan, parts.sum(0))

    def dense(self) -> Iterator[Floats]:
        """Yield the full matrices [b, true, predicted], a few draws at a time.

        >>> cells = OccupiedCells(np.array([[3.0, 4.0]]), np.array([1]), np.array([0]), 2)
        >>> np.concatenate(list(cells.dense())).tolist()
        [[[0.0, 0.0], [3.0, 0.0]], [[0.0, 0.0], [4.0, 0.0]]]
        """
        some = max(1, _DENSE_AT_ONCE // max(self.k**2, 1))
        for start in range(0, self.values.shape[1], some):
            yield np.asarray(self[start : start + some])


MOST_DENSE_SCORES = 1 << 20
"""Cells [score, class] up to which a tally keeps every cell, if there are more than two classes."""


class OccupiedScores:
    """Counts [score, class] of many classes, of which most cells are empty.

    ``values`` are the counts of the cells at ``score`` and ``of_class``, by score and then by
    class; all other cells are 0. What most metrics use of an array is read off the
    cells; any other member is that of the whole array.

    >>> cells = OccupiedScores.of_rows(np.array([0.2, 0.1, 0.2]), np.array([2, 0, 2]), 3, [None])[1]
    >>> cells.shape, cells.values.tolist(), cells.sum(0).tolist(), cells[:, 2].tolist()
    ((2, 3), [1.0, 2.0], [1.0, 0.0, 2.0], [0.0, 2.0])
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, values: Floats, score: NDArray[Any], of_class: NDArray[Any], shape: tuple[int, int]
    ) -> None:
        self.values, self.score, self.of_class, self.shape = values, score, of_class, shape

    @classmethod
    def of(cls, table: Any) -> OccupiedScores:
        """Return the cells of a whole array [score, class] that are not 0."""
        table = np.asarray(table, dtype=np.float64)
        cells, shape = np.nonzero(table), (len(table), table.shape[1])
        score, of_class = _narrow(*cells)
        return cls(table[cells], score, of_class, shape)

    @classmethod
    def of_rows(
        cls, scores: Floats, codes: NDArray[Any], k: int, weights: Sequence[Floats | None]
    ) -> tuple[Floats, *tuple[OccupiedScores, ...]]:
        """Return the distinct scores, and sums of each of several weights, None for the rows."""
        order = np.argsort(scores, kind="stable")  # sums in the order of the rows
        ordered = scores[order] + 0.0
        first = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
        place = (first.cumsum() - 1) * k + codes[order]
        if first.all():
            cells, of_cell = place, None
        else:
            cells, of_cell = np.unique(place, return_inverse=True)
        distinct, out = ordered[first], list[OccupiedScores]()
        score, of_class = _narrow(*np.divmod(cells, k))
        for w in weights:
            values: Any = np.ones(len(order)) if w is None else w[order]
            if of_cell is not None:
                values = np.bincount(of_cell, values, len(cells))
            out.append(cls(values, score, of_class, (len(distinct), k)))
        return distinct, *out

    @property
    def size(self) -> int:
        """The number of cells, empty ones included."""
        return self.shape[0] * self.shape[1]

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        full = np.zeros(self.shape[::-1], dtype)
        full[self.of_class, self.score] = self.values
        return full.T  # the counts of a class are contiguous

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)

    def __getitem__(self, at: Any) -> Any:
        """Return the counts of one class (G,), or any other part of the whole array."""
        if isinstance(at, tuple) and isinstance(at[0], slice) and np.ndim(at[1]) == 0:
            assert at[0] == slice(None)
            k = range(self.shape[1])[at[1]]
            return self._by_score(np.flatnonzero(self.of_class == k))
        return np.asarray(self)[at]

    def head(self, size: int) -> NDArray[Any]:
        """Return the whole array of the first scores."""
        end = np.searchsorted(self.score, size)
        cells = (self.values[:end], self.score[:end], self.of_class[:end])
        return np.asarray(OccupiedScores(*cells, (min(size, len(self)), self.shape[1])))

    @property
    def cells(self) -> tuple[NDArray[Any], ...]:
        """The places of the cells."""
        return self.score, self.of_class

    def __eq__(self, other: object) -> bool:
        """Return whether all counts are equal."""
        if not isinstance(other, OccupiedScores):
            return NotImplemented
        ours, theirs = (
            [of[cells.values != 0] for of in (cells.values, *cells.cells)]
            for cells in (self, other)
        )
        return self.shape == other.shape and all(map(np.array_equal, ours, theirs))

    def __mul__(self, factors: Any) -> OccupiedScores:
        """Return the counts multiplied by factors of the shape (K,), (G, 1) or (G, K)."""
        moved = self.values * np.broadcast_to(factors, self.shape)[self.cells]
        return OccupiedScores(moved, self.score, self.of_class, self.shape)

    def any(self, axis: int | None = None) -> Any:
        """Return whether a count is not 0, of all or along an axis."""
        return bool(self.values.any()) if axis is None else np.asarray(self).any(axis)

    def sum(self, axis: int | None = None) -> Any:
        """Return the sums by class (0), by score (1) or over all cells."""
        if axis is None:
            return self.values.sum()
        return (
            self._by_score() if axis % 2 else np.bincount(self.of_class, self.values, self.shape[1])
        )

    def among(self, place: NDArray[np.intp], k: int) -> OccupiedScores:
        """Return the counts among ``k`` classes, where ``place`` is that of each class now.

        Rows of a class at -1 are left out.
        """
        moved = place[self.of_class]
        order = np.lexsort((moved, self.score))
        order = order[moved[order] >= 0]
        score, of_class = _narrow(self.score[order], moved[order])
        return OccupiedScores(self.values[order], score, of_class, (len(self), k))

    def pairs(
        self, first: int, others: Sequence[int]
    ) -> Iterator[tuple[NDArray[Any], Floats, Floats]]:
        """Yield the places of the scores of a class and each of some others, and their counts."""
        order = np.argsort(self.of_class, kind="stable")
        of_class = np.split(order, np.searchsorted(self.of_class[order], range(1, self.shape[1])))
        for k in others:
            cells = of_class[first], of_class[k]
            places = np.union1d(*(self.score[of] for of in cells))
            counts = np.zeros((2, len(places)))
            for line, of in zip(counts, cells, strict=True):
                line[np.searchsorted(places, self.score[of])] = self.values[of]
            yield places, *counts

    def rest(self, k: int) -> Floats:
        """Return the sums by score (G,) of all classes but one."""
        return self._by_score(np.flatnonzero(self.of_class != k))

    def _by_score(self, cells: Any = slice(None)) -> Floats:
        sums = np.bincount(self.score[cells], self.values[cells], self.shape[0])
        return sums.astype(np.float64, copy=False)

    def grouped(self, starts: NDArray[np.intp]) -> Floats:
        """Return the whole array of the sums over neighbouring scores, from each start on."""
        k, first = self.shape[1], np.searchsorted(self.score, starts[0])
        group = np.searchsorted(starts, self.score[first:], side="right") - 1
        place = group * k + self.of_class[first:]
        sums: Any = np.bincount(place, self.values[first:], len(starts) * k)
        return np.asarray(sums.reshape(-1, k), np.float64)

    def to_dict(self) -> Any:
        """Return plain data for JSON: the whole array."""
        return numbers(np.asarray(self))


def _narrow(*places: NDArray[Any]) -> Any:
    """Return places in the least memory that holds them all."""
    return tuple(p.astype(np.min_scalar_type(int(p.max(initial=0)))) for p in places)


def head(counts: Any, size: int) -> Floats:
    """Return the counts [score, class] of the first scores."""
    return np.asarray(counts.head(size) if isinstance(counts, OccupiedScores) else counts[:size])


def group_sums(counts: Any, starts: NDArray[np.intp]) -> Floats:
    """Return the sums of counts [score, class] over neighbouring scores, from each start on."""
    if isinstance(counts, OccupiedScores):
        return counts.grouped(starts)
    return np.asarray(np.add.reduceat(counts, starts, axis=0))


def _grouped(values: Floats, place: NDArray[np.intp], k: int) -> Floats:
    """Return the sums of the cells (C, draws) of each class: (draws, K)."""
    if values.ndim == 1:
        return np.bincount(place, values, k).astype(np.float64)
    from scipy.sparse import csr_array

    ones = (np.ones(len(place)), (place, np.arange(len(place))))
    sums = csr_array(ones, shape=(k, len(place))) @ values
    return np.asarray(sums).T


def _x_log_x(x: Any) -> Any:
    return x * np.log(np.maximum(x, 1e-300))


def x_log_x(counts: Any) -> Any:
    """Return the sum over the last axis of count · ln(count), 0 for empty cells.

    >>> float(x_log_x(np.array([1.0, 0.0])))
    0.0
    """
    return _x_log_x(counts).sum(-1)
