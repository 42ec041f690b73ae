"""Losses of probabilities, against twins that go row by row."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

import tallymark as tm
from metric.twins import ROWS, compare, split, undefined

m = tm.metrics


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def rows_of(y, s):
    return zip(y, s, strict=True)


def slow_log_loss(y, s):
    own = [b if a else 1 - b for a, b in rows_of(y, s)]
    return mean(math.inf if p == 0 else -math.log(p) for p in own)


TWINS = {
    "brier": lambda y, s: mean((b - a) ** 2 for a, b in rows_of(y, s)),
    "mean_absolute_error": lambda y, s: mean(abs(b - a) for a, b in rows_of(y, s)),
    "root_mean_squared_error": lambda y, s: math.sqrt(mean((b - a) ** 2 for a, b in rows_of(y, s))),
    "log_loss": slow_log_loss,
    "brier_skill_score": lambda y, s: (
        1 - mean((b - a) ** 2 for a, b in rows_of(y, s)) / mean((mean(y) - a) ** 2 for a in y)
    ),
    "log_loss_skill_score": lambda y, s: (
        1 - slow_log_loss(y, s) / slow_log_loss(y, [mean(y)] * len(y))
    ),
    "spherical_score": lambda y, s: mean(
        (b if a else 1 - b) / math.hypot(b, 1 - b) for a, b in rows_of(y, s)
    ),
}


@given(ROWS)
def test_row_by_row(rows):
    compare(m, TWINS, rows)


@given(ROWS)
def test_parameters_of_the_log_loss(rows):
    y, s = split(rows)
    assert m.log_loss(y, s, base=2) == pytest.approx(slow_log_loss(y, s) / math.log(2))
    clipped = np.clip(s, 1e-3, 1 - 1e-3).tolist()
    assert m.log_loss(y, s, clip=1e-3) == pytest.approx(slow_log_loss(y, clipped))


def test_losses_of_more_classes_are_wekas():
    y = ["a", "b", "c"]
    p = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.4, 0.4, 0.2]]
    truth = np.eye(3)
    distance = np.abs(np.array(p) - truth)
    assert m.mae(y, p) == pytest.approx(distance.mean())
    assert m.rmse(y, p) == pytest.approx(math.sqrt((distance**2).mean()))
    assert m.brier(y, p) == pytest.approx((distance**2).sum(1).mean())
    assert m.log_loss(y, p) == pytest.approx(-np.log([0.6, 0.5, 0.2]).mean())
    length = np.sqrt((np.array(p) ** 2).sum(1))
    assert m.spherical_score(y, p) == pytest.approx((np.array([0.6, 0.5, 0.2]) / length).mean())
    reference = ((truth - 1 / 3) ** 2).sum(1).mean()
    assert m.brier_skill_score(y, p) == pytest.approx(1 - m.brier(y, p) / reference)
    assert m.log_loss_skill_score(y, p) == pytest.approx(1 - m.log_loss(y, p) / math.log(3))


def test_the_log_loss_of_the_class_shares_counts_weights_and_absent_classes():
    y, p = ["a", "b", "b"], [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.3, 0.4, 0.3]]
    weights = [2, 1, 3]
    loss = -(2 * math.log(0.6) + math.log(0.5) + 3 * math.log(0.4)) / 6
    shares = -(2 * math.log(1 / 3) + 4 * math.log(2 / 3)) / 6
    value = m.log_loss_skill_score(y, p, labels=["a", "b", "c"], sample_weight=weights)
    assert value == pytest.approx(1 - loss / shares)


def test_a_certain_mistake_loses_all_skill_unless_it_is_clipped():
    y, s = [0, 1, 1, 0], [0.2, 0.0, 0.7, 0.4]
    assert m.log_loss_skill_score(y, s) == -math.inf
    loss = -sum(map(math.log, (0.8, 0.01, 0.7, 0.6))) / 4
    assert m.mcfadden_r2(y, s, clip=0.01) == pytest.approx(1 - loss / math.log(2))


def test_one_class_has_no_skill_to_show():
    assert tm.evaluate([1, 1], y_score=[0.2, 0.4])["brier_skill_score"].reason == (
        "all rows are truly of one class"
    )
    value = m.brier_skill_score(["a", "a"], [[0.5, 0.3, 0.2]] * 2, labels=["a", "b", "c"])
    assert math.isnan(value)


def test_a_class_without_rows_is_the_reason():
    undefined(m, [n for n in TWINS if getattr(m, n)._needs != "rows"])


def test_clipping_works_at_both_ends():
    assert m.log_loss([0, 1], [1.0, 0.5], clip=0.1) == pytest.approx(
        -(math.log(0.1) + math.log(0.5)) / 2
    )
    assert m.log_loss([1, 0], [0.0, 0.5], clip=0.1) == pytest.approx(
        -(math.log(0.1) + math.log(0.5)) / 2
    )
    p = [[1.0, 0.0, 0.0], [0.2, 0.3, 0.5]]
    assert m.log_loss(["b", "c"], p, labels=["a", "b", "c"], clip=0.05) == pytest.approx(
        -(math.log(0.05) + math.log(0.5)) / 2
    )


@pytest.mark.parametrize("metric", [m.brier_skill_score, m.log_loss_skill_score])
@pytest.mark.parametrize("y", [[1, 1, 1], [0, 0, 0]])
def test_a_skill_needs_both_classes(y, metric):
    tally = tm.ScoreTally.from_arrays(y, [0.2, 0.4, 0.4], labels=[0, 1], positive=1)
    assert math.isnan(metric(tally))
    assert metric.reason((tally._score_counts,)) == "all rows are truly of one class"
    both = tm.ScoreTally.from_arrays([0, 1, 1], [0.2, 0.4, 0.4])
    assert metric.reason((both._score_counts,)) is None
    three = [both._score_counts] * 3
    assert metric.reason(tuple(three)) is None
