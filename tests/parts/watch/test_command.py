"""`tallymark check --watch`: one line a look, exit codes, what is written, and refusals."""

from __future__ import annotations

import html
import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from tallymark.cli import main

if "check" not in main.commands:
    pytest.skip("the part with the command check is not installed", allow_module_level=True)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return the command beside files of good and poor days, and nothing that GitHub says."""
    rng = np.random.default_rng(3)
    for number in range(1, 7):
        y = rng.integers(0, 2, 200)
        good = np.where(rng.random(200) < 0.9, y, 1 - y)
        poor = np.where(rng.random(200) < 0.6, y, 1 - y)
        frame = pd.DataFrame({"label": y, "old": good, "new": good if number < 4 else poor})
        frame.to_csv(tmp_path / f"{number}.csv", index=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)

    def run(number, *args, model="new"):
        words = ["check", f"{number}.csv", "--date", f"2026-10-0{number}", *args]
        words += ["--pred", model] if model else ["--pred", "old", "--pred", "new"]
        return CliRunner().invoke(main, words, prog_name="tallymark", env={"COLUMNS": "200"})

    return run


RULE = ("--require", "accuracy >= 0.85", "--watch", "state.json")


def test_each_day_prints_a_line_and_an_alarm_is_exit_code_1(run, tmp_path):
    for number in (1, 2, 3):
        quiet = run(number, *RULE)
        assert (quiet.exit_code, quiet.stderr) == (0, "")
        assert " at every look; no alarm (evidence " in quiet.stdout.splitlines()[0]
    alarm = run(4, *RULE)
    assert alarm.exit_code == 1
    first = " ".join(alarm.stdout.split("\naccuracy by day")[0].split())
    assert first.startswith("accuracy 0.8")
    assert first.endswith("of 20 against ≥ 0.85): worse since 2026-10-04")
    state = json.loads((tmp_path / "state.json").read_text("utf-8"))
    assert [day["n"] for day in state["days"]] == [200] * 4


def test_the_page_has_the_sentence_the_chart_and_the_days(run, tmp_path):
    for number in (1, 2, 3, 4):
        done = run(number, *RULE, "-o", "watch.html")
    assert done.exit_code == 1
    assert done.stdout.splitlines()[-1] == "page: watch.html"
    text = (tmp_path / "watch.html").read_text("utf-8")
    assert html.escape(done.stdout.splitlines()[0]) in text
    assert "alarm on 2026-10-04" in text
    assert text.count("<td>2026-10-0") + text.count(">2026-10-0") >= 4
    assert text.count("<svg") >= 1


@pytest.mark.usefixtures("run")
def test_a_page_is_of_a_watch():
    words = ["check", "1.csv", "--require", "accuracy >= 0.85", "-o", "watch.html"]
    refused = CliRunner().invoke(main, words, prog_name="tallymark")
    assert refused.exit_code == 2
    sentence = "--output is of a watch; give --watch STATE, or leave it out"
    assert refused.stderr == f"tallymark: {sentence}\n"


def test_the_old_model_in_the_same_file_is_a_baseline(run):
    pair = ("--no-worse", "accuracy 0.02", "--baseline", "old", "--watch", "pair.json")
    for number in (1, 2, 3):
        assert run(number, *pair, model=None).exit_code == 0
    worse = run(4, *pair, model=None)
    assert worse.exit_code == 1
    assert worse.stdout.startswith("accuracy of new − old −0.0")


def test_what_is_written(run, tmp_path, monkeypatch):
    summary = tmp_path / "summary.md"
    summary.write_text("# before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    done = run(1, *RULE, "--json", "look.json")
    assert done.stdout.endswith("json: look.json\n")
    data = json.loads((tmp_path / "look.json").read_text("utf-8"))
    assert (data["format"], data["exit_code"], data["date"]) == ("tallymark/watch", 0, "2026-10-01")
    text = summary.read_text("utf-8")
    assert text.startswith("# before\n")
    assert "| 2026-10-01 |" in text
    printed = run(2, *RULE, "--format", "json")
    assert json.loads(printed.stdout)["date"] == "2026-10-02"
    table = run(3, *RULE, "--format", "csv").stdout.splitlines()
    assert table[0] == "date,rows,value,so_far,low,high,evidence"
    assert len(table) == 4


def test_no_row_that_counts_is_exit_code_3(run, tmp_path):
    pd.DataFrame({"label": [0] * 9, "new": [0] * 9}).to_csv(tmp_path / "5.csv", index=False)
    rule = ("--require", "recall >= 0.8", "--watch", "s.json", "--classes", "0,1")
    assert run(5, *rule, "--positive", "1").exit_code == 3


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--require", "accuracy >= 0.8"], "--date is of a watch; give --watch STATE, or leave it "
         "out"),
        ([*RULE, "--require", "recall >= 0.8"], "a watch has one rule, and there are 2; give one "
         "--require or --no-worse, and each rule a state of its own"),
        (["--watch", "s.json"], "a watch has one rule, and there are 0; give one --require or "
         "--no-worse, and each rule a state of its own"),
        ([*RULE, "--strict"], "--strict is not for a watch; leave it out, or run a check of its own"),
        ([*RULE, "--subgroup", "label"], "--subgroup is not for a watch; leave it out, or run a "
         "check of its own"),
        (["--no-worse", "accuracy 0", "--watch", "s.json"], "--no-worse needs a model to compare "
         "with; give --baseline MODEL"),
        ([*RULE, "--baseline", "old"], "a baseline needs a margin; give --no-worse, or leave "
         "--baseline out"),
        ([*RULE, "--date", "today"], "date is 'today'; give a day such as '2026-11-26'"),
        (["--require", "accuracy >= 0.8", "--watch", "1.csv"], "'1.csv' would be both the file to "
         "judge and the results; give another name"),
        (["--require", "f1 >= 0.8", "--watch", "s.json"], "rule 'f1 >= 0.8': no method is valid at "
         "every look for f1; watch a share of rows (accuracy, sensitivity, specificity, "
         "precision), the ROC area or a bounded mean (brier)"),
    ],
)  # fmt: skip
def test_wrong_usage_is_one_sentence_and_exit_code_2(run, tmp_path, args, says):
    refused = run(1, *args)
    assert refused.exit_code == 2
    assert refused.stderr == f"tallymark: {says}\n"
    assert refused.stdout == ""
    assert not {"s.json", "state.json"} & {p.name for p in tmp_path.iterdir()}


def test_a_day_twice_and_another_limit_are_refused(run):
    assert run(1, *RULE).exit_code == 0
    again = run(1, *RULE)
    assert again.stderr == (
        "tallymark: 2026-10-01 is in 'state.json' already, and rows counted twice are no new "
        "evidence; add the rows of another day\n"
    )
    other = run(2, "--require", "accuracy >= 0.8", "--watch", "state.json")
    assert (other.exit_code, other.stdout) == (2, "")
    assert "was started with the limit 0.85, and now it is 0.8" in other.stderr


def test_the_gate_without_a_watch_is_as_before(run):
    done = CliRunner().invoke(
        main, ["check", "1.csv", "--pred", "new", "--require", "accuracy >= 0.8"]
    )
    assert done.exit_code == 0
    assert done.output.endswith("Passed: 1 pass.\n")
    shown = CliRunner().invoke(main, ["check", "--help"], env={"COLUMNS": "100"}).output
    assert "--watch STATE" in shown
    assert "With --watch, the rule is judged by evidence" in shown
