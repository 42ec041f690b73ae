"""Tallies by subgroup: rows with equal values in one or more columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

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
    tables,
    tabulate,
    too_many_subgroups,
    without_gaps,
)
from tallymark.tally.io import Saved, alike, array, part, weights_agree
from tallymark.tally.joint import ModelColumn
from tallymark.tally.scores import ScoreTally
from tallymark.tally.sums import Sums
from tallymark.tally.threads import side_by_side, threads_for

ROW_LOSSES = ("squared", "absolute", "root_squared", "log")
"""Losses of a row by its score p, off by 1 - p or p, in the order of the kernel's codes.

A mean of ``root_squared`` is the root of the mean of squares.
"""

_ALIKE = 4
"""With more rows per distinct score than this on average, grouped counts use less memory."""


@dataclass(frozen=True, eq=False)
class RaggedScores(Saved):
    """Counts ``[subgroup and distinct score, true class]``: one score tally after the other.

    ``subgroups`` (G,) ascend; ``scores`` (G,) are ascending and distinct within each subgroup;
    ``counts`` and ``sum_squared_weights`` (G, K) are as in ScoreTally.
    """

    _part: ClassVar[str] = "subgroups"
    subgroups: Codes = field(metadata=array("subgroups", np.intp, ("lines",)))
    scores: Floats = field(metadata=array("scores", axes=("lines",), signed=True))
    counts: Floats = field(metadata=array("counts", axes=("lines", "classes")))
    sum_squared_weights: Floats | None = field(
        default=None, metadata=array("sum_squared_weights", axes=("lines", "classes"))
    )

    def _facts(self) -> Iterator[tuple[str, bool]]:
        """Yield whether lines are sorted, and whether their weights are possible."""
        further, higher = np.diff(self.subgroups), np.diff(self.scores)
        yield "scores", bool(((further > 0) | ((further == 0) & (higher > 0))).all())
        yield "counts", weights_agree(None, self.counts, self.sum_squared_weights)

    @classmethod
    def of_rows(
        cls,
        subgroups: Codes,
        scores: Floats,
        true: Codes,
        weights: Floats | None,
        classes: int,
        squares: Floats | None = None,
    ) -> RaggedScores:
        """Return rows counted by subgroup, score and true class; ``squares`` are of the weights."""
        order, starts = _groups(subgroups, scores)
        first = order[starts]
        group = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))
        w, w2 = (None if v is None else v[order] for v in (weights, squares))
        sums = tables((len(starts), classes), (group, true[order]), w, w2)
        return cls(subgroups[first], scores[first] + 0.0, *sums)

    @classmethod
    def joined(
        cls, parts: Sequence[RaggedScores], renamed: Sequence[NDArray[np.intp]]
    ) -> RaggedScores:
        """Return several parts as one; ``renamed`` maps the subgroups of each part."""
        subgroups = np.concatenate([r[p.subgroups] for p, r in zip(parts, renamed, strict=True)])
        scores = np.concatenate([p.scores for p in parts])
        order, starts = _groups(subgroups, scores)

        def added(tables: list[Floats]) -> Floats:
            rows = np.concatenate(tables)[order]
            return np.add.reduceat(rows, starts, axis=0) if len(rows) else rows

        weighted = any(p.sum_squared_weights is not None for p in parts)
        first, squares = order[starts], [p.squares for p in parts]
        return cls(
            subgroups[first],
            scores[first],
            added([p.counts for p in parts]),
            added(squares) if weighted else None,
        )

    @property
    def squares(self) -> Floats:
        """The sums of squared weights; equal to the counts if every row weighs 1."""
        return self.counts if self.sum_squared_weights is None else self.sum_squared_weights

    def lines(self) -> RaggedScores:
        """Return itself, since these are lines already."""
        return self

    def one(self, index: int, n: int) -> RaggedScores:
        """Return the lines of one of n subgroups."""
        return self.kept(slice(*self.offsets(n)[index : index + 2]))

    def judged(self, n: int, positive: int, losses: Sequence[str] = ()) -> Judged:
        """Return the ROC area of each of n subgroups, and the requested mean losses.

        ``positive`` is the code of the class whose score it is, of two.

        >>> made = RaggedScores(np.zeros(2, np.intp), np.array([0.2, 0.8]), np.eye(2))
        >>> found = made.judged(1, 1, ["squared"])
        >>> found.area.tolist(), found.losses["squared"].value.round(6).tolist()
        ([1.0], [0.04])
        """
        scores, counts, second = map(np.ascontiguousarray, (self.scores, self.counts, self.squares))
        arguments = scores, counts, second, self.offsets(n).astype(np.int64)
        return Judged.by(_kernels.judge_counts, arguments, n, positive, losses)

    def offsets(self, n: int) -> NDArray[np.intp]:
        """Return where each of n subgroups starts, and where the last one ends: shape (n + 1,)."""
        return np.searchsorted(self.subgroups, np.arange(n + 1))

    def kept(self, keep: Any) -> RaggedScores:
        """Return the selected lines."""
        squares = None if self.sum_squared_weights is None else self.sum_squared_weights[keep]
        return RaggedScores(self.subgroups[keep], self.scores[keep], self.counts[keep], squares)

    def drop(self, index: int) -> RaggedScores:
        """Return the counts without one subgroup; later ones move up by one."""
        rest = self.kept(self.subgroups != index)
        return replace(rest, subgroups=rest.subgroups - (rest.subgroups > index))

    def without(self, index: int) -> RaggedScores:
        """Return the lines of all subgroups but one as one, with equal scores added up."""
        rest = self._by_score.kept(self._by_score.subgroups != index)
        starts = np.flatnonzero(np.diff(rest.scores, prepend=np.nan) != 0)
        first = rest.kept(starts)
        counts, squares = (
            v if v is None or not len(v) else np.add.reduceat(v, starts, axis=0)
            for v in (rest.counts, rest.sum_squared_weights)
        )
        assert counts is not None
        return replace(first, subgroups=0 * starts, counts=counts, sum_squared_weights=squares)

    @cached_property
    def _by_score(self) -> RaggedScores:
        return self.kept(np.argsort(self.scores, kind="stable"))

    def at(self, threshold: float, positive: int, n: int) -> tuple[Floats, Floats | None]:
        """Return counts [subgroup, true, predicted] of two classes at a threshold, and squares."""
        cells = self.subgroups * 2 + np.where(self.scores >= threshold, positive, 1 - positive)

        def table(values: Floats) -> Floats:
            return np.stack([tabulate((2 * n,), (cells,), v).reshape(n, 2) for v in values.T], 1)

        squares = self.sum_squared_weights
        return table(self.counts), None if squares is None else table(squares)


@dataclass(frozen=True, eq=False)
class RaggedKeys:
    """Scores of rows of two classes, all of weight 1, as integers sorted within each subgroup.

    ``keys`` (n,) each contain a score and, in the lowest bit, the code of the row's true class, as
    in :mod:`tallymark.tally.scores`. The keys of subgroup s below zero are ``keys[starts[2 *
    s]:starts[2 * s + 1]]``, the others follow up to ``starts[2 * s + 2]``. A row takes 8 bytes, a
    line of :class:`RaggedScores` 32.

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
        """Return rows sorted by subgroup, of n, and by score."""
        keys, starts = np.empty(len(scores), np.uint64), np.empty(2 * n + 1, np.int64)
        _kernels.subgroup_rows(
            np.ascontiguousarray(subgroups, np.int64),
            np.ascontiguousarray(true),
            np.ascontiguousarray(scores),
            keys,
            starts,
        )
        _sort_between(keys, starts)
        return cls(keys, starts)

    @classmethod
    def joined(
        cls, parts: Sequence[RaggedKeys], renamed: Sequence[NDArray[np.intp]], n: int
    ) -> RaggedKeys:
        """Return several parts as one of n subgroups; ``renamed`` maps those of each part."""
        half = np.concatenate(
            [
                np.repeat(np.stack([2 * r, 2 * r + 1], 1).ravel(), np.diff(p.starts))
                for p, r in zip(parts, renamed, strict=True)
            ]
        )
        keys = np.concatenate([p.keys for p in parts])[np.argsort(half, kind="stable")]
        starts = np.append(0, np.cumsum(np.bincount(half, minlength=2 * n)))
        _sort_between(keys, starts)
        return cls(keys, starts)

    def __len__(self) -> int:
        return len(self.starts) // 2

    def to_dict(self) -> dict[str, Any]:
        """Return the same as counted lines, as plain data for JSON."""
        return self.lines().to_dict()

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        groups = np.empty(len(self), np.int64)
        _kernels.subgroup_groups(self.keys, self.starts, groups)
        return np.append(0, np.cumsum(groups))

    @property
    def repetitive(self) -> bool:
        """Whether so few scores are distinct that grouped counts use less memory."""
        return _ALIKE * int(self._ends[-1]) < len(self.keys)

    def lines(self) -> RaggedScores:
        """Return the same as counted lines."""
        return self._lines

    @cached_property
    def _lines(self) -> RaggedScores:
        ends = self._ends
        scores, counts = np.empty(int(ends[-1])), np.empty((int(ends[-1]), 2))
        _kernels.subgroup_lines(self.keys, self.starts, ends, scores, counts)
        return RaggedScores(np.repeat(np.arange(len(self)), np.diff(ends)), scores, counts)

    def one(self, index: int, n: int) -> RaggedScores:
        """Return the lines of one of n subgroups."""
        part = self.starts[2 * index : 2 * index + 3]
        return RaggedKeys(self.keys[part[0] : part[2]], part - part[0]).lines()

    def drop(self, index: int) -> RaggedKeys:
        """Return the keys without those of one subgroup; later ones move up by one."""
        first, last = self.starts[[2 * index, 2 * index + 2]].tolist()
        starts = np.append(self.starts[: 2 * index], self.starts[2 * index + 2 :] - (last - first))
        return RaggedKeys(np.delete(self.keys, slice(first, last)), starts)

    def without(self, index: int) -> RaggedScores:
        """Return the lines of all subgroups but one as one, with equal scores added up."""
        return self.lines().without(index)

    def at(self, threshold: float, positive: int, n: int) -> tuple[Floats, None]:
        """Return counts [subgroup, true, predicted] of two classes at a threshold."""
        table = np.empty((n, 4))
        _kernels.subgroup_cut(self.keys, self.starts, float(threshold), table)
        counts = table.reshape(n, 2, 2)  # last axis: below the threshold, at or above it
        return (counts if positive else np.ascontiguousarray(counts[:, :, ::-1])), None

    def judged(self, n: int, positive: int, losses: Sequence[str] = ()) -> Judged:
        """Return the ROC area of each subgroup and the requested mean losses, as for lines."""
        return Judged.by(_kernels.judge_keys, (self.keys, self.starts), n, positive, losses)


