"""Plots on matplotlib axes: ``tallymark.plot.roc(ev)``.

Every function accepts an :class:`~tallymark.Evaluation` (one line per model, or per class if there
are more than two), a :class:`~tallymark.curve.Curve`, or a dictionary of curves by name. It draws
on the given axes, or creates a figure, and returns the axes. It does not show the figure or change
a global setting. Points are joined by lines or steps, as the curve declares, and bounds are shaded;
``band`` adds bounds to the curves of an Evaluation, such as "pointwise" or "simultaneous".

Every declared curve is a function of its name without code in this module:
``tallymark.plot.lift``. The curves with a function below have additional options.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Protocol

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
from tallymark.curve import CURVES, CurveDefinition, definition
from tallymark.curve.declarations import ISO_F, equal_f
from tallymark.errors import InputError, choices
from tallymark.metric import Metric, get
from tallymark.part import names
from tallymark.report import artists
from tallymark.report.drawing import Drawing, Line
from tallymark.report.evaluation import Evaluation, score_tallies
from tallymark.report.subjects import curves, distributions, matrices, rows
from tallymark.report.subjects.summary import headline

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "calibration",
    "confusion",
    "cost",
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


__all__ += names("plots")


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    """Return a plot that a part adds, or the plot of a curve."""
    if name in names("plots"):
        part, place = names("plots")[name]
        return part.load(place)
    if name in __all__ or name in CURVES:
        return _of_curve(_charts().get(name) or CURVES[name])
    raise AttributeError(f"there is no plot {name!r}; {choices(name, [*__all__, *CURVES])}")


class CurvePlot(Protocol):
    """A function that draws a curve as it is declared."""

    def __call__(
        self,
        what: Any,
        *,
        ax: Axes | None = None,
        threshold: float | bool = ...,
        band: str | None = None,
        **params: Any,
    ) -> Axes:
        """Draw the curve and return the axes."""
        ...


# Declared for editors and type checkers; created on access.
cost: CurvePlot
decision: CurvePlot
error_rates: CurvePlot
gain: CurvePlot
kappa: CurvePlot
ks: CurvePlot
lift: CurvePlot
pr_gain: CurvePlot

_checked_plot = checked(
    what=made_by(
        "an evaluation, such as tm.evaluate(y_true, y_pred), or a curve",
        "Evaluation",
        "Curve",
        "Histogram",
        "LabelTally",
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


@_checked_plot
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
        The axes to draw on; a new figure by default.
    threshold : float or bool
        The decisions to mark: those made, none, or those at another threshold.
    band : {"pointwise", "vertical", "simultaneous"}, optional
        Shade a confidence band: see :func:`tallymark.infer.bands.banded`.
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


def _charts() -> dict[str, CurveDefinition]:
    """Return the curves that have a chart, by the name of the chart."""
    return {c.key: c for c in CURVES.values() if c.title}


OF_CURVES = """Draw {meaning}

{words}

Parameters
----------
what : Evaluation, Curve or {{name: Curve}}
    What to draw.{pair}
ax : Axes, optional
    Where; a new figure otherwise.
threshold : float or bool
    Which decisions to mark: those made, none, or those at another threshold.
band : {{"pointwise", "vertical", "simultaneous"}}, optional
    Shade how sure the curve is: see :func:`tallymark.infer.bands.banded`.
params
    Those of the curve's function, such as ``points``.
