"""Define samples: stacks of tallies with a sampling design, the input of interval methods.

A sample supplies values, jackknife standard errors and bootstrap replicates. :class:`Matrices`
holds decisions; scores are in :mod:`tallymark.infer.score_samples`, clustered rows in
:mod:`tallymark.infer.clustered`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tallymark.infer.sampler import DRAWS, Kind, Sampler, effective_cells
from tallymark.infer.two_shares import bounds
from tallymark.metric import Metric
from tallymark.metric.measure import MatrixViews, Statistic
from tallymark.metric.proportion import effective_hits
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.labels import LabelTally
from tallymark.tally.occupied import OccupiedCells
from tallymark.tally.role_tally import RoleTally
from tallymark.tally.scores import ScoreTally
from tallymark.tally.subgroups import Judged
from tallymark.tally.sums import Sums

if TYPE_CHECKING:
    from tallymark.infer.score_samples import Rows

Draw = Kind | Literal["stratified"]
"""A kind of replicates; "stratified" draws bootstrap replicates within each class."""

FEW_FREEDOMS = 5
"""With fewer degrees of freedom, single rows or clusters dominate the standard error."""

CELLS_AT_ONCE = 1 << 18
"""Matrix cells evaluated in one batch: larger batches use more memory and are no faster."""

Parts = list[tuple[Floats, float]]
"""The influences of independent rows or clusters, by stratum, with their effective numbers."""
Shares = tuple[tuple[Any, Any], tuple[Any, Any]]
"""Hits of the first and the second proportion, and the rows of both: arrays of any shape."""

MatrixStack = tuple[Floats, Floats | None]
"""Counts [S, true, predicted], and sums of squared weights or None."""


# -- tallies -----------------------------------------------------------------------------------


class Tallies:
    """S tallies of one classifier; a single evaluation is a stack of one.

    ``matrices`` are counts of decisions, with sums of squared weights if the rows are weighted;
    ``labels`` are the classes in their order.
    """

    labels: tuple[Label, ...]
    matrices: MatrixStack

    def __init__(self, labels: tuple[Label, ...], matrices: MatrixStack) -> None:
        self.labels, self.matrices = labels, matrices

    def __len__(self) -> int:
        return len(self.matrices[0])

    def scores(self, i: int) -> tuple[ScoreTally, ...]:
        """Return the scores of one tally: one column for two classes, else one per class."""
        return ()

    def sums(self, i: int) -> Sums | None:
        """Return sums over rows of quantities that need a row's whole score vector."""
        return None

    def rows(self, i: int) -> Rows | None:
        """Return the rows of one tally, None if they were not kept."""
        return None

    def role_tallies(self, i: int) -> Mapping[str, RoleTally]:
        """Return the scores of one tally with the numbers of each role."""
        return {}

    def areas(self, losses: Sequence[str]) -> Judged | None:
        """Return ROC areas and mean losses of all tallies in one pass, None if not available."""
        return None


class Single(Tallies):
    """A stack of one tally, with those of its parts that exist.

    >>> len(Single(LabelTally.from_arrays([0, 1, 1], [0, 1, 0])))
    1
    """

    def __init__(
        self,
        decisions: LabelTally | None,
        columns: tuple[ScoreTally, ...] = (),
        sums: Sums | None = None,
        rows: Rows | None = None,
        of_roles: Mapping[str, RoleTally] | None = None,
    ) -> None:
        self._columns, self._sums, self._rows, self._of_roles = columns, sums, rows, of_roles or {}
        if sums is None and len(columns) == 1:  # the tally of a single column holds its sums
            self._sums = Sums._of_scores(columns)
        if decisions is None:
            super().__init__(columns[0].labels, (np.empty((1, 0, 0)), None))
        else:
            squares = decisions.sum_squared_weights
            matrices = decisions.counts[None], None if squares is None else squares[None]
            super().__init__(decisions.labels, matrices)

    def scores(self, i: int) -> tuple[ScoreTally, ...]:
        """Return the scores."""
        return self._columns

    def sums(self, i: int) -> Sums | None:
        """Return the sums over rows."""
        return self._sums

    def rows(self, i: int) -> Rows | None:
        """Return the rows."""
        return self._rows

    def role_tallies(self, i: int) -> Mapping[str, RoleTally]:
        """Return the scores with the numbers of each role."""
        return self._of_roles