Stack = RaggedScores | RaggedKeys


def stack_rows(
    subgroups: Codes,
    scores: Floats,
    true: NDArray[Any],
    weights: Floats | None,
    classes: int,
    n: int,
    squares: Floats | None = None,
) -> Stack:
    """Return the rows in the form that uses less memory."""
    if classes == 2 and weights is None:
        stacked = RaggedKeys.of_rows(subgroups, scores, true.astype(np.int8, copy=False), n)
        return stacked.lines() if stacked.repetitive else stacked
    return RaggedScores.of_rows(subgroups, scores, true.astype(np.intp), weights, classes, squares)


def joined(parts: Sequence[Stack], renamed: Sequence[NDArray[np.intp]], n: int) -> Stack:
    """Put stacks together as n subgroups; ``renamed`` says which one each of a stack's becomes."""
    keyed = [p for p in parts if isinstance(p, RaggedKeys)]
    if len(keyed) == len(parts):
        return RaggedKeys.joined(keyed, renamed, n)
    return RaggedScores.joined([p.lines() for p in parts], renamed)


@dataclass(frozen=True, eq=False)
class MeanLoss:
    """A mean loss of each subgroup (S,), its jackknife error and that error's degrees of freedom.

    ``sums`` (S, 3) are of w l, w² l and w² l² over rows of weight w and loss l. For the root of a
    mean, l is the squared loss.
    """

    value: Floats
    error: Floats
    freedom: Floats
    sums: Floats


