"""Row-level data of several models, score columns or clusters, as rows or in blocks.

:class:`PairedPredictions` are the rows themselves, :class:`PairedBlocks` their counts in at most
2,000 blocks. Both can be added and written to JSON. Blocks depend on the contents of rows, not on
their order: rows are sorted by hash(seed, contents, k), where k numbers equal rows, and assigned to
the blocks in turn. (Sorting by the contents themselves would create strata and give too small a
variance; a hash without k would put equal rows into one block and give too large a variance.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tallymark import _kernels
from tallymark.display import Display
from tallymark.errors import InputError, check_name
from tallymark.tally import io
from tallymark.tally.arrays import Floats, Label, tabulate
from tallymark.tally.io import EVERY_ROW, Saved, alike, array, by_role, floats, part
from tallymark.tally.merge import merged_labels
from tallymark.tally.scores import ScoreCounts, ScoreTally
from tallymark.tally.sums import answers

Compact = NDArray[Any]
"""Codes of classes in the smallest integers that hold them."""

MOST_BLOCKS = 2000
"""Most blocks for resampling; with 2,000 the standard error is precise to 2 %."""

GROUPS = 200
"""Approximate number of score groups in a block."""

GROUPS_OF_MANY = 64
"""The same for one column per class, over which a metric averages."""


def compact(codes: NDArray[Any], classes: int) -> Compact:
    """Return codes in the smallest integer type for this number of classes."""
    return codes.astype(np.int8 if classes < 128 else np.int16 if classes < 32768 else np.int32)


def codes_of(name: str) -> dict[str, Any]:
    """Declare a field of codes that JSON stores as numbers."""

    def read(data: Any) -> Compact:
        codes = io.floats(data, name)
        if not ((codes == np.trunc(codes)) & (codes >= 0) & (codes < _MOST_CODES)).all():
            raise InputError(
                f"{name} holds values that are not codes of a class or cluster; give it unchanged"
            )
        return compact(codes, int(codes.max(initial=0)) + 1)

    return {**part(read), "axes": (EVERY_ROW,), "signed": False}


_MOST_CODES = 1 << 31


@dataclass(frozen=True, eq=False, repr=False)
class ModelColumn(Saved, Display):
    """One model's column in the rows: its decisions, or its scores with one column per class.

    ``decided`` (n,) are codes of the predicted class, None if scores decide by a threshold.
    """

    _kind: ClassVar[str] = "model-column"
    name: str
    decided: Compact | None = field(metadata=codes_of("decided"))
    scores: tuple[Floats, ...] = field(
        default=(), metadata=part(lambda data: io.floats(data, "scores"), many=True)
    )

    def _facts(self) -> Iterator[tuple[str, bool]]:
        yield "scores", all(bool(np.isfinite(s).all()) for s in self.scores)

    def recoded(self, places: Compact) -> ModelColumn:
        """Return the same column with other class codes."""
        return self if self.decided is None else replace(self, decided=places[self.decided])

    def decisions(self, threshold: float | None, positive: int | None) -> Compact:
        """Return the codes of the predicted classes (n,), with scores cut at a threshold."""
        if self.decided is not None and threshold is None:
            return self.decided
        if threshold is None or positive is None or not self.scores:
            raise InputError(
                f"{self.name} has neither decisions nor a threshold for its scores; give one"
            )
        positives = self.scores[0] >= threshold
        return (positives if positive else ~positives).view(np.int8)


@dataclass(frozen=True, eq=False, repr=False)
class PairedPredictions(Saved, Display):
    """Rows of several models side by side.

    ``true`` (n,) are codes of the true class; ``weights`` (n,) or None; ``clusters`` (n,) are codes
    of the group that a row belongs to (a patient, a project), from 0 up without empty groups, or
    None if rows are independent; ``numbers`` (n,) are those of each row by the role of a part.
    ``in_bins`` tells that scores were counted in bins, and that one score stands for each bin.
    The input arrays are kept without copies where possible: a score costs 8 bytes per row and
    model.

    >>> j = PairedPredictions((0, 1), np.array([0, 1, 1]), (ModelColumn("a", np.array([0, 1, 0])),
    ...                                         ModelColumn("b", np.array([0, 1, 1]))))
    >>> j.agreement("a", "b")[1].tolist()  # rows of class 1, by the decisions of both
    [[0.0, 1.0], [0.0, 1.0]]
    """

    _kind: ClassVar[str] = "paired-predictions"
    labels: tuple[Label, ...]
    true: Compact = field(metadata=codes_of("true"))
    models: tuple[ModelColumn, ...] = field(metadata=part(ModelColumn.from_dict, many=True))
    positive: Label | None = None
    weights: Floats | None = field(default=None, metadata=array("weights", axes=(EVERY_ROW,)))
    clusters: Compact | None = field(default=None, metadata=codes_of("clusters"))
    cluster_names: tuple[Label, ...] | None = None
    numbers: Mapping[str, Floats] = field(
        default_factory=dict, metadata=by_role(lambda role, data: floats(data, role.name))
    )
    in_bins: bool = False

    def _facts(self) -> Iterator[tuple[str, bool]]:
        k, names = len(self.labels), self.cluster_names
        columns = [a for m in self.models for a in (m.decided, *m.scores) if a is not None]
        arrays = [*columns, *self.numbers.values()]
        codes = [self.true, *(m.decided for m in self.models if m.decided is not None)]
        yield "labels", alike(self.labels) and self.positive in (None, *self.labels)
        yield "models", len(set(self.names)) == len(self.models)
        yield "rows", all(a.shape == (self.rows,) for a in arrays)
        yield "rows", all(int(a.max(initial=0)) < k for a in codes)
        yield "rows", all((a >= 0).all() and np.isfinite(a).all() for a in self.numbers.values())
        yield "clusters", self.clusters is None or self._numbered(self.clusters)
        yield "clusters", names is None or (self.groups or k) <= len(set(names)) == len(names)

    @staticmethod
    def _numbered(codes: Compact) -> bool:
        """Return whether clusters are numbered from 0 up without empty ones."""
        return bool(len(codes)) and len(np.unique(codes)) == int(codes.max()) + 1

    def __add__(self, other: object) -> PairedPredictions:
        if not isinstance(other, PairedPredictions):
            return NotImplemented
        if not self.rows or not other.rows:
            return self if self.rows else other
        if (self.names, self.positive) != (other.names, other.positive):
            sides = [
                f"{list(j.names)} with the positive class {j.positive!r}" for j in (self, other)
            ]
            raise InputError(f"rows of {sides[0]} and of {sides[1]} cannot be added")
        labels = merged_labels(self.labels, other.labels)
        if any(j.clusters is not None and j.cluster_names is None for j in (self, other)):
            raise InputError(
                "clusters of two tallies are added by name, and these have no names; count all "
                "rows at once"
            )
        return PairedPredictions.of_parts((self, other), labels)

    def _under(
        self, labels: tuple[Label, ...], clusters: tuple[Label, ...] | None, weighted: bool
    ) -> PairedPredictions:
        """Return the same rows with classes and clusters coded by longer lists.

        Classes that are not in the old list have no rows.
        """
        codes = [labels.index(v) if v in labels else -1 for v in self.labels]
        place = compact(np.array(codes, np.intp), len(labels))
        recoded = replace(
            self,
            labels=labels,
            true=place[self.true],
            models=tuple(m.recoded(place) for m in self.models),
            weights=np.ones(self.rows) if weighted and self.weights is None else self.weights,
        )
        if clusters is None or self.clusters is None or self.cluster_names is None:
            return recoded
        at = {name: i for i, name in enumerate(clusters)}
        renamed = np.array([at[name] for name in self.cluster_names], np.int32)
        return replace(recoded, clusters=renamed[self.clusters], cluster_names=clusters)

    def __eq__(self, other: object) -> bool:
        """Return whether both contain the same rows, in any order."""
        if not isinstance(other, PairedPredictions):
            return NotImplemented
        fixed = ("labels", "names", "positive", "rows", "groups")
        if any(getattr(self, name) != getattr(other, name) for name in fixed):
            return False
        mine, its = (np.sort(j.unit_hashes()) for j in (self, other))
        return np.array_equal(mine, its)

    __hash__ = None  # type: ignore[assignment]

    def answers(self, name: str) -> tuple[NDArray[np.bool_], Floats]:
        """Return whether each answer of a model is right, and its confidence, its highest score."""
        return answers(self.true, np.stack(self.model(name).scores))

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.true)

    @cached_property
    def groups(self) -> int | None:
        """The number of clusters; None if rows are independent."""
        return None if self.clusters is None else int(self.clusters.max()) + 1

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The models' names."""
        return tuple(s.name for s in self.models)

    @property
    def nbytes(self) -> int:
        """The memory of the rows in bytes."""
        return sum(a.nbytes for a in self._arrays if a is not None)

    @property
    def _arrays(self) -> list[Any]:
        """The arrays with an entry per row, in the order in which rows are hashed."""
        columns = [a for m in self.models for a in (m.decided, *m.scores)]
        numbers = [values for _, values in sorted(self.numbers.items())]
        return [self.true, *columns, *numbers, self.weights, self.clusters]

    def _with(self, arrays: Iterable[Any]) -> PairedPredictions:
        """Return other rows of the same models, from their arrays."""
        true, *columns, weights, clusters = arrays
        rest = iter(columns)
        models = tuple(
            ModelColumn(m.name, next(rest), tuple(next(rest) for _ in m.scores))
            for m in self.models
        )
        numbers = dict(zip(sorted(self.numbers), rest, strict=True))
        return replace(
            self, true=true, models=models, weights=weights, clusters=clusters, numbers=numbers
        )

    @cached_property
    def positive_code(self) -> int | None:
        """The index of the positive class among the labels."""
        return None if self.positive is None else self.labels.index(self.positive)

    def model(self, name: str) -> ModelColumn:
        """Return one model's column."""
        check_name("model", name, self.names)
        return self.models[self.names.index(name)]

    @classmethod
    def of_parts(
        cls, parts: Sequence[PairedPredictions], labels: tuple[Label, ...] | None = None
    ) -> PairedPredictions:
        """Return parts of the rows, counted one after the other, as one.

        ``labels`` are the classes of all parts, which may have been counted with different ones.
        """
        if labels is not None:
            named = [p.cluster_names for p in parts if p.cluster_names is not None]
            names = reduce(merged_labels, named) if named else None
            weighted = any(p.weights is not None for p in parts)
            parts = [p._under(labels, names, weighted) for p in parts]
        if len(parts) == 1:
            return parts[0]

        columns = zip(*(p._arrays for p in parts), strict=True)
        rows = parts[0]._with(None if c[0] is None else np.concatenate(c) for c in columns)
        return replace(rows, in_bins=any(p.in_bins for p in parts))

    def repeated(self, times: NDArray[np.int64]) -> PairedPredictions:
        """Return the rows repeated by their counts."""
        return self._with(None if a is None else np.repeat(a, times) for a in self._arrays)

    def take(self, rows: NDArray[Any]) -> PairedPredictions:
        """Return the rows of a mask; the remaining clusters keep their order."""
        subset = self._with(None if a is None else a[rows] for a in self._arrays)
        if subset.clusters is None:
            return subset
        codes = np.unique(subset.clusters, return_inverse=True)[1]
        return replace(subset, clusters=codes.astype(np.int32), cluster_names=None)

    def cluster_blocks(self, seed: int) -> NDArray[np.intp]:
        """Return the cluster of every row, or its block if there are very many clusters.

        >>> j = PairedPredictions((0, 1), np.zeros(3, int), (), clusters=np.array([0, 0, 1]))
        >>> j.cluster_blocks(0).tolist()
        [0, 0, 1]
        """
        assert self.clusters is not None
        if (self.groups or 0) <= MOST_BLOCKS:
            return self.clusters.astype(np.intp)
        return np.asarray(self.dealt(seed, MOST_BLOCKS)[0], np.intp)

    # -- decisions -----------------------------------------------------------------------------

    def agreement(
        self, a: str, b: str, thresholds: tuple[float | None, float | None] = (None, None)
    ) -> NDArray[np.float64]:
        """Return row counts by true class and the decisions of two models: [true, by a, by b].

        With weights, their sums.
        """
        k = len(self.labels)
        by = [
            self.model(n).decisions(t, self.positive_code)
            for n, t in zip((a, b), thresholds, strict=True)
        ]
        return self.cells((k, k, k), self.true, *by)

    def cells(self, shape: tuple[int, ...], *places: NDArray[Any]) -> NDArray[np.float64]:
        """Return the number of rows in each cell of an array, or the sum of their weights.

        ``places`` (n,) are integers, one array for each axis of ``shape``.
        """
        return tabulate(shape, places, self.weights)

    def right(self, thresholds: Sequence[float | None]) -> NDArray[np.bool_]:
        """Return whether each model is correct: [model, row]."""
        code = self.positive_code
        return np.stack(
            [
                s.decisions(t, code) == self.true
                for s, t in zip(self.models, thresholds, strict=True)
            ]
        )

    # -- rankings ------------------------------------------------------------------------------

    def same_ranking(self, a: str, b: str) -> bool:
        """Return whether two models rank these rows the same, ties included.

        That is so if in every score column two rows have the same order in both models, or are tied
        in both. A model that only breaks ties ranks the rows differently. Always False in bins,
        which hide the order of their rows.
        """
        both = self.model(a).scores, self.model(b).scores
        if self.in_bins or not both[0] or len(both[0]) != len(both[1]):
            return False
        return all(map(_same_order, *both))

    # -- blocks --------------------------------------------------------------------------------

    def blocks(
        self,
        thresholds: Sequence[float | None],
        tallies: Sequence[Sequence[ScoreTally]],
        *,
        names: Sequence[str] | None = None,
        seed: int = 0,
        most: int = MOST_BLOCKS,
        apart: bool = False,
    ) -> PairedBlocks:
        """Return the rows counted in random blocks, to resample several models together.

        ``tallies`` are those of the models' scores, or of the models in ``names``; they define the
        score groups. The blocks do not depend on them.

        If there are at most ``most`` rows, each is a block, so resampling blocks is resampling
        rows. With more rows, blocks have equally many rows, and resampling them has the same
        expectation. Rows of one cluster stay in one block. With ``apart``, a score column keeps its
        other classes separate, which is needed if classes are resampled separately or compared in
        pairs.
        """
        k, code = len(self.labels), self.positive_code
        block, size = self.dealt(seed, most)
        names = self.names if names is None else tuple(names)
        models = map(self.model, names)
        decided: list[Any] = []
        ranked: list[tuple[ScoreBlocks, ...]] = []
        for side, threshold, columns in zip(models, thresholds, tallies, strict=True):
            decisions = side.decisions(threshold, code)
            decided.append(self.cells((size, k, k), block, self.true, decisions))
            bins, result = GROUPS if len(columns) == 1 else GROUPS_OF_MANY, []
            for tally, column in zip(columns, side.scores, strict=True):
                of = tally if len(columns) == 1 else tally._without_cache()  # one in memory
                scores = of._coarse(bins).scores
                place = places(column, of._coarse(bins, lowest=True).scores)
                positive = tally.labels.index(tally.positive)
                classes = self.true if apart else (self.true != positive).view(np.int8)
                shape = (k if apart else 2, size, len(scores))
                counts = self.cells(shape, classes, block, place)
                result.append(ScoreBlocks(positive if apart else 0, scores, counts))
            ranked.append(tuple(result))
        return PairedBlocks(self.labels, names, np.stack(decided), tuple(ranked))

    # -- canonical order -----------------------------------------------------------------------

    def unit_hashes(self) -> NDArray[np.uint64]:
        """Return a hash of the contents of every row, or of the rows of every cluster."""
        result = hash_rows([a for a in self._arrays[:-1] if a is not None])
        if self.clusters is None:
            return result
        # A cluster's hash is the sum of its rows', which is the same in any order of them.
        order = np.argsort(self.clusters, kind="stable")
        starts = np.searchsorted(self.clusters[order], np.arange(self.groups or 0))
        return scramble(np.add.reduceat(result[order], starts))

    def _in_order_of_contents(self) -> PairedPredictions:
        """Return the same rows with the models in an order that only their contents decide.

        A model's key adds up a hash of every row that holds its own outputs, and those of all
        models in any order: two models with equal counts still differ by the rows of these counts.
        """
        if len(self.models) < 2:
            return self
        columns = [[a for a in (m.decided, *m.scores) if a is not None] for m in self.models]
        numbers = [values for _, values in sorted(self.numbers.items())]
        shared = hash_rows([a for a in (self.true, *numbers, self.weights) if a is not None])
        for of in columns:
            shared += hash_rows(of)
        shared = scramble(shared)
        keys = [int(scramble(hash_rows(of) ^ shared).sum(dtype=np.uint64)) for of in columns]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        return replace(self, models=tuple(self.models[i] for i in order))

    def canonical_places(self, seed: int = 0) -> NDArray[np.intp]:
        """Return the rank of every row, or cluster, in the order of hash(seed, contents, k).

        Equal rows are numbered by k, so that they are as far apart as any others. The order of the
        models does not matter.
        """
        result = self._in_order_of_contents().unit_hashes()
        salt = scramble(np.array([seed], dtype=np.int64).view(np.uint64) + _STEP)
        ordered = np.sort(result)
        if (ordered[1:] == ordered[:-1]).any():
            order = np.argsort(result, kind="stable")
            ordered = result[order]
            starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
            sizes = np.diff(np.append(starts, len(result)))
            k = np.empty(len(result), dtype=np.uint64)
            k[order] = np.arange(len(result)) - np.repeat(starts, sizes)
            result = scramble(result + k * _STEP)
        del ordered
        out = np.empty(len(result), dtype=np.intp)
        out[np.argsort(scramble(result ^ salt))] = np.arange(len(result))
        return out

    def dealt(self, seed: int, most: int) -> tuple[NDArray[Any], int]:
        """Return the block of every row, and the number of blocks.

        Rows are assigned to the blocks in turn, so the numbers of rows, or of clusters, in two
        blocks differ by at most one.
        """
        place = self.canonical_places(seed)
        block = (place % most).astype(np.int16 if most < 32768 else np.int32)
        return block if self.clusters is None else block[self.clusters], min(len(place), most)


