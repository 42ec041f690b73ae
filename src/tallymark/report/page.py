"""The page: one HTML file that holds everything, asks nobody for anything and explains itself."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tallymark.data.models import Model
from tallymark.infer.by_subgroup import Subgroups
from tallymark.infer.cautions import PER_CLASS
from tallymark.infer.intervals import Estimates
from tallymark.infer.operating_points import SWEPT, Sweep
from tallymark.metric import METRICS, get
from tallymark.metric.measure import Statistic
from tallymark.metric.registry import twice_named
from tallymark.report import charts, pieces, words
from tallymark.report.blocks import Cell, Grid, Row, asset, filled
from tallymark.report.evaluation import (
    Evaluation,
    folds_of,
    studies_of,
    subgroups_of_models,
)
from tallymark.report.renderers import (
    fold_grid,
    fold_notes,
    heterogeneity_table,
    interval_methods,
    rates_table,
    value_cell,
)
from tallymark.report.uses import use_of
from tallymark.report.words import few_errors
from tallymark.studies.prevalence import IN_THE_FIELD, grid, over_shares
from tallymark.tally.arrays import Label
from tallymark.tally.labels import Counts

SWEEP_BUDGET = 210
CROWDED_BUDGET = 120
"""Slider steps of all models, of more than three fewer: what keeps the page small."""

FIELD_BUDGET = 82
"""Steps of the slider of the prevalence, of all models together."""

MOST_MODELS = 3
"""Models whose subgroups are shown."""

COUNTS = ("tp", "fp", "fn", "tn")


def render(ev: Evaluation) -> str:
    """Return the page as HTML text."""
    groups, decided = charts.groups(ev), use_of(ev).decisions
    drawn = {line.key for g in groups for line in g.lines} if decided else set()
    sweeps = {name: s for name, s in ev.sweep().items() if name in drawn}
    names = [words.text(n) for n in ev.names]
    field, models = _field(ev) if decided else None, _slider(ev, sweeps)
    systems, compared = ev.verification().values(), ev.compared
    return filled(
        "page.html.j2",
        ev=ev,
        words=words,
        table=lambda *args: _short(pieces.table(*args)),
        figure=lambda *args: _short(pieces.figure(*args)),
        numbers_of=lambda *args: _short(pieces.numbers_of(*args)),
        verdict=words.verdict(ev),
        script=asset("script.js"),
        data=_embedded({"models": models, "field": field}),
        field=field,
        field_rows=_field_rows(field) if field else [],
        names=names,
        glance=pieces.glance(ev),
        systems=[(words.text(v.system), rates_table(v, ev.level), few_errors(v)) for v in systems],
        how=interval_methods(ev),
        compared=compared and _short(pieces.comparison(compared, ev.names)),
        subgroups=[pieces.subgroups(s) for s in subgroups_of_models(ev)[:MOST_MODELS]],
        studies=[studies(s) for s in subgroups_of_models(ev)[:1] if studies_of(s)],
        folds=_folds(ev),
        advice=pieces.advice(ev.advise()) if decided else "",
        panel=_panel(ev, list(sweeps)),
        models=models,
        choices=pieces.thresholds(ev.optimal_thresholds(), ev.level) if decided else None,
        matrices=[pieces.matrix(m) for m in ev.models if decided],
        groups=groups,
        undrawn=[] if ev.binary else [n for n in names if n not in {g.title for g in groups}],
        families=_families(ev),
        classes=_classes(ev),
        assumed=words.notes(ev.notes, "assumed"),
        warnings=words.notes(ev.notes, "warning"),
        methods=_methods(ev),
        sources=_cited(ev),
    )


def _embedded(data: Any) -> str:
    """Return JSON that cannot end the script element it stands in."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _short(text: str) -> str:
    """Return HTML in few bytes: tables need no end tags of cells, and the style breaks lines."""
    text = re.sub(r' data-key="[^"]*"', "", text)  # those of a card
    for needless, short in (("</td>", ""), ("</tr>\n", "\n"), ("<br><small", "<small")):
        text = text.replace(needless, short)
    return text


