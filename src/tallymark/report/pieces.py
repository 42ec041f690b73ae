"""Pieces of pages and of cards in a notebook: a result in, a table or a fragment of HTML out.

A piece keeps no state and has no ids, so that it can stand anywhere and twice. A cell of an
evaluation carries the place of its number in ``to_dict()`` as the attribute ``data-key``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tallymark.report import words
from tallymark.report.blocks import Cell, Chart, Grid, Tile, hidden, html_text, table_html

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


def tile(t: Tile) -> str:
    """Return a metric of a first look with a line for each model."""
    lines = ""
    for f in t.figures:
        who = f"<span>{html_text(f.who)}</span>" if f.who else ""
        lines += (
            f'<li>{who}<strong data-key="{f.key}">{f.number}</strong>'
            f"<small>{html_text(f.bounds)}</small>{f.picture}</li>"
        )
    low = " <small>lower is better</small>" if t.lower else ""
    one = " one" if t.alone else ""
    return (
        f'<div class="tile{one}"><h3>{html_text(t.title)}{low}</h3>'
        f'<ul>{lines}</ul><p class="meaning">{html_text(t.meaning)}</p></div>'
    )


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


def keyed(cells: Iterable[Cell | str], places: Iterable[str]) -> Iterator[Cell]:
    """Yield cells with the places of their numbers in ``to_dict()``."""
    for cell, place in zip(cells, places, strict=True):
        yield replace(cell if isinstance(cell, Cell) else Cell(cell), key=place)
