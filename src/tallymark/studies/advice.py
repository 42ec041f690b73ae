"""What advice is made of: a case, the answers of the user, rules and their statements.

A rule is a function over a :class:`Case` and its declaration: what it looks for, in which section
it speaks, whose finding it rests on. It yields sentences with places for measured numbers; one
without a number, or whose places and numbers do not match, cannot be made.
"""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tallymark.data import CountedRows, Model
from tallymark.display import Display
from tallymark.errors import InputError, check_word, choices
from tallymark.infer.choice import OptimalThreshold, optimal_threshold
from tallymark.infer.clustered import Clustered
from tallymark.infer.sampler import class_rows
from tallymark.metric import METRICS, get
from tallymark.metric.measure import Value, fields_of, plain_data
from tallymark.studies.prevalence import prevalence_curve
from tallymark.studies.redundancy import Redundancy, redundancy

SECTIONS = {
    "report": "What to report",
    "misleads": "What could mislead here",
    "same": "What says the same again",
    "order": "Which model is better",
    "threshold": "Which threshold",
    "question": "What would sharpen this advice",
}
USES = ("decisions", "ranking", "probabilities")
ERRORS = ("missed", "false alarms")
_ANY_USE = (None, *USES)

THRESHOLD_DRAWS = 120


@dataclass(frozen=True, slots=True)
class Answers:
    """What the user says of the use: at most four answers, None where a question is open.

    ``use``: what is used of the classifier, its "decisions", the "ranking" of its scores, or the
    scores as "probabilities". ``cost_fp`` and ``cost_fn``: the cost of a false alarm and of a
    missed positive. ``prevalence``: the share of positives in the field. ``worse``: which error
    hurts more, "missed" or "false alarms".
    """

    use: str | None = None
    cost_fp: float | None = None
    cost_fn: float | None = None
    prevalence: float | None = None
    worse: str | None = None

    def __post_init__(self) -> None:
        if self.use is not None:
            check_word("use", self.use, USES)
        if self.worse is not None:
            check_word("worse", self.worse, ERRORS)
        if (self.cost_fp is None) != (self.cost_fn is None):
            raise InputError("one cost alone says nothing; give both cost_fp and cost_fn")
        for name, cost in (("cost_fp", self.cost_fp), ("cost_fn", self.cost_fn)):
            if cost is not None and not (cost >= 0 and math.isfinite(cost)):
                raise InputError(f"{name} is {cost!r}; a cost is a number from 0 up")
        if self.cost_fp == self.cost_fn == 0:
            raise InputError("cost_fp and cost_fn are both 0; then every decision is as good")
        if self.prevalence is not None and not 0 < self.prevalence < 1:
            raise InputError(
                f"prevalence is {self.prevalence!r}; the share of positives lies between 0 and 1"
            )


class Share(float):
    """A share, shown in per cent."""


Number = Value | float | int | Mapping[str, Value]
"""What a sentence may cite: a value, a number, a share, or a metric's value for each model."""


@dataclass(frozen=True, slots=True, repr=False)
class Statement(Display):
    """One piece of advice: the sentence, the numbers in it, and the rule that said it."""

    rule: str
    section: str
    text: str
    numbers: Mapping[str, Number]
    metrics: tuple[str, ...]
    sources: tuple[str, ...]
    model: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return fields_of(self)


@dataclass(frozen=True, slots=True)
class Said:
    """What a rule yields: see :func:`say`."""

    sentence: str
    metrics: tuple[str, ...]
    model: str | None
    about: str | None
    values: Mapping[str, Number | str]


def say(
    sentence: str, *metrics: str, model: str | None = None, about: str | None = None,
    **values: Number | str,
) -> Said:  # fmt: skip
    """Return a sentence with places {like this} for the ``values``, which are numbers or words.

    Places without a value are looked up, and where one is undefined nothing is said: {model} is
    the leading model, {positives} their share, {where} what it is a share of, {draws} the number
    of resamples, and the name of a metric is its value, of the model that the sentence names or,
    without one, of every model. ``metrics`` are those that the sentence is of, by default those
    that it cites; ``about`` the model, where the sentence does not name it as {model}.
    """
    return Said(sentence, metrics, model, about, values)


