"""Optimal thresholds, and tables of counts and rates at every threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tallymark.errors import InputError
from tallymark.metric.registry import Metric, get, ratio
from tallymark.tally.arrays import Floats
from tallymark.tally.scores import ScoreTally


def best_thresholds(tally: ScoreTally, metric: Metric, **params: Any) -> tuple[Floats, float]:
    """Return every threshold at which a metric of the decisions is best, and its value there.

    Values that differ by a few rounding errors count as equal, such as 2/3 - 1/3 and 1/3, which
    are not equal to the bit. The value is optimistic, since the same rows chose the threshold. If
    the metric is undefined at all thresholds, return none of them and NaN.

    >>> from tallymark.metric import get
    >>> t = ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    >>> best_thresholds(t, get("accuracy"))
    (array([0.9, 0.3]), 0.75)
    """
    if metric.family != "threshold":
        raise InputError(
            f"{metric.name} is not computed at a single threshold; choose a threshold metric"
        )
    if metric.better == "neither":
        raise InputError(
            f"{metric.name} has no better direction and so no best threshold; choose another metric"
        )
    r = tally._score_counts
    counts = r._counts_by_threshold()
    values = metric.compute(counts if metric._needs == "counts" else counts.matrix(), **params)
    if metric.better == "low":
        values = -values
    if np.isnan(values).all():
        return np.empty(0), float("nan")
    best = float(np.nanmax(values))
    slack = 8 * np.finfo(np.float64).eps * max(abs(best), 1.0) if np.isfinite(best) else 0.0
    return r.thresholds()[values >= best - slack], -best if metric.better == "low" else best


def passes(tally: ScoreTally) -> tuple[dict[str, Any], ...]:
    """Return the steps to compute a ROC curve by hand, at increasing thresholds.

    The first pass calls every row positive, each later one drops the rows with the lowest
    remaining score, and the last calls none. Rows with tied scores are dropped together: dropping
    them one by one would add points that no threshold has. ``dropped_pos`` and ``dropped_neg``
    are the rows of each class that this pass drops.

    >>> for p in passes(ScoreTally.from_arrays([0, 1, 1], [0.1, 0.9, 0.4])):
    ...     print(p["pass"], p["threshold"], p["TPR"], p["FPR"])
    1 0.1 1.0 1.0
    2 0.4 1.0 0.0
    3 0.9 0.5 0.0
    4 inf 0.0 0.0
    """
    r = tally._score_counts
    c = r._counts_by_threshold()
    with np.errstate(all="ignore"):
        tpr, fpr = ratio(c.tp, c.tp[-1]), ratio(c.fp, c.fp[-1])
    falling = {"TP": c.tp, "FP": c.fp, "FN": c.fn, "TN": c.tn, "TPR": tpr, "FPR": fpr}
    columns = {
        "pass": range(1, len(tpr) + 1),
        "threshold": r.thresholds()[::-1].tolist(),
        "dropped_pos": [0.0, *r.pos.tolist()],
        "dropped_neg": [0.0, *r.neg.tolist()],
        **{name: v[::-1].tolist() for name, v in falling.items()},
    }
    return tuple(
        dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
    )


RATES: Mapping[str, str] = {
    "TPR": "sensitivity",
    "FPR": "false_positive_rate",
    "FNR": "false_negative_rate",
    "PPV": "precision",
    "ACC": "accuracy",
}
"""Rates that textbooks list at every threshold, by their abbreviations (Tharwat 2018, Table 1)."""


def at_every_threshold(
    tally: ScoreTally, metrics: Sequence[Metric] = ()
) -> tuple[dict[str, float], ...]:
    """Return the counts and the rates at every threshold, the highest first.

    Rows at or above a threshold are called positive; the first threshold is infinite and calls
    none. ``metrics``, which must be threshold metrics, replace the usual rates.

    >>> t = ScoreTally.from_arrays([0, 1, 1], [0.1, 0.9, 0.4])
    >>> for row in at_every_threshold(t):
    ...     print(row["threshold"], row["TP"], row["FP"], row["TPR"], row["ACC"])
    inf 0.0 0.0 0.0 0.3333333333333333
    0.9 1.0 0.0 0.5 0.6666666666666666
    0.4 2.0 0.0 1.0 1.0
    0.1 2.0 1.0 1.0 0.6666666666666666
    """
    rates = {m.name: m for m in metrics} or {head: get(name) for head, name in RATES.items()}
    for m in rates.values():
        if m.family != "threshold":
            raise InputError(
                f"{m.name} is not computed at a single threshold; choose a threshold metric"
            )
    r = tally._score_counts
    c = r._counts_by_threshold()
    with np.errstate(all="ignore"):
        values = {
            head: m.compute(c if m._needs == "counts" else c.matrix()) for head, m in rates.items()
        }
    columns = {"threshold": r.thresholds(), "TP": c.tp, "FN": c.fn, "TN": c.tn, "FP": c.fp} | values
    rows = zip(*(np.asarray(v).tolist() for v in columns.values()), strict=True)
    return tuple(dict(zip(columns, row, strict=True)) for row in rows)