# -- numbers -----------------------------------------------------------------------------------


def _listed(ev: Evaluation) -> list[str]:
    """Return the metrics that the page lists, of those that there are."""
    held = dict.fromkeys(name for values in ev.values().values() for name in values)
    return [name for name in use_of(ev).only or held if name in held]


def _families(ev: Evaluation) -> list[tuple[str, Grid]]:
    """Return the question of each family of metrics, and the table of them."""
    present = _listed(ev)
    if not use_of(ev).only:
        present = [name for name in present if name not in twice_named()]
    heads = ("Metric", *map(words.text, ev.names), "How the interval was made")
    out = []
    for family, (title, question) in words.FAMILIES.items():
        rows: list[Row] = []
        for m in (METRICS[n] for n in present if METRICS[n].family == family):
            better = {"high": " · higher is better", "low": " · lower is better"}.get(m.better, "")
            chance = f" · guessing: {words.chance(m.chance)}" if m.chance is not None else ""
            row, known = pieces.metric_row(ev, m.name, m.formula + better + chance)
            method = next((v.method for v in known if v.method), "")
            rows.append((*row, Cell(method, style="dim")))
        if rows:
            out.append((question, Grid(heads, rows, title)))
    return out


def _classes(ev: Evaluation) -> list[tuple[str, Grid]]:
    """Return the metrics of each class, model by model."""
    if ev.binary:
        return []
    out = []
    for model, of_classes in ev.per_class(PER_CLASS).items():
        heads = ("Class", *(get(n).title for n in next(iter(of_classes.values()))))
        rows: list[Row] = [
            (words.text(label), *(value_cell(v, brief=True) for v in values.values()))
            for label, values in of_classes.items()
        ]
        out.append((words.text(model), Grid(heads, rows, "Metrics of each class")))
    return out


def _methods(ev: Evaluation) -> list[str]:
    """Return the methods of all intervals."""
    listed = _listed(ev)
    methods = {of[n].method for of in ev.values().values() for n in listed if n in of}
    return sorted(m for m in methods if m and not m.startswith("no interval"))


def _cited(ev: Evaluation) -> list[str]:
    keys = {k for n in _listed(ev) for k in METRICS[n].sources}
    if use_of(ev).decisions:
        keys |= {k for s in ev.advise().statements for k in s.sources}
    if ev.compared is not None:
        tests = [*ev.compared.overall, *(t for p in ev.compared.pairs for t in p.tests)]
        keys |= {t.source for t in tests if t.source}
    return sorted(keys)


def studies(s: Subgroups) -> dict[str, Any]:
    """Return the parts of the section on studies: forest plots, the model's numbers, notes."""
    found = studies_of(s)
    return {
        "charts": [charts.studies(s, h, f"study{i}") for i, h in enumerate(found)],
        "table": heterogeneity_table(found),
        "notes": words.of_studies(found),
    }


def _folds(ev: Evaluation) -> dict[str, Any] | None:
    """Return the sentences on the folds, and a table a model."""
    f = folds_of(ev)
    if f is None:
        return None
    grids = [replace(fold_grid(f, m), title=words.text(m)) for m in list(f.values)[:MOST_MODELS]]
    return {"notes": fold_notes(f), "grids": grids}


# -- the threshold slider ----------------------------------------------------------------------


