"""The decision that an evaluation supports: a headline, and its reasons.

The page, the terminal, the card and the JSON show the same headline and reasons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from tallymark.findings.finding import Cut, Finding, shown
from tallymark.infer.cautions import FEW
from tallymark.quantities import between, number
from tallymark.reading.models import decided_by
from tallymark.report import words
from tallymark.report.leaderboards import LONGEST, LONGEST_NAME, choice, fitting
from tallymark.report.subjects.classes import labels_found
from tallymark.report.subjects.summary import (
    OF_USE,
    in_practice,
    ranking,
    row_of,
    rows_of,
    standing,
    verdict_sentence,
)
from tallymark.report.uses import account_of

if TYPE_CHECKING:
    from tallymark.metric.measure import Value
    from tallymark.report.evaluation import Evaluation


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do, in a headline of at most 60 characters, and the reasons in a few sentences.

    ``state`` is "act" (move the threshold), "choose" (use a model), "open" (not decided),
    "too few" (collect more rows), "do not use", or "describe" for what has no alternative.
    ``threshold`` is the one to move to, if any.
    """

    state: Literal["act", "choose", "open", "too few", "do not use", "describe"]
    title: str
    lead: str
    threshold: float | None = None

    @property
    def text(self) -> str:
        """The headline and the reasons."""
        return f"{self.title} {self.lead}".strip()


def decision(ev: Evaluation) -> Decision:
    """Return the decision that an evaluation supports."""
    metric, ranked = ranking(ev)
    if (account := account_of(ev)) is not None:
        if account.finding:
            return Decision("describe", account.finding, account.verdict)
        return _described(account.verdict)
    if not metric:
        return _described(verdict_sentence(ev))
    best = ranked[0]
    if ev.labels:
        found, lead = labels_found(ev, best)
        chosen = _of_models(ev, metric, ranked)
        if chosen is None:
            return Decision("describe", f"{found}.", lead)
        return Decision(
            chosen[0], chosen[1], f"{words.text(best)}: {found[0].lower()}{found[1:]}. {lead}"
        )
    of_use = OF_USE.get(ev.source.use, in_practice) if ev.binary else in_practice
    practice, among = of_use(ev, best), standing(ev, metric, ranked)
    lead = " ".join(filter(None, [practice.whole, among])) or verdict_sentence(ev)
    findings = {f.rule: f for f in reversed(ev.advise().statements) if f.model in (None, best)}
    if (useless := _useless(ev, best, findings)) is not None:
        return useless
    if (by_costs := _by_costs(ev, best, findings)) is not None:
        stated = "" if by_costs.state == "do not use" else _stated(ev)
        lead = " ".join(filter(None, [by_costs.lead, stated, among]))
        return replace(by_costs, lead=lead)
    of_models = _of_models(ev, metric, ranked)
    if of_models and of_models[0] == "choose":
        return Decision("choose", of_models[1], lead)
    if (few := _too_few(ev, findings)) is not None:
        return Decision("too few", few[0], f"{few[1].text} {lead}")
    if of_models:
        return Decision(of_models[0], of_models[1], lead)
    if len(ranked) == 1 and practice.found and len(practice.found) < LONGEST:
        return Decision("describe", f"{practice.found}.", practice.rest or verdict_sentence(ev))
    return _described(lead)


def at_recommended(ev: Evaluation) -> tuple[str, Evaluation] | None:
    """Return the recommended threshold as text, and the best model evaluated at it.

    None if the threshold should stay as it is.
    """
    to = decision(ev).threshold
    if to is None:
        return None
    best = ev.model(ranking(ev)[1][0])
    return shown(Cut.of(to, best.models[0].scores[0])), best.at(threshold=to)


def _described(sentences: str) -> Decision:
    """Return the first sentence as the headline, or part of it if it is too long."""
    title, _, rest = sentences.partition(". ")
    if rest and len(title) < LONGEST:
        return Decision("describe", f"{title}.", rest)
    return Decision("describe", "", sentences)


def _called(model: str) -> str:
    return words.cut_off(model, LONGEST_NAME)


# -- do not use, too few -----------------------------------------------------------------------

USELESS: Mapping[str, str] = {
    "not-better-than-chance": "Do not use {model}: not shown to beat chance.",
    "area-below-half": "Check {model}: it ranks the classes in reverse.",
}
"""Headlines for rules that exclude every use of a model."""


IN_HEADLINE = (*USELESS, "costs-of-guessing")
"""Rules whose findings are in the headline or its reasons."""


GOOD = 0.8
"""A ROC area of a good model: an interval from 0.5 or less to here leaves everything open."""


def _useless(ev: Evaluation, best: str, findings: Mapping[str, Finding]) -> Decision | None:
    for rule, title in USELESS.items():
        if rule in findings:
            few = _too_few(ev, findings)
            if few and ev.values()[best]["roc_auc"].high >= GOOD:
                return Decision("too few", few[0], _from_guessing_to_good(ev, best, few[1]))
            return Decision("do not use", title.format(model=_called(best)), findings[rule].text)
    return None


def _from_guessing_to_good(ev: Evaluation, best: str, wide: Finding) -> str:
    """Return that a model may be useless or good, and how many rows would tell."""
    area = ev.values()[best]["roc_auc"]
    bounds = between(area.low, area.high)
    more = wide.remedy if wide.metrics == ("roc_auc",) else wide.text
    return f"The ROC area of {words.text(best)} is {bounds}: from guessing to good. {more}"


