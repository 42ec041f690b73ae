"""Metrics of the four counts of one class against the rest."""

from __future__ import annotations

from typing import Any

from tallymark.metric.registry import metric, ratio
from tallymark.tally.labels import Counts


@metric(
    title="Sensitivity",
    formula="TP / (TP + FN)",
    needs="counts",
    range=(0, 1),
    better="high",
    aliases=("TPR", "recall", "true positive rate", "hit rate", "probability of detection", "pd"),
    undefined={"no row is truly positive": lambda c: c.positives == 0},
    proportion=lambda c: (c.tp, c.positives),
    sources=("tharwat2018",),
)
def sensitivity(c: Counts) -> Any:
    """Share of the truly positive rows that were found.

    >>> import tallymark as tm
    >>> tm.metrics.sensitivity([1, 1, 1, 0], [1, 1, 0, 0])
    0.6666666666666666
    """
    return ratio(c.tp, c.positives)
