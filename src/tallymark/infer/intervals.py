"""Which interval a number gets: one choice, for one tally as for thousands of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tallymark.infer.clustered import Clustered
from tallymark.infer.delong import area_bounds, auc_variance, hand_till_error
from tallymark.infer.jackknife import (
    CHANCE,
    STUDENT,
    Jackknife,
    drawn_with_chance,
    jackknife_matrices,
    leave_out,
    reaches,
    scaled,
    scaled_all,
    with_chance,
)
from tallymark.infer.replicates import Replicates
from tallymark.infer.sampler import Sampler, draws_of, percentile_bounds
from tallymark.infer.tallies import Single, Tallies
from tallymark.metric import get
from tallymark.metric.binning_bounds import with_binning_bounds
from tallymark.metric.measure import Statistic, Value
from tallymark.metric.proportion import quantile, wilson, worth
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.labels import Counts, LabelTally, one_vs_rest
from tallymark.tally.scores import ScoreTally
from tallymark.tally.subgroups import Judged, RaggedScores
from tallymark.tally.sums import Sums
from tallymark.tally.threads import side_by_side

WEIGHTED = ", weighted rows"
CONSERVATIVE = ", classes taken as fully correlated (conservative)"
FEW_FREEDOMS = 5
"""Fewer degrees of freedom than this: single rows decide how far a number is known."""

_HAIR = 1e-11
"""Draws that differ by less than this, relatively, differ by rounding alone."""

_MOST_JACKKNIFED = 100
"""Cells of a matrix up to which a row is left out of each; of more, draws take no longer."""

_NAMES = {
    "bootstrap": ("multinomial bootstrap", "bootstrap within each class"),
    "posterior": ("Dirichlet posterior", "Dirichlet posterior within each class"),
    "jackknife": ("jackknife", "jackknife within each class"),
}


ROW_LOSS = {
    "brier": "squared",
    "mean_absolute_error": "absolute",
    "root_mean_squared_error": "root_squared",
    "log_loss": "log",
}
"""Losses of a row, under the names of the pass over sorted scores."""


class Bounds(NamedTuple):
    """An interval, how it was made, and why it may be too narrow."""

    low: float
    high: float
    method: str
    warning: str | None = None


@dataclass(frozen=True, eq=False)
class Estimates:
    """One statistic of S tallies: its values and bounds (S,), each with its method.

    ``methods``, ``reasons``, ``cautions`` and ``brackets`` hold a text, a pair or None a tally.
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

    @classmethod
    def of(cls, statistic: Statistic, values: Sequence[Value], level: float) -> Self:
        """Lay single values side by side."""
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
        )

    @cached_property
    def _definition(self) -> dict[str, Any]:
        return self.statistic.describe()

    def replaced(self, values: Mapping[int, Value]) -> Self:
        """Return the estimates with those of some tallies in place of their own."""
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
        )


def choose(
    statistic: Statistic, labels: Sequence[Label], stratified: bool = False
) -> tuple[str, ...]:
    """Return the methods that bound a number of decisions, the first that serves a matrix first.

    A proportion gets Wilson's interval. A smooth score of a bounded range gets that of the
    jackknife on the scale of its range with Student's t, unless one of the four counts it rests on
    is zero, or so few rows carry its error that it has less than five degrees of freedom: then
    percentiles of the Dirichlet posterior of the cells. Anything else gets percentiles of the
    bootstrap, or of the posterior where a cell is empty or all replicates are the same.

    >>> from tallymark.metric import get
    >>> [choose(Statistic.of(get(name), (0, 1), 1), (0, 1)) for name in ("recall", "f1", "dor")]
    [('wilson',), ('jackknife', 'posterior'), ('bootstrap', 'posterior')]
    """
    m = statistic.metric
    if (
        m.proportion is not None
        and statistic.average in ("overall", "binary")
        and not (stratified and statistic.mixes_classes(labels))
    ):
        return ("wilson",)
    bounded = bool(np.isfinite(m.range_of(**statistic.params)).all())
    # Where neither end is better, the number may bend at its least or most within its range.
    smooth = m.smooth and m.error == "smooth" and bounded and m.better != "neither"
    if smooth and len(labels) ** 2 <= _MOST_JACKKNIFED:
        return ("jackknife", "posterior")
    return ("bootstrap", "posterior")


