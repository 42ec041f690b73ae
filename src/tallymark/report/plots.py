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
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.curve import CURVES, Curve, CurveDefinition, Histogram, definition
from tallymark.curve import histogram as distribution
from tallymark.curve.declarations import ISO_F, equal_f
from tallymark.curve.registry import unit
from tallymark.errors import InputError, choices
from tallymark.infer.bands import banded
from tallymark.infer.clustered import Clustered
from tallymark.infer.operating_points import SWEPT
from tallymark.metric import Metric, get
from tallymark.metric.measure import Value
from tallymark.report import words
from tallymark.report.evaluation import Evaluation
from tallymark.report.svg import layout, threshold_range
from tallymark.studies.model_comparison import ModelComparison
from tallymark.tally.arrays import Label
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreTally

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "calibration", "confusion", "cost", "critical_difference", "curve", "deciles", "decision",
    "det", "error_rates", "forest", "gain", "kappa", "ks", "lift", "metric", "pr", "pr_gain",
    "prevalence", "roc", "scores",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__


PALETTE = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#5D3A9B", "#333333",
)  # fmt: skip
"""Okabe and Ito's colours, told apart by the colour-blind; yellow, too pale on white, is not."""

DASHES = ("-", "--", "-.")
MOST_LINES = len(PALETTE) * len(DASHES)
"""More lines cannot be told apart by colour and dash."""

GREY = "#808080"
DECIDED = "decision threshold"
POINTS = 2000
"""More points of a line are not seen, and make files of vector graphics large."""

MOST_LETTERS = 28
MOST_CELLS = 15
"""A larger matrix has no room for numbers."""

SQUARE, WIDE, WIDER = (5.4, 5.0), (6.4, 4.4), (8.6, 4.4)


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
    return _draw(what, definition(name), ax, threshold, band, **params)


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
    first = 0 if ax is None else _taken(ax)
    ax = _draw(what, CURVES["roc"], ax, threshold, band)
    for i, line in enumerate(hulls, first):
        c = line.curve.thin(POINTS)
        ax.plot(c.x, c.y, color=_style(i)["color"], linestyle=":", linewidth=1.2)
    for i, (high, low) in enumerate(zip(upper, lower, strict=True), first):
        a, b = high.curve.thin(POINTS), low.curve.thin(POINTS)
        x, y = np.append(a.x, b.x[::-1]), np.append(a.y, b.y[::-1])
        ax.fill(x, y, color=_style(i)["color"], alpha=0.15, linewidth=0)
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
    ax = _axes(ax, WIDE, "tenth of the rows, highest scores first", "share of positives")
    width = 0.8 / len(lines)
    for i, line in enumerate(lines):
        c = line.curve
        place = np.arange(1, len(c) + 1)
        offset = (i - (len(lines) - 1) / 2) * width
        color = _style(i)["color"]
        ax.bar(place + offset, c.y, width * 0.92, color=color, alpha=0.55, label=line.label)
        if c.low is not None and c.high is not None:
            ax.vlines(place + offset, c.low, c.high, color=color, linewidth=1)
        if c.counts is not None:
            rows, hits = np.cumsum(c.counts), np.cumsum(c.counts * np.nan_to_num(c.y))
            _curve_line(ax, i, place, hits / rows, "", marker=".")
            if i == 0:
                share = float(hits[-1] / rows[-1])
                _reference(ax, [0.5, len(c) + 0.5], [share] * 2, "all rows")
    _reference(ax, [], [], "down to there", "-")
    most = max(len(line.curve) for line in lines)
    ax.set(xticks=range(1, most + 1), ylim=(0, None))
    ax.grid(False, axis="x")
    _legend(ax)
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
    first = 0 if ax is None else _taken(ax)
    ax = _draw(what, c, ax, lines=lines, size=(SQUARE[0], SQUARE[1] * 1.15))
    tallies = [(i, line.tally) for i, line in enumerate(lines, first) if line.tally is not None]
    if histogram and tallies:
        lower: Axes = ax.inset_axes((0, -0.25, 1, 0.2), sharex=ax)
        lower.spines[["top", "right"]].set_visible(False)
        lower.set(xlabel=ax.get_xlabel(), ylabel="rows")
        ax.set_xlabel("")
        ax.tick_params(labelbottom=False)
        for i, tally in tallies:
            h, one = distribution(tally), len(tallies) == 1
            lower.stairs(h.pos + h.neg, h.edges, color=_style(i)["color"], fill=one,
                         alpha=0.6 if one else 1)  # fmt: skip
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
    return _draw(what, CURVES["decision"], ax, False, band, **params)


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
    return _draw(what, c, ax, threshold, lines=lines)


