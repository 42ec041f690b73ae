"""Pieces of pages and of cards in a notebook: a result in, a table or a fragment of HTML out.

A piece keeps no state and has no ids, so that it can stand anywhere and twice. A cell of an
evaluation carries the place of its number in ``to_dict()`` as the attribute ``data-key``.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from tallymark.infer.by_subgroup import Subgroups
from tallymark.infer.compare import Comparison, Pair
from tallymark.metric import Metric, get
from tallymark.metric.measure import Value
from tallymark.metric.sources import authors
from tallymark.quantities import cut
from tallymark.reading.models import Model
from tallymark.report import charts, svg, words
from tallymark.report.blocks import (
    Cell,
    Grid,
    Paragraph,
    Row,
    hidden,
    html_text,
    section,
    side_by_side,
    table_html,
)
from tallymark.report.charts import Chart
from tallymark.report.evaluation import MOST_SUBGROUPS, Evaluation
from tallymark.report.renderers import (
    MANY_PAIRS,
    SMALL,
    best_of_row,
    name_of,
    pairs_by_rank,
    subgroup_verdict,
    value_cell,
    verdicts,
)
from tallymark.studies.advice import MOST_FINDINGS, SECTIONS, Advice, Cut, Statement
from tallymark.tally.arrays import Label

WIDE_MATRIX = 12
WIDEST_MATRIX = 30
"""Classes above which a matrix is told by its shades, and above which it is not shown."""

MOST_IN_A_TILE = 3
"""Models of which a tile shows a metric, the best first."""

MOST_PAIRS = 15
"""Pairs that are told one by one."""

SHADES = 5
TRUE_BY_PREDICTED = "true ↓ \npredicted →"


# -- fragments ---------------------------------------------------------------------------------


def bands_in_short(c: Chart, level: float) -> Chart:
    """Return a chart of several lines whose bands have one key for all of them."""
    bands = [css for css, _ in c.keys if css.startswith("band own")]
    if len(bands) < 2:
        return c
    others = tuple(k for k in c.keys if k[0] not in bands)
    said = ("band", f"{words.percent(level, 0)} confidence bands")
    return replace(c, keys=(*others, said))


def items(lines: Iterable[str], css: str = "") -> str:
    """Return sentences as a list, nothing of none."""
    body = "".join(f"<li>{html_text(line)}</li>" for line in lines)
    return f"<ul{_class(css)}>{body}</ul>" if body else ""


def figure(c: Chart, level: str = "h3", of: str = "", read: bool = True) -> str:
    """Return a chart with its title, its legends, its words and its numbers as a table.

    ``of`` says whose it is; ``read`` leaves room for the page's script to read points out.
    """
    legend = "".join(
        f'<li><svg class="s{style}" viewBox="0 0 34 10" aria-hidden="true">'
        f'<path class="line" d="M1 5H33"/></svg>{html_text(name)}'
        + (f' <span class="faint">{html_text(value)}</span>' if value else "")
        + "</li>"
        for style, name, value in ([] if c.labelled else c.legend)
    )
    marks = "".join(f"<li>{mark}{html_text(meaning)}</li>" for mark, meaning in c.marks)
    keys = "".join(
        f'<li><svg viewBox="0 0 34 10" aria-hidden="true">{_sample(css)}</svg>'
        f"{html_text(meaning)}</li>"
        for css, meaning in c.keys
    )
    said = html_text(c.words)
    if c.error >= 0.0005:
        said += f" Drawn from fewer points, none off by more than {c.error:.2g}."
    title = f"{c.title} of {of}" if of else c.title
    parts = [
        f"<figure>\n<{level}>{html_text(c.title)}</{level}>\n{c.svg}",
        '<p class="readout" aria-hidden="true">&nbsp;</p>' if c.reads and read else "",
        f'<ul class="legend">{legend}</ul>' if legend else "",
        f'<ul class="legend marks">{marks}</ul>' if marks else "",
        f'<ul class="legend keys">{keys}</ul>' if keys else "",
        f"<figcaption>{said}</figcaption>" if c.words else "",
        numbers_of(c, title) if c.numbers.rows else "",
        "</figure>",
    ]
    return "\n".join(filter(None, parts))


def distribution(c: Chart, level: str = "h3", of: str = "") -> str:
    """Return the scores of both classes of a line, with their numbers as a table."""
    title = f"{words.SCORES_TITLE} of {c.title}" + (f", {of}" if of else "")
    return (
        f"<figure>\n<{level}>{html_text(words.SCORES_TITLE)}: {html_text(c.title)}</{level}>\n"
        f"{c.svg}{numbers_of(c, title)}</figure>"
    )


def numbers_of(c: Chart, title: str) -> str:
    """Return the table of a chart's numbers, which a reader opens."""
    return hidden("Numbers", table(c.numbers, "", True, title), title)


