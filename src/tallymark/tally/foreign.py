"""Columns and frames of other libraries: told apart from arrays, and turned into them."""

from __future__ import annotations

import warnings
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError


def readers() -> ModuleType:
    """Return the module that reads tables: it builds on the tallies, so it is loaded when asked."""
    return import_module("tallymark.data.readers")


def is_table(data: Any) -> bool:
    """Tell a frame of any library from an array."""
    if data is None or isinstance(data, np.ndarray | list | tuple | dict | str | range):
        return False
    import narwhals as nw

    try:
        frame = narwhals_frame(data, pass_through=True)
    except Exception:  # a frame with two columns of one name, which FrameTable refuses
        return hasattr(data, "columns")
    return isinstance(frame, nw.DataFrame | nw.LazyFrame)


def narwhals_frame(data: Any, **options: Any) -> Any:
    """Return a frame of Narwhals; what it and engines warn of, their own versions, is not ours."""
    import narwhals as nw

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = nw.from_native(data, **options)
        if isinstance(frame, nw.LazyFrame):
            frame.collect_schema()
        return frame


def series_to_numpy(series: Any, name: str) -> NDArray[Any]:
    """Return a column of any library as NumPy: None or NaN where a value is missing."""
    import narwhals as nw

    if type(series).__module__.startswith("pyarrow") and not hasattr(series, "chunks"):
        import pyarrow

        series = pyarrow.chunked_array([series])
    try:
        column = nw.from_native(series, series_only=True)
    except TypeError:
        if hasattr(series, "__array__") and not hasattr(series, "columns"):
            return np.asarray(series)  # an index, a tensor
        raise InputError(
            f"{name} is {_a(type(series).__name__)}; give a list, an array, or a column of a frame"
        ) from None
    if column.dtype.is_numeric():
        if column.dtype.is_decimal():
            # Arrow multiplies by a power of ten that is no double: 0.70 would not be 0.7.
            return np.array([np.nan if v is None else float(v) for v in column.to_list()])
        if column.null_count():
            column = column.cast(nw.Float64)
            return np.asarray(column.to_numpy(), dtype=np.float64)
        return np.asarray(column.to_numpy())
    if column.dtype == nw.Boolean and not column.null_count():
        return np.asarray(column.to_numpy(), dtype=bool)
    # Categories keep their type: a pandas categorical of 0 and 1 holds integers, not texts.
    out = np.empty(len(column), dtype=object)
    out[:] = column.to_list()
    out[np.asarray(column.is_null().to_numpy(), dtype=bool)] = None  # also for NaN and pandas' NA
    return out


def _a(noun: str) -> str:
    return ("an " if noun[:1].lower() in "aeiou" else "a ") + noun
