"""The page: one HTML file that holds everything, asks nobody for anything and explains itself."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark import quantities
from tallymark.infer.by_subgroup import Subgroups
from tallymark.infer.cautions import PER_CLASS
from tallymark.infer.operating_points import SWEPT, sweep_cuts, sweep_of
from tallymark.infer.prevalence import over_shares
from tallymark.metric import METRICS, get
from tallymark.metric.measure import Statistic
from tallymark.metric.registry import twice_named
from tallymark.reading.models import Model
from tallymark.report import charts, pieces, words
from tallymark.report.blocks import Cell, Grid, Row, asset, filled
from tallymark.report.charts import Chart, Group
from tallymark.report.evaluation import (
    Evaluation,
    folds_of,
    studies_of,
    subgroups_of_models,
)
from tallymark.report.in_use import in_use
from tallymark.report.renderers import (
    fold_grid,
    fold_notes,
    heterogeneity_table,
    leaders_table,
    value_cell,
)
from tallymark.report.uses import account_of, use_of
from tallymark.studies.advice import Advice
from tallymark.tally.arrays import Label
from tallymark.tally.labels import Counts, LabelTally
from tallymark.tally.scores import ScoreTally

SWEEP_BUDGET = 195
CROWDED_BUDGET = 120
"""Slider steps of all models, of more than three fewer: what keeps the page small."""

PREVALENCES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.8)
"""Where intervals at another prevalence can be looked up, beside that of the rows."""

KEPT = ("sensitivity", "specificity")
MOVED = tuple(n for n in SWEPT if n not in KEPT)
"""Metrics of the panel whose intervals stay at any prevalence, and the others."""

MOST_MODELS = 3
"""Models whose subgroups are shown."""

MOST_CLASSES = 6
"""Classes of a matrix that there is room for beside the first chart."""

COUNTS = ("tp", "fp", "fn", "tn")

SCRIPTS = ("profit.js", "formulas.js", "script.js")
"""The parts of the page's script; the first where profit is counted."""


def render(
    ev: Evaluation,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    as_printed: bool = False,
) -> str:
    """Return the page as HTML text; options are those of :meth:`Evaluation.report`."""
    advice = ev.advise(cost_fp=cost_fp, cost_fn=cost_fn)  # refuses before the long work
    every, decided = charts.groups(ev), use_of(ev).decisions
    profit = use_of(ev).profit
    drawn = {line.key for g in every for line in g.lines} if decided else set()
    swept = [m for m in ev.models if ev.binary and m.name in drawn]
    names = [words.text(n) for n in ev.names]
    _, ranked = words.ranking(ev)
    what_if = _what_if(ev, swept, ranked)
    account, compared = account_of(ev), ev.compared
    first, calibrations, groups = _parted(ev, every, ranked[0])
    matrices = [(m, pieces.matrix(m, ev.positive, i)) for i, m in enumerate(ev.models) if decided]
    shown = [of for m, of in matrices if m.name == ranked[0] and len(ev.classes) <= MOST_CLASSES]
    hidden = [of for _, of in matrices if of not in shown]
    families = _families(ev)
    choices = pieces.thresholds(ev) if decided else None
    best = min(swept, key=lambda m: ranked.index(m.name), default=None)
    panel = _panel(ev, best)
    said, warnings = {n.code for n in ev.notes}, words.notes(ev.notes, "warning")
    # Where nothing else is to be said first, the most harmful finding is.
    watch = [] if warnings or not decided else advice.section("misleads")[:1]
    parts: dict[str, Any] = {
        "advice": pieces.advice(advice, said, watch) if decided else "",
        "use": in_use(ev, as_printed),
        "compare": compared
        and _short(
            pieces.comparison(compared, ev.names).replace(' data-key="', ' data-key="comparison.')
        ),
        "threshold": panel or choices or hidden,
        "calibration": calibrations or (first and first.kind == "calibration"),
        "curves": groups,
        "studies": [studies(s) for s in subgroups_of_models(ev)[:1] if studies_of(s)],
        "subgroups": [
            pieces.subgroups(s, place=f"subgroups.{i}.")
            for i, s in enumerate(subgroups_of_models(ev)[:MOST_MODELS])
        ],
        "leaders": leaders_table(ev) if ev.leaders() else None,
        "folds": _folds(ev),
        "classes": _classes(ev),
    }
    always = ("overview", "all", "method")
    titles = SECTIONS | ({} if panel else {"threshold": "Decisions"})
    titles |= {"use": parts["use"].title} if parts["use"] else {}
    return filled(
        "page.html.j2",
        ev=ev,
        words=words,
        index=[(k, title) for k, title in titles.items() if k in always or parts[k]],
        titles=titles,
        table=lambda *args: _short(pieces.table(*args)),
        figure=lambda *args: _short(pieces.figure(*args)),
        distribution=lambda *args: _short(pieces.distribution(*args)),
        summary=words.summary(ev),
        verdict=words.verdict(ev),
        guessing=words.guessing(ev) if decided and not account else "",
        nothing=words.sentence(words.beyond_guessing(ev)) if decided else "",
        tiles=pieces.tiles(ev) if decided or not account else "",
        first=first,
        matrix=shown[0] if shown and len(ev.classes) > 1 else None,
        script=_short_script("".join(map(asset, SCRIPTS[not profit :]))),
        data=_embedded(
            what_if
            | {
                "why": _reasons(),
                "kept": KEPT,
                "profit": profit,
                "also": _also(_listed(ev)),
            }
        ),
        what_if=what_if,
        names=names,
        listed=sum(len(grid.rows) for _, grid in families),
        account=account,
        profit=profit,
        costs=_costs(cost_fp, cost_fn, profit),
        used=parts["use"],
        compared=parts["compare"],
        subgroups=parts["subgroups"],
        studies=parts["studies"],
        leaders=parts["leaders"],
        folds=parts["folds"],
        advice=parts["advice"],
        panel=panel,
        at_threshold=words.at_threshold(ev, panel["model"]) if panel else "",
        choices=choices,
        matrices=hidden,
        calibrations=calibrations,
        calibrated=words.calibrated(ev, ranked[0]) if parts["calibration"] else "",
        calibration_table=pieces.calibration(ev) if parts["calibration"] else None,
        groups=groups,
        undrawn=[] if ev.binary else [n for n in names if n not in {g.title for g in groups}],
        families=families,
        classes=parts["classes"],
        assumed=words.notes(ev.notes, "assumed"),
        warnings=warnings or [s.text for s in watch],
        methods=_methods(ev),
        sources=_cited(ev, advice),
    )


