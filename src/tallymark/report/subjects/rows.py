"""Forest plots of one metric for several models, subgroups or studies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallymark.errors import InputError
from tallymark.infer.by_subgroup import Subgroups
from tallymark.metric import Metric, get
from tallymark.metric.measure import Value
from tallymark.report import words
from tallymark.report.drawing import Axis, Forest, Span, brief
from tallymark.report.evaluation import Evaluation, studies_of
from tallymark.report.subjects.curves import with_interval


def forest(what: Any, name: str | Metric | None) -> Forest:
    """Return one row per value, with the value of guessing as the line."""
    if isinstance(what, Evaluation | Subgroups):
        if name is None:
            raise InputError("forest needs to know which metric; say forest(ev, 'mcc')")
        values = _values(what, get(name))
    elif isinstance(what, Mapping) and what and all(isinstance(v, Value) for v in what.values()):
        values = dict(what)
    else:
        raise InputError(
            "forest takes an Evaluation, the subgroups of one, or a dictionary of values by name"
        )
    metric = get(next(iter(values.values())).metric)
    rows = [
        Span(
            brief(n),
            v.value,
            v.low,
            v.high,
            missing=v.reason or "",
            text=with_interval("", v).strip(),
        )
        for n, v in values.items()
    ]
    chance = metric.chance if isinstance(metric.chance, float) else None
    return Forest(Axis(metric.title), rows, chance)


def _values(what: Evaluation | Subgroups, metric: Metric) -> dict[str, Value]:
    """Return a metric of every model, or of every subgroup and the mean over studies."""
    if isinstance(what, Evaluation):
        return {m: ev.value(metric) for m in what.names for ev in [what.model(m)]}
    names = (", ".join(map(words.subgroup, key)) for key in what._subgroup_counts.keys)
    of_each = what.values(metric).values()
    values = {name: of[metric.name] for name, of in zip(names, of_each, strict=True)}
    for h in studies_of(what):
        values |= {"mean over studies": h.mean} if h.metric == metric.name else {}
    return values
