"""The contents of charts; ``svg`` writes them for pages, ``artists`` for matplotlib.

Each kind of chart is a class of numbers and words: no pixels, no style sheet. A :class:`Line` is a
curve with its context, and :func:`drawing` combines lines as the declaration of their curve says.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from tallymark.curve import Curve, CurveDefinition, Histogram
from tallymark.curve.definitions import Axis as DeclaredAxis
from tallymark.curve.definitions import unit
from tallymark.report import words
from tallymark.tally.arrays import Floats

RATES = (1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.4, 0.8)
"""Ticks of normal-deviate axes, whose ends are the first and the last of these."""

SERIES = 8
"""Line styles that can be distinguished, by colour and dash."""

Ends = tuple[float, float]

SIDES = ("positives", "the others")
"""Names of both classes if they are unknown."""

MOST_LETTERS = 28
"""Letters of a name that fit into a chart."""

MOST_DECADES = 6
"""The farthest end of a nomogram: 1 in a million."""

MOST_TICKS = 12
"""Ticks of an axis of ranks."""


def brief(name: Any) -> str:
    """Return a name cut to the letters that fit."""
    return words.cut_off(name, MOST_LETTERS)


@dataclass(frozen=True, slots=True)
class Axis:
    """The label and range of an axis; ``open`` is an axis of thresholds, which have no ends.

    A mirrored axis counts downward what the other counts upward.
    """

    label: str
    low: float = 0.0
    high: float = 1.0
    scale: Literal["linear", "probit", "logit", "mirrored"] = "linear"
    open: bool = False

    @property
    def rates(self) -> list[float]:
        """The ticks of a normal-deviate axis."""
        return [r for r in RATES if self.low <= r <= self.high]

    def reached(self, v: Curve) -> Curve:
        """Return a curve over the threshold, extended to both ends of the axis."""
        return v.between(self.low, self.high) if self.open else v


@dataclass(frozen=True, slots=True)
class Line:
    """A curve to draw, with its pair if two are drawn together.

    ``bands`` are the curves with bounds to shade, at points of their own; ``sides`` are the names
    of both curves, ``share`` is the prevalence, ``number`` the summary of the curve, ``threshold``
    that of the decisions, and ``key`` the name in :meth:`Evaluation.curves`.
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
    """One line of a chart: ``style`` sets colour and dash; a ``second`` line of a style is dotted.

    ``number`` is its summary, beside the name.
    """

    name: str
    style: int
    curve: Curve
    second: bool = False
    number: str = ""


@dataclass(frozen=True, slots=True)
class Area:
    """A shaded area between the bounds of a curve; grey without a style."""

    curve: Curve
    style: int | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """A shaded area within an outline."""

    x: Any
    y: Any
    style: int


