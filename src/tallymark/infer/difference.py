"""The difference of one number of two models: its interval, its p-value, and who chooses them.

The two are judged on the same rows (:class:`Paired`) or on different ones (:class:`Independent`).
:meth:`Design.difference` is the one place that chooses a method.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallymark.contract import checked, one_of
from tallymark.display import Display
from tallymark.errors import InputError
from tallymark.infer.clustered import row_errors
from tallymark.infer.crossing import heights
from tallymark.infer.delong import Areas, areas_of, newcombe
from tallymark.infer.intervals import Inference
from tallymark.infer.jackknife import critical_value, scaled
from tallymark.infer.methods import error_of_sums
from tallymark.infer.sampler import DRAWS as DRAWS_OF_VALUES
from tallymark.infer.sampler import (
    BlockReplicates,
    Sampler,
    class_rows,
    effective_rows,
    percentile_bounds,
)
from tallymark.infer.significance import (
    Evidence,
    mcnemar,
    permutation,
    quadratic_test,
    two_proportions,
)
from tallymark.infer.stacks import Area, Column, Matrices
from tallymark.metric import Metric
from tallymark.metric.measure import Statistic, Value, fields_of, json_number
from tallymark.metric.number import Number
from tallymark.metric.proportion import quantile, wilson
from tallymark.reading.models import PAIRS_LEFT_OUT, CountedRows, Model
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.joint import PairedPredictions, places
from tallymark.tally.score_counts import bin_starts
from tallymark.tally.scores import ScoreCounts
from tallymark.tally.sums import Sums

DRAWS = 2000
SQUARE_AND_ADD = "square-and-add of both intervals"
OF_AREAS = "{}, {}, Student's t"
UNPAIRED_AREAS = OF_AREAS.format("DeLong", "unpaired")
SAME_RANKING = "same ranking"
_HAIR = 1e-12

RANK_GROUPS = 40
FEW = 5
"""With fewer rows (or clusters) of a class than this, an interval has a warning."""

FEW_IN_A_SHARE = 12
"""With fewer rows in a share, such as those called positive, its difference has a warning."""

PRIOR_ROWS = 2.0
"""Rows that the prior of posterior draws is worth, spread evenly over what two models can say."""

_T = TypeVar("_T")


@checked(side=one_of("two-sided", "greater", "less"))
@dataclass(frozen=True, slots=True, repr=False)
class Difference(Number, Display):
    """A metric of one model less that of another, with its interval.

    ``value`` is ``first_value - second_value``, NaN if and only if ``reason`` says why; ``low``
    and ``high`` are NaN, and ``method`` says so, where there is no interval. ``p_value`` is that of
    ``test``, two-sided, NaN where there is none. ``draws`` is how many draws stand behind both, 0
    where nothing is drawn; ``p_at_most`` says that the p-value is an upper bound, as small as these
    draws can show. ``warning`` says why the interval may be too narrow.
    """

    metric: str
    first_value: float
    second_value: float
    low: float = math.nan
    high: float = math.nan
    level: float | None = None
    method: str | None = None
    p_value: float = math.nan
    test: str | None = None
    reason: str | None = None
    warning: str | None = None
    draws: int = 0
    p_at_most: bool = False

    @property
    def value(self) -> float:
        """The first model's number less the second's."""
        with np.errstate(invalid="ignore"):
            return float(np.subtract(self.first_value, self.second_value))

    @property
    def error(self) -> float:
        """The standard error that the interval stands for, NaN without one."""
        if self.level is None or math.isnan(self.low):
            return math.nan
        return (self.high - self.low) / (2 * quantile(self.level))

    @property
    def least_p(self) -> float:
        """The smallest two-sided p-value that the draws can show; 0 where nothing is drawn."""
        return least_p(self.draws)

    def p_claim(self, side: str, null: float = 0.0) -> float:
        """Return the p-value of the claim that the difference is not ``null``, above or below it.

        ``side`` is "two-sided", "greater" or "less". Of 0 the p-value is that of the difference's
        own test, of anything else that which agrees with the interval: one-sided it is below
        (1 - level) / 2 exactly where the interval lies on that side of ``null``. NaN without an
        interval.
        """
        if null == 0 and self.test is not None:
            p = self.p_value
        elif self.level is None:
            return math.nan
        elif self.value == null:
            p = 1.0
        else:
            p = float(p_of_bounds(self.value, self.low, self.high, self.level, null))
            # Beyond a bound that is the difference itself nothing lies.
            p = max(float(np.nan_to_num(p)), self.least_p)
        if side == "two-sided":
            return p
        return p / 2 if (self.value > null) == (side == "greater") else 1 - p / 2

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {**fields_of(self), "value": json_number(self.value)}


def least_p(draws: int) -> float:
    """Return the smallest two-sided p-value that so many draws can show; 0 of none.

    One draw is added to either tail: no draw beyond the null does not prove that there is none.

    >>> round(least_p(1999), 4), least_p(0)
    (0.001, 0.0)
    """
    return 2 / (1 + draws) if draws else 0.0


class Bounds(NamedTuple):
    """The interval of a difference and the test beside it; NaN where there is none."""

    low: float
    high: float
    method: str
    p_value: float = math.nan
    test: str | None = None
    draws: int = 0
    p_at_most: bool = False


def no_bounds(why: str) -> Bounds:
    """Return no interval, and why."""
    return Bounds(math.nan, math.nan, f"no interval: {why}")


class Contrast(NamedTuple):
    """Two models' values of one statistic, whose difference is wanted."""

    first: str
    second: str
    statistic: Statistic
    a: Value
    b: Value

    @property
    def metric(self) -> Metric:
        """The statistic's metric."""
        return self.statistic.metric

    @property
    def gap(self) -> float:
        """The first value less the second."""
        return self.a.value - self.b.value


