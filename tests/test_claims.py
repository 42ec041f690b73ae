"""What the documentation says of behaviour: every claim stands where it is said to, and a test holds it."""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import tallymark as tm
from tallymark import tallier
from tallymark.infer import (
    cautions,
    difference,
    methods,
    operating_points,
    sampler,
    significance,
    stacks,
)
from tallymark.metric import METRICS
from tallymark.reading import engines, ingest, models, profile
from tallymark.studies import model_tests
from tallymark.studies.advice import MOST_FINDINGS
from tallymark.studies.algorithms import ALGORITHMS
from tallymark.studies.lab import FAILURES
from tallymark.tally import io, joint

ROOT = Path(__file__).parents[1]
AT_THE_ROOT = {"README", "CHANGELOG", "CONTRIBUTING", "SECURITY"}
CLAIMS = [
    (f"{page.stem}.md" if page.stem in AT_THE_ROOT else f"docs/{page.stem}.md", text, held_by)
    for page in sorted((Path(__file__).with_name("claims")).glob("*.toml"))
    for text, held_by in tomllib.loads(page.read_text("utf-8")).items()
]
"""Page, sentence or part of one that stands there word for word, and the tests, pages whose examples
run or make targets that hold it."""


@cache
def words_of(file):
    return " ".join((ROOT / file).read_text("utf-8").split())


@cache
def names_in(file):
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    return {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}


@cache
def targets():
    return set(re.findall(r"^([a-z0-9]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))


@pytest.mark.parametrize(("page", "text", "held_by"), CLAIMS, ids=lambda v: str(v)[:40])
def test_a_claim_stands_on_its_page_and_is_held(page, text, held_by):
    line = f"tests/claims/{Path(page).stem}.toml, {text!r}"
    assert text in words_of(page), f"{line}: {page} no longer says it; change or delete the line"
    assert isinstance(held_by, list), f"{line}: give the tests that hold it as a list"
    assert held_by, f"{line}: name a test that holds it"
    for node in held_by:
        file, _, name = node.partition("::")
        if node.startswith("make "):
            assert node.removeprefix("make ") in targets(), f"{line}: there is no {node}"
        elif file.endswith(".md"):
            assert ">>>" in words_of(file), f"{line}: {node} has no example that runs"
        else:
            found = name.startswith("test_") and name in names_in(file)
            assert found, f"{line}: there is no test {node}; name the one that holds it now"


# -- claims that no other test holds -----------------------------------------------------------


def default(function, argument):
    return inspect.signature(function).parameters[argument].default


NUMBERS = [
    ("docs/definitions.md", "1 to within {}.", f"{profile.ROW_SUM_TOLERANCE:g}"),
    ("docs/definitions.md", "more than {} MB of one model's scores", f"{ingest.MOST_OF_COLUMNS / 1e6:g}"),
    ("docs/definitions.md", "Of more than {} distinct scores", f"{default(tm.ScoreTally.coarse, 'groups')}"),
    ("docs/definitions.md", "take {} replicates", f"{sampler.DRAWS:,}"),
    ("docs/engines.md", "At most {} groups", f"{engines.MOST_LINES:,}"),
    ("docs/engines.md", "at most {} rows, or as many", f"{engines.MOST_LINES:,}"),
    ("docs/streaming.md", "Up to {} scores", f"{tallier.MOST_WAITING:,}"),
    ("docs/streaming.md", "side by side, up to {} GB", f"{ingest.MOST_KEPT / 1e9:g}"),
    ("docs/streaming.md", "for each class up to {} MB", f"{ingest.MOST_OF_COLUMNS / 1e6:g}"),
    ("docs/saved.md", "arrays of more than {} numbers", f"{io.LONG}"),
    ("docs/saved.md", "take up to {} MB", f"{models.MOST_SAVED / 1e6:g}"),
    ("docs/clusters.md", "more than {} GB are refused", f"{ingest.MOST_KEPT / 1e9:g}"),
    ("docs/subgroups.md", "fewer than {} of the rows that a metric rests on", f"{cautions.FEW}"),
    ("docs/effort.md", "more than {} GB are refused", f"{ingest.MOST_KEPT / 1e9:g}"),
    ("docs/gate.md", "fewer than {} of the rows that a metric rests on", f"{cautions.FEW}"),
    ("docs/comparing.md", "{} of them show no less than 0.001", f"{difference.DRAWS:,}"),
    ("docs/comparing.md", "no less than {}, and", f"{2 / significance.PERMUTATIONS:g}"),
    ("docs/comparing.md", "of more than {} rows, blocks", f"{joint.MOST_BLOCKS:,}"),
    ("docs/comparing.md", "`rope` ({} unless told otherwise)", f"{default(tm.compare_results, 'rope')}"),
    ("docs/design.md", "More than {} distinct scores", f"{default(tm.ScoreTally.coarse, 'groups')}"),
    ("docs/design.md", "at most {}; up to there a block is a row", f"{joint.MOST_BLOCKS:,}"),
    ("docs/comparing.md", "signs up to {} differences", f"{model_tests.MOST_EXACT}"),
    ("docs/comparing.md", "which draws {} times", f"{model_tests.DRAWS:,}"),
]  # fmt: skip
IN_WORDS = [
    ("below five the value carries a `warning`", stacks.FEW_FREEDOMS, 5),
    ("of which one has less than ten rows", cautions.FEW_OF_A_CLASS, 10),
    ("with less than twenty of a class", cautions.FEW_TO_FIT, 20),
    ("less than fifty rows, or averaged over classes", cautions.FEW_TO_CALIBRATE, 50),
    ("Fifty times the rows are split at random", operating_points.REPEATS, 50),
    ("fewer than five rows, `d.warning` says so", difference.FEW, 5),
    ("[The lab](lab.md) has eight failures", len(FAILURES), 8),
    ("trains eight algorithms on the data sets", len(ALGORITHMS), 8),
    ("names the five most harmful findings first", MOST_FINDINGS, 5),
]


@pytest.mark.parametrize(("file", "sentence", "number"), NUMBERS)
def test_numbers_on_the_pages_are_those_of_the_code(file, sentence, number):
    assert sentence.format(number) in words_of(file)


@pytest.mark.parametrize(("sentence", "of_code", "said"), IN_WORDS)
def test_numbers_in_words_are_those_of_the_code(sentence, of_code, said):
    assert of_code == said
    assert any(
        sentence in words_of(f"docs/{page}.md")
        for page in ("definitions", "comparing", "recipes", "which-metric")
    )
    assert 1 / 3 < methods.MOST_BIAS < 0.36, "more than a third of their error"


def test_there_are_over_thirty_recipes():
    recipes = (ROOT / "docs" / "recipes.md").read_text("utf-8")
    assert len(re.findall(r"^### (?:I |Another )", recipes, re.M)) > 30


def test_the_rule_of_decisions():
    ev = tm.evaluate([1, 0, 1, 0], y_score=[0.5, 0.49, 0.9, 0.1])
    assert ev.models[0].labels.counts.tolist() == [[2, 0], [0, 2]]
    tied = tm.evaluate(["b", "a", "c"], y_score=np.array([[0.4, 0.4, 0.2]] * 2 + [[0.1, 0.2, 0.7]]))
    assert tied.models[0].labels.counts.tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 1]]


