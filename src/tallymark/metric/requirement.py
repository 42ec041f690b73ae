"""Requirements on a metric as users write them: a limit, or a margin to a baseline."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tallymark import contract
from tallymark.errors import InputError, choices
from tallymark.metric.registry import METRICS, Metric, get

Side = Literal[">=", "<="]


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
    at: Mapping[str, Any] = field(default_factory=dict)

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
    """Parse a rule such as "sensitivity >= 0.8".

    >>> rule = requirement("recall >= 90% at fpr=0.05")
    >>> rule.metric, rule.side, rule.limit, rule.definition
    ('sensitivity_at_fpr', '>=', 0.9, {'fpr': 0.05})
    """
    match = _REQUIREMENT.fullmatch(text)
    if match is None:
        raise InputError(
            f"rule {text!r} is not understood; write METRIC >= NUMBER or METRIC <= NUMBER, such as "
            "'roc_auc >= 0.8' or 'recall >= 0.9 at fpr=0.05'"
        )
    rule = _rule(text, match, _SIDES[match["side"]])
    low, high = get(rule.metric).range_of(**_params(rule))
    if not low < rule.limit < high:
        raise rule.refusal(
            f"{get(rule.metric).name} lies between {low:g} and {high:g}; give a limit inside"
        )
    return rule


def margin(value: str | float) -> Rule:
    """Return the rule that a number is no worse than a baseline's by a margin.

    >>> margin("log_loss 0.02").against("").limit, margin(0.01).against("roc_auc").limit
    (0.02, -0.01)
    """
    text = str(value)
    match = _MARGIN.fullmatch(text)
    if match is None or _number(match["limit"]) < 0:
        raise InputError(
            f"no_worse is {value!r}; give a margin, zero or more, such as 0.01, after the metric "
            "if it is not the deciding one: 'roc_auc 0.01'"
        )
    rule = _rule(text, match, ">=")
    rule = replace(rule, margin=rule.limit)
    return rule.against("") if rule.metric else rule


def _rule(text: str, match: re.Match[str], side: Side) -> Rule:
    """Return the rule of a match, with its definition in parentheses and its place after "at"."""
    definition = dict(_pairs(text, match["definition"]))
    places = dict(_pairs(text, match["at"]))
    at = {name: places.pop(name) for name in list(places) if name in ("threshold", "prevalence")}
    name, place = match["metric"] or "", f" at {match['at']}" if match["at"] else ""
    written = name + (f"({match['definition']})" if match["definition"] else "")
    limit = _number(match["limit"])
    rule = Rule(text, written + place, "", side, limit, definition=definition, at=at)
    try:
        for key, value in at.items():
            contract.read(key, value)
        metric = get(name) if name else None
        for key in places:
            metric = _read_at(name, metric, key)
        if metric is None:
            return rule
        rule = replace(rule, metric=metric.name, definition=definition | places)
        metric._check(_params(rule))
    except InputError as refused:
        raise rule.refusal(refused) from None
    return rule


def _read_at(name: str, metric: Metric | None, key: str) -> Metric:
    """Return the variant of a metric at a fixed rate, such as recall at fpr=0.05."""
    names = [] if metric is None else [name, metric.name, *metric.aliases]
    readings = {}
    for one in METRICS.values():
        for word in (one.name, *one.aliases):
            head, _, tail = word.replace("_", " ").rpartition(" at ")
            tail = tail.lower()
            if tail in one.params and head in {a.replace("_", " ") for a in names}:
                readings[tail] = one
    if key not in readings:
        advice = choices(key, [*readings, "threshold", "prevalence"])
        raise InputError(
            f"{name or 'the deciding metric'} cannot be judged at a given {key!r}; {advice}"
        )
    return readings[key]


def _pairs(text: str, text_of_pairs: str | None) -> list[tuple[str, Any]]:
    """Read "beta=2, average=macro"."""
    pairs = []
    for part in (text_of_pairs or "").split(","):
        name, sign, value = (word.strip() for word in part.partition("="))
        if not (name and sign and value):
            if not part.strip() and not text_of_pairs:
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
    """Return the parameters of the metric itself that a rule states."""
    of_all = ("average", "positive")
    return {name: value for name, value in rule.definition.items() if name not in of_all}
