"""The command: how counts are given, what it prints and what it refuses."""

import csv
import io

import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main

COUNTS = ["70", "30", "20", "80"]


def run(*arguments):
    return CliRunner().invoke(main, ["matrix", *map(str, arguments)], prog_name="tallymark")


@pytest.mark.parametrize("text", ["70,30,20,80", "[[70,30],[20,80]]", "70 30; 20 80"])
def test_a_matrix_in_one_argument(text):
    assert run(text).output == run(*COUNTS).output


def test_a_matrix_shows_its_main_metrics_and_as_csv_all():
    asked = [*COUNTS, "--classes", "A,B", "--positive", "A"]
    rows = list(csv.DictReader(io.StringIO(run(*asked, "--format", "csv").stdout)))
    ev = tm.matrix([[70, 30], [20, 80]], classes=["A", "B"], positive="A")
    assert [r["metric"] for r in rows] == list(ev.values()["model"])
    shown = run(*asked).stdout
    assert "Matthews correlation          0.503  0.372 to 0.613" in shown
    assert "Sensitivity                   0.700  0.604 to 0.781" in shown
    assert "Specificity                   0.800  0.711 to 0.867" in shown
    assert "Discriminant power" not in shown


@pytest.mark.slow
def test_formulas_as_they_are_printed(tmp_path):
    asked = [*COUNTS, "--classes", "sick,well", "--positive", "sick"]
    told = " ".join(run(*asked, "--as-printed").stdout.split())
    assert "Balance is 0.745; as printed 0.515 course chapter on defect prediction: 1 - √(" in told
    assert "as printed" not in run(*asked).stdout
    page = tmp_path / "page.html"
    run(*asked, "--as-printed", "-o", page)
    assert "False negatives are counted twice" in page.read_text("utf-8")
    run(*asked, "-o", page)
    assert "False negatives are counted twice" not in page.read_text("utf-8")


def test_refusals_name_options():
    done = run(1, 2, 3, 4, "--prevalence", "200%")
    assert done.exit_code == 2
    assert "prevalence is 2; give a number between 0 and 1, or 0% and 100%" in done.stderr
    assert "leave --positive out" in run(*COUNTS, "--order", "textbook", "--positive", 1).stderr


@pytest.mark.parametrize("width", [60, 80])
def test_nothing_is_wider_than_the_terminal(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    result = run(*COUNTS)
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= width
