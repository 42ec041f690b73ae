"""Parts of the rows judged each by itself, and against the rest: which of them stand out."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.contract import checked, shown, trusted
from tallymark.display import Display
from tallymark.errors import InputError, choices
from tallymark.infer.cautions import FEW, HEADLINE, HEADLINE_MANY
from tallymark.infer.clustered import Clustered
from tallymark.infer.contrasts import (
    OF_AREAS,
    SQUARE_AND_ADD,
    area_bounds,
    both_vary,
    hits_and_rows,
    is_proportion,
    least_p,
    mover,
    p_of_bounds,
    unpaired,
)
from tallymark.infer.difference import Difference
from tallymark.infer.heterogeneity import Heterogeneity
from tallymark.infer.intervals import Estimates, Inference, interval
from tallymark.infer.jackknife import critical_value
from tallymark.infer.multiplicity import each_level, holm
from tallymark.infer.sampler import DRAWS, Sampler, effective_cells
from tallymark.infer.significance import PROPORTION_TESTS, score_of_proportions
from tallymark.infer.stacks import Area, OnePass, in_one_pass
from tallymark.infer.tallies import Single, SubgroupStack, Tallies
from tallymark.metric import METRICS, Metric, get
from tallymark.metric.measure import Statistic, Value, fields_of
from tallymark.reading.models import CountedRows, Model
from tallymark.tables import SubgroupTable
from tallymark.tally.arrays import Codes, Floats
from tallymark.tally.labels import LabelTally
from tallymark.tally.subgroups import SubgroupCounts

REST = "rest"
UNPAIRED_AREAS = OF_AREAS.format("DeLong", "unpaired")
Asked = Sequence[str | Metric] | str | Metric | None


class SubgroupValues(Mapping[Any, dict[str, Value]]):
    """Subgroup -> metric -> Value: all are computed, and a Value is made when it is looked at."""

    def __init__(self, places: Mapping[Any, int], columns: Mapping[str, Estimates]) -> None:
        self._places = places
        self._columns = columns

    def __getitem__(self, key: Any) -> dict[str, Value]:
        i = self._places[key]
        return {name: column.value(i) for name, column in self._columns.items()}

    def __iter__(self) -> Iterator[Any]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


@dataclass(frozen=True, slots=True, repr=False)
class SubgroupDifference(Display):
    """A metric of a subgroup less that of the rest, or of a subgroup named.

    ``difference`` has the interval and the p-value. ``corrected`` is a p-value by Holm's method
    over all subgroups tested, NaN for the others: see :meth:`Subgroups.differences`. ``ratio`` is
    the subgroup's number over the other's, with bounds, NaN where the metric can be below 0 or the
    other's is 0.
    ``small`` says that the subgroup has too few rows to be tested.
    """

    key: Any
    difference: Difference
    corrected: float
    ratio: float
    ratio_low: float
    ratio_high: float
    small: bool

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {**self.difference.to_dict(), **fields_of(self, "key", "difference")}


@dataclass(frozen=True, slots=True, repr=False)
class Worst(Display):
    """The subgroup where a metric is worst of those with rows enough, and what may be said of it.

    ``value`` is the subgroup's own, with the interval that it would have without selection.
    ``low`` and ``high`` are its bounds among the intervals that hold for all ``of`` subgroups
    (each at the level 1 - (1 - level) / of, Bonferroni): chosen as the worst or not, they hold.
    ``least`` and ``most`` bound the number of the truly worst subgroup, whichever it is, and
    ``candidates`` are those that it may be.
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
        """Return plain data for JSON."""
        return {"subgroup": self.key, **fields_of(self, "key")}


