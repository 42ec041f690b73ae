"""What scikit-learn asks of arguments: parameters, weights, the positive class, averages."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import assert_all_finite, check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import type_of_target

from tallymark.errors import InputError
from tallymark.tally.arrays import code_labels

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


_ANYTHING: Rule = (lambda _: True, "")
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


def check(function: str, given: Mapping[str, Any], *arrays: str) -> None:
    """Refuse arguments that cannot be; those named must be array-like and dense.

    ``given`` are the arguments by their names: ``locals()`` where a function begins.

    >>> check("top_k_accuracy_score", {"k": 0})
    Traceback (most recent call last):
        ...
    tallymark.sklearn.checks.ParameterError: The 'k' parameter of top_k_accuracy_score must be ...
    """
    for name, value in given.items():
        if value is None and name == "sample_weight":
            continue
        fits, words = _rule(function, name)
        if not fits(value):
            raise ParameterError(
                f"The {name!r} parameter of {function} must be {words}. Got {value!r} instead."
            )
    for name in arrays:
        if given[name] is not None and not _array_like(given[name]):
            raise ParameterError(
                f"{function} must be given dense array-likes. Got {given[name]!r} instead."
            )


@cache
def _rule(function: str, name: str) -> Rule:
    return _RULES.get(f"{function}.{name}") or _RULES.get(name) or _ANYTHING


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called the drop-in, however deep in it this is."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def undefined(message: str) -> None:
    """Warn that a metric is not defined."""
    warn(message, UndefinedMetricWarning)


def as_weights(sample_weight: Any, rows: int) -> Array | None:
    """Return sampling weights as one number a row, None where there are none.

    >>> as_weights([2, 0.5, 1], 3)
    array([2. , 0.5, 1. ])
    """
    if sample_weight is None:
        return None
    weights = numbers(sample_weight, dtype=None, order="C", input_name="sample_weight")
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
        seen = ", ".join(repr(c) for c in classes.tolist())
        raise InputError(
            f"y_true takes value in {{{seen}}} and pos_label is not specified: either make y_true "
            "take value in {0, 1} or {-1, 1} or pass pos_label explicitly."
        )
    return 1


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


# -- arrays --------------------------------------------------------------------------------------

# scikit-learn's own checks take a hundred microseconds: longer than counting ten thousand rows.
# They are left to what is not a contiguous NumPy array of finite numbers.


def _is_plain(y: Any, kinds: str) -> bool:
    return type(y) is np.ndarray and y.dtype.kind in kinds and bool(y.flags.c_contiguous)


def _is_finite(y: Array) -> bool:
    return y.dtype.kind != "f" or bool(np.isfinite(y).all())


def column(y: Any) -> Array:
    """Return one value a row, as scikit-learn's ``column_or_1d`` does.

    >>> column([[1], [2]])
    array([1, 2])
    """
    values: Array = y if _is_plain(y, "biufU") and y.ndim == 1 else column_or_1d(y)
    return values


def numbers(y: Any, dtype: Any = "numeric", **options: Any) -> Array:
    """Return an array or a table as scikit-learn's ``check_array`` does: not empty, all finite.

    >>> numbers([[0.5, float("nan")]])
    Traceback (most recent call last):
        ...
    ValueError: Input contains NaN.
    """
    if _is_plain(y, "biuf") and 1 <= y.ndim <= 2 and y.size and y.itemsize <= 8 and _is_finite(y):
        floats = isinstance(dtype, list) and y.dtype.kind != "f"
        return y.astype(dtype[0]) if floats else y  # type: ignore[no-any-return]
    checked: Array = check_array(y, ensure_2d=False, dtype=dtype, **options)
    return checked


def check_finite(y: Array) -> None:
    """Refuse NaN and infinite numbers, as scikit-learn's ``assert_all_finite`` does."""
    if not (_is_plain(y, "biufU") and _is_finite(y)):
        assert_all_finite(y)


def check_lengths(*arrays: Any) -> None:
    """Refuse arrays of different lengths, as scikit-learn's ``check_consistent_length`` does."""
    given = [y for y in arrays if y is not None]
    plain = all(type(y) is np.ndarray and y.ndim for y in given)
    if not plain or any(len(y) != len(given[0]) for y in given):
        check_consistent_length(*arrays)


def is_single_column(y: Any) -> bool:
    """Tell plain NumPy arrays of one dimension, which need no conversion to be counted."""
    return type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biuU"


def classes_of(y: Any) -> Array:
    """Return the classes that occur, sorted: without a sort for integers of a narrow range."""
    if is_single_column(y) and y.dtype.kind in "iub" and y.size:
        try:
            return np.array(code_labels(y.view(np.uint8) if y.dtype == bool else y, "y").labels)
        except InputError:
            pass
    return np.unique(np.asarray(y))


def target(y_true: Any) -> tuple[str, Array]:
    """Return the type of target as scikit-learn calls it, and the classes of a single column.

    >>> target([0, 2, 1])
    ('multiclass', array([0, 1, 2]))
    """
    if is_single_column(y_true) and y_true.dtype.kind in "iub" and y_true.size:
        classes = classes_of(y_true)
        return "binary" if len(classes) <= 2 else "multiclass", classes
    kind = str(type_of_target(y_true, input_name="y_true"))
    return kind, classes_of(column(y_true)) if kind in ("binary", "multiclass") else np.empty(0)


def codes_of(values: Array, labels: Array) -> Array:
    """Return where each value stands among sorted labels."""
    if values.dtype.kind == "O" or labels.dtype.kind == "O":
        place = {label: i for i, label in enumerate(labels.tolist())}
        return np.array([place[v] for v in values.tolist()], dtype=np.intp)
    return np.searchsorted(labels, values).astype(np.intp)
