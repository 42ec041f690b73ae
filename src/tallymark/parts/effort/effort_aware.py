"""The value of an order of rows where each costs effort, such as lines to read.

Rows are looked at from the highest score down. Each takes its effort, 1 where none was given; rows
of one score come in random order, so that along a tie what is found rises in proportion to what it
takes, which is the expectation of every area.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from tallymark import InputError
from tallymark.core import (
    NO_POSITIVES,
    NO_ROWS,
    Floats,
    ScoreCounts,
    at,
    check_target,
    check_word,
    first_of,
    ranking,
    ratio,
)
from tallymark.parts.effort.tally import EffortCounts

ORDERS = ("score", "density")
"""By what rows are sorted: their score, or their score for each unit of effort."""

NO_EFFORT = {"no row takes any effort": lambda r: inspected(r).effort[..., -1] == 0}

sorted_by = partial(ranking, role="effort", reads_scores=lambda by: by == "density")
"""Declare a metric of rows that are sorted ``by`` one of the orders."""

of_effort = partial(sorted_by, role_needed=True)
"""Declare a metric that adds nothing where all rows take the same effort."""


class Inspected(NamedTuple):
    """What was met and spent down to each score, from nothing on: arrays (..., T + 1).

    ``found`` rows of the positive class, ``alarms`` of the other, ``effort`` of both, and of those
    ``found`` alone.
    """

    found: Floats
    alarms: Floats
    effort: Floats
    effort_of_found: Floats

    @property
    def rows(self) -> Floats:
        """All rows met."""
        return self.found + self.alarms

    def where(self, along: Floats, value: Any) -> Inspected:
        """Return what was met and spent where one of the arrays reaches a number (...)."""
        value = np.minimum(value, along[..., -1])
        after = (along < np.asarray(value)[..., None]).sum(-1)
        before = np.maximum(after - 1, 0)
        low, high = at(along, before), at(along, after)
        part = np.where(high > low, ratio(value - low, high - low), 0.0)
        return Inspected(*(at(v, before) + part * (at(v, after) - at(v, before)) for v in self))


def inspected(r: ScoreCounts, by: str = "score") -> Inspected:
    """Return what is met and spent from the highest score down, by score or by score / effort.

    >>> r = EffortCounts(np.array([0.2, 0.8, 0.8]), np.array([0.0, 1, 0]), np.array([2.0, 0, 1]),
    ...                  np.array([10.0, 4, 6]))
    >>> inspected(r).effort.tolist(), inspected(r, "density").effort.tolist()
    ([0.0, 10.0, 30.0], [0.0, 4.0, 10.0, 30.0])
    """
    check_word("by", by, ORDERS)
    return r._cached(_inspected, by=by)


def _inspected(r: ScoreCounts, by: str) -> Inspected:
    tp, fp = r._cumulative_counts
    if not isinstance(r, EffortCounts):
        return Inspected(tp, fp, tp + fp, tp)
    keys, order = r.scores, np.arange(len(r.scores))[::-1]
    if by == "density":
        if len(keys) and keys[0] < 0:
            raise InputError(
                "by='density' divides each score by its effort, and these scores go down to "
                f"{keys[0]:.6g}; give scores of 0 or more, or sort by='score'"
            )
        with np.errstate(divide="ignore", invalid="ignore"):
            keys = np.nan_to_num(keys / r.effort, posinf=np.inf)
        order = np.argsort(-keys, kind="stable")
    last = np.flatnonzero(np.append(keys[order][1:] != keys[order][:-1], True)[: len(keys)])
    spent = (r.pos + r.neg) * r.effort

    def summed(rows: Floats) -> Floats:
        start = np.zeros((*rows.shape[:-1], 1))
        return np.concatenate([start, rows[..., order].cumsum(-1)[..., last]], -1)

    return Inspected(*map(summed, (r.pos, r.neg, spent, r.pos * r.effort)))


def _target(r: ScoreCounts, share: float, by: str) -> Inspected:
    """Return what is met within a share of all effort."""
    met = inspected(r, by)
    return met.where(met.effort, check_target("share", share) * met.effort[..., -1])


@of_effort(
    title="Recall at an effort",
    formula="positives among the rows that the first share of all effort goes to / P",
    chance="the share",
    aliases=("cost effectiveness at an effort",),
    undefined={**NO_POSITIVES, **NO_EFFORT},
    relatives=("p_opt", "initial_false_alarms", "gain_at"),
    sources=("mende2010", "kamei2013"),
    error="quantile",
    operating_point=lambda r, share: first_of(r, share * r.total),
    order="part",
    presets={
        "recall_at_20_percent_effort": {
            "params": {"share": 0.2},
            "title": "Recall at 20 % effort",
            "aliases": ("R20E",),
            "meaning": "Share of the positives found with the first fifth of all effort.",
        },
    },
)
def recall_at_effort(
    r: ScoreCounts, *, share: float = 0.2, by: Literal["score", "density"] = "score"
) -> Any:
    """Share of the positives found within the first share of all effort, such as lines of code.

    Rows are sorted by score, or with ``by="density"`` by score / effort. The row at which the
    effort ends counts by the part of it that is reached, and so do tied rows.

    Misleading: Sorting by density puts many small rows first, and effort leaves out the fixed cost
    of each row.

    >>> import tallymark as tm
    >>> ev = tm.evaluate([1, 0, 1, 0], y_score=[0.9, 0.8, 0.4, 0.1], effort=[10, 30, 20, 40])
    >>> ev["recall_at_effort"].value, ev.value("recall_at_effort", share=0.5).value
    (0.5, 0.75)
    """
    met = inspected(r, by)
    recall = ratio(_target(r, share, by).found, met.found[..., -1])
    return np.where(met.effort[..., -1] > 0, recall, np.nan)


def _spread(r: ScoreCounts) -> Any:
    """Return twice the area of the best order less all effort times all positives.

    The best order has positives of rising effort, then the others; the worst is its reverse. With
    F positives up to each distinct effort of P, that is (effort of the others) P + Σ Δe F (P - F).
    """
    if not isinstance(r, EffortCounts):
        return r.negatives * r.positives
    order = np.argsort(r.effort, kind="stable")
    positives = r.pos[..., order].cumsum(-1)
    total, steps = positives[..., -1:], np.diff(r.effort[order])
    of_others = (r.neg * r.effort).sum(-1)
    apart = (steps * positives[..., :-1] * (total - positives[..., :-1])).sum(-1)
    return of_others * total[..., 0] + apart


@of_effort(
    title="P_opt",
    formula="1 - (A_optimal - A) / (A_optimal - A_worst), areas of positives found over effort",
    chance=0.5,
    aliases=("Popt", "normalised P_opt"),
    undefined={
        **NO_POSITIVES,
        "every order finds the positives with the same effort": lambda r: _spread(r) == 0,
    },
    relatives=("recall_at_effort", "roc_auc"),
    sources=("mende2010", "kamei2013"),
)
def p_opt(r: ScoreCounts, *, by: Literal["score", "density"] = "score") -> Any:
    """Area under the effort curve, rescaled from the worst order (0) to the best (1).

    The best order is by falling true density: positives from the least effort up, then the others;
    the worst is by rising true density. A random order has 1/2. If all rows take the same effort,
    this is the ROC area.

    Misleading: It judges the whole order, although the end of it is rarely inspected.

    >>> import tallymark as tm
    >>> ev = tm.evaluate([1, 0, 1, 0], y_score=[0.9, 0.8, 0.4, 0.1], effort=[10, 30, 20, 40])
    >>> ev["p_opt"].value
    0.8
    """
    positives, _, effort, _ = inspected(r, by)
    area = (np.diff(effort) * (positives[..., 1:] + positives[..., :-1])).sum(-1)
    random = effort[..., -1] * positives[..., -1]
    return np.clip(0.5 + ratio(area - random, 2 * _spread(r)), 0.0, 1.0)


@sorted_by(
    title="Initial false alarms",
    formula="negatives looked at before the first positive",
    range=(0, math.inf),
    better="low",
    aliases=("IFA",),
    undefined=NO_POSITIVES,
    relatives=("recall_at_effort", "precision_at_k"),
    sources=("huang2017",),
    error="extreme",
    order="part",
)
def initial_false_alarms(r: ScoreCounts, *, by: Literal["score", "density"] = "score") -> Any:
    """Number of negatives inspected from the top before the first positive is found.

    In a tie with p positives and n others, n / (p + 1) are expected to come first. Developers who
    find many false alarms stop inspecting.

    Misleading: One row decides it.

    >>> import tallymark as tm
    >>> tm.metrics.initial_false_alarms([0, 1, 0, 1], [0.9, 0.4, 0.4, 0.3])
    1.5
    """
    positives, alarms, *_ = inspected(r, by)
    first = (positives > 0).argmax(-1)
    before = np.maximum(first - 1, 0)
    p, n0, n1 = at(positives, first), at(alarms, before), at(alarms, first)
    return np.where(p > 0, n0 + (n1 - n0) / (p + 1), np.nan)


# -- profit ------------------------------------------------------------------------------------

by_profit = partial(ranking, order="part", role="effort", listed=False)
"""Declare a metric of money, which is asked for by name: its parameters are the user's own."""


