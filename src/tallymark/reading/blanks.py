"""Text whose columns stand apart by blanks, or whose rows have names that the header lacks.

R's ``write.table`` writes both, and ``print`` of a frame does.
"""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from tallymark.errors import InputError
from tallymark.reading.headers import NUMBER, delimiter_of

_HEAD = 1 << 16
"""Bytes at the beginning that are looked at."""

_ALIKE = 5
"""So many rows that are alike show how columns are separated: what differs below is a mistake."""

_FIELD = re.compile(r'"(?:[^"\\]|\\.|"")*"|\S+')
_IDS = re.compile(r"(\w*_)?(id|ids|index|idx|row|rows|no|nr|case|key|name)", re.IGNORECASE)
"""Names of columns that count or name the rows themselves."""


def with_commas(
    path: str, target: Path, name: str, above: int, header: bool | None
) -> tuple[str, bool] | None:
    """Copy a table with commas between its columns and a name over each; None of others.

    Return in words what was read so, and whether rows had names that the header lacks, which tells
    it from a row. ``above`` lines stood above the table.
    """
    with open(path, "rb") as file:  # noqa: PTH123
        head = file.read(_HEAD).decode("utf-8-sig", "replace")
    lines = [line for line in re.split(r"\r\n|\r|\n", head) if line.strip()]
    if len(head) >= _HEAD - 4:
        lines.pop()
    if len(lines) < 2:
        return None
    if not _apart_by_blanks(lines, header):
        return _with_row_names(path, target, lines) if header is not False else None
    first, rows = _FIELD.findall(lines[0]), [_FIELD.findall(line) for line in lines[1:]]
    named = len(rows[0]) == len(first) + 1
    if named and not _are_row_names([row[0] for row in rows], first):
        raise InputError(
            f"{name} has {len(first)} names on line {above + 1} and {len(rows[0])} fields below "
            "them; name every column"
        )
    headed = named
    # Bytes that are not UTF-8 are written as they are, and read as what they are later.
    with (
        open(path, encoding="utf-8-sig", errors="surrogateescape") as text,  # noqa: PTH123
        target.open("w", encoding="utf-8", errors="surrogateescape", newline="") as out,
    ):
        write = csv.writer(out, lineterminator="\n")
        for number, line in enumerate(text, above + 1):
            fields = [_plain(field) for field in _FIELD.findall(line)]
            if fields and named:
                fields, named = [_free("row", fields), *fields], False
            if fields and len(fields) != len(rows[0]):
                raise InputError(
                    f"{name} separates its columns by blanks, and has {len(fields)} fields on line "
                    f"{number} and {len(rows[0])} above it; correct that line, or write commas "
                    "between the columns"
                )
            write.writerow(fields)
    return "columns apart by blanks", headed


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


def _with_row_names(path: str, target: Path, lines: Sequence[str]) -> tuple[str, bool] | None:
    """Copy a table whose header has one field less than its rows, which begin with their names."""
    delimiter = delimiter_of(lines[0])
    if delimiter not in lines[1] or any(line.count('"') % 2 for line in lines):
        return None
    header, *rows = csv.reader(lines, delimiter=delimiter)
    if {len(row) for row in rows} != {len(header) + 1} or not any(row[-1].strip() for row in rows):
        return None
    raw = [line.split(delimiter, 1)[0] for line in lines[1:]]
    if not _are_row_names(raw, header) or not any(_bare_number(line, delimiter) for line in lines):
        return None
    with open(path, "rb") as file, target.open("wb") as out:  # noqa: PTH123
        start = file.read(3)
        file.seek(3 if start == b"\xef\xbb\xbf" else 0)
        out.write(f"{_free('row', header)}{delimiter}".encode())
        shutil.copyfileobj(file, out)
    return "names of rows, which the header lacks", True


def _bare_number(line: str, delimiter: str) -> bool:
    """Tell whether a number stands without quotes: R quotes texts, and no numbers."""
    return any(NUMBER.fullmatch(field.strip()) for field in line.split(delimiter)[1:])


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


def _free(name: str, taken: Sequence[str]) -> str:
    return name if name not in taken else _free(name + "_", taken)
