from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import tallymark as tm
from tallymark.metric.correlation import pearson, spearman

PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=30)


@given(PAIRS)
def test_scipys_numbers(pairs):
    x, y = (list(c) for c in zip(*pairs, strict=True))
    if len(set(x)) < 2 or len(set(y)) < 2:
        assert math.isnan(pearson(x, y))
        assert math.isnan(spearman(x, y))
    else:
        assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
        assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)


def test_refusals():
    with pytest.raises(tm.InputError, match="y is missing at index 1; leave that pair out"):
        pearson([1, 2], [1, None])
    with pytest.raises(tm.InputError, match="the lengths differ"):
        spearman([1], [1, 2])
    assert math.isnan(pearson([], []))
