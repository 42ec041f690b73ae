"""Draws of small matrices, the numbers of each cell side by side in memory.

Metrics add and multiply cells: of thousands of draws that is then as fast as it can be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.judge import resample
from tallymark.metric.binomial import binomial_draws, hits
from tallymark.metric.measure import Statistic
from tallymark.tally.arrays import Floats


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

    As :func:`tallymark.judge.resample.matrix_draws` draws, or with the ``rows`` of each class
    :func:`tallymark.judge.resample.stratified_matrices`. Where no posterior is asked for and rows
    have no weights, first the rows of the positive class are drawn, then of both classes those
    that are called positive.
    """
    cells = np.empty((2, 2, len(matrices), draws))
    view = np.moveaxis(cells, (0, 1), (-2, -1))
    sampled = ~posterior if squares is None or rows is not None else np.zeros_like(posterior)
    for some, at in ((True, sampled), (False, ~sampled)):
        if not at.any():
            continue
        part, second = matrices[at], None if squares is None else squares[at]
        if some:
            found = _sampled(part, n, draws, rng, rows)
        else:
            blocks = (
                resample.matrix_draws(part, n, draws, rng, posterior[at], second)
                if rows is None
                else resample.stratified_matrices(part, rows, draws, rng, posterior[at])
            )
            found = np.moveaxis(np.concatenate(list(blocks)), (-2, -1, 0), (0, 1, -1))
        if at.all():
            return np.moveaxis(np.ascontiguousarray(found), (0, 1), (-2, -1))
        cells[:, :, at] = found
    return view


def _sampled(
    matrices: NDArray[Any], n: float, draws: int, rng: np.random.Generator, rows: Floats | None
) -> Floats:
    """Return cells [2, 2, S, draws] of whole rows, scaled to the weight of the matrices."""
    support = matrices.sum(-1)
    total = support.sum(-1)
    if rows is None:
        whole = np.full(len(matrices), float(round(n)))
        pos = binomial_draws(rng, whole, support[:, 1] / np.where(total > 0, total, 1.0), draws).T
        sizes = [whole[:, None] - pos, np.ascontiguousarray(pos)]
        scale = np.stack([total / np.maximum(whole, 1)] * 2, -1)
    else:
        sizes = [np.full((len(matrices), draws), size) for size in np.rint(rows)]
        scale = support / np.maximum(np.rint(rows), 1)
    cells = np.empty((2, 2, len(matrices), draws))
    for i, size in enumerate(sizes):
        weight = support[:, i]
        called = hits(rng, size, matrices[:, i, 1] / np.where(weight > 0, weight, 1.0))
        np.subtract(size, called, out=cells[i, 0])
        cells[i, 1] = called
        if (scale[:, i] != 1).any():
            cells[i] *= scale[:, i, None]
    return cells


def of_draws(
    s: Statistic, matrices: NDArray[Any], labels: Sequence[Any], whole: bool
) -> NDArray[Any]:
    """Return :meth:`Statistic.of_matrix`, of ``whole`` rows of two classes or more sooner.

    By the law of :meth:`tallymark.metric.registry.Metric.raw` the formula alone is NaN wherever a
    declared case holds.
    """
    if not whole or s.params or s.average not in ("overall", "binary"):
        return s.of_matrix(matrices, labels)
    with np.errstate(all="ignore"):
        return np.asarray(s.metric.function(s.view(matrices, labels), **s.metric.params))


def percentiles(values: NDArray[Any], level: float) -> tuple[Floats, Floats]:
    """Return :func:`tallymark.judge.resample.percentile_bounds` over the last axis."""
    ordered = np.sort(values, axis=-1)  # NaN last
    draws, tail = values.shape[-1], (1 - level) / 2
    if not draws or np.isnan(ordered[..., -1]).any():
        return resample.percentile_bounds(np.moveaxis(ordered, -1, 0), level)
    low, high = int(np.floor(tail * draws + 1e-9)), int(np.ceil((1 - tail) * draws - 1e-9)) - 1
    return ordered[..., low], ordered[..., high]
