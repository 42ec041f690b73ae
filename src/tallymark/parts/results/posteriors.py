"""How probable it is that a classifier is better over data sets: the Bayesian signed rank test."""

from __future__ import annotations

import math

import numpy as np

from tallymark.core import Floats, Posterior, Sampler

DRAWS = 50_000
PRIOR = 0.5
"""The weight of the prior's one pseudo-result, in data sets: no difference (Benavoli et al.)."""

_AT_ONCE = 4096


def signed_ranks(
    d: Floats, *, rope: float = 0.01, draws: int = DRAWS, seed: int = 0
) -> list[Posterior]:
    """Return the Bayesian signed rank test of each row of differences [P, n] over data sets.

    The differences z of data sets get weights from a Dirichlet distribution, 1 each and 0.5 for
    the prior's z_0 = 0. A draw's shares are the weighted shares of pairs (i, j), i = j included,
    with (z_i + z_j) / 2 below -rope, within, and above rope; each probability is the share of
    draws in which its share is the largest. With a rope of 0 only below and above compete.

    Parameters
    ----------
    d : array of float, shape (P, n)
        Differences of P pairs of classifiers on n data sets, as
        :func:`~tallymark.infer.corrected_t.differences` returns them.
    rope : float
        The largest difference that does not matter, in units of the metric.
    draws, seed : int
        Of the weights, which all pairs share.

    Returns
    -------
    list of Posterior
        With a reason in place of numbers for no data set, or where every difference is zero and
        the rope too.

    Sources: benavoli2014; benavoli2017.

    Examples
    --------
    >>> (p,) = signed_ranks(np.array([[0.1, 0.05, 0.0, 0.05, 0.02]]))
    >>> p.below, round(p.within, 2), round(p.above, 2)
    (0.0, 0.06, 0.94)

    """
    pairs, n = d.shape
    z = np.concatenate([np.zeros((pairs, 1)), d], axis=1)
    order = np.argsort(z, axis=1)
    z = np.take_along_axis(z, order, 1)
    # In order of z, the partners that bring a mean below -rope are the first so many, and those
    # that bring it above rope the last.
    slack = 2 * rope * (1 + 1e-9)  # 0.91 - 0.90 is no more than 0.01
    low = np.stack([np.searchsorted(row, -slack - row, "left") for row in z])
    high = np.stack([np.searchsorted(row, slack - row, "right") for row in z])
    rng = Sampler(seed).generator("data sets")
    prior = np.append(PRIOR, np.ones(n))
    won = np.zeros((pairs, 3))
    for start in range(0, draws if n else 0, _AT_ONCE):
        weights = np.ascontiguousarray(rng.dirichlet(prior, min(_AT_ONCE, draws - start)).T)
        for i in range(pairs):
            w = weights[order[i]]
            first = np.zeros((n + 2, w.shape[1]))
            np.cumsum(w, axis=0, out=first[1:])
            below = np.einsum("ns,ns->s", w, first[low[i]])
            above = np.einsum("ns,ns->s", w, first[-1] - first[high[i]])
            within = 1 - below - above if rope else np.full_like(below, -1.0)
            shares = np.stack([below, within, above])
            best = shares >= shares.max(0) - 1e-12
            won[i] += (best / best.sum(0)).sum(1)
    out = []
    for row, shares in zip(d, won / draws, strict=True):
        reason = "" if n else "there is no difference"
        if n and not rope and not row.any():
            reason = "every difference is zero"
        below, within, above = (math.nan if reason else float(p) for p in shares)
        out.append(
            Posterior("Bayesian signed rank", below, within, above, rope, n, draws, seed, reason)
        )
    return out
