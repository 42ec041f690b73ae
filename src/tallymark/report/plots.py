"""Plots of finished results on matplotlib axes: ``tallymark.plot.roc(ev)``.

What is drawn is an :class:`~tallymark.Evaluation` (a line for every model, or for every class
where there are more than two), a :class:`~tallymark.curve.Curve`, or a dictionary of curves by
name. Every function draws on the axes given, or makes a figure, and returns the axes; nothing is
shown, and no global setting is touched. Curves are joined as they are declared, by lines or in
steps, and have their bounds shaded; ``band`` asks for those of an Evaluation's curves, such as
"pointwise" or "simultaneous".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.contract import (
    FLAG,
    METRIC,
    METRICS,
    TEXT,
    THRESHOLD,
    checked,
    made_by,
    mapping,
    number,
    several,
)
from tallymark.curve import CURVES, Curve, CurveDefinition, Histogram, definition
from tallymark.curve.declarations import ISO_F, equal_f
from tallymark.curve.definitions import unit
from tallymark.errors import InputError, choices
from tallymark.infer.by_subgroup import Subgroups
from tallymark.infer.operating_points import SWEPT
from tallymark.metric import Metric, get
from tallymark.metric.measure import Value
from tallymark.report import words
from tallymark.report.drawing import (
    Area,
    Axis,
    Drawing,
    Guide,
    Line,
    Series,
    class_shares,
    drawing,
    rank_diagram,
)
from tallymark.report.evaluation import (
    Evaluation,
    curve_of,
    refuse_curve,
    score_tallies,
    studies_of,
)
from tallymark.studies.model_comparison import ModelComparison
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreTally

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "calibration",
    "confusion",
    "cost",
    "critical_difference",
    "curve",
    "deciles",
    "decision",
    "det",
    "error_rates",
    "forest",
    "gain",
    "kappa",
    "ks",
    "lift",
    "metric",
    "pr",
    "pr_gain",
    "prevalence",
    "roc",
    "scores",
]


def __dir__() -> list[str]:
    return __all__


PALETTE = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#5D3A9B",
    "#333333",
)
"""Okabe and Ito's colours, told apart by the colour-blind; yellow, too pale on white, is not."""

DASHES = ("-", "--", "-.")
MOST_LINES = len(PALETTE) * len(DASHES)
"""More lines cannot be told apart by colour and dash."""

GREY, INK = "#808080", "#333333"
DECIDED = "decision threshold"
POINTS = 2000
"""More points of a line are not seen, and make files of vector graphics large."""

MOST_LETTERS = 28
MOST_CELLS = 15
"""A larger matrix has no room for numbers."""

SQUARE, WIDE, WIDER = (5.4, 5.0), (6.4, 4.4), (8.6, 4.4)


_held = checked(
    what=made_by(
        "what tallymark.evaluate returns, or a curve",
        "Evaluation",
        "Curve",
        "Histogram",
        "LabelTally",
        "ModelComparison",
        "Subgroups",
    )
    | mapping("curves or values by name"),
    ax=made_by("axes of matplotlib", "Axes"),
    name=METRIC,
    names=METRICS,
    threshold=FLAG | THRESHOLD,
    iso_f=several(number("(0, 1)", "a number between 0 and 1"), "values of F1, such as [0.5, 0.8]"),
    **dict.fromkeys(("hull", "ties", "isotonic", "histogram", "linear", "numbers"), FLAG),
)


# -- any curve ---------------------------------------------------------------------------------


@_held
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
    return _draw(what, definition(name), ax, threshold, band, **params)


# -- how well positives are told from negatives ------------------------------------------------


@_held
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
    first = 0 if ax is None else _taken(ax)
    ax = _draw(what, CURVES["roc"], ax, threshold, band)
    for i, line in enumerate(hulls, first):
        c = line.curves[0].thin(POINTS)
        ax.plot(c.x, c.y, color=_color(i), linestyle=":", linewidth=1.2)
    for i, sides in enumerate(zip(upper, lower, strict=True), first):
        (a, b) = (side.curves[0].thin(POINTS) for side in sides)
        x, y = np.append(a.x, b.x[::-1]), np.append(a.y, b.y[::-1])
        ax.fill(x, y, color=_color(i), alpha=0.15, linewidth=0)
    return ax


@_held
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


@_held
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


