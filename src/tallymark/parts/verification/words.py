"""The error rates of a system in sentences, in the terms of ISO/IEC 19795."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tallymark import Evaluation, Value
from tallymark.core import count, enumerated, harmless, interval, many, number, percent, words
from tallymark.parts.verification.intervals import ENOUGH_ERRORS, RESTS_ON
from tallymark.parts.verification.rates import (
    ErrorRates,
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
    message = f"{count(v.mated)} genuine and {count(v.non_mated)} impostor comparisons"
    if v.people is not None and v.people.number is not None:
        message += f" of {many(v.people.number, 'person', 'people')}"
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
    message = (
        f"The equal error rate (EER) of {harmless(v.system)} is {percent(v.eer.value, 2)}{bounds}."
    )
    return f"{message}{_at_lowest(v)}"


def _at_lowest(v: Verification) -> str:
    """Return a sentence on the FNMR at the lowest FMR with enough errors, if there is one."""
    if not (supported := _supported(v)):
        return ""
    r = supported[-1]
    bounds = f" ({_percents(r.fnmr)})" if interval(r.fnmr) else ""
    return (
        f" At a false match rate (FMR) of {r.target:g} its false non-match rate (FNMR) is "
        f"{percent(r.fnmr.value, 2)}{bounds}."
    )


def finding(systems: Sequence[Verification]) -> str:
    """Return the lowest equal error rate, in at most 60 characters."""
    best = min(systems, key=lambda v: v.eer.value)
    eer = percent(best.eer.value, 2)
    if len(systems) > 1:
        return f"{words.cut_off(best.system, 18)} has the lowest equal error rate: {eer}."
    return f"The equal error rate (EER) is {eer}."


def lead(systems: Sequence[Verification], level: float) -> str:
    """Return the rates of the best system with their intervals, and the next system's."""
    best, *rest = sorted(systems, key=lambda v: v.eer.value)
    text = of_system(best, level)
    if not rest and interval(best.eer):  # the headline has the rate
        text = f"{percent(level, 0)} CI {_percents(best.eer)}.{_at_lowest(best)}"
    if rest:
        bounds = f" ({_percents(rest[0].eer)})" if interval(rest[0].eer) else ""
        text += f" Next is {harmless(rest[0].system)}, EER {percent(rest[0].eer.value, 2)}{bounds}."
    return text


def _supported(v: Verification) -> list[ErrorRates]:
    """Return the error rates at false match rates that rest on 30 false matches or more."""
    return [r for r in v.at_fmr if r.target and v.non_mated * r.target >= ENOUGH_ERRORS]


def _percents(v: Value) -> str:
    """Return the bounds of a share as percentages."""
    return f"{100 * v.low:.2f} to {percent(v.high, 2)}"


def few_errors(v: Verification) -> list[str]:
    """Return the uncertainty of few errors by the rules of 3 and 30, and how many would do."""
    out = [f"{name}: {why}." for name, why in _warnings(v)]
    if v.stated is not None:
        kinds = (
            ("FMR", "false match", "impostor", v.stated.false_matches, v.non_mated),
            ("FNMR", "false non-match", "genuine", v.stated.false_non_matches, v.mated),
        )
        for rate, error, kind, errors, n in kinds:
            if errors == 0:
                out.append(f"No {error} in {count(n)} {kind} comparisons{_below(v, rate)}.")
            elif errors < ENOUGH_ERRORS:
                plural = "es" if errors != 1 else ""
                takes = f"30 errors, about {count(math.ceil(rule_of_thirty(errors / n)))} {kind}"
                out.append(
                    f"The {rate} at {_threshold(v)} rests on {count(errors)} {error}{plural}"
                    f"{_thirty(v, f'{takes} comparisons')} (rule of 30)."
                )
    few = [r for r in v.at_fmr if r.target and v.non_mated * r.target < ENOUGH_ERRORS]
    if few:
        rates = enumerated([f"{r.target:g}" for r in few])
        needed = enumerated([count(round(rule_of_thirty(r.target or 1.0))) for r in few])
        verb = "threshold of FMR = {} rests" if len(few) == 1 else "thresholds of FMR = {} rest"
        out.append(
            f"The {verb.format(rates)} on fewer than 30 false matches"
            f"{_thirty(v, f'{needed} independent impostor comparisons')} (rule of 30)."
        )
    unseen = [r for r in few if r.false_matches == 0]
    if unseen:
        at = enumerated([f"{r.target:g}" for r in unseen])
        out.append(f"No false match is left at FMR = {at}{_only(v)}.")
    return out


def _warnings(v: Verification) -> Iterator[tuple[str, str]]:
    """Yield the warnings on intervals of people who recur; few false matches are said apart."""
    values = [v.eer, *([] if v.stated is None else [v.stated.fmr, v.stated.fnmr])]
    names = [TITLES[value.metric] for value in values]
    values += [r.fnmr for r in v.at_fmr]
    names += [TITLES[name] for name in AT_FMR]
    for name, value in zip(names, values, strict=True):
        if v.people is not None and value.warning:
            said = [w for w in value.warning.split("; ") if not w.startswith(RESTS_ON)]
            yield from ((name, why) for why in said)


def _thirty(v: Verification, takes: str) -> str:
    """Return what the rule of 30 says, which takes comparisons as independent."""
    if v.people is None:
        return f"; ±30 % at 90 % confidence takes {takes}"
    return ", and people recur in the comparisons, which leaves them uncertain"


def _threshold(v: Verification) -> str:
    """Return the threshold in force, which the user stated or the signs of the scores suggest."""
    return "no threshold" if v.stated is None else f"a threshold of {v.stated.threshold:.5g}"


def _below(v: Verification, rate: str) -> str:
    """Return below which rate no error at the threshold is believable."""
    where = f"the {rate} at {_threshold(v)} is below"
    of_mated = rate == "FNMR"
    if v.people is None:
        bound = number(rule_of_three(v.mated if of_mated else v.non_mated))
        return f": {where} {bound} with 95 % confidence (rule of 3)"
    n = _independent(v, of_mated)
    if n is None:
        return f", and people recur in them: how low the {rate} is remains open"
    return (
        f", of which {count(n)} can be independent: {where} {number(min(rule_of_three(n), 1))} "
        "with 95 % confidence (rule of 3)"
    )


def _only(v: Verification) -> str:
    """Return below which FMR no false match among all comparisons is believable."""
    shows = "that only shows an FMR below {} with 95 % confidence (rule of 3)"
    if v.people is None:
        bound = number(rule_of_three(v.non_mated))
        return f": of {count(v.non_mated)} impostor comparisons {shows.format(bound)}"
    n = _independent(v, False)
    if n is None:
        return ", and people recur in the comparisons: how low the FMR is there remains open"
    bound = number(min(rule_of_three(n), 1))
    return f": of {count(n)} comparisons that can be independent {shows.format(bound)}"


def _independent(v: Verification, of_mated: bool) -> float | None:
    """Return how many comparisons of a kind can be independent, None if that is not known."""
    assert v.people is not None
    n = v.people._independent(of_mated)
    return None if n is None else min(n, v.mated if of_mated else v.non_mated)
