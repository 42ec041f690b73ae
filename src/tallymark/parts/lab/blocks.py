"""The lab's findings as blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tallymark.core import Block, Cell, Grid, Headline, Paragraph, Style, words
from tallymark.parts.lab.results import Lab, Reaction
from tallymark.parts.lab.words import about_samples, measure


def reaction(r: Reaction) -> Iterator[Block]:
    """Yield the effect of a failure on a metric."""
    line = (
        f"{r.failure}: {measure(r.metric)} {words.number(r.value)}, mean change "
        f"{words.signed(r.change)}, power {words.percent(r.power, 0)}, {r.effect}"
    )
    yield Headline(line, line)
    yield Paragraph(line)


def lab(result: Lab) -> Iterator[Block]:
    """Yield a sentence for each failure, and the power of every metric against every failure."""
    metrics = result[next(iter(result.failures))]
    yield Headline(
        f"{words.text(result.model)}: {words.many(len(metrics), 'metric')} against "
        f"{words.many(len(result.failures), 'failure')}, samples of {result.n:,} rows"
    )
    yield Paragraph(
        f"{words.text(result.source)}, {words.text(result.model)}: which metrics notice a failure "
        f"in {result.n:,} rows",
        "title",
    )
    for name in result.failures:
        yield Paragraph(result.sentence(name), item=True)
    columns = [result[name] for name in result.failures]
    rows: list[Sequence[Cell | str]] = [
        (
            measure(metric),
            words.number(r.value),
            Cell(words.percent(result.rate_without_failure[metric], 0), style="dim"),
            *(_power(column[metric]) for column in columns),
        )
        for metric, r in metrics.items()
    ]
    yield Paragraph()
    yield Grid(("power", "value", "no failure", *result.failures), rows)
    yield Paragraph(about_samples(result), "dim")
    for why, names in words.grouped((why, n) for n, why in result.left_out.items()).items():
        yield Paragraph(f"Left out: {', '.join(names)}: {why}.", "dim")
    for note in result.notes:
        yield Paragraph(note, "dim")


_OF_EFFECTS: Mapping[str, Style] = {"better": "bad", "none": "dim", "undefined": "warning"}


def _power(r: Reaction) -> Cell:
    """Return the power of a metric against a failure, and the direction of its change."""
    style = _OF_EFFECTS.get(r.effect, "best" if r.noticed else "")
    if r.effect == "undefined":
        return Cell(r.effect, style=style)
    effect = "" if r.effect == "none" else f"{r.effect} "
    return Cell(effect + words.percent(r.power, 0), style=style)
