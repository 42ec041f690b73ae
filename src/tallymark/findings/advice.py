"""Advice: the case, the user's answers, the rules and their statements.

A rule is a function over a :class:`Case` and its declaration: the metrics it reads, the section of
its statements, the sources of its finding. It yields sentences with placeholders for measured
numbers. A sentence without a number, or with placeholders that do not match, raises an error.

The opinion of a rule has a source; its numbers are measured on the case, and its limits are
constants. To add a rule, write one more function in its section. One that warns stands in
:data:`WORST_FIRST`, and its remedy begins with what to do, such as "Choose" or "Collect". Shares of
rows are said with ``{where}``: in these rows, or in a field of another prevalence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from tallymark.contract import CONTRACT, checked, one_of, read
from tallymark.display import Display, fields_of, plain_data
from tallymark.errors import InputError, check_name, harmless
from tallymark.findings.finding import (
    Cut,
    Finding,
    Number,
    Points,
    Rounded,
    Share,
    Times,
    places_in,
)
from tallymark.findings.rules import RULES, Rule, register
from tallymark.infer.by_subgroup import RATES, Subgroups, SubgroupTest
from tallymark.infer.cautions import FEW
from tallymark.infer.chance import (
    Gain,
    accuracy_above_majority,
    area_above_half,
    brier_below_prevalence,
    gained_and_lost,
)
from tallymark.infer.clustered import Clustered
from tallymark.infer.compare import Comparison
from tallymark.infer.crossing import leads
from tallymark.infer.intervals import Inference, interval
from tallymark.infer.kept_limits import rows_to_keep
from tallymark.infer.methods import source_of
from tallymark.infer.multiplicity import holm
from tallymark.infer.operating_points import OptimalThreshold, Splits, best_threshold
from tallymark.infer.prevalence import prevalence_curve
from tallymark.infer.sampler import Sampler, class_rows
from tallymark.infer.samples import Single
from tallymark.infer.threshold_gain import Moved, moved_threshold
from tallymark.infer.verdict import Verdict
from tallymark.listing import Listing
from tallymark.metric import METRICS, get
from tallymark.metric.headlines import HEADLINE, HEADLINE_MANY
from tallymark.metric.measure import Statistic, Value
from tallymark.metric.proportion import quantile, wilson
from tallymark.part import added
from tallymark.quantities import ROW, Noun, enumerated, few, in_samples, is_name, p_is
from tallymark.reading.models import CountedRows, Model, decided_by
from tallymark.tally.scores import ScoreTally

SECTIONS = {
    "chance": "Is it better than chance",
    "report": "What to report",
    "misleads": "What could mislead here",
    "order": "Which model is better",
    "threshold": "Which threshold",
    "question": "What would sharpen this advice",
}


@dataclass(frozen=True, slots=True)
class Answers:
    """The user's answers about the use: at most four, None where a question is unanswered.

    ``use``: what is used of the classifier: its "decisions", the "ranking" of its scores, or the
    scores as "probabilities". ``cost_fp`` and ``cost_fn``: the cost of a false alarm and of a
    missed positive. ``prevalence``: the share of positives in the field. ``worse``: which error
    is worse, "missed" or "false alarms".
    """

    use: str | None = None
    cost_fp: float | None = None
    cost_fn: float | None = None
    prevalence: float | None = None
    worse: str | None = None

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if (answer := getattr(self, name)) is not None:
                read(name, answer)
        if (self.cost_fp is None) != (self.cost_fn is None):
            raise InputError("one cost alone is not enough; give both cost_fp and cost_fn")
        if self.cost_fp == self.cost_fn == 0:
            raise InputError("cost_fp and cost_fn are both 0; one of them must be above 0")


class Statement:
    """A statement of a rule: a sentence with placeholders {like this} for numbers or words.

    Placeholders without a value are looked up; if one is undefined, the statement is dropped.
    {model} is the leading model, {positives} the share of positives, {where} what it is a share of,
    and the name of a metric is its value for the model of the sentence or, without one, for every
    model. ``metrics`` are the metrics that the sentence is about, by default those that it cites.
    ``remedy`` says what to do. ``about`` is the model, if the sentence does not contain {model}.
    ``source`` is that of a number, where the rule's sources do not fit it.
    """

    def __init__(
        self,
        sentence: str,
        *metrics: str,
        remedy: str = "",
        about: str | None = None,
        source: str | None = None,
        **values: Number | str,
    ) -> None:
        self.sentence, self.remedy, self.metrics = sentence, remedy, metrics
        self.about, self.source, self.values = about, source, values


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceRule(Rule):
    """A rule that evaluates a case and yields statements.

    A ``binary`` rule applies to two classes only, an ``unweighted`` one to rows without weights,
    and one with ``uses`` to these uses, where None is an unanswered question. The rules of
    ``covered_by`` say it where this one is silent for it. A rule with ``each``
    is called with those metrics for every model that has them all; other rules are called once per
    case, and ``reads`` lists metrics they need. A rule with ``asks`` needs that answer, and one
    with ``signal`` scores that are better than chance: those of the model, or of the leader. One
    with ``subgroups`` needs rows that were counted by subgroup.
    """

    find: Callable[..., Iterable[Statement]]
    binary: bool = False
    uses: Sequence[str | None] = (None, *CONTRACT["use"].among)
    each: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    asks: str = ""
    unweighted: bool = False
    signal: bool = False
    covered_by: tuple[str, ...] = ()
    subgroups: bool = False

    def applies(self, case: Case) -> bool:
        """Return whether the rule is for such data and such a use."""
        return (
            (case.binary or not self.binary)
            and case.answers.use in self.uses
            and not (self.unweighted and case.counted.weighted)
            and (not self.subgroups or case.by_subgroup)
            and (not self.signal or bool(self.each) or case.has_signal(case.leader.name))
        )

    def _models(self, case: Case) -> Iterator[tuple[str, list[Value]]]:
        """Yield each model that the rule is about, with the values that it reads."""
        for name, values in case.each(self.each or self.reads):
            if not self.signal or case.has_signal(name):
                yield name, values

    def can_check(self, case: Case) -> bool:
        """Return whether the rule applies to a case that has the metrics and answers it needs."""
        read = self.each or self.reads
        answered = not self.asks or getattr(case.answers, self.asks) is not None
        return self.applies(case) and answered and (not read or any(self._models(case)))

    def __call__(self, case: Case) -> list[Finding]:
        """Return the findings of the rule for a case; empty if it does not apply."""
        if not self.applies(case):
            return []
        models = self._models(case) if self.each else [(None, [])]
        statements = ((s, model) for model, values in models for s in self.find(case, *values))
        findings = (self._cited(case, s, model) for s, model in statements)
        return [finding for finding in findings if finding is not None]

    def _cited(self, case: Case, statement: Statement, model: str | None) -> Finding | None:
        """Return a statement as a finding with its numbers; None if a number is undefined."""
        places = places_in(statement.sentence + statement.remedy)
        if model is None and "model" in places:
            model = case.leader.name
        values = dict(statement.values)
        for name in places:
            value = values[name] if name in values else case.cited(name, model)
            if value is None:
                return None
            values[name] = value
        numbers = [name for name, value in values.items() if not isinstance(value, str)]
        if not numbers:
            raise ValueError(f"{statement.sentence!r} cites no number")
        metrics = statement.metrics or tuple(m for m in numbers if m in METRICS)
        texts = (statement.sentence, statement.remedy)
        sentence, remedy = map(case.noun.instead_of_rows, texts)
        for name, value in values.items():
            if isinstance(value, str) and value not in case.names:
                values[name] = case.noun.instead_of_rows(value)
        if caution := cautioned(values.values()):
            values["caution"] = caution
            sentence, remedy = (
                (sentence, f"{remedy}{{caution}}") if remedy else (f"{sentence}{{caution}}", "")
            )
        rule = self.worded(sentence, remedy)
        if statement.source is not None:
            rule = replace(rule, sources=(statement.source,))
        return rule.finding_of(statement.about or model, values, metrics)


def cautioned(values: Iterable[Number | str]) -> str:
    """Return the warnings of the values that a statement cites, each with its metrics."""
    why: dict[str, list[str]] = {}
    for value in values:
        for v in value.values() if isinstance(value, Mapping) else [value]:
            if isinstance(v, Value) and v.warning and v.metric in METRICS:
                titles = why.setdefault(v.warning, [])
                titles += [title for title in [title_of(v.metric)] if title not in titles]
    return "".join(f" Caution ({listed(titles)}): {reason}." for reason, titles in why.items())


@dataclass(frozen=True)
class Case:
    """The input of the rules: the tallies, every value with its interval, and the answers."""

    counted: CountedRows
    values: Mapping[str, Mapping[str, Value]]
    answers: Answers = field(default_factory=Answers)
    level: float = 0.95
    seed: int = 0
    stratified: bool = False
    """Whether the class shares are assumed, as in an evaluation at another prevalence."""
    compared: Callable[[], Comparison | None] | None = None
    """Returns the comparison of the models, computed on demand."""
    lead: Mapping[str, str] = field(default_factory=dict)
    """The metrics that the field of the use reports first, with their titles in its terms."""
    noun: Noun = ROW
    """What sentences call a row."""

    @cached_property
    def names(self) -> set[str]:
        """The names of models and classes, which sentences repeat as they are."""
        return {m.name for m in self.models} | set(map(str, self.counted.classes))

    @property
    def models(self) -> tuple[Model, ...]:
        """The models, in the given order."""
        return self.counted.models

    @property
    def binary(self) -> bool:
        """Whether there are two classes, one of them positive, and rows of both."""
        return self.counted.positive is not None and 0 < self.prevalence < 1

    @cached_property
    def prevalence(self) -> float:
        """The share of positives in the sample."""
        tally = self.models[0].labels
        total = float(tally.counts.sum())
        if self.counted.positive not in tally.labels or not total:
            return math.nan
        return float(tally.counts[tally.labels.index(self.counted.positive)].sum()) / total

    @property
    def rows(self) -> tuple[float, float]:
        """The numbers of rows of the positive and the other class, before any reweighting."""
        t = self.leader.labels
        rows = class_rows(t) if self.stratified else t.counts.sum(1)
        i = t.labels.index(self.counted.positive)
        return float(rows[i]), float(rows[1 - i])

    @cached_property
    def majority(self) -> tuple[Any, float]:
        """The most frequent class and its share."""
        support = self.models[0].labels.counts.sum(1)
        i = int(support.argmax())
        return self.models[0].labels.labels[i], float(support[i] / max(support.sum(), 1e-300))

    def owner(self, value: Value) -> Model:
        """Return the model whose value this is."""
        own = (m for m in self.models if any(value is v for v in self.values[m.name].values()))
        return next(own)

    def above_majority(self, accuracy: Value) -> float | None:
        """Return the p-value of a model's accuracy above that of the majority rule, if known."""
        if self.counted.clusters or self.stratified:
            return None
        return accuracy_above_majority(self.owner(accuracy).labels)

    def beats_majority(self, accuracy: Value) -> bool:
        """Return whether a model is more accurate than always predicting the frequent class."""
        p, most = self.above_majority(accuracy), self.majority[1]
        return accuracy.low > most if p is None else p < 1 - self.level

    def cited(self, place: str, model: str | None) -> Any:
        """Return the value of a placeholder in a sentence; None if it is undefined."""
        where = "in the field, as assumed" if self.stratified else "of the rows"
        facts = {"model": model, "positives": Share(self.prevalence), "where": where}
        if place in facts:
            return facts[place]
        return self.of(model, place) if model is not None else self.every(place) or None

    @property
    def here(self) -> str:
        """Where the numbers of the rows hold."""
        return "at the assumed prevalence" if self.stratified else "on these rows"

    @property
    def primary(self) -> str:
        """The metric that orders the models, given the user's answer on the use."""
        if self.answers.use is None and self.every("roc_auc"):
            return "roc_auc"  # the default of all comparisons
        metric = {"probabilities": "log_loss", "ranking": "roc_auc"}.get(self.answers.use or "")
        if metric and self.every(metric):
            return metric
        # At an assumed prevalence, the order must not depend on that assumption.
        return "youden_j" if self.stratified and self.binary else "matthews_corrcoef"

    def every(self, metric: str) -> dict[str, Value]:
        """Return a metric's value for each model; empty unless it is defined for all of them."""
        values = {m.name: self.values[m.name].get(metric) for m in self.models}
        defined = {k: v for k, v in values.items() if v is not None and not v.reason}
        return defined if len(defined) == len(values) else {}

    def of(self, model: str, metric: str) -> Value | None:
        """Return a metric of a model; None if it is missing, undefined or infinite."""
        v = self.values[model].get(metric)
        return None if v is None or v.reason or math.isinf(v.value) else v

    def of_leader(self, metric: str) -> Value | None:
        """Return a metric of the leading model."""
        return self.of(self.leader.name, metric)

    def ordered(self, metric: str) -> list[str]:
        """Return the models ordered from best to worst by a metric; empty unless all have it."""
        values, sign = self.every(metric), 1 if get(metric).better == "low" else -1
        return sorted(values, key=lambda name: sign * values[name].value)

    @cached_property
    def leader(self) -> Model:
        """The best model by the primary metric; the first given one if the metric is undefined."""
        first = self.ordered(self.primary)[:1]
        return next(m for m in self.models if m.name in (first or [m.name]))

    @cached_property
    def verdict(self) -> Verdict | None:
        """The comparison's verdict on the two best models by the primary metric, if available.

        The differences are those of the comparison, so advice is consistent with it.
        """
        names = self.ordered(self.primary)[:2]
        c = self.compared() if len(names) == 2 and self.compared is not None else None
        return None if c is None else c.verdict(names[0], names[1], self.primary)

    def each(self, metrics: Sequence[str]) -> Iterator[tuple[str, list[Value]]]:
        """Yield each model that has all of these metrics, with their values."""
        for model in self.models:
            values = [v for m in metrics if (v := self.of(model.name, m)) is not None]
            if len(values) == len(metrics):
                yield model.name, values

    @property
    def headline(self) -> tuple[str, ...]:
        """The metrics that are shown first."""
        return tuple(HEADLINE if self.binary else HEADLINE_MANY)

    def at(self, metric: str, prevalence: float) -> Value:
        """Return a metric of the leading model's decisions at another prevalence."""
        options: dict[str, Any] = {"at": np.array([prevalence]), "level": self.level}
        c = prevalence_curve(self.leader, metric, self.counted.positive, seed=self.seed, **options)
        if self.counted.clusters:
            c = c._unbounded()
        low, high = (math.nan if v is None else float(v[0]) for v in (c.low, c.high))
        formula = {"formula": get(metric).words.formula, "average": "binary"}
        definition = {**formula, "positive": self.counted.positive, "prevalence": prevalence}
        return Value(c.y_metric, float(c.y[0]), low, high, level=self.level, definition=definition)

    @cached_property
    def _chance(self) -> dict[str, Gain | None]:
        """The excess over 1/2 of the ROC area of each scored model of two classes."""
        scored = (m.name for m in self.models if self.binary and m.scores)
        return {
            name: area_above_half(
                self.counted.model(name).scores[0], self._clustered(name), level=self.level
            )
            for name in scored
        }

    def _clustered(self, name: str) -> Clustered | None:
        if not self.counted.clusters:
            return None
        return Clustered.of(self.counted, name, seed=self.seed, stratified=self.stratified)

    def below_prevalence(self, name: str) -> bool:
        """Return whether a model's Brier score is shown to be below that of the prevalence."""
        gain = brier_below_prevalence(
            self.counted.model(name).scores[0],
            self._clustered(name),
            level=self.level,
            stratified=self.stratified,
        )
        return gain is not None and gain.shown

    @property
    def constant_brier(self) -> float:
        """The Brier score of always giving the prevalence p: p (1 - p)."""
        return self.prevalence * (1 - self.prevalence)

    def above_chance(self, name: str) -> Gain | None:
        """Return by how much a model's ROC area exceeds 1/2; None if that is not known."""
        return self._chance.get(name)

    def has_signal(self, name: str) -> bool:
        """Return whether a model's scores are better than chance, or may be for all we know."""
        gain = self.above_chance(name)
        return gain is None or gain.shown

    def moved(self, metric: str, **params: Any) -> Moved | None:
        """Return the leading model's best threshold, and its gain on new rows over the present one.

        None if the gain is not known.
        """
        if not self.binary or not self.leader.scores:
            return None
        options = (get(metric), params, self.counted.joint)
        moved = moved_threshold(self.splits, self.leader, *options)
        known = not (math.isnan(moved.gain.value) or math.isnan(moved.best.best.corrected.value))
        return moved if known else None

    @property
    def by_subgroup(self) -> bool:
        """Whether rows were counted by subgroups other than folds."""
        counts = self.counted.subgroup_counts
        columns = set() if counts is None else {*counts.columns} - {self.counted.source._fold}
        return bool(columns) and not self.stratified

    @cached_property
    def advised_threshold(self) -> float | None:
        """The cheapest threshold at the known costs, if moving to it is advised."""
        costs = known_costs(self)
        moved = self.moved("expected_cost", **costs) if costs else None
        if moved is None or not (moved.gain.low > 0 and beats_constant(self, moved)):
            return None
        return moved.best.threshold

    def choice(
        self, metric: str, within: Mapping[str, float] | None = None, **params: Any
    ) -> OptimalThreshold | None:
        """Return the leading model's best threshold; None if its performance is unknown."""
        if not self.binary or not self.leader.scores:
            return None
        best = best_threshold(self.splits, get(metric), within or {}, params)
        defined = math.isfinite(best.threshold) and not math.isnan(best.best.corrected.value)
        return best if defined else None

    @cached_property
    def splits(self) -> Splits:
        """The leading model's scores, and the random splits of its rows that thresholds use."""
        options: dict[str, Any] = {"seed": self.seed, "stratified": self.stratified}
        clustered = self._clustered(self.leader.name)
        return Splits(self.leader.scores[0], Sampler(**options), clustered, self.level)


