"""Tests against chance, held to SciPy, to the formulas written row by row, and to their level."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom, brunnermunzel
from scipy.stats import t as student

import tallymark as tm
from judged import counted_of
from tallymark.infer.chance import (
    accuracy_above_majority,
    area_above_half,
    brier_below_prevalence,
    gained_and_lost,
)
from tallymark.infer.clustered import Clustered

GOLDEN = Path(__file__).parents[2] / ".." / "shared" / "golden" / "statistics"


def golden(name):
    file = GOLDEN / f"{name}.json"
    if not file.exists():
        pytest.skip("the golden files are not beside this checkout")
    return json.loads(file.read_text("utf-8"))["cases"]


def scores(m, n, shift=0.5, seed=0, digits=1):
    """Return classes and scores with ties, of m positives and n negatives."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [m, n])
    return y, np.round(rng.normal(shift * y), digits)


# -- the ROC area against 1/2 ------------------------------------------------------------------


def test_the_area_against_half_is_the_golden_brunner_munzel():
    for case in golden("auc_vs_half"):
        pos, neg = case["positives"], case["negatives"]
        y = [1] * len(pos) + [0] * len(neg)
        gain = area_above_half(tm.ScoreTally.from_arrays(y, pos + neg))
        assert gain.value == pytest.approx(case["auc"] - 0.5)
        assert gain.statistic == pytest.approx(case["t"])
        assert gain.degrees_of_freedom == pytest.approx(case["df"])
        assert gain.p_value == pytest.approx(case["p"])


@pytest.mark.parametrize(("m", "n", "shift"), [(8, 50, 0.0), (12, 90, 0.8), (30, 9, -0.7)])
def test_the_area_against_half_is_scipys_brunner_munzel(m, n, shift):
    y, s = scores(m, n, shift)
    gain = area_above_half(tm.ScoreTally.from_arrays(y, s), level=0.8)
    theirs = brunnermunzel(s[y == 0], s[y == 1])
    assert gain.statistic == pytest.approx(theirs.statistic)
    assert gain.p_value == pytest.approx(theirs.pvalue)
    half = student.ppf(0.9, gain.degrees_of_freedom) * gain.value / gain.statistic
    assert (gain.low, gain.high) == pytest.approx((gain.value - half, gain.value + half))
    assert gain.shown == (shift > 0 and theirs.pvalue < 0.2)


@pytest.mark.parametrize("seed", range(60))
def test_interval_and_p_value_of_the_area_say_the_same(seed):
    gain = area_above_half(tm.ScoreTally.from_arrays(*scores(6, 14, 1.0, seed, 0)))
    assert (gain.low > 0 or gain.high < 0) == (gain.p_value < 0.05)


def test_equal_weights_are_no_weights_and_few_heavy_rows_are_less_sure():
    y, s = scores(20, 80)
    plain = area_above_half(tm.ScoreTally.from_arrays(y, s))
    equal = area_above_half(tm.ScoreTally.from_arrays(y, s, sample_weight=np.full(100, 3.0)))
    assert equal.p_value == pytest.approx(plain.p_value)
    heavy = np.where(np.arange(100) % 10 == 0, 9.0, 0.5)
    uneven = area_above_half(tm.ScoreTally.from_arrays(y, s, sample_weight=heavy))
    assert uneven.high - uneven.low > 1.3 * (plain.high - plain.low)


def clustered(y, s, groups):
    ev = tm.evaluate(y, y_score=s, cluster=groups)
    return Clustered.of(counted_of(ev), "model"), ev.models[0].scores[0]


def test_rows_that_repeat_within_clusters_are_counted_once():
    y, s = scores(20, 80, 0.5, digits=3)
    p = 1 / (1 + np.exp(-s))
    rows, tally = clustered(np.repeat(y, 3), np.repeat(p, 3), np.repeat(np.arange(100), 3))
    repeated = area_above_half(tally, rows)
    once = area_above_half(tm.ScoreTally.from_arrays(y, p))
    assert repeated.value == pytest.approx(once.value)
    assert (repeated.high - repeated.low) / (once.high - once.low) == pytest.approx(1, abs=0.05)


def test_separated_classes_have_the_exact_p_value_of_the_rank_sum():
    gain = area_above_half(tm.ScoreTally.from_arrays([0, 0, 0, 0, 1, 1, 1], range(7)))
    assert gain.p_value == pytest.approx(2 / math.comb(7, 3))
    assert not gain.shown
    assert gain.low <= 0
    assert gain.warning == "a class has fewer than 5 rows"
    many = area_above_half(tm.ScoreTally.from_arrays([0] * 6 + [1] * 6, range(12)))
    assert many.p_value == pytest.approx(2 / math.comb(12, 6))
    assert many.shown
    assert many.low > 0


def test_one_score_for_all_rows_is_chance():
    gain = area_above_half(tm.ScoreTally.from_arrays([0, 0, 1, 1], [0.3] * 4))
    assert (gain.value, gain.p_value, gain.shown) == (0.0, 1.0, False)


def test_a_class_of_one_row_has_no_test():
    assert area_above_half(tm.ScoreTally.from_arrays([0, 0, 1], [0.1, 0.2, 0.3])) is None
    assert brier_below_prevalence(tm.ScoreTally.from_arrays([0, 0, 1], [0.1, 0.2, 0.3])) is None


# -- the accuracy against the majority rule ----------------------------------------------------