def interval(
    statistics: Mapping[str, Statistic],
    tallies: Tallies,
    *,
    level: float = 0.95,
    seed: int = 0,
    stratified: bool = False,
    clusters: Clustered | None = None,
) -> dict[str, Estimates]:
    """Return statistics of a stack of tallies with their intervals.

    A number depends on its own tally alone: not on how many there are, nor on what else is asked.

    Parameters
    ----------
    statistics : {key: Statistic}
    tallies : Tallies
        S tallies of one classifier.
    level, seed
        Of the intervals, and of draws.
    stratified : bool
        Whether the shares of the true classes are known, not sampled: then only what the
        classifier does within each class varies.
    clusters : Clustered, optional
        The rows of a stack of one in their clusters, which are then drawn whole.

    Examples
    --------
    >>> from tallymark.infer.tallies import AtThresholds
    >>> from tallymark.metric import get
    >>> recall = Statistic.of(get("recall"), (0, 1))
    >>> counts = np.array([[[8.0, 2.0], [1.0, 9.0]], [[8.0, 2.0], [5.0, 5.0]]])
    >>> found = interval({"": recall}, AtThresholds((0, 1), (counts, None)))[""]
    >>> print(found.value(0), found.value(1))
    0.9000 [0.5958, 0.9821] 0.5000 [0.2366, 0.7634]

    """
    quantile(level)  # refuses what is no level
    sampler = Sampler(seed, stratified)
    decided = {k: s for k, s in statistics.items() if s.metric.needs in ("counts", "matrix")}
    scored = {k: s for k, s in statistics.items() if k not in decided}
    out: dict[str, Estimates] = {}
    if clusters is not None:
        out = _of_clusters(statistics, tallies, clusters, level)
    else:
        if decided:
            out |= _of_decisions(decided, tallies, sampler, level)
        if scored:
            out |= _of_scores(scored, tallies, sampler, level)
    for key, s in scored.items():
        out[key] = _with_brackets(out[key], s, tallies)
    return {key: out[key] for key in statistics}


def interval_of(
    statistic: Statistic, tally: LabelTally | Sequence[ScoreTally], **options: Any
) -> Value:
    """Return one statistic of one tally, of decisions or of scores, with its interval.

    >>> from tallymark.metric import get
    >>> t = LabelTally((0, 1), np.array([[8.0, 2.0], [1.0, 9.0]]))
    >>> print(interval_of(Statistic.of(get("recall"), t.labels), t))
    0.9000 [0.5958, 0.9821]
    """
    one = Single(tally) if isinstance(tally, LabelTally) else Single(None, tuple(tally))
    return interval({"": statistic}, one, **options)[""].value()


def _finished(
    s: Statistic,
    values: Floats,
    lows: Floats,
    highs: Floats,
    methods: Sequence[str | None],
    reasons: Sequence[str | None],
    level: float,
    cautions: Sequence[str | None] = (),
) -> Estimates:
    """Return estimates whose bounds hold the value, and are none where they say nothing."""
    least, most = s.metric.range_of(**s.params)
    with np.errstate(invalid="ignore"):
        low, high = np.maximum(lows, least), np.minimum(highs, most)
        width = high - low
        wide = width >= _HAIR * np.minimum(np.abs(low), np.abs(high))
        good = (low < high) & wide & ~np.isnan(values)
        endless = np.isinf(values) & ~(low < high)
    named = list(methods)
    for i in np.flatnonzero(~good).tolist():
        if reasons[i] is not None:
            named[i] = None
        elif endless[i]:
            named[i] = "no interval: the value is infinite"
        elif np.isnan(low[i]) or np.isnan(high[i]):
            named[i] = f"no interval: {methods[i]}"
        else:
            named[i] = f"no interval: {methods[i]}, every draw gives the same"
    # A percentile interval of a skewed statistic may miss the number it belongs to.
    low = np.where(good, np.minimum(low, values), np.nan)
    high = np.where(good, np.maximum(high, values), np.nan)
    kept = [c if good[i] else None for i, c in enumerate(cautions)]
    return Estimates(s, values, low, high, named, reasons, level, kept)


