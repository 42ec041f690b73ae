"""The page: one HTML file that holds everything, asks nobody for anything and explains itself."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tallymark.data.models import Model
from tallymark.infer.by_subgroup import Subgroups
from tallymark.infer.cautions import PER_CLASS
from tallymark.infer.compare import Comparison, Pair
from tallymark.infer.intervals import Estimates
from tallymark.infer.operating_points import SWEPT, Sweep
from tallymark.metric import METRICS, get
from tallymark.metric.measure import Statistic, Value
from tallymark.metric.registry import twice_named
from tallymark.metric.sources import authors
from tallymark.report import charts, svg, words
from tallymark.report.blocks import Cell, Grid, Row, asset, filled, table_html
from tallymark.report.evaluation import (
    MOST_SUBGROUPS,
    Evaluation,
    folds_of,
    studies_of,
    subgroups_of_models,
)
from tallymark.report.renderers import (
    MANY_PAIRS,
    SMALL,
    best_of_row,
    fold_grid,
    fold_notes,
    heterogeneity_table,
    interval_methods,
    name_of,
    pairs_by_rank,
    rates_table,
    subgroup_verdict,
    value_cell,
    verdicts,
)
from tallymark.report.uses import use_of
from tallymark.report.words import few_errors
from tallymark.studies.advice import SECTIONS
from tallymark.studies.prevalence import IN_THE_FIELD, grid, over_shares
from tallymark.tally.arrays import Label
from tallymark.tally.labels import Counts, LabelTally

SWEEP_BUDGET = 210
CROWDED_BUDGET = 120
"""Slider steps of all models, of more than three fewer: what keeps the page small."""

WIDE_MATRIX = 12
WIDEST_MATRIX = 30
"""Classes above which a matrix is told by its shades, and above which it is not shown."""

FIELD_BUDGET = 82
"""Steps of the slider of the prevalence, of all models together."""

MOST_PAIRS = 15
"""Pairs that are told one by one."""

MOST_MODELS = 3
"""Models whose subgroups are shown."""

SHADES = 5
COUNTS = ("tp", "fp", "fn", "tn")
TRUE_BY_PREDICTED = "true ↓\npredicted →"


def render(ev: Evaluation) -> str:
    """Return the page as HTML text."""
    groups, decided = charts.groups(ev), use_of(ev).decisions
    drawn = {line.key for g in groups for line in g.lines} if decided else set()
    sweeps = {name: s for name, s in ev.sweep().items() if name in drawn}
    names = [words.text(n) for n in ev.names]
    field, models = _field(ev) if decided else None, _slider(ev, sweeps)
    systems = ev.verification().values()
    return filled(
        "page.html.j2",
        ev=ev,
        words=words,
        table=_table,
        verdict=words.verdict(ev),
        script=asset("script.js"),
        data=_embedded({"models": models, "field": field}),
        field=field,
        field_rows=_field_rows(field) if field else [],
        names=names,
        glance=_glance(ev),
        systems=[(words.text(v.system), rates_table(v, ev.level), few_errors(v)) for v in systems],
        how=interval_methods(ev),
        compared=None if ev.compared is None else comparison(ev.compared, ev.names),
        subgroups=[subgroups(s) for s in subgroups_of_models(ev)[:MOST_MODELS]],
        studies=[studies(s) for s in subgroups_of_models(ev)[:1] if studies_of(s)],
        folds=_folds(ev),
        advice=_advice(ev) if decided else [],
        panel=_panel(ev, list(sweeps)),
        models=models,
        choices=_choices(ev) if decided else None,
        matrices=[_matrix(m.name, m.rule, m.labels) for m in ev.models if decided],
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


def _table(grid: Grid, css: str = "", hide: bool = False, caption: str = "") -> str:
    """Return a table in few bytes: HTML needs no end tags there, and the style breaks lines."""
    grid = replace(grid, caption=caption) if caption else grid
    text = table_html(grid, css, hide)
    for needless, short in (("</td>", ""), ("</tr>\n", "\n"), ("<br><small", "<small")):
        text = text.replace(needless, short)
    return text


# -- numbers -----------------------------------------------------------------------------------


def _metric_row(
    ev: Evaluation, name: str, note: str = "", bar: bool = False
) -> tuple[Row, list[Value]]:
    """Return a metric with a cell a model, and its known values; bars of a row share one scale."""
    values, known, best = best_of_row(ev, name)
    scale = _ends(known) if bar and len(values) > 1 else None
    m = get(name)
    lead = Cell(words.metric_title(words.title_of(ev, name), known[0]), m.meaning, note=note)
    return (lead, *(value_cell(v, i in best, scale) for i, v in enumerate(values))), known


def _ends(values: Sequence[Value]) -> tuple[float, float] | None:
    """Return from where to where the intervals of values lie."""
    ends = [x for v in values for x in (v.low, v.high) if math.isfinite(x)]
    return (min(ends), max(ends)) if ends else None


def _glance(ev: Evaluation) -> Grid:
    """Return the metrics that are looked at first, and the no-information rate."""
    rows = [_metric_row(ev, name, bar=True)[0] for name in words.headline(ev)]
    nothing = ev.no_information()
    meaning = (
        f"Accuracy of always saying “{words.text(nothing.label)}”; p is the chance of an accuracy "
        "this high if it were the true one."
    )
    rate = words.number(nothing.rate)
    rates = [Cell(rate, f"p {words.p_value(nothing.p_values[n])}") for n in ev.names]
    rows.append((Cell("No-information rate", meaning), *rates))
    star = ", and a star on the best of each row" if len(ev.names) > 1 else ""
    caption = f"The number, its {words.percent(ev.level, 0)} interval below it{star}."
    return Grid(("Metric", *map(words.text, ev.names)), rows, caption)


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
            row, known = _metric_row(ev, m.name, m.formula + better + chance)
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


def _advice(ev: Evaluation) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the advice section by section: sentences, and whose finding each rests on."""
    sections = [(title, ev.advise().section(name)) for name, title in SECTIONS.items()]
    return [
        (title, [(words.text(s.text).replace(" %", "\u00a0%"), "; ".join(map(authors, s.sources)))
                 for s in said])
        for title, said in sections if said
    ]  # fmt: skip


