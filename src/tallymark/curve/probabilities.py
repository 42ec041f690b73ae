"""The curves of probabilities: calibration, response by tenths and net benefit."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from tallymark import _kernels
from tallymark.curve.registry import CURVES, Axis, Points, Reference, counts_at, curve
from tallymark.errors import InputError
from tallymark.metric.binned import bin_starts, binned
from tallymark.metric.binomial import binomial_draws
from tallymark.metric.measure import refuse_no_probability
from tallymark.metric.proportion import quantile, wilson
from tallymark.metric.registry import ratio
from tallymark.metric.retrieval import positives_in_top
from tallymark.tally.arrays import Floats
from tallymark.tally.labels import Counts
from tallymark.tally.scores import ScoreCounts, ScoreTally

DECISION_POINTS = 100
CUTS = np.arange(DECISION_POINTS) / DECISION_POINTS
FIELD_DRAWS = 2000
BAND_DRAWS = 400

SHARE = Axis("share positive", "share truly positive")
IDENTITY = Reference("as the probabilities say", lambda share: ([0, 1], [0, 1]))
ACTING = Axis("threshold probability")
BENEFIT = Axis(
    "net_benefit",
    formula=lambda c, x: ratio(c.tp - c.fp * x / (1 - x), c.total),
    range=(-np.inf, 1.0),
    limits=lambda low, high: (-0.15 * max(high, 1e-3), 1.1 * max(high, 1e-3)),
)


@curve(
    Axis("mean probability", "mean probability given"), SHARE, draw="points", title="Calibration",
    words="Rows are put together by their probability; of those given 0.8, eight in ten should "
    "turn out positive. On the diagonal, probabilities mean what they say.",
    page="first", json=True, beside=("brier", "Brier"), references=(IDENTITY,), bounded="own",
    needs="probabilities",
)  # fmt: skip
def calibration(
    tally: ScoreTally,
    bins: int = 10,
    strategy: Literal["mass", "width"] = "mass",
    level: float = 0.95,
    bounds: Literal["interval", "consistency"] = "interval",
    by_class: bool = False,
) -> Points:
    """Return the calibration curve: mean probability against the share that was positive.

    ``strategy`` cuts the probabilities into bins of about equal rows ("mass") or equal width;
    rows of one score are never parted, so that there may be fewer bins. ``low`` and ``high`` are
    Wilson's "interval" of the share, or "consistency" bands: where the share would lie in
    ``level`` of the cases if the probabilities were right. Weighted rows enter with their
    effective number. With ``by_class`` the shares of the classes are known, as at another class
    balance: bounds are then those of each class's own rows, from their Beta posteriors. Scores
    outside 0 to 1 are refused.

    >>> t = ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.4])
    >>> c = CURVES["calibration"](t, bins=2)
    >>> c.x.tolist(), c.y.tolist(), c.counts.tolist()
    ([0.1, 0.5666666666666668], [0.0, 0.6666666666666666], [1.0, 3.0])
    """
    if bounds not in ("interval", "consistency"):
        raise InputError(f"bounds is {bounds!r}; say 'interval' or 'consistency'")
    refuse_no_probability(tally, "a calibration curve")
    r = tally.score_counts
    with np.errstate(all="ignore"):
        rows, _, pos, promised, _ = binned(r, bins, strategy)
        full = rows > 0
        n, hits, mass = rows[full], pos[full], promised[full]
    squares = tally.squared_score_counts
    effective = n
    if squares is not None:
        starts = bin_starts(r, bins, strategy)[:-1][full]
        second = np.add.reduceat(squares.pos + squares.neg, starts) if len(starts) else n
        effective = n**2 / second
    share, mean = hits / n, mass / n
    if by_class:
        each = (hits, n - hits) if bounds == "interval" else (n * mean, n * (1 - mean))
        low, high = _field_bounds(*each, r, squares, level, drawn_anew=bounds != "interval")
    elif bounds == "interval":
        low, high = wilson(share * effective, effective, quantile(level))
    else:
        low, high = _consistency(mean, effective, level)
    return {"x": mean, "y": share, "counts": n, "low": low, "high": high}


def _consistency(mean: Floats, n: Floats, level: float) -> tuple[Floats, Floats]:
    from scipy.stats import binom

    quantile(level)  # refuses a level that is none
    whole, mean = np.rint(n), np.minimum(mean, 1.0)  # a mean of ones may be rounded up
    tail = (1 - level) / 2
    return binom.ppf(tail, whole, mean) / whole, binom.ppf(1 - tail, whole, mean) / whole


def _field_bounds(
    pos: Floats,
    neg: Floats,
    r: ScoreCounts,
    squares: ScoreCounts | None,
    level: float,
    drawn_anew: bool = False,
) -> tuple[Floats, Floats]:
    """Return bounds of pos / (pos + neg), of parts of classes whose weights are known.

    Either of what part of each class's rows lies there, whose Beta posterior knows that none of
    few may be some of many, or with ``drawn_anew`` of so many rows in expectation.
    """
    quantile(level)  # refuses a level that is none
    rng = np.random.default_rng(0)
    drawn = []
    whole = (pos, r.pos, squares and squares.pos), (neg, r.neg, squares and squares.neg)
    for part, counts, second in whole:
        total, unit = float(counts.sum()), _unit(counts, second) or 1.0
        size = (FIELD_DRAWS, len(part))
        if drawn_anew:
            drawn.append(rng.poisson(np.maximum(part, 0.0) / unit, size) * unit)
        else:
            rest = np.maximum(total - part, 0.0)
            drawn.append(total * rng.beta(part / unit + 0.5, rest / unit + 0.5, size))
    with np.errstate(all="ignore"):
        share, given = ratio(drawn[0], drawn[0] + drawn[1]), ratio(pos, pos + neg)
    share = np.where(np.isnan(share), given, share)
    low, high = np.quantile(share, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return (low, high) if drawn_anew else (np.fmin(low, given), np.fmax(high, given))


def _unit(counts: Any, squares: Any) -> float:
    """Return what one row of a class weighs, weighted ones by Kish's formula; 0 without weight."""
    total = float(counts.sum())
    return float((counts if squares is None else squares).sum()) / total if total else 0.0


