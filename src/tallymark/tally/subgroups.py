"""Tallies of subgroups: of the rows alike in one or more columns, all subgroups side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark import _kernels
from tallymark.display import Display
from tallymark.errors import InputError, choices
from tallymark.tally.arrays import (
    MOST_SUBGROUPS,
    Coded,
    Codes,
    Floats,
    Label,
    too_many_subgroups,
)
from tallymark.tally.joint import ModelColumn
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreTally
from tallymark.tally.sums import Sums
from tallymark.tally.threads import side_by_side, threads_for

ROW_LOSSES = ("squared", "absolute", "root_squared", "log")
"""Losses of a row by its score p, off by 1 - p or p, in the order of the kernel's codes.

A mean of ``root_squared`` is the root of the mean of squares.
"""

_PARALLEL = 1 << 19
"""Rows of one subgroup from which on it is sorted beside others."""

_ALIKE = 4
"""Where a distinct score stands for more rows than this on average, lines take less room."""


@dataclass(frozen=True, eq=False)
class RaggedScores:
    """Counts ``[subgroup and distinct score, true class]``: score tallies one after the other.

    ``subgroups`` (G,) ascending, and ``scores`` (G,) ascending and distinct within each; ``counts``
    and ``sum_squared_weights`` (G, K) as in ScoreTally.
    """

    subgroups: Codes
    scores: Floats
    counts: Floats
    sum_squared_weights: Floats | None = None

    @classmethod
    def of_rows(
        cls, subgroups: Codes, scores: Floats, true: Codes, weights: Floats | None, classes: int,
        squares: Floats | None = None,
    ) -> RaggedScores:  # fmt: skip
        """Count rows by subgroup, score and true class; ``squares`` are of the weights."""
        order, group = _groups(subgroups, scores)
        cells = group * classes + true[order]
        size = int(group[-1]) + 1 if len(group) else 0

        def table(values: Floats | None) -> Floats:
            result = np.bincount(cells, values, minlength=size * classes)
            return result.reshape(size, classes).astype(np.float64)

        first = order[_firsts(group)]
        squared = None if squares is None else table(squares[order])
        counts = table(None if weights is None else weights[order])
        return cls(subgroups[first], scores[first] + 0.0, counts, squared)

    @classmethod
    def joined(
        cls, parts: Sequence[RaggedScores], renamed: NDArray[np.intp] | None = None
    ) -> RaggedScores:
        """Put parts together, their subgroups renamed first: those of one name become one."""
        if len(parts) == 1 and renamed is None:
            return parts[0]
        subgroups = np.concatenate([p.subgroups for p in parts])
        subgroups = subgroups if renamed is None else renamed[subgroups]
        scores = np.concatenate([p.scores for p in parts])
        order, group = _groups(subgroups, scores)
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
        return cls(subgroups[first], scores[first], counts, squares if weighted else None)

    def lines(self) -> RaggedScores:
        """Return itself: these are lines already."""
        return self

    def one(self, index: int, n: int) -> RaggedScores:
        """Return the lines of one of n subgroups."""
        return self.kept(slice(*self.offsets(n)[index : index + 2]))

    def judged(self, n: int, positive: int, losses: Sequence[str] = ()) -> Judged:
        """Return the ROC area of each of n subgroups and the mean losses asked for.

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
        """Return where each of n subgroups starts, and where the last one ends: shape (n + 1,)."""
        return np.searchsorted(self.subgroups, np.arange(n + 1))

    def kept(self, keep: Any) -> RaggedScores:
        """Return some of the lines."""
        squares = None if self.sum_squared_weights is None else self.sum_squared_weights[keep]
        return RaggedScores(self.subgroups[keep], self.scores[keep], self.counts[keep], squares)

    def without(self, index: int) -> RaggedScores:
        """Return the lines of all subgroups but one as one, those of one score added up."""
        everything = self._by_score
        left = everything.kept(everything.subgroups != index)
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
        """Return counts [subgroup, true, predicted] of two classes at a threshold, and squares."""
        predicted = np.where(self.scores >= threshold, positive, 1 - positive)
        cells = self.subgroups * 2 + predicted

        def table(values: Floats) -> Floats:
            each = [np.bincount(cells, v, minlength=2 * n).reshape(n, 2) for v in values.T]
            return np.stack(each, 1)

        return table(self.counts), None if self.sum_squared_weights is None else table(
            self.sum_squared_weights
        )


