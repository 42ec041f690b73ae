"""Columns and numbers that mean the same in every engine, and what engines return as NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError
from tallymark.tally.arrays import Floats
from tallymark.tally.bins import Bins

TESTED = {
    "duckdb": "DuckDB",
    "polars": "Polars",
    "pyspark": "Spark",
    "dask": "Dask",
    "ibis:duckdb": "DuckDB",
    "ibis:postgres": "PostgreSQL",
}
"""Engines that the conformance suite runs on; any other is asked a few questions first."""


def kind_of(frame: Any) -> str:
    """Name an engine; of Ibis, with what it speaks to."""
    kind = str(frame.implementation.name).lower()
    if kind == "ibis":
        return f"ibis:{frame.to_native().get_backend().name}"
    return kind


def hold(x: Any, dtype: Any, name: str, number: bool) -> tuple[Any, str]:
    """Return a column as it is held in every engine, and how."""
    import narwhals as nw

    if dtype == nw.Boolean:
        one, zero = nw.lit(1), nw.lit(0)
        if number:  # PostgreSQL's 1.0 is a decimal; 1 made a double is none
            one, zero = one.cast(nw.Float64), zero.cast(nw.Float64)
        told = nw.when(x).then(one).when(~x).then(zero)
        return told, "float" if number else "boolean"
    if dtype.is_numeric():
        if number or not dtype.is_integer():
            return x.cast(nw.Float64), "float"
        return x, "integer"
    text = dtype in (nw.String, nw.Categorical, nw.Enum, nw.Unknown)
    if text and not number:
        return x.cast(nw.String), "text"
    if text:
        raise InputError(f"{name} holds text; give numbers")
    raise InputError(
        f"{name} holds values of type {dtype}; "
        + ("give numbers" if number else "labels must be integers, texts or booleans")
    )


def flag(claim: Any) -> Any:
    """Return 1 where something holds, else 0: Spark cannot add booleans."""
    import narwhals as nw

    return nw.when(claim).then(nw.lit(1)).otherwise(nw.lit(0))


def ints(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return whole numbers, which some engines give as decimals."""
    if values.dtype.kind == "O":  # Decimal, Python's own
        return np.array([int(v) for v in values], dtype=np.int64)
    return np.asarray(values).astype(np.int64)


def floats(values: NDArray[Any]) -> Floats:
    """Return float64, NaN where a number is missing."""
    if np.ma.isMaskedArray(values):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    if values.dtype.kind == "O":
        values = np.array([np.nan if v is None else float(v) for v in values])
    return np.asarray(values).astype(np.float64)


def farthest(values: Floats, ufunc: Any) -> float:
    """Return the least or the greatest number that is there, NaN where none is."""
    there = values[~np.isnan(values)]
    return float(ufunc.reduce(there)) if len(there) else float("nan")


def first_words(error: BaseException) -> str:
    """Return the first line of what an engine says, without the end of a sentence."""
    words = " ".join(str(error).strip().splitlines()[:1]).strip()
    words = words or type(error).__name__
    return (words[:200] + "…" if len(words) > 200 else words).rstrip(".;: ")


def tree(x: Any, bins: Bins, values: NDArray[Any], kind: str) -> Any:
    """Return the value of the stretch in which a score lies, by halving: a balanced CASE."""
    import narwhals as nw

    def branch(low: int, high: int) -> Any:
        if high - low == 1:
            return literal(float(values[low]), kind)
        middle = (low + high) // 2
        below = x < literal(float(bins.breaks[middle]), kind)
        return nw.when(below).then(branch(low, middle)).otherwise(branch(middle, high))

    return branch(0, len(bins.scale))


def literal(value: float, kind: str) -> Any:
    """Return a number as exactly this double, also where it would be written in decimals."""
    import narwhals as nw

    if kind != "ibis:duckdb" and kind in TESTED:
        return nw.lit(value)
    if float(f"{value:.15g}") == value and 1e-4 <= abs(value) < 1e15:
        return nw.lit(value).cast(nw.Float64)
    # A decimal of 17 digits is not always read as the nearest double; integers are, and
    # dividing them by powers of two is exact.
    mantissa, power = math.frexp(value)
    found = nw.lit(int(mantissa * 2**53)).cast(nw.Float64)
    power -= 53
    while power:
        step = max(-60, min(60, power))
        factor = nw.lit(2 ** abs(step)).cast(nw.Float64)
        found = found * factor if step > 0 else found / factor
        power -= step
    return found
