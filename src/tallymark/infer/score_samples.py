"""Define samples of scores for the interval methods.

:class:`Column` holds one column of scores, :class:`OnePass` the areas and losses of many tallies
from one pass over their scores, and :class:`Columns` several columns of the same rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError
from tallymark.infer.delong import area_slopes, auc_variance
from tallymark.infer.influence import of_rows, within_classes
from tallymark.infer.sampler import (
    DRAWS,
    MOST_COLUMNS_KEPT,
    BlockReplicates,
    Null,
    Sampler,
    moments,
)
from tallymark.infer.samples import (
    FEW_FREEDOMS,
    Area,
    Case,
    Draw,
    Jackknife,
    Neighbours,
    Parts,
    Sample,
    StandardError,
    rows_of,
)
from tallymark.metric.measure import Statistic, Value, as_average, over_pairs
from tallymark.metric.proportion import effective_hits, wilson
from tallymark.reading.models import Model
from tallymark.tally.arrays import Floats
from tallymark.tally.joint import PairedPredictions, places
from tallymark.tally.labels import LabelTally
from tallymark.tally.role_tally import RoleTally
from tallymark.tally.scores import ScoreCounts, ScoreTally
from tallymark.tally.subgroups import Judged, RaggedScores
from tallymark.tally.sums import Sums
from tallymark.tally.threads import side_by_side, threads_for

Scored = ScoreTally | RoleTally
"""The scores of one class against the rest, without or with a number per row."""

ROW_LOSS = {
    "brier": "squared",
    "mean_absolute_error": "absolute",
    "root_mean_squared_error": "root_squared",
    "log_loss": "log",
}
"""Row losses, mapped to their names in the pass over sorted scores."""

GROUPS = 400
"""Number of score bins of the jackknife; the rows of one bin are interchangeable."""

_QUANTILES = 100
_ENDS = 0.03
"""With very many scores, the delete-one jackknife merges bins in the middle of each class until
each holds about 1 % of the rows, and keeps single bins at both ends, where rows matter most."""

_AT_ONCE = 160
"""Replicates evaluated in one batch: few enough for the processor cache."""


MOST_IN_ONE_PASS = 1 << 16
"""With more rows, a loss is jackknifed on binned scores, like other metrics."""


def _loss_of(s: Statistic) -> str:
    assert s.metric._sampling.row_loss is not None
    return ROW_LOSS[s.metric._sampling.row_loss.name]


def in_one_pass(s: Statistic, sampler: Sampler | None = None) -> bool:
    """Return whether one pass over the sorted scores gives the interval of a statistic."""
    if s.average not in ("binary", "overall"):
        return False
    known_shares = sampler is not None and sampler.stratified
    loss = s.metric._sampling.row_loss is not None and not s.params and not known_shares
    return s.metric._roc_area is not None or loss


def of_one_pass(statistics: Mapping[str, Statistic], sampler: Sampler) -> dict[str, Statistic]:
    """Return those of the statistics whose interval comes from one pass over the scores."""
    return {key: s for key, s in statistics.items() if in_one_pass(s, sampler)}


def losses_of(statistics: Iterable[Statistic]) -> list[str]:
    """Return the losses that the pass over the scores must sum for these statistics."""
    return [_loss_of(s) for s in statistics if s.metric._sampling.row_loss is not None]


class OnePass(Sample):
    """Areas and mean losses of many tallies, from one pass over the sorted scores."""

    one_column = True

    def __init__(self, judged: Judged, sampler: Sampler) -> None:
        self.judged, self.sampler = judged, sampler
        rows, squares = judged.positives + judged.negatives, judged.positives2 + judged.negatives2
        self.weighted = bool((squares != rows).any())
        with np.errstate(all="ignore"):
            self.few = rows**2 / squares <= MOST_IN_ONE_PASS

    def values(self, s: Statistic) -> Floats:
        """Return the values of all tallies."""
        of = s.metric._roc_area
        return self.judged.losses[_loss_of(s)].value if of is None else of(self.judged.area)

    @cached_property
    def area(self) -> Area:
        """The ROC areas."""
        j = self.judged
        with np.errstate(all="ignore"):
            rows = j.positives**2 / j.positives2, j.negatives**2 / j.negatives2
        return Area.of(j.area, j.variance, *rows)

    def standard_error(self, s: Statistic) -> StandardError:
        """Return the standard errors of a mean loss; NaN where one pass cannot give them.

        That is the case if a few rows carry most of the error, or if there are too many rows.
        """
        loss = self.judged.losses[_loss_of(s)]
        with np.errstate(invalid="ignore"):
            reliable = (loss.freedom >= FEW_FREEDOMS) & self.few
        error = np.where(reliable, loss.error, np.nan)
        return StandardError(error, loss.freedom, np.zeros(len(error)))

    def replicates(self, cases: Sequence[Case], draw: Draw) -> Sequence[Floats]:
        """Raise InputError: one pass keeps no cells to draw from; use each tally's scores."""
        raise InputError("one pass over the scores draws no replicates; ask for one tally")