def _bounded(ev: Evaluation, line: Line, c: CurveDefinition) -> Line:
    """Add bounds, where the evaluation has them, and the value at the threshold in use."""
    band = line.band
    if c.name in SWEPT and not c.params and band is None:
        sweep = ev.sweep()[line.name]
        y, low, high = sweep.metrics[c.name]
        cuts = sweep.threshold
        band = Curve(c.name, "threshold", c.name, cuts, y, cuts, low=low, high=high, step=c.step)
    value = ev.model(line.name).value(c.name, **c.params)
    return replace(line, band=band, beside=with_interval("", value).strip())


# -- what was counted, and one metric of several models ---------------------------------------


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
    ax = _axes(ax, WIDE, "share of positives", wanted[0].title if one else "value")
    i = _taken(ax)
    for model in what.names:
        ev = what.model(model)
        for metric in wanted:
            c = ev.curve(metric.name, over="prevalence", **params)
            label = model if one else metric.title
            label = label if one or len(what.names) == 1 else f"{model}: {metric.title}"
            if c.low is not None and c.high is not None:
                color = _style(i)["color"]
                ax.fill_between(c.x, c.low, c.high, color=color, alpha=0.15, linewidth=0)
            _curve_line(ax, i, c.x, c.y, label)
            own = ev["prevalence"].value
            ax.plot([own], [ev.value(metric, **params).value], "o", ms=4, color=_style(i)["color"],
                    label="_in these rows")  # fmt: skip
            i += 1
    ax.set_xscale("logit")
    ticks = [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999]
    ax.set_xticks(ticks, [words.share(t) for t in ticks])
    ax.set_xticks([], minor=True)
    _legend(ax)
    return ax


