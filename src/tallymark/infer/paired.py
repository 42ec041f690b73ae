"""Differences between models on the same rows: every metric, from counts of the rows in common."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.data import CountedRows, Model
from tallymark.errors import InputError
from tallymark.infer.delong import Areas, areas_of, logit_bounds, newcombe
from tallymark.infer.difference import (
    DRAWS,
    Difference,
    Judged,
    bounded,
    newcombe_paired,
    p_of_bounds,
    square_and_add,
    without_interval,
)
from tallymark.infer.gaps import (
    drawn_bounds,
    drawn_p,
    mover,
    posterior_cells,
    posterior_freedom,
    welch,
)
from tallymark.infer.jackknife import student
from tallymark.infer.resampled import Resampled
from tallymark.infer.significance import Evidence, mcnemar, permutation
from tallymark.metric import Metric
from tallymark.metric.measure import Statistic, Value
from tallymark.metric.proportion import quantile
from tallymark.tally.arrays import Floats
from tallymark.tally.joint import PairedPredictions, places
from tallymark.tally.score_counts import search
from tallymark.tally.scores import ScoreCounts
from tallymark.tally.sums import Sums, clustered_errors, row_sums

RANK_GROUPS = 40
_HAIR = 1e-12

FEW = 5
"""With fewer rows (or clusters) of a class than this, what resampling them shows is cautioned."""


class Paired:
    """Several models on the same rows, resampled together.

    ``values`` are the models' own numbers; ``by_class`` takes the shares of the classes as known.
    A difference is judged by the method that fits what it is a difference of:

    - AUC (and Gini): square-and-add of both intervals on the logit scale with DeLong's
      correlation, as far out as Student's t of Welch's degrees of freedom; DeLong's test;
    - a proportion of rows of given true classes (accuracy, sensitivity, specificity): Newcombe's
      square-and-add of Wilson's intervals with the correlation of the two, and McNemar's test;
    - a mean of what is added up row by row (the spherical score, top-k accuracy; of more than two
      classes log loss, Brier and the like): the normal interval of the rows' differences;
    - other numbers of decisions between two classes: the Dirichlet posterior of what both say;
    - other rankings: square-and-add of both intervals, their correlation that of the resamples;
    - anything else: the percentile interval of resamples in which both models have the same rows,
      widened as Student's t is by the rows of the smaller class;
    - where all resamples give the same, or none can be made, square-and-add of both intervals, as
      if independent.

    Of posteriors, resamples and rankings the p-value is the inversion of the interval. DeLong's and
    McNemar's are tests of their own, and may differ from the interval by a hair at the edge: a
    verdict asks both.

    With weights or clusters all but the AUC is resampled: of clusters, whole ones, and the AUC's
    covariance is then Obuchowski's. With ``by_class`` proportions are drawn as other numbers are.
    """

    def __init__(
        self,
        counted: CountedRows,
        values: Mapping[str, Mapping[str, Value]],
        *,
        level: float = 0.95,
        seed: int = 0,
        by_class: bool = False,
        draws: int = DRAWS,
    ) -> None:
        self.counted = counted
        self.values = values
        self.level = level
        self.seed = seed
        self.by_class = by_class
        self.draws = draws
        self.z = quantile(level)
        self._drawn: dict[tuple[str, str], tuple[NDArray[Any], float] | None] = {}
        self._errors: dict[tuple[str, str | None], Sums] = {}
        self._agreed: dict[tuple[str, str], NDArray[np.float64]] = {}
        self._believed: dict[tuple[str, str], dict[str, NDArray[Any]]] = {}

    @cached_property
    def joint(self) -> PairedPredictions:
        """The rows of all models, or a refusal that says why there are none."""
        if len(self.counted.models) < 2:
            raise InputError(
                f"there is one model, {self.counted.models[0].name!r}; comparing needs two or more "
                "on the same rows, such as y_score={'a': ..., 'b': ...}"
            )
        if self.counted.joint is None:
            raise InputError(
                f"the rows of {self.counted.source} were not kept side by side, which comparing "
                "models needs; compare fewer rows or models, or give more memory"
            )
        return self.counted.joint

    @cached_property
    def thresholds(self) -> list[float | None]:
        """Each model's threshold, None where decisions were given."""
        return [m.threshold for m in self.counted.models]

    @cached_property
    def simple(self) -> bool:
        """Whether every row counts once and alone."""
        whole = self.joint.weights is None and self.joint.clusters is None
        return whole and not self.by_class

    @property
    def clustered(self) -> bool:
        """Whether rows come in groups that belong together."""
        return self.joint.clusters is not None

    @property
    def _units(self) -> str:
        return "clusters" if self.clustered else "rows"

    def model(self, name: str) -> Model:
        """Return one model's tallies."""
        return self.counted.models[self.joint.names.index(name)]

    def difference(self, first: str, second: str, metric: Metric) -> Difference:
        """Return one metric of the first model less that of the second."""
        a, b = (self.values[name].get(metric.name) for name in (first, second))
        if (told := without_interval(metric.name, (first, second), a, b)) is not None:
            return told
        assert a is not None
        assert b is not None
        judged = self._bounds(first, second, metric, a, b)
        few = self._smallest < FEW and not (judged[4] or "").startswith("McNemar")
        caution = f"a class has fewer than {FEW} {self._units}" if few else None
        return bounded(metric, a, b, self.level, *judged, caution=caution)

    def _bounds(self, first: str, second: str, metric: Metric, a: Value, b: Value) -> Judged:
        if metric.roc_area is not None and self.counted.positive is not None:
            return self._of_areas(first, second, metric.roc_area.slope, a, b)
        found = self._of_rows(first, second, metric, a, b)
        if found is not None:
            return found
        part = self._right_of(metric) if self.simple else None
        if part is not None:
            return self._newcombe(first, second, *part)
        drawn = self._gaps(first, second, metric, a, b)
        if drawn is None:
            return square_and_add(a, b)
        gaps, name, freedom, widen, correlation = drawn
        low, high = drawn_bounds(gaps, self.level, freedom, widen)
        if math.isnan(low) or math.isinf(low) or math.isinf(high):
            why = f"no interval: {name}, most of them undefined or infinite"
            return math.nan, math.nan, why, math.nan, None
        if high - low <= _HAIR * max(abs(low), abs(high), 1e-300):
            return square_and_add(a, b)
        p = drawn_p(gaps, freedom, widen)
        test = "posterior" if name.startswith("Dirichlet") else "bootstrap"
        ranked = metric.needs == "ranking" or metric.error != "smooth"
        alone = len(self.joint.labels) == 2 and metric.needs not in ("counts", "matrix")
        if ranked and alone and math.isfinite(a.high - a.low) and math.isfinite(b.high - b.low):
            gap = a.value - b.value
            low, high = mover(gap, _arms(a), _arms(b), correlation)
            test = "square-and-add of both intervals"
            p = p_of_bounds(gap, low, high, self.level)
            name = f"{test}, correlated as in {self.draws:,} resamples"
        return low, high, name, p, test

    def _gaps(
        self, first: str, second: str, metric: Metric, a: Value, b: Value
    ) -> tuple[NDArray[Any], str, float, float, float] | None:
        """Return draws of a difference, their name, freedom and widening, and the correlation."""
        decided = metric.needs in ("counts", "matrix") and len(self.joint.labels) == 2
        if decided and self.joint.weights is None and not self.clustered:
            return self._posterior(first, second, metric)
        one, other = (self._replicates(name, metric) for name in (first, second))
        if one is None or other is None:
            return None
        (x, x_whole), (y, y_whole) = one, other
        with np.errstate(invalid="ignore"):
            gaps = x - y + ((a.value - b.value) - (x_whole - y_whole))
        name = f"bootstrap of the {self._units} in common, {self.draws:,} draws"
        return gaps, name, self._freedom, 1.0, _correlation(x, y)

    def _posterior(
        self, first: str, second: str, metric: Metric
    ) -> tuple[NDArray[Any], str, float, float, float]:
        """Return draws from the posterior of what two models say of two classes."""
        # One set of draws whichever is asked for first, so that the difference just turns its sign.
        key = (min(first, second), max(first, second))
        if key not in self._believed:
            rng = np.random.default_rng(self.seed)
            counts = self.agreement(*key)
            cells = posterior_cells(counts, self.draws, rng, self.by_class)
            if self.by_class:
                wanted = self.model(first).labels.reorder(self.joint.labels).counts.sum(1)
                rows = np.maximum(counts.sum((1, 2)), 1.0)
                cells *= (wanted / rows)[:, None, None]
            self._believed[key] = dict(zip(key, (cells.sum(3), cells.sum(2)), strict=True))
        labels = self.joint.labels
        s = Statistic.of(metric, labels, self.counted.positive)

        def difference(of_first: NDArray[Any], of_second: NDArray[Any]) -> NDArray[Any]:
            return np.asarray(s.of_matrix(of_first, labels) - s.of_matrix(of_second, labels))

        drawn = self._believed[key]
        with np.errstate(all="ignore"):
            x, y = (s.of_matrix(drawn[name], labels) for name in (first, second))
            gaps = x - y
            freedom = posterior_freedom(self.agreement(*key), difference)
        n = self.joint.rows
        name = f"Dirichlet posterior of what both say, {self.draws:,} draws"
        return gaps, name, freedom, math.sqrt(n / max(n - 1, 1)), 0.0

    @cached_property
    def _smallest(self) -> float:
        """The rows of the smaller class, or the clusters with some; weighted rows by Kish."""
        j = self.joint
        found = []
        there = np.flatnonzero(np.bincount(j.true, minlength=len(j.labels)))
        for own in (j.true == code for code in there):
            if j.clusters is not None:
                found.append(float(len(np.unique(j.clusters[own]))))
            elif j.weights is not None:
                second = float((j.weights[own] ** 2).sum())
                found.append(float(j.weights[own].sum()) ** 2 / second if second else 0.0)
            else:
                found.append(float(own.sum()))
        return min(found)

    @cached_property
    def _freedom(self) -> float:
        """The degrees of freedom of resamples: of two classes those of the smaller one."""
        if len(self.joint.labels) == 2:
            return max(self._smallest - 1, 1.0)
        return max((self.joint.groups or self.joint.rows) - 1.0, 1.0)

    # -- one method each -----------------------------------------------------------------------

    @cached_property
    def _aucs(self) -> tuple[dict[str, int], Areas]:
        """The places, AUCs and their covariance of the models with scores."""
        scored = [m for m in self.counted.models if len(m.scores) == 1]
        names = [m.name for m in scored]
        sides = tuple(self.joint.model(n) for n in names)
        joint = replace(self.joint, models=sides)
        return {n: i for i, n in enumerate(names)}, areas_of(joint, [m.scores[0] for m in scored])

    def _of_areas(self, first: str, second: str, scale: float, a: Value, b: Value) -> Judged:
        at, (aucs, covariance, parts) = self._aucs
        pair = [at[first], at[second]]
        cells = covariance[np.ix_(pair, pair)]
        variance = _of_contrast(cells)
        if math.isnan(variance):
            added = square_and_add(a, b)
            if math.isnan(added[0]):
                why = f"no interval: a class has less than two {self._units}"
                return math.nan, math.nan, why, math.nan, None
            return added
        if not variance > _HAIR * float(np.trace(cells)):
            return square_and_add(a, b)
        freedom = welch([(_of_contrast(c[np.ix_(pair, pair)]), n - 1) for c, n in parts])
        z = student(self.level, freedom)
        arms: list[tuple[float, float]] = []
        for auc, own in zip(aucs[pair].tolist(), np.diag(cells).tolist(), strict=True):
            if 0 < auc < 1 and own > _HAIR:
                low, high = logit_bounds(auc, own, z)
            else:
                low, high = newcombe(auc, parts[0][1], parts[-1][1], z)
            arms.append((auc - low, high - auc))
        both = math.sqrt(float(cells[0, 0] * cells[1, 1]))
        gap = float(aucs[pair[0]] - aucs[pair[1]])
        correlation = float(cells[0, 1]) / both if both > 0 else 0.0
        low, high = mover(gap, arms[0], arms[1], correlation)
        t = abs(gap) / math.sqrt(variance)
        from scipy.special import stdtr

        # The normal distribution, which DeLong takes, finds too much with some twenty positives.
        p = float(2 * stdtr(freedom, -t))
        name = f"{'Obuchowski, clusters' if self.clustered else 'DeLong'}, paired, Student's t"
        return low * scale, high * scale, f"{name}, logit scale", p, name

    def auc_test(self) -> Evidence:
        """Test whether all AUCs are equal: DeLong's chi-square of the contrasts."""
        _, (aucs, covariance, _) = self._aucs
        contrast = np.diff(np.eye(len(aucs)), axis=0)
        spread = contrast @ covariance @ contrast.T
        gap = contrast @ aucs
        name, source = "DeLong's test of all AUCs", "delong1988"
        if self.clustered:
            name, source = "Obuchowski's test of all AUCs, clusters", "obuchowski1997"
        if np.isnan(spread).any():
            why = f"a class has less than two {self._units}"
            return Evidence(name, math.nan, reason=why, source=source)
        sizes, axes = np.linalg.eigh(spread)
        free = sizes > 1e-9 * max(float(sizes[-1]), 1e-300)
        if not free.any() or sizes[-1] <= 0:
            why = "the scores order the rows alike"
            return Evidence(name, math.nan, reason=why, source=source)
        statistic = float(((axes.T @ gap)[free] ** 2 / sizes[free]).sum())
        from scipy.special import chdtrc

        degrees = int(free.sum())
        p = float(chdtrc(degrees, statistic))
        return Evidence(name, p, statistic, degrees, source=source)

    def _right_of(self, metric: Metric) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
        """Return which rows [true] a proportion is of, and which cells [true, called] it counts.

        None for what is no proportion of rows of given true classes.
        """
        labels = self.joint.labels
        if metric.proportion is None:
            return None
        s = Statistic.of(metric, labels, self.counted.positive)
        if s.average not in ("overall", "binary"):
            return None
        k = len(labels)
        units = np.eye(k * k).reshape(k * k, k, k)
        part, whole = metric.proportion(s.view(units, labels))
        part, whole = (np.asarray(v).reshape(k, k) for v in (part, whole))
        if not (whole == whole[:, :1]).all() or not np.isin(part, (0, 1)).all():
            return None
        if not np.isin(whole, (0, 1)).all():
            return None
        return whole[:, 0].astype(bool), part.astype(bool)

    def agreement(self, first: str, second: str) -> NDArray[np.float64]:
        """Return how many rows of each class the two call what: [true, by first, by second]."""
        if (first, second) not in self._agreed:
            cuts = (self.model(first).threshold, self.model(second).threshold)
            self._agreed[first, second] = self.joint.agreement(first, second, cuts)
        return self._agreed[first, second]

    def discordant(
        self, first: str, second: str, rows: NDArray[np.bool_], hits: NDArray[np.bool_]
    ) -> tuple[float, float, float, float]:
        """Return the rows that both, only the first, only the second and neither hit."""
        cells = self.agreement(first, second)[rows]
        of_a, of_b = hits[rows][:, :, None], hits[rows][:, None, :]
        cases = (of_a & of_b, of_a & ~of_b, ~of_a & of_b, ~of_a & ~of_b)
        both, one, other, none = (float((cells * c).sum()) for c in cases)
        return both, one, other, none

    def _newcombe(
        self, first: str, second: str, rows: NDArray[np.bool_], hits: NDArray[np.bool_]
    ) -> tuple[float, float, str, float, str]:
        four = self.discordant(first, second, rows, hits)
        low, high = newcombe_paired(*four, self.z)
        test = mcnemar(four[1], four[2])
        return low, high, "Newcombe, paired", test.p_value, test.name

    # -- means over rows -----------------------------------------------------------------------

    def _of_rows(
        self, first: str, second: str, metric: Metric, a: Value, b: Value
    ) -> Judged | None:
        """Return the normal interval of a difference of means over rows, exact from the rows.

        None for what is no such mean, or where all rows differ alike.
        """
        several = len(self.model(first).scores) > 1 and metric.needs == "probabilities"
        if metric.needs != "rows" and not several:
            return None
        errors = self._row_errors(first, second)
        if metric.needs == "rows":
            # What is added whatever the rows are, as by the top k of k classes, does not vary.
            fixed = metric.function(errors.scaled(0.0), **metric.params)
            error = abs(float(metric.function(errors, **metric.params)) - float(fixed))
        elif metric.name not in errors.names:
            return None
        elif metric.row_loss is not None and metric.row_loss.outer is not None:
            error = self._of_roots(first, second, a.value, b.value)
        else:
            error = errors.average(metric.name)
        if not error > 0:
            return None
        gap = a.value - b.value
        of = ", of clusters" if self.clustered else " of each class" if self.by_class else ""
        name = f"normal, paired row losses{of}"
        p = math.erfc(abs(gap / error) / math.sqrt(2))
        return gap - self.z * error, gap + self.z * error, name, p, name

    def _of_roots(self, first: str, second: str, a: float, b: float) -> float:
        """Return the error of a difference of roots of mean squares, by the delta method."""
        if not (a > 0 and b > 0):
            return math.nan
        name = "root_mean_squared_error"
        one, other, apart = (
            self._row_errors(*names).average(name) ** 2
            for names in ((first, None), (second, None), (first, second))
        )
        shared = (one + other - apart) / 2
        along, across = 1 / (2 * a), 1 / (2 * b)
        return math.sqrt(max(along**2 * one + across**2 * other - 2 * along * across * shared, 0.0))

    def _row_errors(self, first: str, second: str | None) -> Sums:
        """Return the standard errors of a model's mean losses, or of those of a difference."""
        if (first, second) in self._errors:
            return self._errors[first, second]
        j = self.joint
        scores, less = (None if n is None else self._scores(n) for n in (first, second))
        assert scores is not None
        codes, support = j.true, self.model(first).labels.reorder(j.labels).counts.sum(1)
        if scores.ndim == 1:
            assert j.positive_code is not None
            codes = (codes == j.positive_code).astype(np.int8)
            support = support[[1 - j.positive_code, j.positive_code]]
        if j.clusters is not None:
            shares = support / support.sum() if self.by_class else None
            found = clustered_errors(
                codes, scores, j.clusters, weights=j.weights, shares=shares, less=less
            )
        else:
            sums = row_sums(codes, scores, less, j.weights)
            if self.by_class:
                there = np.where(sums.weights > 0, sums.weights, 1.0)
                sums = sums.weighed(support / there)
            found = sums.errors(by_class=self.by_class)
        self._errors[first, second] = found
        return found

    def _scores(self, name: str) -> Floats:
        columns = self.joint.model(name).scores
        return columns[0] if len(columns) == 1 else np.stack(columns, 1)

    # -- resampling ----------------------------------------------------------------------------

    @cached_property
    def _resampled(self) -> Resampled:
        return Resampled(
            self.joint,
            self.counted.models,
            draws=self.draws,
            seed=self.seed,
            by_class=self.by_class,
        )

    def drawn_rankings(self, first: str, second: str, draws: int) -> list[ScoreCounts]:
        """Return the rankings of two models over the same draws, of two classes."""
        found = []
        for name in (first, second):
            drawn, _ = self._resampled.rankings(self.joint.names.index(name))
            r = drawn[0]
            found.append(ScoreCounts(r.scores, r.pos[:draws], r.neg[:draws]))
        return found

    def _replicates(self, name: str, metric: Metric) -> tuple[NDArray[Any], float] | None:
        """Return a metric's values over the draws, and on the counts that they are drawn from."""
        key = (name, metric.name)
        if key not in self._drawn:
            s = Statistic.of(metric, self.joint.labels, self.counted.positive)
            self._drawn[key] = self._resampled.values(self.joint.names.index(name), s)
        return self._drawn[key]

    # -- exchanging ----------------------------------------------------------------------------

    def permutation(self, first: str, second: str, metric: Metric, draws: int) -> Evidence:
        """Test a difference by exchanging, row by row, what two models said.

        Decisions are exchanged as they are; of scores their midranks, in 40 groups, for metrics of
        the ranking alone.
        """
        labels, positive = self.joint.labels, self.counted.positive
        s = Statistic.of(metric, labels, positive)
        reason = None
        if not self.simple:
            reason = "rows have weights, clusters or another class balance"
        elif metric.needs not in ("counts", "matrix", "ranking") or (
            metric.needs == "ranking" and positive is None
        ):
            reason = f"{metric.name} is no number of decisions or of one ranking"
        if reason:
            return Evidence("permutation", math.nan, reason=reason, source="good2005")
        if metric.needs != "ranking":

            def of_decisions(a: Any, b: Any) -> Any:
                return s.of_matrix(a, labels) - s.of_matrix(b, labels)

            cells = self.agreement(first, second)
            return permutation(cells, of_decisions, draws=draws, seed=self.seed)
        cells = self._rank_cells(first, second)
        code = self.joint.positive_code
        assert code is not None
        scale = np.arange(cells.shape[1], dtype=np.float64)

        def of_ranks(a: Any, b: Any) -> Any:
            return s.of_score_counts(
                [ScoreCounts(scale, a[:, code], a[:, 1 - code])]
            ) - s.of_score_counts([ScoreCounts(scale, b[:, code], b[:, 1 - code])])

        return permutation(cells, of_ranks, draws=draws, seed=self.seed)

    def _rank_cells(self, first: str, second: str) -> NDArray[np.float64]:
        """Return rows by class and by the groups of their midranks in both models."""
        groups, found = [], []
        for name in (first, second):
            r = self.model(name).scores[0].score_counts
            lows, group = _by_midrank(r)
            groups.append(group)
            found.append(places(self.joint.model(name).scores[0], r.scores[lows]))
        k, g = len(self.joint.labels), RANK_GROUPS
        cells = np.zeros((k, g, g))
        there = (k, *map(len, groups))
        cells[np.ix_(np.arange(k), *groups)] = self.joint.cells(there, self.joint.true, *found)
        return cells


