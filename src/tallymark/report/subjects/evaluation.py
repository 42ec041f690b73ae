"""Evaluations: the headline metrics of every model, all metrics, and the card."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from tallymark.findings.advice import Advice
from tallymark.metric import METRICS, Metric, get
from tallymark.metric.measure import Value
from tallymark.metric.registry import twice_named
from tallymark.report import words
from tallymark.report.blocks import (
    GAP,
    Block,
    Calls,
    Cell,
    Chart,
    Figure,
    Folded,
    Grid,
    Group,
    Headline,
    Interval,
    Panel,
    Paragraph,
    Row,
    Tile,
    Tiles,
    paragraphs,
)
from tallymark.report.evaluation import Evaluation
from tallymark.report.subjects.classes import of_each_class, support
from tallymark.report.subjects.comparison import FEWEST_RANKED, verdicts, verdicts_title
from tallymark.report.subjects.curve_charts import first_chart
from tallymark.report.subjects.decision import at_recommended, decision
from tallymark.report.subjects.labels import AVERAGE_WORDS, averages
from tallymark.report.subjects.matrices import (
    MANY,
    bare_matrix,
    counts_of_models,
    matrix_of_model,
)
from tallymark.report.subjects.steps import steps
from tallymark.report.subjects.subgroups import subgroups_of
from tallymark.report.subjects.summary import (
    MOST_VERDICTS,
    STAR,
    about,
    best_of,
    brief,
    facts,
    headline,
    metric_title,
    metric_titles,
    one_line,
    ranking,
    read_as,
    title_of,
    verdict_sentence,
    warnings,
)
from tallymark.report.subjects.values import (
    ABOVE_NO_INFORMATION,
    NO_INFORMATION,
    Shown,
    always_saying,
    ends_of,
    how,
    published_error,
    value_cells,
)
from tallymark.report.uses import account_of, use_of

FAMILIES: Mapping[str, tuple[str, str]] = {
    "threshold": (
        "Decisions: right and wrong at the threshold",
        "Computed from the confusion matrix.",
    ),
    "rank": (
        "Ranking: whether positives score higher than negatives",
        "Computed from the order of the scores, over all thresholds.",
    ),
    "probability": (
        "Probabilities: whether they match what happens",
        "Computed from the distance between each probability and the true class.",
    ),
    "multi-label": (
        "Several labels a row: whether whole sets and their order are right",
        "Means over rows.",
    ),
}
"""The question that each family of metrics answers, and what it needs."""

MOST_LINES = 30
"""Classes that are listed individually."""


def best_of_row(ev: Evaluation, name: str) -> tuple[list[Value | None], list[Value], set[int]]:
    """Return a metric of every model, the defined values, and the index of the best model.

    The best model must be significantly better than each other one, and better than guessing;
    otherwise the set is empty.
    """
    values = [of_model.get(name) for of_model in ev.values().values()]
    present = [v for v in values if v is not None]
    best = best_of(present, get(name).better) if len(present) == len(values) else set()
    best = {i for i in best if _beats_guessing(ev, present[i])}
    return values, present, {i for i in best if _beats_all(ev, name, ev.names[i])}


def _beats_guessing(ev: Evaluation, v: Value) -> bool:
    """Return whether a value is better than what guessing achieves, if that is known."""
    m = get(v.metric)
    guess = guessing_value(ev, m)
    if guess is None or math.isnan(guess):
        return True
    lead = v.value - guess if m.better == "high" else guess - v.value
    return lead > 1e-9 * abs(guess)  # rounding alone is no lead


def _beats_all(ev: Evaluation, name: str, model: str) -> bool:
    """Return whether a model's lead over each other one is significant, for this metric alone."""
    c = ev._compared
    pairs = () if c is None else [p for p in c.pairs if model in (p.first, p.second)]
    of_pairs = [p.differences.get(name) for p in pairs]
    return bool(of_pairs) and all(
        d is not None and (d.low > 0 or d.high < 0) and d.p_value < 1 - ev.level for d in of_pairs
    )


