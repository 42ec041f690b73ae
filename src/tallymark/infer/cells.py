"""Draws of small matrices, the numbers of each cell side by side in memory.

Metrics add and multiply cells: of thousands of draws that is then as fast as it can be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.infer import resample
from tallymark.metric.binomial import binomial_draws, hits
from tallymark.metric.measure import Statistic
from tallymark.metric.registry import ratio
from tallymark.tally.arrays import Floats
from tallymark.tally.threads import side_by_side, threads_for


def cell_by_cell(matrices: NDArray[Any]) -> NDArray[Any]:
    """Return matrices [..., K, K] laid out cell by cell."""
    cells = np.ascontiguousarray(np.moveaxis(matrices, (-2, -1), (0, 1)))
    return np.moveaxis(cells, (0, 1), (-2, -1))


def threshold_draws(
    matrices: NDArray[Any],
    n: float,
    draws: int,
    rng: np.random.Generator,
    posterior: NDArray[Any],
    squares: NDArray[Any] | None = None,
    rows: Floats | None = None,
) -> NDArray[Any]:
    """Return draws [S, draws, 2, 2] of ``matrices[S, 2, 2]``, each threshold's by themselves.

    As :func:`tallymark.infer.resample.matrix_draws` draws, or with the ``rows`` of each class
    :func:`tallymark.infer.resample.stratified_matrices`. Where no posterior is asked for and rows
    have no weights, first the rows of the positive class are drawn, then of both classes those
    that are called positive.
    """
    if squares is not None and rows is None:
        blocks = resample.matrix_draws(matrices, n, draws, rng, posterior, squares)
        return cell_by_cell(np.concatenate(list(blocks)).swapaxes(0, 1))
    drawn = _called(matrices, n, draws, rng, rows)
    if posterior.any():
        part, all_ = matrices[posterior], posterior[posterior]
        blocks = (
            resample.matrix_draws(part, n, draws, rng, all_)
            if rows is None
            else resample.stratified_matrices(part, rows, draws, rng, all_)
        )
        drawn[posterior] = np.concatenate(list(blocks)).swapaxes(0, 1)
    return drawn


def _called(
    matrices: NDArray[Any], n: float, draws: int, rng: np.random.Generator, rows: Floats | None
) -> NDArray[Any]:
    """Return draws [S, draws, 2, 2] of whole rows, scaled to the weight of the matrices."""
    support = matrices.sum(-1)
    total = support.sum(-1)
    with np.errstate(all="ignore"):
        share = np.nan_to_num(ratio(support[:, 1], total))
        chance = np.nan_to_num(ratio(matrices[..., 1], support))
    if rows is None:
        whole = float(round(n))
        # The share of positives is that of the rows, whatever the threshold: drawn once.
        shares, place = np.unique(share, return_inverse=True)
        pos = binomial_draws(rng, np.full(len(shares), whole), shares, draws).T[place]
        sizes = [whole - pos, pos]
        scale = np.stack([total / max(whole, 1)] * 2, -1)
    else:
        sizes = [np.full((len(matrices), draws), size) for size in np.rint(rows)]
        scale = support / np.maximum(np.rint(rows), 1)
    cells, rngs = np.empty((2, 2, len(matrices), draws)), rng.spawn(2)

    def draw(i: int) -> None:
        cells[i, 1] = hits(rngs[i], sizes[i], chance[:, i])
        np.subtract(sizes[i], cells[i, 1], out=cells[i, 0])
        if (scale[:, i] != 1).any():
            cells[i] *= scale[:, i, None]

    side_by_side(draw, 2, threads_for(cells.size))
    return np.moveaxis(cells, (0, 1), (-2, -1))


def of_draws(
    s: Statistic,
    matrices: NDArray[Any],
    labels: Sequence[Any],
    whole: bool,
    seen: dict[Any, Any],
) -> NDArray[Any]:
    """Return :meth:`Statistic.of_matrix`, of ``whole`` rows of two classes or more sooner.

    By a law of the registry the formula of whole counts alone is NaN wherever a
    declared case holds. ``seen`` keeps what statistics read of the matrices, which many share.
    """
    if not whole or s.params or s.average not in ("overall", "binary"):
        return s.of_matrix(matrices, labels)
    key = s.average, s.positive, s.metric.needs == "counts"
    if key not in seen:
        seen[key] = s.view(matrices, labels)
    with np.errstate(all="ignore"):
        return np.asarray(s.metric.function(seen[key], **s.metric.params))


def percentiles(values: NDArray[Any], level: float) -> tuple[Floats, Floats]:
    """Return :func:`tallymark.infer.resample.percentile_bounds` over the last axis."""
    ordered = np.sort(values, axis=-1)  # NaN last
    draws, tail = values.shape[-1], (1 - level) / 2
    if not draws or np.isnan(ordered[..., -1]).any():
        return resample.percentile_bounds(np.moveaxis(ordered, -1, 0), level)
    low, high = int(np.floor(tail * draws + 1e-9)), int(np.ceil((1 - tail) * draws - 1e-9)) - 1
    return ordered[..., low], ordered[..., high]
