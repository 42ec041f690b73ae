"""Tallies that workers of Spark and Dask count of their rows, and that add up.

This module runs on the workers. A tally is one table of lines for each grouping, as in a group-by:
keys, rows, sums of weights and, of binned scores, the lowest and highest score. A grouping that
gets too many lines is replaced by coarser ones, into which its lines are added without loss. What
remains therefore does not depend on how the rows are split among the workers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallymark.core import BinnedCounts, Bins

BUFFER = 1 << 18
"""Rows that are collected before they are grouped."""

MOST_DENSE = 8
"""Most classes whose bins the kernel counts, in an array of all bins for each."""

TYPES = {
    "text": pa.string(),
    "boolean": pa.int64(),
    "integer": pa.int64(),
    "float": pa.float64(),
}
"""The Arrow type of each kind of column."""


@dataclass(frozen=True, slots=True)
class Sent:
    """The columns that workers get, by name with their kinds; a missing value is null.

    Rows with all columns ``needed`` are complete; numbers count in these alone. ``truth`` is the
    column of classes; ``weight`` says whether the column weight_0 exists.
    """

    labels: Mapping[str, str]
    numbers: tuple[str, ...]
    needed: tuple[str, ...]
    truth: str
    weight: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """What lines are grouped by: columns of labels and numbers, and bins of other numbers.

    With ``ends`` the lowest and highest number of the single binned column are kept. With more
    than ``most`` lines the groupings ``instead`` replace this one; without any, ``most`` + 1 lines
    show that there are too many.
    """

    keys: tuple[str, ...]
    bins: Mapping[str, Bins] = field(default_factory=dict)
    ends: bool = False
    most: int = 1 << 62
    instead: tuple[int, ...] = ()

    @property
    def by(self) -> list[str]:
        """The columns of a line's key."""
        return [*self.keys, *map(bin_of, self.bins)]


def bin_of(number: str) -> str:
    """Return the name of the column that has the bin of a number.

    >>> bin_of("score_0")
    'bin_score_0'
    """
    return f"bin_{number}"


def rows_of(batch: Any, sent: Sent) -> tuple[pa.Table, pa.Table]:
    """Return a batch of rows as lines, and as lines of the first pass: what is missing, and ends.

    >>> sent = Sent({"y": "integer"}, ("s",), ("y", "s"), "y")
    >>> lines, first = rows_of(pa.table({"y": [0, 1], "s": [0.5, None]}), sent)
    >>> lines.select(["y", "s", "whole", "rows"]).to_pylist()[1]
    {'y': 1, 's': 0.0, 'whole': 0, 'rows': 1}
    >>> first.column("sum_s_gone").to_pylist()
    [0, 1]
    """
    size, zero = batch.num_rows, pa.scalar(0.0)
    floats = dict.fromkeys((*sent.numbers, *(["weight_0"] if sent.weight else [])), "float")
    columns = {
        name: batch.column(name).cast(TYPES[kind], safe=False)
        for name, kind in {**sent.labels, **floats}.items()
    }
    gone = {name: pc.is_null(values, nan_is_null=True) for name, values in columns.items()}
    whole: Any = pa.array(np.full(size, True))
    for name in sent.needed:
        whole = pc.and_(whole, pc.invert(gone[name]))
    ones = pa.array(np.ones(size, np.int64))
    lines: dict[str, Any] = {name: columns[name] for name in sent.labels}
    first: dict[str, Any] = {sent.truth: columns[sent.truth], "rows": ones}
    for name in floats:
        x = columns[name]
        first[f"low_{name}"] = first[f"high_{name}"] = pc.if_else(gone[name], None, x)
        # A sum with 0.0 turns -0.0 into 0.0.
        lines[name] = pc.add(pc.if_else(pc.and_(whole, pc.invert(gone[name])), x, zero), zero)
    first |= {f"sum_{name}_gone": values.cast(pa.int64()) for name, values in gone.items()}
    first["sum_whole"] = lines["whole"] = whole.cast(pa.int64())
    if sent.weight:
        w = lines["weight_0"]
        for what, found in wrong_weights(w, gone["weight_0"]).items():
            first[f"sum_{what}"] = pc.and_(whole, found).cast(pa.int64())
        lines |= {"w": w, "v": pc.multiply(w, w)}
    return pa.table({**lines, "rows": ones}), pa.table(first)


