"""Files of tables or arrays that Python and NumPy can read: SQLite and NumPy."""

from __future__ import annotations

import contextlib
import sqlite3
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark import InputError
from tallymark.core import Budget, Opened, Written, listed, many, write_lines

_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, KeyError, TypeError, ValueError),
    *(RuntimeError, MemoryError, SyntaxError),
)
"""Errors that zipfile and NumPy raise for a damaged file."""

_AT_ONCE = 10_000
"""Batch size, in rows, when arrays are converted to Python values."""


def database_as_rows(opened: Opened, target: Path) -> Written:
    """Write the rows of the only table of an SQLite database, or of the requested one."""
    place = Path(opened.path).absolute().as_uri() + "?mode=ro&immutable=1"
    try:
        with contextlib.closing(sqlite3.connect(place, uri=True)) as connection:
            # A view is not offered: its query might never end.
            names = connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' "
                "AND sql NOT LIKE 'create virtual%' ORDER BY name"
            )
            columns = {str(name): _columns(connection, name) for (name,) in names.fetchall()}
            full = {t: c for t, c in columns.items() if _rows(connection, t, "LIMIT 1").fetchone()}
            table = opened.chosen(full, "table", columns)
            rows = (dict(zip(columns[table], row, strict=True)) for row in _rows(connection, table))
            write_lines(rows, target, opened.budget())
    except (sqlite3.Error, UnicodeError):
        raise InputError(
            f"{opened.name} is a damaged SQLite database, or a locked one; save its table as CSV"
        ) from None
    return Written(0, (f"the table {table!r}",) if len(columns) > 1 else ())


def _rows(connection: sqlite3.Connection, table: str, limit: str = "") -> sqlite3.Cursor:
    quoted = '"' + table.replace('"', '""') + '"'
    return connection.execute(f"SELECT * FROM {quoted} {limit}")


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [str(name) for name, *_ in _rows(connection, table, "LIMIT 0").description]


def arrays_as_rows(opened: Opened, target: Path) -> Written:
    """Write the arrays of an .npz file, or the one of an .npy file, as columns by their names.

    The rows of an array of two dimensions are vectors, and the fields of a structured one columns.
    """
    budget = opened.budget()
    try:
        columns = {
            name: column
            for array_name, array in _arrays(opened, budget)
            for name, column in _fields(array_name, array)
        }
    except _BROKEN as error:
        if isinstance(error, InputError):
            raise
        if "allow_pickle" in str(error):
            raise InputError(
                f"{opened.name} holds Python objects, which could run any code; save texts as an "
                "array of texts, such as labels.astype(str)"
            ) from None
        raise InputError(
            f"{opened.name} is damaged, or not NumPy's; save the arrays again with numpy.savez"
        ) from None
    tables = {name: a for name, a in columns.items() if a.ndim in (1, 2) and len(a)}
    sizes = Counter(map(len, tables.values()))
    if not sizes:
        raise InputError(f"{opened.name} has no array with rows; save one value or vector a row")
    rows = max(sizes, key=lambda size: (sizes[size], size))
    used = {name: a for name, a in tables.items() if len(a) == rows}
    omitted = [name for name in columns if name not in used]
    write_lines(_lines(used, rows), target, budget)
    kind = "column" if len(omitted) == 1 else "columns"
    note = f"without {listed(omitted)}, no {kind} of {many(rows, 'row')}"
    return Written(0, (note,) if omitted else ())


def _arrays(opened: Opened, budget: Budget) -> Iterator[tuple[str, NDArray[Any]]]:
    """Return the arrays of a file by name; that of an .npy file has none."""
    if zipfile.is_zipfile(opened.path):
        with zipfile.ZipFile(opened.path) as archive:
            budget.spend(sum(info.file_size for info in archive.infolist()))
    # NumPy leaves a damaged archive open that it was given by name.
    with open(opened.path, "rb") as file:  # noqa: PTH123
        loaded = np.load(file, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            yield "", loaded
        else:
            with loaded:
                yield from ((name, loaded[name]) for name in loaded.files)


def _fields(name: str, array: NDArray[Any]) -> Iterator[tuple[str, NDArray[Any]]]:
    """Return the columns of an array: itself, or its fields, or those of one without a name."""
    if array.dtype.names:
        yield from ((f"{name}.{f}" if name else f, array[f]) for f in array.dtype.names)
    elif array.ndim == 2 and array.shape[1] == 1:
        yield name or "column0", array[:, 0]
    elif name or array.ndim != 2:
        yield name or "column0", array
    else:
        yield from ((f"column{k}", array[:, k]) for k in range(array.shape[1]))


def _lines(columns: dict[str, NDArray[Any]], rows: int) -> Iterator[dict[str, Any]]:
    for first in range(0, rows, _AT_ONCE):
        parts = [_values(a[first : first + _AT_ONCE]) for a in columns.values()]
        yield from (dict(zip(columns, row, strict=True)) for row in zip(*parts, strict=True))


def _values(array: NDArray[Any]) -> list[Any]:
    """Convert an array to Python values; a float32 0.7 becomes 0.7, not 0.699999988."""
    kind = array.dtype.kind
    if kind == "f" and array.dtype.itemsize < 8:
        array = array.astype(str).astype(np.float64)
    elif kind == "S":
        array = np.char.decode(array, "utf-8", "replace")
    elif kind not in "biufU":
        array = array.astype(str)
    values: list[Any] = array.tolist()
    return values
