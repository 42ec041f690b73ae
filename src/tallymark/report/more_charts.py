"""The charts beyond ROC, precision-recall and calibration: one function each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tallymark.curve import Curve
from tallymark.metric import get
from tallymark.metric.association import probit
from tallymark.report import svg, words
from tallymark.report.charts import Chart, Line
from tallymark.report.evaluation import Evaluation
from tallymark.report.svg import Axis, Series

POINTS = 108
"""Points of all lines of a chart."""

FEW_LINES = 3
"""With more lines than this points have no threshold to tell, and tables fewer rows."""

RATES = (0.001, 0.01, 0.05, 0.2, 0.4)
WORST = 0.6
"""Ticks of the normal-deviate axes, and the error rate at which they end."""

OVER_THRESHOLDS = ("f1", "matthews_corrcoef", "accuracy", "youden_j")


class _Drawing:
    """The curves of a group's lines, and how their charts are put together."""

    def __init__(self, ev: Evaluation, lines: Sequence[Line], key: str) -> None:
        self.ev = ev
        self.lines = lines
        self.key = key
        self.curves = [ev.curves()[line.key] for line in lines]
        self.points = max(16, POINTS // max(len(lines), 1))

    def curve(self, i: int, name: str) -> Curve:
        """Return a curve of the i-th line, thinned."""
        return self.curves[i][name].thin(self.points)

    def series(self, name: str, **options: Any) -> list[Series]:
        """Return one line a model of a curve."""
        out = []
        for i, line in enumerate(self.lines):
            c = self.curve(i, name)
            hints = c.threshold if len(self.lines) <= FEW_LINES else None
            out.append(Series(line.name, i, c.x, c.y, hints=hints, **options))
        return out

    def chart(
        self,
        kind: str,
        axes: tuple[Axis, Axis],
        series: Sequence[Series],
        told: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
        **options: Any,
    ) -> Chart:
        """Return a drawn chart: its legend, its words, and a table of some of its points."""
        title = words.CURVE_TITLES[kind]
        labels = [a.label for a in axes]
        drawn = svg.lines(
            kind,
            title,
            f"{labels[1]} against {labels[0]}; the table below holds numbers.",
            *axes,
            series,
            key=self.key,
            **options,
        )
        most = 5 if len(self.lines) <= FEW_LINES else 3
        rows = [row for s in series for row in _rows(s, most)]
        named = list(names or [line.name for line in self.lines])
        beside = list(told or [""] * len(named))
        legend = tuple(
            (i % svg.SERIES, n, b) for i, (n, b) in enumerate(zip(named, beside, strict=True))
        )
        return Chart(title, drawn, legend, ("Line", *labels), tuple(rows), words.CURVE_WORDS[kind])

    def numbers(self, metric: str, called: str) -> list[str]:
        """Return a metric of each line for its legend."""
        values = [line.values.get(metric) for line in self.lines]
        return [f"{called} {words.number(v.value)}" if v and not v.reason else "" for v in values]

    def scores(self) -> tuple[float, float]:
        """Return the range of the scores of all lines."""
        ends = [c["ks_positive"].x for c in self.curves]
        low, high = min(float(x[0]) for x in ends), max(float(x[-1]) for x in ends)
        return (low, high) if low < high else (low - 0.5, high + 0.5)

    def prevalence(self) -> float | None:
        """Return the share of positives, where all lines have the same."""
        shares = {round(float(c["pr"].y[-1]), 12) for c in self.curves}
        return shares.pop() if len(shares) == 1 else None


def _rows(s: Series, most: int) -> list[tuple[str, ...]]:
    x, y = s.told or (s.x, s.y)
    x, y = (np.asarray(v, dtype=float) for v in (x, y))
    there = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if not len(there):
        return []
    index = there[np.unique(np.linspace(0, len(there) - 1, most).round().astype(int))]
    return [(s.name, svg.short(float(x[i])), words.number(float(y[i]))) for i in index]


def _det(d: _Drawing) -> Chart:
    least, most = float(probit(RATES[0])), float(probit(WORST))
    ticks = tuple((float(probit(r)), f"{100 * r:g}") for r in RATES)
    series = []
    for i, line in enumerate(d.lines):
        c = d.curves[i]["det"]
        shown = (c.x <= WORST) & (c.y <= WORST)
        c = Curve(c.name, c.x_metric, c.y_metric, c.x[shown], c.y[shown], _kept(c.threshold, shown))
        c = c.thin(d.points) if len(c) > d.points else c
        x, y = (probit(np.clip(v, RATES[0], WORST)) for v in (c.x, c.y))
        hints = c.threshold if len(d.lines) <= FEW_LINES else None
        series.append(Series(line.name, i, x, y, hints=hints, told=(c.x, c.y)))
    axes = tuple(Axis(f"{words.AXES[n]}, %", least, most, ticks)
                 for n in ("false_positive_rate", "false_negative_rate"))  # fmt: skip
    reach = probit(np.array([1 - WORST, 0.5, WORST]))
    return d.chart("det", axes, series, d.numbers("equal_error_rate", "EER"),  # type: ignore[arg-type]
                   guides=[(reach, reach[::-1])])  # fmt: skip


def _kept(values: Any, shown: Any) -> Any:
    return None if values is None else values[shown]


def _error_rates(d: _Drawing) -> Chart:
    low, high = d.scores()
    both = []
    dots = []
    for i, line in enumerate(d.lines):
        far, frr = d.curves[i]["far"], d.curves[i]["frr"]
        for name, c in (("false accepts", far), ("false rejects", frr)):
            thin = c.thin(d.points)
            both.append(Series(f"{line.name}, {name}", i, thin.x, thin.y))
        eer = line.values.get("equal_error_rate")
        if eer and not eer.reason:
            gap = np.where(np.isfinite(far.x), np.abs(far.y - eer.value), np.inf)
            dots.append((float(far.x[int(np.argmin(gap))]), eer.value, i))
    axes = (Axis("threshold", low, high), Axis("share of the class"))
    return d.chart("error_rates", axes, both, d.numbers("equal_error_rate", "EER"), dots=dots)


def _gain(d: _Drawing) -> Chart:
    share = d.prevalence()
    faint = [] if share is None else [([0, share, 1], [0, 1, 1])]
    axes = (Axis("share of the rows chosen"), Axis(words.AXES["sensitivity"]))
    told = d.numbers("gain_at", "top tenth")
    return d.chart("gain", axes, d.series("gain"), told, guides=[([0, 1], [0, 1])], faint=faint)


def _lift(d: _Drawing) -> Chart:
    highest = max(float(c["lift"].y.max(initial=1.0)) for c in d.curves)
    axes = (Axis("share of the rows chosen"), Axis("lift", 0.0, 1.1 * highest))
    told = d.numbers("top_decile_lift", "top tenth")
    return d.chart("lift", axes, d.series("lift"), told, guides=[([0, 1], [1, 1])])


def _deciles(d: _Drawing) -> Chart:
    series = []
    for i, line in enumerate(d.lines):
        c = d.curves[i]["deciles"]
        low, high = (c.low, c.high) if len(d.lines) == 1 else (None, None)
        series.append(Series(line.name, i, c.x, c.y, low=low, high=high))
    share = d.prevalence()
    guides = [] if share is None else [([0, 1], [share, share])]
    axes = (Axis("tenth of the rows, from the highest scores"), Axis("share positive"))
    return d.chart("deciles", axes, series, guides=guides, marked=True)


def _ks(d: _Drawing) -> Chart:
    low, high = d.scores()
    both, faint = [], []
    for i, line in enumerate(d.lines):
        pos, neg = d.curves[i]["ks_positive"], d.curves[i]["ks_negative"]
        for name, c in ((line.sides[1], neg), (line.sides[0], pos)):
            thin = c.thin(d.points)
            both.append(Series(f"{line.name}, {name}", i, thin.x, thin.y))
        beside = np.append(0.0, neg.y)[np.searchsorted(neg.x, pos.x, side="right")]
        at = int(np.argmax(np.abs(pos.y - beside)))
        faint.append(([pos.x[at]] * 2, [pos.y[at], beside[at]]))
    axes = (Axis("score", low, high), Axis("share at or below"))
    told = d.numbers("kolmogorov_smirnov", "KS")
    return d.chart("ks", axes, both, told, faint=faint)


def _cost(d: _Drawing) -> Chart:
    axes = (Axis("probability cost of the positives"), Axis("normalised expected cost", 0.0, 0.5))
    return d.chart("cost", axes, d.series("cost"), guides=[([0, 0.5, 1], [0, 0.5, 0])])


def _decision(d: _Drawing) -> Chart:
    share = max(float(c["pr"].y[-1]) for c in d.curves)
    least = -0.15 * share
    series = []
    for s in d.series("decision"):
        y = np.where(np.asarray(s.y) >= least, s.y, np.nan)
        series.append(Series(s.name, s.style, s.x, y))
    guides: list[Any] = [([0, 1], [0, 0])]
    if d.prevalence() is not None:
        everyone = d.curves[0]["decision_all"]
        above = everyone.y >= least
        guides.append((everyone.x[above], everyone.y[above]))
    axes = (Axis("threshold probability"), Axis("net benefit", least, max(1.05 * share, 0.01)))
    return d.chart("decision", axes, series, guides=guides)


def _kappa(d: _Drawing) -> Chart:
    lowest = min(0.0, *(float(np.nanmin(c["kappa"].y)) for c in d.curves))
    axes = (Axis(words.AXES["false_positive_rate"]), Axis("Cohen's kappa", lowest, 1.0))
    return d.chart(
        "kappa", axes, d.series("kappa"), d.numbers("auk", "area"), guides=[([0, 1], [0, 0])]
    )


def _metrics(d: _Drawing) -> Chart:
    """Draw several metrics of one model against the threshold, or F1 of several."""
    low, high = d.scores()
    sweeps = [d.ev.sweep()[line.key] for line in d.lines]
    if len(d.lines) == 1:
        wanted = [(get(n).title, 0, n) for n in OVER_THRESHOLDS]
    else:
        wanted = [(line.name, i, "f1") for i, line in enumerate(d.lines)]
    series = []
    for style, (name, i, metric) in enumerate(wanted):
        thin = slice(None, None, max(1, len(sweeps[i].threshold) // d.points + 1))
        series.append(
            Series(name, style, sweeps[i].threshold[thin], sweeps[i].metrics[metric][0][thin])
        )
    least = min(0.0, *(float(np.nanmin(s.y, initial=0.0)) for s in series))
    axes = (Axis("threshold", low, high), Axis("value" if len(d.lines) == 1 else "F1", least, 1.0))
    return d.chart("metrics", axes, series, names=[name for name, _, _ in wanted])


CHARTS: Mapping[str, Callable[[_Drawing], Chart]] = {
    "det": _det,
    "error_rates": _error_rates,
    "metrics": _metrics,
    "gain": _gain,
    "lift": _lift,
    "deciles": _deciles,
    "ks": _ks,
    "cost": _cost,
    "kappa": _kappa,
    "decision": _decision,
}
"""The further charts, in the order of the page."""


def further(ev: Evaluation, lines: Sequence[Line], key: str) -> tuple[Chart, ...]:
    """Return all further charts of some lines."""
    if not lines:
        return ()
    d = _Drawing(ev, lines, key)
    there = dict(CHARTS)
    if not ev.binary:
        del there["metrics"]  # its values are those of the slider, which two classes have
    if any("decision" not in c for c in d.curves):
        del there["decision"]
    return tuple(make(d) for make in there.values())
