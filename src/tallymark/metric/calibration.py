"""Whether probabilities mean what they say: one class against the rest."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tallymark.errors import InputError
from tallymark.metric import bounds
from tallymark.metric.probability import check_clip
from tallymark.metric.rank import BOTH_CLASSES
from tallymark.metric.registry import Preset, metric, ratio
from tallymark.tally.scores import Ranking

NO_ROWS = {"there is no row": lambda r: r.total == 0}
CERTAIN = {
    "a row has probability 0 or 1": lambda r, clip: _any_row(
        r, (np.minimum(r.scores, 1 - r.scores) == 0) & (clip == 0)
    ),
}


def _any_row(r: Ranking, where: Any) -> Any:
    return (((r.pos + r.neg) > 0) & where).any(-1)


def _mean(r: Ranking, of_pos: Any, of_neg: Any) -> Any:
    return ratio((r.pos * of_pos + r.neg * of_neg).sum(-1), r.total)


# -- by bins -----------------------------------------------------------------------------------


def bin_rows(r: Ranking, bins: int, strategy: str) -> Any:
    """Return the bin of each score: of equal width, or of about equal rows ("mass").

    Rows of one score are never parted: a score belongs where the middle of its rows does.
    """
    if strategy not in ("mass", "width"):
        raise InputError(f"strategy is {strategy!r}; say 'mass' or 'width'")
    if bins < 1:
        raise InputError(f"bins is {bins}; there must be at least one")
    rows = r.pos + r.neg
    if strategy == "width":
        # A probability on an edge belongs to the bin above it; 0.29 * 100 would be below 29.
        edges = np.arange(bins + 1) / bins
        place = np.searchsorted(edges, r.scores, side="right") - 1
        return np.broadcast_to(np.clip(place, 0, bins - 1), rows.shape)
    # Multiplied before divided, for the same reason.
    middle = (np.cumsum(rows, axis=-1) - rows / 2) * bins
    place = np.nan_to_num(np.floor(ratio(middle, rows.sum(-1, keepdims=True))))
    return np.clip(place, 0, bins - 1).astype(np.intp)


def _binned(r: Ranking, bins: int, strategy: str, *values: Any) -> list[Any]:
    """Return rows, positives beyond those promised, and other values of each bin: (..., bins).

    What was promised is taken off row by row: two sums would differ by a rounding error where
    all but few of the promises were kept.
    """
    place = bin_rows(r, bins, strategy)
    beyond = r.pos * (1 - r.scores) - r.neg * r.scores
    parts = (r.pos + r.neg, beyond, *values)
    if place.ndim > 1 and strategy == "mass":  # other bins in every replicate
        members = [place == b for b in range(bins)]
        return [np.stack([np.where(m, v, 0.0).sum(-1) for m in members], -1) for v in parts]
    places = place if place.ndim == 1 else place.reshape(-1, place.shape[-1])[0]
    starts = np.flatnonzero(np.append(places[:1] >= 0, places[1:] != places[:-1]))
    used = places[starts]
    out = []
    for v in parts:
        sums = np.zeros((*v.shape[:-1], bins))
        if len(used):
            sums[..., used] = np.add.reduceat(v, starts, axis=-1)
        out.append(sums)
    return out


@metric(
    title="Expected calibration error",
    formula="Σ (rows of bin / T) · |mean probability - share positive|; l2: the root of squares",
    needs="probability",
    range=(0, 1),
    better="low",
    aliases=("ECE",),
    undefined=NO_ROWS,
    smooth=False,
    misleads="It depends on the bins: few hide errors, many invent them, and of few rows it is "
    "above 0 even for right probabilities. A useless model that gives everyone the prevalence "
    "has 0.",
    relatives=("max_calibration_error", "miscalibration", "calibration_slope", "brier"),
    sources=("naeini2015", "kumar2019"),
    presets={
        "max_calibration_error": Preset(
            {"norm": "max"},
            "Maximum calibration error",
            "Largest distance, over the bins, between mean probability and share positive.",
            ("MCE",),
        ),
        "root_mean_squared_calibration_error": Preset(
            {"norm": "l2"},
            "Root mean squared calibration error",
            "Root of the mean squared distance, over bins, between probability and share positive.",
            ("RMSCE", "l2 calibration error"),
        ),
    },
    sampling="calibration",
    bracket=lambda worst, best, **how: bounds.calibration_error(
        _error_by_bins(worst, **how), worst, best, **how
    ),
)
def expected_calibration_error(
    r: Ranking,
    *,
    bins: int = 10,
    strategy: str = "width",
    norm: str = "l1",
    debiased: bool = False,
) -> Any:
    """Mean distance, over bins of probabilities, between what was said and what happened.

    ``strategy`` cuts bins of equal "width" or equal "mass"; ``norm`` is "l1", "l2" or "max".
    ``debiased``, of l2, takes off what chance adds to each bin's square, share·(1 - share) /
    (rows - 1), and is 0 where nothing is left; bins of one row say nothing then, and weights
    count as rows. The probability of one class is judged against how often it occurs; over
    several classes it is averaged.

    >>> import tallymark as tm
    >>> round(tm.metrics.ece([0, 1, 0, 1, 1], [0.1, 0.9, 0.4, 0.4, 0.4]), 6)
    0.2
    """
    if norm not in ("l1", "l2", "max"):
        raise InputError(f"norm is {norm!r}; say 'l1', 'l2' or 'max'")
    if debiased and norm != "l2":
        raise InputError(f"debiased goes with norm='l2' and norm is {norm!r}; say norm='l2'")
    return _error_by_bins(r, bins, strategy, norm, debiased)


def _error_by_bins(r: Ranking, bins: int, strategy: str, norm: str, debiased: bool) -> Any:
    rows, beyond, pos = _binned(r, bins, strategy, r.pos)
    there = rows > 0
    share = ratio(pos, rows)
    gap = np.where(there, np.abs(ratio(beyond, rows)), 0.0)
    if norm == "max":
        return np.where(r.total == 0, np.nan, gap.max(-1))
    weight = ratio(rows, r.total[..., None])
    if norm == "l1":
        return (weight * gap).sum(-1)
    square = gap**2
    if debiased:
        noise = np.where(rows > 1, ratio(share * (1 - share), rows - 1), square)
        square = np.where(there, square - noise, 0.0)
    return np.sqrt(np.maximum((weight * square).sum(-1), 0.0))


@metric(
    title="Hosmer-Lemeshow statistic",
    formula="Σ over bins of (O - E)² / (E·(1 - E/n))",
    needs="probability",
    range=(0, math.inf),
    better="low",
    chance="bins degrees of freedom; bins - 2 on the rows that fitted the model",
    aliases=("HL",),
    undefined=NO_ROWS,
    misleads="It grows with the rows: with many, any model fails, with few, none does; and its "
    "verdict hangs on the bins.",
    relatives=("spiegelhalter_z", "calibration_slope", "expected_calibration_error"),
    sources=("hosmer1980",),
    sampling="calibration",
)
def hosmer_lemeshow(r: Ranking, *, bins: int = 10) -> Any:
    """Chi-square distance between expected and observed positives in tenths of the risks.

    Rows of equal probability are kept together, so that there may be fewer bins.

    >>> import tallymark as tm
    >>> round(tm.metrics.hosmer_lemeshow([0, 1, 0, 1], [0.2, 0.8, 0.4, 0.4], bins=2), 6)
    0.464286
    """
    every = r.pos + r.neg
    rows, beyond, said, unsaid = _binned(r, bins, "mass", every * r.scores, every * (1 - r.scores))
    spread = said * ratio(unsaid, rows)
    distance = beyond**2
    # A bin of certainties that all came true adds nothing.
    part = np.where((rows == 0) | (distance == 0), 0.0, ratio(distance, spread))
    return np.where(r.total == 0, np.nan, part.sum(-1))


# -- as a whole --------------------------------------------------------------------------------


@metric(
    title="Calibration in the large",
    formula="share positive - mean probability",
    needs="probability",
    range=(-1, 1),
    better="neither",
    chance=0.0,
    aliases=("mean calibration", "bias in the large"),
    undefined=NO_ROWS,
    misleads="0 only says that too high and too low cancel out.",
    relatives=("observed_expected_ratio", "calibration_intercept"),
    sources=("vancalster2019",),
    bracket=lambda worst, best: tuple(
        ratio(best.positives - e, best.total) for e in bounds.expected(worst, best)
    ),
)
def calibration_in_the_large(r: Ranking) -> Any:
    """How much more often it happened than was said on average: 0 is right, above 0 too timid.

    >>> import tallymark as tm
    >>> round(tm.metrics.calibration_in_the_large([0, 1, 0, 1], [0.2, 0.6, 0.4, 0.4]), 6)
    0.1
    """
    return _mean(r, 1 - r.scores, -r.scores)


@metric(
    title="Observed to expected ratio",
    formula="P / Σ probability",
    needs="probability",
    range=(0, math.inf),
    better="neither",
    chance=1.0,
    aliases=("O/E", "observed expected"),
    undefined={
        "nothing was observed or expected": lambda r: (r.pos.sum(-1) == 0) & (_expected(r) == 0),
    },
    misleads="1 only says that too high and too low cancel out.",
    relatives=("calibration_in_the_large",),
    sources=("vancalster2019",),
    bracket=lambda worst, best: tuple(
        ratio(best.positives, e) for e in bounds.expected(worst, best)
    ),
)
def observed_expected_ratio(r: Ranking) -> Any:
    """How many times as many positives there were as the probabilities promised; 1 is right.

    >>> import tallymark as tm
    >>> tm.metrics.observed_expected_ratio([0, 1, 0, 1], [0.25, 0.5, 0.5, 0.75])
    1.0
    """
    return ratio(r.positives, _expected(r))


def _expected(r: Ranking) -> Any:
    return ((r.pos + r.neg) * r.scores).sum(-1)


def _log_odds(r: Ranking, clip: float) -> Any:
    """Return the log odds of every score, those of probabilities at least ``clip`` from 0 and 1."""
    x = r.log_odds
    # Clipped as log odds: 1 - clip would be 1 for a clip that 1 cannot tell from 0.
    most = math.log1p(-clip) - math.log(clip) if clip else math.inf
    return np.clip(x, -most, most) if clip else x


def _ends(rows: Any, x: Any) -> tuple[Any, Any]:
    """Return the least and the greatest of rising values that have rows."""
    there = rows > 0
    if not there.shape[-1]:
        return np.full(there.shape[:-1], np.inf), np.full(there.shape[:-1], -np.inf)
    first, last = there.argmax(-1), there.shape[-1] - 1 - there[..., ::-1].argmax(-1)
    some = np.take_along_axis(there, first[..., None], -1)[..., 0]
    return np.where(some, x[first], np.inf), np.where(some, x[last], -np.inf)


def _separated(r: Ranking, clip: float) -> Any:
    """Return 1 where every positive scores at least as high as every negative, -1 the reverse."""
    x = _log_odds(r, clip)
    (low1, high1), (low0, high0) = _ends(r.pos, x), _ends(r.neg, x)
    return np.where(low1 >= high0, 1, np.where(low0 >= high1, -1, 0))


def _same_probability(r: Ranking, clip: float) -> Any:
    low, high = _ends(r.pos + r.neg, _log_odds(r, clip))
    return low == high


_STEPS = 200
_NEAR = 1e-12


def _finite(x: Any) -> Any:
    return np.where(np.isfinite(x), x, 0.0)  # such rows have no weight or are refused as certain


def _expit(x: Any) -> Any:
    return ratio(1.0, 1 + np.exp(-x))


def _intercept(r: Ranking, x: Any) -> Any:
    """Return a of logit(positive) ~ a + x: Newton's method, halving an interval where it strays."""
    x = _finite(x)
    least, most = _ends(r.pos + r.neg, x)
    at = np.log(ratio(r.positives, r.negatives))
    low, high = np.asarray(at - most), np.asarray(at - least)
    a = low + (high - low) / 2
    before = high - low
    for _ in range(_STEPS):
        up, down = _expit(a[..., None] + x), _expit(-a[..., None] - x)
        slack = (r.pos * down - r.neg * up).sum(-1)
        low, high = np.where(slack > 0, a, low), np.where(slack < 0, a, high)
        step = ratio(slack, ((r.pos + r.neg) * up * down).sum(-1))
        usable = (low <= a + step) & (a + step <= high) & (2 * np.abs(step) <= np.abs(before))
        step = np.where(usable, step, low + (high - low) / 2 - a)
        a, before = a + step, step
        if not (np.abs(step) > _NEAR * (1 + np.abs(a))).any():
            break
    return a


