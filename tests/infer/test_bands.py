"""Intervals of every point of a curve, and bands of the whole of it."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq
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


def test_simultaneous_band_of_one_class_by_hand():
    # Of two rows Kolmogorov's distance is within d above 1/2 with the chance 1 - 2 (1 - d)².
    d = 1 - math.sqrt((1 - 0.5) / 2)
    assert d == pytest.approx(kstwo.ppf(0.5, 2))
    wide = banded(FOUR, "far", "simultaneous", level=0.5)
    np.testing.assert_allclose(wide.high, [d, d, 0.5 + d, 0.5 + d, 1])


def interval(k, n, c):
    """Return k of n rows ± c standard errors on Anscombe's arcsine scale."""
    at = math.asin(math.sqrt((k + 3 / 8) / (n + 3 / 4)))
    return tuple(
        math.sin(min(max(at + side * c / (2 * math.sqrt(n)), 0), math.pi / 2)) ** 2
        for side in (-1, 1)
    )


def slow_rectangles(y, s, at, c):
    """Return the lowest and highest y at x of the rectangles at all thresholds, one by one."""
    pos, neg = s[y == 1], s[y == 0]
    x, tpr = (
        np.array([interval((v >= t).sum(), len(v), c) for t in (np.inf, *np.unique(s)[::-1])])
        for v in (neg, pos)
    )
    low = [tpr[x[:, 1] >= v - 1e-9, 0].min(initial=1) for v in at]
    high = [tpr[x[:, 0] <= v + 1e-9, 1].max(initial=0) for v in at]
    return np.array(low), np.array(high)


def half_width(c, y, s):
    """Return how many standard errors a band of ROC is wide, from its height in the middle."""
    at = [c.x[np.argmin(abs(c.x - 0.3))]]
    (high,) = c.high[c.x == at[0]][-1:]
    assert high < 1
    return brentq(lambda v: slow_rectangles(y, s, at, v)[1][0] - high + 1e-12, 1.2, 6)


@pytest.mark.parametrize("n", [40, 300])
def test_the_envelope_is_that_of_the_rectangles(n):
    y, s = rows(n, seed=n, lift=1)
    c = banded(tm.ScoreTally.from_arrays(y, s), "roc", "simultaneous", level=0.8, draws=200)
    low, high = slow_rectangles(y, s, c.x, half_width(c, y, s))
    np.testing.assert_allclose(c.low, np.minimum(low, c.y), atol=1e-6)
    np.testing.assert_allclose(c.high, np.maximum(high, c.y), atol=1e-6)
    assert (np.diff(c.low) >= -1e-12).all()
    assert (np.diff(c.high) >= -1e-12).all()


def test_lines_between_the_points_of_a_band_cut_nothing_off():
    y, s = rows(60, seed=3, lift=1)
    c = banded(tm.ScoreTally.from_arrays(y, s), "roc", "simultaneous")
    at = np.linspace(0, 1, 3001)
    low, high = slow_rectangles(y, s, at, half_width(c, y, s))
    assert (np.interp(at, c.x, c.low) <= low + 1e-6).all()
    assert (np.interp(at, c.x, c.high) >= high - 1e-6).all()


def slow_half_width(y, s, level, draws, rng):
    """Return c by its definition: rows of normal scores with the same AUC, sample by sample."""
    pos, neg = s[y == 1], s[y == 0]
    area = (pos[:, None] > neg).mean() + (pos[:, None] == neg).mean() / 2
    few = min(len(pos), len(neg))
    lift = math.sqrt(2) * norm.ppf((area * few + 0.5) / (few + 1))
    cuts = np.linspace(lift + 4, -4, 250)
    true = np.arcsin(np.sqrt([norm.sf(cuts), norm.sf(cuts - lift)]))
    needed = []
    for _ in range(draws):
        x = rng.normal(size=len(neg)), rng.normal(lift, 1, len(pos))
        both = np.sort(np.append(*x))[::-1]
        points = []
        for v in x:
            k = np.array([0, *[(v >= t).sum() for t in both], len(v)])
            points.append(np.arcsin(np.sqrt((k + 3 / 8) / (len(v) + 3 / 4))))
        far = []
        for f, t in true.T:
            # Above the band unless some rectangle reaches as far up and left; likewise below.
            right, up = (
                2 * math.sqrt(len(neg)) * (points[0] - f),
                2 * math.sqrt(len(pos)) * (t - points[1]),
            )
            far += [np.maximum(right, up).min(), np.maximum(-right, -up).min()]
        needed.append(max(far))
    return np.quantile(needed, level)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "share"), [(40, 0.4), (80, 0.2)])
