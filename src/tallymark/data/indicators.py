"""Rows that have any number of labels, read from a column of 0 and 1 for each label."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.data.chunks import Chunk, FrameTable, matrix_to_numpy
from tallymark.data.columns import ModelRoles, must_have
from tallymark.data.ingest import MOST_KEPT, Job, RowCounter
from tallymark.data.models import CountedRows, Note, at_threshold
from tallymark.data.source import Source
from tallymark.display import Display
from tallymark.errors import InputError, listed
from tallymark.tally.arrays import (
    MAX_CLASSES,
    Coded,
    Floats,
    Label,
    as_array,
    as_list,
    as_scores,
    as_weights,
    code_groups,
    find_positive,
    first_come,
    is_table,
    keep_complete,
    plain_label,
    same_length,
)
from tallymark.tally.label_sets import LabelSets, SetModel, flags_of

_PREFIXES = {
    "truth": "true truth y_true actual target label gold",
    "pred": "pred y_pred predicted prediction",
    "score": "score prob proba p y_score y_prob y_proba",
}
"""What stands before the name of a label in the names of its columns, and an underscore."""


@dataclass(frozen=True, eq=False, repr=False)
class CountedSets(Display):
    """Rows with any number of labels, and how they were read."""

    source: Source
    sets: LabelSets
    dropped: int
    notes: tuple[Note, ...]

    def of_label(self, label: Label) -> CountedRows:
        """Return the rows of one label as two classes: those that have it, 1, and the others."""
        i, sets = self.sets.labels.index(label), self.sets
        classes: tuple[Label, ...] = (0, 1)
        coded = {"truth": Coded(sets.true[:, i].astype(np.intp), classes)}
        numbers: dict[str, Floats] = {}
        roles = []
        for m in sets.models:
            pred, score = f"pred {m.name}", f"score {m.name}"
            if m.threshold is None:
                coded[pred] = Coded(m.decided[:, i].astype(np.intp), classes)
            if m.scores is not None:
                numbers[score] = np.ascontiguousarray(m.scores[:, i])
            roles.append(ModelRoles(
                m.name, pred if pred in coded else None, (score,) if score in numbers else ()
            ))  # fmt: skip
        weight = None if sets.weights is None else "weight"
        if sets.weights is not None:
            numbers["weight"] = sets.weights
        groups = {} if sets.clusters is None else {"cluster": sets.clusters}
        named = {
            role: names[i] for role, names in self.source.roles.items() if isinstance(names, tuple)
        }
        source = replace(
            self.source, name=f"{self.source.name}: {label}", roles={**self.source.roles, **named}
        )
        job = Job(
            source, "truth", tuple(roles), weight, cluster="cluster" if groups else None,
            positive=1, labels=classes,
        )  # fmt: skip
        made = RowCounter(job, arrays=True).count([Chunk(0, coded, numbers, sets.rows, groups)])
        counted = made.result()
        # What one label's scores look like does not decide: those of all labels did.
        models = []
        for model, of in zip(counted.models, sets.models, strict=True):
            cut = model if of.threshold is None else at_threshold(model, of.threshold)
            models.append(replace(cut, probabilities=model.probabilities and of.probabilities))
        told = ("threshold-chosen", "not-probabilities")
        notes = tuple(n for n in counted.notes if n.code not in told)
        return replace(counted, models=tuple(models), notes=notes)


# -- arrays ----------------------------------------------------------------------------------------


def has_several_labels(y_true: Any) -> bool:
    """Tell true labels with a column, or a set, for each row from one column of classes.

    >>> has_several_labels([[1, 0], [0, 1]]), has_several_labels([{"a"}, set()])
    (True, True)
    >>> has_several_labels([[1], [0]]), has_several_labels(["a", "b"])
    (False, False)
    """
    if is_table(y_true):
        return len(FrameTable(y_true).columns) > 1
    if _as_sets(y_true) is not None:
        return True
    shape = getattr(y_true, "shape", None)
    if shape is None and isinstance(y_true, list | tuple) and len(y_true):
        first = y_true[0]
        shape = (len(y_true), *getattr(first, "shape", [len(first)] if _is_row(first) else []))
    return shape is not None and len(shape) == 2 and shape[1] > 1


def _is_row(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _as_sets(values: Any) -> list[frozenset[Any]] | None:
    """Return rows that are sets, or lists of texts; None of anything else."""
    if not isinstance(values, list | tuple):
        dtype = str(getattr(values, "dtype", getattr(values, "type", ""))).lower()
        if not dtype.startswith(("object", "list", "large_list")) or getattr(values, "ndim", 1) > 1:
            return None
        values = as_list(values)
    first = next(iter(values), None)
    if not isinstance(first, set | frozenset | list | tuple | np.ndarray):
        return None
    sets = all(isinstance(row, set | frozenset) for row in values)
    listed_texts = not sets and any(
        isinstance(row, list | tuple | np.ndarray) and len(row) and isinstance(row[0], str)
        for row in values
    )
    if not sets and not listed_texts:
        return None
    for i, row in enumerate(values):
        if not isinstance(row, set | frozenset | list | tuple | np.ndarray):
            raise InputError(
                f"a row of labels is {row!r} at index {i}; give a list or a set of labels, empty "
                "where a row has none"
            )
    return [frozenset(map(plain_label, row)) for row in values]


def count_arrays(
    y_true: Any,
    predictions: Mapping[str, Any],
    scores: Mapping[str, Any],
    *,
    sample_weight: Any = None,
    clusters: Any = None,
    source: Source,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    threshold: float | None = None,
    missing: str = "error",
) -> CountedSets:
    """Count rows with any number of labels: predicted sets, scores, or both, by model."""
    if positive is not None:
        raise InputError(
            f"positive is {positive!r}, and y_true has a column for each of several labels, of "
            "which 1 is positive; leave positive out"
        )
    names, true = _table("y_true", y_true, labels, [*predictions.values()])
    read_as = [*source.format]
    decided, scored = dict[str, Floats](), dict[str, Floats]()
    for word, given, into in (("y_pred", predictions, decided), ("y_score", scores, scored)):
        for name, values in given.items():
            called = f"{word}[{name!r}]" if len(given) > 1 else word
            into[name] = _columns(called, values, names, len(true))
            if word == "y_pred" and name not in scores and not _are_flags(into[name]):
                scored[name] = decided.pop(name)
                read_as.append(f"{called} holds fractions and was read as scores")
    columns = {"y_true": true, **_by_word(decided, scored)}
    weights = None if sample_weight is None else as_scores(sample_weight, "sample_weight")
    groups = None if clusters is None else code_groups(clusters, "cluster")
    same_length(**columns, sample_weight=weights, cluster=groups)
    roles: dict[str, Any] = {"truth": "y_true"}
    roles |= {"pred": "y_pred"} if decided else {}
    roles |= {"score": "y_score"} if scored else {}
    roles |= {"weight": "sample_weight"} if weights is not None else {}
    roles |= {"cluster": "cluster"} if groups is not None else {}
    source = replace(source, roles=roles, format=tuple(read_as))
    return _counted(source, names, true, decided, scored, weights, groups, threshold, missing)


def _table(
    name: str, values: Any, labels: Sequence[Label] | None, predictions: Sequence[Any]
) -> tuple[tuple[Label, ...], Floats]:
    """Return the labels and the true columns."""
    sets = _as_sets(values)
    found: Iterable[Any]
    if sets is not None:
        others = [s for p in predictions if (s := _as_sets(p)) is not None]
        found = sorted(set[Any]().union(*sets, *(row for s in others for row in s)))
        names = tuple(found if labels is None else labels)
        return names, _of_sets(name, sets, names)
    if is_table(values):
        matrix, columns = matrix_to_numpy(values)
        found = columns
    else:
        matrix = _numbers(name, values)
        found = range(matrix.shape[1])
    names = tuple(map(plain_label, found if labels is None else labels))
    if len(names) != matrix.shape[1] or len(set(names)) < len(names):
        raise InputError(
            f"labels names {len(names)} labels ({listed(names, 8)}) and {name} has "
            f"{matrix.shape[1]} columns; name each column once"
        )
    if is_table(values) and labels is not None and set(map(str, labels)) == set(columns):
        matrix = matrix[:, [columns.index(str(label)) for label in labels]]
    if len(names) > MAX_CLASSES:
        raise InputError(f"{name} has {len(names):,} columns; at most {MAX_CLASSES:,} are judged")
    return names, matrix


def _of_sets(name: str, sets: Sequence[frozenset[Any]], labels: Sequence[Label]) -> Floats:
    """Return sets of labels as columns of 0 and 1."""
    place = {label: i for i, label in enumerate(labels)}
    if len(place) < 2:
        raise InputError(
            f"{name} holds sets of {len(place)} labels; several labels need two or more, and one "
            "is a column of 0 and 1"
        )
    made = np.zeros((len(sets), len(place)))
    for i, row in enumerate(sets):
        for label in row:
            if label not in place:
                raise InputError(
                    f"{name} holds the label {label!r} at index {i}, which labels does not list; "
                    f"labels are {listed(list(labels))}"
                )
            made[i, place[label]] = 1
    return made


def _numbers(name: str, values: Any) -> Floats:
    """Return numbers of two axes, NaN where one is missing.

    Of scikit-learn's lists of a (n, 2) array for each label, the columns of having it.
    """
    array = as_array(values, name)
    if array.ndim == 3 and array.shape[2] == 2:
        array = array[:, :, 1].T
    if array.ndim != 2 or array.dtype.kind not in "biufO":
        raise InputError(
            f"{name} has shape {array.shape} of {array.dtype}; rows of several labels have one "
            "column of numbers for each label"
        )
    columns = [as_scores(np.ascontiguousarray(c), f"{name}[:, {j}]") for j, c in enumerate(array.T)]
    return np.stack(columns, 1) if columns else np.empty(array.shape)


def _columns(name: str, values: Any, labels: tuple[Label, ...], rows: int) -> Floats:
    """Return the columns of predictions in the order of the labels."""
    sets = _as_sets(values)
    if sets is not None:
        return _of_sets(name, sets, labels)
    if is_table(values):
        matrix, columns = matrix_to_numpy(values)
        wanted = [str(label) for label in labels]
        if set(columns) == set(wanted):
            return matrix[:, [columns.index(label) for label in wanted]]
        if set(columns) & set(wanted) or not isinstance(labels[0], int):
            raise InputError(
                f"{name} has the columns {listed(columns, 8)} and the labels are "
                f"{listed(wanted, 8)}; give it the columns of y_true"
            )
    else:
        matrix = _numbers(name, values)
    if matrix.shape[1] != len(labels):
        raise InputError(
            f"{name} has {matrix.shape[1]} columns and there are {len(labels)} labels; give one "
            "column a label"
        )
    return matrix


def _are_flags(matrix: Floats) -> bool:
    return bool(((matrix == 0) | (matrix == 1) | np.isnan(matrix)).all())


# -- tables ----------------------------------------------------------------------------------------


def find_indicators(
    columns: Sequence[str], named: Mapping[str, Any]
) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]] | None:
    """Return the labels, and the columns of each role, where there is a true column for each label.

    Several named columns, or at least two columns called true_LABEL, each with a pred_LABEL or a
    score_LABEL beside it; None of any other table.

    >>> find_indicators(["id", "true_a", "true_b", "score_b", "score_a"], {})
    (('a', 'b'), {'truth': ('true_a', 'true_b'), 'score': ('score_a', 'score_b')})
    """
    truth = named.get("truth")
    given = {role: named.get(role) for role in ("truth", "pred", "score")}
    if isinstance(truth, list | tuple) and len(truth) > 1:
        return _of_named({r: (n,) if isinstance(n, str) else n for r, n in given.items() if n})
    if any(given.values()):
        return None
    found = {role: _prefixed(columns, prefixes) for role, prefixes in _PREFIXES.items()}
    labels = list(found["truth"])
    if len(labels) < 2:
        return None
    both = {r: of for r, of in found.items() if r == "truth" or set(of) >= set(labels)}
    if len(both) < 2:
        return None
    return tuple(labels), {r: tuple(of[label] for label in labels) for r, of in both.items()}


def _prefixed(columns: Sequence[str], prefixes: str) -> dict[str, str]:
    """Return the columns whose names begin with one of some prefixes, by what follows it."""
    pattern = re.compile(rf"(?:{'|'.join(sorted(prefixes.split(), key=len)[::-1])})_(.+)", re.I)
    pairs = ((m[1], c) for c in columns if (m := pattern.fullmatch(c)))
    out: dict[str, str] = {}
    for label, column in pairs:
        if label in out:
            return {}  # two columns of one label
        out[label] = column
    return out


def _of_named(
    given: Mapping[str, Sequence[str]],
) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    truth = given["truth"]
    for role, names in given.items():
        if len(names) != len(truth):
            raise InputError(
                f"truth names {len(truth)} columns and {role} {len(names)}; name one of each "
                "label, in one order"
            )
        if len(set(names)) < len(names):
            raise InputError(f"{role} names a column twice: {listed(names)}")
    if len(given) < 2:
        raise InputError(
            f"truth names {len(truth)} columns and no prediction; give pred=[...] or score=[...], "
            "one column of each label"
        )
    labels = _prefixed(truth, _PREFIXES["truth"])
    shown = tuple(labels) if len(labels) == len(truth) else tuple(truth)
    return shown, {role: tuple(names) for role, names in given.items()}


def refuse_beside_labels(**given: Any) -> None:
    """Refuse what is asked of the rows of one class column alone."""
    for name, value in given.items():
        if value is not None and not (isinstance(value, bool | list | tuple) and not value):
            raise InputError(
                f"{name} goes with one column of classes, and these rows have a true column for "
                f"each of several labels; leave {name} out, or judge one label by itself"
            )


def count_table(
    table: Any,
    several: tuple[tuple[str, ...], dict[str, tuple[str, ...]]],
    *,
    found: bool,
    weight: str | None,
    cluster: str | None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    threshold: float | None = None,
    missing: str = "error",
) -> CountedSets:
    """Count rows of a frame or file with a true column for each label."""
    names, columns = several
    if positive is not None:
        raise InputError(
            f"positive is {positive!r}, and there is a true column for each of {len(names)} "
            "labels, of which 1 is positive; leave positive out"
        )
    if labels is not None:
        if set(map(str, labels)) != set(names):
            raise InputError(
                f"labels are {listed(list(labels))} and the columns are of {listed(names)}; name "
                "the same labels, or leave labels out"
            )
        order = [names.index(str(label)) for label in labels]
        names = tuple(names[i] for i in order)
        columns = {role: tuple(of[i] for i in order) for role, of in columns.items()}
    must_have(table.columns, [c for of in columns.values() for c in of], table.name)
    flags = [*columns["truth"], *columns.get("pred", ())]
    numbers = [*columns.get("score", ()), *([weight] if weight else [])]
    chunks = list(table.chunks(flags, numbers, groups=[cluster] if cluster else []))
    rows = sum(c.rows for c in chunks)
    if rows * (len(flags) + 8 * len(numbers)) > MOST_KEPT:
        raise InputError(
            f"{table.name} is too large to keep the labels of its {rows:,} rows side by side; "
            "judge fewer rows or labels"
        )
    flat = {c: np.concatenate([_flag(part.labels[c], c, table.name) for part in chunks])
            for c in flags}  # fmt: skip
    of_numbers = {c: np.concatenate([part.numbers[c] for part in chunks]) for c in numbers}
    groups = None
    if cluster:
        groups = np.concatenate([part.groups[cluster] for part in chunks])
    matrices = {
        role: np.stack([(flat if role != "score" else of_numbers)[c] for c in of], 1)
        for role, of in columns.items()
    }
    used = {*flags, *numbers, cluster}
    roles: dict[str, Any] = dict(columns)
    roles |= {r: c for r, c in (("weight", weight), ("cluster", cluster)) if c}
    source = Source(
        table.name, table.kind, roles, why=dict.fromkeys(columns, "its name") if found else {},
        ignored=tuple(c for c in table.columns if c not in used),
    )  # fmt: skip
    decided, scored = ({"model": matrices[r]} if r in matrices else {} for r in ("pred", "score"))
    weights = of_numbers[weight] if weight else None
    return _counted(
        source, names, matrices["truth"], decided, scored, weights, groups, threshold, missing
    )


def _flag(column: Coded, name: str, where: str) -> Floats:
    """Return a column of two values as 0 and 1, NaN where it is missing."""
    try:
        if len(column.labels) > 2:
            raise InputError("")
        positive = find_positive(column.labels, None) if column.labels else 1
    except InputError:
        raise InputError(
            f"{where} has the values {listed(column.labels, 4)} in {name!r}; a true column of "
            "several stands for a label and holds 0 and 1: to judge classes, name the columns of "
            f"one prediction, such as truth={name!r}"
        ) from None
    values = np.array([float(label == positive) for label in column.labels] + [np.nan])
    return np.asarray(values[column.codes])


# -- both ------------------------------------------------------------------------------------------


def _counted(
    source: Source,
    names: tuple[Label, ...],
    true: Floats,
    decided: Mapping[str, Floats],
    scored: Mapping[str, Floats],
    weights: Floats | None,
    groups: NDArray[Any] | None,
    threshold: float | None,
    missing: str,
) -> CountedSets:
    """Leave out what is missing, and decide what each model predicts of which row."""
    columns = {"y_true": true, **_by_word(decided, scored)}
    gaps: dict[str, Any] = {
        name: np.where(np.isnan(v).any(1), np.nan, 0.0) for name, v in columns.items()
    }
    if groups is not None:
        gaps["cluster"] = groups
    keep = keep_complete(gaps, missing)
    weights = as_weights(weights, "weight")
    if keep is not None:
        true, weights, groups = (None if v is None else v[keep] for v in (true, weights, groups))  # type: ignore[assignment]
        decided, scored = ({n: v[keep] for n, v in of.items()} for of in (decided, scored))
    if not len(true):
        raise InputError(f"{source} holds no row to count; give at least one")
    if weights is not None and not weights.any():
        raise InputError(f"{source} has the weight 0 in every row; mend it or leave it out")
    flags = flags_of(true, "y_true")
    notes = []
    if (flags.sum(1) == 1).all():
        notes.append(Note(
            "one-label-a-row", "warning", "every row has exactly one label: if they are classes "
            "that exclude each other, give the true class of each row as one column "
            "(y_true.argmax(axis=1) of an array)",
        ))  # fmt: skip
    models = []
    for name in dict.fromkeys([*scored, *decided]):
        scores, called = scored.get(name), decided.get(name)
        if called is not None and (scores is None or threshold is None):
            within = scores is not None and _within(scores)
            sets = flags_of(called, "y_pred")
            models.append(SetModel(name, sets, scores, None, "predictions as given", within))
            continue
        assert scores is not None
        cut, within = threshold, _within(scores)
        if cut is None and (within or scores.min() < 0 < scores.max()):
            cut = 0.5 if within else 0.0
        if not within:
            outside = scores.min() if scores.min() < 0 else scores.max()
            notes.append(Note(
                "not-probabilities", "warning", f"{name} holds {outside:.6g}, outside 0 to 1: its "
                "scores are treated as scores that rank, not as probabilities", name,
            ))  # fmt: skip
        if cut is None:
            raise InputError(
                f"the scores of {name} are from {scores.min():.6g} to {scores.max():.6g} and have "
                "no natural threshold; give threshold=... or the predicted sets as well"
            )
        rule = f"scores at or above {cut:g}"
        models.append(SetModel(name, scores >= cut, scores, float(cut), rule, within))
    clusters = None if groups is None else first_come(groups).astype(np.int32)
    sets_of_rows = LabelSets(names, flags, tuple(models), weights, clusters)
    dropped = 0 if keep is None else int((~keep).sum())
    return CountedSets(source, sets_of_rows, dropped, tuple(notes))


def _by_word(decided: Mapping[str, Floats], scored: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return what models say under what it is called in messages."""
    return {
        f"{word}[{n!r}]" if len(of) > 1 else word: v
        for word, of in (("y_pred", decided), ("y_score", scored))
        for n, v in of.items()
    }


def _within(scores: Floats) -> bool:
    return bool(scores.min() >= 0 and scores.max() <= 1)
