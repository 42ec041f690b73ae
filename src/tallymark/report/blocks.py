"""What is shown of a result, as blocks, and how they are written: HTML, Markdown, LaTeX.

Pages are made of the same tables, beside pieces of HTML: headings, paragraphs and figures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.metadata import version
from importlib.resources import files
from typing import Any, Literal

from tallymark.errors import harmless
from tallymark.metric.sources import brief

Style = Literal["", "title", "best", "bold", "dim", "warning", "bad"]


@dataclass(frozen=True, slots=True)
class Headline:
    """The result in one line, which ``repr`` shows; ``alone`` is all that a terminal shows."""

    text: str
    alone: str | None = None


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A sentence or more; an ``item`` is one of a list."""

    text: str = ""
    style: Style = ""
    indent: int = 0
    item: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: its text, a mark such as a star after it, and a smaller text under it.

    A page shows more: a ``note`` under that, a ``picture`` of HTML, and a background by ``style``,
    which is then a class of the style sheet, ``shade`` per cent strong. ``key`` is the place of its
    number in ``to_dict()``.
    """

    text: str
    under: str = ""
    mark: str = ""
    style: str = ""
    note: str = ""
    picture: str = ""
    shade: int | None = None
    key: str = ""


Row = Sequence[Cell | str]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: heads, rows and a caption, which a page begins with a ``title``.

    Columns named in ``left`` are aligned to the left, others to the right. Where a terminal is too
    narrow, the columns named in ``optional`` are dropped one after the other. With ``wrap`` the
    last column holds sentences, which are broken into lines. With ``drawn`` the last column
    holds bars of characters, which only a terminal shows.
    """

    heads: Sequence[str]
    rows: Sequence[Row]
    caption: str = ""
    left: Collection[int] = (0,)
    optional: Sequence[int] = ()
    wrap: bool = False
    indent: int = 0
    title: str = ""
    drawn: bool = False

    def cells(self) -> list[list[Cell]]:
        """Return the rows with every cell a :class:`Cell`."""
        return [[c if isinstance(c, Cell) else Cell(c) for c in row] for row in self.rows]


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawn chart with everything that stands around it.

    ``legend`` names the lines by style with their numbers, ``keys`` says by class of the style
    sheet what else is drawn, ``marks`` are pictures and what they mean; ``numbers`` says the same
    as a table. ``kind`` is the key of the curve; ``labelled`` says that names stand at the lines.
    """

    title: str
    svg: str
    numbers: Grid
    words: str = ""
    error: float = 0.0
    legend: tuple[tuple[int, str, str], ...] = ()
    keys: tuple[tuple[str, str], ...] = ()
    marks: tuple[tuple[str, str], ...] = ()
    reads: bool = False
    kind: str = ""
    labelled: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of a tile: whose it is, where it stands in ``to_dict()``, and its bounds drawn."""

    who: str
    key: str
    number: str
    bounds: str
    picture: str = ""


@dataclass(frozen=True, slots=True)
class Tile:
    """One metric of a first look: of the best models, ``alone`` where there is but one."""

    title: str
    figures: Sequence[Figure]
    meaning: str
    lower: bool = False
    alone: bool = False


Block = Headline | Paragraph | Grid
GAP = Paragraph()
"""An empty line of a terminal."""


def paragraphs(lines: Iterable[str], style: Style = "", indent: int = 0) -> list[Paragraph]:
    """Return a paragraph a line."""
    return [Paragraph(line, style, indent) for line in lines]


# -- HTML --------------------------------------------------------------------------------------


def as_html(blocks: Iterable[Block]) -> str:
    """Return blocks as a fragment of HTML that needs no style sheet.

    >>> as_html([Paragraph("a < b", "title"), Grid(("class",), [("<script>",)])])[:62]
    '<div class="tallymark"><p><strong>a &lt; b</strong></p><div cl'
    """

    def paragraph(p: Paragraph) -> str:
        text = html_text(p.text)
        if p.style in ("title", "warning"):
            text = f"<strong>{text}</strong>"
        return f"<ul><li>{text}</li></ul>" if p.item else f"<p>{text}</p>"

    parts = _written(blocks, table_html, paragraph)
    return '<div class="tallymark">' + "".join(parts).replace("</ul><ul>", "") + "</div>"


