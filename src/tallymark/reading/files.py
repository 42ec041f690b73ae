"""Files as tables, through DuckDB: streamed under a memory limit, never loaded whole.

Nothing is left to DuckDB's type detection. CSV and JSON values arrive as texts and are interpreted
here over all rows: a guess from the first rows may be silently wrong. DuckDB reads yes and no as
booleans, and takes a malformed third line for the header.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import glob
import itertools
import os
import re
import shutil
import weakref
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tallymark.errors import InputError, listed, shortened
from tallymark.reading import temporary
from tallymark.reading.chunks import CHUNK_ROWS, GROUPS, AnyTable, Chunk, unequal_vectors, vector_of
from tallymark.reading.delimited import (
    MOST_COLUMNS,
    NUMBER,
    Header,
    line_of,
    numbers_in,
    read_header,
    too_many_columns,
    with_commas,
    without_surroundings,
)
from tallymark.reading.encodings import plain_text, refuse_long_lines, utf16_of
from tallymark.reading.json_rows import rows_of_value
from tallymark.reading.kinds import ZIP, Reader, kind_of, kinds, readers
from tallymark.reading.layouts import Layout
from tallymark.reading.names import is_usual, meaning
from tallymark.reading.numerals import ABSENT, elements
from tallymark.reading.question import Question
from tallymark.reading.scan import FileScan, configure, identifier, literal
from tallymark.reading.unpacking import (
    PACKED,
    STDIN,
    Opened,
    Written,
    first_bytes,
    received,
    unzipped,
    zip_members,
)
from tallymark.tally.arrays import Label, refuse_duplicates

_NOT_PLAIN = re.compile("utf-?8|unicode|parser state machine", re.IGNORECASE)
"""DuckDB's error messages for another encoding and for mixed line ends."""

_CLASS_SCORE = (
    ("label", "class", "category"),
    ("score", "prob", "probability", "confidence"),
)
"""Keys for a class and its score in JSON objects."""

MEMORY = 10**9
"""Default limit in bytes for DuckDB's memory and for an unpacked file."""


def open_file(
    path: str | os.PathLike[str],
    *,
    memory: int = MEMORY,
    header: bool | None = None,
    sheet: str | None = None,
    named: Collection[str] | None = None,
) -> FileTable:
    """Return a file, or several by a pattern, as a table; it may be packed.

    The kinds are those of :func:`kinds.readers`. ``sheet`` selects a table if a file holds several:
    a sheet, a table of a database, a list of a JSON file, a file in a zip archive. ``-`` is
    standard input. DuckDB works within ``memory`` bytes and spills the rest to a temporary folder.
    Without a ``header`` the columns of CSV files and sheets are called column0, column1 and so on.
    ``named`` are the columns that the user named: if none is in a first row that looks like data,
    the header is refused. It is None if the user cannot set ``header``.
    """
    text = os.fspath(path)
    files = [text]
    if glob.has_magic(text) and not os.path.exists(text):  # noqa: PTH110 (of any length)
        files = sorted(glob.glob(text, recursive=True))  # noqa: PTH207 (absolute patterns)
        if not files:
            raise InputError(f"no file matches {shortened(text, 200)}; check the pattern")
    for file in files:
        if not file:
            raise InputError("the path of the file is empty; name a file")
        _refuse_odd_path(file)
        if Path(file).is_dir():
            raise InputError(f"{file!r} is a folder; name a file, or a pattern such as *.parquet")
        if file != "-" and not Path(file).exists():
            raise InputError(f"there is no file {file!r}; check the path")
    inputs = [
        Opened(file, STDIN if file == "-" else Path(file).name, sheet, memory, header)
        for file in files
    ]
    return FileTable(text, inputs, named)


def _refuse_odd_path(path: str) -> None:
    """Refuse a path that is invalid, leads nowhere, or is not UTF-8."""
    try:
        text = os.fsencode(path).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # a lone surrogate
        text = path.encode("utf-8", "backslashreplace").decode()
    quoted = f"'{text}'" if len(text) <= 200 else f"'{text[:60]}...'"
    try:
        os.path.abspath(path).encode()  # noqa: PTH100 (keeps links)
        if path != "-":
            os.stat(path)  # noqa: PTH116 (says why)
    except UnicodeError:
        raise InputError(
            f"the path of {quoted} is not UTF-8; rename the file, or the folder that is not"
        ) from None
    except (OSError, ValueError) as error:
        reasons = {
            errno.ENAMETOOLONG: "is too long for the name of a file; check the path",
            errno.ELOOP: "is a link that leads back to itself; give the path of the file",
        }
        reason = reasons.get(getattr(error, "errno", None) or 0)
        if reason is not None:
            raise InputError(f"{quoted} {reason}") from None


