"""Results as a notebook shows them: cards made of pieces, without a script and without ids.

A card takes colour and background from the notebook around it, whichever theme that has: its own
colours can be read on white and on black. Its style sheet holds the rules that it needs, and all
of them name its class, so that nothing around it changes.

The function that bears the name of a class makes its card, or one beside the blocks of its part;
other results show their blocks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from tallymark.curve import CURVES, Curve, CurveDefinition, definition
from tallymark.display import Display, blocks_of, card_of, function_name
from tallymark.infer.by_subgroup import Subgroups
from tallymark.infer.compare import Comparison
from tallymark.infer.operating_points import OptimalThreshold
from tallymark.metric import METRICS, get
from tallymark.reading.models import Model
from tallymark.report import charts, pieces, svg, words
from tallymark.report.blocks import (
    Block,
    Grid,
    Paragraph,
    Row,
    as_html,
    asset,
    figure,
    hidden,
    html_text,
    section,
    side_by_side,
    table_html,
)
from tallymark.report.charts import Chart
from tallymark.report.drawing import Area, Axis, Drawing, Line, Series, drawing
from tallymark.report.evaluation import Evaluation
from tallymark.report.guide import Guide
from tallymark.report.renderers import NO_ADVICE, points_of, value_cell
from tallymark.report.uses import account_of, use_of
from tallymark.studies.advice import Advice
from tallymark.tally.arrays import Label

MOST_WARNINGS, MOST_MATRICES, MOST_CLASSES, MOST_SUBGROUPS = 3, 3, 10, 20
MOST_ROWS = 60
"""What of a result its card shows: the rest is a call away."""

MOST_LETTERS = 800
"""Letters of a sentence, or of a name."""

POINTS = 200
"""Points of a curve that are drawn."""

MORE = (
    "<code>ev.help()</code> lists what it can answer, "
    '<code>ev.report("page.html")</code> writes the page with everything.'
)


def card(result: Display) -> str:
    """Return a result as a fragment of HTML for a notebook."""
    make = globals().get(function_name(type(result))) or card_of(type(result))
    inner = make(result) if make else as_html(_first_rows(blocks_of(result)))
    # Headings would stand in the table of contents of the notebook.
    inner = re.sub(r"<h[34]>", '<p class="name">', inner)
    inner = re.sub(r"</h[34]>", "</p>", inner)
    # A label may be as long as a text.
    inner = re.sub(rf"(>[^<]{{{MOST_LETTERS}}})[^<]+<", r"\1…<", inner)
    inner = re.sub(rf'(-(?:name|label)="[^"]{{{MOST_LETTERS}}})[^"]+', r"\1…", inner)
    return f'<div class="tallymark"><style>{_style()}</style>{inner}</div>'


def _first_rows(blocks: Iterator[Block]) -> Iterator[Block]:
    """Yield blocks with the first rows of their tables."""
    for b in blocks:
        if isinstance(b, Grid) and len(b.rows) > MOST_ROWS:
            yield replace(b, rows=b.rows[:MOST_ROWS])
            left = words.many(len(b.rows) - MOST_ROWS, "more row")
            yield Paragraph(f"and {left}: print() shows more", "dim")
        else:
            yield b


@cache
def _style() -> str:
    """Return the style sheet, every rule below the class of cards.

    All of it is in every card: of two cards on a page the later style sheet wins.
    """
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", asset("pieces.css") + asset("card.css"))
    scoped = (
        (",".join(f".tallymark {s.strip()}" for s in selectors.split(",")), body)
        for selectors, body in rules
    )
    return "".join(f"{s}{{{body}}}" for s, body in scoped).replace(
        ".tallymark :scope", ".tallymark"
    )


# -- an evaluation -----------------------------------------------------------------------------


def evaluation(ev: Evaluation) -> str:
    """Return the verdict, four numbers, the decisions, the first curve and the warnings."""
    if (account := account_of(ev)) is not None:
        parts = [table_html(section.table) for section in account.sections]
    else:
        parts = [table_html(pieces.numbers(ev, words.brief(ev)), "numbers")]
    if (chart := charts.first(ev)) is not None:
        parts.append(_roc(ev, chart))
    if use_of(ev).decisions:
        few = (m for m in ev.models[:MOST_MATRICES] if len(ev.classes) <= MOST_CLASSES)
        parts += [_matrix(m, ev.positive, i) for i, m in enumerate(few)]
    read_as = html_text(words.said(ev.source.sentence))
    return "".join(
        [
            f'<p class="name">{html_text(ev.source.name)}</p>',
            f'<p class="faint">{html_text(words.about(ev))}</p>',
            f'<p data-key="verdict">{html_text(words.verdict(ev))}</p>',
            side_by_side(parts, "beside"),
            _warnings(ev),
            f'<p class="faint">{read_as}<br>{MORE}</p>',
        ]
    )


def _roc(ev: Evaluation, chart: Chart) -> str:
    """Return the first chart with few words: one model's keys, of several what is shaded."""
    keys, said = chart.keys, ""
    if len(chart.legend) > 1 and any(css.startswith("band") for css, _ in keys):
        keys, said = (), f"Shaded: {words.percent(ev.level, 0)} confidence bands."
    left = 0 if ev.binary else len(ev.classes) - len(chart.legend)
    if left > 0:
        said = f"{words.many(left, 'more class', 'more classes')}: the page lists their areas."
    legend = chart.legend
    if ev.binary:  # the table has the areas
        legend = tuple((style, name, "") for style, name, _ in legend)
    nothing = Grid((), ())
    bare = replace(chart, words=said, keys=keys, legend=legend, error=0.0, numbers=nothing)
    return pieces.figure(bare, read=False)


