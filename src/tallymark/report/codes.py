"""The findings on a model with a given code: warnings, or advice."""

from __future__ import annotations

from tallymark.findings.advice import CHECKED, AdviceRule
from tallymark.findings.catalogue import every_rule
from tallymark.findings.finding import Finding
from tallymark.findings.rules import Rule
from tallymark.reading.models import NOT_CHECKED
from tallymark.report.evaluation import Evaluation


def said_with(code: str, ev: Evaluation, model: str) -> list[Finding] | None:
    """Return the findings on a model with a code; None if there are none and it was not checked.

    Where another rule says in its stead what is wrong, the finding is that of the other rule.
    """
    rule = every_rule()[code]
    findings, checked = (_noted if rule.section is None else _advised)(rule, ev, model)
    return findings if findings or checked else None


def _noted(rule: Rule, ev: Evaluation, model: str) -> tuple[list[Finding], bool]:
    """Return the warnings of a rule, and whether the check it depends on was made."""
    warned = (n for n in ev.notes if (n.rule, n.severity) == (rule.code, "warning"))
    findings = [n for n in warned if n.model in (None, model)]
    checks = ev.source.checks
    return findings, rule.check is None or checks.get(rule.check, NOT_CHECKED) != NOT_CHECKED


def _advised(rule: Rule, ev: Evaluation, model: str) -> tuple[list[Finding], bool]:
    """Return the advice of a rule, and whether it was checked."""
    alone = rule.section in CHECKED
    advice = (ev.model(model) if alone and len(ev.names) > 1 else ev).advise()
    codes = (rule.code, *(rule.covered_by if isinstance(rule, AdviceRule) else ()))
    findings = sorted(
        (s for s in advice.statements if s.rule in codes), key=lambda s: codes.index(s.rule)
    )
    return findings, rule.code in advice.passed if alone else len(ev.names) > 1
