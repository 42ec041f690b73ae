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
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tallymark.data.chunks import CHUNK_ROWS, GROUPS, WHOLE, Chunk, FrameTable
from tallymark.data.columns import refuse_duplicates
from tallymark.data.scan import FileScan, identifier, literal
from tallymark.errors import InputError, listed
from tallymark.tally.arrays import Coded, Floats, Label, code_labels

_ENDINGS = {
    "CSV": (".csv", ".tsv", ".txt"),
    "Parquet": (".parquet", ".pq"),
    "JSON": (".json", ".jsonl", ".ndjson"),
    "Arrow": (".arrow", ".feather", ".ipc"),
    "ARFF": (".arff",),
}
KINDS = {ending: kind for kind, endings in _ENDINGS.items() for ending in endings}
_SEVERAL = ("CSV", "Parquet", "JSON")
_PACKED = ("CSV", "JSON", "ARFF")


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
        raise InputError(f"{text!r} matches files of {listed(sorted(kinds))}; match one kind only")
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


class FileTable:
    """One file, or several of one kind, as a table; ``close()`` frees what it holds early."""

    def __init__(self, path: str, files: Sequence[str], kind: str, memory: str) -> None:
        import duckdb

        self.name = Path(path).name
        self.kind = kind
        self.files = [os.path.abspath(file) for file in files]  # noqa: PTH100 (keeps links)
        self.declared: dict[str, tuple[str, ...]] = {}
        self.known_rows: int | None = None
        self.serial = itertools.count()
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
                self._connection.execute(f"SET {setting} = {literal(value)}")
        try:
            self._source = self._query()
            self._open()
        except BaseException:
            self.close()
            raise
        self.columns = tuple(self.types)

    # -- opening -------------------------------------------------------------------------------

    def _open(self) -> None:
        """Make the view "source" and note the types of its columns."""
        try:
            self._connection.execute(f"CREATE OR REPLACE TEMP VIEW source AS {self._source}")
            described = self._connection.execute("DESCRIBE source").fetchall()
        except self.errors() as error:
            raise self.unreadable(error) from None
        self.types = {str(name): str(kind) for name, kind, *_ in described}

    def _query(self, whole: bool = False) -> str:
        """Return SQL for the file; ``whole`` looks for JSON keys in all rows, not the first."""
        files = literal([_no_pattern(file) for file in self.files])
        if self.kind == "Parquet":
            self._refuse_parquet_duplicates()
            return f"SELECT * FROM {self.parquet(self.files)}"
        if self.kind == "JSON":
            # Depth 1 leaves every value as it is written, whatever the rows before it held.
            sample = ", sample_size=-1" if whole else ""
            return (
                f"SELECT * FROM read_json({files}, maximum_depth=1, hive_partitioning=false, "
                f"union_by_name=true{sample})"
            )
        if self.kind == "Arrow":
            table = _read_arrow(self.files[0])
            refuse_duplicates(table.column_names, self.name, fold=True)
            self._connection.register("arrow_file", table)
            return "SELECT * FROM arrow_file"
        return self._arff_query() if self.kind == "ARFF" else self._csv_query(files)

    def _csv_query(self, files: str) -> str:
        delimiter, header = _csv_header(self.files[0])
        refuse_duplicates(header, self.name, fold=True)
        if "distribution" in header and "inst#" in header:
            raise InputError(
                f"{self.name} was made by Weka with -distribution, whose rows have more fields "
                "than its header; run Weka with -p and without -distribution"
            )
        for other in self.files[1:]:
            if (found := _csv_header(other)) != (delimiter, header):
                theirs, ours = (listed(sorted(names)) for names in (found[1], header))
                raise InputError(
                    f"{Path(other).name} has the columns {theirs} and {Path(self.files[0]).name} "
                    f"has {ours}; give all files one header"
                )
        return (
            f"SELECT * FROM read_csv({files}, auto_detect=false, header=true, "
            f"delim={literal(delimiter)}, quote='\"', escape='\"', strict_mode=true, "
            f"null_padding=false, hive_partitioning=false, columns={_texts(header)})"
        )

    def _arff_query(self) -> str:
        # Skipping a header that has a comment, DuckDB loses rows; so the rows are copied apart.
        rows = Path(self._folder) / "rows.csv"
        columns, self._lines_before = _split_arff(self.files[0], rows)
        names = [name for name, _ in columns]
        refuse_duplicates(names, self.name, fold=True)
        self.declared = {name: values for name, values in columns if values is not None}
        # Blanks around a value are no part of it, and a question mark is a missing one.
        values = ", ".join(
            f"nullif(trim({identifier(n)}, ' \t'), '?') AS {identifier(n)}" for n in names
        )
        return (
            f"SELECT {values} FROM read_csv({literal(rows)}, auto_detect=false, header=false, "
            "delim=',', quote='''', escape='\\', strict_mode=true, null_padding=false, "
            f"nullstr='', hive_partitioning=false, columns={_texts(names)})"
        )

    def _refuse_parquet_duplicates(self) -> None:
        """Refuse two columns of one name, the second of which DuckDB would rename unasked."""
        file = literal(_no_pattern(self.files[0]))
        rows = self.read(f"SELECT name, num_children FROM parquet_schema({file})").fetchall()
        names, inside = [], 0
        for name, children in rows[1:]:
            if not inside:
                names.append(name)
            inside = max(inside - 1, 0) + (children or 0)
        refuse_duplicates(names, self.name, fold=True)

    def parquet(self, files: Sequence[str]) -> str:
        """Return SQL for Parquet files as they are."""
        patterns = literal([_no_pattern(file) for file in files])
        return f"read_parquet({patterns}, hive_partitioning=false)"

    def parquet_rows(self) -> list[int] | None:
        """Return how many rows each Parquet file has; None of other kinds."""
        if self.kind != "Parquet":
            return None
        patterns = literal([_no_pattern(file) for file in self.files])
        found = self.read(f"SELECT num_rows FROM parquet_file_metadata({patterns})").fetchall()
        return [int(rows) for (rows,) in found]

    # -- reading -------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """How many rows the file has; counted when first asked for."""
        if self.known_rows is None:
            self.known_rows = self.read("SELECT count(*) FROM source").fetchone()[0]
        return self.known_rows

    def groups(self, columns: Sequence[str]) -> dict[str, int] | None:
        """Return how often the values of columns occur: see :meth:`FrameTable.groups`."""
        names = ", ".join(map(identifier, columns))
        present = f" WHERE {names} IS NOT NULL" if len(columns) == 1 else ""
        found = self.read(
            f"SELECT coalesce(sum(n), 0), count(*), coalesce(min(n), 0), coalesce(max(n), 0) FROM "
            f"(SELECT count(*) AS n FROM source{present} GROUP BY {names})"
        ).fetchone()
        return dict(zip(GROUPS, map(int, found), strict=True))

    def chunks(
        self, labels: Sequence[str], numbers: Sequence[str], size: int = CHUNK_ROWS, **beside: Any
    ) -> Iterator[Chunk]:
        """Read the columns named, by ranges of rows."""
        scan = FileScan(self, labels, numbers, **beside)
        try:
            yield from scan.chunks(size)
        finally:
            scan.drop()

    @staticmethod
    def sql_of(column: str) -> str:
        """Return a column's name as SQL."""
        return identifier(column)

    # -- DuckDB --------------------------------------------------------------------------------

    def run(self, query: str) -> Any:
        """Run a query."""
        return self._connection.execute(query)

    def read(self, query: str) -> Any:
        """Run a query that reads the file, so that what is wrong with the file shows."""
        try:
            return self.run(query)
        except self.errors() as error:
            if self.kind != "JSON" or "unknown key" not in str(error):
                raise self.unreadable(error) from None
        self._source = self._query(whole=True)
        self._open()
        try:
            return self.run(query)
        except self.errors() as error:
            raise self.unreadable(error) from None

    @staticmethod
    def errors() -> type[Exception]:
        """Return what DuckDB raises."""
        import duckdb

        return duckdb.Error

    def unreadable(self, error: Exception) -> InputError:
        """Turn DuckDB's text about a file into one sentence."""
        text = str(error)
        file = re.search(r"^\s*file = (.+)$", text, re.MULTILINE)
        name = Path(file[1].strip()).name if file and len(self.files) > 1 else self.name
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
                whose = "attributes declared" if self.kind == "ARFF" else "in its header"
                return InputError(
                    f"{name} has {found} {fields} on line {line} and {wanted} {whose}; mend "
                    "that line"
                )
            told = "a quote that is not closed" if "unterminated" in text else "a malformed row"
            return InputError(f"{name} has {told} on line {line}; mend that line")
        first = text.split("\n")[0].split(": ", 1)[-1].strip()
        return InputError(f"{name} cannot be read as {self.kind}: {first}")


