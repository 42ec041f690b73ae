"""Every curve against what it is made of: points counted anew, areas, bounds by simulation."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom
from sklearn.isotonic import IsotonicRegression

import tallymark as tm
from metric.twins import ROWS, davis_goadrich_point, hull, points, split
from tallymark.curve import CURVES, Curve, declarations, definition, definitions, thinned
from tallymark.metric.proportion import quantile, wilson
from tallymark.report.subjects.curves import lines_of
from tallymark.tally.scores import ScoreCounts

m = tm.metrics
BOUNDED = [name for name, c in CURVES.items() if c.options]


def tally(y, s, **options):
    return tm.ScoreTally.from_arrays(y, s, **options)


def area(c):
    return float(np.trapezoid(c.y, c.x))


@given(ROWS)
@pytest.mark.slow
def test_areas_are_the_metrics(rows):
    y, s = split(rows)
    t = tally(y, s)
    assert area(CURVES["roc"](t)) == pytest.approx(m.roc_auc(y, s))
    assert area(CURVES["roc_optimistic"](t)) == pytest.approx(m.roc_auc_optimistic(y, s))
    assert area(CURVES["roc_pessimistic"](t)) == pytest.approx(m.roc_auc_pessimistic(y, s))
    assert area(CURVES["roc_hull"](t)) == pytest.approx(m.roc_hull_auc(y, s))
    assert area(CURVES["pr_gain"](t)) == pytest.approx(m.pr_gain_auc(y, s))


@given(ROWS)
@pytest.mark.slow
def test_precision_between_thresholds_is_equation_18(rows):
    y, s = split(rows)
    c = CURVES["pr_davis_goadrich"](tally(y, s))
    assert area(c) == pytest.approx(m.pr_auc_davis_goadrich(y, s), abs=1e-3)
    counted = points(y, s)
    pieces, rest = divmod(len(c.x) - 1, len(counted) - 1)
    assert rest == 0
    for i, ((tp_a, fp_a), (tp_b, fp_b)) in enumerate(pairwise(counted)):
        for k in {1, pieces // 3, pieces} if tp_b > tp_a else ():
            x = (tp_b - tp_a) * k / pieces
            expected = davis_goadrich_point(tp_a, fp_a, tp_b, fp_b, x, sum(y))
            assert (c.x[i * pieces + k], c.y[i * pieces + k]) == pytest.approx(expected)


@given(ROWS)
@pytest.mark.slow
def test_points_are_those_of_every_threshold(rows):
    y, s = split(rows)
    t = tally(y, s)
    p, n = sum(y), len(y) - sum(y)
    counted = points(y, s)
    det, gain, kappa = CURVES["det"](t), CURVES["gain"](t), CURVES["kappa"](t)
    for i, (tp, fp) in enumerate(counted):
        assert (det.x[i], det.y[i]) == pytest.approx((fp / n, 1 - tp / p))
        assert (gain.x[i], gain.y[i]) == pytest.approx(((tp + fp) / len(y), tp / p))
        if i:
            called = [int(b >= det.threshold[i]) for b in s]
            assert kappa.y[i] == pytest.approx(m.kappa(y, called), nan_ok=True)
            lift = CURVES["lift"](t)
            assert lift.y[i - 1] == pytest.approx(m.lift(y, called))
            assert lift.threshold[i - 1] == det.threshold[i]
    far, frr = CURVES["far"](t), CURVES["frr"](t)
    np.testing.assert_allclose(far.y, det.x)
    np.testing.assert_allclose(frr.y, det.y)
    np.testing.assert_array_equal(far.x, det.threshold)
    linear = CURVES["det_linear"](t)
    np.testing.assert_allclose(linear.x[::-1], det.y)
    np.testing.assert_allclose(linear.y[::-1], det.x)
    np.testing.assert_array_equal(linear.threshold[::-1], det.threshold)


@given(ROWS)
def test_the_hull_has_the_corners_and_their_thresholds(rows):
    y, s = split(rows)
    c = CURVES["roc_hull"](tally(y, s))
    np.testing.assert_allclose(np.stack([c.x, c.y], 1), hull(y, s), atol=1e-12)
    p, n = sum(y), len(y) - sum(y)
    for fpr, tpr, t in zip(c.x, c.y, c.threshold, strict=True):
        called = [(a, b >= t) for a, b in zip(y, s, strict=True)]
        assert tpr == pytest.approx(sum(a for a, hit in called if hit) / p)
        assert fpr == pytest.approx(sum(1 - a for a, hit in called if hit) / n)


@given(ROWS)
def test_any_order_of_ties_stays_within_the_envelope(rows):
    y, s = split(rows)
    t = tally(y, s)
    upper, lower = CURVES["roc_optimistic"](t), CURVES["roc_pessimistic"](t)
    rng = np.random.default_rng(len(rows))
    order = np.lexsort((rng.random(len(y)), -np.array(s)))
    tpr = np.append(0, np.cumsum(np.array(y)[order])) / sum(y)
    fpr = np.append(0, np.cumsum(1 - np.array(y)[order])) / (len(y) - sum(y))

    def highest(c, x):
        return max(b for a, b in zip(c.x, c.y, strict=True) if a <= x + 1e-12)

    for x, y_ in zip(fpr, tpr, strict=True):
        assert y_ <= highest(upper, x) + 1e-12
        least = min(b for a, b in zip(lower.x, lower.y, strict=True) if a >= x - 1e-12)
        assert y_ >= least - 1e-12


@given(ROWS)
def test_the_cost_curve_is_the_least_cost(rows):
    y, s = split(rows)
    c = CURVES["cost"](tally(y, s))
    p, n = sum(y), len(y) - sum(y)
    assert (c.x[0], c.y[0], c.x[-1], c.y[-1]) == (0, 0, 1, 0)
    assert (np.diff(c.x) >= -1e-12).all()
    for x in (0.05, 0.3, 0.5, 0.81):
        least = min((1 - tp / p) * x + fp / n * (1 - x) for tp, fp in points(y, s))
        assert np.interp(x, c.x, c.y) == pytest.approx(least, abs=1e-12)


@given(ROWS)
def test_the_decision_curve_is_net_benefit_at_its_own_threshold(rows):
    y, s = split(rows)
    c, everyone = CURVES["decision"](tally(y, s)), CURVES["decision_all"](tally(y, s))
    for i in (0, 13, 50, 99):
        called = [int(b >= c.x[i]) for b in s]
        assert c.y[i] == pytest.approx(m.net_benefit(y, called, p_t=c.x[i]))
        assert everyone.y[i] == pytest.approx(m.net_benefit(y, [1] * len(y), p_t=c.x[i]))


@given(ROWS)
def test_ks_curves_are_distribution_functions(rows):
    y, s = split(rows)
    t = tally(y, s)
    pos, neg = CURVES["ks_positive"](t), CURVES["ks_negative"](t)
    for i, x in enumerate(pos.x):
        of_pos = [b <= x for a, b in zip(y, s, strict=True) if a]
        assert pos.y[i] == pytest.approx(np.mean(of_pos))
    assert np.abs(pos.y - neg.y).max() == pytest.approx(m.ks(y, s))


@given(ROWS)
def test_tenths_add_up(rows):
    y, s = split(rows)
    c = CURVES["deciles"](tally(y, s))
    np.testing.assert_allclose(c.x, np.arange(1, 11) / 10)
    assert c.counts.sum() == pytest.approx(len(y))
    assert (c.y * c.counts).sum() == pytest.approx(sum(y))
    assert c.y[0] == pytest.approx(m.response_rate_at(y, s, depth=0.1))
    assert ((c.low <= c.y + 1e-9) & (c.y <= c.high + 1e-9)).all()


@given(ROWS)
def test_isotonic_calibration_is_scikit_learns(rows):
    y, s = split(rows)
    c = CURVES["calibration_isotonic"](tally(y, s), draws=3)
    fitted = IsotonicRegression().fit(s, y)
    np.testing.assert_allclose(c.y, fitted.predict(c.x), atol=1e-12)
    assert c.counts.sum() == len(y)


@given(st.integers(0, 10**6), st.integers(1, 40))
def test_isotonic_shares_of_many_draws_are_those_of_pooled_counts(seed, groups):
    rng = np.random.default_rng(seed)
    pos, neg = rng.integers(0, 4, (2, 6, groups)) * rng.choice([0, 1, 1], (2, 6, groups)) / 4
    found = declarations._isotonic(pos, neg)
    for a, b, shares in zip(pos, neg, found, strict=True):
        hull = ScoreCounts(np.arange(groups, dtype=float), a, b).roc_convex_hull
        expected = np.full(groups, np.nan)
        for last, hits, misses in zip(
            hull.scores[::-1], hull.pos[::-1], hull.neg[::-1], strict=True
        ):
            expected[: int(last) + 1] = hits / (hits + misses)
        np.testing.assert_array_equal(shares, expected)


def test_consistency_bands_hold_what_they_promise():
    # Outcomes drawn from the probabilities themselves lie in a 90 % band in 90 % of the cases.
    rng = np.random.default_rng(0)
    p = np.repeat(np.linspace(0.05, 0.95, 10), 40)
    inside = {"isotonic": [], "bins": []}
    for _ in range(60):
        t = tally((rng.random(len(p)) < p).astype(int), p)
        c = CURVES["calibration_isotonic"](t, level=0.9, draws=200)
        inside["isotonic"] += ((c.low <= c.y) & (c.y <= c.high)).tolist()
        b = CURVES["calibration"](t, level=0.9, bounds="consistency")
        inside["bins"] += ((b.low <= b.y) & (b.y <= b.high)).tolist()
    for found in inside.values():
        assert 0.87 < np.mean(found) < 0.97


def test_bands_of_bins_are_binomial():
    t = tally([0, 1, 0, 1, 1, 0, 0, 0], [0.25] * 4 + [0.75] * 4)
    c = CURVES["calibration"](t, bins=2, bounds="consistency", level=0.9)
    np.testing.assert_allclose(c.low, binom.ppf(0.05, 4, [0.25, 0.75]) / 4)
    np.testing.assert_allclose(c.high, binom.ppf(0.95, 4, [0.25, 0.75]) / 4)
    weighted = tally([0, 1, 0, 1], [0.2, 0.2, 0.8, 0.8], sample_weight=[2.0, 2, 2, 2])
    c = CURVES["calibration"](weighted, bins=2, bounds="consistency", level=0.9)
    np.testing.assert_allclose(c.high, binom.ppf(0.95, 2, [0.2, 0.8]) / 2)


def test_weights_are_so_many_rows():
    rng = np.random.default_rng(3)
    y, s = rng.integers(0, 2, 40), np.round(rng.random(40), 1)
    w = rng.integers(1, 4, 40)
    often = tally(np.repeat(y, w), np.repeat(s, w))
    weighted = tally(y, s, sample_weight=w.astype(float))
    for name, make in CURVES.items():
        a, b = make(often), make(weighted)
        np.testing.assert_allclose(a.x, b.x, err_msg=name)
        np.testing.assert_allclose(a.y, b.y, err_msg=name)
    a, b = CURVES["deciles"](often), CURVES["deciles"](weighted)
    assert (b.high - b.low).mean() > (a.high - a.low).mean()  # fewer rows than their weights


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("labels", [[1, 1, 1], [0, 0, 0]])
def test_a_class_without_rows_makes_undefined_points_and_no_crash(name, labels):
    t = tm.ScoreTally.from_arrays(labels, [0.2, 0.4, 0.4], labels=[0, 1], positive=1)
    c = CURVES[name](t)
    assert isinstance(c, Curve)
    assert len(c.x) == len(c.y)
    assert c.thin(2).error >= 0


@pytest.mark.parametrize(
    "name", ["roc", "pr", "pr_davis_goadrich", "det", "det_linear", "gain", "lift", "kappa"]
)
def test_a_model_with_one_score_for_all_rows_lies_on_the_line_of_chance(name):
    c = CURVES[name](tally([1] + [0] * 9, [0.5] * 10))
    (chance,) = (r for r in CURVES[name].references if r.label == "chance")
    assert np.interp(c.x, *chance.points(0.1)) == pytest.approx(c.y, abs=1e-5)


@pytest.mark.parametrize("name", CURVES)
def test_thinning_keeps_the_ends(name):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 3000)
    c = CURVES[name](tally(y, np.clip(0.3 * y + rng.random(3000) * 0.7, 0, 1)))
    thin = c.thin(40)
    assert len(thin) <= 40
    ends = [0, -1]
    np.testing.assert_array_equal(thin.x[ends], c.x[ends])
    np.testing.assert_array_equal(thin.y[ends], c.y[ends])
    assert math.isfinite(thin.error)


def test_what_the_makers_refuse():
    t = tally([0, 1], [0.2, 0.9])
    with pytest.raises(
        tm.InputError, match="roc_auc is not computed at a single threshold; choose a"
    ):
        definition("roc_auc")(t)
    with pytest.raises(tm.InputError, match="f1 has no parameter 'alpha'; there are 'beta'"):
        definition("f1", alpha=1)(t)
    with pytest.raises(tm.InputError, match="parts is 0; give a whole number, from 1 to"):
        CURVES["deciles"](t, parts=0)
    with pytest.raises(
        tm.InputError, match="bounds is 'both'; there are 'interval', 'consistency'"
    ):
        CURVES["calibration"](t, bounds="both")
    for name, curve in CURVES.items():
        if curve.needs == "probabilities" and name != "decision_all":
            with pytest.raises(tm.InputError, match="needs probabilities and y_score holds"):
                CURVES[name](tally([0, 1], [-3.0, 2.0]))


def test_a_metric_with_parameters_over_thresholds():
    y, s = [0, 1, 0, 1, 1], [0.1, 0.9, 0.4, 0.3, 0.8]
    c = definition("f_beta", beta=2)(tally(y, s))
    for x, value in zip(c.x, c.y, strict=True):
        called = [int(b >= x) for b in s]
        assert value == pytest.approx(m.f2(y, called), nan_ok=True)
    assert c.x[0] == math.inf


# -- classes with other shares -----------------------------------------------------------------


def sampled(seed, p=0.05, each=(150, 150)):
    """Rows of either class, with probabilities that are right where a share p are positive."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], each)
    x = rng.normal(2 * y, 1)
    s = 1 / (1 + np.exp(-(2 * x - 2 + math.log(p / (1 - p)))))
    return tm.evaluate(y, y_score=s).at(prevalence=p)


