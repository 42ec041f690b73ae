"""Files as tables, through DuckDB: streamed under a memory limit, never loaded whole."""

from __future__ import annotations

import contextlib
import csv
import glob
import gzip
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from tallymark.errors import InputError
from tallymark.tally import arff
from tallymark.tally.arrays import MAX_CLASSES, Coded, Floats, Label, code_labels
from tallymark.tally.tables import CHUNK_ROWS, WEKA, Chunk, refuse_duplicates

KINDS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".arff": "arff",
}
_LIST_LOOKUP = 64
"""Up to so many labels are coded by looking through a list, which keeps the order of rows."""

_FRACTIONS = ("FLOAT", "DOUBLE", "DECIMAL")


def open_file(path: str | os.PathLike[str], *, memory: str = "256MB") -> FileTable:
    """Open a CSV, Parquet, JSON, Arrow or ARFF file; CSV and Parquet also by a glob pattern."""
    text = os.fspath(path)
    files = sorted(glob.glob(text)) if glob.has_magic(text) and not Path(text).exists() else [text]
    if not files:
        raise InputError(f"no file matches {text!r}; look at the pattern")
    for file in files:
        if Path(file).is_dir():
            raise InputError(f"{file!r} is a folder; name a file, or a pattern such as *.parquet")
        if not Path(file).exists():
            raise InputError(f"there is no file {file!r}; look at the path")
        if not Path(file).stat().st_size:
            raise InputError(f"{file!r} is empty; give a file with a header and rows")
    suffixes = [s.lower() for s in Path(files[0]).suffixes if s.lower() not in (".gz", ".zst")]
    kind = KINDS.get(suffixes[-1] if suffixes else "")
    if kind is None:
        raise InputError(
            f"{text!r} is of no known kind; known are {', '.join(sorted(KINDS))} (a .gz may follow)"
        )
    return FileTable(text, files, kind, memory)


