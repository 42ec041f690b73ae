"""Compute one model's tallies and metrics per subgroup, and per complement of a subgroup."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError
from tallymark.infer.clustered import Clustered
from tallymark.infer.contrasts import hits_and_rows, is_proportion
from tallymark.infer.intervals import Estimates, Inference, interval
from tallymark.infer.sampler import Sampler, effective_cells
from tallymark.infer.samples import Area, Single, Tallies
from tallymark.infer.score_samples import OnePass, in_one_pass
from tallymark.infer.tallies import SubgroupStack
from tallymark.metric import Metric, get
from tallymark.metric.measure import Statistic, Value
from tallymark.metric.threshold import COUNTED
from tallymark.reading.models import CountedRows, Model
from tallymark.tally.arrays import Codes, Floats
from tallymark.tally.labels import LabelTally
from tallymark.tally.subgroups import SubgroupCounts


@dataclass(frozen=True, eq=False)
class EachSubgroup:
    """One model on every subgroup separately, as stacks in the order of ``subgroup_counts``.

    With ``rest``, values are those of all rows outside subgroup i.
    """

    counted: CountedRows
    model: Model
    subgroup_counts: SubgroupCounts
    level: float = 0.95
    seed: int = 0
    stated: Mapping[str, float] = field(default_factory=dict)
    _cache: dict[tuple[str, bool], Estimates] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        counted: CountedRows,
        model: Model,
        columns: Sequence[str],
        level: float = 0.95,
        seed: int = 0,
        stratified: bool = False,
    ) -> EachSubgroup:
        """Return the subgroups of one model by some columns.

        Raises
        ------
        InputError
            Rows that were not counted by subgroup, or not by these columns; adjusted class shares.

        """
        if counted.subgroup_counts is None:
            raise InputError(
                "the rows were not counted by subgroup; name their columns to evaluate(), "
                "such as subgroup=['region']"
            )
        if stratified:
            raise InputError(
                "subgroups are judged at the sample's own prevalence; ask for them before "
                "at(prevalence=...)"
            )
        return cls(counted, model, counted.subgroup_counts.by(columns), level, seed)

    def __len__(self) -> int:
        return len(self.subgroup_counts)

    @cached_property
    def keys(self) -> tuple[Any, ...]:
        """The keys of the subgroups: one value each, or a tuple of values for several columns."""
        keys, columns = self.subgroup_counts.keys, self.subgroup_counts.columns
        return tuple(key[0] for key in keys) if len(columns) == 1 else tuple(keys)

    def statistic(self, metric: str | Metric, **definition: Any) -> Statistic:
        """Return a metric as a statistic of the counted classes, at the stated costs or budget."""
        declared = get(metric)._with_defaults(self.stated)
        return self.counted.statistic(declared, **definition)

    def rows_of(self, i: int, rest: bool) -> NDArray[np.bool_]:
        """Return which of the kept rows are in a subgroup, or in its complement."""
        of_rows = self.subgroup_counts.of_rows
        assert of_rows is not None
        return np.asarray((of_rows == i) != rest)

    @cached_property
    def stacks(self) -> tuple[SubgroupStack, SubgroupStack]:
        """The tallies of each subgroup, and of all rows outside it."""
        of = (self.model, self.subgroup_counts, self.counted.positive)
        joint = self.counted.joint
        return SubgroupStack(*of, joint=joint), SubgroupStack(*of, rest=True, joint=joint)

    def estimates(self, names: Sequence[str], rest: bool = False) -> dict[str, Estimates]:
        """Return metrics of the subgroups, or of their complements, with intervals."""
        new = {n: self.statistic(n) for n in names if (n, rest) not in self._cache}
        if new:
            estimates = self.intervals(new, rest, self.level)
            self._cache.update({(n, rest): estimates[n] for n in new})
        return {n: self._cache[n, rest] for n in names}

    def intervals(
        self, statistics: Mapping[str, Statistic], rest: bool, level: float
    ) -> dict[str, Estimates]:
        """Return the intervals at a level; with clusters, one subgroup at a time."""
        if self.counted.clusters is None:
            return interval(statistics, self.stacks[rest], level=level, seed=self.seed)
        options: dict[str, Any] = {"level": level, "seed": self.seed}
        each = [self.in_clusters(i, rest) for i in range(len(self))]
        values = [Inference(c, **options).values(c.models[0], statistics) for c in each]
        return {n: Estimates.of(s, [m[n] for m in values], level) for n, s in statistics.items()}

    def model_of(self, i: int, rest: bool) -> Model:
        """Return the model's tallies of a subgroup, or of its complement."""
        stack = self.stacks[rest]
        counts, squares = stack.matrices
        tally = LabelTally(stack.labels, counts[i], None if squares is None else squares[i])
        return replace(
            self.model,
            labels=tally,
            scores=stack.scores(i),
            _sums=stack.sums(i),
            _role_tallies=stack.role_tallies(i),
        )

    def in_clusters(self, i: int, rest: bool, units: Codes | None = None) -> CountedRows:
        """Return the rows of a subgroup, or of its complement, with clusters or other units."""
        stack, model = self.stacks[rest], self.model_of(i, rest)
        if units is not None:
            assert stack.joint is not None
            stack = replace(stack, joint=replace(stack.joint, clusters=units))
        return replace(self.counted, models=(model,), joint=stack.rows_of(i))

    def rest_of(self, i: int) -> CountedRows:
        """Return the counts of all rows outside a subgroup."""
        joint = None if self.counted.joint is None else self.stacks[True].rows_of(i)
        return replace(
            self.counted,
            rows=int(self.subgroup_counts.rows.sum() - self.subgroup_counts.rows[i]),
            models=(self.model_of(i, rest=True),),
            joint=joint,
            subgroup_counts=self.subgroup_counts.drop(i),
        )

    def area(self, rest: bool) -> Area | None:
        """Return the ROC areas of the subgroups, or of the complements.

        None without exactly one score column, and with clusters, where areas are compared like
        other metrics.
        """
        if self.counted.clusters is not None:
            return None
        judged = self.stacks[rest].areas(())
        return None if judged is None else OnePass(judged, Sampler()).area

    @property
    def _whole(self) -> Single:
        m = self.model
        return Single(m.labels, m.scores, m._sums, of_roles=m._role_tallies)

    def value_of_all(self, s: Statistic) -> Value:
        """Return the value on all rows."""
        return interval({"": s}, self._whole, level=self.level, seed=self.seed)[""].value()

    def support(self, name: str, rest: bool = False) -> Floats:
        """Return the effective sample size behind a metric in each subgroup (Kish with weights).

        With ``rest``, in each complement: see :meth:`.Subgroups.support`.
        """
        return self._support_in(name, self.stacks[rest])

    def support_of_all(self, name: str) -> Floats:
        """Return the effective sample size behind a metric on all rows."""
        return self._support_in(name, self._whole)

    def _support_in(self, name: str, tallies: Tallies) -> Floats:
        s, (counts, squares) = self.statistic(name), tallies.matrices
        if is_proportion(s):
            return hits_and_rows(s, counts, squares, self.counted.classes)[1]
        each, _ = effective_cells(counts.sum(-1), None if squares is None else squares.sum(-1))
        if s.metric.family == "probability" or (s.average == "overall" and each.shape[1] > 2):
            return np.asarray(each.sum(-1))
        return np.asarray(each.min(-1))

    def rests_on(self, name: str, few: Sequence[int] = ()) -> str:
        """Return what :meth:`support` counts, in the plural: "rows", "positives".

        For metrics that need all classes, "rows of each class"; with subgroups that have ``few`` of
        them, the one of two classes that is the rarer in all of these.
        """
        s = self.statistic(name)
        if is_proportion(s):
            return next((COUNTED[r] for r in s.metric.undefined if r in COUNTED), "rows")
        counts, _ = self.stacks[False].matrices
        each = counts.sum(-1)
        if s.metric.family == "probability" or (s.average == "overall" and each.shape[1] > 2):
            return "rows"
        rarest = set(each[list(few)].argmin(1).tolist())
        if self.counted.positive is None or len(rarest) != 1:
            return "rows of each class"
        (code,) = rarest
        return (
            "positives" if self.stacks[False].labels[code] == self.counted.positive else "negatives"
        )

    def quick(self, name: str) -> bool:
        """Return whether a metric is computed for all subgroups in one pass."""
        s = self.statistic(name)
        two = len(self.model.scores) == 1 and in_one_pass(s)
        return two or s.metric._needs in ("counts", "matrix")

    def units(self, name: str) -> Floats:
        """Return the effective number of rows (or clusters) behind a metric.

        For clusters, this is one more than the degrees of freedom for their sizes.
        """
        support = self.support(name)
        if self.counted.clusters is None or self.counted.codes_of_clusters is None:
            return support
        s = self.statistic(name)
        return np.minimum(support, [1 + self._degrees(s, i) for i in range(len(self))])

    def _degrees(self, s: Statistic, i: int) -> float:
        """Return the degrees of freedom that the sizes of a subgroup's clusters leave."""
        counted = self.in_clusters(i, rest=False)
        return Clustered.of(counted, self.model.name, seed=self.seed).for_statistic(s).degrees_of(s)

    def cluster_moves(self, s: Statistic, i: int, rest: bool) -> tuple[NDArray[np.bool_], Floats]:
        """Return which clusters have rows on a side, and the change of its value without each.

        NaN for a statistic without replicates.
        """
        joint = self.counted.joint
        assert joint is not None
        units = joint.cluster_blocks(self.seed)
        n = int(units.max()) + 1
        present = np.bincount(units[self.rows_of(i, rest)], minlength=n) > 0
        counted, moves = self.in_clusters(i, rest, units), np.zeros(n)
        rows = Clustered.of(counted, self.model.name, seed=self.seed).for_statistic(s)
        moves[present] = math.nan if rows.refusal(s) else rows.moves(s)
        return present, moves


def each_subgroup(counted: CountedRows, columns: Sequence[str]) -> dict[Any, CountedRows]:
    """Return the counts of each subgroup as if it were the whole data: subgroup -> CountedRows.

    The paired rows of several models are kept if the subgroup of each row was kept.
    """
    each = [EachSubgroup.of(counted, m, columns) for m in counted.models]
    first = each[0]
    counts = {}
    stack, of_rows = first.stacks[False], first.subgroup_counts.of_rows
    has_rows = counted.joint is not None and of_rows is not None
    for i, key in enumerate(first.keys):
        counts[key] = replace(
            counted,
            rows=int(first.subgroup_counts.rows[i]),
            subgroup_counts=None,
            models=tuple(s.model_of(i, rest=False) for s in each),
            joint=stack.rows_of(i) if has_rows else None,
        )
    return counts
