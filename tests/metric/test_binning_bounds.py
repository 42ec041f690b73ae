"""Numbers of scores in bins: the rows' own numbers lie within the bounds."""

import math
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from tallymark.metric import METRICS, get
from tallymark.metric.binning_bounds import UNPROVED, binning_bounds, with_binning_bounds
from tallymark.metric.measure import Statistic
from tallymark.tally.bins import Bins
from tallymark.tally.scores import ScoreCounts, ScoreTally

OF_SCORES = [m for m in METRICS.values() if m.needs not in ("counts", "matrix")]
BINARY = [m for m in OF_SCORES if m.classes != "many" and m.needs not in ("class_scores", "rows")]

rows = st.lists(
    st.tuples(st.booleans(), st.integers(0, 24).map(lambda i: i / 24)), min_size=1, max_size=40
)
breaks = st.lists(st.integers(0, 20).map(lambda i: i / 20), min_size=2, max_size=6, unique=True)


def the_rows(drawn, weights=None):
    y, s = (np.array(v) for v in zip(*drawn, strict=True))
    return ScoreTally.from_arrays(y.astype(int), s, sample_weight=weights)


@given(rows, breaks, st.integers(1, 5), st.booleans())
def test_every_metric_lies_within_its_bounds(drawn, edges, per, weighted):
    weights = np.linspace(0.25, 3, len(drawn)) if weighted else None
    exact = the_rows(drawn, weights)
    binned = exact.binned(Bins(sorted(edges), per))
    for metric in BINARY:
        statistic = Statistic.of(metric, (0, 1), 1)
        found = binning_bounds(statistic, [binned])
        value = float(statistic.measure([exact]))
        if found is None:
            held = float(statistic.measure([binned]))
            assert held == pytest.approx(value, nan_ok=True, rel=1e-12, abs=1e-12), metric.name
        elif not math.isnan(value):
            slack = 1e-9 * max(abs(value), 1) if math.isfinite(value) else 0.0
            assert found[0] - slack <= value <= found[1] + slack, (metric.name, value, found)


GRID = np.array([0.05, 0.25, 0.45, 0.5, 0.7, 0.9])
HALVES = Bins([0, 0.5, 1], per=1)


def every_order(n):
    """Return positives and others at each score of GRID, of every way to lay out n rows: (S, 6)."""
    cells = combinations_with_replacement(range(2 * len(GRID)), n)
    counts = np.array([np.bincount(c, minlength=2 * len(GRID)) for c in cells], dtype=float)
    return counts[:, : len(GRID)], counts[:, len(GRID) :]


@pytest.mark.parametrize("n", [1, 2, 3, *(pytest.param(n, marks=pytest.mark.slow) for n in (4, 5))])
def test_no_order_of_few_rows_within_their_bins_breaks_the_bounds(n):
    """All rows of both classes, at three scores of each of two bins, ties among them."""
    pos, neg = every_order(n)
    laid_out = {}
    for i, (p, q) in enumerate(zip(pos, neg, strict=True)):
        binned = ScoreTally.from_counts(*(v[p + q > 0] for v in (GRID, p, q))).binned(HALVES)
        key = (*binned.scores, *binned.highs, *binned.counts.ravel())
        laid_out.setdefault(key, (binned, []))[1].append(i)
    exact = ScoreCounts(GRID, pos, neg)
    for metric in BINARY:
        statistic = Statistic.of(metric, (0, 1), 1)
        values = statistic.of_score_counts([exact])
        for binned, rows in laid_out.values():
            found = binning_bounds(statistic, [binned])
            if found is not None:
                held = values[rows][~np.isnan(values[rows])]
                slack = 1e-9 * np.maximum(abs(held[np.isfinite(held)]).max(initial=0), 1)
                assert (found[0] - slack <= held).all(), (metric.name, binned.counts, found)
                assert (held <= found[1] + slack).all(), (metric.name, binned.counts, found)


