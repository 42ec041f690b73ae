"""Sums along long rankings: kernels and stretches give what the whole arrays do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark import ScoreTally, _kernels
from tallymark.metric import METRICS
from tallymark.metric.measure import Statistic
from tallymark.tally import walk
from tallymark.tally.ranking import Ranking
from tallymark.tally.sums import Sums, row_sums

FITTED = ("calibration_slope", "calibration_intercept")
OF_RANKINGS = [
    m
    for m in METRICS.values()
    if m.needs in ("ranking", "probability", "probabilities") and m.name not in FITTED
]


@st.composite
def rankings(draw, least=6, most=60):
    """Scores inside 0..1 and whole or broken rows of both classes, some groups without any."""
    size = draw(st.integers(least, most))
    inner = draw(
        st.lists(st.integers(1, 999), min_size=size, max_size=size, unique=True).map(sorted)
    )
    whole = draw(st.booleans())
    rows = st.integers(0, 3).map(float) if whole else st.floats(0, 3).map(lambda x: round(x, 3))
    pos, neg = (draw(st.lists(rows, min_size=size, max_size=size)) for _ in range(2))
    pos[0] += 1.0
    neg[-1] += 1.0
    return np.array(inner) / 1000, np.array(pos), np.array(neg)


def both_ways(make, monkeypatch_long):
    """Return what is made of a ranking in one piece, and walked in short stretches or by kernels."""
    with pytest.MonkeyPatch.context() as patch:
        with pytest.MonkeyPatch.context() as alone:
            alone.setattr(walk, "LONG", 1 << 40)
            alone.setattr(walk, "KERNELS", {})
            plain = make()
        patch.setattr(walk, "LONG", monkeypatch_long)
        patch.setattr(walk, "_STEP", 7)
        return plain, make()


def drawn(seed):
    """Return scores and rows of both classes, of odd seeds broken ones, some groups without any."""
    rng = np.random.default_rng(seed)
    scores = np.sort(rng.choice(np.arange(1, 1000), 60, replace=False)) / 1000
    pos, neg = rng.integers(0, 4, (2, 60)) * (rng.random((2, 60)).round(3) if seed % 2 else 1.0)
    return scores, pos, neg


@pytest.mark.parametrize("seed", range(4))
def test_every_metric_of_a_long_ranking_is_that_of_a_short_one(seed):
    given = drawn(seed)
    for m in OF_RANKINGS:
        s = Statistic.of(m, (0, 1), 1)
        plain, long = both_ways(lambda s=s: float(s.of_rankings([Ranking(*given)])), 4)
        assert long == pytest.approx(plain, rel=1e-9, abs=1e-12, nan_ok=True), m.name


@pytest.mark.parametrize("seed", range(4))
def test_a_walk_gives_what_the_kernels_do(seed):
    """Each part that has a kernel is walked, too: one is the other's twin."""
    given = drawn(seed)
    for m in OF_RANKINGS:
        s = Statistic.of(m, (0, 1), 1)
        few = float(s.of_rankings([Ranking(*given)]))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(walk, "LONG", 4)
            patch.setattr(walk, "_STEP", 5)
            fast = float(s.of_rankings([Ranking(*given)]))
            patch.setattr(walk, "KERNELS", {})
            slow = float(s.of_rankings([Ranking(*given)]))
        assert fast == pytest.approx(slow, rel=1e-9, abs=1e-12, nan_ok=True), m.name
        assert few == pytest.approx(slow, rel=1e-9, abs=1e-12, nan_ok=True), m.name


def test_many_groups_and_all_cores():
    rng = np.random.default_rng(0)
    n = 3 << 18  # several workers, many stretches
    scores = np.unique(rng.random(n))
    pos = (rng.random(len(scores)) < scores).astype(float)
    given = scores, pos, 1 - pos
    for m in OF_RANKINGS:
        s = Statistic.of(m, (0, 1), 1)
        if m.name == "h_measure":
            continue  # slow where the hull has many corners, and covered above
        with pytest.MonkeyPatch.context() as patch:
            fast = float(s.of_rankings([Ranking(*given)]))
            patch.setattr(walk, "LONG", 1 << 40)
            patch.setattr(walk, "KERNELS", {})
            slow = float(s.of_rankings([Ranking(*given)]))
        assert fast == pytest.approx(slow, rel=1e-11), m.name


