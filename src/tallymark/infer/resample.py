"""Resample from the tally: drawing rows with replacement is a multinomial draw over its cells.

The cost depends on the number of cells, not of rows: 10^9 rows cost what 10^3 do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.metric.binomial import binomial_draws
from tallymark.tally.arrays import Floats
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreCounts, ScoreTally

LABEL_DRAWS = 2000
SCORE_DRAWS = 800
ERROR_DRAWS = 250
"""For a standard error, which takes fewer draws than a quantile far out does."""

_CELLS_AT_ONCE = 1 << 22
_PRIOR_ROWS = 2.0
"""Rows that the prior of the posterior draws is worth, spread evenly over the cells: on the four
cells of a binary matrix that is Jeffreys' prior."""

_CUBES = 25.0
"""Of so many rows or more a gamma number is a cube of a normal one (Wilson & Hilferty 1931), within
0.00023 of its probabilities: 800 draws tell them to 0.02."""

_LINES_AT_ONCE = 1 << 13

NO_CELL_EMPTY = "multinomial bootstrap"
CLASS_BY_CLASS = "bootstrap within each class"
SOME_CELL_EMPTY = "Dirichlet posterior (empty cells)"
SOME_SCORES = "Dirichlet posterior"
CLASS_SCORES = "Dirichlet posterior within each class"
CLASS_POSTERIOR = "Dirichlet posterior within each class (empty cells)"


def effective_rows(counts: NDArray[Any], squares: NDArray[Any] | None, rows: int) -> float:
    """Return Kish's effective sample size (sum w)^2 / sum w^2; the rows themselves unweighted."""
    if squares is None:
        return float(rows)
    total = float(squares.sum())
    return float(counts.sum()) ** 2 / total if total else 0.0


