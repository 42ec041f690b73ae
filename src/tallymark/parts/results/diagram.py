"""The critical-difference diagram: mean ranks on a line, bars across those that do not differ."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tallymark import InputError
from tallymark.core import Chart, drawing, harmless

if TYPE_CHECKING:
    from tallymark.parts.results.comparison import ModelComparison


def rank_diagram(c: ModelComparison) -> drawing.Ranks:
    """Return the mean ranks of a comparison as a diagram.

    Raises
    ------
    InputError
        Of one data set, where there are no mean ranks.

    """
    if not c.mean_ranks:
        raise InputError(
            "a critical-difference diagram is of mean ranks over data sets, and here is only "
            f"{harmless(c._fields[0].dataset)!r}"
        )
    difference = c.critical_difference if c.rule == "nemenyi" else None
    return drawing.ranks(c.mean_ranks, c.groups, difference)


def chart(c: ModelComparison, words: str = "", look: str = "") -> Chart:
    """Return the diagram with its words; see :class:`~tallymark.report.drawing.Ranks` for look."""
    title = (
        f"Mean ranks of {len(c.classifiers)} classifiers over {len(c._fields)} data sets, "
        "1 the best"
    )
    diagram = replace(rank_diagram(c), look=look)
    return Chart(title, diagram, words=words, description=description(c), heading="")


def description(c: ModelComparison) -> str:
    """Return the diagram in words."""
    ranks = ", ".join(f"{harmless(n)} {r:.2f}" for n, r in c.mean_ranks.items())
    out = [f"Mean ranks: {ranks}."]
    if c.rule == "nemenyi":
        out.append(f"Nemenyi's critical difference is {c.critical_difference:.2f}.")
    for group in c.groups:
        out.append(f"No significant difference: {', '.join(harmless(n) for n in group)}.")
    if not c.groups:
        out.append("All differ significantly.")
    return " ".join(out)