def evaluation(ev: Evaluation) -> Iterator[Block]:
    """Yield the verdict, the warnings, how rows were read, the matrix and the numbers."""
    yield Headline(one_line(ev))
    yield Paragraph(ev.source.name, "title")
    result, verdict = decision(ev), verdict_sentence(ev)
    yield from [Paragraph(result.title, "bold")] if result.title else []
    yield Paragraph(result.lead, "" if result.title else "bold")
    yield from [Paragraph(verdict)] if verdict not in result.text else []
    yield from warnings(ev)
    yield GAP
    yield from read_as(ev, about(ev))
    account, several = account_of(ev), len(ev.names) > 1
    for part in account.sections if account else ():
        yield GAP
        yield from [Paragraph(part.title, "title")] if several else []
        yield part.table
        yield from (Paragraph(sentence, item=True) for sentence in part.sentences)
    if ev.stratified and not account:
        yield GAP
        yield Paragraph(_expected_counts(ev), "dim")
    if several and ev.binary and not account:
        yield GAP
        yield counts_of_models(ev)
    for model in () if account or ev.labels or (several and ev.binary) else ev.models:
        yield GAP
        yield from matrix_of_model(model, ev.positive)
    if not account:
        yield GAP
        yield _models(ev) if several else _numbers(ev, ev.names[0])
        yield from _about_numbers(ev)
    for name in () if account or ev.binary else ev.names:
        yield GAP
        rule = f": {ev._counted.model(name).rule}" if ev.labels else ""
        yield from [Paragraph(f"{name}{rule}", "title")] if several or rule else []
        if ev.labels:
            yield averages(ev, name)
            yield Paragraph(AVERAGE_WORDS, "dim", indent=2)
            yield GAP
        yield from _classes_of(ev, name)
    if several:
        yield from _verdicts(ev)
    yield from subgroups_of(ev)


def _expected_counts(ev: Evaluation) -> str:
    """Return that matrices are not those of the rows, but of an assumed class balance."""
    shares = "the assumed shares of the classes"
    if ev.binary:
        c = ev.models[0].labels.binary(ev.positive)
        shares = f"an assumed prevalence of {words.share(float(c.positives / c.total))}"
    return f"Counts are those expected at {shares}."


def _numbers(ev: Evaluation, model: str) -> Grid:
    """Return the metrics of one model with their intervals, drawn on an axis from 0 to 1."""
    values = ev.values()[model]
    rows: list[tuple[Cell | str, ...]] = []
    family = ""
    for name in (n for n in headline(ev) if n in values):
        if get(name).family != family:
            family = get(name).family
            title = FAMILIES[family][0].split(":")[0]
            rows.append((Cell(title, style="title"), "", "", ""))
        v = values[name]
        title = metric_title(title_of(ev, name), v)
        rows.append((f"  {title}", words.value(v), words.interval(v), _bar(v)))
        if published_error(v):
            rows.append(("    its standard error", words.number(v.se), "", ""))
        if name == "brier" and (constant := constant_brier(ev)):
            rows.append((f"    {ALWAYS_THE_SHARE}", constant, "", ""))
        if (opinion := get(name).words._opinion) and not v.reason:
            rows.append((f"    {opinion[0]} call it", opinion[1](v.value), "", ""))
    heads = ("metric", "value", words.interval_head(ev.level), "0" + "1".rjust(_BAR + 1))
    return Grid(heads, rows, left=(0, 2, 3), optional=(3,), drawn=True)


_BAR = 21
"""Width of the axis from 0 to 1 in columns."""


def _bar(v: Value) -> str:
    """Return an interval drawn on the axis from 0 to 1; empty if it is outside."""
    ends = [v.low, v.value, v.high]
    if not all(0 <= x <= 1 for x in ends):
        return ""
    low, at, high = (round(x * (_BAR - 1)) for x in ends)
    line = (" " * low + "-" * (high - low + 1)).ljust(_BAR)
    return f"|{line[:at]}o{line[at + 1 :]}|"


def _models(ev: Evaluation) -> Grid:
    """Return the metrics of several models, with the intervals below them."""
    titles, values = [], []
    for name in headline(ev):
        of_models, present, best = best_of_row(ev, name)
        titles.append(metric_title(title_of(ev, name), present[0]))
        values.append([Shown(v, best=i in best) for i, v in enumerate(of_models)])
    cells = value_cells(values)
    rows: list[Row] = []
    for name, title, row in zip(headline(ev), titles, cells, strict=True):
        rows.append((title, *row))
        if name == "brier" and (constant := constant_brier(ev)):
            rows.append((f"  {ALWAYS_THE_SHARE}", *[constant] * len(row)))
    return Grid(("metric", *ev.names), rows)


