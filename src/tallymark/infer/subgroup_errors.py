"""Whether the errors of decisions fall on some subgroups more than on the rest of the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tallymark.infer.by_subgroup import Subgroups
from tallymark.metric.measure import Value
from tallymark.reading.models import CountedRows, Model, at_threshold

RATES = ("sensitivity", "specificity")
"""The rates whose shortfall is an error rate: of missed positives, and of false alarms."""


@dataclass(frozen=True, slots=True)
class SubgroupErrors:
    """A subgroup in which one rate of the decisions is lower than in the rest of the rows.

    ``threshold`` is that of the decisions, None if they were given. ``subgroup`` are the values of
    ``columns``; ``rows`` are those of the subgroup that the rate counts, ``rest`` is the rate of
    the other rows. ``p_value`` is corrected for ``comparisons``: every subgroup, both rates and
    every threshold.
    """

    threshold: float | None
    metric: str
    columns: tuple[str, ...]
    subgroup: tuple[str, ...]
    rows: float
    value: Value
    rest: float
    p_value: float
    comparisons: int


def subgroup_errors(
    counted: CountedRows,
    model: Model,
    thresholds: Sequence[float] = (),
    *,
    level: float = 0.95,
    seed: int = 0,
) -> list[SubgroupErrors]:
    """Return the subgroups with significantly higher error rates, the largest difference first.

    The decisions are those of the model, and those at ``thresholds``. Holm's method corrects for
    the subgroups, and the number of rates and thresholds multiplies the result (Bonferroni).
    Subgroups of few rows are not tested.
    """
    of = counted.subgroup_counts
    columns = [] if of is None else [c for c in of.columns if c != counted.source._fold]
    if not columns:
        return []
    models = [model, *(at_threshold(model, t) for t in thresholds)]
    families = len(RATES) * len(models)
    found: list[SubgroupErrors] = []
    for m in models:
        s = Subgroups._of(
            replace(counted, models=(m,)), m, columns, level=level, seed=seed, stratified=False
        )
        if len(s) > 1:
            found += _of_decisions(s, m.threshold, families)
    return sorted(found, key=lambda e: e.value.value - e.rest)


def _of_decisions(s: Subgroups, threshold: float | None, families: int) -> Iterator[SubgroupErrors]:
    for metric in RATES:
        differences, values = s.differences(metric), s.values([metric])
        tested = sum(not d.small for d in differences)
        for d in differences:
            p = min(1.0, families * d.corrected)
            if not d.small and d.difference.value < 0 and p < 1 - s.level:
                v = values[d.key][metric]
                rest = v.value - d.difference.value
                who, rows = _named(d.key), s._support(metric)[d.key]
                comparisons = families * tested
                yield SubgroupErrors(
                    threshold, metric, s.columns, who, rows, v, rest, p, comparisons
                )


def _named(key: Any) -> tuple[str, ...]:
    values = key if isinstance(key, tuple) else (key,)
    return tuple("(missing)" if v is None else str(v) for v in values)
