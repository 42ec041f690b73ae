"""Validation of arrays: all labels, scores and weights are checked here, once.

The results are integer codes with their labels, float64 scores with NaN for missing, and float64
weights. The rest of the code relies on these checks.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark import _kernels
from tallymark.errors import InputError, listed
from tallymark.quantities import many
from tallymark.tally.polarity import is_positive

Label = int | str
"""A class label: an integer (booleans keep their type) or a text."""

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

MAX_CLASSES = 25_000
"""More classes than this is an identifier or a measurement, not a label."""

MANY_CLASSES = 1000
"""More classes than this need two rows each: identifiers have one."""

MOST_SUBGROUPS = 10_000
"""More subgroups than this are identifiers of rows, not subgroups to inspect."""


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A label column: ``codes`` index into ``labels`` (in order, distinct); -1 is a missing label.

    ``levels`` are all categories in their declared order, including those that do not occur. If no
    order was declared, it is empty and the labels are in the order of :func:`in_order`.
    """

    codes: NDArray[Any]
    labels: tuple[Label, ...]
    levels: tuple[Label, ...] = field(default=(), repr=False)

    @property
    def missing(self) -> int:
        """Return the number of rows without a label."""
        return int(np.count_nonzero(self.codes < 0))

    def kept(self, keep: Any) -> Coded:
        """Return the selected rows, by a mask or by indices."""
        return Coded(self.codes[keep], self.labels, self.levels)

    def sorted(self) -> Coded:
        """Return the same column with only the labels that occur, in order."""
        counts = np.bincount(self.codes.astype(np.intp) + 1, minlength=len(self.labels) + 1)
        place = {self.labels[i]: i for i in np.flatnonzero(counts[1:]).tolist()}
        labels = in_order(place, self.levels)
        table = np.full(len(counts), -1, dtype=np.intp)
        table[[place[label] for label in labels]] = np.arange(len(labels))
        return Coded(table[self.codes], labels, self.levels)


_NUMERAL = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def in_order(labels: Iterable[Label], levels: Sequence[Label] = ()) -> tuple[Label, ...]:
    """Return labels in their declared order if it includes them all, else sorted.

    Texts that are all numbers are sorted by these numbers.

    >>> in_order(["9", "10", "2"]), in_order({"a", "b"}), in_order({"a", "b"}, ["b", "a"])
    (('2', '9', '10'), ('a', 'b'), ('b', 'a'))
    """
    result, place = sorted(labels), {level: i for i, level in enumerate(levels)}
    if place and all(label in place for label in result):
        result.sort(key=place.__getitem__)
    elif are_numbers(result):
        result.sort(key=float)
    return tuple(result)


def are_numbers(labels: Iterable[Label]) -> bool:
    """Return whether labels are numbers, or texts that are numbers."""
    return all(not isinstance(v, str) or _NUMERAL.fullmatch(v) for v in labels)


def is_alphabetical(labels: Sequence[Label]) -> bool:
    """Return whether the label order is only alphabetical: three or more texts.

    The order of two classes is irrelevant, and numbers are ordered by value.

    >>> is_alphabetical(["high", "low", "medium"]), is_alphabetical(["low", "medium", "high"])
    (True, False)
    """
    return len(labels) > 2 and not are_numbers(labels) and list(labels) == sorted(labels)


def declared_levels(columns: Mapping[str, Coded]) -> tuple[Label, ...]:
    """Return the order declared for the labels of several columns: the longest one declared.

    Raises
    ------
    InputError
        Two columns that order the same categories differently.

    """
    declared = sorted(
        ((n, c.levels) for n, c in columns.items() if c.levels), key=lambda item: -len(item[1])
    )
    if not declared:
        return ()
    name, longest = declared[0]
    place = {level: i for i, level in enumerate(longest)}
    for other, levels in declared[1:]:
        shared = [level for level in levels if level in place]
        if sorted(shared, key=place.__getitem__) != shared:
            raise InputError(
                f"{name} declares the order {listed(longest)} and {other} {listed(levels)}; "
                "declare one order for both"
            )
    return longest


def at(index: int, first_row: int | None = None) -> str:
    """Return the place of a row for messages: ``index 3`` of an array or ``row 4`` of a file."""
    return f"index {index}" if first_row is None else f"row {first_row + index + 1}"


MOST_NAMED = 8
"""Most arrays whose lengths a message lists."""


def same_length(**columns: Any) -> int:
    """Return the common length of the named columns; raise InputError that names unequal ones."""
    sizes = {name: len(c) for name, c in columns.items() if c is not None}
    if len({*sizes.values()}) > 1:
        first = [f"{name} has {size:,}" for name, size in sizes.items()][:MOST_NAMED]
        more = len(sizes) - len(first)
        end = f" and {more:,} more" if more else " rows"
        raise InputError(
            f"the lengths differ: {', '.join(first)}{end}; give every array the same rows"
        )
    return next(iter(sizes.values()))


