"""Calibration of the probabilities of one class against the rest."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from tallymark.errors import InputError
from tallymark.metric import binning_bounds as bounds
from tallymark.metric.probability import check_clip, squared_error
from tallymark.metric.registry import OfProportion, metric, ratio
from tallymark.metric.threshold import BOTH_CLASSES, NO_ROWS
from tallymark.tally.arrays import Floats
from tallymark.tally.row_losses import ProbabilityRows
from tallymark.tally.score_counts import (
    ScoreCounts,
    all_ends,
    bin_starts,
    check_bins,
    clipped,
    ends,
    fitted,
    nodes,
    rows_times,
)

# -- bins of probabilities -----------------------------------------------------------------------


class Bins(NamedTuple):
    """Sums over the rows in each bin of probabilities, each an array (..., bins).

    ``beyond`` is observed minus expected positives, summed row by row to avoid cancellation: the
    difference of the two sums would be mostly rounding error in a calibrated bin.
    """

    rows: Floats
    beyond: Floats
    positives: Floats
    promised: Floats
    not_promised: Floats


def binned(r: ScoreCounts, bins: int, strategy: str) -> Bins:
    """Return the sums over the rows in each bin."""
    check_bins(bins, strategy)
    return r._cached(_binned, bins=bins, strategy=strategy)


def _binned(r: ScoreCounts, bins: int, strategy: str) -> Bins:
    starts = bin_starts(r, bins, strategy)
    lead, size = starts.shape[:-1], len(r.scores)
    few = nodes(r, cuts=() if lead else starts[:-1].tolist())
    if len(few.p) < size:
        edges = np.where(starts < size, r.scores[np.minimum(starts, size - 1)], np.inf)
        starts = few.p.searchsorted(edges)
        size = len(few.p)
    # Flatten the replicates so that one reduceat serves all: each bin ends where the next begins,
    # and the last bin of a replicate where the next replicate begins.
    first, used = starts[..., :-1], starts[..., 1:] > starts[..., :-1]
    if lead:
        first = first + size * np.arange(math.prod(lead)).reshape(*lead, 1)
    out = np.zeros((5, *used.shape))
    if used.any():
        p, q, pos, neg = few
        rows = pos + neg
        parts = np.stack([rows, pos * q - neg * p, pos, rows * p, rows * q])
        out[:, used] = np.add.reduceat(parts.reshape(5, -1), first[used], axis=-1)
    return Bins(*out)


# -- logistic recalibration: maximum likelihood and its degenerate cases -------------------------


def _log_odds_at(r: ScoreCounts, place: Any, none: float, clip: float) -> Any:
    """Return the log odds of the score at an index, ``none`` where the index is negative."""
    p = r.scores[place] if len(r.scores) else np.full(np.shape(place), 0.5)
    with np.errstate(all="ignore"):
        return np.where(place < 0, none, clipped(np.log(p) - np.log1p(-p), clip))


def separated(r: ScoreCounts, clip: float) -> Any:
    """Return 1 if no positive scores below a negative, -1 for the reverse, else 0."""
    (low1, high1), (low0, high0) = (
        (_log_odds_at(r, low, np.inf, clip), _log_odds_at(r, high, -np.inf, clip))
        for low, high in ends(r)
    )
    return np.where(low1 >= high0, 1, np.where(low0 >= high1, -1, 0))


def same_probability(r: ScoreCounts, clip: float) -> Any:
    """Return whether all rows have the same probability."""
    low, high = all_ends(r)
    return _log_odds_at(r, low, np.inf, clip) == _log_odds_at(r, high, -np.inf, clip)


# -- errors by bins ------------------------------------------------------------------------------

of_one_class = partial(metric, needs="probability", undefined=NO_ROWS)
"""Declare a metric of the probabilities of one class."""

CERTAIN = {
    "a row has probability 0 or 1": lambda r, clip: _certain(r) & (clip == 0),
}


def _certain(r: ScoreCounts) -> Any:
    """Return whether a row has probability 0 or 1; only the lowest and highest score can be."""
    if not len(r.scores):
        return False
    low, high = all_ends(r)
    return (high >= 0) & ((r.scores[low] == 0) | (r.scores[high] == 1))


@of_one_class(
    title="Expected calibration error",
    formula="Σ (rows of bin / T) · |mean probability - share positive|; l2: the root of squares",
    better="low",
    aliases=("ECE",),
    relatives=("max_calibration_error", "miscalibration", "calibration_slope", "brier"),
    sources=("naeini2015", "kumar2019"),
    presets={
        "max_calibration_error": {
            "params": {"norm": "max"},
            "title": "Maximum calibration error",
            "meaning": "Largest distance, over the bins, between mean probability and share "
            "positive.",
            "aliases": ("MCE",),
        },
        "root_mean_squared_calibration_error": {
            "params": {"norm": "l2"},
            "title": "Root mean squared calibration error",
            "meaning": "Root of the mean squared distance, over bins, between probability and "
            "share positive.",
            "aliases": ("RMSCE", "l2 calibration error"),
        },
    },
    error="null_at_zero",
    binning_bounds=lambda worst, best, **how: bounds.calibration_error(
        _error_by_bins(worst, **how), worst, best, **how
    ),
    of_rows=lambda rows, bins, strategy, norm, debiased: _error_of_rows(
        rows, bins, strategy, norm, debiased
    ),
)
def expected_calibration_error(
    r: ScoreCounts,
    *,
    bins: int = 10,
    strategy: Literal["width", "mass"] = "width",
    norm: Literal["l1", "l2", "max"] = "l1",
    debiased: bool = False,
) -> Any:
    """Mean distance, over bins of probabilities, between mean probability and share positive.

    ``strategy`` makes bins of equal "width" or equal "mass"; ``norm`` is "l1", "l2" or "max".
    ``debiased``, for l2, subtracts each bin's expected sampling bias, share·(1 - share) /
    (rows - 1), from its squared error. The result is at least 0; bins of one row are ignored, and
    weights count as rows. The probability of one class is compared with the frequency of that
    class; several classes are averaged.

    Misleading: It depends on the bins: few hide errors, many create them. With few rows it is above
    0 even for calibrated probabilities. A useless model that always gives the prevalence has 0.

    >>> import tallymark as tm
    >>> round(tm.metrics.ece([0, 1, 0, 1, 1], [0.1, 0.9, 0.4, 0.4, 0.4]), 6)
    0.2
    """
    if norm not in ("l1", "l2", "max"):
        raise InputError(f"norm is {norm!r}; say 'l1', 'l2' or 'max'")
    if debiased and norm != "l2":
        raise InputError(f"debiased needs norm='l2' and norm is {norm!r}; say norm='l2'")
    return _error_by_bins(r, bins, strategy, norm, debiased)


def _error_by_bins(r: ScoreCounts, bins: int, strategy: str, norm: str, debiased: bool) -> Any:
    rows, beyond, pos, *_ = binned(r, bins, strategy)
    return _error_of_bins(rows, beyond, pos, r.total, norm, debiased)


def _error_of_rows(
    rows: ProbabilityRows, bins: int, strategy: str, norm: str, debiased: bool
) -> float | None:
    sums = rows.bins(bins) if strategy == "width" else None
    if sums is None:
        return None
    total = sums.rows.sum()
    with np.errstate(all="ignore"):
        error = _error_of_bins(sums.rows, sums.beyond, sums.positives, total, norm, debiased)
    return float(error)


def _error_of_bins(
    rows: Floats, beyond: Floats, pos: Floats, total: Any, norm: str, debiased: bool
) -> Any:
    filled = rows > 0
    gap = np.where(filled, np.abs(ratio(beyond, rows)), 0.0)
    if norm == "max":
        return gap.max(-1)
    weight = ratio(rows, total[..., None])
    if norm == "l1":
        return (weight * gap).sum(-1)
    square = gap**2
    if debiased:
        share = ratio(pos, rows)
        noise = np.where(rows > 1, ratio(share * (1 - share), rows - 1), square)
        square = np.where(filled, square - noise, 0.0)
    return np.sqrt(np.maximum((weight * square).sum(-1), 0.0))


@of_one_class(
    title="Hosmer-Lemeshow statistic",
    formula="Σ over bins of (O - E)² / (E·(1 - E/n))",
    range=(0, math.inf),
    better="low",
    chance="bins degrees of freedom; bins - 2 on the rows that the model was fitted to",
    aliases=("HL",),
    relatives=("spiegelhalter_z", "calibration_slope", "expected_calibration_error"),
    sources=("hosmer1980",),
    error="null_at_zero",
)
def hosmer_lemeshow(r: ScoreCounts, *, bins: int = 10) -> Any:
    """Chi-square statistic of expected against observed positives in tenths of the risks.

    Rows of equal probability stay in one bin, so there may be fewer bins.

    Misleading: It grows with the number of rows: with many, every model fails; with few, none does.
    It also depends on the bins.

    >>> import tallymark as tm
    >>> round(tm.metrics.hosmer_lemeshow([0, 1, 0, 1], [0.2, 0.8, 0.4, 0.4], bins=2), 6)
    0.464286
    """
    rows, beyond, _, promised, not_promised = binned(r, bins, "mass")
    spread = promised * ratio(not_promised, rows)
    distance = beyond**2
    # A bin whose expected and observed positives agree adds 0, also if its variance is 0.
    part = np.where((rows == 0) | (distance == 0), 0.0, ratio(distance, spread))
    return part.sum(-1)


# -- as a whole --------------------------------------------------------------------------------


@of_one_class(
    title="Calibration in the large",
    formula="share positive - mean probability",
    range=(-1, 1),
    better="neither",
    chance=0.0,
    aliases=("mean calibration", "bias in the large"),
    relatives=("observed_expected_ratio", "calibration_intercept"),
    sources=("vancalster2019",),
    # It is linear in the sum of the probabilities, whose bounds are known.
    binning_bounds=lambda worst, best: tuple(
        ratio(best.positives - e, best.total) for e in bounds.expected(worst, best)
    ),
)
def calibration_in_the_large(r: ScoreCounts) -> Any:
    """Share positive minus mean probability: 0 is right, above 0 probabilities are too low.

    Misleading: 0 means only that too high and too low probabilities cancel out.

    >>> import tallymark as tm
    >>> round(tm.metrics.calibration_in_the_large([0, 1, 0, 1], [0.2, 0.6, 0.4, 0.4]), 6)
    0.1
    """
    p, q, pos, neg = nodes(r)
    return ratio((pos * q - neg * p).sum(-1), r.total)


@of_one_class(
    title="Observed to expected ratio",
    formula="P / Σ probability",
    range=(0, math.inf),
    better="neither",
    chance=1.0,
    aliases=("O/E", "observed expected"),
    undefined={
        "no positive was observed or expected": lambda r: (r.positives == 0) & (_expected(r) == 0),
    },
    relatives=("calibration_in_the_large",),
    sources=("vancalster2019",),
    binning_bounds=lambda worst, best: tuple(
        ratio(best.positives, e) for e in bounds.expected(worst, best)
    ),
)
def observed_expected_ratio(r: ScoreCounts) -> Any:
    """Number of positives divided by the number that the probabilities predict; 1 is right.

    Misleading: 1 means only that too high and too low probabilities cancel out.

    >>> import tallymark as tm
    >>> tm.metrics.observed_expected_ratio([0, 1, 0, 1], [0.25, 0.5, 0.5, 0.75])
    1.0
    """
    return ratio(r.positives, _expected(r))


def _expected(r: ScoreCounts) -> Any:
    few = nodes(r)
    return ((few.pos + few.neg) * few.p).sum(-1)


@of_one_class(
    title="Calibration slope",
    formula="b of logit(positive) ~ a + b·logit(p)",
    range=(-math.inf, math.inf),
    better="neither",
    chance=0.0,
    aliases=("Cox slope",),
    undefined={
        **BOTH_CLASSES,
        **CERTAIN,
        "all rows have the same probability": lambda r, clip: same_probability(r, clip),
    },
    relatives=("calibration_intercept", "expected_calibration_error", "miscalibration"),
    sources=("cox1958", "vancalster2019"),
)
def calibration_slope(r: ScoreCounts, *, clip: float = 0.0) -> Any:
    """Spread of the probabilities: below 1 they are too extreme, above 1 not extreme enough.

    Infinite where a threshold separates the classes. ``clip`` keeps probabilities that far from 0
    and 1, where log odds are infinite.

    Misleading: It is 1 for probabilities that are all too high by the same odds, and infinite where
    the classes do not overlap.

    >>> import tallymark as tm
    >>> y, p = [0, 0, 0, 1, 0, 1, 1, 1], [0.1, 0.1, 0.3, 0.3, 0.7, 0.7, 0.9, 0.9]
    >>> round(tm.metrics.calibration_slope(y, p), 4)
    1.0915
    """
    parted = separated(r, check_clip(clip))
    return np.where(
        np.equal(parted, 0), fitted(r, clip, sloped=True)[..., 1], np.multiply(parted, np.inf)
    )


@of_one_class(
    title="Calibration intercept",
    formula="a of logit(positive) ~ a + logit(p)",
    range=(-math.inf, math.inf),
    better="neither",
    chance=0.0,
    aliases=("Cox intercept",),
    undefined={**BOTH_CLASSES, **CERTAIN},
    relatives=("calibration_slope", "calibration_in_the_large"),
    sources=("cox1958", "vancalster2019"),
)
def calibration_intercept(r: ScoreCounts, *, clip: float = 0.0) -> Any:
    """Overall error of the log odds: above 0 the probabilities are too low.

    ``clip`` keeps probabilities that far from 0 and 1, where log odds are infinite.

    Misleading: 0 means only that too high and too low probabilities cancel out, on the scale of the
    log odds.

    >>> import tallymark as tm
    >>> round(tm.metrics.calibration_intercept([0, 1, 0, 1], [0.2, 0.6, 0.4, 0.4]), 4)
    0.4438
    """
    return fitted(r, check_clip(clip), sloped=False)[..., 0]


@of_one_class(
    title="Spiegelhalter's Z",
    formula="Σ (truth - p)(1 - 2p) / √(Σ (1 - 2p)² p(1 - p))",
    range=(-math.inf, math.inf),
    better="neither",
    chance=0.0,
    undefined={
        "every row has probability 0, 1/2 or 1": lambda r: _widest(r) == 0,
    },
    relatives=("brier", "hosmer_lemeshow", "calibration_slope"),
    sources=("spiegelhalter1986",),
)
def spiegelhalter_z(r: ScoreCounts) -> Any:
    """Standard normal if the probabilities are calibrated: beyond ±2 they hardly are.

    Above 0, the Brier score is worse than expected of calibrated probabilities.

    Misleading: It grows with the number of rows, and errors that cancel in the Brier score cancel
    here.

    >>> import tallymark as tm
    >>> round(tm.metrics.spiegelhalter_z([0, 1, 0, 1], [0.2, 0.8, 0.4, 0.4]), 4)
    -0.5455
    """
    p, q, pos, neg = nodes(r)
    # Divide by the largest term: products of tiny probabilities and weights would underflow.
    widest, total = _widest(r)[..., None], r.total[..., None]
    tilt, hit, miss = q - p, ratio(pos, total), ratio(neg, total)
    excess = ((hit * q - miss * p) * ratio(tilt, np.sqrt(widest))).sum(-1)
    variance = ((hit + miss) * ratio(tilt**2 * p * q, widest)).sum(-1)
    return ratio(excess, np.sqrt(variance)) * np.sqrt(r.total)


def _widest(r: ScoreCounts) -> Any:
    """Return the largest (1 - 2p)² p(1 - p) of any row."""
    p, q, pos, neg = nodes(r)
    return np.where(pos + neg != 0, (q - p) ** 2 * p * q, 0.0).max(-1, initial=0)


# -- decomposition of the Brier score ----------------------------------------------------------


def _calibrated_brier(r: ScoreCounts) -> Any:
    """Return the Brier score after isotonic recalibration, which depends on the order alone."""
    pooled = r.roc_convex_hull
    product = pooled.pos * pooled.neg
    parts = np.where(product == 0, 0.0, ratio(product, pooled.pos + pooled.neg))
    return ratio(parts.sum(-1), r.total)


@of_one_class(
    title="Miscalibration (CORP)",
    formula="Brier score - Brier score of the isotonic probabilities",
    better="low",
    aliases=("MCB", "CORP miscalibration"),
    relatives=("discrimination", "uncertainty", "brier", "expected_calibration_error"),
    sources=("dimitriadis2021",),
    error="null_at_zero",
    # A better arrangement raises neither Brier score, so their difference is lowest with the first
    # of the best arrangement and the second of the worst, and highest with the reverse.
    binning_bounds=lambda worst, best: (
        np.maximum(squared_error(best) - _calibrated_brier(worst), 0.0),
        np.maximum(squared_error(worst) - _calibrated_brier(best), 0.0),
    ),
)
def miscalibration(r: ScoreCounts) -> Any:
    """Part of the Brier score that recalibration would remove; there are no bins to choose.

    Brier = miscalibration - discrimination + uncertainty.

    Misleading: Isotonic probabilities fit the noise in the rows, so with few rows it is above 0
    even for calibrated probabilities.

    >>> import tallymark as tm
    >>> round(tm.metrics.miscalibration([0, 1, 0, 1], [0.2, 0.8, 0.4, 0.4]), 6)
    0.025
    """
    return np.maximum(squared_error(r) - _calibrated_brier(r), 0.0)


@of_one_class(
    title="Discrimination (CORP)",
    formula="π(1 - π) - Brier score of the isotonic probabilities",
    range=(0, 0.25),
    chance=0.0,
    aliases=("DSC", "CORP discrimination"),
    relatives=("miscalibration", "uncertainty", "roc_auc"),
    sources=("dimitriadis2021",),
    error="optimistic",
    binning_bounds="ends",
)
def discrimination(r: ScoreCounts) -> Any:
    """Part of the uncertainty that the order of the probabilities explains.

    Misleading: It cannot exceed the uncertainty, so it is small where one class is rare.

    >>> import tallymark as tm
    >>> round(tm.metrics.discrimination([0, 1, 0, 1], [0.2, 0.8, 0.4, 0.4]), 6)
    0.125
    """
    return np.maximum(uncertainty._function(r) - _calibrated_brier(r), 0.0)


@of_one_class(
    title="Uncertainty",
    formula="π(1 - π), π the share positive",
    range=(0, 0.25),
    better="neither",
    aliases=("UNC", "CORP uncertainty"),
    relatives=("miscalibration", "discrimination", "prevalence"),
    sources=("dimitriadis2021", "brier1950"),
    of_proportion=OfProportion(lambda r: (r.positives, r.total), lambda p: p * (1 - p), turn=0.5),
    binning_bounds="ends",
)
def uncertainty(r: ScoreCounts) -> Any:
    """Brier score of always giving the prevalence: the uncertainty to explain.

    Misleading: It describes the data, not the classifier.

    >>> import tallymark as tm
    >>> tm.metrics.uncertainty([0, 1, 0, 0], [0.2, 0.8, 0.4, 0.4])
    0.1875
    """
    return ratio(r.positives * r.negatives, r.total**2)


# -- likelihood ratios -------------------------------------------------------------------------


@of_one_class(
    title="Cllr",
    formula="½·(mean over positives of log₂(1 + 1/LR) + mean over negatives of log₂(1 + LR))",
    range=(0, math.inf),
    better="low",
    chance=1.0,
    aliases=("log-likelihood-ratio cost",),
    undefined=BOTH_CLASSES,
    relatives=("min_cllr", "log_loss"),
    sources=("brummer2006",),
    binning_bounds="ends",
)
def cllr(r: ScoreCounts, *, prior: float | None = None) -> Any:
    """Information still missing given the likelihood ratios, in bits; 1 if they are all 1.

    LR = p/(1 - p) · (1 - prior)/prior removes from the probabilities the ``prior`` that they
    assume, by default the share of positives in these rows. Both classes have equal weight.

    Misleading: One probability of 0 for the true class makes it infinite. It assumes the prevalence
    of these rows: give another as prior.

    >>> import tallymark as tm
    >>> round(tm.metrics.cllr([0, 1, 0, 1], [0.2, 0.8, 0.4, 0.4]), 4)
    0.6757
    """
    if prior is not None and not 0 < prior < 1:
        raise InputError(f"prior is {prior!r}; it must lie between 0 and 1")
    few = nodes(r)
    log_p, log_q = few.logs()
    odds = ratio(r.positives, r.negatives) if prior is None else np.asarray(prior / (1 - prior))
    log_lr = log_p - log_q - np.log(odds)[..., None]
    # Use logarithms: 1/LR may overflow, and 1 + LR would lose a small LR to rounding.
    small = np.log1p(np.exp(-np.abs(log_lr)))
    of_pos = rows_times(few.pos, small + np.maximum(-log_lr, 0))
    of_neg = rows_times(few.neg, small + np.maximum(log_lr, 0))
    surprise = ratio(of_pos, r.positives) + ratio(of_neg, r.negatives)
    return surprise / (2 * math.log(2))
