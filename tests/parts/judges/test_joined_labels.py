"""Several files, logs, and labels in a table of their own."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark import quantities
from tallymark.cli import main


def run(*args):
    return CliRunner().invoke(main, ["judge", *args], prog_name="tallymark")


@pytest.fixture(autouse=True)
def answers(tmp_path, monkeypatch):
    """Write a table of answers, one of labels, and a file for each model."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    frames = []
    for model, rate in (("crow", 0.85), ("wren", 0.5)):
        truth = rng.random(150) < rate
        judged = np.where(rng.random(150) < 0.9, truth, ~truth)
        columns = {"item": [f"q{i}" for i in range(150)], "model": model, "gpt": judged.astype(int)}
        frames.append(pd.DataFrame({**columns, "human": truth.astype(int)}))
        frames[-1][["item", "gpt"]].to_csv(f"{model}.csv", index=False)
    frame = pd.concat(frames, ignore_index=True)
    known = frame["item"].isin([f"q{i}" for i in range(60)])
    frame[known][["item", "model", "human"]].to_csv("labels.csv", index=False)
    frame["human"] = frame["human"].where(known)
    frame.to_csv("answers.csv", index=False)
    frame[["item", "model", "gpt"]].to_csv("judged.csv", index=False)
    return frame


def test_labels_of_another_table_are_joined_by_item_and_model(answers):
    board = tm.judged_evals("answers.csv", truth="human", judge="gpt")
    shuffled = pd.read_csv("labels.csv").sample(frac=1, random_state=3)
    for data, labels in (("judged.csv", "labels.csv"), (["crow.csv", "wren.csv"], shuffled)):
        joined = tm.judged_evals(data, judge="gpt", labels=labels)
        assert joined.models == board.models
        assert joined.pairs == board.pairs
    assert joined.read_as == ("labels from the data frame, by `item` and `model`",)
    pooled = tm.few_labels("answers.csv", truth="human", judge="gpt", pred=None)
    assert tm.few_labels("judged.csv", judge="gpt", labels="labels.csv").shares == pooled.shares
    files = tm.few_labels(["crow.csv", "wren.csv"], judge="gpt", labels="labels.csv")
    assert files.shares == pooled.shares
    assert files.read_as == ("labels from labels.csv, by `item` and `model`",)


def test_labels_that_match_no_row_are_counted():
    labels = pd.read_csv("labels.csv")
    labels.loc[labels["item"] == "q3", "item"] = "Q3"
    found = tm.few_labels("judged.csv", judge="gpt", labels=labels)
    assert found.labelled == 118
    assert found.notes[0].text == (
        "2 of 120 labels match no row, the first where item = 'Q3' and model = 'crow'. Write the "
        "items of both tables alike, or give the rows that are missing"
    )
    assert tm.judged_evals("judged.csv", judge="gpt", labels=labels).notes[0] == found.notes[0]


@pytest.mark.parametrize(
    ("change", "how", "sentence"),
    [
        (lambda f: f.assign(item=f["item"].str.upper()), {},
         "no row of judged.csv matches a label of labels.csv: the first row has item = 'q0' and "
         "model = 'crow', and the first label item = 'Q0' and model = 'crow'; write them alike, or "
         "name another column with item=..."),
        (lambda f: pd.concat([f, f.iloc[7:8]]), {},
         "labels.csv has two labels where item = 'q7' and model = 'crow'; keep one of them"),
        (lambda f: f.drop(columns="model"), {},
         "labels.csv has two labels where item = 'q0'; add the column 'model' to it, or keep one "
         "of them"),
        (lambda f: f[f["model"] == "crow"].drop(columns="model"), {},
         "judged.csv has several rows where item = 'q0', and labels.csv has one label for them; "
         "add the column 'model' to it"),
        (lambda f: f.assign(by="ann"), {},
         "labels.csv has 'human', 'by' beside 'item', 'model'; name the column of labels with "
         "truth=..."),
        (lambda f: f.rename(columns={"human": "gpt"}), {},
         "'gpt' is a column of both judged.csv and labels.csv; leave labels=... out, or rename one "
         "of them"),
        (lambda f: f.assign(human=None), {}, "labels.csv holds no label; give at least one"),
        (lambda f: f, {"item": "id"}, "judged.csv has no column 'id'"),
        (lambda f: f.rename(columns={"item": "id"}), {}, "labels.csv has no column 'item'"),
        (lambda f: f, {"truth": "person"}, "labels.csv has no column 'person'"),
    ],
)  # fmt: skip
def test_refusals_of_labels(change, how, sentence):
    change(pd.read_csv("labels.csv")).to_csv("labels.csv", index=False)
    for judged in (tm.judged_evals, tm.few_labels):
        with pytest.raises(tm.InputError) as refused:
            judged("judged.csv", judge="gpt", labels="labels.csv", **how)
        assert str(refused.value).startswith(sentence)
        assert "\n" not in str(refused.value)


