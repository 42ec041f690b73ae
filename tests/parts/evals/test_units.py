"""Formulas of evaluations, each beside a slow and obvious twin."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb, isnan, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallymark as tm
from tallymark.infer.significance import mcnemar
from tallymark.parts.evals.units import (
    Units,
    beta_plus_one,
    consistency,
    difference_of_shares,
    jackknife_t,
    pass_all,
    pass_at,
    questions_needed,
    smallest_difference,
)

RNG = np.random.default_rng(20)


def test_the_posterior_is_its_formula_unit_by_unit():
    s, m = [0.5, 2.0, 1.0, 3.5], [1.0, 3.0, 1.0, 4.0]
    total, extra, g = sum(m), sum(m) / 4, 4
    mean = (sum(s) + extra / 2) / (total + extra)
    squares = sum((a - mean * b) ** 2 for a, b in zip(s, m, strict=True))
    squares += (extra * mean) ** 2 / 2 + (extra * (1 - mean)) ** 2 / 2
    found = beta_plus_one(s, m)
    assert found.mean == pytest.approx(mean, abs=1e-15)
    assert found.variance == pytest.approx(squares / (total + extra) ** 2 * (g + 1) / g, abs=1e-15)


def test_units_with_a_count_are_as_many_units():
    counted = beta_plus_one([1.0, 0.0, 0.5], np.ones(3), counts=[4, 2, 3])
    each = beta_plus_one([1] * 4 + [0] * 2 + [0.5] * 3, np.ones(9))
    assert counted.mean == pytest.approx(each.mean)
    assert counted.bounds(0.9) == pytest.approx(each.bounds(0.9))


@pytest.mark.parametrize("grades", [[1.0] * 12, [0.0] * 12])
def test_the_interval_of_equal_grades_includes_their_mean_and_has_width(grades):
    low, high = beta_plus_one(grades, np.ones(12)).bounds(0.95)
    assert low <= grades[0] <= high
    assert 0.05 < high - low < 0.4


def test_units_of_a_stratum_vary_about_their_own_mean():
    s, strata = np.array([1.0, 0, 1, 1, 0, 0, 1]), np.array([0, 0, 0, 0, 1, 1, 2])
    found, mean, squares = beta_plus_one(s, np.ones(7), strata=strata), 4.5 / 8, 0.0
    for code in (0, 1, 2):
        own = s[strata == code]
        centre = own.mean() if len(own) > 1 else mean
        squares += ((own - centre) ** 2).sum() * (len(own) / (len(own) - 1) if own[1:].size else 1)
    added = (mean**2 + (1 - mean) ** 2) / 2
    assert found.variance == pytest.approx((squares + added) / 64 * 8 / 7)


@given(st.integers(1, 7), st.data())
def test_pass_at_k_counts_subsets_of_the_answers(n, data):
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    answers = [True] * c + [False] * (n - c)
    subsets = list(combinations(answers, k))
    some, every = (Fraction(sum(map(f, subsets)), len(subsets)) for f in (any, all))
    assert pass_at(np.array([c]), np.array([n]), k)[0] == pytest.approx(float(some))
    assert pass_all(np.array([c]), np.array([n]), k)[0] == pytest.approx(float(every))
    if n > 1:
        pairs = list(combinations(answers, 2))
        alike = sum(a == b for a, b in pairs) / len(pairs)
        assert consistency(np.array([c]), np.array([n]))[0] == pytest.approx(alike)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mid_p_is_the_sum_of_binomial_probabilities(b, c):
    n, few = b + c, min(b, c)
    weights = [Fraction(comb(n, i), 2**n) for i in range(n + 1)]
    exact = 2 * (sum(weights[:few]) + weights[few] / 2)
    assert mcnemar(b, c).p_value == pytest.approx(float(min(exact, 1)), rel=1e-9)


def test_the_jackknife_leaves_out_one_unit_at_a_time():
    s, m = RNG.normal(0, 1, 9), RNG.integers(1, 6, 9).astype(float)
    found, value = jackknife_t(s, m, 0.95), s.sum() / m.sum()
    without = [np.delete(s, i).sum() / np.delete(m, i).sum() for i in range(9)]
    assert found.variance == pytest.approx(8 / 9 * sum((w - value) ** 2 for w in without))
    from scipy.stats import t

    assert found.low == pytest.approx(value - t.ppf(0.975, 8) * sqrt(found.variance))
    expected = 2 * t.sf(abs(value) / sqrt(found.variance), 8)
    assert found.p_value == pytest.approx(expected)


@settings(max_examples=300)
@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 300), st.sampled_from([0.9, 0.95]))
def test_a_p_value_below_alpha_is_an_interval_without_0(b, c, rest, level):
    if not b + c + rest:
        return
    found = difference_of_shares(b, c, b + c + rest, level)
    assert found.low <= found.value <= found.high
    assert (found.p_value < 1 - level) == (not found.low <= 0 <= found.high)


@pytest.mark.parametrize("counts", [(12, 4, 20), (21, 10, 100), (41, 25, 1000)])
def test_where_test_and_interval_disagree_no_difference_is_proved(counts):
    b, c, n = counts
    found = difference_of_shares(b, c, n, 0.95)
    alone = beta_plus_one([1, 0, 0.5], np.ones(3), counts=[b, c, n - b - c]).bounds(0.95)
    assert (mcnemar(b, c).p_value < 0.05) != (2 * alone[0] - 1 > 0)
    assert found.p_value >= 0.05
    assert found.low <= 0


@pytest.mark.parametrize("kind", ["partial", "clusters", "weights"])
def test_both_orders_of_a_pair_say_the_same(kind):
    a, b = RNG.random(60), RNG.random(60)
    units = {
        "partial": Units(60),
        "clusters": Units(60, cluster=np.arange(60) % 12),
        "weights": Units(60, RNG.random(60) + 0.1, strata=np.arange(60) % 3),
    }[kind]
    one, other = (units.difference(*ab, 0.95, shares=False) for ab in ((a, b), (b, a)))
    assert one.p_value == pytest.approx(other.p_value)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
    assert (one.p_value < 0.05) == (not one.low <= 0 <= one.high)


def test_equal_models_differ_by_nothing():
    a = RNG.random(50)
    for units in (Units(50), Units(50, cluster=np.arange(50) % 5)):
        found = units.difference(a, a, 0.95, shares=False)
        assert found.value == 0
        assert found.p_value == pytest.approx(1)


@given(st.integers(30, 5000), st.floats(0.02, 0.6))
def test_the_smallest_difference_solves_its_equation(n, q):
    z, z_power = NormalDist().inv_cdf(0.975), NormalDist().inv_cdf(0.8)
    d = smallest_difference(n, q, z, z_power)
    if isnan(d):
        assert smallest_difference(n, q, z, z_power, most=1.0) > q
        return
    assert d * sqrt(n) == pytest.approx(z * sqrt(q) + z_power * sqrt(q - d * d))
    assert questions_needed(d, q, z, z_power) == pytest.approx(n)


def test_models_that_never_disagree_show_no_difference():
    assert isnan(smallest_difference(100, 0.0, 1.96, 0.84))


def test_one_cluster_is_refused_in_a_sentence():
    message = (
        "all 3 questions are in one cluster, so nothing shows how clusters vary; name another "
        "column with cluster=..., or leave it out"
    )
    with pytest.raises(tm.InputError) as refused:
        tm.evals([1, 0, 1], cluster=["a"] * 3)
    assert str(refused.value) == message


def test_a_win_rate_of_no_comparison_is_refused():
    with pytest.raises(tm.InputError) as refused:
        tm.win_rate(0, 0)
    assert str(refused.value) == "there is no comparison; give wins, losses and ties"
    assert tm.win_rate(0, 0, 5).definition["p_value"] == 1
    assert tm.win_rate(5, 5).value == 0.5
