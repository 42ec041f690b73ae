"""Thresholds chosen: the right one, the right limits, and how much the choice flatters."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from metric.twins import ROWS, split
from tallymark.curve import best_thresholds
from tallymark.infer.operating_points import Corrected, optimal_threshold
from tallymark.metric import get

m = tm.metrics


def called(s, t):
    return [int(b >= t) for b in s]


@given(ROWS, st.sampled_from(["youden_j", "f1", "mcc", "accuracy", "error_rate"]))
def test_no_threshold_is_better(rows, name):
    y, s = split(rows)
    found = optimal_threshold(tm.ScoreTally.from_arrays(y, s), name, draws=5)
    metric = tm.metric.get(name)
    values = {t: metric(y, called(s, t)) for t in [*sorted(set(s)), math.inf]}
    known = {t: v for t, v in values.items() if not math.isnan(v)}
    if not known:
        assert math.isnan(found.threshold)
        return
    best = (min if metric.better == "low" else max)(known.values())
    tied = sorted((t for t, v in known.items() if v == pytest.approx(best)), reverse=True)
    assert found.thresholds.tolist() == tied
    finite = [t for t in tied if math.isfinite(t)]
    assert found.threshold == (finite or tied)[0]
    assert found.best.value == pytest.approx(best)


@given(ROWS, st.integers(0, 10))
def test_limits_are_kept(rows, tenths):
    y, s = split(rows)
    limit = tenths / 10
    found = optimal_threshold(
        tm.ScoreTally.from_arrays(y, s), "sensitivity", within={"fpr": limit}, draws=5
    )
    best = 1 - m.frr_at_far(y, s, fpr=limit) if limit else max(
        m.recall(y, called(s, t)) for t in [*s, math.inf] if m.fpr(y, called(s, t)) == 0
    )  # fmt: skip
    assert found.best.value == pytest.approx(best)
    (kept,) = found.limits
    assert kept.metric == "false_positive_rate"
    assert kept.value <= limit + 1e-12
    assert kept.value == pytest.approx(m.fpr(y, called(s, found.threshold)))


def test_costs_and_prevalence():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000)
    s = rng.normal(1.5 * y, 1)
    t = tm.ScoreTally.from_arrays(y, s)
    costs = {"cost_fp": 1, "cost_fn": 20, "prevalence": 0.02}
    found = optimal_threshold(t, "expected_cost", **costs)
    # Two normal densities: the best cut is where their ratio is that of costs and odds.
    best = 1.5 / 2 + math.log(1 * 0.98 / (20 * 0.02)) / 1.5
    assert found.threshold == pytest.approx(best, abs=0.25)
    assert found.best.value == pytest.approx(m.expected_cost(y, s >= found.threshold, **costs))
    assert found.params == costs


def test_the_choice_flatters_and_the_correction_knows_it():
    normal = NormalDist()
    gaps, optimism, passed = [], [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = (rng.random(150) < 0.3).astype(int)
        s = rng.normal(y, 1)
        t = tm.ScoreTally.from_arrays(y, s)
        found = optimal_threshold(t, "youden_j", draws=100, seed=seed)
        true = normal.cdf(found.threshold) - normal.cdf(found.threshold - 1)
        gaps.append(found.best.value - true)
        optimism.append(found.best.optimism)
        limited = optimal_threshold(t, "tpr", within={"fpr": 0.1}, draws=100, seed=seed)
        true_rate = 1 - normal.cdf(limited.threshold)
        passed.append((true_rate - limited.limits[0].value, limited.limits[0].optimism))
    # The bootstrap takes back most of the flattery, not all of it.
    assert 0.02 < np.mean(optimism) < np.mean(gaps) < 2 * np.mean(optimism)
    # A rate that was to be kept is higher on new rows, and the correction says so.
    real, said = np.mean(passed, axis=0)
    assert real > 0.005
    assert said < 0


def test_the_same_seed_gives_the_same_choice():
    y, s = [0, 1, 0, 1, 0, 1, 1], [0.1, 0.9, 0.4, 0.3, 0.2, 0.8, 0.6]
    t = tm.ScoreTally.from_arrays(y, s)
    a, b, c = (optimal_threshold(t, "f1", seed=seed).best for seed in (1, 1, 2))
    assert a == b != c
    assert str(optimal_threshold(t, "f1")).startswith(
        "scores at or above 0.3\n  F1: 0.8889 on these rows, 0."
    )


def test_where_no_threshold_will_do():
    t = tm.ScoreTally.from_arrays([0, 1, 0], [0.9, 0.5, 0.9])
    found = optimal_threshold(t, "precision", within={"recall": 0.5, "fpr": 0.2})
    assert math.isnan(found.threshold)
    assert len(found.thresholds) == 0
    assert [c.metric for c in found.limits] == ["sensitivity", "false_positive_rate"]
    one_class = tm.ScoreTally.from_arrays([1, 1], [0.2, 0.4], labels=[0, 1], positive=1)
    assert math.isnan(optimal_threshold(one_class, "youden_j").threshold)


def test_a_corrected_number_stays_in_its_range():
    assert Corrected("f1", 0.02, 0.1).corrected == 0
    assert Corrected("error_rate", 0.95, -0.1).corrected == 1
    assert Corrected("f1", 0.5, 0.1).corrected == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("metric", "within", "told"),
    [
        ("roc_auc", {}, "roc_auc judges no single threshold; choose a threshold metric"),
        ("f1", {"auc": 0.9}, "roc_auc judges no single threshold"),
        ("f1", {"prevalence": 0.9}, "prevalence is neither good nor bad when high; it sets no"),
        ("f1", {"nothing": 0.9}, "there is no metric 'nothing'"),
    ],
)
def test_what_cannot_be_chosen_by(metric, within, told):
    t = tm.ScoreTally.from_arrays([0, 1], [0.2, 0.4])
    with pytest.raises(tm.InputError, match=told):
        optimal_threshold(t, metric, within=within)


def test_more_than_two_classes_are_refused():
    t = tm.ScoreTally.from_arrays(["a", "b", "c"], [0.2, 0.4, 0.5], positive="b")
    with pytest.raises(tm.InputError, match="a threshold decides between two classes and this"):
        optimal_threshold(t)


def tally_of(n=200, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return tm.ScoreTally.from_arrays(y, np.round(0.3 * y + rng.random(n), 2))


@pytest.mark.parametrize("name", ["number_needed_to_diagnose", "predicted_positive_rate"])
def test_what_is_neither_good_nor_bad_when_high_chooses_nothing(name):
    with pytest.raises(tm.InputError, match=f"{name} is neither good nor bad when high; it has no"):
        optimal_threshold(tally_of(), name)
    with pytest.raises(tm.InputError, match=f"{name} is neither good nor bad when high; it has no"):
        best_thresholds(tally_of(), get(name))


def test_unknown_parameters_are_refused():
    with pytest.raises(tm.InputError, match="f_beta has no parameter 'betta'"):
        optimal_threshold(tally_of(), "f_beta", betta=2)


def test_choices_flatter_whichever_way_is_good():
    high, low = (optimal_threshold(tally_of(), name) for name in ("accuracy", "error_rate"))
    assert high.threshold == low.threshold
    assert 0 < high.best.optimism == pytest.approx(-low.best.optimism)
    assert high.best.corrected == pytest.approx(1 - low.best.corrected)


def test_an_infinite_optimism_is_none():
    # 25 on all rows, and infinite on samples without the one false alarm.
    t = tm.ScoreTally((0, 1), 1, np.array([0.1, 0.9]), np.array([[5.0, 1.0], [1.0, 5.0]]))
    found = optimal_threshold(t, "diagnostic_odds_ratio").best
    assert found.value == 25
    assert math.isnan(found.optimism)
    assert math.isnan(found.corrected)


def test_weights_of_2_are_as_many_rows():
    t = tally_of()
    twice = tm.ScoreTally(t.labels, 1, t.scores, 2 * t.counts, 4 * t.counts, t.rows)
    one, two = (optimal_threshold(v, "chi_square").best for v in (t, twice))
    assert two.optimism == pytest.approx(2 * one.optimism)


# -- classes with other shares -----------------------------------------------------------------


def weighted_f1(tpr, fpr, p):
    return 2 * p * tpr / (p * tpr + (1 - p) * fpr + p)


def in_the_field(seed, p, each=(60, 300), weights=None):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], each)
    s = np.round(rng.normal(1.5 * y, 1), 2)
    w = None if weights is None else rng.uniform(*weights, len(y))
    return y, s, w, tm.evaluate(y, y_score=s, sample_weight=w, seed=seed).at(prevalence=p)


@pytest.mark.parametrize("weights", [None, (0.2, 3.0)])
def test_optimism_in_the_field_is_that_of_rows_drawn_within_each_class(weights):
    p = 0.02
    y, s, w, ev = in_the_field(1, p, weights=weights)
    found = ev.optimal_threshold("f1").best
    rng = np.random.default_rng(9)
    cuts = np.unique(s)
    w = np.ones(len(y)) if w is None else w

    def rates(n):  # TPR and FPR at every cut, of rows counted so many times
        above = [
            np.append(np.cumsum(np.bincount(np.searchsorted(cuts, s[y == k]), (n * w)[y == k],
                                            len(cuts))[::-1])[::-1], 0.0)
            for k in (1, 0)
        ]  # fmt: skip
        return [a / a[0] for a in above]

    here = weighted_f1(*rates(np.ones(len(y))), p)
    assert found.value == pytest.approx(here.max())
    gaps = []
    for _ in range(1500):
        n = np.zeros(len(y))
        for k in (0, 1):
            rows = np.flatnonzero(y == k)
            n += np.bincount(rng.choice(rows, len(rows)), minlength=len(y))
        drawn = weighted_f1(*rates(n), p)
        gaps.append(drawn.max() - here[drawn.argmax()])
    assert found.optimism == pytest.approx(np.mean(gaps), rel=0.12)
    assert ev.optimal_thresholds()["model"]["highest F1"].best.optimism == pytest.approx(
        np.mean(gaps), rel=0.25
    )


def test_the_correction_in_the_field_knows_what_the_choice_flatters():
    p, normal = 0.05, NormalDist()
    gaps, optimism = [], []
    for seed in range(40):
        *_, ev = in_the_field(seed, p, (40, 120))
        found = ev.optimal_threshold("f1", draws=100)
        tpr, fpr = (1 - normal.cdf(found.threshold - m) for m in (1.5, 0))
        gaps.append(found.best.value - weighted_f1(tpr, fpr, p))
        optimism.append(found.best.optimism)
    assert np.mean(optimism) > 0.02
    assert 0.6 < np.mean(gaps) / np.mean(optimism) < 2