def wrong_weights(w: Any, gone: Any) -> dict[str, Any]:
    """Return, for each property of weights that the first pass counts, which rows have it."""
    positive = pc.greater(w, 0.0)
    tiny = pc.and_(positive, pc.less(w, 1e-60))
    return {
        "missing": gone,
        "below zero": pc.less(w, 0.0),
        "heavy": positive,
        "fraction": pc.not_equal(w, pc.floor(w)),
        "extreme": pc.or_(pc.greater(w, 1e60), tiny),
    }


def grouped(table: pa.Table, by: Iterable[str]) -> pa.Table:
    """Return lines with distinct keys: columns named low and high as ends, all others as sums.

    >>> lines = pa.table({"y": [1, 0, 1], "rows": [1, 1, 2], "low": [0.3, 0.1, 0.2]})
    >>> grouped(lines, ["y"]).to_pylist()
    [{'y': 1, 'rows': 3, 'low': 0.2}, {'y': 0, 'rows': 1, 'low': 0.1}]
    """
    keys = list(by)
    rest = [name for name in table.column_names if name not in keys]
    ways = [{"low": "min", "high": "max"}.get(name.partition("_")[0], "sum") for name in rest]
    lines = table.group_by(keys, use_threads=False).aggregate(list(zip(rest, ways, strict=True)))
    names = {f"{name}_{way}": name for name, way in zip(rest, ways, strict=True)}
    lines = lines.rename_columns([names.get(name, name) for name in lines.column_names])
    return lines.select([*keys, *rest])


def fitting(lines: pa.Table, grouping: Grouping) -> pa.Table:
    """Return lines, finer ones or rows, with the columns of a grouping."""
    columns = {name: lines.column(name) for name in grouping.keys}
    for number, bins in grouping.bins.items():
        if (place := bin_of(number)) in lines.column_names:
            columns[place] = lines.column(place)
        else:
            columns[place] = pa.array(bins._place(lines.column(number).to_numpy()))
        if grouping.ends:
            for end in ("low", "high"):
                name = end if end in lines.column_names else number
                columns[end] = lines.column(name)
    sums = ("rows", "w", "v")
    return pa.table(columns | {n: lines.column(n) for n in sums if n in lines.column_names})


