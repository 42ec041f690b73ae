"""The gate's findings in words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import numpy as np

from tallymark.core import percent, quantile, words
from tallymark.parts.gate.results import Gate, Judged


def limit(f: Judged) -> str:
    """Return the limit of a number, or "none" for a forbidden code."""
    if f._forbids:
        return "none"
    text = f"{f.limit:g}" if f.margin is None else words.signed(f.limit) if f.limit else "0"
    return f"{'≥' if f.side == '>=' else '≤'} {text}"


def said_of(f: Judged) -> str:
    """Return the sentence of a finding."""
    subject, sign = _judged(f), "" if f.margin is None else "+"
    if f._forbids and not f.reason:
        return words.sentence(f"{subject}: checked, nothing found")
    if f.reason and math.isnan(f.value):
        return words.sentence(f"{subject}: {f.reason}")
    ends = words.interval(f, sign)
    bounds = f", {100 * f.level:g} % CI {ends}" if ends else ""
    number_is = f"{subject} is {words.value(f, sign)} ({limit(f)} wanted{bounds})"
    says = {
        "pass": "the whole interval keeps the limit",
        "fail": "the whole interval is beyond the limit",
        "undecided": "the limit lies in the interval",
    }
    if f.reason and f.verdict in ("pass", "fail") and not math.isnan(f.low):
        return words.sentence(f"{number_is}: {says[f.verdict]}, {f.reason}")
    if f.reason:
        return words.sentence(f"{number_is}: {f.reason}{_how_few(f)}")
    more = ""
    if f.needed:
        more = (
            f". If both models are equal, about {words.rounded_up(f.needed):,} rows would show it "
            "with a power of 80 %"
        )
    return words.sentence(f"{number_is}: {says[f.verdict]}{more}")


FEW = "few"
"""The number, in a finding, of what a subgroup has too few of."""

WORSE = "undecided for the margin"
"""How the reason begins where a model is worse, and the margin lies in the interval."""


def _how_few(f: Judged) -> str:
    few = f.numbers.get(FEW)
    return f" ({words.count(few)})" if isinstance(few, float) else ""


def _judged(f: Judged) -> str:
    of = f"{f.subject} of {f.model}" + ("" if f.margin is None else f" − {f.baseline}")
    return of + (f" in {f.subgroup}" if f.subgroup else "")


def reasons(g: Gate) -> Iterator[str]:
    """Yield the reasons of findings, and warnings on passes, that the table does not show."""
    why = words.grouped(
        (f"{f.verdict}, {f.reason}", _judged(f) + _how_few(f))
        for f in g.findings
        if f.reason and not f.reason.startswith(WORSE)
    )
    for reason, places in why.items():
        more = len(places) - MOST_NAMED
        named = ", ".join(places[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        if reason.endswith("."):  # whole sentences
            yield words.sentence(f"{named}: {reason}")
        else:
            yield words.sentence(f"{reason}: {named}")


MOST_NAMED = 3
"""Findings with one reason that are named; further ones are counted."""


def outcome(g: Gate) -> str:
    """Return the verdict of a gate, how many findings have each, and which models are worse."""
    head = {0: "Passed", 1: "Failed", 3: "Not judged"}[g.exit_code]
    verdicts = [f.verdict for f in g.findings]
    counts = [f"{verdicts.count(v)} {v}" for v in dict.fromkeys(sorted(verdicts, key=ORDER.index))]
    strict = " (strict: undecided fails)" if g.strict and "undecided" in verdicts else ""
    open_passes = g.exit_code == 0 and "undecided" in verdicts
    passes = f" {words.said(OPEN_PASSES)}" if open_passes else ""
    reasons = dict.fromkeys(f.reason for f in g.findings if (f.reason or "").startswith(WORSE))
    worse = [f" {words.sentence(reason[:1].upper() + reason[1:])}" for reason in reasons if reason]
    return f"{head}: {', '.join(counts)}{strict}.{passes}{''.join(worse)}"


OPEN_PASSES = "Undecided rules pass; strict=True fails them."


def judged_models(g: Gate) -> str:
    """Return the number of rows and the names of the judged models and of the baseline."""
    names = [words.text(name) for name in dict.fromkeys(f.model for f in g.findings)]
    listed = words.enumerated(words.few(names))
    baselines = dict.fromkeys(f.baseline for f in g.findings if f.baseline)
    against = "".join(f", baseline: {words.text(name)}" for name in baselines)
    return f"{words.text(g.source)}, {words.count(g.rows)} rows; judged: {listed}{against}"


def positives(g: Gate) -> str:
    """Return a sentence with the positive class and the thresholds; empty without such a class."""
    if g.positive is None:
        return ""
    own = [_has_own_threshold(f) for f in g.findings]
    if own and all(own):
        return words.sentence(
            f"{words.text(g.positive)} is the positive class; every rule names its own threshold"
        )
    by_decision = words.grouped((said, words.text(name)) for name, said in g.decisions.items())
    several = len(by_decision) > 1
    listed = "; ".join(
        f"decisions {f'of {words.enumerated(names)} ' if several else ''}{said}"
        for said, names in by_decision.items()
    )
    others = ", unless a rule names its own threshold" if any(own) else ""
    return words.sentence(f"{words.text(g.positive)} is the positive class; {listed}{others}")


def _has_own_threshold(f: Judged) -> bool:
    """Return whether a rule says at which threshold it is judged: itself, or by another rate."""
    places = re.split(r"\bat\b", f.subject)[1:]
    return any(name != "prevalence" for name in re.findall(r"(\w+)\s*=", "".join(places)))


ORDER = ("fail", "cannot judge", "undecided", "pass")
"""Verdicts, the worst first."""


def rows_needed(g: Gate) -> Iterator[str]:
    """Yield the number of rows that would decide each rule with a margin."""
    margins = dict.fromkeys((f.subject, f.model, f.baseline) for f in g.findings if f.needed)
    for subject, model, baseline in margins:
        findings = [f for f in g.findings if f.needed and (f.subject, f.model) == (subject, model)]
        numbers = [
            f"{words.rounded_up(f.needed):,} rows" for f in findings if f.needed and not f.subgroup
        ]
        if within := [f.needed for f in findings if f.needed and f.subgroup]:
            numbers.append(f"up to {words.rounded_up(max(within)):,} of a subgroup")
        yield words.sentence(
            f"{subject} of {model} − {baseline}: to show that it is no worse by the margin "
            f"takes {' and '.join(numbers)}, if both models are equal (power 80 %)"
        )


def chance_at_any_look(looks: int, of: str, level: float) -> str:
    """Return how often a model at its limit fails if a rule is judged at each of several looks.

    >>> print(chance_at_any_look(60, "batches", 0.95))
    If a rule is judged after each of the 60 batches, a model exactly at its limit fails it at least
    once in about 17 % of runs.
    """
    shown = min(looks, MOST_LOOKS)
    about = "about" if shown == looks else "more than"
    return (
        f"If a rule is judged after each of the {looks:,} {of}, a model exactly at its limit fails "
        f"it at least once in {about} {percent(failing_at_any(shown, level), 0)} of runs."
    )


MOST_LOOKS = 1000
"""Looks that are simulated; the chance of more is larger."""


def failing_at_any(looks: int, level: float, runs: int = 20_000) -> float:
    """Return the chance that a one-sided test of all rows so far rejects at any of several looks.

    Estimated for a mean of looks of equal size (Armitage, McPherson and Rowe 1969), with fixed
    random numbers: its standard error is below 0.4 points.

    >>> round(failing_at_any(1, 0.95), 3), round(failing_at_any(5, 0.95), 3)
    (0.024, 0.073)
    """
    rng, z = np.random.default_rng(0), quantile(level)
    total, failed = np.zeros(runs), np.zeros(runs, bool)
    for look in range(1, looks + 1):
        total += rng.standard_normal(runs)
        failed |= total < -z * math.sqrt(look)
    return float(failed.mean())


def chance_of_failing(g: Gate) -> str:
    """Return how often a gate fails by chance alone."""
    each = (1 - g.level) / 2
    if all(f._forbids for f in g.findings):
        return ""
    rules = len({(f.rule, f.model, bool(f.subgroup)) for f in g.findings if not f._forbids})
    text = f"Where a number is at its limit, chance fails the rule in about {percent(each)} of runs"
    if any(f.subgroup for f in g.findings):
        text += ", over all subgroups together too (Holm)"
    if rules > 1:
        text += f"; any of {rules} in up to {percent(min(rules * each, 1))}"
    return text + "."
