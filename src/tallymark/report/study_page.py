"""The page of a study of metrics: heat maps, a dendrogram, the scatter, and what they mean."""

from __future__ import annotations

import math
import os
from html import escape
from pathlib import Path

from tallymark.errors import InputError
from tallymark.output import write_text
from tallymark.report import study_text as text
from tallymark.report import svg, words
from tallymark.report.blocks import html_text, table_html
from tallymark.report.pieces import (
    Section,
    document,
    figure,
    heading,
    hidden,
    paragraphs,
    scrolled,
    side_by_side,
)
from tallymark.studies.relations import Clustering, Relations
from tallymark.studies.study import Study

STYLE = """\
.heat td{text-align:center;min-width:2.6rem!important}
.heat .up{background:color-mix(in srgb,var(--c0) var(--v),var(--bg))}
.heat .down{background:color-mix(in srgb,var(--c1) var(--v),var(--bg))}
.heat thead span{max-height:none!important;overflow:visible!important}
.heat .itself{background:var(--soft)}.leaf{fill:var(--ink)!important}
.join{fill:none;stroke:currentColor;stroke-width:2}.between{color:var(--faint)}
.pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,19.5rem),1fr));
gap:1.2rem 2rem;align-items:start}.pictures>*{min-width:0}.chart.tree{max-width:34rem}
.key svg{width:1rem;height:.7rem}"""

DEEPEST = 45
"""Per cent of colour at a correlation of 1: what leaves the number on it readable."""

SOURCES = ("liu2014",)

_ROW, _LEAF, _TREE, _PAD = 24, 168, 172, 30


def write(s: Study, path: str | os.PathLike[str]) -> Path:
    """Write the page, whole or not at all."""
    return write_text(path, render(s))


def render(s: Study) -> str:
    """Return the page as HTML text."""
    found, every, splits = s.relations(), s.every(), s.splits()
    c = found.clustering
    titles = {u: text.UNIT_TITLES[u].capitalize() for u in every}
    tree = figure(
        dendrogram(c),
        "Average linkage on 1 less the mean of both coefficients; the dashed line cuts the groups: "
        f"{c.rule}.",
        "Joined by correlation",
    )
    same = [
        heat(found, found, "Mean correlations"),
        paragraphs([f"The last table holds the interval of every pair ({found.interval})."]),
        side_by_side([tree, dots(found, "main", found, "Pearson against Spearman")], "pictures"),
        *((heading("The groups"), table_html(text.group_table(s))) if c.groups else ()),
        paragraphs([text.silhouettes(found), text.stability(found), *text.left_out(found)]),
    ]
    several = every if len(every) > 1 else {}
    units = [
        paragraphs([text.WHY_UNITS, *text.units(s)], ""),
        table_html(text.unit_table(s)),
        paragraphs(f"Not by {text.UNIT_TITLES[u]}: {why}." for u, why in s.lacking().items()),
        side_by_side([heat(r, found, titles[u]) for u, r in several.items()], "matrices"),
        side_by_side([dots(r, u, found, titles[u]) for u, r in several.items()], "charts"),
        heading("What it means for the choice of metrics"),
        paragraphs([text.advice(s)], ""),
        heading("Would they choose the same algorithm?"),
        paragraphs([f"{text.WHAT_IT_IS_NOT} {text.between(s)}"], ""),
        _algorithms(s),
        *(
            (heading("Beside the paper"), paragraphs(text.distances(s), ""))
            if s.distances()
            else ()
        ),
    ]
    parts = [heat(r, found, name.capitalize()) for name, r in splits.items()]
    sections: list[Section] = [
        ("heat", "Which metrics say the same", same),
        ("units", "What one result is, and why it matters", units),
    ]
    if splits:
        title = "Large and small, balanced and imbalanced data sets"
        body = [table_html(text.split_table(s)), side_by_side(parts, "matrices")]
        sections.append(("splits", title, body))
    pairs = [table_html(text.every_pair(found)), hidden("The data sets", text.data_sets(s))]
    sections.append(("pairs", "Every pair", pairs))
    definitions = [
        f"{found.definition}.",
        "Spearman's coefficient is Pearson's of the ranks; tied values share their mean rank.",
        f"Intervals: {found.interval}.",
        f"Groups: average linkage on 1 less the mean of both coefficients, {c.rule}.",
    ]
    return document(
        "Relations among metrics", words.text(s.source), text.verdict(found), text.about(s),
        sections, definitions, SOURCES, style=STYLE,
    )  # fmt: skip


def heat(found: Relations, base: Relations, name: str) -> str:
    """Return a heat map of both coefficients, in the order of ``base``."""
    c = base.clustering
    order = [found.metrics.index(m) for m in (*c.order, *c.left_out)]
    names = [html_text(words.title(found.metrics[i])) for i in order]
    rows = "\n".join(
        f'<tr><th scope="row">{names[a]}</th>'
        + "".join(_shade(found, i, j, a, b) for b, j in enumerate(order))
        + "</tr>"
        for a, i in enumerate(order)
    )
    heads = "".join(f'<th scope="col"><span>{n}</span></th>' for n in names)
    name = html_text(name)
    return scrolled(
        f'<table class="matrix wide heat"><caption><span class="cap"><strong>{name}</strong>: '
        "Pearson below the diagonal, Spearman above; the stronger the colour, the further from 0."
        f'</span></caption><thead><tr><td class="corner"></td>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table>",
        f"correlations, {name}",
    )


