"""Read arrays of true classes, predictions and scores, each as rows to count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tallymark.errors import InputError
from tallymark.reading import device
from tallymark.reading.chunks import (
    Chunk,
)
from tallymark.reading.classes import fold as folded
from tallymark.reading.columns import (
    ModelRoles,
    code_subgroups,
    refuse_other_index,
    refuse_twice,
    subgroup_name,
)
from tallymark.reading.derived import DUST
from tallymark.reading.indicators import LabelSets, count_arrays
from tallymark.reading.ingest import Job, RowCounter, count_tallies
from tallymark.reading.meaning import never_below_chance
from tallymark.reading.models import CountedRows
from tallymark.reading.names import named_after
from tallymark.reading.source import Source
from tallymark.tally.arrays import (
    MOST_SUBGROUPS,
    Coded,
    Floats,
    FractionError,
    as_array,
    as_scores,
    code_groups,
    code_labels,
    is_table,
    matrix_to_numpy,
    same_length,
    unmistakable,
)
from tallymark.tally.labels import LabelTally, count_pairs
from tallymark.tally.scores import ScoreTally


def by_model(arrays: Any, name: str) -> dict[str, Any]:
    """Return each model's array by name; a single array is named "model"."""
    if arrays is None:
        return {}
    if isinstance(arrays, Mapping):
        if not arrays:
            raise InputError(f"{name} is an empty mapping; give at least one model")
        return {str(k): v for k, v in arrays.items()}
    return {"model": arrays}


def check_models(y_pred: Any, y_score: Any) -> None:
    """Refuse missing outputs, and predictions and scores of different models."""
    if y_pred is None and y_score is None:
        raise InputError("there is nothing to judge: give y_pred, y_score or both")
    if y_pred is None or y_score is None:
        return
    predictions, scores = set(by_model(y_pred, "y_pred")), set(by_model(y_score, "y_score"))
    if predictions and scores and not (predictions <= scores or scores <= predictions):
        raise InputError(
            f"y_pred names the models {sorted(predictions)} and y_score {sorted(scores)}; use the "
            "same names for the same model"
        )


def labels_or_scores(y_pred: Any) -> tuple[Any, Any, tuple[str, ...]]:
    """Return the predictions that are labels, those that are scores, and notes on both.

    Fractions are not labels, and neither are several float columns, one per class.

    >>> labels, scores, read_as = labels_or_scores([0.2, 0.9])
    >>> scores.tolist(), read_as
    ([0.2, 0.9], ('y_pred holds fractions and was read as scores',))
    """
    labels, scores, read_as = {}, {}, []
    arrays = by_model(y_pred, "y_pred")
    for name, values in arrays.items():
        title = f"y_pred[{name!r}]" if len(arrays) > 1 else "y_pred"
        coded = _labels(values, title)
        if isinstance(coded, Coded):
            labels[name] = coded
            continue
        scores[name] = coded
        what = "holds fractions and was read as scores"
        if np.ndim(coded) == 2 and np.shape(coded)[1] > 1:
            what = f"has {np.shape(coded)[1]} columns and was read as scores, one column per class"
        read_as.append(f"{title} {what}")
    if not isinstance(y_pred, Mapping) and scores:
        return None, scores["model"], tuple(read_as)
    return labels or None, scores or None, tuple(read_as)


def _labels(values: Any, name: str) -> Any:
    """Return predictions as coded labels; as an array or a frame if they must be scores."""
    if is_table(values):
        matrix, columns = matrix_to_numpy(values)
        return values if len(columns) > 1 else _labels(matrix[:, 0], name)
    try:
        return code_labels(values, name)
    except InputError as error:
        array = as_array(values, name)
        table = array.ndim == 2 and array.shape[1] > 1 and array.dtype.kind == "f"
        if table or isinstance(error, FractionError):
            return array
        raise