@given(rows, st.data())
def test_a_metric_of_ends_never_gets_worse_by_a_better_row(drawn, data):
    i = data.draw(st.integers(0, len(drawn) - 1))
    y, s = drawn[i]
    moved = data.draw(st.integers(0, 24).map(lambda k: k / 24))
    moved = max(s, moved) if y else min(s, moved)
    before, after = the_rows(drawn), the_rows([*drawn[:i], (y, moved), *drawn[i + 1 :]])
    for metric in BINARY:
        if metric.binning_bounds == "ends" and metric.better != "neither":
            statistic = Statistic.of(metric, (0, 1), 1)
            a, b = (float(statistic.measure([t])) for t in (before, after))
            better = b - a if metric.better == "high" else a - b
            assert math.isnan(better) or better >= -1e-9 * max(abs(a), 1), metric.name


def test_more_classes_have_bounds_of_their_averages():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 400)
    p = rng.dirichlet(np.ones(3), 400) * 0.6 + np.eye(3)[y] * 0.4
    tallies = [
        ScoreTally.from_arrays(y, np.ascontiguousarray(p[:, k]), positive=k, labels=(0, 1, 2))
        for k in range(3)
    ]
    binned = [t.binned(Bins([0, 0.5, 1], per=20)) for t in tallies]
    for name in ("roc_auc", "log_loss", "brier", "hand_till_auc", "average_precision"):
        statistic = Statistic.of(get(name), (0, 1, 2))
        low, high = binning_bounds(statistic, binned)
        if name == "average_precision":  # an average of a metric with bounds of its own: the range
            assert (low, high) == (0, 1)
            continue
        assert low < statistic.measure(tallies) < high
        assert high - low < 0.12, name


def test_narrower_bins_make_narrower_bounds():
    rng = np.random.default_rng(1)
    s = rng.random(3000)
    exact = ScoreTally.from_arrays((rng.random(3000) < s).astype(int), s)
    statistic = Statistic.of(get("roc_auc"), (0, 1), 1)
    widths = []
    for per in (4, 16, 64):
        low, high = binning_bounds(statistic, [exact.binned(Bins([0, 0.5, 1], per))])
        widths.append(high - low)
        assert low <= statistic.measure([exact]) <= high
    assert widths[0] > 3 * widths[1] > 9 * widths[2]


def test_a_value_is_wider_by_its_bounds_and_says_what_is_not_proved():
    rng = np.random.default_rng(2)
    s = rng.random(500)
    y = (rng.random(500) < s).astype(int)
    ev = tm.evaluate(y, y_score=s)
    exact = ev.models[0].scores[0]
    binned = [exact.binned(Bins([0, 0.5, 1], per=8))]
    statistic = Statistic.of(get("roc_auc"), (0, 1), 1)
    plain = ev["roc_auc"]
    value = with_binning_bounds(plain, statistic, binned)
    low, high = value.binning_bounds
    assert (value.low, value.high) == pytest.approx(
        (plain.low - (plain.value - low), plain.high + (high - plain.value))
    )
    assert value.to_dict()["binning_bounds"] == [low, high]
    assert "binning_bounds" not in plain.to_dict()
    unproved = with_binning_bounds(
        ev["calibration_slope"], Statistic.of(get("calibration_slope"), (0, 1), 1), binned
    )
    assert unproved.warning.endswith(UNPROVED)
    assert unproved.binning_bounds == (-math.inf, math.inf)
    assert unproved.low == ev["calibration_slope"].low


def test_what_has_no_proof_is_known():
    """A metric joins this list only for a reason that its file gives, or for want of a proof."""
    assert {m.name for m in OF_SCORES if m.binning_bounds is None} == {
        "equal_error_rate_low",
        "equal_error_rate_high",
        "hosmer_lemeshow",
        "calibration_slope",
        "calibration_intercept",
        "spiegelhalter_z",
    }
