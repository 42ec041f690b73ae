"""Stated numbers and other definitions, as blocks."""

from __future__ import annotations

from collections.abc import Iterator

from tallymark.core import Block, Grid, Headline, Paragraph, words
from tallymark.parts.reconcile.claims import Definitions, Reconciliation, sentences
from tallymark.parts.reconcile.like import Likeness


def reconciliation(result: Reconciliation) -> Iterator[Block]:
    """Yield what stated numbers can mean."""
    first, *rest = sentences(result)
    yield Headline(first)
    yield Paragraph(first)
    for text in rest:
        yield Paragraph(text.strip("- "), "", 2 * text.startswith("  "), text.startswith("- "))


def likeness(result: Likeness) -> Iterator[Block]:
    """Yield a model's numbers under another library's definitions, beside ours."""
    differing = sum(not row.same for row in result.rows)
    message = (
        f"{differing} of {len(result.rows)} numbers differ" if differing else "no number differs"
    )
    title = f"{words.text(result.model)} as {result.library} would have it: {message}"
    yield Headline(title)
    yield Paragraph(title, "title")
    rows = [
        (
            "" if r.same else "≠",
            r.name,
            words.number(r.theirs, 4),
            words.number(r.ours, 4),
            r.metric,
            "" if r.same else r.why,
        )
        for r in result.rows
    ]
    heads = ("", result.library, "theirs", "ours", "our name", "why")
    yield Grid(heads, rows, left=(0, 1, 4), wrap=True)
    if result.left_out:
        missing = ", ".join(result.left_out)
        yield Paragraph(f"not computed, because scores or probabilities are missing: {missing}")


def definitions(result: Definitions) -> Iterator[Block]:
    """Yield which definitions of a metric give a stated number, or come nearest."""
    yield Headline(f"{result.metric} {result.stated}: {len(result.fitting)} of {result.tried} fit")
    yield Paragraph(f"{result.model}: {result.metric} {result.stated}", "title")
    if not result.fitting:
        yield Paragraph(f"none of {result.tried} definitions gives it; the nearest are")
    for c in result.fitting or result.nearest:
        yield Paragraph(f"{words.number(c.value, 6)}  {c.words}", indent=2)