SECTIONS = {
    "overview": "Overview",
    "advice": "What to do",
    "use": "In use",
    "compare": "Compare",
    "threshold": "What if",
    "calibration": "Calibration",
    "curves": "Curves",
    "studies": "Studies",
    "subgroups": "Subgroups",
    "folds": "Folds",
    "classes": "Classes",
    "all": "All metrics",
    "method": "Method",
}
"""The sections of the page in order, and what they are called."""


def _parted(
    ev: Evaluation, groups: Sequence[Group], best: str
) -> tuple[Chart | None, list[tuple[str, Chart]], list[Group]]:
    """Return the first chart, of the best model, the calibration of two classes, and the rest."""
    if not groups:
        return None, [], []
    place = next((i for i, g in enumerate(groups) if g.title == words.text(best)), 0)
    first, calibrations, left = None, [], []
    for i, g in enumerate(groups):
        curves = list(g.curves)
        if i == place and curves:
            first = pieces.bands_in_short(curves.pop(0), ev.level)
            if g.title and len(ev.models) > 1:
                first = replace(first, title=f"{first.title}: {g.title}")
        if ev.binary:
            calibrations += [(g.title, c) for c in curves if c.kind == "calibration"]
            curves = [c for c in curves if c.kind != "calibration"]
        left.append(replace(g, curves=tuple(curves)))
    return first, calibrations, left


