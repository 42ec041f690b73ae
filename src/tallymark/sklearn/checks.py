"""What scikit-learn asks of arguments: parameters, weights, the positive class, averages."""

from __future__ import annotations

import inspect
import math
import operator
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import utils
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.multiclass import type_of_target

from tallymark.errors import InputError
from tallymark.tally.arrays import code_labels
from tallymark.tally.labels import count_few

Array = NDArray[Any]
Rule = tuple[Callable[[Any], bool], str]

_WHOLE_NUMBERS = (int, np.integer)
_BOOLEANS = (bool, np.bool_)
_NAMES = (str, *_BOOLEANS)


class ParameterError(InputError, TypeError):
    """A parameter has a value that it cannot have; scikit-learn's is a ValueError and a TypeError.

    >>> issubclass(ParameterError, ValueError) and issubclass(ParameterError, TypeError)
    True
    """


def one_of(*words: str | None) -> Rule:
    """Return the rule that a parameter is one of these words."""
    return (
        lambda v: (v is None and None in words) or (isinstance(v, str) and v in words),
        "one of " + ", ".join(repr(w) for w in words),
    )


def _is_nan(v: Any) -> bool:
    return isinstance(v, float) and math.isnan(v)


def _is_warn(v: Any) -> bool:
    return isinstance(v, str) and v == "warn"


def _whole_from(least: int) -> Rule:
    return (
        lambda v: isinstance(v, _WHOLE_NUMBERS) and bool(v >= least),
        f"an int, {least} or more",
    )


def _is_number(v: Any) -> bool:
    return isinstance(v, Real)


def _is_real(v: Any) -> bool:
    return _is_number(v) and not isinstance(v, bool)


def _array_like(v: Any) -> bool:
    if isinstance(v, str) or hasattr(v, "tocsr"):  # a text, or a sparse matrix
        return False
    return hasattr(v, "__len__") or hasattr(v, "__array__")


_BOOLEAN: Rule = (lambda v: isinstance(v, _BOOLEANS), "a bool")
_POS_LABEL: Rule = (
    lambda v: v is None or isinstance(v, _NAMES) or _is_number(v),
    "a real number, a str, a bool or None",
)
_RULES: dict[str, Rule] = {
    "adjusted": _BOOLEAN,
    "average": one_of("binary", "macro", "micro", "samples", "weighted", None),
    "beta": (lambda v: _is_real(v) and v >= 0, "a number, zero or more"),
    "digits": _whole_from(0),
    "drop_intermediate": _BOOLEAN,
    "k": _whole_from(1),
    "max_fpr": (lambda v: v is None or (_is_real(v) and 0 < v <= 1), "in the range (0, 1] or None"),
    "multi_class": one_of("raise", "ovr", "ovo"),
    "n_bins": _whole_from(1),
    "normalize": _BOOLEAN,
    "output_dict": _BOOLEAN,
    "pos_label": _POS_LABEL,
    "sample_weight": (lambda v: v is None or _array_like(v), "an array-like or None"),
    "samplewise": _BOOLEAN,
    "scale_by_half": (lambda v: _BOOLEAN[0](v) or v == "auto", "a bool or 'auto'"),
    "strategy": one_of("uniform", "quantile"),
    "weights": one_of("linear", "quadratic", None),
    "zero_division": (
        lambda v: _is_nan(v) or _is_warn(v) or (_is_real(v) and v in (0, 1)),
        "one of 0.0, 1.0, nan or 'warn'",
    ),
    "average_precision_score.average": one_of("macro", "micro", "samples", "weighted", None),
    "average_precision_score.pos_label": (
        lambda v: v is not None and _POS_LABEL[0](v),
        "a real number, a str or a bool",
    ),
    "class_likelihood_ratios.replace_undefined_by": (
        lambda v: isinstance(v, dict) or _is_nan(v) or (_is_real(v) and v == 1.0),
        "1.0, nan or a dict",
    ),
    "cohen_kappa_score.replace_undefined_by": (
        lambda v: _is_nan(v) or (_is_real(v) and -1 <= v <= 1),
        "nan or in the range [-1.0, 1.0]",
    ),
    "confusion_matrix.normalize": one_of("all", "pred", "true", None),
    "jaccard_score.zero_division": (
        lambda v: _is_warn(v) or (_is_real(v) and v in (0, 1)),
        "one of 0, 1 or 'warn'",
    ),
    "roc_auc_score.average": one_of("macro", "micro", "samples", "weighted", None),
}  # fmt: skip


