"""Leaderboards: ranks, groups, tasks, missing questions, and what they say."""

from __future__ import annotations

import json
import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm

RNG = np.random.default_rng(5)
EASE = RNG.beta(2, 1, 200)
SHIFTS = {"A": 0.25, "B": -0.2, "C": 0.2}
GRADES = {m: (RNG.random(200) < np.clip(EASE + s, 0, 1)).astype(int) for m, s in SHIFTS.items()}
BOARD = tm.evals(GRADES, least=0.02)


def test_the_verdict_names_winners_and_ties_and_what_the_questions_show():
    pair = BOARD.pairs[0]
    both = f"{pair.first} and {pair.second}"
    assert BOARD.verdict == (
        f"{both} each beat B. {both} cannot be distinguished on 200 questions. These questions can "
        f"show a difference of {100 * pair.smallest:.2g} points or more between {both} with 80 % "
        f"power. To show 2 points you need {BOARD.questions_for(0.02):,} questions, if {both} "
        "disagree as often as here."
    )
    assert BOARD.groups == (("A", "C"), ("B",)) or BOARD.groups == (("C", "A"), ("B",))


def test_ranks_and_winners_follow_from_the_adjusted_p_values():
    for m in BOARD.models:
        won = [p for p in BOARD.pairs if p.winner == m.model]
        lost = [p for p in BOARD.pairs if p.winner and m.model in (p.first, p.second)]
        lost = [p for p in lost if p.winner != m.model]
        assert (m.rank_low, m.rank_high) == (1 + len(lost), len(BOARD.models) - len(won))
    for p in BOARD.pairs:
        assert (p.winner is not None) == (p.adjusted < 0.05)
        assert p.adjusted >= p.p_value


def test_the_questions_needed_show_what_they_are_needed_for():
    plan = tm.plan_evals(0.02, BOARD.pairs[0].disagreement)
    assert BOARD.questions_for(0.02) == plan.n
    d = BOARD.smallest_difference()
    assert d == BOARD.pairs[0].smallest
    assert BOARD.questions_for(d) in (200, 201)
    assert BOARD.smallest_difference(0.9) > d


@given(st.permutations(range(200)), st.sampled_from(list(permutations("ABC"))))
def test_the_order_of_questions_and_models_does_not_matter(order, models):
    board = tm.evals({m: GRADES[m][list(order)] for m in models}, least=0.02)
    first, again = ({m["model"]: m for m in b.to_dict()["models"]} for b in (BOARD, board))
    assert first == again
    for p in board.pairs:
        assert p.p_value == BOARD.pair(p.first, p.second).p_value


def test_a_pair_is_asked_in_either_order():
    one, other = BOARD.pair("A", "B"), BOARD.pair("B", "A")
    assert (one.difference, one.low, one.high) == (-other.difference, -other.high, -other.low)
    assert (one.winner, one.p_value) == (other.winner, other.p_value) == ("A", one.p_value)
    assert (one.first_better, one.second_better) == (other.second_better, other.first_better)
    d = GRADES["A"] - GRADES["B"]
    assert (one.first_better, one.equal) == ((d > 0).sum(), (d == 0).sum())
    for names, message in (
        (("A", "A"), "first and second are both 'A'; name two models"),
        (("A", "D"), "there is no model 'D'; there are 'A', 'C', 'B'"),
    ):
        with pytest.raises(tm.InputError) as refused:
            BOARD.pair(*names)
        assert str(refused.value).split(";")[0] == message.split(";")[0]


def test_models_are_compared_on_the_questions_that_all_answered():
    rows = [(m, i, g) for m in "AB" for i, g in enumerate(GRADES[m].tolist())]
    rows = [row for row in rows if row[0] == "A" or row[1] >= 12]
    model, item, correct = zip(*rows, strict=True)
    board = tm.evals({"model": list(model), "item": list(item), "correct": list(correct)})
    kept = tm.evals({m: GRADES[m][12:] for m in "AB"})
    assert board.to_dict()["pairs"] == kept.to_dict()["pairs"]
    assert board.warnings == (
        "models are compared on the 188 questions that all of them answered: B lacks 12",
    )
    assert {m.model: m.missing for m in board.models} == {"A": 0, "B": 12}


