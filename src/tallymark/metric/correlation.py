"""Correlation of columns of scores or results, and ranks with ties."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError
from tallymark.tally.arrays import Floats, as_scores, same_length

TIES = 1e-12
"""Relative tolerance for ties: means of equal results can differ in their last bits, because they
were summed in another order."""


def pearson(x: Any, y: Any) -> float:
    """Return Pearson's r, from -1 to 1; NaN if a column is constant or has fewer than 2 values.

    >>> pearson([1, 2, 3], [2, 4, 7])
    0.9933992677987828
    """
    a, b = complete(x=x, y=y)
    if len(a) == 0 or a.min() == a.max() or b.min() == b.max():
        return math.nan
    a, b = _centred(a), _centred(b)
    return max(-1.0, min(1.0, float(a @ b / math.sqrt((a @ a) * (b @ b)))))


def correlations(x: Floats) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return Pearson's r and Spearman's rho of the rows of x[K, m], and which pairs are constant.

    Rho is Pearson's r of the ranks, tied values sharing their mean rank; the shortcut
    1 - 6 Σd²/(n(n²-1)) is exact only without ties. Both are NaN where a row of the two is constant.

    >>> r, rho, _ = correlations(np.array([[1.0, 2, 2, 4, 5], [1, 3, 2, 3, 5]]))
    >>> round(float(r[0, 1]), 6), round(float(rho[0, 1]), 6)
    (0.902671, 0.921053)
    """
    ranks = midranks(x)
    constant = ranks.min(-1) == ranks.max(-1)
    pair = constant[:, None] | constant
    return pearson_of_rows(x, pair), pearson_of_rows(ranks, pair), pair


def pearson_of_rows(x: Floats, undefined: NDArray[np.bool_]) -> Floats:
    """Return Pearson's r of every two rows of x[K, m]; NaN where ``undefined``.

    >>> r = pearson_of_rows(np.array([[1.0, 2, 3], [2, 4, 7]]), np.zeros((2, 2), bool))
    >>> round(float(r[0, 1]), 6)
    0.993399
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        z = x / np.abs(x).max(-1, keepdims=True)  # so that no square overflows or vanishes
        z -= z.mean(-1, keepdims=True)
        z /= np.abs(z).max(-1, keepdims=True)
        z /= np.sqrt(np.einsum("km,km->k", z, z))[:, None]
        r = np.clip(z @ z.T, -1.0, 1.0)
    np.fill_diagonal(r, 1.0)
    return np.where(undefined, np.nan, r)


def complete(**columns: Any) -> list[Floats]:
    """Return columns as arrays of numbers, after checking equal lengths and no missing values."""
    arrays = {name: as_scores(values, name) for name, values in columns.items()}
    same_length(**arrays)
    for name, column in arrays.items():
        if np.isnan(column).any():
            raise InputError(
                f"{name} is missing at index {int(np.argmax(np.isnan(column)))}; leave that pair "
                "out"
            )
    return list(arrays.values())


def _centred(values: Floats) -> Floats:
    # Scale to at most 1 before and after centering, so that no square overflows or underflows.
    centred: Floats = values / max(values.max(), -values.min())
    centred -= centred.mean()
    centred /= max(centred.max(), -centred.min())
    return centred


def midranks(x: Floats, *, ties: float = TIES) -> Floats:
    """Return ranks from 0 along the last axis, tied values sharing their mean rank.

    Parameters
    ----------
    x : array (..., m) of numbers, none of them NaN
        Infinite ones only with ``ties=0``.
    ties : float
        Neighbours in sorted order are tied if they differ by at most this much, relative to the
        largest absolute value along the axis; with 0 only equal values are tied.

    Returns
    -------
    array (..., m)
        Ranks from 0 to m - 1, in steps of one half.

    Examples
    --------
    >>> midranks(np.array([0.3, 0.1 + 0.2, 0.7, 0.1])).tolist()
    [1.5, 1.5, 3.0, 0.0]
    >>> midranks(np.array([0.3, 0.1 + 0.2, 0.7, 0.1]), ties=0).tolist()
    [1.0, 2.0, 3.0, 0.0]

    """
    m = x.shape[-1]
    order = np.argsort(x, axis=-1)
    ordered = np.take_along_axis(x, order, -1)
    if ties:
        slack = ties * np.maximum(np.abs(ordered[..., :1]), np.abs(ordered[..., -1:]))
        new = np.diff(ordered, axis=-1) > slack
    else:
        new = ordered[..., 1:] > ordered[..., :-1]
    place = np.arange(m)
    edge = np.ones((*x.shape[:-1], 1), dtype=bool)
    first = np.maximum.accumulate(np.where(np.concatenate([edge, new], -1), place, 0), axis=-1)
    ends = np.where(np.concatenate([new, edge], -1), place, m - 1)
    last = np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(x.shape)
    np.put_along_axis(ranks, order, (first + last) / 2, -1)
    return ranks
