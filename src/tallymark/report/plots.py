"""Plots of finished results on matplotlib axes: ``tallymark.plot.roc(ev)``.

What is drawn is an :class:`~tallymark.Evaluation` (a line for every model, or for every class
where there are more than two), a :class:`~tallymark.curve.Curve`, or a dictionary of curves by
name. Every function draws on the axes given, or makes a figure, and returns the axes; nothing is
shown, and no global setting is touched. Curves with bounds have them shaded; ``band`` asks for
those of an Evaluation's curves, such as "pointwise" or "simultaneous".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.curve import Curve, over_thresholds
from tallymark.curve import histogram as spread
from tallymark.infer.sweep import SWEPT
from tallymark.metric import Metric, get
from tallymark.report import words
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
    axes_of,
    axis_text,
    below,
    curve_line,
    curve_lines,
    decided_at,
    least,
    legend,
    lines_of,
    mark,
    one_prevalence,
    probit_axes,
    reference,
    score_axis,
    shade,
    style,
    taken,
    together,
    told,
    unit_square,
)  # fmt: skip
from tallymark.report.evaluation import Evaluation

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = [
    "calibration", "confusion", "cost", "critical_difference", "deciles", "decision", "det",
    "error_rates", "forest", "gain", "kappa", "ks", "lift", "metric", "pr", "pr_gain",
    "prevalence", "roc", "scores",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__


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
    lines = lines_of(what, "roc", band=band)
    hulls = lines_of(what, "roc_hull") if hull else []
    upper = lines_of(what, "roc_optimistic") if ties else []
    lower = lines_of(what, "roc_pessimistic") if ties else []
    ax = axes_of(lines, ax, SQUARE)
    first = taken(ax)
    marked = curve_lines(ax, lines, threshold)
    for i, line in enumerate(hulls, first):
        c = line.drawn()
        ax.plot(c.x, c.y, color=style(i)["color"], linestyle=":", linewidth=1.2)
    for i, (high, low) in enumerate(zip(upper, lower, strict=True), first):
        a, b = high.drawn(), low.drawn()
        x, y = np.append(a.x, b.x[::-1]), np.append(a.y, b.y[::-1])
        ax.fill(x, y, color=style(i)["color"], alpha=0.15, linewidth=0)
    reference(ax, [0, 1], [0, 1], CHANCE)
    unit_square(ax)
    legend(ax, "lower right", DECIDED if marked else None)
    return ax


def pr(
    what: Any,
    *,
    ax: Axes | None = None,
    threshold: float | bool = True,
    iso_f: Sequence[float] = (0.2, 0.4, 0.6, 0.8),
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
    lines = lines_of(what, "pr", band=band)
    ax = axes_of(lines, ax, SQUARE)
    for f in iso_f:
        x = np.linspace(f / (2 - f), 1, 100)
        reference(ax, x, f * x / (2 * x - f), None, ":")
        ax.annotate(f"F1 {f:g}", (1, f / (2 - f)), (3, 0), textcoords="offset points",
                    fontsize="x-small", color=GREY, va="center", annotation_clip=False)  # fmt: skip
    first = taken(ax)
    marked = curve_lines(ax, lines, threshold, drawstyle="steps-pre")
    shares = [float(line.curve.y[-1]) for line in lines]
    if max(shares) - min(shares) < 1e-9:
        reference(ax, [0, 1], [shares[0]] * 2, f"{CHANCE} {words.number(shares[0])}")
    else:
        for i, share in enumerate(shares, first):
            ax.axhline(share, color=style(i)["color"], linestyle="--", linewidth=0.8, alpha=0.7)
    unit_square(ax)
    legend(ax, "best", DECIDED if marked else None)
    return ax


def pr_gain(
    what: Any, *, ax: Axes | None = None, threshold: float | bool = True, band: str | None = None
) -> Axes:
    """Draw precision-recall-gain curves; on the falling diagonal, F1 is that of always positive.

    >>> from matplotlib.figure import Figure
    >>> c = Curve("pr_gain", "recall gain", "precision gain", np.eye(2)[1], np.eye(2)[0])
    >>> pr_gain({"net": c}, ax=Figure().subplots()).get_xlabel()
    'recall gain'
    """
    lines = lines_of(what, "pr_gain", band=band)
    ax = axes_of(lines, ax, SQUARE)
    marked = curve_lines(ax, lines, threshold)
    reference(ax, [0, 1], [1, 0], "always positive")
    unit_square(ax)
    legend(ax, "best", DECIDED if marked else None)
    return ax


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
    lines = lines_of(what, "det", band=band)
    ax = axes_of(lines, ax, SQUARE)
    x, y = (np.concatenate(v) for v in zip(*((c.curve.x, c.curve.y) for c in lines), strict=True))
    probit_axes(ax, x, y)
    marked = curve_lines(ax, [_without_ends(line) for line in lines], threshold)
    p = 1 / (1 + np.exp(-np.linspace(-14, 14, 200)))
    reference(ax, p, 1 - p, CHANCE)
    reference(ax, p, p, None, ":")
    legend(ax, "best", DECIDED if marked else None)
    return ax


def _without_ends(line: Line) -> Line:
    """Leave out calling all or no rows positive: lines from there would be of no meaning."""
    c = line.curve
    inside = np.isin(c.x, (0, 1), invert=True) | np.isin(c.y, (0, 1), invert=True)
    x, y = (np.where(inside, v, np.nan) for v in (c.x, c.y))
    return replace(line, curve=replace(c, x=x, y=y))


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
    lines = lines_of(what, "frr", "error_rates", band=band)
    others = lines_of(what, "far", "", band=band)
    ax = axes(ax, WIDER, axis_text("threshold"), "error rate")
    first = taken(ax)
    for i, (line, other) in enumerate(zip(lines, others, strict=True), first):
        _draw_pair(ax, i, line, other)
        x, frr, far = together(line.curve, other.curve)
        at = least(np.abs(far - frr))
        if at is not None:
            mark(ax, i, float(x[at]), float(far[at] + frr[at]) / 2)
    decided_at(ax, first, lines, threshold)
    reference(ax, [], [], "false negative rate", "-")
    reference(ax, [], [], "false positive rate", "--")
    score_axis(ax, lines)
    legend(ax, "beside", "equal error rate")
    return ax


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
    lines = lines_of(what, "ks_positive", "ks", band=band)
    others = lines_of(what, "ks_negative", "", band=band)
    ax = axes(ax, WIDER, "score", "share of the class at or below")
    for i, (line, other) in enumerate(zip(lines, others, strict=True), taken(ax)):
        _draw_pair(ax, i, line, other)
        x, pos, neg = together(line.curve, other.curve)
        at = least(-np.abs(pos - neg))
        if at is not None:
            ax.plot([x[at]] * 2, [pos[at], neg[at]], color=style(i)["color"], marker="_",
                    linewidth=2.5, alpha=0.6)  # fmt: skip
    reference(ax, [], [], "positives", "-")
    reference(ax, [], [], "the others", "--")
    score_axis(ax, lines)
    legend(ax, "beside")
    return ax


def _draw_pair(ax: Axes, i: int, line: Line, other: Line) -> None:
    """Draw two curves over the score in steps, for neither changes from one score to the next."""
    a, b = line.drawn(), other.drawn()
    shade(ax, i, line, "post")
    shade(ax, i, other, "post")
    curve_line(ax, i, a.x, a.y, line.label, drawstyle="steps-post")
    dashed = {**style(i), "linestyle": "--", "linewidth": 1.2, "drawstyle": "steps-post"}
    ax.plot(b.x, b.y, **dashed)


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
    lines = lines_of(what, "gain", band=band)
    ax = axes_of(lines, ax, SQUARE)
    marked = curve_lines(ax, lines, threshold)
    share = one_prevalence(lines)
    if share is not None:
        reference(ax, [0, share, 1], [0, 1, 1], "perfect", ":")
    reference(ax, [0, 1], [0, 1], CHANCE)
    unit_square(ax)
    legend(ax, "lower right", DECIDED if marked else None)
    return ax


def lift(
    what: Any, *, ax: Axes | None = None, threshold: float | bool = True, band: str | None = None
) -> Axes:
    """Draw how many times more positives than by chance there are among the rows called.

    >>> from matplotlib.figure import Figure
    >>> c = Curve("lift", "predicted_positive_rate", "lift", np.array([0.1, 1]), np.array([3.0, 1]))
    >>> lift(c, ax=Figure().subplots()).get_ylabel()
    'lift'
    """
    lines = lines_of(what, "lift", band=band)
    ax = axes_of(lines, ax, WIDE)
    marked = curve_lines(ax, lines, threshold)
    share = one_prevalence(lines)
    if share:
        x = np.linspace(0.001, 1, 500)
        reference(ax, x, np.minimum(1 / share, 1 / x), "perfect", ":")
    reference(ax, [0, 1], [1, 1], CHANCE)
    ax.set(xlim=(-0.02, 1.02), ylim=(0, None))
    legend(ax, "best", DECIDED if marked else None)
    return ax


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
    lines = lines_of(what, "deciles", **params)
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
    lines = lines_of(what, "calibration_isotonic" if isotonic else "calibration", **params)
    ax = axes_of(lines, ax, (SQUARE[0], SQUARE[1] * 1.15))
    first = taken(ax)
    for i, line in enumerate(lines, first):
        c = line.curve
        options = {} if isotonic else {"marker": "o", "markersize": 4}
        if c.low is not None and c.high is not None:
            color = style(i)["color"]
            if isotonic:
                ax.fill_between(c.x, c.low, c.high, color=color, alpha=0.15, linewidth=0)
            else:
                ax.vlines(c.x, c.low, c.high, color=color, alpha=0.5, linewidth=1.2)
        curve_line(ax, i, c.x, c.y, line.label, **options)
    reference(ax, [0, 1], [0, 1], "as the probabilities say")
    unit_square(ax)
    legend(ax, "best")
    tallies = [(i, line.tally) for i, line in enumerate(lines, first) if line.tally is not None]
    if histogram and tallies:
        lower = below(ax)
        for i, tally in tallies:
            h, one = spread(tally), len(tallies) == 1
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
    lines = lines_of(what, "cost", band=band)
    ax = axes_of(lines, ax, WIDE)
    curve_lines(ax, lines)
    reference(ax, [0, 0.5, 1], [0, 0.5, 0], "always or never positive")
    most = max(float(np.nanmax(line.curve.y, initial=0)) for line in lines)
    ax.set(xlim=(0, 1), ylim=(0, max(0.55, 1.08 * most)))
    legend(ax, "best")
    return ax


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
    lines = lines_of(what, "decision", band=band, **params)
    every = lines_of(what, "decision_all", **params) if _holds(what, "decision_all") else []
    ax = axes_of(lines, ax, WIDE)
    first = taken(ax)
    curve_lines(ax, lines)
    same = all(np.array_equal(line.curve.y, every[0].curve.y) for line in every)
    for i, line in enumerate(every[:1] if same else every, first):
        if same:
            reference(ax, line.curve.x, line.curve.y, "act on all")
        else:
            ax.plot(line.curve.x, line.curve.y, **{**style(i), "linestyle": "--", "linewidth": 1})
    reference(ax, [0, 1], [0, 0], "act on none", ":")
    top = max([1e-3, *(float(np.nanmax(v.curve.y, initial=0)) for v in [*lines, *every])])
    ax.set(xlim=(0, 1), ylim=(-0.15 * top, 1.1 * top))
    legend(ax, "best")
    return ax


def _holds(what: Any, kind: str) -> bool:
    if isinstance(what, Mapping):
        return all(isinstance(v, Mapping) and kind in v for v in what.values())
    return isinstance(what, Evaluation)


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
    lines = lines_of(what, "kappa", band=band)
    ax = axes_of(lines, ax, WIDE)
    marked = curve_lines(ax, lines, threshold)
    reference(ax, [0, 1], [0, 0], CHANCE)
    legend(ax, "best", DECIDED if marked else None)
    return ax


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
    found = get(name)
    make = partial(over_thresholds, metric=found)
    lines = lines_of(what, found.name, "", make, band, **params)
    if isinstance(what, Evaluation) and what.binary:
        lines = [_bounded(what, line, found, params) for line in lines]
    title = found.title + "".join(f", {k} {v}" for k, v in params.items())
    ax = axes(ax, WIDE, axis_text("threshold"), title)
    first = taken(ax)
    for i, line in enumerate(lines, first):
        c = line.drawn()
        shade(ax, i, line)
        curve_line(ax, i, c.x, c.y, line.label)
    if isinstance(found.chance, float):
        reference(ax, [0, 1], [found.chance] * 2, CHANCE)
    decided_at(ax, first, lines, threshold)
    score_axis(ax, lines, share=False)
    legend(ax, "best")
    return ax


def _bounded(ev: Evaluation, line: Line, found: Metric, params: Mapping[str, Any]) -> Line:
    """Add bounds, where the evaluation has them, and the value at the threshold in use."""
    curve = line.curve
    if found.name in SWEPT and not params and line.band is None:
        sweep = ev.sweep()[line.name]
        y, low, high = sweep.metrics[found.name]
        cuts = sweep.threshold
        curve = Curve(found.name, "threshold", found.name, cuts, y, cuts, low=low, high=high)
    value = ev.model(line.name).value(found, **params)
    return replace(line, curve=curve, beside=told("", value).strip())