@_held
def det(
    what: Any,
    *,
    ax: Axes | None = None,
    threshold: float | bool = True,
    band: str | None = None,
    linear: bool = False,
) -> Axes:
    """Draw detection error tradeoffs: both error rates, on axes of normal deviates.

    Scores that are normal in each class give a straight line. Rates of 0 and 1 lie outside. With
    ``linear`` the axes are linear and exchanged, false accepts against false rejects, as Tharwat
    (2018, figure 12) draws them.

    >>> from matplotlib.figure import Figure
    >>> x = np.array([0.01, 0.2, 0.5])
    >>> c = Curve("det", "false_positive_rate", "false_negative_rate", x, x[::-1])
    >>> ax = det({"net": c}, ax=Figure().subplots())
    >>> [t.get_text() for t in ax.get_xticklabels()][:3]
    ['1 %', '5 %', '20 %']
    """
    return _draw(what, CURVES["det_linear" if linear else "det"], ax, threshold, band)


@_held
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


@_held
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


@_held
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


@_held
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


@_held
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
    ax = _axes(ax, WIDE, "tenth of the rows, highest scores first", "share of positives")
    width = 0.8 / len(lines)
    for line in lines:
        (c,), i = line.curves, line.style
        place = np.arange(1, len(c) + 1)
        beside = place + (i - (len(lines) - 1) / 2) * width
        ax.bar(beside, c.y, width * 0.92, color=_color(i), alpha=0.55, label=_named(line))
        if c.low is not None and c.high is not None:
            ax.vlines(beside, c.low, c.high, color=_color(i), linewidth=1)
        if c.counts is not None:
            rows, hits = np.cumsum(c.counts), np.cumsum(c.counts * np.nan_to_num(c.y))
            _curve_line(ax, i, place, hits / rows, "", marker=".")
            if i == 0:
                share = float(hits[-1] / rows[-1])
                _reference(ax, [0.5, len(c) + 0.5], [share] * 2, "all rows")
    _reference(ax, [], [], "down to there", "-")
    most = max(len(line.curves[0]) for line in lines)
    ax.set(xticks=range(1, most + 1), ylim=(0, None))
    ax.grid(False, axis="x")
    _legend(ax)
    return ax


# -- whether probabilities can be believed, and what decisions cost ----------------------------


@_held
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
    first = 0 if ax is None else _taken(ax)
    ax = _draw(what, c, ax, lines=lines, size=(SQUARE[0], SQUARE[1] * 1.15))
    if histogram and isinstance(what, Evaluation):
        spread = what.histograms()
        lower: Axes = ax.inset_axes((0, -0.25, 1, 0.2), sharex=ax)
        lower.spines[["top", "right"]].set_visible(False)
        lower.set(xlabel=ax.get_xlabel(), ylabel="rows")
        ax.set_xlabel("")
        ax.tick_params(labelbottom=False)
        for i, line in enumerate(lines, first):
            h, one = spread[line.key], len(lines) == 1
            lower.stairs(h.pos + h.neg, h.edges, color=_color(i), fill=one, alpha=0.6 if one else 1)
    return ax


@_held
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


@_held
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
    return _draw(what, CURVES["decision"], ax, False, band, **params)


# -- a metric over thresholds or models --------------------------------------------------------


@_held
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


@_held
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
    return _draw(what, c, ax, threshold, lines=lines)


def _bounded(ev: Evaluation, line: Line, c: CurveDefinition) -> Line:
    """Add bounds, where the evaluation has them, and the value at the threshold in use."""
    bands = line.bands
    if c.name in SWEPT and not c.params and not bands:
        sweep = ev.sweep()[line.key]
        y, low, high = sweep.metrics[c.name]
        cuts = sweep.threshold
        bands = (Curve(c.name, c.x.name, c.name, cuts, y, cuts, low=low, high=high, step=c.step),)
    value = ev.model(line.key).value(c.name, **c.params)
    return replace(line, bands=bands, number=with_interval("", value).strip())


# -- what was counted, and one metric of several models ---------------------------------------