def test_tasks_weigh_the_same_unless_questions_do():
    grades, task = np.array([1, 1, 1, 1, 1, 1, 0, 1, 0, 0]), ["x"] * 8 + ["y"] * 2
    board = tm.evals(grades, task=task)
    x, y = grades[:8].mean(), grades[8:].mean()
    assert board.weigh == "tasks"
    assert board.models[0].value.value == pytest.approx((x + y) / 2)
    by_items = tm.evals(grades, task=task, weigh="items").models[0].value
    assert (by_items.value, by_items.method) == (0.7, "Wilson")
    assert {t: v["model"].value for t, v in board.by_task.items()} == {"x": x, "y": y}
    assert board.on("y").models[0].value.to_dict() == board.by_task["y"]["model"].to_dict()
    assert "of 2 tasks (each task counts the same)" in str(board)
    with pytest.raises(tm.InputError, match="there is no task 'z'"):
        board.on("z")


def test_tasks_of_one_size_weigh_as_their_questions():
    task = np.arange(200) % 4
    equal, items = (
        tm.evals(GRADES, task=task, weigh=w).models[0].value for w in ("tasks", "items")
    )
    assert equal.value == pytest.approx(items.value)
    assert (equal.low, equal.high) == pytest.approx((items.low, items.high), abs=0.01)


def test_clusters_make_intervals_wider_where_their_questions_are_alike():
    alike = np.repeat(RNG.random(20) < 0.6, 10)
    wide, narrow = (
        tm.evals(alike, cluster=c).models[0].value for c in (np.repeat(range(20), 10), None)
    )
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)
    board = tm.evals({"a": alike, "b": ~alike}, cluster=np.repeat(range(5), 40))
    assert board.clusters == 5
    assert board.warnings == ("5 clusters show little about how clusters vary; add clusters",)
    assert board.pairs[0].method == "delete-one jackknife, t"
    assert "200 questions in 5 clusters" in str(board)


def test_one_cluster_a_question_judges_pairs_by_t():
    board = tm.evals({m: GRADES[m] for m in "AB"}, cluster=range(200))
    plain = tm.evals({m: GRADES[m] for m in "AB"}).pair("A", "B")
    d = GRADES["A"] - GRADES["B"]
    pair, error = board.pair("A", "B"), d.std(ddof=1) / math.sqrt(200)
    from scipy.stats import t

    assert pair.low == pytest.approx(d.mean() - t.ppf(0.975, 199) * error)
    assert pair.difference == plain.difference
    assert pair.disagreement == pytest.approx(plain.disagreement, rel=0.02)


def test_questions_that_all_or_none_solve_are_counted():
    grades = np.array([list(GRADES[m]) for m in "ABC"])
    assert BOARD.solved_by_all == (grades.sum(0) == 3).sum()
    assert BOARD.solved_by_none == (grades.sum(0) == 0).sum()
    sentence = (
        f"All models solve {BOARD.solved_by_all} and no model solves {BOARD.solved_by_none} of 200 "
        "questions; these cannot tell the models apart."
    )
    assert sentence in " ".join(str(BOARD).split())


def test_repeated_answers():
    grades = RNG.random((50, 4)) < 0.7
    board = tm.evals(grades)
    right = grades.sum(1)
    assert board.pass_at(1)["model"].value == pytest.approx(board.models[0].value.value)
    assert board.pass_at(4)["model"].value == pytest.approx((right > 0).mean())
    assert board.pass_all(4)["model"].value == pytest.approx((right == 4).mean())
    same = [np.mean([a == b for i, a in enumerate(r) for b in r[:i]]) for r in grades]
    assert board.consistency()["model"].value == pytest.approx(np.mean(same))
    assert "pass@4" in str(board)
    with pytest.raises(tm.InputError) as refused:
        board.pass_at(5)
    assert str(refused.value) == (
        "pass_at_k with k = 5 needs 5 answers to each question, and model has 4 to some; give "
        "k=... of at most 4"
    )


