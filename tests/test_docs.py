"""What the documentation shows is what the code does."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import jsonschema
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.stats import norm
from sklearn.metrics import matthews_corrcoef

import tallymark as tm
from judged import counted
from of_parts import by_name
from tallymark.cli import main
from tallymark.curve import CURVES
from tallymark.metric import METRICS

ROOT = Path(__file__).parents[1]
RSCRIPT = shutil.which("Rscript")


@cache
def tool(name):
    spec = spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look for it there
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "page", "figures"),
    [
        ("catalogue", "metrics.md", []),
        pytest.param("balance", "class-balance.md", ["class-balance"], marks=pytest.mark.slow),
        pytest.param("iris", "iris.md", ["iris-roc", "iris-pr"], marks=pytest.mark.slow),
    ],
)
def test_a_page_is_what_its_command_writes(name, page, figures):
    told = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert told == tool(name).text(), f"run: make measure WHAT={name}"
    for figure in figures:
        assert (ROOT / "docs" / "figures" / f"{figure}.svg").is_file()
        assert f"(figures/{figure}.svg)" in told


@pytest.mark.parametrize(
    "page", ["README.md", "docs/start.md", "docs/recipes.md", "docs/which-metric.md"]
)
@pytest.mark.slow
def test_every_command_of_the_first_pages_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / page).read_text("utf-8")
    named = re.search(r"--score (\w+)", text)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    columns = {
        "label": np.where(y, "yes", "no"),
        named[1] if named else "p": norm.cdf(rng.normal(2 * y - 1)),
    }
    pd.DataFrame(columns).to_csv("predictions.csv", index=False)
    pd.DataFrame(columns)[["label"]].to_csv("gold.csv", index=False)
    for name, text_of in by_name("FILES").items():
        Path(name).write_text(text_of(), "utf-8")
    lines = re.findall(r"(?m)^tallymark (?!judges|sends)(.+)$|`tallymark ([^`A-Z]+)`", text)
    assert lines
    for line in map("".join, lines):
        words, _, kept = line.partition(" > ")
        if kept:  # a process of its own: the command asks whether its output is a file
            with Path(kept).open("wb") as out:
                run = [sys.executable, "-m", "tallymark", *shlex.split(words)]
                subprocess.run(run, stdout=out, check=True)
            continue
        done = CliRunner().invoke(main, shlex.split(words.replace("...", ""), comments=True))
        # A claim that no definition fits is an answer, and has an exit code of its own.
        assert done.exit_code == ("reconcile predictions" in line), f"{line}: {done.output}"
    if "tallymark demo" in text:
        assert (tmp_path / "demo.html").is_file()


BUNDLED = {path.name for path in (ROOT / "src" / "tallymark" / "examples").glob("*.csv")}
OTHER_FILES = ("agree", "matrix", "verify")
"""Commands whose FILE holds no predictions of classes."""


def commands_on_bundled_data(page):
    """Return the commands of a page that name a bundled file, or any FILE of predictions."""
    text = (ROOT / page).read_text("utf-8")
    blocks = re.findall(r"(?ms)^```\w*\n(.*?)^```", text)
    lines = [line for b in blocks for line in re.sub(r"\\\n\s*", " ", b).splitlines()]
    lines += re.findall(r"`(tallymark [^`]+)`", re.sub(r"(?ms)^```.*?^```", "", text))
    columns = (ROOT / "src/tallymark/examples/credit.csv").read_text("utf-8").split("\n")[0]
    for line in lines:
        command = line.removeprefix("$ ")
        if not command.startswith("tallymark ") or command.startswith("tallymark example"):
            continue
        words = shlex.split(command.split(" > ")[0], comments=True)
        if "FILE" in words and words[1] not in OTHER_FILES:
            named = re.findall(r"--(?:score|pred|fold|sets|p-values) (\S+)", line)
            if set(named) <= set(columns.split(",")) and not re.search(
                r"[A-Z]{4}", line[16:].replace("FILE", "")
            ):
                yield [word.replace("FILE", "credit.csv") for word in words[1:]]
        elif BUNDLED.intersection(words):
            yield words[1:]


PAGES = [
    "README.md",
    "examples/README.md",
    *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md")),
]
ON_BUNDLED_DATA = {page: list(commands_on_bundled_data(page)) for page in sorted(PAGES)}


@pytest.mark.parametrize("page", [page for page, found in ON_BUNDLED_DATA.items() if found])
@pytest.mark.slow
def test_every_command_on_bundled_data_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in BUNDLED:
        shutil.copy(ROOT / "src" / "tallymark" / "examples" / name, name)
    for words in ON_BUNDLED_DATA[page]:
        done = CliRunner().invoke(main, words)
        # A gate that fails and a claim that fits no definition are answers, with exit code 1.
        answers = (0, 1) if words[0] in ("check", "reconcile") else (0,)
        assert done.exit_code in answers, f"{shlex.join(words)}: {done.output}"


def test_the_commands_on_bundled_data_are_many():
    found = [words for commands in ON_BUNDLED_DATA.values() for words in commands]
    assert len(found) > 20
    for words in (
        ["curve", "credit.csv", "roc", "--band", "vertical"],
        ["results", "demsar2006.csv"],
    ):
        assert any(f[: len(words)] == words for f in found), words


@pytest.mark.r
def test_the_example_of_r_runs(tmp_path):
    asked = [
        RSCRIPT or "false",
        "-e",
        "quit(status = !requireNamespace('reticulate', quietly = TRUE))",
    ]
    if subprocess.run(asked, capture_output=True, check=False).returncode:
        pytest.skip("R's reticulate is not installed")
    (shown,) = re.findall(r"```r\n(.*?)```", (ROOT / "docs" / "start.md").read_text("utf-8"), re.S)
    rows = (
        'predictions <- data.frame(label = rep(c("no", "yes"), 40), p = rep(c(.2, .3, .4, .9), 20))'
    )
    right = 'stopifnot(class(table) == "data.frame", ev["roc_auc"]$value == 0.75)'
    told = 'cat(table$value[table$metric == "roc_auc"], file.exists("report.html"))'
    done = subprocess.run(
        [RSCRIPT, "-e", "\n".join((rows, shown, right, told))], capture_output=True, text=True, encoding="utf-8",
        cwd=tmp_path, env={**os.environ, "RETICULATE_PYTHON": sys.executable}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("0.75 TRUE")


def test_iris_is_the_papers_matrix_read_from_the_other_side():
    told = (ROOT / "docs" / "iris.md").read_text(encoding="utf-8")
    assert "This is the matrix of the predictions above with the positive class exchanged." in told
    assert "| setosa | 49 | 1 | 0 | 100 |" in told


def test_the_last_column_of_iris_has_accuracy_and_mcc_of_the_whole_matrix():
    rows = [[49, 1, 0], [0, 42, 8], [0, 6, 44]]
    truth = np.repeat(np.arange(3), 50)
    pred = np.concatenate([np.repeat(np.arange(3), row) for row in rows])
    told = (ROOT / "docs" / "iris.md").read_text(encoding="utf-8")
    for name, whole in (("accuracy", np.trace(rows) / 150),
                        ("matthews_corrcoef", matthews_corrcoef(truth, pred))):  # fmt: skip
        assert re.search(rf"^\| {name} \| .* \| {whole:.4f} \|$", told, re.M), name


@pytest.mark.slow
def test_the_metric_that_is_shown_takes_few_lines_and_works(tmp_path):
    text = (ROOT / "docs" / "adding-a-metric.md").read_text(encoding="utf-8")
    shown = re.findall(r"```python\n(.*?)```", text, re.S)[0]
    assert len(shown.splitlines()) < 15
    code = f"""