class WithoutEach:
    """How often each block counts if each in turn is left out, in the shape of a draw.

    Products with counts of the blocks are those of ``1 - np.eye(blocks)``, which is not made.
    """

    def __init__(self, blocks: int, classes: int, left_out: slice = slice(None)) -> None:
        self._blocks, self._classes, self._left_out = blocks, classes, left_out

    @property
    def shape(self) -> tuple[int, int, int]:
        """The numbers of blocks left out, of classes and of blocks."""
        left_out = range(self._blocks)[self._left_out]
        return len(left_out), self._classes, self._blocks

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, place: slice | tuple[slice, int]) -> WithoutEach:
        """Return some of the blocks left out; all classes are alike."""
        some = place[0] if isinstance(place, tuple) else place
        left_out = range(self._blocks)[self._left_out][some]
        return WithoutEach(self._blocks, self._classes, slice(left_out.start, left_out.stop))

    def __matmul__(self, counts: Any) -> Floats:
        """Return the counts, dense or sparse, without each block."""
        own = counts[self._left_out]
        return np.asarray(counts.sum(0) - (own.toarray() if hasattr(own, "toarray") else own))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoreBlocks(Display):
    """One score column in blocks: ``counts[true class, block, group of scores]``.

    ``positive`` is the index of the class whose scores they are. There may be two classes: that one
    and all others. ``scores`` represent the groups.
    """

    positive: int
    scores: Floats
    counts: Floats


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairedBlocks(Display):
    """The tallies of several models by block, over the same blocks of rows.

    ``decided`` is [model, block, true, predicted]. ``ranked`` has a tuple per model, with a
    :class:`ScoreBlocks` for each score column.
    """

    labels: tuple[Label, ...]
    names: tuple[str, ...]
    decided: Floats
    ranked: tuple[tuple[ScoreBlocks, ...], ...]

    def __len__(self) -> int:
        return int(self.decided.shape[1])

    def draw(
        self, draws: int, rng: np.random.Generator, stratified: bool = False
    ) -> NDArray[np.float64]:
        """Return how often every block is drawn in each resample: [draw, class, block].

        With ``stratified``, the rows of each true class are drawn separately; otherwise the numbers
        are the same for all classes.
        """
        b, k = len(self), len(self.labels)

        def drawn(shape: tuple[int, ...]) -> NDArray[np.float64]:
            # Counting drawn blocks is several times faster than multinomial numbers of each.
            n = math.prod(shape)
            which = rng.integers(0, b, (n, b)) + np.arange(n)[:, None] * b
            return np.bincount(which.ravel(), minlength=n * b).reshape(*shape, b).astype(np.float64)

        if stratified:
            return drawn((draws, k))
        return np.broadcast_to(drawn((draws,))[:, None, :], (draws, k, b))

    def matrices(self, model: int, times: Floats | WithoutEach) -> NDArray[np.float64]:
        """Return the resampled matrices [draw, true, predicted] of one model."""
        cells = self.decided[model]
        return np.stack([times[:, t] @ cells[:, t] for t in range(len(self.labels))], 1)

    def rankings(
        self,
        model: int,
        times: Floats | WithoutEach,
        factors: NDArray[np.float64] | None = None,
        *,
        pairs: bool = False,
    ) -> list[ScoreCounts]:
        """Return the resampled rankings of one model: each score column's class against the rest.

        ``factors`` [draw, class] multiply the rows of each class. With ``pairs`` of blocks that
        keep classes ``apart``, each column's class against each other one.
        """
        out = []
        for g in self.ranked[model]:
            # Where classes were not kept apart they are drawn together.
            apart = len(g.counts) == times.shape[1]
            resampled = [
                _drawn(times[:, t if apart else 0], counts) for t, counts in enumerate(g.counts)
            ]
            if factors is not None:
                resampled = [d * factors[:, t, None] for t, d in enumerate(resampled)]
            others = [d for t, d in enumerate(resampled) if t != g.positive]
            against = others if pairs else [np.sum(others, axis=0)]
            out += [ScoreCounts(g.scores, resampled[g.positive], other) for other in against]
        return out

    @property
    def once(self) -> NDArray[np.float64]:
        """Every block drawn once, in the shape of :meth:`draw`."""
        return np.ones((1, len(self.labels), len(self)))

    def whole(self, model: int) -> list[ScoreCounts]:
        """Return the rankings of all rows, one per score column, in the blocks' score groups."""
        return self.rankings(model, self.once)


