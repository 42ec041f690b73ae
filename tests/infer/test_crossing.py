"""The band of the lead between two ROC curves, and where they cross."""

from __future__ import annotations

import numpy as np
import pytest

from tallymark.infer.crossing import RATES, crossing, heights, lead_band
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