def test_the_width_is_that_of_samples_drawn_row_by_row(n, share):
    y, s = rows(n, seed=1, lift=1, share=share)
    c = banded(tm.ScoreTally.from_arrays(y, s), "roc", "simultaneous", level=0.9)
    slow = slow_half_width(y, s, 0.9, 250, np.random.default_rng(2))
    assert half_width(c, y, s) == pytest.approx(slow, rel=0.07)


def test_a_band_of_a_million_scores_has_few_points_and_gives_away_little():
    t = tally(60_000)
    c = banded(t, "roc", "simultaneous", draws=100)
    assert len(c) == WHOLE_POINTS
    few = banded(t._coarse(1000), "roc", "simultaneous", draws=100)
    at = np.linspace(0.01, 0.99, 99)
    here, there = (np.interp(at, v.x, v.high) for v in (c, few))
    np.testing.assert_allclose(here, there, atol=0.01)
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


FALSE = np.concatenate([norm.sf(np.linspace(4, -4, 401)), [0.01, 0.05, 0.2, 0.5]])
TRUE = norm.sf(norm.isf(FALSE) - 1.5)


@pytest.mark.slow
def test_simultaneous_bands_contain_the_true_curve_as_often_as_they_say():
    held, wide = [], []
    at = np.linspace(0.01, 0.99, 99)
    for seed in range(300):
        c = banded(tally(50, seed=seed, share=0.5), "roc", "simultaneous", draws=100)
        low, high = (np.interp(FALSE, c.x, v) for v in (c.low, c.high))
        held.append(((low <= TRUE + 1e-9) & (high + 1e-9 >= TRUE)).all())
        wide.append(np.mean(np.interp(at, c.x, c.high) - np.interp(at, c.x, c.low)))
    # 95 % within two standard errors; Kolmogorov's rectangles have 100 % and a width of 0.66.
    assert 0.925 < np.mean(held) < 0.975
    assert np.mean(wide) < 0.45


@pytest.mark.slow
def test_vertical_bands_hold_the_truth_as_often_as_they_say():
    points = []
    for seed in range(120):
        c = banded(tally(150, seed=seed), "roc", "vertical", draws=200)
        low, high = (np.interp(FALSE[-4:], c.x, v) for v in (c.low, c.high))
        points.append((low <= TRUE[-4:]) & (TRUE[-4:] <= high))
    assert 0.92 < np.mean(points) < 0.995


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
    whole = banded(t, "roc", "simultaneous")
    assert whole.low[0] == 0
    assert (whole.high == 1).all()
    assert 0.05 < whole.x[np.flatnonzero(whole.low > 0)[0]] < 0.2
    assert 0.8 < whole.low[-1] < 0.95  # Kolmogorov's distance would leave 0.68


def test_scores_that_are_all_tied_leave_a_line():
    t = tm.ScoreTally.from_arrays([0, 1] * 20, [0.5] * 40)
    c = banded(t, "roc", "simultaneous")
    at = np.argmin(abs(c.x - 0.5))
    np.testing.assert_allclose(c.low, 1 - c.high[::-1], atol=1e-9)
    # On the arcsine scale the line rises as far as c to the left, and c more.
    half = math.asin(math.sqrt(c.high[at])) - math.pi / 4
    assert 1.6 < half * math.sqrt(20) < 3
    c = banded(t, "roc", "vertical")
    np.testing.assert_allclose(c.y, c.x, atol=1e-12)
    assert (c.low < c.y)[1:-1].all()
    assert (c.y < c.high)[1:-1].all()
    assert len(banded(t, "roc", "pointwise")) == 2


