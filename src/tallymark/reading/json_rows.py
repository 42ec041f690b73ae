"""Tables in JSON that are not one object per row: detect the layout and write rows.

pandas, MLflow, wandb and evaluation logs each use their own layout. There is one function per
layout; it returns the rows of a value in this layout, or None.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

from tallymark.errors import InputError
from tallymark.reading.names import is_usual
from tallymark.reading.unpacking import Budget, Opened, Written, copy_part, first_bytes

Row = dict[str, Any]

_TIMES = 10
"""Memory of a parsed value in Python, as a multiple of the size of its text."""

_HEAD = 1 << 24
"""Number of bytes within which the first line must end if the file has one row per line."""

_LONG = 10
"""Parallel lists of at least this length are columns, even beside single values."""


def rows_of_value(opened: Opened, target: Path) -> Written | None:
    """Write the rows of a file's single JSON value as one object per line; return notes.

    Return None if DuckDB can read the file itself: one object per line, or an array of objects.
    """
    notes = _write_rows(opened, target)
    if not notes and opened.part is not None:
        raise InputError(f"{opened.name} holds one table alone; leave sheet out")
    return Written(0, notes) if notes else None


def _write_rows(opened: Opened, target: Path) -> tuple[str, ...]:
    """Write the rows of a file in another layout; return notes on the layout."""
    head = first_bytes(opened.path).decode("utf-8-sig", "replace").split(maxsplit=2)
    start = "".join(head).replace(" ", "")[:2]
    if not (start.startswith("{") or start == "[["):
        return ()
    notes = _rows_by_line(opened.path, target) if start.startswith("{") else None
    if notes is not None:
        return notes
    if Path(opened.path).stat().st_size * _TIMES > opened.memory:
        _refuse_large(opened)
        return ()
    try:
        with open(opened.path, encoding="utf-8-sig") as file:  # noqa: PTH123
            value = json.load(file)
    except (ValueError, RecursionError):  # several multi-line objects, or damaged
        return ()
    tables = tables_of(value)
    if not tables:
        return ()
    first_rows = {name: rows[0] for name, (rows, _) in tables.items()}
    rows, how = tables[opened.chosen(first_rows, "table")]
    write_lines(rows, target, opened.budget())
    return (how,)


def write_lines(rows: Iterable[Any], target: Path, budget: Budget) -> None:
    """Write each row as an object on its own line."""
    with target.open("w", encoding="utf-8") as out:
        for row in rows:
            try:
                line = json.dumps(row, allow_nan=False, default=_plain) + "\n"
            except ValueError:
                line = json.dumps(_finite(row), default=_plain) + "\n"
            budget.spend(len(line))
            out.write(line)


def _plain(value: Any) -> Any:
    """Return a value converted to a type that JSON supports."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _finite(value: Any) -> Any:
    """Return a value with NaN as missing and infinity as text, which JSON lacks."""
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def _refuse_large(opened: Opened) -> None:
    """Refuse a file that is a single object too large for memory."""
    with open(opened.path, "rb") as file:  # noqa: PTH123
        head = file.read(_HEAD)
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[2].strip():
        return
    size = Path(opened.path).stat().st_size
    # The file may use a quarter of memory=.
    needed = math.ceil(4 * _TIMES * size / 10**9)
    raise InputError(
        f"{opened.name} is one JSON value of {size / 1e6:,.0f} MB, which takes {_TIMES} times as "
        f"much memory; write it as one object per row (in pandas: orient='records', lines=True), "
        f"or say memory='{needed}GB'"
    )


# -- an object a line ----------------------------------------------------------------------------


def _rows_by_line(path: str, target: Path) -> tuple[str, ...] | None:
    """Return notes for a file with one object per line, None for other files.

    A first or last line without keys in common with its neighbours describes the run, not a row. It
    is left out and mentioned in the notes.
    """
    with open(path, "rb") as file:  # noqa: PTH123
        first, second, third = (file.readline(_HEAD) for _ in range(3))
        keys = [_keys(line) for line in (first, second, third)]
        if not keys[0] or not keys[1]:
            return None
        size = file.seek(0, 2)
        tail_start = file.seek(max(0, size - _HEAD))
        tail = file.read().rstrip()
        *_, before, last = tail.rsplit(b"\n", 2) if tail.count(b"\n") > 2 else (b"", b"")
        start, end, notes = 0, size, []
        if keys[2] and not keys[0] & (keys[1] | keys[2]) and keys[1] & keys[2]:
            start = len(first)
            notes.append(f"a first line left out ({_shortened(first)})")
        ends, neighbours = _keys(last), _keys(before)
        if ends and neighbours and not ends & (neighbours | keys[1]) and neighbours & keys[1]:
            end = tail_start + len(tail) - len(last)
            notes.append(f"a final line left out ({_shortened(last)})")
    if notes:
        copy_part(path, target, start, end)
    return tuple(notes)


