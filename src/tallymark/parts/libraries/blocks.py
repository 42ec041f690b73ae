"""Numbers under the definitions of other libraries, as blocks."""

from __future__ import annotations

from collections.abc import Iterator

from tallymark.core import Block, Grid, Headline, Paragraph, words
from tallymark.parts.libraries.like import Likeness


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
