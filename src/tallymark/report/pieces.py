"""Blocks as HTML: for pages, for cards in a notebook, and as fragments without a style sheet.

A piece has no state and no ids, so it can appear anywhere and repeatedly. A cell of an evaluation
has the path of its number in ``to_dict()`` as the attribute ``data-key``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from tallymark.errors import harmless
from tallymark.metric.sources import briefs
from tallymark.report import svg
from tallymark.report.blocks import (
    Block,
    Bullet,
    Bullets,
    Calls,
    Cell,
    Chart,
    Figure,
    Folded,
    Grid,
    Group,
    Headline,
    Key,
    Paragraph,
    Step,
    Tag,
    Tile,
    Tiles,
    printed,
)
from tallymark.report.drawing import SERIES, Distributions, Ranks


def html_text(text: str) -> str:
    """Return a text escaped for HTML, for elements and attributes in double quotes."""
    printable = text if text.isprintable() else harmless(text)
    return escape(printable).replace("&#x27;", "'")


def _attribute(name: str, value: str) -> str:
    return f' {name}="{value}"' if value else ""


def _class(name: str) -> str:
    return _attribute("class", name)


# -- without a style sheet ---------------------------------------------------------------------


def as_html(blocks: Iterable[Block]) -> str:
    """Return blocks as an HTML fragment that needs no style sheet.

    >>> as_html([Paragraph("a < b", "title"), Grid(("class",), [("<script>",)])])[:62]
    '<div class="tallymark"><p><strong>a &lt; b</strong></p><div cl'
    """
    parts = (table_html(b) if isinstance(b, Grid) else _bare(b) for b in printed(blocks))
    return '<div class="tallymark">' + "".join(parts).replace("</ul><ul>", "") + "</div>"


def _bare(p: Paragraph) -> str:
    text = html_text(p.text)
    if p.style in ("title", "warning"):
        text = f"<strong>{text}</strong>"
    return f"<ul><li>{text}</li></ul>" if p.item else f"<p>{text}</p>"


# -- pages -------------------------------------------------------------------------------------


def asset(name: str) -> str:
    """Return the text of a page asset."""
    return (files("tallymark.report") / "assets" / name).read_text("utf-8")


TABLE_OF_NUMBERS = "td{white-space:nowrap}td,thead th+th{text-align:right;padding-left:1rem}"
"""Style sheet for pages whose tables have numbers in all columns except the first."""


def filled(template: str, **values: Any) -> str:
    """Return a template filled with values, which are escaped unless they are HTML pieces."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"drawing": Markup, "briefs": briefs, "section": section}
    values = {"finding": "", "first": (), "check": ()} | values
    values |= {
        "style": Markup(asset("pieces.css") + asset("style.css")),
        "version": version("tallymark"),
    }
    return environment.from_string(asset(template)).render(**values)


def section(blocks: Iterable[Block]) -> str:
    """Return blocks as the content of a section of a page, or of a card."""
    return "\n".join(filter(None, map(_block, blocks)))


TAGS: Mapping[Tag, str] = {
    "do": "● Do",
    "check": "▲ Check first",
    "open": "? Open",
    "note": "Note",
}
"""The tags of steps on a page and a card."""

_TAGS = {"title": ("<h3", "</h3>"), "dim": ('<p class="faint"', "</p>")}


def _block(b: Block) -> str:
    if isinstance(b, Paragraph):
        return _paragraph(b)
    if isinstance(b, Grid):
        return table_html(b, b.look)
    if isinstance(b, Chart):
        return figure(b)
    if isinstance(b, Bullets):
        return _list(b)
    if isinstance(b, Step):
        return f'<p class="{b.tag}"><strong>{TAGS[b.tag]}</strong> {html_text(b.text)}</p>'
    if isinstance(b, Tiles):
        axes = f"<span>{html_text(b.axes)} </span>" if b.axes else ""
        more = f'<p class="faint">{axes}{html_text(b.more)}</p>' if axes or b.more else ""
        return "".join(map(_tile, b.tiles)) + more
    if isinstance(b, Calls):
        calls = (f"<code>{html_text(call)}</code> {html_text(does)}" for call, does in b.calls)
        return f'<p class="faint">{html_text(b.text)}<br>{", ".join(calls)}.</p>'
    if isinstance(b, Folded):
        return hidden(b.title, section(b.blocks), b.of, b.is_open)
    return "" if isinstance(b, Headline) else _group(b)


