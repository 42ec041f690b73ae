"""Tallies of scores: how many rows of each true class have each distinct score."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise
from operator import sub
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tallymark import _kernels
from tallymark.contract import ANY, checked, trusted
from tallymark.errors import InputError
from tallymark.tally.arrays import (
    Codes,
    Floats,
    Label,
    as_counts,
    as_scores,
    as_weights,
    code_labels,
    find_positive,
    is_masked,
    join_labels,
    kernel_integers,
    plain_label,
    to_numpy,
    whole_rows,
)
from tallymark.tally.bins import BinnedCounts, Bins, checked_highs, ends, group_scores
from tallymark.tally.labels import LabelTally, Missing
from tallymark.tally.merge import Tally, adds, agrees, axis, check, of_bins, rules_of
from tallymark.tally.occupied import MOST_DENSE_SCORES, OccupiedScores
from tallymark.tally.score_counts import ScoreCounts as ScoreCounts
from tallymark.tally.threads import side_by_side, threads_for

_FILL: dict[np.dtype[Any], Callable[..., None]] = {
    np.dtype("float64"): _kernels.fill_doubles,
    np.dtype("float32"): _kernels.fill_floats,
    np.dtype("int32"): _kernels.fill_integers,
    np.dtype("uint32"): _kernels.fill_naturals,
}
"""Inverse of the ranks of scores, by type."""

_WIDER = {np.dtype("float16"): np.dtype("float32")} | dict.fromkeys(
    map(np.dtype, ("bool", "int8", "uint8", "int16", "uint16")), np.dtype("int32")
)
"""Types that the kernels use for scores of few bits; 32 and 64 bits are ranked as they are."""


class PlainRows(NamedTuple):
    """Rows of two classes as kernels read them, which refuse labels that are neither of the two.

    ``codes`` are integer labels: ``lower`` or 1, of which the upper one may be the positive class.
    """

    codes: NDArray[Any]
    lower: int
    upper_positive: bool
    scores: NDArray[Any]
    labels: tuple[Label, ...]
    positive: Label


def plain_rows(
    y_true: Any, y_score: Any, positive: Label | None, *, floats: bool = False
) -> Iterator[PlainRows]:
    """Yield what the rows may be: labels of 0 and 1, or of -1 and 1; nothing for other arrays.

    Labels are integers or booleans, scores any numbers. No copies are made. Integers of 64 bits
    stay integers, or become ``floats``, which refuses those that a float cannot represent.
    """
    try:
        y_true = to_numpy(y_true, "y_true") if isinstance(y_true, list) else y_true
        y_score = to_numpy(y_score, "y_score") if isinstance(y_score, list) else y_score
    except InputError:
        return
    if not (isinstance(y_true, np.ndarray) and isinstance(y_score, np.ndarray)):
        return
    if is_masked(y_score) or y_score.dtype.kind not in "fiub" or not y_score.dtype.isnative:
        return
    if y_true.ndim != 1 or y_true.shape != y_score.shape or y_score.dtype.itemsize > 8:
        return
    if floats and y_score.dtype.kind in "iu" and y_score.dtype.itemsize == 8:
        y_score = as_scores(y_score, "y_score")
    codes = kernel_integers(y_true) if y_true.size else None
    if codes is None:
        return
    # The kernel refuses other labels than these as it goes: no pass of its own to look.
    pairs: tuple[tuple[Label, ...], ...] = ((0, 1), (-1, 1))
    for labels in ((False, True),) if y_true.dtype.kind == "b" else pairs:
        chosen = labels[1] if positive is None else positive
        if isinstance(chosen, str) or chosen not in labels:
            continue
        chosen = labels[labels.index(chosen)]  # 1 for True if the labels are 0 and 1
        yield PlainRows(codes, int(labels[0]), chosen == labels[1], y_score, labels, chosen)


@dataclass(frozen=True, slots=True, eq=False)
class SortedKeys:
    """Scores of two classes as sorted integer keys with the label in the lowest bit.

    ``keys`` are in buckets of increasing scores, which begin at ``starts``. The first ``lower`` of
    them contain the lower half of all ranks, whose highest bit is 0. ``scans`` has for each bucket
    the number of pairs of a positive and a negative row in which the negative scores lower, and not
    higher, the number of negative rows, and the number of distinct scores. ``kind`` is the type of
    the scores.
    """

    keys: NDArray[Any]
    starts: list[int]
    lower: int
    scans: list[tuple[int, int, int, int]]
    kind: np.dtype[Any]
    labels: tuple[Label, ...]
    positive: Label

    @classmethod
    def of(
        cls, y_true: Any, y_score: Any, positive: Label | None, *, floats: bool = False
    ) -> SortedKeys | None:
        """Return labels and scores as sorted keys, None if that is impossible: :func:`plain_rows`.

        Integers of 64 bits are ranked as integers, or as ``floats``, which refuses those that a
        float cannot represent.
        """
        for rows in plain_rows(y_true, y_score, positive, floats=floats):
            result = cls.sort(*rows)
            if result is not None:
                return result
        return None

    @classmethod
    def sort(
        cls,
        codes: NDArray[Any],
        lower: int,
        upper_positive: bool,
        scores: NDArray[Any],
        labels: tuple[Label, ...],
        positive: Label,
    ) -> SortedKeys | None:
        """Return sorted keys of codes and finite scores, None for other rows.

        Codes are ``lower`` or one other.
        """
        scores, keys, signed = _unsorted(scores)
        parts = _kernels.partition(np.ascontiguousarray(codes), lower, upper_positive, scores, keys)
        if parts is None:
            return None
        starts, lower_half = parts
        buckets = list(pairwise(starts))
        scans = [(0, 0, 0, 0)] * len(buckets)

        def sort(i: int) -> None:
            bucket = slice(*buckets[i])
            signed[bucket].sort()
            scans[i] = _kernels.scan(keys[bucket])  # while it is in the cache

        side_by_side(sort, len(buckets), threads_for(len(keys)))
        return cls(keys, starts, lower_half, scans, scores.dtype, labels, positive)

    def fields(self) -> dict[str, Any]:
        """Return the fields of a ScoreTally of these rows."""
        places = [0, *accumulate(groups for *_, groups in self.scans)]
        scores, counts = np.empty(places[-1]), np.empty((2, places[-1]))

        def fill(i: int) -> None:
            bucket, to = slice(*self.starts[i : i + 2]), slice(*places[i : i + 2])
            _FILL[self.kind](self.keys[bucket], i >= self.lower, scores[to], *counts[:, to])

        side_by_side(fill, len(self.scans), threads_for(len(self.keys)))
        if self.positive == self.labels[0]:
            counts = np.ascontiguousarray(counts[::-1])
        scores.flags.writeable = counts.flags.writeable = False
        # The counts of a class are contiguous, since metrics read one class at a time.
        return {
            "labels": self.labels,
            "positive": self.positive,
            "scores": scores,
            "counts": counts.T,
            "rows": len(self.keys),
        }

    def concordance(self) -> tuple[int, int, int, int]:
        """Return the pairs with the negative lower, and not higher; positives; negatives."""
        lower = not_higher = negatives = 0
        for rows, (less, not_more, others, _) in zip(
            map(sub, self.starts[1:], self.starts), self.scans, strict=True
        ):
            between = (rows - others) * negatives  # with the negatives of lower buckets
            lower += less + between
            not_higher += not_more + between
            negatives += others
        return lower, not_higher, len(self.keys) - negatives, negatives


def _unsorted(scores: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return scores of a type that kernels read, and room for their keys, also as signed ones."""
    scores = np.ascontiguousarray(scores, dtype=_WIDER.get(scores.dtype, scores.dtype))
    keys = np.empty(len(scores), dtype=np.uint64 if scores.itemsize == 8 else np.uint32)
    return scores, keys, keys.view(np.int64 if keys.itemsize == 8 else np.int32)