class Design:
    """Which rows two models were judged on, and so how the errors of their numbers go together."""

    clustered: bool

    def __init__(
        self,
        values: Mapping[str, Mapping[str, Value]],
        labels: Sequence[Label],
        positive: Label | None,
        level: float,
    ) -> None:
        self.values, self.labels, self.positive, self.level = values, labels, positive, level

    def difference(self, first: str, second: str, metric: Metric, **definition: Any) -> Difference:
        """Return one metric of the first model less that of the second.

        ``definition`` is what :meth:`Statistic.of` takes, such as the average.
        """
        a, b = (self.values[name].get(metric.name) for name in (first, second))
        if a is None or b is None:
            nan, lacking = math.nan, first if a is None else second
            return Difference(metric.name, nan, nan, reason=f"{lacking} does not have it")
        d = Difference(metric.name, a.value, b.value)
        for name, v in ((first, a), (second, b)):
            if v.reason:
                return replace(d, reason=f"{name}: {v.reason}")
        if math.isinf(a.value) or math.isinf(b.value):
            if a.value == b.value:
                return replace(d, reason="both are infinite")
            return replace(d, method="no interval: one of the two is infinite")
        options = {"positive": self.positive, **definition}
        statistic = Statistic.of(metric, self.labels, **options)
        c = Contrast(first, second, statistic, a, b)
        found = self.bounds(c)
        facts = ("p_value", "test", "method", "draws", "p_at_most")
        d = replace(d, **{name: getattr(found, name) for name in facts})
        if found.test == SAME_RANKING:  # sums of weights may differ by their rounding
            d = replace(d, second_value=d.first_value)
        if math.isnan(found.low) or math.isnan(found.high):
            return d
        least, most = metric.range_of(**statistic.params)
        low, high = max(found.low, least - most), min(found.high, most - least)
        low, high = min(low, d.value), max(high, d.value)
        if not math.isfinite(high - low):
            why = "no interval: its bounds exceed the largest number"
            return Difference(metric.name, a.value, b.value, method=why)
        return replace(d, low=low, high=high, level=self.level, warning=self.warning(c, found))

    @abstractmethod
    def bounds(self, c: Contrast) -> Bounds:
        """Return what the first method that serves says: of what the number is, and of the rows."""

    def warning(self, c: Contrast, found: Bounds) -> str | None:
        """Say why an interval may be too narrow."""
        return None

    def of_areas(self, c: Contrast, areas: Areas, pairing: str) -> Bounds:
        """Judge two ROC areas by :func:`area_bounds`; one that does not vary by both intervals."""
        if not areas.parts:  # a class has fewer than two rows
            return square_and_add(c.a, c.b)
        low, high, p = (float(v.item()) for v in area_bounds(areas, self.level))
        if math.isnan(low):
            return square_and_add(c.a, c.b)
        assert c.metric.roc_area is not None
        slope = c.metric.roc_area.slope
        method = "Obuchowski, clusters" if self.clustered else "DeLong"
        name = OF_AREAS.format(method, pairing)
        return Bounds(low * slope, high * slope, f"{name}, logit scale", p, name)


# -- different rows ----------------------------------------------------------------------------


class Side:
    """One model on rows of its own."""

    def __init__(self, inference: Inference, model: Model) -> None:
        self.counted, self.model = inference.counted, model
        self.stratified = inference.stratified
        self.clustered = inference.clusters(model.name)

    @property
    def simple(self) -> bool:
        """Whether every row counts once and alone."""
        return not (self.counted.weighted or self.stratified or self.clustered)

    def proportion(self, s: Statistic) -> tuple[float, float] | None:
        """Return hits and rows, weighted ones by their effective number, of a proportion of rows.

        None for what is none, or has no such interval: of clusters, or where rows of several
        classes whose shares are known are mixed.
        """
        t = self.model.labels
        if self.clustered or not is_proportion(s):
            return None
        if self.stratified and s.mixes_classes(t.labels):
            return None
        hit, n = hits_and_rows(s, t.counts, t.sum_squared_weights, t.labels)
        return float(hit), float(n)

    @cached_property
    def area(self) -> Area:
        """The ROC area of two classes, with DeLong's variance, or Obuchowski's of clusters."""
        return (self.clustered or Column(self.model.scores[0], Sampler())).area


