"""Tables in delimited text: detect delimiter and header, remove titles, comments and totals.

Titles and comments stand above a table, totals below it. R's ``write.table`` and ``print`` put
blanks between the columns, or names before the rows that the header lacks.
"""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tallymark.errors import InputError
from tallymark.quantities import many
from tallymark.reading.names import TOTALS
from tallymark.reading.unpacking import Opened, Written, copy_part

MOST_COLUMNS = 10_000
"""More columns would take minutes to read."""

_LONGEST = 2_000_000
"""Longer lines are refused earlier; DuckDB does not read them either."""

_HEAD = 1 << 16
"""Bytes at each end that are searched for titles, comments and totals."""

_ALIKE = 5
"""Rows of equal width that determine the separator; a deviating row below them is an error."""

NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*%?")

_IDS = re.compile(r"(\w*_)?(id|ids|index|idx|row|rows|no|nr|case|key|name)", re.IGNORECASE)
"""Names of columns that number or identify the rows."""

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_FIELD = re.compile(r'"(?:[^"\\]|\\.|"")*"|\S+')


# -- the header ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Header:
    """The delimiter of a CSV file, its column names, and the number of lines they occupy."""

    delimiter: str
    names: tuple[str, ...]
    lines: int


def numbers_in(names: Sequence[str]) -> list[str]:
    """Return the names that are numbers."""
    return [n for n in names if NUMBER.fullmatch(n)]


def read_header(opened: Opened) -> Header | None:
    """Return the header of a CSV file; None where it is not UTF-8 text.

    Raises
    ------
    InputError
        A header that is missing, has too many columns, or cannot be read.

    """
    with open(opened.path, "rb") as file:  # noqa: PTH123
        text = file.read(_LONGEST).decode("utf-8-sig", "surrogateescape")
    first = re.split(r"[\r\n]", text, maxsplit=1)[0]
    if not first.strip():
        raise InputError(f"{opened.name} has no header; name the columns in its first line")
    delimiter = delimiter_of(first)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        fields = next(reader)
    except csv.Error as error:
        reason = (
            "a name of more than 131,072 characters" if "limit" in str(error) else "a stray quote"
        )
        raise InputError(
            f"{opened.name} has a header that cannot be read: {reason}; correct it"
        ) from None
    try:  # bytes that are not UTF-8 may occur far below the header; DuckDB reports those
        "".join(fields).encode()
    except UnicodeError:
        return None
    if opened.header is False:
        fields = [""] * len(fields)
    # A column without a name gets the name that DuckDB gives it.
    names = tuple(c.strip() or f"column{i}" for i, c in enumerate(fields))
    return Header(delimiter, names, reader.line_num)


def too_many_columns(name: str, many: int | None = None) -> InputError:
    """Return the error for a table that is too wide."""
    count = "" if many is None else f"{many:,} columns, "
    return InputError(
        f"{name} has {count}more than the limit of {MOST_COLUMNS:,} columns; keep those of labels "
        "and scores"
    )


def delimiter_of(line: str) -> str:
    """Return the most frequent delimiter; a decimal comma counts only as a last resort."""
    line = re.sub('"[^"]*"', "", line)
    plain = re.sub(r"(?<=\d),(?=\d)", "", line)

    return max(",;\t|", key=lambda d: ((plain if d == "," else line).count(d), line.count(d)))


def line_of(path: str, delimiter: str, record: int) -> int:
    """Return the line on which a record begins; the header is record 1."""
    with open(path, encoding="utf-8", errors="replace", newline="") as file:  # noqa: PTH123
        reader = csv.reader(file, delimiter=delimiter)
        line = 0
        with contextlib.suppress(csv.Error, StopIteration):
            for _ in range(record):
                line = reader.line_num
                next(reader)
        return line + 1


