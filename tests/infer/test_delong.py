from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import tallymark as tm
from tallymark.infer.delong import area_posterior, areas_of, auc_variance, newcombe
from tallymark.infer.intervals import interval_of
from tallymark.metric import get
from tallymark.metric.measure import Statistic
from tallymark.tally.joint import ModelColumn, PairedPredictions
from tallymark.tally.scores import ScoreTally

ROC_AUC = Statistic.of(get("roc_auc"), (0, 1), 1)


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
    v = interval_of(ROC_AUC, [tm.ScoreTally.from_arrays(y, s)])
    assert 0 < v.low < tm.metrics.roc_auc(y, s) < v.high < 1
    assert v.method == "DeLong, beta posterior"


@pytest.mark.parametrize(
    ("y", "s", "auc"),
    [
        ([0, 0, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6], 1.0),
        ([0, 0, 0, 1, 1, 1], [6, 5, 4, 3, 2, 1], 0.0),
        ([0, 0, 0, 0, 1], [1, 2, 3, 4, 2.5], 0.5),
        ([0, 1, 0, 1], [1, 1, 1, 1], 0.5),
    ],
)
def test_no_area_is_without_an_interval(y, s, auc):
    t = tm.ScoreTally.from_arrays(y, s)
    v = interval_of(ROC_AUC, [t])
    alone = min(sum(y), len(y) - sum(y)) == 1
    assert v.method == ("Newcombe, score interval" if alone else "DeLong, beta posterior")
    assert 0 <= v.low <= auc <= v.high <= 1
    assert v.high - v.low > 0.2


@pytest.mark.parametrize("case", ["few positives", "ties", "balanced"])
def test_the_posterior_is_that_of_dirichlet_weights_and_a_row_placed_by_chance(case):
    m, n = {"few positives": (8, 60), "ties": (9, 12), "balanced": (15, 15)}[case]
    rng = np.random.default_rng(5)
    y, s = np.repeat([1, 0], (m, n)), rng.normal(np.repeat([1.0, 0.0], (m, n)))
    s = s.round() if case == "ties" else s
    above = (s[:m, None] > s[m:]) + (s[:m, None] == s[m:]) / 2
    auc, variance = auc_variance(tm.ScoreTally.from_arrays(y, s))
    mean, spread = area_posterior(auc, variance, m, n)
    means, spreads = [], []
    for placed, chance in ((above.mean(1), n / (m + n)), (above.mean(0), m / (m + n))):
        rows = rng.dirichlet([1.0] * len(placed) + [chance / 50] * 50, 40_000)
        drawn = rows @ np.append(placed, (np.arange(50) + 0.5) / 50)
        means.append(drawn.mean())
        spreads.append(drawn.var())
    assert mean == pytest.approx(sum(means) - auc, abs=1e-3)
    assert spread == pytest.approx(sum(spreads), rel=0.12)


@pytest.mark.slow
def test_ten_heavy_tailed_positives_of_500_are_covered():
    # DeLong's interval on the logit scale covers 90 % of these, and misses on one side alone.
    rng = np.random.default_rng(0)
    held = []
    for _ in range(400):
        y = (rng.random(500) < 0.02).astype(int)
        v = interval_of(ROC_AUC, [tm.ScoreTally.from_arrays(y, rng.standard_t(2, 500) + 1.5 * y)])
        held.append(v.low <= 0.7682 <= v.high)
    assert 0.93 < np.mean(held) < 0.99


def test_a_part_of_the_area_rests_on_the_rows_that_have_a_place_in_it():
    # Two of 15 negatives decide the area up to a false positive rate of 0.1: taken for 15, they
    # leave intervals that hold it in 86 % of these samples.
    statistic = Statistic.of(get("partial_roc_auc"), (0, 1), 1)
    rates = (np.arange(2000) + 0.5) / 20_000
    area = 0.1 * stats.norm.sf(stats.norm.isf(rates) - 1.5).mean()
    rng, held = np.random.default_rng(0), []
    for _ in range(200):
        y = np.repeat([0, 1], 15)
        v = interval_of(statistic, [tm.ScoreTally.from_arrays(y, rng.normal(1.5 * y))])
        assert 0 <= v.low <= v.value <= v.high <= 0.1
        held.append(v.low <= area <= v.high)
    assert np.mean(held) > 0.95


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


def slow_areas(y, columns, weights, clusters):
    """Return AUCs and covariance of the placements of every row, sorted model by model."""
    places, areas = [], []
    for s in columns:
        order = np.argsort(s, kind="stable")
        ordered = s[order]
        off = np.empty(len(s))
        for code in (0, 1):
            other = np.where(y[order] == code, 0.0, weights[order])
            upto = np.concatenate([[0], np.cumsum(other)])
            low, high = (np.searchsorted(ordered, s, side) for side in ("left", "right"))
            below = (upto[low] + upto[high]) / 2 / upto[-1]
            off[y == code] = (below if code else 1 - below)[y == code]
        areas.append(np.average(off[y == 1], weights=weights[y == 1]))
        places.append(off - areas[-1])
    off = np.array(places) * weights
    covariance, sums = 0.0, []
    for code in (1, 0):
        rows = y == code
        if clusters is None:
            each = off[:, rows] / weights[rows].sum()
            effective = weights[rows].sum() ** 2 / (weights[rows] ** 2).sum()
        else:
            each = np.array([np.bincount(clusters[rows], o[rows], clusters.max() + 1) for o in off])
            each /= weights[rows].sum()
            effective = len(np.unique(clusters[rows]))
            sums.append(each)
        covariance = covariance + each @ each.T * effective / (effective - 1)
    if clusters is not None:
        crossed = sums[0] @ sums[1].T * (clusters.max() + 1) / clusters.max()
        covariance = covariance + crossed + crossed.T
    return np.array(areas), covariance


