"""Binned scores, for more distinct values than fit into memory.

A bin records its lowest and its highest score. Nothing is assumed in between: metrics of binned
scores come with bounds that include the value for the raw scores.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallymark import _kernels
from tallymark.errors import InputError
from tallymark.tally.arrays import Floats, Label, tabulate
from tallymark.tally.occupied import group_sums
from tallymark.tally.score_counts import search

if TYPE_CHECKING:
    from tallymark.tally.scores import ScoreTally

STRETCHES = 256
"""Number of intervals: few enough for a tree of comparisons in any query language."""

MOST_ATOMS = 32
"""Most single-score bins for frequent scores."""


@dataclass(frozen=True, eq=False)
class Bins:
    """The position of bins: intervals between ``breaks``, each cut evenly into ``per`` bins.

    In the interval of width w that starts at b, a score s is in bin floor((s - b) * (per / w)), or
    in the last one. These are three operations that double precision rounds in only one way, so
    every engine puts a score into the same bin. Scores below the first break are in the first bin,
    those beyond the last break in the last bin. Every break starts a bin, so decisions at a break
    are exact. If two breaks are further apart than the largest float, one more break is added at 0.

    >>> bins = Bins([0.0, 0.5, 1.0], per=2)
    >>> bins._place([-1.0, 0.2, 0.3, 0.5, 0.9, 7.0]).tolist()
    [0, 0, 1, 2, 3, 3]
    """

    breaks: Floats
    per: int
    scale: Floats = field(init=False, repr=False)
    """Bins per unit of score, of each stretch."""

    def __post_init__(self) -> None:
        breaks = np.array(self.breaks, dtype=np.float64) + 0.0
        finite = breaks.ndim == 1 and len(breaks) > 1 and bool(np.isfinite(breaks).all())
        if not finite or not (breaks[1:] > breaks[:-1]).all():
            raise InputError("breaks must be two or more ascending numbers, none of them infinite")
        with np.errstate(over="ignore"):
            too_wide = np.isinf(np.diff(breaks))
        if too_wide.any():
            breaks = np.insert(breaks, np.argmax(too_wide) + 1, 0.0)
        if self.per != int(self.per) or not 1 <= self.per < 1 << 53:
            raise InputError(f"per is {self.per!r}; give a whole number of bins, at least 1")
        with np.errstate(over="ignore"):
            scale = np.minimum(self.per / np.diff(breaks), np.finfo(np.float64).max)
        for array in (breaks, scale):
            array.flags.writeable = False
        object.__setattr__(self, "breaks", breaks)
        object.__setattr__(self, "per", int(self.per))
        object.__setattr__(self, "scale", scale)

    def __len__(self) -> int:
        return self.per * len(self.scale)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Bins):
            return NotImplemented
        return self.per == other.per and np.array_equal(self.breaks, other.breaks)

    __hash__ = None  # type: ignore[assignment]

    def _place(self, scores: ArrayLike) -> NDArray[np.int64]:
        """Return the bin of each score."""
        values = np.ascontiguousarray(scores, dtype=np.float64)
        out = np.empty(len(values), dtype=np.int64)
        _kernels.find_bins(values, self.breaks, self.scale, self.per, out)
        return out

    @classmethod
    def _of_sample(
        cls,
        scores: ArrayLike,
        positive: ArrayLike,
        bins: int = 1 << 20,
        keep: Iterable[float] = (),
    ) -> Self:
        """Return bins from a sample of rows: narrow where positives and negatives overlap.

        Parameters
        ----------
        scores : array of n numbers
        positive : array of n booleans
            Whether a row of the sample is of the class whose score it is.
        bins : int
            Approximate number of bins.
        keep : numbers
            Thresholds at which decisions must be exact.

        Raises
        ------
        InputError
            A sample without rows.

        """
        values = np.asarray(scores, dtype=np.float64) + 0.0
        in_class = np.asarray(positive, dtype=bool)
        if not len(values):
            raise InputError("the sample has no rows; give at least one")
        distinct, place = np.unique(values, return_inverse=True)
        neg, pos = tabulate((len(distinct), 2), (place, in_class)).T
        often = np.maximum(2.0, len(values) / (2 * STRETCHES))
        atoms = np.flatnonzero(pos + neg >= often)
        atoms = atoms[np.argsort(-(pos + neg)[atoms], kind="stable")][:MOST_ATOMS]
        rest = np.ones(len(distinct), dtype=bool)
        rest[atoms] = False  # these scores have their own bins
        return cls._of_masses(
            distinct, distinct, pos * rest, neg * rest, bins, _edges(distinct[atoms], keep)
        )

    def _refined(
        self,
        tally: ScoreTally,
        bins: int,
        keep: Iterable[float] = (),
        stretches: int = STRETCHES,
    ) -> Bins:
        """Return new bins from a first count: narrow where its bounds are wide.

        A bin contributes positives times negatives to the width of the bounds on the ROC area,
        unless it has a single distinct score.
        """
        r = tally._score_counts
        highs = tally.scores if tally.highs is None else tally.highs
        wide = highs > tally.scores
        pos, neg = r.pos * wide, r.neg * wide
        rows = r.pos + r.neg
        alone = np.flatnonzero(~wide & (rows >= rows.sum() / (2 * stretches)))
        most = MOST_ATOMS * stretches // STRETCHES
        alone = alone[np.argsort(-(r.pos * r.neg)[alone], kind="stable")][:most]
        edges = _edges(tally.scores[alone], keep)  # single-score bins stay so
        if not wide.any():  # every bin has a single score: use the rows instead
            pos, neg = r.pos, r.neg
        return self._of_masses(tally.scores, highs, pos, neg, bins, edges, stretches, 0.9)

    @classmethod
    def _of_masses(
        cls,
        lows: Floats,
        highs: Floats,
        pos: Floats,
        neg: Floats,
        bins: int,
        edges: Iterable[float],
        stretches: int = STRETCHES,
        ranked: float = 0.5,
    ) -> Self:
        """Return bins with breaks at equal shares of the bounds' width, from cells with row counts.

        With densities f and g of the classes, bins of width h bound the ROC area to within the
        integral of f g h, which for a given number of bins is smallest if h is proportional to
        1/sqrt(f g). A share of the breaks, ``ranked``, follows this rule; the others are at equal
        shares of all rows, which suits the losses of probabilities.
        """
        ends = [float(lows[0]), float(highs[-1])]
        if ends[0] >= 0 and ends[1] <= 1:
            ends = [0.0, 1.0]
        inner = [x for x in edges if ends[0] < x < ends[1]]
        free = max(stretches - len(inner) - 1, 2)
        for mass, share in ((np.sqrt(pos * neg), ranked), (pos + neg, 1 - ranked)):
            total = mass.sum()
            if total > 0:
                inner += _at_shares(lows, highs, mass / total, max(int(free * share), 1)).tolist()
        breaks = np.unique([*ends, *inner])
        if len(breaks) < 2:
            away = np.inf if breaks[0] <= 0 else -np.inf  # the largest float has no successor
            breaks = np.unique([breaks[0], np.nextafter(breaks[0], away)])
        return cls(breaks, max(bins // (len(breaks) - 1), 1))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"breaks": self.breaks.tolist(), "per": self.per}


def _edges(atoms: Floats, keep: Iterable[float]) -> list[float]:
    """Return edges that isolate some scores, and the thresholds to keep."""
    with np.errstate(over="ignore"):  # no float is above the largest
        beyond = np.nextafter(atoms, np.inf)
    return [*atoms.tolist(), *beyond.tolist(), *map(float, keep)]


def _at_shares(lows: Floats, highs: Floats, mass: Floats, parts: int) -> Floats:
    """Return where equal shares of masses end, with each mass spread evenly from low to high.

    >>> _at_shares(np.array([0.0, 1.0]), np.array([1.0, 3.0]), np.array([0.5, 0.5]), 4).tolist()
    [0.5, 1.0, 2.0]
    """
    shares = np.linspace(0, 1, parts + 1)[1:-1]
    sums = np.cumsum(mass)
    cell = np.minimum(np.searchsorted(sums, shares), len(mass) - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        inside = (shares - (sums[cell] - mass[cell])) / mass[cell]
    inside = np.clip(np.nan_to_num(inside), 0.0, 1.0)
    return np.asarray(lows[cell] * (1 - inside) + highs[cell] * inside)


class BinnedCounts:
    """Rows of K classes summed in bins, chunk by chunk; the source of a binned ScoreTally."""

    def __init__(self, bins: Bins, labels: tuple[Label, ...], weighted: bool = False) -> None:
        self.bins = bins
        self.labels = labels
        self.rows = 0
        # One line per bin: lowest and highest score, counts and, with weights, squared weights.
        self._table = np.zeros((len(bins), 2 + len(labels)))
        self._table[:, 0], self._table[:, 1] = np.inf, -np.inf
        if weighted:
            self._weigh()

    @property
    def weighted(self) -> bool:
        """Whether squared weights are summed."""
        return self._table.shape[1] > 2 + len(self.labels)

    def _weigh(self) -> None:
        if not self.weighted:  # all rows so far weigh 1
            self._table = np.hstack([self._table, self._table[:, 2:]])

    def add(self, codes: NDArray[Any], scores: Floats, weights: Floats | None = None) -> None:
        """Add rows of true classes, as codes into ``labels``, and scores."""
        if weights is not None:
            self._weigh()
        elif self.weighted:
            weights = np.ones(len(scores))
        _kernels.add_to_bins(
            np.ascontiguousarray(codes, np.int64),
            np.ascontiguousarray(scores, np.float64),
            weights,
            self.bins.breaks,
            self.bins.scale,
            self.bins.per,
            len(self.labels),
            self._table,
        )
        self.rows += len(scores)

    def add_tally(self, tally: ScoreTally) -> None:
        """Add a tally that is exact or has the same bins."""
        if tally.bins is not None and tally.bins != self.bins:
            raise InputError(
                "the two tallies were counted in different bins; count both in the same ones"
            )
        ours = tally.reorder(self.labels)
        highs = ours.scores if ours.highs is None else ours.highs
        place = self.bins._place(ours.scores)
        self.add_cells(place, ours.scores, highs, ours.counts, ours.sum_squared_weights, ours.rows)

    def add_cells(
        self,
        place: NDArray[np.int64],
        low: Floats,
        high: Floats,
        counts: Floats,
        squares: Floats | None,
        rows: int,
    ) -> None:
        """Add rows counted elsewhere, one line per bin: its index, extremes and counts (m, K)."""
        if squares is not None:
            self._weigh()
        last = 2 + len(self.labels)
        np.minimum.at(self._table[:, 0], place, low)
        np.maximum.at(self._table[:, 1], place, high)
        np.add.at(self._table[:, 2:last], place, counts)
        if self.weighted:
            np.add.at(self._table[:, last:], place, counts if squares is None else squares)
        self.rows += rows

    def filled(self) -> dict[str, Any]:
        """Return the fields of a ScoreTally, without empty bins."""
        cells = self._table[self._table[:, 0] <= self._table[:, 1]].T
        low, high, counts = cells[0].copy(), cells[1].copy(), cells[2 : 2 + len(self.labels)].T
        return {
            "labels": self.labels,
            "scores": low,
            "counts": counts,
            "highs": high,
            "sum_squared_weights": cells[2 + len(self.labels) :].T if self.weighted else None,
            "rows": self.rows,
            "bins": self.bins,
        }


def checked_highs(scores: Floats, highs: Any, bins: Bins | None) -> Floats | None:
    """Return valid highest scores of bins; an exact tally has none."""
    if (highs is None) != (bins is None):
        raise InputError("a tally in bins needs both highs and bins, and an exact one neither")
    if highs is None:
        return None
    checked = np.array(highs, dtype=np.float64) + 0.0
    if checked.shape != scores.shape or not (checked >= scores).all():
        raise InputError("there must be as many highs as scores, none below the lowest of its bin")
    if not (checked[:-1] < scores[1:]).all():
        raise InputError("the bins of a tally must not overlap; a high reaches the next bin")
    checked.flags.writeable = False
    return checked


def ends(tally: ScoreTally) -> tuple[ScoreTally, ScoreTally]:
    """Return the worst and the best case of binned rows: see ScoreTally.ends."""
    if tally.highs is None or bool((tally.highs == tally.scores).all()):
        exact = replace(tally, highs=None, bins=None)
        return exact, exact
    wide = tally.highs > tally.scores
    # Each bin's lowest score and, if it differs, its highest: bins do not overlap.
    high = np.arange(len(wide)) + np.cumsum(wide)
    low = high - wide
    scores = np.empty(len(wide) + np.count_nonzero(wide))
    scores[low], scores[high] = tally.scores, tally.highs
    positive = np.array([label == tally.positive for label in tally.labels])

    def extreme(ours: NDArray[np.intp], theirs: NDArray[np.intp]) -> ScoreTally:
        place = np.where(positive, ours[:, None], theirs[:, None])

        def put(values: Floats) -> Floats:
            full = np.zeros((len(scores), len(positive)), order="F")
            np.put_along_axis(full, place, values, axis=0)
            return full

        counts, squares = put(tally.counts), tally.sum_squared_weights
        squares = None if squares is None else put(squares)
        return replace(
            tally, scores=scores, counts=counts, sum_squared_weights=squares, highs=None, bins=None
        )

    return extreme(low, high), extreme(high, low)


def nearest_cut(tally: ScoreTally, threshold: float) -> float:
    """Return the threshold, or the nearest one with exact counts in binned scores."""
    if tally.highs is None or not len(tally.scores):
        return threshold
    above = int(np.searchsorted(tally.scores, threshold, side="left"))
    if above == 0 or tally.highs[above - 1] < threshold:
        return threshold
    low = float(tally.scores[above - 1])
    high = float(tally.scores[above]) if above < len(tally.scores) else np.inf
    return low if threshold - low <= high - threshold else high


def next_lower(tally: ScoreTally, thresholds: Any) -> Floats:
    """Return the highest score below each threshold, -inf if there is none."""
    highs = tally.scores if tally.highs is None else tally.highs
    place = np.searchsorted(tally.scores, thresholds, side="left")
    return np.asarray(np.append(-np.inf, highs)[place])


# -- groups for resampling -----------------------------------------------------------------------

_ERRORS_NEAR = np.concatenate([np.arange(-7, -2), np.arange(-7, 8) / 3, np.arange(3, 8)])
"""Steps in standard errors: thirds where most draws are, whole ones where few are."""


def group_scores(tally: ScoreTally, groups: int, around: Sequence[int], lowest: bool) -> ScoreTally:
    """Return a tally with about this number of score groups; see :meth:`ScoreTally._coarse`."""
    starts = _group_starts(tally, groups, around)
    counts = _group_counts(tally, starts)
    full = counts.sum(1) > 0
    if not full.all():
        starts, counts = starts[full], counts[full]
    scores = tally.scores[starts] if lowest else _group_means(tally, starts, counts)
    squares = tally.sum_squared_weights
    if squares is not None:
        squares = group_sums(squares, starts)
    return type(tally)(tally.labels, tally.positive, scores, counts, squares, tally.rows)


def _group_means(tally: ScoreTally, starts: NDArray[np.intp], counts: Floats) -> Floats:
    """Return the mean score of the rows of each group, clipped to the group's range."""
    unit = max(1.0, -float(tally.scores[0]), float(tally.scores[-1]))
    scores = tally.scores / unit if unit > 1 else tally.scores  # so that no sum overflows
    ends = np.append(starts[1:], len(scores))
    if tally.rows != len(scores) or tally.sum_squared_weights is not None:
        scores = tally.counts.sum(1) * scores
    weighted = np.add.reduceat(scores, starts)
    with np.errstate(over="ignore"):
        means = weighted / counts.sum(1) * unit
    # Two groups must not meet or change places.
    return np.asarray(np.clip(means, tally.scores[starts], tally.scores[ends - 1]))


