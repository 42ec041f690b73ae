"""Compute one model's metrics of several labels per subgroup, and per complement of a subgroup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tallymark.infer.each_subgroup import EachSubgroup
from tallymark.infer.intervals import Estimates, Inference
from tallymark.infer.label_averages import is_over_rows
from tallymark.infer.samples import Area
from tallymark.metric import get
from tallymark.metric.measure import Statistic, Value
from tallymark.reading.indicators import LabelSets, SetModel
from tallymark.tally.arrays import Floats


class EachLabelSubgroup(EachSubgroup):
    """One model with several labels on every subgroup separately."""

    counted: LabelSets  # type: ignore[assignment]
    model: SetModel  # type: ignore[assignment]

    @cached_property
    def _inferences(self) -> dict[tuple[int, bool], Inference]:
        return {}

    def inference(self, i: int, rest: bool) -> Inference:
        """Return the rows of a subgroup, or of its complement, with the options of intervals."""
        if (i, rest) not in self._inferences:
            rows = self.counted.take(self.rows_of(i, rest))
            self._inferences[i, rest] = Inference(rows, self.level, self.seed)
        return self._inferences[i, rest]

    def rest_of(self, i: int) -> LabelSets:  # type: ignore[override]
        """Return the rows outside a subgroup."""
        rest = self.counted.take(self.rows_of(i, rest=True))
        return replace(rest, subgroup_counts=self.subgroup_counts.drop(i))

    def intervals(
        self, statistics: Mapping[str, Statistic], rest: bool, level: float
    ) -> dict[str, Estimates]:
        """Return the intervals at a level, one subgroup at a time."""
        values = []
        for i in range(len(self)):
            of = self.inference(i, rest)
            of = of if level == self.level else Inference(of.counted, level, self.seed)
            values.append(of.values(of.counted.model(self.model.name), statistics))
        return {n: Estimates.of(s, [m[n] for m in values], level) for n, s in statistics.items()}

    def value_of_all(self, s: Statistic) -> Value:
        """Return the value on all rows."""
        return Inference(self.counted, self.level, self.seed).values(self.model, {"": s})[""]

    def support(self, name: str, rest: bool = False) -> Floats:
        """Return the effective sample size behind a metric in each subgroup."""
        each = range(len(self))
        return np.array([self._support(name, self.rows_of(i, rest)) for i in each])

    def support_of_all(self, name: str) -> Floats:
        """Return the effective sample size behind a metric on all rows."""
        return np.array([self._support(name, np.ones(self.counted.rows, bool))])

    def rests_on(self, name: str, few: Sequence[int] = ()) -> str:
        """Return what the support counts, in the plural."""
        return "rows" if self._of_whole_rows(name) else "rows with and without each label"

    def _of_whole_rows(self, name: str) -> bool:
        return is_over_rows(self.statistic(name)) or get(name).family == "probability"

    def _support(self, name: str, rows: NDArray[np.bool_]) -> float:
        """Return the rows of a mean over rows; for an average over labels, those of the rarest."""
        true, weights = self.counted.true[rows], self.counted.weights
        w = np.ones(len(true)) if weights is None else weights[rows]
        whole = self._of_whole_rows(name)
        cells = np.ones((len(true), 1)) if whole else np.concatenate([true, ~true], 1)
        with np.errstate(invalid="ignore"):
            return float(np.nan_to_num((w @ cells) ** 2 / (w**2 @ cells)).min())

    def area(self, rest: bool) -> Area | None:
        """Return None: averages of areas are compared like other averages."""
        return None

    def quick(self, name: str) -> bool:
        """Return whether a metric needs no resampling."""
        return get(name)._sampling.error in ("smooth", "optimistic")

    def _degrees(self, s: Statistic, i: int) -> float:
        """Return the degrees of freedom that the sizes of a subgroup's clusters leave."""
        of = self.inference(i, rest=False)
        return of.columns(of.label_sets.model(self.model.name)).degrees_of(s)

    def cluster_moves(self, s: Statistic, i: int, rest: bool) -> tuple[NDArray[np.bool_], Floats]:
        """Return which clusters have rows on a side, and the change of its value without each."""
        codes, n = self.counted.cluster_codes, self.counted.clusters or 0
        assert codes is not None
        here = codes[self.rows_of(i, rest)]
        present, moves = np.bincount(here, minlength=n) > 0, np.zeros(n)
        of = self.inference(i, rest)
        without = of.columns(of.label_sets.model(self.model.name)).jackknife(s)
        _, first = np.unique(here, return_index=True)
        # The clusters of the side are numbered by first occurrence, those of all rows by their
        # code.
        moves[here[np.sort(first)]] = without.values - without.value
        return present, moves