class Independent(Design):
    """Models on different rows, of which none is in both: the variances of both add up.

    - ROC areas: square-and-add on the logit scale with DeLong's variances (Obuchowski's of
      clusters), as far out as Student's t of Welch's degrees of freedom, which the test takes too;
    - a proportion of rows: Newcombe's square-and-add of Wilson's intervals, and the score test;
    - anything else: square-and-add of both intervals, and the p-value that agrees with it.

    Sources: newcombe1998, zou2008, delong1988, obuchowski1997.
    """

    def __init__(
        self, sides: Mapping[str, Side], values: Mapping[str, Mapping[str, Value]], level: float
    ) -> None:
        counted = next(iter(sides.values())).counted
        super().__init__(values, counted.classes, counted.positive, level)
        self.sides = sides
        self.clustered = any(side.clustered for side in sides.values())

    def bounds(self, c: Contrast) -> Bounds:
        """Judge ROC areas and shares of rows by methods of their own, others by both intervals."""
        sides = self.sides[c.first], self.sides[c.second]
        if c.metric.roc_area is not None and self.positive is not None:
            areas = unpaired(*(side.area for side in sides))
            if both_vary(areas).all():  # an area of 0 or 1 has a one-sided interval
                return self.of_areas(c, areas, "unpaired")
        found = self._of_intervals(c)
        shares = [side.proportion(c.statistic) for side in sides]
        if shares[0] is None or shares[1] is None:
            return found
        test = two_proportions(*shares[0], *shares[1])
        weighted = any(side.counted.weighted for side in sides)
        method = "Newcombe, unpaired" + (", weighted rows" if weighted else "")
        # Where both sides hit all rows, or none, there is nothing to be tested.
        p = 1.0 if test.reason else test.p_value
        return Bounds(found.low, found.high, method, p, test.name)

    def _of_intervals(self, c: Contrast) -> Bounds:
        """Judge by the intervals of both."""
        for v, name in ((c.a, c.first), (c.b, c.second)):
            if math.isnan(v.low):
                why = (v.method or "it has none").removeprefix("no interval: ")
                return no_bounds(f"of {name}, {why}")
        found = square_and_add(c.a, c.b)
        return found._replace(method=found.method.removesuffix(", as if independent"))


# -- the same rows -----------------------------------------------------------------------------