def _paragraph(p: Paragraph) -> str:
    start, end = _TAGS.get(p.style, ("<p", "</p>"))
    return f"{start}{_attribute('data-key', p.key)}>{html_text(p.text)}{end}" if p.text else ""


def _list(b: Bullets) -> str:
    body = "".join(_item(i if isinstance(i, Bullet) else Bullet(i)) for i in b.items)
    return f"<ul{_class(b.look)}>{body}</ul>" if body else ""


def _item(b: Bullet) -> str:
    text = html_text(b.text)
    if b.source or b.rule:
        text = text.replace(" %", "\u00a0%")
        text += f" <cite>{html_text(b.source)}</cite> <code>{html_text(b.rule)}</code>"
    return f"<li{_attribute('data-key', b.key)}>{text}</li>"


def _group(g: Group) -> str:
    """Return parts side by side; a part of several blocks becomes a column."""
    parts = []
    for part in g.parts:
        several = isinstance(part, Sequence)
        text = section(part if isinstance(part, Sequence) else [part])
        parts.append(f"<div>{text}</div>" if several and g.look else text)
    inner = "".join(parts)
    return f'<div class="{g.look}">{inner}</div>' if g.look and inner else inner


def hidden(summary: str, fragment: str, of: str = "", is_open: bool = False) -> str:
    """Return a fragment folded under a summary; ``of`` is read after it by screen readers."""
    more = f'<span class="hide"> of {html_text(of)}</span>' if of else ""
    opening = "<details open>" if is_open else "<details>"
    return f"{opening}<summary>{html_text(summary)}{more}</summary>\n{fragment}</details>"


# -- tables ------------------------------------------------------------------------------------


def table_html(g: Grid, css: str = "", hide: bool = False) -> str:
    """Return a table as HTML that scrolls if it is wider than the window.

    ``hide`` shows the caption only to screen readers, if a heading says the same.
    """
    start, end = ("<span>", "</span>") if {"wide", "heat"} & {*css.split()} else ("", "")
    heads = "".join(f'<th scope="col">{start}{_lines_html(h)}{end}</th>' for h in g.heads)
    body = "".join(
        "<tr>" + "".join(_html_cell(c, i, g) for i, c in enumerate(row)) + "</tr>\n"
        for row in g.cells()
    )
    label = html_text(g.title or g.caption)
    title = f"<strong>{html_text(g.title)}</strong>: " if g.title else ""
    caption_text = f"{title}{html_text(g.caption)}"
    caption = '<caption class="hide">' if hide else '<caption><span class="cap">'
    caption += f"{caption_text}</caption>" if hide else f"{caption_text}</span></caption>"
    table = (
        f"<table{_class(css)}>{caption if g.caption else ''}"
        + (f"<thead><tr>{heads}</tr></thead>" if any(g.heads) else "")
        + f"<tbody>{body}</tbody></table>"
    )
    more = f'<p class="faint">{html_text(g.more)}</p>' if g.more else ""
    return scrolled(table, label) + more


def scrolled(fragment: str, label: str) -> str:
    """Return a fragment that scrolls if it is wider than the window."""
    label = f' role="group" aria-label="{label}"' if label else ""
    return f'<div class="scroll" tabindex="0"{label}>{fragment}</div>'


def _lines_html(text: str) -> str:
    return "<br>".join(map(html_text, text.split("\n")))


_CLASSES = {"dim": "faint", "bold": "", "title": "", "warning": "", "bad": ""}
_BEST = '<span class="star" role="img" aria-label="significantly best of the row"> ★</span>'


def _html_cell(c: Cell, i: int, g: Grid) -> str:
    best = c.style == "best" and c.mark
    text = html_text(c.text) + (_BEST if best else html_text(c.mark))
    if i == 0 and 0 in g.left:
        for under, css in ((c.under, ""), (c.note, "formula")):
            text += f"<p{_class(css)}>{html_text(under)}</p>" if under else ""
        return f'<th scope="row">{text}</th>' if text else "<td></td>"
    text += f"<br><small>{html_text(c.under)}</small>" if c.under else ""
    text += f'<br><small class="why">{html_text(c.note)}</small>' if c.note else ""
    style = "text-align:left" if i in g.left or (g.wrap and i == len(g.heads) - 1) else ""
    style = style if c.shade is None else f"--v:{c.shade}%"
    css = _class(_CLASSES.get(c.style, c.style)) + _attribute("style", style)
    bar = svg.bar(c.interval) if c.interval else ""
    return f"<td{_attribute('data-key', html_text(c.key))}{css}>{text}{bar}</td>"


