"""Metrics of the order of the scores, against twins that follow their definitions row by row."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta as beta_distribution

import tallymark as tm
from metric import (
    test_calibration,
    test_detection,
    test_probability,
    test_retrieval,
)
from metric.twins import ROWS, compare, hull, points, split, undefined
from of_parts import of_parts
from tallymark.metric import METRICS
from tallymark.tally.sums import class_tallies

m = tm.metrics


def slow_auc(y, s, tied=Fraction(1, 2)):
    pairs = [
        (a, b) for a, i in zip(s, y, strict=True) if i for b, j in zip(s, y, strict=True) if not j
    ]
    return sum(Fraction(1) if a > b else tied if a == b else Fraction(0) for a, b in pairs) / len(
        pairs
    )


def slow_ks(y, s):
    return max(abs(Fraction(tp, sum(y)) - Fraction(fp, len(y) - sum(y))) for tp, fp in points(y, s))


def area(pts, low, high):
    """Area under straight lines between (x, y) points, from low to high, in exact fractions."""
    total = Fraction(0)
    for (x0, y0), (x1, y1) in itertools.pairwise(pts):
        a, b = max(x0, low), min(x1, high)
        if b > a:
            at = [y0 + (y1 - y0) * (x - x0) / (x1 - x0) for x in (a, b)]
            total += (b - a) * sum(at) / 2
    return total


def slow_partial(y, s, low=0, high=Fraction(1, 10), axis="fpr", standardized=False):
    p, n = sum(y), len(y) - sum(y)
    pts = [(Fraction(fp, n), Fraction(tp, p)) for tp, fp in points(y, s)]
    least = (high**2 - low**2) / 2
    if axis == "tpr":
        pts = [(tpr, 1 - fpr) for fpr, tpr in pts]
        least = (high - low) - least
    found = area(pts, low, high)
    return (1 + (found - least) / (high - low - least)) / 2 if standardized else found


def slow_hull_auc(y, s):
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in itertools.pairwise(hull(y, s)))


def slow_auk(y, s):
    """Integrate Cohen's kappa along the ROC curve numerically."""
    p, n, share = sum(y), len(y) - sum(y), sum(y) / len(y)
    total = 0.0
    for (tp0, fp0), (tp1, fp1) in itertools.pairwise(points(y, s)):

        def kappa(u, a=(tp0, fp0), b=(tp1, fp1)):
            tpr = (a[0] + u * (b[0] - a[0])) / p
            fpr = (a[1] + u * (b[1] - a[1])) / n
            called = share * tpr + (1 - share) * fpr
            agreed = share * tpr + (1 - share) * (1 - fpr)
            chance = share * called + (1 - share) * (1 - called)
            return (agreed - chance) / (1 - chance)

        total += (fp1 - fp0) / n * quad(kappa, 0, 1)[0] if fp1 > fp0 else 0.0
    return total


def slow_h(y, s, shapes=None):
    """Integrate the least loss over the costs numerically."""
    share = sum(y) / len(y)
    a, b = shapes or (1 + share, 2 - share)
    corners = hull(y, s)
    bends = sorted({
        share * (t1 - t0) / (share * (t1 - t0) + (1 - share) * (f1 - f0))
        for (f0, t0), (f1, t1) in itertools.pairwise(corners)
    } | {0.0, share, 1.0})  # fmt: skip

    def mean(loss):
        weigh = beta_distribution(a, b).pdf
        return sum(
            quad(lambda c: loss(c) * weigh(c), lo, hi)[0] for lo, hi in itertools.pairwise(bends)
        )

    def least(c):
        return min(c * (1 - share) * f + (1 - c) * share * (1 - t) for f, t in corners)

    return 1 - mean(least) / mean(lambda c: min(c * (1 - share), (1 - c) * share))


TWINS = {
    "roc_auc": slow_auc,
    "roc_auc_optimistic": lambda y, s: slow_auc(y, s, Fraction(1)),
    "roc_auc_pessimistic": lambda y, s: slow_auc(y, s, Fraction(0)),
    "gini_coefficient": lambda y, s: 2 * slow_auc(y, s) - 1,
    "kolmogorov_smirnov": slow_ks,
    "partial_roc_auc": slow_partial,
    "partial_roc_auc_standardized": lambda y, s: slow_partial(y, s, standardized=True),
    "roc_hull_auc": slow_hull_auc,
    "auk": slow_auk,
}
SLOW = {"h_measure": slow_h}
MANY = {"hand_till_auc", "provost_domingos_auc", "top_k_accuracy"}


@given(ROWS)
@pytest.mark.slow
def test_row_by_row(rows):
    compare(m, TWINS, rows)


