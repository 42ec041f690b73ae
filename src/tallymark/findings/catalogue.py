"""The list of all rules: of notes, of advice, and of parts."""

from __future__ import annotations

from collections.abc import Mapping

from tallymark.findings import advice as advice
from tallymark.findings import notes as notes
from tallymark.findings.rules import RULES, Rule
from tallymark.part import added


def every_rule() -> Mapping[str, Rule]:
    """Return every rule by its code."""
    added("findings")
    return RULES


def codes_of_notes() -> tuple[str, ...]:
    """Return the codes of the warnings that notes on rows with one label may have."""
    rules = every_rule().values()
    return tuple(sorted(r.code for r in rules if _forbidden(r) and r.section is None))


def codes() -> tuple[str, ...]:
    """Return the codes that a gate may forbid: of warnings, and of advice with a warning."""
    rules = every_rule().values()
    return (*codes_of_notes(), *(r.code for r in rules if _forbidden(r) and r.section is not None))


def _forbidden(rule: Rule) -> bool:
    return rule.severity == "warning" and not rule.several_labels
