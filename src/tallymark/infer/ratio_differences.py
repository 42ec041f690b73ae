"""Compute differences of likelihood ratios, odds ratios and functions of them, and their tests.

On different rows the interval and the test come from the scores of both ratios, which
:mod:`.ratio_scores` combines. On the same rows the interval is square-and-add of both
intervals with the correlation of the logarithms of both ratios; the test of likelihood ratios comes
from the paired scores of positives and negatives, and that of odds ratios from the difference of
their logarithms. With an infinite ratio, there is neither.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tallymark.infer import ratio_scores
from tallymark.infer.contrasts import Bounds, as_tested, mover, no_bounds
from tallymark.infer.ratio_scores import PairedRatio, ScoreRatio
from tallymark.infer.samples import Shares
from tallymark.metric.measure import Statistic, Value
from tallymark.metric.registry import get
from tallymark.tally.arrays import Floats

# -- different rows -----------------------------------------------------------------------------

EQUAL_RATIOS = "scores of both ratios"


class EqualRatios(NamedTuple):
    """The test of the difference of two ratios of proportions, or of a function of them."""

    metric: str
    params: tuple[tuple[str, Any], ...]
    first: Shares
    second: Shares

    def p_value(self, gap: float, null: float = 0.0) -> float:
        """Return the two-sided p-value of a difference of ``null``."""
        first, second = ratios_behind(self.metric, self.first, self.second)
        scale = ratio_scores.scale_of(self.metric, dict(self.params))
        return float(ratio_scores.p_of(ratio_scores.least_q(first, second, null, scale))[0])


def ratios_behind(metric: str, *shares: Shares) -> tuple[ScoreRatio, ScoreRatio]:
    """Return both ratios of a metric from the hits and rows behind the first and the second."""
    of = get(metric)._sampling.two_shares
    assert of is not None
    first, second = (ScoreRatio(of.contrast, *side) for side in shares)
    return first, second


def of_ratios(
    s: Statistic, values: tuple[Floats, Floats], shares: tuple[Shares, Shares], level: float
) -> list[Bounds | None]:
    """Return the intervals of differences of ratios of proportions on different rows, and tests.

    The metric is a ratio or an odds ratio of two proportions, or a function of one; see
    :mod:`.ratio_scores`. ``shares`` are the hits and rows behind the first and the second value, S
    of each. None where a value is undefined or infinite.
    """
    name, (a, b) = s.metric.name, values
    defined = np.isfinite(a) & np.isfinite(b)
    found: list[Bounds | None] = [None] * len(defined)
    if not defined.any():
        return found
    a, b = a[defined], b[defined]
    sides = [_taken(side, defined) for side in shares]
    first, second = ratios_behind(name, *sides)
    scale = ratio_scores.scale_of(name, s.params)

    def q(shift: Floats) -> Floats:
        return ratio_scores.least_q(first, second, shift, scale)

    step = np.maximum(np.maximum(np.abs(a), np.abs(b)) / 8, 1e-6)
    low, high = ratio_scores.bounds(q, a - b, step, level)
    p = ratio_scores.p_of(q(np.zeros(len(a))))
    title = f"{EQUAL_RATIOS}, unpaired"
    for k, i in enumerate(np.flatnonzero(defined).tolist()):
        one, other = (_taken(side, k) for side in sides)
        test = EqualRatios(name, tuple(s.params.items()), one, other)
        found[i] = Bounds(float(low[k]), float(high[k]), title, float(p[k]), title, null_test=test)
    return found


def _taken(shares: Shares, places: Any) -> Shares:
    """Return the hits and rows of some pairs; of one pair, plain numbers."""
    hits, rows = (tuple(np.asarray(v)[places].tolist() for v in pair) for pair in shares)
    return (hits[0], hits[1]), (rows[0], rows[1])


# -- the same rows -----------------------------------------------------------------------------

_PAIRED = "square-and-add of both intervals, correlated as the paired decisions"

_QUARTER = 0.25
"""Rows added to each of the four cells of a class, so that logarithms of all shares exist."""

Four = tuple[float, float, float, float]
"""Rows of a class that both models hit, only the first, only the second, and neither."""


class _Paired(NamedTuple):
    """Both shares of a class, and the covariance of their logarithms or logits."""

    first: float
    second: float
    variances: tuple[float, float]
    covariance: float

    @classmethod
    def of(cls, four: Four, odds: bool) -> _Paired:
        both, one, other, none = (v + _QUARTER for v in four)
        n = both + one + other + none
        p, q, common = (both + one) / n, (both + other) / n, both / n
        slopes = (1 / (p * (1 - p)), 1 / (q * (1 - q))) if odds else (1 / p, 1 / q)
        variances = (slopes[0] ** 2 * p * (1 - p) / n, slopes[1] ** 2 * q * (1 - q) / n)
        return cls(p, q, variances, slopes[0] * slopes[1] * (common - p * q) / n)


def of_paired_ratios(s: Statistic, a: Value, b: Value, fours: tuple[Four, Four]) -> Bounds:
    """Return the interval of the difference of two ratios of the same rows, and its test.

    ``fours`` are the rows of the classes behind both proportions of the ratios.
    """
    of = s.metric._sampling.two_shares
    assert of is not None
    assert a.level is not None
    ends = a.low, a.high, b.low, b.high
    if not all(map(math.isfinite, ends)):
        return no_bounds("one of the two intervals is unbounded")
    odds = of.contrast == "odds ratio"
    one, other = (_Paired.of(four, odds) for four in fours)
    variances = [v + w for v, w in zip(one.variances, other.variances, strict=True)]
    covariance = one.covariance + other.covariance
    arms = [(v.value - v.low, v.high - v.value) for v in (a, b)]
    gap, correlation = a.value - b.value, covariance / math.sqrt(variances[0] * variances[1])
    low, high = mover(gap, arms[0], arms[1], correlation)
    if odds:
        logits = [math.log(p / (1 - p)) for p in (one.first, other.first, one.second, other.second)]
        apart = logits[0] - logits[1] - logits[2] + logits[3]
        q = apart**2 / (sum(variances) - 2 * covariance)
    else:
        first, second = (PairedRatio(*four) for four in fours)
        q = float(ratio_scores.least_q(first, second, 0.0)[0])
    test = "paired difference of log odds ratios" if odds else "paired scores of both ratios"
    found = Bounds(float(low), float(high), _PAIRED)
    return as_tested(found, gap, float(ratio_scores.p_of(q)), test, a.level)
