"""Replicates of a matrix of many classes, by the cells that are not empty."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.tally.arrays import Floats

_DENSE_AT_ONCE = 1 << 21


class OccupiedCells:
    """Counts [draw, true, predicted] of many classes, of which most cells are empty.

    ``values[cell, draw]`` are the counts of the cells at ``true[cell]`` and ``predicted[cell]``;
    all other cells are 0. It has the members of an array that metrics of margins use, and the sums
    over cells that the others need.

    >>> cells = OccupiedCells(np.array([[3.0], [1.0], [2.0]]), np.array([0, 0, 2]),
    ...     np.array([0, 2, 2]), 3)
    >>> cells.shape, cells.sum(-1).tolist(), cells.sum(-2).tolist(), cells.trace().tolist()
    ((1, 3, 3), [[4.0, 0.0, 2.0]], [[3.0, 0.0, 3.0]], [5.0])
    """

    ndim = 3

    def __init__(
        self, values: Floats, true: NDArray[np.intp], predicted: NDArray[np.intp], k: int
    ) -> None:
        self.values, self.true, self.predicted, self.k = values, true, predicted, k

    def __len__(self) -> int:
        return int(self.values.shape[1])

    @property
    def shape(self) -> tuple[int, int, int]:
        """Draws, classes and classes."""
        return self.values.shape[1], self.k, self.k

    def sum(self, axis: int | tuple[int, int]) -> Floats:
        """Return the sums by true class (-1), by predicted class (-2) or over all cells."""
        if axis == (-2, -1):
            return self._total
        return self._by_true if axis == -1 else self._by_predicted

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
        hits = np.zeros((self.k, self.values.shape[1]))
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
        largest = np.full((self.k, self.values.shape[1]), float(initial))
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
            part = self.values[:, start : start + some]
            full = np.zeros((part.shape[1], self.k, self.k))
            full[:, self.true, self.predicted] = part.T
            yield full


def _grouped(values: Floats, place: NDArray[np.intp], k: int) -> Floats:
    """Return the sums of the cells (C, draws) of each class: (draws, K)."""
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
