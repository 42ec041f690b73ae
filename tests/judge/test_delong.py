from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from tallymark.judge.delong import _orders, auc_interval, auc_variance, newcombe
from tallymark.tally import walk
from tallymark.tally.scores import ScoreTally


def slow_delong(y, s):
    """Return AUC and variance from the definition: every positive against every negative."""
    pos, neg = s[y == 1], s[y == 0]
    psi = np.array([[1.0 if a > b else 0.5 if a == b else 0.0 for b in neg] for a in pos])
    m, n = psi.shape
    v10, v01 = psi.mean(1), psi.mean(0)
    return psi.mean(), v10.var(ddof=1) / m + v01.var(ddof=1) / n


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 15)), min_size=6, max_size=60))
def test_the_variance_is_the_slow_one(rows):
    y = np.array([int(a) for a, _ in rows])
    s = np.array([float(b) for _, b in rows])
    if min(y.sum(), len(y) - y.sum()) < 2:
        return
    assert auc_variance(tm.ScoreTally.from_arrays(y, s)) == pytest.approx(
        slow_delong(y, s), rel=1e-10, abs=1e-14
    )


def test_equal_weights_are_no_weights():
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 2, 80), rng.random(80)
    plain = tm.ScoreTally.from_arrays(y, s)
    weighted = tm.ScoreTally.from_arrays(y, s, sample_weight=np.full(80, 3.0))
    assert auc_variance(weighted) == pytest.approx(auc_variance(plain))


def test_weights_widen_the_interval_as_resampling_says():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 600)
    s, w = rng.normal(y, 1.0), rng.exponential(1.0, 600)
    _, variance = auc_variance(tm.ScoreTally.from_arrays(y, s, sample_weight=w))
    drawn = [
        tm.metrics.roc_auc(y[i], s[i], sample_weight=w[i]) for i in rng.integers(0, 600, (300, 600))
    ]
    assert math.sqrt(variance) == pytest.approx(np.std(drawn), rel=0.12)


def test_the_interval_stays_inside_and_names_its_method():
    rng = np.random.default_rng(2)
    y = np.array([0] * 30 + [1] * 8)
    s = rng.normal(y * 1.5, 1.0)
    low, high, method = auc_interval(tm.ScoreTally.from_arrays(y, s), 0.95)
    assert 0 < low < tm.metrics.roc_auc(y, s) < high < 1
    assert method == "DeLong, logit scale, Student's t"


@pytest.mark.parametrize(
    ("y", "s", "auc"),
    [
        ([0, 0, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6], 1.0),
        ([0, 0, 0, 1, 1, 1], [6, 5, 4, 3, 2, 1], 0.0),
        ([0, 0, 0, 0, 1], [1, 2, 3, 4, 2.5], 0.5),
        ([0, 1, 0, 1], [1, 1, 1, 1], 0.5),
    ],
)
def test_where_delong_says_nothing_a_score_interval_does(y, s, auc):
    t = tm.ScoreTally.from_arrays(y, s)
    low, high, method = auc_interval(t, 0.95)
    assert method == "Newcombe, score interval"
    assert 0 <= low <= auc <= high <= 1
    assert high - low > 0.2


def test_newcombe_bounds_solve_its_equation():
    for auc, (m, n) in itertools.product((0.0, 0.3, 0.85, 1.0), ((10, 10), (5, 40), (60, 7))):
        k = (m + n) / 2 - 1
        for bound in newcombe(auc, m, n, 1.96):
            if 0 < bound < 1:
                v = bound * (1 - bound) / (m * n)
                v *= 1 + k * (1 - bound) / (2 - bound) + k * bound / (1 + bound)
                assert abs(auc - bound) == pytest.approx(1.96 * math.sqrt(v), rel=1e-6)


def test_weights_leave_a_perfect_order_without_variance():
    # Sums of weights in another order would leave placements a rounding error from 1.
    rng = np.random.default_rng(0)
    y, s = np.repeat([0, 1], 55), np.arange(110)
    for _ in range(40):
        t = tm.ScoreTally.from_arrays(y, s, sample_weight=rng.random(110))
        assert auc_variance(t) == (1, 0)


@pytest.mark.parametrize("models", [1, 2, 3, 5])
def test_columns_sorted_side_by_side_are_those_sorted_one_by_one(models, monkeypatch):
    columns = list(np.random.default_rng(0).random((models, 50)))
    alone = list(_orders(columns))
    monkeypatch.setattr("tallymark.judge.delong._MANY", 10)
    together = list(_orders(columns))
    assert len(alone) == len(together) == models
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shift", [0.0, 1.0, 99.0, -99.0])
def test_a_variance_of_many_groups_is_that_of_few(weighted, shift):
    rng = np.random.default_rng(3)
    true = rng.random(5000) < 0.3
    scores = np.round(rng.normal(size=5000) + shift * true, 3)
    weights = rng.random(5000) if weighted else None
    tally = ScoreTally.from_arrays(true, scores, sample_weight=weights)
    plain = auc_variance(tally)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk, "LONG", 100)
        long = auc_variance(ScoreTally.from_arrays(true, scores, sample_weight=weights))
    assert long == pytest.approx(plain, rel=1e-12, abs=1e-300)
    if abs(shift) > 9:  # perfect either way: to the bit, or the interval would be another one
        assert long == (float(shift > 0), 0.0)
