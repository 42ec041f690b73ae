"""Count rows of Spark and Dask in one scan, on workers that have tallymark installed.

Each worker counts its rows into a small tally, and the tallies are merged as a tree: what is sent
between machines grows with the number of tallies and not with the rows. A first look at a few rows
shows whether the workers have this version, and lays the bins of scores; where it does not succeed,
the queries of :class:`Engine` count.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np

import tallymark
from tallymark.core import MANY_CLASSES, Bins, Chunk, Finding, FrameTable, Job
from tallymark.parts.engines import limits
from tallymark.parts.engines.findings import COUNTED_BY_QUERIES
from tallymark.parts.engines.group_counts import Column, Engine, Groups, engine_of

Parts = Iterable[tuple[int, bytes]]
Task = Callable[[Iterable[Any]], Parts]
"""What a worker does with its batches of rows."""


def engine_for(table: FrameTable, job: Job, notes: list[Finding]) -> Engine:
    """Return what counts a table: its workers, or queries with a note on why they cannot."""
    kind, called = engine_of(table)
    if kind not in CREWS:
        return Engine(table, job)
    workers = Workers(table, job)
    if workers.reason:
        notes.append(COUNTED_BY_QUERIES.finding(engine=called, reason=workers.reason))
        return Engine(table, job)
    return workers


def _cause_of(error: Exception) -> str:
    """Return the error of a task: the last one that its message names, or its own first line."""
    named = re.findall(r"^\s*([\w.]*(?:Error|Exception): .*)$", str(error), re.MULTILINE)
    first = next(iter(str(error).splitlines()), "")
    return (named[-1] if named else f"{type(error).__name__}: {first}")[:100]


class Workers(Engine):
    """A frame of Spark or Dask whose workers count all that is usually asked in one scan."""

    def __init__(self, table: FrameTable, job: Job) -> None:
        super().__init__(table, job)
        self.reason, self._sample = self._look()

    # -- the first look ------------------------------------------------------------------------

    def _look(self) -> tuple[str, Any]:
        """Return why the workers cannot count, or "", and some of their rows."""
        try:
            seen = list(CREWS[self.kind](self._sent_frame(), looking(limits.SAMPLED), None))
            import pyarrow as pa

            versions, tables = [], []
            for _, content in seen:
                with pa.ipc.open_stream(io.BytesIO(content)) as stream:
                    tables.append(stream.read_all())
                versions.append((tables[-1].schema.metadata or {})[b"tallymark"].decode())
        except Exception as error:  # such as workers without Python or Arrow
            return f"a task in Python failed there ({_cause_of(error)})", None
        ours = tallymark.__version__
        if wrong := sorted({v for v in versions if v != ours}):
            what = f"tallymark {wrong[-1]}" if wrong[-1] else "no tallymark"
            return f"they have {what}, and this is {ours}", None
        return "", [t for t in tables if t.num_rows]

    @cached_property
    def _sampled(self) -> Any:
        """The sampled rows, counted by their values; None if no row is complete."""
        import pyarrow as pa

        from tallymark.parts.engines.partial_tallies import rows_of

        lines = [rows_of(t, self._sent)[0] for t in self._sample]
        if not lines:
            return None
        table = pa.concat_tables(lines)
        return table.filter(pa.array(table.column("whole").to_numpy() == 1))

    def _bins(self, score: str, most: int) -> Bins:
        """Return bins of a score from the sampled rows."""
        if self._sampled is None or not self._sampled.num_rows:
            return Bins(np.array([0.0, 1.0]), 1)
        threshold = self.job.threshold
        truth = self._sampled.column(self._columns[self.job.truth].short).to_numpy()
        _, code = np.unique(truth.astype(str), return_inverse=True)
        scores = self._sampled.column(self._columns[score].short).to_numpy()
        in_class = code == self.job.scores.index(score) % (code.max() + 1)
        keep = (0.0, 0.5) if threshold is None else (float(threshold),)
        return Bins._of_sample(scores, in_class, most, keep)

    # -- the scan ------------------------------------------------------------------------------

    @property
    def _sent(self) -> Any:
        from tallymark.parts.engines.partial_tallies import Sent

        columns = self._columns.values()
        numbers = tuple(c.short for c in columns if c.short.startswith("score"))
        labels = {c.short: c.held for c in columns if c.short[:5] in ("label", "subgr")}
        needed = tuple(self._columns[n].short for n in self.job.needed)
        truth = self._columns[self.job.truth].short
        return Sent(labels, numbers, needed, truth, self.job.mass is not None)

    def _sent_frame(self) -> Any:
        """Return the columns that workers get, in the engine's own frame: null where missing."""
        present = set(self._frame.collect_schema().names())
        values = {
            c.short: nw.when(nw.col(c.flag) == 0).then(nw.col(c.short))
            if c.flag in present
            else nw.col(c.short)
            for c in self._columns.values()
        }
        return self._frame.select(**values).to_native()

    def _scan(self, groupings: Sequence[Any]) -> dict[int, Any]:
        """Count groupings in one scan; return the lines of those that fit."""
        from tallymark.parts.engines.partial_tallies import PartialTally, merged

        here = limits.LINES_OF_A_TALLY
        count, merge = counting(groupings, self._sent, here), merging(groupings)
        parts = CREWS[self.kind](self._sent_frame(), count, merge)
        return dict(merged(parts, PartialTally(groupings)).tables())

    @cached_property
    def _scanned(self) -> list[tuple[Any, Any]]:
        """Groupings and their lines, of the scan that counts what is usually asked."""
        from tallymark.parts.engines.partial_tallies import Grouping

        job, shorts = self.job, {n: c.short for n, c in self._columns.items()}
        labels = [shorts[n] for n in (*job.decided, *job.subgroups.values())]
        numbers = [shorts[n] for n in job.scores]
        # As in count_groups: several models keep their rows side by side, each with its weight.
        by_weight = job.mass and len(numbers) + len(job.models) > 2 and not job.counted
        weight = ["weight_0"] if by_weight else []
        truth, most, scores = shorts[job.truth], limits.MOST_LINES, job.scores
        decisions = Grouping((*labels, "whole"), most=most)
        first = Grouping((truth,), most=MANY_CLASSES + 2)
        groupings = [first, decisions]
        if scores:
            at = range(3, 3 + len(scores))
            whole = (*labels, *numbers, *weight, "whole")
            groupings[1:] = [Grouping(whole, most=most, instead=(2, *at)), decisions]
            groupings += [
                Grouping((truth, shorts[s], "whole"), most=most, instead=(i + len(scores),))
                for i, s in zip(at, scores, strict=True)
            ]
            groupings += [
                Grouping((truth, "whole"), {shorts[s]: self._bins(s, limits.BINS)}, ends=True)
                for s in scores
            ]
        found = self._scan(groupings)
        return [(g, found[i]) for i, g in enumerate(groupings) if i in found]

    # -- counts from one scan ------------------------------------------------------------------

    def _first_pass(self, numbers: Sequence[Column], sums: Sequence[str]) -> Groups:
        for grouping, lines in self._scanned:
            if grouping.keys == (self._sent.truth,):
                return self._arrays(lines, [self._columns[self.job.truth]])
        return {n: np.zeros(0) for n in ("rows", *(f"sum_{n}" for n in sums))} | {
            n: np.zeros(0)
            for c in (*numbers, self._columns[self.job.truth])
            for n in (c.short, c.flag, f"low_{c.short}", f"high_{c.short}")
        }

    def _grouped(
        self,
        columns: Sequence[Column],
        numbers: Sequence[str],
        by_weight: bool,
        bins: Mapping[str, Bins],
        ends: bool,
        keys: Mapping[str, Any],
        most: int,
    ) -> Groups:
        from tallymark.parts.engines.partial_tallies import Grouping, fitting, grouped

        if keys:  # expressions of the engine
            return super()._grouped(columns, numbers, by_weight, bins, ends, keys, most)
        shorts = [c.short for c in columns] + [self._columns[n].short for n in numbers]
        weight = ["weight_0"] if by_weight and self.job.mass else []
        of = {self._columns[n].short: laid for n, laid in bins.items()}
        wanted = Grouping((*shorts, *weight, "whole"), of, ends=ends, most=most)
        for grouping, lines in self._scanned[1:]:
            same = {n: b for n, b in of.items() if grouping.bins.get(n) == b}
            if {*wanted.keys, *of} <= {*grouping.keys, *same}:
                lines = grouped(fitting(lines, wanted), wanted.by)
                break
        else:
            lines = self._scan([Grouping((self._sent.truth,), most=1), wanted]).get(1)
        if lines is None:
            raise tallymark.InputError(f"{self.name} has no rows left; count it again")
        if weight:  # whose sums follow from the rows of a line
            lines = lines.drop_columns(["w", "v"])
        return self._arrays(lines.slice(0, most + 1), columns)

    def _arrays(self, lines: Any, labels: Sequence[Column]) -> Groups:
        """Return lines as the arrays that a query would return."""
        groups: Groups = {}
        for name in lines.column_names:
            groups[name] = lines.column(name).to_numpy()
        for column in labels:
            values = lines.column(column.short)
            neutral = "" if column.held == "text" else 0.0 if column.held == "float" else 0
            groups[column.flag] = values.is_null().to_numpy().astype(np.int64)
            groups[column.short] = values.fill_null(neutral).to_numpy()
        return groups

    def first_look(self, score: str) -> tuple[Chunk, bool]:
        """Return the lines of a score in the scan; its bins were laid by sampled rows."""
        short = self._columns[score].short
        for grouping, _ in self._scanned:
            if short in grouping.bins:
                return self.binned(score, grouping.bins[short], subgroups=False), True
            if short in grouping.keys:
                lines = self.lines([self.job.truth], [score], subgroups=False)
                assert lines is not None
                return lines, True
        return super().first_look(score)

    def perhaps_few(self, score: str) -> bool:
        """Tell from the sampled rows whether all distinct scores may fit into one query.

        Of n rows, n² / 2D pairs are expected to share one of D equally frequent scores.
        """
        if score not in self.job.scores or self._sampled is None:
            return True
        scores = self._sampled.column(self._columns[score].short).to_numpy()
        _, rows = np.unique(scores, return_counts=True)
        pairs = float((rows * (rows - 1)).sum()) / 2
        return len(scores) ** 2 / 2 <= limits.MOST_LINES * pairs


