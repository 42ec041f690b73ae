"""How probable it is that a classifier is better: Bayesian tests over folds and over data sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallymark.core import Floats, Reasoned, Sampler, differences, mean_and_error

DRAWS = 50_000
PRIOR = 0.5
"""The weight of the prior's one pseudo-result, in data sets: no difference (Benavoli et al.)."""

_AT_ONCE = 4096


@dataclass(frozen=True, slots=True, repr=False)
class Posterior(Reasoned):
    """How probable it is that the first classifier's values are lower, about the same, or higher.

    ``within`` is the probability that the difference is no larger than ``rope``, the region of
    practical equivalence; ``below`` and ``above`` that it is larger, in which direction.
    ``draws`` and ``seed`` are 0 of one that is computed without chance. The three are NaN if and
    only if ``reason`` says why.
    """

    method: str
    below: float
    within: float
    above: float
    rope: float
    n: int
    draws: int
    seed: int
    reason: str = ""

    _numbers = ("below", "within", "above")


def correlated_t(a: Any, b: Any, *, ratio: float | None, rope: float = 0.01) -> Posterior:
    """Return Corani and Benavoli's Bayesian correlated t test over the folds of one data set.

    With a flat prior the mean difference has Student's distribution with n - 1 degrees of
    freedom, the mean of the n differences, and the scale sqrt((1/n + ratio) s²): the numbers of
    :func:`corrected_t`, read as probabilities of the difference itself.

    Parameters
    ----------
    a, b : array of float, shape (n,)
        Values of the two classifiers on the same folds.
    ratio : float or None
        Test rows over training rows of a fold; rho / (1 - rho) of the paper with rho the share of
        test rows. None where it is not known, which is then the reason why there are no numbers.
    rope : float
        The largest difference that does not matter, in units of the metric.

    Returns
    -------
    Posterior
        With a reason in place of numbers where the differences have no spread.

    Raises
    ------
    InputError
        As :func:`corrected_t`.

    Source: corani2015.

    Examples
    --------
    >>> p = correlated_t([0.9, 0.8, 0.85, 0.95], [0.8, 0.75, 0.85, 0.85], ratio=1 / 3)
    >>> round(p.below, 4), round(p.within, 4), round(p.above, 4)
    (0.0708, 0.0524, 0.8767)

    """
    from scipy.special import stdtr

    d = differences(a, b)
    mean, scale, reason = mean_and_error(d, ratio)
    below = within = above = math.nan
    if not reason:
        below = float(stdtr(len(d) - 1, (-rope - mean) / scale))
        above = float(stdtr(len(d) - 1, (mean - rope) / scale))
        within = max(1 - below - above, 0.0)
    return Posterior("Bayesian correlated t", below, within, above, rope, len(d), 0, 0, reason)


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
        drawn = np.ascontiguousarray(rng.dirichlet(prior, min(_AT_ONCE, draws - start)).T)
        for i in range(pairs):
            w = drawn[order[i]]
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
