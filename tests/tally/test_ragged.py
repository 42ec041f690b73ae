"""Stacked scores hold what each slice's own tally holds, however they are kept."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from tallymark.infer.delong import auc_variance
from tallymark.infer.intervals import ROW_LOSS
from tallymark.infer.jackknife import leave_out
from tallymark.metric import get
from tallymark.metric.measure import Statistic
from tallymark.tally.ragged import ROW_LOSSES, RaggedKeys, RaggedScores, joined, stack_rows
from tallymark.tally.scores import ScoreTally

SLICES = 7


def rows(n=900, seed=0, digits=None, low=-1.0):
    rng = np.random.default_rng(seed)
    scores = rng.uniform(low, 1, n)
    if digits is not None:
        scores = scores.round(digits)
    slices = rng.integers(0, SLICES, n)
    slices[slices == 5] = 4  # one slice has no row
    scores[:2] = [0.0, -0.0]
    return slices, scores, (rng.random(n) < (scores + 1) / 2).astype(np.int8)


def slow(slices, scores, true, weights=None):
    """A line for each slice and score, found one by one."""
    w = np.ones(len(slices)) if weights is None else weights
    out = []
    for s in range(SLICES):
        for x in np.unique(scores[slices == s]):
            at = (slices == s) & (scores == x)
            cells = [w[at & (true == k)] for k in (0, 1)]
            out.append((s, x, *(c.sum() for c in cells), *((c**2).sum() for c in cells)))
    return np.array(out)


@pytest.mark.parametrize("digits", [None, 1])
def test_lines_are_those_found_one_by_one(digits):
    slices, scores, true = rows(digits=digits)
    wanted = slow(slices, scores, true)
    keyed = RaggedKeys.of_rows(slices, scores, true, SLICES)
    counted = RaggedScores.of_rows(slices, scores, true.astype(np.intp), None, 2)
    for found in (
        keyed.lines(),
        counted,
        stack_rows(slices, scores, true, None, 2, SLICES).lines(),
    ):
        assert np.array_equal(found.slices, wanted[:, 0])
        assert np.array_equal(found.scores, wanted[:, 1])
        assert not np.signbit(found.scores[found.scores == 0]).any()
        assert np.array_equal(found.counts, wanted[:, 2:4])
        assert found.sum_squared_weights is None


def test_weighted_lines_are_those_found_one_by_one():
    slices, scores, true = rows(digits=1)
    w = np.random.default_rng(2).uniform(0, 3, len(true))
    wanted = slow(slices, scores, true, w)
    found = stack_rows(slices, scores, true, w, 2, SLICES)
    np.testing.assert_allclose(found.counts, wanted[:, 2:4], rtol=1e-13)
    np.testing.assert_allclose(found.sum_squared_weights, wanted[:, 4:], rtol=1e-13)


def test_scores_that_repeat_are_kept_as_lines_and_others_as_keys():
    slices, scores, true = rows()
    assert isinstance(stack_rows(slices, scores, true, None, 2, SLICES), RaggedKeys)
    assert isinstance(stack_rows(slices, scores.round(1), true, None, 2, SLICES), RaggedScores)


def test_many_rows_are_sorted_as_few_are():
    rng = np.random.default_rng(4)
    n = 1 << 20
    slices, scores = np.minimum(rng.geometric(0.2, n) - 1, 40), rng.normal(size=n)
    made = RaggedKeys.of_rows(slices, scores, np.zeros(n, np.int8), 41).lines()
    order = np.lexsort((scores, slices))
    assert np.array_equal(made.scores, scores[order])
    assert np.array_equal(made.slices, slices[order])


@pytest.mark.parametrize("digits", [None, 1])
@pytest.mark.parametrize("renamed", [None, [0, 2, 1, 0, 3, 3, 4]])
def test_parts_are_joined_and_renamed(digits, renamed):
    slices, scores, true = rows(digits=digits)
    cuts = [0, 100, 101, 500, 900]
    seen = np.maximum.accumulate(slices)  # a part knows the slices that came so far
    parts = [
        stack_rows(slices[a:b], scores[a:b], true[a:b], None, 2, int(seen[b - 1]) + 1)
        for a, b in itertools.pairwise(cuts)
    ]
    names = None if renamed is None else np.array(renamed)
    found = joined(parts, names, SLICES).lines()
    moved = slices if names is None else names[slices]
    wanted = slow(moved, scores, true)
    assert np.array_equal(found.slices, wanted[:, 0])
    assert np.array_equal(found.scores, wanted[:, 1])
    assert np.array_equal(found.counts, wanted[:, 2:4])


def tally(lines, index, positive):
    s = lines.one(index, SLICES)
    return ScoreTally((0, 1), positive, s.scores, s.counts, s.sum_squared_weights)


@pytest.mark.parametrize("threshold", [-0.5, -0.0, 0.25, -1.5, 1.5, math.inf])
@pytest.mark.parametrize("positive", [0, 1])
def test_decisions_are_those_of_each_slice(threshold, positive):
    keyed = RaggedKeys.of_rows(*rows(digits=2), SLICES)
    found, squares = keyed.at(threshold, positive, SLICES)
    assert squares is None
    again, _ = keyed.lines().at(threshold, positive, SLICES)
    for s in range(SLICES):
        alone = tally(keyed, s, positive).at(threshold).counts
        assert np.array_equal(found[s], alone)
        assert np.array_equal(again[s], alone)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("digits", [None, 2])
def test_slices_are_judged_as_each_tally_is(weighted, positive, digits):
    slices, scores, true = rows(1500, digits=digits, low=0.001)
    scores[scores >= 0.99] = 0.99
    w = np.random.default_rng(1).uniform(0.5, 3, len(true)) if weighted else None
    stack = stack_rows(slices, scores, true, w, 2, SLICES)
    both = stack.judged(SLICES, positive, ROW_LOSSES)
    again = stack.lines().judged(SLICES, positive, ROW_LOSSES)
    for s in range(SLICES):
        t = tally(stack, s, positive)
        if not t.rows:
            assert np.isnan([both.area[s], both.losses["squared"].value[s]]).all()
            continue
        for found in (both, again):
            area, variance = auc_variance(t)
            np.testing.assert_allclose(
                [found.area[s], found.variance[s]], [area, variance], rtol=1e-11
            )
            assert found.positives[s] == pytest.approx(t.score_counts.positives)
            for name in ROW_LOSS:
                statistic = Statistic.of(get(name), (0, 1), positive)
                left, loss = leave_out(statistic, t), found.losses[ROW_LOSS[name]]
                np.testing.assert_allclose(
                    [loss.value[s], loss.error[s], loss.freedom[s]],
                    [left.value, left.error, left.freedom],
                    rtol=1e-7,
                    err_msg=name,
                )


def test_what_a_slice_cannot_tell_is_nan():
    one_class = RaggedScores(
        np.zeros(2, np.intp), np.array([0.2, 0.8]), np.array([[2.0, 0], [3, 0]])
    )
    found = one_class.judged(1, 1, ["log"])
    assert np.isnan([found.area[0], found.variance[0]]).all()
    one_row = RaggedScores(np.zeros(1, np.intp), np.array([0.2]), np.array([[1.0, 0]]))
    found = one_row.judged(1, 1, ["squared"]).losses["squared"]
    assert found.value[0] == pytest.approx(0.04)
    assert math.isnan(found.error[0])
    impossible = RaggedScores(
        np.zeros(2, np.intp), np.array([0.0, 1.0]), np.array([[0, 1.0], [0, 1]])
    )
    found = impossible.judged(1, 1, ["log"]).losses["log"]
    assert math.isinf(found.value[0])
    assert math.isnan(found.error[0])
