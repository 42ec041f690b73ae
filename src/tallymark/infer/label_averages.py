"""Compute averages over labels and over rows, with intervals, if rows have several labels each.

Rows, or clusters of them, are independent, but the labels of one row are not. To first order, a row
changes an average over labels by the sum of its changes in every label.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tallymark.infer.cluster_sizes import ClusterSizes
from tallymark.infer.influence import within_classes
from tallymark.infer.sampler import Sampler
from tallymark.infer.samples import Draw, Jackknife, Neighbours, Parts, Sample
from tallymark.infer.score_samples import GROUPS, Column, Columns, Fact
from tallymark.metric import Metric
from tallymark.metric.label_sets import Flags, values_of_rows
from tallymark.metric.measure import Statistic, Value
from tallymark.reading.indicators import HAS_IT, LabelSets, SetModel
from tallymark.tally.arrays import Coded, Floats
from tallymark.tally.joint import places
from tallymark.tally.labels import Counts, LabelTally
from tallymark.tally.scores import ScoreTally
from tallymark.tally.sums import Sums, errors_by_cluster
from tallymark.tally.threads import side_by_side, threads_for

MOST_REASONS = 3

_FEWEST_BINS, _BINS_OF_ALL = 128, 4000
"""The fewest bins of a label's scores, and the bins of all labels if there are more than ten."""

_ROWS_AT_ONCE = 4096
"""Rows whose changes are added in one batch: few enough for the processor cache."""


class _Stack:
    """True and predicted 0/1 columns of a model: one per label, or all labels pooled as one."""

    def __init__(
        self, true: Flags, decided: Flags, scores: Floats | None, weights: Floats | None
    ) -> None:
        self.true, self.decided, self.scores, self.weights = true, decided, scores, weights
        self._values: dict[Any, Floats] = {}

    @cached_property
    def counts(self) -> tuple[Floats, Floats | None]:
        """The matrix of each column [column, true, predicted], and sums of squared weights."""
        cells = self.true * 2 + self.decided
        in_cell = [cells == c for c in range(4)]

        def stacked(sums: Iterable[Any]) -> Floats:
            return np.stack([*sums], -1).astype(np.float64).reshape(-1, 2, 2)

        if self.weights is None:
            return stacked(np.count_nonzero(of, 0) for of in in_cell), None
        first, second = (stacked(w @ of for of in in_cell) for w in (self.weights, self.weights**2))
        return first, second

    @cached_property
    def tallies(self) -> tuple[ScoreTally, ...]:
        """The scores of each column."""
        assert self.scores is not None
        each, scores = self.true.shape[1], np.ascontiguousarray(self.scores.T)
        tallies: dict[int, ScoreTally] = {}

        def count(i: int) -> None:
            tallies[i] = ScoreTally.from_arrays(
                Coded(self.true[:, i].astype(np.intp), HAS_IT),
                scores[i],
                positive=1,
                labels=HAS_IT,
                sample_weight=self.weights,
            )

        side_by_side(count, each, threads_for(self.true.size) if each > 1 else 1)
        return tuple(tallies[i] for i in range(each))

    def values(self, one: Statistic) -> Floats:
        """Return a metric of decisions for each column."""
        if _key(one) not in self._values:
            self._values[_key(one)] = one.of_matrix(self.counts[0], HAS_IT)
        return self._values[_key(one)]

    def slopes(self, one: Statistic) -> Floats:
        """Return the influence of a row on a metric of decisions: [column, cell]."""
        jackknife = Neighbours(*self.counts, HAS_IT).jackknife(one)
        with np.errstate(invalid="ignore", divide="ignore"):
            slopes = (jackknife.value[:, None] - jackknife.values) / jackknife.weight
        return np.where(jackknife.weight > 0, slopes, 0.0)

    def reason(self, one: Statistic, i: int) -> str:
        """Return why a metric is undefined on a column."""
        if one.metric.wanted == "decisions":
            return one.reason_of(LabelTally(HAS_IT, self.counts[0][i]))
        return one.reason_of([self.tallies[i]])


