"""Rules: when something is said of an evaluation, how bad it is, and in which words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self, TypeVar

from tallymark.findings.finding import Finding, Number, Severity, filled, places_in

AnyRule = TypeVar("AnyRule", bound="Rule")


@dataclass(frozen=True, slots=True)
class Rule:
    """What is said under a code, and when.

    ``sentence`` and ``remedy`` are templates with places {like this} for numbers and words, the
    place {model} for the model that a finding is of. The remedy says what to do and follows the
    sentence, so that it begins with the punctuation between them. ``sources`` are keys of the
    bibliography. ``check`` names the check of the source on which the rule rests, if it does: not
    every route makes each. A rule of ``several_labels`` is for rows that may have several.
    """

    code: str
    severity: Severity
    when: str
    sentence: str = ""
    remedy: str = ""
    sources: tuple[str, ...] = ()
    section: str | None = None
    check: str | None = None
    several_labels: bool = False

    def worded(
        self,
        sentence: str | None = None,
        remedy: str | None = None,
        severity: Severity | None = None,
    ) -> Self:
        """Return the rule with another sentence, remedy or severity."""
        return replace(
            self,
            severity=severity or self.severity,
            sentence=self.sentence if sentence is None else sentence,
            remedy=self.remedy if remedy is None else remedy,
        )

    def finding(self, model: str | None = None, /, **values: Number | str) -> Finding:
        """Return a finding of a model, or of all rows: the sentence is filled by the values.

        Raises
        ------
        ValueError
            The places of the sentence and the values do not match.

        """
        return self.finding_of(model, values)

    def finding_of(
        self, model: str | None, values: Mapping[str, Number | str], metrics: tuple[str, ...] = ()
    ) -> Finding:
        """Return a finding of these metrics, with values by the names of their places."""
        template = self.sentence + self.remedy
        if model is not None and "model" in places_in(template):
            values = {"model": model, **values}
        in_remedy = places_in(self.remedy)
        remedy = filled(self.remedy, {k: v for k, v in values.items() if k in in_remedy})
        return Finding(
            self.code,
            self.severity,
            filled(template, values),
            model,
            remedy.lstrip(" .,;:") or None,
            {k: v for k, v in values.items() if not isinstance(v, str)},
            self.sources,
            self.section,
            metrics,
        )


RULES: dict[str, Rule] = {}
"""The rules declared so far, by code: :func:`tallymark.findings.catalogue.every_rule` has all."""


def register(rule: AnyRule) -> AnyRule:
    """Add a rule to the list, in which every code stands once, and return it."""
    if rule.code in RULES:
        raise ValueError(f"the rule {rule.code!r} is there twice")
    RULES[rule.code] = rule
    return rule


def rule(
    code: str,
    severity: Severity,
    when: str,
    sentence: str,
    remedy: str = "",
    *,
    check: str | None = None,
    several_labels: bool = False,
) -> Rule:
    """Declare a rule of notes: assumptions and warnings on rows and values."""
    return register(
        Rule(code, severity, when, sentence, remedy, check=check, several_labels=several_labels)
    )
