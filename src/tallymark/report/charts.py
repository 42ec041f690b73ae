"""Which charts a page draws: their lines, their words, and the tables that say the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallymark.curve import CURVES, Curve, CurveDefinition, Histogram, definition
from tallymark.metric import get
from tallymark.metric.association import probit
from tallymark.metric.measure import Value
from tallymark.report import svg, words
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

    ``legend`` names the lines by style, ``keys`` says by class of the style sheet what else is
    drawn.
    """

    title: str
    svg: str
    legend: tuple[tuple[int, str, str], ...]
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: str = ""
    error: float = 0.0
    keys: tuple[tuple[str, str], ...] = ()


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
        distributions = _distributions(ev, shown, first)
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
class _Extra:
    """What is drawn under a chart's curves beside the declared references, and the words for it."""

    faint: list[Any]
    bands: list[Any]
    keys: list[tuple[str, str]]
    words: list[str]


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

    def charts(self, where: str) -> tuple[Chart, ...]:
        """Return a chart of each curve that is declared to stand in a part of the page."""
        wanted = (c for c in CURVES.values() if c.page == where)
        return tuple(self.chart(c) for c in wanted if any(c.name in one for one in self.curves))

    def chart(self, c: CurveDefinition) -> Chart:
        """Return the drawn chart of a curve and its pair: legend, words, a table of some points."""
        found = {i: one for i, one in enumerate(self.curves) if c.name in one}
        names = [c.name, *([c.pair] if c.pair else [])]
        drawn = [(i, k, one[name]) for i, one in found.items() for k, name in enumerate(names)]
        axes = _axes(c, [v for _, _, v in drawn])
        # A line of few points is thinned where it is drawn, and told what that leaves out.
        thin = [(i, k, _shown(v, axes).thin(self.points[c.page])) for i, k, v in drawn]
        series = [self.series(c, axes, i, k, v) for i, k, v in thin]
        extra = self.beneath(c, [self.lines[i] for i in found])
        share = self.prevalence()
        guides: list[Any] = []
        for r in c.references:
            if share is not None or not r.of_share:
                line = _placed(axes, r.points(0.5 if share is None else share))
                (extra.faint if r.fine or r.dash == ":" else guides).append(line)
        dots, gaps = self.highlights(c, found)
        both = ("line", "line second") if c.pair else ()
        sides = c.sides or self.lines[0].sides
        rows = TABLE_ROWS if self.few else TABLE_ROWS // 2 + 1
        rows = rows if c.page == "first" else rows // 2
        whose = f" of {', '.join(self.lines[i].name for i in found)}" if c.page == "first" else ""
        drawing = svg.lines(
            c.key,
            c.title,
            f"{axes[1].label} against {axes[0].label}{whose}; the table below holds numbers.",
            *axes,
            series,
            guides=guides,
            faint=[*extra.faint, *gaps],
            bands=extra.bands,
            dots=dots,
            marked=c.draw == "points",
            key=self.key,
        )
        cut = not c.x.open and any(v.threshold is not None for _, _, v in thin)
        bounded = self.bounded(c) and any(v.low is not None for _, _, v in thin)
        heads = [*(["threshold"] if cut else []), axes[0].label, axes[1].label,
                 *([f"{self.level} interval", "rows"] if bounded else [])]  # fmt: skip
        return Chart(
            c.title,
            drawing,
            tuple((i % svg.SERIES, self.lines[i].name, self.number(c, i)) for i in found),
            ("Class" if self.key or not self.ev.binary else "Model", *heads),
            tuple(
                (s.name, *row)
                for s, (_, _, v) in zip(series, thin, strict=True)
                for row in _rows(v, rows, cut, bounded)
            ),
            " ".join([c.words, *extra.words]),
            max(v.error for _, _, v in thin),
            (*zip(both, sides, strict=False), *extra.keys),
        )

    def series(
        self, c: CurveDefinition, axes: tuple[Axis, Axis], i: int, k: int, v: Curve
    ) -> Series:
        """Return one line of a chart: the k-th curve of the i-th model or class."""
        line = self.lines[i]
        sides = (c.sides or line.sides) if c.pair else ("", "")
        v = v.between(axes[0].low, axes[0].high) if c.x.open else v
        hints = v.threshold if len(self.lines) <= FEW_LINES and not c.x.open else None
        x, y = _placed(axes, (v.x, v.y))
        bounds = self.bounded(c)
        return Series(
            f"{line.name}, {sides[k]}" if c.pair else line.name, i, x, y, hints=hints,
            low=v.low if bounds else None, high=v.high if bounds else None,
            told=(v.x, v.y) if axes[0].ticks else None, step=v.step, second=k > 0,
        )  # fmt: skip

    def bounded(self, c: CurveDefinition) -> bool:
        """Return whether there is room for the bounds of single points."""
        return c.draw == "points" and (c.page == "first" or len(self.lines) == 1)

    def number(self, c: CurveDefinition, i: int) -> str:
        """Return the metric that sums up the i-th line's curve, for the legend."""
        metric, called = c.beside
        value = self.lines[i].values.get(get(metric).name) if metric else None
        return f"{called} {words.number(value.value)}" if value and not value.reason else ""

    def prevalence(self) -> float | None:
        """Return the share of positives, where all lines have the same."""
        shares = {round(float(c["pr"].y[-1]), 12) for c in self.curves}
        return shares.pop() if len(shares) == 1 else None

    def highlights(
        self, c: CurveDefinition, found: Mapping[int, Any]
    ) -> tuple[list[Any], list[Any]]:
        """Return dots, and faint lines, where both curves of a pair meet or part."""
        dots: list[Any] = []
        gaps: list[Any] = []
        for i, one in found.items():
            place = c.highlight(one[c.name], one[c.pair]) if c.highlight else None
            if place is not None and len(place[0]) == 1:
                dots.append((place[0][0], place[1][0], i))
            elif place is not None:
                gaps.append(place)
        return dots, gaps

    def beneath(self, c: CurveDefinition, lines: Sequence[Line]) -> _Extra:
        """Return what lies under a chart's curves, of the charts that have more than lines."""
        out = _Extra([], [], [], [])
        if c.name in BENEATH:
            BENEATH[c.name](self, lines, out)
        return out

    def metrics(self) -> tuple[Chart, ...]:
        """Draw several metrics of one model against the threshold, or F1 of several models."""
        if not self.ev.binary:
            return ()  # decisions of several classes have no one threshold
        one = len(self.lines) == 1
        wanted = OVER_THRESHOLDS if one else OVER_THRESHOLDS[:1]
        found = self.ev.curves(*wanted)
        drawn = [(line.name, found[line.key][n]) for line in self.lines for n in wanted]
        names = [get(n).title for n in wanted] if one else [name for name, _ in drawn]
        c = replace(
            definition(wanted[0]), words=words.METRICS_WORDS, title=words.METRICS_TITLE,
            chart="metrics", page="more",
        )  # fmt: skip
        axes = _axes(c, [v for _, v in drawn])
        axes = axes[0], replace(axes[1], label="value" if one else "F1")
        thin = [v.thin(self.points["more"]) for _, v in drawn]
        wide = [v.between(axes[0].low, axes[0].high) for v in thin]
        series = [
            Series(n, i, v.x, v.y, step=v.step)
            for i, (n, v) in enumerate(zip(names, wide, strict=True))
        ]
        drawing = svg.lines(
            c.key, c.title, f"{axes[1].label} against the threshold; the table below holds "
            "numbers.", *axes, series, key=self.key,
        )  # fmt: skip
        rows = tuple(
            (n, *row) for n, v in zip(names, thin, strict=True) for row in _rows(v, 5, False, False)
        )
        legend = tuple((i % svg.SERIES, n, "") for i, n in enumerate(names))
        return (Chart(c.title, drawing, legend, ("Line", axes[0].label, axes[1].label), rows,
                      c.words, max(v.error for v in thin)),)  # fmt: skip


