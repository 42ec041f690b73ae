from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

import tallymark as tm
from tallymark.curve import (
    CURVES,
    Curve,
    best_thresholds,
    histogram,
)
from tallymark.curve.points import step_values
from tallymark.metric import get
from tallymark.metric.proportion import quantile, wilson

roc, pr, calibration = (CURVES[name] for name in ("roc", "pr", "calibration"))


def rows(n=500, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return y, np.round(np.clip(rng.normal(0.3 + 0.3 * y, 0.2), 0, 1), 3)


def tally(n=500, seed=0):
    return tm.ScoreTally.from_arrays(*rows(n, seed))


def test_roc_and_pr_are_two_metrics_over_all_thresholds():
    t = tally()
    r, p = roc(t), pr(t)
    for i in (1, 50, 200, len(r) - 1):
        at = t.at(r.threshold[i])
        assert r.x[i] == tm.metrics.fpr(at)
        assert r.y[i] == p.x[i] == tm.metrics.tpr(at)
        assert p.y[i] == tm.metrics.precision(at)
    assert (np.diff(r.threshold) < 0).all()
    assert (np.diff(r.x) >= 0).all()
    assert (np.diff(r.y) >= 0).all()
    assert (r.x[0], r.y[0], r.x[-1], r.y[-1]) == (0, 0, 1, 1)
    assert p.y[-1] == tm.metrics.prevalence(at)
    assert np.trapezoid(r.y, r.x) == pytest.approx(tm.metrics.roc_auc(t))


def test_the_first_point_of_pr():
    high = tm.ScoreTally.from_arrays([0, 1, 1], [0.1, 0.2, 0.9])
    assert pr(high).y[0] == 1
    low = tm.ScoreTally.from_arrays([1, 0, 1], [0.1, 0.9, 0.2])
    assert pr(low).y[0] == 0


@pytest.mark.parametrize("name", CURVES)
def test_curves_are_read_only(name):
    curve = CURVES[name](tally())
    with pytest.raises(ValueError, match="read-only"):
        curve.x[0] = 3
    with pytest.raises(AttributeError):
        curve.name = "x"


@given(seed=st.integers(0, 50), points=st.integers(2, 60))
def test_thinning_keeps_the_ends_and_states_its_error(seed, points):
    full = roc(tally(400, seed))
    thin = full.thin(points)
    assert len(thin) <= max(points, 3)
    assert (thin.x[0], thin.y[0], thin.x[-1], thin.y[-1]) == (0, 0, 1, 1)
    assert set(thin.threshold) <= set(full.threshold)
    # the error told is at least how far the drawn line is from any point, measured in y or x
    for x, y in zip(full.x, full.y, strict=True):
        at = np.searchsorted(thin.x, x, side="right") - 1
        vertical = abs(np.interp(x, thin.x, thin.y) - y)
        horizontal = abs(np.interp(y, thin.y, thin.x) - x)
        assert min(vertical, horizontal) <= 2 * thin.error + 1e-9, at


def test_thinning_a_million_points_is_close():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 10**6)
    t = tm.ScoreTally.from_arrays(y, rng.normal(y, 1.0))
    thin = roc(t).thin(500)
    assert len(thin) <= 500
    assert 0 < thin.error < 0.002
    assert roc(t).thin(10**7).error == 0
    with pytest.raises(tm.InputError, match="points is 1; give a whole number, at least 2"):
        thin.thin(1)


def test_calibration_is_sklearns_where_bins_agree():
    y, p = rows()
    p = np.clip(p + 0.0003, 0, 1)  # no probability on the edge of a bin
    ours = calibration(tm.ScoreTally.from_arrays(y, p), bins=10, strategy="width")
    share, mean = calibration_curve(y, p, n_bins=10, strategy="uniform")
    np.testing.assert_allclose(ours.x, mean)
    np.testing.assert_allclose(ours.y, share)