# -- tasks: they are sent by value, and import tallymark on the worker ---------------------------


def looking(most: int) -> Task:
    """Return the task that sends the version there, and some rows."""

    def look(batches: Iterable[Any]) -> Parts:
        import pyarrow as pa

        try:
            import tallymark
            from tallymark.parts.engines import partial_tallies  # noqa: F401

            version = str(tallymark.__version__)
        except ImportError:
            version = ""
        table = pa.table({})
        for batch in batches:
            if batch.num_rows:
                table = pa.table({n: batch.column(n) for n in batch.schema.names}).slice(0, most)
                break
        table = table.replace_schema_metadata({b"tallymark": version.encode()})
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table)
        yield 0, sink.getvalue().to_pybytes()

    return look


def counting(groupings: Sequence[Any], sent: Any, most: int) -> Task:
    """Return the task that counts batches of rows."""

    def count(batches: Iterable[Any]) -> Parts:
        from tallymark.parts.engines.partial_tallies import PartialTally, counted

        return counted(batches, sent, PartialTally(groupings, most))

    return count


def merging(groupings: Sequence[Any]) -> Task:
    """Return the task that merges tallies."""

    def merge(parts: Parts) -> Parts:
        from tallymark.parts.engines.partial_tallies import PartialTally, merged, packed

        return packed(merged(parts, PartialTally(groupings)))

    return merge