ALWAYS_THE_SHARE = "always giving the share"


def constant_brier(ev: Evaluation) -> str:
    """Return the Brier score of always giving the share of positives; empty if undefined."""
    constant = guessing_value(ev, get("brier"))
    return "" if constant is None or math.isnan(constant) else words.number(constant)


def _about_numbers(ev: Evaluation) -> Iterator[Block]:
    """Yield the meaning of stars, undefined numbers, the methods, and the rate of guessing."""
    several, undefined = len(ev.names) > 1, []
    for name in headline(ev):
        for model, of_model in ev.values().items():
            v = of_model.get(name)
            if v is not None and (v.reason or math.isinf(v.value)):
                title = metric_title(title_of(ev, name), v)
                undefined.append((how(v), f"{title} of {model}" if several else title))
    if several:
        star = f"{STAR}; " if ev._compared is not None else ""
        yield Paragraph(f"{star}{words.interval_head(ev.level)} below each number", "dim")
    for reason, of in words.grouped(undefined).items():
        yield Paragraph(f"{', '.join(of)}: {reason}")
    yield from paragraphs(interval_methods(ev), "dim")
    if ev.labels:
        return
    nothing = ev.no_information()
    always = always_saying(words.text(nothing.label))
    line = f"{NO_INFORMATION} {words.number(nothing.rate)} ({always})"
    tests = [
        f"{words.text(m) + ' ' if several else ''}{words.p_is(p)}"
        for m, p in nothing.p_values.items()
        if p is not None
    ]
    above = f"; {ABOVE_NO_INFORMATION}: {', '.join(tests)}, one-sided McNemar mid-p"
    yield Paragraph(line + above if tests else line, "dim")


def interval_methods(ev: Evaluation) -> list[str]:
    """Return the interval methods of the headline metrics."""
    by_method = words.grouped(
        (how(v), metric_title(title_of(ev, name), v))
        for name in headline(ev)
        for v in (of_model.get(name) for of_model in ev.values().values())
        if v is not None and words.interval(v)
    )
    return [f"intervals by {method}: {', '.join(titles)}" for method, titles in by_method.items()]


def _verdicts(ev: Evaluation) -> Iterator[Block]:
    result = ev._compared
    if result is None:
        return
    yield GAP
    yield Paragraph(verdicts_title(result), "title")
    lines = verdicts(result)[:MOST_VERDICTS]
    yield from (Paragraph(line, item=True) for line in lines)
    if len(result.pairs) > len(lines):
        omitted = words.many(len(result.pairs) - len(lines), "more pair")
        yield Paragraph(f"{omitted}: tallymark compare, or ev.compare(), lists all", "dim")


def _classes_of(ev: Evaluation, model: str) -> Iterator[Block]:
    of_classes, of_rows = of_each_class(ev, model), support(ev, model)
    names = [n for n in next(iter(of_classes.values())) if n != "prevalence"]
    listed = list(of_classes)[:MOST_LINES]
    rows = [
        (str(c), words.count(of_rows[c]), *(words.value(of_classes[c][n]) for n in names))
        for c in listed
    ]
    one, many = ("label", "labels") if ev.labels else ("class", "classes")
    heads = (one, "rows", *(words.SHORT_TITLES.get(n, n) for n in names))
    yield Grid(heads, rows, indent=2)
    if len(of_classes) > len(listed):
        omitted = words.many(len(of_classes) - len(listed), f"more {one}", f"more {many}")
        some = len(of_classes) <= MANY
        text = f"and {omitted}: {'the page lists' if some else 'ev.per_class() has'} all"
        yield Paragraph(text, "dim", indent=2)


# -- on a page ---------------------------------------------------------------------------------

MOST_IN_A_TILE = 3
"""Models shown in a tile, the best first."""


