from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import tallymark as tm
from tallymark.metric.correlation import TIES, correlations, midranks, pearson

PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=30)


@given(PAIRS)
def test_scipys_numbers(pairs):
    x, y = (list(c) for c in zip(*pairs, strict=True))
    r, rho, constant = correlations(np.array([x, y], dtype=float))
    if len(set(x)) < 2 or len(set(y)) < 2:
        assert math.isnan(pearson(x, y))
        assert math.isnan(r[0, 1])
        assert math.isnan(rho[0, 1])
        assert constant[0, 1]
    else:
        expected = stats.pearsonr(x, y).statistic
        assert pearson(x, y) == pytest.approx(expected, abs=1e-12)
        assert r[0, 1] == r[1, 0] == pytest.approx(expected, abs=1e-12)
        assert rho[0, 1] == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
        assert r[0, 0] == rho[1, 1] == 1


def test_refusals():
    with pytest.raises(tm.InputError, match="y is missing at index 1; leave that pair out"):
        pearson([1, 2], [1, None])
    with pytest.raises(tm.InputError, match="the lengths differ"):
        pearson([1], [1, 2])
    assert math.isnan(pearson([], []))


@given(st.lists(st.integers(-3, 4), min_size=1, max_size=12), st.integers(1, 3))
def test_midranks_are_scipys_from_0(values, rows):
    x = np.array([np.roll(values, i) for i in range(rows)], dtype=float)
    assert midranks(x).tolist() == (stats.rankdata(x, axis=-1) - 1).tolist()


def test_values_that_differ_by_rounding_share_a_rank():
    near, far = 1000 * TIES / 2, 1000 * TIES * 2
    assert midranks(np.array([1.0, 1.0 + near, -1000.0])).tolist() == [1.5, 1.5, 0.0]
    assert midranks(np.array([1.0, 1.0 + near, 1000.0])).tolist() == [0.5, 0.5, 2.0]
    assert midranks(np.array([1.0, 1.0 + far, 1000.0])).tolist() == [0.0, 1.0, 2.0]


def test_equal_values_alone_are_tied_without_slack_and_may_be_infinite():
    values = np.random.default_rng(0).integers(0, 5, (7, 40)).astype(float)
    values[2, 3], values[2, 4], values[5, 0] = np.inf, np.inf, -np.inf
    values[1, 7] = np.nextafter(values[1, 8], 9)
    expected = stats.rankdata(values, axis=-1) - 1
    np.testing.assert_array_equal(midranks(values, ties=0), expected)
