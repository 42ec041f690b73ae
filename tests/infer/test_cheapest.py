"""Which model costs least for which costs: held to all thresholds, to chance, and to a known truth."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tallymark as tm
from tallymark.infer.cheapest import PLACES, least_costs
from tallymark.report.subjects.comparison import cheapest_line


def slow_least_costs(y, s):
    """Return the least cost of every threshold, of calling all negative and of calling all positive."""
    cuts = [*np.unique(s), np.inf]
    missed = np.array([(s < t)[y == 1].mean() for t in cuts])
    alarms = np.array([(s >= t)[y == 0].mean() for t in cuts])
    return np.array([min(x * missed + (1 - x) * alarms) for x in PLACES])


@pytest.mark.parametrize("seed", range(4))
def test_least_costs_are_those_of_all_thresholds(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 300)
    s = np.round(rng.normal(y * (seed - 1), 1), 1 if seed % 2 else 6)
    ev = tm.evaluate(y, y_score=s, threshold=0.0)
    found = least_costs(ev.models[0].scores[0]._score_counts)
    # Rates are read in steps of 1.5 %, along straight lines between thresholds.
    np.testing.assert_allclose(found, slow_least_costs(y, s), atol=0.015)


def crossed(n, seed=0):
    """Make a model that is better where false alarms cost more, and one where misses do."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    early = np.where(y, rng.normal(1.0, 3.0, n), rng.normal(0, 1.0, n))
    late = np.where(y, rng.normal(1.0, 1.0, n), rng.normal(-1.0, 3.0, n))
    return y, {"early": early, "late": late}


def compared(y, scores, **options):
    return tm.evaluate(y, y_score=scores, threshold=0.0).compare(permutations=0, **options)


@pytest.mark.slow
def test_models_whose_curves_cross_win_at_different_costs():
    y, scores = crossed(6000)
    found = compared(y, scores)
    assert [c.model for c in found.cheapest] == ["early", "late"]
    early, late = found.cheapest
    assert early.high < late.low
    share = y.mean()
    assert early.ratios[1] == pytest.approx(early.high / (1 - early.high) * (1 - share) / share)
    truth = {n: slow_least_costs(y, s) for n, s in scores.items()}
    for c in found.cheapest:
        inside = (c.low <= PLACES) & (c.high >= PLACES)
        other = next(n for n in truth if n != c.model)
        assert (truth[c.model][inside] < truth[other][inside]).all()
    line = cheapest_line(found)
    low, high = (f"{r:.2g}" for r in (early.ratios[1], late.ratios[0]))
    assert low in line
    assert high in line
    assert line in " ".join(str(found).split())
    assert json.loads(json.dumps(found.to_dict()))["cheapest"][0]["model"] == "early"


@pytest.mark.slow
def test_the_other_class_as_positive_turns_the_costs():
    y, scores = crossed(6000)
    one = compared(y, scores).cheapest
    other = compared(1 - y, {n: -s for n, s in scores.items()}).cheapest
    assert [c.model for c in other] == [c.model for c in one][::-1]
    for a, b in zip(one, other[::-1], strict=True):
        assert (1 - b.high, 1 - b.low) == pytest.approx((a.low, a.high), abs=0.05)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.slow
def test_equal_models_that_seem_the_cheapest_are_not_said_to_be(seed):
    """A pointwise interval of their costs calls one of these the cheapest somewhere."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 400)
    x = y + rng.normal(0, 1, 400)
    scores = {n: x + rng.normal(0, 0.7, 400) for n in "ab"}
    assert not compared(y, scores, metrics=["roc_auc"]).cheapest


def test_decisions_and_several_classes_have_no_cheapest_model():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    found = tm.evaluate(y, {"a": y, "b": 1 - y}).compare(permutations=0)
    assert found.cheapest == ()
    assert cheapest_line(found) == ""
