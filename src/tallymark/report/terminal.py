"""Blocks as text for a terminal, with a given width, with or without colour."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len, chop_cells, set_cell_size

from tallymark.report.blocks import Block, Cell, Grid, Headline, Paragraph, plain
from tallymark.report.words import text as harmless

NARROWEST, PLAIN_WIDTH, WIDEST = 40, 88, 120
LABEL_WIDTH = 20
"""Width that names keep in a table that is too wide."""

SHORTEST = 7
"""Minimum width of a name."""

METHOD_WIDTH = 16
"""Below this width, a sentence in a table goes below its row."""

ANSI = {
    "title": "\x1b[1m",
    "best": "\x1b[1;32m",
    "bold": "\x1b[1m",
    "dim": "\x1b[2m",
    "warning": "\x1b[33m",
    "bad": "\x1b[1;31m",
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
    for block in plain(blocks):
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
    room = width - g.indent
    columns = list(range(len(heads) - g.wrap))
    for i in g.optional:
        if _total(sizes, columns) > room:
            columns.remove(i)
    names = [i for i in columns if i in g.left]
    _shrink(sizes, columns, names, room)

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
            tail = [(f"  {more.pop(0)}", "dim")] if beside else []
            yield [*line(part, cells), *tail]
            yield from ([(indent + text, "dim")] for text in more if text)
            if any(row[i].under for i in part):
                yield line(part, [(row[i].under + " " * marks[i], "dim") for i in part])


def _total(sizes: Sequence[int], columns: Sequence[int]) -> int:
    return sum(sizes[i] for i in columns) + 2 * (len(columns) - 1)


def _shrink(sizes: list[int], columns: Sequence[int], names: Sequence[int], room: int) -> None:
    """Make columns of names narrower: as much as the table needs, or to the usual width."""
    least = _total(sizes, columns) - sum(max(sizes[i] - SHORTEST, 0) for i in names)
    # A table with many numbers keeps names readable and is split into parts instead.
    few = len(columns) - len(names) <= 2 or len(names) > 1
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
