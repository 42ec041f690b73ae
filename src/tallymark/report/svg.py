"""Charts as SVG text: finished numbers in, a picture out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.errors import InputError
from tallymark.report import words

if TYPE_CHECKING:
    from tallymark.curve import Curve
    from tallymark.studies.model_comparison import ModelComparison

WIDTH, HEIGHT = 340, 310
SMALL_WIDTH, SMALL_HEIGHT = 340, 220
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 10, 42
MOST_LETTERS = 28
SERIES = 8
"""Line styles that can be told apart, by colour and by dash."""


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart: ``style`` chooses colour and dash, ``hints`` say where a point is.

    ``step`` is that of :class:`tallymark.Curve`; a ``second`` line of a style is dotted.
    """

    name: str
    style: int
    x: Any
    y: Any
    hints: Any = None
    low: Any = None
    high: Any = None
    raw: tuple[Any, Any] | None = None
    step: str = ""
    second: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """One row of a forest plot: a value between its bounds, NaN without some.

    ``mark`` is a key of :data:`MARKS`; ``margin`` is dashed on both sides of 0 where there is one;
    ``told`` stands in the row where no value can be drawn.
    """

    name: str
    value: float
    low: float
    high: float
    mark: str
    style: int = 0
    margin: float | None = None
    told: str = ""


