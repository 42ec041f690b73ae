"""What interval methods ask of tallies: values, standard errors, replicates, the ROC area.

A sample is a stack of tallies of one kind under its sampling design: :class:`Matrices` of
decisions, one :class:`Column` of scores, what :class:`OnePass` over the scores of many tallies
says, several :class:`Columns` of the same rows. Rows in clusters are in
:mod:`tallymark.infer.clustered`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError
from tallymark.infer.delong import area_slopes, auc_variance
from tallymark.infer.jackknife import (
    GROUPS,
    Jackknife,
    StandardError,
    critical_value,
    delete_one,
    jackknife,
    jackknife_matrices,
)
from tallymark.infer.sampler import (
    DRAWS,
    BlockReplicates,
    Kind,
    Sampler,
    moments,
)
from tallymark.metric.measure import Statistic, as_average, over_pairs
from tallymark.metric.proportion import wilson, worth
from tallymark.reading.models import Model
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.effort import EffortTally
from tallymark.tally.joint import PairedPredictions, places
from tallymark.tally.scores import ScoreCounts, ScoreTally
from tallymark.tally.subgroups import Judged, RaggedScores
from tallymark.tally.sums import Sums
from tallymark.tally.threads import side_by_side, threads_for

Scored = ScoreTally | EffortTally
"""The scores of one class against the rest, of rows that count alike or that differ in effort."""

Draw = Kind | Literal["stratified"]
"""A kind of replicates; "stratified" are bootstrap replicates drawn within each class."""

FEW_FREEDOMS = 5
"""Fewer degrees of freedom than this: single rows decide how far a number is known."""

ROW_LOSS = {
    "brier": "squared",
    "mean_absolute_error": "absolute",
    "root_mean_squared_error": "root_squared",
    "log_loss": "log",
}
"""Losses of a row, under the names of the pass over sorted scores."""

MOST_IN_ONE_PASS = 1 << 16
"""Of more rows a loss is jackknifed on bins of neighbouring scores, as other numbers are."""


class Area(NamedTuple):
    """ROC areas (S,), their variances, the effective rows of each class, degrees of freedom."""

    value: Floats
    variance: Floats
    positives: Floats
    negatives: Floats
    degrees_of_freedom: Floats

    @classmethod
    def of(cls, value: Any, variance: Any, positives: Any, negatives: Any) -> Self:
        """Take as degrees of freedom one less than the smaller class has rows."""
        value, variance, m, n = (np.atleast_1d(v) for v in (value, variance, positives, negatives))
        return cls(value, variance, m, n, np.maximum(np.minimum(m, n) - 1, 1.0))


@dataclass(eq=False)
class Case:
    """S values of one statistic whose intervals are asked for, and the sample they are of."""

    statistic: Statistic
    values: Floats
    sample: Any
    """A :class:`Sample`; each method asks what samples that it serves have."""
    level: float
    replicates: Floats = field(default_factory=lambda: np.empty(0))
    """The values over replicates (S, draws), of a method that draws some."""

    @cached_property
    def range(self) -> tuple[float, float]:
        """The range of the metric at its parameters."""
        return self.statistic.metric.range_of(**self.statistic.params)

    @property
    def z(self) -> float:
        """How many standard errors a normal interval of the sample reaches."""
        return float(critical_value(self.level, self.sample.degrees_of_freedom))

    @cached_property
    def jackknife(self) -> Jackknife:
        """The values without one row of each cell."""
        return self.sample.jackknife(self.statistic)  # type: ignore[no-any-return]

    @cached_property
    def standard_error(self) -> StandardError:
        """The jackknife's standard errors, with as much freedom as the sample has at most."""
        one_pass = self.sample.standard_error(self.statistic)
        made = self.jackknife.standard_error if one_pass is None else one_pass
        error, freedom, acceleration = map(np.atleast_1d, made)
        freedom = np.minimum(freedom, self.sample.degrees_of_freedom)
        return StandardError(error, freedom, acceleration)


