"""Rank and probability metrics against slow twins that follow their definitions row by row."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from tallymark.metric import METRICS

m = tm.metrics
ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 9)), min_size=2, max_size=40).filter(
    lambda rows: 0 < sum(a for a, _ in rows) < len(rows)
)


def split(rows):
    return [a for a, _ in rows], [b / 10 for _, b in rows]


def points(y, s):
    """Return (TP, FP) at every threshold, one row at a time."""
    out = [(0, 0)]
    for t in sorted(set(s), reverse=True):
        out.append(
            (
                sum(a for a, b in zip(y, s, strict=True) if b >= t),
                sum(1 - a for a, b in zip(y, s, strict=True) if b >= t),
            )
        )
    return out


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
    for (tp0, fp0), (tp1, fp1) in zip(points(y, s), points(y, s)[1:], strict=False):
        if tp1 == tp0:
            continue
        x = np.linspace(0, tp1 - tp0, 4001)
        fp = fp0 + (fp1 - fp0) / (tp1 - tp0) * x
        with np.errstate(all="ignore"):
            precision = (tp0 + x) / (tp0 + x + fp)
        if tp0 + fp0 == 0:
            precision[0] = precision[1]
        area += np.trapezoid(precision, x) / p
    return area


def slow_eer(y, s):
    p, n = sum(y), len(y) - sum(y)
    rates = [(Fraction(fp, n), 1 - Fraction(tp, p)) for tp, fp in points(y, s)]
    for (f0, r0), (f1, r1) in itertools.pairwise(rates):
        if f1 >= r1:
            step = (r0 - f0) / ((r0 - f0) + (f1 - r1))
            return f0 + step * (f1 - f0)
    raise AssertionError


def slow_gain(y, s, depth):
    """Share of positives in the top, a tie at the cut giving its proportional part."""
    left, found = Fraction(depth).limit_denominator(100) * len(y), Fraction(0)
    for t in sorted(set(s), reverse=True):
        group = [a for a, b in zip(y, s, strict=True) if b == t]
        taken = min(left, len(group))
        found += Fraction(sum(group)) * taken / len(group)
        left -= taken
    return found / sum(y)


@given(ROWS)
def test_areas(rows):
    y, s = split(rows)
    assert m.average_precision(y, s) == pytest.approx(float(slow_ap(y, s)), rel=1e-12)
    assert m.pr_auc_trapezoid(y, s) == pytest.approx(float(slow_trapezoid(y, s)), rel=1e-12)
    # the twin is a numerical integral: near recall 0 precision may jump within a step
    assert m.pr_auc_davis_goadrich(y, s) == pytest.approx(slow_davis_goadrich(y, s), abs=2e-3)


@given(ROWS, st.sampled_from([0.1, 0.25, 0.5, 0.9, 1.0]))
def test_errors_and_gains(rows, depth):
    y, s = split(rows)
    assert m.eer(y, s) == pytest.approx(float(slow_eer(y, s)), rel=1e-12, abs=1e-12)
    ks = max(abs(tp / sum(y) - fp / (len(y) - sum(y))) for tp, fp in points(y, s))
    assert m.ks(y, s) == pytest.approx(ks)
    gain = float(slow_gain(y, s, depth))
    assert m.gain_at(y, s, depth=depth) == pytest.approx(gain)
    assert m.lift_at(y, s, depth=depth) == pytest.approx(gain / depth)
    assert m.response_rate_at(y, s, depth=depth) == pytest.approx(gain * sum(y) / (depth * len(y)))


@given(ROWS)
def test_ties_are_enclosed(rows):
    y, s = split(rows)
    low, middle, high = (f(y, s) for f in (m.roc_auc_pessimistic, m.roc_auc, m.roc_auc_optimistic))
    assert low <= middle <= high
    assert middle == pytest.approx((low + high) / 2)
    assert m.gini(y, s) == pytest.approx(2 * middle - 1)


@given(ROWS)
def test_losses(rows):
    y, s = split(rows)
    n = len(y)
    assert m.brier(y, s) == pytest.approx(sum((b - a) ** 2 for a, b in zip(y, s, strict=True)) / n)
    assert m.mae(y, s) == pytest.approx(sum(abs(b - a) for a, b in zip(y, s, strict=True)) / n)
    assert m.rmse(y, s) ** 2 == pytest.approx(m.brier(y, s))
    surprise = [
        math.inf if (b if a else 1 - b) == 0 else -math.log(b if a else 1 - b)
        for a, b in zip(y, s, strict=True)
    ]
    assert m.log_loss(y, s) == pytest.approx(sum(surprise) / n)
    assert m.log_loss(y, s, base=2) == pytest.approx(sum(surprise) / n / math.log(2))
    assert m.log_loss(y, s, clip=1e-3) <= -math.log(1e-3)


def test_losses_of_more_classes_are_wekas():
    y = ["a", "b", "c"]
    p = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.4, 0.4, 0.2]]
    truth = np.eye(3)
    distance = np.abs(np.array(p) - truth)
    assert m.mae(y, p) == pytest.approx(distance.mean())
    assert m.rmse(y, p) == pytest.approx(math.sqrt((distance**2).mean()))
    assert m.brier(y, p) == pytest.approx((distance**2).sum(1).mean())
    assert m.log_loss(y, p) == pytest.approx(-np.log([0.6, 0.5, 0.2]).mean())


def test_every_metric_of_scores_is_compared_with_a_twin_here():
    assert {n for n, x in METRICS.items() if x.family != "threshold"} == {
        "roc_auc", "roc_auc_optimistic", "roc_auc_pessimistic", "gini_coefficient",
        "kolmogorov_smirnov", "equal_error_rate", "average_precision", "pr_auc_trapezoid",
        "pr_auc_davis_goadrich", "gain_at", "lift_at", "response_rate_at",
        "brier", "mean_absolute_error", "root_mean_squared_error", "log_loss",
    }  # fmt: skip
