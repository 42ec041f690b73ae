"""The band of the lead between two ROC curves, and where they cross."""

from __future__ import annotations

import numpy as np
import pytest

from tallymark.infer.crossing import RATES, crossing, heights, lead_band
from tallymark.infer.crossing import leads as leads_of
from tallymark.tally.scores import ScoreCounts


def drawn_counts(draws, groups, seed=0):
    rng = np.random.default_rng(seed)
    pos, neg = rng.integers(0, 4, (2, draws, groups)).astype(float)
    return ScoreCounts(np.arange(groups) / groups, pos, neg)


def test_heights_are_those_of_every_curve_read_by_itself():
    r = drawn_counts(30, 12)
    found = heights(r)
    for d in range(30):
        tp = np.append(0, np.cumsum(r.pos[d][::-1]))
        fp = np.append(0, np.cumsum(r.neg[d][::-1]))
        expected = np.interp(RATES, fp / fp[-1], tp / tp[-1])
        assert found[d] == pytest.approx(expected, abs=1e-9)
        alone = ScoreCounts(r.scores, r.pos[d], r.neg[d])
        assert heights(alone) == pytest.approx(found[d], abs=1e-9)


def test_a_draw_without_a_class_has_no_curve_and_is_left_out_of_the_band():
    r = drawn_counts(50, 8)
    pos = r.pos.copy()
    pos[3] = 0
    lines = heights(ScoreCounts(r.scores, pos, r.neg))
    assert np.isnan(lines[3]).all()
    assert np.isnan(heights(ScoreCounts(r.scores, 0 * pos, r.neg))).all()
    assert not np.isnan(np.delete(lines, 3, 0)).any()
    moves = lines - np.nanmean(lines, 0)
    whole = lead_band(np.zeros(len(RATES)), np.delete(moves, 3, 0), 0.9, 0.01)
    for bound, expected in zip(
        lead_band(np.zeros(len(RATES)), moves, 0.9, 0.01), whole, strict=True
    ):
        assert bound == pytest.approx(expected)


def slow_band(gap, drawn, level, least):
    spread = [np.sqrt(np.std([d[k] for d in drawn]) ** 2 + least**2) for k in range(len(gap))]
    far = [max(abs(d[k]) / spread[k] for k in range(len(gap))) for d in drawn]
    reach = np.quantile(far, level)
    return [(g - reach * s, g + reach * s) for g, s in zip(gap, spread, strict=True)]


def test_the_band_is_its_slow_twin_and_a_stack_is_a_loop():
    rng = np.random.default_rng(1)
    gap, drawn = rng.normal(size=(3, 7)), rng.normal(size=(3, 40, 7)) * np.arange(1, 8)
    low, high = lead_band(gap, drawn, 0.9, 0.3)
    for i in range(3):
        expected = slow_band(gap[i], drawn[i], 0.9, 0.3)
        assert np.stack([low[i], high[i]], 1) == pytest.approx(np.array(expected))


def test_the_band_holds_a_whole_curve_as_often_as_it_says():
    rng = np.random.default_rng(2)
    mix = rng.normal(size=(30, 30)) * 0.3 + np.eye(30)
    drawn = rng.normal(size=(4000, 30)) @ mix
    low, high = lead_band(
        rng.normal(size=(3000, 30)) @ mix, np.broadcast_to(drawn, (1, 4000, 30)), 0.95
    )
    assert float(((low <= 0) & (high >= 0)).all(-1).mean()) == pytest.approx(0.95, abs=0.015)


def test_regions_keep_apart_what_the_band_does_not_show():
    gap = np.where(RATES < 0.1, 0.2, np.where(RATES < 0.3, 0.05, np.where(RATES < 0.6, 0.2, -0.1)))
    found = crossing(("a", "b"), gap, gap - 0.08, gap + 0.08, 0.95)
    told = [(r.leader, r.low, r.high) for r in found.regions]
    assert told == [("a", 0.001, 0.099), ("a", 0.3, 0.595), ("b", 0.6, 0.995)]
    assert found.shown
    assert found._places == pytest.approx((0.5983,), abs=0.001)
    assert not crossing(("a", "b"), gap, gap - 0.15, gap + 0.15, 0.95).shown
    assert crossing(("a", "b"), np.abs(gap), gap, gap, 0.95) is None