@dataclass(frozen=True, eq=False)
class RaggedKeys:
    """Scores of rows of two classes, all of weight 1, as integers sorted within each subgroup.

    ``keys`` (n,) hold a score each and the code of the row's true class in the lowest bit, as in
    :mod:`tallymark.tally.scores`; those of subgroup s below zero are
    ``keys[starts[2 * s]:starts[2 * s + 1]]``, the others those up to ``starts[2 * s + 2]``. A row
    takes 8 bytes, a line of
    :class:`RaggedScores` 32.

    >>> made = RaggedKeys.of_rows(np.array([1, 0, 1]), np.array([0.5, 0.1, -2.0]),
    ...                             np.array([1, 0, 0], np.int8), 2)
    >>> made.lines().scores.tolist(), made.lines().counts.tolist()
    ([0.1, -2.0, 0.5], [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    """

    keys: NDArray[np.uint64]
    starts: NDArray[np.int64]

    @classmethod
    def of_rows(
        cls, subgroups: Codes, scores: Floats, true: NDArray[np.int8], n: int
    ) -> RaggedKeys:
        """Sort rows by subgroup, of n, and score."""
        keys, starts = np.empty(len(scores), np.uint64), np.empty(2 * n + 1, np.int64)
        _kernels.subgroup_rows(
            subgroups.astype(np.int64, copy=False), np.ascontiguousarray(true), scores, keys, starts
        )
        _sort_between(keys, starts)
        return cls(keys, starts)

    @classmethod
    def joined(
        cls, parts: Sequence[RaggedKeys], renamed: Sequence[NDArray[np.intp]], n: int
    ) -> RaggedKeys:
        """Put parts together as n subgroups; ``renamed`` says which one each becomes."""
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
        _kernels.subgroup_groups(self.keys, self.starts, groups)
        return np.append(0, np.cumsum(groups))

    @property
    def repetitive(self) -> bool:
        """Whether so few scores are distinct that lines take less room."""
        return _ALIKE * int(self._ends[-1]) < len(self.keys)

    @cached_property
    def _lines(self) -> RaggedScores:
        ends = self._ends
        scores, counts = np.empty(int(ends[-1])), np.empty((int(ends[-1]), 2))
        _kernels.subgroup_lines(self.keys, self.starts, ends, scores, counts)
        return RaggedScores(np.repeat(np.arange(len(self)), np.diff(ends)), scores, counts)

    def lines(self) -> RaggedScores:
        """Return the same as counted lines."""
        return self._lines

    def one(self, index: int, n: int) -> RaggedScores:
        """Return the lines of one of n subgroups."""
        part = self.starts[2 * index : 2 * index + 3]
        alone = RaggedKeys(self.keys[part[0] : part[2]], part - part[0])
        return alone.lines()

    def without(self, index: int) -> RaggedScores:
        """Return the lines of all subgroups but one as one, those of one score added up."""
        return self.lines().without(index)

    def at(self, threshold: float, positive: int, n: int) -> tuple[Floats, None]:
        """Return counts [subgroup, true, predicted] of two classes at a threshold."""
        table = np.empty((n, 4))
        _kernels.subgroup_cut(self.keys, self.starts, float(threshold), table)
        called = table.reshape(n, 2, 2)  # in the last axis: below the threshold, at or above it
        return (called if positive else np.ascontiguousarray(called[:, :, ::-1])), None

    def judged(self, n: int, positive: int, losses: Sequence[str] = ()) -> Judged:
        """Return the ROC area of each subgroup and the mean losses asked for, as for lines."""
        out = np.empty((n, _WIDTH + _OF_LOSS * len(losses)))
        _kernels.judge_keys(self.keys, self.starts, bool(positive), _codes_of(losses), out)
        return Judged.of(out, losses)


