"""Compute differences between models on the same rows, with or without clusters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError
from tallymark.findings.notes import PAIRS_LEFT_OUT
from tallymark.infer.cluster_sizes import ClusterSizes
from tallymark.infer.clustered import Clustered
from tallymark.infer.contrasts import (
    SAME_RANKING,
    Bounds,
    PairedShares,
    hits_and_rows,
    is_proportion,
    is_ratio,
    no_more_than,
    of_draws,
    of_paired_shares,
    posterior_cells,
    posterior_degrees,
    square_and_add,
)
from tallymark.infer.crossing import heights
from tallymark.infer.delong import Areas, areas_of
from tallymark.infer.difference import Contrast, SameRows, refuse_one_model
from tallymark.infer.influence import (
    Influence,
    exchange_effects,
    losses_of,
    of_rows,
    sign_flip,
    within_classes,
)
from tallymark.infer.power import FEW_DISCORDANT
from tallymark.infer.ratio_differences import of_paired_ratios
from tallymark.infer.sampler import BlockReplicates, Sampler, class_rows, effective_rows
from tallymark.infer.samples import FEW_FREEDOMS
from tallymark.infer.significance import (
    Evidence,
    SignedTerms,
    grouped_terms,
    permutation,
    quadratic_test,
    score_correlations,
    sign_permutations,
)
from tallymark.metric import Metric
from tallymark.metric.correlation import midranks
from tallymark.metric.measure import Statistic, Value
from tallymark.reading.models import CountedRows, Model
from tallymark.tally.arrays import Floats
from tallymark.tally.joint import PairedPredictions, places
from tallymark.tally.score_counts import bin_starts
from tallymark.tally.scores import ScoreCounts

DRAWS = 2000
RANK_GROUPS = 40
FEW = 5
"""With fewer rows (or clusters) of a class than this, an interval has a warning."""

FEW_IN_A_SHARE = 12
"""With fewer rows in a denominator, e.g. predicted positives, the difference has a warning."""

_PAIRS_AT_ONCE = 50
"""Pairs of models whose posterior draws are measured together."""

_FIRST_GROUPS = 100
"""Groups of scores that are compared before all others."""

_T = TypeVar("_T")


class ExchangedAreas(NamedTuple):
    """How exchanging two models in each row changes the difference of their ROC areas.

    ``of`` says whether scores or midranks are exchanged; ``exact`` is the p-value of all
    exchanges, None if too many rows change the difference.
    """

    of: str
    exact: float | None
    terms: SignedTerms


class Paired(SameRows):
    """Several models on the same rows, resampled jointly.

    ``values`` are each model's own values; ``stratified`` treats class shares as known. The method
    for a difference depends on the metric:

    - rank metrics where both models rank all rows the same, ties included: the difference and
      both bounds are 0;
    - AUC and Gini, average precision, and means of row losses (Brier, log loss, absolute and root
      mean squared error, the spherical score, top-k accuracy): the influence of each row on the
      difference, with Student's t and a correction for skewness (:mod:`.influence`); of areas the
      variance is DeLong's. Where at most 15 rows differ in their loss (for areas, in their score),
      the exact sign-flip test may widen it;
    - proportions of rows of given true classes (accuracy, sensitivity, specificity): Tango's score
      interval and McNemar's test, the exact one with fewer than 20 discordant rows;
    - likelihood ratios, odds ratios and functions of them: square-and-add of both intervals with
      the correlation of the paired decisions, and a test of equal ratios;
    - other metrics of decisions between two classes: Dirichlet posterior of the paired decisions;
    - other rank metrics: square-and-add of both intervals with the correlation of the resamples;
    - all other metrics: the percentile interval of joint resamples, widened by Student's t with
      the rows of the smaller class;
    - if all resamples are equal, or none can be drawn: square-and-add of both intervals, as if
      independent.

    Interval and p-value are one decision: the p-value is below 1 - level exactly where the interval
    leaves 0 out.

    With weights or clusters, proportions and metrics of decisions are resampled, clusters as
    wholes; influences are weighted, and added up over each cluster, which for the AUC is
    Obuchowski's variance. With ``stratified``, proportions are resampled too.
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
        super().__init__(labels, counted.positive, level)
        self.values = values
        self.counted, self.seed, self.stratified, self.draws = counted, seed, stratified, draws
        self.clustered = joint is not None and joint.clusters is not None
        self._units = "clusters" if self.clustered else "rows"
        self._place = {m.name: i for i, m in enumerate(counted.models)}
        self._cache: dict[tuple[object, ...], Any] = {}

    def _once(self, key: tuple[object, ...], make: Callable[[], _T]) -> _T:
        """Return the cached result for a key, computing it on first use."""
        if key not in self._cache:
            self._cache[key] = make()
        result: _T = self._cache[key]
        return result

    @cached_property
    def joint(self) -> PairedPredictions:
        """The rows of all models; raises InputError with the reason if there are none."""
        refuse_one_model(tuple(m.name for m in self.counted.models))
        if self.counted.joint is None:
            if any(t.bins is not None for m in self.counted.models for t in m.scores):
                raise InputError(
                    f"the scores of {self.counted.source} were counted in bins, without the paired "
                    "rows that comparing models needs; leave bins= out, give more "
                    "options={'memory': ...}, or in a database compare fewer models, or round "
                    "their scores and weights"
                )
            source = self.counted.source
            if any(n.rule == PAIRS_LEFT_OUT.code for n in self.counted.notes):
                raise InputError(
                    f"the file of {source} holds separate counts of each model, and comparing "
                    "models needs their paired rows; write it with to_json(keep_pairs=True) or "
                    "tallymark report --keep-pairs"
                )
            if source.kind in ("matrix", "tally") or "truth" not in source._roles:
                raise InputError(
                    f"there are separate counts of each model in {source}, and comparing models "
                    "needs the predictions of all models row by row"
                )
            raise InputError(
                f"the rows of {self.counted.source} were not kept side by side, which comparing "
                "models needs; compare fewer rows or models, or give more memory"
            )
        return self.counted.joint

    @property
    def simple(self) -> bool:
        """Whether rows are unweighted, not clustered and not stratified."""
        return self.joint.weights is None and not (self.clustered or self.stratified)

    @property
    def names(self) -> tuple[str, ...]:
        """The models' names; raises InputError if rows were not kept."""
        _ = self.joint
        return tuple(m.name for m in self.counted.models)

    def judged(self, contrasts: Sequence[Contrast]) -> list[Bounds]:
        """Return the bounds of differences, each by the first method that applies."""
        if not contrasts:
            return []
        s = contrasts[0].statistic
        if self.simple and (part := self._right_of(s)) is not None:
            fours = [self.discordant(c.first, c.second, *part) for c in contrasts]
            return of_paired_shares(fours, self.level)
        models = {name for c in contrasts for name in (c.first, c.second)}
        influences = {name: self._influences(name, s) for name in models}
        bounds = [
            self._of_same_ranking(c) or self._of_influence(c, influences) or self._of_ratios(c)
            for c in contrasts
        ]
        rest = [c for c, b in zip(contrasts, bounds, strict=True) if b is None]
        drawn = iter(self._of_draws(rest) if rest else [])
        return [b or self._no_more_than_exchanges(*next(drawn)) for b in bounds]

    def model(self, name: str) -> Model:
        """Return one model's tallies."""
        return self.counted.models[self._place[name]]

    def warning(self, s: Statistic, pair: tuple[str, str], bounds: Bounds) -> str | None:
        """Return a warning if a class or a denominator has few rows; None for exact tests."""
        if isinstance(bounds.null_test, PairedShares):
            return None
        if self._smallest < FEW:
            return f"a class has fewer than {FEW} {self._units}"
        if self.clustered:
            few = (of.for_statistic(s).few_clusters(s) for of in self._clusters)
            return next(filter(None, few), None)
        facts = bounds.null_test
        if isinstance(facts, Influence) and facts.effective < FEW_FREEDOMS:
            why = f"fewer than {FEW_FREEDOMS} effective degrees of freedom"
            return f"a few {self._units} decide this difference: {why}"
        if is_proportion(s):
            of = [self.model(name).labels for name in pair]
            rows = [hits_and_rows(s, t.counts, t.sum_squared_weights, t.labels)[1] for t in of]
            if min(rows) < FEW_IN_A_SHARE:
                return f"a model's share is of fewer than {FEW_IN_A_SHARE} rows"
        return None

    @cached_property
    def _smallest(self) -> float:
        """The rows of the smallest class (effective if weighted), or its clusters if clustered."""
        j = self.joint
        if j.clusters is not None:
            rows = [len(np.unique(j.clusters[j.true == code])) for code in np.unique(j.true)]
            return float(min(rows))
        of_class = np.bincount(j.true, j.weights).astype(float)
        squares = None if j.weights is None else np.bincount(j.true, j.weights**2).astype(float)
        return float(effective_rows(of_class, squares)[np.bincount(j.true) > 0].min())

    def _degrees(self, s: Statistic) -> float:
        """Return the upper limit of the degrees of freedom; for two classes, that of the smaller.

        With clusters, it is also limited by the cluster sizes.
        """
        units = self._smallest if len(self.labels) == 2 else self.joint.groups or self.joint.rows
        most = max(units - 1.0, 1.0)
        return min(most, self._sizes(s).degrees_of_freedom) if self.clustered else most

    def _sizes(self, s: Statistic) -> ClusterSizes:
        """Return the least favourable sizes of the clusters, of all models."""
        key = ("sizes", s.metric.name, *s.params.items(), s.average, s.positive)
        return self._once(key, lambda: min(of.for_statistic(s).sizes(s) for of in self._clusters))

    @cached_property
    def _clusters(self) -> list[Clustered]:
        """The clustered rows of each model."""
        options: dict[str, Any] = {"seed": self.seed, "stratified": self.stratified}
        return [Clustered.of(self.counted, m.name, **options) for m in self.counted.models]

    # -- identical rankings --------------------------------------------------------------------

    def same_ranking(self, first: str, second: str) -> bool:
        """Return whether two models rank all rows the same, ties included.

        Always False for binned scores, because bins hide the order of their rows.
        """

        def find() -> bool:
            both = [self.model(name).scores for name in (first, second)]
            if len(both[0]) != len(both[1]):
                return False
            for x, y in zip(*both, strict=True):
                if x.bins is not None or y.bins is not None:
                    return False
                # Quick checks that settle nearly all pairs.
                if x.counts.shape != y.counts.shape:
                    return False
                for some in (slice(_FIRST_GROUPS), slice(None)):
                    if not np.allclose(x.counts[some], y.counts[some]):
                        return False
            return self.joint.same_ranking(first, second)

        return self._once(("same ranking", *sorted((first, second))), find)

    def _of_same_ranking(self, c: Contrast) -> Bounds | None:
        """Return bounds of 0 for a rank metric if both models rank all rows the same, else None."""
        order = c.metric._order_of(**c.statistic.params)
        if order is None or not self.same_ranking(c.first, c.second):
            return None
        return Bounds(0.0, 0.0, f"{SAME_RANKING}, ties included", 1.0, SAME_RANKING)

    # -- ROC areas -----------------------------------------------------------------------------

    @cached_property
    def _areas(self) -> Areas:
        """The ROC areas of the models with one column of scores."""
        joint = replace(self.joint, models=tuple(self.joint.model(n) for n in self._scored))
        return areas_of(joint, [self.model(n).scores[0] for n in self._scored])

    @cached_property
    def _scored(self) -> list[str]:
        """The names of the models with one column of scores."""
        return [m.name for m in self.counted.models if len(m.scores) == 1]

    @cached_property
    def _score_correlations(self) -> Floats:
        """The correlations of the scores of the models with one column: [model, model]."""
        return score_correlations(self.joint, self._scored)

    def score_correlation(self, first: str, second: str) -> float:
        """Return the correlation of two models' scores within a class, the mean of both classes."""
        i, j = (self._scored.index(n) for n in (first, second))
        return float(self._score_correlations[i, j])

    def _of_influence(self, c: Contrast, influences: Mapping[str, Floats | None]) -> Bounds | None:
        """Return the bounds of a difference from the influence of each row on both values.

        None where the influence has no formula, or nothing varies.
        """
        one, other = influences[c.first], influences[c.second]
        if one is None or other is None:
            return None
        j, gaps = self.joint, one - other
        of_area = c.metric._roc_area is not None
        if j.clusters is not None:
            title = "Obuchowski, clusters, paired" if of_area else "influence of each cluster"
            groups = j.groups or 0
            sums = np.asarray(np.bincount(j.clusters, gaps, groups), np.float64)
            facts = Influence.of([(sums, float(groups))], self._degrees(c.statistic))
            facts = facts and facts.cautious
        else:
            title = "DeLong, paired" if of_area else "influence of each row"
            facts = Influence.of([(gaps[rows], n) for rows, n in self._class_rows])
        if facts is None:
            return square_and_add(c.a, c.b) if of_area else None
        test = f"{title}, Student's t with skewness"
        low, high = facts.bounds(c.gap, self.level)
        bounds = Bounds(low, high, test, facts.p_value(c.gap), test, null_test=facts)
        exact = None if self.clustered else self._sign_flip(c)
        return bounds if exact is None else no_more_than(bounds, exact, "sign-flip", self.level)

    def _sign_flip(self, c: Contrast) -> float | None:
        """Return the exact p-value of equal mean losses or areas if few rows differ, else None."""
        if c.metric._roc_area is not None:
            exchanged = self._exchanged_areas(c.first, c.second)
            return exchanged.exact if self.simple and exchanged.of == "scores" else None
        a, b = (self._losses(name, c.statistic) for name in (c.first, c.second))
        if a is None or b is None:
            return None
        weights = self.joint.weights
        return sign_flip(a - b if weights is None else weights * (a - b))

    def _exchanged_areas(self, first: str, second: str) -> ExchangedAreas:
        """Return how exchanging each row changes the difference of two ROC areas.

        Scores are exchanged where they are equal in most rows, so both models have one scale;
        otherwise the midranks of each model, which no increasing map of its scores changes.
        """

        def make() -> ExchangedAreas:
            j, of = self.joint, "scores"
            both = [np.asarray(j.model(n).scores[0]) for n in (first, second)]
            if 2 * np.count_nonzero(both[0] == both[1]) <= j.rows:
                both, of = [self._midranks(first), self._midranks(second)], "midranks"
            effects = exchange_effects(j.true == j.positive_code, *both)
            return ExchangedAreas(of, sign_flip(effects), grouped_terms(effects))

        return self._once(("exchanged areas", first, second), make)

    def _midranks(self, name: str) -> NDArray[Any]:
        """Return twice the midrank of each row's score, which is an integer."""

        def make() -> NDArray[Any]:
            scores = np.asarray(self.joint.model(name).scores[0])
            return (2 * midranks(scores, ties=0)).astype(np.int64)

        return self._once(("midranks", name), make)

    @cached_property
    def _class_rows(self) -> list[tuple[NDArray[Any], float]]:
        """The rows of each class, with their effective number."""
        j = self.joint
        return within_classes(np.arange(j.rows), j.true, j.weights)

    def _losses(self, name: str, s: Statistic) -> Floats | None:
        """Return the loss of each row of one model, None if the statistic is no mean of losses."""
        key = ("losses", name, s.metric.name, *s.params.items(), s.average)
        return self._once(key, partial(losses_of, self.joint, self.model(name), s))

    def _influences(self, name: str, s: Statistic) -> Floats | None:
        """Return the influence of each row on one model's statistic, None without a formula."""
        options: dict[str, Any] = {"stratified": self.stratified, "losses": self._losses(name, s)}
        return of_rows(self.joint, self.model(name), s, **options)

    def auc_test(self) -> Evidence:
        """Return the test that all AUCs are equal: Hotelling's T² of the contrasts.

        ``statistic`` is DeLong's chi-square, which is too large for the chi-square distribution in
        small samples. With two models, it is the test of their difference without the correction
        for skewness. See :func:`~tallymark.infer.significance.quadratic_test`.

        Sources: delong1988, krishnamoorthy2004; obuchowski1997 of clusters.
        """
        values, covariance, parts = self._areas
        contrast = np.diff(np.eye(len(values)), axis=0)
        name, source = "DeLong's test of all ROC areas", "delong1988"
        if self.clustered:
            name, source = "Obuchowski's test of all ROC areas, clusters", "obuchowski1997"
        name += ", Hotelling's T²"
        if np.isnan(covariance).any():
            why = f"a class has fewer than two {self._units}"
            return Evidence(name, math.nan, reason=why, source=source)

        def of_contrasts(v: Floats) -> Floats:
            return np.asarray(contrast @ v @ contrast.T)

        why = "the scores rank the rows identically"
        each = [(of_contrasts(v), n - 1) for v, n in parts]
        gaps, spread = contrast @ values, of_contrasts(covariance)
        return quadratic_test(name, gaps, spread, why, source, each)

    # -- proportions ---------------------------------------------------------------------------

    def _of_ratios(self, c: Contrast) -> Bounds | None:
        """Return the bounds for likelihood and odds ratios, None for other metrics."""
        if not is_ratio(c.statistic) or self.joint.weights is not None or self.clustered:
            return None
        of = c.metric._sampling.two_shares
        assert of is not None
        fours = []
        for share in (of.first, of.second):
            part = self._right_of(Statistic(share, c.statistic.average, c.statistic.positive))
            assert part is not None
            fours.append(self.discordant(c.first, c.second, *part))
        return of_paired_ratios(c.statistic, c.a, c.b, (fours[0], fours[1]))

    def _no_more_than_exchanges(self, c: Contrast, bounds: Bounds) -> Bounds:
        """Return bounds that claim no more than the exact test where few rows are discordant.

        The test exchanges two models' decisions in each of these rows, in all ways.
        """
        if c.metric._needs not in ("counts", "matrix") or not self.simple:
            return bounds
        cells = self.agreement(c.first, c.second)
        if cells.sum() - np.einsum("tii->", cells) >= FEW_DISCORDANT:
            return bounds

        def difference(a: Floats, b: Floats) -> Floats:
            of_a, of_b = (c.statistic.of_matrix(counts, self.labels) for counts in (a, b))
            return np.asarray(of_a - of_b)

        with np.errstate(all="ignore"):
            test = permutation(cells, difference, seed=self.seed)
        return no_more_than(bounds, test.p_value, test.name, self.level)

    def _right_of(self, s: Statistic) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
        """Return a proportion's rows [true] and the cells [true, predicted] that count as hits.

        None if the metric is not a proportion of rows of given true classes.
        """
        if not is_proportion(s):
            return None
        assert s.metric._sampling.proportion is not None
        k = len(self.labels)
        units = np.eye(k * k).reshape(k * k, k, k)
        part, whole = s.metric._sampling.proportion(s.view(units, self.labels))
        part, whole = (np.asarray(v).reshape(k, k) for v in (part, whole))
        if not (whole == whole[:, :1]).all() or not np.isin([part, whole], (0, 1)).all():
            return None
        return whole[:, 0].astype(bool), part.astype(bool)

    def agreement(self, first: str, second: str) -> Floats:
        """Return counts of rows by true class and both predictions: [true, first, second]."""
        one, other = sorted((first, second))
        cuts = (self.model(one).threshold, self.model(other).threshold)
        make = partial(self.joint.agreement, one, other, cuts)
        cells = self._once(("agreement", one, other), make)
        return cells if one == first else cells.swapaxes(1, 2)

    def discordant(
        self, first: str, second: str, rows: NDArray[np.bool_], hits: NDArray[np.bool_]
    ) -> tuple[float, float, float, float]:
        """Return the numbers of rows that both hit, only the first, only the second, neither."""
        cells = self.agreement(first, second)[rows]
        of_a, of_b = hits[rows][:, :, None], hits[rows][:, None, :]
        cases = (of_a & of_b, of_a & ~of_b, ~of_a & of_b, ~of_a & ~of_b)
        both, one, other, none = (float((cells * c).sum()) for c in cases)
        return both, one, other, none

    # -- equal outputs -----------------------------------------------------------------------------

    def alike(self, first: str, second: str, decisive: Metric) -> bool:
        """Return whether two models decide all rows alike, and score them alike if that matters."""
        cells = self.agreement(first, second).sum(0)
        if (cells - np.diag(np.diag(cells))).any():
            return False
        a, b = (self.joint.model(n).scores for n in (first, second))
        of_decisions = decisive._needs in ("counts", "matrix")
        return of_decisions or all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))

    # -- draws ---------------------------------------------------------------------------------

    def _of_draws(self, contrasts: Sequence[Contrast]) -> list[tuple[Contrast, Bounds]]:
        """Return bounds from posterior draws of the paired decisions, or from resamples.

        By square-and-add of both intervals where there are none.
        """
        s, simple = contrasts[0].statistic, self.joint.weights is None and not self.clustered
        decided = s.metric._needs in ("counts", "matrix")
        if decided and len(self.labels) == 2 and simple:
            bounds = self._of_posterior(contrasts)
        else:
            bounds = [self._of_resamples(c) for c in contrasts]
        both = zip(contrasts, bounds, strict=True)
        return [(c, b or square_and_add(c.a, c.b)) for c, b in both]

    def _of_resamples(self, c: Contrast) -> Bounds | None:
        """Return the bounds of a difference from joint resamples, None if there are none."""
        both = [self._replicates(which, c.statistic) for which in (c.first, c.second)]
        if both[0] is None or both[1] is None:
            return None
        (x, x_whole), (y, y_whole) = both[0], both[1]
        with np.errstate(invalid="ignore"):
            gaps = x - y + (c.gap - (x_whole - y_whole))
        name = f"bootstrap of the {self._units} in common, {self.draws:,} draws"
        bounds = of_draws(gaps, self.level, self._degrees(c.statistic), 1.0, name, "bootstrap")
        if bounds is None or math.isnan(bounds.low):
            return bounds
        ranked = c.metric._needs == "ranking" or c.metric._sampling.error != "smooth"
        bounded = all(math.isfinite(end) for v in (c.a, c.b) for end in (v.low, v.high))
        decided = c.metric._needs in ("counts", "matrix")
        if ranked and bounded and not decided and len(self.labels) == 2:
            return square_and_add(c.a, c.b, _correlation(x, y), self.draws)
        return bounds

    def _of_posterior(self, contrasts: Sequence[Contrast]) -> list[Bounds | None]:
        """Return the bounds of differences from posterior draws of the paired decisions."""
        s, n = contrasts[0].statistic, self.joint.rows
        widen = math.sqrt(n / max(n - 1, 1))
        name = f"Dirichlet posterior of the paired decisions, {self.draws:,} draws"
        bounds: list[Bounds | None] = []
        for start in range(0, len(contrasts), _PAIRS_AT_ONCE):
            some = contrasts[start : start + _PAIRS_AT_ONCE]
            each = [self._posterior(c) for c in some]
            signs = np.array([[sign] for *_, sign in each])
            difference = partial(self._signed_differences, s, signs)
            of_a, of_b = (np.stack([drawn[side] for drawn, *_ in each]) for side in (0, 1))
            with np.errstate(all="ignore"):
                gaps = difference(of_a, of_b)
                degrees = posterior_degrees(
                    np.stack([counts for _, counts, _ in each]), partial(_of_cells, difference)
                )
            bounds += [
                of_draws(of_pair, self.level, float(most), widen, name, "posterior")
                for of_pair, most in zip(gaps, degrees, strict=True)
            ]
        return bounds

    def _signed_differences(
        self, s: Statistic, signs: Floats, of_a: Floats, of_b: Floats
    ) -> Floats:
        """Return differences over matrices [pair, case, true, predicted], times a pair's sign."""
        first, second = (s.of_matrix(counts, self.labels) for counts in (of_a, of_b))
        return np.asarray(signs * (first - second))

    def _posterior(self, c: Contrast) -> tuple[tuple[Floats, Floats], Floats, float]:
        """Return posterior draws of both matrices, the paired decisions, and 1 or -1.

        The draws depend neither on the models' order nor on their names: swapping the models only
        changes the sign of the difference.
        """
        both = sorted((c.first, c.second))
        counts, other = self.agreement(*both), self.agreement(*both[::-1])
        if counts.tolist() < other.tolist():
            both, counts = both[::-1], other

        def make() -> tuple[Floats, Floats]:
            rng = Sampler(self.seed).generator("what both say")
            cells = posterior_cells(counts, self.draws, rng, self.stratified)
            if self.stratified:
                support = self.model(both[0]).labels.reorder(self.labels).counts.sum(1)
                cells *= (support / np.maximum(counts.sum((1, 2)), 1.0))[:, None, None]
            return cells.sum(3), cells.sum(2)

        drawn = self._once(("posterior", *both), make)
        return drawn, counts, 1.0 if c.first == both[0] else -1.0

    @cached_property
    def _resampled(self) -> BlockReplicates:
        sampler = Sampler(self.seed, self.stratified)
        return BlockReplicates(self.joint, self.counted.models, sampler, draws=self.draws)

    def curve_moves(self, name: str, curve: Callable[[ScoreCounts], Floats] = heights) -> Floats:
        """Return how far a model's curve moves in each draw: [draw, point]; ROC by default.

        All models share the same draws.
        """

        def move() -> Floats:
            replicates, whole = (of[0] for of in self._resampled.rankings(self._place[name]))
            return curve(replicates) - curve(whole)

        return self._once(("curve", curve.__name__, name), move)

    @cached_property
    def positives(self) -> float:
        """The number of rows of the positive class; effective (Kish) if weighted."""
        labels = self.counted.models[0].labels
        return max(float(class_rows(labels)[labels.labels.index(self.positive)]), 1.0)

    def joint_draws(self, name: str, metric: Metric) -> NDArray[Any] | None:
        """Return a metric over the joint draws, recentred at its value; None without draws."""
        replicates = self._replicates(name, Statistic.of(metric, self.labels, self.positive))
        value = self.values[name].get(metric.name)
        if replicates is None or value is None or value.reason:
            return None
        with np.errstate(invalid="ignore"):
            return np.asarray(replicates[0] + (value.value - replicates[1]))

    def _replicates(self, name: str, s: Statistic) -> tuple[NDArray[Any], float] | None:
        """Return a metric over the draws, and its value on the original counts."""
        key = ("replicates", name, s.metric.name)
        return self._once(key, lambda: self._resampled.values(self._place[name], s))

    # -- permutation test ----------------------------------------------------------------------

    def permutations(
        self, pairs: Sequence[tuple[str, str]], metric: Metric, draws: int
    ) -> list[Evidence]:
        """Return each pair's permutation test, which swaps two models' outputs row by row.

        Decisions are swapped as they are. For the ROC area, the scores are swapped where they are
        equal in most rows, otherwise their midranks; where at most 15 rows change the difference,
        in all ways. For other rank metrics, midranks are swapped in 40 groups, so the difference
        that is tested is slightly another one; the name says so. All pairs share their draws.
        """
        ranked = metric._needs == "ranking" and self.positive is not None
        reason = None
        if not self.simple:
            reason = "rows have weights, clusters or another class balance"
        elif metric._role in self.joint.numbers:
            reason = (
                f"{metric.name} uses the {metric._role} of rows, which exchanging ranks ignores"
            )
        elif metric._needs not in ("counts", "matrix") and not ranked:
            reason = f"{metric.name} is not computed from decisions or one ranking"
        if reason:
            none = Evidence("permutation", math.nan, reason=reason, source="good2005")
            return [none] * len(pairs)
        if metric._roc_area is None:
            return [self._exchanged(*pair, metric, draws, ranked) for pair in pairs]
        areas = [self._exchanged_areas(*pair) for pair in pairs]
        tests = sign_permutations([of.terms for of in areas], draws=draws, seed=self.seed)
        return [
            replace(test, name=f"permutation, {of.of}")
            if of.exact is None
            else Evidence(f"permutation, {of.of}, exact", of.exact, source="good2005")
            for of, test in zip(areas, tests, strict=True)
        ]

    def _exchanged(
        self, first: str, second: str, metric: Metric, draws: int, ranked: bool
    ) -> Evidence:
        """Return the permutation test of a metric of decisions, or of one ranking."""
        s = Statistic.of(metric, self.labels, self.positive)
        code = self.joint.positive_code or 0

        def number(counts: Floats) -> Any:
            if not ranked:
                return s.of_matrix(counts, self.labels)
            scale = np.arange(counts.shape[-1], dtype=np.float64)
            return s.of_score_counts([ScoreCounts(scale, counts[:, code], counts[:, 1 - code])])

        cells = self.rank_cells(first, second) if ranked else self.agreement(first, second)
        test = permutation(cells, lambda a, b: number(a) - number(b), draws=draws, seed=self.seed)
        grouped = f"permutation, midranks in {RANK_GROUPS} groups, coarser than the scores"
        return replace(test, name=grouped) if ranked else test

    def rank_cells(self, first: str, second: str) -> Floats:
        """Return row counts by class and by the midrank groups of both models.

        A score belongs to the group, of 40, that contains the midrank of its rows.
        """
        midrank_groups = []
        for name in (first, second):
            r = self.model(name).scores[0]._score_counts
            starts = bin_starts(r, RANK_GROUPS, "mass")
            groups = np.flatnonzero(np.diff(starts)).astype(np.uint8)
            of_row = places(self.joint.model(name).scores[0], r.scores[starts[groups]])
            midrank_groups.append(groups[of_row])
        shape = (len(self.labels), RANK_GROUPS, RANK_GROUPS)
        return self.joint.cells(shape, self.joint.true, *midrank_groups)


def _of_cells(difference: Callable[[Floats, Floats], Floats], cells: Floats) -> Floats:
    """Return differences of the matrices of both models, from cells [..., true, by a, by b]."""
    return difference(cells.sum(-1), cells.sum(-2))


def _correlation(x: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the correlation of two metrics over the draws in which both are defined."""
    defined = np.isfinite(x) & np.isfinite(y)
    if not defined.any() or not float(np.std(x[defined]) * np.std(y[defined])) > 0:
        return 0.0
    return float(np.corrcoef(x[defined], y[defined])[0, 1])
