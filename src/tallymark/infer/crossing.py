"""Where two ROC curves cross, whether that is more than chance, and how sure each of them is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallymark.display import Display
from tallymark.infer.bands import sensitivity_at
from tallymark.infer.paired import Paired
from tallymark.tally.arrays import Floats

DRAWS = 400
_GRID = np.linspace(0, 1, 201)
VISIBLE = 0.01
"""A lead of less than this in the true positive rate is none that anybody could see."""


MOST_BANDS = 3
"""Bands of more models lie over each other and tell nothing."""

_BAND = np.unique((200 * np.linspace(0, 1, 33) ** 2).round().astype(int))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Band(Display):
    """Pointwise intervals (n,) of a ROC curve's true positive rate at false positive rates."""

    fpr: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True, repr=False)
class Crossing(Display):
    """Two ROC curves that cross.

    ``places`` are the false positive rates at which the lead changes; ``leads`` the greatest lead
    of the first and of the second model in the true positive rate, at ``at`` their false positive
    rates. ``shown`` says whether both leads are beyond chance: outside the pointwise interval of
    the difference. ``below`` names the model that leads below the first place.
    """

    first: str
    second: str
    places: tuple[float, ...]
    leads: tuple[float, float]
    at: tuple[float, float]
    below: str
    shown: bool

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "places": list(self.places),
            "leads": list(self.leads),
            "at": list(self.at),
            "below": self.below,
            "shown": self.shown,
        }


def crossing(paired: Paired, first: str, second: str) -> Crossing | None:
    """Return where the ROC curves of two models cross; None where one is never visibly ahead.

    The curves are compared at 201 false positive rates, between points along straight lines; the
    spread of the gap comes from resamples in which both have the same rows.
    """
    if not all(len(paired.model(n).scores) == 1 for n in (first, second)):
        return None
    once = [sensitivity_at(paired.model(n).scores[0].score_counts, _GRID) for n in (first, second)]
    gap = (once[0] - once[1])[0]
    ahead = (gap >= VISIBLE, gap <= -VISIBLE)
    if not (ahead[0].any() and ahead[1].any()):
        return None
    signs = np.where(ahead[0], 1, np.where(ahead[1], -1, 0))
    told = np.flatnonzero(signs)
    turns = np.flatnonzero(np.diff(signs[told]))
    places = []
    for t in turns:
        left, right = told[t], told[t + 1]
        # The lead changes within a step of the grid: along a straight line.
        k = left + int(np.argmax(gap[left:right] * gap[left + 1 : right + 1] <= 0))
        share = gap[k] / (gap[k] - gap[k + 1]) if gap[k] != gap[k + 1] else 0.0
        places.append(float(_GRID[k] + share * (_GRID[k + 1] - _GRID[k])))
    drawn = [sensitivity_at(r, _GRID) for r in paired.drawn_rankings(first, second, DRAWS)]
    error = (drawn[0] - drawn[1]).std(0)
    beyond = np.abs(gap) > paired.z * error
    best = (int(np.argmax(gap)), int(np.argmin(gap)))
    return Crossing(
        first,
        second,
        tuple(places),
        (float(gap[best[0]]), float(-gap[best[1]])),
        (float(_GRID[best[0]]), float(_GRID[best[1]])),
        first if signs[told[0]] > 0 else second,
        bool((beyond & ahead[0]).any() and (beyond & ahead[1]).any()),
    )


def bands(paired: Paired) -> dict[str, Band]:
    """Return the pointwise intervals of each ROC curve, for up to three models with scores.

    Percentiles over resamples of the rows in common, at each false positive rate by itself; they
    hold the curve as it is.
    """
    scored = [m for m in paired.counted.models if len(m.scores) == 1]
    out: dict[str, Band] = {}
    if paired.counted.positive is None or not 1 < len(scored) <= MOST_BANDS:
        return out
    tail = (1 - paired.level) / 2
    for m in scored:
        whole = m.scores[0].score_counts
        if not (whole.positives > 0 and whole.negatives > 0):
            continue
        drawn = sensitivity_at(paired.drawn_rankings(m.name, m.name, DRAWS)[0], _GRID[_BAND])
        exact = sensitivity_at(whole, _GRID[_BAND])[0]
        # Where few rows are of a class some draws hold none of it.
        low, high = np.nanquantile(drawn, (tail, 1 - tail), axis=0)
        out[m.name] = Band(_GRID[_BAND], np.minimum(low, exact), np.maximum(high, exact))
    return out
