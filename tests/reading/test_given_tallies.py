"""Counts made elsewhere: tallies, which are judged as their rows are."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tallymark as tm
from tallymark.report.page import render

TWO = [[70, 30], [20, 80]]
THREE = [[30, 5, 2], [4, 40, 1], [0, 3, 20]]


def rows_of(matrix, labels):
    cells = [(t, p, n) for t, row in zip(labels, matrix, strict=True)
             for p, n in zip(labels, row, strict=True)]  # fmt: skip
    return [t for t, _, n in cells for _ in range(n)], [p for _, p, n in cells for _ in range(n)]


def numbers(ev):
    found = ev.to_dict()
    for key in ("source", "notes"):
        del found[key]
    del found["counted"]["source"]
    return json.dumps(found, sort_keys=True)


@pytest.mark.parametrize(
    ("matrix", "labels", "positive"),
    [(TWO, [0, 1], None), (TWO, ["no", "yes"], "yes"), (THREE, ["a", "b", "c"], None),
     ([[50, 0], [3, 0]], [0, 1], None), ([[7, 0], [0, 9]], [0, 1], None)],
)  # fmt: skip
def test_a_tally_of_labels_is_its_rows(matrix, labels, positive):
    rows = tm.evaluate(*rows_of(matrix, labels), positive=positive, classes=labels)
    tally = tm.LabelTally.from_arrays(*rows_of(matrix, labels), labels=labels)
    assert numbers(tm.evaluate(tally, positive=positive)) == numbers(rows)
    assert str(tm.evaluate(tally, positive=positive).advise()) == str(rows.advise())


@pytest.mark.slow
def test_a_tally_of_scores_is_its_rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    p = np.round(1 / (1 + np.exp(-rng.normal(y - 0.5))), 2)
    tally = tm.ScoreTally.from_arrays(y, p)
    assert numbers(tm.evaluate(tally)) == numbers(tm.evaluate(y, y_score={"model": p}))
    at = tm.evaluate(tally, threshold=0.3)
    assert at["f1"].value == tm.evaluate(y, y_score=p, threshold=0.3)["f1"].value
    assert tm.evaluate(tally).source.read_as.startswith("Read as: format: TP ")
    both = tm.evaluate({"a": tally, "b": tm.LabelTally.from_arrays(y, y)})
    assert both.source.format[1] == f"b: TP {y.sum()}, FN 0, FP 0, TN {300 - y.sum()}"
    weighted = tm.LabelTally.from_arrays([0, 1, 1], [0, 1, 0], sample_weight=[1.0, 2.0, 0.5])
    assert tm.evaluate(weighted).weighted


def test_refusals_of_tallies():
    tally = tm.LabelTally.from_arrays([0, 1], [0, 1])
    with pytest.raises(tm.InputError, match="y_score does not go with counts, whose rows are"):
        tm.evaluate(tally, y_score=[0.1, 0.2])
    with pytest.raises(tm.InputError, match="subgroup does not go with counts"):
        tm.evaluate({"a": tally}, subgroup={"x": [1, 2]})
    scores = tm.ScoreTally.from_arrays(["a", "b"], [0.1, 0.9], positive="b")
    with pytest.raises(tm.InputError, match="positive is 'a' and scores were counted for 'b'"):
        tm.evaluate(scores, positive="a")
    three = tm.ScoreTally.from_arrays(["a", "b", "c"], [0.1, 0.2, 0.3], positive="a")
    with pytest.raises(tm.InputError, match="counted only for 'a', and there are 3 classes"):
        tm.evaluate(three)
    a, b = tm.LabelTally((0, 1), TWO), tm.LabelTally((0, 1), [[40, 10], [25, 75]])
    with pytest.raises(tm.InputError, match="'a' has 100 and 100 rows of the classes 0, 1 and "):
        tm.evaluate({"a": a, "b": b})


def test_subgroups_of_rows_are_no_studies():
    y, said = rows_of(TWO, [0, 1])
    ev = tm.evaluate(y, said, subgroup={"site": ["a", "b"] * 100})
    assert ev.to_dict()["subgroups"][0]["heterogeneity"] == []
    assert 'id="studies-title"' not in render(ev)
    assert ev.by("site").heterogeneity("sensitivity").studies == 2


def test_the_cells_of_the_first_eight_tallies_are_said():
    def said(*args):
        return tm.evaluate(*args).source.format

    two = tm.LabelTally((0, 1), TWO)
    cells = "TP 80, FN 20, FP 30, TN 70"
    assert said(two) == (cells,)
    assert said({"a": two, "b": two}) == (f"a: {cells}", f"b: {cells}")
    assert said({f"m{i}": two for i in range(9)}) == tuple(f"m{i}: {cells}" for i in range(8))
    assert said(tm.LabelTally(("a", "b", "c"), THREE)) == ("classes in the order a, b, c",)
    assert said(tm.LabelTally(tuple(range(10)), np.eye(10))) == (
        "classes in the order 0, 1, 2, 3, 4, 5, 6, 7",
    )
