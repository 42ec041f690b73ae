"""Tests of classifiers against scikit-posthocs, baycomp and SciPy."""

from __future__ import annotations

import warnings
from itertools import combinations

import baycomp
import numpy as np
import pytest
import scikit_posthocs as sp
from scipy import stats
from statsmodels.stats.multitest import multipletests

from parts.results.one_pair import signed_rank
from tallymark.infer.multiplicity import holm
from tallymark.parts.results.friedman import critical_difference, friedman, rank_tests
from tallymark.parts.results.wilcoxon import wilcoxon

SEEDS = range(9)


def table(seed, ties=False):
    """Return values of classifiers that differ a little, on data sets that differ a lot."""
    rng = np.random.default_rng([11, seed])
    d, k = rng.integers(4, 25), rng.integers(3, 8)
    x = rng.random((d, 1)) + rng.normal(size=(d, k)) * 0.1 + rng.normal(size=k) * 0.1 * rng.random()
    return np.round(x, 1) if ties else x


def pair(seed, n=None, digits=None):
    rng = np.random.default_rng([12, seed])
    n = n or int(rng.integers(3, 30))
    a = 0.8 + 0.05 * rng.normal(size=n)
    b = a + 0.02 * rng.normal(size=n) + 0.03 * rng.normal()
    return (a, b) if digits is None else (np.round(a, digits), np.round(b, digits))


# -- ranks -------------------------------------------------------------------------------------


@pytest.mark.parametrize("ties", [False, True])
def test_friedman_is_scipys(ties):
    p = []
    for seed in SEEDS:
        x = table(seed, ties)
        ours, theirs = friedman(x), stats.friedmanchisquare(*x.T)
        assert ours.statistic == pytest.approx(theirs.statistic)
        assert ours.p_value == pytest.approx(theirs.pvalue)
        p.append(ours.p_value)
    assert min(p) < 0.01 < 0.5 < max(p)


@pytest.mark.parametrize("ties", [False, True])
def test_nemenyi_is_that_of_scikit_posthocs(ties):
    for seed in SEEDS:
        x = table(seed, ties)
        pairs = list(combinations(range(x.shape[1]), 2))
        *_, ours = rank_tests(friedman(x).ranks, len(x), pairs)
        theirs = sp.posthoc_nemenyi_friedman(x).to_numpy()[tuple(np.transpose(pairs))]
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.slow
def test_tests_of_mean_ranks_with_holm_are_those_of_scikit_posthocs(ties):
    for seed in SEEDS:
        x = table(seed, ties)
        pairs = list(combinations(range(x.shape[1]), 2))
        _, p, _ = rank_tests(friedman(x).ranks, len(x), pairs)
        plain, adjusted = (sp.posthoc_siegel_friedman(x, p_adjust=how).to_numpy() for how in (None, "holm"))  # fmt: skip
        rows, columns = np.transpose(pairs)
        np.testing.assert_allclose(p, plain[rows, columns], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(holm(p), adjusted[rows, columns], rtol=1e-9, atol=1e-12)


@pytest.mark.slow
def test_holm_is_that_of_statsmodels():
    for seed in SEEDS:
        p = np.random.default_rng(seed).random(seed + 1) ** 3
        np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1])


@pytest.mark.slow
def test_pairs_by_wilcoxon_with_holm_are_those_of_scikit_posthocs():
    for seed in SEEDS:
        x = table(seed)
        pairs = list(combinations(range(x.shape[1]), 2))
        ours = holm([wilcoxon(x[:, i], x[:, j]).p_value for i, j in pairs])
        theirs = sp.posthoc_wilcoxon(x.T, method="exact", p_adjust="holm").to_numpy()
        np.testing.assert_allclose(ours, theirs[tuple(np.transpose(pairs))])


def test_the_critical_difference_is_tukeys_of_many_degrees_of_freedom():
    for k in (2, 4, 9):
        q = stats.studentized_range.ppf(0.95, k, 1e6)
        ours = critical_difference(k, 10) / np.sqrt(k * (k + 1) / 60)
        assert ours == pytest.approx(q / np.sqrt(2), rel=1e-4)


# -- two classifiers ---------------------------------------------------------------------------


@pytest.mark.parametrize("digits", [None, 2])
@pytest.mark.slow
def test_wilcoxon_is_scipys(digits):
    exact = stats.PermutationMethod(n_resamples=np.inf)
    for seed in SEEDS:
        a, b = pair(seed, n=3 + seed % 7, digits=digits)
        d = np.round(a - b, 9)
        if not d.any():
            continue
        ours = wilcoxon(a, b)
        theirs = stats.wilcoxon(d, zero_method="zsplit", method=exact)
        assert ours.p_value == pytest.approx(theirs.pvalue)
        assert ours.statistic == pytest.approx(theirs.statistic)
    for seed in SEEDS:
        a, b = pair(seed, n=51 + seed, digits=digits)
        theirs = stats.wilcoxon(np.round(a - b, 9), zero_method="zsplit", method="asymptotic", correction=False)  # fmt: skip
        assert wilcoxon(a, b).p_value == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("rope", [0, 0.01, 0.05])
@pytest.mark.slow
def test_the_signed_rank_posterior_is_that_of_baycomp(rope):
    draws, seen = 4000, []
    for seed in SEEDS:
        a, b = pair(seed)
        ours = signed_rank(a, b, rope=rope, draws=20_000)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = baycomp.SignedRankTest.probs(a, b, rope, nsamples=draws, random_state=seed)
        expected = theirs if rope else (theirs[0], 0, theirs[1])
        # four standard errors of both lots
        slack = 4 * 0.5 * np.sqrt(1 / draws + 1 / 20_000)
        assert (ours.above, ours.within, ours.below) == pytest.approx(expected, abs=slack)
        seen.append(ours.above)
    assert min(seen) < 0.1
    assert max(seen) > 0.9
