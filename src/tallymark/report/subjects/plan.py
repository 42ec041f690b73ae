"""Plans: the number of rows to judge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tallymark.report.blocks import Block, Grid, Headline, Paragraph
from tallymark.report.subjects.values import plain

if TYPE_CHECKING:
    from tallymark.infer.plan import Plan


def plan_sentence(p: Plan) -> str:
    """Return how many rows are needed, and what precision or power they give."""
    rows = f"{p.n:,} row" + ("" if p.n == 1 else "s")
    if "assurance" in p.assumed:
        of, chance = p.assumed["of"], p.assumed["assurance"]
        rows += f" (with a chance of {chance:g} at least {getattr(p, of):,} of the {of})"
    elif p.positives is not None:
        rows += f" ({p.positives:,} positive, {p.negatives:,} negative)"
    reached = ""
    if p.power is not None:
        reached = f" a power of {p.power:.4f}"
    elif p.half_width is not None:
        reached = f" a half width of {p.half_width:{'.4f' if p.half_width >= 0.001 else '.3g'}}"
    return f"{rows} give{'s' if p.n == 1 else ''}{reached} {p.claim}."


def plan(p: Plan) -> Iterator[Block]:
    """Yield the number of rows to judge, and the assumptions."""
    line = plan_sentence(p)
    yield Headline(line, line)
    yield Paragraph(line)
    facts = [(k.replace("_", " "), plain(v)) for k, v in p.assumed.items()]
    yield Grid(("assumed", ""), [*facts, ("method", p.method)], left=(0, 1))