class Paired(Design):
    """Several models on the same rows, resampled together.

    ``values`` are the models' own numbers; ``stratified`` takes the shares of the classes as known.
    A difference is judged by the method that fits what it is a difference of:

    - any metric of the order alone where both models rank all rows the same, ties included: the
      difference is 0, and so are both bounds;
    - AUC (and Gini): square-and-add of both intervals on the logit scale with DeLong's
      correlation, as far out as Student's t of Welch's degrees of freedom; DeLong's test;
    - a mean of what is added up row by row (the spherical score, top-k accuracy; of more than two
      classes log loss, Brier and the like): the normal interval of the rows' differences;
    - a proportion of rows of given true classes (accuracy, sensitivity, specificity): Newcombe's
      square-and-add of Wilson's intervals with the correlation of the two, and McNemar's test;
    - other metrics of decisions between two classes: Dirichlet posterior of the paired decisions;
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
        self.counted, self.seed, self.stratified, self.draws = counted, seed, stratified, draws
        self.clustered = joint is not None and joint.clusters is not None
        self._units = "clusters" if self.clustered else "rows"
        self._place = {m.name: i for i, m in enumerate(counted.models)}
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
                f"there is one model, {self.counted.models[0].name!r}; comparing needs two or "
                "more, counted together on the same rows"
            )
        if self.counted.joint is None:
            if any(t.bins is not None for m in self.counted.models for t in m.scores):
                raise InputError(
                    f"the scores of {self.counted.source} were counted in bins, without the paired "
                    "rows that comparing models needs; leave bins= out, or give more "
                    "options={'memory': ...}"
                )
            source = self.counted.source
            if any(n.code == PAIRS_LEFT_OUT for n in self.counted.notes):
                raise InputError(
                    f"the file of {source} holds separate counts of each model, and comparing "
                    "models needs their paired rows; write it with to_json(keep_pairs=True) or "
                    "tallymark report --keep-pairs"
                )
            if source.kind in ("matrix", "tally") or "truth" not in source.roles:
                raise InputError(
                    f"{source} holds separate counts of each model, and comparing models needs the "
                    "predictions of all models row by row"
                )
            raise InputError(
                f"the rows of {self.counted.source} were not kept side by side, which comparing "
                "models needs; compare fewer rows or models, or give more memory"
            )
        return self.counted.joint

    @property
    def simple(self) -> bool:
        """Whether every row counts once and alone."""
        return self.joint.weights is None and not (self.clustered or self.stratified)

    def bounds(self, c: Contrast) -> Bounds:
        """Return what the first method that serves says: of what the number is, and of the rows."""
        exact = (self._of_same_ranking, self._of_joint_areas, self._of_row_means)
        for method in (*exact, self._of_proportions):
            found = method(c)
            if found is not None:
                return found
        return self._of_draws(c) or square_and_add(c.a, c.b)

    def model(self, name: str) -> Model:
        """Return one model's tallies."""
        return self.counted.models[self._place[name]]

    def warning(self, c: Contrast, found: Bounds) -> str | None:
        """Say that a class, or what a share is of, has few rows, unless the test is exact."""
        if (found.test or "").startswith("McNemar"):
            return None
        if self._smallest < FEW:
            return f"a class has fewer than {FEW} {self._units}"
        if is_proportion(c.statistic):
            of = [self.model(name).labels for name in (c.first, c.second)]
            rows = [
                hits_and_rows(c.statistic, t.counts, t.sum_squared_weights, t.labels)[1] for t in of
            ]
            if min(rows) < FEW_IN_A_SHARE:
                return f"a model's share is of fewer than {FEW_IN_A_SHARE} rows"
        return None

    @cached_property
    def _smallest(self) -> float:
        """The rows of the smaller class, or the clusters with some; weighted rows by Kish."""
        j = self.joint
        if j.clusters is not None:
            rows = [len(np.unique(j.clusters[j.true == code])) for code in np.unique(j.true)]
            return float(min(rows))
        of_class = np.bincount(j.true, j.weights).astype(float)
        squares = None if j.weights is None else np.bincount(j.true, j.weights**2).astype(float)
        return float(effective_rows(of_class, squares)[np.bincount(j.true) > 0].min())

    @cached_property
    def _degrees(self) -> float:
        """The degrees of freedom of resamples: of two classes those of the smaller one."""
        if len(self.labels) == 2:
            return max(self._smallest - 1, 1.0)
        return max((self.joint.groups or self.joint.rows) - 1.0, 1.0)

    # -- the same ranking ----------------------------------------------------------------------

    def same_ranking(self, first: str, second: str) -> bool:
        """Tell whether two models rank all rows the same, ties included.

        Of scores in bins, which hide the order within a bin, that is never known.
        """

        def find() -> bool:
            both = [self.model(name).scores for name in (first, second)]
            if len(both[0]) != len(both[1]):
                return False
            for x, y in zip(*both, strict=True):
                if x.bins is not None or y.bins is not None:
                    return False
                if x.counts.shape != y.counts.shape or not np.allclose(x.counts, y.counts):
                    return False  # found at once, and true of nearly all pairs
            return self.joint.same_ranking(first, second)

        return self._once(("same ranking", *sorted((first, second))), find)

    def _of_same_ranking(self, c: Contrast) -> Bounds | None:
        """Judge what depends on the order alone where both models have the same."""
        order = c.metric.order_of(**c.statistic.params)
        if order is None or not self.same_ranking(c.first, c.second):
            return None
        return Bounds(0.0, 0.0, f"{SAME_RANKING}, ties included", 1.0, SAME_RANKING)

    # -- ROC areas -----------------------------------------------------------------------------

    @cached_property
    def _areas(self) -> tuple[list[str], Areas]:
        """The names of the models with scores, and their areas."""
        scored = [m for m in self.counted.models if len(m.scores) == 1]
        joint = replace(self.joint, models=tuple(self.joint.model(m.name) for m in scored))
        return [m.name for m in scored], areas_of(joint, [m.scores[0] for m in scored])

    def _of_joint_areas(self, c: Contrast) -> Bounds | None:
        """Judge ROC areas by the placements of the rows in both."""
        if c.metric.roc_area is None or self.positive is None:
            return None
        names, (values, covariance, parts) = self._areas
        two = [names.index(c.first), names.index(c.second)]
        cells = np.ix_(two, two)
        both = Areas(values[two], covariance[cells], tuple((v[cells], n) for v, n in parts))
        return self.of_areas(c, both, "paired")

    def auc_test(self) -> Evidence:
        """Test whether all AUCs are equal: Hotelling's T² of the contrasts.

        ``statistic`` is DeLong's chi-square, which is too large for its own distribution where
        rows are few; of two models the test is that of their difference. See
        :func:`~tallymark.infer.significance.quadratic_test`.

        Sources: delong1988, krishnamoorthy2004; obuchowski1997 of clusters.
        """
        values, covariance, parts = self._areas[1]
        contrast = np.diff(np.eye(len(values)), axis=0)
        name, source = "DeLong's test of all AUCs", "delong1988"
        if self.clustered:
            name, source = "Obuchowski's test of all AUCs, clusters", "obuchowski1997"
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

    def _of_proportions(self, c: Contrast) -> Bounds | None:
        """Judge shares of the rows of some true classes: Newcombe's interval, McNemar's test."""
        part = self._right_of(c.statistic) if self.simple else None
        if part is None:
            return None
        four = self.discordant(c.first, c.second, *part)
        low, high = newcombe_paired(*four, quantile(self.level))
        test = mcnemar(four[1], four[2])
        return Bounds(low, high, "Newcombe, paired", test.p_value, test.name)

    def _right_of(self, s: Statistic) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
        """Return which rows [true] a proportion is of, and which cells [true, called] it counts.

        None for what is not a proportion of rows of given true classes.
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

    def _of_row_means(self, c: Contrast) -> Bounds | None:
        """Judge means over rows: the normal interval, exact from the differences of the rows.

        None for what is not such a mean, or where all rows differ equally.
        """
        metric = c.metric
        several = len(self.model(c.first).scores) > 1 and metric.needs == "probabilities"
        if metric.needs != "rows" and not several:
            return None
        errors = self._row_errors(c.first, c.second)
        if metric.needs == "rows":
            error = abs(error_of_sums(c.statistic, errors))
        elif metric.name not in errors.names:
            return None
        elif metric.row_loss is not None and metric.row_loss.outer is not None:
            error = self._error_of_roots(c)
        else:
            error = errors.average(metric.name)
        if not error > 0:
            return None
        half = quantile(self.level) * error
        of = ", of clusters" if self.clustered else " of each class" if self.stratified else ""
        name = f"normal, paired row losses{of}"
        p = math.erfc(abs(c.gap / error) / math.sqrt(2))
        return Bounds(c.gap - half, c.gap + half, name, p, name)

    def _error_of_roots(self, c: Contrast) -> float:
        """Return the error of a difference of roots of mean squares, by the delta method."""
        if not (c.a.value > 0 and c.b.value > 0):
            return math.nan
        of_a, of_b, of_both = (
            self._row_errors(*names).average(c.metric.name) ** 2
            for names in ((c.first, None), (c.second, None), (c.first, c.second))
        )
        shared = (of_a + of_b - of_both) / 2
        along, across = 1 / (2 * c.a.value), 1 / (2 * c.b.value)
        return math.sqrt(max(along**2 * of_a + across**2 * of_b - 2 * along * across * shared, 0.0))

    def _row_errors(self, first: str, second: str | None) -> Sums:
        """Return the standard errors of a model's mean losses, or of those of a difference."""
        less = None if second is None else self.model(second)
        return self._once(
            ("row errors", first, second),
            lambda: row_errors(self.joint, self.model(first), self.stratified, less),
        )

    # -- draws ---------------------------------------------------------------------------------

    def _of_draws(self, c: Contrast) -> Bounds | None:
        """Judge by draws of the paired decisions from their posterior, or of the rows."""
        decided = c.metric.needs in ("counts", "matrix")
        widen, correlation = 1.0, 0.0
        if decided and len(self.labels) == 2 and self.joint.weights is None and not self.clustered:
            gaps, degrees = self._posterior(c)
            n, test = self.joint.rows, "posterior"
            widen = math.sqrt(n / max(n - 1, 1))
            name = f"Dirichlet posterior of the paired decisions, {self.draws:,} draws"
        else:
            both = [self._replicates(which, c.statistic) for which in (c.first, c.second)]
            if both[0] is None or both[1] is None:
                return None
            (x, x_whole), (y, y_whole) = both[0], both[1]
            with np.errstate(invalid="ignore"):
                gaps = x - y + (c.gap - (x_whole - y_whole))
            degrees, correlation, test = self._degrees, _correlation(x, y), "bootstrap"
            name = f"bootstrap of the {self._units} in common, {self.draws:,} draws"
        low, high = drawn_bounds(gaps, self.level, degrees, widen)
        if math.isnan(low) or math.isinf(low) or math.isinf(high):
            return no_bounds(f"{name}, most of them undefined or infinite")
        if high - low <= _HAIR * max(abs(low), abs(high), 1e-300):
            return None
        ranked = c.metric.needs == "ranking" or c.metric.error != "smooth"
        bounded = all(math.isfinite(end) for v in (c.a, c.b) for end in (v.low, v.high))
        if ranked and bounded and not decided and len(self.labels) == 2:
            low, high = mover(c.gap, _arms(c.a), _arms(c.b), correlation)
            name = f"{SQUARE_AND_ADD}, correlated as in {self.draws:,} resamples"
            return with_p_of_bounds(c.gap, low, high, self.level, name, self.draws)
        p, alike = drawn_p(gaps, degrees, widen), bool((gaps < 0).all() or (gaps > 0).all())
        return Bounds(low, high, name, p, test, self.draws, alike)

    def _posterior(self, c: Contrast) -> tuple[Floats, float]:
        """Return draws of a difference from the posterior of the paired decisions, and its degrees.

        They are of one set of draws whichever model is named first, and whatever the names are:
        the difference turns its sign.
        """
        both = sorted((c.first, c.second))
        counts, other = self.agreement(*both), self.agreement(*both[::-1])
        if counts.tolist() < other.tolist():
            both, counts = both[::-1], other

        def make() -> Floats:
            rng = Sampler(self.seed).generator("what both say")
            cells = posterior_cells(counts, self.draws, rng, self.stratified)
            if self.stratified:
                wanted = self.model(both[0]).labels.reorder(self.labels).counts.sum(1)
                cells *= (wanted / np.maximum(counts.sum((1, 2)), 1.0))[:, None, None]
            return cells

        cells = self._once(("posterior", *both), make)
        sign = 1.0 if c.first == both[0] else -1.0

        def difference(of_both: Floats) -> Floats:
            of_a, of_b = (c.statistic.of_matrix(of_both.sum(axis), self.labels) for axis in (3, 2))
            return np.asarray(sign * (of_a - of_b))

        with np.errstate(all="ignore"):
            return difference(cells), posterior_degrees(counts, difference)

    @cached_property
    def _resampled(self) -> BlockReplicates:
        sampler = Sampler(self.seed, self.stratified)
        return BlockReplicates(self.joint, self.counted.models, sampler, draws=self.draws)

    def curve_moves(self, name: str, curve: Callable[[ScoreCounts], Floats] = heights) -> Floats:
        """Return how far a model's curve moves in every draw: [draw, place], of ROC unless given.

        All models have the same draws.
        """

        def move() -> Floats:
            drawn, whole = (of[0] for of in self._resampled.rankings(self._place[name]))
            return curve(drawn) - curve(whole)

        return self._once(("curve", curve.__name__, name), move)

    @cached_property
    def positives(self) -> float:
        """How many rows of the positive class there are, weighted ones by Kish's formula."""
        labels = self.counted.models[0].labels
        return max(float(class_rows(labels)[labels.labels.index(self.positive)]), 1.0)

    def drawn(self, name: str, metric: Metric) -> NDArray[Any] | None:
        """Return a model's number over the joint draws, laid around its value; None without any."""
        found = self._replicates(name, Statistic.of(metric, self.labels, self.positive))
        value = self.values[name].get(metric.name)
        if found is None or value is None or value.reason:
            return None
        with np.errstate(invalid="ignore"):
            return np.asarray(found[0] + (value.value - found[1]))

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
        s = Statistic.of(metric, self.labels, self.positive)
        ranked = metric.needs == "ranking" and self.positive is not None
        reason = None
        if not self.simple:
            reason = "rows have weights, clusters or another class balance"
        elif metric.effort and self.joint.effort is not None:
            reason = f"{metric.name} uses the effort of rows, which exchanging ranks ignores"
        elif metric.needs not in ("counts", "matrix") and not ranked:
            reason = f"{metric.name} is not computed from decisions or one ranking"
        if reason:
            return Evidence("permutation", math.nan, reason=reason, source="good2005")
        code = self.joint.positive_code or 0

        def number(counts: Floats) -> Any:
            if not ranked:
                return s.of_matrix(counts, self.labels)
            scale = np.arange(counts.shape[-1], dtype=np.float64)
            return s.of_score_counts([ScoreCounts(scale, counts[:, code], counts[:, 1 - code])])

        cells = self.rank_cells(first, second) if ranked else self.agreement(first, second)
        return permutation(cells, lambda a, b: number(a) - number(b), draws=draws, seed=self.seed)

    def rank_cells(self, first: str, second: str) -> Floats:
        """Return rows by class and by the groups of their midranks in both models.

        A score belongs to the one of 40 groups that the middle of its rows lies in.
        """
        found = []
        for name in (first, second):
            r = self.model(name).scores[0].score_counts
            starts = bin_starts(r, RANK_GROUPS, "mass")
            groups = np.flatnonzero(np.diff(starts)).astype(np.uint8)
            of_row = places(self.joint.model(name).scores[0], r.scores[starts[groups]])
            found.append(groups[of_row])
        shape = (len(self.labels), RANK_GROUPS, RANK_GROUPS)
        return self.joint.cells(shape, self.joint.true, *found)


