"""Metrics of costs at unequal costs and another prevalence, worked out by hand."""

from __future__ import annotations

import math

import pytest

import tallymark as tm

TP, FP, FN, TN = 30, 12, 10, 148
TALLY = tm.LabelTally((0, 1), [[TN, FP], [FN, TP]])
FNR, FPR, SHARE = FN / (TP + FN), FP / (FP + TN), (TP + FN) / 200
m = tm.metrics


def test_costs_weigh_false_alarms_and_misses_apart():
    costs = {"cost_fp": 3, "cost_fn": 20}
    assert m.expected_cost(TALLY, **costs) == pytest.approx((3 * FP + 20 * FN) / 200)
    assert m.expected_cost(TALLY) == pytest.approx((FP + FN) / 200)
    at = 0.3 * 20 * FNR + 0.7 * 3 * FPR
    assert m.expected_cost(TALLY, prevalence=0.3, **costs) == pytest.approx(at)
    own = SHARE * 20 * FNR + (1 - SHARE) * 3 * FPR
    normalized = m.normalized_expected_cost
    assert normalized(TALLY, **costs) == pytest.approx(own / min(SHARE * 20, (1 - SHARE) * 3))
    assert normalized(TALLY, prevalence=0.3, **costs) == pytest.approx(at / min(0.3 * 20, 0.7 * 3))
    dear = 0.3 * FNR + 0.7 * 20 * FPR  # now missing all is cheaper
    assert normalized(TALLY, prevalence=0.3, cost_fp=20) == pytest.approx(dear / 0.3)


def test_benefits_weigh_false_alarms_by_the_odds_of_the_threshold_probability():
    for p_t in (0.2, 0.5, 0.75):
        odds = p_t / (1 - p_t)
        benefit = TP / 200 - FP / 200 * odds
        treated = SHARE - (1 - SHARE) * odds
        assert m.net_benefit(TALLY, p_t=p_t) == pytest.approx(benefit)
        assert m.standardized_net_benefit(TALLY, p_t=p_t) == pytest.approx(benefit / SHARE)
        avoided = 100 * (benefit - treated) / odds
        assert m.interventions_avoided(TALLY, p_t=p_t) == pytest.approx(avoided)
    assert m.net_benefit(TALLY, p_t=0) == pytest.approx(TP / 200)


def test_costs_and_probabilities_that_mean_nothing_are_refused():
    for metric, given, sentence in (
        (m.expected_cost, {"cost_fp": -1}, "cost_fp is -1; give a number, zero or more"),
        (m.expected_cost, {"cost_fn": math.inf}, "cost_fn is inf; give a number, zero or more"),
        (m.expected_cost, {"cost_fp": 0, "cost_fn": 0},
         "cost_fp and cost_fn are both 0; one kind of error must cost something"),
        (m.expected_cost, {"prevalence": 0.0}, "prevalence is 0.0; it must lie between 0 and 1"),
        (m.expected_cost, {"prevalence": 1.0}, "prevalence is 1.0; it must lie between 0 and 1"),
        (m.normalized_expected_cost, {"cost_fp": 0},
         "a cost of 0 makes the denominator 0; give both costs above 0"),
        (m.normalized_expected_cost, {"cost_fn": 0},
         "a cost of 0 makes the denominator 0; give both costs above 0"),
        (m.net_benefit, {"p_t": 1.0}, "p_t is 1.0; it must be at least 0 and below 1"),
        (m.net_benefit, {"p_t": -0.1}, "p_t is -0.1; it must be at least 0 and below 1"),
        (m.interventions_avoided, {"p_t": 0.0},
         "p_t is 0, at which all are treated; give one above 0"),
    ):  # fmt: skip
        with pytest.raises(tm.InputError) as caught:
            metric.compute(TALLY.binary(1), **given)
        assert str(caught.value) == sentence
    assert m.expected_cost(TALLY, cost_fp=0, cost_fn=2) == pytest.approx(2 * FN / 200)
