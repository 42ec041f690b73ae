"""Whether probabilities mean what they say: one class against the rest."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tallymark.errors import InputError
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
    middle = ratio(np.cumsum(rows, axis=-1) - rows / 2, rows.sum(-1, keepdims=True))
    place = np.nan_to_num(np.floor(middle * bins))
    return np.clip(place, 0, bins - 1).astype(np.intp)


def _binned(r: Ranking, bins: int, strategy: str) -> tuple[Any, Any, Any]:
    """Return rows, positives and summed probabilities of each bin: shapes (..., bins)."""
    place = bin_rows(r, bins, strategy)
    rows = r.pos + r.neg
    members = [place == b for b in range(bins)]

    def add(values: Any) -> Any:
        return np.stack([np.where(inside, values, 0.0).sum(-1) for inside in members], -1)

    return add(rows), add(r.pos), add(rows * r.scores)


@metric(
    title="Expected calibration error",
    formula="Σ (rows of bin / T) · |mean probability - share positive|; l2: the root of squares",
    needs="probability",
    range=(0, 1),
    better="low",
    aliases=("ECE",),
    undefined=NO_ROWS,
    smooth=False,
    misleads="It depends on the bins: few hide errors, many invent them, and it is never 0 by "
    "chance alone. A useless model that gives everyone the prevalence has 0.",
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
    (rows - 1), and is 0 where nothing is left. The probability of one class is judged against how
    often it occurs; over several classes it is averaged.

    >>> import tallymark as tm
    >>> round(tm.metrics.ece([0, 1, 0, 1, 1], [0.1, 0.9, 0.4, 0.4, 0.4]), 6)
    0.2
    """
    if norm not in ("l1", "l2", "max"):
        raise InputError(f"norm is {norm!r}; say 'l1', 'l2' or 'max'")
    if debiased and norm != "l2":
        raise InputError(f"debiased goes with norm='l2' and norm is {norm!r}; say norm='l2'")
    rows, pos, said = _binned(r, bins, strategy)
    there = rows > 0
    share, mean = ratio(pos, rows), ratio(said, rows)
    gap = np.where(there, np.abs(mean - share), 0.0)
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
    chance="bins - 2 degrees of freedom",
    aliases=("HL",),
    undefined=NO_ROWS,
    misleads="It grows with the rows: with many, any model fails, with few, none does; and its "
    "verdict hangs on the bins.",
    relatives=("spiegelhalter_z", "calibration_slope", "expected_calibration_error"),
    sources=("hosmer1980",),
)
def hosmer_lemeshow(r: Ranking, *, bins: int = 10) -> Any:
    """Chi-square distance between expected and observed positives in tenths of the risks.

    Rows of equal probability are kept together, so that there may be fewer bins.

    >>> import tallymark as tm
    >>> round(tm.metrics.hosmer_lemeshow([0, 1, 0, 1], [0.2, 0.8, 0.4, 0.4], bins=2), 6)
    0.464286
    """
    rows, pos, said = _binned(r, bins, "mass")
    spread = said * (1 - ratio(said, rows))
    distance = (pos - said) ** 2
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


def _separated(r: Ranking) -> Any:
    """Return 1 where every positive scores at least as high as every negative, -1 the reverse."""
    g = np.arange(len(r.scores))

    def ends(rows: Any) -> tuple[Any, Any]:
        there = rows > 0
        return np.where(there, g, g.size).min(-1), np.where(there, g, -1).max(-1)

    (low1, high1), (low0, high0) = ends(r.pos), ends(r.neg)
    return np.where(low1 >= high0, 1, np.where(low0 >= high1, -1, 0))


def _same_probability(r: Ranking, clip: float) -> Any:
    p = np.clip(r.scores, clip, 1 - clip)
    there = (r.pos + r.neg) > 0
    return np.where(there, p, np.inf).min(-1) == np.where(there, p, -np.inf).max(-1)


_STEPS = 60


def _recalibrated(r: Ranking, slope_fixed: bool, clip: float) -> tuple[Any, Any]:
    """Fit positive ~ a + b·logit(p) by Newton's method; b stays 1 where the slope is fixed."""
    p = np.clip(r.scores, clip, 1 - clip)
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.log(p) - np.log1p(-p)
    x = np.where(np.isfinite(x), x, 0.0)  # such rows are refused by a declared case
    rows = r.pos + r.neg
    # Centred, so that both coefficients are told apart.
    centre = np.zeros(rows.shape[:-1]) if slope_fixed else ratio((rows * x).sum(-1), r.total)
    z = x - centre[..., None]
    a, b = np.zeros(rows.shape[:-1]), np.ones(rows.shape[:-1])
    if not slope_fixed:
        b = np.zeros(rows.shape[:-1])
        a = np.log(ratio(r.positives, r.negatives))
    for _ in range(_STEPS):
        fitted = ratio(1.0, 1 + np.exp(-(a[..., None] + b[..., None] * z)))
        w = rows * fitted * (1 - fitted)
        error = r.pos - rows * fitted
        g0, h00 = error.sum(-1), w.sum(-1)
        if slope_fixed:
            step_a, step_b = ratio(g0, h00), np.zeros_like(b)
        else:
            g1, h01, h11 = (error * z).sum(-1), (w * z).sum(-1), (w * z * z).sum(-1)
            determinant = h00 * h11 - h01**2
            step_a = ratio(h11 * g0 - h01 * g1, determinant)
            step_b = ratio(h00 * g1 - h01 * g0, determinant)
        # Steps are kept short: a full one may overshoot where the curve is flat.
        size = np.maximum(np.maximum(np.abs(step_a), np.abs(step_b)) / 4, 1.0)
        a, b = a + step_a / size, b + step_b / size
        if not (np.abs(np.stack([step_a, step_b])) > 1e-12 * (1 + np.abs(np.stack([a, b])))).any():
            break
    return a - b * centre if not slope_fixed else a, b


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
    parted = _separated(r)
    _, slope = _recalibrated(r, False, check_clip(clip))
    return np.where(parted == 0, slope, parted * np.inf)


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
    return _recalibrated(r, True, check_clip(clip))[0]


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
    excess = (r.pos * (1 - r.scores) * tilt - r.neg * r.scores * tilt).sum(-1)
    variance = ((r.pos + r.neg) * tilt**2 * r.scores * (1 - r.scores)).sum(-1)
    return ratio(excess, np.sqrt(variance))


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
    posterior = ratio(r.scores, 1 - r.scores)
    lr = ratio(posterior, odds[..., None])

    def bits(rows: Any, surprise: Any) -> Any:
        return ratio(np.where(rows == 0, 0.0, rows * surprise).sum(-1), rows.sum(-1))

    return (bits(r.pos, np.log2(1 + ratio(1.0, lr))) + bits(r.neg, np.log2(1 + lr))) / 2
