"""Wilson's interval, the effective sample size of a proportion, and binomial draws."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark import _kernels
from tallymark.errors import InputError
from tallymark.tally.arrays import Floats
from tallymark.tally.labels import Counts

_HAIR = 1e-12

FEW = 30
"""With fewer effective rows in a part of a proportion, their weights are not representative."""


def quantile(level: float) -> float:
    """Return the two-sided standard normal critical value z at a confidence level."""
    if not 0 < level < 1:
        raise InputError(f"level is {level!r}; it must lie between 0 and 1, such as 0.95")
    return NormalDist().inv_cdf((1 + level) / 2)


def wilson(successes: Any, n: Any, z: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return Wilson's score interval of a proportion, of any shape; NaN where n is 0.

    >>> low, high = wilson(8, 10, 1.959964)
    >>> round(float(low), 4), round(float(high), 4)
    (0.4902, 0.9433)
    """
    n = np.asarray(n, dtype=np.float64)
    with np.errstate(all="ignore"):
        p = np.true_divide(successes, n)
        centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        low, high = centre - half, centre + half
        # Set the ends exactly at 0 and 1, where rounding could exclude the proportion itself.
        return np.where(p == 0, 0.0, np.maximum(low, 0)), np.where(p == 1, 1.0, np.minimum(high, 1))


def worth(part: Any, whole: Any, part2: Any, whole2: Any) -> NDArray[Any]:
    """Return the effective sample size of a proportion of weighted rows.

    It is p(1 - p) over the variance of the proportion under sampling of rows with their weights,
    ((1 - p)² Σw² of the part + p² Σw² of the rest) / (Σw)². It equals Kish's (Σw)² / Σw² if the
    weights are independent of the part, and is smaller if the part or the rest consists of a few
    heavy rows. If the part or the rest has fewer than :data:`FEW` effective rows, these do not show
    how heavy its rows may be, and the result is at most Kish's. At a proportion of 0 or 1 it is
    Kish's.

    Parameters
    ----------
    part, whole : array
        Sums of weights, of the numerator and of the denominator.
    part2, whole2 : array
        Sums of squared weights.

    Examples
    --------
    >>> float(worth(30.0, 40.0, 30.0, 40.0))  # all weights 1
    40.0
    >>> float(worth(3.0, 4.0, 9.0, 10.0))  # one row of weight 3 is the part, one of 1 the rest
    1.6

    """
    with np.errstate(all="ignore"):
        p = np.true_divide(part, whole)
        spread = (1 - p) ** 2 * part2 + p**2 * (np.asarray(whole2) - part2)
        rest, rest2 = np.subtract(whole, part), np.subtract(whole2, part2)
        kish, *apart = (
            np.square(w) / w2 for w, w2 in ((whole, whole2), (part, part2), (rest, rest2))
        )
        result = p * (1 - p) * np.square(whole) / spread
        result = np.where(np.minimum(*apart) < FEW, np.minimum(result, kish), result)
        # Scaled weights can miss 0 or 1 by a rounding error.
        inside = (p > _HAIR) & (p < 1 - _HAIR) & (spread > 0)
        return np.asarray(np.where(inside, result, kish))