class FileTable(AnyTable):
    """One file, or several of one kind, as a table; ``close()`` releases its resources early."""

    def __init__(self, path: str, files: Sequence[Opened], named: Collection[str] | None) -> None:
        import duckdb

        self.name = STDIN if path == "-" else Path(path).name
        self.declared: dict[str, tuple[str, ...]] = {}
        self.known_rows: int | None = None
        self.serial = itertools.count()
        self.format: list[str] = []
        """Notes on what was not read literally."""
        self.absent = set[str]()
        """The words that were read as missing labels."""
        self.classes: frozenset[str] = frozenset()
        """Labels that the user listed: a word such as NA among them names a class."""
        self._elements: dict[str, str] = {}
        """SQL for columns that are elements of vectors."""
        self._beside: str | None = None
        """The label column in the table ``beside``, joined from another file."""
        self.percents: frozenset[str] = frozenset()
        """The columns in percent, to be divided by 100."""
        self._memory, self._header, self._named = files[0].memory, files[0].header, named
        self.orders: dict[str, tuple[str, ...]] = {}
        """The categories of columns that declare their order."""
        self._written = Written()
        """Details of the conversion to text."""
        self._plain = self._all_keys = False
        self._names: Sequence[str] = ()
        """The column names as the file has them; DuckDB may rename them."""
        self.delimiter = ""
        """The delimiter of a text."""
        self.layout: Layout | None = None
        """The layout of the columns, if their names alone show it."""
        self.connection: Any = duckdb.connect(":memory:")
        # The finalizer knows the path before the folder exists, so that a signal in between cannot
        # leak it. A TemporaryDirectory would warn if it is not closed explicitly.
        self._folder = temporary.new_path()
        lock: list[int | None] = [None]
        self.close = weakref.finalize(self, _discard, self.connection, self._folder, lock)
        try:
            lock[:] = [temporary.make(self._folder)]
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
    def files(self) -> list[str]:
        """The paths of the files that DuckDB reads."""
        return [opened.path for opened in self._opened]

    @property
    def texts(self) -> bool:
        """Whether all values are texts, whose types depend on the whole column."""
        return self._form == "CSV"

    def say(self, *texts: str) -> None:
        """Add a note on what was not read literally, once."""
        self.format += [text for text in texts if text not in self.format]

    def in_percent(self, columns: Sequence[str]) -> None:
        """Read columns as percentages, whose numbers are divided by 100."""
        self.percents = frozenset(columns)

    @property
    def _may_lack_header(self) -> bool:
        return self._reader.may_have_header and self._header is None and self._named is not None

    # -- opening -------------------------------------------------------------------------------

    def _receive(self, path: str, inputs: Sequence[Opened]) -> None:
        """Locate the bytes of each file, detect its kind and convert it to text."""
        places = [self._place(file, i) for i, file in enumerate(inputs)]
        file_kinds = sorted({reader.kind for _, reader in places})
        if len(file_kinds) > 1:
            raise InputError(f"{path!r} matches files of {listed(file_kinds)}; match only one kind")
        self._opened, reader = [opened for opened, _ in places], places[0][1]
        self._reader, self.kind, self._form = reader, reader.kind, reader.form
        if len(inputs) > 1 and (reader.declares or self._form == "Arrow"):
            raise InputError(
                f"{path!r} matches {len(inputs)} {self.kind} files; give one at a time"
            )
        self._refuse_unfit(reader, self._opened[0])
        if reader.write:
            self._plain = True
            if reader.text:
                self._rewrite(plain_text)
            self._rewrite(reader.write)
        if any(_must_be_plain(self._form, first_bytes(file)) for file in self.files):
            self._make_plain()
        else:
            self._find_rows()

    def _place(self, source: Opened, serial: int) -> tuple[Opened, Reader]:
        """Return a file with the path of its unpacked bytes, and the reader of its kind."""
        file = source.path
        place = file if file == "-" else os.path.abspath(file)  # noqa: PTH100 (keeps links)
        place = received(place, self._folder, serial, self._memory)
        opened = replace(source, path=place)
        kind = kind_of(file, first_bytes(place), zip_members(place))
        if kind == ZIP:
            target = Path(self._folder) / f"unzipped-{serial}"
            member, part = unzipped(opened, [*kinds(), *PACKED], target)
            place = received(str(target), self._folder, serial, self._memory)
            opened = replace(opened, path=place, part=part)
            kind = kind_of(member, first_bytes(place), zip_members(place))
            self.say(f"{member!r} in it")
        if kind == ZIP:
            raise InputError(
                f"{opened.name} holds a zip archive; unpack it, and give the file in it"
            )
        return opened, readers()[kind]

    def _refuse_unfit(self, reader: Reader, opened: Opened) -> None:
        """Refuse options that do not apply to this kind of file."""
        for what, is_given, fits in (
            ("header", opened.header, [r.kind for r in readers().values() if r.may_have_header]),
            ("sheet", opened.part, [*(r.kind for r in readers().values() if r.part), ZIP]),
        ):
            if is_given is not None and reader.kind not in fits:
                raise InputError(
                    f"{what} is for {', '.join(fits[:-1])} and {fits[-1]} files, and "
                    f"{self.name} is {reader.kind}; leave it out"
                )

    def _make_plain(self) -> None:
        """Convert texts to UTF-8 with line feeds."""
        self._plain = True
        self._rewrite(plain_text)
        self._find_rows()

    def _find_rows(self) -> None:
        """Copy only the rows of texts, in a form that DuckDB reads, if a file holds more."""
        if self._form == "CSV" and not self._reader.declares:
            for opened in self._opened:
                refuse_long_lines(opened)
            self._rewrite(without_surroundings)
            self._rewrite(with_commas)
        elif self.kind == "JSON":
            self._rewrite(rows_of_value)

    def _rewrite(self, step: Callable[[Opened, Path], Written | None]) -> None:
        """Replace each file by the copy that a step makes of it."""
        for i, opened in enumerate(self._opened):
            target = Path(self._folder) / f"text-{next(self.serial)}"
            written = step(opened, target)
            if written is None:
                continue
            if Path(opened.path).parent == Path(self._folder):
                Path(opened.path).unlink()  # the size limit covers both copies
            self._opened[i] = replace(opened, path=str(target), above=opened.above + written.above)
            self.say(*written.notes)
            self._header = written.headed or self._header
            self._written = written
            self.orders |= written.orders

    def _lock(self) -> None:
        """Restrict DuckDB to the memory limit, the user's files and the temporary folder."""
        paths = [p for file in self.files for p in (file, _no_pattern(file))]
        configure(
            self.connection,
            {
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
            },
        )

    def _open(self) -> None:
        """Create the view "source" and record the types of its columns."""
        try:
            query = self._query()
            if self._beside is not None:
                query = (
                    f"SELECT q.*, value AS {identifier(self._beside)} FROM ({query}) AS q "
                    "POSITIONAL JOIN beside WHERE matched"
                )
                self._names = [*self._names, self._beside] if self._names else ()
            self.run(f"CREATE OR REPLACE TEMP VIEW source AS {query}")
            described = self.run("DESCRIBE source").fetchall()
        except self.errors() as error:
            self._mend(error)
        else:
            stored = [str(name) for name, *_ in described]
            if self._form == "JSON" and not self._names and _may_be_renamed(stored):
                self._names = self._keys()
                return self._open()
            names = self._names if len(self._names) == len(stored) else stored
            self._stored = dict(zip(names, stored, strict=True))
            self.types = {n: str(row[1]) for n, row in zip(names, described, strict=True)}
            if self._form == "JSON" and self.types.get("json", "").startswith("MAP"):
                raise too_many_columns(self.name)
            self._unfold()
            self._unwrap_texts()

    def _query(self) -> str:
        """Return SQL for the file."""
        if self._form == "Parquet":
            self._refuse_parquet_duplicates()
            self.orders = self._orders_of_parquet()
            return f"SELECT * FROM {self.parquet(self.files)}"
        if self._form == "Arrow":
            table = _read_arrow(self.files[0], self.name)
            self.orders = _orders(table.schema, lambda name: table.column(name).chunks)
            stored = self._tell_apart(table.column_names)
            self.connection.register("arrow_file", table.rename_columns(stored))
            return "SELECT * FROM arrow_file"
        return self._json_query() if self._form == "JSON" else self._csv_query()

    def _orders_of_parquet(self) -> dict[str, tuple[str, ...]]:
        """Return the category order that pandas declared, which only pyarrow reads."""
        file = literal(_no_pattern(self.files[0]))
        query = f"SELECT value FROM parquet_kv_metadata({file}) WHERE decode(key) = 'pandas'"
        about = self.read(query).fetchone()
        if about is None or b'"ordered": true' not in bytes(about[0]):
            return {}
        try:
            from pyarrow import parquet
        except ImportError:
            self.say("its ordered categories as texts, whose order pyarrow can read")
            return {}
        with parquet.ParquetFile(self.files[0]) as opened:
            return _orders(
                opened.schema_arrow,
                lambda name: (batch.column(0) for batch in opened.iter_batches(1, columns=[name])),
            )

    def _json_query(self) -> str:
        # Depth 1 keeps every value as written, regardless of earlier rows.
        sample = ", sample_size=-1" if self._all_keys else ""
        if self._names:
            values = ", ".join(
                f"json_extract(json, {literal('$.' + identifier(key))}) AS {identifier(name)}"
                for key, name in zip(self._names, self._tell_apart(self._names), strict=True)
            )
            return f"SELECT {values} FROM read_json_objects({self._literals()}, format='auto')"
        return (
            f"SELECT * FROM read_json({self._literals()}, maximum_depth=1, "
            f"hive_partitioning=false, union_by_name=true, "
            f"map_inference_threshold={MOST_COLUMNS}{sample})"
        )

    def _unfold(self) -> None:
        """Replace columns of objects by their fields, with dotted names."""
        types: dict[str, str] = {}
        shapes = self._json_shapes()
        for name, kind in self.types.items():
            fields = self._fields(self.sql_of(name), kind, shapes.get(name, ""))
            if any(f"{name}.{key}" in self.types for key in fields):
                fields = {}
            for key, (value, value_type) in fields.items():
                # A single value keeps the name of its column.
                inner = f"{name}.{key}" if key else name
                self._elements[inner], types[inner] = value, value_type
            if not fields:
                types[name] = kind
        if len(types) > MOST_COLUMNS:
            raise too_many_columns(self.name, len(types))
        changed, self.types = types != self.types, types
        if changed:
            self._unfold()

    def _json_shapes(self) -> dict[str, str]:
        """Return the JSON columns that hold only objects or only lists."""
        shapes = {name: "" for name, kind in self.types.items() if kind == "JSON"}
        for source in ("(FROM source LIMIT 1000)", "source"):
            if not shapes:
                break
            kinds = [f"nullif(json_type({self.sql_of(name)}), 'NULL')" for name in shapes]
            ends = ", ".join(f"min({kind}), max({kind})" for kind in kinds)
            row = self.read(f"SELECT {ends} FROM {source}").fetchone()
            alone = zip(shapes, row[0::2], row[1::2], strict=True)
            shapes = {n: a for n, a, b in alone if a == b and a in ("OBJECT", "ARRAY")}
        return shapes

    def _fields(self, value: str, kind: str, shape: str) -> dict[str, tuple[str, str]]:
        """Return SQL and type of each named element of a column's values; empty for plain ones.

        These are the fields of objects, the keys of maps, the scores in lists of classes with their
        scores, and the only element of lists of length 1.
        """
        fields: dict[str, tuple[str, str]] = {}
        if shape == "ARRAY":
            elements = f"CASE WHEN json_type({value}) = 'ARRAY' THEN {value}::JSON[] END"
            return self._class_scores(elements) or self._lone(elements, "JSON")
        if shape == "OBJECT":
            for key in self._keys(value, "source"):
                pointer = "/" + key.replace("~", "~0").replace("/", "~1")
                fields[key] = (f"json_extract({value}, {literal(pointer)})", "JSON")
        elif kind.endswith("]"):
            element_type = kind[: kind.rindex("[")]
            scores = element_type.startswith("STRUCT") and self._class_scores(
                f"list_transform({value}, lambda e: to_json(e))"
            )
            return scores or self._lone(value, element_type)
        elif kind.startswith("STRUCT"):
            for key, element_type, *_ in self.run(
                f"DESCRIBE SELECT unnest({value}) FROM source"
            ).fetchall():
                fields[str(key)] = (f"struct_extract({value}, {literal(key)})", str(element_type))
        elif kind.startswith("MAP(VARCHAR, "):
            keys = f"SELECT DISTINCT unnest(map_keys({value})) AS k FROM source ORDER BY k"
            element_type = kind.removeprefix("MAP(VARCHAR, ").removesuffix(")")
            for (key,) in self.read(keys).fetchall():
                fields[str(key)] = (f"{value}[{literal(key)}]", element_type)
        vector = "values" in fields and {*fields} <= {"type", "size", "indices", "values"}
        return {} if vector else fields

    def _lone(self, value: str, kind: str) -> dict[str, tuple[str, str]]:
        """Return the element of lists that all hold one fraction, as networks write them.

        Labels in lists stay lists, since later lists may be longer.
        """
        if kind not in ("FLOAT", "DOUBLE", "JSON"):
            return {}
        element, fraction = f"({value})[1]", "true"
        if kind == "JSON":
            types = f"json_type({element})"
            fraction = (
                f"bool_or({types} = 'DOUBLE') AND "
                f"bool_and({types} IN ('DOUBLE', 'BIGINT', 'UBIGINT', 'NULL'))"
            )
        row = self.read(
            f"SELECT min(len({value})), max(len({value})), {fraction} FROM source"
        ).fetchone()
        return {"": (element, kind)} if row == (1, 1, True) else {}

    def _unwrap_texts(self) -> None:
        """Read texts such as [0.83] as numbers, if the column holds nothing else."""
        if self._form != "CSV" or not any(b"[" in first_bytes(file) for file in self.files):
            return
        for name in self.types:
            value = self.sql_of(name)
            alone = f"regexp_full_match({value}, '\\[+ *{NUMBER.pattern} *\\]+')"
            first = f"(SELECT {value} FROM source WHERE {value} NOT IN ({ABSENT}) LIMIT 1)"
            if not self.read(f"SELECT {alone.replace(value, first)}").fetchone()[0]:
                continue
            if self.read(
                f"SELECT bool_and({alone} OR {value} IN ({ABSENT})) FROM source"
            ).fetchone()[0]:
                self._elements[name] = f"trim({value}, '[] ')"

    def _class_scores(self, elements: str) -> dict[str, tuple[str, str]]:
        """Return the score of each class from lists of objects with a label and a score.

        A list of length 1 gives the label and the score of the predicted class.
        """

        def entry(element: str, key: str) -> str:
            return f"json_extract({element}, '$.{key}')"

        each = f"(SELECT unnest({elements}) AS e FROM source)"
        first = self.read(f"SELECT json_keys(e) FROM {each} WHERE json_type(e) = 'OBJECT' LIMIT 1")
        keys = (first.fetchone() or [[]])[0]
        label, score = (next((k for k in words if k in keys), "") for words in _CLASS_SCORE)
        if not (label and score):
            return {}
        unfit = f"{entry('e', label)} IS NULL OR {entry('e', score)} IS NULL"
        sizes = self.read(
            f"SELECT min(len({elements})), max(len({elements})) FROM source"
        ).fetchone()
        if not sizes[0] or self.read(f"SELECT 1 FROM {each} WHERE {unfit} LIMIT 1").fetchone():
            return {}
        if sizes == (1, 1):
            return {key: (entry(f"({elements})[1]", key), "JSON") for key in (label, score)}
        text = f"({entry('e', label)} ->> '$')"
        classes = self.read(f"SELECT DISTINCT {text} AS c FROM {each} ORDER BY c").fetchall()
        if sizes != (len(classes), len(classes)):
            return {}
        fields = {}
        for (c,) in classes:
            element = f"list_filter({elements}, lambda e: {text} = {literal(c)})[1]"
            fields[str(c)] = (entry(element, score), "JSON")
        return fields

    def _keys(self, value: str = "json", source: str = "") -> list[str]:
        """Return the keys of a JSON file's or column's objects, by first occurrence."""
        source = source or f"read_json_objects({self._literals()}, format='auto')"
        rows = self.read(
            "SELECT key FROM (SELECT unnest(keys) AS key, unnest(range(len(keys))) AS k, place "
            f"FROM (SELECT json_keys({value}) AS keys, row_number() OVER () AS place "
            f"FROM {source})) GROUP BY key ORDER BY min([place, k])"
        ).fetchall()
        return [str(key) for (key,) in rows]

    def _literals(self) -> str:
        return literal([_no_pattern(file) for file in self.files])

    def _csv_query(self) -> str:
        if self._written.columns:
            return self._declared_query()
        headers = self._headers()
        if self._header is False:
            self.say("no header")
        self.delimiter, names = headers[0].delimiter, headers[0].names
        twice = {name for name, times in Counter(names).items() if times > 1}
        row = twice & {*numbers_in(names)} or (twice and not any(map(meaning, names)))
        if row and self._may_lack_header:
            raise self.headless(names)
        stored = self._tell_apart(names)
        for opened, other_header in zip(self._opened[1:], headers[1:], strict=True):
            if (other_header.delimiter, other_header.names) != (self.delimiter, names):
                theirs, ours = (listed(sorted(h.names)) for h in (other_header, headers[0]))
                raise InputError(
                    f"{opened.name} has the columns {theirs} and {self._opened[0].name} has "
                    f"{ours}; give all files the same header"
                )
        headed = "false" if self._header is False else "true"
        return self._read_csv("*", stored, headed)

    def _declared_query(self) -> str:
        columns = self._written.columns
        stored = self._tell_apart([name for name, _ in columns])
        self.declared |= {name: values for name, values in columns if values is not None}
        self.delimiter = ","
        missing = literal(self._written.missing)
        # Blanks around a value are ignored.
        values = (f"nullif(trim({c}, ' \t'), {missing}) AS {c}" for c in stored)
        return self._read_csv(", ".join(values), stored, "false")

    def _read_csv(self, values: str, stored: Sequence[str], headed: str) -> str:
        quote, escape = literal(self._written.quote), literal(self._written.escape)
        return (
            f"SELECT {values} FROM read_csv({self._literals()}, auto_detect=false, "
            f"header={headed}, delim={literal(self.delimiter)}, quote={quote}, escape={escape}, "
            f"strict_mode=true, null_padding=false, hive_partitioning=false, "
            f"columns={_texts(stored)})"
        )

    def _headers(self) -> list[Header]:
        """Return the header of each file, after converting it to plain text if needed."""
        headers = [read_header(opened) for opened in self._opened]
        # In the header, DuckDB would take a line feed for the line end of the whole file.
        if not self._plain and any(h is None or h.lines > 1 for h in headers):
            self._make_plain()
            return self._headers()
        return [h for h in headers if h is not None]

    def _refuse_headless(self) -> None:
        """Refuse a first row that looks like data: it names no columns."""
        names, numbers = list(self.types), numbers_in(list(self.types))
        if not numbers and any(map(is_usual, names)):
            return
        if len(numbers) < len(names):
            row = self.read(f"SELECT {', '.join(map(self._alike, names))} FROM source").fetchone()
            alike, below = row[0::2], row[1::2]
            if not all(alike) or not any(below):
                return
        raise self.headless(names)

    def headless(self, names: Sequence[str]) -> Question:
        """Return the question whether a first row that looks like data is a header."""
        return Question(
            f"{self.name} begins with {listed(names, 4)}, which looks like a row, not like column "
            "names; give header=False if it is one (columns are then called column0, column1 and "
            "so on), or header=True if these are names",
            [],
        )

    def _alike(self, name: str) -> str:
        """Return SQL that tests whether a column's name is also one of its values."""
        c = self.sql_of(name)
        below = f"coalesce(bool_or({c} = {literal(name)}), false)"
        if not NUMBER.fullmatch(name):
            return f"({below} OR count(DISTINCT {c}) = count(*)), {below}"
        # A fraction cannot be a column name; an integer may be.
        absent = f"({c} IS NULL OR trim({c}) IN ({ABSENT}))"
        alike = f"bool_and({absent} OR regexp_full_match({c}, {literal(NUMBER.pattern)}))"
        return f"{alike}, {below if name.isdecimal() else 'true'}"

    def _tell_apart(self, names: Sequence[str]) -> list[str]:
        """Store the column names, and return unique ones for DuckDB, which ignores case."""
        if len(names) > MOST_COLUMNS:
            raise too_many_columns(self.name, len(names))
        refuse_duplicates(names, self.name)
        self._names = list(names)
        return [f"c{i}" for i in range(len(names))]

    def _refuse_parquet_duplicates(self) -> None:
        """Refuse duplicate column names, which DuckDB would rename silently."""
        file = literal(_no_pattern(self.files[0]))
        rows = self.read(f"SELECT name, num_children FROM parquet_schema({file})").fetchall()
        names, inside = [], 0
        for name, children in rows[1:]:
            if not inside:
                names.append(name)
            inside = max(inside - 1, 0) + (children or 0)
        self._tell_apart(names)

    def parquet(self, files: Sequence[str]) -> str:
        """Return SQL that reads Parquet files directly."""
        patterns = literal([_no_pattern(file) for file in files])
        return f"read_parquet({patterns}, hive_partitioning=false)"

    def parquet_rows(self) -> list[int] | None:
        """Return the rows of each Parquet file; None for other kinds and for joined rows."""
        if self._form != "Parquet" or self._beside is not None:
            return None
        metadata = f"parquet_file_metadata({self._literals()})"
        counts = self.read(f"SELECT num_rows FROM {metadata}").fetchall()
        return [int(rows) for (rows,) in counts]

    # -- joining -------------------------------------------------------------------------------

    def handed_over(self, query: str, to: FileTable) -> str:
        """Return SQL for the result of a query in another file's database, moved to this one.

        The two databases share no folder, so the rows are passed in a file.
        """
        name = f"rows-{next(self.serial)}.parquet"
        here, there = Path(self._folder) / name, Path(to._folder) / f"{next(to.serial)}-{name}"
        self.read(f"COPY ({query}) TO {literal(str(here))} (FORMAT parquet)")
        shutil.move(here, there)
        return f"read_parquet({literal(str(there))})"

    def put_beside(
        self, name: str, query: str, labels: Sequence[Label], declared: Sequence[str] = ()
    ) -> None:
        """Add a label column and drop the rows without a match.

        The query gives ``matched`` for each row, and the ``code`` of its label.
        """
        value = f"({literal(list(labels))})[code + 1]" if labels else "NULL"
        if self.texts or not labels:
            value += "::VARCHAR"
        self.run(f"CREATE TEMP TABLE beside AS SELECT matched, {value} AS value FROM ({query})")
        self._beside, self.known_rows = name, None
        if declared:
            self.declared = {**self.declared, name: tuple(declared)}
        self._open()
        self.columns = tuple(self.types)

    # -- reading -------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """The number of rows, counted on first use."""
        if self.known_rows is None:
            self.known_rows = self.read("SELECT count(*) FROM source").fetchone()[0]
        return self.known_rows

    def groups(self, columns: Sequence[str]) -> dict[str, int] | None:
        """Return how often the values of columns occur: see :meth:`FrameTable.groups`."""
        names = ", ".join(map(self.sql_of, columns))
        present = f" WHERE {names} IS NOT NULL" if len(columns) == 1 else ""
        row = self.read(
            f"SELECT coalesce(sum(n), 0), count(*), coalesce(min(n), 0), coalesce(max(n), 0) FROM "
            f"(SELECT count(*) AS n FROM source{present} GROUP BY {names})"
        ).fetchone()
        return dict(zip(GROUPS, map(int, row), strict=True))

    def chunks(
        self, labels: Sequence[str], numbers: Sequence[str], size: int = CHUNK_ROWS, **beside: Any
    ) -> Iterator[Chunk]:
        """Yield the named columns by ranges of rows."""
        scan = FileScan(self, labels, numbers, **beside)
        try:
            for chunk in scan.chunks(size):
                yield chunk if self.layout is None else self.layout.read(chunk)
        finally:
            scan.drop()

    def sql_of(self, column: str) -> str:
        """Return SQL for a column."""
        return self._elements.get(column) or identifier(self._stored[column])

    def split(self, column: str) -> tuple[str, ...]:
        """Replace a vector column by its elements and return their names; else nothing."""
        value, items = self.sql_of(column), elements(self.sql_of(column), self.types[column])
        if items is None:
            return ()
        vector, kind = items
        rows = f"FROM source WHERE {value}::VARCHAR NOT IN ({ABSENT})"
        first = self.read(f"SELECT {vector} {rows} LIMIT 1").fetchone()
        if first is None or first[0] is None:
            return ()
        fewest, most = self.read(
            f"SELECT min(coalesce(len({vector}), 0)), max(len({vector})) {rows}"
        ).fetchone()
        if fewest != most:
            raise unequal_vectors(column, fewest, most)
        names = vector_of(column, most) if most > 1 else (column,)
        for k, name in enumerate(names, 1):
            self._elements[name], self.types[name] = f"({vector})[{k}]", kind
        place = self.columns.index(column)
        self.columns = (*self.columns[:place], *names, *self.columns[place + 1 :])
        return names

    # -- DuckDB --------------------------------------------------------------------------------

    def run(self, query: str) -> Any:
        """Run a query."""
        return self.connection.execute(query)

    def read(self, query: str, *, arrays: bool = False) -> Any:
        """Run a query on the file; errors in the file raise an InputError.

        Return its columns as ``arrays`` by name, or its open result.
        """
        while True:
            try:
                result = self.run(query)
                return result.fetchnumpy() if arrays else result
            except self.errors() as error:
                self._mend(error)

    def _mend(self, error: Exception) -> None:
        """Reopen the file in another way if that may help, otherwise refuse it."""
        if self._form == "JSON" and "unknown key" in str(error) and not self._all_keys:
            self._all_keys = True
        elif self._form in ("CSV", "JSON") and _NOT_PLAIN.search(str(error)) and not self._plain:
            self._make_plain()
        else:
            raise self.unreadable(error) from None
        self._open()

    @staticmethod
    def errors() -> type[Exception]:
        """Return DuckDB's exception class."""
        import duckdb

        return duckdb.Error

    def unreadable(self, error: Exception) -> InputError:
        """Return the error for DuckDB's message about a file, as one sentence."""
        text = str(error)
        match = re.search(r"^\s*file = (.+)$", text, re.MULTILINE)
        file = match[1].strip() if match else ""
        opened = next((o for o in self._opened if o.path == file), self._opened[0])
        name = opened.name
        match = re.search(r"CSV Error on Line: (\d+)", text)
        if match:
            line = int(match[1])
            if self._form == "CSV" and not self._written.columns:
                line = line_of(opened.path, self.delimiter, line)
            line += opened.above
            columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
            if columns:
                expected, many = columns.groups()
                fields = "field" if many == "1" else "fields"
                whose = "attributes declared" if self._written.columns else "in its header"
                return InputError(
                    f"{name} has {many} {fields} on line {line} and {expected} {whose}; correct "
                    "that line"
                )
            reason = "a malformed row"
            if "unterminated" in text:
                reason = "a quote that is not closed"
            elif "line size" in text.lower():
                reason = "a row of more than 2 MB, perhaps from a quote that is not closed,"
            return InputError(f"{name} has {reason} on line {line}; correct that line")
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
        if malformed := _MALFORMED_JSON.search(text):
            path, byte, unit, number, fault = malformed.groups()
            whose = next((o.name for o in self._opened if o.path == path), name)
            what = f"{unit.split('/')[0]} {int(number) - 1:,}"
            return InputError(
                f"{whose} is not JSON at byte {byte} of {what}: {fault}; correct {what}"
            )
        first = text.split("\n")[0].split(": ", 1)[-1].strip()
        return InputError(f"{name} cannot be read as {self.kind}: {first}")


