"""The results of a gate: a verdict for each rule, and whether all pass."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Literal

from tallymark.core import (
    Document,
    Finding,
    Label,
    Listing,
    Side,
    checked,
    fields_of,
    plain_data,
    words,
    write_text,
)

Judgement = Literal["pass", "fail", "undecided", "cannot judge"]

FAILED, UNJUDGED = 1, 3
"""Exit codes; 0 is that of a gate that passes, 2 of wrong usage."""

FORBID = "forbid "
"""The first word of a rule that forbids a code."""


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Judged(Finding):
    """The verdict on one rule, on all rows or those of a ``subgroup``.

    ``verdict`` is "pass" where the whole interval keeps the limit; "fail" where the whole interval
    is beyond it and ``p_value``, one-sided and corrected for the number of subgroups (Holm), is
    below half of 1 - level; "undecided" where the limit lies in the interval, or a subgroup has too
    few rows; "cannot judge" where there is no number, no interval or no baseline. ``reason`` says
    why, or why a pass or a failure needs care. ``value`` is the number, or the model's minus the
    ``baseline``'s. ``needed`` is the number of rows that would show with a power of 80 % that the
    model is no worse by the margin, if both are equal; None where it is shown to be worse. For a
    forbidden code that was found, ``remedy`` and ``numbers`` are those of the warning or advice.
    """

    model: str
    subject: str
    subgroup: str | None = None
    baseline: str | None = None
    verdict: Judgement = "cannot judge"
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    level: float
    side: Side
    limit: float
    margin: float | None = None
    p_value: float = math.nan
    method: str | None = None
    reason: str | None = None
    needed: int | None = None

    @property
    def _forbids(self) -> bool:
        """Whether the rule forbids a finding of advice or a warning, by its code."""
        return self.rule.startswith(FORBID)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {**{n: plain_data(getattr(self, n)) for n in _KEYS}, "sentence": self.text}


_KEYS = (
    "rule",
    "subject",
    "model",
    "subgroup",
    "baseline",
    "verdict",
    "value",
    "low",
    "high",
    "level",
    "side",
    "limit",
    "margin",
    "p_value",
    "method",
    "reason",
    "needed",
)


@checked
@dataclass(frozen=True, slots=True, repr=False)
class Gate(Document):
    """What :func:`tallymark.check` found: true where it passes.

    ``findings`` has every rule, on all rows and on each subgroup. With ``strict`` an undecided rule
    fails the gate. ``notes`` are about rows that are not independent, and about the baseline.
    ``positive`` is the positive class of two; ``thresholds`` has the threshold of each model,
    and ``decisions`` says where it comes from.
    """

    findings: tuple[Judged, ...]
    source: str
    rows: int
    level: float
    strict: bool = False
    notes: tuple[str, ...] = ()
    positive: Label | None = None
    thresholds: Mapping[str, float | None] = field(default_factory=dict)
    decisions: Mapping[str, str] = field(default_factory=dict)

    def _fails(self, f: Judged) -> bool:
        """Tell whether a finding fails the gate."""
        return f.verdict == "fail" or (self.strict and f.verdict == "undecided")

    @property
    def exit_code(self) -> int:
        """0 where the gate passes, 1 where it fails, 3 where a rule cannot be judged."""
        if any(self._fails(f) for f in self.findings):
            return FAILED
        return UNJUDGED if any(f.verdict == "cannot judge" for f in self.findings) else 0

    @property
    def passed(self) -> bool:
        """Whether no rule fails, and all could be judged."""
        return self.exit_code == 0

    def __bool__(self) -> bool:
        return self.passed

    def assert_passed(self) -> None:
        """Raise an AssertionError whose text is the table, unless the gate passes."""
        __tracebackhide__ = True
        if not self.passed:
            raise AssertionError(f"\n{self}")

    def table(self) -> Listing:
        """Return a row a finding: the rule, where it was judged, on what, and the verdict."""
        names = [n for n in _KEYS if n not in ("side", "margin", "needed")]
        return Listing(tuple({n: getattr(f, n) for n in names} for f in self.findings))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, with its format and version."""
        return {
            **self._heading("gate"),
            "passed": self.passed,
            "exit_code": self.exit_code,
            **fields_of(self, "findings"),
            "findings": plain_data(self.findings),
        }

    def to_junit(self, path: str | PathLike[str] | None = None) -> str:
        """Return JUnit XML, a test case a finding, and write it to a file if one is named."""
        from xml.etree import ElementTree as Xml

        clean = words.text
        suite = Xml.Element("testsuite", name="tallymark check")
        count = dict.fromkeys(("failure", "error", "skipped"), 0)
        for f in self.findings:
            name = f"{f.rule} [{f.subgroup}]" if f.subgroup else f.rule
            case = Xml.SubElement(
                suite, "testcase", classname=f"tallymark.{clean(f.model)}", name=clean(name)
            )
            outcome = {"cannot judge": "error", "undecided": "skipped"}.get(f.verdict)
            outcome = "failure" if self._fails(f) else outcome
            if outcome is not None:
                count[outcome] += 1
                Xml.SubElement(case, outcome, message=f"{f.verdict}: {f.text}")
            else:
                Xml.SubElement(case, "system-out").text = f.text
        totals = zip(("failures", "errors", "skipped"), count.values(), strict=True)
        suite.attrib.update(
            {"tests": str(len(self.findings)), **{name: str(n) for name, n in totals}}
        )
        Xml.indent(suite)
        text = Xml.tostring(suite, encoding="unicode", xml_declaration=False)
        text = f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'
        if path is not None:
            write_text(path, text)
        return text
