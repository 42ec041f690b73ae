"""Files of logs: recognised from their first bytes, read record by record."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Literal

from tallymark import InputError

HEAD = 1 << 18
"""Number of bytes from which a log is recognised."""

_DEPTH = 4
"""Depth to which JSON that is cut off by the end of the head is read."""

ENDINGS = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".eval", ".gz")
"""Endings of files that may be logs, in a folder."""

_LONGEST_CELL = 1 << 30
"""Most characters of a cell: answers of models are long."""

_JSON = json.JSONDecoder()
_GZIP = b"\x1f\x8b"
_ZSTD = 93

Kind = Literal["zip", "csv", "lines", "array", "object", "other"]


class LogFile:
    """A file that may be a log; its contents are read when they are asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.name

    @property
    def stem(self) -> str:
        """The name without the endings of the file."""
        return Path(self.name.removesuffix(".gz")).stem

    @cached_property
    def head(self) -> str:
        """The beginning of the text; "" if it is not text."""
        try:
            with self._bytes() as file:
                data = file.read(HEAD)
        except (OSError, EOFError, zlib.error):
            return ""
        if data[:4] == b"PK\x03\x04" or b"\0" in data:
            return ""
        return data.decode("utf-8-sig", "ignore").lstrip()

    @cached_property
    def kind(self) -> Kind:
        """How the file is written: one JSON record a line, a JSON array or object, and so on."""
        if self.members:
            return "zip"
        if self.head[:1] == "[":
            return "array"
        if self.head[:1] != "{":
            return "csv" if "," in self.head.partition("\n")[0] else "other"
        line, end, rest = self.head.partition("\n")
        by_name = Path(self.name.removesuffix(".gz")).suffix in (".jsonl", ".ndjson")
        if by_name and not end and len(line) > 1:
            return "lines"  # one line, of which the head may have only a part
        if by_name or rest.lstrip()[:1] == "{":
            with suppress(ValueError, RecursionError):
                json.loads(line)
                return "lines"
        return "object"

    @cached_property
    def members(self) -> frozenset[str]:
        """The names in a zip archive; none for other files."""
        try:
            with zipfile.ZipFile(self.path) as archive:
                return frozenset(archive.namelist())
        except (OSError, zipfile.BadZipFile):
            return frozenset()

    @cached_property
    def first(self) -> Mapping[str, Any]:
        """The first record, of which a long one may be cut; empty if there is none."""
        if self.kind in ("csv", "other", "zip"):
            return {}
        value = begun(self.head)
        if isinstance(value, list) and value:
            value = value[0]
        return value if isinstance(value, Mapping) else {}

    @cached_property
    def columns(self) -> list[str]:
        """The names in the header of a table; they may repeat."""
        lines = csv.reader(io.StringIO(self.head, newline=""))
        with suppress(csv.Error):
            return next(lines, []) if self.kind == "csv" else []
        return []

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of the first record, or the columns of a table."""
        return frozenset((*self.first, *self.columns))

    @cached_property
    def json(self) -> Any:
        """The value of a file that is one JSON value."""
        try:
            with self._text() as file:
                return json.load(file)
        except (ValueError, RecursionError) as error:
            raise self._broken(f"line {getattr(error, 'lineno', 1)}") from None

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the records: lines, elements of an array, rows of a table, or the one object."""
        if self.kind == "csv":
            rows = self.cells()
            names = next(rows, [])
            yield from (dict(zip(names, row, strict=False)) for row in rows)
            return
        values = self._lines() if self.kind == "lines" else self.json
        for value in [values] if isinstance(values, Mapping) else values:
            if not isinstance(value, dict):
                raise InputError(f"{self.name} holds records that are no objects; export it again")
            yield value

    def cells(self) -> Iterator[list[str]]:
        """Yield the rows of a table as lists of cells, the header first."""
        usual = csv.field_size_limit(_LONGEST_CELL)
        with self._text() as file:
            rows = csv.reader(file)
            try:
                yield from (row for row in rows if row)
            except csv.Error:
                raise self._broken(f"line {rows.line_num}") from None
            finally:
                csv.field_size_limit(usual)

    def _lines(self) -> Iterator[Any]:
        with self._text() as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    try:
                        yield json.loads(line)
                    except (ValueError, RecursionError):
                        raise self._broken(f"line {number}") from None

    def member(self, archive: zipfile.ZipFile, name: str) -> Any:
        """Return the JSON value of a file in an archive, also if Zstandard compresses it."""
        try:
            info = archive.getinfo(name)
            native = info.compress_type != _ZSTD or sys.version_info >= (3, 14)
            return json.loads(archive.read(name) if native else self._zstd(info))
        except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, OSError) as error:
            if isinstance(error, InputError):
                raise
            raise self._broken(name) from None

    def _zstd(self, info: zipfile.ZipInfo) -> bytes:
        """Return the contents of a member that Python's own reader cannot unpack."""
        try:
            import zstandard
        except ImportError:
            raise InputError(
                f"{self.name} is compressed with Zstandard, and reading it needs zstandard; "
                "install it with: pip install 'tallymark[zstd]'"
            ) from None
        with self.path.open("rb") as file:
            file.seek(info.header_offset)
            local = file.read(30)  # its last four bytes are the lengths of two names
            file.seek(sum(int.from_bytes(local[i : i + 2], "little") for i in (26, 28)), 1)
            packed = file.read(info.compress_size)
        try:
            return zstandard.ZstdDecompressor().decompressobj().decompress(packed)
        except zstandard.ZstdError:
            raise self._broken(info.filename) from None

    def _bytes(self) -> IO[bytes]:
        with self.path.open("rb") as file:
            packed = file.read(2) == _GZIP
        return gzip.open(self.path) if packed else self.path.open("rb")  # type: ignore[return-value]

    @contextmanager
    def _text(self) -> Iterator[IO[str]]:
        try:
            with io.TextIOWrapper(self._bytes(), "utf-8-sig", newline="") as file:
                yield file
        except UnicodeDecodeError:
            raise InputError(f"{self.name} is not text in UTF-8; export it again") from None
        except (OSError, EOFError, zlib.error):
            raise self._broken("its end") from None

    def _broken(self, place: str) -> InputError:
        return InputError(
            f"{self.name} is incomplete or damaged at {place}; copy it again, or export it again"
        )


