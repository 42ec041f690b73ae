"""Compute differences between each subgroup and the rest of the rows, or one subgroup."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.infer.cautions import FEW
from tallymark.infer.contrasts import (
    SQUARE_AND_ADD,
    Bounds,
    hits_and_rows,
    is_proportion,
    is_ratio,
    normal_p,
    p_of_bounds,
    ratios,
)
from tallymark.infer.difference import Numbers, Pairs
from tallymark.infer.each_subgroup import EachSubgroup
from tallymark.infer.intervals import Estimates
from tallymark.infer.ratio_differences import ratios_behind
from tallymark.infer.ratio_scores import bounds_of_ratio
from tallymark.infer.sampler import Sampler
from tallymark.infer.samples import Area, Matrices, Shares
from tallymark.infer.unpaired import Unpaired, ends
from tallymark.metric import Metric
from tallymark.metric.measure import Statistic
from tallymark.tally.arrays import Floats


class AgainstOthers(Unpaired):
    """Each subgroup against all other rows, or against one subgroup.

    A pair is the index of a subgroup in ``each``, and the index of the ``other`` one, or None for
    the rest. P-values that agree with intervals use Student's t with one degree of freedom less
    than the rows behind the subgroup's value, or with those that its clusters' sizes leave.

    If a cluster has rows on both sides, the two values are correlated, and their correlation over
    the clusters narrows the bounds. Sides without a common cluster are independent.
    """

    def __init__(self, each: EachSubgroup, other: int | None = None) -> None:
        super().__init__(each.counted.classes, each.counted.positive, each.level)
        self.each, self.other, self.rest = each, other, other is None
        self.clustered = each.counted.clusters is not None
        self._pairings: dict[str, tuple[Floats, Sequence[str]]] = {}

    def statistic(self, metric: Metric, **definition: Any) -> Statistic:
        """Return the statistic of a metric of the classes, or of several labels."""
        return self.each.statistic(metric, **definition)

    @property
    def pairs(self) -> Pairs:
        """All subgroups except the one that they are compared with."""
        return [(i, self.other) for i in range(len(self.each)) if i != self.other]

    @property
    def one_comparison(self) -> bool:
        """Whether the rest of either of two subgroups is the other one: a single hypothesis."""
        return self.rest and len(self.each) == 2

    def numbers(self, s: Statistic, pairs: Pairs) -> Numbers:
        """Return the values of every subgroup and of its other side."""
        name = s.metric.name
        one = self.each.estimates([name])[name]
        other = self.each.estimates([name], self.rest)[name]
        first, second = _at(one, _firsts(pairs)), _at(other, _seconds(pairs))
        reasons = [
            f"the subgroup: {a}" if a is not None else None if b is None else f"the others: {b}"
            for a, b in zip(first.reasons, second.reasons, strict=True)
        ]
        return Numbers(first, second, reasons, [None] * len(pairs))

    def shares(self, s: Statistic, pairs: Pairs) -> Shares | None:
        """Return hits and rows of proportions; None for other metrics and clustered rows."""
        if self.clustered or not is_proportion(s):
            return None
        stacks = self.each.stacks
        of = [hits_and_rows(s, *stacks[rest].matrices, self.labels) for rest in (False, self.rest)]
        first, second = _firsts(pairs), _seconds(pairs)
        return (of[0][0][first], of[1][0][second]), (of[0][1][first], of[1][1][second])

    def ratios_of_shares(self, s: Statistic, pairs: Pairs) -> tuple[Shares, Shares] | None:
        """Return hits and rows behind both ratios; None for other metrics and clustered rows."""
        if self.clustered or not is_ratio(s):
            return None

        def side(rest: bool, places: NDArray[np.intp]) -> Shares:
            matrices = self.each.stacks[rest].matrices
            (x, y), (n, m) = Matrices(*matrices, self.labels, Sampler()).two_shares(s)
            return (x[places], y[places]), (n[places], m[places])

        return side(False, _firsts(pairs)), side(self.rest, _seconds(pairs))

    def areas(self, s: Statistic, pairs: Pairs) -> tuple[Area, Area] | None:
        """Return the ROC areas of each subgroup and of the rows it is compared with."""
        if s.metric._roc_area is None:
            return None
        one, other = self.each.area(False), self.each.area(self.rest)
        if one is None or other is None:
            return None
        first, second = _firsts(pairs), _seconds(pairs)
        return Area(*(v[first] for v in one)), Area(*(v[second] for v in other))

    def lacking(self, pair: tuple[int, int | None], i: int, numbers: Numbers) -> str:
        """Return that a value has no interval."""
        values = numbers.first.values[i], numbers.second.values[i]
        return "one of the two is infinite" if np.isinf(values).any() else "one of the two has none"

    def degrees(self, s: Statistic, pairs: Pairs) -> Floats:
        """Return one less than the rows, or clusters, behind the subgroup's value."""
        return np.maximum(self.each.units(s.metric.name)[_firsts(pairs)] - 1, 1.0)

    def small(self, s: Statistic, pairs: Pairs | None = None) -> NDArray[np.bool_]:
        """Return for which pairs a subgroup has too few rows to be tested."""
        few = self.each.support(s.metric.name) < FEW
        small = few[_firsts(self.pairs if pairs is None else pairs)]
        if self.one_comparison:
            return np.full(len(small), few.any())
        return small if self.other is None else small | few[self.other]

    def tested(
        self, s: Statistic, pairs: Pairs, numbers: Numbers, bounds: Sequence[Bounds]
    ) -> Floats:
        """Return p-values valid in the tails that multiple testing needs; NaN with too few rows.

        With few rows, the standard error estimated from them is too often too small. So the p-value
        is the largest of three: its own, that of the interval, and that of the standard error
        estimated on all rows. With n rows of support in total and m and k on the two sides, this
        error is se √(n/m + n/k). With clusters it is the p-value's own, from the clusters. Two
        subgroups are one comparison, so either has the larger p-value of both.
        """
        p = np.array([b.p_value for b in bounds])
        if not self.clustered:
            p = np.where(np.isnan(p), p, np.fmax(p, self._p_of_many(s, pairs, numbers, bounds)))
        if self.one_comparison:
            p = np.full(len(p), p.max())
        return np.where(self.small(s, pairs), math.nan, p)

    def _p_of_many(
        self, s: Statistic, pairs: Pairs, numbers: Numbers, bounds: Sequence[Bounds]
    ) -> Floats:
        """Return the larger p-value of the interval and of the standard error of all rows."""
        each, name = self.each, s.metric.name
        with np.errstate(invalid="ignore"):  # both may be infinite
            gaps = np.asarray(numbers.first.values - numbers.second.values)
        first = each.support(name)[_firsts(pairs)]
        second = each.support(name, self.rest)[_seconds(pairs)]
        low, high = (np.array([b[i] for b in bounds]) for i in (0, 1))
        own = p_of_bounds(gaps, low, high, self.level, degrees=np.maximum(first - 1, 1.0))
        whole = each.value_of_all(s)
        with np.errstate(all="ignore"):
            n = each.support_of_all(name)
            error = (whole.se or math.nan) * np.sqrt(n / first + n / second)
        return np.asarray(np.fmax(own, normal_p(gaps, error)))

    def ratios(self, s: Statistic) -> tuple[Floats, Floats, Floats]:
        """Return the ratios of both values of every pair, with their bounds."""
        numbers = self.numbers(s, self.pairs)
        shares = self.ratios_of_shares(s, self.pairs)
        of = s.metric._sampling.two_shares
        if shares is not None and of is not None and of.is_itself:
            a, b = numbers.first.values, numbers.second.values
            with np.errstate(all="ignore"):
                ratio = np.where((b > 0) & np.isfinite(a) & np.isfinite(b), a / b, math.nan)
            low, high = bounds_of_ratio(*ratios_behind(s.metric.name, *shares), self.level)
            none = np.isnan(ratio)
            return ratio, np.where(none, math.nan, low), np.where(none, math.nan, high)
        correlation, _ = self.pairing(s, self.pairs)
        least = s.metric.range_of(**s.params)[0]
        return ratios(ends(numbers.first), ends(numbers.second), least, correlation)

    # -- clusters ------------------------------------------------------------------------------

    def pairing(self, s: Statistic, pairs: Pairs) -> tuple[Any, Sequence[str]]:
        """Return the correlations of both values, and the matching names of the method."""
        if not self.clustered:
            return super().pairing(s, pairs)
        key = f"{s.metric.name} {pairs}"
        if key not in self._pairings:
            shared, r = self._correlations(s, pairs)
            titles = ["paired by cluster" if n else "different clusters" for n in shared.tolist()]
            self._pairings[key] = r, [f"{SQUARE_AND_ADD}, {title}" for title in titles]
        return self._pairings[key]

    def _correlations(self, s: Statistic, pairs: Pairs) -> tuple[Floats, Floats]:
        """Return for each pair the number of clusters that both sides share, and the correlation.

        The correlation is that of the delete-one-cluster changes of both values, over clusters with
        rows on both sides. If it cannot be computed it is -1, which gives the widest interval.
        """
        side = self.each.cluster_moves
        shared, r = np.zeros(len(pairs)), np.zeros(len(pairs))
        one_other = None if self.other is None else side(s, self.other, False)
        for place, (i, _) in enumerate(pairs):
            (here, a), (there, b) = side(s, i, False), one_other or side(s, i, True)
            shared[place] = (here & there).sum()
            if shared[place]:
                with np.errstate(invalid="ignore", divide="ignore"):
                    correlation = (a * b).sum() / math.sqrt((a**2).sum() * (b**2).sum())
                r[place] = correlation if math.isfinite(correlation) else -1.0
        return shared, r


def _firsts(pairs: Pairs) -> NDArray[np.intp]:
    """Return the indices of the subgroups of pairs."""
    return np.array([i for i, _ in pairs], dtype=np.intp)


def _seconds(pairs: Pairs) -> NDArray[np.intp]:
    """Return the indices of the other sides; the rest of a subgroup has the subgroup's index."""
    return np.array([i if other is None else other for i, other in pairs], dtype=np.intp)


def _at(column: Estimates, places: NDArray[np.intp]) -> Estimates:
    """Return the estimates of some of the tallies, in this order."""
    return replace(
        column,
        values=column.values[places],
        lows=column.lows[places],
        highs=column.highs[places],
        methods=[column.methods[i] for i in places.tolist()],
        reasons=[column.reasons[i] for i in places.tolist()],
        cautions=(),
        n_undefined=(),
        brackets=(),
        ses=None,
    )
