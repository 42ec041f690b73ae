"""Files as tables, through DuckDB: streamed under a memory limit, never loaded whole.

Nothing is left to sniffing. CSV, ARFF and JSON values arrive as the texts they are and are judged
here over all rows, because a guess from the first ones is wrong in silence: DuckDB reads yes and
no as booleans, and takes a malformed third line for the header.
"""

from __future__ import annotations

import codecs
import contextlib
import glob
import itertools
import os
import re
import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from tallymark.errors import InputError, listed
from tallymark.reading.arff import split_arff
from tallymark.reading.chunks import CHUNK_ROWS, GROUPS, Chunk, unequal_vectors, vector_of
from tallymark.reading.encodings import plain_text, refuse_long_lines
from tallymark.reading.headers import (
    MOST_COLUMNS,
    NUMBER,
    Header,
    line_of,
    read_header,
    too_many_columns,
)
from tallymark.reading.kinds import kind_of, utf16_of
from tallymark.reading.names import is_usual, meaning, refuse_duplicates
from tallymark.reading.numerals import ABSENT, elements
from tallymark.reading.objects import rows_of_object
from tallymark.reading.scan import FileScan, configure, identifier, literal
from tallymark.reading.sheets import sheet_as_csv
from tallymark.reading.trimming import trimmed
from tallymark.reading.unpacking import STDIN, first_bytes, received

_SEVERAL = ("CSV", "Parquet", "JSON")
_NOT_PLAIN = re.compile("utf-?8|unicode|parser state machine", re.IGNORECASE)
"""What DuckDB says of text in another encoding, and of several kinds of line ends."""

MEMORY = 10**9
"""Bytes that DuckDB may take, and a packed file may unpack to, unless told otherwise."""


def open_file(
    path: str | os.PathLike[str],
    *,
    memory: int = MEMORY,
    header: bool | None = None,
    sheet: str | None = None,
    named: Collection[str] | None = None,
) -> FileTable:
    """Open a CSV, Parquet, JSON, Arrow, ARFF or Excel file, packed or not, or several by a pattern.

    ``-`` is standard input. DuckDB works within ``memory`` bytes and spills to a temporary folder
    what does not fit. Without a ``header`` CSV and Excel columns are called column0, column1 and
    so on. A first row that looks like data is refused where the columns that a user ``named`` are
    given and none of them is in it; None where the user cannot say ``header``.
    """
    text = os.fspath(path)
    files = [text]
    if glob.has_magic(text) and not Path(text).exists():
        files = sorted(glob.glob(text, recursive=True))  # noqa: PTH207 (absolute patterns)
        if not files:
            raise InputError(f"no file matches {text!r}; check the pattern")
    for file in files:
        if not file:
            raise InputError("the path of the file is empty; name a file")
        if Path(file).is_dir():
            raise InputError(f"{file!r} is a folder; name a file, or a pattern such as *.parquet")
        if file != "-" and not Path(file).exists():
            raise InputError(f"there is no file {file!r}; check the path")
    return FileTable(text, files, memory, header, sheet, named)