def _discard(connection: Any, folder: str) -> None:
    connection.close()
    shutil.rmtree(folder, ignore_errors=True)


def _texts(names: Sequence[str]) -> str:
    return "{" + ", ".join(f"{literal(n)}: 'VARCHAR'" for n in names) + "}"


def _no_pattern(path: str) -> str:
    """Keep DuckDB from taking a file called ``a[1].csv`` for a pattern and reading ``a1.csv``."""
    return re.sub(r"([*?\[])", r"[\1]", path)


@contextlib.contextmanager
def _opened(path: str, newline: str, errors: str = "strict") -> Iterator[Any]:
    """Open a text file that may be packed; what is wrong with it becomes a refusal."""
    name = Path(path).name
    opener: Any = gzip.open if path.lower().endswith(".gz") else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", errors=errors, newline=newline) as file:
            yield file
    except UnicodeError:
        raise InputError(f"{name} is not UTF-8 text; save it as UTF-8") from None
    except (gzip.BadGzipFile, EOFError):
        raise InputError(f"{name} is no complete gzip file; pack or fetch it again") from None
    except csv.Error as error:
        raise InputError(f"{name} has a header that cannot be read: {error}") from None


def _csv_header(path: str) -> tuple[str, list[str]]:
    """Return the delimiter and the column names of a CSV file's first line."""
    # Bytes that are no UTF-8 may stand far below the header; DuckDB then names their line.
    with _opened(path, "", "surrogateescape") as file:
        line = file.readline()
        if not line.strip():
            raise InputError(f"{Path(path).name} has no header; its first line names the columns")
        delimiter = max(",;\t|", key=lambda d: len(next(csv.reader([line], delimiter=d))))
        file.seek(0)
        header = next(csv.reader(file, delimiter=delimiter))
        "".join(header).encode()
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


