"""Chunks of rows, the common output of all readers; and frames of any library as tables."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError
from tallymark.reading.layouts import Layout
from tallymark.reading.names import must_have
from tallymark.tally.arrays import (
    MAX_CLASSES,
    MOST_SUBGROUPS,
    Coded,
    Codes,
    Floats,
    Label,
    as_array,
    as_scores,
    code_groups,
    code_labels,
    declared_levels,
    frame_in_memory,
    join_labels,
    same_length,
    series_to_numpy,
)
from tallymark.tally.bins import BinnedCounts, Bins
from tallymark.tally.scores import ScoreTally

if TYPE_CHECKING:
    from tallymark.reading.ingest import RowCounter
    from tallymark.reading.join import Joined, JoinSides

CHUNK_ROWS = 4_000_000

GROUPS = ("rows", "values", "fewest", "most")
"""Statistics of groups of equal rows: rows, distinct values, smallest and largest group."""


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Some rows of a table, or lines that each count several rows.

    Label columns are coded, number columns float64 with NaN for missing and otherwise finite: the
    code that creates a chunk checks them. ``groups`` are cluster or fold columns as codes, -1 for
    missing.

    ``count`` is the number of rows of each line, None if each line is one row; ``weight`` the
    weight of each row of a line, None if all weigh 1. If rows of different weights share a line,
    ``sums`` are the sums of their weights and squared weights. For a score in ``bins`` the numbers
    are the lowest score of each line, and the bins come with the highest. ``again`` marks rows that
    an earlier chunk contained with other columns.
    """

    first_row: int
    labels: dict[str, Coded]
    numbers: dict[str, Floats]
    rows: int
    groups: dict[str, Codes] = field(default_factory=dict)
    count: NDArray[Any] | None = None
    weight: Floats | None = None
    sums: tuple[Floats, Floats] | None = None
    bins: dict[str, tuple[Bins, Floats]] = field(default_factory=dict)
    again: bool = False

    @property
    def total(self) -> int:
        """The total number of rows."""
        return self.rows if self.count is None else int(self.count.sum())

    @property
    def mass(self) -> Floats | None:
        """The weight of each line; None where each is a row of weight 1."""
        if self.sums is not None:
            return self.sums[0]
        if self.count is None:
            return self.weight
        count = self.count.astype(np.float64)
        return count if self.weight is None else count * self.weight

    @property
    def squares(self) -> Floats | None:
        """The sum of squared weights of each line; None where every row weighs 1."""
        if self.sums is not None:
            return self.sums[1]
        if self.weight is None:
            return None
        squared: Floats = self.weight**2
        return squared if self.count is None else self.count * squared

    def kept(self, keep: Any) -> Chunk:
        """Return the selected lines, by a mask or by indices."""

        def some(values: Any) -> Any:
            return None if values is None else values[keep]

        return replace(
            self,
            labels={n: c.kept(keep) for n, c in self.labels.items()},
            numbers={n: v[keep] for n, v in self.numbers.items()},
            rows=int(keep.sum()) if keep.dtype == bool else len(keep),
            groups={n: v[keep] for n, v in self.groups.items()},
            count=some(self.count),
            weight=some(self.weight),
            sums=None if self.sums is None else (some(self.sums[0]), some(self.sums[1])),
            bins={n: (b, highs[keep]) for n, (b, highs) in self.bins.items()},
        )


def count_scores(
    true: Codes, column: str, positive: Label, classes: tuple[Label, ...], of: Chunk
) -> ScoreTally:
    """Return the tally of one score column, from codes of the true class and a chunk's lines."""
    scores, k, mass, squares = of.numbers[column], len(classes), of.mass, of.squares
    if of.count is None:
        return ScoreTally.from_arrays(
            Coded(true, classes), scores, positive=positive, labels=classes, sample_weight=mass
        )
    bins, highs = of.bins.get(column, (None, scores))
    if bins is not None and (highs > scores).any():
        binned = BinnedCounts(bins, classes, squares is not None)
        in_class = true[:, None] == np.arange(k)
        both = [None if v is None else in_class * v[:, None] for v in (mass, squares)]
        assert both[0] is not None
        binned.add_cells(bins._place(scores), scores, highs, both[0], both[1], of.total)
        return ScoreTally._from_bins(binned, positive)
    return ScoreTally._of_codes(classes, positive, true, scores, mass, squares, of.total)