def to_numpy(values: Any, name: str) -> NDArray[Any]:
    """Return one-dimensional values of any library as a NumPy array."""
    array = as_array(values, name)
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    if array.ndim != 1:
        raise InputError(
            f"{name} has shape {array.shape}; it must be one column, one entry for each row"
        )
    return array


def as_array(values: Any, name: str) -> NDArray[Any]:
    """Return values as a NumPy array with all their axes.

    They may be lists, also of lists, tensors, sparse matrices, or columns of any library, also of
    lists.

    >>> as_array([[0.1, 0.9], (0.8, 0.2)], "y_score").shape
    (2, 2)
    """
    if type(values) is np.ndarray and values.dtype.kind in "biuf":
        return values
    values = _unmasked(values) if is_masked(values) else _untensored(values, name)
    if isinstance(values, list | tuple | range):
        values = _from_list(values, name)
    elif hasattr(values, "__array__") and not hasattr(values, "dtype"):
        values = np.asarray(values)
    elif not isinstance(values, np.ndarray):
        values = series_to_numpy(values, name)
    if values.dtype.kind == "O" and values.ndim == 1 and len(values) and _is_row(values[0]):
        return _from_list(list(values), name)  # a column of lists
    # Variable-length NumPy texts are converted to objects.
    return np.asarray(values.astype(object) if values.dtype.kind == "T" else values)


def _is_row(value: Any) -> bool:
    return isinstance(value, list | tuple | np.ndarray) or hasattr(value, "detach")


def _untensored(values: Any, name: str) -> Any:
    """Return a tensor or a sparse matrix as a NumPy array; other values unchanged.

    PyTorch tensors may be on a device, require a gradient, or have a type that NumPy lacks;
    TensorFlow's convert themselves. No library is imported.
    """
    if type(values) is np.ndarray:
        return values
    if hasattr(values, "detach") and hasattr(values, "cpu"):
        return _of_torch(values, name)
    if hasattr(values, "toarray") and hasattr(values, "nnz"):  # of SciPy
        return values.toarray()
    if not hasattr(values, "dtype") or hasattr(values, "columns") or isinstance(values, np.generic):
        return values
    if type(values).__module__.partition(".")[0] in _TENSORS:
        array = np.asarray(values.numpy() if hasattr(values, "numpy") else values)
        # bfloat16 arrives as a type of its own that is not a NumPy number.
        return array.astype(np.float32) if array.dtype.kind == "V" else array
    return values


def _of_torch(values: Any, name: str) -> NDArray[Any]:
    try:
        values = values.detach().cpu()
        values = values.to_dense() if values.is_sparse else values
        values = values.float() if str(values.dtype) == "torch.bfloat16" else values
        return np.asarray(values.numpy())
    except (RuntimeError, TypeError, NotImplementedError) as error:
        why = str(error).split("\n")[0].rstrip(".")
        raise InputError(
            f"{name} is a tensor that NumPy cannot read ({why}); give it as plain numbers in "
            "memory, such as tensor.float().cpu()"
        ) from None


_TENSORS = ("tensorflow", "jax", "jaxlib", "keras")
"""Modules whose arrays NumPy can read, except for their own number types."""


def is_masked(values: Any) -> bool:
    """Return whether an array is a NumPy masked array, whose data alone hides missing values."""
    return isinstance(values, np.ndarray) and hasattr(values, "mask")


def _unmasked(values: Any) -> NDArray[Any]:
    """Return a masked array with None, or NaN among floats, for masked values."""
    if values.dtype.kind == "f":
        return np.asarray(values.astype(np.float64).filled(np.nan))
    array = np.array(values.data, dtype=object)
    array[np.ma.getmaskarray(values)] = None
    return array


def plain_label(label: Any) -> Label:
    """Return a label as a Python value: NumPy numbers cannot be written to JSON."""
    plain: Label = label.item() if isinstance(label, np.generic) else label
    return plain.decode() if isinstance(plain, bytes) else plain


def kernel_integers(array: NDArray[Any]) -> NDArray[Any] | None:
    """Return integers or booleans in a type that the kernels read, or None."""
    if is_masked(array):
        return None
    if array.dtype.kind == "b":
        return array.view(np.uint8)
    if array.dtype.kind not in "iu" or not array.dtype.isnative or array.ndim != 1:
        return None
    if array.dtype == np.uint64:
        if array.size and int(array.max()) > np.iinfo(np.int64).max:
            return None
        array = array.view(np.int64)
    return np.ascontiguousarray(array)


