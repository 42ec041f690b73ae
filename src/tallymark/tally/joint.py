"""Several models on the same rows: what comparing them asks, and their own tallies cannot tell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark import _kernels
from tallymark.errors import InputError, choices
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.scores import ScoreCounts, ScoreTally
from tallymark.tally.threads import side_by_side, threads_for

Compact = NDArray[Any]
"""Codes of classes in the smallest integers that hold them."""

MOST_BLOCKS = 2000
"""Rows are resampled in at most so many blocks; of so many the standard error is known to 2 %."""

_STRETCH = 1 << 18
"""So many rows are counted at a time."""

GROUPS = 200
"""A block's scores are counted in about so many groups."""

GROUPS_OF_MANY = 64
"""So many where there is a column a class, of which a metric takes the mean."""


@dataclass(frozen=True, eq=False)
class Side:
    """One model's column in the rows: its decisions, or its scores, one column a class.

    ``decided`` (n,) codes of the predicted class, None where scores decide by a threshold.
    """

    name: str
    decided: Compact | None
    scores: tuple[Floats, ...] = ()

    def decisions(self, threshold: float | None, positive: int | None) -> Compact:
        """Return the codes of the predicted classes (n,), with scores cut at a threshold."""
        if self.decided is not None and threshold is None:
            return self.decided
        if threshold is None or positive is None or not self.scores:
            raise InputError(f"{self.name} has neither decisions nor a threshold to make them")
        called = self.scores[0] >= threshold
        return (called if positive else ~called).view(np.int8)


