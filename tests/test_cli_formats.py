"""How tables are printed: --format of the commands that show one."""

import csv
import io
import json
from functools import partial

import pytest
from click.testing import CliRunner

import tallymark as tm
from of_parts import by_name
from tallymark.cli import main

ROWS = [(i % 2, (i * 7) % 10 / 10, (i * 3) % 10 / 10, "ab"[i % 3 == 0]) for i in range(60)]
FILE = "label,x,y,site\n" + "".join(",".join(map(str, r)) + "\n" for r in ROWS)
TABLES = {
    "subgroups": ["f.csv", "--score", "x", "--subgroup", "site", "--metric", "recall"],
    "threshold": ["f.csv", "--score", "x", "--score", "y"],
    "compare": ["f.csv", "--score", "x", "--score", "y", "--also", "recall"],
    "advise": ["f.csv", "--score", "x"],
    "inspect": ["f.csv", "--score", "x"],
    "metrics": ["--find", "kappa"],
    "explain": ["f1"],
    "plan proportion": ["0.9", "--half-width", "0.05"],
    **by_name("TABLES"),
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.csv").write_text(FILE, encoding="utf-8")

    def done(name, *more):
        args = [*name.split(), *TABLES[name], *more]
        return CliRunner().invoke(main, args, prog_name="tallymark")

    return done


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.slow
def test_every_table_is_printed_in_every_format(name, run):
    assert_every_format(partial(run, name))


def assert_every_format(run):
    """Hold a command that prints a table to what --format says."""
    found = run("--format", "csv")
    assert found.exit_code == 0, found.stderr
    rows = list(csv.reader(io.StringIO(found.stdout)))
    assert len(rows) > 1
    assert {len(r) for r in rows} == {len(rows[0])}
    assert run("--format", "latex").stdout.strip()
    assert run("--format", "markdown").stdout.strip()
    as_json = run("--format", "json").stdout
    assert json.loads(as_json)
    assert as_json == run("--json").stdout
    assert run("--format", "text").stdout == run().stdout


@pytest.mark.slow
def test_csv_is_the_table_of_the_result(run):
    ev = tm.evaluate(
        [r[0] for r in ROWS], y_score={"x": [r[1] for r in ROWS], "y": [r[2] for r in ROWS]}
    )
    (row,) = (
        r for r in csv.DictReader(io.StringIO(run("compare", "--format", "csv").stdout))
        if r["metric"] == "sensitivity"
    )  # fmt: skip
    d = ev.compare().pair("x", "y").differences["sensitivity"]
    assert float(row["difference"]) == d.value
    rows = list(csv.DictReader(io.StringIO(run("threshold", "--format", "csv").stdout)))
    assert [r["model"] for r in rows] == ["x", "y"]
    assert float(rows[0]["threshold"]) == ev.model("x").optimal_threshold().threshold


@pytest.mark.slow
def test_a_report_is_printed_in_every_format(run):
    TABLES["report"] = ["f.csv", "--score", "x"]
    rows = list(
        csv.DictReader(io.StringIO(run("report", "--format", "csv", "-o", "p.html").stdout))
    )
    ev = tm.evaluate([r[0] for r in ROWS], y_score={"x": [r[1] for r in ROWS]})
    assert {r["metric"]: r["value"] for r in rows}["roc_auc"] == repr(ev["roc_auc"].value)
    assert run("report", "--format", "markdown").stdout.startswith("**f.csv**")
    assert "\\toprule" in run("report", "--format", "latex").stdout
    assert json.loads(run("report", "--format", "json").stdout)["rows"] == 60
    assert "both print; give one" in run("report", "--json", "-", "--format", "csv").stderr
    assert "give one of them" in run("report", "--json", "a.json", "--format", "json").stderr


def test_two_formats_are_refused(run):
    found = run("compare", "--json", "--format", "csv")
    assert found.exit_code == 2
    assert found.stderr == (
        "tallymark: --json and --format csv contradict each other; give one of them\n"
    )
    assert "is not one of" in run("compare", "--format", "xml").stderr


@pytest.mark.slow
def test_a_curve_is_printed_in_every_format(run):
    TABLES["curve"] = ["f.csv", "roc", "--score", "x"]
    as_csv = run("curve").stdout
    assert (
        run("curve", "--format", "csv").stdout == run("curve", "--format", "text").stdout == as_csv
    )
    points = list(csv.DictReader(io.StringIO(as_csv)))
    as_json = json.loads(run("curve", "--format", "json").stdout)
    assert [p["sensitivity"] for p in as_json] == [float(p["sensitivity"]) for p in points]
    assert run("curve", "--format", "markdown").stdout.count("\n| ") >= len(points)
    assert run("curve", "--format", "latex").stdout.count("&") >= len(points)
    written = run("curve", "--format", "json", "-o", "c.json")
    assert written.stdout == "json: c.json\n"