def test_the_threshold_where_none_is_given():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    probabilities, margins, others = rng.random(80), rng.normal(size=80), rng.random(80) * 10 + 2
    found = [tm.evaluate(y, y_score=s) for s in (probabilities, margins, others)]
    assert [ev.models[0].threshold for ev in found[:2]] == [0.5, 0]
    best = max(float(found[2].at(threshold=t)["youden_j"]) for t in others)
    assert float(found[2]["youden_j"]) == best
    assert ["threshold-chosen" in {n.code for n in ev.notes} for ev in found] == [
        False,
        False,
        True,
    ]


def test_what_scores_are_taken_for():
    def probabilities(*args, **options):
        return tm.evaluate(*args, **options).models[0].probabilities

    assert probabilities([0, 1, 1, 0], y_score=[0, 1.0, 0.5, 0.2])
    assert not probabilities([0, 1, 1, 0], y_score=[0, 1.01, 0.5, 0.2])
    assert not probabilities([0, 1, 1, 0], y_score=[-0.01, 1.0, 0.5, 0.2])
    for over, said in ((0.0099, True), (0.0101, False)):
        p = np.tile([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]], (10, 1))
        p[0, 0] += over
        assert probabilities(np.arange(30) % 3, y_score=p) is said


def test_the_order_of_the_classes():
    y, said = ["b", "a", "b"], ["a", "a", "b"]
    for labels, counts in (((), [[1, 0], [1, 1]]), (("b", "a"), [[1, 1], [0, 1]])):
        ev = tm.evaluate(y, said, positive="b", classes=labels or None)
        assert list(ev.classes) == list(labels or ("a", "b")) == ev.to_dict()["classes"]
        assert ev.models[0].labels.counts.tolist() == counts


def test_the_table_of_averages():
    two = tm.evaluate([0, 1, 1], [0, 1, 0])
    three = tm.evaluate(["a", "a", "b", "c"], ["a", "b", "b", "c"])
    asked = ("recall", "accuracy", "kappa", "mcc")
    for ev, first in ((two, "binary"), (three, "macro")):
        assert [ev.value(n).definition["average"] for n in asked] == [first, *["overall"] * 3]


def test_definitions_that_names_hide():
    # One negative above four positives: precision is 4r / (4r + 1) at recall r.
    y, s = [1, 1, 0, 1, 1], [0.0, 0.0, 0.4, 0.0, 0.0]
    assert tm.metrics.pr_auc_davis_goadrich(y, s) == pytest.approx(1 - np.log(5) / 4)
    assert tm.metrics.pr_auc_trapezoid(y, s) == pytest.approx(0.4), "too low"
    three, p = np.array([0, 1, 2, 2]), np.array([[5, 3, 2], [2, 5, 3], [1, 2, 7], [3, 3, 4]]) / 10
    losses = ((p - np.eye(3)[three]) ** 2).sum(1)
    assert tm.metrics.brier(three, p) == pytest.approx(losses.mean())
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 2, 50), rng.random(50)
    assert tm.metrics.ece(y, s) == tm.metrics.ece(y, s, bins=10, strategy="width", norm="l1")


