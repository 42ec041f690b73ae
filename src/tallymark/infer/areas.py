"""Hanley and McNeil's tests of two ROC areas, beside DeLong's: from few numbers that papers print.

Their standard errors rest on the areas and the numbers of rows alone, taking scores as exponential,
and the correlation of two areas on that of the scores, taking those as normal. DeLong's rest on the
rows themselves and decide; these are told beside, for results that were judged by them.
"""

from __future__ import annotations

import math

import numpy as np

from tallymark import _kernels
from tallymark.errors import InputError
from tallymark.infer.methods import hanley_mcneil_error
from tallymark.infer.significance import Evidence
from tallymark.tally.arrays import Floats
from tallymark.tally.joint import Joint

MOST_RATINGS = 10
"""Scores of which a model has at most so many are ratings, whose correlation is Kendall's."""


def area_correlation(
    correlation: float, area: float, positives: float = 50, negatives: float = 50
) -> float:
    """Return how two ROC areas on the same rows are correlated (Hanley and McNeil 1983).

    Of scores that are normal within each class, with h = Φ⁻¹(A) and B(ρ) the chance that two
    normal variables with the correlation ρ are both below h, the covariance of two areas A on m
    positives and n negatives is [B(ρ) - A² + (m + n - 2)(B(ρ/2) - A²)] / mn; their correlation is
    that over the same with ρ = 1. The paper's table is this of 50 and 50 rows.

    Parameters
    ----------
    correlation : float
        Of both models' scores, the mean of that among positives and that among negatives.
    area : float
        The mean of both areas, between 0 and 1.
    positives, negatives : float
        How many rows of either class there are.

    Returns
    -------
    float
        From -1 to 1; NaN for an area of 0 or 1.

    Raises
    ------
    InputError
        A correlation outside -1..1, an area outside 0..1.

    Source: hanley1983.

    Examples
    --------
    >>> round(area_correlation(0.50, 0.90), 2)  # 0.41 in the paper's table
    0.41

    """
    from scipy.special import ndtr, ndtri, owens_t

    if not -1 <= correlation <= 1:
        raise InputError(f"correlation is {correlation:g}; give a number from -1 to 1")
    if not 0 <= area <= 1:
        raise InputError(f"area is {area:g}; give a number from 0 to 1")
    if area in (0, 1):
        return math.nan
    h = float(ndtri(area))

    def below(rho: float) -> float:
        if rho <= -1:
            return max(2 * area - 1, 0.0)
        return float(ndtr(h) - 2 * owens_t(h, math.sqrt((1 - rho) / (1 + rho))))

    def covariance(rho: float) -> float:
        more = positives + negatives - 2
        return below(rho) - area**2 + more * (below(rho / 2) - area**2)

    return min(max(covariance(correlation) / covariance(1.0), -1.0), 1.0)


def hanley_mcneil(
    first: tuple[float, float, float],
    second: tuple[float, float, float],
    correlation: float | None = None,
) -> Evidence:
    """Test whether two ROC areas are equal, by their exponential standard errors.

    z = (A - B) / sqrt(a² + b² - 2 r a b), with a and b of
    :func:`tallymark.infer.methods.hanley_mcneil_error`.

    Parameters
    ----------
    first, second : (area, positives, negatives)
        Either model's area, and the rows of either class that it is of.
    correlation : float, optional
        Of both models' scores where they are of the same rows, the mean of that among positives
        and that among negatives, from which r is :func:`area_correlation`. None of different rows,
        where r is 0.

    Returns
    -------
    Evidence
        ``statistic`` is z; with a reason where it has no error.

    Sources: hanley1982, hanley1983.

    Examples
    --------
    >>> print(hanley_mcneil((0.90, 50, 50), (0.80, 50, 50), 0.6))
    Hanley-McNeil, paired = 2.594: p = 0.0095

    """
    of, source = ("unpaired", "hanley1982") if correlation is None else ("paired", "hanley1983")
    name = f"Hanley-McNeil, {of}"
    areas, errors = [], []
    for area, positives, negatives in (first, second):
        if not (positives > 0 and negatives > 0) or math.isnan(area):
            return Evidence(name, math.nan, reason="a class has no rows", source=source)
        areas.append(area)
        errors.append(hanley_mcneil_error(area, positives, negatives))
    if not any(errors):
        return Evidence(name, math.nan, reason="both areas are 0 or 1", source=source)
    r = 0.0
    if correlation is not None:
        if math.isnan(correlation):
            why = "a model's scores are all the same within a class"
            return Evidence(name, math.nan, reason=why, source=source)
        r = area_correlation(correlation, sum(areas) / 2, *first[1:])
    variance = errors[0] ** 2 + errors[1] ** 2 - 2 * r * errors[0] * errors[1]
    if not variance > 1e-12 * (errors[0] ** 2 + errors[1] ** 2):
        return Evidence(name, math.nan, reason="the areas rise and fall as one", source=source)
    z = (areas[0] - areas[1]) / math.sqrt(variance)
    return Evidence(name, math.erfc(abs(z) / math.sqrt(2)), z, source=source)


def score_correlation(joint: Joint, first: str, second: str, *, ratings: bool = False) -> float:
    """Return the mean over both classes of the correlation of two models' scores.

    Pearson's; Kendall's tau-b of ``ratings``. NaN where a model's scores are all the same within a
    class.
    """
    a, b = (np.ascontiguousarray(joint.side(n).scores[0]) for n in (first, second))
    own = joint.true == joint.positive_code
    if not ratings:
        return sum(_kernels.correlations(a, b, own.view(np.uint8)), 0.0) / 2
    return sum(_tau(a[rows], b[rows]) for rows in (own, ~own)) / 2


def _tau(a: Floats, b: Floats) -> float:
    if len(a) < 2 or not (np.ptp(a) > 0 and np.ptp(b) > 0):
        return math.nan
    from scipy.stats import kendalltau

    return float(kendalltau(a, b).statistic)
