"""Data sets of a known illness: it is the first thing that is said, and healthy ones are quiet."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.illness import HEALTHY, ILL, findings


def test_there_are_enough_of_both():
    assert len(ILL) >= 20
    assert len(HEALTHY) >= 5


@pytest.mark.slow
@pytest.mark.parametrize("make", ILL, ids=lambda make: make.__name__)
def test_a_known_illness_is_named_first(make):
    assert [findings(make(np.random.default_rng(seed)))[0] in ILL[make] for seed in (0, 1)] == [
        True, True,
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("make", HEALTHY, ids=lambda make: make.__name__)
def test_a_healthy_set_raises_no_alarm(make):
    assert [findings(make(np.random.default_rng(seed))) for seed in (0, 1)] == [[], []]
