"""The commands judge and label-next, and what other commands say of rows without a true class."""

from __future__ import annotations

import csv
import json
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark import quantities
from tallymark.cli import main
from test_cli_formats import assert_every_format


def run(*args):
    return CliRunner().invoke(main, list(args), prog_name="tallymark")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 400)

    def noisy(right):
        return np.where(rng.random(400) < right, truth, 1 - truth)

    human = np.full(400, np.nan)
    human[:80] = truth[:80]
    columns = {"human": human, "answer": noisy(0.8), "gpt": noisy(0.9)}
    pd.DataFrame(columns).to_csv("f.csv", index=False)


OF_FILE = ("f.csv", "--truth", "human", "--judge", "gpt")


def test_judge_prints_the_numbers_of_the_function(monkeypatch):
    found = tm.few_labels("f.csv", truth="human", judge="gpt", pred="answer")
    monkeypatch.setenv("COLUMNS", "160")
    printed = run("judge", *OF_FILE, "--pred", "answer")
    assert printed.exit_code == 0, printed.stderr
    words = " ".join(printed.stdout.split())
    assert words.startswith(
        "f.csv: 80 of 400 rows have a true class; the judge gpt gives a value in all of them "
        "metric value 95 % interval labels only its interval worth labels judge as truth Accuracy "
    )
    accuracy = found.metrics[0]
    assert f"Accuracy {accuracy.value.value:.2f} {accuracy.value.low:.2f} to" in words
    assert f" {accuracy.worth:.0f} {accuracy.judge_as_truth:.3f} Precision" in words
    agreement = 100 * found.judge[0].value
    assert f"The judge agrees with the true class in {agreement:.1f} % of rows (95 % CI " in words
    assert words.endswith(
        "the labelled rows are taken for a random sample of the rows with the same prediction "
        "and judge."
    )
    as_json = json.loads(run("judge", *OF_FILE, "--pred", "answer", "--json").stdout)
    assert as_json["format"] == "tallymark/few-labels"
    assert as_json["metrics"][0]["value"]["value"] == accuracy.value.value
    assert tm.JudgedTally.from_dict(as_json["tally"]) == found.tally


def test_a_pass_rate_needs_no_predictions():
    found = tm.few_labels("f.csv", truth="human", judge="gpt")
    words = " ".join(run("judge", *OF_FILE).stdout.split())
    share = found.shares[1]
    assert (
        f" 1 {quantities.to_width(share.value.value, share.value.low, share.value.high)[0]} {quantities.between(share.value.low, share.value.high)} "
        f"{share.labels_only.value:.2f} "
    ) in words
    assert "metric" not in words


def test_scores_order_and_length_are_options():
    rng, frame = np.random.default_rng(2), pd.read_csv("f.csv")
    frame["score"] = np.round(0.5 * frame["answer"] + 0.5 * rng.random(400), 3)
    frame["shown"], frame["words"] = rng.choice(["a", "b"], 400), rng.integers(9, 99, 400)
    frame.to_csv("f.csv", index=False)
    columns = {"truth": "human", "judge": "gpt", "score": "score", "order": "shown"}
    found = tm.few_labels("f.csv", **columns, threshold=0.4, length="words", inputs="words")
    options = [w for name, column in columns.items() for w in (f"--{name}", column)]
    done = run("judge", "f.csv", *options, "--threshold", "0.4", "--length", "words",
               "--inputs", "words", "--json")  # fmt: skip
    assert done.exit_code == 0, done.stderr
    as_json = json.loads(done.stdout)
    assert as_json["metrics"][6]["value"]["metric"] == "roc_auc"
    assert as_json["metrics"][6]["value"]["low"] == found["roc_auc"].low
    assert [d["of"] for d in as_json["dependence"]] == ["order", "length"]
    assert as_json["dependence"][1]["difference"]["value"] == found.dependence[1].difference.value


@pytest.mark.slow
def test_numbers_are_printed_in_every_format():
    assert_every_format(partial(run, "judge", *OF_FILE, "--pred", "answer"))