def joined(chunks: Sequence[Chunk]) -> Chunk:
    """Return several chunks as one; every line must be one row.

    >>> a, b = (Chunk(0, {"y": Coded(np.array([0]), (v,))}, {}, 1) for v in "ba")
    >>> joined([a, b]).labels["y"]
    Coded(codes=array([1, 0]), labels=('a', 'b'))
    """
    first, labels = chunks[0], {}
    for name in first.labels:
        parts = [c.labels[name] for c in chunks]
        if len(alike := {(c.labels, c.levels) for c in parts}) == 1:  # as in almost all batches
            parts = [Coded(np.concatenate([c.codes for c in parts]), *alike.pop())]
        columns = {f"{i}": c for i, c in enumerate(parts)}
        classes, codes = join_labels(columns)
        whole = codes[0] if len(codes) == 1 else np.concatenate(codes)
        labels[name] = Coded(whole, classes, declared_levels(columns))
    return Chunk(
        first.first_row,
        labels,
        {n: np.concatenate([c.numbers[n] for c in chunks]) for n in first.numbers},
        sum(c.rows for c in chunks),
        {n: np.concatenate([c.groups[n] for c in chunks]) for n in first.groups},
        weight=None if first.weight is None else np.concatenate([c.weight for c in chunks]),
    )


MISSING = ("", ".", "?", "NA", "N/A", "#N/A", "n/a", "nan", "NaN", "null", "NULL", "None")
"""Texts that mean a missing number, and a missing label unless it is a class."""

