"""The curves on a page: their lines, words, and tables of the same data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal

import numpy as np

from tallymark.curve import CURVES, Curve, CurveDefinition, Histogram, definition, thinned
from tallymark.curve.definitions import from_zero
from tallymark.metric import get
from tallymark.metric.measure import Value
from tallymark.quantities import count, each, number, short
from tallymark.report import words
from tallymark.report.blocks import Chart, Grid, Key, Mark, Row
from tallymark.report.drawing import (
    SERIES,
    Area,
    Axis,
    Distributions,
    Dots,
    Drawing,
    Guide,
    Line,
    distribution,
    drawing,
    threshold_range,
)
from tallymark.report.evaluation import Evaluation, score_tallies
from tallymark.report.subjects.classes import MOST_DRAWN, classes_chart, worst_first
from tallymark.report.subjects.decision import at_recommended
from tallymark.report.subjects.matrices import mosaic
from tallymark.report.subjects.summary import (
    all_in_force,
    headline,
    kinds_of,
    ranking,
    row_of,
    rows_of,
)
from tallymark.report.subjects.values import Shown, value_cells
from tallymark.report.uses import budget_of, use_of

SCORES_TITLE = "Score distribution"

METRICS_TITLE = "Metrics by threshold"

METRICS_WORDS = (
    "What each threshold makes of the decisions. The highest point was chosen on these same rows, "
    "so it is too optimistic."
)

BARS = "Bars are {level} intervals."

CLUSTER_BARS = "There are no bars: they hold for rows that stand alone; these come in clusters."

CURVE_KEYS: Mapping[str, str] = {
    "roc band": "{level} confidence band{name}: sensitivity at each false positive rate",
    "roc hull": "convex hull: only its corners are worth choosing",
    "roc ideal": "distance of the decisions in the file from the ideal point (0, 1)",
    "roc ties": "what another order of tied rows would make",
    "pr iso-F": "F1 stays the same along a line: 0.2, 0.4, 0.6 and 0.8",
    "pr baseline": "share of positives: what guessing achieves",
    "calibration fit": "isotonic fit, which needs no bins",
    "calibration band": "where that fit lies in {level} of samples if the probabilities are right",
}
"""Legend entries of what is drawn beneath a chart's curves."""

COST_WORDS = (
    "What each threshold costs on these {rows}, where a false alarm costs {alarm} and a missed "
    "{kind} {missed}. The lowest point was chosen on these same {rows}, so expect slightly more on "
    "new ones."
)

COST_POINTS = 100, 36
"""Maximum numbers of points of the leading cost curve, and of each other one."""

MOST_LINES = SERIES
"""Lines in one chart that can be distinguished."""

MOST_IN_MORE = 10
"""Lines up to which less common curves are drawn as well."""

MOST_LINES_IN_ALL = 24

MOST_DISTRIBUTIONS = 12

FEW_LINES, POINTS_IN_ALL, CROWDED_POINTS, MORE_POINTS = 3, 402, 204, 102

TABLE_ROWS = 11
"""Limits that keep the page small."""

BAND_POINTS = 40

RATES = 0.001, 0.6
"""Ends of the normal-deviate axes."""

OVER_THRESHOLDS = ("f1", "matthews_corrcoef", "accuracy", "youden_j")

TIED = 0.002
"""Tie envelopes with a smaller area than this are invisible."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of one line: a model, or one of its classes against the rest."""

    key: str
    name: str
    sides: tuple[str, str]
    values: Mapping[str, Value]

    def number(self, c: CurveDefinition) -> str:
        """Return the metric that summarises a curve, for the legend."""
        metric, short = c.beside
        value = self.values.get(get(metric).name) if metric else None
        return f"{short} {words.value(value)}" if value and not value.reason else ""


@dataclass(frozen=True, slots=True)
class Group:
    """Charts that share their lines; ``omitted`` counts further lines that are not drawn."""

    title: str
    lines: tuple[Subject, ...]
    omitted: int
    curves: tuple[Chart, ...]
    distributions: tuple[Chart, ...]
    more: tuple[Chart, ...] = ()


