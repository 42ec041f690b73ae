"""What a metric reads of a few rows, straight from the kernels: no tally is made on the way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tallymark.metric.registry import Metric
from tallymark.tally.arrays import Label, is_one
from tallymark.tally.labels import OneMatrix, count_few
from tallymark.tally.score_counts import rank_few
from tallymark.tally.scores import ScoreTally
from tallymark.tally.sums import Sums

_PAIRS = ((0, 1), (-1, 1))
"""Two classes of which 1 is unmistakably positive; booleans equal the first."""


def number(metric: Metric, view: Any, params: Mapping[str, Any]) -> float:
    """Return the metric of what :func:`view` gave, NaN where it is undefined."""
    if metric.needs == "counts" or (metric.needs == "matrix" and len(view) > 1):
        return metric.raw(view, **params)
    return metric.single(view, **params)


def shortest(metric: Metric, y_true: Any, y_pred: Any) -> float | None:
    """Return the metric of a few rows with no options asked for, None where that takes more."""
    found = view(metric, y_true, y_pred, None)
    return None if found is None else number(metric, found, {})


def view(metric: Metric, y_true: Any, y_pred: Any, positive: Label | None) -> Any:
    """Return the matrix or ranking that a metric reads of two arrays, or None.

    None wherever the ordinary way would do anything but count a few rows of two known classes, or
    of any for a metric of the whole matrix: refuse, average, ask which class is positive.

    >>> from tallymark.metric import get
    >>> view(get("f1"), np.array([0, 1, 1]), np.array([0, 1, 0]), None).fn
    np.float64(1.0)
    """
    if metric.classes == "many":
        if metric.family == "rank" and metric.needs == "rows" and positive is None:
            return Sums.hits_of_few(y_true, y_pred)
        return None
    if positive is not None and not is_one(positive):
        return None
    needs = metric.needs
    if needs in ("counts", "matrix"):
        counted = count_few(y_true, y_pred)
        if counted is None:
            return None
        labels, cells = counted
        if labels in _PAIRS and needs == "counts":
            tn, fp, fn, tp = cells
            return OneMatrix(tp, fp, fn, tn)
        if needs == "counts" or positive is not None:
            return None
        return np.array(cells).reshape(len(labels), len(labels))
    ranked = rank_few(y_true, y_pred)
    if ranked is None:
        return None
    ranking = ranked[1]
    if metric.family == "probability" and not (ranking.scores[0] >= 0 and ranking.scores[-1] <= 1):
        return None
    if needs in ("ranking", "probability"):
        return ranking
    if needs == "probabilities":
        return (ranking,)
    tallies = (ScoreTally.of_few(*ranked, len(y_true)),)
    return tallies if needs == "class_scores" else Sums.of_scores(tallies)