def test_bars_in_the_field_rest_on_the_rows_of_each_class():
    ev = sampled(0)
    c = ev.curve("calibration", bins=4, strategy="width")
    r = sampled(0).models[0].scores[0]._score_counts
    place = np.minimum((r.scores * 4).astype(int), 3)
    a, b = (np.bincount(place, v > 0, 4) for v in (r.pos, r.neg))
    assert c.y == pytest.approx(0.05 * a / (0.05 * a + 0.95 * b))
    # The delta method on log odds, where a bin has rows enough of either class.
    many = np.minimum(a, b) >= 9
    assert many.any()
    error = np.sqrt(1 / a[many] - 1 / 150 + 1 / b[many] - 1 / 150)
    for bound, z in ((c.low, -1.96), (c.high, 1.96)):
        odds = np.log(bound[many] / (1 - bound[many]))
        expected = np.log(c.y[many] / (1 - c.y[many])) + z * error
        np.testing.assert_allclose(odds, expected, atol=0.35)


def test_a_bin_without_negatives_is_no_proof_in_the_field():
    # 20 positives and no negative: but one of 100 negatives would weigh as much as 99 positives.
    y = [1] * 20 + [1] * 80 + [0] * 100
    s = [0.95] * 20 + [0.3] * 80 + [0.1] * 100
    ev = tm.evaluate(y, y_score=s)
    here = ev.curve("calibration", bins=10, strategy="width")
    there = ev.at(prevalence=0.01).curve("calibration", bins=10, strategy="width")
    assert (here.y[-1], there.y[-1]) == (1, 1)
    assert here.low[-1] > 0.8
    bound = beta.ppf(0.975, 0.5, 100.5)
    assert there.low[-1] == pytest.approx(0.01 * 0.2 / (0.01 * 0.2 + 0.99 * bound), rel=0.25)
    assert there.high[-1] == 1