# -- samples -----------------------------------------------------------------------------------


class Area(NamedTuple):
    """ROC areas (S,), their variances, effective rows per class, and degrees of freedom."""

    value: Floats
    variance: Floats
    positives: Floats
    negatives: Floats
    degrees_of_freedom: Floats

    @classmethod
    def of(cls, value: Any, variance: Any, positives: Any, negatives: Any) -> Self:
        """Return the areas, with one degree of freedom less than rows in the smaller class."""
        value, variance, m, n = (np.atleast_1d(v) for v in (value, variance, positives, negatives))
        return cls(value, variance, m, n, np.maximum(np.minimum(m, n) - 1, 1.0))


@dataclass(eq=False)
class Case:
    """S values of one statistic that need intervals, with the sample they come from."""

    statistic: Statistic
    values: Floats
    sample: Any
    """A :class:`Sample`, or a subclass with the members that the interval method needs."""
    level: float
    replicates: Floats = field(default_factory=partial(np.empty, 0))
    """The values over replicates (S, draws), if the method draws any."""

    @cached_property
    def range(self) -> tuple[float, float]:
        """The range of the metric at the given parameters."""
        metric = self.statistic.metric
        fixed = metric._range_given is None
        return metric.range if fixed else metric.range_of(**self.statistic.params)

    @property
    def z(self) -> float:
        """The critical value of a normal interval, in standard errors."""
        return float(critical_value(self.level, self.degrees_of_freedom))

    @property
    def degrees_of_freedom(self) -> float:
        """The most degrees of freedom of a standard error, infinite for independent rows."""
        return self.sample.degrees_of(self.statistic)  # type: ignore[no-any-return]

    @cached_property
    def refusal(self) -> str | None:
        """Why the statistic has no replicates, None if it has."""
        return self.sample.refusal(self.statistic)  # type: ignore[no-any-return]

    @cached_property
    def jackknife(self) -> Jackknife:
        """The delete-one jackknife values, per cell."""
        return self.sample.jackknife(self.statistic)  # type: ignore[no-any-return]

    @cached_property
    def standard_error(self) -> StandardError:
        """The jackknife's standard errors, with degrees of freedom capped at the sample's."""
        one_pass = self.sample.standard_error(self.statistic)
        estimate = self.jackknife.standard_error if one_pass is None else one_pass
        error, freedom, acceleration = map(np.atleast_1d, estimate)
        freedom = np.minimum(freedom, self.degrees_of_freedom)
        return StandardError(error, freedom, acceleration)

    @cached_property
    def normal(self) -> tuple[Floats, Floats, Floats]:
        """Bounds of the interval on the scale of the range, and the critical values used."""
        error, freedom, _ = self.standard_error
        critical = critical_value(self.level, freedom)
        return *scaled(self.values, error, critical, self.range), critical


