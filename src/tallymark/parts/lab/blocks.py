"""The lab's findings as blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tallymark.core import Block, Cell, Grid, Headline, Paragraph, Style, words
from tallymark.parts.lab.results import Lab, Reaction
from tallymark.parts.lab.words import about_samples, measure


def reaction(r: Reaction) -> Iterator[Block]:
    """Yield what a failure does to a metric."""
    line = (
        f"{r.failure}: {measure(r.metric)} {words.number(r.value)}, mean change "
        f"{words.signed(r.change)}, power {words.percent(r.power, 0)}, {r.effect}"
    )
    yield Headline(line, line)
    yield Paragraph(line)


def lab(found: Lab) -> Iterator[Block]:
    """Yield a sentence a failure, and the power of every metric against every failure."""
    metrics = found[next(iter(found.failures))]
    yield Headline(
        f"{words.text(found.model)}: {words.many(len(metrics), 'metric')} against "
        f"{words.many(len(found.failures), 'failure')}, samples of {found.n:,} rows"
    )
    yield Paragraph(
        f"{words.text(found.source)}, {words.text(found.model)}: which metrics notice a failure in "
        f"{found.n:,} rows",
        "title",
    )
    for name in found.failures:
        yield Paragraph(found.sentence(name), item=True)
    columns = [found[name] for name in found.failures]
    rows: list[Sequence[Cell | str]] = [
        (
            measure(metric),
            words.number(r.value),
            Cell(words.percent(found.rate_without_failure[metric], 0), style="dim"),
            *(_power(column[metric]) for column in columns),
        )
        for metric, r in metrics.items()
    ]
    yield Paragraph()
    yield Grid(("power", "value", "no failure", *found.failures), rows)
    yield Paragraph(about_samples(found), "dim")
    for why, names in words.grouped((why, n) for n, why in found.left_out.items()).items():
        yield Paragraph(f"Left out: {', '.join(names)}: {why}.", "dim")
    for note in found.notes:
        yield Paragraph(note, "dim")


_OF_EFFECTS: Mapping[str, Style] = {"better": "bad", "none": "dim", "undefined": "warning"}


def _power(r: Reaction) -> Cell:
    """Return the power of a metric against a failure, and what the failure does to it."""
    style = _OF_EFFECTS.get(r.effect, "best" if r.noticed else "")
    if r.effect == "undefined":
        return Cell(r.effect, style=style)
    effect = "" if r.effect == "none" else f"{r.effect} "
    return Cell(effect + words.percent(r.power, 0), style=style)