def metric_rows(
    ev: Evaluation, metrics: Sequence[Metric], notes: Sequence[str] = (), bar: bool = False
) -> list[Row]:
    """Return one row per metric with a cell per model; the bars of a row share one scale."""
    of_models = list(ev.values().values())
    several = len(of_models) > 1
    first = [next(of[m.name] for of in of_models if m.name in of) for m in metrics]
    titles = metric_titles(ev, metrics, first)
    by_metric = []
    for m in metrics:
        values = [of.get(m.name) for of in of_models]
        best = best_of_row(ev, m.name)[2] if several else set()
        scale = ends_of([v for v in values if v is not None]) if bar and several else None
        keys = [f"models.{i}.values.{m.name}" for i in range(len(values))]
        by_metric.append([Shown(v, keys[i], i in best, scale) for i, v in enumerate(values)])
    leads = [
        Cell(title, m.words.meaning, note=note)
        for m, title, note in zip(metrics, titles, notes or [""] * len(metrics), strict=True)
    ]
    return [(lead, *cells) for lead, cells in zip(leads, value_cells(by_metric), strict=True)]


def numbers(ev: Evaluation, names: Sequence[str]) -> Grid:
    """Return a table of metrics of every model with their intervals."""
    rows = metric_rows(ev, [get(name) for name in names], bar=True)
    star = f"; ★{STAR[1:]}" if len(ev.names) > 1 and ev._compared is not None else ""
    caption = f"The number, its {words.percent(ev.level, 0)} interval below it{star}."
    return Grid(("Metric", *map(words.text, ev.names)), rows, caption, look="numbers")


AVERAGED_OVER: Mapping[str, str] = {
    "macro": ": the mean over {kinds}, which all count alike",
    "micro": " of all {kinds} pooled, so that frequent ones count more",
    "weighted": ": the mean over {kinds}, weighted by their rows",
}
"""What an average adds to the meaning of a metric."""


def tiles(ev: Evaluation) -> Tiles | None:
    """Return the headline metrics, each with the best models and their intervals.

    Intervals are drawn on the axis from 0 to 1, with a tick for guessing; a metric with values
    outside has its own axis. A metric of decisions has its value at the recommended threshold too.
    None if no headline metric is available.
    """
    _, ranked = ranking(ev)
    of_models = ev.values()
    out = []
    moved = at_recommended(ev)
    shown = [(name, of_models, f"values.{name}") for name in brief(ev)]
    if ev.labels:
        micro = {n: {"f1": of["f1"]["micro"]} for n, of in ev._averages().items()}
        shown.append(("f1", micro, "averages.f1.micro"))
    for name, of, path in shown:
        m, models = get(name), [n for n in ranked[:MOST_IN_A_TILE] if name in of[n]]
        if not models:
            continue
        values = [of[n][name] for n in models]
        guess, several = guessing_value(ev, m), len(ev.names) > 1
        ends = _axis(m, values, guess)
        # Differences of an average that is not the default are not tested.
        best = best_of_row(ev, name)[2] if of is of_models else set()
        led = len(ev.names) >= FEWEST_RANKED
        figures = [
            Figure(
                words.text(ev.names[i]) if several else "",
                f"models.{i}.{path}",
                words.value(v),
                words.interval(v) or v.reason or "no interval",
                None if ends is None else Interval(v.value, v.low, v.high, *ends, guess),
                int(ev.names[i] != ranked[0]) if led else i if several else None,
                i in best,
            )
            for i, v in zip(map(ev.names.index, models), values, strict=True)
        ]
        axis = "" if ends in (None, (0, 1)) else f" Axis: {_short_ends(*ends)}."
        title = metric_title(title_of(ev, name), values[0])
        lower, alone = m.better == "low", len(ev.names) == 1
        averaged = AVERAGED_OVER.get(str(values[0].definition.get("average")), "")
        kinds = "labels" if ev.labels else "classes"
        meaning = f"{m.words.meaning.rstrip('.')}{averaged.format(kinds=kinds)}."
        at = ""
        if moved is not None and m.family == "threshold":
            who = f"{figures[0].who} at".lstrip()
            at = f"{who} {moved[0]}: {words.value(moved[1][name])}"
        out.append(Tile(title, figures, meaning + axis, lower, alone, led, at))
    omitted = len(ev.names) - MOST_IN_A_TILE
    more = [f"{words.many(omitted, 'more model')} below."] if omitted > 0 else []
    drawn = [f.interval for t in out for f in t.figures if f.interval is not None]
    guessed = "; tick: guessing" if any(i.guess is not None for i in drawn) else ""
    bold = "Bold: better than guessing, and than every other model beyond chance."
    notes = [bold] * (len(ev.names) > 1) + more
    axes = f"Axes: 0 to 1 unless stated{guessed}." if drawn else ""
    return Tiles(out, " ".join(notes), axes) if out else None


