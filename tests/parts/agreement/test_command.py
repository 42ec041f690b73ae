"""The command agree, and what explain says of the coefficients."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import tallymark as tm
from tallymark.cli import main
from test_cli_formats import assert_every_format

FILES = Path(__file__).parents[4] / "shared" / "real-files"
SCORES = "label,score\n1,0.9\n0,0.2\n1,0.4\n0,0.1\n1,0.7\n"


def run(*args: str) -> Result:
    return CliRunner().invoke(main, list(args), prog_name="tallymark")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_agreement_of_raters():
    Path("wide.csv").write_text("ann,bob,cy\n1,1,2\n2,,2\n3,3,3\n1,2,1\n", encoding="utf-8")
    told = run("agree", "wide.csv").output
    read_as, told = told.split("\n", 1)
    assert read_as == "Read as: pred = `ann`, `bob`, `cy`; format: one column per rater."
    assert told.startswith("4 subjects, 11 ratings, 3 categories, at most 3 ratings a subject\n")
    assert "krippendorff_alpha   0.50  −0.43 to 1.00  standard error 0.293" in told
    assert told.endswith(
        "\nLandis and Koch's scale calls this kappa moderate; the scale is a convention\n"
    )
    long = "who,what\n" + "".join(
        f"{s},{v}\n" for s, row in enumerate(["112", "22", "333", "121"]) for v in row
    )
    Path("long.csv").write_text(long, encoding="utf-8")
    read_as, in_lines = run(
        "agree", "long.csv", "--subject", "who", "--rating", "what"
    ).output.split("\n", 1)
    assert read_as == "Read as: pred = `what`, subgroup = `who`; format: one line per rating."
    assert in_lines == told
    refused = run("agree", "wide.csv", "--missing", "error")
    assert refused.exit_code == 2
    assert "missing in 1 row" in refused.stderr
    weighed = run("agree", "wide.csv", "--weights", "some")
    assert weighed.exit_code == 2
    assert "weights is 'some'; there are 'nominal'" in weighed.stderr
    Path("one.csv").write_text("a,b\n1,1\n1,1\n", encoding="utf-8")
    assert "all ratings are of one category" in run("agree", "one.csv").output


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--subject", "label"], "score holds the number 0.9 at row 1, which is"),
        (["--rating", "label"], "one line per rating needs both columns; say"),
        (["--subject", "x", "--rating", "y"], "in.csv has no column 'x'"),
        ([], "score holds the number 0.9 at row 1, which is not a class label"),
    ],
)
def test_refusals(options, sentence):
    Path("in.csv").write_text(SCORES, encoding="utf-8")
    found = run("agree", "in.csv", *options)
    assert found.exit_code == 2
    assert sentence in found.stderr
    assert len(found.stderr.splitlines()) == 1
    assert [p.name for p in Path().iterdir()] == ["in.csv"]


@pytest.mark.slow
def test_coefficients_are_printed_in_every_format():
    Path("r.csv").write_text("ann,bob\n" + "yes,yes\nno,no\nyes,no\nno,no\n" * 5, encoding="utf-8")
    assert_every_format(partial(run, "agree", "r.csv"))


def test_the_order_of_categories_is_an_option():
    Path("r.csv").write_text(
        "ann,bob\n" + "low,low\nhigh,medium\nlow,high\nmedium,medium\n" * 5, encoding="utf-8"
    )
    printed = " ".join(run("agree", "r.csv", "--weights", "linear").stdout.split())
    assert "if theirs is another one, give it with --classes." in printed
    order = ("--classes", "low,medium,high")
    assert "--classes" not in run("agree", "r.csv", "--weights", "linear", *order).stdout
    (first, *_) = json.loads(run("agree", "r.csv", "--weights", "linear", "--json").stdout)
    assert first["warning"].endswith("give it with tally.reorder([...])")


@pytest.mark.parametrize("name", ["Fleiss' kappa", "fleiss_kappa"])
def test_explain_says_what_a_coefficient_means(name):
    shown = run("explain", name).stdout
    assert "Agreement of many raters" in shown
    assert "tallymark agree" in shown


@pytest.mark.skipif(not FILES.exists(), reason="the published files are not beside this checkout")
def test_votes_a_category_a_line():
    found = run("agree", str(FILES / "hate_votes.csv"), "--json")
    assert found.exit_code == 0, found.stderr
    values = {v["coefficient"]: v["value"] for v in json.loads(found.stdout)}
    assert values["fleiss_kappa"] == pytest.approx(0.549512, abs=6e-7)
    assert re.search(r"1,?866", found.stderr), found.stderr
    tally = tm.RatingTally.from_table(FILES / "hate_votes.csv")
    assert set(tally.labels) == {"hate_speech", "offensive_language", "neither"}
