"""Compute differences: :func:`difference` of a statistic under a design.

A :class:`Design` defines which rows the two values of every pair come from: models on the same rows
(:mod:`~tallymark.infer.paired`, with several labels :mod:`~tallymark.infer.label_differences`) or
on different rows (:mod:`~tallymark.infer.unpaired`), or subgroups
(:mod:`~tallymark.infer.against_others`). It chooses the method of
:mod:`~tallymark.infer.contrasts` for the interval and the p-value. The result is
:class:`Differences`: :meth:`Differences.corrected` adjusts the p-values for their number by
:mod:`~tallymark.infer.multiplicity`, and :func:`tallymark.infer.verdict.judge` draws the
conclusions.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.contract import checked, one_of
from tallymark.display import Display, fields_of, json_number
from tallymark.errors import InputError
from tallymark.infer.contrasts import (
    SAME_RANKING,
    Bounds,
    NullTest,
    ReversedTest,
    least_p,
    no_bounds,
    p_of_bounds,
)
from tallymark.infer.intervals import Estimates
from tallymark.infer.multiplicity import holm
from tallymark.metric import Metric
from tallymark.metric.measure import Statistic, Value
from tallymark.metric.number import Number
from tallymark.metric.proportion import quantile
from tallymark.tally.arrays import Floats, Label

Pairs = Sequence[tuple[Any, Any]]
"""The pairs to compare: names of models, or keys of subgroups."""


@checked(side=one_of("two-sided", "greater", "less"))
@dataclass(frozen=True, slots=True, repr=False)
class Difference(Number, Display):
    """A metric of one model minus that of another, with its interval.

    ``value`` is ``first_value - second_value``, NaN if and only if there is a ``reason``. Without
    an interval, ``low`` and ``high`` are NaN, and ``method`` says why. ``p_value`` is that of
    ``test``, two-sided, NaN without one. ``draws`` is the number of draws behind both, 0 if nothing
    is drawn; ``p_at_most`` marks a p-value as an upper bound, because the draws cannot show a
    smaller one. ``warning`` says why the interval may be too narrow.
    """

    metric: str
    first_value: float
    second_value: float
    low: float = math.nan
    high: float = math.nan
    level: float | None = None
    method: str | None = None
    p_value: float = math.nan
    test: str | None = None
    reason: str | None = None
    warning: str | None = None
    draws: int = 0
    p_at_most: bool = False
    _null_test: NullTest | None = None

    @property
    def value(self) -> float:
        """The first model's value minus the second's."""
        with np.errstate(invalid="ignore"):
            return float(np.subtract(self.first_value, self.second_value))

    @property
    def error(self) -> float:
        """The standard error that corresponds to the interval, NaN without one."""
        if self.level is None or math.isnan(self.low):
            return math.nan
        return (self.high - self.low) / (2 * quantile(self.level))

    @property
    def _least_p(self) -> float:
        """The smallest two-sided p-value that the draws can show; 0 if nothing is drawn."""
        return float(least_p(self.draws))

    def _p_claim(self, side: str, null: float = 0.0) -> float:
        """Return the p-value against a difference of ``null``, two-sided or one-sided.

        ``side`` is "two-sided", "greater" or "less". For a null of 0, the p-value is that of the
        difference's own test. For any other, it agrees with the interval: one-sided, it is below
        (1 - level) / 2 exactly if the interval lies on that side of ``null``. Between 0 and the
        difference it is at least that of 0, whose exact test may claim less than the interval's.
        NaN without an interval.
        """
        if null == 0 and self.test is not None:
            p = self.p_value
        elif self.level is None:
            return math.nan
        elif self._null_test is not None:
            p = self._null_test.p_value(self.value, null)
        elif self.value == null:
            p = 1.0
        else:
            p = float(p_of_bounds(self.value, self.low, self.high, self.level, null))
            # NaN means that the bound equals the difference, so the interval excludes the null.
            p = max(float(np.nan_to_num(p)), self._least_p)
        if min(0.0, self.value) < null < max(0.0, self.value):
            p = max(p, float(np.nan_to_num(self.p_value)))
        if side == "two-sided":
            return p
        return p / 2 if (self.value > null) == (side == "greater") else 1 - p / 2

    def _reversed(self) -> Difference:
        """Return the second model's value minus the first's."""
        test = self._null_test
        if test is not None:
            test = test.test if isinstance(test, ReversedTest) else ReversedTest(test)
        return replace(
            self,
            first_value=self.second_value,
            second_value=self.first_value,
            low=0.0 - self.high,  # not -0
            high=0.0 - self.low,
            _null_test=test,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {**fields_of(self), "value": json_number(self.value)}


@dataclass(frozen=True)
class Differences(Sequence[Difference]):
    """One metric's differences of several pairs, in their order.

    ``tested`` are the p-values that :meth:`corrected` adjusts, by default their own; NaN for a pair
    that is not tested.
    """

    metric: Metric
    pairs: Pairs
    each: Sequence[Difference]
    level: float
    tested: Floats | None = None

    def __getitem__(self, i: Any) -> Any:
        return self.each[i]

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.each)

    def __len__(self) -> int:
        return len(self.each)

    def corrected(self) -> Floats:
        """Return the p-values of no difference, adjusted for their number by Holm's method."""
        return holm(np.array([d.p_value for d in self]) if self.tested is None else self.tested)


