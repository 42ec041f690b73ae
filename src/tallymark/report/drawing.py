"""What every plot shares: its lines, from wherever they come, and how axes are dressed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.curve import CURVES, Curve, CurveDefinition, definition
from tallymark.errors import InputError, choices
from tallymark.infer.bands import banded
from tallymark.infer.clustered import Clustered
from tallymark.metric import Metric, get
from tallymark.metric.measure import Value
from tallymark.report import words
from tallymark.report.evaluation import Evaluation
from tallymark.tally.arrays import Label
from tallymark.tally.scores import ScoreTally

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

PALETTE = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#5D3A9B", "#333333",
)  # fmt: skip
"""Okabe and Ito's colours, told apart by the colour-blind; yellow, too pale on white, is not."""

DASHES = ("-", "--", "-.")
MOST_LINES = len(PALETTE) * len(DASHES)
"""More lines cannot be told apart by colour and dash."""

GREY = "#808080"
DECIDED = "decision threshold"
CHANCE = "chance"
POINTS = 2000
"""More points of a line are not seen, and make files of vector graphics large."""

MOST_LETTERS = 28
SQUARE, WIDE, WIDER = (5.4, 5.0), (6.4, 4.4), (8.6, 4.4)


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
        return "  ".join(part for part in (plain(self.name), self.beside) if part)

    def drawn(self, ends: tuple[float, float] | None = None) -> Curve:
        """Return the curve as it is drawn: few enough points, and up to both ends of its axis."""
        return _drawn(self.curve, ends)

    def decided(self, threshold: float | bool) -> int | None:
        """Return which point of the curve its decisions are, or those at a threshold given."""
        cut = self.threshold if threshold is True else threshold
        if cut is None or cut is False or self.curve.threshold is None:
            return None
        return max(int(np.count_nonzero(self.curve.threshold >= cut)) - 1, 0)


def _drawn(c: Curve, ends: tuple[float, float] | None) -> Curve:
    thin = c.thin(POINTS)
    return thin if ends is None else thin.between(*ends)


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


def _of_kind(name: str, found: Any, kind: str) -> Line:
    """Return the line of a finished curve; the prevalence ends one of precision and recall."""
    pr = found.get("pr") if isinstance(found, Mapping) else found
    share = float(pr.y[-1]) if isinstance(pr, Curve) and pr.name == "pr" else None
    if isinstance(found, Mapping):  # as Evaluation.curves() has them
        if kind not in found:
            raise InputError(f"there is no {kind} curve; {choices(kind, found)}")
        found = found[kind]
    if not isinstance(found, Curve):
        raise InputError(f"a {kind} plot takes curves, not {type(found).__name__}")
    if found.name != kind:
        raise InputError(f"this is a {found.name} curve, and a {kind} curve is to be drawn")
    return Line(name, found, share=share)


def _of_evaluation(ev: Evaluation, curve: CurveDefinition, params: Mapping[str, Any]) -> list[Line]:
    kind = curve.name
    scored = [m for m in ev.models if m.scores]
    if not scored:
        raise InputError(f"a {kind} curve needs scores, and {_names(ev)} has none; give y_score")
    if curve.needs == "probabilities":
        scored = [m for m in scored if m.probabilities]
        if not scored:
            raise InputError(f"a {kind} curve needs probabilities, and {_names(ev)} holds scores")
    options = {**{o: getattr(ev, o) for o in curve.options}, **params}
    lines = []
    for m, t in [(one, tally) for one in scored for tally in one.scores]:
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
        raise InputError(f"a {kind} curve needs rows of both classes, and here is only one")
    return lines


def _with_band(
    ev: Evaluation, line: Line, kind: str | Metric, band: str, params: Mapping[str, Any]
) -> Line:
    options: dict[str, Any] = {"seed": ev.seed, "by_class": ev.by_class}
    rows = Clustered.of(ev.counted, line.model, **options) if ev.clusters else None
    assert line.tally is not None
    bounded = banded(
        line.tally, kind, band, level=ev.level, clustered=rows, **{**options, **params}
    )
    return replace(line, band=bounded)


def _names(ev: Evaluation) -> str:
    return ", ".join(ev.names)


def _beside(ev: Evaluation, model: str, label: Label, curve: CurveDefinition) -> str:
    metric, short = curve.beside
    if not metric:
        return ""
    if ev.binary:
        one = ev.model(model)
        return told(short, one.value(metric)) if one.models[0].holds(get(metric)) else ""
    value = ev.per_class()[model][label].get(metric)
    return "" if value is None else told(short, value)


def told(short: str, value: Value) -> str:
    """Return a number with its interval as a legend has room for it.

    >>> told("AUC", Value("roc_auc", 0.98765, 0.9789, 0.99321))
    'AUC 0.988 [0.979, 0.993]'
    """
    out = f"{short} {words.number(value.value)}"
    if np.isfinite(value.low) and np.isfinite(value.high):
        out += f" [{words.number(value.low)}, {words.number(value.high)}]"
    return out


def plain(name: Any) -> str:
    r"""Return a name as a legend shows it: no mathematics, not hidden, not too long.

    >>> plain("_hidden"), plain("$5"), len(plain("a" * 90))
    (' _hidden', '\\$5', 28)
    """
    text = words.text(name)
    text = text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"
    return (" " + text if text.startswith("_") else text).replace("$", r"\$")


# -- axes --------------------------------------------------------------------------------------