def _by_midrank(r: ScoreCounts) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return where groups of scores with about equally many rows start, and which of all each is.

    There are :data:`RANK_GROUPS`; a score belongs to the one that the middle of its rows lies in.
    """
    tops = r.cumulative_counts
    total = tops[0][-1] + tops[1][-1]

    def middle(i: Any) -> Any:
        k = len(r.scores) - 1 - i
        above = sum(t[k] + t[k + 1] for t in tops) / 2
        return (total - above) / total * RANK_GROUPS

    firsts = search(len(r.scores), middle, np.arange(RANK_GROUPS, dtype=np.float64))
    lows = np.unique(firsts[firsts < len(r.scores)])
    return lows, np.minimum(middle(lows), RANK_GROUPS - 1).astype(np.intp)


def _of_contrast(cells: NDArray[np.float64]) -> float:
    """Return the variance of the difference of two numbers from their covariance (2, 2)."""
    return float(cells[0, 0] + cells[1, 1] - 2 * cells[0, 1])


def _arms(v: Value) -> tuple[float, float]:
    """Return how far a number lies above its lower bound and below its upper one."""
    return v.value - v.low, v.high - v.value


def _correlation(x: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the correlation of two numbers over the draws in which both are known."""
    there = np.isfinite(x) & np.isfinite(y)
    spread = float(np.std(x[there]) * np.std(y[there])) if there.any() else 0.0
    if not spread > 0:
        return 0.0
    return float(np.mean((x[there] - x[there].mean()) * (y[there] - y[there].mean()))) / spread