import math
from typing import Any
from tallymark.metric.registry import metric, ratio
from tallymark.tally.labels import Counts
import tallymark as tm
{shown}
y, p = [1, 1, 1, 0, 0], [0, 0, 1, 1, 0]
assert tm.metrics.error_odds(y, p) == 2
ev = tm.evaluate(y, p)
assert ev["error odds"].high >= 2
assert ev["error odds"].method
assert "error_odds" in ev.to_dict()["models"][0]["values"]
scored = tm.evaluate(y, y_score=[0.2, 0.4, 0.8, 0.7, 0.1])
assert scored.curve("error_odds").y[2] == scored.at(threshold=0.7)["error_odds"].value
assert tm.evaluate([0, 1, 2, 0], [1, 1, 2, 2]).value("error_odds", average="micro").value == 1
assert ev.model("model").report("page.html").read_text(encoding='utf-8').count("Error odds")
assert tm.evaluate([0, 1], [0, 1])["error_odds"].reason == "no row is wrong, 0/0"
from tallymark.metric import find
assert find(text="error odds")[0].words._relatives
from tallymark.cli import main
main(["explain", "error odds"], standalone_mode=False)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "A. Author (2026). A book about errors." in done.stdout


# -- the reference -----------------------------------------------------------------------------


@pytest.fixture
def figures():
    yield
    plt.close("all")