def _written(
    blocks: Iterable[Block], table: Callable[[Grid], str], paragraph: Callable[[Paragraph], str]
) -> list[str]:
    """Return tables and paragraphs as each is written; a headline is for a terminal alone."""
    return [
        table(_undrawn(b)) if isinstance(b, Grid) else paragraph(b)
        for b in blocks
        if isinstance(b, Grid) or (isinstance(b, Paragraph) and b.text)
    ]


def _undrawn(g: Grid) -> Grid:
    """Return a table without the last column, where that is drawn."""
    if not g.drawn:
        return g
    return replace(g, heads=g.heads[:-1], rows=[row[:-1] for row in g.rows], drawn=False)


def html_text(text: str) -> str:
    """Return a text as HTML."""
    seen = text if text.isprintable() else harmless(text)
    return escape(seen).replace("&#x27;", "&#39;")


def table_html(g: Grid, css: str = "", hide: bool = False) -> str:
    """Return a table as HTML that scrolls by itself where it is wider than the window.

    ``hide`` keeps its caption from sight, where a heading says the same.
    """
    heads = "".join(f'<th scope="col"><span>{_lines_html(h)}</span></th>' for h in g.heads)
    body = "".join(
        "<tr>" + "".join(_html_cell(c, i, g) for i, c in enumerate(row)) + "</tr>\n"
        for row in g.cells()
    )
    label = html_text(g.title or g.caption)
    title = f"<strong>{html_text(g.title)}</strong>: " if g.title else ""
    said = f"{title}{html_text(g.caption)}"
    caption = '<caption class="hide">' if hide else '<caption><span class="cap">'
    caption += f"{said}</caption>" if hide else f"{said}</span></caption>"
    table = (
        f"<table{_css(css)}>{caption if g.caption else ''}"
        + (f"<thead><tr>{heads}</tr></thead>" if any(g.heads) else "")
        + f"<tbody>{body}</tbody></table>"
    )
    return scrolled(table, label)


def scrolled(fragment: str, label: str) -> str:
    """Return a fragment that scrolls by itself where it is wider than the window."""
    label = f' role="group" aria-label="{label}"' if label else ""
    return f'<div class="scroll" tabindex="0"{label}>{fragment}</div>'


def _css(name: str) -> str:
    return f' class="{name}"' if name else ""


def _lines_html(text: str) -> str:
    return "<br>".join(map(html_text, text.split("\n")))


_CLASSES = {"dim": "faint", "bold": "", "title": "", "warning": "", "bad": ""}
_BEST = '<span class="star" role="img" aria-label="significantly best of the row"> ★</span>'


def _html_cell(c: Cell, i: int, g: Grid) -> str:
    best = c.style == "best" and c.mark
    text = html_text(c.text) + (_BEST if best else html_text(c.mark))
    if i == 0 and 0 in g.left:
        for under, css in ((c.under, "meaning"), (c.note, "formula")):
            text += f'<span class="{css}">{html_text(under)}</span>' if under else ""
        return f'<th scope="row">{text}</th>' if text else "<td></td>"
    text += f"<br><small>{html_text(c.under)}</small>" if c.under else ""
    text += f'<br><small class="why">{html_text(c.note)}</small>' if c.note else ""
    style = "text-align:left" if i in g.left or (g.wrap and i == len(g.heads) - 1) else ""
    style = style if c.shade is None else f"--v:{c.shade}%"
    css = _css(_CLASSES.get(c.style, c.style)) + (f' style="{style}"' if style else "")
    key = f' data-key="{html_text(c.key)}"' if c.key else ""
    return f"<td{key}{css}>{text}{c.picture}</td>"


# -- pages -------------------------------------------------------------------------------------


def asset(name: str) -> str:
    """Return the text of a file that pages are made of."""
    return (files("tallymark.report") / "assets" / name).read_text("utf-8")


