"""Scores of many subgroups, one after the other: counted lines, or sorted integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark import _kernels
from tallymark.tally.arrays import Codes, Floats
from tallymark.tally.threads import side_by_side, threads_for

ROW_LOSSES = ("squared", "absolute", "root_squared", "log")
"""Losses of a row by its score p, off by 1 - p or p, in the order of the kernel's codes.

A mean of ``root_squared`` is the root of the mean of squares.
"""

_PARALLEL = 1 << 19
"""Rows of one slice from which on it is sorted beside others."""

_ALIKE = 4
"""Where a distinct score stands for more rows than this on average, lines take less room."""


@dataclass(frozen=True, eq=False)
class RaggedScores:
    """Counts ``[subgroup and distinct score, true class]``: score tallies one after the other.

    ``slices`` (G,) ascending, and ``scores`` (G,) ascending and distinct within each; ``counts``
    and ``sum_squared_weights`` (G, K) as in ScoreTally.
    """

    slices: Codes
    scores: Floats
    counts: Floats
    sum_squared_weights: Floats | None = None

    @classmethod
    def of_rows(
        cls, slices: Codes, scores: Floats, true: Codes, weights: Floats | None, classes: int
    ) -> RaggedScores:
        """Count rows by slice, score and true class."""
        order, group = _groups(slices, scores)
        cells = group * classes + true[order]
        size = int(group[-1]) + 1 if len(group) else 0

        def table(values: Floats | None) -> Floats:
            found = np.bincount(cells, values, minlength=size * classes)
            return found.reshape(size, classes).astype(np.float64)

        first = order[_firsts(group)]
        w = None if weights is None else weights[order]
        squares = None if w is None else table(w**2)
        return cls(slices[first], scores[first] + 0.0, table(w), squares)

    @classmethod
    def joined(
        cls, parts: Sequence[RaggedScores], renamed: NDArray[np.intp] | None = None
    ) -> RaggedScores:
        """Put parts together, their slices renamed first: those of one name become one."""
        if len(parts) == 1 and renamed is None:
            return parts[0]
        slices = np.concatenate([p.slices for p in parts])
        slices = slices if renamed is None else renamed[slices]
        scores = np.concatenate([p.scores for p in parts])
        order, group = _groups(slices, scores)
        starts = _firsts(group)

        def added(tables: list[Floats]) -> Floats:
            rows = np.concatenate(tables)[order]
            return np.add.reduceat(rows, starts, axis=0) if len(rows) else rows

        weighted = any(p.sum_squared_weights is not None for p in parts)
        squares = added(
            [p.counts if p.sum_squared_weights is None else p.sum_squared_weights for p in parts]
        )
        first = order[starts]
        counts = added([p.counts for p in parts])
        return cls(slices[first], scores[first], counts, squares if weighted else None)

    def lines(self) -> RaggedScores:
        """Return itself: these are lines already."""
        return self

    def one(self, index: int, n: int) -> RaggedScores:
        """Return the lines of one of n slices."""
        return self.kept(slice(*self.offsets(n)[index : index + 2]))

    def judged(self, n: int, positive: int, losses: Sequence[str] = ()) -> Judged:
        """Return the ROC area of each of n slices and the mean losses asked for.

        ``positive`` is the code of the class whose score it is, of two.

        >>> made = RaggedScores(np.zeros(2, np.intp), np.array([0.2, 0.8]), np.eye(2))
        >>> found = made.judged(1, 1, ["squared"])
        >>> found.area.tolist(), found.losses["squared"].value.round(6).tolist()
        ([1.0], [0.04])
        """
        out = np.empty((n, _WIDTH + _OF_LOSS * len(losses)))
        squares = self.counts if self.sum_squared_weights is None else self.sum_squared_weights
        scores, counts, second = map(np.ascontiguousarray, (self.scores, self.counts, squares))
        ends = self.offsets(n).astype(np.int64)
        _kernels.judge_counts(scores, counts, second, ends, bool(positive), _codes_of(losses), out)
        return Judged.of(out, losses)

    def offsets(self, n: int) -> NDArray[np.intp]:
        """Return where each of n slices starts, and where the last one ends: shape (n + 1,)."""
        return np.searchsorted(self.slices, np.arange(n + 1))

    def kept(self, keep: Any) -> RaggedScores:
        """Return some of the lines."""
        squares = None if self.sum_squared_weights is None else self.sum_squared_weights[keep]
        return RaggedScores(self.slices[keep], self.scores[keep], self.counts[keep], squares)

    def without(self, index: int) -> RaggedScores:
        """Return the lines of all slices but one as one slice, those of one score added up."""
        everything = self._by_score
        left = everything.kept(everything.slices != index)
        starts = np.flatnonzero(np.diff(left.scores, prepend=np.nan) != 0)

        def added(values: Any) -> Any:
            if values is None or not len(values):
                return values
            return np.add.reduceat(values, starts, axis=0)

        none = np.zeros(len(starts), dtype=np.intp)
        return RaggedScores(
            none, left.scores[starts], added(left.counts), added(left.sum_squared_weights)
        )

    @cached_property
    def _by_score(self) -> RaggedScores:
        return self.kept(np.argsort(self.scores, kind="stable"))

    def at(self, threshold: float, positive: int, n: int) -> tuple[Floats, Floats | None]:
        """Return counts [slice, true, predicted] of two classes at a threshold, and squares."""
        predicted = np.where(self.scores >= threshold, positive, 1 - positive)
        cells = self.slices * 2 + predicted

        def table(values: Floats) -> Floats:
            each = [np.bincount(cells, v, minlength=2 * n).reshape(n, 2) for v in values.T]
            return np.stack(each, 1)

        return table(self.counts), None if self.sum_squared_weights is None else table(
            self.sum_squared_weights
        )


@dataclass(frozen=True, eq=False)
class RaggedKeys:
    """Scores of rows of two classes, all of weight 1, as integers sorted within each slice.

    ``keys`` (n,) hold a score each and the code of the row's true class in the lowest bit, as in
    :mod:`tallymark.tally.keys`; those of slice s below zero are ``keys[starts[2 * s]:starts[2 * s
    + 1]]``, the others those up to ``starts[2 * s + 2]``. A row takes 8 bytes, a line of
    :class:`RaggedScores` 32.

    >>> made = RaggedKeys.of_rows(np.array([1, 0, 1]), np.array([0.5, 0.1, -2.0]),
    ...                             np.array([1, 0, 0], np.int8), 2)
    >>> made.lines().scores.tolist(), made.lines().counts.tolist()
    ([0.1, -2.0, 0.5], [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    """

    keys: NDArray[np.uint64]
    starts: NDArray[np.int64]

    @classmethod
    def of_rows(cls, slices: Codes, scores: Floats, true: NDArray[np.int8], n: int) -> RaggedKeys:
        """Sort rows by slice, of n, and score."""
        keys, starts = np.empty(len(scores), np.uint64), np.empty(2 * n + 1, np.int64)
        _kernels.slice_rows(
            slices.astype(np.int64, copy=False), np.ascontiguousarray(true), scores, keys, starts
        )
        _sort_between(keys, starts)
        return cls(keys, starts)

    @classmethod
    def joined(
        cls, parts: Sequence[RaggedKeys], renamed: Sequence[NDArray[np.intp]], n: int
    ) -> RaggedKeys:
        """Put parts together as n slices: ``renamed`` says which one each of a part's becomes."""
        sizes = np.zeros(2 * n + 1, np.int64)
        places: list[NDArray[np.intp]] = []
        for part, names in zip(parts, renamed, strict=True):
            halves = 2 * names[: len(part)]
            places.append(np.stack([halves, halves + 1], 1).ravel())
            np.add.at(sizes[1:], places[-1], np.diff(part.starts))
        starts = np.cumsum(sizes)
        keys, to = np.empty(int(starts[-1]), np.uint64), starts[:-1].copy()
        for part, at in zip(parts, places, strict=True):
            ends = part.starts.tolist()
            for a, b, place in zip(ends[:-1], ends[1:], at.tolist(), strict=True):
                if a < b:
                    keys[to[place] : to[place] + b - a] = part.keys[a:b]
                    to[place] += b - a
        _sort_between(keys, starts)
        return cls(keys, starts)

    def __len__(self) -> int:
        return len(self.starts) // 2

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        groups = np.empty(len(self), np.int64)
        _kernels.slice_groups(self.keys, self.starts, groups)
        return np.append(0, np.cumsum(groups))

    @property
    def repetitive(self) -> bool:
        """Whether so few scores are distinct that lines take less room."""
        return _ALIKE * int(self._ends[-1]) < len(self.keys)

    @cached_property
    def _lines(self) -> RaggedScores:
        ends = self._ends
        scores, counts = np.empty(int(ends[-1])), np.empty((int(ends[-1]), 2))
        _kernels.slice_lines(self.keys, self.starts, ends, scores, counts)
        return RaggedScores(np.repeat(np.arange(len(self)), np.diff(ends)), scores, counts)

    def lines(self) -> RaggedScores:
        """Return the same as counted lines."""
        return self._lines

    def one(self, index: int, n: int) -> RaggedScores:
        """Return the lines of one of n slices."""
        part = self.starts[2 * index : 2 * index + 3]
        alone = RaggedKeys(self.keys[part[0] : part[2]], part - part[0])
        return alone.lines()

    def without(self, index: int) -> RaggedScores:
        """Return the lines of all slices but one as one slice, those of one score added up."""
        return self.lines().without(index)

    def at(self, threshold: float, positive: int, n: int) -> tuple[Floats, None]:
        """Return counts [slice, true, predicted] of two classes at a threshold."""
        table = np.empty((n, 4))
        _kernels.slice_cut(self.keys, self.starts, float(threshold), table)
        called = table.reshape(n, 2, 2)  # in the last axis: below the threshold, at or above it
        return (called if positive else np.ascontiguousarray(called[:, :, ::-1])), None

    def judged(self, n: int, positive: int, losses: Sequence[str] = ()) -> Judged:
        """Return the ROC area of each slice and the mean losses asked for, as for lines."""
        out = np.empty((n, _WIDTH + _OF_LOSS * len(losses)))
        _kernels.judge_keys(self.keys, self.starts, bool(positive), _codes_of(losses), out)
        return Judged.of(out, losses)


Stack = RaggedScores | RaggedKeys


def stack_rows(
    slices: Codes, scores: Floats, true: NDArray[Any], weights: Floats | None, classes: int, n: int
) -> Stack:
    """Stack rows in the way that takes least room."""
    if classes == 2 and weights is None:
        made = RaggedKeys.of_rows(slices, scores, true.astype(np.int8, copy=False), n)
        return made.lines() if made.repetitive else made
    return RaggedScores.of_rows(slices, scores, true.astype(np.intp), weights, classes)


def joined(parts: Sequence[Stack], renamed: NDArray[np.intp] | None, n: int) -> Stack:
    """Put stacks together, their slices renamed first where ``renamed`` says how, as n slices."""
    if len(parts) == 1 and renamed is None:
        return parts[0]
    keyed = [p for p in parts if isinstance(p, RaggedKeys)]
    if len(keyed) == len(parts):
        names = np.arange(n) if renamed is None else renamed
        return RaggedKeys.joined(keyed, [names] * len(keyed), n)
    return RaggedScores.joined([p.lines() for p in parts], renamed)


@dataclass(frozen=True, eq=False)
class MeanLoss:
    """A mean loss of each slice (S,), its jackknife error and that error's degrees of freedom.

    ``sums`` (S, 3) are of w l, w² l and w² l² over rows of weight w and loss l (the squared one of
    a root of a mean).
    """

    value: Floats
    error: Floats
    freedom: Floats
    sums: Floats


@dataclass(frozen=True, eq=False)
class Judged:
    """What the scores of each slice (S,) say.

    Sums of the weights of ``positives`` and ``negatives`` and of their squares, the ROC ``area``
    and DeLong's ``variance`` of it, and ``losses`` by name. NaN where there is none.
    """

    positives: Floats
    negatives: Floats
    positives2: Floats
    negatives2: Floats
    area: Floats
    variance: Floats
    losses: dict[str, MeanLoss]

    @classmethod
    def of(cls, table: Floats, losses: Sequence[str]) -> Judged:
        """Take the columns that the kernel wrote."""
        columns = np.ascontiguousarray(table.T)
        found = {}
        for i, name in enumerate(losses):
            mine = columns[_WIDTH + _OF_LOSS * i : _WIDTH + _OF_LOSS * (i + 1)]
            found[name] = MeanLoss(mine[0], mine[1], mine[2], mine[3:].T)
        p, n, p2, n2, area, variance = columns[:_WIDTH]
        return cls(p, n, p2, n2, area, variance, found)


_WIDTH, _OF_LOSS = 6, 6


def _codes_of(losses: Sequence[str]) -> NDArray[np.int64]:
    return np.array([ROW_LOSSES.index(name) for name in losses], dtype=np.int64)


def _sort_between(keys: NDArray[np.uint64], starts: NDArray[np.int64]) -> None:
    """Sort the keys between every two starts, on two cores where there are many."""
    ends = starts.tolist()
    parts = [keys[a:b] for a, b in pairwise(ends) if b - a > 1]
    if len(keys) < _PARALLEL:
        for part in parts:
            part.sort()
        return
    # The longest first, and short ones many at a time: else handing them out takes longest.
    parts.sort(key=len, reverse=True)
    long = sum(len(p) >= _PARALLEL // 8 for p in parts)

    def sort(job: int) -> None:
        for part in jobs[job]:
            part.sort()

    each = max(1, (len(parts) - long) // 16)
    jobs = [parts[i : i + 1] for i in range(long)]
    jobs += [parts[i : i + each] for i in range(long, len(parts), each)]
    side_by_side(sort, len(jobs), threads_for(len(keys)))


def _groups(slices: Codes, scores: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows in the order of slice and score, and each one's group in that order."""
    order = np.empty(len(slices), dtype=np.int64)
    size = int(slices.max(initial=-1)) + 1
    _kernels.slice_order(
        np.ascontiguousarray(slices, dtype=np.int64), np.ascontiguousarray(scores), size, order
    )
    a, b = slices[order], scores[order]
    other = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    group = np.concatenate([np.zeros(min(1, len(a)), dtype=np.intp), np.cumsum(other)])
    return order.astype(np.intp, copy=False), group.astype(np.intp)


def _firsts(group: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the place of the first of each group."""
    return np.flatnonzero(np.diff(group, prepend=-1))
