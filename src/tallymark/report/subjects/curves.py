"""Curves: the available lines, and charts of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from tallymark.curve import CURVES, Curve, CurveDefinition, definition
from tallymark.errors import InputError, choices
from tallymark.metric import METRICS, Metric, get
from tallymark.metric.headlines import SWEPT
from tallymark.metric.measure import Value
from tallymark.report import words
from tallymark.report.blocks import Block, Chart, Folded, Grid, Headline, Paragraph
from tallymark.report.drawing import (
    Area,
    Axis,
    BarChart,
    Bars,
    Drawing,
    Guide,
    Line,
    Series,
    Shape,
    brief,
    drawing,
    with_decisions,
)
from tallymark.report.evaluation import Evaluation, curve_of, refuse_curve, score_tallies
from tallymark.report.subjects.values import more
from tallymark.tally.scores import ScoreTally

MOST_LINES = 24
"""Lines that can be distinguished."""

POINTS = 2000
"""Points per line; more are invisible and make vector graphics large."""


# -- the available lines -----------------------------------------------------------------------


def lines_of(what: Any, kind: str | Metric, band: str | None = None, **params: Any) -> list[Line]:
    """Return the curves of one kind from an Evaluation, a Curve, or a dictionary of curves.

    ``kind`` is the name of a curve, or a metric over the thresholds; ``band`` is the kind of
    bounds, and ``params`` are those of the curve's function or the metric's.

    >>> import tallymark as tm
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score=[0.1, 0.9, 0.4, 0.3])
    >>> [(line.name, line.threshold, len(line.curves[0])) for line in lines_of(ev, "roc")]
    [('model', 0.5, 5)]
    """
    c = definition(kind, **({} if kind in CURVES else params))
    if isinstance(what, Evaluation):
        lines = _of_evaluation(what, c, band, params)
    elif band is not None:
        raise InputError(f"band={band!r} cannot be added to a finished curve; give an Evaluation")
    elif params:
        raise InputError(f"{', '.join(params)} cannot change a finished curve; give an Evaluation")
    elif isinstance(what, Curve):
        lines = [_of_kind("", what, c)]
    elif isinstance(what, Mapping):
        if not what:
            raise InputError(f"there is no {c.name} curve to draw; the dictionary is empty")
        lines = [_of_kind(str(key), v, c, i) for i, (key, v) in enumerate(what.items())]
    else:
        raise InputError(
            f"a {c.name} plot takes an Evaluation, a Curve or a dictionary of curves by name, "
            f"not {type(what).__name__}"
        )
    if len(lines) > MOST_LINES:
        raise InputError(
            f"{len(lines)} lines cannot be distinguished; give at most {MOST_LINES}, as a "
            "dictionary of some of .curves()"
        )
    return lines


def _of_kind(name: str, what: Any, c: CurveDefinition, style: int = 0) -> Line:
    """Return the line of a finished curve; a precision-recall curve ends at the prevalence."""
    pr = what.get("pr") if isinstance(what, Mapping) else what
    share = float(pr.y[-1]) if isinstance(pr, Curve) and pr.name == "pr" else None
    curves = []
    for kind in filter(None, (c.name, c.pair)):
        v = what
        if isinstance(what, Mapping):  # the form that Evaluation.curves() returns
            if kind not in what:
                raise InputError(f"there is no {kind} curve; {choices(kind, what)}")
            v = what[kind]
        if not isinstance(v, Curve):
            raise InputError(f"a {kind} plot takes curves, not {type(v).__name__}")
        if v.name != kind:
            raise InputError(f"this is a {v.name} curve, and a {kind} curve is to be drawn")
        curves.append(v)
    return Line(brief(name), tuple(curves), style, share=share)


def line_name(ev: Evaluation, key: str) -> str:
    """Return the name of a line: its model or class, or both if there are several of each."""
    return key.removeprefix(f"{ev.names[0]}: ") if len(ev.models) == 1 and not ev.binary else key


def _of_evaluation(
    ev: Evaluation, c: CurveDefinition, band: str | None, params: Mapping[str, Any]
) -> list[Line]:
    refuse_curve(c, ev.models)
    kinds = [kind for kind in (c.name, c.pair) if kind]
    lines: list[Line] = []
    for key, (m, t) in score_tallies(ev).items():
        if c.needs == "probabilities" and not m.probabilities:
            continue
        curves = tuple(curve_of(ev, kind, m, t, None, params) for kind in kinds)
        bands = tuple(curve_of(ev, kind, m, t, band, params) for kind in kinds if band)
        r = t._score_counts
        lines.append(
            Line(
                brief(line_name(ev, key)),
                curves,
                len(lines),
                bands,
                share=float(r.positives) / float(r.total),
                number=_number(ev, m.name, t, c),
                threshold=m.threshold,
                key=key,
            )
        )
    if not lines:
        raise InputError(f"a {c.name} curve needs rows of both classes, and here is only one")
    return lines


def _number(ev: Evaluation, model: str, tally: ScoreTally, c: CurveDefinition) -> str:
    """Return the metric that summarises a curve, for the legend."""
    metric, short = c.beside
    if not metric:
        return ""
    if not ev.binary:
        value = ev.per_class()[model][tally.positive].get(metric)
        return "" if value is None else with_interval(short, value)
    one = ev.model(model)
    return with_interval(short, one.value(metric)) if one.models[0]._holds(get(metric)) else ""


def with_interval(short: str, value: Value) -> str:
    """Return a number with its interval in the short form of a legend.

    >>> with_interval("area", Value("roc_auc", 0.98765, 0.9789, 0.99321))
    'area 0.988 (0.979 to 0.993)'
    """
    bounds = words.interval(value)
    return f"{short} {words.value(value)}" + (f" ({bounds})" if bounds else "")


# -- charts ------------------------------------------------------------------------------------


def chart(c: CurveDefinition, lines: Sequence[Line], threshold: float | bool = False) -> Drawing:
    """Return the chart of a curve, with the decisions at a threshold."""
    return with_decisions(drawing(c, lines, POINTS), lines, threshold)


def hulls(what: Any, first: int = 0) -> list[Guide]:
    """Return the convex hull of each ROC curve, in styles from ``first`` on."""
    curves = (line.curves[0].thin(POINTS) for line in lines_of(what, "roc_hull"))
    return [Guide(c.x, c.y, "hull", style=i) for i, c in enumerate(curves, first)]


def ties(what: Any, first: int = 0) -> list[Shape]:
    """Return the range that ties allow around each ROC curve, in styles from ``first`` on."""
    sides = (lines_of(what, f"roc_{side}") for side in ("optimistic", "pessimistic"))
    shapes = []
    for i, of_line in enumerate(zip(*sides, strict=True), first):
        a, b = (line.curves[0].thin(POINTS) for line in of_line)
        shapes.append(Shape(np.append(a.x, b.x[::-1]), np.append(a.y, b.y[::-1]), i))
    return shapes


def tenths(lines: Sequence[Line]) -> BarChart:
    """Return the share of positives in each tenth as bars, and the cumulative share as a line."""
    width = 0.8 / len(lines)
    bars, down, guides = [], [], []
    for line in lines:
        (c,), i = line.curves, line.style
        place = np.arange(1, len(c) + 1)
        beside = place + (i - (len(lines) - 1) / 2) * width
        bars.append(Bars(line.name, i, beside, c.y, c.low, c.high, line.number))
        if c.counts is not None:
            rows, hits = np.cumsum(c.counts), np.cumsum(c.counts * np.nan_to_num(c.y))
            down.append((i, place, hits / rows))
            if i == 0:
                share = float(hits[-1] / rows[-1])
                guides.append(Guide([0.5, len(c) + 0.5], [share] * 2, "chance", "all rows"))
    guides.append(Guide([], [], "best", "down to there"))
    most = max(len(line.curves[0]) for line in lines)
    axes = "tenth of the rows, highest scores first", "share of positives"
    return BarChart(*axes, most, width, bars, down, guides)


def over_thresholds(what: Any, metric: Metric, band: str | None, **params: Any) -> list[Line]:
    """Return a metric over the thresholds, with bounds if an evaluation has them."""
    lines = lines_of(what, metric, band, **params)
    if not (isinstance(what, Evaluation) and what.binary):
        return lines
    c = definition(metric, **params)
    return [_bounded(what, line, c) for line in lines]


def _bounded(ev: Evaluation, line: Line, c: CurveDefinition) -> Line:
    """Return the line with its bounds, if available, and the value at the current threshold."""
    bands = line.bands
    if c.name in SWEPT and not c.params and not bands:
        sweep = ev._sweep()[line.key]
        y, low, high = sweep.metrics[c.name]
        cuts = sweep.threshold
        bands = (Curve(c.name, c.x.name, c.name, cuts, y, cuts, low=low, high=high, step=c.step),)
    value = ev.model(line.key).value(c.name, **c.params)
    return replace(line, bands=bands, number=with_interval("", value).strip())


def over_prevalence(ev: Evaluation, metrics: Sequence[Metric], **params: Any) -> Drawing:
    """Return metrics against the prevalence; dots mark the prevalence in the rows."""
    one = len(metrics) == 1
    series, dots = [], []
    for i, (model, m) in enumerate(product(ev.names, metrics)):
        of_model = ev.model(model)
        label = m.title if len(ev.names) == 1 else f"{model}: {m.title}"
        curve = of_model.curve(m.name, over="prevalence", **params)
        series.append(Series(model if one else label, i, curve))
        dots.append((of_model["prevalence"].value, of_model.value(m, **params).value, i))
    x, y = Axis("share of positives", scale="logit"), Axis(metrics[0].title if one else "value")
    areas = [Area(s.curve, s.style) for s in series if s.curve.low is not None]
    return Drawing(x, y, series, areas, dots=dots)


MOST_POINTS = 12
"""Points of a curve that are printed."""


def curve(c: Curve) -> Iterator[Block]:
    """Yield a curve as its points, or some of them if there are many."""
    titles = {a.name: a.title for d in CURVES.values() for a in (d.x, d.y)}
    x, y = (titles.get(m, m.replace("_", " ")) for m in (c.x_metric, c.y_metric))
    axes = f"{y} against {x}"
    end = f", last point ({c.x[-1]:.4g}, {c.y[-1]:.4g})" if len(c) else ""
    yield Headline(f"{c.name}, {len(c):,} points, {axes}{end}")
    yield Paragraph(f"{c.name}: {axes}", "title")
    points = points_of(c)
    yield points
    yield from more(len(c) - len(points.rows), "points")
    if c.method:
        yield Paragraph(f"bounds: {c.method}", "dim")


def points_of(c: Curve) -> Grid:
    """Return some of the points of a curve."""
    columns = {"threshold": c.threshold, c.x_metric: c.x, c.y_metric: c.y}
    columns |= {"low": c.low, "high": c.high}
    present = {k: v for k, v in columns.items() if v is not None and not np.isnan(v).all()}
    places = np.unique(np.linspace(0, len(c) - 1, min(len(c), MOST_POINTS)).round().astype(int))
    rows = [[f"{v[i]:.4g}" for v in present.values()] for i in places]
    return Grid(tuple(present), rows, left=())


CARD_POINTS = 200
"""Points of a curve on a card."""


def curve_card(c: Curve) -> Iterator[Block]:
    """Yield the chart of a curve, and a folded table of some points."""
    names = METRICS.keys() | CURVES.keys()
    declared = definition(c.name) if c.name in names and c.x_metric != "prevalence" else None
    lines = _drawing_of(c, declared)
    title = (declared.title if declared else "") or f"{lines.y.label} by {lines.x.label}"
    about = f"{lines.y.label} against {lines.x.label}, {words.many(len(c), 'point')}"
    bounds = f"Bounds: {c.method}." if c.method else ""
    caption = f"{about}. {bounds}".strip()
    yield Chart(title, lines, words=caption, description=f"{about}.", kind="curve")
    yield Folded("Points", [points_of(c)])


def _drawing_of(c: Curve, declared: CurveDefinition | None) -> Drawing:
    if declared is not None:
        alone = replace(declared, pair="", highlight=None)
        share = float(c.y[-1]) if c.name == "pr" and len(c) else None
        return drawing(alone, [Line("", (c,), share=share)], CARD_POINTS)
    x, y = (Axis(name.replace("_", " ")) for name in (c.x_metric, c.y_metric))
    thin = c.thin(CARD_POINTS)
    return Drawing(x, y, [Series("", 0, thin)], [Area(thin, 0)] if c.low is not None else [])