def forest(what: Any, name: str | Metric | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw one metric of several models with its intervals, a row each, and what chance gives.

    ``what`` is an Evaluation, or {name: Value} of values of one metric.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1] * 9, {"net": [0, 1, 1, 1] * 9, "tree": [0, 1, 0, 0] * 9})
    >>> ax = forest(ev, "mcc", ax=Figure().subplots())
    >>> [t.get_text() for t in ax.get_yticklabels()]
    ['net', 'tree']
    """
    if isinstance(what, Evaluation):
        if name is None:
            raise InputError("forest needs to know which metric; say forest(ev, 'mcc')")
        values = {m: ev.value(name) for m in what.names for ev in [what.model(m)]}
    elif isinstance(what, Mapping) and what and all(isinstance(v, Value) for v in what.values()):
        values = dict(what)
    else:
        raise InputError("forest takes an Evaluation, or a dictionary of values by name")
    found = get(next(iter(values.values())).metric)
    ax = _axes(ax, (WIDE[0], 1.1 + 0.42 * len(values)), found.title, "")
    for i, v in enumerate(values.values()):
        if v.reason:
            ax.annotate(v.reason, (0.02, i), xycoords=("axes fraction", "data"), va="center",
                        fontsize="small", color=GREY)  # fmt: skip
            continue
        if np.isfinite(v.low) and np.isfinite(v.high):
            ax.hlines(i, v.low, v.high, color=_style(0)["color"], linewidth=2)
        ax.plot([v.value], [i], "s", color=_style(0)["color"], markersize=6)
        ax.annotate(with_interval("", v).strip(), (1.02, i), xycoords=("axes fraction", "data"),
                    va="center", fontsize="small", annotation_clip=False)  # fmt: skip
    low, high = ax.get_xlim()
    # Far from all of them, it would leave no room to tell the intervals apart.
    if isinstance(found.chance, float) and 2 * low - high <= found.chance <= 2 * high - low:
        ax.axvline(found.chance, color=GREY, linestyle="--", linewidth=1)
    ax.set_yticks(range(len(values)), [_plain(n).strip() for n in values])
    ax.set_ylim(len(values) - 0.5, -0.5)
    ax.grid(False, axis="y")
    return ax


def confusion(what: Any, *, ax: Axes | None = None, numbers: bool = True) -> Axes:
    """Draw the confusion matrix: counts, coloured by the share of their true class.

    ``what`` is an Evaluation of one model, or a LabelTally. ``numbers`` writes counts and shares
    into the cells, up to 15 classes.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ax = confusion(tm.evaluate([0, 1, 1, 1], [0, 1, 1, 0]), ax=Figure().subplots())
    >>> ax.texts[-1].get_text().split()
    ['2', '67', '%']
    """
    if isinstance(what, Evaluation):
        if len(what.models) > 1:
            raise InputError(
                f"a confusion matrix is of one model, and here are {len(what.models)}; choose one "
                f"with .model({what.names[0]!r})"
            )
        tally = what.models[0].labels
    elif isinstance(what, LabelTally):
        tally = what
    else:
        raise InputError(
            f"confusion takes an Evaluation or a LabelTally, not {type(what).__name__}"
        )
    k = len(tally.labels)
    if not k:
        raise InputError("there is no confusion matrix of no class; count some rows first")
    rows = tally.counts.sum(1, keepdims=True)
    shares = np.divide(tally.counts, rows, out=np.zeros_like(tally.counts), where=rows > 0)
    size = min(2.6 + 0.75 * k, 10.0)
    ax = _axes(ax, (size, size * 0.92), "predicted class", "true class")
    ax.grid(False)
    ax.spines[:].set_visible(False)
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    names = [_plain(label).strip() for label in tally.labels]
    turned: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    crowded = sum(map(len, names)) > 8 * 5 or max(map(len, names)) > 12
    ax.set_xticks(range(k), names, **(turned if crowded else {}))
    ax.set_yticks(range(k), names)
    ax.tick_params(length=0)
    if numbers and k <= MOST_CELLS:
        for i in range(k):
            for j in range(k):
                n, share = float(tally.counts[i, j]), float(shares[i, j])
                ax.text(j, i, f"{words.count(n)}\n{words.percent(share, 0)}", ha="center",
                        va="center", color="white" if share > 0.55 else "black",
                        fontsize="medium" if k <= 5 else "x-small")  # fmt: skip
    return ax


def scores(what: Any, *, ax: Axes | None = None) -> Axes:
    """Draw how many rows of each class have which score: positives upward, the others downward.

    ``what`` is an Evaluation, a Histogram, or {name: Histogram}; a row for each.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score={"net": [0.1, 0.9, 0.4, 0.3]})
    >>> scores(ev, ax=Figure().subplots()).get_xlabel()
    'score'
    """
    found: dict[str, Histogram]
    cuts: dict[str, float | None] = {}
    sides = ("positives", "the others")
    if isinstance(what, Evaluation):
        alone = f"{what.names[0]}: " if len(what.models) == 1 and not what.binary else ""
        found = {key.removeprefix(alone): h for key, h in what.histograms().items()}
        cuts = {m.name: m.threshold for m in what.models}
        if not any(m.scores for m in what.models):
            raise InputError(
                f"a score distribution needs scores, and {', '.join(what.names)} has none; "
                "give y_score"
            )
        if what.binary:
            others = [c for c in what.classes if c != what.positive]
            sides = (_plain(what.positive), _plain(others[0]))
    elif isinstance(what, Histogram):
        found = {"": what}
    elif isinstance(what, Mapping) and all(isinstance(h, Histogram) for h in what.values()):
        found = dict(what)
    else:
        raise InputError("scores takes an Evaluation, a Histogram or a dictionary of them by name")
    if not found or len(found) > MOST_LINES:
        raise InputError(f"there are {len(found)} distributions; draw 1 to {MOST_LINES}")
    one = len(found) == 1
    size = WIDE if one else (WIDE[0], 1.2 + 1.1 * len(found))
    ax = _axes(ax, size, "score", "share of the class" if one else "")
    most = 0.0
    for i, (name, h) in enumerate(found.items()):
        shares = [v / max(float(v.sum()), 1e-300) for v in (h.pos, h.neg)]
        most = max(float(share.max()) for share in shares)
        scale = 1.0 if one else 0.45 / most  # each row as high as there is room
        for up, share, side in zip((1, -1), shares, sides, strict=True):
            ax.stairs(up * scale * share - i, h.edges, baseline=-i, fill=True, alpha=0.75,
                      color=PALETTE[up > 0], label=None if i else side)  # fmt: skip
        ax.hlines(-i, h.edges[0], h.edges[-1], color="#333333", linewidth=0.8)
        cut = cuts.get(name)
        if cut is not None:
            high = 1.1 * most if one else 0.48
            ax.vlines(cut, -i - high, high - i, color=GREY, linestyle="--", linewidth=1,
                      label="" if i else DECIDED)  # fmt: skip
    if one:
        ax.set_ylim(-1.15 * most, 1.15 * most)
        ax.yaxis.set_major_formatter(lambda share, _: f"{abs(share):g}")
    else:
        ax.set_ylim(0.5 - len(found), 0.5)
        ax.set_yticks([-i for i in range(len(found))], [_plain(name).strip() for name in found])
        ax.grid(False, axis="y")
    _legend(ax, "above")
    return ax


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
    ['1.75  tree', 'net  1.25']
    """
    if not isinstance(what, ModelComparison):
        raise InputError(
            f"critical_difference takes what compare_results returns, not {type(what).__name__}"
        )
    plan = layout(what)
    below = 0.6 + 0.35 * plan.levels
    top = 1.6 if plan.difference is not None else 0.2
    size = (WIDE[0], 0.9 + 0.3 * (top + below + plan.rows))
    ax = _axes(ax, size, "mean rank", "")
    ax.grid(False)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.spines["top"].set_visible(True)
    ax.spines["top"].set_position(("data", 0))
    ax.spines["top"].set_bounds(1, plan.most)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_xticks(plan.ticks)
    ax.set_yticks([])
    edge = (1 - 0.03 * (plan.most - 1), plan.most + 0.03 * (plan.most - 1))
    ax.set(xlim=edge, ylim=(-below - plan.rows + 0.5, top))
    for mark in plan.marks:
        y, end = -below - mark.row, edge[0 if mark.left else 1]
        ax.plot([mark.rank, mark.rank, end], [0, y, y], color="#333333", linewidth=0.8)
        name = _plain(mark.name).strip()
        text = f"{name}  {mark.rank:.2f}" if mark.left else f"{mark.rank:.2f}  {name}"
        ax.annotate(text, (end, y), xytext=(-4 if mark.left else 4, 0), annotation_clip=False,
                    textcoords="offset points", ha="right" if mark.left else "left",
                    va="center", fontsize="small")  # fmt: skip
    for low, high, level in plan.bars:
        slack = 0.008 * (plan.most - 1)
        ax.plot([low - slack, high + slack], [-0.35 * (level + 1)] * 2, color=PALETTE[0],
                linewidth=3.5, solid_capstyle="butt", label=f"_together-{level}")  # fmt: skip
    if plan.difference is not None:
        end = min(1 + plan.difference, plan.most)
        ax.plot([1, end], [top - 0.25] * 2, color=GREY, marker="|", linewidth=1.5,
                label="_critical difference")  # fmt: skip
        ax.annotate(f"critical difference {plan.difference:.2f}", (end, top - 0.25),
                    xytext=(5, 0), textcoords="offset points", va="center", fontsize="small",
                    color=GREY, annotation_clip=False)  # fmt: skip
        ax.xaxis.set_label_coords(0.5, 1.02)
    return ax


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
    others = lines_of(what, c.pair, band, **params) if c.pair else []
    ends = threshold_range([line.curve for line in lines]) if c.x.open else None
    square = c.x.scale == "probit" or (ends is None and c.x.limits is c.y.limits is unit)
    if size is None:
        size = WIDER if c.pair else SQUARE if square else WIDE
        if not c.pair and _crowded([line.label for line in lines] + 3 * ["chance"]):
            size = size[0] + 4.0, size[1]  # for the legend beside them
    ax = _axes(ax, size, c.x.title, c.axis_title or c.y.title)
    first = _taken(ax)
    if c.x.scale == "probit":
        _probit_axes(ax, *(np.concatenate([getattr(v.curve, n) for v in lines]) for n in "xy"))
        lines = [_without_ends(line) for line in lines]
    marked = ""
    for i, line in enumerate(lines, first):
        if c.draw == "points":
            v, color = line.curve, _style(i)["color"]
            if v.low is not None and v.high is not None:
                ax.vlines(v.x, v.low, v.high, color=color, alpha=0.5, linewidth=1.2)
            _curve_line(ax, i, v.x, v.y, line.label, marker="o", markersize=4)
            continue
        _line_and_band(ax, i, line, ends)
        at = line.decided(threshold) if ends is None else None
        if at is not None:
            marked = DECIDED
            _mark(ax, i, float(line.curve.x[at]), float(line.curve.y[at]))
    for i, (line, other) in enumerate(zip(lines, others, strict=False), first):
        dashed = {"label": "", "linestyle": "--", "linewidth": 1.2, "gid": None}
        _line_and_band(ax, i, other, ends, **dashed)
        place = c.highlight(line.curve, other.curve) if c.highlight else None
        if place is not None and c.dot:
            marked = c.dot
            _mark(ax, i, float(place[0][0]), float(place[1][0]))
        elif place is not None:
            ax.plot(*place, color=_style(i)["color"], marker="_", linewidth=2.5, alpha=0.6)
    if ends is not None and threshold is not False:
        _decided_at(ax, first, lines, threshold)
    if c.pair:
        for dash, side in zip(("-", "--"), c.sides or ("positives", "the others"), strict=True):
            _reference(ax, [], [], side, dash)
    _references(ax, c, lines, first)
    if c.x.scale != "probit":
        _limits(ax, c, lines, ends, square)
    _legend(ax, "beside" if c.pair else "best", marked)
    return ax