class LabelColumns(Columns):
    """One model's label sets and scores on the same rows, with a column for each label."""

    averages = ("macro", "weighted", "micro")
    part = "label"
    judged_together = False

    def __init__(self, sets: LabelSets, model: SetModel, seed: int = 0) -> None:
        self.sets, self.model, w = sets, model, sets.weights
        values = values_of_rows(sets.true, model.decided, "label_sets")
        if model.scores is not None:
            values |= values_of_rows(sets.true, model.scores, "label_rankings")
        self._each = _Stack(sets.true, model.decided, model.scores, w)
        tallies = () if model.scores is None else self._each.tallies
        self._in_rows = values
        sums, self._errors = self._sums(values)
        super().__init__(tallies, sums, Sampler(seed), cast("Any", sets))
        self.weighted, self.clusters = w is not None, sets.clusters
        self.clustered = sets.clusters is not None
        self._of_rows: dict[Any, tuple[Sums, Sums, int]] = {}
        self._changes: dict[Any, Floats] = {}

    def _sums(self, values: dict[str, Floats], keep: Any = slice(None)) -> tuple[Sums, Sums]:
        """Return sums over rows, and sums whose averages are the standard errors."""
        w, clusters = (
            None if v is None else v[keep] for v in (self.sets.weights, self.sets.cluster_codes)
        )
        values = {name: of_rows[keep] for name, of_rows in values.items()}
        sums = Sums._of_values(values, w)
        return sums, sums._errors() if clusters is None else errors_by_cluster(values, clusters, w)

    @cached_property
    def _sizes(self) -> ClusterSizes:
        """The sizes of the clusters by their rows."""
        assert self.sets.cluster_codes is not None
        return ClusterSizes.of(np.bincount(self.sets.cluster_codes, self.sets.weights))

    def few_clusters(self, s: Statistic) -> str | None:
        """Return why an interval may be too narrow, None with enough degrees of freedom."""
        return self._sizes.warning(self._sizes)

    def degrees_of(self, s: Statistic) -> float:
        """Return the degrees of freedom that the sizes of the clusters leave."""
        return self._sizes.degrees_of_freedom if self.clustered else math.inf

    # -- values --------------------------------------------------------------------------------

    @cached_property
    def _pooled(self) -> _Stack:
        """The labels of all rows pooled as one column."""
        sets, model = self.sets, self.model
        weights = None if sets.weights is None else np.repeat(sets.weights, len(sets.labels))
        scores = None if model.scores is None else model.scores.reshape(-1, 1)
        return _Stack(sets.true.reshape(-1, 1), model.decided.reshape(-1, 1), scores, weights)

    def _stack(self, s: Statistic) -> _Stack:
        return self._pooled if s.average == "micro" else self._each

    def points(
        self, statistics: Iterable[Statistic], draws: int | None = None
    ) -> list[tuple[Value, Sample]]:
        """Return the value of each statistic without an interval, with this sample."""
        self._requested = list(statistics)
        return [(self.point(s), self) for s in self._requested]

    def point(self, s: Statistic) -> Value:
        """Return the value without an interval."""
        if s.metric.family == "multi-label":
            assert self.sums is not None
            return Value(s.metric.name, float(s.metric.compute(self.sums)))
        if s.average == "samples":
            sums, _, left_out = self.of_rows(s)
            why = "it is undefined in every row" if not sums.rows else None
            value = sums.average(s.metric.name)
            return Value(s.metric.name, value, reason=why, n_undefined=left_out)
        values = self._values_of(s)
        shares = self._shares(s, values)
        with np.errstate(all="ignore"):
            value = float(np.where(shares > 0, values * shares, 0.0).sum() / shares.sum())
        undefined = np.isnan(values)
        reason = self._reason(s, undefined & (shares > 0)) if math.isnan(value) else None
        skipped = int(undefined.sum()) if s.skip_undefined else 0
        return Value(s.metric.name, value, reason=reason, n_undefined=skipped)

    def _values_of(self, s: Statistic) -> Floats:
        """Return the values of the labels, or of all labels pooled."""
        if s.metric.wanted == "decisions":
            return self._stack(s).values(of_one_label(s))
        return np.array(self.of_each_class(s, "value"))

    def _shares(self, s: Statistic, values: Floats) -> Floats:
        weighs = s.average == "weighted"
        shares = self._each.counts[0].sum(-1)[:, 1] if weighs else np.ones(len(values))
        skips = s.skip_undefined and s.average != "micro"
        return np.where(np.isnan(values), 0.0, shares) if skips else shares

    def _reason(self, s: Statistic, undefined: Any) -> str:
        """Return for which labels a metric is undefined, and why."""
        labels, one, of = np.flatnonzero(undefined).tolist(), of_one_label(s), self._stack(s)
        if not labels:
            return "no label is left to average"
        if s.average == "micro":
            return of.reason(one, 0)
        names, more = self.sets.labels, len(labels) - MOST_REASONS
        words = [f"label {names[i]!r}: {of.reason(one, i)}" for i in labels[:MOST_REASONS]]
        return "; ".join([*words, *([f"and {more} more labels"] if more > 0 else [])])

    def of_rows(self, s: Statistic) -> tuple[Sums, Sums, int]:
        """Return sums over rows of a metric computed on the labels of each row, with their errors.

        Third comes the number of rows where it is undefined; these count as 0 unless skipped.
        """
        key = (s.metric.name, s.skip_undefined, *sorted(s.params.items()))
        if key not in self._of_rows:
            values = values_in_rows(s.metric, self.sets.true, self.model.decided, **s.params)
            defined = ~np.isnan(values)
            keep = defined if s.skip_undefined else slice(None)
            sums = self._sums({s.metric.name: np.where(defined, values, 0.0)}, keep)
            self._of_rows[key] = (*sums, int((~defined).sum()))
        return self._of_rows[key]

    def in_rows(self, s: Statistic) -> Floats:
        """Return the values per row behind a mean over rows, NaN for excluded rows."""
        if s.metric.family == "multi-label":
            return self._in_rows[s.metric.name]
        values = values_in_rows(s.metric, self.sets.true, self.model.decided, **s.params)
        return values if s.skip_undefined else np.nan_to_num(values)

    # -- the interface for interval methods ----------------------------------------------------

    @cached_property
    def errors(self) -> Sums | None:
        """Sums whose averages are the standard errors of means over rows."""
        return self._errors

    @property
    def effective_rows(self) -> float:
        """The number of rows of a mean over rows (effective if weighted), or of clusters."""
        return float(self.clusters) if self.clusters else super().effective_rows

    def read_by(self, s: Statistic) -> Sequence[Any]:
        """Return the scores of each label, or of all together."""
        return self._stack(s).tallies

    def refusal(self, s: Statistic) -> str | None:
        """Return why a statistic has no jackknife here, None if it has."""
        return None if s.metric._of_one_class else "it is not a metric of one label"

    def cannot_draw(self, s: Statistic, draw: Draw) -> str | None:
        """Return why no replicates are drawn."""
        return "rows of several labels are not resampled"

    def _column_for(self, tally: ScoreTally, columns: int) -> Callable[[Statistic, Fact], Column]:
        """Return which column a statistic is measured on: errors of many labels in fewer bins."""
        column = few = Column(tally._without_cache(), self.sampler)
        if bins_of_each(columns) < GROUPS:
            few = Column(tally._coarse(bins_of_each(columns))._without_cache(), self.sampler)
        binned = ("smooth", "optimistic")
        return lambda s, fact: (
            few if fact != "value" and s.metric._sampling.error in binned else column
        )

    def rows_of_rarest(self, s: Statistic) -> float:
        """Return the number of rows with the rarest label of an average over labels."""
        if s.average not in ("macro", "weighted"):
            return math.inf
        return self._rows_of_rarest

    @cached_property
    def _rows_of_rarest(self) -> float:
        rows = np.count_nonzero(self.sets.true, 0)
        return float(rows[rows > 0].min(initial=self.sets.rows))

    @cached_property
    def of_rarest(self) -> int:
        """The number of clusters with the rarest label."""
        codes = self.sets.cluster_codes
        assert codes is not None
        return min(
            (len(np.unique(codes[v])) for v in self.sets.true.T if v.any()),
            default=self.clusters or 0,
        )

    def clusters_beyond(self, s: Statistic) -> float:
        """Return infinity: no metric is read at a threshold alone."""
        return math.inf

    def jackknife(self, s: Statistic) -> Jackknife:
        """Return the delete-one jackknife values, by rows or by clusters."""
        changes = self._changes_of_mean(s) if is_over_rows(s) else self._changes_of_average(s)
        weights = self.sets.weights
        if weights is None or self.clustered:
            weights = np.ones(len(changes))
        ones, truth = np.ones(len(changes)), np.zeros(len(changes), np.intp)
        value = self.point(s).value
        return Jackknife(np.asarray(value), value + changes, weights, ones, truth)

    def influences(self, s: Statistic) -> Parts | None:
        """Return the influence of each row (or cluster) on a mean over rows."""
        if not is_over_rows(s):
            return None
        values, codes = self.in_rows(s), self.sets.cluster_codes
        weights = np.ones(len(values)) if self.sets.weights is None else self.sets.weights
        weights = np.where(np.isnan(values), 0.0, weights)
        off = weights * (np.nan_to_num(values) - self.point(s).value) / weights.sum()
        if codes is None:
            return within_classes(off, np.zeros(len(off), np.intp), weights)
        return [(self._by_unit(off), float(self.clusters or 0))]

    def _by_unit(self, of_rows: Floats) -> Floats:
        """Return the values per row, or their sums per cluster."""
        codes = self.sets.cluster_codes
        return of_rows if codes is None else np.asarray(np.bincount(codes, of_rows), float)

    def _changes_of_mean(self, s: Statistic) -> Floats:
        """Return the change of a mean over rows without each row."""
        values, mean = self.in_rows(s), self.point(s).value
        weights = np.ones(len(values)) if self.sets.weights is None else self.sets.weights
        weights = np.where(np.isnan(values), 0.0, weights)
        moved = self._by_unit(weights * (np.nan_to_num(values) - mean))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(-moved / (weights.sum() - self._by_unit(weights)))

    def _changes_of_average(self, s: Statistic) -> Floats:
        """Return the change of an average over labels without each row, to first order."""
        if _key(s) not in self._changes:
            others = [o for o in self._requested if o != s and self._changed_with(o, s)]
            self._add_changes([s, *others])
        return self._changes[_key(s)]

    def _changed_with(self, other: Statistic, s: Statistic) -> bool:
        """Return whether another statistic is jackknifed too, and from the same columns."""
        if is_over_rows(other) or self._stack(other) is not self._stack(s):
            return False
        decided = other.metric.wanted == "decisions"
        jackknifed = decided or other.metric._sampling.error in ("smooth", "optimistic")
        return jackknifed and decided == (s.metric.wanted == "decisions")

    def _add_changes(self, statistics: Sequence[Statistic]) -> None:
        """Compute the changes of several averages of decisions, or of scores.

        A row changes an average by the sum, over labels, of the slopes of its cells.
        """
        sets, of = self.sets, self._stack(statistics[0])
        averages = [_Average.of(s, self) for s in statistics]
        labels, threads = len(sets.labels), threads_for(sets.true.size)
        pooled, scored = of is self._pooled, statistics[0].metric.wanted != "decisions"
        slopes = [self._slopes_of(s) for s in statistics]
        tables = [
            np.stack([a.table(i, v) for a, v in zip(averages, of_label, strict=True)], -1)
            for i, of_label in enumerate(zip(*slopes, strict=True))
        ]
        cells = np.empty((labels, sets.rows), np.int32)

        def find(i: int) -> None:
            tally = of.tallies[0 if pooled else i] if scored else None
            bins = bins_of_each(of.true.shape[1])
            lows = None if tally is None else tally._coarse(bins, lowest=True).scores
            cells[i] = self._cells_of(i, lows)

        side_by_side(find, labels, threads)
        moved = np.empty((len(averages), sets.rows))

        def add(block: int) -> None:
            rows = slice(block * _ROWS_AT_ONCE, (block + 1) * _ROWS_AT_ONCE)
            with np.errstate(invalid="ignore"):
                changes = (tables[0 if pooled else i][cells[i, rows]] for i in range(labels))
                moved[:, rows] = sum(changes).T  # type: ignore[union-attr]

        side_by_side(add, -(-sets.rows // _ROWS_AT_ONCE), threads)
        weights = np.ones(sets.rows) if sets.weights is None else sets.weights
        for a, of_rows in zip(averages, moved, strict=True):
            with np.errstate(invalid="ignore"):
                changes = -weights * of_rows / a.shares.sum()
            self._changes[_key(a.statistic)] = self._by_unit(changes)

    def _slopes_of(self, s: Statistic) -> list[Floats]:
        """Return the influence of a row in each cell of a label on a metric, label by label."""
        if s.metric.wanted == "decisions":
            return [*self._stack(s).slopes(of_one_label(s))]
        return [np.concatenate(slopes[::-1]) for slopes in self.of_each_class(s, "slopes")]

    def _cells_of(self, i: int, lows: Floats | None) -> NDArray[np.int32]:
        """Return the cell of every row of a label: [true, predicted], or [true, score bin]."""
        true = self.sets.true[:, i].astype(np.int32)
        if lows is None:
            return true * 2 + self.model.decided[:, i]
        assert self.model.scores is not None
        return true * np.int32(len(lows)) + places(self.model.scores[:, i], lows)


@dataclass(eq=False)
class _Average:
    """An average over labels. ``values`` and ``shares`` are of the labels."""

    statistic: Statistic
    value: float
    values: Floats
    shares: Floats

    @classmethod
    def of(cls, s: Statistic, columns: LabelColumns) -> _Average:
        """Return an average with its value, and the values and shares of the labels."""
        values = columns._values_of(s)
        return cls(s, columns.point(s).value, values, columns._shares(s, values))

    def table(self, i: int, slopes: Floats) -> Floats:
        """Return how far a row in each cell of a label moves the average, times the shares."""
        if self.shares[i] == 0:  # the average excludes this label
            return np.zeros(len(slopes))
        table: Floats = slopes * self.shares[i]
        if self.statistic.average == "weighted":
            table[len(table) // 2 :] += self.values[i] - self.value
        return table


def bins_of_each(columns: int) -> int:
    """Return the number of bins per column: fewer for many columns, whose errors average out.

    >>> bins_of_each(3), bins_of_each(20), bins_of_each(100)
    (400, 200, 128)
    """
    return min(GROUPS, max(_FEWEST_BINS, _BINS_OF_ALL // columns))


def _key(s: Statistic) -> Any:
    """Return a key that is equal only for statistics that are computed alike."""
    return (s.metric.name, s.average, s.skip_undefined, *sorted(s.params.items()))


def is_over_rows(s: Statistic) -> bool:
    """Return whether a statistic is a mean of values computed on the labels of each row."""
    return s.metric.family == "multi-label" or s.average == "samples"


def values_in_rows(metric: Metric, true: Flags, decided: Flags, **params: Any) -> Floats:
    """Return a metric of decisions computed on the labels of each row, NaN where undefined."""
    cells = (true & decided, ~true & decided, true & ~decided, ~true & ~decided)
    counts = Counts(*(of.sum(1) for of in cells))
    read = counts if metric._needs == "counts" else counts.matrix()
    return np.asarray(metric.compute(read, **params))


def of_one_label(s: Statistic) -> Statistic:
    """Return the same metric for one label."""
    return Statistic.of(s.metric, HAS_IT, 1, **s.params)
