"""Rows that belong together, as those of one patient: a model's intervals from whole clusters.

Rows of one cluster are alike, and tell less than as many rows that stand alone: an interval that
takes them for independent is too narrow, by a factor that no tally knows.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.data import CountedRows, Model
from tallymark.errors import InputError
from tallymark.infer.delong import clustered_auc_interval
from tallymark.infer.jackknife import CHANCE, drawn_with_chance, scaled, student, with_chance
from tallymark.infer.resampled import Resampled
from tallymark.infer.sampler import percentile_bounds
from tallymark.metric import get
from tallymark.metric.measure import Statistic
from tallymark.metric.proportion import quantile, wilson
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.joint import GROUPS, MOST_BLOCKS, ModelColumn, PairedPredictions
from tallymark.tally.labels import against_rest, one_vs_rest
from tallymark.tally.scores import ScoreCounts
from tallymark.tally.sums import Sums, clustered_errors

DRAWS = 2000

MOST_CELLS = 80_000_000
"""Cells of all blocks, groups of scores and classes that are counted at most."""

FEWEST_BLOCKS = 500
"""Fewer blocks than this would blur what resampling them shows."""

TOO_MANY = "of so many classes the clusters are not resampled"
_HAIR = 1e-12

Bounds = tuple[float, float, str]


class Clustered:
    """One model's rows in clusters, and the bounds of its numbers from resampling those whole.

    ``joint`` holds the rows with their clusters. A number is bounded by

    - Obuchowski's variance of the AUC (and of Gini) on the logit scale, exact from the rows;
    - a normal interval for means over rows, the deviations of a cluster's rows added up first;
    - the percentile interval of draws of whole clusters for anything else; a proportion that is
      the same in every draw, as one of 0 or 1, has Wilson's with all rows of a cluster taken for
      one row, which is the most that they can be alike.

    More than 2,000 clusters are drawn in so many blocks of several. The percentile interval of few
    clusters is too narrow: of m clusters by a factor of about the root of (m - 1)/m, and more for
    skewed numbers.
    """

    def __init__(
        self,
        joint: PairedPredictions,
        model: Model,
        *,
        seed: int = 0,
        stratified: bool = False,
        draws: int = DRAWS,
    ) -> None:
        if draws < 100:
            raise InputError(f"draws is {draws}; an interval needs at least 100")
        self.joint = replace(joint, models=(joint.model(model.name),))
        self.model = model
        self.seed = seed
        self.stratified = stratified
        # Matrices of hundreds of classes are large, and fewer of them have to do.
        cells = len(joint.labels) ** 2
        self.draws = min(draws, max(FEWEST_BLOCKS, MOST_CELLS // cells))
        self.label: Label | None = None

    @classmethod
    def of(cls, counted: CountedRows, name: str, **options: Any) -> Clustered:
        """Return the rows of one model of all that was counted."""
        (model,) = (m for m in counted.models if m.name == name)
        if counted.clusters is None or counted.joint is None:
            raise InputError(
                f"the rows of {counted.source} come in no clusters; say which with cluster=..."
            )
        return cls(counted.joint, model, **options)

    def of_class(self, label: Label) -> Clustered:
        """Return the same rows and draws, to judge one class against the rest."""
        found = Clustered(
            self.joint, self.model, seed=self.seed, stratified=self.stratified, draws=self.draws
        )
        found.__dict__.update(self.__dict__)
        found.label = label
        return found

    @cached_property
    def resampled(self) -> Resampled | None:
        """The model's counts over the draws; None for more classes than can be drawn together."""
        return self._resampled(self.joint, self.model)

    def _resampled(self, joint: PairedPredictions, model: Model) -> Resampled | None:
        k = len(joint.labels)
        most = MOST_CELLS // (k * max(GROUPS * len(model.scores), k))
        if most < min(FEWEST_BLOCKS, joint.groups or 0):
            return None
        options: dict[str, Any] = {"seed": self.seed, "stratified": self.stratified}
        most = min(most, MOST_BLOCKS)
        return Resampled(joint, [model], draws=self.draws, most=most, **options)

    def bound(self, s: Statistic, value: float, level: float) -> Bounds:
        """Return low, high and the method's name of a statistic, NaN and why where there is none.

        Standard errors reach as far as Student's t with a freedom less than there are clusters.
        """
        z = student(level, self._clusters - 1) if self._clusters > 1 else quantile(level)
        return self._bounds(s, value, z, level)

    def _bounds(self, s: Statistic, value: float, z: float, level: float) -> Bounds:
        if self.joint.groups == 1:
            return math.nan, math.nan, "all rows are of one cluster"
        if s.metric.needs in ("counts", "matrix"):
            return self._of_decisions(s, value, level)
        alone = len(self.model.scores) == 1 or self.label is not None
        if s.metric.roc_area is not None and alone:
            return self._of_area(s, z)
        if s.metric.needs == "rows" or self._is_mean(s):
            return self._of_rows(s, value, z)
        of, how = s.metric.averages or ("", "")
        if how == "weighted":
            s = Statistic(get(of), how)
        if s.average == "micro" and not alone:
            why = "a ranking of all classes together repeats every row"
            return math.nan, math.nan, why
        if self.resampled is None:
            return math.nan, math.nan, TOO_MANY
        found = self._values(self.resampled, s)
        if found is None:
            return math.nan, math.nan, "it is not resampled with its clusters"
        values, coarse = found
        if s.metric.error != "quantile":
            n = self._clusters
            with np.errstate(invalid="ignore"):  # where draws are infinite there is none
                half = z * float(np.nanstd(values)) * math.sqrt(n / (n - 1))
                bias = float(np.nanmean(values)) - float(coarse)
            low, high = scaled(value, half, 1.0, s.metric.range_of(**s.params))
            if low < high:
                name = f"cluster bootstrap errors, {self.draws:,} draws, Student's t"
                if s.metric.error != "smooth":
                    low, high = with_chance((low, high), value, bias, half)
                    name += CHANCE
                return low, high, name
        low, high = self._percentiles(values, level)
        with np.errstate(invalid="ignore"):
            shift = float(np.subtract(value, coarse))
        return low + shift, high + shift, self._name

    @property
    def _name(self) -> str:
        return f"cluster bootstrap, {self.draws:,} draws"

    def _percentiles(self, values: NDArray[Any], level: float) -> tuple[float, float]:
        """Return percentiles further out than the level says, as Student's t is further out.

        Percentiles of draws of n clusters are too near by the root of (n-1)/n, and take the spread
        of the clusters for known (Hesterberg 2015).
        """
        from scipy.special import ndtr

        n = self._clusters
        z = student(level, n - 1) * math.sqrt(n / (n - 1))
        low, high = percentile_bounds(values, float(1 - 2 * ndtr(-z)))
        return float(low), float(high)

    @property
    def _clusters(self) -> int:
        return self.joint.groups or 2

    # -- decisions -----------------------------------------------------------------------------

    @cached_property
    def _decided(self) -> Resampled | None:
        """The decisions over the draws, which are fewer cells than the scores of each class."""
        if self.resampled is not None:
            return self.resampled
        side = self.joint.models[0]
        joint = replace(self.joint, models=(replace(side, scores=()),))
        if side.decided is None:
            code = self.joint.positive_code
            joint = replace(
                joint, models=(ModelColumn(side.name, side.decisions(self.model.threshold, code)),)
            )
        model = replace(self.model, scores=(), threshold=None)
        return self._resampled(joint, model)

    def _cells(
        self, matrices: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], tuple[Label, ...]]:
        """Return matrices and their labels: of one class against the rest where one is judged."""
        labels = self.joint.labels
        if self.label is None:
            return matrices, labels
        i = labels.index(self.label)
        c = one_vs_rest(matrices)
        rows = [np.stack([c.tn, c.fp], -1)[..., i, :], np.stack([c.fn, c.tp], -1)[..., i, :]]
        return np.stack(rows, -2), against_rest(self.model.labels, self.label).labels

    def _of_decisions(self, s: Statistic, value: float, level: float) -> Bounds:
        if self._decided is None:
            return math.nan, math.nan, TOO_MANY
        matrices, labels = self._cells(self._decided.matrices(0))
        drawn = s.of_matrix(matrices, labels)
        low, high = self._percentiles(drawn, level)
        if s.metric.error == "optimistic":
            found = drawn_with_chance(np.array(low), np.array(high), drawn, np.array(value))
            return float(found[0]), float(found[1]), self._name + CHANCE
        if high - low > _HAIR or s.metric.proportion is None:
            return low, high, self._name
        if s.average not in ("overall", "binary") or (self.stratified and s.mixes_classes(labels)):
            return low, high, self._name
        blocks, _ = self._cells(self._decided.blocks.decided[0])
        part, whole = s.metric.proportion(s.view(blocks, labels))
        total, second = float(whole.sum()), float((whole**2).sum())
        if not second:
            return low, high, self._name
        n = total**2 / second
        lows, highs = wilson(float(part.sum()) / total * n, n, quantile(level))
        return float(lows), float(highs), "Wilson, a cluster as one row (conservative)"

    # -- scores --------------------------------------------------------------------------------

    def _of_area(self, s: Statistic, z: float) -> Bounds:
        joint, tally = self.joint, self.model.scores[0]
        if self.label is not None and len(self.model.scores) > 1:
            at = self.joint.labels.index(self.label)
            side, tally = self.joint.models[0], self.model.scores[at]
            alone = ModelColumn(side.name, side.decided, (side.scores[at],))
            joint = replace(joint, models=(alone,), positive=self.label)
        low, high, method = clustered_auc_interval(joint, tally, z)
        of = s.metric.roc_area
        assert of is not None
        return of(low), of(high), method

    def _values(self, r: Resampled, s: Statistic) -> tuple[NDArray[Any], float] | None:
        if self.label is None or len(self.model.scores) == 1:
            return r.values(0, s)
        at = self.joint.labels.index(self.label)
        drawn, once = r.rankings(0)
        return s.of_score_counts([drawn[at]]), float(np.squeeze(s.of_score_counts([once[at]])))

    def rankings(self, draws: int) -> tuple[ScoreCounts, ScoreCounts]:
        """Return the ranking of all rows of two classes in groups, and resampled ones of it."""
        if draws > self.draws:
            options: dict[str, Any] = {"seed": self.seed, "stratified": self.stratified}
            return Clustered(self.joint, self.model, draws=draws, **options).rankings(draws)
        assert self.resampled is not None  # two classes are never too many
        drawn, once = (found[0] for found in self.resampled.rankings(0))
        whole = ScoreCounts(once.scores, once.pos[0], once.neg[0])
        return whole, ScoreCounts(drawn.scores, drawn.pos[:draws], drawn.neg[:draws])

    # -- means over rows -----------------------------------------------------------------------

    @cached_property
    def _errors(self) -> Sums:
        side, j = self.joint.models[0], self.joint
        assert j.clusters is not None
        wanted = self.model.labels.reorder(j.labels).counts.sum(1)
        shares: Floats | None = wanted / wanted.sum() if self.stratified else None
        scores, codes = np.stack(side.scores, 1), j.true
        if j.positive_code is not None:
            scores, codes = side.scores[0], (codes == j.positive_code).astype(np.int8)
            if shares is not None:
                shares = np.array([shares[1 - j.positive_code], shares[j.positive_code]])
        return clustered_errors(codes, scores, j.clusters, weights=j.weights, shares=shares)

    def _is_mean(self, s: Statistic) -> bool:
        """Tell a mean of row losses of more than two classes, which no one column holds."""
        if self.label is not None or len(self.model.scores) == 1 or s.params:
            return False
        return s.metric.needs == "probabilities" and s.metric.name in self._errors.names

    def _of_rows(self, s: Statistic, value: float, z: float) -> Bounds:
        method = "normal, mean over rows, of clusters"
        if s.metric.needs == "rows":
            params = {**s.metric.params, **s.params}
            # What is added whatever the rows are, as by the top k of k classes, does not vary.
            fixed = float(s.metric.function(self._errors.scaled(0.0), **params))
            error = float(s.metric.function(self._errors, **params)) - fixed
            return value - z * error, value + z * error, method
        error = self._errors.average(s.metric.name)
        if s.metric.row_loss is not None and s.metric.row_loss.outer is not None:
            low, high = max(value**2 - z * error, 0.0), value**2 + z * error
            return math.sqrt(low), math.sqrt(high), method
        return value - z * error, value + z * error, method