def chart_groups(ev: Evaluation) -> tuple[Group, ...]:
    """Return one group of all models, or one per model if there are more than two classes."""
    planned = []
    most = MOST_LINES if ev.binary else MOST_DRAWN
    # If the classes of one model already exceed the limit, draw only one model.
    room = most if len(ev.classes) > MOST_LINES else MOST_LINES_IN_ALL
    for title, every in _subjects(ev):
        charted = tuple(every[:most])
        if charted and len(charted) <= room:
            planned.append((title, charted, len(every) - len(charted)))
            room -= len(charted)
    total = sum(len(subjects) for _, subjects, _ in planned)
    histograms = ev._histograms()
    groups = []
    first = 0
    for i, (title, subjects, omitted) in enumerate(planned):
        d = _Charts(ev, subjects, str(i) if i else "", total)
        room = MOST_LINES if first == 0 else MOST_DISTRIBUTIONS - first
        with_scores = subjects[:MOST_LINES] if min(len(subjects), MOST_LINES) <= room else ()
        distributions = tuple(
            _distribution(s, h._coarser() if len(with_scores) > 3 else h, k, first + k)
            for k, s in enumerate(with_scores)
            for h in [histograms[s.key]]
        )
        over = d.metrics() if use_of(ev).decisions else ()
        more = (*d.charts("more"), *over) if total <= MOST_IN_MORE else ()
        top, *others = d.charts("first") or (None,)
        shown = tuple(map(_led_legend, others))
        if top is not None and top.picks:
            shown = (_led_legend(top), *shown)
        elif top is not None:  # its legend switches lines in all charts of the group
            shown = (replace(top, switches=len(subjects) > 1), *shown)
        groups.append(
            Group(title, subjects, omitted, shown, distributions, tuple(map(_led_legend, more)))
        )
        first += len(subjects)
    return tuple(groups)


def _led_legend(c: Chart) -> Chart:
    """Return a chart whose legend names its leading line alone, if the other lines are grey."""
    if c.lead is None:
        return c
    leading = tuple(entry for entry in c.legend if entry[0] == c.lead)
    others = ("other class", "other classes") if c.picks else ("other model",)
    grey = Key("fine", words.many(len(c.legend) - len(leading), *others))
    return replace(c, legend=leading, keys=(*c.keys, grey))


def first_chart(ev: Evaluation) -> Chart | None:
    """Return the first chart: of classes or labels, their rates; None without scores of two."""
    if not ev.binary:
        return classes_chart(ev, ranking(ev)[1][0])
    if (chart := costs_chart(ev) or rows_chart(ev)) is not None:
        return chart
    ((_, every),) = _subjects(ev)
    subjects = every[:MOST_LINES]
    d = _Charts(ev, subjects, "", max(len(subjects), 1))
    charted = ((c, d.lines(c)) for c in use_of(ev).curves() if c.page == "first")
    return next((d.chart(c, lines) for c, lines in charted if lines), None)


def _matrix_of(ev: Evaluation, best: str) -> Chart | None:
    """Return the matrix of the best model as areas, for models without scores."""
    chart = mosaic(ev.model(best).models[0], ev.positive, kinds_of(ev))
    if chart is None or len(ev.names) == 1:
        return chart
    return replace(chart, heading=f"{words.text(best)}: {chart.heading}")


def parted(ev: Evaluation, best: str) -> tuple[Chart | None, list[tuple[str, Chart]], list[Group]]:
    """Return the first chart, the calibration of two classes, and the other curves."""
    groups = () if ev.labels else chart_groups(ev)
    if not ev.binary:
        return classes_chart(ev, best), [], [*groups]
    first, calibrations, rest = None if groups else _matrix_of(ev, best), [], []
    for g in groups:
        curves = list(g.curves)
        if curves:
            curves[0] = with_marks(ev, bands_in_short(curves[0], ev.level))
        first = costs_chart(ev) or rows_chart(ev) or (curves.pop(0) if curves else None)
        calibrations += [(g.title, c) for c in curves if c.kind == "calibration"]
        curves = [c for c in curves if c.kind != "calibration"]
        rest.append(replace(g, curves=tuple(curves)))
    return first, calibrations, rest


def costs_chart(ev: Evaluation) -> Chart | None:
    """Return the expected cost of each model by threshold; None without costs or scores.

    Campaigns have a budget instead of a threshold, and other uses judge no decisions at costs.
    """
    use = use_of(ev)
    if ev.costs is None or use.profit or use.account is not None:
        return None
    ((_, every),) = _subjects(ev)
    subjects = every[:MOST_LINES]
    return _Charts(ev, subjects, "", len(subjects)).costs() if subjects else None


