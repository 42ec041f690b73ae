"""Calibration of probabilities, against twins that go row by row."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize
from sklearn.isotonic import IsotonicRegression

import tallymark as tm
from metric.twins import ROWS, compare, split, undefined
from tallymark import ScoreTally
from tallymark.metric import calibration as logistic
from tallymark.metric.calibration import binned
from tallymark.tally.score_counts import ScoreCounts, bin_starts, fitted, fitted_to

m = tm.metrics


def tenth(p):
    return Fraction(round(10 * p), 10)


def bins(y, s, k, mass):
    """Put rows into bins, rows of one score never being parted."""
    out = {}
    n = len(y)
    for t in sorted(set(s)):
        below, here = sum(b < t for b in s), sum(b == t for b in s)
        place = (Fraction(below) + Fraction(here, 2)) / n if mass else tenth(t)
        found = out.setdefault(min(int(place * k), k - 1), [])
        found += [(a, tenth(b)) for a, b in zip(y, s, strict=True) if b == t]
    return out


def slow_ece(y, s, k=10, mass=False, norm="l1", debiased=False):
    gaps = []
    for rows in bins(y, s, k, mass).values():
        n = len(rows)
        share, mean = Fraction(sum(a for a, _ in rows), n), sum(b for _, b in rows) / n
        gaps.append((Fraction(n, len(y)), abs(mean - share), share, n))
    if norm == "max":
        return max(g for _, g, _, _ in gaps)
    if norm == "l1":
        return sum(w * g for w, g, _, _ in gaps)
    total = Fraction(0)
    for w, g, share, n in gaps:
        noise = (share * (1 - share) / (n - 1) if n > 1 else g**2) if debiased else 0
        total += w * (g**2 - noise)
    return math.sqrt(max(total, 0))


def slow_hosmer_lemeshow(y, s, k=10):
    total = 0.0
    for rows in bins(y, s, k, True).values():
        n, seen, said = len(rows), sum(a for a, _ in rows), sum(b for _, b in rows)
        if seen != said:
            spread = said * (1 - said / n)
            total += float((seen - said) ** 2 / spread) if spread else math.inf
    return total


def isotonic_brier(y, s):
    fitted = IsotonicRegression().fit_transform(s, y)
    return float(np.mean((fitted - y) ** 2))


def brier(y, s):
    return float(np.mean((np.array(s) - y) ** 2))


def spread(y):
    return np.mean(y) * (1 - np.mean(y))


def slow_z(y, s):
    above = sum((a - tenth(b)) * (1 - 2 * tenth(b)) for a, b in zip(y, s, strict=True))
    variance = sum((1 - 2 * tenth(b)) ** 2 * tenth(b) * (1 - tenth(b)) for b in s)
    return float(above) / math.sqrt(variance) if variance else math.nan


def slow_cllr(y, s, prior=None):
    prior = sum(y) / len(y) if prior is None else prior
    bits = {0: [], 1: []}
    for a, b in zip(y, s, strict=True):
        posterior = b / (1 - b) if b < 1 else math.inf
        lr = posterior / (prior / (1 - prior))
        inverse = 1 / lr if lr else math.inf
        bits[a].append(math.log2(1 + (inverse if a else lr)))
    return sum(sum(v) / len(v) for v in bits.values()) / 2


def logit(s):
    return np.log(s) - np.log1p(-np.array(s))


def parted(y, s):
    pos = [b for a, b in zip(y, s, strict=True) if a]
    neg = [b for a, b in zip(y, s, strict=True) if not a]
    return 1 if min(pos) >= max(neg) else -1 if min(neg) >= max(pos) else 0


def slow_slope(y, s):
    """Maximise the likelihood with a general optimiser."""
    if min(s) <= 0 or max(s) >= 1 or len(set(s)) == 1:
        return math.nan
    if parted(y, s):
        return parted(y, s) * math.inf
    x, y = logit(s), np.array(y)

    def loss(ab):
        eta = ab[0] + ab[1] * x
        return float(np.sum(np.logaddexp(0, eta) - y * eta))

    return minimize(loss, [0, 0], method="BFGS", options={"gtol": 1e-9}).x[1]


def slow_intercept(y, s):
    if min(s) <= 0 or max(s) >= 1:
        return math.nan
    x = logit(s)
    return brentq(lambda a: float(np.sum(y - 1 / (1 + np.exp(-a - x)))), -60, 60, xtol=1e-13)


TWINS = {
    "expected_calibration_error": slow_ece,
    "max_calibration_error": lambda y, s: slow_ece(y, s, norm="max"),
    "root_mean_squared_calibration_error": lambda y, s: slow_ece(y, s, norm="l2"),
    "hosmer_lemeshow": slow_hosmer_lemeshow,
    "calibration_in_the_large": lambda y, s: np.mean(y) - np.mean(s),
    "observed_expected_ratio": lambda y, s: sum(y) / sum(s) if sum(s) else math.inf,
    "spiegelhalter_z": slow_z,
    "miscalibration": lambda y, s: brier(y, s) - isotonic_brier(y, s),
    "discrimination": lambda y, s: spread(y) - isotonic_brier(y, s),
    "uncertainty": lambda y, s: spread(y),
    "cllr": slow_cllr,
    "calibration_intercept": slow_intercept,
}
FITTED = {"calibration_slope": slow_slope}
TWINS_OF_ALL = {**TWINS, **FITTED}


@given(ROWS)
def test_row_by_row(rows):
    compare(m, TWINS, rows)


@given(ROWS)
def test_the_slope_is_the_likeliest(rows):
    compare(m, FITTED, rows, near=2e-4)


@given(
    ROWS, st.integers(1, 12), st.booleans(), st.sampled_from(["l1", "l2", "max"]), st.booleans()
)  # fmt: skip
def test_bins_and_norms(rows, k, mass, norm, debiased):
    y, s = split(rows)
    debiased = debiased and norm == "l2"
    strategy = "mass" if mass else "width"
    ours = m.ece(y, s, bins=k, strategy=strategy, norm=norm, debiased=debiased)
    if not mass and any((Fraction(round(10 * b)) * k) % 10 == 0 for b in s):
        return  # a score on an edge may be on either side of it in floating point
    assert ours == pytest.approx(float(slow_ece(y, s, k, mass, norm, debiased)), abs=1e-7)


@given(ROWS, st.integers(2, 12))
def test_hosmer_lemeshow_of_other_bins(rows, k):
    y, s = split(rows)
    assert m.hosmer_lemeshow(y, s, bins=k) == pytest.approx(slow_hosmer_lemeshow(y, s, k))


@given(ROWS, st.sampled_from([0.01, 0.2, 0.7]))
def test_cllr_at_another_prior(rows, prior):
    y, s = split(rows)
    assert m.cllr(y, s, prior=prior) == pytest.approx(slow_cllr(y, s, prior))


@given(ROWS)
def test_the_parts_of_the_brier_score(rows):
    y, s = split(rows)
    parts = m.miscalibration(y, s) - m.discrimination(y, s) + m.uncertainty(y, s)
    assert parts == pytest.approx(m.brier(y, s))
    assert m.min_cllr(y, s) <= m.cllr(y, s) + 1e-12


@given(ROWS)
def test_clipped_log_odds(rows):
    y, s = split(rows)
    clipped = np.clip(s, 0.05, 0.95).tolist()
    assert m.calibration_intercept(y, s, clip=0.05) == pytest.approx(slow_intercept(y, clipped))


def test_by_hand():
    y, s = [0, 1, 0, 1, 1], [0.1, 0.9, 0.4, 0.4, 0.7]
    # Bins of width 1/2: (0.1, 0.4, 0.4) with one positive of three, (0.7, 0.9) with two of two.
    assert m.ece(y, s, bins=2) == pytest.approx(3 / 5 * abs(0.3 - 1 / 3) + 2 / 5 * 0.2)
    assert m.mce(y, s, bins=2) == pytest.approx(0.2)
    assert m.rmsce(y, s, bins=2) == pytest.approx(math.sqrt(0.6 / 900 + 0.4 * 0.04))
    debiased = 0.6 * (1 / 900 - 2 / 9 / 2) + 0.4 * 0.04
    assert debiased < 0
    assert m.ece(y, s, bins=2, norm="l2", debiased=True) == 0
    assert m.calibration_in_the_large(y, s) == pytest.approx(0.1)
    assert m.observed_expected_ratio(y, s) == pytest.approx(3 / 2.5)
    # Pooled: 0.1 -> 0; 0.4, 0.4 -> 1/2; 0.7, 0.9 -> 1: two squares of 1/4 in five rows.
    assert m.discrimination(y, s) == pytest.approx(6 / 25 - 0.1)
    assert m.miscalibration(y, s) == pytest.approx((0.01 + 0.01 + 0.16 + 0.36 + 0.09) / 5 - 0.1)


def bin_rows(r, bins, strategy):
    """Return the bin of each score: the slow and obvious twin of where bins start."""
    if strategy == "width":
        edges = np.arange(bins + 1) / bins  # 0.29 * 100 would be below 29
        place = np.searchsorted(edges, r.scores, side="right") - 1
    else:
        rows = r.pos + r.neg
        place = np.floor((np.cumsum(rows) - rows / 2) * bins / rows.sum())
    return np.clip(place, 0, bins - 1).astype(int)


def test_a_probability_on_an_edge_belongs_to_the_bin_above_it():
    # 0.29 * 100 is 28.999... in floating point
    assert m.ece([1, 0], [0.29, 0.295], bins=100) == pytest.approx(abs(0.2925 - 0.5))
    assert m.ece([1, 0], [0.58, 0.59], bins=50) == pytest.approx(abs(0.585 - 0.5))


def test_slopes_at_the_ends():
    assert m.calibration_slope([0, 1], [0.2, 0.4]) == math.inf
    assert m.calibration_slope([1, 0], [0.2, 0.4]) == -math.inf
    ev = tm.evaluate([0, 1, 1, 0], y_score=[0, 0.5, 0.8, 0.7])
    assert ev["calibration_slope"].reason == "a row has probability 0 or 1"
    assert ev.value("calibration_slope", clip=0.01).reason is None
    ev = tm.evaluate([0, 1, 1, 0], y_score=[0.3] * 4)
    assert ev["calibration_slope"].reason == "all rows have the same probability"


def test_several_classes_are_averaged():
    y = ["a", "b", "c", "a"]
    p = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.4, 0.4, 0.2], [0.3, 0.3, 0.4]]
    per_class = m.ece(y, p, average="per_class")
    for k, label in enumerate("abc"):
        alone = [int(v == label) for v in y]
        assert per_class[k] == pytest.approx(m.ece(alone, [row[k] for row in p]))
    assert m.ece(y, p) == pytest.approx(per_class.mean())


@pytest.mark.parametrize(
    ("name", "params", "told"),
    [
        ("ece", {"bins": 0}, "bins is 0; give a whole number, at least 1"),
        ("ece", {"strategy": "even"}, "strategy is 'even'; say 'mass' or 'width'"),
        ("ece", {"norm": "l3"}, "norm is 'l3'; say 'l1', 'l2' or 'max'"),
        ("ece", {"debiased": True}, "debiased needs norm='l2' and norm is 'l1'"),
        ("hosmer_lemeshow", {"bins": -1}, "bins is -1; give a whole number, at least 1"),
        ("cllr", {"prior": 0}, "prior is 0; give a number between 0 and 1"),
        ("calibration_slope", {"clip": 0.5}, "clip is 0.5; it must lie between 0 and 0.5"),
        ("calibration_intercept", {"clip": -1}, "clip is -1; it must lie between 0 and 0.5"),
    ],
)
def test_parameters_out_of_range_are_refused(name, params, told):
    with pytest.raises(tm.InputError, match=told):
        getattr(m, name)([0, 1], [0.2, 0.3], **params)


def test_scores_that_are_no_probabilities_are_refused():
    with pytest.raises(tm.InputError, match="miscalibration needs probabilities and y_score holds"):
        m.miscalibration([0, 1], [-2.0, 3.0])
    with pytest.raises(tm.InputError, match="cllr needs probabilities"):
        m.cllr(tm.ScoreTally.from_arrays([0, 1], [-2.0, 3.0]))


def test_a_class_without_rows_is_the_reason():
    undefined(m, [n for n in TWINS_OF_ALL if getattr(m, n)._needs != "rows"])


def test_the_likelihood_is_flat_at_the_slope():
    rng = np.random.default_rng(8)
    for n, positive in ((12, 0.5), (60, 0.1), (400, 0.03), (2000, 0.005)):
        y = np.append([0, 1], rng.random(n - 2) < positive).astype(int)
        s = np.clip(np.round(rng.beta(1, 12, n) + 0.3 * y * rng.random(n), 3), 0.001, 0.99)
        slope, x = m.calibration_slope(y, s), logit(s)

        def off(a, b=slope, x=x, y=y):
            return y - 1 / (1 + np.exp(-a - b * x))

        a = brentq(lambda a, off=off: float(off(a).sum()), -40, 40, xtol=1e-14)
        assert abs(float((off(a) * x).sum())) < 1e-8 * n


def test_certain_rows_at_either_end():
    for certain in (0.0, 1.0):
        ev = tm.evaluate([0, 1, 1, 0, 0], y_score=[certain, 0.5, 0.8, 0.7, 0.2])
        for name in ("calibration_slope", "calibration_intercept"):
            assert ev[name].reason == "a row has probability 0 or 1"
        clipped = np.clip([certain, 0.5, 0.8, 0.7, 0.2], 0.1, 0.9).tolist()
        y = [0, 1, 1, 0, 0]
        given = [certain, 0.5, 0.8, 0.7, 0.2]
        for name in ("calibration_slope", "calibration_intercept"):
            metric = getattr(m, name)
            assert metric(y, given, clip=0.1) == pytest.approx(metric(y, clipped)), name
    assert m.calibration_intercept([1, 1, 0], [1.0, 0.5, 0.5], clip=0.1) == pytest.approx(
        slow_intercept([1, 1, 0], [0.9, 0.5, 0.5])
    )
    for p in ([0.0, 1.0], [0.5, 1.0], [0.0, 0.5], [1.0, 1.0]):
        value = tm.evaluate([0, 1], y_score=p)["spiegelhalter_z"]
        assert value.reason == "every row has probability 0, 1/2 or 1"
    assert tm.evaluate([0, 1], y_score=[0.4, 1.0])["spiegelhalter_z"].reason is None


def test_one_row():
    assert m.mce([1], [0.3], labels=[0, 1], positive=1) == pytest.approx(0.7)
    assert m.hosmer_lemeshow([1], [0.3], labels=[0, 1], positive=1) == pytest.approx(0.7 / 0.3)


def test_nothing_observed_and_nothing_expected():
    ratio = tm.metrics.observed_expected_ratio
    options = {"labels": [0, 1], "positive": 1}
    assert math.isnan(ratio([0, 0], [0.0, 0.0], **options))
    assert ratio([0, 0], [0.0, 0.3], **options) == 0
    assert ratio([0, 0], [0.5, 0.5], **options) == 0  # one expected, none observed
    assert ratio([0, 1], [0.0, 0.0], **options) == math.inf
    assert ratio([0, 1, 1], [0.0, 0.5, 0.5], **options) == 2


def test_bins_of_equal_mass_with_uneven_scores():
    # middles of the rows: 2, 4.5, 6 and 8.5 of 10, so that two bins part after the second score
    y = [0, 0, 1, 0, 1, 0, 1, 1, 1, 0]
    s = [0.1] * 4 + [0.2] + [0.6] * 2 + [0.9] * 3
    parted = abs(2 / 5 - 0.6 / 5) * 0.5 + abs(3 / 5 - 3.9 / 5) * 0.5
    assert m.ece(y, s, bins=2, strategy="mass") == pytest.approx(parted)


def test_certainty_is_in_the_last_bin():
    assert m.ece([0, 1], [1.0, 0.95]) == pytest.approx(abs(0.975 - 0.5))


def test_log_odds_far_out():
    # logit(1e-300) = -300 ln 10: half of the rows positive are an intercept of as much.
    assert m.calibration_intercept([0, 1], [1e-300, 1e-300]) == pytest.approx(300 * math.log(10))
    assert m.calibration_intercept([0, 1], [1e-320, 1e-320]) == pytest.approx(-math.log(1e-320))
    # Two probabilities: the slope joins the log odds of the shares, here of 1/4 and 3/4.
    y, s = [1, 0, 0, 0, 1, 1, 1, 0], [1e-200] * 4 + [0.5] * 4
    assert m.calibration_slope(y, s) == pytest.approx(2 * math.log(3) / (200 * math.log(10)))
    assert m.cllr([1, 0], [1e-310, 0.5]) == pytest.approx(0.5 * (1 + 310 * math.log2(10)))
    # Cllr of LR x for the negatives and 1/x for the positives is log2(1 + x).
    assert m.cllr([1, 0], [1 - 2**-53, 2**-53]) == pytest.approx(2**-53 / math.log(2), rel=1e-9)


@pytest.mark.parametrize("rare", [1e-3, 1e-9, 1e-14])
def test_the_slope_of_nearly_separated_rows(rare):
    # Log odds -1 and 1, all but a share of each on its side: odds of the shares at both.
    low, high = 1 / (1 + math.e), math.e / (1 + math.e)
    found = m.calibration_slope([0, 1, 1, 0], [low, low, high, high], sample_weight=[1, rare] * 2)
    assert found == pytest.approx(-math.log(rare), rel=1e-9)


def test_clips_that_merge_and_clips_below_rounding():
    # Clipped, the lowest two are one, and no threshold is left that errs.
    assert m.calibration_slope([1, 0, 1, 1], [0.001, 0.002, 0.9, 0.95], clip=0.01) == math.inf
    assert m.calibration_slope([1, 0, 1], [0.001, 0.002, 0.9]) < 3
    # 1 - 1e-20 is 1 in floating point: a row of probability 1 is clipped all the same.
    assert m.calibration_intercept([0, 1], [1, 1], clip=1e-20) == pytest.approx(-math.log(1e20))
    assert m.log_loss([0, 1], [1, 1], clip=1e-20) == pytest.approx(math.log(1e20) / 2)


def test_bins_of_near_certainties():
    # One of ten promises of 1 - e was broken, e = 2^-53: (1 - 10e)² / (10·e·(1 - e)).
    e = Fraction(1, 2**53)
    exact = (1 - 10 * e) ** 2 / (10 * e * (1 - e))
    found = m.hosmer_lemeshow([1] * 9 + [0], [1 - 2**-53] * 10, bins=1)
    assert found == pytest.approx(float(exact), rel=1e-12)


def test_z_of_the_smallest_probabilities_and_weights():
    # One row that did not happen: -p / sqrt(p) for p of 5e-324, and a weight under the root.
    least = math.sqrt(5e-324)
    assert m.spiegelhalter_z([0, 0], [5e-324, 0]) == pytest.approx(-least)
    z = m.spiegelhalter_z([0, 0], [5e-324, 0], sample_weight=[1e-9, 1])
    assert z == pytest.approx(-least * math.sqrt(1e-9))


def test_a_tie_between_the_classes_is_still_separation():
    # Every negative at least as high as every positive, one tie: the best slope is -infinity.
    assert m.calibration_slope([1, 0, 0], [0.3, 0.3, 0.7]) == -math.inf
    assert m.calibration_slope([0, 1, 1], [0.3, 0.3, 0.7]) == math.inf


@pytest.mark.parametrize("spread", [1.0, 30.0, 300.0])
def test_the_intercept_meets_its_equation_however_far_the_scores_lie(spread):
    rng = np.random.default_rng(int(spread))
    for _ in range(20):
        x = spread * rng.normal(size=7) + rng.normal(scale=spread)
        pos, neg = rng.integers(0, 5, 7).astype(float), rng.integers(0, 5, 7) + 1e-9
        if not pos.any():
            continue
        order = np.argsort(x)
        r = ScoreCounts(np.linspace(0.1, 0.9, 7), pos[order], neg[order])
        with np.errstate(all="ignore"):
            a = float(fitted_to(r.pos, r.neg, x[order], sloped=False)[0])
        up = 1 / (1 + np.exp(-np.clip(a + x[order], -700, 700)))
        down = 1 / (1 + np.exp(np.clip(a + x[order], -700, 700)))
        left = (r.pos * down).sum() - (r.neg * up).sum()
        # What is left is as little as one more step of the last digit of a would move it.
        slope = ((r.pos + r.neg) * up * down).sum()
        assert abs(left) <= 1e-9 * (r.pos * down).sum() + 4e-12 * slope * (1 + abs(a))


SCORES = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.29, 0.3, 0.5, 0.7, 1.0]), min_size=2)
STRATEGIES = ("width", "mass")


def ranking(scores):
    labels = np.arange(len(scores)) % 2
    return ScoreTally.from_arrays(labels, scores)._score_counts


def test_a_probability_on_an_edge_belongs_to_the_bin_above():
    assert bin_rows(ranking([0.0, 0.1, 0.29, 0.3, 1.0]), 10, "width").tolist() == [0, 1, 2, 3, 9]
    assert bin_rows(ranking([0.28, 0.29]), 100, "width").tolist() == [28, 29]


def test_the_middle_of_the_rows_of_a_score_decides():
    # The middle of the pair at 28/200 is exactly 29 hundredths of the rows, the edge of bin 29.
    s = np.delete(np.arange(101), 29) / 200
    s[29] = s[28]
    assert bin_rows(ranking(s), 100, "mass")[28] == 29


@given(SCORES, st.integers(1, 12), st.sampled_from(STRATEGIES))
def test_starts_are_where_the_bins_of_rows_change(scores, bins, strategy):
    r = ranking(scores)
    starts, rows = bin_starts(r, bins, strategy), bin_rows(r, bins, strategy)
    assert np.repeat(np.arange(bins), np.diff(starts)).tolist() == rows.tolist()


@given(SCORES, st.integers(1, 12), st.sampled_from(STRATEGIES))
def test_sums_of_bins_are_those_of_a_loop_over_the_rows(scores, bins, strategy):
    r = ranking(scores)
    twin = np.zeros((5, bins))
    for place, p, pos, neg in zip(bin_rows(r, bins, strategy), r.scores, r.pos, r.neg, strict=True):
        rows = pos + neg
        twin[:, place] += rows, pos * (1 - p) - neg * p, pos, rows * p, rows * (1 - p)
    np.testing.assert_allclose(binned(r, bins, strategy), twin, atol=1e-12)
    stack = ScoreCounts(r.scores, np.stack([r.pos, r.neg]), np.stack([r.neg, r.pos]))
    np.testing.assert_allclose(np.array(binned(stack, bins, strategy))[:, 0], twin, atol=1e-12)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_of_bins_of_many_probabilities_are_those_of_the_rows(strategy, weighted):
    rng = np.random.default_rng(3)
    p = rng.beta(0.4, 0.7, 20_000)
    y, w = (rng.random(p.size) < p).astype(int), rng.random(p.size) if weighted else None
    r = ScoreTally.from_arrays(y, p, sample_weight=w)._score_counts
    place, q = bin_rows(r, 13, strategy), 1 - r.scores
    parts = (
        r.pos + r.neg, r.pos * q - r.neg * r.scores, r.pos, (r.pos + r.neg) * r.scores,
        (r.pos + r.neg) * q,
    )  # fmt: skip
    twin = [np.bincount(place, part, 13) for part in parts]
    np.testing.assert_allclose(binned(r, 13, strategy), twin, rtol=1e-12, atol=1e-9)


def test_what_are_no_bins():
    r = ranking([0.1, 0.2])
    with pytest.raises(ValueError, match="strategy is 'size'; say 'mass' or 'width'"):
        binned(r, 10, "size")
    with pytest.raises(ValueError, match="bins is 0; give at least one"):
        binned(r, 0, "mass")


def drawn(seed):
    """Return scores and rows of both classes: plain, weighted, extreme, hardly any overlap."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 60))
    scores = np.unique(rng.random(size))
    if seed % 4 == 1:
        scores = np.unique(10.0 ** rng.uniform(-300, 0, size) * 0.999)
    pos = (rng.random(len(scores)) < scores) * 1.0
    neg = 1 - pos
    if seed % 4 == 2:
        pos, neg = rng.random((2, len(scores))) * 10.0 ** rng.integers(-3, 6)
    if seed % 4 == 3:
        pos = (scores > 0.5) * 1.0
        neg = 1 - pos + (np.arange(len(scores)) == len(scores) - 1)
    pos[0] += 1
    neg[-1] += 1
    return scores, pos, neg


