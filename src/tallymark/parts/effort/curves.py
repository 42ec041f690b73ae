"""Curves of what is found, and of what is earned, along an order of rows that take effort."""

from __future__ import annotations

import numpy as np

from tallymark import ScoreTally
from tallymark.core import CURVES, DEPTH, DIAGONAL, FPR, TPR, Axis, Points, curve, ratio
from tallymark.parts.effort.effort_aware import inspected, money_of

EFFORT = Axis("share of effort", "share of all effort spent")
NO_BAND = "its points depend on the effort of each row; recall_at_effort has an interval at each x"


@curve(
    EFFORT,
    TPR,
    title="Effort curve",
    words="The share of positives found against the share of all effort, such as lines of code, "
    "that goes to the rows of highest score. The best order takes positives of little effort "
    "first; the dashed line is a random order.",
    page="more",
    json=True,
    beside=("p_opt", "P_opt"),
    references=(DIAGONAL,),
    pair="effort_best",
    sides=("by score", "the best order"),
    bounded="",
    no_band=NO_BAND,
    role="effort",
    role_needed=True,
)
def effort(tally: ScoreTally, by: str = "score") -> Points:
    """Return the share of positives found against the share of effort spent on rows from the top.

    Rows are sorted by score, or with ``by="density"`` by score / effort.

    >>> c = CURVES["effort"](ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.x.tolist(), c.y.tolist()
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    return _over_effort(tally, "found", by)


@curve(EFFORT, TPR, bounded="", no_band=NO_BAND, role="effort", role_needed=True)
def effort_best(tally: ScoreTally) -> Points:
    """Return the effort curve of the best order: positives from the least effort up, then others.

    >>> c = CURVES["effort_best"](ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.x.tolist(), c.y.tolist()
    ([0.0, 0.5, 1.0], [0.0, 1.0, 1.0])
    """
    r = tally._score_counts
    each = getattr(r, "effort", np.ones(len(r.scores)))
    sizes, place = np.unique(each, return_inverse=True)
    positives = np.bincount(place, r.pos)
    spent = [0.0, *np.cumsum(positives * sizes), float(((r.pos + r.neg) * each).sum())]
    met = np.array([0.0, *np.cumsum(positives), positives.sum()])
    with np.errstate(all="ignore"):
        x, y = ratio(np.array(spent), spent[-1]), ratio(met, met[-1])
    return {"x": np.minimum(x, 1.0), "y": y}


@curve(
    EFFORT,
    FPR,
    title="Alarm effort curve",
    json=True,
    references=(DIAGONAL,),
    bounded="",
    words="The share of negatives inspected against the share of all effort; down and right is "
    "better.",
    page="more",
    no_band=NO_BAND,
    role="effort",
    role_needed=True,
)
def alarm_effort(tally: ScoreTally, by: str = "score") -> Points:
    """Return the share of negatives inspected against the share of effort spent.

    >>> c = CURVES["alarm_effort"](ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]))
    >>> c.y.tolist()
    [0.0, 0.0, 0.5, 0.5, 1.0]
    """
    return _over_effort(tally, "alarms", by)


def _over_effort(tally: ScoreTally, what: str, by: str) -> Points:
    met = inspected(tally._score_counts, by)
    rows = getattr(met, what)
    with np.errstate(all="ignore"):
        points = {"x": ratio(met.effort, met.effort[-1]), "y": ratio(rows, rows[-1])}
    if by == "score":
        points["threshold"] = np.append(np.inf, np.unique(tally.scores)[::-1])
    return points


@curve(
    DEPTH,
    Axis("profit_at_depth", "profit", limits=lambda low, high: (min(low, 0.0), high)),
    title="Profit by depth",
    bounded="",
    words="Revenue minus cost of acting on the rows of highest score.",
    no_band="its points depend on the cost of each row; profit_at_depth has an interval at each x",
    role="effort",
)
def profit(
    tally: ScoreTally, revenue: float = 1.0, cost: float = 0.1, effort_is: str = "cost"
) -> Points:
    """Return profit against depth: revenue times the positives found less what the rows cost.

    ``cost`` is that of a row, or of a unit of effort where rows differ in that. With
    ``effort_is="revenue"`` the effort of a row is what it brings if it is positive.

    >>> c = CURVES["profit"](ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]), 10, 4)
    >>> c.x.tolist(), c.y.tolist()
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 6.0, 2.0, 8.0, 4.0])
    """
    met = inspected(tally._score_counts)
    with np.errstate(all="ignore"):
        depth = ratio(met.rows, met.rows[-1])
    threshold = np.append(np.inf, np.unique(tally.scores)[::-1])
    brings, costs = money_of(met, revenue, cost, effort_is)
    return {"x": depth, "y": brings - costs, "threshold": threshold}


OURS = ("effort", "effort_best", "alarm_effort", "profit")
__test__ = {name: CURVES[name].__doc__ for name in OURS}
