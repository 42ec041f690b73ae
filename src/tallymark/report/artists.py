"""Charts on matplotlib axes.

What a chart shows and its labels come from the drawing; this module chooses colours, dashes, sizes
and the places of legends. It changes no global setting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.curve import Curve
from tallymark.errors import InputError, harmless
from tallymark.quantities import share
from tallymark.report.drawing import (
    Axis,
    BarChart,
    Distributions,
    Drawing,
    Forest,
    Guide,
    Matrix,
    Ranks,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PALETTE = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#5D3A9B",
    "#333333",
)
"""Okabe and Ito's palette for colour-blind readers, without yellow, too pale on white."""

DASHES = ("-", "--", "-.")
MOST_LINES = len(PALETTE) * len(DASHES)
"""Lines that can be distinguished by colour and dash."""

GREY, INK = "#808080", "#333333"
SQUARE, WIDE, WIDER = (5.4, 5.0), (6.4, 4.4), (8.6, 4.4)
TALL = (SQUARE[0], SQUARE[1] * 1.15)
"""Figure sizes: for two rates, for any axes, with a legend beside, and with a chart below."""


# -- lines -------------------------------------------------------------------------------------


def lines(ax: Axes | None, d: Drawing, size: tuple[float, float] | None = None) -> Axes:
    """Return the axes with a chart of lines and its legend."""
    ax = _axes(ax, size or _size(d), d.x.label, d.y.label)
    _areas(ax, d)
    for s in d.series:
        v, options = _inside(d.x, d.x.reached(s.curve)), {}
        if d.marked:
            options = {"marker": "o", "markersize": 4}
            if v.low is not None and v.high is not None:
                ax.vlines(v.x, v.low, v.high, color=_color(s.style), alpha=0.5, linewidth=1.2)
        if s.second:
            options = {"linestyle": "--", "linewidth": 1.2, "gid": None}
        if v.step:
            options["drawstyle"] = f"steps-{v.step}"
        _curve_line(ax, s.style, v.x, v.y, "" if s.second else _named(s.name, s.number), **options)
    for x, y, i in d.dots:
        ax.plot(
            [x],
            [y],
            "o",
            color=_color(i),
            markersize=7,
            markeredgecolor="white",
            markeredgewidth=1.2,
            zorder=4,
        )
    for g in d.guides:
        _guide(ax, g)
    _scale(ax, d)
    if d.square:
        ax.set_aspect("equal")
    for x, style in d.cuts:
        color = GREY if style is None else _color(style)
        ax.axvline(x, color=color, linestyle=":", linewidth=1.2)
    if d.cuts:
        _reference(ax, [], [], d.cut, ":")
    for dash, side in zip(("-", "--"), d.sides, strict=False):
        _reference(ax, [], [], side, dash)
    _legend(ax, "beside" if d.sides else "best", d.dot if d.dots else "")
    return ax


def _size(d: Drawing) -> tuple[float, float]:
    """Return the size of a new figure, with room for a large legend beside the axes."""
    if d.sides:
        return WIDER
    wide, high = SQUARE if d.square else WIDE
    names = [_named(s.name, s.number) for s in d.series]
    return (wide + 4.0, high) if _crowded(names + 3 * ["chance"]) else (wide, high)


def _named(name: str, number: str = "") -> str:
    """Return the legend text of a line; empty for a line without a name."""
    return "  ".join(part for part in (plain(name), number) if part)


def plain(name: str) -> str:
    r"""Return a name that matplotlib shows literally: no mathematics, no hidden label.

    >>> plain("_hidden"), plain("$5")
    (' _hidden', '\\$5')
    """
    text = harmless(name)
    return (" " + text if text.startswith("_") else text).replace("$", r"\$")


def _areas(ax: Axes, d: Drawing) -> None:
    """Shade the areas between bounds and within outlines."""
    for area in d.areas:
        v, i = d.x.reached(area.curve), area.style or 0
        assert v.low is not None
        assert v.high is not None
        ax.fill_between(
            v.x,
            v.low,
            v.high,
            where=np.isfinite(v.y),
            step=v.step or None,
            color=_color(i),
            alpha=0.15,
            linewidth=0,
            gid=f"band-{i}",
        )
    for shape in d.shapes:
        ax.fill(shape.x, shape.y, color=_color(shape.style), alpha=0.15, linewidth=0)