WHOLE = re.compile(r"-?(0|[1-9][0-9]*)")
_NUMBER = re.compile(r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?inf|nan")


def read_texts(texts: Sequence[str]) -> list[Any]:
    """Return the labels that texts stand for: all booleans, all numbers, or the texts unchanged.

    Only true and false are booleans; yes and no are texts, and so are codes such as 007.

    >>> read_texts(["0", "1"]), read_texts(["true", "False"]), read_texts(["007", "1"])
    ([0, 1], [True, False], ['007', '1'])
    """
    bare = [t.strip().lower() for t in texts]
    if set(bare) <= {"true", "false"}:
        return [t == "true" for t in bare]
    if all(WHOLE.fullmatch(t) for t in bare):
        return [int(t) for t in bare]
    if all(_NUMBER.fullmatch(t) for t in bare) and set(bare) != {"nan"}:
        return [float(t) for t in bare]
    return list(texts)


def vector_of(column: str, size: int) -> tuple[str, ...]:
    """Return the names of the elements of a vector column, by index of the class."""
    return tuple(f"{column}[{k}]" for k in range(size))


def unequal_vectors(column: str, fewest: int, most: int) -> InputError:
    """Return the error for vectors of unequal length."""
    return InputError(
        f"{column} holds vectors of {fewest} to {most} numbers; give every row one number per class"
    )


class AnyTable(ABC):
    """Defaults for all tables: rows are available and are read."""

    at_hand = True
    """Whether rows can be inspected cheaply; otherwise each look is a pass over all of them."""
    in_place = False
    """Whether it counts its rows itself, so that no row is read if all columns are named."""
    guarded: Callable[[], AbstractContextManager[None]] = staticmethod(nullcontext)
    """A context for reading, which may turn errors of a driver into refusals."""
    layout: Layout | None = None
    """The layout of the columns, if their names alone show it."""
    varies: Callable[[str], bool]
    """Returns whether a column has several values, for tables whose rows are not available."""

    @abstractmethod
    def chunks(self, *args: Any, **columns: Any) -> Iterator[Chunk]:
        """Yield the rows, some at a time."""

    def counted(self, counter: RowCounter) -> Iterable[Chunk]:
        """Return the chunks to count: its rows, or group counts if it counts itself."""
        return self.chunks(**counter.job.columns)


@contextmanager
def released(table: Any) -> Iterator[None]:
    """Close a table after reading, and turn errors of its driver into refusals."""
    with closing(table), table.guarded():
        yield


class FrameTable(AnyTable):
    """A frame of any library that Narwhals supports; a lazy one is collected."""

    name = "the data frame"
    kind = "frame"
    format: Sequence[str] = ()
    """Notes on what was not read literally."""
    close: Callable[[], Any] = staticmethod(lambda: None)
    """Releases resources early, such as a connection."""
    _percents: frozenset[str] = frozenset()

    def __init__(self, data: Any) -> None:
        self.take(frame_in_memory(data, self.name))

    def take(self, frame: Any) -> None:
        """Set the frame."""
        self.frame: Any = frame
        # pandas column names may be of any type, such as the classes 0 and 1; here they are texts.
        self.native_names = {str(n): n for n in frame.collect_schema().names()}
        self.columns = tuple(self.native_names)

    def in_percent(self, columns: Sequence[str]) -> None:
        """Read columns as percentages, whose numbers are divided by 100."""
        self._percents = frozenset(columns)

    def first(self, rows: int) -> tuple[tuple[Any, ...], ...]:
        """Return the first rows with their original values."""
        return tuple(self.frame.head(rows).rows())

    def some(self, rows: int | None = None) -> Any:
        """Return all rows, or ``rows`` of them evenly spread."""
        frame = self.frame
        if rows is None or len(frame) <= rows:
            return frame
        return frame[np.linspace(0, len(frame) - 1, rows).astype(int).tolist()]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.frame)

    def native(self, name: str) -> Any:
        """Return a column in the type of its own library."""
        return self.frame.get_column(self.native_names[name]).to_native()

    def column(self, name: str) -> NDArray[Any]:
        """Return a column as an array."""
        return series_to_numpy(self.native(name), name)

    def split(self, column: str) -> tuple[str, ...]:
        """Replace a vector column by its elements and return their names; else nothing."""
        import narwhals as nw

        dtype = self.frame.collect_schema()[self.native_names[column]]
        if not isinstance(dtype, nw.List | nw.Array | nw.Object):
            return ()
        array = self.column(column)
        present = [v for v in array if v is not None]
        vectors = present and isinstance(present[0], list | tuple | np.ndarray)
        if not vectors or all(np.ndim(v) == 0 for v in present):  # numbers are without axes
            return ()
        sizes = [np.size(v) for v in present]
        if min(sizes) < max(sizes):
            raise unequal_vectors(column, min(sizes), max(sizes))
        names = vector_of(column, sizes[0]) if sizes[0] > 1 else (column,)
        values = [
            as_scores(np.array([None if v is None else v[k] for v in array], dtype=object), name)
            for k, name in enumerate(names)
        ]
        self.take(
            self.frame.drop(self.native_names[column]).with_columns(
                nw.new_series(name, of_class, backend=self.frame.implementation)
                for name, of_class in zip(names, values, strict=True)
            )
        )
        return names

    def say(self, text: str) -> None:
        """Add a note on what was not read literally."""
        self.format = (*self.format, text)

    def join(self, sides: JoinSides) -> Joined | None:
        """Join the truth of another table in place, or return None to read both tables."""
        return None

    def put_beside(
        self, name: str, codes: NDArray[Any], labels: Sequence[Label], matched: NDArray[Any]
    ) -> None:
        """Add a label column and drop the rows that are not ``matched``."""
        import narwhals as nw

        keep = np.asarray(matched, dtype=bool)
        frame = self.frame if keep.all() else self.frame.filter(keep.tolist())
        values = _decoded(codes[keep], labels)
        column = nw.new_series(name, values, backend=frame.implementation)
        self.take(frame.with_columns(column))

    def holds_floats(self, column: str) -> bool:
        """Return whether a column's type is a floating or decimal number."""
        dtype = self.frame.collect_schema()[self.native_names[column]]
        return bool(dtype.is_float() or dtype.is_decimal())

    def groups(self, columns: Sequence[str]) -> dict[str, int] | None:
        """Return the statistics of :data:`GROUPS` for rows with equal values in some columns.

        A single column ignores missing values; several columns count every row. None if values
        cannot be compared: lists and other objects.
        """
        import narwhals as nw

        # By position, since names may be numbers, or look like patterns to Polars.
        names = [f"column {i}" for i in range(len(columns))]
        places = map(self.columns.index, columns)
        frame = self.frame.select(
            nw.nth(i).alias(name) for i, name in zip(places, names, strict=True)
        )
        objects = (nw.Object, nw.List, nw.Struct, nw.Array, nw.Unknown)
        if any(isinstance(dtype, objects) for dtype in frame.collect_schema().values()):
            return None
        if len(names) == 1:
            frame = frame.drop_nulls()
        sizes = frame.group_by(names, drop_null_keys=False).agg(nw.len().alias("rows"))
        return _group_counts(sizes.get_column("rows").to_numpy())

    def chunks(
        self,
        labels: Sequence[str],
        numbers: Sequence[str],
        groups: Sequence[str] = (),
        subgroups: Sequence[str] = (),
    ) -> Iterator[Chunk]:
        """Yield the named columns as one chunk."""
        requested = list(dict.fromkeys([*labels, *numbers, *groups]))
        must_have(self.columns, requested, self.name)
        most = {c: MOST_SUBGROUPS if c in subgroups else MAX_CLASSES for c in labels}
        scale = {c: 100 if c in self._percents else 1 for c in numbers}
        chunk = Chunk(
            first_row=0,
            labels={c: code_labels(self.native(c), c, 0, most[c]) for c in labels},
            numbers={c: as_scores(self.column(c), c, 0) / scale[c] for c in numbers},
            rows=self.rows,
            groups={c: code_groups(self.column(c), c, 0) for c in groups},
        )
        yield chunk if self.layout is None else self.layout.read(chunk)


