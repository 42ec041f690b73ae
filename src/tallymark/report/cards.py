"""Results as a notebook shows them: cards of blocks, without a script and without ids.

A card takes colour and background from the notebook around it, whichever theme that has: its own
colours can be read on white and on black. Its style sheet holds the rules that it needs, and all
of them name its class, so that nothing around it changes.

The function of a subject that bears the name of a class and ends in ``_card`` turns one of its
results into the blocks of a card; other results show those of a terminal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from tallymark.display import Display, blocks_of, function_name, shown_by
from tallymark.report import words
from tallymark.report.blocks import Block, Grid, Paragraph
from tallymark.report.pieces import as_html, asset, section

MOST_ROWS = 60
"""Rows of a table that a card shows: the rest is a call away."""

MOST_LETTERS = 800
"""Letters of a sentence, or of a name."""


def card(result: Display) -> str:
    """Return a result as a fragment of HTML for a notebook."""
    name = f"{function_name(type(result))}_card"
    make = shown_by(type(result), name)
    inner = section(make(result)) if make else as_html(_first_rows(blocks_of(result)))
    # Headings would stand in the table of contents of the notebook.
    inner = re.sub(r"<h[34]>", '<p class="name">', inner)
    inner = re.sub(r"</h[34]>", "</p>", inner)
    # A label may be as long as a text.
    inner = re.sub(rf"(>[^<]{{{MOST_LETTERS}}})[^<]+<", r"\1…<", inner)
    inner = re.sub(rf'(-(?:name|label)="[^"]{{{MOST_LETTERS}}})[^"]+', r"\1…", inner)
    return f'<div class="tallymark"><style>{_style()}</style>{inner}</div>'


def _first_rows(blocks: Iterator[Block]) -> Iterator[Block]:
    """Yield blocks with the first rows of their tables."""
    for b in blocks:
        if isinstance(b, Grid) and len(b.rows) > MOST_ROWS:
            yield replace(b, rows=b.rows[:MOST_ROWS])
            left = words.many(len(b.rows) - MOST_ROWS, "more row")
            yield Paragraph(f"and {left}: print() shows more", "dim")
        else:
            yield b


@cache
def _style() -> str:
    """Return the style sheet, every rule below the class of cards.

    All of it is in every card: of two cards on a page the later style sheet wins.
    """
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", asset("pieces.css") + asset("card.css"))
    scoped = (
        (",".join(f".tallymark {s.strip()}" for s in selectors.split(",")), body)
        for selectors, body in rules
    )
    return "".join(f"{s}{{{body}}}" for s, body in scoped).replace(
        ".tallymark :scope", ".tallymark"
    )