def test_tenths_in_the_field_rest_on_the_rows_of_each_class():
    ev = replace(sampled(0, p=0.1, each=(60, 120)), level=0.8)
    c = ev.curve("deciles", parts=3)
    found = ev.models[0].scores[0].counts > 0
    down = [np.append(0, np.cumsum(found[::-1, k])) for k in (1, 0)]
    pos, neg = (v / v[-1] * w for v, w in zip(down, (18, 162), strict=True))
    part = np.diff(np.interp([0, 60, 120, 180], pos + neg, pos))
    assert c.y == pytest.approx(part / 60)
    # Each class's share in a part has a beta posterior, of 60 and of 120 rows.
    share = (np.arange(2000) + 0.5) / 2000
    for hits, low, high in zip(part, c.low, c.high, strict=True):
        few, many = hits / 18 * 60, (60 - hits) / 162 * 120
        negatives = 162 * beta.ppf(share, many + 0.5, 120 - many + 0.5)
        below = [
            beta.cdf(negatives * bound / (1 - bound) / 18, few + 0.5, 60 - few + 0.5).mean()
            for bound in (low, high)
        ]
        # Within four standard errors of 2,000 draws; a part without positives begins at 0.
        assert below == pytest.approx([0.1 if hits > 1e-9 else 0, 0.9], abs=0.03)


