from __future__ import annotations

import json
import math

import numpy as np
import pytest

import tallymark as tm
from tallymark.tally.scores import class_tallies
from tallymark.tally.sums import LOSSES, Sums


def rows(n=200, k=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, k, n), rng.dirichlet(np.ones(k), n), rng.exponential(1, n)


def test_means_are_the_metrics():
    y, p, w = rows()
    for weights in (None, w):
        sums = Sums.of_rows(y, p, weights)
        tallies = class_tallies(y, p, sample_weight=weights)
        for name in LOSSES:
            mean, _ = sums.mean(name)
            value = getattr(tm.metrics, name)(tallies)
            assert (math.sqrt(mean) if "root" in name else mean) == pytest.approx(value)


def test_the_error_is_that_of_a_mean():
    y, p, _ = rows()
    loss = -np.log(p[np.arange(len(y)), y])
    assert Sums.of_rows(y, p).mean("log_loss") == pytest.approx(
        (loss.mean(), loss.std(ddof=1) / math.sqrt(len(y)))
    )


def test_adding_and_keeping():
    y, p, w = rows()
    a, b = (
        Sums.of_rows(y[:80], p[:80], w[:80]),
        Sums.of_rows(y[80:], p[80:], w[80:]),
    )
    whole, back = (
        Sums.of_rows(y, p, w),
        Sums.from_dict(json.loads(json.dumps(a.to_dict()))),
    )
    assert back == a
    assert (a + b).mean("brier") == pytest.approx(whole.mean("brier"))
    assert (a + Sums.empty()) == a
    assert all(math.isnan(x) for x in Sums.empty().mean("brier"))


def test_sums_of_different_things_do_not_add_up():
    with pytest.raises(tm.InputError, match="do not add up"):
        Sums.empty() + Sums.empty(("brier",))
    with pytest.raises(tm.InputError, match="need one a name"):
        Sums(("brier",), np.zeros(2), np.zeros(1), np.zeros(1), 0.0, 0.0, 0)
