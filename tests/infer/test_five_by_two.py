from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tallymark.errors import InputError
from tallymark.infer.corrected_t import corrected_t
from tallymark.infer.five_by_two import paired_5x2_f, paired_5x2_t

VALUES = st.integers(0, 40).map(lambda i: i / 40)
SAME = "every difference is the same, so they have no variance"


def test_five_times_two_by_hand():
    # d: (.1 .02) (.1 0) (0 0) (.1 -.02) (.1 0), so s²: .0032 .005 0 .0072 .005, in all .0204
    a = [[0.9, 0.8]] * 5
    b = [[0.8, 0.78], [0.8, 0.8], [0.9, 0.8], [0.8, 0.82], [0.8, 0.8]]
    t, f = paired_5x2_t(a, b), paired_5x2_f(a, b)
    assert t.statistic == pytest.approx(0.1 / math.sqrt(0.0204 / 5))
    assert f.statistic == pytest.approx(0.0408 / (2 * 0.0204))
    assert (t.df, f.df) == ((5,), (10, 5))
    assert t.p_value == pytest.approx(2 * stats.t.sf(t.statistic, 5))
    assert f.p_value == pytest.approx(stats.f.sf(1, 10, 5))
    assert t.difference == f.difference == pytest.approx(0.04)
    assert paired_5x2_t(np.ravel(a), np.ravel(b)) == t
    assert t.warning == f.warning
    assert t.warning.startswith("5x2cv tests find differences too often")
    assert corrected_t(np.ravel(a), np.ravel(b), ratio=1).warning == ""


@pytest.mark.slow
def test_the_corrected_t_of_five_times_two_folds_holds_its_level():
    """Two learners that see equally good halves of the features, by the ROC area of 100 rows."""
    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    found = []
    for _ in range(400):
        x = 0.35 * y[:, None] + rng.normal(size=(100, 10)) + 0.5 * rng.normal(size=(100, 1))
        areas = np.empty((2, 10))
        for r in range(5):
            fold = rng.permutation(y)
            for k in range(2):
                train, test = fold != k, fold == k
                for i, some in enumerate((x[:, :5], x[:, 5:])):
                    up = some[train & (y == 1)].mean(0) - some[train & (y == 0)].mean(0)
                    pos, neg = (some[test & (y == c)] @ up for c in (1, 0))
                    areas[i, 2 * r + k] = (pos[:, None] > neg).mean()
        found.append((corrected_t(*areas, ratio=1), paired_5x2_t(*areas), paired_5x2_f(*areas)))
    corrected, t, f = np.mean([[test.p_value < 0.05 for test in tests] for tests in found], axis=0)
    assert corrected < 0.09  # three standard errors above 5.5 %
    assert min(t, f) > 0.1


@given(st.lists(st.tuples(VALUES, VALUES), min_size=10, max_size=10), st.randoms())
def test_alpaydins_f_knows_no_order_of_folds(pairs, random):
    d = [pairs[2 * i : 2 * i + 2] for i in range(5)]
    found = paired_5x2_f(*np.transpose(d, (2, 0, 1)))
    random.shuffle(d)
    for two in d:
        random.shuffle(two)
    again = paired_5x2_f(*np.transpose(d, (2, 0, 1)))
    assert again.reason == found.reason
    assert again.p_value == pytest.approx(found.p_value, nan_ok=True)


def test_five_times_two_say_why_they_cannot_be():
    zero = np.zeros((5, 2))
    assert paired_5x2_f(zero, zero).reason == "every difference is zero"
    assert paired_5x2_t(zero + 0.5, zero + 0.4).reason == SAME
    b = np.repeat([[0.1], [0.2], [0.1], [0.1], [0.1]], 2, 1)
    for test in (paired_5x2_t, paired_5x2_f):
        assert test(zero, b).reason == (
            "both folds of every repeat have the same difference, so it has no variance"
        )
        assert test(zero, b).difference == pytest.approx(-0.12)


@pytest.mark.parametrize(("call", "said"), [
    (lambda: paired_5x2_t(np.ones(9), np.ones(9)), "the 5x2cv paired t test needs five repeats of two folds, and the shapes are (9,) and (9,); give two arrays of shape (5, 2)"),
    (lambda: paired_5x2_f(np.ones((2, 5)), np.ones((2, 5))), "the combined 5x2cv F test needs five repeats of two folds, and the shapes are (2, 5) and (2, 5); give two arrays of shape (5, 2)"),
])  # fmt: skip
def test_refusals(call, said):
    with pytest.raises(InputError) as refused:
        call()
    assert str(refused.value) == said