@dataclass(frozen=True, eq=False)
class Joint:
    """Rows of several models side by side, as many as were counted.

    ``true`` (n,) codes of the true class; ``weights`` (n,) or None; ``clusters`` (n,) codes of the
    group that a row belongs to (a patient, a project), from 0 up and each with some row, or None
    where every row stands alone. The arrays are those that came in wherever they could be kept: a
    row of scores costs 8 bytes a model.

    >>> j = Joint((0, 1), np.array([0, 1, 1]), (Side("a", np.array([0, 1, 0])),
    ...                                         Side("b", np.array([0, 1, 1]))))
    >>> j.agreement("a", "b")[1].tolist()  # rows of class 1, by the decisions of both
    [[0.0, 1.0], [0.0, 1.0]]
    """

    labels: tuple[Label, ...]
    true: Compact
    sides: tuple[Side, ...]
    positive: Label | None = None
    weights: Floats | None = None
    clusters: Compact | None = None

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.true)

    @cached_property
    def groups(self) -> int | None:
        """How many clusters there are; None where every row stands alone."""
        return None if self.clusters is None else int(self.clusters.max()) + 1

    @property
    def names(self) -> tuple[str, ...]:
        """The models' names."""
        return tuple(s.name for s in self.sides)

    @property
    def nbytes(self) -> int:
        """How much memory the rows take."""
        arrays = [self.true, self.weights, self.clusters]
        for s in self.sides:
            arrays += [s.decided, *s.scores]
        return sum(a.nbytes for a in arrays if a is not None)

    @cached_property
    def positive_code(self) -> int | None:
        """The place of the positive class among the labels."""
        return None if self.positive is None else self.labels.index(self.positive)

    def side(self, name: str) -> Side:
        """Return one model's column."""
        for s in self.sides:
            if s.name == name:
                return s
        raise InputError(f"there is no model {name!r}; {choices(name, self.names)}")

    @classmethod
    def of_parts(cls, parts: Sequence[Joint]) -> Joint:
        """Put parts of the rows, counted one after the other, together."""
        if len(parts) == 1:
            return parts[0]

        def joined(arrays: Iterable[Any]) -> Any:
            found = list(arrays)
            return None if found[0] is None else np.concatenate(found)

        first = parts[0]
        sides = tuple(
            Side(
                s.name,
                joined(p.sides[i].decided for p in parts),
                tuple(joined(p.sides[i].scores[k] for p in parts) for k in range(len(s.scores))),
            )
            for i, s in enumerate(first.sides)
        )
        return replace(
            first,
            true=joined(p.true for p in parts),
            sides=sides,
            weights=joined(p.weights for p in parts),
            clusters=joined(p.clusters for p in parts),
        )

    def repeated(self, times: NDArray[np.int64]) -> Joint:
        """Return every row as often as it was counted."""

        def each(array: Any) -> Any:
            return None if array is None else np.repeat(array, times)

        return replace(
            self,
            true=each(self.true),
            sides=tuple(
                Side(s.name, each(s.decided), tuple(map(each, s.scores))) for s in self.sides
            ),
            weights=None,
            clusters=each(self.clusters),
        )

    # -- decisions -----------------------------------------------------------------------------

    def agreement(
        self, a: str, b: str, thresholds: tuple[float | None, float | None] = (None, None)
    ) -> NDArray[np.float64]:
        """Return how many rows of each true class two models call what: [true, by a, by b].

        With weights, their sums.
        """
        k = len(self.labels)
        by = [
            self.side(n).decisions(t, self.positive_code)
            for n, t in zip((a, b), thresholds, strict=True)
        ]
        return self.cells((k, k, k), self.true, *by)

    def cells(self, shape: tuple[int, ...], *places: NDArray[Any]) -> NDArray[np.float64]:
        """Return how many rows have which places, or the sum of their weights.

        ``places`` (n,) are integers, one array for each axis of ``shape``.
        """
        size = math.prod(shape)
        total = np.zeros(size)
        # Stretches of rows, so that the keys stay in the cache: a key for every row takes longer
        # to write and read than to count.
        for start in range(0, self.rows, _STRETCH):
            rows = slice(start, start + _STRETCH)
            key = places[0][rows].astype(np.intp)
            for width, place in zip(shape[1:], places[1:], strict=True):
                key *= width
                key += place[rows]
            weights = None if self.weights is None else self.weights[rows]
            total += np.bincount(key, weights, minlength=size)
        return total.reshape(shape)

    def right(self, thresholds: Sequence[float | None]) -> NDArray[np.bool_]:
        """Return which model decides which row rightly: [model, row]."""
        code = self.positive_code
        return np.stack(
            [s.decisions(t, code) == self.true for s, t in zip(self.sides, thresholds, strict=True)]
        )

    # -- blocks --------------------------------------------------------------------------------

    def blocks(
        self,
        thresholds: Sequence[float | None],
        tallies: Sequence[Sequence[ScoreTally]],
        *,
        seed: int = 0,
        most: int = MOST_BLOCKS,
        by_class: bool = False,
    ) -> Blocks:
        """Count the rows in blocks drawn at random: what resampling several models at once needs.

        ``tallies`` are those of the models' scores, from which the groups of scores are taken.
        Up to ``most`` rows each is a block of its own, and resampling blocks is resampling rows;
        of more, blocks of equally many rows are resampled, which has the same expectation. Rows of
        one cluster stay in one block. Only where classes are to be drawn by themselves
        (``by_class``) does a column of scores keep its other classes apart.
        """
        k = len(self.labels)
        code = self.positive_code
        dealt: list[tuple[NDArray[Any], int]] = []
        grouped: list[list[tuple[Floats, NDArray[np.uint16]]]] = []

        def prepare(task: int) -> None:
            """Deal the rows out, which takes one core, or find the groups of their scores."""
            if task == 0:
                dealt.append(self._dealt(seed, most))
                return
            for side, own in zip(self.sides, tallies, strict=True):
                wanted = GROUPS if len(own) == 1 else GROUPS_OF_MANY
                grouped.append(
                    [
                        (t.coarse(wanted).scores, places(column, t.scores[t.starts(wanted)]))
                        for column, t in zip(side.scores, own, strict=True)
                    ]
                )

        side_by_side(prepare, 2, threads_for(self.rows))
        ((block, size),) = dealt
        decided = []
        ranked: list[tuple[Grouped, ...]] = []
        for side, threshold, own, groups in zip(
            self.sides, thresholds, tallies, grouped, strict=True
        ):
            called = side.decisions(threshold, code)
            decided.append(self.cells((size, k, k), block, self.true, called))
            found = []
            for tally, (scores, place) in zip(own, groups, strict=True):
                positive = tally.labels.index(tally.positive)
                of = self.true if by_class else (self.true != positive).view(np.int8)
                shape = (k if by_class else 2, size, len(scores))
                counts = self.cells(shape, of, block, place)
                found.append(Grouped(positive if by_class else 0, scores, counts))
            ranked.append(tuple(found))
        return Blocks(self.labels, self.names, tuple(decided), tuple(ranked))

    def _dealt(self, seed: int, most: int) -> tuple[NDArray[Any], int]:
        """Return the block of every row, and how many there are."""
        units = self.rows if self.groups is None else self.groups
        if units <= most:
            own = np.arange(self.rows) if self.clusters is None else self.clusters
            return own, units
        # Dealt out like cards, so that all blocks have as many rows, up to one.
        deck = np.arange(most, dtype=np.int16 if most < 32768 else np.int32)
        dealt = np.resize(deck, units)
        np.random.default_rng(seed).shuffle(dealt)
        return dealt if self.clusters is None else dealt[self.clusters], most


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """One score column in blocks: ``counts[true class, block, group of scores]``.

    ``positive`` is the place of the class whose scores they are. There may be two classes, that
    one and all others.
    """

    positive: int
    scores: Floats
    counts: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The tallies of several models, block by block, over the same blocks of rows.

    ``decided``, one a model, [block, true, predicted]; ``ranked``, one tuple a model, a
    :class:`Grouped` for each score column.
    """

    labels: tuple[Label, ...]
    names: tuple[str, ...]
    decided: tuple[NDArray[np.float64], ...]
    ranked: tuple[tuple[Grouped, ...], ...]

    def __len__(self) -> int:
        return len(self.decided[0])

    def draw(
        self, draws: int, rng: np.random.Generator, by_class: bool = False
    ) -> NDArray[np.float64]:
        """Return how often every block is drawn in each resample: [draw, class, block].

        With ``by_class`` the rows of each true class are drawn by themselves, else the classes'
        numbers are the same.
        """
        b, k = len(self), len(self.labels)

        def drawn(shape: tuple[int, ...]) -> NDArray[np.float64]:
            # Counting drawn blocks is several times faster than multinomial numbers of each.
            n = math.prod(shape)
            which = rng.integers(0, b, (n, b)) + np.arange(n)[:, None] * b
            return np.bincount(which.ravel(), minlength=n * b).reshape(*shape, b).astype(np.float64)

        if by_class:
            return drawn((draws, k))
        return np.broadcast_to(drawn((draws,))[:, None, :], (draws, k, b))

    def matrices(self, model: int, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the resampled matrices [draw, true, predicted] of one model."""
        cells = self.decided[model]
        return np.stack([times[:, t] @ cells[:, t] for t in range(len(self.labels))], 1)

    def rankings(
        self, model: int, times: NDArray[np.float64], factors: NDArray[np.float64] | None = None
    ) -> list[ScoreCounts]:
        """Return the resampled rankings of one model, one a score column.

        ``factors`` [draw, class] multiply the rows of each class.
        """
        out = []
        for g in self.ranked[model]:
            # Where classes were not kept apart they are drawn together.
            apart = len(g.counts) == times.shape[1]
            drawn = [times[:, t if apart else 0] @ counts for t, counts in enumerate(g.counts)]
            if factors is not None:
                drawn = [d * factors[:, t, None] for t, d in enumerate(drawn)]
            others = [d for t, d in enumerate(drawn) if t != g.positive]
            out.append(ScoreCounts(g.scores, drawn[g.positive], np.sum(others, axis=0)))
        return out

    @property
    def once(self) -> NDArray[np.float64]:
        """Every block drawn once, in the shape of :meth:`draw`."""
        return np.ones((1, len(self.labels), len(self)))

    def whole(self, model: int) -> list[ScoreCounts]:
        """Return the rankings of all rows, one a score column, in the blocks' groups."""
        return self.rankings(model, self.once)


def places(scores: Floats, lows: Floats) -> NDArray[np.uint16]:
    """Return the group of every score, of groups by the lowest score of each, ascending.

    A score below all of them belongs to the first.

    >>> places(np.array([0.5, 0.1, 0.9]), np.array([0.2, 0.5, 0.7])).tolist()
    [1, 0, 2]
    """
    place = np.empty(len(scores), dtype=np.uint16)
    cuts, no_width = np.append(lows, np.inf), np.zeros(len(lows))  # a bin between every two
    _kernels.find_bins(np.ascontiguousarray(scores), cuts, no_width, 1, place)
    return place


def compact(codes: NDArray[Any], classes: int) -> Compact:
    """Return codes in the smallest integers that hold so many classes."""
    return codes.astype(np.int8 if classes < 128 else np.int16 if classes < 32768 else np.int32)
