"""Tallies of subgroups: of the rows alike in one or more columns, all subgroups side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.display import Display
from tallymark.errors import InputError, choices
from tallymark.tally.arrays import (
    MOST_SLICES,
    Coded,
    Codes,
    Floats,
    Label,
    too_many_slices,
)
from tallymark.tally.joint import ModelColumn
from tallymark.tally.labels import LabelTally
from tallymark.tally.ragged import RaggedScores, Stack, joined, stack_rows
from tallymark.tally.scores import ScoreTally
from tallymark.tally.sums import Sums

MOST_CELLS = 100_000_000
"""Cells of the matrices of all parts at most."""

Key = tuple[Label | None, ...]
"""The value of each column; None where it is missing."""


@dataclass(frozen=True, eq=False, repr=False)
class SubgroupModel(Display):
    """What is counted of one model in every slice.

    ``counts`` and ``sum_squared_weights`` [slice, true, predicted] are None where scores decide by
    a threshold; ``scores`` holds one stack for two classes and one a class for more, and ``sums``
    one a slice.
    """

    name: str
    counts: Floats | None
    sum_squared_weights: Floats | None = None
    scores: tuple[Stack, ...] = ()
    sums: tuple[Sums, ...] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class SubgroupCounts(Display):
    """The tallies of every slice that occurs: rows alike in all ``columns``.

    ``keys`` are the values of the columns, in their order with missing ones last; ``rows`` how many
    rows each slice has.
    """

    columns: tuple[str, ...]
    keys: tuple[Key, ...]
    rows: NDArray[np.intp]
    classes: tuple[Label, ...]
    models: tuple[SubgroupModel, ...]

    def __len__(self) -> int:
        return len(self.keys)

    def by(self, columns: Sequence[str]) -> SubgroupCounts:
        """Return the slices by some of the columns, added up over the others.

        Raises
        ------
        InputError
            No column, one that the rows were not counted by, one named twice.

        """
        wanted = tuple(columns)
        if not wanted:
            raise InputError(f"name the columns to slice by; {choices('', self.columns)}")
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
        """Return a model's counts [slice, true, predicted], and their squares or None.

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
        """Return a model's score tallies of one slice, one a class named."""
        return tuple(
            self._tally(s.one(index, len(self)), label, index)
            for s, label in zip(self.model(name).scores, positives, strict=True)
        )

    def rest_tallies(
        self, name: str, positives: Sequence[Label], index: int
    ) -> tuple[ScoreTally, ...]:
        """Return a model's score tallies of all rows but those of one slice."""
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
        """Return the decisions of one slice of :meth:`matrices`, or of all rows but its own."""
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
    """Counts rows into slices, chunk by chunk; :meth:`done` gives what was counted.

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
        weights: Floats | None,
    ) -> None:
        """Count some rows: the values of the columns, codes of the true class, and each model."""
        slices = self._slices(levels)
        n, k = len(self.places), len(self.classes)
        self.names = tuple(s.name for s in sides)
        self.rows = _grown(self.rows, np.bincount(slices, minlength=n))
        if n * k * k > MOST_CELLS:
            raise InputError(
                f"{n:,} slices of {k:,} classes are too many to count; slice by fewer columns"
            )
        for side in sides:
            if side.decided is not None:
                cells = (slices * k + true.astype(np.intp)) * k + side.decided
                found = self.labels.setdefault(side.name, [None, None])
                tables = [weights, None if weights is None else weights**2]
                for i, w in enumerate(tables[: 1 if weights is None else 2]):
                    table = np.bincount(cells, w, minlength=n * k * k).astype(np.float64)
                    found[i] = _grown(found[i], table.reshape(n, k, k))
            parts = self.scores.setdefault(side.name, [[] for _ in side.scores])
            for part, scores in zip(parts, side.scores, strict=True):
                part.append(stack_rows(slices, scores, true, weights, k, n))
            if len(side.scores) > 1:
                self._sums(side, slices, true.astype(np.intp), weights)

    def _sums(self, side: ModelColumn, slices: Codes, true: Codes, weights: Floats | None) -> None:
        order = np.argsort(slices, kind="stable")
        matrix, true = np.stack(side.scores, 1)[order], true[order]
        w = None if weights is None else weights[order]
        there, starts = np.unique(slices[order], return_index=True)
        found = self.sums.setdefault(side.name, {})
        for s, a, b in zip(there, starts, [*starts[1:], len(order)], strict=True):
            made = Sums.of_rows(true[a:b], matrix[a:b], None if w is None else w[a:b])
            found[s] = found[s] + made if s in found else made

    def _slices(self, levels: Sequence[Coded]) -> Codes:
        """Return the slice of each row, new ones numbered on."""
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
        if n > MOST_SLICES:
            raise too_many_slices(self.columns, n)

    def done(self, counted: bool = False) -> SubgroupCounts:
        """Return what was counted; with ``counted`` weights are so many rows of weight 1."""
        n = len(self.places)
        models = []
        for name in self.names:
            counts, squares = (_grown(v, None, n) for v in self.labels.get(name, (None, None)))
            scores = tuple(joined(p, None, n) for p in self.scores[name])
            sums = self.sums.get(name)
            if counted:
                squares, sums = None, None
                lines = [s.lines() for s in scores]
                scores = tuple(RaggedScores(s.slices, s.scores, s.counts) for s in lines)
            held = None if sums is None else tuple(sums[i] for i in range(n))
            models.append(SubgroupModel(name, counts, squares, scores, held))
        rows = _grown(self.rows, None, n)
        if counted:
            first = models[0]
            rows = np.zeros(n) if first.counts is None else first.counts.sum((1, 2))
            if first.counts is None:
                lines_of = first.scores[0].lines()
                np.add.at(rows, lines_of.slices, lines_of.counts.sum(1))
            rows = rows.astype(np.intp)
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
    """Add two arrays of which the longer has more slices; or make one as long as n."""
    if old is None:
        return new
    size = n if new is None else len(new)
    out = np.zeros((size, *old.shape[1:]), dtype=old.dtype)
    out[: len(old)] = old
    return out if new is None else out + new