def test_label_next_writes_rows_that_have_no_true_class():
    done = run("label-next", *OF_FILE, "--pred", "answer", "-n", "50", "-o", "next.csv")
    assert done.exit_code == 0, done.stderr
    assert "50 rows to label are in next.csv." in done.stdout
    assert "When they are labelled, judge with --sampled-by both.\n" in done.stderr
    with Path("next.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["row", "answer", "gpt"]
    assert len({r["row"] for r in rows}) == 50
    assert all(int(r["row"]) > 80 for r in rows)
    found = tm.few_labels("f.csv", truth="human", judge="gpt", pred="answer")
    assert [int(r["row"]) for r in rows] == [r["row"] for r in found.label_next(50)]


def test_label_next_says_how_many_labels_a_width_needs():
    found = tm.few_labels("f.csv", truth="human", judge="gpt")
    said = run("label-next", *OF_FILE, "--width", "0.12")
    assert said.stdout == (
        f"An interval of width 0.12 needs about {found.labels_needed(0.12)} labels in all at "
        f"random, or {found.labels_needed(0.12, allocated=True)} chosen by this command; there are "
        "80.\n"
    )
    as_json = json.loads(run("label-next", *OF_FILE, "--width", "0.12", "--json").stdout)
    assert as_json == {"labels_needed": {"at_random": found.labels_needed(0.12),
                                         "chosen": found.labels_needed(0.12, allocated=True)}}  # fmt: skip


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("judge", "f.csv", "--truth", "human", "--judge", "x"), "f.csv has no column 'x'; "),
        (("judge", *OF_FILE, "--sampled-by", "pred"),
         "sampled_by is 'pred', and there are no predictions; say --sampled-by judge, or name "
         "their column with --pred"),
        (("judge", *OF_FILE, "--pred", "answer", "--metric", "auc"),
         "roc_auc needs scores; name their column with --score, or metrics of predicted classes"),
        (("judge", *OF_FILE, "--score", "human"),
         "the column 'human' is truth and score; name a column of its own for each"),
        (("judge", *OF_FILE, "--pred", "answer", "--threshold", "0.3"),
         "threshold is for scores without predictions; leave it out"),
        (("label-next", *OF_FILE), "there is nothing to do; give -n 50, --width 0.1 or both"),
        (("label-next", *OF_FILE, "--width", "0.5", "-o", "n.csv"),
         "-o writes the rows to label; give -n 50 as well"),
        (("judge", "f.csv", "--truth", "human", "--judge", "human"),
         "the column 'human' is truth and judge; name a column of its own for each"),
    ],
)  # fmt: skip
def test_refusals(words, sentence):
    refused = run(*words)
    assert refused.exit_code == 2
    assert sentence in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_other_commands_name_this_one_where_most_rows_have_no_true_class():
    refused = run("report", "f.csv", "--truth", "human", "--pred", "answer")
    assert refused.exit_code == 2
    assert refused.stderr == (
        "tallymark: human is missing in 320 rows, first at row 81; correct the data, or say "
        "--missing drop to leave those rows out; or if `gpt` holds a judge's value in every row, "
        "use all rows with tallymark judge, or tm.few_labels\n"
    )
    ev = tm.evaluate("f.csv", truth="human", pred="answer", missing="drop")
    texts = {n.rule: n.text for n in ev.notes}
    assert texts["rows-without-truth"] == (
        "320 rows without a true class are left out; `gpt` may hold a judge's value for them. If "
        "it does, use all rows with tallymark judge, or tm.few_labels"
    )


def test_engines_name_this_one_too():
    pytest.importorskip("tallymark.parts.engines")
    frame = pd.read_csv("f.csv")
    for table in (pl.from_pandas(frame).lazy(), duckdb.connect().from_df(frame)):
        with pytest.raises(tm.InputError) as refused:
            tm.evaluate(table, truth="human", pred="answer")
        assert str(refused.value) == (
            "human is missing in 320 rows; correct the data, or say missing='drop' to leave those "
            "rows out; or if `gpt` holds a judge's value in every row, use all rows with tallymark "
            "judge, or tm.few_labels"
        )


def test_nothing_is_said_without_a_column_that_may_be_a_judges():
    frame = pd.read_csv("f.csv")[["human", "answer"]]
    with pytest.raises(tm.InputError, match="leave those rows out$"):
        tm.evaluate(frame, truth="human", pred="answer")
    frame["age"] = np.arange(400)
    with pytest.raises(tm.InputError, match="or if another column holds a judge's value in every"):
        tm.evaluate(frame, truth="human", pred="answer")
    ev = tm.evaluate(frame, truth="human", pred="answer", missing="drop")
    assert "rows-without-truth" not in {n.rule for n in ev.notes}
    few = pd.read_csv("f.csv")
    few.loc[few["human"].isna() & (np.arange(400) < 300), "human"] = 1
    with pytest.raises(tm.InputError, match="leave those rows out$"):
        tm.evaluate(few, truth="human", pred="answer")