class Sample(ABC):
    """A stack of tallies: the interface that interval methods use."""

    sampler: Sampler
    draws: int = DRAWS
    weighted: bool = False
    clustered: bool = False
    clusters: int | None = None
    degrees_of_freedom: float = math.inf
    one_column: bool = False
    """Whether it has scores of one class against the rest only."""

    def prepare(self, statistics: Sequence[Statistic]) -> int:
        """Precompute what the statistics share; return how many threads may evaluate them."""
        return 1

    def take(self, rows: NDArray[np.intp]) -> Sample:
        """Return the sample reduced to some of its tallies."""
        return self

    @abstractmethod
    def replicates(self, cases: Sequence[Case], draw: Draw) -> Sequence[Floats]:
        """Return replicates (S, draws) of each case, centred at its values."""

    def refusal(self, s: Statistic) -> str | None:
        """Return why a statistic has no replicates here, None if it has."""
        return None

    def cannot_draw(self, s: Statistic, draw: Draw) -> str | None:
        """Return why a statistic has no replicates of a kind, None if it has."""
        return None

    def standard_error(self, s: Statistic) -> StandardError | None:
        """Return standard errors known without the jackknife, None if there are none."""
        return None

    def degrees_of(self, s: Statistic) -> float:
        """Return the most degrees of freedom of a statistic's standard error."""
        return self.degrees_of_freedom

    def influences(self, s: Statistic) -> Parts | None:
        """Return the influences of the rows on a mean over rows, None if they were not kept."""
        return None

    def percentile_level(self, s: Statistic, level: float) -> float:
        """Return the nominal level at which percentile intervals have the coverage of ``level``."""
        return level

    def _sampler_for(self, draw: Draw) -> tuple[Sampler, Kind]:
        if draw == "stratified":
            return replace(self.sampler, stratified=True), "bootstrap"
        return self.sampler, draw


MOST_CLASSES = 100
"""Above this number of classes, averages over classes use the delta method. Metrics of the whole
matrix are then resampled only by their occupied cells, if they support it."""

MOST_CELLS_DRAWN = 250_000
"""Draw matrices with more occupied cells only on request: each takes 0.1 ms for 1,000 draws."""


