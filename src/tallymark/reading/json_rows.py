"""Tables in JSON other than an object a row: found in the file's one value, written row by row.

pandas, MLflow, wandb and evaluation logs each lay a table out in a way of their own. A shape is a
function that returns the rows of a value laid out so, or None.
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
"""Memory that a value takes in Python, as a multiple of its text."""

_HEAD = 1 << 24
"""Bytes in which a line that is a row ends."""

_LONG = 10
"""Least length at which parallel lists are columns, even with single values beside them."""


def rows_of_value(opened: Opened, target: Path) -> Written | None:
    """Write the rows that a file's one value holds as an object a line, and say where they were.

    Return None of other files: of an object a line or objects in an array, which DuckDB reads.
    """
    notes = _write_rows(opened, target)
    if not notes and opened.part is not None:
        raise InputError(f"{opened.name} holds one table alone; leave sheet out")
    return Written(0, notes) if notes else None


def _write_rows(opened: Opened, target: Path) -> tuple[str, ...]:
    """Write the rows of a file where they are laid out in another way, and say in which."""
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
    except (ValueError, RecursionError):  # objects of several lines one by one, or damaged
        return ()
    tables = tables_of(value)
    if not tables:
        return ()
    first_rows = {name: rows[0] for name, (rows, _) in tables.items()}
    rows, how = tables[opened.chosen(first_rows, "table")]
    write_lines(rows, target, opened.budget())
    return (how,)


def write_lines(rows: Iterable[Any], target: Path, budget: Budget) -> None:
    """Write each row as an object on a line."""
    with target.open("w", encoding="utf-8") as out:
        for row in rows:
            try:
                line = json.dumps(row, allow_nan=False, default=_plain) + "\n"
            except ValueError:
                line = json.dumps(_finite(row), default=_plain) + "\n"
            budget.spend(len(line))
            out.write(line)


def _plain(value: Any) -> Any:
    """Return a value of another type as JSON can hold it."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _finite(value: Any) -> Any:
    """Return a value without NaN and infinity, which JSON lacks: the first is missing."""
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def _refuse_large(opened: Opened) -> None:
    """Refuse one object that is too large for Python to hold, and no object a line."""
    with open(opened.path, "rb") as file:  # noqa: PTH123
        head = file.read(_HEAD)
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[2].strip():
        return
    size = Path(opened.path).stat().st_size
    # A quarter of memory= is for the file.
    needed = math.ceil(4 * _TIMES * size / 10**9)
    raise InputError(
        f"{opened.name} is one JSON value of {size / 1e6:,.0f} MB, which takes {_TIMES} times as "
        f"much memory; write it as one object per row (in pandas: orient='records', lines=True), "
        f"or say memory='{needed}GB'"
    )


# -- an object a line ----------------------------------------------------------------------------


def _rows_by_line(path: str, target: Path) -> tuple[str, ...] | None:
    """Return () of a file with an object a line, None of any other.

    A first or a last line that shares no key with its neighbours tells about the run, not about a
    row: it is left out, and what was left out is returned.
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
            notes.append(f"a first line left out ({_shown(first)})")
        ends, neighbours = _keys(last), _keys(before)
        if ends and neighbours and not ends & (neighbours | keys[1]) and neighbours & keys[1]:
            end = tail_start + len(tail) - len(last)
            notes.append(f"a final line left out ({_shown(last)})")
    if notes:
        copy_part(path, target, start, end)
    return tuple(notes)


def _keys(line: bytes) -> set[str]:
    """Return the keys of the object on a line; none where there is no object."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return set()
    return set(value) if isinstance(value, dict) else set()


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", "replace").strip()
    return repr(text if len(text) <= 40 else text[:40] + "...")


# -- one value -----------------------------------------------------------------------------------

Table = tuple[list[Row], str]
"""The rows of a table, and where they stand in words."""


def tables_of(value: Any) -> dict[str, Table]:
    """Return the tables in a value by their names; that of the value itself is called "".

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
    """Return a list of objects."""
    return (value, "rows") if all(isinstance(row, dict) for row in value) else None


def _headed(value: list[Any]) -> Table | None:
    """Return a list a row; the first holds names if it alone is of texts only."""
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
    """Return columns and rows apart: pandas' orient="split", and tables of MLflow and wandb."""
    names, rows = value.get("columns"), value.get("data")
    if not isinstance(names, list) or not isinstance(rows, list):
        return None
    if not rows or not _equal_lists([names, *rows]):
        return None
    called = [".".join(map(str, n)) if isinstance(n, list) else str(n) for n in names]
    if len(set(called)) < len(called):
        return None
    records = _rows(called, rows)
    index = value.get("index")
    if isinstance(index, list) and len(index) == len(rows):
        records = _indexed(index, records)
    return records, "columns and rows"


def _lists(value: dict[str, Any]) -> Table | None:
    """Return a list a column."""
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
    """Return an object a column or a row: pandas' orient="columns" and orient="index".

    The values of a column are of one type, and those of a row mostly are not; numbers name rows,
    and columns of predictions have usual names. Where none of that tells, it is no table.
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
    """Yield whether the objects in a value look like columns, and whether they look like rows."""
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
    """Return rows with what each is called, unless that only counts them from 0."""
    if [str(key) for key in index] == [str(i) for i in range(len(rows))]:
        return rows
    return [{"index": key, **row} for key, row in zip(index, rows, strict=True)]
