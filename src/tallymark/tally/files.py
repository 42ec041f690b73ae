"""Files as tables, through DuckDB: streamed under a memory limit, never loaded whole.

Nothing is left to sniffing. CSV, ARFF and JSON values arrive as the texts they are and are judged
here over all rows, because a guess from the first ones is wrong in silence: DuckDB reads yes and
no as booleans, and takes a malformed third line for the header.
"""

from __future__ import annotations

import contextlib
import csv
import glob
import gzip
import itertools
import json
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError
from tallymark.tally import arff
from tallymark.tally.arrays import (
    MAX_CLASSES,
    MOST_SLICES,
    Coded,
    Label,
    at,
    code_labels,
    fraction_of_group,
    fraction_of_label,
    too_many_slices,
)
from tallymark.tally.tables import (
    CHUNK_ROWS,
    Chunk,
    must_have,
    read_texts,
    refuse_duplicates,
)

KINDS = {
    ".csv": "CSV",
    ".tsv": "CSV",
    ".txt": "CSV",
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".json": "JSON",
    ".jsonl": "JSON",
    ".ndjson": "JSON",
    ".arrow": "Arrow",
    ".feather": "Arrow",
    ".ipc": "Arrow",
    ".arff": "ARFF",
}
_SEVERAL = ("CSV", "Parquet", "JSON")
_PACKED = ("CSV", "JSON", "ARFF")

_LIST_LOOKUP = 64
"""Up to so many labels are coded by looking through a list, which keeps the order of rows."""

_FRACTIONS = re.compile(r"FLOAT|DOUBLE|DECIMAL\(.*\)")
_NUMBERS = re.compile(r"U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\)|BOOLEAN")
_TEXTS = re.compile(r"VARCHAR|ENUM\(.*\)", re.DOTALL)
_FLOATS = ("FLOAT", "DOUBLE")
_EMPTY = '"NULL"'


def open_file(path: str | os.PathLike[str], *, memory: str = "1GB") -> FileTable:
    """Open a CSV, Parquet, JSON, Arrow or ARFF file; or several CSV, Parquet or JSON by a pattern.

    DuckDB works within ``memory`` and spills to a temporary folder what does not fit.
    """
    text = os.fspath(path)
    files = [text]
    if glob.has_magic(text) and not Path(text).exists():
        files = sorted(glob.glob(text, recursive=True))  # noqa: PTH207 (absolute patterns)
        if not files:
            raise InputError(f"no file matches {text!r}; look at the pattern")
    for file in files:
        if Path(file).is_dir():
            raise InputError(f"{file!r} is a folder; name a file, or a pattern such as *.parquet")
        if not Path(file).exists():
            raise InputError(f"there is no file {file!r}; look at the path")
        if not Path(file).stat().st_size:
            raise InputError(f"{file!r} is empty; give a file with a header and rows")
    kinds = {_kind_of(file) for file in files}
    if len(kinds) > 1:
        raise InputError(f"{text!r} matches files of {_list(kinds)}; match one kind only")
    kind = kinds.pop()
    if len(files) > 1 and kind not in _SEVERAL:
        raise InputError(f"{text!r} matches {len(files)} {kind} files; give one at a time")
    return FileTable(text, files, kind, memory)


def _kind_of(file: str) -> str:
    path = Path(file)
    packed = path.suffix.lower() == ".gz"
    kind = KINDS.get((path.with_suffix("") if packed else path).suffix.lower())
    if kind is None:
        raise InputError(
            f"{file!r} is of no known kind; known are {', '.join(sorted(KINDS))} (.gz may follow "
            "those that are text)"
        )
    if packed and kind not in _PACKED:
        raise InputError(f"{file!r} is a packed {kind} file; unpack it first (gunzip)")
    return kind


@dataclass(frozen=True, slots=True)
class _Coder:
    """How a label column is coded: SQL for a small number, and the label that number means."""

    sql: str
    join: str
    values: list[Any]
    codes: NDArray[np.intp]
    labels: tuple[Label, ...]


