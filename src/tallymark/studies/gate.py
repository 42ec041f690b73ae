"""Rules that a model must meet, and what a gate says of them: by the interval, not the estimate."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from tallymark.contract import checked
from tallymark.contract import read as read_argument
from tallymark.display import Display, Document, load
from tallymark.errors import InputError, choices
from tallymark.infer.difference import Difference
from tallymark.infer.power import rows_for_effect
from tallymark.infer.significance import Evidence, holm
from tallymark.listing import Listing
from tallymark.metric import METRICS, Metric, get
from tallymark.metric.measure import fields_of, plain_data
from tallymark.output import write_text

Side = Literal[">=", "<="]
Judgement = Literal["pass", "fail", "undecided", "cannot judge"]

FAILED, UNJUDGED = 1, 3
"""Exit codes; 0 is that of a gate that passes, 2 of wrong usage."""


# -- rules -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rule:
    """What a number must meet: a ``limit``, or a ``margin`` by which it may trail a baseline.

    ``subject`` is the number as the rule calls it. ``metric`` is empty where the deciding one is
    meant. ``definition`` holds the metric's parameters, average and positive class, ``at`` the
    threshold and the prevalence to judge at.
    """

    text: str
    subject: str
    metric: str
    side: Side
    limit: float
    margin: float | None = None
    definition: Mapping[str, Any] = field(default_factory=dict)
    at: Mapping[str, float] = field(default_factory=dict)

    def against(self, deciding: str) -> Rule:
        """Return the rule of a margin with its metric, and the side on which to keep the margin."""
        metric = get(self.metric or deciding)
        if metric.better == "neither":
            raise self.refusal(
                f"{metric.name} has no better direction; name a metric that ranks models"
            )
        assert self.margin is not None
        high = metric.better == "high"
        return replace(
            self,
            metric=metric.name,
            side=">=" if high else "<=",
            limit=-self.margin if high else self.margin,
            subject=f"{metric.name}{self.subject}" if not self.metric else self.subject,
        )

    def refusal(self, why: object) -> InputError:
        """Return the refusal of the rule."""
        return InputError(f"rule {self.text!r}: {why}")


_NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\s*%?"
_NAME = r"(?P<metric>[^()<>=≥≤]*?[^()<>=≥≤\s])\s*(?:\((?P<definition>[^()]*)\))?"
_AT = r"(?:\s+at\s+(?P<at>.*=.*?))?"
_REQUIREMENT = re.compile(rf"\s*{_NAME}\s*(?P<side>>=|<=|≥|≤)\s*(?P<limit>{_NUMBER}){_AT}\s*")
_MARGIN = re.compile(rf"\s*(?:{_NAME}\s+)?(?P<limit>{_NUMBER}){_AT}\s*")

_SIDES: Mapping[str, Side] = {">=": ">=", "≥": ">=", "<=": "<=", "≤": "<="}


def requirement(text: str) -> Rule:
    """Return the rule that a text states.

    >>> rule = requirement("recall >= 90% at fpr=0.05")
    >>> rule.metric, rule.side, rule.limit, rule.definition
    ('sensitivity_at_fpr', '>=', 0.9, {'fpr': 0.05})
    """
    found = _REQUIREMENT.fullmatch(text)
    if found is None:
        raise InputError(
            f"rule {text!r} is not understood; write METRIC >= NUMBER or METRIC <= NUMBER, such as "
            "'roc_auc >= 0.8' or 'recall >= 0.9 at fpr=0.05'"
        )
    rule = _rule(text, found, _SIDES[found["side"]])
    low, high = get(rule.metric).range_of(**_params(rule))
    if not low < rule.limit < high:
        raise rule.refusal(
            f"{get(rule.metric).name} lies between {low:g} and {high:g}; give a limit inside"
        )
    return rule


def margin(given: str | float) -> Rule:
    """Return the rule that a number is no worse than a baseline's by a margin.

    >>> margin("log_loss 0.02").against("").limit, margin(0.01).against("roc_auc").limit
    (0.02, -0.01)
    """
    text = str(given)
    found = _MARGIN.fullmatch(text)
    if found is None or _number(found["limit"]) < 0:
        raise InputError(
            f"no_worse is {given!r}; give a margin, zero or more, such as 0.01, after the metric "
            "if it is not the deciding one: 'roc_auc 0.01'"
        )
    rule = _rule(text, found, ">=")
    rule = replace(rule, margin=rule.limit)
    return rule.against("") if rule.metric else rule


def _rule(text: str, found: re.Match[str], side: Side) -> Rule:
    """Return the rule of a match, with what stands after "at" and in parentheses read."""
    definition = dict(_pairs(text, found["definition"]))
    places = dict(_pairs(text, found["at"]))
    at = {name: places.pop(name) for name in list(places) if name in ("threshold", "prevalence")}
    name, place = found["metric"] or "", f" at {found['at']}" if found["at"] else ""
    written = name + (f"({found['definition']})" if found["definition"] else "")
    limit = _number(found["limit"])
    rule = Rule(text, written + place, "", side, limit, definition=definition, at=at)
    try:
        for key, value in at.items():
            read_argument(key, value)
        metric = get(name) if name else None
        for key in places:
            metric = _read_at(name, metric, key)
        if metric is None:
            return rule
        rule = replace(rule, metric=metric.name, definition=definition | places)
        metric.check(_params(rule))
    except InputError as refused:
        raise rule.refusal(refused) from None
    return rule


def _read_at(name: str, metric: Metric | None, key: str) -> Metric:
    """Return the metric that is another one read where a rate is fixed: recall at fpr=0.05."""
    asked = [] if metric is None else [name, metric.name, *metric.aliases]
    known = {}
    for one in METRICS.values():
        for word in (one.name, *one.aliases):
            head, _, tail = word.replace("_", " ").rpartition(" at ")
            tail = tail.lower()
            if tail in one.params and head in {a.replace("_", " ") for a in asked}:
                known[tail] = one
    if key not in known:
        told = choices(key, [*known, "threshold", "prevalence"])
        raise InputError(
            f"{name or 'the deciding metric'} cannot be judged at a given {key!r}; {told}"
        )
    return known[key]


def _pairs(text: str, given: str | None) -> list[tuple[str, Any]]:
    """Read "beta=2, average=macro"."""
    pairs = []
    for part in (given or "").split(","):
        name, sign, value = (word.strip() for word in part.partition("="))
        if not (name and sign and value):
            if not part.strip() and not given:
                continue
            raise InputError(f"rule {text!r}: {part.strip()!r} is not understood; write NAME=VALUE")
        number = re.fullmatch(_NUMBER, value)
        pairs.append((name.lower(), _number(value) if number else value))
    return pairs


def _number(text: str) -> float:
    """Read 0.05, 5% or 10, which as a whole number may be a label."""
    number = text.strip()
    if number.endswith("%"):
        return float(f"{float(number[:-1]) / 100:.12g}")
    return int(number) if number.lstrip("+-").isdecimal() else float(number)


def _params(rule: Rule) -> dict[str, Any]:
    """Return what a rule says of the metric's own parameters."""
    of_all = ("average", "positive")
    return {name: value for name, value in rule.definition.items() if name not in of_all}


