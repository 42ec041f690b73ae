"""Tables in delimited text: their delimiter and header, and what has to be left out around them.

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
"""More columns take minutes to read."""

_LONGEST = 2_000_000
"""No line is longer, or it is refused before; DuckDB reads no longer one either."""

_HEAD = 1 << 16
"""Bytes at either end in which what stands around a table is looked for."""

_ALIKE = 5
"""Rows of equal width that settle the separator; a row that differs below them is an error."""

NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*%?")

_IDS = re.compile(r"(\w*_)?(id|ids|index|idx|row|rows|no|nr|case|key|name)", re.IGNORECASE)
"""Names of columns that count or name the rows themselves."""

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_FIELD = re.compile(r'"(?:[^"\\]|\\.|"")*"|\S+')


# -- the header ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Header:
    """The delimiter of a CSV file, the names of its columns, and on how many lines they stand."""

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
    try:  # bytes that are not UTF-8 may stand far below the header, where DuckDB finds them
        "".join(fields).encode()
    except UnicodeError:
        return None
    if opened.header is False:
        fields = [""] * len(fields)
    # A column without a name gets the one DuckDB would give it.
    names = tuple(c.strip() or f"column{i}" for i, c in enumerate(fields))
    return Header(delimiter, names, reader.line_num)


def too_many_columns(name: str, many: int | None = None) -> InputError:
    """Return the refusal of a table that is too wide."""
    count = "" if many is None else f"{many:,} columns, "
    return InputError(
        f"{name} has {count}more than the limit of {MOST_COLUMNS:,} columns; keep those of labels "
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
    """Copy a table without what stands above and below it; None where nothing does."""
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
    """Return the lines of some bytes, each behind its place in the file."""
    text = [(start + m.start(), m[0].decode("utf-8-sig", "replace")) for m in _LINE.finditer(data)]
    return [(place, line.rstrip("\r\n")) for place, line in text if line]


def _above(texts: Sequence[str]) -> tuple[int, list[str]]:
    """Return how many lines stand above the header, and what they are."""
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
    """Tell a comment from a header that begins with #, which has as many fields as its rows."""
    delimiter = delimiter_of(line)
    fields = len(_fields(line, delimiter))
    return fields == 1 or below.startswith("#") or fields != len(_fields(below, delimiter))


def _titles(texts: Sequence[str]) -> int:
    """Return how many lines of one filled field stand above names of several columns."""
    for at, text in enumerate(texts):
        if text.count('"') % 2:  # a name of several lines
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
    """Tell a line of totals: its one word says so and stands nowhere else, the rest are numbers."""
    delimiter = delimiter_of(header)
    words = [f for f in _fields(line, delimiter) if f and not NUMBER.fullmatch(f)]
    if len(words) != 1 or words[0].casefold() not in TOTALS:
        return False
    with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
        return sum(words[0] in _fields(text, delimiter) for text in file if words[0] in text) == 1


# -- blanks between columns, and names of rows ---------------------------------------------------


def with_commas(opened: Opened, target: Path) -> Written | None:
    """Copy a table with commas between its columns and a name over each; None of others."""
    with open(opened.path, "rb") as file:  # noqa: PTH123
        head = file.read(_HEAD)
    lines = [text for _, text in _lines(head) if text.strip()]
    if len(head) == _HEAD:  # within the last line
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
    # Bytes that are not UTF-8 are written as they are, and read as what they are later.
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
    """Tell whether columns stand apart by blanks: alike in all lines, with numbers in some.

    The header may have one field less than the rows, whose first is then the name of a row.
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
    """Copy a table whose header has one field less than its rows, which begin with their names."""
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
    # R quotes texts, and no numbers.
    fields = (field.strip() for line in lines for field in line.split(delimiter)[1:])
    if not _are_row_names(names, header) or not any(map(NUMBER.fullmatch, fields)):
        return None
    with open(opened.path, "rb") as file:  # noqa: PTH123
        start = 3 if file.read(3) == b"\xef\xbb\xbf" else 0
    copy_part(opened.path, target, start, before=f"{_free('row', header)}{delimiter}".encode())
    return Written(0, ("names of rows, which the header lacks",), headed=True)


def _are_row_names(names: Sequence[str], header: Sequence[str]) -> bool:
    """Tell names of rows: all differ and are quoted, or they count, beside no column that does."""
    if len(set(names)) < max(len(names), 2):
        return False
    if all(name.startswith('"') for name in names):
        return True
    counted = any(names == [str(i + k) for i in range(len(names))] for k in (0, 1))
    return counted and not _IDS.fullmatch(_plain(header[0]).strip())


def _plain(field: str) -> str:
    """Return a field without the quotes that R writes."""
    if len(field) < 2 or not field.startswith('"') or not field.endswith('"'):
        return field
    return re.sub(r'\\(.)|"(")', lambda m: m[1] or m[2], field[1:-1])


def _free(name: str, existing: Sequence[str]) -> str:
    return name if name not in existing else _free(name + "_", existing)