class FileTable:
    """One file, or several of one kind, as a table; ``close()`` frees what it holds early."""

    def __init__(
        self, path: str, files: Sequence[str], memory: int, header: bool | None,
        sheet: str | None, named: Collection[str] | None,
    ) -> None:  # fmt: skip
        import duckdb

        self.name = STDIN if path == "-" else Path(path).name
        self.declared: dict[str, tuple[str, ...]] = {}
        self.known_rows: int | None = None
        self.serial = itertools.count()
        self.format: list[str] = []
        """What was read in another way than usual."""
        self.absent = set[str]()
        """The words that were read as missing among labels."""
        self.classes: frozenset[str] = frozenset()
        """Labels that somebody listed: of these, a word such as NA names a class."""
        self._elements: dict[str, str] = {}
        """SQL for the columns that are elements of vectors."""
        self.percents: frozenset[str] = frozenset()
        """The columns whose numbers are percentages, to be divided by 100."""
        self._memory, self._sheet, self._header, self._named = memory, sheet, header, named
        self._plain = self._all_keys = False
        self._given: Sequence[str] = ()
        """The names of the columns, where the file tells them; DuckDB may call them otherwise."""
        self.delimiter = ""
        """What stands between the fields of a text."""
        self._lines_before = 0
        self._above: dict[str, int] = {}
        self._connection: Any = duckdb.connect(":memory:")
        # Last before somebody is to clean it up: a signal in between would leave it behind.
        self._folder = tempfile.mkdtemp(prefix="tallymark-")
        # A TemporaryDirectory would warn when it is cleaned up without being asked to.
        self.close = weakref.finalize(self, _discard, self._connection, self._folder)
        try:
            self._receive(path, files)
            self._lock()
            self._open()
            if self._may_lack_header and not set(named or ()) & set(self.types):
                self._refuse_headless()
        except BaseException:
            self.close()
            raise
        self.columns = tuple(self.types)

    @property
    def texts(self) -> bool:
        """Whether all its values are texts, which mean what all of their column do."""
        return self.kind in ("CSV", "ARFF", "Excel")

    def say(self, *texts: str) -> None:
        """Note what was read in another way than usual, once."""
        self.format += [text for text in texts if text not in self.format]

    def in_percent(self, columns: Sequence[str]) -> None:
        """Read columns as percentages, whose numbers are divided by 100."""
        self.percents = frozenset(columns)

    @property
    def _headed(self) -> bool:
        return self.kind in ("CSV", "Excel")

    @property
    def _may_lack_header(self) -> bool:
        return self._headed and self._header is None and self._named is not None

    # -- opening -------------------------------------------------------------------------------

    def _receive(self, path: str, files: Sequence[str]) -> None:
        """Find where the bytes of each file lie, and of what kind they are."""
        self._names: dict[str, str] = {}
        kinds = set()
        for i, file in enumerate(files):
            absolute = file if file == "-" else os.path.abspath(file)  # noqa: PTH100 (keeps links)
            place = received(absolute, self._folder, i, self._memory)
            self._names[place] = STDIN if file == "-" else Path(file).name
            kinds.add(kind_of(file, first_bytes(place)))
        if len(kinds) > 1:
            raise InputError(
                f"{path!r} matches files of {listed(sorted(kinds))}; match only one kind"
            )
        self.kind = kinds.pop()
        if len(files) > 1 and self.kind not in _SEVERAL:
            raise InputError(f"{path!r} matches {len(files)} {self.kind} files; give one at a time")
        for what, given, kinds in (
            ("header", self._header, {"CSV", "Excel"}), ("sheet", self._sheet, {"Excel"}),
        ):  # fmt: skip
            if given is not None and self.kind not in kinds:
                raise InputError(
                    f"{what} is for {' and '.join(sorted(kinds))} files, and {self.name} is "
                    f"{self.kind}; leave it out"
                )
        self.files = list(self._names)

    def _lock(self) -> None:
        """Keep DuckDB within the memory, the user's files and the temporary folder."""
        paths = [p for file in self.files for p in (file, _no_pattern(file))]
        configure(self._connection, {
            "memory_limit": f"{self._memory}B",
            "temp_directory": self._folder,
            "preserve_insertion_order": True,
            "python_enable_replacements": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            "allowed_paths": paths,
            "allowed_directories": [self._folder],
            "enable_external_access": False,
            "lock_configuration": True,
        })  # fmt: skip

    def _open(self) -> None:
        """Make the view "source" and note the types of its columns."""
        try:
            self.run(f"CREATE OR REPLACE TEMP VIEW source AS {self._query()}")
            described = self.run("DESCRIBE source").fetchall()
        except self.errors() as error:
            if not self._mended(str(error)):
                raise self.unreadable(error) from None
        else:
            stored = [str(name) for name, *_ in described]
            if self.kind == "JSON" and not self._given and _may_be_renamed(stored):
                self._given = self._keys()
                return self._open()
            names = self._given if len(self._given) == len(stored) else stored
            self._stored = dict(zip(names, stored, strict=True))
            self.types = {n: str(row[1]) for n, row in zip(names, described, strict=True)}
            if self.kind == "JSON" and self.types.get("json", "").startswith("MAP"):
                raise too_many_columns(self.name)
            self._split_objects()

    def _query(self) -> str:
        """Return SQL for the file."""
        if self.kind == "Parquet":
            self._refuse_parquet_duplicates()
            return f"SELECT * FROM {self.parquet(self.files)}"
        if self.kind == "Arrow":
            table = _read_arrow(self.files[0], self.name)
            stored = self._distinct(table.column_names)
            self._connection.register("arrow_file", table.rename_columns(stored))
            return "SELECT * FROM arrow_file"
        if self.kind == "JSON":
            return self._json_query()
        return self._arff_query() if self.kind == "ARFF" else self._csv_query()

    def _make_plain(self) -> None:
        """Copy texts as UTF-8 with line feeds, where they are something else."""
        called: dict[str, str] = {}
        for i, (place, name) in enumerate(self._names.items()):
            target = Path(self._folder) / f"text-{i}"
            encoding = plain_text(place, target, name)
            self.say(*([encoding] if encoding else []))
            called[str(target)] = name
            self._above[str(target)] = self._above.get(place, 0)
        self._names, self.files, self._plain = called, list(called), True

    def _json_query(self) -> str:
        heads = [first_bytes(file) for file in self.files]
        if not self._plain and any(utf16_of(h) or h.startswith(codecs.BOM_UTF8) for h in heads):
            self._make_plain()
        self._unwrap()
        # Depth 1 leaves every value as it is written, whatever the rows before it held.
        sample = ", sample_size=-1" if self._all_keys else ""
        if self._given:
            values = ", ".join(
                f"json_extract(json, {literal('$.' + identifier(key))}) AS {identifier(name)}"
                for key, name in zip(self._given, self._distinct(self._given), strict=True)
            )
            return f"SELECT {values} FROM read_json_objects({self._literals()}, format='auto')"
        return (
            f"SELECT * FROM read_json({self._literals()}, maximum_depth=1, "
            f"hive_partitioning=false, union_by_name=true, "
            f"map_inference_threshold={MOST_COLUMNS}{sample})"
        )

    def _unwrap(self) -> None:
        """Read a JSON file that is one object by the rows it holds."""
        called: dict[str, str] = {}
        for i, (file, name) in enumerate(self._names.items()):
            target = Path(self._folder) / f"rows-{i}"
            done = file == str(target)
            told = None if done else rows_of_object(file, target, self._memory // 10)
            self.say(*([told] if told else []))
            called[str(target) if told else file] = name
        self._names, self.files = called, list(called)

    def _split_objects(self) -> None:
        """Put the fields of a JSON file's objects in their place, by dotted names."""
        values = {n: self.sql_of(n) for n, kind in self.types.items() if kind == "JSON"}
        if not values:
            return
        tells = ", ".join(f"bool_or(json_type({v}) = 'OBJECT')" for v in values.values())
        first = self.read(f"SELECT {tells} FROM (FROM source LIMIT 1000)").fetchone()
        fields: dict[str, list[str]] = {}
        for name in itertools.compress(values, first):
            odd = f"json_type({values[name]}) NOT IN ('OBJECT', 'NULL')"
            plain = self.read(f"SELECT 1 FROM source WHERE {odd} LIMIT 1").fetchone() is None
            keys = self._keys(values[name], "source") if plain else []
            vector = "values" in keys and {*keys} <= {"type", "size", "indices", "values"}
            if not vector and not {f"{name}.{key}" for key in keys} & set(self.types):
                fields[name] = keys
        types: dict[str, str] = {}
        for name, kind in self.types.items():
            for key in fields.get(name, ()):
                pointer = "/" + key.replace("~", "~0").replace("/", "~1")
                self._elements[f"{name}.{key}"] = (
                    f"json_extract({values[name]}, {literal(pointer)})"
                )
            whole = not fields.get(name)
            types |= {name: kind} if whole else {f"{name}.{key}": kind for key in fields[name]}
        if len(types) > MOST_COLUMNS:
            raise too_many_columns(self.name, len(types))
        self.types = types
        if any(fields.values()):
            self._split_objects()

    def _keys(self, value: str = "json", source: str = "") -> list[str]:
        """Return the keys of a JSON file's objects, or of those in a column, as they first come."""
        source = source or f"read_json_objects({self._literals()}, format='auto')"
        found = self.read(
            "SELECT key FROM (SELECT unnest(keys) AS key, unnest(range(len(keys))) AS k, place "
            f"FROM (SELECT json_keys({value}) AS keys, row_number() OVER () AS place "
            f"FROM {source})) GROUP BY key ORDER BY min([place, k])"
        ).fetchall()
        return [str(key) for (key,) in found]

    def _literals(self) -> str:
        return literal([_no_pattern(file) for file in self.files])

    def _csv_query(self) -> str:
        if self.kind == "Excel" and not self._plain:
            target = Path(self._folder) / "sheet.csv"
            self._lines_before = sheet_as_csv(
                self.files[0], target, self.name, self._sheet, self._memory
            )
            self._names, self.files = {str(target): self.name}, [str(target)]
            self._plain = True
        headers = self._headers()
        self.delimiter, names = headers[0].delimiter, headers[0].names
        twice = {name for name, times in Counter(names).items() if times > 1}
        row = twice & {*headers[0].numbers} or (twice and not any(map(meaning, names)))
        if row and self._may_lack_header:
            raise self.headless(names)
        stored = self._distinct(names)
        if "distribution" in names and "inst#" in names:
            raise InputError(
                f"{self.name} was made by Weka with -distribution, whose rows have more fields "
                "than its header; run Weka with -p and without -distribution"
            )
        for file, found in zip(self.files[1:], headers[1:], strict=True):
            if (found.delimiter, found.names) != (self.delimiter, names):
                theirs, ours = (listed(sorted(h.names)) for h in (found, headers[0]))
                raise InputError(
                    f"{self._names[file]} has the columns {theirs} and "
                    f"{self._names[self.files[0]]} has {ours}; give all files the same header"
                )
        headed = "false" if self._header is False else "true"
        return (
            f"SELECT * FROM read_csv({self._literals()}, auto_detect=false, header={headed}, "
            f"delim={literal(self.delimiter)}, quote='\"', escape='\"', strict_mode=true, "
            f"null_padding=false, hive_partitioning=false, columns={_texts(stored)})"
        )

    def _headers(self) -> list[Header]:
        """Return the header of each file, made plain text first where that is needed to read it."""
        for file, name in self._names.items():
            refuse_long_lines(file, name)
        marked = any(utf16_of(first_bytes(file)) for file in self.files)
        if not marked:
            self._trim()
        headers = [None if marked else read_header(f, name) for f, name in self._names.items()]
        found = [h for h in headers if h is not None]
        # DuckDB takes a line feed in the header for the end of all lines.
        if not self._plain and any(h is None or h.lines > 1 for h in headers):
            self._make_plain()
            return self._headers()
        if self._header is False:
            self.say("no header")
            return [h.unnamed() for h in found]
        return found

    def _trim(self) -> None:
        """Leave out what stands above the header of a text file and below its last row."""
        called: dict[str, str] = {}
        for i, (file, name) in enumerate(self._names.items()):
            target = Path(self._folder) / f"table-{next(self.serial)}-{i}"
            found = None if self._header is False else trimmed(file, target, name)
            place = str(target) if found else file
            if found and Path(file).parent == Path(self._folder):
                Path(file).unlink()  # what a packed file may unpack to holds for both
            self._above[place] = self._above.get(file, 0) + (found[0] if found else 0)
            self.say(*(found[1] if found else ()))
            called[place] = name
        self._names, self.files = called, list(called)

    def _refuse_headless(self) -> None:
        """Refuse a first row that looks like those below it: it names no columns."""
        header = Header(self.delimiter, tuple(self.types), 1)
        if not header.numbers and any(is_usual(name) for name in header.names):
            return
        if len(header.numbers) < len(header.names):
            found = self.read(f"SELECT {self._alike(header)} FROM source").fetchone()
            alike, below = found[0::2], found[1::2]
            if not all(alike) or not any(below):
                return
        raise self.headless(header.names)

    def headless(self, names: Sequence[str]) -> InputError:
        """Return the refusal of a first row that looks like those below it."""
        return InputError(
            f"{self.name} begins with {listed(names, 4)}, which looks like a row, not like column "
            "names; give header=False if it is one (columns are then called column0, column1 and "
            "so on), or header=True if these are names"
        )

    def _alike(self, header: Header) -> str:
        """Return SQL that tells of each column whether its name could be, and is, a value of it."""
        parts = []
        for name in header.names:
            c = self.sql_of(name)
            below = f"coalesce(bool_or({c} = {literal(name)}), false)"
            if name in header.numbers:
                # A fraction names no column; any number may stand above numbers.
                absent = f"({c} IS NULL OR trim({c}) IN ({ABSENT}))"
                alike = f"bool_and({absent} OR regexp_full_match({c}, {literal(NUMBER.pattern)}))"
                below = "true" if not name.isdecimal() else below
            else:
                alike = f"({below} OR count(DISTINCT {c}) = count(*))"
            parts += [alike, below]
        return ", ".join(parts)

    def _arff_query(self) -> str:
        if not self._plain:
            self._make_plain()
        # Skipping a header that has a comment, DuckDB loses rows; so the rows are copied apart.
        rows = Path(self._folder) / "rows.csv"
        columns, self._lines_before = split_arff(self.files[0], rows, self.name)
        names = [name for name, _ in columns]
        stored = self._distinct(names)
        self.declared = {name: values for name, values in columns if values is not None}
        # Blanks around a value are not part of it, and a question mark is a missing one.
        values = ", ".join(
            f"nullif(trim({identifier(n)}, ' \t'), '?') AS {identifier(n)}" for n in stored
        )
        return (
            f"SELECT {values} FROM read_csv({literal(rows)}, auto_detect=false, header=false, "
            "delim=',', quote='''', escape='\\', strict_mode=true, null_padding=false, "
            f"nullstr='', hive_partitioning=false, columns={_texts(stored)})"
        )

    def _distinct(self, names: Sequence[str]) -> list[str]:
        """Return what DuckDB shall call the columns: to it upper and lower case are the same."""
        if len(names) > MOST_COLUMNS:
            raise too_many_columns(self.name, len(names))
        refuse_duplicates(names, self.name)
        self._given, taken, stored = list(names), {n.lower() for n in names}, set[str]()
        out = []
        for name in names:
            free = (f"{name}_{k}" for k in itertools.count(1) if f"{name}_{k}".lower() not in taken)
            out.append(name if name.lower() not in stored else next(free))
            taken.add(out[-1].lower())
            stored.add(out[-1].lower())
        return out

    def _refuse_parquet_duplicates(self) -> None:
        """Refuse two columns of one name, the second of which DuckDB would rename unasked."""
        file = literal(_no_pattern(self.files[0]))
        rows = self.read(f"SELECT name, num_children FROM parquet_schema({file})").fetchall()
        names, inside = [], 0
        for name, children in rows[1:]:
            if not inside:
                names.append(name)
            inside = max(inside - 1, 0) + (children or 0)
        self._distinct(names)

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
        names = ", ".join(map(self.sql_of, columns))
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

    def sql_of(self, column: str) -> str:
        """Return a column as SQL."""
        return self._elements.get(column) or identifier(self._stored[column])

    def split(self, column: str) -> tuple[str, ...]:
        """Put the elements of a column of vectors in its place; return them, none of any other."""
        value, found = self.sql_of(column), elements(self.sql_of(column), self.types[column])
        if found is None:
            return ()
        vector, kind = found
        rows = f"FROM source WHERE {value}::VARCHAR NOT IN ({ABSENT})"
        first = self.read(f"SELECT {vector} {rows} LIMIT 1").fetchone()
        if first is None or first[0] is None:
            return ()
        fewest, most = self.read(
            f"SELECT min(coalesce(len({vector}), 0)), max(len({vector})) {rows}"
        ).fetchone()
        if fewest != most:
            raise unequal_vectors(column, fewest, most)
        names = vector_of(column, most)
        for k, name in enumerate(names, 1):
            self._elements[name], self.types[name] = f"({vector})[{k}]", kind
        place = self.columns.index(column)
        self.columns = (*self.columns[:place], *names, *self.columns[place + 1 :])
        return names

    # -- DuckDB --------------------------------------------------------------------------------

    def run(self, query: str) -> Any:
        """Run a query."""
        return self._connection.execute(query)

    def read(self, query: str) -> Any:
        """Run a query that reads the file, so that what is wrong with the file shows."""
        while True:
            try:
                return self.run(query)
            except self.errors() as error:
                if not self._mended(str(error)):
                    raise self.unreadable(error) from None

    def _mended(self, error: str) -> bool:
        """Read the file in another way if that may help."""
        if self.kind == "JSON" and "unknown key" in error and not self._all_keys:
            self._all_keys = True
        elif self.kind in ("CSV", "JSON") and _NOT_PLAIN.search(error) and not self._plain:
            self._make_plain()
        else:
            return False
        self._open()
        return True

    @staticmethod
    def errors() -> type[Exception]:
        """Return what DuckDB raises."""
        import duckdb

        return duckdb.Error

    def unreadable(self, error: Exception) -> InputError:
        """Turn DuckDB's text about a file into one sentence."""
        text = str(error)
        found = re.search(r"^\s*file = (.+)$", text, re.MULTILINE)
        file = found[1].strip() if found else self.files[0]
        name = self._names.get(file, self.name)
        found = re.search(r"CSV Error on Line: (\d+)", text)
        if found:
            line = int(found[1])
            if self._headed:
                line = line_of(file, self.delimiter, line)
            line += self._lines_before + self._above.get(file, 0)
            columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
            if columns:
                wanted, many = columns.groups()
                fields = "field" if many == "1" else "fields"
                whose = "attributes declared" if self.kind == "ARFF" else "in its header"
                return InputError(
                    f"{name} has {many} {fields} on line {line} and {wanted} {whose}; correct that "
                    "line"
                )
            told = "a malformed row"
            if "unterminated" in text:
                told = "a quote that is not closed"
            elif "line size" in text.lower():
                told = "a row of more than 2 MB, perhaps from a quote that is not closed,"
            return InputError(f"{name} has {told} on line {line}; correct that line")
        if "maximum_object_size" in text:
            return InputError(
                f"{name} has an object of more than 16 MB; write one object per row, or leave out "
                "the column of long strings"
            )
        if "out of memory" in text.lower():
            return InputError(
                f"{name} does not fit into memory: DuckDB may use {self._memory / 1e6:,.0f} MB; "
                f"give more memory=, such as memory='{max(self._memory * 8 // 10**9, 8)}GB'"
            )
        first = text.split("\n")[0].split(": ", 1)[-1].strip()
        return InputError(f"{name} cannot be read as {self.kind}: {first}")


def _discard(connection: Any, folder: str) -> None:
    connection.close()
    shutil.rmtree(folder, ignore_errors=True)


def _may_be_renamed(names: Sequence[str]) -> bool:
    """Tell whether DuckDB may have made two names that differ in case only two by a number."""
    lower = {n.lower() for n in names}
    return any(re.sub(r"_\d+$", "", n) in lower - {n} for n in lower)


def _texts(names: Sequence[str]) -> str:
    return "{" + ", ".join(f"{literal(n)}: 'VARCHAR'" for n in names) + "}"


def _no_pattern(path: str) -> str:
    """Keep DuckDB from taking a file called ``a[1].csv`` for a pattern and reading ``a1.csv``."""
    return re.sub(r"([*?\[])", r"[\1]", path)


def _read_arrow(path: str, name: str) -> Any:
    try:
        import pyarrow
        from pyarrow import ipc
    except ImportError:
        raise InputError(
            "reading Arrow files needs pyarrow; install it with: pip install 'tallymark[arrow]'"
        ) from None
    for reader in (ipc.open_file, ipc.open_stream):
        with contextlib.suppress(pyarrow.ArrowException, OSError):
            table = reader(pyarrow.memory_map(path)).read_all()
            table.validate(full=True)  # places that lie outside of the file would end the process
            return table
    raise InputError(
        f"{name} is not an Arrow file, or is damaged; write it with Arrow's IPC or Feather format"
    )