SETTINGS = ("require", "no_worse", "forbid", "baseline", "subgroup", "strict", "level")
"""What a file of rules may hold."""


def settings_of(path: str | PathLike[str]) -> dict[str, Any]:
    """Return what a TOML file of rules says: of pyproject.toml its table tool.tallymark.check."""
    import tomllib

    path = Path(path)
    try:
        with path.open("rb") as file:
            given: Any = tomllib.load(file)
    except OSError as error:
        raise InputError(f"the rules {str(path)!r} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{str(path)!r} is not TOML: {error}; correct the file") from None
    if path.name == "pyproject.toml":
        for word in ("tool", "tallymark", "check"):
            given = given.get(word) if isinstance(given, dict) else None
        if not isinstance(given, dict):
            raise InputError(f"{str(path)!r} has no rules; write a table [tool.tallymark.check]")
    for name in given:
        if name.replace("-", "_") not in SETTINGS:
            keys = [key.replace("_", "-") for key in SETTINGS]
            raise InputError(f"{str(path)!r} has the key {name!r}; {choices(name, keys)}")
    return {name.replace("-", "_"): value for name, value in given.items()}


# -- findings ----------------------------------------------------------------------------------

FORBID = "forbid "
"""How the rule begins that forbids a code."""


def forbidden(code: str, model: str, said: Sequence[str], checked: bool, level: float) -> Finding:
    """Return whether a forbidden code was found of a model: what was ``said`` with that code.

    It cannot be judged where nothing was said and the code was not ``checked``.
    """
    verdict: Judgement = "fail" if said else "pass" if checked else "cannot judge"
    reason = said[0] if said else None if checked else "this is not checked for such data"
    nan = math.nan
    return Finding(
        f"{FORBID}{code}",
        code,
        model,
        None,
        None,
        verdict,
        nan,
        nan,
        nan,
        level,
        "<=",
        0.0,
        reason=reason,
    )