@dataclass(frozen=True, slots=True)
class Rule:
    """When something is to be said, and on whose finding: the code names it in all outputs.

    A ``binary`` rule speaks of two classes only; one with ``uses`` where what is used of the
    classifier is one of these, None being an open question.
    """

    code: str
    section: str
    when: str
    sources: tuple[str, ...]
    find: Callable[[Case], Iterable[Said]]
    binary: bool = False
    uses: Sequence[str | None] | None = None

    def __call__(self, case: Case) -> list[Statement]:
        """Return what the rule says of a case: nothing where it does not apply."""
        if (self.binary and not case.binary) or case.answers.use not in (self.uses or _ANY_USE):
            return []
        made = (self._statement(case, said) for said in self.find(case))
        return [statement for statement in made if statement is not None]

    def _statement(self, case: Case, said: Said) -> Statement | None:
        places = [name for _, name, _, _ in string.Formatter().parse(said.sentence) if name]
        model = said.model or (case.leader.name if "model" in places else None)
        values: dict[str, Any] = {}
        for name in dict.fromkeys([*places, *said.values]):
            value = said.values[name] if name in said.values else case.cited(name, model)
            if value is None:
                return None
            values[name] = value
        numbers = {k: v for k, v in values.items() if not isinstance(v, str)}
        if not numbers or len(values) > len(set(places)):
            raise ValueError(f"{said.sentence!r} does not cite {sorted(values)}")
        text = said.sentence.format(
            **{k: v if isinstance(v, str) else shown(v) for k, v in values.items()}
        )
        metrics = said.metrics or tuple(m for m in numbers if m in METRICS)
        return Statement(
            self.code, self.section, text, numbers, metrics, self.sources, said.about or model
        )