def test_gain_of_few_positives_has_a_band_though_the_prevalence_may_be_0():
    _, s = rows(50, seed=2)
    y = np.repeat([1, 0], [5, 45])
    c = banded(tm.ScoreTally.from_arrays(y, s), "gain", "simultaneous", draws=200)
    assert np.isfinite(c.low).all()
    at = np.linspace(0.01, 0.99, 99)
    assert np.mean(np.interp(at, c.x, c.high) - np.interp(at, c.x, c.low)) < 0.85


def test_two_rows_of_a_class_leave_nearly_everything_open():
    t = tm.ScoreTally.from_arrays([1, 1] + [0] * 60, np.linspace(1, 0, 62))
    c = banded(t, "roc", "simultaneous")
    assert 0.1 < c.low.max() < 0.5
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


def test_simultaneous_precision_allows_for_the_share_of_positives():
    t = tally(400)
    sampled, known = (banded(t, "pr", "simultaneous", stratified=b) for b in (False, True))
    at = np.linspace(0.1, 0.9, 9)
    assert (np.interp(at, sampled.x, sampled.low) < np.interp(at, known.x, known.low)).all()
    assert known.high[0] == sampled.high[0] == 1
    # All rows called: precision is the share of positives, which here is known.
    share = float(t._score_counts.positives / t._score_counts.total)
    assert known.low[-1] == pytest.approx(share, abs=0.01)


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
        tolerance = 1e-9 if kind == "pointwise" else 0.04
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
    with pytest.raises(InputError, match="a simultaneous band treats rows as independent"):
        ev.curve("roc", band="simultaneous")
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
    page = (Path(__file__).parents[2] / "docs" / "intervals.md").read_text("utf-8")
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
    assert whole.made == 3
    assert 0.2 < whole.width / whole.made < 0.6
    assert {kind for kind, _, _ in found} == {*KINDS, "rectangles"}
    told = bands.page({cell: found}, 3, 100)
    assert "| rectangles | roc | whole | 100 |" in told
    few = bands.Binormal(60, 0.1, "fair")
    written = " ".join(bands.section({cell: found, few: found}, 3).split())
    narrow = 100 * (1 - whole.width / found["rectangles", "roc", 0.0].width)
    assert f"{narrow:.0f} to {narrow:.0f} % narrower" in written
    page = (Path(__file__).parents[2] / "docs" / "intervals.md").read_text("utf-8")
    (here,) = re.findall(rf"{bands.HEADING}\n.*?(?=\n###? )", page, re.S)
    texts = (re.sub(r"Measured on .*", "", " ".join(text.split())) for text in (here, written))
    masked = (re.sub(r"\d[\d,]*", "#", text).strip() for text in texts)
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


def mover(p, q, a, b, c):
    """Return bounds of a p - b q, from (successes, rows) of each, with the errors squared."""
    (k, n), (j, m) = p, q
    (p_low, p_high), (q_low, q_high) = interval(k, n, c), interval(j, m, c)
    at = a * k / n - b * j / m
    low = at - math.hypot(a * (k / n - p_low), b * (q_high - j / m))
    return low, at + math.hypot(a * (p_high - k / n), b * (j / m - q_low))


def solve(wanted, bound):
    """Return the c with which the bound is as wanted."""
    return brentq(lambda c: bound(c) - wanted, 1.2, 6)


