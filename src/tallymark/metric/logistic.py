"""Truth against the log odds of probabilities: a line through them, by greatest likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallymark.tally.reductions import all_ends, clipped, ends, fitted
from tallymark.tally.score_counts import ScoreCounts


def _log_odds_at(r: ScoreCounts, place: Any, none: float, clip: float) -> Any:
    """Return the log odds of the score at a place, or what stands for none."""
    p = r.scores[place] if len(r.scores) else np.full(np.shape(place), 0.5)
    with np.errstate(all="ignore"):
        return np.where(place < 0, none, clipped(np.log(p) - np.log1p(-p), clip))


def separated(r: ScoreCounts, clip: float) -> Any:
    """Return 1 where every positive scores at least as high as every negative, -1 the reverse."""
    (low1, high1), (low0, high0) = (
        (_log_odds_at(r, low, np.inf, clip), _log_odds_at(r, high, -np.inf, clip))
        for low, high in ends(r)
    )
    return np.where(low1 >= high0, 1, np.where(low0 >= high1, -1, 0))


def same_probability(r: ScoreCounts, clip: float) -> Any:
    """Return whether all rows have the same probability."""
    low, high = all_ends(r)
    return _log_odds_at(r, low, np.inf, clip) == _log_odds_at(r, high, -np.inf, clip)


def intercept(r: ScoreCounts, clip: float) -> Any:
    """Return a of logit(positive) ~ a + x, x the log odds."""
    return fitted(r, clip, sloped=False)[..., 0]


def line(r: ScoreCounts, clip: float) -> tuple[Any, Any]:
    """Return a, b of logit(positive) ~ a + b·x."""
    found = fitted(r, clip, sloped=True)
    return found[..., 0], found[..., 1]
