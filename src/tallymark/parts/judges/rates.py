"""Pass rates of several models on the same items, corrected by labels, and their covariance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallymark.core import BetaPosterior, Floats
from tallymark.parts.judges.strata import Codes

PAIRED = "posterior with one more label in each stratum, paired by item"
CLUSTERED = "posterior with one more label in each stratum, clusters, t"


@dataclass(frozen=True)
class ModelRows:
    """The rows of one model: their unit, stratum, share of an item, and labels.

    ``unit`` [row] is the code of what is independent of other rows, an item or a cluster;
    ``stratum`` [row] that of rows in which the judge's value is treated alike; ``part`` [row] is 1
    divided by the number of rows of the model and item. ``passed`` [row] is 1 or 0 of labelled rows
    and NaN of others, and ``weight`` [row] the weight of labelled rows.
    """

    unit: Codes
    stratum: Codes
    part: Floats
    passed: Floats
    weight: Floats


@dataclass(frozen=True)
class Rates:
    """Estimated pass rates [model], the means of their posterior, and its covariance."""

    values: Floats
    means: Floats
    covariance: Floats
    units: int


@dataclass(frozen=True, slots=True)
class Bounds:
    """An estimate with its interval, and the p-value of 0."""

    value: float
    low: float
    high: float
    p_value: float


def corrected(models: Sequence[ModelRows], units: int) -> Rates:
    """Return the pass rates of models on the same items.

    With parts u of n items, weights w of labels y, v = u w, and V = Σv over the m labelled rows of
    stratum s of a model, whose mean weight is v̄ = V / m, the rate and the mean are

        P = Σ_s U_s / n · Σvy / V,    μ = Σ_s U_s / n · μ_s,    μ_s = (Σvy + v̄/2) / (V + v̄).

    A unit contributes to the mean Σ u (μ_s - μ) / n over its rows, plus (U_s / n) √((m + 1) / m) ·
    v (y - μ_s) / (V + v̄) over its labelled ones. The covariance of two models is the sum of the
    products of their contributions, times G / (G - 1) for G units. The variance of a model has its
    one more label of each stratum besides, which is 0 or 1 by chance:
    (U_s / n)² (m + 1) / m · v̄² (μ_s² + (1 - μ_s)²) / 2 / (V + v̄)².

    For two values of the judge P is the judge's rate plus the regression of labels on its values,
    so the weight of the judge is the one that gives the least variance.
    """
    k = len(models)
    values, means, added = np.zeros(k), np.zeros(k), np.zeros(k)
    shares = np.zeros((units, k))
    for i, rows in enumerate(models):
        n = rows.part.sum()
        mean_of_row, of_row = np.zeros(len(rows.part)), np.zeros(len(rows.part))
        for s in np.unique(rows.stratum):
            inside = rows.stratum == s
            share = rows.part[inside].sum() / n
            known = inside & ~np.isnan(rows.passed)
            m, y, v = np.count_nonzero(known), rows.passed[known], (rows.part * rows.weight)[known]
            total = v.sum()
            extra = total / m if m else 1.0
            mean = (v @ y + extra / 2) / (total + extra)
            values[i] += share * (v @ y / total if m else mean)
            means[i] += share * mean
            mean_of_row[inside] = mean
            factor = share * math.sqrt((m + 1) / m if m else 1.0) / (total + extra)
            of_row[known] = factor * v * (y - mean)
            added[i] += (factor * extra) ** 2 * (mean**2 + (1 - mean) ** 2) / 2
        of_row += rows.part * (mean_of_row - means[i]) / n
        shares[:, i] = np.bincount(rows.unit, of_row, units)
    covariance = shares.T @ shares * (units / (units - 1)) + np.diag(added)
    return Rates(values, means, covariance, units)


def bounds_of_difference(
    rates: Rates, first: int, second: int, level: float, *, clustered: bool
) -> Bounds:
    """Return the first rate minus the second.

    Without clusters, (d + 1) / 2 has a beta posterior, else d Student's t with one degree of
    freedom fewer than clusters. The p-value is one minus the level of the interval that ends at 0.
    """
    from scipy.special import stdtr

    c = rates.covariance
    value = float(rates.values[first] - rates.values[second])
    mean = float(rates.means[first] - rates.means[second])
    variance = float(c[first, first] + c[second, second] - 2 * c[first, second])
    if clustered:
        error = math.sqrt(variance)
        low, high = _student(value, mean, error, rates.units, level, least=-1.0)
        p = 2 * float(stdtr(rates.units - 1, -abs(mean) / error))
    else:
        posterior = BetaPosterior((value + 1) / 2, (mean + 1) / 2, variance / 4)
        low, high = (2 * bound - 1 for bound in posterior.bounds(level))
        p = posterior.p_value(0.5)
    return Bounds(value, low, high, p if value * mean > 0 else 1.0)


def bounds_of_rate(
    rates: Rates, model: int, level: float, *, clustered: bool
) -> tuple[float, float]:
    """Return the interval of a pass rate: of its beta posterior, or of Student's t."""
    value, mean = float(rates.values[model]), float(rates.means[model])
    variance = float(rates.covariance[model, model])
    if clustered:
        return _student(value, mean, math.sqrt(variance), rates.units, level, least=0.0)
    return BetaPosterior(value, mean, variance).bounds(level)


def _student(
    value: float, mean: float, error: float, units: int, level: float, *, least: float
) -> tuple[float, float]:
    """Return Student's interval within ``least`` and 1, widened to include the value."""
    from scipy.special import stdtrit

    half = float(stdtrit(units - 1, (1 + level) / 2)) * error
    low, high = max(mean - half, least), min(mean + half, 1.0)
    return min(low, value), max(high, value)


def unit_codes(codes: NDArray[np.intp]) -> tuple[Codes, int]:
    """Return codes without gaps, from 0 on, and their number."""
    present, place = np.unique(codes, return_inverse=True)
    return place.reshape(-1), len(present)
