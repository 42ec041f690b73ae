"""An evaluation in a few lines: facts, decision, headline metrics, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tallymark.report import words
from tallymark.report.blocks import GAP, Block, Paragraph, Tiles
from tallymark.report.subjects.decision import decision
from tallymark.report.subjects.evaluation import MOST_IN_A_TILE, tiles
from tallymark.report.subjects.steps import MOST_STEPS, best_section, steps, verdict
from tallymark.report.subjects.summary import facts
from tallymark.report.uses import account_of, use_of
from tallymark.report.words import many

if TYPE_CHECKING:
    from tallymark.report.evaluation import Evaluation


def outline(ev: Evaluation, most: int = MOST_STEPS) -> Iterator[Block]:
    """Yield an evaluation in a few lines, with at most some steps besides needed warnings."""
    yield Paragraph(facts(ev), "dim")
    if ev.source._inferred:
        yield Paragraph(words.said(ev.source._inferred), "dim")
    yield GAP
    yield from verdict(decision(ev))
    yield GAP
    yield from _numbers(ev)
    if found := steps(ev, most):
        yield GAP
        yield from found


def _numbers(ev: Evaluation) -> Iterator[Block]:
    """Yield the tiles of the page, or the tables of an account, for the best models."""
    account, more = account_of(ev), len(ev.names) - MOST_IN_A_TILE
    numbers = tiles(ev) if use_of(ev).decisions or account is None else None
    if numbers is not None:
        yield replace(numbers, more="")
        yield Paragraph(_legend(numbers, ev), "dim")
    elif account is not None:
        best = best_section(ev, account)
        more = len(account.sections) - 1
        yield from [Paragraph(best.title, "title")] if more else []
        yield best.table
    if more > 0:
        yield Paragraph(f"{many(more, 'more model')} of {len(ev.names)}: --full", "dim")


def _legend(numbers: Tiles, ev: Evaluation) -> str:
    figures = [f for tile in numbers.tiles for f in tile.figures]
    keys = (
        ["│ guessing"] if any(f.interval and f.interval.guess is not None for f in figures) else []
    )
    if any(f.best for f in figures):
        keys.append("* beyond chance better than every other model")
    return "   ".join([*keys, f"{words.percent(ev.level, 0)} intervals"])