def test_every_fact_of_a_crossing_by_hand():
    def at(x):
        return int(np.argmin(np.abs(RATES - x)))

    # The first leads up to 0.1, most at 0.02; the second from there on, most at 0.4; after 0.7
    # both are level, and near 0.9 the first is ahead again by too little to be seen.
    gap = np.interp(
        RATES, [0, 0.02, 0.1, 0.4, 0.7, 0.85, 0.9, 0.95, 1], [0, 0.3, 0, -0.2, 0, 0, 0.009, 0, 0]
    )
    half = np.where(RATES < 0.3, 0.1, 0.04)
    low, high = gap - half, gap + 2 * half
    for sign, names in ((1, ("a", "b")), (-1, ("b", "a"))):
        bounds = (low, high) if sign > 0 else (-high, -low)
        found = crossing(names, sign * gap, *bounds, 0.9)
        plain = found.to_dict()
        assert (found.first, found.second, found.level) == (*names, 0.9)
        assert plain["places"] == pytest.approx([0.1], abs=1e-9)
        leads, places = (gap.max(), -gap.min()), (RATES[gap.argmax()], RATES[gap.argmin()])
        assert plain["leads"] == pytest.approx(leads[::sign])
        assert plain["at"] == pytest.approx(places[::sign])
        assert plain["below"] == "a"
        first = np.flatnonzero((gap > 0.1) & (RATES < 0.1))
        second = np.flatnonzero((gap + 2 * half < 0) & (gap <= -0.01))
        wanted = [
            ("a", RATES[first[0]], RATES[first[-1]], gap[at(0.02)], RATES[at(0.02)],
             (gap[at(0.02)] - 0.1, gap[at(0.02)] + 0.2)),
            ("b", RATES[second[0]], RATES[second[-1]], -gap[at(0.4)], RATES[at(0.4)],
             (-gap[at(0.4)] - 0.08, -gap[at(0.4)] + 0.04)),
        ]  # fmt: skip
        for region, (leader, *rest, ends) in zip(found.regions, wanted, strict=True):
            assert region.leader == leader
            numbers = [region.low, region.high, region.lead, region.at]
            assert numbers == pytest.approx([float(x) for x in rest])
            assert region.bounds == pytest.approx(ends)
        assert found.shown
        told = [f"{RATES[k[0]]:.3g} to {RATES[k[-1]]:.3g}" for k in (first, second)]
        assert leads_of(found) == (
            f"a leads at false positive rates of {told[0]} (by up to {gap.max():.2g} in "
            f"sensitivity), b leads at {told[1]} (by up to {-gap.min():.2g} in sensitivity)"
        )


def test_a_lead_that_is_just_visible_counts():
    gap = np.where(RATES < 0.5, 0.01, -0.01)
    assert crossing(("a", "b"), gap, gap - 1, gap + 1, 0.95) is not None
    assert crossing(("a", "b"), 0.99 * gap, gap - 1, gap + 1, 0.95) is None
    assert crossing(("a", "b"), np.minimum(gap, 0.009), gap - 1, gap + 1, 0.95) is None
    alone = np.where(RATES[7] == RATES, 0.3, gap)
    found = crossing(("a", "b"), alone, alone - 0.02, alone + 0.02, 0.95)
    assert [(r.leader, r.low, r.high) for r in found.regions] == [("a", RATES[7], RATES[7])]
    assert not found.shown
    assert leads_of(found) == (
        f"a leads at false positive rates of {RATES[7]:.3g} (by up to 0.3 in sensitivity)"
    )
