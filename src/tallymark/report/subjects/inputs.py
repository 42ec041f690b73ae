"""How an input was read, and how a table would be read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tallymark.report import words
from tallymark.report.blocks import GAP, Block, Grid, Headline, Paragraph
from tallymark.report.subjects.values import more

if TYPE_CHECKING:
    from tallymark.reading.believed import Reading
    from tallymark.reading.inspection import Inspection

MOST_COLUMNS = 12


def reading(r: Reading) -> Iterator[Block]:
    """Yield the interpretation of the input: columns, meanings and the evidence."""
    roles = {role: ", ".join([c] if isinstance(c, str) else c) for role, c in r.roles.items()}
    meanings = {**roles, **{word: str(value) for word, value in r.meanings.items()}}
    meanings |= {} if r.positive is None else {"positive": str(r.positive)}
    meanings["classes"] = ", ".join(map(str, r.classes))
    yield Headline(", ".join(f"{word} = {value}" for word, value in meanings.items()))
    yield Grid(("", "read as"), list(meanings.items()), left=(0, 1), wrap=True)
    if r.evidence:
        yield Grid(("evidence",), [(text,) for text in r.evidence], left=(0,), wrap=True)


def inspection(i: Inspection) -> Iterator[Block]:
    """Yield how a table would be read: roles, first rows, contents of columns, and the result."""
    yield Headline(i.run)
    yield Paragraph(i.name, "title")
    if i.source is not None:
        yield Paragraph(words.said(i.source.sentence))
    yield GAP
    yield Paragraph("First rows", "title")
    names = i.names[:MOST_COLUMNS]
    rows = [tuple("" if v is None else words.cut_off(v, 24) for v in row) for row in i.first_rows]
    yield Grid(names, [row[: len(names)] for row in rows], left=range(len(names)))
    yield from more(len(i.names) - len(names), "columns")
    yield GAP
    heads = ("column", "type", "distinct", "missing", "taken for", "why")
    facts = []
    for name in i.names:
        contents = i.columns.get(name)
        counts = (
            ("", "", "")
            if contents is None
            else (contents.type, f"{contents.distinct:,}", f"{contents.missing:,}")
        )
        facts.append((name, *counts, *i.taken[name]))
    yield Grid(heads, facts, left=(0, 1, 4, 5), wrap=True)
    yield GAP
    yield Paragraph(words.said(i.run), "" if i.source is not None else "warning")