# -- proportions -------------------------------------------------------------------------------


def is_proportion(s: Statistic) -> bool:
    """Tell whether a statistic is a share of rows, and no average over classes."""
    return s.metric.proportion is not None and s.average in ("overall", "binary")


def hits_and_rows(
    s: Statistic, counts: Floats, squares: Floats | None, labels: Sequence[Label]
) -> tuple[Floats, Floats]:
    """Return hits and rows of a proportion of matrices [..., K, K]; 0 where there are no rows.

    Of weighted rows both are those of their effective number.
    """
    hit, n = Matrices(counts, squares, labels, Sampler()).proportion(s)
    return np.nan_to_num(hit), np.nan_to_num(n)


def newcombe_paired(
    both: float, one: float, other: float, none: float, z: float
) -> tuple[float, float]:
    """Return the interval of the difference of two proportions of the same rows.

    Newcombe's (1998) method 10: Wilson's intervals of both, their distances added as squares less
    twice the product times the correlation φ, which is taken nearer to 0 by half a row.

    Parameters
    ----------
    both, one, other, none : int
        Rows that both hit, only the first, only the second, and neither.
    z : float
        The normal quantile of the level.

    Examples
    --------
    >>> low, high = newcombe_paired(36, 12, 2, 0, 1.959964)
    >>> round(low, 4), round(high, 4)
    (0.0569, 0.3404)

    """
    n = both + one + other + none
    if not n:
        return math.nan, math.nan
    hits = np.array([both + one, both + other])
    low, high = wilson(hits, n, z)
    first, second = zip(hits / n - low, high - hits / n, strict=True)
    product = (both + one) * (other + none) * (both + other) * (one + none)
    phi = 0.0
    if product:
        top = both * none - one * other
        phi = (max(top - n / 2, 0.0) if top > 0 else top) / math.sqrt(product)
    low, high = mover((one - other) / n, first, second, phi)
    return float(low), float(high)


