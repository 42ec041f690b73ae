"""What a look found, in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tallymark.core import many, words

if TYPE_CHECKING:
    from tallymark.parts.watch.results import Look

MOST_EVIDENCE = 1000.0
"""Evidence above this is not printed exactly."""


def numbers(value: float, low: float, high: float, signed: bool = False) -> str:
    """Return a number with its bounds.

    >>> numbers(0.8312, 0.8049, 0.8571), numbers(-0.021, -0.053, 0.012, signed=True)
    ('0.831 (0.805 to 0.857)', '−0.021 (−0.053 to +0.012)')
    """
    if math.isnan(value):
        return "undefined"
    ends = words.to_width(value, low, high, "+" if signed else "")
    return ends[0] if math.isnan(low) else f"{ends[0]} ({ends[1]} to {ends[2]})"


def evidence(value: float) -> str:
    """Return evidence to two digits.

    >>> evidence(3.14159), evidence(0.00213), evidence(48.3), evidence(1e9)
    ('3.1', '0.0021', '48', 'over 1,000')
    """
    if value > MOST_EVIDENCE:
        return f"over {MOST_EVIDENCE:,.0f}"
    if value >= 10:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 0.1 else f"{value:.2g}"


def named(look: Look) -> str:
    """Return the number that is watched."""
    of = "" if look.baseline is None else f" of {look.model} − {look.baseline}"
    return words.text(f"{look.subject}{of}")


def limit(look: Look) -> str:
    """Return the limit as the rule has it."""
    sign = "≥" if look.side == ">=" else "≤"
    if look.baseline is None:
        return f"{sign} {look.limit:g}"
    return f"{sign} {words.signed(look.limit) if look.limit else '0'}"


def sentence(look: Look) -> str:
    """Return the look in one line: the number, its interval, and whether there is an alarm."""
    day = look.last
    found = numbers(day.so_far, day.low, day.high, look.baseline is not None)
    said = f"{named(look)} {found}"
    if not math.isnan(day.low):
        said += " at every look"
    of = f"{evidence(day.evidence)} of {look.alarm_at:g}"
    if not look.alarm:
        said += f"; no alarm (evidence {of})"
    elif look.alarmed == look.date:
        said += f"; alarm (evidence {of} against {limit(look)}): worse since {look.since}"
    else:
        said += (
            f"; alarm on {look.alarmed} (evidence now {of} against {limit(look)}): worse since "
            f"{look.since}"
        )
    return said


def finding(look: Look) -> str:
    """Return in at most 60 characters whether the limit is kept."""
    short = words.cut_off(look.subject, 20) + (" difference" if look.baseline is not None else "")
    if look.alarm:
        return f"Alarm on {look.alarmed}: {short} is not {limit(look)}."
    if math.isnan(look.value):
        return f"{short} is not judged yet."
    days = many(len(look.days), "day")
    day = look.last
    kept = day.low >= look.limit if look.side == ">=" else day.high <= look.limit
    return f"No alarm in {days}: {short} is {limit(look) if kept else 'not settled'}."


def remarks(look: Look) -> list[str]:
    """Return what else to know: what to do after an alarm, why there is no interval, looks left."""
    out = []
    if look.alarm:
        out.append(
            f"Look at the rows from {look.since} on. After the cause is mended, start a new state; "
            "this one keeps its alarm."
        )
    if math.isnan(look.value):
        out.append("No row so far counts for this number, so that it is not judged.")
    elif math.isnan(look.last.low):
        out.append("The interval begins with 20 rows of the rarer class.")
    left = look.horizon - len(look.days)
    out.append(
        f"{many(len(look.days), 'look')} of {look.horizon:,}: a model that keeps its limit gives "
        f"an alarm in at most {100 * (1 - look.level):g} % of watches. Interval: {look.method}."
    )
    if left == 0:
        out.append("This was the last look of the horizon; start a new state for the next day.")
    return out
