"""One class against the rest at each distinct score: what rank and probability metrics read."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallymark import _kernels
from tallymark.display import Display
from tallymark.errors import InputError
from tallymark.tally.arrays import Floats
from tallymark.tally.labels import Counts

V = TypeVar("V")


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCounts(Display):
    """One class against the rest at each distinct score: what rank and probability metrics read.

    ``scores`` (G,) are ascending and distinct; ``pos`` and ``neg`` (..., G) are the rows of the
    positive class and of the others at each score. Leading axes are bootstrap replicates.
    Quantities derived from the counts are cached.
    """

    scores: Floats
    pos: NDArray[Any]
    neg: NDArray[Any]

    @cached_property
    def positives(self) -> NDArray[Any]:
        """Rows of the positive class, P."""
        return self._totals[0]

    @cached_property
    def negatives(self) -> NDArray[Any]:
        """Rows of the other classes, N."""
        return self._totals[1]

    @cached_property
    def _totals(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """P and N, the last of the cumulative counts; of replicates without all the others."""
        if self.pos.ndim == 1:
            tp, fp = self._cumulative_counts
            return tp[-1], fp[-1]
        pos, neg = lines_of(self.pos), lines_of(self.neg)
        out = np.empty((len(pos), 2))
        _kernels.class_totals(pos, neg, out)
        p, n = (column.reshape(self.pos.shape[:-1]) for column in out.T)
        return p, n

    @cached_property
    def total(self) -> NDArray[Any]:
        """All rows, T = P + N."""
        return np.asarray(self.positives + self.negatives)[()]

    @cached_property
    def _cumulative_counts(self) -> tuple[Floats, Floats]:
        """TP and FP at every threshold from +inf down: shape (..., G + 1)."""
        pos, neg = lines_of(self.pos), lines_of(self.neg)
        shape = (*self.pos.shape[:-1], len(self.scores) + 1)
        tp, fp = np.empty((2, len(pos), shape[-1]))
        _kernels.cumulative_counts(pos, neg, tp, fp)
        tp.flags.writeable = fp.flags.writeable = False  # metrics share them
        return tp.reshape(shape), fp.reshape(shape)

    def _counts_by_threshold(self) -> Counts:
        """Return the four counts at every threshold from +inf down: shape (..., G + 1)."""
        tp, fp = self._cumulative_counts
        return Counts(tp=tp, fp=fp, fn=tp[..., -1:] - tp, tn=fp[..., -1:] - fp)

    def thresholds(self) -> Floats:
        """Return the thresholds of :meth:`counts_by_threshold`: +inf, then falling scores."""
        return np.concatenate([[np.inf], self.scores[::-1]])

    def at(self, threshold: ArrayLike) -> Counts:
        """Return the four counts with scores at or above each threshold predicted positive."""
        place = len(self.scores) - np.searchsorted(self.scores, threshold, side="left")
        # Use differences of one cumulative sum: mixing two sums may give negative counts.
        (tp, fn), (fp, tn) = (
            (rows[..., place], rows[..., np.full_like(place, -1)] - rows[..., place])
            for rows in self._cumulative_counts
        )
        return Counts(tp, fp, fn, tn)

    def _with_counts(self, pos: NDArray[Any], neg: NDArray[Any]) -> ScoreCounts:
        """Return other counts for the same scores."""
        return ScoreCounts(self.scores, pos, neg)

    def _cached(self, function: Callable[..., V], **params: Any) -> V:
        """Return the cached result of a function of the counts."""
        results: dict[Any, Any] = self.__dict__.setdefault("_results", {})
        key = (function, *params.items())
        if key not in results:
            results[key] = function(self, **params)
        result: V = results[key]
        return result

    @cached_property
    def roc_convex_hull(self) -> ScoreCounts:
        """Neighbouring scores merged until the share of positives rises with the score.

        This is isotonic calibration by pooling adjacent violators (PAV); its ROC curve is the
        convex hull of the original one. A block of scores has its highest score. For a stack of
        replicates, the blocks of each replicate come first, from the lowest on, followed by zeros,
        and ``scores`` are their indices.

        >>> r = ScoreCounts(np.array([0.1, 0.4, 0.9]), np.array([0.0, 2.0, 1.0]), np.ones(3))
        >>> r.roc_convex_hull.scores, r.roc_convex_hull.pos, r.roc_convex_hull.neg
        (array([0.1, 0.9]), array([0., 3.]), array([1., 2.]))
        """
        if self.pos.ndim > 1:
            width, *tables = _kernels.hulls(lines_of(self.pos), lines_of(self.neg))
            pos, neg = (table.reshape(*self.pos.shape[:-1], width) for table in tables)
            return ScoreCounts(np.arange(float(width)), pos, neg)
        last, pos, neg = _kernels.hull(*self._cumulative_counts)
        return ScoreCounts(self.scores[last], pos, neg)

    def __reduce__(self) -> tuple[Any, ...]:
        return ScoreCounts, (self.scores, self.pos, self.neg)


def lines_of(counts: NDArray[Any]) -> Floats:
    """Return counts (..., G) as a matrix with one row per replicate, as kernels read them."""
    lines = np.ascontiguousarray(counts, np.float64)
    if lines.ndim == 1:
        return lines[None]
    return lines.reshape(math.prod(counts.shape[:-1]), counts.shape[-1])


LONG = 1 << 16
"""With more groups than this, full passes are worth avoiding."""

_BLOCK = 1 << 10
"""Groups per block; bounds of blocks are checked before their groups."""


# -- sums over the order of the scores ---------------------------------------------------------


class RankSums(NamedTuple):
    """Sums over the groups of scores, each an array (...).

    Pairs of a positive and a negative row that are ``concordant`` or ``tied``; P times the area
    under the precision-recall curve by ``steps``, ``trapezoids`` and ``mixtures`` (Davis and
    Goadrich); the areas under the precision-recall-gain curve (``gains``) and under ``kappa``.
    """

    concordant: Floats
    tied: Floats
    steps: Floats
    trapezoids: Floats
    mixtures: Floats
    gains: Floats
    kappa: Floats


def rank_sums(r: ScoreCounts) -> RankSums:
    """Return all sums over the score order, computed in one pass.

    >>> r = ScoreCounts(np.array([0.1, 0.4]), np.array([1.0, 2.0]), np.array([3.0, 1.0]))
    >>> float(rank_sums(r).concordant), float(rank_sums(r).tied)
    (6.0, 5.0)
    """
    return r._cached(_rank_sums)


def _rank_sums(r: ScoreCounts) -> RankSums:
    tp, fp = r._cumulative_counts
    out = np.empty((math.prod(tp.shape[:-1]), len(RankSums._fields)))
    _kernels.rank_sums(lines_of(tp), lines_of(fp), out)
    return RankSums(*out.T.reshape(len(RankSums._fields), *tp.shape[:-1]))


class AnswerSums(NamedTuple):
    """Sums over answers from the most confident one down, each an array (...).

    All ``rows``, and the ``wrong`` answers; over the k most confident rows for k = 1, 2, ..., the
    sum of the shares of wrong answers among them (``risks``), and of their numbers with half of the
    last row (``errors``). Rows of equal confidence come in any order: both are means over all.
    """

    rows: Floats
    wrong: Floats
    risks: Floats
    errors: Floats


def answer_sums(r: ScoreCounts, *, probabilities: bool) -> AnswerSums:
    """Return the sums over the answers at each score, computed in one pass.

    The answer to a probability p is yes if p is at least 1/2, and its confidence max(p, 1 - p).
    Other scores are confidences of the answer yes.

    >>> r = ScoreCounts(np.array([0.2, 0.9]), np.array([1.0, 3.0]), np.array([4.0, 0.0]))
    >>> [float(v) for v in answer_sums(r, probabilities=True)]
    [8.0, 1.0, 0.469285714285714, 2.5]
    """
    return r._cached(_answer_sums, probabilities=probabilities)


def _answer_sums(r: ScoreCounts, probabilities: bool) -> AnswerSums:
    lead = r.pos.shape[:-1]
    out = np.empty((math.prod(lead), len(AnswerSums._fields)))
    scores = np.ascontiguousarray(r.scores, np.float64)
    _kernels.answer_sums(scores, lines_of(r.pos), lines_of(r.neg), probabilities, out)
    return AnswerSums(*(column.reshape(lead)[()] for column in out.T))


def placement_sums(r: ScoreCounts, squares: ScoreCounts | None = None) -> Sequence[float]:
    """Return the AUC, and sums of squared placements minus the AUC: of positives and of negatives.

    Weighted by ``squares`` if given; see :func:`tallymark.infer.delong.auc_variance`.
    """
    second = (None, None) if squares is None else (squares.pos, squares.neg)
    weights = (None if v is None else np.ascontiguousarray(v, np.float64) for v in second)
    return _kernels.add_placements(*r._cumulative_counts, *weights)


# -- places along the thresholds ---------------------------------------------------------------


def at(values: Any, index: Any) -> Any:
    """Return the values (..., G) at an index per replicate, or at one for all: shape (...)."""
    if values.ndim == 1 or np.ndim(index) == 0:
        return values[..., index]
    return np.take_along_axis(values, np.asarray(index)[..., None], -1)[..., 0]


def at_both(r: ScoreCounts, place: Any) -> tuple[Any, Any]:
    """Return TP and FP at a threshold index per replicate, 0 at +inf."""
    tp, fp = r._cumulative_counts
    return at(tp, place), at(fp, place)


def first_threshold(r: ScoreCounts, reached: Callable[[Any, Any], Any]) -> Any:
    """Return the first threshold index from +inf down, 0 to G, that meets a condition.

    ``reached`` is a condition on arrays (..., m) of TP and FP that stays true once it is true; G +
    1 if it never is.

    >>> r = ScoreCounts(np.array([0.1, 0.4, 0.9]), np.array([0.0, 2.0, 1.0]), np.ones(3))
    >>> int(first_threshold(r, lambda tp, fp: tp >= 2))
    2
    """
    tp, fp = r._cumulative_counts
    size = tp.shape[-1]
    if tp.ndim == 1 and size > _BLOCK:

        def at_one(k: int) -> Any:
            return reached(tp[k : k + 1], fp[k : k + 1])[0]

        return bisect_left(range(size), True, key=at_one)
    hits = reached(tp, fp)
    return np.where(hits.any(-1), hits.argmax(-1), size)


def greatest(rises: Floats, falls: Floats, measure: Callable[[Any, Any], Any]) -> Any:
    """Return the last index (...) that maximizes a measure of two increasing counts.

    The measure rises with the first and falls with the second, so only blocks of a long row that
    can contain the maximum are searched.

    >>> int(greatest(np.array([0.0, 2.0, 3.0]), np.array([0.0, 0.0, 2.0]), np.subtract))
    1
    """
    size = rises.shape[-1]
    if rises.ndim > 1 or size <= LONG:
        return size - 1 - measure(rises, falls)[..., ::-1].argmax(-1)
    starts = np.arange(0, size, _BLOCK)
    ends = np.append(starts[1:], size) - 1
    most = measure(rises[starts], falls[starts]).max()
    slack = 1e-12  # above the rounding error of a measure
    bounds = measure(rises[ends] * (1 + slack), falls[starts] * (1 - slack))
    best = -1
    for block in np.flatnonzero(bounds >= most)[::-1]:
        part = slice(starts[block], ends[block] + 1)
        values = measure(rises[part], falls[part])[::-1]
        place = int(values.argmax())
        if values[place] > most or (values[place] == most and best < 0):
            most, best = values[place], int(ends[block]) - place
    return np.intp(best)


def ends(r: ScoreCounts) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Return the lowest and highest score that has rows, of P and of N; -1 without rows."""
    return r._cached(_ends)


