"""`tallymark check`: exit codes, what is written and where, and refusals in one sentence."""

import csv
import io
import json
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return the command beside a file of predictions, and nothing that GitHub says."""
    rng = np.random.default_rng(3)
    y = (rng.random(600) < 0.4).astype(int)
    signal = rng.normal(size=600) + 1.6 * y
    scores = {
        name: 1 / (1 + np.exp(0.8 - signal - rng.normal(0, sd, 600)))
        for name, sd in (("main", 0.3), ("same", 0.3), ("worse", 2.0))
    }
    frame = pd.DataFrame({"label": y, "region": rng.choice(["east", "west"], 600), **scores})
    frame.to_csv(tmp_path / "p.csv", index=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return lambda *args: CliRunner().invoke(
        main, ["check", "p.csv", *args], prog_name="tallymark", env={"COLUMNS": "88"}
    )


@pytest.mark.slow
def test_exit_codes_say_what_the_gate_says(run):
    good = run("--score", "main", "--require", "roc_auc >= 0.7")
    assert (good.exit_code, good.stderr) == (0, "")
    assert good.output.endswith("Passed: 1 pass.\n")
    poor = run("--score", "main", "--require", "roc_auc >= 0.99")
    assert poor.exit_code == 1
    assert poor.output.endswith("Failed: 1 fail.\n")
    ties = ("--score", "main", "--require", "roc_auc >= 0.84")
    tied = run(*ties)
    assert tied.exit_code == 0
    assert tied.output.startswith("p.csv, 600 rows; judged: main\n")
    assert tied.output.endswith("Passed: 1 undecided. Undecided rules pass; --strict fails them.\n")
    assert run(*ties, "--strict").exit_code == 1
    unknown = run("--score", "main", "--require", "precision >= 0.5 at threshold=2")
    assert unknown.exit_code == 3
    assert "Not judged: 1 cannot judge." in unknown.output


def test_a_worse_model_fails_and_an_equal_one_passes(run):
    models = ("--score", "main", "--baseline", "main", "--no-worse", "0.02", "--subgroup", "region")
    same, worse = run("--score", "same", *models), run("--score", "worse", *models)
    assert same.exit_code == 0
    assert "region=west" in same.output
    assert worse.exit_code == 1
    assert "roc_auc − main" in worse.output


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--require", "roc_auc > 0.8"], "write METRIC >= NUMBER"),
        (["--score", "main"], "nothing to check; give --require 'roc_auc >= 0.8'"),
        (["--no-worse", "0.01"], "--no-worse needs a model to compare with; give --baseline"),
        (["--no-worse", "0.01", "--baseline", "man", "--score", "main"], "did you mean 'main'?"),
        (["--rules", "gate.toml"], "the rules 'gate.toml' cannot be read"),
        (["--require", "f1 >= 0.1", "--junit", "p.csv"], "would be both the file to judge"),
        (["--require", "f1 >= 0.1", "--level", "2"], "level is 2"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_code_2(run, args, says):
    refused = run(*args)
    assert refused.exit_code == 2
    assert says in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert refused.stdout == ""


def test_what_is_written(run, tmp_path, monkeypatch):
    summary = tmp_path / "summary.md"
    summary.write_text("# before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    rules = 'require = ["roc_auc >= 0.7", "roc_auc >= 0.99"]\nsubgroup = "region"\n'
    (tmp_path / "gate.toml").write_text(rules, encoding="utf-8")
    rules = ("--score", "main", "--rules", "gate.toml")
    found = run(*rules, "--junit", "g.xml", "--json", "g.json")
    assert found.exit_code == 1
    assert found.output.endswith("junit: g.xml\njson: g.json\n")
    suite = ET.parse(tmp_path / "g.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("6", "3")
    data = json.loads((tmp_path / "g.json").read_text("utf-8"))
    assert (data["format"], data["exit_code"]) == ("tallymark/gate", 1)
    text = summary.read_text("utf-8")
    assert text.startswith("# before\n")
    assert text.count("| roc\\_auc |") == 6
    printed = run(*rules, "--json", "-")
    assert json.loads(printed.stdout) == data
    assert summary.read_text("utf-8").count("| roc\\_auc |") == 12


@pytest.mark.slow
def test_the_table_of_findings_in_every_format(run):
    asked = ("--score", "main", "--require", "roc_auc >= 0.7", "--require", "recall >= 0.99")
    found = run(*asked, "--format", "csv")
    assert found.exit_code == 1
    first, second = csv.DictReader(io.StringIO(found.stdout))
    assert (first["rule"], first["verdict"]) == ("roc_auc >= 0.7", "pass")
    assert float(first["low"]) >= 0.7 == float(first["limit"])
    assert (second["verdict"], second["model"]) == ("fail", "main")
    assert run(*asked, "--format", "json").stdout == run(*asked, "--json", "-").stdout
    assert run(*asked, "--format", "text").stdout == run(*asked).stdout
    for shape, sign in (("markdown", "|"), ("latex", "&")):
        assert sign in run(*asked, "--format", shape).stdout
    both = run(*asked, "--format", "csv", "--json", "-")
    assert both.exit_code == 2
    assert "--json - and --format csv both print" in both.stderr


def test_a_terminal_shows_what_passes_green_and_what_fails_red(run, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    green, red = "\x1b[1;32m", "\x1b[1;31m"
    good = run("--score", "main", "--require", "roc_auc >= 0.7").output
    assert f"{green}Passed: 1 pass." in good
    assert red not in good
    poor = run("--score", "main", "--require", "roc_auc >= 0.99").output
    assert f"{red}Failed: 1 fail." in poor
    assert f"{red}fail" in poor
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run("--score", "main", "--require", "roc_auc >= 0.99").output


def test_a_file_of_counts_is_judged(run):
    frame = pd.read_csv("p.csv")
    tm.evaluate(frame["label"], y_score=frame["main"]).to_json("run.json")
    assert CliRunner().invoke(main, ["check", "run.json", "--require", "f1 >= 0.1"]).exit_code == 0


def test_a_whole_file_is_read_within_its_memory():
    flags = {flag for parameter in main.commands["check"].params for flag in parameter.opts}
    assert {"--truth", "--memory", "--tolerance"} <= flags
