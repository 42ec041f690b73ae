"""Plots of finished results on matplotlib axes: ``tallymark.plot.roc(ev)``.

What is drawn is an :class:`~tallymark.Evaluation` (a line for every model, or for every class
where there are more than two), a :class:`~tallymark.curve.Curve`, or a dictionary of curves by
name. Every function draws on the axes given, or makes a figure, and returns the axes; nothing is
shown, and no global setting is touched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.curve import Curve
from tallymark.errors import InputError
from tallymark.evaluation import SWEPT, Evaluation
from tallymark.metric import Metric, get
from tallymark.show import words
from tallymark.show.counted import confusion, forest, scores
from tallymark.show.drawing import (
    DECIDED,
    GREY,
    SQUARE,
    WIDE,
    WIDER,
    Line,
    axes,
    axis_text,
    below,
    curve_line,
    curve_lines,
    legend,
    lines_of,
    mark,
    probit_axes,
    reference,
    style,
    taken,
    told,
    unit_square,
)  # fmt: skip

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tallymark.tally.arrays import Floats

__all__ = [
    "calibration", "confusion", "cost", "deciles", "decision", "det", "error_rates", "forest",
    "gain", "kappa", "ks", "lift", "metric", "pr", "pr_gain", "roc", "scores",
]  # fmt: skip

CHANCE = "chance"


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

    Examples
    --------
    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score={"net": [0.1, 0.9, 0.4, 0.3]})
    >>> ax = roc(ev, ax=Figure().subplots())
    >>> ax.get_lines()[0].get_ydata().tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]

    """
    lines = lines_of(what, "roc")
    hulls = lines_of(what, "roc_hull") if hull else []
    upper = lines_of(what, "roc_optimistic") if ties else []
    lower = lines_of(what, "roc_pessimistic") if ties else []
    ax = _axes_of(lines, ax, SQUARE)
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
    lines = lines_of(what, "pr")
    ax = _axes_of(lines, ax, SQUARE)
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


def pr_gain(what: Any, *, ax: Axes | None = None, threshold: float | bool = True) -> Axes:
    """Draw precision-recall-gain curves; on the falling diagonal, F1 is that of always positive.

    >>> from matplotlib.figure import Figure
    >>> c = Curve("pr_gain", "recall gain", "precision gain", np.eye(2)[1], np.eye(2)[0])
    >>> pr_gain({"net": c}, ax=Figure().subplots()).get_xlabel()
    'recall gain'
    """
    lines = lines_of(what, "pr_gain")
    ax = _axes_of(lines, ax, SQUARE)
    marked = curve_lines(ax, lines, threshold)
    reference(ax, [0, 1], [1, 0], "always positive")
    unit_square(ax)
    legend(ax, "best", DECIDED if marked else None)
    return ax


def det(what: Any, *, ax: Axes | None = None, threshold: float | bool = True) -> Axes:
    """Draw detection error tradeoffs: both error rates, on axes of normal deviates.

    Scores that are normal in each class give a straight line. Rates of 0 and 1 lie outside.

    >>> from matplotlib.figure import Figure
    >>> x = np.array([0.01, 0.2, 0.5])
    >>> c = Curve("det", "false_positive_rate", "false_negative_rate", x, x[::-1])
    >>> ax = det({"net": c}, ax=Figure().subplots())
    >>> [t.get_text() for t in ax.get_xticklabels()][3:6]
    ['1 %', '5 %', '20 %']
    """
    lines = lines_of(what, "det")
    ax = _axes_of(lines, ax, SQUARE)
    probit_axes(ax, np.concatenate([v for line in lines for v in (line.curve.x, line.curve.y)]))
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


def error_rates(what: Any, *, ax: Axes | None = None, threshold: float | bool = True) -> Axes:
    """Draw both error rates against the threshold, and mark where they are equal.

    ``what`` is as for :func:`roc`, which holds both rates: false positives dashed, false
    negatives solid.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score={"net": [0.1, 0.9, 0.4, 0.3]})
    >>> len(error_rates(ev, ax=Figure().subplots()).get_lines())
    4
    """
    lines = lines_of(what, "roc", "error_rates")
    ax = axes(ax, WIDER, axis_text("threshold"), "error rate")
    first = taken(ax)
    for i, line in enumerate(lines, first):
        c = line.drawn()
        cuts, far, frr = _threshold_of(c), c.x, 1 - c.y
        curve_line(ax, i, cuts, frr, line.label)
        ax.plot(cuts, far, **{**style(i), "linestyle": "--", "linewidth": 1.2})
        at = _least(np.abs(far - frr), cuts)
        if at is not None:
            mark(ax, i, float(cuts[at]), float(far[at] + frr[at]) / 2)
    _decided_at(ax, first, lines, threshold)
    reference(ax, [], [], "false negative rate", "-")
    reference(ax, [], [], "false positive rate", "--")
    ax.set_ylim(-0.02, 1.02)
    _probability_axis(ax, lines)
    legend(ax, "beside", "equal error rate")
    return ax


