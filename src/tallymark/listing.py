"""Tables of results that print and convert to CSV, Arrow or a frame of any library."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from typing import Any

import numpy as np

from tallymark.contract import checked
from tallymark.display import Display
from tallymark.errors import InputError
from tallymark.output import write_text

_NUMBERS = ("value", "low", "high", "level", "se")


@checked
@dataclass(frozen=True, slots=True, repr=False)
class Rows(Display):
    """Dictionaries with the same keys; they print, and convert to CSV, Arrow or a frame.

    Any library that reads an Arrow stream accepts them: ``polars.DataFrame(rows)``,
    ``pyarrow.table(rows)``, ``duckdb.sql("SELECT * FROM rows")``.
    """

    rows: tuple[dict[str, Any], ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, place: int) -> dict[str, Any]:
        return self.rows[place]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as plain dictionaries."""
        return [dict(r) for r in self.rows]

    def to_csv(self, path: str | PathLike[str] | None = None) -> str:
        """Return the rows as CSV (RFC 4180); also write them to ``path`` if given.

        Numbers have full precision, and undefined values are empty. Texts are not escaped: a
        spreadsheet takes a name that begins with =, +, - or @ for a formula, so import those
        columns as text.

        >>> print(Listing(({"name": 'a "b" c', "n": 1, "x": 0.1, "y": None},)).to_csv(), end="")
        name,n,x,y
        "a ""b"" c",1,0.1,
        """
        columns = self._columns()
        lines = [columns, *zip(*columns.values(), strict=True)]
        text = "".join(",".join(map(_csv, line)) + "\n" for line in lines) if columns else ""
        if path is not None:
            write_text(path, text)
        return text

    def _columns(self) -> dict[str, list[Any]]:
        """Return the columns by name, with values as plain Python objects."""
        names = dict.fromkeys(name for r in self.rows for name in r)
        return {_text(n): [_plain(r.get(n)) for r in self.rows] for n in names}

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame; pandas must be installed."""
        frame = _library("pandas").DataFrame(self.to_dicts())
        return frame.astype({c: "float64" for c in _NUMBERS if c in frame.columns})

    def to_polars(self) -> Any:
        """Return a Polars DataFrame; Polars must be installed."""
        return _library("polars").DataFrame(self)

    def to_arrow(self) -> Any:
        """Return a pyarrow Table; pyarrow must be installed."""
        return _library("pyarrow", "arrow").table(self)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return the rows as an Arrow stream, which DuckDB builds, so pyarrow is not needed."""
        columns = {n: _typed(n, values) for n, values in self._columns().items()}
        if not columns:
            raise InputError("a table without rows has no columns; use .to_dicts()")
        import duckdb

        quoted = (n.replace('"', '""') for n in columns)
        query = ", ".join(
            f'unnest(${i}::{kind}[]) AS "{name}"'
            for i, (name, (kind, _)) in enumerate(zip(quoted, columns.values(), strict=True), 1)
        )
        values = [values for _, values in columns.values()]
        return duckdb.connect().sql(f"SELECT {query}", params=values).__arrow_c_stream__()


@dataclass(frozen=True, slots=True, repr=False)
class Listing(Rows):
    """Rows that are not metric values with intervals: curve points, differences, studies."""


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _text(value: Any) -> str:
    """Return a text that UTF-8 can encode: lone surrogates are escaped."""
    return str(value).encode("utf-8", "backslashreplace").decode()


def _csv(value: Any) -> str:
    """Return a cell of a CSV file: empty if undefined; an empty text is quoted."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    text = _text(value)
    marks = re.search('[",\r\n]', text) or text != text.strip() or not text
    return '"' + text.replace('"', '""') + '"' if marks else text


_LONGEST = 1 << 63


def _typed(name: str, values: Iterable[Any]) -> tuple[str, list[Any]]:
    """Return the SQL type and the values of a column; mixed types become text."""
    cells = list(values)
    kinds = {type(v) for v in cells if v is not None}
    if name in _NUMBERS or (kinds <= {int, float} and float in kinds):
        return "DOUBLE", cells
    if kinds == {bool}:
        return "BOOLEAN", cells
    if kinds == {int} and all(-_LONGEST <= v < _LONGEST for v in cells if v is not None):
        return "BIGINT", cells
    return "VARCHAR", [None if v is None else _text(v) for v in cells]


def _library(name: str, extra: str = "") -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise InputError(
            f"a {name} frame needs {name}; install it with: pip install "
            f"'tallymark[{extra or name}]'"
        ) from None
