"""Tallies of grades add up, and stand in JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm

ROWS = st.lists(
    st.tuples(
        st.sampled_from("ab"), st.sampled_from("pqrs"), st.sampled_from("xy"),
        st.sampled_from([0.0, 0.25, 1.0]),
    ), min_size=1, max_size=20,
)  # fmt: skip


def counted(rows):
    model, item, task, grade = zip(*rows, strict=True)
    frame = {"model": model, "item": item, "task": task, "correct": grade}
    try:
        return tm.evals({k: list(v) for k, v in frame.items()}).tally
    except tm.InputError:  # no question in common: count the models one by one
        parts = [[r for r in rows if r[0] == m] for m in dict.fromkeys(model)]
        return sum((counted(p) for p in parts[1:]), counted(parts[0]))


@given(ROWS, ROWS)
def test_the_sum_of_two_tallies_is_the_tally_of_all_rows(a, b):
    both = counted(a) + counted(b)
    assert both == counted(b) + counted(a) == counted([*a, *b])
    assert both.answers.sum() == len(a) + len(b)


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows, random):
    shuffled = rows[:]
    random.shuffle(shuffled)
    assert counted(rows) == counted(shuffled)


@given(ROWS)
def test_a_tally_is_read_back_from_json(rows):
    tally = counted(rows)
    again = tm.GradeTally.from_dict(json.loads(json.dumps(tally.to_dict())))
    assert again == tally


def test_a_long_tally_with_clusters_is_read_back():
    grades = np.random.default_rng(0).random((400, 2)) < 0.5
    tally = tm.evals({"a": grades, "b": ~grades}, cluster=[f"c{i % 30}" for i in range(400)]).tally
    data = json.loads(json.dumps(tally.to_dict()))
    assert set(data["sums"]) == {"shape", "float64"}
    again = tm.GradeTally.from_dict(data)
    assert again == tally
    assert tm.evals(again).to_dict()["pairs"] == tm.evals(tally).to_dict()["pairs"]
    data["cluster"] = [99] * 400
    with pytest.raises(tm.InputError, match="clusters of this tallymark/grade-tally are damaged"):
        tm.GradeTally.from_dict(data)


def test_tallies_of_two_models_make_one_leaderboard():
    a, b = [1, 1, 0, 1], [0, 1, 0, 0]
    tallies = [tm.evals({name: x}).tally for name, x in (("a", a), ("b", b))]
    together = tm.evals(tallies[0] + tallies[1])
    assert together.to_dict()["pairs"] == tm.evals({"a": a, "b": b}).to_dict()["pairs"]


def test_an_item_is_one_of_its_task():
    rows = {"item": [1, 1], "task": ["x", "y"], "correct": [1, 0]}
    tally = tm.evals(rows).tally
    assert len(tally.items) == 2
    assert tally.on("y").sums.tolist() == [[0.0]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sums": [[2.0]]}, "sums are below 0 or above answers; grades are numbers from 0 to 1"),
        ({"sums": [[1.0, 0.0]]}, "sums has shape (1, 2); 1 models and 1 items need (1, 1)"),
    ],
)
def test_impossible_sums_are_refused(change, message):
    fields = {"models": ("a",), "items": ("q",), "sums": [[1.0]], "answers": [[1.0]]}
    with pytest.raises(tm.InputError) as refused:
        tm.GradeTally(**{**fields, **change})
    assert str(refused.value) == message


def test_an_item_in_two_clusters_is_refused():
    def of(clusters):
        return tm.evals([1, 0], item=["p", "q"], cluster=clusters).tally

    with pytest.raises(tm.InputError) as refused:
        of(["x", "y"]) + of(["y", "x"])
    assert str(refused.value) == "the item 'p' is in the clusters 'x' and 'y'; each item has one"
    with pytest.raises(tm.InputError) as refused:
        of(["x", "y"]) + tm.evals([1, 0], item=["p", "q"]).tally
    message = "one tally has clusters and the other has none; count both with cluster=..."
    assert str(refused.value) == message


def test_a_tally_says_what_it_holds():
    assert str(tm.evals({"a": [[1, 0], [1, 1]]}).tally) == "4 answers of 1 model to 2 questions"