# -- square-and-add ----------------------------------------------------------------------------


def mover(
    gap: Any, first: tuple[Any, Any], second: tuple[Any, Any], correlation: Any = 0.0
) -> tuple[Any, Any]:
    """Return the interval of a difference from those of its two numbers, of any shape.

    With δ the distance of a number from its bound on the side in question, the bounds lie
    √(δ₁² - 2 r δ₁ δ₂ + δ₂²) from the difference (Newcombe 1998; Zou and Donner 2008; MOVER): they
    keep the skew of both intervals.

    Parameters
    ----------
    gap : float or array
        The first number less the second.
    first, second : (float, float)
        How far each number lies above its lower bound, and below its upper one.
    correlation : float
        Of the two estimates, -1..1. Of estimates that rise and fall together 0 makes the interval
        too wide, never too narrow.

    Examples
    --------
    >>> low, high = mover(0.1, (0.04, 0.03), (0.04, 0.03), 0.5)
    >>> round(float(low), 4), round(float(high), 4)
    (0.0639, 0.1361)

    """
    r = np.clip(correlation, -1.0, 1.0)

    def along(x: Any, y: Any) -> Any:
        return np.sqrt(np.maximum(x * x - 2 * r * x * y + y * y, 0.0))

    return gap - along(first[0], second[1]), gap + along(first[1], second[0])


