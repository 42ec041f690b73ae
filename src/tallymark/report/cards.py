"""Results in a notebook: cards made of blocks, without scripts and ids.

A card inherits colour and background from the notebook, in any theme; its own colours are readable
on white and on black. Its style sheet contains the rules it needs, and all selectors include its
class, so the notebook's own style stays the same.

The function of a subject that is named after a class and ends in ``_card`` returns the blocks of a
card for its results; other results show the same blocks as in a terminal.
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
"""Rows of a table shown in a card; a call shows the rest."""

MOST_LETTERS = 800
"""Letters shown of a sentence or of a name."""


def card(result: Display) -> str:
    """Return a result as an HTML fragment for a notebook."""
    name = f"{function_name(type(result))}_card"
    make = shown_by(type(result), name)
    inner = section(make(result)) if make else as_html(_first_rows(blocks_of(result)))
    # Headings would appear in the notebook's table of contents.
    inner = re.sub(r"<h[34]>", '<p class="name">', inner)
    inner = re.sub(r"</h[34]>", "</p>", inner)
    # Labels can be very long.
    inner = re.sub(rf"(>[^<]{{{MOST_LETTERS}}})[^<]+<", r"\1…<", inner)
    inner = re.sub(rf'(-(?:name|label)="[^"]{{{MOST_LETTERS}}})[^"]+', r"\1…", inner)
    return f'<div class="tallymark"><style>{_style()}</style>{inner}</div>'


def _first_rows(blocks: Iterator[Block]) -> Iterator[Block]:
    """Yield blocks with their tables cut to the first rows."""
    for b in blocks:
        if isinstance(b, Grid) and len(b.rows) > MOST_ROWS:
            yield replace(b, rows=b.rows[:MOST_ROWS])
            omitted = words.many(len(b.rows) - MOST_ROWS, "more row")
            yield Paragraph(f"and {omitted}: print() shows more", "dim")
        else:
            yield b


@cache
def _style() -> str:
    """Return the style sheet, with the class of cards in every selector.

    Every card contains the whole sheet, since the later of two sheets overrides the first.
    """
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", asset("pieces.css") + asset("card.css"))
    scoped = (
        (",".join(f".tallymark {s.strip()}" for s in selectors.split(",")), body)
        for selectors, body in rules
    )
    return "".join(f"{s}{{{body}}}" for s, body in scoped).replace(
        ".tallymark :scope", ".tallymark"
    )
