"""What a chart shows, decided once: ``svg`` writes it for pages, ``plots`` gives it to matplotlib.

A :class:`Line` is a curve with what is known of it, :func:`drawing` puts lines together as their
curve is declared, and a :class:`Drawing` holds numbers alone: no pixels, no style sheet.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tallymark.curve import Curve, CurveDefinition, Histogram
from tallymark.curve.definitions import Axis as DeclaredAxis
from tallymark.errors import InputError
from tallymark.report import words
from tallymark.tally.arrays import Floats

if TYPE_CHECKING:
    from tallymark.studies.model_comparison import ModelComparison

RATES = (1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.4, 0.8)
"""Ticks of axes of normal deviates, which reach from one of the first to the last."""

Ends = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis is called and shows; ``open`` is one over thresholds, which have no ends.

    A mirrored one counts downward what counts upward.
    """

    label: str
    low: float = 0.0
    high: float = 1.0
    scale: Literal["linear", "probit", "logit", "mirrored"] = "linear"
    open: bool = False

    @property
    def rates(self) -> list[float]:
        """The ticks of an axis of normal deviates."""
        return [r for r in RATES if self.low <= r <= self.high]

    def reached(self, v: Curve) -> Curve:
        """Return a curve over the threshold as it goes on to both ends."""
        return v.between(self.low, self.high) if self.open else v


@dataclass(frozen=True, slots=True)
class Line:
    """A curve to be drawn, with its pair where two are drawn together.

    ``bands`` are the curves again with the bounds to be shaded, in points of their own; ``sides``
    is what both are called, ``share`` the prevalence, ``number`` what sums the curve up,
    ``threshold`` where decisions were made, and ``key`` the name in :meth:`Evaluation.curves`.
    """

    name: str
    curves: tuple[Curve, ...]
    style: int = 0
    bands: tuple[Curve, ...] = ()
    sides: tuple[str, ...] = ()
    share: float | None = None
    number: str = ""
    threshold: float | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart: ``style`` chooses colour and dash; a ``second`` line of it is dotted."""

    name: str
    style: int
    curve: Curve
    second: bool = False


@dataclass(frozen=True, slots=True)
class Area:
    """What is shaded, from the bounds of a curve; grey without a style."""

    curve: Curve
    style: int | None = None


@dataclass(frozen=True, slots=True)
class Guide:
    """A line to read the others against, grey without a style.

    It is what ``chance`` achieves, what is the ``best`` possible, a ``fine`` line read along, or
    the ``gap`` between two curves.
    """

    x: Any
    y: Any
    kind: Literal["chance", "best", "fine", "gap"] = "fine"
    label: str = ""
    style: int | None = None


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart of lines; ``dots`` are (x, y, style), ``marked`` are the points of the lines."""

    x: Axis
    y: Axis
    series: Sequence[Series] = ()
    areas: Sequence[Area] = ()
    guides: Sequence[Guide] = ()
    dots: Sequence[tuple[float, float, int]] = ()
    marked: bool = False


def drawing(
    c: CurveDefinition, lines: Sequence[Line], points: int, rates: Ends | None = None
) -> Drawing:
    """Return the chart of some lines as their curve is declared.

    Each line is drawn by so many ``points`` at most; ``rates`` are the ends of axes of normal
    deviates.
    """
    series, areas, dots = [], [], []
    guides = list(_references(c, lines))
    for line in lines:
        for k, (v, band) in enumerate(zip(line.curves, line.bands or line.curves, strict=True)):
            name = f"{line.name}, {line.sides[k]}" if line.sides else line.name
            series.append(Series(name, line.style, v.thin(points), k > 0))
            if c.draw == "line" and band.low is not None:
                areas.append(Area(band.thin(points), line.style))
        place = c.highlight(*line.curves) if c.highlight else None
        if place is not None and c.dot:
            dots.append((float(place[0][0]), float(place[1][0]), line.style))
        elif place is not None:
            guides.append(Guide(*place, "gap", style=line.style))
    x, y = axes(c, [v for line in lines for v in line.curves], rates)
    return Drawing(x, y, series, areas, guides, dots, c.draw == "points")


