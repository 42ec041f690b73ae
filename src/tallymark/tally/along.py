"""Sums along a long ranking by kernels: what many metrics ask for, in one pass over its groups.

Each is what a part of a metric gives when it is walked stretch by stretch: see
:func:`tallymark.tally.walk.by_kernel`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tallymark import _kernels
from tallymark.tally.arrays import Floats

if TYPE_CHECKING:
    from tallymark.tally.ranking import Ranking

RANKS = ("lower", "tied", "steps", "trapezoids", "mixtures", "gains", "kappa")
TRUTHS = (
    "squared", "absolute", "surprise_pos", "surprise_neg", "beyond", "promised", "nats_pos",
    "nats_neg",
)  # fmt: skip
_RANK, _TRUTH = ({name: i for i, name in enumerate(names)} for names in (RANKS, TRUTHS))


def _arrays(r: Ranking) -> tuple[Floats, Floats, Floats]:
    if r.whole:  # as the kernel wrote them
        return r.scores, r.pos, r.neg
    scores, pos, neg = (np.ascontiguousarray(v, np.float64) for v in (r.scores, r.pos, r.neg))
    return scores, pos, neg


def _ranks(r: Ranking) -> tuple[float, ...]:
    _, pos, neg = _arrays(r)
    tp, fp = (np.ascontiguousarray(v, np.float64) for v in r.from_top())
    return tuple(_kernels.add_ranks(pos, neg, tp, fp, float(r.positives), float(r.negatives)))


def rank_sum(r: Ranking, name: str) -> float:
    """Return a sum of :data:`RANKS`."""
    return r.kept(_ranks)[_RANK[name]]


def _log(odds: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.log(odds))


def _truths(r: Ranking, prior: float | None) -> tuple[float, ...]:
    odds = r.positives / r.negatives if prior is None else prior / (1 - prior)
    log_odds = math.log(odds) if 0 < odds < math.inf else _log(odds)
    return tuple(_kernels.add_truths(*_arrays(r), log_odds))


def truth_sum(r: Ranking, name: str, prior: float | None = None) -> float:
    """Return a sum of :data:`TRUTHS`, at the prior of likelihood ratios."""
    return r.kept(_truths, prior=prior)[_TRUTH[name]]


def score_sums(r: Ranking, unit: float, low: float, high: float) -> Floats:
    """Return the sums of scores scaled from low..high to 0..1: of positives and of others."""
    return np.array(_kernels.add_scores(*_arrays(r), unit, low, high))


def square_sums(
    r: Ranking, unit: float, low: float, high: float, mean1: float, mean0: float
) -> Floats:
    """Return the sums of squared distances of scaled scores from a mean of each class."""
    return np.array(_kernels.add_squares(*_arrays(r), unit, low, high, mean1, mean0))


def excess_sums(r: Ranking, widest: float) -> Floats:
    """Return Spiegelhalter's excess and variance, in units of the widest spread."""
    return np.array(_kernels.add_excess(*_arrays(r), float(r.total), widest))


def bend_sums(r: Ranking, lines: Floats, most: float = math.inf) -> Floats:
    """Return slope and curvature of the likelihood of two lines (2, 2) of log odds: (2, 5)."""
    found = _kernels.add_bends(*_arrays(r), most, np.ascontiguousarray(lines).ravel())
    return np.array(found).reshape(2, 5)


def bin_sums(r: Ranking, starts: Floats) -> Floats:
    """Return rows, positives beyond those promised, positives, those promised and the rest: (5, m).

    ``starts`` (m + 1): where each bin of neighbouring groups starts, and the last one ends.
    """
    out = np.empty((5, len(starts) - 1))
    _kernels.add_bins(*_arrays(r), np.ascontiguousarray(starts, np.int64), out)
    return out