def _axis(m: Metric, values: Sequence[Value], guess: float | None) -> tuple[float, float] | None:
    """Return the axis of a metric: from 0 to 1 where its bounds permit, so that metrics share it.

    Otherwise it is the metric's range, or if that is unbounded, from 0 to a round number beyond the
    bounds and what guessing achieves.
    """
    ends = ends_of(values)
    most = 0.0 if ends is None else max(ends[1], guess or 0.0)
    if ends is None or (ends[0] >= 0 and most <= 1):
        return None if ends is None else (0, 1)
    if all(map(math.isfinite, m.range)):
        return m.range
    return min(0.0, ends[0]), _rounded_up(most)


def _rounded_up(x: float) -> float:
    """Return a number rounded up to a round one, for the end of an axis.

    >>> _rounded_up(1.0986), _rounded_up(26)
    (1.2, 30.0)
    """
    unit = 10.0 ** math.floor(math.log10(x))
    return next(unit * t for t in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if unit * t >= x)


def _short_ends(low: float, high: float) -> str:
    return f"{low:.3g} to {high:.3g}"


def guessing_value(ev: Evaluation, m: Metric) -> float | None:
    """Return what guessing achieves in a metric; None if that is not one known number."""
    if isinstance(m.chance, float):
        return m.chance
    if not isinstance(m.chance, str) or ev.labels:
        return None
    rows = ev.models[0].labels.counts.sum(1)
    shares = rows[rows > 0] / max(float(rows.sum()), 1e-300)
    known = {
        "no-information rate": ev.no_information().rate,
        "1 / classes": 1 / len(ev.classes),
        "entropy of the classes": -float((shares * np.log(shares)).sum()),
    }
    if ev.binary:
        c = ev.models[0].labels.binary(ev.positive)
        share = float(c.positives / c.total) if c.total else math.nan
        known |= {"prevalence": share, "1 - prevalence": 1 - share}
        known |= {"variance of the class": share * (1 - share)}
    return known.get(m.chance)


# -- in a notebook -----------------------------------------------------------------------------

MOST_MATRICES, MOST_CLASSES = 3, 10
"""Limits of an evaluation's card; calls show the rest."""

MORE = (
    ("ev.help()", "lists what it can answer"),
    ('ev.report("page.html")', "writes the page with everything"),
)
"""Calls that show more than a card."""


def evaluation_card(ev: Evaluation) -> Iterator[Block]:
    """Yield a card: verdict, facts, four metrics, first curve, next steps and matrices."""
    account, matrices = account_of(ev), list[Block]()
    parts: list[Block] = [numbers(ev, brief(ev))] if account is None else []
    parts += [] if account is None else [section.table for section in account.sections]
    if (chart := first_chart(ev)) is not None:
        parts.append(_in_few_words(ev, chart))
    if use_of(ev).decisions:
        few = (m for m in ev.models[:MOST_MATRICES] if len(ev.classes) <= MOST_CLASSES)
        matrices = [bare_matrix(m, ev.positive, i) for i, m in enumerate(few)]
    result = decision(ev)
    yield Group(
        [
            Paragraph(result.title or ev.source.name, "title"),
            Paragraph(result.lead),
            Paragraph(facts(ev), "dim"),
            Group(parts, "beside"),
            *steps(ev, rest="print(ev) shows all"),
            *([Folded("Matrices", [Group(matrices, "beside")])] if matrices else []),
            Calls(words.said(ev.source.sentence), MORE),
        ]
    )


def _in_few_words(ev: Evaluation, chart: Chart) -> Chart:
    """Return the first chart with a short legend: one model's keys, or the bands of several."""
    keys, caption = chart.keys, ""
    if len(chart.legend) > 1 and any(k.kind == "band" for k in keys):
        keys, caption = (), f"Shaded: {words.percent(ev.level, 0)} confidence bands."
    if chart.kind == "classes":
        caption = chart.words
    legend = tuple((style, name, "") for style, name, _ in chart.legend)  # the table has areas
    return replace(
        chart, words=caption, keys=keys, legend=legend, error=0.0, numbers=Grid((), ()), reads=False
    )