def test_several_answers_with_one_label_are_refused(answers):
    twice = pd.concat([answers.assign(epoch=e) for e in (1, 2)]).drop(columns="human")
    with pytest.raises(tm.InputError) as refused:
        tm.judged_evals(twice, judge="gpt", labels="labels.csv")
    assert str(refused.value) == (
        "the data frame has several rows where item = 'q0' and model = 'crow', and labels.csv has "
        "one label for them; add the column 'epoch' to it"
    )
    labels = pd.read_csv("labels.csv").assign(epoch=2)
    board = tm.judged_evals(twice, judge="gpt", labels=labels)
    assert (board.rows, board.items, board.labelled) == (600, 150, 120)


def test_two_files_of_one_name_need_a_column_of_the_model(tmp_path):
    (tmp_path / "more").mkdir()
    pd.read_csv("crow.csv").to_csv("more/crow.csv", index=False)
    with pytest.raises(tm.InputError) as refused:
        tm.judged_evals(["crow.csv", "more/crow.csv"], judge="gpt", labels="labels.csv")
    assert str(refused.value) == (
        "two files would both be the model 'crow'; give them different names, or a column of the "
        "model"
    )
    with pytest.raises(tm.InputError, match="item is for a table of labels; give labels"):
        tm.few_labels("answers.csv", truth="human", judge="gpt", item="item")


def test_the_command_ranks_models_and_writes_the_page():
    board = tm.judged_evals("answers.csv", truth="human", judge="gpt")
    in_one = ("answers.csv", "--truth", "human", "--judge", "gpt", "--model", "model")
    in_files = ("crow.csv", "wren.csv", "--judge", "gpt", "--labels", "labels.csv")
    for args in (in_one, in_files):
        done = run(*args, "-o", "page.html")
        assert done.exit_code == 0, done.stderr
        words = " ".join(done.stdout.split())
        assert (
            "2 models on 150 items; 120 of 300 answers have a label, and the judge gpt gives a "
            "value to all of them"
        ) in words
        best, pair = board.models[0], board.pairs[0]
        v = best.value
        assert (
            f"1 crow {quantities.to_width(v.value, v.low, v.high)[0]} {quantities.between(v.low, v.high)} 60 "
            in words
        )
        assert f"crow wren {pair.difference:+.2f} {pair.low:+.2f} to {pair.high:+.2f} " in words
        assert "Groups without a proved difference (they may overlap): crow; wren." in words
        assert "crow beats wren." in words
        assert words.endswith("page: page.html")
        page = Path("page.html").read_text("utf-8")
        assert '<p class="verdict">crow beats wren.</p>' in page
        found = json.loads(run(*args, "--json").stdout)
        assert found["pairs"][0]["low"] == pair.low
    listed = run(*in_one, "--format", "csv").stdout.splitlines()
    assert listed[0] == (
        "model,value,low,high,level,rank_low,rank_high,labelled,labels_only,judge_as_truth,method"
    )
    printed = run("answers.csv", "--truth", "human", "--judge", "gpt", "-o", "-")
    assert printed.stdout.startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("answers.csv", "--truth", "human"),
         "judge is not given; name its column with --judge, or give logs of evaluations"),
        (("answers.csv", "--truth", "human", "--judge", "gpt", "--model", "model", "--use", "nlp"),
         "use is for one table of predictions, and models are compared by their pass rates; leave "
         "--use out"),
        (("answers.csv", "--judge", "gpt"), "truth is not given; name its column with --truth"),
        (("answers.csv", "--judge", "gpt", "--truth", "human", "--truth", "item"),
         "truth names several columns; name one with --truth"),
        (("crow.csv", "wren.csv", "--judge", "gpt", "--labels", "labels.csv", "-o", "wren.csv"),
         "'wren.csv' would be both the file to judge and the page; give another name"),
    ],
)  # fmt: skip
def test_refusals_of_the_command(args, sentence):
    refused = run(*args)
    assert refused.exit_code == 2
    assert refused.stderr == f"tallymark: {sentence}\n"


def test_the_scorer_of_logs_is_the_judge(answers, tmp_path):
    pytest.importorskip("tallymark.parts.logs")
    folder = tmp_path / "logs"
    folder.mkdir()
    for model in ("crow", "wren"):
        mine = answers[answers["model"] == model]
        rows = [
            {"promptIdx": 0, "testIdx": i, "provider": {"id": model}, "vars": {"n": name},
             "success": bool(judged), "score": float(judged), "failureReason": 0 if judged else 1}
            for i, (name, judged) in enumerate(zip(mine["item"], mine["gpt"], strict=True))
        ]  # fmt: skip
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{model}.jsonl").write_text(text, encoding="utf-8")
    labels = pd.read_csv("labels.csv")
    labels["item"] = "n=" + labels["item"]
    labels.to_csv("labels.csv", index=False)
    board = tm.judged_evals(folder, labels="labels.csv", scorer="success")
    same = tm.judged_evals("answers.csv", truth="human", judge="gpt")
    assert board.judged_by == "success"
    assert board.models == same.models
    assert board.pairs == same.pairs
    done = run("logs", "--labels", "labels.csv", "--scorer", "success", "--json")
    assert json.loads(done.stdout)["pairs"][0]["low"] == same.pairs[0].low
    refused = run("logs", "--labels", "labels.csv")
    assert refused.stderr == (
        "tallymark: the scores in 2 logs of promptfoo are those of 2 scorers, 'score', 'success'; "
        "choose one with --scorer\n"
    )