def _references(c: CurveDefinition, lines: Sequence[Line]) -> Iterator[Guide]:
    """Yield the lines that a curve is read against; where classes differ, one for each."""
    shares = {None if line.share is None else round(line.share, 9) for line in lines}
    share = lines[0].share if len(shares) == 1 else None
    for r in c.references:
        kind: Any = "fine" if r.fine else "chance" if r.dash == "--" else "best"
        if share is not None or not r.of_share:
            x, y = r.points(0.5 if share is None else share)
            level = r.of_share and len(set(np.asarray(y).tolist())) == 1
            yield Guide(x, y, kind, f"{r.label} {words.number(float(y[0]))}" if level else r.label)
        elif kind == "chance":
            for line in lines:
                if line.share is not None:
                    yield Guide(*r.points(line.share), kind, style=line.style)


# -- axes --------------------------------------------------------------------------------------


def axes(
    c: CurveDefinition, curves: Sequence[Curve], rates: Ends | None = None
) -> tuple[Axis, Axis]:
    """Return what the axes of a chart show."""
    x, y = (np.concatenate([getattr(v, n) for v in curves]) for n in "xy")
    if c.x.scale == "probit":
        low, high = rates or _rates(x, y)
        return Axis(c.x.title, low, high, "probit"), Axis(c.y.title, low, high, "probit")
    ends = threshold_range(x) if c.x.open else _shown(c.x, x)
    return Axis(c.x.title, *ends, open=c.x.open), Axis(c.axis_title or c.y.title, *_shown(c.y, y))


def _shown(axis: DeclaredAxis, values: Floats) -> Ends:
    values = values[np.isfinite(values)]
    return axis.limits(float(values.min(initial=0.0)), float(values.max(initial=0.0)))


def _rates(x: Floats, y: Floats) -> Ends:
    """Return from where rates are shown: the least above 0 that goes with a small other one."""
    some = np.stack([x, y])[:, (x < RATES[-1]) & (y < RATES[-1])]
    least = float(some[some > 0].min(initial=0.01))
    return next((t for t in (0.01, 1e-3, 1e-4) if t <= least), RATES[0]), RATES[-1]


def threshold_range(x: Floats) -> Ends:
    """Return what is shown of a threshold: 0 to 1 of such scores, else a little beyond them all."""
    x = x[np.isfinite(x)]
    if not len(x) or (x.min() >= 0 and x.max() <= 1):
        return 0.0, 1.0
    low, high = float(x.min()), float(x.max())
    beyond = 0.04 * (high - low) or 0.5
    return low - beyond, high + beyond


def class_shares(h: Histogram) -> tuple[Floats, Floats]:
    """Return the bars of a histogram as shares of their class: the positives', the others'."""
    pos, neg = (v / max(float(v.sum()), 1e-300) for v in (h.pos, h.neg))
    return pos, neg


# -- the critical-difference diagram: mean ranks on a line, bars across those that do not differ ---

MOST_TICKS = 12


@dataclass(frozen=True, slots=True)
class Name:
    """A classifier of the diagram: its rank, and where its name stands, row 0 next to the axis."""

    name: str
    rank: float
    left: bool
    row: int

    def text(self, name: str) -> str:
        """Return the name, as it is shown, with the rank beside it, which is nearer to the axis."""
        return f"{name} {self.rank:.2f}" if self.left else f"{self.rank:.2f} {name}"


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
            f"{words.text(c.fields[0].dataset)!r}"
        )
    k = len(ranks)
    half = math.ceil(k / 2)
    names = tuple(
        Name(words.text(n), r, i < half, i if i < half else k - 1 - i)
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
