"""One class against the rest at each distinct score: what rank and probability metrics read."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallymark import _kernels
from tallymark.display import Display
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.labels import Counts

V = TypeVar("V")


class lazy(Generic[V]):  # noqa: N801
    """A property computed when first asked for: ``functools.cached_property`` without its lock."""

    def __init__(self, make: Callable[[Any], V]) -> None:
        self.make = make
        self.name = make.__name__
        self.__doc__ = make.__doc__

    def __get__(self, owner: Any, kind: type | None = None) -> V:
        value: V = self.make(owner)
        owner.__dict__[self.name] = value
        return value


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCounts(Display):
    """One class against the rest at each distinct score: what rank and probability metrics read.

    ``scores`` (G,) ascending and distinct; ``pos`` and ``neg`` (..., G), rows of the positive
    class and of the others at each score. Leading axes are bootstrap replicates. What is derived
    from the counts is computed once.
    """

    scores: Floats
    pos: NDArray[Any]
    neg: NDArray[Any]

    @lazy
    def positives(self) -> NDArray[Any]:
        """Rows of the positive class, P."""
        return np.asarray(self.cumulative_counts[0][..., -1])[()]

    @lazy
    def negatives(self) -> NDArray[Any]:
        """Rows of the other classes, N."""
        return np.asarray(self.cumulative_counts[1][..., -1])[()]

    @lazy
    def total(self) -> NDArray[Any]:
        """All rows, T = P + N."""
        return np.asarray(self.positives + self.negatives)[()]

    @lazy
    def cumulative_counts(self) -> tuple[Floats, Floats]:
        """TP and FP at every threshold from +inf down: shape (..., G + 1)."""
        pos, neg = lines_of(self.pos), lines_of(self.neg)
        shape = (*self.pos.shape[:-1], len(self.scores) + 1)
        tp, fp = np.empty((2, len(pos), shape[-1]))
        _kernels.cumulative_counts(pos, neg, tp, fp)
        tp.flags.writeable = fp.flags.writeable = False  # metrics share them
        return tp.reshape(shape), fp.reshape(shape)

    def counts_by_threshold(self) -> Counts:
        """Return the four counts at every threshold from +inf down: shape (..., G + 1)."""
        tp, fp = self.cumulative_counts
        return Counts(tp=tp, fp=fp, fn=tp[..., -1:] - tp, tn=fp[..., -1:] - fp)

    def thresholds(self) -> Floats:
        """Return the thresholds of :meth:`counts_by_threshold`: +inf, then falling scores."""
        return np.concatenate([[np.inf], self.scores[::-1]])

    def at(self, threshold: float) -> Counts:
        """Return the four counts when scores at or above a threshold are called positive."""
        place = len(self.scores) - int(np.searchsorted(self.scores, threshold, side="left"))
        tp, fp = (rows[..., place] for rows in self.cumulative_counts)
        return Counts(tp=tp, fp=fp, fn=self.positives - tp, tn=self.negatives - fp)

    def cached(self, function: Callable[..., V], **params: Any) -> V:
        """Return what a function makes of the counts, made once."""
        results: dict[Any, Any] = self.__dict__.setdefault("_cached", {})
        key = (function, *params.items())
        if key not in results:
            results[key] = function(self, **params)
        result: V = results[key]
        return result

    @lazy
    def pav(self) -> ScoreCounts:
        """Neighbouring scores put together until the share of positives rises with the score.

        That is isotonic calibration by pooling adjacent violators; its ROC curve is the convex
        hull of this one's. The counts of a block stand at its last score, with zeros before it.

        >>> r = ScoreCounts(np.array([0.1, 0.4, 0.9]), np.array([0.0, 2.0, 1.0]), np.ones(3)).pav
        >>> r.pos, r.neg
        (array([0., 0., 3.]), array([1., 0., 2.]))
        """
        hull, counts = self.roc_convex_hull, np.zeros((2, len(self.scores)))
        counts[:, np.searchsorted(self.scores, hull.scores)] = hull.pos, hull.neg
        return ScoreCounts(self.scores, *counts)

    @lazy
    def roc_convex_hull(self) -> ScoreCounts:
        """:attr:`pav` without the groups left empty.

        Of a stack of replicates the blocks of each stand side by side, from the lowest on, with
        zeros behind the last: its scores are their places.
        """
        if self.cumulative_counts[0].ndim > 1:  # not of pos, which untied rows may lack
            width, *tables = _kernels.hulls(lines_of(self.pos), lines_of(self.neg))
            pos, neg = (table.reshape(*self.pos.shape[:-1], width) for table in tables)
            return ScoreCounts(np.arange(float(width)), pos, neg)
        last, pos, neg = _kernels.hull(*self.cumulative_counts)
        return ScoreCounts(self.scores[last], pos, neg)

    def __reduce__(self) -> tuple[Any, ...]:
        return ScoreCounts, (self.scores, self.pos, self.neg)


class UntiedCounts(ScoreCounts):
    """The counts of whole rows of which no two share a score, given by cumulative counts.

    Rows of either class at each score are made where they are asked for: of ten million rows the
    cumulative counts say most.

    >>> tp, fp = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0])
    >>> r = UntiedCounts(np.array([0.1, 0.4]), tp, fp)
    >>> r.pos, r.neg
    (array([1., 0.]), array([0., 1.]))
    """

    def __init__(self, scores: Floats, tp: Floats, fp: Floats) -> None:
        self.__dict__.update(scores=scores, cumulative_counts=(tp, fp))

    @lazy
    def pos(self) -> Floats:
        """Rows of the positive class at each score."""
        return _differences(self.cumulative_counts[0])

    @lazy
    def neg(self) -> Floats:
        """Rows of the other classes at each score."""
        return _differences(self.cumulative_counts[1])

    def __reduce__(self) -> tuple[Any, ...]:
        return UntiedCounts, (self.scores, *self.cumulative_counts)


def _differences(cumulative: Floats) -> Floats:
    rows = np.diff(cumulative)[::-1].copy()
    rows.flags.writeable = False
    return rows


def lines_of(counts: NDArray[Any]) -> Floats:
    """Return counts (..., G) as the lines of a table, as kernels read them."""
    lines = np.ascontiguousarray(counts, np.float64)
    return lines.reshape(math.prod(counts.shape[:-1]), counts.shape[-1])


_FEW = 4096
"""The kernel's own limit of rows."""


def rank_few(y_true: Any, y_score: Any) -> tuple[tuple[Label, Label], ScoreCounts, Floats] | None:
    """Return classes, the score counts of 1 and its counts (2, G) of a few rows, or None.

    None where they are more, unusual or not in NumPy's own arrays.
    """
    if type(y_true) is not np.ndarray or type(y_score) is not np.ndarray:
        return None
    if not 0 < y_score.size <= _FEW:
        return None
    out = np.empty((5, y_score.size + 1))
    counted = _kernels.rank_few(y_true, y_score, out)
    if counted is None:
        return None
    groups, other, *_ = counted
    out.flags.writeable = False
    made = ScoreCounts(out[0, :groups], out[2, :groups], out[1, :groups])
    return (False, True) if y_true.dtype.kind == "b" else (other, 1), made, out[1:3, :groups]