def weighted_concordance(
    y_true: Any, y_score: Any, positive: Label | None, sample_weight: Any
) -> tuple[float, float, float, float] | None:
    """Return what :meth:`SortedKeys.concordance` does of rows with weights, or None.

    >>> weighted_concordance([0, 1, 1], [0.2, 0.2, 0.9], 1, [2, 3, 0.5])
    (1.0, 7.0, 3.5, 2.0)
    """
    for rows in plain_rows(y_true, y_score, positive, floats=True):
        weights = as_weights(sample_weight, "sample_weight")
        if weights is None or weights.shape != rows.scores.shape:
            return None
        result = _weights_of_pairs(rows, weights)
        if result is not None:
            return result
    return None


def _weights_of_pairs(rows: PlainRows, weights: Floats) -> tuple[float, float, float, float] | None:
    scores, keys, signed = _unsorted(rows.scores)
    of_keys = np.empty(len(keys))
    codes = np.ascontiguousarray(rows.codes)
    parts = _kernels.partition(
        codes, rows.lower, rows.upper_positive, scores, keys, weights, of_keys
    )
    if parts is None:
        return None
    buckets = [slice(*ends) for ends in pairwise(parts[0])]
    scans = np.empty((len(buckets), 4))

    def scan(i: int) -> None:
        bucket = buckets[i]
        order = signed[bucket].argsort()
        scans[i] = _kernels.scan_weighted(keys[bucket][order], of_keys[bucket][order])

    side_by_side(scan, len(buckets), threads_for(len(keys)))
    less, not_more, positives, negatives = scans.T
    between = positives * (negatives.cumsum() - negatives)  # with the negatives of lower buckets
    sums = (less + between, not_more + between, positives, negatives)
    lower, not_higher, p, n = (float(v.sum()) for v in sums)
    return lower, not_higher, p, n


