"""Charts as SVG text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curve import Curve
from tallymark.metric.association import probit
from tallymark.quantities import each, written
from tallymark.report.drawing import (
    MOST_LETTERS,
    SERIES,
    Axis,
    Distributions,
    Dots,
    Drawing,
    Forest,
    Mosaic,
    Nomogram,
    Ranks,
    Span,
    Strips,
    Tree,
    brief,
)
from tallymark.report.words import cut_off

if TYPE_CHECKING:
    from tallymark.report.blocks import Chart, Interval
    from tallymark.tally.scores import ScoreCounts

WIDTH, HEIGHT, SMALL_HEIGHT = 400, 310, 220
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 10, 42

MARKS = {
    "first": '<circle class="dot" cx="{x}" cy="{y}" r="4"/>',
    "second": '<path class="dot" d="M{x} {y}m-4.5 0l4.5 -4.5 4.5 4.5 -4.5 4.5Z"/>',
    "open": '<circle class="open" cx="{x}" cy="{y}" r="3.4"/>',
    "tick": '<path class="zero" d="M{x} {y}m0 -5v10"/>',
}
"""Mark shapes that show who is ahead."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear map from data to pixels."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: Any) -> Any:
        """Return the pixel position of a value, or of an array of values."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self, about: int = 5) -> list[float]:
        """Return round numbers across the range.

        >>> Scale(0, 1, 0, 100).ticks()
        [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
        """
        raw = (self.high - self.low) / about
        size = 10.0 ** math.floor(math.log10(raw))
        step = next(m * size for m in (1, 2, 2.5, 5, 10) if m * size >= raw * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(i * step, 12) for i in range(first, last + 1)]


def px(x: float) -> str:
    """Return a pixel position, rounded to a tenth.

    >>> px(12.04), px(7.25)
    ('12', '7.2')
    """
    return f"{x:.1f}".rstrip("0").rstrip(".")


def picture(c: Chart) -> tuple[str, bool]:
    """Return the picture of a chart, and whether it labels its lines directly."""
    if isinstance(c.drawn, Drawing):
        return _named(c, c.drawn)
    if isinstance(c.drawn, Forest):
        return forest(c.key, c.title, c.description, c.drawn), False
    if isinstance(c.drawn, Distributions):
        return distribution(c.key, c.title, c.description, c.drawn), False
    if isinstance(c.drawn, Dots):
        return dots(c.title, c.description, c.drawn), False
    if isinstance(c.drawn, Nomogram):
        return nomogram(c.title, c.description, c.drawn), False
    if isinstance(c.drawn, Strips):
        return strips(c.title, c.description, c.drawn), False
    if isinstance(c.drawn, Mosaic):
        return mosaic(c.title, c.description, c.drawn), False
    if isinstance(c.drawn, Ranks):
        return ranks(c.title, c.description, c.drawn), False
    return tree(c.title, c.description, c.drawn), False


def _named(c: Chart, d: Drawing) -> tuple[str, bool]:
    """Return a chart of lines, and whether it labels them directly; a leading line is on top."""
    d = replace(d, series=sorted(d.series, key=lambda s: s.style == c.lead))
    texts = [" ".join(filter(None, (s.name, s.number))) for s in d.series] if c.inline else []
    labels = direct_labels(d, texts) if texts else []
    svg = lines(
        c.kind,
        c.title,
        c.description,
        d,
        key=c.key,
        hinted=c.hinted,
        counts=c.counts,
        labels=labels,
        lead=c.lead,
        picks=c.picks,
    )
    return svg, bool(labels)


# -- parts of all pictures ---------------------------------------------------------------------


def head(title: str, desc: str, size: tuple[float, float], more: str) -> str:
    """Return the beginning of a picture: its size, its title and its description, without ids.

    At its natural width a text has the size that the style sheet gives it.
    """
    return (
        f'<svg {more} width="{size[0]:g}" viewBox="0 0 {size[0]:g} {size[1]:g}" role="img">'
        f"<title>{escape(title)}</title><desc>{escape(desc)}</desc>"
    )


def label(x: float, y: float, text: str, anchor: str = "middle", css: str = "") -> str:
    """Return a text at a position; by default its anchor is that of its group."""
    css = f' class="{css}"' if css else ""
    anchor = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text{css} x="{px(x)}" y="{px(y)}"{anchor}>{escape(text)}</text>'


def styled(style: int, lead: int | None = None) -> str:
    """Return the classes of a line style.

    >>> styled(9), styled(2, 2)
    ('s1', 's2 lead')
    """
    return f"s{style % SERIES}{' lead' if style == lead else ''}"


def stroke(places: Iterable[tuple[float, float]], look: str) -> str:
    """Return lines between points, with the given attributes.

    >>> stroke([(0, 5), (9, 5), (9, 7.25)], 'class="join"')
    '<path class="join" d="M0 5H9V7.2"/>'
    """
    (a, b), *rest = ((px(x), px(y)) for x, y in places)
    path = f"M{a} {b}"
    for x, y in rest:
        path += f"H{x}" if y == b else f"V{y}" if x == a else f"L{x} {y}"
        a, b = x, y
    return f'<path {look} d="{path}"/>'


def _frame(
    kind: str,
    key: str,
    title: str,
    desc: str,
    axes: tuple[Axis, Axis],
    scales: tuple[Scale, Scale],
    rows: Sequence[tuple[float, str]] = (),
    apart: int = 60,
) -> str:
    """Return an empty chart, with the attributes that the script reads.

    ``key`` distinguishes charts of a kind; ``rows`` are positions and names that replace the ticks
    of the vertical axis, and ``apart`` is the width of a horizontal tick.
    """
    x, y = scales
    labels = [f"{a.label}, %" if a.scale == "probit" else a.label for a in axes]
    data = "".join(
        f' data-{n}="{" ".join(each("{:.4g}".format, (s.low, s.high)))} {s.start} {s.end}" '
        f'data-{n}-label="{escape(title)}"'
        for n, title, s in zip("xy", labels, scales, strict=True)
    )
    size = x.end + RIGHT, y.start + BOTTOM
    more = f'class="chart" data-chart="{kind}" data-of="{escape(key)}"{data}'
    across = _ticks(axes[0], x, round((x.end - x.start) / apart))
    levels = [] if rows else _ticks(axes[1], y, round((y.start - y.end) / 42))
    grid = "".join(f"M{px(x(t))} {y.start}V{y.end}" for t, _ in across)
    grid += "".join(f"M{x.start} {px(y(t))}H{x.end}" for t, _ in levels)
    out = [
        head(title, desc, size, more),
        f'<path class="grid" d="{grid}"/><g class="ticks" text-anchor="middle">',
    ]
    out += [label(x(t), y.start + 15, text, "") for t, text in across]
    out.append('</g><g class="ticks" text-anchor="end">')
    out += [label(x.start - 6, y(t) + 4, text, "") for t, text in levels]
    out += [_row_name(x.start - 6, float(y(t)) + 4, text) for t, text in rows]
    out += ["</g>", label((x.start + x.end) / 2, y.start + 36, labels[0], css="axis")]
    if not rows:
        out.append(
            f'<text class="axis" transform="translate(12 {(y.start + y.end) / 2}) rotate(-90)" '
            f'text-anchor="middle">{escape(labels[1])}</text>'
        )
    return "".join(out)


def _row_name(x: float, y: float, name: str) -> str:
    """Return the name of a row in at most two lines, with the whole name as its title.

    A longer name loses letters in the middle, so that its end, such as a count, stays.
    """
    whole, most = cut_off(name, 200), 2 * MOST_LETTERS
    if len(whole) <= MOST_LETTERS:
        return label(x, y, whole, "")
    short = whole if len(whole) <= most else f"{whole[: most - 14]}…{whole[-13:]}"
    lines = wrap(short, MOST_LETTERS)
    if len(lines) != 2:
        lines = [short[:MOST_LETTERS], short[MOST_LETTERS:]]
    both = "".join(
        f'<tspan x="{px(x)}" y="{px(y + 7 * side)}">{escape(line)}</tspan>'
        for side, line in zip((-1, 1), lines, strict=True)
    )
    return f"<text>{both}<title>{escape(whole)}</title></text>"


def _ticks(axis: Axis, scale: Scale, about: int) -> list[tuple[float, str]]:
    """Return the positions of ticks, in units of their scale, and their labels."""
    if axis.scale == "probit":
        return [(float(probit(r)), f"{100 * r:g}") for r in axis.rates]
    mirrored = axis.scale == "mirrored"
    return [(t, written(abs(t) if mirrored else t, "g")) for t in scale.ticks(about)]


# -- lines -------------------------------------------------------------------------------------


def lines(
    kind: str,
    title: str,
    desc: str,
    d: Drawing,
    *,
    key: str = "",
    hinted: bool = False,
    counts: Sequence[ScoreCounts] = (),
    labels: Sequence[tuple[float, float, str]] = (),
    lead: int | None = None,
    picks: bool = False,
) -> str:
    """Return a chart of lines; ``key`` distinguishes charts of a kind.

    ``hinted`` adds the threshold at each point, and what is called positive there from the
    ``counts`` of each line style; ``labels`` are the positions and texts that
    :func:`direct_labels` found. The style ``lead`` alone has a colour; with ``picks`` each line has
    its number, so that the script can choose another.
    """
    x, y = _scale(d.x, LEFT, WIDTH - RIGHT), _scale(d.y, HEIGHT - BOTTOM, TOP)
    out = [_frame(kind, key, title, desc, (d.x, d.y), (x, y))]

    def of(style: int, css: str = "") -> str:
        look = f'class="{css}{styled(style, lead)}"'
        return f'{look} data-line="{style}"' if picks else look

    def pixels(xs: Any, ys: Any, gaps: bool = False) -> list[str]:
        places = zip(*_places(d, x, y, xs, ys, gaps), strict=True)
        return [f"{px(i)},{'' if math.isnan(j) else px(j)}" for i, j in places]

    for area in d.areas:
        v, css = area.curve, "band" if area.style is None else f"band own s{area.style % SERIES}"
        assert v.low is not None
        assert v.high is not None
        shape = [*pixels(v.x, v.high), *pixels(v.x[::-1], v.low[::-1])]
        out.append(f'<polygon class="{css}" points="{" ".join(shape)}"/>')
    # Fine reference lines are behind; if classes differ, none is drawn to save space.
    for css, kinds in (("faint", ("fine", "best", "gap")), ("chance", ("chance",))):
        guides = [g for g in d.guides if g.kind in kinds and (g.kind == "gap" or g.style is None)]
        out += [f'<path class="{css}" d="M{"L".join(pixels(g.x, g.y))}"/>' for g in guides]
    for s, named in zip_longest(d.series, labels):
        v = d.x.reached(s.curve)
        points = pixels(v.x, v.y, gaps=bool(v.step))
        more = f' data-number="{escape(s.number)}"' if picks and s.number else ""
        out.append(f'<g {of(s.style)} data-name="{escape(s.name)}"{more}>')
        if d.marked and v.low is not None and v.high is not None:
            spans = "".join(
                f"M{px(x(a))} {px(y(lo))}V{px(y(hi))}"
                for a, b, lo, hi in zip(v.x, v.y, v.low, v.high, strict=True)
                if math.isfinite(a + b + lo + hi)
            )
            out += [f'<path class="bounds" d="{spans}"/>'] if spans else []
        css = "line second" if s.second else "line"
        hints = _read(v, d.x, hinted, counts[s.style] if counts else None)
        out.append(f'<path class="{css}" d="{_joined(points, v.step)}"{hints}/>')
        if d.marked:
            places = [p.split(",") for p in points if not p.endswith(",")]
            out += [f'<circle class="dot" cx="{a}" cy="{b}" r="3.2"/>' for a, b in places]
        out.append("</g>")
        # Outside the group: a card draws names in the colour of the notebook's text.
        css = f"name {styled(s.style, lead)}"
        out += [label(named[0], named[1], named[2], css=css)] if named else []
    for a, b, style in d.dots:
        i, j = pixels([a], [b])[0].split(",")
        out.append(f'<circle {of(style, "dot ")} cx="{i}" cy="{j}" r="4"/>')
    at = 'cx="0" cy="0" hidden="hidden"'
    if d.now is not None:
        at = 'cx="{}" cy="{}"'.format(*pixels([d.now[0]], [d.now[1]])[0].split(","))
    out.append(f'<circle class="marker" r="6" {at}/></svg>')
    return "".join(out)


def _places(
    d: Drawing, x: Scale, y: Scale, xs: Any, ys: Any, gaps: bool = False
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return points in pixels, clipped to the frame."""
    a, b = (_units(axis, v) for axis, v in ((d.x, xs), (d.y, ys)))
    keep = np.isfinite(a) & (np.isfinite(b) | gaps)
    return x(np.clip(a[keep], x.low, x.high)), y(np.clip(b[keep], y.low, y.high))


LETTER, LINE = 8, 17
"""The size of a label in pixels: the width of most letters, and the height."""


def direct_labels(d: Drawing, texts: Sequence[str]) -> list[tuple[float, float, str]]:
    """Return a position beside each line for its label; empty if one of them does not fit.

    A label is within the frame, covers no line or label, and is at most half as far from its own
    line as from any other.
    """
    x, y = _scale(d.x, LEFT, WIDTH - RIGHT), _scale(d.y, HEIGHT - BOTTOM, TOP)
    lines = [d.x.reached(s.curve) for s in d.series]
    paths = [_along(*_places(d, x, y, v.x, v.y), v.step) for v in lines]
    if not paths or not all(map(len, paths)):
        return []
    marks, positions = [*paths], []
    for i, text in enumerate(texts):
        wide, high = LETTER * len(text) / 2, LINE / 2
        a, b = (
            grid.ravel()
            for grid in np.meshgrid(
                np.arange(x.start + wide + 4, x.end - wide, 6),
                np.arange(y.end + high + 2, y.start - high, 6),
            )
        )

        def far(
            line: NDArray[Any], a: Any = a, b: Any = b, w: float = wide, h: float = high
        ) -> Any:
            """Return the smallest distance of each box from a line: 0 if they touch."""
            across = np.maximum(np.abs(line[:, 0] - a[:, None]) - w, 0)
            return np.hypot(across, np.maximum(np.abs(line[:, 1] - b[:, None]) - h, 0)).min(1)

        own = far(paths[i])
        others = np.min([far(t) for t in marks if t is not paths[i]], 0) if len(marks) > 1 else 99
        free = (own > 2) & (own < 16) & (others > np.maximum(2 * own, 12))
        if not free.any():
            return []
        best = int(np.argmax(np.where(free, np.minimum(others, 40) - own, -np.inf)))
        positions.append((float(a[best]), float(b[best]) + 4, text))
        ends = np.linspace(-wide, wide, 24)
        marks.append(np.column_stack([a[best] + ends, np.full(24, b[best])]))
    return positions


def _along(a: NDArray[Any], b: NDArray[Any], step: str) -> NDArray[Any]:
    """Return positions at most 4 pixels apart along a line, straight or in steps."""
    if step:  # vertical then horizontal, or the reverse
        a, b = np.repeat(a, 2), np.repeat(b, 2)
        a, b = (a[:-1], b[1:]) if step == "pre" else (a[1:], b[:-1])
    if len(a) < 2:
        return np.column_stack([a, b])
    length = np.append(0, np.hypot(np.diff(a), np.diff(b)).cumsum())
    at = np.linspace(0, length[-1], int(length[-1] / 4) + 2)
    return np.column_stack([np.interp(at, length, a), np.interp(at, length, b)])


def _units(axis: Axis, values: Any) -> Any:
    """Return values in units of their axis, NaN if they are omitted."""
    v = np.asarray(values, dtype=float)
    if axis.scale == "probit":
        return probit(np.where(v <= axis.high, np.clip(v, axis.low, axis.high), np.nan))
    return np.where(v < axis.low, np.nan, v) if axis.low < 0 else v


def _scale(axis: Axis, start: float, end: float) -> Scale:
    low, high = _units(axis, [axis.low, axis.high]).tolist()
    return Scale(low, high, start, end)


def _read(v: Curve, x: Axis, hinted: bool, r: ScoreCounts | None) -> str:
    """Return the texts that the script shows at each drawn point."""
    out = ""
    keep = np.isfinite(v.x) & np.isfinite(v.y)
    columns = {"hints": v.threshold if hinted else None}
    if hinted and r is not None and v.threshold is not None:
        at = r.at(np.asarray(v.threshold))
        columns |= {"tp": at.tp, "fp": at.fp}
    if x.scale == "probit":
        columns |= {"xs": v.x, "ys": v.y}
    for name, values in columns.items():
        if values is not None:
            listed = np.asarray(values)[keep].tolist()
            write = ("{:.15g}" if name in ("tp", "fp") else "{:.4g}").format
            whole = name in ("tp", "fp") and all(map(float.is_integer, listed))
            text = packed(map(int, listed)) if whole else " ".join(map(write, listed))
            out += f' data-{name}="{text}"'
    return out


def packed(values: Iterable[int | None]) -> str:
    """Return whole numbers as a short text, in which each is written as a step from the one before.

    The first is a step from 0. A lower-case letter is a step of 0 to 25, an upper-case letter one
    of -1 to -26, and an underscore is a missing number.

    >>> packed([3, 3, 5, 4, None, 131, 100])
    'dacA_+127-31'
    """
    text, last = [], 0
    for v in values:
        if v is None:
            text.append("_")
            continue
        step, last = v - last, v
        letter = -26 <= step < 26
        text.append(chr(97 + step if step >= 0 else 64 - step) if letter else f"{step:+d}")
    return "".join(text)


def _joined(points: Sequence[str], step: str) -> str:
    """Return the path through points x,y: straight, or in steps that the page's script parses.

    A point with unknown y is "x,": a step ends there, and a straight line skips it.

    >>> points = ["0,9", "5,4", "7,"]
    >>> [_joined(points, step) for step in ("", "pre", "post")]
    ['M0,9L5,4', 'M0,9V4H5', 'M0,9H5V4H7']
    """
    if not step:
        defined = [p for p in points if not p.endswith(",")]
        return f"M{'L'.join(defined)}" if defined else ""
    path, down = "", False
    for a, b in (p.split(",") for p in points):
        if b:
            path += (f"V{b}H{a}" if step == "pre" else f"H{a}V{b}") if down else f"M{a},{b}"
        elif down and step == "post":
            path += f"H{a}"
        down = bool(b)
    return path


def distribution(key: str, title: str, desc: str, d: Distributions) -> str:
    """Return a small chart of the first row: bars of one class upward, of the other downward."""
    row = d.rows[0]
    pos, neg = row.shares
    top = max(float(pos.max()), float(neg.max()), 1e-6) * 1.12
    x = Scale(float(row.edges[0]), float(row.edges[-1]), LEFT, WIDTH - RIGHT)
    y = Scale(-top, top, SMALL_HEIGHT - BOTTOM, TOP)
    axes = Axis(d.x_label), Axis(d.y_label, scale="mirrored")
    out = [_frame("scores", key, title, desc, axes, (x, y))]
    out.append(f'<g class="s{row.style % SERIES}">')
    zero = px(y(0))
    for css, shares in (("pos", pos), ("neg", -neg)):
        bars = "".join(
            f"M{px(x(a) + 0.4)} {zero}V{px(y(v))}H{px(x(b) - 0.4)}V{zero}Z"
            for a, b, v in zip(row.edges[:-1], row.edges[1:], shares, strict=True)
            if v
        )
        out.append(f'<path class="{css}" d="{bars}"/>')
    out.append(f'</g><path class="zero" d="M{x.start} {zero}H{x.end}"/>')
    # Positives mostly have high scores and negatives low ones, so their names fit there.
    out.append(label(x.start + 6, y.end + 14, brief(d.sides[0]), "start", "inside"))
    out.append(label(x.end - 4, y.start - 7, brief(d.sides[1]), "end", "inside"))
    corners = (
        (-5, y.end + 30, "FN", "end"),
        (5, y.end + 30, "TP", "start"),
        (-5, y.start - 23, "TN", "end"),
        (5, y.start - 23, "FP", "start"),
    )
    cells = "".join(label(*corner, css="inside") for corner in corners)
    line = f'<path d="M0 {y.start}V{y.end}"/>'
    out.append(f'<g class="cut" hidden="hidden">{line}{cells}</g></svg>')
    return "".join(out)


DOT, LANE = 9, 120
"""The distance of two dots, and the largest height of a lane of them."""


def dots(title: str, desc: str, d: Dots) -> str:
    """Return a dot per row at its score, above others where they would touch.

    A right decision is a disc, a wrong one a rhombus of another colour.
    """
    left = min(NAMES, LETTER * max(len(brief(name)) for name, _ in d.lanes) + 16)
    x = Scale(d.x.low, d.x.high, left, WIDTH - RIGHT)
    places = [_stacked([float(x(score)) for score, _ in rows]) for _, rows in d.lanes]
    most = max((level for lane in places for level in lane), default=0)
    apart = min(DOT, (LANE - 2 * DOT) / max(most, 1))
    lane = max(4 * DOT, round(2 * DOT + apart * most))
    bottom = TOP + lane * len(d.lanes)
    y = Scale(len(d.lanes), 0, bottom, TOP)
    names = [(i + 0.5, brief(name)) for i, (name, _) in enumerate(d.lanes)]
    out = [_frame("rows", "", title, desc, (d.x, Axis("class")), (x, y), names)]
    out += [stroke([(x.start, y(i)), (x.end, y(i))], 'class="grid"') for i in (1, len(d.lanes))]
    if x.low <= d.cut <= x.high:
        out.append(stroke([(x(d.cut), bottom), (x(d.cut), TOP)], 'class="zero"'))
    for i, ((_, rows), levels) in enumerate(zip(d.lanes, places, strict=True)):
        for (score, right), level in zip(rows, levels, strict=True):
            at = px(float(x(score))), px(float(y(i + 1)) - DOT - level * apart)
            mark = MARKS["first" if right else "second"].format(x=at[0], y=at[1])
            out.append(f'<g class="s{int(not right)}">{mark}</g>')
    return "".join([*out, "</svg>"])


def _stacked(places: Sequence[float]) -> list[int]:
    """Return the level of each dot of a lane, the lowest one where it touches none before it.

    >>> _stacked([0, 4, 20, 20])
    [0, 1, 0, 1]
    """
    ends: list[float] = []
    levels = []
    for at in places:
        level = next((i for i, end in enumerate(ends) if at - end >= DOT), len(ends))
        ends[level:] = [at, *ends[level + 1 :]]
        levels.append(level)
    return levels


# -- from pre-test to post-test probability ----------------------------------------------------

PERCENTS = (1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 98, 99)
"""Ticks of a nomogram between its decades."""


def nomogram(title: str, desc: str, d: Nomogram) -> str:
    """Return Fagan's nomogram: a line from the pre-test probability through each likelihood ratio.

    In log odds, the post-test probability is the pre-test one plus the log likelihood ratio. With
    three parallel axes, the first downward and the middle at half scale, each sum is a line. What
    is beyond the axes ends in an arrow.
    """
    height, left, middle, right = 400, 70.0, WIDTH / 2, WIDTH - 70.0
    centre, unit = height / 2, (height / 2 - 34) / d.reach
    percents = [(f"{p}", math.log(p / (100 - p))) for p in PERCENTS]
    for n in range(3, d.decades + 1):
        odds = math.log(10**n - 1)
        percents = [(f"{10 ** (2 - n):.{n - 2}f}", -odds), *percents]
        percents.append((f"{100 - 10 ** (2 - n):.{n - 2}f}", odds))
    most = max(3, *(math.ceil(abs(math.log10(ratio))) for _, ratio in d.results))
    decades = range(-min(most, 2 * d.decades), min(most, 2 * d.decades) + 1)
    ratios = [(f"{10.0**n:.{max(-n, 0)}f}", n * math.log(10) / 2) for n in decades]
    out = [head(title, desc, (WIDTH, height), 'class="chart nomogram"'), '<g class="ticks">']
    axes = (
        (left, "end", -8, [(text, centre + unit * v) for text, v in percents]),
        (middle, "end", -8, [(text, centre - unit * v) for text, v in ratios]),
        (right, "start", 8, [(text, centre - unit * v) for text, v in percents]),
    )
    for x, anchor, away, ticks in axes:
        named = _apart(ticks)
        texts = (
            f'<text x="{px(x + away)}" y="{px(y + 4)}">{text}</text>'
            for text, y in ticks
            if text in named
        )
        out.append(f'<g text-anchor="{anchor}">{"".join(texts)}</g>')
    paths = "".join(
        f"M{px(x)} {px(ticks[0][1])}V{px(ticks[-1][1])}"
        + "".join(f"M{px(x - 4)} {px(y)}h8" for _, y in ticks)
        for x, _, _, ticks in axes
    )
    out.append(f'</g><path class="zero" fill="none" d="{paths}"/>')
    heads = ((left, "pre-test, %"), (middle, "likelihood ratio"), (right, "post-test, %"))
    out += [label(x, 14, text, css="axis") for x, text in heads]
    start = centre + unit * min(max(d.start, -d.reach), d.reach)
    for i, ((name, _), after) in enumerate(zip(d.results, d.after, strict=True)):
        shown = min(max(after, -d.reach), d.reach)
        end = centre - unit * shown
        path = f"M{px(left)} {px(start)}L{px(right)} {px(end)}"
        mark = f'<circle class="dot" cx="{px(right)}" cy="{px(end)}" r="4"/>'
        if not math.isclose(shown, after):
            back = 7 if after > shown else -7
            mark = f'<path class="line" d="M{px(right - 5)} {px(end + back)}l5 {-back}l5 {back}"/>'
        out.append(f'<g class="s{i}"><path class="line" d="{path}"/>{mark}</g>')
        at = (start + end) / 2 + (end - start) / 4
        out.append(label((middle + right) / 2, at - 6, f"{name} result", css="inside"))
    return "".join([*out, "</svg>"])


def _apart(ticks: Sequence[tuple[str, float]]) -> set[str]:
    """Return the ticks with room for their labels: those of a decade or the middle come first."""
    first = [t for t in ticks if re.fullmatch(r"[0.]*10*|50|9[09.]*", t[0])]
    named: dict[str, float] = {}
    for text, y in (*first, *ticks):
        if all(abs(y - other) >= 12 for other in named.values()):
            named[text] = y
    return {*named}


# -- leaders by range --------------------------------------------------------------------------


def strips(title: str, desc: str, d: Strips) -> str:
    """Return an axis from 0 to 1 for each row, with the leader in each range."""
    x, step = Scale(0, 1, LEFT, WIDTH - RIGHT), 56
    out = [head(title, desc, (WIDTH, TOP + step * len(d.rows)), 'class="chart"')]
    for i, (name, stretches) in enumerate(d.rows):
        y = TOP + step * i + 18
        out.append(label(x.start, y - 6, name, "start", "axis"))
        whole = f'x="{x.start}" y="{y}" width="{x.end - x.start}" height="14"'
        out.append(f'<rect class="strip" {whole}/>')
        for low, high, style in stretches:
            size = px(float(max(x(high) - x(low), 2)))
            out.append(
                f'<rect class="s{style % SERIES} leads" x="{px(float(x(low)))}" y="{y}" '
                f'width="{size}" height="14"/>'
            )
        ticks = (label(float(x(t)), y + 27, f"{t:g}") for t in x.ticks())
        out.append(f'<g class="ticks">{"".join(ticks)}</g>')
    return "".join([*out, "</svg>"])


# -- a matrix as areas -------------------------------------------------------------------------


def mosaic(title: str, desc: str, d: Mosaic) -> str:
    """Return a mosaic plot: cell areas are numbers of rows, and correct decisions are coloured.

    A cell that is too small for its text has none.
    """
    bottom, gap = SMALL_HEIGHT - 34, 4
    room = WIDTH - gap * (len(d.columns) - 1)
    total = sum(n for _, cells in d.columns for _, n, _ in cells)
    out = [head(title, desc, (WIDTH, SMALL_HEIGHT), 'class="chart"')]
    left = 0.0
    for name, cells in d.columns:
        rows = sum(n for _, n, _ in cells)
        wide, top = room * rows / total, 20.0
        out.append(label(left + wide / 2, 14, cut_off(name, int(wide / LETTER) + 1), css="axis"))
        for text, n, right in cells:
            high = (bottom - 20) * n / rows if rows else 0
            colour = "--good" if right else "--bad"
            place = f'x="{px(left)}" y="{px(top)}" width="{px(wide)}" height="{px(high)}"'
            out.append(f'<rect {place} fill="var({colour})" fill-opacity=".26"/>')
            if high > LINE and wide > 7 * len(text):
                out.append(label(left + wide / 2, top + high / 2 + 4, text, css="axis"))
            top += high
        left += wide + gap
    out.append(label(WIDTH / 2, SMALL_HEIGHT - 12, "area: number of rows", css="axis"))
    return "".join([*out, "</svg>"])


# -- mean ranks --------------------------------------------------------------------------------

_AXIS, _RANK_ROW, _BAR, _LETTER, _SIDE = 400, 20, 9, 8, 12

_THIN, _LINE, _BOLD, _THICK = (
    f'fill="none" stroke="currentColor" stroke-width="{width}"' for width in (0.8, 1, 1.5, 4)
)


def ranks(title: str, desc: str, d: Ranks) -> str:
    """Return names at their mean ranks, with bars across groups; it needs no style sheet."""
    from rich.cells import cell_len

    most = len(d.names)
    margin = round(max(cell_len(brief(n.name)) for n in d.names) * _LETTER) + 46
    x = Scale(1, most, margin, margin + _AXIS)
    line = 64 if d.difference is not None else 40
    first = line + 14 + d.levels * _BAR
    size = 2 * margin + _AXIS, first + d.rows * _RANK_ROW + 6
    look = d.look or 'xmlns="http://www.w3.org/2000/svg"'
    more = (
        f'{look} class="chart ranks" font-size="12" '
        'font-family="system-ui,sans-serif" fill="currentColor" stroke="none"'
    )
    out = [head(title, desc, size, more)]
    if d.difference is not None:
        a, b = x(1), x(d.difference)
        ends = [(a, 20), (a, 28), (a, 24), (b, 24), (b, 20), (b, 28)]
        out += [stroke(ends, _BOLD), label(a, 14, d.label, "start")]
    out.append(stroke([(x(1), line), (x(most), line)], f'class="axis" {_LINE}'))
    for t in d.ticks:
        out += [stroke([(x(t), line), (x(t), line - 6)], _LINE), label(x(t), line - 9, str(t))]
    for n in d.names:
        y = first + n.row * _RANK_ROW + 8
        edge = margin - _SIDE if n.left else margin + _AXIS + _SIDE
        at, anchor = (edge - 5, "end") if n.left else (edge + 5, "start")
        out.append(
            f'<g data-name="{escape(n.name)}" data-rank="{n.rank:.2f}">'
            + stroke([(x(n.rank), line), (x(n.rank), y), (edge, y)], _THIN)
            + f"{label(at, y + 4, n.text, anchor)}</g>"
        )
    for low, high, level in d.bars:
        y = line + 10 + level * _BAR
        out.append(stroke([(x(low) - 3, y), (x(high) + 3, y)], f'class="together" {_THICK}'))
    return "".join([*out, "</svg>\n"])


# -- a dendrogram ------------------------------------------------------------------------------

_LEAF_ROW, _LEAF, _JOINS = 24, 168, 158
"""The height of a leaf's row, the width of its name, and the width of the joins."""


def tree(title: str, desc: str, d: Tree) -> str:
    """Return leaves on the left, joined at their heights."""
    foot = len(d.leaves) * _LEAF_ROW + 8
    x = Scale(0.0, max(*(height for *_, height, _ in d.joins), 0.1), _LEAF, _LEAF + _JOINS)
    ticks = x.ticks(4)
    grid = "".join(f"M{px(x(t))} 4V{foot}" for t in ticks)
    out = [head(title, desc, (_LEAF + _JOINS + 14, foot + 36), 'class="chart tree"')]
    out.append(f'<path class="grid" d="{grid}"/><g class="ticks">')
    out += [label(x(t), foot + 14, f"{round(1 - t, 9) + 0:g}") for t in ticks]
    out.append("</g>")
    places: list[tuple[float, float]] = []
    for i, leaf in enumerate(d.leaves):
        y = _LEAF_ROW * (i + 0.5) + 4
        places.append((float(x(0.0)), y))
        out.append(label(_LEAF - 6, y + 4, cut_off(leaf, 24), "end", "leaf"))
    for i, j, height, style in d.joins:
        (left, y1), (right, y2) = places[i], places[j]
        at = float(x(height))
        join = stroke([(left, y1), (at, y1), (at, y2), (right, y2)], 'class="join"')
        css = "between" if style is None else f"s{style % SERIES}"
        out.append(f'<g class="{css}">{join}</g>')
        places.append((at, (y1 + y2) / 2))
    if d.cut is not None:
        out.append(stroke([(x(d.cut), 4), (x(d.cut), foot)], 'class="chance"'))
    axis = label(_LEAF + _JOINS / 2, foot + 30, d.label, css="axis")
    return "".join([*out, axis, "</svg>"])


# -- intervals ---------------------------------------------------------------------------------

NAMES, ROW, CLOSE, TWO_LINES = 166, 21, 11, 30
"""Sizes in a forest plot: the width of the names; the height of a row with its own name, of one of
several rows that share a name, and of a name on two lines."""


def forest(key: str, title: str, desc: str, d: Forest) -> str:
    """Return a chart of numbers with their intervals, one per row, around a line.

    Intervals beyond the axis end in an arrow at its edge.
    """
    left, high = NAMES, ROW
    if d.together > 1:
        left, high = min(NAMES, LETTER * max(len(brief(r.name)) for r in d.rows) + 16), CLOSE
    if any(len(r.name) > MOST_LETTERS for r in d.rows):  # two lines
        high = max(high, TWO_LINES // d.together)
    x = Scale(d.x.low, d.x.high, left, WIDTH - RIGHT)
    y = Scale(len(d.rows), 0, TOP + high * len(d.rows), TOP)
    named = [*enumerate(d.rows)][:: d.together]
    names = [(i + d.together / 2, r.name) for i, r in named]
    apart = 36 if d.together == 1 else 60
    out = [_frame("forest", key, title, desc, (d.x, Axis(d.kind)), (x, y), names, apart)]
    if d.line is not None:
        out.append(stroke([(x(d.line), y.start), (x(d.line), y.end)], 'class="zero"'))
    ticks = [
        f"M{px(float(x(guess)))} {px(y(i) + 2)}v{rows * high - 4}"
        for at, _ in named
        for i, guess, rows in _references(d.rows, at, d.together)
    ]
    out += [f'<path class="zero" d="{"".join(ticks)}"/>'] if ticks else []
    out += [_span(r, x, float(y(i + 0.5))) for i, r in enumerate(d.rows)]
    return "".join([*out, "</svg>"])


def _references(rows: Sequence[Span], first: int, n: int) -> list[tuple[int, float, int]]:
    """Return the references of rows together: row, value and number of rows; one if all agree."""
    own = [(i, r.guess, 1) for i, r in enumerate(rows[first : first + n], first)]
    known = [(i, guess, 1) for i, guess, _ in own if guess is not None]
    if len({guess for _, guess, _ in known}) == 1:
        return [(first, known[0][1], n)]
    return known


def _span(r: Span, x: Scale, y: float) -> str:
    middle, margins = px(y), ""
    if r.margin is not None:
        sides = (x(v) for v in (-r.margin, r.margin) if x.low <= v <= x.high)
        d = "".join(f"M{px(float(at))} {middle}m0 -9v18" for at in sides)
        margins = f'<path class="chance" d="{d}"/>' if d else ""
    if not math.isfinite(r.value):
        return margins + label(x.start + 6, y + 4, brief(r.missing), "start", "none")
    ends = [v if math.isfinite(v) else r.value for v in (r.low, r.high)]
    a, b, at = (px(float(x(min(max(v, x.low), x.high)))) for v in (*ends, r.value))
    path = f"M{a} {middle}H{b}" if a != b else ""
    if ends[0] < x.low:
        path += f"M{a} {middle}m5 -4l-5 4 5 4"
    if ends[1] > x.high:
        path += f"M{b} {middle}m-5 -4l5 4 -5 4"
    line = f'<path class="bounds" d="{path}"/>' if path else ""
    mark = MARKS[r.mark].format(x=at, y=middle) if x.low <= r.value <= x.high else ""
    look = "flagged" if r.flagged else _marked(r.mark, r.style)
    return f'{margins}<g class="{look}">{line}{mark}</g>'


def _marked(mark: str, style: int | None) -> str:
    return "faint" if mark == "open" or style is None else f"s{style % SERIES}"


def symbol(mark: str, style: int | None, lead: int | None = None) -> str:
    """Return the legend symbol of a mark, in the colour of the leading line if it is there."""
    shape = MARKS[mark].format(x=5, y=5)
    css = f"{_marked(mark, style)}{' lead' if style is not None and style == lead else ''}"
    return f'<svg class="{css}" viewBox="0 0 10 10" aria-hidden="true">{shape}</svg>'


POINTS = (
    '<circle cx="{x}" cy="5" r="2.4"/>',
    '<path d="M{x} 5m-2.2 -2.2h4.4v4.4h-4.4Z"/>',
    '<path d="M{x} 2l2.8 5h-5.6Z"/>',
)
"""The points of models in small pictures: shapes that tell them apart without colour.

The ends of an interval are higher than they are, so that none is hidden.
"""


def bar(i: Interval, style: int | None = None, length: int = 100) -> str:
    """Return a small picture of an interval on its axis; empty if its bounds are unknown.

    ``style`` is that of the model's lines, ``length`` the width of the axis at a height of 10.
    """
    ends = (i.value, i.low, i.high, i.least, i.most)
    if not all(map(math.isfinite, ends)) or i.least >= i.most:
        return ""
    x = Scale(i.least, i.most, 1, length - 1)
    a, b, c = (px(float(x(v))) for v in (i.low, i.high, i.value))
    tick = ""
    if i.guess is not None and i.least <= i.guess <= i.most:
        tick = f'<path class="guess" d="M{px(float(x(i.guess)))} 0V10"/>'
    own = "" if style is None else f" s{style % SERIES}"
    point = POINTS[(style or 0) % len(POINTS)].format(x=c)
    return (
        f'<svg class="bar{own}" viewBox="0 0 {length} 10" aria-hidden="true">{tick}'
        f'<path class="span" d="M{a} 2V8M{a} 5H{b}M{b} 2V8"/>{point}</svg>'
    )
