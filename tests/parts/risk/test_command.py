"""The command refer."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
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


def test_the_page_has_the_sentence_and_the_point_of_each_model():
    frame = pd.read_csv("two.csv").rename(columns={"score": "a"})
    frame.assign(b=frame["a"] ** 2).to_csv("both.csv", index=False)
    done = run("both.csv", "--score", "a", "--score", "b", "--risk", "0.1", "-o", "page.html")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.endswith("page: page.html\n")
    text = Path("page.html").read_text("utf-8")
    ev = tm.evaluate("both.csv", score=["a", "b"])
    limits = [ev.model(name).refer(0.1).limits[0] for name in "ab"]
    assert limits[0].threshold != limits[1].threshold
    for limit in limits:
        share = f"{limit.coverage:.0%}".replace("%", " %")
        assert f"Answer {share}, refer" in text
        assert f"risk 10 %: answer {share}, from {limit.threshold:.4g} up" in text
    assert text.count('<circle class="dot s0"') == len(limits)
    assert "http" not in text.split("Sources")[0].replace("http-equiv", "").replace(
        "http://www.w3.org/2000/svg", ""
    )  # fmt: skip
    printed = run("two.csv", "--risk", "0.1", "-o", "-").stdout
    assert printed.startswith("<!doctype html>")
    assert printed.endswith("</html>\n") or printed.endswith("</html>")
    path = tm.evaluate("two.csv").refer().report("own.html")
    assert "answers are wrong: error rate" in path.read_text("utf-8")


SETS = "truth,set,1,2\n1,\"1,2\",0.3,0.2\n2,,0.05,0.04\n2,[2],0.01,0.9\n1,'2',0.02,0.5\n"


def test_prediction_sets_of_a_file():
    Path("s.csv").write_text(SETS, encoding="utf-8")
    ours = tm.SetTally.from_arrays([1, 2, 2, 1], [[1, 2], [], [2], [2]])
    assert tm.SetTally.from_table("s.csv", sets="set") == ours
    found = run("s.csv", "--sets", "set", "--json")
    assert found.exit_code == 0, found.stderr
    assert json.loads(found.stdout) == [json.loads(tm.prediction_sets(ours).to_json())]
    p = ("--p-values", "1", "--p-values", "2", "--alpha", "10%", "--calibration-rows", "50")
    found = run("s.csv", *p, "--json")
    assert found.exit_code == 0, found.stderr
    judged = tm.prediction_sets(ours, alpha=0.1, calibration_rows=50)
    assert json.loads(found.stdout) == [json.loads(judged.to_json())]
    renamed = SETS.replace("truth,set,1,2", "truth,set,p,q")
    Path("named.csv").write_text(renamed, encoding="utf-8")
    named = [w if w not in ("1", "2") else {"1": "p", "2": "q"}[w] for w in p]
    found = run("named.csv", *named, "--classes", "1,2", "--json")
    assert json.loads(found.stdout) == [json.loads(judged.to_json())]


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
        (["k.csv", "--sets", "sure", "--risk", "0.1"],
         "tallymark: --risk, --confidence and --output are of answers, and these are prediction "
         "sets; leave them out\n"),
        (["k.csv", "--sets", "sure", "--pred", "prediction"],
         "tallymark: --pred does not go with --sets; leave one out\n"),
        (["k.csv", "--alpha", "0.1"],
         "tallymark: give --sets or --p-values of the rows, and not both\n"),
        (["k.csv", "--p-values", "sure"], "tallymark: --p-values needs --alpha, such as --alpha 0.1\n"),
        (["two.csv", "--assurance", "1"],
         "tallymark: assurance is 1.0; give a number between 0 and 1, such as 0.9\n"),
    ],
)  # fmt: skip
def test_refusals(args, sentence):
    found = run(*args)
    assert found.exit_code == 2
    assert found.stderr == sentence
