"""Plots of what was counted and found: the matrix, the scores, one metric of several models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.curve import Histogram
from tallymark.errors import InputError
from tallymark.metric import Metric, get
from tallymark.metric.measure import Value
from tallymark.report import words
from tallymark.report.diagram import layout
from tallymark.report.drawing import (
    DECIDED,
    GREY,
    MOST_LINES,
    PALETTE,
    WIDE,
    axes,
    curve_line,
    legend,
    plain,
    style,
    taken,
    told,
)  # fmt: skip
from tallymark.report.evaluation import Evaluation
from tallymark.studies.model_comparison import Contest
from tallymark.tally.labels import LabelTally

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_CELLS = 15
"""A larger matrix has no room for numbers."""


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
    ax = axes(ax, WIDE, "share of positives", wanted[0].title if one else "value")
    i = taken(ax)
    for model in what.names:
        ev = what.model(model)
        for metric in wanted:
            c = ev.curve(metric.name, over="prevalence", **params)
            label = model if one else metric.title
            label = label if one or len(what.names) == 1 else f"{model}: {metric.title}"
            if c.low is not None and c.high is not None:
                color = style(i)["color"]
                ax.fill_between(c.x, c.low, c.high, color=color, alpha=0.15, linewidth=0)
            curve_line(ax, i, c.x, c.y, label)
            own = ev["prevalence"].value
            ax.plot([own], [ev.value(metric, **params).value], "o", ms=4, color=style(i)["color"],
                    label="_in these rows")  # fmt: skip
            i += 1
    ax.set_xscale("logit")
    ticks = [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999]
    ax.set_xticks(ticks, [words.share(t) for t in ticks])
    ax.set_xticks([], minor=True)
    legend(ax, "best")
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
    ax = axes(ax, (WIDE[0], 1.1 + 0.42 * len(values)), found.title, "")
    for i, v in enumerate(values.values()):
        if v.reason:
            ax.annotate(v.reason, (0.02, i), xycoords=("axes fraction", "data"), va="center",
                        fontsize="small", color=GREY)  # fmt: skip
            continue
        if np.isfinite(v.low) and np.isfinite(v.high):
            ax.hlines(i, v.low, v.high, color=style(0)["color"], linewidth=2)
        ax.plot([v.value], [i], "s", color=style(0)["color"], markersize=6)
        ax.annotate(told("", v).strip(), (1.02, i), xycoords=("axes fraction", "data"),
                    va="center", fontsize="small", annotation_clip=False)  # fmt: skip
    low, high = ax.get_xlim()
    # Far from all of them, it would leave no room to tell the intervals apart.
    if isinstance(found.chance, float) and 2 * low - high <= found.chance <= 2 * high - low:
        ax.axvline(found.chance, color=GREY, linestyle="--", linewidth=1)
    ax.set_yticks(range(len(values)), [plain(n).strip() for n in values])
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
    ax = axes(ax, (size, size * 0.92), "predicted class", "true class")
    ax.grid(False)
    ax.spines[:].set_visible(False)
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    names = [plain(label).strip() for label in tally.labels]
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
            sides = (plain(what.positive), plain(others[0]))
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
    ax = axes(ax, size, "score", "share of the class" if one else "")
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
        ax.set_yticks([-i for i in range(len(found))], [plain(name).strip() for name in found])
        ax.grid(False, axis="y")
    legend(ax, "above")
    return ax


def critical_difference(what: Contest, *, ax: Axes | None = None) -> Axes:
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
    if not isinstance(what, Contest):
        raise InputError(
            f"critical_difference takes what compare_results returns, not {type(what).__name__}"
        )
    plan = layout(what)
    below = 0.6 + 0.35 * plan.levels
    top = 1.6 if plan.difference is not None else 0.2
    size = (WIDE[0], 0.9 + 0.3 * (top + below + plan.rows))
    ax = axes(ax, size, "mean rank", "")
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
        name = plain(mark.name).strip()
        told = f"{name}  {mark.rank:.2f}" if mark.left else f"{mark.rank:.2f}  {name}"
        ax.annotate(told, (end, y), xytext=(-4 if mark.left else 4, 0), annotation_clip=False,
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
