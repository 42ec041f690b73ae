"""Compute differences between metrics of different rows, with no row in both."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tallymark.infer.contrasts import (
    OF_AREAS,
    SQUARE_AND_ADD,
    Bounds,
    Ends,
    both_vary,
    draws_behind,
    hits_and_rows,
    is_proportion,
    is_ratio,
    no_bounds,
    of_areas,
    of_both_intervals,
    of_shares,
    one_of_intervals,
    unpaired,
)
from tallymark.infer.difference import Design, Numbers, Pairs, numbers_of_models
from tallymark.infer.intervals import Estimates, Inference
from tallymark.infer.ratio_differences import of_ratios
from tallymark.infer.sampler import Sampler
from tallymark.infer.samples import Area, Matrices, Shares
from tallymark.infer.score_samples import Column
from tallymark.infer.two_shares import TITLE
from tallymark.metric import Metric
from tallymark.metric.measure import Statistic, Value
from tallymark.reading.indicators import SetModel
from tallymark.reading.models import Model


class Unpaired(Design):
    """Metrics of different rows, compared pairwise in one pass; the variances add up.

    - ROC areas: square-and-add on the logit scale with DeLong's variances (Obuchowski's with
      clusters) and Student's t with Welch's degrees of freedom, which the test uses too;
    - proportions of rows: the score interval of their difference, and its test;
    - likelihood ratios, odds ratios and functions of them: the scores of both ratios together
      (:mod:`tallymark.infer.ratio_scores`), and their test of equality;
    - all other metrics: square-and-add of both intervals, and the p-value that agrees with it.

    Sources: miettinen1985, gart1990, laud2017, zou2008, delong1988, obuchowski1997.
    """

    of_shares = f"{TITLE}, unpaired"
    area_title = OF_AREAS.format("DeLong", "unpaired")

    @abstractmethod
    def shares(self, s: Statistic, pairs: Pairs) -> Shares | None:
        """Return hits and rows of both proportions of every pair; None for other metrics.

        Weighted rows count as their effective number.
        """

    @abstractmethod
    def ratios_of_shares(self, s: Statistic, pairs: Pairs) -> tuple[Shares, Shares] | None:
        """Return hits and rows behind both ratios of every pair; None for other metrics."""

    @abstractmethod
    def areas(self, s: Statistic, pairs: Pairs) -> tuple[Area, Area] | None:
        """Return the ROC areas of both sides of every pair; None for other metrics."""

    @abstractmethod
    def lacking(self, pair: tuple[Any, Any], i: int, numbers: Numbers) -> str:
        """Return why the intervals of both values do not give one of their difference."""

    def degrees(self, s: Statistic, pairs: Pairs) -> Any:
        """Return the degrees of freedom of p-values that invert both intervals."""
        return math.inf

    def pairing(self, s: Statistic, pairs: Pairs) -> tuple[Any, Sequence[str]]:
        """Return the correlations of both values, and the matching names of square-and-add."""
        return 0.0, [SQUARE_AND_ADD] * len(pairs)

    def bounds(self, s: Statistic, pairs: Pairs, numbers: Numbers) -> Sequence[Bounds]:
        """Return bounds by the methods for ROC areas and proportions, else from both intervals."""
        correlation, titles = self.pairing(s, pairs)
        methods = zip(numbers.first.methods, numbers.second.methods, strict=True)
        draws = [draws_behind(*two) for two in methods]
        low, high, p = of_both_intervals(
            ends(numbers.first),
            ends(numbers.second),
            self.level,
            correlation=correlation,
            degrees=self.degrees(s, pairs),
            draws=draws,
        )
        columns = low.tolist(), high.tolist(), p.tolist(), titles, titles, draws
        others = [one_of_intervals(*row) for row in zip(*columns, strict=True)]
        own = self._of_shares(s, pairs) or self._of_ratios(s, pairs, numbers)
        own = own or self._of_areas(s, pairs)
        bounds = [b if a is None else a for a, b in zip(own, others, strict=True)]
        return [
            no_bounds(self.lacking(pair, i, numbers)) if math.isnan(d.low) else d
            for i, (pair, d) in enumerate(zip(pairs, bounds, strict=True))
        ]

    def _of_shares(self, s: Statistic, pairs: Pairs) -> Sequence[Bounds] | None:
        """Return the bounds of proportions; None for other metrics."""
        shares = self.shares(s, pairs)
        return None if shares is None else of_shares(shares, self.level, self.of_shares)

    def _of_ratios(
        self, s: Statistic, pairs: Pairs, numbers: Numbers
    ) -> Sequence[Bounds | None] | None:
        """Return the bounds of ratios of two proportions; None for other metrics."""
        shares = self.ratios_of_shares(s, pairs)
        if shares is None:
            return None
        return of_ratios(s, (numbers.first.values, numbers.second.values), shares, self.level)

    def _of_areas(self, s: Statistic, pairs: Pairs) -> Sequence[Bounds | None]:
        """Return the bounds of ROC areas; None for other metrics, and for areas of 0 or 1."""
        sides = self.areas(s, pairs)
        if s.metric._roc_area is None or sides is None:
            return [None] * len(pairs)
        areas = unpaired(*sides)
        bounds = of_areas(areas, s.metric._roc_area.slope, self.level, self.area_title)
        varies = both_vary(areas).tolist()
        return [d if has_variance else None for d, has_variance in zip(bounds, varies, strict=True)]


def ends(column: Estimates) -> Ends:
    """Return values with their lower and upper bounds."""
    return column.values, column.lows, column.highs


class Side:
    """One model on its own rows."""

    def __init__(self, inference: Inference, model: Model | SetModel) -> None:
        self.counted, self.model = inference.counted, model
        self.stratified = inference.stratified
        self.clustered = inference.clusters(model.name)

    @property
    def simple(self) -> bool:
        """Whether rows are unweighted, not clustered and not stratified."""
        return not (self.counted.weighted or self.stratified or self.counted.clusters)

    def proportion(self, s: Statistic) -> tuple[float, float] | None:
        """Return hits and rows of a proportion, with the effective number if weighted.

        None if it is not a proportion, or has no such interval: with clusters, with several labels,
        or if it mixes rows of several classes whose shares are fixed.
        """
        if isinstance(self.model, SetModel) or self.clustered or not is_proportion(s):
            return None
        t = self.model.labels
        if self.stratified and s.mixes_classes(t.labels):
            return None
        hit, n = hits_and_rows(s, t.counts, t.sum_squared_weights, t.labels)
        return float(hit), float(n)

    def ratio(self, s: Statistic) -> Shares | None:
        """Return hits and rows of the two proportions of a ratio; None for other metrics."""
        if isinstance(self.model, SetModel) or self.clustered or not is_ratio(s):
            return None
        t = self.model.labels
        return Matrices(t.counts, t.sum_squared_weights, t.labels, Sampler()).two_shares(s)

    @cached_property
    def area(self) -> Area:
        """The ROC area of two classes, with DeLong's variance, or Obuchowski's with clusters."""
        if isinstance(self.model, SetModel) or len(self.model.scores) != 1:
            return Area.of(*[math.nan] * 4)
        return (self.clustered or Column(self.model.scores[0], Sampler())).area


class Independent(Unpaired):
    """Models on different rows, with no row in both."""

    def __init__(
        self,
        sides: Mapping[str, Side],
        pairs: Pairs,
        values: Mapping[str, Mapping[str, Value]],
        level: float,
    ) -> None:
        self.counted = counted = next(iter(sides.values())).counted
        super().__init__(counted.classes, counted.positive, level)
        self.sides, self._pairs, self.values = sides, pairs, values
        if any(side.counted.weighted for side in sides.values()):
            self.of_shares = f"{self.of_shares}, weighted rows"
        if any(side.clustered for side in sides.values()):
            self.area_title = OF_AREAS.format("Obuchowski, clusters", "unpaired")

    def statistic(self, metric: Metric, **definition: Any) -> Statistic:
        """Return the statistic that compares a metric of these rows."""
        return self.counted.statistic(metric, **definition)

    @property
    def pairs(self) -> Pairs:
        """The pairs of models to compare."""
        return self._pairs

    def numbers(self, s: Statistic, pairs: Pairs) -> Numbers:
        """Return the values of both models of every pair."""
        return numbers_of_models(s, pairs, self.values, self.level)

    def shares(self, s: Statistic, pairs: Pairs) -> Shares | None:
        """Return hits and rows of both proportions of every pair."""
        of: dict[str, tuple[float, float]] = {}
        for name, side in self.sides.items():
            share = side.proportion(s)
            if share is None:
                return None
            of[name] = share
        first, second = (np.array([of[pair[i]] for pair in pairs]).T for i in (0, 1))
        return (first[0], second[0]), (first[1], second[1])

    def ratios_of_shares(self, s: Statistic, pairs: Pairs) -> tuple[Shares, Shares] | None:
        """Return hits and rows behind both ratios of every pair."""
        of = {name: side.ratio(s) for name, side in self.sides.items()}
        if any(shares is None for shares in of.values()):
            return None
        # [pair, side, hits or rows, proportion]
        every = np.array([[of[name] for name in pair] for pair in pairs], np.float64)
        first, second = (
            ((v[:, 0, 0], v[:, 0, 1]), (v[:, 1, 0], v[:, 1, 1])) for v in (every[:, 0], every[:, 1])
        )
        return first, second

    def areas(self, s: Statistic, pairs: Pairs) -> tuple[Area, Area] | None:
        """Return the ROC areas of both models of every pair."""
        if s.metric._roc_area is None or self.positive is None:
            return None
        sides = ([self.sides[pair[i]].area for pair in pairs] for i in (0, 1))
        first, second = (
            Area(*(np.concatenate(v) for v in zip(*areas, strict=True))) for areas in sides
        )
        return first, second

    def lacking(self, pair: tuple[str, str], i: int, numbers: Numbers) -> str:
        """Return which of the two has no interval, and why."""
        refusal = numbers.refusals[i]
        if refusal is not None:
            return refusal
        for name, column in zip(pair, (numbers.first, numbers.second), strict=True):
            if math.isnan(column.lows[i]):
                why = (column.methods[i] or "it has none").removeprefix("no interval: ")
                return f"of {name}, {why}"
        return "one of the two intervals is unbounded"