@dataclass(frozen=True, slots=True)
class Line:
    """A curve to be drawn, and what is known of it where it comes from an evaluation.

    ``threshold`` is where decisions were made; ``beside`` the number that sums the curve up;
    ``band`` the curve again with the bounds that were asked for, in points of its own; ``share``
    the prevalence.
    """

    name: str
    curve: Curve
    threshold: float | None = None
    beside: str = ""
    tally: ScoreTally | None = None
    band: Curve | None = None
    model: str = ""
    share: float | None = None

    @property
    def label(self) -> str:
        """What the legend says; nothing of a curve without a name."""
        return "  ".join(part for part in (_plain(self.name), self.beside) if part)

    def decided(self, threshold: float | bool) -> int | None:
        """Return which point of the curve its decisions are, or those at a threshold given."""
        cut = self.threshold if threshold is True else threshold
        if cut is None or cut is False or self.curve.threshold is None:
            return None
        return max(int(np.count_nonzero(self.curve.threshold >= cut)) - 1, 0)


def pyplot() -> Any:
    """Return matplotlib's pyplot, loaded when something is drawn."""
    try:
        return import_module("matplotlib.pyplot")
    except ImportError:
        raise InputError(
            "drawing needs matplotlib; install it with: pip install 'tallymark[plot]'"
        ) from None


