"""A small file as a whole: its bytes, text, cells and JSON, for readers of finished results."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from tallymark.errors import InputError, listed
from tallymark.reading.encodings import utf16_of
from tallymark.reading.unpacking import STDIN, opened

MOST_BYTES = 1_000_000
"""Longer files are read as rows."""

_MOST_LINES = 1100
"""Most lines of a printed text; a longer text is considered only as a table."""

Cells = list[list[str]]
Result = TypeVar("Result")


@dataclass(frozen=True)
class SmallFile:
    """A file of at most :data:`MOST_BYTES`."""

    path: str
    data: bytes

    @property
    def name(self) -> str:
        """The name in messages."""
        return STDIN if self.path == "-" else Path(self.path).name

    @cached_property
    def text(self) -> str:
        """The text with line feeds; empty if the bytes are not text."""
        encoding = utf16_of(self.data[:4096])
        if encoding is None and b"\0" in self.data[:4096]:
            return ""
        try:
            text = self.data.decode(encoding or "utf-8-sig").lstrip("\ufeff")
        except UnicodeDecodeError:
            text = self.data.decode("latin-1")
        return text.replace("\r\n", "\n").replace("\r", "\n")

    @cached_property
    def separator(self) -> str | None:
        """The delimiter of a table, None if columns are separated by blanks."""
        lines = [line for line in self.text.splitlines() if line.strip()][:20]
        counts = {s: min((line.count(s) for line in lines), default=0) for s in ("\t", ";", ",")}
        return next((s for s, n in counts.items() if n), None)

    @cached_property
    def tables(self) -> list[Cells]:
        """The cells of a table; without a delimiter, of each paragraph of a printed text."""
        if self.separator is not None:
            try:
                rows = list(csv.reader(io.StringIO(self.text), delimiter=self.separator))
            except csv.Error:  # for example, an oversized field
                return []
            table = [[c.strip() for c in row] for row in rows if any(row)]
            return [table] if table else []
        if self.text.count("\n") > _MOST_LINES:
            return []
        parts = re.split(r"\n[ \t]*\n", self.text.replace("|", " "))
        lines = [[line for line in part.splitlines() if line.strip(" \t-:+=")] for part in parts]
        words = [[re.findall(r'"[^"]*"|\S+', line) for line in part] for part in lines if part]
        return [[[c.strip('"') for c in row] for row in part] for part in words]

    @cached_property
    def json(self) -> Any:
        """The parsed JSON; None if it is not JSON."""
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError):
            return None

    def only_result(self, recognize: Callable[[Any], Result | None]) -> Result | None:
        """Return the single result in the JSON for which ``recognize`` gives one, at any depth.

        ``recognize`` is called with the top-level list or object, and with nested objects.
        """
        results = list(_results_in(self.json, recognize, ()))
        if len(results) > 1:
            names = listed([".".join(where) or "the whole" for where, _ in results])
            raise InputError(
                f"{self.name} holds {len(results)} finished results ({names}); keep one in a file"
            )
        return results[0][1] if results else None


def _results_in(
    data: Any, recognize: Callable[[Any], Result | None], where: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Result]]:
    """Yield the results in JSON, with the keys that lead to them."""
    is_object = isinstance(data, Mapping) and len(where) <= 4
    result = recognize(data) if is_object or (isinstance(data, list) and not where) else None
    if result is not None:
        yield where, result
    elif is_object:
        for key, value in data.items():
            yield from _results_in(value, recognize, (*where, str(key)))


def small_file(path: str | os.PathLike[str], *, piped: bool = False) -> SmallFile | None:
    """Return a small file; None for a longer one and for anything else.

    Standard input can be read only once, so it is read only if ``piped`` is set.
    """
    place = os.fspath(path)
    try:
        if piped and place == "-":
            with opened(place) as file:
                data: bytes = file.read(MOST_BYTES + 1)
            return SmallFile(place, data) if len(data) <= MOST_BYTES else None
        file = Path(place)
        if file.is_file() and file.stat().st_size <= MOST_BYTES:
            return SmallFile(place, file.read_bytes())
    except (OSError, ValueError):
        pass
    return None
