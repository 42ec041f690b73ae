"""Which metrics react to a named failure, and with what power, by samples drawn from the tally.

A sample of n rows is a multinomial draw over the cells of a score and a true class. A failure
changes the cells, the scores or the threshold, never the metric.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.contract import TEXT, Kind, checked, number
from tallymark.display import Display, Document, load
from tallymark.errors import InputError
from tallymark.infer.sampler import DRAWS, Sampler, moments, percentile_bounds
from tallymark.listing import Listing
from tallymark.metric import Metric, get
from tallymark.metric.measure import Statistic, fields_of, plain_data
from tallymark.metric.registry import OF_DECISIONS, OF_WHOLE_ROWS
from tallymark.reading.models import CountedRows, Model
from tallymark.studies.study import LIU
from tallymark.tally.arrays import Floats
from tallymark.tally.scores import ScoreCounts

MEASURES = (
    *LIU, "sensitivity", "specificity", "precision", "mcc", "balanced_accuracy", "brier",
    "log_loss", "h_measure", "ks", "top_decile_lift", "ece",
)  # fmt: skip
"""Metrics that are judged unless others are named: first the seven of Liu et al. (2014)."""

DRAWS_OF_LIMITS = 4
"""The limits rest on so many times the draws: every failure is held against them."""

GROUPS = 400
"""Of more distinct scores neighbours are drawn as one, with their mean score: as the grouping of
resampled intervals does, each class keeps half of the cuts."""

SURE = 0.8
"""The power from which a failure counts as noticed."""

ERRORS = 4.0
"""So many Monte Carlo errors a mean must move by to count as moved."""

Effect = Literal["worse", "better", "higher", "lower", "noisier", "none", "undefined"]


# -- failures ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Population:
    """Rows that samples are drawn from: the weights of both classes at each score.

    ``scores`` (G,) ascending; ``pos`` and ``neg`` (G,); scores at or above ``threshold`` are called
    positive. Of decisions alone the scores are 0 and 1.
    """

    scores: Floats
    pos: Floats
    neg: Floats
    threshold: float

    @property
    def cut(self) -> int:
        """The first score that is called positive."""
        return int(np.searchsorted(self.scores, self.threshold))

    def grouped(self, starts: NDArray[np.intp]) -> Population:
        """Return neighbouring scores as one, their mean, from each start to the next."""
        if len(starts) == len(self.scores):
            return self
        pos, neg = (np.add.reduceat(v, starts) for v in (self.pos, self.neg))
        ends = np.append(starts[1:], len(self.scores))
        total = np.repeat(pos + neg, ends - starts)
        shares = np.divide(self.pos + self.neg, total, out=np.zeros_like(total), where=total > 0)
        means = np.add.reduceat(shares * self.scores, starts)
        means = np.clip(means, self.scores[starts], self.scores[ends - 1])
        return Population(means, pos, neg, self.threshold)


Change = Callable[[Population, float], Population | str]


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure by its name: what it does at a strength, and what it is in words.

    ``change`` returns the population as the failure leaves it, or why it cannot. ``needs`` is
    "decisions", "scores" or "probabilities".
    """

    name: str
    change: Change
    default: float
    limits: Kind
    words: str
    needs: str = "decisions"

    def told(self, strength: float) -> str:
        """Return what the failure does at a strength, in words."""
        shown = f"{100 * strength:g} %" if self.limits is _SHARE else f"{strength:g}"
        return self.words.format(shown)


_SHARE = number("(0, 1]", "a share above 0, such as 0.1")
_TIMES = number("(0, 1e6]", "how many times as many, such as 10")
_SHRINK = number("(0, 1)", "a factor between 0 and 1, such as 0.5")
_STRETCH = number("(1, 1e3]", "a factor above 1, such as 2")

FAILURES: dict[str, Failure] = {}
"""Every failure by its name."""


def failure(
    words: str, default: float, limits: Kind, needs: str = "decisions"
) -> Callable[[Change], Change]:
    """Register a function as a failure under its name."""

    def register(change: Change) -> Change:
        name = change.__name__
        FAILURES[name] = Failure(name, change, default, limits, words, needs)
        return change

    return register


@failure("negatives {} times as frequent", 10.0, _TIMES)
def skew(p: Population, factor: float) -> Population:
    """Return ``factor`` times the negatives: neg' = factor · neg, TPR and TNR staying."""
    return replace(p, neg=p.neg * factor)