_SPARSE = 16
"""From one count above 0 in this many on, a product of matrices is faster."""


def _drawn(times: Floats | WithoutEach, counts: Floats) -> Floats:
    """Return ``times @ counts``, of which most counts are 0 if blocks have few rows.

    >>> _drawn(np.array([[2.0, 1.0]]), np.diag([1.0, 3.0])).tolist()
    [[2.0, 3.0]]
    """
    if isinstance(times, WithoutEach) or _SPARSE * np.count_nonzero(counts) >= counts.size:
        return np.asarray(times @ counts)
    out = np.empty((len(times), counts.shape[1]))
    _kernels.draw_blocks(np.ascontiguousarray(times), np.ascontiguousarray(counts), out)
    return out


def _same_order(x: Floats, y: Floats) -> bool:
    """Return whether numbers have the same order and ties as others.

    >>> x = np.array([0.2, 0.1, 0.2, 0.9])
    >>> _same_order(x, x**2), _same_order(x, np.array([0.2, 0.1, 0.3, 0.9]))
    (True, False)
    """
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    return bool((y[1:] >= y[:-1]).all()) and np.array_equal(x[1:] > x[:-1], y[1:] > y[:-1])


def places(scores: Floats, lows: Floats) -> NDArray[np.uint16]:
    """Return the group of every score, given the lowest score of each group, ascending.

    A score below all of them belongs to the first.

    >>> places(np.array([0.5, 0.1, 0.9]), np.array([0.2, 0.5, 0.7])).tolist()
    [1, 0, 2]
    """
    place = np.empty(len(scores), dtype=np.uint16)
    cuts, no_width = np.append(lows, np.inf), np.zeros(len(lows))  # a bin between every two
    _kernels.find_bins(np.ascontiguousarray(scores), cuts, no_width, 1, place)
    return place


