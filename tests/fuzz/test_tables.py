"""Whole tables, mutated: a reading that no order of rows or columns changes, or one sentence."""

import datetime
import decimal
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tallymark as tm
from fuzzing import cases, check_evaluation, pick, refusal
from remedies import calls
from tallymark.metric import get

CLASSES = (
    ("no", "yes"),
    (0, 1),
    (1, 2),
    (-1, 1),
    (False, True),
    ("cat", "dog"),
    ("ham", "spam"),
    ("low", "medium", "high"),
    ("A", "B", "C"),
    (0, 1, 2),
    (1, 2, 3, 4, 5),
    ("1", "2", "10"),
)
TRUTHS = ("label", "y", "target", "truth", "actual", "class", "Outcome", "x1")
DECISIONS = ("pred", "y_pred", "prediction", "decision", "called", "x2")
SCORES = ("score", "p", "prob", "confidence", "risk", "y_score", "value", "x3")
FORMS = ("p_{}", "{}_prob", "prob.{}", "{}", "P({})", "score_{}")
EXTRAS = ("n", "count", "age", "id", "weight", "fold", "site", "ratio", "smoker", "split")
NAMES = (
    TRUTHS
    + DECISIONS
    + SCORES
    + EXTRAS
    + (
        "",
        " ",
        "p_yes",
        "p_0",
        "p_1",
        "é",
        "a,b",
        'quo"te',
        "TP",
        "x" * 300,
        "yes",
        "True",
        "Σ",
    )
)
ODD = (
    None,
    math.nan,
    math.inf,
    -math.inf,
    "",
    " ",
    "NA",
    "-",
    "yes",
    "YES",
    0,
    1,
    -1,
    -100,
    2,
    0.5,
    1e308,
    5e-324,
    -0.0,
    10**20,
    True,
    "0,5",
    "50%",
    1 + 1e-12,
    -1e-17,
    "\u202e",
    "a\0b",
    decimal.Decimal("0.5"),
    datetime.date(2020, 1, 1),
    b"yes",
)


def column(rng, name, n):
    """Return a column that is neither truth nor prediction."""
    if name in ("id", "case"):
        return np.arange(100, 100 + n).tolist()
    if name == "ratio":
        return np.round(rng.random(n), 3).tolist()
    if name == "site":
        return [("north", "south", "west")[i] for i in rng.integers(3, size=n)]
    if name == "split":
        return [("test", "train")[i] for i in rng.integers(2, size=n)]
    return rng.integers(*{"smoker": (0, 2), "fold": (1, 6)}.get(name, (1, 60)), n).tolist()


def table(rng):
    """Return a plain table of predictions as [(name, values)]."""
    n, classes = int(pick(rng, (2, 9, 30, 80))), pick(rng, CLASSES)
    k = len(classes)
    y = rng.integers(k, size=n)
    logits = rng.normal(size=(n, k))
    logits[np.arange(n), y] += pick(rng, (0, 1, 3))
    p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    p = np.round(p, int(pick(rng, (1, 3, 6))))
    out = [(pick(rng, TRUTHS), [classes[i] for i in y])]
    if rng.random() < 0.6:
        out.append((pick(rng, DECISIONS), [classes[i] for i in p.argmax(1)]))
    kind, name, form = rng.integers(7), pick(rng, SCORES), pick(rng, FORMS)
    if kind < 2:
        out.append((name, p[:, -1].tolist()))
    elif kind == 2:
        out.append((name, p.max(1).tolist()))
    elif kind == 3:
        out += [(form.format(c), p[:, i].tolist()) for i, c in enumerate(classes)]
    elif kind == 4:
        first = int(rng.integers(2))
        out += [(f"{name}_{i + first}", p[:, i].tolist()) for i in range(k)]
    elif kind == 5:
        out += [(form.format(c), np.round(logits[:, i], 4).tolist()) for i, c in enumerate(classes)]
    for extra in rng.permutation(EXTRAS)[: int(rng.integers(4))]:
        out.append((str(extra), column(rng, str(extra), n)))
    return [
        (name, values)
        for i, (name, values) in enumerate(out)
        if name not in [other for other, _ in out[:i]]
    ]


def as_type(rng, values):
    """Return a column as values of another type, where it has them."""
    change = pick(
        rng,
        (
            str,
            float,
            bool,
            lambda v: f" {v} ",
            lambda v: str(v).upper(),
            lambda v: 100 * v,
            lambda v: f"{v}%",
            lambda v: str(v).replace(".", ","),
            lambda v: [v],
            lambda v: v + 1,
            lambda v: -v,
            round,
            lambda v: decimal.Decimal(str(v)),
            lambda v: {"a": v},
            np.float32,
            lambda v: f"[{v}]",
            lambda v: math.log(v / (1 - v)),
            lambda v: str(v).encode(),
        ),
    )
    try:
        return [change(v) for v in values]
    except (TypeError, ValueError, ArithmeticError):
        return values


