"""Sums along a long ranking by kernels: what many metrics ask for, in one pass over its groups.

Each is what a part of a metric gives when it is walked stretch by stretch: see
:func:`tallymark.tally.walk.by_kernel`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark import _kernels
from tallymark.tally import walk
from tallymark.tally.arrays import Floats

if TYPE_CHECKING:
    from tallymark.tally.score_counts import ScoreCounts

RANKS = ("lower", "tied", "steps", "trapezoids", "mixtures", "gains", "kappa")
TRUTHS = (
    "squared", "absolute", "surprise_pos", "surprise_neg", "beyond", "promised", "nats_pos",
    "nats_neg",
)  # fmt: skip
_RANK, _TRUTH = ({name: i for i, name in enumerate(names)} for names in (RANKS, TRUTHS))


def _tops(r: ScoreCounts) -> tuple[Floats, Floats]:
    tp, fp = (np.ascontiguousarray(v, np.float64) for v in r.cumulative_counts)
    return tp, fp


def _arrays(r: ScoreCounts) -> tuple[Floats, Floats, Floats]:
    if r.whole:  # as the kernel wrote them
        return r.scores, r.pos, r.neg
    scores, pos, neg = (np.ascontiguousarray(v, np.float64) for v in (r.scores, r.pos, r.neg))
    return scores, pos, neg


def _of_single(r: ScoreCounts) -> list[float]:
    return _kernels.add_ranks_of_single(r.cumulative_counts[0])


def _lines(*values: NDArray[Any]) -> list[Floats]:
    """Return replicates (..., G) as lines of a table, of one ranking one."""
    return [np.ascontiguousarray(v, np.float64).reshape(-1, v.shape[-1]) for v in values]


def _ranks(r: ScoreCounts) -> Floats:
    if r.long and r.single:
        return np.array(r.kept(_of_single)[: len(RANKS)])
    if r.of_few:  # as the kernel wrote them
        pos, neg, tp, fp = r.pos[None], r.neg[None], *(top[None] for top in r.cumulative_counts)
        positives, negatives = r.positives[None], r.negatives[None]
    else:
        pos, neg, tp, fp = _lines(r.pos, r.neg, *_tops(r))
        rows = (np.ascontiguousarray(v, np.float64).reshape(-1) for v in (r.positives, r.negatives))
        positives, negatives = rows
    out = np.empty((len(positives), len(RANKS)))
    _kernels.add_ranks(pos, neg, tp, fp, positives, negatives, out)
    return out.T.reshape(-1, *r.pos.shape[:-1])


def _pairs(r: ScoreCounts) -> Floats:
    """Return the first two of :data:`RANKS`, which are all that is asked of many a stack."""
    pos, neg, tp = _lines(r.pos, r.neg, _tops(r)[0])
    out = np.empty((len(pos), 2))
    _kernels.add_pairs(pos, neg, tp, out)
    return out.T.reshape(-1, *r.pos.shape[:-1])


def distances(r: ScoreCounts) -> Sequence[float]:
    """Return how far the ROC curve is above the diagonal at most, and how far below."""
    return _kernels.distances(*_tops(r))


def area_between(r: ScoreCounts, low: float, high: float, axis: str) -> float:
    """Return the area under the ROC curve from low to high of FPR, or of TNR over TPR."""
    return _kernels.area_between(*_tops(r), low, high, axis == "tpr")


def recall_at(r: ScoreCounts, precision: float) -> float:
    """Return the highest recall of the thresholds with at least a precision, 0 of none."""
    tp, fp = _tops(r)
    place = _kernels.last_precise(tp, fp, precision)
    r.read_at(place)
    return float(tp[place] / tp[-1])


def precision_at(r: ScoreCounts, recall: float) -> float:
    """Return the highest precision of the thresholds with at least a recall."""
    tp, fp = _tops(r)
    begin = int(walk.search(len(tp), lambda i: tp[i] / tp[-1], np.array([recall]))[0])
    r.read_at(begin)  # beyond, most often, precision only falls
    return _kernels.most_precise(tp, fp, begin)


def placement_sums(r: ScoreCounts, squares: ScoreCounts | None) -> Sequence[float]:
    """Return the AUC, and sums of squared placements less it: of positives and of negatives.

    Weighted by ``squares`` where there are some; see :func:`tallymark.infer.delong.auc_variance`.
    """
    if r.long and r.single and squares is None:
        lower, *_, apart_pos, apart_neg = r.kept(_of_single)
        p, n = float(r.positives), float(r.negatives)
        return lower / (p * n), apart_pos / n**2, apart_neg / p**2
    _, pos, neg = _arrays(r)
    second = r if squares is None else squares
    pos2, neg2 = (np.ascontiguousarray(v, np.float64) for v in (second.pos, second.neg))
    tp, fp = _tops(r)
    return _kernels.add_placements(pos, neg, pos2, neg2, tp, fp)


def rank_sum(r: ScoreCounts, name: str) -> Floats:
    """Return a sum of :data:`RANKS`, of each replicate where there are some."""
    place = _RANK[name]
    found: Floats = r.kept(_pairs if r.stacked and place < 2 else _ranks)[place]
    return found


_FAR_APART = 1e-3
"""Of scores nearer to each other than this the rounding of nodes next to 1 would be seen."""

STEEP = 6.0
"""Steeper lines of log odds bend too much within the stretches of a condensed ranking."""


def condensed(scores: Floats, columns: Sequence[Floats], clip: float = 0.0) -> Floats:
    """Return few probabilities, one less each, and weights with the same sums of smooth losses.

    Rows p, 1 - p and the columns: what is summed of ``columns`` over smooth functions of the
    ``scores`` is the same to the rounding of the sums. Scores next to 1/2 are kept, and no node
    stands for some on both sides of ``clip`` or of 1 - ``clip``. Weights may be a hair below 0:
    sums alone mean something.

    >>> p = np.linspace(0.2, 0.4, 1000)
    >>> few, rest, rows = condensed(p, [np.ones(1000)])
    >>> len(few), round(float(-(rows * np.log(few)).sum() + np.log(p).sum()), 9) + 0.0
    (191, 0.0)
    """
    given = [np.ascontiguousarray(c, np.float64) for c in columns]
    return _kernels.condense(np.ascontiguousarray(scores), given, _cuts(scores, clip))


def _cuts(scores: Floats, clip: float) -> NDArray[np.int64]:
    """Return where scores are cut before they are condensed."""
    cuts = [0.5 - 2**-12, 0.5 + 2**-12, *([clip] if clip else [])]
    places = [len(scores), *np.searchsorted(scores, cuts)]
    if clip:  # measured from 1, where numbers are finer
        places += [*walk.search(len(scores), lambda i: scores[i] - 1, np.array([-clip]))]
    return np.unique(places)


_LONG = 4096
"""A shorter ranking is summed sooner than condensed."""


def _short(r: ScoreCounts, clip: float) -> Floats:
    if len(r.scores) < _LONG:
        return np.array([r.scores, 1 - r.scores, r.pos, r.neg])
    if r.single:
        return _kernels.condense(r.scores, [], _cuts(r.scores, clip), r.cumulative_counts[0])
    return condensed(r.scores, (r.pos, r.neg), clip)


def nodes(r: ScoreCounts, clip: float = 0.0) -> Floats:
    """Return a ranking of probabilities :func:`condensed`, with its positives and negatives."""
    return r.kept(_short, clip=clip)


def _log(odds: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.log(odds))


def _truths(r: ScoreCounts, prior: float | None) -> tuple[float, ...]:
    odds = r.positives / r.negatives if prior is None else prior / (1 - prior)
    log_odds = math.log(odds) if 0 < odds < math.inf else _log(odds)
    p, q, pos, neg = nodes(r)
    return tuple(_kernels.add_truths(p, q, pos, neg, log_odds))


def truth_sum(r: ScoreCounts, name: str, prior: float | None = None) -> float:
    """Return a sum of :data:`TRUTHS`, at the prior of likelihood ratios."""
    return r.kept(_truths, prior=prior)[_TRUTH[name]]


def _spread(r: ScoreCounts, low: float, high: float) -> Sequence[Floats]:
    """Return scores, positives and negatives: of probabilities that lie far apart few nodes."""
    if r.scores[0] >= 0 and r.scores[-1] <= 1 and high - low > _FAR_APART:
        p, _, pos, neg = nodes(r)
        return p, pos, neg
    return _arrays(r)


def score_sums(r: ScoreCounts, unit: float, low: float, high: float) -> Floats:
    """Return the sums of scores scaled from low..high to 0..1: of positives and of others."""
    scores, pos, neg = _spread(r, low * unit, high * unit)
    return np.array(_kernels.add_scores(scores, pos, neg, unit, low, high))


def square_sums(
    r: ScoreCounts, unit: float, low: float, high: float, mean1: float, mean0: float
) -> Floats:
    """Return the sums of squared distances of scaled scores from a mean of each class."""
    scores, pos, neg = _spread(r, low * unit, high * unit)
    return np.array(_kernels.add_squares(scores, pos, neg, unit, low, high, mean1, mean0))


def excess_sums(r: ScoreCounts, widest: float) -> Floats:
    """Return Spiegelhalter's excess and variance, in units of the widest spread."""
    p, q, pos, neg = nodes(r)
    return np.array(_kernels.add_excess(p, q, pos, neg, float(r.total), widest))