@cache
def _rule(function: str, name: str) -> Rule:
    """Return the rule of a parameter of this function, or of any."""
    return _RULES.get(f"{function}.{name}") or _RULES[name]


def check(function: str, arrays: Sequence[Any] = (), /, **parameters: Any) -> None:
    """Refuse parameters that cannot be, by name; ``arrays`` must be array-like and dense.

    >>> check("top_k_accuracy_score", k=0)
    Traceback (most recent call last):
        ...
    tallymark.sklearn.checks.ParameterError: The 'k' parameter of top_k_accuracy_score must be ...
    """
    for name, value in parameters.items():
        if value is None and name == "sample_weight":
            continue
        fits, words = _rule(function, name)
        if not fits(value):
            raise ParameterError(
                f"The {name!r} parameter of {function} must be {words}. Got {value!r} instead."
            )
    for value in arrays:
        if value is not None and not _array_like(value):
            raise ParameterError(
                f"{function} must be given dense array-likes. Got {value!r} instead."
            )


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called the drop-in, however deep in it this is."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def undefined(message: str) -> None:
    """Warn that a metric is not defined."""
    warn(message, UndefinedMetricWarning)


def _is_plain(values: Any) -> bool:
    """Tell one-dimensional arrays of finite numbers, which nothing need be asked about."""
    return (
        type(values) is np.ndarray
        and values.ndim == 1
        and values.size > 0
        and (values.dtype.kind in "biu" or (values.dtype.char in "fd" and _is_finite(values)))
    )


def _is_finite(values: Array) -> bool:
    if values.size <= 1 << 12:
        return bool(np.isfinite(values).all())
    with np.errstate(over="ignore", invalid="ignore"):
        return math.isfinite(values.sum())


def check_array(values: Any, **options: Any) -> Array:
    """Return what scikit-learn's ``check_array`` does, at once where that is the same array."""
    types = options.get("dtype", "numeric")
    plain = options.get("ensure_2d") is False and _is_plain(values) and values.flags.c_contiguous
    if plain and (types is None or isinstance(types, str) or values.dtype in types):
        return values  # type: ignore[no-any-return]
    if plain and values.dtype.kind in "biu":
        return values.astype(types[0])  # type: ignore[no-any-return]
    return utils.check_array(values, **options)  # type: ignore[no-any-return]


def column_or_1d(values: Any) -> Array:
    """Return what scikit-learn's ``column_or_1d`` does, at once where that is the same array."""
    if type(values) is np.ndarray and values.ndim == 1 and values.flags.c_contiguous:
        return values
    return utils.column_or_1d(values)  # type: ignore[no-any-return]


def check_consistent_length(*arrays: Any) -> None:
    """Refuse arrays of different lengths as scikit-learn does."""
    rows = -1
    for array in arrays:
        if array is None:
            continue
        if type(array) is not np.ndarray or array.ndim != 1 or rows not in (-1, len(array)):
            utils.check_consistent_length(*arrays)
            return
        rows = len(array)


def assert_all_finite(values: Any) -> None:
    """Refuse numbers that are not finite as scikit-learn does."""
    if not _is_plain(values):
        utils.assert_all_finite(values)


