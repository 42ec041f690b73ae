"""Prediction sets: their coverage, their sizes, and a coverage that is too low."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, betabinom

import tallymark as tm
from parts.risk.test_measures import cases
from tallymark.parts.risk.sets import probability_this_low

ROWS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sets(st.sampled_from("abc"))), min_size=1, max_size=30
)


def counted(rows):
    y, sets = zip(*rows, strict=True)
    return tm.SetTally.from_arrays(y, [sorted(s) for s in sets], classes=list("abc"))


@pytest.mark.parametrize("case", cases("prediction_sets"))
def test_worked_sets(case):
    n, expect, near = len(case["size"]), case["expect"], case["tol"]
    # Class 0 is the true one: a set that holds it begins with it.
    sets = [
        list(range(1 - covered, size + 1 - covered))
        for size, covered in zip(case["size"], case["covered"], strict=True)
    ]
    tally = tm.SetTally.from_arrays([0] * n, sets, classes=list(range(case["classes"])))
    found = tm.prediction_sets(
        tally, alpha=1 - case["wanted"], calibration_rows=case["calibration_rows"]
    )
    assert found.coverage.value == pytest.approx(expect["coverage"], abs=near)
    assert [found.coverage.low, found.coverage.high] == pytest.approx(expect["wilson"], abs=near)
    assert found.mean_size.value == pytest.approx(expect["mean_size"], abs=near)
    assert (found.empty, found.single) == (expect["empty"], expect["single"])
    by_size = {
        str(s): [v.definition["covered"], v.definition["rows"]] for s, v in found.by_size.items()
    }
    assert by_size == expect["covered_by_size"]
    assert found.p_this_low == pytest.approx(expect["p_coverage_this_low"], rel=1e-9)
    assert found.warning


@given(ROWS)
def test_the_parts_are_counted_one_row_at_a_time(rows):
    found = tm.prediction_sets(counted(rows))
    assert found.coverage.value == pytest.approx(np.mean([y in s for y, s in rows]))
    assert found.mean_size.value == pytest.approx(np.mean([len(s) for _, s in rows]))
    for label, value in found.by_class.items():
        assert value.value == pytest.approx(np.mean([y in s for y, s in rows if y == label]))
    for size, value in found.by_size.items():
        assert value.value == pytest.approx(np.mean([y in s for y, s in rows if len(s) == size]))
    assert set(found.by_size) == {len(s) for _, s in rows}
    assert (found.empty, found.single) == tuple(sum(len(s) == k for _, s in rows) for k in (0, 1))
    if len(rows) < 2:
        assert found.mean_size.method == "no interval: one set"
        return
    assert 0 <= found.mean_size.low <= found.mean_size.value <= found.mean_size.high <= 3


@given(ROWS, ROWS)
def test_tallies_of_parts_add_up_and_json_is_read_back(a, b):
    both = counted(a) + counted(b)
    assert both == counted([*a, *b]) == counted(b) + counted(a)
    assert counted(a[::-1]) == counted(a)
    assert tm.SetTally.from_dict(both.to_dict()) == both


def test_the_interval_of_the_mean_size_has_one_more_row():
    sizes = np.array([0, 1, 1, 2, 3, 1])
    found = counted([("a", set("abc"[:s])) for s in sizes]).counts
    value = tm.prediction_sets(tm.SetTally(("a", "b", "c"), found)).mean_size
    x, n = sizes / 3, len(sizes)
    mean = (x.sum() + 0.5) / (n + 1)
    squares = ((x - mean) ** 2).sum() + mean**2 / 2 + (1 - mean) ** 2 / 2
    variance = squares / (n + 1) ** 2 * (n + 1) / n
    size = mean * (1 - mean) / variance - 1
    low, high = 3 * beta(mean * size, (1 - mean) * size).ppf([0.025, 0.975])
    assert (value.low, value.high) == pytest.approx((low, high))


def test_p_values_make_the_sets_above_alpha():
    p = np.array([[0.5, 0.1, 0.05], [0.2, 0.11, 0.9], [0.01, 0.1, 0.0]])
    y = ["b", "c", "a"]
    tally = tm.SetTally.from_arrays(y, p_values=p, alpha=0.1, classes=["a", "b", "c"])
    sets = [["a"], ["a", "b", "c"], []]
    assert tally == tm.SetTally.from_arrays(y, sets, classes=["a", "b", "c"])
    frame = pd.DataFrame(p[:, ::-1], columns=["c", "b", "a"])
    assert tm.SetTally.from_arrays(y, p_values=frame, alpha=0.1).reorder(list("abc")) == tally


def test_valid_sets_are_rarely_called_too_low_and_wrong_ones_are():
    rng, low, wrong = np.random.default_rng(1), 0, 0
    for _ in range(300):
        # Split conformal prediction: the cut is a rank of 99 scores of the calibration.
        cut = np.sort(rng.random(99))[89]
        covered = int((rng.random(500) <= cut).sum())
        low += probability_this_low(covered, 500, 0.1, 99) < 0.01
        wrong += (
            probability_this_low(int((rng.random(500) ** 0.5 <= cut).sum()), 500, 0.1, 99) < 0.01
        )
    assert low <= 9
    assert wrong > 100


@given(st.integers(20, 300), st.integers(1, 60), st.sampled_from([0.05, 0.1, 0.25]))
def test_the_probability_of_a_low_coverage_is_a_sum(calibration, rows, alpha):
    missed = int((calibration + 1) * alpha + 1e-9)
    of = betabinom(rows, calibration + 1 - missed, missed)
    for covered in {0, rows // 2, rows}:
        total = sum(of.pmf(k) for k in range(covered + 1))
        assert probability_this_low(covered, rows, alpha, calibration) == pytest.approx(total)


def test_what_sets_say():
    rows = [*product("a", [{"a"}] * 8), *product("b", [{"a", "b"}, set()])]
    found = tm.prediction_sets(counted(rows), alpha=0.1, calibration_rows=100)
    text = str(found)
    assert text.startswith(
        "10 prediction sets of 3 classes\nCoverage 0.90 (95 % CI 0.60 to 0.98), mean size 1.00 ("
    )
    assert "1 are empty" not in text
    assert "\n1 is empty, and 8 hold one class.\n" in text
    assert found.warning is None
    assert "Wanted: 90 %. Valid sets cover so few of 10 rows, or fewer, with p = 0." in text
    assert (
        repr(found) == "<PredictionSets: 10 prediction sets: coverage 0.90 (95 % CI 0.60 to 0.98)>"
    )
    data = json.loads(found.to_json())
    assert data["by_class"][0]["of"] == "a"
    assert data["coverage"]["value"] == 0.9
    assert [r["part"] for r in found.table()] == ["", "", "class", "class", "size", "size", "size"]
    many = tm.prediction_sets(counted([("a", {"b"})] * 40), alpha=0.1, calibration_rows=100)
    assert "Warning: the coverage is below the 90 % that were wanted by more than chance; the" in (
        " ".join(str(many).split())
    )


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: tm.SetTally.from_arrays(["a"]), "give sets=... or p_values=... of the rows, and not both"),
        (lambda: tm.SetTally.from_arrays(["a"], [["a"]], alpha=0.1),
         "alpha=... goes with p_values=...; leave it out"),
        (lambda: tm.SetTally.from_arrays(["a"], p_values=[[0.1, 0.2]]),
         "p_values=... needs alpha=..., such as alpha=0.1"),
        (lambda: tm.SetTally.from_arrays(["a"], 1),
         "sets is 1; give a list of the classes of each row"),
        (lambda: tm.SetTally.from_arrays(["a"], ["ab"]),
         "sets holds 'ab' at index 0; give a list of its classes"),
        (lambda: tm.SetTally.from_arrays(["a"], [["a"], []]),
         "the lengths differ: y_true has 1 rows and sets 2; give both the same rows"),
        (lambda: tm.SetTally.from_arrays(["a"], p_values=[0.1], alpha=0.1),
         "p_values has shape (1,); give 1 rows, and a column for each class"),
        (lambda: tm.SetTally.from_arrays(["a"], p_values=[[0.1, 2]], alpha=0.1),
         "p_values holds a number outside 0 to 1; give p-values"),
        (lambda: tm.SetTally.from_arrays(["a", "b"], p_values=[[0.1], [0.2]], alpha=0.1),
         "p_values has 1 columns, and there are 2 classes, 'a', 'b'; name all of them in the order "
         "of the columns with classes=[...]"),
        (lambda: tm.SetTally(("a", "b"), np.zeros((2, 2, 2))),
         "counts has shape (2, 2, 2); 2 classes need sizes from 0 to 2, each without and with the "
         "true class"),
        (lambda: tm.SetTally(("a",), [[[0, 0], [0, 0.5]]]),
         "counts holds a fraction; give whole numbers"),
        (lambda: tm.SetTally.from_arrays(["a"], [["a"]]) + tm.SetTally.from_arrays(["b"], [["b"]]),
         "one tally has the classes 'a' and the other 'b'; count both with the same classes=[...]"),
        (lambda: tm.prediction_sets(tm.SetTally(("a",), np.zeros((1, 2, 2)))),
         "there is no prediction set to judge; give at least one row"),
        (lambda: tm.prediction_sets(counted([("a", {"a"})]), alpha=0.1, calibration_rows=8),
         "calibration_rows is 8, which is too few for alpha 0.1; such sets hold every class unless "
         "there are 9 rows"),
        (lambda: tm.prediction_sets([1]),
         "tally is [1]; give what tallymark.SetTally makes"),
        (lambda: tm.prediction_sets(counted([("a", {"a"})]), alpha=1),
         "alpha is 1; give a share of errors between 0 and 1, such as 0.1"),
    ],
)  # fmt: skip
def test_refusals(make, sentence):
    with pytest.raises(tm.InputError) as refused:
        make()
    assert str(refused.value) == sentence
