"""Evaluate subgroups of the rows, compare each with the rest, and find those that stand out."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from tallymark.contract import checked, shown, trusted
from tallymark.display import Display, Named, fields_of, load
from tallymark.errors import InputError, choices
from tallymark.infer.against_others import AgainstOthers
from tallymark.infer.cautions import FEW
from tallymark.infer.contrasts import hits_and_rows, is_proportion
from tallymark.infer.difference import Difference, difference
from tallymark.infer.each_subgroup import EachSubgroup
from tallymark.infer.heterogeneity import Heterogeneity
from tallymark.infer.intervals import Estimates, Inference
from tallymark.infer.label_subgroups import EachLabelSubgroup
from tallymark.infer.multiplicity import each_level, holm
from tallymark.infer.samples import critical_value
from tallymark.infer.verdict import is_significant
from tallymark.metric import METRICS, ByMetric, Metric, get
from tallymark.metric.headlines import HEADLINE, HEADLINE_LABELS, HEADLINE_MANY
from tallymark.metric.measure import Value
from tallymark.metric.registry import OF_DECISIONS
from tallymark.quantities import ROW, Noun
from tallymark.reading.indicators import LabelSets, SetModel
from tallymark.reading.models import CountedRows, Model, at_threshold
from tallymark.tables import SubgroupTable
from tallymark.tally.arrays import Floats
from tallymark.tally.subgroups import SubgroupCounts

REST = "rest"
RATES = ("sensitivity", "specificity")
"""The rates whose shortfall is an error rate: of missed positives, and of false alarms."""
MOST_LEFT_OUT = 3
"""The most subgroups that are left out to see whether the differences of others are due to them."""
Asked = Sequence[str | Metric] | str | Metric | None


class SubgroupValues(Mapping[Any, dict[str, Value]]):
    """Subgroup -> metric -> Value; a Value object is created on access."""

    def __init__(self, places: Mapping[Any, int], columns: Mapping[str, Estimates]) -> None:
        self._places = places
        self._columns = columns

    def __getitem__(self, key: Any) -> dict[str, Value]:
        i = self._places[key]
        return ByMetric({name: column.value(i) for name, column in self._columns.items()})

    def __iter__(self) -> Iterator[Any]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


@dataclass(frozen=True, slots=True, repr=False)
class SubgroupDifference(Display):
    """A subgroup's value of a metric minus that of the rest, or of a named subgroup.

    ``difference`` has the interval and the p-value. ``corrected`` is the p-value adjusted by
    Holm's method over all subgroups tested, NaN for the others: see
    :meth:`Subgroups.differences`. ``ratio`` is the subgroup's value over the other's, with bounds;
    NaN if the metric can be negative or the other's is 0. ``small`` means that the subgroup has
    too few rows to be tested.
    """

    key: Any
    difference: Difference
    corrected: float
    ratio: float
    ratio_low: float
    ratio_high: float
    small: bool

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {**self.difference.to_dict(), **fields_of(self, "key", "difference")}


@dataclass(frozen=True, slots=True)
class SubgroupTest:
    """The test of a subgroup against the rest of the rows, in one metric at one threshold.

    ``threshold`` is that of the decisions, None if they were given. ``rows`` are the subgroup's
    rows that the metric counts. The gap's p-value is corrected over all tests of the family, and
    NaN if the subgroup was not tested. A significant gap is ``due_to`` other subgroups if it is not
    shown once these are left out of the rest.
    """

    threshold: float | None
    gap: SubgroupDifference
    value: Value
    rows: float
    due_to: tuple[Any, ...] = ()

    @property
    def metric(self) -> str:
        """The metric."""
        return self.gap.difference.metric

    @property
    def harm(self) -> float:
        """How much worse the subgroup's value is than that of the rest; negative if better."""
        sign = {"high": -1.0, "low": 1.0}.get(get(self.metric).better, 0.0)
        return sign * self.gap.difference.value