def score_columns(values: Any, base: str) -> tuple[dict[str, Floats], tuple[str | None, ...]]:
    """Return the score columns of one model by name, and the class each is named after."""
    matrix, names = matrix_to_numpy(values) if is_table(values) else (as_array(values, base), None)
    if names is None and (matrix.ndim != 2 or matrix.shape[1] < 2):
        return {base: as_scores(matrix, base)}, (None,)
    columns = tuple(f"{base}[:, {k}]" for k in range(matrix.shape[1]))
    classes: tuple[str | None, ...] = (None,) * len(columns)
    if names:  # column names may be repeated across models
        columns = names if base == "y_score" else tuple(f"{base}[{name!r}]" for name in names)
        after = tuple(named_after(name)[1] for name in names)
        classes = names if None in after else after
    return {c: as_scores(matrix[:, k], c) for k, c in enumerate(columns)}, classes


def from_arrays(
    y_true: Any,
    y_pred: Any = None,
    y_score: Any = None,
    *,
    weight: Any = None,
    cluster: Any = None,
    fold: Any = None,
    roles: Mapping[str, Any] | None = None,
    subgroups: Mapping[str, Any] | Sequence[str] | None = None,
    source: str = "arrays",
    **options: Any,
) -> CountedRows:
    """Return the counts of arrays: predictions, scores, or mappings of model names to them.

    ``options`` are the labels, the positive class, the threshold and ``missing`` of a Job.
    """
    check_models(y_pred, y_score)
    beside = {"weight": weight, "cluster": cluster, "fold": fold}
    of_roles = {role: values for role, values in (roles or {}).items() if values is not None}
    stated = [options.get(word) for word in ("labels", "score_of", "score_is")]
    percent = options.get("percent", False)
    plain = all(v is None for v in (subgroups, *beside.values(), *stated)) and not percent
    plain = plain and not of_roles
    if plain and y_score is None:
        decided = _decisions_at_once(y_true, y_pred, Job(Source(source), "y_true", (), **options))
        if decided is not None:
            return decided
    lines = None
    if plain:
        lines = device.counted(y_true, by_model(y_pred, "y_pred"), by_model(y_score, "y_score"))
    if lines is not None:
        y_true, y_pred, y_score = lines.y_true, lines.y_pred or None, lines.y_score or None
    outputs = {"y_pred": y_pred, "y_score": y_score}
    each = {
        f"{w} of {n}": v for w, arrays in outputs.items() for n, v in by_model(arrays, w).items()
    }
    refuse_other_index({"y_true": y_true, **each})
    read_from = Source(source)
    if y_score is None:
        y_pred, y_score, read_as = labels_or_scores(y_pred)
        read_from = replace(read_from, format=read_as)
    if plain and y_pred is None and lines is None:
        counted = _counted_at_once(y_true, y_score, Job(read_from, "y_true", (), **options))
        if counted is not None:
            return counted
    chunk, models = chunk_of_arrays(
        y_true, y_pred, y_score, subgroups=subgroups, roles=of_roles, **beside
    )
    if lines is not None:
        chunk = replace(chunk, count=lines.rows)
    if percent:
        divided = {c: chunk.numbers[c] / 100 for m in models for c in m.scores}
        chunk = replace(chunk, numbers={**chunk.numbers, **divided})
    parts = {name: subgroup_name(name) for name in subgroups or {}}
    if fold is not None:
        refuse_twice("fold", parts)
        parts["fold"] = "fold"
    named: dict[str, Any] = {role: role for role, values in beside.items() if values is not None}
    named["roles"] = {role: role for role in of_roles}
    job = Job(read_from, "y_true", models, subgroups=parts, **named, **options)
    return RowCounter(job, arrays=True).count([chunk]).result()


def sets_of_arrays(
    y_true: Any,
    y_pred: Any,
    y_score: Any,
    *,
    source: str,
    subgroups: Any,
    cluster: Any,
    roles: Mapping[str, Any],
    **options: Any,
) -> LabelSets:
    """Return the label sets of arrays whose rows may have any number of labels."""
    check_models(y_pred, y_score)
    predictions, scores = by_model(y_pred, "y_pred"), by_model(y_score, "y_score")
    return count_arrays(
        y_true,
        predictions,
        scores,
        source=Source(source),
        subgroup=subgroups,
        clusters=cluster,
        **roles,
        **options,
    )


