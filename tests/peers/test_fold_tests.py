"""Tests of two classifiers over folds against baycomp and mlxtend."""

from __future__ import annotations

import baycomp
import numpy as np
import pytest
from mlxtend.evaluate import combined_ftest_5x2cv, paired_ttest_5x2cv

from tallymark.infer.corrected_t import corrected_t
from tallymark.infer.correlated_t import correlated_t
from tallymark.infer.five_by_two import paired_5x2_f, paired_5x2_t

SEEDS = range(14)


def pair(seed, n):
    """Return values of two classifiers on the same folds."""
    rng = np.random.default_rng([12, seed])
    a = 0.8 + 0.05 * rng.normal(size=n)
    return a, a + 0.02 * rng.normal(size=n) + 0.03 * rng.normal()


class Told:
    """A classifier for mlxtend: it knows the values that it is to get, fold by fold."""

    _estimator_type = "classifier"

    def __init__(self, values):
        self.values = list(values)

    def fit(self, x, y):
        return self


def test_five_times_two_are_those_of_mlxtend():
    x, y = np.zeros((20, 1)), np.arange(20) % 2
    p = []
    for seed in SEEDS:
        a, b = pair(seed, n=10)
        asked = {"scoring": lambda model, x, y: model.values.pop(0), "random_seed": 1}
        for ours, theirs in ((paired_5x2_t, paired_ttest_5x2cv), (paired_5x2_f, combined_ftest_5x2cv)):  # fmt: skip
            found = ours(a, b)
            statistic, p_value = theirs(Told(a), Told(b), x, y, **asked)
            assert found.statistic == pytest.approx(statistic)
            assert found.p_value == pytest.approx(p_value)
            p.append(p_value)
    assert min(p) < 0.01 < 0.5 < max(p)


@pytest.mark.parametrize("runs", [1, 5])
@pytest.mark.parametrize("rope", [0, 0.01, 0.05])
def test_the_correlated_t_is_that_of_baycomp(runs, rope):
    for seed in SEEDS:
        folds = 2 + seed % 9
        a, b = pair(seed, n=folds * runs)
        ours = correlated_t(a, b, ratio=1 / (folds - 1), rope=rope)
        # of theirs, left is that the first has the higher values
        theirs = baycomp.CorrelatedTTest(a, b, rope, runs).probs()
        expected = theirs if rope else (theirs[0], 0, theirs[1])
        assert (ours.above, ours.within, ours.below) == pytest.approx(expected, abs=1e-9)
        mean, variance, df = baycomp.CorrelatedTTest.compute_statistics(a, b, runs)
        found = corrected_t(a, b, ratio=1 / (folds - 1))
        assert found.statistic == pytest.approx(-mean / np.sqrt(variance))
        assert found.df == (df,)