def _slope(r: Ranking, x: Any) -> Any:
    """Return b of logit(positive) ~ a + b·x: Newton's method, with steps that lower the loss."""
    rows = r.pos + r.neg
    # Centred and scaled, so that both coefficients are told apart.
    x = _finite(x)
    x = x - ratio((rows * x).sum(-1), r.total)[..., None]
    scale = np.sqrt(ratio((rows * x**2).sum(-1), r.total))
    z = ratio(x, scale[..., None])

    def looked_at(a: Any, b: Any) -> tuple[Any, Any, Any]:
        """Return the loss, the log odds and e^-|log odds|, the one exponential of a step."""
        eta = a[..., None] + b[..., None] * z
        small = np.exp(-np.abs(eta))
        # ln(1 + e^-eta) for a positive, ln(1 + e^eta) for a negative.
        each = np.where(eta > 0, r.neg, r.pos)
        each *= np.abs(eta)
        each += rows * np.log1p(small)
        return each.sum(-1), eta, small

    a, b = np.log(ratio(r.positives, r.negatives)), np.zeros(rows.shape[:-1])
    now, eta, small = looked_at(a, b)
    for _ in range(_STEPS):
        # The chances of the likelier and of the other class.
        likely = 1 / (1 + small)
        other = small * likely
        w = rows * likely
        w *= other
        error = np.where(eta > 0, r.pos * other - r.neg * likely, r.pos * likely - r.neg * other)
        flat = w.sum(-1)
        # Around the mean of the rows that still bend, where both steps part.
        middle = ratio((w * z).sum(-1), flat)
        off = z - middle[..., None]
        step_b = ratio((error * off).sum(-1), (w * off**2).sum(-1))
        step_a = ratio(error.sum(-1), flat) - step_b * middle
        size = np.ones_like(b)
        for _ in range(_STEPS):
            then, eta, small = looked_at(a + size * step_a, b + size * step_b)
            worse = then > now * (1 + _NEAR)
            if not worse.any():
                break
            size = np.where(worse, size / 2, size)
        a, b, now = a + size * step_a, b + size * step_b, then
        if not (np.abs(step_b) > _NEAR * (1 + np.abs(b))).any():
            break
    return ratio(b, scale)


