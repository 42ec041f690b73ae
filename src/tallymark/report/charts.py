"""Which charts a page draws: their lines, their words, and the tables that say the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tallymark.curve import CURVES, Curve, CurveDefinition, Histogram, definition
from tallymark.infer.compare import Comparison, Pair
from tallymark.infer.difference import Difference
from tallymark.metric import get
from tallymark.metric.association import probit
from tallymark.metric.measure import Value
from tallymark.report import svg, words
from tallymark.report.blocks import Grid
from tallymark.report.evaluation import Evaluation
from tallymark.report.svg import Axis, Series
from tallymark.tally.arrays import Label

MOST_LINES = svg.SERIES
"""More lines in one chart cannot be told apart."""

MOST_LINES_IN_ALL = 24
MOST_DISTRIBUTIONS = 12
FEW_LINES, POINTS_IN_ALL, CROWDED_POINTS, MORE_POINTS = 3, 420, 204, 108
TABLE_ROWS = 11
"""What keeps the page small, whatever is judged."""

MOST_DRAWN, CROWDED = 3, 6
"""Pairs whose every difference is drawn; of so many models those of the best two alone."""

SHORTEST = 12
"""Letters of each name in the row of a pair."""

BAND_POINTS = 40
RATES = (0.001, 0.01, 0.05, 0.2, 0.4)
WORST = 0.6
"""Ticks of the normal-deviate axes, and the error rate at which they end."""

OVER_THRESHOLDS = ("f1", "matthews_corrcoef", "accuracy", "youden_j")

TIED = 0.002
"""A tie envelope of less area than this cannot be seen."""


@dataclass(frozen=True, slots=True)
class Line:
    """What one line shows: a model, or one of its classes against the rest."""

    key: str
    name: str
    sides: tuple[str, str]
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawn chart with everything that stands around it.

    ``legend`` names the lines by style with their numbers, ``keys`` says by class of the style
    sheet what else is drawn, ``marks`` are pictures and what they mean; ``numbers`` says the same
    as a table.
    """

    title: str
    svg: str
    numbers: Grid
    words: str = ""
    error: float = 0.0
    legend: tuple[tuple[int, str, str], ...] = ()
    keys: tuple[tuple[str, str], ...] = ()
    marks: tuple[tuple[str, str], ...] = ()
    reads: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Charts that share their lines; ``left`` of them are too many to be drawn."""

    title: str
    lines: tuple[Line, ...]
    left: int
    curves: tuple[Chart, ...]
    distributions: tuple[Chart, ...]
    more: tuple[Chart, ...] = ()


def groups(ev: Evaluation) -> tuple[Group, ...]:
    """Return all models in one group, or a group a model where there are more than two classes."""
    planned = []
    # Where not even one model's classes can all be drawn, one model has to do.
    room = MOST_LINES if len(ev.classes) > MOST_LINES else MOST_LINES_IN_ALL
    for title, lines in _lines(ev):
        drawn = lines[:MOST_LINES]
        if drawn and len(drawn) <= room:
            planned.append((title, drawn, len(lines) - len(drawn)))
            room -= len(drawn)
    total = sum(len(lines) for _, lines, _ in planned)
    made = []
    first = 0
    for i, (title, lines, left) in enumerate(planned):
        d = _Drawing(ev, lines, str(i) if i else "", total)
        shown = lines if first == 0 or first + len(lines) <= MOST_DISTRIBUTIONS else ()
        histograms, coarse = ev.histograms(), len(shown) > 3
        distributions = tuple(
            _distribution(line, h.coarser() if coarse else h, k, first + k)
            for k, line in enumerate(shown)
            for h in [histograms[line.key]]
        )
        more = (*d.charts("more"), *d.metrics()) if total <= MOST_LINES else ()
        made.append(Group(title, tuple(lines), left, d.charts("first"), distributions, more))
        first += len(lines)
    return tuple(made)


_BESIDE = sorted(
    {get(c.beside[0]).name for c in CURVES.values() if c.beside[0]}
    | {"roc_auc_optimistic", "roc_auc_pessimistic"}
)
"""The metrics whose numbers stand beside curves."""


def _lines(ev: Evaluation) -> list[tuple[str, list[Line]]]:
    scored = ev.curves()
    if ev.binary:
        sides = (
            _told(ev.positive),
            _told(next(c for c in ev.classes if c != ev.positive)),
        )
        values = ev.values()
        return [("", [Line(n, words.text(n), sides, values[n]) for n in ev.names if n in scored])]
    per_class = ev.per_class(_BESIDE)
    return [
        (
            words.text(name),
            [
                Line(f"{name}: {c}", _told(c), (_told(c), "all others"), per_class[name][c])
                for c in ev.classes
                if f"{name}: {c}" in scored
            ],
        )
        for name in ev.names
    ]


def _told(label: Label | None) -> str:
    return "" if label is None else words.text(label)


@dataclass(slots=True)
class _Beneath:
    """What is drawn under a chart's curves beside the declared references, and the words for it."""

    faint: list[Any] = field(default_factory=list)
    bands: list[Any] = field(default_factory=list)
    keys: list[tuple[str, str]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


class _Drawing:
    """The curves of a group's lines, and how their charts are put together."""

    def __init__(self, ev: Evaluation, lines: Sequence[Line], key: str, total: int) -> None:
        self.ev = ev
        self.lines = lines
        self.key = key
        self.few = total <= FEW_LINES
        in_all = POINTS_IN_ALL if self.few else CROWDED_POINTS
        self.points = {
            "first": max(30, in_all // total),
            "more": max(16, MORE_POINTS // max(len(lines), 1)),
        }
        self.curves = [ev.curves()[line.key] for line in lines]
        self.level = words.percent(ev.level, 0)
        shares = {round(float(c["pr"].y[-1]), 12) for c in self.curves}
        self.prevalence = shares.pop() if len(shares) == 1 else None

    def charts(self, where: str) -> tuple[Chart, ...]:
        """Return a chart of each curve that is declared to stand in a part of the page."""
        return tuple(
            self.chart(c, {i: one for i, one in enumerate(self.curves) if c.name in one})
            for c in CURVES.values()
            if c.page == where and any(c.name in one for one in self.curves)
        )

    def chart(self, c: CurveDefinition, curves: Mapping[int, Mapping[str, Curve]]) -> Chart:
        """Return the drawn chart of a curve and its pair: legend, words, a table of some points."""
        first, one_model = c.page == "first", len(self.lines) == 1
        axes = _axes(c, [one[n] for one in curves.values() for n in (c.name, c.pair) if n])
        sides = (c.sides or self.lines[0].sides) if c.pair else ()
        # There is room for the bounds of single points in few charts.
        bounded = c.draw == "points" and (first or one_model)
        hinted = len(self.lines) <= FEW_LINES and not c.x.open
        series, rows, errors = [], [], []
        most = TABLE_ROWS if self.few else TABLE_ROWS // 2 + 1
        known = [v for one in curves.values() for v in (one[c.name],)]
        cut = not c.x.open and any(v.threshold is not None for v in known)
        listed = bounded and any(v.low is not None for v in known)
        for i, one in curves.items():
            for k, name in enumerate(filter(None, (c.name, c.pair))):
                # A line of few points is thinned where it is drawn, and told what that leaves out.
                v = _shown(one[name], axes).thin(self.points[c.page])
                title = self.lines[i].name + (f", {sides[k]}" if c.pair else "")
                series.append(_series(v, title, i, axes, bounded, hinted, second=k > 0))
                rows += [
                    (title, *row) for row in _rows(v, most if first else most // 2, cut, listed)
                ]
                errors.append(v.error)
        beneath = _Beneath()
        if c.name in BENEATH:
            BENEATH[c.name](self, [self.lines[i] for i in curves], beneath)
        guides: list[Any] = []
        for r in c.references:
            if self.prevalence is not None or not r.of_share:
                points = r.points(0.5 if self.prevalence is None else self.prevalence)
                faint = r.fine or r.dash == ":"
                (beneath.faint if faint else guides).append(_placed(axes, points))
        dots: list[Any] = []
        for i, one in curves.items():
            place = c.highlight(one[c.name], one[c.pair]) if c.highlight else None
            if place is not None and len(place[0]) == 1:
                dots.append((place[0][0], place[1][0], i))
            elif place is not None:
                beneath.faint.append(place)
        whose = f" of {', '.join(self.lines[i].name for i in curves)}" if first else ""
        drawing = svg.lines(
            c.key, c.title, _description(axes, whose), *axes, series, guides=guides,
            faint=beneath.faint, bands=beneath.bands, dots=dots, marked=c.draw == "points",
            key=self.key,
        )  # fmt: skip
        heads = ("Class" if self.key or not self.ev.binary else "Model",
                 *(["threshold"] if cut else []), axes[0].label, axes[1].label,
                 *([f"{self.level} interval", "rows"] if listed else []))  # fmt: skip
        return Chart(
            c.title,
            drawing,
            Grid(heads, rows, left=()),
            " ".join([c.words, *beneath.words]),
            max(errors),
            tuple((i % svg.SERIES, self.lines[i].name, self.number(c, i)) for i in curves),
            (*zip(("line", "line second"), sides, strict=False), *beneath.keys),
            reads=True,
        )

    def number(self, c: CurveDefinition, i: int) -> str:
        """Return the metric that sums up the i-th line's curve, for the legend."""
        metric, short = c.beside
        value = self.lines[i].values.get(get(metric).name) if metric else None
        return f"{short} {words.number(value.value)}" if value and not value.reason else ""

    def metrics(self) -> tuple[Chart, ...]:
        """Draw several metrics of one model against the threshold, or F1 of several models."""
        if not self.ev.binary:
            return ()  # decisions of several classes have no one threshold
        one = len(self.lines) == 1
        wanted = OVER_THRESHOLDS if one else OVER_THRESHOLDS[:1]
        curves = self.ev.curves(*wanted)
        drawn = [curves[line.key][n] for line in self.lines for n in wanted]
        names = [get(n).title for n in wanted] if one else [line.name for line in self.lines]
        axes = _axes(definition(wanted[0]), drawn)
        axes = axes[0], replace(axes[1], label="value" if one else "F1")
        thin = [v.thin(self.points["more"]) for v in drawn]
        series = [_series(v, n, i, axes) for i, (n, v) in enumerate(zip(names, thin, strict=True))]
        title = words.METRICS_TITLE
        drawing = svg.lines("metrics", title, _description(axes), *axes, series, key=self.key)
        rows = [
            (n, *r) for n, v in zip(names, thin, strict=True) for r in _rows(v, 5, False, False)
        ]
        numbers = Grid(("Line", axes[0].label, axes[1].label), rows, left=())
        legend = tuple((i % svg.SERIES, n, "") for i, n in enumerate(names))
        error = max(v.error for v in thin)
        return (Chart(title, drawing, numbers, words.METRICS_WORDS, error, legend, reads=True),)


def _description(axes: tuple[Axis, Axis], whose: str = "") -> str:
    return f"{axes[1].label} against {axes[0].label}{whose}; the table below holds numbers."


def _series(
    v: Curve,
    name: str,
    i: int,
    axes: tuple[Axis, Axis],
    bounded: bool = False,
    hinted: bool = False,
    second: bool = False,
) -> Series:
    """Return the i-th line of a chart; one over the threshold goes on to both ends of its axis."""
    v = v.between(axes[0].low, axes[0].high) if v.x_metric in ("threshold", "score") else v
    x, y = _placed(axes, (v.x, v.y))
    return Series(
        name, i, x, y, hints=v.threshold if hinted else None, step=v.step, second=second,
        low=v.low if bounded else None, high=v.high if bounded else None,
        raw=(v.x, v.y) if axes[0].ticks else None,
    )  # fmt: skip


# -- what lies beneath -------------------------------------------------------------------------


def _beneath_roc(d: _Drawing, lines: Sequence[Line], out: _Beneath) -> None:
    """Shade the confidence band of each model; of one model, its ties too, and draw its hull."""
    if d.ev.binary and len(lines) <= FEW_LINES:
        for i, line in enumerate(lines):
            band = d.ev.model(line.key).curve("roc", band="vertical").thin(BAND_POINTS)
            assert band.low is not None
            out.bands.append((band.x, band.low, band.high, i))
            name = f" of {line.name}" if len(lines) > 1 else ""
            text = words.CURVE_KEYS["roc band"].format(level=d.level, name=name)
            out.keys.append((f"band own s{i % svg.SERIES}", text))
    if len(lines) != 1:
        return
    curves = d.ev.curves()[lines[0].key]
    hull = curves["roc_hull"]
    out.faint.append((hull.x, hull.y))
    out.keys.append(("faint", words.CURVE_KEYS["roc hull"]))
    ends = [lines[0].values.get(f"roc_auc_{side}") for side in ("optimistic", "pessimistic")]
    if all(v is not None for v in ends) and ends[0].value - ends[1].value > TIED:  # type: ignore[union-attr]
        upper, lower = (curves[f"roc_{side}"].thin(60) for side in ("optimistic", "pessimistic"))
        x = np.unique(np.concatenate([upper.x, lower.x]))
        out.bands.append((x, np.interp(x, lower.x, lower.y), np.interp(x, upper.x, upper.y)))
        out.keys.append(("band", words.CURVE_KEYS["roc ties"]))


def _beneath_pr(d: _Drawing, lines: Sequence[Line], out: _Beneath) -> None:
    out.keys.append(("faint", words.CURVE_KEYS["pr iso-F"]))
    if d.prevalence is not None:
        out.keys.append(("chance", words.CURVE_KEYS["pr baseline"]))


def _beneath_calibration(d: _Drawing, lines: Sequence[Line], out: _Beneath) -> None:
    """Draw the isotonic fit of one line, with its consistency band."""
    out.words.append(words.CLUSTER_BARS if d.ev.clusters else words.BARS.format(level=d.level))
    curves = d.ev.curves()[lines[0].key]
    if len(lines) != 1 or "calibration_isotonic" not in curves:
        return
    iso = curves["calibration_isotonic"].thin(60)
    out.faint.append((iso.x, iso.y))
    out.keys.append(("faint", words.CURVE_KEYS["calibration fit"]))
    if not d.ev.clusters:
        out.bands.append((iso.x, iso.low, iso.high))
        out.keys.append(("band", words.CURVE_KEYS["calibration band"].format(level=d.level)))


BENEATH: Mapping[str, Callable[[_Drawing, Sequence[Line], _Beneath], None]] = {
    "roc": _beneath_roc,
    "pr": _beneath_pr,
    "calibration": _beneath_calibration,
}
"""The charts under whose curves there is more than declared lines."""


# -- axes and tables ---------------------------------------------------------------------------


def _axes(c: CurveDefinition, curves: Sequence[Curve]) -> tuple[Axis, Axis]:
    if c.x.scale == "probit":
        low, high = float(probit(RATES[0])), float(probit(WORST))
        ticks = tuple((float(probit(r)), f"{100 * r:g}") for r in RATES)
        across, upward = (Axis(f"{a.title}, %", low, high, ticks) for a in (c.x, c.y))
        return across, upward
    ends = svg.threshold_range(curves) if c.x.open else c.x.limits(0.0, 1.0)
    y = np.concatenate([v.y for v in curves])
    y = y[np.isfinite(y)]
    least, most = c.y.limits(float(y.min(initial=0.0)), float(y.max(initial=0.0)))
    return Axis(c.x.title, *ends), Axis(c.axis_title or c.y.title, least, most)


def _shown(v: Curve, axes: tuple[Axis, Axis]) -> Curve:
    """Return the points of a curve that lie on axes of normal deviates, or all of another."""
    return v.at((v.x <= WORST) & (v.y <= WORST)) if axes[0].ticks else v


def _placed(axes: tuple[Axis, Axis], points: tuple[Any, Any]) -> tuple[Any, Any]:
    """Return points as their axes count them; those below the lower edge are left out."""
    x, y = (np.asarray(v, dtype=float) for v in points)
    if axes[0].ticks:
        some = (x <= WORST) & (y <= WORST)
        rates = (np.where(some, np.clip(v, RATES[0], WORST), np.nan) for v in (x, y))
        a, b = (probit(v) for v in rates)
        return a, b
    return x, np.where(y < axes[1].low, np.nan, y) if axes[1].low < 0 else y


def _rows(v: Curve, most: int, cut: bool, bounded: bool) -> list[tuple[str, ...]]:
    """Return some of the points as the table below a chart lists them."""
    known = np.flatnonzero(np.isfinite(v.x) & np.isfinite(v.y))
    if not len(known):
        return []
    most = len(known) if bounded else most
    index = known[np.unique(np.linspace(0, len(known) - 1, most).round().astype(int))]
    rows = []
    for i in index:
        row = [svg.short(float(v.x[i])) if v.step == "post" else words.number(float(v.x[i]))]
        row.append(words.number(float(v.y[i])))
        if cut and v.threshold is not None:
            row.insert(0, svg.short(float(v.threshold[i])))
        if bounded and v.low is not None and v.high is not None:
            low, high = float(v.low[i]), float(v.high[i])
            row.append("" if np.isnan(low) else f"{words.number(low)} to {words.number(high)}")
            row.append("" if v.counts is None else words.count(float(v.counts[i])))
        rows.append(tuple(row))
    return rows


# -- distributions -----------------------------------------------------------------------------


def _distribution(line: Line, h: Histogram, style: int, key: int) -> Chart:
    drawn = svg.histogram(
        str(key), f"{words.SCORES_TITLE}: {line.name}",
        f"Scores of {line.sides[0]} upward, of {line.sides[1]} downward.",
        h.edges, h.pos, h.neg, "score", line.sides, style,
    )  # fmt: skip
    rows = [
        (svg.short(a), svg.short(b), words.count(float(p)), words.count(float(n)))
        for a, b, p, n in zip(h.edges[:-1], h.edges[1:], h.pos, h.neg, strict=True)
        if p or n
    ]
    return Chart(line.name, drawn, Grid(("from", "to", *line.sides), rows, left=()))


# -- differences of models ---------------------------------------------------------------------

FOREST = "Differences with their intervals around a line at 0; the table below holds the numbers."


def differences(c: Comparison, pairs: Sequence[Pair], names: Sequence[str]) -> list[Chart]:
    """Return the differences of pairs drawn: all by what decides if they are many, each by all.

    The places of models in ``names`` choose their colours.
    """
    drawn = pairs[: MOST_DRAWN if len(c.names) < CROWDED else 1]
    ends = _range([d for p in drawn for d in p.differences.values()], c.margin)
    charts = [_of_pair(c, p, str(i), ends, names) for i, p in enumerate(drawn)]
    if len(c.pairs) <= MOST_DRAWN:
        return charts
    gaps = [p.differences[c.metric] for p in pairs]
    spans = [
        _span(" – ".join(words.cut_off(n, SHORTEST) for n in (p.first, p.second)), d, p, names,
              c.margin)
        for p, d in zip(pairs, gaps, strict=True)
    ]  # fmt: skip
    title = f"Every pair by {get(c.metric).in_a_sentence}"
    axis = Axis("difference", *_range(gaps, c.margin, every=True))
    every = svg.forest("pairs", title, FOREST, axis, "pair", spans)
    return [Chart(title, every, Grid((), ()), marks=_marks(spans, "the first", "the second")),
            *charts]  # fmt: skip


def _of_pair(
    c: Comparison, pair: Pair, key: str, ends: tuple[float, float], names: Sequence[str]
) -> Chart:
    """Return the chart of a pair: the differences by every metric."""
    first, second = words.text(pair.first), words.text(pair.second)
    title = f"{first} less {second}"
    spans, rows = [], []
    for name, d in pair.differences.items():
        m = get(name)
        label = words.SHORT_TITLES.get(name, m.title) + (" ↓" if m.better == "low" else "")
        spans.append(_span(label, d, pair, names, c.margin if name == c.metric else None))
        *_, gap, bounds, p = words.difference(d)
        why = "" if bounds else f": {words.text(d.reason or d.method or '')}"
        rows.append((m.title + why, gap, bounds, p))
    drawn = svg.forest(key, title, FOREST, Axis("difference", *ends), "metric", spans)
    heads = ("Metric", "Difference", words.interval_head(c.level), "p")
    return Chart(title, drawn, Grid(heads, rows, left=()), marks=_marks(spans, first, second))


def _span(
    name: str, d: Difference, pair: Pair, names: Sequence[str], margin: float | None
) -> svg.Span:
    """Return the row of a difference, marked by the model that is ahead by more than chance."""
    mark, style = "open", 0
    if not (math.isnan(d.low) or d.low <= 0 <= d.high):
        mark = "first" if (d.value > 0) != (get(d.metric).better == "low") else "second"
        style = names.index(getattr(pair, mark))
    why = words.signed(d.value) if math.isinf(d.value) else "undefined"
    return svg.Span(name, d.value, d.low, d.high, mark, style, margin, why)


def _range(
    gaps: Sequence[Difference], margin: float | None = None, *, every: bool = False
) -> tuple[float, float]:
    """Return the ends of an axis that holds 0 and all differences of bounded metrics."""
    ends = [0.0, *([] if margin is None else [-margin, margin])]
    for d in gaps:
        if every or math.isfinite(sum(get(d.metric).range)):
            ends += [v for v in (d.value, d.low, d.high) if math.isfinite(v)]
    low, high = min(ends), max(ends)
    room = 0.06 * (high - low)
    return (-0.01, 0.01) if high - low < 1e-9 else (low - room, high + room)


def _marks(spans: Sequence[svg.Span], first: str, second: str) -> tuple[tuple[str, str], ...]:
    """Return the marks that are in a chart, and what they say."""
    styles = {s.mark: s.style for s in spans if math.isfinite(s.value)}
    meaning = {
        "first": f"{first} is ahead",
        "second": f"{second} is ahead",
        "open": "may be chance",
    }
    return tuple((svg.symbol(m, styles[m]), text) for m, text in meaning.items() if m in styles)
