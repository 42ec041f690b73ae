"""A look as blocks: its sentence, the chart of the days, and a table of the last ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from tallymark.core import (
    Block,
    Chart,
    Curve,
    Folded,
    Grid,
    Headline,
    Paragraph,
    blocks,
    drawing,
    many,
    paragraphs,
    words,
)
from tallymark.parts.watch.words import evidence, limit, named, numbers, remarks, sentence

if TYPE_CHECKING:
    from tallymark.parts.watch.results import Look
    from tallymark.parts.watch.watch import Watch

MOST_DAYS = 10
"""Days in the table, the last ones; ``to_dict()`` and ``table()`` have all."""


def watch(watching: Watch) -> Iterator[Block]:
    """Yield what was found on the last day, or that there is none."""
    last = watching.look
    so_far = many(0 if last is None else len(last.days), "look")
    yield Headline(f"{words.text(watching.rule)}, {so_far} of {watching.horizon:,}")
    if last is None:
        yield Paragraph(f"{words.text(watching.rule)}: no day was added yet")
    else:
        yield from list(look(last))[1:]


def look(found: Look) -> Iterator[Block]:
    """Yield the look in a sentence, the chart and table of the days, and what to do."""
    line = sentence(found)
    yield Headline(line)
    yield Paragraph(line, "bad" if found.alarm else "best" if not found.exit_code else "warning")
    yield chart(found)
    yield from paragraphs(remarks(found), "dim")


def look_card(found: Look) -> Iterator[Block]:
    """Yield the look with the drawing of its days, and a folded table of the last ones."""
    yield from list(look(found))[1:]
    yield Folded("The last days", [table(found)])


def watch_card(watching: Watch) -> Iterator[Block]:
    """Yield what was found on the last day, as the card of the look."""
    last = watching.look
    yield from list(watch(watching))[1:] if last is None else look_card(last)


def chart(found: Look) -> Chart:
    """Return the interval at each look, the numbers of the days, the limit and the alarm."""
    title = f"{named(found)} by day, limit {limit(found)}"
    keys = [
        blocks.Key("line", "all rows so far", 0),
        blocks.Key("second", "the day alone", 0),
        blocks.Key("chance", f"limit {limit(found)}"),
    ]
    if not all(math.isnan(day.low) for day in found.days):
        keys.insert(1, blocks.Key("band", "interval, valid at every look", 0))
    if found.alarm:
        keys.append(blocks.Key("fine", f"alarm on {found.alarmed}"))
    return Chart(
        title,
        picture(found),
        table(found),
        description=sentence(found),
        keys=keys,
        kind="watch",
        called="the last days",
    )


def picture(found: Look) -> drawing.Drawing:
    """Return the drawing of the days."""
    first = date.fromisoformat(found.days[0].date)
    days = [date.fromisoformat(day.date) for day in found.days]
    x = np.array([(day - first).days for day in days], np.float64)
    names = ("value", "so_far", "low", "high")
    value, so_far, low, high = (np.array([getattr(d, n) for d in found.days]) for n in names)
    known = np.isfinite(low) & np.isfinite(so_far)
    curve = Curve("watch", "day", found.metric, x, so_far)
    alone = Curve("watch", "day", found.metric, x, value)
    band = Curve(
        "watch", "day", found.metric, x[known], so_far[known], low=low[known], high=high[known]
    )
    every = np.concatenate([value, so_far, low, high, [found.limit]])
    every = every[np.isfinite(every)]
    ends = math.floor(10 * every.min()) / 10, math.ceil(10 * every.max()) / 10
    last = max(float(x[-1]), 1.0)
    guides = [drawing.Guide((0.0, last), (found.limit, found.limit), "chance")]
    if found.alarmed is not None:
        at = float((date.fromisoformat(found.alarmed) - first).days)
        guides.append(drawing.Guide((at, at), ends, "fine"))
    return drawing.Drawing(
        drawing.Axis(f"days since {first}", 0.0, last),
        drawing.Axis(named(found), *ends),
        [
            drawing.Series("all rows so far", 0, curve),
            drawing.Series("the day alone", 0, alone, second=True),
        ],
        [drawing.Area(band, 0)] if known.any() else [],
        guides,
    )


def table(found: Look) -> Grid:
    """Return the last days as a table."""
    signed = found.baseline is not None
    heads = ("day", "rows", "that day", "all rows so far", "evidence")
    rows = [
        (
            day.date,
            f"{day.rows:,}",
            words.signed(day.value) if signed else words.number(day.value),
            numbers(day.so_far, day.low, day.high, signed),
            evidence(day.evidence),
        )
        for day in found.days[-MOST_DAYS:]
    ]
    more = len(found.days) - len(rows)
    caption = f"The last {len(rows)} of {len(found.days):,} days." if more else ""
    return Grid(heads, rows, caption)
