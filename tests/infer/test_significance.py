"""Tests of several classifiers on the same rows, held to worked examples and to enumeration."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, chi2, f, kendalltau

import tallymark as tm
from judged import counted_of
from tallymark.errors import InputError
from tallymark.infer import power
from tallymark.infer.significance import (
    area_correlation,
    bowker,
    cochran_q,
    grouped_terms,
    hanley_mcneil,
    mcnemar,
    permutation,
    quadratic_test,
    rating_correlation,
    score_correlations,
    sign_permutations,
    stuart_maxwell,
    two_proportions,
)
from tallymark.tally.joint import ModelColumn, PairedPredictions


def slow_mid_p(b: int, c: int) -> float:
    """Add up the chances of what is less likely, and half of what is as likely, on both sides."""
    n = b + c
    chance = [math.comb(n, k) / 2**n for k in range(n + 1)]
    least = min(b, c)
    one_side = sum(chance[:least]) + chance[least] / 2
    return min(1.0, 2 * one_side)


@given(b=st.integers(0, 40), c=st.integers(0, 40))
def test_mid_p_is_the_sum_over_all_splits(b, c):
    assert mcnemar(b, c).p_value == pytest.approx(slow_mid_p(b, c), rel=1e-9)


def test_mcnemar_of_a_textbook_table():
    # Fagerland, Lydersen and Laake (2013), table 1: airway hyper-responsiveness, 1 and 7.
    assert mcnemar(1, 7, "chi-square").p_value == pytest.approx(0.034, abs=5e-4)
    assert mcnemar(1, 7, "corrected").p_value == pytest.approx(0.077, abs=5e-4)
    assert mcnemar(1, 7, "exact").p_value == pytest.approx(0.070, abs=5e-4)
    assert mcnemar(1, 7, "mid-p").p_value == pytest.approx(0.039, abs=5e-4)


@pytest.mark.parametrize("method", ["exact", "mid-p"])
def test_models_right_on_the_same_rows_give_no_evidence(method):
    assert mcnemar(0, 0, method).p_value == 1


@pytest.mark.parametrize("method", ["chi-square", "corrected"])
def test_a_statistic_of_no_rows_has_a_reason(method):
    found = mcnemar(0, 0, method)
    assert math.isnan(found.p_value)
    assert found.reason == "the models are right on the same rows"
    assert str(found) == f"McNemar, {method}: no result, the models are right on the same rows"
    assert found.to_dict()["p_value"] is None


@pytest.mark.parametrize("b", [-1, 2.5, math.nan])
def test_mcnemar_refuses_what_is_no_count(b):
    with pytest.raises(InputError, match="b is .*; give the number of rows, a whole number"):
        mcnemar(b, 3)


def test_mcnemar_refuses_an_unknown_method():
    with pytest.raises(InputError, match="say 'exact', 'mid-p', 'chi-square' or 'corrected'"):
        mcnemar(1, 2, "wald")


def test_two_classes_make_bowker_and_stuart_maxwell_mcnemars():
    table = np.array([[30.0, 11.0], [4.0, 55.0]])
    expected = mcnemar(11, 4, "chi-square")
    for test in (bowker(table), stuart_maxwell(table)):
        assert test.statistic == pytest.approx(expected.statistic)
        assert test.p_value == pytest.approx(expected.p_value)
        assert test.degrees == 1


def test_stuart_maxwell_leaves_out_classes_that_nobody_exchanges():
    table = np.array([[30.0, 11.0, 0.0], [4.0, 55.0, 0.0], [0.0, 0.0, 20.0]])
    assert stuart_maxwell(table).degrees == 1
    assert stuart_maxwell(table).statistic == pytest.approx(49 / 15)


def test_stuart_maxwell_of_two_pairs_exchanged_among_themselves_adds_both_up():
    table = np.zeros((4, 4))
    table[0, 1], table[1, 0], table[2, 3], table[3, 2] = 11, 4, 9, 2
    found = stuart_maxwell(table)
    assert found.degrees == 2
    assert found.statistic == pytest.approx(49 / 15 + 49 / 11)


def test_one_sample_of_vectors_gives_hotellings_t():
    # (n - q) / (q (n - 1)) T² has the F distribution with q and n - q degrees of freedom.
    x = np.random.default_rng(0).normal(0.3, 1, (3, 12))
    s = np.cov(x) / 12
    found = quadratic_test("T²", x.mean(1), s, "", "", [(s, 11)])
    t2 = 12 * x.mean(1) @ np.linalg.inv(np.cov(x)) @ x.mean(1)
    assert (found.degrees, found.denominator_degrees) == (3, pytest.approx(9))
    assert found.statistic == pytest.approx(t2)
    assert found.p_value == pytest.approx(f.sf(9 / (3 * 11) * t2, 3, 9))


def test_so_few_rows_cannot_tell_many_numbers_apart():
    found = quadratic_test("T²", np.ones(3), np.eye(3), "", "", [(np.eye(3), 2)])
    assert math.isnan(found.p_value)
    assert found.reason == ("too few rows to compare 4 models at once; compare fewer of them")


def test_degrees_of_freedom_of_covariances_hang_on_no_axes():
    rng = np.random.default_rng(0)
    parts = [(np.cov(rng.normal(size=(3, 9))), 8.0), (np.cov(rng.normal(size=(3, 30))), 29.0)]
    gaps, turn = rng.normal(size=3), rng.normal(size=(3, 3))

    def judged(turn):
        each = [(turn @ v @ turn.T, n) for v, n in parts]
        return quadratic_test("T²", turn @ gaps, each[0][0] + each[1][0], "", "", each)

    one, turned = judged(np.eye(3)), judged(turn)
    assert turned.statistic == pytest.approx(one.statistic)
    assert turned.denominator_degrees == pytest.approx(one.denominator_degrees)
    assert 8 - 2 < one.denominator_degrees < 37 - 2


def test_degrees_of_freedom_of_one_number_are_welchs():
    (a, m), (b, n) = (2.0, 8.0), (1.0, 29.0)
    parts = [(np.array([[v]]), f) for v, f in ((a, m), (b, n))]
    found = quadratic_test("t²", np.array([4.0]), np.array([[3.0]]), "", "", parts)
    assert found.denominator_degrees == pytest.approx((a + b) ** 2 / (a * a / m + b * b / n))
    assert found.statistic == pytest.approx(16 / 3)


@pytest.mark.parametrize("test", [bowker, stuart_maxwell])
def test_models_that_decide_alike_have_no_statistic(test):
    found = test(np.diag([3.0, 4.0, 5.0]))
    assert found.reason == "the models agree on every row"


@pytest.mark.parametrize("table", [[[1, 2]], [[1, -1], [0, 2]], [[1, math.nan], [0, 2]]])
def test_a_table_that_is_none_is_refused(table):
    with pytest.raises(InputError, match="table must be square, with counts from 0 up"):
        bowker(np.array(table, dtype=float))


def test_cochrans_q_of_two_models_is_mcnemars_chi_square():
    right = np.array([[1] * 11 + [0] * 4 + [1] * 9, [0] * 11 + [1] * 4 + [1] * 9], dtype=bool)
    assert cochran_q(right).statistic == pytest.approx(49 / 15)


def test_cochrans_q_of_models_right_on_the_same_rows_has_a_reason():
    assert cochran_q(np.ones((3, 5), dtype=bool)).reason == "the models are right on the same rows"


@pytest.mark.parametrize("right", [np.ones((1, 4), bool), np.ones(4, bool)])
def test_cochrans_q_needs_two_models(right):
    with pytest.raises(InputError, match="models and rows, and at least two models"):
        cochran_q(right)


def accuracy_gap(a, b):
    return (np.einsum("dtt->d", a) - np.einsum("dtt->d", b)) / a.sum((1, 2))


def test_the_permutation_test_comes_near_the_share_of_all_exchanges():
    cells = np.array([[[3.0, 4.0], [1.0, 2.0]], [[2.0, 0.0], [3.0, 5.0]]])
    swaps = [(t, cells[t, 0, 1], cells[t, 1, 0]) for t in (0, 1)]
    observed = accuracy_gap(cells.sum(2)[None], cells.sum(1)[None])[0]
    total, far = 0, 0
    # Every row of the four discordant cells is exchanged or not: all 2^8 ways.
    sizes = [int(v) for _, x, y in swaps for v in (x, y)]
    for ways in product(*[range(s + 1) for s in sizes]):
        weight = math.prod(math.comb(s, w) for s, w in zip(sizes, ways, strict=True))
        made = cells.copy()
        for t in (0, 1):
            stay, come = ways[2 * t], sizes[2 * t + 1] - ways[2 * t + 1]
            made[t, 0, 1] = stay + come
            made[t, 1, 0] = sum(sizes[2 * t : 2 * t + 2]) - stay - come
        gap = accuracy_gap(made.sum(2)[None], made.sum(1)[None])[0]
        total += weight
        far += weight * (abs(gap) >= abs(observed) - 1e-12)
    found = permutation(cells, accuracy_gap, draws=40_000, seed=3)
    assert found.p_value == pytest.approx(far / total, abs=0.01)


def test_models_that_say_the_same_are_not_told_apart_by_exchanges():
    cells = np.zeros((2, 2, 2))
    cells[0, 0, 0], cells[1, 1, 1] = 5, 6
    assert permutation(cells, accuracy_gap).p_value == 1


def exchanged(terms, **options):
    return sign_permutations([grouped_terms(terms)], **options)[0]


def test_reversed_terms_come_near_the_share_of_all_signs():
    terms = np.array([0.3, -0.1, 0.25, 0.2, -0.05, 0.4, 0.15, 0.1, -0.3, 0.35, 0.1, 0.0])
    sums = np.array(list(product((-1, 1), repeat=12))) @ terms
    wanted = np.mean(np.abs(sums) >= terms.sum() - 1e-12)
    found = exchanged(terms, draws=20_000)
    assert found.p_value == pytest.approx(wanted, abs=4 * math.sqrt(wanted / 20_000))
    assert exchanged(-terms[::-1], draws=999) == exchanged(terms, draws=999)
    assert exchanged(np.zeros(3)).p_value == 1.0


def test_many_reversed_terms_are_near_the_normal_distribution():
    rng = np.random.default_rng(1)
    terms = rng.gamma(0.3, size=9000) * rng.choice([-1, 1], 9000)
    terms += 0.02 * np.abs(terms)
    z = terms.sum() / math.sqrt((terms**2).sum())
    wanted = math.erfc(abs(z) / math.sqrt(2))
    assert 0.02 < wanted < 0.8
    assert exchanged(terms, draws=3000).p_value == pytest.approx(wanted, abs=0.035)


def test_weighted_rows_are_not_exchanged():
    found = permutation(np.full((2, 2, 2), 0.5), accuracy_gap)
    assert found.reason == "rows have weights and cannot be exchanged"


def test_an_undefined_difference_is_not_tested():
    found = permutation(np.zeros((2, 2, 2)), lambda a, b: np.full(len(a), math.nan))
    assert found.reason == "the difference is undefined"


@pytest.mark.parametrize(
    ("b", "c"), [(0, 1), (0, 9), (5, 5), (3, 11), (480, 560), (49_000, 50_200)]
)
def test_mcnemar_is_the_binomial_test_of_scipy(b, c):
    fair = binom(b + c, 0.5)
    exact = min(1.0, 2 * fair.cdf(min(b, c)))
    mid = 1.0 if b == c else exact - fair.pmf(b)
    assert mcnemar(b, c, "exact").p_value == pytest.approx(exact, rel=1e-11)
    assert mcnemar(b, c, "mid-p").p_value == pytest.approx(mid, rel=1e-11)


# -- two proportions of different rows ---------------------------------------------------------


def slow_fisher(a: int, n: int, b: int, m: int) -> float:
    """Add up the chances of all splits of the hits that are no likelier than the one found."""
    hits = a + b

    def ways(k: int) -> int:
        return math.comb(n, k) * math.comb(m, hits - k)

    splits = range(max(0, hits - m), min(n, hits) + 1)
    return sum(ways(k) for k in splits if ways(k) <= ways(a)) / math.comb(n + m, hits)


@given(st.data())
def test_fishers_test_is_the_sum_over_all_splits(data):
    n, m = (data.draw(st.integers(1, 25)) for _ in range(2))
    a, b = (data.draw(st.integers(0, k)) for k in (n, m))
    found = two_proportions(a, n, b, m, "fisher")
    assert found.p_value == pytest.approx(slow_fisher(a, n, b, m), rel=1e-9)


@given(st.data())
def test_the_score_test_is_pearsons_chi_square_corrected_for_skewness(data):
    n, m = (data.draw(st.integers(1, 60)) for _ in range(2))
    a, b = (data.draw(st.integers(0, k)) for k in (n, m))
    found = two_proportions(a, n, b, m)
    if a + b in (0, n + m):
        assert found.reason == "both sides hit all rows, or none"
        return
    table = np.array([[a, n - a], [b, m - b]], float)
    expected = table.sum(1)[:, None] * table.sum(0) / table.sum()
    chi_square = ((table - expected) ** 2 / expected).sum() * (n + m - 1) / (n + m)
    p = (a + b) / (n + m)
    variance = p * (1 - p) * (1 / n + 1 / m) * (n + m) / (n + m - 1)
    g = p * (1 - p) * (1 - 2 * p) * (1 / n**2 - 1 / m**2) / (6 * variance**1.5)
    s, z = math.copysign(math.sqrt(chi_square), a / n - b / m), found.statistic
    if 1 + 4 * g * (g + s) >= 0:  # else there is no corrected score
        assert z + g * (z * z - 1) == pytest.approx(s, abs=1e-9)
    else:
        assert z == pytest.approx(s)


@pytest.mark.parametrize(
    ("four", "method", "words"),
    [
        ((3, 2, 1, 2), "score", "3 of 2 and 1 of 2 are not counts of hits"),
        ((-1, 2, 1, 2), "score", "-1 of 2 and 1 of 2 are not counts of hits"),
        ((math.nan, 2, 1, 2), "score", "are not counts of hits"),
        ((1, 2, 1, 2), "z", "method is 'z'; say 'score', 'fisher' or 'boschloo'"),
    ],
)
def test_what_are_no_proportions_is_refused(four, method, words):
    with pytest.raises(InputError, match=words):
        two_proportions(*four, method)


def test_boschloos_test_is_the_stronger_one_of_a_known_table():
    # 7 of 15 against 12 of 15: one-sided 0.0341, Fisher's 0.0641, as SciPy has them from R.
    fisher, boschloo = (two_proportions(7, 15, 12, 15, m) for m in ("fisher", "boschloo"))
    assert boschloo.p_value == pytest.approx(2 * 0.0341, abs=1e-4)
    assert fisher.p_value == pytest.approx(0.1281, abs=1e-4)


def test_a_test_of_proportions_that_says_nothing_has_a_reason():
    assert two_proportions(0, 0, 1, 2).reason == "one side has no such rows"
    assert two_proportions(1.5, 2, 1, 2, "fisher").reason == "rows have weights"
    for hit, other_hit in ((300, 1), (1, 300), (1, 1)):
        found = two_proportions(hit, 400, other_hit, 400, "boschloo")
        assert found.reason == "it takes too long for so many rows"
    assert two_proportions(4, 4, 5, 5, "boschloo").p_value == 1


# Hanley and McNeil (1983), table I: r by the mean correlation, for mean areas 0.700, 0.725, ... 0.975.
PRINTED = {
    0.02: [0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.01, 0.01, 0.01, 0.01, 0.01],
    0.10: [0.09, 0.09, 0.09, 0.09, 0.08, 0.08, 0.08, 0.07, 0.07, 0.06, 0.06, 0.04],
    0.20: [0.18, 0.18, 0.18, 0.17, 0.17, 0.17, 0.16, 0.15, 0.15, 0.14, 0.12, 0.10],
    0.30: [0.27, 0.27, 0.27, 0.26, 0.26, 0.25, 0.25, 0.24, 0.23, 0.21, 0.19, 0.16],
    0.40: [0.37, 0.37, 0.36, 0.36, 0.35, 0.35, 0.34, 0.33, 0.32, 0.30, 0.28, 0.24],
    0.50: [0.47, 0.46, 0.46, 0.45, 0.45, 0.44, 0.43, 0.42, 0.41, 0.39, 0.37, 0.32],
    0.60: [0.57, 0.56, 0.56, 0.55, 0.55, 0.54, 0.53, 0.52, 0.51, 0.49, 0.47, 0.42],
    0.70: [0.67, 0.66, 0.66, 0.66, 0.65, 0.65, 0.64, 0.63, 0.62, 0.60, 0.58, 0.54],
    0.80: [0.77, 0.77, 0.77, 0.76, 0.76, 0.76, 0.75, 0.74, 0.73, 0.72, 0.70, 0.67],
    0.90: [0.88, 0.88, 0.88, 0.88, 0.87, 0.87, 0.87, 0.86, 0.86, 0.85, 0.84, 0.82],
}


@pytest.mark.parametrize("correlation", PRINTED)
def test_the_printed_table(correlation):
    areas = 0.7 + 0.025 * np.arange(12)
    found = [area_correlation(correlation, a) for a in areas]
    # Two digits are printed, some of them rounded the other way.
    assert np.abs(np.array(found) - PRINTED[correlation]).max() < 0.0053


@pytest.mark.slow
def test_the_correlation_is_that_of_simulated_areas():
    rng = np.random.default_rng(0)
    m, n, rho, shift = 12, 30, 0.6, 1.2
    areas = []
    for _ in range(4000):
        shape = np.array([[1, rho], [rho, 1]])
        pos = rng.multivariate_normal([shift, shift], shape, m)
        neg = rng.multivariate_normal([0, 0], shape, n)
        areas.append([(pos[:, i][:, None] > neg[:, i]).mean() for i in (0, 1)])
    truth = 0.5 * (1 + math.erf(shift / 2))
    found = area_correlation(rho, truth, m, n)
    assert found == pytest.approx(np.corrcoef(np.transpose(areas))[0, 1], abs=0.03)


@pytest.mark.parametrize("area", [0.05, 0.5, 0.8, 0.999])
def test_limits_of_the_correlation(area):
    assert area_correlation(1, area) == pytest.approx(1)
    assert area_correlation(0, area) == pytest.approx(0, abs=1e-12)
    assert -1 <= area_correlation(-1, area) < 0
    assert area_correlation(0.4, area) == pytest.approx(area_correlation(0.4, 1 - area))
    assert math.isnan(area_correlation(0.4, 1.0))


def test_numbers_out_of_range_are_refused():
    with pytest.raises(InputError, match="correlation is 1.5; give a number from -1 to 1"):
        area_correlation(1.5, 0.8)
    with pytest.raises(InputError, match="area is 1.2; give a number from 0 to 1"):
        area_correlation(0.5, 1.2)


def test_the_test_of_different_rows_adds_the_squares_up():
    found = hanley_mcneil((0.9, 50, 60), (0.8, 30, 90))
    errors = (
        math.sqrt(power.hanley_mcneil(0.9, 50, 60)),
        math.sqrt(power.hanley_mcneil(0.8, 30, 90)),
    )
    assert found.statistic == pytest.approx(0.1 / math.hypot(*errors))
    assert found.p_value == pytest.approx(math.erfc(found.statistic / math.sqrt(2)))
    assert found.source == "hanley1982"


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (((0.9, 0, 5), (0.8, 2, 5)), "a class has no rows"),
        (((math.nan, 3, 5), (0.8, 2, 5)), "a class has no rows"),
        (((1.0, 3, 5), (0.0, 2, 5)), "both areas are 0 or 1"),
        (((0.9, 3, 5), (0.8, 3, 5), math.nan), "a model's scores are all the same within a class"),
        (((0.9, 3, 5), (0.9, 3, 5), 1.0), "the areas are perfectly correlated"),
    ],
)
def test_what_has_no_error_has_a_reason(args, reason):
    found = hanley_mcneil(*args)
    assert found.reason == reason
    assert math.isnan(found.p_value)


def scored(n=300, digits=6):
    rng = np.random.default_rng(2)
    y = (rng.random(n) < 0.4).astype(int)
    shared = rng.normal(size=n)
    return y, {m: np.round(shared + rng.normal(size=n) + 1.3 * y, digits) for m in "ab"}


@pytest.mark.slow
def test_it_is_told_beside_delongs_and_near_it():
    y, s = scored()
    ev = tm.evaluate(y, y_score=s)
    (pair,) = ev.compare(permutations=0).pairs
    (test,) = [t for t in pair.tests if t.name.startswith("Hanley-McNeil")]
    d = pair.differences["roc_auc"]
    assert test.statistic == pytest.approx(d.value / d.error, rel=0.1)
    assert pair.verdict.p_value == d.p_value
    correlation = np.mean([np.corrcoef(s["a"][y == c], s["b"][y == c])[0, 1] for c in (0, 1)])
    assert score_correlations(counted_of(ev).joint, "ab")[0, 1] == pytest.approx(correlation)


def test_ratings_have_kendalls_correlation():
    y, s = scored()
    ratings = {m: np.clip(np.round(v), 0, 5) for m, v in s.items()}
    ev = tm.evaluate(y, y_score=ratings)
    tau = np.mean([kendalltau(*(r[y == c] for r in ratings.values())).statistic for c in (0, 1)])
    assert rating_correlation(counted_of(ev).joint, "a", "b") == pytest.approx(tau)
    (pair,) = ev.compare(permutations=0).pairs
    (test,) = [t for t in pair.tests if "Hanley" in t.name]
    n = [float((y == c).sum()) for c in (1, 0)]
    areas = [ev.model(m)["roc_auc"].value for m in (pair.first, pair.second)]
    wanted = hanley_mcneil((areas[0], *n), (areas[1], *n), tau)
    assert (test.name, test.source) == (wanted.name, wanted.source)
    assert test.statistic == pytest.approx(wanted.statistic, rel=1e-12)
    assert test.p_value == pytest.approx(wanted.p_value, rel=1e-12)


@pytest.mark.slow
def test_only_two_classes_of_single_rows_have_it():
    y, s = scored()
    for options in ({"weight": np.ones(300) * 2}, {"cluster": np.arange(300)}):
        (pair,) = tm.evaluate(y, y_score=s, **options).compare(permutations=0).pairs
        assert not any("Hanley" in t.name for t in pair.tests)
    (pair,) = tm.evaluate(y, y_score={"a": s["a"], "b": y * 0.5}).compare(permutations=0).pairs
    (test,) = [t for t in pair.tests if "Hanley" in t.name]
    assert test.reason == "a model's scores are all the same within a class"


@pytest.mark.parametrize("n", [2, 3, 50, 700_000])
@pytest.mark.parametrize("scale", [1.0, 1e-320, 1e300, 1.7e308])
def test_scores_are_correlated_within_each_class_as_numpy_says(n, scale):
    rng = np.random.default_rng(n)
    own = np.arange(n) % 3 == 0
    a = (rng.random(n) * 2 - 1 + own) / 2
    b = (a + rng.random(n)) / 2
    joint = PairedPredictions((0, 1), own.astype(np.int8), (ModelColumn("a", None, (a * scale,)),
                                                ModelColumn("b", None, (b,))), 1)  # fmt: skip
    found = score_correlations(joint, "ab")[0, 1]
    there = [rows for rows in (own, ~own) if rows.sum() > 1]
    wanted = sum(np.corrcoef(a[r], b[r])[0, 1] for r in there) / 2 if len(there) > 1 else math.nan
    assert found == pytest.approx(wanted, abs=1e-12 if scale > 1e-300 else 0.01, nan_ok=True)


def test_a_column_that_says_the_same_of_a_class_has_no_correlation():
    own = np.arange(40) % 2
    a, b = np.where(own, 0.1, np.arange(40.0)), np.arange(40.0) ** 2
    sides = (ModelColumn("a", None, (a,)), ModelColumn("b", None, (b,)))
    for code in (0, 1):
        joint = PairedPredictions((0, 1), (own == code).astype(np.int8), sides, 1)
        assert np.isnan(score_correlations(joint, "ab")[[0, 1], [1, 0]]).all()


def test_every_mcnemar_of_small_counts():
    for b, c in product(range(9), repeat=2):
        n = b + c
        exact = binomtest(b, n).pvalue if n else 1.0
        tie = binom.pmf(b, n, 0.5)
        mid = 1.0 if b == c else 2 * binom.cdf(min(b, c), n, 0.5) - tie
        assert mcnemar(b, c, "exact").p_value == pytest.approx(exact)
        assert mcnemar(b, c, "mid-p").p_value == pytest.approx(mid)
        for method, less in (("chi-square", 0), ("corrected", 1)):
            found = mcnemar(b, c, method)
            if not n:
                assert found.reason == "the models are right on the same rows"
                continue
            statistic = max(abs(b - c) - less, 0) ** 2 / n
            assert found.statistic == pytest.approx(statistic)
            assert found.p_value == pytest.approx(chi2.sf(statistic, 1))
    for counts, told in (
        ((-1, 2), "b is -1; give the number of rows, a whole number from 0 up"),
        ((2, -1), "c is -1; give the number of rows, a whole number from 0 up"),
        ((2, 1.5), "c is 1.5; give the number of rows, a whole number from 0 up"),
        ((math.nan, 1), "b is nan; give the number of rows, a whole number from 0 up"),
    ):
        with pytest.raises(InputError) as refused:
            mcnemar(*counts)
        assert str(refused.value) == told


def test_symmetry_and_margins_of_tables_by_their_sums():
    rng = np.random.default_rng(6)
    for k in (2, 3, 5):
        table = rng.integers(0, 9, (k, k)).astype(float)
        table[0, 1], table[1, 0] = 7, 2
        apart = [
            (table[i, j], table[j, i])
            for i in range(k)
            for j in range(i + 1, k)
            if table[i, j] + table[j, i]
        ]
        statistic = sum((a - b) ** 2 / (a + b) for a, b in apart)
        found = bowker(table)
        assert (found.name, found.degrees) == ("Bowker", len(apart))
        assert found.statistic == pytest.approx(statistic)
        assert found.p_value == pytest.approx(chi2.sf(statistic, len(apart)))
        # Stuart and Maxwell: all margins but one, whose covariance is known.
        d = (table.sum(1) - table.sum(0))[:-1]
        s = -(table + table.T)
        np.fill_diagonal(s, table.sum(0) + table.sum(1) - 2 * np.diag(table))
        statistic = d @ np.linalg.solve(s[:-1, :-1], d)
        found = stuart_maxwell(table)
        assert (found.name, found.degrees) == ("Stuart-Maxwell", k - 1)
        assert found.statistic == pytest.approx(statistic)
        assert found.p_value == pytest.approx(chi2.sf(statistic, k - 1))
        wider = np.zeros((k + 1, k + 1))
        wider[:k, :k] = table
        wider[k, k] = 12  # a class that both always call the same
        for test in (bowker, stuart_maxwell):
            assert test(wider).statistic == pytest.approx(test(table).statistic)
            assert test(wider).degrees == test(table).degrees
    for test in (bowker, stuart_maxwell):
        found = test(np.diag([5.0, 3, 9]))
        assert found.reason == "the models agree on every row"
        assert math.isnan(found.p_value)


def test_cochrans_q_by_its_sums():
    rng = np.random.default_rng(4)
    for k in (2, 3, 6):
        right = rng.random((k, 40)) < np.linspace(0.5, 0.8, k)[:, None]
        each, rows = right.sum(1), right.sum(0)
        statistic = (
            (k - 1) * (k * (each**2).sum() - each.sum() ** 2) / (k * rows.sum() - (rows**2).sum())
        )
        found = cochran_q(right)
        assert (found.name, found.degrees) == ("Cochran's Q", k - 1)
        assert found.statistic == pytest.approx(statistic)
        assert found.p_value == pytest.approx(chi2.sf(statistic, k - 1))