def test_calibration_bounds_are_wilsons_and_bins_are_even():
    c = calibration(tally(5000), bins=8)
    assert len(c) == 8
    assert c.counts.sum() == 5000
    assert c.counts.min() > 500
    low, high = wilson(c.y * c.counts, c.counts, quantile(0.95))
    np.testing.assert_allclose(c.low, low)
    np.testing.assert_allclose(c.high, high)
    assert (calibration(tally(5000), bins=8, level=0.5).low > c.low).all()


def test_calibration_refuses_what_it_does_not_know():
    with pytest.raises(tm.InputError, match="strategy is 'even'; say 'mass' or 'width'"):
        calibration(tally(), strategy="even")
    with pytest.raises(tm.InputError, match="bins is 0; give a whole number, at least 1"):
        calibration(tally(), bins=0)


def test_histograms_hold_every_row():
    y, p = rows()
    h = histogram(tm.ScoreTally.from_arrays(y, p), bins=20)
    theirs, edges = np.histogram(p[y == 1], bins=20, range=(0, 1))
    assert (h.edges[0], h.edges[-1]) == (0, 1)
    assert h.pos.sum() == y.sum()
    np.testing.assert_allclose(h.edges, edges)
    assert np.abs(h.pos - theirs).max() <= 2  # a score on an edge may fall to either side
    logits = histogram(tm.ScoreTally.from_arrays(y, p * 9 - 3))
    assert logits.edges[0] == pytest.approx(p.min() * 9 - 3)
    flat = histogram(tm.ScoreTally.from_arrays([0, 1], [7.0, 7.0]))
    assert flat.pos.sum() == flat.neg.sum() == 1


@pytest.mark.parametrize("bins", [1, 7, 40])
def test_histograms_of_whole_rows_are_those_of_any_counts(bins):
    y, p = rows()
    whole = tm.ScoreTally.from_arrays(y, p)
    weighted = tm.ScoreTally.from_arrays(y, p, sample_weight=np.ones(len(y)))
    fast, slow = (histogram(t, bins) for t in (whole, weighted))
    for name in ("edges", "pos", "neg"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(slow, name))


def test_best_thresholds_are_all_of_them():
    y, p = rows(120)
    t = tm.ScoreTally.from_arrays(y, p)
    for name in ("accuracy", "f1", "youden_j", "error_rate", "balanced_error_rate"):
        metric = get(name)
        found, value = best_thresholds(t, metric)
        every = [metric(y, (p >= c).astype(int), labels=[0, 1]) for c in roc(t).threshold]
        best = np.nanmin(every) if metric.better == "low" else np.nanmax(every)
        assert value == pytest.approx(best)
        assert len(found) == np.sum(np.isclose(every, best, rtol=0, atol=1e-15))
    with pytest.raises(tm.InputError, match="roc_auc is not computed at a single threshold"):
        best_thresholds(t, get("roc_auc"))
    nothing, value = best_thresholds(tm.ScoreTally.from_arrays([0], [0.5]), get("recall"))
    assert len(nothing) == 0
    assert math.isnan(value)


def steps(values):
    """How far apart neighbours are, as shares of the range of what is finite."""
    finite = values[np.isfinite(values)]
    range_ = float(np.ptp(finite)) if finite.size else 0.0
    with np.errstate(invalid="ignore"):
        found = np.abs(np.diff(values)) / (range_ or 1.0)
    return np.where(np.isfinite(found), found, 0.0)


def thinned(x, y, points):
    """The twin of the kernel: whole arrays for every step of it."""
    along = np.concatenate([[0.0], np.cumsum(steps(x) + steps(y))])
    wanted = np.linspace(0, along[-1], points - 1)
    keep = np.unique(np.append(np.searchsorted(along, wanted), [0, len(along) - 1]))
    gaps = np.diff(np.append(keep, len(along)))
    left, step = along[keep], np.diff(along[keep], append=along[-1])
    share = (along - np.repeat(left, gaps)) / np.repeat(np.where(step > 0, step, np.inf), gaps)
    off = [0.0]
    with np.errstate(invalid="ignore"):
        for v in (x, y):
            risen = np.repeat(np.diff(v[keep], append=v[-1]), gaps)
            off += np.abs(np.repeat(v[keep], gaps) + share * risen - v).tolist()
    return keep, max(v for v in off if math.isfinite(v))


