"""Intervals of every point of a curve, and bands of the whole of it."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import beta, kstwo, norm

import tallymark as tm
from tallymark.curve import CURVES, definition
from tallymark.curve.declarations import DEPTH
from tallymark.curve.definitions import KINDS, Projection, declare
from tallymark.errors import InputError
from tallymark.infer.bands import WHOLE_POINTS, banded
from tallymark.metric import METRICS, get
from tallymark.metric.proportion import wilson

Z = norm.ppf(0.975)
FOUR = tm.ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])


def rows(n=300, seed=0, lift=1.5, share=0.4, digits=None):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    y[:2] = 0, 1
    s = norm.cdf(rng.normal(lift * y - lift / 2, 1))
    return y, s if digits is None else np.round(s, digits)


def tally(*args, **kwargs):
    return tm.ScoreTally.from_arrays(*rows(*args, **kwargs))


WHY_NONE = {name: c.no_band for name, c in CURVES.items() if c.no_band}
ALL = [(name, kind) for name in (*CURVES, "matthews_corrcoef") for kind in definition(name).bands]


@pytest.mark.parametrize(("name", "kind"), ALL)
@pytest.mark.parametrize("digits", [None, 1])
def test_every_band_holds_its_curve_and_narrows(name, kind, digits):
    widths = []
    for n in (80, 4000):
        c = banded(tally(n, digits=digits), name, kind, draws=300)
        known = ~np.isnan(c.low)
        assert known.mean() > 0.8
        assert (c.low <= c.y + 1e-12)[known].all()
        assert (c.y <= c.high + 1e-12)[known].all()
        if c.x_low is not None:
            there = ~np.isnan(c.x_low)
            assert (c.x_low <= c.x + 1e-12)[there].all()
            assert (c.x <= c.x_high + 1e-12)[there].all()
        widths.append(np.median((c.high - c.low)[known]))
        assert c.level == 0.95
        assert c.method
    assert widths[1] < widths[0] / 2


# -- worked examples ---------------------------------------------------------------------------


def test_pointwise_of_four_rows_by_hand():
    # Wilson's interval of 0, 1 and 2 of 2 rows: the centre is (p + z²/4) / (1 + z²/2).
    half = Z / 2 / math.sqrt(2 + Z**2)
    ends = {0: (0, Z**2 / (2 + Z**2)), 1: (0.5 - half, 0.5 + half), 2: (2 / (2 + Z**2), 1)}
    c = banded(FOUR, "roc", "pointwise")
    hits, false = [0, 1, 1, 2, 2], [0, 0, 1, 1, 2]
    np.testing.assert_allclose(np.stack([c.low, c.high], 1), [ends[h] for h in hits], atol=1e-6)
    np.testing.assert_allclose(np.stack([c.x_low, c.x_high], 1), [ends[f] for f in false],
                               atol=1e-6)  # fmt: skip
    assert c.threshold.tolist() == [np.inf, 0.9, 0.4, 0.3, 0.1]
    det = banded(FOUR, "det", "pointwise")
    np.testing.assert_allclose(det.low, 1 - c.high, atol=1e-12)
    c = banded(FOUR, "pr", "pointwise")
    assert math.isnan(c.low[0])  # no row is called positive: of precision nothing is known
    np.testing.assert_allclose([c.low[2], c.high[2]], ends[1], atol=1e-6)
    np.testing.assert_allclose([c.low[3], c.high[3]], wilson(2, 3, Z), atol=1e-6)


def test_simultaneous_of_four_rows_by_hand():
    # Each class has two rows, each at the root of the level. Of two rows Kolmogorov's distance is
    # within d above 1/2 with the chance 1 - 2 (1 - d)².
    d = 1 - math.sqrt((1 - math.sqrt(0.5)) / 2)
    assert d == pytest.approx(kstwo.ppf(math.sqrt(0.5), 2))
    assert d == pytest.approx(0.617, abs=5e-4)
    c = banded(FOUR, "roc", "simultaneous", level=0.5)
    # Corners, and where 0.5 - d, 0.5 + d and so on lie between 0 and 1: 1 - d and d.
    assert np.unique(c.x).tolist() == pytest.approx([0, 1 - d, 0.5, d, 1])
    # From x + d >= 0.5 on the curve's 1 is within reach, so that the upper end is 1 at once. The
    # lower end is 0 as long as x - d < 0.5, where the curve has 0.5 or less and 0.5 < d.
    assert c.high.tolist() == [1] * len(c)
    at = dict(zip(c.x.tolist(), c.low.tolist(), strict=True))
    assert at[0] == at[0.5] == 0
    assert at[1] == 0  # x - d is 0.383: the lowest there is 0.5, and 0.5 - d < 0
    wide = banded(FOUR, "far", "simultaneous", level=0.5)
    d = kstwo.ppf(0.5, 2)
    np.testing.assert_allclose(wide.high, [d, d, 0.5 + d, 0.5 + d, 1])


def slow_rectangles(y, s, at, level):
    """The highest and lowest that any point in the rectangles can be at x, corner by corner."""
    pos, neg = s[y == 1], s[y == 0]
    a, b = (kstwo.ppf(math.sqrt(level), len(v)) for v in (pos, neg))
    cuts = [np.inf, *np.unique(s)[::-1]]
    points = [((neg >= t).mean(), (pos >= t).mean()) for t in cuts]
    low, high = [], []
    for x in at:
        # A true point at x lies within b of an observed one; the others bound it by rising.
        high.append(min(1, max(h for f, h in points if f <= x + b + 1e-9) + a))
        low.append(max(0, min((h for f, h in points if f >= x - b - 1e-9), default=1) - a))
    return np.array(low), np.array(high)


@pytest.mark.parametrize("n", [5, 40, 300])
def test_the_envelope_is_that_of_the_rectangles(n):
    y, s = rows(n, seed=n)
    c = banded(tm.ScoreTally.from_arrays(y, s), "roc", "simultaneous", level=0.8)
    low, high = slow_rectangles(y, s, c.x, 0.8)
    np.testing.assert_allclose(c.low, low, atol=1e-9)
    np.testing.assert_allclose(c.high, high, atol=1e-9)
    assert (np.diff(c.low) >= 0).all()
    assert (np.diff(c.high) >= 0).all()


def test_lines_between_the_points_of_a_band_cut_nothing_off():
    y, s = rows(60, seed=3)
    t = tm.ScoreTally.from_arrays(y, s)
    c = banded(t, "roc", "simultaneous")
    at = np.linspace(0, 1, 5001)
    low, high = slow_rectangles(y, s, at, 0.95)
    assert (np.interp(at, c.x, c.low) <= low + 1e-9).all()
    assert (np.interp(at, c.x, c.high) >= high - 1e-9).all()


def test_a_band_of_a_million_scores_has_few_points_and_gives_away_little():
    t = tally(60_000)
    c = banded(t, "roc", "simultaneous")
    assert len(c) == WHOLE_POINTS
    few = banded(t._coarse(1000), "roc", "simultaneous")
    np.testing.assert_allclose(np.interp(few.x, c.x, c.high), few.high, atol=0.01)
    assert (np.interp(few.x, c.x, c.high) >= few.high - 1e-3).all()
    for name in ("matthews_corrcoef", "lift", "pr_gain"):
        assert len(banded(t, name, "pointwise", draws=200)) <= 400
    assert len(banded(t, "roc", "pointwise")) == 60_001


# -- draws -------------------------------------------------------------------------------------


@pytest.mark.parametrize("stratified", [False, True])
@pytest.mark.slow
def test_draws_along_the_thresholds_are_the_posterior_of_each_alone(stratified):
    # One draw of the whole curve against draws of the four counts at one threshold.
    y, s = rows(90, seed=5)
    c = banded(tm.ScoreTally.from_arrays(y, s), "matthews_corrcoef", "pointwise", draws=20_000,
               stratified=stratified)  # fmt: skip
    rng = np.random.default_rng(1)
    for i in (5, 45, 80):
        called = s >= c.threshold[i]
        cells = np.bincount(2 * y + called, minlength=4) + 0.5
        if stratified:
            each = [rng.dirichlet(cells[2 * k : 2 * k + 2], 20_000) * (y == k).sum()
                    for k in (0, 1)]  # fmt: skip
            drawn = np.concatenate(each, 1)
        else:
            drawn = rng.dirichlet(cells, 20_000)
        values = get("matthews_corrcoef").compute(drawn.reshape(-1, 2, 2))
        low, high = np.quantile(values, [0.025, 0.975])
        assert c.low[i] == pytest.approx(low, abs=0.02)
        assert c.high[i] == pytest.approx(high, abs=0.02)


def test_draws_of_a_rate_are_jeffreys():
    y, s = rows(60, seed=2)
    t = tm.ScoreTally.from_arrays(y, s)
    # Balanced accuracy at a threshold below which there is no row is that of sensitivity 1.
    c = banded(t, "balanced_accuracy", "pointwise", draws=20_000)
    n = int((y == 0).sum())
    p = int((y == 1).sum())
    rng = np.random.default_rng(0)
    drawn = (beta.rvs(p + 0.5, 0.5, size=20_000, random_state=rng)
             + beta.rvs(0.5, n + 0.5, size=20_000, random_state=rng)) / 2  # fmt: skip
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert c.low[-1] == pytest.approx(low, abs=5e-3)
    assert c.high[-1] == pytest.approx(high, abs=5e-3)


def slow_vertical(y, s, at, draws, rng):
    """Rows of each class weighted at random, with half a row beyond either end: draw by draw."""
    cuts = np.unique(s)[::-1]
    found = []
    for _ in range(draws):
        curve = []
        for k in (0, 1):
            n = np.array([0.5, *[((y == k) & (s == t)).sum() for t in cuts], 0.5])
            share = np.append(0, np.cumsum([rng.gamma(v) if v else 0 for v in n]))
            curve.append(share / share[-1])
        found.append(np.interp(at, *curve))
    return np.quantile(found, [0.025, 0.975], axis=0)


@pytest.mark.slow
def test_vertical_beside_a_slow_twin():
    y, s = rows(70, seed=4, digits=2)
    c = banded(tm.ScoreTally.from_arrays(y, s), "roc", "vertical")
    at = np.array([0.05, 0.1, 0.2, 0.4, 0.7])
    low, high = slow_vertical(y, s, at, 3000, np.random.default_rng(0))
    i = np.searchsorted(c.x, at - 1e-9)
    assert c.x[i] == pytest.approx(at)
    np.testing.assert_allclose(c.low[i], low, atol=0.03)
    np.testing.assert_allclose(c.high[i], high, atol=0.03)


def test_vertical_bands_come_at_thousandths_up_to_a_tenth_then_at_hundredths():
    wanted = [*np.arange(100) / 1000, *np.arange(10, 101) / 100]
    for n in (50, 5000):
        assert banded(tally(n), "roc", "vertical", draws=100).x.tolist() == pytest.approx(wanted)


def test_a_rate_is_less_sure_at_a_given_false_positive_rate_than_at_a_threshold():
    t = tally(300)
    there, here = banded(t, "roc", "vertical"), banded(t, "roc", "pointwise")
    for x in (0.05, 0.1, 0.2):
        i, j = np.argmin(abs(there.x - x)), np.argmin(abs(here.x - x))
        assert there.high[i] - there.low[i] > here.high[j] - here.low[j]


def test_vertical_bands_of_the_same_curve_agree():
    t = tally(400)
    roc, det = (banded(t, name, "vertical") for name in ("roc", "det"))
    np.testing.assert_allclose(det.low, 1 - roc.high, atol=1e-12)
    gain, lift = (banded(t, name, "vertical") for name in ("gain", "lift"))
    np.testing.assert_allclose(lift.y * lift.x, gain.y, atol=1e-12)
    np.testing.assert_allclose(lift.low * lift.x, gain.low, atol=1e-9)
    plain = CURVES["gain"](t)
    np.testing.assert_allclose(gain.y, np.interp(gain.x, plain.x, plain.y), atol=1e-9)
    pr, recall = banded(t, "pr", "vertical"), CURVES["pr"](t)
    at = np.isclose(recall.x[:, None], pr.x).any(1)
    for x, y in zip(recall.x[at], recall.y[at], strict=True):
        assert pr.y[np.argmin(abs(pr.x - x))] >= y - 1e-9


# -- how often they hold -----------------------------------------------------------------------


@pytest.mark.slow
def test_bands_hold_the_true_curve_as_often_as_they_say():
    x = np.concatenate([norm.sf(np.linspace(4, -4, 401)), [0.01, 0.05, 0.2, 0.5]])
    true = norm.sf(norm.isf(x) - 1.5)
    whole, narrow, points = [], [], []
    for seed in range(120):
        t = tally(150, seed=seed)
        c = banded(t, "roc", "simultaneous")
        low, high = (np.interp(x, c.x, v) for v in (c.low, c.high))
        whole.append(((low <= true + 1e-9) & (true <= high + 1e-9)).all())
        c = banded(t, "roc", "calibrated", draws=200)
        low, high = (np.interp(x, c.x, v) for v in (c.low, c.high))
        narrow.append(((low <= true + 1e-9) & (true <= high + 1e-9)).all())
        c = banded(t, "roc", "vertical", draws=200)
        low, high = (np.interp(x[-4:], c.x, v) for v in (c.low, c.high))
        points.append((low <= true[-4:]) & (true[-4:] <= high))
    assert np.mean(whole) >= 0.95
    assert np.mean(narrow) >= 0.93
    assert 0.92 < np.mean(points) < 0.995


@pytest.mark.slow
@pytest.mark.parametrize("digits", [None, 0])
def test_a_calibrated_band_is_the_other_scaled_until_most_drawn_curves_are_inside(digits):
    y, s = rows(120, seed=9, digits=digits)
    t = tm.ScoreTally.from_arrays(y, s)
    c = banded(t, "roc", "calibrated")
    wide = banded(t, "roc", "simultaneous")
    d = [kstwo.ppf(math.sqrt(0.95), int((y == k).sum())) for k in (1, 0)]
    # Where the curve is 0 on the left the upper end tells the scale of the positives' distance.
    at = np.linspace(0.1, 0.9, 9)
    assert (np.interp(at, c.x, c.high) <= np.interp(at, wide.x, wide.high) + 1e-9).all()
    assert (np.interp(at, c.x, c.low) >= np.interp(at, wide.x, wide.low) - 1e-9).all()
    scale = (1 - c.low[-1]) / d[0]
    assert 0.4 < scale < 0.8
    rng = np.random.default_rng(1)
    cuts, inside = np.unique(s)[::-1], []
    for _ in range(400):
        curve = []
        for k in (0, 1):
            n = np.array([0.5, *[((y == k) & (s == v)).sum() for v in cuts], 0.5])
            share = np.append(0, np.cumsum([rng.gamma(v) if v else 0 for v in n]))
            curve.append(share / share[-1])
        # Lines between few corners can leave where no corner does.
        x = np.concatenate([np.linspace(a, b, 9) for a, b in itertools.pairwise(curve[0])])
        low, high = (np.interp(x, c.x, v) for v in (c.low, c.high))
        line = np.interp(x, *curve)
        inside.append(((low <= line + 1e-3) & (line <= high + 1e-3)).all())
    assert np.mean(inside) == pytest.approx(0.95, abs=0.04)
    det = banded(t, "det", "calibrated")
    np.testing.assert_allclose(det.low, 1 - c.high, atol=1e-12)


# -- ends --------------------------------------------------------------------------------------


def test_a_perfect_classifier_has_width():
    t = tm.ScoreTally.from_arrays([0] * 30 + [1] * 20, np.arange(50) / 50)
    pointwise = banded(t, "roc", "pointwise")
    (perfect,) = np.flatnonzero((pointwise.y == 1) & (pointwise.x == 0))
    assert pointwise.low[perfect] == pytest.approx(wilson(20, 20, Z)[0])
    assert pointwise.x_high[perfect] == pytest.approx(wilson(0, 30, Z)[1])
    vertical = banded(t, "roc", "vertical")
    assert (vertical.y == 1).all()
    assert 0.85 < vertical.low[np.argmin(abs(vertical.x - 0.2))] < 0.99
    assert vertical.low[1] < 0.5  # at 1 in 1,000 of 30 rows next to nothing is known
    mcc = banded(t, "mcc", "pointwise")
    assert mcc.low[np.nanargmax(mcc.y)] < 0.95
    d = [kstwo.ppf(math.sqrt(0.95), n) for n in (20, 30)]
    whole = banded(t, "roc", "simultaneous")
    assert whole.low[0] == 0
    assert whole.low[-1] == pytest.approx(1 - d[0])
    assert whole.x[np.flatnonzero(whole.low > 0)[0]] >= d[1]


def test_scores_that_are_all_tied_leave_a_line():
    t = tm.ScoreTally.from_arrays([0, 1] * 20, [0.5] * 40)
    c = banded(t, "roc", "simultaneous")
    d = kstwo.ppf(math.sqrt(0.95), 20)
    np.testing.assert_allclose(c.high, np.minimum(1, c.x + 2 * d), atol=1e-9)
    np.testing.assert_allclose(c.low, np.maximum(0, c.x - 2 * d), atol=1e-9)
    c = banded(t, "roc", "vertical")
    np.testing.assert_allclose(c.y, c.x, atol=1e-12)
    assert (c.low < c.y)[1:-1].all()
    assert (c.y < c.high)[1:-1].all()
    assert len(banded(t, "roc", "pointwise")) == 2


def test_two_rows_of_a_class_leave_nearly_everything_open():
    t = tm.ScoreTally.from_arrays([1, 1] + [0] * 60, np.linspace(1, 0, 62))
    c = banded(t, "roc", "simultaneous")
    d = 1 - math.sqrt((1 - math.sqrt(0.95)) / 2)
    assert c.low.max() == pytest.approx(1 - d)
    assert c.high.min() == 1
    c = banded(t, "roc", "vertical")
    at = np.argmin(abs(c.x - 0.5))
    assert c.low[at] == pytest.approx(beta.ppf(0.025, 2.5, 0.5), abs=0.05)


def test_where_a_class_is_absent_its_rate_has_no_bounds():
    t = tm.ScoreTally.from_arrays([0] * 9, np.arange(9) / 9, positive=1)
    c = banded(t, "far", "pointwise")
    np.testing.assert_allclose([c.low, c.high], wilson(np.arange(10), np.full(10, 9), Z))
    assert np.isnan(banded(t, "frr", "pointwise").low).all()
    assert np.isnan(banded(t, "mcc", "pointwise").high).all()
    d = kstwo.ppf(0.95, 9)
    assert banded(t, "far", "simultaneous").high[0] == pytest.approx(d)
    assert np.isnan(banded(t, "frr", "simultaneous").low).all()
    for name, kind in (("roc", "vertical"), ("pr", "simultaneous"), ("cost", "simultaneous")):
        with pytest.raises(InputError, match=f"{kind} band of {name} needs rows of both classes"):
            banded(t, name, kind)


def test_a_curve_of_no_rows_has_no_bounds():
    t = tm.ScoreTally._empty()
    assert np.isnan(banded(t, "roc", "pointwise").low).all()
    assert np.isnan(banded(t, "mcc", "pointwise").low).all()


# -- other curves ------------------------------------------------------------------------------


def test_the_interval_at_the_decision_threshold_is_that_of_the_number():
    y, s = rows(500)
    ev = tm.evaluate(y, y_score=s, threshold=0.5)
    for name in ("recall", "precision", "accuracy", "mcc", "f1", "kappa", "youden_j"):
        c = ev.curve(name, band="pointwise") if name != "kappa" else ev.curve(
            "cohen_kappa", band="pointwise")  # fmt: skip
        i = np.count_nonzero(c.threshold >= 0.5) - 1
        v = ev[name]
        assert c.y[i] == pytest.approx(v.value, abs=5e-3)
        near = 1e-9 if v.method == "Wilson" else 0.15 * (v.high - v.low)
        assert c.low[i] == pytest.approx(v.low, abs=near)
        assert c.high[i] == pytest.approx(v.high, abs=near)


def test_net_benefit_along_the_curve_is_that_of_each_threshold():
    t = tally(300)
    c = banded(t, "decision", "pointwise", draws=4000)
    for i in (10, 40, 70):
        alone = banded(t, "net_benefit", "pointwise", draws=4000, p_t=float(c.x[i]))
        at = np.count_nonzero(alone.threshold >= c.x[i]) - 1
        assert c.y[i] == pytest.approx(alone.y[at])
        assert c.low[i] == pytest.approx(alone.low[at], abs=0.01)
    every = banded(t, "decision_all", "pointwise")
    r = t._score_counts
    ends = wilson(float(r.positives), float(r.total), Z)
    np.testing.assert_allclose([every.low[0], every.high[0]], ends)
    np.testing.assert_allclose(every.low[50], 2 * ends[0] - 1)


def test_cost_allows_for_the_choice_of_the_threshold():
    t = tally(200)
    r = t._score_counts
    c = banded(t, "cost", "simultaneous")
    pos, neg = (kstwo.ppf(math.sqrt(0.95), int(n)) for n in (r.positives, r.negatives))
    i = np.argmin(abs(c.x - 0.4))
    assert c.high[i] == pytest.approx(min(c.y[i] + 0.4 * pos + 0.6 * neg, 0.4))
    assert (c.high <= np.minimum(c.x, 1 - c.x) + 1e-12).all()


def test_simultaneous_precision_allows_for_the_share_of_positives():
    t = tally(400)
    sampled, known = (banded(t, "pr", "simultaneous", stratified=b) for b in (False, True))
    at = np.linspace(0.1, 0.9, 9)
    assert (np.interp(at, sampled.x, sampled.low) < np.interp(at, known.x, known.low)).all()
    assert known.high[0] == sampled.high[0] == 1
    # All rows called: precision is the share of positives, which here is known.
    share = float(t._score_counts.positives / t._score_counts.total)
    assert known.low[-1] == pytest.approx(share, abs=0.01)


def test_all_rows_called_positive_leave_the_share_of_positives_uncertain():
    # Both rates are 1 there: precision and the benefit at threshold 0 are the share itself, which
    # is one of three and has Clopper and Pearson's interval at the cube root of the level.
    t = tally(400)
    hit, n = int(t._score_counts.positives), int(t._score_counts.total)
    low = beta.ppf((1 - 0.95 ** (1 / 3)) / 2, hit, n - hit + 1)
    assert banded(t, "pr", "simultaneous").low[-1] == pytest.approx(low, abs=1e-3)
    pos = kstwo.ppf(0.95 ** (1 / 3), hit)
    decision = banded(t, "decision", "simultaneous")
    assert decision.low[0] == pytest.approx(low * (1 - pos), abs=1e-3)


@pytest.mark.parametrize("x", [0.15, 0.3, 0.5])
def test_gain_is_off_by_a_third_of_the_errors_in_depth_and_in_what_is_found(x):
    y, s = rows(200, seed=6)
    c = banded(tm.ScoreTally.from_arrays(y, s), "gain", "simultaneous")
    third = 1 - 0.05 / 3
    deep, far = kstwo.ppf(third, len(y)), kstwo.ppf(third, y.sum())
    order = np.argsort(-s)
    found = np.append(0, np.cumsum(y[order]) / y.sum())
    least = beta.ppf((1 - third) / 2, y.sum(), len(y) - y.sum() + 1)
    depth = np.arange(len(y) + 1) / len(y)
    high = min(1, np.interp(x + deep, depth, found) + far, x / least)
    low = max(0, np.interp(x - deep, depth, found) - far, 1 - (1 - x) / least)
    assert np.interp(x, c.x, c.high) == pytest.approx(high, abs=0.01)
    assert np.interp(x, c.x, c.low) == pytest.approx(low, abs=0.01)


def test_recall_gain_of_0_is_no_threshold():
    c = banded(tally(300), "pr_gain", "pointwise")
    assert c.x[0] == pytest.approx(0)
    assert math.isnan(c.x_low[0])
    assert not np.isnan(c.x_low[1:]).any()


# -- weights, classes, clusters ----------------------------------------------------------------


@pytest.mark.parametrize(("name", "kind"), ALL)
def test_equal_weights_change_nothing_but_the_words(name, kind):
    y, s = rows(150)
    plain = banded(tm.ScoreTally.from_arrays(y, s), name, kind, draws=200)
    t = tm.ScoreTally.from_arrays(y, s, sample_weight=np.full(150, 3.0))
    weighted = banded(t, name, kind, draws=200)
    np.testing.assert_allclose(weighted.low, plain.low, atol=1e-9)
    np.testing.assert_allclose(weighted.high, plain.high, atol=1e-9)
    assert "approximate" not in plain.method
    assert "effective sample size of the weights (approximate)" in weighted.method


def test_unequal_weights_are_worth_fewer_rows():
    y, s = rows(400)
    w = np.random.default_rng(0).exponential(size=400)
    ev = tm.evaluate(y, y_score=s, weight=w, threshold=0.5)
    c = ev.curve("recall", band="pointwise")
    i = np.count_nonzero(c.threshold >= 0.5) - 1
    assert (c.low[i], c.high[i]) == pytest.approx((ev["recall"].low, ev["recall"].high))
    d = kstwo.ppf(0.95, int(w[y == 1].sum() ** 2 / (w[y == 1] ** 2).sum()))
    c = ev.curve("frr", band="simultaneous")
    at = np.argmin(abs(c.y - 0.5))
    assert c.high[at] - c.y[at] == pytest.approx(d)


@pytest.mark.slow
def test_at_another_class_balance_rates_keep_their_bounds():
    y, s = rows(400)
    ev = tm.evaluate(y, y_score=s)
    field = ev.at(prevalence=0.01)
    for kind in KINDS:
        here, there = ev.curve("roc", band=kind), field.curve("roc", band=kind)
        tolerance = 0.04 if kind in ("vertical", "calibrated") else 1e-9
        at = here.x if kind == "pointwise" else np.linspace(0, 1, 101)
        for a, b in ((here.low, there.low), (here.high, there.high)):
            if kind != "pointwise":
                a, b = np.interp(at, here.x, a), np.interp(at, there.x, b)
            np.testing.assert_allclose(a, b, atol=tolerance)
    c = field.curve("precision", band="pointwise")
    assert "within each class" in c.method
    i = np.count_nonzero(c.threshold >= 0.5) - 1
    v = field.at(threshold=float(c.threshold[i]))["precision"]
    assert c.y[i] == pytest.approx(v.value)
    assert c.low[i] == pytest.approx(v.low, abs=0.2 * (v.high - v.low))
    assert c.high[i] == pytest.approx(v.high, abs=0.2 * (v.high - v.low))
    with pytest.raises(InputError, match="decision_all depends only on the class shares"):
        field.curve("decision_all", band="pointwise")


def clustered(seed=1):
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(60), 8)
    ill = rng.random(60) < 0.4
    y = np.where(rng.random(480) < 0.9, ill[who], ~ill[who]).astype(int)
    score = norm.cdf(0.8 * y - 0.4 + rng.normal(size=60)[who] + rng.normal(size=480))
    return y, score, who


@pytest.mark.slow
def test_clusters_are_drawn_whole():
    y, s, who = clustered()
    naive = tm.evaluate(y, y_score=s)
    ev = tm.evaluate(y, y_score=s, cluster=who)
    plain = naive.curve("roc")
    for name in ("roc", "pr", "mcc", "gain", "ks_positive"):
        c, wide = naive.curve(name, band="pointwise"), ev.curve(name, band="pointwise")
        assert wide.method == "cluster bootstrap, 2,000 draws, at each threshold"
        assert 150 < len(wide) <= 201
        assert np.nanmedian(wide.high - wide.low) > 1.2 * np.nanmedian(c.high - c.low)
    c = ev.curve("recall", band="pointwise")
    i = np.argmin(abs(c.threshold - 0.5))
    v = ev.at(threshold=float(c.threshold[i]))["recall"]
    assert c.y[i] == pytest.approx(v.value)
    assert c.low[i] == pytest.approx(v.low, abs=0.02)
    assert c.high[i] == pytest.approx(v.high, abs=0.02)
    for name in ("roc", "pr", "det", "gain", "lift"):
        narrow, wide = naive.curve(name, band="vertical"), ev.curve(name, band="vertical")
        assert np.nanmedian(wide.high - wide.low) > 1.2 * np.nanmedian(narrow.high - narrow.low)
    wide = ev.curve("roc", band="vertical")
    np.testing.assert_allclose(wide.y, np.interp(wide.x, plain.x, plain.y), atol=0.05)


def test_a_perfect_order_of_clusters_has_width():
    y, _, who = clustered()
    ev = tm.evaluate(y, y_score=y * 0.5 + np.arange(480) / 1000, cluster=who)
    c = ev.curve("roc", band="pointwise")
    i = np.flatnonzero((c.y == 1) & (c.x < 0.02))[0]
    rows_of = np.bincount(who, y)
    n = rows_of.sum() ** 2 / (rows_of**2).sum()
    assert c.low[i] == pytest.approx(wilson(n, n, Z)[0])
    c = ev.curve("roc", band="vertical")
    assert c.low[100] == pytest.approx(wilson(n, n, Z)[0])
    lift = ev.curve("lift", band="vertical")
    assert np.isfinite(lift.low).any()


def test_what_clusters_cannot_have_is_refused():
    y, s, who = clustered()
    ev = tm.evaluate(y, y_score=s, cluster=who)
    for kind in ("simultaneous", "calibrated"):
        with pytest.raises(InputError, match=f"a {kind} band treats rows as independent"):
            ev.curve("roc", band=kind)
    for name in ("decision", "decision_all", "deciles", "calibration"):
        with pytest.raises(InputError, match=f"a band of {name} treats rows as independent"):
            ev.curve(name, band="pointwise")


# -- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind", "told"),
    [
        ("pr", "wide", "pr has no 'wide' band; say 'pointwise' or 'vertical' or 'simultaneous'"),
        ("cost", "pointwise", "cost has no 'pointwise' band; say 'simultaneous'"),
        ("kappa", "simultaneous", "kappa has no 'simultaneous' band; say 'pointwise'"),
        ("mcc", "vertical", "mcc has no 'vertical' band; say 'pointwise'"),
        *[(name, "pointwise", f"{name} has no band: {why}") for name, why in WHY_NONE.items()],
    ],
)
def test_a_band_that_there_is_not_is_refused(name, kind, told):
    with pytest.raises(InputError) as refused:
        banded(FOUR, name, kind)
    assert str(refused.value) == told


def test_other_refusals():
    with pytest.raises(InputError, match="level is 95"):
        banded(FOUR, "roc", "pointwise", level=95)
    with pytest.raises(InputError, match="draws is 5; a band needs at least 100"):
        banded(FOUR, "mcc", "pointwise", draws=5)
    with pytest.raises(InputError, match="roc_auc is not computed at a single threshold"):
        banded(FOUR, "roc_auc", "pointwise")
    with pytest.raises(InputError, match="has no parameter 'b'"):
        banded(FOUR, "f_beta", "pointwise", b=2)
    ev = tm.evaluate([0, 1, 0, 1], y_score=[0.1, 0.9, 0.4, 0.3])
    with pytest.raises(InputError, match="over='prevalence' has bounds of its own"):
        ev.curve("precision", over="prevalence", band="pointwise")


def test_every_curve_has_a_band_or_a_reason_for_none():
    for name in CURVES:
        assert bool(definition(name).bands) != bool(definition(name).no_band)


def test_a_band_stays_in_the_range_of_its_metric():
    path = Projection("depth", "tpr", lambda depth, tpr, share: share * tpr / depth)
    made = declare("flagged", DEPTH, "precision", title="Flagged", meaning="m.",
                   projection=path)  # fmt: skip
    try:
        c = banded(tally(80), "flagged", "simultaneous")
        there = np.isfinite(c.high)
        assert c.high[there].max() == 1  # the formula alone says 1.49 where few rows are flagged
        assert (c.low <= c.y)[there].all()
        assert (c.y <= c.high)[there].all()
    finally:
        del CURVES[made.name]


def test_the_page_has_the_bands_of_every_curve():
    page = (Path(__file__).parents[2] / "docs" / "bands.md").read_text("utf-8")
    lines = page.split("| curve | pointwise | vertical | simultaneous |")[1].split("\n\n")[0]
    told = {}
    for line in lines.splitlines()[2:]:
        names, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        told |= dict.fromkeys(re.findall(r"`(\w+)`", names) or ["matthews_corrcoef"], cells)
    assert set(told) == {name for name, c in CURVES.items() if c.bands} | {"matthews_corrcoef"}
    t = tally(80)
    for name, (point, upright, whole) in told.items():
        bands = definition(name).bands
        assert bool(point) == ("pointwise" in bands), name
        if name != "matthews_corrcoef":
            assert (bool(upright), bool(whole)) == ("vertical" in bands, "simultaneous" in bands)
        assert ("calibrated" in whole) == ("calibrated" in bands), name
        if point and name not in ("calibration", "deciles", "matthews_corrcoef"):
            c = banded(t, name, "pointwise", draws=100)
            how = "Wilson" if point.startswith("Wilson") else "posterior"
            assert c.method.startswith(how), name
    assert told["matthews_corrcoef"][2] == "sensitivity, specificity and their complements"
    every = [name for name, m in METRICS.items() if m._needs == "counts" and name not in CURVES]
    kept = {name for name in every if "simultaneous" in definition(name).bands}
    rates = {"sensitivity", "specificity", "false_positive_rate", "false_negative_rate"}
    assert kept == rates


def test_curves_that_have_bounds_keep_them():
    ev = tm.evaluate(*rows(200)[:1], y_score=rows(200)[1])
    for name in ("calibration", "deciles"):
        plain, band = ev.curve(name), ev.curve(name, band="pointwise")
        np.testing.assert_array_equal(plain.low, band.low)
        assert band.method == "Wilson, in each part"
    assert ev.curve("roc").low is None


@pytest.mark.slow
def test_bands_of_one_class_of_several():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    p = rng.dirichlet([1, 1, 1], 200)
    p[np.arange(200), y] += 1
    ev = tm.evaluate(y, y_score=p / p.sum(1, keepdims=True))
    t = ev.models[0].scores[2]
    two = tm.ScoreTally.from_arrays((y == 2).astype(int), (p / p.sum(1, keepdims=True))[:, 2])
    for kind in KINDS:
        of_many, of_two = (banded(one, "roc", kind) for one in (t, two))
        np.testing.assert_allclose(of_many.low, of_two.low, atol=1e-9)


def test_no_more_is_found_than_rows_are_chosen():
    t = tally(400)
    share = float(t._score_counts.positives / t._score_counts.total)
    gain, lift = (banded(t, n, "simultaneous", stratified=True) for n in ("gain", "lift"))
    assert lift.high.max() == pytest.approx(1 / share, abs=1e-3)
    at = np.linspace(0.01, 0.3, 30)
    assert (np.interp(at, gain.x, gain.high) <= at / share + 0.02).all()
    sampled = banded(t, "lift", "simultaneous")
    assert 1 / share < sampled.high.max() < 1.3 / share


def test_the_benchmark_counts_whole_curves_and_points():
    bands = pytest.importorskip("benchmarks.bands")
    cell = bands.Binormal(60, 0.5, "fair")
    found = bands.simulate(cell, 3, 100)
    whole = found["simultaneous", "roc", 0.0]
    assert (whole.made, whole.held) == (3, 3)
    assert 0.3 < whole.width / whole.made < 1
    assert {kind for kind, _, _ in found} == set(KINDS)
    told = bands.page({cell: found}, 3, 100)
    assert "| simultaneous | roc | whole | 100 |" in told
    narrow = found["calibrated", "roc", 0.0].width / whole.width
    few = bands.Binormal(60, 0.1, "fair")
    written = " ".join(bands.section({cell: found, few: found}, 3).split())
    assert "The band left out some of the true ROC curve in 0 of 6 samples." in written
    less = f"{100 * (1 - narrow):.0f}"
    assert f"{less} to {less} % narrower than the simultaneous band." in written
    page = (Path(__file__).parents[2] / "docs" / "bands.md").read_text("utf-8")
    (here,) = re.findall(rf"{bands.HEADING}\n.*?(?=\n## )", page, re.S)
    masked = (re.sub(r"\d[\d,]*", "#", " ".join(text.split())) for text in (here, written))
    assert len(set(masked)) == 1, "run: make measure WHAT=bands"
    # The true curves are those that a large sample draws.
    truth, (_, t) = bands.Truth(cell), bands.Binormal(60_000, 0.5, "fair").sample(
        np.random.default_rng(0)
    )  # fmt: skip
    for name in bands.WHOLE:
        x, y = truth.curve(name)
        c = CURVES[name](t)
        at = np.linspace(0.05, 0.9, 18)
        order = np.argsort(x, kind="stable")
        near = np.interp(at, x[order], y[order])
        np.testing.assert_allclose(np.interp(at, c.x, c.y), near, atol=0.03)


# -- whole-curve bands, point by point ------------------------------------------------------------


def distances(y, level):
    """Return the quantiles of Kolmogorov's distance for the positives and the negatives."""
    return [kstwo.ppf(level, int((y == k).sum())) for k in (1, 0)]


