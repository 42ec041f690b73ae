"""What is shown of a result, as blocks: data and words alone.

A subject makes blocks; :mod:`~tallymark.report.terminal` writes them as text,
:mod:`~tallymark.report.pieces` as HTML and :mod:`~tallymark.report.markup` as Markdown and LaTeX.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tallymark.report.drawing import Picture
    from tallymark.tally.score_counts import ScoreCounts

Style = Literal["", "title", "best", "bold", "dim", "warning", "bad"]


@dataclass(frozen=True, slots=True)
class Headline:
    """The result in one line, which ``repr`` shows; ``alone`` is all that a terminal shows."""

    text: str
    alone: str | None = None


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A sentence or more; an ``item`` is one of a list.

    ``key`` is the place of what it says in ``to_dict()``.
    """

    text: str = ""
    style: Style = ""
    indent: int = 0
    item: bool = False
    key: str = ""


@dataclass(frozen=True, slots=True)
class Interval:
    """A value between its bounds, to be drawn on an axis from ``least`` to ``most``."""

    value: float
    low: float
    high: float
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: its text, a mark such as a star after it, and a smaller text under it.

    A page shows more: a ``note`` under that, an ``interval`` drawn, and a background by ``style``,
    ``shade`` per cent strong. ``key`` is the place of its number in ``to_dict()``.
    """

    text: str
    under: str = ""
    mark: str = ""
    style: str = ""
    note: str = ""
    interval: Interval | None = None
    shade: int | None = None
    key: str = ""


Row = Sequence[Cell | str]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: heads, rows and a caption, which a page begins with a ``title``.

    Columns named in ``left`` are aligned to the left, others to the right. Where a terminal is too
    narrow, the columns named in ``optional`` are dropped one after the other. With ``wrap`` the
    last column holds sentences, which are broken into lines. With ``drawn`` the last column
    holds bars of characters, which only a terminal shows. ``look`` is the kind of table that a
    page lays out, such as "matrix"; ``more`` says below it what is left out there.
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
    look: str = ""
    more: str = ""

    def cells(self) -> list[list[Cell]]:
        """Return the rows with every cell a :class:`Cell`."""
        return [[c if isinstance(c, Cell) else Cell(c) for c in row] for row in self.rows]


@dataclass(frozen=True, slots=True)
class Key:
    """What is drawn beside the lines of a chart, and what it means.

    It is a "line", its "second" one, a "band" (grey without a style), a "fine" line or what
    "chance" gives.
    """

    kind: Literal["line", "second", "band", "fine", "chance"]
    meaning: str
    style: int | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark of a forest plot, or a dot, by its form and style, and what it means."""

    form: Literal["first", "second", "open"]
    style: int
    meaning: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture as it is to be drawn, with everything that stands around it.

    ``heading`` stands over it, its title unless it is given; ``description`` is read out, and
    ``words`` stand below. ``legend`` names the lines by style with their numbers, ``keys`` and
    ``marks`` say what else is drawn; ``numbers`` say the same as a table, which is ``called`` as
    the title unless it is given. ``kind`` is the key of the curve, and ``key`` tells charts of a
    kind apart. ``error`` is how far points that were left out lie off the lines.

    With ``inline`` names stand beside the lines, where there is room for all of them, in place of
    the legend; with ``switches`` the legend stays, since it switches lines on and off. Where a page
    ``reads`` points out, ``hinted`` says which threshold each is, and ``counts`` of each line style
    what is called positive there.
    """

    title: str
    drawn: Picture
    numbers: Grid = Grid((), ())
    words: str = ""
    description: str = ""
    error: float = 0.0
    legend: Sequence[tuple[int, str, str]] = ()
    keys: Sequence[Key] = ()
    marks: Sequence[Mark] = ()
    reads: bool = False
    hinted: bool = False
    counts: Sequence[ScoreCounts] = ()
    kind: str = ""
    key: str = ""
    inline: bool = False
    switches: bool = False
    heading: str | None = None
    called: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of a tile: whose it is, where it stands in ``to_dict()``, and its bounds."""

    who: str
    key: str
    number: str
    bounds: str
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Tile:
    """One metric of a first look: of the best models, ``alone`` where there is but one."""

    title: str
    figures: Sequence[Figure]
    meaning: str
    lower: bool = False
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Tiles:
    """The metrics of a first look, and what they leave out."""

    tiles: Sequence[Tile]
    more: str = ""