@pytest.mark.slow
def test_bounds_in_the_field_hold_what_they_promise():
    inside = {"interval": [], "consistency": [], "isotonic": [], "deciles": []}
    truth = sampled(99, each=(40_000, 40_000)).curve("deciles").y
    for seed in range(60):
        ev = sampled(seed)
        t = ev.models[0].scores[0]
        for bounds in ("interval", "consistency"):
            c = CURVES["calibration"](t, 5, "mass", 0.9, bounds, stratified=True)
            true = c.x if bounds == "interval" else c.y
            inside[bounds] += ((c.low <= true) & (true <= c.high)).tolist()
        c = CURVES["calibration_isotonic"](t, level=0.9, draws=200, stratified=True)
        inside["isotonic"] += ((c.low <= c.y) & (c.y <= c.high)).tolist()
        c = CURVES["deciles"](t, level=0.9, stratified=True)
        inside["deciles"] += ((c.low <= truth) & (truth <= c.high)).tolist()
    for name, found in inside.items():
        assert 0.84 < np.mean(found) < 0.98, (name, np.mean(found))


@pytest.mark.parametrize("name", BOUNDED)
def test_an_evaluation_hands_its_level_and_its_balance_on(name):
    ev = sampled(1)
    narrow = replace(ev, level=0.5)
    wide = ev.curve(name)
    for c in (narrow.curve(name), narrow.curves()["model"][name], ev.curve(name, level=0.5)):
        np.testing.assert_array_equal(c.y, wide.y)
        assert np.mean(c.high - c.low) < 0.8 * np.mean(wide.high - wide.low)
    across = ev.curve(name, stratified=False)
    assert not np.array_equal(across.low, wide.low)
    (line,) = lines_of(narrow, name)
    np.testing.assert_array_equal(line.curves[0].low, narrow.curve(name).low)


