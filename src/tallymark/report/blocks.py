"""Blocks: a result as data and words, without layout.

Subjects create blocks; :mod:`~tallymark.report.terminal` writes them as text,
:mod:`~tallymark.report.pieces` as HTML and :mod:`~tallymark.report.markup` as Markdown and LaTeX.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from tallymark.report.drawing import Picture
    from tallymark.tally.score_counts import ScoreCounts

After = Literal["overview", "compare", "curves", "classes"]
FOLLOWED: tuple[After, ...] = get_args(After)
"""The sections of a page after which it shows those of parts."""

Style = Literal["", "title", "best", "bold", "dim", "warning", "bad"]

Tag = Literal["do", "check", "open", "note"]
"""What a step asks for: an action, a check before it, a decision, or nothing."""


@dataclass(frozen=True, slots=True)
class Headline:
    """The result in one line, for ``repr``; with ``alone`` a terminal shows nothing else."""

    text: str
    alone: str | None = None


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One or more sentences; an ``item`` is part of a list.

    ``key`` is the path of its content in ``to_dict()``.
    """

    text: str = ""
    style: Style = ""
    indent: int = 0
    item: bool = False
    key: str = ""


@dataclass(frozen=True, slots=True)
class Interval:
    """A value between its bounds, for an axis from ``least`` to ``most``.

    ``guess`` is what guessing achieves, which the axis shows as a tick.
    """

    value: float
    low: float
    high: float
    least: float
    most: float
    guess: float | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: its text, a mark such as a star after it, and a smaller text below it.

    A page also shows a ``note`` below that, an ``interval`` as a picture, and a background by
    ``style``, with an intensity of ``shade`` per cent. ``key`` is the path of its number in
    ``to_dict()``.
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


LABEL_WIDTH, SHORTEST = 20, 7
"""Usual and minimum width of the names in a table that is too wide for a terminal."""

SINGLE_WIDTH = 80
"""Width in a terminal of a table whose rows take one line each."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: column heads, rows and a caption; a page puts ``title`` before the caption.

    Columns named in ``left`` are left-aligned, others right-aligned. In a narrow terminal, the
    columns named in ``optional`` are dropped one after the other, those of a tuple together. With
    ``wrap`` the last column contains sentences, which are wrapped. With ``single`` each row takes
    one line of at most 80 columns in a terminal, which cuts names in the middle and sentences at
    their ends, or leaves the sentences out. With ``drawn`` the last column contains bars of
    characters, which only a terminal shows. ``look`` is the page layout of the table, such as
    "matrix"; ``more`` is a text below it about what the page omits. ``dropped`` has what a
    terminal calls an optional column of a listing in the line below that lists dropped columns.
    """

    heads: Sequence[str]
    rows: Sequence[Row]
    caption: str = ""
    left: Collection[int] = (0,)
    optional: Sequence[int | tuple[int, ...]] = ()
    wrap: bool = False
    single: bool = False
    indent: int = 0
    title: str = ""
    drawn: bool = False
    look: str = ""
    more: str = ""
    dropped: Mapping[int, str] = field(default_factory=dict)

    def cells(self) -> list[list[Cell]]:
        """Return the rows with every cell as a :class:`Cell`."""
        return [[c if isinstance(c, Cell) else Cell(c) for c in row] for row in self.rows]


