"""Hanley and McNeil's tests of areas: their printed table, simulated areas, and what has none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import kendalltau

import tallymark as tm
from tallymark.errors import InputError
from tallymark.infer.areas import area_correlation, hanley_mcneil, score_correlation
from tallymark.infer.methods import hanley_mcneil_error
from tallymark.tally.joint import Joint, Side

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
    errors = hanley_mcneil_error(0.9, 50, 60), hanley_mcneil_error(0.8, 30, 90)
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
        (((0.9, 3, 5), (0.9, 3, 5), 1.0), "the areas rise and fall as one"),
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


def test_it_is_told_beside_delongs_and_near_it():
    y, s = scored()
    ev = tm.evaluate(y, y_score=s)
    (pair,) = ev.compare(permutations=0).pairs
    (test,) = [t for t in pair.tests if t.name.startswith("Hanley-McNeil")]
    d = pair.differences["roc_auc"]
    assert test.statistic == pytest.approx(d.value / d.error, rel=0.1)
    assert pair.verdict.p_value == d.p_value
    correlation = np.mean([np.corrcoef(s["a"][y == c], s["b"][y == c])[0, 1] for c in (0, 1)])
    assert score_correlation(ev.counted.joint, "a", "b") == pytest.approx(correlation)


def test_ratings_have_kendalls_correlation():
    y, s = scored()
    ratings = {m: np.clip(np.round(v), 0, 5) for m, v in s.items()}
    ev = tm.evaluate(y, y_score=ratings)
    tau = np.mean([kendalltau(*(r[y == c] for r in ratings.values())).statistic for c in (0, 1)])
    assert score_correlation(ev.counted.joint, "a", "b", ratings=True) == pytest.approx(tau)
    (pair,) = ev.compare(permutations=0).pairs
    (test,) = [t for t in pair.tests if "Hanley" in t.name]
    n = [float((y == c).sum()) for c in (1, 0)]
    areas = [ev.model(m)["roc_auc"].value for m in (pair.first, pair.second)]
    assert test == hanley_mcneil((areas[0], *n), (areas[1], *n), tau)


def test_only_two_classes_of_single_rows_have_it():
    y, s = scored()
    for options in ({"sample_weight": np.ones(300) * 2}, {"clusters": np.arange(300)}):
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
    joint = Joint((0, 1), own.astype(np.int8), (Side("a", None, (a * scale,)),
                                                Side("b", None, (b,))), 1)  # fmt: skip
    found = score_correlation(joint, "a", "b")
    there = [rows for rows in (own, ~own) if rows.sum() > 1]
    wanted = sum(np.corrcoef(a[r], b[r])[0, 1] for r in there) / 2 if len(there) > 1 else math.nan
    assert found == pytest.approx(wanted, abs=1e-12 if scale > 1e-300 else 0.01, nan_ok=True)


def test_a_column_that_says_the_same_of_a_class_has_no_correlation():
    own = np.arange(40) % 2
    a, b = np.where(own, 0.1, np.arange(40.0)), np.arange(40.0) ** 2
    sides = (Side("a", None, (a,)), Side("b", None, (b,)))
    for code in (0, 1):
        joint = Joint((0, 1), (own == code).astype(np.int8), sides, 1)
        assert math.isnan(score_correlation(joint, "a", "b"))
        assert math.isnan(score_correlation(joint, "b", "a"))
