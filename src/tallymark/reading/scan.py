"""Scan columns of a file in DuckDB, from a copy that may spill to disk or from the file."""

from __future__ import annotations

import contextlib
import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError, shortened
from tallymark.reading.chunks import CHUNK_ROWS, MISSING, Chunk, read_texts
from tallymark.reading.names import must_have
from tallymark.reading.numerals import ABSENT, Writing, form, writing_of
from tallymark.tally.arrays import (
    MAX_CLASSES,
    MOST_SUBGROUPS,
    Coded,
    Label,
    as_scores,
    at,
    code_labels,
    fraction_of_label,
    refuse_too_many,
)

if TYPE_CHECKING:
    from tallymark.reading.files import FileTable

_LIST_LOOKUP = 64
"""Most labels that are coded by list search, which keeps the order of rows."""

_FRACTIONS = re.compile(r"FLOAT|DOUBLE|DECIMAL\(.*\)")
_NUMBERS = re.compile(r"U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\)|BOOLEAN")
_TEXTS = re.compile(r"VARCHAR|ENUM\(.*\)|JSON", re.DOTALL)
_EMPTY = '"NULL"'
_GROUPED = "say which rows belong together by integers or strings"


class FileScan:
    """The requested columns, checked and coded, for repeated reading by ranges of rows.

    Parquet columns are read in place, since row ranges are fast to find. Columns of other kinds,
    and cluster columns, are copied first.
    """

    def __init__(
        self,
        table: FileTable,
        labels: Sequence[str],
        numbers: Sequence[str],
        groups: Sequence[str] = (),
        subgroups: Sequence[str] = (),
    ) -> None:
        must_have(table.columns, [*labels, *numbers, *groups], table.name)
        self.table = table
        self.labels, self.numbers, self.groups = labels, numbers, groups
        self._writings = {c: Writing(percent=c in table.percents) for c in numbers}
        self._dated = {*groups, *subgroups}  # dates may be subgroups or clusters, not classes
        self._copy = f"kept_{next(table.serial)}"
        self._created: list[str] = []
        self._joins = ""
        self._reading = Lock()
        self._keep()
        if self._written_otherwise():
            self.drop()
            self._keep()
        self._code(subgroups)

    def _keep(self) -> None:
        """Copy the columns, or record the first row of each file."""
        needs = "labels must be integers, strings or booleans"
        columns = [f"{self._stored(c, needs)} AS l{i}" for i, c in enumerate(self.labels)]
        columns += [s for i, c in enumerate(self.numbers) for s in self._stored_number(c, i)]
        columns += [f"{self._stored(c, _GROUPED)} AS g{i}" for i, c in enumerate(self.groups)]
        self._columns = ", ".join(columns)
        sizes = self.table.parquet_rows() if not self.groups else None
        self._in_files = sizes is not None
        if sizes is None:
            self._make("TABLE", self._copy, f"SELECT {self._columns} FROM source")
            sizes = [self.table.run(f"SELECT count(*) FROM {self._copy}").fetchone()[0]]
        self._starts = list(accumulate(sizes, initial=0))
        if self._in_files:
            self._make("VIEW", self._copy, self._files(0, len(sizes)))
        self.table.known_rows = self.rows = self._starts[-1]
        if not self.rows:
            raise InputError(f"{self.table.name} has a header and no rows; give at least one")

    def _make(self, kind: str, name: str, query: str) -> None:
        self.table.read(f"CREATE TEMP {kind} {name} AS {query}")
        self._created.append(f"{kind} {name}")

    def drop(self) -> None:
        """Drop the temporary tables of this scan."""
        with contextlib.suppress(self.table.errors()):  # closed during reading
            for what in self._created:
                self.table.run(f"DROP {what}")

    # -- ranges of rows ------------------------------------------------------------------------

    def _files(self, low: int, high: int) -> str:
        """Return SQL for some adjacent Parquet files, with rows numbered across all files."""
        starts = self._starts[low:high]
        before = f"({literal(starts)}::BIGINT[])[file_index::BIGINT + 1]"
        files = self.table.parquet(self.table.files[low:high])
        place = f"{before if len(starts) > 1 else starts[0]} + file_row_number AS rowid"
        return f"SELECT {self._columns}, {place} FROM {files}"

    def _spans(self) -> list[tuple[int, int]]:
        """Return ranges of rows: large files separately for fast access, small ones together.

        A range over several files reads all of their rows.
        """
        spans, first = [], 0
        for start, end in pairwise(self._starts):
            if end - first > CHUNK_ROWS and start > first:
                spans.append((first, start))
                first = start
        return [*spans, (first, self.rows)]

    def chunks(self, size: int) -> Iterator[Chunk]:
        """Yield all rows in chunks of at most ``rows``."""
        for start, end in self._spans():
            for first in range(start, end, size):
                yield self._read(first, min(first + size, end))

    def sample(self, rows: int, pieces: int = 50) -> Iterator[Chunk]:
        """Yield about ``rows`` rows, in pieces evenly spread over all."""
        each, spans = max(rows // pieces, 1), self._spans()
        firsts = np.linspace(0, max(self.rows - each, 0), pieces).astype(int).tolist()
        for first in dict.fromkeys(firsts):
            yield self._read(first, min(first + each, next(end for _, end in spans if end > first)))

    def _read(self, first: int, end: int) -> Chunk:
        """Return a range of rows as a chunk."""
        source, place = self._copy, f"{self._copy}.rowid"
        if self._in_files:
            low, high = bisect_right(self._starts, first) - 1, bisect_left(self._starts, end)
            source = f"({self._files(low, high)})"
        order = f" ORDER BY {place}" if self._joins else ""
        query = (
            f"SELECT {self._select} FROM {source} AS {self._copy}{self._joins} "
            f"WHERE {place} >= {first} AND {place} < {end}{order}"
        )
        with self._reading:  # a connection runs one query at a time
            arrays = self.table.read(query).fetchnumpy()
        rows = len(next(iter(arrays.values()))) if arrays else end - first
        if rows != end - first:
            raise self._changed(end - first, rows, first)
        return Chunk(
            first_row=first,
            labels=self._coded(arrays),
            numbers={c: as_scores(arrays[f"n{i}"], c, first) for i, c in enumerate(self.numbers)},
            rows=end - first,
            groups={
                c: np.asarray(arrays[f"g{i}"], dtype=np.intp) - 1 for i, c in enumerate(self.groups)
            },
        )

    def grouped(self) -> Chunk | None:
        """Return each combination of labels with its number of rows.

        None if a label is missing: the error has to name the row, which requires the rows.
        """
        raw = ", ".join(f"l{i}" for i in range(len(self.labels)))
        arrays = self.table.read(
            f"SELECT {self._select}, n FROM (SELECT {raw}, count(*)::DOUBLE AS n FROM {self._copy} "
            f"GROUP BY ALL) AS {self._copy}{self._joins} ORDER BY ALL"
        ).fetchnumpy()
        codes = self._coded(arrays)
        if any(c.missing for c in codes.values()):
            return None
        many = np.asarray(arrays["n"], dtype=np.float64)
        if many.sum() != self.rows:
            raise self._changed(self.rows, int(many.sum()), 0)
        return Chunk(first_row=0, labels=codes, numbers={}, rows=len(many), count=many)

    def _coded(self, arrays: Mapping[str, Any]) -> dict[str, Coded]:
        """Return the label columns of a query result."""
        return {
            c: Coded(
                codes[np.asarray(arrays[f"l{i}"])], labels, tuple(self.table.orders.get(c, ()))
            )
            for i, (c, (codes, labels)) in enumerate(zip(self.labels, self._codes, strict=True))
        }

    def _changed(self, before: int, after: int, first: int) -> InputError:
        return InputError(
            f"{self.table.name} changed while it was read: {before:,} rows from row {first + 1:,} "
            f"on were {after:,} later; count it again when nothing writes to it"
        )

    # -- columns -------------------------------------------------------------------------------

    def _sql_of(self, column: str, needs: str) -> str:
        """Return SQL for the values of a column."""
        kind = self.table.types[column]
        if kind == _EMPTY:
            return "NULL::VARCHAR"
        if _TEXTS.fullmatch(kind) or (kind == "DATE" and column in self._dated):
            return f"{self.table.sql_of(column)}::VARCHAR"
        if not _NUMBERS.fullmatch(kind):
            raise InputError(f"{column} is of type {kind}; {needs}")
        return self.table.sql_of(column)

    def _number_text(self, column: str) -> str:
        """Return SQL for the texts of a numeric column."""
        value = self._sql_of(column, "give numbers")
        return f"({value} ->> '$')" if self.table.types[column] == "JSON" else value

    def _stored_number(self, column: str, i: int) -> list[str]:
        """Return SQL for a column as numbers, and for its texts that are not numbers."""
        value = self._number_text(column)
        writing, bad = self._writings[column], "NULL::VARCHAR"
        number = f"({value}::DOUBLE / 100)" if writing.percent else f"{value}::DOUBLE"
        if _TEXTS.fullmatch(self.table.types[column]):
            number = writing.number(value)
            bad = f"CASE WHEN {value} IS NOT NULL AND {number} IS NULL THEN {value} END"
        return [f"coalesce({number}, 'nan'::DOUBLE) AS n{i}", f"{bad} AS b{i}"]

    def _written_otherwise(self) -> bool:
        """Detect a number format that SQL cannot read; return whether there is one."""
        changed = False
        for i, column in enumerate(self.numbers):
            texts = f"SELECT rowid, trim(b{i}) AS v FROM {self._copy} WHERE b{i} IS NOT NULL"
            absent = self.table.run(f"SELECT DISTINCT v FROM ({texts}) WHERE v IN ({ABSENT})")
            words = {text for (text,) in absent.fetchall()}
            self.table.say(*(f"{text!r} as missing" for text in MISSING if text and text in words))
            odd = f"SELECT rowid, v FROM ({texts}) WHERE v NOT IN ({ABSENT})"
            if self.table.run(f"{odd} LIMIT 1").fetchone() is None:
                continue
            forms = self._forms(column)
            if self._writings[column].percent:  # percent was requested, with or without signs
                forms = [(name, True) for name, _ in forms]
            writing = writing_of(forms)
            if not isinstance(writing, Writing):
                where, why = writing
                first = self.table.run(f"{odd} AND {where} ORDER BY rowid LIMIT 1")
                row, text = first.fetchone()
                raise InputError(f"{column} holds {shortened(text)} at {at(row, 0)}, {why}")
            self._writings[column] = writing
            self.table.say(*writing.notes)
            changed = True
        if self.table.delimiter == ";" or any(w.comma for w in self._writings.values()):
            for i, column in enumerate(self.numbers):
                self._refuse_dotted(column, i)
        return changed

    def _forms(self, column: str) -> list[tuple[str, bool]]:
        """Return the number formats in a text column, each with and without a percent sign."""
        value = f"SELECT trim({self._number_text(column)}) AS v FROM source"
        rows = self.table.read(
            f"SELECT DISTINCT {form('v')}, contains(v, '%') FROM ({value}) "
            f"WHERE v NOT IN ({ABSENT})"
        )
        return list(rows.fetchall())

    def _refuse_dotted(self, column: str, i: int) -> None:
        """Refuse 1.990 beside 205 if decimal commas are used: it may be 1990."""
        if not _TEXTS.fullmatch(self.table.types[column]):
            return
        # Fractions below 1 have no thousands separator: most columns need no check.
        thousands = f"isnan(n{i}) OR n{i} = trunc(n{i}) OR abs(n{i}) BETWEEN 1 AND 1000"
        if not self.table.run(f"SELECT bool_and({thousands}) FROM {self._copy}").fetchone()[0]:
            return
        if {name for name, _ in self._forms(column)} == {"short", "dotted"}:
            value = f"SELECT row_number() OVER () - 1, trim({self._number_text(column)}) AS v"
            row, text = self.table.read(
                f"SELECT * FROM ({value} FROM source) WHERE {form('v')} = 'dotted' LIMIT 1"
            ).fetchone()
            raise InputError(
                f"{column} holds {text!r} at {at(row, 0)}, whose point may be a decimal one or "
                f"separate thousands; write all such numbers as {text.replace('.', '')} if it "
                f"separates thousands, as {text}0 if not"
            )

    def _stored(self, column: str, needs: str) -> str:
        """Return SQL for labels or cluster ids, NULL if missing."""
        value, kind = self._sql_of(column, needs), self.table.types[column]
        if kind in ("FLOAT", "DOUBLE"):
            return f"CASE WHEN NOT isnan({value}) THEN {value} END"
        if self.table.texts and column in self.groups:
            return f"CASE WHEN trim({value}) NOT IN ({ABSENT}) THEN {value} END"
        # In JSON, 1 and "1" are different labels.
        return f"nullif({value}, 'null')" if kind == "JSON" else value

    def _code(self, subgroups: Sequence[str]) -> None:
        """Check the columns, and determine the codes of labels and clusters."""
        columns = [f"n{i}" for i in range(len(self.numbers))]
        self._codes = []
        for i, column in enumerate(self.labels):
            most = MOST_SUBGROUPS if column in subgroups else MAX_CLASSES
            raw = self._number(f"l{i}", f" LIMIT {most + 1}")
            self._codes.append(self._meanings(column, raw, f"l{i}", most))
            columns.append(f"{self._place(f'l{i}', len(raw))}::USMALLINT AS l{i}")
        for i, column in enumerate(self.groups):
            self._refuse(column, f"g{i}")
            self._number(f"g{i}")
            columns.append(f"{self._place(f'g{i}')} AS g{i}")
        self._select = ", ".join(columns)

    def _number(self, stored: str, limit: str = "") -> list[Any]:
        """Return a column's distinct values, numbered from 1, if their number is limited."""
        name = f"{self._copy}_{stored}"
        distinct = f"SELECT DISTINCT {stored} AS v FROM {self._copy} WHERE {stored} IS NOT NULL"
        self._make("TABLE", name, f"SELECT v, row_number() OVER () AS k FROM ({distinct}{limit})")
        if not limit:
            return []
        return [v for (v,) in self.table.run(f"SELECT v FROM {name} ORDER BY k").fetchall()]

    def _place(self, stored: str, count: int | None = None) -> str:
        """Return SQL for the code of a column's value, 0 if missing."""
        name, value = f"{self._copy}_{stored}", f"{self._copy}.{stored}"
        if count is None or count > _LIST_LOOKUP:
            self._joins += f" LEFT JOIN {name} ON {value} = {name}.v"
            return f"coalesce({name}.k, 0)"
        self.table.run(f"SET VARIABLE {name} = (SELECT list(v ORDER BY k) FROM {name})")
        return f"coalesce(list_position(getvariable('{name}'), {value}), 0)"

    def _meanings(
        self, column: str, raw: list[Any], stored: str, most: int
    ) -> tuple[NDArray[np.intp], tuple[Label, ...]]:
        """Return the codes of a column's distinct values, missing first, and the labels.

        Declared labels are included even if they do not occur.
        """
        self._refuse(column, stored, most)
        labels = raw
        if self.table.types[column] == "JSON":
            labels = [json.loads(v) for v in raw]
        elif self.table.texts:
            labels = self._read_texts(raw, self.table.declared.get(column, ()))
        if labels is not raw and any(isinstance(v, float) for v in labels):
            self._refuse_fraction(column, stored, most)
        refuse_too_many(column, len(raw), most, counted=False)
        coded = code_labels(labels, column, 0, most, rows=self.rows)
        return np.concatenate([[-1], coded.codes[: len(raw)]]), coded.labels

    def _read_texts(self, raw: list[str], declared: Sequence[str]) -> list[Any]:
        """Return the labels of texts, None for a word such as NA that is not a class."""
        names = {*declared, *self.table.classes, *self.table.columns}
        absent = {text for text in raw if text.strip() in MISSING and text.strip() not in names}
        words = sorted({text.strip() for text in absent} - {""})
        self.table.absent.update(words)
        self.table.say(*(f"{word!r} as missing" for word in words))
        texts = [text for text in (*raw, *declared) if text not in absent]
        bare = [text.strip() for text in texts]
        if bare != texts and len({*bare}) == len({*texts}):  # blanks after commas, as in "a, b"
            texts = bare
        labels = iter(read_texts(texts))
        return [None if text in absent else next(labels) for text in (*raw, *declared)]

    def _refuse(self, column: str, stored: str, most: int = 0) -> None:
        """Refuse fractions, lists and objects among labels, or among clusters (``most`` 0)."""
        kind = self.table.types[column]
        if _FRACTIONS.fullmatch(kind):
            self._refuse_fraction(column, stored, most)
        row = self._first(f"{stored}[1] IN ('[', '{{')", stored) if kind == "JSON" else None
        if row is None:
            return
        what = "a list" if row[1].startswith("[") else "an object"
        remedy = "write JSON with one object per row and plain values in it"
        if not most:
            what, remedy = "a list or an object", _GROUPED
        raise InputError(f"{column} holds {what} at {at(row[0], 0)}; {remedy}")

    def _refuse_fraction(self, column: str, stored: str, most: int) -> None:
        number = f"TRY_CAST({stored} AS DOUBLE)"
        row = self._first(
            f"NOT isnan({number}) AND (isinf({number}) OR {number} <> trunc({number}) OR "
            f"abs({number}) >= {2**53})",
            number,
        )
        if row is not None:
            raise fraction_of_label(column, row[1], at(row[0], 0), most)

    def _first(self, where: str, value: str) -> Any:
        """Return the first row that meets a condition and its value, or None."""
        return self.table.run(
            f"SELECT rowid, {value} FROM {self._copy} WHERE {where} ORDER BY rowid LIMIT 1"
        ).fetchone()


def ahead(chunks: Iterable[Chunk]) -> Generator[Chunk]:
    """Yield chunks, reading the next one in a thread while the current one is counted."""
    from concurrent.futures import ThreadPoolExecutor

    rest = iter(chunks)
    with ThreadPoolExecutor(1) as thread:
        reading = thread.submit(next, rest, None)
        while (chunk := reading.result()) is not None:
            reading = thread.submit(next, rest, None)
            yield chunk


def configure(connection: Any, settings: Mapping[str, Any]) -> None:
    """Set the options of a DuckDB connection, without a progress bar.

    Without ipywidgets DuckDB cannot show the bar in a notebook, and refuses to disable it.
    """
    if connection.execute("SELECT current_setting('enable_progress_bar')").fetchone()[0]:
        settings = {"enable_progress_bar": False, **settings}
    for setting, value in settings.items():
        connection.execute(f"SET {setting} = {literal(value)}")


def literal(value: Any) -> str:
    """Return a value as an SQL literal."""
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, int):
        return str(value).lower()
    return "'" + str(value).replace("'", "''") + "'"


def identifier(column: str) -> str:
    """Return a column's name as an SQL identifier."""
    return '"' + column.replace('"', '""') + '"'
