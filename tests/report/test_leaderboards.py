"""The headline and the chart of a leaderboard."""

from __future__ import annotations

import pytest

from tallymark.metric.measure import Value
from tallymark.report.leaderboards import LONGEST, chart_of_means, choice

LONG = [f"model-number-{i}-of-nine" for i in range(9)]


@pytest.mark.parametrize(
    ("models", "proved", "headline"),
    [
        (["a", "b"], [], "a or b: not decided."),
        (["a", "b"], [("a", "b")], "Use a: it beats b."),
        (["a", "b", "c"], [("a", "b"), ("a", "c")], "Use a: it beats b and c."),
        (["a", "b", "c"], [("a", "b")], "a or c: not decided."),
        (["a", "b", "c"], [("b", "c")], "a, b or c: not decided."),
        (LONG, [], "Not decided between 9 of 9 models."),
        (LONG, [(LONG[0], m) for m in LONG[1:]], "Use model-number-0-of-n…: it beats the other 8 models."),
    ],
)  # fmt: skip
def test_the_headline_names_the_models_that_the_best_does_not_beat(models, proved, headline):
    assert choice(models, proved) == headline
    assert len(headline) <= LONGEST


def value(mean, low=float("nan"), high=float("nan"), reason=None):
    return Value("mean_grade", mean, low, high, reason=reason)


def test_means_are_drawn_from_0_to_1_and_undefined_ones_named():
    values = [value(0.7, 0.6, 0.8), value(float("nan"), reason="no answer")]
    chart = chart_of_means("mean grade", ["crow", "wren"], values)
    first, second = chart.drawn.rows
    assert (first.name, first.value, first.low, first.high) == ("crow", 0.7, 0.6, 0.8)
    assert (second.name, second.missing) == ("wren", "undefined")
    assert (chart.drawn.x.low, chart.drawn.x.high) == (0.0, 1.0)
    assert (chart.title, chart.heading, chart.words) == ("mean grade", "How good each model is", "")


def test_a_chart_of_very_many_models_counts_those_that_it_leaves_out():
    chart = chart_of_means("score", LONG * 3, [value(1.5, 1.2, 1.9)] * 27)
    assert len(chart.drawn.rows) == 20
    assert (chart.drawn.x.low, chart.drawn.x.high) == (0.0, 1.9)
    assert chart.words == "The table lists 7 other models."
