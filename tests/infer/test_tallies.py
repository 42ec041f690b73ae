"""The scores of all rows but a subgroup's are judged as those rows alone are."""

from __future__ import annotations

import numpy as np
import pytest

from tallymark.infer.delong import auc_variance
from tallymark.infer.score_samples import ROW_LOSS, jackknife
from tallymark.infer.tallies import rests
from tallymark.metric import get
from tallymark.metric.measure import Statistic
from tallymark.tally.scores import ScoreTally
from tallymark.tally.subgroups import ROW_LOSSES, rest_sums, stack_rows


def rows(n=400, subgroups=6, seed=0):
    rng = np.random.default_rng(seed)
    where, score = rng.integers(0, subgroups, n), rng.uniform(0.01, 0.99, n).round(2)
    return where, score, (rng.random(n) < score).astype(np.int8)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("subgroups", [6, 2])
def test_the_rest_is_judged_as_its_rows_alone_are(weighted, positive, subgroups):
    where, score, true = rows(subgroups=subgroups)
    w = np.random.default_rng(1).uniform(0.2, 2, len(true)) if weighted else None
    stack = stack_rows(where, score, true, w, 2, subgroups, None if w is None else w**2)
    found = rests(stack.lines(), stack.judged(subgroups, positive, ROW_LOSSES), positive)
    for s in range(subgroups):
        left = where != s
        t = ScoreTally.from_arrays(
            true[left], score[left], positive=positive, labels=(0, 1),
            sample_weight=None if w is None else w[left],
        )  # fmt: skip
        area, variance = auc_variance(t)
        np.testing.assert_allclose([found.area[s], found.variance[s]], [area, variance], rtol=1e-9)
        assert found.positives[s] == pytest.approx(t._score_counts.positives)
        for name in ROW_LOSS:
            one, loss = (
                jackknife(Statistic.of(get(name), (0, 1), positive), t),
                found.losses[ROW_LOSS[name]],
            )
            assert loss.value[s] == pytest.approx(one.value, rel=1e-11), name
            assert loss.error[s] == pytest.approx(one.error, rel=0.02), name
            assert loss.freedom[s] == pytest.approx(one.degrees_of_freedom, rel=0.3), name


def test_a_rest_that_ranks_without_a_mistake_has_no_variance():
    where = np.repeat([0, 1, 2], 20)
    true = np.tile([0, 1], 30).astype(np.int8)
    score = np.where(true == 1, 0.8, 0.3) + np.linspace(0, 0.1, 60)
    score[:20] = score[:20][::-1]  # the first subgroup alone has mistakes
    stack = stack_rows(where, score, true, None, 2, 3)
    found = rests(stack.lines(), stack.judged(3, 1, ()), 1)
    assert found.area[0] == 1
    assert found.variance[0] == 0
    assert found.area[1] < 1
    assert found.variance[1] > 0


def test_a_rest_of_one_class_and_an_endless_loss():
    where, true = np.array([0, 0, 0, 0, 1, 1]), np.array([0, 1, 0, 1, 1, 1], np.int8)
    score = np.array([0.2, 0.7, 0.6, 0.4, 0.0, 0.9])
    stack = stack_rows(where, score, true, None, 2, 2)
    found = rests(stack.lines(), stack.judged(2, 1, ("log",)), 1)
    assert np.isnan(found.area[0])
    assert np.isnan(found.variance[0])
    assert found.area[1] == 0.75
    assert np.isinf(found.losses["log"].value[0])
    assert np.isfinite(found.losses["log"].value[1])


def test_sums_of_all_others_lose_nothing():
    values = np.array([[1e16, 0.1], [1.0, 0.2], [2.0, 0.0]])
    np.testing.assert_array_equal(rest_sums(values)[0], [3.0, 0.2])
    np.testing.assert_allclose(rest_sums(values)[2], [1e16 + 1, 0.3], rtol=1e-15)
