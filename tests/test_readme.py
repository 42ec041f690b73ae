"""The numbers of the README are those of the code, of the example file and of the other pages.

Its commands run in ``tests/test_docs.py``.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

import tallymark as tm
from tallymark.metric import METRICS
from tallymark.part import part_roles
from test_chapters import CHAPTERS, DOCUMENTS

ROOT = Path(__file__).parents[1]
README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
WORDS = {3: "three", 4: "four", 5: "five", 30: "thirty", 40: "forty", 50: "fifty"}


def says(sentence):
    assert sentence in README, f"README.md does not say: {sentence}"


def page(name):
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def designs():
    """Return evaluations that ask for every metric: two and three classes, weights, clusters, roles, labels."""
    rng = np.random.default_rng(0)
    y, three, s = rng.integers(0, 2, 120), rng.integers(0, 3, 120), rng.random(120)
    p, unit = rng.dirichlet(np.ones(3), 120), np.arange(120) // 4
    yield tm.evaluate(y, y_score=s, **dict.fromkeys(part_roles(), rng.integers(1, 100, 120)))
    yield tm.evaluate(y, (s > 0.5).astype(int))
    yield tm.evaluate(y, y_score=s, weight=rng.random(120) + 0.1)
    yield tm.evaluate(y, y_score=s, cluster=unit)
    yield tm.evaluate(y, y_score=s).at(prevalence=0.1)
    yield tm.evaluate(three, y_score=p)
    yield tm.evaluate(three, y_score=p, cluster=unit)
    yield tm.evaluate(rng.random((120, 3)) < 0.4, y_score=rng.random((120, 3)))


@pytest.mark.slow
def test_every_metric_has_an_interval_or_says_why_it_has_none():
    says("It returns every metric with a confidence interval**, or says why it has none")
    with_roles, *others = designs()
    values = [v for ev in (with_roles, *others) for of in ev.values().values() for v in of.values()]
    shown = {v.metric for v in values}
    values += [with_roles.value(name) for name in METRICS if name not in shown]
    for v in values:
        assert v.low <= v.high or v.reason or re.match("no interval: .", v.method), v


def test_a_billion_rows_took_less_memory_than_the_readme_says():
    ((rows, limit, peaks),) = re.findall(
        r"^\| (\S+) rows of Parquet, .+: peak of the process, .+? \| under (\d+) MB \| (.+) \|$",
        page("performance.md"), re.M,
    )  # fmt: skip
    rows, limit = float(rows), float(limit)
    peak = max(float(n) for n in re.findall(r"(\d+) MB", peaks))
    assert rows == 1e9
    assert peak < limit
    says(f"a billion rows of scores in less than {limit / 1000:g} GB of memory")


def test_the_intervals_that_are_too_narrow_are_as_many_as_the_readme_says():
    measured = re.search(
        r"of ([\d,]+) numbers .+ and (\d+) numbers less often\. .+?: (\d+) of those \2 carry one",
        " ".join(page("coverage.md").split()),
    )
    numbers, low, warned = measured.groups()
    assert warned == low
    says(
        f"of {numbers} simulated numbers, {low} have intervals that contain the true value less often "
        f"than stated, and each of the {low} carries a warning"
    )


def test_the_time_of_scikit_learn_is_that_of_the_page_of_times():
    (cells,) = re.findall(
        r"^\| exact roc_auc of 10\^7 float64 scores \| at least \d+ × \| (.+) \|$",
        page("performance.md"),
        re.M,
    )
    ratios = [float(n) for n in re.findall(r"([\d.]+) × scikit-learn", cells)]
    told = " to ".join(dict.fromkeys(f"{n:.0f}" for n in (min(ratios), max(ratios))))
    says(f"The ROC area of 10⁷ rows takes {told} times as long with scikit-learn")


def test_the_example_file_holds_the_loans_and_models_that_the_readme_says():
    ev = tm.evaluate(tm.example("credit"))
    says(f"The file holds {ev.rows:,} loans and the scores of {WORDS[len(ev.names)]} models")


def test_there_are_as_many_recipes_and_chapters_as_the_readme_says():
    recipes = len(re.findall(r"^### (?:I |Another )", page("recipes.md"), re.M))
    says(f"over {WORDS[(recipes - 1) // 10 * 10]} answers that run")
    says(f"(docs/{CHAPTERS[0]}.md) and {WORDS[DOCUMENTS - 1]} more documents replayed")


def test_python_licence_and_targets_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    says(f"a C++17 compiler and Python {project['requires-python'].removeprefix('>=')} or newer")
    assert README.endswith(f" {project['license']}.")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"\bmake ([a-z]+)\b", README))
    assert named
    assert named <= set(re.findall(r"^([a-z]+):", makefile, re.M))
