"""Whether a metric moves when one class becomes rarer: measured from the function, not declared."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.tally.labels import Counts
from tallymark.tally.scores import Ranking, ScoreTally
from tallymark.tally.sums import Sums

if TYPE_CHECKING:
    from tallymark.metric.registry import Metric

FACTOR = 7.0
"""Negatives are made so many times more frequent, the classifier staying as it is."""

_DECISIONS = (Counts(70, 23, 31, 410), Counts(9, 2, 17, 5))
_SCORES = np.array([0.03, 0.11, 0.2, 0.36, 0.41, 0.58, 0.64, 0.77, 0.9, 0.97])
_POS = np.array([1, 2, 0, 4, 3, 9, 0, 14, 11, 20.0])
_NEG = np.array([42, 30, 17, 9, 11, 6, 5, 1, 2, 1.0])


@cache
def moves_with_prevalence(metric: Metric) -> bool:
    """Tell whether the value changes when the negatives are multiplied, both rates being kept.

    >>> from tallymark.metric import get
    >>> moves_with_prevalence(get("precision")), moves_with_prevalence(get("roc_auc"))
    (True, False)
    """
    if metric.needs in ("counts", "matrix"):
        pairs = [(_decisions(metric, c), _decisions(metric, c.scale_negatives(FACTOR)))
                 for c in _DECISIONS]  # fmt: skip
    else:
        pairs = [(_scores(metric, _NEG), _scores(metric, FACTOR * _NEG))]
    return any(
        not np.allclose(metric.compute(a), metric.compute(b), rtol=1e-9, equal_nan=True)
        for a, b in pairs
    )


def _decisions(metric: Metric, c: Counts) -> Any:
    return c if metric.needs == "counts" else c.matrix()


def _scores(metric: Metric, neg: Any) -> Any:
    tally = ScoreTally((0, 1), 1, _SCORES, np.stack([neg, _POS], 1))
    if metric.needs == "rows":
        return Sums.of_scores((_opposite(tally), tally))
    if metric.needs == "class_scores":
        return (_opposite(tally), tally)
    ranking: Ranking = tally.ranking()
    return (ranking,) if metric.needs == "probabilities" else ranking


def _opposite(tally: ScoreTally) -> ScoreTally:
    return ScoreTally(tally.labels, 0, 1 - tally.scores[::-1], tally.counts[::-1])
