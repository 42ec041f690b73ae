"""Compute intervals of statistics over stacks of tallies.

The methods, and the choice between them, are in :mod:`tallymark.infer.methods`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError, check_name
from tallymark.infer import clustered
from tallymark.infer.clustered import Clustered
from tallymark.infer.label_averages import LabelColumns
from tallymark.infer.methods import METHODS, Method, choose, refusals, warnings_of
from tallymark.infer.sampler import Sampler
from tallymark.infer.samples import Case, Matrices, Single, Tallies
from tallymark.infer.score_samples import Columns, OnePass, Rows, losses_of, of_one_pass
from tallymark.metric import ByMetric, Metric, get
from tallymark.metric.binning_bounds import with_binning_bounds
from tallymark.metric.measure import MatrixViews, Statistic, Value
from tallymark.metric.proportion import quantile
from tallymark.part import names
from tallymark.reading.indicators import LabelSets, SetModel
from tallymark.reading.models import CountedRows, Model
from tallymark.reading.of_answers import rows_of_answers
from tallymark.reading.one_label import rows_of_label
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.labels import LabelTally, one_class, one_vs_rest
from tallymark.tally.scores import ScoreTally
from tallymark.tally.threads import side_by_side

FEWEST_DRAWS = 100
"""Fewer draws than this are too few to estimate the ends of an interval."""

_HAIR = 1e-11
"""Draws with a smaller relative difference differ only by rounding."""


@dataclass(frozen=True, eq=False)
class Estimates:
    """One statistic of S tallies: values and bounds (S,), each with its method.

    ``methods``, ``reasons``, ``cautions`` and ``brackets`` have one entry per tally, None if it
    has none; ``ses`` (S,) are the standard errors, NaN if there is none.
    """

    statistic: Statistic
    values: Floats
    lows: Floats
    highs: Floats
    methods: Sequence[str | None]
    reasons: Sequence[str | None]
    level: float
    cautions: Sequence[str | None] = field(default=())
    n_undefined: Sequence[int] = field(default=())
    brackets: Sequence[tuple[float, float] | None] = field(default=())
    ses: Floats | None = None

    @classmethod
    def of(cls, statistic: Statistic, values: Sequence[Value], level: float) -> Self:
        """Return the estimates of single values, stacked."""
        return cls(
            statistic,
            np.array([v.value for v in values]),
            np.array([v.low for v in values]),
            np.array([v.high for v in values]),
            [v.method for v in values],
            [v.reason for v in values],
            level,
            [v.warning for v in values],
            [v.n_undefined for v in values],
            [v.binning_bounds for v in values],
            np.array([math.nan if v.se is None else v.se for v in values]),
        )

    @cached_property
    def _definition(self) -> dict[str, Any]:
        return self.statistic.describe()

    def replaced(self, values: Mapping[int, Value]) -> Self:
        """Return the estimates with some tallies' values replaced."""
        if not values:
            return self
        return type(self).of(
            self.statistic,
            [values.get(i) or self.value(i) for i in range(len(self.values))],
            self.level,
        )

    def value(self, i: int = 0) -> Value:
        """Return the value of one tally."""
        low, high = (math.nan if np.isnan(v[i]) else float(v[i]) for v in (self.lows, self.highs))
        return Value(
            self.statistic.metric.name,
            math.nan if np.isnan(self.values[i]) else float(self.values[i]),
            low,
            high,
            None if math.isnan(low) else self.level,
            self.methods[i],
            self.reasons[i],
            self.cautions[i] if self.cautions else None,
            self.n_undefined[i] if self.n_undefined else 0,
            self._definition,
            self.brackets[i] if self.brackets else None,
            None if self.ses is None or np.isnan(self.ses[i]) else float(self.ses[i]),
        )


@dataclass(frozen=True)
class _Options:
    """Options for all statistics: the level, the method and its number of draws."""

    level: float
    sampler: Sampler
    method: str = "auto"
    draws: int | None = None