@dataclass(frozen=True, eq=False)
class Judged:
    """Metrics of the scores of each subgroup (S,).

    They are the sums of the weights of ``positives`` and ``negatives`` and of their squares, the
    ROC ``area`` with DeLong's ``variance``, and ``losses`` by name. NaN if undefined.
    """

    positives: Floats
    negatives: Floats
    positives2: Floats
    negatives2: Floats
    area: Floats
    variance: Floats
    losses: dict[str, MeanLoss]

    @classmethod
    def by(
        cls, kernel: Callable[..., None], data: Any, n: int, positive: int, losses: Sequence[str]
    ) -> Judged:
        """Return what a kernel computes from the data of n subgroups."""
        codes = np.array([ROW_LOSSES.index(name) for name in losses], dtype=np.int64)
        out = np.empty((n, 6 + 6 * len(losses)))
        kernel(*data, bool(positive), codes, out)
        columns, *of_losses = np.split(np.ascontiguousarray(out.T), 1 + len(losses))
        means = (MeanLoss(v[0], v[1], v[2], v[3:].T) for v in of_losses)
        pos, neg, pos2, neg2, area, variance = columns
        mean_losses = dict(zip(losses, means, strict=True))
        return cls(pos, neg, pos2, neg2, area, variance, mean_losses)