class Matrices(Sample):
    """Decision matrices ``counts[S, K, K]``, with sums of squared weights if rows are weighted."""

    def __init__(
        self,
        counts: Floats,
        squares: Floats | None,
        labels: Sequence[Label],
        sampler: Sampler,
        draws: int | None = None,
    ) -> None:
        self.counts, self.squares, self.labels, self.sampler = counts, squares, labels, sampler
        self.explicit_draws, self.draws = draws is not None, DRAWS if draws is None else draws
        self.weighted = squares is not None
        self._score_bounds: dict[object, tuple[Floats, Floats]] = {}

    def take(self, rows: NDArray[np.intp]) -> Matrices:
        """Return the sample reduced to some of its matrices."""
        if len(rows) == len(self.counts):
            return self
        squares = None if self.squares is None else self.squares[rows]
        draws = self.draws if self.explicit_draws else None
        return Matrices(self.counts[rows], squares, self.labels, self.sampler, draws)

    def cannot_draw(self, s: Statistic, draw: Draw) -> str | None:
        """Return why large matrices are not drawn unless ``draws`` was given, None if they are."""
        classes = len(self.labels)
        if isinstance(self.counts, OccupiedCells) and draw == "posterior":
            return f"{classes:,} classes make {classes**2:,} cells, too many for a posterior"
        if self.explicit_draws or classes <= MOST_CLASSES:
            return None
        occupied = s.takes_occupied and draw != "posterior"
        cells = self._occupied_cells if occupied else classes**2
        if occupied and cells <= MOST_CELLS_DRAWN // (5 if self._keeps_all(draw) else 1):
            return None
        return (
            f"{classes:,} classes make {cells:,} {'occupied ' if occupied else ''}cells, too many "
            f"to draw {self.draws:,} times by default; say draws=200"
        )

    @property
    def _occupied_cells(self) -> int:
        """The largest number of occupied cells in any matrix."""
        if isinstance(self.counts, OccupiedCells):
            return len(self.counts.true)
        return int(np.count_nonzero(self.counts, (-2, -1)).max())

    def _keeps_all(self, draw: Draw) -> bool:
        """Return whether all draws of the cells are in memory at once, as fixed shares need it."""
        return draw == "stratified" or self.sampler.stratified

    def proportion(self, s: Statistic) -> tuple[Floats, Floats]:
        """Return successes and rows of a proportion; with weights, the effective numbers."""
        return self._share(s, s.metric)

    def two_shares(self, s: Statistic) -> Shares:
        """Return successes and rows of the two proportions of a ratio; effective if weighted."""
        of = s.metric._sampling.two_shares
        assert of is not None
        (hit, n), (other_hit, other_n) = (self._share(s, share) for share in (of.first, of.second))
        return (hit, other_hit), (n, other_n)

    def score_bounds(self, s: Statistic, level: float) -> tuple[Floats, Floats]:
        """Return the score interval of the ratio behind a statistic; its functions share it."""
        of = s.metric._sampling.two_shares
        assert of is not None
        key = (of.contrast, of.first.name, of.second.name, s.positive, level)
        if key not in self._score_bounds:
            self._score_bounds[key] = bounds(of.contrast, *self.two_shares(s), level)
        return self._score_bounds[key]

    def _share(self, s: Statistic, proportion: Metric) -> tuple[Floats, Floats]:
        share = proportion._sampling.proportion
        assert share is not None
        squares = None if self.squares is None else s.view(self.squares, self.labels)
        return effective_hits(share, s.view(self.counts, self.labels), squares)

    @cached_property
    def has_empty_cell(self) -> NDArray[np.bool_]:
        """Whether one of the four counts is zero, for two classes.

        Always False for more classes: many cells are empty, and few of them matter.
        """
        if len(self.labels) != 2:
            return np.zeros(len(self.counts), dtype=bool)
        return np.asarray((self.counts == 0).any((-2, -1)))

    def jackknife(self, s: Statistic) -> Jackknife:
        """Return the delete-one jackknife values, per cell."""
        return self._neighbours.jackknife(s, self.sampler.stratified)

    @cached_property
    def _neighbours(self) -> Neighbours:
        return Neighbours(self.counts, self.squares, self.labels)

    def replicates(self, cases: Sequence[Case], draw: Draw) -> Sequence[Floats]:
        """Return replicates of all cases from one set of draws."""
        sampler, kind = self._sampler_for(draw)
        statistics = [case.statistic for case in cases]

        def of(block: Floats | OccupiedCells) -> list[Floats]:
            return MatrixViews(block, self.labels).values(statistics)

        size = len(statistics)
        return sampler.values(of, size, self.counts, self.squares, kind, self.draws)  # type: ignore[return-value]


# -- jackknife ---------------------------------------------------------------------------------


class StandardError(NamedTuple):
    """Standard errors (...), their degrees of freedom and Efron's acceleration.

    NaN where the metric is undefined or infinite without one of the rows.
    """

    error: Floats
    degrees_of_freedom: Floats
    acceleration: Floats


