"""Find the model that leads in each subgroup, and test whether its lead is significant."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallymark.display import plain_data
from tallymark.infer.difference import Difference, difference
from tallymark.infer.each_subgroup import each_subgroup
from tallymark.infer.intervals import Inference
from tallymark.infer.multiplicity import holm
from tallymark.infer.paired import Paired
from tallymark.infer.verdict import shows_lead
from tallymark.metric import get


@dataclass(frozen=True, slots=True)
class Leader:
    """The best model of a subgroup, by the values of ``columns``.

    ``difference`` is its lead over the ``second`` model. ``p_value`` is the largest of the
    p-values against all other models, adjusted for the number of subgroups (Holm). ``shown`` is
    whether it leads every other model significantly.
    """

    columns: tuple[str, ...]
    subgroup: Any
    rows: int
    model: str
    second: str
    difference: Difference
    p_value: float
    shown: bool

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        d = self.difference
        lead = {"metric": d.metric, "lead": d.value, "low": d.low, "high": d.high}
        values = self.subgroup if isinstance(self.subgroup, tuple) else (self.subgroup,)
        fields = {
            "subgroup": dict(zip(self.columns, values, strict=True)),
            "rows": self.rows,
            "model": self.model,
            "second": self.second,
            **lead,
            "p_value": self.p_value,
            "shown": self.shown,
        }
        return {name: plain_data(value) for name, value in fields.items()}


def leaders(rows: Inference, columns: Sequence[str], metric: str) -> tuple[Leader, ...]:
    """Return the leader of each subgroup by a metric; empty without paired rows.

    A subgroup has no leader if the metric is undefined for a model.
    """
    m, leads = get(metric), []
    sign = -1.0 if m.better == "low" else 1.0
    for key, part in each_subgroup(rows.one_column, columns).items():
        if part.joint is None or len(part.models) < 2:
            return ()
        of_part = Inference(part, rows.level, rows.seed, rows.stratified)
        values = {model.name: of_part.of_metrics(model, [m]) for model in part.models}
        if any(m.name not in v or v[m.name].reason for v in values.values()):
            continue
        first, *others = sorted(values, key=lambda n: -sign * values[n][m.name].value)
        options: dict[str, Any] = {"level": rows.level, "seed": rows.seed}
        paired = Paired(part, values, stratified=rows.stratified, **options)
        gaps = difference(paired.statistic(m), paired, [(first, other) for other in others])
        p = max(1.0 if math.isnan(d.p_value) else d.p_value for d in gaps)
        leader = Leader(tuple(columns), key, part.rows, first, others[0], gaps.each[0], p, False)
        leads.append((leader, gaps))
    corrected = holm(np.array([alone.p_value for alone, _ in leads])).tolist()
    return tuple(
        replace(leader, p_value=p, shown=all(shows_lead(d, m, p, rows.level) for d in gaps))
        for (leader, gaps), p in zip(leads, corrected, strict=True)
    )