def test_the_net_benefit_of_two_models_in_words():
    ev = tm.evaluate(tm.example("breast_cancer"), truth="diagnosis", positive="malignant",
                     score=["logistic", "bayes"])  # fmt: skip
    logistic, bayes = (ev.at(threshold=0.3).model(m) for m in ev.names)
    d = tm.interval("net_benefit", logistic, bayes, p_t=0.3)
    value, low, high = (f"{100 * x:.1f}" for x in (d.value, d.low, d.high))
    spared = round(tm.interval("interventions_avoided", logistic, p_t=0.3).value)
    page = words_of("docs/comparing.md")
    assert f"finds {value} more true positives per 100 patients than bayes" in page
    assert f"(95 % CI {low} to {high}), and spares {spared} of 100 patients" in page


def test_an_average_counts_the_classes_it_leaves_out():
    ev = tm.evaluate(["a", "a", "b", "c"], ["a", "b", "b", "a"])
    assert np.isnan(ev.value("precision").value)
    some = ev.value("precision", skip_undefined=True)
    assert (some.value, some.n_undefined) == (0.5, 1)


BY_METHOD = {
    "accuracy": "Wilson", "uncertainty": "Wilson, of its proportion", "roc_auc": "DeLong, beta posterior",
    "partial_roc_auc": "jackknife, beta posterior", "roc_auc_optimistic": "jackknife, beta posterior",
    "f1": "jackknife, Student's t", "mcc": "jackknife, Student's t", "kappa": "jackknife, Student's t",
    "diagnostic_odds_ratio": "percentile bootstrap, 1,000 draws", "brier": "jackknife, Student's t",
    "log_loss": "jackknife, Student's t", "equal_error_rate": "Dirichlet posterior, 1,000 draws",
    "precision_at_k": "Dirichlet posterior, 1,000 draws",
    "best_depth": "percentile bootstrap, 1,000 draws", "decidability": "jackknife, Student's t",
    "average_precision": "jackknife, Student's t, widened for bias",
    "kolmogorov_smirnov": "jackknife, Student's t, widened for bias",
    "h_measure": "jackknife, Student's t, widened for bias",
    "expected_calibration_error": "jackknife, Student's t, widened for bias",
    "cramers_v": "percentile bootstrap, 1,000 draws, widened for bias",
}  # fmt: skip


def test_the_methods_of_the_table_of_intervals():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    ev = tm.evaluate(y, y_score=np.clip(y * 0.2 + rng.random(80) * 0.8, 0.01, 0.99))
    assert {name: ev[name].method for name in BY_METHOD} == BY_METHOD
    three = tm.evaluate(rng.integers(0, 3, 60), y_score=rng.dirichlet(np.ones(3), 60))
    assert three["log_loss"].method == "normal, mean over rows"
    assert (
        three["brier"].method == three["spherical_score"].method == "mean over rows, beta posterior"
    )
    page = words_of("docs/definitions.md")
    for method in (
        "Wilson's score interval",
        "a beta posterior: DeLong's variance",
        "the normal interval of the rows' losses",
    ):
        assert method in page


def test_no_standard_error_is_zero():
    assert tm.matrix([[10, 0], [0, 10]])["accuracy"].se is None
    assert tm.matrix([[9, 1], [0, 10]])["accuracy"].se > 0


def designs():
    """Return evaluations that ask for every metric: two and three classes, weights, clusters, effort, labels."""
    rng = np.random.default_rng(0)
    y, three, s = rng.integers(0, 2, 120), rng.integers(0, 3, 120), rng.random(120)
    p, unit = rng.dirichlet(np.ones(3), 120), np.arange(120) // 4
    yield tm.evaluate(y, (s > 0.5).astype(int))
    yield tm.evaluate(y, y_score=s, effort=rng.integers(1, 100, 120))
    yield tm.evaluate(y, y_score=s, weight=rng.random(120) + 0.1)
    yield tm.evaluate(y, y_score=s, cluster=unit)
    yield tm.evaluate(y, y_score=s).at(prevalence=0.1)
    yield tm.evaluate(three, y_score=p)
    yield tm.evaluate(three, y_score=p, cluster=unit)
    yield tm.evaluate(rng.random((120, 3)) < 0.4, y_score=rng.random((120, 3)))


def test_every_metric_has_an_interval_or_says_why_it_has_none():
    found = list(designs())
    values = [v for ev in found for of in ev.values().values() for v in of.values()]
    left = set(METRICS) - {v.metric for v in values}
    values += [found[1].value(name) for name in sorted(left)]  # those that are shown when asked for
    assert {v.metric for v in values} == set(METRICS)
    for v in values:
        assert v.low <= v.high or v.reason or re.match("no interval: .", v.method), v