_STEP = np.uint64(0x9E3779B97F4A7C15)
_HASHED_AT_ONCE = 1 << 16
"""Number of rows that fit into the processor's cache."""


def scramble(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return 64-bit hashes of 64-bit numbers (Steele, Lea and Flood's SplitMix64, 2014)."""
    out = np.empty_like(values)
    for start in range(0, len(values), _HASHED_AT_ONCE):
        h = out[start : start + _HASHED_AT_ONCE]
        h[:] = values[start : start + _HASHED_AT_ONCE]
        h ^= h >> np.uint64(30)
        h *= np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(27)
        h *= np.uint64(0x94D049BB133111EB)
        h ^= h >> np.uint64(31)
    return out


def hash_rows(columns: Sequence[NDArray[Any]]) -> NDArray[np.uint64]:
    """Return a hash of each row of some columns, the same on every machine.

    >>> a, b = hash_rows([np.array([1, 2, 1])]), hash_rows([np.array([1.0, -0.0, 0.0])])
    >>> bool(a[0] == a[2] != a[1]), bool(b[1] == b[2])
    (True, True)
    """
    out = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        kind = np.float64 if column.dtype.kind == "f" else np.int64
        for start in range(0, len(out), _HASHED_AT_ONCE):
            rows = slice(start, start + _HASHED_AT_ONCE)
            values = np.ascontiguousarray(column[rows], dtype=kind) + kind(0)  # -0.0 is 0.0
            out[rows] = scramble(out[rows] + _STEP ^ values.view(np.uint64))
    return out