@metric(
    title="Calibration slope",
    formula="b of logit(positive) ~ a + b·logit(p)",
    needs="probability",
    range=(-math.inf, math.inf),
    better="neither",
    chance=0.0,
    aliases=("Cox slope",),
    undefined={
        **BOTH_CLASSES,
        **CERTAIN,
        "all rows have the same probability": lambda r, clip: _same_probability(r, clip),
    },
    smooth=False,
    misleads="It is 1 for probabilities that are all too high by the same odds, and infinite where "
    "the classes do not overlap.",
    relatives=("calibration_intercept", "expected_calibration_error", "miscalibration"),
    sources=("cox1958", "vancalster2019"),
)
def calibration_slope(r: Ranking, *, clip: float = 0.0) -> Any:
    """Whether probabilities are spread right: below 1 too extreme, above 1 too timid.

    Infinite where some threshold parts the classes. ``clip`` keeps probabilities that far from 0
    and 1, whose log odds are infinite.

    >>> import tallymark as tm
    >>> y, p = [0, 0, 0, 1, 0, 1, 1, 1], [0.1, 0.1, 0.3, 0.3, 0.7, 0.7, 0.9, 0.9]
    >>> round(tm.metrics.calibration_slope(y, p), 4)
    1.0915
    """
    parted = _separated(r, check_clip(clip))
    return np.where(parted == 0, _slope(r, _log_odds(r, clip)), parted * np.inf)


