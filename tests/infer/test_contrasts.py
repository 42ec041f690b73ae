"""Bounds of differences: each against the plain formula, and p-values against their intervals."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binomtest, chi2, norm, t

from asymmetric import tango
from tallymark.infer.contrasts import (
    PRIOR_ROWS,
    PairedShares,
    area_bounds,
    bounds_of_draws,
    least_p,
    mover,
    of_areas,
    of_both_intervals,
    of_draws,
    of_paired_shares,
    of_student,
    p_of_draws,
    posterior_cells,
    posterior_degrees,
    ratios,
    square_and_add,
    welch,
)
from tallymark.infer.delong import Areas
from tallymark.metric.measure import Value
from tallymark.report import words


def test_square_and_add_of_symmetric_intervals_is_the_variance_of_a_difference():
    low, high = mover(0.3, (0.2, 0.2), (0.1, 0.1), 0.4)
    half = math.sqrt(0.2**2 + 0.1**2 - 2 * 0.4 * 0.2 * 0.1)
    assert (low, high) == pytest.approx((0.3 - half, 0.3 + half))
    # Each bound takes the arms that point its way, and no correlation is beyond 1.
    low, high = mover(0.0, (0.1, 0.3), (0.2, 0.4), 7.0)
    assert (low, high) == pytest.approx((-0.3, 0.1))


def test_only_draws_make_a_p_value_an_upper_bound():
    far = [Value("brier", x, x - 0.001, x + 0.001, 0.95, method="delta method") for x in (0.1, 0.5)]
    exact = square_and_add(*far)
    assert 0 < exact.p_value < 1e-300, "no p-value is 0"
    assert (exact.draws, exact.p_at_most) == (0, False)
    drawn = square_and_add(*far, 0.0, 2000)
    assert (drawn.p_value, drawn.draws, drawn.p_at_most) == (least_p(2000), 2000, True)
    assert words.p_is(exact.p_value, exact.p_at_most) == "p < 0.0001"


def test_degrees_of_freedom_are_welchs():
    a, b = (4.0, 9.0), (1.0, 24.0)
    assert welch([a, b]) == pytest.approx(25 / (16 / 9 + 1 / 24))
    assert welch([(0.0, 3.0)]) == math.inf
    assert welch([(1.0, 0.0)]) == 1.0


def test_draws_of_a_normal_give_students_interval_and_its_p_value():
    rng = np.random.default_rng(0)
    gaps = rng.normal(1.0, 0.5, 400_000)
    low, high = bounds_of_draws(gaps, 0.95, 9)
    reach = t.ppf(0.975, 9) * 0.5
    assert (low, high) == pytest.approx((1 - reach, 1 + reach), abs=0.02)
    assert p_of_draws(gaps, 9) == pytest.approx(2 * t.sf(2, 9), abs=0.003)
    assert p_of_draws(gaps, math.inf) == pytest.approx(2 * norm.sf(2), abs=0.002)
    wide = bounds_of_draws(gaps, 0.95, 9, 1.2)
    assert wide == pytest.approx((1 - 1.2 * reach, 1 + 1.2 * reach), abs=0.02)


@pytest.mark.parametrize("freedom", [4.0, 30.0, math.inf])
def test_a_p_value_is_below_the_level_where_the_interval_leaves_out_zero(freedom):
    rng = np.random.default_rng(1)
    for shift in np.linspace(0, 8, 60):
        gaps = rng.normal(shift, 1.0, 1000)
        low, high = bounds_of_draws(gaps, 0.9, freedom, 1.1)
        p = p_of_draws(gaps, freedom, 1.1)
        # One draw is added to either side, so that p is never 0.
        assert (low > 0 or high < 0) == (p < 0.1) or abs(p - 0.1) < 0.02, shift


def test_the_posterior_has_the_shares_of_the_counts_and_of_the_prior():
    cells = np.zeros((2, 2, 2))
    cells[0, 0, 0], cells[1, 1, 1], cells[1, 1, 0] = 20, 8, 2
    drawn = posterior_cells(cells, 40_000, np.random.default_rng(0))
    assert drawn.sum((1, 2, 3)) == pytest.approx(30)
    expected = 30 * (cells + PRIOR_ROWS / 8) / (30 + PRIOR_ROWS)
    assert drawn.mean(0) == pytest.approx(expected, abs=0.03)
    assert (drawn > 0).all(0).any(0).all()  # what never happened may happen
    inside = posterior_cells(cells, 500, np.random.default_rng(0), stratified=True)
    assert inside.sum((2, 3)) == pytest.approx(np.tile([20.0, 10.0], (500, 1)))


def test_few_rows_of_a_class_that_decides_leave_few_degrees_of_freedom():
    cells = np.array([[[60.0, 6], [8, 16]], [[1, 0], [3, 6]]])

    def sensitivity(cells):
        a, b = cells.sum(4), cells.sum(3)
        return a[..., 1, 1] / a[..., 1, :].sum(-1) - b[..., 1, 1] / b[..., 1, :].sum(-1)

    def accuracy(cells):
        a, b = cells.sum(4), cells.sum(3)
        right = a[..., 0, 0] + a[..., 1, 1] - b[..., 0, 0] - b[..., 1, 1]
        return right / a.sum((2, 3))

    both = np.stack([cells, 2 * cells])
    assert posterior_degrees(both, sensitivity) == pytest.approx([11, 21], rel=0.01)
    assert posterior_degrees(both[:1], accuracy) > 60
    undefined = posterior_degrees(both[:1], lambda cells: cells[..., 0, 0, 0] * math.nan)
    assert undefined == pytest.approx([11])


# -- each formula once more, in plain numbers ----------------------------------------------------

Z = norm.ppf(0.975)


def arms(gap, down, up, r):
    """Return the bounds of a difference from the arms of both intervals."""
    low, high = (math.sqrt(max(x * x - 2 * r * x * y + y * y, 0)) for x, y in (down, up))
    return gap - low, gap + high


def test_tangos_interval_of_every_small_table():
    for n in range(1, 6):
        for both, one, other in itertools.product(range(n + 1), repeat=3):
            none = n - both - one - other
            if none < 0:
                continue
            four = (both, one, other, none)
            assert PairedShares(*four).bounds(0.95) == pytest.approx(tango(*four, Z), abs=2e-5), (
                four
            )


def test_tangos_published_example_and_mcnemars_chi_square():
    shares = PairedShares(36, 12, 2, 0)  # Tango (1998)
    low, high = shares.bounds(0.95)
    assert (low, high) == pytest.approx((0.061, 0.345), abs=6e-4)
    assert shares.p_value(10 / 50) == pytest.approx(chi2.sf(100 / 14, 1))
    assert [shares.p_value(0.2, end) for end in (low, high)] == pytest.approx([0.05, 0.05])


@pytest.mark.parametrize("four", [(80, 5, 1, 14), (70, 13, 6, 11), (60, 14, 6, 20), (9, 0, 0, 1)])
def test_an_exact_test_decides_where_few_rows_are_discordant(four):
    found = of_paired_shares([four], 0.8)[0]
    one, other = four[1:3]
    score = chi2.sf((one - other) ** 2 / (one + other), 1) if one + other else 1.0
    exact = binomtest(one, one + other).pvalue if one + other else 1.0
    if one + other < 20:
        assert found.p_value == pytest.approx(max(score, exact))
        assert found.test == "McNemar, exact"
    else:
        assert found.p_value == pytest.approx(score)
        assert found.test == "McNemar, chi-square"
    assert (found.low > 0 or found.high < 0) == (found.p_value < 0.2)
    if found.p_value < 0.2:
        assert (found.low, found.high) == PairedShares(*four).bounds(0.8)


def test_without_rows_two_shares_have_no_interval():
    found = of_paired_shares([(0, 0, 0, 0)], 0.8)[0]
    assert found.method == "no interval: there is no row"
    assert np.isnan([found.low, found.high, found.p_value]).all()


ENDS = [  # values with their bounds: skewed, at an end, unbounded, unknown, the other way round
    (0.31, 0.25, 0.44), (0.52, 0.4, 0.55), (0.0, 0.0, 0.2), (1.0, 0.7, 1.0), (3.0, 1.0, math.inf),
    (0.4, math.nan, math.nan), (-0.3, -0.5, 0.1),
]  # fmt: skip


def test_both_intervals_give_bounds_and_a_p_value():
    for (a, a_low, a_high), (b, b_low, b_high) in itertools.product(ENDS, ENDS):
        for r, freedom, draws in ((0.0, math.inf, 0), (0.6, 7.0, 0), (-0.4, 30.0, 999)):
            found = of_both_intervals(
                (a, a_low, a_high), (b, b_low, b_high), 0.9,
                correlation=r, degrees=freedom, draws=draws,
            )  # fmt: skip
            sides = (a - a_low, b_high - b), (a_high - a, b - b_low)
            if not np.isfinite(sides).all():
                assert np.isnan(found).all()
                continue
            low, high = arms(a - b, *sides, r)
            assert found[:2] == pytest.approx((low, high))
            gap, toward = abs(a - b), (a - b - low if a > b else high - (a - b))
            if toward == 0:
                continue
            critical = t.ppf(0.95, freedom) if freedom < math.inf else norm.ppf(0.95)
            tail = critical * gap / toward
            p = 2 * (t.sf(tail, freedom) if freedom < math.inf else norm.sf(tail))
            assert found[2] == pytest.approx(max(p, 2 / (1 + draws) if draws else 0))


def test_ratios_are_differences_of_logarithms():
    ends = np.array(ENDS[:6])
    for (a, a_low, a_high), (b, b_low, b_high) in itertools.product(ends, ends):
        for r in (0.0, 0.5):
            ratio, low, high = ratios((a, a_low, a_high), (b, b_low, b_high), 0.0, r)
            if b == 0:
                assert math.isnan(ratio)
                continue
            assert ratio == pytest.approx(a / b)
            if a == 0 or not np.isfinite([a_low, a_high, b_low, b_high]).all():
                assert np.isnan([low, high]).all()
                continue
            down, up = (
                (math.log(a / a_low), math.log(b_high / b)),
                (math.log(a_high / a), math.log(b / b_low)),
            )
            left, right = (math.exp(x) for x in arms(0, down, up, r))
            assert (low, high) == pytest.approx((a / b * left, a / b * right))
    # A metric that can be negative has no ratio; a bound at 0 leaves one end open.
    assert np.isnan(ratios((0.4, 0.3, 0.5), (0.2, 0.1, 0.3), -1.0)).all()
    assert ratios(np.array([0.4, 0.0, 0.5]), (0.2, 0.1, 0.3), 0.0)[1] == 0
    assert ratios((0.4, 0.3, 0.5), np.array([0.2, 0.0, 0.3]), 0.0)[2] == math.inf


def test_why_two_intervals_give_none_is_said():
    def value(v, low, high, method="delta method"):
        return Value("brier", v, low, high, 0.95, method=method)

    known = value(0.2, 0.1, 0.4)
    for a, b, told in (
        (value(0.3, math.nan, math.nan, "no interval: too few"), known, "too few"),
        (known, value(0.3, math.nan, math.nan, "no interval: too many"), "too many"),
        (known, value(0.3, math.nan, math.nan, None), "every draw gives the same"),
        (known, value(0.3, 0.1, math.inf), "one of the two intervals is unbounded"),
        (value(-3.0, -math.inf, 2.0), known, "one of the two intervals is unbounded"),
        (value(1e308, -1e308, 1.5e308), value(-1e308, -1.5e308, 1e308),
         "its bounds exceed the largest number"),
    ):  # fmt: skip
        found = square_and_add(a, b)
        assert (found.method, found.test, found.draws) == (f"no interval: {told}", None, 0)
        assert np.isnan([found.low, found.high, found.p_value]).all()
    alone = square_and_add(value(0.5, 0.3, 0.6), known)
    assert alone.method == "square-and-add of both intervals, as if independent"
    assert (alone.low, alone.high) == pytest.approx(arms(0.3, (0.2, 0.2), (0.1, 0.1), 0))
    together = square_and_add(value(0.5, 0.3, 0.6), known, 0.7, 1500)
    assert together.method == "square-and-add of both intervals, correlated as in 1,500 resamples"
    assert (together.low, together.high) == pytest.approx(arms(0.3, (0.2, 0.2), (0.1, 0.1), 0.7))
    assert (together.test, together.draws) == ("square-and-add of both intervals", 1500)
    # No arm points towards 0, so the interval gives no p-value.
    flat = square_and_add(value(0.5, 0.5, 0.9), value(0.4, 0.3, 0.4))
    assert flat.method == "square-and-add of both intervals, as if independent"
    assert (flat.test, flat.draws, math.isnan(flat.p_value)) == (None, 0, True)
    assert flat.low == pytest.approx(0.1)
    for method, draws in (("posterior, 2,000 draws", 1000), ("Wilson", 0), (None, 0)):
        assert square_and_add(known, value(0.3, 0.1, 0.5, method)).draws == draws
        assert square_and_add(value(0.3, 0.1, 0.5, method), known).draws == draws


def test_two_areas_differ_on_the_logit_scale_with_students_t():
    values, covariance = np.array([0.83, 0.71]), np.array([[0.0016, 0.0009], [0.0009, 0.0025]])
    positives = np.array([[0.0011, 0.0004], [0.0004, 0.0015]])
    parts = (positives, 21.0), (covariance - positives, 64.0)
    low, high, p = area_bounds(Areas(values, covariance, parts), 0.9)

    def contrast(c):
        return c[0, 0] + c[1, 1] - 2 * c[0, 1]

    each = [(contrast(v), n - 1) for v, n in parts]
    freedom = contrast(covariance) ** 2 / sum(v**2 / f for v, f in each)
    critical = t.ppf(0.95, freedom)
    bounds = []
    for area, variance in zip(values, np.diagonal(covariance), strict=True):
        half = critical * math.sqrt(variance) / (area * (1 - area))
        centre = math.log(area / (1 - area))
        bounds.append([1 / (1 + math.exp(-(centre + s * half))) for s in (-1, 1)])
    (a_low, a_high), (b_low, b_high) = bounds
    a, b = values
    r = 0.0009 / math.sqrt(0.0016 * 0.0025)
    wanted = arms(a - b, (a - a_low, b_high - b), (a_high - a, b - b_low), r)
    assert (low, high) == pytest.approx(wanted)
    assert p == pytest.approx(2 * t.sf(critical * (a - b) / (a - b - wanted[0]), freedom))
    (found,) = of_areas(Areas(values, covariance, parts), 2.0, 0.9, "ours")
    assert (found.low, found.high) == pytest.approx((2 * wanted[0], 2 * wanted[1]))
    assert (found.method, found.test) == ("ours, logit scale",) * 2
    assert of_areas(Areas(values, covariance, ()), 2.0, 0.9, "ours") == [None]
    alike = np.full((2, 2), 0.0016)
    assert of_areas(Areas(values, alike, ((alike, 21.0),)), 1.0, 0.9, "ours") == [None]


def test_the_p_value_of_draws_counts_the_rarer_side_and_one_more():
    for below, nought, above, undefined in ((3, 0, 196, 0), (40, 5, 60, 4), (0, 0, 99, 0)):
        gaps = np.repeat([-1.0, 0.0, 1.0, math.nan], [below, nought, above, undefined])
        n = below + nought + above
        share = min(1, 2 * (1 + min(below + nought, above + nought)) / (1 + n))
        for freedom, widen in ((math.inf, 1.0), (5.0, 1.3), (0.2, 1.0)):
            far = -norm.ppf(share / 2) / widen
            p = 2 * (norm.sf(far) if freedom == math.inf else t.sf(far, max(freedom, 1)))
            assert p_of_draws(gaps, freedom, widen) == pytest.approx(p)
    ramp = np.arange(1001.0)
    for freedom, widen in ((math.inf, 1.0), (8.0, 1.0), (8.0, 0.8), (0.1, 0.05)):
        low, high = bounds_of_draws(ramp, 0.8, freedom, widen)
        # What lies outside is what a test of these draws rejects.
        for end, out in ((low, -1), (high, 1)):
            assert p_of_draws(ramp - end - out / 2, freedom, widen) < 0.2
            assert p_of_draws(ramp - end + out / 2, freedom, widen) >= 0.2


def test_draws_that_say_nothing_leave_a_reason_or_nothing():
    assert of_draws(np.full(200, 0.25), 0.95, 9.0, 1.0, "ours", "theirs") is None
    for undefined in (math.nan, math.inf):
        gaps = np.repeat([0.1, undefined], [20, 180])
        found = of_draws(gaps, 0.95, 9.0, 1.0, "ours", "theirs")
        if undefined is math.nan:  # the defined draws are all equal
            assert found is None or found.method.startswith("no interval: ours")
        else:
            assert found.method == "no interval: ours, most of them undefined or infinite"
    gaps = np.linspace(-0.2, 0.8, 500)
    found = of_draws(gaps, 0.9, 9.0, 1.1, "ours", "theirs")
    assert (found.method, found.test, found.draws, found.p_at_most) == (
        "ours",
        "theirs",
        500,
        False,
    )
    assert (found.low, found.high) == bounds_of_draws(gaps, 0.9, 9.0, 1.1)
    assert found.p_value == p_of_draws(gaps, 9.0, 1.1)
    assert of_draws(np.abs(gaps) + 0.1, 0.9, 9.0, 1.1, "ours", "theirs").p_at_most
    assert of_draws(-np.abs(gaps) - 0.1, 0.9, 9.0, 1.1, "ours", "theirs").p_at_most


def test_means_of_rows_have_students_interval():
    found = of_student(-0.12, 0.05, 6.0, 0.9, "ours")
    half = t.ppf(0.95, 6) * 0.05
    assert (found.low, found.high) == pytest.approx((-0.12 - half, -0.12 + half))
    assert found.p_value == pytest.approx(2 * t.sf(0.12 / 0.05, 6))
    assert (found.method, found.test) == ("ours", "ours")