@_held
def prevalence(
    what: Evaluation, names: str | Metric | Sequence[str], *, ax: Axes | None = None, **params: Any
) -> Axes:
    """Draw metrics against the share of positives, both error rates being kept.

    A line for every model and metric, with its band where there is one, on an axis of log odds;
    dots mark the share in the rows.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1] * 9, [0, 1, 1, 1] * 9)
    >>> ax = prevalence(ev, ["precision", "youden_j"], ax=Figure().subplots())
    >>> [line.get_label() for line in ax.get_lines() if line.get_gid()]
    ['Precision', "Youden's J"]
    """
    if not isinstance(what, Evaluation):
        raise InputError("prevalence takes an Evaluation, whose rates within each class are known")
    wanted = [get(n) for n in ([names] if isinstance(names, str | Metric) else names)]
    one = len(wanted) == 1
    series, dots = [], []
    for i, (model, m) in enumerate(product(what.names, wanted)):
        ev = what.model(model)
        label = m.title if len(what.names) == 1 else f"{model}: {m.title}"
        curve = ev.curve(m.name, over="prevalence", **params)
        series.append(Series(model if one else label, i, curve))
        dots.append((ev["prevalence"].value, ev.value(m, **params).value, i))
    axes = Axis("share of positives", scale="logit"), Axis(wanted[0].title if one else "value")
    areas = [Area(s.curve, s.style) for s in series if s.curve.low is not None]
    ax = _paint(ax, WIDE, Drawing(*axes, series, areas, dots=dots))
    _legend(ax)
    return ax