_MALFORMED_JSON = re.compile(
    r'Malformed JSON in file "(.*)", at byte (\d+) in (line|record/value) (\d+): ([^.\n]+)'
)
"""DuckDB's message, whose number of the line or record is one too high."""


@contextlib.contextmanager
def workspace(*tables: Any) -> Iterator[Any]:
    """Yield the database of the first file among tables, or an empty one."""
    import duckdb

    for table in tables:
        if isinstance(table, FileTable):
            try:
                yield table.connection
            except duckdb.Error as error:  # for example, not enough memory
                raise table.unreadable(error) from None
            return
    with duckdb.connect(":memory:") as connection:
        yield connection


def _discard(connection: Any, folder: str, lock: list[int | None]) -> None:
    connection.close()
    temporary.discard(folder, *lock)


def _must_be_plain(form: str, head: bytes) -> bool:
    """Return whether a text must be converted before reading: not UTF-8, or JSON with a mark."""
    marked = form == "JSON" and head.startswith(codecs.BOM_UTF8)
    return marked or (form in ("CSV", "JSON") and utf16_of(head) is not None)


def _may_be_renamed(names: Sequence[str]) -> bool:
    """Return whether DuckDB may have renamed one of two names that differ only in case."""
    lower = {n.lower() for n in names}
    return any(re.sub(r"_\d+$", "", n) in lower - {n} for n in lower)


def _texts(names: Sequence[str]) -> str:
    return "{" + ", ".join(f"{literal(n)}: 'VARCHAR'" for n in names) + "}"


def _no_pattern(path: str) -> str:
    """Escape a path so that DuckDB does not take ``a[1].csv`` for a pattern."""
    return re.sub(r"([*?\[])", r"[\1]", path)


def _orders(schema: Any, arrays_of: Callable[[str], Iterable[Any]]) -> dict[str, tuple[str, ...]]:
    """Return the categories of the ordered columns of an Arrow schema."""
    ordered = [f.name for f in schema if getattr(f.type, "ordered", False)]
    first = {name: next(iter(arrays_of(name)), None) for name in ordered}
    return {
        name: tuple(map(str, array.dictionary.to_pylist()))
        for name, array in first.items()
        if array is not None
    }


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
            table.validate(full=True)  # invalid offsets would crash the process
            return table
    raise InputError(
        f"{name} is not an Arrow file, or is damaged; write it with Arrow's IPC or Feather format"
    )