@given(
    seed=st.integers(0, 10**6),
    size=st.integers(3, 300),
    points=st.integers(2, 40),
    odd=st.sampled_from(["", "infinite", "unknown", "flat", "huge", "one axis unknown"]),
)
def test_points_and_error_of_a_thinned_curve_are_those_of_whole_arrays(seed, size, points, odd):
    rng = np.random.default_rng(seed)
    x, y = np.sort(rng.random(size)), rng.normal(size=size).round(1)
    if odd == "infinite":
        x[0], y[rng.integers(size)] = -np.inf, np.inf
    elif odd == "unknown":
        x[rng.integers(size, size=3)] = np.nan
    elif odd == "flat":
        x, y = np.full((2, size), 0.5)
    elif odd == "huge":
        x = x * 1.7e308 * rng.choice([-1, 1], size)
    elif odd == "one axis unknown":
        y = np.full(size, np.nan)
    made = Curve("c", "x", "y", x, y, threshold=np.arange(size, dtype=float)).thin(points)
    if size <= points:
        assert len(made) == size
        return
    with np.errstate(over="ignore"):
        keep, error = thinned(x, y, points)
    np.testing.assert_array_equal(made.threshold, keep)
    assert made.error == pytest.approx(error, rel=1e-12, abs=1e-300)


def test_a_curve_of_few_points_is_itself():
    c = Curve("roc", "a", "b", np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    assert c.thin(5) is c


def test_a_curve_over_the_threshold_is_thinned_though_it_starts_at_infinity():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 4000)
    full = CURVES["far"](tm.ScoreTally.from_arrays(y, rng.normal(y, 1.0)))
    thin = full.thin(300)
    assert full.x[0] == thin.x[0] == np.inf
    assert 250 < len(thin) <= 300
    off = np.abs(step_values(thin, full.x) - full.y).max()
    assert 0 < off == thin.error < 1 / 298 + 1e-12
    np.testing.assert_array_equal(step_values(thin, thin.x), thin.y)


@given(seed=st.integers(0, 10**6), points=st.integers(2, 30), step=st.sampled_from(["pre", "post"]))
def test_a_thinned_step_curve_states_how_far_its_steps_are_off(seed, points, step):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(points, 200))
    x, y = np.sort(rng.random(size)), rng.normal(size=size).cumsum()
    c = Curve("c", "x", "y", x, y, step=step)
    thin = c.thin(points)
    assert len(thin) <= points
    drawn = [
        thin.y[np.flatnonzero(thin.x >= a)[0] if step == "pre" else np.flatnonzero(thin.x <= a)[-1]]
        for a in x
    ]
    assert thin.error == pytest.approx(np.abs(drawn - y).max(), abs=1e-12)
    at = np.searchsorted(x, thin.x)
    np.testing.assert_array_equal(y[at], thin.y)


def test_a_step_function_goes_on_to_the_ends_of_its_axis():
    x, y = np.array([0.2, 0.6]), np.array([0.25, 1.0])
    cdf = Curve("cdf", "score", "share", x, y, low=y - 0.1, high=y + 0.1, step="post")
    wide = cdf.between(-1, 2)
    assert (wide.x.tolist(), wide.y.tolist()) == ([-1, 0.2, 0.6, 2], [0, 0.25, 1, 1])
    assert (wide.low[0], wide.high[0]) == (0, 0.35)
    assert step_values(cdf, [0.1, 0.2, 0.5, 0.6, 9]).tolist() == [0, 0.25, 0.25, 1, 1]
    line = replace(cdf, step="")
    assert line.between(-1, 2) is line
    nothing = replace(cdf.at([]), step="post")
    assert nothing.between(0, 1) is nothing