class PartialTally:
    """Lines of several groupings, of which only those that fit are kept.

    Grouping 0 is the first pass. ``most`` is the limit on the lines of a grouping that others may
    replace; a worker takes a smaller one than the whole, since its tally travels.

    >>> fine, coarse = Grouping(("y", "s"), most=2, instead=(2,)), Grouping(("y",))
    >>> tally = PartialTally([Grouping(("y",)), fine, coarse])
    >>> tally.add(1, pa.table({"y": [0, 0, 1], "s": [0.1, 0.2, 0.3], "rows": [1, 1, 1]}))
    >>> {i: table.to_pylist() for i, table in tally.tables()}
    {2: [{'y': 0, 'rows': 2}, {'y': 1, 'rows': 1}]}
    """

    def __init__(self, groupings: Iterable[Grouping], most: int = 1 << 62) -> None:
        self.groupings, self.most = list(groupings), most
        self._above = {j: i for i, g in enumerate(self.groupings) for j in g.instead}
        roots = [i for i in range(len(self.groupings)) if i not in self._above]
        self._pending: dict[int, list[pa.Table]] = {i: [] for i in roots}
        self._dense: dict[tuple[int, Any, int], tuple[Any, BinnedCounts]] = {}
        self._room = dict.fromkeys(range(len(self.groupings)), BUFFER)

    def add(self, i: int, lines: pa.Table) -> None:
        """Add lines to a grouping, or to those that replaced it."""
        above = [i]
        while above[-1] in self._above:
            above.append(self._above[above[-1]])
        for finer in above[:0:-1]:  # whoever sent these lines had too many of the finer ones
            if finer in self._pending:
                self._replace(finer)
        if i not in self._pending:
            for j in self.groupings[i].instead:
                self.add(j, lines)
            return
        self._pending[i].append(lines if i == 0 else fitting(lines, self.groupings[i]))
        if sum(t.num_rows for t in self._pending[i]) > self._room[i]:
            self._group(i)

    def add_rows(self, batch: Any, sent: Sent) -> None:
        """Add rows to every grouping."""
        lines, first = rows_of(batch, sent)
        for i in list(self._pending):
            if i in self._pending and not self._added_to_bins(i, lines):
                self.add(i, lines if i else first)

    def _added_to_bins(self, i: int, lines: pa.Table) -> bool:
        """Add rows without weights to a grouping in bins by the kernel, unless it has many keys."""
        grouping = self.groupings[i]
        if not grouping.ends or len(grouping.keys) > 2 or "w" in lines.column_names:
            return False
        truth, whole = grouping.keys
        ((number, bins),) = grouping.bins.items()
        encoded = lines.column(truth).combine_chunks().dictionary_encode(null_encoding="encode")
        if len(encoded.dictionary) > MOST_DENSE:
            return False
        numbers = lines.column(number).to_numpy()
        codes = 2 * encoded.indices.to_numpy() + lines.column(whole).to_numpy()
        for code in np.unique(codes).tolist():
            rows = numbers[codes == code]
            value = encoded.dictionary.slice(code // 2, 1)
            key = (i, value.to_pylist()[0], code % 2)
            if key not in self._dense:
                self._dense[key] = (value, BinnedCounts(bins, (0,)))
            self._dense[key][1].add(np.zeros(len(rows), np.int64), rows)
        return True

    def _add_dense(self) -> None:
        """Add the counts that the kernel made to the tally."""
        for (i, _, complete), (value, counts) in self._dense.items():
            truth, whole = self.groupings[i].keys
            ((number, bins),) = self.groupings[i].bins.items()
            found = counts.filled()
            low, high = found["scores"] + 0.0, found["highs"] + 0.0
            size = len(low)
            columns = {
                truth: value.take(pa.array(np.zeros(size, np.int64))),
                whole: np.full(size, complete),
                bin_of(number): bins._place(low),
                "low": low,
                "high": high,
                "rows": found["counts"][:, 0].astype(np.int64),
            }
            self.add(i, pa.table(columns))
        self._dense = {}

    def _group(self, i: int) -> None:
        grouping = self.groupings[i]
        table = grouped(pa.concat_tables(self._pending[i]), grouping.by)
        most = min(grouping.most, self.most) if grouping.instead else grouping.most
        self._pending[i], self._room[i] = [table], 2 * table.num_rows + BUFFER
        if table.num_rows > most:
            if grouping.instead:
                self._replace(i)
            else:
                self._pending[i] = [table.slice(0, most + 1)]

    def _replace(self, i: int) -> None:
        tables = self._pending.pop(i)
        for j in self.groupings[i].instead:
            self._pending[j] = []
        for j in self.groupings[i].instead:
            for table in tables:
                self.add(j, table)

    def tables(self) -> Iterator[tuple[int, pa.Table]]:
        """Return the lines of each grouping that is kept, unless there are none."""
        self._add_dense()
        waiting = list(self._pending)
        while waiting:
            i = waiting.pop()
            if self._pending.get(i):
                self._group(i)
            if i not in self._pending:
                waiting += self.groupings[i].instead
        for i in sorted(self._pending):
            if self._pending[i]:
                yield i, self._pending[i][0]


def packed(tally: PartialTally) -> Iterator[tuple[int, bytes]]:
    """Return the tables of a tally as bytes that travel."""
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    for i, table in tally.tables():
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema, options=options) as stream:
            stream.write_table(table)
        yield i, sink.getvalue().to_pybytes()


def unpacked(content: bytes) -> pa.Table:
    """Return a table that was packed."""
    with pa.ipc.open_stream(pa.py_buffer(content)) as stream:
        return stream.read_all()


def counted(batches: Iterable[Any], sent: Sent, tally: PartialTally) -> Iterator[tuple[int, bytes]]:
    """Return the packed tally of batches of rows."""
    for batch in batches:
        tally.add_rows(batch, sent)
    return packed(tally)


def merged(parts: Iterable[tuple[int, bytes]], tally: PartialTally) -> PartialTally:
    """Return a tally with packed parts added."""
    for i, content in parts:
        tally.add(i, unpacked(content))
    return tally
