"""The critical-difference diagram: mean ranks on a line, bars across those that do not differ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from tallymark import InputError
from tallymark.core import Chart, cut_off, drawing, harmless, svg

if TYPE_CHECKING:
    from tallymark.parts.results.comparison import ModelComparison

MOST_TICKS = 12
MOST_LETTERS = 28
"""Of a name, which is cut off behind."""


@dataclass(frozen=True, slots=True)
class Name:
    """A classifier of the diagram: its rank, and where its name stands, row 0 next to the axis."""

    name: str
    rank: float
    left: bool
    row: int

    @property
    def brief(self) -> str:
        """The name as it is shown."""
        return cut_off(self.name, MOST_LETTERS)

    @property
    def text(self) -> str:
        """The name as it is shown with the rank beside it, which is nearer to the axis."""
        return f"{self.brief} {self.rank:.2f}" if self.left else f"{self.rank:.2f} {self.brief}"


@dataclass(frozen=True, slots=True)
class RankDiagram:
    """The diagram before it is drawn: the better half of the names stands on the left.

    ``bars`` are the ranks that a group spans and its ``level`` below the axis; bars of one level
    do not touch. ``difference`` is where the bar of the critical difference ends, which is no
    longer than the axis.
    """

    names: tuple[Name, ...]
    bars: tuple[tuple[float, float, int], ...]
    levels: int
    rows: int
    most: int
    ticks: tuple[int, ...]
    difference: float | None
    label: str


def rank_diagram(c: ModelComparison) -> RankDiagram:
    """Lay out the mean ranks of a comparison.

    Raises
    ------
    InputError
        Of one data set, where there are no mean ranks.

    """
    ranks = c.mean_ranks
    if not ranks:
        raise InputError(
            "a critical-difference diagram is of mean ranks over data sets, and here is only "
            f"{harmless(c._fields[0].dataset)!r}"
        )
    k = len(ranks)
    half = math.ceil(k / 2)
    names = tuple(
        Name(harmless(n), r, i < half, i if i < half else k - 1 - i)
        for i, (n, r) in enumerate(ranks.items())
    )
    ends: list[float] = []
    bars = []
    for group in c.groups:
        low, high = min(ranks[n] for n in group), max(ranks[n] for n in group)
        level = next((i for i, end in enumerate(ends) if end < low), len(ends))
        ends[level:] = [high, *ends[level + 1 :]]
        bars.append((low, high, level))
    ticks = tuple(range(1, k + 1, math.ceil((k - 1) / MOST_TICKS)))
    cd = c.critical_difference if c.rule == "nemenyi" else None
    return RankDiagram(
        names,
        tuple(bars),
        len(ends),
        half,
        k,
        ticks,
        None if cd is None else min(1 + cd, k),
        f"critical difference {cd or 0:.2f}",
    )


_AXIS, _ROW, _BAR, _LETTER, _SIDE = 400, 20, 9, 8, 12

_THIN, _LINE, _BOLD, _THICK = (
    f'fill="none" stroke="currentColor" stroke-width="{width}"' for width in (0.8, 1, 1.5, 4)
)


def picture(c: ModelComparison) -> str:
    """Return the diagram as SVG text with a title and a description; it needs no style sheet."""
    from rich.cells import cell_len

    plan = rank_diagram(c)
    margin = round(max(cell_len(n.brief) for n in plan.names) * _LETTER) + 46
    x = svg.Scale(1, plan.most, margin, margin + _AXIS)
    line = 64 if plan.difference is not None else 40
    first = line + 14 + plan.levels * _BAR
    size = 2 * margin + _AXIS, first + plan.rows * _ROW + 6
    more = (
        'xmlns="http://www.w3.org/2000/svg" class="chart ranks" font-size="12" '
        'font-family="system-ui,sans-serif" fill="currentColor" stroke="none"'
    )
    out = [svg.head(title(c), description(c), size, more)]
    if plan.difference is not None:
        # Wider than the whole axis, it tells no two apart and is drawn as long as the axis.
        a, b = x(1), x(plan.difference)
        ends = [(a, 20), (a, 28), (a, 24), (b, 24), (b, 20), (b, 28)]
        out += [svg.stroke(ends, _BOLD), svg.label(a, 14, plan.label, "start")]
    out.append(svg.stroke([(x(1), line), (x(plan.most), line)], f'class="axis" {_LINE}'))
    for t in plan.ticks:
        out += [
            svg.stroke([(x(t), line), (x(t), line - 6)], _LINE),
            svg.label(x(t), line - 9, str(t)),
        ]
    for n in plan.names:
        y = first + n.row * _ROW + 8
        edge = margin - _SIDE if n.left else margin + _AXIS + _SIDE
        at, anchor = (edge - 5, "end") if n.left else (edge + 5, "start")
        out.append(
            f'<g data-name="{escape(n.name)}" data-rank="{n.rank:.2f}">'
            + svg.stroke([(x(n.rank), line), (x(n.rank), y), (edge, y)], _THIN)
            + f"{svg.label(at, y + 4, n.text, anchor)}</g>"
        )
    for low, high, level in plan.bars:
        y = line + 10 + level * _BAR
        out.append(svg.stroke([(x(low) - 3, y), (x(high) + 3, y)], f'class="together" {_THICK}'))
    return "".join([*out, "</svg>\n"])


def drawn(c: ModelComparison, words: str = "", size: str = "") -> list[Chart]:
    """Return the diagram with its words; nothing where there are no ranks.

    ``size`` are the attributes of a diagram that no style sheet sizes.
    """
    if not c.mean_ranks:
        return []
    text = picture(c)
    if size:
        text = text.replace('xmlns="http://www.w3.org/2000/svg"', size)
    vectors = drawing.Vectors(text, "critical-difference diagram")
    return [Chart(title(c), vectors, words=words, heading="")]


def title(c: ModelComparison) -> str:
    """Return what the diagram shows."""
    return (
        f"Mean ranks of {len(c.classifiers)} classifiers over {len(c._fields)} data sets, "
        "1 the best"
    )


def description(c: ModelComparison) -> str:
    """Return the diagram in words."""
    ranks = ", ".join(f"{harmless(n)} {r:.2f}" for n, r in c.mean_ranks.items())
    out = [f"Mean ranks: {ranks}."]
    if c.rule == "nemenyi":
        out.append(f"Nemenyi's critical difference is {c.critical_difference:.2f}.")
    for group in c.groups:
        out.append(f"No significant difference: {', '.join(harmless(n) for n in group)}.")
    if not c.groups:
        out.append("All differ significantly.")
    return " ".join(out)