@curve(
    Axis("depth", "tenth of the rows, from the highest scores"),
    Axis("response rate", "share of positives"), draw="points", title="Response by tenths",
    words="The share of positives in each tenth of the rows, from the highest scores down; the "
    "dashed line is that of all rows.",
    page="more", json=True, bounded="own",
    references=(Reference("all rows", lambda share: ([0, 1], [share, share]), of_share=True),),
)  # fmt: skip
def deciles(
    tally: ScoreTally, parts: int = 10, level: float = 0.95, by_class: bool = False
) -> Points:
    """Return the response rate of each tenth of the rows, from the highest scores down.

    ``x`` is the depth at which a tenth ends, ``counts`` its rows, bounds are Wilson's, or with
    ``by_class`` those of ``calibration``. Rows tied at a border are shared out in proportion.

    >>> c = CURVES["deciles"](ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]), parts=2)
    >>> c.x.tolist(), c.y.tolist(), c.counts.tolist()
    ([0.5, 1.0], [0.5, 0.5], [2.0, 2.0])
    """
    if parts < 1:
        raise InputError(f"parts is {parts}; there must be at least one")
    r = tally.score_counts
    depths = np.arange(1, parts + 1) / parts
    with np.errstate(all="ignore"):
        found = np.array([float(positives_in_top(r, d)) for d in depths])
    rows = float(r.total) / parts
    hits = np.diff(found, prepend=0.0)
    squares = tally.squared_score_counts
    effective = rows
    if squares is not None:
        effective = rows * float(r.total) / float(squares.total)
    with np.errstate(all="ignore"):
        share = np.clip(ratio(hits, rows), 0.0, 1.0)
        low, high = wilson(share * effective, np.full(parts, effective), quantile(level))
    if by_class:
        low, high = _field_bounds(hits, np.maximum(rows - hits, 0.0), r, squares, level)
    return {"x": depths, "y": share, "counts": np.full(parts, rows), "low": low, "high": high}