@_held
def forest(what: Any, name: str | Metric | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw one metric of several models with its intervals, a row each, and what chance gives.

    ``what`` is an Evaluation, or {name: Value} of values of one metric. Of ``ev.by("site")`` it
    draws a row a subgroup, and of studies their random-effects mean below.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1] * 9, {"net": [0, 1, 1, 1] * 9, "tree": [0, 1, 0, 0] * 9})
    >>> ax = forest(ev, "mcc", ax=Figure().subplots())
    >>> [t.get_text() for t in ax.get_yticklabels()]
    ['net', 'tree']
    """
    if isinstance(what, Evaluation | Subgroups):
        if name is None:
            raise InputError("forest needs to know which metric; say forest(ev, 'mcc')")
        values = _values(what, get(name))
    elif isinstance(what, Mapping) and what and all(isinstance(v, Value) for v in what.values()):
        values = dict(what)
    else:
        raise InputError(
            "forest takes an Evaluation, the subgroups of one, or a dictionary of values by name"
        )
    result = get(next(iter(values.values())).metric)
    ax = _axes(ax, (WIDE[0], 1.1 + 0.42 * len(values)), result.title, "")
    beside: Any = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": "small"}
    for i, v in enumerate(values.values()):
        if v.reason:
            ax.annotate(v.reason, (0.02, i), color=GREY, **beside)
            continue
        if np.isfinite(v.low) and np.isfinite(v.high):
            ax.hlines(i, v.low, v.high, color=_color(0), linewidth=2)
        ax.plot([v.value], [i], "s", color=_color(0), markersize=6)
        ax.annotate(with_interval("", v).strip(), (1.02, i), annotation_clip=False, **beside)
    low, high = ax.get_xlim()
    # Far from all of them, it would leave no room to tell the intervals apart.
    if isinstance(result.chance, float) and 2 * low - high <= result.chance <= 2 * high - low:
        ax.axvline(result.chance, color=GREY, linestyle="--", linewidth=1)
    ax.set_yticks(range(len(values)), [_plain(n).strip() for n in values])
    ax.set_ylim(len(values) - 0.5, -0.5)
    ax.grid(False, axis="y")
    return ax


def _values(what: Evaluation | Subgroups, metric: Metric) -> dict[str, Value]:
    """Return a metric of every model, or of every subgroup and the mean over studies."""
    if isinstance(what, Evaluation):
        return {m: ev.value(metric) for m in what.names for ev in [what.model(m)]}
    names = (", ".join(map(words.subgroup, key)) for key in what.subgroup_counts.keys)
    of_each = what.values(metric).values()
    values = {name: of[metric.name] for name, of in zip(names, of_each, strict=True)}
    for h in studies_of(what):
        values |= {"mean over studies": h.mean} if h.metric == metric.name else {}
    return values


@_held
def confusion(what: Any, *, ax: Axes | None = None, numbers: bool = True) -> Axes:
    """Draw the confusion matrix: counts, coloured by the share of their true class.

    ``what`` is an Evaluation of one model, or a LabelTally. ``numbers`` writes counts and shares
    into the cells, up to 15 classes. Of an evaluation of two classes the positive one comes first;
    a LabelTally knows no positive class and keeps the order of its labels.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ax = confusion(tm.evaluate([0, 1, 1, 1], [0, 1, 1, 0]), ax=Figure().subplots())
    >>> ax.texts[-1].get_text().split()
    ['1', '100', '%']
    """
    if isinstance(what, Evaluation):
        if len(what.models) > 1:
            raise InputError(
                f"a confusion matrix is of one model, and here are {len(what.models)}; choose one "
                f"with .model({what.names[0]!r})"
            )
        tally, positive = what.models[0].labels, what.positive
    elif isinstance(what, LabelTally):
        tally, positive = what, None
    else:
        raise InputError(
            f"confusion takes an Evaluation or a LabelTally, not {type(what).__name__}"
        )
    k = len(tally.labels)
    if not k:
        raise InputError("there is no confusion matrix of no class; count some rows first")
    order = words.shown_order(tally.labels, positive)
    counts = tally.counts[np.ix_(order, order)]
    rows = counts.sum(1, keepdims=True)
    shares = np.divide(counts, rows, out=np.zeros_like(counts), where=rows > 0)
    size = min(2.6 + 0.75 * k, 10.0)
    ax = _axes(ax, (size, size * 0.92), "predicted class", "true class")
    ax.grid(False)
    ax.spines[:].set_visible(False)
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    names = [_plain(tally.labels[i]).strip() for i in order]
    turned: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    crowded = sum(map(len, names)) > 8 * 5 or max(map(len, names)) > 12
    ax.set_xticks(range(k), names, **(turned if crowded else {}))
    ax.set_yticks(range(k), names)
    ax.tick_params(length=0)
    if numbers and k <= MOST_CELLS:
        for i in range(k):
            for j in range(k):
                n, share = float(counts[i, j]), float(shares[i, j])
                ax.text(
                    j,
                    i,
                    f"{words.count(n)}\n{words.percent(share, 0)}",
                    ha="center",
                    va="center",
                    color="white" if share > 0.55 else "black",
                    fontsize="medium" if k <= 5 else "x-small",
                )
    return ax


@_held
def scores(what: Any, *, ax: Axes | None = None) -> Axes:
    """Draw how many rows of each class have which score: positives upward, the others downward.

    ``what`` is an Evaluation, a Histogram, or {name: Histogram}; a row for each.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score={"net": [0.1, 0.9, 0.4, 0.3]})
    >>> scores(ev, ax=Figure().subplots()).get_xlabel()
    'score'
    """
    spread: dict[str, Histogram]
    cuts: dict[str, float | None] = {}
    sides = ("positives", "the others")
    if isinstance(what, Evaluation):
        if not any(m.scores for m in what.models):
            raise InputError(
                f"a score distribution needs scores, and {', '.join(what.names)} has none; "
                "give y_score"
            )
        spread = {_line_name(what, key): h for key, h in what.histograms().items()}
        cuts = {m.name: m.threshold for m in what.models}
        if what.binary:
            others = next(c for c in what.classes if c != what.positive)
            sides = (_plain(what.positive), _plain(others))
    elif isinstance(what, Histogram):
        spread = {"": what}
    elif isinstance(what, Mapping) and all(isinstance(h, Histogram) for h in what.values()):
        spread = dict(what)
    else:
        raise InputError("scores takes an Evaluation, a Histogram or a dictionary of them by name")
    if not spread or len(spread) > MOST_LINES:
        raise InputError(f"there are {len(spread)} distributions; draw 1 to {MOST_LINES}")
    one = len(spread) == 1
    size = WIDE if one else (WIDE[0], 1.2 + 1.1 * len(spread))
    ax = _axes(ax, size, "score", "share of the class" if one else "")
    shares = {name: class_shares(h) for name, h in spread.items()}
    most = max(float(v.max()) for of_class in shares.values() for v in of_class)
    scale, edge = (1.0, 1.1 * most) if one else (0.45 / most, 0.48)
    for i, (name, h) in enumerate(spread.items()):
        for up, share, side in zip((1, -1), shares[name], sides, strict=True):
            ax.stairs(
                up * scale * share - i,
                h.edges,
                baseline=-i,
                fill=True,
                alpha=0.75,
                color=PALETTE[up > 0],
                label=None if i else side,
            )
        ax.hlines(-i, h.edges[0], h.edges[-1], color=INK, linewidth=0.8)
        cut = cuts.get(name)
        if cut is not None:
            ax.vlines(
                cut,
                -i - edge,
                edge - i,
                color=GREY,
                linestyle="--",
                linewidth=1,
                label="" if i else DECIDED,
            )
    if one:
        ax.set_ylim(-1.15 * most, 1.15 * most)
        ax.yaxis.set_major_formatter(lambda share, _: f"{abs(share):g}")
    else:
        ax.set_ylim(0.5 - len(spread), 0.5)
        ax.set_yticks([-i for i in range(len(spread))], [_plain(name).strip() for name in spread])
        ax.grid(False, axis="y")
    _legend(ax, "above")
    return ax


@_held
def critical_difference(what: ModelComparison, *, ax: Axes | None = None) -> Axes:
    """Draw the mean ranks of classifiers over data sets, and bars across those not told apart.

    ``what`` is what :func:`tallymark.compare_results` returns, of two data sets or more. Ranks
    run from 1, the best, on the left; Nemenyi's critical difference stands above, except where
    all are held against a control or there are but two classifiers.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> t = {"dataset": list("aabbccdd"), "classifier": ["net", "tree"] * 4,
    ...      "auc": [.9, .8, .7, .6, .8, .85, .9, .7]}
    >>> ax = critical_difference(tm.compare_results(t), ax=Figure().subplots())
    >>> sorted(text.get_text() for text in ax.texts)
    ['1.75 tree', 'net 1.25']
    """
    if not isinstance(what, ModelComparison):
        raise InputError(
            f"critical_difference takes what compare_results returns, not {type(what).__name__}"
        )
    plan = rank_diagram(what)
    below = 0.6 + 0.35 * plan.levels
    top = 1.6 if plan.difference is not None else 0.2
    ax = _axes(ax, (WIDE[0], 0.9 + 0.3 * (top + below + plan.rows)), "mean rank", "")
    ax.grid(False)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.spines["top"].set(visible=True, position=("data", 0), bounds=(1, plan.most))
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set(xticks=plan.ticks, yticks=[])
    slack = 0.01 * (plan.most - 1)
    edge = (1 - 3 * slack, plan.most + 3 * slack)
    ax.set(xlim=edge, ylim=(-below - plan.rows + 0.5, top))
    beside: Any = {
        "textcoords": "offset points",
        "va": "center",
        "fontsize": "small",
        "annotation_clip": False,
    }
    for n in plan.names:
        y, end = -below - n.row, edge[0 if n.left else 1]
        ax.plot([n.rank, n.rank, end], [0, y, y], color=INK, linewidth=0.8)
        side, offset = ("right", -4) if n.left else ("left", 4)
        ax.annotate(n.text(_plain(n.name).strip()), (end, y), (offset, 0), ha=side, **beside)
    for low, high, level in plan.bars:
        ax.plot(
            [low - slack, high + slack],
            [-0.35 * (level + 1)] * 2,
            color=PALETTE[0],
            linewidth=3.5,
            solid_capstyle="butt",
            label=f"_together-{level}",
        )
    if plan.difference is not None:
        end, y = plan.difference, top - 0.25
        ax.plot([1, end], [y] * 2, color=GREY, marker="|", lw=1.5, label="_critical difference")
        ax.annotate(plan.label, (end, y), (5, 0), color=GREY, **beside)
        ax.xaxis.set_label_coords(0.5, 1.02)
    return ax


# -- what can be drawn of one evaluation ---------------------------------------------------------

MAIN = ("roc", "pr", "calibration", "scores", "confusion", "forest")
"""The first four that there are make the picture of an evaluation."""


class Plots:
    """The plots of one evaluation: ``ev.plot.roc()`` is ``tallymark.plot.roc(ev)``.

    ``dir()`` and tab completion list those that can be drawn. Called with the name of a plot, a
    curve or a metric it draws that one; without a name the main ones side by side.

    >>> import tallymark as tm
    >>> tm.evaluate([0, 1, 0, 1], [0, 1, 1, 1]).plot
    <Plots: confusion, forest, prevalence>
    """

    __slots__ = ("_ev",)

    def __init__(self, ev: Evaluation) -> None:
        self._ev = ev

    def __dir__(self) -> list[str]:
        ev, scored = self._ev, bool(score_tallies(self._ev))
        probable = scored and any(m.probabilities for m in ev.models)
        can = {
            **dict.fromkeys(__all__, scored),
            **{n: probable for n in __all__ if n in CURVES and CURVES[n].needs == "probabilities"},
            "confusion": len(ev.models) == 1,
            "critical_difference": False,
            "forest": True,
            "prevalence": ev.binary,
        }
        return [name for name in __all__ if can[name]]

    def __repr__(self) -> str:
        return f"<Plots: {', '.join(dir(self))}>"

    def __getattr__(self, name: str) -> Any:
        if name[0] == "_":  # as copies and notebooks look for
            raise AttributeError(name)
        if name not in __all__:
            raise AttributeError(f"there is no plot {name!r}; {choices(name, dir(self))}")
        drawn = partial(globals()[name], self._ev)
        drawn.__doc__ = globals()[name].__doc__
        return drawn

    def __call__(self, name: str | None = None, **options: Any) -> Axes | list[Axes]:
        """Draw a plot, a curve or a metric by its name and return its axes; else the main plots."""
        if name is None:
            return self._main()
        name = TEXT.of("name", name)
        if name in __all__:
            return getattr(self, name)(**options)  # type: ignore[no-any-return]
        made = curve if name in CURVES else metric
        return made(self._ev, name, **options)

    def _main(self) -> list[Axes]:
        names = [n for n in MAIN if n in dir(self)][:4]
        rows = math.ceil(len(names) / 2)
        columns = math.ceil(len(names) / rows)
        size = (columns * SQUARE[0], rows * SQUARE[1])
        figure = pyplot().figure(figsize=size, layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False)
        for name, ax in zip(names, axes.flat, strict=False):
            first = words.headline(self._ev)[:1] if name == "forest" else ()
            getattr(self, name)(*first, ax=ax)
        for ax in axes.flat[len(names) :]:
            ax.set_axis_off()
        return list(axes.flat[: len(names)])


# -- what there is to draw ---------------------------------------------------------------------


def lines_of(what: Any, kind: str | Metric, band: str | None = None, **params: Any) -> list[Line]:
    """Return the curves of one kind: of an Evaluation, a Curve, or a dictionary of curves.

    ``kind`` is the name of a curve, or a metric over the thresholds; ``band`` the kind of bounds
    wanted beside them, and ``params`` are those of the curve's function or the metric's.

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
            f"{len(lines)} lines cannot be told apart; give at most {MOST_LINES}, as a dictionary "
            "of some of .curves()"
        )
    return lines