_AROUND_THRESHOLDS = 32
"""Bins for scores far from a threshold, if only that threshold decides the metric."""


def grid_of(s: Statistic, tally: Scored) -> Scored:
    """Return the score bins on which a statistic is resampled.

    A metric that is read at a threshold would take only a few values on equal-frequency bins,
    however many rows there are, so its bins are fine near that threshold.
    """
    if s.metric._sampling.ordered_mean is not None:
        return _detailed_at_ends(tally)
    if (
        s.metric._sampling.error != "quantile"
        or tally._coarse() is tally
        or not tally._neighbours_alike
    ):
        return tally._coarse()
    place = s.operating_point(tally._score_counts)
    if place is None:
        return tally._coarse()
    return tally._coarse(_AROUND_THRESHOLDS, around=(place,), lowest=True)


def _detailed_at_ends(tally: Scored) -> Scored:
    """Return score bins for a metric in which the first rows by confidence weigh most.

    Beside bins of equal shares, they are fine at both ends: few rows there, more further on.
    """
    size = len(tally.scores)
    places = [1 << k for k in range(size.bit_length() - 1)]
    return tally._coarse(GROUPS, around=(0, *places, *(size - p for p in places)))


_BIAS_DRAWS = 100

_FIRST_DRAWS = 100
_CERTAIN = 4.0
"""If the first draws are this many standard errors from the cutoff, the rest are skipped."""

_CELLS_AT_ONCE = 1 << 16

INDEPENDENT: Mapping[Null, float] = {"calibrated": 1.0, "no skill": 1.0}
"""The design effects of independent rows on the values under a null hypothesis."""


