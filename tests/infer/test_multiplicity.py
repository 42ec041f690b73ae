"""Corrections for several questions: known steps, missing p-values, and the level of intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallymark.infer.multiplicity import corrected, each_level, holm


def test_holm_steps_up_and_leaves_missing_ones_out():
    assert holm(np.array([0.01, math.nan, 0.04, 0.03]))[[0, 2, 3]].tolist() == [0.03, 0.06, 0.06]
    assert math.isnan(holm(np.array([0.01, math.nan]))[1])
    assert holm(np.array([0.6, 0.7])).tolist() == [1.0, 1.0]
    assert holm(np.array([])).tolist() == []


def test_a_correction_counts_the_p_values_that_are_known():
    p = np.array([0.01, math.nan, 0.03, 0.8])
    assert corrected(p, "bonferroni")[[0, 2, 3]] == pytest.approx([0.03, 0.09, 1.0])
    assert corrected(p, "holm")[[0, 2, 3]] == pytest.approx([0.03, 0.06, 0.8])
    assert corrected(p, "none")[[0, 2, 3]] == pytest.approx([0.01, 0.03, 0.8])
    assert all(math.isnan(corrected(p, how)[1]) for how in ("holm", "bonferroni", "none"))


def test_each_of_several_intervals_shares_the_error_of_all():
    assert each_level(0.95, 5) == pytest.approx(0.99)
    assert each_level(0.95, 0) == pytest.approx(0.95)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_monotone_and_between_p_and_bonferroni(p):
    adjusted = holm(p)
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()
    assert (adjusted >= np.array(p) - 1e-15).all()
    assert (adjusted <= np.minimum(np.array(p) * len(p), 1) + 1e-15).all()
