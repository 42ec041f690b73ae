"""A subgroup's number beside another's: differences, ratios, bounds and p-values of all at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallymark.display import Display
from tallymark.infer.difference import Difference
from tallymark.infer.intervals import Estimates
from tallymark.metric import Metric
from tallymark.metric.measure import json_number
from tallymark.tally.arrays import Floats


@dataclass(frozen=True, slots=True, repr=False)
class SubgroupDifference(Display):
    """A metric of a subgroup less that of the rest, or of a subgroup named.

    ``difference`` has the interval and the p-value, ``corrected`` that p-value by Holm's method
    over all subgroups tested, NaN for the others. ``ratio`` is the subgroup's number
    over the other's, with bounds, NaN where the metric can be below 0 or the other's is 0.
    ``small`` says that the subgroup has too few rows to be tested.
    """

    key: Any
    difference: Difference
    corrected: float
    ratio: float
    ratio_low: float
    ratio_high: float
    small: bool

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            **self.difference.to_dict(),
            "corrected": json_number(self.corrected),
            "ratio": json_number(self.ratio),
            "ratio_low": json_number(self.ratio_low),
            "ratio_high": json_number(self.ratio_high),
            "small": self.small,
        }


def repeated(column: Estimates, i: int) -> Estimates:
    """Return a column that holds one subgroup's number throughout."""
    n = len(column.values)
    values, lows, highs = (np.full(n, v[i]) for v in (column.values, column.lows, column.highs))
    return Estimates(
        column.statistic, values, lows, highs, [column.methods[i]] * n, [column.reasons[i]] * n,
        column.level,
    )  # fmt: skip


def gaps_of(
    first: Estimates,
    second: Estimates,
    shares: tuple[Floats, ...] | None,
    support: Floats,
    level: float,
) -> dict[str, Floats]:
    """Return the bounds, p-values and ratios of the differences of two columns."""
    from scipy.special import erfc, stdtr, stdtrit

    a, b = first.values, second.values
    with np.errstate(all="ignore"):
        gap = a - b
        low = gap - np.hypot(a - first.lows, second.highs - b)
        high = gap + np.hypot(first.highs - a, b - second.lows)
        bounded = np.isfinite(low) & np.isfinite(high)
        low, high = (np.where(bounded, v, np.nan) for v in (low, high))
        if shares is None:
            toward = np.where(gap > 0, gap - low, high - gap)
            # How far out the bound is said to be: of few rows less is told further out.
            freedom = np.maximum(support - 1, 1.0)
            reach = stdtrit(freedom, (1 + level) / 2)
            p = np.where(toward > 0, 2 * stdtr(freedom, -reach * np.abs(gap) / toward), np.nan)
        else:
            hit, n, other, m = shares
            pooled = (hit + other) / (n + m)
            error = np.sqrt(np.maximum(pooled * (1 - pooled), 0.0) * (1 / n + 1 / m))
            p = np.where(error > 0, erfc(np.abs(gap) / error / math.sqrt(2)), 1.0)
        p = np.where(bounded, p, np.nan)
        least = first.statistic.metric.range_of(**first.statistic.params)[0]
        positive = (least >= 0) & (b > 0) & np.isfinite(a) & np.isfinite(b)
        ratio = np.where(positive, a / b, np.nan)
        down = np.hypot(np.log(a / first.lows), np.log(second.highs / b))
        up = np.hypot(np.log(first.highs / a), np.log(b / second.lows))
        told = positive & bounded & (a > 0)
        ratio_low = np.where(told, np.where(first.lows > 0, ratio * np.exp(-down), 0.0), np.nan)
        ratio_high = np.where(told, np.where(second.lows > 0, ratio * np.exp(up), np.inf), np.nan)
    return {"low": low, "high": high, "p": p, "ratio": ratio, "ratio_low": ratio_low,
            "ratio_high": ratio_high, "score": np.full(len(a), shares is not None)}  # fmt: skip


def difference_of(
    metric: Metric,
    first: Estimates,
    second: Estimates,
    gaps: dict[str, Floats],
    i: int,
    level: float,
) -> Difference:
    """Return one subgroup's difference, or the reason why there is none."""
    a, b = float(first.values[i]), float(second.values[i])
    for column, who in ((first, "the subgroup"), (second, "the others")):
        if column.reasons[i] is not None:
            return Difference(metric.name, a, b, reason=f"{who}: {column.reasons[i]}")
    low, high, p = (float(gaps[k][i]) for k in ("low", "high", "p"))
    if math.isnan(low):
        return Difference(metric.name, a, b, method="no interval: one of the two has none")
    reach = metric.range[1] - metric.range[0]
    of_shares = bool(gaps["score"][i])
    method = "Newcombe, unpaired" if of_shares else "square-and-add of both intervals"
    test = "score test of two proportions" if of_shares else method
    return Difference(
        metric.name, a, b, max(low, -reach), min(high, reach), level, method, p,
        None if math.isnan(p) else test,
    )  # fmt: skip
