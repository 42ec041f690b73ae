"""Drop-in functions: plain arrays are counted, other input is passed on to scikit-learn."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np
import sklearn.calibration
import sklearn.metrics
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils._param_validation import make_constraint

from tallymark import InputError
from tallymark.core import Coded, code_labels

Array = NDArray[Any]
Answer = TypeVar("Answer")


class UnusualError(Exception):
    """Arrays or arguments that scikit-learn's own function converts, warns of or refuses."""


def drop_in(function: Callable[..., Answer]) -> Callable[..., Answer]:
    """Return scikit-learn's function of this name, answered by ours where possible.

    The signature, its defaults and the rules for arguments are scikit-learn's; only an argument
    that older versions lack has its default in the function, too. Whatever the function leaves
    alone by raising an UnusualError goes to scikit-learn's, and is answered or refused in its
    words: its checks of arrays take longer than counting ten thousand rows.
    """
    name = function.__name__
    theirs = getattr(sklearn.metrics, name, None) or getattr(sklearn.calibration, name)
    signature = inspect.signature(theirs)
    defaults = {
        p.name: p.default
        for p in signature.parameters.values()
        if p.kind is p.KEYWORD_ONLY and p.default is not p.empty
    }
    rules = {
        argument: [make_constraint(kind) for kind in allowed]
        for argument, allowed in theirs._skl_parameter_constraints.items()
        if allowed != "no_validation"
    }

    @wraps(function)
    def answer(*args: Any, **options: Any) -> Any:
        args = tuple(map(on_the_host, args))
        options = {argument: on_the_host(value) for argument, value in options.items()}
        try:
            if all(
                any(rule.is_satisfied_by(value) for rule in rules[argument])
                for argument, value in options.items()
                if argument in rules
            ):
                return function(*args, **{**defaults, **options})
        except UnusualError:
            pass
        return theirs(*args, **options)

    answer.__signature__ = signature  # type: ignore[attr-defined]
    return answer


def on_the_host(value: Any) -> Any:
    """Return the array of another library, on any device, as NumPy's; else the value itself.

    >>> on_the_host([1, 0])
    [1, 0]
    """
    if type(value) is np.ndarray or not hasattr(value, "__dlpack__"):
        return value
    for step in ("detach", "cpu"):  # away from the gradient and from the accelerator
        value = getattr(value, step)() if hasattr(value, step) else value
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError, ValueError):  # scikit-learn converts or refuses
        return value


# -- arrays --------------------------------------------------------------------------------------


def plain(y: Any) -> Array:
    """Return a list, a series or an array as an array.

    >>> plain([1, 0]), plain(["b", "a"])
    (array([1, 0]), array(['b', 'a'], dtype='<U1'))
    """
    if type(y) is list:
        try:
            values = np.array(y)
        except ValueError:  # rows of different lengths
            raise UnusualError from None
        if values.dtype.kind == "U" and set(map(type, y)) != {str}:
            raise UnusualError
        y = values
    elif hasattr(y, "to_numpy"):
        y = y.to_numpy()
    if type(y) is not np.ndarray or not y.size:
        raise UnusualError
    return y


def numbers(y: Any) -> Array:
    """Return an array of finite numbers.

    >>> numbers([0.5, 1])
    array([0.5, 1. ])
    """
    values = plain(y)
    kind = values.dtype.kind
    if kind not in "biuf" or values.itemsize > 8 or (kind == "f" and not np.isfinite(values).all()):
        raise UnusualError
    return values


def coded(y: Any) -> Coded:
    """Return a column of labels as codes: integers, booleans, texts, or floats without fractions.

    >>> coded(["b", "a", "b"])
    Coded(codes=array([1, 0, 1]), labels=('a', 'b'))
    """
    values = plain(y)
    if values.ndim != 1 or values.dtype.kind not in "biufUO":
        raise UnusualError
    try:
        column = code_labels(values, "y")
    except InputError:  # too many for classes, or no labels at all
        raise UnusualError from None
    if column.missing or (values.dtype.kind == "O" and not isinstance(column.labels[0], str)):
        raise UnusualError
    return column


def marks_of(table: Array) -> Array:
    """Return several labels a row, a table of several columns of 0 and 1, as booleans."""
    if table.ndim != 2 or table.shape[1] < 2 or table.dtype.kind not in "biu":
        raise UnusualError
    if table.min() < 0 or table.max() > 1:
        raise UnusualError
    return table.astype(bool)


def weights_of(sample_weight: Any, rows: int) -> Array | None:
    """Return sampling weights as one number a row, None where there are none.

    >>> weights_of([2, 0.5, 1], 3)
    array([2. , 0.5, 1. ])
    """
    if sample_weight is None:
        return None
    weights = numbers(sample_weight)
    if weights.shape != (rows,) or not weights.any():
        raise UnusualError
    if weights.dtype.kind != "f" and np.abs(weights.astype(np.float64)).sum() >= 2**53:
        raise UnusualError  # beyond what a double counts
    return weights


def positive_of(pos_label: Any, classes: tuple[Any, ...]) -> Any:
    """Return the positive class: the one given, or 1 of {0, 1}, {-1, 1} and their parts."""
    if pos_label is None and classes not in ((0, 1), (-1, 1), (0,), (-1,), (1,)):
        raise UnusualError
    return 1 if pos_label is None else pos_label


# -- answers -------------------------------------------------------------------------------------


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called the drop-in, from any depth."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def undefined(message: str) -> None:
    """Warn that a metric is not defined."""
    warn(message, UndefinedMetricWarning)


def mean(values: Array, weights: Any = None) -> Any:
    """Return the average of each line's defined values, unweighted where no weight is left.

    >>> float(mean(np.array([1.0, np.nan, 0.0]), np.array([3, 9, 1])))
    0.75
    """
    if math.isnan(values.sum()):
        if values.ndim > 1:
            return np.array([mean(line, weights) for line in values])
        defined = ~np.isnan(values)
        if not defined.any():
            return math.nan
        values, weights = values[defined], None if weights is None else weights[defined]
    total = 0.0 if weights is None else weights.sum(dtype=np.float64)
    if not total:
        return values.sum(-1) / values.shape[-1]
    return (values * weights).sum(-1) / total