class Numbers(NamedTuple):
    """Both values of every pair, with their intervals.

    ``reasons`` say why a pair has no difference, ``refusals`` why no method gives an interval; None
    if there is one.
    """

    first: Estimates
    second: Estimates
    reasons: Sequence[str | None]
    refusals: Sequence[str | None]


class Design(ABC):
    """Which rows the two values of a difference come from, and so how their errors correlate."""

    def __init__(self, classes: Sequence[Label], positive: Label | None, level: float) -> None:
        self.labels, self.positive, self.level = classes, positive, level

    def statistic(self, metric: Metric, **definition: Any) -> Statistic:
        """Return the statistic with which this design compares a metric.

        ``definition`` has the arguments of :meth:`Statistic.of`, such as the average.
        """
        return Statistic.of(metric, self.labels, **{"positive": self.positive, **definition})

    @property
    @abstractmethod
    def pairs(self) -> Pairs:
        """All pairs to compare."""

    @abstractmethod
    def numbers(self, s: Statistic, pairs: Pairs) -> Numbers:
        """Return both values of every pair."""

    @abstractmethod
    def bounds(self, s: Statistic, pairs: Pairs, numbers: Numbers) -> Sequence[Bounds]:
        """Return the interval and the test of every pair, by the method for its rows."""

    def warning(self, s: Statistic, pair: tuple[Any, Any], bounds: Bounds) -> str | None:
        """Return why an interval may be too narrow, None if it is not."""
        return None

    def tested(
        self, s: Statistic, pairs: Pairs, numbers: Numbers, bounds: Sequence[Bounds]
    ) -> Floats | None:
        """Return the p-values to adjust for multiple testing, None for the pairs' own."""
        return None


class Contrast(NamedTuple):
    """Two models' values of one statistic, to be compared."""

    first: str
    second: str
    statistic: Statistic
    a: Value
    b: Value

    @property
    def metric(self) -> Metric:
        """The statistic's metric."""
        return self.statistic.metric

    @property
    def gap(self) -> float:
        """The first value minus the second."""
        return self.a.value - self.b.value


class SameRows(Design):
    """Several models on the same rows, with their ``values`` by model and metric."""

    values: Mapping[str, Mapping[str, Value]]

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The models' names."""

    @property
    def pairs(self) -> Pairs:
        """All pairs of models."""
        return list(combinations(self.names, 2))

    def numbers(self, s: Statistic, pairs: Pairs) -> Numbers:
        """Return the values of both models of every pair."""
        return numbers_of_models(s, pairs, self.values, self.level)

    def bounds(self, s: Statistic, pairs: Pairs, numbers: Numbers) -> Sequence[Bounds]:
        """Return the bounds of every pair; NaN with the reason if there is no interval."""
        refusals = [a or b for a, b in zip(numbers.reasons, numbers.refusals, strict=True)]
        judged = iter(
            self.judged(
                [
                    Contrast(*pair, s, numbers.first.value(i), numbers.second.value(i))
                    for i, (pair, why) in enumerate(zip(pairs, refusals, strict=True))
                    if not why
                ]
            )
        )
        return [no_bounds(why) if why else next(judged) for why in refusals]

    @abstractmethod
    def judged(self, contrasts: Sequence[Contrast]) -> list[Bounds]:
        """Return the intervals and the tests of differences of one statistic."""

    @abstractmethod
    def alike(self, first: str, second: str, decisive: Metric) -> bool:
        """Return whether two models have equal outputs on all rows, where the metric uses them."""

    def joint_draws(self, name: str, metric: Metric) -> NDArray[Any] | None:
        """Return a metric over joint draws, recentred at its value; None without draws."""
        return None


