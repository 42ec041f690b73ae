"""The command: how counts are given, what it prints and what it refuses."""

import csv
import io
import json

import numpy as np
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
    shown = run(*asked, "--full").stdout
    assert "Matthews correlation           0.50  0.37 to 0.61" in shown
    assert "Sensitivity                    0.70  0.60 to 0.78" in shown
    assert "Specificity                    0.80  0.71 to 0.87" in shown
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


NINE = [[30, 5, 2], [4, 40, 1], [9, 3, 20]]


def matrix_of(*arguments):
    return json.loads(run(*arguments, "--json", "-").stdout)


@pytest.mark.slow
def test_options_of_the_command(write):
    forms = [[71, 29, 18, 82], [write("m.csv", "71,29\n18,82\n")]]
    for given in forms:
        for options, classes, positive, sensitivity in (
            ([], [0, 1], 1, 0.82),
            (["--positive", "0"], [0, 1], 0, 0.71),
            (["--classes", "well,sick", "--positive", "sick"], ["well", "sick"], "sick", 0.82),
            (["--rows", "prediction"], [0, 1], 1, 82 / 111),
        ):
            found = matrix_of(*given, *options)
            assert (found["classes"], found["positive"]) == (classes, positive), given
            value = found["models"][0]["values"]["sensitivity"]["value"]
            assert value == pytest.approx(sensitivity), (given, options)
    found = matrix_of(*forms[0], "--level", "0.8", "--seed", "7", "--use", "medicine")
    assert (found["level"], found["seed"], found["source"]["use"]) == (0.8, 7, "medicine")


def test_the_order_of_textbooks():
    found = matrix_of(71, 29, 18, 82, "--order", "textbook")
    assert (found["classes"], found["positive"]) == ([1, 0], 1)
    assert found["models"][0]["values"]["sensitivity"]["value"] == 0.71
    found = matrix_of(71, 29, 18, 82, "--order", "textbook", "--classes", "ill,well")
    assert (found["classes"], found["positive"]) == (["ill", "well"], "ill")


def test_the_matrix_is_printed_above_its_numbers():
    shown = run(7100, 29, 18, 82, "--classes", "sick,well", "--positive", "sick").stdout
    assert shown.splitlines()[:3] == [
        "           predicted sick  predicted well",
        "true sick  TP 7,100        FN 29",
        "true well  FP 18           TN 82",
    ]
    shown = run(*np.ravel(NINE), "--classes", "ash,beech,oak").stdout
    assert shown.splitlines()[:4] == [
        "            predicted ash  predicted beech  predicted oak",
        "true ash    30             5                2",
        "true beech  4              40               1",
        "true oak    9              3                20",
    ]
    for k, more, first in (
        (5, [], True), (6, [], False), (12, ["--full"], True), (13, ["--full"], False),
    ):  # fmt: skip
        shown = run(*np.ravel(np.eye(k, dtype=int) + 1), *more).stdout
        assert ("predicted 0" in shown.splitlines()[0]) == first


REFUSED_COUNTS = {
    "three": ([1, 2, 3], "there are 3 counts; give K times K of them row by row, such as 4 of two "
              "classes or 9 of three"),
    "one": ([5], "there is one count; give K times K of them row by row, such as 4 of two classes "
            "or 9 of three"),
    "a word": ([1, 2, 3, "x"], "'x' is not a count; give whole numbers, without separators, such "
               "as 1000"),
    "textbook of three": (
        [*range(9), "--order", "textbook"],
        "--order textbook is TP FN FP TN of two classes, the first of them positive; give four "
        "counts, and leave --positive out",
    ),
    "textbook and positive": (
        [1, 2, 3, 4, "--order", "textbook", "--positive", 1],
        "--order textbook is TP FN FP TN of two classes, the first of them positive; give four "
        "counts, and leave --positive out",
    ),
    "textbook of a file": (
        ["m.csv", "--order", "textbook"],
        "--order textbook is for four counts, not for a file; leave it out",
    ),
}  # fmt: skip


def test_refusals_of_counts_word_by_word():
    for name, (arguments, told) in REFUSED_COUNTS.items():
        done = run(*arguments)
        said = " ".join(done.stderr.split()).removeprefix("tallymark: ")
        assert (done.exit_code, said) == (2, told), name