def _arms(v: Value) -> tuple[float, float]:
    """Return how far a value lies above its lower bound, and below its upper one."""
    return v.value - v.low, v.high - v.value


def square_and_add(a: Value, b: Value) -> Bounds:
    """Return the interval of a - b from those of both, taken as independent, and its p-value.

    Of two numbers that rise and fall together it is too wide, never too narrow: see :func:`mover`.
    The p-value agrees with it: see :func:`p_of_bounds`.
    """
    if math.isnan(a.low) or math.isnan(b.low):
        without = a if math.isnan(a.low) else b
        why = (without.method or "every draw gives the same").removeprefix("no interval: ")
        return no_bounds(why)
    if any(map(math.isinf, (a.low, a.high, b.low, b.high))):
        return no_bounds("one of the two intervals is unbounded")
    gap = a.value - b.value
    low, high = map(float, mover(gap, _arms(a), _arms(b)))
    assert a.level is not None
    draws = DRAWS_OF_VALUES if any("draws" in (v.method or "") for v in (a, b)) else 0
    name = f"{SQUARE_AND_ADD}, as if independent"
    return with_p_of_bounds(gap, low, high, a.level, name, draws)


def with_p_of_bounds(
    gap: float, low: Any, high: Any, level: float, method: str, draws: int
) -> Bounds:
    """Return bounds made of both intervals with the p-value that agrees with them.

    Draws behind them tell nothing of what is rarer than one of them.
    """
    low, high, p = float(low), float(high), float(p_of_bounds(gap, low, high, level))
    if math.isnan(p):
        return Bounds(low, high, method, draws=draws)
    floor = least_p(draws)
    return Bounds(low, high, method, max(p, floor), SQUARE_AND_ADD, draws, p <= floor)


def p_of_bounds(
    value: Any, low: Any, high: Any, level: float, null: float = 0.0, degrees: Any = math.inf
) -> Any:
    """Return the two-sided p-value of a null value that agrees with the bounds, of any shape.

    The distance to the bound on the side of the null stands for as many errors as the level says,
    of Student's t with so many degrees of freedom. NaN where that bound is the value itself.

    >>> round(float(p_of_bounds(0.2, 0.0, 0.3, 0.95)), 4)
    0.05
    """
    from scipy.special import stdtr

    gap = np.asarray(value - null, dtype=np.float64)
    with np.errstate(all="ignore"):
        toward = np.where(gap > 0, value - low, high - value)
        errors = critical_value(level, np.asarray(degrees, np.float64)) * np.abs(gap) / toward
        return np.where(toward > 0, 2 * stdtr(degrees, -errors), math.nan)


# -- ROC areas ---------------------------------------------------------------------------------