@dataclass(frozen=True)
class Jackknife:
    """Delete-one jackknife values per cell of a tally, and the standard errors they give.

    ``values[..., C]`` are the values without one row of each cell; ``weight[..., C]`` the weight
    of such a row, 0 in an empty cell; ``rows[..., C]`` the number of rows (effective if weighted);
    ``truth[C]`` their class. ``value[...]`` is the value on all rows. With ``stratified``, class
    shares are fixed, so only variation within each class counts. ``scores[C]`` are the scores of
    the cells, if they have any.
    """

    value: Floats
    values: Floats
    weight: Floats
    rows: Floats
    truth: NDArray[np.intp]
    stratified: bool = False
    scores: Floats | None = None

    def slopes(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return the metric's change per added row at each score: of positives, of negatives."""
        assert self.scores is not None
        with np.errstate(invalid="ignore"):  # the metric may be infinite
            rises = (self.value - self.values) / self.weight
        pos, neg = (
            np.interp(scores, self.scores[own], rises[own]) if own.any() else np.zeros(len(scores))
            for own in (self.truth == 1, self.truth == 0)
        )
        return pos, neg

    @cached_property
    def standard_error(self) -> StandardError:
        """The root of (n-1)/n times the sum of squared changes, per class if ``stratified``.

        The degrees of freedom are Satterthwaite's, 2 V² / Var(V) with V that sum: large if many
        rows contribute equally, small if a few rows carry most of it. They are infinite where the
        error is known exactly, and NaN where no row changes the metric.
        """
        classes = np.unique(self.truth) if self.stratified else [0]
        together: list[Any] = [self.truth == k if self.stratified else slice(None) for k in classes]
        variance, second, third, spread = (np.zeros(np.shape(self.value)) for _ in range(4))
        used = self.weight > 0
        with np.errstate(all="ignore"):
            change = np.asarray(self.values - np.expand_dims(self.value, -1))
            slope = np.where(used, change / self.weight, 0.0)
            for cells in together:
                weight, rows = self.weight[..., cells], self.rows[..., cells]
                total = (weight * rows).sum(-1, keepdims=True)
                mean = (weight * rows * slope[..., cells]).sum(-1, keepdims=True) / total
                moves = weight * (slope[..., cells] - np.where(total > 0, mean, 0.0))
                n, squared = rows.sum(-1), moves * moves
                square = (rows * squared).sum(-1)
                variance += np.where(n > 0, (n - 1) / n * square, 0.0)
                second += square
                third += (rows * squared * moves).sum(-1)
                spread += (rows * squared * squared).sum(-1) - square**2 / np.maximum(n, 1.0)
            certain = ~(spread > 1e-12 * second**2)
            freedom = np.where(certain, np.inf, np.maximum(2 * second**2 / spread, 1.0))
            acceleration = np.where(second > 0, -third / (6 * second**1.5), 0.0)
            defined = (np.isfinite(change) | ~used).all(-1)
            estimates = (
                np.where(defined, np.sqrt(variance.clip(0.0)), np.nan),
                np.where(defined & (second > 0), freedom, np.nan),
                np.where(np.isfinite(acceleration), acceleration, 0.0),
            )
            return StandardError(*(v[()] for v in estimates))

    @property
    def error(self) -> Floats:
        """The standard error."""
        return self.standard_error.error

    @property
    def degrees_of_freedom(self) -> Floats:
        """The degrees of freedom of the standard error."""
        return self.standard_error.degrees_of_freedom


class Neighbours:
    """Matrices [..., K, K] with one row of each cell removed, shared by all statistics."""

    def __init__(self, matrices: Floats, squares: Floats | None, labels: Sequence[Label]) -> None:
        self.labels, self.shape, k = labels, matrices.shape, matrices.shape[-1]
        self.cells = matrices.reshape(*self.shape[:-2], k * k)
        second = None if squares is None else squares.reshape(self.cells.shape)
        self.weight, self.rows = rows_of(self.cells, second)
        self.used = np.flatnonzero((self.cells > 0).reshape(-1, k * k).any(0))

    @cached_property
    def _together(self) -> MatrixViews | None:
        """All matrices, the original first; None if they would need too much memory."""
        fit = (len(self.used) + 1) * self.cells.size <= CELLS_AT_ONCE
        return self._without([None, *self.used.tolist()]) if fit else None

    def _without(self, cells: Sequence[int | None]) -> MatrixViews:
        moved = np.repeat(self.cells[None], len(cells), 0)
        for neighbour, c in zip(moved, cells, strict=True):
            if c is not None:
                neighbour[..., c] = np.maximum(neighbour[..., c] - self.weight[..., c], 0)
        return MatrixViews(moved.reshape(len(cells), *self.shape), self.labels)

    def jackknife(self, s: Statistic, stratified: bool = False) -> Jackknife:
        """Return the delete-one jackknife values per cell. Source: efron1993.

        >>> from tallymark.metric import get
        >>> counts = np.array([[[40.0, 10.0], [5.0, 45.0]]])
        >>> accuracy = Statistic.of(get("accuracy"), (0, 1))
        >>> Neighbours(counts, None, (0, 1)).jackknife(accuracy).error.round(4).tolist()
        [0.0359]
        """
        if self._together is not None:
            value, *changed = self._together.value(s)
        else:
            every = (self._without([c]).value(s)[0] for c in [None, *self.used.tolist()])
            value, *changed = every
        values = np.repeat(np.asarray(value)[..., None], self.cells.shape[-1], -1)
        for c, without in zip(self.used.tolist(), changed, strict=True):
            values[..., c] = np.where(self.cells[..., c] > 0, without, value)
        k = self.shape[-1]
        truth = np.arange(k * k) // k
        return Jackknife(np.asarray(value), values, self.weight, self.rows, truth, stratified)


def rows_of(counts: Floats, squares: Floats | None) -> tuple[Floats, Floats]:
    """Return the weight of a row in each cell (0 if empty) and the number of rows."""
    if squares is None:
        return np.minimum(counts, 1.0), np.where(counts > 0, np.maximum(counts, 1.0), 0.0)
    rows, weight = effective_cells(counts, squares)
    return np.where(counts > 0, weight, 0.0), rows


# -- from standard errors to intervals -------------------------------------------------------------


def percentile_level(level: float, degrees_of_freedom: float) -> float:
    """Return the nominal level at which percentile intervals have the coverage of ``level``.

    Percentiles over draws of n clusters are too narrow by the root of (n-1)/n, and ignore the
    uncertainty of the variance between clusters (Hesterberg 2015).

    >>> round(percentile_level(0.95, 17), 4)
    0.9701
    """
    from scipy.special import ndtr

    z = critical_value(level, degrees_of_freedom) * math.sqrt(1 + 1 / degrees_of_freedom)
    return float(1 - 2 * ndtr(-z))


def critical_value(level: float, degrees_of_freedom: Any) -> Floats:
    """Return the two-sided quantile of Student's t; infinite degrees of freedom give the normal.

    >>> critical_value(0.95, np.array([4, math.inf])).round(3).tolist()
    [2.776, 1.96]
    """
    from scipy.special import ndtri, stdtrit

    share, endless = (1 + level) / 2, np.isinf(degrees_of_freedom)
    quantile = stdtrit(np.where(endless, 1.0, degrees_of_freedom), share)
    return np.where(endless, ndtri(share), quantile)[()]  # type: ignore[no-any-return]


def scaled(
    values: Any, errors: Any, critical: Any, extent: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Return normal intervals on the scale that suits the range of a metric.

    The logit for 0 to 1, Fisher's z for -1 to 1, the logarithm for ratios from 0 up; so the
    bounds stay in the range. NaN where the value is at an end of its range.

    >>> low, high = scaled(np.array([0.9, 1.0]), 0.05, 1.959964, (0, 1))
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.7518, nan], [0.9639, nan])
    """
    least, most = extent
    with np.errstate(all="ignore"):
        half = np.where(np.asarray(errors) > 0, critical * np.asarray(errors), np.nan)
        if math.isfinite(least) and math.isfinite(most):
            share = np.asarray((values - least) / (most - least))
            centre, half = np.log(share / (1 - share)), half / (most - least) / share / (1 - share)
            ends = (1 / (1 + np.exp(half - centre)), 1 / (1 + np.exp(-half - centre)))
            low, high = (least + (most - least) * end for end in ends)
            inside = (share > 0) & (share < 1)
        elif math.isfinite(least):
            factor = np.exp(np.minimum(half / (values - least), 700))
            low, high = least + (values - least) / factor, least + (values - least) * factor
            inside = values > least
        elif math.isfinite(most):
            low, high = scaled(-values, errors, critical, (-most, math.inf))
            return -high, -low
        else:
            low, high, inside = values - half, values + half, np.isfinite(values)
        return np.where(inside, low, np.nan)[()], np.where(inside, high, np.nan)[()]