def test_bounds_of_a_class_without_weight_are_those_of_the_other():
    ev = tm.evaluate([0, 1, 1, 0], y_score=[0.1, 0.2, 0.8, 0.3]).at(prevalence={0: 1, 1: 0})
    for name in BOUNDED:
        c = ev.curve(name)
        assert (c.y == 0).all()
        assert (c.low <= c.y).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_points_of_very_many_scores_are_what_their_thresholds_give(weighted):
    rng = np.random.default_rng(5)
    n = 3 * definitions.DRAWN_SCORES
    y = rng.random(n) < 0.3
    s = 1 / (1 + np.exp(-rng.normal(y.astype(float), 1.0)))
    w = rng.random(n) if weighted else np.ones(n)
    whole = tally(y, s, **({"sample_weight": w} if weighted else {}))
    assert len(whole.scores) > 2 * definitions.DRAWN_SCORES
    drawn = thinned(whole, True)
    c = drawn["roc"]
    for i in rng.integers(0, len(c), 40):
        called = s >= c.threshold[i]
        for share, of in ((c.x[i], ~y), (c.y[i], y)):
            assert share == pytest.approx(w[called & of].sum() / w[of].sum(), abs=1e-12)
    # Scores that are drawn as one lie in one bin, of some hundredths of the rows.
    bins, exact = drawn["calibration"], CURVES["calibration"](whole)
    near = 100 * 2 / definitions.DRAWN_SCORES
    np.testing.assert_allclose([bins.x, bins.y], [exact.x, exact.y], atol=near)


