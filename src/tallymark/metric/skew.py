"""Whether a metric moves when one class becomes rarer: measured from the function, not declared."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.tally.columns import class_tallies
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
# Rows of three classes, for metrics of whole rows: the first class becomes more frequent.
_CLASSES = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
_ROWS = (
    np.array(
        [
            [7, 2, 1],
            [3, 5, 2],
            [4, 2, 4],
            [2, 6, 2],
            [5, 3, 2],
            [1, 4, 5],
            [2, 2, 6],
            [6, 3, 1],
            [1, 5, 4],
        ]
    )
    / 10
)


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
    if metric.needs in ("rows", "class_scores"):
        weights = np.where(_CLASSES == 0, FACTOR if neg is not _NEG else 1.0, 1.0)
        if metric.needs == "rows":
            return Sums.of_rows(_CLASSES, _ROWS, weights)
        return class_tallies(_CLASSES, _ROWS, sample_weight=weights)
    tally = ScoreTally((0, 1), 1, _SCORES, np.stack([neg, _POS], 1))
    ranking: Ranking = tally.ranking()
    return (ranking,) if metric.needs == "probabilities" else ranking
