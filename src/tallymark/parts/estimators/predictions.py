"""Estimators: what they predict of rows, as the arrays that are counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallymark import InputError
from tallymark.core import (
    Finding,
    Label,
    as_array,
    code_labels,
    find_positive,
    has_several_labels,
    many,
    shown,
    to_numpy,
)
from tallymark.parts.estimators.findings import TRAINED_ON_UNKNOWN

_METHODS = ("predict_proba", "decision_function", "predict")


@dataclass(frozen=True, slots=True)
class Predicted:
    """Predictions of estimators: arrays by model, and how they were made.

    ``folds`` (n,) is the fold in which a row was predicted; None without a cross-validation.
    """

    y_true: Any
    y_pred: dict[str, Any] | None
    y_score: dict[str, Any] | None
    folds: Any
    labels: tuple[Label, ...] | None
    read_as: tuple[str, ...]
    notes: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _Output:
    """Predictions of one model; ``agrees`` if cutting its scores gives the same decisions."""

    method: str
    decided: Any
    scores: Any
    agrees: bool = False


def has_estimators(data: Any) -> bool:
    """Tell whether data are estimators, results of ``cross_validate``, or mappings of either.

    >>> has_estimators({"model": [0, 1]}), has_estimators({"fit_time": [0.1]})
    (False, True)
    """
    if isinstance(data, Mapping):
        return "fit_time" in data or (bool(data) and all(map(_is_model, data.values())))
    return _is_model(data)


def _is_model(data: Any) -> bool:
    of_folds = isinstance(data, Mapping) and "fit_time" in data
    return of_folds or any(callable(getattr(data, method, None)) for method in _METHODS)


def predicted(
    data: Any,
    X: Any,  # noqa: N803
    y: Any,
    *,
    cluster: Any,
    fold: Any,
    y_score: Any,
    positive: Label | None,
    labels: Sequence[Label] | None,
    progress: Callable[[int, int], None] | None,
) -> Predicted:
    """Return the predictions of estimators for the rows X with the true classes y.

    If ``fold`` says how to split, each row is predicted by a clone that was fitted on the other
    folds.
    """
    if y_score is not None:
        raise InputError("y_score is not for an estimator, which predicts itself; leave it out")
    if X is None or y is None:
        raise InputError("an estimator needs rows and their classes; give evaluate(model, X, y)")
    if isinstance(y, str):
        X, y = _without(X, y)  # noqa: N806
    models = data if isinstance(data, Mapping) and "fit_time" not in data else {_kind(data): data}
    models = {str(name): model for name, model in models.items()}
    several = has_several_labels(y)
    n = len(as_array(y, "truth") if several else to_numpy(y, "truth"))
    _refuse_classes(models)
    parts, notes = _folds(models, X, y, fold, cluster, n), list[Finding]()
    if parts is not None and several:
        raise InputError(
            "folds are not fitted for rows with several labels; give y_pred=cross_val_predict(...) "
            "of scikit-learn with y"
        )
    runs: Sequence[tuple[Any, Any]] = parts or [(None, None)]
    outputs, classes, fits = dict[str, _Output](), None, 0
    for name, model in models.items():
        fold_outputs = []
        for k, (train, test) in enumerate(runs):
            if train is None or isinstance(model, Mapping):
                fitted = model["estimator"][k] if isinstance(model, Mapping) else model
            else:
                fitted = _fitted(name, model, _rows(X, train), _rows(y, train), k)
            model_classes = None if several else _classes(fitted)
            if (
                model_classes is not None
                and classes is not None
                and set(model_classes) != set(classes)
            ):
                lacks = f" in fold {k}" if parts else ""
                raise InputError(
                    f"{name}{lacks} was fitted to the classes {list(model_classes)} and others to "
                    f"{list(classes)}; fit all to every class, with fewer folds where a class is "
                    "rare"
                )
            classes = model_classes if classes is None else classes
            rows = X if test is None else _rows(X, test)
            output = _output(name, fitted, rows, model_classes, positive, labels, several=several)
            size = len(output.decided if output.scores is None else output.scores)
            expected = n if test is None else len(test)
            if size != expected and not several:
                raise InputError(
                    f"{name} predicted {many(size, 'row')} and truth has {expected:,}; give X and "
                    "truth of the same length"
                )
            fold_outputs.append(output)
            fits += 1
            if progress:
                progress(fits, len(models) * len(runs))
        outputs[name] = _put_together(fold_outputs, parts, n)
        if parts is None:
            notes.append(TRAINED_ON_UNKNOWN.finding(name))
    folds = None
    if parts is not None:
        folds = np.empty(n, dtype=np.int64)
        for k, (_, test) in enumerate(parts):
            folds[test] = k
    how = f", {len(parts)} folds, each predicted by a fit on the other folds" if parts else ""
    if parts and any(isinstance(m, Mapping) for m in models.values()):
        how = f", {len(parts)} folds of cross_validate"
    return Predicted(
        y,
        {name: o.decided for name, o in outputs.items() if o.decided is not None} or None,
        {name: o.scores for name, o in outputs.items() if o.scores is not None} or None,
        folds,
        tuple(labels) if labels is not None else classes,
        tuple(f"{o.method} of {_kind(models[name])}{how}" for name, o in outputs.items()),
        tuple(notes),
    )


def _without(frame: Any, column: str) -> tuple[Any, Any]:
    """Return a frame without the column of its true classes, and that column."""
    if column not in getattr(frame, "columns", ()):
        raise InputError(
            f"truth is {column!r}, which is not a column of X; give the true classes as an array, "
            "or the name of a column of a frame"
        )
    rest = frame.drop(columns=column) if hasattr(frame, "iloc") else frame.drop(column)
    return rest, frame[column]


def _refuse_classes(models: Mapping[str, Any]) -> None:
    for name, model in models.items():
        if isinstance(model, type):
            raise InputError(
                f"{name} is the class {model.__name__}; give an estimator, {model.__name__}()"
            )
        if isinstance(model, Mapping) and not ("estimator" in model and "indices" in model):
            raise InputError(
                f"the result of cross_validate of {name} lacks its estimators or its rows; call "
                "cross_validate(..., return_estimator=True, return_indices=True)"
            )


def _kind(model: Any) -> str:
    """Return the class of an estimator, of a Pipeline that of its last step."""
    if isinstance(model, Mapping):
        return _kind(model["estimator"][0]) if model.get("estimator") else "model"
    steps = getattr(model, "steps", None)
    return _kind(steps[-1][1]) if steps else type(model).__name__


# -- folds -----------------------------------------------------------------------------------------


def _folds(
    models: Mapping[str, Any],
    X: Any,  # noqa: N803
    y: Any,
    fold: Any,
    cluster: Any,
    n: int,
) -> list[tuple[Any, Any]] | None:
    """Return the training and test rows of each fold, the same for all models; None without."""
    of_results = [m["indices"] for m in models.values() if isinstance(m, Mapping)]
    if of_results:
        if len(of_results) < len(models) or fold is not None:
            raise InputError(
                "results of cross_validate already have folds; leave fold out, and give no other "
                "models"
            )
        splits_of_results = [list(zip(i["train"], i["test"], strict=True)) for i in of_results]
        for others in splits_of_results[1:]:
            same = len(others) == len(splits_of_results[0]) and all(
                np.array_equal(a[1], b[1])
                for a, b in zip(splits_of_results[0], others, strict=True)
            )
            if not same:
                raise InputError(
                    "the results of cross_validate have different folds; use the same splitter for "
                    "all, with random_state if it shuffles"
                )
        parts = splits_of_results[0]
    elif not splits(fold):
        return None
    else:
        parts = _split(X, y, fold, cluster)
    times = np.zeros(n, dtype=np.int64)
    for _, test in parts:
        if len(test) and np.max(test) >= n:
            raise InputError(
                f"the folds hold more rows than the truth ({n:,}); give the same X and y"
            )
        np.add.at(times, test, 1)
    for bad, what in ((times == 0, "in no test fold"), (times > 1, "in several test folds")):
        if bad.any():
            are = "is" if np.count_nonzero(bad) == 1 else "are"
            raise InputError(
                f"{np.count_nonzero(bad):,} of {n:,} rows {are} {what}; give folds that test each "
                "row once, such as fold=5, or judge repeated folds by compare_results"
            )
    return parts


def splits(fold: Any) -> bool:
    """Tell whether ``fold`` splits rows, rather than naming the fold of each row.

    >>> splits(5), splits([([0, 1], [2])]), splits([0, 0, 1]), splits("fold")
    (True, True, False, False)
    """
    if fold is None or isinstance(fold, str | bool):
        return False
    if isinstance(fold, int | np.integer) or callable(getattr(fold, "split", None)):
        return True
    if isinstance(fold, list | tuple):
        return bool(fold) and isinstance(fold[0], list | tuple) and len(fold[0]) == 2
    return isinstance(fold, Iterator)


def _split(X: Any, y: Any, cv: Any, cluster: Any) -> list[tuple[Any, Any]]:  # noqa: N803
    try:
        from sklearn import model_selection
    except ImportError:
        raise InputError(
            "folds of an estimator need scikit-learn; install tallymark[sklearn]"
        ) from None
    try:
        if cluster is not None and isinstance(cv, int) and not isinstance(cv, bool):
            splitter = model_selection.StratifiedGroupKFold(cv)  # clusters are not torn apart
        else:
            splitter = model_selection.check_cv(cv, y, classifier=True)
        return list(splitter.split(X, y, cluster))
    except Exception as error:
        raise InputError(
            f"fold={shown(cv)} cannot split these rows: {_first_line(error)}"
        ) from None


def _rows(data: Any, rows: Any) -> Any:
    from sklearn.utils import _safe_indexing

    return _safe_indexing(data, rows)


def _fitted(name: str, model: Any, X: Any, y: Any, k: int) -> Any:  # noqa: N803
    from sklearn.base import clone

    try:
        return clone(model).fit(X, y)
    except Exception as error:
        raise InputError(f"{name} could not be fitted in fold {k}: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


# -- predictions -----------------------------------------------------------------------------------


def _classes(model: Any) -> tuple[Label, ...] | None:
    classes = getattr(model, "classes_", None)
    if classes is None:
        return None
    coded = code_labels(classes, "classes_")
    return tuple(coded.labels[code] for code in coded.codes)


def _output(
    name: str,
    model: Any,
    X: Any,  # noqa: N803
    classes: tuple[Label, ...] | None,
    positive: Label | None,
    labels: Sequence[Label] | None,
    *,
    several: bool,
) -> _Output:
    """Return the predictions of a fitted model, with score columns in the order of the labels."""
    method = next(m for m in _METHODS if callable(getattr(model, m, None)))
    if method == "predict":
        return _Output(method, _call(name, model, method, X), None)
    scores: Any = _call(name, model, method, X)
    if several:
        return _Output(method, None, scores)
    scores = as_array(scores, f"{method} of {name}")
    if classes is None:
        classes = tuple(range(scores.shape[1])) if scores.ndim == 2 else (0, 1)
    decided = None
    if callable(getattr(model, "predict", None)):
        decided = to_numpy(_call(name, model, "predict", X), f"predict of {name}")
    if len(classes) == 2:
        column = classes.index(find_positive(classes, positive))
        cut = 0.5 if scores.ndim == 2 or method == "predict_proba" else 0.0
        scores = scores[:, column] if scores.ndim == 2 else scores if column else -scores
        places = np.where(scores >= cut, column, 1 - column)
        unclear = scores == cut  # either class is right there
    else:
        params = model.get_params() if hasattr(model, "get_params") else {}
        # Three classes have three pairs, whose columns would pass for those of the classes.
        of_pairs = method == "decision_function" and any(
            k.endswith("decision_function_shape") and v == "ovo" for k, v in params.items()
        )
        if of_pairs or scores.ndim != 2 or scores.shape[1] != len(classes):
            raise InputError(
                f"{method} of {name} has shape {scores.shape} for {len(classes)} classes; give an "
                "estimator with one column per class, such as decision_function_shape='ovr'"
            )
        order = [c for c in (labels or classes) if c in classes]
        if len(order) != len(classes) or (labels is not None and len(labels) != len(order)):
            raise InputError(
                f"classes are {list(labels or ())} and {name} has {list(classes)}; give the same"
            )
        places, unclear = np.argmax(scores, axis=1), np.zeros(len(scores), dtype=bool)
        scores = np.ascontiguousarray(scores[:, [classes.index(c) for c in order]])
    if decided is None:
        return _Output(method, None, scores)
    codes = code_labels(decided, f"predict of {name}")
    places_of_labels = [classes.index(label) if label in classes else -1 for label in codes.labels]
    agrees = (
        np.asarray(places_of_labels)[codes.codes] == places
        if places_of_labels
        else np.zeros(0, dtype=bool)
    )
    return _Output(method, decided, scores, bool((agrees | unclear).all()))


def _call(name: str, model: Any, method: str, X: Any) -> Any:  # noqa: N803
    try:
        return getattr(model, method)(X)
    except Exception as error:
        if type(error).__name__ == "NotFittedError":
            raise InputError(
                f"{name} ({type(model).__name__}) is not fitted; fit it on other rows, or say "
                "fold=5"
            ) from None
        raise InputError(
            f"{name} ({type(model).__name__}) cannot predict these rows: {_first_line(error)}"
        ) from None


def _put_together(outputs: Sequence[_Output], parts: Any, n: int) -> _Output:
    """Return the predictions of all folds in the order of the rows.

    Decisions are kept beside scores only where cutting the scores would decide otherwise.
    """
    first, scores = outputs[0], outputs[0].scores
    decided = None if all(o.agrees for o in outputs) else first.decided
    if parts is not None and scores is not None:
        scores = np.empty((n, *scores.shape[1:]))
        for (_, test), o in zip(parts, outputs, strict=True):
            scores[test] = o.scores
    if parts is not None and decided is not None:
        decided = np.empty(n, dtype=object)
        for (_, test), o in zip(parts, outputs, strict=True):
            decided[test] = to_numpy(o.decided, "predict")
    return _Output(first.method, decided, scores)