# -- what there is to draw ---------------------------------------------------------------------


def lines_of(what: Any, kind: str | Metric, band: str | None = None, **params: Any) -> list[Line]:
    """Return the curves of one kind: of an Evaluation, a Curve, or a dictionary of curves.

    ``kind`` is the name of a curve, or a metric over the thresholds; ``band`` the kind of bounds
    wanted beside them, and ``params`` are those of the curve's function or the metric's.

    >>> import tallymark as tm
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score=[0.1, 0.9, 0.4, 0.3])
    >>> [(line.name, line.threshold, len(line.curve)) for line in lines_of(ev, "roc")]
    [('model', 0.5, 5)]
    """
    curve = definition(kind, **({} if kind in CURVES else params))
    name = curve.name
    if isinstance(what, Evaluation):
        lines = _of_evaluation(what, curve, params)
        if band is not None:
            lines = [_with_band(what, line, kind, band, params) for line in lines]
    elif band is not None:
        raise InputError(f"band={band!r} cannot be added to a finished curve; give an Evaluation")
    elif params:
        raise InputError(f"{', '.join(params)} cannot change a finished curve; give an Evaluation")
    elif isinstance(what, Curve):
        lines = [_of_kind("", what, name)]
    elif isinstance(what, Mapping):
        if not what:
            raise InputError(f"there is no {name} curve to draw; the dictionary is empty")
        lines = [_of_kind(str(key), found, name) for key, found in what.items()]
    else:
        raise InputError(
            f"a {name} plot takes an Evaluation, a Curve or a dictionary of curves by name, "
            f"not {type(what).__name__}"
        )
    if len(lines) > MOST_LINES:
        raise InputError(
            f"{len(lines)} lines cannot be told apart; give at most {MOST_LINES}, as a dictionary "
            "of some of .curves()"
        )
    return lines


