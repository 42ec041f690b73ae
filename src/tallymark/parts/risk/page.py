"""The page of referrals: what to answer, and the curve of risk against coverage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tallymark.core import TABLE_OF_NUMBERS, Block, count, filled, harmless, percent
from tallymark.parts.risk.blocks import answers, areas, chart, finding, notes, sentence

if TYPE_CHECKING:
    from tallymark.parts.risk.refer import Referral

SOURCES = ("bauer1991", "angelopoulos2021", "geifman2017", "traub2024", "geifman2019", "wilson1927")

DEFINITIONS = (
    "Cases are answered from the most confident one down; the risk is the share of wrong answers "
    "among those that are answered.",
    "A stated risk is tested at 20 equal shares of the rows, the strictest first, as long as so "
    "few wrong answers have a probability of at most one minus the confidence.",
    "The error rate and the risk at a coverage have Wilson's interval, the areas the jackknife's "
    "and that of a beta distribution with one more row.",
)


def render(referrals: Sequence[Referral]) -> str:
    """Return the page of the referrals of some models as HTML text."""
    first = referrals[0]
    errors, *others = _answers(first)
    others = others[1:] if first.limits else others  # the lead is the first limit
    return filled(
        "document.html.j2",
        kicker="Answer or refer",
        source=harmless(", ".join(r.name for r in referrals)),
        finding=finding(first),
        verdict=f"{sentence(first)}.",
        about=f"{count(first.rows)} cases; intervals are at the {percent(first.level, 0)} level",
        notes=[],
        more_style=TABLE_OF_NUMBERS,
        first=([errors, *others, areas(first), *notes(first)], [chart(first)]),
        sections=[
            (f"model-{i}", harmless(r.name), [*_answers(r), chart(r), areas(r), *notes(r)])
            for i, r in enumerate(referrals[1:], 1)
        ],
        definitions=DEFINITIONS,
        sources=[*SOURCES],
    )


def _answers(r: Referral) -> list[Block]:
    """Return what to answer, without the title."""
    return [b for b in answers(r) if b.style != "title"]