class Sample(ABC):
    """A stack of tallies, as the methods see it."""

    sampler: Sampler
    draws: int = DRAWS
    weighted: bool = False
    clustered: bool = False
    degrees_of_freedom: float = math.inf
    one_column: bool = False
    """Whether it holds the scores of one class against the rest."""

    def prepare(self, statistics: Sequence[Statistic]) -> int:
        """Make what many statistics share; return how many threads may evaluate them."""
        return 1

    def take(self, rows: NDArray[np.intp]) -> Sample:
        """Return some of the tallies."""
        return self

    @abstractmethod
    def replicates(self, cases: Sequence[Case], draw: Draw) -> Sequence[Floats]:
        """Return the values of cases over replicates, around their values: (S, draws) each."""

    def refusal(self, s: Statistic) -> str | None:
        """Say why a statistic has no replicates here, None where it has."""
        return None

    def cannot_draw(self, s: Statistic, draw: Draw) -> str | None:
        """Say why a statistic has no replicates of a kind, None where it has."""
        return None

    def standard_error(self, s: Statistic) -> StandardError | None:
        """Return standard errors that are known without the jackknife, None where they are not."""
        return None

    def percentile_level(self, level: float) -> float:
        """Return the level at which percentiles of replicates have the coverage of ``level``."""
        return level

    def _sampler_for(self, draw: Draw) -> tuple[Sampler, Kind]:
        if draw == "stratified":
            return replace(self.sampler, stratified=True), "bootstrap"
        return self.sampler, draw


MOST_CLASSES_DRAWN = 100
"""Classes up to which a matrix is drawn unasked: its cells are as many as its classes squared."""


class Matrices(Sample):
    """Matrices of decisions ``counts[S, K, K]``, and sums of squared weights of weighted rows."""

    def __init__(
        self,
        counts: Floats,
        squares: Floats | None,
        labels: Sequence[Label],
        sampler: Sampler,
        draws: int | None = None,
    ) -> None:
        self.counts, self.squares, self.labels, self.sampler = counts, squares, labels, sampler
        self.asked, self.draws = draws is not None, DRAWS if draws is None else draws
        self.weighted = squares is not None

    def take(self, rows: NDArray[np.intp]) -> Matrices:
        """Return some of the matrices."""
        if len(rows) == len(self.counts):
            return self
        squares = None if self.squares is None else self.squares[rows]
        draws = self.draws if self.asked else None
        return Matrices(self.counts[rows], squares, self.labels, self.sampler, draws)

    def cannot_draw(self, s: Statistic, draw: Draw) -> str | None:
        """Say why very many cells are not drawn, unless it is said how often."""
        classes = len(self.labels)
        if self.asked or classes <= MOST_CLASSES_DRAWN:
            return None
        return (
            f"{classes:,} classes make {classes**2:,} cells, too many to draw {self.draws:,} times "
            "by default; say draws=200"
        )

    def proportion(self, s: Statistic) -> tuple[Floats, Floats]:
        """Return successes and rows of a proportion, of weighted rows the effective number."""
        assert s.metric.proportion is not None
        part, whole = map(np.asarray, s.metric.proportion(s.view(self.counts, self.labels)))
        if self.squares is None:
            return part, whole
        rows = worth(part, whole, *s.metric.proportion(s.view(self.squares, self.labels)))
        with np.errstate(invalid="ignore", divide="ignore"):
            return part / whole * rows, rows

    def has_empty_cell(self, s: Statistic) -> NDArray[np.bool_]:
        """Tell where one of the four counts that the value rests on is zero.

        Of more than two classes many cells are empty and few of them matter: False.
        """
        if len(self.labels) != 2 or s.average not in ("overall", "binary"):
            return np.zeros(len(self.counts), dtype=bool)
        return np.asarray((self.counts == 0).any((-2, -1)))

    def jackknife(self, s: Statistic) -> Jackknife:
        """Return the numbers without one row of each cell."""
        fixed = self.sampler.stratified
        return jackknife_matrices(s, self.counts, self.squares, self.labels, fixed)

    def replicates(self, cases: Sequence[Case], draw: Draw) -> Sequence[Floats]:
        """Draw the matrices once for all cases."""
        sampler, kind = self._sampler_for(draw)
        of = [partial(case.statistic.of_matrix, labels=self.labels) for case in cases]
        return sampler.values(of, self.counts, self.squares, kind, self.draws)  # type: ignore[return-value]