def test_the_band_of_the_cost_curve_at_every_point():
    y, s = rows(150, seed=8)
    c = banded(tm.ScoreTally.from_arrays(y, s), "cost", "simultaneous", level=0.9, draws=200)
    counts = [
        [((s[y == k] >= t).sum(), (y == k).sum()) for k in (1, 0)] for t in (np.inf, *np.unique(s))
    ]
    rates = [[(s[y == k] >= t).mean() for t in (np.inf, *np.unique(s))] for k in (0, 1)]
    least = np.min([c.x * (1 - t) + (1 - c.x) * f for f, t in zip(*rates, strict=True)], 0)
    np.testing.assert_allclose(c.y, least, atol=1e-9)

    def bounds(x, half):
        found = [mover(p, q, x, 1 - x, half) for p, q in counts]
        return x - max(v[1] for v in found), min(x - max(v[0] for v in found), x, 1 - x)

    some = np.linspace(0, len(c.x) - 1, 12).astype(int)[1:-1]
    i = some[5]
    assert 0 < c.high[i] < min(c.x[i], 1 - c.x[i])
    half = solve(c.high[i], lambda v: bounds(c.x[i], v)[1])
    assert 1.5 < half < 3
    for i in some:
        low, high = bounds(c.x[i], half)
        assert c.low[i] == pytest.approx(max(low, 0), abs=1e-6)
        assert c.high[i] == pytest.approx(high, abs=1e-6)


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
    n, hit = len(y), int(y.sum())
    share = hit / n

    def bounds(x, half):
        tp, fp = ((s[y == k] >= x).sum() for k in (1, 0))
        odds = x / (1 - x)
        if stratified:
            return mover((tp, hit), (fp, n - hit), share, (1 - share) * odds, half)
        return mover((tp, n), (fp, n), 1, odds, half)

    half = solve(c.low[30], lambda v: bounds(c.x[30], v)[0])
    assert 1.5 < half < 3.5
    for x, value, low, high in zip(c.x, c.y, c.low, c.high, strict=True):
        tpr, fpr = ((s[y == k] >= x).mean() for k in (1, 0))
        assert value == pytest.approx(share * tpr - (1 - share) * x / (1 - x) * fpr, abs=1e-9)
        assert (low, high) == pytest.approx(bounds(x, half), abs=1e-6)


@pytest.mark.parametrize("stratified", [False, True])
def test_the_bands_of_precision_and_gain_at_every_point(stratified):
    y, s = rows(200, seed=6, lift=1)
    t = tm.ScoreTally.from_arrays(y, s)
    n, hit = len(y), int(y.sum())
    share = hit / n
    cuts = (np.inf, *np.unique(s)[::-1])
    tp, fp = ([(s[y == k] >= v).sum() for v in cuts] for k in (1, 0))

    def boxes(half, of_x, rows):
        x = np.array([interval(k, rows, half) for k in of_x])
        return x, np.array([interval(k, hit, half) for k in tp])

    def gain(at, half):
        depth, tpr = boxes(half, np.add(tp, fp), n)
        least = share if stratified else interval(hit, n, half)[0]
        low = tpr[depth[:, 1] >= at - 1e-9, 0].min(initial=1)
        high = tpr[depth[:, 0] <= at + 1e-9, 1].max(initial=0)
        return max(low, 1 - (1 - at) / least), min(high, at / least, 1)

    def precision(at, half):
        fpr, tpr = boxes(half, fp, n - hit)
        ends = (share,) * 2 if stratified else interval(hit, n, half)
        most = fpr[tpr[:, 0] <= at + 1e-9, 1].max(initial=0)
        least = fpr[tpr[:, 1] >= at - 1e-9, 0].min(initial=1)
        return tuple(p * at / (p * at + (1 - p) * f)
                     for p, f in zip(ends, (most, least), strict=True))  # fmt: skip

    for name, bounds, x in (("gain", gain, 0.25), ("pr", precision, 0.6)):
        c = banded(t, name, "simultaneous", stratified=stratified, level=0.9, draws=200)
        wanted = float(np.interp(x, c.x, c.low))
        half = solve(wanted, lambda v, f=bounds, at=x: f(at, v)[0])
        assert 1.4 < half < 3.2
        for at in (0.2, 0.4, 0.5, 0.8):
            low, high = bounds(at, half)
            # Corners are joined by lines here, and by steps in the band's slow twin.
            assert np.interp(at, c.x, c.low) == pytest.approx(low, abs=0.05)
            assert np.interp(at, c.x, c.high) == pytest.approx(high, abs=0.05)


@pytest.mark.parametrize(
    ("positives", "end"), [(9, ", less reliable with only 9 rows of a class"), (10, "")]
)
def test_a_simultaneous_band_of_few_rows_says_so(positives, end):
    y = np.repeat([1, 0], [positives, 60])
    t = tm.ScoreTally.from_arrays(y, np.linspace(0.9, 0.3, len(y)) / (1 + np.arange(len(y)) % 3))
    for name in ("roc", "pr", "decision"):
        method = banded(t, name, "simultaneous", draws=100).method
        assert method == f"sup-t, 100 simulated samples, the whole curve{end}"