def filled(template: str, **values: Any) -> str:
    """Return a template with its values, which are escaped unless they are pieces."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"drawing": Markup, "brief": brief, "section": section}
    values |= {
        "style": Markup(asset("pieces.css") + asset("style.css")),
        "version": version("tallymark"),
    }
    return environment.from_string(asset(template)).render(**values)


def section(blocks: Iterable[Grid | Paragraph | str]) -> str:
    """Return what stands in a section of a page; a string among the blocks is HTML already."""
    tags = {"title": ("<h3>", "</h3>"), "dim": ('<p class="faint">', "</p>")}
    out = []
    for b in blocks:
        if isinstance(b, Paragraph):
            start, end = tags.get(b.style, ("<p>", "</p>"))
            out.append(f"{start}{html_text(b.text)}{end}" if b.text else "")
        else:
            out.append(table_html(b) if isinstance(b, Grid) else b)
    return "\n".join(filter(None, out))


def figure(drawing: str, caption: str = "", title: str = "", legend: str = "") -> str:
    """Return a drawing with its title above, and its legend and its caption below."""
    caption = f"<figcaption>{html_text(caption)}</figcaption>" if caption else ""
    title = section([Paragraph(title, "title")])
    return f"<figure>{title}{drawing}{legend}{caption}</figure>" if drawing else ""


def side_by_side(fragments: Sequence[str], css: str) -> str:
    """Return fragments in a grid."""
    return f'<div class="{css}">{"".join(fragments)}</div>' if fragments else ""


def hidden(summary: str, fragment: str, of: str = "", is_open: bool = False) -> str:
    """Return what a reader opens; ``of`` is read out after its summary."""
    more = f'<span class="hide"> of {html_text(of)}</span>' if of else ""
    opening = "<details open>" if is_open else "<details>"
    return f"{opening}<summary>{html_text(summary)}{more}</summary>\n{fragment}</details>"


# -- Markdown and LaTeX ------------------------------------------------------------------------


def as_markdown(blocks: Iterable[Block]) -> str:
    r"""Return blocks as Markdown.

    >>> print(as_markdown([Grid(("metric", "value"), [("roc_auc", Cell("0.5", "0.4 to 0.6"))])]))
    | metric | value |
    |:---|---:|
    | roc\_auc | 0.5 (0.4 to 0.6) |
    """
    return (
        "\n\n".join(_written(blocks, _markdown_table, _markdown_text)).replace("\n\n- ", "\n- ")
        + "\n"
    )


def _markdown_table(g: Grid) -> str:
    lines = [f"{_markdown(g.caption)}\n"] if g.caption else []
    lines.append(_markdown_row(map(_markdown, g.heads)))
    lines.append("".join("|" + (":---" if left else "---:") for left in _aligned(g)) + "|")
    lines += [_markdown_row(_markdown(_flat(c)) for c in row) for row in g.cells()]
    return "\n".join(lines)


def _markdown_text(p: Paragraph) -> str:
    text = _markdown(p.text)
    text = f"**{text}**" if p.style in ("title", "warning") else text
    return f"- {text}" if p.item else text


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", harmless(text))


def _flat(c: Cell) -> str:
    return c.text + c.mark + (f" ({c.under})" if c.under else "")


def _aligned(g: Grid) -> list[bool]:
    """Return which columns are aligned to the left."""
    last = len(g.heads) - 1
    return [i in g.left or (g.wrap and i == last) for i in range(last + 1)]


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "_": r"\_",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "$": r"\$",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "∞": r"$\infty$",
    "≠": r"$\neq$",
    "−": "$-$",
    "↓": r"$\downarrow$",
    "≥": r"$\geq$",
    "…": r"\ldots{}",
}


def as_latex(blocks: Iterable[Block]) -> str:
    r"""Return blocks as LaTeX; tables need the package booktabs.

    >>> print(as_latex([Grid(("metric", "value"), [("roc_auc", "50 %")])]), end="")
    \begin{tabular}{lr}
    \toprule
    metric & value \\
    \midrule
    roc\_auc & 50 \% \\
    \bottomrule
    \end{tabular}
    """
    return "\n\n".join(_written(blocks, _latex_table, _latex_text)) + "\n"


def _latex_table(g: Grid) -> str:
    columns = "".join("l" if left else "r" for left in _aligned(g))
    rows = [" & ".join(_latex(_flat(c)) for c in row) + r" \\" for row in g.cells()]
    lines = [_latex(g.caption), ""] if g.caption else []
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    lines += [" & ".join(map(_latex, g.heads)) + r" \\", r"\midrule"]
    return "\n".join([*lines, *rows, r"\bottomrule", r"\end{tabular}"])


def _latex_text(p: Paragraph) -> str:
    return rf"\textbf{{{_latex(p.text)}}}" if p.style == "title" else _latex(p.text)


def _latex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in harmless(text))
