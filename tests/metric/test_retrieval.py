"""The precision-recall curve and the top of the list, against twins that go row by row."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from metric.twins import ROWS, compare, davis_goadrich_point, points, split, undefined

m = tm.metrics


def slow_ap(y, s):
    p, total, before = sum(y), Fraction(0), 0
    for tp, fp in points(y, s)[1:]:
        total += Fraction(tp - before, p) * Fraction(tp, tp + fp)
        before = tp
    return total


def slow_trapezoid(y, s):
    p, pts = sum(y), points(y, s)
    precision = [None] + [Fraction(tp, tp + fp) for tp, fp in pts[1:]]
    precision[0] = precision[1] if pts[1][0] else Fraction(0)
    return sum(
        Fraction(b[0] - a[0], p) * (precision[i] + precision[i + 1]) / 2
        for i, (a, b) in enumerate(itertools.pairwise(pts))
    )


def slow_davis_goadrich(y, s):
    """Integrate precision over recall numerically, between every two thresholds."""
    p, area = sum(y), 0.0
    for (tp0, fp0), (tp1, fp1) in itertools.pairwise(points(y, s)):
        if tp1 == tp0:
            continue
        x = np.linspace(0, tp1 - tp0, 4001)
        with np.errstate(all="ignore"):
            recall, precision = davis_goadrich_point(tp0, fp0, tp1, fp1, x, p)
        if tp0 + fp0 == 0:
            precision[0] = precision[1]
        area += np.trapezoid(precision, recall)
    return area


def test_a_point_between_two_thresholds():
    recall, precision = davis_goadrich_point(2, 1, 5, 7, 1.5, 10)
    assert (recall, precision) == pytest.approx((0.35, 3.5 / (3.5 + 4)))


def slow_gain_area(y, s):
    """Walk along the curve of the gains in small steps of recall gain."""
    p, n = sum(y), len(y) - sum(y)
    pts = points(y, s)
    tps = np.array([a for a, _ in pts], dtype=float)
    least = p * p / (p + n)
    area = 0.0
    for (tp0, fp0), (tp1, fp1) in itertools.pairwise(pts):
        if tp1 <= max(tp0, least):
            continue
        tp = np.linspace(max(tp0, least), tp1, 4001)
        fp = fp0 + (fp1 - fp0) * (tp - tp0) / (tp1 - tp0)
        recall_gain = 1 - p / n * (p - tp) / tp
        precision_gain = 1 - p / n * fp / tp
        area += np.trapezoid(precision_gain, recall_gain)
    assert tps[-1] == p
    return area


def slow_found(y, s, wanted):
    """Positives in so many rows from the top, a tie at the cut giving its proportional part."""
    left, found = Fraction(wanted), Fraction(0)
    for t in sorted(set(s), reverse=True):
        group = [a for a, b in zip(y, s, strict=True) if b == t]
        taken = min(left, len(group))
        found += Fraction(sum(group)) * taken / len(group)
        left -= taken
    return found


def slow_gain(y, s, depth):
    return slow_found(y, s, Fraction(depth).limit_denominator(100) * len(y)) / sum(y)


def slow_recall_at(y, s, target):
    return max((Fraction(tp, sum(y)) for tp, fp in points(y, s)[1:]
                if Fraction(tp, tp + fp) >= Fraction(target).limit_denominator(100)), default=0)  # fmt: skip


def slow_precision_at(y, s, target):
    return max(Fraction(tp, tp + fp) for tp, fp in points(y, s)[1:]
               if Fraction(tp, sum(y)) >= Fraction(target).limit_denominator(100))  # fmt: skip


EXACT = {
    "average_precision": slow_ap,
    "pr_auc_trapezoid": slow_trapezoid,
    "recall_at_precision": lambda y, s: slow_recall_at(y, s, 0.9),
    "precision_at_recall": lambda y, s: slow_precision_at(y, s, 0.9),
    "gain_at": lambda y, s: slow_gain(y, s, 0.1),
    "lift_at": lambda y, s: slow_gain(y, s, 0.1) * 10,
    "top_decile_lift": lambda y, s: slow_gain(y, s, 0.1) * 10,
    "top_two_decile_lift": lambda y, s: slow_gain(y, s, 0.2) * 5,
    "response_rate_at": lambda y, s: slow_gain(y, s, 0.1) * 10 * sum(y) / len(y),
    "precision_at_k": lambda y, s: slow_found(y, s, 10) / 10 if len(y) >= 10 else math.nan,
    "recall_at_k": lambda y, s: slow_found(y, s, 10) / sum(y) if len(y) >= 10 else math.nan,
    "r_precision": lambda y, s: slow_found(y, s, sum(y)) / sum(y),
}
NUMERICAL = {"pr_auc_davis_goadrich": slow_davis_goadrich, "pr_gain_auc": slow_gain_area}
TWINS = {**EXACT, **NUMERICAL}


@given(ROWS)
def test_row_by_row(rows):
    compare(m, EXACT, rows)


@given(ROWS)
def test_integrals(rows):
    # near recall 0 precision may jump within a step of the numerical integral
    compare(m, NUMERICAL, rows, near=2e-3)


@given(ROWS, st.sampled_from([0.1, 0.25, 0.5, 0.9, 1.0]), st.integers(1, 50))
def test_parameters(rows, depth, k):
    y, s = split(rows)
    gain = float(slow_gain(y, s, depth))
    assert m.gain_at(y, s, depth=depth) == pytest.approx(gain)
    assert m.lift_at(y, s, depth=depth) == pytest.approx(gain / depth)
    assert m.response_rate_at(y, s, depth=depth) == pytest.approx(gain * sum(y) / (depth * len(y)))
    assert m.recall_at_precision(y, s, precision=depth) == pytest.approx(
        float(slow_recall_at(y, s, depth))
    )
    assert m.precision_at_recall(y, s, recall=depth) == pytest.approx(
        float(slow_precision_at(y, s, depth))
    )
    if k <= len(y):
        found = float(slow_found(y, s, k))
        assert m.precision_at_k(y, s, k=k) == pytest.approx(found / k)
        assert m.recall_at_k(y, s, k=k) == pytest.approx(found / sum(y))
    else:
        assert math.isnan(m.precision_at_k(y, s, k=k))


def test_by_hand():
    # Two positives of five; from the top: positive, negative and positive tied, two negatives.
    y, s = [1, 0, 1, 0, 0], [0.9, 0.5, 0.5, 0.3, 0.2]
    assert m.average_precision(y, s) == pytest.approx(1 / 2 + 1 / 2 * 2 / 3)
    # recall gain: 1 - 2/3·FN/TP is 1/3 at the first point and 1 at the second; precision gain
    # falls from 1 to 1 - 2/3·1/2 = 2/3 between them
    assert m.pr_gain_auc(y, s) == pytest.approx(1 / 3 + 2 / 3 * (1 + 2 / 3) / 2)
    assert m.precision_at_k(y, s, k=2) == pytest.approx(1.5 / 2)
    assert m.r_precision(y, s) == pytest.approx(1.5 / 2)
    assert m.recall_at_precision(y, s, precision=0.7) == 0.5
    assert m.recall_at_precision(y, s, precision=2 / 3) == 1
    assert m.recall_at_precision([1, 0, 0], [0.1, 0.5, 0.5]) == 0
    # Calling positive everything that scores at all has gain 0 by construction.
    assert m.pr_gain_auc([1, 0, 0], [0.5, 0.5, 0.5]) == pytest.approx(0)


def test_k_needs_rows():
    two = [tm.metric.get(n) for n in ("precision_at_k", "recall_at_k")]
    for metric in two:
        assert np.isnan(metric([1, 0], [0.2, 0.4], k=3))
        assert not np.isnan(metric([1, 0], [0.2, 0.4], k=2))
    ev = tm.evaluate([1, 0, 0, 1], y_score=[0.9, 0.1, 0.4, 0.3])
    assert ev["precision_at_k"].reason == "there are fewer than k rows"
    assert ev.value("precision_at_k", k=2).value == 0.5


@pytest.mark.parametrize(
    ("name", "params", "told"),
    [
        ("precision_at_k", {"k": 0}, "k is 0; give a whole number, at least 1"),
        ("recall_at_k", {"k": 1.5}, "k is 1.5; give a whole number, at least 1"),
        ("gain_at", {"depth": 0}, "depth is 0; give a share of the rows"),
        ("recall_at_precision", {"precision": 0}, "precision is 0; give a target above 0"),
        ("precision_at_recall", {"recall": 1.1}, "recall is 1.1; give a target above 0"),
    ],
)
def test_parameters_out_of_range_are_refused(name, params, told):
    with pytest.raises(tm.InputError, match=told):
        getattr(m, name)([0, 1], [0.2, 0.3], **params)


def test_a_class_without_rows_is_the_reason():
    undefined(m, [n for n in TWINS if getattr(m, n)._needs != "rows"])


def test_a_constant_score_has_the_prevalence():
    for name in ("average_precision", "pr_auc_trapezoid", "pr_auc_davis_goadrich"):
        assert getattr(m, name)([1, 0, 0, 0], [0.5] * 4) == pytest.approx(0.25)


def test_a_row_after_very_many():
    # Precision 1/2 for 10^15 + 10^15 rows, then a step of 1 and 3: nearly all of it at 1/2.
    t = tm.ScoreTally((0, 1), 1, np.array([0.1, 0.5]), np.array([[3.0, 1.0], [1e15, 1e15]]))
    assert m.pr_auc_davis_goadrich(t) == pytest.approx(0.5, abs=1e-15)
    only = tm.ScoreTally((0, 1), 1, np.array([0.1, 0.5]), np.array([[3e3, 1e3], [1e15, 1.0]]))
    # 1 of 10^15, then 1,000 of 3,000 more: precision is (1 + x) / (10^15 + 1 + 4x).
    exact = (1 + 1000 * 501) / (1e15 * 1001)
    assert m.pr_auc_davis_goadrich(only) == pytest.approx(exact, rel=1e-9)