def cell_rows(cells: NDArray[Any], squares: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return how many rows of one weight each of ``cells[..., C]`` is worth, and that weight.

    Rows of weights w in a cell are worth (Σw)² / Σw² of them, each of weight Σw² / Σw: drawn with
    these, a cell has the sum and the variance that its rows have when they are drawn.
    """
    there = (cells > 0) & (squares > 0)
    with np.errstate(all="ignore"):
        # An empty cell's rows, if it had some, would weigh what rows weigh on the whole.
        usual = squares.sum(-1, keepdims=True) / cells.sum(-1, keepdims=True)
        return np.where(there, cells**2 / squares, 0.0), np.where(there, squares / cells, usual)


def matrix_draws(
    counts: NDArray[Any],
    n: float,
    draws: int,
    rng: np.random.Generator,
    posterior: NDArray[Any],
    squares: NDArray[Any] | None = None,
) -> Iterator[NDArray[Any]]:
    """Yield blocks [b, ..., K, K] of resampled matrices of ``counts[..., K, K]``.

    A bootstrap cannot leave an empty cell, so that a perfect classifier would always come out as
    perfect. Where ``posterior`` (shape ``...``) is true, the shares are drawn instead from their
    Dirichlet posterior, which gives empty cells the weight that n rows cannot exclude. Every
    draw has the weight of ``counts`` in sum, so that metrics that grow with the rows keep their
    scale. With the ``squares`` of weights, of the shape of ``counts``, every cell varies as its
    weighted rows do: see :func:`cell_rows`; else the rows are ``n``.
    """
    k = counts.shape[-1]
    lead = counts.shape[:-2]
    cells = counts.reshape(*lead, k * k)
    total = cells.sum(-1, keepdims=True)
    shares = cells / np.where(total == 0, 1.0, total)
    rows, unit = shares * n, np.ones(cells.shape)
    whole: Any = round(n)
    if squares is not None:
        rows, unit = cell_rows(cells, squares.reshape(cells.shape))
        shares = rows / np.maximum(rows.sum(-1, keepdims=True), 1e-300)
        whole = np.rint(rows.sum(-1)).astype(np.int64)
    size = max(1, int(np.prod(cells.shape)))
    block = max(1, _CELLS_AT_ONCE // size)
    for start in range(0, draws, block):
        b = min(block, draws - start)
        out = np.empty((b, *cells.shape))
        if not posterior.all():
            drawn = rng.multinomial(whole, _sum_to_one(shares), size=(b, *lead))
            out[...] = drawn * (total / max(whole, 1)) if squares is None else drawn * unit
            if squares is not None:
                out *= total / np.maximum(out.sum(-1, keepdims=True), 1e-300)
        if posterior.any():
            alpha = rows[posterior] + _PRIOR_ROWS / (k * k)
            gammas = rng.standard_gamma(alpha, size=(b, *alpha.shape)) * unit[posterior]
            out[:, posterior] = total[posterior] * gammas / gammas.sum(-1, keepdims=True)
        yield out.reshape(b, *counts.shape)


def class_rows(counts: NDArray[Any], squares: NDArray[Any] | None) -> Floats:
    """Return how many rows of each true class there are, weighted ones by Kish's formula.

    ``counts[..., K]`` by true class in the last axis. Classes multiplied by a factor, whose squares
    are multiplied by its square, keep their rows.
    """
    lead = tuple(range(counts.ndim - 1))
    total = counts.sum(lead)
    second = total if squares is None else squares.sum(lead)
    with np.errstate(all="ignore"):
        return np.where(second > 0, total**2 / second, 0.0)


def label_rows(tally: LabelTally) -> Floats:
    """Return how many rows of each true class a tally of decisions holds, as :func:`class_rows`."""
    return class_rows(
        tally.counts.T, None if tally.sum_squared_weights is None else tally.sum_squared_weights.T
    )


def stratified_matrices(
    counts: NDArray[Any],
    rows: Floats,
    draws: int,
    rng: np.random.Generator,
    posterior: bool | NDArray[Any],
) -> Iterator[NDArray[Any]]:
    """Yield blocks [b, ..., K, K] of ``counts[..., true, predicted]``, each class drawn by itself.

    The weight of every true class stays as it is: only the classifier's rates vary, as far as
    ``rows`` of each class leave them open. Where ``posterior`` (shape ``...``) is true the rates
    are drawn from their Dirichlet posterior, half a row for each of two cells.
    """
    k = counts.shape[-1]
    lead = counts.shape[:-2]
    at = np.broadcast_to(posterior, lead)
    total = counts.sum(-1, keepdims=True)
    shares = _sum_to_one(counts / np.where(total == 0, 1.0, total))
    n = np.rint(rows).astype(np.int64)
    block = max(1, _CELLS_AT_ONCE // max(1, counts.size))
    for start in range(0, draws, block):
        b = min(block, draws - start)
        out = np.empty((b, *counts.shape))
        if not at.all():
            drawn = [rng.multinomial(n[i], shares[..., i, :], size=(b, *lead)) for i in range(k)]
            out[...] = np.stack(drawn, -2) * (total / np.maximum(n, 1)[:, None])
        if at.any():
            alpha = shares[at] * rows[:, None] + 1.0 / k
            gammas = rng.standard_gamma(alpha, size=(b, *alpha.shape))
            out[:, at] = total[at] * gammas / gammas.sum(-1, keepdims=True)
        yield out


def stratified_rankings(
    tally: ScoreTally, draws: int, rng: np.random.Generator
) -> Iterator[ScoreCounts]:
    """Yield blocks of resampled rankings, the rows of each true class drawn by themselves."""
    counts = tally.counts
    rows = np.rint(class_rows(counts, tally.sum_squared_weights)).astype(np.int64)
    total = counts.sum(0)
    shares = _sum_to_one((counts / np.where(total == 0, 1.0, total)).T)
    at = tally.labels.index(tally.positive)
    block = max(1, _CELLS_AT_ONCE // max(counts.size, 1))
    for start in range(0, draws, block):
        b = min(block, draws - start)
        drawn = [
            rng.multinomial(n, p, size=b) * (t / max(n, 1))
            for n, p, t in zip(rows, shares, total, strict=True)
        ]
        neg = sum((d for i, d in enumerate(drawn) if i != at), np.zeros((b, len(counts))))
        yield ScoreCounts(tally.scores, drawn[at], neg)


class Normals:
    """Standard normal numbers of one seed: the same for all that is drawn with them, made once."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._made: Floats = np.empty(0)

    def first(self, lines: int, width: int) -> Floats:
        """Return so many lines of them."""
        made, count = self._made, lines * width
        if len(made) < count:  # longer ones begin alike
            made = self._made = np.random.default_rng(self.seed).standard_normal(count)
        return made[:count].reshape(lines, width)


def gammas(
    shape: Floats, draws: int, rng: np.random.Generator, normals: Normals | None = None
) -> Floats:
    """Return gamma numbers of each shape, drawn so many times: [draws, ...].

    Those of great shapes are made of ``normals``, which many calls may share.
    """
    if normals is None:
        return np.asarray(rng.standard_gamma(shape, size=(draws, *shape.shape)))
    cells = shape.ravel()
    out = np.empty((draws, cells.size))
    great = cells >= _CUBES
    few = np.flatnonzero(~great)
    safe = np.where(great, cells, 1.0)
    spread, middle = 1 / (3 * np.sqrt(safe)), 1 - 1 / (9 * safe)
    z = normals.first(draws, cells.size)
    step = max(1, _LINES_AT_ONCE // max(cells.size, 1))
    for start in range(0, draws, step):
        root, here = z[start : start + step] * spread, out[start : start + step]
        root += middle
        np.multiply(root, root, out=here)
        here *= root
        here *= safe
    out[:, few] = rng.standard_gamma(cells[few], size=(draws, few.size))
    return out.reshape(draws, *shape.shape)


def posterior_rankings(
    tally: ScoreTally,
    draws: int,
    rng: np.random.Generator,
    by_class: bool = False,
    *,
    prior: float = _PRIOR_ROWS,
    normals: Normals | None = None,
) -> Iterator[ScoreCounts]:
    """Yield blocks of rankings from the Dirichlet posterior of their cells, of the same weight.

    The prior is worth two rows, one of each class: half of it spread evenly over the scores, the
    rest at both ends, so that at every threshold there is some of it above and below. A ranking
    without a mistake is then not taken for one that can make none. Without a prior it is Rubin's
    Bayesian bootstrap. With ``by_class`` both classes keep their weight. With ``normals``, which
    other grids may share, draws of cells of many rows are made of those.
    """
    r, squares = tally.score_counts, tally.squared_score_counts
    rows = cells = np.stack([r.pos, r.neg])
    unit: Any = 1.0
    if squares is not None:
        rows, unit = cell_rows(cells, np.stack([squares.pos, squares.neg]))
    alpha = rows + prior / (2 * cells.size)
    alpha[:, [0, -1]] += prior / 8
    along = -1 if by_class else (-2, -1)
    total = cells.sum(along, keepdims=True)
    block = max(1, _CELLS_AT_ONCE // cells.size)
    for start in range(0, draws, block):
        b = min(block, draws - start)
        # One block after another: each has normal numbers of its own.
        drawn = gammas(alpha, b, rng, normals if b == draws else None) * unit
        drawn *= total / drawn.sum(along, keepdims=True)
        yield ScoreCounts(r.scores, drawn[:, 0], drawn[:, 1])


def calibrated_rankings(
    tally: ScoreTally, draws: int, rng: np.random.Generator
) -> Iterator[ScoreCounts]:
    """Yield blocks of rankings of the same rows whose probabilities were right.

    Weighted rows of one score are taken for as many as their weights are worth (Kish).
    """
    total, squares = tally.counts.sum(1), tally.sum_squared_weights
    second = total if squares is None else squares.sum(1)
    weight = second / np.where(total > 0, total, 1.0)
    rows = np.rint(total / np.where(weight > 0, weight, 1.0))
    p = np.clip(tally.scores, 0.0, 1.0)
    block = max(1, _CELLS_AT_ONCE // max(2 * len(p), 1))
    for start in range(0, draws, block):
        pos = binomial_draws(rng, rows, p, min(block, draws - start)) * (
            total / np.maximum(rows, 1)
        )
        yield ScoreCounts(tally.scores, pos, total - pos)


def _sum_to_one(shares: Floats) -> Floats:
    # multinomial refuses shares whose leading sum exceeds one by a rounding error
    shares = shares / np.maximum(shares.sum(-1, keepdims=True), 1e-300)
    excess = shares[..., :-1].sum(-1, keepdims=True)
    return np.where(excess > 1, shares / np.where(excess > 1, excess, 1.0), shares)


def ranking_draws(tally: ScoreTally, draws: int, rng: np.random.Generator) -> Iterator[ScoreCounts]:
    """Yield blocks of resampled rankings with pos and neg of shape [b, G], of the same weight.

    Weighted rows vary as they are: see :func:`cell_rows`.
    """
    r, squares = tally.score_counts, tally.squared_score_counts
    cells = np.concatenate([r.pos, r.neg])
    total, n = float(cells.sum()), tally.rows
    shares, unit = cells / max(total, 1e-300), None
    if squares is not None:
        rows, unit = cell_rows(cells, np.concatenate([squares.pos, squares.neg]))
        n = round(float(rows.sum()))
        shares = rows / max(float(rows.sum()), 1e-300)
    shares = _sum_to_one(shares)
    size = len(r.scores)
    block = max(1, _CELLS_AT_ONCE // max(2 * size, 1))
    for start in range(0, draws, block):
        b = min(block, draws - start)
        times = rng.multinomial(n, shares, size=b)
        if unit is None:
            drawn = times * (total / max(n, 1))
        else:
            drawn = times * unit
            drawn *= total / np.maximum(drawn.sum(-1, keepdims=True), 1e-300)
        yield ScoreCounts(r.scores, drawn[:, :size], drawn[:, size:])


def percentile_bounds(replicates: NDArray[Any], level: float) -> tuple[Floats, Floats]:
    """Return the percentile interval over the first axis, leaving undefined replicates out.

    Bounds are NaN where fewer than half of the replicates are defined. Order statistics are
    taken as they are, without interpolation, because replicates may be infinite.
    """
    ordered = np.sort(replicates, axis=0)  # NaN last
    defined = np.count_nonzero(~np.isnan(ordered), axis=0)
    tail = (1 - level) / 2

    def take(q: Callable[[Any], Any]) -> Floats:
        index = np.clip(q(defined), 0, np.maximum(defined - 1, 0)).astype(np.intp)
        taken = np.take_along_axis(ordered, index[None], axis=0)[0]
        return np.where(2 * defined >= len(replicates), taken, np.nan)

    # A hair of slack: 0.05 * 100 in floating point is not quite 5.
    return (
        take(lambda m: np.floor(tail * m + 1e-9)),
        take(lambda m: np.ceil((1 - tail) * m - 1e-9) - 1),
    )
