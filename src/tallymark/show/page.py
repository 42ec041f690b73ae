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

from tallymark.evaluation import SWEPT, Evaluation, Sweep
from tallymark.metric import METRICS, get
from tallymark.metric.measure import Value
from tallymark.metric.sources import SOURCES
from tallymark.show import svg, words
from tallymark.show.output import write_text
from tallymark.tally.labels import LabelTally

MOST_DRAWN = 8
"""More lines in one chart cannot be told apart; the tables still hold everything."""

CURVE_BUDGET = 900
SWEEP_BUDGET = 300
"""Points of all lines of a chart, and slider steps of all models: what keeps the page small."""

TABLE_ROWS = 11
WIDE_MATRIX = 30


def write(ev: Evaluation, path: str | os.PathLike[str]) -> Path:
    """Write the page, whole or not at all."""
    return write_text(path, render(ev))


def render(ev: Evaluation) -> str:
    """Return the page as HTML text."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    assets = files("tallymark.show") / "assets"
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals.update(words=words, isnan=math.isnan)
    template = environment.from_string((assets / "page.html.j2").read_text("utf-8"))
    drawn = list(ev.curves())[:MOST_DRAWN]
    sweeps = {name: s for name, s in ev.sweep().items() if name in drawn}
    html = template.render(
        ev=ev,
        about=words.about(ev),
        verdict=words.verdict(ev),
        style=Markup((assets / "style.css").read_text("utf-8")),
        script=Markup((assets / "script.js").read_text("utf-8")),
        data=Markup(_embedded(_slider_data(ev, sweeps))),
        names=[words.text(n) for n in ev.names],
        glance=_glance(ev),
        panel=_panel(ev, sweeps),
        matrices=[_matrix(m.name, m.rule, m.labels) for m in ev.models],
        charts=[{**c, "svg": Markup(c["svg"])} for c in _charts(ev, drawn)],
        legend=[(i % svg.SERIES, words.text(n)) for i, n in enumerate(drawn)],
        undrawn=len(ev.curves()) - len(drawn),
        families=_families(ev),
        classes=_classes(ev),
        nothing=ev.no_information(),
        assumed=[n.text for n in ev.notes if n.kind == "assumed"],
        warnings=[n.text for n in ev.notes if n.kind == "warning"],
        methods=_methods(ev),
        sources=[SOURCES[k] for k in _cited(ev)],
        version=version("tallymark"),
    )
    return str(html)


def _embedded(data: Any) -> str:
    """Return JSON that cannot end the script element it stands in."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


# -- numbers -----------------------------------------------------------------------------------


