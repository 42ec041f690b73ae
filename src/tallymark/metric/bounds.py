"""What is known of scores that were counted in bins: pieces of metrics' own brackets.

``worst`` and ``best`` are the two arrangements of the rows within their bins that
:meth:`ScoreTally.ends` returns.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tallymark.tally.arrays import Floats
from tallymark.tally.scores import ScoreCounts


def spans(worst: ScoreCounts, best: ScoreCounts) -> tuple[tuple[Floats, Floats, Floats], ...]:
    """Return rows, lowest and highest score of the bins of the positive class, and of the others.

    Both Rankings are those of a tally's ends; they hold a class's rows in the same order.
    """
    own = worst.pos > 0, best.pos > 0
    rest = worst.neg > 0, best.neg > 0
    return (
        (worst.pos[own[0]], worst.scores[own[0]], best.scores[own[1]]),
        (worst.neg[rest[0]], best.scores[rest[1]], worst.scores[rest[0]]),
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
    reach = far[norm] + 2 * across
    return value - reach, value + reach