@dataclass(frozen=True, repr=False)
class Advice(Display):
    """The statements of all rules for one case, by section.

    ``str(advice)`` is the text for the terminal; ``statements`` are the sentences with their
    numbers, rules and sources.
    """

    statements: tuple[Finding, ...]
    answers: Answers
    level: float
    passed: tuple[str, ...] = ()
    """Codes of the rules on misleading numbers that were checked and did not apply."""
    _moved: tuple[str, float] | None = None
    """The leading model and the threshold to move to, if that is advised."""

    @checked(name=one_of(*SECTIONS))
    def section(self, name: str) -> tuple[Finding, ...]:
        """Return the statements of one of :data:`SECTIONS`."""
        return tuple(s for s in self.statements if s.section == name)

    def metrics(self) -> tuple[str, ...]:
        """Return the metrics worth reporting, without repetition."""
        return tuple(dict.fromkeys(m for s in self.section("report") for m in s.metrics))

    def table(self) -> Listing:
        """Return one row per statement, with its rule and its sources."""
        return Listing(
            tuple(
                {
                    "section": s.section,
                    "rule": s.rule,
                    "model": s.model,
                    "text": s.text,
                    "sources": "; ".join(s.sources),
                }
                for s in self.statements
            )
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "answers": fields_of(self.answers),
            "statements": plain_data(self.statements),
            "passed": list(self.passed),
        }