@dataclass(frozen=True, slots=True)
class Key:
    """A legend entry of a chart, besides its lines.

    Its kind is "line", "second" (the second line of a style), "band" (grey without a style),
    "fine" (a thin reference line) or "chance".
    """

    kind: Literal["line", "second", "band", "fine", "chance"]
    meaning: str
    style: int | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A legend entry for a mark of a forest plot or a dot: its form, style and meaning.

    It is grey without a style.
    """

    form: Literal["first", "second", "open", "tick"]
    style: int | None
    meaning: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing with its title, legend, texts and table.

    ``heading`` is the title above it, by default ``title``; ``description`` is for screen readers,
    and ``words`` are below. ``legend`` names the lines by style with their numbers, ``keys`` and
    ``marks`` explain what else is drawn. ``numbers`` is the same data as a table, titled ``called``
    or, by default, ``title``. ``kind`` is the key of the curve, and ``key`` distinguishes charts of
    a kind. ``error`` is the largest distance of omitted points from the lines.

    With ``inline``, names are beside the lines instead of in the legend, if all of them fit. With
    ``switches`` the legend stays, since it shows and hides lines. Where a page ``reads`` points
    out, ``hinted`` adds the threshold of each, and ``counts`` are the score counts per line style
    for the rows called positive there. With a ``lead``, only the line of that style has a colour,
    and the others are grey; it is that of its style if it keeps its ``own`` one. The reader
    ``picks`` another line, if that is set.
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
    lead: int | None = None
    own: bool = False
    picks: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a tile: its model, its path in ``to_dict()``, and its bounds.

    ``style`` is that of the model's lines; ``best`` is whether it is significantly better than
    every other model.
    """

    who: str
    key: str
    number: str
    bounds: str
    interval: Interval | None = None
    style: int | None = None
    best: bool = False


@dataclass(frozen=True, slots=True)
class Tile:
    """One headline metric for the best models; ``alone`` if there is only one model.

    If ``led``, only the best model has a colour. ``moved`` is the value of the best model at the
    recommended threshold.
    """

    title: str
    figures: Sequence[Figure]
    meaning: str
    lower: bool = False
    alone: bool = False
    led: bool = False
    moved: str = ""


@dataclass(frozen=True, slots=True)
class Tiles:
    """The headline metrics, a text about their axes, and one about what is omitted."""

    tiles: Sequence[Tile]
    more: str = ""
    axes: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """What to do or to check next, in a sentence or two."""

    tag: Tag
    text: str


@dataclass(frozen=True, slots=True)
class Bullet:
    """A sentence of a list: its source, its rule, its path in ``to_dict()``."""

    text: str
    source: str = ""
    rule: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Bullets:
    """Sentences as a list: "notes" are small, and "warned" are highlighted."""

    items: Sequence[Bullet | str]
    look: Literal["", "notes", "warned"] = ""


@dataclass(frozen=True, slots=True)
class Calls:
    """A sentence, and Python calls for more detail, each with its description."""

    text: str
    calls: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Folded:
    """Blocks hidden behind their title; ``of`` is read after it by screen readers."""

    title: str
    blocks: Sequence[Block]
    of: str = ""
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Parts of one or more blocks; ``look``, such as "charts", is their layout on a page."""

    parts: Sequence[Block | Sequence[Block]]
    look: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """A section that a part adds to the page: its title, its blocks, and the section before it.

    The page shows the title and the ``sentence`` in one line, behind which the blocks are folded.
    ``sources`` are keys of works that it cites.
    """

    title: str
    sentence: str
    blocks: Sequence[Block]
    after: After = "curves"
    sources: Sequence[str] = ()


Plain = Headline | Paragraph | Grid
Block = Plain | Chart | Tiles | Step | Bullets | Calls | Folded | Group
GAP = Paragraph()
"""An empty line in a terminal."""


def paragraphs(lines: Iterable[str], style: Style = "", indent: int = 0) -> list[Paragraph]:
    """Return one paragraph per line."""
    return [Paragraph(line, style, indent) for line in lines]


# -- for writers without a layout --------------------------------------------------------------


def plain(blocks: Iterable[Block]) -> Iterator[Plain]:
    """Yield blocks as paragraphs and tables; charts become their words and numbers.

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
        elif isinstance(b, Step):
            yield Paragraph(f"{b.tag}: {b.text}", item=True)
        elif isinstance(b, Tiles):
            for tile in b.tiles:
                yield from (Paragraph(_figure(tile, f), item=True) for f in tile.figures)
                if tile.moved:
                    yield Paragraph(f"{tile.title}, {tile.moved}", item=True)
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
    """Yield blocks without those only for terminals: headlines, empty lines, drawn columns."""
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
