"""Compute intervals of a model's metrics when rows are clustered, e.g. several rows per patient.

Rows of one cluster are correlated, so they carry less information than independent rows. An
interval that assumes independence is too narrow, and tallies alone cannot say by how much.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError
from tallymark.infer.cluster_sizes import ClusterSizes, counted_decisions, counted_rows
from tallymark.infer.delong import areas_of
from tallymark.infer.influence import of_rows
from tallymark.infer.sampler import MOST_CELLS, BlockReplicates, Null, Sampler, moments
from tallymark.infer.samples import (
    Area,
    Case,
    Draw,
    Jackknife,
    Parts,
    Sample,
    critical_value,
    percentile_level,
)
from tallymark.infer.score_samples import Column, is_null
from tallymark.metric.measure import Statistic
from tallymark.reading.models import CountedRows, Model
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.joint import GROUPS, MOST_BLOCKS, PairedPredictions
from tallymark.tally.labels import LabelTally, one_class
from tallymark.tally.scores import ScoreCounts, ScoreTally
from tallymark.tally.sums import Sums, clustered_errors

DRAWS = 2000

FEWEST_BLOCKS = 500
"""Fewer blocks than this make resampling too coarse."""

TOO_MANY = "with this many classes the clusters are not resampled"
Changed = Callable[[Floats], Floats]
_HAIR = 1e-15
"""A variance smaller than this is rounding error of an exact zero."""


class Clustered(Sample):
    """One model's clustered rows, resampled by whole clusters.

    The ROC area has Obuchowski's variance, exact from the rows. For a mean over rows, deviations
    are summed within clusters first. Smooth metrics use the delete-one-cluster jackknife; all
    others use the bootstrap. A proportion of 0 or 1 has Wilson's interval with each cluster
    counted as one row, the worst case of correlation. Critical values are those of Student's t
    with the degrees of freedom that the clusters' sizes leave (:class:`.ClusterSizes`), or fewer
    where a few clusters carry most of the variance.

    More than 2,000 clusters are combined into as many blocks. The percentile interval of few
    clusters is too narrow: with m clusters by a factor of about the root of (m - 1)/m, and more
    for skewed metrics.
    """

    clustered = True
    change: Changed | None = None
    """Applied to the decision counts before a metric is computed."""

    def __init__(
        self,
        joint: PairedPredictions,
        model: Model,
        *,
        seed: int = 0,
        stratified: bool = False,
        draws: int = DRAWS,
    ) -> None:
        self.joint = replace(joint, models=(joint.model(model.name),))
        self.model, self.sampler = model, Sampler(seed, stratified)
        self.label: Label | None = None
        # Matrices of hundreds of classes are large, so draw fewer of them.
        self.draws = min(draws, max(FEWEST_BLOCKS, MOST_CELLS // len(joint.labels) ** 2))
        self.one_column = len(model.scores) == 1
        self.clusters = joint.groups
        self._of_class: dict[Label, Clustered] = {}
        self._sizes: dict[Any, ClusterSizes] = {}

    @classmethod
    def of(cls, counted: CountedRows, name: str, **options: Any) -> Clustered:
        """Return the clustered rows of the named model."""
        (model,) = (m for m in counted.models if m.name == name)
        if counted.clusters is None or counted.joint is None:
            raise InputError(
                f"the rows of {counted.source} come in no clusters; say which with cluster=..."
            )
        return cls(counted.joint, model, **options)

    def for_statistic(self, s: Statistic) -> Clustered:
        """Return the same rows and draws, one class against the rest if the statistic names one."""
        if s.average != "binary" or len(self.joint.labels) == 2:
            return self
        assert s.positive is not None
        if s.positive not in self._of_class:
            _ = self._decided  # drawn once for all classes
            against_rest = self._of_class[s.positive] = copy(self)
            against_rest.label, against_rest.one_column = s.positive, True
            against_rest._sizes = {}
        return self._of_class[s.positive]

    @property
    def _column(self) -> int | None:
        """The score column of the one class to judge; None with one column or without a class."""
        several = self.label is not None and len(self.model.scores) > 1
        return self.joint.labels.index(self.label) if several else None

    @property
    def tally(self) -> ScoreTally | None:
        """The scores of the class that is judged, None for decisions alone."""
        return self.model.scores[self._column or 0] if self.model.scores else None

    @cached_property
    def resampled(self) -> BlockReplicates | None:
        """The model's counts over the draws; None with too many classes to draw together."""
        return self._resampled(self.joint, self.model)

    def _resampled(self, joint: PairedPredictions, model: Model) -> BlockReplicates | None:
        k = len(joint.labels)
        most = MOST_CELLS // (k * max(GROUPS * len(model.scores), k))
        if most < min(FEWEST_BLOCKS, joint.groups or 0):
            return None
        most = min(most, MOST_BLOCKS)
        return BlockReplicates(joint, [model], self.sampler, draws=self.draws, most=most)

    # -- the interface for interval methods ----------------------------------------------------

    def refusal(self, s: Statistic) -> str | None:
        """Return why a statistic cannot be resampled by clusters, None if it can."""
        if s.metric._needs in ("counts", "matrix"):
            return TOO_MANY if self._decided is None else None
        if s.average == "micro" and not self.one_column:
            return "a ranking of all classes together repeats every row"
        if self.resampled is None:
            return TOO_MANY
        if self._column is not None or self.resampled.holds(0, s):
            return None
        return "it is not resampled with its clusters"

    def replicates(self, cases: Sequence[Case], draw: Draw) -> Sequence[Floats]:
        """Return the values of cases over bootstrap draws of whole clusters."""
        out = []
        for case in cases:
            values, whole = self._values(case.statistic, self._counts(case.statistic))
            if case.statistic.metric._needs not in ("counts", "matrix"):
                with np.errstate(invalid="ignore"):
                    values = values + (case.values - whole)  # recentre binned values
            out.append(values[None])
        return out

    def jackknife(self, s: Statistic) -> Jackknife:
        """Return the delete-one-cluster (or delete-one-block) jackknife. Source: efron1993."""
        values, whole = self._values(s, self._counts(s).without_each)
        each = np.ones(len(values))
        return Jackknife(whole, values[None], each, each, np.zeros(len(each), np.intp))

    def moves(self, s: Statistic) -> Floats:
        """Return by how much the metric rises without each cluster, in the order of the codes.

        NaN where it is infinite both with and without the cluster.
        """
        changed, whole = self._values(s, self._counts(s).without_each)
        place = self._counts(s).joint.canonical_places(self.sampler.seed)
        with np.errstate(invalid="ignore"):
            return np.asarray((changed - whole)[place % len(changed)])

    def bias(self, s: Statistic, without: Jackknife) -> float:
        """Return the bootstrap estimate of bias: the mean over cluster draws minus the value."""
        return float(moments(self._values(s, self._counts(s))[0])[0] - without.value[0])

    def is_null(self, s: Statistic, value: float, level: float) -> bool:
        """Return whether the null hypothesis often gives a value this far from it.

        Rows count for less by their design effect under that hypothesis.
        """
        scores = self.model.scores
        chosen = scores if self._column is None else [scores[self._column]]
        tallies = s.of_requested_classes(chosen)
        columns = [Column(t, self.sampler, design_effects=self._null_effects(t)) for t in tallies]
        own = [value]
        if len(columns) > 1:
            own = [float(s.of_score_counts([t._score_counts])) for t in tallies]
        support = None
        if s.average == "weighted":
            support = [float(t._score_counts.positives) for t in tallies]

        def of_each(purpose: str, draws: int) -> Sequence[Floats]:
            pairs = zip(columns, own, strict=True)
            return [column.null_values(s, v, purpose, draws) for column, v in pairs]

        return is_null(s, value, level, of_each, support)

    def _null_effects(self, tally: ScoreTally) -> dict[Null, float]:
        """Return the design effects on calibration errors and on ranks of one column.

        Var(Σ e) by clusters over that of independent rows, with e the residuals y - p, or the
        products of centred classes and centred ranks. At least 1, and larger by the square of
        Student's quantile over the normal one, since few clusters estimate it badly.
        """
        joint, scores = self.joint, self.joint.models[0].scores
        assert joint.clusters is not None
        code = joint.labels.index(tally.positive)
        score = scores[0 if len(scores) == 1 else code]
        w = np.ones(joint.rows) if joint.weights is None else joint.weights
        y = (joint.true == code).astype(np.float64)
        _, place, size = np.unique(score, return_inverse=True, return_counts=True)
        rank = (size.cumsum() - size / 2)[place]
        ranked = (y - np.average(y, weights=w)) * (rank - np.average(rank, weights=w))
        few, many = (
            float(critical_value(0.95, freedom))
            for freedom in (self._sizes_of_rows.degrees_of_freedom, math.inf)
        )
        effects: dict[Null, float] = {}
        of_rows: dict[Null, Floats] = {
            "calibrated": y - score,
            "no skill": ranked - np.average(ranked, weights=w),
        }
        for null, e in of_rows.items():
            alone, together = (w * e) ** 2, np.bincount(joint.clusters, w * e) ** 2
            ratio = together.sum() / alone.sum() if alone.any() else 1.0
            effects[null] = max(float(ratio) * (few / many) ** 2, 1.0)
        return effects

    def _counts(self, s: Statistic) -> BlockReplicates:
        """Return the block counts that a statistic needs: decisions or scores."""
        r = self._decided if s.metric._needs in ("counts", "matrix") else self.resampled
        assert r is not None
        return r

    def _values(self, s: Statistic, r: BlockReplicates) -> tuple[Floats, Floats]:
        """Return the values over replicates (draws,) and of the original counts (1,).

        Scores are binned, so the value of the counts differs slightly from that of the rows.
        """
        if s.metric._needs in ("counts", "matrix"):
            of_draws = np.asarray(s.of_matrix(*self._cells(r.matrices(0))))
            counts = self.model.labels.reorder(self.joint.labels).counts
            return of_draws, np.asarray(s.of_matrix(*self._cells(counts[None])))
        if self._column is None:
            both = r.values(0, s)
            assert both is not None
            return both[0], np.atleast_1d(both[1])
        values, whole = (s.of_score_counts([kind[self._column]]) for kind in r.rankings(0))
        return values, np.ravel(whole)

    def sizes(self, s: Statistic) -> ClusterSizes:
        """Return the cluster sizes, measured by what the statistic's denominator counts."""
        key = (s.metric.name, s.average, s.positive, *sorted(s.params.items()))
        if key not in self._sizes:
            sizes = None
            if s.metric._needs in ("counts", "matrix") and self._decided is not None:
                cells = self._decided.blocks.decided[0] * self._class_factors[:, None]
                sizes = counted_decisions(s, *self._cells(cells))
            if sizes is None:
                rows = self._rows_of_clusters * self._class_factors
                sizes = counted_rows(s, rows, self.joint.labels)
            self._sizes[key] = ClusterSizes.of(sizes)
        return self._sizes[key]

    def few_clusters(self, s: Statistic) -> str | None:
        """Return why an interval may be too narrow, None with enough degrees of freedom."""
        return self.sizes(s).warning(self._sizes_of_rows)

    @cached_property
    def _sizes_of_rows(self) -> ClusterSizes:
        """The sizes of the clusters by their rows."""
        return ClusterSizes.of((self._rows_of_clusters * self._class_factors).sum(-1))

    def degrees_of(self, s: Statistic) -> float:
        """Return the degrees of freedom that the sizes of the clusters leave."""
        return self.sizes(s).degrees_of_freedom

    @cached_property
    def _rows_of_clusters(self) -> Floats:
        """The rows of each cluster by true class, or the sums of their weights."""
        joint, block = self.joint, self.joint.cluster_blocks(self.sampler.seed)
        shape = (int(block.max()) + 1, len(joint.labels))
        return joint.cells(shape, block, joint.true)

    @cached_property
    def _class_factors(self) -> Floats:
        """The factor of the rows of each class: 1, or what gives classes their fixed shares."""
        rows = self._rows_of_clusters.sum(0)
        if not self.sampler.stratified:
            return np.ones(len(rows))
        support = self.model.labels.reorder(self.joint.labels).counts.sum(1)
        return np.asarray(support / np.where(rows > 0, rows, 1.0))

    def percentile_level(self, s: Statistic, level: float) -> float:
        """Return the nominal level at which percentile intervals have the coverage of ``level``.

        It is higher than ``level``, as Student's t is wider than the normal distribution.
        """
        return percentile_level(level, self.degrees_of(s))

    @cached_property
    def area(self) -> Area:
        """The ROC area with Obuchowski's variance, and the number of clusters with each class."""
        joint, tally = self.joint, self.model.scores[0]
        if self._column is not None:
            side, tally = joint.models[0], self.model.scores[self._column]
            alone = replace(side, scores=(side.scores[self._column],))
            joint = replace(joint, models=(alone,), positive=self.label)
        aucs, covariance, parts = areas_of(joint, [tally])
        freedom = min((effective - 1 for _, effective in parts), default=self.degrees_of_freedom)
        variance = np.where(covariance[0] < _HAIR, 0.0, covariance[0])
        assert joint.clusters is not None
        of_class = joint.true == joint.positive_code
        sizes = (len(np.unique(joint.clusters[own])) for own in (of_class, ~of_class))
        m, n = (np.full(1, size, float) for size in sizes)
        return Area(aucs, variance, m, n, np.full(1, freedom))

    def proportion(self, s: Statistic) -> tuple[Floats, Floats]:
        """Return successes and rows of a proportion, each block counted as one row."""
        if (of := s.metric._sampling.of_proportion) is not None:
            assert self.joint.clusters is not None
            whole = np.bincount(self.joint.clusters, self.joint.weights)
            hit, rows = of.counts(self.model.scores[self._column or 0]._score_counts)
            n = whole.sum() ** 2 / (whole**2).sum()
            return np.atleast_1d(hit / rows * n), np.atleast_1d(n)
        assert self._decided is not None
        assert s.metric._sampling.proportion is not None
        part, whole = s.metric._sampling.proportion(
            s.view(*self._cells(self._decided.blocks.decided[0]))
        )
        with np.errstate(invalid="ignore"):
            n = np.asarray(whole.sum() ** 2 / (whole**2).sum())
            return np.atleast_1d(part.sum() / whole.sum() * n), np.atleast_1d(n)

    @cached_property
    def errors(self) -> Sums | None:
        """Sums whose averages are the standard errors of means over rows."""
        if not self.joint.models[0].scores:
            return None
        return row_errors(self.joint, self.model, self.sampler.stratified)

    def influences(self, s: Statistic) -> Parts | None:
        """Return the influences of the clusters on a mean over rows."""
        joint, fixed = self.joint, self.sampler.stratified
        weights = np.ones(joint.rows) if joint.weights is None else joint.weights
        weights = weights * self._class_factors[joint.true]
        of_each = of_rows(replace(joint, weights=weights), self.model, s, stratified=fixed)
        if of_each is None:
            return None
        assert joint.clusters is not None
        of_clusters = np.bincount(joint.clusters, of_each)
        return [(np.asarray(of_clusters, np.float64), float(len(of_clusters)))]

    @cached_property
    def of_rarest(self) -> int:
        """The number of clusters that hold the rarest class."""
        true, clusters = self.joint.true, self.joint.clusters
        assert clusters is not None
        return min(len(np.unique(clusters[true == code])) for code in np.unique(true))

    def clusters_beyond(self, s: Statistic) -> float:
        """Return how many clusters the fewest rows beyond the statistic's operating point make.

        Those are the rows of one class on one side of it, in clusters of the mean size.
        """
        r = self.model.scores[self._column or 0]._score_counts
        place = s.operating_point(r)
        if place is None:
            return math.inf
        tp, fp = (float(above[min(place, len(above) - 1)]) for above in r._cumulative_counts)
        positives, negatives = float(r.positives), float(r.negatives)
        rows = min(tp, positives - tp, fp, negatives - fp)
        return rows * self.effective_rows / (positives + negatives)

    @property
    def effective_rows(self) -> float:
        """The effective number of rows of a mean: the number of clusters."""
        return float(self.joint.groups or 0)

    # -- decisions -----------------------------------------------------------------------------

    @cached_property
    def _decided(self) -> BlockReplicates | None:
        """The decision counts over the draws; fewer cells than the scores of each class."""
        if self.resampled is not None:
            return self.resampled
        column = self.joint.models[0]
        if column.decided is None:
            code = self.joint.positive_code
            column = replace(column, decided=column.decisions(self.model.threshold, code))
        joint = replace(self.joint, models=(replace(column, scores=()),))
        return self._resampled(joint, replace(self.model, scores=(), threshold=None))

    def _cells(self, matrices: NDArray[np.float64]) -> tuple[Floats, tuple[Label, ...]]:
        """Return matrices and their labels, reduced to one class against the rest if one is set."""
        if self.change is not None:
            matrices = self.change(matrices)
        if self.label is None:
            return matrices, self.joint.labels
        return one_class(matrices, self.joint.labels, self.label).matrix(), self.labels

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes, reduced to one class against the rest if one is set."""
        if self.label is None:
            return self.joint.labels
        return next(c for c in self.model.labels.labels if c != self.label), self.label

    def halves(self, repeats: int) -> ScoreCounts:
        """Return both halves of random splits of the clusters: pos and neg [repeats, 2, G]."""
        assert self.resampled is not None  # two classes always fit
        blocks, rng = self.resampled.blocks, self.sampler.generator("halves", "blocks")
        half = rng.permuted(np.tile(np.arange(len(blocks)) % 2, (repeats, 1)), axis=1)
        times = np.stack([half == 0, half == 1], 1).reshape(2 * repeats, 1, -1).astype(np.float64)
        (r,) = blocks.rankings(0, np.repeat(times, len(self.joint.labels), 1))
        pos, neg = (v.reshape(repeats, 2, len(r.scores)) for v in (r.pos, r.neg))
        return ScoreCounts(r.scores, pos, neg)

    def deciding(self, decisions: LabelTally, threshold: float, change: Changed) -> Clustered:
        """Return the same clusters with decisions at another threshold.

        ``change`` is applied to the counts of every draw, as it is to those of all rows.
        """
        column, code = self.joint.models[0], self.joint.positive_code
        column = replace(column, decided=column.decisions(threshold, code), scores=())
        model = replace(self.model, labels=decisions, scores=(), threshold=None)
        clustered = Clustered(
            replace(self.joint, models=(column,)),
            model,
            seed=self.sampler.seed,
            stratified=self.sampler.stratified,
            draws=self.draws,
        )
        clustered.change = change
        return clustered


def row_errors(joint: PairedPredictions, model: Model, stratified: bool) -> Sums:
    """Return sums whose averages are the standard errors of a model's mean losses over the rows."""
    columns = joint.model(model.name).scores
    scores = columns[0] if joint.positive_code is not None else np.stack(columns, 1)
    codes, support = joint.true, model.labels.reorder(joint.labels).counts.sum(1)
    if joint.positive_code is not None:
        codes = (codes == joint.positive_code).astype(np.int8)
        support = support[[1 - joint.positive_code, joint.positive_code]]
    if joint.clusters is not None:
        return clustered_errors(
            codes,
            scores,
            joint.clusters,
            weights=joint.weights,
            shares=support / support.sum() if stratified else None,
        )
    sums = Sums._of_rows(codes, scores, joint.weights)
    if stratified:
        sums = sums._weighed(support / np.where(sums.weights > 0, sums.weights, 1.0))
    return sums._errors(stratified=stratified)