def _too_few(ev: Evaluation, findings: Mapping[str, Finding]) -> tuple[str, Finding] | None:
    """Return that the rows are too few to judge by, and the finding on how many are needed."""
    wide = findings.get("interval-too-wide")
    if wide is None or ev.weighted or ev.stratified or ev.clusters is not None:
        return None
    rows, kind = float(ev.rows), ev._noun.many
    if ev.binary:
        c = ev.models[0].labels.binary(ev.positive)
        other = next(x for x in ev.classes if x != ev.positive)
        fewer, more = sorted(
            [
                (float(c.positives), rows_of(ev, ev.positive, "positive")),
                (float(c.negatives), rows_of(ev, other, "negative")),
            ]
        )
        if more[0] >= FEW:  # else there are too few of both
            rows, kind = fewer
            if rows >= FEW:
                return None
    elif rows >= FEW:
        return None
    return f"{rows:,.0f} {words.cut_off(kind, 30)} cannot tell: collect more.", wide


# -- costs -------------------------------------------------------------------------------------


def _by_costs(ev: Evaluation, best: str, findings: Mapping[str, Finding]) -> Decision | None:
    """Return whether to move the threshold at the stated costs; None without costs or scores."""
    guess, cheapest = findings.get("costs-of-guessing"), findings.get("cheapest-threshold")
    costs = findings.get("costs-known")
    numbers = {**(costs.numbers if costs else {}), **(cheapest.numbers if cheapest else {})}
    called = _called(best)
    if cheapest and {"cost", "gain"} <= {*numbers} and "constant" not in numbers:
        return _moved(ev, best, numbers, guess)
    if guess is not None:
        way = _cheaper_way(ev, guess)
        title = f"Do not use {called}: {way} costs less."
        return Decision("do not use", title, guess.text)
    if cheapest and "constant" in numbers:
        return Decision("open", f"No threshold of {called} is shown to be worth it.", cheapest.text)
    if cheapest:
        model = ev.models[ev.names.index(best)]
        at = "" if model.threshold is None else f" at {model.threshold:.4g}"
        if decided_by(ev._one_column, model) == "chosen":
            of = cheapest.numbers
            end = f"is shown to beat {shown(of.get('present', of['threshold']))}."
            title = fitting(f"No threshold of {called} {end}", f"No threshold {end}")
            return Decision("act", title, cheapest.text)
        return Decision("act", f"Keep the threshold of {called}{at}.", cheapest.text)
    return None


def _stated(ev: Evaluation) -> str:
    """Return the unit of the costs: what each error costs; empty if the use states the costs."""
    if ev.costs is None:
        return ""
    missed, alarm = (f"{ev.costs[name]:g}" for name in ("cost_fn", "cost_fp"))
    kind = row_of(ev, ev.positive, "positive")
    return f"A false alarm costs {alarm}, a missed {kind} {missed}."


def _cheaper_way(ev: Evaluation, guess: Finding) -> str:
    """Return which constant decision costs less, from the rate that is too low."""
    on_every = guess.metrics[:1] == ("negative_predictive_value",)
    return f"acting on every {ev._noun.one}" if on_every else "acting on none"


def _moved(
    ev: Evaluation,
    best: str,
    numbers: Mapping[str, Any],
    guess: Finding | None,
) -> Decision:
    """Return that the threshold should move, and what that saves."""
    model = ev.models[ev.names.index(best)]
    called, to = _called(best), shown(numbers["threshold"])
    now, cost = numbers["now"], numbers["cost"]
    present = "" if model.threshold is None else f"{model.threshold:.4g}"
    if not present:
        verb, instead = "Move", ""
    else:
        verb = "Lower" if numbers["threshold"] < model.threshold else "Raise"
        instead = f", not {present}"
    title = fitting(
        f"{verb} the threshold: {called} at {to}{instead}.", f"{verb} the threshold to {to}."
    )
    constant, way = min(
        (float(numbers["always"]), f"acting on every {ev._noun.one}"),
        (float(numbers["never"]), "acting on none"),
    )
    compared = f"; {way} costs {number(constant)}"
    if guess is not None:  # shown to cost more
        compared = f", more than {way} ({number(constant)})"
    at = f"At {present} its" if present else "Its"
    lead = (
        f"{at} errors cost {words.value(now)} per {ev._noun.one}{compared}. At {to} expect "
        f"{words.value(cost)} per {ev._noun.one} on new {ev._noun.many} ({_bounds(cost)})."
    )
    return Decision("act", title, lead, float(numbers["threshold"]))


def _bounds(v: Value) -> str:
    return between(v.low, v.high) or "no interval"


# -- several models ----------------------------------------------------------------------------

OPEN = ("crossing", "undecided", "no worse")
"""Kinds of verdicts between the best model and another that leave the choice open."""


def _of_models(ev: Evaluation, metric: str, ranked: Sequence[str]) -> tuple[Any, str] | None:
    """Return which model to use, or that this is not decided; None for one model."""
    if ev._compared is None or len(ranked) < 2:
        return None
    best, others = ranked[0], ranked[1:]
    kinds = {other: ev._compared.verdict(best, other, metric).kind for other in others}
    group = [best, *(m for m, kind in kinds.items() if kind != "better")]
    title = choice(ranked, [(best, m) for m in others if m not in group])
    if len(group) == 1:
        return "choose", title
    found = {kinds[m] for m in group[1:]}
    if "crossing" in found:
        return "open", "No single best model: the ROC curves cross."
    if found & {*OPEN}:
        return "open", title
    both = words.enumerated([_called(m) for m in group])
    if "equivalent" in found:
        return "choose", fitting(
            f"{both} are equivalent within the margin.", "The best models are equivalent."
        )
    if found & {"same ranking", "alike"}:
        return "open", fitting(
            f"{both} rank all {ev._noun.many} the same.",
            f"The best models rank all {ev._noun.many} the same.",
        )
    return None