def _decisions_at_once(y_true: Any, y_pred: Any, job: Job) -> CountedRows | None:
    """Return one model's counts of decisions between two classes, or None.

    The counting kernel detects missing values; all other input is checked row by row.
    """
    columns = (y_true, y_pred)
    if not all(isinstance(c, np.ndarray) and c.ndim == 1 and c.size for c in columns):
        return None
    pairs = None if job.codes or job.ignore_case is not None else count_pairs(y_true, y_pred)
    if pairs is None or len(pairs[0]) != 2 or not (pairs[1].any(0) & pairs[1].any(1)).all():
        return None
    labels, counts = pairs
    if isinstance(labels[0], str) and folded(labels[0]) == folded(labels[1]):
        return None
    positive = unmistakable(labels) if job.positive is None else job.positive
    if positive not in labels:
        return None
    tally = LabelTally(labels, counts, None, len(y_true))
    job = replace(job, models=(ModelRoles("model", "y_pred", (), ()),))
    return count_tallies([tally], job, labels, labels[labels.index(positive)])


def _counted_at_once(y_true: Any, y_score: Any, job: Job) -> CountedRows | None:
    """Return the counts of one model's scores by the sorting kernel, or None.

    A separate validation pass would cost a pass over memory on a single core.
    """
    tally = ScoreTally._of_plain(y_true, y_score, job.positive)
    if tally is None or not len(tally.scores):
        return None
    low, high = float(tally.scores[0]), tally._highest
    if -DUST <= low < 0 or 1 < high <= 1 + DUST or never_below_chance(low, high, 2):
        return None  # rounding, or a score of another class: check row by row
    ((name, _),) = by_model(y_score, "y_score").items()
    columns = ModelRoles(name, None, ("y_score",), (None,))
    job = replace(job, models=(columns,))
    return count_tallies([tally], job, tally.labels, tally.positive)


def _refuse_rows_of_models(y_score: Any, n: int) -> None:
    """Refuse scores with one row per model or class instead of one row per case."""
    if y_score is None or isinstance(y_score, Mapping) or is_table(y_score):
        return
    shape = np.shape(as_array(y_score, "y_score"))
    if shape[1:] == (n,) and shape[0] != n:
        rows = shape[0]
        remedy = "for two models give {'first': a, 'second': b}"
        if rows > 2:
            remedy = (
                "for several models give {'first': a, 'second': b, ...}, for one column per class "
                "its transpose"
            )
        raise InputError(f"y_score has {rows:,} rows of {n:,} numbers; {remedy}")


def chunk_of_arrays(
    y_true: Any,
    y_pred: Any = None,
    y_score: Any = None,
    *,
    weight: Any = None,
    cluster: Any = None,
    fold: Any = None,
    roles: Mapping[str, Any] | None = None,
    subgroups: Mapping[str, Any] | Sequence[str] | None = None,
    weight_name: str = "weight",
) -> tuple[Chunk, tuple[ModelRoles, ...]]:
    """Return arrays as one chunk of rows, and the models whose columns are in it.

    ``roles`` are the arrays of the roles of parts, by role.
    """
    predictions, scores = by_model(y_pred, "y_pred"), by_model(y_score, "y_score")
    truth = code_labels(y_true, "y_true")
    _refuse_rows_of_models(y_score, len(truth.codes))
    coded = {"y_true": truth}
    numbers: dict[str, Any] = {}
    models = []
    several = len(scores) > 1 or len(predictions) > 1
    for name in dict.fromkeys([*scores, *predictions]):
        suffix = f"[{name!r}]" if several else ""
        pred: str | None = None
        score_arrays: dict[str, Floats] = {}
        classes: tuple[str | None, ...] = ()
        if name in predictions:
            pred = f"y_pred{suffix}"
            coded[pred] = code_labels(predictions[name], pred)
        if name in scores:
            score_arrays, classes = score_columns(scores[name], f"y_score{suffix}")
        numbers |= score_arrays
        models.append(ModelRoles(name, pred, tuple(score_arrays), classes))
    beside = {weight_name: weight, **(roles or {})}
    numbers |= {name: as_scores(v, name) for name, v in beside.items() if v is not None}
    groups = {} if cluster is None else {"cluster": code_groups(cluster, "cluster")}
    coded |= code_subgroups(subgroups)
    if fold is not None:
        coded["fold"] = code_labels(fold, "fold", most=MOST_SUBGROUPS)
    same_length(**{k: c.codes for k, c in coded.items()}, **numbers, **groups)
    return Chunk(0, coded, numbers, len(truth.codes), groups), tuple(models)
