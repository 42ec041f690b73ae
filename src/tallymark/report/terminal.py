"""Blocks as text for a terminal, with a given width, with or without colour."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len, chop_cells, set_cell_size

from tallymark.report.blocks import (
    LABEL_WIDTH,
    SHORTEST,
    SINGLE_WIDTH,
    Block,
    Cell,
    Figure,
    Grid,
    Headline,
    Interval,
    Paragraph,
    Plain,
    Step,
    Tile,
    Tiles,
    plain,
)
from tallymark.report.words import text as harmless

NARROWEST, PLAIN_WIDTH, WIDEST = 40, 88, 120
METHOD_WIDTH = 16
"""Below this width, a sentence in a table goes below its row."""

ANSI = {
    "title": "\x1b[1m",
    "best": "\x1b[1;32m",
    "bold": "\x1b[1m",
    "dim": "\x1b[2m",
    "warning": "\x1b[33m",
    "bad": "\x1b[1;31m",
    "first": "\x1b[38;5;12m",
    "second": "\x1b[38;5;214m",
    "third": "\x1b[38;5;218m",
    "faint": "\x1b[38;5;245m",
    "do": "\x1b[1m",
    "check": "\x1b[38;5;221m",
    "open": "\x1b[38;5;245m",
    "note": "\x1b[38;5;245m",
}
_PLAIN = "\x1b[0m"

Line = list[tuple[str, str]]
"""Pieces of text with their styles."""


def wants_color() -> bool:
    """Return whether to use colour: in a terminal, unless environment variables say otherwise.

    ``NO_COLOR`` overrides ``FORCE_COLOR`` and ``CLICOLOR_FORCE``, which also colour pipes.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if any(
        os.environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")
    ):
        return True
    return sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def as_text(blocks: Iterable[Block], width: int | None = None, color: bool = False) -> str:
    """Return blocks as text of a given width, at least 40; by default that of the terminal.

    >>> print(as_text([Paragraph("Two numbers"), Grid(("metric", "value"), [("F1", "0.5")])]))
    Two numbers
    metric  value
    F1        0.5
    """
    width = width or min(shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns, WIDEST)
    width = max(width, NARROWEST)
    lines: list[Line] = []
    for block in _laid_out(blocks, width):
        if isinstance(block, Step):
            lines += _step(block, width)
        elif isinstance(block, Tiles):
            lines += _tiles(block, width)
        elif isinstance(block, Headline):
            if block.alone is not None:
                return "\n".join(map(harmless, block.alone.split("\n")))
        elif isinstance(block, Paragraph):
            lines += _paragraph(block, width)
        else:
            lines += _grid(block, width)
    return "\n".join(_rendered(line, color) for line in lines)


def _laid_out(blocks: Iterable[Block], width: int) -> Iterator[Plain | Step | Tiles]:
    """Yield blocks that have a layout in a terminal, and others as paragraphs and tables."""
    for b in blocks:
        if isinstance(b, Step) or (isinstance(b, Tiles) and _columns(b, width)):
            yield b
        else:
            yield from plain([b])


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
    """Return text broken into lines by display width, between words if possible."""
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
    """Return text padded on the right, or cut in the middle: names often differ at their ends."""
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
    room = (min(width, SINGLE_WIDTH) if g.single else width) - g.indent
    columns = list(range(len(heads) - g.wrap))
    for dropped in g.optional:
        if _total(sizes, columns) > room:
            together = dropped if isinstance(dropped, tuple) else (dropped,)
            columns = [i for i in columns if i not in together]
    names = [i for i in columns if i in g.left]
    _shrink(sizes, columns, names, room, g.single)

    def line(part: Sequence[int], cells: Iterable[tuple[str, str]]) -> Line:
        out: Line = [(" " * g.indent, "")]
        for i, (text, style) in zip(part, cells, strict=True):
            out += [((_left if i in g.left else _right)(text, sizes[i]), style), ("  ", "")]
        return out[:-1]

    for k, part in enumerate(_parts(sizes, names, [i for i in columns if i not in names], room)):
        if k:
            yield []
        # A column of sentences is on the right, or below in a narrow terminal.
        remaining = room - _total(sizes, part) - 2 if g.wrap else 0
        beside = remaining >= METHOD_WIDTH
        indent = " " * (g.indent + (room - remaining if beside else 6))
        if any(heads):
            last = [(f"  {heads[-1]}", "title")] if beside else []
            yield [*line(part, [(heads[i] + " " * marks[i], "title") for i in part]), *last]
        for row in rows:
            cells = [(row[i].text + (row[i].mark or " " * marks[i]), row[i].style) for i in part]
            more = wrapped(row[-1].text, remaining if beside else room - 6) if g.wrap else []
            if g.single:
                whole = cell_len(row[-1].text) <= remaining
                text = row[-1].text if whole else set_cell_size(row[-1].text, remaining - 1) + "…"
                more = [text] if beside else []
            tail = [(f"  {more.pop(0)}", "dim")] if beside else []
            yield [*line(part, cells), *tail]
            yield from ([(indent + text, "dim")] for text in more if text)
            if any(row[i].under for i in part):
                yield line(part, [(row[i].under + " " * marks[i], "dim") for i in part])
    if left_out := [name for i, name in g.dropped.items() if i not in columns]:
        told = f"Left out: {', '.join(left_out)}; .to_csv() has all columns."
        yield from _paragraph(Paragraph(told, "dim"), width)


