"""Questions: why, and choices that are complete calls in Python and complete commands."""

from __future__ import annotations

import shlex

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import tallymark as tm
from remedies import calls
from tallymark.cli import main
from tallymark.reading.question import MOST, Question, call

N = 60
RNG = np.random.default_rng(5)
FRAME = pd.DataFrame({
    "kind": RNG.choice(["a b", "c"], N), "other": RNG.choice(["x", "y"], N), "s": RNG.random(N),
})  # fmt: skip


def told(*words):
    """Run a command; return its exit code and what it printed."""
    done = CliRunner().invoke(main, list(words), prog_name="tallymark")
    return done.exit_code, done.stdout + done.stderr


def commands(sentence):
    """Return the commands that a refusal lists, as words."""
    listed = sentence.split("; say ")[1].split(";")[0]
    return [shlex.split(part)[1:] for part in listed.split(" or ")]


def test_a_question_says_why_then_its_choices_then_what_else_helps():
    choices = [{"truth": "it's"}, {"score": ["a", "b"], "count": False}]
    asked = Question("it is unclear", choices, "or correct the data")
    assert str(asked) == (
        """it is unclear; say tm.evaluate(..., truth="it's") or """
        "tm.evaluate(..., score=['a', 'b'], count=False); or correct the data"
    )
    assert calls(str(asked)) == choices
    assert str(asked.with_choices([])) == "it is unclear; or correct the data"
    assert isinstance(asked, tm.InputError)
    assert calls(call({"positive": 1})) == [{"positive": 1}]


def test_few_of_many_choices_are_named():
    choices = [{"truth": f"c{i}"} for i in range(MOST + 3)]
    asked = Question("it is unclear", choices)
    assert calls(str(asked)) == choices[:MOST]
    assert asked.choices == tuple(choices)


GIVEN = {
    "report": ["--truth", "kind", "--score", "s", "--level", "0.9", "--no-count"],
    "threshold": ["--truth", "kind", "--score", "s", "--classes", "c,a b"],
    "compare": ["--truth", "kind", "--score", "s", "--score", "t", "--missing-code", "-9.0"],
}


@pytest.mark.parametrize("command", GIVEN)
@pytest.mark.slow
def test_a_command_repeats_the_options_that_were_given(command, tmp_path):
    path = str(tmp_path / "a file.csv")
    FRAME.assign(t=FRAME["s"] ** 2).to_csv(path, index=False)
    code, sentence = told(command, path, *GIVEN[command])
    assert code == 2
    assert "which class is positive" in sentence
    found = commands(sentence)
    assert {w[w.index("--positive") + 1] for w in found} == {"a b", "c"}
    for words in found:
        assert words[:2] == [command, path]
        assert {*GIVEN[command]} < {*words}
        code, sentence = told(*words)
        assert code in (0, 1), sentence


def test_a_choice_takes_the_place_of_what_was_given(tmp_path):
    path = str(tmp_path / "rows.csv")
    rows = FRAME.drop(columns="other").assign(n=3, s=FRAME["s"].round(1))
    pd.concat([rows, rows]).to_csv(path, index=False)
    code, sentence = told("report", path, "--weight", "n", "--truth", "kind", "--positive", "c")
    assert code == 2
    (words,) = commands(sentence)
    assert words.count("--weight") == words.count("--no-count") == words.count("--truth") == 1
    assert told(*words)[0] == 0


def test_a_command_repeats_no_password(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("password=s3cret", index=False)
    code, sentence = told("report", "password=s3cret", "--truth", "kind", "--score", "s")
    assert code == 2
    assert "s3cret" not in sentence
    assert "--truth kind --score s --positive c" in sentence


@pytest.mark.slow
def test_a_first_row_that_may_be_one_is_asked_about_with_complete_calls(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("cat,dog\n" + "dog,dog\ncat,cat\ndog,cat\n" * 8, encoding="utf-8")
    with pytest.raises(tm.InputError, match="'cat', 'dog', which looks like a row") as asked:
        tm.evaluate(path)
    given = calls(str(asked.value))
    assert {"options": {"header": False}, "truth": "column0", "pred": "column1"}.items() <= (
        next(say for say in given if say.get("positive") == "cat").items()
    )
    assert {tm.evaluate(path, **say).rows for say in given} == {24, 25}


def test_long_names_leave_fewer_choices():
    name = "x" * 300
    told = str(Question("which?", [{"truth": name, "score": c} for c in "abcdef"]))
    assert len(told) < 1400
    assert calls(told) == [{"truth": name, "score": c} for c in "abc"]
