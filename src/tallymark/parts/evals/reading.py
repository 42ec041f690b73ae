"""Read graded answers from arrays, frames and files: which column is what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark import InputError
from tallymark.core import (
    Coded,
    Floats,
    Label,
    Look,
    Table,
    answer,
    as_array,
    as_scores,
    bare,
    check_name,
    code_labels,
    code_names,
    is_path,
    is_table,
    listed,
    many,
    meaning,
    must_have,
    names_of,
    open_table,
    released,
    whole_column,
)
from tallymark.parts.evals.tally import GradeTally

Errors = Literal["wrong", "left-out"]

ROLES = ("graded", "item", "epoch", "model", "task", "cluster")
"""The roles of columns that users name."""

_FOUND = (*ROLES, "scorer", "state")
"""These and the roles of columns that are found by their names alone."""

_NAMES: Mapping[str, str] = {
    "graded": """correct is_correct iscorrect acc accuracy score passed pass match exact_match
        graded grade resolved solved success value""",
    "item": """item item_id question_id question sample_id doc_id example_id prompt_id instance_id
        problem_id problem task_id query_id case_id item_name id""",
    "epoch": "epoch epochs run attempt trial repeat replicate sample sample_index seed",
    "model": "model model_name model_id system llm agent",
    "task": "task dataset benchmark subset suite subject category",
    "cluster": "cluster cluster_id",
    "scorer": "scorer metric filter",
    "state": "state",
}
_CALLED = {role: tuple(map(bare, names.split())) for role, names in _NAMES.items()}
"""Usual names of the columns of each role, the surest first."""

_WORDS = {
    **dict.fromkeys(("true", "correct", "c", "pass", "passed", "yes", "right", "1", "1.0"), 1.0),
    **dict.fromkeys(("false", "incorrect", "i", "fail", "failed", "no", "wrong", "0", "0.0"), 0.0),
    **dict.fromkeys(("partial", "p"), 0.5),
    "n": 0.0,
}
"""Grades in words: of Inspect C, P, I and N (no answer), and of other tools."""

_ABSENT = ("", "nan", "none", "null", "na")


@dataclass(frozen=True)
class Read:
    """Counted answers, what they are called, and how they were read."""

    tally: GradeTally
    name: str
    how: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def read_graded(data: Any, named: Mapping[str, Any], errors: Errors | None, **opened: Any) -> Read:
    """Count the graded answers in arrays, frames or files; ``named`` are the user's columns."""
    paths = [data] if is_path(data) else data
    if isinstance(paths, list | tuple) and paths and all(map(is_path, paths)):
        table = None if _columns(named) else answer("graded", paths, errors)
        if table is not None:
            return read_table(table, named, errors)
    sources = _sources(data)
    if sources is None:
        return _of_one(data, named, errors, opened)
    parts = [_of_source(name, of, named, errors, opened) for name, of in sources.items()]
    tally = reduce(add, (part.tally for part in parts))
    how = tuple(dict.fromkeys(line for part in parts for line in part.how))
    warnings = tuple(dict.fromkeys(line for part in parts for line in part.warnings))
    return Read(tally, ", ".join(part.name for part in parts), how, warnings)


def _sources(data: Any) -> dict[str, Any] | None:
    """Return several files or frames, each with the name of its model; None for other data."""
    if isinstance(data, Mapping):
        several = [is_path(v) or is_table(v) for v in data.values()]
        return {str(k): v for k, v in data.items()} if several and all(several) else None
    if not (isinstance(data, list | tuple) and data and all(map(is_path, data))):
        return None
    if all(str(word).strip().casefold() in (*_WORDS, *_ABSENT) for word in data):
        return None  # grades in words
    names = [Path(file).stem for file in data]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice is not None and len(data) > 1:
        raise InputError(
            f"two files would both be the model {twice!r}; give {{model: file}}, or files with "
            "different names"
        )
    return dict(zip(names, data, strict=True))


def _of_source(
    name: str, data: Any, named: Mapping[str, Any], errors: Errors | None, opened: Mapping[str, Any]
) -> Read:
    """Return the answers of one of several files; a file without a column of models is a model."""
    read = _of_one(data, named, errors, opened)
    if read.tally.models == ("model",):
        return replace(read, tally=replace(read.tally, models=(name,)))
    return read