@dataclass(frozen=True, slots=True)
class Guide:
    """A reference line, grey without a style.

    Its kind is ``chance`` (what guessing achieves), ``best`` (the optimum), ``fine`` (a thin line
    to read along), ``gap`` (between two curves) or ``hull`` (of a curve).
    """

    x: Any
    y: Any
    kind: Literal["chance", "best", "fine", "gap", "hull"] = "fine"
    label: str = ""
    style: int | None = None


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart of lines; ``dots`` are (x, y, style), ``marked`` are the points of the lines.

    ``now`` is the point of the decisions in force, which a page's script moves.

    ``cuts`` are vertical lines, with a style if each curve has its own. ``dot`` and ``cut`` are the
    meanings of dots and cuts, ``sides`` those of the first and the second line of a style. Both
    axes of a ``square`` chart have the same length.
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
    now: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars of one style, with the bounds of their heights if known."""

    name: str
    style: int
    x: Any
    y: Any
    low: Any = None
    high: Any = None
    number: str = ""


@dataclass(frozen=True, slots=True)
class BarChart:
    """Bars side by side at positions from 1 on; ``lines`` are (style, x, y)."""

    x_label: str
    y_label: str
    places: int
    width: float
    bars: Sequence[Bars]
    lines: Sequence[tuple[int, Any, Any]] = ()
    guides: Sequence[Guide] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """One row of a forest plot: a value with its bounds, NaN without them.

    The form of ``mark`` shows who is ahead; it is grey without a ``style``. ``margin`` is drawn on
    both sides of 0 if there is one; ``missing`` replaces a value that cannot be drawn, ``text`` is
    beside a value, and ``guess`` is what guessing achieves, or another reference. What is to be
    checked is ``flagged``.
    """

    name: str
    value: float
    low: float
    high: float
    mark: Literal["first", "second", "open"] = "first"
    style: int | None = 0
    margin: float | None = None
    missing: str = ""
    text: str = ""
    guess: float | None = None
    flagged: bool = False


@dataclass(frozen=True, slots=True)
class Forest:
    """A forest plot: one value with its interval per row, and an optional reference ``line``.

    ``kind`` names what a row stands for. As many rows as stand ``together`` share the name of the
    first.
    """

    x: Axis
    rows: Sequence[Span]
    line: float | None = None
    kind: str = ""
    together: int = 1


@dataclass(frozen=True, slots=True)
class Distribution:
    """The score distribution of both classes: shares of a class between ``edges``."""

    name: str
    edges: Floats
    shares: tuple[Floats, Floats]
    cut: float | None = None
    style: int = 0


@dataclass(frozen=True, slots=True)
class Distributions:
    """One row per distribution: the first of both ``sides`` upward, the second downward.

    ``cut`` is the meaning of the cuts of the rows.
    """

    rows: Sequence[Distribution]
    sides: tuple[str, str]
    cut: str = ""
    x_label: str = "score"
    y_label: str = "share of the class"


@dataclass(frozen=True, slots=True)
class Dots:
    """Single rows by their scores: a lane per class, with (score, whether right) for each row.

    ``cut`` is the threshold of the decisions.
    """

    x: Axis
    lanes: Sequence[tuple[str, Sequence[tuple[float, bool]]]]
    cut: float


@dataclass(frozen=True, slots=True)
class Matrix:
    """Cells coloured by their share of the row, with or without ``texts``."""

    names: Sequence[str]
    shares: Any
    texts: Sequence[Sequence[str]]
    x_label: str = "predicted class"
    y_label: str = "true class"


@dataclass(frozen=True, slots=True)
class Nomogram:
    """Fagan's nomogram: from the pre-test probability ``before`` to the post-test probabilities.

    ``results`` are names of test results with likelihood ratios. Probabilities are in log odds
    below.
    """

    before: float
    results: Sequence[tuple[str, float]]

    @property
    def start(self) -> float:
        """The pre-test probability."""
        return math.log(self.before / (1 - self.before))

    @property
    def after(self) -> list[float]:
        """The post-test probability of each result."""
        return [self.start + math.log(ratio) for _, ratio in self.results]

    @property
    def decades(self) -> int:
        """How far the axes reach: 3 is from 1 in 1,000 to 999 in 1,000."""
        needed = np.logaddexp(0, max(map(abs, (self.start, *self.after)))) / math.log(10)
        return min(max(3, math.ceil(round(float(needed), 9))), MOST_DECADES)

    @property
    def reach(self) -> float:
        """The end of the axes."""
        return math.log(10**self.decades - 1)

    @property
    def clipped(self) -> bool:
        """Whether a probability lies outside the axes."""
        return max(map(abs, (self.start, *self.after))) > self.reach * (1 + 1e-9)


@dataclass(frozen=True, slots=True)
class Strips:
    """Axes from 0 to 1 by name, with the leader in each range: from, to and line style."""

    rows: Sequence[tuple[str, Sequence[tuple[float, float, int]]]]


@dataclass(frozen=True, slots=True)
class RankedName:
    """A name of a rank diagram, on the left or the right; row 0 is next to the axis."""

    name: str
    rank: float
    left: bool
    row: int

    @property
    def text(self) -> str:
        """The name as it is shown, with its rank on the side of the axis."""
        name, rank = brief(self.name), f"{self.rank:.2f}"
        return f"{name} {rank}" if self.left else f"{rank} {name}"


@dataclass(frozen=True, slots=True)
class Ranks:
    """Mean ranks on an axis, the better half of the names on the left.

    ``bars`` are the ranks that a group spans, and its level below the axis; bars on one level do
    not touch. ``difference`` is where the bar of the critical difference ends, which is not longer
    than the axis, and ``label`` its text. ``look`` are attributes of the picture where no style
    sheet sizes it.
    """

    names: Sequence[RankedName]
    bars: Sequence[tuple[float, float, int]]
    difference: float | None
    label: str
    look: str = ""

    @property
    def rows(self) -> int:
        """How many names are below one another."""
        return math.ceil(len(self.names) / 2)

    @property
    def levels(self) -> int:
        """How many levels the bars need."""
        return max((level + 1 for *_, level in self.bars), default=0)

    @property
    def ticks(self) -> Sequence[int]:
        """The ranks below which the axis has a tick."""
        most = len(self.names)
        return range(1, most + 1, math.ceil((most - 1) / MOST_TICKS))


@dataclass(frozen=True, slots=True)
class Tree:
    """A dendrogram of ``leaves``; the axis shows the similarity, 1 - height, named ``label``.

    A join has the numbers of both sides, its height, and the line style or None. Leaves have the
    first numbers, then joins in their order. ``cut`` is the height of a dashed line.
    """

    leaves: Sequence[str]
    joins: Sequence[tuple[int, int, float, int | None]]
    cut: float | None
    label: str


@dataclass(frozen=True, slots=True)
class Mosaic:
    """A column per true class, as wide as its rows; cells are (text, rows, whether right).

    The area of a cell is its number of rows.
    """

    columns: Sequence[tuple[str, Sequence[tuple[str, float, bool]]]]


Picture = Drawing | Forest | Distributions | Dots | Nomogram | Strips | Ranks | Tree | Mosaic


def ranks(
    of: Mapping[str, float], groups: Sequence[Sequence[str]], difference: float | None
) -> Ranks:
    """Return a rank diagram of mean ranks, best first, with a bar for each group.

    >>> ranks({"net": 1.2, "tree": 1.8}, [("net", "tree")], None).names[1].text
    '1.80 tree'
    """
    half = math.ceil(len(of) / 2)
    names = [
        RankedName(words.text(name), rank, i < half, i if i < half else len(of) - 1 - i)
        for i, (name, rank) in enumerate(of.items())
    ]
    ends: list[float] = []
    bars = []
    for group in groups:
        low, high = min(of[n] for n in group), max(of[n] for n in group)
        level = next((i for i, end in enumerate(ends) if end < low), len(ends))
        ends[level:] = [high, *ends[level + 1 :]]
        bars.append((low, high, level))
    end = None if difference is None else min(1 + difference, len(of))
    return Ranks(names, bars, end, f"critical difference {difference or 0:.2f}")


def drawing(
    c: CurveDefinition, lines: Sequence[Line], points: int, rates: Ends | None = None
) -> Drawing:
    """Return the chart of some lines, as the declaration of their curve says.

    Each line has at most ``points`` points; ``rates`` are the ends of normal-deviate axes.
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
    """Return the point of a curve at a decision threshold."""
    v = line.curves[0]
    if v.threshold is None:
        return None
    at = max(int(np.count_nonzero(v.threshold >= cut)) - 1, 0)
    return float(v.x[at]), float(v.y[at]), line.style


