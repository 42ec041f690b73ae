"""Tests and intervals hold their level where nothing differs, and the truth where much does."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy.stats import chi2, norm

import tallymark as tm
from judged import counted_of, difference_of
from tallymark.infer.paired import Paired
from tallymark.infer.significance import mcnemar
from tallymark.metric import get
from tallymark.metric.measure import Statistic


def near(share, runs, level=0.05):
    """Tell whether a simulated level lies within four standard errors of its own."""
    return abs(share - level) < 4 * math.sqrt(level * (1 - level) / runs)


def test_mid_p_holds_its_level():
    rng = np.random.default_rng(0)
    p_value = cache(lambda b, c: mcnemar(b, c).p_value)
    tables = rng.multinomial(200, (0.6, 0.12, 0.12, 0.16), 5000)
    found = np.mean([p_value(int(b), int(c)) < 0.05 for _, b, c, _ in tables])
    assert near(found, 5000)
    exact = cache(lambda b, c: mcnemar(b, c, "exact").p_value)
    assert np.mean([exact(int(b), int(c)) < 0.05 for _, b, c, _ in tables]) < found


def drawn(rng, n, prevalence, lifts=(1.5, 1.5)):
    """Draw two noisy views of one signal as a Paired."""
    y = np.zeros(n, dtype=int)
    while not 0 < y.sum() < n:
        y = (rng.random(n) < prevalence) * 1
    shared = rng.normal(size=n)
    x = {k: (shared + rng.normal(size=n)) / 2**0.5 + v * y
         for k, v in zip("ab", lifts, strict=True)}  # fmt: skip
    said = {k: (x[k] >= v / 2) * 1 for k, v in zip("ab", lifts, strict=True)}
    ev = tm.evaluate(y, said, y_score=x, positive=1)
    values = {m.name: {n: Statistic.of(get(n), (0, 1), 1).point(t) for n, t in (
        ("roc_auc", m.scores), ("f1", m.labels), ("balanced_accuracy", m.labels))}
        for m in ev.models}  # fmt: skip
    return Paired(counted_of(ev), values, draws=600)


@pytest.mark.slow
def test_delong_holds_its_level():
    rng = np.random.default_rng(1)
    made = [difference_of(drawn(rng, 120, 0.4), "roc_auc") for _ in range(1000)]
    assert near(np.mean([d.p_value < 0.05 for d in made]), len(made))
    assert near(np.mean([not d.low <= 0 <= d.high for d in made]), len(made))


@pytest.mark.slow
def test_all_areas_of_three_models_hold_their_level_with_twenty_positives():
    rng = np.random.default_rng(3)
    y = (np.arange(200) < 20) * 1
    found = []
    for _ in range(1500):
        x = rng.normal(size=200) + rng.normal(size=(3, 200)) + 2 * y
        ev = tm.evaluate(y, y_score=dict(zip("abc", x, strict=True)), positive=1)
        found.append(Paired(counted_of(ev), {}).auc_test())
    assert near(np.mean([t.p_value < 0.05 for t in found]), len(found))
    by_delong = np.mean([chi2.sf(t.statistic, t.degrees) < 0.05 for t in found])
    assert by_delong > 0.065


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["roc_auc", "f1", "balanced_accuracy"])
def test_intervals_hold_the_difference_of_a_near_perfect_model(metric):
    # Ten positives in expectation: most samples show no error of the one among them.
    rng = np.random.default_rng(2)
    lifts = (4.0, 1.5)
    hits = norm.cdf(np.array(lifts) / 2)
    truth = {
        "roc_auc": norm.cdf(lifts[0] / 2**0.5) - norm.cdf(lifts[1] / 2**0.5),
        "balanced_accuracy": hits[0] - hits[1],
        "f1": np.subtract(*(0.2 * hits / (0.1 * hits + 0.9 * (1 - hits) + 0.1))),
    }[metric]
    made = [difference_of(drawn(rng, 100, 0.1, lifts), metric) for _ in range(300)]
    held = np.mean([d.low <= truth <= d.high for d in made])
    assert 0.915 < held < 0.985
    assert not any(math.isnan(d.low) for d in made)
