"""Which metrics detect a simulated failure, and with what power, in samples drawn from a tally.

A sample of n rows is a multinomial draw over the cells of a score and a true class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallymark import Evaluation, InputError
from tallymark.core import (
    CountedRows,
    Floats,
    Metric,
    Model,
    Sampler,
    ScoreCounts,
    Statistic,
    checked,
    contract,
    get,
    moments,
    only,
    percentile_bounds,
)
from tallymark.parts.lab.failures import FAILURES, Failure, Population, strengths_of
from tallymark.parts.lab.results import Effect, Lab, Reaction

MEASURES = (
    "accuracy",
    "kappa",
    "f1",
    "mae",
    "rmse",
    "roc_auc",
    "average_precision",
    "sensitivity",
    "specificity",
    "precision",
    "mcc",
    "balanced_accuracy",
    "brier",
    "log_loss",
    "h_measure",
    "ks",
    "top_decile_lift",
    "ece",
)
"""Metrics that are judged unless others are named: first the seven of Liu et al. (2014)."""

DRAWS_OF_LIMITS = 4
"""Draws for the limits, which every failure is compared with, as a multiple of its own draws."""

GROUPS = 400
"""Of more distinct scores neighbours are drawn as one, with their mean score: as the grouping of
resampled intervals does, each class keeps half of the cuts."""

ERRORS = 4.0
"""Monte Carlo standard errors by which a mean must change to count as changed."""

Function = TypeVar("Function", bound=Callable[..., Any])
_OF_FAILURES = contract.Kind(
    "names of failures such as ['skew'], or their strengths such as {'skew': 5}",
    (contract.mapping("") | contract.TEXTS).read,
)


def _held(function: Function) -> Function:
    """Hold a function to the contract; the decorator itself would hide its type in a stub."""
    return checked(draws=contract.whole(100, 100_000), failures=_OF_FAILURES)(function)


@_held
def lab(
    ev: Evaluation,
    failures: str | Sequence[str] | Mapping[str, float] | None = None,
    *,
    metrics: Sequence[str] | None = None,
    n: int | None = None,
    draws: int = 1000,
) -> Lab:
    """Return which metrics of the one model react to a failure, and with what power.

    New samples are drawn from the counts of these rows, without a failure and with each one.
    Shin, Kim and Han (2016) announce such a comparison of measures as future work.

    Parameters
    ----------
    failures : str, sequence of str, or mapping of names to strengths, optional
        Of :data:`tallymark.parts.lab.failures.FAILURES`, all of them by default: ``skew``,
        ``label_noise``, ``drift``, ``lookalikes``, ``random_scores``, ``threshold_shift``,
        ``squashed_scores`` and ``overconfident``. Such as ``{"skew": 5, "drift": 0.2}``.
    metrics : sequence of str or tm.Statistic, optional
        The seven of Liu et al. (2014) and eleven more unless named.
    n : int, optional
        Rows of a sample, as many as there are here unless given.
    draws : int
        Samples with each failure, from 100 to 100,000. The limits rest on four times as many
        samples without one.

    Returns
    -------
    Lab
        Prints as text; ``lab["skew"]["accuracy"]`` has the value, the mean change and the
        power: the share of samples with the failure in which the metric lies outside the
        central ``level`` of its values on samples of n rows without it.

    Raises
    ------
    InputError
        Other than two classes, or a class without rows; decisions that were given beside
        scores; an unknown failure or a strength out of its range; no metric or no failure that
        applies.

    Examples
    --------
    >>> import tallymark as tm
    >>> ev = tm.evaluate([1] * 200 + [0] * 200, [1] * 150 + [0] * 200 + [1] * 50)
    >>> found = ev.lab("skew", metrics=["accuracy", "specificity", "precision"])
    >>> {metric: (r.effect, round(r.power, 1)) for metric, r in found["skew"].items()}
    {'accuracy': ('none', 0.0), 'specificity': ('none', 0.0), 'precision': ('worse', 1.0)}

    """
    model, counted = only(ev.models), ev._one_column
    strengths = strengths_of(failures)
    if metrics is not None and not metrics:
        raise InputError("metrics names none; name some, or leave metrics=... out")
    bench = _Bench(counted, model, _rows(counted, n), draws, ev.level, Sampler(ev.seed))
    left_out: dict[str, str] = {}
    chosen = bench.applicable([*map(get, MEASURES if metrics is None else metrics)], left_out)
    failed: dict[str, Population] = {}
    for name, strength in strengths.items():
        population = bench.failed(FAILURES[name], strength)
        if isinstance(population, str):
            left_out[name] = population
        else:
            failed[name] = population
    if not failed:
        name = next(iter(strengths))
        raise InputError(f"no failure applies to {model.name}: {name} {left_out[name]}")
    reactions, rates = bench.reactions(chosen, failed)
    return Lab(
        source=counted.source.name,
        model=model.name,
        rows=counted.rows,
        n=bench.n,
        draws=draws,
        level=ev.level,
        seed=ev.seed,
        failures={name: strengths[name] for name in failed},
        reactions=tuple(reactions),
        rate_without_failure=rates,
        left_out=left_out,
        notes=tuple(_notes(counted)),
    )


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
    """The rows of one model, samples of them, and the metrics computed from each."""

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
        r = self.model.scores[0]._score_counts
        return Population(r.scores, r.pos, r.neg, self.model.threshold)

    def applicable(
        self, metrics: Sequence[Metric], left_out: dict[str, str]
    ) -> dict[str, Statistic]:
        """Return the metrics that have a value here, and note why others have not."""
        statistics: dict[str, Statistic] = {}
        for m in metrics:
            if why := self._lacking(m):
                left_out[m.name] = why
            else:
                statistics[m.name] = Statistic.of(
                    m, self.model.labels.labels, self.counted.positive
                )
        values = self.values([*statistics.values()], self.rows) if statistics else ()
        for name, value in zip(statistics, values, strict=True):
            if not math.isfinite(value):
                left_out[name] = (
                    f"is {'undefined' if math.isnan(value) else 'infinite'} on these rows"
                )
        statistics = {name: s for name, s in statistics.items() if name not in left_out}
        if not statistics:
            name, why = next(iter(left_out.items()))
            raise InputError(f"no metric applies to {self.model.name}: {name} {why}")
        return statistics

    def _lacking(self, m: Metric) -> str:
        """Return why there are no samples of a metric, "" where there are."""
        if m._role:
            return f"reads the {m._role} of rows, which samples do not have"
        if m.classes == "many" or m.family == "multi-label":
            return "is not defined for two classes"
        if not m._of_one_class:
            return "reads whole rows of scores, which samples do not have"
        return "" if self.model._holds(m) else f"needs {m.wanted}"

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
            return np.stack(
                [
                    s.of_matrix(matrices, labels)
                    if s.metric.wanted == "decisions"
                    else s.of_score_counts([r])
                    for s in statistics
                ]
            )

    def _drawn(
        self, statistics: Sequence[Statistic], p: Population, draws: int, purpose: str
    ) -> Floats:
        """Return metrics of samples from a population: (S, draws)."""
        cells = np.stack([p.pos, p.neg])
        return np.concatenate(
            [
                self._measured(
                    statistics, ScoreCounts(p.scores, *np.moveaxis(some, 1, 0)), p.threshold
                )
                for some in self.sampler.samples(cells, self.n, draws, purpose)
            ],
            1,
        )

    def _starts(self, *cuts: int) -> NDArray[np.intp]:
        """Return where groups of adjacent scores start; no group spans the decision threshold."""
        size = len(self.rows.scores)
        if not self.model.scores:
            return np.arange(size)
        starts = np.union1d(self.model.scores[0]._starts(GROUPS), cuts)
        return starts[starts < size]

    def reactions(
        self, chosen: dict[str, Statistic], failed: dict[str, Population]
    ) -> tuple[list[Reaction], dict[str, float]]:
        """Return what every failure does to every metric, and the rates outside without one."""
        statistics, rows = [*chosen.values()], self.rows
        starts = self._starts(rows.cut)
        value = self.values(statistics, rows).tolist()
        limit_draws = self._drawn(
            statistics, rows.grouped(starts), DRAWS_OF_LIMITS * self.draws, "limits"
        )
        # One stream for all: where a failure leaves the cells as they are, it draws the same.
        without = self._drawn(statistics, rows.grouped(starts), self.draws, "samples")
        limits = [_Limits(v, self.level) for v in limit_draws]
        out = []
        for name, p in failed.items():
            # Another threshold is a cut of this failure alone: the others' draws stay.
            cuts, before = self._starts(rows.cut, p.cut), without
            if len(cuts) > len(starts):
                before = self._drawn(statistics, rows.grouped(cuts), self.draws, "samples")
            after = self._drawn(statistics, p.grouped(cuts), self.draws, "samples")
            for s, of_rows, of_metric, *both in zip(
                statistics, value, limits, before, after, strict=True
            ):
                out.append(of_metric.reaction(name, s.metric, of_rows, *both))
        rates = [of_metric.outside(v) for of_metric, v in zip(limits, without, strict=True)]
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
        """Return the share of values outside the limits; undefined values count as inside."""
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
            failure,
            metric.name,
            value,
            expected,
            change,
            power,
            self.error(after),
            self.ends,
            undefined,
            effect,
        )
