"""Bounds of differences: each against the plain formula, and p-values against their intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm, t

from tallymark.infer.contrasts import (
    PRIOR_ROWS,
    drawn_bounds,
    drawn_p,
    least_p,
    mover,
    posterior_cells,
    posterior_degrees,
    square_and_add,
    welch,
)
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
    assert (exact.p_value, exact.draws, exact.p_at_most) == (0, 0, False)
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
    low, high = drawn_bounds(gaps, 0.95, 9)
    reach = t.ppf(0.975, 9) * 0.5
    assert (low, high) == pytest.approx((1 - reach, 1 + reach), abs=0.02)
    assert drawn_p(gaps, 9) == pytest.approx(2 * t.sf(2, 9), abs=0.003)
    assert drawn_p(gaps, math.inf) == pytest.approx(2 * norm.sf(2), abs=0.002)
    wide = drawn_bounds(gaps, 0.95, 9, 1.2)
    assert wide == pytest.approx((1 - 1.2 * reach, 1 + 1.2 * reach), abs=0.02)


@pytest.mark.parametrize("freedom", [4.0, 30.0, math.inf])
def test_a_p_value_is_below_the_level_where_the_interval_leaves_out_zero(freedom):
    rng = np.random.default_rng(1)
    for shift in np.linspace(0, 8, 60):
        gaps = rng.normal(shift, 1.0, 1000)
        low, high = drawn_bounds(gaps, 0.9, freedom, 1.1)
        p = drawn_p(gaps, freedom, 1.1)
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
        a, b = cells.sum(3), cells.sum(2)
        return a[:, 1, 1] / a[:, 1].sum(-1) - b[:, 1, 1] / b[:, 1].sum(-1)

    def accuracy(cells):
        a, b = cells.sum(3), cells.sum(2)
        return (a[:, 0, 0] + a[:, 1, 1] - b[:, 0, 0] - b[:, 1, 1]) / a.sum((1, 2))

    assert posterior_degrees(cells, sensitivity) == pytest.approx(11, rel=1e-3)
    assert posterior_degrees(cells, accuracy) > 60
    assert posterior_degrees(cells, lambda cells: cells[:, 0, 0, 0] * math.nan) == pytest.approx(11)