def test_the_band_of_the_cost_curve_at_every_point():
    y, s = rows(150, seed=8)
    c = banded(tm.ScoreTally.from_arrays(y, s), "cost", "simultaneous", level=0.9)
    pos, neg = distances(y, math.sqrt(0.9))
    x = np.union1d(np.linspace(0, 1, 201), CURVES["cost"](tm.ScoreTally.from_arrays(y, s)).x)
    np.testing.assert_allclose(c.x, x, atol=1e-12)
    rates = [[(s[y == k] >= t).mean() for t in (np.inf, *np.unique(s))] for k in (0, 1)]
    least = np.min([c.x * (1 - t) + (1 - c.x) * f for f, t in zip(*rates, strict=True)], 0)
    np.testing.assert_allclose(c.y, least, atol=1e-9)
    far = c.x * pos + (1 - c.x) * neg
    np.testing.assert_allclose(c.low, np.maximum(c.y - far, 0), atol=1e-9)
    np.testing.assert_allclose(c.high, np.minimum(c.y + far, np.minimum(c.x, 1 - c.x)), atol=1e-9)
    assert (c.low == 0).any()


def test_the_band_of_one_class_at_every_point():
    y, s = rows(150, seed=8)
    t = tm.ScoreTally.from_arrays(y, s)
    pos, neg = distances(y, 0.9)
    for name, far in (("far", neg), ("frr", pos), ("ks_positive", pos), ("ks_negative", neg)):
        c = banded(t, name, "simultaneous", level=0.9)
        np.testing.assert_allclose(c.low, np.maximum(c.y - far, 0), atol=1e-12, err_msg=name)
        np.testing.assert_allclose(c.high, np.minimum(c.y + far, 1), atol=1e-12, err_msg=name)
        assert c.method == "Kolmogorov-Smirnov, the whole curve"


