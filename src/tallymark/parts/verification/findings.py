"""The rules of comparisons."""

from __future__ import annotations

from collections.abc import Sequence

from tallymark.core import THRESHOLD_CHOSEN, CountedRows, Finding, count, enumerated, rule
from tallymark.parts.verification.intervals import people_of

NO_THRESHOLD = THRESHOLD_CHOSEN.worded(
    "no threshold is stated, so FMR and FNMR are given at the equal error rate and at fixed FMR "
    "only",
    remedy="",
    severity="assumed",
)

WRONG_WAY = rule(
    "wrong-way",
    "warning",
    "Genuine scores are mostly lower than impostor scores.",
    "genuine scores of {model} are mostly lower than impostor scores",
    ". If they are distances, say higher_is='impostor'; otherwise check whether the two kinds were "
    "swapped",
)

RECURRING = rule(
    "people",
    "assumed",
    "People recur in several comparisons.",
    "{people} people recur in the comparisons: genuine ones are worth {mated} people, impostor "
    "ones {non_mated} (effective numbers). Intervals treat people, not comparisons, as "
    "independent; bands of curves and differences between systems allow for one of the two people "
    "only",
)

NUMBERED = rule(
    "number-of-people",
    "assumed",
    "People recur, and only their number is known.",
    "{people} people recur in the comparisons, and who is compared is not known: intervals count "
    "half of them as independent comparisons. Bands of curves and differences between systems are "
    "too narrow",
)

OF_THEIR_OWN = rule(
    "people-of-their-own",
    "assumed",
    "Nothing says who is compared.",
    "intervals hold only if each comparison has people of its own",
    ". If people recur, name their columns with probe=... and reference=..., or say how many there "
    "are with people=...",
)

NOT_KNOWN = rule(
    "people-not-known",
    "warning",
    "People recur, and who is compared is not known.",
    "values of {columns} repeat, so people recur in the comparisons, and who is compared is not "
    "known: there are no intervals, and bands of curves and differences between systems are too "
    "narrow",
    ". Name the columns with the person of either side with probe=... and reference=..., or say "
    "how many people there are with people=...",
)


def note_of_people(counted: CountedRows, repeated: Sequence[str]) -> Finding:
    """Return the note on how the intervals allow for people in several comparisons."""
    people = people_of(counted, counted.models[0])
    if people is None:
        return OF_THEIR_OWN.finding()
    if people.number is None:
        return NOT_KNOWN.finding(columns=enumerated([f"`{name}`" for name in repeated]))
    if people.effective_mated is None or people.effective_non_mated is None:
        return NUMBERED.finding(people=people.number)
    effective = (round(n, 1) for n in (people.effective_mated, people.effective_non_mated))
    mated, non_mated = map(count, effective)
    return RECURRING.finding(people=people.number, mated=mated, non_mated=non_mated)