@dataclass(frozen=True, slots=True, repr=False)
class Finding(Display):
    """What the data say of one rule, on all rows or on those of a ``subgroup``.

    ``verdict`` is "pass" where the whole interval keeps the limit; "fail" where the whole interval
    is beyond it and ``p_value``, one-sided and corrected for the number of subgroups (Holm), is
    below half of 1 - level; "undecided" where the limit lies in the interval, or a subgroup has too
    few rows; "cannot judge" where there is no number, no interval or no baseline, and ``reason``
    says why. ``value`` is the number, or the model's less the ``baseline``'s. ``needed`` is how
    many rows would show that the model is no worse by the margin with a power of 80 %, if both are
    equal.
    """

    rule: str
    subject: str
    model: str
    subgroup: str | None
    baseline: str | None
    verdict: Judgement
    value: float
    low: float
    high: float
    level: float
    side: Side
    limit: float
    margin: float | None = None
    p_value: float = math.nan
    method: str | None = None
    reason: str | None = None
    needed: int | None = None

    @property
    def sentence(self) -> str:
        """The finding in words."""
        return str(self)

    @property
    def forbids(self) -> bool:
        """Whether the rule forbids a finding of advice or a warning, by its code."""
        return self.rule.startswith(FORBID)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {**fields_of(self), "sentence": self.sentence}


class Place(NamedTuple):
    """Where a rule is judged: on all rows or a subgroup; ``test`` is of being beyond the limit.

    ``rows`` are those that the estimate rests on; ``few`` says that they are too few to judge.
    ``test`` is text where there is none, and says why.
    """

    subgroup: str | None
    test: Evidence | str
    rows: float = 0.0
    few: bool = False


def findings(
    rule: Rule, model: str, baseline: str | None, places: Sequence[Place], level: float
) -> list[Finding]:
    """Return what the data say of a rule in each of some places: on all rows, or every subgroup.

    To pass a gate every rule must be met, which needs no correction; it fails where any is not, so
    that the p-values of failures are corrected for the number of places (Holm).
    """
    p = [math.nan if t.few or isinstance(t.test, str) else t.test.p_value for t in places]
    corrected = holm(np.array(p)).tolist()
    return [
        _finding(rule, model, baseline, place, p_value, level, alone=len(places) == 1)
        for place, p_value in zip(places, corrected, strict=True)
    ]


def _finding(
    rule: Rule,
    model: str,
    baseline: str | None,
    place: Place,
    p_value: float,
    level: float,
    *,
    alone: bool,
) -> Finding:
    made = Finding(
        rule.text,
        rule.subject,
        model,
        place.subgroup,
        baseline if rule.margin is not None else None,
        "cannot judge",
        math.nan,
        math.nan,
        math.nan,
        level,
        rule.side,
        rule.limit,
        margin=rule.margin,
    )
    if isinstance(place.test, str):
        return replace(made, reason=place.test)
    found = place.test.estimate
    assert found is not None
    made = replace(
        made,
        value=found.value,
        low=found.low,
        high=found.high,
        p_value=p_value,
        method=found.method,
    )
    why = found.reason or (found.method or "no interval" if math.isnan(found.low) else None)
    if place.few:
        return replace(
            made, verdict="undecided", reason=why or "too few rows to judge it by itself"
        )
    if why:
        return replace(made, reason=why)
    sign = 1.0 if rule.side == ">=" else -1.0
    worst, best = sorted((sign * found.low, sign * found.high))
    if worst >= sign * rule.limit:
        return replace(made, verdict="pass")
    # Where there is no test the interval alone decides; with one, both must say so.
    shown = p_value < (1 - level) / 2 or (alone and math.isnan(p_value))
    if best < sign * rule.limit:
        uncorrected = "beyond the limit, but not after correction for the number of subgroups"
        return replace(
            made, verdict="fail" if shown else "undecided", reason=None if shown else uncorrected
        )
    needed = None
    if rule.margin and isinstance(found, Difference):
        needed = rows_for_effect(rule.margin, found.error, place.rows, 1 - level, two_sided=False)
    return replace(made, verdict="undecided", needed=needed)


# -- the gate ----------------------------------------------------------------------------------


@checked
@dataclass(frozen=True, slots=True, repr=False)
class Gate(Document):
    """What :func:`tallymark.check` found: true where it passes.

    ``findings`` has every rule, of all rows and of each subgroup. With ``strict`` an undecided rule
    fails the gate. ``notes`` say what to know of the baseline and of chance.
    """

    findings: tuple[Finding, ...]
    source: str
    rows: int
    level: float
    strict: bool = False
    notes: tuple[str, ...] = ()

    def _fails(self, f: Finding) -> bool:
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
        names = (
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
            "limit",
            "p_value",
            "method",
            "reason",
        )
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

        clean = load("words:text")
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
                Xml.SubElement(case, outcome, message=f"{f.verdict}: {f.sentence}")
            else:
                Xml.SubElement(case, "system-out").text = f.sentence
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