def _cell(
    v: Value | None, best: bool = False, scale: tuple[float, float] | None = None
) -> dict[str, Any]:
    from markupsafe import Markup

    if v is None:
        return {"text": "–", "bounds": "", "why": "not computed for this model", "best": False,
                "bar": "", "method": ""}  # fmt: skip
    method = v.method or ""
    bar = "" if scale is None else svg.bar(v.value, v.low, v.high, *scale)
    return {
        "text": words.number(v.value),
        "bounds": words.interval(v),
        "why": v.reason or (method if method.startswith("no interval") else ""),
        "method": method,
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


def _glance(ev: Evaluation) -> list[dict[str, Any]]:
    return [_row(ev, name, bar=True) for name in words.headline(ev)]


def _families(ev: Evaluation) -> list[dict[str, Any]]:
    there = dict.fromkeys(name for values in ev.values().values() for name in values)
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
    for model, found in ev.per_class().items():
        names = list(next(iter(found.values())))
        out.append(
            {
                "model": words.text(model),
                "heads": [get(n).title for n in names],
                "rows": [
                    (words.text(label), [_cell(values[n]) for n in names])
                    for label, values in found.items()
                ],
            }
        )
    return out


def _methods(ev: Evaluation) -> list[str]:
    used = {v.method for values in ev.values().values() for v in values.values() if v.method}
    return sorted(m for m in used if not m.startswith("no interval"))


def _cited(ev: Evaluation) -> list[str]:
    keys = {k for values in ev.values().values() for n in values for k in METRICS[n].sources}
    return sorted(keys)


def _matrix(name: str, rule: str, tally: LabelTally) -> dict[str, Any]:
    totals = tally.counts.sum(1)
    rows = []
    for i, (label, counts) in enumerate(zip(tally.labels, tally.counts, strict=True)):
        cells = [
            {
                "count": words.count(float(n)),
                "share": words.percent(float(n) / float(totals[i])) if totals[i] else "",
                "heat": round(float(n) / float(totals[i]), 3) if totals[i] else 0.0,
                "right": i == j,
            }
            for j, n in enumerate(counts)
        ]
        rows.append({"label": words.text(label), "cells": cells,
                     "total": words.count(float(totals[i]))})  # fmt: skip
    return {
        "name": words.text(name),
        "rule": words.text(rule),
        "labels": [words.text(label) for label in tally.labels],
        "rows": rows,
        "shown": len(tally.labels) <= WIDE_MATRIX,
    }


# -- the threshold slider ----------------------------------------------------------------------


def _panel(ev: Evaluation, sweeps: Mapping[str, Sweep]) -> dict[str, Any] | None:
    """Return what the slider's panel shows before it is moved: the first model as it decides."""
    model = next((m for m in ev.models if m.name in sweeps), None)
    if model is None:
        return None
    negative = next(c for c in ev.classes if c != ev.positive)
    counts = model.labels.binary(ev.positive)
    values = ev.values()[model.name]
    return {
        "model": words.text(model.name),
        "models": [words.text(n) for n in sweeps],
        "positive": words.text(ev.positive),  # type: ignore[arg-type]
        "negative": words.text(negative),
        "threshold": "as given" if model.threshold is None else svg.short(model.threshold),
        "start": _start(ev, model.name, sweeps[model.name]),
        "steps": len(sweeps[model.name].threshold),
        "counts": {k: words.count(float(getattr(counts, k))) for k in ("tp", "fp", "fn", "tn")},
        "rows": [(n, get(n).title, _cell(values[n])) for n in SWEPT],
    }


def _start(ev: Evaluation, name: str, sweep: Sweep) -> int:
    threshold = next(m.threshold for m in ev.models if m.name == name)
    wanted = 0.5 if threshold is None else threshold
    return int(np.argmin(np.abs(np.where(np.isinf(sweep.threshold), 1e300, sweep.threshold)
                                - wanted)))  # fmt: skip


def _slider_data(ev: Evaluation, sweeps: Mapping[str, Sweep]) -> dict[str, Any]:
    models = []
    for name, s in sweeps.items():
        start = _start(ev, name, s)
        most = max(20, SWEEP_BUDGET // len(sweeps))
        keep = np.append(np.linspace(0, len(s.threshold) - 1, most).round(), start)
        # From the lowest threshold up: the slider's right end is the strictest.
        index = np.unique(keep.astype(int))[::-1]
        models.append(
            {
                "name": words.text(name),
                "start": int(np.flatnonzero(index == start)[0]),
                "given": _given(ev, name),
                "t": [svg.short(float(t)) for t in s.threshold[index]],
                **{
                    k: [round(float(v), 1) for v in getattr(s, k)[index]]
                    for k in ("tp", "fp", "fn", "tn")
                },
                "m": {
                    metric: [_rounded(a[index]) for a in arrays]
                    for metric, arrays in s.metrics.items()
                },
            }
        )
    return {"models": models}


def _given(ev: Evaluation, name: str) -> dict[str, Any]:
    """Return the model's decisions as they are judged everywhere else on the page."""
    model = next(m for m in ev.models if m.name == name)
    counts, values = model.labels.binary(ev.positive), ev.values()[name]
    return {
        "t": "as given" if model.threshold is None else svg.short(model.threshold),
        **{k: float(getattr(counts, k)) for k in ("tp", "fp", "fn", "tn")},
        "m": {n: _rounded([values[n].value, values[n].low, values[n].high]) for n in SWEPT},
    }


def _rounded(values: Any) -> list[int | None]:
    """Return numbers in thousandths, rounded as they are everywhere else on the page."""
    return [None if math.isnan(v) else round(1000 * float(f"{v:.3f}")) for v in values]


# -- charts ------------------------------------------------------------------------------------


def _charts(ev: Evaluation, drawn: Sequence[str]) -> list[dict[str, Any]]:
    curves = {name: ev.curves()[name] for name in drawn}
    if not curves:
        return []
    points = max(40, CURVE_BUDGET // len(curves))
    level = words.percent(ev.level, 0)
    out: list[dict[str, Any]] = []
    for kind in ("roc", "pr", "calibration"):
        found = {n: c[kind] for n, c in curves.items() if kind in c}
        if not found:
            continue
        thin = {n: c.thin(points) for n, c in found.items()}
        first = next(iter(found.values()))
        title = words.CURVE_TITLES[kind]
        baselines = []
        if kind == "pr" and ev.binary:
            baselines = [float(first.y[-1])]
        told = words.CURVE_WORDS[kind].format(level=level)
        if baselines:
            told += " " + words.CURVE_WORDS["pr baseline"]
        series = [
            svg.Series(
                words.text(n),
                list(drawn).index(n),
                c.x,
                c.y,
                hints=c.threshold,
                low=c.low,
                high=c.high,
            )
            for n, c in thin.items()
        ]
        desc = f"{title} of {', '.join(words.text(n) for n in found)}; numbers in the table below."
        out.append(
            {
                "kind": kind,
                "title": title,
                "words": told,
                "svg": svg.lines(
                    kind,
                    title,
                    desc,
                    words.AXES[first.x_metric],
                    words.AXES[first.y_metric],
                    series,
                    diagonal=kind != "pr",
                    baselines=baselines,
                    marked=kind == "calibration",
                ),
                "heads": ["", "threshold", words.AXES[first.x_metric], words.AXES[first.y_metric]]
                if first.threshold is not None
                else ["", "rows", words.AXES[first.x_metric], words.AXES[first.y_metric],
                      f"{level} interval"],
                "rows": [row for n, c in thin.items() for row in _curve_rows(words.text(n), c)],
                "error": max(c.error for c in thin.values()),
            }
        )  # fmt: skip
    for name, h in list(ev.histograms().items())[:MOST_DRAWN]:
        if name not in drawn:
            continue
        shown = words.text(name)
        title = f"{words.CURVE_TITLES['scores']}: {shown}"
        sides = _sides(ev, name)
        out.append(
            {
                "kind": "scores",
                "title": title,
                "words": words.CURVE_WORDS["scores"],
                "svg": svg.histogram(
                    str(list(drawn).index(name)),
                    title,
                    f"Scores of {sides[0]} upward, of {sides[1]} downward.",
                    h.edges,
                    h.pos,
                    h.neg,
                    "score",
                    sides,
                ),
                "heads": ["from", "to", *sides],
                "rows": [
                    (svg.short(a), svg.short(b), words.count(float(p)), words.count(float(n)))
                    for a, b, p, n in zip(h.edges[:-1], h.edges[1:], h.pos, h.neg, strict=True)
                    if p or n
                ],
                "error": 0.0,
            }
        )
    return out


def _sides(ev: Evaluation, name: str) -> tuple[str, str]:
    if ev.binary:
        negative = next(c for c in ev.classes if c != ev.positive)
        return words.text(ev.positive), words.text(negative)  # type: ignore[arg-type]
    return words.text(name.split(": ", 1)[-1]), "all others"


def _curve_rows(name: str, c: Any) -> list[tuple[str, ...]]:
    if c.threshold is None:
        return [
            (name, words.count(float(n)), words.number(float(x)), words.number(float(y)),
             f"{words.number(float(lo))} to {words.number(float(hi))}")
            for n, x, y, lo, hi in zip(c.counts, c.x, c.y, c.low, c.high, strict=True)
        ]  # fmt: skip
    index = np.unique(np.linspace(0, len(c.x) - 1, TABLE_ROWS).round().astype(int))
    return [
        (name, svg.short(float(c.threshold[i])), words.number(float(c.x[i])),
         words.number(float(c.y[i])))
        for i in index
    ]  # fmt: skip
