"""The four cells of a 2x2 confusion matrix, under their usual names.

They are not metrics and not in METRICS, but like user-defined statistics they can be requested by
name wherever a metric can.
"""

from __future__ import annotations

import math
from typing import Any, Literal

from tallymark.metric.registry import Metric, Words, keep_own


def true_positives(counts: Any) -> Any:
    """Rows of the class that are called so."""
    return counts.tp


def false_positives(counts: Any) -> Any:
    """Rows of other classes that are called so."""
    return counts.fp


def false_negatives(counts: Any) -> Any:
    """Rows of the class that are called otherwise."""
    return counts.fn


def true_negatives(counts: Any) -> Any:
    """Rows of other classes that are called otherwise."""
    return counts.tn


def _declared(name: str, function: Any, better: Literal["high", "low"]) -> Metric:
    metric = Metric(
        name=name,
        title=function.__name__.replace("_", " ").capitalize(),
        _function=function,
        undefined={},
        words=Words(name, function.__doc__),
        range=(0, math.inf),
        better=better,
        _listed=False,
    )
    keep_own(metric)
    return metric


CELLS = (
    _declared("TP", true_positives, "high"),
    _declared("FP", false_positives, "low"),
    _declared("FN", false_negatives, "low"),
    _declared("TN", true_negatives, "high"),
)
"""The four counts of one class against the rest, as statistics."""