@dataclass(frozen=True, slots=True)
class SubgroupTests:
    """All tests of a model's subgroups against the rest, with p-values corrected together.

    ``thresholds`` are those of the decisions, the one in force first; ``comparisons`` is the number
    of p-values that Holm's method corrects.
    """

    metrics: tuple[str, ...]
    thresholds: tuple[float | None, ...]
    tests: tuple[SubgroupTest, ...]
    comparisons: int
    level: float

    @property
    def tested(self) -> list[SubgroupTest]:
        """The tests of subgroups with enough rows."""
        return [t for t in self.tests if not math.isnan(t.gap.corrected)]

    @property
    def different(self) -> list[SubgroupTest]:
        """The tests that show a difference from the rest."""
        return [t for t in self.tests if is_significant(t.gap.corrected, self.level)]

    @property
    def distinct(self) -> list[SubgroupTest]:
        """The tests that show a difference which is not due to other subgroups."""
        return [t for t in self.different if not t.due_to]

    def harms(self, threshold: float | None) -> list[SubgroupTest]:
        """Return the tests that show a subgroup worse than the rest, the most harmful first.

        Those that are due to other, better subgroups come last.
        """
        harms = [t for t in self.different if t.harm > 0 and t.threshold == threshold]
        return sorted(harms, key=lambda t: (bool(t.due_to), -t.harm))


@dataclass(frozen=True, slots=True, repr=False)
class Worst(Display):
    """The subgroup with the worst value of a metric among those with enough rows, with its bounds.

    ``value`` has the interval without correction for selection. ``low`` and ``high`` are
    simultaneous bounds over all ``of`` subgroups (each at the level 1 - (1 - level) / of,
    Bonferroni), so they hold although the subgroup was selected. ``least`` and ``most`` bound the
    true value of the truly worst subgroup, whichever it is, and ``candidates`` are the subgroups
    that could be the worst.
    """

    metric: str
    key: Any
    value: Value
    low: float
    high: float
    least: float
    most: float
    candidates: tuple[Any, ...]
    of: int
    level: float

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {"subgroup": self.key, **fields_of(self, "key")}