MARKS = {
    "first": '<circle class="dot" cx="{x}" cy="{y}" r="4"/>',
    "second": '<path class="dot" d="M{x} {y}m-4.5 0l4.5 -4.5 4.5 4.5 -4.5 4.5Z"/>',
    "open": '<circle class="open" cx="{x}" cy="{y}" r="3.4"/>',
}
"""What says by its form who is ahead."""


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis is called and shows: its range, and its ticks where they are not round numbers.

    ``ticks`` are places and their texts; where there are some, ``Series.raw`` is
    read out.
    """

    label: str
    low: float = 0.0
    high: float = 1.0
    ticks: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear map from data to pixels."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: Any) -> Any:
        """Return the place of a value, or of an array of them."""
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


def threshold_range(curves: Sequence[Curve]) -> tuple[float, float]:
    """Return what is shown of a threshold: 0 to 1 of such scores, else a little beyond them all."""
    x = np.concatenate([c.x for c in curves])
    x = x[np.isfinite(x)]
    if not len(x) or (x.min() >= 0 and x.max() <= 1):
        return 0.0, 1.0
    low, high = float(x.min()), float(x.max())
    beyond = 0.04 * (high - low) or 0.5
    return low - beyond, high + beyond


def short(x: float) -> str:
    """Return a number with four significant digits and no needless ones."""
    if not math.isfinite(x):
        return "inf" if x > 0 else "-inf"
    return f"{x:.4g}"


def _px(x: float) -> str:
    return f"{x:.1f}".rstrip("0").rstrip(".")


def _open(
    kind: str, key: str, title: str, desc: str, x: Scale, y: Scale, labels: tuple[str, str]
) -> list[str]:
    """Return the head of a chart: its name and description, and what the script reads of it."""
    ident = f"{kind}{('-' + key) if key else ''}"
    size = f"{x.end + RIGHT:g} {y.start + BOTTOM:g}"
    return [
        f'<svg class="chart" viewBox="0 0 {size}" role="img" data-chart="{kind}" '
        f'data-x-label="{escape(labels[0])}" data-y-label="{escape(labels[1])}" '
        f'data-key="{escape(key)}" data-x="{short(x.low)} {short(x.high)} {x.start} {x.end}" '
        f'data-y="{short(y.low)} {short(y.high)} {y.start} {y.end}" '
        f'aria-labelledby="{ident}-title {ident}-desc">',
        f'<title id="{ident}-title">{escape(title)}</title>',
        f'<desc id="{ident}-desc">{escape(desc)}</desc>',
    ]


def _axes(x: Scale, y: Scale, axes: tuple[Axis, Axis], y_text: Any = None) -> list[str]:
    across = axes[0].ticks or [(t, f"{t:g}") for t in x.ticks(round((x.end - x.start) / 60))]
    upward = axes[1].ticks or [
        (t, y_text(t) if y_text else f"{t:g}") for t in y.ticks(round((y.start - y.end) / 42))
    ]
    verticals = "".join(f"M{_px(x(t))} {y.start}V{y.end}" for t, _ in across)
    levels = "".join(f"M{x.start} {_px(y(t))}H{x.end}" for t, _ in upward)
    out = [f'<path class="grid" d="{verticals}{levels}"/><g class="ticks">']
    for t, told in across:
        out.append(f'<text x="{_px(x(t))}" y="{y.start + 15}" text-anchor="middle">{told}</text>')
    for t, told in upward:
        out.append(f'<text x="{x.start - 6}" y="{_px(y(t) + 4)}" text-anchor="end">{told}</text>')
    middle = (y.start + y.end) / 2
    out.append(
        f'</g><text class="axis" x="{(x.start + x.end) / 2}" y="{y.start + 36}" '
        f'text-anchor="middle">{escape(axes[0].label)}</text>'
        f'<text class="axis" transform="translate(12 {middle}) rotate(-90)" '
        f'text-anchor="middle">{escape(axes[1].label)}</text>'
    )
    return out


def lines(
    kind: str,
    title: str,
    desc: str,
    x_axis: Axis,
    y_axis: Axis,
    series: Sequence[Series],
    *,
    guides: Sequence[tuple[Any, Any]] = (),
    faint: Sequence[tuple[Any, Any]] = (),
    bands: Sequence[tuple[Any, ...]] = (),
    dots: Sequence[tuple[float, float, int]] = (),
    marked: bool = False,
    key: str = "",
) -> str:
    """Return a chart of lines.

    ``guides`` are dashed lines of what guessing achieves and the like, ``faint`` thinner ones to
    read values from, each as (xs, ys); ``bands`` are shaded between (xs, lows, highs), in a
    line's colour where its style is fourth; ``dots`` mark (x, y, style). ``marked`` draws the
    points of the lines themselves, with bounds where they have some; ``key`` tells charts of one
    kind apart.
    """
    x = Scale(x_axis.low, x_axis.high, LEFT, WIDTH - RIGHT)
    y = Scale(y_axis.low, y_axis.high, HEIGHT - BOTTOM, TOP)
    out = _open(kind, key, title, desc, x, y, (x_axis.label, y_axis.label))
    out += _axes(x, y, (x_axis, y_axis))

    def pixels(xs: Any, ys: Any, gaps: bool = False) -> list[str]:
        # Lines end at the frame, wherever their points lie.
        a, b = (np.asarray(v, dtype=float) for v in (xs, ys))
        keep = np.isfinite(a) & (np.isfinite(b) | gaps)
        a, b = np.clip(a[keep], x.low, x.high), np.clip(b[keep], y.low, y.high)
        return [
            f"{_px(i)},{'' if math.isnan(j) else _px(j)}" for i, j in zip(x(a), y(b), strict=True)
        ]

    for xs, lows, highs, *own in bands:
        shape = [*pixels(xs, highs), *pixels(xs[::-1], lows[::-1])]
        css = "band" + "".join(f" own s{style % SERIES}" for style in own)
        out.append(f'<polygon class="{css}" points="{" ".join(shape)}"/>')
    for css, drawn in (("faint", faint), ("chance", guides)):
        out += [f'<path class="{css}" d="M{"L".join(pixels(*line))}"/>' for line in drawn]
    for s in series:
        keep = np.isfinite(s.x) & np.isfinite(s.y)
        hints = ""
        if s.hints is not None:
            kept = np.asarray(s.hints, dtype=float)[keep]
            hints = f' data-hints="{" ".join(short(h) for h in kept)}"'
        if s.raw is not None:
            hints += "".join(
                f' data-{axis}s="{" ".join(short(v) for v in np.asarray(values)[keep])}"'
                for axis, values in zip("xy", s.raw, strict=True)
            )
        out.append(f'<g class="s{s.style % SERIES}" data-name="{escape(s.name)}">')
        if s.low is not None and s.high is not None:
            lows, highs = y(np.asarray(s.low)[keep]), y(np.asarray(s.high)[keep])
            spans = "".join(
                f"M{_px(a)} {_px(lo)}V{_px(hi)}"
                for a, lo, hi in zip(x(np.asarray(s.x)[keep]), lows, highs, strict=True)
                if math.isfinite(lo) and math.isfinite(hi)
            )
            out.append(f'<path class="bounds" d="{spans}"/>')
        points = pixels(s.x, s.y, gaps=bool(s.step))
        css = "line second" if s.second else "line"
        out.append(f'<path class="{css}" d="{_joined(points, s.step)}"{hints}/>')
        if marked:
            places = [p.split(",") for p in points if not p.endswith(",")]
            out += [f'<circle class="dot" cx="{a}" cy="{b}" r="3.2"/>' for a, b in places]
        out.append("</g>")
    for a, b, style in dots:
        (place,) = pixels([a], [b])
        i, j = place.split(",")
        out.append(f'<circle class="dot s{style % SERIES}" cx="{i}" cy="{j}" r="4"/>')
    out.append('<circle class="marker" r="6" cx="0" cy="0" hidden="hidden"/></svg>')
    return "".join(out)


def _joined(points: Sequence[str], step: str) -> str:
    """Return the path through points x,y: straight, or in steps that the page's script reads.

    Points of an unknown y are "x,"; a step ends there, and a line goes past.

    >>> points = ["0,9", "5,4", "7,"]
    >>> [_joined(points, step) for step in ("", "pre", "post")]
    ['M0,9L5,4', 'M0,9V4H5', 'M0,9H5V4H7']
    """
    if not step:
        known = [p for p in points if not p.endswith(",")]
        return f"M{'L'.join(known)}" if known else ""
    path, down = "", False
    for a, b in (p.split(",") for p in points):
        if b:
            path += (f"V{b}H{a}" if step == "pre" else f"H{a}V{b}") if down else f"M{a},{b}"
        elif down and step == "post":
            path += f"H{a}"
        down = bool(b)
    return path


def histogram(
    key: str,
    title: str,
    desc: str,
    edges: Any,
    pos: Any,
    neg: Any,
    x_label: str,
    names: tuple[str, str],
    style: int = 0,
) -> str:
    """Return a small chart: positives' bars upward, the others' downward, as shares of a class."""
    share_pos = np.asarray(pos) / max(float(np.sum(pos)), 1e-300)
    share_neg = np.asarray(neg) / max(float(np.sum(neg)), 1e-300)
    top = max(float(share_pos.max()), float(share_neg.max()), 1e-6) * 1.12
    x = Scale(float(edges[0]), float(edges[-1]), LEFT, SMALL_WIDTH - RIGHT)
    y = Scale(-top, top, SMALL_HEIGHT - BOTTOM, TOP)
    axes = (Axis(x_label), Axis("share of the class"))
    out = _open("scores", key, title, desc, x, y, (axes[0].label, axes[1].label))
    out += _axes(x, y, axes, lambda t: f"{abs(t):g}")
    out.append(f'<g class="s{style % SERIES}">')
    for css, shares in (("pos", share_pos), ("neg", -share_neg)):
        bars = "".join(
            f"M{_px(x(a) + 0.4)} {_px(y(0))}V{_px(y(v))}H{_px(x(b) - 0.4)}V{_px(y(0))}Z"
            for a, b, v in zip(edges[:-1], edges[1:], shares, strict=True)
            if v
        )
        out.append(f'<path class="{css}" d="{bars}"/>')
    out.append(f'</g><path class="zero" d="M{x.start} {_px(y(0))}H{x.end}"/>')
    # Positives mostly score high and the others low: their names stand where there is room.
    for name, at, where, anchor in (
        (names[0], x.start + 6, y.end + 14, "start"),
        (names[1], x.end - 4, y.start - 7, "end"),
    ):
        out.append(
            f'<text class="inside" x="{at}" y="{where}" text-anchor="{anchor}">'
            f"{escape(words.cut_off(name, MOST_LETTERS))}</text>"
        )
    out.append(f'<path class="cut" d="M0 {y.start}V{y.end}" hidden="hidden"/></svg>')
    return "".join(out)


NAMES, ROW = 166, 21
"""What a forest plot keeps for the names of its rows, and each row's height."""