def _from_list(values: Sequence[Any], name: str) -> NDArray[Any]:
    """Return an array of a list in which 1 and "1" stay different values."""
    if len(values) and hasattr(values[0], "detach"):
        values = [_untensored(v, name) for v in values]
    kinds = {type(v) for v in values}
    numbers = all(issubclass(k, _NUMBERS) and k is not bool for k in kinds)
    texts = kinds <= {str, np.str_}
    if texts and "\0" in "".join(values):  # NumPy would drop it at the end of a text
        return np.array(values, dtype=object)
    if numbers or kinds <= {bool, np.bool_} or texts:
        with np.errstate(over="ignore"):  # a half float among others
            array = np.asarray(values)
        # np.float64 makes the comparison exact for half floats too.
        if not numbers or array.dtype.kind != "f" or not (abs(array) >= np.float64(_EXACT)).any():
            return array
        if all(issubclass(k, int | np.integer) for k in kinds):  # which NumPy has rounded
            with suppress(OverflowError):
                return np.array(values, dtype=np.uint64)
        return np.array(values, dtype=object)
    if all(issubclass(k, list | tuple | np.ndarray) for k in kinds):
        try:
            return np.asarray(values)
        except ValueError:
            raise _ragged(values, name) from None
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _ragged(values: Sequence[Any], name: str) -> InputError:
    sizes: dict[int, int] = {}
    for i, row in enumerate(values):
        sizes.setdefault(len(row), i)
    first = " and ".join(f"{size} at index {i}" for size, i in list(sizes.items())[:2])
    return InputError(
        f"{name} has rows of different lengths ({first}); give every row one entry per column"
    )


_NUMBERS = (int, float, np.integer, np.floating)

_EXACT = 2.0**53
"""The largest magnitude up to which float64 represents every integer."""


def code_labels(
    values: Any,
    name: str,
    first_row: int | None = None,
    most: int = MAX_CLASSES,
    rows: int | None = None,
) -> Coded:
    """Return a column of labels as codes; missing ones (None, NaN, NaT) get -1.

    At most ``most`` distinct labels are allowed; :data:`MOST_SUBGROUPS` for subgroups. ``rows`` is
    how many rows the values stand for, if they are the distinct ones.

    >>> code_labels(["no", "yes", None, "no"], "y_true")
    Coded(codes=array([ 0,  1, -1,  0]), labels=('no', 'yes'))
    """
    if isinstance(values, Coded):
        return values
    coded, array = encoded(values), None
    if coded is None:
        array = to_numpy(values, name)
        coded = None if array is values else encoded(array)
    if coded is not None and len(coded.labels) <= min(most, MANY_CLASSES):
        return _without_blank(coded.sorted())
    array = to_numpy(values, name) if array is None else array
    present, missing = _plain_values(array, name, first_row, most)
    codes, labels = _distinct(present)
    if most == MAX_CLASSES:
        refuse_identifiers(name, len(labels), len(codes) if rows is None else rows)
    refuse_too_many(name, len(labels), most)
    coded = Coded(_spread(codes, missing), tuple(labels.tolist()))
    return _without_blank(coded.sorted()) if present.dtype.kind in "UO" else coded


def _without_blank(coded: Coded) -> Coded:
    """Return labels with blank texts as missing, as in files."""
    labels = tuple(c for c in coded.labels if not is_blank(c))
    if len(labels) == len(coded.labels):
        return coded
    table = np.array([labels.index(c) if c in labels else -1 for c in coded.labels] + [-1])
    return replace(coded, codes=table[coded.codes].astype(np.intp), labels=labels)


def is_blank(label: Label) -> bool:
    """Return whether a label is a blank text, which cannot name a class."""
    return isinstance(label, str) and not label.strip()


def code_groups(values: Any, name: str, first_row: int | None = None) -> Codes:
    """Return a column of clusters as codes; missing ones get -1.

    Any number of distinct texts, integers or booleans is allowed. They are numbered by first
    occurrence, since the names of clusters do not matter.

    >>> code_groups(["anna", "bo", None, "anna"], "patient")
    array([ 0,  1, -1,  0])
    """
    present, missing = _plain_values(to_numpy(values, name), name, first_row, 0)
    return _spread(first_come(present), missing)


