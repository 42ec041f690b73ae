"""Error rates against each other, against twins that go row by row."""

from __future__ import annotations

import itertools
import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from metric.twins import ROWS, compare, hull, points, split, undefined
from tallymark.tally.scores import ScoreCounts

m = tm.metrics


def rates(y, s):
    p, n = sum(y), len(y) - sum(y)
    return [(Fraction(fp, n), 1 - Fraction(tp, p)) for tp, fp in points(y, s)]


def slow_eer(y, s):
    for (f0, r0), (f1, r1) in itertools.pairwise(rates(y, s)):
        if f1 >= r1:
            step = (r0 - f0) / ((r0 - f0) + (f1 - r1))
            return f0 + step * (f1 - f0)
    raise AssertionError


def slow_eer_ends(y, s):
    """As fingerprint verification contests define it: EERlow and EERhigh."""
    for (f0, r0), (f1, r1) in itertools.pairwise(rates(y, s)):
        if f1 == r1:
            return f1, f1
        if f1 > r1:
            return (r1, f1) if f1 + r1 <= f0 + r0 else (f0, r0)
    raise AssertionError


def slow_eer_hull(y, s):
    """Cross the corners of the hull with the line FPR = FNR."""
    for (f0, t0), (f1, t1) in itertools.pairwise(hull(y, s)):
        if f1 >= 1 - t1:
            gap0, gap1 = 1 - t0 - f0, f1 - (1 - t1)
            return f0 + gap0 / (gap0 + gap1) * (f1 - f0) if gap0 + gap1 else f0
    raise AssertionError


def slow_frr_at(y, s, target):
    return min(r for f, r in rates(y, s) if f <= target)


def slow_specificity_at(y, s, target):
    return max(1 - f for f, r in rates(y, s) if 1 - r >= target)


def slow_decidability(y, s):
    pos = [b for a, b in zip(y, s, strict=True) if a]
    neg = [b for a, b in zip(y, s, strict=True) if not a]
    spread = (statistics.pvariance(pos) + statistics.pvariance(neg)) / 2
    gap = statistics.fmean(pos) - statistics.fmean(neg)
    if spread == 0:
        return math.nan if len(set(s)) == 1 else math.copysign(math.inf, gap)
    return gap / math.sqrt(spread)


def slow_min_cllr(y, s):
    """Give the rows between two corners of the hull the likelihood ratio of its slope."""
    p, n = sum(y), len(y) - sum(y)
    bits = 0.0
    for (f0, t0), (f1, t1) in itertools.pairwise(hull(y, s)):
        pos, neg = (t1 - t0) * p, (f1 - f0) * n
        if pos > 1e-9 and neg > 1e-9:
            lr = (t1 - t0) / (f1 - f0)
            bits += pos * math.log2(1 + 1 / lr) / p + neg * math.log2(1 + lr) / n
    return bits / 2


TWINS = {
    "equal_error_rate": slow_eer,
    "equal_error_rate_hull": slow_eer_hull,
    "equal_error_rate_low": lambda y, s: slow_eer_ends(y, s)[0],
    "equal_error_rate_high": lambda y, s: slow_eer_ends(y, s)[1],
    "sensitivity_at_fpr": lambda y, s: 1 - slow_frr_at(y, s, Fraction(1, 100)),
    "false_negative_rate_at_fpr": lambda y, s: slow_frr_at(y, s, Fraction(1, 1000)),
    "fmr100": lambda y, s: slow_frr_at(y, s, Fraction(1, 100)),
    "fmr1000": lambda y, s: slow_frr_at(y, s, Fraction(1, 1000)),
    "fmr10000": lambda y, s: slow_frr_at(y, s, Fraction(1, 10000)),
    "specificity_at_sensitivity": lambda y, s: slow_specificity_at(y, s, Fraction(95, 100)),
    "decidability": slow_decidability,
    "min_cllr": slow_min_cllr,
}


@given(ROWS)
def test_row_by_row(rows):
    compare(m, TWINS, rows)


@given(ROWS, st.integers(1, 20))
def test_targets(rows, twentieths):
    y, s = split(rows)
    target = Fraction(twentieths, 20)
    assert m.frr_at_far(y, s, fpr=float(target)) == pytest.approx(float(slow_frr_at(y, s, target)))
    assert m.tpr_at_fpr(y, s, fpr=float(target)) == pytest.approx(
        float(1 - slow_frr_at(y, s, target))
    )
    assert m.specificity_at_sensitivity(y, s, sensitivity=float(target)) == pytest.approx(
        float(slow_specificity_at(y, s, target))
    )


def test_by_hand():
    # From the top: positive; negative and positive tied; two negatives; a positive.
    y, s = [1, 0, 1, 0, 0, 1], [0.9, 0.6, 0.6, 0.4, 0.3, 0.1]
    # (FPR, FNR): (0, 1), (0, 2/3), (1/3, 1/3): equal at the tie.
    assert m.eer(y, s) == pytest.approx(1 / 3)
    assert m.equal_error_rate_low(y, s) == m.equal_error_rate_high(y, s) == pytest.approx(1 / 3)
    # A negative more at the top: (1/4, 1), (1/4, 2/3), (2/4, 1/3): sums 11/12 and 10/12.
    y, s = [0, *y], [1.0, *s]
    assert m.eer_low(y, s) == pytest.approx(1 / 3)
    assert m.eer_high(y, s) == pytest.approx(1 / 2)
    assert m.eer(y, s) == pytest.approx(1 / 4 + (2 / 3 - 1 / 4) / (7 / 12) * 1 / 4)
    assert m.frr_at_far(y, s, fpr=0.3) == pytest.approx(2 / 3)
    assert m.specificity_at_sensitivity(y, s, sensitivity=0.6) == pytest.approx(1 / 2)
    assert m.decidability([1, 1, 0, 0], [0.9, 0.5, 0.4, 0.4]) == pytest.approx(
        0.3 / math.sqrt(0.02)
    )