def _total(sizes: Sequence[int], columns: Sequence[int]) -> int:
    return sum(sizes[i] for i in columns) + 2 * (len(columns) - 1)


def _shrink(
    sizes: list[int], columns: Sequence[int], names: Sequence[int], room: int, single: bool
) -> None:
    """Make columns of names narrower: as much as the table needs, or to the usual width."""
    least = _total(sizes, columns) - sum(max(sizes[i] - SHORTEST, 0) for i in names)
    # A table with many numbers keeps names readable and is split into parts instead.
    few = single or len(columns) - len(names) <= 2 or len(names) > 1
    floor = SHORTEST if few and least <= room else LABEL_WIDTH
    while _total(sizes, columns) > room and any(sizes[i] > floor for i in names):
        sizes[max(names, key=lambda i: sizes[i])] -= 1


def _parts(
    sizes: Sequence[int], names: Sequence[int], numbers: Sequence[int], room: int
) -> Iterator[list[int]]:
    """Yield the columns of each part: the names, and as many numbers as fit."""
    part = list(names)
    for i in numbers:
        if len(part) > len(names) and _total(sizes, [*part, i]) > room:
            yield sorted(part)
            part = list(names)
        part.append(i)
    yield sorted(part)


# -- steps and tiles ---------------------------------------------------------------------------

TAG_WIDTH = 7
"""Width of the tags of steps, with the blanks after them."""


def _step(b: Step, width: int) -> Iterator[Line]:
    for i, line in enumerate(wrapped(harmless(b.text), width - TAG_WIDTH)):
        yield [
            ("" if i else b.tag, b.tag),
            (" " * (TAG_WIDTH - (0 if i else len(b.tag))) + line, ""),
        ]


MARKS = (("●", "first"), ("■", "second"), ("▲", "third"))
"""The marks of models on an axis, in the order of the models, and their styles."""

AXES = (21, 17, 13)
"""Widths of the axis from 0 to 1, the first that fits."""

NARROWEST_TITLE = 16
"""Minimum width of metric titles beside an axis."""


def _columns(b: Tiles, width: int) -> tuple[int, int, int] | None:
    """Return the widths of titles, of the axis and of each model; None if they do not fit."""
    figures = [f for tile in b.tiles for f in tile.figures]
    several = max(len(tile.figures) for tile in b.tiles)
    of_model = max(max(map(cell_len, (_value(f), _bounds(f, True)))) for f in figures)
    if several == 1:  # the interval is beside the value
        of_model = max(cell_len(_value(f)) for f in figures) + 2
        of_model += max(cell_len(_bounds(f, False)) for f in figures)
    title = max(NARROWEST_TITLE, *(_widest(tile.title) for tile in b.tiles))
    for axis in AXES:
        room = width - axis - 2 - (of_model + 2) * several
        if room >= title:
            names = max((cell_len(f.who) + 2 for f in figures if f.who), default=0)
            longest = max(cell_len(tile.title) for tile in b.tiles)
            spare = (room - title) // several
            wider = max(min(names - of_model, spare), 0) if several > 1 else 0
            return min(max(longest, title), room - wider * several), axis, of_model + wider
    return None