def forest(key: str, title: str, desc: str, axis: Axis, y_label: str, rows: Sequence[Span]) -> str:
    """Return a chart of differences, one a row, around a line at 0.

    What lies beyond the axis ends in an arrow at its edge.
    """
    x = Scale(axis.low, axis.high, NAMES, WIDTH - RIGHT)
    y = Scale(len(rows), 0, TOP + ROW * len(rows), TOP)
    out = _open("forest", key, title, desc, x, y, (axis.label, y_label))
    ticks = [(t, f"{t:g}") for t in x.ticks(round((x.end - x.start) / 36))]
    lines = "".join(f"M{_px(x(t))} {y.start}V{y.end}" for t, _ in ticks)
    zero = _px(x(0.0))
    out.append(
        f'<path class="grid" d="{lines}"/><path class="zero" d="M{zero} {y.start}V{y.end}"/>'
        '<g class="ticks" text-anchor="middle">'
    )
    out += [f'<text x="{_px(x(t))}" y="{y.start + 15}">{told}</text>' for t, told in ticks]
    out.append('</g><g class="ticks" text-anchor="end">')
    middles = [_px(float(y(i + 0.5))) for i in range(len(rows))]
    for r, m in zip(rows, middles, strict=True):
        name = escape(words.cut_off(r.name, MOST_LETTERS))
        out.append(f'<text x="{NAMES - 8}" y="{float(m) + 4:g}">{name}</text>')
    out.append(
        f'</g><text class="axis" x="{(x.start + x.end) / 2}" y="{y.start + 36}" '
        f'text-anchor="middle">{escape(words.cut_off(axis.label, MOST_LETTERS))}</text>'
    )
    for r, m in zip(rows, middles, strict=True):
        out.append(_span(r, x, m))
    return "".join([*out, "</svg>"])