# -- the rules, in the order of their statements ------------------------------------------------

BALANCED = (0.3, 0.7)
"""Shares of positives at which neither class is rare; the literature gives no limit."""

RARE = 0.2
"""Below this share of positives, the ROC curve looks better than the precision."""

FREQUENT = 0.75
"""At this share of a class, always predicting it has a high accuracy."""

WIDE = 0.1
"""Half-width of an interval at which the first digit is uncertain."""

CLOSE = 0.02
"""Values closer than this are called equal."""

APART = 0.15
"""Error rates further apart than this are not summarised well by their mean."""

FIELD = (0.01, 0.1, 0.5)
"""Shares of positives that a question shows as examples."""

COSTS = (0.1, 10.0)
"""Ratios of the cost of a missed positive to that of a false alarm, for a question."""

FOUND = 0.95
ALARMS = 0.01
"""Default limits for "most positives found" and "few false alarms"."""

DECISIONS = (None, "decisions")
"""Uses for which the threshold matters, or may matter."""

SHORT = {
    "matthews_corrcoef": "MCC",
    "roc_auc": "ROC area",
    "f1": "F1",
    "brier": "Brier score",
    "average_precision": "average precision",
    "cohen_kappa": "kappa",
    "youden_j": "Youden's J",
}

CONSTANT = "; the prevalence alone {constant}"
"""What is said beside a Brier score."""

WORST_FIRST = (
    "not-better-than-chance",
    "area-below-half",
    "costs-of-guessing",
    "errors-of-a-subgroup",
    "certain-and-wrong",
    "probabilities-in-the-large",
    "probabilities-spread",
    "probabilities-off",
    "no-better-than-the-majority",
    "precision-of-another-field",
    "accuracy-of-the-majority",
    "area-hides-false-alarms",
    "f1-of-all-positive",
    "too-few-rows",
    "interval-too-wide",
    "ties-decide",
)
"""Rules on misleading numbers, the most harmful first."""

CHECKED = ("chance", "misleads")
"""Sections that also list the rules that found nothing."""

MOST_FINDINGS = 5
"""The number of these findings that are shown at once."""


def advice_rules() -> Mapping[str, AdviceRule]:
    """Return the rules of advice by code, in the order of their statements."""
    added("findings")
    return {code: rule for code, rule in RULES.items() if isinstance(rule, AdviceRule)}


Finder = Callable[..., Iterator[Statement]]


def advise(
    counted: CountedRows,
    values: Mapping[str, Mapping[str, Value]],
    answers: Answers | None = None,
    *,
    level: float = 0.95,
    seed: int = 0,
    stratified: bool = False,
    compared: Callable[[], Comparison | None] | None = None,
    lead: Mapping[str, str] | None = None,
    mute: Sequence[str] = (),
    noun: Noun = ROW,
) -> Advice:
    """Return the statements of every rule on these tallies and values, the most harmful first.

    With ``stratified`` the class shares are assumed, not those of the rows. ``compared`` returns
    the comparison of the models, ``lead`` are the metrics that the field reports first, with their
    titles. Rules whose codes are in ``mute`` are skipped. ``noun`` is what a row is called.
    """
    rules = advice_rules()
    for code in mute:
        check_name("rule", code, rules)
    case = Case(
        counted, values, answers or Answers(), level, seed, stratified, compared, lead or {}, noun
    )
    statements, passed = list[Finding](), list[str]()
    for rule in rules.values():
        if rule.code in mute:
            continue
        findings = rule(case)
        of_models = {s.model for s in findings if s.model is not None}
        apart = len(findings) > 1 and len(of_models) == len(findings)
        statements += _merged(findings, case.leader.name) if apart else findings
        if rule.section not in CHECKED or findings or not rule.can_check(case):
            continue
        if not any(rules[code](case) for code in rule.covered_by):
            passed.append(rule.code)
    order = [*WORST_FIRST, *rules]
    statements.sort(key=lambda s: (list(SECTIONS).index(str(s.section)), order.index(s.rule)))
    to = case.advised_threshold
    moved = None if to is None else (case.leader.name, to)
    return Advice(tuple(statements), case.answers, level, tuple(passed), moved)


def _merged(findings: Sequence[Finding], leader: str) -> list[Finding]:
    """Return the findings of a rule merged into one, for the leading model if it is affected."""
    first = next((s for s in findings if s.model == leader), findings[0])
    others = tuple(str(s.model) for s in findings if s is not first)
    return [
        replace(
            first, text=f"{first.text} The same holds for {enumerated(few(others))}.", others=others
        )
    ]


def rule(
    section: str, *sources: str, warns: bool | None = None, **when: Any
) -> Callable[[Finder], Finder]:
    """Return a decorator that registers a rule; its code is the function's name.

    The docstring and ``when`` describe when the rule applies. A rule that ``warns`` reports a
    problem, as every rule of the sections "chance" and "misleads" does.
    """
    if section not in SECTIONS:
        raise ValueError(f"there is no section {section!r}")
    wrong = section in CHECKED if warns is None else warns

    def declare(find: Finder) -> Finder:
        register(
            AdviceRule(
                code=find.__name__.replace("_", "-"),
                severity="warning" if wrong else "info",
                when=(find.__doc__ or "").strip(),
                sources=sources,
                section=section,
                find=find,
                **when,
            )
        )
        return find

    return declare


def sided(v: Value, above: str, below: str) -> dict[str, Any]:
    """Return a difference as a positive number with the word for its side."""
    if v.value >= 0:
        return {"by": v, "side": above}
    return {"by": replace(v, value=-v.value, low=-v.high, high=-v.low), "side": below}


def known_costs(case: Case) -> dict[str, Any]:
    """Return the parameters of expected cost from the answers; empty without costs."""
    a = case.answers
    if not case.binary or a.cost_fp is None or a.cost_fn is None:
        return {}
    costs = {"cost_fp": a.cost_fp, "cost_fn": a.cost_fn}
    return costs if a.prevalence is None else {**costs, "prevalence": a.prevalence}