# -- decisions -------------------------------------------------------------------------------------


def _of_decisions(
    statistics: Mapping[str, Statistic], tallies: Tallies, sampler: Sampler, level: float
) -> dict[str, Estimates]:
    counts, squares = tallies.matrices
    out = {}
    for views, matrices, second, labels in _views(statistics, counts, squares, tallies.labels):
        case = _Decisions(views, matrices, second, labels, sampler, level)
        for key, (low, high, methods) in case.bounds().items():
            s = statistics[key]
            reasons = _reasons(s, case.values[key], counts, tallies.labels)
            made = _finished(s, case.values[key], low, high, methods, reasons, level)
            out[key] = _with_undefined(made, counts, tallies.labels)
    return out


def _views(
    statistics: Mapping[str, Statistic],
    counts: Floats,
    squares: Floats | None,
    labels: Sequence[Label],
) -> Iterator[tuple[dict[str, Statistic], Floats, Floats | None, Sequence[Label]]]:
    """Yield the statistics of each class against the rest as such, then those of all classes.

    The counts of a class against the rest are the same two by two, whatever they are cut from: so
    is then the interval.
    """
    alone: dict[Label | None, dict[str, Statistic]] = {}
    whole = {}
    for key, s in statistics.items():
        if s.average == "binary" or (s.average == "overall" and s.positive is not None):
            alone.setdefault(s.positive, {})[key] = s
        else:
            whole[key] = s
    for positive, some in alone.items():
        two = [None if v is None else _against_rest(v, labels, positive) for v in (counts, squares)]
        views = {k: Statistic(s.metric, "binary", True, s.params) for k, s in some.items()}
        assert two[0] is not None
        yield views, two[0], two[1], (False, True)
    if whole:
        yield whole, counts, squares, labels


def _against_rest(matrices: Floats, labels: Sequence[Label], positive: Label | None) -> Floats:
    """Return the matrices [S, 2, 2] of one class against the rest, the class last."""
    c = one_vs_rest(matrices)
    if positive is None or positive not in labels:  # it has no row: all are true negatives
        out = np.zeros((len(matrices), 2, 2))
        out[:, 0, 0] = matrices.sum((-2, -1))
        return out
    i = list(labels).index(positive)
    return np.asarray(Counts(c.tp[:, i], c.fp[:, i], c.fn[:, i], c.tn[:, i]).matrix())