@failure("{} of the true labels flipped", 0.1, _SHARE)
def label_noise(p: Population, share: float) -> Population:
    """Return pos' = (1 − share) · pos + share · neg, and neg' likewise."""
    return _mixed(p, share, p.neg, p.pos)


@failure("{} of the positives with scores of negatives", 0.1, _SHARE)
def drift(p: Population, share: float) -> Population:
    """Return pos' = (1 − share) · pos + share · P · neg / N."""
    return _mixed(p, share, p.neg / p.neg.sum() * p.pos.sum(), p.neg)


@failure("{} of the negatives with scores of positives", 0.1, _SHARE)
def lookalikes(p: Population, share: float) -> Population:
    """Return neg' = (1 − share) · neg + share · N · pos / P."""
    return _mixed(p, share, p.pos, p.pos / p.pos.sum() * p.neg.sum())


@failure("{} of the rows with scores of any row", 0.1, _SHARE)
def random_scores(p: Population, share: float) -> Population:
    """Return pos' = (1 − share) · pos + share · P · m, neg' likewise, m the shares of all rows."""
    of_all = (p.pos + p.neg) / (p.pos.sum() + p.neg.sum())
    return _mixed(p, share, of_all * p.pos.sum(), of_all * p.neg.sum())


@failure("a threshold that calls {} fewer rows positive", 0.1, _SHARE, "scores")
def threshold_shift(p: Population, share: float) -> Population | str:
    """Return the highest threshold that calls at least (1 − share) as many rows positive."""
    called = (p.pos + p.neg)[::-1].cumsum()[::-1]
    if p.cut == len(called):
        return "finds no row that is called positive"
    kept = (1 - share) * called[p.cut] * (1 - 1e-12)
    place = int(np.flatnonzero(called >= kept)[-1])
    if place == p.cut:
        return (
            "has no next threshold: the rows at the lowest score called positive are more than "
            f"{100 * share:g} % of those called positive; give a larger share"
        )
    return replace(p, threshold=float(p.scores[place]))


@failure("distances of probabilities from 0.5 multiplied by {}", 0.5, _SHRINK, "probabilities")
def squashed_scores(p: Population, factor: float) -> Population:
    """Return p' = 0.5 + factor · (p − 0.5): the order stays, and so do decisions at 0.5."""
    return replace(p, scores=0.5 + factor * (p.scores - 0.5))


@failure("log odds of probabilities multiplied by {}", 2.0, _STRETCH, "probabilities")
def overconfident(p: Population, factor: float) -> Population:
    """Return logit p' = factor · logit p: the order stays, and so do decisions at 0.5."""
    with np.errstate(divide="ignore", over="ignore"):
        odds = ((1 - p.scores) / p.scores) ** factor
    return replace(p, scores=1 / (1 + odds))


def _mixed(p: Population, share: float, pos: Floats, neg: Floats) -> Population:
    """Return a population of which a share of each class is distributed in another way."""
    return replace(p, pos=(1 - share) * p.pos + share * pos, neg=(1 - share) * p.neg + share * neg)


def strengths_of(asked: Any) -> dict[str, float]:
    """Return failures with their strengths: all of them, those named, or those of a mapping."""
    if asked is None:
        return {name: f.default for name, f in FAILURES.items()}
    given: Mapping[Any, Any] = asked if isinstance(asked, Mapping) else dict.fromkeys(asked)
    if not given:
        raise InputError(f"failures names none; give some of {', '.join(map(repr, FAILURES))}")
    made = {}
    for name, strength in given.items():
        _check_failure(TEXT.of("failure", name), FAILURES)
        f = FAILURES[name]
        made[name] = f.default if strength is None else float(f.limits.of(name, strength))
    return made


def _check_failure(name: str, known: Mapping[str, Any]) -> None:
    if name not in known:
        names = ", ".join(map(repr, known))
        raise InputError(f"there is no failure {name!r}; there are {names}")


# -- results -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class Reaction(Display):
    """What a failure does to a metric.

    ``value`` is the metric of the rows as they are. ``expected`` is its mean over samples with the
    failure, ``change`` that less the mean over samples without it. ``power`` is the share of
    samples with the failure whose value lies outside ``limits``, the central values of samples
    without it, and ``error`` its Monte Carlo standard error, that of the limits included. An
    undefined value is not outside; ``undefined`` is the share of such samples.

    ``effect`` is "worse" or "better", or "higher" or "lower" of a metric without a better
    direction; "none" where the power is below twice the rate of samples without the failure;
    "noisier" where it is not, but the mean does not move by four Monte Carlo errors; "undefined"
    where more than half of the samples have no value.
    """

    failure: str
    metric: str
    value: float
    expected: float
    change: float
    power: float
    error: float
    limits: tuple[float, float]
    undefined: float
    effect: Effect

    @property
    def noticed(self) -> bool:
        """Whether the power is 80 % or more."""
        return self.power >= SURE

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return fields_of(self)