MOST_ROWS = 50
"""Rows up to which each of them is drawn."""


def rows_chart(ev: Evaluation) -> Chart | None:
    """Return each row of the best model at its score, right or wrong; None for many rows.

    Other uses, and decisions that no threshold made, have their own first chart.
    """
    if not ev.binary or ev.rows > MOST_ROWS or ev.weighted or use_of(ev).first[:1] not in FIRST:
        return None
    best = ev.model(ranking(ev)[1][0])
    model = best.models[0]
    if model.threshold is None or not model.scores:
        return None
    r, cut = model.scores[0]._score_counts, model.threshold
    other = next(c for c in ev.classes if c != ev.positive)
    lanes, table, wrong = [], [], 0
    for label, counts, positive in ((ev.positive, r.pos, True), (other, r.neg, False)):
        dots = [
            (score, (score >= cut) == positive)
            for score, n in zip(r.scores.tolist(), counts.tolist(), strict=True)
            for _ in range(round(n))
        ]
        lanes.append((words.text(str(label)), dots))
        table += [(words.text(str(label)), short(s), "right" if ok else "wrong") for s, ok in dots]
        wrong += sum(not ok for _, ok in dots)
    at = f"{cut:.4g}"
    whose = f"{words.text(best.names[0])}: " if len(ev.names) > 1 else ""
    return Chart(
        f"{ev._noun.many.capitalize()} by score",
        Dots(Axis("score", *threshold_range(r.scores)), lanes, cut),
        Grid(("class", "score", f"at {at}"), table),
        description=f"Each {ev._noun.one} at its score, and whether it is right at {at}.",
        marks=(
            Mark("first", 0, "right"),
            Mark("second", 1, "wrong"),
            Mark("tick", None, f"threshold {at}: positive from here on"),
        ),
        kind="rows",
        heading=f"{whose}{ev.rows - wrong} of {ev.rows} {ev._noun.many} are right at {at}",
    )


FIRST: tuple[tuple[str, ...], ...] = ((), ("roc",))
"""First curves of uses that show few rows instead."""

FMR = {"fmr100": 1e-2, "fmr1000": 1e-3, "fmr10000": 1e-4}
"""The false match rate at which each headline metric gives the false non-match rate."""


def with_marks(ev: Evaluation, c: Chart) -> Chart:
    """Return the first chart with marks where the headline and its metrics are."""
    d = c.drawn
    assert isinstance(d, Drawing)
    styles = {s.name: s.style for s in d.series}
    drawn = {m: styles[words.text(m)] for m in ev.names if words.text(m) in styles}
    values, guides = ev.values(), list(d.guides)
    dots: list[tuple[float, float, int]] = []
    meaning = ""
    if c.kind == "roc" and (moved := at_recommended(ev)) is not None:
        told, at = moved
        (best,) = at.names
        dots = [(1 - at["specificity"].value, at["sensitivity"].value, drawn[best])]
        meaning = f"recommended: {words.text(best)} at {told}"
    elif c.kind == "gain" and "gain_at" in headline(ev):
        share, amount = budget_of(ev)
        dots = [(share, values[m]["gain_at"].value, s) for m, s in drawn.items()]
        guides.append(Guide([share, share], [0.0, 1.0], "fine"))
        meaning = f"the best {amount}, as in the numbers"
    elif c.kind == "det":
        for m, s in drawn.items():
            points = [(values[m]["equal_error_rate"].value,) * 2]
            points += [(x, values[m][n].value) for n, x in FMR.items() if n in headline(ev)]
            dots += [
                (x, y, s) for x, y in points if min(x, y) >= RATES[0] and max(x, y) <= RATES[1]
            ]
        meaning = "in the numbers: the EER, and the FNMR at each FMR on these axes"
    if not dots:
        return c
    style = dots[0][2] if len({style for *_, style in dots}) == 1 else None
    marks = [*c.marks, Mark("first", style, meaning)]
    if c.kind == "roc":
        marks.insert(0, Mark("open", None, f"now, {all_in_force(ev)}"))
    return replace(c, drawn=replace(d, dots=[*d.dots, *dots], guides=guides), marks=marks)


def bands_in_short(c: Chart, level: float) -> Chart:
    """Return a chart of several lines with one legend entry for all bands."""
    bands = [k for k in c.keys if k.kind == "band" and k.style is not None]
    if len(bands) < 2:
        return c
    others = (k for k in c.keys if k not in bands)
    return replace(c, keys=(*others, Key("band", f"{words.percent(level, 0)} confidence bands")))


