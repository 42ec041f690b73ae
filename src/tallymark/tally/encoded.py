"""Labels as the small integers they are stored as, or the texts they are, without a copy of them.

Dictionary-encoded columns (pandas' categories, Polars' categories and enums, Arrow's dictionaries)
have codes already; texts are numbered where they lie, through Arrow's C data interface or in
NumPy's own arrays. Everything else is left to the checks of ``arrays.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark import _kernels


@dataclass(frozen=True, slots=True)
class Encoded:
    """Codes of any integer type and the distinct labels they index, in any order; -1 is missing."""

    codes: NDArray[Any]
    labels: tuple[int | str, ...]

    def sorted(self) -> tuple[NDArray[np.intp], tuple[int | str, ...]]:
        """Return codes into the sorted labels that occur, and those labels; -1 is missing."""
        present = np.bincount(self.codes.astype(np.intp) + 1, minlength=len(self.labels) + 1) > 0
        found = [i for i, seen in enumerate(present[1:].tolist()) if seen]
        found.sort(key=lambda i: self.labels[i])
        table = np.full(len(self.labels) + 1, -1, dtype=np.intp)
        table[found] = np.arange(len(found))
        return table[self.codes], tuple(self.labels[i] for i in found)


def encoded(values: Any) -> Encoded | None:
    """Return a column of texts or categories as codes and labels, or None if it is neither.

    >>> encoded(np.array(["yes", "no", None, "yes"], dtype=object))
    Encoded(codes=array([ 0,  1, -1,  0], dtype=int16), labels=('yes', 'no'))
    """
    if isinstance(values, np.ndarray):
        return _of_rows(values)
    home = type(values).__module__.partition(".")[0]
    if home == "pandas":
        dtype = getattr(values, "dtype", None)
        if hasattr(dtype, "categories"):
            return _of_categories(getattr(values, "cat", values))
        if isinstance(dtype, np.dtype) and dtype.kind == "O" and hasattr(values, "to_numpy"):
            return _of_rows(values.to_numpy())
        if "str" not in str(dtype):  # pandas would turn numbers into Arrow's first
            return None
    numbered = None
    if hasattr(values, "__arrow_c_stream__"):
        try:
            numbered = _kernels.number_stream(values.__arrow_c_stream__())
        except ImportError:  # pandas without pyarrow
            return None
    elif home == "pyarrow" and hasattr(values, "__arrow_c_array__"):
        import pyarrow

        numbered = _kernels.number_stream(pyarrow.chunked_array([values]).__arrow_c_stream__())
    return None if numbered is None else Encoded(numbered[0], tuple(numbered[1]))


def _of_rows(array: NDArray[Any]) -> Encoded | None:
    kind = array.dtype.kind
    usable = array.ndim == 1 and array.dtype.isnative and array.dtype.itemsize > 0
    if kind not in "UO" or not usable or hasattr(array, "mask"):
        return None
    array = np.ascontiguousarray(array)
    if kind == "O":
        numbered = _kernels.number_objects(array)
    else:
        characters = array.view(np.uint32).reshape(len(array), array.itemsize // 4)
        numbered = _kernels.number_characters(characters)
    if numbered is None:
        return None
    codes, labels = numbered
    # NumPy fills a text up with zeros; objects end where they end.
    return Encoded(codes, tuple(v.rstrip("\0") for v in labels) if kind == "U" else tuple(labels))


def _of_categories(values: Any) -> Encoded | None:
    labels = list(values.categories)
    codes = np.ascontiguousarray(values.codes)
    for kinds, plain in (((str,), str), ((bool, np.bool_), bool), ((int, np.integer), int)):
        if all(isinstance(v, kinds) for v in labels):
            return Encoded(codes, tuple(plain(v) for v in labels))
    return None
