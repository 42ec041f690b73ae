"""What a picture shows, decided once: ``svg`` writes it for pages, ``artists`` for matplotlib.

Each kind of chart is a class of numbers and words: no pixels, no style sheet. A :class:`Line` is a
curve with what is known of it, and :func:`drawing` puts lines together as their curve is declared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from tallymark.curve import Curve, CurveDefinition, Histogram
from tallymark.curve.definitions import Axis as DeclaredAxis
from tallymark.curve.definitions import unit
from tallymark.report import words
from tallymark.tally.arrays import Floats

RATES = (1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.4, 0.8)
"""Ticks of axes of normal deviates, which reach from one of the first to the last."""

SERIES = 8
"""Line styles that can be told apart, by colour and by dash."""

Ends = tuple[float, float]

SIDES = ("positives", "the others")
"""What both classes are called where their names are not known."""

MOST_LETTERS = 28
"""Letters of a name that a chart has room for."""


def brief(name: Any) -> str:
    """Return a name of as many letters as there is room for."""
    return words.cut_off(name, MOST_LETTERS)


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
    """One line of a chart: ``style`` chooses colour and dash; a ``second`` line of it is dotted.

    ``number`` sums it up beside its name.
    """

    name: str
    style: int
    curve: Curve
    second: bool = False
    number: str = ""


@dataclass(frozen=True, slots=True)
class Area:
    """What is shaded, from the bounds of a curve; grey without a style."""

    curve: Curve
    style: int | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """What is shaded, from its outline."""

    x: Any
    y: Any
    style: int


@dataclass(frozen=True, slots=True)
class Guide:
    """A line to read the others against, grey without a style.

    It is what ``chance`` achieves, what is the ``best`` possible, a ``fine`` line read along, the
    ``gap`` between two curves, or the ``hull`` of one.
    """

    x: Any
    y: Any
    kind: Literal["chance", "best", "fine", "gap", "hull"] = "fine"
    label: str = ""
    style: int | None = None


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart of lines; ``dots`` are (x, y, style), ``marked`` are the points of the lines.

    ``cuts`` are places across, with a style where each line has its own. ``dot`` and ``cut`` say
    what dots and cuts mean, ``sides`` what the first and the second line of a style are. Both
    axes of a ``square`` chart are of one length.
    """

    x: Axis
    y: Axis
    series: Sequence[Series] = ()
    areas: Sequence[Area] = ()
    guides: Sequence[Guide] = ()
    dots: Sequence[tuple[float, float, int]] = ()
    marked: bool = False
    shapes: Sequence[Shape] = ()
    cuts: Sequence[tuple[float, int | None]] = ()
    dot: str = ""
    cut: str = ""
    sides: tuple[str, ...] = ()
    square: bool = False


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars of one style, with the bounds of their heights where these are known."""

    name: str
    style: int
    x: Any
    y: Any
    low: Any = None
    high: Any = None
    number: str = ""


@dataclass(frozen=True, slots=True)
class BarChart:
    """Bars side by side at places from 1 on; ``lines`` are (style, x, y)."""

    x_label: str
    y_label: str
    places: int
    width: float
    bars: Sequence[Bars]
    lines: Sequence[tuple[int, Any, Any]] = ()
    guides: Sequence[Guide] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """One row of a forest plot: a value between its bounds, NaN without some.

    ``mark`` says by its form who is ahead; ``margin`` is drawn on both sides of 0 where there is
    one; ``missing`` stands in the row where no value can be drawn, ``text`` beside a value.
    """

    name: str
    value: float
    low: float
    high: float
    mark: Literal["first", "second", "open"] = "first"
    style: int = 0
    margin: float | None = None
    missing: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Forest:
    """Numbers with their intervals, one a row, around a ``line``; ``kind`` is what a row is."""

    x: Axis
    rows: Sequence[Span]
    line: float | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Distribution:
    """How the scores of both classes are spread: shares of a class between ``edges``."""

    name: str
    edges: Floats
    shares: tuple[Floats, Floats]
    cut: float | None = None
    style: int = 0


@dataclass(frozen=True, slots=True)
class Distributions:
    """A row for each distribution: the first of both ``sides`` upward, the second downward.

    ``cut`` says what the cuts of the rows are.
    """

    rows: Sequence[Distribution]
    sides: tuple[str, str]
    cut: str = ""
    x_label: str = "score"
    y_label: str = "share of the class"


@dataclass(frozen=True, slots=True)
class Matrix:
    """Cells by the share of their row that each holds, with or without ``texts``."""

    names: Sequence[str]
    shares: Any
    texts: Sequence[Sequence[str]]
    x_label: str = "predicted class"
    y_label: str = "true class"


@dataclass(frozen=True, slots=True)
class Nomogram:
    """Fagan's nomogram: from a probability ``before`` a test to that after each of its results.

    ``results`` are names with likelihood ratios.
    """

    before: float
    results: Sequence[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Strips:
    """Axes from 0 to 1 by their names, and who leads where: from, to and line style."""

    rows: Sequence[tuple[str, Sequence[tuple[float, float, int]]]]


@dataclass(frozen=True, slots=True)
class Vectors:
    """A picture that its maker wrote as SVG; one with a ``label`` scrolls where it is too wide."""

    svg: str
    label: str = ""


Picture = Drawing | Forest | Distributions | Nomogram | Strips | Vectors


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
            series.append(Series(name, line.style, v.thin(points), k > 0, line.number))
            if c.draw == "line" and band.low is not None:
                areas.append(Area(band.thin(points), line.style))
        place = c.highlight(*line.curves) if c.highlight else None
        if place is not None and c.dot:
            dots.append((float(place[0][0]), float(place[1][0]), line.style))
        elif place is not None:
            guides.append(Guide(*place, "gap", style=line.style))
    x, y = axes(c, [v for line in lines for v in line.curves], rates)
    square = c.x.scale == "probit" or (not c.x.open and c.x.limits is c.y.limits is unit)
    return Drawing(
        x,
        y,
        series,
        areas,
        guides,
        dots,
        marked=c.draw == "points",
        dot=c.dot,
        sides=(c.sides or SIDES) if c.pair else (),
        square=square,
    )


DECIDED = "decision threshold"


def with_decisions(d: Drawing, lines: Sequence[Line], threshold: float | bool) -> Drawing:
    """Return a chart with the decisions marked: those made, none, or those at a threshold."""
    every = {line.style: line.threshold if threshold is True else threshold for line in lines}
    cuts = {i: float(cut) for i, cut in every.items() if cut is not None and cut is not False}
    if not d.x.open:
        points = [_decision(line, cuts[line.style]) for line in lines if line.style in cuts]
        return replace(d, dots=[p for p in points if p is not None], dot=DECIDED)
    if len(set(cuts.values())) == 1:
        return replace(d, cuts=[(next(iter(cuts.values())), None)], cut=DECIDED)
    return replace(d, cuts=[(cut, i) for i, cut in cuts.items()], cut=DECIDED)


def _decision(line: Line, cut: float) -> tuple[float, float, int] | None:
    """Return the point of a curve at which decisions are made by a threshold."""
    v = line.curves[0]
    if v.threshold is None:
        return None
    at = max(int(np.count_nonzero(v.threshold >= cut)) - 1, 0)
    return float(v.x[at]), float(v.y[at]), line.style


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


def distribution(name: str, h: Histogram, cut: float | None = None, style: int = 0) -> Distribution:
    """Return a histogram as shares of the classes: the positives', the others'."""
    pos, neg = (v / max(float(v.sum()), 1e-300) for v in (h.pos, h.neg))
    return Distribution(name, h.edges, (pos, neg), cut, style)
