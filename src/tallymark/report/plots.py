"""Plots of finished results on matplotlib axes: ``tallymark.plot.roc(ev)``.

What is drawn is an :class:`~tallymark.Evaluation` (a line for every model, or for every class
where there are more than two), a :class:`~tallymark.curve.Curve`, or a dictionary of curves by
name. Every function draws on the axes given, or makes a figure, and returns the axes; nothing is
shown, and no global setting is touched. Curves are joined as they are declared, by lines or in
steps, and have their bounds shaded; ``band`` asks for those of an Evaluation's curves, such as
"pointwise" or "simultaneous".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.curve import CURVES, Curve, CurveDefinition, definition
from tallymark.curve import histogram as distribution
from tallymark.curve.declarations import ISO_F, equal_f
from tallymark.curve.registry import unit
from tallymark.infer.sweep import SWEPT
from tallymark.metric import Metric, get
from tallymark.report import words
from tallymark.report.charts import threshold_range
from tallymark.report.counted import confusion, critical_difference, forest, prevalence, scores
from tallymark.report.drawing import (
    CHANCE,
    DECIDED,
    GREY,
    SQUARE,
    WIDE,
    WIDER,
    Line,
    axes,
    below,
    crowded,
    curve_line,
    curve_lines,
    decided_at,
    legend,
    lines_of,
    mark,
    one_share,
    probit_axes,
    reference,
    shade,
    style,
    taken,
    told,
    unit_square,
)  # fmt: skip
from tallymark.report.evaluation import Evaluation

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = [
    "calibration", "confusion", "cost", "critical_difference", "curve", "deciles", "decision",
    "det", "error_rates", "forest", "gain", "kappa", "ks", "lift", "metric", "pr", "pr_gain",
    "prevalence", "roc", "scores",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__


# -- any curve ---------------------------------------------------------------------------------


def curve(
    what: Any,
    name: str,
    *,
    ax: Axes | None = None,
    threshold: float | bool = True,
    band: str | None = None,
    **params: Any,
) -> Axes:
    """Draw any curve by its name, as it is declared, with the lines to read it against.

    Parameters
    ----------
    what : Evaluation, Curve or {name: Curve}
        What to draw.
    name : str
        A name of :data:`tallymark.curve.CURVES`.
    ax : Axes, optional
        Where; a new figure otherwise.
    threshold : float or bool
        Which decisions to mark: those made, none, or those at another threshold.
    band : {"pointwise", "vertical", "simultaneous", "calibrated"}, optional
        Shade how sure the curve is: see :func:`tallymark.infer.bands.banded`.
    params
        Those of the curve's function, such as ``points``.

    Examples
    --------
    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score={"net": [0.1, 0.9, 0.4, 0.3]})
    >>> curve(ev, "far", ax=Figure().subplots()).get_ylabel()
    'false positive rate'

    """
    return _draw(what, definition(name), ax, threshold, band, params)


def _draw(
    what: Any,
    c: CurveDefinition,
    ax: Axes | None,
    threshold: float | bool = False,
    band: str | None = None,
    params: Mapping[str, Any] | None = None,
) -> Axes:
    lines = lines_of(what, c.name, band, **(params or {}))
    others = lines_of(what, c.pair, band, **(params or {})) if c.pair else []
    ends = threshold_range([line.curve for line in lines]) if c.x.open else None
    square = c.x.scale == "probit" or (ends is None and c.x.limits is c.y.limits is unit)
    size = WIDER if c.pair else SQUARE if square else WIDE
    if not c.pair and crowded([line.label for line in lines] + 3 * [CHANCE]):
        size = size[0] + 4.0, size[1]  # for the legend beside them
    ax = axes(ax, size, c.x.title, c.axis_title or c.y.title)
    first = taken(ax)
    if c.x.scale == "probit":
        probit_axes(ax, *(np.concatenate([getattr(v.curve, n) for v in lines]) for n in "xy"))
        lines = [_without_ends(line) for line in lines]
    marked = DECIDED if curve_lines(ax, lines, threshold, ends) else ""
    for i, (line, other) in enumerate(zip(lines, others, strict=False), first):
        drawn = other.drawn(ends)
        shade(ax, i, other, ends)
        ax.plot(drawn.x, drawn.y, **{**style(i), "linestyle": "--", "linewidth": 1.2},
                drawstyle=f"steps-{drawn.step}")  # fmt: skip
        place = c.highlight(line.curve, other.curve) if c.highlight else None
        if place is not None and c.dot:
            marked = c.dot
            mark(ax, i, float(place[0][0]), float(place[1][0]))
        elif place is not None:
            ax.plot(*place, color=style(i)["color"], marker="_", linewidth=2.5, alpha=0.6)
    if ends is not None:
        decided_at(ax, first, lines, threshold)
    for dash, side in zip(("-", "--"), c.sides or ("positives", "the others"), strict=True):
        if c.pair:
            reference(ax, [], [], side, dash)
    _references(ax, c, lines, first)
    _limits(ax, c, lines, ends, square)
    legend(ax, "beside" if c.pair else "best", marked or None)
    return ax


def _references(ax: Axes, c: CurveDefinition, lines: Sequence[Line], first: int) -> None:
    """Draw the lines that a curve is read against; where classes differ, one for each."""
    share = one_share(lines)
    for r in c.references:
        if r.of_share and share is None:
            for i, line in enumerate(lines if r.dash == "--" else (), first):
                if line.share is not None:
                    ax.plot(*r.points(line.share), color=style(i)["color"], linestyle="--",
                            linewidth=0.8, alpha=0.7)  # fmt: skip
            continue
        x, y = r.points(0.5 if share is None else share)
        level = r.of_share and len(set(np.asarray(y).tolist())) == 1
        label = f"{r.label} {words.number(float(y[0]))}" if level else r.label
        reference(ax, x, y, None if r.fine else label, r.dash)
        if r.fine and c.x.limits is unit and c.x.scale == "linear":
            ax.annotate(
                r.label, (1, y[-1]), (3, 0), textcoords="offset points", fontsize="x-small",
                color=GREY, va="center", annotation_clip=False,
            )  # fmt: skip


def _limits(ax: Axes, c: CurveDefinition, lines: Sequence[Line], ends: Any, square: bool) -> None:
    if c.x.scale == "probit":
        return
    if square:
        unit_square(ax)
        return
    if ends is not None:
        beyond = 0.02 * (ends[1] - ends[0])
        ax.set_xlim(ends[0] - beyond, ends[1] + beyond)
    elif c.x.limits is unit:
        ax.set_xlim(-0.02, 1.02)
    if c.y.limits is unit:
        ax.set_ylim(-0.02, 1.02)
    elif ends is None:
        y = np.concatenate([line.curve.y for line in lines])
        y = y[np.isfinite(y)]
        low, high = c.y.limits(float(y.min(initial=0)), float(y.max(initial=0)))
        ax.set_ylim(low - 0.02 * (high - low) * (low < 0), high + 0.02 * (high - low))


def _without_ends(line: Line) -> Line:
    """Leave out calling all or no rows positive: lines from there would be of no meaning."""
    c = line.curve
    inside = np.isin(c.x, (0, 1), invert=True) | np.isin(c.y, (0, 1), invert=True)
    x, y = (np.where(inside, v, np.nan) for v in (c.x, c.y))
    return replace(line, curve=replace(c, x=x, y=y))


# -- how well positives are told from negatives ------------------------------------------------


def roc(
    what: Any,
    *,
    ax: Axes | None = None,
    threshold: float | bool = True,
    hull: bool = False,
    ties: bool = False,
    band: str | None = None,
) -> Axes:
    """Draw ROC curves: sensitivity against the false positive rate, and the diagonal of guessing.

    Parameters
    ----------
    what : Evaluation, Curve or {name: Curve}
        What to draw.
    ax : Axes, optional
        Where; a new figure otherwise.
    threshold : float or bool
        Which decisions to mark: those made, none, or those at another threshold.
    hull : bool
        Add the convex hull, dotted.
    ties : bool
        Shade what tied scores leave open, from the pessimistic to the optimistic curve.
    band : {"pointwise", "vertical", "simultaneous", "calibrated"}, optional
        Shade how sure the curve is: see :func:`tallymark.infer.bands.banded`.

    Examples
    --------
    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score={"net": [0.1, 0.9, 0.4, 0.3]})
    >>> ax = roc(ev, ax=Figure().subplots())
    >>> ax.get_lines()[0].get_ydata().tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]

    """
    hulls = lines_of(what, "roc_hull") if hull else []
    upper = lines_of(what, "roc_optimistic") if ties else []
    lower = lines_of(what, "roc_pessimistic") if ties else []
    first = 0 if ax is None else taken(ax)
    ax = _draw(what, CURVES["roc"], ax, threshold, band)
    for i, line in enumerate(hulls, first):
        c = line.drawn()
        ax.plot(c.x, c.y, color=style(i)["color"], linestyle=":", linewidth=1.2)
    for i, (high, low) in enumerate(zip(upper, lower, strict=True), first):
        a, b = high.drawn(), low.drawn()
        x, y = np.append(a.x, b.x[::-1]), np.append(a.y, b.y[::-1])
        ax.fill(x, y, color=style(i)["color"], alpha=0.15, linewidth=0)
    return ax


def pr(
    what: Any,
    *,
    ax: Axes | None = None,
    threshold: float | bool = True,
    iso_f: Sequence[float] = ISO_F,
    band: str | None = None,
) -> Axes:
    """Draw precision-recall curves over lines of equal F1, with what guessing achieves.

    Precision is drawn in steps, as average precision adds it up. Guessing achieves the share of
    positives, each class its own.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score={"net": [0.1, 0.9, 0.4, 0.3]})
    >>> pr(ev, ax=Figure().subplots()).get_ylabel()
    'precision'
    """
    declared = CURVES["pr"]
    chance = (r for r in declared.references if not r.fine)
    lines = (*chance, *map(equal_f, iso_f))
    return _draw(what, replace(declared, references=lines), ax, threshold, band)


def pr_gain(
    what: Any, *, ax: Axes | None = None, threshold: float | bool = True, band: str | None = None
) -> Axes:
    """Draw precision-recall-gain curves; on the falling diagonal, F1 is that of always positive.

    >>> from matplotlib.figure import Figure
    >>> c = Curve("pr_gain", "recall gain", "precision gain", np.eye(2)[1], np.eye(2)[0])
    >>> pr_gain({"net": c}, ax=Figure().subplots()).get_xlabel()
    'recall gain'
    """
    return _draw(what, CURVES["pr_gain"], ax, threshold, band)


def det(
    what: Any, *, ax: Axes | None = None, threshold: float | bool = True, band: str | None = None
) -> Axes:
    """Draw detection error tradeoffs: both error rates, on axes of normal deviates.

    Scores that are normal in each class give a straight line. Rates of 0 and 1 lie outside.

    >>> from matplotlib.figure import Figure
    >>> x = np.array([0.01, 0.2, 0.5])
    >>> c = Curve("det", "false_positive_rate", "false_negative_rate", x, x[::-1])
    >>> ax = det({"net": c}, ax=Figure().subplots())
    >>> [t.get_text() for t in ax.get_xticklabels()][:3]
    ['1 %', '5 %', '20 %']
    """
    return _draw(what, CURVES["det"], ax, threshold, band)


def error_rates(
    what: Any, *, ax: Axes | None = None, threshold: float | bool = True, band: str | None = None
) -> Axes:
    """Draw both error rates against the threshold, and mark where they are equal.

    ``what`` is an Evaluation, or {name: {"far": Curve, "frr": Curve}} as in ``ev.curves()``.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score={"net": [0.1, 0.9, 0.4, 0.3]})
    >>> error_rates(ev, ax=Figure().subplots()).get_ylabel()
    'error rate'
    """
    return _draw(what, CURVES["frr"], ax, threshold, band)


def ks(what: Any, *, ax: Axes | None = None, band: str | None = None) -> Axes:
    """Draw how both classes' scores add up, and the widest gap between them.

    ``what`` is an Evaluation, or {name: {"ks_positive": Curve, "ks_negative": Curve}} as in
    ``ev.curves()``. The length of the upright line is the Kolmogorov-Smirnov distance.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score={"net": [0.1, 0.9, 0.4, 0.3]})
    >>> ks(ev, ax=Figure().subplots()).get_ylabel()
    'share of the class at or below'
    """
    return _draw(what, CURVES["ks_positive"], ax, False, band)


# -- what is gained by looking at the highest scores only --------------------------------------


def gain(
    what: Any, *, ax: Axes | None = None, threshold: float | bool = True, band: str | None = None
) -> Axes:
    """Draw cumulative gains: the share of positives found against the share of rows called.

    >>> from matplotlib.figure import Figure
    >>> half = np.array([0.0, 0.5, 1.0])
    >>> c = Curve("gain", "predicted_positive_rate", "sensitivity", half, np.sqrt(half))
    >>> gain(c, ax=Figure().subplots()).get_xlabel()
    'share of rows called positive'
    """
    return _draw(what, CURVES["gain"], ax, threshold, band)


def lift(
    what: Any, *, ax: Axes | None = None, threshold: float | bool = True, band: str | None = None
) -> Axes:
    """Draw how many times more positives than by chance there are among the rows called.

    >>> from matplotlib.figure import Figure
    >>> c = Curve("lift", "predicted_positive_rate", "lift", np.array([0.1, 1]), np.array([3.0, 1]))
    >>> lift(c, ax=Figure().subplots()).get_ylabel()
    'lift'
    """
    return _draw(what, CURVES["lift"], ax, threshold, band)


def deciles(what: Any, *, ax: Axes | None = None, **params: Any) -> Axes:
    """Draw the share of positives in each tenth of the rows, highest scores first, as bars.

    Lines show the share among all rows down to there, where the curve says how many there are.
    ``params`` are those of the curve's maker, such as ``parts``.

    >>> from matplotlib.figure import Figure
    >>> n = np.arange(1.0, 11)
    >>> c = Curve("deciles", "tenth", "response rate", n / 10, 1 / n, counts=np.full(10, 50.0))
    >>> len(deciles({"net": c}, ax=Figure().subplots()).patches)
    10
    """
    lines = lines_of(what, "deciles", None, **params)
    ax = axes(ax, WIDE, "tenth of the rows, highest scores first", "share of positives")
    width = 0.8 / len(lines)
    for i, line in enumerate(lines):
        c = line.curve
        place = np.arange(1, len(c) + 1)
        offset = (i - (len(lines) - 1) / 2) * width
        color = style(i)["color"]
        ax.bar(place + offset, c.y, width * 0.92, color=color, alpha=0.55, label=line.label)
        if c.low is not None and c.high is not None:
            ax.vlines(place + offset, c.low, c.high, color=color, linewidth=1)
        if c.counts is not None:
            rows, hits = np.cumsum(c.counts), np.cumsum(c.counts * np.nan_to_num(c.y))
            curve_line(ax, i, place, hits / rows, "", marker=".")
            if i == 0:
                share = float(hits[-1] / rows[-1])
                reference(ax, [0.5, len(c) + 0.5], [share] * 2, "all rows")
    reference(ax, [], [], "down to there", "-")
    most = max(len(line.curve) for line in lines)
    ax.set(xticks=range(1, most + 1), ylim=(0, None))
    ax.grid(False, axis="x")
    legend(ax, "best")
    return ax


# -- whether probabilities can be believed, and what decisions cost ----------------------------


def calibration(
    what: Any,
    *,
    ax: Axes | None = None,
    isotonic: bool = False,
    histogram: bool = True,
    **params: Any,
) -> Axes:
    """Draw how often what was given a probability came true, with bounds, and the diagonal.

    Parameters
    ----------
    what : Evaluation, Curve or {name: Curve}
        What to draw.
    ax : Axes, optional
        Where; a new figure otherwise.
    isotonic : bool
        Draw probabilities as isotonic regression mends them, instead of bins.
    histogram : bool
        Show below how the probabilities are spread, where an Evaluation tells.
    params
        Those of the curve's maker, such as ``bins``, ``strategy`` and ``bounds``.

    Examples
    --------
    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score={"net": [0.1, 0.9, 0.4, 0.3]})
    >>> calibration(ev, ax=Figure().subplots()).get_ylabel()
    'share truly positive'

    """
    c = CURVES["calibration_isotonic" if isotonic else "calibration"]
    lines = lines_of(what, c.name, None, **params)
    ax = axes(ax, (SQUARE[0], SQUARE[1] * 1.15), c.x.title, c.y.title)
    first = taken(ax)
    for i, line in enumerate(lines, first):
        v = line.curve
        options = {} if isotonic else {"marker": "o", "markersize": 4}
        if isotonic:
            shade(ax, i, line)
        elif v.low is not None and v.high is not None:
            ax.vlines(v.x, v.low, v.high, color=style(i)["color"], alpha=0.5, linewidth=1.2)
        curve_line(ax, i, v.x, v.y, line.label, **options)
    _references(ax, CURVES["calibration"], lines, first)
    unit_square(ax)
    legend(ax, "best")
    tallies = [(i, line.tally) for i, line in enumerate(lines, first) if line.tally is not None]
    if histogram and tallies:
        lower = below(ax)
        for i, tally in tallies:
            h, one = distribution(tally), len(tallies) == 1
            lower.stairs(h.pos + h.neg, h.edges, color=style(i)["color"], fill=one,
                         alpha=0.6 if one else 1)  # fmt: skip
        lower.set_ylabel("rows")
    return ax


def cost(what: Any, *, ax: Axes | None = None, band: str | None = None) -> Axes:
    """Draw cost curves: the expected cost of the best threshold for every operating condition.

    Grey lines are what always saying positive, or never, would cost (Drummond & Holte 2006).

    >>> from matplotlib.figure import Figure
    >>> x = np.array([0.0, 0.5, 1.0])
    >>> c = Curve("cost", "probability cost", "normalized_expected_cost", x, x * (1 - x))
    >>> cost({"net": c}, ax=Figure().subplots()).get_xlabel()
    'probability cost of positives'
    """
    return _draw(what, CURVES["cost"], ax, False, band)


def decision(what: Any, *, ax: Axes | None = None, band: str | None = None, **params: Any) -> Axes:
    """Draw decision curves: net benefit against the probability at which one would act.

    Beside them stand acting on none and, of an Evaluation or of ``ev.curves()``, acting on all.
    ``params`` are those of the curve's maker, such as ``points``.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score={"net": [0.1, 0.9, 0.4, 0.3]})
    >>> [line.get_label() for line in decision(ev, ax=Figure().subplots()).get_lines()]
    ['net', 'act on all', 'act on none']
    """
    return _draw(what, CURVES["decision"], ax, False, band, params)


# -- a metric over thresholds or models --------------------------------------------------------


def kappa(
    what: Any, *, ax: Axes | None = None, threshold: float | bool = True, band: str | None = None
) -> Axes:
    """Draw Cohen's kappa against the false positive rate, or whatever the curve is over.

    >>> from matplotlib.figure import Figure
    >>> x = np.array([0.0, 0.5, 1.0])
    >>> c = Curve("kappa", "false_positive_rate", "cohen_kappa", x, x * (1 - x))
    >>> kappa({"net": c}, ax=Figure().subplots()).get_ylabel()
    "Cohen's kappa"
    """
    return _draw(what, CURVES["kappa"], ax, threshold, band)


def metric(
    what: Any,
    name: str | Metric,
    *,
    ax: Axes | None = None,
    threshold: float | bool = True,
    band: str | None = None,
    **params: Any,
) -> Axes:
    """Draw a metric of the decisions against the threshold, with bounds where they are known.

    Those a slider moves have bounds at some thresholds; ``band="pointwise"`` gives any its own.
    ``params`` are the metric's own, such as ``beta``. The value at the threshold in use stands in
    the legend.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score={"net": [0.1, 0.9, 0.4, 0.3]})
    >>> metric(ev, "jaccard", ax=Figure().subplots()).get_ylabel()
    'Jaccard index'
    """
    c = definition(get(name), **params)
    lines = lines_of(what, get(name), band, **params)
    if isinstance(what, Evaluation) and what.binary:
        lines = [_bounded(what, line, c) for line in lines]
    ends = threshold_range([line.curve for line in lines])
    ax = axes(ax, WIDE, c.x.title, c.y.title)
    first = taken(ax)
    curve_lines(ax, lines, ends=ends)
    _references(ax, c, lines, first)
    decided_at(ax, first, lines, threshold)
    _limits(ax, c, lines, ends, False)
    legend(ax, "best")
    return ax


def _bounded(ev: Evaluation, line: Line, c: CurveDefinition) -> Line:
    """Add bounds, where the evaluation has them, and the value at the threshold in use."""
    band = line.band
    if c.name in SWEPT and not c.params and band is None:
        sweep = ev.sweep()[line.name]
        y, low, high = sweep.metrics[c.name]
        cuts = sweep.threshold
        band = Curve(c.name, "threshold", c.name, cuts, y, cuts, low=low, high=high, step=c.step)
    value = ev.model(line.name).value(c.name, **c.params)
    return replace(line, band=band, beside=told("", value).strip())