def _loss_of(s: Statistic) -> str:
    assert s.metric.row_loss is not None
    return ROW_LOSS[s.metric.row_loss.name]


def in_one_pass(s: Statistic, sampler: Sampler | None = None) -> bool:
    """Tell whether one pass over the sorted scores bounds a number of two classes."""
    if s.average not in ("binary", "overall"):
        return False
    known_shares = sampler is not None and sampler.stratified
    loss = s.metric.row_loss is not None and not s.params and not known_shares
    return s.metric.roc_area is not None or loss


def losses_of(statistics: Iterable[Statistic]) -> list[str]:
    """Return the losses that one pass over the scores adds up for statistics."""
    return [_loss_of(s) for s in statistics if s.metric.row_loss is not None]


class OnePass(Sample):
    """What one pass over the sorted scores says of many tallies: areas and mean losses."""

    one_column = True

    def __init__(self, judged: Judged, sampler: Sampler) -> None:
        self.judged, self.sampler = judged, sampler
        rows, squares = judged.positives + judged.negatives, judged.positives2 + judged.negatives2
        self.weighted = bool((squares != rows).any())
        with np.errstate(all="ignore"):
            self.few = rows**2 / squares <= MOST_IN_ONE_PASS

    def values(self, s: Statistic) -> Floats:
        """Return the values of all tallies."""
        of = s.metric.roc_area
        return self.judged.losses[_loss_of(s)].value if of is None else of(self.judged.area)

    @cached_property
    def area(self) -> Area:
        """The ROC areas."""
        j = self.judged
        with np.errstate(all="ignore"):
            rows = j.positives**2 / j.positives2, j.negatives**2 / j.negatives2
        return Area.of(j.area, j.variance, *rows)

    def standard_error(self, s: Statistic) -> StandardError:
        """Return a mean loss's standard errors; NaN where it is not for one pass to say.

        That is where few rows carry the error, or there are too many of them.
        """
        loss = self.judged.losses[_loss_of(s)]
        with np.errstate(invalid="ignore"):
            known = (loss.freedom >= FEW_FREEDOMS) & self.few
        error = np.where(known, loss.error, np.nan)
        return StandardError(error, loss.freedom, np.zeros(len(error)))

    def replicates(self, cases: Sequence[Case], draw: Draw) -> Sequence[Floats]:
        """Refuse: one pass keeps no cells to draw from, and each tally's scores are asked."""
        raise InputError("one pass over the scores draws no replicates; ask for one tally")


_AROUND_THRESHOLDS = 32
"""Bins away from the threshold of a number that it alone decides."""


def grid_of(s: Statistic, tally: Scored) -> Scored:
    """Return the few bins of scores that a statistic is resampled on.

    A number that is read at a threshold would take a few values only on bins of equal shares,
    however many rows there are: its bins are fine about that threshold.
    """
    if s.metric.error != "quantile" or tally.coarse() is tally or not tally.neighbours_alike:
        return tally.coarse()
    place = s.operating_point(tally.score_counts)
    if place is None:
        return tally.coarse()
    return tally.coarse(_AROUND_THRESHOLDS, around=(place,), lowest=True)


_BIAS_DRAWS = 100

_FIRST_DRAWS = 100
_CERTAIN = 4.0
"""So many standard errors of the first draws decide without the rest."""

_CELLS_AT_ONCE = 1 << 16