def ks(what: Any, *, ax: Axes | None = None) -> Axes:
    """Draw how both classes' scores add up, and the widest gap between them.

    ``what`` is as for :func:`roc`. Positives are solid and the others dashed; the length of the
    upright line is the Kolmogorov-Smirnov distance.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score={"net": [0.1, 0.9, 0.4, 0.3]})
    >>> ks(ev, ax=Figure().subplots()).get_ylabel()
    'share of the class below the score'
    """
    lines = lines_of(what, "roc", "ks")
    ax = axes(ax, WIDER, "score", "share of the class below the score")
    for i, line in enumerate(lines, taken(ax)):
        c = line.drawn()
        cuts, pos, neg = _threshold_of(c), 1 - c.y, 1 - c.x
        curve_line(ax, i, cuts, pos, line.label)
        ax.plot(cuts, neg, **{**style(i), "linestyle": "--", "linewidth": 1.2})
        at = _least(-np.abs(pos - neg), cuts)
        if at is not None:
            ax.plot([cuts[at]] * 2, [pos[at], neg[at]], color=style(i)["color"], marker="_",
                    linewidth=2.5, alpha=0.6)  # fmt: skip
    reference(ax, [], [], "positives", "-")
    reference(ax, [], [], "the others", "--")
    ax.set_ylim(-0.02, 1.02)
    _probability_axis(ax, lines)
    legend(ax, "beside")
    return ax


# -- what is gained by looking at the highest scores only --------------------------------------


def gain(what: Any, *, ax: Axes | None = None, threshold: float | bool = True) -> Axes:
    """Draw cumulative gains: the share of positives found against the share of rows called.

    >>> from matplotlib.figure import Figure
    >>> half = np.array([0.0, 0.5, 1.0])
    >>> c = Curve("gain", "predicted_positive_rate", "sensitivity", half, np.sqrt(half))
    >>> gain(c, ax=Figure().subplots()).get_xlabel()
    'share of rows called positive'
    """
    lines = lines_of(what, "gain")
    ax = _axes_of(lines, ax, SQUARE)
    marked = curve_lines(ax, lines, threshold)
    share = _one_prevalence(lines)
    if share is not None:
        reference(ax, [0, share, 1], [0, 1, 1], "perfect", ":")
    reference(ax, [0, 1], [0, 1], CHANCE)
    unit_square(ax)
    legend(ax, "lower right", DECIDED if marked else None)
    return ax


def lift(what: Any, *, ax: Axes | None = None, threshold: float | bool = True) -> Axes:
    """Draw how many times more positives than by chance there are among the rows called.

    >>> from matplotlib.figure import Figure
    >>> c = Curve("lift", "predicted_positive_rate", "lift", np.array([0.1, 1]), np.array([3.0, 1]))
    >>> lift(c, ax=Figure().subplots()).get_ylabel()
    'lift'
    """
    lines = lines_of(what, "lift")
    ax = _axes_of(lines, ax, WIDE)
    marked = curve_lines(ax, lines, threshold)
    share = _one_prevalence(lines)
    if share:
        x = np.linspace(0.001, 1, 500)
        reference(ax, x, np.minimum(1 / share, 1 / x), "perfect", ":")
    reference(ax, [0, 1], [1, 1], CHANCE)
    ax.set(xlim=(-0.02, 1.02), ylim=(0, None))
    legend(ax, "best", DECIDED if marked else None)
    return ax


