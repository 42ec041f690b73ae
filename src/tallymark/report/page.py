"""The page: one HTML file that holds everything, asks nobody for anything and explains itself."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from tallymark.data import Model
from tallymark.infer.cautions import PER_CLASS
from tallymark.infer.sweep import SWEPT, Sweep
from tallymark.metric import METRICS, get
from tallymark.metric.measure import Value
from tallymark.metric.registry import twice_named
from tallymark.metric.sources import authors, cite
from tallymark.output import write_text
from tallymark.report import charts, compared, subgroups, svg, words
from tallymark.report.evaluation import Evaluation
from tallymark.studies.advice import SECTIONS
from tallymark.studies.prevalence import IN_THE_FIELD, in_the_field
from tallymark.tally.arrays import Label
from tallymark.tally.labels import Counts, LabelTally
from tallymark.tally.scores import ScoreCounts

SWEEP_BUDGET = 210
CROWDED_BUDGET = 120
"""Slider steps of all models, of more than three fewer: what keeps the page small."""

WIDE_MATRIX = 12
WIDEST_MATRIX = 30
"""Classes above which a matrix is told by its shades, and above which it is not shown."""

FIELD_BUDGET = 82
"""Steps of the slider of the prevalence, of all models together."""

SHADES = 5
COUNTS = ("tp", "fp", "fn", "tn")


def write(ev: Evaluation, path: str | os.PathLike[str]) -> Path:
    """Write the page, whole or not at all."""
    return write_text(path, render(ev))


def render(ev: Evaluation) -> str:
    """Return the page as HTML text."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    assets = files("tallymark.report") / "assets"
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals.update(words=words)
    environment.filters["drawing"] = Markup
    template = environment.from_string((assets / "page.html.j2").read_text("utf-8"))
    groups = charts.groups(ev)
    drawn = {line.key for g in groups for line in g.lines}
    sweeps = {name: s for name, s in ev.sweep().items() if name in drawn}
    names = [words.text(n) for n in ev.names]
    field = _field(ev)
    html = template.render(
        ev=ev,
        about=words.about(ev),
        verdict=words.verdict(ev),
        style=Markup((assets / "style.css").read_text("utf-8")),
        script=Markup((assets / "script.js").read_text("utf-8")),
        data=Markup(_embedded(_slider_data(ev, sweeps) | {"field": field})),
        field=_field_panel(ev, field),
        names=names,
        glance=_glance(ev),
        compared=compared.section(ev),
        subgroups=subgroups.sections(ev),
        advice=_advice(ev),
        panel=_panel(ev, sweeps),
        choices=_choices(ev),
        matrices=[_matrix(m.name, m.rule, m.labels) for m in ev.models],
        groups=groups,
        undrawn=[] if ev.binary else [n for n in names if n not in {g.title for g in groups}],
        families=_families(ev),
        classes=_classes(ev),
        nothing=ev.no_information(),
        assumed=words.assumed(ev),
        how=_how(ev),
        warnings=[n.text for n in ev.notes if n.kind == "warning"],
        methods=_methods(ev),
        sources=[cite(k) for k in _cited(ev)],
        version=version("tallymark"),
    )
    return str(html)


