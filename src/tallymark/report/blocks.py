"""What is shown of a result, as blocks, and how they are written: text, HTML, Markdown, LaTeX.

Pages are made of the same tables, beside pieces of HTML: headings, paragraphs and figures.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.metadata import version
from importlib.resources import files
from typing import Any, Literal

from rich.cells import cell_len, chop_cells, set_cell_size

from tallymark.errors import harmless
from tallymark.metric.sources import brief

NARROWEST, PLAIN_WIDTH, WIDEST = 40, 88, 120
LABEL_WIDTH = 20
"""Columns that a name may take in a table that is too wide."""

SHORTEST = 7
"""Columns that are always left to a name."""

METHOD_WIDTH = 16
"""Columns below which a sentence in a table goes under its row."""

Style = Literal["", "title", "best", "bold", "dim", "warning", "bad"]

ANSI = {
    "title": "\x1b[1m",
    "best": "\x1b[1;32m",
    "bold": "\x1b[1m",
    "dim": "\x1b[2m",
    "warning": "\x1b[33m",
    "bad": "\x1b[1;31m",
}
_PLAIN = "\x1b[0m"


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


Block = Headline | Paragraph | Grid
GAP = Paragraph()
"""An empty line of a terminal."""


def paragraphs(lines: Iterable[str], style: Style = "", indent: int = 0) -> list[Paragraph]:
    """Return a paragraph a line."""
    return [Paragraph(line, style, indent) for line in lines]


Line = list[tuple[str, str]]
"""Pieces of text with their styles."""


def wants_color() -> bool:
    """Tell whether standard output is a terminal that was not asked to stay plain, or must have it.

    ``NO_COLOR`` goes before ``FORCE_COLOR`` and ``CLICOLOR_FORCE``, which color pipes too.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if any(
        os.environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")
    ):
        return True
    return sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


# -- the terminal ------------------------------------------------------------------------------


def as_text(blocks: Iterable[Block], width: int | None = None, color: bool = False) -> str:
    """Return blocks as text of so many columns, 40 or more; by default the terminal's.

    >>> print(as_text([Paragraph("Two numbers"), Grid(("metric", "value"), [("F1", "0.5")])]))
    Two numbers
    metric  value
    F1        0.5
    """
    width = width or min(shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns, WIDEST)
    width = max(width, NARROWEST)
    lines: list[Line] = []
    for block in blocks:
        if isinstance(block, Headline):
            if block.alone is not None:
                return "\n".join(map(harmless, block.alone.split("\n")))
        elif isinstance(block, Paragraph):
            lines += _paragraph(block, width)
        else:
            lines += _grid(block, width)
    return "\n".join(_rendered(line, color) for line in lines)


def _rendered(line: Line, color: bool) -> str:
    if not color:
        return "".join(text for text, _ in line).rstrip()
    return "".join(
        f"{ANSI[style]}{text}{_PLAIN}" if style and text.strip() else text for text, style in line
    ).rstrip()


def _paragraph(p: Paragraph, width: int) -> Iterator[Line]:
    start = " " * p.indent + ("- " if p.item else "")
    rest = " " * (p.indent + 2)
    for i, line in enumerate(wrapped(harmless(p.text), width - p.indent - 2)):
        yield [(rest if i else start, ""), (line, p.style)]


def wrapped(text: str, width: int) -> list[str]:
    """Break text between words, by the columns it takes, and within words that are too long."""
    lines = [""]
    for word in re.sub(r"(?<=\bp) ([<=]) (?=\d)", "\0\\1\0", text.replace(" %", "\0%")).split(" "):
        word = word.replace("\0", " ")
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if cell_len(joined) <= width:
            lines[-1] = joined
        else:
            lines[-1:] = [*filter(None, lines[-1:]), *chop_cells(word, width)]
    return lines