def _ends(r: ScoreCounts) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    size, places = len(r.scores), []
    for rows in r._cumulative_counts:
        last = rows[..., -1:]
        if rows.ndim == 1:
            low, high = rows.searchsorted(last[0]), rows.searchsorted(0.0, side="right")
        else:
            low, high = (rows == last).argmax(-1), (rows > 0).argmax(-1)
        none = ~(last[..., 0] > 0)  # NaN if a resample has no rows of a class
        places.append((np.where(none, -1, size - low), np.where(none, -1, size - high)))
    return places[0], places[1]


def all_ends(r: ScoreCounts) -> tuple[Any, Any]:
    """Return the lowest and highest score that has rows of either class, -1 without rows."""
    (low1, high1), (low0, high0) = ends(r)
    low = np.where((low1 < 0) | (low0 < 0), np.maximum(low1, low0), np.minimum(low1, low0))
    return low, np.maximum(high1, high0)


def search(size: int, reached: Callable[[Any], Any], targets: NDArray[Any]) -> NDArray[np.intp]:
    """Return the first place of ``size`` rising numbers, read by index, that reaches each target.

    ``size`` where there is none: as ``np.searchsorted``, without computing all the numbers.

    >>> search(5, lambda i: i**2, np.array([0, 4, 5, 99])).tolist()
    [0, 2, 3, 5]
    """
    if size <= _BLOCK:  # comparisons with NaN are False
        return np.searchsorted(np.fmax(reached(np.arange(size)), -np.inf), targets)
    low = np.zeros(np.shape(targets), dtype=np.intp)
    high = np.full(np.shape(targets), size, dtype=np.intp)
    while (open_ := low < high).any():
        middle = np.minimum((low + high) // 2, size - 1)
        hit = reached(middle) >= targets
        high = np.where(open_ & hit, middle, high)
        low = np.where(open_ & ~hit, middle + 1, low)
    return low


def check_bins(bins: int, strategy: str) -> None:
    """Refuse an invalid number or kind of bins."""
    if strategy not in ("mass", "width"):
        raise InputError(f"strategy is {strategy!r}; say 'mass' or 'width'")
    if bins < 1:
        raise InputError(f"bins is {bins}; give at least one")


def bin_starts(r: ScoreCounts, bins: int, strategy: str) -> Any:
    """Return where bins of scores start, and the last one ends: of equal width, or of equal "mass".

    Rows with the same score stay in one bin, the one that contains the middle of these rows. The
    start is found by bisection of the cumulative counts. Shape (..., bins + 1).
    """
    (tp, fp), size = r._cumulative_counts, len(r.scores)
    lead = tp.shape[:-1]
    starts = np.zeros((*lead, bins + 1), dtype=np.intp)
    starts[..., -1] = size
    total, inner = tp[..., -1:] + fp[..., -1:], np.arange(1, bins)

    def place(i: Any) -> Any:
        above, reached = (tp[..., k] + fp[..., k] for k in (size - 1 - i, size - i))
        return np.floor((total - (above + reached) / 2) * bins / total)

    with np.errstate(invalid="ignore"):  # of no weight
        if strategy == "width":
            starts[..., 1:-1] = r.scores.searchsorted(inner / bins)
        elif not lead:
            starts[1:-1] = search(size, place, inner)
        else:  # one after the other the places rise through all replicates
            line = np.arange(math.prod(lead)).reshape(*lead, 1)
            places = np.nan_to_num(place(np.arange(size))) + bins * line
            starts[..., 1:-1] = places.ravel().searchsorted(inner + bins * line) - size * line
    return starts


# -- areas -------------------------------------------------------------------------------------


def area_between(x: Floats, y: Floats, low: Any, high: Any) -> Any:
    """Return the area under straight lines through points of rising x (..., m), from low to high.

    Each line of points has its own ``low`` and ``high`` (...).

    >>> float(area_between(np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 1.0]), 0.25, 0.75))
    0.4375
    """
    if x.ndim == 1 and len(x) > _BLOCK:
        start = max(int(x.searchsorted(low, side="right")) - 1, 0)
        stop = int(x.searchsorted(high, side="right")) + 1
        x, y = x[start:stop], y[start:stop]
    if x.ndim > 1 or len(x) < _BLOCK:
        return _areas(x, y, np.expand_dims(low, -1), np.expand_dims(high, -1)).sum(-1)
    # The groups at the ends may be partial; those in between are complete.
    cut = _areas(x[:2], y[:2], low, high).sum() + _areas(x[-3:], y[-3:], low, high).sum()
    return cut + _kernels.trapezoids(x[1:-2], y[1:-2])


def _areas(x: Floats, y: Floats, low: Any, high: Any) -> Floats:
    """Return the area under each line from low to high."""
    x0, x1, y0, y1 = x[..., :-1], x[..., 1:], y[..., :-1], y[..., 1:]
    start, end = np.clip(x0, low, high), np.clip(x1, low, high)
    slope = np.where(x1 > x0, np.true_divide(y1 - y0, x1 - x0), 0.0)
    middle = y0 + slope * ((start + end) / 2 - x0)
    return np.where(end > start, (end - start) * middle, 0.0)


# -- sums of functions of probabilities --------------------------------------------------------


class Nodes(NamedTuple):
    """Probabilities ``p``, ``q`` = 1 - p and the rows ``pos``, ``neg`` (..., m) of each."""

    p: Floats
    q: Floats
    pos: Floats
    neg: Floats

    def logs(self, clip: float = 0.0) -> tuple[Floats, Floats]:
        """Return ln p and ln q, both exact near 0, with p at least ``clip`` from 0 and 1."""
        with np.errstate(all="ignore"):
            log_p = np.where(self.p < 0.5, np.log(self.p), np.log1p(-self.q))
            log_q = np.where(self.p < 0.5, np.log1p(-self.p), np.log(self.q))
        if clip:  # Clipped as logarithms: for a tiny clip, 1 - clip would round to 1.
            log_p, log_q = (np.clip(v, math.log(clip), math.log1p(-clip)) for v in (log_p, log_q))
        return log_p, log_q


def rows_times(rows: Floats, values: Floats) -> Floats:
    """Return Σ rows · values, with 0 for scores without rows even if a value is infinite."""
    return np.asarray(np.where(rows == 0, 0.0, rows * values).sum(-1))


_CONDENSED = 4096
"""With fewer groups, direct summation is faster than condensing."""


def nodes(r: ScoreCounts, clip: float = 0.0, cuts: Iterable[int] = ()) -> Nodes:
    """Return few probabilities with the same sums of smooth losses.

    Nodes do not combine scores from both sides of a value in ``cuts``.
    """
    few = len(r.scores) < _CONDENSED or r._cumulative_counts[0].ndim > 1
    if few or not are_probabilities(r.scores):
        return r._cached(_all_nodes)
    if not clip and set(cuts) <= set(r._cached(_common_cuts)):
        cuts = ()
    return r._cached(_condensed_nodes, clip=clip, cuts=tuple(cuts))


def _common_cuts(r: ScoreCounts) -> list[int]:
    """Return the starts of ten bins of either kind, the most common request, computed once."""
    return [*map(int, np.union1d(bin_starts(r, 10, "width"), bin_starts(r, 10, "mass")))]


def _condensed_nodes(r: ScoreCounts, clip: float, cuts: tuple[int, ...]) -> Nodes:
    scores = np.ascontiguousarray(r.scores, np.float64)
    places = np.unique([*_cuts(scores, clip), *r._cached(_common_cuts), *cuts])
    return Nodes(*_kernels.condense(scores, list(r._cumulative_counts), places, True))


def _all_nodes(r: ScoreCounts) -> Nodes:
    return Nodes(r.scores, 1 - r.scores, r.pos, r.neg)


def are_probabilities(scores: Floats) -> bool:
    """Return whether increasing scores lie between 0 and 1."""
    return len(scores) > 0 and bool(scores[0] >= 0 and scores[-1] <= 1)


def condensed(scores: Floats, columns: Sequence[Floats], clip: float = 0.0) -> Floats:
    """Return few probabilities, one minus each, and weights with the same sums of smooth losses.

    The rows of the result are p, 1 - p and the columns: sums of ``columns`` times smooth functions
    of the ``scores`` are equal up to rounding. Scores next to 1/2 are kept, and no node combines
    scores from both sides of ``clip`` or of 1 - ``clip``. Weights may be slightly below 0: only
    their sums have a meaning.

    >>> p = np.linspace(0.2, 0.4, 1000)
    >>> few, rest, rows = condensed(p, [np.ones(1000)])
    >>> len(few), round(float(-(rows * np.log(few)).sum() + np.log(p).sum()), 9) + 0.0
    (191, 0.0)
    """
    arrays = [np.ascontiguousarray(c, np.float64) for c in columns]
    return _kernels.condense(np.ascontiguousarray(scores), arrays, _cuts(scores, clip), False)


def _cuts(scores: Floats, clip: float) -> NDArray[np.int64]:
    """Return where scores are cut before they are condensed."""
    cuts = [0.5 - 2**-12, 0.5 + 2**-12, *([clip] if clip else [])]
    places = [len(scores), *np.searchsorted(scores, cuts)]
    if clip:  # relative to 1, where floats have more digits
        places += [*search(len(scores), lambda i: scores[i] - 1, np.array([-clip]))]
    return np.unique(places)


# -- a line through log odds -------------------------------------------------------------------

STEEP = 6.0
"""Steeper slopes of the log odds exceed the accuracy of the quadrature."""


def fitted(r: ScoreCounts, clip: float, sloped: bool) -> Floats:
    """Return a and b of truth ~ a + b·x, or a of a + x, by maximum likelihood: (..., 2 or 1).

    x are the log odds of the scores, which are probabilities, at least ``clip`` from 0 and 1.
    """
    if len(r.scores) > LONG:
        result = _fitted(nodes(r, clip), clip, sloped)
        if not sloped or abs(result[..., -1]).max(initial=0.0) <= STEEP:
            return result
    return _fitted(_all_nodes(r), clip, sloped)


def _fitted(few: Nodes, clip: float, sloped: bool) -> Floats:
    log_p, log_q = few.logs()
    with np.errstate(invalid="ignore"):
        return fitted_to(few.pos, few.neg, clipped(log_p - log_q, clip), sloped)


def fitted_to(pos: Floats, neg: Floats, x: Floats, sloped: bool) -> Floats:
    """Return the result of :func:`fitted` for rows ``pos`` and ``neg`` (..., G) at ``x`` (G,)."""
    out = np.empty((math.prod(pos.shape[:-1]), 2 if sloped else 1))
    x = np.where(np.isfinite(x), x, 0.0)  # such rows have no weight or are refused elsewhere
    _kernels.fit(x, lines_of(pos), lines_of(neg), sloped, out)
    return out.reshape(*pos.shape[:-1], out.shape[-1])


def clipped(log_odds: Floats, clip: float) -> Floats:
    """Return log odds, limited to those of probabilities at least ``clip`` from 0 and 1."""
    if not clip:
        return log_odds
    # Clipped as log odds: for a tiny clip, 1 - clip would round to 1.
    most = math.log1p(-clip) - math.log(clip)
    return np.clip(log_odds, -most, most)