@curve(
    Axis("probability", "probability given"), SHARE, title="Isotonic calibration", json=True,
    beside=("miscalibration", "MCB"), references=(IDENTITY,), needs="probabilities",
    no_band="its low and high are consistency bands already",
)  # fmt: skip
def calibration_isotonic(
    tally: ScoreTally,
    level: float = 0.95,
    draws: int = BAND_DRAWS,
    seed: int = 0,
    by_class: bool = False,
) -> Points:
    """Return isotonic calibration: the share positive that best fits while rising with p (CORP).

    No bins to choose. ``low`` and ``high`` are consistency bands: where the line would lie in
    ``level`` of the cases if the probabilities were right (outcomes drawn from them anew, at most
    about 800 groups of probabilities). With ``by_class`` outcomes are drawn for the rows that
    there are, and count for what their class does at the other class balance.

    >>> t = ScoreTally.from_arrays([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8])
    >>> c = CURVES["calibration_isotonic"](t)
    >>> c.x.tolist(), c.y.tolist()
    ([0.2, 0.4, 0.6, 0.8], [0.0, 0.5, 0.5, 1.0])
    """
    refuse_no_probability(tally, "a calibration curve")
    quantile(level)  # refuses a level that is none
    coarse = tally.coarse()
    r = coarse.score_counts
    rows = r.pos + r.neg
    kept = rows > 0
    p, rows = r.scores[kept], rows[kept]
    (y,) = _isotonic(r.pos[kept][None], r.neg[kept][None])
    squares = coarse.squared_score_counts
    n = rows
    if squares is not None:
        n = np.maximum(np.rint(rows**2 / (squares.pos + squares.neg)[kept]), 1)
    rng = np.random.default_rng(seed)
    if by_class:
        of_pos, of_neg = (None, None) if squares is None else (squares.pos, squares.neg)
        units = _unit(r.pos, of_pos), _unit(r.neg, of_neg)
        # A row that is positive with chance p in the field is so more often among rows of which
        # a row of that class stands for less.
        of_one = [1 / unit if unit else 0.0 for unit in units]
        n = np.rint(r.pos[kept] * of_one[0] + r.neg[kept] * of_one[1])
        with np.errstate(all="ignore"):
            odds = ratio(p * of_one[0], (1 - p) * of_one[1])
            chance = np.where(np.isinf(odds), 1.0, odds / (1 + odds))
        hits = binomial_draws(rng, n, np.nan_to_num(chance), draws)
        pos, neg = hits * units[0], (n - hits) * units[1]
    else:
        pos = binomial_draws(rng, n, p, draws)
        pos *= rows / n
        neg = np.maximum(rows - pos, 0.0)
    drawn = np.sort(_isotonic(pos, neg), axis=0)
    tail = (1 - level) / 2
    low = drawn[int(np.floor(tail * draws + 1e-9))] if draws else None
    high = drawn[int(np.ceil((1 - tail) * draws - 1e-9)) - 1] if draws else None
    return {"x": p, "y": y, "counts": rows, "low": low, "high": high}


def _isotonic(pos: Any, neg: Any) -> Floats:
    """Return the isotonic share of positives at every score, of tables (draws, G)."""
    pos, neg = (np.array(v, np.float64, order="C") for v in (pos, neg))
    _kernels.pool(pos, neg)
    with np.errstate(invalid="ignore"):
        share = ratio(pos, pos + neg)
    # A block's rows stand at its last score: what is below has its share.
    places = np.where(np.isnan(share), share.shape[1] - 1, np.arange(share.shape[1]))
    block = np.minimum.accumulate(places[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(np.take_along_axis(share, block, axis=1))


@curve(
    ACTING, BENEFIT, title="Decision curve",
    words="Net benefit if one acts from each probability on; worth something where it is above "
    "the dashed lines, treating all and treating none.",
    page="more", json=True,
    references=(
        Reference("act on all", lambda share: (CUTS, _acting_on_all(share)), of_share=True),
        Reference("act on none", lambda share: ([0, 1], [0, 0]), ":"),
    ),
    needs="probabilities", envelope="decision", both_classes=True,
)  # fmt: skip
def decision(tally: ScoreTally, points: int = DECISION_POINTS) -> Points:
    """Return the decision curve: net benefit when one acts from each probability on.

    >>> t = ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    >>> c = CURVES["decision"](t, points=4)
    >>> c.x.tolist(), c.y.round(3).tolist()
    ([0.0, 0.25, 0.5, 0.75], [0.5, 0.417, 0.25, 0.25])
    """
    refuse_no_probability(tally, "a decision curve")
    cuts = np.arange(points) / points
    return _net_benefit(counts_at(tally.score_counts, cuts), cuts)


@curve(ACTING, BENEFIT, needs="probabilities", bounded="prevalence")
def decision_all(tally: ScoreTally, points: int = DECISION_POINTS) -> Points:
    """Return the net benefit of calling every row positive: what a decision curve has to beat."""
    r = tally.score_counts
    none = np.zeros(points)
    return _net_benefit(
        Counts(none + r.positives, none + r.negatives, none, none), np.arange(points) / points
    )


def _acting_on_all(share: float) -> Any:
    return BENEFIT.of(Counts(share, 1 - share, 0.0, 0.0), CUTS)


def _net_benefit(c: Counts, cuts: Floats) -> Points:
    with np.errstate(all="ignore"):
        return {"x": cuts, "y": BENEFIT.of(c, cuts), "threshold": cuts}


__test__ = {name: c.__doc__ for name, c in CURVES.items() if c.needs == "probabilities"}
