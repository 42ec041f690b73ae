"""Everything as plain data for JSON."""

from __future__ import annotations

from typing import Any

from tallymark.curve import CURVES, Curve
from tallymark.data import Model
from tallymark.infer.by_subgroup import Subgroups
from tallymark.infer.cautions import PER_CLASS
from tallymark.infer.majority import NoInformation
from tallymark.metric.measure import json_number
from tallymark.report.evaluation import Evaluation
from tallymark.report.subgroups import MOST_ON_PAGE, of_models

FORMAT = "tallymark/evaluation"
FORMAT_VERSION = 1


def to_dict(ev: Evaluation) -> dict[str, Any]:
    """Return everything as plain data for JSON, with its format and version."""
    from importlib.metadata import version  # slow to import, and seldom needed

    nothing, compared = ev.no_information(), ev.compared
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "tallymark": version("tallymark"),
        "source": ev.source,
        "rows": ev.rows,
        "dropped": ev.dropped,
        "classes": list(ev.classes),
        "positive": ev.positive,
        "weighted": ev.weighted,
        "level": ev.level,
        "seed": ev.seed,
        "no_information": {"label": nothing.label, "rate": json_number(nothing.rate)},
        "notes": [
            {"code": n.code, "kind": n.kind, "text": n.text, "model": n.model} for n in ev.notes
        ],
        "advice": ev.advise().to_dict(),
        "comparison": None if compared is None else compared.to_dict(),
        "models": [_model(ev, m, nothing) for m in ev.models],
        "subgroups": _subgroups(ev),
    }


def _subgroups(ev: Evaluation) -> list[dict[str, Any]] | None:
    """Return every model's parts of the rows, the worst first; None where rows have none."""
    found = of_models(ev)
    return [s.to_dict([s.decisive(), *_beside(s)], most=MOST_ON_PAGE) for s in found] or None


def _beside(subgroups: Subgroups) -> list[str]:
    return [m for m in subgroups.metrics() if m != subgroups.decisive() and subgroups.quick(m)]


def _model(ev: Evaluation, m: Model, nothing: NoInformation) -> dict[str, Any]:
    prefix = f"{m.name}: "
    p_value = nothing.p_values[m.name]
    out: dict[str, Any] = {
        "name": m.name,
        "rule": m.rule,
        "threshold": None if m.threshold is None else json_number(m.threshold),
        "probabilities": m.probabilities,
        "accuracy_above_no_information_p_value": p_value,
        "tally": m.labels.to_dict(),
        "values": {k: v.to_dict() for k, v in ev.values()[m.name].items()},
        "curves": {
            key.removeprefix(prefix) if not ev.binary else "": {
                n: _curve(c) for n, c in found.items() if CURVES[n].json
            }
            for key, found in ev.curves().items()
            if key == m.name or (not ev.binary and key.startswith(prefix))
        },
    }
    if ev.binary:
        out["curves"] = out["curves"].get("", {})
    else:
        out["per_class"] = [
            {"class": label, "values": {k: v.to_dict() for k, v in found.items()}}
            for label, found in ev.per_class(PER_CLASS)[m.name].items()
        ]
    return out


def _curve(c: Curve) -> dict[str, Any]:
    return {
        "x_metric": c.x_metric,
        "y_metric": c.y_metric,
        "x": _numbers(c.x),
        "y": _numbers(c.y),
        "threshold": None if c.threshold is None else _numbers(c.threshold),
        "low": None if c.low is None else _numbers(c.low),
        "high": None if c.high is None else _numbers(c.high),
        "step": c.step,
        "thinning_error": c.error,
    }


def _numbers(values: Any) -> list[float | str | None]:
    return [json_number(float(v)) for v in values]