# -- first points, effective rows, edges -------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "weights", "first"),
    [
        ([1, 0, 1], [0, 1, 1], [0, 0]),  # a row of weight 0, then a negative
        ([0, 1, 0], [0, 1, 1], [1, 1]),  # a row of weight 0, then a positive
        ([1, 0, 1], [1, 1, 1], [1, 1]),
        ([0, 1, 1], [1, 1, 1], [0, 0]),
    ],
)
def test_precision_where_nothing_is_called_is_that_of_the_first_point(labels, weights, first):
    t = tally(labels, [0.9, 0.5, 0.2], sample_weight=np.array(weights, dtype=float))
    assert CURVES["pr"](t).y[:2].tolist() == first
    c = CURVES["pr"](t)
    assert c.y[-1] == pytest.approx(np.dot(labels, weights) / sum(weights))


def test_weighted_bins_are_worth_kishs_rows():
    w = np.array([1.0, 3.0, 2.0, 2.0, 5.0])
    t = tally([0, 1, 1, 0, 1], [0.1, 0.1, 0.7, 0.7, 0.7], sample_weight=w)
    c = CURVES["calibration"](t, bins=2, strategy="width")
    n = np.array([4.0**2 / (1 + 9), 9.0**2 / (4 + 4 + 25)])
    share = np.array([3 / 4, 7 / 9])
    low, high = wilson(share * n, n, quantile(0.95))
    np.testing.assert_allclose([c.low, c.high], [low, high], rtol=1e-12)
    plain = CURVES["calibration"](tally([0, 1, 1, 0, 1], [0.1, 0.1, 0.7, 0.7, 0.7]), bins=2)
    low, high = wilson(np.array([1.0, 2.0]), np.array([2.0, 3.0]), quantile(0.95))
    np.testing.assert_allclose([plain.low, plain.high], [low, high], rtol=1e-12)
    tenths = CURVES["deciles"](t, parts=2)
    n = 6.5 * 13 / (1 + 9 + 4 + 4 + 25)
    low, high = wilson(tenths.y * n, np.full(2, n), quantile(0.95))
    np.testing.assert_allclose([tenths.low, tenths.high], [low, high], rtol=1e-12)
    whole = CURVES["deciles"](tally([0, 1, 1, 0], [0.1, 0.2, 0.3, 0.4]), parts=2)
    low, high = wilson(2 * whole.y, np.full(2, 2.0), quantile(0.95))
    np.testing.assert_allclose([whole.low, whole.high], [low, high], rtol=1e-12)


def test_the_meaning_of_a_curve_is_its_docstrings_first_paragraph():
    assert CURVES["roc_hull"].meaning == (
        "the corners of the convex hull of the ROC curve: the thresholds worth choosing."
    )


def test_blocks_of_thresholds_are_one_curve(monkeypatch):
    rng = np.random.default_rng(0)
    t = tally(rng.integers(0, 2, 100), rng.random(100))
    whole = {name: c(t) for name, c in CURVES.items()}
    monkeypatch.setattr(definitions, "BLOCK", 7)
    for name, c in CURVES.items():
        np.testing.assert_array_equal(c(t).x, whole[name].x)
        np.testing.assert_array_equal(c(t).y, whole[name].y)
