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
    ev = tm.evaluate(y, y_score=s, sample_weight=rng.random(len(y)))
    if kind == "field":
        ev = tm.evaluate(y, y_score=s).at(prevalence=float(rng.uniform(0.001, 0.3)))
    found = ev.sweep()["model"]
    for counts in (found.tp, found.fp, found.fn, found.tn):
        assert counts.min() == 0
    np.testing.assert_allclose(found.tp + found.fn, ev.models[0].scores[0].ranking().positives)
    for values, low, high in found.metrics.values():
        known = ~np.isnan(values) & ~np.isnan(low)
        assert (low[known] <= values[known] + 1e-12).all()
        assert (values[known] <= high[known] + 1e-12).all()