def cheaper_constant(case: Case, costs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the decision, the same for every row, that costs less, and its cost per row."""
    p = costs.get("prevalence", case.prevalence)
    always, never = costs["cost_fp"] * (1 - p), costs["cost_fn"] * p
    if always <= never:
        return {"way": "acting on every row", "constant": always}
    return {"way": "acting on none", "constant": never}


def beats_constant(case: Case, moved: Moved) -> bool:
    """Return whether the best threshold is shown to do better on new rows than a constant decision.

    A threshold that calls every row positive is such a decision, and is named as one.
    """
    everybody = everyone(moved.best.threshold, case.leader.scores[0])
    return moved.over_constant.low > 0 or bool(everybody)


def present_cost(case: Case, costs: Mapping[str, Any]) -> Value:
    """Return the expected cost per row of the leading model's decisions, with its interval."""
    classes = case.leader.labels.labels
    statistic = Statistic.of(get("expected_cost"), classes, case.counted.positive, **costs)
    inference = Inference(case.counted, case.level, case.seed, case.stratified)
    return inference.values(case.leader, {"": statistic})[""]


def to_tell_apart(a: float, b: float) -> str:
    """Return the format of two unequal numbers that three decimals would show as equal.

    >>> to_tell_apart(0.9904, 0.99), to_tell_apart(0.99, 0.99), to_tell_apart(0.5, 0.7)
    (':.4f', '', '')
    """
    if a == b or f"{a:.3f}" != f"{b:.3f}":
        return ""
    return next((f":.{d}f" for d in range(4, 8) if f"{a:.{d}f}" != f"{b:.{d}f}"), "")


def title_of(metric: str) -> str:
    """Return a metric's title for use within a sentence."""
    return SHORT.get(metric) or within_sentence(get(metric).title)


def within_sentence(title: str) -> str:
    """Return a title with a lower-case first letter, unless it begins with an acronym.

    >>> within_sentence("Equal error rate (EER)"), within_sentence("FNMR at FMR = 10⁻²")
    ('equal error rate (EER)', 'FNMR at FMR = 10⁻²')
    """
    return title if title[1:2].isupper() else title[0].lower() + title[1:]


def capitalised(text: str) -> str:
    """Return a text with its first letter in upper case."""
    return text[0].upper() + text[1:]


def listed(parts: Sequence[str]) -> str:
    """Return the items of a list as part of a sentence."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


# -- better than chance --------------------------------------------------------------------------


@rule(
    "chance",
    "brunner2000",
    "delong1988",
    binary=True,
    each=("roc_auc",),
    covered_by=("area-below-half",),
)
def not_better_than_chance(case: Case, area: Value) -> Iterator[Statement]:
    """The ROC area is not shown to be above 1/2, so thresholds and slopes have no advice."""
    name = case.owner(area).name
    gain, brier = case.above_chance(name), case.of(name, "brier")
    if gain is None or gain.shown or area.high < 0.5:
        return
    end, instead, more = "", "", dict[str, Any]()
    if brier is not None and not case.below_prevalence(name):
        end = "; its Brier score is {brier}, and always giving the prevalence has {constant}"
        instead = ", and give the prevalence ({prevalence}) instead of its probabilities"
        more = {
            "brier": brier,
            "constant": case.constant_brier,
            "prevalence": case.prevalence,
        }
    above = replace(area, value=gain.value, low=gain.low, high=gain.high, level=gain.level)
    yield Statement(
        "{model} is not shown to be better than chance: its ROC area is {area} on these rows, "
        f"{{by}} {{side}} 0.5 ({{p}}){end}.",
        "roc_auc",
        remedy=" Do not move its threshold or recalibrate it before more rows show a signal"
        f"{instead}; check the labels and the column of scores.",
        area=area.value,
        p=p_is(gain.p_value),
        **sided(above, "above", "below"),
        **more,
    )


# -- what to report ----------------------------------------------------------------------------


@rule("report", "liu2014", "tharwat2018", binary=True, uses=[None])
def one_of_each_family(case: Case) -> Iterator[Statement]:
    """The use of the classifier is not stated: report one metric of each kind."""
    kinds = {"decisions": "matthews_corrcoef", "ranking": "roc_auc", "probabilities": "brier"}
    parts = [
        f"{kind} by {title_of(m)} ({{{m}}}{CONSTANT if m == 'brier' else ''})"
        for kind, m in kinds.items()
        if case.every(m)
    ]
    why = "one class is rare, so say which use matters to you"
    if BALANCED[0] <= case.prevalence <= BALANCED[1]:
        why = "neither class is rare, so each can be read as it is"
    constant: dict[str, Any] = {"constant": case.constant_brier} if case.every("brier") else {}
    if parts:
        yield Statement(
            f"Report one metric for each use: {listed(parts)}. Positives are {{positives}} "
            f"{{where}}: {why}.",
            *(m for m in kinds.values() if case.every(m)),
            **constant,
        )


@rule("report", "tharwat2018", binary=True, uses=["decisions"])
def use_decisions(case: Case) -> Iterator[Statement]:
    """Decisions are used: report both error rates and one metric that combines them."""
    yield Statement(
        "For decisions, report sensitivity ({sensitivity}) and specificity ({specificity}), "
        "independent of prevalence, and MCC ({matthews_corrcoef}), which combines both."
    )


@rule("report", "fawcett2006", "davis2006", binary=True, uses=["ranking"])
def use_ranking(case: Case) -> Iterator[Statement]:
    """The ranking by score is used."""
    field = case.answers.prevalence
    more: dict[str, Any] = {}
    if field is not None:
        more = {"positives": Share(field), "where": "in the field"}
    reported = {m: title for m, title in case.lead.items() if case.every(m)}
    if reported and "roc_auc" not in reported:
        parts = [f"{within_sentence(title)} ({{{m}}})" for m, title in reported.items()]
        yield Statement(
            f"You use the ranking: report {listed(parts)} beside ROC area ({{roc_auc}}), which "
            "averages over every threshold."
        )
    elif (case.prevalence if field is None else field) >= RARE:
        yield Statement(
            "You use the ranking: report ROC area ({roc_auc}). Positives are {positives} {where}, "
            "frequent enough for it to be a fair summary.",
            **more,
        )
    elif field is not None:
        yield Statement(
            "You use the ranking, and positives are rare in the field ({positives}): report "
            "average precision at that prevalence beside ROC area ({roc_auc}), which says little "
            "about the top of the list.",
            positives=Share(field),
        )
    else:
        yield Statement(
            "You use the ranking, and positives are rare: report average precision "
            "({average_precision}; random scores have {positives}) beside ROC area ({roc_auc}), "
            "which says little about the top of the list."
        )


@rule("report", "gneiting2007", "vancalster2019", binary=True, uses=["probabilities"])
def use_probabilities(case: Case) -> Iterator[Statement]:
    """The scores are used as probabilities: report a proper score and the calibration."""
    loss = case.every("log_loss")
    finite = bool(loss) and all(math.isfinite(v.value) for v in loss.values())
    log_loss, verb = ("log loss ({log_loss}) and ", "are") if finite else ("", "is")
    end = "" if finite else " The log loss is not finite for every model."
    yield Statement(
        f"You use probabilities: report {log_loss}Brier skill score ({{brier_skill_score}}), which "
        f"{verb} best for the true probabilities, and calibration error "
        f"({{expected_calibration_error}}).{end}"
    )


@rule("report", "liu2014", uses=["ranking", "probabilities"])
def use_needs_scores(case: Case) -> Iterator[Statement]:
    """Scores are used, but a model has none."""
    use, models = case.answers.use, len(case.models)
    no_scores = sum(not m.scores for m in case.models)
    no_probabilities = sum(not m.probabilities for m in case.models)
    if no_scores:
        yield Statement(
            f"You use the {use} of scores, but {{lacking}} of {{models}} models came with "
            "decisions only. Give their scores as well.",
            lacking=no_scores,
            models=models,
        )
    elif use == "probabilities" and no_probabilities:
        yield Statement(
            "You use the scores as probabilities, but those of {lacking} of {models} models are "
            "not. Calibrate them first, or judge the ranking alone.",
            lacking=no_probabilities,
            models=models,
        )


@rule("report", "drummond2006", "elkan2001")
def costs_known(case: Case) -> Iterator[Statement]:
    """The costs of both errors are known: report expected cost."""
    costs = known_costs(case)
    now = present_cost(case, costs) if costs else None
    if now is None or now.reason:
        return
    p = costs.get("prevalence", case.prevalence)
    always, never = costs["cost_fp"] * (1 - p), costs["cost_fn"] * p
    where = "at that prevalence" if "prevalence" in costs else "on these rows"
    yield Statement(
        "You know the costs: report expected cost per row. {model} costs {now}; acting on every "
        f"row would cost {{always}} {where}, acting on none {{never}}.",
        "expected_cost",
        now=now,
        always=always,
        never=never,
    )


@rule("report", "tharwat2018", binary=True)
def prevalence_differs(case: Case) -> Iterator[Statement]:
    """The prevalence differs in the field: which metrics change, and which do not."""
    field = case.answers.prevalence
    there = case.at("precision", field) if field else None
    if field is None or there is None or math.isnan(there.value):
        return
    start = "The prevalence is {positives} in these rows and {field} in the field"
    if case.stratified:
        start = "The prevalence is {positives} as assumed here and {field} by your answer"
    yield Statement(
        f"{start}. Report sensitivity and specificity, which stay the same; precision of {{model}} "
        "is {precision} here and {there} there.",
        "sensitivity",
        "specificity",
        "precision",
        field=Share(field),
        there=there,
    )


@rule("report", "glas2003", binary=True)
def worse_missed(case: Case) -> Iterator[Statement]:
    """A missed positive is worse than a false alarm: report sensitivity with its lower bound."""
    found = case.of_leader("sensitivity")
    if case.answers.worse != "missed" or found is None or math.isnan(found.low):
        return
    end, metrics, more = "", ["sensitivity"], dict[str, Any]()
    value = case.of_leader("negative_predictive_value")
    if value is not None and case.prevalence < RARE:
        end = "; negative predictive value says little, since calling no row positive has {none}"
        more = {"none": 1 - case.prevalence}
        end += " on these rows, and {model} {negative_predictive_value}"
    elif value is not None:
        end = " and negative predictive value ({negative_predictive_value})"
        metrics.append("negative_predictive_value")
    yield Statement(
        "A missed positive hurts more: {model} finds {sensitivity} of the positives, so plan for "
        f"the lower bound. Report sensitivity with its lower bound ({{low}}){end}.",
        *metrics,
        low=found.low,
        **more,
    )


@rule("report", "glas2003", binary=True)
def worse_false_alarms(case: Case) -> Iterator[Statement]:
    """A false alarm hurts more: report how many positive decisions are wrong."""
    if case.answers.worse == "false alarms":
        yield Statement(
            "A false alarm hurts more: {model} raises one on {false_positive_rate} of the "
            "negatives, and {precision} of its positive decisions are right."
        )


@rule("report", "tharwat2018")
def many_classes(case: Case) -> Iterator[Statement]:
    """More than two classes: report the worst class as well as the mean."""
    tally = case.leader.labels
    support = tally.counts.sum(1)
    present = np.flatnonzero(support > 0)
    if len(tally.labels) < 3 or len(present) < 2:
        return
    recall = tally.counts.diagonal()[present] / support[present]
    worst = int(recall.argmin())
    mcc: dict[str, Any] = {"mcc": v} if (v := case.every("matthews_corrcoef")) else {}
    start = "Report MCC ({mcc}) and the recall of each class" if mcc else "Report each recall"
    lowest, corrected = Value("sensitivity", float(recall[worst])), ""
    if not (case.counted.weighted or case.counted.clusters or case.stratified):
        z = quantile(1 - (1 - case.level) / len(present))
        hits, n = tally.counts.diagonal()[present][worst], support[present][worst]
        low, high = map(float, wilson(hits, n, z))
        definition = {"formula": get("sensitivity").words.formula, "average": "binary"}
        lowest = Value(
            "sensitivity",
            lowest.value,
            low,
            high,
            level=case.level,
            method="Wilson, Bonferroni",
            definition=definition,
        )
        corrected = ", corrected for the choice of the lowest"
    label = tally.labels[present[worst]]
    kind = "" if is_name(label) else "class "
    yield Statement(
        f"{start}: {{model}} has a mean recall of {{mean}}, and {kind}{{label}} has the lowest, "
        f"{{worst}}{corrected}.",
        "matthews_corrcoef",
        "balanced_accuracy",
        "sensitivity",
        label=str(label),
        worst=lowest,
        mean=case.of_leader("balanced_accuracy") or float(recall.mean()),
        **mcc,
    )


# -- what could mislead here -------------------------------------------------------------------


@rule(
    "misleads",
    "tharwat2018",
    "byrt1993",
    uses=DECISIONS,
    each=("accuracy", "cohen_kappa"),
    covered_by=("no-better-than-the-majority",),
)
def accuracy_of_the_majority(case: Case, accuracy: Value, kappa: Value) -> Iterator[Statement]:
    """One class is frequent, so always predicting it has a high accuracy."""
    label, most = case.majority
    if most >= FREQUENT and case.beats_majority(accuracy):
        yield Statement(
            "Accuracy of {model} is {accuracy}, but always predicting {label} has {majority} "
            f"{case.here}.",
            "accuracy",
            remedy=" Report kappa ({cohen_kappa}), which corrects for chance.",
            label=str(label),
            majority=most,
        )


@rule("misleads", "tharwat2018", uses=DECISIONS, each=("accuracy",))
def no_better_than_the_majority(case: Case, accuracy: Value) -> Iterator[Statement]:
    """The accuracy is not shown to be above that of always predicting the most frequent class."""
    label, most = case.majority
    if case.beats_majority(accuracy) or most >= 1:
        return
    common: dict[str, Any] = {"label": str(label), "majority": most}
    remedy = " Report balanced accuracy and MCC instead."
    p = case.above_majority(accuracy)
    if p is None:
        yield Statement(
            "Accuracy of {model} ({accuracy}) is not shown to be above {majority}, which "
            f"always predicting {{label}} has {case.here}.",
            "accuracy",
            remedy=remedy,
            **common,
        )
    else:
        gained, lost = gained_and_lost(case.owner(accuracy).labels)
        digits = to_tell_apart(accuracy.value, most)
        yield Statement(
            f"Accuracy of {{model}} ({{accuracy{digits}}}) is not shown to be above "
            f"{{majority{digits}}}, which always predicting {{label}} has on these rows "
            "(gained {gained}, lost {lost}; {p}).",
            "accuracy",
            remedy=remedy,
            accuracy=accuracy.value,
            gained=int(gained),
            lost=int(lost),
            p=p_is(p),
            **common,
        )


@rule("misleads", "powers2011", binary=True, uses=DECISIONS, each=("f1",))
def f1_of_all_positive(case: Case, f1: Value) -> Iterator[Statement]:
    """Calling every row positive has nearly the same F1, or a higher one."""
    trivial = 2 * case.prevalence / (1 + case.prevalence)
    if f1.low <= trivial:
        yield Statement(
            "F1 of {model} ({f1}) is not shown to be above {trivial}, which calling every row "
            f"positive has {case.here}. F1 ignores true negatives",
            remedy=", so report MCC too.",
            trivial=trivial,
        )


@rule("misleads", "davis2006", binary=True, each=("roc_auc", "average_precision"))
def area_hides_false_alarms(case: Case, area: Value, precision: Value) -> Iterator[Statement]:
    """Positives are rare and the ROC area is high while precision is low."""
    if case.prevalence < RARE and area.value >= 0.8 and precision.value < area.value - APART:
        yield Statement(
            "ROC area of {model} is {roc_auc}, but its average precision is {average_precision}: "
            "with {positives} positives, a low false positive rate still means many false alarms.",
            "roc_auc",
            remedy=" Report average precision beside ROC area.",
        )


@rule("report", "tharwat2018", binary=True, uses=DECISIONS, each=("sensitivity", "specificity"))
def mean_of_two_rates(case: Case, sensitivity: Value, specificity: Value) -> Iterator[Statement]:
    """Balanced accuracy is the mean of two rates that are far apart."""
    if abs(sensitivity.value - specificity.value) > APART:
        yield Statement(
            "Balanced accuracy of {model} ({balanced_accuracy}) is the mean of sensitivity "
            "{sensitivity} and specificity {specificity}. Report both.",
            "balanced_accuracy",
        )


@rule("misleads", "elkan2001", "drummond2006", binary=True, asks="cost_fn")
def costs_of_guessing(case: Case) -> Iterator[Statement]:
    """At the costs of the errors, acting on every row or on none costs less than the decisions."""
    costs = known_costs(case)
    if not costs:
        return
    pays = costs["cost_fp"] / (costs["cost_fp"] + costs["cost_fn"])
    field = case.answers.prevalence
    moved = case.moved("expected_cost", **costs) if case.has_signal(case.leader.name) else None
    more: dict[str, Any] = {k: costs[k] for k in ("cost_fp", "cost_fn")}
    better, none = "", ""
    if moved is not None and moved.gain.low > 0:
        none = ", and no threshold is shown to cost less than that"
    if moved is not None and (advised := case.advised_threshold) is not None:
        tally = case.leader.scores[0]
        more |= {"threshold": Cut.of(advised, tally), "gain": moved.gain}
        better = (
            f" Choose a threshold of {{threshold}}{everyone(advised, tally)}: on new rows it costs "
            "{gain} less per row."
        )
    for name, limit, way in (
        ("negative_predictive_value", 1 - pays, "acting on every row"),
        ("precision", pays, "acting on none"),
    ):
        v = case.of_leader(name) if field is None else case.at(name, field)
        if v is not None and v.high < limit:
            yield Statement(
                "If a false alarm costs {cost_fp} and a missed positive {cost_fn}, {model} does "
                f"worse than {way}: its {title_of(name)} is {{here}}, and it pays only above "
                "{limit}.",
                name,
                remedy=better or f" Do not use its decisions: {way} costs less{none}.",
                here=v,
                limit=limit,
                **more,
            )


@rule(
    "misleads",
    "miettinen1985",
    "holm1979",
    binary=True,
    subgroups=True,
    uses=[None, "decisions", "probabilities"],
)
def errors_of_a_subgroup(case: Case) -> Iterator[Statement]:
    """A subgroup has a higher error rate than the other rows, at the advised or present threshold.

    The advised threshold comes first, because its decisions will replace the present ones.
    """
    counted, advised = case.counted, case.advised_threshold
    assert counted.subgroup_counts is not None
    s = Subgroups._of(
        replace(counted, models=(case.leader,)),
        case.leader,
        [c for c in counted.subgroup_counts.columns if c != counted.source._fold],
        level=case.level,
        seed=case.seed,
        stratified=False,
    )
    if len(s) < 2:
        return
    s = replace(s, _noun=case.noun, _thresholds=() if advised is None else (advised,))
    tests = s._judged(RATES)
    for threshold in reversed(tests.thresholds):
        for worst in tests.harms(threshold)[:1]:
            yield harm_of(s, worst)


def harm_of(s: Subgroups, t: SubgroupTest) -> Statement:
    """Return the finding that a subgroup has a higher error rate than the other rows.

    The p-value is corrected for all tests of both rates.
    """
    model: Any = s._chosen
    kind, called = _kind_of_errors(s, t.metric)
    gap, error = t.gap.difference, 1 - t.value.value
    more: dict[str, Any] = {}
    at = ""
    if t.threshold is not None:
        at = " at {threshold}"
        more = {"threshold": Cut.of(t.threshold, model.scores[0])}
    of, many, share = "{rows} ", "{errors}", ": {error}"
    if s._counted.weighted:  # sums of weights are no numbers of rows
        of, many, share = "the ", "{error}", ""
    else:
        more |= {"rows": round(t.rows), "errors": round(t.rows * error)}
    does = f"misses {many}" if t.metric == "sensitivity" else f"calls {many} {called}"
    does += share
    key = t.gap.key if len(s.columns) > 1 else (t.gap.key,)
    return Statement(
        f"Of {of}{kind} where {{subgroup}}, {{model}}{at} {does}, against {{rest}} of all "
        "others, {low} to {high} points more ({p}, {corrected}).",
        t.metric,
        remedy=" Check whether that is acceptable before you use these decisions.",
        error=Share(error),
        subgroup=enumerated(
            [
                f"{c} is {'(missing)' if v is None else v}"
                for c, v in zip(s.columns, key, strict=True)
            ]
        ),
        rest=Share(1 - gap.second_value),
        low=Points(-gap.high),
        high=Points(-gap.low),
        p=p_is(t.gap.corrected),
        corrected=tests_corrected_for(s._judged(RATES).comparisons),
        **more,
    )


def tests_corrected_for(n: int) -> str:
    """Return for how many tests of subgroups p-values are corrected.

    >>> tests_corrected_for(12), tests_corrected_for(1)
    ('corrected for 12 tests', 'one test')
    """
    return "one test" if n == 1 else f"corrected for {n:,} tests"


def _kind_of_errors(s: Subgroups, metric: str) -> tuple[str, str]:
    """Return the rows that a rate counts, and what the wrong ones among the negatives are called.

    A class has its name, unless that is a number.
    """
    positive = s._counted.positive
    other = next(c for c in s._counted.classes if c != positive)
    texts = [
        harmless(str(c)).replace("{", "{{").replace("}", "}}") if is_name(c) else kind
        for c, kind in ((positive, "positive"), (other, "negative"))
    ]
    return f"{texts[metric != 'sensitivity']} {s._noun.many}", texts[0]


@rule("misleads", "tharwat2018", binary=True, asks="prevalence")
def precision_of_another_field(case: Case) -> Iterator[Statement]:
    """The prevalence differs in the field, so metrics of the sample do not hold there."""
    field = case.answers.prevalence
    if field is None:
        return
    moved: dict[str, tuple[Value, Value]] = {}
    for name in ("f1", "matthews_corrcoef", "cohen_kappa", "accuracy"):
        here, there = case.of_leader(name), case.at(name, field)
        if here is not None and abs(here.value - there.value) > CLOSE:
            moved[name] = (here, there)
    most = sorted(moved, key=lambda k: -abs(moved[k][0].value - moved[k][1].value))[:1]
    others = [title_of(k) for k in moved if k not in most]
    for name in most:
        more = f" {capitalised(listed(others))} change as well." if others else ""
        if len(others) == 1:
            more = f" {capitalised(others[0])} changes as well."
        yield Statement(
            f"{{title}} of {{model}} is {{here}} {case.here} and {{there}} at a prevalence of "
            f"{{field}}, with the same error rates.{more}",
            *moved,
            remedy=" Report the values at the prevalence of the field.",
            title=capitalised(title_of(name)),
            here=moved[name][0],
            there=moved[name][1],
            field=Share(field),
        )


@rule(
    "misleads",
    "vancalster2019",
    binary=True,
    uses=[None, "probabilities"],
    each=("observed_expected_ratio",),
    signal=True,
)
def probabilities_in_the_large(case: Case, observed: Value) -> Iterator[Statement]:
    """The probabilities predict another number of positives than there are."""
    at = "At the assumed prevalence " if case.stratified else ""
    if not off(observed, case.level):
        return
    many = observed.value < 1
    times = 1 / observed.value if many and observed.value else observed.value
    claim = f"{at}the probabilities of {{model}} add up to " + (
        "{times} × the positives that occurred"
        if many
        else "too few positives: {times} × as many occurred"
    )
    yield Statement(
        f"{capitalised(claim)} (observed to expected {{observed}}).",
        "observed_expected_ratio",
        "brier",
        remedy=" Recalibrate its intercept before you use its probabilities.",
        times=Times(times),
        observed=observed,
    )


CALIBRATION_TESTS = 4
"""Level, slope, z and shape test the same probabilities, so they share the significance level."""


def corrected_bounds(v: Value, level: float) -> tuple[float, float]:
    """Return the bounds of a calibration test, corrected for the number of tests (Bonferroni)."""
    wider = quantile(1 - (1 - level) / CALIBRATION_TESTS) / quantile(level)
    return v.value - wider * (v.value - v.low), v.value + wider * (v.high - v.value)


def off(v: Value, level: float) -> bool:
    """Return whether a calibration ratio differs from 1 by more than a tenth, significantly."""
    low, high = corrected_bounds(v, level)
    return (low > 1 and v.value > 1.1) or (high < 1 and v.value < 0.9)


@rule(
    "misleads",
    "vancalster2019",
    binary=True,
    uses=[None, "probabilities"],
    each=("observed_expected_ratio", "calibration_slope"),
    signal=True,
    covered_by=("probabilities-in-the-large",),
)
def probabilities_spread(case: Case, observed: Value, slope: Value) -> Iterator[Statement]:
    """The probabilities are right on average, and too extreme or not extreme enough.

    A slope that may be 0 cannot be recalibrated, so nothing is said of it.
    """
    if off(observed, case.level) or not off(slope, case.level) or slope.low <= 0:
        return
    side = "overconfident: its probabilities are too extreme"
    if slope.value > 1:
        side = "under-confident: its probabilities are not extreme enough"
    yield Statement(
        f"{{model}} is {side} (calibration slope {{calibration_slope}}; 1 is right).",
        "calibration_slope",
        "brier",
        "log_loss",
        remedy=" Recalibrate the slope before you use its probabilities.",
    )


_OFF = ("observed_expected_ratio", "spiegelhalter_z", "expected_calibration_error")


@rule(
    "misleads",
    "vancalster2019",
    "spiegelhalter1986",
    uses=[None, "probabilities"],
    reads=_OFF,
    signal=True,
    covered_by=("probabilities-in-the-large", "probabilities-spread"),
)
def probabilities_off(case: Case) -> Iterator[Statement]:
    """The probabilities are wrong by Spiegelhalter's z or in shape, though right on average.

    Where their mean or their slope is wrong, that says it already. The shape is that of the
    Hosmer-Lemeshow statistic, which has as many degrees of freedom as bins on rows that did not
    fit the model; fewer bins make the test conservative.
    """
    # In reweighted or clustered rows, z does not have the standard deviation of 1.
    by_interval = case.stratified or bool(case.counted.clusters)
    at, to = ("At the assumed prevalence ", " to that prevalence") if case.stratified else ("", "")
    most = quantile(1 - (1 - case.level) / CALIBRATION_TESTS)
    limit = "an interval without 0" if by_interval else f"beyond ±{most:.2f}"
    for name, values in case.each(_OFF):
        observed, z, error = values
        if not case.has_signal(name):
            continue
        slope = case.of(name, "calibration_slope") if case.binary else None
        if case.binary and (off(observed, case.level) or (slope and off(slope, case.level))):
            continue
        if case.counted.clusters and z.warning:
            yield Statement(
                "The calibration of {model} (calibration error {error}) cannot be judged: "
                f"{z.warning}.",
                "expected_calibration_error",
                remedy=" Collect more clusters before you use its probabilities.",
                about=name,
                model=name,
                error=error.value,
            )
            continue
        side = "overconfident" if z.value > 0 else "under-confident"
        low, high = corrected_bounds(z, case.level)
        if (low > 0 or high < 0) if by_interval else abs(z.value) >= most:
            yield Statement(
                f"{at}{{model}} is {side} (Spiegelhalter's z {{z}}, {limit}; calibration "
                "error {error}).",
                "brier",
                "log_loss",
                remedy=f" Recalibrate{to} before you use its probabilities.",
                about=name,
                model=name,
                z=z if by_interval else z.value,
                error=error.value,
            )
        elif case.binary and not (by_interval or case.counted.weighted) and error.value >= CLOSE:
            shape = case.of(name, "hosmer_lemeshow")
            if shape is not None and shape.value >= _most_of_shape(case.level):
                yield Statement(
                    "Probabilities of {model} are right on average, but off by {error} within "
                    "tenths of the rows (Hosmer-Lemeshow statistic {shape}, above {most}).",
                    "expected_calibration_error",
                    remedy=" Recalibrate with a curve, such as isotonic regression, before you use "
                    "them.",
                    model=name,
                    error=error.value,
                    shape=shape.value,
                    most=_most_of_shape(case.level),
                )


BINS = 10
"""Bins of the Hosmer-Lemeshow statistic."""


def _most_of_shape(level: float) -> float:
    """Return the critical value of the Hosmer-Lemeshow statistic for calibrated probabilities."""
    from scipy.special import chdtri

    return float(chdtri(BINS, (1 - level) / CALIBRATION_TESTS))


@rule("misleads", "good1952", uses=[None, "probabilities"], reads=("log_loss",))
def certain_and_wrong(case: Case) -> Iterator[Statement]:
    """Probability 0 for a class that occurred makes the log loss infinite."""
    loss = {m.name: case.values[m.name].get("log_loss") for m in case.models}
    constant: dict[str, Any] = {"constant": case.constant_brier} if case.binary else {}
    wrong = [name for name, v in loss.items() if v is not None and math.isinf(v.value)]
    if wrong:
        log_loss = "its log loss is" if len(wrong) == 1 else "their log losses are"
        yield Statement(
            f"{{names}} gave probability 0 to a class that then occurred, so {log_loss} infinite.",
            "log_loss",
            remedy=" Clip or calibrate the scores, or read the Brier score ({brier}"
            f"{CONSTANT if constant else ''}).",
            about=wrong[0] if len(wrong) == 1 else None,
            names=enumerated(few(wrong)),
            brier={name: case.values[name]["brier"] for name in wrong},
            **constant,
        )


@rule(
    "misleads",
    "tharwat2018",
    uses=[None, "ranking", "probabilities"],
    each=("roc_auc_pessimistic", "roc_auc_optimistic"),
)
def ties_decide(case: Case, low: Value, high: Value) -> Iterator[Statement]:
    """Equal scores of both classes leave the ROC area ambiguous."""
    if high.value - low.value >= 0.01:
        yield Statement(
            "Positives and negatives tie in the scores of {model}: its ROC area is {low} to "
            "{high} depending on how ties are broken.",
            "roc_auc",
            remedy=" Report how, since software differs.",
            low=low.value,
            high=high.value,
        )


@rule("misleads", "fawcett2006", each=("roc_auc",))
def area_below_half(case: Case, area: Value) -> Iterator[Statement]:
    """The scores rank worse than chance."""
    if area.high < 0.5:
        classes, positive = case.counted.classes, case.counted.positive
        remedy, more = " Check which class each score is for.", dict[str, str]()
        if positive is not None:
            (other,) = (c for c in classes if c != positive)
            remedy = " Check whether they are scores of {other}: if so, say {reading}."
            more = {"other": str(other), "reading": f"reading={{'score_of': {other!r}}}"}
        yield Statement(
            "ROC area of {model} is {roc_auc}, below 0.5: its scores rank the classes in reverse.",
            remedy=remedy,
            **more,
        )


@rule("misleads", "wilson1927", binary=True, unweighted=True, reads=("sensitivity",))
def too_few_rows(case: Case) -> Iterator[Statement]:
    """A class has few rows, so its rates are uncertain."""
    classes = (("positives", "sensitivity"), ("negatives", "specificity"))
    for rows, (what, metric) in zip(case.rows, classes, strict=True):
        v = case.of_leader(metric)
        if rows < FEW and v is not None:
            yield Statement(
                f"There are {{rows}} {what}: each of them moves {metric} by {{step}}, and its "
                f"interval for {{model}} is {{low}} to {{high}}.",
                metric,
                remedy=f" Collect more {what} before you rely on it.",
                rows=round(rows),
                step=1 / rows,
                low=v.low,
                high=v.high,
            )


@rule("misleads", "efron1993", reads=("matthews_corrcoef",))
def interval_too_wide(case: Case) -> Iterator[Statement]:
    """The metric that ranks the models has too wide an interval to rank them."""
    v = case.of_leader(case.primary)
    if v is not None and (v.high - v.low) / 2 >= WIDE:
        units, here = "rows like these", case.counted.rows
        if case.counted.clusters is not None:
            units, here = "clusters of this size", case.counted.clusters
        rows = math.ceil(here * ((v.high - v.low) / WIDE) ** 2)
        yield Statement(
            "{title} of {model} is {value}, too uncertain to choose by.",
            case.primary,
            remedy=" Collect about {rows} {units}, which would narrow the interval to ± {goal}.",
            source=source_of(v.method),
            title=capitalised(title_of(case.primary)),
            value=v,
            rows=int(float(f"{rows:.2g}")),
            units=units,
            goal=WIDE / 2,
        )


# -- which model is better ---------------------------------------------------------------------


@rule("order", "hanley1982", "holm1979", warns=True)
def curves_cross(case: Case) -> Iterator[Statement]:
    """Several models: the ROC curves of the first two cross beyond chance."""
    v = case.verdict
    if v is not None and v.crossing is not None and _judged(v):
        yield Statement(
            "By {title}, {a} leads {b} by {lead}, but their ROC curves cross beyond chance: "
            "{leads}.",
            case.primary,
            remedy=" Choose by the false positive rate of your operating point.",
            title=title_of(case.primary),
            a=v.better,
            b=v.other,
            lead=Rounded.to_width(*v.lead)[0],
            leads=leads(v.crossing),
        )


@rule("order", "hanley1982", "holm1979", warns=True)
def lead_within_the_noise(case: Case) -> Iterator[Statement]:
    """Several models: the lead of the first over the second may be chance, or was not tested."""
    names, v = case.ordered(case.primary)[:2], case.verdict
    if v is not None:
        if v.kind != "better":
            yield from _lead(case, v, "may be chance", " Do not choose by it alone.")
    elif len(names) == 2:
        first, second = (case.every(case.primary)[name] for name in names)
        yield Statement(
            "By {title}, {a} ({first}) is ahead of {b} ({second}), which may be chance.",
            case.primary,
            remedy=" Evaluate both models on the same rows at once to test it.",
            title=title_of(case.primary),
            a=names[0],
            b=names[1],
            first=first,
            second=second,
        )


@rule("order", "hanley1982", "holm1979")
def lead_beyond_chance(case: Case) -> Iterator[Statement]:
    """Several models: the lead of the first over the second is more than chance."""
    v = case.verdict
    if v is not None and v.kind == "better":
        yield from _lead(case, v, "is more than chance")


def _judged(v: Verdict) -> bool:
    return not math.isnan(v.lead[1]) and v.kind not in ("alike", "same ranking")


def _lead(case: Case, v: Verdict, end: str, remedy: str = "") -> Iterator[Statement]:
    """Yield the lead of the best model over the second, unless their curves cross."""
    if v.crossing is not None or not _judged(v):
        return
    lead, low, high = Rounded.to_width(*v.lead)
    corrected = f" (corrected for {v._pairs} pairs)" if v._pairs > 1 else ""
    yield Statement(
        "By {title}, {a} leads {b} by {lead} ({low} to {high}), which "
        f"{end}{{corrected}}{{caveat}}.",
        case.primary,
        remedy=remedy,
        title=title_of(case.primary),
        a=v.better,
        b=v.other,
        lead=lead,
        low=low,
        high=high,
        corrected=corrected,
        caveat=f"; {v._caveat}" if v._caveat else "",
    )


@rule("order", "liu2014", "holm1979", warns=True)
def order_of_the_models(case: Case) -> Iterator[Statement]:
    """Several models: another one beats the first by another metric, beyond chance.

    The p-values are corrected for the metrics and the models among which one is found (Holm).
    """
    compared, leader = case.compared and case.compared(), case.leader.name
    if not compared or not case.every(case.primary):
        return
    beaten: dict[str, list[str]] = {}
    ahead = {m: names[0] for m in case.headline if (names := case.ordered(m))}
    differences = {
        m: compared.pair(leader, rival).differences.get(m)
        for m, rival in ahead.items()
        if rival != leader
    }
    p = [1.0 if (d := differences.get(m)) is None else d.p_value for m in ahead]
    corrected = holm(np.minimum(np.multiply(p, len(case.models) - 1), 1.0)).tolist()
    for (m, rival), p_value in zip(ahead.items(), corrected, strict=True):
        d = differences.get(m)
        if d is not None and (d.low > 0 or d.high < 0) and p_value < 1 - case.level:
            beaten.setdefault(rival, []).append(m)
    for rival, metrics in beaten.items():
        yield Statement(
            f"{{model}} is first by {{title}} ({{{case.primary}}}), but {{rival}} is better by "
            "{against}.",
            case.primary,
            *metrics,
            remedy=" Choose the metric that fits your use before you compare.",
            title=title_of(case.primary),
            rival=rival,
            against=listed([title_of(m) for m in metrics]),
        )


# -- which threshold ---------------------------------------------------------------------------


def everyone(threshold: float, tally: ScoreTally) -> str:
    """Return that a threshold predicts every row positive, if it does."""
    return ", where every row is called positive" if threshold <= tally.scores.min() else ""


def _present(case: Case) -> Number | str:
    """Return the present threshold of the leading model as a sentence shows it."""
    present = case.leader.threshold
    return "as given" if present is None else Cut.of(present, case.leader.scores[0])


def _already_best(case: Case, threshold: float) -> bool:
    """Return whether the leading model decides alike at a threshold and at the present one."""
    scores, present = case.leader.scores[0].scores, case.leader.threshold
    if present is None:
        return False
    first, second = np.searchsorted(scores, [present, threshold])
    return bool(first == second)


@rule("threshold", "elkan2001", "efron1983", signal=True)
def cheapest_threshold(case: Case) -> Iterator[Statement]:
    """If the costs are known, say whether another threshold would cost less on new rows."""
    costs = known_costs(case)
    moved = case.moved("expected_cost", **costs) if costs else None
    if moved is None:
        return
    everybody = everyone(moved.best.threshold, case.leader.scores[0])
    numbers: dict[str, Any] = {
        "threshold": Cut.of(moved.best.threshold, case.leader.scores[0]),
        "cost": moved.best.best.corrected,
        "gain": moved.gain,
        "now": present_cost(case, costs),
    }
    if case.advised_threshold is not None:
        yield Statement(
            f"At these costs, move the threshold of {{model}} from {{present}} to {{threshold}}"
            f"{everybody}: on new rows expect a cost of {{cost}} per row, {{gain}} less than now "
            "({now} on these rows).",
            "expected_cost",
            present=_present(case),
            **numbers,
        )
    elif moved.gain.low > 0:
        yield Statement(
            "At these costs, a threshold of {threshold} for {model} is expected to cost {cost} per "
            "row on new rows, {gain} less than now ({now} on these rows), but is not shown to cost "
            "less than {way} ({constant}; {by} {side}).",
            "expected_cost",
            **numbers,
            **cheaper_constant(case, costs),
            **sided(moved.over_constant, "less", "more"),
        )
    elif _already_best(case, moved.best.threshold):
        yield Statement(
            "At these costs, {threshold} is already the cheapest threshold of {model} on these "
            f"rows{everybody}.",
            "expected_cost",
            threshold=_present(case),
        )
    else:
        start = "keep the threshold of {model} at {present}: "
        if decided_by(case.counted, case.leader) == "chosen":
            start = "no threshold of {model} is shown to beat {present}, chosen on these rows: "
        yield Statement(
            f"At these costs, {start}the best one on these "
            f"rows, {{threshold}}{everybody}, is not shown to cost less on new rows ({{by}} "
            "{side} per row).",
            "expected_cost",
            present=_present(case),
            threshold=numbers["threshold"],
            **sided(moved.gain, "less", "more"),
        )


GOALS = {
    "missed": (
        "sensitivity",
        FOUND,
        "specificity",
        f"find at least {100 * FOUND:g} % of the positives",
    ),
    "false alarms": (
        "false_positive_rate",
        ALARMS,
        "sensitivity",
        f"keep false alarms at {100 * ALARMS:g} % of the negatives or fewer",
    ),
}
"""For each error that may be worse: the limited rate, its limit, the optimised metric, the goal."""


def at_limit(case: Case, worse: str) -> OptimalThreshold | None:
    """Return the threshold within the limit of the worse error."""
    limited, limit, best, _ = GOALS[worse]
    return case.choice(best, {limited: limit})


def _sure(case: Case, worse: str, choice: OptimalThreshold) -> Value | None:
    """Return the optimised rate at the threshold that keeps the limit with confidence.

    None if there is no such threshold, or it calls every row positive.
    """
    t, sure = case.leader.scores[0], choice.confident
    if sure is None or math.isnan(sure) or everyone(sure, t):
        return None
    statistic = Statistic.of(get(GOALS[worse][2]), t.labels, t.positive)
    at = Single(t.at(sure))
    options: dict[str, Any] = {"level": case.level, "seed": case.seed}
    return interval({"": statistic}, at, stratified=case.stratified, **options)[""].value()


def _threshold_at_limit(case: Case, worse: str) -> Iterator[Statement]:
    limited, limit, best, goal = GOALS[worse]
    choice = at_limit(case, worse) if case.answers.worse == worse else None
    if choice is None or known_costs(case):
        return
    t, sure = case.leader.scores[0], _sure(case, worse, choice)
    confident: dict[str, Any] = {}
    if sure is not None and choice.confident is not None:
        start = (
            f"To {goal}, set the threshold of {{model}} to {{sure}}, which does so on new rows "
            f"with {{level}} confidence ({title_of(best)} {{at_sure}} on these rows)."
        )
        confident = {"sure": Cut.of(choice.confident, t), "at_sure": sure}
    elif choice.confident is None:
        start = (
            f"To {goal} with {{level}} confidence, no threshold of {{model}} is known where rows "
            "come in clusters."
        )
    else:
        start = (
            f"To {goal} with {{level}} confidence, {{model}} needs at least {{needed}} "
            f"{'positives' if worse == 'missed' else 'negatives'} without an error."
        )
        confident = {"needed": rows_to_keep(1 - limit if worse == "missed" else limit, case.level)}
    if sure is not None and choice.confident == choice.threshold:
        end = f" Expect {title_of(limited)} {{kept}} and {title_of(best)} {{best}} there."
    else:
        fails = "may fail on new ones"
        if not math.isnan(choice._kept):
            fails = f"fails on new ones {in_samples(1 - choice._kept)}"
        end = (
            f" The threshold that just does so on these rows, {{threshold}}"
            f"{everyone(choice.threshold, t)}, {fails}: expect {title_of(limited)} {{kept}} and "
            f"{title_of(best)} {{best}} there."
        )
        confident["threshold"] = Cut.of(choice.threshold, t)
    yield Statement(
        f"{start}{end}",
        limited,
        best,
        level=Share(case.level),
        kept=choice.limits[0].corrected,
        best=choice.best.corrected,
        **confident,
    )


@rule("threshold", "clopper1934", "efron1983", signal=True)
def threshold_that_finds(case: Case) -> Iterator[Statement]:
    """A missed positive hurts more, costs are unknown: the highest threshold that finds most."""
    return _threshold_at_limit(case, "missed")


@rule("threshold", "clopper1934", "efron1983", signal=True)
def threshold_that_spares(case: Case) -> Iterator[Statement]:
    """A false alarm hurts more, costs are unknown: the lowest threshold with few of them."""
    return _threshold_at_limit(case, "false alarms")


@rule("threshold", "youden1950", "efron1983", binary=True, uses=DECISIONS, signal=True)
def threshold_without_costs(case: Case) -> Iterator[Statement]:
    """The costs of errors are unknown: whether the threshold of the best J is better."""
    if case.answers.worse or known_costs(case) or case.leader.threshold is None:
        return
    moved = case.moved("youden_j")
    if moved is None:
        return
    common: dict[str, Any] = {
        "present": _present(case),
        "threshold": Cut.of(moved.best.threshold, case.leader.scores[0]),
    }
    if moved.gain.low > 0:
        yield Statement(
            "If sensitivity and specificity matter equally, move the threshold of {model} from "
            "{present} to {threshold}, which raises Youden's J by {gain} on new rows. Else state "
            "the costs of both errors.",
            "youden_j",
            gain=moved.gain,
            **common,
        )
    elif _already_best(case, moved.best.threshold):
        yield Statement(
            "By Youden's J, {threshold} is already the best threshold of {model} on these rows.",
            "youden_j",
            threshold=_present(case),
        )
    else:
        yield Statement(
            "Keep the threshold of {model} at {present}: the best one on these rows, {threshold}, "
            "is not shown to do better on new rows (Youden's J {side} by {by}).",
            "youden_j",
            **common,
            **sided(moved.gain, "higher", "lower"),
        )


# -- what would sharpen this advice ------------------------------------------------------------


@rule("question", "tharwat2018", binary=True)
def ask_prevalence(case: Case) -> Iterator[Statement]:
    """The prevalence in the field is unknown: how it would change precision.

    Of a ranking no decision is in force, so it is the average precision.
    """
    metric = "average_precision" if case.answers.use == "ranking" else "precision"
    here = case.of_leader(metric)
    if case.answers.prevalence is not None or case.stratified or here is None:
        return
    moved = {p: case.at(metric, p) for p in FIELD}
    apart = {p: abs(v.value - here.value) for p, v in moved.items()}
    p = max(apart, key=lambda p: -1.0 if math.isnan(apart[p]) else apart[p])
    if apart[p] > CLOSE:
        yield Statement(
            "Are positives as common in the field as here ({positives})? At a prevalence of "
            f"{{field}}, {within_sentence(get(metric).title)} of {{model}} is {{there}} instead of "
            "{here}.",
            metric,
            field=Share(p),
            there=moved[p],
            here=here,
        )


@rule("question", "elkan2001", binary=True, uses=DECISIONS, signal=True)
def ask_costs(case: Case) -> Iterator[Statement]:
    """The costs are unknown: what another threshold would save at two ratios of them."""
    if case.answers.cost_fp is not None:
        return
    t, parts, values = case.leader.scores[:1], list[str](), dict[str, Any]()
    for name, c in zip(("first", "second"), sorted(COSTS, reverse=True), strict=True):
        moved = case.moved("expected_cost", cost_fp=1.0, cost_fn=c)
        if moved is None or not moved.gain.low > 0:
            continue
        at = f"{{{name}}}{everyone(moved.best.threshold, t[0])}"
        end = ""
        if not beats_constant(case, moved):
            constant = cheaper_constant(case, {"cost_fp": 1.0, "cost_fn": c})
            end = f", not shown to beat {constant['way']}"
        first = f"{'a missed positive' if c > 1 else 'a false alarm'} costs {{times}} times "
        first += "a false alarm" if c > 1 else "a missed positive"
        parts.append(
            f"for the reverse ratio {at} saves {{{name}_gain}}{end}"
            if parts
            else f"If {first}, a threshold of {at} saves {{{name}_gain}} per row on new rows{end}"
        )
        unit = min(1.0, c)  # in units of the cheaper error
        gain = moved.gain
        gain = replace(gain, value=gain.value / unit, low=gain.low / unit, high=gain.high / unit)
        values |= {
            name: Cut.of(moved.best.threshold, t[0]),
            f"{name}_gain": gain,
        }
    if parts:
        yield Statement(
            f"What does each error cost? {'; '.join(parts)} (unit: the cheaper error).",
            "expected_cost",
            times=max(COSTS),
            **values,
        )


@rule("question", "liu2014", binary=True, uses=[None])
def ask_use(case: Case) -> Iterator[Statement]:
    """The use is unknown, and each use has its own metric."""
    if all(m.probabilities for m in case.models):
        yield Statement(
            "Do you use decisions, the ranking or probabilities? Each has its own number: MCC "
            "({matthews_corrcoef}), ROC area ({roc_auc}) and Brier score ({brier}"
            f"{CONSTANT}).",
            "matthews_corrcoef",
            "roc_auc",
            "brier",
            constant=case.constant_brier,
        )


@rule("question", "clopper1934", binary=True, uses=DECISIONS, signal=True)
def ask_worse(case: Case) -> Iterator[Statement]:
    """It is unknown which error is worse, and so are the costs."""
    if case.answers.worse is not None or case.answers.cost_fp is not None:
        return
    parts, values = list[str](), dict[str, Any]()
    for worse, name in (("missed", "finds"), ("false alarms", "spares")):
        choice = at_limit(case, worse)
        sure = None if choice is None else _sure(case, worse, choice)
        if choice is not None and choice.confident is not None and sure is not None:
            _, _, best, goal = GOALS[worse]
            does = goal.replace("find ", "finds ").replace("keep ", "keeps ")
            rate = f"{title_of(best)} {{{name}_rate}} on these rows"
            parts.append(f"{'' if parts else 'a threshold of '}{{{name}}} {does} ({rate})")
            values[name] = Cut.of(choice.confident, case.leader.scores[0])
            values[f"{name}_rate"] = sure
    if parts:
        yield Statement(
            "Which error hurts more? With {level} confidence on new rows, "
            f"{', and '.join(parts)}.",
            "sensitivity",
            "false_positive_rate",
            level=Share(case.level),
            **values,
        )