class FileTable:
    """One file, or several of one kind, as a table."""

    def __init__(self, path: str, files: Sequence[str], kind: str, memory: str) -> None:
        self.name = Path(path).name
        self._kind = kind
        self._files = list(files)
        self._declared: dict[str, tuple[Label, ...]] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="tallymark-", ignore_cleanup_errors=True)
        self._connection = duckdb.connect(":memory:")
        for setting, value in {
            "memory_limit": memory,
            "temp_directory": self._folder.name,
            "enable_progress_bar": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }.items():
            with contextlib.suppress(duckdb.CatalogException):  # a setting of other releases
                self._connection.execute(f"SET {setting} = {_literal(value)}")
        self._open(texts=False)
        self.columns = tuple(self._types)

    def _open(self, texts: bool) -> None:
        """Make the view "source"; with ``texts`` a CSV's columns are all read as texts."""
        try:
            self._connection.execute(f"CREATE OR REPLACE TEMP VIEW source AS {self._query(texts)}")
            described = self._connection.execute("DESCRIBE source").fetchall()
        except duckdb.Error as error:
            raise self._unreadable(error) from None
        self._types = {str(name): str(kind) for name, kind, *_ in described}

    def _query(self, texts: bool) -> str:
        files = _literal(self._files)
        if self._kind == "parquet":
            return f"SELECT * FROM read_parquet({files})"
        if self._kind == "json":
            return f"SELECT * FROM read_json_auto({files})"
        if self._kind == "arrow":
            self._connection.register("arrow_file", _read_arrow(self._files[0]))
            return "SELECT * FROM arrow_file"
        if self._kind == "arff":
            return self._arff_query()
        delimiter, header = _csv_header(self._files[0])
        refuse_duplicates(header, self.name)
        if "distribution" in header and "inst#" in header:
            raise InputError(
                f"{self.name} was made by Weka with -distribution, whose columns are no CSV; run it "
                "with -p and without -distribution"
            )
        columns = "*"
        if set(WEKA) <= set(header):
            # Weka writes the class as "2:name"; the name is what it is called.
            stripped = ", ".join(
                f"regexp_replace({c}::VARCHAR, '^[0-9]+:', '') AS {c}"
                for c in ("actual", "predicted")
            )
            columns = f"* REPLACE ({stripped})"
        return (
            f"SELECT {columns} FROM read_csv({files}, delim={_literal(delimiter)}, header=true, "
            "quote='\"', escape='\"', null_padding=false, strict_mode=true, "
            f"all_varchar={str(texts).lower()})"
        )

    def _arff_query(self) -> str:
        header = arff.read_header(self._files[0])
        self._declared = header.classes
        names = [a.name for a in header.attributes]
        refuse_duplicates(names, self.name)
        columns = ", ".join(f"{_literal(n)}: 'VARCHAR'" for n in names)
        # Blanks around values are no part of them, and a question mark is a missing one.
        values = ", ".join(f"nullif(trim({_name(n)}), '?') AS {_name(n)}" for n in names)
        return (
            f"SELECT {values} FROM read_csv({_literal(self._files)}, skip={header.lines}, "
            f"header=false, auto_detect=false, delim=',', quote='''', escape='\\', comment='%', "
            f"nullstr='', columns={{{columns}}})"
        )

    @property
    def rows(self) -> int:
        """How many rows the file has."""
        try:
            found = self._connection.execute("SELECT count(*) FROM source").fetchone()
        except duckdb.Error as error:
            if self._kind == "csv" and "onver" in str(error):
                self._open(texts=True)
                return self.rows
            raise self._unreadable(error) from None
        return int(found[0]) if found else 0

    def chunks(
        self, labels: Sequence[str], numbers: Sequence[str], size: int = CHUNK_ROWS
    ) -> Iterator[Chunk]:
        """Read the columns named: copied into a table that may spill to disk, then by its rows."""
        wanted = ", ".join(_name(c) for c in dict.fromkeys([*labels, *numbers]))
        create = f"CREATE OR REPLACE TEMP TABLE kept AS SELECT {wanted} FROM source"
        try:
            self._connection.execute(create)
        except duckdb.ConversionException:
            self._open(texts=True)  # a late row does not fit the type of the first ones
            self._connection.execute(create)
        except duckdb.Error as error:
            if self._kind != "csv" or "onver" not in str(error):
                raise self._unreadable(error) from None
            self._open(texts=True)
            try:
                self._connection.execute(create)
            except duckdb.Error as again:
                raise self._unreadable(again) from None
        found = self._connection.execute("SELECT count(*) FROM kept").fetchone()
        total = int(found[0]) if found else 0
        if not total:
            raise InputError(f"{self.name} has a header and no rows; give at least one")
        coders = {c: self._coder(c) for c in labels}
        expressions = [f"{coders[c][0]} AS l{i}" for i, c in enumerate(labels)]
        expressions += [f"{self._number(c)} AS n{i}" for i, c in enumerate(numbers)]
        query = f"SELECT {', '.join(expressions)} FROM kept"
        joins = [j for _, _, j in coders.values() if j]
        for start in range(0, total, size):
            part = f"{query} {' '.join(joins)} WHERE kept.rowid >= {start} AND kept.rowid < "
            part += f"{start + size}" + (" ORDER BY kept.rowid" if joins else "")
            arrays = self._connection.execute(part).fetchnumpy()
            yield Chunk(
                first_row=start,
                labels={
                    c: Coded(coders[c][1][0][_codes(arrays[f"l{i}"])], coders[c][1][1])
                    for i, c in enumerate(labels)
                },
                numbers={c: _floats(arrays[f"n{i}"]) for i, c in enumerate(numbers)},
                rows=min(size, total - start),
            )

    def _coder(self, column: str) -> tuple[str, tuple[Any, tuple[Label, ...]], str]:
        """Return SQL that numbers a column's distinct values, those numbers' codes, and a join."""
        name, kind = _name(column), self._types[column]
        if kind.startswith(_FRACTIONS):
            self._refuse_first(
                column,
                f"isfinite({name}::DOUBLE) AND {name} <> trunc({name})",
                "which is no class label; if the column is a score, give it as the score",
            )
        found = self._connection.execute(
            f"SELECT DISTINCT {name} FROM kept WHERE {name} IS NOT NULL LIMIT {MAX_CLASSES + 1}"
        ).fetchall()
        values = [row[0] for row in found if row[0] == row[0]]
        if len(values) > MAX_CLASSES:
            raise InputError(
                f"{column} holds more than {MAX_CLASSES:,} distinct values; that is no class label:"
                " is it an identifier or a measurement?"
            )
        coded = code_labels(values, column, 0)
        labels = coded.labels
        if column in self._declared:
            labels = tuple(sorted({*labels, *self._declared[column]}))  # type: ignore[type-var]
        table = np.full(len(values) + 1, -1, dtype=np.intp)
        table[1:] = [labels.index(coded.labels[k]) for k in coded.codes]
        if len(values) <= _LIST_LOOKUP:
            listed = f"[{', '.join(_literal(v) for v in values)}]::{kind}[]"
            code = f"coalesce(list_position({listed}, {name}), 0)"
            return (code, (table, labels), "")
        helper = f"codes_{self._position(column)}"
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {helper} (v {kind}, k INTEGER)")
        self._connection.executemany(
            f"INSERT INTO {helper} VALUES (?, ?)", [(v, i + 1) for i, v in enumerate(values)]
        )
        join = f"LEFT JOIN {helper} ON kept.{name} = {helper}.v"
        return f"coalesce({helper}.k, 0)", (table, labels), join

    def _position(self, column: str) -> int:
        return list(self._types).index(column)

    def _number(self, column: str) -> str:
        """Return SQL for a column as numbers; texts that are none are refused by row."""
        name, kind = _name(column), self._types[column]
        if kind == "VARCHAR":
            self._refuse_first(
                column,
                f"{name} IS NOT NULL AND TRY_CAST({name} AS DOUBLE) IS NULL",
                "which is not a number; scores must be numbers",
            )
            return f"TRY_CAST({name} AS DOUBLE)"
        if not re.match(r"(U?(TINY|SMALL|BIG|HUGE)?INT|INTEGER|UINTEGER|FLOAT|DOUBLE|DECIMAL|BOOL)",
                        kind):  # fmt: skip
            raise InputError(f"{column} is of type {kind}; scores must be numbers")
        return f"{name}::DOUBLE"

    def _refuse_first(self, column: str, condition: str, why: str) -> None:
        row = self._connection.execute(
            f"SELECT rowid, {_name(column)} FROM kept WHERE {condition} ORDER BY rowid LIMIT 1"
        ).fetchone()
        if row is not None:
            shown = repr(row[1]) if isinstance(row[1], str) else f"the number {float(row[1]):.6g}"
            raise InputError(f"{column} holds {shown} at row {row[0] + 1}, {why}")

    def _unreadable(self, error: Exception) -> InputError:
        """Turn DuckDB's text about a file into one sentence."""
        text = str(error)
        line = re.search(r"CSV Error on Line: (\d+)", text)
        if line:
            columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
            if columns:
                wanted, found = columns.groups()
                return InputError(
                    f"{self.name} has {found} fields on line {line[1]} and {wanted} in its header; "
                    "mend that line"
                )
            told = "a quote that is not closed" if "quote" in text.lower() else "a malformed row"
            return InputError(f"{self.name} has {told} on line {line[1]}; mend that line")
        first = text.split("\n")[0].split(": ", 1)[-1].strip()
        return InputError(f"{self.name} cannot be read as {self._kind}: {first}")