def deciles(what: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the share of positives in each tenth of the rows, highest scores first, as bars.

    Lines show the share among all rows down to there, where the curve says how many there are.

    >>> from matplotlib.figure import Figure
    >>> n = np.arange(1.0, 11)
    >>> c = Curve("deciles", "tenth", "response rate", n / 10, 1 / n, counts=np.full(10, 50.0))
    >>> len(deciles({"net": c}, ax=Figure().subplots()).patches)
    10
    """
    lines = lines_of(what, "deciles")
    ax = axes(ax, WIDE, "tenth of the rows, highest scores first", "share of positives")
    width = 0.8 / len(lines)
    for i, line in enumerate(lines):
        c = line.curve
        place = np.arange(1, len(c) + 1)
        offset = (i - (len(lines) - 1) / 2) * width
        color = style(i)["color"]
        ax.bar(place + offset, c.y, width * 0.92, color=color, alpha=0.55, label=line.label)
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
    what: Any, *, ax: Axes | None = None, isotonic: bool = False, histogram: bool = True
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

    Examples
    --------
    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score={"net": [0.1, 0.9, 0.4, 0.3]})
    >>> calibration(ev, ax=Figure().subplots()).get_ylabel()
    'share truly positive'

    """
    lines = lines_of(what, "calibration_isotonic" if isotonic else "calibration")
    ax = _axes_of(lines, ax, (SQUARE[0], SQUARE[1] * 1.15))
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
    if histogram and any(line.histogram is not None for line in lines):
        lower = below(ax)
        for i, line in enumerate(lines, first):
            h = line.histogram
            if h is not None:
                rows = h.pos + h.neg
                lower.stairs(rows, h.edges, color=style(i)["color"], fill=len(lines) == 1,
                             alpha=0.6 if len(lines) == 1 else 1)  # fmt: skip
        lower.set_ylabel("rows")
    return ax


def cost(what: Any, *, ax: Axes | None = None) -> Axes:
    """Draw cost curves: the expected cost of the best threshold for every operating condition.

    Grey lines are what always saying positive, or never, would cost (Drummond & Holte 2006).

    >>> from matplotlib.figure import Figure
    >>> x = np.array([0.0, 0.5, 1.0])
    >>> c = Curve("cost", "probability cost", "normalized_expected_cost", x, x * (1 - x))
    >>> cost({"net": c}, ax=Figure().subplots()).get_ylim()[0]
    0.0
    """
    lines = lines_of(what, "cost")
    ax = _axes_of(lines, ax, WIDE)
    curve_lines(ax, lines)
    reference(ax, [0, 0.5, 1], [0, 0.5, 0], "always or never positive")
    most = max(float(np.nanmax(line.curve.y, initial=0)) for line in lines)
    ax.set(xlim=(0, 1), ylim=(0, max(0.55, 1.08 * most)))
    legend(ax, "best")
    return ax


def decision(what: Any, *, ax: Axes | None = None, prevalence: float | None = None) -> Axes:
    """Draw decision curves: net benefit against the probability at which one would act.

    ``prevalence`` is the share of positives that acting on all is drawn for: an Evaluation's own
    unless given.

    >>> from matplotlib.figure import Figure
    >>> x = np.array([0.0, 0.2, 0.6])
    >>> c = Curve("decision", "threshold probability", "net_benefit", x, 0.3 - x / 2)
    >>> ax = decision({"net": c}, ax=Figure().subplots(), prevalence=0.3)
    >>> [line.get_label() for line in ax.get_lines()]
    ['net', 'act on all', 'act on none']
    """
    lines = lines_of(what, "decision")
    ax = _axes_of(lines, ax, WIDE)
    curve_lines(ax, lines)
    share = _one_prevalence(lines) if prevalence is None else prevalence
    if share is not None:
        p = np.linspace(0, 0.99, 200)
        reference(ax, p, share - (1 - share) * p / (1 - p), "act on all", "--")
    reference(ax, [0, 1], [0, 0], "act on none", ":")
    most = max(float(np.nanmax(line.curve.y, initial=0)) for line in lines)
    top = max(most, share or 0.0, 1e-3)
    ax.set(xlim=(0, 1), ylim=(-0.15 * top, 1.1 * top))
    legend(ax, "best")
    return ax


# -- a metric over thresholds or models --------------------------------------------------------


def kappa(what: Any, *, ax: Axes | None = None, threshold: float | bool = True) -> Axes:
    """Draw Cohen's kappa against the share of rows called positive.

    >>> from matplotlib.figure import Figure
    >>> x = np.array([0.0, 0.5, 1.0])
    >>> c = Curve("kappa", "predicted_positive_rate", "cohen_kappa", x, x * (1 - x))
    >>> kappa({"net": c}, ax=Figure().subplots()).get_ylabel()
    "Cohen's kappa"
    """
    lines = lines_of(what, "kappa")
    ax = _axes_of(lines, ax, WIDE)
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
    **params: Any,
) -> Axes:
    """Draw a metric of the decisions against the threshold, with bounds where they are known.

    ``params`` are the metric's own, such as ``beta``. The value at the threshold in use stands in
    the legend.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score={"net": [0.1, 0.9, 0.4, 0.3]})
    >>> metric(ev, "jaccard", ax=Figure().subplots()).get_ylabel()
    'Jaccard index'
    """
    found = get(name)
    if isinstance(what, Evaluation):
        lines = _over_thresholds(what, found, params)
    else:
        lines = lines_of(what, found.name)
    title = found.title + "".join(f", {k} {v}" for k, v in params.items())
    ax = axes(ax, WIDE, axis_text("threshold"), title)
    first = taken(ax)
    for i, line in enumerate(lines, first):
        c = line.drawn()
        if c.low is not None and c.high is not None:
            color = style(i)["color"]
            ax.fill_between(c.x, c.low, c.high, color=color, alpha=0.15, linewidth=0)
        curve_line(ax, i, c.x, c.y, line.label)
    if isinstance(found.chance, float):
        reference(ax, [0, 1], [found.chance] * 2, CHANCE)
    _decided_at(ax, first, lines, threshold)
    _probability_axis(ax, lines)
    legend(ax, "best")
    return ax


