"""Differences between models on the same rows: every metric, from counts of the rows in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallymark.data import CountedRows, Model
from tallymark.errors import InputError
from tallymark.infer.delong import Areas, areas_of
from tallymark.infer.difference import (
    DRAWS,
    SQUARE_AND_ADD,
    Bounds,
    Contrast,
    Design,
    difference_of_areas,
    drawn_bounds,
    drawn_p,
    is_proportion,
    mover,
    newcombe_paired,
    no_bounds,
    p_of_bounds,
    welch,
)
from tallymark.infer.sampler import BlockReplicates, Sampler
from tallymark.infer.significance import Evidence, mcnemar, permutation, quadratic_test
from tallymark.metric import Metric
from tallymark.metric.measure import Statistic, Value
from tallymark.tally.arrays import Floats
from tallymark.tally.joint import PairedPredictions, places
from tallymark.tally.score_counts import search
from tallymark.tally.scores import ScoreCounts
from tallymark.tally.sums import Sums, clustered_errors

RANK_GROUPS = 40
FEW = 5
"""With fewer rows (or clusters) of a class than this, an interval has a warning."""

PRIOR_ROWS = 2.0
"""Rows that the prior of posterior draws is worth, spread evenly over what two models can say."""

_HAIR = 1e-12
_T = TypeVar("_T")


class Paired(Design):
    """Several models on the same rows, resampled together.

    ``values`` are the models' own numbers; ``stratified`` takes the shares of the classes as known.
    A difference is judged by the method that fits what it is a difference of:

    - AUC (and Gini): square-and-add of both intervals on the logit scale with DeLong's
      correlation, as far out as Student's t of Welch's degrees of freedom; DeLong's test;
    - a mean of what is added up row by row (the spherical score, top-k accuracy; of more than two
      classes log loss, Brier and the like): the normal interval of the rows' differences;
    - a proportion of rows of given true classes (accuracy, sensitivity, specificity): Newcombe's
      square-and-add of Wilson's intervals with the correlation of the two, and McNemar's test;
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
    covariance is then Obuchowski's. With ``stratified`` proportions are drawn as other numbers are.
    """

    def __init__(
        self,
        counted: CountedRows,
        values: Mapping[str, Mapping[str, Value]],
        *,
        level: float = 0.95,
        seed: int = 0,
        stratified: bool = False,
        draws: int = DRAWS,
    ) -> None:
        joint = counted.joint
        labels = counted.classes if joint is None else joint.labels
        super().__init__(values, labels, counted.positive, level)
        self.counted = counted
        self.seed = seed
        self.stratified = stratified
        self.draws = draws
        self._made: dict[tuple[object, ...], Any] = {}

    def _once(self, key: tuple[object, ...], make: Callable[[], _T]) -> _T:
        """Return what is made once for a key."""
        if key not in self._made:
            self._made[key] = make()
        made: _T = self._made[key]
        return made

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
    def simple(self) -> bool:
        """Whether every row counts once and alone."""
        whole = self.joint.weights is None and self.joint.clusters is None
        return whole and not self.stratified

    @property
    def clustered(self) -> bool:
        """Whether rows come in groups that belong together."""
        return self.joint.clusters is not None

    @property
    def _units(self) -> str:
        return "clusters" if self.clustered else "rows"

    @cached_property
    def _place(self) -> dict[str, int]:
        return {m.name: i for i, m in enumerate(self.counted.models)}

    def model(self, name: str) -> Model:
        """Return one model's tallies."""
        return self.counted.models[self._place[name]]

    def warning(self, found: Bounds) -> str | None:
        """Say that a class has few rows, unless the test is exact."""
        if self._smallest >= FEW or (found.test or "").startswith("McNemar"):
            return None
        return f"a class has fewer than {FEW} {self._units}"

    @cached_property
    def _smallest(self) -> float:
        """The rows of the smaller class, or the clusters with some; weighted rows by Kish."""
        j = self.joint
        found = []
        for code in np.unique(j.true):
            in_class = j.true == code
            if j.clusters is not None:
                found.append(float(len(np.unique(j.clusters[in_class]))))
            elif j.weights is not None:
                second = float((j.weights[in_class] ** 2).sum())
                found.append(float(j.weights[in_class].sum()) ** 2 / second if second else 0.0)
            else:
                found.append(float(in_class.sum()))
        return min(found)

    @cached_property
    def _degrees(self) -> float:
        """The degrees of freedom of resamples: of two classes those of the smaller one."""
        if len(self.labels) == 2:
            return max(self._smallest - 1, 1.0)
        return max((self.joint.groups or self.joint.rows) - 1.0, 1.0)

    # -- ROC areas -----------------------------------------------------------------------------

    @cached_property
    def _areas(self) -> tuple[dict[str, int], Areas]:
        """The places, AUCs and their covariance of the models with scores."""
        scored = [m for m in self.counted.models if len(m.scores) == 1]
        columns = tuple(self.joint.model(m.name) for m in scored)
        joint = replace(self.joint, models=columns)
        return {m.name: i for i, m in enumerate(scored)}, areas_of(
            joint, [m.scores[0] for m in scored]
        )

    def of_areas(self, c: Contrast) -> Bounds | None:
        """Judge ROC areas by DeLong's covariance, or Obuchowski's of clusters."""
        if c.metric.roc_area is None or self.positive is None:
            return None
        at, (areas, covariance, parts) = self._areas
        two = [at[c.first], at[c.second]]
        cells = np.ix_(two, two)
        name = "Obuchowski, clusters" if self.clustered else "DeLong"
        return difference_of_areas(
            c, areas[two], covariance[cells], [(v[cells], n) for v, n in parts], self.level,
            f"{name}, paired, Student's t",
        )  # fmt: skip

    def auc_test(self) -> Evidence:
        """Test whether all AUCs are equal: DeLong's chi-square of the contrasts."""
        _, (areas, covariance, _) = self._areas
        contrast = np.diff(np.eye(len(areas)), axis=0)
        name, source = "DeLong's test of all AUCs", "delong1988"
        if self.clustered:
            name, source = "Obuchowski's test of all AUCs, clusters", "obuchowski1997"
        if np.isnan(covariance).any():
            why = f"a class has less than two {self._units}"
            return Evidence(name, math.nan, reason=why, source=source)
        spread = contrast @ covariance @ contrast.T
        why = "the scores order the rows alike"
        return quadratic_test(name, contrast @ areas, spread, why, source)

    # -- proportions ---------------------------------------------------------------------------

    def of_proportions(self, c: Contrast) -> Bounds | None:
        """Judge shares of the rows of some true classes: Newcombe's interval, McNemar's test."""
        part = self._right_of(c.statistic) if self.simple else None
        if part is None:
            return None
        four = self.discordant(c.first, c.second, *part)
        low, high = newcombe_paired(*four, self.z)
        test = mcnemar(four[1], four[2])
        return Bounds(float(low), float(high), "Newcombe, paired", test.p_value, test.name)

    def _right_of(self, s: Statistic) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
        """Return which rows [true] a proportion is of, and which cells [true, called] it counts.

        None for what is no proportion of rows of given true classes.
        """
        if not is_proportion(s):
            return None
        assert s.metric.proportion is not None
        k = len(self.labels)
        units = np.eye(k * k).reshape(k * k, k, k)
        part, whole = s.metric.proportion(s.view(units, self.labels))
        part, whole = (np.asarray(v).reshape(k, k) for v in (part, whole))
        if not (whole == whole[:, :1]).all() or not np.isin([part, whole], (0, 1)).all():
            return None
        return whole[:, 0].astype(bool), part.astype(bool)

    def agreement(self, first: str, second: str) -> Floats:
        """Return how many rows of each class the two call what: [true, by first, by second]."""
        cuts = (self.model(first).threshold, self.model(second).threshold)
        key = ("agreement", first, second)
        return self._once(key, lambda: self.joint.agreement(first, second, cuts))

    def discordant(
        self, first: str, second: str, rows: NDArray[np.bool_], hits: NDArray[np.bool_]
    ) -> tuple[float, float, float, float]:
        """Return the rows that both, only the first, only the second and neither hit."""
        cells = self.agreement(first, second)[rows]
        of_a, of_b = hits[rows][:, :, None], hits[rows][:, None, :]
        cases = (of_a & of_b, of_a & ~of_b, ~of_a & of_b, ~of_a & ~of_b)
        both, one, other, none = (float((cells * c).sum()) for c in cases)
        return both, one, other, none

    # -- means over rows -----------------------------------------------------------------------

    def of_row_means(self, c: Contrast) -> Bounds | None:
        """Judge means over rows: the normal interval, exact from the differences of the rows.

        None for what is no such mean, or where all rows differ alike.
        """
        metric = c.metric
        several = len(self.model(c.first).scores) > 1 and metric.needs == "probabilities"
        if metric.needs != "rows" and not several:
            return None
        errors = self._row_errors(c.first, c.second)
        if metric.needs == "rows":
            params = {**metric.params, **c.statistic.params}
            # What is added whatever the rows are, as by the top k of k classes, does not vary.
            fixed = metric.function(errors.scaled(0.0), **params)
            error = abs(float(metric.function(errors, **params)) - float(fixed))
        elif metric.name not in errors.names:
            return None
        elif metric.row_loss is not None and metric.row_loss.outer is not None:
            error = self._error_of_roots(c)
        else:
            error = errors.average(metric.name)
        if not error > 0:
            return None
        low, high = c.gap - self.z * error, c.gap + self.z * error
        of = ", of clusters" if self.clustered else " of each class" if self.stratified else ""
        name = f"normal, paired row losses{of}"
        return Bounds(low, high, name, math.erfc(abs(c.gap / error) / math.sqrt(2)), name)

    def _error_of_roots(self, c: Contrast) -> float:
        """Return the error of a difference of roots of mean squares, by the delta method."""
        a, b = c.a.value, c.b.value
        if not (a > 0 and b > 0):
            return math.nan
        of_a, of_b, of_both = (
            self._row_errors(*names).average(c.metric.name) ** 2
            for names in ((c.first, None), (c.second, None), (c.first, c.second))
        )
        shared = (of_a + of_b - of_both) / 2
        along, across = 1 / (2 * a), 1 / (2 * b)
        return math.sqrt(max(along**2 * of_a + across**2 * of_b - 2 * along * across * shared, 0.0))

    def _row_errors(self, first: str, second: str | None) -> Sums:
        """Return the standard errors of a model's mean losses, or of those of a difference."""

        def make() -> Sums:
            j = self.joint
            scores, less = (None if n is None else self._scores(n) for n in (first, second))
            assert scores is not None
            codes, support = j.true, self.model(first).labels.reorder(j.labels).counts.sum(1)
            if scores.ndim == 1:
                assert j.positive_code is not None
                codes = (codes == j.positive_code).astype(np.int8)
                support = support[[1 - j.positive_code, j.positive_code]]
            if j.clusters is not None:
                shares = support / support.sum() if self.stratified else None
                return clustered_errors(
                    codes, scores, j.clusters, weights=j.weights, shares=shares, less=less
                )
            sums = Sums.of_rows(codes, scores, j.weights, less=less)
            if self.stratified:
                sums = sums.weighed(support / np.where(sums.weights > 0, sums.weights, 1.0))
            return sums.errors(stratified=self.stratified)

        return self._once(("row errors", first, second), make)

    def _scores(self, name: str) -> Floats:
        columns = self.joint.model(name).scores
        return columns[0] if len(columns) == 1 else np.stack(columns, 1)

    # -- draws ---------------------------------------------------------------------------------

    def of_draws(self, c: Contrast) -> Bounds | None:
        """Judge by draws of what both say: from its posterior, or of the rows."""
        decided = c.metric.needs in ("counts", "matrix")
        if decided and len(self.labels) == 2 and self.joint.weights is None and not self.clustered:
            gaps, degrees = self._posterior(c)
            n = self.joint.rows
            widen, correlation, test = math.sqrt(n / max(n - 1, 1)), 0.0, "posterior"
            name = f"Dirichlet posterior of what both say, {self.draws:,} draws"
        else:
            both = [self._replicates(which, c.statistic) for which in (c.first, c.second)]
            if both[0] is None or both[1] is None:
                return None
            (x, x_whole), (y, y_whole) = both[0], both[1]
            with np.errstate(invalid="ignore"):
                gaps = x - y + (c.gap - (x_whole - y_whole))
            degrees, widen, correlation, test = self._degrees, 1.0, _correlation(x, y), "bootstrap"
            name = f"bootstrap of the {self._units} in common, {self.draws:,} draws"
        low, high = drawn_bounds(gaps, self.level, degrees, widen)
        if math.isnan(low) or math.isinf(low) or math.isinf(high):
            return no_bounds(f"{name}, most of them undefined or infinite")
        if high - low <= _HAIR * max(abs(low), abs(high), 1e-300):
            return None
        ranked = c.metric.needs == "ranking" or c.metric.error != "smooth"
        if ranked and not decided and len(self.labels) == 2 and np.isfinite(c.arms).all():
            low, high = map(float, mover(c.gap, c.arms[0], c.arms[1], correlation))
            name = f"{SQUARE_AND_ADD}, correlated as in {self.draws:,} resamples"
            p = float(p_of_bounds(c.gap, low, high, self.level))
            return Bounds(low, high, name, p, SQUARE_AND_ADD)
        return Bounds(low, high, name, drawn_p(gaps, degrees, widen), test)

    def _posterior(self, c: Contrast) -> tuple[Floats, float]:
        """Return draws of a difference from the posterior of what two models say, and its degrees.

        They are of one set of draws whichever model is named first: the difference turns its sign.
        """
        key = (min(c.first, c.second), max(c.first, c.second))
        counts = self.agreement(*key)

        def make() -> Floats:
            rng = Sampler(self.seed).generator("what both say")
            cells = posterior_cells(counts, self.draws, rng, self.stratified)
            if self.stratified:
                wanted = self.model(key[0]).labels.reorder(self.labels).counts.sum(1)
                cells *= (wanted / np.maximum(counts.sum((1, 2)), 1.0))[:, None, None]
            return cells

        cells = self._once(("posterior", *key), make)
        sign = 1.0 if c.first == key[0] else -1.0

        def difference(of_both: Floats) -> Floats:
            of_a, of_b = (c.statistic.of_matrix(of_both.sum(axis), self.labels) for axis in (3, 2))
            return np.asarray(sign * (of_a - of_b))

        with np.errstate(all="ignore"):
            return difference(cells), posterior_degrees(counts, difference)

    @cached_property
    def _resampled(self) -> BlockReplicates:
        sampler = Sampler(self.seed, self.stratified)
        return BlockReplicates(self.joint, self.counted.models, sampler, draws=self.draws)

    def drawn_rankings(self, first: str, second: str, draws: int) -> list[ScoreCounts]:
        """Return the rankings of two models over the same draws, of two classes."""
        found = []
        for name in (first, second):
            r = self._resampled.rankings(self._place[name])[0][0]
            found.append(ScoreCounts(r.scores, r.pos[:draws], r.neg[:draws]))
        return found

    def _replicates(self, name: str, s: Statistic) -> tuple[NDArray[Any], float] | None:
        """Return a number over the draws, and on the counts that they are drawn from."""
        key = ("replicates", name, s.metric.name)
        return self._once(key, lambda: self._resampled.values(self._place[name], s))

    # -- exchanging ----------------------------------------------------------------------------

    def permutation(self, first: str, second: str, metric: Metric, draws: int) -> Evidence:
        """Test a difference by exchanging, row by row, what two models said.

        Decisions are exchanged as they are; of scores their midranks, in 40 groups, for metrics of
        the ranking alone.
        """
        labels = self.labels
        s = Statistic.of(metric, labels, self.positive)
        ranked = metric.needs == "ranking" and self.positive is not None
        reason = None
        if not self.simple:
            reason = "rows have weights, clusters or another class balance"
        elif metric.needs not in ("counts", "matrix") and not ranked:
            reason = f"{metric.name} is no number of decisions or of one ranking"
        if reason:
            return Evidence("permutation", math.nan, reason=reason, source="good2005")
        code = self.joint.positive_code or 0

        def number(counts: Floats) -> Any:
            if not ranked:
                return s.of_matrix(counts, labels)
            scale = np.arange(counts.shape[-1], dtype=np.float64)
            return s.of_score_counts([ScoreCounts(scale, counts[:, code], counts[:, 1 - code])])

        cells = self.rank_cells(first, second) if ranked else self.agreement(first, second)
        return permutation(cells, lambda a, b: number(a) - number(b), draws=draws, seed=self.seed)

    def rank_cells(self, first: str, second: str) -> Floats:
        """Return rows by class and by the groups of their midranks in both models."""
        groups, found = [], []
        for name in (first, second):
            r = self.model(name).scores[0].score_counts
            lows, group = _by_midrank(r)
            groups.append(group)
            found.append(places(self.joint.model(name).scores[0], r.scores[lows]))
        k, g = len(self.labels), RANK_GROUPS
        cells = np.zeros((k, g, g))
        shape = (k, *map(len, groups))
        cells[np.ix_(np.arange(k), *groups)] = self.joint.cells(shape, self.joint.true, *found)
        return cells