def test_repeated_answers_are_refused_where_there_are_none():
    with pytest.raises(tm.InputError) as refused:
        tm.evals([1, 0]).consistency()
    assert str(refused.value) == (
        "epoch_consistency needs two answers to each question, and model has one to some; give "
        "the answers of several epochs"
    )
    with pytest.raises(tm.InputError) as refused:
        tm.evals([0.5, 0]).pass_at(1)
    message = "pass_at_k counts right answers, and these are grades between 0 and 1"
    assert str(refused.value) == message


def test_unequal_numbers_of_answers_are_said():
    rows = {"item": [1, 1, 1, 2], "correct": [1, 0, 1, 1]}
    board = tm.evals(rows)
    assert board.warnings[-1] == (
        "questions have 1 to 3 answers ('model'); each question counts the same, and those with "
        "few answers add more chance"
    )
    assert board.models[0].value.value == pytest.approx((2 / 3 + 1) / 2)


def test_one_model_has_a_mean_and_no_pair():
    board = tm.evals([1] * 90 + [0] * 10)
    assert board.verdict == "model: 0.90 (95 % CI 0.83 to 0.94) on 100 questions."
    assert (board.pairs, board.groups) == ((), (("model",),))
    with pytest.raises(tm.InputError) as refused:
        board.smallest_difference()
    assert str(refused.value) == ("one model has no difference to another; give the answers of two")


def test_models_that_never_disagree_are_said_to():
    board = tm.evals({"a": [1, 0] * 10, "b": [1, 0] * 10}, least=0.1)
    assert board.verdict == (
        "a and b cannot be distinguished on 20 questions. a and b never disagree, so nothing says "
        "which difference these questions show."
    )


def test_an_impossible_difference_is_refused():
    with pytest.raises(tm.InputError) as refused:
        BOARD.questions_for(0.9)
    q = BOARD.pairs[0].disagreement
    assert str(refused.value) == (
        f"the first two models disagree on {100 * q:.3g} % of the questions, so a difference of "
        "0.9 is impossible; give a smaller least=..."
    )


def test_many_models_are_refused():
    with pytest.raises(tm.InputError, match="there are 201 models; compare at most 200"):
        tm.evals({f"m{i}": [1, 0] for i in range(201)})


def test_tables_json_and_page_hold_the_same_numbers(tmp_path):
    rows, data = BOARD.table().to_dicts(), json.loads(BOARD.to_json())
    assert [r["value"] for r in rows] == [m["value"]["value"] for m in data["models"]]
    assert BOARD.table_of_pairs().to_dicts() == data["pairs"]
    assert data["format"] == "tallymark/leaderboard"
    text = BOARD.report(tmp_path / "page.html").read_text("utf-8")
    first, second = sorted([BOARD.pairs[0].first, BOARD.pairs[0].second])
    assert (first, second) == ("A", "C")
    assert f"<h1>{BOARD.pairs[0].first} or {BOARD.pairs[0].second}: not decided.</h1>" in text
    assert text.count("How good each model is") == 1
    assert "cannot be distinguished on 200 questions" in text
    lines = str(BOARD).splitlines()
    assert lines.index(f"{BOARD.pairs[0].first} or {BOARD.pairs[0].second}: not decided.") < 5
    assert all(f"{r['value']:.2f}" in text for r in rows)


def test_a_million_answers_are_counted_once():
    n, models, epochs = 10_000, 20, 5
    ease = RNG.random((n, 1))
    grades = {f"m{i}": RNG.random((n, epochs)) < ease for i in range(models)}
    board = tm.evals(grades)
    assert board.tally.answers.sum() == n * models * epochs
    assert len(board.pairs) == models * (models - 1) // 2
    assert board.tally.sums.nbytes + board.tally.answers.nbytes == 2 * 8 * n * models
    model, item = np.repeat(np.arange(models), n * epochs), np.tile(np.arange(n), models * epochs)
    correct = np.concatenate([g.T.ravel() for g in grades.values()])
    long = tm.evals({"model": model, "item": item, "correct": correct})
    assert sorted(long.tally.sums.sum(1)) == sorted(board.tally.sums.sum(1))