@checked
@dataclass(frozen=True, eq=False, repr=False)
class Subgroups(Named):
    """One model's metrics in subgroups of the rows, by the values of one or more columns.

    Returned by :meth:`tallymark.Evaluation.by`. A subgroup's key is the value of the column, or a
    tuple of values for several columns; None stands for missing values, which form a subgroup too.
    Each subgroup has the same values as an evaluation of its rows alone, however many there are.
    ``subgroups[key]`` are a subgroup's headline metrics; iterating yields the keys.

    Examples
    --------
    >>> import tallymark as tm
    >>> y, said = [1] * 80 + [0] * 80, [1] * 70 + [0] * 10 + [0] * 70 + [1] * 10
    >>> where = (["north"] * 40 + ["south"] * 40) * 2
    >>> ev = tm.evaluate(y, said, subgroup={"region": where})
    >>> found = ev.by("region")
    >>> print(found.values(["recall"])["south"]["sensitivity"])
    0.75 (95 % CI 0.60 to 0.86)
    >>> found.flags("recall")[0].key
    'north'

    """

    _counted: CountedRows | LabelSets
    _chosen: Model | SetModel
    _subgroup_counts: SubgroupCounts
    level: float = 0.95
    seed: int = 0
    _noun: Noun = ROW
    _thresholds: tuple[float, ...] = ()
    """Recommended thresholds, at which decisions are tested in addition."""
    _stated: Mapping[str, float] = field(default_factory=dict)
    """Parameters of metrics that were stated with the evaluation, such as costs."""

    @classmethod
    @trusted
    def _of(
        cls,
        counted: CountedRows | LabelSets,
        model: Model | SetModel,
        columns: Sequence[str],
        *,
        level: float,
        seed: int,
        stratified: bool,
    ) -> Subgroups:
        """Return the subgroups of one model.

        Raises
        ------
        InputError
            Rows that were not counted by subgroup, or not by these columns; adjusted class shares.

        """
        kind: Any = _kind_of(counted)
        each = kind.of(counted, model, columns, level, seed, stratified)
        return cls(counted, model, each.subgroup_counts, level, seed)

    @cached_property
    def _each(self) -> EachSubgroup:
        kind: Any = _kind_of(self._counted)
        each: EachSubgroup = kind(
            self._counted,
            self._chosen,
            self._subgroup_counts,
            self.level,
            self.seed,
            self._stated,
        )
        return each

    # -- contents ------------------------------------------------------------------------------

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose values are the subgroups."""
        return self._subgroup_counts.columns

    @cached_property
    def keys(self) -> tuple[Any, ...]:
        """The keys of the subgroups: one value each, or a tuple of values for several columns."""
        return self._each.keys

    @cached_property
    def _places(self) -> dict[Any, int]:
        return {key: i for i, key in enumerate(self.keys)}

    @property
    def rows(self) -> dict[Any, int]:
        """The number of rows in each subgroup."""
        return dict(zip(self.keys, self._subgroup_counts.rows.tolist(), strict=True))

    def __getitem__(self, key: Any) -> dict[str, Value]:
        self._place(key)
        return self.values()[key]

    def _keys(self) -> tuple[Any, ...]:
        return self.keys

    def _place(self, key: Any) -> int:
        with contextlib.suppress(KeyError, TypeError):
            return self._places[key]
        suggestion = choices(shown(key).strip("'"), [str(k) for k in self.keys])
        raise InputError(f"there is no subgroup {shown(key)}; {suggestion}")

    def metrics(self) -> tuple[str, ...]:
        """Return the headline metrics that the model has."""
        first = HEADLINE if self._counted.positive is not None else HEADLINE_MANY
        first = HEADLINE_LABELS if isinstance(self._counted, LabelSets) else first
        return tuple(m for m in first if self._chosen._holds(get(m)))

    def _headline(self) -> list[str]:
        """Return the headline metrics that are fast to compute, the decisive one first."""
        first = self._decisive()
        return [first, *(m for m in self.metrics() if m != first and self._quick(m))]

    def _names(self, metrics: Asked = None) -> list[str]:
        """Return the names of metrics, by default the headline metrics."""
        if metrics is None:
            return list(self.metrics())
        several = [metrics] if isinstance(metrics, str | Metric) else metrics
        return [self._metric(m).name for m in several]

    def _metric(self, name: str | Metric) -> Metric:
        metric = get(name)
        if not self._chosen._holds(metric):
            present = [m.name for m in METRICS.values() if self._chosen._holds(m)]
            raise InputError(
                f"{metric.name} cannot be computed from these predictions; "
                f"{choices(metric.name, present)}"
            )
        return metric

    # -- values --------------------------------------------------------------------------------

    def values(self, metrics: Asked = None) -> Mapping[Any, dict[str, Value]]:
        """Return the values with their intervals: subgroup -> metric -> Value.

        Parameters
        ----------
        metrics : sequence of str or tm.Statistic, optional
            The headline metrics by default.

        """
        return SubgroupValues(self._places, self._each.estimates(self._names(metrics)))

    # -- few rows ------------------------------------------------------------------------------

    def _support(self, metric: str | Metric) -> dict[Any, float]:
        """Return the effective sample size behind a metric in each subgroup (Kish with weights).

        For a proportion, the rows of its denominator, such as the positives for recall. For metrics
        that need all classes, the rows of the rarest of them. For all others, all rows.
        """
        return dict(
            zip(self.keys, self._each.support(self._metric(metric).name).tolist(), strict=True)
        )

    def _rests_on(self, metric: str | Metric, few: Sequence[Any] = ()) -> str:
        """Return what :meth:`_support` counts, in the plural: "rows", "positives"."""
        name = self._metric(metric).name
        effective = "effective " if self._counted.weighted else ""
        return effective + self._each.rests_on(name, [self._places[key] for key in few])

    def _small(self, metric: str | Metric) -> tuple[Any, ...]:
        """Return the subgroups with fewer than 30 of the rows behind a metric."""
        return tuple(k for k, n in self._support(metric).items() if n < FEW)

    # -- ranking and differences ---------------------------------------------------------------

    def _order(self, metric: str | Metric) -> tuple[Any, ...]:
        """Return all subgroups, the worst in a metric first, small and undefined ones last."""
        declared = self._ranked_by(metric)
        values = self._each.estimates([declared.name])[declared.name].values
        small = self._each.support(declared.name) < FEW
        places = np.lexsort((_sign(declared) * values, small | np.isnan(values)))
        return tuple(self.keys[int(i)] for i in places)

    def worst(self, metric: str | Metric, most: int = 5) -> list[tuple[Any, Value]]:
        """Return the subgroups with the worst values of a metric, worst first, without small ones.

        The worst of many looks worse than it is. Use :meth:`flags` to find the subgroups that
        differ significantly, and :meth:`worst_of_all` for bounds corrected for the selection.

        Raises
        ------
        InputError
            The metric does not rank subgroups: neither high nor low values are better.

        """
        name = self._ranked_by(metric).name
        column = self._each.estimates([name])[name]
        judged = (self._each.support(name) >= FEW) & ~np.isnan(column.values)
        worst = self._order(name)[: min(most, int(judged.sum()))]
        return [(key, column.value(self._places[key])) for key in worst]

    def worst_of_all(self, metric: str | Metric) -> Worst | None:
        """Return the worst subgroup with bounds corrected for its selection as the worst.

        The worst of many looks worse than it is. See :class:`Worst`. None if no subgroup has enough
        rows.

        >>> import tallymark as tm
        >>> y, said = [1] * 120 + [0] * 120, ([1] * 50 + [0] * 10) * 2 + [0] * 120
        >>> where = (["north"] * 60 + ["south"] * 60) * 2
        >>> found = tm.evaluate(y, said, subgroup={"at": where}).by("at").worst_of_all("recall")
        >>> print(found.key, found.value, f"[{found.low:.4f}, {found.high:.4f}]", found.candidates)
        north 0.83 (95 % CI 0.72 to 0.91) [0.7008, 0.9143] ('north', 'south')
        """
        declared = self._ranked_by(metric)
        name, sign, support = declared.name, _sign(declared), self._each.support(declared.name)
        ranked = support >= FEW
        level = each_level(self.level, int(ranked.sum()))
        column = self._each.estimates([name])[name]
        wide = by_stretching = stretched(column, self._each.units(name), level)
        if self._quick(name):
            wide = self._each.intervals({name: self._each.statistic(name)}, False, level)[name]
        # There are too few draws to estimate such extreme quantiles.
        from_draws = np.array(["draws" in (m or "") for m in wide.methods], dtype=bool)
        lows = np.where(from_draws, by_stretching.lows, wide.lows)
        highs = np.where(from_draws, by_stretching.highs, wide.highs)
        places = np.flatnonzero(ranked & np.isfinite(lows) & np.isfinite(highs))
        if not len(places):
            return None
        values = sign * column.values[places]
        near, far = (sign * v[places] for v in ((lows, highs) if sign > 0 else (highs, lows)))
        i = int(places[values.argmin()])
        least, most = sorted((sign * float(near.min()), sign * float(far.min())))
        may_be = near <= far.min()
        candidates = places[may_be][np.argsort(values[may_be], kind="stable")]
        return Worst(
            name,
            self.keys[i],
            column.value(i),
            float(lows[i]),
            float(highs[i]),
            least,
            most,
            tuple(self.keys[int(j)] for j in candidates),
            len(places),
            self.level,
        )

    def _ranked_by(self, metric: str | Metric) -> Metric:
        declared = self._metric(metric)
        if declared.better == "neither":
            raise InputError(
                f"{declared.name} does not rank subgroups: neither high nor low is better; use "
                ".values()"
            )
        return declared

    def differences(self, metric: str | Metric, against: Any = REST) -> list[SubgroupDifference]:
        """Return each subgroup's value minus that of the rest of the rows, or of a named subgroup.

        ROC areas are compared like two models on different rows (:func:`.area_bounds`), and so are
        proportions (by their score interval) and likelihood and odds ratios (by the scores of
        both; with an infinite ratio there is neither interval nor p-value). Other metrics use
        square-and-add of both intervals, and their p-value agrees with the interval's bound on the
        side of 0, by Student's t with one degree of freedom less than the rows behind the
        subgroup's value.

        ``corrected`` is by Holm's method over all subgroups with enough rows to be tested. Multiple
        testing needs extreme tails, where the standard error of a few rows is too often too small;
        so it corrects the largest of the p-value, that of the interval, and that of the standard
        error estimated on all rows. Two subgroups are one comparison: nothing is corrected, and
        neither is tested if one is small.

        With clusters: if a cluster has rows on both sides, the two values are correlated, and their
        correlation over the clusters narrows the bounds (``method`` says "paired by cluster");
        sides without a common cluster are independent ("different clusters"). P-values agree with
        the bounds, by Student's t with the degrees of freedom that the sizes of the subgroup's
        clusters leave, and these p-values are corrected.

        Parameters
        ----------
        metric : str
        against : key of a subgroup, optional
            By default each subgroup is compared with all other rows.

        Sources: miettinen1985, laud2017, zou2008, delong1988, welch1947, holm1979.

        """
        return self._family(metric, against)[0]

    def _family(
        self, metric: str | Metric, against: Any = REST
    ) -> tuple[list[SubgroupDifference], Floats]:
        """Return the differences in a metric, and the p-values tested: one for one comparison."""
        declared = self._metric(metric)
        if len(self) < 2:
            raise InputError("there is only one subgroup; a difference needs two")
        rest = isinstance(against, str) and against == REST and REST not in self.keys
        design = AgainstOthers(self._each, None if rest else self._place(against))
        s = design.statistic(declared)
        gaps = difference(s, design)
        ratios = (v.tolist() for v in design.ratios(s))
        alone = gaps.tested if design.one_comparison else None
        corrected = gaps.corrected() if alone is None else alone
        columns = corrected.tolist(), *ratios, design.small(s).tolist()
        differences = [
            SubgroupDifference(self.keys[i], d, q, ratio, low, high, few)
            for (i, _), d, q, ratio, low, high, few in zip(gaps.pairs, gaps, *columns, strict=True)
        ]
        assert gaps.tested is not None
        return differences, gaps.tested if alone is None else gaps.tested[:1]

    def _judged(self, metrics: Sequence[str]) -> SubgroupTests:
        """Return the tests of every subgroup against the rest in all metrics, as one family.

        Metrics of decisions are tested at every threshold, other metrics once. Holm's method
        corrects over all subgroups, metrics and thresholds.
        """
        kept = self.__dict__.setdefault("_tests", {})
        if (key := tuple(metrics)) not in kept:
            kept[key] = self._test(key)
        return kept[key]  # type: ignore[no-any-return]

    def _test(self, metrics: tuple[str, ...]) -> SubgroupTests:
        cuts = [self, *(self._at(t) for t in self._thresholds)]
        thresholds = tuple(cut._chosen.threshold for cut in cuts)
        at = [
            (cut, m, t)
            for cut, t in zip(cuts, thresholds, strict=True)
            for m in metrics
            if cut is self or get(m)._needs in OF_DECISIONS
        ]
        families = [cut._family(m) for cut, m, _ in at]
        corrected = holm(np.concatenate([p for _, p in families]))
        parts = np.split(corrected, np.cumsum([len(p) for _, p in families])[:-1])
        comparisons = int(np.count_nonzero(~np.isnan(corrected)))
        tests = []
        for (cut, m, t), (family, own), part in zip(at, families, parts, strict=True):
            values, rows = cut.values([m]), cut._support(m)
            several = np.resize(part, len(family)).tolist()
            evidence = _evidence(family, own)
            shown = {
                d.key: evidence[d.key]
                for d, p in zip(family, several, strict=True)
                if is_significant(p, self.level)
            }
            due_to = cut._due_to(m, shown, comparisons)
            for d, p in zip(family, several, strict=True):
                gap = replace(d, corrected=p)
                due = due_to.get(d.key, ())
                tests.append(SubgroupTest(t, gap, values[d.key][m], rows[d.key], due))
        return SubgroupTests(metrics, thresholds, tuple(tests), comparisons, self.level)

    def _due_to(
        self, metric: str, shown: Mapping[Any, tuple[float, float]], comparisons: int
    ) -> dict[Any, tuple[Any, ...]]:
        """Return the subgroups whose difference is due to others, which every rest but theirs has.

        One subgroup that differs makes all others differ from their rest, which holds it. So the
        most significant subgroup is left out, the others are compared again without it, and so on
        while one of them differs. These p-values are multiplied by the number of ``comparisons`` of
        the whole family. Two subgroups are one comparison, which does not say which one differs.
        No difference is due to others where too few rows are left to test it again.
        """
        left, found, due = self, list[Any](), list[Any]()
        again = dict(shown)
        while again and len(left) > 2 and len(found) < MOST_LEFT_OUT:
            found.append(min(again, key=again.__getitem__))
            others = shown.keys() - {*found}
            if not others:
                break
            left = left._without(found[-1])
            evidence = _evidence(*left._family(metric))
            p = {key: evidence[key][0] * comparisons for key in others}
            again = {key: evidence[key] for key in others if is_significant(p[key], self.level)}
            due = [key for key in others - again.keys() if not math.isnan(p[key])]
        return dict.fromkeys(due, tuple(found))

    def _without(self, key: Any) -> Subgroups:
        """Return the other subgroups of the rows that are not in one."""
        counted: Any = self._each.rest_of(self._place(key))
        (model,) = counted.models
        return replace(
            self,
            _counted=counted,
            _chosen=model,
            _subgroup_counts=counted.subgroup_counts,
            _thresholds=(),
        )

    def _at(self, threshold: float) -> Subgroups:
        """Return the subgroups of the same model's decisions at another threshold."""
        model: Any = self._chosen
        moved: Any = at_threshold(model, threshold)
        counted: Any = self._counted
        return replace(
            self, _counted=replace(counted, models=(moved,)), _chosen=moved, _thresholds=()
        )

    def flags(self, metric: str | Metric, against: Any = REST) -> list[SubgroupDifference]:
        """Return the subgroups that differ significantly, the most significant first.

        These have a p-value, adjusted by Holm's method, below 1 - level. The family is the
        subgroups of this model that are tested in this metric: at level 0.95, the chance of any
        false flag among them is at most 5 %. Metrics and models are not corrected for: over m
        of them the chance of any false flag is up to m times 5 %. Small subgroups are not tested.
        """
        differences = self.differences(metric, against)
        differences = [d for d in differences if is_significant(d.corrected, self.level)]
        return sorted(differences, key=lambda d: (d.corrected, d.difference.p_value))

    def heterogeneity(self, metric: str | Metric) -> Heterogeneity:
        """Return how much a proportion varies between the subgroups, and its mean over them.

        The subgroups are treated as a sample of studies or sites, whose logits follow a
        random-effects model. Its mean weights studies; the pooled value weights rows. Sensitivity
        and specificity are modelled separately; the standard for the pair is the bivariate model
        (Reitsma 2005), because another threshold changes both.

        Parameters
        ----------
        metric : str
            A proportion, such as sensitivity.

        Raises
        ------
        InputError
            Not a proportion, clustered rows, fewer than two subgroups with rows.

        Sources: viechtbauer2005, viechtbauer2007, roever2015, higgins2002, higgins2009,
        reitsma2005.

        Examples
        --------
        >>> import tallymark as tm
        >>> y, said = [1] * 90, ([1] * 29 + [0]) + ([1] * 21 + [0] * 9) + ([1] * 15 + [0] * 15)
        >>> ev = tm.evaluate(y, said, subgroup={"site": ["a"] * 30 + ["b"] * 30 + ["c"] * 30})
        >>> found = ev.by("site").heterogeneity("sensitivity")
        >>> round(found.i2, 3), round(found.p_value, 4)
        (0.895, 0.0053)

        """
        s = self._each.statistic(self._metric(metric).name)
        name = s.metric.name
        if not is_proportion(s):
            raise InputError(
                f"{name} is not a proportion; ask for the heterogeneity of one, such as sensitivity"
            )
        if self._counted.clusters is not None:
            raise InputError(
                "the model of studies treats rows as independent, and these are clustered; leave "
                "cluster= out"
            )
        hits, rows = hits_and_rows(s, *self._each.stacks[0].matrices, self._counted.classes)
        whole = Inference(self._counted, level=self.level, seed=self.seed)
        pooled = whole.values(self._chosen, {name: s})[name]
        return Heterogeneity._of_proportion(pooled, hits, rows, level=self.level)

    # -- output --------------------------------------------------------------------------------

    def table(self, metrics: Asked = None) -> SubgroupTable:
        """Return a table with a row per subgroup and metric, which converts to a data frame."""
        return SubgroupTable._of(self, self._names(metrics))

    def _decisive(self) -> str:
        """Return the metric that compares subgroups by default."""
        several = isinstance(self._counted, LabelSets)
        for name in () if several else ("roc_auc", "matthews_corrcoef"):
            if not (self._chosen._holds(get(name)) and self._quick(name)):
                continue
            if not np.isnan(self._each.estimates([name])[name].values).all():
                return name
        return "subset_accuracy" if several else "accuracy"

    def _quick(self, metric: str) -> bool:
        return self._each.quick(metric)

    def _listed(self, metrics: Asked = None, most: int | None = None) -> list[Any]:
        """Return the keys of the subgroups in the order of :meth:`to_dict`."""
        scored = [n for n in self._names(metrics) if get(n).better != "neither"]
        return list(self.keys if most is None or not scored else self._order(scored[0])[:most])

    def to_dict(
        self, metrics: Asked = None, differences: bool = True, most: int | None = None
    ) -> dict[str, Any]:
        """Return JSON-ready data: each subgroup with its rows, values and differences.

        With ``most``, at most that many subgroups are listed, the worst first by the first metric
        that ranks subgroups; ``n_not_shown`` is the number of the others.
        """
        verdict = load("subjects.subgroups:verdict_data")(self, metrics and self._names(metrics))
        return {**self._data(metrics, differences, most), **verdict}

    def _data(self, metrics: Asked, differences: bool, most: int | None) -> dict[str, Any]:
        """Return the rows, values and differences of the subgroups as JSON-ready data."""
        names = self._names(metrics)
        values = self.values(names)
        scored = [n for n in names if get(n).better != "neither"]
        keys = self._listed(names, most)
        gaps: dict[str, dict[Any, SubgroupDifference]] = {}
        if differences and len(self) > 1:
            gaps = {n: {d.key: d for d in self.differences(n)} for n in names}
        named = [dict(zip(self.columns, k, strict=True)) for k in self._subgroup_counts.keys]
        subgroups = [
            {
                "subgroup": named[i],
                "rows": int(self._subgroup_counts.rows[i]),
                "values": {n: v.to_dict() for n, v in values[key].items()},
                "against_the_rest": {n: d[key].to_dict() for n, d in gaps.items()},
            }
            for key, i in ((key, self._places[key]) for key in keys)
        ]
        worst = {}
        for n in scored:
            if (w := self.worst_of_all(n)) is not None:
                place, several = self._places[w.key], len(w.candidates)
                worst[n] = {**w.to_dict(), "subgroup": named[place], "candidates": several}
        return {
            "format": "tallymark-subgroups",
            "version": 1,
            "source": self._counted.source.name,
            "model": self._chosen.name,
            "columns": list(self.columns),
            "level": self.level,
            "subgroups": subgroups,
            "n_not_shown": len(self) - len(subgroups),
            "worst": worst,
        }