# -- ARFF ----------------------------------------------------------------------------------------

_ATTRIBUTE = re.compile(
    r"""@attribute\s+
        (?:'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<plain>[^\s'"{]+))
        \s*(?P<kind>\{.*\}|(?<=[\s'"])[A-Za-z].*)""",
    re.IGNORECASE | re.VERBOSE,
)
_VALUE = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,'"]*?))\s*(?:,|$)""")


Attribute = tuple[str, tuple[str, ...] | None]
"""A column: its name, and its values if it is nominal."""


def _split_arff(path: str, target: Path) -> tuple[list[Attribute], int]:
    """Copy the rows of an ARFF file; return its columns, and how many lines come before the rows.

    There is a blank line for every comment, so that lines keep their numbers, and all lines end
    alike: DuckDB takes no file that mixes line ends.
    """
    name, columns = Path(path).name, []
    with _opened(path, "\n") as file, target.open("w", encoding="utf-8", newline="\n") as rows:
        lines = enumerate(file, start=1)
        for header, line in lines:
            text = line.strip()
            if text.lower().startswith("@attribute"):
                columns.append(_attribute(text, name, header))
            elif text.lower().startswith("@data"):
                break
        else:
            raise InputError(
                f"{name} has no @data line, so it is no ARFF file; look at what it holds"
            )
        if not columns:
            raise InputError(
                f"{name} declares no @attribute before @data on line {header}; declare its columns"
            )
        for number, line in lines:
            text = line.strip()
            if text.startswith("{"):
                raise InputError(
                    f"{name} holds sparse rows, the first on line {number}; convert it to plain "
                    "rows (Weka's SparseToNonSparse)"
                )
            rows.write("\n" if text[:1] in ("", "%") else line.rstrip("\r\n") + "\n")
    return columns, header


