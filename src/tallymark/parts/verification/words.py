"""The error rates of a system in sentences, in the terms of ISO/IEC 19795."""

from __future__ import annotations

import math

from tallymark import Evaluation, Value
from tallymark.core import count, enumerated, harmless, interval, number, percent
from tallymark.parts.verification.rates import (
    ENOUGH_ERRORS,
    Verification,
    rule_of_thirty,
    rule_of_three,
)

AT_FMR = ("fmr100", "fmr1000", "fmr10000")
"""FNMR at each false match rate of the report."""

TITLES = {
    "equal_error_rate": "Equal error rate (EER)",
    "false_positive_rate": "False match rate (FMR)",
    "false_negative_rate": "False non-match rate (FNMR)",
    "fmr100": "FNMR at FMR = 10⁻²",
    "fmr1000": "FNMR at FMR = 10⁻³",
    "fmr10000": "FNMR at FMR = 10⁻⁴",
}


def about(ev: Evaluation, v: Verification) -> str:
    """Return the numbers of comparisons in one line."""
    message = f"{count(v.mated)} mated and {count(v.non_mated)} non-mated comparisons"
    if ev.dropped:
        message += (
            f"; {ev.dropped:,} without a score are left out, so that FMR and FNMR count no "
            "failure to acquire"
        )
    note = ", drawn with their sign changed" if v.scores == "distances" else ""
    return f"{message}; scores are {v.scores}{note}"


def of_system(v: Verification, level: float) -> str:
    """Return the equal error rate of a system, and the lowest FMR that its errors support."""
    bounds = f" ({percent(level, 0)} CI {_percents(v.eer)})" if interval(v.eer) else ""
    message = f"The equal error rate of {harmless(v.system)} is {percent(v.eer.value, 2)}{bounds}."
    supported = [r for r in v.at_fmr if r.target and v.non_mated * r.target >= ENOUGH_ERRORS]
    if supported:
        r = supported[-1]
        message += (
            f" At FMR = {r.target:g} it rejects {percent(r.fnmr.value, 2)} of mated comparisons"
            f"{f' ({_percents(r.fnmr)})' if interval(r.fnmr) else ''}."
        )
    return message


def _percents(v: Value) -> str:
    """Return the bounds of a share as percentages."""
    return f"{100 * v.low:.2f} to {percent(v.high, 2)}"


def few_errors(v: Verification) -> list[str]:
    """Return the uncertainty of few errors by the rules of 3 and 30, and how many would do."""
    out = []
    if v.stated is not None:
        kinds = (
            ("FMR", "false match", "non-mated", v.stated.false_matches, v.non_mated),
            ("FNMR", "false non-match", "mated", v.stated.false_non_matches, v.mated),
        )
        for rate, error, kind, errors, n in kinds:
            if errors == 0:
                bound = number(rule_of_three(n))
                out.append(
                    f"No {error} in {count(n)} {kind} comparisons: the {rate} at the stated "
                    f"threshold is below {bound} with 95 % confidence (rule of 3)."
                )
            elif errors < ENOUGH_ERRORS:
                needed = count(math.ceil(rule_of_thirty(errors / n)))
                plural = "es" if errors != 1 else ""
                out.append(
                    f"The {rate} at the stated threshold rests on {count(errors)} {error}{plural}; "
                    f"±30 % at 90 % confidence takes 30 errors, about {needed} {kind} comparisons "
                    "(rule of 30)."
                )
    few = [r for r in v.at_fmr if r.target and v.non_mated * r.target < ENOUGH_ERRORS]
    if few:
        rates = enumerated([f"{r.target:g}" for r in few])
        needed = enumerated([count(round(rule_of_thirty(r.target or 1.0))) for r in few])
        verb = "threshold of FMR = {} rests" if len(few) == 1 else "thresholds of FMR = {} rest"
        out.append(
            f"The {verb.format(rates)} on fewer than 30 false matches; ±30 % at 90 % "
            f"confidence takes {needed} independent non-mated comparisons (rule of 30)."
        )
    unseen = [r for r in few if r.false_matches == 0]
    if unseen:
        out.append(
            f"No false match is left at FMR = {enumerated([f'{r.target:g}' for r in unseen])}: of "
            f"{count(v.non_mated)} non-mated comparisons that only shows an FMR below "
            f"{number(rule_of_three(v.non_mated))} with 95 % confidence (rule of 3)."
        )
    return out
