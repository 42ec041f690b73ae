"""Effort-aware metrics and profit against sums over every order that tied rows can come in."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallymark as tm
from parts.effort import examples
from tallymark.curve import CURVES
from tallymark.metric import METRICS, get
from tallymark.metric.headlines import HEADLINE
from tallymark.parts.effort import PART
from tallymark.parts.effort.tally import EffortCounts, EffortTally
from tallymark.tally.joint import ModelColumn, PairedPredictions

ROWS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 3).map(lambda i: i / 4), st.integers(0, 4)),
    min_size=1, max_size=6,
)  # fmt: skip


def orders(rows, key):
    """Return every order with a falling key: rows of one key in each of their orders."""
    falling = sorted({key(row) for row in rows}, reverse=True)
    ties = [[row for row in rows if key(row) == k] for k in falling]
    for parts in itertools.product(*(itertools.permutations(tie) for tie in ties)):
        yield [row for part in parts for row in part]


def by_score(row):
    return row[1]


def by_density(row):
    _, score, effort = row
    return score / effort if effort else (math.inf if score else 0.0)


def area(order):
    """Return the area under the positives found over the effort spent, row by row."""
    total, found = 0.0, 0
    for y, _, effort in order:
        total += effort * (found + y / 2)
        found += y
    return total


def slow_p_opt(rows, key=by_score):
    areas = [area(order) for order in itertools.permutations(rows)]
    if not any(y for y, *_ in rows) or max(areas) == min(areas):
        return math.nan
    given = [area(order) for order in orders(rows, key)]
    return 1 - (max(areas) - sum(given) / len(given)) / (max(areas) - min(areas))


def slow_alarms(rows, key=by_score):
    if not any(y for y, *_ in rows):
        return math.nan
    every = [[y for y, *_ in order].index(1) for order in orders(rows, key)]
    return sum(every) / len(every)


def slow_recall(rows, share=0.2, key=by_score):
    """Go through the ties from the top, and count the last one by the part that is reached."""
    positives, left = sum(y for y, *_ in rows), share * sum(e for *_, e in rows)
    if not positives or not left:
        return math.nan
    found = 0.0
    for k in sorted({key(row) for row in rows}, reverse=True):
        tie = [row for row in rows if key(row) == k]
        effort = sum(e for *_, e in tie)
        if effort >= left:
            return (found + left / effort * sum(y for y, *_ in tie)) / positives
        found, left = found + sum(y for y, *_ in tie), left - effort
    raise AssertionError


def slow_profit(rows, count, revenue, cost, effort_is="cost"):
    """Return the mean profit of the first rows over every order."""

    def of_row(y, _, effort):
        paid, brought = (1, effort) if effort_is == "revenue" else (effort, 1)
        return revenue * y * brought - cost * paid

    each = [sum(of_row(*row) for row in order[:count]) for order in orders(rows, by_score)]
    return sum(each) / len(each)


def slow_best(rows, revenue=3.0, cost=1.0, budget=None):
    """Return the highest profit and its depth, of the ends of ties and where the budget ends."""
    points = [(0.0, 0.0, 0.0)]  # rows, cost, profit
    for k in sorted({s for _, s, _ in rows}, reverse=True):
        some = [row for row in rows if row[1] >= k]
        spent = cost * sum(e for *_, e in some)
        points.append((len(some), spent, revenue * sum(y for y, *_ in some) - spent))
    if budget is not None:
        for (n0, c0, p0), (n1, c1, p1) in itertools.pairwise(points.copy()):
            if c0 < budget < c1:
                part = (budget - c0) / (c1 - c0)
                points.append((n0 + part * (n1 - n0), budget, p0 + part * (p1 - p0)))
        points = [p for p in points if p[1] <= budget]
    best = max(p for *_, p in points)
    return best, min(n for n, _, p in points if p == best) / len(rows)


def slow_depth(rows, **options):
    return slow_best(rows, **options)[1]


TWINS = {
    "recall_at_effort": slow_recall, "recall_at_20_percent_effort": slow_recall,
    "p_opt": slow_p_opt, "initial_false_alarms": slow_alarms, "profit_at_depth": slow_profit,
    "best_profit": slow_best, "best_depth": slow_depth,
}  # fmt: skip


def counts(rows):
    y, s, effort = (np.array(column, float) for column in zip(*rows, strict=True))
    joint = PairedPredictions(
        (0, 1), y.astype(int), (ModelColumn("m", None, (s,)),), 1, numbers={"effort": effort}
    )
    return EffortTally._of_rows(joint, "m")._score_counts


def number(name, rows, **params):
    return float(get(name).compute(counts(rows), **params))


def same(a, b):
    return a == pytest.approx(b, rel=1e-12, abs=1e-12, nan_ok=True)


@settings(max_examples=60)
@given(ROWS)
@pytest.mark.slow
def test_every_order_of_tied_rows(rows):
    for by, key in (("score", by_score), ("density", by_density)):
        assert same(number("p_opt", rows, by=by), slow_p_opt(rows, key))
        assert same(number("initial_false_alarms", rows, by=by), slow_alarms(rows, key))
        for share in (0.2, 0.55, 1.0):
            found = number("recall_at_effort", rows, by=by, share=share)
            assert same(found, slow_recall(rows, share, key))
    assert same(number("recall_at_20_percent_effort", rows), slow_recall(rows))


@settings(max_examples=60)
@given(ROWS, st.integers(1, 6))
def test_profit_is_its_mean_over_the_orders(rows, count):
    count = min(count, len(rows))
    money = {"revenue": 3.0, "cost": 1.0}
    for what in ("cost", "revenue"):
        asked = {**money, "effort_is": what}
        found = number("profit_at_depth", rows, depth=count / len(rows), **asked)
        assert same(found, slow_profit(rows, count, **asked))
    for budget in (None, 0, 2.5, 7):
        profit, depth = slow_best(rows, budget=budget)
        assert same(number("best_profit", rows, **money, max_cost=budget), profit)
        if budget is None:
            assert same(number("best_depth", rows, **money), depth)


def test_worked_by_hand():
    # 100 lines; positives of 10 and 20. A = 145, the best order 175, the worst 25.
    y, s, lines = [1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1], [10, 30, 20, 40]
    ev = tm.evaluate(y, y_score=s, effort=lines)
    assert ev["p_opt"].value == pytest.approx(1 - (175 - 145) / (175 - 25))
    assert ev["Popt"].value == pytest.approx(0.8)
    assert ev["recall_at_20_percent_effort"].value == 0.5  # 20 lines: the first, a part of a miss
    assert ev.value("recall_at_effort", share=0.5).value == 0.75  # 50: half of the third
    assert ev["IFA"].value == 0
    # By score / lines: 0.09, 0.0267, 0.02, 0.0025: the same order here.
    assert ev.value("p_opt", by="density").value == pytest.approx(0.8)
    # 12 a defect found, a tenth a line: 12-1, -3, 12-2, -4.
    assert ev.value("profit_at_depth", depth=0.75, revenue=12, cost=0.1).value == 18
    assert ev.value("best_profit", revenue=12, cost=0.1).value == 18
    assert ev.value("best_depth", revenue=12, cost=0.1).value == 0.75
    assert ev.value("best_depth", revenue=12, cost=0.1, max_cost=1.5).value == 0.25


def test_revenue_of_each_row():
    # Acting costs 10 a row; the positives bring 100 and 40: 100-10, -10, 40-10, -10.
    ev = tm.evaluate([1, 0, 1, 0], y_score=[0.9, 0.8, 0.4, 0.1], effort=[100, 500, 40, 70])
    money = {"effort_is": "revenue", "cost": 10}
    half = ev.value("profit_at_depth", depth=0.5, **money)
    assert half.value == 80
    assert half.low < 80 < half.high
    assert ev.value("profit_at_depth", depth=0.5, revenue=2, **money).value == 180
    assert ev.value("best_profit", **money).value == 110
    assert ev.value("best_depth", **money).value == 0.75
    assert ev.value("best_depth", **money, max_cost=10).value == 0.25
    assert ev.curve("profit", **money).y.tolist() == [0, 90, 80, 110, 100]


def test_profit_of_rows_that_cost_the_same_is_that_of_the_response_rate():
    rng = np.random.default_rng(4)
    y, s = rng.integers(0, 2, 100), rng.random(100)
    ev, money = tm.evaluate(y, y_score=s), {"revenue": 7, "cost": 3}
    for depth in (0.1, 0.5, 1.0):
        response = y[np.argsort(-s)][: round(100 * depth)].mean()
        profit = ev.value("profit_at_depth", depth=depth, **money).value
        assert profit == pytest.approx(depth * 100 * (response * 7 - 3))


def test_of_equal_efforts_it_is_the_ranking_alone():
    rng = np.random.default_rng(3)
    y, s = rng.integers(0, 2, 200), rng.integers(0, 40, 200) / 40
    ev = tm.evaluate(y, y_score=s, effort=np.full(200, 7.0))
    assert ev["p_opt"].value == pytest.approx(ev["roc_auc"].value, abs=1e-14)
    assert ev["recall_at_effort"].value == pytest.approx(ev.value("gain_at", depth=0.2).value)


@given(ROWS, st.integers(1, 5))
def test_replicates_are_a_loop_and_weights_are_repeated_rows(rows, times):
    one = counts(rows)
    stack = one._with_counts(np.stack([one.pos, times * one.pos]), np.stack([one.neg, one.neg]))
    loop = [one, one._with_counts(times * one.pos, one.neg)]
    for name in TWINS:
        for by in ({}, {"by": "density"}):
            if by and "by" not in get(name).params:
                continue
            found = get(name).compute(stack, **by)
            assert same(list(found), [float(get(name).compute(r, **by)) for r in loop])
    often = counts([row for row in rows for _ in range(times if row[0] else 1)])
    for name in TWINS:
        assert same(float(get(name).compute(often)), float(get(name).compute(loop[1])))


def test_undefined_is_said():
    reasons = {
        (1, 1): "every order finds the positives with the same effort",
        (0, 0): "no row is truly positive",
    }
    for y, words in reasons.items():
        r = EffortCounts(
            np.array([0.2, 0.7]), np.array(y, float), 1 - np.array(y, float), np.full(2, 3.0)
        )
        assert words in (get("p_opt").reason(r) or "")
        assert math.isnan(float(get("p_opt").compute(r)))
    free = EffortCounts(np.array([0.5]), np.ones(1), np.ones(1), np.zeros(1))
    assert get("recall_at_effort").reason(free) == "no row takes any effort"


@pytest.mark.parametrize(("asked", "words"), [
    ({"metric": "p_opt", "by": "size"}, "by is 'size'; there are 'score', 'density'"),
    ({"metric": "recall_at_effort", "share": 0}, "share is 0; give a target above 0"),
    ({"metric": "profit_at_depth", "depth": 2}, "depth is 2; give a target above 0"),
    ({"metric": "best_profit", "revenue": -1}, "revenue is -1; give an amount of 0 or more"),
    ({"metric": "best_profit", "effort_is": "gain"},
     "effort_is is 'gain'; there are 'cost', 'revenue'"),
    ({"metric": "best_depth", "max_cost": -5}, "max_cost is -5; give an amount of 0 or more"),
])  # fmt: skip
def test_parameters_are_checked(asked, words):
    ev = tm.evaluate([1, 0, 1], y_score=[0.9, 0.4, 0.2], effort=[1, 2, 3])
    with pytest.raises(tm.InputError, match=words):
        ev.value(**asked)
    with pytest.raises(tm.InputError, match="by='density' divides each score by its effort"):
        tm.evaluate([1, 0], y_score=[-1.0, 2.0], effort=[1, 2]).value("p_opt", by="density")


def test_every_metric_has_a_twin():
    ours = {
        n for n, found in METRICS.items() if found._function.__module__.startswith(PART.package)
    }
    assert {*examples.METRICS} == ours == {*TWINS}
    assert {n for n in ours if METRICS[n]._scoring.binning_bounds is None} == {*examples.UNPROVED}


def test_lists_keep_their_order():
    names, curves = list(METRICS), list(CURVES)
    at = names.index("recall_at_effort")
    assert (names[at - 1], names[at + len(TWINS)]) == ("r_precision", "equal_error_rate")
    assert curves[curves.index("lift") : curves.index("cost")] == ["lift", *examples.CURVES]
    at = HEADLINE.index("average_precision")
    assert HEADLINE[at : at + 5] == ("average_precision", *examples.RANKED[1:], "brier")


def test_the_order_does_not_depend_on_the_scores_unless_rows_are_sorted_by_density():
    found = get("p_opt")
    assert (found._order_of(), found._order_of(by="density")) == ("whole", None)
