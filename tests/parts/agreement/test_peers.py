"""statsmodels' Fleiss' kappa, and the standard errors of the metrics of a matrix."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as theirs

from peers.test_oracles import by_delta, table_of
from tallymark import RatingTally, agree


@pytest.mark.slow
def test_fleiss_kappa():
    undefined, values = 0, set()
    for seed in range(600):
        rng = np.random.default_rng([4, seed])
        subjects, raters = int(10 ** rng.uniform(0, 2.5)), rng.integers(2, 9)
        k = rng.integers(1, 9)
        truth = rng.choice(k, (subjects, 1), p=rng.dirichlet(np.full(k, 0.7)))
        guess = rng.choice(k, (subjects, raters))
        ratings = np.where(rng.random((subjects, raters)) < rng.random(), truth, guess)
        ours = agree(RatingTally.from_arrays(ratings), "fleiss_kappa").value
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = theirs(aggregate_raters(ratings)[0])
        assert ours == pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True)
        undefined += math.isnan(ours)
        values.add(ours)
    assert len(values) > 400
    assert undefined > 10


@pytest.mark.parametrize("case", range(20))
def test_two_raters_have_one_standard_error_from_ratings_and_from_the_matrix(case):
    """Fleiss' kappa of two raters is Scott's pi; over subjects n - 1 stands for n."""
    m = table_of(case)
    n, labels = int(m.sum()), tuple(range(len(m)))
    pairs = np.repeat(np.argwhere(m >= 0), m.ravel(), axis=0)
    ratings = RatingTally.from_arrays(pairs, labels=labels)
    for rated, decided in (("fleiss_kappa", "scott_pi"), ("gwet_ac1", "gwet_ac1")):
        of_ratings, of_matrix = agree(ratings, rated), by_delta(decided, m)
        assert of_ratings.value == pytest.approx(of_matrix.value)
        assert of_ratings.se == pytest.approx(of_matrix.se * math.sqrt(n / (n - 1)), rel=1e-9)
    alpha = agree(ratings, "krippendorff_alpha"), by_delta("krippendorff_alpha", m)
    assert alpha[0].value == pytest.approx(alpha[1].value)
    assert alpha[0].se == pytest.approx(alpha[1].se, rel=3 / n)