_BESIDE = sorted(
    {get(c.beside[0]).name for c in CURVES.values() if c.beside[0]}
    | {"roc_auc_optimistic", "roc_auc_pessimistic"}
)
"""The metrics whose values are shown beside curves."""


def _subjects(ev: Evaluation) -> list[tuple[str, list[Subject]]]:
    scored = ev.curves()
    if ev.binary:
        others = next(c for c in ev.classes if c != ev.positive)
        sides = (words.text(str(ev.positive)), words.text(others))
        values = ev.values()
        names = [n for n in ev.names if n in scored]
        if len(names) > MOST_LINES:  # draw the best models
            drawn = [n for n in ranking(ev)[1] if n in scored][:MOST_LINES]
            names.sort(key=lambda n: n not in drawn)
        return [("", [Subject(n, words.text(n), sides, values[n]) for n in names])]
    out = []
    # All models have the order of the best one, so that one control chooses a line of each.
    order = ev.classes
    if len(order) > FEW_LINES:
        order = tuple(worst_first(ev, ranking(ev)[1][0]))
    for model, of_class in ev.per_class(_BESIDE).items():
        keys = {c: f"{model}: {c}" for c in order}
        out.append(
            (
                words.text(model),
                [
                    Subject(key, words.called(c), (words.called(c), "all others"), of_class[c])
                    for c, key in keys.items()
                    if key in scored
                ],
            )
        )
    return out