def _embedded(data: Any) -> str:
    """Return JSON that cannot end the script element it stands in."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


# -- numbers -----------------------------------------------------------------------------------


def _cell(
    v: Value | None,
    best: bool = False,
    scale: tuple[float, float] | None = None,
    brief: bool = False,
) -> dict[str, Any]:
    from markupsafe import Markup

    if v is None:
        return {"text": "–", "bounds": "", "why": "not computed for this model", "best": False,
                "bar": ""}  # fmt: skip
    method = v.method or ""
    without = "" if not method.startswith("no interval") else "no interval" if brief else method
    bar = "" if scale is None else svg.bar(v.value, v.low, v.high, *scale)
    return {
        "text": words.number(v.value),
        "bounds": words.interval(v),
        "why": v.reason or without,
        "best": best,
        "bar": Markup(bar),
    }


def _row(ev: Evaluation, name: str, bar: bool = False) -> dict[str, Any]:
    m = get(name)
    found = [values.get(name) for values in ev.values().values()]
    known = [v for v in found if v is not None]
    best = words.best_of(known, m.better) if len(known) == len(found) else set()
    # One scale for the whole row, so that its intervals can be held against each other.
    ends = [x for v in known for x in (v.low, v.high) if math.isfinite(x)]
    scale = (min(ends), max(ends)) if bar and ends and len(found) > 1 else None
    return {
        "name": name,
        "title": words.metric_title(m.title, known[0]),
        "meaning": m.meaning,
        "formula": m.formula,
        "better": {"high": "higher is better", "low": "lower is better"}.get(m.better, ""),
        "chance": words.chance(m.chance),
        "cells": [_cell(v, i in best, scale) for i, v in enumerate(found)],
        "method": next((v.method for v in known if v.method), ""),
    }


def _advice(ev: Evaluation) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the advice section by section: sentences, and whose finding each rests on."""
    advice = ev.advise()
    return [
        (
            title,
            [
                (
                    words.text(s.text).replace(" %", "\u00a0%"),
                    "; ".join(authors(k) for k in s.sources),
                )
                for s in said
            ],
        )
        for name, title in SECTIONS.items()
        if (said := advice.section(name))
    ]


def _glance(ev: Evaluation) -> list[dict[str, Any]]:
    return [_row(ev, name, bar=True) for name in words.headline(ev)]


def _families(ev: Evaluation) -> list[dict[str, Any]]:
    repeated = twice_named()
    there = dict.fromkeys(
        name for values in ev.values().values() for name in values if name not in repeated
    )
    return [
        {
            "title": title,
            "question": words.FAMILY_QUESTIONS[family],
            "rows": [_row(ev, n) for n in there if METRICS[n].family == family],
        }
        for family, title in words.FAMILY_TITLES.items()
        if any(METRICS[n].family == family for n in there)
    ]


def _classes(ev: Evaluation) -> list[dict[str, Any]]:
    if ev.binary:
        return []
    out = []
    for model, found in ev.per_class(PER_CLASS).items():
        names = list(next(iter(found.values())))
        out.append(
            {
                "model": words.text(model),
                "heads": [get(n).title for n in names],
                "rows": [
                    (words.text(label), [_cell(values[n], brief=True) for n in names])
                    for label, values in found.items()
                ],
            }
        )
    return out


def _how(ev: Evaluation) -> list[str]:
    """Return by which method the intervals of the headline metrics were made."""
    titles: dict[str, dict[str, None]] = {}
    for name in words.headline(ev):
        for values in ev.values().values():
            method = values[name].method if name in values else None
            if method and not method.startswith("no interval"):
                titles.setdefault(method, {})[get(name).title] = None
    return [words.intervals_by(method, list(names)) for method, names in titles.items()]


def _methods(ev: Evaluation) -> list[str]:
    used = {v.method for values in ev.values().values() for v in values.values() if v.method}
    return sorted(m for m in used if not m.startswith("no interval"))


def _cited(ev: Evaluation) -> list[str]:
    keys = {k for values in ev.values().values() for n in values for k in METRICS[n].sources}
    keys |= {k for s in ev.advise().statements for k in s.sources}
    keys |= compared.cited(ev)
    return sorted(keys)


