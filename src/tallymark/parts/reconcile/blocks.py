"""Stated numbers, and the definitions that give one, as blocks."""

from __future__ import annotations

from collections.abc import Iterator

from tallymark.core import Block, Headline, Paragraph, words
from tallymark.parts.reconcile.claims import Reconciliation, sentences
from tallymark.parts.reconcile.definitions import Definitions


def reconciliation(result: Reconciliation) -> Iterator[Block]:
    """Yield the matrices that stated numbers can come from."""
    first, *rest = sentences(result)
    yield Headline(first)
    yield Paragraph(first)
    for text in rest:
        yield Paragraph(text.strip("- "), "", 2 * text.startswith("  "), text.startswith("- "))


def definitions(result: Definitions) -> Iterator[Block]:
    """Yield the definitions of a metric that give a stated number, or come nearest."""
    yield Headline(f"{result.metric} {result.stated}: {len(result.fitting)} of {result.tried} fit")
    yield Paragraph(f"{result.model}: {result.metric} {result.stated}", "title")
    if not result.fitting:
        yield Paragraph(f"none of {result.tried} definitions gives it; the nearest are")
    for c in result.fitting or result.nearest:
        yield Paragraph(f"{words.number(c.value, 6)}  {c.words}", indent=2)
