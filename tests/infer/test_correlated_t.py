from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tallymark.errors import InputError
from tallymark.infer.corrected_t import corrected_t
from tallymark.infer.correlated_t import Posterior, correlated_t

PAIRS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=9)


def test_the_correlated_t_by_hand():
    # Student with 4 degrees of freedom around .03, scale .015; rope .015: t of -3 and of 1
    a, b = [0.84, 0.82, 0.86, 0.80, 0.83], [0.8] * 5
    p = correlated_t(a, b, ratio=1 / 4, rope=0.015)
    assert p.below == pytest.approx(stats.t.cdf(-3, 4))
    assert p.above == pytest.approx(stats.t.cdf(1, 4))
    assert p.below + p.within + p.above == pytest.approx(1)


@given(PAIRS, st.sampled_from([0, 0.01, 0.3]))
def test_the_correlated_t_is_the_corrected_t_read_otherwise(pairs, rope):
    a, b = np.transpose(pairs) / 30
    p, t = correlated_t(a, b, ratio=1 / 9, rope=rope), corrected_t(a, b, ratio=1 / 9)
    assert p.reason == t.reason
    json.dumps(p.to_dict(), allow_nan=False)
    if not p.reason:
        assert p.below + p.within + p.above == pytest.approx(1)
        if not rope:
            assert 2 * min(p.below, p.above) == pytest.approx(t.p_value)


def test_one_fold_has_no_variance():
    assert correlated_t([1], [2], ratio=0.1).reason.startswith("one difference has no variance")


def test_a_ratio_below_0_is_refused():
    with pytest.raises(InputError) as refused:
        correlated_t([1, 2], [2, 2], ratio=-1)
    assert str(refused.value) == (
        "ratio is -1; give test rows over training rows, such as 1/9 for ten folds"
    )


def test_numbers_without_reasons_are_refused():
    with pytest.raises(ValueError, match="or a reason why not"):
        Posterior("m", 0.1, 0.2, 0.7, 0.01, 3, 0, 0, "why")
