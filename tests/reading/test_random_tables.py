"""Random tables with known answers: read right, or asked about with calls that give the answer.

``TABLES=2000 pytest tests/reading/test_random_tables.py`` runs more of them for each seed.
"""

from __future__ import annotations

import importlib.util
import os
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tallymark as tm
from fuzzing import refusal
from remedies import calls

MAKER = Path(__file__).parents[3] / "shared" / "design" / "reading" / "tables.py"
SEEDS = (11, 23)
TABLES = int(os.environ.get("TABLES", "60"))
TOLERANCE = 0.002

pytestmark = pytest.mark.skipif(
    not MAKER.exists(), reason="the maker of random tables is not beside this checkout"
)


@cache
def maker():
    spec = importlib.util.spec_from_file_location("random_tables", MAKER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def tables(seed):
    """Return the tables of a seed with their answers: {name: values}, {rows, auc, ...}."""
    return [maker().table(np.random.default_rng([seed, i])) for i in range(TABLES)]


def frame(columns):
    return pd.DataFrame({c: values_of(v) for c, v in columns.items()})


def values_of(v):
    """Return a column as a CSV would hold it: digits are numbers."""
    v = np.asarray(v)
    if v.dtype.kind != "U":
        return v
    if set(v) <= {"False", "True"}:
        return v == "True"
    try:
        return v.astype(int)
    except ValueError:
        return v


def area_of(ev):
    """Return the area, None where there is no score of two classes.

    Whichever class is positive, the area is the same where the score is read as that of its class.
    """
    scored = ev.models[0].scores and len(ev.classes) == 2
    return ev["roc_auc"].value if scored else None


def ties(columns, answer):
    """Return the share of rows on the cut at 0.5, which no decision in the table settles."""
    if answer["pred"]:
        return 0
    halves = [np.equal(v, 0.5).mean() for v in columns.values() if np.asarray(v).dtype.kind == "f"]
    return max(halves, default=0)


def outcome(columns, answer, make=frame, **say):
    """Return "right", "asked", "half" or "wrong", and the numbers or the sentence."""
    ev, sentence = refusal(tm.evaluate, make(columns), **say)
    if ev is None:
        return "asked", sentence
    if len(ev.models) != 1:
        return "wrong", (ev.names, ev.source.sentence)
    numbers = {"rows": ev.rows, "accuracy": ev["accuracy"].value, "auc": area_of(ev)}
    found = (numbers, ev.source.sentence)
    slack = {"rows": 0, "accuracy": TOLERANCE + ties(columns, answer), "auc": TOLERANCE}
    for name, most in slack.items():
        want, got = answer[name], numbers[name]
        if want is not None and got is not None and not abs(want - got) <= most:
            return "wrong", found
    if answer["auc"] is not None and numbers["auc"] is None:
        return "half", found
    return "right", found


@cache
def outcomes(seed):
    return [outcome(columns, answer) for columns, answer in tables(seed)]


def listed(seed, kind):
    """Return what is to be seen of the tables of an outcome."""
    return [
        (f"{seed}/{i}", answer["kind"], list(columns), answer, found)
        for i, ((columns, answer), (result, found)) in enumerate(
            zip(tables(seed), outcomes(seed), strict=True)
        )
        if result == kind
    ]


def shown(rows):
    return "\n".join(map(str, rows[:5]))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.slow
def test_none_is_read_wrong(seed):
    wrong = listed(seed, "wrong")
    assert not wrong, f"{len(wrong)} of {TABLES}\n{shown(wrong)}"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.slow
def test_no_score_is_left_unread(seed):
    half = listed(seed, "half")
    assert not half, f"{len(half)} of {TABLES}\n{shown(half)}"


@pytest.mark.slow
def test_at_most_two_in_five_are_asked_about():
    asked = [row for seed in SEEDS for row in listed(seed, "asked")]
    tried = TABLES * len(SEEDS)
    assert len(asked) <= 0.4 * tried, f"{len(asked)} of {tried}\n{shown(asked)}"


@pytest.mark.slow
def test_most_questions_list_a_call_that_gives_the_right_numbers():
    failed, asked = [], [row for seed in SEEDS for row in listed(seed, "asked")]
    for name, kind, columns, answer, sentence in asked:
        seed, number = map(int, name.split("/"))
        table = tables(seed)[number][0]
        results = [outcome(table, answer, **choice)[0] for choice in calls(sentence)]
        if "right" not in results:
            failed.append((name, kind, columns, results, sentence))
    helped = len(asked) - len(failed)
    assert helped >= 0.7 * len(asked), f"{helped} of {len(asked)}\n{shown(failed)}"


def turned(columns):
    return frame(dict(reversed(columns.items())))


def arrays(columns):
    return {c: values_of(v) for c, v in columns.items()}


def changed(seed, make, most=TABLES):
    """Return the tables of a seed whose outcome another door changes."""
    out = []
    for (columns, answer), (result, found) in zip(
        tables(seed)[:most], outcomes(seed)[:most], strict=True
    ):
        again, now = outcome(columns, answer, make)
        same = again == result and (result == "asked" or now[0] == pytest.approx(found[0]))
        if not same:
            out.append((answer["kind"], list(columns), result, found, again, now))
    return out


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("make", [turned, arrays])
@pytest.mark.slow
def test_order_of_columns_and_door_change_nothing(seed, make):
    found = changed(seed, make)
    assert not found, f"{len(found)} of {TABLES}\n{shown(found)}"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.slow
def test_files_are_read_as_frames(seed, tmp_path):
    def file(columns):
        path = tmp_path / "table.csv"
        pd.DataFrame({c: np.asarray(v) for c, v in columns.items()}).to_csv(path, index=False)
        return path

    found = changed(seed, file, most=10)
    assert not found, f"{len(found)}\n{shown(found)}"
