"""Variance of error rates where people recur in many comparisons.

Two comparisons that share a person are correlated. The variance of a mean over comparisons is then
the sum of the products of their deviations over all pairs of comparisons that share one: the
squared sums of people, less the squared sums of pairs, which are in the sums of both people.
Sources: fafchamps2007, aronow2015.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tallymark.core import Floats, critical_value, scaled
from tallymark.parts.verification.people import Dyads, Moved

WIDTH = 1.5
"""The slope of the ROC curve is taken over the false match rate ± this many standard errors."""


class Spread(NamedTuple):
    """A variance and its degrees of freedom."""

    variance: float
    degrees_of_freedom: float

    def bounds(
        self, value: float, level: float, extent: tuple[float, float] = (0.0, 1.0)
    ) -> tuple[float, float]:
        """Return the interval of a value by Student's t, for a rate on the logit scale."""
        critical = critical_value(level, self.degrees_of_freedom)
        low, high = scaled(value, math.sqrt(self.variance), critical, extent)
        return float(low), float(high)


def spread(moved: Moved, people: int) -> Spread:
    """Return the variance of a statistic from what each person adds to it.

    V = max(P/(P-1)·(ΣS_i² - ΣD²), ΣD²) with S_i the sum of a person and D that of a pair of
    different people; comparisons of a person with themselves are in S_i once, and are part of the
    least value too. df = 2(ΣS²)²/(ΣS⁴ - (ΣS²)²/P), at most P - 1 (Satterthwaite).

    Source: aronow2015.

    >>> found = spread(Moved(np.array([0.5, -0.5, 0.0]), 0.25, 0.0), 3)
    >>> found.variance, found.degrees_of_freedom
    (0.375, 2.0)
    """
    squares = moved.of_people**2
    total, fourth = float(squares.sum()), float((squares**2).sum())
    if people < 2:
        return Spread(math.nan, math.nan)
    variance = max(people / (people - 1) * (total - moved.pairs), moved.pairs + moved.within)
    rest = fourth - total**2 / people
    freedom = 2 * total**2 / rest if rest > 0 else math.inf
    return Spread(float(variance), min(freedom, people - 1.0))


def combined(f: Moved, of_f: float, g: Moved, of_g: float) -> Moved:
    """Return what people add to a weighted sum of both error rates."""
    return Moved(
        of_f * f.of_people + of_g * g.of_people,
        of_f**2 * f.pairs,
        of_g**2 * g.within,
    )


def slope(fmr: Floats, fnmr: Floats, at: float, error: float) -> float:
    """Return how much FNMR falls per FMR, over the false match rate ± 1.5 standard errors.

    ``fmr`` ascends and ``fnmr`` descends along the thresholds.

    >>> round(slope(np.array([0.0, 0.1, 1.0]), np.array([0.5, 0.2, 0.0]), 0.1, 0.04), 6)
    1.611111
    """
    low, high = max(at - WIDTH * error, 0.0), min(at + WIDTH * error, 1.0)
    left, right = np.interp([low, high], fmr, fnmr)
    return float((left - right) / (high - low)) if high > low else 0.0


def fmr_spread(dyads: Dyads, threshold: float) -> Spread:
    """Return the variance of the false match rate at a threshold."""
    return spread(dyads.false_matches(threshold), dyads.people_of(1))


def fnmr_spread(dyads: Dyads, threshold: float) -> Spread:
    """Return the variance of the false non-match rate at a threshold."""
    return spread(dyads.false_non_matches(threshold), dyads.people_of(0))


def fnmr_at_fmr_spread(dyads: Dyads, threshold: float, falls: float) -> Spread:
    """Return the variance of FNMR at a fixed FMR; ``falls`` is the slope of the ROC curve.

    An FMR that is higher by δ at each threshold moves the threshold up, and FNMR by falls·δ.
    """
    f, g = dyads.false_matches(threshold), dyads.false_non_matches(threshold)
    return spread(combined(f, falls, g, 1.0), dyads.people_of(0, 1))


def eer_spread(dyads: Dyads, threshold: float, falls: float) -> Spread:
    """Return the variance of the equal error rate, (λ·FMR + FNMR)/(1 + λ) by the slope λ."""
    f, g = dyads.false_matches(threshold), dyads.false_non_matches(threshold)
    return spread(combined(f, falls / (1 + falls), g, 1 / (1 + falls)), dyads.people_of(0, 1))
