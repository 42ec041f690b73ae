"""Sums along long rankings: kernels and stretches give what the whole arrays do."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark import ScoreTally, _kernels
from tallymark.metric import METRICS
from tallymark.metric.binned import binned_alike
from tallymark.metric.measure import Statistic
from tallymark.metric.rank import _area_between
from tallymark.tally import walk
from tallymark.tally.along import (
    area_between,
    bin_lines,
    bin_sums,
    clipped,
    condensed,
    fitted,
    fitted_to,
    nodes,
    placement_sums,
)
from tallymark.tally.score_counts import ScoreCounts
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
        plain, long = both_ways(lambda s=s: float(s.of_score_counts([ScoreCounts(*given)])), 4)
        assert long == pytest.approx(plain, rel=1e-9, abs=1e-12, nan_ok=True), m.name


@pytest.mark.parametrize("seed", range(4))
def test_a_walk_gives_what_the_kernels_do(seed):
    """Each part that has a kernel is walked, too: one is the other's twin."""
    given = drawn(seed)
    for m in OF_RANKINGS:
        s = Statistic.of(m, (0, 1), 1)
        few = float(s.of_score_counts([ScoreCounts(*given)]))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(walk, "LONG", 4)
            patch.setattr(walk, "_STEP", 5)
            fast = float(s.of_score_counts([ScoreCounts(*given)]))
            patch.setattr(walk, "KERNELS", {})
            slow = float(s.of_score_counts([ScoreCounts(*given)]))
        assert fast == pytest.approx(slow, rel=1e-9, abs=1e-12, nan_ok=True), m.name
        assert few == pytest.approx(slow, rel=1e-9, abs=1e-12, nan_ok=True), m.name


@pytest.mark.parametrize("seed", range(6))
def test_a_stack_of_replicates_is_each_of_them(seed):
    """One is left out of a cell at a time, as of the jackknife; the last ones are drawn anew."""
    scores, pos, neg = drawn(seed)
    rng = np.random.default_rng(seed)
    stacks = [np.repeat(v[None], 12, 0) for v in (pos, neg)]
    cells = np.flatnonzero(pos > 0)[:6]
    stacks[0][np.arange(6), cells] = np.maximum(stacks[0][np.arange(6), cells] - 1, 0)
    for v in stacks:
        v[8:] = v[8:] * rng.integers(0, 3, v[8:].shape)
    for m in METRICS.values():
        if m.needs not in ("ranking", "probability", "probabilities"):
            continue
        s = Statistic.of(m, (0, 1), 1)
        found = s.of_score_counts([ScoreCounts(scores, *stacks)])
        each = [
            float(s.of_score_counts([ScoreCounts(scores, *rows)]))
            for rows in zip(*stacks, strict=True)
        ]
        np.testing.assert_allclose(found, each, rtol=1e-10, atol=1e-12, err_msg=m.name)


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
            fast = float(s.of_score_counts([ScoreCounts(*given)]))
            patch.setattr(walk, "LONG", 1 << 40)
            patch.setattr(walk, "KERNELS", {})
            slow = float(s.of_score_counts([ScoreCounts(*given)]))
        assert fast == pytest.approx(slow, rel=1e-11), m.name