MONEY = ("cost", "revenue")
"""What the effort of a row may stand for: what it costs, or what it brings if it is positive."""


def money_of(met: Inspected, revenue: float, cost: float, effort_is: str) -> tuple[Any, Any]:
    """Return what the positives met bring, and what the rows met cost.

    >>> met = Inspected(*map(np.array, ([1.0, 1.0], [0.0, 1.0], [30.0, 70.0], [30.0, 30.0])))
    >>> [v.tolist() for v in money_of(met, 50, 1, "cost")]
    [[50.0, 50.0], [30.0, 70.0]]
    >>> [v.tolist() for v in money_of(met, 1, 2, "revenue")]
    [[30.0, 30.0], [2.0, 4.0]]
    """
    check_word("effort_is", effort_is, MONEY)
    for name, amount in (("revenue", revenue), ("cost", cost)):
        if not 0 <= amount < math.inf:
            raise InputError(f"{name} is {amount!r}; give an amount of 0 or more")
    if effort_is == "revenue":
        return revenue * met.effort_of_found, cost * met.rows
    return revenue * met.found, cost * met.effort


@by_profit(
    title="Profit at a depth",
    formula="revenue · positives among the top rows - cost · effort of those rows,"
    " or revenue · effort of those positives - cost · those rows",
    range=(-math.inf, math.inf),
    aliases=("profit",),
    undefined=NO_ROWS,
    relatives=("best_profit", "best_depth", "gain_at", "expected_cost"),
    sources=("shin2016",),
    error="quantile",
    operating_point=lambda r, depth: first_of(r, depth * r.total),
)
def profit_at_depth(
    r: ScoreCounts,
    *,
    depth: float = 0.1,
    revenue: float = 1.0,
    cost: float = 0.1,
    effort_is: Literal["cost", "revenue"] = "cost",
) -> Any:
    """Profit of acting on the rows of highest score: depth · n · (response · revenue - cost).

    ``revenue`` is what a positive brings and ``cost`` what a row costs, or where rows differ in
    effort what a unit of it costs. With ``effort_is="revenue"`` the effort of a row is what it
    brings if it is positive, times ``revenue``, and every row costs the same.

    Misleading: It grows with the number of rows, so do not compare values between data sets.

    >>> import tallymark as tm
    >>> tm.metrics.profit_at_depth([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], depth=0.5, revenue=10)
    9.8
    """
    met = inspected(r)
    top = met.where(met.rows, check_target("depth", depth) * met.rows[..., -1])
    brings, costs = money_of(top, revenue, cost, effort_is)
    return np.where(met.rows[..., -1] > 0, brings - costs, np.nan)