class _Charts:
    """The charts of a group, which all have the same lines."""

    def __init__(self, ev: Evaluation, subjects: Sequence[Subject], key: str, total: int) -> None:
        self.ev, self.subjects, self.key = ev, subjects, key
        self.picks = not ev.binary and len(subjects) > FEW_LINES
        self.lead = 0 if self.picks else None
        if ev.binary and len(ev.names) > FEW_LINES:
            keys = [s.key for s in subjects]
            self.lead = next((keys.index(n) for n in ranking(ev)[1] if n in keys), None)
        self.few = total <= FEW_LINES
        in_all = POINTS_IN_ALL if self.few else CROWDED_POINTS
        self.points = {
            "first": max(30, in_all // total),
            "more": max(16, MORE_POINTS // max(len(subjects), 1)),
        }
        self.curves = [ev.curves()[s.key] for s in subjects]
        tallies = score_tallies(ev) if ev.binary else {}
        self.counts = [tallies[s.key][1]._score_counts for s in subjects if s.key in tallies]
        self.level = words.percent(ev.level, 0)

    def charts(self, where: str) -> tuple[Chart, ...]:
        """Return one chart for each curve declared for a part of the page."""
        charted = [(c, self.lines(c)) for c in use_of(self.ev).curves() if c.page == where]
        return tuple(self.chart(c, lines) for c, lines in charted if lines)

    def lines(self, c: CurveDefinition) -> list[Line]:
        """Return the lines of a curve, for the subjects that have it."""
        out = []
        # Bounds of single points fit into few charts.
        crowded = c.draw == "points" and c.page != "first" and len(self.subjects) > 1
        for i, (s, of) in enumerate(zip(self.subjects, self.curves, strict=True)):
            curves = tuple(of[n] for n in (c.name, c.pair) if n in of)
            if c.x.scale == "probit":
                curves = tuple(v.at((v.x <= RATES[1]) & (v.y <= RATES[1])) for v in curves)
            if curves:
                curves = tuple(v._unbounded() for v in curves) if crowded else curves
                sides = (c.sides or self.subjects[0].sides) if c.pair else ()
                share = round(float(of["pr"].y[-1]), 12)
                line = Line(s.name, curves, i, sides=sides, share=share, number=s.number(c))
                out.append(line)
        return out

    def chart(
        self, c: CurveDefinition, lines: Sequence[Line], head: str = "", points: int | None = None
    ) -> Chart:
        """Return the chart of some lines of so many points: legend, words, a table of some."""
        first = c.page == "first"
        d = drawing(c, lines, points or self.points[c.page], RATES)
        beneath = [] if head or c.name not in BENEATH else list(BENEATH[c.name](self, lines, d))
        areas = [shape for shape, _ in beneath if isinstance(shape, Area)]
        fine = [shape for shape, _ in beneath if isinstance(shape, Guide)]
        d = replace(d, areas=[*d.areas, *areas], guides=[*d.guides, *fine])
        whose = f" of {', '.join(line.name for line in lines)}" if first else ""
        bars = CLUSTER_BARS if self.ev.clusters else BARS.format(level=self.level)
        return Chart(
            c.title,
            d,
            self.table(c, d, head or ("Class" if self.key or not self.ev.binary else "Model")),
            f"{c.words} {bars}" if c.draw == "points" and first else c.words,
            f"{d.y.label} against {d.x.label}{whose}; the table below holds numbers.",
            max(s.curve.error for s in d.series),
            tuple((line.style, line.name, line.number) for line in lines),
            (*map(Key, _SIDES, lines[0].sides), *dict.fromkeys(key for _, key in beneath)),
            reads=True,
            hinted=len(self.subjects) <= FEW_LINES and not c.x.open,
            counts=self.counts if first else (),
            kind=c.key,
            key=self.key,
            # Charts with two lines per name, or with marked points, have no room for names.
            inline=not (c.pair or d.marked),
            lead=self.lead,
            picks=self.picks,
        )

    def table(self, c: CurveDefinition, d: Drawing, head: str) -> Grid:
        """Return some points of each line."""
        first = c.page == "first"
        cut = not c.x.open and any(s.curve.threshold is not None for s in d.series)
        listed = d.marked and (first or len(self.subjects) == 1)
        listed = listed and all(s.curve.low is not None for s in d.series)
        most = TABLE_ROWS if self.few else TABLE_ROWS // 2 + 1
        most = most if first else most // 2
        heads = (
            head,
            *(["threshold"] if cut else []),
            d.x.label,
            d.y.label,
            *([f"{self.level} interval", "rows"] if listed else []),
        )
        rows = [(s.name, *r) for s in d.series for r in _rows(s.curve, most, cut, listed)]
        return Grid(heads, rows, left=())

    def metrics(self) -> tuple[Chart, ...]:
        """Return the chart of metrics over the threshold: several of one model, or F1 of all."""
        if not self.ev.binary:
            return ()  # decisions on several classes have no single threshold
        one = len(self.subjects) == 1
        metrics = OVER_THRESHOLDS if one else OVER_THRESHOLDS[:1]
        curves = self.ev.curves(*metrics)
        lines = [
            Line(get(n).title if one else s.name, (curves[s.key][n],), i)
            for i, (s, n) in enumerate(product(self.subjects, metrics))
        ]
        c = replace(
            definition(metrics[0]),
            chart="metrics",
            page="more",
            title=METRICS_TITLE,
            words=METRICS_WORDS,
            axis_title="value" if one else "F1",
        )
        return (self.chart(c, lines, "Line"),)

    def costs(self) -> Chart:
        """Return the expected cost of each model by threshold, marked where the best one decides.

        Points at the threshold in force and at the recommended one are exact.
        """
        ev, tallies = self.ev, score_tallies(self.ev)
        assert ev.costs is not None
        row, rows = ev._noun.one, ev._noun.many
        keys = [s.key for s in self.subjects]
        lead = next(keys.index(n) for n in ranking(ev)[1] if n in keys)
        best, now = self.subjects[lead], tallies[keys[lead]][0].threshold
        moved = at_recommended(ev)
        told, to = ("", None) if moved is None else (moved[0], moved[1].models[0].threshold)
        c = definition("expected_cost", **ev.costs)
        missed, alarm = (f"{ev.costs[name]:g}" for name in ("cost_fn", "cost_fp"))
        kind = row_of(ev, ev.positive, "positive")
        c = replace(
            c,
            page="more",
            words=COST_WORDS.format(rows=rows, kind=kind, missed=missed, alarm=alarm),
            y=replace(c.y, limits=from_zero, title=f"expected cost per {row}"),
        )

        def cost(key: str, at: Any) -> Any:
            return c.y.of(tallies[key][1]._score_counts.at(np.asarray(at)), **c.params)

        lines = []
        for i, key in enumerate(keys):
            model, tally = tallies[key]
            v = thinned(tally, model.probabilities, {c.name: c})[c.name]
            v = v.thin(COST_POINTS[i != lead])
            cuts = [t for t in (model.threshold, to if i == lead else None) if t is not None]
            x, first = np.unique(-np.append(v.x, cuts), return_index=True)
            y = np.append(v.y, cost(key, cuts))[first]
            lines.append(Line(self.subjects[i].name, (replace(v, x=-x, y=y, threshold=-x),), i))
        chart = self.chart(c, lines, points=max(len(line.curves[0].x) for line in lines))
        d, marks, says = chart.drawn, list[Mark](), list[str]()
        assert isinstance(d, Drawing)
        constant, way = min(
            (float(cost(best.key, -np.inf)), f"acting on every {row}"),
            (float(cost(best.key, np.inf)), "acting on none"),
        )
        d = replace(d, guides=[Guide([d.x.low, d.x.high], [constant] * 2, "chance")])
        if now is not None:
            here = float(cost(best.key, now))
            d = replace(d, now=(now, here))
            marks.append(Mark("open", None, f"now, {all_in_force(ev)}"))
            says.append(f"{best.name} at {now:.4g}: {number(here)}")
        if to is not None:
            here = float(cost(best.key, to))
            d = replace(d, dots=[(to, here, lead)])
            at = f"{best.name} at {told}"
            marks.append(Mark("first", lead, f"recommended: {at} ({number(here)} on these {rows})"))
            says.append(f"{at}: {number(here)}")
        says.append(f"{way}: {number(constant)}")
        chart = replace(
            chart,
            drawn=d,
            keys=(Key("chance", says[-1]),),
            marks=marks,
            description=f"Expected cost per {row} by threshold. {'; '.join(says)}.",
            lead=lead if len(lines) > 1 else None,
            own=len(lines) <= FEW_LINES,
        )
        return chart if len(lines) <= FEW_LINES else _led_legend(chart)


_SIDES: tuple[Literal["line", "second"], ...] = ("line", "second")

Beneath = Iterator[tuple[Area | Guide | None, Key]]
"""What is drawn under the curves besides the declared references, and its legend."""


def _beneath_roc(of: _Charts, lines: Sequence[Line], d: Drawing) -> Beneath:
    """Yield each model's confidence band; for a single model, also its ties and convex hull."""
    if of.ev.binary and len(lines) <= FEW_LINES:
        for line in lines:
            model = of.subjects[line.style].key
            band = of.ev.model(model).curve("roc", band="vertical").thin(BAND_POINTS)
            name = f" of {line.name}" if len(lines) > 1 else ""
            text = CURVE_KEYS["roc band"].format(level=of.level, name=name)
            yield Area(band, line.style), Key("band", text, line.style)
    if use_of(of.ev).ideal:
        for line in lines:
            yield _to_ideal(of.subjects[line.style]), Key("fine", CURVE_KEYS["roc ideal"])
    if len(lines) != 1:
        return
    curves, values = of.curves[lines[0].style], of.subjects[lines[0].style].values
    hull = curves["roc_hull"]
    yield Guide(hull.x, hull.y), Key("fine", CURVE_KEYS["roc hull"])
    ends = [values.get(f"roc_auc_{side}") for side in ("optimistic", "pessimistic")]
    if all(v is not None for v in ends) and ends[0].value - ends[1].value > TIED:  # type: ignore[union-attr]
        upper, lower = (curves[f"roc_{side}"].thin(60) for side in ("optimistic", "pessimistic"))
        x = np.unique(np.concatenate([upper.x, lower.x]))
        low, high = np.interp(x, lower.x, lower.y), np.interp(x, upper.x, upper.y)
        ties = Curve("roc_ties", upper.x_metric, upper.y_metric, x, high, low=low, high=high)
        yield Area(ties), Key("band", CURVE_KEYS["roc ties"])


def _to_ideal(s: Subject) -> Guide:
    """Return the line from the ideal point to a model's decisions."""
    pf, pd = (s.values[n].value for n in ("false_positive_rate", "sensitivity"))
    return Guide([0.0, pf], [1.0, pd])


def _beneath_pr(of: _Charts, lines: Sequence[Line], d: Drawing) -> Beneath:
    yield None, Key("fine", CURVE_KEYS["pr iso-F"])
    if any(g.kind == "chance" and g.style is None for g in d.guides):
        yield None, Key("chance", CURVE_KEYS["pr baseline"])


def _beneath_calibration(of: _Charts, lines: Sequence[Line], d: Drawing) -> Beneath:
    """Yield the isotonic fit of a single line, with its consistency band."""
    isotonic = of.curves[lines[0].style].get("calibration_isotonic")
    if len(lines) == 1 and isotonic is not None:
        isotonic = isotonic.thin(60)
        yield Guide(isotonic.x, isotonic.y), Key("fine", CURVE_KEYS["calibration fit"])
        if not of.ev.clusters:
            text = CURVE_KEYS["calibration band"].format(level=of.level)
            yield Area(isotonic), Key("band", text)


BENEATH = {"roc": _beneath_roc, "pr": _beneath_pr, "calibration": _beneath_calibration}
"""The charts with more under their curves than declared lines."""


def _rows(v: Curve, most: int, cut: bool, bounded: bool) -> Iterator[list[str]]:
    """Yield some of the points as rows of the table below a chart."""
    points = np.flatnonzero(np.isfinite(v.x) & np.isfinite(v.y))
    if not bounded and len(points):
        points = points[np.unique(np.linspace(0, len(points) - 1, most).round().astype(int))]
    columns = [each(short if v.step == "post" else number, v.x[points]), each(number, v.y[points])]
    if v.threshold is not None and cut:
        columns.insert(0, each(short, v.threshold[points]))
    if bounded and v.low is not None and v.high is not None:
        ends = zip(v.y[points], v.low[points], v.high[points], strict=True)
        rounded = [words.to_width(float(y), float(low), float(high)) for y, low, high in ends]
        columns[-1] = [y for y, *_ in rounded]
        columns.append([words.between(float(v.low[i]), float(v.high[i])) for i in points])
        columns.append([""] * len(points) if v.counts is None else each(count, v.counts[points]))
    yield from map(list, zip(*columns, strict=True))


def _distribution(s: Subject, h: Histogram, style: int, key: int) -> Chart:
    filled = np.flatnonzero((h.pos != 0) | (h.neg != 0))
    ends = (each(short, h.edges[filled]), each(short, h.edges[filled + 1]))
    rows = list(zip(*ends, each(count, h.pos[filled]), each(count, h.neg[filled]), strict=True))
    return Chart(
        f"{SCORES_TITLE}: {s.name}",
        Distributions([distribution(s.name, h, style=style)], s.sides),
        Grid(("from", "to", *s.sides), rows, left=()),
        description=f"Scores of {s.sides[0]} upward, of {s.sides[1]} downward.",
        kind="scores",
        key=str(key),
        called=f"{SCORES_TITLE} of {s.name}",
    )


# -- calibration --------------------------------------------------------------------------------


def calibrated(ev: Evaluation, model: str) -> str:
    """Return a model's expected and observed positives, and what the calibration chart shows."""
    values = ev.values()[model]
    v, read = values.get("observed_expected_ratio"), CALIBRATION_WORDS
    if v is None or v.reason or not v.value:
        return read
    counts = ev.model(model).models[0].labels.binary(ev.positive)
    happened = float(counts.positives / counts.total)
    bounds = f", {words.percent(ev.level, 0)} CI {words.interval(v)}" if words.interval(v) else ""
    rows = rows_of(ev, ev.positive, "positive")
    promised, were = words.percent(happened / v.value), words.percent(happened)
    return (
        f"The mean probability that {words.text(model)} gives is {promised}, and {were} are {rows} "
        f"(observed to expected {words.value(v)}{bounds}). {read}"
    )


CALIBRATION_WORDS = (
    "Where the points lie on the diagonal, rows with a score of 0.3 are positive 30 % of the time."
)

CALIBRATION = (
    "observed_expected_ratio",
    "calibration_slope",
    "expected_calibration_error",
    "brier",
)
"""Calibration metrics: level, slope, calibration error and loss of the probabilities."""


def calibration_table(ev: Evaluation) -> Grid:
    """Return one row per model: the calibration of its probabilities in level, slope and error."""
    of_models = {
        words.text(model): [Shown(values.get(n), f"models.{i}.values.{n}") for n in CALIBRATION]
        for i, (model, values) in enumerate(ev.values().items())
        if CALIBRATION[0] in values
    }
    cells = value_cells(list(of_models.values()), brief=True)
    rows: list[Row] = [(name, *row) for name, row in zip(of_models, cells, strict=True)]
    heads = ("Model", *(get(n).title for n in CALIBRATION))
    caption = "1 is right for the first two, 0 for the others."
    return Grid(heads, rows, caption, look="parts")