def table(grid: Grid, css: str = "", hide: bool = False, caption: str = "") -> str:
    """Return a table, under another caption if one is given."""
    return table_html(replace(grid, caption=caption) if caption else grid, css, hide)


def _sample(css: str) -> str:
    if css.startswith("band"):
        return f'<rect class="{css}" x="1" width="32" height="10"/>'
    return f'<path class="{css}" d="M1 5H33"/>'


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""


# -- an evaluation -----------------------------------------------------------------------------


def metric_rows(
    ev: Evaluation, metrics: Sequence[Metric], notes: Sequence[str] = (), bar: bool = False
) -> list[Row]:
    """Return metrics, each with a cell a model; bars of a row share one scale."""
    of_models = list(ev.values().values())
    several = len(of_models) > 1
    first = [next(of[m.name] for of in of_models if m.name in of) for m in metrics]
    titles = words.metric_titles(ev, metrics, first)
    rows: list[Row] = []
    for m, lead, note in zip(metrics, titles, notes or [""] * len(metrics), strict=True):
        values = [of.get(m.name) for of in of_models]
        best = best_of_row(ev, m.name)[2] if several else set()
        scale = _ends([v for v in values if v is not None]) if bar and several else None
        cells = keyed(
            (value_cell(v, i in best, scale) for i, v in enumerate(values)),
            (f"models.{i}.values.{m.name}" for i in range(len(values))),
        )
        rows.append((Cell(lead, m.words.meaning, note=note), *cells))
    return rows


def _ends(values: Sequence[Value]) -> tuple[float, float] | None:
    """Return from where to where the intervals of values lie."""
    ends = [x for v in values for x in (v.low, v.high) if math.isfinite(x)]
    return (min(ends), max(ends)) if ends else None


def numbers(ev: Evaluation, names: Sequence[str]) -> Grid:
    """Return metrics of every model with their intervals."""
    rows = metric_rows(ev, [get(name) for name in names], bar=True)
    star = "; ★ significantly better than every other model, each metric by itself"
    star = star if len(ev.names) > 1 and ev.compared is not None else ""
    caption = f"The number, its {words.percent(ev.level, 0)} interval below it{star}."
    return Grid(("Metric", *map(words.text, ev.names)), rows, caption)


def keyed(cells: Iterable[Cell | str], places: Iterable[str]) -> Iterator[Cell]:
    """Yield cells with the places of their numbers in ``to_dict()``."""
    for cell, place in zip(cells, places, strict=True):
        yield replace(cell if isinstance(cell, Cell) else Cell(cell), key=place)