@checked
@dataclass(frozen=True, slots=True, repr=False)
class Lab(Document):
    """What :meth:`tallymark.Evaluation.lab` found: which metrics react to which failure.

    ``lab["skew"]["accuracy"]`` is one :class:`Reaction`. ``failures`` holds the strength of each;
    ``n`` the rows of a sample. ``rate_without_failure`` is, by metric, the share of samples without
    a failure that lie outside the limits, which is 1 - ``level`` but for chance and for ties.
    ``left_out`` says why failures and metrics do not apply, and ``notes`` what to know of the rows.
    """

    source: str
    model: str
    rows: int
    n: int
    draws: int
    level: float
    seed: int
    failures: Mapping[str, float]
    reactions: tuple[Reaction, ...]
    rate_without_failure: Mapping[str, float]
    left_out: Mapping[str, str]
    notes: tuple[str, ...] = ()

    def __getitem__(self, failure: str) -> dict[str, Reaction]:
        _check_failure(failure, self.failures)
        return {r.metric: r for r in self.reactions if r.failure == failure}

    def sentence(self, failure: str) -> str:
        """Say of a failure which metrics notice it, which do not and which look better."""
        found = self[failure].values()
        what = FAILURES[failure].told(self.failures[failure])
        return str(load("words:reactions")(failure, what, found))

    def table(self) -> Listing:
        """Return a row a failure and metric: values, change, power and effect."""
        rows = []
        for r in self.reactions:
            low, high = r.limits
            rows.append({
                "model": self.model, "failure": r.failure, "strength": self.failures[r.failure],
                "metric": r.metric, "value": r.value, "expected": r.expected, "change": r.change,
                "power": r.power, "error": r.error, "low": low, "high": high,
                "undefined": r.undefined, "effect": r.effect,
            })  # fmt: skip
        return Listing(tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, as ``schema/lab.schema.json`` describes."""
        return {
            **self._heading("lab"), **fields_of(self, "reactions"),
            "sentences": {name: self.sentence(name) for name in self.failures},
            "reactions": plain_data(self.reactions),
        }  # fmt: skip


# -- the measurement ---------------------------------------------------------------------------


def lab(
    counted: CountedRows, *, failures: Any = None, metrics: Sequence[str | Metric] | None = None,
    n: int | None = None, draws: int = DRAWS, level: float = 0.95, seed: int = 0,
) -> Lab:  # fmt: skip
    """Return which metrics of the one model react to failures: see :meth:`Evaluation.lab`."""
    strengths, model = strengths_of(failures), counted.models[0]
    if metrics is not None and not metrics:
        raise InputError("metrics names none; name some, or leave metrics=... out")
    bench = _Bench(counted, model, _rows(counted, n), draws, level, Sampler(seed))
    left_out: dict[str, str] = {}
    chosen = bench.applicable([*map(get, MEASURES if metrics is None else metrics)], left_out)
    failed: dict[str, Population] = {}
    for name, strength in strengths.items():
        found = bench.failed(FAILURES[name], strength)
        if isinstance(found, str):
            left_out[name] = found
        else:
            failed[name] = found
    if not failed:
        name = next(iter(strengths))
        raise InputError(f"no failure applies to {model.name}: {name} {left_out[name]}")
    reactions, rates = bench.reactions(chosen, failed)
    return Lab(
        source=counted.source.name, model=model.name, rows=counted.rows, n=bench.n, draws=draws,
        level=level, seed=seed, failures={name: strengths[name] for name in failed},
        reactions=tuple(reactions), rate_without_failure=rates, left_out=left_out,
        notes=tuple(_notes(counted)),
    )  # fmt: skip


def _rows(counted: CountedRows, n: int | None) -> int:
    if counted.positive is None:
        raise InputError(
            f"the lab needs two classes, one of them positive, and there are {len(counted.classes)}"
        )
    of_class = dict(
        zip(counted.classes, counted.models[0].labels.counts.sum(1).tolist(), strict=True)
    )
    for label, rows in of_class.items():
        if not rows > 0:
            raise InputError(f"no row is truly {label!r}; the lab needs rows of both classes")
    return counted.rows if n is None else n


def _notes(counted: CountedRows) -> Iterator[str]:
    if counted.clusters:
        yield (
            "Rows come in clusters, and samples are drawn row by row: the power of samples of "
            "whole clusters is lower."
        )
    if counted.weighted:
        yield "Rows are drawn by their weights, and every drawn row counts the same."


@dataclass(eq=False)
class _Bench:
    """The rows of one model, the samples drawn from them, and the metrics of both."""

    counted: CountedRows
    model: Model
    n: int
    draws: int
    level: float
    sampler: Sampler

    @cached_property
    def rows(self) -> Population:
        """The rows as they are."""
        if not self.model.scores:
            positive, labels = self.counted.positive, self.model.labels
            c = labels.binary(positive)
            pos, neg = np.array([c.fn, c.tp]), np.array([c.tn, c.fp])
            return Population(np.array([0.0, 1.0]), pos, neg, 0.5)
        if self.model.threshold is None:
            raise InputError(
                f"the decisions of {self.model.name} were given beside its scores, and a failure "
                "of scores changes decisions by a threshold; give threshold=..., or leave the "
                "scores or the predictions out"
            )
        r = self.model.scores[0].score_counts
        return Population(r.scores, r.pos, r.neg, self.model.threshold)

    def applicable(
        self, metrics: Sequence[Metric], left_out: dict[str, str]
    ) -> dict[str, Statistic]:
        """Return the metrics that have a value here, and note why others have not."""
        made: dict[str, Statistic] = {}
        for m in metrics:
            if why := self._lacking(m):
                left_out[m.name] = why
            else:
                made[m.name] = Statistic.of(m, self.model.labels.labels, self.counted.positive)
        values = self.values([*made.values()], self.rows) if made else ()
        for name, value in zip(made, values, strict=True):
            if not math.isfinite(value):
                left_out[name] = (
                    f"is {'undefined' if math.isnan(value) else 'infinite'} on these rows"
                )
        made = {name: s for name, s in made.items() if name not in left_out}
        if not made:
            name, why = next(iter(left_out.items()))
            raise InputError(f"no metric applies to {self.model.name}: {name} {why}")
        return made

    def _lacking(self, m: Metric) -> str:
        """Return why there are no samples of a metric, "" where there are."""
        if m.effort:
            return "reads the effort of rows, which samples do not have"
        if m.classes == "many" or m.family == "multi-label":
            return "is not defined for two classes"
        if m.needs in OF_WHOLE_ROWS:
            return "reads whole rows of scores, which samples do not have"
        return "" if self.model.holds(m) else f"needs {m.wanted}"

    def failed(self, f: Failure, strength: float) -> Population | str:
        """Return the rows as a failure leaves them, or why it does not apply."""
        if f.needs != "decisions" and not self.model.scores:
            return f"needs {f.needs}, and there are decisions alone"
        if f.needs == "probabilities" and not self.model.probabilities:
            return "needs probabilities, and the scores are none"
        return f.change(self.rows, strength)

    def values(self, statistics: Sequence[Statistic], p: Population) -> Floats:
        """Return metrics of a whole population (S,), exactly."""
        return self._measured(statistics, ScoreCounts(p.scores, p.pos, p.neg), p.threshold)

    def _measured(
        self, statistics: Sequence[Statistic], r: ScoreCounts, threshold: float
    ) -> Floats:
        """Return metrics of a stack of samples: (S, ...)."""
        labels = self.model.labels.labels
        flip = 1 if labels.index(self.counted.positive) else -1
        matrices = r.at(threshold).matrix()[..., ::flip, ::flip]
        with np.errstate(all="ignore"):
            return np.stack([
                s.of_matrix(matrices, labels)
                if s.metric.needs in OF_DECISIONS
                else s.of_score_counts([r])
                for s in statistics
            ])  # fmt: skip

    def _drawn(
        self, statistics: Sequence[Statistic], p: Population, draws: int, purpose: str
    ) -> Floats:
        """Return metrics of samples from a population: (S, draws)."""
        cells = np.stack([p.pos, p.neg])
        return np.concatenate([
            self._measured(statistics, ScoreCounts(p.scores, *np.moveaxis(some, 1, 0)), p.threshold)
            for some in self.sampler.samples(cells, self.n, draws, purpose)
        ], 1)  # fmt: skip

    def _starts(self, *cuts: int) -> NDArray[np.intp]:
        """Return where groups of neighbouring scores start, decisions being kept apart."""
        size = len(self.rows.scores)
        if not self.model.scores:
            return np.arange(size)
        starts = np.union1d(self.model.scores[0].starts(GROUPS), cuts)
        return starts[starts < size]

    def reactions(
        self, chosen: dict[str, Statistic], failed: dict[str, Population]
    ) -> tuple[list[Reaction], dict[str, float]]:
        """Return what every failure does to every metric, and the rates outside without one."""
        statistics, rows = [*chosen.values()], self.rows
        starts = self._starts(rows.cut)
        value = self.values(statistics, rows).tolist()
        held = self._drawn(statistics, rows.grouped(starts), DRAWS_OF_LIMITS * self.draws, "limits")
        # One stream for all: where a failure leaves the cells as they are, it draws the same.
        without = self._drawn(statistics, rows.grouped(starts), self.draws, "samples")
        limits = [_Limits(v, self.level) for v in held]
        out = []
        for name, p in failed.items():
            # Another threshold is a cut of this failure alone: the others' draws stay.
            cuts, before = self._starts(rows.cut, p.cut), without
            if len(cuts) > len(starts):
                before = self._drawn(statistics, rows.grouped(cuts), self.draws, "samples")
            after = self._drawn(statistics, p.grouped(cuts), self.draws, "samples")
            for s, of_rows, known, *both in zip(
                statistics, value, limits, before, after, strict=True
            ):
                out.append(known.reaction(name, s.metric, of_rows, *both))
        rates = [known.outside(v) for known, v in zip(limits, without, strict=True)]
        return out, dict(zip(chosen, rates, strict=True))


@dataclass(eq=False)
class _Limits:
    """The central values of a metric on samples without failure, and what lies outside."""

    held: Floats
    level: float

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The limits: percentiles of the values without failure."""
        low, high = percentile_bounds(self.held, self.level)
        return float(low), float(high)

    @cached_property
    def _neighbours(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The limits one standard error of their ranks further out, and further in."""
        defined = int(np.count_nonzero(~np.isnan(self.held)))
        tail = (1 - self.level) / 2
        step = 2 * math.sqrt(tail * (1 - tail) / max(defined, 1))
        wider, closer = min(self.level + step, 1.0), max(self.level - step, 0.0)
        out, inside = (percentile_bounds(self.held, level) for level in (wider, closer))
        return (float(out[0]), float(out[1])), (float(inside[0]), float(inside[1]))

    def outside(self, values: Floats, ends: tuple[float, float] | None = None) -> float:
        """Return the share of values outside the limits; an undefined one is not."""
        low, high = self.ends if ends is None else ends
        return float(np.mean((values < low) | (values > high)))

    def error(self, values: Floats) -> float:
        """Return the standard error of the share outside, by both numbers of draws.

        With one draw more outside and one more inside, so that it is never 0.
        """
        share = (self.outside(values) * len(values) + 1) / (len(values) + 2)
        out, inside = (self.outside(values, ends) for ends in self._neighbours)
        # As if both limits were off in the same direction, outwards or inwards: rather too large.
        of_limits = (inside - out) / 2
        return math.sqrt(share * (1 - share) / len(values) + of_limits**2)

    def reaction(
        self, failure: str, metric: Metric, value: float, before: Floats, after: Floats
    ) -> Reaction:
        """Return what a failure does to the metric, by values on samples without it and with it."""
        (mean, spread), (expected, scatter) = (map(float, moments(v)) for v in (before, after))
        change, power = expected - mean, self.outside(after)
        unsure = ERRORS * math.sqrt((spread**2 + scatter**2) / len(after))
        undefined = float(np.mean(np.isnan(after)))
        effect: Effect = "higher" if change > 0 else "lower"
        if undefined > 0.5 or math.isnan(self.ends[0]):
            effect = "undefined"
        elif power < 2 * (1 - self.level):
            effect = "none"
        elif abs(change) <= unsure:
            effect = "noisier"
        elif metric.better != "neither":
            effect = "better" if (change > 0) == (metric.better == "high") else "worse"
        return Reaction(
            failure, metric.name, value, expected, change, power, self.error(after), self.ends,
            undefined, effect,
        )  # fmt: skip