def _inside(axis: Axis, v: Curve) -> Curve:
    """Return a curve with NaN at points that normal-deviate axes place at infinity."""
    if axis.scale != "probit":
        return v
    inside = np.isin(v.x, (0, 1), invert=True) | np.isin(v.y, (0, 1), invert=True)
    x, y = (np.where(inside, values, np.nan) for values in (v.x, v.y))
    return replace(v, x=x, y=y)


def _guide(ax: Axes, g: Guide) -> None:
    """Draw a reference line."""
    if g.kind == "gap":
        ax.plot(g.x, g.y, color=_color(g.style or 0), marker="_", linewidth=2.5, alpha=0.6)
    elif g.kind == "hull":
        ax.plot(g.x, g.y, color=_color(g.style or 0), linestyle=":", linewidth=1.2)
    elif g.style is not None:
        ax.plot(g.x, g.y, color=_color(g.style), linestyle="--", linewidth=0.8, alpha=0.7)
    elif g.kind == "fine":
        _reference(ax, g.x, g.y, None, ":")
        if g.x[-1] == 1:  # the line ends at the edge
            ax.annotate(
                g.label,
                (1, g.y[-1]),
                (3, 0),
                textcoords="offset points",
                fontsize="x-small",
                color=GREY,
                va="center",
                annotation_clip=False,
            )
    else:
        _reference(ax, g.x, g.y, g.label, "--" if g.kind == "chance" else ":")


def _scale(ax: Axes, d: Drawing) -> None:
    """Set the limits and ticks of the axes, with a margin for lines along the edge."""
    if d.x.scale == "logit":
        ax.set_xscale("logit")
        ticks = [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999]
        ax.set_xticks(ticks, [share(t) for t in ticks])
        ax.set_xticks([], minor=True)
        return
    room = 0.0
    if d.x.scale == "probit":
        from scipy.special import ndtr, ndtri

        scale = (lambda p: ndtri(np.clip(p, 1e-9, 1 - 1e-9)), ndtr)
        ax.set_xscale("function", functions=scale)
        ax.set_yscale("function", functions=scale)
        for set_ticks in (ax.set_xticks, ax.set_yticks):
            set_ticks(d.x.rates, [f"{100 * t:g} %" for t in d.x.rates])
            set_ticks([], minor=True)
    else:
        room = 0.02
    for axis, limit in ((d.x, ax.set_xlim), (d.y, ax.set_ylim)):
        beyond = room * (axis.high - axis.low)
        limit(axis.low - beyond, axis.high + beyond)


def spread_below(ax: Axes, of: Sequence[tuple[int, Any, Any]]) -> None:
    """Draw histograms in small axes below, from a style, counts and edges each."""
    lower: Axes = ax.inset_axes((0, -0.25, 1, 0.2), sharex=ax)
    lower.spines[["top", "right"]].set_visible(False)
    lower.set(xlabel=ax.get_xlabel(), ylabel="rows")
    ax.set_xlabel("")
    ax.tick_params(labelbottom=False)
    one = len(of) == 1
    for i, counts, edges in of:
        lower.stairs(counts, edges, color=_color(i), fill=one, alpha=0.6 if one else 1)


# -- bars, rows and cells ------------------------------------------------------------------------


def bars(ax: Axes | None, d: BarChart) -> Axes:
    """Return the axes with bars side by side, their bounds, and lines across the chart."""
    ax = _axes(ax, WIDE, d.x_label, d.y_label)
    for b in d.bars:
        color = _color(b.style)
        label = _named(b.name, b.number)
        ax.bar(b.x, b.y, d.width * 0.92, color=color, alpha=0.55, label=label)
        if b.low is not None and b.high is not None:
            ax.vlines(b.x, b.low, b.high, color=color, linewidth=1)
    for style, x, y in d.lines:
        _curve_line(ax, style, x, y, "", marker=".")
    for g in d.guides:
        _reference(ax, g.x, g.y, g.label, "--" if g.kind == "chance" else "-")
    ax.set(xticks=range(1, d.places + 1), ylim=(0, None))
    ax.grid(False, axis="x")
    _legend(ax)
    return ax