def _sort_between(keys: NDArray[np.uint64], starts: NDArray[np.int64]) -> None:
    """Sort the keys of each subgroup, on several cores if there are many."""
    runs = [keys[a:b] for a, b in pairwise(starts.tolist()) if b - a > 1]
    runs.sort(key=len)  # so that long runs are spread over all jobs
    jobs = min(len(runs), 64)

    def sort(job: int) -> None:
        for run in runs[job::jobs]:
            run.sort()

    side_by_side(sort, jobs, threads_for(len(keys)))


def _groups(subgroups: Codes, scores: Floats) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return the order of rows by subgroup and score, and where in it each distinct pair starts."""
    order = np.empty(len(subgroups), dtype=np.int64)
    size = int(subgroups.max(initial=-1)) + 1
    _kernels.subgroup_order(
        np.ascontiguousarray(subgroups, dtype=np.int64), np.ascontiguousarray(scores), size, order
    )
    a, b = subgroups[order], scores[order]
    other = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    return order, np.flatnonzero(np.append(len(order) > 0, other))


MOST_CELLS = 100_000_000
"""Most cells of the matrices of all subgroups."""

Key = tuple[Label | None, ...]
"""The value of each column, None for missing."""


@dataclass(frozen=True, eq=False, repr=False)
class SubgroupModel(Saved, Display):
    """The counts of one model in every subgroup.

    ``counts`` and ``sum_squared_weights`` [subgroup, true, predicted] are None if scores decide by
    a threshold. ``scores`` has one stack for two classes, else one per class; ``sums`` has one
    entry per subgroup.
    """

    name: str
    counts: Floats | None = field(
        metadata=array("counts", axes=("subgroups", "classes", "classes"))
    )
    sum_squared_weights: Floats | None = field(
        default=None,
        metadata=array("sum_squared_weights", axes=("subgroups", "classes", "classes")),
    )
    scores: tuple[Stack, ...] = field(default=(), metadata=part(RaggedScores.from_dict, many=True))
    sums: tuple[Sums, ...] | None = field(default=None, metadata=part(Sums.from_dict, many=True))


@dataclass(frozen=True, eq=False, repr=False)
class SubgroupCounts(Saved, Display):
    """The tallies of every subgroup that occurs: rows with equal values in all ``columns``.

    ``keys`` are the values of the columns, in their order with missing ones last; ``rows`` is the
    number of rows in each subgroup. ``of_rows`` is the subgroup of every row, in the order of the
    rows that are kept; None if none are.
    """

    columns: tuple[str, ...]
    keys: tuple[Key, ...]
    rows: NDArray[np.intp] = field(metadata=array("rows", np.intp, ("keys",)))
    classes: tuple[Label, ...]
    models: tuple[SubgroupModel, ...] = field(metadata=part(SubgroupModel.from_dict, many=True))
    of_rows: Codes | None = field(default=None, metadata=array("of_rows", np.intp, ("all",)))

    def __len__(self) -> int:
        return len(self.keys)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SubgroupCounts):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def _facts(self) -> Iterator[tuple[str, bool]]:
        n, k, names = len(self), len(self.classes), [m.name for m in self.models]
        yield "subgroups", len(set(self.columns)) == len(self.columns) > 0
        yield "subgroups", {len(key) for key in self.keys} == {len(self.columns)}
        for values in zip(*self.keys, strict=True):
            yield "subgroups", alike([v for v in set(values) if v is not None])
        yield "subgroups", list(self.keys) == sorted(set(self.keys), key=_missing_last)
        yield "classes", alike(self.classes)
        yield "models", len(set(names)) == len(names)
        if self.of_rows is not None:
            yield "subgroups", bool((self.of_rows < n).all())
            yield "subgroups", np.array_equal(np.bincount(self.of_rows, minlength=n), self.rows)
        for m in self.models:
            yield "subgroups", m.counts is None or m.counts.shape == (n, k, k)
            yield "subgroups", m.sums is None or [s.rows for s in m.sums] == self.rows.tolist()
            for lines in (s.lines() for s in m.scores):
                yield "subgroups", lines.counts.shape[1] == k
                yield "subgroups", bool((lines.subgroups < n).all())
            yield "subgroups", m.counts is not None or m.sum_squared_weights is None
            cells = [(m.counts, m.sum_squared_weights)] if m.counts is not None else []
            yield "subgroups", all(weights_agree(self.rows.sum(), *c) for c in cells)

    def by(self, columns: Sequence[str]) -> SubgroupCounts:
        """Return the subgroups by some of the columns, added up over the others.

        Raises
        ------
        InputError
            No column, one that the rows were not counted by, one named twice.

        """
        chosen = tuple(columns)
        if not chosen:
            raise InputError(f"name the subgroup columns; {choices('', self.columns)}")
        for name in chosen:
            if name not in self.columns:
                raise InputError(
                    f"the rows were not counted by {name!r}; {choices(str(name), self.columns)}"
                )
        if len(set(chosen)) < len(chosen):
            raise InputError(f"a column is named twice among {list(chosen)}; name each once")
        return self if chosen == self.columns else combined([self], chosen)

    def model(self, name: str) -> SubgroupModel:
        """Return the counts of one model."""
        return next(m for m in self.models if m.name == name)

    def drop(self, index: int) -> SubgroupCounts:
        """Return the counts without one subgroup and its rows."""
        kept = np.arange(len(self)) != index
        models = (
            replace(
                m,
                counts=None if m.counts is None else m.counts[kept],
                sum_squared_weights=(
                    None if m.sum_squared_weights is None else m.sum_squared_weights[kept]
                ),
                scores=tuple(s.drop(index) for s in m.scores),
                sums=m.sums and (*m.sums[:index], *m.sums[index + 1 :]),
            )
            for m in self.models
        )
        keys = (*self.keys[:index], *self.keys[index + 1 :])
        codes = None if self.of_rows is None else self.of_rows[self.of_rows != index]
        codes = None if codes is None else codes - (codes > index)
        return replace(self, keys=keys, rows=self.rows[kept], models=tuple(models), of_rows=codes)

    def matrices(
        self, name: str, threshold: float | None, positive: Label | None
    ) -> tuple[Floats, Floats | None]:
        """Return a model's counts [subgroup, true, predicted], and their squares or None.

        They are its decisions if ``threshold`` is None, else its scores compared with the
        threshold.
        """
        m = self.model(name)
        if threshold is None:
            assert m.counts is not None
            return m.counts, m.sum_squared_weights
        assert positive is not None
        return m.scores[0].at(threshold, self.classes.index(positive), len(self))

    def score_tallies(
        self, name: str, positives: Sequence[Label], index: int, *, rest: bool = False
    ) -> tuple[ScoreTally, ...]:
        """Return a model's score tallies of one subgroup or of its complement, one per class."""
        rows, out = int(self.rows[index]), []
        for stack, label in zip(self.model(name).scores, positives, strict=True):
            s = stack.without(index) if rest else stack.one(index, len(self))
            n_rows = int(self.rows.sum()) - rows if rest else rows
            tally = ScoreTally(
                self.classes, label, s.scores, s.counts, s.sum_squared_weights, n_rows
            )
            out.append(tally)
        return tuple(out)