@dataclass(frozen=True, slots=True)
class Bullet:
    """A sentence of a list: whose finding it rests on, its rule, its place in ``to_dict()``."""

    text: str
    source: str = ""
    rule: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Bullets:
    """Sentences as a list: "notes" are small, and "warned" stand out."""

    items: Sequence[Bullet | str]
    look: Literal["", "notes", "warned"] = ""


@dataclass(frozen=True, slots=True)
class Calls:
    """A sentence, and calls that answer more: each with what it does."""

    text: str
    calls: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Folded:
    """Blocks that a reader opens by their title; ``of`` is read out after it."""

    title: str
    blocks: Sequence[Block]
    of: str = ""
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Parts of one block or of several, which a page lays out by ``look``, such as "charts"."""

    parts: Sequence[Block | Sequence[Block]]
    look: str = ""


Plain = Headline | Paragraph | Grid
Block = Plain | Chart | Tiles | Bullets | Calls | Folded | Group
GAP = Paragraph()
"""An empty line of a terminal."""


def paragraphs(lines: Iterable[str], style: Style = "", indent: int = 0) -> list[Paragraph]:
    """Return a paragraph a line."""
    return [Paragraph(line, style, indent) for line in lines]


# -- for writers that lay nothing out ----------------------------------------------------------


def plain(blocks: Iterable[Block]) -> Iterator[Plain]:
    """Yield blocks as lines and tables: of a chart its words and its numbers.

    >>> [b.text for b in plain([Folded("Why", [Bullets(["one", Bullet("two", "Cohen 1960")])])])]
    ['Why', 'one', 'two (Cohen 1960)']
    """
    for b in blocks:
        if isinstance(b, Headline | Paragraph | Grid):
            yield b
        elif isinstance(b, Chart):
            yield from _chart(b)
        elif isinstance(b, Bullets):
            yield from map(_item, b.items)
        elif isinstance(b, Tiles):
            for tile in b.tiles:
                yield from (Paragraph(_figure(tile, f), item=True) for f in tile.figures)
            yield from paragraphs(filter(None, [b.more]), "dim")
        elif isinstance(b, Calls):
            yield from paragraphs([b.text, *(f"{call} {does}" for call, does in b.calls)], "dim")
        elif isinstance(b, Folded):
            yield Paragraph(b.title, "title")
            yield from plain(b.blocks)
        else:
            for part in b.parts:
                yield from plain(part if isinstance(part, Sequence) else [part])


def printed(blocks: Iterable[Block]) -> Iterator[Paragraph | Grid]:
    """Yield blocks without what a terminal alone shows: headlines, empty lines, drawn columns."""
    for b in plain(blocks):
        if isinstance(b, Grid) and b.drawn:
            yield replace(b, heads=b.heads[:-1], rows=[row[:-1] for row in b.rows], drawn=False)
        elif isinstance(b, Grid) or (isinstance(b, Paragraph) and b.text):
            yield b


def _chart(c: Chart) -> Iterator[Plain]:
    heading = c.title if c.heading is None else c.heading
    yield from paragraphs(filter(None, [heading]), "title")
    yield from paragraphs(filter(None, [c.words]))
    for _, name, number in c.legend:
        yield Paragraph(f"{name} {number}".strip(), item=True)
    if c.numbers.rows:
        yield c.numbers


def _item(b: Bullet | str) -> Paragraph:
    if isinstance(b, str):
        return Paragraph(b, item=True)
    source = f" ({b.source})" if b.source else ""
    return Paragraph(b.text + source + (f" [{b.rule}]" if b.rule else ""), item=True)


def _figure(t: Tile, f: Figure) -> str:
    return f"{t.title}{f' of {f.who}' if f.who else ''}: {f.number} ({f.bounds})"
