"""The command tallymark evals."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main


@pytest.fixture
def answers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"q{i},{m},{int(i % k > 0)}" for m, k in (("a", 9), ("b", 2)) for i in range(60)]
    (tmp_path / "answers.csv").write_text("\n".join(["item,model,correct", *rows]))
    for m, k in (("a", 9), ("b", 2)):
        lines = [f"q{i},{int(i % k > 0)}" for i in range(60)]
        (tmp_path / f"{m}.csv").write_text("\n".join(["item,correct", *lines]))
    return tmp_path


def run(*words):
    return CliRunner().invoke(main, ["evals", *words])


def test_the_leaderboard_is_printed(answers):
    done = run("answers.csv")
    assert done.exit_code == 0
    assert "a beats b." in done.output
    assert "2 models on 60 questions" in done.output


def test_a_file_for_each_model_says_the_same(answers):
    one, two = (
        json.loads(run(*files, "--json", "-").output)
        for files in (["answers.csv"], ["a.csv", "b.csv"])
    )
    assert one["pairs"] == two["pairs"]
    assert one["models"] == two["models"] == json.loads(tm.evals("answers.csv").to_json())["models"]


def test_the_page_and_the_json_are_written(answers):
    done = run("answers.csv", "-o", "page.html", "--json", "board.json", "--least", "0.05")
    assert done.output.endswith("json: board.json\npage: page.html\n")
    assert json.loads((answers / "board.json").read_text())["least"] == 0.05
    assert "<h1" in (answers / "page.html").read_text("utf-8")


def test_csv_is_the_table_of_models(answers):
    lines = run("answers.csv", "--format", "csv").output.splitlines()
    assert lines[0].startswith("model,value,low,high,level,se,method,rank_low,rank_high")
    assert [line.split(",")[0] for line in lines[1:]] == ["a", "b"]


def test_refusals_name_options(answers):
    (answers / "no.csv").write_text("item,text\n1,u\n2,v\n")
    done = run("no.csv")
    assert done.exit_code == 2
    assert done.output == (
        "tallymark: no.csv holds no grades: no column is called correct, score or passed, and none "
        "holds only numbers from 0 to 1; the columns are 'item', 'text'; name the column with "
        "--graded\n"
    )
    (answers / "gap.csv").write_text("item,correct\n1,1\n2,\n3,0\n")
    assert "--errors wrong counts them as wrong" in " ".join(run("gap.csv").output.split())