@pytest.mark.parametrize("clip", [0.0, 0.01])
def test_a_line_through_many_log_odds(clip):
    from tallymark.metric import logistic

    rng = np.random.default_rng(1)
    x = np.sort(rng.normal(size=80_000) * 1.5 - 1)
    scores = 1 / (1 + np.exp(-x))
    pos = (rng.random(len(x)) < 1 / (1 + np.exp(-0.3 - 0.8 * x))).astype(float)
    given = scores, pos, 1 - pos
    (a, b), (c, d) = both_ways(lambda: logistic.line(Ranking(*given), clip), 1 << 10)
    assert (float(c), float(d)) == pytest.approx((float(a), float(b)), rel=1e-11)
    a, c = both_ways(lambda: logistic.intercept(Ranking(*given), clip), 1 << 10)
    assert float(c) == pytest.approx(float(a), rel=1e-11)


def test_a_line_that_parts_the_classes_is_left_to_the_careful_way():
    from tallymark.metric import get

    scores = np.linspace(0.1, 0.9, 40)
    pos = (scores > 0.5).astype(float)
    s = Statistic.of(get("calibration_slope"), (0, 1), 1)
    plain, long = both_ways(lambda: float(s.of_rankings([Ranking(scores, pos, 1 - pos)])), 4)
    assert plain == long == math.inf


@settings(max_examples=60, deadline=None)
@given(rankings(least=1, most=40))
def test_the_hull_is_what_pooling_leaves(given):
    scores, pos, neg = given
    r = Ranking(scores, pos, neg)
    pooled, hull = r.pooled(), r.hull()
    kept = pooled.pos + pooled.neg > 0
    assert hull.scores.tolist() == scores[kept].tolist()
    assert hull.pos == pytest.approx(pooled.pos[kept])
    assert hull.neg == pytest.approx(pooled.neg[kept])


def test_parts_of_a_hull_pooled_side_by_side():
    rng = np.random.default_rng(2)
    n = 5 << 18
    pos = (rng.random(n) < np.linspace(0.2, 0.6, n)).astype(float)
    pooled = [pos.copy()[None], 1 - pos[None]]
    _kernels.pool(*pooled)
    last, hit, miss = _kernels.hull(pos, 1 - pos)
    kept = np.flatnonzero(pooled[0][0] + pooled[1][0])
    assert last.tolist() == kept.tolist()
    assert hit.tolist() == pooled[0][0][kept].tolist()
    assert miss.tolist() == pooled[1][0][kept].tolist()


@settings(max_examples=40, deadline=None)
@given(rankings(), st.booleans())
def test_losses_of_a_tally_are_those_of_its_rows(given, weighted):
    scores, pos, neg = given
    codes = np.repeat([1, 0], len(scores))
    rows, weights = np.concatenate([scores, scores]), np.concatenate([pos, neg])
    if not weighted:
        times = weights.astype(int)
        codes, rows, weights = np.repeat(codes, times), np.repeat(rows, times), None
    tally = ScoreTally.from_arrays(codes, rows, labels=(0, 1), sample_weight=weights)
    found, twin = Sums.of_scores([tally]), row_sums(codes, rows, weights=weights)
    for name in ("totals", "squares", "cross", "weights", "weights2"):
        assert getattr(found, name) == pytest.approx(getattr(twin, name), rel=1e-12), name


def test_an_impossible_truth_costs_infinitely_much():
    found = Sums.of_scores([ScoreTally.from_arrays([0, 1, 1], [0.2, 0.0, 1.0])])
    assert found.average("log_loss") == math.inf
    assert found.average("top_1") == pytest.approx(2 / 3)


@given(st.lists(st.integers(0, 50), max_size=30).map(sorted), st.lists(st.integers(-2, 52)))
def test_search_is_searchsorted(rising, wanted):
    values, asked = np.array(rising, dtype=float), np.array(wanted, dtype=float)
    if not len(values):
        return
    found = walk.search(len(values), lambda i: values[i], asked)
    assert found.tolist() == np.searchsorted(values, asked).tolist()


@given(st.lists(st.integers(0, 1), max_size=30))
def test_ends_of_what_has_rows(rows):
    values = np.array(rows, dtype=float)
    there = np.flatnonzero(values)
    first, last = (there[0], there[-1]) if len(there) else (-1, -1)
    assert [int(v) for v in walk.ends(values)] == [first, last]
    assert [int(v[0]) for v in walk.ends(values[None])] == [first, last]


def test_a_part_may_rest_on_another():
    r = Ranking(np.arange(50.0), np.ones(50), np.ones(50))

    def mean(s):
        return s.scores.sum(-1)

    def off(s):
        return ((s.scores - s.whole.added(mean) / 50) ** 2).sum(-1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk, "LONG", 10)
        patch.setattr(walk, "_STEP", 8)
        r.walked.take([("sum", off, ()), ("sum", mean, ())])
        assert float(r.added(off)) == pytest.approx(((np.arange(50) - 24.5) ** 2).sum())