class ArrayTable(FrameTable):
    """Arrays by name, as a frame has them."""

    name = "the table"
    kind = "arrays"

    def __init__(self, data: Mapping[str, Any]) -> None:
        if not data:
            raise InputError("the mapping is empty; give arrays by name, or a frame")
        self._arrays = {str(name): as_array(values, str(name)) for name, values in data.items()}
        for name, array in self._arrays.items():
            if array.ndim not in (1, 2):
                raise InputError(
                    f"{name} has shape {array.shape}; give each column as one value a row"
                )
        same_length(**self._arrays)
        self.columns = tuple(self._arrays)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(next(iter(self._arrays.values())))

    def native(self, name: str) -> NDArray[Any]:
        """Return a column."""
        return self._arrays[name]

    column = native

    def first(self, rows: int) -> tuple[tuple[Any, ...], ...]:
        """Return the first rows."""
        return tuple(zip(*(a[:rows].tolist() for a in self._arrays.values()), strict=True))

    def split(self, column: str) -> tuple[str, ...]:
        """Replace a two-dimensional array by its columns and return their names; else nothing."""
        array = self._arrays[column]
        if array.ndim == 1:
            return ()
        names = vector_of(column, array.shape[1])
        self._arrays |= dict(zip(names, array.T, strict=True))
        self.columns = tuple(self._arrays)
        return names

    def put_beside(
        self, name: str, codes: NDArray[Any], labels: Sequence[Label], matched: NDArray[Any]
    ) -> None:
        """Add an array of labels and drop the rows that are not ``matched``."""
        keep = np.asarray(matched, dtype=bool)
        added = np.array(_decoded(codes[keep], labels), dtype=object)
        self._arrays = {**{n: a[keep] for n, a in self._arrays.items()}, name: added}
        self.columns = tuple(self._arrays)

    def groups(self, columns: Sequence[str]) -> dict[str, int] | None:
        """Return the statistics of :data:`GROUPS` for rows with equal values in some columns."""
        keys = list(zip(*(self._arrays[c].tolist() for c in columns), strict=True))
        if len(columns) == 1:
            keys = [k for k in keys if k[0] is not None and k[0] == k[0]]
        return _group_counts(np.array([*Counter(map(str, keys)).values()]))


def _decoded(codes: NDArray[Any], labels: Sequence[Label]) -> list[Label | None]:
    """Return the labels of codes, None for -1."""
    return [labels[code] if code >= 0 else None for code in codes.tolist()]


def _group_counts(sizes: NDArray[Any]) -> dict[str, int]:
    """Return the statistics of :data:`GROUPS` from group sizes."""
    counts = (sizes.sum(), len(sizes), sizes.min() if len(sizes) else 0, sizes.max(initial=0))
    return dict(zip(GROUPS, map(int, counts), strict=True))