def fitted(r: ScoreCounts, clip: float, sloped: bool) -> Floats:
    """Return a and b of truth ~ a + b·x, or a of a + x, by greatest likelihood: (..., 2 or 1).

    x are the log odds of the scores, which are probabilities, at least ``clip`` from 0 and 1.
    """
    if not r.long:
        return fitted_to(r.pos, r.neg, clipped(r.log_odds, clip), sloped)
    p, q, pos, neg = nodes(r, clip)
    with np.errstate(divide="ignore"):
        x = np.where(p < 0.5, np.log(p) - np.log1p(-p), np.log1p(-q) - np.log(q))
    found = fitted_to(pos, neg, clipped(x, clip), sloped)
    if sloped and not abs(found[-1]) <= STEEP:
        return fitted_to(r.pos, r.neg, clipped(r.log_odds, clip), sloped)
    return found


def fitted_to(pos: Floats, neg: Floats, x: Floats, sloped: bool) -> Floats:
    """Return what :func:`fitted` does of rows ``pos`` and ``neg`` (..., G) at ``x`` (G,)."""
    lead, size = pos.shape[:-1], 2 if sloped else 1
    shape = math.prod(lead), len(x)
    pos, neg = (np.ascontiguousarray(v, np.float64).reshape(shape) for v in (pos, neg))
    out = np.empty((len(pos), size))
    x = np.where(np.isfinite(x), x, 0.0)  # such rows have no weight or are refused as certain
    _kernels.fit(x, pos, neg, sloped, out)
    return out.reshape(*lead, size)


