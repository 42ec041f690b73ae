"""Columns of a file where DuckDB keeps them: a copy that may spill to disk, or the file itself."""

from __future__ import annotations

import contextlib
import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from tallymark.data.chunks import CHUNK_ROWS, Chunk, read_texts
from tallymark.data.columns import refuse_too_many
from tallymark.errors import InputError
from tallymark.tally.arrays import (
    MAX_CLASSES,
    MOST_SUBGROUPS,
    Coded,
    Label,
    as_scores,
    at,
    code_labels,
    fraction_of_label,
)

if TYPE_CHECKING:
    from tallymark.data.files import FileTable

_FEW = 8
_LIST_LOOKUP = 64
"""Up to so many labels are coded by looking through a list, which keeps the order of rows."""

_FRACTIONS = re.compile(r"FLOAT|DOUBLE|DECIMAL\(.*\)")
_NUMBERS = re.compile(r"U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\)|BOOLEAN")
_TEXTS = re.compile(r"VARCHAR|ENUM\(.*\)", re.DOTALL)
_FLOATS = ("FLOAT", "DOUBLE")
_EMPTY = '"NULL"'


@dataclass(frozen=True, slots=True)
class _Coder:
    """How a label column is coded: SQL for a small number, and the label that number means."""

    sql: str
    join: str
    values: list[Any]
    codes: NDArray[np.intp]
    labels: tuple[Label, ...]


