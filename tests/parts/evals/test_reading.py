"""Graded answers are read from arrays, frames and files, or refused in a sentence."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tallymark as tm

LONG = {
    "item": ["p", "q", "r"] * 2,
    "model": ["a"] * 3 + ["b"] * 3,
    "correct": [1, 1, 0, 0, 1, 0],
}


def means(board):
    return {m.model: m.value.value for m in board.models}


@pytest.mark.parametrize("of", [dict, pd.DataFrame, pl.DataFrame])
def test_long_and_wide_tables_of_every_kind_say_the_same(of):
    long = tm.evals(of(LONG))
    wide = tm.evals(of({"item": ["p", "q", "r"], "a": [1, 1, 0], "b": [0, 1, 0]}))
    arrays = tm.evals({"a": [1, 1, 0], "b": [0, 1, 0]})
    assert means(long) == means(wide) == means(arrays) == {"a": 2 / 3, "b": 1 / 3}
    assert long.to_dict()["pairs"] == wide.to_dict()["pairs"] == arrays.to_dict()["pairs"]
    assert long.read_as == (
        "grades in `correct`, one row per answer", "item `item`, model `model`",
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["csv", "json", "jsonl", "parquet"])
def test_files_are_read_as_frames_are(kind, tmp_path):
    path = tmp_path / f"answers.{kind}"
    frame = pd.DataFrame(LONG)
    if kind == "csv":
        frame.to_csv(path, index=False)
    elif kind == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=kind == "jsonl")
    board = tm.evals(path)
    assert board.to_dict()["models"] == tm.evals(frame).to_dict()["models"]
    assert board.source == path.name


@pytest.mark.parametrize(
    "grades",
    [
        [True, True, False],
        ["true", "TRUE", "False"],
        ["C", "C", "I"],
        ["correct", "correct", "incorrect"],
        ["passed", "pass", "failed"],
        [1.0, 1.0, 0.0],
        np.array([1, 1, 0], dtype=np.uint8),
    ],
)
def test_grades_are_numbers_booleans_or_words(grades):
    assert means(tm.evals(grades)) == {"model": pytest.approx(2 / 3)}
    assert means(tm.evals(pd.DataFrame({"acc": grades}))) == {"model": pytest.approx(2 / 3)}


def test_inspects_words_for_partial_and_no_answers():
    assert means(tm.evals(["C", "P", "I", "N"])) == {"model": 0.375}


@pytest.mark.parametrize(
    "name", ["correct", "is_correct", "acc", "score", "passed", "match", "exact_match", "value"]
)
def test_usual_names_of_grades(name):
    board = tm.evals({"question_id": [1, 2, 3], name: [1, 0, 1]})
    assert board.read_as[0] == f"grades in `{name}`, one row per answer"
    assert board.questions == 3


def test_several_files_are_models_of_the_names_of_the_files(tmp_path):
    for name, grades in (("big", [1, 1, 0]), ("small", [0, 1, 0])):
        rows = [{"doc_id": i, "acc": float(g)} for i, g in enumerate(grades)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    board = tm.evals([tmp_path / "big.jsonl", str(tmp_path / "small.jsonl")])
    assert means(board) == {"big": 2 / 3, "small": 1 / 3}
    named = tm.evals({"x": tmp_path / "big.jsonl", "y": tmp_path / "small.jsonl"})
    assert means(named) == {"x": 2 / 3, "y": 1 / 3}
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "big.csv"
    other.write_text("doc_id,acc\n0,1\n")
    with pytest.raises(tm.InputError) as refused:
        tm.evals([tmp_path / "big.jsonl", other])
    assert str(refused.value) == (
        "two files would both be the model 'big'; give {model: file}, or files with different names"
    )


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_questions_have_the_same_names_in_every_kind_of_file(kind, tmp_path):
    frame = pd.DataFrame({"item": [1, 2, 30], "correct": [True, True, False]})
    path = tmp_path / f"x.{kind}"
    if kind == "csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_json(path, orient="records", lines=True)
    board = tm.evals({"file": path, "frame": frame})
    assert board.tally.items == (1, 2, 30)
    assert board.pairs[0].equal == 3


def test_epochs_are_repeated_answers_to_a_question():
    rows = {"item": [1, 1, 2, 2], "epoch": [1, 2, 1, 2], "correct": [1, 0, 1, 1]}
    board = tm.evals(rows)
    assert board.models[0].answers == (2, 2)
    assert means(board) == means(tm.evals([[1, 0], [1, 1]])) == {"model": 0.75}
    del rows["epoch"]
    assert tm.evals(rows).to_dict()["models"] == board.to_dict()["models"]


def test_a_scorer_is_chosen():
    rows = {"item": [1, 2, 1, 2], "scorer": ["em", "em", "f1", "f1"], "value": [1, 0, 1, 0.5]}
    assert means(tm.evals(rows, scorer="f1")) == {"model": 0.75}
    for scorer, message in (
        (None, "the table holds the grades of 2 scorers, 'em', 'f1'; choose one with scorer=..."),
        ("bleu", "there is no scorer 'bleu'; there are 'em', 'f1'"),
    ):
        with pytest.raises(tm.InputError) as refused:
            tm.evals(rows, scorer=scorer)
        assert str(refused.value) == message
    with pytest.raises(tm.InputError) as refused:
        tm.evals({"item": [1, 2], "correct": [1, 0]}, scorer="em")
    assert str(refused.value) == "the table has no column of scorers; leave scorer=... out"


@pytest.mark.parametrize("by", ["state", "missing", "arrays"])
def test_answers_without_a_grade_are_left_out_or_wrong(by):
    grades = [1, 1, np.nan, 1] if by != "state" else [1, 1, 0, 1]
    data = {"item": [1, 2, 3, 4], "correct": grades}
    if by == "state":
        data["state"] = ["scored", "scored", "error", "scored"]
    if by == "arrays":
        data = grades
    board = tm.evals(data)
    assert (means(board), board.questions) == ({"model": 1.0}, 3)
    assert board.models[0].left_out == 1
    assert board.warnings[0] == (
        "answers without a grade are left out (1 of model); errors='wrong' counts them as wrong"
    )
    board = tm.evals(data, errors="wrong")
    assert (means(board), board.models[0].wrong) == ({"model": 0.75}, 1)
    assert not any("left out" in warning for warning in board.warnings)


def test_a_table_of_a_log_is_judged_by_its_columns_alone():
    rows = [
        {"item": f"q{i}", "epoch": e, "model": m, "task": "t", "scorer": "exact",
         "value": float(i % 2), "state": "scored"}
        for i in range(6) for e in (1, 2) for m in ("a", "b")
    ]  # fmt: skip
    rows[0] |= {"value": None, "state": "error"}
    for frame in (pd.DataFrame(rows), pl.DataFrame(rows)):
        board = tm.evals(frame)
        assert (board.questions, board.tasks) == (6, ("t",))
        assert [m.left_out for m in sorted(board.models, key=lambda m: m.model)] == [1, 0]


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (
            [0.5, 7.5], {},
            "data holds 7.5; grades lie between 0 (wrong) and 1 (right), so divide by the highest "
            "possible grade",
        ),
        (
            {"correct": ["yes", "maybe"]}, {},
            "correct holds 'maybe', which is no grade; give numbers from 0 to 1, true and false, "
            "or words such as correct and incorrect",
        ),
        (
            {"model": ["a", "b"], "correct": [1, 0]}, {},
            "the table has several answers to each question, and no column says to which; name the "
            "column of the question with item=...",
        ),
        (
            {"item": [1, 1], "epoch": [3, 3], "correct": [1, 0]}, {},
            "the item 1 has two grades of 'model' in the epoch 3; keep one, or name the column "
            "that tells them apart with epoch=...",
        ),
        (
            {"item": [1, 1], "cluster": ["x", "y"], "correct": [1, 0]}, {},
            "the item 1 is in the clusters 'x' and 'y'; each item has one",
        ),
        (
            {"item": [1, None], "correct": [1, 0]}, {},
            "item is missing in 1 row; leave those rows out, or name another column",
        ),
        (
            {"item": [1, 2], "y_true": ["a", "b"], "x": [0.1, 0.9]}, {},
            "the table holds true classes in 'y_true' and no grades; predictions are judged by "
            "tm.evaluate(...), and graded=... names a column of grades",
        ),
        (
            {"item": [1, 2], "text": ["u", "v"]}, {},
            "the table holds no grades: no column is called correct, score or passed, and none "
            "holds only numbers from 0 to 1; the columns are 'item', 'text'; name the column with "
            "graded=...",
        ),
        (
            {"item": [1, 2], "correct": [1, 0]}, {"model": "llm"},
            "the table has no column 'llm'; there are 'item', 'correct'",
        ),
        (
            {"a": [1, 0], "b": [1]}, {},
            "'a' has 2 questions and 'b' has 1; give one grade of each question, in the same "
            "order, or a table with a column of items",
        ),
        ([1, 0], {"model": "m"}, "model=... is for a file or a frame, and the grades are an array"),
        ([1, 0], {"cluster": ["x"]}, "cluster has 1 entry and there are 2 questions; give one for "
         "each"),
        ([1, 0], {"item": ["x", "x"]}, "item names a question twice; give each question one row"),
        ([], {}, "data has shape (0,); give one grade of each question, or a row of grades, one "
         "for each epoch"),
        ([np.nan, None], {}, "no answer has a grade; errors='wrong' counts such answers as wrong"),
        (
            {"item": [1, 2], "model": ["a", "b"], "correct": [1, 0]}, {},
            "no question was answered by all 2 models; leave 'a', which answered the fewest, out",
        ),
        (
            [0.5, 1], {"method": "clopper-pearson"},
            "method='clopper-pearson' is for grades of 0 and 1, one for each question, without "
            "clusters; leave it out",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_is_refused_in_a_sentence(data, options, message):
    with pytest.raises(tm.InputError) as refused:
        tm.evals(data, **options)
    assert str(refused.value) == message


def test_targets_and_answers_as_labels_are_predictions_as_before():
    labels = ["A", "B", "C"] * 6
    frame = {"target": labels, "prediction": [*labels[1:], "A"], "correct": [0] * 18}
    ev = tm.evaluate(pd.DataFrame(frame))
    assert ev.classes == ("A", "B", "C")
    assert ev["accuracy"] == 0