def interval(
    statistics: Mapping[str, Statistic],
    tallies: Tallies,
    *,
    level: float = 0.95,
    seed: int = 0,
    stratified: bool = False,
    clusters: Clustered | None = None,
    method: str = "auto",
    draws: int | None = None,
) -> dict[str, Estimates]:
    """Return statistics of a stack of tallies with their intervals.

    A result depends only on its own tally, not on the other tallies or statistics.

    Parameters
    ----------
    statistics : {key: Statistic}
    tallies : Tallies
        S tallies of one classifier.
    level, seed
        Confidence level of the intervals, and seed of the draws.
    stratified : bool
        Whether class shares are known rather than sampled: then only the decisions within each
        class vary.
    clusters : Clustered, optional
        The clustered rows of a stack of one; clusters are then resampled as wholes.
    method : str
        A key of :data:`tallymark.infer.methods.METHODS`; "auto" for the result of
        :func:`tallymark.infer.methods.choose`.
    draws : int, optional
        Number of replicates for methods that resample, 1,000 by default.

    Raises
    ------
    InputError
        An unknown method, or one that does not apply to a statistic; the message lists those
        that do.

    Examples
    --------
    >>> from tallymark.infer.samples import Tallies
    >>> from tallymark.metric import get
    >>> recall = Statistic.of(get("recall"), (0, 1))
    >>> counts = np.array([[[8.0, 2.0], [1.0, 9.0]], [[8.0, 2.0], [5.0, 5.0]]])
    >>> found = interval({"": recall}, Tallies((0, 1), (counts, None)))[""]
    >>> print(found.value(0), found.value(1))
    0.90 (95 % CI 0.60 to 0.98) 0.50 (95 % CI 0.24 to 0.76)

    """
    options = _options(level, Sampler(seed, stratified), method, draws)
    decided = {k: s for k, s in statistics.items() if s.metric._needs in ("counts", "matrix")}
    scored = {k: s for k, s in statistics.items() if k not in decided}
    out: dict[str, Estimates] = {}
    if decided:
        out |= _of_decisions(decided, tallies, options, clusters)
    if scored:
        out |= _of_scores(scored, tallies, options, clusters)
    return {key: out[key] for key in statistics}


def _options(level: float, sampler: Sampler, method: str, draws: int | None) -> _Options:
    """Return checked options; raise InputError for an unknown method or too few draws."""
    if not 0 < level < 1:
        quantile(level)  # raises InputError
    if method != "auto":
        check_name("method", method, METHODS)
    if draws is not None and draws < FEWEST_DRAWS:
        raise InputError(f"draws is {draws}; an interval needs at least {FEWEST_DRAWS}")
    return _Options(level, sampler, method, draws)


def interval_of(
    statistic: Statistic, tally: LabelTally | Sequence[ScoreTally], **options: Any
) -> Value:
    """Return one statistic of one tally, of decisions or of scores, with its interval.

    >>> from tallymark.metric import get
    >>> t = LabelTally((0, 1), np.array([[8.0, 2.0], [1.0, 9.0]]))
    >>> print(interval_of(Statistic.of(get("recall"), t.labels), t))
    0.90 (95 % CI 0.60 to 0.98)
    """
    one = Single(tally) if isinstance(tally, LabelTally) else Single(None, tuple(tally))
    return interval({"": statistic}, one, **options)[""].value()


def _estimates(cases: Mapping[str, _Bounded], o: _Options) -> dict[str, Estimates]:
    """Return the intervals of cases, by the requested method or by those chosen."""
    of_sample: dict[int, dict[str, _Bounded]] = {}
    for key, case in cases.items():
        of_sample.setdefault(id(case.sample), {})[key] = case
    for some in of_sample.values():
        _bound_all(list(some.values()), o.method)
    every = list(cases.values())
    warnings = warnings_of(every, [case.warning for case in every])
    return {key: case.finished(w) for (key, case), w in zip(cases.items(), warnings, strict=True)}


def _bound_all(cases: Sequence[_Bounded], method: str) -> None:
    """Compute the bounds of all cases of one sample."""
    sample = cases[0].sample
    if method == "auto":
        for case, chosen in zip(cases, choose(cases), strict=True):
            case.start(chosen.astype(object), chosen=True)
    else:
        for case in cases:
            case.start(np.full(len(case.values), method, object), chosen=False)
    threads = sample.prepare([case.statistic for case in cases])
    while names := sorted({name for case in cases for name in case.names} - {""}):
        jobs: list[tuple[Method, list[_Bounded]]] = []
        for name in names:
            next_of = [case for case in cases if (case.names == name).any()]
            why = zip(next_of, refusals(name, next_of), strict=True)
            served = [case for case, refusal in why if case.serves(name, refusal)]
            # Matrices and columns are drawn once for all statistics; those of one run in parallel.
            together = [served] if isinstance(sample, Matrices | Columns) else [[c] for c in served]
            jobs += [(METHODS[name], some) for some in together if some]

        def run(i: int, jobs: list[tuple[Method, list[_Bounded]]] = jobs) -> None:
            _apply(*jobs[i])

        if threads > 1:
            side_by_side(run, len(jobs), threads)
        else:
            for job in jobs:
                _apply(*job)
        for case in cases:
            case.follow()


