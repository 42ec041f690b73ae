"""The counts and metrics at many thresholds: of weighted rows, and of classes with other shares."""

from __future__ import annotations

import numpy as np
import pytest

import tallymark as tm


def rows(seed, n=500):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    x = rng.normal(1.5 * y, 1)
    return y, 1 / (1 + np.exp(-(1.5 * x - 1.125))), rng


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["weights", "field"])
def test_fractional_counts_never_fall_below_zero(seed, kind):
    # Two sums of the same weights differ by rounding; a count of -1e-14 cannot be drawn from.
    y, s, rng = rows(seed)
    ev = tm.evaluate(y, y_score=s, weight=rng.random(len(y)))
    if kind == "field":
        ev = tm.evaluate(y, y_score=s).at(prevalence=float(rng.uniform(0.001, 0.3)))
    found = ev._sweep()["model"]
    for counts in (found.tp, found.fp, found.fn, found.tn):
        assert counts.min() == 0
    np.testing.assert_allclose(found.tp + found.fn, ev.models[0].scores[0]._score_counts.positives)
    for values, low, high in found.metrics.values():
        known = ~np.isnan(values) & ~np.isnan(low)
        assert (low[known] <= values[known] + 1e-12).all()
        assert (values[known] <= high[known] + 1e-12).all()


@pytest.mark.parametrize("positive", [1, 0])
@pytest.mark.parametrize("kind", ["rows", "weights", "field", "weights in the field"])
def test_every_number_is_that_of_the_evaluation_at_its_threshold(kind, positive):
    y, s, rng = rows(0)
    y = y if positive else 1 - y
    w = rng.uniform(0.3, 2, len(y)) if kind.startswith("weights") else None
    ev = tm.evaluate(y, y_score=s, positive=positive, weight=w, seed=3)
    if kind.endswith("field"):
        ev = ev.at(prevalence=0.02)
    sweep = ev._sweep()["model"]
    for i in (0, *range(1, len(sweep.threshold), 11), len(sweep.threshold) - 1):
        if not np.isfinite(sweep.threshold[i]):
            continue
        there = ev.at(threshold=float(sweep.threshold[i]))
        for name, found in sweep.metrics.items():
            v = there[name]
            np.testing.assert_allclose(
                [x[i] for x in found], [v.value, v.low, v.high], rtol=1e-12, atol=1e-12,
                err_msg=f"{name} at {sweep.threshold[i]}",
            )  # fmt: skip


def test_rates_keep_their_bounds_in_the_field():
    y, s, _ = rows(3)
    ev = tm.evaluate(y, y_score=s)
    here, there = ev._sweep()["model"], ev.at(prevalence=0.001)._sweep()["model"]
    np.testing.assert_array_equal(here.threshold, there.threshold)
    for name in ("sensitivity", "specificity"):
        np.testing.assert_allclose(here.metrics[name], there.metrics[name], atol=1e-9)
    # What does not move with the prevalence has bounds that hardly do.
    for a, b in zip(here.metrics["youden_j"], there.metrics["youden_j"], strict=True):
        np.testing.assert_allclose(a, b, atol=0.05)