"""


@cache
def _of_curve(c: CurveDefinition) -> CurvePlot:
    """Return the function that draws a curve."""

    def plot(
        what: Any,
        *,
        ax: Axes | None = None,
        threshold: float | bool = c.marks_threshold,
        band: str | None = None,
        **params: Any,
    ) -> Axes:
        return _draw(what, c, ax, threshold, band, **params)

    pair = (
        f" Of finished curves {{name: {{{c.name!r}: Curve, {c.pair!r}: Curve}}}}, as in "
        "``ev.curves()``."
        if c.pair
        else ""
    )
    plot.__name__ = plot.__qualname__ = c.key
    plot.__doc__ = OF_CURVES.format(meaning=c.meaning, words=c.words, pair=pair)
    return _checked_plot(plot)


def _draw(
    what: Any,
    c: CurveDefinition,
    ax: Axes | None,
    threshold: float | bool = False,
    band: str | None = None,
    **params: Any,
) -> Axes:
    return artists.lines(
        ax, _chart(curves.lines_of(what, c.name, band, **params), c, ax, threshold)
    )


def _chart(
    lines: Sequence[Line], c: CurveDefinition, ax: Axes | None, threshold: float | bool = False
) -> Drawing:
    """Return the chart of a curve, in line styles that the axes do not contain yet."""
    first = artists.lines_in(ax)
    return curves.chart(c, [replace(line, style=line.style + first) for line in lines], threshold)


# -- curves with options of their own ----------------------------------------------------------


@_checked_plot
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
        The axes to draw on; a new figure by default.
    threshold : float or bool
        The decisions to mark: those made, none, or those at another threshold.
    hull : bool
        Add the convex hull as a dotted line.
    ties : bool
        Shade the range that tied scores allow, from the pessimistic to the optimistic curve.
    band : {"pointwise", "vertical", "simultaneous"}, optional
        Shade a confidence band: see :func:`tallymark.infer.bands.banded`.

    Examples
    --------
    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score={"net": [0.1, 0.9, 0.4, 0.3]})
    >>> ax = roc(ev, ax=Figure().subplots())
    >>> ax.get_lines()[0].get_ydata().tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]

    """
    first = artists.lines_in(ax)
    corners = curves.hulls(what, first) if hull else []
    shapes = curves.ties(what, first) if ties else []
    d = _chart(curves.lines_of(what, "roc", band), CURVES["roc"], ax, threshold)
    return artists.lines(ax, replace(d, guides=[*d.guides, *corners], shapes=shapes))


@_checked_plot
def pr(
    what: Any,
    *,
    ax: Axes | None = None,
    threshold: float | bool = True,
    iso_f: Sequence[float] = ISO_F,
    band: str | None = None,
) -> Axes:
    """Draw precision-recall curves over lines of equal F1, with what guessing achieves.

    Precision is drawn in steps, as average precision is computed. Guessing achieves the share of
    positives, which differs between classes.

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


@_checked_plot
def det(
    what: Any,
    *,
    ax: Axes | None = None,
    threshold: float | bool = True,
    band: str | None = None,
    linear: bool = False,
) -> Axes:
    """Draw detection error tradeoffs: both error rates, on axes of normal deviates.

    Scores that are normal in each class give a straight line. Rates of 0 and 1 are out of range.
    With ``linear`` the axes are linear and swapped, false accepts against false rejects, as in
    Tharwat (2018, figure 12).

    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from tallymark.curve import Curve
    >>> x = np.array([0.01, 0.2, 0.5])
    >>> c = Curve("det", "false_positive_rate", "false_negative_rate", x, x[::-1])
    >>> ax = det({"net": c}, ax=Figure().subplots())
    >>> [t.get_text() for t in ax.get_xticklabels()][:3]
    ['1 %', '5 %', '20 %']
    """
    return _draw(what, CURVES["det_linear" if linear else "det"], ax, threshold, band)


@_checked_plot
def deciles(what: Any, *, ax: Axes | None = None, **params: Any) -> Axes:
    """Draw the share of positives in each tenth of the rows, highest scores first, as bars.

    Lines show the cumulative share of positives, if the curve has counts. ``params`` are those of
    the curve's function, such as ``parts``.

    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from tallymark.curve import Curve
    >>> n = np.arange(1.0, 11)
    >>> c = Curve("deciles", "tenth", "response rate", n / 10, 1 / n, counts=np.full(10, 50.0))
    >>> len(deciles({"net": c}, ax=Figure().subplots()).patches)
    10
    """
    return artists.bars(ax, curves.tenths(curves.lines_of(what, "deciles", None, **params)))


@_checked_plot
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
        The axes to draw on; a new figure by default.
    isotonic : bool
        Draw probabilities recalibrated by isotonic regression, instead of bins.
    histogram : bool
        Show the distribution of the probabilities below, if ``what`` is an Evaluation.
    params
        Those of the curve's function, such as ``bins``, ``strategy`` and ``bounds``.

    Examples
    --------
    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score={"net": [0.1, 0.9, 0.4, 0.3]})
    >>> calibration(ev, ax=Figure().subplots()).get_ylabel()
    'share truly positive'

    """
    c = CURVES["calibration_isotonic" if isotonic else "calibration"]
    lines = curves.lines_of(what, c.name, None, **params)
    first = artists.lines_in(ax)
    ax = artists.lines(ax, _chart(lines, c, ax), artists.TALL)
    if histogram and isinstance(what, Evaluation):
        spread = what._histograms()
        of = [(i, spread[line.key]) for i, line in enumerate(lines, first)]
        artists.spread_below(ax, [(i, h.pos + h.neg, h.edges) for i, h in of])
    return ax