def _shade(found: Relations, i: int, j: int, row: int, column: int) -> str:
    if row == column:
        return '<td class="itself"></td>'
    value = text.coefficient(found, i, j, row, column)
    if math.isnan(value):
        return f"<td>{text.r(value)}</td>"
    css = "up" if value >= 0 else "down"
    return f'<td class="{css}" style="--v:{DEEPEST * abs(value):.0f}%">{text.r(value)}</td>'


def dots(found: Relations, key: str, base: Relations, name: str) -> str:
    """Return the scatter of both coefficients with its legend."""
    legend = "".join(
        f'<li><svg class="s{i}" viewBox="0 0 10 10" aria-hidden="true">'
        f'<circle class="dot" cx="5" cy="5" r="4"/></svg>{what}</li>'
        for i, what in enumerate(("pairs of one group", "pairs across groups"))
    )
    legend = f'<ul class="legend key">{legend}</ul>'
    return figure(scatter(found, key, base), title=name, legend=legend)


def _algorithms(s: Study) -> str:
    try:
        return heat(s.between(), s.relations(), "Over the algorithms of a data set")
    except InputError:
        return ""


# -- pictures ----------------------------------------------------------------------------------


def scatter(found: Relations, key: str, base: Relations) -> str:
    """Return the scatter of every pair of metrics: Pearson across, Spearman upward."""
    pairs = [p for p in found.pairs() if not math.isnan(p["pearson"] + p["spearman"])]
    values = [v for p in pairs for v in (p["pearson"], p["spearman"])]
    low = math.floor(10 * min([0.0, *values])) / 10
    group = {m: i for i, g in enumerate(base.groups) for m in g}
    dots = [
        (p["pearson"], p["spearman"], 0 if group.get(p["a"]) == group.get(p["b"]) else 1)
        for p in pairs
    ]
    return svg.lines(
        "relations",
        "Pearson and Spearman correlation of every pair of metrics",
        f"{len(pairs)} pairs; pairs of one group and pairs across groups differ in colour. The "
        "table of every pair holds the numbers.",
        svg.Axis("Pearson", low, 1.0),
        svg.Axis("Spearman", low, 1.0),
        (),
        guides=(((low, 1.0), (low, 1.0)),),
        dots=dots,
        key=key,
    )


def dendrogram(c: Clustering) -> str:
    """Return the tree of merges: metrics on the left, joined at their mean correlation."""
    if not c.merges:
        return ""
    n = len(c.order)
    height = n * _ROW + _PAD + 14
    deepest = max(max(m.height for m in c.merges), 0.1)
    x = svg.Scale(0.0, deepest, _LEAF, _LEAF + _TREE - 14)
    group = {m: i for i, g in enumerate(c.groups) for m in g}
    place: dict[tuple[str, ...], tuple[float, float]] = {
        (m,): (_ROW * (i + 0.5) + 4, float(x(0.0))) for i, m in enumerate(c.order)
    }
    out = [
        f'<svg class="chart tree" viewBox="0 0 {_LEAF + _TREE} {height}" role="img" '
        'aria-labelledby="tree-title tree-desc"><title id="tree-title">Which metrics say the '
        f'same</title><desc id="tree-desc">{escape(_joined(c))}</desc>'
    ]
    foot = n * _ROW + 8
    ticks = x.ticks(4)
    lines = "".join(f"M{x(t):.1f} 4V{foot}" for t in ticks)
    out.append(f'<path class="grid" d="{lines}"/><g class="ticks">')
    out += [
        f'<text x="{x(t):.1f}" y="{foot + 14}" text-anchor="middle">{1 - t:g}</text>'
        if abs(1 - t) > 1e-9
        else f'<text x="{x(t):.1f}" y="{foot + 14}" text-anchor="middle">0</text>'
        for t in ticks
    ]
    out.append("</g>")
    for leaf in c.order:
        y = place[(leaf,)][0]
        name = words.title(leaf)
        name = name if len(name) <= 24 else name[:23] + "…"
        out.append(
            f'<text class="leaf" x="{_LEAF - 6}" y="{y + 4:.1f}" text-anchor="end">'
            f"{escape(name)}</text>"
        )
    for m in c.merges:
        (y1, x1), (y2, x2) = place[m.left], place[m.right]
        at = float(x(m.height))
        own = {group[v] for v in (*m.left, *m.right)}
        css = f"s{next(iter(own)) % svg.SERIES}" if len(own) == 1 else "between"
        out.append(
            f'<g class="{css}"><path class="join" d="M{x1:.1f} {y1:.1f}H{at:.1f}V{y2:.1f}'
            f'H{x2:.1f}"/></g>'
        )
        place[(*m.left, *m.right)] = ((y1 + y2) / 2, at)
    cut = _cut(c)
    if cut is not None:
        out.append(f'<path class="chance" d="M{x(cut):.1f} 4V{foot}"/>')
    out.append(
        f'<text class="axis" x="{_LEAF + (_TREE - 14) / 2}" y="{foot + 30}" '
        'text-anchor="middle">mean correlation</text></svg>'
    )
    return "".join(out)


def _cut(c: Clustering) -> float | None:
    """Return the height of the line that the groups lie below."""
    heights = sorted(m.height for m in c.merges)
    if c.cut is not None:
        return 1 - c.cut if 1 - c.cut <= heights[-1] else None
    below = len(c.order) - len(c.groups)
    if not 0 < below < len(heights):
        return None
    return (heights[below - 1] + heights[below]) / 2


def _joined(c: Clustering) -> str:
    return "; ".join(
        f"{', '.join(words.title(v) for v in m.left)} with "
        f"{', '.join(words.title(v) for v in m.right)} at {text.r(1 - m.height)}"
        for m in c.merges
    )
