"""Evidence and confidence sequences: golden values, slow twins, and the laws of e-values."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta, binom

import tallymark as tm
from tallymark.parts.watch import e_values as e

FILE = Path(__file__).parents[4] / "shared" / "golden" / "statistics" / "gate_daily.json"
CASES = json.loads(FILE.read_text("utf-8")) if FILE.exists() else []


def golden(kind):
    """Return the cases of a kind; a test without any is skipped."""
    missing = pytest.mark.skip(reason="the golden file is not beside this checkout")
    found = [pytest.param(c, id=str(i)) for i, c in enumerate(CASES) if c["kind"] == kind]
    return found or [pytest.param(None, marks=missing)]


def day_of(right, n):
    """Return the evaluation of a day on which so many of n rows are right."""
    return tm.evaluate([0] * n, [0] * right + [1] * (n - right), classes=[0, 1])


# -- golden values -------------------------------------------------------------------------------


@pytest.mark.parametrize("case", golden("e_value_below_limit"))
def test_evidence_and_interval_of_a_share(case):
    k, n = case["right"], case["n"]
    log_e = float(e.share_evidence(k, n, case["limit"]))
    assert log_e == pytest.approx(case["expect"]["log_e"], abs=case["tol"])
    low, high = map(float, e.share_bounds(k, n, 0.05))
    wanted = case["confidence_sequence_95"]
    assert (low, high) == pytest.approx((wanted["low"], wanted["high"]), abs=case["tol"])


@pytest.mark.parametrize("case", golden("restart_mixture"))
def test_restarts_by_the_public_class(case, tmp_path):
    watch = tm.Watch(f"accuracy >= {case['limit']}", tmp_path / "s.json", horizon=case["horizon"])
    for day, right in enumerate(case["right_by_day"], 1):
        look = watch.add(day_of(right, case["rows_a_day"]), date=f"2026-10-{day:02}")
    found = [math.log(day.evidence) for day in look.days]
    assert found == pytest.approx(case["expect"]["log_e_by_day"], abs=case["tol"])
    assert math.log(look.alarm_at) == pytest.approx(case["expect"]["alarm_at"], abs=case["tol"])


@pytest.mark.parametrize("case", golden("paired_no_difference"))
def test_two_sided_capital_at_a_half_is_the_evidence_of_a_difference(case):
    n = case["only_a"] + case["only_b"]
    found = float(e.share_capital(case["only_a"], n, 0.5))
    assert found == pytest.approx(case["expect"]["log_e"], abs=case["tol"])


@pytest.mark.parametrize("case", golden("auc_asymptotic_cs"))
def test_the_sequence_of_an_area(case):
    rarer = min(case["positives"], case["negatives"])
    centre, variance = e.area_with_one_more(case["auc"], case["delong_variance"], rarer)
    rho2, rows = e.tuned(case["tuned_for_rows"], 0.05), case["positives"] + case["negatives"]
    half = float(e.area_half_width(variance, rows, rho2, 0.05))
    wanted = case["expect"]
    assert (centre, half) == pytest.approx((wanted["centre"], wanted["half_width"]), abs=1e-9)


@pytest.mark.parametrize("case", golden("betting_mean"))
def test_hedged_bets_on_a_mean(case):
    up = down = np.zeros(1)
    before, found = np.zeros(3), []
    for values in map(np.array, case["values_by_day"]):
        won = e.hedged_day(values, np.ones(len(values)), before.tolist(), 0.05,
                           np.array([case["candidate_mean"]]))  # fmt: skip
        up, down = up + won[0], down + won[1]
        before += [len(values), values.sum(), (values**2).sum()]
        found.append(float(e.hedged(up, down)[0]))
    assert found == pytest.approx(case["expect"]["log_capital_by_day"], abs=case["tol"])


# -- slow twins ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "n", "limit"), [(40, 60, 0.8), (17, 20, 0.7), (0, 5, 0.9)])
def test_evidence_of_a_share_is_the_mean_likelihood_ratio_below_the_limit(k, n, limit):
    prior = beta(20 * limit + 0.5, 20 * (1 - limit) + 0.5)
    likelihood = quad(lambda p: binom.pmf(k, n, p) * prior.pdf(p), 0, limit)[0] / prior.cdf(limit)
    slow = math.log(likelihood / binom.pmf(k, n, limit))
    assert float(e.share_evidence(k, n, limit)) == pytest.approx(slow, abs=1e-6)


@pytest.mark.parametrize(("b", "c"), [(4, 9), (0, 3), (6, 6)])
def test_evidence_of_pairs_is_the_mean_likelihood_ratio_below_a_half(b, c):
    # p = u² removes the infinite density at 0: beta(½, ½) has 2/π / √(1 - u²) there.
    mean = quad(lambda u: binom.pmf(b, b + c, u * u) * 2 / math.pi / math.sqrt(1 - u * u),
                0, math.sqrt(0.5))[0] / 0.5  # fmt: skip
    assert float(e.pair_evidence(b, c)) == pytest.approx(
        math.log(mean / binom.pmf(b, b + c, 0.5)), abs=1e-6
    )


def test_restarts_are_the_sum_over_starts():
    rng = np.random.default_rng(0)
    right, n, horizon = rng.binomial(30, 0.8, 12), np.full(12, 30), 40
    slow = 1 - 12 / horizon
    for start in range(12):
        k, rows = right[start:].sum(), n[start:].sum()
        slow += math.exp(float(e.share_evidence(k, rows, 0.85))) / horizon
    log_e = e.share_evidence(e.of_starts(right), e.of_starts(n), 0.85)
    assert e.restarted(log_e, horizon) == pytest.approx(math.log(slow), abs=1e-12)


def test_bets_of_a_day_are_the_product_over_rows():
    values, limit = np.array([0.2, 0.9, 0.9, 0.4]), 0.7
    slow = [sum(math.log(1 - f / (1 - limit) * (x - limit)) for x in values) for f in e.FRACTIONS]
    found = e.day_of_bets(np.array([0.2, 0.4, 0.9]), np.array([1.0, 1.0, 2.0]), limit)
    assert found.tolist() == pytest.approx(slow, abs=1e-12)
    one = e.bet_evidence(np.array([slow, slow]))
    starts = [math.log(np.mean(np.exp(np.multiply(slow, days)))) for days in (2, 1)]
    assert one.tolist() == pytest.approx(starts, abs=1e-12)


@pytest.mark.parametrize(("k", "n"), [(0, 10), (10, 10), (7, 10), (870, 1000)])
def test_bounds_of_a_share_are_where_the_capital_reaches_the_alarm(k, n):
    low, high = map(float, e.share_bounds(k, n, 0.05))
    assert (low == 0) is (k == 0)
    assert (high == 1) is (k == n)
    for end in {low, high} - {0.0, 1.0}:
        assert float(e.share_capital(k, n, end)) == pytest.approx(math.log(20), abs=1e-6)
    assert low <= k / n <= high


def test_without_rows_nothing_is_known():
    assert [float(v) for v in e.share_bounds(0, 0, 0.05)] == [0, 1]
    assert float(e.share_evidence(0, 0, 0.85)) == 0
    assert float(e.pair_evidence(0, 0)) == pytest.approx(0, abs=1e-12)
    up, down = e.hedged_day(np.array([]), np.array([]), [0, 0, 0], 0.05)
    assert e.mean_bounds(up, down, 0.05) == (0, 1)


# -- laws of e-values ----------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 60), st.floats(0.05, 0.95), st.floats(0, 1), st.floats(20, 200))
def test_evidence_has_a_mean_of_one_at_the_limit_and_less_above_it(n, limit, further, strength):
    k = np.arange(n + 1)
    values = np.exp(e.share_evidence(k, n, limit, strength))
    assert float(binom.pmf(k, n, limit) @ values) == pytest.approx(1, abs=1e-8)
    above = limit + further * (1 - limit)
    assert float(binom.pmf(k, n, above) @ values) <= 1 + 1e-8


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 60), st.floats(0.5, 1))
def test_evidence_of_pairs_has_a_mean_of_at_most_one_if_the_new_model_is_no_worse(n, share):
    b = np.arange(n + 1)
    mean = float(binom.pmf(b, n, share) @ np.exp(e.pair_evidence(b, n - b)))
    assert mean <= 1 + 1e-8
    assert share > 0.5 or mean == pytest.approx(1, abs=1e-8)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.05, 0.95), st.lists(st.floats(0, 1), min_size=2, max_size=2))
def test_every_bet_has_a_mean_of_one_if_the_mean_is_at_the_limit(limit, ends):
    low, high = ends[0] * limit, limit + ends[1] * (1 - limit)
    share = 1.0 if high == low else (limit - low) / (high - low)
    won = [np.exp(e.day_of_bets(np.array([x]), np.ones(1), limit)) for x in (low, high)]
    mean = (1 - share) * won[0] + share * won[1]
    assert mean.tolist() == pytest.approx([1] * len(e.FRACTIONS), abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 30), st.floats(0.02, 0.98))
def test_two_sided_capital_has_a_mean_of_one(n, share):
    k = np.arange(n + 1)
    mean = float(binom.pmf(k, n, share) @ np.exp(e.share_capital(k, n, share)))
    assert mean == pytest.approx(1, abs=1e-8)


def test_evidence_of_an_area_is_one_sided_and_near_one_on_average_at_the_limit():
    rng, variance, rows = np.random.default_rng(1), 0.0009, 300.0
    off = rng.normal(0, math.sqrt(variance), 200_000)
    values = np.exp(e.area_evidence(off, variance, rows, e.tuned(3000, 0.05)))
    assert values.mean() == pytest.approx(1, abs=0.02)
    low, high = e.area_evidence([-0.1, 0.1], variance, rows, e.tuned(3000, 0.05))
    assert low > 2.8 > 0 > high


@pytest.mark.slow
def test_a_daily_share_alarms_in_few_years_and_finds_a_drop():
    rng, horizon = np.random.default_rng(5), 60
    n = np.full(horizon, 50)

    def first(shares):
        right = rng.binomial(50, shares)
        for t in range(1, horizon + 1):
            starts = e.of_starts(right[:t]), e.of_starts(n[:t])
            if e.restarted(e.share_evidence(*starts, 0.85), horizon) >= math.log(20):
                return t
        return math.inf

    false = np.mean([first(np.full(horizon, 0.85)) < math.inf for _ in range(150)])
    assert false <= 0.08  # 5 % and three standard errors would be 10 %
    found = [first(np.where(np.arange(horizon) < 30, 0.88, 0.70)) for _ in range(40)]
    assert 30 < np.median(found) <= 36