def effective_hits(
    share: Callable[[Any], tuple[Any, Any]], counts: Any, squares: Any
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the hits and rows of a proportion; with weights, the effective numbers of both.

    ``share`` returns the numerator and the denominator from ``counts`` (sums of weights: a matrix,
    four counts or score counts) or from ``squares`` (sums of squared weights, None if unweighted).

    Rows that were not seen have a weight too. Where few of the rows predicted negative are verified
    and these have large weights, a missed positive would be as heavy as a true negative is, and a
    sensitivity of 1 hides it. So at a proportion of 0 or 1 of two classes the effective sample size
    is at most the denominator over the weight that a row on the other side would have (see
    :func:`_expected_weights`), and at most Kish's if one of the four counts in it is zero.

    Examples
    --------
    >>> counts = Counts(tp=60.0, fp=100.0, fn=0.0, tn=600.0)  # 30 true negatives of weight 20
    >>> squares = Counts(tp=60.0, fp=100.0, fn=0.0, tn=12000.0)
    >>> hits, rows = effective_hits(lambda c: (c.tp, c.tp + c.fn), counts, squares)
    >>> float(hits), float(rows)
    (3.0, 3.0)

    """
    part, whole = map(np.asarray, share(counts))
    if squares is None:
        return part, whole
    part2, whole2 = share(squares)
    rows = worth(part, whole, part2, whole2)
    cells = _two_by_two(counts)
    with np.errstate(all="ignore"):
        p = np.true_divide(part, whole)
        if cells is not None:
            of_part, of_whole = map(np.asarray, share(_each_cell(counts)))
            weights = _expected_weights(cells, _two_by_two(squares))
            for at_end, missing in ((p < _HAIR, of_part), (p > 1 - _HAIR, of_whole - of_part)):
                heaviest = np.fmax.reduce(weights[missing.reshape(2, 2) > 0])
                rows = np.where(at_end, np.fmin(rows, whole / heaviest), rows)
            empty = (cells[of_whole.reshape(2, 2) > 0] == 0).any(0)
            rows = np.where(empty, np.fmin(rows, np.square(whole) / whole2), rows)
        return p * rows, rows


def _two_by_two(counts: Any) -> Any:
    """Return the cells [true, predicted, ...] of four counts or of a matrix of two classes."""
    if isinstance(counts, Counts):
        return np.array([[counts.tp, counts.fn], [counts.fp, counts.tn]])
    if isinstance(counts, np.ndarray) and counts.shape[-2:] == (2, 2):
        return np.moveaxis(counts, (-2, -1), (0, 1))
    return None


def _each_cell(counts: Any) -> Any:
    """Return four inputs like ``counts``, each with one row in one cell, in order of the cells."""
    if isinstance(counts, Counts):
        tp, fn, fp, tn = np.eye(4)
        return Counts(tp, fp, fn, tn)
    return np.eye(4).reshape(4, 2, 2)


def _expected_weights(cells: Any, squares: Any) -> Any:
    """Return the weight to expect of a row in each cell [true, predicted, ...], by the others.

    The weight of a cell is Σw² / Σw, the mean in which heavy rows count more, as in Kish's formula.
    A row is expected to have the weight of the cell of its class. Where the other class shows with
    at least :data:`SHOWN` effective rows that weights depend on the prediction, this is multiplied
    by the ratio of both predictions there. Weights of a class as a whole change no rate. NaN if
    there are no rows of the class.
    """
    weight, effective = squares / cells, np.square(cells) / squares
    same_class, same_prediction, opposite = weight[:, ::-1], weight[::-1], weight[::-1, ::-1]
    shown = (effective[::-1, ::-1] >= SHOWN) & (cells[::-1] > 0)
    return same_class * np.where(shown, same_prediction / opposite, 1.0)


SHOWN = 5
"""With fewer effective rows, a cell does not show the weight of its rows."""


WIDE = 100.0
"""Binomial counts with a greater variance are drawn from a Cornish-Fisher expansion."""


def binomial_draws(rng: np.random.Generator, n: Any, p: Any, draws: int) -> Floats:
    """Return binomial draws (draws, G) with ``n`` (G,) trials of probability ``p`` (G,).

    Exact up to a variance of :data:`WIDE`. Above it no probability is off by more than 3e-6,
    less than the 1e-4 of random error in a million draws.

    >>> rng = np.random.default_rng(0)
    >>> found = binomial_draws(rng, np.array([4.0, 10_000.0]), np.array([0.5, 0.3]), 10_000)
    >>> found.shape, found.mean(0).round().tolist()
    ((10000, 2), [2.0, 3000.0])
    """
    n, p = (np.ascontiguousarray(v, np.float64) for v in (n, p))
    wide = n * p * (1 - p) > WIDE
    if wide.all():
        return bent(n, p, rng.standard_normal((draws, len(n))))
    narrow = ~wide
    some = rng.random((draws, int(narrow.sum())))
    _kernels.draw_hits(n[narrow], p[narrow], some)
    if not wide.any():
        return some
    out = np.empty((draws, len(n)))
    out[:, narrow] = some
    out[:, wide] = bent(n[wide], p[wide], rng.standard_normal((draws, int(wide.sum()))))
    return out


def bent(n: Any, p: Any, normal: Floats) -> Floats:
    """Return binomial counts at standard normal deviates, by a Cornish-Fisher expansion.

    It expands, by skewness and kurtosis, the continuous distribution that is rounded to counts:
    the binomial's cumulants with Sheppard's corrections.
    """
    variance = n * p * (1 - p)
    smooth = variance - 1 / 12
    spread = np.sqrt(smooth)
    skew = variance * (1 - 2 * p) / (6 * smooth)  # a sixth of the skewness, in counts
    peak = (variance * (1 - 6 * p * (1 - p)) + 1 / 120) / (24 * smooth * spread)
    square = 2 * skew**2 / spread
    values = (peak - square) * normal
    values += skew
    values *= normal
    values += spread - 3 * peak + 2.5 * square
    values *= normal
    values += n * p - skew
    return np.asarray(np.rint(values, out=values))


def hits(rng: np.random.Generator, n: Floats, p: Floats) -> Floats:
    """Return one binomial draw for each of ``n`` (S, draws) trials, of probability ``p`` (S,)."""
    p = np.asarray(p, np.float64)[:, None]
    wide = (n.min(-1, keepdims=True, initial=np.inf) * p * (1 - p) > WIDE)[:, 0]
    if wide.all():
        return bent(n, p, rng.standard_normal(n.shape))
    out = np.empty(n.shape)
    out[wide] = bent(n[wide], p[wide], rng.standard_normal((int(wide.sum()), n.shape[1])))
    out[~wide] = rng.binomial(n[~wide].astype(np.int64), p[~wide])
    return out