@dataclass(frozen=True)
class Case:
    """What the rules look at: the tallies, every value with its interval, and the answers."""

    counted: CountedRows
    values: Mapping[str, Mapping[str, Value]]
    answers: Answers = field(default_factory=Answers)
    level: float = 0.95
    seed: int = 0
    stratified: bool = False
    """Whether the shares of the classes are assumed, as of an evaluation in the field."""
    _choices: dict[str, OptimalThreshold | None] = field(default_factory=dict)

    @property
    def models(self) -> tuple[Model, ...]:
        """The models, in the user's order."""
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
        """How many rows of the positive class and of the other there really are."""
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

    def cited(self, place: str, model: str | None) -> Any:
        """Return what stands at a place of a sentence; None where it is undefined."""
        if place == "model":
            return model
        if place == "positives":
            return Share(self.prevalence)
        if place == "where":
            return "in the field, as assumed" if self.stratified else "of the rows"
        if place == "draws":
            return self.redundancy.draws
        if model is None:
            return self.every(place) or None
        return self.of(next(m for m in self.models if m.name == model), place)

    @property
    def primary(self) -> str:
        """The metric that orders the models unless the user's answers name another."""
        use = self.answers.use
        if use == "probabilities" and self.every("log_loss"):
            return "log_loss"
        if use == "ranking" and self.every("roc_auc"):
            return "roc_auc"
        return "matthews_corrcoef"

    def every(self, metric: str) -> dict[str, Value]:
        """Return a metric's value of each model; empty unless it is defined for all of them."""
        values = {m.name: self.values[m.name].get(metric) for m in self.models}
        defined = {k: v for k, v in values.items() if v is not None and not v.reason}
        return defined if len(defined) == len(values) else {}

    def of(self, model: Model, metric: str) -> Value | None:
        """Return a metric of a model, None where it is missing, undefined or infinite."""
        v = self.values[model.name].get(metric)
        return None if v is None or v.reason or math.isinf(v.value) else v

    @cached_property
    def leader(self) -> Model:
        """The model that is first by the primary metric; the first of the user's if undefined."""
        values = self.every(self.primary)
        if not values:
            return self.models[0]
        sign = -1 if get(self.primary).better == "low" else 1
        name = max(values, key=lambda k: sign * values[k].value)
        return next(m for m in self.models if m.name == name)

    def each(self, *metrics: str) -> Iterator[tuple[str, list[Value]]]:
        """Yield the name and these metrics of each model that has them all."""
        for model in self.models:
            values = [v for m in metrics if (v := self.of(model, m)) is not None]
            if len(values) == len(metrics):
                yield model.name, values

    @cached_property
    def redundancy(self) -> Redundancy:
        """How the leading model's metrics move together."""
        return redundancy(
            self.leader, self.counted.classes, self.counted.positive, seed=self.seed,
            stratified=self.stratified,
        )  # fmt: skip

    def correlation(self, a: str, b: str) -> float:
        """Return how two metrics of the leading model move together, NaN where that is unknown."""
        r = self.redundancy
        return r.between(a, b) if a in r.metrics and b in r.metrics else math.nan

    def at(self, model: Model, metric: str, prevalence: float) -> Value:
        """Return a metric of the decisions, with bounds, where positives have another share."""
        c = prevalence_curve(
            model, metric, self.counted.positive, at=np.array([prevalence]), level=self.level,
            seed=self.seed,
        )  # fmt: skip
        if self.counted.clusters:
            c = c.unbounded()
        low, high = (math.nan if v is None else float(v[0]) for v in (c.low, c.high))
        return Value(c.y_metric, float(c.y[0]), low, high, level=self.level)

    def choice(
        self,
        metric: str,
        within: Mapping[str, float] | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> OptimalThreshold | None:
        """Return the leading model's best threshold; None without scores or where there is none."""
        key = repr((metric, within, params))
        if key not in self._choices:
            best = None
            if self.binary and self.leader.scores:
                best = optimal_threshold(
                    self.leader.scores[0], metric, within=within, seed=self.seed,
                    draws=THRESHOLD_DRAWS, stratified=self.stratified, clustered=self.clustered,
                    **(params or {}),
                )  # fmt: skip
            usable = best is not None and math.isfinite(best.threshold)
            self._choices[key] = best if usable else None
        return self._choices[key]

    @cached_property
    def clustered(self) -> Clustered | None:
        """The leading model's rows in their clusters, None where every row stands alone."""
        if not self.counted.clusters:
            return None
        return Clustered.of(
            self.counted, self.leader.name, seed=self.seed, stratified=self.stratified
        )


@dataclass(frozen=True, repr=False)
class Advice(Display):
    """What the rules say of one case, section by section.

    ``str(advice)`` is what the terminal shows; ``statements`` are the sentences with the numbers
    that they cite, the rules that said them and their sources.
    """

    statements: tuple[Statement, ...]
    answers: Answers
    level: float

    def section(self, name: str) -> tuple[Statement, ...]:
        """Return the statements of one section of :data:`SECTIONS`."""
        if name not in SECTIONS:
            raise InputError(f"there is no section {name!r}; {choices(name, SECTIONS)}")
        return tuple(s for s in self.statements if s.section == name)

    def metrics(self) -> tuple[str, ...]:
        """Return the metrics that are worth reporting, each once."""
        return tuple(dict.fromkeys(m for s in self.section("report") for m in s.metrics))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"answers": fields_of(self.answers), "statements": plain_data(self.statements)}


def shown(number: Number) -> str:
    """Return a cited number as the sentence shows it."""
    if isinstance(number, Value):
        if math.isnan(number.low):
            return short(number.value)
        return f"{short(number.value)} [{short(number.low)}, {short(number.high)}]"
    if isinstance(number, Mapping):
        values = list(number.items())
        if len(values) == 1:
            return shown(values[0][1])
        if len(values) <= 3:
            return ", ".join(f"{name} {short(v.value)}" for name, v in values)
        low, high = (f(values, key=lambda kv: kv[1].value) for f in (min, max))
        return f"{short(low[1].value)} ({low[0]}) to {short(high[1].value)} ({high[0]})"
    if isinstance(number, Share):
        return f"{100 * number:.3g} %"
    return short(number)


def short(x: float) -> str:
    """Return a number with three digits that matter, counts in full."""
    if isinstance(x, int) or (float(x).is_integer() and abs(x) >= 1):
        return f"{int(x):,}"
    return f"{x:.3f}" if 0.001 <= abs(x) < 100 else f"{x:.3g}"
