"""Each option on how rows are read, through the command line and in Python: the same answer."""

from __future__ import annotations

import json
import re

import click
import numpy as np
import pytest
from click.testing import CliRunner

import tallymark as tm
from asymmetric import FIRST, SECOND, TRUTH
from tallymark.cli import main

SOME = np.arange(0, 1000, 9)
CASES = np.arange(len(SOME))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with one file of rows with columns for every role."""
    folder = tmp_path_factory.mktemp("rows")
    columns = {
        "case": [f"r{i}" for i in CASES],
        "truth": TRUTH[SOME],
        "shouted": [t.upper() if i % 2 else t for i, t in enumerate(TRUTH[SOME])],
        "p": np.where(CASES % 17 == 3, "-100", np.char.mod("%.2f", FIRST[SOME])),
        "first": np.char.mod("%.2f", FIRST[SOME]),
        "second": np.char.mod("%.2f", SECOND[SOME]),
        "lacking": np.where(CASES % 13 == 5, "", np.char.mod("%.2f", SECOND[SOME])),
        "cent": np.char.mod("%.0f", 100 * FIRST[SOME]),
        "log_odds": np.char.mod("%.3f", np.log(np.clip(FIRST[SOME], 0.01, 0.99) / (1 - np.clip(FIRST[SOME], 0.01, 0.99)))),
        "called": np.where(FIRST[SOME] > 0.3, "ill", "well"),
        "again": np.where(SECOND[SOME] > 0.6, "ill", "well"),
        "q1": np.where(CASES % 3, "0.5", "2.25"),
        "q2": CASES % 4 + 1,
        "q3": CASES // 3,
        "q4": 10 + CASES % 7,
        "q5": CASES % 5,
    }  # fmt: skip
    rows = [
        ",".join(columns),
        *(",".join(map(str, r)) for r in zip(*columns.values(), strict=True)),
    ]
    (folder / "rows.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    bare = [f"{t},{s:.2f}" for t, s in zip(TRUTH[SOME], FIRST[SOME], strict=True)]
    (folder / "bare.csv").write_text("\n".join(bare) + "\n", encoding="utf-8")
    key = [f"{c},{t}" for c, t in zip(columns["case"], columns["truth"], strict=True)][::-1]
    (folder / "truth.csv").write_text("\n".join(["case,truth", *key]) + "\n", encoding="utf-8")
    long = [
        f"{c},{t},{m},{s}"
        for m in ("first", "second")
        for c, t, s in zip(columns["case"], columns["truth"], columns[m], strict=True)
    ]
    (folder / "long.csv").write_text(
        "\n".join(["case,truth,who,p", *long]) + "\n", encoding="utf-8"
    )
    return folder


def told(*args: str):
    """Return how a command reads a file and what a report would judge."""
    shown = json.loads(run("inspect", *args, "--json"))
    return shown["reading"], shown["source"]["roles"], shown["run"]


def read(file, **asked):
    """Return the same of an evaluation."""
    ev = tm.evaluate(str(file), **asked)
    kind = f"{ev.rows} rows of {len(ev.classes)} classes ({', '.join(ev.classes)})"
    roles = json.loads(json.dumps(ev.source.to_dict()["roles"]))
    return ev.reading.to_dict(), roles, f"A report judges {kind}: {', '.join(ev.names)}."


def run(*args: str) -> str:
    """Return what a command prints."""
    found = CliRunner().invoke(main, list(args), prog_name="tallymark")
    assert found.exit_code == 0, found.stderr
    return found.stdout


PLAIN = {"truth": "truth", "score": "first", "positive": "ill"}

ASKED = [
    ("", {}),
    ("--score second", {"score": ["first", "second"]}),
    ("--classes well,ill", {"classes": ["well", "ill"]}),
    ("--weight q1", {"weight": "q1"}),
    ("--count q2", {"count": "q2"}),
    ("--no-count", {"count": False}),
    ("--no-model", {"model": False}),
    ("--cluster q3", {"cluster": "q3"}),
    ("--effort q4", {"effort": "q4"}),
    ("--pred called", {"pred": "called"}),
    ("--threshold 0.3", {"threshold": 0.3}),
    ("--score-is lower", {"reading": {"score_is": "lower"}}),
    ("--score-is score", {"reading": {"score_is": "score"}}),
    ("--score-of well", {"score_of": "well"}),
    ("--header", {"options": {"header": True}}),
    ("--memory 1GB", {"options": {"memory": "1GB"}}),
    ("--tolerance 0.01", {"options": {"tolerance": 0.01}}),
    ("--missing drop", {"missing": "drop"}),
]
ALONE = [
    ("--truth truth --score cent --percent", {"truth": "truth", "score": "cent", "reading": {"percent": True}}),
    ("--truth truth --score log_odds --score-is logit", {"truth": "truth", "score": "log_odds", "reading": {"score_is": "logit"}}),
    ("--truth truth --score lacking --missing drop", {"truth": "truth", "score": "lacking", "missing": "drop"}),
    ("--truth truth --score p --missing-code -100", {"truth": "truth", "score": "p", "missing": [-100]}),
    ("--truth shouted --score first --ignore-case", {"truth": "shouted", "score": "first", "reading": {"ignore_case": True}}),
    ("--truth truth --pred called --pred again", {"truth": "truth", "pred": ["called", "again"]}),
]  # fmt: skip


@pytest.mark.slow
def test_each_option_of_rows_gives_what_its_argument_gives(folder):
    file = str(folder / "rows.csv")
    plain = read(file, **PLAIN)
    words = [f"--{name}={value}" for name, value in PLAIN.items()]
    same = []
    for said, asked in ASKED:
        found = told(file, *words, *said.split())
        assert found == read(file, **(PLAIN | asked)), said
        same += [said] if found == plain else []
    assert same == [
        "", "--no-count", "--no-model", "--threshold 0.3", "--header", "--memory 1GB", "--tolerance 0.01",
    ]  # fmt: skip


@pytest.mark.slow
def test_options_of_other_columns_give_what_their_arguments_give(folder):
    file = str(folder / "rows.csv")
    for said, asked in ALONE:
        positive = "ILL" if "shouted" in said else "ill"
        found = told(file, f"--positive={positive}", *said.split())
        assert found == read(file, positive=positive, **asked), said


def test_a_file_without_a_header_with_its_truth_elsewhere_and_in_long_form(folder):
    bare = str(folder / "bare.csv")
    found = told(bare, "--no-header", "--positive", "ill")
    assert found == read(bare, positive="ill", options={"header": False})
    rows, truth = str(folder / "rows.csv"), str(folder / "truth.csv")
    words = ("--truth", "truth", "--score", "second", "--positive", "ill", "--on", "case")
    of_other = tm.file(truth, truth="truth")
    joined = read(rows, truth=of_other, score="second", positive="ill", on="case")
    assert told(rows, "--truth-file", truth, *words) == joined
    long = str(folder / "long.csv")
    words = ("--truth", "truth", "--score", "p", "--model", "who", "--positive", "ill")
    found = told(long, *words)
    assert found == read(long, truth="truth", score="p", model="who", positive="ill")
    assert found[2].endswith(": first, second.")


# -- laws of all options -----------------------------------------------------------------------


def commands(group=main, path=()):
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


OPTIONS = [
    (name, p) for name, command in commands() for p in command.params if isinstance(p, click.Option)
]
UNSET = next(p for _, p in OPTIONS if p.name == "weight").default


def test_an_option_says_that_it_is_repeatable_where_it_is():
    silent = {
        (name, p.name) for name, p in OPTIONS if p.multiple and not re.search("epeat|twice", p.help)
    }
    assert not silent
    said = {(name, p.name) for name, p in OPTIONS if not p.multiple and "repeatable" in p.help}
    assert not said


def test_an_option_takes_as_many_words_as_it_shows():
    for name, p in OPTIONS:
        if p.metavar is not None and not p.is_flag:
            assert len(p.metavar.split()) == p.nargs, (name, p.name)
        if p.is_flag:
            assert p.metavar is None, (name, p.name)


def test_an_option_has_the_default_that_its_help_shows():
    for name, p in OPTIONS:
        if p.multiple:
            assert p.default in ((), None, UNSET), (name, p.name)
        elif p.is_flag and not p.secondary_opts:
            assert p.default in (False, UNSET), (name, p.name)
        elif p.secondary_opts:
            assert p.default is None, (name, p.name)
    given = {p.name: p.default for name, p in OPTIONS if name == "report"}
    assert {n: d for n, d in given.items() if d not in (None, (), False, UNSET)} == {
        "level": 0.95, "shape": "text",
    }  # fmt: skip
    assert given["seed"] == 0
    defaults = {(name, p.name): p.default for name, p in OPTIONS}
    assert defaults["threshold", "metric"] in (None, UNSET)
    assert defaults["curve", "over"] == "threshold"
    assert defaults["demo", "output"] == "demo.html"


COMPLETED = {"COLUMN": "first", "METRIC": "f1"}


def test_columns_and_metrics_are_completed_wherever_they_are_asked_for(folder):
    for name, p in OPTIONS:
        if p.metavar in COMPLETED:
            context = click.Context(main)
            context.params["file"] = str(folder / "rows.csv")
            start = COMPLETED[p.metavar]
            offered = [c.value for c in p.shell_complete(context, start)]
            assert start in offered, (name, p.name)
            assert all(word.startswith(start) for word in offered)


def test_a_share_may_be_a_percentage_and_a_level_not():
    for said, message in (
        ("report f.csv --prevalence 1.5",
         "prevalence is 1.5; give a number between 0 and 1, or 0% and 100%"),
        ("report f.csv --prevalence 150%",
         "prevalence is 1.5; give a number between 0 and 1, or 0% and 100%"),
        ("report f.csv --prevalence some",
         "'some' is not a share; give a number such as 0.01 or 1%"),
        ("report f.csv --level 95", "--level is 95; give a number between 0 and 1, such as 0.95"),
        ("report f.csv --level 50", "--level is 50; give a number between 0 and 1, such as 0.5"),
        ("report f.csv --level 49", "--level is 49; give a number between 0 and 1, such as 0.95"),
        ("report f.csv --level 100", "--level is 100; give a number between 0 and 1, such as 0.95"),
        ("report f.csv --level 1", "--level is 1; give a number between 0 and 1, such as 0.95"),
        ("report f.csv --level 0", "--level is 0; give a number between 0 and 1, such as 0.95"),
        ("report f.csv --count n --no-count",
         "--count and --no-count contradict each other; give one of them"),
        ("report f.csv --model n --no-model",
         "--model and --no-model contradict each other; give one of them"),
        ("report f.csv --format csv --json -",
         "--json - and --format csv both print; give one of them"),
        ("report f.csv --format json --json a.json",
         "--format json prints, and --json writes a file; give one of them"),
        ("inspect f.csv --json --format markdown",
         "--json and --format markdown contradict each other; give one of them"),
        ("report f.csv -o - --json -",
         "the page and the JSON cannot both be standard output; name a file of one"),
        ("report f.csv --costs 0 0",
         "--costs are both 0; one of them must be above 0"),
        ("compare f.csv --with g.csv h.csv", ""),
    ):  # fmt: skip
        found = CliRunner().invoke(main, said.split(), prog_name="tallymark")
        assert found.exit_code == 2, said
        assert not found.stdout
        if message:
            assert found.stderr == f"tallymark: {message}\n", said


@pytest.mark.parametrize("rows", [1, 2, 9])
@pytest.mark.parametrize("nested", [{"a": 0.1, "history": []}, {"a": {"history": [{}]}}, {}])
def test_nested_json_with_empty_lists_is_inspected(nested, rows, tmp_path):
    path = tmp_path / "nested.json"
    path.write_text(json.dumps([{"y": i % 2, "s": nested} for i in range(rows)]), "utf-8")
    result = CliRunner().invoke(main, ["inspect", str(path)], catch_exceptions=False)
    assert result.exit_code == 0
    assert "A report would be refused" in result.output