def _of_kind(name: str, curve: Any, kind: str) -> Line:
    """Return the line of a finished curve; the prevalence ends one of precision and recall."""
    pr = curve.get("pr") if isinstance(curve, Mapping) else curve
    share = float(pr.y[-1]) if isinstance(pr, Curve) and pr.name == "pr" else None
    if isinstance(curve, Mapping):  # as Evaluation.curves() has them
        if kind not in curve:
            raise InputError(f"there is no {kind} curve; {choices(kind, curve)}")
        curve = curve[kind]
    if not isinstance(curve, Curve):
        raise InputError(f"a {kind} plot takes curves, not {type(curve).__name__}")
    if curve.name != kind:
        raise InputError(f"this is a {curve.name} curve, and a {kind} curve is to be drawn")
    return Line(name, curve, share=share)


def _of_evaluation(ev: Evaluation, curve: CurveDefinition, params: Mapping[str, Any]) -> list[Line]:
    names = ", ".join(ev.names)
    if not any(m.scores for m in ev.models):
        raise InputError(f"a {curve.name} curve needs scores, and {names} has none; give y_score")
    judged = [m for m in ev.models if m.scores and (curve.needs == "scores" or m.probabilities)]
    if not judged:
        raise InputError(f"a {curve.name} curve needs probabilities, and {names} holds scores")
    options = {**{o: getattr(ev, o) for o in curve.options}, **params}
    lines = []
    for m, t in [(one, tally) for one in judged for tally in one.scores]:
        r = t.score_counts
        if r.positives > 0 and r.negatives > 0:
            label = str(t.positive)
            name = m.name if ev.binary else label if len(ev.models) == 1 else f"{m.name}: {label}"
            number = _beside(ev, m.name, t.positive, curve)
            share = float(r.positives) / float(r.total)
            lines.append(
                Line(name, curve(t, **options), m.threshold, number, t, model=m.name, share=share)
            )
    if not lines:
        raise InputError(f"a {curve.name} curve needs rows of both classes, and here is only one")
    return lines


