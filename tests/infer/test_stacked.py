"""Stacked intervals are those that one tally gets by itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tallymark.infer.interval import interval
from tallymark.infer.jackknife import (
    leave_out,
    left_out_of_each,
    reaches,
    scaled,
    scaled_all,
    student,
)
from tallymark.infer.stacked import ROW_LOSS, Column, stackable, stacked, stacked_scores
from tallymark.metric import METRICS, get
from tallymark.metric.measure import Statistic
from tallymark.tally.labels import LabelTally
from tallymark.tally.ragged import ROW_LOSSES, RaggedScores
from tallymark.tally.scores import ScoreTally

LABELS = (0, 1)
LEVEL = 0.9


def tables(n=12, k=2, weighted=False, least=6, seed=0):
    rng = np.random.default_rng(seed)
    counts = rng.integers(least, 80, (n, k, k)).astype(float)
    counts += 60 * np.eye(k)
    if not weighted:
        return counts, None
    mean = rng.uniform(0.5, 2, counts.shape)  # of each cell's weights, with some spread
    return counts * mean, counts * mean**2 * 1.2


def decided():
    return [
        m.name for m in METRICS.values() if m.needs in ("counts", "matrix") and m.classes != "many"
    ]


def of(name, labels=LABELS):
    return Statistic.of(get(name), labels, labels[1] if len(labels) == 2 else None)


def alone(s, matrices, squares, labels, i):
    tally = LabelTally(labels, matrices[i], None if squares is None else squares[i])
    return tally, interval(s, tally, level=LEVEL)


@pytest.mark.parametrize("weighted", [False, True])
def test_numbers_of_decisions_are_those_of_each_matrix(weighted):
    matrices, squares = tables(weighted=weighted)
    wanted = {name: of(name) for name in decided()}
    found = stacked(wanted, matrices, squares, LABELS, level=LEVEL)
    kinds = set()
    for name, s in wanted.items():
        for i in (0, 7):
            tally, one = alone(s, matrices, squares, LABELS, i)
            v = found[name].value(i)
            assert v.value == pytest.approx(one.value, rel=1e-12, nan_ok=True), name
            assert (v.reason, v.definition, v.level) == (one.reason, one.definition, one.level)
            kinds.add(str(v.method).split(",")[0])
            if str(one.method).startswith("Wilson"):
                assert v.method == one.method
                np.testing.assert_allclose([v.low, v.high], [one.low, one.high], rtol=1e-12)
            elif str(v.method).startswith("jackknife"):
                left = leave_out(s, tally)
                low, high = scaled(one.value, left.error, left.reach(LEVEL), s.metric.range)
                np.testing.assert_allclose([v.low, v.high], [low, high], rtol=1e-7, err_msg=name)
                assert v.low < one.value < v.high
                assert v.high - v.low == pytest.approx(one.high - one.low, rel=0.25), name
            else:
                assert (v.method or "").split(",")[0] == (one.method or "").split(",")[0]
                assert math.isnan(v.low) == math.isnan(one.low)
                if math.isfinite(v.high - v.low):
                    width = one.high - one.low
                    assert v.low == pytest.approx(one.low, abs=0.12 * width)
                    assert v.high == pytest.approx(one.high, abs=0.3 * width)
    assert {"Wilson", "jackknife", "multinomial bootstrap"} <= kinds


def test_numbers_of_many_classes_are_those_of_each_matrix():
    labels = ("a", "b", "c")
    matrices, _ = tables(k=3)
    wanted = {name: of(name, labels) for name in ("f1", "matthews_corrcoef", "accuracy")}
    found = stacked(wanted, matrices, None, labels, level=LEVEL)
    for name, s in wanted.items():
        tally, one = alone(s, matrices, None, labels, 3)
        v = found[name].value(3)
        if name == "accuracy":
            assert (v.low, v.high, v.method) == (one.low, one.high, "Wilson")
            continue
        left = leave_out(s, tally)
        bounds = scaled(one.value, left.error, left.reach(LEVEL), s.metric.range)
        np.testing.assert_allclose([v.low, v.high], bounds, rtol=1e-7)


def test_what_few_rows_tell_is_drawn_as_one_matrix_is():
    empty = np.array([[40.0, 0.0], [5.0, 45.0]])
    perfect = np.array([[40.0, 0.0], [0.0, 45.0]])
    few = np.array([[200.0, 1.0], [1.0, 1.0]])
    nothing = np.zeros((2, 2))
    matrices = np.stack([empty, perfect, few, nothing, np.full((2, 2), 20.0)])
    names = ("matthews_corrcoef", "f1", "diagnostic_odds_ratio")
    found = stacked({n: of(n) for n in names}, matrices, None, LABELS, level=LEVEL)
    for name in names:
        for i in range(4):
            _, one = alone(of(name), matrices, None, LABELS, i)
            v = found[name].value(i)
            assert v.reason == one.reason
            assert (v.method or "").split(",")[0] == (one.method or "").split(",")[0], (name, i)
            if math.isfinite(one.low):
                assert v.low == pytest.approx(one.low, abs=0.05 + 0.1 * abs(one.low))
    assert found["f1"].value(4).method == "jackknife, Student's t"
    assert "multinomial" in found["diagnostic_odds_ratio"].value(4).method


def test_leaving_out_a_single_row_that_all_rests_on_has_no_error():
    error, freedom = left_out_of_each(of("precision"), np.array([[[5.0, 0], [3, 1]]]), None, LABELS)
    assert np.isnan(error).all()
    assert np.isnan(freedom).all()


@pytest.mark.parametrize(
    "extent", [(0, 1), (-1, 1), (0, math.inf), (-math.inf, 1), (-math.inf, math.inf)]
)
def test_scales_are_those_of_one_number(extent):
    values, errors = np.array([0.3, 0.9, 0.0, 1.0, -0.5]), np.array([0.1, 0.05, 0.1, 0.0, np.nan])
    low, high = scaled_all(values, errors, np.full(5, 1.7), extent)
    wanted = [scaled(v, e, 1.7, extent) for v, e in zip(values, errors, strict=True)]
    np.testing.assert_allclose(np.stack([low, high], 1), wanted, rtol=1e-12)


def test_reaches_are_those_of_one_number():
    freedom = [1.0, 4.5, 1e6, math.inf, math.nan]
    np.testing.assert_allclose(
        reaches(0.9, np.array(freedom)), [student(0.9, f) for f in freedom], rtol=1e-12
    )


def scores(n=200, seed=0, weighted=False, digits=2):
    rng = np.random.default_rng(seed)
    parts = []
    for s in range(5):
        p = rng.uniform(0.01, 0.99, n).round(digits)
        if s == 3:
            p = np.where(rng.random(n) < 0.5, 0.2, 0.9)  # ranks without a mistake
        y = (rng.random(n) < p).astype(int) if s != 3 else (p > 0.5).astype(int)
        if s == 4:
            y[:] = 1  # one class alone
        parts.append((np.full(n, s), p, y))
    slices, p, y = (np.concatenate(v) for v in zip(*parts, strict=True))
    w = rng.uniform(0.5, 2, len(y)) if weighted else None
    return RaggedScores.of_rows(slices, p, y, w, 2)


@pytest.mark.parametrize("weighted", [False, True])
def test_numbers_of_scores_are_those_of_each_slice(weighted):
    stack = scores(weighted=weighted)
    names = ["roc_auc", "gini_coefficient", *ROW_LOSS]
    wanted = {n: of(n) for n in names}
    found = stacked_scores(wanted, stack.judged(5, 1, ROW_LOSSES), LEVEL, weighted)
    for name, s in wanted.items():
        assert stackable(s)
        column, left = found[name]
        for i in range(5):
            one_slice = stack.one(i, 5)
            t = ScoreTally(
                LABELS, 1, one_slice.scores, one_slice.counts, one_slice.sum_squared_weights
            )
            one = interval(s, (t,), level=LEVEL)
            v = column.value(i)
            if left[i]:
                assert one.reason or "posterior" in str(one.method), (name, i)
                continue
            assert (v.method, v.reason, v.definition) == (one.method, one.reason, one.definition)
            np.testing.assert_allclose(
                [v.value, v.low, v.high], [one.value, one.low, one.high], rtol=1e-7, err_msg=name
            )
        assert left.tolist()[:4] == [False] * 4
        assert left[4] == (name in ("roc_auc", "gini_coefficient"))


def test_an_endless_loss_has_no_interval_and_few_rows_are_left_to_be_judged_alone():
    slices = np.array([0] * 40 + [1] * 40)
    p, y = np.tile([0.0, 0.5], 40), np.tile([1, 0], 40)
    p[40:], y[40:] = 0.9, 1
    p[79] = 0.0001  # one row carries the loss of the second slice
    stack = RaggedScores.of_rows(slices, p, y, None, 2)
    wanted = {"log_loss": of("log_loss")}
    column, left = stacked_scores(wanted, stack.judged(2, 1, ["log"]), LEVEL, False)["log_loss"]
    assert left.tolist() == [False, True]
    assert column.value(0).method == "no interval: the value is infinite"


def test_other_numbers_of_scores_are_not_stacked():
    assert not stackable(of("average_precision"))
    assert not stackable(Statistic.of(get("expected_calibration_error"), LABELS, 1))


def test_values_take_the_place_of_some_of_a_column():
    matrices, _ = tables()
    column = stacked({"": of("f1")}, matrices, None, LABELS)[""]
    other = interval(of("f1"), LabelTally(LABELS, matrices[1]))
    changed = column.replaced({1: other})
    assert changed.value(1) == other
    assert (
        changed.value(0) == column.value(0) == Column.of(of("f1"), [column.value(0)], 0.95).value(0)
    )
    assert column.replaced({}) is column
