"""How far columns go together, beside the statistics that others compute."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from tallymark.reading.evidence import agreement_z, rank_z
from tallymark.reading.look import of_array
from tallymark.reading.meaning import FEWEST

RNG = np.random.default_rng(3)


def test_a_shift_is_mann_and_whitneys_statistic():
    own = RNG.random(80) < 0.3
    scores = (RNG.random(80) + 0.4 * own).round(1)  # with ties
    found = mannwhitneyu(scores[own], scores[~own])
    m, n = own.sum(), (~own).sum()
    spread = math.sqrt(m * n * (m + n + 1) / 12)
    assert rank_z(scores, own) == pytest.approx(abs(found.statistic - m * n / 2) / spread)
    assert rank_z(-scores, own) == pytest.approx(rank_z(scores, own))
    gone = np.where(RNG.random(80) < 0.2, np.nan, scores)
    kept = np.isfinite(gone)
    assert rank_z(gone, own) == pytest.approx(rank_z(gone[kept], own[kept]))
    assert rank_z(scores, np.ones(80, bool)) == 0


def test_agreement_is_counted_beyond_chance_in_standard_errors():
    one = RNG.choice(["a", "b", "c"], 90)
    other = np.where(RNG.random(90) < 0.5, one, RNG.choice(["a", "b", "d"], 90))
    classes = ["a", "b", "c", "d"]
    chance = sum((one == c).mean() * (other == c).mean() for c in classes)
    z = ((one == other).mean() - chance) / math.sqrt(chance * (1 - chance) / 90)
    held = [of_array(v.astype(object), "x") for v in (one, other)]
    assert agreement_z(*held) == pytest.approx(z)
    few = [of_array(v[: FEWEST - 1].astype(object), "x") for v in (one, other)]
    assert agreement_z(*few) == math.inf
