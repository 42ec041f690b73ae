"""Truth against the log odds of probabilities: a line through them, by greatest likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallymark.metric.registry import choose
from tallymark.tally.along import clipped, fitted
from tallymark.tally.scores import ScoreCounts


def _ends(r: ScoreCounts, places: tuple[Any, Any], clip: float) -> tuple[Any, Any]:
    """Return the least and the greatest log odds, at the first and the last place with rows."""
    found = []
    for place, none in zip(places, (np.inf, -np.inf), strict=True):
        if r.few:
            found.append(none if place < 0 else clipped(r.log_odds[place], clip))
            continue
        p = r.scores[place] if len(r.scores) else np.full(place.shape, 0.5)
        x = clipped(np.log(p) - np.log1p(-p), clip)
        found.append(np.where(place < 0, none, x))
    return found[0], found[1]


def separated(r: ScoreCounts, clip: float) -> Any:
    """Return 1 where every positive scores at least as high as every negative, -1 the reverse."""
    (low1, high1), (low0, high0) = (_ends(r, v, clip) for v in r.class_ends)
    return choose(low1 >= high0, 1, choose(low0 >= high1, -1, 0))


def same_probability(r: ScoreCounts, clip: float) -> Any:
    """Return whether all rows have the same probability."""
    low, high = _ends(r, r.ends, clip)
    return low == high


def intercept(r: ScoreCounts, clip: float) -> Any:
    """Return a of logit(positive) ~ a + x, x the log odds."""
    return fitted(r, clip, sloped=False)[..., 0]


def line(r: ScoreCounts, clip: float) -> tuple[Any, Any]:
    """Return a, b of logit(positive) ~ a + b·x."""
    found = fitted(r, clip, sloped=True)
    return found[..., 0], found[..., 1]