def _fields(line: str, delimiter: str) -> list[str]:
    try:
        return [field.strip() for field in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:
        return [line.strip()]


# -- what stands around a table ------------------------------------------------------------------


def without_surroundings(opened: Opened, target: Path) -> Written | None:
    """Copy a table without the lines above and below it; None if there are none."""
    if opened.header is False:
        return None
    size = Path(opened.path).stat().st_size
    with open(opened.path, "rb") as file:  # noqa: PTH123
        above = _lines(file.read(_HEAD))
        tail_start = file.seek(max(size - _HEAD, 0))
        below = _lines(file.read(), tail_start)
    skip, notes = _above([text for _, text in above])
    if skip == len(above):
        return None
    start, header = above[skip]
    end = size
    last = [(place, text) for place, text in below if text.strip() and place > start]
    while notes and last and last[-1][1].startswith("#"):
        end, _ = last.pop()
    if last and _is_total(opened.path, last[-1][1], header):
        end, text = last[-1]
        notes.append(f"a final line of totals left out ({text.strip()!r})")
    if not skip and end == size:
        return None
    copy_part(opened.path, target, start, end)
    return Written(skip, tuple(notes))


def _lines(data: bytes, start: int = 0) -> list[tuple[int, str]]:
    """Return the lines in some bytes, each with its offset in the file."""
    text = [(start + m.start(), m[0].decode("utf-8-sig", "replace")) for m in _LINE.finditer(data)]
    return [(place, line.rstrip("\r\n")) for place, line in text if line]


def _above(texts: Sequence[str]) -> tuple[int, list[str]]:
    """Return the number of lines above the header, and notes on them."""
    notes, at = list[str](), 0
    if texts and re.fullmatch(r"sep=[,;\t|][,;\s]*", texts[0], re.IGNORECASE):
        notes, at = ["a line `sep=` above the header"], 1
    first = at
    while at < len(texts) - 1 and texts[at].startswith("#") and _is_comment(*texts[at : at + 2]):
        at += 1
    if at > first:
        notes.append(f"{many(at - first, 'comment line')} above the header")
    titles = _titles(texts[at:])
    if titles:
        filled = sum(bool(text.strip()) for text in texts[at : at + titles])
        notes.append(f"{many(filled, 'title line')} above the header")
    return at + titles, notes


def _is_comment(line: str, below: str) -> bool:
    """Return whether a line is a comment: a header beginning with # is as wide as its rows."""
    delimiter = delimiter_of(line)
    fields = len(_fields(line, delimiter))
    return fields == 1 or below.startswith("#") or fields != len(_fields(below, delimiter))


def _titles(texts: Sequence[str]) -> int:
    """Return the number of title lines (one filled field) above a header of several columns."""
    for at, text in enumerate(texts):
        if text.count('"') % 2:  # a name that spans several lines
            return 0
        delimiter = delimiter_of(text)
        fields = _fields(text, delimiter)
        names = [f for f in fields if f]
        if len(names) < 2:
            continue
        wide = at + 1 < len(texts) and len(_fields(texts[at + 1], delimiter)) == len(fields)
        named = at and wide and any(_fields(texts[0], delimiter)[:1])
        return at if named and not any(map(NUMBER.fullmatch, names)) else 0
    return 0


def _is_total(path: str, line: str, header: str) -> bool:
    """Return whether a line holds totals: a unique word such as "total", otherwise numbers."""
    delimiter = delimiter_of(header)
    words = [f for f in _fields(line, delimiter) if f and not NUMBER.fullmatch(f)]
    if len(words) != 1 or words[0].casefold() not in TOTALS:
        return False
    with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
        return sum(words[0] in _fields(text, delimiter) for text in file if words[0] in text) == 1


# -- blanks between columns, and names of rows ---------------------------------------------------


def with_commas(opened: Opened, target: Path) -> Written | None:
    """Copy a table separated by blanks or with row names as CSV; None for other tables."""
    with open(opened.path, "rb") as file:  # noqa: PTH123
        head = file.read(_HEAD)
    lines = [text for _, text in _lines(head) if text.strip()]
    if len(head) == _HEAD:  # the last line is cut off
        lines.pop()
    if len(lines) < 2:
        return None
    if not _apart_by_blanks(lines, opened.header):
        return _with_row_names(opened, target, lines)
    first, *rows = (_FIELD.findall(line) for line in lines)
    width = len(rows[0])
    named = width == len(first) + 1
    if named and not _are_row_names([row[0] for row in rows], first):
        raise InputError(
            f"{opened.name} has {len(first)} names on line {opened.above + 1} and {width} fields "
            "below them; name every column"
        )
    missing = [_free("row", list(map(_plain, first)))] if named else []
    # Bytes that are not UTF-8 are copied unchanged and decoded later.
    with (
        open(opened.path, encoding="utf-8-sig", errors="surrogateescape") as text,  # noqa: PTH123
        target.open("w", encoding="utf-8", errors="surrogateescape", newline="") as out,
    ):
        write = csv.writer(out, lineterminator="\n")
        for number, line in enumerate(text, opened.above + 1):
            fields = [_plain(field) for field in _FIELD.findall(line)]
            if fields:
                fields, missing = [*missing, *fields], []
            if fields and len(fields) != width:
                raise InputError(
                    f"{opened.name} separates its columns by blanks, and has {len(fields)} fields "
                    f"on line {number} and {width} above it; correct that line, or write commas "
                    "between the columns"
                )
            write.writerow(fields)
    return Written(0, ("columns apart by blanks",), headed=named)


def _apart_by_blanks(lines: Sequence[str], header: bool | None) -> bool:
    """Return whether blanks separate the columns: equal widths, and numbers in some lines.

    The header may have one field less than the rows, which then begin with row names.
    """
    bare = [re.sub('"[^"]*"', "", line) for line in lines]
    first, *sizes = (len(_FIELD.findall(line)) for line in lines)
    if set(",;\t|") & set(bare[0]) or any(set(";\t|") & set(line) for line in bare):
        return False
    one_more = first + 1 if header is not False else first
    return (
        sizes[0] > 1
        and set(sizes[:_ALIKE]) == {sizes[0]}
        and sizes[0] in (first, one_more)
        and any(NUMBER.fullmatch(field) for line in lines[1:] for field in line.split())
    )


def _with_row_names(opened: Opened, target: Path, lines: Sequence[str]) -> Written | None:
    """Copy a table whose header lacks the column of row names, with a name for that column."""
    delimiter = delimiter_of(lines[0])
    if (
        opened.header is False
        or delimiter not in lines[1]
        or any(line.count('"') % 2 for line in lines)
    ):
        return None
    header, *rows = csv.reader(lines, delimiter=delimiter)
    if {len(row) for row in rows} != {len(header) + 1} or not any(row[-1].strip() for row in rows):
        return None
    names = [line.split(delimiter, 1)[0] for line in lines[1:]]
    # R quotes texts but not numbers.
    fields = (field.strip() for line in lines for field in line.split(delimiter)[1:])
    if not _are_row_names(names, header) or not any(map(NUMBER.fullmatch, fields)):
        return None
    with open(opened.path, "rb") as file:  # noqa: PTH123
        start = 3 if file.read(3) == b"\xef\xbb\xbf" else 0
    copy_part(opened.path, target, start, before=f"{_free('row', header)}{delimiter}".encode())
    return Written(0, ("names of rows, which the header lacks",), headed=True)


def _are_row_names(names: Sequence[str], header: Sequence[str]) -> bool:
    """Return whether values are row names: distinct and quoted, or a row counter."""
    if len(set(names)) < max(len(names), 2):
        return False
    if all(name.startswith('"') for name in names):
        return True
    counted = any(names == [str(i + k) for i in range(len(names))] for k in (0, 1))
    return counted and not _IDS.fullmatch(_plain(header[0]).strip())


def _plain(field: str) -> str:
    """Return a field without the quotes and escapes that R writes."""
    if len(field) < 2 or not field.startswith('"') or not field.endswith('"'):
        return field
    return re.sub(r'\\(.)|"(")', lambda m: m[1] or m[2], field[1:-1])


def _free(name: str, existing: Sequence[str]) -> str:
    return name if name not in existing else _free(name + "_", existing)