class Column(Sample):
    """The scores of one class against the rest; replicates are drawn on first use.

    Replicates are of binned scores, recentred at the exact value.
    """

    one_column = True

    def __init__(
        self,
        tally: Scored,
        sampler: Sampler,
        draws: int | None = None,
        design_effects: Mapping[Null, float] = INDEPENDENT,
    ) -> None:
        # A RoleTally has the attributes that metrics of its role read from a ScoreTally.
        self.tally: ScoreTally = tally  # type: ignore[assignment]
        self.sampler = sampler
        self.draws = DRAWS if draws is None else draws
        self.weighted = tally.sum_squared_weights is not None
        self._grids: dict[Any, Scored] = {}
        self._jackknives: dict[Any, Jackknife] = {}
        self._draws_cache: dict[tuple[str, int, int], list[ScoreCounts]] = {}
        self.design_effects = design_effects
        self._null_draws: dict[tuple[Null, str, int], list[ScoreCounts]] = {}

    def prepare(self, statistics: Sequence[Statistic]) -> int:
        """Precompute in parallel what the statistics share; return how many threads to use."""
        errors = {s.metric._sampling.error for s in statistics}
        threads = threads_for(min(len(self.tally.scores), 800) * DRAWS)
        if threads < 2 or len(errors) < 2:
            return 1
        self.tally._coarse()
        quantiles = [s for s in statistics if s.metric._sampling.error == "quantile"]
        side_by_side(lambda i: self._grid(quantiles[i]), len(quantiles), threads)
        grids = {id(grid): grid for grid in map(self._grid, quantiles)}.values()
        tasks: list[Callable[[], object]] = [partial(self._blocks, "posterior", g) for g in grids]
        few = self.tally._coarse(GROUPS)
        tasks.append(lambda: delete_one(few, each=few is self.tally))
        if errors & {"optimistic", "fitted"}:
            tasks.append(self._for_bias)
        for error in errors & {*NULLS}:
            s = next(s for s in statistics if s.metric._sampling.error == error)
            tasks.append(partial(self.null_values, s, 0.0, "first", _FIRST_DRAWS))
        side_by_side(lambda i: tasks[i](), len(tasks), threads)
        return threads

    def _grid(self, s: Statistic) -> Scored:
        key = _of_metric(s)
        if key not in self._grids:
            self._grids[key] = grid_of(s, self.tally)
        return self._grids[key]

    def _blocks(self, draw: Draw, grid: Scored, draws: int | None = None) -> list[ScoreCounts]:
        """Return replicates of binned scores, cached."""
        draws = self.draws if draws is None else draws
        key = (draw, id(grid), draws)
        if key not in self._draws_cache:
            sampler, kind = self._sampler_for(draw)
            self._draws_cache[key] = _in_cache(sampler.scores(grid, kind, draws))
        return self._draws_cache[key]

    def replicates(self, cases: Sequence[Case], draw: Draw) -> Sequence[Floats]:
        """Return the values over replicates of the bins, recentred at the exact values."""
        return [self._replicates(c.statistic, draw, float(c.values[0]))[None] for c in cases]

    def _replicates(self, s: Statistic, draw: Draw, value: float) -> Floats:
        grid = self._grid(s)
        return _values(s, self._blocks(draw, grid)) + (value - _exact(s, grid))

    def proportion(self, s: Statistic) -> tuple[Floats, Floats]:
        """Return successes and rows of the underlying proportion; effective rows if weighted."""
        assert s.metric._sampling.of_proportion is not None
        counts, squares = s.metric._sampling.of_proportion.counts, self.tally._squared_score_counts
        hits, rows = effective_hits(counts, self.tally._score_counts, squares)
        return np.atleast_1d(hits), np.atleast_1d(rows)

    @cached_property
    def area(self) -> Area:
        """The ROC area."""
        return Area.of(*auc_variance(self.tally), *self.effective_rows)

    @property
    def effective_rows(self) -> Floats:
        """The rows of the positive class and of the others; effective numbers if weighted."""
        r, squares = self.tally._score_counts, self.tally._squared_score_counts
        rows = np.array([r.positives, r.negatives], dtype=float)
        if squares is not None:
            with np.errstate(invalid="ignore"):
                rows = rows**2 / np.array([squares.positives, squares.negatives])
        return rows

    # -- standard errors -----------------------------------------------------------------------

    @cached_property
    def _one_pass(self) -> OnePass | None:
        """The mean losses, from the same pass as for many tallies."""
        if self.tally.rows > MOST_IN_ONE_PASS or self.tally.bins is not None:
            return None
        r, squares = self.tally._score_counts, self.tally._squared_score_counts
        second = None if squares is None else np.stack([squares.neg, squares.pos], 1)
        counts = np.stack([r.neg, r.pos], 1)
        lines = RaggedScores(np.zeros(len(r.scores), np.intp), r.scores, counts, second)
        return OnePass(lines.judged(1, 1, list(ROW_LOSS.values())), self.sampler)

    def jackknife(self, s: Statistic) -> Jackknife:
        """Return the jackknife values without one row of each bin."""
        key = _of_metric(s)
        if key not in self._jackknives:
            self._jackknives[key] = jackknife(s, self.tally, self.sampler.stratified)
        return self._jackknives[key]

    def standard_error(self, s: Statistic) -> StandardError | None:
        """Return the standard error of a mean loss from one pass over the scores, None without."""
        if (
            s.metric._sampling.row_loss is None
            or not in_one_pass(s, self.sampler)
            or not self._one_pass
        ):
            return None
        estimate = self._one_pass.standard_error(s)
        return estimate if np.isfinite(estimate.error).all() else None

    def slopes(self, s: Statistic) -> tuple[Floats, Floats]:
        """Return the influence of a row at each group of scores: of positives, of negatives.

        Per unit of weight, when the row is removed.
        """
        few = self.tally._coarse(GROUPS)
        if s.metric._roc_area is None:
            return self.jackknife(s).slopes(few.scores)
        pos, neg = area_slopes(few)
        return s.metric._roc_area.slope * pos[..., 0, :], s.metric._roc_area.slope * neg[..., 0, :]

    def error(self, s: Statistic) -> float:
        """Return a standard error: for quantiles from the bootstrap, else from the jackknife."""
        if s.metric._sampling.error != "quantile":
            return float(self.jackknife(s).error)
        return float(moments(_values(s, self._blocks("bootstrap", self._grid(s))))[1])

    # -- bias ----------------------------------------------------------------------------------

    def _for_bias(self) -> list[ScoreCounts]:
        return self._blocks("bootstrap", self.tally._coarse(), _BIAS_DRAWS)

    def bias(self, s: Statistic, without: Jackknife) -> float:
        """Return the bootstrap estimate of bias: the mean over resamples minus the value.

        The first-order term of each resample, known from the jackknife, has mean 0; subtracting it
        from each draw removes most of the noise (Efron 1990).
        """
        grid, replicates = self.tally._coarse()._score_counts, self._for_bias()
        pos, neg = without.slopes(grid.scores)
        first = [(b.pos - grid.pos) @ pos + (b.neg - grid.neg) @ neg for b in replicates]
        with np.errstate(invalid="ignore"):
            moved = _values(s, replicates) - np.concatenate(first)
        return float(moments(moved)[0]) - _exact(s, self.tally._coarse())

    def null_values(self, s: Statistic, value: float, purpose: str, draws: int) -> Floats:
        """Return the values of a statistic over draws of its null hypothesis.

        They are recentred as replicates are, since the scores are binned.
        """
        null, few = NULLS[s.metric._sampling.error], self.tally._coarse()
        key = (null, purpose, draws)
        if key not in self._null_draws:
            drawn = self.sampler.of_null(few, null, draws, purpose, self.design_effects[null])
            self._null_draws[key] = _in_cache(drawn)
        return _values(s, self._null_draws[key]) + (value - _exact(s, few))

    def is_null(self, s: Statistic, value: float, level: float) -> bool:
        """Return whether the null hypothesis often gives a value this far from it."""
        return is_null(s, value, level, lambda *of: [self.null_values(s, value, *of)])

    def of_average(self, s: Statistic, fact: Fact) -> Any:
        """Return what the interval of an average of a statistic over columns needs of this one."""
        if fact == "value":
            return _exact(s, self.tally)
        if fact == "slopes":
            return self.slopes(s)
        if fact == "error":
            return self.error(s)
        if fact == "bias":
            return self.bias(s, self.jackknife(s))
        return self.null_values(s, _exact(s, self.tally), fact, NULL_DRAWS[fact])