def _of_one(
    data: Any, named: Mapping[str, Any], errors: Errors | None, opened: Mapping[str, Any]
) -> Read:
    """Return the answers of an array, a frame, columns by name or a file."""
    if not (is_path(data) or is_table(data) or isinstance(data, Mapping)):
        _refuse_names({**named, **opened}, "an array")
        return _of_arrays({"model": data}, named, errors)
    if isinstance(data, Mapping) and not is_table(data):
        wide = named["graded"] is None and _graded_among(list(data), _free(named)) is None
        if wide and not _columns(named) and not _named_like_roles(data):
            _refuse_names(opened, "arrays")
            return _of_arrays(data, named, errors)
    table = open_table(data, **opened)
    with released(table):
        return read_table(table, named, errors)


def _refuse_names(arguments: Mapping[str, Any], what: str) -> None:
    for name, value in arguments.items():
        if isinstance(value, str | bool) or (name == "graded" and value is not None):
            raise InputError(f"{name}=... is for a file or a frame, and the grades are {what}")


def _named_like_roles(data: Mapping[str, Any]) -> bool:
    """Tell whether arrays have the names of items, tasks and so on, not of models."""
    beside = {n for role in ROLES if role != "graded" for n in _CALLED[role]} - {"id", "sample"}
    return any(bare(str(name)) in beside for name in data)


# -- arrays ----------------------------------------------------------------------------------------


def _of_arrays(arrays: Mapping[str, Any], named: Mapping[str, Any], errors: Errors | None) -> Read:
    """Return the answers of one array of grades a model: (n,), or (n, epochs)."""
    alone = list(arrays) == ["model"]
    grades = {
        str(model): _grades(values, "data" if alone else str(model))
        for model, values in arrays.items()
    }
    if not grades:
        raise InputError("there is no grade; give an array for each model")
    n = len(next(iter(grades.values())))
    for model, values in grades.items():
        if len(values) != n:
            first = next(iter(grades))
            raise InputError(
                f"{first!r} has {n:,} questions and {model!r} has {len(values):,}; give one grade "
                "of each question, in the same order, or a table with a column of items"
            )
    shape = len(grades), n
    sums, answers, beside, shares = np.zeros(shape), np.zeros(shape), np.zeros((2, shape[0])), True
    for i, values in enumerate(grades.values()):
        absent = np.isnan(values)
        values, n_absent = np.where(absent, 0.0, values), int(absent.sum())
        shares &= _are_shares(values)
        as_wrong = errors == "wrong"
        sums[i] = values.sum(1)
        answers[i] = values.shape[1] if as_wrong or not n_absent else (~absent).sum(1)
        beside[int(as_wrong), i] = n_absent
    of_items = _beside_arrays(named, n)
    items = of_items.pop("items", tuple(range(n)))
    models = tuple(grades)
    tally = GradeTally(
        models, items, sums, answers, left_out=beside[0], wrong=beside[1], shares=shares, **of_items
    )
    return Read(tally, "grades", ("one row per question",), _of_absent(tally))


def _are_shares(values: Floats) -> bool:
    return bool(((values == 0) | (values == 1)).all())


def _grades(values: Any, name: str) -> Floats:
    """Return an array of grades (n, epochs) as numbers from 0 to 1; missing grades are NaN."""
    array = as_array(values, name)
    if array.ndim not in (1, 2) or not array.size:
        raise InputError(
            f"{name} has shape {array.shape}; give one grade of each question, or a row of grades, "
            "one for each epoch"
        )
    grades: Floats = _as_grades(array.reshape(-1), name).reshape(len(array), -1)
    return grades


def _as_grades(array: NDArray[Any], name: str) -> Floats:
    """Return a column of numbers, booleans or words as grades from 0 to 1, NaN for missing ones."""
    if array.dtype.kind in "OUST":
        coded = code_labels(array, name)
        numbers = [_grade(label, name) for label in coded.labels]
        out = np.array([*numbers, np.nan])[coded.codes]
    else:
        out = as_scores(array, name)
    least, most = np.nanmin(out, initial=0.0), np.nanmax(out, initial=0.0)
    if least < 0 or most > 1:
        wrong = least if least < 0 else most
        raise InputError(
            f"{name} holds {wrong:g}; grades lie between 0 (wrong) and 1 (right), so divide by the "
            "highest possible grade"
        )
    return np.asarray(out, dtype=np.float64)


def _grade(label: Label, name: str) -> float:
    word = str(label).strip().casefold()
    if word in _ABSENT:
        return np.nan
    if word in _WORDS:
        return _WORDS[word]
    try:
        return float(word)
    except ValueError:
        raise InputError(
            f"{name} holds {str(label)!r}, which is no grade; give numbers from 0 to 1, true and "
            "false, or words such as correct and incorrect"
        ) from None