# -- the workers of each engine ------------------------------------------------------------------


def _by_spark(frame: Any, count: Task, merge: Task | None) -> Parts:
    """Run a task on the rows of Spark; tallies are merged in two steps on the workers.

    A task counts several partitions, so that the number of tallies is bounded. Without ``merge``
    a few tasks look at their first rows alone.
    """

    def over_rows(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for i, content in count(batches):
            yield pa.RecordBatch.from_pydict({"i": [i], "content": [content]})

    def over_parts(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        assert merge is not None
        parts = (
            (i.as_py(), content.as_py())
            for batch in batches
            for i, content in zip(batch.column("i"), batch.column("content"), strict=True)
        )
        for i, content in merge(parts):
            yield pa.RecordBatch.from_pydict({"i": [i], "content": [content]})

    cores = frame.sparkSession.sparkContext.defaultParallelism
    tasks = limits.LOOKS if merge is None else max(limits.TALLIES, 4 * cores)
    tallies = frame.coalesce(tasks).mapInArrow(over_rows, "i long, content binary")
    for merges in () if merge is None else (32, 4):
        if merges == 32 or cores > merges:
            tallies = tallies.repartition(min(merges, cores))
            tallies = tallies.mapInArrow(over_parts, "i long, content binary")
    return [(row["i"], bytes(row["content"])) for row in tallies.collect()]


def _by_dask(frame: Any, count: Task, merge: Task | None) -> Parts:
    """Run a task on the partitions of Dask; tallies are merged by 16 on the workers.

    Without ``merge`` one in 16 partitions is looked at, and at most a few.
    """
    import dask as untyped

    dask: Any = untyped

    def over_rows(rows: Any) -> list[tuple[int, bytes]]:
        import pyarrow as pa

        return list(count([pa.Table.from_pandas(rows, preserve_index=False)]))

    def over_parts(*several: Any) -> list[tuple[int, bytes]]:
        assert merge is not None
        return list(merge(part for parts in several for part in parts))

    pieces = frame.to_delayed()
    if merge is None:
        looks = min(-(-len(pieces) // 16), limits.LOOKS)
        pieces = [pieces[len(pieces) * k // looks] for k in range(looks)]
    tallies = [dask.delayed(over_rows)(piece) for piece in pieces]
    if merge is None:
        return [part for parts in dask.compute(*tallies) for part in parts]
    while len(tallies) > 1:
        ends = range(0, len(tallies), 16)
        tallies = [dask.delayed(over_parts)(*tallies[k : k + 16]) for k in ends]
    return list(dask.compute(tallies[0])[0])


CREWS: dict[str, Callable[[Any, Task, Task | None], Parts]] = {
    "pyspark": _by_spark,
    "dask": _by_dask,
}
"""Engines whose workers count: each runs a task on the rows, and merges what it returns."""