@checked
@dataclass(frozen=True, eq=False, repr=False)
class Subgroups(Display):
    """One model's numbers on parts of the rows, by the values of one or more columns.

    Made by :meth:`tallymark.Evaluation.by`. A subgroup's key is the value of the column, a tuple
    of them by several columns; None stands for missing values, which are a subgroup too. Each
    is judged as an evaluation of its rows alone would judge them, however many there are.

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

    counted: CountedRows
    chosen: Model
    subgroup_counts: SubgroupCounts
    level: float = 0.95
    seed: int = 0
    _made: dict[tuple[str, bool], Estimates] = field(default_factory=dict, repr=False)

    @classmethod
    @trusted
    def of(
        cls,
        counted: CountedRows,
        model: Model,
        columns: Sequence[str],
        *,
        level: float = 0.95,
        seed: int = 0,
        stratified: bool = False,
    ) -> Subgroups:
        """Return the subgroups of one model of all that was counted.

        Raises
        ------
        InputError
            Rows that were not counted by subgroup, or not by these; another class balance.

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

    # -- what there is -------------------------------------------------------------------------

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose values are the subgroups."""
        return self.subgroup_counts.columns

    @cached_property
    def keys(self) -> tuple[Any, ...]:
        """The subgroups: a value of the one column each, or a tuple of values."""
        keys = self.subgroup_counts.keys
        return tuple(key[0] for key in keys) if len(self.columns) == 1 else tuple(keys)

    @cached_property
    def _places(self) -> dict[Any, int]:
        return {key: i for i, key in enumerate(self.keys)}

    @property
    def rows(self) -> dict[Any, int]:
        """How many rows each subgroup has."""
        return dict(zip(self.keys, self.subgroup_counts.rows.tolist(), strict=True))

    def __len__(self) -> int:
        return len(self.subgroup_counts)

    def _place(self, key: Any) -> int:
        with contextlib.suppress(KeyError, TypeError):
            return self._places[key]
        told = choices(shown(key).strip("'"), [str(k) for k in self.keys])
        raise InputError(f"there is no subgroup {shown(key)}; {told}")

    def metrics(self) -> tuple[str, ...]:
        """Return the metrics that are looked at first, of those that the model has."""
        first = HEADLINE if self.counted.positive is not None else HEADLINE_MANY
        return tuple(m for m in first if self.chosen.holds(get(m)))

    def headline(self) -> list[str]:
        """Return those of :meth:`metrics` that are quick to find, the decisive one first."""
        first = self.decisive()
        return [first, *(m for m in self.metrics() if m != first and self.quick(m))]

    def names(self, metrics: Asked = None) -> list[str]:
        """Return the names of metrics, by default of those that are looked at first."""
        if metrics is None:
            return list(self.metrics())
        several = [metrics] if isinstance(metrics, str | Metric) else metrics
        return [self._metric(m).name for m in several]

    def _metric(self, name: str | Metric) -> Metric:
        found = get(name)
        if not self.chosen.holds(found):
            present = [m.name for m in METRICS.values() if self.chosen.holds(m)]
            raise InputError(
                f"{found.name} cannot be computed from these predictions; "
                f"{choices(found.name, present)}"
            )
        return found

    # -- numbers -------------------------------------------------------------------------------

    def values(self, metrics: Asked = None) -> Mapping[Any, dict[str, Value]]:
        """Return the numbers with their intervals: subgroup -> metric -> Value.

        Parameters
        ----------
        metrics : sequence of str or tm.Statistic, optional
            Those that are looked at first unless named.

        """
        return SubgroupValues(self._places, self._estimates(self.names(metrics)))

    def _statistic(self, name: str) -> Statistic:
        return Statistic.of(get(name), self.counted.classes, self.counted.positive)

    @cached_property
    def _stacks(self) -> tuple[SubgroupStack, SubgroupStack]:
        """The tallies of the subgroups, and of all rows but each subgroup's."""
        of = (self.chosen, self.subgroup_counts, self.counted.positive)
        joint = self.counted.joint
        return SubgroupStack(*of, joint=joint), SubgroupStack(*of, rest=True, joint=joint)

    def _estimates(self, names: Sequence[str], rest: bool = False) -> dict[str, Estimates]:
        """Return metrics of the subgroups, or of the rest of each, with their intervals."""
        wanted = {n: self._statistic(n) for n in names if (n, rest) not in self._made}
        if wanted:
            found = self._intervals(wanted, rest, self.level)
            self._made.update({(n, rest): found[n] for n in wanted})
        return {n: self._made[n, rest] for n in names}

    def _intervals(
        self, wanted: Mapping[str, Statistic], rest: bool, level: float
    ) -> dict[str, Estimates]:
        """Return the intervals at a level, of rows in clusters each subgroup's by itself."""
        if self.counted.clusters is None:
            return interval(wanted, self._stacks[rest], level=level, seed=self.seed)
        options: dict[str, Any] = {"level": level, "seed": self.seed}
        each = [self._in_clusters(i, rest) for i in range(len(self))]
        made = [Inference(c, **options).values(c.models[0], wanted) for c in each]
        return {n: Estimates.of(s, [m[n] for m in made], level) for n, s in wanted.items()}

    def _model(self, i: int, rest: bool) -> Model:
        """Return the model's tallies of a subgroup, or of its rest."""
        stack = self._stacks[rest]
        counts, squares = stack.matrices
        tally = LabelTally(stack.labels, counts[i], None if squares is None else squares[i])
        return replace(
            self.chosen,
            labels=tally,
            scores=stack.scores(i),
            sums=stack.sums(i),
            efforts=stack.efforts(i),
        )

    def _in_clusters(self, i: int, rest: bool, units: Codes | None = None) -> CountedRows:
        """Return the rows of a subgroup, or of its rest, in their clusters, or in other units."""
        stack, model = self._stacks[rest], self._model(i, rest)
        if units is not None:
            assert stack.joint is not None
            stack = replace(stack, joint=replace(stack.joint, clusters=units))
        return replace(self.counted, models=(model,), joint=stack.rows_of(i))

    def _paired(self, s: Statistic, rest: bool, others: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Return of each subgroup and its other the shared clusters, and the correlation (S,).

        The number of either side moves by so much when a cluster is left out; where a cluster has
        rows in both, the correlation of the moves is that of the numbers. Where it cannot be told
        it is -1, which makes the interval widest.
        """
        joint, size = self.counted.joint, len(self)
        assert joint is not None
        units = joint.cluster_blocks(self.seed)
        n = int(units.max()) + 1

        def side(i: int, rest: bool) -> tuple[NDArray[np.bool_], Floats]:
            of_rows = self.subgroup_counts.of_rows
            present = np.bincount(units[(of_rows == i) != rest], minlength=n) > 0
            counted, moves = self._in_clusters(i, rest, units), np.zeros(n)
            rows = Clustered.of(counted, self.chosen.name, seed=self.seed).for_statistic(s)
            moves[present] = math.nan if rows.refusal(s) else rows.moves(s)
            return present, moves

        shared, r = np.zeros(size), np.zeros(size)
        one_other = None if rest else side(int(others[0]), False)
        for i in range(size):
            (here, a), (there, b) = side(i, False), one_other or side(i, True)
            shared[i] = (here & there).sum()
            if shared[i]:
                with np.errstate(invalid="ignore", divide="ignore"):
                    made = (a * b).sum() / math.sqrt((a**2).sum() * (b**2).sum())
                r[i] = made if math.isfinite(made) else -1.0
        return shared, r

    def _area(self, rest: bool) -> Area | None:
        """Return the ROC areas of the subgroups, or of the rest; None without one score column.

        Nor of rows in clusters, whose areas are compared as other numbers are.
        """
        if self.counted.clusters is not None:
            return None
        judged = self._stacks[rest].areas(())
        return None if judged is None else OnePass(judged, Sampler()).area

    # -- few rows ------------------------------------------------------------------------------

    def support(self, metric: str | Metric) -> dict[Any, float]:
        """Return how many rows a metric rests on in each subgroup, weighted ones by their worth.

        Those that a proportion is of, such as the positives of recall; the rarer of two classes,
        or the rarest of those averaged, of what judges both; all rows of what judges each.
        """
        return dict(zip(self.keys, self._support(self._metric(metric).name).tolist(), strict=True))

    def _support(self, name: str, of: Tallies | None = None) -> Floats:
        s = self._statistic(name)
        counts, squares = (of or self._stacks[0]).matrices
        if is_proportion(s):
            return hits_and_rows(s, counts, squares, self.counted.classes)[1]
        each, _ = effective_cells(counts.sum(-1), None if squares is None else squares.sum(-1))
        if s.metric.family == "probability" or (s.average == "overall" and each.shape[1] > 2):
            return np.asarray(each.sum(-1))
        return np.asarray(each.min(-1))

    def _units(self, name: str) -> Floats:
        """Return how many rows, or clusters, tell how far a metric is known."""
        support, joint = self._support(name), self.counted.joint
        if self.counted.clusters is None or joint is None or joint.clusters is None:
            return support
        of_rows = self.subgroup_counts.of_rows
        assert of_rows is not None
        pairs = np.unique(np.stack([of_rows, joint.clusters]), axis=1)[0]
        return np.minimum(support, np.bincount(pairs, minlength=len(self)))

    def small(self, metric: str | Metric) -> tuple[Any, ...]:
        """Return the subgroups with fewer than 30 of the rows that a metric rests on."""
        return tuple(k for k, n in self.support(metric).items() if n < FEW)

    # -- which stand out -----------------------------------------------------------------------

    def order(self, metric: str | Metric) -> tuple[Any, ...]:
        """Return all subgroups, the worst in a metric first, small and undefined ones last."""
        found = self._ranked_by(metric)
        values = self._estimates([found.name])[found.name].values
        small = self._support(found.name) < FEW
        places = np.lexsort((_sign(found) * values, small | np.isnan(values)))
        return tuple(self.keys[int(i)] for i in places)

    def worst(self, metric: str | Metric, most: int = 5) -> list[tuple[Any, Value]]:
        """Return the subgroups where a metric is worst, the worst first, without those of few rows.

        The worst of many looks worse than it is: :meth:`flags` says which subgroups do differ,
        :meth:`worst_of_all` how bad the worst is.

        Raises
        ------
        InputError
            A metric of which neither high nor low values are better.

        """
        name = self._ranked_by(metric).name
        column = self._estimates([name])[name]
        judged = (self._support(name) >= FEW) & ~np.isnan(column.values)
        worst = self.order(name)[: min(most, int(judged.sum()))]
        return [(key, column.value(self._places[key])) for key in worst]

    def worst_of_all(self, metric: str | Metric) -> Worst | None:
        """Return the worst subgroup with bounds that hold although it was chosen as the worst.

        What is worst of many looks worse than it is. See :class:`Worst`;
        None where no subgroup has rows enough.

        >>> import tallymark as tm
        >>> y, said = [1] * 120 + [0] * 120, ([1] * 50 + [0] * 10) * 2 + [0] * 120
        >>> where = (["north"] * 60 + ["south"] * 60) * 2
        >>> found = tm.evaluate(y, said, subgroup={"at": where}).by("at").worst_of_all("recall")
        >>> print(found.key, found.value, f"[{found.low:.4f}, {found.high:.4f}]", found.candidates)
        north 0.83 (95 % CI 0.72 to 0.91) [0.7008, 0.9143] ('north', 'south')
        """
        found = self._ranked_by(metric)
        name, sign, support = found.name, _sign(found), self._support(found.name)
        ranked = support >= FEW
        level = each_level(self.level, int(ranked.sum()))
        column = self._estimates([name])[name]
        wide = by_stretching = stretched(column, self._units(name), level)
        if self.quick(name):
            wide = self._intervals({name: self._statistic(name)}, False, level)[name]
        # Draws are too few so far out.
        drawn = np.array(["draws" in (m or "") for m in wide.methods], dtype=bool)
        lows = np.where(drawn, by_stretching.lows, wide.lows)
        highs = np.where(drawn, by_stretching.highs, wide.highs)
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
        found = self._metric(metric)
        if found.better == "neither":
            raise InputError(
                f"{found.name} does not rank subgroups: neither high nor low is better; use "
                ".values()"
            )
        return found

    def differences(self, metric: str | Metric, against: Any = REST) -> list[SubgroupDifference]:
        """Return each subgroup's number less that of the rest of the rows, or of a subgroup named.

        ROC areas are judged as two models on different rows are (:func:`.area_bounds`). Other
        bounds are those of both numbers, their distances added as squares: Newcombe's interval of
        a proportion. Its p-value is that of the score test, any other that of Student's t of which
        the interval's bound on the side of 0 is the quantile, with as many degrees of freedom as
        the subgroup has rows to tell it, less one.

        ``corrected`` is by Holm's method over all subgroups that have rows enough to be tested. A
        correction for many looks far into the tails, where the error that few rows have of
        themselves is too small too often: corrected is the largest of the p-value, that of the
        interval, and that of the standard error of the number of all rows.

        Rows in clusters: a cluster may have rows on both sides. The numbers of both then rise and
        fall together, and their correlation over the clusters narrows the bounds (``method`` says
        "paired by cluster"); sides without a common cluster are independent ("different clusters").
        P-values agree with the bounds, of Student's t with a degree of freedom less than the
        subgroup has clusters, and are those that are corrected.

        Parameters
        ----------
        metric : str
        against : key of a subgroup, optional
            By default each subgroup is held against all rows but its own.

        Sources: newcombe1998, zou2008, delong1988, welch1947, holm1979.

        """
        found = self._metric(metric)
        if len(self) < 2:
            raise InputError("there is only one subgroup; a difference needs two")
        rest = isinstance(against, str) and against == REST and REST not in self.keys
        place = None if rest else self._place(against)
        others = np.arange(len(self)) if place is None else np.full(len(self), place)
        name, s = found.name, self._statistic(found.name)
        one, other = self._estimates([name])[name], self._estimates([name], rest)[name]
        a = one.values, one.lows, one.highs
        b = other.values[others], other.lows[others], other.highs[others]
        support, z, r = self._support(name), None, np.zeros(len(self))
        supports = support, self._support(name, self._stacks[rest])[others]
        methods = np.full((len(self), 2), SQUARE_AND_ADD, dtype=object)
        if self.counted.clusters is not None:
            shared, r = self._paired(s, rest, others)
            methods[:] = f"{SQUARE_AND_ADD}, different clusters"
            methods[shared > 0] = f"{SQUARE_AND_ADD}, paired by cluster"
        elif is_proportion(s):
            classes = self.counted.classes
            of = (self._stacks[False], self._stacks[rest])
            shares = [hits_and_rows(s, *stack.matrices, classes) for stack in of]
            z = score_of_proportions(*shares[0], *(v[others] for v in shares[1]))
            methods[:] = "Newcombe, unpaired", PROPORTION_TESTS["score"][0]
        low, high, p = _differences(a, b, z, self._units(name), self.level, r)
        both = self._area(False), self._area(rest)
        if found.roc_area is not None and both[0] is not None and both[1] is not None:
            areas = unpaired(both[0], Area(*(v[others] for v in both[1])))
            varies, slope = both_vary(areas), found.roc_area.slope
            of_areas = zip(area_bounds(areas, self.level), (slope, slope, 1.0), strict=True)
            low, high, p = (
                np.where(varies, x * scale, v)
                for (x, scale), v in zip(of_areas, (low, high, p), strict=True)
            )
            methods[varies] = f"{UNPAIRED_AREAS}, logit scale", UNPAIRED_AREAS
        methods_of = zip(one.methods, (other.methods[j] for j in others.tolist()), strict=True)
        drawn = [any("draws" in (m or "") for m in two) for two in methods_of]
        of_intervals = [test.startswith(SQUARE_AND_ADD) for test in methods[:, 1]]
        draws = np.where(np.logical_and(of_intervals, drawn), DRAWS, 0)
        floor = np.where(draws > 0, least_p(DRAWS), 0.0)  # draws tell nothing of rarer things
        p = np.maximum(p, floor)
        ratios = np.stack(_ratios(a, b, found.range_of(**s.params)[0], r), 1).tolist()
        small = support < FEW
        tested = np.where(small, math.nan, p)
        if self.counted.clusters is None:
            tested = np.fmax(tested, self._p_of_many(name, (a[0], b[0], low, high), supports))
            tested[small] = math.nan
        if place is not None:
            small = small | small[place]
            tested[small | (others == np.arange(len(self)))] = math.nan
        corrected = holm(tested)
        width = found.range[1] - found.range[0]
        out = []
        for i, (key, j) in enumerate(zip(self.keys, others.tolist(), strict=True)):
            if i == place:
                continue
            d = Difference(name, float(a[0][i]), float(b[0][i]))
            if one.reasons[i] is not None:
                d = replace(d, reason=f"the subgroup: {one.reasons[i]}")
            elif other.reasons[j] is not None:
                d = replace(d, reason=f"the others: {other.reasons[j]}")
            elif math.isnan(low[i]):
                d = replace(d, method="no interval: one of the two has none")
            else:
                d = replace(
                    d,
                    low=max(float(low[i]), -width),
                    high=min(float(high[i]), width),
                    level=self.level,
                    method=methods[i, 0],
                    p_value=float(p[i]),
                    test=None if math.isnan(p[i]) else methods[i, 1],
                    draws=int(draws[i]),
                    p_at_most=bool(0 < p[i] <= floor[i]),
                )
            ratio, least, most = ratios[i]
            q, few = float(corrected[i]), bool(small[i])
            out.append(SubgroupDifference(key, d, q, ratio, least, most, few))
        return out

    @np.errstate(all="ignore")
    def _p_of_many(
        self, name: str, sides: tuple[Floats, ...], supports: tuple[Floats, Floats]
    ) -> Floats:
        """Return p-values of differences that hold far out, where a correction for many looks.

        The larger of that of the interval, which the error of the subgroup's own rows makes, and
        that of the standard error that the number has of all rows: with n rows of the support in
        all and m, k on the two sides, se √(n/m + n/k). Few rows without an extreme one have too
        small an error of their own, and among few rows with one that of all rows is too small.
        """
        from scipy.special import erfc

        one, other, low, high = sides
        gaps = one - other
        own = p_of_bounds(gaps, low, high, self.level, degrees=np.maximum(supports[0] - 1, 1.0))
        m = self.chosen
        whole = Single(m.labels, m.scores, m.sums, efforts=m.efforts)
        statistics = {name: self._statistic(name)}
        found = interval(statistics, whole, level=self.level, seed=self.seed)[name].value()
        error = (found.se or math.nan) * np.sqrt(
            sum(self._support(name, whole) / some for some in supports)
        )
        return np.asarray(np.fmax(own, erfc(np.abs(gaps) / error / math.sqrt(2))))

    def flags(self, metric: str | Metric, against: Any = REST) -> list[SubgroupDifference]:
        """Return the subgroups that differ, however many were looked at, the surest first.

        Those whose p-value, corrected by Holm's method, is below 1 less the level: with 0.95 the
        chance to name any subgroup that does not differ is at most 5 %, of each metric: looking at
        m of them it is at most m times that. Subgroups of few rows are not tested.
        """
        alpha = 1 - self.level
        found = [d for d in self.differences(metric, against) if d.corrected < alpha]
        return sorted(found, key=lambda d: (d.corrected, d.difference.p_value))

    def heterogeneity(self, metric: str | Metric) -> Heterogeneity:
        """Return how far a proportion differs between the subgroups, and its mean over them.

        The subgroups are studies or sites, a sample of more such, and their logits follow a
        random-effects model. Its mean weighs studies; the number of all rows together weighs rows.
        Sensitivity and specificity are modelled one by one: the standard for the pair is the
        bivariate model (Reitsma 2005), because another threshold moves both.

        Parameters
        ----------
        metric : str
            A proportion, such as sensitivity.

        Raises
        ------
        InputError
            A metric that is not a proportion, rows in clusters, fewer than two subgroups with rows.

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
        s = self._statistic(self._metric(metric).name)
        name = s.metric.name
        if not is_proportion(s):
            raise InputError(
                f"{name} is not a proportion; ask for the heterogeneity of one, such as sensitivity"
            )
        if self.counted.clusters is not None:
            raise InputError(
                "the model of studies treats rows as independent, and these are clustered; leave "
                "cluster= out"
            )
        hits, rows = hits_and_rows(s, *self._stacks[0].matrices, self.counted.classes)
        whole = Inference(self.counted, level=self.level, seed=self.seed)
        pooled = whole.values(self.chosen, {name: s})[name]
        return Heterogeneity.of_proportion(pooled, hits, rows, level=self.level)

    # -- showing -------------------------------------------------------------------------------

    def table(self, metrics: Asked = None) -> SubgroupTable:
        """Return a row a subgroup and metric: a table that prints, and turns into a frame."""
        return SubgroupTable.of(self, self.names(metrics))

    def decisive(self) -> str:
        """Return the metric that subgroups are compared by unless one is named."""
        for name in ("roc_auc", "matthews_corrcoef"):
            if not (self.chosen.holds(get(name)) and self.quick(name)):
                continue
            if not np.isnan(self._estimates([name])[name].values).all():
                return name
        return "accuracy"

    def quick(self, metric: str) -> bool:
        """Tell whether a metric is found for all subgroups at once."""
        s = self._statistic(metric)
        two = len(self.chosen.scores) == 1 and in_one_pass(s)
        return two or s.metric.needs in ("counts", "matrix")

    def listed(self, metrics: Asked = None, most: int | None = None) -> list[Any]:
        """Return the keys of the subgroups in the order in which :meth:`to_dict` lists them."""
        scored = [n for n in self.names(metrics) if get(n).better != "neither"]
        return list(self.keys if most is None or not scored else self.order(scored[0])[:most])

    def to_dict(
        self, metrics: Asked = None, differences: bool = True, most: int | None = None
    ) -> dict[str, Any]:
        """Return plain data for JSON: what each subgroup is, its rows, numbers and differences.

        With ``most`` the subgroups are that many at most, the worst first by the first metric of
        which high or low is better; ``n_not_shown`` says how many more there are.
        """
        names = self.names(metrics)
        values = self.values(names)
        scored = [n for n in names if get(n).better != "neither"]
        keys = self.listed(names, most)
        gaps: dict[str, dict[Any, SubgroupDifference]] = {}
        if differences and len(self) > 1:
            gaps = {n: {d.key: d for d in self.differences(n)} for n in names}
        named = [dict(zip(self.columns, k, strict=True)) for k in self.subgroup_counts.keys]
        subgroups = [
            {
                "subgroup": named[i],
                "rows": int(self.subgroup_counts.rows[i]),
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
            "source": self.counted.source.name,
            "model": self.chosen.name,
            "columns": list(self.columns),
            "level": self.level,
            "subgroups": subgroups,
            "n_not_shown": len(self) - len(subgroups),
            "worst": worst,
        }


def each_subgroup(counted: CountedRows, columns: Sequence[str]) -> dict[Any, CountedRows]:
    """Return what was counted of each subgroup, as if its rows were all: subgroup -> CountedRows.

    The rows of several models stay side by side where it was kept which subgroup each is of.
    """
    each = [Subgroups.of(counted, m, columns) for m in counted.models]
    first = each[0]
    made = {}
    stack, of_rows = first._stacks[False], first.subgroup_counts.of_rows
    kept = counted.joint is not None and of_rows is not None
    for i, key in enumerate(first.keys):
        made[key] = replace(
            counted,
            rows=int(first.subgroup_counts.rows[i]),
            subgroup_counts=None,
            models=tuple(s._model(i, rest=False) for s in each),
            joint=stack.rows_of(i) if kept else None,
        )
    return made


def _sign(metric: Metric) -> float:
    """Return 1 where high values are better, so that the least is the worst; else -1."""
    return 1.0 if metric.better == "high" else -1.0


Sides = tuple[Floats, Floats, Floats]
"""Values, lows and highs (S,)."""


@np.errstate(all="ignore")
def _differences(
    first: Sides, second: Sides, z: Floats | None, units: Floats, level: float, r: Floats
) -> Sides:
    """Return the bounds and p-values of the differences of two columns.

    ``z`` is that of the score test, of a proportion; else the p-value agrees with the bounds, of
    Student's t with as many degrees of freedom as ``units`` (rows or clusters) tell the number,
    less one. ``r`` are the correlations of both numbers.
    """
    from scipy.special import erfc

    gap = first[0] - second[0]
    arms = [(v - low, high - v) for v, low, high in (first, second)]
    low, high = mover(gap, arms[0], arms[1], r)
    if z is None:
        p = p_of_bounds(gap, low, high, level, degrees=np.maximum(units - 1, 1.0))
    else:
        p = np.where(np.isnan(z), 1.0, erfc(np.abs(z) / math.sqrt(2)))
    bounded = np.isfinite(low) & np.isfinite(high)
    low, high, p = (np.where(bounded, v, math.nan) for v in (low, high, p))
    return low, high, p


@np.errstate(all="ignore")
def _ratios(first: Sides, second: Sides, least: float, r: Floats) -> Sides:
    """Return the ratios of two columns with bounds, NaN where the metric can be below 0.

    On the scale of their logarithms they are differences of numbers of the correlations ``r``.
    """
    (a, a_low, a_high), (b, b_low, b_high) = first, second
    ratio = np.where((least >= 0) & (b > 0) & np.isfinite(a) & np.isfinite(b), a / b, math.nan)
    arms = [(np.log(v / low), np.log(high / v)) for v, low, high in (first, second)]
    down, up = mover(0.0, arms[0], arms[1], r)
    bounded = (
        np.isfinite(ratio) & np.isfinite(a_high + b_high) & np.isfinite(a_low + b_low) & (a > 0)
    )
    low = np.where(bounded, np.where(a_low > 0, ratio * np.exp(down), 0.0), math.nan)
    high = np.where(bounded, np.where(b_low > 0, ratio * np.exp(up), math.inf), math.nan)
    return ratio, low, high


def stretched(column: Estimates, support: Floats, level: float) -> Estimates:
    """Return a column whose bounds are as far out as a higher level asks.

    Draws are not that many; on the scale of the metric's range (logit between two ends) the
    distances are stretched by the ratio of the two quantiles of Student's t, with as many degrees
    of freedom as rows support the number, less one.
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
