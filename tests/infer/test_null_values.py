"""Distances that chance alone keeps above their null value: their intervals reach it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import tallymark as tm

NULLS = {
    "kolmogorov_smirnov": 0.0,
    "roc_hull_auc": 0.5,
    "equal_error_rate_hull": 0.5,
    "min_cllr": 1.0,
}
CALIBRATION = (
    "expected_calibration_error",
    "root_mean_squared_calibration_error",
    "miscalibration",
)


def held(value, truth):
    return value.low - 1e-12 <= truth <= value.high + 1e-12


def in_samples(samples, names):
    """Return the values of each sample (y, scores), judged as subgroups of one evaluation."""
    where = np.repeat(np.arange(len(samples)), [len(y) for y, _ in samples])
    y, scores = (np.concatenate(column) for column in zip(*samples, strict=True))
    ev = tm.evaluate(y, y_score=scores, subgroup={"at": where})
    return ev.by("at").values(names).values()


@pytest.mark.slow
@pytest.mark.parametrize(("positives", "negatives"), [(30, 30), (12, 70)])
def test_of_a_model_without_skill_the_interval_holds_the_null_value(positives, negatives):
    rng = np.random.default_rng(11)
    y = np.repeat([1, 0], [positives, negatives])
    found = in_samples([(y, rng.random(len(y))) for _ in range(70)], list(NULLS))
    for name, null in NULLS.items():
        hits = sum(held(values[name], null) for values in found)
        assert binom.cdf(hits, len(found), 0.95) > 0.05, name


@pytest.mark.slow
def test_the_area_under_the_hull_is_covered_of_fair_scores():
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], [50, 50])
    truth = 0.8556  # of normal scores 1.5 apart, whose ROC curve is its own hull
    found = in_samples([(y, rng.normal(size=100) + 1.5 * y) for _ in range(60)], ["roc_hull_auc"])
    assert np.mean([held(values["roc_hull_auc"], truth) for values in found]) >= 0.93


@pytest.mark.slow
def test_calibrated_probabilities_of_clusters_may_have_no_calibration_error():
    rng, kept = np.random.default_rng(8), {name: [] for name in CALIBRATION}
    for _ in range(25):
        who = np.repeat(np.arange(120), 4)
        y = (rng.random(len(who)) < rng.beta(1, 1, 120)[who]).astype(int)
        x = rng.normal(1.5 * y, 1.0)
        ev = tm.evaluate(y, y_score=1 / (1 + np.exp(-1.5 * (x - 0.75))), cluster=who)
        for name in CALIBRATION:
            value = ev[name]
            kept[name].append(value.low == 0)
            assert value.warning is None
    assert {name: np.mean(low) >= 0.9 for name, low in kept.items()} == dict.fromkeys(
        CALIBRATION, True
    )


@pytest.mark.slow
def test_calibrated_probabilities_of_several_classes_may_have_no_calibration_error():
    rng, shares = np.random.default_rng(3), np.array([0.5, 0.3, 0.2])
    for wrong in (1.0, 3.0):
        y = rng.choice(3, 600, p=shares)
        odds = 1.5 * (y[:, None] == np.arange(3)) + rng.normal(size=(600, 3))
        p = np.exp(1.5 * wrong * odds) * shares
        ev = tm.evaluate(y, y_score=p / p.sum(1, keepdims=True))
        for name in CALIBRATION:
            value = ev[name]
            assert (value.low == 0) == (wrong == 1), name
            assert value.low < value.value < value.high
            assert value.warning is None
