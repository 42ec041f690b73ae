"""One class against the rest at each distinct score: what rank and probability metrics read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallymark import _kernels
from tallymark.tally import walk
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.labels import Counts

V = TypeVar("V")


@dataclass(frozen=True, eq=False)
class ScoreCounts:
    """One class against the rest at each distinct score: what rank and probability metrics read.

    ``scores`` (G,) ascending and distinct; ``pos`` and ``neg`` (..., G), rows of the positive
    class and of the others at each score. Leading axes are bootstrap replicates. What several
    metrics ask for is computed once.
    """

    scores: Floats
    pos: NDArray[Any]
    neg: NDArray[Any]

    @walk.lazy
    def positives(self) -> NDArray[Any]:
        """Rows of the positive class, P."""
        return np.asarray(self.pos.sum(-1))

    @walk.lazy
    def negatives(self) -> NDArray[Any]:
        """Rows of the other classes, N."""
        return np.asarray(self.neg.sum(-1))

    @walk.lazy
    def total(self) -> NDArray[Any]:
        """All rows, T = P + N."""
        return np.asarray(self.positives + self.negatives)

    @property
    def long(self) -> bool:
        """Whether these are very many groups, and no stack of replicates."""
        return len(self.scores) > walk.LONG and (self.whole or self.pos.ndim == 1)

    whole: ClassVar[bool] = False
    """Whether these are known to be whole rows, one or more a score: their sums are exact."""

    of_few: ClassVar[bool] = False
    """Whether a kernel made this of a few whole rows, whose columns others of its kind read."""

    @walk.lazy
    def plain(self) -> bool:
        """Whether this is one ranking of real numbers, and not empty: what kernels read."""
        pos = self.pos
        return pos.ndim == 1 and pos.size > 0 and pos.dtype == self.neg.dtype == np.float64

    @walk.lazy
    def single(self) -> bool:
        """Whether these are known to be whole rows of both classes, each of a score of its own."""
        return bool(
            self.whole and self.total == len(self.scores) and self.positives and self.negatives
        )

    @property
    def stacked(self) -> bool:
        """Whether these are replicates, some of them, of groups, some of them."""
        return not self.whole and self.pos.ndim > 1 and self.pos.size > 0

    @property
    def few(self) -> bool:
        """Whether this is one ranking of so few groups that a kernel need not share its work."""
        return self.plain and len(self.scores) <= _FEW

    @classmethod
    def of_whole(
        cls, scores: Floats, pos: Floats, neg: Floats, positives: float, negatives: float
    ) -> ScoreCounts:
        """Return the ranking of whole rows that a kernel counted, one or more at each score."""
        made = object.__new__(cls)
        made.__dict__.update(
            scores=scores, pos=pos, neg=neg, positives=np.float64(positives),
            negatives=np.float64(negatives), total=np.float64(positives + negatives), whole=True,
            plain=len(scores) > 0,
        )  # fmt: skip
        return made

    @classmethod
    def of_single(cls, scores: Floats, tp: Floats, fp: Floats) -> ScoreCounts:
        """Return the counts of whole rows, each at a score of its own, from cumulative counts.

        Rows at each score are made where they are asked for: of ten million tp tells the most.

        >>> tp, fp = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0])
        >>> r = ScoreCounts.of_single(np.array([0.1, 0.4]), tp, fp)
        >>> r.pos, r.neg
        (array([1., 0.]), array([0., 1.]))
        """
        made = object.__new__(cls)
        made.__dict__.update(
            scores=scores, cumulative_counts=(tp, fp), positives=tp[-1], negatives=fp[-1],
            total=np.float64(len(scores)), whole=True, plain=len(scores) > 0,
        )  # fmt: skip
        return made

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Make the rows of a class at each score of :meth:`of_single`."""
            if name not in ("pos", "neg") or "cumulative_counts" not in self.__dict__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            made = np.diff(self.cumulative_counts[name == "neg"])[::-1].copy()
            made.flags.writeable = False
            self.__dict__[name] = made
            return made

    def __getstate__(self) -> dict[str, Any]:
        """Return what it was made of: what metrics computed of it they compute again elsewhere."""
        return {k: v for k, v in self.__dict__.items() if k in _OWN}

    def rows_at(self, places: Any) -> Any:
        """Return the rows of both classes at some scores."""
        return np.float64(1.0) if self.single else self.pos[..., places] + self.neg[..., places]

    @walk.lazy
    def walked(self) -> walk.Walk:
        """What was added up along the scores, kept."""
        return walk.Walk(self)

    def added(self, part: walk.Part, **params: Any) -> NDArray[Any]:
        """Return the sum of a part over all groups: of what it gives for each stretch of them."""
        return self._over_all("sum", part, params)

    def most(self, part: walk.Part, **params: Any) -> NDArray[Any]:
        """Return the greatest of what a part gives for each stretch of groups."""
        return self._over_all("max", part, params)

    def _over_all(self, how: walk.How, part: walk.Part, params: dict[str, Any]) -> NDArray[Any]:
        known = walk.KERNELS.get(part)
        if known is not None and (self.plain or (self.stacked and part in walk.STACKED)):
            found = self.kept(known, **params)
            if found is not None:
                return found if isinstance(found, np.ndarray) else np.float64(found)  # type: ignore[return-value]
        return np.asarray(self.walked.get(how, part, params))

    def kept(self, made: Callable[..., V], **params: Any) -> V:
        """Return what a function makes of the ranking, made once."""
        known: dict[Any, Any] = self.__dict__.setdefault("_kept", {})
        key = (made, *params.items()) if params else made
        if key not in known:
            known[key] = made(self, **params)
        found: V = known[key]
        return found

    def first(self, reached: Callable[[Any, Any], Any]) -> NDArray[np.intp]:
        """Return the first threshold from +inf down, 0 to G, at which TP and FP reach something.

        ``reached`` tells it of arrays (..., m) of both, and is true ever after; G + 1 where it
        never is.
        """
        tp, fp = self.cumulative_counts
        size = tp.shape[-1]
        if self.long:
            low, high = 0, size
            while low < high:
                here = slice(middle := (low + high) // 2, middle + 1)
                low, high = (low, middle) if reached(tp[here], fp[here])[0] else (middle + 1, high)
            found: Any = np.intp(low)
        else:
            there = reached(tp, fp)
            if there.ndim > 1:
                return np.asarray(np.where(there.any(-1), there.argmax(-1), size))
            found = there.argmax()
            found = found if there[found] else np.intp(size)
        self.read_at(found)
        return found  # type: ignore[no-any-return]

    def read_at(self, place: Any) -> None:
        """Note that a number is read off at a threshold: see :class:`Watched`."""

    @walk.lazy
    def ends(self) -> tuple[Any, Any]:
        """The first and the last score that has rows, -1 where none has."""
        if self.whole:  # no group without a row
            return np.intp(0), np.intp(len(self.scores) - 1)
        (a, b), (c, d) = self.class_ends
        first = np.where((a < 0) | (c < 0), np.maximum(a, c), np.minimum(a, c))
        return first, np.maximum(b, d)

    @walk.lazy
    def class_ends(self) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        """The first and the last score that has rows of the positive class, and of the others."""
        if not (self.long and self.single):
            return walk.ends(self.pos), walk.ends(self.neg)
        size = len(self.scores)
        pos, neg = (size - np.searchsorted(top, [top[-1], 1.0]) for top in self.cumulative_counts)
        return (pos[0], pos[1]), (neg[0], neg[1])

    @walk.lazy
    def cumulative_counts(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """TP and FP at every threshold from +inf down: shape (..., G + 1)."""
        lead, size = self.pos.shape[:-1], len(self.scores)
        if not (self.plain or self.long or (lead and size)):
            return _from_top(self.pos), _from_top(self.neg)
        pos, neg = (
            np.ascontiguousarray(v, np.float64).reshape(-1, size) for v in (self.pos, self.neg)
        )
        tp, fp = (np.empty((len(pos), size + 1)) for _ in range(2))
        _kernels.cumulative_counts(pos, neg, tp, fp)
        tp.flags.writeable = fp.flags.writeable = False
        return tp.reshape(*lead, size + 1), fp.reshape(*lead, size + 1)

    def counts_by_threshold(self) -> Counts:
        """Return the four counts at every threshold from +inf down: shape (..., G + 1)."""
        tp, fp = self.cumulative_counts
        return Counts(tp=tp, fp=fp, fn=tp[..., -1:] - tp, tn=fp[..., -1:] - fp)

    @walk.lazy
    def log_odds(self) -> Floats:
        """Log odds of every score that is a probability, ln p/(1 - p): infinite of 0 and 1."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.log(self.scores) - np.log1p(-self.scores)
        found.flags.writeable = False  # metrics share it
        return found

    def thresholds(self) -> Floats:
        """Return the thresholds of :meth:`counts_by_threshold`: +inf, then falling scores."""
        return np.concatenate([[np.inf], self.scores[::-1]])

    @walk.lazy
    def pav(self) -> ScoreCounts:
        """Neighbouring scores put together until the share of positives rises with the score.

        That is isotonic calibration by pooling adjacent violators; its ROC curve is the convex
        hull of this one's. The counts of a block stand at its last score, with zeros before it.

        >>> r = ScoreCounts(np.array([0.1, 0.4, 0.9]), np.array([0.0, 2.0, 1.0]), np.ones(3)).pav
        >>> r.pos, r.neg
        (array([0., 0., 3.]), array([1., 0., 2.]))
        """
        width = len(self.scores)
        if not width:
            return self
        pos, neg = (
            np.array(v, dtype=np.float64, order="C").reshape(-1, width)
            for v in (self.pos, self.neg)
        )
        _kernels.pool(pos, neg)
        return ScoreCounts(self.scores, pos.reshape(self.pos.shape), neg.reshape(self.neg.shape))

    @walk.lazy
    def roc_convex_hull(self) -> ScoreCounts:
        """:attr:`pav` without the groups left empty.

        Of a stack of rankings the blocks of each stand side by side, from the lowest on, with
        zeros behind the last: its scores are their places.
        """
        if not len(self.scores):
            return self
        if not self.whole and self.pos.ndim > 1:
            lead = self.pos.shape[:-1]
            tables = (
                np.ascontiguousarray(v, np.float64).reshape(-1, len(self.scores))
                for v in (self.pos, self.neg)
            )
            width, *found = _kernels.hulls(*tables)
            pos, neg = (v.reshape(*lead, width) for v in found)
            return ScoreCounts(np.arange(float(width)), pos, neg)
        if self.of_few:
            out = np.empty((5, len(self.scores) + 1))
            blocks = _kernels.hull_few(self.scores, self.pos, self.neg, out)
            return _of_table(out, blocks, self.negatives, self.positives)
        if self.single:
            last, pos, neg = _kernels.hull(None, None, self.cumulative_counts[0])
        else:
            pos, neg = (np.ascontiguousarray(v, dtype=np.float64) for v in (self.pos, self.neg))
            last, pos, neg = _kernels.hull(
                pos, neg, *(self.cumulative_counts if self.whole else ())
            )
        if self.whole:  # sums of the same rows are the same
            sums = self.positives, self.negatives
            return ScoreCounts.of_whole(self.scores[last], pos, neg, *sums)  # type: ignore[arg-type]
        return ScoreCounts(self.scores[last], pos, neg)

    def at(self, threshold: float) -> Counts:
        """Return the four counts when scores at or above a threshold are called positive."""
        cut = int(np.searchsorted(self.scores, threshold, side="left"))
        if self.whole:
            tp, fp = (top[len(self.scores) - cut] for top in self.cumulative_counts)
        else:
            tp, fp = self.pos[..., cut:].sum(-1), self.neg[..., cut:].sum(-1)
        return Counts(tp=tp, fp=fp, fn=self.positives - tp, tn=self.negatives - fp)


class Watched(ScoreCounts):
    """Score counts that tell at which of their thresholds numbers were read off.

    >>> counts = np.array([0.0, 2.0, 1.0]), np.ones(3)
    >>> r = Watched.of(ScoreCounts(np.array([0.1, 0.4, 0.9]), *counts))
    >>> int(r.first(lambda tp, fp: tp >= 2)), r.places
    (2, {2})
    """

    places: set[int]

    @classmethod
    def of(cls, r: ScoreCounts) -> Watched:
        """Return a ranking, watched from now on: nothing is known of it yet but its sums."""
        made = object.__new__(cls)
        made.__dict__.update(
            **{name: r.__dict__[name] for name in ("pos", "neg") if name in r.__dict__},
            scores=r.scores, positives=r.positives, negatives=r.negatives,
            total=r.total, plain=r.plain, whole=r.whole, cumulative_counts=r.cumulative_counts,
            places=set(),
        )  # fmt: skip
        return made

    def read_at(self, place: Any) -> None:
        """Note it."""
        self.places.add(int(place))


def rank_few(y_true: Any, y_score: Any) -> tuple[tuple[Label, Label], ScoreCounts, Floats] | None:
    """Return classes, the ranking of 1 and its counts (2, G or more) of a few rows, or None.

    None where they are more, unusual or not in NumPy's own arrays. What a ranking computes when it
    is asked for, the kernel has counted on its way.
    """
    if type(y_true) is not np.ndarray or type(y_score) is not np.ndarray:
        return None
    if not 0 < y_score.size <= _FEW:
        return None
    out = np.empty((5, y_score.size + 1))
    found = _kernels.rank_few(y_true, y_score, out)
    if found is None:
        return None
    groups, other, others, ones = found
    made = _of_table(out, groups, np.float64(others), np.float64(ones))
    return (False, True) if y_true.dtype.kind == "b" else (other, 1), made, out[1:3]


def _of_table(out: Floats, groups: int, others: Any, ones: Any) -> ScoreCounts:
    """Return the ranking of whole rows in five lines of a table that a kernel filled."""
    out.flags.writeable = False
    scores, neg, pos = out[:3, :groups]
    fp, tp = out[3:, : groups + 1]
    made = ScoreCounts.of_whole(scores, pos, neg, ones, others)
    made.__dict__.update(cumulative_counts=(tp, fp), of_few=True)
    return made


def bins_of_few(r: ScoreCounts, bins: int, strategy: str) -> Floats:
    """Return :func:`tallymark.tally.along.bin_sums` of a ranking of :func:`rank_few`."""
    out = np.empty((5, bins))
    _kernels.bin_few(r.scores, r.pos, r.neg, strategy == "mass", out)
    return out


_FEW = 4096
"""The kernel's own limit of rows."""

_OWN = frozenset((
    "scores", "pos", "neg", "cumulative_counts", "positives", "negatives", "total", "whole",
    "plain", "of_few", "places",
))  # fmt: skip
"""What a ranking is pickled as."""


def _from_top(values: NDArray[Any]) -> NDArray[Any]:
    out = np.zeros((*values.shape[:-1], values.shape[-1] + 1), dtype=values.dtype)
    values[..., ::-1].cumsum(axis=-1, out=out[..., 1:])
    out.flags.writeable = False  # metrics share it
    return out