# -- metrics over thresholds and class balances --------------------------------------------------


@_checked_plot
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

    Metrics of the page's slider have bounds at some thresholds; ``band="pointwise"`` adds bounds to
    any metric. ``params`` are those of the metric, such as ``beta``. The legend shows the value at
    the current threshold.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score={"net": [0.1, 0.9, 0.4, 0.3]})
    >>> metric(ev, "jaccard", ax=Figure().subplots()).get_ylabel()
    'Jaccard index'
    """
    lines = curves.over_thresholds(what, get(name), band, **params)
    return artists.lines(ax, _chart(lines, definition(get(name), **params), ax, threshold))


@_checked_plot
def prevalence(
    what: Evaluation, names: str | Metric | Sequence[str], *, ax: Axes | None = None, **params: Any
) -> Axes:
    """Draw metrics against the share of positives, both error rates being kept.

    There is one line per model and metric, with a band if available, on an axis of log odds; dots
    mark the share in the rows.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1] * 9, [0, 1, 1, 1] * 9)
    >>> ax = prevalence(ev, ["precision", "youden_j"], ax=Figure().subplots())
    >>> [line.get_label() for line in ax.get_lines() if line.get_gid()]
    ['Precision', "Youden's J"]
    """
    if not isinstance(what, Evaluation):
        raise InputError("prevalence takes an Evaluation, whose rates within each class are known")
    metrics = [get(n) for n in ([names] if isinstance(names, str | Metric) else names)]
    return artists.lines(ax, curves.over_prevalence(what, metrics, **params), artists.WIDE)


# -- numbers, counts and ranks -------------------------------------------------------------------


@_checked_plot
def forest(what: Any, name: str | Metric | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw one metric of several models with its intervals, a row each, and what chance gives.

    ``what`` is an Evaluation, or {name: Value} of one metric. For ``ev.by("site")`` there is one
    row per subgroup, and for studies their random-effects mean below.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1] * 9, {"net": [0, 1, 1, 1] * 9, "tree": [0, 1, 0, 0] * 9})
    >>> ax = forest(ev, "mcc", ax=Figure().subplots())
    >>> [t.get_text() for t in ax.get_yticklabels()]
    ['net', 'tree']
    """
    return artists.forest(ax, rows.forest(what, name))


