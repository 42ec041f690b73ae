"""What the documentation shows is what the code does."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def tool(name):
    spec = spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "page", "figures"),
    [
        ("catalogue", "metrics.md", []),
        ("balance", "class-balance.md", ["class-balance"]),
        ("iris", "iris.md", ["iris-roc", "iris-pr"]),
    ],
)
def test_a_page_is_what_its_command_writes(name, page, figures):
    told = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert told == tool(name).text(), f"run: make {name}"
    for figure in figures:
        assert (ROOT / "docs" / "figures" / f"{figure}.svg").is_file()
        assert f"(figures/{figure}.svg)" in told


def test_iris_is_the_papers_matrix_read_from_the_other_side():
    told = (ROOT / "docs" / "iris.md").read_text(encoding="utf-8")
    assert "It is the very matrix of the predictions above" in told
    assert "| setosa | 49 | 1 | 0 | 100 |" in told


@pytest.mark.skipif(
    not (ROOT.parent / "shared" / "datasets").is_dir(), reason="the data sets are not here"
)
def test_the_study_of_18_data_sets_is_set_up_as_its_page_says(tmp_path):
    module = tool("liu2014")
    folder = ROOT.parent / "shared" / "datasets"
    sets = module.data_sets(folder)
    assert len(sets) == 18
    assert (sets["optdigits"].rows, int(sets["optdigits"].y.sum())) == (5620, 2822)
    two = {k: sets[k] for k in ("house-voting", "spectf")}
    columns = module.run(two, algorithms=["ibk", "naive_bayes"], repeats=4, folds=5, jobs=1,
                         metrics=module.FIRST)  # fmt: skip
    told = "\n".join(module.page(columns))
    for unit in ("repeat", "pooled", "fold"):
        assert f"| {unit} | " in told
    printed = (ROOT / "docs" / "liu2014.md").read_text(encoding="utf-8")
    assert [line for line in printed.splitlines() if line.startswith("#")] == [
        line for line in told.splitlines() if line.startswith("#")
    ]
    assert all(f"| {name} | " in printed for name in sets)


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
assert ev.model("model").report("page.html").read_text().count("Error odds")
assert tm.evaluate([0, 1], [0, 1])["error_odds"].reason == "no row is wrong, 0/0"
from tallymark.metric import find
assert find(text="error odds")[0].relatives
from tallymark.cli import main
main(["explain", "error odds"], standalone_mode=False)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "A. Author (2026). A book about errors." in done.stdout