Stack = RaggedScores | RaggedKeys


def stack_rows(
    subgroups: Codes, scores: Floats, true: NDArray[Any], weights: Floats | None, classes: int,
    n: int, squares: Floats | None = None,
) -> Stack:  # fmt: skip
    """Stack rows in the way that takes least room."""
    if classes == 2 and weights is None:
        made = RaggedKeys.of_rows(subgroups, scores, true.astype(np.int8, copy=False), n)
        return made.lines() if made.repetitive else made
    return RaggedScores.of_rows(subgroups, scores, true.astype(np.intp), weights, classes, squares)


def joined(parts: Sequence[Stack], renamed: NDArray[np.intp] | None, n: int) -> Stack:
    """Put stacks together as n subgroups, renamed first where ``renamed`` says how."""
    if len(parts) == 1 and renamed is None:
        return parts[0]
    keyed = [p for p in parts if isinstance(p, RaggedKeys)]
    if len(keyed) == len(parts):
        names = np.arange(n) if renamed is None else renamed
        return RaggedKeys.joined(keyed, [names] * len(keyed), n)
    return RaggedScores.joined([p.lines() for p in parts], renamed)


@dataclass(frozen=True, eq=False)
class MeanLoss:
    """A mean loss of each subgroup (S,), its jackknife error and that error's degrees of freedom.

    ``sums`` (S, 3) are of w l, w² l and w² l² over rows of weight w and loss l (the squared one of
    a root of a mean).
    """

    value: Floats
    error: Floats
    freedom: Floats
    sums: Floats


@dataclass(frozen=True, eq=False)
class Judged:
    """What the scores of each subgroup (S,) say.

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
        result = {}
        for i, name in enumerate(losses):
            mine = columns[_WIDTH + _OF_LOSS * i : _WIDTH + _OF_LOSS * (i + 1)]
            result[name] = MeanLoss(mine[0], mine[1], mine[2], mine[3:].T)
        p, n, p2, n2, area, variance = columns[:_WIDTH]
        return cls(p, n, p2, n2, area, variance, result)


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


def _groups(subgroups: Codes, scores: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows in the order of subgroup and score, and each one's group in that order."""
    order = np.empty(len(subgroups), dtype=np.int64)
    size = int(subgroups.max(initial=-1)) + 1
    _kernels.subgroup_order(
        np.ascontiguousarray(subgroups, dtype=np.int64), np.ascontiguousarray(scores), size, order
    )
    a, b = subgroups[order], scores[order]
    other = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    group = np.concatenate([np.zeros(min(1, len(a)), dtype=np.intp), np.cumsum(other)])
    return order.astype(np.intp, copy=False), group.astype(np.intp)


