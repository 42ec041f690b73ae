"""Exports for papers and model cards: a table of results, and model-index metadata."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tallymark.errors import InputError
from tallymark.metric import get
from tallymark.metric.measure import Value
from tallymark.report import words
from tallymark.report.subjects.summary import headline, title_of
from tallymark.report.uses import account_of
from tallymark.tables import PaperTable

if TYPE_CHECKING:
    from tallymark.report.evaluation import Evaluation

COLUMNS = ("roc_auc", "sensitivity", "specificity", "precision", "f1", "brier")
"""Metrics of a paper's table for two classes, out of the headline metrics."""

TYPES = {
    "sensitivity": "recall",
    "matthews_corrcoef": "matthews_correlation",
    "brier": "brier_score",
}
"""Metrics with other names on Hugging Face."""


def paper_table(ev: Evaluation, metrics: Sequence[str] | None = None) -> PaperTable:
    """Return one row per model, with numbers rounded to two digits of their interval's width."""
    first = headline(ev)
    short = [n for n in COLUMNS if n in first] if ev.binary and not account_of(ev) else list(first)
    names = short if metrics is None else [get(m).name for m in metrics]
    values = ev.values()
    for name in names:
        if not any(name in of_model for of_model in values.values()):
            raise InputError(f"{name} cannot be computed from these predictions; leave it out")
    rows = []
    for m in ev._counted.models:
        size = {"Events / n": _events(ev, m)} if ev.binary else {"n": words.count(ev.rows)}
        of_model = values[m.name]
        cells = {title_of(ev, n): _cell(of_model.get(n)) for n in names}
        rows.append({"Model": m.name, **size, **cells})
    by_method = words.grouped(
        (v.method or "", title_of(ev, n))
        for n in names
        for of_model in values.values()
        if (v := of_model.get(n)) is not None and not math.isnan(v.low)
    )
    used = "; ".join(f"{how}: {', '.join(dict.fromkeys(of))}" for how, of in by_method.items())
    event = f" Events are rows of class '{words.text(str(ev.positive))}'." if ev.binary else ""
    rules = words.grouped((m.rule, m.name) for m in ev._counted.models)
    decided = "; ".join(f"{', '.join(of)}: {rule}" for rule, of in rules.items())
    caption = (
        f"Values with {100 * ev.level:g} % confidence intervals.{event} Decisions: {decided}. "
        f"Interval methods: {used}."
    )
    return PaperTable(tuple(rows), words.text(caption))


def _events(ev: Evaluation, model: Any) -> str:
    counts = model.labels.binary(ev.positive)
    return f"{words.count(float(counts.positives))} / {words.count(float(counts.total))}"


def _cell(v: Value | None) -> str:
    """Return a number with its bounds, rounded to two digits of the interval's width."""
    if v is None or math.isnan(v.value):
        return "–"
    bounds = words.interval(v)
    return f"{words.value(v)} ({bounds})" if bounds else words.value(v)


def model_index(
    ev: Evaluation, task: str, dataset: str | None, metrics: Sequence[str] | None
) -> str:
    """Return the metadata of a model card: YAML whose values are JSON."""
    names = headline(ev) if metrics is None else [get(m).name for m in metrics]
    name = words.text(ev.source.name) if dataset is None else dataset
    models = [
        {
            "name": words.text(model),
            "results": [
                {
                    "task": {"type": task},
                    "dataset": {"type": name, "name": name},
                    "metrics": [
                        {"type": TYPES.get(n, n), "value": v.value, "name": get(n).title} | _args(v)
                        for n in names
                        if (v := values.get(n)) is not None and math.isfinite(v.value)
                    ],
                }
            ],
        }
        for model, values in ev.values().items()
    ]
    return "\n".join(_yaml({"model-index": models})) + "\n"


def _args(v: Value) -> dict[str, Any]:
    facts = {"low": v.low, "high": v.high, "level": v.level, "interval": v.method}
    bounded = math.isfinite(v.low) and math.isfinite(v.high)
    return {"args": facts} if bounded else {}


def _yaml(value: Any, indent: str = "") -> Iterator[str]:
    """Yield lines of YAML: dictionaries and lists as blocks, numbers and texts as JSON."""
    pairs = value.items() if isinstance(value, dict) else (("-", item) for item in value)
    for key, item in pairs:
        head = f"{indent}{key}" if key == "-" else f"{indent}{key}:"
        if not isinstance(item, dict | list):
            yield f"{head} {_scalar(item)}"
        elif key == "-":
            first, *rest = _yaml(item, indent + "  ")
            yield from (f"{head} {first.strip()}", *rest)
        elif item:
            yield from (head, *_yaml(item, indent + ("  " if isinstance(item, dict) else "")))
        else:
            yield f"{head} {json.dumps(item)}"


def _scalar(value: Any) -> str:
    """Return a scalar as JSON that is also valid YAML 1.1: 1.0e-05, and escaped characters."""
    text = json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and "e" in text and "." not in text:
        return text.replace("e", ".0e")
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in text)