def _left(text: str, width: int) -> str:
    """Fill up on the right; cut in the middle, since names often differ at their ends."""
    if cell_len(text) > width:
        tail = width // 3
        pieces = chop_cells(text[::-1], tail) if tail else [""]
        text = set_cell_size(text, width - tail - 1) + "…" + pieces[0][::-1]
    return set_cell_size(text, width)


def _right(text: str, width: int) -> str:
    cut = _left(text, min(width, cell_len(text)))
    return " " * (width - cell_len(cut)) + cut


def _grid(g: Grid, width: int) -> Iterator[Line]:
    heads = [harmless(h) for h in g.heads]
    rows = [
        [Cell(harmless(c.text), harmless(c.under), c.mark, c.style) for c in row]
        for row in g.cells()
    ]
    marks = [max((len(row[i].mark) for row in rows), default=0) for i in range(len(heads))]
    sizes = []
    for i, head in enumerate(heads):
        head_size = cell_len(head) if i in g.left else min(cell_len(head), LABEL_WIDTH)
        texts = [t for row in rows for t in (row[i].text, row[i].under)]
        sizes.append(max(head_size, *map(cell_len, texts), 0) + marks[i])
    room = width - g.indent
    kept = list(range(len(heads) - g.wrap))
    for i in g.optional:
        if _total(sizes, kept) > room:
            kept.remove(i)
    names = [i for i in kept if i in g.left]
    _shrink(sizes, kept, names, room)

    def line(part: Sequence[int], cells: Iterable[tuple[str, str]]) -> Line:
        out: Line = [(" " * g.indent, "")]
        for i, (text, style) in zip(part, cells, strict=True):
            out += [((_left if i in g.left else _right)(text, sizes[i]), style), ("  ", "")]
        return out[:-1]

    for k, part in enumerate(_parts(sizes, names, [i for i in kept if i not in names], room)):
        if k:
            yield []
        # What is left stands beside, and below in a narrow terminal, for a column of sentences.
        left = room - _total(sizes, part) - 2 if g.wrap else 0
        beside = left >= METHOD_WIDTH
        indent = " " * (g.indent + (room - left if beside else 6))
        if any(heads):
            last = [(f"  {heads[-1]}", "title")] if beside else []
            yield [*line(part, [(heads[i] + " " * marks[i], "title") for i in part]), *last]
        for row in rows:
            cells = [(row[i].text + (row[i].mark or " " * marks[i]), row[i].style) for i in part]
            more = wrapped(row[-1].text, left if beside else room - 6) if g.wrap else []
            tail = [(f"  {more.pop(0)}", "dim")] if beside else []
            yield [*line(part, cells), *tail]
            yield from ([(indent + text, "dim")] for text in more if text)
            if any(row[i].under for i in part):
                yield line(part, [(row[i].under + " " * marks[i], "dim") for i in part])


def _total(sizes: Sequence[int], columns: Sequence[int]) -> int:
    return sum(sizes[i] for i in columns) + 2 * (len(columns) - 1)


def _shrink(sizes: list[int], kept: Sequence[int], names: Sequence[int], room: int) -> None:
    """Make columns of names narrower: as far as the table needs, or to the usual width."""
    least = _total(sizes, kept) - sum(max(sizes[i] - SHORTEST, 0) for i in names)
    # A table of many numbers keeps its names readable, and is broken into parts instead.
    few = len(kept) - len(names) <= 2 or len(names) > 1
    floor = SHORTEST if few and least <= room else LABEL_WIDTH
    while _total(sizes, kept) > room and any(sizes[i] > floor for i in names):
        sizes[max(names, key=lambda i: sizes[i])] -= 1


def _parts(
    sizes: Sequence[int], names: Sequence[int], numbers: Sequence[int], room: int
) -> Iterator[list[int]]:
    """Return the columns that stand side by side: the names, and as many numbers as fit."""
    part = list(names)
    for i in numbers:
        if len(part) > len(names) and _total(sizes, [*part, i]) > room:
            yield sorted(part)
            part = list(names)
        part.append(i)
    yield sorted(part)


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
