"""Bounds of a metric whose scores were counted in bins, with proofs.

A bin keeps its lowest and its highest score and its number of rows of each class; bins do not
overlap. ``worst`` and ``best`` are the two arrangements of the rows within their bins that
:meth:`ScoreTally.ends` returns: in the worst one positives are at the lowest score of their bin and
negatives at the highest, in the best one the reverse.

**Ends.** A metric of kind "ends" never gets worse when the score of a positive rises or that of a
negative falls. Such moves alone lead from the worst arrangement to the true one, and from there to
the best one, so the metric's values at worst and best bound its true value. Why metrics have this
property:

- *Functions of the ROC curve* (areas, partial and of its hull, the area of kappa, the H-measure,
  minimum Cllr, equal error rates, PR area by mixtures, PR gain). After a move every threshold has
  at least as many true positives and at most as many false positives: the corners move up or to
  the left, and so do the lines between them, which are mixtures of two thresholds. So sensitivity
  does not fall at any false positive rate. This implies monotonicity of the ROC area, of precision
  at a recall, of the lowest loss at a cost, and of kappa at a false positive rate: kappa = A/B with
  A = 2(TP·TN - FN·FP), B = (TP + FP)N + P(FN + TN) has the derivative (2N·B - A(N - P))/B² by TP,
  which is never below 0, since |A| ≤ B, and if A < 0 and P > N, |A|(P - N) ≤ 2·FN·N·P ≤ 2N·B.
- *The best of some thresholds* (recall at a precision, precision at a recall, sensitivity at a
  false positive rate and similar). The threshold that was best still meets its condition after a
  move, and is no worse.
- *The top k rows* (gain, lift, precision and recall at k, R-precision). They end where the ROC
  curve, counted in rows, meets the line TP + FP = k; a higher curve has more true positives there.
- *Losses of a row* (Brier score, log loss, Cllr, spherical score, absolute error). A row's loss
  falls when the probability of its own class rises. So do the mean of such losses and its root;
  a decreasing function of the mean rises. Isotonic probabilities have the lowest loss at every
  cost, as on the hull.
- *Averages* over classes or pairs of classes, if each term is one of these.

**Own bounds.** Other metrics declare a function, whose docstring or comment has the proof. It
bounds rising and falling terms separately (Kolmogorov-Smirnov, miscalibration), goes row by row
from the top (:func:`~tallymark.metric.retrieval.average_precision`, the PR area by trapezoids),
uses sums of probabilities (calibration in the large), or limits how much a row can change the
value (:func:`calibration_error`, decidability).

**None.** A metric without a declaration is bounded by its range only, and its value has a warning.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tallymark.metric.measure import Statistic, Value
from tallymark.tally.arrays import Floats
from tallymark.tally.scores import ScoreCounts, ScoreTally

UNPROVED = (
    "the scores were counted in bins, and no bound on the error of this metric is proved; more "
    "memory or a smaller tolerance makes the bins narrower"
)

TOO_WIDE = (
    "the scores were counted in bins too wide to determine this number; more memory or a smaller "
    "tolerance makes the bins narrower"
)


def binning_bounds(
    statistic: Statistic, tallies: Sequence[ScoreTally]
) -> tuple[float, float] | None:
    """Return the lowest and the highest possible value on the original scores.

    None if every score is known. Without proved bounds, return the metric's range.

    >>> from tallymark.metric import get
    >>> from tallymark.tally.bins import Bins
    >>> t = ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    >>> binned = t.binned(Bins([0, 0.5, 1], per=1))
    >>> binning_bounds(Statistic.of(get("roc_auc"), (0, 1), 1), [binned])
    (0.5, 1.0)
    """
    if not _in_bins(statistic, tallies):
        return None
    return _proved(statistic, tallies) or statistic.metric.range_of(**statistic.params)


def _in_bins(statistic: Statistic, tallies: Sequence[ScoreTally]) -> bool:
    columns = statistic.of_requested_classes(tallies)
    return any(t.highs is not None and bool((t.highs > t.scores).any()) for t in columns)


def _proved(statistic: Statistic, tallies: Sequence[ScoreTally]) -> tuple[float, float] | None:
    """Return proved bounds, None if there are none."""
    metric = statistic.metric
    sides = _sides(tallies)
    if metric._scoring.binning_bounds == "ends":
        result = [float(statistic.measure(side)) for side in sides]
    elif callable(metric._scoring.binning_bounds) and statistic.average == "binary":
        worst, best = (statistic.of_requested_classes(side)[0]._score_counts for side in sides)
        with np.errstate(all="ignore"):
            params = {**metric.params, **statistic.params}
            result = [float(x) for x in metric._scoring.binning_bounds(worst, best, **params)]
    else:
        return None
    if any(math.isnan(x) for x in result):
        return None
    low, high = metric.range_of(**statistic.params)
    return max(min(result), low), min(max(result), high)


def _sides(tallies: Sequence[ScoreTally]) -> list[tuple[ScoreTally, ...]]:
    """Return the worst and the best arrangement of the rows."""
    return [tuple(t.ends()[i] for t in tallies) for i in (0, 1)]


def with_binning_bounds(value: Value, statistic: Statistic, tallies: Sequence[ScoreTally]) -> Value:
    """Return a value with its binning bounds, and its interval widened by them within the range.

    A value that is infinite or undefined in only some arrangements becomes NaN with a reason.
    """
    if not _in_bins(statistic, tallies):
        return value
    least, most = statistic.metric.range_of(**statistic.params)
    proved = _proved(statistic, tallies)
    low, high = proved or (least, most)
    if math.isnan(value.value) and all(
        np.isnan(statistic.measure(side)) for side in _sides(tallies)
    ):
        return value  # undefined in both arrangements
    if not math.isfinite(value.value) and low < high:
        return Value(
            value.metric,
            math.nan,
            reason=TOO_WIDE,
            definition=value.definition,
            n_undefined=value.n_undefined,
            binning_bounds=(low, high),
        )
    low, high = min(low, value.value), max(high, value.value)
    if proved is None:
        message = UNPROVED if value.warning is None else f"{value.warning}; {UNPROVED}"
        return replace(value, binning_bounds=(low, high), warning=message)
    return replace(
        value,
        binning_bounds=(low, high),
        low=float(np.clip(value.low - (value.value - low), least, most)),
        high=float(np.clip(value.high + (high - value.value), least, most)),
    )


# -- helpers for metrics' own bounds ------------------------------------------------------------


def spans(worst: ScoreCounts, best: ScoreCounts) -> tuple[tuple[Floats, Floats, Floats], ...]:
    """Return number of rows, lowest and highest score per bin, of positives and of negatives.

    ``worst`` and ``best`` are a tally's ends, which have each class's rows in the same order.
    """
    pos = worst.pos > 0, best.pos > 0
    neg = worst.neg > 0, best.neg > 0
    return (
        (worst.pos[pos[0]], worst.scores[pos[0]], best.scores[pos[1]]),
        (worst.neg[neg[0]], best.scores[neg[1]], worst.scores[neg[0]]),
    )


def expected(worst: ScoreCounts, best: ScoreCounts) -> tuple[Any, Any]:
    """Return the highest and the lowest expected number of positives, sums of probabilities."""
    parts = spans(worst, best)
    return sum((rows * high).sum() for rows, _, high in parts), sum(
        (rows * low).sum() for rows, low, _ in parts
    )


def calibration_error(
    value: Any,
    worst: ScoreCounts,
    best: ScoreCounts,
    *,
    bins: int,
    strategy: str,
    norm: str,
    debiased: bool,
) -> tuple[Any, Any]:
    """Return bounds of a calibration error, from its value at the worst arrangement.

    With residuals e = p - truth, the error is a norm of their means over bins of probabilities.
    While no row changes its bin, moving rows by d changes it by at most the same norm of the means
    of d. By Jensen's inequality this is at most the mean of |d|, the root of the mean of d², or
    the greatest |d|, where |d| is at most the width of the row's bin in the tally. If such a bin
    contains an edge, its rows may change sides. That moves at most |e| ≤ 1 per row from one sum to
    another, so the l1 error changes by at most twice their share in addition. With rows across an
    edge other norms have no bound here, nor have bins of equal mass and the debiased error: NaN.
    """
    parts = spans(worst, best)
    rows, low, high = (np.concatenate(v) for v in zip(*parts, strict=True))
    share, width = rows / rows.sum(), high - low
    edges = np.arange(bins + 1) / bins
    place = [np.clip(np.searchsorted(edges, x, side="right"), 1, bins) for x in (low, high)]
    across = float(share[place[0] != place[1]].sum())
    if strategy != "width" or debiased or (norm != "l1" and across):
        return math.nan, math.nan
    far = {"l1": (share * width).sum(), "l2": np.sqrt((share * width**2).sum()), "max": width.max()}
    most = far[norm] + 2 * across
    return value - most, value + most
