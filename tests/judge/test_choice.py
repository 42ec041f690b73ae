"""The choice of a threshold, and what is to be expected of it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tallymark as tm
from tallymark.curve import best_thresholds
from tallymark.judge.choice import choose_threshold
from tallymark.metric import get


def tally(n=200, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return tm.ScoreTally.from_arrays(y, np.round(0.3 * y + rng.random(n), 2))


@pytest.mark.parametrize("name", ["number_needed_to_diagnose", "predicted_positive_rate"])
def test_what_is_neither_good_nor_bad_when_high_chooses_nothing(name):
    with pytest.raises(tm.InputError, match=f"{name} is neither good nor bad when high; it has no"):
        choose_threshold(tally(), name)
    with pytest.raises(tm.InputError, match=f"{name} is neither good nor bad when high; it has no"):
        best_thresholds(tally(), get(name))


def test_unknown_parameters_are_refused():
    with pytest.raises(tm.InputError, match="f_beta has no parameter 'betta'"):
        choose_threshold(tally(), "f_beta", betta=2)


def test_choices_flatter_whichever_way_is_good():
    high, low = (choose_threshold(tally(), name) for name in ("accuracy", "error_rate"))
    assert high.threshold == low.threshold
    assert 0 < high.best.optimism == pytest.approx(-low.best.optimism)
    assert high.best.corrected == pytest.approx(1 - low.best.corrected)


def test_an_infinite_optimism_is_none():
    # 25 on all rows, and infinite on samples without the one false alarm.
    t = tm.ScoreTally((0, 1), 1, np.array([0.1, 0.9]), np.array([[5.0, 1.0], [1.0, 5.0]]))
    found = choose_threshold(t, "diagnostic_odds_ratio").best
    assert found.value == 25
    assert math.isnan(found.optimism)
    assert math.isnan(found.corrected)


def test_weights_of_2_are_as_many_rows():
    t = tally()
    twice = tm.ScoreTally(t.labels, 1, t.scores, 2 * t.counts, 4 * t.counts, t.rows)
    one, two = (choose_threshold(v, "chi_square").best for v in (t, twice))
    assert two.optimism == pytest.approx(2 * one.optimism)