def _panel(ev: Evaluation, drawn: Sequence[str]) -> dict[str, Any] | None:
    """Return what the slider's panel shows before it is moved: the first model as it decides."""
    model = next((m for m in ev.models if m.name in drawn), None)
    if model is None:
        return None
    counts, values = model.labels.binary(ev.positive), ev.values()[model.name]

    def cell(true: Label, said: Label) -> tuple[str, str, str, str]:
        """Return a cell of the matrix: its key, its shade, its count and its name."""
        right, called = true == said, said == ev.positive
        key = ("t" if right else "f") + ("p" if called else "n")
        name = f"{'true' if right else 'false'} {'positives' if called else 'negatives'}"
        return key, "g2" if right else "b2", words.count(float(getattr(counts, key))), name

    return {
        "positive": words.text(str(ev.positive)),
        "labels": [words.text(c) for c in ev.classes],
        "matrix": [(words.text(t), [cell(t, c) for c in ev.classes]) for t in ev.classes],
        "rows": [(n, get(n).title, value_cell(values[n])) for n in SWEPT],
    }


def _own(model: Model) -> str:
    """Return the threshold that a model's decisions were made by."""
    return "as given" if model.threshold is None else f"{model.threshold:.15g}"


def _slider(ev: Evaluation, sweeps: Mapping[str, Sweep]) -> list[dict[str, Any]]:
    """Return what the slider looks up of each model: the counts and the metrics at its steps."""
    budget = SWEEP_BUDGET if len(sweeps) <= 3 else CROWDED_BUDGET
    most = max(20, budget // max(len(sweeps), 1))
    return [_steps(ev, m, sweeps[m.name], most) for m in ev.models if m.name in sweeps]


def _steps(ev: Evaluation, model: Model, s: Sweep, most: int) -> dict[str, Any]:
    wanted = 0.5 if model.threshold is None else model.threshold
    start = int(np.argmin(np.abs(np.where(np.isinf(s.threshold), 1e300, s.threshold) - wanted)))
    keep = np.append(np.linspace(0, len(s.threshold) - 1, most).round(), start)
    # From the lowest threshold up: the slider's right end is the strictest.
    index = np.unique(keep.astype(int))[::-1]
    scores = model.scores[0].score_counts.scores
    below = np.append(-math.inf, scores)[np.searchsorted(scores, s.threshold[index])].tolist()
    cuts = zip(s.threshold[index].tolist(), below, strict=True)
    return {
        "name": words.text(model.name),
        "start": int(np.flatnonzero(index == start)[0]),
        "given": _given(ev, model),
        "t": [_own(model) if t == model.threshold else words.cut(t, low) for t, low in cuts],
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
    own = float(support[ev.classes.index(ev.positive)] / support.sum())
    shares = grid(max(13, FIELD_BUDGET // len(ev.models)) // 2 * 2 + 1)
    shares = np.unique(np.append(shares, own))
    statistics = {n: Statistic.of(get(n), ev.classes, ev.positive) for n in IN_THE_FIELD}
    found = [over_shares(statistics, m.labels, ev.positive, shares, **options) for m in ev.models]
    unknown = np.full(len(shares), math.nan)  # bounds hold for rows that stand alone

    def arrays(e: Estimates) -> list[list[int | None]]:
        low, high = (unknown, unknown) if ev.clusters else (e.lows, e.highs)
        return [_rounded(a) for a in (e.values, low, high)]

    return {
        "p": [words.share(p).replace(" ", "\u00a0") for p in shares.tolist()],
        "start": int(np.argmin(np.abs(shares - own))),
        "m": {n: [arrays(f[n]) for f in found] for n in IN_THE_FIELD},
    }


def _field_rows(field: dict[str, Any]) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Return the metrics at these rows' own share, where the slider of the prevalence starts."""

    def cell(of_model: Sequence[Sequence[int | None]]) -> tuple[str, str]:
        value, low, high = (a[field["start"]] for a in of_model)
        if value is None or low is None or high is None:
            return ("undefined" if value is None else f"{value / 1000:.3f}"), ""
        return f"{value / 1000:.3f}", f"{low / 1000:.3f}\u00a0to\u00a0{high / 1000:.3f}"

    return [(n, get(n).title, [cell(f) for f in found]) for n, found in field["m"].items()]


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