class FileScan:
    """The columns asked for, checked and coded, to be read by ranges of rows, as often as wanted.

    Columns of Parquet files are read where they are, since any range of their rows is found at
    once. Those of other kinds, and columns that say which rows belong together, are copied first.
    """

    def __init__(
        self,
        table: FileTable,
        labels: Sequence[str],
        numbers: Sequence[str],
        groups: Sequence[str],
        subgroups: Sequence[str],
    ) -> None:
        self.table = table
        self.labels, self.numbers, self.groups = labels, numbers, groups
        self.subgroups = subgroups
        self.kept = f"kept_{next(table.serial)}"
        self.rows = 0
        self._reading = Lock()
        self._sizes: Sequence[int] = ()
        self._parts: list[tuple[int, str]] = []
        """Where a part of the rows starts, and what it is read from."""

    def __enter__(self) -> Self:
        try:
            self._keep()
            self._code()
        except BaseException:
            self._drop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._drop()

    def _keep(self) -> None:
        """Copy the columns, or note where each file's rows start."""
        needs = "labels must be integers, texts or booleans"
        columns = [f"{self._sql_of(c, needs)[0]} AS l{i}" for i, c in enumerate(self.labels)]
        columns += [s for i, c in enumerate(self.numbers) for s in self._stored_number(c, i)]
        columns += [f"{self._stored_group(c)} AS g{i}" for i, c in enumerate(self.groups)]
        wanted = ", ".join(columns)
        sizes = self.table.parquet_rows() if not self.groups else None
        if sizes is None:
            self.table.read(f"CREATE TEMP TABLE {self.kept} AS SELECT {wanted} FROM source")
            self.rows = int(self.table.run(f"SELECT count(*) FROM {self.kept}").fetchone()[0])
            self._parts = [(0, self.kept)]
        else:
            self.table.read(f"CREATE TEMP VIEW {self.kept} AS {self._whole(wanted, sizes)}")
            self.rows = sum(sizes)
            self._columns, self._sizes = wanted, sizes
            self._parts = self._joined(wanted, sizes)
        self.table.known_rows = self.rows
        if not self.rows:
            raise InputError(f"{self.table.name} has a header and no rows; give at least one")

    def _whole(self, wanted: str, sizes: Sequence[int], first: int = 0, start: int = 0) -> str:
        """Return SQL for some neighbouring Parquet files, whose rows are numbered from start on."""
        starts = list(accumulate(sizes[:-1], initial=start))
        before = (
            f"({literal(starts)}::BIGINT[])[file_index::BIGINT + 1]" if len(sizes) > 1 else start
        )
        files = self.table.parquet(self.table.files[first : first + len(sizes)])
        return f"SELECT {wanted}, {before} + file_row_number AS rowid FROM {files}"

    def _joined(self, wanted: str, sizes: Sequence[int]) -> list[tuple[int, str]]:
        """Return parts of the rows: large files alone, so that ranges are found, small together."""
        parts, first, start = [], 0, 0
        for i in range(1, len(sizes) + 1):
            if i == len(sizes) or sum(sizes[first : i + 1]) > CHUNK_ROWS:
                parts.append((start, f"({self._whole(wanted, sizes[first:i], first, start)})"))
                start += sum(sizes[first:i])
                first = i
        return parts

    def _code(self) -> None:
        """Check the columns, and find how labels and groups are coded."""
        for i, column in enumerate(self.numbers):
            self._refuse_text(column, f"b{i}")
        self._coders = [
            self._coder(c, f"l{i}", c in self.subgroups) for i, c in enumerate(self.labels)
        ]
        wanted = [f"{coder.sql} AS l{i}" for i, coder in enumerate(self._coders)]
        wanted += [f"n{i}" for i in range(len(self.numbers))]
        wanted += [
            f"coalesce({self.kept}_g{i}.k, -1)::BIGINT AS g{i}" for i in range(len(self.groups))
        ]
        joins = " ".join(coder.join for coder in self._coders if coder.join)
        joins += "".join(self._group_join(c, f"g{i}") for i, c in enumerate(self.groups))
        self._wanted, self._joins = ", ".join(wanted), joins
        self._given = [v for c in self._coders if not c.join for v in c.values]
        self._given += [v for c in self._coders if c.join for v in c.values]

    def _drop(self) -> None:
        with contextlib.suppress(self.table.errors()):  # closed while it was read
            kind = "VIEW" if self._parts and self._parts[0][1] != self.kept else "TABLE"
            self.table.run(f"DROP {kind} IF EXISTS {self.kept}")
            for i in range(len(self.groups)):
                self.table.run(f"DROP TABLE IF EXISTS {self.kept}_g{i}")

    def chunks(self, size: int) -> Iterator[Chunk]:
        """Read all rows in chunks of at most so many."""
        ends = [start for start, _ in self._parts[1:]] + [self.rows]
        for (start, part), end in zip(self._parts, ends, strict=True):
            for first in range(start, end, size):
                yield from self._read_all(part, [(first, min(first + size, end))])

    def grouped(self) -> Chunk | None:
        """Return each combination of labels once, and how many rows have it.

        None where a label is missing: which row that is, only the rows tell.
        """
        raw = ", ".join(f"l{i}" for i in range(len(self.labels)))
        with self._reading:
            arrays = self.table.read(
                f"SELECT {self._wanted}, n FROM (SELECT {raw}, count(*)::DOUBLE AS n FROM "
                f"{self.kept} GROUP BY ALL) AS {self.kept} {self._joins} ORDER BY ALL",
                self._given,
            ).fetchnumpy()
        codes = self._coded(arrays)
        if any(c.missing for c in codes.values()):
            return None
        many = np.asarray(arrays["n"], dtype=np.float64)
        if many.sum() != self.rows:
            raise self._changed(self.rows, int(many.sum()), 0)
        return Chunk(first_row=0, labels=codes, numbers={}, rows=len(many), count=many)

    def _coded(self, arrays: Mapping[str, Any], rows: slice = slice(None)) -> dict[str, Coded]:
        """Return the label columns of what DuckDB gave."""
        return {
            c: Coded(coder.codes[np.asarray(arrays[f"l{i}"][rows])], coder.labels)
            for i, (c, coder) in enumerate(zip(self.labels, self._coders, strict=True))
        }

    def _changed(self, before: int, after: int, first: int) -> InputError:
        return InputError(
            f"{self.table.name} changed while it was read: {before:,} rows from row {first + 1:,} "
            f"on were {after:,} later; count it again when nobody writes to it"
        )

    def sample(self, rows: int, pieces: int = 50) -> Iterator[Chunk]:
        """Read about so many rows, in pieces evenly spread over all."""
        ends = [start for start, _ in self._parts[1:]] + [self.rows]
        each = max(rows // pieces, 1)
        asked: dict[str, list[tuple[int, int]]] = {}
        for (start, part), end in zip(self._parts, ends, strict=True):
            share = (end - start) / self.rows
            firsts = np.linspace(start, max(end - each, start), max(round(pieces * share), 1))
            for first in dict.fromkeys(int(x) for x in firsts):
                piece = first, min(first + each, end)
                asked.setdefault(self._files_of(part, *piece), []).append(piece)
        for part, ranges in asked.items():
            at_once = len(ranges) if self.table.skips() else 1
            for i in range(0, len(ranges), at_once):
                yield from self._read_all(part, ranges[i : i + at_once])

    def _files_of(self, part: str, first: int, end: int) -> str:
        """Return SQL for those files of a part that hold a range of its rows."""
        if not self._sizes:
            return part
        starts = list(accumulate(self._sizes, initial=0))
        low, high = bisect_right(starts, first) - 1, bisect_left(starts, end)
        return f"({self._whole(self._columns, self._sizes[low:high], low, starts[low])})"

    def _read_all(self, part: str, ranges: Sequence[tuple[int, int]]) -> Iterator[Chunk]:
        """Read ranges of rows, ascending, by one question."""
        order = f" ORDER BY {self.kept}.rowid" if self._joins else ""
        place = f"{self.kept}.rowid"
        within = " OR ".join(f"({place} >= {first} AND {place} < {end})" for first, end in ranges)
        query = (
            f"SELECT {self._wanted} FROM {part} AS {self.kept} {self._joins} WHERE {within}{order}"
        )
        with self._reading:  # a connection answers one question at a time
            arrays = self.table.read(query, self._given).fetchnumpy()
        wanted = sum(end - first for first, end in ranges)
        found = len(next(iter(arrays.values()))) if arrays else wanted
        if found != wanted:
            raise self._changed(wanted, found, ranges[0][0])
        stop = 0
        for first, end in ranges:
            rows = slice(stop, stop := stop + end - first)
            yield Chunk(
                first_row=first,
                labels=self._coded(arrays, rows),
                numbers={
                    c: as_scores(np.asarray(arrays[f"n{i}"][rows]), c, first)
                    for i, c in enumerate(self.numbers)
                },
                rows=end - first,
                groups={
                    c: np.asarray(arrays[f"g{i}"][rows], dtype=np.intp)
                    for i, c in enumerate(self.groups)
                },
            )

    def _sql_of(self, column: str, needs: str) -> tuple[str, bool]:
        """Return SQL for a column's values, and whether they are texts."""
        quoted, kind = identifier(column), self.table.types[column]
        if kind == "JSON" or _TEXTS.fullmatch(kind):
            return f"{quoted}::VARCHAR", True
        if kind == _EMPTY:
            return "NULL::VARCHAR", True
        if not _NUMBERS.fullmatch(kind):
            raise InputError(f"{column} is of type {kind}; {needs}")
        return quoted, False

    def _stored_number(self, column: str, i: int) -> list[str]:
        """Return SQL for a column as numbers, and for the texts in it that are none."""
        value, text = self._sql_of(column, "give numbers")
        number, bad = f"{value}::DOUBLE", "NULL::VARCHAR"
        if text:
            number = f"TRY_CAST({value} AS DOUBLE)"
            missing = f"{identifier(column)} IS NULL"
            bad = f"CASE WHEN NOT {missing} AND {number} IS NULL THEN {value} END"
        return [f"coalesce({number}, 'nan'::DOUBLE) AS n{i}", f"{bad} AS b{i}"]

    def _stored_group(self, column: str) -> str:
        """Return SQL for a column that says which rows belong together: NULL where it does not."""
        kind = self.table.types[column]
        value, _ = self._sql_of(column, "say which rows belong together by integers or by texts")
        if kind == "JSON":
            # As JSON 1 and "1" differ, and so do they here; lists and objects are refused later.
            return f"CASE WHEN {value} <> 'null' THEN {value} END"
        return f"CASE WHEN NOT isnan({value}) THEN {value} END" if kind in _FLOATS else value

    def _first(self, where: str, value: str = "NULL", given: Sequence[Any] = ()) -> Any:
        """Return the first row of which something holds, and a value there; or None."""
        return self.table.run(
            f"SELECT rowid, {value} FROM {self.kept} WHERE {where} ORDER BY rowid LIMIT 1", given
        ).fetchone()

    def _group_join(self, column: str, stored: str) -> str:
        """Make numbers of a column's groups, and return SQL that looks them up."""
        if _FRACTIONS.fullmatch(self.table.types[column]):
            found = self._fraction(stored)
            if found is not None:
                raise fraction_of_label(column, found[1], at(found[0], 0), 0)
        if self.table.types[column] == "JSON":
            row = self._first(f"{stored}[1] IN ('[', '{{')")
            if row is not None:
                raise InputError(
                    f"{column} holds a list or an object at {at(row[0], 0)}; say which rows belong "
                    "together by integers or by texts"
                )
        self.table.run(
            f"CREATE TEMP TABLE {self.kept}_{stored} AS SELECT v, row_number() OVER () - 1 AS k "
            f"FROM (SELECT DISTINCT {stored} AS v FROM {self.kept} WHERE {stored} IS NOT NULL)"
        )
        return f" LEFT JOIN {self.kept}_{stored} ON {self.kept}.{stored} = {self.kept}_{stored}.v"

    def _refuse_text(self, column: str, bad: str) -> None:
        row = self._first(f"{bad} IS NOT NULL", bad)
        if row is not None:
            value = json.loads(row[1]) if self.table.types[column] == "JSON" else row[1]
            raise InputError(
                f"{column} holds {value!r} at {at(row[0], 0)}, which is not a number; give numbers"
            )

    def _coder(self, column: str, stored: str, subgroup: bool = False) -> _Coder:
        """Find a column's labels, and how each of its distinct values is coded."""
        kind, most = self.table.types[column], MOST_SUBGROUPS if subgroup else MAX_CLASSES
        found = self.table.run(
            f"SELECT DISTINCT {stored} FROM {self.kept} WHERE {stored} IS NOT NULL LIMIT {most + 1}"
        ).fetchall()
        raw = [row[0] for row in found if row[0] == row[0]]
        meant = self._meanings(column, raw, stored)
        if _FRACTIONS.fullmatch(kind) or any(isinstance(v, float) for v in meant):
            row = self._fraction(stored)
            if row is not None:
                raise fraction_of_label(column, row[1], at(row[0], 0), most)
        refuse_too_many(column, len(raw), most)
        coded = code_labels(meant, column, 0, most)
        codes = np.full(len(raw) + 1, -1, dtype=np.intp)
        codes[1:] = coded.codes[: len(raw)]
        base = "VARCHAR" if kind in ("JSON", _EMPTY) or _TEXTS.fullmatch(kind) else kind
        place = f"{self.kept}.{stored}"
        values, join = [raw], ""
        if 0 < len(raw) <= _FEW:  # quicker than a list
            cases = " ".join(f"WHEN ?::{base} THEN {i + 1}" for i in range(len(raw)))
            sql, values = f"(CASE {place} {cases} ELSE 0 END)::USMALLINT", raw
        elif len(raw) <= _LIST_LOOKUP:
            sql = f"coalesce(list_position(?::{base}[], {place}), 0)::USMALLINT"
        else:
            sql = f"coalesce(of_{stored}.k, 0)::USMALLINT"
            join = (
                f"LEFT JOIN (SELECT v, k FROM (SELECT unnest(?::{base}[]) AS v, "
                f"unnest(range(1, {len(raw) + 1})) AS k)) AS of_{stored} ON {place} = of_{stored}.v"
            )
        return _Coder(sql, join, values, codes, coded.labels)

    def _meanings(self, column: str, raw: Sequence[Any], stored: str) -> list[Any]:
        """Return the label that each distinct value stands for, then the declared ones."""
        kind = self.table.types[column]
        if kind == "JSON":
            values = [json.loads(v) for v in raw]
            for text, value in zip(raw, values, strict=True):
                if isinstance(value, list | dict):
                    where = self._first(f"{stored} = ?", given=[text])[0]
                    what = "a list" if isinstance(value, list) else "an object"
                    raise InputError(
                        f"{column} holds {what} at {at(where, 0)}; write JSON with one object a "
                        "row and plain values in it"
                    )
            return values
        if self.table.kind in ("CSV", "ARFF"):
            return read_texts([*raw, *self.table.declared.get(column, ())])
        return list(raw)

    def _fraction(self, stored: str) -> tuple[int, float] | None:
        """Return the row and the value of the first number that is no whole one."""
        number = f"TRY_CAST({stored} AS DOUBLE)"
        row: tuple[int, float] | None = self._first(
            f"NOT isnan({number}) AND (isinf({number}) OR {number} <> trunc({number}) OR "
            f"abs({number}) >= {2**53})",
            number,
        )
        return row


def ahead(chunks: Iterable[Chunk]) -> Generator[Chunk]:
    """Read one chunk ahead in a thread of its own, while the one before it is counted."""
    rest = iter(chunks)
    with ThreadPoolExecutor(1) as thread:
        reading = thread.submit(next, rest, None)
        while (chunk := reading.result()) is not None:
            reading = thread.submit(next, rest, None)
            yield chunk


def literal(value: Any) -> str:
    """Return a value as SQL."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(literal(v) for v in value) + "]"
    return "'" + str(value).replace("'", "''") + "'"


def identifier(column: str) -> str:
    """Return a column's name as SQL."""
    return '"' + column.replace('"', '""') + '"'