def forest(ax: Axes | None, d: Forest) -> Axes:
    """Return the axes with a row per number and interval, and a reference line."""
    ax = _axes(ax, (WIDE[0], 1.1 + 0.42 * len(d.rows)), d.x.label, "")
    beside: Any = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": "small"}
    for i, r in enumerate(d.rows):
        if r.missing:
            ax.annotate(r.missing, (0.02, i), color=GREY, **beside)
            continue
        if np.isfinite(r.low) and np.isfinite(r.high):
            ax.hlines(i, r.low, r.high, color=_color(0), linewidth=2)
        ax.plot([r.value], [i], "s", color=_color(0), markersize=6)
        ax.annotate(r.text, (1.02, i), annotation_clip=False, **beside)
    low, high = ax.get_xlim()
    # A line far from all intervals would compress them.
    if d.line is not None and 2 * low - high <= d.line <= 2 * high - low:
        ax.axvline(d.line, color=GREY, linestyle="--", linewidth=1)
    ax.set_yticks(range(len(d.rows)), [plain(r.name).strip() for r in d.rows])
    ax.set_ylim(len(d.rows) - 0.5, -0.5)
    ax.grid(False, axis="y")
    return ax


def matrix(ax: Axes | None, d: Matrix) -> Axes:
    """Return the axes with cells coloured by their share of a row, with their texts if given."""
    k = len(d.names)
    size = min(2.6 + 0.75 * k, 10.0)
    ax = _axes(ax, (size, size * 0.92), d.x_label, d.y_label)
    ax.grid(False)
    ax.spines[:].set_visible(False)
    ax.imshow(d.shares, cmap="Blues", vmin=0, vmax=1)
    names = [plain(name).strip() for name in d.names]
    turned: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    crowded = sum(map(len, names)) > 8 * 5 or max(map(len, names)) > 12
    ax.set_xticks(range(k), names, **(turned if crowded else {}))
    ax.set_yticks(range(k), names)
    ax.tick_params(length=0)
    for i, row in enumerate(d.texts):
        for j, text in enumerate(row):
            ax.text(
                j,
                i,
                text,
                ha="center",
                va="center",
                color="white" if d.shares[i, j] > 0.55 else "black",
                fontsize="medium" if k <= 5 else "x-small",
            )
    return ax


def distributions(ax: Axes | None, d: Distributions) -> Axes:
    """Return the axes with a row per distribution: one class upward, the other downward."""
    one = len(d.rows) == 1
    size = WIDE if one else (WIDE[0], 1.2 + 1.1 * len(d.rows))
    ax = _axes(ax, size, d.x_label, d.y_label if one else "")
    most = max(float(v.max()) for r in d.rows for v in r.shares)
    scale, edge = (1.0, 1.1 * most) if one else (0.45 / most, 0.48)
    for i, r in enumerate(d.rows):
        for up, share_of, side in zip((1, -1), r.shares, d.sides, strict=True):
            ax.stairs(
                up * scale * share_of - i,
                r.edges,
                baseline=-i,
                fill=True,
                alpha=0.75,
                color=PALETTE[up > 0],
                label=None if i else plain(side),
            )
        ax.hlines(-i, r.edges[0], r.edges[-1], color=INK, linewidth=0.8)
        if r.cut is not None:
            ax.vlines(
                r.cut,
                -i - edge,
                edge - i,
                color=GREY,
                linestyle="--",
                linewidth=1,
                label="" if i else d.cut,
            )
    if one:
        ax.set_ylim(-1.15 * most, 1.15 * most)
        ax.yaxis.set_major_formatter(lambda share, _: f"{abs(share):g}")
    else:
        ax.set_ylim(0.5 - len(d.rows), 0.5)
        ax.set_yticks([-i for i in range(len(d.rows))], [plain(r.name).strip() for r in d.rows])
        ax.grid(False, axis="y")
    _legend(ax, "above")
    return ax