def _plain_values(
    array: NDArray[Any], name: str, first_row: int | None, most: int
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Return the values of labels, or of clusters if ``most`` is 0, and a mask of missing.

    The values are integers, booleans or texts, without the missing ones.
    """
    needs = "labels must be integers, strings or booleans"
    if not most:
        needs = "say which rows belong together by integers or strings"
    kind = array.dtype.kind
    if kind == "M" and most != MAX_CLASSES:  # dates name subgroups and clusters, not classes
        return _dates(array, name, first_row)
    if kind in "biu":
        return array, None
    if kind in "US":
        return _texts(array, name), None
    if kind == "O":
        missing = np.fromiter((_is_missing(v) for v in array), dtype=bool, count=len(array))
        present = array[~missing]
        first = {_kind(v): v for v in present[::-1]}
        if not most and first.keys() == {"boolean", "number"}:
            del first["boolean"]
        if len(first) > 1:
            examples = " beside ".join(f"the {k} {first[k]!r}" for k in sorted(first))
            raise InputError(f"{name} mixes {examples}; make all labels of one type")
        if first.keys() <= {"text", "boolean"}:
            return present.astype(bool) if "boolean" in first else _texts(present, name), missing
        if first.keys() <= {"date", "datetime", "Timestamp"} and most != MAX_CLASSES:
            times = np.full(len(array), np.datetime64("NaT"), "M8[us]")
            times[~missing] = present.astype("M8[us]")
            return _dates(times, name, first_row)
        if first.keys() != {"number"}:
            ((original, value),) = first.items()
            place = at(int(np.argmin(missing)), first_row)
            raise InputError(f"{name} holds {value!r} at {place}, of type {original}; {needs}")
        array = np.full(len(missing), math.nan)
        array[~missing] = present.astype(np.float64)
    elif kind != "f":
        raise InputError(f"{name} holds values of type {array.dtype}; {needs}")
    array = array.astype(np.float64, copy=False)
    missing = np.isnan(array)
    whole = missing | ((array == np.trunc(array)) & (abs(array) < _EXACT))
    if not whole.all():
        where = int(np.argmin(whole))
        raise fraction_of_label(name, float(array[where]), at(where, first_row), most)
    return array[~missing].astype(np.int64), missing


class FractionError(InputError):
    """A number in a ``column`` that is not a class, subgroup or cluster."""

    column = ""


def fraction_of_label(name: str, value: float, place: str, most: int) -> FractionError:
    """Return the error for a number that is not a class, subgroup or cluster."""
    what = "which is not a class label; if the column is a score, give it as the score"
    if MAX_CLASSES != most > MANY_CLASSES:
        what = "which is not a subgroup; group the numbers into bands"
    elif not most:
        what = "which is not the name of a group of rows; give integers or strings"
    error = FractionError(f"{name} holds the number {value:.6g} at {place}, {what}")
    error.column = name
    return error


def _texts(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Return texts and bytes as texts; as objects if NumPy would drop trailing zeros."""
    if array.dtype.kind == "U":
        return array
    try:
        return _from_list([v.decode() if isinstance(v, bytes) else v for v in array], name)
    except UnicodeDecodeError:
        raise InputError(f"{name} holds bytes that are not UTF-8 text; decode them first") from None


def _distinct(values: NDArray[Any]) -> tuple[Codes, NDArray[Any]]:
    """Return the index of each value among the distinct ones, and these, sorted."""
    if values.dtype.kind in "biu" and values.size:
        low, high = map(int, ends_of(values))
        if high - low < 1 << 31:
            # 127 - (-128) overflows int8
            wide = values if values.dtype.itemsize == 8 else values.astype(np.int64)
            if low:
                wide = wide - wide.dtype.type(low)
            codes = wide.astype(np.intp, copy=False)
            if high - low < 2:  # both of them occur
                kind = values.dtype if values.dtype.kind == "b" else wide.dtype
                return codes, np.array([low, high][: high - low + 1], dtype=kind)
            codes, present = without_gaps(codes, high - low + 1)
            return codes, present.astype(wide.dtype) + wide.dtype.type(low)
    labels, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.intp, copy=False), labels


def ends_of(values: NDArray[Any]) -> tuple[Any, Any]:
    """Return the smallest and the largest value, NaN if any value is.

    NumPy finds the place of the smallest of few values in a third of the time that it needs for
    the value itself.

    >>> ends_of(np.array([0.5, 0.2, 0.9]))
    (np.float64(0.2), np.float64(0.9))
    """
    return values[values.argmin()], values[values.argmax()]


def without_gaps(codes: Codes, size: int) -> tuple[Codes, NDArray[np.intp]]:
    """Return codes below ``size`` renumbered without gaps, and the codes that occur.

    >>> codes, present = without_gaps(np.array([5, 2, 5]), 9)
    >>> codes.tolist(), present.tolist()
    ([1, 0, 1], [2, 5])
    """
    if size > max(4 * len(codes), 1 << 16):
        present, renamed = np.unique(codes, return_inverse=True)
        return renamed, present
    present = np.flatnonzero(np.bincount(codes, minlength=size))
    if len(present) == size:
        return codes, present
    anew = np.zeros(size, dtype=np.intp)
    anew[present] = np.arange(len(present))
    return anew[codes], present


def tables(
    shape: tuple[int, ...],
    places: Sequence[NDArray[Any]],
    weights: Floats | None,
    squares: Floats | None,
) -> tuple[Floats, Floats | None]:
    """Return the sums of weights, and of squared weights unless every row weighs 1."""
    counts = tabulate(shape, places, weights)
    return counts, None if squares is None else tabulate(shape, places, squares)


def tabulate(
    shape: tuple[int, ...], places: Sequence[NDArray[Any]], weights: NDArray[Any] | None = None
) -> Floats:
    """Return the number of rows per cell, or the sum of their weights.

    ``places`` are integers, one array of rows for each axis of ``shape``.

    >>> tabulate((2, 2), [np.array([0, 1, 1]), np.array([1, 0, 0])])
    array([[0., 1.],
           [2., 0.]])
    """
    size, n = math.prod(shape), len(places[0])
    total = np.zeros(size)
    # Blocks of rows keep the keys in the cache: writing and reading a key for every row takes
    # longer than counting.
    step = _STRETCH if size < _STRETCH else max(n, 1)
    for start in range(0, n, step):
        rows = slice(start, start + step)
        key = places[0][rows].astype(np.intp)
        for width, place in zip(shape[1:], places[1:], strict=True):
            key *= width
            key += place[rows]
        total += np.bincount(key, None if weights is None else weights[rows], minlength=size)
    return total.reshape(shape)


