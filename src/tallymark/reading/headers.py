"""The first line of a CSV file: what separates the columns, and how they are called."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

from tallymark.errors import InputError

MOST_COLUMNS = 10_000
"""More columns take minutes to read."""

_LONGEST = 2_000_000
"""No line is longer, or it is refused before; DuckDB reads no longer one either."""

NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*%?")


@dataclass(frozen=True, slots=True)
class Header:
    """The delimiter of a CSV file, the names of its columns, and on how many lines they stand."""

    delimiter: str
    names: tuple[str, ...]
    lines: int

    @property
    def numbers(self) -> list[str]:
        """The names that are numbers."""
        return [n for n in self.names if NUMBER.fullmatch(n)]

    def unnamed(self) -> Header:
        """Return names for the columns of a file without header."""
        return Header(self.delimiter, tuple(f"column{i}" for i in range(len(self.names))), 0)


def read_header(path: str, name: str) -> Header | None:
    """Return the header of a CSV file; None where it is not UTF-8 text.

    Raises
    ------
    InputError
        A header that is missing, has too many columns, or cannot be read.

    """
    with open(path, "rb") as file:  # noqa: PTH123
        head = file.read(_LONGEST)
    text = head.decode("utf-8-sig", "surrogateescape")
    first = re.split(r"[\r\n]", text, maxsplit=1)[0]
    if not first.strip():
        raise InputError(f"{name} has no header; name the columns in its first line")
    stream = io.StringIO(text, newline="")
    try:
        delimiter = delimiter_of(first)
        reader = csv.reader(stream, delimiter=delimiter, strict=True)
        fields = next(reader)
    except csv.Error as error:
        told = (
            ("a name of more than 131,072 characters") if "limit" in str(error) else "a stray quote"
        )
        raise InputError(f"{name} has a header that cannot be read: {told}; correct it") from None
    try:  # bytes that are not UTF-8 may stand far below the header, where DuckDB finds them
        "".join(fields).encode()
    except UnicodeError:
        return None
    # A column without a name gets the one DuckDB would give it.
    names = tuple(c.strip() or f"column{i}" for i, c in enumerate(fields))
    return Header(delimiter, names, reader.line_num)


def too_many_columns(name: str, many: int | None = None) -> InputError:
    """Return the refusal of a table that is too wide."""
    told = "" if many is None else f"{many:,} columns, "
    return InputError(
        f"{name} has {told}more than the limit of {MOST_COLUMNS:,} columns; keep those of labels "
        "and scores"
    )


def delimiter_of(line: str) -> str:
    """Return what separates most fields; of as many, not what stands between two digits."""
    line = re.sub('"[^"]*"', "", line)
    plain = re.sub(r"(?<=\d),(?=\d)", "", line)

    return max(",;\t|", key=lambda d: ((plain if d == "," else line).count(d), line.count(d)))


def line_of(path: str, delimiter: str, record: int) -> int:
    """Return the line on which a record begins, the header being the first record."""
    with open(path, encoding="utf-8", errors="replace", newline="") as file:  # noqa: PTH123
        reader = csv.reader(file, delimiter=delimiter)
        line = 0
        try:
            for _ in range(record):
                line = reader.line_num
                next(reader)
        except (csv.Error, StopIteration):
            pass
        return line + 1