def _group_starts(tally: ScoreTally, groups: int, around: Sequence[int] = ()) -> NDArray[np.intp]:
    """Return where the groups start, with those of groups without weight."""
    size = len(tally.scores)
    cuts = [
        _shares_reached(rows, groups // 2) + 1 for rows in tally._score_counts._cumulative_counts
    ]
    cuts += [_starts_near(tally, place) for place in around]
    starts = np.unique(np.concatenate([[0], *cuts]))
    return np.asarray(starts[starts < size])


def _starts_near(tally: ScoreTally, place: int) -> NDArray[np.intp]:
    """Return starts of groups near a threshold, in steps of the standard error of its counts."""
    size = len(tally.scores)
    place = min(place, size)
    squares, result = tally._squared_score_counts, [np.array([place])]
    of_weights = (None, None) if squares is None else (squares.positives, squares.negatives)
    for above, second in zip(tally._score_counts._cumulative_counts, of_weights, strict=True):
        each = 1.0 if second is None else float(second) / max(float(above[-1]), 1e-300)
        rows = above[place] / each * (1 - above[place] / max(float(above[-1]), 1e-300))
        steps = above[place] + _ERRORS_NEAR * (each * math.sqrt(max(rows, 1.0)))
        result.append(np.searchsorted(above, steps))
    return np.asarray(size - np.minimum(np.concatenate(result), size))


def _group_counts(tally: ScoreTally, starts: NDArray[np.intp]) -> Floats:
    """Return the counts of groups; for two classes of whole rows, as cumulative differences."""
    if tally.sum_squared_weights is not None or len(tally.labels) != 2:
        return group_sums(tally.counts, starts)
    edges = len(tally.scores) - np.append(starts, len(tally.scores))
    pos, neg = (
        rows[edges[:-1]] - rows[edges[1:]] for rows in tally._score_counts._cumulative_counts
    )
    return np.stack((neg, pos) if tally.labels.index(tally.positive) else (pos, neg), 1)


def _shares_reached(above: Floats, parts: int) -> NDArray[np.intp]:
    """Return where the rows, from the lowest score on, reach 1, 2, ... of that many equal parts.

    ``above`` (G + 1) are their cumulative counts from the highest score down.

    >>> _shares_reached(np.array([0.0, 2.0, 3.0, 3.0, 4.0]), 2).tolist()
    [2]
    """
    size, total = len(above) - 1, above[-1]
    shares = np.linspace(0, total, parts + 1)[1:-1]
    return search(size, lambda i: total - above[size - 1 - i], shares)