def tiles(ev: Evaluation) -> str:
    """Return the metrics of a first look, each with the best models and their intervals drawn.

    The intervals of a tile share one axis: of several models from the lowest bound to the highest,
    of one the range of the metric.
    """
    _, ranked = words.ranking(ev)
    of_models = ev.values()
    out = []
    for name in words.brief(ev):
        m, shown = get(name), [n for n in ranked[:MOST_IN_A_TILE] if name in of_models[n]]
        if not shown:
            continue
        ends = m.range if len(shown) == 1 else _ends([of_models[n][name] for n in shown])
        lines = ""
        for model in shown:
            v, place = of_models[model][name], f"models.{ev.names.index(model)}.values.{name}"
            bar = "" if ends is None else svg.bar(v.value, v.low, v.high, *ends)
            who = f"<span>{html_text(words.text(model))}</span>" if len(ev.names) > 1 else ""
            bounds = html_text(words.interval(v) or v.reason or "no interval")
            lines += (
                f'<li>{who}<strong data-key="{place}">{words.number(v.value)}</strong>'
                f"<small>{bounds}</small>{bar}</li>"
            )
        title = words.metric_title(words.title_of(ev, name), of_models[shown[0]][name])
        low = " <small>lower is better</small>" if m.better == "low" else ""
        about = m.words.meaning
        if ends is not None and len(shown) > 1:
            about += f" Axis: {words.between(*ends)}."
        one = " one" if len(ev.names) == 1 else ""
        out.append(
            f'<div class="tile{one}"><h3>{html_text(title)}{low}</h3>'
            f'<ul>{lines}</ul><p class="meaning">{html_text(about)}</p></div>'
        )
    left = len(ranked) - MOST_IN_A_TILE
    if left > 0:
        out.append(f'<p class="faint">{words.many(left, "more model")} below.</p>')
    return "".join(out)


CALIBRATION = (
    "observed_expected_ratio",
    "calibration_slope",
    "expected_calibration_error",
    "brier",
)
"""What is said of probabilities: their level, their spread, how far off they are, their loss."""


def calibration(ev: Evaluation) -> Grid:
    """Return a row a model: the level and the spread of its probabilities, and how far off."""
    rows: list[Row] = [
        (
            words.text(model),
            *keyed(
                (value_cell(values.get(n), brief=True) for n in CALIBRATION),
                (f"models.{i}.values.{n}" for n in CALIBRATION),
            ),
        )
        for i, (model, values) in enumerate(ev.values().items())
        if CALIBRATION[0] in values
    ]
    heads = ("Model", *(get(n).title for n in CALIBRATION))
    return Grid(heads, rows, "1 is right for the first two, 0 for the others.")


ASKED = ("report", "question")
"""Sections of advice that a reader opens: what to report, and what would sharpen the advice."""


SAID_BY_NOTES = {
    "area-below-half": "reversed",
    "certain-and-wrong": "held-impossible",
    "too-few-rows": "few-rows",
}
"""Rules of advice, and the codes of the warnings that say the same."""


def advice(a: Advice, warned: Collection[str] = (), told: Collection[Statement] = ()) -> str:
    """Return the advice section by section: sentences, and whose finding each rests on.

    What warnings of the codes ``warned`` and the statements ``told`` say is not said again.
    """
    said = [s for s in a.statements if SAID_BY_NOTES.get(s.rule) not in warned and s not in told]
    findings = [s for s in said if s.section == "misleads"][MOST_FINDINGS:]
    first = [s for s in said if s not in findings]
    shown = _statements(first, [n for n in SECTIONS if n not in ASKED])
    more = _statements(findings, ["misleads"])
    if more:
        shown += hidden(words.many(len(findings), "more finding"), more)
    folded = _statements(first, ASKED)
    if a.passed:
        folded += section(
            [
                Paragraph("Checked, nothing found", "title"),
                Paragraph(f"{', '.join(a.passed)}.", "dim"),
            ]
        )
    parts = [SECTIONS[n].lower() for n in ASKED if a.section(n)]
    summary = "; ".join([*parts, *["what was checked"] * bool(a.passed)]).capitalize()
    return shown + (hidden(summary, folded, is_open=not shown) if folded else "")


def _statements(said: Sequence[Statement], names: Iterable[str]) -> str:
    parts: list[Paragraph | str] = []
    for name in names:
        lines = "".join(
            f"<li>{html_text(s.text).replace(' %', '&nbsp;%')} "
            f"<cite>{html_text('; '.join(map(authors, s.sources)))}</cite> "
            f"<code>{s.rule}</code></li>"
            for s in said
            if s.section == name
        )
        parts += [Paragraph(SECTIONS[name], "title"), f"<ul>{lines}</ul>"] if lines else []
    return section(parts)


