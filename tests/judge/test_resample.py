from __future__ import annotations

import numpy as np
import pytest

import tallymark as tm
from tallymark.judge import resample


def draws(counts, n, b, posterior, seed=0):
    rng = np.random.default_rng(seed)
    blocks = resample.matrix_draws(counts, n, b, rng, np.asarray(posterior))
    return np.concatenate(list(blocks))


def test_a_bootstrap_matrix_is_a_multinomial_draw():
    counts = np.array([[50.0, 10.0], [0.0, 40.0]])
    found = draws(counts, 100, 4000, False)
    assert found.shape == (4000, 2, 2)
    assert (found.sum((1, 2)) == 100).all()
    np.testing.assert_allclose(found.mean(0), counts, atol=0.6)
    np.testing.assert_allclose(found.var(0), counts * (1 - counts / 100), rtol=0.1, atol=0.1)
    assert (found[:, 1, 0] == 0).all()


def test_the_posterior_gives_empty_cells_their_due():
    counts = np.array([[50.0, 10.0], [0.0, 40.0]])
    found = draws(counts, 100, 4000, True)
    assert (found > 0).all()
    np.testing.assert_allclose(found.sum((1, 2)), 100)
    np.testing.assert_allclose(found.mean(0) * 1.02, counts + 0.5, atol=0.6)


def test_each_matrix_of_a_stack_is_drawn_as_it_should():
    stack = np.array([[[5.0, 5.0], [0.0, 10.0]], [[1.0, 9.0], [4.0, 6.0]]])
    found = draws(stack, 20, 500, [True, False])
    assert found.shape == (500, 2, 2, 2)
    assert (found[:, 0, 1, 0] > 0).all()
    assert (found[:, 1] == found[:, 1].round()).all()


def test_ranking_draws_keep_the_scores_and_the_rows():
    t = tm.ScoreTally.from_arrays([0, 1, 1, 0, 0], [0.1, 0.5, 0.5, 0.5, 0.9])
    rng = np.random.default_rng(0)
    (block,) = resample.ranking_draws(t, 3000, rng)
    assert block.pos.shape == (3000, 3)
    assert (block.total == 5).all()
    np.testing.assert_allclose(block.pos.mean(0), [0, 2, 0], atol=0.1)


def test_percentile_bounds_of_undefined_and_infinite_replicates():
    values = np.arange(1.0, 101.0)
    low, high = resample.percentile_bounds(values, 0.9)
    assert (float(low), float(high)) == (6.0, 95.0)
    some = np.where(values > 60, np.nan, values)
    assert float(resample.percentile_bounds(some, 0.9)[1]) == 57.0
    most = np.where(values > 40, np.nan, values)
    assert np.isnan(resample.percentile_bounds(most, 0.9)).all()
    infinite = np.where(values > 90, np.inf, values)
    assert float(resample.percentile_bounds(infinite, 0.9)[1]) == np.inf


def test_effective_rows():
    t = tm.LabelTally.from_arrays([0, 1], [0, 1], sample_weight=[1.0, 3.0])
    assert resample.effective_rows(t.counts, t.squares, t.rows) == pytest.approx(16 / 10)
    assert resample.effective_rows(t.counts, None, 9) == 9