# Where stretches of scores, and the cells that they are cut into, hold very many or none.
SHAPES = {
    "even": lambda rng, n: rng.random(n),
    "few": lambda rng, n: rng.integers(0, 4, n),
    "one": lambda rng, n: np.zeros(n),
    "next to 0": lambda rng, n: rng.lognormal(-40, 12, n),
    "two heaps": lambda rng, n: np.where(rng.random(n) < 0.5, 1 - rng.random(n) * 1e-9, -7.0),
    "one far off": lambda rng, n: np.append(rng.normal(size=n - 1), 1e300),
    "as far as they go": lambda rng, n: rng.choice([-1e308, 1e308, 0.0, 5e-324], n) * rng.random(n),
    "next to each other": lambda rng, n: (
        np.full(n, 0.5).view(np.int64) + rng.integers(0, 900, n)
    ).view(np.float64),
}


@pytest.mark.parametrize(
    ("shape", "n", "of"),
    [
        *itertools.product(
            SHAPES, [30, 3000], ["rows", "weights", "clusters", "weights and clusters"]
        ),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (("even", 600_000, "rows"), ("few", 600_000, "weights and clusters"))
        ),
    ],
)
def test_areas_of_the_same_rows_are_those_of_placements_one_by_one(shape, n, of):
    rng = np.random.default_rng(n)
    y = (rng.random(n) < 0.3).astype(int)
    columns = [SHAPES[shape](rng, n), rng.random(n) + 0.4 * y, rng.random(n).round(3)]
    weights = rng.random(n) + 0.1 if "weights" in of else np.ones(n)
    clusters = rng.permutation(n) % (n // 3) if "clusters" in of else None
    given = {"sample_weight": weights} if "weights" in of else {}
    joint = PairedPredictions(
        (0, 1), y.astype(np.int8),
        tuple(ModelColumn(str(i), None, (c.astype(float),)) for i, c in enumerate(columns)),
        1, given.get("sample_weight"), clusters,
    )  # fmt: skip
    found = areas_of(joint, [ScoreTally.from_arrays(y, c, **given) for c in columns])
    areas, covariance = slow_areas(y, columns, weights, clusters)
    assert found.values == pytest.approx(areas, rel=1e-12)
    size = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    np.testing.assert_allclose(found.covariance, covariance, rtol=1e-9, atol=1e-9 * size.max())


@pytest.mark.parametrize("clusters", [False, True])
def test_a_class_of_one_row_leaves_areas_without_covariance(clusters):
    y = np.array([1, 0, 0, 0], dtype=np.int8)
    s = np.array([0.4, 0.1, 0.6, 0.2])
    joint = PairedPredictions(
        (0, 1), y, (ModelColumn("a", None, (s,)),), 1, None, np.arange(4) if clusters else None
    )
    found = areas_of(joint, [ScoreTally.from_arrays(y, s)])
    assert found.values == pytest.approx([2 / 3])
    assert np.isnan(found.covariance).all()
    assert found.parts == ()


@pytest.mark.parametrize("kind", ["rows", "weights", "clusters"])
@pytest.mark.parametrize("code", [0, 1])
def test_rows_of_one_class_have_no_areas_and_no_warning(code, kind):
    y, s = np.full(6, code, dtype=np.int8), np.arange(6.0)
    weights = np.ones(6) if kind == "weights" else None
    joint = PairedPredictions((0, 1), y, (ModelColumn("a", None, (s,)),), 1, weights,
                  np.arange(6) if kind == "clusters" else None)  # fmt: skip
    tally = ScoreTally.from_arrays(y, s, labels=(0, 1), positive=1, sample_weight=weights)
    found = areas_of(joint, [tally])
    assert np.isnan(found.values).all()
    assert np.isnan(found.covariance).all()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shift", [0.0, 1.0, 99.0, -99.0])
def test_a_variance_is_that_of_the_placements(weighted, shift):
    rng = np.random.default_rng(3)
    true = rng.random(5000) < 0.3
    scores = np.round(rng.normal(size=5000) + shift * true, 3)
    weights = rng.random(5000) if weighted else None
    tally = ScoreTally.from_arrays(true, scores, sample_weight=weights)
    found = auc_variance(tally)
    r, squares = tally._score_counts, tally._squared_score_counts or tally._score_counts
    of_pos = (np.cumsum(r.neg) - r.neg / 2) / r.neg.sum()
    of_neg = 1 - (np.cumsum(r.pos) - r.pos / 2) / r.pos.sum()
    auc, variance = (r.pos * of_pos).sum() / r.pos.sum(), 0.0
    for w, w2, place in ((r.pos, squares.pos, of_pos), (r.neg, squares.neg, of_neg)):
        effective = w.sum() ** 2 / w2.sum()
        spread = (w2 * (place - auc) ** 2).sum() / w.sum() ** 2
        variance += spread * effective / (effective - 1)
    assert found == pytest.approx((auc, variance), rel=1e-12, abs=1e-30)
    if abs(shift) > 9:  # perfect either way: to the bit, or the interval would be another one
        assert found == (float(shift > 0), 0.0)