def _matrix(name: str, rule: str, tally: LabelTally) -> tuple[str, Grid | None]:
    """Return a model and its confusion matrix, None of too many classes."""
    name, k = words.text(name), len(tally.labels)
    if k > WIDEST_MATRIX:
        return f"{name} has {k} classes", None
    wide = k > WIDE_MATRIX
    rows: list[Row] = []
    for i, (label, counts) in enumerate(zip(tally.labels, tally.counts.tolist(), strict=True)):
        total = sum(counts)
        cells = []
        for j, n in enumerate(counts):
            share = n / total if total else 0.0
            shade = ("g" if i == j else "b") + str(math.ceil(share * SHADES)) if n else ""
            under = words.percent(share) if total and not wide else ""
            cells.append(Cell(words.count(n), under, style=shade))
        rows.append((words.text(label), *cells, Cell(words.count(total), style="dim")))
    heads = (TRUE_BY_PREDICTED, *map(words.text, tally.labels), "rows")
    how = ", the darker the larger its share of the row" if wide else ", shares are of the row"
    caption = f"{words.text(rule)}. Rows are the true classes{how}."
    return "matrix wide" if wide else "matrix", Grid(heads, rows, caption, title=name)


def _choices(ev: Evaluation) -> Grid | None:
    """Return the thresholds worth knowing: model, goal, threshold, value here and on new rows."""
    rows: list[Row] = []
    for model, by_goal in ev.optimal_thresholds().items():
        for goal, choice in by_goal.items():
            if math.isnan(choice.threshold):
                continue
            lead: Row = (words.text(model), goal, svg.short(choice.threshold))
            for c in (choice.best, *choice.limits):
                value = words.number(c.value)
                if choice.limits:  # else the goal names the metric
                    value = f"{get(c.metric).title} {value}"
                new, bounds = words.number(c.corrected.value), words.interval(c.corrected)
                rows.append((*lead, value, f"{new} ({bounds})" if bounds else new))
                lead = ("", "", "")
    heads = ("Model", "What it is best at", "Threshold", "On these rows",
             f"Expected on new rows ({words.interval_head(ev.level)})")  # fmt: skip
    return Grid(heads, rows, "Thresholds worth knowing") if rows else None


# -- models and subgroups compared -------------------------------------------------------------


