"""A study of metrics as it is printed, and as a notebook shows it."""

from __future__ import annotations

from collections.abc import Iterator

from tallymark.core import GAP, Block, Headline, Paragraph, many
from tallymark.parts.relations.pictures import heat
from tallymark.parts.relations.printed import matrix, representatives
from tallymark.parts.relations.sentences import (
    UNIT_TITLES,
    about,
    between,
    distances,
    left_out,
    one_number,
    splits,
    stability,
    units,
    verdict,
)
from tallymark.parts.relations.study import Study

FIRST = 7
"""Metrics that the terminal lists; composites come beside them."""

MOST_METRICS = 24
"""The card of a study of more has no matrix."""


def study(s: Study) -> Iterator[Block]:
    """Yield the matrix of correlations, the groups, the units, and what was left out."""
    found = s.relations()
    groups = many(len(found.groups), "group")
    yield Headline(f"{about(s)}; {groups} of metrics")
    yield Paragraph(s.source, "title")
    yield Paragraph(about(s))
    yield GAP
    yield Paragraph("Pearson below the diagonal, Spearman above:")
    yield matrix(found)
    yield GAP
    yield Paragraph(verdict(found))
    yield Paragraph(f"({found._clustering.rule}; {found.interval})")
    yield Paragraph(stability(found))
    yield GAP
    if len(s.against) > 2:
        yield Paragraph(one_number(s))
        yield representatives(s, FIRST)
        yield GAP
    lines = [*(units(s) if len(s._every()) > 1 else []), between(s), *splits(s), *distances(s)]
    for line in (*lines, *left_out(found)):
        yield Paragraph(line)
    for unit, why in s._lacking().items():
        yield Paragraph(f"not by {UNIT_TITLES[unit]}: {why}")


def study_card(s: Study) -> Iterator[Block]:
    """Yield which metrics say the same, with their correlations."""
    found = s.relations()
    yield Paragraph(s.source, "title")
    yield Paragraph(about(s), "dim")
    yield Paragraph(verdict(found))
    if len(found.metrics) <= MOST_METRICS:
        yield heat(found, found, "Mean correlations")