def begun(text: str, at: int = 0, depth: int = _DEPTH) -> Any:
    """Return the JSON value at a place of a text that may end within it.

    Of an array that is cut, the first element is returned; of an object, the keys so far.

    >>> begun('{"a": 1, "b": {"c": [1, 2], "d": "lo')
    {'a': 1, 'b': {'c': [1, 2], 'd': None}}
    >>> begun('[{"a": 1}, {"a": ')
    [{'a': 1}]
    """
    at = _after(text, at, " \t\r\n")
    with suppress(ValueError, RecursionError):
        return _JSON.raw_decode(text, at)[0]
    if not depth or text[at : at + 1] not in ("[", "{"):
        return None
    if text[at] == "[":
        return [begun(text, at + 1, depth - 1)]
    out: dict[str, Any] = {}
    at += 1
    try:
        while True:
            key, at = _JSON.raw_decode(text, _after(text, at, " \t\r\n,"))
            at = _after(text, at, " \t\r\n:")
            out[str(key)] = None
            out[str(key)], at = _JSON.raw_decode(text, at)
    except (ValueError, RecursionError):
        if out and next(reversed(out.values())) is None:
            out[next(reversed(out))] = begun(text, at, depth - 1)
        return out


def _after(text: str, at: int, skipped: str) -> int:
    while text[at : at + 1] and text[at] in skipped:
        at += 1
    return at