def _beside_arrays(named: Mapping[str, Any], n: int) -> dict[str, Any]:
    """Return the items, tasks and clusters that were given as arrays beside arrays of grades."""
    out: dict[str, Any] = {}
    for role in ("epoch", "model", "graded"):
        if named[role] is not None:
            raise InputError(
                f"{role}=... names a column of a table, and the grades are arrays; leave it out"
            )
    for role in ("item", "task", "cluster"):
        if named[role] is None:
            continue
        coded = code_names(named[role], role)
        if len(coded.codes) != n:
            raise InputError(
                f"{role} has {many(len(coded.codes), 'entry', 'entries')} and there are "
                f"{many(n, 'question')}; give one for each"
            )
        if role == "item":
            if len(coded.labels) < n:
                raise InputError("item names a question twice; give each question one row")
            out["items"] = tuple(coded.labels[i] for i in coded.codes.tolist())
        else:
            out |= {f"{role}s": coded.labels, role: coded.codes}
    return out


# -- tables ----------------------------------------------------------------------------------------


def read_table(table: Table, named: Mapping[str, Any], errors: Errors | None) -> Read:
    """Count the answers in a table: one row per answer, or one column of grades per model."""
    names, of_models = list(table.columns), names_of(named["graded"])
    for role in ROLES[1:]:
        if named[role] is not None and not isinstance(named[role], str):
            raise InputError(f"{role} is an array, and the grades are a table; name its column")
    roles = {role: named[role] for role in ROLES[1:] if named[role] is not None}
    must_have(names, [*of_models, *roles.values()], table.name)
    graded = of_models[0] if len(of_models) == 1 else None
    if not of_models:
        graded = _graded_among(names, _free(named))
    for role in _FOUND[1:]:
        taken = {graded, *of_models, *roles.values()}
        rest = [c for c in names if c not in taken]
        if role not in roles and (column := _called(role, rest)) is not None:
            roles[role] = column
    if graded is None:
        read = _wide(table, roles, of_models, errors)
    else:
        read = _long(table, {**roles, "graded": graded}, named["scorer"], errors)
    return replace(read, how=(*read.how, *table.format))


def _free(named: Mapping[str, Any]) -> set[str]:
    return {value for value in named.values() if isinstance(value, str)}


def _columns(named: Mapping[str, Any]) -> list[str]:
    """Return the columns that the user named."""
    names = [named[role] for role in ROLES[1:] if isinstance(named[role], str)]
    return [*names_of(named["graded"]), *names]


def _graded_among(names: Sequence[str], taken: Iterable[str]) -> str | None:
    """Return the column that is called like grades; None if there is none."""
    return _called("graded", [name for name in names if name not in taken])


def _called(role: str, names: Sequence[str]) -> str | None:
    """Return the column with the surest name of a role."""
    by_name = {bare(str(name)): name for name in reversed(names)}
    return next((by_name[name] for name in _CALLED[role] if name in by_name), None)


_SURE = tuple(map(bare, ["correct", "is_correct", "acc", "passed", "match", "exact_match"]))
_LIKELY = tuple(map(bare, ("score", "accuracy")))


def lone_grades(table: Table) -> str | None:
    """Return the one column that says which answers are right, by name and contents, if any.

    Names such as score also stand for scores of predictions: such a column must hold only right
    and wrong, and no other column may be a prediction.
    """
    found = [c for c in table.columns if bare(str(c)) in _SURE and _grades_of(table, c)]
    if not found:
        likely = [c for c in table.columns if bare(str(c)) in _LIKELY]
        meanings = [meaning(c) for c in table.columns if c not in likely]
        if any(says is not None and says.role in ("pred", "score") for says in meanings):
            return None
        grades = {c: _grades_of(table, c) for c in likely}
        found = [c for c, values in grades.items() if values and values <= {0.0, 1.0}]
    return found[0] if len(found) == 1 else None


def wide_grades(look: Look) -> tuple[dict[str, Any], str] | None:
    """Return the columns of right and wrong answers if there are several, else None.

    Beside them come only columns named like items, tasks and the like. The second result says
    that they are named like grades, if all are.
    """
    beside = {name for role in _FOUND if role != "graded" for name in _CALLED[role]}
    columns = [c for c in look.columns if bare(c) not in beside]
    classes = [look.contents[c].classes for c in columns if c in look.contents]
    if (
        len(columns) < 2
        or len(classes) < len(columns)
        or not all(0 < len(k & _TWO) == len(k) for k in classes)
    ):
        return None
    if any(meaning(c) is not None and bare(c) not in _SURE for c in columns):
        return None
    named = all(bare(c) in _SURE for c in columns)
    return {"graded": columns}, f"{listed(columns)} are named like grades" if named else ""


