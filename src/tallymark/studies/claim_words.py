"""A reconciliation in words."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill
from typing import TYPE_CHECKING

from tallymark.studies.solver import Solutions

if TYPE_CHECKING:
    from tallymark.studies.claims import Reconciliation


def told(found: Reconciliation) -> str:
    """Return what was found, as a terminal shows it."""
    return "\n".join(_lines(found))


def _lines(found: Reconciliation) -> Iterator[str]:
    from tallymark.studies.claims import FOLDS, short

    of = f"{found.rows:,} rows"
    if found.positives is not None:
        of += f", {found.positives:,} of them positive,"
    if found.known:
        counts = ", ".join(f"{k.upper()} {v:,}" for k, v in found.known.items())
        of = f"{of.rstrip(',')} with {counts}"
    stated = ", ".join(f"{c.name} {c.text}" for c in found.claims) or "the counts"
    if found.plain:
        (reading,) = found.readings
        yield from _wrapped(f"{_how_many(reading.solutions)} of {of} gives {stated}.")
        yield from _matrices(reading.solutions)
        return
    if not found.complete and not found.readings:
        yield from _wrapped(
            f"Undecided: too many matrices of {of.rstrip(',')} come into question to look at "
            "each. State more numbers, or the number of positives."
        )
        return
    ruled_out = (
        "the only one that there is does not"
        if found.searched == 1
        else f"each of the {found.searched:,} that there are is ruled out"
    )
    if not found.searched:
        ruled_out = "the counts contradict each other"
    yield from _wrapped(f"No matrix of {of} gives {stated}: {ruled_out}.")
    if not found.searched:
        return
    texts = {c.name: c.text for c in found.claims}
    if found.conflict and found.searched > 1:
        alone = f"{found.conflict[0]} {texts[found.conflict[0]]} alone is impossible here."
        several = f"It takes no more than {' and '.join(found.conflict)} to contradict each other."
        yield from _wrapped(alone if len(found.conflict) == 1 else several)
    for n in found.nearest:
        tp, fn, fp, tn = n.matrix
        rest = " with the others as stated" if len(found.conflict) > 1 else ""
        yield from _wrapped(
            f"- {n.claim} can be {short(n.value, texts[n.claim])}{rest}, not {texts[n.claim]}: "
            f"TP {tp:,}, FN {fn:,}, FP {fp:,}, TN {tn:,}",
            "  ",
        )
    if not found.readings:
        yield from _wrapped(f"No other reading fits either. Mind that {FOLDS}.")
        return
    for reading in found.readings:
        yield ""
        yield from _wrapped(f"If {' and '.join(reading.changes)}: {_fits(reading.solutions)}.")
        yield from _matrices(reading.solutions)


def _how_many(found: Solutions) -> str:
    return "Exactly one matrix" if found.count == 1 else f"Each of {found.count:,} matrices"


def _fits(found: Solutions) -> str:
    return "exactly one matrix fits" if found.count == 1 else f"{found.count:,} matrices fit"


def _matrices(found: Solutions) -> Iterator[str]:
    for tp, fn, fp, tn in found.matrices[:5]:
        yield f"  TP {tp:,}  FN {fn:,}  FP {fp:,}  TN {tn:,}"
    if found.count > 5:
        names = ("TP", "FN", "FP", "TN")
        ranges = ", ".join(
            f"{name} {a:,}" if a == b else f"{name} {a:,} to {b:,}"
            for name, (a, b) in zip(names, found.ranges, strict=True)
        )
        yield f"  ... in all: {ranges}"


def _wrapped(text: str, indent: str = "") -> Iterator[str]:
    yield from fill(text, 88, subsequent_indent=indent).splitlines()
