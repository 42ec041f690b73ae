"""The gate's findings as blocks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from tallymark.core import (
    GAP,
    Block,
    Cell,
    Grid,
    Headline,
    Paragraph,
    Row,
    Style,
    paragraphs,
    words,
)
from tallymark.parts.gate.results import Gate, Judged
from tallymark.parts.gate.words import (
    chance_of_failing,
    judged_models,
    limit,
    outcome,
    positives,
    reasons,
    rows_needed,
)

MOST_ROWS = 100
"""Findings that are shown in full; of more, subgroups that pass are only counted."""


def judged(f: Judged) -> Iterator[Block]:
    """Yield the sentence of a finding."""
    yield Headline(f"{f.verdict}: {f.text}", f.text)
    yield Paragraph(f.text)


_OF_VERDICTS: Mapping[str, Style] = {
    "pass": "best",
    "undecided": "",
    "cannot judge": "warning",
    "fail": "bad",
}
_OF_CODES: Mapping[int, Style] = {0: "best", 1: "bad"}


def gate(g: Gate) -> Iterator[Block]:
    """Yield a row for each rule, the sentences of those that do not pass, and the verdict."""
    line = outcome(g)
    yield Headline(line)
    yield Paragraph(judged_models(g), "title")
    yield from paragraphs(filter(None, [positives(g)]))
    several = len({f.model for f in g.findings}) > 1
    places = any(f.subgroup for f in g.findings)
    heads = ["rule", *["model"] * several, *["subgroup"] * places]
    rows: list[Row] = []
    brief = len(g.findings) > MOST_ROWS
    shown_findings = [f for f in g.findings if not (brief and f.subgroup and f.verdict == "pass")]
    for f in shown_findings:
        name = f.subject if f.margin is None else f"{f.subject} − {f.baseline}"
        sign = "" if f.margin is None else "+"
        bounds = words.interval(f, sign)
        number = "–" if math.isnan(f.value) else words.value(f, sign)
        if f._forbids:
            number = {"fail": "found", "pass": "none"}.get(f.verdict, number)
        verdict = Cell(f.verdict, style=_OF_VERDICTS[f.verdict])
        cells = [name, *[f.model] * several, *[f.subgroup or "all rows"] * places]
        rows.append([*cells, number, bounds, limit(f), verdict])
    last = len(heads)
    yield Grid(
        (*heads, "value", words.interval_head(g.level), "limit", "verdict"),
        rows,
        left=(*range(last), last + 3),
    )
    if more := len(g.findings) - len(shown_findings):
        yield Paragraph(f"and {more:,} more checks of subgroups, which pass", "dim")
    yield GAP
    yield from (Paragraph(why, item=True) for why in reasons(g))
    yield from paragraphs(rows_needed(g))
    yield from paragraphs(g.notes, "dim")
    yield Paragraph(chance_of_failing(g), "dim")
    yield Paragraph(line, _OF_CODES.get(g.exit_code, "warning"))
