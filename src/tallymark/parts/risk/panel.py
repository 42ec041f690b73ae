"""The section of the report page that says which cases to answer and which to refer."""

from __future__ import annotations

from dataclasses import replace

from tallymark import Evaluation, InputError
from tallymark.core import Block, Panel, only, words
from tallymark.parts.risk.blocks import answers, areas, chart, claim, notes, sentence
from tallymark.parts.risk.refer import Limit, Referral, refer

RISKS = (0.01, 0.02, 0.05, 0.1)
"""The risks that are tested together; the section says which of them can be kept."""

USES = ("", "medicine", "defects", "decisions", "probabilities")
"""The uses that show it: others rank cases, or have no room for it."""

SOURCES = ("bauer1991", "angelopoulos2021")

POINTS = 60
"""The points of the curve, which is one of many on the page."""


def panel(ev: Evaluation, best: str) -> Panel | None:
    """Return what the best model can answer; None without probabilities or decisions on cases."""
    if ev.labels or ev.source.use not in USES:
        return None
    one = ev.model(best)
    if not only(one.models).probabilities:
        return None
    try:
        r = refer(one, () if ev.clusters else RISKS)
    except InputError:  # weighted, binned or not kept: a guarantee counts rows as they are
        return None
    r = replace(r, limits=worth_stating(r))
    alone = replace(r, limits=r.limits[:1])
    first = claim(r.limits[0], alone) if r.limits else sentence(r)
    who = f"{words.text(r.name)}: " if len(ev.names) > 1 else ""
    blocks: list[Block] = [*answers(r), chart(r, POINTS)]
    numbers = replace(areas(r), caption="Areas under the curve of risk by coverage.")
    blocks += [*([] if ev.binary else [numbers]), *notes(r)]
    return Panel("Answer or refer", f"{who}{first}.", blocks, sources=SOURCES)


def worth_stating(r: Referral) -> tuple[Limit, ...]:
    """Return the risks that can be kept, up to the first that lets every case be answered.

    The last risk is returned where none can be kept. All were tested together, so that any of
    them hold with the stated confidence.
    """
    kept = [x for x in r.limits if x.coverage is not None]
    every = next((i for i, x in enumerate(kept, 1) if x.coverage == 1), len(kept))
    return tuple(kept[:every]) or r.limits[-1:]
