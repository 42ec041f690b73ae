"""What is said of a model under a code: a warning, or advice against it."""

from __future__ import annotations

from tallymark.infer.cautions import CHECKS, codes_of_warnings
from tallymark.reading.checks import NOT_CHECKED
from tallymark.report.evaluation import Evaluation
from tallymark.studies.advice import RULES


def codes() -> tuple[str, ...]:
    """Return the codes of all warnings, and of the advice that warns."""
    return (*codes_of_warnings(), *(code for code, rule in RULES.items() if rule.warns))


def said_with(code: str, ev: Evaluation, model: str) -> list[str] | None:
    """Return what is said of a model with a code; None where nothing is, and it was not checked."""
    if code in RULES:
        alone = RULES[code].section == "misleads"
        advice = (ev.model(model) if alone and len(ev.names) > 1 else ev).advise()
        said = [s.text for s in advice.statements if s.rule == code]
        checked = code in advice.passed if alone else len(ev.names) > 1
    else:
        notes = (n for n in ev.notes if (n.code, n.kind) == (code, "warning"))
        said = [n.text for n in notes if n.model in (None, model)]
        check = CHECKS.get(code)
        checked = check is None or ev.source.checks.get(check, NOT_CHECKED) != NOT_CHECKED
    return said if said or checked else None