def _missing_last(key: Key) -> list[tuple[bool, Label]]:
    return [(v is None, 0 if v is None else v) for v in key]


def combined(parts: Sequence[SubgroupCounts], columns: Sequence[str]) -> SubgroupCounts:
    """Return the subgroups of all parts by some of their columns, added up over the others."""
    at = [parts[0].columns.index(c) for c in columns]
    short = [[tuple(key[i] for i in at) for key in p.keys] for p in parts]
    keys = sorted(set().union(*short), key=_missing_last)
    if len(parts) == 1 and keys == list(parts[0].keys):
        return replace(parts[0], columns=tuple(columns))
    place, n = {key: i for i, key in enumerate(keys)}, len(keys)
    renamed = [np.array([place[key] for key in names], dtype=np.intp) for names in short]

    def added(values: Iterable[Any]) -> Any:
        out: Any = None
        for to, value in zip(renamed, values, strict=True):
            if value is not None:
                out = np.zeros((n, *value.shape[1:]), value.dtype) if out is None else out
                np.add.at(out, to, value)
        return out

    models = []
    for name in dict.fromkeys(m.name for p in parts for m in p.models):
        parts_of_model = [p.model(name) for p in parts]
        scored = [(m, to) for m, to in zip(parts_of_model, renamed, strict=True) if m.scores]
        scores = tuple(
            joined([m.scores[i] for m, _ in scored], [to for _, to in scored], n)
            for i in range(max(len(m.scores) for m in parts_of_model))
        )
        sums: list[Any] = [None] * n
        for m, to in zip(parts_of_model, renamed, strict=True):
            for i, part_sums in zip(to, m.sums or (), strict=False):
                sums[i] = part_sums if sums[i] is None else sums[i] + part_sums
        summed = None if all(m.sums is None for m in parts_of_model) else tuple(sums)
        counts, squares = (
            added(m.counts for m in parts_of_model),
            added(m.sum_squared_weights for m in parts_of_model),
        )
        models.append(SubgroupModel(name, counts, squares, scores, summed))
    codes = [to[p.of_rows] for to, p in zip(renamed, parts, strict=True) if p.of_rows is not None]
    return SubgroupCounts(
        tuple(columns),
        tuple(keys),
        added(p.rows for p in parts),
        parts[0].classes,
        tuple(models),
        np.concatenate(codes) if codes else None,
    )