def matrix(model: Model, positive: Label | None, place: int = 0) -> tuple[str, Grid | None]:
    """Return how wide a model's confusion matrix is and the matrix, None of too many classes.

    Of two classes the positive one comes first. ``place`` is that of the model in the evaluation,
    for the keys of cells.
    """
    name, tally, k = words.text(model.name), model.labels, len(model.labels.labels)
    if k > WIDEST_MATRIX:
        return f"{name} has {k} classes", None
    wide = k > WIDE_MATRIX
    rows: list[Row] = []
    order = words.shown_order(tally.labels, positive)
    for i in order:
        counts = tally.counts[i].tolist()
        total = sum(counts)
        cells = []
        for j in order:
            n = counts[j]
            share = n / total if total else 0.0
            shade = ("g" if i == j else "b") + str(math.ceil(share * SHADES)) if n else ""
            under = words.percent(share) if total and not wide else ""
            key = f"models.{place}.tally.counts.{i}.{j}"
            cells.append(Cell(words.count(n), under, style=shade, key=key))
        name_of_row = words.text(tally.labels[i])
        rows.append((name_of_row, *cells, Cell(words.count(total), style="dim")))
    heads = (TRUE_BY_PREDICTED, *(words.text(tally.labels[i]) for i in order), "rows")
    how = ", the darker the larger its share of the row" if wide else ", shares are of the row"
    caption = f"{words.text(model.rule)}. Rows are the true classes{how}."
    return "matrix wide" if wide else "matrix", Grid(heads, rows, caption, title=name)


def thresholds(ev: Evaluation) -> Grid | None:
    """Return chosen thresholds: model, goal, threshold, value here and on new rows."""
    rows: list[Row] = []
    models = {m.name: m for m in ev.models}
    for model, by_goal in ev.optimal_thresholds().items():
        for goal, choice in by_goal.items():
            if math.isnan(choice.threshold):
                continue
            shown = Cut.of(choice.threshold, models[model])
            lead: Row = (words.text(model), goal, cut(choice.threshold, shown.below))
            for c in (choice.best, *choice.limits):
                value = words.number(c.value)
                if choice.limits:  # else the goal names the metric
                    value = f"{get(c.metric).title} {value}"
                new, bounds = words.number(c.corrected.value), words.interval(c.corrected)
                rows.append((*lead, value, f"{new} ({bounds})" if bounds else new))
                lead = ("", "", "")
    heads = (
        "Model",
        "What it is best at",
        "Threshold",
        "On these rows",
        f"Expected on new rows ({words.interval_head(ev.level)})",
    )
    return Grid(heads, rows, "Thresholds worth knowing") if rows else None


# -- models and subgroups compared -------------------------------------------------------------


def comparison(c: Comparison, names: Sequence[str]) -> str:
    """Return verdicts, differences drawn and the tests of every pair."""
    p = of_comparison(c, names)
    inner = table_html(p["pairs"])
    if p["left"]:
        left = words.many(p["left"], "more pair")
        inner += f'<p class="faint">The JSON holds the differences and tests of {left}.</p>'
    said: list[Paragraph | str] = [
        Paragraph(p["title"], "title"),
        items(p["verdicts"]),
        items(p["notes"], "notes"),
    ]
    how = Paragraph(p["how"], "dim")
    drawn = [figure(f) for f in (*p["charts"][:1], p["leads"]) if f is not None]
    every = side_by_side([figure(chart) for chart in p["charts"][1:]], "charts")
    summary = f"Every metric of {'a' if len(p['charts']) == 2 else 'each'} pair"
    return section(
        [
            side_by_side(
                [f"<div>{section(said)}</div>", f"<div>{''.join(drawn)}</div>"], "two even"
            ),
            hidden(summary, section([how, every])) if every else how,
            hidden(p["summary"], inner, is_open=p["open"]),
        ]
    )