@metric(
    title="Calibration intercept",
    formula="a of logit(positive) ~ a + logit(p)",
    needs="probability",
    range=(-math.inf, math.inf),
    better="neither",
    chance=0.0,
    aliases=("Cox intercept",),
    undefined={**BOTH_CLASSES, **CERTAIN},
    smooth=False,
    misleads="0 only says that too high and too low cancel out, on the scale of the log odds.",
    relatives=("calibration_slope", "calibration_in_the_large"),
    sources=("cox1958", "vancalster2019"),
)
def calibration_intercept(r: Ranking, *, clip: float = 0.0) -> Any:
    """How far the log odds are off on the whole: above 0 probabilities are too low.

    ``clip`` keeps probabilities that far from 0 and 1, whose log odds are infinite.

    >>> import tallymark as tm
    >>> round(tm.metrics.calibration_intercept([0, 1, 0, 1], [0.2, 0.6, 0.4, 0.4]), 4)
    0.4438
    """
    return _intercept(r, _log_odds(r, check_clip(clip)))


@metric(
    title="Spiegelhalter's Z",
    formula="Σ (truth - p)(1 - 2p) / √(Σ (1 - 2p)² p(1 - p))",
    needs="probability",
    range=(-math.inf, math.inf),
    better="neither",
    chance=0.0,
    undefined={
        "every row has probability 0, 1/2 or 1": lambda r: (
            ~_any_row(r, (r.scores != 0) & (r.scores != 0.5) & (r.scores != 1))
        ),
    },
    misleads="It grows with the rows, and errors that cancel in the Brier score cancel here.",
    relatives=("brier", "hosmer_lemeshow", "calibration_slope"),
    sources=("spiegelhalter1986",),
)
def spiegelhalter_z(r: Ranking) -> Any:
    """Standard normal if the probabilities are right: beyond 2 either way they hardly are.

    Above 0 the Brier score is worse than such probabilities would have by chance.

    >>> import tallymark as tm
    >>> round(tm.metrics.spiegelhalter_z([0, 1, 0, 1], [0.2, 0.8, 0.4, 0.4]), 4)
    -0.5455
    """
    tilt = 1 - 2 * r.scores
    rows = r.pos + r.neg
    share, spread = ratio(rows, r.total[..., None]), tilt**2 * r.scores * (1 - r.scores)
    # Of the widest: products of tiny probabilities and weights would vanish.
    widest = np.where(rows > 0, spread, 0.0).max(-1, initial=0)[..., None]
    gap = (ratio(r.pos, rows) * (1 - r.scores) - ratio(r.neg, rows) * r.scores) * tilt
    excess = np.where(rows > 0, share * ratio(gap, np.sqrt(widest)), 0.0).sum(-1)
    variance = np.where(rows > 0, share * ratio(spread, widest), 0.0).sum(-1)
    return ratio(excess, np.sqrt(variance)) * np.sqrt(r.total)


