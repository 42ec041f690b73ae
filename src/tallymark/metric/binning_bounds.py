"""Bounds of a metric whose scores were counted in bins.

``worst`` and ``best`` are the two arrangements of the rows within their bins that
:meth:`ScoreTally.ends` returns.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tallymark.metric.measure import Statistic, Value
from tallymark.tally.arrays import Floats
from tallymark.tally.scores import ScoreCounts, ScoreTally

UNPROVED = (
    "the scores were counted in bins, and how far that moves this number is not proved; more "
    "memory or a smaller tolerance makes the bins narrower"
)


def binning_bounds(
    statistic: Statistic, tallies: Sequence[ScoreTally]
) -> tuple[float, float] | None:
    """Return the least and the most that the value of the rows themselves can be.

    None where every score is known. Most metrics never fall (or never rise) when a positive's score
    rises or another's falls: the worst and the best arrangement of the rows within their bins then
    bound them. A metric for which that is not so declares its own (``Metric.binning_bounds``), or
    else has those of its range, which is all that is proved of it.

    >>> from tallymark.metric import get
    >>> from tallymark.tally.bins import Bins
    >>> t = ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    >>> binned = t.binned(Bins([0, 0.5, 1], per=1))
    >>> binning_bounds(Statistic.of(get("roc_auc"), (0, 1), 1), [binned])
    (0.5, 1.0)
    """
    asked = statistic.asked_for(tallies)
    if not any(t.highs is not None and bool((t.highs > t.scores).any()) for t in asked):
        return None
    metric = statistic.metric
    sides = [tuple(t.ends()[i] for t in tallies) for i in (0, 1)]
    low, high = metric.range_of(**statistic.params)
    if metric.binning_bounds == "ends":
        result = [float(statistic.measure(side)) for side in sides]
    elif callable(metric.binning_bounds) and statistic.average == "binary":
        worst, best = (statistic.asked_for(side)[0].score_counts for side in sides)
        with np.errstate(all="ignore"):
            params = {**metric.params, **statistic.params}
            result = [float(x) for x in metric.binning_bounds(worst, best, **params)]
    else:
        return low, high
    if any(math.isnan(x) for x in result):
        return low, high
    return max(min(result), low), min(max(result), high)


def with_binning_bounds(value: Value, statistic: Statistic, tallies: Sequence[ScoreTally]) -> Value:
    """Return a value with its binning bounds, by which its interval is made wider."""
    result = binning_bounds(statistic, tallies)
    if result is None or math.isnan(value.value):
        return value
    low, high = min(result[0], value.value), max(result[1], value.value)
    metric = statistic.metric
    if metric.binning_bounds is None or (low, high) == metric.range_of(**statistic.params):
        message = UNPROVED if value.warning is None else f"{value.warning}; {UNPROVED}"
        return replace(value, binning_bounds=(low, high), warning=message)
    return replace(
        value,
        binning_bounds=(low, high),
        low=value.low - (value.value - low),
        high=value.high + (high - value.value),
    )


# -- pieces of metrics' own bounds --------------------------------------------------------------


def spans(worst: ScoreCounts, best: ScoreCounts) -> tuple[tuple[Floats, Floats, Floats], ...]:
    """Return rows, lowest and highest score of the bins of the positive class, and of the others.

    Both are those of a tally's ends; they hold a class's rows in the same order.
    """
    pos = worst.pos > 0, best.pos > 0
    neg = worst.neg > 0, best.neg > 0
    return (
        (worst.pos[pos[0]], worst.scores[pos[0]], best.scores[pos[1]]),
        (worst.neg[neg[0]], best.scores[neg[1]], worst.scores[neg[0]]),
    )


def expected(worst: ScoreCounts, best: ScoreCounts) -> tuple[Any, Any]:
    """Return the most and the least positives that the probabilities may promise."""
    parts = spans(worst, best)
    return sum((rows * high).sum() for rows, _, high in parts), sum(
        (rows * low).sum() for rows, low, _ in parts
    )


def calibration_error(
    value: Any,
    worst: ScoreCounts,
    best: ScoreCounts,
    *,
    bins: int,
    strategy: str,
    norm: str,
    debiased: bool,
) -> tuple[Any, Any]:
    """Bound a calibration error by its value of the worst: each row moves it by its share.

    Where a tally's bin lies across an edge its rows may change sides, which moves the mean of
    distances by twice their share; other norms, and bins of equal mass, have no bound here.
    """
    parts = spans(worst, best)
    rows, low, high = (np.concatenate(v) for v in zip(*parts, strict=True))
    share, width = rows / rows.sum(), high - low
    edges = np.arange(bins + 1) / bins
    place = [np.clip(np.searchsorted(edges, x, side="right"), 1, bins) for x in (low, high)]
    across = float(share[place[0] != place[1]].sum())
    if strategy != "width" or debiased or (norm != "l1" and across):
        return math.nan, math.nan
    far = {"l1": (share * width).sum(), "l2": np.sqrt((share * width**2).sum()), "max": width.max()}
    most = far[norm] + 2 * across
    return value - most, value + most
