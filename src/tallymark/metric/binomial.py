"""Draws of how many of some rows are hits, which curves and judgements share."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallymark import _kernels
from tallymark.tally.arrays import Floats

WIDE = 100.0
"""Numbers of a greater variance are drawn as bent normal deviates."""


def binomial_draws(rng: np.random.Generator, n: Any, p: Any, draws: int) -> Floats:
    """Return draws (draws, G) of the hits among ``n`` (G,) rows of chance ``p`` (G,) each.

    Exact up to a variance of :data:`WIDE`. Beyond, no share of draws is off by more than 3e-6,
    where chance leaves as much as 1e-4 open in a million draws.

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
    """Return numbers of hits at normal deviates, which are bent as chance bends the hits.

    Cornish and Fisher's expansion by skewness and kurtosis, of the smooth distribution which
    rounds to the hits: its cumulants are theirs with Sheppard's corrections.
    """
    variance = n * p * (1 - p)
    smooth = variance - 1 / 12
    spread = np.sqrt(smooth)
    skew = variance * (1 - 2 * p) / (6 * smooth)  # a sixth of the skewness, in hits
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
    """Return one draw each of the hits among ``n`` (S, draws) rows, of chance ``p`` (S,)."""
    p = np.asarray(p, np.float64)[:, None]
    wide = (n.min(-1, keepdims=True, initial=np.inf) * p * (1 - p) > WIDE)[:, 0]
    if wide.all():
        return bent(n, p, rng.standard_normal(n.shape))
    out = np.empty(n.shape)
    out[wide] = bent(n[wide], p[wide], rng.standard_normal((int(wide.sum()), n.shape[1])))
    out[~wide] = rng.binomial(n[~wide].astype(np.int64), p[~wide])
    return out