def _with_band(
    ev: Evaluation, line: Line, kind: str | Metric, band: str, params: Mapping[str, Any]
) -> Line:
    options: dict[str, Any] = {"seed": ev.seed, "stratified": ev.stratified}
    rows = Clustered.of(ev.counted, line.model, **options) if ev.clusters else None
    assert line.tally is not None
    bounded = banded(
        line.tally, kind, band, level=ev.level, clustered=rows, **{**options, **params}
    )
    return replace(line, band=bounded)


def _beside(ev: Evaluation, model: str, label: Label, curve: CurveDefinition) -> str:
    metric, short = curve.beside
    if not metric:
        return ""
    if ev.binary:
        one = ev.model(model)
        return with_interval(short, one.value(metric)) if one.models[0].holds(get(metric)) else ""
    value = ev.per_class()[model][label].get(metric)
    return "" if value is None else with_interval(short, value)


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
    text = words.text(name)
    text = text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"
    return (" " + text if text.startswith("_") else text).replace("$", r"\$")


# -- axes and what is on them ------------------------------------------------------------------


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


def _style(i: int) -> dict[str, Any]:
    """Return colour and dash of the i-th line."""
    dash = DASHES[i // len(PALETTE) % len(DASHES)]
    return {"color": PALETTE[i % len(PALETTE)], "linestyle": dash, "linewidth": 1.7}


def _taken(ax: Axes) -> int:
    """Return how many lines of ours the axes hold, so that more of them look different."""
    return sum(str(line.get_gid()).startswith("curve-") for line in ax.get_lines())


def _curve_line(ax: Axes, i: int, x: Any, y: Any, label: str, **options: Any) -> None:
    """Draw one line in the i-th style."""
    ax.plot(x, y, **{**_style(i), "label": label or None, "gid": f"curve-{i}", **options})


def _line_and_band(
    ax: Axes, i: int, line: Line, ends: tuple[float, float] | None, **options: Any
) -> None:
    """Draw a curve as it is joined, shaded from low to high where it or its band has bounds.

    Few enough points are drawn; a curve over the threshold goes on to both ``ends`` of its axis.
    """
    thin = [c.thin(POINTS) for c in (line.curve, line.band or line.curve)]
    c, band = thin if ends is None else [v.between(*ends) for v in thin]
    if band.low is not None and band.high is not None:
        ax.fill_between(
            band.x, band.low, band.high, where=np.isfinite(band.y), step=band.step or None,
            color=_style(i)["color"], alpha=0.15, linewidth=0, gid=f"band-{i}",
        )  # fmt: skip
    joined = {"drawstyle": f"steps-{c.step}"} if c.step else {}
    _curve_line(ax, i, c.x, c.y, **{"label": line.label, **joined, **options})


def _mark(ax: Axes, i: int, x: float, y: float) -> None:
    """Mark a point of the i-th line."""
    ax.plot(
        [x], [y], "o", color=_style(i)["color"], markersize=7, markeredgecolor="white",
        markeredgewidth=1.2, zorder=4,
    )  # fmt: skip


def _reference(ax: Axes, x: Any, y: Any, label: str | None, dash: str = "--") -> None:
    """Draw a grey line behind the others, once on the same axes."""
    if label is None or label not in [line.get_label() for line in ax.get_lines()]:
        ax.plot(x, y, color=GREY, linestyle=dash, linewidth=1, label=label, zorder=1.5,
                gid="reference" if label else None)  # fmt: skip


def _references(ax: Axes, c: CurveDefinition, lines: Sequence[Line], first: int) -> None:
    """Draw the lines that a curve is read against; where classes differ, one for each."""
    shares = {None if line.share is None else round(line.share, 9) for line in lines}
    share = lines[0].share if len(shares) == 1 else None
    for r in c.references:
        if r.of_share and share is None:
            for i, line in enumerate(lines if r.dash == "--" else (), first):
                if line.share is not None:
                    ax.plot(*r.points(line.share), color=_style(i)["color"], linestyle="--",
                            linewidth=0.8, alpha=0.7)  # fmt: skip
            continue
        x, y = r.points(0.5 if share is None else share)
        level = r.of_share and len(set(np.asarray(y).tolist())) == 1
        label = f"{r.label} {words.number(float(y[0]))}" if level else r.label
        _reference(ax, x, y, None if r.fine else label, r.dash)
        if r.fine and c.x.limits is unit and c.x.scale == "linear":
            ax.annotate(
                r.label, (1, y[-1]), (3, 0), textcoords="offset points", fontsize="x-small",
                color=GREY, va="center", annotation_clip=False,
            )  # fmt: skip


def _decided_at(ax: Axes, first: int, lines: Sequence[Line], threshold: float | bool) -> None:
    """Draw where decisions are made: one grey line where all lines have the same threshold."""
    cuts = [line.threshold if threshold is True else float(threshold) for line in lines]
    known = {cut for cut in cuts if cut is not None}
    for i, cut in enumerate(cuts if len(known) > 1 else known, first):
        if cut is not None:
            color = _style(i)["color"] if len(known) > 1 else GREY
            ax.axvline(cut, color=color, linestyle=":", linewidth=1.2)
    if known:
        _reference(ax, [], [], DECIDED, ":")


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


def _limits(ax: Axes, c: CurveDefinition, lines: Sequence[Line], ends: Any, square: bool) -> None:
    """Show what the axes are declared to show, with room for lines along the edge."""
    if ends is not None or c.x.limits is unit:
        low, high = ends or (0.0, 1.0)
        ax.set_xlim(low - 0.02 * (high - low), high + 0.02 * (high - low))
    if c.y.limits is unit:
        ax.set_ylim(-0.02, 1.02)
    elif ends is None:
        y = np.concatenate([line.curve.y for line in lines])
        y = y[np.isfinite(y)]
        low, high = c.y.limits(float(y.min(initial=0)), float(y.max(initial=0)))
        ax.set_ylim(low - 0.02 * (high - low) * (low < 0), high + 0.02 * (high - low))
    if square:
        ax.set_aspect("equal")


def _probit_axes(ax: Axes, x: Any, y: Any) -> None:
    """Scale both axes by normal deviates, so that scores of two normal classes give a line.

    They reach down to the least rate above 0 that goes with another of no more than 80 %.
    """
    from scipy.special import ndtr, ndtri

    top = 0.8
    rates = np.stack([x, y])[:, (x < top) & (y < top)]
    least = float(rates[rates > 0].min(initial=0.01))
    low = next((t for t in (0.01, 1e-3, 1e-4) if t <= least), 1e-5)
    ticks = [low, *(t for t in (1e-3, 0.01, 0.05, 0.2, 0.5, top) if t > low)]
    scale = (lambda p: ndtri(np.clip(p, 1e-9, 1 - 1e-9)), ndtr)
    ax.set_xscale("function", functions=scale)
    ax.set_yscale("function", functions=scale)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(ticks, [f"{100 * t:g} %" for t in ticks])
        axis.set_ticks([], minor=True)
    ax.set(xlim=(low, top), ylim=(low, top), aspect="equal")


def _without_ends(line: Line) -> Line:
    """Leave out calling all or no rows positive: lines from there would be of no meaning."""
    c = line.curve
    inside = np.isin(c.x, (0, 1), invert=True) | np.isin(c.y, (0, 1), invert=True)
    x, y = (np.where(inside, v, np.nan) for v in (c.x, c.y))
    return replace(line, curve=replace(c, x=x, y=y))
