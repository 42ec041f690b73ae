"""tallymark explain FILE --like LIBRARY."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main
from tallymark.parts.libraries.like import like

FOREST = [str(tm.example("credit").with_name("breast_cancer.csv")), "--truth", "diagnosis",
          "--positive", "malignant", "--score", "forest"]  # fmt: skip


def run(*args):
    return CliRunner().invoke(main, args, prog_name="tallymark")


def test_predictions_under_another_librarys_definitions():
    told = run("explain", "--like", "pycm", *FOREST).output
    assert told.startswith("forest as pycm would have it: ")
    (line,) = (x for x in told.splitlines() if x.split()[:2] == ["≠", "AUC"])
    assert line.split()[2:5] == ["0.9591", "0.9901", "roc_auc"]
    assert "(TPR + TNR) / 2" in told
    data = json.loads(run("explain", "--like", "weka", *FOREST, "--json").output)
    assert data[0]["library"] == "weka"
    assert {"name", "theirs", "metric", "ours", "same", "why"} == set(data[0]["rows"][0])


def test_numbers_that_need_scores_are_left_out_and_said_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("label,pred\n1,1\n0,1\n1,0\n0,0\n0,0\n", encoding="utf-8")
    told = run("explain", "--like", "sklearn", "in.csv").output
    assert "not computed, because scores or probabilities are missing: roc_auc_score," in told


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["explain", "--like", "scikit", "in.csv"], "there is no library 'scikit'; there are"),
        (["explain", "--like", "weka", "none.csv"], "there is no file 'none.csv'"),
        (["explain", "mcc", "--score", "p"], "--score needs --like LIBRARY, and 'mcc' was read"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_sentence(args, told):
    found = run(*args)
    assert found.exit_code == 2
    assert told in found.stderr
    assert len(found.stderr.splitlines()) == 1


def test_the_help_says_what_the_option_does():
    told = " ".join(run("explain", "--help").output.split())
    assert "NAME may be any name that textbooks and other libraries use." in told
    assert "With --like, judge the predictions in a FILE under another library's" in told


def test_numbers_are_a_table():
    ev = tm.evaluate([0, 1] * 30, y_score=[0.2, 0.9, 0.6, 0.4] * 15)
    (likeness,) = like(ev, "sklearn")
    assert [r["theirs"] for r in likeness.table()] == pytest.approx(
        [r.theirs for r in likeness.rows], nan_ok=True
    )


def test_a_saved_evaluation_is_asked_as_its_rows_are(tmp_path):
    file = str(tmp_path / "run.json")
    tm.evaluate([0, 1] * 30, y_score=[0.2, 0.9, 0.6, 0.4] * 15).to_json(file)
    assert run("explain", file, "--like", "sklearn").exit_code == 0
