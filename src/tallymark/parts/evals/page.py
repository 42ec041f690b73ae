"""The page of a leaderboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.core import (
    TABLE_OF_NUMBERS,
    Block,
    chart_of_means,
    filled,
    harmless,
    paragraphs,
    said,
)
from tallymark.parts.evals.blocks import of_answers, of_models, of_pairs, of_tasks
from tallymark.parts.evals.words import about, finding, groups, methods, unsolved

if TYPE_CHECKING:
    from tallymark.parts.evals.leaderboard import Leaderboard

STYLE = f"{TABLE_OF_NUMBERS}.table td.best{{color:var(--good)}}"

SOURCES = ("wilson1927", "fagerland2013", "holm1979", "connor1987", "chen2021", "miller2024")


def render(board: Leaderboard) -> str:
    """Return the page as HTML text."""
    names, values = [m.model for m in board.models], [m.value for m in board.models]
    ranks = [of_models(board), *paragraphs([groups(board)] * bool(board.pairs))]
    hero = chart_of_means("mean grade", names, values)
    sections: list[tuple[str, str, list[Block]]] = []
    if board.pairs:
        sections.append(("pairs", "Which model is better", [of_pairs(board, board.pairs)]))
    for key, title, table in (
        ("tasks", "On each task", of_tasks(board)),
        ("answers", "Repeated answers", of_answers(board)),
    ):
        if table is not None:
            sections.append((key, title, [table]))
    sections.append(
        ("solved", "Questions that all or none solve", [*paragraphs([unsolved(board)])])
    )
    return filled(
        "document.html.j2",
        kicker="Leaderboard",
        source=harmless(board.source),
        finding=finding(board),
        verdict=board.verdict,
        about=about(board),
        first=(ranks, [hero]),
        check=[harmless(said(w)) for w in board.warnings],
        notes=[harmless(n) for n in board.read_as],
        more_style=STYLE,
        sections=sections,
        definitions=methods(board),
        sources=[*SOURCES],
    )
