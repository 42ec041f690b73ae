"""Draw replicates of tallies under a sampling design: all of the package's randomness is here.

Drawing n rows with replacement is a multinomial draw over the cells of a tally, so 10^9 rows cost
no more than 10^3. Draws depend only on the counts and the seed: each tally of a stack uses its own
random stream, whatever else is drawn and in whichever order.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.metric.measure import Statistic, as_average, over_pairs
from tallymark.metric.proportion import binomial_draws
from tallymark.reading.models import Model
from tallymark.tally.arrays import Floats
from tallymark.tally.joint import (
    GROUPS_OF_MANY,
    MOST_BLOCKS,
    PairedBlocks,
    PairedPredictions,
    WithoutEach,
)
from tallymark.tally.labels import LabelTally
from tallymark.tally.occupied import OccupiedCells
from tallymark.tally.role_tally import RoleTally
from tallymark.tally.scores import ScoreCounts, ScoreTally

Kind = Literal["bootstrap", "posterior", "bayesian"]
"""Rows drawn with replacement; cell shares from their Dirichlet posterior; the same without a prior
(Rubin's Bayesian bootstrap)."""

Null = Literal["calibrated", "no skill"]
"""Null hypotheses: probabilities are calibrated, or scores are independent of the class."""

DRAWS = 1000
"""Replicates per interval: the Monte Carlo error of a bound is about 4 % of the half width."""

PRIOR_ROWS = 2.0
"""Prior weight of the posterior, in rows, spread evenly over the cells; for the four cells of a
binary matrix this is Jeffreys' prior."""

MOST_CELLS = 80_000_000
"""Upper limit for the number of cells of all blocks, score groups and classes."""

_CELLS_AT_ONCE = 1 << 21
_DRAWS_AT_ONCE = 250


@dataclass(frozen=True, slots=True)
class Sampler:
    """Draws replicates of tallies of independently sampled rows.

    ``stratified`` treats class shares as known rather than sampled: rows are drawn within each
    class, and every class keeps its weight. With sums of squared weights, the variance of a cell
    is that of its weighted rows (:func:`effective_cells`).

    >>> counts = np.array([[[8.0, 2.0], [1.0, 9.0]]])
    >>> drawn = np.concatenate(list(Sampler().matrices(counts, None, "bootstrap")))
    >>> drawn.shape, float(drawn.sum((-2, -1)).max())
    ((1, 1000, 2, 2), 20.0)
    """

    seed: int = 0
    stratified: bool = False

    def generator(self, *words: str | int) -> np.random.Generator:
        """Return the random generator for a purpose, always with the same stream for a seed."""
        purpose = zlib.crc32("/".join(map(str, words)).encode())
        return np.random.default_rng([self.seed, 0, purpose])

    # -- decisions -----------------------------------------------------------------------------

    def matrices(
        self,
        counts: Floats,
        sum_squared_weights: Floats | None,
        kind: Kind,
        draws: int = DRAWS,
    ) -> Iterator[Floats]:
        """Yield replicates [s, draws, K, K] of ``counts[S, K, K]``, a batch of matrices at a time.

        Every replicate has the total weight of its matrix (per class if stratified). The bootstrap
        never fills an empty cell; the posterior gives it a small weight. The draws of a cell are
        contiguous in memory.
        """
        k = counts.shape[-1]
        lead = (k, k) if self.stratified else (1, k * k)  # cells that are drawn together
        some = max(1, _CELLS_AT_ONCE // (draws * k * k))
        for start in range(0, len(counts), some):
            part = slice(start, start + some)
            cells = counts[part].reshape(-1, *lead)
            squares = None if sum_squared_weights is None else sum_squared_weights[part]
            second = None if squares is None else squares.reshape(cells.shape)
            rows, unit = _rounded_cells(cells, second)
            distinct = {n.tobytes(): n for n in rows}
            replicates = np.empty((*lead, len(distinct), draws))
            for i, n in enumerate(distinct.values()):
                self._fill(replicates[:, :, i], n, kind)
            if len(distinct) < len(rows):
                place = {key: i for i, key in enumerate(distinct)}
                replicates = replicates[:, :, [place[n.tobytes()] for n in rows]]
            replicates *= np.moveaxis(unit, 0, -1)[..., None]
            total = replicates.sum(1, keepdims=True)
            whole = cells.sum(-1).T[:, None, :, None]
            replicates *= np.divide(whole, total, out=np.zeros_like(total), where=total > 0)
            yield np.moveaxis(replicates.reshape(k, k, -1, draws), (0, 1), (-2, -1))

    def occupied(
        self,
        counts: Floats | OccupiedCells,
        sum_squared_weights: Floats | OccupiedCells | None,
        kind: Kind,
        draws: int = DRAWS,
    ) -> Iterator[OccupiedCells]:
        """Yield the replicates of one matrix of many classes, some draws at a time.

        They are those of :meth:`matrices`; of a bootstrap, empty cells are not drawn, since they
        stay empty. Fixed class shares need all draws of a class before those of the next.
        """
        k = len(counts)
        groups = list(_drawn_together(counts, sum_squared_weights, self.stratified, kind))
        true, predicted = np.divmod(np.concatenate([g.place for g in groups]), k)
        ends = np.cumsum([len(g.place) for g in groups])
        rng, some = self.generator(kind), max(1, _CELLS_AT_ONCE // max(len(true), 1))
        size = draws if self.stratified else some
        for start in range(0, draws, size):
            values = np.empty((len(true), min(size, draws - start)))
            for g, replicates in zip(groups, np.split(values, ends[:-1]), strict=True):
                self._draw(rng, replicates, g.rows, g.drawn, kind)
                replicates *= g.unit[:, None]
                total = replicates.sum(0)
                weight = g.weight
                replicates *= np.divide(weight, total, out=np.zeros_like(total), where=total > 0)
            for first in range(0, values.shape[1], some):
                yield OccupiedCells(values[:, first : first + some], true, predicted, k)

    def _fill(self, out: Floats, rows: Floats, kind: Kind) -> None:
        """Fill ``out[group, cell, draws]`` with replicates of the row counts of each cell."""
        rng, every = self.generator(kind), np.ones(rows.shape[1], dtype=bool)
        for replicates, n in zip(out, rows, strict=True):
            self._draw(rng, replicates, n, every, kind)

    def _draw(
        self,
        rng: np.random.Generator,
        out: Floats,
        rows: Floats,
        drawn: NDArray[np.bool_],
        kind: Kind,
    ) -> None:
        """Fill ``out[cell, draws]`` with replicates of the cells that are drawn.

        A multinomial draw gives its last cell what the others leave, so the last cell is drawn
        even where it is empty: the others are then the same as in a draw of all cells.
        """
        if kind == "bootstrap":
            shares, whole = shares_of(rows), round(float(rows.sum()))
            last = shares[drawn] if drawn[-1] else np.append(shares[drawn], shares[-1])
            out[:] = rng.multinomial(whole, last, size=out.shape[-1])[:, : len(out)].T
        else:
            prior = 0.0
            if kind == "posterior":
                prior = (1.0 if self.stratified else PRIOR_ROWS) / len(rows)
            alpha = rows[drawn] + prior
            out[:] = rng.standard_gamma(alpha, size=(out.shape[-1], len(alpha))).T

    def values(
        self,
        of: Callable[[Floats | OccupiedCells], Sequence[NDArray[Any]]],
        size: int,
        counts: Floats,
        sum_squared_weights: Floats | None,
        kind: Kind,
        draws: int = DRAWS,
    ) -> Floats:
        """Return ``size`` statistics over replicates of matrices: [size, S, draws].

        ``of`` is called with many replicates of a few small matrices, or with a few replicates of
        a matrix of many classes by its occupied cells.
        """
        out = np.empty((size, len(counts), draws))
        if counts.shape[-1] ** 2 * draws > _CELLS_AT_ONCE:
            squares = [None] * len(counts) if sum_squared_weights is None else sum_squared_weights
            for i, one in enumerate(zip(counts, squares, strict=True)):
                start = 0
                for some in self.occupied(*one, kind, draws):
                    end = start + len(some)
                    for values, of_block in zip(out, of(some), strict=True):
                        values[i, start:end] = of_block
                    start = end
            return out
        start = 0
        for block in self.matrices(counts, sum_squared_weights, kind, draws):
            for values, of_block in zip(out, of(block), strict=True):
                values[start : start + len(block)] = of_block
            start += len(block)
        return out

    # -- scores --------------------------------------------------------------------------------

    def scores(
        self, tally: ScoreTally | RoleTally, kind: Kind, draws: int = DRAWS
    ) -> Iterator[ScoreCounts]:
        """Yield replicates of one class's scores with their weight, pos and neg of shape [b, G].

        The posterior's prior is worth two rows, one per class: half of it is spread evenly over the
        scores, the rest is at both ends, so that every threshold has some of it above and below. So
        a perfect ranking in the sample still leaves errors possible.
        """
        r, squares = tally._score_counts, tally._squared_score_counts
        cells = np.stack([r.pos, r.neg])
        second = None if squares is None else np.stack([squares.pos, squares.neg])
        rows, unit = effective_cells(cells, second)
        axes = -1 if self.stratified else (-2, -1)
        total = cells.sum(axes, keepdims=True)
        alpha = rows.copy()
        if kind == "posterior":
            alpha += PRIOR_ROWS / (2 * cells.size)
            alpha[:, [0, -1]] += PRIOR_ROWS / 8
        rng, block = self.generator("scores", kind), max(1, _CELLS_AT_ONCE // max(cells.size, 1))
        for start in range(0, draws, block):
            b = min(block, draws - start)
            if kind == "bootstrap":
                replicates = self._rows_of(rng, rows, b)
            else:
                replicates = rng.standard_gamma(alpha, size=(b, *alpha.shape))
            replicates *= unit
            weight = replicates.sum(axes, keepdims=True)
            replicates *= np.divide(total, weight, out=np.zeros_like(weight), where=weight > 0)
            yield r._with_counts(replicates[:, 0], replicates[:, 1])

    def _rows_of(self, rng: np.random.Generator, rows: Floats, draws: int) -> Floats:
        groups = rows if self.stratified else [rows.ravel()]
        replicates = [
            rng.multinomial(round(float(n.sum())), shares_of(n), size=draws) for n in groups
        ]
        return np.stack(replicates, 1).reshape(draws, *rows.shape).astype(np.float64)

    def samples(self, cells: Floats, n: int, draws: int, purpose: str) -> Iterator[Floats]:
        """Yield samples [b, *cells.shape] of n rows from a population with these cell weights.

        Every purpose has its own random stream; equal shares give equal draws.

        >>> drawn = next(Sampler().samples(np.array([[3.0, 0.0], [1.0, 4.0]]), 50, 2, "limits"))
        >>> drawn.shape, drawn.sum((-2, -1)).tolist(), drawn[:, 0, 1].tolist()
        ((2, 2, 2), [50.0, 50.0], [0.0, 0.0])
        """
        rng, shares = self.generator("samples", purpose), shares_of(cells.ravel())
        block = max(1, _CELLS_AT_ONCE // max(cells.size, 1))
        for start in range(0, draws, block):
            rows = rng.multinomial(n, shares, size=min(block, draws - start))
            yield rows.reshape(-1, *cells.shape).astype(np.float64)

    def halves(self, tally: ScoreTally, repeats: int) -> Iterator[ScoreCounts]:
        """Yield both halves of random splits of one class's scores: pos and neg [b, 2, G].

        Half of the rows of each class go to either half, by a multivariate hypergeometric draw over
        the cells. Weighted rows of one score count as their effective number (Kish).

        >>> t = ScoreTally.from_arrays([0, 1, 1, 0, 1], [0.1, 0.2, 0.2, 0.3, 0.4])
        >>> halves = next(Sampler().halves(t, 3))
        >>> halves.pos.shape, halves.pos.sum(1)[0].tolist(), halves.positives[0].tolist()
        ((3, 2, 4), [0.0, 2.0, 0.0, 1.0], [1.0, 2.0])
        """
        r, squares = tally._score_counts, tally._squared_score_counts
        cells = np.stack([r.pos, r.neg])
        second = None if squares is None else np.stack([squares.pos, squares.neg])
        rows, _ = effective_cells(cells, second)
        rows = np.where(cells > 0, np.maximum(np.rint(rows), 1), 0).astype(np.int64)
        weight = np.divide(cells, rows, out=np.zeros(cells.shape), where=rows > 0)
        rng, block = self.generator("halves"), max(1, _CELLS_AT_ONCE // max(2 * cells.size, 1))
        for start in range(0, repeats, block):
            b = min(block, repeats - start)
            one = np.stack([_half(rng, of_class, b) for of_class in rows])
            both = np.stack([one, rows[:, None] - one], 2) * weight[:, None, None]
            yield ScoreCounts(r.scores, both[0], both[1])

    def of_null(
        self,
        tally: ScoreTally,
        null: Null,
        draws: int,
        purpose: str = "",
        design_effect: float = 1.0,
    ) -> Iterator[ScoreCounts]:
        """Yield replicates of the same scores with classes drawn under a null hypothesis.

        "calibrated": each row is positive with the probability that its score says. "no skill": the
        classes are dealt to the scores at random. Weighted rows of one score count as their
        effective number (Kish). Rows in clusters count as ``1 / design_effect`` rows each, spread
        evenly over the scores.
        """
        total, squares = tally.counts.sum(1), tally.sum_squared_weights
        rows, unit = effective_cells(total, None if squares is None else squares.sum(1))
        if design_effect > 1:
            rows = np.diff(np.rint(rows.cumsum() / design_effect), prepend=0.0)
        else:
            rows = np.rint(rows)
            unit = total / np.maximum(rows, 1)
        p = np.clip(tally.scores, 0.0, 1.0)
        if null == "no skill":
            p = np.full(len(p), tally.counts[:, 1].sum() / max(total.sum(), 1e-300))
        rng = self.generator(null, purpose)
        block = max(1, _CELLS_AT_ONCE // max(2 * len(p), 1))
        for start in range(0, draws, block):
            b = min(block, draws - start)
            if null == "no skill" and rows.sum() < _MOST_DEALT:
                positives: Floats = rng.multivariate_hypergeometric(
                    rows.astype(np.int64), round(rows.sum() * p[0]), size=b, method="marginals"
                ).astype(np.float64)
            else:
                positives = binomial_draws(rng, rows, p, b)
            yield ScoreCounts(tally.scores, positives * unit, (rows - positives) * unit)


_MOST_DEALT = 1_000_000_000
"""NumPy's limit for exact halves; above it, each row is assigned at random."""


def _half(rng: np.random.Generator, rows: NDArray[np.int64], draws: int) -> NDArray[np.int64]:
    """Return how many rows of each cell (C,) are in a random half of all rows: (draws, C)."""
    if rows.sum() >= _MOST_DEALT:
        return rng.binomial(rows, 0.5, size=(draws, len(rows)))
    half = int(rows.sum()) // 2
    return rng.multivariate_hypergeometric(rows, half, size=draws, method="marginals")


class _Group(NamedTuple):
    """Cells that are drawn together: all of them, or with fixed class shares those of one class.

    ``rows`` of each cell, and which of them are ``drawn``; of these the ``place`` in the flat
    matrix and the weight of a row (``unit``). ``weight`` is that of all rows.
    """

    rows: Floats
    drawn: NDArray[np.bool_]
    place: NDArray[np.intp]
    unit: Floats
    weight: float


def _drawn_together(
    counts: Floats | OccupiedCells,
    sum_squared_weights: Floats | OccupiedCells | None,
    stratified: bool,
    kind: Kind,
) -> Iterator[_Group]:
    """Yield the cells of a matrix of many classes that are drawn together."""
    k, squares = len(counts), sum_squared_weights
    if isinstance(counts, OccupiedCells):
        assert squares is None or isinstance(squares, OccupiedCells)
        place = counts.true * k + counts.predicted
        order = np.argsort(place, kind="stable")
        order = order[counts.values[order] > 0]
        classes = np.arange(1, k if stratified else 1)
        ends = np.searchsorted(counts.true[order], classes)
        for i, own in enumerate(np.split(order, ends)):
            cells = counts.values[own]
            rows, unit = _rounded_cells(cells, None if squares is None else squares.values[own])
            final = (i + 1) * k - 1 if stratified else k * k - 1
            drawn = np.ones(len(own), dtype=bool)
            if not len(own) or place[own[-1]] != final:  # of which an empty last cell is a part
                rows, drawn = np.append(rows, 0.0), np.append(drawn, False)
            yield _Group(rows, drawn, place[own], unit, float(cells.sum()))
        return
    lead = (k, k) if stratified else (1, k * k)
    assert not isinstance(squares, OccupiedCells)
    cells = counts.reshape(lead)
    rows, unit = _rounded_cells(cells, None if squares is None else squares.reshape(lead))
    drawn = rows > 0 if kind != "posterior" else np.ones(lead, dtype=bool)
    for i, of in enumerate(drawn):
        place = np.flatnonzero(of) + i * lead[1]
        yield _Group(rows[i], of, place, unit[i, of], cells[i].sum())


def effective_cells(cells: Floats, sum_squared_weights: Floats | None) -> tuple[Floats, Floats]:
    """Return the effective number of rows of each of ``cells[..., C]``, and their weight.

    Rows of weights w have the effective number (Σw)² / Σw², each of weight Σw² / Σw. Draws with
    these have the same expected sum and variance as draws of the weighted rows.
    """
    if sum_squared_weights is None:
        return cells, np.ones(cells.shape)
    squares = sum_squared_weights
    present = (cells > 0) & (squares > 0)
    with np.errstate(all="ignore"):
        # An empty cell gets the typical weight of all rows.
        usual = np.nan_to_num(squares.sum(-1, keepdims=True) / cells.sum(-1, keepdims=True))
        return np.where(present, cells**2 / squares, 0.0), np.where(present, squares / cells, usual)


def _rounded_cells(cells: Floats, sum_squared_weights: Floats | None) -> tuple[Floats, Floats]:
    """Return :func:`effective_cells`, without the last bits of the rows.

    Rescaled weights, e.g. for another prevalence, change these; without them draws are identical.
    """
    rows, unit = effective_cells(cells, sum_squared_weights)
    mantissa, exponent = np.frexp(rows)
    return np.ldexp(np.rint(np.ldexp(mantissa, 43)), exponent - 43), unit


def effective_rows(counts: Floats, sum_squared_weights: Floats | None) -> Floats:
    """Return Kish's effective number of rows of each true class, ``counts[..., K]`` by class.

    Multiplying a class by a factor, and its squared weights by the square, leaves it unchanged.
    """
    lead = tuple(range(counts.ndim - 1))
    total = counts.sum(lead)
    second = total if sum_squared_weights is None else sum_squared_weights.sum(lead)
    with np.errstate(all="ignore"):
        return np.asarray(np.where(second > 0, total**2 / second, 0.0))


def class_rows(tally: LabelTally) -> Floats:
    """Return the effective number of rows of each true class of a decision tally."""
    counts, squares = tally.counts, tally.sum_squared_weights
    if isinstance(counts, OccupiedCells):
        return effective_rows(
            counts.sum(1)[None], None if squares is None else squares.sum(1)[None]
        )
    return effective_rows(counts.T, None if squares is None else squares.T)


def shares_of(rows: Floats) -> Floats:
    """Return shares that sum to at most one in floating point, as NumPy's multinomial requires."""
    shares = rows / max(float(rows.sum()), 1e-300)
    excess = float(shares[:-1].sum())
    return shares / excess if excess > 1 else shares


def percentile_bounds(values: NDArray[Any], level: float) -> tuple[Floats, Floats]:
    """Return the percentile interval over the last axis, ignoring undefined replicates.

    Bounds are NaN if fewer than half of the replicates are defined. Order statistics are not
    interpolated, because replicates may be infinite.

    >>> [float(bound) for bound in percentile_bounds(np.arange(1000.0), 0.95)]
    [25.0, 974.0]
    """
    draws, tail = values.shape[-1], (1 - level) / 2
    defined = draws - np.count_nonzero(np.isnan(values), axis=-1)
    # Allow for rounding: 0.05 * 100 in floating point is not exactly 5.
    ends = np.floor(tail * defined + 1e-9), np.ceil((1 - tail) * defined - 1e-9) - 1
    at = np.clip(np.stack(ends, -1), 0, np.maximum(defined - 1, 0)[..., None]).astype(np.intp)
    if not draws:
        return np.full(defined.shape, np.nan), np.full(defined.shape, np.nan)
    bounds = np.take_along_axis(np.partition(values, np.unique(at), axis=-1), at, axis=-1)
    bounds = np.where(2 * defined[..., None] >= draws, bounds, np.nan)  # partition puts NaN last
    return bounds[..., 0], bounds[..., 1]


def moments(values: NDArray[Any]) -> tuple[Floats, Floats]:
    """Return mean and standard deviation over the last axis, ignoring undefined replicates.

    NaN if none is defined.

    >>> [float(moment) for moment in moments(np.array([1.0, 3.0, np.nan]))]
    [2.0, 1.0]
    """
    defined = ~np.isnan(values)
    count = defined.sum(-1)
    with np.errstate(all="ignore"):
        mean = np.asarray(np.where(defined, values, 0.0).sum(-1) / count)
        moved = np.where(defined, values - mean[..., None], 0.0)
        return mean, np.sqrt((moved**2).sum(-1) / count)


MOST_COLUMNS_KEPT = 20
"""Columns of scores of a model up to which the replicates of all draws are kept."""


class BlockReplicates:
    """Models' counts over the same draws of blocks of their rows, or of their clusters.

    With fixed class shares, rows are drawn within each class. Clusters may hold rows of several
    classes, so they are drawn as wholes, and each class is reweighted to its share in the tallies.
    """

    def __init__(
        self,
        joint: PairedPredictions,
        models: Sequence[Model],
        sampler: Sampler,
        *,
        draws: int,
        most: int = MOST_BLOCKS,
    ) -> None:
        self.joint, self.models, self.sampler = joint, models, sampler
        self.draws, self.most = draws, most
        self._matrices: dict[int, Floats] = {}
        self._rankings: dict[int, tuple[list[ScoreCounts], list[ScoreCounts]]] = {}

    @cached_property
    def blocks(self) -> PairedBlocks:
        """The counts of the rows, per block."""
        return self._blocks(self.sampler.stratified)

    @cached_property
    def blocks_of_pairs(self) -> PairedBlocks:
        """The counts per block, with the classes of each score column kept separate."""
        return self.blocks if self.sampler.stratified else self._blocks(True)

    def _blocks(self, apart: bool) -> PairedBlocks:
        return self.joint.blocks(
            [m.threshold for m in self.models],
            [m.scores for m in self.models],
            names=[m.name for m in self.models],
            seed=self.sampler.seed,
            most=self.most,
            apart=apart,
        )

    @cached_property
    def times(self) -> Floats | WithoutEach:
        """How often each block is drawn: [draw, class, block]."""
        apart = self.sampler.stratified and self.joint.clusters is None
        return self.blocks.draw(self.draws, self.sampler.generator("blocks"), apart)

    @cached_property
    def without_each(self) -> BlockReplicates:
        """The delete-one-block counts, in place of draws."""
        n = len(self.blocks)  # compute before the copy, so that the copy shares the blocks
        jackknife = copy(self)
        jackknife.draws, jackknife._matrices, jackknife._rankings = n, {}, {}
        jackknife.times = WithoutEach(n, len(self.joint.labels))
        return jackknife

    def matrices(self, i: int) -> Floats:
        """Return the resampled matrices [draw, true, predicted] of one model."""
        if i not in self._matrices:
            replicates, factors = self.blocks.matrices(i, self.times), self._factors(self.times)
            self._matrices[i] = replicates if factors is None else replicates * factors[..., None]
        return self._matrices[i]

    def rankings(self, i: int) -> tuple[list[ScoreCounts], list[ScoreCounts]]:
        """Return one model's resampled scores and those of all rows, one per score column."""
        if i not in self._rankings:
            self._rankings[i] = self._rankings_of(self.blocks, i)
        return self._rankings[i]

    def _rankings_of(
        self, blocks: PairedBlocks, i: int, pairs: bool = False
    ) -> tuple[list[ScoreCounts], list[ScoreCounts]]:
        replicates, once = (
            blocks.rankings(i, times, self._factors(times), pairs=pairs)
            for times in (self.times, blocks.once)
        )
        return replicates, once

    def _factors(self, times: Floats | WithoutEach) -> Floats | None:
        """Return the factor that restores each class's share: [draw, class], NaN without rows."""
        if not self.sampler.stratified:
            return None
        observed = self.models[0].labels.reorder(self.joint.labels).counts.sum(1)
        support = self.blocks.decided[0].sum(-1)
        resampled = np.stack([times[:, t] @ support[:, t] for t in range(len(observed))], 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(
                np.where(resampled > 0, observed / resampled, np.where(observed > 0, np.nan, 0))
            )

    def holds(self, i: int, s: Statistic) -> bool:
        """Return whether the counts of blocks suffice for a statistic of a model."""
        metric, several = s.metric, len(self.models[i].scores) > 1
        if metric._needs in ("counts", "matrix"):
            return True
        if over_pairs(s):
            columns = len(self.models[i].scores)
            return columns**2 * GROUPS_OF_MANY * self.most <= MOST_CELLS
        if metric._sampling.averages is not None:
            return True
        if metric._needs in ("rows", "class_scores") or metric.classes == "many":
            return False
        fixed = self.sampler.stratified
        return not (several and metric._needs == "probabilities" and fixed)

    def values(self, i: int, s: Statistic) -> tuple[NDArray[Any], float] | None:
        """Return a statistic's values over the draws, and on the original counts.

        None if the counts of blocks do not suffice.
        """
        if not self.holds(i, s):
            return None
        labels, model = self.joint.labels, self.models[i]
        if s.metric._needs in ("counts", "matrix"):
            whole = model.labels.reorder(labels).counts
            return s.of_matrix(self.matrices(i), labels), float(s.of_matrix(whole, labels))
        if (of_role := model._role_tallies.get(s.metric._role)) is not None:
            return self._with_role(i, s, of_role)
        if over_pairs(s):
            both = self._rankings_of(self.blocks_of_pairs, i, pairs=True)
        else:
            chosen = [model.scores.index(t) for t in s.of_requested_classes(model.scores)]
            replicates, once = self.rankings(i)
            both = [replicates[c] for c in chosen], [once[c] for c in chosen]
        average = as_average(s)
        with np.errstate(invalid="ignore"):
            values, coarse = (average.of_score_counts(rankings) for rankings in both)
        return values, float(np.squeeze(coarse))

    def averages(self, i: int, statistics: Sequence[Statistic]) -> list[tuple[Floats, float]]:
        """Return averages over a model's many columns, of a few draws at a time.

        They are those of :meth:`values`, which keeps the replicates of all draws.
        """
        columns, of_draws = self.models[i].scores, list[list[Floats]]()
        chosen = [[*map(columns.index, s.of_requested_classes(columns))] for s in statistics]
        some = max(1, self.draws * MOST_COLUMNS_KEPT // len(columns))
        drawn_times = (self.times[start : start + some] for start in range(0, self.draws, some))
        for times in (*drawn_times, self.blocks.once):
            drawn = self.blocks.rankings(i, times, self._factors(times))
            with np.errstate(invalid="ignore"):
                of_draws.append(
                    [
                        as_average(s).of_score_counts([drawn[c] for c in own])
                        for s, own in zip(statistics, chosen, strict=True)
                    ]
                )
        return [
            (np.concatenate(values), float(np.squeeze(whole)))
            for *values, whole in zip(*of_draws, strict=True)
        ]

    def _with_role(self, i: int, s: Statistic, tally: RoleTally) -> tuple[Floats, float]:
        """Return a statistic that reads a role over the draws, and on the original cells."""
        from scipy.sparse import coo_array

        joint, cells = self.joint, tally._coarse()._score_counts
        block, size = joint.dealt(self.sampler.seed, self.most)
        place, weights = tally._places(joint, self.models[i].name), joint.weights
        mass = np.ones(joint.rows) if weights is None else weights
        shape, of_class = (size, len(cells.scores)), []
        assert joint.positive_code is not None
        for code in (joint.positive_code, 1 - joint.positive_code):
            own = joint.true == code
            of_class.append((code, coo_array((mass[own], (block[own], place[own])), shape).tocsr()))
        factors, values = self._factors(self.times), []
        factors = np.ones(self.times.shape[:2]) if factors is None else factors
        for start in range(0, len(self.times), _DRAWS_AT_ONCE):
            some = slice(start, start + _DRAWS_AT_ONCE)
            drawn = [factors[some, k, None] * (self.times[some, k] @ rows) for k, rows in of_class]
            values.append(s.of_score_counts([cells._with_counts(*drawn)]))
        return np.concatenate(values), float(np.squeeze(s.of_score_counts([cells])))