_TWO = frozenset({"0", "1", "0.0", "1.0", "true", "false"})
"""The values that mark right and wrong answers where one column has those of several models."""


def _grades_of(table: Table, column: str) -> set[float]:
    """Return the distinct grades in a column, or an empty set if its values are not grades."""
    try:
        grades = _as_grades(whole_column(table, column), column)
    except InputError:
        return set()
    return set(np.unique(grades[~np.isnan(grades)]).tolist())


def _wide(
    table: Table, roles: Mapping[str, str], of_models: Sequence[str], errors: Errors | None
) -> Read:
    """Return the answers of a table with one column of grades for each model."""
    others = list(of_models) or [c for c in table.columns if c not in roles.values()]
    labels = [c for c in others if (says := meaning(c)) is not None and says.role == "truth"]
    if labels and not of_models:
        raise InputError(
            f"{table.name} holds true classes in {labels[0]!r} and no grades; predictions "
            "are judged by tm.evaluate(...), and graded=... names a column of grades"
        )
    models, refused = {}, []
    for column in others:
        try:
            models[column] = _as_grades(whole_column(table, column), column)[:, None]
        except InputError:
            if of_models:
                raise
            refused.append(column)
    models = {name: values for name, values in models.items() if not np.isnan(values).all()}
    if not models:
        raise InputError(
            f"{table.name} holds no grades: no column is called correct, score or passed, and none "
            f"holds only numbers from 0 to 1; the columns are {listed(list(table.columns))}; name "
            "the column with graded=..."
        )
    named = dict.fromkeys(ROLES) | {
        role: whole_column(table, roles[role])
        for role in ("item", "task", "cluster")
        if role in roles
    }
    read = _of_arrays(models, named, errors)
    how = f"one row per question, one column of grades for each model: {listed(list(models))}"
    refused += [c for c in table.columns if of_models and c not in (*others, *roles.values())]
    return Read(read.tally, table.name, (how, *_beside_said(roles, refused)), read.warnings)


def _beside_said(roles: Mapping[str, str], ignored: Sequence[str]) -> list[str]:
    said = [f"{role} `{column}`" for role, column in roles.items() if role != "graded"]
    said = [", ".join(said)] if said else []
    return said + ([f"not used: {listed(list(ignored))}"] if ignored else [])


def _long(table: Table, roles: dict[str, str], scorer: str | None, errors: Errors | None) -> Read:
    """Return the answers of a table with one row for each answer."""
    grades = _as_grades(whole_column(table, roles["graded"]), roles["graded"])
    columns = {
        role: code_names(whole_column(table, column), column)
        for role, column in roles.items()
        if role not in ("graded", "state", "scorer")
    }
    if "state" in roles:
        scored = _scored(whole_column(table, roles["state"]), roles["state"])
        grades = grades if scored is None else np.where(scored, grades, np.nan)
    keep = _of_scorer(table, roles.get("scorer"), scorer)
    if keep is not None:
        grades = grades[keep]
        columns = {r: _some(c, keep) for r, c in columns.items()}
    model = columns.get("model", Coded(np.zeros(len(grades), dtype=np.intp), ("model",)))
    if not len(grades):
        raise InputError(f"{table.name} holds no answer; give at least one row")
    how = [f"grades in `{roles['graded']}`, one row per answer"]
    if "item" not in columns:
        if len(model.labels) > 1 or "epoch" in columns:
            raise InputError(
                f"{table.name} has several answers to each question, and no column says to which; "
                "name the column of the question with item=..."
            )
        columns["item"] = code_names(np.arange(len(grades)), "item")
        how.append("each row is a question of its own")
    item, of_items = _items(columns)
    if "epoch" in columns:
        _refuse_twice(columns, model, item, of_items["items"], roles["epoch"])
    tally, warnings = _counted(grades, model, item, of_items, errors)
    used = {*roles.values()}
    ignored = [c for c in table.columns if c not in used]
    return Read(tally, table.name, (*how, *_beside_said(roles, ignored)), warnings)


def _some(column: Coded, keep: NDArray[np.bool_]) -> Coded:
    """Return some rows of a column of labels, without labels that none of them has."""
    codes = column.codes[keep]
    present = np.unique(codes[codes >= 0])
    place = np.full(len(column.labels) + 1, -1)  # the last is that of missing labels
    place[present] = np.arange(len(present))
    return Coded(place[codes], tuple(column.labels[i] for i in present.tolist()))