def _of_kind(name: str, what: Any, c: CurveDefinition, style: int = 0) -> Line:
    """Return the line of a finished curve; the prevalence ends one of precision and recall."""
    pr = what.get("pr") if isinstance(what, Mapping) else what
    share = float(pr.y[-1]) if isinstance(pr, Curve) and pr.name == "pr" else None
    curves = []
    for kind in filter(None, (c.name, c.pair)):
        v = what
        if isinstance(what, Mapping):  # as Evaluation.curves() has them
            if kind not in what:
                raise InputError(f"there is no {kind} curve; {choices(kind, what)}")
            v = what[kind]
        if not isinstance(v, Curve):
            raise InputError(f"a {kind} plot takes curves, not {type(v).__name__}")
        if v.name != kind:
            raise InputError(f"this is a {v.name} curve, and a {kind} curve is to be drawn")
        curves.append(v)
    return Line(name, tuple(curves), style, share=share)


def _line_name(ev: Evaluation, key: str) -> str:
    """Return what a line is called: its model or class, or both where there are several."""
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
        r = t.score_counts
        lines.append(
            Line(
                _line_name(ev, key),
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
    """Return the metric that sums a curve up, as the legend tells it."""
    metric, short = c.beside
    if not metric:
        return ""
    if not ev.binary:
        value = ev.per_class()[model][tally.positive].get(metric)
        return "" if value is None else with_interval(short, value)
    one = ev.model(model)
    return with_interval(short, one.value(metric)) if one.models[0].holds(get(metric)) else ""


def with_interval(short: str, value: Value) -> str:
    """Return a number with its interval as a legend has room for it.

    >>> with_interval("AUC", Value("roc_auc", 0.98765, 0.9789, 0.99321))
    'AUC 0.988 [0.979, 0.993]'
    """
    out = f"{short} {words.number(value.value)}"
    if np.isfinite(value.low) and np.isfinite(value.high):
        out += f" [{words.number(value.low)}, {words.number(value.high)}]"
    return out


def _plain(name: Any) -> str:
    r"""Return a name as a legend shows it: no mathematics, not hidden, not too long.

    >>> _plain("_hidden"), _plain("$5"), len(_plain("a" * 90))
    (' _hidden', '\\$5', 28)
    """
    text = words.cut_off(name, MOST_LETTERS)
    return (" " + text if text.startswith("_") else text).replace("$", r"\$")


def _named(line: Line) -> str:
    """Return what the legend says of a line; nothing of a curve without a name."""
    return "  ".join(part for part in (_plain(line.name), line.number) if part)


# -- one way to draw a curve -------------------------------------------------------------------


def _draw(
    what: Any,
    c: CurveDefinition,
    ax: Axes | None,
    threshold: float | bool = False,
    band: str | None = None,
    lines: Sequence[Line] | None = None,
    size: tuple[float, float] | None = None,
    **params: Any,
) -> Axes:
    """Draw a curve as it is declared: lines, bounds, decisions, and what it is read against."""
    lines = lines_of(what, c.name, band, **params) if lines is None else lines
    first = 0 if ax is None else _taken(ax)
    lines = [replace(line, name=_named(line), style=line.style + first) for line in lines]
    d = drawing(c, lines, POINTS)
    square = c.x.scale == "probit" or (not c.x.open and c.x.limits is c.y.limits is unit)
    if size is None:
        size = WIDER if c.pair else SQUARE if square else WIDE
        if not c.pair and _crowded([line.name for line in lines] + 3 * ["chance"]):
            size = size[0] + 4.0, size[1]  # for the legend beside them
    cuts = {line.style: line.threshold if threshold is True else threshold for line in lines}
    decided = {i: float(cut) for i, cut in cuts.items() if cut is not None and cut is not False}
    if not d.x.open:
        points = [_decision(line, decided[line.style]) for line in lines if line.style in decided]
        d = replace(d, dots=[p for p in points if p is not None])
    ax = _paint(ax, size, d)
    if square:
        ax.set_aspect("equal")
    if d.x.open and decided:
        one = len(set(decided.values())) == 1
        for i, cut in list(decided.items())[: 1 if one else None]:
            ax.axvline(cut, color=GREY if one else _color(i), linestyle=":", linewidth=1.2)
        _reference(ax, [], [], DECIDED, ":")
    if c.pair:
        for dash, side in zip(("-", "--"), c.sides or ("positives", "the others"), strict=True):
            _reference(ax, [], [], side, dash)
    marked = (c.dot if d.x.open else DECIDED) if d.dots else ""
    _legend(ax, "beside" if c.pair else "best", marked)
    return ax


def _decision(line: Line, cut: float) -> tuple[float, float, int] | None:
    """Return the point of a curve at which decisions are made by a threshold."""
    v = line.curves[0]
    if v.threshold is None:
        return None
    at = max(int(np.count_nonzero(v.threshold >= cut)) - 1, 0)
    return float(v.x[at]), float(v.y[at]), line.style


def _paint(ax: Axes | None, size: tuple[float, float], d: Drawing) -> Axes:
    """Draw a chart, and return the axes it is on."""
    ax = _axes(ax, size, d.x.label, d.y.label)
    for area in d.areas:
        v, i = d.x.reached(area.curve), area.style or 0
        assert v.low is not None
        assert v.high is not None
        ax.fill_between(
            v.x,
            v.low,
            v.high,
            where=np.isfinite(v.y),
            step=v.step or None,
            color=_color(i),
            alpha=0.15,
            linewidth=0,
            gid=f"band-{i}",
        )
    for s in d.series:
        v, options = _inside(d.x, d.x.reached(s.curve)), {}
        if d.marked:
            options = {"marker": "o", "markersize": 4}
            if v.low is not None and v.high is not None:
                ax.vlines(v.x, v.low, v.high, color=_color(s.style), alpha=0.5, linewidth=1.2)
        if s.second:
            options = {"linestyle": "--", "linewidth": 1.2, "gid": None}
        if v.step:
            options["drawstyle"] = f"steps-{v.step}"
        _curve_line(ax, s.style, v.x, v.y, "" if s.second else s.name, **options)
    for x, y, i in d.dots:
        ax.plot(
            [x],
            [y],
            "o",
            color=_color(i),
            markersize=7,
            markeredgecolor="white",
            markeredgewidth=1.2,
            zorder=4,
        )
    for g in d.guides:
        _guide(ax, g)
    _scale(ax, d)
    return ax


def _inside(axis: Axis, v: Curve) -> Curve:
    """Leave out calling all or no rows positive where lines from there would be of no meaning."""
    if axis.scale != "probit":
        return v
    inside = np.isin(v.x, (0, 1), invert=True) | np.isin(v.y, (0, 1), invert=True)
    x, y = (np.where(inside, values, np.nan) for values in (v.x, v.y))
    return replace(v, x=x, y=y)


def _guide(ax: Axes, g: Guide) -> None:
    """Draw a line to read the others against."""
    if g.kind == "gap":
        ax.plot(g.x, g.y, color=_color(g.style or 0), marker="_", linewidth=2.5, alpha=0.6)
    elif g.style is not None:
        ax.plot(g.x, g.y, color=_color(g.style), linestyle="--", linewidth=0.8, alpha=0.7)
    elif g.kind == "fine":
        _reference(ax, g.x, g.y, None, ":")
        if g.x[-1] == 1:  # it ends at the edge
            ax.annotate(
                g.label,
                (1, g.y[-1]),
                (3, 0),
                textcoords="offset points",
                fontsize="x-small",
                color=GREY,
                va="center",
                annotation_clip=False,
            )
    else:
        _reference(ax, g.x, g.y, g.label, "--" if g.kind == "chance" else ":")


def _scale(ax: Axes, d: Drawing) -> None:
    """Show what the axes show, with room for lines along the edge."""
    if d.x.scale == "logit":
        ax.set_xscale("logit")
        ticks = [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999]
        ax.set_xticks(ticks, [words.share(t) for t in ticks])
        ax.set_xticks([], minor=True)
        return
    room = 0.0
    if d.x.scale == "probit":
        from scipy.special import ndtr, ndtri

        scale = (lambda p: ndtri(np.clip(p, 1e-9, 1 - 1e-9)), ndtr)
        ax.set_xscale("function", functions=scale)
        ax.set_yscale("function", functions=scale)
        for set_ticks in (ax.set_xticks, ax.set_yticks):
            set_ticks(d.x.rates, [f"{100 * t:g} %" for t in d.x.rates])
            set_ticks([], minor=True)
    else:
        room = 0.02
    for axis, limit in ((d.x, ax.set_xlim), (d.y, ax.set_ylim)):
        beyond = room * (axis.high - axis.low)
        limit(axis.low - beyond, axis.high + beyond)


# -- axes and what is on them ------------------------------------------------------------------


def pyplot() -> Any:
    """Return matplotlib's pyplot, loaded when something is drawn."""
    try:
        return import_module("matplotlib.pyplot")
    except ImportError:
        raise InputError(
            "drawing needs matplotlib; install it with: pip install 'tallymark[plot]'"
        ) from None


def _axes(ax: Axes | None, size: tuple[float, float], x_label: str, y_label: str) -> Axes:
    """Return the axes to draw on, new ones if none are given, with their texts and a grid."""
    library = pyplot()
    if ax is None:
        _, ax = library.subplots(figsize=size, layout="constrained")
    assert ax is not None
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    ax.grid(True, color="#e4e4e4", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _color(i: int) -> str:
    return PALETTE[i % len(PALETTE)]


def _taken(ax: Axes) -> int:
    """Return how many lines of ours the axes hold, so that more of them look different."""
    return sum(str(line.get_gid()).startswith("curve-") for line in ax.get_lines())


def _curve_line(ax: Axes, i: int, x: Any, y: Any, label: str, **options: Any) -> None:
    """Draw one line in the i-th style."""
    dash = DASHES[i // len(PALETTE) % len(DASHES)]
    style = {"linestyle": dash, "linewidth": 1.7, "gid": f"curve-{i}"}
    ax.plot(x, y, color=_color(i), label=label or None, **{**style, **options})


def _reference(ax: Axes, x: Any, y: Any, label: str | None, dash: str = "--") -> None:
    """Draw a grey line behind the others, once on the same axes."""
    if label is None or label not in [line.get_label() for line in ax.get_lines()]:
        ax.plot(
            x,
            y,
            color=GREY,
            linestyle=dash,
            linewidth=1,
            label=label,
            zorder=1.5,
            gid="reference" if label else None,
        )


def _crowded(labels: Sequence[str]) -> bool:
    """Return whether a legend is too large to stand inside the axes."""
    return len(labels) > 8 or any(len(label) > 48 for label in labels)


def _legend(ax: Axes, where: str = "best", marked: str = "") -> None:
    """Add a legend, beside the axes where it would be large; ``marked`` is what the dots mean.

    ``where`` is matplotlib's word, or "above" or "beside".
    """
    pairs = list(zip(*ax.get_legend_handles_labels(), strict=True))
    # What grey lines mean comes last.
    pairs.sort(key=lambda pair: getattr(pair[0], "get_gid", str)() == "reference")
    if marked:
        dot = import_module("matplotlib.lines").Line2D(
            [], [], marker="o", linestyle="", color=GREY, markersize=7, markeredgecolor="white"
        )
        pairs.append((dot, marked))
    if not pairs:
        return
    handles, labels = zip(*pairs, strict=True)
    options: dict[str, Any] = {"loc": where}
    if where == "above":
        options = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": 3}
    elif where == "beside" or _crowded(labels):
        edge = 1.12 if ax.texts else 1.01  # what is written there stands at the edge
        options = {"loc": "upper left", "bbox_to_anchor": (edge, 1.0), "borderaxespad": 0}
    ax.legend(handles, labels, fontsize="small", framealpha=0.85, edgecolor="none", **options)