def rest_sums(counts: Floats) -> Floats:
    """Return the sums over all other subgroups, for each subgroup [S, ...], without cancellation.

    >>> rest_sums(np.array([1.0, 2.0, 4.0])).tolist()
    [6.0, 5.0, 3.0]
    """
    if (np.trunc(counts) == counts).all():
        return np.asarray(counts.sum(0) - counts)
    # Cumulative sums from both sides, which avoids cancellation.
    before, after = np.zeros(counts.shape), np.zeros(counts.shape)
    np.cumsum(counts[:-1], axis=0, out=before[1:])
    after[:-1] = np.cumsum(counts[:0:-1], axis=0)[::-1]
    return before + after


@dataclass(slots=True)
class SubgroupCounter:
    """Counts rows by subgroup, chunk by chunk; :meth:`result` returns the counts.

    >>> s = SubgroupCounter(("region",), ("no", "yes"))
    >>> s.add([Coded(np.array([0, 1, 0]), ("north", "south"))], np.array([0, 1, 1]),
    ...       [ModelColumn("m", np.array([0, 1, 0]))], None)
    >>> s.result().keys, s.result().models[0].counts[0].tolist()
    ((('north',), ('south',)), [[1.0, 0.0], [1.0, 0.0]])
    """

    columns: tuple[str, ...]
    classes: tuple[Label, ...]
    parts: list[SubgroupCounts] = field(default_factory=list)
    keys: set[Key] = field(default_factory=set)

    def add(
        self,
        levels: Sequence[Coded],
        true: NDArray[Any],
        sides: Sequence[ModelColumn],
        weights: Floats | None = None,
        squares: Floats | None = None,
        rows: NDArray[Any] | None = None,
        *,
        keep: bool = False,
        again: bool = False,
    ) -> None:
        """Count some rows: the values of the columns, codes of the true class, and each model.

        For lines that stand for ``rows`` in all, ``weights`` and ``squares`` are the sums of their
        weights and of the squared weights; without ``squares``, every row has weight 1. With
        ``keep``, the subgroup of every row is kept. Rows that come ``again``, with other models or
        scores, are not counted twice.
        """
        subgroups, keys = self._subgroups(levels)
        n, k = len(keys), len(self.classes)
        if len(self.keys) * k * k > MOST_CELLS:
            raise InputError(
                f"{len(self.keys):,} subgroups of {k:,} classes are too many to count; give fewer "
                "columns"
            )
        models = []
        for side in sides:
            counts = squared = None
            if side.decided is not None:
                cells = subgroups, true, side.decided
                counts, squared = tables((n, k, k), cells, weights, squares)
            scores = tuple(
                stack_rows(subgroups, s, true, weights, k, n, squares) for s in side.scores
            )
            sums = None
            if len(scores) > 1:
                second = weights if squares is None else squares
                sums = _sums_of_each(subgroups, n, true, side, (weights, second, rows))
            models.append(SubgroupModel(side.name, counts, squared, scores, sums))
        row_counts = tabulate((n,), (subgroups,), rows).astype(np.intp) * (not again)
        codes = None
        if keep:
            codes = subgroups if rows is None else np.repeat(subgroups, rows.astype(np.int64))
        self.parts.append(
            SubgroupCounts(
                self.columns, tuple(keys), row_counts, self.classes, tuple(models), codes
            )
        )
        if len(self.parts) >= _AT_ONCE:
            self.parts = [self.result()]

    def _subgroups(self, levels: Sequence[Coded]) -> tuple[Codes, list[Key]]:
        """Return the subgroup of each row, and the key of each subgroup that occurs."""
        codes: Codes | None = None
        keys: list[Key] = [()]
        for column in levels:
            here, values = column.codes, (*column.labels, None)
            size = len(column.labels)
            if len(here) and here.min() < 0:
                here, size = np.where(here < 0, size, here), size + 1
            codes = here if codes is None else codes * size + here
            codes, present = without_gaps(codes, len(keys) * size)
            self._refuse(len(present))
            keys = [(*keys[i // size], values[i % size]) for i in present.tolist()]
        assert codes is not None
        self.keys.update(keys)
        self._refuse(len(self.keys))
        return codes, keys

    def _refuse(self, n: int) -> None:
        if n > MOST_SUBGROUPS:
            raise too_many_subgroups(self.columns, n)

    def result(self) -> SubgroupCounts:
        """Return the subgroup counts."""
        return combined(self.parts, self.columns)


_AT_ONCE = 16
"""Number of chunks whose counts are merged at a time."""


def _sums_of_each(
    subgroups: Codes,
    n: int,
    true: NDArray[Any],
    side: ModelColumn,
    of_rows: Sequence[NDArray[Any] | None],
) -> tuple[Sums, ...]:
    """Return the sums of the rows of each of n subgroups, all of which occur."""
    order = np.argsort(subgroups, kind="stable")
    matrix, true = np.stack(side.scores, 1)[order], true[order]
    w, w2, rows = (None if v is None else v[order] for v in of_rows)
    out = []
    for a, b in pairwise(np.searchsorted(subgroups[order], np.arange(n + 1)).tolist()):
        weight, squared = (None if v is None else v[a:b] for v in (w, w2))
        several = None if rows is None else int(rows[a:b].sum())
        out.append(Sums._of_rows(true[a:b], matrix[a:b], weight, squared, several))
    return tuple(out)