@checked
@dataclass(frozen=True, eq=False, repr=False)
class ScoreTally(Tally):
    """Counts ``[distinct score, true class]`` of rows.

    ``scores`` (G,) are ascending and distinct, without NaN, and with 0.0 for -0.0; ``counts`` (G,
    K) are in the order of ``labels``. ``positive`` is the class whose score this is.
    ``sum_squared_weights`` are as in LabelTally. Tallies are added without loss. Of more than two
    classes and a million cells, ``counts`` holds the occupied cells alone
    (:class:`~tallymark.tally.occupied.OccupiedScores`); ``np.asarray(counts)`` is the whole array.

    If there are more distinct scores than fit into memory, the scores in one of the ``bins`` are
    merged: ``scores`` are then the lowest score of each bin and ``highs`` the highest. Counts at
    these thresholds are exact.

    >>> t = ScoreTally.from_arrays([0, 1, 1, 0], [0.1, 0.8, 0.8, 0.8])
    >>> t.scores, t.counts
    (array([0.1, 0.8]), array([[1., 0.],
           [1., 2.]]))
    """

    _kind: ClassVar[str] = "score-tally"
    _neighbours_alike: ClassVar[bool] = True
    """Whether rows of neighbouring scores change a number similarly."""
    labels: tuple[Label, ...] = field(metadata=axis())
    positive: Label = field(metadata=agrees())
    scores: Floats = field(metadata=axis())
    counts: Floats = field(metadata=adds("scores", "labels"))
    sum_squared_weights: Floats | None = field(
        default=None, metadata=adds("scores", "labels", lacking="counts")
    )
    rows: int = field(default=-1, metadata=adds())
    highs: Floats | None = field(default=None, metadata=of_bins())
    bins: Bins | None = field(default=None, metadata=of_bins(lambda data: Bins(**data)))

    def __post_init__(self) -> None:
        scores = _without_minus_zero(self.scores)
        rising = scores.ndim == 1 and bool((scores[1:] > scores[:-1]).all())
        if not rising or not np.isfinite(scores[[0, -1][: len(scores)]]).all():
            raise InputError("scores of a tally must be finite, distinct and ascending")
        scores.flags.writeable = False
        object.__setattr__(self, "scores", scores)
        many = len(self.labels) > 2 and len(self.labels) * len(scores) > MOST_DENSE_SCORES
        for name in ("counts", "sum_squared_weights"):
            values: Any = getattr(self, name)
            if isinstance(values, OccupiedScores):
                if not many:
                    object.__setattr__(self, name, np.asarray(values))
            elif many and np.shape(values) == (len(scores), len(self.labels)):
                object.__setattr__(self, name, OccupiedScores.of(values))
        check(self)
        if self.positive not in self.labels:
            raise InputError(
                f"the positive class {self.positive!r} is not among {list(self.labels)}; name both"
            )
        object.__setattr__(self, "highs", checked_highs(scores, self.highs, self.bins))

    def _facts(self) -> Iterator[tuple[str, bool]]:
        yield from super()._facts()
        yield "labels", type(self.positive) is type(self.labels[0])

    @classmethod
    def _empty(cls, labels: Sequence[Label] = (0, 1), positive: Label = 1) -> Self:
        """Return the tally of no rows, where sums start."""
        return cls(tuple(labels), positive, np.empty(0), np.empty((0, len(labels))))

    @classmethod
    def from_arrays(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        positive: Label | None = None,
        labels: Sequence[Label] | None = None,
        sample_weight: Any = None,
        missing: Missing = "error",
        first_row: int | None = None,
    ) -> Self:
        """Count rows of true labels and scores.

        Parameters
        ----------
        y_true : array of n labels
        y_score : array of n numbers
            The score of the positive class; higher means more likely positive.
        positive : label, optional
            The class whose score this is. Not needed for {0, 1}, {False, True} and {-1, 1}.
        labels : sequence, optional
            The classes in the desired order; by default all that occur, sorted.
        sample_weight, missing, first_row
            As in :meth:`LabelTally.from_arrays`.

        Raises
        ------
        InputError
            Lengths that differ, missing or infinite values, an ambiguous positive class.

        """
        if sample_weight is None and labels is None:
            tally = cls._of_plain(y_true, y_score, positive)
            if tally is not None:
                return tally
        options: dict[str, Any] = {
            "y_true": code_labels(y_true, "y_true", first_row),
            "y_score": as_scores(y_score, "y_score", first_row),
        }
        rows, weights = whole_rows(options, sample_weight, missing, first_row)
        true, scores = {"y_true": rows["y_true"]}, rows["y_score"]
        names, _ = join_labels(true, labels)
        label = find_positive(names, positive)
        names, (codes,) = join_labels(true, with_opposite(names, label))
        if weights is None and len(names) == 2:
            keys = SortedKeys.sort(codes, 0, names.index(label) == 1, scores, names, label)
            assert keys is not None
            return cls._unchecked(**keys.fields())
        squares = None if weights is None else weights**2
        return cls._of_codes(names, label, codes, scores, weights, squares, len(scores))

    @classmethod
    @trusted
    def _of_codes(
        cls,
        labels: tuple[Label, ...],
        positive: Label,
        codes: Codes,
        scores: Floats,
        weights: Floats | None,
        squares: Floats | None,
        rows: int,
    ) -> Self:
        """Return the tally of rows by score and class; lines may stand for ``rows`` in all."""
        codes, classes = np.ascontiguousarray(codes, np.int64), len(labels)
        if classes > 2 and classes * len(scores) > MOST_DENSE_SCORES:
            both = [weights, *([] if squares is None else [squares])]
            cells: Any = OccupiedScores.of_rows(scores, codes, classes, both)
            distinct, counts, squared = (*cells, None)[:3]
            return cls(labels, positive, distinct, counts, squared, rows)
        given = (None if v is None else _doubles(v) for v in (weights, squares))
        distinct, counts, squared = _kernels.group_rows(_doubles(scores), codes, classes, *given)
        for column in (counts, squared):
            if column is not None:
                column.flags.writeable = False  # the tally keeps it without a copy
        # The counts of a class are contiguous, since metrics read one class at a time.
        by_score = None if squared is None else squared.reshape(classes, -1).T
        return cls(labels, positive, distinct, counts.reshape(classes, -1).T, by_score, rows)

    @classmethod
    @trusted
    def _of_plain(cls, y_true: Any, y_score: Any, positive: Label | None) -> Self | None:
        """Return the tally of plain arrays by a kernel that checks each row, or None.

        It can count labels of 0 and 1, -1 and 1 or booleans, if no score is missing.
        """
        keys = SortedKeys.of(y_true, y_score, positive, floats=True)
        return None if keys is None else cls._unchecked(**keys.fields())

    @classmethod
    @checked(score=ANY)
    def from_counts(
        cls,
        score: Any,
        pos: Any,
        neg: Any,
        *,
        labels: Sequence[Label] = (0, 1),
        positive: Label = 1,
    ) -> Self:
        """Return the tally of counts computed elsewhere: one line for each score, in any order.

        >>> ScoreTally.from_counts([0.9, 0.2], pos=[8, 1], neg=[2, 9]).rows
        20
        """
        names = tuple(plain_label(label) for label in labels)
        if len(names) != 2:
            raise InputError(f"labels names {len(names)} classes; pos and neg are counts of two")
        label = find_positive(names, positive)
        scores = as_scores(score, "score")
        columns = {"pos": as_counts(pos, "pos"), "neg": as_counts(neg, "neg")}
        whole_rows({"score": scores, **columns}, None, "error")
        at = names.index(label)
        counts = np.concatenate([columns["pos"], columns["neg"]])
        codes = np.repeat(np.array([at, 1 - at], dtype=np.intp), len(scores))
        return cls._of_codes(names, label, codes, np.tile(scores, 2), counts, None, -1)

    @classmethod
    @trusted
    def _from_bins(cls, counted: BinnedCounts, positive: Label) -> Self:
        """Return the tally of rows counted in bins."""
        return cls(positive=positive, **counted.filled())

    @property
    def _highest(self) -> float:
        """The highest score of all rows."""
        return float((self.scores if self.highs is None else self.highs)[-1])

    @trusted
    def binned(self, wanted: Bins) -> ScoreTally:
        """Return the same rows counted in bins."""
        counted = BinnedCounts(wanted, self.labels, self.sum_squared_weights is not None)
        counted.add_tally(self)
        return self._from_bins(counted, self.positive)

    def ends(self) -> tuple[ScoreTally, ScoreTally]:
        """Return two exact tallies that are the extremes of the rows counted in bins.

        In the first, every row of the positive class has the lowest score of its bin and all others
        the highest, which is the worst possible order within the bins. In the second it is the
        opposite.
        """
        return self._ends

    @cached_property
    def _ends(self) -> tuple[ScoreTally, ScoreTally]:
        return ends(self)

    @cached_property
    def _score_counts(self) -> ScoreCounts:
        """The positive class against the rest."""
        return ScoreCounts(self.scores, *map(np.ascontiguousarray, self._split(self.counts)))

    @cached_property
    def _squared_score_counts(self) -> ScoreCounts | None:
        """The sums of squared weights of the positive class and the rest, or None."""
        squares = self.sum_squared_weights
        return None if squares is None else ScoreCounts(self.scores, *self._split(squares))

    @trusted
    def _split(self, values: Floats) -> tuple[Floats, Floats]:
        """Return columns of the positive class and of the rest, from values (G, K)."""
        i = self.labels.index(self.positive)
        if len(self.labels) == 2:
            return values[:, i], values[:, 1 - i]
        if isinstance(values, OccupiedScores):
            return values[:, i], values.rest(i)
        return values[:, i], np.delete(values, i, axis=1).sum(1)

    @trusted
    def _without_cache(self) -> Self:
        """Return the same tally, which caches its own results."""
        return self._unchecked(**{name: getattr(self, name) for name in rules_of(type(self))})

    @trusted
    def _pairs_with(self, others: Sequence[int], values: Floats) -> Iterator[ScoreCounts]:
        """Yield the positive class against each of some others, from values (G, K)."""
        own = self.labels.index(self.positive)
        if isinstance(values, OccupiedScores):
            for places, pos, neg in values.pairs(own, others):
                yield ScoreCounts(self.scores[places], pos, neg)
        else:
            yield from (ScoreCounts(self.scores, values[:, own], values[:, k]) for k in others)

    def at(self, threshold: float) -> LabelTally:
        """Return the decisions with scores at or above a threshold positive; two classes only."""
        if len(self.labels) != 2:
            raise InputError(
                f"a threshold decides between two classes and this tally has {len(self.labels)}"
            )
        if np.isnan(threshold):
            raise InputError("threshold is NaN; give a number, or inf to call no row positive")
        i = self.labels.index(self.positive)
        flip = 1 if i else -1
        counts, squares = (
            None if r is None else r.at(threshold).matrix()[::flip, ::flip]
            for r in (self._score_counts, self._squared_score_counts)
        )
        assert counts is not None
        return LabelTally(self.labels, counts, squares, self.rows)

    @trusted
    def _coarse(
        self,
        groups: int = 800,
        around: tuple[int, ...] = (),
        *,
        lowest: bool = False,
    ) -> ScoreTally:
        """Return at most about so many groups of scores, with detail in every class.

        Half of the cuts are at equal shares of the positives and half at equal shares of the
        others, so that a rare class is never merged into one group. The score of a group is the
        mean of its rows, or the ``lowest`` score, which as a threshold predicts them all positive.

        More cuts, finer than the sampling error of the counts, are placed ``around`` thresholds,
        given as indices of :attr:`ScoreCounts._cumulative_counts`: without them, a metric that is
        read there would jump from group to group.
        """
        if len(self.scores) <= groups:
            return self
        key = groups, around, lowest
        if key not in self._grouped:
            self._grouped[key] = group_scores(self, *key)
        return self._grouped[key]

    @cached_property
    def _grouped(self) -> dict[Any, ScoreTally]:
        return {}  # cache: intervals, choices and advice use the same result

    @trusted
    def _starts(self, groups: int = 800) -> NDArray[np.intp]:
        """Return the starts of about so many groups of neighbouring scores, for :meth:`_coarse`.

        Groups without weight are omitted: their rows belong to the group before.
        """
        return np.searchsorted(self.scores, self._coarse(groups, lowest=True).scores)


def _doubles(values: Floats) -> Floats:
    """Return values as the kernels read them."""
    return np.ascontiguousarray(values, np.float64)


def _without_minus_zero(values: Any) -> Floats:
    """Return ascending scores with 0.0 for -0.0: as they are if nobody can write to them."""
    scores = np.asarray(values, dtype=np.float64)
    private = scores.base is None and not scores.flags.writeable and scores.ndim == 1
    at_zero = np.searchsorted(scores, 0.0) if private else 0
    if private and not np.signbit(scores[at_zero : at_zero + 1]).any():
        return scores
    return scores + 0.0


def with_opposite(names: Sequence[Label], positive: Label) -> tuple[Label, ...]:
    """Return the classes, completed to two if fewer occurred.

    >>> with_opposite((0,), 1), with_opposite(("yes",), "yes")
    ((0, 1), ('not yes', 'yes'))
    """
    if len(names) > 1 and positive in names:
        return tuple(names)
    other: Label
    if len(names) == 1 and names[0] != positive:
        other = names[0]
    elif isinstance(positive, str):
        other = f"not {positive}"
    elif isinstance(positive, bool):
        other = not positive
    else:
        other = 0 if positive else 1
    return tuple(sorted((other, positive)))