def _keys(line: bytes) -> set[str]:
    """Return the keys of the object on a line; empty if there is none."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return set()
    return set(value) if isinstance(value, dict) else set()


def _shortened(line: bytes) -> str:
    text = line.decode("utf-8", "replace").strip()
    return repr(text if len(text) <= 40 else text[:40] + "...")


# -- one value -----------------------------------------------------------------------------------

Table = tuple[list[Row], str]
"""The rows of a table, and a description of where they were."""


def tables_of(value: Any) -> dict[str, Table]:
    """Return the tables in a value by name; the value itself is named "".

    >>> tables_of({"columns": ["y", "p"], "data": [[1, 0.9]]})
    {'': ([{'y': 1, 'p': 0.9}], 'columns and rows')}
    """
    level = {"": value}
    while level:
        tables = {}
        for name, inner in level.items():
            shapes = (shape(inner) for shape in _SHAPES.get(type(inner), ()))
            rows, place = next(filter(None, shapes), ([], ""))
            if rows:
                tables[name] = (rows, f"the rows in {name!r}" if name else place)
        if tables:
            return tables
        level = {
            f"{name}.{key}" if name else key: inner
            for name, outer in level.items()
            if isinstance(outer, dict)
            for key, inner in outer.items()
            if isinstance(inner, dict | list)
        }
    return {}


def _records(value: list[Any]) -> Table | None:
    """Return the rows of a list of objects."""
    return (value, "rows") if all(isinstance(row, dict) for row in value) else None


def _headed(value: list[Any]) -> Table | None:
    """Return the rows of a list of lists; a first list of only texts is the header."""
    if len(value) < 2 or not _equal_lists(value):
        return None
    names, *rows = value
    headed = all(isinstance(n, str) for n in names) and len(set(names)) == len(names) > 1
    if headed and not all(isinstance(v, str) for row in rows for v in row):
        return _rows(names, rows), "a list a row, the first of names"
    if any(isinstance(v, dict | list) for row in value for v in row):
        return None
    return _rows([f"column{k}" for k in range(len(names))], value), "a list a row, without names"


def _split(value: dict[str, Any]) -> Table | None:
    """Return the rows of separate columns and data: pandas' orient="split", MLflow, wandb."""
    names, rows = value.get("columns"), value.get("data")
    if not isinstance(names, list) or not isinstance(rows, list):
        return None
    if not rows or not _equal_lists([names, *rows]):
        return None
    columns = [".".join(map(str, n)) if isinstance(n, list) else str(n) for n in names]
    if len(set(columns)) < len(columns):
        return None
    records = _rows(columns, rows)
    index = value.get("index")
    if isinstance(index, list) and len(index) == len(rows):
        records = _indexed(index, records)
    return records, "columns and rows"


def _lists(value: dict[str, Any]) -> Table | None:
    """Return the rows of parallel lists, one per column."""
    lists = {key: inner for key, inner in value.items() if isinstance(inner, list)}
    sizes = {len(inner) for inner in lists.values()}
    if len(lists) < 2 or len(sizes) > 1 or 0 in sizes:
        return None
    if any(isinstance(v, dict) for inner in lists.values() for v in inner):
        return None
    others = [inner for key, inner in value.items() if key not in lists]
    if others and (min(sizes) < _LONG or any(isinstance(inner, dict) for inner in others)):
        return None
    return _rows(lists, zip(*lists.values(), strict=True)), "a list a column"


def _by_index(value: dict[str, Any]) -> Table | None:
    """Return the rows of nested objects: pandas' orient="columns" and orient="index".

    Columns have values of one type, and rows usually do not; numbers are row names, and prediction
    columns have usual names. If none of these decides, it is not a table.
    """
    if not value or not all(isinstance(inner, dict) for inner in value.values()):
        return None
    if not set.intersection(*map(set, value.values())):
        return None
    outer, inner = list(value), list(dict.fromkeys(k for v in value.values() for k in v))
    columns = next((a for a, b in _signs_of_columns_and_rows(value, inner) if a != b), None)
    if columns is None:
        return None
    if columns:
        records = [{name: values.get(key) for name, values in value.items()} for key in inner]
        return _indexed(inner, records), "a column an object"
    return _indexed(outer, [dict(row) for row in value.values()]), "a row an object"


def _signs_of_columns_and_rows(
    value: dict[str, dict[str, Any]], inner: Sequence[str]
) -> Iterator[tuple[bool, bool]]:
    """Yield pairs: whether the objects look like columns, and whether they look like rows."""
    yield _numbered(inner), _numbered(value)
    if len(value) > 1:
        rows = ([v.get(k) for v in value.values()] for k in inner)
        yield all(_one_type(v.values()) for v in value.values()), all(map(_one_type, rows))
        yield any(map(is_usual, value)), any(map(is_usual, inner))


_SHAPES: dict[type, tuple[Callable[[Any], Table | None], ...]] = {
    list: (_records, _headed),
    dict: (_split, _lists, _by_index),
}


def _rows(names: Collection[str], rows: Iterable[Sequence[Any]]) -> list[Row]:
    return [dict(zip(names, row, strict=True)) for row in rows]


def _numbered(keys: Iterable[str]) -> bool:
    return all(key.isdecimal() for key in keys)


def _one_type(values: Iterable[Any]) -> bool:
    kinds = {
        float if isinstance(v, int) and not isinstance(v, bool) else type(v)
        for v in values
        if v is not None
    }
    return len(kinds) <= 1


def _equal_lists(rows: Sequence[Any]) -> bool:
    return all(isinstance(row, list) for row in rows) and len(set(map(len, rows))) == 1


def _indexed(index: Sequence[Any], rows: list[Row]) -> list[Row]:
    """Return rows with their names as a column, unless the names only count from 0."""
    if [str(key) for key in index] == [str(i) for i in range(len(rows))]:
        return rows
    return [{"index": key, **row} for key, row in zip(index, rows, strict=True)]
