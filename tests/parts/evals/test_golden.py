"""Golden cases of evaluations: exact fractions, statsmodels and mpmath, through public functions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tallymark as tm
from tallymark.infer.methods import beta_interval
from tallymark.infer.significance import mcnemar
from tallymark.parts.evals.units import beta_plus_one, jackknife_t

FILE = Path(__file__).parents[3] / ".." / "shared" / "golden" / "statistics" / "evals.json"
CASES: list[dict[str, Any]] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else []

if not CASES:
    pytest.skip("the golden file is not beside this checkout", allow_module_level=True)


def of_kind(kind: str) -> list[dict[str, Any]]:
    found = [case for case in CASES if case["kind"] == kind]
    assert found
    return found


def near(value: Any, expected: Any, case: dict[str, Any]) -> None:
    assert value == pytest.approx(expected, rel=0, abs=case["tol"])


def bounds(value: tm.Value) -> tuple[float, float]:
    return value.low, value.high


def test_every_kind_of_case_is_tested():
    kinds = {"proportion", "clusters", "partial_credit", "pass_k", "paired", "win_rate"}
    assert {case["kind"] for case in CASES} == kinds | {"leaderboard", "minimum_detectable"}


@pytest.mark.parametrize("case", of_kind("proportion"))
def test_proportions(case):
    grades = np.arange(case["n"]) < case["right"]
    for method, key in (("auto", "wilson"), ("clopper-pearson", "clopper_pearson")):
        near(bounds(tm.evals(grades, method=method).models[0].value), case["expect"][key], case)
    exact = beta_interval(case["right"], case["n"], 0.95)
    near([float(bound) for bound in exact], case["expect"]["clopper_pearson"], case)


@pytest.mark.parametrize("case", of_kind("clusters"))
def test_clusters(case):
    expect = case["expect"]
    right, rows = (np.array(case[k]) for k in ("right", "rows"))
    grades = np.concatenate([np.arange(m) < s for s, m in zip(right, rows, strict=True)])
    value = tm.evals(grades, cluster=np.repeat(np.arange(len(rows)), rows)).models[0].value
    near(value.value, expect["value"], case)
    near(bounds(value), expect["beta_plus_one"], case)
    near(value.se**2, expect["posterior_variance"], case)
    near(beta_plus_one(right, rows).mean, expect["posterior_mean"], case)
    jackknife = jackknife_t(right.astype(float), rows.astype(float), 0.95)
    near(jackknife.variance**0.5, expect["se_jackknife"], case)


@pytest.mark.parametrize("case", of_kind("partial_credit"))
def test_partial_credit(case):
    value = tm.evals(case["scores"]).models[0].value
    near(value.value, case["expect"]["value"], case)
    near(bounds(value), case["expect"]["beta_plus_one"], case)
    near(value.se**2, case["expect"]["posterior_variance"], case)


@pytest.mark.parametrize("case", of_kind("pass_k"))
def test_pass_at_k_and_pass_hat_k(case):
    right = np.array(case["right"])[:, None]
    board = tm.evals(np.arange(case["samples"]) < right)
    for k in (1, 2, 3):
        at, hat = board.pass_at(k)["model"], board.pass_all(k)["model"]
        near(at.value, case["expect"][f"pass_at_{k}"], case)
        near(bounds(at), case["expect"][f"pass_at_{k}_interval"], case)
        near(hat.value, case["expect"][f"pass_hat_{k}"], case)
    near(bounds(board.models[0].value), case["expect"]["pass_at_1_interval"], case)


@pytest.mark.parametrize("case", of_kind("paired"))
def test_pairs(case):
    only_a, only_b, n = case["only_a"], case["only_b"], case["n"]
    place = np.arange(n)
    a, b = place < only_a, (place >= only_a) & (place < only_a + only_b)
    pair = tm.evals({"a": a, "b": b}).pair("a", "b")
    near(pair.difference, case["expect"]["difference"], case)
    near(pair.p_value, case["expect"]["mcnemar_midp"], case)
    near((pair.low, pair.high), case["expect"]["beta_plus_one"], case)


@pytest.mark.parametrize("case", of_kind("win_rate"))
def test_win_rates(case):
    counts = case["wins"], case["losses"], case["ties"]
    value = tm.win_rate(*counts)
    near(value.value, case["expect"]["value"], case)
    near(bounds(value), case["expect"]["beta_plus_one"], case)
    near(value.definition["p_value"], case["expect"]["sign_test_midp"], case)
    if case["ties"]:  # the same as graded answers; without ties these have Wilson's interval
        graded = tm.evals(np.repeat([1.0, 0.0, 0.5], counts)).models[0].value
        near(bounds(graded), case["expect"]["beta_plus_one"], case)


@pytest.mark.parametrize("case", of_kind("leaderboard"))
def test_leaderboards(case):
    expect, names = case["expect"], "abcde"
    board = tm.evals(dict(zip(names, case["right"], strict=True)))
    by_name = {m.model: m for m in board.models}
    near([by_name[n].value.value for n in names], expect["accuracy"], case)
    assert [by_name[n].rank_low for n in names] == expect["rank_low"]
    assert [by_name[n].rank_high for n in names] == expect["rank_high"]
    assert len(expect["midp"]) == len(board.pairs) == 10
    for key, p in expect["midp"].items():
        i, j = map(int, key.split(","))
        pair = board.pair(names[i], names[j])
        near(pair.p_value, p, case)
        near(pair.adjusted, expect["holm"][key], case)


@pytest.mark.parametrize("case", of_kind("minimum_detectable"))
def test_smallest_differences(case):
    plan = tm.plan_evals(
        disagree=case["disagreement"],
        n=case["n"],
        power=case["power"],
        alpha=round(1 - case["level"], 10),
    )
    near(plan.assumed["difference"], case["expect"]["difference"], case)


def test_the_exact_test_is_not_the_mid_p_test():
    case = of_kind("paired")[0]
    half = case["expect"]["mcnemar_exact_p"] - mcnemar(case["only_a"], case["only_b"]).p_value
    assert half > 0.1
