"""What weighted rows are worth, held to drawing them; Wilson's interval is in test_interval."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, chisquare, norm

from tallymark import _kernels
from tallymark.metric.proportion import WIDE, bent, binomial_draws, worth


def of_rows(hit, w):
    return worth(w[hit].sum(), w.sum(), (w[hit] ** 2).sum(), (w**2).sum())


@pytest.mark.parametrize("heavy", [1.0, 5.0])
def test_rows_are_worth_what_their_redrawn_proportion_varies(heavy):
    rng = np.random.default_rng(0)
    hit = rng.random(300) < 0.3
    w = rng.lognormal(0, 1, 300) * np.where(hit, heavy, 1)
    which = rng.integers(0, 300, (20_000, 300))
    drawn = (w * hit)[which].sum(1) / w[which].sum(1)
    p = w[hit].sum() / w.sum()
    assert p * (1 - p) / of_rows(hit, w) == pytest.approx(drawn.var(), rel=0.05)


def test_rows_of_one_weight_are_worth_their_number():
    hit = np.arange(40) < 13
    assert of_rows(hit, np.full(40, 7.0)) == pytest.approx(40)


@pytest.mark.parametrize("all_of_them", [False, True])
def test_at_the_ends_rows_are_worth_kishs_number(all_of_them):
    w = np.array([1.0, 2.0, 3.0])
    assert of_rows(np.full(3, all_of_them), w) == pytest.approx(36 / 14)


def test_no_rows_are_worth_nothing_that_is_known():
    assert np.isnan(worth(0.0, 0.0, 0.0, 0.0))


@pytest.mark.parametrize("n", [0, 1, 7, 390, 10**6])
@pytest.mark.parametrize("p", [0.0, 1e-9, 0.003, 0.25, 0.5, 0.93, 1.0])
def test_few_hits_are_quantiles_of_uniform_numbers(n, p):
    # The twin: scipy's own quantiles.
    uniform = np.random.default_rng(n).random((2000, 1))
    uniform[:3, 0] = 0, 1e-12, np.nextafter(1, 0)
    found = uniform.copy()
    _kernels.draw_hits(np.array([float(n)]), np.array([p]), found)
    below, above = (binom.cdf(found + k, n, p) for k in (-1, 0))
    assert (below <= uniform + 1e-12).all()
    assert (above >= uniform - 1e-12).all()
    assert ((found >= 0) & (found <= n)).all()


@pytest.mark.parametrize("p", [1e-6, 1e-3, 0.05, 0.3, 0.5, 0.9, 0.9999])
@pytest.mark.parametrize("variance", [WIDE, 3 * WIDE, 100 * WIDE])
def test_bent_normal_deviates_are_binomial(p, variance):
    n = np.ceil(variance / (p * (1 - p)))
    hits = np.arange(*binom.ppf([1e-7, 1 - 1e-7], n, p))
    # Where the bent deviates step from each number of hits to the next, found by halving.
    low, high = np.full(len(hits), -7.0), np.full(len(hits), 7.0)
    for _ in range(60):
        middle = (low + high) / 2
        more = bent(n, p, middle.copy()) > hits
        low, high = np.where(more, low, middle), np.where(more, middle, high)
    np.testing.assert_allclose(norm.cdf(low), binom.cdf(hits, n, p), rtol=0, atol=3e-6)


def test_draws_of_few_and_of_many_rows_stand_in_their_columns():
    n, p = np.array([20.0, 4000.0, 3.0, 10**6]), np.array([0.4, 0.3, 0.9, 1e-5])
    found = binomial_draws(np.random.default_rng(0), n, p, 20_000)
    assert found.shape == (20_000, 4)
    for column, size, chance in zip(found.T, n, p, strict=True):
        edges = np.unique(binom.ppf(np.linspace(0, 1, 12)[1:-1], size, chance))
        seen = np.bincount(np.searchsorted(edges, column), minlength=len(edges) + 1)
        share = np.diff(binom.cdf(edges, size, chance), prepend=0, append=1)
        assert chisquare(seen[share > 0], 20_000 * share[share > 0]).pvalue > 1e-3
    assert np.abs(np.corrcoef(found.T) - np.eye(4)).max() < 0.03


def test_draws_are_the_same_for_the_same_seed():
    n, p = np.array([5.0, 5e4]), np.array([0.2, 0.7])
    first, again = (binomial_draws(np.random.default_rng(3), n, p, 50) for _ in range(2))
    np.testing.assert_array_equal(first, again)
