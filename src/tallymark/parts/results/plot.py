"""The critical-difference diagram by matplotlib: tallymark.plot.critical_difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallymark import InputError
from tallymark.core import GREY, INK, PALETTE, WIDE, contract, pyplot
from tallymark.parts.results.comparison import ModelComparison
from tallymark.parts.results.diagram import rank_diagram

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@contract.checked(what=contract.ANY, ax=contract.made_by("axes of matplotlib", "Axes"))
def critical_difference(what: ModelComparison, *, ax: Axes | None = None) -> Axes:
    """Draw the mean ranks of classifiers over data sets, and bars across those not told apart.

    ``what`` is what :func:`tallymark.compare_results` returns, of two data sets or more. Ranks
    run from 1, the best, on the left; Nemenyi's critical difference stands above, except where
    all are held against a control or there are but two classifiers.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> t = {"dataset": list("aabbccdd"), "classifier": ["net", "tree"] * 4,
    ...      "auc": [.9, .8, .7, .6, .8, .85, .9, .7]}
    >>> ax = tm.plot.critical_difference(tm.compare_results(t), ax=Figure().subplots())
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
    library = pyplot()
    if ax is None:
        size = (WIDE[0], 0.9 + 0.3 * (top + below + plan.rows))
        _, ax = library.subplots(figsize=size, layout="constrained")
    assert ax is not None
    ax.set(xlabel="mean rank", ylabel="")
    ax.set_axisbelow(True)
    ax.grid(False)
    ax.spines[:].set_visible(False)
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
        ax.annotate(n.text.replace("$", r"\$"), (end, y), (offset, 0), ha=side, **beside)
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