def clipped(log_odds: Floats, clip: float) -> Floats:
    """Return log odds, those of probabilities at least ``clip`` from 0 and 1."""
    if not clip:
        return log_odds
    # Clipped as log odds: 1 - clip would be 1 for a clip that 1 cannot tell from 0.
    most = math.log1p(-clip) - math.log(clip)
    return np.clip(log_odds, -most, most)


def bin_sums(r: ScoreCounts, starts: Floats) -> Floats:
    """Return rows, positives beyond those promised, positives, those promised and the rest: (5, m).

    ``starts`` (m + 1): where each bin of neighbouring groups starts, and the last one ends.
    """
    begins = np.ascontiguousarray(starts, np.int64)
    if r.long and r.single and r.scores[0] >= 0 and r.scores[-1] <= 1:
        return _bins_of_single(r, begins)
    out = np.empty((5, len(starts) - 1))
    _kernels.add_bins(*_arrays(r), begins, out)
    return out


def _stretches(r: ScoreCounts) -> Floats:
    return _kernels.stretch_sums(r.scores)


def _bins_of_single(r: ScoreCounts, starts: NDArray[np.int64]) -> Floats:
    out = np.empty((3, len(starts) - 1))
    _kernels.range_sums(r.scores, r.kept(_stretches), starts, out)
    from_0, high, lacking = out
    begin, end = starts[:-1], np.maximum(starts[1:], starts[:-1])
    tp, size = r.cumulative_counts[0], len(r.scores)
    pos, rows = tp[size - begin] - tp[size - end], end - begin
    # Whole numbers first: where nearly all promises were kept, they leave nothing.
    beyond = (pos - high) - from_0 + lacking
    promised, rest = from_0 + (high - lacking), (rows - high - from_0) + lacking
    return np.stack([rows, beyond, pos, promised, rest])


def bin_lines(r: ScoreCounts, bins: int, strategy: str) -> Floats:
    """Return what :func:`bin_sums` does of bins of equal "width" or "mass", of stacks: (5, ..., m).

    A score of equal mass is in the bin of the middle of its rows.
    """
    lead, size = r.pos.shape[:-1], len(r.scores)
    lines = math.prod(lead)
    pos, neg = (np.ascontiguousarray(v).reshape(lines, size) for v in (r.pos, r.neg))
    out = np.empty((5, lines * bins))
    scores = np.ascontiguousarray(r.scores, np.float64)
    _kernels.bin_lines(scores, pos, neg, strategy == "mass", out)
    return out.reshape(5, *lead, bins)
