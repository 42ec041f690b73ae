"""Rows that have any number of labels: averages over labels and over rows, with their intervals.

Rows, or clusters of them, are independent; the labels of one row are not. A row moves an average
over labels by the sum of what it moves in every label, to first order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np

from tallymark.infer.jackknife import GROUPS, Jackknife, StandardError, jackknife_matrices
from tallymark.infer.sampler import Sampler
from tallymark.infer.stacks import Columns, Draw
from tallymark.metric.measure import Statistic, Value
from tallymark.tally.arrays import Coded, Floats, Label
from tallymark.tally.joint import places
from tallymark.tally.label_sets import (
    LabelSets,
    SetModel,
    counts_of_labels,
    counts_of_rows,
    ranking_losses,
    set_losses,
    sums_of_values,
)
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreTally
from tallymark.tally.sums import Sums

AVERAGES = ("macro", "micro", "weighted", "samples")
"""How a metric of one label becomes a number of all: the mean over labels, all labels of all rows
as one, the mean over labels by how many rows have them, and the mean over rows."""

HAS_IT: tuple[Label, Label] = (0, 1)
"""The classes of one label."""

MOST_REASONS = 3


class LabelColumns(Columns):
    """One model's sets and scores of the same rows, with a column for each label."""

    averages = ("macro", "weighted", "micro")
    part = "label"
    judged_together = False

    def __init__(self, sets: LabelSets, model: SetModel, seed: int = 0) -> None:
        self.joint, self.model = sets, model
        values, tallies = set_losses(sets.true, model.decided), tuple[ScoreTally, ...]()
        if model.scores is not None:
            values |= ranking_losses(sets.true, model.scores)
            columns = zip(sets.true.T, model.scores.T, strict=True)
            tallies = tuple(self._tally(*column, sets.weights) for column in columns)
        sums, self._errors = sums_of_values(values, sets.weights, sets.clusters)
        super().__init__(tallies, sums, Sampler(seed), cast("Any", sets))
        self.weighted, self.clustered = sets.weights is not None, sets.clusters is not None
        if sets.groups and sets.groups > 1:
            self.degrees_of_freedom = sets.groups - 1
        self._of_rows: dict[Any, tuple[Sums, Sums, int]] = {}

    @staticmethod
    def _tally(true: Any, scores: Any, weights: Floats | None) -> ScoreTally:
        coded = Coded(true.astype(np.intp), HAS_IT)
        scores = np.ascontiguousarray(scores)
        return ScoreTally.from_arrays(
            coded, scores, positive=1, labels=HAS_IT, sample_weight=weights
        )

    # -- values --------------------------------------------------------------------------------

    @cached_property
    def counts(self) -> tuple[Floats, Floats | None]:
        """The matrix of each label [label, true, predicted], and sums of squared weights."""
        w, both = self.joint.weights, (self.joint.true, self.model.decided)
        return counts_of_labels(*both, w), None if w is None else counts_of_labels(*both, w**2)

    @cached_property
    def pooled(self) -> ScoreTally:
        """The scores of all labels of all rows as one column."""
        sets, scores = self.joint, self.model.scores
        assert scores is not None
        weights = None if sets.weights is None else np.repeat(sets.weights, len(sets.labels))
        return self._tally(sets.true.ravel(), scores.ravel(), weights)

    @cached_property
    def support(self) -> Floats:
        """How many rows have each label, or the sum of their weights."""
        return np.asarray(self.counts[0].sum(-1)[:, 1])

    def point(self, s: Statistic) -> Value:
        """Return the value without an interval."""
        if s.metric.family == "multi-label":
            assert self.sums is not None
            return Value(s.metric.name, float(s.metric.compute(self.sums)))
        if s.average == "samples":
            sums, _, undefined = self.of_rows(s)
            why = "it is undefined in every row" if not sums.rows else None
            return Value(
                s.metric.name, sums.average(s.metric.name), reason=why, n_undefined=undefined
            )
        if s.average == "micro":
            values, shares = self._of_labels(s, pooled=True), np.ones(1)
        else:
            values = self._of_labels(s)
            shares = self._shares(s, values)
        with np.errstate(all="ignore"):
            value = float(np.where(shares > 0, values * shares, 0.0).sum() / shares.sum())
        reason = None
        if math.isnan(value):
            reason = self._reason(s, np.isnan(values) & (shares > 0))
        skipped = int(np.isnan(values).sum()) if s.skip_undefined else 0
        return Value(s.metric.name, value, reason=reason, n_undefined=skipped)

    def _shares(self, s: Statistic, values: Floats) -> Floats:
        shares = self.support if s.average == "weighted" else np.ones(len(values))
        return np.where(np.isnan(values), 0.0, shares) if s.skip_undefined else shares

    def _of_labels(self, s: Statistic, *, pooled: bool = False) -> Floats:
        """Return the metric of each label, or of all together."""
        one = of_one_label(s)
        if s.metric.needs in ("counts", "matrix"):
            counts = self.counts[0]
            return np.asarray(one.of_matrix(counts.sum(0)[None] if pooled else counts, HAS_IT))
        tallies = (self.pooled,) if pooled else self.tallies
        return np.array([float(one.of_score_counts([t.score_counts])) for t in tallies])

    def _reason(self, s: Statistic, undefined: Any) -> str:
        """Say of which labels a metric is undefined, and why."""
        one, decided = of_one_label(s), s.metric.needs in ("counts", "matrix")
        if not undefined.any() or s.average == "micro":
            return "no label is left to average" if s.average != "micro" else "no label occurs"
        labels = np.flatnonzero(undefined)
        words = []
        for i in labels[:MOST_REASONS].tolist():
            tally: Any = [self.tallies[i]] if not decided else None
            tally = tally or LabelTally(HAS_IT, self.counts[0][i])
            words.append(f"label {self.joint.labels[i]!r}: {one.told(tally)}")
        more = len(labels) - MOST_REASONS
        return "; ".join([*words, *([f"and {more} more labels"] if more > 0 else [])])

    def of_rows(self, s: Statistic) -> tuple[Sums, Sums, int]:
        """Return sums over rows of what a metric is of the labels of each, with their errors.

        In how many rows it is undefined comes third: they count 0, unless they are skipped.
        """
        key = (s.metric.name, s.skip_undefined, *sorted(s.params.items()))
        if key not in self._of_rows:
            sets = self.joint
            counts = counts_of_rows(sets.true, self.model.decided)
            read = counts if s.metric.needs == "counts" else counts.matrix()
            values = np.asarray(s.metric.compute(read, **s.params))
            known = ~np.isnan(values)
            keep = known if s.skip_undefined else np.ones(len(known), bool)
            made = sums_of_values(
                {s.metric.name: np.where(known, values, 0.0)[keep]},
                None if sets.weights is None else sets.weights[keep],
                None if sets.clusters is None else sets.clusters[keep],
            )
            self._of_rows[key] = (*made, int((~known).sum()))
        return self._of_rows[key]

    # -- what methods ask ----------------------------------------------------------------------

    @cached_property
    def errors(self) -> Sums | None:
        """Sums whose averages are the standard errors of the means over rows."""
        return self._errors

    @property
    def effective_rows(self) -> float:
        """Rows that a mean over them is of, by their weights; or the clusters."""
        return float(self.joint.groups) if self.joint.groups else super().effective_rows

    def refusal(self, s: Statistic) -> str | None:
        """Say why a statistic has no jackknife here."""
        return None if s.metric.of_one_class else "it is no number of one label"

    def cannot_draw(self, s: Statistic, draw: Draw) -> str | None:
        """Say why no replicates are drawn."""
        return "rows of several labels are not drawn"

    def rows_of_rarest(self, s: Statistic) -> float:
        """Return how many rows have the rarest label that an average over labels is taken over."""
        if s.average not in ("macro", "weighted") or s.metric.family == "multi-label":
            return math.inf
        rows = self.joint.true.sum(0)
        return float(rows[rows > 0].min(initial=self.joint.rows))

    @property
    def of_rarest(self) -> int:
        """The fewest clusters that hold a label."""
        held = self.joint.clusters_of_labels
        return int(held[held > 0].min(initial=self.joint.groups or 0))

    def rows_beyond(self, s: Statistic) -> float:
        """Return that no number is read at a threshold alone."""
        return math.inf

    def jackknife(self, s: Statistic) -> Jackknife:
        """Return an average over labels without each of the rows, or clusters of them."""
        sets, value = self.joint, self.point(s).value
        n, k = sets.true.shape
        moved, micro = np.zeros(n), s.average == "micro"
        of_labels = np.full(k, value) if micro else self._of_labels(s)
        shares = np.ones(k) if micro else self._shares(s, of_labels)
        tables = self._slopes(s)
        for i, share in enumerate(shares.tolist()):
            if share == 0:
                continue  # a label that the average leaves out
            table = tables[0 if micro else i] * share
            if s.average == "weighted":
                table[1] += of_labels[i] - value
            with np.errstate(invalid="ignore"):
                moved += np.take(table.ravel(), self._cell_in(s, i))
        weights = np.ones(n) if sets.weights is None else sets.weights
        with np.errstate(invalid="ignore"):
            changes = -weights * moved / (1.0 if micro else shares.sum())
        if sets.clusters is not None:
            changes = np.bincount(sets.clusters, changes, sets.groups or 0)
            weights = np.ones(len(changes))
        ones, truth = np.ones(len(changes)), np.zeros(len(changes), np.intp)
        return Jackknife(np.asarray(value), value + changes, weights, ones, truth)

    def standard_error(self, s: Statistic) -> StandardError | None:
        """Return the error of rows in clusters, with fewer degrees of freedom than there are."""
        if not self.clustered:
            return None
        error, freedom, acceleration = self.jackknife(s).standard_error
        return StandardError(error, np.minimum(freedom, self.degrees_of_freedom), acceleration)

    def _slopes(self, s: Statistic) -> Sequence[Floats]:
        """Return what a row moves the metric of each label: [true, predicted or group of scores].

        Of micro averages that of all labels together.
        """
        one, micro = of_one_label(s), s.average == "micro"
        if s.metric.needs not in ("counts", "matrix"):
            tallies = [self.pooled] if micro else self.tallies
            return [np.stack(self.column(t).slopes(one)[::-1]) for t in tallies]
        counts, squares = self.counts
        if micro:
            counts = counts.sum(0)[None]
            squares = None if squares is None else squares.sum(0)[None]
        found = jackknife_matrices(one, counts, squares, HAS_IT)
        with np.errstate(invalid="ignore", divide="ignore"):
            slopes = (found.value[:, None] - found.values) / found.weight
        return np.where(found.weight > 0, slopes, 0.0).reshape(-1, 2, 2)  # type: ignore[return-value]

    def _cell_in(self, s: Statistic, i: int) -> Any:
        """Return the cell of every row in the table of a label."""
        true = self.joint.true[:, i].astype(np.int32)
        if s.metric.needs in ("counts", "matrix"):
            return true * 2 + self.model.decided[:, i]
        assert self.model.scores is not None
        tally = self.pooled if s.average == "micro" else self.tallies[i]
        lows = tally.coarse(GROUPS, lowest=True).scores
        return true * np.int32(len(lows)) + places(self.model.scores[:, i], lows)

    def bias(self, s: Statistic, without: Jackknife) -> float:
        """Return by how much resampling moves an average over labels."""
        if s.average != "micro":
            return super().bias(s, without)
        column, one = self.column(self.pooled), of_one_label(s)
        return column.bias(one, column.jackknife(one))


def of_one_label(s: Statistic) -> Statistic:
    """Return the same metric of one label."""
    return Statistic.of(s.metric, HAS_IT, 1, **s.params)
