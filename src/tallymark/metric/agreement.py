"""Agreement among many raters, from a tally of ratings."""

from __future__ import annotations

import math

import numpy as np

from tallymark.tally.ratings import RatingTally


def fleiss_parts(tally: RatingTally) -> tuple[float, float]:
    """Return the agreement observed and the agreement expected by chance.

    Observed: the mean over subjects of the share of pairs of raters that agree. Expected: the sum
    of the squared shares of the categories. NaN without a subject or a second rater.
    """
    r = tally.raters()
    if r < 2:
        return math.nan, math.nan
    pairs = ((tally.counts**2).sum(1) - r) / (r * (r - 1))
    shares = tally.counts.sum(0) / tally.counts.sum()
    return float(pairs.mean()), float(np.square(shares).sum())


def fleiss_kappa(tally: RatingTally) -> float:
    """Return Fleiss' kappa, (observed - expected) / (1 - expected), for any number of raters.

    1 is perfect agreement, 0 what the categories' shares bring by chance, -1/(r-1) the least.
    NaN without a second rater and where all ratings are of one category. With two raters it is
    Scott's pi, not Cohen's kappa (Fleiss 1971).

    >>> round(fleiss_kappa(RatingTally.from_arrays([["a", "a"], ["b", "b"], ["a", "b"]])), 4)
    0.3333
    """
    observed, expected = fleiss_parts(tally)
    if math.isnan(expected) or expected == 1:
        return math.nan
    return (observed - expected) / (1 - expected)
