from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tallymark.errors import InputError
from tallymark.infer.corrected_t import FoldTest, corrected_t, differences

VALUES = st.integers(0, 40).map(lambda i: i / 40)
PAIRS = st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=14)
ONE = "one difference has no variance; give two or more"
SAME = "every difference is the same, so they have no variance"


def test_the_corrected_t_by_hand():
    # d = .04 .02 .06 .00 .03: mean .03, s² = .002 / 4; 1/5 + 1/4 = .45
    found = corrected_t([0.84, 0.82, 0.86, 0.80, 0.83], [0.8] * 5, ratio=1 / 4)
    assert found.difference == pytest.approx(0.03)
    assert found.statistic == pytest.approx(0.03 / math.sqrt(0.45 * 0.0005))  # 2
    assert found.statistic == pytest.approx(2)
    assert found.df == (4,)
    # of t with 4 degrees of freedom, in closed form by x = t / sqrt(4 + t²)
    x = 2 / math.sqrt(4 + 4)
    assert found.p_value == pytest.approx(1 - x * (1 + (1 - x * x) / 2))
    half = 2.7764451051977987 * 0.015
    assert found.interval == pytest.approx((0.03 - half, 0.03 + half))
    assert (found.n, found.zeros, found.reason) == (5, 1, "")


def test_without_correction_it_is_the_paired_t_test():
    a, b = [0.84, 0.82, 0.86, 0.80, 0.83], [0.8, 0.81, 0.8, 0.8, 0.82]
    found, scipys = corrected_t(a, b, ratio=0), stats.ttest_rel(a, b)
    assert found.statistic == pytest.approx(scipys.statistic)
    assert found.p_value == pytest.approx(scipys.pvalue)
    assert found.interval == pytest.approx(tuple(scipys.confidence_interval()))
    assert found.method == "paired t"


def test_the_corrected_t_of_five_times_two_folds_by_hand():
    d = [[0.1, 0.02], [0.1, 0], [0, 0], [0.1, -0.02], [0.1, 0]]
    found = corrected_t(np.ravel(d), np.zeros(10), ratio=1)
    assert found.statistic == pytest.approx(0.04 / math.sqrt(1.1 * np.var(d, ddof=1)))
    assert found.p_value == pytest.approx(2 * stats.t.sf(found.statistic, 9))


@given(PAIRS)
def test_the_correction_makes_it_harder(pairs):
    a, b = zip(*pairs, strict=True)
    plain, corrected = corrected_t(a, b, ratio=0), corrected_t(a, b, ratio=1 / 9)
    if not plain.reason:
        assert corrected.p_value >= plain.p_value - 1e-12
        assert corrected.interval[0] <= plain.interval[0]
        # the interval holds 0 as often as the test finds nothing
        inside = corrected.interval[0] <= 0 <= corrected.interval[1]
        assert inside == (corrected.p_value >= 0.05 - 1e-12)


@pytest.mark.slow
def test_false_alarms_of_the_corrected_t_are_as_rare_as_they_say():
    """Of folds that correlate as the correction supposes, 5 in 100 are called different."""
    rng = np.random.default_rng(1)
    n, rho = 10, 0.1
    d = math.sqrt(rho) * rng.normal(size=(4000, 1)) + math.sqrt(1 - rho) * rng.normal(size=(4000, n))  # fmt: skip
    corrected, plain = (
        np.mean([corrected_t(row, np.zeros(n), ratio=r).p_value < 0.05 for row in d])
        for r in (rho / (1 - rho), 0)
    )
    assert corrected == pytest.approx(0.05, abs=0.012)
    assert plain > 0.1


@pytest.mark.parametrize(("a", "b", "reason"), [
    ([0.9], [0.8], ONE),
    ([], [], "no differences have no variance; give two or more"),
    ([0.9, 0.8], [0.9, 0.8], "every difference is zero"),
    ([0.1 + 0.2, 0.8], [0.3, 0.8], "every difference is zero"),
    ([0.9, 0.8, 0.7], [0.8, 0.7, 0.6], SAME),
])  # fmt: skip
def test_the_corrected_t_says_why_it_cannot_be(a, b, reason):
    found = corrected_t(a, b, ratio=0.1)
    assert found.reason == reason
    assert math.isnan(found.p_value)
    assert found.df == ()
    assert found.interval is None
    assert found.to_dict()["p_value"] is None


def test_last_bits_are_no_difference():
    assert differences([0.1 + 0.2, 1.0], [0.3, 0.5]).tolist() == [0.0, 0.5]


@pytest.mark.parametrize(("call", "said"), [
    (lambda: corrected_t([1, 2], [1, 2, 3], ratio=0.1), "the lengths differ: a has 2, b has 3 rows; give every array the same rows"),
    (lambda: corrected_t([1, 2], [1, None], ratio=0.1), "b is missing at index 1; leave that pair out"),
    (lambda: corrected_t([1, 2], [1, 3], ratio=-1), "ratio is -1; give test rows over training rows, such as 1/9 for ten folds"),
    (lambda: corrected_t([1, 2], [1, 3], ratio=math.nan), "ratio is nan; give test rows over training rows, such as 1/9 for ten folds"),
    (lambda: corrected_t([1, 2], [1, 3], ratio=0.1, level=1), "level is 1; it must lie between 0 and 1, such as 0.95"),
])  # fmt: skip
def test_refusals(call, said):
    with pytest.raises(InputError) as refused:
        call()
    assert str(refused.value) == said


def test_a_number_without_a_reason_is_none():
    with pytest.raises(ValueError, match="or a reason why not"):
        FoldTest("t", "t", math.nan, (), math.nan, 0.0, None, 0.95, 2, 0)
    with pytest.raises(ValueError, match="or a reason why not"):
        FoldTest("t", "t", 1.0, (), 0.5, 0.0, None, 0.95, 2, 0, "why")
