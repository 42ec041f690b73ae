"""The page of a watch: what was found, the chart of its days, and the last ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.core import TABLE_OF_NUMBERS, filled, harmless, many, paragraphs, percent, words
from tallymark.parts.watch.blocks import chart, table
from tallymark.parts.watch.words import finding, remarks, sentence

if TYPE_CHECKING:
    from tallymark.parts.watch.results import Look

SOURCES = ("shin2024", "waudby2024", "waudbysmith2024")

DEFINITIONS = (
    "The evidence against the limit is a bet that starts again every day with a part of its "
    "capital; while the model keeps its limit, its expected gain is zero.",
    "The interval of all rows so far is valid at every look of the watch.",
)


def render(look: Look) -> str:
    """Return the page as HTML text."""
    return filled(
        "document.html.j2",
        kicker="Watch",
        source=harmless(look.model),
        finding=finding(look),
        verdict=f"{sentence(look)}.",
        about=f"{words.text(look.rule)}, {many(len(look.days), 'day')} up to {look.date}; the "
        f"error rate of the alarm is at most {percent(1 - look.level, 0)} in {look.horizon:,} "
        "looks",
        notes=[],
        more_style=TABLE_OF_NUMBERS,
        first=([*paragraphs(remarks(look)), table(look)], [chart(look)]),
        sections=[],
        definitions=DEFINITIONS,
        sources=[*SOURCES],
    )