# -- the Brier score in parts ------------------------------------------------------------------


def _brier(r: Ranking) -> Any:
    return _mean(r, (1 - r.scores) ** 2, r.scores**2)


def _calibrated_brier(r: Ranking) -> Any:
    """Return the Brier score of isotonic probabilities: what is left when only order counts."""
    pooled = r.pooled()
    return ratio(np.where(
        pooled.pos * pooled.neg == 0, 0.0, ratio(pooled.pos * pooled.neg, pooled.pos + pooled.neg)
    ).sum(-1), r.total)  # fmt: skip


def _uncertainty(r: Ranking) -> Any:
    return ratio(r.positives * r.negatives, r.total**2)


@metric(
    title="Miscalibration (CORP)",
    formula="Brier score - Brier score of the isotonic probabilities",
    needs="probability",
    range=(0, 1),
    better="low",
    aliases=("MCB", "CORP miscalibration"),
    undefined=NO_ROWS,
    smooth=False,
    misleads="Isotonic probabilities follow the rows' own noise, so that of few rows it is above 0 "
    "even for right probabilities.",
    relatives=("discrimination", "uncertainty", "brier", "expected_calibration_error"),
    sources=("dimitriadis2021",),
    sampling="calibration",
    # Both Brier scores never rise in a better order, and the second is taken off.
    bracket=lambda worst, best: (
        np.maximum(_brier(best) - _calibrated_brier(worst), 0.0),
        np.maximum(_brier(worst) - _calibrated_brier(best), 0.0),
    ),
)
def miscalibration(r: Ranking) -> Any:
    """Part of the Brier score that calibration would take away: no bins to choose.

    Brier = miscalibration - discrimination + uncertainty.

    >>> import tallymark as tm
    >>> round(tm.metrics.miscalibration([0, 1, 0, 1], [0.2, 0.8, 0.4, 0.4]), 6)
    0.025
    """
    return np.maximum(_brier(r) - _calibrated_brier(r), 0.0)