class Column(Sample):
    """The scores of one class against the rest, each kind of replicates drawn when first asked for.

    Replicates are of bins of the scores, and laid around the exact value.
    """

    one_column = True

    def __init__(self, tally: Scored, sampler: Sampler, draws: int | None = None) -> None:
        # An EffortTally has what is read of one, for the metrics that take it.
        self.tally: ScoreTally = tally  # type: ignore[assignment]
        self.sampler = sampler
        self.draws = DRAWS if draws is None else draws
        self.weighted = tally.sum_squared_weights is not None
        self._grids: dict[Any, Scored] = {}
        self._drawn: dict[tuple[str, int, int], list[ScoreCounts]] = {}

    def prepare(self, statistics: Sequence[Statistic]) -> int:
        """Make what many statistics share, side by side; return how many threads judge them."""
        errors = {s.metric.error for s in statistics}
        threads = threads_for(min(len(self.tally.scores), 800) * DRAWS)
        if threads < 2 or len(errors) < 2:
            return 1
        self.tally.coarse()
        quantiles = [s for s in statistics if s.metric.error == "quantile"]
        side_by_side(lambda i: self._grid(quantiles[i]), len(quantiles), threads)
        grids = {id(grid): grid for grid in map(self._grid, quantiles)}.values()
        tasks: list[Callable[[], object]] = [partial(self._blocks, "posterior", g) for g in grids]
        tasks.append(lambda: delete_one(self.tally, each=False))
        if errors & {"optimistic", "fitted"}:
            tasks.append(self._for_bias)
        if "null_at_zero" in errors:
            tasks.append(lambda: self._calibrated("first", _FIRST_DRAWS))
        side_by_side(lambda i: tasks[i](), len(tasks), threads)
        return threads

    def _grid(self, s: Statistic) -> Scored:
        key = (s.metric.name, *sorted(s.params.items()))
        if key not in self._grids:
            self._grids[key] = grid_of(s, self.tally)
        return self._grids[key]

    def _blocks(self, draw: Draw, grid: Scored, draws: int | None = None) -> list[ScoreCounts]:
        """Return replicates of some bins, drawn once."""
        draws = self.draws if draws is None else draws
        key = (draw, id(grid), draws)
        if key not in self._drawn:
            sampler, kind = self._sampler_for(draw)
            self._drawn[key] = _in_cache(sampler.scores(grid, kind, draws))
        return self._drawn[key]

    def replicates(self, cases: Sequence[Case], draw: Draw) -> Sequence[Floats]:
        """Return the values over replicates of the bins, around the exact values."""
        return [self._replicates(c.statistic, draw, float(c.values[0]))[None] for c in cases]

    def _replicates(self, s: Statistic, draw: Draw, value: float) -> Floats:
        grid = self._grid(s)
        return _values(s, self._blocks(draw, grid)) + (value - _exact(s, grid))

    def proportion(self, s: Statistic) -> tuple[Floats, Floats]:
        """Return successes and rows of what it is a function of, of weights the effective rows."""
        assert s.metric.of_proportion is not None
        counts, squares = s.metric.of_proportion.counts, self.tally.squared_score_counts
        part, whole = map(np.atleast_1d, counts(self.tally.score_counts))
        rows = whole if squares is None else worth(part, whole, *counts(squares))
        return part / whole * rows, rows

    @cached_property
    def area(self) -> Area:
        """The ROC area."""
        r, squares = self.tally.score_counts, self.tally.squared_score_counts
        rows = np.array([r.positives, r.negatives], dtype=float)
        if squares is not None:
            with np.errstate(invalid="ignore"):
                rows = rows**2 / np.array([squares.positives, squares.negatives])
        return Area.of(*auc_variance(self.tally), *rows)

    # -- standard errors -----------------------------------------------------------------------

    @cached_property
    def _one_pass(self) -> OnePass | None:
        """The mean losses, from the pass that gives those of many tallies."""
        if self.tally.rows > MOST_IN_ONE_PASS or self.tally.bins is not None:
            return None
        r, squares = self.tally.score_counts, self.tally.squared_score_counts
        second = None if squares is None else np.stack([squares.neg, squares.pos], 1)
        counts = np.stack([r.neg, r.pos], 1)
        lines = RaggedScores(np.zeros(len(r.scores), np.intp), r.scores, counts, second)
        return OnePass(lines.judged(1, 1, list(ROW_LOSS.values())), self.sampler)

    def jackknife(self, s: Statistic) -> Jackknife:
        """Return the number without one row of each bin."""
        return jackknife(s, self.tally, self.sampler.stratified)

    def standard_error(self, s: Statistic) -> StandardError | None:
        """Return the error of a mean loss from one pass over the scores, None where it has none."""
        if s.metric.row_loss is None or not in_one_pass(s, self.sampler) or not self._one_pass:
            return None
        made = self._one_pass.standard_error(s)
        return made if np.isfinite(made.error).all() else None

    def slopes(self, s: Statistic) -> tuple[Floats, Floats]:
        """Return what a row of each group of scores moves a number: of positives, of others.

        Per unit of weight, when a row is left out.
        """
        few = self.tally.coarse(GROUPS)
        if s.metric.roc_area is None:
            return self.jackknife(s).slopes(few.scores)
        pos, neg = area_slopes(few)
        return s.metric.roc_area.slope * pos[..., 0, :], s.metric.roc_area.slope * neg[..., 0, :]

    def error(self, s: Statistic) -> float:
        """Return a standard error, of a quantile by the bootstrap."""
        if s.metric.error != "quantile":
            return float(self.jackknife(s).error)
        return float(moments(_values(s, self._blocks("bootstrap", self._grid(s))))[1])

    # -- bias ----------------------------------------------------------------------------------

    def _for_bias(self) -> list[ScoreCounts]:
        return self._blocks("bootstrap", self.tally.coarse(), _BIAS_DRAWS)

    def bias(self, s: Statistic, without: Jackknife) -> float:
        """Return by how much resampling moves the number on average.

        The first-order part of each move, which the jackknife gives, is 0 on average: taken off
        each draw, it leaves little of the draws' noise (Efron 1990).
        """
        grid, drawn = self.tally.coarse().score_counts, self._for_bias()
        pos, neg = without.slopes(grid.scores)
        first = [(b.pos - grid.pos) @ pos + (b.neg - grid.neg) @ neg for b in drawn]
        with np.errstate(invalid="ignore"):
            moved = _values(s, drawn) - np.concatenate(first)
        return float(moments(moved)[0]) - _exact(s, self.tally.coarse())

    def _calibrated(self, purpose: str, draws: int) -> list[ScoreCounts]:
        """Return replicates as if the probabilities were right, drawn once."""
        key = (purpose, 0, draws)
        if key not in self._drawn:
            drawn = self.sampler.calibrated(self.tally.coarse(), draws, purpose)
            self._drawn[key] = _in_cache(drawn)
        return self._drawn[key]

    def is_calibrated(self, s: Statistic, value: float, level: float) -> bool:
        """Tell whether calibrated probabilities would be as far off in more than a tail of cases.

        The first draws decide where many of them are as far off, or where the value is so many of
        their standard deviations off that no distribution has such a tail (Cantelli).
        """
        tail = (1 - level) / 2
        some = _values(s, self._calibrated("first", _FIRST_DRAWS))
        if wilson((some >= value).sum(), len(some), _CERTAIN)[0] > tail:
            return True
        if value > some.mean() + 2 * math.sqrt(1 / tail - 1) * some.std():
            return False
        more = self._calibrated("more", DRAWS - _FIRST_DRAWS)
        values = np.concatenate([some, _values(s, more)])
        return float((values >= value).mean()) > tail