def _literal(value: Any) -> str:
    """Return a value as SQL."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(_literal(v) for v in value) + "]"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value)


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _codes(array: Any) -> Any:
    return np.asarray(array).astype(np.intp)


def _floats(array: Any) -> Floats:
    if isinstance(array, np.ma.MaskedArray):
        return np.asarray(array.astype(np.float64).filled(np.nan))
    return np.asarray(array, dtype=np.float64)


def _csv_header(path: str) -> tuple[str, list[str]]:
    """Return the delimiter and the column names of a CSV file's first line."""
    opener: Any = gzip.open if path.endswith(".gz") else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
            line = file.readline()
    except UnicodeDecodeError:
        raise InputError(f"{Path(path).name} is not UTF-8 text; save it as UTF-8 CSV") from None
    if not line.strip():
        raise InputError(f"{Path(path).name} has no header; its first line names the columns")
    delimiter = max(",;\t|", key=lambda d: len(next(csv.reader([line], delimiter=d))))
    return delimiter, [c.strip() for c in next(csv.reader([line], delimiter=delimiter))]


def _read_arrow(path: str) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise InputError(
            "reading Arrow files needs pyarrow; install it with: pip install 'tallymark[arrow]'"
        ) from None
    try:
        source = pyarrow.memory_map(path)
        try:
            return pyarrow.ipc.open_file(source).read_all()
        except pyarrow.ArrowInvalid:
            return pyarrow.ipc.open_stream(pyarrow.memory_map(path)).read_all()
    except pyarrow.ArrowInvalid:
        raise InputError(
            f"{Path(path).name} is no Arrow file; write it with Arrow's IPC or Feather format"
        ) from None
