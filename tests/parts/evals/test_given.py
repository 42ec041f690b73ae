"""Graded answers that are given to what judges predictions lead to the same leaderboard."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main

RNG = np.random.default_rng(3)
ROWS = [(f"q{i % 20}", m, e, "law" if i % 20 < 8 else "math", f"text {i % 20 // 3}")
        for m in ("falcon", "heron") for e in (1, 2) for i in range(20)]  # fmt: skip
LONG = pd.DataFrame(ROWS, columns=["question", "llm", "go", "subject", "passage"])
LONG["correct"] = (RNG.random(len(LONG)) < np.where(LONG.llm == "falcon", 0.8, 0.5)).astype(int)
NAMED = {"item": "question", "model": "llm", "epoch": "go", "task": "subject", "cluster": "passage"}
WIDE = pd.DataFrame({"item": [f"q{i}" for i in range(30)], "falcon": RNG.random(30) < 0.8,
                     "heron": (RNG.random(30) < 0.5).astype(int)})  # fmt: skip


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    LONG.to_csv("long.csv", index=False)
    WIDE.to_csv("wide.csv", index=False)
    for name, rows in LONG[LONG.go == 1].groupby("llm"):
        rows[["question", "correct"]].to_csv(f"{name}.csv", index=False)
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 40)
    pd.DataFrame({"y": truth, "s": rng.random(40), "z": rng.random(40)}).to_csv(
        "pred.csv", index=False
    )
    return tmp_path


def run(*words, **more):
    return CliRunner().invoke(main, words, prog_name="tallymark", **more)


def test_a_named_column_of_grades_leads_to_the_leaderboard(files):
    board = tm.evaluate(LONG, graded="correct", **NAMED, level=0.9)
    assert board.to_dict() == tm.evals(LONG, "correct", **NAMED, level=0.9).to_dict()
    assert (board.questions, board.clusters, board.tasks) == (20, 7, ("law", "math"))
    file = tm.evaluate("long.csv", graded="correct", **NAMED, options={"name": "the answers"})
    assert file.source == "the answers"
    assert file.to_dict()["pairs"] == tm.evals(LONG, "correct", **NAMED).to_dict()["pairs"]


def test_several_named_columns_are_models(files):
    board = tm.evaluate(WIDE, graded=["heron", "falcon"])
    assert board.to_dict()["models"] == tm.evals(WIDE).to_dict()["models"]
    lone = tm.evaluate(WIDE, graded=["falcon"])
    assert lone.models[0].value.value == WIDE.falcon.mean()
    assert "'heron'" in " ".join(lone.read_as)
    printed = run("report", "wide.csv", "--graded", "falcon", "--graded", "heron").output
    assert printed == run("evals", "wide.csv").output
    with pytest.raises(tm.InputError, match="there is no column 'wren'|has no column 'wren'"):
        tm.evaluate(WIDE, graded=["falcon", "wren"])
    with pytest.raises(tm.InputError, match="'item' holds|item holds"):
        tm.evaluate(WIDE, graded=["falcon", "item"])


@pytest.mark.parametrize("name", ["correct", "acc", "passed", "match", "exact_match", "score"])
@pytest.mark.parametrize("dtype", [int, bool, str])
def test_a_lone_column_of_right_and_wrong_is_found(name, dtype):
    table = LONG[["question", "llm"]].assign(**{name: LONG.correct.astype(bool).astype(dtype)})
    board = tm.evaluate(table, model="llm")
    assert board.to_dict() == tm.evals(table, name, model="llm").to_dict()
    assert board.read_as[0] == f"grades in `{name}`, one row per answer"


def test_scores_that_are_no_grades_and_tables_with_predictions_are_asked_as_before():
    scores = RNG.random(30)
    for table in (
        {"item": range(30), "score": scores},
        {"pred": ["a", "b", "c"] * 10, "score": [1, 0, 1] * 10},
        {"item": range(30), "correct": [f"answer {i}" for i in range(30)]},
    ):
        with pytest.raises(tm.InputError, match="^there is no true class here"):
            tm.evaluate(pd.DataFrame(table))
    graded = pd.DataFrame({"item": range(30), "correct": [1, 0, 1] * 10})
    for named in ({"positive": 1}, {"pred": "item"}, {"threshold": 0.5}):
        with pytest.raises(tm.InputError, match="no true class here"):
            tm.evaluate(graded, **named)


def test_two_columns_of_grades_are_asked_about():
    thirds = [i % 7 / 6 for i in range(30)]
    table = pd.DataFrame({"item": range(30), "acc": thirds, "match": thirds[::-1]})
    with pytest.raises(tm.InputError, match="no true class here"):
        tm.evaluate(table)
    assert tm.evaluate(table, graded="match").models[0].value.value == pytest.approx(
        np.mean(thirds)
    )
    assert tm.evaluate(table[["item", "acc"]]).read_as[0].startswith("grades in `acc`")


def test_a_question_about_several_models_lists_their_columns_as_grades(files):
    rng = np.random.default_rng(1)
    grades = {name: (rng.random(60) < 0.7) * 1 for name in ("falcon", "heron")}
    table = pd.DataFrame({"item": range(60), **grades})
    table.to_csv("grades.csv", index=False)
    with pytest.raises(tm.InputError) as asked:
        tm.evaluate(table)
    assert str(asked.value) == (
        "several columns could be the true class: 'falcon', 'heron'; say tm.evaluate(..., "
        "graded=['falcon', 'heron']) or tm.evaluate(..., truth='falcon', pred='heron') or "
        "tm.evaluate(..., truth='heron', pred='falcon')"
    )
    done = run("report", "grades.csv")
    assert (done.exit_code, done.stdout, done.stderr) == (
        2,
        "",
        "tallymark: several columns could be the true class: 'falcon', 'heron'; say tallymark "
        "report grades.csv --graded falcon --graded heron or tallymark report grades.csv --truth "
        "falcon --pred heron or tallymark report grades.csv --truth heron --pred falcon\n",
    )
    board = tm.evaluate(table, graded=["falcon", "heron"])
    assert board.to_dict() == tm.evals(table).to_dict()
    with pytest.raises(tm.InputError, match="; say tm.evaluate.*graded=.'falcon', 'heron'.*; name"):
        tm.evaluate(WIDE)


@pytest.mark.parametrize("other", [[0.25, 0.5, 0.75] * 10, ["a", "b", "c"] * 10])
def test_tables_with_other_columns_are_not_offered_as_grades(other):
    with pytest.raises(tm.InputError) as asked:
        tm.evaluate(WIDE.assign(other=other))
    assert "graded" not in str(asked.value)


@pytest.mark.parametrize("beside", [{}, {"item": range(60)}])
@pytest.mark.parametrize("names", [("correct", "passed"), ("correct", "match")])
def test_two_columns_named_like_grades_are_asked_about(beside, names):
    rng = np.random.default_rng(1)
    first, second = ((rng.random(60) < 0.7) * 1 for _ in names)
    table = pd.DataFrame({**beside, names[0]: first, names[1]: second})
    with pytest.raises(tm.InputError) as asked:
        tm.evaluate(table)
    assert str(asked.value).startswith(
        f"'{names[0]}', '{names[1]}' are named like grades, and may also be a true class and a "
        f"prediction; say tm.evaluate(..., graded={[*names]}) or tm.evaluate(..., truth="
    )
    assert {m.model for m in tm.evaluate(table, graded=[*names]).models} == {*names}
    assert isinstance(tm.evaluate(table, truth=names[1], pred=names[0]), tm.Evaluation)


def test_standard_input_is_recognised_as_a_file_is(files):
    for name in ("falcon.csv", "wide.csv"):
        usual = run("report", name)
        piped = run("report", "-", input=(files / name).read_text())
        assert piped.exit_code == usual.exit_code
        for text, from_file in ((piped.stdout, usual.stdout), (piped.stderr, usual.stderr)):
            assert text == from_file.replace(f"report {name}", "report -").replace(
                name, "standard input"
            )
    assert run("report", "-", input="").stderr == (
        "tallymark: standard input is empty; give a file with a header and rows\n"
    )


def test_what_is_for_predictions_is_refused():
    for named in ({"positive": 1}, {"threshold": 0.5}, {"weight": "go"}, {"truth": "llm"},
                  {"options": {"memory": "1GB"}}):  # fmt: skip
        (name,) = named if "options" not in named else ("memory",)
        with pytest.raises(tm.InputError) as refused:
            tm.evaluate(LONG, graded="correct", **NAMED, **named)
        assert str(refused.value).startswith(f"{name} is for predictions of classes, and these")
    with pytest.raises(tm.InputError, match="^use is 'medicine', which is for predictions"):
        tm.evaluate(LONG, graded="correct", **NAMED, use="medicine")
    with pytest.raises(tm.InputError, match="^item does not go with predictions of classes; leave"):
        tm.evaluate([0, 1, 1, 0], [0, 1, 0, 0], item="q")
    with pytest.raises(tm.InputError, match="^item does not go with predictions of classes"):
        tm.evaluate(np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]), item="q")


def test_labels_stay_classification():
    table = {"target": ["A", "B", "C"] * 6, "answer": ["B", "B", "C"] * 6, "correct": [0, 1, 1] * 6}
    assert tm.evaluate(pd.DataFrame(table)).classes == ("A", "B", "C")


def test_report_inspect_and_compare_show_the_leaderboard(files):
    words = [w for name, column in NAMED.items() for w in (f"--{name}", column)]
    usual = run("evals", "long.csv", *words).output
    for command in ("report", "inspect", "compare"):
        done = run(command, "long.csv", *words)
        assert (done.exit_code, done.output) == (0, usual)
        named = run(command, "long.csv", "--graded", "correct", *words)
        assert named.output == usual
    page = run("report", "long.csv", *words, "-o", "page.html", "--json", "page.json")
    assert page.output == f"{usual}json: page.json\npage: page.html\n"
    assert "pecificity" not in usual + (files / "page.html").read_text("utf-8")
    piped = run(
        "report", "-", "--graded", "correct", *words, input=(files / "long.csv").read_text()
    )
    assert piped.output == usual.replace("long.csv", "standard input")


def test_compare_takes_a_table_for_each_model(files):
    usual = run("evals", "falcon.csv", "heron.csv").output
    assert "falcon" in usual
    for words in (["falcon.csv", "heron.csv"], ["falcon.csv", "--with", "heron.csv"],
                  ["falcon.csv", "heron.csv", "--graded", "correct"]):  # fmt: skip
        assert run("compare", *words).output == usual
    board = tm.evaluate(["falcon.csv", "heron.csv"], graded="correct")
    assert board.to_dict() == tm.evals(["falcon.csv", "heron.csv"]).to_dict()
    assert run("compare", "falcon.csv", "heron.csv", "-o", "b.html").output.endswith("b.html\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("report long.csv --costs 1 5",
         "costs is for predictions of classes, and this is something else; leave --costs out"),
        ("report long.csv --graded correct --positive 1",
         "positive is for predictions of classes, and these are graded answers; leave --positive "
         "out"),
        ("compare falcon.csv heron.csv --metric f1",
         "metric is for predictions of classes, and this is something else; leave --metric out"),
        ("threshold falcon.csv",
         "falcon.csv holds no predictions of classes; what it holds is judged by tallymark report "
         "FILE"),
        ("check falcon.csv --require recall>=0.5",
         "falcon.csv holds no predictions of classes; what it holds is judged by tallymark report "
         "FILE"),
        ("compare pred.csv --truth y --score s --score z -o page.html",
         "--output writes the page of graded answers; that of predictions is written by tallymark "
         "report"),
        ("compare pred.csv falcon.csv heron.csv --truth y --score s",
         "predictions of more than two files are not compared; give one file with a column for "
         "each model, or two files"),
        ("report pred.csv --truth y --score s --task z",
         "task does not go with predictions of classes; leave --task out"),
    ],
)  # fmt: skip
def test_refusals_of_commands(files, words, said):
    done = run(*words.split())
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"tallymark: {said}\n")
