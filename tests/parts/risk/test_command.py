"""The command refer."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    p, sure = rng.beta(0.4, 0.4, 400).round(3), rng.random(400).round(2)
    y = rng.random(400) < p
    lines = [f"{int(a)},{b}" for a, b in zip(y, p, strict=True)]
    Path("two.csv").write_text("label,score\n" + "\n".join(lines) + "\n", encoding="utf-8")
    rows = []
    for c in sure:
        true = rng.choice(list("abc"))
        rows.append(f"{true},{true if rng.random() < 0.8 + 0.2 * c else 'a'},{c}")
    Path("k.csv").write_text("truth,prediction,sure\n" + "\n".join(rows) + "\n", encoding="utf-8")


def run(*args):
    return CliRunner().invoke(main, ["refer", *args], prog_name="tallymark")


def test_two_classes_are_referred_by_their_probabilities():
    found = run("two.csv", "--risk", "5%", "--risk", "0.1", "--json")
    assert found.exit_code == 0, found.stderr
    (data,) = json.loads(found.stdout)
    ours = tm.evaluate("two.csv").refer([0.05, 0.1])
    assert data == json.loads(ours.to_json())
    text = " ".join(run("two.csv", "--risk", "0.1", "--assurance", "0.8").stdout.split())
    limit = tm.evaluate("two.csv").refer(0.1, assurance=0.8).limits[0]
    assert f"Answer {limit.coverage:.0%}".replace("%", " %") in text
    assert "with 80 % confidence" in text


def test_a_column_of_confidence():
    found = run("k.csv", "--confidence", "sure", "--risk", "0.2", "--json")
    assert found.exit_code == 0, found.stderr
    (data,) = json.loads(found.stdout)
    tally = tm.AnswerTally.from_table("k.csv", confidence="sure")
    assert data == json.loads(tm.refer(tally, 0.2).to_json())
    named = ("--truth", "prediction", "--pred", "truth")
    assert run("k.csv", "--confidence", "sure", *named).stdout == run(
        "k.csv", "--confidence", "sure"
    ).stdout  # fmt: skip


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["k.csv"], "tallymark: the confidence of prediction needs the scores of all classes of "
                    "each row, and these are missing; name a column with --confidence\n"),
        (["k.csv", "--confidence", "sure", "--weight", "sure"],
         "tallymark: --weight does not go with --confidence; leave one out\n"),
        (["k.csv", "--confidence", "sure", "--pred", "truth", "--pred", "prediction"],
         "tallymark: --confidence is of one prediction; name one column with --pred\n"),
        (["k.csv", "--confidence", "no"],
         "tallymark: k.csv has no column 'no'; there are 'truth', 'prediction', 'sure'\n"),
        (["two.csv", "--risk", "2"],
         "tallymark: risk is 2.0; give a share of wrong answers between 0 and 1, such as 0.02, or "
         "a list of such shares\n"),
        (["two.csv", "--risk", "x"],
         "tallymark: 'x' is not a share; give a number such as 0.01 or 1%\n"),
        (["two.csv", "--assurance", "1"],
         "tallymark: assurance is 1.0; give a number between 0 and 1, such as 0.9\n"),
    ],
)  # fmt: skip
def test_refusals(args, sentence):
    found = run(*args)
    assert found.exit_code == 2
    assert found.stderr == sentence