def mutated(rng, columns):
    """Return a table with up to three changes."""
    for _ in range(int(pick(rng, (0, 1, 1, 2, 3)))):
        columns = list(columns)
        kind, at = rng.integers(12), int(rng.integers(len(columns)))
        name, values = columns[at]
        taken = [other for other, _ in columns]
        if kind < 3:
            new = pick(rng, NAMES)
            columns[at] = (name if new in taken else new, values)
        elif kind == 3 and len(columns) > 1:
            del columns[at]
        elif kind == 4:
            columns.append((f"{name}.1", list(values)))
        elif kind == 5:
            columns[at] = (name, as_type(rng, values))
        elif kind == 6:
            other = int(rng.integers(len(columns)))
            columns[at], columns[other] = (name, columns[other][1]), (columns[other][0], values)
        elif kind == 7:
            columns[at] = (name, [values[0]] * len(values))
        elif kind == 8:
            columns = [(c, [*v, *v[:7]]) for c, v in columns]
        elif kind == 9:
            columns[at] = (name, [values[int(i)] for i in rng.permutation(len(values))])
        else:
            values = list(values)
            odd = pick(rng, ODD)
            for i in rng.integers(len(values), size=int(pick(rng, (1, 1, 3)))):
                values[int(i)] = odd
            columns[at] = (name, values)
    return columns


def pandas_frame(columns):
    return pd.DataFrame(dict(columns))


def polars_frame(columns):
    return pl.DataFrame(dict(columns), strict=False)


def arrays(columns):
    made = {}
    for name, values in columns:
        array = np.empty(len(values), dtype=object)
        array[:] = values
        made[name] = array if {type(v) for v in values} - {int, float, str, bool} else values
    return {name: np.asarray(v) for name, v in made.items()}


DOORS = (pandas_frame, pandas_frame, polars_frame, arrays)


def judged(make, columns, **say):
    """Return what comes of a table: an evaluation and its refusal, or None where it is no table."""
    try:
        data = make(columns)
    except Exception:  # that library does not hold such values
        return None
    return refusal(tm.evaluate, data, **say)


def reading(ev):
    """Return how a table was read, whatever the order of its columns."""
    roles = {role: sorted([c] if isinstance(c, str) else c) for role, c in ev.source._roles.items()}
    return roles, sorted(map(str, ev.classes)), ev.positive, ev.rows, sorted(ev.names)


def numbers(ev):
    """Return a few numbers of each model, those that it has."""
    values = {}
    for model in ev.models:
        for name in ("accuracy", "matthews_corrcoef", "roc_auc", "brier"):
            if model._holds(get(name)):
                average = "macro" if name == "roc_auc" and len(ev.classes) > 2 else None
                values[model.name, name] = ev.model(model.name).value(name, average=average).value
    return values


def shuffled(rng, columns):
    """Return the same table with its rows and columns in another order."""
    rows = rng.permutation(len(columns[0][1]))
    order = rng.permutation(len(columns))
    return [(columns[i][0], [columns[i][1][j] for j in rows]) for i in order]


def same(one, other):
    """Hold two outcomes of one table to each other."""
    (ev, sentence), (again, refused) = one, other
    assert (ev is None) == (again is None), (sentence, refused)
    if ev is not None:
        assert reading(again) == reading(ev)
        first, second = numbers(ev), numbers(again)
        assert set(first) == set(second)
        for name, value in first.items():
            assert math.isclose(value, second[name], abs_tol=1e-9) or (
                math.isnan(value) and math.isnan(second[name])
            ), (name, value, second[name])


@pytest.mark.slow
def test_tables_are_read_alike_in_any_order_or_refused_in_a_sentence(tmp_path):
    read = 0
    for case, rng in cases(40):
        columns = table(rng)
        say = {"missing": "drop"} if rng.random() < 0.3 else {}
        if len(set(columns[0][1])) == 2 and rng.random() < 0.7:
            say["positive"] = pick(rng, columns[0][1])
        columns = mutated(rng, columns)
        make = pick(rng, DOORS)
        try:
            one = judged(make, columns, **say)
            if one is None:
                continue
            other = judged(make, shuffled(rng, columns), **say)
            if other is not None:
                same(one, other)
            if one[0] is None:
                for choice in calls(one[1])[:3]:
                    judged(make, columns, **say | choice)
            elif case % 4 == 0:
                check_evaluation(one[0])
            read += one[0] is not None
            if case % 5 == 0:
                path = tmp_path / "table.csv"
                pd.DataFrame(dict(columns)).to_csv(path, index=False)
                judged(lambda _, path=path: path, columns, **say)
        except Exception as error:
            shown = [(name, values[:6], len(values)) for name, values in columns]
            raise AssertionError(f"case {case}: {make.__name__} {say} {shown}"[:2500]) from error
    assert read or case < 30