def _in_cache(replicates: Iterable[ScoreCounts]) -> list[ScoreCounts]:
    """Return replicates cut into so few at a time that values of them stay in the cache."""
    out = []
    for r in replicates:
        some = max(1, _CELLS_AT_ONCE // max(len(r.scores), 1))
        for i in range(0, len(r.pos), some):
            out.append(r.with_counts(r.pos[i : i + some], r.neg[i : i + some]))
    return out


def _values(s: Statistic, blocks: Sequence[ScoreCounts]) -> Floats:
    return np.concatenate([s.of_score_counts([b]) for b in blocks])


def _exact(s: Statistic, grid: Scored) -> float:
    """Return the number of the bins as they are, which replicates lie around."""
    return float(s.of_score_counts([grid.score_counts]))


class Rows(NamedTuple):
    """The rows of one model side by side, and the model."""

    joint: PairedPredictions
    model: Model


class Columns(Sample):
    """Scores of several classes of the same rows, one column per class, and sums over rows.

    Where the ``rows`` were kept side by side an average over classes is jackknifed row by row and
    drawn by whole rows. Without them the columns of a row were counted separately.
    """

    averages: tuple[str, ...] = ("macro", "weighted")
    """The averages over columns that are jackknifed row by row."""
    part = "class"
    judged_together = True
    """Whether the probabilities of a row are of classes that exclude each other."""

    def __init__(
        self,
        tallies: Sequence[ScoreTally],
        sums: Sums | None,
        sampler: Sampler,
        rows: Rows | None = None,
        draws: int | None = None,
        efforts: EffortTally | None = None,
    ) -> None:
        self.tallies, self.sums, self.sampler, self.rows = tallies, sums, sampler, rows
        self.efforts = efforts
        self.draws = DRAWS if draws is None else draws
        self.weighted = bool(tallies) and tallies[0].sum_squared_weights is not None
        self._columns: dict[int, Column] = {}
        self._drawn: dict[bool, BlockReplicates] = {}
        self._cells: dict[int, NDArray[np.int32]] = {}
        self._biases: dict[Any, float] = {}

    def refusal(self, s: Statistic) -> str | None:
        """Say why a statistic has no replicates here."""
        if s.metric.needs == "rows":
            return "it needs whole rows of scores, which a tally does not resample"
        if s.average == "micro":
            return "a ranking of all classes together repeats every row"
        return "the columns of a row were counted separately" if self.rows is None else None

    def cannot_draw(self, s: Statistic, draw: Draw) -> str | None:
        """Say why a statistic has no replicates of a kind: whole rows are drawn, or none."""
        if draw not in ("bootstrap", "stratified"):
            return "it uses the scores of one class, and here a row has one for each"
        if self._resampled(self._sampler_for(draw)[0]).holds(0, s):
            return None
        return f"whole rows of {len(self.tallies)} columns of scores are not resampled for it"

    def read_by(self, s: Statistic) -> Sequence[Any]:
        """Return the tallies that a statistic of scores reads."""
        with_efforts = s.metric.effort and self.efforts is not None
        return (self.efforts,) if with_efforts else self.tallies

    def column(self, tally: Scored, draws: int | None = None) -> Column:
        """Return one of the columns."""
        return self._columns.setdefault(id(tally), Column(tally, self.sampler, draws))

    @cached_property
    def errors(self) -> Sums | None:
        """Sums whose averages are the standard errors of the means over rows."""
        fixed = self.sampler.stratified
        return None if self.sums is None else self.sums.errors(stratified=fixed)

    def rows_of_rarest(self, s: Statistic) -> float:
        """Return the effective number of rows of the rarest class."""
        return min(float(self.column(t).area.positives[0]) for t in self.tallies)

    @property
    def effective_rows(self) -> float:
        """Rows that a mean over them is of; of weighted ones their effective number."""
        assert self.sums is not None
        return self.sums.weight**2 / float(self.sums.sum_squared_weights.sum())

    # -- whole rows ----------------------------------------------------------------------------

    def _resampled(self, sampler: Sampler) -> BlockReplicates:
        assert self.rows is not None
        if sampler.stratified not in self._drawn:
            joint, model = self.rows
            made = BlockReplicates(joint, [model], sampler, draws=self.draws)
            self._drawn[sampler.stratified] = made
        return self._drawn[sampler.stratified]

    def replicates(self, cases: Sequence[Case], draw: Draw) -> Sequence[Floats]:
        """Return the values over draws of whole rows, around the exact values."""
        r, out = self._resampled(self._sampler_for(draw)[0]), []
        for case in cases:
            made = r.values(0, case.statistic)
            assert made is not None
            with np.errstate(invalid="ignore"):
                out.append(np.asarray(made[0] + (case.values[0] - made[1]))[None])
        return out

    def jackknife(self, s: Statistic) -> Jackknife:
        """Return an average over classes without each of the rows.

        A row moves the average by the sum of what it moves in every column, to first order: an
        area by its placement (DeLong), other numbers by those of their jackknife. With shares of
        classes as weights a row also moves the weight of its class.
        """
        assert self.rows is not None
        joint, average, value = self.rows.joint, as_average(s), float(s.measure(self.tallies))
        labels, chosen = list(joint.labels), s.asked_for(self.tallies)
        support = np.array([float(t.score_counts.positives) for t in chosen])
        shares = np.ones_like(support) if average.average == "macro" else support
        weighs = average.average == "weighted"
        of_class = np.full(len(chosen), value)
        if weighs or s.skip_undefined:
            of_class = np.array([float(average.of_score_counts([t.score_counts])) for t in chosen])
            if s.skip_undefined:
                shares = np.where(np.isnan(of_class), 0.0, shares)
        total, moved = shares.sum(), np.zeros(joint.rows)
        for t, share, own_value in zip(chosen, shares.tolist(), of_class.tolist(), strict=True):
            if share == 0:
                continue  # a class that the average leaves out
            own = labels.index(t.positive)
            others = [k for k in range(len(labels)) if k != own]
            if over_pairs(s):
                pos, neg = (v / len(others) for v in area_slopes(t.coarse(GROUPS), pairs=True))
                pos = pos.sum(0)
            else:
                pos, neg = self.column(t).slopes(average)
            table = np.empty((len(labels), pos.shape[-1]))
            table[own], table[others] = pos, neg
            table *= share
            if weighs:
                table[own] += own_value - value
            with np.errstate(invalid="ignore"):
                moved += np.take(table.ravel(), self._cell_of_rows(t))
        weight = np.ones(joint.rows) if joint.weights is None else joint.weights
        fixed = self.sampler.stratified
        if fixed:  # the tallies' classes may have other shares than the rows'
            of_rows = np.bincount(joint.true, weight, len(labels))
            wanted = self.tallies[0].counts.sum(0)
            with np.errstate(all="ignore"):
                weight = weight * np.where(of_rows > 0, wanted / of_rows, 0.0)[joint.true]
        truth = joint.true if fixed else np.zeros(1, np.intp)
        with np.errstate(invalid="ignore"):
            values = value - weight * moved / total
        return Jackknife(np.asarray(value), values, weight, np.ones(joint.rows), truth, fixed)

    def _cell_of_rows(self, tally: ScoreTally) -> NDArray[np.int32]:
        """Return the cell of every row, [true class, group of its score in a column], as one."""
        if id(tally) not in self._cells:
            assert self.rows is not None
            joint, lows = self.rows.joint, tally.coarse(GROUPS, lowest=True).scores
            column = joint.models[0].scores[self.rows.model.scores.index(tally)]
            made = joint.true.astype(np.int32) * np.int32(len(lows))
            self._cells[id(tally)] = made + places(column, lows)
        return self._cells[id(tally)]

    def bias(self, s: Statistic, without: Jackknife) -> float:
        """Return by how much resampling moves an average over classes: the average of theirs."""
        key = (s.metric.name, s.average, s.classes, *sorted(s.params.items()))
        if key not in self._biases:
            average, chosen, biases = as_average(s), s.asked_for(self.read_by(s)), []
            for t in chosen:
                column = self.column(t)
                biases.append(column.bias(average, column.jackknife(average)))
            support = [float(t.score_counts.positives) for t in chosen]
            weights = None if average.average == "macro" else support
            self._biases[key] = float(np.average(biases, weights=weights))
        return self._biases[key]
