"""The pages of few labels and a judge: metrics, and models ranked by their pass rates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.core import (
    TABLE_OF_NUMBERS,
    Block,
    chart_of_means,
    filled,
    groups_of_models,
    harmless,
    paragraphs,
    words,
)
from tallymark.parts.judges.blocks import (
    about_board,
    about_labels,
    charts_of,
    choice_of,
    differences_of,
    finding_of,
    methods_of,
    metrics_of,
    models_of,
    notes_of,
    of_judge,
    pairs_of,
    shares_of,
    subgroups_of,
    worth_of,
)

if TYPE_CHECKING:
    from tallymark.parts.judges.board import JudgedBoard
    from tallymark.parts.judges.results import FewLabels

STYLE = f"{TABLE_OF_NUMBERS}.table td.best{{color:var(--good)}}"

SOURCES = ("tenenbein1970", "angelopoulos2023", "neyman1934")

CORRECTION = (
    "The labelled rows say how often each class is true for every value of the judge, and all rows "
    "how frequent the value is.",
)


def of_labels(result: FewLabels) -> str:
    """Return the page of metrics and shares as HTML text."""
    sections: list[tuple[str, str, list[Block]]] = []
    shares: list[Block] = [shares_of(result)]
    if result.differences:
        sections.append(("differences", "Which model is better", [differences_of(result)]))
    if result.models:
        sections.append(("shares", "How frequent each class is", shares))
    sections.append(("judge", "How good the judge is", [*of_judge(result)]))
    if result.subgroups:
        sections.append(("subgroups", "In each subgroup", [*subgroups_of(result)]))
    sections.append(("notes", "What is assumed, and what to watch", [*notes_of(result.notes)]))
    values = [*(m.value for m in result.metrics), *(s.value for s in result.shares)]
    methods = {str(v.method) for v in values if v.method}
    return filled(
        "document.html.j2",
        kicker="A judge and a few labels",
        source=harmless(result.source),
        finding=finding_of(result),
        verdict=worth_of(result),
        about=about_labels(result),
        first=([*metrics_of(result)] if result.models else shares, [charts_of(result)]),
        notes=[harmless(line) for line in result.read_as],
        more_style=STYLE,
        sections=sections,
        definitions=[*CORRECTION, f"Intervals: {'; '.join(sorted(methods))}."],
        sources=[*SOURCES],
    )


def of_board(board: JudgedBoard) -> str:
    """Return the page of models ranked by their pass rates as HTML text."""
    names, values = [m.model for m in board.models], [m.value for m in board.models]
    ranks = [models_of(board), *paragraphs([groups_of_models(board.groups)] * bool(board.pairs))]
    hero = chart_of_means(f"share of {words.text(board.positive)}", names, values)
    sections: list[tuple[str, str, list[Block]]] = []
    if board.pairs:
        pairs = pairs_of(board.pairs)
        sections.append(("pairs", "Which model is better", [pairs]))
    sections.append(("notes", "What is assumed, and what to watch", [*notes_of(board.notes)]))
    return filled(
        "document.html.j2",
        kicker="Leaderboard from a judge and a few labels",
        source=harmless(board.source),
        finding=choice_of(board),
        verdict=board.verdict,
        about=about_board(board),
        first=(ranks, [hero]),
        notes=[harmless(line) for line in board.read_as],
        more_style=STYLE,
        sections=sections,
        definitions=[*CORRECTION, *methods_of(board)],
        sources=[*SOURCES, "holm1979"],
    )
