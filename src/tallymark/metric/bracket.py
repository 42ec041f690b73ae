"""Between which numbers a metric must lie whose scores were counted in bins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tallymark.metric.measure import Statistic, Value
from tallymark.tally.scores import ScoreTally

UNPROVED = (
    "the scores were counted in bins, and how far that moves this number is not proved; more "
    "memory or a smaller tolerance makes the bins narrower"
)


def bracket(statistic: Statistic, tallies: Sequence[ScoreTally]) -> tuple[float, float] | None:
    """Return the least and the most that a number of scores in bins can be of the rows themselves.

    None where every score is known. Most metrics never fall (or never rise) when a positive's score
    rises or another's falls: the worst and the best arrangement of the rows within their bins then
    bound them. A metric for which that is not so has bounds of its own (``Metric.bracket``), or
    else those of its range, which is all that is proved of it.

    >>> from tallymark.metric import get
    >>> from tallymark.tally.bins import Bins
    >>> t = ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    >>> bracket(Statistic.of(get("roc_auc"), (0, 1), 1), [t.binned(Bins([0, 0.5, 1], per=1))])
    (0.5, 1.0)
    """
    if not _in_bins(statistic.asked_for(tallies)):
        return None
    metric = statistic.metric
    sides = [tuple(t.ends()[i] for t in tallies) for i in (0, 1)]
    low, high = metric.range_of(**statistic.params)
    if metric.bracket == "ends":
        found = [float(statistic.measure(side)) for side in sides]
    elif callable(metric.bracket) and statistic.average == "binary":
        worst, best = (statistic.asked_for(side)[0].score_counts for side in sides)
        with np.errstate(all="ignore"):
            params = {**metric.params, **statistic.params}
            found = [float(x) for x in metric.bracket(worst, best, **params)]
    else:
        return low, high
    if any(math.isnan(x) for x in found):
        return low, high
    return max(min(found), low), min(max(found), high)


def bracketed(value: Value, statistic: Statistic, tallies: Sequence[ScoreTally]) -> Value:
    """Return a value with its bracket, by which its interval is made wider."""
    found = bracket(statistic, tallies)
    if found is None or math.isnan(value.value):
        return value
    low, high = min(found[0], value.value), max(found[1], value.value)
    if _unproved(statistic, (low, high)):
        told = UNPROVED if value.caution is None else f"{value.caution}; {UNPROVED}"
        return replace(value, bracket=(low, high), caution=told)
    return replace(
        value,
        bracket=(low, high),
        low=value.low - (value.value - low),
        high=value.high + (high - value.value),
    )


def _in_bins(tallies: Sequence[ScoreTally]) -> bool:
    return any(t.highs is not None and bool((t.highs > t.scores).any()) for t in tallies)


def _unproved(statistic: Statistic, found: tuple[float, float]) -> bool:
    metric: Any = statistic.metric
    return metric.bracket is None or found == metric.range_of(**statistic.params)