def _attribute(text: str, name: str, number: int) -> Attribute:
    found = _ATTRIBUTE.match(text)
    if not found:
        raise InputError(
            f"{name} has an @attribute on line {number} that cannot be read: {text!r}; write it as "
            "@attribute NAME TYPE"
        )
    column, kind = _unquoted(*found.group("single", "double", "plain")), found["kind"]
    if not kind.startswith("{"):
        return column, None
    return column, _values(kind[1 : kind.rindex("}")], name, number)


def _values(text: str, name: str, number: int) -> tuple[str, ...]:
    values = []
    at = 0
    while at < len(text):
        found = _VALUE.match(text, at)
        if found is None or found.end() == at:
            raise InputError(
                f"{name} has a value on line {number} that cannot be read: {text[at:].strip()!r}; "
                "close its quote and put a comma behind it"
            )
        values.append(_unquoted(*found.groups()))
        at = found.end()
    return tuple(dict.fromkeys(values))


def _unquoted(single: str | None, double: str | None, plain: str) -> str:
    """Return what is meant by a text in single quotes, in double ones or in none."""
    quoted = double if single is None else single
    return plain if quoted is None else re.sub(r"\\(.)", r"\1", quoted)


# -- Weka's option -p ----------------------------------------------------------------------------


class WekaTable:
    """The table of Weka's ``-p``, whose classes are written as "2:name": the names alone."""

    def __init__(self, table: FrameTable | FileTable) -> None:
        self.table = table
        self.name, self.kind = table.name, table.kind
        self.columns = table.columns
        self.close = table.close

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return self.table.rows

    def chunks(self, *columns: Any, **options: Any) -> Iterator[Chunk]:
        """Read the columns named, with "2:name" read as "name" and "2:?" as missing."""
        for chunk in self.table.chunks(*columns, **options):
            classes = {c: chunk.labels[c] for c in _WEKA_CLASSES if c in chunk.labels}
            names = [_weka_name(v) for c in classes.values() for v in c.labels if ":" in str(v)]
            # Both columns' names are judged together: integers only if they all are.
            whole = any(names) and all(n is None or WHOLE.fullmatch(n) for n in names)
            stripped = {
                c: _strip_weka(coded, whole)
                for c, coded in classes.items()
                if any(isinstance(label, str) for label in coded.labels)
            }
            yield replace(chunk, labels={**chunk.labels, **stripped})


_WEKA_CLASSES = ("actual", "predicted")


def _weka_name(label: Label) -> str | None:
    """Return the name of a class as Weka writes it, None where it is missing."""
    text = str(label)
    index, colon, name = text.partition(":")
    name = name if colon and index.isdecimal() else text
    return None if name == "?" else name


def _strip_weka(coded: Coded, whole: bool) -> Coded:
    names = [_weka_name(label) for label in coded.labels]
    meant = code_labels([n if n is None or not whole else int(n) for n in names], "classes")
    return Coded(np.append(meant.codes, -1)[coded.codes], meant.labels)


def weka_positive_score(predicted: Coded, probability: Floats, positive: Label) -> Floats:
    """Return the probability of the positive class from that of the predicted one of two."""
    at = predicted.labels.index(positive) if positive in predicted.labels else -2
    return np.where(predicted.codes == at, probability, 1 - probability)