@pytest.mark.parametrize("stratified", [False, True])
def test_the_band_of_net_benefit_at_every_point(stratified):
    y, s = rows(150, seed=8)
    c = banded(tm.ScoreTally.from_arrays(y, s), "decision", "simultaneous", level=0.9,
               stratified=stratified)  # fmt: skip
    level = 0.9 ** (1 / 2 if stratified else 1 / 3)
    pos, neg = distances(y, level)
    n, hit = len(y), int(y.sum())
    share = hit / n
    least, most = share, share
    if not stratified:
        least = beta.ppf((1 - level) / 2, hit, n - hit + 1)
        most = beta.ppf((1 + level) / 2, hit + 1, n - hit)
    for x, value, low, high in zip(c.x, c.y, c.low, c.high, strict=True):
        tpr, fpr = ((s[y == k] >= x).mean() for k in (1, 0))
        odds = x / (1 - x)
        assert value == pytest.approx(share * tpr - (1 - share) * odds * fpr, abs=1e-9)
        wanted = (
            least * max(tpr - pos, 0) - (1 - least) * odds * min(fpr + neg, 1),
            most * min(tpr + pos, 1) - (1 - most) * odds * max(fpr - neg, 0),
        )
        assert (low, high) == pytest.approx(
            (min(wanted[0], value), max(wanted[1], value)), abs=1e-9
        )