@pytest.mark.slow
@given(ROWS.filter(lambda rows: len(rows) < 14))
def test_the_h_measure_is_its_integral(rows):
    compare(m, SLOW, rows, near=1e-6)
    y, s = split(rows)
    assert m.h_measure(y, s, alpha=2, beta=2) == pytest.approx(slow_h(y, s, (2, 2)), abs=1e-6)
    assert m.h_measure(y, s, alpha=1, beta=3) == pytest.approx(slow_h(y, s, (1, 3)), abs=1e-6)


@given(ROWS, st.integers(0, 9), st.integers(1, 10), st.sampled_from(["fpr", "tpr"]), st.booleans())
def test_parts_of_the_area(rows, low, width, axis, standardized):
    y, s = split(rows)
    low, high = Fraction(low, 10), Fraction(min(low + width, 10), 10)
    options = {"axis": axis, "standardized": standardized}
    ours = m.partial_roc_auc(y, s, low=float(low), high=float(high), **options)
    assert ours == pytest.approx(float(slow_partial(y, s, low, high, **options)), abs=1e-12)


@given(ROWS)
def test_ties_are_enclosed(rows):
    y, s = split(rows)
    low, middle, high = (f(y, s) for f in (m.roc_auc_pessimistic, m.roc_auc, m.roc_auc_optimistic))
    assert low <= middle <= high
    assert middle == pytest.approx((low + high) / 2)
    assert m.gini(y, s) == pytest.approx(2 * middle - 1)
    assert m.roc_hull_auc(y, s) >= max(middle, 0.5) - 1e-12
    assert m.partial_roc_auc(y, s, low=0, high=1) == pytest.approx(middle)
    assert m.partial_roc_auc(y, s, low=0, high=1, axis="tpr") == pytest.approx(middle)


def test_by_hand():
    # From the top: positive; negative and positive tied; two negatives. P = 2, N = 3.
    y, s = [1, 0, 1, 0, 0], [0.9, 0.5, 0.5, 0.3, 0.2]
    # ROC (0, 0), (0, 1/2), (1/3, 1), (1, 1)
    assert m.roc_auc(y, s) == pytest.approx(1 - 1 / 2 * 1 / 3 / 2)
    assert m.partial_roc_auc(y, s, high=0.2) == pytest.approx(0.2 * (0.5 + 0.8) / 2)
    least = 0.2**2 / 2
    assert m.partial_roc_auc_standardized(y, s, high=0.2) == pytest.approx(
        (1 + (0.13 - least) / (0.2 - least)) / 2
    )
    assert m.partial_roc_auc(y, s, low=0.75, high=1, axis="tpr") == pytest.approx(
        0.25 * (5 / 6 + 2 / 3) / 2
    )
    # A perfect ranking: kappa falls along FPR as 1 - f / (2p - pf + (1-p)f), p = 2/5.
    perfect = quad(lambda f: 1 - f / (0.8 + 0.2 * f), 0, 1)[0]
    assert m.auk(y, [0.9, 0.1, 0.8, 0.3, 0.2]) == pytest.approx(perfect)
    assert m.h_measure(y, [0.9, 0.1, 0.8, 0.3, 0.2]) == 1
    assert m.h_measure(y, [0.4] * 5) == pytest.approx(0)


def test_kappa_curves_of_very_unequal_classes():
    # Steps where the bend of kappa within a threshold is faint and where it is strong.
    for positives, negatives in ((3, 2000), (2000, 3), (40, 41)):
        y = [1] * positives + [0] * negatives
        s = np.round(np.random.default_rng(positives).random(len(y)) + 0.2 * np.array(y), 2)
        assert m.auk(y, s) == pytest.approx(slow_auk(y, s.tolist()), rel=1e-9)


# -- more than two classes ---------------------------------------------------------------------


def three(n=60, seed=3):
    rng = np.random.default_rng(seed)
    y = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    scores = np.round(rng.random((n, 3)) + 0.5 * np.eye(3)[y], 1)
    return y, scores


def slow_hand_till(y, scores):
    k = scores.shape[1]
    areas = []
    for i, j in itertools.permutations(range(k), 2):
        rows = (y == i) | (y == j)
        areas.append(slow_auc((y[rows] == i).tolist(), scores[rows, i].tolist()))
    return sum(areas) / len(areas)


def slow_top(y, scores, k):
    """Average over the ways in which ties might be broken."""
    total = Fraction(0)
    for label, row in zip(y, scores, strict=True):
        above = sum(v > row[label] for v in row)
        tied = sum(v == row[label] for v in row)
        total += Fraction(sum(above + place < k for place in range(tied)), tied)
    return total / len(y)