def ranks(ax: Axes | None, d: Ranks) -> Axes:
    """Return the axes with names at their mean ranks, and bars across groups."""
    most, below = len(d.names), 0.6 + 0.35 * d.levels
    top = 1.6 if d.difference is not None else 0.2
    ax = _axes(ax, (WIDE[0], 0.9 + 0.3 * (top + below + d.rows)), "mean rank", "")
    ax.grid(False)
    ax.spines[:].set_visible(False)
    ax.spines["top"].set(visible=True, position=("data", 0), bounds=(1, most))
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set(xticks=d.ticks, yticks=[])
    slack = 0.01 * (most - 1)
    edge = (1 - 3 * slack, most + 3 * slack)
    ax.set(xlim=edge, ylim=(-below - d.rows + 0.5, top))
    beside: Any = {
        "textcoords": "offset points",
        "va": "center",
        "fontsize": "small",
        "annotation_clip": False,
    }
    for n in d.names:
        y, end = -below - n.row, edge[0 if n.left else 1]
        ax.plot([n.rank, n.rank, end], [0, y, y], color=INK, linewidth=0.8)
        side, offset = ("right", -4) if n.left else ("left", 4)
        ax.annotate(n.text.replace("$", r"\$"), (end, y), (offset, 0), ha=side, **beside)
    for low, high, level in d.bars:
        ax.plot(
            [low - slack, high + slack],
            [-0.35 * (level + 1)] * 2,
            color=PALETTE[0],
            linewidth=3.5,
            solid_capstyle="butt",
            label=f"_together-{level}",
        )
    if d.difference is not None:
        end, y = d.difference, top - 0.25
        ax.plot([1, end], [y] * 2, color=GREY, marker="|", lw=1.5, label="_critical difference")
        ax.annotate(d.label, (end, y), (5, 0), color=GREY, **beside)
        ax.xaxis.set_label_coords(0.5, 1.02)
    return ax


# -- axes and their contents --------------------------------------------------------------------


def pyplot() -> Any:
    """Return matplotlib's pyplot, imported on first use."""
    try:
        return import_module("matplotlib.pyplot")
    except ImportError:
        raise InputError(
            "drawing needs matplotlib; install it with: pip install 'tallymark[plot]'"
        ) from None


def _axes(ax: Axes | None, size: tuple[float, float], x_label: str, y_label: str) -> Axes:
    """Return the given axes or new ones, with labels and a grid."""
    library = pyplot()
    if ax is None:
        _, ax = library.subplots(figsize=size, layout="constrained")
    assert ax is not None
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    ax.grid(True, color="#e4e4e4", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _color(i: int) -> str:
    return PALETTE[i % len(PALETTE)]


def lines_in(ax: Axes | None) -> int:
    """Return how many of our lines the axes contain, so that further lines get other styles."""
    return (
        0
        if ax is None
        else sum(str(line.get_gid()).startswith("curve-") for line in ax.get_lines())
    )


def _curve_line(ax: Axes, i: int, x: Any, y: Any, label: str, **options: Any) -> None:
    """Draw one line in the i-th style."""
    dash = DASHES[i // len(PALETTE) % len(DASHES)]
    style = {"linestyle": dash, "linewidth": 1.7, "gid": f"curve-{i}"}
    ax.plot(x, y, color=_color(i), label=label or None, **{**style, **options})


def _reference(ax: Axes, x: Any, y: Any, label: str | None, dash: str = "--") -> None:
    """Draw a grey line behind the others, unless the axes already have it."""
    if label is None or label not in [line.get_label() for line in ax.get_lines()]:
        ax.plot(
            x,
            y,
            color=GREY,
            linestyle=dash,
            linewidth=1,
            label=label,
            zorder=1.5,
            gid="reference" if label else None,
        )


def _crowded(labels: Sequence[str]) -> bool:
    """Return whether a legend is too large for the inside of the axes."""
    return len(labels) > 8 or any(len(label) > 48 for label in labels)


def _legend(ax: Axes, where: str = "best", marked: str = "") -> None:
    """Add a legend, beside the axes if it is large; ``marked`` is the meaning of the dots.

    ``where`` is a location of matplotlib, or "above" or "beside".
    """
    pairs = list(zip(*ax.get_legend_handles_labels(), strict=True))
    # Grey reference lines come last.
    pairs.sort(key=lambda pair: getattr(pair[0], "get_gid", str)() == "reference")
    if marked:
        dot = import_module("matplotlib.lines").Line2D(
            [], [], marker="o", linestyle="", color=GREY, markersize=7, markeredgecolor="white"
        )
        pairs.append((dot, marked))
    if not pairs:
        return
    handles, labels = zip(*pairs, strict=True)
    options: dict[str, Any] = {"loc": where}
    if where == "above":
        options = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": 3}
    elif where == "beside" or _crowded(labels):
        edge = 1.12 if ax.texts else 1.01  # leave room for texts at the edge
        options = {"loc": "upper left", "bbox_to_anchor": (edge, 1.0), "borderaxespad": 0}
    ax.legend(handles, labels, fontsize="small", framealpha=0.85, edgecolor="none", **options)
