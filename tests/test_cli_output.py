"""Where each command writes: the summary, the page, the JSON, and the lines that name files."""

from __future__ import annotations

import csv
import io
import json

import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main
from tallymark.cli.group import fit
from tallymark.display import text

ROWS = "label,score,site\n" + "".join(
    f"{('well', 'ill')[i % 3 == 0]},{(i * 7 % 10 + 4 * (i % 3 == 0)) / 20:.2f},{'ab'[i % 2]}\n"
    for i in range(90)
)
SAID = ("--truth", "label", "--score", "score", "--positive", "ill")


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a runner of commands in a folder with a file of rows."""
    (tmp_path / "f.csv").write_text(ROWS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)

    def call(*args, code=0):
        found = CliRunner().invoke(main, list(args), prog_name="tallymark")
        assert found.exit_code == code, found.stderr
        return found.stdout, found.stderr

    return call


@pytest.fixture
def ev(run):
    return tm.evaluate("f.csv", truth="label", score="score", positive="ill")


@pytest.mark.slow
def test_a_report_says_where_it_wrote_beside_what_it_printed(run, ev, tmp_path):
    summary = text(ev)
    assert run("report", "f.csv", "--full", *SAID) == (f"{summary}\n", "")
    out, err = run("report", "f.csv", "--full", *SAID, "-o", "p.html")
    assert (out, err) == (f"{summary}\npage: p.html\n", "")
    out, err = run("report", "f.csv", "--full", *SAID, "--json", "j.json", "-o", "p.html")
    assert (out, err) == (f"{summary}\njson: j.json\npage: p.html\n", "")
    page = (tmp_path / "p.html").read_text("utf-8")
    kept = json.loads((tmp_path / "j.json").read_text("utf-8"))
    out, err = run("report", "f.csv", "--full", *SAID, "-o", "-")
    assert (out.rstrip("\n"), err) == (page.rstrip("\n"), "")
    out, err = run("report", "f.csv", "--full", *SAID, "--json", "-")
    assert (json.loads(out), err) == (kept, "")
    out, err = run("report", "f.csv", "--full", *SAID, "--format", "json")
    assert (json.loads(out), err) == (kept, "")
    out, err = run("report", "f.csv", "--full", *SAID, "--json", "-", "-o", "p.html")
    assert (json.loads(out), err) == (kept, "page: p.html\n")
    out, err = run("report", "f.csv", "--full", *SAID, "--json", "k.json", "-o", "-")
    assert (out.rstrip("\n"), err) == (page.rstrip("\n"), "json: k.json\n")
    out, err = run("report", "f.csv", "--full", *SAID, "--format", "markdown", "-o", "p.html")
    assert (out, err) == (ev.to_markdown(), "page: p.html\n")


def test_points_and_thresholds_are_written_or_printed(run, ev, tmp_path):
    points = ev.curve("roc").table()
    assert run("curve", "f.csv", "roc", *SAID) == (points.to_csv(), "")
    assert run("curve", "f.csv", "roc", *SAID, "-o", "c.csv") == ("csv: c.csv\n", "")
    assert (tmp_path / "c.csv").read_text("utf-8") == points.to_csv()
    out, _ = run("curve", "f.csv", "roc", *SAID, "-o", "c.json", "--format", "json")
    assert out == "json: c.json\n"
    assert len(json.loads((tmp_path / "c.json").read_text("utf-8"))) == len(points)
    out, err = run("curve", "f.csv", "roc", *SAID, "--format", "markdown")
    assert (out, err) == (points.to_markdown(), "")
    banded = ev.curve("roc", band="vertical")
    out, err = run("curve", "f.csv", "roc", *SAID, "--band", "vertical")
    assert (out, err) == (banded.table().to_csv(), f"bounds: 0.95, {banded.method}\n")
    assert run("curve", "f.csv", "passes", *SAID)[0] == ev.passes().to_csv()
    out, err = run("curve", credit := str(tm.example("credit")), "roc", "--band", "vertical")
    three = tm.evaluate(credit)
    assert err == f"bounds: 0.95, {banded.method}\n"
    lines = list(csv.DictReader(io.StringIO(out)))
    for name in three.names:
        one = three.model(name).curve("roc", band="vertical").table()
        points = [line for line in lines if line["model"] == name]
        assert [float(line["high"]) for line in points] == [row["high"] for row in one]
    every = ev.thresholds()
    out, _ = run("thresholds", "f.csv", *SAID, "-o", "t.csv")
    assert out == "csv: t.csv\n"
    lines = (tmp_path / "t.csv").read_text("utf-8").splitlines()
    assert lines[0].startswith("model,threshold,")
    assert len(lines) == len(every) + 1
    out, _ = run("thresholds", "f.csv", *SAID, "--json")
    assert [r["TP"] for r in json.loads(out)] == [r["TP"] for r in every]
    out, _ = run("thresholds", "f.csv", *SAID, "--format", "csv")
    assert out.splitlines() == lines
    out, _ = run("thresholds", "f.csv", *SAID)
    assert out.splitlines()[0] == f"score: {len(every)} thresholds"
    assert len(out.splitlines()) == len(every) + 2


def test_each_result_is_printed_in_each_format(run, ev):
    best = ev.optimal_threshold("youden_j")
    out, _ = run("threshold", "f.csv", *SAID, "--format", "csv")
    assert out.splitlines()[0].startswith("model,")
    assert len(out.splitlines()) == len(best.table()) + 1
    assert json.loads(run("threshold", "f.csv", *SAID, "--json")[0])["score"] == json.loads(
        json.dumps(best.to_dict())
    )
    by = tm.evaluate("f.csv", truth="label", score="score", positive="ill", subgroup="site").by(
        "site"
    )
    words = ("subgroups", "f.csv", *SAID, "--subgroup", "site", "--metric", "recall")
    assert run(*words, "--format", "csv")[0] == by.table(["recall"]).to_csv()
    assert json.loads(run(*words, "--json")[0]) == json.loads(json.dumps(by.to_dict(["recall"])))
    advice = ev.advise()
    assert run("advise", "f.csv", *SAID, "--format", "csv")[0] == advice.table().to_csv()
    assert run("advise", "f.csv", *SAID, "--format", "latex")[0] == advice.to_latex()


REFUSED = [
    ("curve f.csv passes --band vertical",
     "passes has no band: it shows how the curve is computed; use roc"),
    ("report f.csv --subgroup site --prevalence 0.1",
     "subgroups and folds are only computed at the sample's own prevalence; leave --prevalence out"),
    ("report f.csv --noun 2nd",
     "noun is '2nd'; give a word for a row, such as 'loan' or 'child/children'"),
    ("compare f.csv g.csv --with h.csv",
     "--with names the other file, and so does a second one; give one of them"),
    ("compare f.csv --with f.csv",
     "'f.csv' is on both sides; give --with the predictions on other rows"),
    ("report f.csv -o f.csv", "'f.csv' would be both the file to judge and the page; give another name"),
    ("report f.csv --json f.csv",
     "'f.csv' would be both the file to judge and the JSON; give another name"),
    ("report f.csv --json a.out -o a.out",
     "'a.out' would be both the page and the JSON; give another name"),
    ("example credit -o f.csv", "'f.csv' exists; give another file with -o"),
]  # fmt: skip


def test_what_cannot_be_written_is_refused_before_the_work(run):
    for said, message in REFUSED:
        out, err = run(*said.split(), code=2)
        assert (out, err) == ("", f"tallymark: {message}\n")


def test_examples_are_listed_and_written(run, tmp_path):
    out, _ = run("example")
    names = [line.split()[0] for line in out.splitlines()[:-2]]
    assert "credit" in names
    assert out.endswith("\n\nWrite one with: tallymark example NAME\n")
    out, _ = run("example", "credit")
    first, facts, then = out.splitlines()
    assert first == "csv: credit.csv"
    assert (tmp_path / "credit.csv").read_text("utf-8") == tm.example("credit").read_text("utf-8")
    assert then.startswith("Judge it with: tallymark report credit.csv")
    assert facts.endswith(".")
    assert "; " in facts


def test_lines_are_broken_at_the_width_of_the_terminal_and_at_forty_at_least(run, monkeypatch):
    for asked, width in ((60, 60), (41, 41), (40, 40), (30, 40)):
        monkeypatch.setenv("COLUMNS", str(asked))
        out, _ = run("advise", "f.csv", *SAID, "--format", "markdown")
        assert max(map(len, out.splitlines())) > 60, "Markdown is not broken"
        out, _ = run("curve", "f.csv", "roc", *SAID)
        assert out.startswith("threshold,false_positive_rate,")
        out, _ = run("explain", "f1")
        lines = out.splitlines()
        assert max(map(len, lines)) <= width
        assert max(map(len, lines)) > width - 10
    monkeypatch.setenv("COLUMNS", "200")
    assert max(map(len, run("explain", "f1")[0].splitlines())) <= 88


def test_a_long_line_goes_on_below_its_indent(monkeypatch):
    words = " ".join(["ab"] * 50)
    for columns, width in (("50", 50), ("41", 41), ("30", 40)):
        monkeypatch.setenv("COLUMNS", columns)
        first, *rest = fit(words).splitlines()
        assert len(first) == max(3 * k - 1 for k in range(50) if 3 * k - 1 <= width)
        assert {line[:2] for line in rest} == {"  "}
        assert {line[2] for line in rest} == {"a"}
        assert fit(words, indent="> ").splitlines()[1].startswith("> ab")
        assert fit(f"\x1b[1m{words}") == f"\x1b[1m{words}"
    monkeypatch.setenv("COLUMNS", "149")
    assert fit(words) == words
    monkeypatch.setenv("COLUMNS", "148")
    assert len(fit(words).splitlines()) == 2
    monkeypatch.delenv("COLUMNS")
    assert fit(words) == words