def _apply(method: Method, cases: Sequence[_Bounded]) -> None:
    """Set the bounds that one method gives."""
    uses_method = [case.names == method.name for case in cases]
    parts: list[Case] = list(cases)
    if method.draw:
        rows = np.flatnonzero(np.any(uses_method, 0))
        sample = cases[0].sample.take(rows)
        replicates_of = sample.replicates(cases, method.draw)
        parts = []
        for case, mine, replicates in zip(cases, uses_method, replicates_of, strict=True):
            at = mine[rows]
            part = sample if at.all() else sample.take(np.flatnonzero(at))
            parts.append(Case(case.statistic, case.values[mine], part, case.level, replicates[at]))
    for case, mine, (bounds, label) in zip(cases, uses_method, method.bound(parts), strict=True):
        low, high, _, case.warning, se = bounds
        if not method.draw:
            low, high = low[mine], high[mine]
            se = None if se is None else np.broadcast_to(se, case.values.shape)[mine]
        case.low[mine], case.high[mine] = low, high
        case.se[mine] = np.nan if se is None else se
        case.labels[mine] = label


@dataclass(eq=False)
class _Bounded(Case):
    """A case whose bounds are being computed, with the next method to try for each value.

    ``statistic`` may be an equivalent view of the ``requested`` one.
    """

    reasons: Sequence[str | None] = ()
    n_undefined: Sequence[int] = ()
    requested: Statistic | None = None
    warning: str | None = None

    def start(self, names: NDArray[Any], chosen: bool) -> None:
        """Set the first method of every value, "" for values that need no bounds."""
        size, self.chosen, self.names = len(self.values), chosen, names
        decided = self.statistic.metric._needs in ("counts", "matrix")
        self.names[~np.isfinite(self.values) & ~(decided & np.isinf(self.values))] = ""
        self.low, self.high, self.se = (np.full(size, np.nan) for _ in range(3))
        self.labels = np.full(size, None, object)

    def serves(self, name: str, why: str | None) -> bool:
        """Return whether a method applies; raise InputError if it does not and was requested."""
        if why is None:
            return True
        if not self.chosen:
            fit = ", ".join(n for n, m in METHODS.items() if m.refuses(self) is None) or "none"
            metric = self.statistic.metric.name
            raise InputError(f"{name} is not available for {metric}: {why}; use {fit}")
        self.labels[self.names == name] = why
        self.names[self.names == name] = ""
        return False

    def follow(self) -> None:
        """Set the fallback methods for zero-width intervals."""
        tried, self.names = self.names, np.full(len(self.names), "", object)
        if not self.chosen or isinstance(self.sample, OnePass):
            return  # later evaluated one tally at a time
        flat = (tried != "") & ~_has_width(self.low, self.high)
        for name in set(tried[flat]):
            for other in METHODS[name].otherwise:
                if METHODS[other].refuses(self) is None:
                    self.names[flat & (tried == name)] = other
                    break

    def finished(self, warnings: Sequence[str | None]) -> Estimates:
        """Return the values with bounds that contain them; no bounds where they are useless."""
        values, (least, most) = self.values, self.range
        with np.errstate(invalid="ignore"):
            low, high = np.maximum(self.low, least), np.minimum(self.high, most)
            good = _has_width(low, high) & ~np.isnan(values)
            endless = np.isinf(values) & ~(low < high)
        labels = list(self.labels)
        for i in np.flatnonzero(~good).tolist():
            if self.reasons[i] is not None:
                labels[i] = None
            elif endless[i]:
                labels[i] = "no interval: the value is infinite"
            elif np.isnan(low[i]) or np.isnan(high[i]):
                labels[i] = f"no interval: {labels[i]}"
            else:
                labels[i] = f"no interval: {labels[i]}, every draw gives the same"
        return Estimates(
            self.requested or self.statistic,
            values,
            # The percentile interval of a skewed statistic may not contain the value, so widen it.
            np.where(good, np.minimum(low, values), np.nan),
            np.where(good, np.maximum(high, values), np.nan),
            labels,
            self.reasons,
            self.level,
            [w if fine else None for fine, w in zip(good, warnings, strict=True)],
            self.n_undefined,
            ses=np.where(good & np.isfinite(self.se) & (self.se > 0), self.se, np.nan),
        )