@pytest.mark.parametrize("clip", [0.0, 0.01])
@pytest.mark.parametrize("seed", range(40))
def test_a_line_is_where_the_likelihood_is_level(seed, clip):
    scores, pos, neg = drawn(seed)
    r = ScoreCounts(scores, pos, neg)
    x = np.clip(
        np.log(scores) - np.log1p(-scores),
        *(np.log([clip, 1 - clip] / np.array([1 - clip, clip])) if clip else (-np.inf, np.inf)),
    )

    def level(a, b, by):
        at = a + b * x
        up, down = 1 / (1 + np.exp(-at)), 1 / (1 + np.exp(at))
        terms = by * (pos * down - neg * up)
        return abs(terms.sum()) <= 1e-9 * (np.abs(by) * (pos + neg)).sum()

    with np.errstate(all="ignore"):
        parted = int(logistic.separated(r, clip))
        assert level(float(fitted(r, clip, sloped=False)[0]), 1, np.ones(len(x)))
        a, b = (float(v) for v in fitted(r, clip, sloped=True))
        # Where the classes are parted no line is the likeliest.
        assert parted or (level(a, b, np.ones(len(x))) and level(a, b, x - x.mean()))


@pytest.mark.parametrize("places", [([0], [1]), ([1], [0]), ([0, 1], [1, 0]), ([0, 1], [1])])
def test_groups_that_a_threshold_parts_are_told(places):
    scores, (pos, neg) = np.array([0.2, 0.7]), np.zeros((2, 2))
    pos[places[0]], neg[places[1]] = 1.0, 1.0
    fast = logistic.separated(ScoreCounts(scores, pos, neg), 0.0)
    by_hand = min(places[0]) >= max(places[1]), min(places[1]) >= max(places[0])
    assert fast == (1 if by_hand[0] else -1 if by_hand[1] else 0)
    stack = ScoreCounts(scores, np.stack([pos, neg]), np.stack([neg, pos]))
    assert fast == logistic.separated(stack, 0.0)[0]