def test_consistency_bands_of_certainties_and_of_no_level():
    for seed in range(10):
        w = np.random.default_rng(seed).random(41)
        t = tm.ScoreTally.from_arrays([0] + [1] * 40, [0.0] + [1.0] * 40, sample_weight=w)
        c = calibration(t, bins=3, bounds="consistency")
        np.testing.assert_array_equal([c.low, c.high], [[0, 1], [0, 1]])
        band = CURVES["calibration_isotonic"](t, draws=20)
        np.testing.assert_array_equal([band.low, band.high], [[0, 1], [0, 1]])
    for make in (lambda: calibration(t, bounds="consistency", level=1.5),
                 lambda: CURVES["calibration_isotonic"](t, level=1.5)):  # fmt: skip
        with pytest.raises(tm.InputError, match="level is 1.5; give a number between 0 and 1"):
            make()


@pytest.mark.parametrize("name", CURVES)
def test_a_curve_of_no_rows_is_no_error(name):
    for t in (tm.ScoreTally._empty(), tm.ScoreTally((0, 1), 1, np.array([0.5]), np.zeros((1, 2)))):
        c = CURVES[name](t)
        assert len(c.x) == len(c.y)


def test_some_points_of_a_curve_keep_all_that_is_known_of_them():
    x = np.arange(4.0)
    c = Curve("c", "x", "y", x, x + 1, threshold=-x, low=x - 1, x_high=x + 2, level=0.9, method="m")
    for some in ([1, 3], np.array([False, True, False, True])):
        found = c.at(some)
        assert found.x.tolist() == [1, 3]
        assert found.threshold.tolist() == [-1, -3]
        assert (found.low.tolist(), found.x_high.tolist()) == ([0, 2], [3, 5])
        assert (found.high, found.level, found.method) == (None, 0.9, "m")
    assert c.thin(2).x_high.tolist() == [2, 5]


def test_the_last_edge_holds_its_rows_and_stays_where_bins_are_put_together():
    t = tm.ScoreTally.from_arrays([0, 1, 1, 0, 1], [0.0, 0.4, 1.0, 0.7, 1.0])
    h = histogram(t, bins=5)
    assert h.edges.tolist() == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])
    assert h.pos.tolist() == [0, 0, 1, 0, 2]
    assert h.neg.tolist() == [1, 0, 0, 1, 0]
    coarse = h._coarser()
    assert coarse.edges.tolist() == pytest.approx([0, 0.4, 0.8, 1])
    assert (coarse.pos.tolist(), coarse.neg.tolist()) == ([0, 1, 2], [1, 1, 0])


def test_scores_beyond_probabilities_have_their_own_range():
    h = histogram(tm.ScoreTally.from_arrays([0, 1, 1], [-4.0, 0.0, 6.0]), bins=2)
    assert h.edges.tolist() == [-4, 1, 6]
    assert (h.pos.tolist(), h.neg.tolist()) == ([1, 1], [1, 0])
    with pytest.raises(tm.InputError, match="bins is 0; give a whole number, at least 1"):
        histogram(tm.ScoreTally.from_arrays([0], [0.5]), bins=0)


def test_one_point_of_a_curve_is_a_curve_that_shows_itself():
    curve = tm.evaluate([0, 1, 0, 1], y_score=[0.1, 0.9, 0.4, 0.3]).curve("roc")
    assert curve.at(0).x.tolist() == [0.0]
    assert str(curve.at(-1))
    with pytest.raises(tm.InputError, match="index is 99; give positions or a mask of 5 points"):
        curve.at(99)
    with pytest.raises(tm.InputError, match="index is None; give positions or a mask of 5 points"):
        curve.at(None)