def test_scores_of_one_value():
    assert m.decidability([1, 1, 0], [0.3, 0.3, 0.1]) == math.inf
    assert m.decidability([0, 0, 1], [0.3, 0.3, 0.1]) == -math.inf
    value = tm.evaluate([0, 1, 1, 0, 0], y_score=[0.3] * 5)["decidability"]
    assert value.reason == "neither class's scores vary, and their means are the same"


@pytest.mark.parametrize(
    ("name", "params", "told"),
    [
        ("tpr_at_fpr", {"fpr": 0}, "fpr is 0; give a target above 0 and at most 1"),
        ("frr_at_far", {"fpr": 2}, "fpr is 2; give a target above 0 and at most 1"),
        ("specificity_at_sensitivity", {"sensitivity": -1}, "sensitivity is -1; give a target"),
    ],
)
def test_targets_out_of_range_are_refused(name, params, told):
    with pytest.raises(tm.InputError, match=told):
        getattr(m, name)([0, 1], [0.2, 0.3], **params)


def test_a_class_without_rows_is_the_reason():
    undefined(m, [n for n in TWINS if getattr(m, n)._needs != "rows"])


def test_scores_of_one_value_among_others_that_no_row_has():
    grid = np.array([0.1, 0.3, 0.7])
    metric = tm.metrics.decidability
    apart = ScoreCounts(grid, np.array([0.0, 7.0, 0.0]), np.array([0.0, 0.0, 3.0]))
    assert metric.compute(apart) == -math.inf
    together = ScoreCounts(grid, np.array([0.0, 7.0, 0.0]), np.array([0.0, 3.0, 0.0]))
    assert math.isnan(metric.compute(together))
    assert metric.reason(together) == "neither class's scores vary, and their means are the same"
    batch = ScoreCounts(grid, *(np.stack(v) for v in zip(
        (apart.pos, apart.neg), (together.pos, together.neg), strict=True)))  # fmt: skip
    np.testing.assert_array_equal(metric.compute(batch), [-math.inf, math.nan])


def test_targets_that_a_threshold_meets_exactly():
    y, s = [1, 0, 1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    # FPR, TPR: 0, 1/4; 1/2, 1/4; 1/2, 1/2; 1, 1/2; 1, 3/4; 1, 1
    assert m.sensitivity_at_fpr(y, s, fpr=0.5) == 0.5
    assert m.sensitivity_at_fpr(y, s, fpr=0.499) == 0.25
    assert m.frr_at_far(y, s, fpr=0.5) == 0.5
    assert m.specificity_at_sensitivity(y, s, sensitivity=0.5) == 0.5
    assert m.specificity_at_sensitivity(y, s, sensitivity=0.501) == 0


def test_of_equal_sums_of_errors_the_lower_threshold_counts():
    y = [1] * 3 + [0] * 3 + [1] * 2 + [0] * 2
    s = [0.9] * 6 + [0.1] * 4
    # (FPR, FNR) is (0, 1) above every score and (0.6, 0.4) at 0.9
    assert m.equal_error_rate_low(y, s) == pytest.approx(0.4)
    assert m.equal_error_rate_high(y, s) == pytest.approx(0.6)


def test_the_scale_of_the_scores_does_not_matter_to_decidability():
    y, s = [1, 1, 0, 0], np.array([3.0, 2.0, 1.0, -1.0])
    for scale in (1e-250, 1e-3, 1e200, 5e307):
        assert m.decidability(y, s * scale) == pytest.approx(math.sqrt(10))


def test_one_positive_of_very_many():
    t = tm.ScoreTally((0, 1), 1, np.array([0.1, 0.9]), np.array([[9.0, 1e15 - 1], [0.0, 1.0]]))
    assert m.sensitivity_at_fpr(t) == 1e-15


def test_scores_of_weight_0_are_not_the_scale_of_decidability():
    y, s, w = [0, 0, 1, 1, 1], [0, 5e-324, 0, 5e-324, 1.0], [3, 1, 1, 3, 0]
    # Means 1/4 and 3/4 of the smallest number apart, variances 3/16.
    assert m.decidability(y, s, sample_weight=w) == pytest.approx(0.5 / math.sqrt(3 / 16))


def test_decidability_does_not_depend_on_where_the_scores_lie():
    y, steps = [0, 0, 1, 0, 1, 1], np.array([0.0, 1.0, 2.0, 3.0, 3.0, 4.0])
    expected = slow_decidability(y, steps.tolist())
    assert m.decidability(y, steps - 2) == pytest.approx(expected, rel=1e-14)  # as far below 0
    assert m.decidability(y, steps + 2.0**52) == pytest.approx(expected, rel=1e-14)