def _over_thresholds(ev: Evaluation, found: Metric, params: Mapping[str, Any]) -> list[Line]:
    """Return a metric at the thresholds of every model, and its value at the one in use."""
    if found.family != "threshold":
        raise InputError(f"{found.name} judges no single threshold; choose a threshold metric")
    scored = [m for m in ev.models if m.scores]
    if not ev.binary or not scored:
        raise InputError("a metric over thresholds needs scores and two classes; give y_score")
    sweeps = ev.sweep() if found.name in SWEPT and not params else {}
    lines = []
    low: Floats | None
    high: Floats | None
    for m in scored:
        if m.name in sweeps:
            sweep = sweeps[m.name]
            cuts, (y, low, high) = sweep.threshold, sweep.metrics[found.name]
        else:
            r = m.scores[0].ranking()
            counts = r.falling()
            data = counts if found.needs == "counts" else counts.matrix()
            cuts, y, low, high = r.thresholds(), found.compute(data, **params), None, None
        x = np.where(np.isinf(cuts), np.nan, cuts)
        curve = Curve(found.name, "threshold", found.name, x, y, cuts, low=low, high=high)
        beside = told("", ev.model(m.name).value(found, **params)).strip()
        lines.append(Line(m.name, curve, m.threshold, beside, m.scores[0]))
    return lines


# -- helpers -----------------------------------------------------------------------------------


def _axes_of(lines: Sequence[Line], ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return axes that name what the curves hold."""
    c = lines[0].curve
    return axes(ax, size, axis_text(c.x_metric), axis_text(c.y_metric))


def _threshold_of(curve: Curve) -> Any:
    """Return the thresholds, NaN where infinite, of a curve that has them."""
    if curve.threshold is None:
        raise InputError(f"this {curve.name} curve holds no thresholds, and they are its axis here")
    return np.where(np.isinf(curve.threshold), np.nan, curve.threshold)


def _least(values: Any, cuts: Any) -> int | None:
    """Return where values are least, in the middle of equals; None where nothing is known."""
    known = np.isfinite(cuts) & np.isfinite(values)
    if not known.any():
        return None
    equal = np.flatnonzero(known & (values <= values[known].min()))
    return int(equal[len(equal) // 2])


def _decided_at(ax: Axes, first: int, lines: Sequence[Line], threshold: float | bool) -> None:
    """Draw where decisions are made: one grey line where all lines have the same threshold."""
    if threshold is False:
        return
    cuts = [line.threshold if threshold is True else float(threshold) for line in lines]
    known = {cut for cut in cuts if cut is not None}
    for i, cut in enumerate(cuts if len(known) > 1 else known, first):
        if cut is not None:
            ax.axvline(cut, color=style(i)["color"] if len(known) > 1 else GREY, linestyle=":",
                       linewidth=1.2)  # fmt: skip
    if known:
        reference(ax, [], [], DECIDED, ":")


def _probability_axis(ax: Axes, lines: Sequence[Line]) -> None:
    """Show 0 to 1 where all thresholds lie there."""
    cuts = np.concatenate([_threshold_of(line.curve) for line in lines])
    cuts = cuts[np.isfinite(cuts)]
    if len(cuts) and cuts.min() >= 0 and cuts.max() <= 1:
        ax.set_xlim(-0.02, 1.02)


def _one_prevalence(lines: Sequence[Line]) -> float | None:
    """Return the share of positives where it is known and the same for all lines."""
    shares = set()
    for line in lines:
        if line.tally is None:
            return None
        r = line.tally.ranking()
        shares.add(float(r.positives) / float(r.total) if float(r.total) else None)
    return shares.pop() if len(shares) == 1 else None