@dataclass(frozen=True)
class _Decisions:
    """Statistics of matrices whose bounds are asked for."""

    statistics: Mapping[str, Statistic]
    counts: Floats
    squares: Floats | None
    labels: Sequence[Label]
    sampler: Sampler
    level: float

    @cached_property
    def values(self) -> dict[str, Floats]:
        """Each statistic of each matrix."""
        return {
            k: np.asarray(s.of_matrix(self.counts, self.labels)) for k, s in self.statistics.items()
        }

    def bounds(self) -> dict[str, tuple[Floats, Floats, list[str | None]]]:
        """Return low, high and method of each statistic, by what :func:`choose` says."""
        size = len(self.counts)
        out: dict[str, tuple[Floats, Floats, list[str | None]]] = {}
        drawn: dict[str, dict[str, NDArray[np.bool_]]] = {"bootstrap": {}, "posterior": {}}
        for key, s in self.statistics.items():
            methods = choose(s, self.labels, self.sampler.stratified)
            low, high = np.full(size, np.nan), np.full(size, np.nan)
            name = self._name(methods[0])
            if methods[0] == "wilson":
                low, high = self._wilson(s)
                name = "Wilson" + self._suffix
            else:
                settled = np.isnan(self.values[key])
                empty = _has_empty_cell(s, self.counts, self.labels)
                if methods[0] == "jackknife":
                    low, high = self._jackknife(s, self.values[key], empty)
                    settled |= np.isfinite(low)
                else:
                    drawn["bootstrap"][key] = ~settled & ~empty
                    settled |= ~empty
                drawn["posterior"][key] = ~settled
            out[key] = (low, high, [name] * size)
        flat = self._draw("bootstrap", drawn["bootstrap"], out)
        for key, again in flat.items():
            drawn["posterior"][key] |= again
        self._draw("posterior", drawn["posterior"], out)
        return out

    @property
    def _suffix(self) -> str:
        return "" if self.squares is None or self.sampler.stratified else WEIGHTED

    def _name(self, method: str) -> str:
        if method not in _NAMES:
            return method
        name = _NAMES[method][self.sampler.stratified]
        if method == "jackknife":
            return name + STUDENT + self._suffix
        return f"{name}, {draws_of(len(self.labels)):,} draws"

    def _wilson(self, s: Statistic) -> tuple[Floats, Floats]:
        part, whole = _proportion(s, self.counts, self.squares, self.labels)
        return wilson(part, whole, quantile(self.level))

    def _jackknife(
        self, s: Statistic, values: Floats, empty: NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        """Return bounds by the jackknife, NaN where the posterior tells more."""
        error, freedom = jackknife_matrices(
            s, self.counts, self.squares, self.labels, self.sampler.stratified
        )
        extent = s.metric.range_of(**s.params)
        low, high = scaled_all(values, error, reaches(self.level, freedom), extent)
        with np.errstate(invalid="ignore"):
            serves = (freedom >= FEW_FREEDOMS) & ~empty & (low < high)
        return np.where(serves, low, np.nan), np.where(serves, high, np.nan)

    def _draw(
        self,
        kind: Any,
        wanted: Mapping[str, NDArray[np.bool_]],
        out: dict[str, tuple[Floats, Floats, list[str | None]]],
    ) -> dict[str, NDArray[np.bool_]]:
        """Fill in percentiles of replicates; return where all replicates were the same."""
        keys = [k for k, mask in wanted.items() if mask.any()]
        if not keys:
            return {}
        used = np.flatnonzero(np.any([wanted[k] for k in keys], axis=0))
        squares = None if self.squares is None else self.squares[used]
        of = [_reader(self.statistics[k], self.labels) for k in keys]
        replicates = self.sampler.values(of, self.counts[used], squares, kind)
        flat = {}
        for key, values in zip(keys, replicates, strict=True):
            s, name = self.statistics[key], self._name(kind)
            mine = wanted[key][used]
            low, high = percentile_bounds(values[mine], self.level)
            if s.metric.error == "optimistic":
                point = self.values[key][used][mine]
                low, high = drawn_with_chance(low, high, values[mine].T, point)
                name += CHANCE
            lows, highs, methods = out[key]
            at = used[mine]
            lows[at], highs[at] = low, high
            for i in at.tolist():
                methods[i] = name + self._suffix
            flat[key] = np.zeros(len(self.counts), dtype=bool)
            flat[key][at] = low == high
        return flat


def _reader(s: Statistic, labels: Sequence[Label]) -> Any:
    return lambda drawn: s.of_matrix(drawn, labels)


def _proportion(
    s: Statistic, counts: Floats, squares: Floats | None, labels: Sequence[Label]
) -> tuple[Floats, Floats]:
    """Return hits and rows of a proportion, of weighted rows what they are worth."""
    assert s.metric.proportion is not None
    part, whole = s.metric.proportion(s.view(counts, labels))
    if squares is None:
        return np.asarray(part), np.asarray(whole)
    rows = worth(part, whole, *s.metric.proportion(s.view(squares, labels)))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(part / whole * rows), rows


def _has_empty_cell(s: Statistic, counts: Floats, labels: Sequence[Label]) -> NDArray[np.bool_]:
    """Tell where one of the four counts that the value rests on is zero.

    Of more than two classes many cells are empty and few of them matter: False.
    """
    if len(labels) != 2 or s.average not in ("overall", "binary"):
        return np.zeros(len(counts), dtype=bool)
    return np.asarray((counts == 0).any((-2, -1)))


def _reasons(
    s: Statistic, values: Floats, counts: Floats, labels: Sequence[Label]
) -> list[str | None]:
    """Say of every matrix why the value is undefined, None where it is not."""
    out: list[str | None] = [None] * len(values)
    undefined = np.flatnonzero(np.isnan(values))
    if not len(undefined):
        return out
    if s.average in ("overall", "binary", "micro"):
        messages = [""] * len(undefined)
        for words, case in s.metric.cases(s.view(counts[undefined], labels), **s.params).items():
            for at in np.flatnonzero(np.broadcast_to(case, undefined.shape)):
                messages[at] += f" and {words}" if messages[at] else words
        if all(messages):
            for row, words in zip(undefined.tolist(), messages, strict=True):
                out[row] = words
            return out
    for i in undefined.tolist():
        out[i] = s.told(LabelTally(tuple(labels), counts[i]))
    return out


def _with_undefined(made: Estimates, counts: Floats, labels: Sequence[Label]) -> Estimates:
    """Count the classes that an average left out."""
    s = made.statistic
    if not (s.skip_undefined and s.average in ("macro", "weighted")):
        return made
    missing = [len(s.reasons(LabelTally(tuple(labels), c))) for c in counts]
    made.__dict__["n_undefined"] = missing
    return made


# -- scores ----------------------------------------------------------------------------------------


def _of_scores(
    statistics: Mapping[str, Statistic], tallies: Tallies, sampler: Sampler, level: float
) -> dict[str, Estimates]:
    """Judge what one pass tells of all tallies, then the rest of each tally by itself."""
    size = len(tallies)
    batch = {k: s for k, s in statistics.items() if in_one_pass(s, sampler)}
    losses = [_row_loss(s) for s in batch.values() if _is_loss(s)]
    judged = tallies.areas(losses) if batch else None
    out: dict[str, Estimates] = {}
    left = {k: np.arange(size) for k in statistics}
    if judged is not None:
        for key, s in batch.items():
            values, low, high, methods, serves = _one_pass(s, judged, level)
            none: list[str | None] = [None] * size
            out[key] = _finished(s, values, low, high, methods, none, level)
            left[key] = np.flatnonzero(~serves)
    single: dict[str, dict[int, Value]] = {k: {} for k in statistics}
    for i in np.unique(np.concatenate(list(left.values()))).tolist():
        wanted = {k: s for k, s in statistics.items() if i in left[k]}
        one = _OneTally(tallies.scores(i), tallies.sums(i), sampler, level)
        for key, value in one.values(wanted).items():
            single[key][i] = value
    for key, s in statistics.items():
        if len(left[key]) == size:
            out[key] = Estimates.of(s, [single[key][i] for i in range(size)], level)
        else:
            out[key] = out[key].replaced(single[key])
    return {key: out[key] for key in statistics}


def _is_loss(s: Statistic) -> bool:
    return s.metric.row_loss is not None


def _row_loss(s: Statistic) -> str:
    """Return the name that the pass over sorted scores has for the loss of a row."""
    assert s.metric.row_loss is not None
    return ROW_LOSS[s.metric.row_loss.name]


def in_one_pass(s: Statistic, sampler: Sampler | None = None) -> bool:
    """Tell whether one pass over the sorted scores bounds a number of two classes."""
    if s.average not in ("binary", "overall"):
        return False
    return s.metric.roc_area is not None or (
        _is_loss(s) and not s.params and not (sampler and sampler.stratified)
    )


def _one_pass(
    s: Statistic, judged: Judged, level: float
) -> tuple[Floats, Floats, Floats, list[str | None], NDArray[np.bool_]]:
    """Return values, bounds and methods of what one pass tells, and where they serve.

    The ROC area gets DeLong's interval on the logit scale, a mean loss that of the jackknife. They
    do not serve where the value is undefined, few rows carry the error of a loss, or there are so
    many rows that neighbouring scores are taken together first.
    """
    rows = judged.positives + judged.negatives
    weighted = bool((judged.positives2 + judged.negatives2 != rows).any())
    of = s.metric.roc_area
    if of is not None:
        m, n = judged.positives**2, judged.negatives**2
        with np.errstate(all="ignore"):
            m, n = m / judged.positives2, n / judged.negatives2
        low, high, methods = area_bounds(judged.area, judged.variance, m, n, level)
        return of(judged.area), of(low), of(high), methods, ~np.isnan(judged.area)
    found = judged.losses[_row_loss(s)]
    extent = s.metric.range_of(**s.params)
    low, high = scaled_all(found.value, found.error, reaches(level, found.freedom), extent)
    with np.errstate(all="ignore"):
        serves = (low < high) & (found.freedom >= FEW_FREEDOMS)
        serves |= np.isinf(found.value)
        few = rows**2 / (judged.positives2 + judged.negatives2) <= _MOST_IN_ONE_PASS
    method = "jackknife" + STUDENT + (WEIGHTED if weighted else "")
    return found.value, low, high, [method] * len(low), serves & few


_MOST_IN_ONE_PASS = 1 << 16
"""Of more rows a loss is jackknifed on groups of neighbouring scores, as other numbers are."""


class _OneTally:
    """Numbers of the scores of one tally, and their bounds."""

    def __init__(
        self,
        tallies: Sequence[ScoreTally],
        sums: Sums | None,
        sampler: Sampler,
        level: float,
    ) -> None:
        self.tallies = tuple(tallies)
        self.sums = sums
        self.sampler = sampler
        self.level = level
        self.z = quantile(level)
        self._columns: dict[int, _OneColumn] = {}

    def values(self, statistics: Mapping[str, Statistic]) -> dict[str, Value]:
        """Return each statistic with its interval."""
        points = {k: s.point(self._read_by(s)) for k, s in statistics.items()}
        bounds: dict[str, Bounds | None] = {}
        of_columns: dict[int, dict[str, Statistic]] = {}
        for key, s in statistics.items():
            if points[key].reason:
                bounds[key] = None
            elif s.metric.needs == "rows":
                bounds[key] = self._of_rows(s, points[key].value)
            elif len(chosen := s.asked_for(self.tallies)) == 1:
                column = next(i for i, t in enumerate(self.tallies) if t is chosen[0])
                of_columns.setdefault(column, {})[key] = s
            else:
                bounds[key] = self._of_classes(s, points[key].value, chosen)
        for i, wanted in of_columns.items():
            bounds |= self._column(i).bounds(wanted, points)
        return {
            key: _value(s, points[key], bounds[key], self.level) for key, s in statistics.items()
        }

    def _read_by(self, s: Statistic) -> Any:
        return self.sums if s.metric.needs == "rows" and self.sums is not None else self.tallies

    def _column(self, i: int) -> _OneColumn:
        if i not in self._columns:
            self._columns[i] = _OneColumn(self.tallies[i], self.sampler, self.level)
        return self._columns[i]

    @property
    def _fixed(self) -> bool:
        return self.sampler.stratified

    def _of_classes(self, s: Statistic, value: float, chosen: Sequence[ScoreTally]) -> Bounds:
        """Return the interval of a number of several columns of scores."""
        of, how = s.metric.averages or ("", "")
        if how == "pairs":
            error = hand_till_error(chosen)
            method = "DeLong's standard errors of the pairs" + CONSERVATIVE
            return Bounds(value - self.z * error, value + self.z * error, method)
        if s.metric.needs == "probabilities":
            return self._of_sums(s, value) or Bounds(
                math.nan, math.nan, "the columns of a row are tallied apart"
            )
        if of:
            s = Statistic(get(of), how)
        if s.average not in ("macro", "weighted"):
            return Bounds(math.nan, math.nan, "a ranking of all classes together repeats every row")
        support = np.array([float(t.score_counts.positives) for t in chosen])
        weights = np.ones_like(support) if s.average == "macro" else support
        errors = [self._column(self.tallies.index(t)).error(s) for t in chosen]
        error = float((weights * errors).sum() / weights.sum())
        low, high = scaled(value, error, self.z, s.metric.range_of(**s.params))
        kind = "bootstrap standard errors" if s.metric.error == "quantile" else "jackknife errors"
        suffix = "" if chosen[0].sum_squared_weights is None or self._fixed else WEIGHTED
        return Bounds(low, high, kind + CONSERVATIVE + suffix)

    def _of_rows(self, s: Statistic, value: float) -> Bounds:
        """Return the normal interval of a mean over rows; its metric is linear in the means."""
        assert self.sums is not None
        params = {**s.metric.params, **s.params}
        # What is added whatever the rows are, as by the top k of k classes, does not vary.
        errors = self.sums.errors(stratified=self._fixed)
        fixed = float(s.metric.function(errors.scaled(0.0), **params))
        error = float(s.metric.function(errors, **params)) - fixed
        method = "normal, mean over rows" + self._of_each
        return Bounds(value - self.z * error, value + self.z * error, method)

    def _of_sums(self, s: Statistic, value: float) -> Bounds | None:
        """Return the normal interval of a mean of row losses, or of the root of one."""
        if self.sums is None or s.metric.name not in self.sums.names or s.params:
            return None
        mean, error = self.sums.mean(s.metric.name, stratified=self._fixed)
        method = "normal, mean of row losses" + self._of_each
        if s.metric.row_loss is not None and s.metric.row_loss.outer is not None:
            low, high = max(mean - self.z * error, 0.0), mean + self.z * error
            return Bounds(float(s.metric.row_loss(low)), float(s.metric.row_loss(high)), method)
        return Bounds(value - self.z * error, value + self.z * error, method)

    @property
    def _of_each(self) -> str:
        return " of each class" if self._fixed else ""


class _OneColumn:
    """Numbers of one class's scores against the rest, and their bounds."""

    def __init__(self, tally: ScoreTally, sampler: Sampler, level: float) -> None:
        self.tally = tally
        self.sampler = sampler
        self.level = level
        self.replicates = Replicates(tally, sampler)
        plain = tally.sum_squared_weights is None or sampler.stratified
        self.suffix = "" if plain else WEIGHTED

    def error(self, s: Statistic) -> float:
        """Return a standard error of one class's number."""
        return self.replicates.error(s)

    def bounds(
        self, statistics: Mapping[str, Statistic], points: Mapping[str, Value]
    ) -> dict[str, Bounds | None]:
        """Return the bounds of each statistic, on several cores where there are many scores."""
        found: dict[str, Bounds | None] = {}
        judged = self._judged([s for s in statistics.values() if in_one_pass(s, self.sampler)])
        rest = []
        for key, s in statistics.items():
            if s.metric.roc_area is not None:
                found[key] = self._area(s)
            elif judged is not None and in_one_pass(s, self.sampler):
                _, low, high, methods, serves = _one_pass(s, judged, self.level)
                if serves[0]:
                    found[key] = Bounds(float(low[0]), float(high[0]), str(methods[0]))
            if key not in found:
                rest.append(key)
        threads = self.replicates.ready([statistics[key] for key in rest])

        def judge(i: int) -> None:
            made[rest[i]] = self._bounds(statistics[rest[i]], points[rest[i]].value)

        made: dict[str, Bounds | None] = {}
        side_by_side(judge, len(rest), threads)
        return found | made

    def _area(self, s: Statistic) -> Bounds:
        of = s.metric.roc_area
        assert of is not None
        low, high, methods = self._area_bounds
        return Bounds(float(of(low[0])), float(of(high[0])), str(methods[0]))

    @cached_property
    def _area_bounds(self) -> tuple[Floats, Floats, list[str | None]]:
        r, squares = self.tally.score_counts, self.tally.squared_score_counts
        area, variance = map(np.atleast_1d, auc_variance(self.tally))
        m, n = float(r.positives), float(r.negatives)
        if squares is not None:
            m, n = m**2 / float(squares.positives), n**2 / float(squares.negatives)
        return area_bounds(area, variance, np.array([m]), np.array([n]), self.level)

    def _judged(self, statistics: Sequence[Statistic]) -> Judged | None:
        """Return the mean losses asked for, from the pass that tells those of many tallies."""
        losses = [_row_loss(s) for s in statistics if _is_loss(s)]
        if not losses or self.tally.rows > _MOST_IN_ONE_PASS or self.tally.bins is not None:
            return None
        r, squares = self.tally.score_counts, self.tally.squared_score_counts
        second = None if squares is None else np.stack([squares.neg, squares.pos], 1)
        one = RaggedScores(
            np.zeros(len(r.scores), np.intp), r.scores, np.stack([r.neg, r.pos], 1), second
        )
        return one.judged(1, 1, losses)

    def _bounds(self, s: Statistic, value: float) -> Bounds:
        """Return the interval of a number by how chance moves it."""
        if math.isinf(value):
            return Bounds(value, value, "")
        extent = s.metric.range_of(**s.params)
        if s.metric.error != "quantile":
            left = leave_out(s, self.tally, self.sampler.stratified)
            reach = left.reach(self.level)
            low, high = scaled(value, left.error, reach, extent)
            if low < high:
                return self._jackknifed(s, value, left, (low, high), reach * left.error)
        values = self.replicates.posterior(s, value)
        lows, highs = percentile_bounds(values, self.level)
        method = _NAMES["posterior"][self.sampler.stratified]
        return Bounds(
            float(lows), float(highs), f"{method}, {values.shape[-1]:,} draws{self.suffix}"
        )

    def _jackknifed(
        self, s: Statistic, value: float, left: Jackknife, bounds: tuple[float, float], half: float
    ) -> Bounds:
        """Return the jackknife's bounds, widened for optimism and for few rows."""
        (low, high), method = bounds, "jackknife" + STUDENT
        if s.metric.error != "smooth":
            low, high = with_chance((low, high), value, self.replicates.bias(s, left), half)
            method += CHANCE
        if s.metric.error == "null_at_zero" and self.replicates.is_calibrated(s, value, self.level):
            low = s.metric.range_of(**s.params)[0]
        warning = None
        if left.freedom < FEW_FREEDOMS:
            warning = "few rows carry most of what moves it"
            # What few rows do not show, the posterior does not take for impossible.
            drawn = percentile_bounds(self.replicates.posterior(s, value), self.level)
            if np.isfinite(drawn).all():
                low, high = min(low, float(drawn[0])), max(high, float(drawn[1]))
                method += " and Dirichlet posterior"
        return Bounds(low, high, method + self.suffix, warning)


def _value(s: Statistic, point: Value, bounds: Bounds | None, level: float) -> Value:
    """Return a value with its bounds; :func:`_finished` of one."""
    if bounds is None:
        return point
    low, high, method, warning = Bounds(*bounds)
    value, lows, highs = (np.atleast_1d(float(v)) for v in (point.value, low, high))
    made = _finished(s, value, lows, highs, [method], [point.reason], level, [warning]).value()
    return replace(
        point, low=made.low, high=made.high, level=made.level, method=made.method,
        warning=made.warning,
    )  # fmt: skip


def _with_brackets(made: Estimates, s: Statistic, tallies: Tallies) -> Estimates:
    """Widen the intervals of scores in bins by what the bins leave open."""
    if s.metric.needs == "rows" and tallies.sums(0) is not None:
        return made
    values = {}
    for i in range(len(tallies)) if _in_bins(tallies) else ():
        values[i] = with_binning_bounds(made.value(i), s, tallies.scores(i))
    return made.replaced(values)


def _in_bins(tallies: Tallies) -> bool:
    return bool(len(tallies)) and any(t.bins is not None for t in tallies.scores(0))


def _of_clusters(
    statistics: Mapping[str, Statistic], tallies: Tallies, clusters: Clustered, level: float
) -> dict[str, Estimates]:
    """Return estimates of a stack of one whose rows come in clusters."""
    columns, sums = tallies.scores(0), tallies.sums(0)
    labels = LabelTally(tallies.labels, tallies.matrices[0][0])
    out = {}
    for key, s in statistics.items():
        decided = s.metric.needs in ("counts", "matrix")
        read: Any = labels if decided else columns
        if s.metric.needs == "rows" and sums is not None:
            read = sums
        point = s.point(read)
        bounds = None
        if not point.reason:
            of_class = s.average == "binary" and len(labels.labels) > 2
            rows = clusters
            if of_class:
                assert s.positive is not None
                rows = clusters.of_class(s.positive)
            bounds = Bounds(*rows.bound(s, point.value, level))
        out[key] = Estimates.of(s, [_value(s, point, bounds, level)], level)
    return out