def _by_midrank(r: ScoreCounts) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return where groups of scores with about equally many rows start, and which of all each is.

    There are :data:`RANK_GROUPS`; a score belongs to the one that the middle of its rows lies in.
    """
    above_each = np.sum(r.cumulative_counts, axis=0)

    def middle(i: Any) -> Any:
        k = len(r.scores) - 1 - i
        above = (above_each[k] + above_each[k + 1]) / 2
        return (above_each[-1] - above) / above_each[-1] * RANK_GROUPS

    firsts = search(len(r.scores), middle, np.arange(RANK_GROUPS, dtype=np.float64))
    lows = np.unique(firsts[firsts < len(r.scores)])
    return lows, np.minimum(middle(lows), RANK_GROUPS - 1).astype(np.intp)


def _correlation(x: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the correlation of two numbers over the draws in which both are known."""
    known = np.isfinite(x) & np.isfinite(y)
    if not known.any() or not float(np.std(x[known]) * np.std(y[known])) > 0:
        return 0.0
    return float(np.corrcoef(x[known], y[known])[0, 1])


def posterior_cells(
    cells: Floats, draws: int, rng: np.random.Generator, stratified: bool = False
) -> Floats:
    """Return draws [draw, true, by a, by b] of what two models say, from its Dirichlet posterior.

    Resampled rows never show what did not happen among them: that a model which was always right
    errs, or that two err apart. The prior is worth two rows, spread evenly over the cells. Every
    draw has as many rows as ``cells``, and with ``stratified`` as many of each true class.
    """
    axes = (1, 2) if stratified else (0, 1, 2)
    alpha = cells + PRIOR_ROWS / cells.size
    gammas = rng.standard_gamma(alpha, size=(draws, *alpha.shape))
    total = cells.sum(axes, keepdims=True)
    return np.asarray(gammas * total / gammas.sum(tuple(a + 1 for a in axes), keepdims=True))


def posterior_degrees(cells: Floats, difference: Callable[[Floats], Floats]) -> float:
    """Return the degrees of freedom of a difference over :func:`posterior_cells`.

    Welch's of what the rows of each class add to its variance, each class with the rows that it
    has, the prior's among them: where few positives decide, theirs. ``difference`` is of cells
    [case, true, by a, by b].
    """
    alpha = cells + PRIOR_ROWS / cells.size
    step = 1e-4 * alpha.sum()
    moved = alpha + step * np.eye(cells.size).reshape(-1, *cells.shape)
    slope = ((difference(moved) - difference(alpha[None])) / step).reshape(cells.shape)
    if not np.isfinite(slope).all():
        return float(alpha.sum((1, 2)).min())
    off = slope - (alpha * slope).sum() / alpha.sum()
    parts = zip((alpha * off**2).sum((1, 2)), alpha.sum((1, 2)), strict=True)
    return welch([(float(variance), float(rows)) for variance, rows in parts])