@metric(
    title="Discrimination (CORP)",
    formula="π(1 - π) - Brier score of the isotonic probabilities",
    needs="probability",
    range=(0, 0.25),
    better="high",
    chance=0.0,
    aliases=("DSC", "CORP discrimination"),
    undefined=NO_ROWS,
    smooth=False,
    misleads="It cannot exceed the uncertainty, so that it is small wherever one class is rare.",
    relatives=("miscalibration", "uncertainty", "roc_auc"),
    sources=("dimitriadis2021",),
    sampling="inflated",
    bracket="ends",
)
def discrimination(r: Ranking) -> Any:
    """Part of the uncertainty that the order of the probabilities takes away.

    >>> import tallymark as tm
    >>> round(tm.metrics.discrimination([0, 1, 0, 1], [0.2, 0.8, 0.4, 0.4]), 6)
    0.125
    """
    return np.maximum(_uncertainty(r) - _calibrated_brier(r), 0.0)


@metric(
    title="Uncertainty",
    formula="π(1 - π), π the share positive",
    needs="probability",
    range=(0, 0.25),
    better="neither",
    aliases=("UNC", "CORP uncertainty"),
    undefined=NO_ROWS,
    misleads="It is a fact of the data, not of the classifier.",
    relatives=("miscalibration", "discrimination", "prevalence"),
    sources=("dimitriadis2021", "brier1950"),
    bracket="ends",
)
def uncertainty(r: Ranking) -> Any:
    """Brier score of always giving the prevalence: what there is to be explained.

    >>> import tallymark as tm
    >>> tm.metrics.uncertainty([0, 1, 0, 0], [0.2, 0.8, 0.4, 0.4])
    0.1875
    """
    return _uncertainty(r)


# -- likelihood ratios -------------------------------------------------------------------------


@metric(
    title="Cllr",
    formula="½·(mean over positives of log₂(1 + 1/LR) + mean over negatives of log₂(1 + LR))",
    needs="probability",
    range=(0, math.inf),
    better="low",
    chance=1.0,
    aliases=("log-likelihood-ratio cost",),
    undefined=BOTH_CLASSES,
    misleads="One certain mistake makes it infinite. The probabilities are taken to hold at the "
    "prevalence of these rows: say another with prior.",
    relatives=("min_cllr", "log_loss"),
    sources=("brummer2006",),
    bracket="ends",
)
def cllr(r: Ranking, *, prior: float | None = None) -> Any:
    """Information still missing after hearing the likelihood ratio, in bits; 1 is hearing nothing.

    LR = p/(1 - p) · (1 - prior)/prior: the probabilities without the ``prior`` they were made
    for, by default the share of positives here. Both classes weigh the same.

    >>> import tallymark as tm
    >>> round(tm.metrics.cllr([0, 1, 0, 1], [0.2, 0.8, 0.4, 0.4]), 4)
    0.6757
    """
    if prior is not None and not 0 < prior < 1:
        raise InputError(f"prior is {prior!r}; it must lie between 0 and 1")
    odds = ratio(r.positives, r.negatives) if prior is None else np.asarray(prior / (1 - prior))
    log_lr = _log_odds(r, 0.0) - np.log(odds)[..., None]

    def bits(rows: Any, surprise: Any) -> Any:
        return ratio(np.where(rows == 0, 0.0, rows * surprise).sum(-1), rows.sum(-1))

    # Of logarithms: 1/LR may overflow, and 1 + LR forgets a small LR.
    surprise = bits(r.pos, np.logaddexp(0, -log_lr)) + bits(r.neg, np.logaddexp(0, log_lr))
    return surprise / (2 * math.log(2))