@pytest.mark.usefixtures("figures")
@pytest.mark.slow
def test_every_metric_is_drawn_once_with_the_values_of_its_function():
    behaviour = tool("behaviour")
    text = behaviour.text()
    assert sorted(re.findall(r"^### (.+)$", text, re.M)) == sorted(METRICS)
    drawn = re.findall(r"behaviour\.draw\('(\w+)'\)", text)
    assert sorted(drawn) == sorted(METRICS)
    assert "\nYouden's J: TPR + TNR - 1. -1 to 1, higher is better. " in text
    plain = text.replace("\\", "")
    for name in drawn:
        assert f"{METRICS[name].title}: {METRICS[name].words.formula}. " in plain
        ax, made = behaviour.draw(name), behaviour.behaviour(METRICS[name])
        assert ax.get_title() == name
        assert len(ax.lines) == len(made.lines) >= 2
        for line, values in zip(ax.lines, made.lines.values(), strict=True):
            y = line.get_ydata()
            np.testing.assert_array_equal(y[np.isfinite(values)], values[np.isfinite(values)])
            assert np.isfinite(values).any() or name == "number_needed_to_diagnose"
        plt.close(ax.figure)


@pytest.mark.parametrize(
    "name", [n for n, m in METRICS.items() if m._needs in ("counts", "matrix")]
)
def test_a_metric_of_decisions_is_drawn_as_it_is_of_whole_rows(name):
    made = tool("behaviour").behaviour(METRICS[name])
    for share, at in ((0.1, 9), (0.5, 49), (0.9, 89)):
        p, n = round(1000 * share), round(1000 * (1 - share))
        matrix = [[0.8 * n, 0.2 * n], [0.3 * p, 0.7 * p]]
        ours = counted(np.rint(matrix)).value(name)
        assert made.x[at] == pytest.approx(share)
        assert made.lines["TPR 0.7, TNR 0.8"][at] == pytest.approx(float(ours)), share


def test_metrics_of_scores_are_drawn_as_normal_distributions_have_them():
    behaviour = tool("behaviour")
    d = behaviour.SEPARATIONS
    known = {
        "roc_auc": norm.cdf(d / np.sqrt(2)), "gini_coefficient": 2 * norm.cdf(d / np.sqrt(2)) - 1,
        "kolmogorov_smirnov": 2 * norm.cdf(d / 2) - 1, "equal_error_rate": norm.cdf(-d / 2),
        "decidability": d, "specificity_at_sensitivity": norm.cdf(d + norm.ppf(0.05)),
    }  # fmt: skip
    for name, right in known.items():
        for line in behaviour.behaviour(METRICS[name]).lines.values():
            np.testing.assert_allclose(line, right, atol=0.005, err_msg=name)
    one = int(np.flatnonzero(np.isclose(behaviour.FACTORS, 1))[0])
    calibrated = {"calibration_slope": 1, "calibration_intercept": 0, "spiegelhalter_z": 0,
                  "observed_expected_ratio": 1, "miscalibration": 0}  # fmt: skip
    for name, right in calibrated.items():
        for line in behaviour.behaviour(METRICS[name]).lines.values():
            assert line[one] == pytest.approx(right, abs=1e-3), name
    for name in ("brier", "log_loss"):
        for line in behaviour.behaviour(METRICS[name]).lines.values():
            assert int(np.argmin(line)) == one


