"""Detect the kind of a file from its first bytes or name, and find its reader."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

from tallymark.errors import InputError
from tallymark.part import added
from tallymark.reading.encodings import utf16_of
from tallymark.reading.unpacking import PACKED, Opened, Written


@dataclass(frozen=True, slots=True)
class Reader:
    """The reader of one kind of file.

    ``form`` is the format passed to DuckDB: CSV, JSON, Parquet or Arrow. If the kind itself is
    another one, ``write`` converts the rows. A file is recognized if it begins with one of
    ``begins``; a zip archive if it ``holds`` one of these names or only names with these endings; a
    text if it matches the pattern ``text``, and ``write`` then receives it in UTF-8. ``declares``
    means that the file declares its columns and only rows are written. ``or_text`` means that plain
    texts may have the same file ending. ``part`` is what the option ``sheet`` selects if a file may
    hold several tables. ``scheme`` is the scheme of URLs to such a file, which is read by its path.
    """

    kind: str
    endings: tuple[str, ...]
    form: str
    write: Callable[[Opened, Path], Written] | None = None
    begins: tuple[bytes, ...] = ()
    holds: tuple[str, ...] = ()
    part: str = ""
    text: str = ""
    declares: bool = False
    or_text: bool = False
    scheme: str = ""

    @property
    def may_have_header(self) -> bool:
        """Whether the first row may be a header or data."""
        return self.form == "CSV" and bool(self.endings) and not self.declares


_TABLE = (
    Reader("CSV", (".csv", ".tsv", ".txt"), "CSV"),
    Reader("Parquet", (".parquet", ".pq"), "Parquet", begins=(b"PAR1",)),
    Reader("JSON", (".json", ".jsonl", ".ndjson"), "JSON", part="table"),
    Reader(
        "Arrow", (".arrow", ".feather", ".ipc"), "Arrow", begins=(b"ARROW1", b"\xff\xff\xff\xff")
    ),
)

ZIP = "zip"
"""The kind of an archive of other files."""


@cache
def readers() -> Mapping[str, Reader]:
    """Return the readers by kind: those of the core and those that parts add."""
    return {reader.kind: reader for reader in chain(_TABLE, *added("readers"))}


@cache
def kinds() -> Mapping[str, str]:
    """Return the kinds of files by file ending."""
    by_ending = {ending: reader.kind for reader in readers().values() for ending in reader.endings}
    return {**by_ending, ".zip": ZIP}


_ZIPPED = b"PK\x03\x04"
_OTHERS = {
    b"7z\xbc\xaf": ("a 7z archive", "unpack it first"),
    b"%PDF": ("a PDF", "give the table itself, such as a CSV"),
    b"\x80\x04\x95": ("a pickle, which could run any code", "save the table as CSV or Parquet"),
    b"\x89HDF": ("an HDF5 file", "save the table as CSV or Parquet"),
    b"<html": ("a web page", "save its table as CSV"),
    b"<!DOCTYPE": ("a web page", "save its table as CSV"),
    b"<?xml": ("XML", "save its table as CSV"),
    b"RDX": ("a file of R's save()", "save the data frame with R's write.csv"),
    b"X\n\0\0": ("a file of R's saveRDS()", "save the data frame with R's write.csv"),
}


def kind_of(file: str, head: bytes, members: Sequence[str] = ()) -> str:
    """Return the kind of a file with these first bytes, and its member names if zipped.

    >>> kind_of("scores.dat", b'{"label": 1}'), kind_of("preds.csv", b"PAR1")
    ('JSON', 'Parquet')

    Raises
    ------
    InputError
        Unsupported kinds, with advice.

    """
    name = Path(file).name
    for begins, (what, remedy) in _OTHERS.items():
        if head.startswith(begins):
            raise InputError(f"{name} is {what}; {remedy}")
    if head[8:12] == b"DUCK":
        raise InputError(
            f"{name} is a DuckDB database; name one of its tables as duckdb:///PATH?table=NAME"
        )
    named = kind_by_name(file)
    reader = readers().get(named or "")
    if reader and reader.or_text and b"\0" not in head:
        named = None  # plain text with the ending of another program's format
    if head.startswith(_ZIPPED):
        return _kind_of_zip(members) or (ZIP if members or not named else named)
    for candidate in readers().values():
        if head.startswith(candidate.begins or (_ZIPPED,)):
            return candidate.kind
    return named if named not in (None, "CSV") else _kind_of_text(name, head, named)


def _kind_of_zip(members: Sequence[str]) -> str | None:
    """Return the kind of a zip archive with these members; None if unknown."""
    for reader in readers().values():
        ends = tuple(entry for entry in reader.holds if entry.startswith("."))
        whole = members and ends and all(name.endswith(ends) for name in members)
        if whole or set(reader.holds) & set(members):
            return reader.kind
    return None


def kind_by_name(file: str) -> str | None:
    """Return the kind of a file by its name, None if unknown."""
    return kinds().get(unpacked_name(Path(file)).suffix.lower())


def unpacked_name(path: Path) -> Path:
    """Return a path without the ending of compressed files, such as ``.gz``."""
    return path.with_suffix("") if path.suffix.lower() in PACKED else path


def _kind_of_text(name: str, head: bytes, named: str | None) -> str:
    if b"\0" in head and not utf16_of(head) and not named:
        raise InputError(
            f"the format of {name} is unknown: neither text nor one of "
            f"{', '.join(sorted(kinds()))}; save the table as CSV or Parquet"
        )
    text = head.decode(utf16_of(head) or "utf-8-sig", "replace").lstrip("\ufeff \t\r\n")
    if text.startswith(("{", "[")):
        return named or "JSON"
    matches = (
        r.kind for r in readers().values() if r.text and re.match(r.text, text, re.IGNORECASE)
    )
    return next(matches, "CSV")