# -- what lies beneath -------------------------------------------------------------------------


def _beneath_roc(d: _Drawing, lines: Sequence[Line], out: _Extra) -> None:
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


def _beneath_pr(d: _Drawing, lines: Sequence[Line], out: _Extra) -> None:
    out.keys.append(("faint", words.CURVE_KEYS["pr iso-F"]))
    if d.prevalence() is not None:
        out.keys.append(("chance", words.CURVE_KEYS["pr baseline"]))


def _beneath_calibration(d: _Drawing, lines: Sequence[Line], out: _Extra) -> None:
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


BENEATH: Mapping[str, Callable[[_Drawing, Sequence[Line], _Extra], None]] = {
    "roc": _beneath_roc,
    "pr": _beneath_pr,
    "calibration": _beneath_calibration,
}
"""The charts under whose curves there is more than declared lines."""


# -- axes and tables ---------------------------------------------------------------------------


def threshold_range(curves: Sequence[Curve]) -> tuple[float, float]:
    """Return what is shown of a threshold: 0 to 1 of such scores, else a little beyond them all."""
    x = np.concatenate([c.x for c in curves])
    x = x[np.isfinite(x)]
    if not len(x) or (x.min() >= 0 and x.max() <= 1):
        return 0.0, 1.0
    low, high = float(x.min()), float(x.max())
    beyond = 0.04 * (high - low) or 0.5
    return low - beyond, high + beyond


def _axes(c: CurveDefinition, curves: Sequence[Curve]) -> tuple[Axis, Axis]:
    if c.x.scale == "probit":
        low, high = float(probit(RATES[0])), float(probit(WORST))
        ticks = tuple((float(probit(r)), f"{100 * r:g}") for r in RATES)
        across, upward = (Axis(f"{a.title}, %", low, high, ticks) for a in (c.x, c.y))
        return across, upward
    ends = threshold_range(curves) if c.x.open else c.x.limits(0.0, 1.0)
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


def _distributions(ev: Evaluation, lines: Sequence[Line], first: int) -> tuple[Chart, ...]:
    histograms = ev.histograms()
    coarse = len(lines) > 3
    return tuple(
        _distribution(line, histograms[line.key].coarser() if coarse else histograms[line.key], i,
                      first + i)
        for i, line in enumerate(lines)
    )  # fmt: skip


def _distribution(line: Line, h: Histogram, style: int, key: int) -> Chart:
    title = f"{words.SCORES_TITLE}: {line.name}"
    drawn = svg.histogram(
        str(key),
        title,
        f"Scores of {line.sides[0]} upward, of {line.sides[1]} downward.",
        h.edges,
        h.pos,
        h.neg,
        "score",
        line.sides,
        style,
    )
    rows = tuple(
        (svg.short(a), svg.short(b), words.count(float(p)), words.count(float(n)))
        for a, b, p, n in zip(h.edges[:-1], h.edges[1:], h.pos, h.neg, strict=True)
        if p or n
    )
    return Chart(line.name, drawn, (), ("from", "to", *line.sides), rows)