class FileTable:
    """One file, or several of one kind, as a table; ``close()`` frees what it holds early."""

    def __init__(self, path: str, files: Sequence[str], kind: str, memory: str) -> None:
        import duckdb

        self.name = Path(path).name
        self._kind = kind
        self._files = [os.path.abspath(file) for file in files]  # noqa: PTH100 (keeps links)
        self._declared: dict[str, tuple[str, ...]] = {}
        self._rows: int | None = None
        self._serial = itertools.count()
        self._lines_before = 0
        self._folder = folder = tempfile.mkdtemp(prefix="tallymark-")
        self._connection: Any = duckdb.connect(":memory:")
        # A TemporaryDirectory would warn when it is cleaned up without being asked to.
        self.close = weakref.finalize(self, _discard, self._connection, folder)
        for setting, value in {
            "memory_limit": memory,
            "temp_directory": folder,
            "enable_progress_bar": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "preserve_insertion_order": True,
        }.items():
            with contextlib.suppress(duckdb.CatalogException):  # a setting of other releases
                self._connection.execute(f"SET {setting} = {_literal(value)}")
        try:
            self._source = self._query()
            self._open()
        except BaseException:
            self.close()
            raise
        self.columns = tuple(self._types)

    # -- opening -------------------------------------------------------------------------------

    def _open(self) -> None:
        """Make the view "source" and note the types of its columns."""
        try:
            self._connection.execute(f"CREATE OR REPLACE TEMP VIEW source AS {self._source}")
            described = self._connection.execute("DESCRIBE source").fetchall()
        except self._errors() as error:
            raise self._unreadable(error) from None
        self._types = {str(name): str(kind) for name, kind, *_ in described}

    def _query(self, whole: bool = False) -> str:
        """Return SQL for the file; ``whole`` looks for JSON keys in all rows, not the first."""
        files = _literal([_no_pattern(file) for file in self._files])
        if self._kind == "Parquet":
            self._refuse_parquet_duplicates()
            return f"SELECT * FROM read_parquet({files}, hive_partitioning=false)"
        if self._kind == "JSON":
            # Depth 1 leaves every value as it is written, whatever the rows before it held.
            sample = ", sample_size=-1" if whole else ""
            return (
                f"SELECT * FROM read_json({files}, maximum_depth=1, hive_partitioning=false, "
                f"union_by_name=true{sample})"
            )
        if self._kind == "Arrow":
            table = _read_arrow(self._files[0])
            refuse_duplicates(table.column_names, self.name, fold=True)
            self._connection.register("arrow_file", table)
            return "SELECT * FROM arrow_file"
        return self._arff_query() if self._kind == "ARFF" else self._csv_query(files)

    def _csv_query(self, files: str) -> str:
        delimiter, header = _csv_header(self._files[0])
        refuse_duplicates(header, self.name, fold=True)
        if "distribution" in header and "inst#" in header:
            raise InputError(
                f"{self.name} was made by Weka with -distribution, whose rows have more fields "
                "than its header; run Weka with -p and without -distribution"
            )
        for other in self._files[1:]:
            if (found := _csv_header(other)) != (delimiter, header):
                raise InputError(
                    f"{Path(other).name} has the columns {_list(found[1])} and "
                    f"{Path(self._files[0]).name} has {_list(header)}; give all files one header"
                )
        return (
            f"SELECT * FROM read_csv({files}, auto_detect=false, header=true, "
            f"delim={_literal(delimiter)}, quote='\"', escape='\"', strict_mode=true, "
            f"null_padding=false, hive_partitioning=false, columns={_texts(header)})"
        )

    def _arff_query(self) -> str:
        header = arff.read_header(self._files[0])
        self._declared = header.classes
        names = [a.name for a in header.attributes]
        refuse_duplicates(names, self.name, fold=True)
        # Skipping a header that has a comment, DuckDB loses rows; so the rows are copied apart.
        rows = Path(self._folder) / "rows.csv"
        arff.copy_rows(self._files[0], header, rows)
        self._lines_before = header.lines
        # Blanks around a value are no part of it, and a question mark is a missing one.
        values = ", ".join(f"nullif(trim({_name(n)}, ' \t'), '?') AS {_name(n)}" for n in names)
        return (
            f"SELECT {values} FROM read_csv({_literal(rows)}, auto_detect=false, header=false, "
            "delim=',', quote='''', escape='\\', strict_mode=true, null_padding=false, "
            f"nullstr='', hive_partitioning=false, columns={_texts(names)})"
        )

    def _refuse_parquet_duplicates(self) -> None:
        """Refuse two columns of one name, the second of which DuckDB would rename unasked."""
        try:
            rows = self._connection.execute(
                "SELECT name, num_children FROM parquet_schema(?)", [_no_pattern(self._files[0])]
            ).fetchall()
        except self._errors() as error:
            raise self._unreadable(error) from None
        names, inside = [], 0
        for name, children in rows[1:]:
            if not inside:
                names.append(name)
            inside = max(inside - 1, 0) + (children or 0)
        refuse_duplicates(names, self.name, fold=True)

    # -- reading -------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """How many rows the file has; counted when first asked for."""
        if self._rows is None:
            self._rows = self._reading("SELECT count(*) FROM source").fetchone()[0]
        return self._rows

    def chunks(
        self,
        labels: Sequence[str],
        numbers: Sequence[str],
        size: int = CHUNK_ROWS,
        *,
        groups: Sequence[str] = (),
        slices: Sequence[str] = (),
    ) -> Iterator[Chunk]:
        """Read the columns named: copied into a table that may spill to disk, then by its rows."""
        must_have(self.columns, [*labels, *numbers, *groups], self.name)
        kept = f"kept_{next(self._serial)}"
        stored = [f"{self._stored_label(c)} AS l{i}" for i, c in enumerate(labels)]
        stored += [s for i, c in enumerate(numbers) for s in self._stored_number(c, i)]
        stored += [f"{self._stored_group(c)} AS g{i}" for i, c in enumerate(groups)]
        self._reading(f"CREATE TEMP TABLE {kept} AS SELECT {', '.join(stored)} FROM source")
        try:
            self._rows = int(self._run(f"SELECT count(*) FROM {kept}").fetchone()[0])
            if not self._rows:
                raise InputError(f"{self.name} has a header and no rows; give at least one")
            for i, column in enumerate(numbers):
                self._refuse_text(column, kept, f"b{i}")
            coders = [self._coder(c, kept, f"l{i}", c in slices) for i, c in enumerate(labels)]
            wanted = [f"{coder.sql} AS l{i}" for i, coder in enumerate(coders)]
            wanted += [f"n{i}" for i in range(len(numbers))]
            wanted += [f"coalesce({kept}_g{i}.k, -1)::BIGINT AS g{i}" for i in range(len(groups))]
            joins = " ".join(coder.join for coder in coders if coder.join)
            joins += "".join(self._group_join(c, kept, f"g{i}") for i, c in enumerate(groups))
            order = f" ORDER BY {kept}.rowid" if joins else ""
            given = [c.values for c in coders if not c.join] + [c.values for c in coders if c.join]
            for start in range(0, self._rows, size):
                arrays = self._run(
                    f"SELECT {', '.join(wanted)} FROM {kept} {joins} WHERE {kept}.rowid >= {start} "
                    f"AND {kept}.rowid < {start + size}{order}",
                    given,
                ).fetchnumpy()
                yield Chunk(
                    first_row=start,
                    labels={
                        c: Coded(coder.codes[np.asarray(arrays[f"l{i}"])], coder.labels)
                        for i, (c, coder) in enumerate(zip(labels, coders, strict=True))
                    },
                    numbers={c: np.asarray(arrays[f"n{i}"]) for i, c in enumerate(numbers)},
                    rows=min(size, self._rows - start),
                    groups={
                        c: np.asarray(arrays[f"g{i}"], dtype=np.intp) for i, c in enumerate(groups)
                    },
                )
        finally:
            with contextlib.suppress(self._errors()):  # closed while it was read
                self._run(f"DROP TABLE {kept}")
                for i in range(len(groups)):
                    self._run(f"DROP TABLE IF EXISTS {kept}_g{i}")

    def _stored_label(self, column: str) -> str:
        name, kind = _name(column), self._types[column]
        if kind == "JSON" or _TEXTS.fullmatch(kind):
            return f"{name}::VARCHAR"
        if kind == _EMPTY:
            return "NULL::VARCHAR"
        if not _NUMBERS.fullmatch(kind):
            raise InputError(
                f"{column} is of type {kind}; labels must be integers, texts or booleans"
            )
        return name

    def _stored_number(self, column: str, i: int) -> list[str]:
        """Return SQL for a column as numbers, and for the texts in it that are none."""
        name, kind = _name(column), self._types[column]
        if kind == "JSON" or _TEXTS.fullmatch(kind):
            text = f"{name}::VARCHAR"
            number = f"TRY_CAST({text} AS DOUBLE)"
            bad = f"CASE WHEN {name} IS NOT NULL AND {number} IS NULL THEN {text} END"
        elif _NUMBERS.fullmatch(kind) or kind == _EMPTY:
            number, bad = f"{name}::DOUBLE", "NULL::VARCHAR"
        else:
            raise InputError(f"{column} is of type {kind}; give numbers")
        return [f"coalesce({number}, 'nan'::DOUBLE) AS n{i}", f"{bad} AS b{i}"]

    def _stored_group(self, column: str) -> str:
        """Return SQL for a column that says which rows belong together: NULL where it does not."""
        name, kind = _name(column), self._types[column]
        if kind == "JSON":
            # As JSON 1 and "1" differ, and so do they here; lists and objects are refused later.
            return f"CASE WHEN {name}::VARCHAR <> 'null' THEN {name}::VARCHAR END"
        if _TEXTS.fullmatch(kind):
            return f"{name}::VARCHAR"
        if kind == _EMPTY:
            return "NULL::VARCHAR"
        if not _NUMBERS.fullmatch(kind):
            raise InputError(
                f"{column} is of type {kind}; say which rows belong together by integers or by "
                "texts"
            )
        return f"CASE WHEN NOT isnan({name}) THEN {name} END" if kind in _FLOATS else name

    def _group_join(self, column: str, kept: str, stored: str) -> str:
        """Make numbers of a column's groups, and return SQL that looks them up."""
        if _FRACTIONS.fullmatch(self._types[column]):
            found = self._fraction(kept, stored)
            if found is not None:
                raise fraction_of_group(column, found[1], found[0], 0)
        if self._types[column] == "JSON":
            row = self._run(
                f"SELECT rowid FROM {kept} WHERE {stored}[1] IN ('[', '{{') ORDER BY rowid LIMIT 1"
            ).fetchone()
            if row is not None:
                raise InputError(
                    f"{column} holds a list or an object at {at(row[0], 0)}; say which rows belong "
                    "together by integers or by texts"
                )
        self._run(
            f"CREATE TEMP TABLE {kept}_{stored} AS SELECT v, row_number() OVER () - 1 AS k FROM "
            f"(SELECT DISTINCT {stored} AS v FROM {kept} WHERE {stored} IS NOT NULL)"
        )
        return f" LEFT JOIN {kept}_{stored} ON {kept}.{stored} = {kept}_{stored}.v"

    def _refuse_text(self, column: str, kept: str, bad: str) -> None:
        row = self._run(
            f"SELECT rowid, {bad} FROM {kept} WHERE {bad} IS NOT NULL ORDER BY rowid LIMIT 1"
        ).fetchone()
        if row is not None:
            value = json.loads(row[1]) if self._types[column] == "JSON" else row[1]
            raise InputError(
                f"{column} holds {value!r} at {at(row[0], 0)}, which is not a number; give numbers"
            )

    def _coder(self, column: str, kept: str, stored: str, sliced: bool = False) -> _Coder:
        """Find a column's labels, and how each of its distinct values is coded."""
        kind, most = self._types[column], MOST_SLICES if sliced else MAX_CLASSES
        found = self._run(
            f"SELECT DISTINCT {stored} FROM {kept} WHERE {stored} IS NOT NULL LIMIT {most + 1}"
        ).fetchall()
        raw = [row[0] for row in found if row[0] == row[0]]
        meant = self._meanings(column, raw, kept, stored)
        if _FRACTIONS.fullmatch(kind) or any(isinstance(v, float) for v in meant):
            self._refuse_fraction(column, kept, stored, most)
        if sliced and len(raw) > most:
            raise too_many_slices([column])
        if len(raw) > most:
            raise InputError(
                f"{column} holds more than {MAX_CLASSES:,} distinct values; that is no class label:"
                " is it an identifier or a measurement?"
            )
        coded = code_labels(meant, column, 0, most)
        codes = np.full(len(raw) + 1, -1, dtype=np.intp)
        codes[1:] = coded.codes[: len(raw)]
        base = "VARCHAR" if kind in ("JSON", _EMPTY) or _TEXTS.fullmatch(kind) else kind
        place = f"{kept}.{stored}"
        if len(raw) <= _LIST_LOOKUP:
            sql, join = f"coalesce(list_position(?::{base}[], {place}), 0)::USMALLINT", ""
        else:
            sql = f"coalesce(of_{stored}.k, 0)::USMALLINT"
            join = (
                f"LEFT JOIN (SELECT v, k FROM (SELECT unnest(?::{base}[]) AS v, "
                f"unnest(range(1, {len(raw) + 1})) AS k)) AS of_{stored} ON {place} = of_{stored}.v"
            )
        return _Coder(sql, join, raw, codes, coded.labels)

    def _meanings(self, column: str, raw: Sequence[Any], kept: str, stored: str) -> list[Any]:
        """Return the label that each distinct value stands for, then the declared ones."""
        kind = self._types[column]
        if kind == "JSON":
            values = [json.loads(v) for v in raw]
            for text, value in zip(raw, values, strict=True):
                if isinstance(value, list | dict):
                    where = self._run(
                        f"SELECT min(rowid) FROM {kept} WHERE {stored} = ?", [text]
                    ).fetchone()[0]
                    what = "a list" if isinstance(value, list) else "an object"
                    raise InputError(
                        f"{column} holds {what} at {at(where, 0)}; write JSON with one object a "
                        "row and plain values in it"
                    )
            return values
        if self._kind in ("CSV", "ARFF"):
            return read_texts([*raw, *self._declared.get(column, ())])
        return list(raw)

    def _refuse_fraction(self, column: str, kept: str, stored: str, most: int) -> None:
        row = self._fraction(kept, stored)
        if row is not None:
            raise fraction_of_label(column, row[1], at(row[0], 0), most)

    def _fraction(self, kept: str, stored: str) -> tuple[int, float] | None:
        """Return the row and the value of the first number that is no whole one."""
        number = f"TRY_CAST({stored} AS DOUBLE)"
        found: tuple[int, float] | None = self._run(
            f"SELECT rowid, {number} FROM {kept} WHERE NOT isnan({number}) AND (isinf({number}) "
            f"OR {number} <> trunc({number}) OR abs({number}) >= {2**53}) ORDER BY rowid LIMIT 1"
        ).fetchone()
        return found

    # -- DuckDB --------------------------------------------------------------------------------

    def _run(self, query: str, values: Sequence[Any] = ()) -> Any:
        return self._connection.execute(query, list(values))

    def _reading(self, query: str) -> Any:
        """Run a query that reads the file, so that what is wrong with the file shows."""
        try:
            return self._run(query)
        except self._errors() as error:
            if self._kind != "JSON" or "unknown key" not in str(error):
                raise self._unreadable(error) from None
        self._source = self._query(whole=True)
        self._open()
        try:
            return self._run(query)
        except self._errors() as error:
            raise self._unreadable(error) from None

    @staticmethod
    def _errors() -> type[Exception]:
        import duckdb

        return duckdb.Error

    def _unreadable(self, error: Exception) -> InputError:
        """Turn DuckDB's text about a file into one sentence."""
        text = str(error)
        file = re.search(r"^\s*file = (.+)$", text, re.MULTILINE)
        name = Path(file[1].strip()).name if file and len(self._files) > 1 else self.name
        found_line = re.search(r"CSV Error on Line: (\d+)", text)
        line = int(found_line[1]) + self._lines_before if found_line else None
        if "utf-8" in text.lower() or "utf8" in text.lower():
            place = f" on line {line}" if line else ""
            return InputError(f"{name} is not UTF-8 text{place}; save it as UTF-8")
        if "GZIP" in text:
            return InputError(f"{name} is no complete gzip file; pack or fetch it again")
        if "parser state machine" in text.lower():
            return InputError(
                f"{name} is no well-formed CSV: it mixes two kinds of line ends, or a quote stands "
                "in the middle of a field; write it anew"
            )
        if line:
            columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
            if columns:
                wanted, found = columns.groups()
                fields = "field" if found == "1" else "fields"
                whose = "attributes declared" if self._kind == "ARFF" else "in its header"
                return InputError(
                    f"{name} has {found} {fields} on line {line} and {wanted} {whose}; mend "
                    "that line"
                )
            told = "a quote that is not closed" if "unterminated" in text else "a malformed row"
            return InputError(f"{name} has {told} on line {line}; mend that line")
        first = text.split("\n")[0].split(": ", 1)[-1].strip()
        return InputError(f"{name} cannot be read as {self._kind}: {first}")