@np.errstate(all="ignore")
def area_bounds(areas: Areas, level: float) -> tuple[Floats, Floats, Floats]:
    """Return the interval of the first of two ROC areas less the second, and its p-value.

    Square-and-add of both intervals on the logit scale (Newcombe's where an area is 0 or 1), with
    the correlation of their covariance, as far out as Student's t of Welch's degrees of freedom.
    The test divides the difference by its standard error. The normal distribution, which DeLong
    takes, rejects too often with some twenty positives. Of a stack of pairs too: values [..., 2]
    and covariance [..., 2, 2]. NaN where the difference does not vary.

    Sources: delong1988, obuchowski1997, welch1947, zou2008.
    """
    from scipy.special import stdtr

    def of_contrast(covariance: Floats) -> Floats:
        return covariance[..., 0, 0] + covariance[..., 1, 1] - 2 * covariance[..., 0, 1]

    values, covariance, parts = areas
    variance, variances = of_contrast(covariance), np.diagonal(covariance, 0, -2, -1)
    degrees = welch([(of_contrast(v), n - 1) for v, n in parts])
    z = critical_value(level, degrees)[..., None]
    low, high = scaled(values, np.sqrt(variances), z, (0, 1))
    inside = (values > 0) & (values < 1) & (variances > _HAIR)
    if not inside.all():
        m, n = (np.asarray(parts[i][1])[..., None] for i in (0, -1))
        ends = newcombe(values, m, n, z)
        low, high = np.where(inside, low, ends[0]), np.where(inside, high, ends[1])
    gap, first, second = values[..., 0] - values[..., 1], values - low, high - values
    correlation = np.nan_to_num(covariance[..., 0, 1] / np.sqrt(variances.prod(-1)))
    (a_down, b_down), (a_up, b_up) = (np.moveaxis(v, -1, 0) for v in (first, second))
    bounds = mover(gap, (a_down, a_up), (b_down, b_up), correlation)
    p = 2 * stdtr(degrees, -np.abs(gap) / np.sqrt(variance))
    varies = variance > _HAIR * variances.sum(-1)
    low, high, p = (np.where(varies, v, math.nan) for v in (*bounds, p))
    return low, high, p


def unpaired(one: Area, other: Area) -> Areas:
    """Return the areas of two stacks of samples, pair by pair, which do not vary together."""
    values, variances = (np.stack([a[i] for a in (one, other)], -1) for i in (0, 1))
    rows = (np.asarray(a.degrees_of_freedom) + 1 for a in (one, other))
    covariance = variances[..., None] * np.eye(2)
    each = (covariance * own for own in np.eye(2))
    return Areas(values, covariance, tuple(zip(each, rows, strict=True)))


def both_vary(areas: Areas) -> NDArray[np.bool_]:
    """Tell which pairs of areas both have a variance: one of 0 or 1 has none."""
    return np.asarray((np.diagonal(areas.covariance, 0, -2, -1) > _HAIR).all(-1))


@np.errstate(all="ignore")
def welch(parts: Sequence[tuple[Any, Any]]) -> Floats:
    """Return the degrees of freedom of a sum of variances, each (variance, its own degrees).

    (Σ v)² / Σ v²/f (Satterthwaite 1946, Welch 1947): near those of the part that weighs most. Of
    stacks too.

    >>> welch([(1.0, 4.0), (0.0, 100.0)]).item(), welch([(1.0, 9.0), (1.0, 9.0)]).item()
    (4.0, 18.0)
    """
    total = np.asarray(sum(v for v, _ in parts))
    spread = np.asarray(sum(np.square(v) / np.maximum(f, 1e-9) for v, f in parts))
    return np.asarray(np.where(spread > 0, np.maximum(total**2 / spread, 1.0), math.inf))


# -- draws -------------------------------------------------------------------------------------


def drawn_bounds(
    gaps: NDArray[Any], level: float, degrees: float, widen: float = 1.0
) -> tuple[float, float]:
    """Return the percentile interval of draws, reaching as far out as Student's t does.

    Draws vary as the normal does, as if the spread of the rows were known: of few rows percentiles
    are too narrow. The share left out on either side is therefore Φ(-t), t Student's quantile
    times ``widen`` (Hesterberg 2015, the expanded percentile interval).
    """
    from scipy.special import ndtr

    out = float(critical_value(level, max(degrees, 1.0))) * widen
    low, high = percentile_bounds(gaps, 1 - 2 * float(ndtr(-out)))
    return float(low), float(high)


def drawn_p(gaps: NDArray[Any], degrees: float, widen: float = 1.0) -> float:
    """Return the two-sided p-value of which :func:`drawn_bounds` is the inversion.

    Twice the share of draws on the rarer side of 0, one draw added to either side, brought from
    the normal's tail to Student's. Of one or two degrees of freedom so far out a tail is asked for
    that no draw lies there: the p-value is then the larger one.
    """
    from scipy.special import ndtri, stdtr

    defined = gaps[~np.isnan(gaps)]
    beyond = min(int((defined <= 0).sum()), int((defined >= 0).sum()))
    share = min(1.0, 2 * (1 + beyond) / (1 + len(defined)))
    return float(2 * stdtr(max(degrees, 1.0), ndtri(share / 2) / widen))


def _correlation(x: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the correlation of two numbers over the draws in which both are known."""
    known = np.isfinite(x) & np.isfinite(y)
    if not known.any() or not float(np.std(x[known]) * np.std(y[known])) > 0:
        return 0.0
    return float(np.corrcoef(x[known], y[known])[0, 1])


def posterior_cells(
    cells: Floats, draws: int, rng: np.random.Generator, stratified: bool = False
) -> Floats:
    """Return draws [draw, true, by a, by b] of the paired decisions from a Dirichlet posterior.

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
    return float(welch(list(parts)))