def axes(ax: Axes | None, size: tuple[float, float], x_label: str, y_label: str) -> Axes:
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


def unit_square(ax: Axes, equal: bool = True) -> None:
    """Show 0 to 1 on both axes, with room for lines along the edge."""
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    if equal:
        ax.set_aspect("equal")


def style(i: int) -> dict[str, Any]:
    """Return colour and dash of the i-th line."""
    dash = DASHES[i // len(PALETTE) % len(DASHES)]
    return {"color": PALETTE[i % len(PALETTE)], "linestyle": dash, "linewidth": 1.7}


def taken(ax: Axes) -> int:
    """Return how many lines of ours the axes hold, so that more of them look different."""
    return sum(str(line.get_gid()).startswith("curve-") for line in ax.get_lines())


def curve_line(ax: Axes, i: int, x: Any, y: Any, label: str, **options: Any) -> Line2D:
    """Draw one line in the i-th style and return it."""
    (line,) = ax.plot(x, y, **{**style(i), "label": label or None, **options})
    line.set_gid(f"curve-{i}")
    return line


def curve_lines(
    ax: Axes,
    lines: Sequence[Line],
    threshold: float | bool = False,
    ends: tuple[float, float] | None = None,
    **options: Any,
) -> bool:
    """Draw all lines as they are joined, each with a mark where its decisions are.

    ``ends`` are those of the axis of a curve over the threshold, on which decisions are no points.
    Return whether any decision is marked.
    """
    marked = False
    for i, line in enumerate(lines, taken(ax)):
        c = line.drawn(ends)
        shade(ax, i, line, ends)
        joined = {"drawstyle": f"steps-{c.step}"} if c.step else {}
        curve_line(ax, i, c.x, c.y, line.label, **{**joined, **options})
        at = line.decided(threshold) if ends is None else None
        if at is not None:
            marked = True
            mark(ax, i, float(line.curve.x[at]), float(line.curve.y[at]))
    return marked


def shade(ax: Axes, i: int, line: Line, ends: tuple[float, float] | None = None) -> None:
    """Shade from low to high where the line has bounds, its own or those of its band."""
    c = _drawn(line.curve if line.band is None else line.band, ends)
    if c.low is not None and c.high is not None:
        area = ax.fill_between(
            c.x, c.low, c.high, where=np.isfinite(c.y), color=style(i)["color"], alpha=0.15,
            linewidth=0, step=c.step or None,
        )  # fmt: skip
        area.set_gid(f"band-{i}")


def mark(ax: Axes, i: int, x: float, y: float) -> None:
    """Mark a point of the i-th line."""
    ax.plot(
        [x], [y], "o", color=style(i)["color"], markersize=7, markeredgecolor="white",
        markeredgewidth=1.2, zorder=4,
    )  # fmt: skip


def reference(ax: Axes, x: Any, y: Any, label: str | None, dash: str = "--") -> None:
    """Draw a grey line behind the others, once on the same axes."""
    if label is None or label not in [line.get_label() for line in ax.get_lines()]:
        (line,) = ax.plot(x, y, color=GREY, linestyle=dash, linewidth=1, label=label, zorder=1.5)
        line.set_gid("reference" if label else None)


def crowded(labels: Sequence[str]) -> bool:
    """Return whether a legend is too large to stand inside the axes."""
    return len(labels) > 8 or any(len(label) > 48 for label in labels)


def legend(ax: Axes, where: str, marked: str | None = None) -> None:
    """Add a legend, beside the axes where it would be large; ``marked`` is what the dots mean.

    ``where`` is matplotlib's word, or "above" or "beside".
    """
    found = list(zip(*ax.get_legend_handles_labels(), strict=True))
    # What grey lines mean comes last.
    found.sort(key=lambda pair: getattr(pair[0], "get_gid", str)() == "reference")
    if marked:
        dot = import_module("matplotlib.lines").Line2D(
            [], [], marker="o", linestyle="", color=GREY, markersize=7, markeredgecolor="white"
        )
        found.append((dot, marked))
    if not found:
        return
    handles, labels = zip(*found, strict=True)
    options: dict[str, Any] = {"loc": where}
    if where == "above":
        options = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": 3}
    elif where == "beside" or crowded(labels):
        edge = 1.12 if ax.texts else 1.01  # what is written there stands at the edge
        options = {"loc": "upper left", "bbox_to_anchor": (edge, 1.0), "borderaxespad": 0}
    ax.legend(handles, labels, fontsize="small", framealpha=0.85, edgecolor="none", **options)


def below(ax: Axes, share: float = 0.2) -> Axes:
    """Return new axes under these, with the same horizontal axis and its text."""
    lower: Axes = ax.inset_axes((0, -share - 0.05, 1, share), sharex=ax)
    lower.spines[["top", "right"]].set_visible(False)
    lower.set_xlabel(ax.get_xlabel())
    ax.set_xlabel("")
    ax.tick_params(labelbottom=False)
    return lower


def probit_axes(ax: Axes, x: Any, y: Any) -> None:
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


# -- what plots of curves share ----------------------------------------------------------------


def decided_at(ax: Axes, first: int, lines: Sequence[Line], threshold: float | bool) -> None:
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


def one_share(lines: Sequence[Line]) -> float | None:
    """Return the prevalence where it is known and the same for all lines."""
    shares = {None if line.share is None else round(line.share, 9) for line in lines}
    return lines[0].share if len(shares) == 1 else None