def test_pairs_of_classes():
    y, scores = three()
    assert m.hand_till_auc(y, scores) == pytest.approx(float(slow_hand_till(y, scores)))
    areas = [slow_auc((y == k).tolist(), scores[:, k].tolist()) for k in range(3)]
    shares = [Fraction(int((y == k).sum()), len(y)) for k in range(3)]
    total = sum(a * s for a, s in zip(areas, shares, strict=True))
    assert m.provost_domingos_auc(y, scores) == pytest.approx(float(total))
    assert m.provost_domingos_auc(y, scores) == pytest.approx(
        m.roc_auc(y, scores, average="weighted")
    )


def test_of_two_classes_they_are_the_area():
    y, s = [0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.4, 0.3]
    for name in ("hand_till_auc", "provost_domingos_auc"):
        assert getattr(m, name)(y, s) == m.roc_auc(y, s)
        assert getattr(m, name)(y, np.stack([1 - np.array(s), s], 1)) == pytest.approx(
            m.roc_auc(y, s)
        )


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_top_k(k):
    y, scores = three()
    assert m.top_k_accuracy(y, scores, k=k) == pytest.approx(float(slow_top(y, scores, k)))


def test_what_the_metrics_of_many_classes_refuse():
    y, scores = three()
    with pytest.raises(tm.InputError, match="k is 0; give a whole number, at least 1"):
        m.top_k_accuracy(y, scores, k=0)
    with pytest.raises(tm.InputError, match="top_k_accuracy is not defined for 2 classes; give"):
        m.top_k_accuracy([0, 1, 1], [0.2, 0.4, 0.6])
    wide = np.random.default_rng(0).random((100, 30))
    many = np.arange(100) % 30
    assert m.top_k_accuracy(many, wide, k=20) == pytest.approx(float(slow_top(many, wide, 20)))
    with pytest.raises(
        tm.InputError, match="k is 21; give at most 20, up to which hits are counted"
    ):
        m.top_k_accuracy(many, wide, k=21)
    with pytest.raises(tm.InputError, match="needs whole rows of scores, which the tallies of the"):
        m.spherical_score(class_tallies(y, scores / scores.sum(1, keepdims=True)))
    with pytest.raises(
        tm.InputError, match="hand_till_auc is computed from all scores at once; leave average="
    ):
        m.hand_till_auc(y, scores, average="macro")
    missing = y.copy()
    missing[y == 2] = 1
    value = tm.evaluate(missing, y_score=scores, classes=[0, 1, 2])["hand_till_auc"]
    assert value.reason == "a class has no true row"


@pytest.mark.parametrize(
    ("name", "params", "told"),
    [
        ("partial_roc_auc", {"axis": "x"}, "axis is 'x'; say 'fpr' or 'tpr'"),
        (
            "partial_roc_auc",
            {"low": 0.5, "high": 0.5},
            "low is 0.5 and high is 0.5; 0 <= low < high",
        ),
        ("partial_roc_auc", {"high": 1.5}, "low is 0.0 and high is 1.5"),
        ("h_measure", {"alpha": 0}, "alpha is 0; give a shape above 0"),
        ("h_measure", {"beta": math.inf}, "beta is inf; give a shape above 0"),
    ],
)
def test_parameters_out_of_range_are_refused(name, params, told):
    with pytest.raises(tm.InputError, match=told):
        getattr(m, name)([0, 1], [0.2, 0.3], **params)


@pytest.mark.slow
def test_every_metric_of_scores_is_compared_with_a_twin():
    twins = {*TWINS, *SLOW, *MANY, *test_retrieval.TWINS, *test_detection.TWINS}
    twins |= {*test_calibration.TWINS_OF_ALL, *test_probability.TWINS}
    others = ("counts", "matrix", "label_sets", "label_rankings")  # twins of their own
    scores = {n for n, x in METRICS.items() if x._needs not in others}
    assert twins == scores - {*chain(*of_parts("METRICS"))}


def test_a_class_without_rows_is_the_reason():
    undefined(m, [n for n in {**TWINS, **SLOW} if getattr(m, n)._needs != "rows"])