def of_comparison(c: Comparison, names: Sequence[str]) -> dict[str, Any]:
    """Return the parts of a comparison; the places of models in ``names`` choose their colours."""
    _, ordered = pairs_by_rank(c)
    shown = ordered[:MOST_PAIRS]
    crossings = [
        p.crossing
        for p in shown
        if p.crossing is not None and p.crossing.regions and not p.verdict.crossing
    ]
    return {
        "verdicts": verdicts(c)[:MOST_PAIRS],
        "title": words.verdicts_title(c),
        "notes": [*filter(None, [words.rank_line(c), words.cheapest_line(c)])]
        + [words.text(words.evidence(t)) for t in c.overall]
        + [words.sentence(str(crossing)) for crossing in crossings],
        "charts": charts.differences(c, shown, names),
        "leads": charts.leads(c, ordered, names),
        "how": words.FOREST_WORDS.format(
            level=words.percent(c.level, 0),
            table="" if c.table_error is None else words.table_error(c.table_error),
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
    heads = (
        "First",
        "Second",
        "Difference",
        words.interval_head(c.level),
        p_head,
        "Verdict",
        *(f"p, {n}" for n in names),
    )
    rows: list[Row] = []
    for p in pairs:
        *_, gap, bounds, _ = words.difference(p.differences[c.metric])
        v = p.verdict
        asked = v.answer("superiority")
        corrected = ""
        if asked is not None and not math.isnan(asked.p_value):
            corrected = words.p_value(asked.p_value, asked.p_at_most)
        tests = {t.name: "" if t.reason else words.p_value(t.p_value, t.p_at_most) for t in p.tests}
        rows.append(
            (
                words.text(p.first),
                words.text(p.second),
                Cell(gap, key=charts.key_of(c, p, c.metric)),
                bounds,
                corrected,
                words.kinds(v),
                *(tests.get(n, "") for n in names),
            )
        )
    return Grid(heads, rows, words.comparison_legend(c), left=())


def subgroups(
    s: Subgroups, most: int = MOST_SUBGROUPS, place: str = ""
) -> tuple[str, list[str], Grid]:
    """Return the model, sentences on its subgroups and the table of the worst of them.

    ``place`` is that of the subgroups in an evaluation, which lists the worst of them.
    """
    metric = s.decisive()
    values, small = s.values(metric), set(s.small(metric))
    shown = s.order(metric)[:most]
    gaps = {d.key: d for d in s.differences(metric)} if len(s) > 1 else {}
    flagged = {k for k, d in gaps.items() if d.corrected < 1 - s.level}
    scale = _ends([values[k][metric] for k in shown])
    rows: list[Row] = []
    listed = s.listed(s.headline(), MOST_SUBGROUPS) if place else s.listed()
    places = {key: f"{place}subgroups.{i}" for i, key in enumerate(listed)}
    for key in shown:
        here = places.get(key, "")  # by another metric other ones may be the worst
        v, gap = values[key][metric], gaps.get(key)
        change, p = "", "not tested"
        if gap is not None and not gap.difference.reason:
            *_, change, bounds, _ = words.difference(gap.difference)
            change += f" ({bounds})" if bounds else ""
        if gap is not None and not gap.small:
            at_most = gap.difference.p_at_most and gap.corrected < 1
            p = "" if math.isnan(gap.corrected) else words.p_value(gap.corrected, at_most)
        rows.append(
            (
                Cell(name_of(s, key), "differs from the rest" if key in flagged else ""),
                Cell(
                    words.number(v.value),
                    words.interval(v) or v.reason or "no interval",
                    "*" if key in small and not v.reason else "",
                    picture=svg.bar(v.value, v.low, v.high, *scale) if scale else "",
                    key=here and f"{here}.values.{metric}",
                ),
                Cell(words.count(s.rows[key]), key=here and f"{here}.rows"),
                change.replace("-", "−"),
                p,
            )
        )
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