@pytest.mark.usefixtures("figures")
@pytest.mark.slow
def test_every_curve_is_in_its_page_with_its_picture():
    reference = tool("reference")
    text = reference.curves()
    assert re.findall(r"^## (.+)$", text, re.M) == list(CURVES)
    drawn = re.findall(r"reference\.draw_curve\('(\w+)'\)", text)
    assert drawn == list(CURVES)
    parts = dict(zip(*[iter(re.split(r"^## (.+)\n", text, flags=re.M)[1:])] * 2, strict=True))
    for name in drawn:
        section, of = parts[name], CURVES[name]
        assert f"\n- x: {of.x.title}\n- y: {of.y.title}\n- points: " in section
        assert f"\n- bands: {', '.join(of.bands) or 'none: ' + of.no_band}\n" in section
        assert f"tallymark curve FILE {name}`" in section
        ax = reference.draw_curve(name)
        assert ax.lines or ax.collections
        plt.close(ax.figure)
    read = {"truth": "outcome", "positive": "bad", "score": "forest"}
    for name, effort in (("gain", None), ("effort", "amount")):
        c = tm.evaluate(tm.example("credit"), **read, effort=effort).curve(name)
        lines = {line.get_label(): line for line in reference.draw_curve(name).get_lines()}
        first, second = (line for label, line in lines.items() if label[:6] in ("forest", "logist"))
        x, y = first.get_data()
        np.testing.assert_allclose(y, np.interp(x, c.x, c.y), atol=0.005)
        assert second.get_label().startswith("logistic")


def test_every_field_of_every_schema_is_in_its_page():
    reference = tool("reference")
    text, folder = reference.fields(), ROOT / "src" / "tallymark"
    names = {f.name.removesuffix(".schema.json"): f for f in folder.rglob("*.schema.json")}
    sections = dict(zip(*[iter(re.split(r"^## (.+)\n", text, flags=re.M)[1:])] * 2, strict=True))
    assert set(sections) == set(names)

    def fields(schema):
        if isinstance(schema, dict):
            if isinstance(schema.get("properties"), dict) and "if" not in schema.get("", ""):
                yield from schema["properties"]
            for key, part in schema.items():
                if key not in ("if", "then", "else", "not"):
                    yield from fields(part)
        elif isinstance(schema, list):
            for part in schema:
                yield from fields(part)

    for name, file in names.items():
        schema = json.loads(file.read_text("utf-8"))
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        versions = {"schema"} if name == "tally" else {"format", "version"}
        assert versions <= set(fields(schema))
        jsonschema.Draft202012Validator.check_schema(schema)
        shown = {w for cell in re.findall(r"^\| `(.+?)` \|", sections[name], re.M)
                 for w in re.split(r"[.\[\]*]+", cell)}  # fmt: skip
        assert set(fields(schema)) <= shown, set(fields(schema)) - shown


def test_false_flags_of_subgroups_are_those_that_were_measured():
    page = (ROOT / "docs" / "levels.md").read_text("utf-8")
    _, section = page.split("## Subgroups where none differs")
    head, *rows = (
        [cell.strip() for cell in line.split("|")[1:-2]]  # without any of these metrics
        for line in section.split("\n## ")[0].splitlines()
        if line.startswith("|") and not line.startswith("|---")
    )
    shares = {
        row[0]: {
            m: float(cell.strip("*").split()[0]) for m, cell in zip(head, row, strict=True) if m
        }
        for row in rows
    }
    assert len(shares) == 16
    assert max(max(of.values()) for of in shares.values()) < 6