def _references(c: CurveDefinition, lines: Sequence[Line]) -> Iterator[Guide]:
    """Yield the reference lines of a curve; one for each line if they differ by prevalence."""
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
    """Return both axes of a chart."""
    x, y = (np.concatenate([getattr(v, n) for v in curves]) for n in "xy")
    if c.x.scale == "probit":
        low, high = rates or _rates(x, y)
        return Axis(c.x.title, low, high, "probit"), Axis(c.y.title, low, high, "probit")
    ends = threshold_range(x) if c.x.open else _range_of(c.x, x)
    return Axis(c.x.title, *ends, open=c.x.open), Axis(
        c.axis_title or c.y.title, *_range_of(c.y, y)
    )


def _range_of(axis: DeclaredAxis, values: Floats) -> Ends:
    values = values[np.isfinite(values)]
    return axis.limits(float(values.min(initial=0.0)), float(values.max(initial=0.0)))


def _rates(x: Floats, y: Floats) -> Ends:
    """Return the range of rates: from the smallest above 0 that is paired with a small one."""
    some = np.stack([x, y])[:, (x < RATES[-1]) & (y < RATES[-1])]
    least = float(some[some > 0].min(initial=0.01))
    return next((t for t in (0.01, 1e-3, 1e-4) if t <= least), RATES[0]), RATES[-1]


def threshold_range(x: Floats) -> Ends:
    """Return the range of a threshold axis: 0 to 1 if all are inside, else all plus a margin."""
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