ORDERS = {
    "level": lambda rng, n: rng.random(n) < 0.3,
    "rising": lambda rng, n: rng.random(n) < np.linspace(0, 1, n) ** 3,
    "falling": lambda rng, n: rng.random(n) < np.linspace(1, 0, n),
    "parted": lambda rng, n: np.arange(n) >= 0.7 * n,
    "parted the wrong way": lambda rng, n: np.arange(n) < 0.2 * n,
    "in turn": lambda rng, n: np.arange(n) % 2 == 0,
    "few positives": lambda rng, n: np.arange(n) % (n // 3 + 1) == n // 5,
    "few others": lambda rng, n: np.arange(n) % (n // 3 + 1) != n // 5,
}
"""Which rows are positive, from the lowest score up."""


def of_single(order, n):
    """Return a ranking with one whole row at each score, of both classes."""
    pos = ORDERS[order](np.random.default_rng(n), n).astype(float)
    pos[[0, -1]] = (1.0, 0.0) if pos.sum() in (0, n) else pos[[0, -1]]
    scores = np.arange(1, n + 1) / (n + 1)
    return ScoreCounts.of_whole(scores, pos, 1 - pos, pos.sum(), n - pos.sum())


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("n", [2, 65, 1000, 30_011, 3 << 18])
def test_rows_that_share_no_score_are_summed_as_any_groups_are(order, n):
    r = of_single(order, n)
    assert r.single
    tp, fp = r.cumulative_counts
    found = _kernels.add_ranks_of_single(tp)[:7]
    rows = (np.array([v]) for v in (r.positives, r.negatives))
    twin = np.empty((1, 7))
    _kernels.add_ranks(*(v.reshape(1, -1) for v in (r.pos, r.neg, tp, fp)), *rows, twin)
    assert found == pytest.approx(twin[0].tolist(), rel=3e-15, abs=1e-15)


@pytest.mark.parametrize("order", ORDERS)
def test_a_walk_gives_what_rows_that_share_no_score_do(order, monkeypatch):
    fast, slow = of_single(order, 70_000), of_single(order, 70_000)
    metrics = [m for m in OF_RANKINGS if m.family == "rank"]
    found = [float(Statistic.of(m, (0, 1), 1).of_score_counts([fast])) for m in metrics]
    monkeypatch.setattr(walk, "KERNELS", {})
    twins = [float(Statistic.of(m, (0, 1), 1).of_score_counts([slow])) for m in metrics]
    assert len(metrics) > 10
    assert found == pytest.approx(twins, rel=1e-12, abs=1e-14, nan_ok=True)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("n", [70_001, 3 << 18])
def test_placements_of_rows_that_share_no_score(order, n):
    r = of_single(order, n)
    tp, fp = r.cumulative_counts
    auc, *spreads = placement_sums(r, None)
    twin = _kernels.add_placements(r.pos, r.neg, r.pos, r.neg, tp, fp)
    assert auc == pytest.approx(twin[0], rel=1e-15)
    assert spreads == pytest.approx(twin[1:], rel=1e-11, abs=1e-20 * n)
    if order == "parted":
        assert (auc, *spreads) == (1.0, 0.0, 0.0)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("n", [3, 5000, 70_001, 3 << 18])
def test_what_is_told_of_rows_that_share_no_score(order, n):
    """Where their columns are not made: a condensed ranking, its hull, and where classes end."""
    known = of_single(order, n)
    r = ScoreCounts.of_single(known.scores, *known.cumulative_counts)
    assert r.single
    groups = ScoreCounts(known.scores, known.pos, known.neg)
    np.testing.assert_array_equal(r.roc_convex_hull.scores, groups.roc_convex_hull.scores)
    np.testing.assert_array_equal(r.roc_convex_hull.pos, groups.roc_convex_hull.pos)
    np.testing.assert_array_equal(r.roc_convex_hull.neg, groups.roc_convex_hull.neg)
    for clip in (0.0, 0.01):
        found, twin = nodes(r, clip=clip), nodes(groups, clip=clip)
        np.testing.assert_array_equal(found[:2], twin[:2])
        # Of thousands of rows together: what one class has is what the other leaves of all.
        np.testing.assert_allclose(found[2:], twin[2:], rtol=0, atol=1e-11)
    if r.long:
        assert [tuple(map(int, ends)) for ends in r.class_ends] == [
            tuple(map(int, walk.ends(rows))) for rows in (known.pos, known.neg)
        ]
        assert "pos" not in r.__dict__
    places = np.array([0, n - 1])
    assert np.broadcast_to(r.rows_at(places), 2).tolist() == groups.rows_at(places).tolist()


@pytest.mark.parametrize("order", ORDERS)
def test_rows_that_share_no_score_keep_their_sums_when_condensed(order):
    """Those of a class of three rows, too, which are not what is left of very many."""
    known = of_single(order, 1 << 18)
    p = known.scores
    few, rest, *columns = nodes(ScoreCounts.of_single(p, *known.cumulative_counts))
    assert len(few) < len(p) / 20
    for found, rows in zip(columns, (known.pos, known.neg), strict=True):
        for loss, near in ((-np.log(p), -np.log(few)), (-np.log1p(-p), -np.log(rest))):
            assert math.fsum(found * near) == pytest.approx(math.fsum(rows * loss), rel=1e-14)


@pytest.mark.parametrize("order", ORDERS)
def test_every_metric_of_rows_that_share_no_score(order):
    known = of_single(order, 70_000)
    for m in OF_RANKINGS:
        s = Statistic.of(m, (0, 1), 1)
        found = float(
            s.of_score_counts([ScoreCounts.of_single(known.scores, *known.cumulative_counts)])
        )
        twin = float(s.of_score_counts([ScoreCounts(known.scores, known.pos, known.neg)]))
        assert found == pytest.approx(twin, rel=1e-11, abs=1e-14, nan_ok=True), m.name


BETWEEN_0_AND_1 = {
    "even": lambda rng, n: rng.random(n),
    "all kept but few": lambda rng, n: np.where(
        np.arange(n) < n // 2, 1e-13 * rng.random(n), 1 - 1e-13 * rng.random(n)
    ),
    "high": lambda rng, n: 0.5 + rng.random(n) / 2,
    "tiny": lambda rng, n: 10.0 ** -(320 * rng.random(n)),
}


@pytest.mark.parametrize("spread", BETWEEN_0_AND_1)
@pytest.mark.parametrize("kept", [False, True])
def test_bins_of_rows_that_share_no_score(spread, kept):
    rng = np.random.default_rng(3)
    scores = np.unique(BETWEEN_0_AND_1[spread](rng, 400_000))
    n = len(scores)
    assert n > walk.LONG
    pos = (scores > 0.5 if kept else rng.random(n) < scores).astype(float)
    pos[[0, -1]] = 0.0, 1.0
    r = ScoreCounts.of_whole(scores, pos, 1 - pos, pos.sum(), n - pos.sum())
    assert r.single
    inner = np.sort(rng.integers(0, n, 9))
    starts = np.concatenate([[0, 0, 1023], np.maximum(inner, 1023), [1 << 15, n, n]])
    starts[3] = starts[2] + 1024
    starts.sort()
    found = bin_sums(r, starts)
    for i, (a, b) in enumerate(pairwise(starts)):
        p, q, own = scores[a:b], 1 - scores[a:b], pos[a:b]
        each = (np.ones(b - a), own * q - (1 - own) * p, own, p, q)
        for j, terms in enumerate(each):
            slack = 1e-15 * math.fsum(np.minimum(p, q)) if j == 1 else 0.0
            assert found[j, i] == pytest.approx(math.fsum(terms), rel=2e-15, abs=slack), (i, j)
    several = bin_sums(r, np.array([0, 5000, 3000, n]))  # a bin that ends before it begins
    assert several[:, 1].tolist() == [0.0] * 5


@pytest.mark.parametrize("unit", [1.0, 1e308, 1e-320])
def test_sums_of_scores_over_groups(unit):
    rng = np.random.default_rng(6)
    scores = np.sort(rng.uniform(-1, 1, 300_000)) * unit
    starts = np.unique(np.append(0, rng.integers(0, len(scores), 70)))
    out = np.empty((1, len(starts)))
    _kernels.add_groups(scores, [], starts, unit, out)
    ends = np.append(starts[1:], len(scores))
    twins = [math.fsum(scores[a:b] / unit) for a, b in zip(starts, ends, strict=True)]
    assert out[0] == pytest.approx(twins, rel=1e-14, abs=1e-11)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("axis", ["fpr", "tpr"])
def test_areas_between_are_those_of_every_group(weighted, axis, monkeypatch):
    rng = np.random.default_rng(5)
    n = 5 << 17
    pos, neg = rng.integers(0, 3, (2, n)) * (rng.random((2, n)) if weighted else 1.0)
    pos *= rng.random(n) < np.linspace(0.1, 1, n)
    asked = [(0, 1), (0, 0.1), (0.8, 1), (0.25, 0.75), (0.5, 0.5 + 1e-7), (1 - 1e-9, 1)]
    r, slow = (ScoreCounts(np.arange(n) / n, pos, neg) for _ in range(2))
    found = [area_between(r, *ends, axis) for ends in asked]
    monkeypatch.setattr(walk, "KERNELS", {})
    twins = [float(slow.added(_area_between, low=low, high=high, axis=axis)) for low, high in asked]
    assert found == pytest.approx(twins, rel=1e-11, abs=1e-17)


def test_groups_that_are_not_single_rows_are_told():
    one = np.array([0.0, 1.0])
    assert not ScoreCounts(one, one, 1 - one).single  # nobody says that these are whole
    assert not ScoreCounts.of_whole(one, one + 1, 1 - one, 3, 1).single
    assert not ScoreCounts.of_whole(one, np.ones(2), np.zeros(2), 2, 0).single
    assert ScoreCounts.of_whole(one, one, 1 - one, 1, 1).single


SPREADS = {
    "even": lambda rng, n: rng.random(n),
    "bent": lambda rng, n: 1 / (1 + np.exp(-2 * rng.normal(size=n) - 1)),
    "certain": lambda rng, n: 1 / (1 + np.exp(-30 * rng.normal(size=n))),
    "tiny": lambda rng, n: 10.0 ** -(320 * rng.random(n)),
    "high": lambda rng, n: 1 - 10.0 ** -(14 * rng.random(n)),
    "narrow": lambda rng, n: 0.5 + 1e-2 * rng.normal(size=n),
    "of one half": lambda rng, n: 0.5 + 1e-7 * rng.normal(size=n),
    "at the ends": lambda rng, n: np.append(rng.random(n), [0.0, 1.0, 0.5]),
}
SMOOTH = {
    "log p": lambda p, q: np.where(p < 0.5, np.log(p), np.log1p(-q)),
    "log q": lambda p, q: np.where(p < 0.5, np.log1p(-p), np.log(q)),
    "square": lambda p, q: p * p,
    "spread": lambda p, q: p * q * (q - p) ** 2,
    "spherical": lambda p, q: p / np.sqrt(p * p + q * q),
    "from the middle": lambda p, q: np.abs(q - p),
    "above the middle": lambda p, q: (p > 0.5) + 0.5 * (p == 0.5),
}


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("weighted", [False, True])
def test_condensed_probabilities_have_the_sums_of_all(spread, weighted):
    rng = np.random.default_rng(7)
    p = np.unique(SPREADS[spread](rng, 60_000))
    rows = rng.integers(0, 3, (2, len(p))) * (rng.random((2, len(p))) if weighted else 1.0)
    rows[:, (p == 0) | (p == 1)] = 0.0  # an infinite loss is no smooth one
    few, rest, *columns = condensed(p, rows, clip=0.01)
    assert len(few) <= (len(p) if spread in ("tiny", "of one half") else len(p) / 2)
    assert (np.diff(few) >= 0).all()
    for name, function in SMOOTH.items():
        for found, own in zip(columns, rows, strict=True):
            with np.errstate(all="ignore"):
                each = np.where(own == 0, 0.0, own * function(p, 1 - p))
                sum_ = np.where(found == 0, 0.0, found * function(few, rest)).sum()
            slack = 1e-13 * math.fsum(np.abs(each))
            assert sum_ == pytest.approx(math.fsum(each), rel=0, abs=slack), name
    # No node stands for probabilities on both sides of what a loss may turn at.
    for cut in (0.01, 0.5, 0.99):
        for found, own in zip(columns, rows, strict=True):
            assert found[few < cut].sum() == pytest.approx(own[p < cut].sum(), rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_from_the_top_are_running_sums(weighted):
    rng = np.random.default_rng(8)
    n = 9 << 17  # several workers
    rows = rng.integers(0, 3, (2, n)) * (rng.random((2, n)) if weighted else 1.0)
    for found, own in zip(ScoreCounts(np.arange(n), *rows).cumulative_counts, rows, strict=True):
        twin = np.append(0.0, np.cumsum(own[::-1]))
        assert (np.diff(found) >= 0).all()
        if weighted:
            np.testing.assert_allclose(found, twin, rtol=1e-12)
        else:
            np.testing.assert_array_equal(found, twin)


@pytest.mark.parametrize("shape", ["bent", "flat", "falling", "parted"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_long_hull_is_what_pooling_leaves(shape, weighted):
    rng = np.random.default_rng(9)
    n = 300_000
    x = np.linspace(-3, 3, n)
    share = {"bent": 1 / (1 + np.exp(-x)), "flat": 0.3, "falling": 0.5 - x / 9, "parted": x > 0}
    pos = (rng.random(n) < share[shape]) * (rng.random(n) if weighted else 1.0)
    neg = np.where(pos > 0, 0.0, 1.0) * rng.integers(0, 3, n)  # some groups have no row
    r = ScoreCounts(np.arange(n), pos, neg)
    hull, pooled = r.roc_convex_hull, r.pav
    kept = pooled.pos + pooled.neg > 0
    np.testing.assert_array_equal(hull.scores, pooled.scores[kept])
    np.testing.assert_allclose(hull.pos, pooled.pos[kept], rtol=1e-10)
    np.testing.assert_allclose(hull.neg, pooled.neg[kept], rtol=1e-10)


@pytest.mark.parametrize("slope", [-0.5, 0.8, 4.0, 25.0])
@pytest.mark.parametrize("clip", [0.0, 0.1])
def test_a_line_of_condensed_probabilities(slope, clip):
    """Steep lines bend within a stretch of what is condensed; they are fitted to all."""
    rng = np.random.default_rng(2)
    scores = np.unique(1 / (1 + np.exp(-rng.normal(size=80_000) / max(abs(slope), 1) - 0.3)))
    x = np.log(scores) - np.log1p(-scores)
    pos = (rng.random(len(x)) < 1 / (1 + np.exp(0.2 - slope * x))).astype(float)
    r = ScoreCounts(scores, pos, 1 - pos)
    for sloped in (False, True):
        twin = fitted_to(pos, 1 - pos, clipped(x, clip), sloped)
        assert fitted(r, clip, sloped).tolist() == pytest.approx(twin.tolist(), rel=1e-11)


@pytest.mark.parametrize("clip", [0.0, 0.01])
def test_a_line_through_many_log_odds(clip):
    from tallymark.metric import logistic

    rng = np.random.default_rng(1)
    x = np.sort(rng.normal(size=80_000) * 1.5 - 1)
    scores = 1 / (1 + np.exp(-x))
    pos = (rng.random(len(x)) < 1 / (1 + np.exp(-0.3 - 0.8 * x))).astype(float)
    given = scores, pos, 1 - pos
    (a, b), (c, d) = both_ways(lambda: logistic.line(ScoreCounts(*given), clip), 1 << 10)
    assert (float(c), float(d)) == pytest.approx((float(a), float(b)), rel=1e-11)
    a, c = both_ways(lambda: logistic.intercept(ScoreCounts(*given), clip), 1 << 10)
    assert float(c) == pytest.approx(float(a), rel=1e-11)


def test_a_line_that_parts_the_classes_is_left_to_the_careful_way():
    from tallymark.metric import get

    scores = np.linspace(0.1, 0.9, 40)
    pos = (scores > 0.5).astype(float)
    s = Statistic.of(get("calibration_slope"), (0, 1), 1)
    plain, long = both_ways(
        lambda: float(s.of_score_counts([ScoreCounts(scores, pos, 1 - pos)])), 4
    )
    assert plain == long == math.inf


@settings(max_examples=60, deadline=None)
@given(rankings(least=1, most=40))
def test_the_hull_is_what_pooling_leaves(given):
    scores, pos, neg = given
    r = ScoreCounts(scores, pos, neg)
    pooled, hull = r.pav, r.roc_convex_hull
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
    kept = np.flatnonzero(pooled[0][0] + pooled[1][0])
    tops = [np.concatenate([[0.0], np.cumsum(v[::-1])]) for v in (pos, 1 - pos)]
    for known in ((pos, 1 - pos), (pos, 1 - pos, *tops), (None, None, tops[0])):
        last, hit, miss = _kernels.hull(*known)
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
    for name in ("totals", "squares", "cross", "weights", "sum_squared_weights"):
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


def test_what_is_foreseen_is_added_up_in_the_same_walk():
    """And a part may rest on another."""
    r = ScoreCounts(np.arange(50.0), np.ones(50), np.ones(50))
    walks = []

    def mean(s):
        return s.scores.sum(-1)

    def off(s):
        return ((s.scores - s.whole.added(mean) / 50) ** 2).sum(-1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk, "LONG", 10)
        patch.setattr(walk, "_STEP", 8)
        each = walk.Walk._each
        patch.setattr(walk.Walk, "_each", lambda *a: walks.append(a[1]) or each(*a))
        r.walked.foreseen = lambda: [("sum", off, ()), ("sum", mean, ())]
        assert float(r.added(mean)) == np.arange(50).sum()
        assert [[part for _, part, _ in keys] for keys in walks] == [[mean], [off]]
        assert float(r.added(off)) == pytest.approx(((np.arange(50) - 24.5) ** 2).sum())
        assert len(walks) == 2
        assert r.walked.foreseen is None


SHAPES = {
    "level": lambda rng, n: rng.random(n) < 0.3,
    "rising": lambda rng, n: rng.random(n) < np.linspace(0, 1, n),
    "falling": lambda rng, n: rng.random(n) < np.linspace(1, 0, n),
    "waves": lambda rng, n: rng.random(n) < 0.5 + 0.4 * np.sin(np.arange(n) / 700),
    "all": lambda rng, n: np.arange(n) > 3,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [1, 5, 1023, 1024, 1025, 5000])
@pytest.mark.parametrize("weighted", [False, True])
def test_stretches_are_only_passed_over_where_nothing_is_greater(shape, n, weighted):
    rng = np.random.default_rng(n)
    pos = SHAPES[shape](rng, n).astype(float)
    neg = 1 - pos + (rng.random(n) < 0.1)
    if weighted:
        pos, neg = pos * rng.random(n), neg * rng.random(n)
    tp, fp = (np.concatenate([[0.0], np.cumsum(v[::-1])]) for v in (pos, neg))
    if not (tp[-1] and fp[-1]):
        return
    gap = tp / tp[-1] - fp / fp[-1]
    assert _kernels.distances(tp, fp) == pytest.approx([gap.max(), -gap.min()], abs=1e-14)
    with np.errstate(invalid="ignore"):
        precision = np.nan_to_num(tp / (tp + fp))
    for least in (0.05, 0.3, 0.5, 0.9, 1.0, float(precision[n // 2])):
        reached = np.flatnonzero(precision[1:] >= least) + 1
        expected = reached[-1] if len(reached) and least > 0 else 0
        if least > 0:
            assert _kernels.last_precise(tp, fp, least) == expected
    for begin in (0, 1, n // 2, n, n + 1):
        expected = precision[begin:].max(initial=0.0)
        assert _kernels.most_precise(tp, fp, begin) == expected


def test_the_greatest_of_a_part_is_asked_of_its_kernel(monkeypatch):
    """Of ten million groups a walk takes many times as long."""
    monkeypatch.setattr(walk.Walk, "get", None)
    monkeypatch.setattr(walk, "LONG", 4)
    r = ScoreCounts(*drawn(0))
    assert METRICS["kolmogorov_smirnov"].compute(r) > 0
    assert METRICS["recall_at_precision"].compute(r, precision=0.3) > 0
    assert METRICS["precision_at_recall"].compute(r) > 0


def _stack(lines, groups, seed, whole):
    rng = np.random.default_rng(seed)
    pos, neg = (rng.poisson(1.5, (lines, groups)).astype(float) for _ in range(2))
    if not whole:
        pos, neg = (v * rng.random(v.shape) for v in (pos, neg))
    pos[0], neg[-1] = 0, 0  # of one class alone
    pos[1] = neg[1] = 0  # no row at all
    return ScoreCounts(np.sort(rng.random(groups)), pos, neg)


@pytest.mark.parametrize("groups", [1, 7, 300])
@pytest.mark.parametrize("whole", [True, False])
def test_hulls_of_a_stack_are_those_of_each_ranking(groups, whole):
    r = _stack(12, groups, groups, whole)
    hull = r.roc_convex_hull
    for line, (pos, neg) in enumerate(zip(r.pos, r.neg, strict=True)):
        one = ScoreCounts(r.scores, pos, neg).pav
        kept = one.pos + one.neg > 0
        size = kept.sum()
        assert hull.pos[line, :size].tolist() == one.pos[kept].tolist()
        assert hull.neg[line, :size].tolist() == one.neg[kept].tolist()
        assert not hull.pos[line, size:].any()
        assert not hull.neg[line, size:].any()
    assert hull.pos.shape == (12, len(hull.scores))
    assert (hull.pos + hull.neg > 0).any(0).all()  # no wider than needed


def test_the_hull_of_a_stack_keeps_its_leading_axes():
    r = _stack(12, 20, 0, True)
    deep = ScoreCounts(r.scores, r.pos.reshape(3, 4, 20), r.neg.reshape(3, 4, 20)).roc_convex_hull
    assert np.array_equal(deep.pos.reshape(12, -1), r.roc_convex_hull.pos)


@pytest.mark.parametrize("strategy", ["width", "mass"])
@pytest.mark.parametrize("bins", [1, 10, 400])
@pytest.mark.parametrize("whole", [True, False])
def test_bins_of_a_stack_are_those_of_each_ranking(strategy, bins, whole):
    r = _stack(9, 120, bins, whole)
    edges = np.arange(120) % 3 == 0
    r = ScoreCounts(np.sort(np.where(edges, np.arange(120) // 12 / 10, r.scores)), r.pos, r.neg)
    found = bin_lines(r, bins, strategy)
    with np.errstate(invalid="ignore"):
        alike = binned_alike(r, bins, strategy, (2, 3, 4))
    np.testing.assert_allclose(found, np.stack(alike), rtol=1e-13, atol=1e-13)