def _embedded(data: Any) -> str:
    """Return JSON that cannot end the script element it stands in."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _short_script(text: str) -> str:
    """Return a script without its indents and its lines of comments."""
    return re.sub(r"^\s+(//.*\n)?", "", re.sub(r"^//.*\n", "", text, flags=re.M), flags=re.M)


def _short(text: str) -> str:
    """Return HTML in few bytes: no end tags of cells, no quotes that are not needed.

    A row whose keys differ in a place alone carries one key, in which ``*`` is that of the cell.
    """
    text = re.sub(r"<tr>(.*?)</tr>", _one_key, text)
    text = re.sub(r' ([\w-]+)="([\w.*-]+)"(?=[ >])', r" \1=\2", text)
    for needless, short in (
        ("</td>", ""),
        ("</th>", ""),
        ("</tr>\n", "\n"),
        ("<br><small", "<small"),
    ):
        text = text.replace(needless, short)
    return text


_KEY = re.compile(r' data-key="([^"]*)"')


def _one_key(row: re.Match[str]) -> str:
    """Return a row of a table with one key in place of those of its cells, where places differ."""
    keys = [key.split(".") for key in _KEY.findall(row[1])]
    places = [*map(str, range(len(keys)))] if len(keys) > 1 else None
    for i, parts in enumerate(zip(*keys, strict=False)):
        if [*parts] == places and len({(*k[:i], "*", *k[i + 1 :]) for k in keys}) == 1:
            key = ".".join((*keys[0][:i], "*", *keys[0][i + 1 :]))
            return f'<tr data-key="{key}">{_KEY.sub("", row[1])}</tr>'
    return row[0]


# -- numbers -----------------------------------------------------------------------------------


def _listed(ev: Evaluation) -> list[str]:
    """Return the metrics that the page lists, of those that there are."""
    held = dict.fromkeys(name for values in ev.values().values() for name in values)
    return [name for name in use_of(ev).only or held if name in held]


def _also(names: Sequence[str]) -> dict[str, str]:
    """Return the words that metrics are also called by, of those that their rows do not show."""
    out = {}
    for m in (METRICS[n] for n in names):
        shown = re.findall(
            r"[a-z0-9]+", f"{m.name} {m.title} {m.words.formula} {m.words.meaning}".lower()
        )
        also = re.findall(r"[a-z0-9]+", " ".join(m.aliases).lower())
        out[m.name] = " ".join(dict.fromkeys(w for w in also if w not in shown))
    return {name: also for name, also in out.items() if also}


def _families(ev: Evaluation) -> list[tuple[str, Grid]]:
    """Return the question of each family of metrics, and the table of them."""
    present = _listed(ev)
    if not use_of(ev).only:
        twice = twice_named()
        present = [name for name in present if name not in twice]
    heads = ("Metric", *map(words.text, ev.names), "How the interval was made")
    of_models, out = list(ev.values().values()), []
    for family, (title, question) in words.FAMILIES.items():
        metrics = [METRICS[n] for n in present if METRICS[n].family == family]
        rows: list[Row] = []
        for m, row in zip(
            metrics, pieces.metric_rows(ev, metrics, words.how_to_read(metrics)), strict=True
        ):
            known = [of[m.name].method for of in of_models if m.name in of]
            rows.append((*row, Cell(next(filter(None, known), ""), style="dim")))
        if rows:
            out.append((question, Grid(heads, rows, title)))
    return out


def _classes(ev: Evaluation) -> list[tuple[str, Grid]]:
    """Return the metrics of each class, model by model."""
    if ev.binary:
        return []
    out = []
    for place, (model, of_classes) in enumerate(ev.per_class(PER_CLASS).items()):
        heads = ("Class", *(get(n).title for n in next(iter(of_classes.values()))))
        rows: list[Row] = [
            (
                words.text(label),
                *pieces.keyed(
                    (value_cell(v, brief=True) for v in values.values()),
                    (f"models.{place}.per_class.{i}.values.{j}" for j in range(len(values))),
                ),
            )
            for i, (label, values) in enumerate(of_classes.items())
        ]
        out.append((words.text(model), Grid(heads, rows, "Metrics of each class")))
    return out


def _methods(ev: Evaluation) -> list[str]:
    """Return the methods of all intervals."""
    listed = _listed(ev)
    methods = {of[n].method for of in ev.values().values() for n in listed if n in of}
    return sorted(m for m in methods if m and not m.startswith("no interval"))


def _cited(ev: Evaluation, advice: Advice) -> list[str]:
    keys = {k for n in _listed(ev) for k in METRICS[n].words.sources}
    if use_of(ev).decisions:
        keys |= {k for s in advice.statements for k in s.sources}
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


# -- what if: another threshold, another prevalence ----------------------------------------------


def _costs(cost_fp: float | None, cost_fn: float | None, profit: bool) -> tuple[str, str]:
    """Return what the panel starts with: the cost of a missed positive and of a false alarm.

    Where profit is counted it is what a response earns, of which a missed one loses what is left
    after the contact, and what a contact costs.
    """
    if cost_fp is None or cost_fn is None:
        return "10" if profit else "1", "1"
    return f"{cost_fn + cost_fp if profit else cost_fn:g}", f"{cost_fp:g}"


def _panel(ev: Evaluation, model: Model | None) -> dict[str, Any] | None:
    """Return what the panel shows before anything is moved: the best model as it decides."""
    if model is None or not all(model.labels.counts.sum(1) > 0):
        return None
    counts, values = model.labels.binary(ev.positive), ev.values()[model.name]
    classes = [ev.classes[i] for i in words.shown_order(ev.classes, ev.positive)]

    def cell(true: Label, said: Label) -> tuple[str, str, str, str]:
        """Return a cell of the matrix: its key, its shade, its count and its name."""
        right, called = true == said, said == ev.positive
        key = ("t" if right else "f") + ("p" if called else "n")
        name = f"{'true' if right else 'false'} {'positives' if called else 'negatives'}"
        return key, "g2" if right else "b2", words.count(float(getattr(counts, key))), name

    return {
        "model": model,
        "positive": words.text(str(ev.positive)),
        "labels": [words.text(c) for c in classes],
        "matrix": [(words.text(t), [cell(t, c) for c in classes]) for t in classes],
        "rows": [(n, get(n).title, value_cell(values[n])) for n in SWEPT],
    }


def _what_if(ev: Evaluation, models: Sequence[Model], ranked: Sequence[str]) -> dict[str, Any]:
    """Return the counts of each model at its steps, and the bounds that the script looks up."""
    if not models or not all(models[0].labels.counts.sum(1) > 0):
        return {"models": []}
    counts = models[0].labels.binary(ev.positive)
    own = float(counts.positives / counts.total)
    shares = np.array([p for p in PREVALENCES if abs(p - own) > 1e-9])
    budget = SWEEP_BUDGET if len(models) <= 3 else CROWDED_BUDGET
    most = max(20, budget // len(models))
    return {
        "rows": float(counts.total),
        "own": own,
        "p": shares.tolist(),
        "first": min(range(len(models)), key=lambda i: ranked.index(models[i].name)),
        "models": [_steps(ev, m, most, shares) for m in models],
    }


def _steps(ev: Evaluation, model: Model, most: int, shares: NDArray[Any]) -> dict[str, Any]:
    """Return a model's steps: thresholds, counts, and bounds here and at other prevalences."""
    tally, wanted = model.scores[0], 0.5 if model.threshold is None else model.threshold
    every = sweep_cuts(model, tally)
    start = int(np.argmin(np.abs(np.where(np.isinf(every), 1e300, every) - wanted)))
    keep = np.append(np.linspace(0, len(every) - 1, most).round(), start)
    # From the lowest threshold up: the slider's right end is the strictest.
    index = np.unique(keep.astype(int))[::-1]
    cuts, scores = every[index], tally.score_counts.scores
    options: dict[str, Any] = {"level": ev.level, "seed": ev.seed, "stratified": ev.stratified}
    s = sweep_of(tally, cuts, bounded=not ev.clusters, **options)
    below = np.append(-math.inf, scores)[np.searchsorted(scores, cuts)].tolist()
    counts, values = model.labels.binary(ev.positive), ev.values()[model.name]
    tiles = [n for n in words.brief(ev) if n in MOVED]
    written = quantities.cuts(zip(cuts.tolist(), below, strict=True))
    return {
        "name": words.text(model.name),
        "positives": float(counts.positives),
        "negatives": float(counts.negatives),
        "start": int(np.flatnonzero(index == start)[0]),
        "given": {
            "t": _own(model),
            **{k: float(getattr(counts, k)) for k in COUNTS},
            "m": {n: _rounded([values[n].low, values[n].high]) for n in SWEPT},
            "f": _elsewhere(ev, model.labels, MOVED, shares),
        },
        "t": [
            _own(model) if t == model.threshold else shown
            for t, shown in zip(cuts.tolist(), written, strict=True)
        ],
        "tp": _plain(s.tp),
        "fp": _plain(s.fp),
        "m": {n: [_rounded(a) for a in arrays[1:]] for n, arrays in s.metrics.items()},
        "f": _elsewhere(ev, tally, tiles, shares, cuts),
    }