# -- charts ------------------------------------------------------------------------------------


def figure(c: Chart, level: str = "h3", of: str = "") -> str:
    """Return a chart with its title, legends, words and a table of its numbers.

    ``of`` is the model or class it belongs to.
    """
    picture, named = svg.picture(c)
    if isinstance(c.drawn, Ranks):  # too wide for a narrow screen
        picture = scrolled(picture, "critical-difference diagram")
    heading = c.title if c.heading is None else c.heading
    start = "<figure>\n"
    if c.lead is not None:
        own = f' style="--c0:var(--c{c.lead})"' if c.own and c.lead else ""
        start = f'<figure class="led"{own}>\n'
    top = f"{start}<{level}>{html_text(heading)}</{level}>\n" if heading else start
    if isinstance(c.drawn, Distributions):
        return f"{top}{picture}{_numbers(c, ', '.join(filter(None, (c.called, of))))}</figure>"
    lines = [] if named and not c.switches else c.legend
    legend = "".join(_named_line(*line, c.lead) for line in lines)
    marks = "".join(
        f"<li>{svg.symbol(m.form, m.style, c.lead)}{html_text(m.meaning)}</li>" for m in c.marks
    )
    keys = "".join(
        f'<li><svg viewBox="0 0 34 10" aria-hidden="true">{_sample(k)}</svg>'
        f"{html_text(k.meaning)}</li>"
        for k in c.keys
    )
    caption = html_text(c.words)
    if c.error >= 0.0005:
        caption += f" Drawn from fewer points, none off by more than {c.error:.2g}."
    title = c.called or heading
    parts = [
        top + picture,
        '<p class="readout" aria-hidden="true">&nbsp;</p>' if c.reads else "",
        f'<ul class="legend">{legend}</ul>' if legend else "",
        f'<ul class="legend marks">{marks}</ul>' if marks else "",
        f'<ul class="legend keys">{keys}</ul>' if keys else "",
        f"<figcaption>{caption}</figcaption>" if c.words else "",
        _numbers(c, f"{title} of {of}" if of else title) if c.numbers.rows else "",
        "</figure>",
    ]
    return "\n".join(filter(None, parts))


def _named_line(style: int, name: str, number: str, lead: int | None) -> str:
    value = f' <span class="faint">{html_text(number)}</span>' if number else ""
    return (
        f'<li><svg class="{svg.styled(style, lead)}" viewBox="0 0 34 10" aria-hidden="true">'
        f'<path class="line" d="M1 5H33"/></svg>{html_text(name)}{value}</li>'
    )


_LINES = {"line": "line", "second": "line second", "fine": "faint", "chance": "chance"}


def _sample(k: Key) -> str:
    if k.kind == "band":
        css = "band" if k.style is None else f"band own s{k.style % SERIES}"
        return f'<rect class="{css}" x="1" width="32" height="10"/>'
    return f'<path class="{_LINES[k.kind]}" d="M1 5H33"/>'


def _numbers(c: Chart, title: str) -> str:
    """Return the folded table of a chart's numbers."""
    return hidden("Numbers", table_html(replace(c.numbers, caption=title), "", True), title)


# -- tiles -------------------------------------------------------------------------------------


def _tile(t: Tile) -> str:
    """Return a headline metric with one line per model."""
    low = " <small>lower is better</small>" if t.lower else ""
    low += f'<small class="moved">{html_text(t.moved)}</small>' if t.moved else ""
    one = " one" if t.alone else " led l0" if t.led else ""
    return (
        f'<div class="tile{one}"><h3>{html_text(t.title)}{low}</h3>'
        f"<ul>{''.join(map(_number, t.figures))}</ul>"
        f'<p class="meaning">{html_text(t.meaning)}</p></div>'
    )


TILE_AXIS = 170
"""The length of the axis of a tile, whose shape the style sheet keeps."""


def _number(f: Figure) -> str:
    who = f"<span>{html_text(f.who)}</span>" if f.who else ""
    bar = svg.bar(f.interval, f.style, TILE_AXIS) if f.interval else ""
    return (
        f'<li{_class("lead" if f.best else "")}>{who}<strong data-key="{f.key}">{f.number}</strong>'
        f"<small>{html_text(f.bounds)}</small>{bar}</li>"
    )
