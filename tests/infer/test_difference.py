"""The route to a difference: what every design answers, and what is asked of its differences."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tallymark as tm
from judged import counted_of, difference_of
from tallymark.infer.difference import Design, Difference, Differences, difference
from tallymark.infer.paired import Paired
from tallymark.metric import get


def three_models():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    return tm.evaluate(y, {name: np.where(rng.random(200) < p, y, 1 - y) for name, p in (
        ("a", 0.9), ("b", 0.8), ("c", 0.7))})  # fmt: skip


def test_a_design_that_does_not_say_how_it_compares_cannot_be_made():
    with pytest.raises(TypeError, match="abstract"):
        Design((0, 1), 1, 0.95)


def test_all_pairs_of_a_design_are_compared_unless_some_are_named():
    design = Paired(counted_of(three_models()), three_models().values())
    s = design.statistic(get("accuracy"))
    found = difference(s, design)
    assert found.pairs == [("a", "b"), ("a", "c"), ("b", "c")]
    assert list(found) == [difference_of(design, "accuracy", *pair) for pair in found.pairs]
    assert difference(s, design, [("c", "a")])[0].value == -found[1].value


def test_the_p_values_of_all_pairs_are_corrected_by_holm():
    each = [
        Difference("accuracy", 0.8, 0.7, p_value=p, test="McNemar") for p in (0.01, 0.04, math.nan)
    ]
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    found = Differences(get("accuracy"), pairs, each, 0.95)
    assert found.corrected()[:2].tolist() == [0.02, 0.04]
    assert math.isnan(found.corrected()[2])
    some = Differences(get("accuracy"), pairs, each, 0.95, np.array([math.nan, 0.03, math.nan]))
    assert some.corrected()[1] == 0.03
