"""A value behaves as its number."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest

import tallymark as tm

EV = tm.evaluate([1] * 10 + [0] * 10, {"a": [1] * 8 + [0] * 12, "b": [1] * 5 + [0] * 15})
V = EV.model("a")["recall"]  # 0.8
W = EV.model("b")["recall"]  # 0.5
D = tm.interval("recall", EV.model("a"), EV.model("b"))


def test_format_and_round():
    assert f"{V:.3f} {V:.1%} {V:>6.2f}" == "0.800 80.0%   0.80"
    assert f"{V}" == str(V)
    assert (round(V, 1), round(V), float(V), abs(-V)) == (0.8, 1, 0.8, 0.8)
    assert f"{D:+.2f}" == "+0.30"


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "pow"])
def test_arithmetic_gives_plain_floats(name):
    op = getattr(operator, name)
    for pair, plain in (
        ((V, W), (0.8, 0.5)),
        ((V, 2), (0.8, 2)),
        ((2, V), (2, 0.8)),
        ((np.float64(3), V), (3, 0.8)),
    ):
        assert float(op(*pair)) == op(*plain)
        assert isinstance(op(*pair), float)


def test_order_and_equality():
    assert V > W
    assert V >= W
    assert W < V
    assert W <= V
    assert V > 0.7
    assert V > 0.7
    assert not V < 0.8
    assert V <= 0.8
    assert V == 0.8
    assert V != 0.7
    assert V == 0.8
    assert EV.model("a")["recall"] == V
    assert EV.model("a")["specificity"] != V
    assert EV.model("a")["tpr"] == V
    assert hash(V) == hash(0.8)
    assert max(V, W) is V
    assert sorted([V, W]) == [W, V]


def test_an_undefined_value_is_not_a_number():
    v = tm.evaluate([1, 1, 0], [0, 0, 0])["precision"]
    assert math.isnan(v)
    assert math.isnan(v + 1)
    assert not v > 0
    assert not v < 0
    assert v != math.nan
    assert str(v) == "undefined (no row was predicted positive)"


def test_arrays_of_values():
    assert np.mean([V, W]) == 0.65
    assert (np.array([V, W], dtype=float) * 2).tolist() == [1.6, 1.0]


def test_what_is_no_number_is_refused():
    with pytest.raises(TypeError):
        V + "x"
    with pytest.raises(TypeError):
        V < "x"  # noqa: B015


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0.9231, 0.9743, "0.951 (95 % CI 0.923 to 0.974)"),
        (0.9506, 0.9519, "0.9512 (95 % CI 0.9506 to 0.9519)"),
        (0.2, 1.3, "0.95 (95 % CI 0.20 to 1.30)"),
        (-120.0, 340.0, "1 (95 % CI −120 to 340)"),
        (0.3, math.inf, "0.951 (95 % CI 0.300 to ∞)"),
        (0.9512, 0.9512, "0.951 (95 % CI 0.951 to 0.951)"),
    ],
)
def test_digits_follow_the_width_of_the_interval(low, high, shown):
    from tallymark.metric.measure import Value

    assert str(Value("f1", 0.9512, low, high, 0.95)) == shown