def _firsts(group: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the place of the first of each group."""
    return np.flatnonzero(np.diff(group, prepend=-1))


MOST_CELLS = 100_000_000
"""Cells of the matrices of all parts at most."""

Key = tuple[Label | None, ...]
"""The value of each column; None where it is missing."""


@dataclass(frozen=True, eq=False, repr=False)
class SubgroupModel(Display):
    """What is counted of one model in every subgroup.

    ``counts`` and ``sum_squared_weights`` [subgroup, true, predicted] are None where scores decide
    by a threshold; ``scores`` holds one stack for two classes, one a class for more, ``sums``
    one a subgroup.
    """

    name: str
    counts: Floats | None
    sum_squared_weights: Floats | None = None
    scores: tuple[Stack, ...] = ()
    sums: tuple[Sums, ...] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class SubgroupCounts(Display):
    """The tallies of every subgroup that occurs: rows alike in all ``columns``.

    ``keys`` are the values of the columns, in their order with missing ones last; ``rows`` how many
    rows each subgroup has.
    """

    columns: tuple[str, ...]
    keys: tuple[Key, ...]
    rows: NDArray[np.intp]
    classes: tuple[Label, ...]
    models: tuple[SubgroupModel, ...]

    def __len__(self) -> int:
        return len(self.keys)

    def by(self, columns: Sequence[str]) -> SubgroupCounts:
        """Return the subgroups by some of the columns, added up over the others.

        Raises
        ------
        InputError
            No column, one that the rows were not counted by, one named twice.

        """
        wanted = tuple(columns)
        if not wanted:
            raise InputError(f"name the subgroup columns; {choices('', self.columns)}")
        for name in wanted:
            if name not in self.columns:
                raise InputError(
                    f"the rows were not counted by {name!r}; {choices(str(name), self.columns)}"
                )
        if len(set(wanted)) < len(wanted):
            raise InputError(f"a column is named twice among {list(wanted)}; name each once")
        if wanted == self.columns:
            return self
        at = [self.columns.index(c) for c in wanted]
        short = [tuple(key[i] for i in at) for key in self.keys]
        keys = _sorted(set(short))
        if keys == list(self.keys):
            return self
        place = {key: i for i, key in enumerate(keys)}
        renamed = np.array([place[key] for key in short], dtype=np.intp)
        return self._renamed(wanted, keys, renamed)

    def _renamed(
        self, columns: tuple[str, ...], keys: Sequence[Key], renamed: NDArray[np.intp]
    ) -> SubgroupCounts:
        n = len(keys)

        def added(values: Any) -> Any:
            if values is None:
                return None
            out = np.zeros((n, *values.shape[1:]), dtype=values.dtype)
            np.add.at(out, renamed, values)
            return out

        models = []
        for m in self.models:
            scores = tuple(joined([s], renamed, n) for s in m.scores)
            sums: list[Any] = [None] * n
            for i, one in zip(renamed, m.sums or (), strict=False):
                sums[i] = one if sums[i] is None else sums[i] + one
            models.append(
                SubgroupModel(
                    m.name, added(m.counts), added(m.sum_squared_weights), scores,
                    None if m.sums is None else tuple(sums),
                )
            )  # fmt: skip
        return SubgroupCounts(columns, tuple(keys), added(self.rows), self.classes, tuple(models))

    def model(self, name: str) -> SubgroupModel:
        """Return what was counted of one model."""
        return next(m for m in self.models if m.name == name)

    def matrices(
        self, name: str, threshold: float | None, positive: Label | None
    ) -> tuple[Floats, Floats | None]:
        """Return a model's counts [subgroup, true, predicted], and their squares or None.

        Its decisions as given where ``threshold`` is None, else its scores cut there.
        """
        m = self.model(name)
        if threshold is None:
            assert m.counts is not None
            return m.counts, m.sum_squared_weights
        assert positive is not None
        return m.scores[0].at(threshold, self.classes.index(positive), len(self))

    def score_tallies(
        self, name: str, positives: Sequence[Label], index: int
    ) -> tuple[ScoreTally, ...]:
        """Return a model's score tallies of one subgroup, one a class named."""
        return tuple(
            self._tally(s.one(index, len(self)), label, index)
            for s, label in zip(self.model(name).scores, positives, strict=True)
        )

    def rest_tallies(
        self, name: str, positives: Sequence[Label], index: int
    ) -> tuple[ScoreTally, ...]:
        """Return a model's score tallies of all rows but those of one subgroup."""
        out = []
        for s, label in zip(self.model(name).scores, positives, strict=True):
            rows = int(self.rows.sum() - self.rows[index])
            out.append(self._tally(s.without(index), label, None, rows))
        return tuple(out)

    def _tally(self, s: RaggedScores, label: Label, index: int | None, rows: int = 0) -> ScoreTally:
        rows = rows if index is None else int(self.rows[index])
        return ScoreTally(self.classes, label, s.scores, s.counts, s.sum_squared_weights, rows)

    def label_tally(
        self, matrices: tuple[Floats, Floats | None], index: int, *, rest: bool = False
    ) -> LabelTally:
        """Return the decisions of one subgroup of :meth:`matrices`, or of all rows but its own."""
        others = np.arange(len(self)) != index

        def taken(values: Any) -> Any:
            if values is None:
                return None
            return values[others].sum(0) if rest else values[index]

        counts, squares = (taken(m) for m in matrices)
        return LabelTally(self.classes, counts, squares, int(taken(self.rows)))


def rest_sums(counts: Floats) -> Floats:
    """Return the sums over all subgroups but each, [S, ...], without loss of digits.

    >>> rest_sums(np.array([1.0, 2.0, 4.0])).tolist()
    [6.0, 5.0, 3.0]
    """
    if (np.trunc(counts) == counts).all():
        return np.asarray(counts.sum(0) - counts)
    # Those before and those after, so that nothing large is taken away from a sum that held it.
    before, after = np.zeros(counts.shape), np.zeros(counts.shape)
    np.cumsum(counts[:-1], axis=0, out=before[1:])
    after[:-1] = np.cumsum(counts[:0:-1], axis=0)[::-1]
    return before + after


def _sorted(keys: Iterable[Key]) -> list[Key]:
    """Sort keys by their values, missing ones last."""
    return sorted(keys, key=lambda key: tuple((v is None, 0 if v is None else v) for v in key))


@dataclass(slots=True)
class SubgroupCounter:
    """Counts rows into subgroups, chunk by chunk; :meth:`done` gives what was counted.

    >>> s = SubgroupCounter(("region",), ("no", "yes"))
    >>> s.add([Coded(np.array([0, 1, 0]), ("north", "south"))], np.array([0, 1, 1]),
    ...       [ModelColumn("m", np.array([0, 1, 0]))], None)
    >>> s.done().keys, s.done().models[0].counts[0].tolist()
    ((('north',), ('south',)), [[1.0, 0.0], [1.0, 0.0]])
    """

    columns: tuple[str, ...]
    classes: tuple[Label, ...]
    places: dict[Key, int] = field(default_factory=dict)
    rows: Any = None
    labels: dict[str, list[Any]] = field(default_factory=dict)
    scores: dict[str, list[list[Stack]]] = field(default_factory=dict)
    sums: dict[str, dict[int, Sums]] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    def add(
        self,
        levels: Sequence[Coded],
        true: NDArray[Any],
        sides: Sequence[ModelColumn],
        weights: Floats | None = None,
        squares: Floats | None = None,
        rows: NDArray[Any] | None = None,
    ) -> None:
        """Count some rows: the values of the columns, codes of the true class, and each model.

        Of lines that stand for ``rows`` each, ``weights`` and ``squares`` are the sums of their
        weights and of the squares; without ``squares`` every row weighs 1.
        """
        subgroups = self._subgroups(levels)
        n, k = len(self.places), len(self.classes)
        self.names = tuple(dict.fromkeys([*self.names, *(s.name for s in sides)]))
        self.rows = _grown(self.rows, np.bincount(subgroups, rows, minlength=n).astype(np.intp))
        if n * k * k > MOST_CELLS:
            raise InputError(
                f"{n:,} subgroups of {k:,} classes are too many to count; give fewer columns"
            )
        for side in sides:
            if side.decided is not None:
                cells = (subgroups * k + true.astype(np.intp)) * k + side.decided
                result = self.labels.setdefault(side.name, [None, None])
                for i, w in enumerate((weights, squares)[: 1 if squares is None else 2]):
                    table = np.bincount(cells, w, minlength=n * k * k).astype(np.float64)
                    result[i] = _grown(result[i], table.reshape(n, k, k))
            parts = self.scores.setdefault(side.name, [])
            parts += [[] for _ in side.scores[len(parts) :]]
            for part, scores in zip(parts, side.scores, strict=bool(side.scores)):
                part.append(stack_rows(subgroups, scores, true, weights, k, n, squares))
            if len(side.scores) > 1:
                second = weights if squares is None else squares
                self._sums(side, subgroups, true.astype(np.intp), weights, second, rows)

    def _sums(
        self, side: ModelColumn, subgroups: Codes, true: Codes, *of_rows: NDArray[Any] | None
    ) -> None:
        order = np.argsort(subgroups, kind="stable")
        matrix, true = np.stack(side.scores, 1)[order], true[order]
        w, w2, rows = (None if v is None else v[order] for v in of_rows)
        present, starts = np.unique(subgroups[order], return_index=True)
        result = self.sums.setdefault(side.name, {})
        for s, a, b in zip(present, starts, [*starts[1:], len(order)], strict=True):
            here = slice(a, b)
            weight, squared = (None if v is None else v[here] for v in (w, w2))
            several = None if rows is None else int(rows[here].sum())
            made = Sums.of_rows(true[here], matrix[here], weight, squared, several)
            result[s] = result[s] + made if s in result else made

    def _subgroups(self, levels: Sequence[Coded]) -> Codes:
        """Return the subgroup of each row, new ones numbered on."""
        codes: Codes | None = None
        keys: list[Key] = [()]
        for column in levels:
            here, size = column.codes, len(column.labels)
            values = (*column.labels, None)
            if len(here) and here.min() < 0:
                here, size = np.where(here < 0, size, here), size + 1
            codes = here if codes is None else codes * size + here
            codes, present = _without_gaps(codes, len(keys) * size)
            self._refuse(len(present))
            keys = [(*keys[i // size], values[i % size]) for i in present.tolist()]
        assert codes is not None
        for key in keys:
            self.places.setdefault(key, len(self.places))
        self._refuse(len(self.places))
        places = np.array([self.places[key] for key in keys], dtype=np.intp)
        return codes if (places == np.arange(len(places))).all() else places[codes]

    def _refuse(self, n: int) -> None:
        if n > MOST_SUBGROUPS:
            raise too_many_subgroups(self.columns, n)

    def done(self) -> SubgroupCounts:
        """Return what was counted."""
        n = len(self.places)
        models = []
        for name in self.names:
            counts, squares = (_grown(v, None, n) for v in self.labels.get(name, (None, None)))
            scores = tuple(joined(p, None, n) for p in self.scores[name])
            sums = self.sums.get(name)
            held = None if sums is None else tuple(sums[i] for i in range(n))
            models.append(SubgroupModel(name, counts, squares, scores, held))
        rows = _grown(self.rows, None, n)
        keys = _sorted(self.places)
        made = SubgroupCounts(self.columns, tuple(self.places), rows, self.classes, tuple(models))
        place = {key: i for i, key in enumerate(keys)}
        renamed = np.array([place[key] for key in self.places], dtype=np.intp)
        if keys == list(self.places):
            return made
        return made._renamed(self.columns, keys, renamed)


def _without_gaps(codes: Codes, most: int) -> tuple[Codes, NDArray[np.intp]]:
    """Return codes below ``most`` numbered anew from 0 up without gaps, and which there were."""
    if most > max(4 * len(codes), 1 << 16):
        present, renamed = np.unique(codes, return_inverse=True)
        return renamed, present
    present = np.flatnonzero(np.bincount(codes, minlength=most))
    if len(present) == most:
        return codes, present
    anew = np.zeros(most, dtype=np.intp)
    anew[present] = np.arange(len(present))
    return anew[codes], present


def _grown(old: Any, new: Any, n: int | None = None) -> Any:
    """Add two arrays of which the longer has more subgroups; or make one as long as n."""
    if old is None:
        return new
    size = n if new is None else len(new)
    out = np.zeros((size, *old.shape[1:]), dtype=old.dtype)
    out[: len(old)] = old
    return out if new is None else out + new