def _elsewhere(
    ev: Evaluation,
    tally: LabelTally | ScoreTally,
    names: Sequence[str],
    shares: NDArray[Any],
    cuts: NDArray[Any] | None = None,
) -> dict[str, list[list[int | None]]]:
    """Return the bounds of metrics at other prevalences, those of a threshold side by side."""
    if ev.clusters or ev.positive is None:  # bounds hold for rows that stand alone
        return {}
    statistics = {n: Statistic.of(get(n), ev.classes, ev.positive) for n in names}
    options: dict[str, Any] = {"level": ev.level, "seed": ev.seed}
    found = over_shares(statistics, tally, ev.positive, shares, thresholds=cuts, **options)
    return {n: [_rounded(e.lows), _rounded(e.highs)] for n, e in found.items()}


def _plain(counts: NDArray[Any]) -> list[float | int]:
    """Return counts exactly, in few letters."""
    return [int(n) if n.is_integer() else n for n in counts.tolist()]


def _own(model: Model) -> str:
    """Return the threshold that a model's decisions were made by."""
    return "as given" if model.threshold is None else f"{model.threshold:.15g}"


def _reasons() -> dict[str, str]:
    """Return why a metric of the panel is undefined where it is."""
    out = {}
    for name in SWEPT:
        m = get(name)
        for nothing in (Counts(0, 0, 9, 9), Counts(9, 9, 0, 0)):
            reason = m.reason(nothing if m.needs == "counts" else nothing.matrix())
            if reason:
                out[name] = reason
    return out


def _rounded(values: Any) -> list[int | None]:
    """Return numbers in thousandths, rounded as they are everywhere else on the page."""
    return [None if math.isnan(v) else round(1000 * float(f"{v:.3f}")) for v in values]