def _matrix(name: str, rule: str, tally: LabelTally) -> dict[str, Any]:
    totals = tally.counts.sum(1)
    rows = []
    for i, (label, counts) in enumerate(zip(tally.labels, tally.counts, strict=True)):
        total = float(totals[i])
        shares = [float(n) / total if total else 0.0 for n in counts]
        cells = [
            {
                "count": words.count(float(n)),
                "share": words.percent(share) if total else "",
                "style": ("g" if i == j else "b") + str(math.ceil(share * SHADES)) if n else "",
            }
            for j, (n, share) in enumerate(zip(counts, shares, strict=True))
        ]
        rows.append({"label": words.text(label), "cells": cells, "total": words.count(total)})
    return {
        "name": words.text(name),
        "rule": words.text(rule),
        "labels": [words.text(label) for label in tally.labels],
        "rows": rows,
        "wide": len(tally.labels) > WIDE_MATRIX,
        "shown": len(tally.labels) <= WIDEST_MATRIX,
    }


# -- the threshold slider ----------------------------------------------------------------------


def _panel(ev: Evaluation, sweeps: Mapping[str, Sweep]) -> dict[str, Any] | None:
    """Return what the slider's panel shows before it is moved: the first model as it decides."""
    model = next((m for m in ev.models if m.name in sweeps), None)
    if model is None:
        return None
    counts = model.labels.binary(ev.positive)
    values = ev.values()[model.name]
    # In the order of the other matrices.
    matrix = [
        (words.text(true), [_outcome(ev.positive, true, said, counts) for said in ev.classes])
        for true in ev.classes
    ]
    return {
        "model": words.text(model.name),
        "models": [words.text(n) for n in sweeps],
        "positive": words.text(ev.positive),  # type: ignore[arg-type]
        "labels": [words.text(c) for c in ev.classes],
        "matrix": matrix,
        "threshold": _own(model),
        "start": _start(model, sweeps[model.name]),
        "steps": len(sweeps[model.name].threshold),
        "rows": [(n, get(n).title, _cell(values[n])) for n in SWEPT],
    }


def _choices(ev: Evaluation) -> list[Sequence[str]]:
    """Return the thresholds worth knowing: model, goal, threshold, value here and on new rows."""
    rows: list[Sequence[str]] = []
    for model, found in ev.optimal_thresholds().items():
        for goal, choice in found.items():
            if math.isnan(choice.threshold):
                continue
            for c in (choice.best, *choice.limits):
                first = c is choice.best
                rows.append((
                    words.text(model) if first else "",
                    goal if first else "",
                    svg.short(choice.threshold) if first else "",
                    f"{get(c.metric).title} {words.number(c.value)}",
                    words.number(c.corrected),
                ))  # fmt: skip
    return rows


def _outcome(positive: Any, true: Label, said: Label, counts: Counts) -> tuple[str, str, str, str]:
    """Return a cell of the panel's matrix: its key, its shade, its count and its name."""
    right, called = true == said, said == positive
    key = ("t" if right else "f") + ("p" if called else "n")
    name = f"{'true' if right else 'false'} {'positives' if called else 'negatives'}"
    return key, "g2" if right else "b2", words.count(float(getattr(counts, key))), name


def _own(model: Model) -> str:
    """Return the threshold that a model's decisions were made by."""
    return "as given" if model.threshold is None else f"{model.threshold:.15g}"


def _start(model: Model, sweep: Sweep) -> int:
    wanted = 0.5 if model.threshold is None else model.threshold
    finite = np.where(np.isinf(sweep.threshold), 1e300, sweep.threshold)
    return int(np.argmin(np.abs(finite - wanted)))


