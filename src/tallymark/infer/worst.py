"""The worst of many parts of the rows: which it may be, and how bad it is, whichever it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.display import Display
from tallymark.infer.intervals import Estimates
from tallymark.infer.jackknife import reaches
from tallymark.metric.measure import Value, json_number
from tallymark.tally.arrays import Floats


@dataclass(frozen=True, slots=True, repr=False)
class Worst(Display):
    """The subgroup where a metric is worst of those with rows enough, and what may be said of it.

    ``value`` is the subgroup's own, with the interval that it would have if nobody had chosen it.
    ``low`` and ``high`` are its bounds among the intervals that hold for all ``of`` subgroups
    (each at the level 1 - (1 - level) / of, Bonferroni): chosen as the worst or not, they hold.
    ``least`` and ``most`` bound the number of the truly worst subgroup, whichever it is, and
    ``candidates`` are those that it may be.
    """

    metric: str
    key: Any
    value: Value
    low: float
    high: float
    least: float
    most: float
    candidates: tuple[Any, ...]
    of: int
    level: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        numbers = {k: json_number(getattr(self, k)) for k in ("low", "high", "least", "most")}
        return {
            "metric": self.metric, "subgroup": self.key, "value": self.value.to_dict(), **numbers,
            "candidates": list(self.candidates), "of": self.of, "level": self.level,
        }  # fmt: skip


def each_level(level: float, of: int) -> float:
    """Return the level that each of so many intervals needs for all to hold at once.

    >>> round(each_level(0.95, 10), 6)
    0.995
    """
    return 1 - (1 - level) / max(of, 1)


def stretched(column: Estimates, support: Floats, level: float) -> Estimates:
    """Return a column whose bounds reach as far as a higher level asks.

    Draws do not reach so far out; on the scale of the metric's range (logit between two ends) the
    distances are stretched by the ratio of the two quantiles of Student's t, with as many degrees
    of freedom as rows tell the number, less one.
    """
    freedom = np.maximum(support - 1, 1.0)
    by = reaches(level, freedom) / reaches(column.level, freedom)
    least, most = column.statistic.metric.range_of(**column.statistic.params)
    both = np.isfinite(least) and np.isfinite(most)
    with np.errstate(all="ignore"):

        def scale(x: Floats) -> Floats:
            share = (x - least) / (most - least)
            return np.asarray(np.log(share / (1 - share)))

        def back(x: Floats) -> Floats:
            return np.asarray(least + (most - least) / (1 + np.exp(-x)))

        out = []
        for bound in (column.lows, column.highs):
            straight = column.values + by * (bound - column.values)
            if both:
                middle = scale(column.values)
                curved = back(middle + by * (scale(bound) - middle))
                straight = np.where(np.isfinite(curved), curved, straight)
            out.append(np.clip(straight, least, most))
    low, high = out
    return Estimates(
        column.statistic, column.values, low, high, column.methods, column.reasons, level
    )  # fmt: skip


def worst(
    first: Estimates, wide: Estimates, ranked: NDArray[np.bool_], keys: Sequence[Any], level: float
) -> Worst | None:
    """Return the worst of the subgroups that may be ``ranked``; None where there is none.

    ``first`` has the usual bounds, ``wide`` those that hold for all at once.
    """
    there = np.flatnonzero(ranked & np.isfinite(wide.lows) & np.isfinite(wide.highs))
    if not len(there):
        return None
    metric = first.statistic.metric
    sign = 1.0 if metric.better == "high" else -1.0
    values, near, far = (
        sign * v[there]
        for v in (first.values, *((wide.lows, wide.highs) if sign > 0 else (wide.highs, wide.lows)))
    )
    i = int(there[np.argmin(values)])
    ends = sorted((sign * float(near.min()), sign * float(far.min())))
    may = there[near <= far.min()]
    may = may[np.argsort(sign * first.values[may], kind="stable")]
    return Worst(
        metric.name, keys[i], first.value(i), float(wide.lows[i]), float(wide.highs[i]),
        ends[0], ends[1], tuple(keys[int(j)] for j in may), len(there), level,
    )  # fmt: skip