def _widest(title: str) -> int:
    """Return the least width at which a title takes two lines at most."""
    return next(w for w in range(1, cell_len(title) + 1) if len(wrapped(title, w)) <= 2)


def _value(f: Figure) -> str:
    return f.number + "*" * f.best


def _bounds(f: Figure, several: bool) -> str:
    """Return the interval, of several models without zeros before points; empty without one."""
    if " to " not in f.bounds[:20]:
        return ""
    return re.sub(r"(?<![\d.])0\.", ".", f.bounds) if several else f.bounds


def _tiles(b: Tiles, width: int) -> Iterator[Line]:
    """Yield the metrics: a title, an axis with the mark of each model, values above intervals."""
    title, axis, of_model = _columns(b, width) or (0, 0, 0)
    names = max((tile.figures for tile in b.tiles), key=len)
    yield [
        (" " * (title + 2), ""),
        (_scale(axis), "faint"),
        *(
            piece
            for f, (mark, style) in _marked(names if len(names) > 1 else ())
            for piece in (("  ", ""), (_left(f"{mark} {harmless(f.who)}", of_model), style))
        ),
    ]
    for tile in b.tiles:
        called = wrapped(tile.title, title)
        under = called[1] if len(called) > 1 else "lower is better" if tile.lower else ""
        cells: Line = []
        below: Line = []
        for f in tile.figures:
            value = _value(f)
            if len(tile.figures) == 1:
                cells += [("  ", ""), (value, ""), ("  ", ""), (_bounds(f, False), "faint")]
                continue
            cells += [("  ", ""), (_left(value, of_model), "bold" if f.best else "")]
            below += [("  ", ""), (_left(_bounds(f, True), of_model), "faint")]
        yield [(_left(called[0], title) + "  ", ""), *_axis(tile, axis), *cells]
        if under or any(text.strip() for text, _ in below):
            style = "" if len(called) > 1 else "faint"
            yield [(_left(under, title) + "  ", style), (" " * axis, ""), *below]
    if b.more:
        yield from _paragraph(Paragraph(b.more, "dim"), width)


def _marked(figures: Sequence[Figure]) -> list[tuple[Figure, tuple[str, str]]]:
    """Return figures with their marks: by the style of their lines, as on a page, if all differ."""
    styles = [i if f.style is None else f.style for i, f in enumerate(figures)]
    if len(set(styles)) < len(styles):
        styles = [*range(len(styles))]
    return [(f, MARKS[style % len(MARKS)]) for f, style in zip(figures, styles, strict=True)]


def _scale(width: int) -> str:
    """Return the numbers above an axis from 0 to 1."""
    step = (width - 1) // 4
    line = [" "] * width
    for i, text in enumerate(("0", ".25", ".5", ".75", "1")):
        start = i * step - (len(text) - 1) // 2
        line[start : start + len(text)] = text
    return "".join(line)


def _axis(tile: Tile, width: int) -> Line:
    """Return the 0-to-1 axis with a mark per model; blank if the metric has another scale."""
    drawn = [(f.interval, *mark) for f, mark in _marked(tile.figures)]
    found = [
        (i, mark, style)
        for i, mark, style in drawn
        if i and i.least == 0 and not max(i.value, i.high) > 1
    ]
    cells = [(" ", "")] * width
    if not found:
        return cells
    for tick in range(0, width, (width - 1) // 4):
        cells[tick] = ("·", "faint")
    if (guess := found[0][0].guess) is not None and guess <= 1:
        cells[_place(guess, width)] = ("│", "faint")
    found.sort(key=lambda one: one[0].value)
    for at, (_, *mark) in zip(_apart([i for i, _, _ in found], width), found, strict=True):
        cells[at] = (mark[0], mark[1])
    return cells


def _place(x: float, width: int) -> int:
    return round(x * (width - 1))


def _apart(intervals: Sequence[Interval], width: int) -> list[int]:
    """Return the places of rising values on an axis; equal ones are moved next to each other."""
    places: list[int] = []
    for i in intervals:
        places.append(max(_place(i.value, width), places[-1] + 1 if places else 0))
    for k in range(len(places)):  # none beyond the end
        places[k] = min(places[k], width - len(places) + k)
    return places