def test_far_below_guessing_mcclishs_scale_is_below_0():
    metric = METRICS["partial_roc_auc_standardized"]
    y, s = [1, 0], [0.1, 0.9]
    # Area 0 over 0.8..1, where guessing has 0.18 and the most is 0.2: (1 - 0.18/0.02)/2.
    assert metric(y, s, low=0.8, high=1) == pytest.approx(-4)
    assert metric(y, s, axis="tpr") == pytest.approx(-9)
    assert metric.range == METRICS["partial_roc_auc"].range_of(standardized=True)
    assert METRICS["partial_roc_auc"].range == (0, 1)
    worst, best = ([0, 0, 0, 1, 1], [3, 4, 5, 1, 2]), ([0, 0, 0, 1, 1], [1, 2, 3, 4, 5])
    for options in (
        {},
        {"high": 0.6},
        {"low": 0.4, "high": 1},
        {"low": 0.7, "axis": "tpr", "high": 1},
    ):
        for standardized in (False, True):
            least, most = metric.range_of(**options, standardized=standardized)
            ends = [m.partial_roc_auc(*end, **options, standardized=standardized)
                    for end in (worst, best)]  # fmt: skip
            assert ends == pytest.approx([least, most])


def test_one_column_of_three_classes_is_refused():
    t = tm.ScoreTally.from_arrays(["a", "b", "c"], [0.3, 0.1, 0.2], positive="a")
    for name in ("hand_till_auc", "provost_domingos_auc"):
        with pytest.raises(tm.InputError, match=f"{name} needs one score column per class, and th"):
            getattr(m, name)(t)


def test_weights_do_not_lift_an_area_above_1():
    rng = np.random.default_rng(0)
    y, s = np.repeat([0, 1], 50), np.arange(100)
    for _ in range(20):
        assert m.roc_auc(y, s, sample_weight=rng.random(100)) <= 1


def test_a_single_negative_among_very_many():
    def of(name, pos, neg):
        counts = np.stack([neg, pos], 1).astype(float)
        return METRICS[name](tm.ScoreTally((0, 1), 1, np.arange(len(pos)), counts))

    # Both classes exchanged, H is the same: of p = 1 - 1e-12 as of 1e-12.
    few, many = np.array([0, 1, 1]), np.array([2e11, 3e11, 5e11])
    assert of("h_measure", many, few) == pytest.approx(
        of("h_measure", few[::-1], many[::-1]), rel=1e-9
    )
    # Nearly useless rankings, where the losses on either end of the costs all but cancel.
    for pos, neg in (
        (np.array([4.26246175e13, 6.728e3, 1.96604264e12]), np.array([1.87016e5, 7.0, 913.0])),
        (np.array([0.0, 8.0]), np.array([5.29179943e10, 1.53778637e10])),
    ):
        for a, b in ((pos, neg), (neg[::-1], pos[::-1])):
            assert of("h_measure", a, b) == pytest.approx(
                of("h_measure", b[::-1], a[::-1]), rel=1e-4
            )
    # The integral itself to 60 digits.
    found = of("h_measure", np.array([0.0, 8.0]), np.array([5.29179943e10, 1.53778637e10]))
    assert found == pytest.approx(6.046363420508e-10, rel=1e-7)
    # A perfect ranking: kappa is 2(1 - f)/(2 - f) along FPR where p is 1.
    perfect = np.array([0, 1e12]), np.array([1, 0])
    assert of("auk", *perfect) == pytest.approx(2 - 2 * math.log(2), rel=1e-11)
    assert of("pr_gain_auc", *perfect) == pytest.approx(1, abs=1e-15)


def test_kappa_curves_bend_faintly_without_cancelling():
    # Small x, where x - ln(1 + x) would lose half of its digits.
    for share in (0.4, 0.49, 0.499, 0.4999, 0.5):
        p, q = Fraction(share), 1 - Fraction(share)
        found = METRICS["auk"](
            tm.ScoreTally((0, 1), 1, np.array([0.1, 0.9]), np.array([[0, share], [1 - share, 0]]))
        )
        # Reversed ranking: first all negatives, kappa falling as -2pq·f / (p + f·q(1 - 2p)).
        a, b = 2 * p * q, q * (1 - 2 * p)
        series = sum(Fraction(1, k + 2) * (-b / p) ** k for k in range(30))
        assert found == pytest.approx(float(-a / p * series), rel=1e-14, abs=0)


@pytest.mark.parametrize("name", sorted({*TWINS, *SLOW, *test_retrieval.TWINS,
                                         *test_detection.TWINS, *test_calibration.TWINS_OF_ALL}))  # fmt: skip
def test_a_tally_of_no_rows_has_a_reason(name):
    for t in (tm.ScoreTally._empty(), tm.ScoreTally((0, 1), 1, np.array([0.5]), np.zeros((1, 2)))):
        assert math.isnan(METRICS[name](t))
        with pytest.raises(tm.UndefinedMetricError, match=f"{name} is undefined: "):
            METRICS[name](t, undefined="raise")