# -- all metrics -------------------------------------------------------------------------------


def listed_metrics(ev: Evaluation) -> list[str]:
    """Return the available metrics that the page lists."""
    available = dict.fromkeys(name for values in ev.values().values() for name in values)
    return [name for name in use_of(ev).only or available if name in available]


def also_called(names: Sequence[str]) -> dict[str, str]:
    """Return the words of metrics' aliases that are not found in their rows or in other words."""
    out = {}
    for m in (METRICS[n] for n in names):
        visible = f"{m.name} {m.title} {m.words.formula} {m.words.meaning}".lower()
        also = dict.fromkeys(re.findall(r"[a-z0-9]+", " ".join(m.aliases).lower()))
        inside = {w for w in also for other in also if w != other and w in other}
        out[m.name] = " ".join(w for w in also if w not in visible and w not in inside)
    return {name: also for name, also in out.items() if also}


def metric_families(ev: Evaluation) -> list[tuple[str, Grid]]:
    """Return the question of each family of metrics, and the table of its metrics."""
    present = listed_metrics(ev)
    if not use_of(ev).only:
        twice = twice_named()
        own = use_of(ev).titles
        present = [name for name in present if name not in twice or name in own]
    heads = ("Metric", *map(words.text, ev.names), "How the interval was made")
    of_models, out = list(ev.values().values()), []
    for family, (title, question) in FAMILIES.items():
        metrics = [METRICS[n] for n in present if METRICS[n].family == family]
        rows: list[Row] = []
        for m, row in zip(
            metrics, metric_rows(ev, metrics, words.how_to_read(metrics)), strict=True
        ):
            # Why there is no interval stands beside the value.
            methods = (of[m.name].method or "" for of in of_models if m.name in of)
            made = next((m for m in methods if m and not m.startswith("no interval")), "")
            rows.append((*row, made))
        if rows:
            out.append((question, Grid(heads, rows, title)))
    return out


def class_tables(ev: Evaluation) -> list[tuple[str, Grid]]:
    """Return tables of the metrics of each class, one per model."""
    if ev.binary:
        return []
    out = []
    kind, kinds = ("label", "labels") if ev.labels else ("class", "classes")
    for place, (model, of_classes) in enumerate(ev.per_class(use_of(ev).per_class).items()):
        heads = (kind.capitalize(), *(get(n).title for n in next(iter(of_classes.values()))))
        key = f"models.{place}.per_class"
        places, title = range(len(of_classes)), f"Metrics of each {kind}"
        every = list(of_classes.items())
        if len(every) > MANY:
            lead = "f1" if "f1" in every[0][1] else next(iter(every[0][1]))
            lowest = np.argsort([values[lead].value for _, values in every], kind="stable")
            places = lowest[:MANY].tolist()
            title = (
                f"Metrics of the {MANY} {kinds} with the lowest {get(lead).title}, of "
                f"{len(every):,}; ev.per_class() has all"
            )
        by_class = [
            [Shown(v, f"{key}.{i}.values.{j}") for j, v in enumerate(every[i][1].values())]
            for i in places
        ]
        names, cells = (words.text(every[i][0]) for i in places), value_cells(by_class, brief=True)
        rows: list[Row] = [(name, *row) for name, row in zip(names, cells, strict=True)]
        out.append((words.text(model), Grid(heads, rows, title)))
    return out


def methods_of(ev: Evaluation) -> list[str]:
    """Return the methods of all intervals."""
    listed = listed_metrics(ev)
    methods = {of[n].method for of in ev.values().values() for n in listed if n in of}
    return sorted(m for m in methods if m and not m.startswith("no interval"))


def cited(ev: Evaluation, advice: Advice | None, panels: Iterable[Panel] = ()) -> list[str]:
    """Return the keys of the sources of everything on the page."""
    keys = {k for p in panels for k in p.sources}
    keys |= {k for n in listed_metrics(ev) for k in METRICS[n].words.sources}
    if use_of(ev).decisions and advice is not None:
        keys |= {k for s in advice.statements for k in s.sources}
    if ev._compared is not None:
        tests = [*ev._compared.overall, *(t for p in ev._compared.pairs for t in p.tests)]
        keys |= {t.source for t in tests if t.source}
    return sorted(keys)
