"""Claims on the command line."""

import json

import pytest
from click.testing import CliRunner, Result

import tallymark as tm
from asymmetric import csv
from tallymark.cli import main

EXAMPLES = tm.example("credit").parent
CANCER = [str(EXAMPLES / "breast_cancer.csv"), "--truth", "diagnosis", "--positive", "malignant",
          "--score", "logistic"]  # fmt: skip


def run(*args: str) -> Result:
    return CliRunner().invoke(main, ["reconcile", *args], prog_name="tallymark")


def test_iris():
    done = run("--n", "150", "--positives", "50", "accuracy=0.9933", "recall=1",
               "specificity=0.98", "precision=0.9901")  # fmt: skip
    assert done.exit_code == 0
    assert "If the other class is the positive one: exactly one matrix fits." in done.stdout
    assert done.stdout.endswith("TP 100  FN 0  FP 1  TN 49\n")


def test_nothing_fits():
    done = run("--n", "1100", "tp=70", "fn=30", "fp=200", "tn=800", "op=0.723")
    assert done.exit_code == 1
    assert "optimization_precision can be 0.7242, not 0.723" in done.stdout
    assert "means over folds" in done.stdout


def test_json_holds_it_all():
    done = run("--positives", "6", "--negatives", "4", "tp=5", "accuracy=80%", "--json")
    plain = json.loads(done.stdout)
    assert plain["readings"][0]["matrices"] == [{"tp": 5, "fn": 1, "fp": 1, "tn": 3}]
    assert plain["complete"] is True


def test_rounding_is_an_option():
    claims = ("--n", "6", "--positives", "3", "recall=0.66")
    assert run(*claims, "--rounding", "truncate").exit_code == 0
    assert run(*claims).exit_code in (0, 1)
    assert run(*claims).stdout.startswith("No matrix")


def test_which_definition_of_a_file():
    done = run(CANCER[0], "f1=0.969", *CANCER[1:])
    assert done.exit_code == 0
    assert "of class 'malignant', the positive class" in done.stdout
    plain = json.loads(run(CANCER[0], "f1=0.969", *CANCER[1:], "--json").stdout)
    assert plain[0]["fitting"][0]["value"] == pytest.approx(0.969, abs=5e-4)
    nothing = run(CANCER[0], "f1=0.1", *CANCER[1:])
    assert nothing.exit_code == 1
    assert "definitions gives it; the nearest are" in nothing.stdout


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["accuracy=0.9"], "is missing; give --n, or --positives and --negatives"),
        (["--n", "10", "accuracy=0.9", "accuracy=0.8"], "accuracy is stated twice"),
        (["--n", "10", "accuracy=0.9", "high"], "'high' is not a claim; write it as metric=number"),
        (["nowhere.csv", "f1=0.9"], "nowhere.csv"),
        ([CANCER[0]], "there is no claim for"),
        ([CANCER[0], "f1=0.9", "--n", "10"], "--n, --positives and --negatives are counted in"),
        ([], "Missing argument"),
    ],
)
def test_wrong_input_is_one_sentence(args, told):
    done = run(*args)
    assert done.exit_code == 2
    assert told in done.stderr
    assert done.stdout == ""


def test_one_model_that_fits_is_enough(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(csv(), encoding="utf-8")
    columns = ["--truth", "truth", "--positive", "ill", "--score", "first", "--score", "second"]
    for stated, status in (("accuracy=0.904", 0), ("accuracy=0.961", 0), ("accuracy=0.950", 1)):
        assert run(str(path), *columns, stated).exit_code == status, stated


def test_a_count_beside_a_file_is_refused(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(csv(), encoding="utf-8")
    for option in ("--n", "--positives", "--negatives"):
        refused = run(str(path), "accuracy=0.904", option, "100")
        assert refused.exit_code == 2
        assert "--n, --positives and --negatives are counted in" in refused.stderr


def test_a_saved_evaluation_is_asked_as_its_rows_are(tmp_path):
    file = str(tmp_path / "run.json")
    tm.evaluate([0, 1] * 30, y_score=[0.2, 0.9, 0.6, 0.4] * 15).to_json(file)
    assert run(file, "accuracy=0.75").exit_code in (0, 1)