def _slider_data(ev: Evaluation, sweeps: Mapping[str, Sweep]) -> dict[str, Any]:
    by_name = {m.name: m for m in ev.models}
    budget = SWEEP_BUDGET if len(sweeps) <= 3 else CROWDED_BUDGET
    most = max(20, budget // max(len(sweeps), 1))
    return {"models": [_steps(ev, by_name[n], s, most) for n, s in sweeps.items()]}


def _steps(ev: Evaluation, model: Model, s: Sweep, most: int) -> dict[str, Any]:
    start = _start(model, s)
    keep = np.append(np.linspace(0, len(s.threshold) - 1, most).round(), start)
    # From the lowest threshold up: the slider's right end is the strictest.
    index = np.unique(keep.astype(int))[::-1]
    ranking = model.scores[0].score_counts
    return {
        "name": words.text(model.name),
        "start": int(np.flatnonzero(index == start)[0]),
        "given": _given(ev, model),
        "t": [
            _own(model) if t == model.threshold else words.cut(t, _next_lower(ranking, t))
            for t in s.threshold[index].tolist()
        ],
        **{k: [round(float(v), 1) for v in getattr(s, k)[index]] for k in COUNTS},
        "m": {n: [_rounded(a[index]) for a in arrays] for n, arrays in s.metrics.items()},
        "why": {n: _reasons(n, arrays[0], s, index) for n, arrays in s.metrics.items()},
    }


def _field(ev: Evaluation) -> dict[str, Any] | None:
    """Return the metrics that move with the prevalence, at its steps: in thousandths, by model."""
    support = ev.models[0].labels.counts.sum(1)
    if ev.positive is None or not (support > 0).all() or len(support) != 2:
        return None
    options: dict[str, Any] = {"level": ev.level, "seed": ev.seed}
    points = max(13, FIELD_BUDGET // len(ev.models)) // 2 * 2 + 1
    found = [
        in_the_field(m, ev.positive, points, bounded=not ev.clusters, **options) for m in ev.models
    ]
    own = float(support[ev.classes.index(ev.positive)] / support.sum())
    return {
        "p": [words.share(p).replace(" ", "\u00a0") for p in found[0].prevalence.tolist()],
        "start": int(np.argmin(np.abs(found[0].prevalence - own))),
        "m": {n: [[_rounded(a) for a in f.metrics[n]] for f in found] for n in IN_THE_FIELD},
    }


def _field_panel(ev: Evaluation, field: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return what the slider of the prevalence shows before it is moved: these rows' own share."""
    if field is None:
        return None
    i = field["start"]

    def cell(found: Sequence[Sequence[int | None]]) -> tuple[str, str]:
        value, low, high = (a[i] for a in found)
        if value is None or low is None or high is None:
            return ("undefined" if value is None else f"{value / 1000:.3f}"), ""
        return f"{value / 1000:.3f}", f"{low / 1000:.3f}\u00a0to\u00a0{high / 1000:.3f}"

    rows = [(n, get(n).title, [cell(f) for f in found]) for n, found in field["m"].items()]
    return {
        "positive": words.text(ev.positive),  # type: ignore[arg-type]
        "share": field["p"][i],
        "start": i,
        "steps": len(field["p"]),
        "rows": rows,
    }


def _next_lower(ranking: ScoreCounts, threshold: float) -> float:
    place = int(np.searchsorted(ranking.scores, threshold, side="left"))
    return float(ranking.scores[place - 1]) if place else -math.inf


def _reasons(name: str, values: Any, s: Sweep, index: Any) -> dict[int, str]:
    """Return why a metric is undefined, by the slider's step."""
    metric = get(name)
    out = {}
    for step, i in enumerate(index):
        if math.isnan(values[i]):
            counts = Counts(*(getattr(s, k)[i] for k in COUNTS))
            reason = metric.reason(counts if metric.needs == "counts" else counts.matrix())
            out[step] = reason or ""
    return out


def _given(ev: Evaluation, model: Model) -> dict[str, Any]:
    """Return the model's decisions as they are judged everywhere else on the page."""
    counts, values = model.labels.binary(ev.positive), ev.values()[model.name]
    return {
        "t": _own(model),
        **{k: float(getattr(counts, k)) for k in COUNTS},
        "m": {n: _rounded([values[n].value, values[n].low, values[n].high]) for n in SWEPT},
        "why": {n: values[n].reason for n in SWEPT if values[n].reason},
    }


def _rounded(values: Any) -> list[int | None]:
    """Return numbers in thousandths, rounded as they are everywhere else on the page."""
    return [None if math.isnan(v) else round(1000 * float(f"{v:.3f}")) for v in values]