def _scored(values: NDArray[Any], name: str) -> NDArray[np.bool_] | None:
    """Return which rows have the state "scored"; None if the column is not one of states."""
    coded = code_labels(values, name, most=max(len(values), 1))
    known = {"scored": True, "unscored": False, "error": False}
    if not {str(label) for label in coded.labels} <= known.keys():
        return None
    scored = np.array([*(known[str(label)] for label in coded.labels), False])
    return np.asarray(scored[coded.codes], dtype=np.bool_)


def _of_scorer(table: Table, column: str | None, scorer: str | None) -> NDArray[np.bool_] | None:
    """Return the rows of one scorer, None for all; refuse several of which none was chosen."""
    if column is None:
        if scorer is not None:
            raise InputError(f"{table.name} has no column of scorers; leave scorer=... out")
        return None
    coded = code_names(whole_column(table, column), column)
    names = [str(label) for label in coded.labels]
    if scorer is not None:
        check_name("scorer", scorer, names)
        return np.asarray(coded.codes == names.index(scorer))
    if len(names) > 1:
        raise InputError(
            f"{table.name} holds the grades of {many(len(names), 'scorer')}, {listed(names)}; "
            "choose one with scorer=..."
        )
    return None


def _items(columns: Mapping[str, Coded]) -> tuple[NDArray[Any], dict[str, Any]]:
    """Return the code of the item of each row, an item being one of its task, and all items."""
    item, task = columns["item"], columns.get("task")
    tasks = ("",) if task is None else task.labels
    if task is None or len(tasks) == 1:
        codes, names, of_task = item.codes, item.labels, np.zeros(len(item.labels), dtype=np.intp)
    else:
        key = task.codes.astype(np.int64) * len(item.labels) + item.codes
        keys, codes = np.unique(key, return_inverse=True)
        of_task = keys // len(item.labels)
        names = tuple(item.labels[i] for i in (keys % len(item.labels)).tolist())
    out = {"items": names, "tasks": tasks, "task": of_task}
    if "cluster" in columns:
        cluster = columns["cluster"]
        of_item = np.zeros(len(names), dtype=np.intp)
        of_item[codes] = cluster.codes
        other = of_item[codes] != cluster.codes
        if other.any():
            row = int(np.argmax(other))
            raise InputError(
                f"the item {names[codes[row]]!r} is in the clusters "
                f"{cluster.labels[cluster.codes[row]]!r} and "
                f"{cluster.labels[of_item[codes[row]]]!r}; each item has one"
            )
        out |= {"clusters": cluster.labels, "cluster": of_item}
    return codes, out


def _refuse_twice(
    columns: Mapping[str, Coded],
    model: Coded,
    item: NDArray[Any],
    items: Sequence[Label],
    name: str,
) -> None:
    """Refuse two grades of one item by one model in one epoch."""
    epoch = columns["epoch"]
    key = (np.asarray(model.codes, dtype=np.int64) * len(items) + item) * len(epoch.labels)
    key = key + epoch.codes
    first = np.sort(key)
    twice = first[1:][first[1:] == first[:-1]]
    if len(twice):
        row = int(np.flatnonzero(key == twice[0])[0])
        raise InputError(
            f"the item {items[item[row]]!r} has two grades of {model.labels[model.codes[row]]!r} "
            f"in the {name} {epoch.labels[epoch.codes[row]]!r}; keep one, or name the column that "
            "tells them apart with epoch=..."
        )


def _counted(
    grades: Floats,
    model: Coded,
    item: NDArray[Any],
    of_items: Mapping[str, Any],
    errors: Errors | None,
) -> tuple[GradeTally, tuple[str, ...]]:
    """Return the tally of answers in long form; those without a grade are wrong or left out."""
    absent, codes = np.isnan(grades), model.codes
    number = np.bincount(codes[absent], minlength=len(model.labels)).astype(float)
    if errors == "wrong":
        grades = np.where(absent, 0.0, grades)
    elif absent.any():
        grades, codes, item = grades[~absent], codes[~absent], item[~absent]
    tally = GradeTally.of_codes(codes, item, grades, tuple(model.labels), **of_items)
    counted = replace(tally, wrong=number) if errors == "wrong" else replace(tally, left_out=number)
    return counted, _of_absent(counted)


def _of_absent(tally: GradeTally) -> tuple[str, ...]:
    """Return warnings of answers without a grade that are left out."""
    left_out: Any = tally.left_out
    who = [
        f"{int(n):,} of {model}"
        for model, n in zip(tally.models, left_out.tolist(), strict=True)
        if n
    ]
    if not who:
        return ()
    return (
        f"answers without a grade are left out ({', '.join(who)}); errors='wrong' counts them as "
        "wrong",
    )
