"""Agreement as blocks."""

from __future__ import annotations

from collections.abc import Iterator

from tallymark import metrics
from tallymark.core import Block, Grid, Paragraph, count, interval, number, said, words
from tallymark.parts.agreement.coefficients import Agreement


def agreement(result: Agreement) -> Iterator[Block]:
    """Yield coefficients of agreement with their errors and intervals."""
    tally, values = result.tally, result.values
    most = int(tally.counts.sum(1).max(initial=0))
    yield Paragraph(
        f"{tally.rows:,} subjects, {count(float(tally.counts.sum()))} ratings, "
        f"{len(tally.labels)} categories, at most {most} ratings a subject"
    )
    rows = []
    for v in values:
        bounds = interval(v)
        tail = f"standard error {number(v.se)}" if bounds and v.se else v.reason or v.method or ""
        rows.append((v.metric, words.value(v), bounds, tail))
    yield Grid(("coefficient", "value", "interval", ""), rows, left=(0, 2), wrap=True)
    for warning in dict.fromkeys(v.warning for v in values if v.warning):
        yield Paragraph(said(f"warning: {warning}."))
    kappa = next(v for v in values if v.metric == "fleiss_kappa")
    if not kappa.reason and (opinion := metrics.cohen_kappa.words._opinion):
        whose, called = opinion
        yield Paragraph(
            f"{whose}'s scale calls this kappa {called(kappa.value)}; the scale is a convention"
        )
