"""Files of a matrix and a report, and ``tm.matrix`` of a report, where both parts are there."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main

pytest.importorskip("tallymark.parts.matrices")
pytest.importorskip("tallymark.parts.reports")

REPORT = {
    "no": {"precision": 0.8, "recall": 0.8, "f1-score": 0.8, "support": 50},
    "yes": {"precision": 0.9, "recall": 0.9, "f1-score": 0.9, "support": 100},
    "accuracy": 0.8666666666666667,
}
COUNTS = [[40, 10], [10, 90]]


def counts(ev):
    return ev.models[0].labels.counts.astype(int).tolist()


@pytest.fixture
def written(tmp_path):
    def write(data, name="r.json"):
        path = tmp_path / name
        path.write_text(data if isinstance(data, str) else json.dumps(data))
        return path

    return write


def test_a_report_is_a_matrix_too(written):
    path = written(REPORT)
    ev = tm.matrix(path, positive="yes", source="ours", use="medicine")
    assert (counts(ev), ev.source.name, ev.source.use) == (COUNTS, "ours", "medicine")
    assert ev.to_dict()["models"] == tm.evaluate(path, positive="yes").to_dict()["models"]
    done = CliRunner().invoke(main, ["matrix", str(path), "--positive", "yes"])
    assert "true no   TN 40" in done.stdout
    assert "counts rebuilt from a classification report" in " ".join(done.stdout.split())
    piped = CliRunner().invoke(main, ["matrix", "-"], input=json.dumps(REPORT))
    assert "standard input" in piped.stdout


@pytest.mark.parametrize("positive", [None, "yes"])
def test_a_matrix_beside_a_report_is_of_its_classes(positive, written):
    for both in ({"report": REPORT, "cm": COUNTS}, {"cm": COUNTS, **{"test": REPORT}}):
        ev = tm.evaluate(written(both), positive=positive or "no")
        assert (counts(ev), ev.classes) == (COUNTS, ("no", "yes"))
        assert "a confusion matrix beside a classification report" in ev.source.read_as


def test_four_counts_of_the_rows_of_a_report_are_exact(written):
    four = {"tp": 90, "fn": 10, "fp": 10, "tn": 40}
    ev = tm.evaluate(written({"report": REPORT, **four}))
    assert (counts(ev), ev.positive) == (COUNTS, "positive")


def test_a_report_and_a_matrix_of_other_rows_are_refused(written):
    both = {"train": {"report": REPORT}, "test": {"cm": [[4, 1], [1, 9]]}}
    with pytest.raises(tm.InputError, match="r.json holds several finished results; keep one in a"):
        tm.evaluate(written(both))


def test_counts_beside_finished_numbers_are_counted(written):
    four = {"tp": 90, "fn": 10, "fp": 10, "tn": 40}
    ev = tm.evaluate(written({"accuracy": 0.9, **four}))
    assert (counts(ev), ev["accuracy"].value) == (COUNTS, 130 / 150)
    with pytest.raises(tm.InputError, match="holds numbers, no predictions"):
        tm.evaluate(written({"accuracy": 0.9, "f1": 0.8}))


@pytest.mark.parametrize("name", ["remla_report.json"])
def test_a_real_report(name):
    path = Path(__file__).parents[3] / "shared" / "real-files" / name
    if not path.exists():
        pytest.skip("the folder of real files is not there")
    assert tm.matrix(path)["accuracy"].value == tm.evaluate(path)["accuracy"].value
