"""Parts of the rows judged each by itself, and against the rest: which of them stand out."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tallymark.data import CountedRows, Model
from tallymark.display import Display
from tallymark.errors import InputError, choices
from tallymark.infer.against import (
    SubgroupDifference,
    difference_of,
    gaps_of,
    repeated,
)
from tallymark.infer.cautions import FEW, HEADLINE, HEADLINE_MANY
from tallymark.infer.intervals import Estimates, in_one_pass, interval
from tallymark.infer.sampler import effective_rows
from tallymark.infer.significance import holm
from tallymark.infer.tallies import SubgroupStack
from tallymark.infer.worst import Worst, each_level, stretched, worst
from tallymark.metric import METRICS, Metric, get
from tallymark.metric.measure import Statistic, Value
from tallymark.metric.proportion import worth
from tallymark.tables import SubgroupTable
from tallymark.tally.arrays import Floats
from tallymark.tally.subgroups import Key, SubgroupCounts, rest_sums

REST = "rest"


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
    0.7500 [0.5981, 0.8581]
    >>> found.flags("recall")[0].key
    'north'

    """

    counted: CountedRows
    chosen: Model
    subgroup_counts: SubgroupCounts
    level: float = 0.95
    seed: int = 0
    _columns: dict[str, Estimates] = field(default_factory=dict, repr=False)
    _rests: dict[str, Estimates] = field(default_factory=dict, repr=False)

    @classmethod
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
                "subgroups are of the rows as they are, and here the classes have other shares; "
                "ask for them before at(prevalence=...)"
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
        return tuple(self._key(key) for key in self.subgroup_counts.keys)

    @cached_property
    def _places(self) -> dict[Any, int]:
        return {key: i for i, key in enumerate(self.keys)}

    @property
    def rows(self) -> dict[Any, int]:
        """How many rows each subgroup has."""
        return dict(zip(self.keys, self.subgroup_counts.rows.tolist(), strict=True))

    def __len__(self) -> int:
        return len(self.subgroup_counts)

    def _key(self, key: Key) -> Any:
        return key[0] if len(self.columns) == 1 else key

    def _place(self, key: Any) -> int:
        with contextlib.suppress(KeyError, TypeError):
            return self._places[key]
        told = choices(str(key), [str(k) for k in self.keys])
        raise InputError(f"there is no subgroup {key!r}; {told}")

    def metrics(self) -> tuple[str, ...]:
        """Return the metrics that are looked at first, of those that the model has."""
        first = HEADLINE if self.counted.positive is not None else HEADLINE_MANY
        return tuple(m for m in first if self.chosen.holds(get(m)))

    def _asked(self, metrics: Sequence[str] | str | None) -> list[str]:
        if metrics is None:
            return list(self.metrics())
        return [self._metric(m).name for m in ([metrics] if isinstance(metrics, str) else metrics)]

    def _metric(self, name: str) -> Metric:
        found = get(name)
        if not self.chosen.holds(found):
            there = [m.name for m in METRICS.values() if self.chosen.holds(m)]
            raise InputError(
                f"{found.name} cannot be computed of these predictions; "
                f"{choices(found.name, there)}"
            )
        return found

    # -- numbers -------------------------------------------------------------------------------

    def values(self, metrics: Sequence[str] | str | None = None) -> Mapping[Any, dict[str, Value]]:
        """Return the numbers with their intervals: subgroup -> metric -> Value.

        Parameters
        ----------
        metrics : sequence of str, optional
            Those that are looked at first unless named.

        """
        names = self._asked(metrics)
        self._fill(names)
        return SubgroupValues(self._places, {name: self._columns[name] for name in names})

    def _statistics(self, names: Sequence[str]) -> dict[str, Statistic]:
        classes, positive = self.counted.classes, self.counted.positive
        return {n: Statistic.of(get(n), classes, positive) for n in names}

    @cached_property
    def _tallies(self) -> SubgroupStack:
        return SubgroupStack(self.chosen, self.subgroup_counts, self.counted.positive)

    @cached_property
    def _others(self) -> SubgroupStack:
        return SubgroupStack(self.chosen, self.subgroup_counts, self.counted.positive, rest=True)

    def _fill(self, names: Sequence[str]) -> dict[str, Estimates]:
        """Judge what is not judged yet of the subgroups."""
        wanted = self._statistics([n for n in names if n not in self._columns])
        options: dict[str, Any] = {"level": self.level, "seed": self.seed}
        self._columns.update(interval(wanted, self._tallies, **options))
        return self._columns

    def _sides(self, name: str) -> tuple[Estimates, Estimates]:
        """Return a metric of every subgroup and of the rest of each."""
        if name not in self._rests:
            wanted = self._statistics([name])
            options: dict[str, Any] = {"level": self.level, "seed": self.seed}
            self._rests[name] = interval(wanted, self._others, **options)[name]
        return self._fill([name])[name], self._rests[name]

    # -- few rows ------------------------------------------------------------------------------

    def support(self, metric: str) -> dict[Any, float]:
        """Return how many rows a metric rests on in each subgroup, weighted ones by what they tell.

        Those that a proportion is of, such as the positives of recall; the rarer of two classes,
        or the rarest of those averaged, of what judges both; all rows of what judges each.
        """
        return dict(zip(self.keys, self._support(self._metric(metric).name).tolist(), strict=True))

    def _support(self, name: str) -> Floats:
        s = self._statistics([name])[name]
        counts, squares = self._tallies.matrices
        if s.metric.proportion is not None and s.average in ("overall", "binary"):
            part, whole = s.metric.proportion(s.view(counts, self.counted.classes))
            if squares is None:
                return np.asarray(whole, dtype=np.float64)
            second = s.metric.proportion(s.view(squares, self.counted.classes))
            return np.asarray(np.nan_to_num(worth(part, whole, *second)))
        each = counts.sum(-1)
        if squares is not None:
            pairs = zip(each, squares.sum(-1), strict=True)
            each = np.stack([effective_rows(c[None], q[None]) for c, q in pairs])
        if s.metric.family == "probability" or (s.average == "overall" and each.shape[1] > 2):
            return np.asarray(each.sum(-1))
        return np.asarray(each.min(-1))

    def small(self, metric: str) -> tuple[Any, ...]:
        """Return the subgroups with fewer than 30 of the rows that a metric rests on."""
        return tuple(k for k, n in self.support(metric).items() if n < FEW)

    # -- which stand out -----------------------------------------------------------------------

    def worst(self, metric: str, most: int = 5) -> list[tuple[Any, Value]]:
        """Return the subgroups where a metric is worst, the worst first, without those of few rows.

        The worst of many looks worse than it is: :meth:`flags` says which subgroups do differ,
        :meth:`worst_of_all` how bad the worst is.

        Raises
        ------
        InputError
            A metric of which neither high nor low values are better.

        """
        found = self._ranked_by(metric)
        column = self._fill([found.name])[found.name]
        sign = 1.0 if found.better == "high" else -1.0
        ranked = np.where(self._support(found.name) < FEW, np.nan, sign * column.values)
        order = np.argsort(ranked, kind="stable")  # NaN last
        there = [int(i) for i in order[:most] if not math.isnan(ranked[i])]
        keys = self.keys
        return [(keys[i], column.value(i)) for i in there]

    def worst_of_all(self, metric: str) -> Worst | None:
        """Return the worst subgroup with bounds that hold although it was chosen as the worst.

        What is worst of many looks worse than it is. See :class:`tallymark.infer.worst.Worst`;
        None where no subgroup has rows enough.

        >>> import tallymark as tm
        >>> y, said = [1] * 120 + [0] * 120, ([1] * 50 + [0] * 10) * 2 + [0] * 120
        >>> where = (["north"] * 60 + ["south"] * 60) * 2
        >>> found = tm.evaluate(y, said, subgroup={"at": where}).by("at").worst_of_all("recall")
        >>> print(found.key, found.value, f"[{found.low:.4f}, {found.high:.4f}]", found.candidates)
        north 0.8333 [0.7197, 0.9069] [0.7008, 0.9143] ('north', 'south')
        """
        name = self._ranked_by(metric).name
        support = self._support(name)
        ranked = support >= FEW
        level = each_level(self.level, int(ranked.sum()))
        first = self._fill([name])[name]
        wanted = self._statistics([name])
        wide = stretch = stretched(first, support, level)
        if self.quick(name):
            wide = interval(wanted, self._tallies, level=level, seed=self.seed)[name]
        # Draws do not reach so far out.
        for i in [i for i, m in enumerate(wide.methods) if "draws" in (m or "")]:
            wide.lows[i], wide.highs[i] = stretch.lows[i], stretch.highs[i]
        return worst(first, wide, ranked, self.keys, self.level)

    def _ranked_by(self, metric: str) -> Metric:
        found = self._metric(metric)
        if found.better == "neither":
            raise InputError(
                f"of {found.name} neither high nor low values are better, so that no subgroup is "
                "worst; take .values()"
            )
        return found

    def differences(self, metric: str, against: Any = REST) -> list[SubgroupDifference]:
        """Return each subgroup's number less that of the rest of the rows, or of a subgroup named.

        Bounds are those of both numbers, their distances added as squares: Newcombe's interval of
        a proportion. Its p-value is that of the score test, any other that of Student's t of which
        the interval's bound on the side of 0 is the quantile, with as many degrees of freedom as
        the subgroup has rows to tell it, less one. P-values are corrected by Holm's method over all
        subgroups that have rows enough to be tested.

        Parameters
        ----------
        metric : str
        against : key of a subgroup, optional
            By default each subgroup is held against all rows but its own.

        Sources: newcombe1998, zou2008, holm1979.

        """
        found = self._metric(metric)
        if len(self) < 2:
            raise InputError("there is one subgroup alone; a difference needs two")
        place = None
        if against == REST and REST not in self.keys:
            first, second = self._sides(found.name)
        else:
            place = self._place(against)
            first = self._fill([found.name])[found.name]
            second = repeated(first, place)
        support = self._support(found.name)
        small = support < FEW
        if place is not None:
            small = small | small[place]
        gaps = gaps_of(first, second, self._tested(found.name, place), support, self.level)
        tested = np.where(small, np.nan, gaps["p"])
        if place is not None:
            tested[place] = np.nan
        corrected = holm(tested)
        out = []
        for i, key in enumerate(self.keys):
            if i != place:
                d = difference_of(found, first, second, gaps, i, self.level)
                ratio, low, high = (float(gaps[k][i]) for k in ("ratio", "ratio_low", "ratio_high"))
                q = float(corrected[i])
                out.append(SubgroupDifference(key, d, q, ratio, low, high, bool(small[i])))
        return out

    def _tested(self, name: str, place: int | None) -> tuple[Floats, ...] | None:
        """Return hits and rows of the subgroups and of what they are compared with."""
        s = self._statistics([name])[name]
        if s.metric.proportion is None or s.average not in ("overall", "binary"):
            return None
        counts, squares = self._tallies.matrices
        out: list[Floats] = []

        def against(m: Floats) -> Floats:
            return rest_sums(m) if place is None else np.broadcast_to(m[place], m.shape)

        for rest in (False, True):
            hit, whole = s.metric.proportion(
                s.view(against(counts) if rest else counts, self.counted.classes)
            )
            if squares is not None:
                q = against(squares) if rest else squares
                _, second = s.metric.proportion(s.view(q, self.counted.classes))
                with np.errstate(all="ignore"):
                    n = whole**2 / second
                    hit, whole = hit / whole * n, n
            out += [np.asarray(hit), np.asarray(whole)]
        return tuple(out)

    def flags(self, metric: str, against: Any = REST) -> list[SubgroupDifference]:
        """Return the subgroups that differ, however many were looked at, the surest first.

        Those whose p-value, corrected by Holm's method, is below 1 less the level: with 0.95 the
        chance to name any subgroup that does not differ is at most 5 %, as far as the p-values
        hold theirs. Subgroups of few rows are not tested.
        """
        alpha = 1 - self.level
        found = [d for d in self.differences(metric, against) if d.corrected < alpha]
        return sorted(found, key=lambda d: (d.corrected, d.difference.p_value))

    # -- showing -------------------------------------------------------------------------------

    def table(self, metrics: Sequence[str] | str | None = None) -> SubgroupTable:
        """Return a row a subgroup and metric: a table that prints, and turns into a frame."""
        return SubgroupTable.of(self, self._asked(metrics))

    def decisive(self) -> str:
        """Return the metric that parts are told apart by unless one is named."""
        for name in ("roc_auc", "matthews_corrcoef"):
            if not (self.chosen.holds(get(name)) and self.quick(name)):
                continue
            if not np.isnan(self._sides(name)[0].values).all():
                return name
        return "accuracy"

    def quick(self, metric: str) -> bool:
        """Tell whether a metric is found for all subgroups at once."""
        s = self._statistics([metric])[metric]
        two = len(self.chosen.scores) == 1 and in_one_pass(s)
        return two or s.metric.needs in ("counts", "matrix")

    def order(self, metric: str) -> tuple[Any, ...]:
        """Return all subgroups, the worst in a metric first, small and undefined ones last."""
        name = self._ranked_by(metric).name
        column = self._fill([name])[name]
        sign = 1.0 if column.statistic.metric.better == "high" else -1.0
        small = self._support(name) < FEW
        places = np.lexsort((sign * column.values, small | np.isnan(column.values)))
        return tuple(self.keys[int(i)] for i in places)

    def to_dict(
        self,
        metrics: Sequence[str] | str | None = None,
        differences: bool = True,
        most: int | None = None,
    ) -> dict[str, Any]:
        """Return plain data for JSON: what each subgroup is, its rows, numbers and differences.

        With ``most`` the subgroups are that many at most, the worst first by the first metric of
        which high or low is better; ``n_not_shown`` says how many more there are.
        """
        names = self._asked(metrics)
        values = self.values(names)
        scored = [n for n in names if get(n).better != "neither"]
        keys = self.keys if most is None or not scored else self.order(scored[0])[:most]
        gaps: dict[str, dict[Any, SubgroupDifference]] = {}
        if differences and len(self) > 1:
            gaps = {n: {d.key: d for d in self.differences(n)} for n in names}
        worsts = {n: self.worst_of_all(n) for n in scored}
        subgroups = [
            {
                "subgroup": self._named(self._places[key]),
                "rows": int(self.subgroup_counts.rows[self._places[key]]),
                "values": {n: v.to_dict() for n, v in values[key].items()},
                "against_the_rest": {n: d[key].to_dict() for n, d in gaps.items()},
            }
            for key in keys
        ]
        return {
            "format": "tallymark-subgroups", "version": 1, "source": self.counted.source,
            "model": self.chosen.name, "columns": list(self.columns), "level": self.level,
            "subgroups": subgroups, "n_not_shown": len(self) - len(subgroups),
            "worst": {n: self._of_worst(w) for n, w in worsts.items() if w is not None},
        }  # fmt: skip

    def _named(self, place: int) -> dict[str, Any]:
        return dict(zip(self.columns, self.subgroup_counts.keys[place], strict=True))

    def _of_worst(self, found: Worst) -> dict[str, Any]:
        """Return the worst as plain data; of candidates, how many there are."""
        data = found.to_dict()
        data["subgroup"] = self._named(self._places[found.key])
        data["candidates"] = len(found.candidates)
        return data