Fact = Literal["value", "slopes", "error", "bias", "first", "more"]
"""What an average needs of a column: its value, the influence of rows on it, its standard error and
bias, and first and further values under the null hypothesis."""

NULL_DRAWS: Mapping[str, int] = {"first": _FIRST_DRAWS, "more": DRAWS - _FIRST_DRAWS}


def _of_metric(s: Statistic) -> Any:
    """Return a cache key: the metric and its parameters."""
    return (s.metric.name, *sorted(s.params.items()))


NULLS: dict[str, Null] = {"null_at_zero": "calibrated", "fitted": "no skill"}
"""The hypotheses under which a distance from it is above 0 by chance, by the kind of error."""


def null_end(s: Statistic) -> Literal[0, 1]:
    """Return which end of a metric's range is its null value: 0, the lower, or 1, the upper."""
    return 1 if s.metric._sampling.error == "fitted" and s.metric.better == "low" else 0


def is_null(
    s: Statistic,
    value: float,
    level: float,
    values_of: Callable[[str, int], Sequence[Floats]],
    support: Sequence[float] | None = None,
) -> bool:
    """Return whether the null hypothesis often gives a value as far from it as the one observed.

    ``values_of`` returns the values under the hypothesis of each column, for a purpose and a number
    of draws; ``support`` are the weights of the columns, equal by default. An average over several
    columns assumes that they are fully correlated: their largest values occur together. The first
    draws decide if many of them are as far, or if the value is so many of their standard deviations
    away that no distribution has such a tail (Cantelli).
    """
    tail, sign = (1 - level) / 2, -1 if null_end(s) else 1

    def drawn(purpose: str) -> Floats:
        each = [sign * values for values in values_of(purpose, NULL_DRAWS[purpose])]
        if len(each) == 1:
            return each[0]
        return np.asarray(np.average(np.sort(each, axis=-1), axis=0, weights=support))

    some, value_of = drawn("first"), sign * value
    if wilson((some >= value_of).sum(), len(some), _CERTAIN)[0] > tail:
        return True
    if value_of > some.mean() + 2 * math.sqrt(1 / tail - 1) * some.std():
        return False
    every = np.concatenate([some, drawn("more")])
    return float((every >= value_of).mean()) > tail