def comparison(c: Comparison, names: Sequence[str]) -> dict[str, Any]:
    """Return the parts of the section; the places of models in ``names`` choose their colours."""
    _, ordered = pairs_by_rank(c)
    shown = ordered[:MOST_PAIRS]
    crossings = [p.crossing for p in shown if p.crossing is not None and not p.verdict.crossing]
    return {
        "verdicts": verdicts(c)[:MOST_PAIRS],
        "title": words.verdicts_title(c),
        "notes": [*filter(None, [words.rank_line(c)])]
        + [words.text(words.evidence(t)) for t in c.overall]
        + [words.sentence(str(crossing)) for crossing in crossings],
        "charts": charts.differences(c, shown, names),
        "how": words.FOREST_WORDS.format(
            level=words.percent(c.level, 0),
            table="" if c.table is None else words.table_error(c.table),
        ),
        "open": len(c.pairs) > MANY_PAIRS,
        "summary": "Every pair and its tests" if len(c.pairs) > 1 else "Tests",
        "pairs": _pairs(c, shown),
        "left": len(ordered) - len(shown),
    }


def _pairs(c: Comparison, pairs: Sequence[Pair]) -> Grid:
    """Return the table of pairs: the difference that decides, its verdict and its tests."""
    names = list(dict.fromkeys(t.name for p in pairs for t in p.tests))
    if len(pairs) > MANY_PAIRS:  # one test of each kind, the first of which holds its level best
        kinds = {n.split(",")[0]: n for n in reversed(names)}
        names = [n for n in names if n in kinds.values()]
    p_head = "p, corrected" if len(c.pairs) > 1 else "p"
    heads = ("First", "Second", "Difference", words.interval_head(c.level), p_head, "Verdict",
             *(f"p, {n}" for n in names))  # fmt: skip
    rows = []
    for p in pairs:
        *_, gap, bounds, _ = words.difference(p.differences[c.metric])
        v = p.verdict
        asked = v.answer("superiority")
        corrected = ""
        if asked is not None and not math.isnan(asked.p_value):
            corrected = words.p_value(asked.p_value, asked.p_at_most)
        tests = {t.name: "" if t.reason else words.p_value(t.p_value, t.p_at_most) for t in p.tests}
        rows.append((
            words.text(p.first), words.text(p.second), gap, bounds, corrected,
            words.kinds(v), *(tests.get(n, "") for n in names),
        ))  # fmt: skip
    return Grid(heads, rows, words.comparison_legend(c), left=())


def studies(s: Subgroups) -> dict[str, Any]:
    """Return the parts of the section on studies: forest plots, the model's numbers, notes."""
    found = studies_of(s)
    return {
        "charts": [charts.studies(s, h, f"study{i}") for i, h in enumerate(found)],
        "table": heterogeneity_table(found),
        "notes": words.of_studies(found),
    }


def subgroups(s: Subgroups) -> tuple[str, list[str], Grid]:
    """Return the model, sentences on its subgroups and the table of them."""
    metric = s.decisive()
    values, small = s.values(metric), set(s.small(metric))
    shown = s.order(metric)[:MOST_SUBGROUPS]
    gaps = {d.key: d for d in s.differences(metric)} if len(s) > 1 else {}
    flagged = {k for k, d in gaps.items() if d.corrected < 1 - s.level}
    scale = _ends([values[k][metric] for k in shown])
    rows: list[Row] = []
    for key in shown:
        v, gap = values[key][metric], gaps.get(key)
        change, p = "", "not tested"
        if gap is not None and not gap.difference.reason:
            *_, change, bounds, _ = words.difference(gap.difference)
            change += f" ({bounds})" if bounds else ""
        if gap is not None and not gap.small:
            at_most = gap.difference.p_at_most and gap.corrected < 1
            p = "" if math.isnan(gap.corrected) else words.p_value(gap.corrected, at_most)
        rows.append((
            Cell(name_of(s, key), "differs from the rest" if key in flagged else ""),
            Cell(words.number(v.value), words.interval(v) or v.reason or "no interval",
                 "*" if key in small and not v.reason else "",
                 picture=svg.bar(v.value, v.low, v.high, *scale) if scale else ""),
            words.count(s.rows[key]), change.replace("-", "−"), p,
        ))  # fmt: skip
    notes = [p.text for p in subgroup_verdict(s, metric) if not p.indent]  # the table has the rest
    left = set(s.keys) - set(shown)
    if left:
        notes.append(
            f"The {len(shown)} worst are shown; {len(flagged & left):,} of the {len(left):,} "
            "others differ from the rest."
        )
    if any(k in small for k in shown):
        notes.append(SMALL + ".")
    by, title = words.text(", ".join(s.columns)), get(metric).title
    bars = "; bars from {} to {}".format(*map(words.number, scale)) if scale else ""
    heads = (by, title, "Rows", "Difference from the rest", "p")
    caption = f"{title} by {by}, the worst first{bars}."
    return words.text(s.chosen.name), notes, Grid(heads, rows, caption)


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