_STRETCH = 1 << 18
"""Rows per block."""


def first_come(values: NDArray[Any]) -> Codes:
    """Return codes of values from 0 up, numbered by first occurrence.

    >>> first_come(np.array([7, 2, 7, 5])).tolist()
    [0, 1, 0, 2]
    """
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    order = np.empty(len(first), dtype=np.intp)
    order[np.argsort(first)] = np.arange(len(first))
    return order[inverse.reshape(-1)]


def _dates(
    array: NDArray[Any], name: str, first_row: int | None
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return dates as sortable texts, without missing ones."""
    days, missing = array.astype("M8[D]"), np.isnat(array)
    timed = ~missing & (days.astype(array.dtype) != array)
    if timed.any():
        place = int(np.argmax(timed))
        raise InputError(
            f"{name} holds the time {array[place]} at {at(place, first_row)}; give dates"
        )
    return np.datetime_as_string(days[~missing]).astype(object), missing


def _kind(value: Any) -> str:
    if isinstance(value, str | bytes):
        return "text"
    if isinstance(value, bool | np.bool_):
        return "boolean"
    try:
        float(value)
    except (TypeError, ValueError):
        return type(value).__name__
    return "number"


def _is_missing(value: Any) -> bool:
    """Return whether a value is missing: None, NaN, NaT or pandas' NA, never equal to itself."""
    if value is None:
        return True
    try:
        return not bool(value == value)
    except TypeError:
        return True


def _spread(codes: Codes, missing: NDArray[np.bool_] | None) -> Codes:
    """Return the codes of all rows, -1 for missing."""
    if missing is None or not missing.any():
        return codes
    full = np.full(len(missing), -1, dtype=np.intp)
    full[~missing] = codes
    return full


def too_many_subgroups(names: Sequence[str], count: int | None = None) -> InputError:
    """Return the error for columns with too many subgroups to inspect."""
    columns, makes = " and ".join(map(repr, names)), "makes" if len(names) == 1 else "make"
    many = f"more than {MOST_SUBGROUPS:,} subgroups"
    many = many if count is None else f"{count:,} subgroups, more than {MOST_SUBGROUPS:,}"
    return InputError(
        f"{columns} {makes} {many}; group their values, such as into bands, or give fewer subgroup "
        "columns"
    )


def refuse_too_many(name: str, count: int, most: int, *, counted: bool = True) -> None:
    """Refuse more distinct values than there may be classes, or subgroups.

    ``counted`` says whether ``count`` is exact.
    """
    if count > most > MANY_CLASSES and most != MAX_CLASSES:
        raise too_many_subgroups([name], count if counted else None)
    if count > most:
        many = f"{count:,}" if counted else f"more than {most:,}"
        raise InputError(
            f"{name} holds {many} distinct values, too many for class labels (at most "
            f"{most:,} classes): is it an identifier or a measurement?"
        )


def refuse_identifiers(name: str, count: int, rows: int) -> None:
    """Refuse more than 1,000 classes with fewer than two rows each."""
    if count > MANY_CLASSES and rows < 2 * count:
        raise InputError(
            f"{name} holds {count:,} distinct values, too many for class labels (at most "
            f"{MANY_CLASSES:,} classes with fewer than two rows each): is it an identifier or a "
            "measurement?"
        )


def as_scores(values: Any, name: str, first_row: int | None = None) -> Floats:
    """Return a column of scores as float64, NaN for missing; infinite scores are refused.

    >>> as_scores([0.5, None, 1], "p")
    array([0.5, nan, 1. ])
    """
    array = to_numpy(values, name)
    if array.dtype.kind == "c":
        raise InputError(f"{name} holds complex numbers; give real ones")
    if array.dtype.kind not in "fiub":
        numbers = [_number(v, i, name, first_row) for i, v in enumerate(array)]
        if array.dtype.kind != "O":
            raise InputError(f"{name} holds text; give numbers")
        array = np.array(numbers, dtype=float)
    if array.dtype == np.float64:
        scores = np.ascontiguousarray(array)
    else:  # a longer float that overflows is refused as infinite
        with np.errstate(over="ignore", invalid="ignore"):
            scores = np.ascontiguousarray(array, dtype=np.float64)
    finite = not len(scores) or all(map(math.isfinite, ends_of(scores)))
    if not finite and np.isinf(scores).any():
        where = int(np.argmax(np.isinf(scores)))
        raise InputError(
            f"{name} is {scores[where]} at {at(where, first_row)}; give finite numbers or leave "
            "those rows out"
        )
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        _refuse_rounded(array, scores, name, first_row)
    return scores


def _refuse_rounded(
    integers: NDArray[Any], scores: Floats, name: str, first_row: int | None
) -> None:
    """Refuse integers that float64 cannot represent: distinct scores would become equal."""
    if not len(scores) or max(-float(scores.min()), float(scores.max())) < _EXACT:
        return
    below = np.nextafter(float(np.iinfo(integers.dtype).max), 0)  # casts of more are undefined
    rounded = np.minimum(scores, below).astype(integers.dtype) != integers
    if rounded.any():
        where = int(np.argmax(rounded))
        raise _rounded(int(integers[where]), where, name, first_row)


def _rounded(value: int, index: int, name: str, first_row: int | None) -> InputError:
    return InputError(
        f"{name} holds the integer {value} at {at(index, first_row)}, which float64 would round; "
        "give ranks, or subtract a constant"
    )


def _number(value: Any, index: int, name: str, first_row: int | None) -> float:
    if _is_missing(value):
        return math.nan
    if not isinstance(value, str | bytes):
        try:
            number = float(value)
        except (TypeError, ValueError):
            pass
        except OverflowError:
            return math.inf
        else:
            if isinstance(value, int | np.integer) and number != int(value):
                raise _rounded(int(value), index, name, first_row)
            return number
    text = str(value) if isinstance(value, str) else value  # not NumPy's np.str_(...)
    raise InputError(
        f"{name} holds {text!r} at {at(index, first_row)}, which is not a number; give numbers"
    )


def as_weights(values: Any, name: str, first_row: int | None = None) -> Floats | None:
    """Return a column of sampling weights as float64, each 0 or within 1e-60 to 1e60.

    Tallies sum squared weights, and metrics multiply four sums: products of larger weights would
    overflow, and of smaller ones underflow. Tallies of chunks are added, so weights cannot be
    scaled per chunk.
    """
    if values is None:
        return None
    weights = as_scores(values, name, first_row)
    bad = ~(weights >= 0)
    if bad.any():
        where = int(np.argmax(bad))
        what = "missing" if np.isnan(weights[where]) else f"{weights[where]:.6g}"
        raise InputError(
            f"{name} is {what} at {at(where, first_row)}; a weight is a number, zero or more"
        )
    if len(weights) and not 1e-60 <= weights.min() <= weights.max() <= 1e60:
        extreme = (weights > 1e60) | ((weights < 1e-60) & (weights > 0))
        if extreme.any():
            where = int(np.argmax(extreme))
            raise InputError(
                f"{name} is {weights[where]:.6g} at {at(where, first_row)}, beyond 1e-60 to 1e60, "
                "where float64 loses products of weights; multiply all weights by one constant, or "
                "make negligible ones 0"
            )
    return weights


def as_counts(values: Any, name: str) -> Floats:
    """Return a column of row counts as float64."""
    counts = as_weights(values, name)
    if counts is None:
        raise InputError(f"{name} is None; give how many rows each line stands for")
    broken = counts != np.trunc(counts)
    if broken.any():
        where = int(np.argmax(broken))
        raise InputError(
            f"{name} is {counts[where]:.6g} at index {where}; counts are whole numbers"
        )
    return counts


def join_labels(
    columns: dict[str, Coded], labels: Sequence[Label] | None = None
) -> tuple[tuple[Label, ...], list[Codes]]:
    """Return several label columns with one common list of labels, in order or as given.

    The order is the one declared for the categories of a column if it includes all labels, else
    that of :func:`in_order`.

    >>> join_labels({"y_true": code_labels([0, 2], "y_true"), "y_pred": code_labels([1, 2], "p")})
    ((0, 1, 2), [array([0, 2]), array([1, 2])])
    """
    examples = {
        isinstance(c.labels[0], str): (n, c.labels[0])
        for n, c in reversed(columns.items())
        if c.labels
    }
    if len(examples) > 1:
        (text_name, text), (number_name, number) = examples[True], examples[False]
        raise InputError(
            f"{text_name} holds strings such as {text!r} and {number_name} holds numbers such as "
            f"{number!r}; give both columns the same type"
        )
    result: set[Label] = set().union(*(c.labels for c in columns.values()))
    if labels is None:
        everything = in_order(result, declared_levels(columns))
    else:
        everything = tuple(plain_label(label) for label in labels)
        known = set(everything)
        if len(known) < len(everything):
            raise InputError(f"a class is listed twice: {list(everything)}")
        for name, column in columns.items():
            for label in column.labels:
                if label not in known:
                    raise InputError(
                        f"{name} holds the label {label!r}, which is none of the classes named: "
                        f"{listed(everything)}; name it too, or leave its rows out"
                    )
    place = {label: i for i, label in enumerate(everything)}
    joined = []
    for column in columns.values():
        if column.labels == everything:
            joined.append(column.codes)
            continue
        table = np.array([place[label] for label in column.labels] + [-1], dtype=np.intp)
        joined.append(table[column.codes])
    return everything, joined


def find_positive(labels: Sequence[Label], positive: Label | None) -> Label:
    """Return the positive class: the one given, or the one of two that is clearly positive.

    Clearly positive are 1 of {0, 1}, True of {False, True} and 1 of {-1, 1}, also if only one of
    the two occurs; for two texts, the words of :mod:`tallymark.tally.polarity` decide.

    >>> find_positive((0, 1), None), find_positive(("malignant", "benign"), None)
    (1, 'malignant')
    """
    if positive is not None:
        if positive not in labels and len(labels) > 1:
            raise InputError(
                f"the positive class {positive!r} does not occur; the classes are {listed(labels)}"
            )
        if labels and isinstance(positive, str) != isinstance(labels[0], str):
            raise InputError(
                f"the positive class {positive!r} and the labels {listed(labels)} are of "
                "different types; give the positive class as it stands in the data"
            )
        # The label as in the data: 1 for True if the labels are 0 and 1.
        return next((label for label in labels if label == positive), plain_label(positive))
    if (certain := unmistakable(labels)) is not None:
        return certain
    present = (
        f"classes are {listed(labels)}" if len(labels) > 1 else f"only class is {listed(labels)}"
    )
    say = " or ".join(f"positive={label!r}" for label in labels[:2])
    raise InputError(f"which class is positive? The {present}; say {say}")


def unmistakable(labels: Sequence[Label]) -> Label | None:
    """Return the class that is clearly positive, None if the user must name it."""
    if set(labels) <= {0, 1} or set(labels) <= {-1, 1}:
        return True if labels and isinstance(labels[0], bool) else 1
    if len(labels) == 2:
        for label, other in (labels, labels[::-1]):
            if is_positive(label, other):
                return label
    return None


LEAVE_OUT = "say missing='drop' to leave those rows out"
"""What to do where a value is missing in some rows."""


def keep_complete(
    columns: Mapping[str, Coded | Floats | Codes],
    missing: str,
    first_row: int | None = None,
    *,
    remedy: str | Callable[[], str] = LEAVE_OUT,
) -> NDArray[np.bool_] | None:
    """Return which rows have every column, None when all have; ``missing="error"`` refuses.

    Integers are codes, missing if below 0. ``remedy`` is advice for missing values, or returns it.
    """
    keep, gaps = None, {}
    for name, column in columns.items():
        values = column.codes if isinstance(column, Coded) else column
        if not len(values) or values[values.argmin()] >= 0:  # which is NaN if any value is
            continue
        absent = values < 0 if values.dtype.kind == "i" else np.isnan(values)
        if absent.any():
            where = f", first at {at(int(np.argmax(absent)), first_row)}"
            gaps[name] = int(np.count_nonzero(absent)), where
            keep = ~absent if keep is None else keep & ~absent
    if gaps and missing == "error":
        raise incomplete(gaps, remedy=remedy if isinstance(remedy, str) else remedy())
    return keep


def whole_rows(
    columns: Mapping[str, Coded | Floats],
    sample_weight: Any,
    missing: str,
    first_row: int | None = None,
) -> tuple[dict[str, Any], Floats | None]:
    """Return columns of equal length and their weights, for complete rows only."""
    weights = as_weights(sample_weight, "sample_weight", first_row)
    rows = {n: c.codes if isinstance(c, Coded) else c for n, c in columns.items()}
    same_length(**rows, sample_weight=weights)
    keep = keep_complete(columns, missing, first_row)
    if keep is None:
        return dict(columns), weights
    some = {n: c.kept(keep) if isinstance(c, Coded) else c[keep] for n, c in columns.items()}
    return some, None if weights is None else weights[keep]


def incomplete(
    gaps: Mapping[str, tuple[int, str]], limit: int = 8, *, remedy: str = LEAVE_OUT
) -> InputError:
    """Return the error for missing values, with their number and the first place.

    >>> print(incomplete({"y_true": (1, ", first at index 3"), "y_score": (20, "")}))
    y_true is missing in 1 row, first at index 3, and y_score in 20 rows; correct the data, or say \
missing='drop' to leave those rows out
    """
    parts = [
        f"{name} {'' if i else 'is missing '}in {many(count, 'row')}{where}"
        for i, (name, (count, where)) in enumerate(list(gaps.items())[:limit])
    ]
    if len(gaps) > limit:
        parts.append(f"{len(gaps) - limit} more columns")
    return InputError(f"{', and '.join(parts)}; correct the data, or {remedy}")


def encoded(values: Any) -> Coded | None:
    """Return a column of texts or categories as codes and labels, None for other columns.

    The codes are integers of any type, and the labels in any order.

    >>> encoded(np.array(["yes", "no", None, "yes"], dtype=object))
    Coded(codes=array([ 0,  1, -1,  0], dtype=int16), labels=('yes', 'no'))
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
        if "str" not in str(dtype):  # pandas would convert numbers to Arrow first
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
    if numbered is None:
        return None
    return Coded(numbered[0], tuple(numbered[1]), _levels(values, home))


def _of_rows(array: NDArray[Any]) -> Coded | None:
    kind = array.dtype.kind
    if kind not in "UO":
        return None
    usable = array.ndim == 1 and array.dtype.isnative and array.dtype.itemsize > 0
    if not usable or hasattr(array, "mask"):
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
    # NumPy pads texts with zeros; objects have their own length.
    return Coded(codes, tuple(v.rstrip("\0") for v in labels) if kind == "U" else tuple(labels))


def _of_categories(values: Any) -> Coded | None:
    labels = list(values.categories)
    codes = np.ascontiguousarray(values.codes)
    for kinds, plain in (((str,), str), ((bool, np.bool_), bool), ((int, np.integer), int)):
        if all(isinstance(v, kinds) for v in labels):
            categories = tuple(plain(v) for v in labels)
            return Coded(codes, categories, categories if values.ordered else ())
    return None


def _levels(values: Any, home: str) -> tuple[Label, ...]:
    """Return the order that the type of a column of Polars or Arrow declares for its texts."""
    if home == "polars":
        enum = type(values.dtype).__name__ == "Enum"
        return tuple(values.dtype.categories.to_list()) if enum else ()
    dictionary = getattr(getattr(values, "dtype", None), "pyarrow_dtype", None)  # in pandas
    kind = dictionary or getattr(values, "type", None)
    if not getattr(kind, "ordered", False):
        return ()
    if home == "pandas":
        values = values.array.__arrow_array__()
    chunks = values.unify_dictionaries().chunks if hasattr(values, "chunks") else [values]
    return tuple(chunks[-1].dictionary.to_pylist()) if chunks else ()


def is_table(data: Any) -> bool:
    """Return whether data are a frame of any library."""
    if data is None or isinstance(data, np.ndarray | list | tuple | dict | str | range):
        return False
    import narwhals as nw

    try:
        frame = narwhals_frame(data, pass_through=True)
    except Exception:  # duplicate column names, which FrameTable reports
        return hasattr(data, "columns")
    return isinstance(frame, nw.DataFrame | nw.LazyFrame)


def narwhals_frame(data: Any, **options: Any) -> Any:
    """Return a Narwhals frame, without warnings of libraries about their own versions."""
    import narwhals as nw

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = nw.from_native(data, **options)
        if isinstance(frame, nw.LazyFrame):
            frame.collect_schema()
        return frame


def frame_in_memory(data: Any, name: str = "the data frame") -> Any:
    """Return a frame of any library as a collected Narwhals frame with a name per column."""
    try:
        frame = narwhals_frame(data)
    except Exception as error:  # a frame with an invalid schema
        if "unique" in str(error).lower() or "duplicate" in str(error).lower():
            raise InputError(
                "the data frame has two columns with the same name; rename one"
            ) from None
        raise InputError(
            f"{type(data).__name__} is neither an array nor a frame; give arrays, a frame or the "
            "path of a file"
        ) from None
    refuse_duplicates([str(n) for n in frame.collect_schema().names()], name)
    return frame.collect() if hasattr(frame, "collect") else frame


def refuse_duplicates(names: Sequence[str], where: str, fold: bool = False) -> None:
    """Refuse two columns of one name; with ``fold`` also where only upper and lower case differ."""
    by_key: dict[str, str] = {}
    for name in names:
        key = name.lower() if fold else name
        other = by_key.get(key)
        if other == name:
            raise InputError(f"{where} has two columns called {name!r}; rename one of them")
        if other is not None:
            raise InputError(
                f"{where} has the columns {other!r} and {name!r}, which differ in upper and lower "
                "case only; rename one of them"
            )
        by_key[key] = name


def matrix_to_numpy(data: Any) -> tuple[Floats, tuple[str, ...]]:
    """Return a frame of score columns as an array (n, K) and its column names."""
    frame = frame_in_memory(data)
    columns = {str(n): frame.get_column(n).to_native() for n in frame.columns}
    if not columns:
        raise InputError("the data frame of scores has no columns; give one column per class")
    scores = [as_scores(series_to_numpy(values, n), n, 0) for n, values in columns.items()]
    return np.stack(scores, axis=1), tuple(columns)


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
            return np.asarray(series)  # an index or a tensor
        raise InputError(
            f"{name} is {_a(type(series).__name__)}; give a list, an array, or a column of a frame"
        ) from None
    if column.dtype.is_numeric():
        if column.dtype.is_decimal():
            # Arrow multiplies by an inexact power of ten: 0.70 would not be 0.7.
            return np.array([np.nan if v is None else float(v) for v in column.to_list()])
        if column.null_count() or column.dtype in (nw.Int128, nw.UInt128):
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


def as_list(column: Any) -> list[Any]:
    """Return the values of a column of any library as Python values."""
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, name):
            values = getattr(column, name)()
            return list(values) if isinstance(values, Iterable) else [values]  # of no axis
    return list(column)


def _a(noun: str) -> str:
    return ("an " if noun[:1].lower() in "aeiou" else "a ") + noun
