"""Which thresholds keep a limit on a rate with confidence, on new rows and not on these alone.

The best threshold within a limit on these rows mostly lies at the limit, so that on new rows it
breaks the limit about half of the time, and more often with few rows. A threshold that keeps it
with confidence is found by testing thresholds in a fixed order, the strictest first, until one is
not significant, so that each test has the full level (Westfall and Krishen 2001).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tallymark.metric import Metric
from tallymark.metric.proportion import effective_hits
from tallymark.tally.arrays import Floats
from tallymark.tally.labels import Counts
from tallymark.tally.scores import ScoreCounts

_ROUNDING = 1e-9

SHARES = 20
"""Equal shares of the rows at which a limit is tested whose rows change with the threshold."""


def rows_to_keep(limit: float, level: float) -> int:
    """Return the fewest rows without an error that keep an error rate with confidence.

    It is ln(1 - level) / ln(1 - limit), rounded up.

    >>> rows_to_keep(0.05, 0.95), rows_to_keep(0.01, 0.95)
    (59, 299)
    """
    if not 0 < limit < 1:
        return 0
    return math.ceil(math.log(1 - level) / math.log1p(-limit) - _ROUNDING)


def surely_kept(
    r: ScoreCounts,
    squares: ScoreCounts | None,
    limits: Mapping[Metric, float],
    level: float,
) -> NDArray[np.bool_] | None:
    """Return for each threshold, from +inf down, whether it keeps all limits with confidence.

    At a threshold with k errors among n rows, the rate is below its limit with confidence if
    P(Bin(n, limit) ≤ k) ≤ 1 - level, which is Clopper and Pearson's one-sided bound (1934). Rates
    of a class, or of all rows, only rise along the thresholds, so that every threshold is tested,
    the strictest first. Those of predicted classes are tested at 20 equal shares of the rows.
    Several limits share the error. Weighted rows count as their effective number.
    Sources: clopper1934, westfall2001.

    Parameters
    ----------
    r, squares : ScoreCounts
        Counts of the two classes at each score, and their sums of squared weights or None.
    limits : {metric: number}
        Rates with their limits, as in :func:`tallymark.infer.operating_points.optimal_threshold`.
    level : float
        The confidence.

    Returns
    -------
    array (G + 1,) or None
        None if a limit is not on a rate that this can test.

    Examples
    --------
    >>> from tallymark.metric import get
    >>> r = ScoreCounts(np.arange(100) / 100, np.ones(100), np.ones(100))
    >>> kept = surely_kept(r, None, {get("sensitivity"): 0.9}, 0.95)
    >>> r.thresholds()[kept].max(), rows_to_keep(0.1, 0.95)
    (np.float64(0.04), 29)

    """
    kept = np.ones(len(r.scores) + 1, dtype=bool)
    error = (1 - level) / max(len(limits), 1)
    for metric, limit in limits.items():
        order = _order(metric, r)
        if order is None:
            return None
        errors, rows = _errors(metric, r, squares)
        p = at_most(errors, rows, error_of(metric, limit))[order]
        passed = np.zeros(len(kept), dtype=bool)
        passed[order[np.logical_and.accumulate(p <= error)]] = True
        kept &= passed
    return kept


def chance_kept(
    r: ScoreCounts, squares: ScoreCounts | None, limits: Mapping[Metric, float], place: int
) -> float | None:
    """Return in which share of samples a threshold with as many errors keeps all limits.

    The threshold that leaves k errors among n rows lets the rate of continuous scores exceed its
    limit with probability P(Bin(n, limit) ≤ k), as of a tolerance limit (Wilks 1941). Limits are
    taken as independent, as those of the two classes are. ``place`` counts the thresholds of
    ``r.thresholds()``; None if a limit is not on a rate that this can judge.

    >>> from tallymark.metric import get
    >>> r = ScoreCounts(np.arange(5) / 5, np.ones(5), np.ones(5))
    >>> round(chance_kept(r, None, {get("sensitivity"): 0.95}, 5), 4)  # 1 - 0.95⁵
    0.2262

    """
    chance = 1.0
    for metric, limit in limits.items():
        if _order(metric, r) is None:
            return None
        errors, rows = _errors(metric, r, squares)
        p = at_most(errors[[place]], rows[[place]], error_of(metric, limit))
        chance *= 1 - float(p[0])
    return chance


def rows_without_error(r: ScoreCounts, limits: Mapping[Metric, float], level: float) -> str:
    """Return how many rows without an error would keep limits on rates of a class with confidence.

    Empty if one of the limits is on another number, or cannot be kept at all.
    """
    needed = []
    for metric, limit in limits.items():
        rows = np.empty(0) if metric._sampling.proportion is None else _errors(metric, r, None)[1]
        of = {float(r.positives): "positives", float(r.negatives): "negatives"}
        error = (1 - level) / len(limits)
        least = rows_to_keep(error_of(metric, limit), 1 - error)
        if not len(rows) or not (rows == rows[0]).all() or float(rows[0]) not in of or not least:
            return ""
        needed.append(f"{least:,} {of[float(rows[0])]}")
    return " and ".join(needed)


def error_of(metric: Metric, limit: float) -> float:
    """Return the limit of a rate as one of its errors."""
    return limit if metric.better == "low" or metric._capacity else 1 - limit


def _proportion(metric: Metric, c: Counts) -> tuple[Floats, Floats]:
    assert metric._sampling.proportion is not None
    part, whole = metric._sampling.proportion(c if metric._needs == "counts" else c.matrix())
    shape = np.shape(c.tp)
    return np.broadcast_to(part, shape), np.broadcast_to(whole, shape)


def _errors(metric: Metric, r: ScoreCounts, squares: ScoreCounts | None) -> Sequence[Floats]:
    """Return errors and rows of a rate at every threshold, as effective numbers of rows."""
    second = None if squares is None else squares._counts_by_threshold()
    hits, rows = map(
        np.nan_to_num,
        effective_hits(partial(_proportion, metric), r._counts_by_threshold(), second),
    )
    at_most = metric.better == "low" or metric._capacity
    return hits if at_most else rows - hits, rows


def _order(metric: Metric, r: ScoreCounts) -> NDArray[np.intp] | None:
    """Return the thresholds to test in their order, the strictest first; None if there is none.

    A rate of fixed rows is strictest at the end where there is no error. One of predicted rows is
    strictest where few rows are so predicted, which the scores order.
    """
    if metric._sampling.proportion is None:
        return None
    errors, rows = _errors(metric, r, None)
    down = np.arange(len(rows))
    if (rows == rows[0]).all():
        if errors[0] == 0 and (np.diff(errors) >= 0).all():
            return down
        return down[::-1] if errors[-1] == 0 and (np.diff(errors) <= 0).all() else None
    order = down if rows[0] == 0 else down[::-1]
    if rows[order[0]] != 0 or not (np.diff(rows[order]) >= 0).all():
        return None
    shares = np.arange(1, SHARES + 1) / SHARES * rows[order[-1]]
    places = np.unique(np.searchsorted(rows[order], shares - 1e-9 * rows.max()))
    return np.asarray(order[np.minimum(places, len(order) - 1)])


def at_most(errors: Floats, rows: Floats, limit: float) -> Floats:
    """Return the probability of at most so many errors if the rate were at its limit."""
    from scipy.special import betainc

    if limit >= 1:
        return np.zeros(len(rows))
    if limit <= 0:
        return np.ones(len(rows))
    left = rows - errors
    with np.errstate(invalid="ignore"):
        p = betainc(np.maximum(left, 1e-300), errors + 1, 1 - limit)
    return np.where(left > 0, p, 1.0)