def matrix(tp, fn, fp, tn):
    return tm.LabelTally(("no", "yes"), np.array([[tn, fp], [fn, tp]]))


def test_the_accuracy_against_the_majority_rule_is_the_golden_mid_p():
    for case in golden("accuracy_vs_nir"):
        tally = matrix(*(case[k] for k in ("tp", "fn", "fp", "tn")))
        assert gained_and_lost(tally) == (case["gained"], case["lost"])
        assert accuracy_above_majority(tally) == pytest.approx(case["p_one_sided_midp"])


@pytest.mark.parametrize(("gained", "lost"), [(0, 0), (5, 0), (0, 4), (7, 3), (12, 30)])
def test_the_mid_p_is_half_of_what_is_seen_and_all_beyond(gained, lost):
    tally = matrix(gained, 50 - gained, lost, 200 - lost)
    n = gained + lost
    p = binom.sf(gained, n, 0.5) + binom.pmf(gained, n, 0.5) / 2
    assert accuracy_above_majority(tally) == pytest.approx(p)


def test_of_several_classes_all_but_the_most_frequent_one_are_gained():
    counts = np.array([[30, 4, 1], [2, 9, 3], [1, 1, 5]])
    assert gained_and_lost(tm.LabelTally(("a", "b", "c"), counts)) == (14.0, 5.0)


def test_where_no_other_class_is_or_rows_are_weighted_it_is_not_known():
    assert accuracy_above_majority(tm.LabelTally((0, 1), np.array([[5, 2], [0, 0]]))) is None
    weighted = tm.evaluate([0, 0, 1, 1, 1], [0, 1, 1, 1, 0], weight=[1, 2, 1, 2, 1])
    assert accuracy_above_majority(weighted.models[0].labels) is None


# -- the Brier score against the prevalence ----------------------------------------------------


def slow_brier(y, p):
    """Return gain and variance over the rows, one at a time."""
    n, share = len(y), np.mean(y)
    spread = share * (1 - share)
    d = np.array([(share - a) ** 2 - (b - a) ** 2 for a, b in zip(y, p, strict=True)])
    gain = spread * n / (n - 1) - np.mean((p - y) ** 2)
    parts = []
    for c in (1, 0):
        k = np.sum(y == c)
        parts.append((k / (k - 1) * np.sum(((d - d.mean()) / n)[y == c] ** 2), k - 1))
    variance = sum(v for v, _ in parts)
    freedom = variance**2 / sum(v**2 / f for v, f in parts)
    return gain, variance + 2 * (spread / n) ** 2, freedom


@pytest.mark.parametrize(("m", "n", "shift"), [(9, 60, 0.0), (25, 90, 1.5)])
def test_the_brier_score_against_the_prevalence_is_that_of_each_row(m, n, shift):
    y, s = scores(m, n, shift)
    p = 1 / (1 + np.exp(1.0 - s))
    gain = brier_below_prevalence(tm.ScoreTally.from_arrays(y, p), level=0.8)
    value, variance, freedom = slow_brier(y, p)
    assert gain.value == pytest.approx(value)
    assert gain.statistic == pytest.approx(value / variance**0.5)
    assert gain.degrees_of_freedom == pytest.approx(freedom)
    assert gain.p_value == pytest.approx(2 * student.sf(abs(gain.statistic), freedom))
    half = student.ppf(0.9, freedom) * variance**0.5
    assert (gain.low, gain.high) == pytest.approx((value - half, value + half))


def test_clusters_of_one_row_are_rows_and_repeated_rows_are_counted_once():
    y, s = scores(40, 90, 1.0, digits=3)
    p = 1 / (1 + np.exp(1.0 - s))
    plain = brier_below_prevalence(tm.ScoreTally.from_arrays(y, p))
    for times, close in ((1, 0.03), (3, 0.03)):
        groups = np.repeat(np.arange(130), times)
        rows, tally = clustered(np.repeat(y, times), np.repeat(p, times), groups)
        gain = brier_below_prevalence(tally, rows)
        assert gain.high - gain.low == pytest.approx(plain.high - plain.low, rel=close)


def test_an_assumed_prevalence_is_not_fitted():
    y, s = scores(40, 90, 1.0)
    p = 1 / (1 + np.exp(1.0 - s))
    tally = tm.ScoreTally.from_arrays(y, p)
    fitted, assumed = (brier_below_prevalence(tally, stratified=x) for x in (False, True))
    share = 40 / 130
    assert fitted.value - assumed.value == pytest.approx(share * (1 - share) / 129)
    assert assumed.high - assumed.low < fitted.high - fitted.low


def test_scores_that_are_no_probabilities_have_no_brier_score():
    assert brier_below_prevalence(tm.ScoreTally.from_arrays([0, 0, 1, 1], [-1, 0, 1, 2])) is None


def test_noise_is_seldom_found_to_be_better_than_chance():
    rng = np.random.default_rng(0)
    found = np.zeros(2)
    for _ in range(600):
        y = np.repeat([1, 0], [10, 90])
        tally = tm.ScoreTally.from_arrays(y, 1 / (1 + np.exp(3 - 0.3 * rng.normal(size=100))))
        gains = area_above_half(tally), brier_below_prevalence(tally)
        found += [gain.p_value < 0.05 and gain.value > 0 for gain in gains]
    assert (found / 600 <= 0.05).all()