def _discard(connection: Any, folder: str) -> None:
    connection.close()
    shutil.rmtree(folder, ignore_errors=True)


def _literal(value: Any) -> str:
    """Return a value as SQL."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(_literal(v) for v in value) + "]"
    return "'" + str(value).replace("'", "''") + "'"


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _texts(names: Sequence[str]) -> str:
    return "{" + ", ".join(f"{_literal(n)}: 'VARCHAR'" for n in names) + "}"


def _no_pattern(path: str) -> str:
    """Keep DuckDB from taking a file called ``a[1].csv`` for a pattern and reading ``a1.csv``."""
    return re.sub(r"([*?\[])", r"[\1]", path)


def _list(names: Sequence[str] | set[str], limit: int = 8) -> str:
    told = ", ".join(repr(n) for n in sorted(names)[:limit])
    return told + (f" and {len(names) - limit} more" if len(names) > limit else "")


def _csv_header(path: str) -> tuple[str, list[str]]:
    """Return the delimiter and the column names of a CSV file's first line."""
    name = Path(path).name
    opener: Any = gzip.open if path.lower().endswith(".gz") else open
    try:
        # Bytes that are no UTF-8 may stand far below the header; DuckDB then names their line.
        with opener(path, "rt", encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
            line = file.readline()
            if not line.strip():
                raise InputError(f"{name} has no header; its first line names the columns")
            delimiter = max(",;\t|", key=lambda d: len(next(csv.reader([line], delimiter=d))))
            file.seek(0)
            header = next(csv.reader(file, delimiter=delimiter))
            "".join(header).encode()
    except UnicodeError:
        raise InputError(f"{name} is not UTF-8 text; save it as UTF-8") from None
    except (gzip.BadGzipFile, EOFError):
        raise InputError(f"{name} is no complete gzip file; pack or fetch it again") from None
    except csv.Error as error:
        raise InputError(f"{name} has a header that cannot be read: {error}") from None
    # A column without a name gets the one DuckDB would give it.
    return delimiter, [c.strip() or f"column{i}" for i, c in enumerate(header)]


def _read_arrow(path: str) -> Any:
    try:
        import pyarrow
        from pyarrow import ipc
    except ImportError:
        raise InputError(
            "reading Arrow files needs pyarrow; install it with: pip install 'tallymark[arrow]'"
        ) from None
    for reader in (ipc.open_file, ipc.open_stream):
        with contextlib.suppress(pyarrow.ArrowException, OSError):
            return reader(pyarrow.memory_map(path)).read_all()
    raise InputError(
        f"{Path(path).name} is no Arrow file; write it with Arrow's IPC or Feather format"
    )
