"""The four counts that metrics are computed from, under the names that everybody gives them.

They are no metrics, so no list of metrics holds them; but they are found by their names wherever a
metric is asked for by its name, as a user's own statistics are.
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
    made = Metric(
        name=name,
        title=function.__name__.replace("_", " ").capitalize(),
        _function=function,
        undefined={},
        words=Words(name, function.__doc__),
        range=(0, math.inf),
        better=better,
        _listed=False,
    )
    keep_own(made)
    return made


CELLS = (
    _declared("TP", true_positives, "high"),
    _declared("FP", false_positives, "low"),
    _declared("FN", false_negatives, "low"),
    _declared("TN", true_negatives, "high"),
)
"""The four counts of one class against the rest."""