def refuse_one_model(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of models to compare; raise InputError if there is only one."""
    if len(names) < 2:
        raise InputError(
            f"there is one model, {names[0]!r}; comparing needs two or more, counted together on "
            "the same rows"
        )
    return names


def difference(s: Statistic, design: Design, pairs: Pairs | None = None) -> Differences:
    """Return a statistic of the first of every pair minus that of the second.

    Parameters
    ----------
    s : Statistic
        For example :meth:`Design.statistic` of a metric.
    design : Design
        Defines which rows the values come from.
    pairs : sequence of pairs, optional
        Pairs as in :attr:`Design.pairs`, by default all of them.

    Returns
    -------
    Differences
        Each with its interval, clipped to the range of the metric, and its p-value; NaN with the
        reason if there is none.

    """
    pairs = design.pairs if pairs is None else pairs
    numbers = design.numbers(s, pairs)
    bounds = design.bounds(s, pairs, numbers)
    each = []
    for i, (pair, interval) in enumerate(zip(pairs, bounds, strict=True)):
        values = float(numbers.first.values[i]), float(numbers.second.values[i])
        if (why := numbers.reasons[i]) is not None:
            each.append(Difference(s.metric.name, *values, reason=why))
            continue
        warned = partial(design.warning, s, pair, interval)
        each.append(_bounded(values, s, interval, design.level, warned))
    tested = design.tested(s, pairs, numbers, bounds)
    return Differences(s.metric, pairs, each, design.level, tested)


def _bounded(
    values: tuple[float, float],
    s: Statistic,
    bounds: Bounds,
    level: float,
    warning: Callable[[], str | None],
) -> Difference:
    """Return the difference of two values with its bounds, clipped to the range of the metric."""
    first, second = values
    if bounds.test == SAME_RANKING:  # sums of weights may differ by rounding
        second = first
    facts: dict[str, Any] = {
        "method": bounds.method,
        "p_value": bounds.p_value,
        "test": bounds.test,
        "draws": bounds.draws,
        "p_at_most": bounds.p_at_most,
        "_null_test": bounds.null_test,
    }
    if math.isnan(bounds.low) or math.isnan(bounds.high):
        return Difference(s.metric.name, first, second, **facts)
    least, most = s.metric.range_of(**s.params)
    low, high = max(bounds.low, least - most), min(bounds.high, most - least)
    gap = first - second
    low, high = min(low, gap), max(high, gap)
    if not math.isfinite(high - low):
        why = "no interval: its bounds exceed the largest number"
        return Difference(s.metric.name, first, second, method=why)
    return Difference(s.metric.name, first, second, low, high, level, warning=warning(), **facts)


def numbers_of_models(
    s: Statistic, pairs: Pairs, values: Mapping[str, Mapping[str, Value]], level: float
) -> Numbers:
    """Return both values of each pair of models from ``values``, by model and metric."""
    firsts: list[Value] = []
    seconds: list[Value] = []
    reasons: list[str | None] = []
    refusals: list[str | None] = []
    for first, second in pairs:
        a, b = (values[model].get(s.metric.name) for model in (first, second))
        if a is None or b is None:
            reasons.append(f"{first if a is None else second} does not have it")
            a = b = Value(s.metric.name, math.nan)
        else:
            reasons.append(_undefined(first, a, second, b))
        firsts.append(a)
        seconds.append(b)
        infinite = math.isinf(a.value) or math.isinf(b.value)
        refusals.append("one of the two is infinite" if infinite else None)
    first_ones, second_ones = (Estimates.of(s, column, level) for column in (firsts, seconds))
    return Numbers(first_ones, second_ones, reasons, refusals)


def _undefined(first: str, a: Value, second: str, b: Value) -> str | None:
    """Return why two models' values have no difference, None if they have one."""
    for model, v in ((first, a), (second, b)):
        if v.reason:
            return f"{model}: {v.reason}"
    return "both are infinite" if math.isinf(a.value) and a.value == b.value else None