def _span(r: Span, x: Scale, middle: str) -> str:
    drawn = ""
    if r.margin is not None:
        sides = (x(v) for v in (-r.margin, r.margin) if x.low <= v <= x.high)
        d = "".join(f"M{_px(float(at))} {middle}m0 -9v18" for at in sides)
        drawn = f'<path class="chance" d="{d}"/>' if d else ""
    if not math.isfinite(r.value):
        return (
            f'{drawn}<text class="none" x="{x.start + 6:g}" y="{float(middle) + 4:g}">'
            f"{escape(words.cut_off(r.told, MOST_LETTERS))}</text>"
        )
    ends = [v if math.isfinite(v) else r.value for v in (r.low, r.high)]
    a, b, at = (_px(float(x(min(max(v, x.low), x.high)))) for v in (*ends, r.value))
    path = f"M{a} {middle}H{b}" if a != b else ""
    if ends[0] < x.low:
        path += f"M{a} {middle}m5 -4l-5 4 5 4"
    if ends[1] > x.high:
        path += f"M{b} {middle}m-5 -4l5 4 -5 4"
    line = f'<path class="bounds" d="{path}"/>' if path else ""
    mark = MARKS[r.mark].format(x=at, y=middle) if x.low <= r.value <= x.high else ""
    css = "faint" if r.mark == "open" else f"s{r.style % SERIES}"
    return f'{drawn}<g class="{css}">{line}{mark}</g>'


def symbol(mark: str, style: int) -> str:
    """Return a forest plot's mark for its legend."""
    css = "faint" if mark == "open" else f"s{style % SERIES}"
    drawn = MARKS[mark].format(x=5, y=5)
    return f'<svg class="{css}" viewBox="0 0 10 10" aria-hidden="true">{drawn}</svg>'


def bar(value: float, low: float, high: float, least: float, most: float) -> str:
    """Return a tiny picture of an interval on a scale from least to most; nothing without ends."""
    if not all(map(math.isfinite, (value, low, high, least, most))) or least >= most:
        return ""
    x = Scale(least, most, 1, 99)
    a, b, c = (_px(float(x(v))) for v in (low, high, value))
    return (
        '<svg class="bar" viewBox="0 0 100 10" aria-hidden="true">'
        f'<path class="span" d="M{a} 5H{b}"/><circle cx="{c}" cy="5" r="3.4"/></svg>'
    )


# -- the critical-difference diagram: mean ranks on a line, bars across those that do not differ ---

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
    names = [words.cut_off(m.name, MOST_LETTERS) for m in plan.marks]
    margin = round(max(cell_len(n) for n in names) * _LETTER) + 46
    x = Scale(1, plan.most, margin, margin + _AXIS)
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
