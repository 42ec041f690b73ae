"""The gain of a chosen threshold on new rows, held to counts one row at a time and to its level."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

import tallymark as tm
from judged import counted_of
from tallymark.infer.clustered import Clustered
from tallymark.infer.operating_points import Splits, chosen_threshold
from tallymark.infer.sampler import Sampler
from tallymark.infer.threshold_gain import moved_threshold
from tallymark.metric import get


def drawn(n=400, share=0.3, lift=1.5, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return y, rng.normal(lift * y)


def moved(metric, *args, params=None, level=0.95, **options):
    """Return the best threshold, its gain and the optimism of its rates."""
    ev = tm.evaluate(*args, **options)
    counts = counted_of(ev)
    model = counts.models[0]
    clustered = Clustered.of(counts, model.name) if counts.clusters else None
    splits = Splits(model.scores[0], Sampler(), clustered, level)
    best, gain, _ = moved_threshold(splits, model, get(metric), params, counts.joint)
    _, optimism = chosen_threshold(splits, get(metric), {}, params or {})
    return best, gain, optimism


def rates(y, decided):
    return np.array([(decided & (y == c)).sum() / (y == c).sum() for c in (1, 0)])


@pytest.mark.parametrize("present", [-0.5, 2.5])
def test_the_gain_is_that_of_the_rates_less_the_optimism(present):
    y, s = drawn()
    best, gain, optimism = moved("youden_j", y, y_score=s, threshold=present)
    tpr, fpr = rates(y, s >= best.threshold) - optimism
    now = rates(y, s >= present)
    assert gain.value == pytest.approx(tpr - fpr - (now[0] - now[1]))
    assert best.threshold == tm.evaluate(y, y_score=s).optimal_threshold("youden_j").threshold
    assert gain.low < gain.value < gain.high


def test_a_lower_cost_is_a_gain():
    y, s = drawn()
    params = {"cost_fp": 1.0, "cost_fn": 4.0}
    best, gain, optimism = moved("expected_cost", y, params=params, y_score=s, threshold=2.5)
    n = np.array([(y == 1).sum(), (y == 0).sum()])
    cost = [
        (4 * (1 - r[0]) * n[0] + r[1] * n[1]) / len(y)
        for r in (rates(y, s >= best.threshold) - optimism, rates(y, s >= 2.5))
    ]
    assert gain.value == pytest.approx(cost[1] - cost[0])
    assert gain.low > 0


def test_the_interval_is_that_of_the_rows_which_the_two_decisions_treat_differently():
    y, s = drawn(2000)
    _, gain, _ = moved("youden_j", y, y_score=s, threshold=2.5)
    best = moved("youden_j", y, y_score=s, threshold=2.5)[0].threshold
    variance = 0.0
    for c in (1, 0):
        d = ((s >= best).astype(int) - (s >= 2.5))[y == c]
        variance += d.var() / len(d)
    assert gain.value - gain.low == pytest.approx(1.96 * variance**0.5, rel=0.12)


def test_decisions_that_are_given_are_compared_row_by_row():
    y, s = drawn()
    other = np.where(np.arange(400) % 3 == 0, 1 - y, y)
    two = {"a": other, "b": y}
    best, gain, optimism = moved("youden_j", y, two, y_score={"a": s, "b": s})
    tpr, fpr = rates(y, s >= best.threshold) - optimism
    now = rates(y, other == 1)
    assert gain.value == pytest.approx(tpr - fpr - (now[0] - now[1]))
    variance = 0.0
    for c in (1, 0):
        d = ((s >= best.threshold).astype(int) - other)[y == c]
        variance += d.var() / len(d)
    assert gain.value - gain.low == pytest.approx(1.96 * variance**0.5, rel=0.12)
    # Of one model alone the rows are not kept.
    alone = moved("youden_j", y, other, y_score=s)[1]
    assert math.isnan(alone.value)


def test_in_clusters_the_gain_has_the_jackknife_that_leaves_one_out():
    y, s = drawn(600)
    groups = np.repeat(np.arange(60), 10)
    best, gain, optimism = moved("youden_j", y, y_score=s, threshold=2.5, cluster=groups, level=0.8)

    def value(keep):
        new, now = (rates(y[keep], (s >= t)[keep]) for t in (best.threshold, 2.5))
        return (new - optimism - now) @ [1, -1]

    assert gain.value == pytest.approx(value(groups >= 0))
    without = np.array([value(groups != g) for g in range(60)])
    error = math.sqrt(59 / 60 * ((without - without.mean()) ** 2).sum())
    half = student.ppf(0.9, 59) * error
    assert gain.low == pytest.approx(gain.value - half)
    assert gain.high >= gain.value + half - 1e-12


def test_equal_weights_are_no_weights_and_few_heavy_rows_are_less_sure():
    y, s = drawn()
    plain = moved("youden_j", y, y_score=s, threshold=2.5)[1]
    equal = moved("youden_j", y, y_score=s, threshold=2.5, weight=np.full(400, 3.0))[1]
    assert equal.value == pytest.approx(plain.value)
    assert equal.low == pytest.approx(plain.low)
    heavy = np.where(np.arange(400) % 10 == 0, 9.0, 0.5)
    uneven = moved("youden_j", y, y_score=s, threshold=2.5, weight=heavy)[1]
    assert uneven.value - uneven.low > 1.5 * (plain.value - plain.low)


def test_a_gain_over_an_undefined_number_is_not_known():
    y, s = drawn()
    _, gain, _ = moved("matthews_corrcoef", y, y_score=s, threshold=99.0)
    assert math.isnan(gain.value)
    assert gain.reason == "the decisions in force, or the choice on new rows, are not known"


@pytest.mark.parametrize("cost_fn", [1.0, 4.0])  # acting on none costs less, then on every row
def test_the_gain_over_a_constant_decision_is_that_over_the_cheaper_one(cost_fn):
    y, s = drawn(2000)
    costs = {"cost_fp": 1.0, "cost_fn": cost_fn}
    ev = tm.evaluate(y, y_score=s, threshold=2.5)
    model = counted_of(ev).models[0]
    splits = Splits(model.scores[0], Sampler(), None, 0.95)
    best, _, over = moved_threshold(splits, model, get("expected_cost"), costs)
    _, optimism = chosen_threshold(splits, get("expected_cost"), {}, costs)
    tpr, fpr = rates(y, s >= best.threshold) - optimism
    share = y.mean()
    constant = min(1 - share, cost_fn * share)
    assert (constant < 1 - share) == (cost_fn == 1.0)
    new = cost_fn * (1 - tpr) * share + fpr * (1 - share)
    assert over.value == pytest.approx(constant - new)
    # Row by row, each costs what the constant decision costs there less the cost at the threshold.
    called = s >= best.threshold
    cost = np.where(y == 1, cost_fn * ~called, called)
    other = cost_fn * y if cost_fn == 1.0 else 1 - y
    half = 1.96 * np.std(other - cost) / 2000**0.5
    assert over.value - over.low == pytest.approx(half, rel=0.12)


def test_in_clusters_the_gain_over_a_constant_decision_leaves_one_out():
    y, s = drawn(600)
    groups = np.repeat(np.arange(60), 10)
    costs = {"cost_fp": 1.0, "cost_fn": 1.0}
    counts = counted_of(tm.evaluate(y, y_score=s, threshold=2.5, cluster=groups))
    model = counts.models[0]
    splits = Splits(model.scores[0], Sampler(), Clustered.of(counts, model.name), 0.95)
    best, _, over = moved_threshold(splits, model, get("expected_cost"), costs, counts.joint)
    _, optimism = chosen_threshold(splits, get("expected_cost"), {}, costs)

    def value(keep):
        tpr, fpr = rates(y[keep], (s >= best.threshold)[keep]) - optimism
        share = y[keep].mean()
        return min(1 - share, share) - (1 - tpr) * share - fpr * (1 - share)

    without = np.array([value(groups != g) for g in range(60)])
    error = math.sqrt(59 / 60 * ((without - without.mean()) ** 2).sum())
    assert over.value == pytest.approx(value(groups >= 0))
    assert over.low == pytest.approx(over.value - student.ppf(0.975, 59) * error)


@pytest.mark.slow
@pytest.mark.parametrize(("lift", "present"), [(0.0, 0.3), (1.0, 0.5)])
def test_a_threshold_that_cannot_be_better_is_seldom_shown_to_be(lift, present):
    """Of noise no threshold is better than another; of normal scores half of the lift is best."""
    found = held = 0
    for seed in range(120):
        y, s = drawn(150, 0.3, lift, seed)
        best, gain, _ = moved("youden_j", y, y_score=s, threshold=present)
        true = [norm.sf(t - lift) - norm.sf(t) for t in (best.threshold, present)]
        found += gain.low > 0
        held += gain.low <= true[0] - true[1] <= gain.high
    assert found / 120 <= 0.05
    assert held / 120 >= 0.9