def _matrix(model: Model, positive: Label | None, place: int) -> str:
    """Return the matrix without the totals, which are not among the numbers of ``to_dict()``."""
    css, grid = pieces.matrix(model, positive, place)
    assert grid is not None
    rows = [row[:-1] for row in grid.rows]
    rule = words.text(model.rule)
    return table_html(replace(grid, heads=grid.heads[:-1], rows=rows, caption=rule), css)


def _warnings(ev: Evaluation) -> str:
    """Return the first warnings, each with its place in ``to_dict()``."""
    found = [(i, note.text) for i, note in enumerate(ev.notes) if note.kind == "warning"]
    listed = "".join(
        f'<li data-key="notes.{i}.text">{html_text(words.said(text))}</li>'
        for i, text in found[:MOST_WARNINGS]
    )
    left = len(found) - MOST_WARNINGS
    listed += (
        f"<li>{words.many(left, 'more warning')}: print(ev) shows all</li>" if left > 0 else ""
    )
    return f'<ul class="warned">{listed}</ul>' if listed else ""


# -- what is asked of one ----------------------------------------------------------------------


def comparison(c: Comparison) -> str:
    """Return the verdicts and the differences drawn."""
    return f'<div class="comparison">{pieces.comparison(c, c.names)}</div>'


def curve(c: Curve) -> str:
    """Return the drawn curve, and some of its points as a table to open."""
    known = METRICS.keys() | CURVES.keys()
    declared = definition(c.name) if c.name in known and c.x_metric != "prevalence" else None
    drawn = _drawn(c, declared)
    title = (declared.title if declared else "") or f"{drawn.y.label} by {drawn.x.label}"
    about = f"{drawn.y.label} against {drawn.x.label}, {words.many(len(c), 'point')}"
    chart = svg.lines("curve", title, f"{about}.", drawn)
    grid = hidden("Points", table_html(points_of(c)))
    bounds = f"Bounds: {c.method}." if c.method else ""
    return figure(chart, f"{about}. {bounds}".strip(), title) + grid


def _drawn(c: Curve, declared: CurveDefinition | None) -> Drawing:
    if declared is not None:
        alone = replace(declared, pair="", highlight=None)
        share = float(c.y[-1]) if c.name == "pr" and len(c) else None
        return drawing(alone, [Line("", (c,), share=share)], POINTS)
    x, y = (Axis(name.replace("_", " ")) for name in (c.x_metric, c.y_metric))
    thin = c.thin(POINTS)
    return Drawing(x, y, [Series("", 0, thin)], [Area(thin, 0)] if c.low is not None else [])


def advice(a: Advice) -> str:
    """Return the advice section by section."""
    return f'<div class="advice">{pieces.advice(a) or section([Paragraph(NO_ADVICE)])}</div>'


def optimal_threshold(found: OptimalThreshold) -> str:
    """Return the threshold with what it reaches on these rows and on new ones."""
    lines = [Paragraph(b.text) for b in blocks_of(found) if isinstance(b, Paragraph)][:1]
    known = [] if math.isnan(found.threshold) else [found.best, *found.limits]
    rows: list[Row] = [
        (get(c.metric).title, words.number(c.value), value_cell(c.corrected)) for c in known
    ]
    heads = ("Metric", "On these rows, which chose it", "Expected on new rows")
    return section([*lines, *([Grid(heads, rows)] if rows else [])])


def subgroups(s: Subgroups) -> str:
    """Return the worst subgroups first, and what may be said of them."""
    name, notes, grid = pieces.subgroups(s, MOST_SUBGROUPS)
    return section([Paragraph(name, "title"), pieces.items(notes), table_html(grid)])


def guide(g: Guide) -> str:
    """Return the branches, each to be opened: what can be asked, and what it is."""
    parts = [Paragraph(f"{g.about}: what this evaluation can answer", "title")]
    grids = (Grid(("", ""), list(b.leaves.items()), left=(0, 1)) for b in g.branches)
    return section([*parts, *map(hidden, map(str, g.branches), map(table_html, grids))])


# -- many results ------------------------------------------------------------------------------
