"""Score intervals of two proportions against published numbers, slow twins and exact coverage."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq, minimize_scalar

from tallymark.infer.two_shares import bounds, p_value, score

GOLDEN = Path(__file__).parents[2] / ".." / "shared" / "golden" / "statistics"


def golden(name):
    file = GOLDEN / f"{name}.json"
    if not file.exists():
        pytest.skip("the golden file is not beside this checkout")
    return json.loads(file.read_text(encoding="utf-8"))["cases"]


def shares_of(case):
    positives, negatives = case["tp"] + case["fn"], case["fp"] + case["tn"]
    rows = positives, negatives
    called, missed = (case["tp"], case["fp"]), (case["fn"], case["tn"])
    return {"LR+": ("ratio", called, rows), "LR-": ("ratio", missed, rows),
            "DOR": ("odds ratio", called, rows)}  # fmt: skip


def second_at(contrast, p1, theta):
    """Return the second proportion that a contrast demands beside the first."""
    if contrast == "difference":
        return p1 - theta
    if contrast == "ratio":
        return p1 / theta
    odds = p1 / (1 - p1) / theta
    return odds / (1 + odds)


def slow_score(contrast, hits, rows, theta):
    """Return the score from a numerical maximum of the likelihood, and moments one by one."""
    (x1, x2), (n1, n2) = hits, rows

    def loss(p1):
        p2 = second_at(contrast, p1, theta)
        each = ((x1, n1, p1), (x2, n2, p2))
        return -sum(x * np.log(p) + (n - x) * np.log(1 - p) for x, n, p in each)

    with np.errstate(invalid="ignore", divide="ignore"):
        grid = np.linspace(1e-9, 1 - 1e-9, 4001)
        near = grid[np.nanargmin(loss(grid))]
    ends = near - 2.5e-4, near + 2.5e-4
    p1 = minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 1e-13}).x
    p2 = second_at(contrast, p1, theta)
    of_first = {"difference": 1, "ratio": 1, "odds ratio": 1 / (n1 * p1 * (1 - p1)) * n1}[contrast]
    of_second = {"difference": 1, "ratio": theta, "odds ratio": 1 / (n2 * p2 * (1 - p2)) * n2}[
        contrast
    ]
    gap = of_first * (x1 / n1 - p1) - of_second * (x2 / n2 - p2)
    second, third = (
        of_first**k * p1 * (1 - p1) * a / n1 ** (k - 1) + s * of_second**k * p2 * (1 - p2) * b
        / n2 ** (k - 1)
        for k, s, a, b in ((2, 1, 1, 1), (3, -1, 1 - 2 * p1, 1 - 2 * p2))
    )  # fmt: skip
    variance = second * (n1 + n2) / (n1 + n2 - 1)
    plain, g = gap / math.sqrt(variance), third / (6 * variance**1.5)
    # Of s = z + g (z² - 1), the root that becomes s as g vanishes.
    return plain, brentq(lambda z: z + g * (z * z - 1) - plain, -1 / (2 * abs(g)), 1 / (2 * abs(g)))


# -- scores ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("contrast", "theta"), [("difference", 0.13), ("difference", -0.2),
    ("ratio", 2.7), ("ratio", 0.6), ("odds ratio", 5.5), ("odds ratio", 0.4)])  # fmt: skip
def test_the_score_is_the_distance_at_the_greatest_likelihood(contrast, theta):
    for hits, rows in (((17, 9), (40, 55)), ((36, 12), (60, 31)), ((8, 20), (25, 90))):
        plain, corrected = slow_score(contrast, hits, rows, theta)
        assert float(score(contrast, hits, rows, theta, skew=False)) == pytest.approx(
            plain, rel=1e-4, abs=1e-5
        )
        assert float(score(contrast, hits, rows, theta)) == pytest.approx(
            corrected, rel=1e-4, abs=1e-5
        )


def test_without_correction_a_difference_of_0_has_the_chi_square_of_n_minus_1():
    z = float(score("difference", (56, 48), (70, 80), 0.0, skew=False))
    chi_square = stats.chi2_contingency([[56, 14], [48, 32]], correction=False).statistic
    assert z**2 == pytest.approx(chi_square * 149 / 150)


@pytest.mark.parametrize("contrast", ["difference", "ratio", "odds ratio"])
def test_exchanging_both_proportions_turns_the_contrast_round(contrast):
    low, high = bounds(contrast, (41, 9), (50, 120), 0.9)
    other = bounds(contrast, (9, 41), (120, 50), 0.9)
    turned = [-v for v in other] if contrast == "difference" else [1 / v for v in other]
    assert (float(high), float(low)) == pytest.approx(tuple(map(float, turned)))


def test_misses_have_the_inverse_odds_ratio_at_the_ends_too():
    for hits, rows in (
        ((41, 9), (50, 120)),
        ((0, 30), (30, 30)),
        ((2, 8), (3, 8)),
        ((5, 0), (7, 9)),
    ):
        low, high = bounds("odds ratio", hits, rows, 0.95)
        misses = tuple(n - x for n, x in zip(rows, hits, strict=True))
        with np.errstate(divide="ignore"):
            other = [1 / v for v in bounds("odds ratio", misses, rows, 0.95)]
        assert (float(high), float(low)) == pytest.approx(tuple(map(float, other)), rel=1e-8)


# -- intervals ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["LR+", "LR-", "DOR"])
def test_intervals_of_ratios_are_those_of_the_golden_file(kind):
    for case in golden("lr_intervals"):
        contrast, hits, rows = shares_of(case)[kind]
        expected = [math.inf if v is None else v for v in case[kind]["scas"]]
        got = [float(v) for v in bounds(contrast, hits, rows, case["level"])]
        assert got == pytest.approx(expected, rel=1e-7)
        plain = [v for v in case[kind]["mn"] if v]
        z = [abs(float(score(contrast, hits, rows, v, skew=False))) for v in plain]
        assert z == pytest.approx([1.959964] * len(z), abs=1e-5)


def test_a_positive_likelihood_ratio_with_one_false_alarm_has_a_finite_interval():
    low, high = bounds("ratio", (25, 1), (30, 30), 0.95)
    assert (float(low), float(high)) == pytest.approx((5.4098998, 429.2484847))
    low, high = bounds("ratio", (25, 0), (30, 30), 0.95)
    assert (float(low), float(high)) == (pytest.approx(9.0710227), math.inf)
    assert np.isnan(bounds("ratio", (0, 0), (30, 30), 0.95)).all()
    assert np.isnan(bounds("odds ratio", (30, 30), (30, 30), 0.95)).all()


@pytest.mark.parametrize(("contrast", "null"), [("difference", 0), ("ratio", 1), ("odds ratio", 1)])
def test_the_interval_leaves_a_value_out_exactly_where_its_p_value_is_small(contrast, null):
    for n, m in ((3, 3), (5, 12), (10, 30), (10, 100), (1, 10)):
        x, y = (v.ravel() for v in np.meshgrid(np.arange(n + 1.0), np.arange(m + 1.0)))
        for level in (0.8, 0.95, 0.99):
            low, high = bounds(contrast, (x, y), (n, m), level)
            outside = (low > null) | (high < null)
            defined = ~np.isnan(low)
            p = p_value(contrast, (x, y), (n, m), null)
            assert (outside == (p < 1 - level))[defined].all()


@pytest.mark.parametrize(("n", "m"), [(10, 100), (30, 30), (20, 50)])
def test_the_exact_coverage_and_level_of_a_difference(n, m):
    x, y = np.meshgrid(np.arange(n + 1.0), np.arange(m + 1.0), indexing="ij")

    def outside(p1, p2):
        weight = stats.binom.pmf(np.arange(n + 1), n, p1)[:, None] * stats.binom.pmf(
            np.arange(m + 1), m, p2
        )
        return float(weight[p_value("difference", (x, y), (n, m), p1 - p2) < 0.05].sum())

    shares = (0.05, 0.2, 0.5, 0.7, 0.9, 0.98)
    assert max(outside(p1, p2) for p1 in shares for p2 in shares) < 0.08
    assert max(outside(p, p) for p in np.arange(0.02, 1, 0.06)) < 0.065