def _in_cache(replicates: Iterable[ScoreCounts]) -> list[ScoreCounts]:
    """Return replicates in batches small enough for the processor cache."""
    out = []
    for r in replicates:
        some = max(1, _CELLS_AT_ONCE // max(len(r.scores), 1))
        for i in range(0, len(r.pos), some):
            out.append(r._with_counts(r.pos[i : i + some], r.neg[i : i + some]))
    return out


def _values(s: Statistic, blocks: Sequence[ScoreCounts]) -> Floats:
    return np.concatenate(s.of_blocks(blocks))


def _exact(s: Statistic, grid: Scored) -> float:
    """Return the metric on the original bins, the centre of the replicates."""
    return float(s.of_score_counts([grid._score_counts]))


class Rows(NamedTuple):
    """The rows of one model, with the model."""

    joint: PairedPredictions
    model: Model


class Columns(Sample):
    """Scores of several classes on the same rows, one column per class, and sums over rows.

    If ``rows`` were kept, averages over classes are jackknifed row by row and resampled by whole
    rows. Otherwise each column was counted separately.
    """

    averages: tuple[str, ...] = ("macro", "weighted")
    """The averages over columns that have a row-by-row jackknife."""
    part = "class"
    judged_together = True
    """Whether the probabilities of a row are of mutually exclusive classes."""

    def __init__(
        self,
        tallies: Sequence[ScoreTally],
        sums: Sums | None,
        sampler: Sampler,
        rows: Rows | None = None,
        draws: int | None = None,
        of_roles: Mapping[str, RoleTally] | None = None,
    ) -> None:
        self.tallies, self.sums, self.sampler, self.rows = tallies, sums, sampler, rows
        self.of_roles = of_roles or {}
        self.draws = DRAWS if draws is None else draws
        self.weighted = bool(tallies) and tallies[0].sum_squared_weights is not None
        self._columns: dict[int, Column] = {}
        self._draws_cache: dict[bool, BlockReplicates] = {}
        self._cells: dict[int, NDArray[np.int32]] = {}
        self._requested: list[Statistic] = []
        self._facts: dict[Any, list[Any]] = {}
        self._support: dict[int, float] = {}

    def refusal(self, s: Statistic) -> str | None:
        """Return why a statistic has no replicates here, None if it has."""
        if s.metric._needs == "rows":
            return "it needs whole rows of scores, which a tally does not resample"
        if s.average == "micro":
            return "a ranking of all classes together repeats every row"
        return "the columns of a row were counted separately" if self.rows is None else None

    def cannot_draw(self, s: Statistic, draw: Draw) -> str | None:
        """Return why a statistic has no replicates of a kind; only whole rows can be drawn."""
        if draw not in ("bootstrap", "stratified"):
            return "it uses the scores of one class, and here a row has one for each"
        if self._resampled(self._sampler_for(draw)[0]).holds(0, s):
            return None
        return f"whole rows of {len(self.tallies)} columns of scores are not resampled for it"

    def read_by(self, s: Statistic) -> Sequence[Any]:
        """Return the tallies that a score statistic reads."""
        of_role = self.of_roles.get(s.metric._role)
        return self.tallies if of_role is None else (of_role,)

    def points(
        self, statistics: Iterable[Statistic], draws: int | None = None
    ) -> list[tuple[Value, Sample]]:
        """Return the value of each statistic without an interval, with its sample."""
        out: list[tuple[Value, Sample]] = []
        self._requested = list(statistics)
        for s in self._requested:
            of_rows, one = s.metric._needs == "rows", self.read_by(s)
            read: Any = self.sums if of_rows and self.sums is not None else one
            chosen = () if of_rows else s.of_requested_classes(one)
            sample = self.column(chosen[0], draws) if len(chosen) == 1 else self
            if len(chosen) > 1 and self._facts_of(s):
                out.append((self._point_of_average(s), sample))
            elif len(chosen) > 1 and s.metric._needs == "probabilities":  # read at once, not kept
                out.append((s.point([t._without_cache() for t in one]), sample))
            else:
                out.append((s.point(read), sample))
        return out

    def _point_of_average(self, s: Statistic) -> Value:
        """Return the value of an average over classes, computed class by class."""
        of_class = np.array(self.of_each_class(s, "value"))
        if np.isnan(of_class).any():  # which may need reasons
            return s.point(self.tallies)
        value = float(s._average(of_class, np.array(self.support(s))))
        return Value(s.metric.name, value, definition=s.describe())

    def column(self, tally: Scored, draws: int | None = None) -> Column:
        """Return one of the columns."""
        return self._columns.setdefault(id(tally), Column(tally, self.sampler, draws))

    def of_each_class(self, s: Statistic, fact: Fact) -> list[Any]:
        """Return what the interval of an average needs of each of its classes.

        All that the requested averages need of one class is computed before the next class, so
        that only one class per thread holds replicates.
        """
        s, key = as_average(s), self._of_fact(as_average(s), fact)
        if key not in self._facts:
            asked, read = {key: (s, fact)}, self.read_by(s)
            for other in map(as_average, self._requested):
                for f in self._facts_of(other, first=fact):
                    if [*map(id, self.read_by(other))] == [*map(id, read)]:
                        asked[self._of_fact(other, f)] = other, f
            new = {key: of for key, of in asked.items() if key not in self._facts}
            chosen = {
                key: {*map(id, of.of_requested_classes(read))} for key, (of, _) in new.items()
            }
            facts: list[dict[Any, Any]] = [{} for _ in read]

            def measure(i: int) -> None:
                column_for = self._column_for(read[i], len(read))
                for key_of, (of, f) in new.items():
                    if id(read[i]) in chosen[key_of]:
                        # The average of one class is the same by any weights, but for rounding.
                        one = replace(of, average="macro") if of.average == "weighted" else of
                        facts[i][key_of] = column_for(one, f).of_average(one, f)

            side_by_side(measure, len(read), threads_for(sum(len(t.scores) for t in read)))
            for key_of in new:
                self._facts[key_of] = [of[key_of] for of in facts if key_of in of]
        return self._facts[key]

    def _column_for(self, tally: ScoreTally, columns: int) -> Callable[[Statistic, Fact], Column]:
        """Return which column a statistic of one of several tallies is measured on."""
        column = Column(tally._without_cache(), self.sampler)
        return lambda s, fact: column

    def _of_fact(self, s: Statistic, fact: Fact) -> Any:
        """Return a key that is equal for averages that need the same of each class."""
        return (fact, s.classes, s.average == "micro", *_of_metric(s))

    def _facts_of(self, s: Statistic, first: Fact = "value") -> Sequence[Fact]:
        """Return what an average will need of each class after one fact, nothing for others.

        Values are needed first, and slopes only by a jackknife over rows, which asks for them.
        """
        if s.average not in ("macro", "weighted") or s.metric.wanted == "decisions":
            return ()
        if first == "value":
            return ("value",)
        error = s.metric._sampling.error
        if error in NULLS:
            return ("error", "bias", "first")
        if self.refusal(s) is not None or error not in ("smooth", "optimistic"):
            return ("error",)
        slopes: Sequence[Fact] = ("slopes",) if first == "slopes" else ()
        return slopes if error == "smooth" else (*slopes, "bias", "error")

    @cached_property
    def errors(self) -> Sums | None:
        """Sums whose averages are the standard errors of means over rows."""
        fixed = self.sampler.stratified
        return None if self.sums is None else self.sums._errors(stratified=fixed)

    def rows_of_rarest(self, s: Statistic) -> float:
        """Return the effective number of rows of the rarest class."""
        return self._fewest_rows

    @cached_property
    def _fewest_rows(self) -> float:
        columns = (Column(t._without_cache(), self.sampler) for t in self.tallies)
        return min(float(column.effective_rows[0]) for column in columns)

    @property
    def effective_rows(self) -> float:
        """The number of rows of a mean over rows; the effective number if weighted."""
        assert self.sums is not None
        return self.sums.weight**2 / float(self.sums.sum_squared_weights.sum())

    # -- whole rows ----------------------------------------------------------------------------

    def _resampled(self, sampler: Sampler) -> BlockReplicates:
        assert self.rows is not None
        if sampler.stratified not in self._draws_cache:
            joint, model = self.rows
            replicates = BlockReplicates(joint, [model], sampler, draws=self.draws)
            self._draws_cache[sampler.stratified] = replicates
        return self._draws_cache[sampler.stratified]

    def replicates(self, cases: Sequence[Case], draw: Draw) -> Sequence[Floats]:
        """Return the values over draws of whole rows, recentred at the exact values."""
        r, out = self._resampled(self._sampler_for(draw)[0]), []
        statistics = [case.statistic for case in cases]
        if len(self.tallies) > MOST_COLUMNS_KEPT and not any(map(over_pairs, statistics)):
            drawn: Iterable[Any] = r.averages(0, statistics)
        else:
            drawn = (r.values(0, s) for s in statistics)
        for case, both in zip(cases, drawn, strict=True):
            assert both is not None
            with np.errstate(invalid="ignore"):
                out.append(np.asarray(both[0] + (case.values[0] - both[1]))[None])
        return out

    def jackknife(self, s: Statistic) -> Jackknife:
        """Return the jackknife values of an average over classes, without each row.

        To first order, a row changes the average by the sum of its changes in every column: for an
        area by its placement (DeLong), for other metrics by their jackknife. If class shares are
        the weights, a row also changes the weight of its class.
        """
        assert self.rows is not None
        joint, average, labels = self.rows.joint, as_average(s), list(self.rows.joint.labels)
        chosen, support = s.of_requested_classes(self.tallies), np.array(self.support(s))
        shares = np.ones_like(support) if average.average == "macro" else support
        weighs = average.average == "weighted"
        if over_pairs(s):
            value = float(s.measure(self.tallies))
            of_class = np.full(len(chosen), value)
        else:
            of_class = np.array(self.of_each_class(average, "value"))
            value = float(average._average(of_class, support))
        if s.skip_undefined:
            shares = np.where(np.isnan(of_class), 0.0, shares)
        total, moved = shares.sum(), np.zeros(joint.rows)
        slopes: Sequence[Any] = [None] * len(chosen)
        if not over_pairs(s):
            slopes = self.of_each_class(average, "slopes")
        for t, share, own_value, slope in zip(
            chosen, shares.tolist(), of_class.tolist(), slopes, strict=True
        ):
            if share == 0:
                continue  # the average excludes this class
            own = labels.index(t.positive)
            others = [k for k in range(len(labels)) if k != own]
            if over_pairs(s):
                pos, neg = (
                    v / len(others)
                    for v in area_slopes(t._without_cache()._coarse(GROUPS), pairs=True)
                )
                pos = pos.sum(0)
            else:
                pos, neg = slope
            table = np.empty((len(labels), pos.shape[-1]))
            table[own], table[others] = pos, neg
            table *= share
            if weighs:
                table[own] += own_value - value
            with np.errstate(invalid="ignore"):
                moved += np.take(table.ravel(), self._cell_of_rows(t))
        weight, fixed = self._weights, self.sampler.stratified
        truth = joint.true if fixed else np.zeros(1, np.intp)
        with np.errstate(invalid="ignore"):
            values = value - weight * moved / total
        return Jackknife(np.asarray(value), values, weight, np.ones(joint.rows), truth, fixed)

    @property
    def _weights(self) -> Floats:
        """The weights of the rows, at the tallies' class shares if these are fixed."""
        assert self.rows is not None
        joint = self.rows.joint
        weight = np.ones(joint.rows) if joint.weights is None else joint.weights
        if not self.sampler.stratified:
            return weight
        present = np.bincount(joint.true, weight, len(joint.labels))
        target = self.tallies[0].counts.sum(0)
        with np.errstate(all="ignore"):
            return np.asarray(weight * np.where(present > 0, target / present, 0.0)[joint.true])

    def influences(self, s: Statistic) -> Parts | None:
        """Return the influences of the rows on a mean over rows, by class if shares are fixed."""
        if self.rows is None:
            return None
        joint, model = self.rows
        fixed, weight = self.sampler.stratified, self._weights
        of_each = of_rows(replace(joint, weights=weight), model, s, stratified=fixed)
        if of_each is None:
            return None
        strata = joint.true if fixed else np.zeros(joint.rows, np.intp)
        return within_classes(of_each, strata, weight)

    def _cell_of_rows(self, tally: ScoreTally) -> NDArray[np.int32]:
        """Return for each row the flat index of its cell [true class, score bin]."""
        if id(tally) not in self._cells:
            assert self.rows is not None
            joint = self.rows.joint
            lows = tally._without_cache()._coarse(GROUPS, lowest=True).scores
            column = joint.models[0].scores[self.rows.model.scores.index(tally)]
            first_cells = joint.true.astype(np.int32) * np.int32(len(lows))
            self._cells[id(tally)] = first_cells + places(column, lows)
        return self._cells[id(tally)]

    def bias(self, s: Statistic, without: Jackknife | None) -> float:
        """Return the bias of an average over classes: the average of their biases."""
        average = as_average(s)
        weights = None if average.average == "macro" else self.support(average)
        return float(np.average(self.of_each_class(average, "bias"), weights=weights))

    def support(self, s: Statistic) -> list[float]:
        """Return the rows of each class of an average."""
        chosen = s.of_requested_classes(self.read_by(s))
        for t in chosen:
            if id(t) not in self._support:
                self._support[id(t)] = float(t._without_cache()._score_counts.positives)
        return [self._support[id(t)] for t in chosen]

    def is_null(self, s: Statistic, value: float, level: float) -> bool:
        """Return whether the null hypothesis often gives an average this far from it."""
        average = as_average(s)

        def of_each(purpose: Any, draws: int) -> Sequence[Floats]:
            return self.of_each_class(average, purpose)

        support = self.support(average) if average.average == "weighted" else None
        return is_null(average, value, level, of_each, support)


# -- jackknife ---------------------------------------------------------------------------------


def jackknife(
    statistic: Statistic, tally: LabelTally | Scored, stratified: bool = False
) -> Jackknife:
    """Return the delete-one jackknife of a tally, per cell of decisions or of one class's scores.

    More than :data:`GROUPS` distinct scores are binned first. A weighted cell counts as its
    effective number of rows of equal weight (Kish).

    >>> from tallymark.metric import get
    >>> t = LabelTally((0, 1), np.array([[40.0, 10.0], [5.0, 45.0]]))
    >>> made = jackknife(Statistic.of(get("accuracy"), t.labels, 1), t)
    >>> round(float(made.error), 4), round((0.85 * 0.15 / 99) ** 0.5, 4)
    (0.0359, 0.0359)
    """
    if isinstance(tally, LabelTally):
        near = Neighbours(tally.counts, tally.sum_squared_weights, tally.labels)
        return near.jackknife(statistic, stratified)
    of = statistic.metric._sampling
    few = tally._coarse(GROUPS) if of.ordered_mean is None else _detailed_at_ends(tally)
    # A metric read off bins jumps at bin edges, and the first rows by confidence differ much in
    # weight, so leave rows out of each bin separately.
    each = of.error == "null_at_zero" or of.ordered_mean is not None or few is tally
    r, squares = few._score_counts, few._squared_score_counts
    if of.ordered_mean is not None and of.ordered_mean.without_one and squares is None:
        cells = _joined([_cells_of_class(r, None, truth, alone=True) for truth in (1, 0)])
        if (cells[0] == 1).all():  # whole rows, each of which may be left out
            without = statistic.metric._at_parameters(
                of.ordered_mean.without_one, r, statistic.params
            )
            every = [v[own > 0] for v, own in zip(without, (r.pos, r.neg), strict=True)]
            value, values = statistic.of_score_counts([r]), np.concatenate(every)
            weight, rows, truth, scores = cells
            return Jackknife(value, values, weight, rows, truth, stratified, scores)
    cells, replicates = delete_one(few, each=each)
    value, *of_blocks = statistic.of_blocks([r, *replicates])
    weight, rows, truth, scores = cells
    values = np.concatenate([np.empty(0), *of_blocks])
    return Jackknife(value, values, weight, rows, truth, stratified, scores)


Cells = tuple[Floats, Floats, NDArray[np.intp], Floats]
"""The weight of a row, the rows, the class and the score of each cell."""


def delete_one(few: Scored, each: bool) -> tuple[Cells, list[ScoreCounts]]:
    """Return the cells of the binned scores of one class, and these without a row of each cell.

    The result is cached for all statistics. Unless ``each`` bin is requested separately,
    neighbouring bins of very many scores are merged and a row is removed in proportion to their
    counts, which changes a smooth metric like removing one of these rows.
    """
    squares, alone = few._squared_score_counts, each or not few._neighbours_alike
    return few._score_counts._cached(_delete_one, squares=squares, alone=alone)


def _delete_one(
    r: ScoreCounts, squares: ScoreCounts | None, alone: bool
) -> tuple[Cells, list[ScoreCounts]]:
    cells: list[Cells] = []
    replicates: list[ScoreCounts] = []
    for truth, own in ((1, r.pos), (0, r.neg)):
        starts = _starts(own, alone)
        if not len(starts):
            continue
        of_class = _cells_of_class(r, squares, truth, alone)
        counts = np.add.reduceat(own, starts)
        bins = np.maximum(np.searchsorted(starts, np.arange(len(own)), side="right") - 1, 0)
        without = np.maximum(own - of_class[0][bins] * (own / counts[bins]), 0)
        for start in range(0, len(starts), _AT_ONCE):
            some = np.arange(start, min(start + _AT_ONCE, len(starts)))
            moved = np.where(bins == some[:, None], without, own)
            other = np.broadcast_to(r.neg if truth else r.pos, moved.shape)
            replicates.append(r._with_counts(*((moved, other) if truth else (other, moved))))
        cells.append(of_class)
    return _joined(cells), replicates


def _cells_of_class(r: ScoreCounts, squares: ScoreCounts | None, truth: int, alone: bool) -> Cells:
    """Return the cells of the rows of one class."""
    own = r.pos if truth else r.neg
    starts, second = _starts(own, alone), None
    if not len(starts):
        return np.empty(0), np.empty(0), np.empty(0, np.intp), np.empty(0)
    if squares is not None:
        second = np.add.reduceat(squares.pos if truth else squares.neg, starts)
    weight, rows = rows_of(np.add.reduceat(own, starts), second)
    return weight, rows, np.full(len(starts), truth), r.scores[starts]


def _joined(cells: Sequence[Cells]) -> Cells:
    return tuple(np.concatenate(column) for column in zip(*cells, strict=True))  # type: ignore[return-value]


def _starts(own: Floats, alone: bool) -> NDArray[np.intp]:
    """Return the start of each cell: single bins with rows, or several merged bins.

    >>> _starts(np.array([0.0, 2.0, 0.0, 3.0]), alone=True).tolist()
    [1, 3]
    >>> len(_starts(np.ones(1000), alone=False))  # 30 at either end, and 94 bins between them
    154
    """
    places = np.flatnonzero(own > 0)
    if alone or not len(places):
        return places
    below = (own.cumsum() - own / 2)[places] / own.sum()
    bins: Floats = np.floor(below * _QUANTILES)
    bins[np.minimum(below, 1 - below) < _ENDS] = -1
    first = np.append(True, (bins[1:] < 0) | (bins[1:] != bins[:-1]))
    return np.asarray(places[first])