def _best(
    r: ScoreCounts, revenue: float, cost: float, max_cost: float | None, effort_is: str
) -> tuple[Any, Any]:
    """Return the highest profit within ``max_cost``, and the share of rows to act on for it."""
    max_cost = math.inf if max_cost is None else max_cost
    if not max_cost >= 0:
        raise InputError(f"max_cost is {max_cost!r}; give an amount of 0 or more")
    met = inspected(r)
    spent = money_of(met, revenue, cost, effort_is)[1]
    end = met.where(spent, max_cost)  # where the money is spent
    both = zip(met, end, strict=True)
    all_of = Inspected(*(np.concatenate([v, np.asarray(w)[..., None]], -1) for v, w in both))
    brings, costs = money_of(all_of, revenue, cost, effort_is)
    profit = np.where(costs <= max_cost * (1 + 1e-12), brings - costs, -1.0)
    best = profit.argmax(-1)
    depth = ratio(at(all_of.rows, best), met.rows[..., -1])
    total = met.rows[..., -1] > 0
    return np.where(total, at(profit, best), np.nan), np.where(total, depth, np.nan)


@by_profit(
    title="Highest profit",
    formula="max over depths, and at a cost of at most max_cost, of the profit at a depth",
    range=(-math.inf, math.inf),
    aliases=("maximum profit",),
    undefined=NO_ROWS,
    relatives=("profit_at_depth", "best_depth"),
    sources=("shin2016",),
    error="optimistic",
)
def best_profit(
    r: ScoreCounts,
    *,
    revenue: float = 1.0,
    cost: float = 0.1,
    max_cost: float | None = None,
    effort_is: Literal["cost", "revenue"] = "cost",
) -> Any:
    """Profit at the depth that is best on these rows, at a cost of at most max_cost.

    Misleading: The depth is chosen on the same rows, so expect less profit on new ones.

    >>> import tallymark as tm
    >>> tm.metrics.best_profit([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], revenue=10, cost=4)
    8.0
    """
    return _best(r, revenue, cost, max_cost, effort_is)[0]


@by_profit(
    title="Best depth",
    formula="share of the rows at which profit is highest, the smallest of several",
    better="neither",
    aliases=("most profitable depth",),
    undefined=NO_ROWS,
    relatives=("best_profit", "profit_at_depth"),
    sources=("shin2016",),
    error="extreme",
    binning_bounds=None,
)
def best_depth(
    r: ScoreCounts,
    *,
    revenue: float = 1.0,
    cost: float = 0.1,
    max_cost: float | None = None,
    effort_is: Literal["cost", "revenue"] = "cost",
) -> Any:
    """Share of the rows to act on for the highest profit, at a cost of at most max_cost.

    Misleading: Profit is flat around its maximum, so the best depth is uncertain.

    >>> import tallymark as tm
    >>> tm.metrics.best_depth([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], revenue=10, cost=4)
    0.75
    >>> tm.metrics.best_depth([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], revenue=10, cost=4, max_cost=8)
    0.25
    """
    return _best(r, revenue, cost, max_cost, effort_is)[1]
