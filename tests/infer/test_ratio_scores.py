"""Equality of two ratios by both scores: golden values, a slow twin, and what stays unbounded."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from tallymark.infer.ratio_scores import (
    PairedRatio,
    ScoreRatio,
    bounds,
    bounds_of_ratio,
    least_q,
    p_of,
    scale_of,
)
from tallymark.infer.two_shares import score

GOLDEN = Path(__file__).parents[2] / ".." / "shared" / "golden" / "statistics"
Z2 = 1.959963984540054**2


def golden(name):
    file = GOLDEN / f"{name}.json"
    if not file.exists():
        pytest.skip("the golden file is not beside this checkout")
    return json.loads(file.read_text(encoding="utf-8"))["cases"]


def ratio_of(four, contrast="ratio"):
    tp, fn, fp, tn = four
    return ScoreRatio(contrast, (tp, fp), (tp + fn, fp + tn))


def paired(both, one, other, n):
    return PairedRatio(both, one, other, n - both - one - other)


def slow_q(first, second, partner):
    """Return the least sum of squared scores over a common value, by a scan and a search."""

    def total(log_value):
        return sum(
            float(score(s.contrast, s.hits, s.rows, math.exp(v))) ** 2
            for s, v in ((first, partner(log_value)), (second, log_value))
        )  # fmt: skip

    grid = np.linspace(-6, 8, 281)
    near = min((v for v in grid if not math.isnan(partner(v))), key=total)
    return minimize_scalar(
        total, bounds=(near - 0.05, near + 0.05), method="bounded", options={"xatol": 1e-10}
    ).fun


def test_equality_on_different_rows_has_the_golden_values():
    for case in golden("lr_equality"):
        for name, contrast in (("LR+", "ratio"), ("DOR", "odds ratio")):
            q = least_q(ratio_of(case["a"], contrast), ratio_of(case["b"], contrast), 0.0)
            assert q.item() == pytest.approx(case[name]["Q"], rel=1e-9)
            assert p_of(q).item() == pytest.approx(case[name]["p"], rel=1e-9)


def test_equality_on_the_same_rows_has_the_golden_values():
    for case in golden("lr_equality_paired"):
        first, second = paired(*case["positives"]), paired(*case["negatives"])
        assert least_q(first, second, 0.0).item() == pytest.approx(case["Q"], rel=1e-9)
        low, high = bounds_of_ratio(first, second, 0.95)
        # The golden bounds are the outermost of a grid that are not rejected.
        assert case["ratio_low"] / math.exp(0.025) < low.item() <= case["ratio_low"]
        assert case["ratio_high"] <= high.item() < case["ratio_high"] * math.exp(0.025)


def test_q_is_the_least_sum_of_both_squared_scores():
    first, second = ratio_of((25, 5, 1, 29)), ratio_of((30, 20, 10, 90))
    q = least_q(first, second, math.log(2.5)).item()
    assert q == pytest.approx(slow_q(first, second, lambda v: v + math.log(2.5)), rel=1e-6)
    lr = scale_of("positive_likelihood_ratio", {})
    q = least_q(first, second, 11.0, lr).item()
    assert q == pytest.approx(
        slow_q(first, second, lambda v: math.log(math.exp(v) + 11.0)), rel=1e-6
    )


def test_a_shift_that_no_two_values_have_is_rejected():
    first, second = ratio_of((25, 5, 1, 29), "odds ratio"), ratio_of((30, 20, 10, 90), "odds ratio")
    scale = scale_of("yule_q", {})
    assert least_q(first, second, [[-2.1], [2.1]], scale).tolist() == [[math.inf], [math.inf]]


def test_the_bounds_of_a_stack_are_those_of_each_pair():
    fours = np.array([[25, 5, 1, 29], [40, 8, 6, 200], [12, 3, 9, 21]], float)
    others = np.array([[30, 20, 10, 90], [15, 9, 8, 60], [50, 4, 9, 150]], float)
    scale = scale_of("positive_likelihood_ratio", {})

    def between(one, other, middle):
        return bounds(
            lambda x: least_q(one, other, x, scale), middle, np.full(len(middle), 1.0), 0.9
        )

    values = [
        v[:, 0] * (v[:, 2] + v[:, 3]) / (v[:, 0] + v[:, 1]) / v[:, 2] for v in (fours, others)
    ]
    gaps = values[0] - values[1]
    together = between(ratio_of(fours.T), ratio_of(others.T), gaps)
    for i in range(3):
        alone = between(ratio_of(fours[i]), ratio_of(others[i]), gaps[i : i + 1])
        assert [e[i] for e in together] == pytest.approx([e.item() for e in alone], rel=1e-9)
        one, other = ratio_of(fours[i]), ratio_of(others[i])
        q = [least_q(one, other, e.item(), scale).item() for e in alone]
        assert q == pytest.approx([2.705543454095] * 2, rel=1e-6)


def test_an_infinite_ratio_has_a_lower_bound_only():
    first, second = ratio_of((25, 5, 0, 30)), ratio_of((20, 10, 3, 27))
    low, high = bounds_of_ratio(first, second, 0.95)
    assert 0 < low.item() < math.inf
    assert high.item() == math.inf
    assert least_q(first, second, math.log(low.item())).item() == pytest.approx(Z2, rel=1e-6)


def test_equal_decisions_are_equal_ratios():
    assert least_q(paired(40, 0, 0, 50), paired(6, 0, 0, 100), 0.0).item() == 0


@pytest.mark.parametrize(
    "name",
    ["positive_likelihood_ratio", "diagnostic_odds_ratio", "discriminant_power", "yule_q", "yule_y",
     "prevalence_threshold"],
)  # fmt: skip
def test_the_scale_of_a_function_of_a_ratio(name):
    scale, logs = scale_of(name, {}), np.log([0.02, 0.7, 1.0, 3.0, 250.0])
    assert scale.tied(logs, 0.0) == pytest.approx(logs)
    there = scale.tied(logs, 1e-3)
    assert scale.tied(there, -1e-3) == pytest.approx(logs, abs=1e-9)
    # The prevalence threshold falls as the ratio rises.
    assert ((there > logs) == (name != "prevalence_threshold")).all()


@pytest.mark.parametrize(("name", "shift"), [("positive_likelihood_ratio", -4.0), ("yule_q", 0.6),
    ("yule_y", -1.4), ("prevalence_threshold", 0.7)])  # fmt: skip
def test_beyond_the_range_of_a_metric_there_is_no_ratio(name, shift):
    with np.errstate(invalid="ignore"):
        assert math.isnan(scale_of(name, {}).tied(np.log(3.0), shift))
