"""Whole columns of a table as arrays, and columns of names as codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError
from tallymark.quantities import many
from tallymark.reading.chunks import read_texts
from tallymark.reading.files import FileTable
from tallymark.reading.profile import Table
from tallymark.tally.arrays import Coded, as_array, code_labels


def whole_column(table: Table, name: str) -> NDArray[Any]:
    """Return a whole column as an array; missing texts are None, missing numbers NaN."""
    if not isinstance(table, FileTable):
        return as_array(table.column(name), name)
    value = table.sql_of(name)
    if table.types[name] == "JSON":
        value = f"{value} ->> '$'"
    (values,) = table.read(f"SELECT {value} AS x FROM source", arrays=True).values()
    absent = np.ma.getmaskarray(values)
    values = np.ma.getdata(values)
    if not absent.any():
        return np.asarray(values)
    blank: Any = np.nan if values.dtype.kind in "biuf" else None
    out = values.astype(float if blank is not None else object)
    out[absent] = blank
    return np.asarray(out)


def code_names(values: Any, name: str) -> Coded:
    """Return a column of names as codes; a missing one is refused."""
    array = as_array(values, name)
    if array.dtype.kind == "f" and not np.isnan(array).any() and (array == np.trunc(array)).all():
        array = array.astype(np.int64)
    if array.dtype.kind in "iu" and array.size:
        coded = _of_integers(array)
    else:
        coded = _as_read(code_labels(array, name, most=max(len(array), 1)))
    if coded.missing:
        raise InputError(
            f"{name} is missing in {many(coded.missing, 'row')}; leave those rows out, or name "
            "another column"
        )
    return coded


def _as_read(coded: Coded) -> Coded:
    """Return texts that are all whole numbers as numbers, as columns of files are read."""
    if not all(isinstance(label, str) for label in coded.labels):
        return coded
    labels = read_texts(list(map(str, coded.labels)))
    if len(set(labels)) < len(coded.labels) or not all(type(v) is int for v in labels):
        return coded
    return Coded(coded.codes, tuple(labels))


def _of_integers(array: NDArray[Any]) -> Coded:
    """Return integers as codes; those of a narrow range without sorting."""
    low, high = int(array.min()), int(array.max())
    if high - low > 4 * len(array) + 1000:
        labels, codes = np.unique(array, return_inverse=True)
        return Coded(codes.reshape(-1), tuple(labels.tolist()))
    place = (array - low).astype(np.intp)
    present = np.bincount(place, minlength=high - low + 1) > 0
    if present.all():
        return Coded(place, tuple(range(low, high + 1)))
    code = np.cumsum(present) - 1
    return Coded(code[place], tuple((np.flatnonzero(present) + low).tolist()))
