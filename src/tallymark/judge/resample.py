"""Resample from the tally: drawing rows with replacement is a multinomial draw over its cells.

The cost depends on the number of cells, not of rows: 10^9 rows cost what 10^3 do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.tally.arrays import Floats
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import Ranking, ScoreTally

LABEL_DRAWS = 2000
SCORE_DRAWS = 800
ERROR_DRAWS = 250
"""For a standard error, which takes fewer draws than a quantile far out does."""

_CELLS_AT_ONCE = 1 << 22
_PRIOR_ROWS = 2.0
"""Rows that the prior of the posterior draws is worth, spread evenly over the cells: on the four
cells of a binary matrix that is Jeffreys' prior."""

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


def matrix_draws(
    counts: NDArray[Any], n: float, draws: int, rng: np.random.Generator, posterior: NDArray[Any]
) -> Iterator[NDArray[Any]]:
    """Yield blocks [b, ..., K, K] of resampled matrices of ``counts[..., K, K]``.

    A bootstrap cannot leave an empty cell, so that a perfect classifier would always come out as
    perfect. Where ``posterior`` (shape ``...``) is true, the shares are drawn instead from their
    Dirichlet posterior, which gives empty cells the weight that n rows cannot exclude. Every
    draw has the weight of ``counts`` in sum: n rows vary as much as their effective number, and
    metrics that grow with the rows keep their scale.
    """
    k = counts.shape[-1]
    lead = counts.shape[:-2]
    cells = counts.reshape(*lead, k * k)
    total = cells.sum(-1, keepdims=True)
    shares = cells / np.where(total == 0, 1.0, total)
    size = max(1, int(np.prod(cells.shape)))
    block = max(1, _CELLS_AT_ONCE // size)
    for start in range(0, draws, block):
        b = min(block, draws - start)
        out = np.empty((b, *cells.shape))
        if not posterior.all():
            drawn = rng.multinomial(round(n), _sum_to_one(shares), size=(b, *lead))
            out[...] = drawn * (total / max(round(n), 1))
        if posterior.any():
            alpha = shares[posterior] * n + _PRIOR_ROWS / (k * k)
            gammas = rng.standard_gamma(alpha, size=(b, *alpha.shape))
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
    return class_rows(tally.counts.T, None if tally.squares is None else tally.squares.T)


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
) -> Iterator[Ranking]:
    """Yield blocks of resampled rankings, the rows of each true class drawn by themselves."""
    counts = tally.counts
    rows = np.rint(class_rows(counts, tally.squares)).astype(np.int64)
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
        yield Ranking(tally.scores, drawn[at], neg)


def posterior_rankings(
    tally: ScoreTally, draws: int, rng: np.random.Generator, by_class: bool = False
) -> Iterator[Ranking]:
    """Yield blocks of rankings from the Dirichlet posterior of their cells, of the same weight.

    The prior is worth two rows, one of each class: half of it spread evenly over the scores, the
    rest at both ends, so that at every threshold there is some of it above and below. A ranking
    without a mistake is then not taken for one that can make none. With ``by_class`` both
    classes keep their weight.
    """
    r = tally.ranking()
    cells = np.stack([r.pos, r.neg])
    total = cells.sum(-1, keepdims=True)
    if by_class:
        squares = tally.ranking_squares()
        second = total if squares is None else np.stack([squares.pos, squares.neg]).sum(-1)[:, None]
        scale = total / np.where(second > 0, second, 1.0)
    else:
        total = total.sum(0, keepdims=True)
        scale = effective_rows(tally.counts, tally.squares, tally.rows) / total
    alpha = cells * scale + _PRIOR_ROWS / (2 * cells.size)
    alpha[:, [0, -1]] += _PRIOR_ROWS / 8
    block = max(1, _CELLS_AT_ONCE // cells.size)
    for start in range(0, draws, block):
        drawn = rng.standard_gamma(alpha, size=(min(block, draws - start), *alpha.shape))
        drawn *= total / drawn.sum(-1 if by_class else (-2, -1), keepdims=True)
        yield Ranking(r.scores, drawn[:, 0], drawn[:, 1])


def calibrated_rankings(
    tally: ScoreTally, draws: int, rng: np.random.Generator
) -> Iterator[Ranking]:
    """Yield blocks of rankings of the same rows whose probabilities were right.

    Weighted rows of one score are taken for as many as their weights are worth (Kish).
    """
    total, squares = tally.counts.sum(1), tally.squares
    second = total if squares is None else squares.sum(1)
    weight = second / np.where(total > 0, total, 1.0)
    rows = np.rint(total / np.where(weight > 0, weight, 1.0)).astype(np.int64)
    p = np.clip(tally.scores, 0.0, 1.0)
    block = max(1, _CELLS_AT_ONCE // max(2 * len(p), 1))
    for start in range(0, draws, block):
        pos = rng.binomial(rows, p, size=(min(block, draws - start), len(p))) * (
            total / np.maximum(rows, 1)
        )
        yield Ranking(tally.scores, pos, total - pos)


def _sum_to_one(shares: Floats) -> Floats:
    # multinomial refuses shares whose leading sum exceeds one by a rounding error
    shares = shares / np.maximum(shares.sum(-1, keepdims=True), 1e-300)
    excess = shares[..., :-1].sum(-1, keepdims=True)
    return np.where(excess > 1, shares / np.where(excess > 1, excess, 1.0), shares)


def ranking_draws(tally: ScoreTally, draws: int, rng: np.random.Generator) -> Iterator[Ranking]:
    """Yield blocks of resampled rankings with pos and neg of shape [b, G], of the same weight."""
    r = tally.ranking()
    cells = np.concatenate([r.pos, r.neg])
    total = float(cells.sum())
    n = round(effective_rows(tally.counts, tally.squares, tally.rows))
    shares = _sum_to_one(cells / max(total, 1e-300))
    size = len(r.scores)
    block = max(1, _CELLS_AT_ONCE // max(2 * size, 1))
    for start in range(0, draws, block):
        b = min(block, draws - start)
        drawn = rng.multinomial(n, shares, size=b) * (total / max(n, 1))
        yield Ranking(r.scores, drawn[:, :size], drawn[:, size:])


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
