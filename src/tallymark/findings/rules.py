"""Rules: the code, condition, severity and wording of each finding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self, TypeVar

from tallymark.findings.finding import Finding, Number, Severity, filled, places_in

AnyRule = TypeVar("AnyRule", bound="Rule")


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """The code, condition, severity and wording of a finding.

    ``sentence`` and ``remedy`` are templates with placeholders {like this} for numbers and words;
    {model} is the model of the finding. The remedy says what to do and follows the sentence, so it
    begins with the punctuation between them. ``sources`` are keys of the bibliography. ``check``
    names the check of the source that the rule depends on, if any, since not every route performs
    every check. A rule with ``several_labels`` is for rows that may have several labels, and one
    with ``dependence`` says that rows are not independent, as intervals assume.
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
    dependence: bool = False

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
        """Return a finding for a model, or for all rows, with the values in the sentence.

        Raises
        ------
        ValueError
            The placeholders of the sentence and the values do not match.

        """
        return self.finding_of(model, values)

    def finding_of(
        self, model: str | None, values: Mapping[str, Number | str], metrics: tuple[str, ...] = ()
    ) -> Finding:
        """Return a finding about these metrics; ``values`` maps placeholders to values."""
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
"""The rules declared so far, by code; :func:`tallymark.findings.catalogue.every_rule` has all."""


def register(rule: AnyRule) -> AnyRule:
    """Return a rule after adding it to the list; its code must be unique."""
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
    dependence: bool = False,
) -> Rule:
    """Return a rule for notes: assumptions and warnings on rows and values."""
    return register(
        Rule(
            code,
            severity,
            when,
            sentence,
            remedy,
            check=check,
            several_labels=several_labels,
            dependence=dependence,
        )
    )
