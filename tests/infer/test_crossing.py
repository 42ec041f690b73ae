"""ROC curves of several models: how sure each of them is."""

from __future__ import annotations

import numpy as np
import pytest

import tallymark as tm
from tallymark.infer.crossing import bands
from tallymark.infer.paired import Paired


def scored(n, seed, models=("a", "b")):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return tm.evaluate(y, y_score={m: rng.normal(size=n) + 1.2 * y for m in models})


@pytest.mark.slow
def test_a_band_holds_the_true_curve_as_often_as_it_says():
    from scipy.stats import norm

    held = []
    for seed in range(40):
        ev = scored(400, seed)
        found = bands(Paired(ev.counted, {}, seed=seed))
        for b in found.values():
            inner = (b.fpr > 0.02) & (b.fpr < 0.6)
            x = b.fpr[inner]
            true = norm.sf(norm.isf(x) - 1.2)
            held.append(((b.low[inner] <= true) & (true <= b.high[inner])).mean())
    assert 0.9 < np.mean(held) < 0.99


def test_a_band_holds_the_curve_and_is_narrower_of_more_rows():
    few, many = (bands(Paired(scored(n, 0).counted, {}))["a"] for n in (200, 20_000))
    for b in (few, many):
        assert (b.low <= b.high).all()
        assert b.low.min() >= 0
        assert b.high.max() <= 1
    assert (many.high - many.low).mean() < (few.high - few.low).mean() / 4
    curve = scored(200, 0).model("a").curve("roc")
    y = np.interp(few.fpr, curve.x, curve.y)
    assert ((few.low <= y + 1e-12) & (y <= few.high + 1e-12)).all()


def test_no_bands_of_many_models_or_of_one_class():
    assert not bands(Paired(scored(60, 0, tuple("abcd")).counted, {}))
    alone = tm.evaluate([0] * 9, y_score={m: np.arange(9) / 9 for m in "ab"})
    assert not bands(Paired(alone.counted, {}))
    assert not tm.evaluate([0, 1] * 9, {"a": [0, 1] * 9, "b": [1, 1] * 9}).compared.bands


def test_a_lead_that_changes_at_the_very_start_changes_beyond_0():
    # The first finds more before the first false alarm, the second from then on.
    y = np.repeat([1, 0], [100, 400])
    first = np.concatenate([np.full(50, 0.9), np.full(50, 0.1), np.linspace(0.2, 0.8, 400)])
    second = np.concatenate([np.full(20, 0.9), np.full(75, 0.795), np.full(5, 0.1),
                             np.linspace(0.2, 0.8, 400)])  # fmt: skip
    (pair,) = tm.evaluate(y, y_score={"first": first, "second": second}).compared.pairs
    (place,) = pair.crossing.places
    assert 0 < place < 0.02
    assert pair.crossing.below == "first"


def test_models_on_rows_of_one_class_are_compared_without_a_warning():
    y = [0] * 30
    found = tm.evaluate(y, y_score={m: np.linspace(0, 1, 30) ** i for i, m in enumerate("abc")})
    assert {v.kind for v in found.compared.verdicts} <= {
        "undecided",
        "undefined",
        "better",
        "alike",
    }
    delong = found.compared.overall[-1]
    assert delong.reason == "a class has less than two rows"
