"""Plans: the rows are the least, the power is what simulation finds, and bad questions are told."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

import tallymark as tm
from tallymark.infer import power as powers
from tallymark.infer.contrasts import of_paired_shares
from tallymark.infer.intervals import interval_of
from tallymark.infer.plan import (
    Pilot,
    auc,
    auc_difference,
    kappa,
    mcnemar,
    proportion,
    validation,
)
from tallymark.metric import get
from tallymark.metric.measure import Statistic
from tallymark.metric.sources import SOURCES

Z = 1.959963984540054
SIDES = ("two-sided", "one-sided")
ROC_AUC = Statistic.of(get("roc_auc"), (0, 1), 1)


def near(found: float, chance: float, draws: int) -> bool:
    """Tell whether a simulated share lies within four standard errors of a chance."""
    return abs(found - chance) < 4 * math.sqrt(chance * (1 - chance) / draws)


# -- proportions -----------------------------------------------------------------------------------


def half_of_wilson(p: float, n: int, z: float) -> float:
    return z * math.sqrt(n * p * (1 - p) + z * z / 4) / (n + z * z)


@pytest.mark.parametrize("p", [0.0, 0.02, 0.5, 0.81, 1.0])
@pytest.mark.parametrize("half", [0.2, 0.05, 0.011])
@pytest.mark.parametrize(("level", "z"), [(0.95, Z), (0.8, 1.2815515655446004)])
def test_wilson_rows_are_the_least(p, half, level, z):
    plan = proportion(p, half_width=half, level=level)
    assert half_of_wilson(p, plan.n, z) <= half < half_of_wilson(p, plan.n - 1, z)
    assert plan.half_width == pytest.approx(half_of_wilson(p, plan.n, z), rel=1e-12)
    assert proportion(p, n=plan.n, level=level).half_width == plan.half_width
    assert plan.power is plan.positives is None


def test_wald_would_take_other_rows():
    assert proportion(0.99, half_width=0.02).n == 150
    assert math.ceil(Z**2 * 0.99 * 0.01 / 0.02**2) == 96


def enumerated(n: int, p: float, null: float, alpha: float, two_sided: bool) -> float:
    """Return the power of the exact test by looking at every count."""

    def chance(k: int, q: float) -> float:
        return comb(n, k) * q**k * (1 - q) ** (n - k)

    side = alpha / 2 if two_sided else alpha
    power = 0.0
    for k in range(n + 1):
        above = sum(chance(j, null) for j in range(k, n + 1)) <= side
        below = sum(chance(j, null) for j in range(k + 1)) <= side
        if (above and (two_sided or p > null)) or (below and (two_sided or p < null)):
            power += chance(k, p)
    return power


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize(
    ("p", "null", "alpha"), [(0.9, 0.7, 0.05), (0.3, 0.5, 0.1), (1.0, 0.8, 0.01), (0.0, 0.2, 0.05)]
)
def test_binomial_power_is_the_sum_over_counts(p, null, alpha, two_sided):
    n = np.arange(1, 41)
    found = powers.binomial_power(n, p, null, alpha, two_sided)
    told = [enumerated(int(k), p, null, alpha, two_sided) for k in n]
    np.testing.assert_allclose(found, told, rtol=1e-10, atol=1e-13)


def test_a_tail_that_is_just_alpha_rejects():
    # Four heads of four have the chance 1/16.
    assert powers.binomial_power(np.array([4]), 0.8, 0.5, 1 / 16, False)[0] == pytest.approx(0.8**4)
    assert powers.binomial_power(np.array([4]), 0.8, 0.5, 1 / 8, True)[0] == pytest.approx(
        0.8**4 + 0.2**4
    )


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize(
    ("p", "null", "alpha", "power"),
    [(0.9, 0.8, 0.05, 0.8), (0.8, 0.9, 0.05, 0.9), (0.55, 0.5, 0.01, 0.8), (0.02, 0.05, 0.05, 0.7),
     (1.0, 0.95, 0.05, 0.99), (0.99, 0.97, 0.05, 0.3), (0.7, 0.5, 0.2, 0.5)],
)  # fmt: skip
def test_the_power_stays_and_one_row_less_has_too_little(p, null, alpha, power, alternative):
    plan = proportion(p, reference=null, alpha=alpha, power=power, alternative=alternative)
    two_sided = alternative == "two-sided"
    after = powers.binomial_power(np.arange(plan.n, 20 * plan.n + 500), p, null, alpha, two_sided)
    assert (after >= power).all()
    assert plan.power == after[0]
    if plan.n > 1:
        assert powers.binomial_power(np.array([plan.n - 1]), p, null, alpha, two_sided)[0] < power


def kl(x: float, p: float) -> float:
    return sum(a * math.log(a / b) for a, b in ((x, p), (1 - x, 1 - p)) if a)


@given(st.floats(0.01, 0.99), st.floats(0.0, 1.0), st.floats(0.005, 0.3), st.floats(0.4, 0.99))
@pytest.mark.slow
def test_beyond_the_bound_there_is_always_enough(null, p, alpha, power):
    if abs(p - null) < 0.05:
        return
    bound = int(powers.enough(p, null, alpha, power))
    after = powers.binomial_power(np.arange(bound, 2 * bound + 50), p, null, alpha, False)
    assert (after >= power).all()

    # It is Chernoff's: some share between is as far from both as the two errors ask for.
    def kept(n):
        between = np.linspace(null, p, 20_001)[1:-1].tolist()
        return any(
            n * kl(x, null) >= -math.log(alpha) and n * kl(x, p) >= -math.log(1 - power)
            for x in between
        )

    if 0 < p < 1:
        assert kept(1.001 * bound)
        assert bound == 1 or not kept(0.999 * (bound - 1))


def test_one_row_may_be_enough():
    plan = proportion(1.0, reference=0.01, alternative="one-sided")
    assert (plan.n, plan.power) == (1, 1.0)


def test_the_saw_tooth_is_seen():
    plan = proportion(0.9, reference=0.8)
    before = powers.binomial_power(np.arange(1, plan.n), 0.9, 0.8, 0.05, True)
    assert (before >= 0.8).sum() >= 3, "fewer rows reach it too, but not all that follow"
    assert before[-1] < 0.8


@pytest.mark.parametrize("alternative", SIDES)
def test_power_of_a_proportion_is_what_simulation_finds(alternative):
    plan = proportion(0.85, reference=0.75, alternative=alternative)
    rng = np.random.default_rng(1)
    hits = rng.binomial(plan.n, 0.85, 20_000)
    side = 0.025 if alternative == "two-sided" else 0.05
    from scipy.stats import binom

    rejects = binom.sf(hits - 1, plan.n, 0.75) <= side
    if alternative == "two-sided":
        rejects |= binom.cdf(hits, plan.n, 0.75) <= side
    assert near(rejects.mean(), plan.power, 20_000)


def test_rows_of_a_class_become_rows_of_all():
    alone = proportion(0.9, reference=0.8)
    plan = proportion(0.9, reference=0.8, of="positives", prevalence=0.15)
    assert (plan.positives, plan.power) == (alone.n, alone.power)
    assert plan.n == math.ceil(alone.n / 0.15)
    assert plan.negatives == plan.n - alone.n
    other = proportion(0.9, reference=0.8, of="negatives", prevalence=0.85)
    assert (other.n, other.negatives) == (plan.n, plan.positives)
    back = proportion(0.9, reference=0.8, n=plan.n, of="positives", prevalence=0.15)
    assert back.power == plan.power
    assert proportion(0.9, n=300, of="positives", prevalence=0.15).positives == 45


@pytest.mark.parametrize("prevalence", [0.03, 0.4, 0.9])
@pytest.mark.parametrize("assurance", [0.5, 0.9, 0.99])
def test_assured_rows_hold_the_class(prevalence, assurance):
    plan = proportion(0.9, half_width=0.06, of="positives", prevalence=prevalence,
                      assurance=assurance)  # fmt: skip
    needed = proportion(0.9, half_width=0.06).n
    from scipy.stats import binom

    assert plan.positives == needed
    assert binom.sf(needed - 1, plan.n, prevalence) >= assurance
    assert binom.sf(needed - 1, plan.n - 1, prevalence) < assurance
    back = proportion(0.9, n=plan.n, of="positives", prevalence=prevalence, assurance=assurance)
    assert back.positives == needed
    assert f"with a chance of {assurance:g} at least {needed:,} of the positives" in str(plan)


# -- areas -----------------------------------------------------------------------------------------


def areas(positives: np.ndarray, negatives: np.ndarray) -> np.ndarray:
    """Return the area of each row of scores."""
    m, n = positives.shape[-1], negatives.shape[-1]
    order = np.concatenate([positives, negatives], -1).argsort(-1).argsort(-1) + 1
    return (order[..., :m].sum(-1) - m * (m + 1) / 2) / (m * n)


def placements(positives: np.ndarray, negatives: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    pairs = positives[:, :, None] > negatives[:, None, :]
    return pairs.mean(2), pairs.mean(1)


def shift(area: float) -> float:
    from scipy.stats import norm

    return float(np.sqrt(2) * norm.ppf(area))


def test_the_search_looks_at_what_follows():
    def dips(n):
        return np.where((n == 25) | (n == 31), 0.1, n / 100)

    assert powers.least(dips, 0.2) == 32
    assert powers.least(dips, 0.2, 7) == 32
    assert powers.least(dips, 0.32) == 32
    assert powers.least(dips, 0.33, 40) == 40
    assert powers.least(lambda n: np.minimum(n / 100, 0.5), 0.6) is None


def test_obuchowskis_variance_by_hand():
    a = math.sqrt(2) * 0.8416212335729143  # the probit of 0.8
    told = math.exp(-a * a / 2) / (32 * math.pi) * ((5 * a * a + 8) / 40 + (a * a + 8) / 70)
    assert powers.obuchowski(0.8, 40, 70) == pytest.approx(told, rel=1e-12)
    assert told == pytest.approx(0.0099 * 0.49247 * (15.0833 / 40 + 9.41665 / 70), rel=6e-3)


@pytest.mark.parametrize("variance", ["hanley-mcneil", "binormal"])
def test_variances_at_one_half_are_the_rank_sums(variance):
    of_area = powers.VARIANCES[variance][0]
    for m, n in ((1, 1), (5, 9), (40, 3)):
        assert of_area(0.5, m, n) == pytest.approx((m + n + 1) / (12 * m * n), rel=1e-12)


def test_the_binormal_variance_is_exact():
    rng = np.random.default_rng(2)
    for area, m, n in ((0.85, 12, 30), (0.7, 25, 10)):
        found = areas(rng.normal(shift(area), 1, (40_000, m)), rng.normal(0, 1, (40_000, n)))
        assert found.mean() == pytest.approx(area, abs=0.002)
        assert found.var() == pytest.approx(float(powers.binormal(area, m, n)), rel=0.03)


def test_hanley_mcneil_is_exact_for_exponential_scores():
    rng = np.random.default_rng(3)
    area, m, n = 0.8, 15, 22
    found = areas(rng.exponential(4.0, (40_000, m)), rng.exponential(1.0, (40_000, n)))
    assert found.mean() == pytest.approx(area, abs=0.002)
    assert found.var() == pytest.approx(float(powers.hanley_mcneil(area, m, n)), rel=0.03)


@pytest.mark.parametrize("variance", ["hanley-mcneil", "binormal", "obuchowski"])
@pytest.mark.parametrize("prevalence", [0.5, 0.07, 0.8])
@pytest.mark.parametrize(("area", "half"), [(0.8, 0.05), (0.96, 0.02), (0.3, 0.1)])
def test_rows_for_the_width_of_an_area_are_the_least(area, half, prevalence, variance):
    plan = auc(area, half_width=half, prevalence=prevalence, variance=variance)
    assert plan.half_width <= half
    assert auc(area, n=plan.n - 1, prevalence=prevalence, variance=variance).half_width > half
    assert plan.positives + plan.negatives == plan.n
    assert abs(plan.positives - plan.n * prevalence) <= 0.5
    error = math.sqrt(powers.VARIANCES[variance][0](area, plan.positives, plan.negatives))
    logit, e = math.log(area / (1 - area)), Z * error / (area * (1 - area))
    low, high = (1 / (1 + math.exp(-x)) for x in (logit - e, logit + e))
    assert plan.half_width == pytest.approx((high - low) / 2, rel=1e-9)


@pytest.mark.slow
def test_the_planned_width_is_that_of_the_interval_we_give():
    plan = auc(0.85, half_width=0.05, prevalence=0.3, variance="binormal")
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [plan.positives, plan.negatives])
    halves = []
    for _ in range(300):
        s = rng.normal(shift(0.85) * y, 1)
        v = interval_of(ROC_AUC, [tm.ScoreTally.from_arrays(y, s)])
        halves.append((v.high - v.low) / 2)
    assert np.mean(halves) == pytest.approx(0.05, rel=0.02)


def share_of_intervals_beyond(area: float, null: float, plan: tm.plan.Plan) -> float:
    """Return how often our interval of normal scores leaves out a lower area."""
    rng = np.random.default_rng(9)
    y = np.repeat([1, 0], [plan.positives, plan.negatives])
    beyond = [
        interval_of(ROC_AUC, [tm.ScoreTally.from_arrays(y, rng.normal(shift(area) * y, 1))]).low
        > null
        for _ in range(1000)
    ]
    return float(np.mean(beyond))


@pytest.mark.slow
def test_our_interval_leaves_out_the_reference_as_often_as_planned():
    for area, null, prevalence in ((0.8, 0.7, 0.9), (0.9, 0.8, 0.25)):
        plan = auc(area, reference=null, prevalence=prevalence)
        found = share_of_intervals_beyond(area, null, plan)
        assert found == pytest.approx(plan.power, abs=0.05)


@pytest.mark.slow
def test_near_one_our_interval_is_more_careful_than_the_test_that_was_planned():
    more = auc(0.95, reference=0.9, prevalence=0.9, power=0.85)
    assert share_of_intervals_beyond(0.95, 0.9, more) == pytest.approx(0.80, abs=0.04)


TABLE = re.findall(
    r"^\| (0\.\d) \| ([a-z-]+) \| (\d+) \| (0\.\d\d) \| (0\.\d\d) \|$",
    (Path(__file__).parents[2] / "docs" / "planning.md").read_text("utf-8"), re.M,
)  # fmt: skip


def test_the_table_of_the_page_is_found():
    assert len(TABLE) == 6


@pytest.mark.slow
@pytest.mark.parametrize(("prevalence", "variance", "n", "promised", "found"), TABLE)
def test_rows_and_powers_of_the_page_are_those_of_plans_and_of_simulation(
    prevalence, variance, n, promised, found
):
    plan = auc(0.95, reference=0.9, prevalence=float(prevalence), variance=variance)
    assert (str(plan.n), f"{plan.power:.2f}") == (n, promised)
    assert share_of_intervals_beyond(0.95, 0.9, plan) == pytest.approx(float(found), abs=0.03)


def test_a_normal_distribution_of_scores_is_the_default():
    assert auc(0.85, n=100) == auc(0.85, n=100, variance="binormal")


def test_a_plan_holds_all_that_was_assumed():
    plan = auc(0.85, reference=0.8, prevalence=0.1)
    assert plan.assumed == {
        "expected": 0.85, "prevalence": 0.1, "variance": "binormal", "reference": 0.8,
        "alpha": 0.05, "alternative": "two-sided",
    }  # fmt: skip


def test_every_plan_holds_what_it_was_asked():
    one, two = "one-sided", "two-sided"
    pilot = Pilot(1e-3, 2e-3, 5e-4, 100, 200)
    cases = [
        (proportion(0.9, half_width=0.05, level=0.9), {"expected": 0.9, "level": 0.9}),
        (proportion(0.9, half_width=0.05, of="negatives", prevalence=0.3, assurance=0.8),
         {"expected": 0.9, "of": "negatives", "prevalence": 0.3, "assurance": 0.8, "level": 0.95}),
        (proportion(0.9, reference=0.8, alternative=one, alpha=0.1),
         {"expected": 0.9, "reference": 0.8, "alpha": 0.1, "alternative": one}),
        (auc(0.85, half_width=0.1, prevalence=0.3, variance="obuchowski", level=0.9),
         {"expected": 0.85, "prevalence": 0.3, "variance": "obuchowski", "level": 0.9}),
        (auc_difference(0.8, 0.87, correlation=0.4, prevalence=0.3, variance="hanley-mcneil",
                        alpha=0.1, alternative=one),
         {"first": 0.8, "second": 0.87, "correlation": 0.4, "prevalence": 0.3, "alpha": 0.1,
          "variance": "hanley-mcneil", "margin": None, "alternative": one}),
        (auc_difference(0.8, 0.78, score_correlation=(0.5, 0.3), margin=0.05),
         {"first": 0.8, "second": 0.78, "score_correlation": (0.5, 0.3), "prevalence": 0.5,
          "variance": "binormal", "margin": 0.05, "alpha": 0.05, "alternative": two}),
        (auc_difference(0.8, 0.87, pilot=pilot),
         {"first": 0.8, "second": 0.87, "pilot": pilot, "margin": None, "alpha": 0.05,
          "alternative": two}),
        (mcnemar(0.05, 0.12, alpha=0.1, alternative=one),
         {"only_first": 0.05, "only_second": 0.12, "alpha": 0.1, "alternative": one}),
    ]  # fmt: skip
    for plan, assumed in cases:
        assert plan.assumed == assumed


def test_which_model_is_first_only_matters_for_a_margin():
    options = {"score_correlation": (0.6, 0.2), "prevalence": 0.3, "n": 900}
    for a, b in ((0.8, 0.87), (0.87, 0.8)):
        plan = auc_difference(a, b, **options)
        assert plan.power == pytest.approx(auc_difference(b, a, **options).power)
        assert f"areas of {a} and {b} on the same rows" in str(plan)
    lower = auc_difference(0.8, 0.78, margin=0.05, **options).power
    higher = auc_difference(0.78, 0.8, margin=0.05, **options).power
    assert lower < 0.6 < higher


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize(
    ("area", "null", "prevalence"), [(0.7, 0.5, 0.5), (0.9, 0.8, 0.25), (0.75, 0.85, 0.4)]
)
def test_power_of_an_area_is_what_simulation_finds(area, null, prevalence, alternative):
    plan = auc(area, reference=null, prevalence=prevalence, variance="binormal",
               alternative=alternative)  # fmt: skip
    m, n, draws = plan.positives, plan.negatives, 8000
    rng = np.random.default_rng(5)
    found = areas(rng.normal(shift(area), 1, (draws, m)), rng.normal(0, 1, (draws, n)))
    z = Z if alternative == "two-sided" else 1.6448536269514722
    away = (found - null) / math.sqrt(powers.binormal(null, m, n)) * (1 if area > null else -1)
    rejects = np.abs(away) > z if alternative == "two-sided" else away > z
    # The formula takes the area as normal, which it is not quite near its ends.
    assert rejects.mean() == pytest.approx(plan.power, abs=0.02)


def test_rows_for_an_area_are_the_least_and_suffice_ever_after():
    for area, null, prevalence, alternative in (
        (0.7, 0.5, 0.5, "two-sided"), (0.9, 0.85, 0.03, "one-sided"), (0.6, 0.65, 0.7, "two-sided"),
    ):  # fmt: skip
        asked = {"reference": null, "prevalence": prevalence, "alternative": alternative}
        plan = auc(area, **asked)
        assert plan.power >= 0.8 > auc(area, n=plan.n - 1, **asked).power
        assert all(auc(area, n=plan.n + k, **asked).power >= 0.8 for k in range(1, 200))


AREA = st.floats(0.55, 0.97)


@given(AREA, AREA, st.floats(0.05, 0.95), st.integers(60, 3000), st.sampled_from(SIDES))
@pytest.mark.slow
def test_power_rises_with_rows_and_with_the_effect(a, b, prevalence, n, side):
    low, high = sorted((a, b))
    if high - low < 0.02:
        return
    asked = {"prevalence": prevalence, "alternative": side}
    few, many = (auc(high, reference=low, n=k, **asked).power for k in (n, 2 * n))
    assert many >= few - 1e-12
    assert auc(high, reference=low, **asked).n <= auc((low + high) / 2, reference=low, **asked).n
    few, many = (auc_difference(low, high, correlation=0.4, n=k, **asked).power for k in (n, 2 * n))
    assert many >= few - 1e-12
    rows = [auc_difference(low, high, correlation=r, **asked).n for r in (0.0, 0.5, 0.8)]
    assert rows == sorted(rows, reverse=True)


# -- differences of areas --------------------------------------------------------------------------


def two_models(rng, first, second, inside, m, n, draws):
    """Return the scores of two models: normal, with a correlation inside each class."""

    def within(size, r):
        a = rng.normal(size=(draws, size))
        return a, r * a + math.sqrt(1 - r * r) * rng.normal(size=(draws, size))

    p1, p2 = within(m, inside[0])
    n1, n2 = within(n, inside[1])
    return (p1 + shift(first), n1), (p2 + shift(second), n2)


def by_quad(first, second, r):
    """Return what :func:`powers.orthant_covariance` does, by the adaptive rule of QUADPACK."""
    h, k = stats.norm.ppf(first), stats.norm.ppf(second)

    def density(angle):
        apart = (h - k) ** 2 / (2 * math.cos(angle) ** 2)
        return math.exp(-apart - h * k / (1 + math.sin(angle)))

    end = math.asin(r)
    near_the_end = end * (1 - np.geomspace(1, 1e-3, 6))
    return integrate.quad(density, 0, end, points=near_the_end, epsabs=1e-13)[0] / (2 * math.pi)


def test_the_chance_of_two_below_is_that_of_an_adaptive_rule():
    areas = (0.01, 0.3, 0.5, 0.51, 0.8, 0.8001, 0.99, 1 - 1e-6)
    correlations = [1e-6, 0.3, 0.7, 0.95, 0.99, 0.9999]
    for first in areas:
        for second in areas:
            wanted = [by_quad(first, second, r) for r in correlations]
            found = powers.orthant_covariance(first, second, correlations)
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)
            # Of the opposite the rest of the chance, and at 1 the chance of the rarer.
            opposite = powers.orthant_covariance(first, 1 - second, np.negative(correlations))
            np.testing.assert_allclose(found, -opposite, rtol=0, atol=1e-12)
            ends = min(first, second), max(first + second - 1, 0)
            found = powers.orthant_covariance(first, second, [1, -1]) + first * second
            np.testing.assert_allclose(found, ends, rtol=0, atol=1e-12)


def test_the_covariance_of_areas_is_exact():
    rng = np.random.default_rng(6)
    for first, second, inside, m, n in (
        (0.8, 0.9, (0.7, 0.2), 10, 20), (0.75, 0.6, (-0.5, 0.8), 18, 7),
    ):  # fmt: skip
        one, two = two_models(rng, first, second, inside, m, n, 60_000)
        found = np.cov(areas(*one), areas(*two))[0, 1]
        told = float(powers.binormal_covariance(first, second, *inside, m, n))
        assert found == pytest.approx(told, abs=4 * math.sqrt(
            powers.binormal(first, m, n) * powers.binormal(second, m, n) / 60_000))  # fmt: skip


def test_a_model_goes_with_itself_as_it_varies():
    for area in (0.5, 0.8, 0.97):
        told = powers.binormal_covariance(area, area, 1, 1, 11, 23)
        assert told == pytest.approx(float(powers.binormal(area, 11, 23)), rel=1e-9)
    assert powers.binormal_covariance(0.7, 0.9, 0, 0, 11, 23) == pytest.approx(0, abs=1e-15)


def bound_and_p(one, two, null=0.0):
    """Return the lower bound and p-value of a comparison of the second area with the first.

    Written out for one sample: DeLong's placements, Welch's degrees of freedom, and the skewness.
    """
    (p1, n1), (p2, n2) = one, two
    (a1, b1), (a2, b2) = placements(p1[None], n1[None]), placements(p2[None], n2[None])
    dp, dn = (a2 - a1)[0], (b2 - b1)[0]
    gap, rows = dp.mean(), (len(dp), len(dn))
    parts = [v.var(ddof=1) / n for v, n in zip((dp, dn), rows, strict=True)]
    degrees = sum(parts) ** 2 / sum(v**2 / (n - 1) for v, n in zip(parts, rows, strict=True))
    e = np.concatenate([(dp - gap) / rows[0], (dn - gap) / rows[1]])
    skew = (e**3).sum() / (e**2).sum()
    t, less = stats.t.isf(0.025, degrees), max(-skew, 0)
    low = gap - less * t**2 / 2 - t * math.sqrt(sum(parts) + (less * t / 2) ** 2)
    toward = max(-skew if gap > null else skew, 0)
    error = math.sqrt(sum(parts) + toward * abs(gap - null))
    return low, 2 * stats.t.sf(abs(gap - null) / error, degrees)


def drawn_pairs(first, second, inside, plan, draws, seed=7):
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        one, two = two_models(rng, first, second, inside, plan.positives, plan.negatives, 1)
        yield tuple(v[0] for v in one), tuple(v[0] for v in two)


def test_the_rule_of_these_simulations_is_that_of_a_comparison():
    plan = auc_difference(0.85, 0.95, score_correlation=0.6, n=70, prevalence=0.2)
    ((one, two),) = drawn_pairs(0.85, 0.95, (0.6, 0.6), plan, 1)
    y = np.repeat([1, 0], [plan.positives, plan.negatives])
    scores = {"second": np.concatenate(two), "first": np.concatenate(one)}
    found = tm.evaluate(y, y_score=scores).compare(metric="roc_auc", permutations=0)
    (pair,) = found.pairs
    told = pair.differences["roc_auc"]
    sign = 1 if pair.first == "second" else -1
    low, p = bound_and_p(one, two)
    assert (told.low if sign > 0 else -told.high) == pytest.approx(low, rel=1e-9)
    assert told.p_value == pytest.approx(p, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "correlation", "prevalence"),
    [
        (0.75, 0.85, 0.9, 0.1), (0.90, 0.95, 0.7, 0.1), (0.75, 0.85, 0.5, 0.3),
        (0.90, 0.80, 0.7, 0.3), (0.90, 0.95, 0.9, 0.3), (0.856, 0.638, 0.5, 0.1),
    ],
)  # fmt: skip
def test_power_of_a_difference_is_how_often_a_comparison_tells(
    first, second, correlation, prevalence
):
    plan = auc_difference(first, second, score_correlation=correlation, prevalence=prevalence)
    draws = 1500
    tells = [
        bound_and_p(*pair)[1] < 0.05
        for pair in drawn_pairs(first, second, (correlation,) * 2, plan, draws)
    ]
    assert np.mean(tells) == pytest.approx(plan.power, abs=0.03 + 2 * math.sqrt(0.16 / draws))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "asked"),
    [
        (0.88, 0.80, {"alternative": "one-sided"}),
        (0.85, 0.85, {"margin": 0.06}),
        (0.85, 0.84, {"margin": 0.08, "alternative": "one-sided"}),
    ],
)
def test_power_of_other_verdicts_is_what_simulation_finds(first, second, asked):
    inside, draws = (0.6, 0.5), 1500
    plan = auc_difference(first, second, score_correlation=inside, prevalence=0.4, **asked)
    null, sign = -asked.get("margin", 0.0), 1 if "margin" in asked else np.sign(second - first)
    alpha = 0.1 if "alternative" in asked else 0.05  # of both tails, one of which counts
    tells = []
    for one, two in drawn_pairs(first, second, inside, plan, draws):
        gap = two_areas_apart(one, two)
        tells.append(sign * (gap - null) > 0 and bound_and_p(one, two, null)[1] < alpha)
    assert np.mean(tells) == pytest.approx(plan.power, abs=0.04)


def two_areas_apart(one, two):
    return float(areas(*two) - areas(*one))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "inside", "m", "n"),
    [(0.8, 0.9, (0.7, 0.2), 50, 140), (0.75, 0.85, (0.9, 0.9), 120, 90)],
)
def test_the_moments_of_delongs_test_are_those_of_draws(first, second, inside, m, n):
    rng, draws = np.random.default_rng(12), 8_000
    gaps, variances, thirds = [], [], []
    for _ in range(20):
        one, two = two_models(rng, first, second, inside, m, n, draws // 20)
        (a1, b1), (a2, b2) = placements(*one), placements(*two)
        dp, dn = a2 - a1, b2 - b1
        gap = dp.mean(1)
        gaps.append(gap)
        variances.append(dp.var(1, ddof=1) / m + dn.var(1, ddof=1) / n)
        thirds.append(
            (((dp - gap[:, None]) / m) ** 3).sum(1) + (((dn - gap[:, None]) / n) ** 3).sum(1)
        )
    gap, variance, third = map(np.concatenate, (gaps, variances, thirds))
    of = powers.DeLongTest.of(first, second, *inside)
    p, q = of.positives, of.negatives
    exact = p.variance / m + q.variance / n + of.pairs / (m * n)
    assert gap.var() == pytest.approx(exact, rel=0.05)
    assert variance.mean() == pytest.approx(exact + of.pairs / (m * n), rel=0.01)
    assert third.mean() == pytest.approx(p.third / m**2 + q.third / n**2, rel=0.2)
    together = p.third / m**2 + q.third / n**2 + 2 * (p.with_other + q.with_other) / (m * n)
    assert np.cov(gap, variance)[0, 1] == pytest.approx(together, rel=0.15)
    of_variance = sum(
        own.of_square / k**3 + 4 * own.square_with_other / (k**2 * others)
        + 4 * own.of_other / (k * others**2)
        for own, k, others in ((p, m, n), (q, n, m))
    )  # fmt: skip
    assert variance.var() == pytest.approx(of_variance, rel=0.2)
    assert p.with_other == pytest.approx(q.with_other, rel=1e-3)  # both are E ψ(x) ψ(y) h(x, y)


def test_the_correlation_of_scores_gives_that_of_the_areas():
    for first, second, r, prevalence in ((0.8, 0.85, 0.5, 0.3), (0.6, 0.95, -0.4, 0.1)):
        m, n = prevalence * 1e6, (1 - prevalence) * 1e6
        errors = powers.binormal(first, m, n) * powers.binormal(second, m, n)
        of_areas = float(powers.binormal_covariance(first, second, r, r, m, n) / np.sqrt(errors))
        found = powers.score_correlation(first, second, of_areas, prevalence)
        assert found == pytest.approx(r, abs=1e-6)
        asked = {"prevalence": prevalence, "n": 10_000}
        one = auc_difference(first, second, score_correlation=r, **asked).power
        assert auc_difference(first, second, correlation=of_areas, **asked).power == pytest.approx(
            one, abs=1e-3
        )
    assert powers.score_correlation(0.8, 0.85, 1, 0.5) == 0.999
    assert powers.score_correlation(0.8, 0.85, -1, 0.5) == -0.999


def test_a_pilot_is_its_correlation():
    v1 = float(powers.hanley_mcneil(0.8, 300, 700))
    v2 = float(powers.hanley_mcneil(0.84, 300, 700))
    pilot = Pilot(v1, v2, 0.6 * math.sqrt(v1 * v2), 300, 700)
    asked = {"n": 1000}
    found = auc_difference(0.8, 0.84, pilot=pilot, **asked)
    told = auc_difference(0.8, 0.84, correlation=0.6, prevalence=0.3, variance="hanley-mcneil",
                          **asked)  # fmt: skip
    assert found.power == pytest.approx(told.power, rel=1e-12)
    assert (found.positives, found.negatives) == (300, 700)
    assert found.source == "delong1988"
    error = math.sqrt(pilot.of_difference / 2)
    power = stats.norm.cdf(0.04 / error - Z) + stats.norm.cdf(-0.04 / error - Z)
    # With so many rows it is nearly that of a normal variable with a known error.
    assert auc_difference(0.8, 0.84, pilot=pilot, n=2000).power == pytest.approx(power, abs=0.01)


def test_non_inferiority_two_sided_is_one_sided_at_half_of_alpha():
    asked = {"margin": 0.05, "score_correlation": 0.5}
    two = auc_difference(0.85, 0.86, **asked)
    one = auc_difference(0.85, 0.86, alternative="one-sided", alpha=0.025, **asked)
    assert (two.n, two.power) == (one.n, one.power)
    assert two.n < auc_difference(0.85, 0.85, **asked).n


# -- McNemar's test --------------------------------------------------------------------------------


def test_a_published_size_by_connor():
    # powerandsamplesize.com, paired proportions: 23 pairs of 0.45 against 0.05.
    assert mcnemar(0.45, 0.05, test="asymptotic").n == 23
    plan = mcnemar(0.05, 0.45, test="asymptotic", alternative="one-sided", power=0.9)
    assert plan.n == 23


def p_value(k: int, d: int, two_sided: bool, mid_p: bool) -> float:
    """Return the p-value of k wins of the expected winner among d discordant rows."""

    def tail(j):
        return sum(comb(d, i) for i in range(j, d + 1)) / 2**d

    half = comb(d, k) / 2**d / 2 if mid_p else 0.0
    if not two_sided:
        return tail(k) - half
    most = max(k, d - k)
    return min(1.0, 2 * (tail(most) - (comb(d, most) / 2**d / 2 if mid_p else 0.0)))


@pytest.mark.parametrize("mid_p", [False, True])
@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize(("alpha", "more", "less"), [(0.05, 0.3, 0.1), (0.2, 0.6, 0.4), (0.6, 0.2, 0)])  # fmt: skip
def test_mcnemar_power_is_the_sum_over_tables(alpha, more, less, two_sided, mid_p):
    for n in (1, 2, 7, 24):
        told = 0.0
        for d in range(n + 1):
            for k in range(d + 1):
                if p_value(k, d, two_sided, mid_p) <= alpha:
                    told += (comb(n, d) * comb(d, k) * more**k * less ** (d - k)
                             * max(0.0, 1 - more - less) ** (n - d))  # fmt: skip
        test = "mid-p" if mid_p else "exact"
        found = powers.mcnemar_power(np.array([n]), more, less, alpha, two_sided, test)[0]
        assert found == pytest.approx(told, rel=1e-9, abs=1e-13)


def chance_of(b: int, c: int, n: int, more: float, less: float) -> float:
    rest = max(0.0, 1 - more - less) ** (n - b - c)
    return comb(n, b) * comb(n - b, c) * more**b * less**c * rest


def tells_apart(b: int, c: int, n: int, level: float) -> bool:
    """Return whether the interval of a comparison of two accuracies leaves out 0."""
    bounds = of_paired_shares([(float(n - b - c), float(b), float(c), 0.0)], level)[0]
    assert (bounds.low > 0 or bounds.high < 0) == (bounds.p_value < 1 - level)
    return bounds.low > 0 or bounds.high < 0


@pytest.mark.parametrize(
    ("alpha", "more", "less", "rows"),
    [(0.05, 0.5, 0.2, (12, 33)), (0.2, 0.55, 0.4, (7, 23)), (0.01, 0.9, 0.05, (24,))],
)
def test_mcnemars_power_is_that_of_the_verdict_of_a_comparison(alpha, more, less, rows):
    for n in rows:
        told = sum(
            chance_of(b, c, n, more, less)
            for b in range(n + 1)
            for c in range(n + 1 - b)
            if tells_apart(b, c, n, 1 - alpha)
        )
        found = mcnemar(more, less, n=n, alpha=alpha)
        assert found.power == pytest.approx(told, rel=1e-9)
        assert "exact below 20 discordant rows" in str(found)


def test_one_sided_the_verdict_counts_only_wins_of_the_better_classifier():
    n, more, less = 27, 0.55, 0.3
    told = sum(
        chance_of(b, c, n, more, less)
        for b in range(n + 1)
        for c in range(n + 1 - b)
        if b > c and tells_apart(b, c, n, 0.9)
    )
    assert mcnemar(more, less, n=n, alternative="one-sided").power == pytest.approx(told, rel=1e-9)


def test_a_sign_test_whose_tail_is_just_alpha_rejects():
    # Four of four have the chance 1/16, and half of that as a mid-p.
    for alpha, test in ((1 / 16, "exact"), (1 / 32, "mid-p")):
        for times, two_sided in ((1, False), (2, True)):
            found = powers.sign_powers(4, 0.8, times * alpha, two_sided, test)
            told = 0.8**4 + (0.2**4 if two_sided else 0)
            assert found.tolist() == pytest.approx([0, 0, 0, 0, told])


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("test", ["compare", "exact", "mid-p"])
@pytest.mark.parametrize(
    ("first", "second", "power"),
    [(0.1, 0.05, 0.8), (0.2, 0.5, 0.9), (0.7, 0.3, 0.8), (0.01, 0.0, 0.8), (0.02, 0.012, 0.6)],
)
def test_mcnemar_rows_are_the_least_that_stay(first, second, power, test, alternative):
    plan = mcnemar(first, second, power=power, test=test, alternative=alternative)
    less, more = sorted((first, second))
    n = np.arange(plan.n - 1, 4 * plan.n + 50)
    found = powers.mcnemar_power(n, more, less, 0.05, alternative == "two-sided", test)
    assert found[0] < power
    assert (found[1:] >= power).all()
    assert plan.power == pytest.approx(found[1], rel=1e-12)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("test", ["compare", "exact", "mid-p", "asymptotic"])
def test_power_of_mcnemar_is_what_simulation_finds(test, alternative):
    plan = mcnemar(0.06, 0.12, test=test, alternative=alternative)
    draws = 20_000
    rng = np.random.default_rng(8)
    loses, wins, _ = rng.multinomial(plan.n, [0.06, 0.12, 0.82], draws).T
    two_sided = alternative == "two-sided"
    if test == "asymptotic":
        z = (wins - loses) / np.sqrt(np.maximum(wins + loses, 1))
        rejects = np.abs(z) > Z if two_sided else z > 1.6448536269514722
        # A formula for many rows, of a count that moves in steps.
        assert rejects.mean() == pytest.approx(plan.power, abs=0.02)
        return
    if test == "compare":
        z = (wins - loses) / np.sqrt(np.maximum(wins + loses, 1))
        of_tail = stats.binom.sf(np.maximum(wins, loses) - 1, wins + loses, 0.5)
        beyond = np.abs(z) > Z if two_sided else z > 1.6448536269514722
        small = of_tail <= (0.025 if two_sided else 0.05)
        rejects = np.where(wins + loses < 20, beyond & small, beyond)
        assert near(rejects.mean(), plan.power, draws)
        return
    known = {}
    for w, d in set(zip(wins.tolist(), (wins + loses).tolist(), strict=True)):
        known[w, d] = p_value(w, d, two_sided, test == "mid-p") <= 0.05
    rejects = np.array(
        [known[w, w + x] for w, x in zip(wins.tolist(), loses.tolist(), strict=True)]
    )
    assert near(rejects.mean(), plan.power, draws)


def test_shares_may_add_up_to_one_but_for_rounding():
    assert mcnemar(0.7, 0.3 + 5e-10).n == mcnemar(0.7, 0.3).n == mcnemar(0.7, 0.3 - 5e-10).n


SHARE = st.floats(0.0, 0.5)


@given(SHARE, SHARE, st.sampled_from(SIDES))
@pytest.mark.slow
def test_mcnemar_tests_among_themselves(a, b, side):
    if abs(a - b) < 0.03:
        return
    exact, mid_p, z = (
        mcnemar(a, b, test=t, alternative=side) for t in ("exact", "mid-p", "asymptotic")
    )
    assert mid_p.n <= exact.n
    assert z.n == pytest.approx(mid_p.n, rel=0.25, abs=12)
    less, more = sorted((a, b))
    # The greater share greater by more, of as many discordant rows.
    assert mcnemar(more + less / 2, less / 2, test="mid-p", alternative=side).n <= mid_p.n + 2
    assert mcnemar(b, a, test="exact", alternative=side).n == exact.n
    assert mcnemar(a, b, alternative=side).n <= exact.n


# -- Cohen's kappa -------------------------------------------------------------------------------


def pairs_of(expected: float, first: float, second: float) -> list[float]:
    """Return the shares of both, only the first, only the second and neither called positive."""
    by_chance = first * second + (1 - first) * (1 - second)
    agree = expected * (1 - by_chance) + by_chance
    both = (agree - (1 - first - second)) / 2
    return [both, first - both, second - both, 1 - first - second + both]


def kappas(tables: np.ndarray) -> np.ndarray:
    """Return kappa of tables with four columns: both, first, second, neither."""
    p = tables / tables.sum(1, keepdims=True)
    first, second = p[:, 0] + p[:, 1], p[:, 0] + p[:, 2]
    by_chance = first * second + (1 - first) * (1 - second)
    return (p[:, 0] + p[:, 3] - by_chance) / (1 - by_chance)


KAPPAS = [(0.7, 0.3, 0.35), (0.4, 0.1, 0.15), (-0.1, 0.6, 0.4), (0.85, 0.5, 0.5)]


@pytest.mark.parametrize(("expected", "first", "second"), KAPPAS)
def test_the_variance_of_kappa_is_what_draws_have(expected, first, second):
    rng, n = np.random.default_rng(13), 2000
    found = kappas(rng.multinomial(n, pairs_of(expected, first, second), 20_000))
    assert found.mean() == pytest.approx(expected, abs=0.005)
    assert n * found.var() == pytest.approx(
        powers.kappa_variance(expected, first, second), rel=0.04
    )


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize(
    ("expected", "first", "second", "null"), [(0.7, 0.3, 0.35, 0.5), (0.2, 0.5, 0.4, 0.0)]
)
def test_power_of_kappa_is_what_simulation_finds(expected, first, second, null, alternative):
    plan = kappa(expected, first, second, reference=null, alternative=alternative)
    assert plan.power >= 0.8
    asked = {"reference": null, "alternative": alternative}
    assert kappa(expected, first, second, n=plan.n - 1, **asked).power < 0.8
    rng = np.random.default_rng(14)
    found = kappas(rng.multinomial(plan.n, pairs_of(expected, first, second), 20_000))
    error = math.sqrt(powers.kappa_variance(null, first, second) / plan.n)
    z = (found - null) / error
    rejects = np.abs(z) > Z if alternative == "two-sided" else z > 1.6448536269514722
    assert rejects.mean() == pytest.approx(plan.power, abs=0.03)


@pytest.mark.slow
def test_the_planned_width_of_kappa_is_that_of_the_interval_we_give():
    plan = kappa(0.6, 0.3, 0.4, half_width=0.1)
    assert plan.half_width <= 0.1 < kappa(0.6, 0.3, 0.4, n=plan.n - 1).half_width
    rng, halves = np.random.default_rng(15), []
    for counts in rng.multinomial(plan.n, pairs_of(0.6, 0.3, 0.4), 100).tolist():
        y, told = np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts)
        v = tm.evaluate(y, told)["cohen_kappa"]
        halves.append((v.high - v.low) / 2)
    assert np.mean(halves) == pytest.approx(0.1, rel=0.03)


def test_a_kappa_of_one_rater_with_himself():
    plan = kappa(0.7, 0.3, half_width=0.1, level=0.9)
    assert plan.assumed == {"expected": 0.7, "first": 0.3, "second": 0.3, "level": 0.9}
    assert plan == kappa(0.7, 0.3, 0.3, half_width=0.1, level=0.9)
    assert plan.positives is plan.negatives is plan.power is None
    assert plan.source == "fleiss1969"


# -- rows in clusters ------------------------------------------------------------------------------


ASKED = [
    (proportion, (0.9,), {"half_width": 0.03}),
    (proportion, (0.9,), {"reference": 0.8, "of": "positives", "prevalence": 0.15}),
    (auc, (0.85,), {"reference": 0.8, "prevalence": 0.1}),
    (auc_difference, (0.8, 0.86), {"score_correlation": 0.6, "prevalence": 0.3}),
    (mcnemar, (0.1, 0.05), {}),
    (kappa, (0.7, 0.3), {"half_width": 0.1}),
    (validation, (0.8, 0.2), {}),
]


@pytest.mark.parametrize(("question", "values", "asked"), ASKED)
def test_clustered_rows_are_worth_rows_over_the_design_effect(question, values, asked):
    alone = question(*values, **asked)
    design = {"icc": 0.05, "cluster_size": 7}  # 1 + 6 * 0.05
    plan = question(*values, **asked, **design)
    assert plan.n == math.ceil(alone.n * 1.3 - 1e-9)
    assert (plan.power, plan.half_width) == (alone.power, alone.half_width)
    assert plan.assumed == {**alone.assumed, **design, "design_effect": pytest.approx(1.3)}
    assert f"{alone.n:,} independent rows" in str(plan)
    assert "a design effect of 1.3 (clusters of 7 rows, ICC 0.05)" in str(plan)
    same = question(*values, **asked, design_effect=1.3)
    assert (same.n, same.assumed["design_effect"]) == (plan.n, 1.3)
    assert "with a design effect of 1.3 they are worth" in str(same)
    if alone.positives is not None:
        assert plan.positives + plan.negatives == plan.n
        assert plan.positives / plan.n == pytest.approx(alone.positives / alone.n, abs=1 / alone.n)
    targets = ("half_width", "power")
    back = question(
        *values, **{k: v for k, v in asked.items() if k not in targets}, **design, n=plan.n
    )
    assert back.n == plan.n
    assert (back.power, back.half_width) == (alone.power, alone.half_width)


@pytest.mark.slow
def test_the_power_of_clustered_rows_is_what_simulation_finds():
    """A test whose error allows for clusters, on clusters of 10 rows that share an effect."""
    size, icc, p, null = 10, 0.2, 0.8, 0.7
    plan = proportion(p, reference=null, icc=icc, cluster_size=size)
    clusters = round(plan.n / size)
    rng = np.random.default_rng(16)
    a, b = (v * (1 / icc - 1) for v in (p, 1 - p))
    hits = rng.binomial(size, rng.beta(a, b, (4000, clusters)))
    means = hits.mean(1) / size
    error = math.sqrt(null * (1 - null) * plan.assumed["design_effect"] / (clusters * size))
    rejects = np.abs(means - null) / error > Z
    assert rejects.mean() == pytest.approx(plan.power, abs=0.05)


# -- what is told ----------------------------------------------------------------------------------


def test_a_plan_is_one_sentence_and_plain_data():
    plan = mcnemar(0.1, 0.05, n=1200)
    assert str(plan) == (
        "1,200 rows give a power of 0.9951 to distinguish two classifiers, of which only one is "
        "right on 10 % of the rows and only the other on 5 % (McNemar's test, exact below 20 "
        "discordant rows, two-sided at 0.05)."
    )
    assert str(proportion(1, n=1)).startswith("1 row gives a half width of 0.3967 to the 95 % ")
    assert str(auc(0.8, n=10**8)).startswith(
        "100,000,000 rows (50,000,000 positive, 50,000,000 negative) give a half width of 8.5"
    )
    assert mcnemar(0.2, 0.1, n=np.uint8(200)) == mcnemar(0.2, 0.1, n=200)
    told = str(auc_difference(0.9, 0.88, margin=0.05, correlation=0.5, n=1000, prevalence=0.2))
    assert told.startswith("1,000 rows (200 positive, 800 negative) give a power of 0.")
    assert (
        "to show that an area of 0.88 is less than 0.05 below one of 0.9 on the same rows" in told
    )
    pilot = Pilot(np.float32(1e-4), 2e-4, 5e-5, np.int64(100), 200)
    for plan in (
        auc_difference(0.9, np.float32(0.8), correlation=np.float32(0.5), n=np.int32(500)),
        mcnemar(np.float32(0.2), 0.1, alpha=np.float32(0.05), n=np.uint8(200)),
        proportion(0.9, half_width=0.1),
        proportion(0.9, reference=0.5, of="negatives", prevalence=0.2, assurance=0.9),
        auc(0.9, n=100),
        auc(0.9, reference=0.8, variance="obuchowski"),
        auc_difference(0.9, 0.8, score_correlation=(0.5, 0.4)),
        auc_difference(0.9, 0.8, pilot=pilot),
        mcnemar(0.2, 0.1, test="mid-p"),
        kappa(0.5, 0.3, 0.2, half_width=0.1, design_effect=np.float32(2)),
        kappa(0.9, 0.3, reference=0.8),
    ):
        plain = json.loads(json.dumps(plan.to_dict()))
        assert plain["sentence"] == str(plan)
        assert str(plan).endswith((").", "0.9.", " independent rows.", " less than 0.8."))
        assert (plain["n"], plain["positives"]) == (plan.n, plan.positives)
        assert plain["source"] == SOURCES[plan.source]
        assert (plan.power is None) != (plan.half_width is None)
        with pytest.raises(dataclasses.FrozenInstanceError):
            plan.n = 3


def test_what_is_public():
    assert tm.plan.auc is auc
    assert sorted(tm.plan.__all__) == tm.plan.__all__
    assert isinstance(tm.plan.mcnemar(0.2, 0.1), tm.plan.Plan)


BAD = [
    (lambda: proportion(1.2, half_width=0.1), "expected is 1.2; give a number from 0 to 1"),
    (lambda: proportion("0.9", n=10), "expected is '0.9'; give a number"),
    (lambda: proportion(True, n=10), "expected is True; give a number"),
    (lambda: proportion(math.nan, n=10), "expected is nan; give a number from 0 to 1"),
    (lambda: proportion(0.9), "give half_width=..., reference=... or n=..."),
    (lambda: proportion(0.9, n=10, half_width=0.1), "n and half_width are both given; leave out"),
    (lambda: proportion(0.9, half_width=0.5), "half_width is 0.5; give a number between 0 and 0.5"),
    (lambda: proportion(0.9, half_width="a"), "half_width is 'a'; give a number"),
    (lambda: proportion(0.9, n=0), "n is 0; give a whole number, from 1 to 1"),
    (lambda: proportion(0.9, n=10.0), "n is 10.0; give a whole number, from 1 to 1"),
    (lambda: proportion(0.9, n=True), "n is True; give a whole number, from 1 to 1"),
    (lambda: proportion(0.9, n=10**10), "n is 10000000000; give a whole number, from 1 to 1,000,000,000"),
    (lambda: auc(0.9, n=10, variance=["binormal"]), "variance is ['binormal']; did you mean 'binormal'?"),
    (lambda: proportion(0.9, n=10, level=1.0), "level is 1.0; give a number between 0 and 1"),
    (lambda: proportion(0.9, n=10, power=0.8), "power is for a test; give the reference to test"),
    (lambda: proportion(0.9, n=10, alpha=0.1), "alpha is for a test; give the reference to test"),
    (lambda: proportion(0.9, reference=0.8, half_width=0.1), "half_width is for an interval and ref"),
    (lambda: proportion(0.9, reference=0.8, level=0.9), "level is for an interval and reference for"),
    (lambda: proportion(0.9, reference=0.9), "expected and reference are both 0.9; no number of"),
    (lambda: proportion(0.9, reference=1), "reference is 1; give a number between 0 and 1"),
    (lambda: proportion(0.9, reference=0.8, n=5, power=0.8), "n and power are both given; leave"),
    (lambda: proportion(0.9, reference=0.8, power=1.0), "power is 1.0; give a number between 0 and 1"),
    (lambda: proportion(0.9, reference=0.8, power=0.04), "power is 0.04; it must be above alpha, "),
    (lambda: proportion(0.9, reference=0.8, power=0.05), "power is 0.05; it must be above alpha, "),
    (lambda: proportion(0.9, reference=0.8, alpha=0.0), "alpha is 0.0; give a number between 0 and 1"),
    (lambda: proportion(0.9, reference=0.8, alternative="greater"), "alternative is 'greater'; "),
    (lambda: proportion(0.9, reference=0.8999), "a power of 0.8 needs more rows than the limit "),
    (lambda: proportion(0.5, half_width=1e-6), "a half width of 1e-06 needs more rows than the "),
    (lambda: proportion(0.9, n=10, prevalence=0.1), "prevalence applies where rows of one class "),
    (lambda: proportion(0.9, n=10, assurance=0.9), "assurance applies where rows of one class "),
    (lambda: proportion(0.9, n=10, of="positive", prevalence=0.1), "of is 'positive'; did you mean"),
    (lambda: proportion(0.9, n=10, of="positives"), "of='positives' needs the prevalence, the sh"),
    (lambda: proportion(0.9, n=9, of="positives", prevalence=0.1), "n is 9, which at a prevalence of 0.1 "),
    (lambda: proportion(0.9, n=9, of="positives", prevalence=0), "prevalence is 0; give a number between 0 and 1"),
    (lambda: proportion(0.9, n=9, of="positives", prevalence=0.5, assurance=1), "assurance is 1; give"),
    (lambda: auc(1.0, half_width=0.1), "expected is 1.0; give a number between 0 and 1"),
    (lambda: auc(0.9), "give half_width=..., reference=... or n=..."),
    (lambda: auc(0.9, reference=0.9), "expected and reference are both 0.9; no number of rows"),
    (lambda: auc(0.9, n=10, variance="delong"), "variance is 'delong'; there are 'binormal'"),
    (lambda: auc(0.9, n=10, prevalence=1.0), "prevalence is 1.0; give a number between 0 and 1"),
    (lambda: auc(0.9, n=10, prevalence=0.01), "n is 10, which at a prevalence of 0.01 holds no positives"),
    (lambda: auc(0.9, n=1), "n is 1, which at a prevalence of 0.5 holds no negatives; take more rows"),
    (lambda: auc(0.9, reference=0.90001), "a power of 0.8 needs more rows than the limit of 1,0"),
    (lambda: auc(0.9, reference=0.8, alternative="less"), "alternative is 'less'; there are 'two-"),
    (lambda: auc_difference(0.8, 0.9), "nothing is given about the models' correlation; give "),
    (lambda: auc_difference(0.8, 0.9, correlation=0.5, score_correlation=0.5), "correlation and sc"),
    (lambda: auc_difference(0.8, 0.8, correlation=0.5), "first and second are both 0.8; no number "),
    (lambda: auc_difference(0.8, 0.7, correlation=0.5, margin=0.1), "an area of 0.7 is not less th"),
    (lambda: auc_difference(0.8, 0.7, correlation=0.5, margin=-0.1), "margin is -0.1; give a number between"),
    (lambda: auc_difference(0.8, 0.7, correlation=1.5), "correlation is 1.5; give a number from -1 to 1"),
    (lambda: auc_difference(0.8, 0.7, correlation=(0.1, 0.2)), "correlation is (0.1, 0.2); give a "),
    (lambda: auc_difference(0.8, 0.7, score_correlation=(0.1, 2)), "score_correlation is (0.1, 2); give a number from -1"),
    (lambda: auc_difference(0.8, 0.7, score_correlation=(0.1,)), "score_correlation is (0.1,); give"),
    (lambda: auc_difference(0.8, 0.7, score_correlation=0.5, variance="binormal"), "score_correlati"),
    (lambda: auc_difference(0.8, 0.7, correlation=0.5, variance="wald"), "variance is 'wald'; there"),
    (lambda: auc_difference(0.8, 0.8, margin=0.1, correlation=1), "the difference of areas does not"),
    (lambda: auc_difference(0.8, 0.7, pilot=(1, 1, 0, 5, 5)), "pilot is (1, 1, 0, 5, 5); give tallymark.plan.Pilot("),
    (lambda: auc_difference(0.8, 0.7, pilot=Pilot(1e-3, 1e-3, 0, 5, 5), prevalence=0.5), "the pilot"),
    (lambda: auc_difference(0.8, 0.7, correlation=0, n=10, power=0.5), "n and power are both given"),
    (lambda: auc_difference(0.8, 0.7, correlation=0, prevalence=2), "prevalence is 2; give a number between"),
    (lambda: Pilot(0.0, 1e-3, 0, 5, 5), "the pilot's first variance is 0.0; give a finite number above 0"),
    (lambda: Pilot(1e-3, math.inf, 0, 5, 5), "the pilot's second variance is inf; give a finite number above"),
    (lambda: Pilot(1e-3, 1e-3, 2e-3, 5, 5), "the pilot's covariance is 0.002, which variances of 0"),
    (lambda: Pilot(1e-3, 1e-3, math.nan, 5, 5), "the pilot's covariance is nan; give a finite number"),
    (lambda: Pilot(1e-3, 1e-3, 1e-3, 5, 5), "the pilot's difference of areas does not vary: its tw"),
    (lambda: Pilot(1e-3, 1e-3, 0, 0, 5), "the pilot's positives is 0; give a whole number, from 1 to 1"),
    (lambda: mcnemar(0.6, 0.5), "only_first and only_second add up to 1.1, which is above 1"),
    (lambda: mcnemar(0.1, 0.1), "only_first and only_second are both 0.1; no number of rows distinguishes"),
    (lambda: mcnemar(-0.1, 0.1), "only_first is -0.1; give a number from 0 to 1"),
    (lambda: mcnemar(0.1, 0.2, test="midp"), "test is 'midp'; did you mean 'mid-p'?"),
    (lambda: mcnemar(0.1, 0.2, n=5_000_000), "n is 5,000,000, more rows than this test can sum"),
    (lambda: mcnemar(0.1, 0.1001, test="mid-p"), "a power of 0.8 needs more rows than the limit of"),
    (lambda: mcnemar(2e-6, 0), "a power of 0.8 needs more rows than the limit of 1,000,000"),
    (lambda: mcnemar(0.1, 0.100001, test="asymptotic"), "a power of 0.8 needs more rows than the li"),
    (lambda: mcnemar(0.1, 0.2, alternative="both"), "alternative is 'both'; there are 'two-sided'"),
    (lambda: mcnemar(0.1, 0.2, n=2.5), "n is 2.5; give a whole number, from 1 to 1"),
    (lambda: mcnemar(0.1, 0.2, alpha=1), "alpha is 1; give a number between 0 and 1"),
    (lambda: kappa(1.0, 0.3, half_width=0.1), "expected is 1.0; give a number between -1 and 1"),
    (lambda: kappa(0.7, 0.3), "give half_width=..., reference=... or n=..."),
    (lambda: kappa(0.7, 0.0, n=10), "first is 0.0; give a number between 0 and 1"),
    (lambda: kappa(0.7, 0.3, 1.1, n=10), "second is 1.1; give a number between 0 and 1"),
    (lambda: kappa(0.7, 0.3, half_width=1), "half_width is 1; give a number between 0 and 1"),
    (lambda: kappa(0.7, 0.3, reference=0.7), "expected and reference are both 0.7; no number of rows"),
    (lambda: kappa(0.9, 0.3, 0.5, n=10), "expected is 0.9, but two raters who call 30 % and 50 % of the rows positive have a kappa from -0.6 to 0.6"),
    (lambda: kappa(0.5, 0.3, 0.5, reference=-0.7), "reference is -0.7, but two raters who call 30 %"),
    (lambda: mcnemar(0.1, 0.2, icc=0.1), "icc=... needs cluster_size=...; give both, or design_effect=..."),
    (lambda: auc(0.8, n=50, cluster_size=5), "cluster_size=... needs icc=...; give both, or design_effect=..."),
    (lambda: mcnemar(0.1, 0.2, icc=0.1, design_effect=2), "design_effect=... and icc=... are both given; leave one"),
    (lambda: mcnemar(0.1, 0.2, cluster_size=3, design_effect=2), "design_effect=... and cluster_size=... are both"),
    (lambda: mcnemar(0.1, 0.2, icc=-0.5, cluster_size=3), "icc is -0.5, which with clusters of 3 rows is a design effect of 0; it must be from 0.01"),
    (lambda: mcnemar(0.1, 0.2, icc=1.2, cluster_size=3), "icc is 1.2; give a number from -1 to 1"),
    (lambda: mcnemar(0.1, 0.2, icc=0.2, cluster_size=0.5), "cluster_size is 0.5; give a number from 1 to 1,000,000"),
    (lambda: mcnemar(0.1, 0.2, design_effect=0), "design_effect is 0; give a number from 0.01 to 10,000"),
    (lambda: mcnemar(0.1, 0.2, n=2, design_effect=3), "n is 2, which at a design effect of 3 is worth less than one"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "told"), BAD, ids=[told for _, told in BAD])
def test_bad_questions_are_one_sentence(ask, told):
    with pytest.raises(tm.InputError) as refused:
        ask()
    assert str(refused.value).startswith(told)
    assert "\n" not in str(refused.value)