def as_weights(sample_weight: Any, rows: int) -> Array | None:
    """Return sampling weights as one number a row, None where there are none.

    >>> as_weights([2, 0.5, 1], 3)
    array([2. , 0.5, 1. ])
    """
    if sample_weight is None:
        return None
    weights: Array = check_array(
        sample_weight, ensure_2d=False, dtype=None, order="C", input_name="sample_weight"
    )
    if weights.dtype.kind not in "fiub":
        weights = weights.astype(np.float64)
    if weights.ndim != 1:
        raise InputError(
            f"Sample weights must be 1D array or scalar, got {weights.ndim}D array. Expected "
            f"either a scalar value or a 1D array of length {rows}."
        )
    if weights.shape != (rows,):
        raise InputError(f"sample_weight.shape == {weights.shape}, expected {(rows,)}!")
    if not weights.any():
        raise InputError("Sample weights must contain at least one non-zero number.")
    return weights


def positive_of(pos_label: Any, classes: Array) -> Any:
    """Return the positive class: the one given, or 1 of {0, 1}, {-1, 1} and their parts."""
    if pos_label is not None:
        return pos_label
    known = classes.dtype.kind not in "OUST" and classes.tolist() in (
        [0, 1], [-1, 1], [0], [-1], [1]
    )  # fmt: skip
    if not known:
        told = ", ".join(repr(c) for c in classes.tolist())
        raise InputError(
            f"y_true takes value in {{{told}}} and pos_label is not specified: either make y_true "
            "take value in {0, 1} or {-1, 1} or pass pos_label explicitly."
        )
    return 1


def mean(values: Any, weights: Any = None) -> float:
    """Return the average of the values that are defined, unweighted where no weight is left.

    Lists are those of few values, which are added up as an array is: from left to right.

    >>> mean(np.array([1.0, np.nan, 0.0]), np.array([3, 9, 1]))
    0.75
    >>> mean([1.0, math.nan, 0.0])
    0.5
    """
    if isinstance(values, float):
        return values
    if isinstance(values, list):
        if not math.isnan(sum(values)):
            return mean_of_few(values, weights)
        values = np.array(values)
    weights = np.array(weights) if isinstance(weights, list) else weights
    there = ~np.isnan(values)
    if not there.all():
        if not there.any():
            return math.nan
        values, weights = values[there], None if weights is None else weights[there]
    if weights is None or not np.sum(weights):
        return float(values.mean())
    return float(np.multiply(values, weights).sum() / np.sum(weights, dtype=np.float64))


def mean_of_few(values: list[float], weights: Sequence[float] | None = None) -> float:
    """Return :func:`mean` of a few values that are all defined."""
    total = 0.0  # not by sum(), which rounds otherwise than NumPy does
    over = 0.0 if weights is None else sum(weights)
    if weights is None or not over:
        for value in values:
            total += value
        return total / len(values)
    for part in map(operator.mul, values, weights):
        total += part
    return total / over


def is_single_column(y: Any) -> bool:
    """Tell plain NumPy arrays of one dimension, which need no conversion to be counted."""
    return type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biuU"


def classes_of(y: Any) -> Array:
    """Return the classes that occur, sorted: without a sort for integers of a narrow range."""
    if is_single_column(y) and y.dtype.kind in "iub" and y.size:
        y = y.view(np.uint8) if y.dtype == bool else y
        few = count_few(y, y)
        if few is not None:
            return np.array(few[0])
        try:
            return np.array(code_labels(y, "y").labels)
        except InputError:
            pass
    return np.unique(np.asarray(y))


def kind_of(y_true: Any) -> str:
    """Return the type of target as scikit-learn calls it."""
    if is_single_column(y_true) and y_true.dtype.kind in "iub" and y_true.size:
        few = count_few(y_true, y_true)
        found = classes_of(y_true) if few is None else few[0]
        return "binary" if len(found) <= 2 else "multiclass"
    return str(type_of_target(y_true, input_name="y_true"))
