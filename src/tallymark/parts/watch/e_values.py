"""Evidence that may be looked at every day: e-values, their restarts, and confidence sequences.

An e-value is a nonnegative number whose mean is at most 1 if the hypothesis holds. By Ville's
inequality a product of them over days exceeds 1/α at *any* look with a probability of at most α.
All functions return natural logarithms. A value is "kept" if its mean is at least the limit;
metrics of which low is better enter with their sign reversed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import betainc, betaln, log_ndtr, logsumexp, xlog1py, xlogy

from tallymark.core import Floats

STRENGTH = 20.0
"""Rows that the prior of a share stands for, at least; see :func:`strength_for`."""

MEANS = (np.arange(1000) + 0.5) / 1000
"""The 1,000 means on which a bet is placed for the interval of a mean in [0, 1]."""

FRACTIONS = 0.9 * 0.5 ** np.arange(7)
"""Bets against a mean, as fractions of the largest that cannot lose everything."""

FEW_AREA = 20
"""Rows of the rarer class from which on the ROC area of days is judged."""


def strength_for(rows: float) -> float:
    """Return the strength of the prior: 20 rows, or a fifth of those of the first day.

    Many rows a day show a small drop early, which a prior near the limit finds sooner.
    """
    return max(STRENGTH, rows / 5)


# -- restarts ------------------------------------------------------------------------------------


def restarted(log_e: Floats, horizon: int) -> float:
    """Return the log evidence of a process that restarts every day.

    M_t = Σ_{j ≤ t} w E_{j..t} + 1 - t w, w = 1/horizon, where E_{j..t} is the e-value of the days
    j to t: a mixture over the day on which a drop may have begun (Shin, Ramdas and Rinaldo 2024).

    Parameters
    ----------
    log_e : array (t,)
        ln E_{j..t} for each start j.
    horizon : int
        How many days are watched.

    """
    waiting = 1 - len(log_e) / horizon
    terms = np.append(log_e - math.log(horizon), math.log(waiting) if waiting > 0 else -math.inf)
    return float(logsumexp(terms))


def of_starts(counts: Any) -> Floats:
    """Return the sums of daily counts from each start to the last day: (t, ...).

    >>> of_starts([1, 2, 4]).tolist()
    [7.0, 6.0, 4.0]
    """
    return np.asarray(np.cumsum(np.asarray(counts, np.float64)[::-1], 0)[::-1])


# -- shares --------------------------------------------------------------------------------------


def share_evidence(hits: Any, n: Any, limit: float, strength: float = STRENGTH) -> Floats:
    """Return ln E against "the share is at least the limit", from ``hits`` of ``n`` rows.

    The likelihood is averaged over a beta(a, b) prior cut at the limit p0, a = strength p0 + ½, b =
    strength (1 - p0) + ½, and divided by that at p0:

    ln E = ln B(a+k, b+n-k) + ln I_p0(a+k, b+n-k) - ln B(a, b) - ln I_p0(a, b) - k ln p0
    - (n-k) ln(1-p0).

    >>> round(float(share_evidence(69, 100, 0.85)), 6)
    6.706099
    """
    k, n = np.asarray(hits, np.float64), np.asarray(n, np.float64)
    a, b = strength * limit + 0.5, strength * (1 - limit) + 0.5
    before = betaln(a, b) + _log_below(limit, a, b)
    after = betaln(a + k, b + n - k) + _log_below(limit, a + k, b + n - k)
    return np.asarray(after - before - k * math.log(limit) - (n - k) * math.log1p(-limit))


def _log_below(share: float, a: Any, b: Any) -> Any:
    """Return ln I_share(a, b); far above the limit it is -inf, which only lowers evidence."""
    with np.errstate(divide="ignore"):
        return np.log(betainc(a, b, share))


def share_capital(hits: Any, n: Any, share: Any) -> Floats:
    """Return the log of what two-sided bets on shares have won against a true ``share``.

    The likelihood averaged over a beta(½, ½) prior, over that at the share.
    """
    k, rest = np.asarray(hits, np.float64), np.subtract(n, hits, dtype=np.float64)
    won = betaln(0.5 + k, 0.5 + rest) - betaln(0.5, 0.5)
    return np.asarray(won - xlogy(k, share) - xlog1py(rest, -np.asarray(share, np.float64)))


def share_bounds(hits: Any, n: Any, alpha: float) -> tuple[Floats, Floats]:
    """Return the confidence sequence of a share: valid at all looks together.

    It holds the shares against which the bets have not won 1/α; (0, 1) without rows.

    >>> low, high = share_bounds(69, 100, 0.05)
    >>> round(float(low), 6), round(float(high), 6)
    (0.526538, 0.826392)
    """
    k, n = np.broadcast_arrays(np.asarray(hits, np.float64), np.asarray(n, np.float64))
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(n > 0, k / n, 0.5)
    return _edge(k, n, share, 0.0, alpha), _edge(k, n, share, 1.0, alpha)


def _edge(k: Floats, n: Floats, inside: Floats, end: float, alpha: float) -> Floats:
    """Return where the capital reaches 1/α between the share and an end of its range."""
    good, bad = inside.astype(np.float64), np.full(k.shape, end)
    with np.errstate(divide="ignore", invalid="ignore"):
        kept_end = ~(share_capital(k, n, bad) >= -math.log(alpha))
        for _ in range(60):
            middle = (good + bad) / 2
            rejected = share_capital(k, n, middle) >= -math.log(alpha)
            good, bad = np.where(rejected, good, middle), np.where(rejected, middle, bad)
    return np.asarray(np.where(kept_end, end, good))


# -- pairs of models -----------------------------------------------------------------------------


def pair_evidence(only_new: Any, only_old: Any) -> Floats:
    """Return ln E against "the new model is right as often as the old one, or more often".

    Of the rows on which only one model is right, the share of the new model is compared with ½:
    the likelihood is averaged over a beta(½, ½) prior cut at ½,
    E = B(½+b, ½+c) I_½(½+b, ½+c) 2^(b+c+1) / B(½, ½).

    >>> round(float(pair_evidence(12, 30)), 6)
    2.57411
    """
    b, c = np.asarray(only_new, np.float64), np.asarray(only_old, np.float64)
    return np.asarray(
        betaln(0.5 + b, 0.5 + c)
        + _log_below(0.5, 0.5 + b, 0.5 + c)
        + (b + c + 1) * math.log(2)
        - betaln(0.5, 0.5)
    )


# -- means in [0, 1] -----------------------------------------------------------------------------


def day_of_bets(values: Floats, counts: Floats, limit: float) -> Floats:
    """Return what each of the :data:`FRACTIONS` wins in a day against "the mean is ≥ the limit".

    A bet λ multiplies its capital by 1 - λ(x - limit) for each row of value x; λ is fixed before
    the watch begins.
    """
    stakes = FRACTIONS / (1 - limit)
    return np.asarray(np.log1p(-np.multiply.outer(stakes, values - limit)) @ counts)


def bet_evidence(won: Floats) -> Floats:
    """Return ln E of the days from each start, of what the bets won by day (t, bets).

    The capital is divided equally among the bets, since nobody knows how large a drop will be.
    """
    return np.asarray(logsumexp(of_starts(won), axis=-1) - math.log(won.shape[-1]))


def hedged_day(
    values: Floats, counts: Floats, before: Sequence[float], alpha: float, means: Any = MEANS
) -> tuple[Floats, Floats]:
    """Return the log of what bets on a higher and on a lower mean win in a day, for each of means.

    Both bets are λ = √(2 ln(2/α) / (v t ln(t+1))), where t are the rows up to the end of the day
    and v the variance of the rows ``before`` it, with ¼ added once; at most half of what could
    lose everything. So they are fixed before the day (Waudby-Smith and Ramdas 2024).

    Parameters
    ----------
    values, counts : array (n,)
        The values of the day, and how many rows have each.
    before : (rows, sum, sum of squares)
        Of the days before.
    alpha : float
        One minus the confidence level.
    means : array (m,)
        Candidates for the mean, inside (0, 1).

    """
    rows, total, squares = before
    centre = (0.5 + total) / (rows + 1)
    spread = (0.25 + max(squares - 2 * centre * total + rows * centre**2, 0.0)) / (rows + 1)
    t = rows + float(counts.sum())
    if t == 0:
        return np.zeros(np.shape(means)), np.zeros(np.shape(means))
    bet = math.sqrt(2 * math.log(2 / alpha) / (spread * t * math.log(t + 1)))
    off = np.subtract.outer(values, means)
    up = counts @ np.log1p(np.minimum(bet, 0.5 / means) * off)
    down = counts @ np.log1p(-np.minimum(bet, 0.5 / (1 - means)) * off)
    return np.asarray(up), np.asarray(down)


def hedged(up: Any, down: Any) -> Floats:
    """Return the log capital of half a bet on a higher and half a bet on a lower mean."""
    return np.asarray(np.logaddexp(up, down) - math.log(2))


def mean_bounds(up: Floats, down: Floats, alpha: float) -> tuple[float, float]:
    """Return the confidence sequence of a mean: the means against which the bets won below 1/α.

    Each bound is the next of the 1,000 means that is outside.
    """
    kept = np.flatnonzero(hedged(up, down) < -math.log(alpha))
    if not len(kept):
        kept = np.array([int(np.argmin(hedged(up, down)))])
    step = MEANS[1] - MEANS[0]
    low, high = float(MEANS[kept[0]] - step), float(MEANS[kept[-1]] + step)
    return max(low, 0.0), min(high, 1.0)


# -- the ROC area --------------------------------------------------------------------------------


def tuned(rows: float, alpha: float) -> float:
    """Return ρ², with which the confidence sequence is narrowest at a number of rows."""
    return (-2 * math.log(alpha) + math.log(-2 * math.log(alpha) + 1)) / rows


def area_with_one_more(area: Any, variance: Any, rarer: Any) -> tuple[Any, Any]:
    """Return an area and its variance with one more row of the rarer class, placed by chance.

    Its placement is ½ with a variance of ¼: (k A + ½)/(k+1) and V + ¼/(k+1)².
    """
    return (rarer * area + 0.5) / (rarer + 1), variance + 0.25 / (rarer + 1) ** 2


def area_half_width(variance: Any, rows: Any, rho2: float, alpha: float) -> Any:
    """Return the half-width of the asymptotic confidence sequence of an area.

    √(V · 2(tρ²+1)/(tρ²) · ln(√(tρ²+1)/α)), t the rows (Waudby-Smith et al. 2024).

    >>> centre, variance = area_with_one_more(0.86, 0.0009, 120)
    >>> round(centre, 6), round(float(area_half_width(variance, 300, tuned(3000, 0.05), 0.05)), 6)
    (0.857025, 0.116744)
    """
    r = rows * rho2
    return np.sqrt(variance * 2 * (r + 1) / r * np.log(np.sqrt(r + 1) / alpha))


def area_evidence(off: Any, variance: Any, rows: Any, rho2: float) -> Floats:
    """Return ln E against "the area is at least the limit", for areas that are ``off`` from it.

    The normal likelihood is averaged over a half-normal prior below the limit: with z = off/√V and
    r = ρ² times the rows, E = 2 Φ(-z √(r/(1+r))) exp(z² r/(2(1+r)))/√(1+r). It is an e-value in
    large samples only.
    """
    r = np.asarray(rows, np.float64) * rho2
    z = np.asarray(off) / np.sqrt(variance)
    part = r / (1 + r)
    return np.asarray(
        math.log(2) + log_ndtr(-z * np.sqrt(part)) + z**2 * part / 2 - np.log1p(r) / 2
    )