def _has_width(low: Floats, high: Floats) -> NDArray[np.bool_]:
    with np.errstate(invalid="ignore"):
        least = _HAIR * np.minimum(np.abs(low), np.abs(high))
        return np.asarray((low < high) & (high - low >= least))


# -- decisions -------------------------------------------------------------------------------------


def _of_decisions(
    statistics: Mapping[str, Statistic], tallies: Tallies, o: _Options, clusters: Clustered | None
) -> dict[str, Estimates]:
    (counts, squares), labels = tallies.matrices, tallies.labels
    samples: dict[Any, Matrices] = {}

    def matrices(s: Statistic) -> tuple[Statistic, Any]:
        """Return a statistic and its sample, reduced to one class against the rest if possible.

        The interval of a 2 x 2 table is then the same whichever matrix it comes from.
        """
        alone = s.average == "binary" or (s.average == "overall" and s.positive is not None)
        key = (s.positive,) if alone else None
        if key not in samples:
            here, second, classes = counts, squares, labels
            if alone:
                here, classes = one_class(counts, labels, s.positive).matrix(), (False, True)
                if squares is not None:
                    second = one_class(squares, labels, s.positive).matrix()
            samples[key] = Matrices(here, second, classes, o.sampler, o.draws)
        return Statistic(s.metric, "binary", True, s.params) if alone else s, samples[key]

    cases = {}
    of_all = MatrixViews(counts, labels).values(statistics.values())
    for (key, s), values in zip(statistics.items(), of_all, strict=True):
        view, sample = matrices(s) if clusters is None else (s, clusters.for_statistic(s))
        missing: list[int] = []
        if s.skip_undefined and s.average in ("macro", "weighted"):
            missing = [len(r) for r in s.reasons_of_matrices(counts, labels)]
        reasons = _reasons(s, values, counts, labels)
        cases[key] = _Bounded(
            view, values, sample, o.level, reasons=reasons, n_undefined=missing, requested=s
        )
    return _estimates(cases, o)


def _reasons(
    s: Statistic, values: Floats, counts: Floats, labels: Sequence[Label]
) -> list[str | None]:
    """Return for each matrix why the value is undefined, None if it is defined."""
    out: list[str | None] = [None] * len(values)
    undefined = np.flatnonzero(np.isnan(values))
    if not len(undefined):
        return out
    reasons = s.reasons_of_matrices(counts[undefined], labels)
    for i, each in zip(undefined.tolist(), reasons, strict=True):
        out[i] = s.in_words(each, labels)
    return out


# -- scores ----------------------------------------------------------------------------------------


def _of_scores(
    statistics: Mapping[str, Statistic], tallies: Tallies, o: _Options, clusters: Clustered | None
) -> dict[str, Estimates]:
    """Return results from one pass over all tallies, then the rest one tally at a time."""
    size = len(tallies)
    out: dict[str, Estimates] = {}
    remaining = {k: np.arange(size) for k in statistics}
    batch = {}
    if o.method == "auto" and clusters is None:
        batch = of_one_pass(statistics, o.sampler)
    judged = tallies.areas(losses_of(batch.values())) if batch else None
    if judged is not None:
        sample = OnePass(judged, o.sampler)
        none: list[str | None] = [None] * size
        out = _estimates(
            {
                k: _Bounded(s, sample.values(s), sample, o.level, reasons=none)
                for k, s in batch.items()
            },
            o,
        )
        for key, estimates in out.items():
            finished = ~np.isnan(estimates.lows) | (np.isinf(estimates.values) & sample.few)
            remaining[key] = np.flatnonzero(~finished)
    single: dict[str, dict[int, Value]] = {k: {} for k in statistics}
    for i in np.unique(np.concatenate(list(remaining.values()))).tolist():
        rest = {k: s for k, s in statistics.items() if i in remaining[k]}
        scores, sums = tallies.scores(i), tallies.sums(i)
        columns = Columns(
            scores, sums, o.sampler, tallies.rows(i), o.draws, tallies.role_tallies(i)
        )
        for key, estimates in _of_columns(rest, columns, o, clusters).items():
            single[key][i] = estimates.value()
    for key, s in statistics.items():
        if len(remaining[key]) == size:
            out[key] = Estimates.of(s, [single[key][i] for i in range(size)], o.level)
        else:
            out[key] = out[key].replaced(single[key])
    if size and any(t.bins is not None for t in tallies.scores(0)):
        return {key: _with_binning_bounds(estimates, tallies) for key, estimates in out.items()}
    return out


