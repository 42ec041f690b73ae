"""The critical-difference diagram: mean ranks on a line, bars across those that do not differ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

from tallymark.errors import InputError
from tallymark.report import svg, words
from tallymark.studies.model_comparison import ModelComparison

_AXIS, _ROW, _BAR, _LETTER, _SIDE = 400, 20, 9, 7.2, 12
_MOST_TICKS = 12


@dataclass(frozen=True, slots=True)
class Mark:
    """A classifier: where its name stands, ``row`` 0 being the nearest to the axis."""

    name: str
    rank: float
    left: bool
    row: int


@dataclass(frozen=True, slots=True)
class Layout:
    """A diagram before it is drawn: the better half of the names stands on the left.

    ``bars`` are the ranks that a group spans and its ``level`` below the axis; bars of one level
    do not touch.
    """

    marks: tuple[Mark, ...]
    bars: tuple[tuple[float, float, int], ...]
    levels: int
    rows: int
    most: int
    ticks: tuple[int, ...]
    difference: float | None


def layout(c: ModelComparison) -> Layout:
    """Lay out the mean ranks of a contest.

    Raises
    ------
    InputError
        Of one data set, where there are no mean ranks.

    """
    ranks = c.mean_ranks
    if not ranks:
        raise InputError(
            "a critical-difference diagram is of mean ranks over data sets, and here is only "
            f"{words.text(c.fields[0].dataset)!r}"
        )
    k = len(ranks)
    half = math.ceil(k / 2)
    marks = tuple(
        Mark(words.text(n), r, i < half, i if i < half else k - 1 - i)
        for i, (n, r) in enumerate(ranks.items())
    )
    ends: list[float] = []
    bars = []
    for group in c.groups:
        low, high = min(ranks[n] for n in group), max(ranks[n] for n in group)
        level = next((i for i, end in enumerate(ends) if end < low), len(ends))
        ends[level:] = [high, *ends[level + 1 :]]
        bars.append((low, high, level))
    step = math.ceil((k - 1) / _MOST_TICKS)
    cd = c.critical_difference if c.rule == "nemenyi" else None
    return Layout(marks, tuple(bars), len(ends), half, k, tuple(range(1, k + 1, step)), cd)


def picture(c: ModelComparison) -> str:
    """Return the diagram as SVG text with a title and a description; it needs no style sheet."""
    from rich.cells import cell_len  # plots, which share the layout, do without

    plan = layout(c)
    names = [_short(m.name) for m in plan.marks]
    margin = round(max(cell_len(n) for n in names) * _LETTER) + 46
    x = svg.Scale(1, plan.most, margin, margin + _AXIS)
    line = 64 if plan.difference is not None else 40
    first = line + 14 + plan.levels * _BAR
    width, height = 2 * margin + _AXIS, first + plan.rows * _ROW + 6
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart ranks" viewBox="0 0 {width} '
        f'{height}" role="img" font-family="system-ui,sans-serif" font-size="12" '
        'fill="currentColor" stroke="none" aria-labelledby="ranks-title ranks-desc">',
        f'<title id="ranks-title">{escape(title(c))}</title>',
        f'<desc id="ranks-desc">{escape(description(c))}</desc>',
    ]
    if plan.difference is not None:
        # Wider than the whole axis, it tells no two apart and is drawn as long as the axis.
        end = min(1 + plan.difference, plan.most)
        out.append(
            f'<path d="M{x(1):.1f} 20v8m0 -4H{x(end):.1f}m0 -4v8" fill="none" '
            'stroke="currentColor" stroke-width="1.5"/>'
            f'<text x="{x(1):.1f}" y="14">critical difference {plan.difference:.2f}</text>'
        )
    ticks = "".join(f"M{x(t):.1f} {line}v-6" for t in plan.ticks)
    out.append(
        f'<path class="axis" d="M{x(1):.1f} {line}H{x(plan.most):.1f}{ticks}" fill="none" '
        'stroke="currentColor"/><g font-size="11" text-anchor="middle">'
        + "".join(f'<text x="{x(t):.1f}" y="{line - 9}">{t}</text>' for t in plan.ticks)
        + "</g>"
    )
    for mark, name in zip(plan.marks, names, strict=True):
        place, y = x(mark.rank), first + mark.row * _ROW + 8
        edge = margin - _SIDE if mark.left else margin + _AXIS + _SIDE
        anchor, at = ("end", edge - 5) if mark.left else ("start", edge + 5)
        label = f"{mark.rank:.2f}"
        out.append(
            f'<g data-name="{escape(mark.name)}" data-rank="{label}"><path d="M{place:.1f} {line}'
            f'V{y}H{edge}" fill="none" stroke="currentColor" stroke-width="0.8"/>'
            f'<text x="{at}" y="{y + 4}" text-anchor="{anchor}">'
            + (f"{escape(name)} {label}" if mark.left else f"{label} {escape(name)}")
            + "</text></g>"
        )
    for low, high, level in plan.bars:
        y = line + 10 + level * _BAR
        out.append(
            f'<path class="together" d="M{x(low) - 3:.1f} {y}H{x(high) + 3:.1f}" '
            'stroke="currentColor" stroke-width="4"/>'
        )
    out.append("</svg>\n")
    return "".join(out)


def title(c: ModelComparison) -> str:
    """Return what the diagram shows."""
    return (
        f"Mean ranks of {len(c.classifiers)} classifiers over {len(c.fields)} data sets, 1 the best"
    )


def description(c: ModelComparison) -> str:
    """Return the diagram in words."""
    label = ", ".join(f"{words.text(n)} {r:.2f}" for n, r in c.mean_ranks.items())
    out = [f"Mean ranks: {label}."]
    if c.rule == "nemenyi":
        out.append(f"Nemenyi's critical difference is {c.critical_difference:.2f}.")
    for group in c.groups:
        out.append(f"No significant difference: {', '.join(words.text(n) for n in group)}.")
    if not c.groups:
        out.append("All differ significantly.")
    return " ".join(out)


def _short(name: str) -> str:
    return name if len(name) <= svg.MOST_LETTERS else name[: svg.MOST_LETTERS - 1] + "…"