def _evidence(family: Sequence[SubgroupDifference], p: Floats) -> dict[Any, tuple[float, float]]:
    """Return what orders subgroups by evidence: the p-value tested, then the larger gap first."""
    each = np.resize(p, len(family)).tolist()
    return {d.key: (q, -abs(d.difference.value)) for d, q in zip(family, each, strict=True)}


def _sign(metric: Metric) -> float:
    """Return 1 if higher is better, so that the lowest value is the worst; else -1."""
    return 1.0 if metric.better == "high" else -1.0


def _kind_of(counted: CountedRows | LabelSets) -> type[EachSubgroup]:
    """Return the class that evaluates subgroups of one class column or of several labels."""
    return EachLabelSubgroup if isinstance(counted, LabelSets) else EachSubgroup


def stretched(column: Estimates, support: Floats, level: float) -> Estimates:
    """Return a column of estimates with bounds widened to a higher level.

    There are too few draws for such extreme quantiles. So, on the scale of the metric's range
    (logit between two ends), the distances are multiplied by the ratio of the two quantiles of
    Student's t, with one degree of freedom less than the rows behind the value.
    """
    degrees = np.maximum(support - 1, 1.0)
    by = critical_value(level, degrees) / critical_value(column.level, degrees)
    least, most = column.statistic.metric.range_of(**column.statistic.params)
    bounded = math.isfinite(least) and math.isfinite(most)

    def scale(x: Floats) -> Floats:
        return np.asarray(np.log((x - least) / (most - x)))

    out = []
    with np.errstate(all="ignore"):
        for bound in (column.lows, column.highs):
            moved = column.values + by * (bound - column.values)
            if bounded:
                middle = scale(column.values)
                share = 1 / (1 + np.exp(-(middle + by * (scale(bound) - middle))))
                curved = least + (most - least) * share
                moved = np.where(np.isfinite(curved), curved, moved)
            out.append(np.clip(moved, least, most))
    return replace(column, lows=out[0], highs=out[1], level=level)