@_checked_plot
def confusion(what: Any, *, ax: Axes | None = None, numbers: bool = True) -> Axes:
    """Draw the confusion matrix: counts, coloured by the share of their true class.

    ``what`` is an Evaluation of one model, or a LabelTally. ``numbers`` writes counts and shares
    into the cells, up to 15 classes. The positive class of an evaluation of two classes comes
    first; a LabelTally has no positive class and keeps the order of its labels.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ax = confusion(tm.evaluate([0, 1, 1, 1], [0, 1, 1, 0]), ax=Figure().subplots())
    >>> ax.texts[-1].get_text().split()
    ['1', '100', '%']
    """
    return artists.matrix(ax, matrices.confusion(what, numbers))


@_checked_plot
def scores(what: Any, *, ax: Axes | None = None) -> Axes:
    """Draw how many rows of each class have which score: positives upward, the others downward.

    ``what`` is an Evaluation, a Histogram, or {name: Histogram}, with one row each.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score={"net": [0.1, 0.9, 0.4, 0.3]})
    >>> scores(ev, ax=Figure().subplots()).get_xlabel()
    'score'
    """
    return artists.distributions(ax, distributions.distributions(what))


# -- the plots of one evaluation -----------------------------------------------------------------

MAIN = ("roc", "pr", "calibration", "scores", "confusion", "forest")
"""The overview of an evaluation consists of the first four that are available."""


class Plots:
    """The plots of one evaluation: ``ev.plot.roc()`` is ``tallymark.plot.roc(ev)``.

    ``dir()`` and tab completion list the available plots. Call it with the name of a plot, a curve
    or a metric to draw that one, or without a name for the main plots side by side.

    >>> import tallymark as tm
    >>> tm.evaluate([0, 1, 0, 1], [0, 1, 1, 1]).plot
    <Plots: confusion, forest, prevalence>
    """

    __slots__ = ("_ev",)

    def __init__(self, ev: Evaluation) -> None:
        self._ev = ev

    def __dir__(self) -> list[str]:
        ev = self._ev
        if ev.labels:
            return ["forest"]
        scored = bool(score_tallies(ev))
        probable = scored and any(m.probabilities for m in ev.models)
        can = {
            **dict.fromkeys(__all__, scored),
            **{n: probable for n in __all__ if n in CURVES and CURVES[n].needs == "probabilities"},
            "confusion": len(ev.models) == 1,
            **dict.fromkeys(names("plots"), False),
            "forest": True,
            "prevalence": ev.binary,
        }
        return [name for name in __all__ if can[name]]

    def __repr__(self) -> str:
        return f"<Plots: {', '.join(dir(self))}>"

    def __getattr__(self, name: str) -> Any:
        if name[0] == "_":  # copies and notebooks probe for these
            raise AttributeError(name)
        if name not in __all__:
            raise AttributeError(f"there is no plot {name!r}; {choices(name, dir(self))}")
        function = globals().get(name) or __getattr__(name)
        plot = partial(function, self._ev)
        plot.__doc__ = function.__doc__
        return plot

    def __call__(self, name: str | None = None, **options: Any) -> Axes | list[Axes]:
        """Draw a plot, a curve or a metric by its name and return its axes; else the main plots."""
        if name is None:
            return self._main()
        name = TEXT.of("name", name)
        if name in __all__:
            return getattr(self, name)(**options)  # type: ignore[no-any-return]
        draw = curve if name in CURVES else metric
        return draw(self._ev, name, **options)

    def _main(self) -> list[Axes]:
        main_plots = [n for n in MAIN if n in dir(self)][:4]
        lines = math.ceil(len(main_plots) / 2)
        columns = math.ceil(len(main_plots) / lines)
        size = (columns * artists.SQUARE[0], lines * artists.SQUARE[1])
        figure = artists.pyplot().figure(figsize=size, layout="constrained")
        axes = figure.subplots(lines, columns, squeeze=False)
        for name, ax in zip(main_plots, axes.flat, strict=False):
            first = headline(self._ev)[:1] if name == "forest" else ()
            getattr(self, name)(*first, ax=ax)
        for ax in axes.flat[len(main_plots) :]:
            ax.set_axis_off()
        return list(axes.flat[: len(main_plots)])