def _of_columns(
    statistics: Mapping[str, Statistic], columns: Columns, o: _Options, clusters: Clustered | None
) -> dict[str, Estimates]:
    """Return the score statistics of one tally."""
    cases = {}
    for (key, s), (v, column) in zip(
        statistics.items(), columns.points(statistics.values(), o.draws), strict=True
    ):
        sample = column if clusters is None else clusters.for_statistic(s)
        cases[key] = _Bounded(
            s, np.array([v.value]), sample, o.level, reasons=[v.reason], n_undefined=[v.n_undefined]
        )
    return _estimates(cases, o)


def _with_binning_bounds(estimates: Estimates, tallies: Tallies) -> Estimates:
    """Return estimates with intervals widened by the uncertainty from binning."""
    s, values = estimates.statistic, {}
    if s.metric._needs == "rows" and tallies.sums(0) is not None:
        return estimates
    for i in range(len(tallies)):
        values[i] = with_binning_bounds(estimates.value(i), s, tallies.scores(i))
    return estimates.replaced(values)


# -- models ----------------------------------------------------------------------------------------


@dataclass(eq=False)
class Inference:
    """The counted data, and the options of its intervals.

    ``stratified`` treats class shares as known rather than sampled.
    """

    counted: CountedRows | LabelSets
    level: float = 0.95
    seed: int = 0
    stratified: bool = False
    _cache: dict[str, dict[str, Value]] = field(default_factory=dict)
    _clusters: dict[tuple[str, int], Clustered] = field(default_factory=dict)
    _labels: dict[Label, Inference] = field(default_factory=dict)
    _answers: dict[str, Inference] = field(default_factory=dict)
    _columns: dict[str, LabelColumns] = field(default_factory=dict)

    @property
    def one_column(self) -> CountedRows:
        """The counts of one column of classes; raises InputError for several labels per row."""
        return self.counted.one_column

    @property
    def label_sets(self) -> LabelSets:
        """The rows with several labels."""
        assert isinstance(self.counted, LabelSets)
        return self.counted

    def label(self, label: Label) -> Inference:
        """Return the counts for one label: 1 for rows that have it, else 0."""
        assert isinstance(self.counted, LabelSets)
        if label not in self._labels:
            self._labels[label] = Inference(
                rows_of_label(self.counted, label), self.level, self.seed
            )
        return self._labels[label]

    def columns(self, model: SetModel) -> LabelColumns:
        """Return a model's columns of all labels, resampled together by rows or clusters."""
        assert isinstance(self.counted, LabelSets)
        if model.name not in self._columns:
            self._columns[model.name] = LabelColumns(self.counted, model, self.seed)
        return self._columns[model.name]

    def of_metrics(self, model: Model | SetModel, metrics: Iterable[Metric]) -> dict[str, Value]:
        """Return the metrics that a model has, with their intervals, cached."""
        available, cached = model._available(metrics), self._cache.setdefault(model.name, {})
        new = [m for m in available if m.name not in cached]
        cached |= self.values(model, {m.name: self.counted.statistic(m) for m in new})
        return ByMetric({m.name: cached[m.name] for m in available})

    def values(
        self,
        model: Model | SetModel,
        statistics: Mapping[str, Statistic],
        method: str = "auto",
        draws: int | None = None,
    ) -> dict[str, Value]:
        """Return each statistic of a model with its interval; see :func:`interval`."""
        if draws is not None and method in METHODS and METHODS[method].draw is None:
            drawing = ", ".join(name for name, m in METHODS.items() if m.draw)
            raise InputError(f"{method} makes no draws: leave draws out, or use one of {drawing}")
        if draws is not None and method == "auto":
            method = "percentile"
        if isinstance(model, SetModel):
            columns = self.columns(model)
            options = _options(self.level, columns.sampler, method, draws)
            estimates = _of_columns(statistics, columns, options, None)
            return {key: one.value() for key, one in estimates.items()}
        judged = self._by_parts(model, statistics) if method == "auto" else {}
        if len(self.one_column.classes) > 2:
            answers = {k: s for k, s in statistics.items() if s.metric._of_answers}
            judged |= self._of_answers(model.name, answers, method, draws) if answers else {}
        statistics, every = {k: s for k, s in statistics.items() if k not in judged}, statistics
        clusters = self.clusters(model.name, draws)
        single = Single(
            model.labels, model.scores, model._sums, self._rows(model), model._role_tallies
        )
        estimates = interval(
            statistics,
            single,
            level=self.level,
            seed=self.seed,
            stratified=self.stratified,
            clusters=clusters,
            method=method,
            draws=draws,
        )
        judged |= {key: one.value() for key, one in estimates.items()}
        return {key: judged[key] for key in every}

    def _of_answers(
        self, name: str, statistics: Mapping[str, Statistic], method: str, draws: int | None
    ) -> dict[str, Value]:
        """Return statistics of the answers of a model of more than two classes."""
        if name not in self._answers:
            counted = rows_of_answers(self.one_column, name)
            self._answers[name] = Inference(counted, self.level, self.seed)
        of = self._answers[name]
        (model,) = of.one_column.models
        of_two = {k: replace(s, average="binary", positive=1) for k, s in statistics.items()}
        values = of.values(model, of_two, method, draws)
        return {k: replace(v, definition=statistics[k].describe()) for k, v in values.items()}

    def _by_parts(self, model: Model, statistics: Mapping[str, Statistic]) -> dict[str, Value]:
        """Return the statistics whose intervals a part gives."""
        shown = {*model._role_tallies, *self.counted.source.checks}
        out: dict[str, Value] = {}
        for role, (part, place) in names("intervals").items():
            if role in shown:
                out |= part.load(place)(self.counted, model, statistics, self.level)
        return out

    def _rows(self, model: Model) -> Rows | None:
        """Return the rows of a model with a score for each of several classes, else None."""
        joint = self.one_column.joint
        if joint is None or len(model.scores) < 2:
            return None
        return Rows(replace(joint, models=(joint.model(model.name),)), model)

    def of_classes(
        self, model: Model | SetModel, metrics: Iterable[Metric]
    ) -> dict[Label, dict[str, Value]]:
        """Return the metrics of each class against the rest, or of each label, with intervals."""
        classes, available = self.counted.classes, [m for m in metrics if m._of_one_class]
        if isinstance(model, SetModel):
            alone = {label: self.label(label) for label in classes}
            return {
                label: of.of_metrics(of.counted.model(model.name), available)
                for label, of in alone.items()
            }
        available = [m for m in available if model._holds(m)]
        together = {}
        accuracy = {"": self.counted.statistic(get("accuracy"))}
        if self.clusters(model.name) is None and not self._by_parts(model, accuracy):
            four = [
                None if matrix is None else one_vs_rest(matrix).matrix()
                for matrix in (model.labels.counts, model.labels.sum_squared_weights)
            ]
            assert four[0] is not None
            statistics = {
                m.name: Statistic.of(m, (False, True), True, "binary")
                for m in available
                if m.wanted == "decisions"
            }
            stack = Tallies((False, True), (four[0], four[1]))
            together = interval(
                statistics, stack, level=self.level, seed=self.seed, stratified=self.stratified
            )
        out: dict[Label, dict[str, Value]] = {}
        for i, label in enumerate(classes):
            scored = any(t.positive == label for t in model.scores)
            statistics = {
                m.name: Statistic.of(m, classes, label, "binary")
                for m in available
                if m.name not in together and (scored or m.wanted == "decisions")
            }
            of_class = self.values(model, statistics) if statistics else {}
            for name, estimates in together.items():
                value = estimates.value(i)
                of_class[name] = replace(value, definition={**value.definition, "positive": label})
            out[label] = ByMetric(
                {m.name: of_class[m.name] for m in available if m.name in of_class}
            )
        return out

    def clusters(self, name: str, draws: int | None = None) -> Clustered | None:
        """Return a model's clustered rows, None if the rows are not clustered."""
        if isinstance(self.counted, LabelSets) or self.counted.joint is None:
            return None
        key = (name, draws or clustered.DRAWS)
        if self.counted.clusters and key not in self._clusters:
            options: dict[str, Any] = {"seed": self.seed, "stratified": self.stratified}
            self._clusters[key] = Clustered.of(self.counted, name, draws=key[1], **options)
        return self._clusters.get(key)
