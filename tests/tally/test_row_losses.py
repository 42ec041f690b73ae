"""Means over rows in one pass: beside slow twins, in any order of rows, and beside the tally."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tallymark as tm
from tallymark import metrics
from tallymark.tally.row_losses import ProbabilityRows

MANY = 4096

NAMES = ("brier", "mean_absolute_error", "root_mean_squared_error", "log_loss",
         "expected_calibration_error", "max_calibration_error",
         "root_mean_squared_calibration_error")  # fmt: skip


def rows(kind, n=3 * MANY + 7):
    """Return labels and probabilities: anywhere, near 0 and 1, or on the edges of bins."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, n)
    if kind == "certain":  # errors from 1e-300 on
        p = np.where(rng.random(n) < 0.5, 10.0 ** -rng.uniform(1, 300, n), 1 - rng.random(n) * 1e-9)
    elif kind == "edges":
        p = np.clip(rng.integers(1, 10, n) / 10 + rng.integers(-1, 2, n) * 1e-17, 0, 1)
        p[:9] = np.nextafter(np.arange(1, 10) / 10, 0)
    else:
        p = rng.random(n)
    return y, p


def slow_terms(loss, y, p):
    """Return the losses of rows, one row after the other."""
    for truth, x in zip(y.tolist(), p.tolist(), strict=True):
        error = 1 - x if truth else x
        if loss == "squared":
            yield error * error
        elif loss == "absolute":
            yield error
        else:
            yield -math.log(x) if truth else -math.log1p(-x)


def slow_bins(y, p, bins):
    """Return rows, positives and truth minus probability of each bin, one row after the other."""
    terms = [[] for _ in range(bins)]
    positives = [0] * bins
    for truth, x in zip(y.tolist(), p.tolist(), strict=True):
        b = max(k for k in range(bins) if k == 0 or x >= k / bins)
        terms[b].append(1 - x if truth else -x)
        positives[b] += truth
    return [len(t) for t in terms], positives, [math.fsum(t) for t in terms]


@pytest.mark.parametrize("n", [1, 9, 3 * MANY + 7])
@pytest.mark.parametrize("kind", ["uniform", "certain", "edges"])
def test_means_are_exact_sums_rounded_once(kind, n):
    y, p = (column[:n] for column in rows(kind))
    for loss in ("squared", "absolute"):
        wanted = math.fsum(slow_terms(loss, y, p)) / len(y)
        assert ProbabilityRows(y, p, 1).mean(loss) == wanted
    wanted = math.fsum(slow_terms("logarithm", y, p)) / len(y)
    assert ProbabilityRows(y, p, 1).mean("logarithm") == pytest.approx(wanted, rel=1e-14)


@pytest.mark.parametrize("n", [1, 9, 3 * MANY + 7])
@pytest.mark.parametrize("bins", [1, 10, 15, 64])
@pytest.mark.parametrize("kind", ["uniform", "certain", "edges"])
def test_bins_are_exact_sums_rounded_once(kind, bins, n):
    y, p = (column[:n] for column in rows(kind))
    found = ProbabilityRows(y, p, 1).bins(bins)
    for column, wanted in zip(found, slow_bins(y, p, bins), strict=True):
        assert column.tolist() == wanted


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["uniform", "certain", "edges"])
def test_rows_in_any_order_give_the_number_of_their_tally(kind, name):
    y, p = rows(kind)
    metric = getattr(metrics, name)
    value = metric(y, p)
    order = np.random.default_rng(2).permutation(len(y))
    assert metric(y[order], p[order]) == value
    assert value == pytest.approx(metric(tm.ScoreTally.from_arrays(y, p)), rel=1e-12)
    for labels in (y.astype(bool), y.astype(np.int8), 2 * y - 1):
        assert metric(labels, p) == value
    assert metric(1 - y, p, positive=0) == value
    single = p.astype(np.float32)
    assert metric(y, single) == metric(y, single.astype(np.float64))


def test_many_rows_are_added_by_several_cores():
    y, p = rows("uniform", 1 << 20)
    assert metrics.brier(y, p) == math.fsum(slow_terms("squared", y, p)) / len(y)
    assert metrics.brier(y[::-1].copy(), p[::-1].copy()) == metrics.brier(y, p)


def test_a_certain_mistake_makes_the_log_loss_infinite():
    y, p = rows("uniform")
    p[5], y[5] = 0.0, 1
    assert metrics.log_loss(y, p) == math.inf
    y[5] = 0
    assert metrics.log_loss(y, p) < 2
    assert metrics.log_loss(y, p, clip=1e-3) > 0


@pytest.mark.parametrize("bad", [-1e-9, 1.5, math.nan, math.inf])
def test_rows_that_are_no_probabilities_are_refused_as_counted_ones_are(bad):
    y, p = rows("uniform")
    p[MANY + 1] = bad
    for name in ("brier", "expected_calibration_error"):
        with pytest.raises(tm.InputError, match=r"y_score"):
            getattr(metrics, name)(y, p)
    assert ProbabilityRows(y, p, 1).mean("squared") is None
    assert ProbabilityRows(y, p, 1).bins(10) is None


def test_other_rows_are_counted():
    y, p = rows("uniform")
    assert ProbabilityRows(y + 1, p, 1).mean("squared") is None  # labels 1 and 2
    assert ProbabilityRows(y, p, 1).bins(65) is None
    assert metrics.ece(y, p, bins=65) > 0
    assert metrics.brier(y + 1, p, positive=2) == pytest.approx(metrics.brier(y, p), rel=1e-12)
