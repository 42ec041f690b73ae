"""Tallies of scores: how many rows of each true class have each distinct score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tallymark import _kernels
from tallymark.errors import InputError
from tallymark.tally import bins, store
from tallymark.tally.arrays import (
    Coded,
    Floats,
    Label,
    as_scores,
    as_weights,
    code_labels,
    find_positive,
    is_one,
    join_labels,
    keep_complete,
    plain_label,
    same_length,
)
from tallymark.tally.bins import Bins
from tallymark.tally.keys import SortedKeys
from tallymark.tally.labels import LabelTally, Missing, merged_labels
from tallymark.tally.ranking import Ranking as Ranking
from tallymark.tally.ranking import rank_few


@dataclass(frozen=True, eq=False)
class ScoreTally:
    """Counts ``[distinct score, true class]`` of the rows seen.

    ``scores`` (G,) are ascending and distinct, without NaN, -0.0 made 0.0; ``counts`` (G, K) in
    the order of ``labels``. ``positive`` is the class whose score this is. ``squares`` as in
    LabelTally. Tallies add without loss.

    Of more distinct scores than memory holds, those of one of ``bins`` stand together: ``scores``
    are then the lowest of each bin and ``highs`` the highest. Counts at those thresholds are exact.

    >>> t = ScoreTally.from_arrays([0, 1, 1, 0], [0.1, 0.8, 0.8, 0.8])
    >>> t.scores, t.counts
    (array([0.1, 0.8]), array([[1., 0.],
           [1., 2.]]))
    """

    labels: tuple[Label, ...]
    positive: Label
    scores: Floats
    counts: Floats
    squares: Floats | None = None
    rows: int = -1
    highs: Floats | None = field(default=None, metadata=store.OPTIONAL)
    bins: Bins | None = field(default=None, metadata=store.OPTIONAL)

    def __post_init__(self) -> None:
        labels = tuple(self.labels)
        if len(set(labels)) < len(labels):
            raise InputError(f"labels names a class twice: {list(labels)}")
        scores = _without_minus_zero(self.scores)
        rising = scores.ndim == 1 and bool((scores[1:] > scores[:-1]).all())
        if not rising or not np.isfinite(scores[[0, -1][: len(scores)]]).all():
            raise InputError("scores of a tally must be finite, distinct and ascending")
        if self.positive not in labels:
            raise InputError(f"the positive class {self.positive!r} is not among {list(labels)}")
        scores.flags.writeable = False
        shape = (len(scores), len(labels))
        counts = store.counts_array(self.counts, shape, "counts")
        squares = self.squares
        if squares is not None:
            squares = store.counts_array(squares, shape, "squares")
        rows = int(counts.sum()) if self.rows < 0 else self.rows
        highs, laid = bins.checked(scores, self.highs, self.bins)
        for name, value in (
            ("labels", labels), ("scores", scores), ("counts", counts),
            ("squares", squares), ("rows", rows), ("highs", highs), ("bins", laid),
        ):  # fmt: skip
            object.__setattr__(self, name, value)

    @classmethod
    def empty(cls, labels: Sequence[Label] = (0, 1), positive: Label = 1) -> Self:
        """Return the tally of no rows: what sums start from."""
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
            The classes in the order wanted; by default all that occur, sorted.
        sample_weight, missing, first_row
            As in :meth:`LabelTally.from_arrays`.

        Raises
        ------
        InputError
            Lengths that differ, missing or infinite values, an ambiguous positive class.

        """
        if sample_weight is None and labels is None:
            few = rank_few(y_true, y_score) if positive is None or is_one(positive) else None
            if few is not None:
                return cls.of_few(*few, len(y_true))
            sorted_keys = SortedKeys.of(y_true, y_score, positive)
            if sorted_keys is not None:
                return cls(*sorted_keys.groups(), None, len(sorted_keys.keys))
        true = code_labels(y_true, "y_true", first_row)
        scores = as_scores(y_score, "y_score", first_row)
        weights = as_weights(sample_weight, "sample_weight", first_row)
        same_length(y_true=true.codes, y_score=scores, sample_weight=weights)
        keep = keep_complete({"y_true": true, "y_score": scores}, missing, first_row)
        names, (codes,) = join_labels({"y_true": true}, labels)
        names, codes, label = with_positive(names, codes, positive)
        if keep is not None:
            codes, scores = codes[keep], scores[keep]
            weights = None if weights is None else weights[keep]
        if weights is None and len(names) == 2:
            return cls(
                *SortedKeys.pack(codes, names.index(label), scores, names, label).groups(),
                None, len(scores),
            )  # fmt: skip
        return cls(names, label, *_group(codes, scores, weights, len(names)), len(scores))

    @classmethod
    def of_few(
        cls, labels: tuple[Label, Label], ranking: Ranking, counts: Floats, rows: int
    ) -> Self:
        """Return the tally of a ranking that a kernel made, which needs no check."""
        made = object.__new__(cls)
        made.__dict__.update(
            labels=labels, positive=labels[1], scores=ranking.scores, squares=None, rows=rows,
            counts=counts[:, : len(ranking.scores)].T, highs=None, bins=None, _ranking=ranking,
        )  # fmt: skip
        return made

    @classmethod
    def from_counts(
        cls,
        score: Any,
        pos: Any,
        neg: Any,
        *,
        labels: Sequence[Label] = (0, 1),
        positive: Label = 1,
    ) -> Self:
        """Make a tally of counts made elsewhere: one line for each score, in any order.

        >>> ScoreTally.from_counts([0.9, 0.2], pos=[8, 1], neg=[2, 9]).rows
        20
        """
        names = tuple(plain_label(label) for label in labels)
        if len(names) != 2:
            raise InputError(f"labels names {len(names)} classes; pos and neg are counts of two")
        label = find_positive(names, positive)
        scores = as_scores(score, "score")
        columns = {"pos": as_weights(pos, "pos"), "neg": as_weights(neg, "neg")}
        same_length(score=scores, **columns)
        keep_complete({"score": scores}, "error")
        for name, n in columns.items():
            assert n is not None
            if (n != np.trunc(n)).any():
                i = int(np.argmax(n != np.trunc(n)))
                raise InputError(f"{name} is {n[i]:.6g} at index {i}; counts are whole numbers")
        at = names.index(label)
        weights = np.concatenate([columns["pos"], columns["neg"]])
        codes = np.repeat(np.array([at, 1 - at], dtype=np.intp), len(scores))
        distinct, counts, _ = _group(codes, np.concatenate([scores, scores]), weights, 2)
        return cls(names, label, distinct, counts)

    @classmethod
    def from_table(
        cls,
        data: Any,
        *,
        truth: str | None = None,
        score: str | None = None,
        positive: Label | None = None,
        weight: str | None = None,
        labels: Sequence[Label] | None = None,
        missing: Missing = "error",
    ) -> Self:
        """Count one score column of a frame or file: by name, or found by its usual name.

        A table of counts already made has the columns ``score, pos, neg``.

        >>> t = ScoreTally.from_table("examples/breast_cancer.csv", truth="diagnosis",
        ...                           score="forest", positive="malignant")
        >>> t.rows
        569
        """
        from tallymark.tally.tables import FrameTable, find_roles, open_table, table_is_lazy

        table = open_table(data)
        roles = find_roles(table.columns, truth=truth, score=score, weight=weight)
        if len(roles.scores) != 1:
            told = ", ".join(repr(c) for c, _ in roles.scores) or "none"
            raise InputError(
                f"{table.name} has not one score column but {told}; say which with score=..."
            )
        ((column, _),) = roles.scores
        if table_is_lazy(table) and not roles.pos_neg:
            from tallymark.tally.pushed import score_tally

            assert isinstance(table, FrameTable)
            return score_tally(cls, table, roles, positive=positive, labels=labels, missing=missing)
        total: ScoreTally | None = None
        columns = [roles.truth] if roles.truth else []
        extra = [column, *(roles.pos_neg or ()), *([roles.weight] if roles.weight else [])]
        for chunk in table.chunks(columns, extra):
            scores = as_scores(chunk.numbers[column], column, chunk.first_row)
            if roles.pos_neg:
                made = cls.from_counts(scores, *(chunk.numbers[c] for c in roles.pos_neg))
            else:
                true = chunk.labels[roles.truth]
                whole: dict[str, Coded | Floats] = {roles.truth: true, column: scores}
                keep = keep_complete(whole, missing, chunk.first_row)
                rows = slice(None) if keep is None else keep
                weights = as_weights(
                    chunk.numbers.get(roles.weight or ""), roles.weight or "", chunk.first_row
                )
                made = cls.from_arrays(
                    Coded(true.codes[rows], true.labels),
                    scores[rows],
                    positive=positive,
                    labels=labels,
                    sample_weight=None if weights is None else weights[rows],
                )
            total = made if total is None else total + made
        if total is None:
            raise InputError(f"{table.name} holds no row to count; give at least one")
        return cls(
            total.labels, total.positive, total.scores, total.counts, total.squares, total.rows
        )

    def __add__(self, other: object) -> ScoreTally:
        if not isinstance(other, ScoreTally):
            return NotImplemented
        if not self.rows or not other.rows:
            rest, full = (self, other) if not self.rows else (other, self)
            if full.rows and set(rest.labels) <= set(full.labels):
                return full
        if self.positive != other.positive:
            raise InputError(
                f"one tally scores the class {self.positive!r} and the other "
                f"{other.positive!r}; they do not add up"
            )
        labels = merged_labels(self.labels, other.labels)
        if self.bins is not None or other.bins is not None:
            return bins.added(self, other, labels)
        a, b = self.reorder(labels), other.reorder(labels)
        scores, counts = _merged(a.scores, a.counts, b.scores, b.counts)
        squares = None
        if a.squares is not None or b.squares is not None:
            left, right = (t.counts if t.squares is None else t.squares for t in (a, b))
            _, squares = _merged(a.scores, left, b.scores, right)
        rows = self.rows + other.rows
        return ScoreTally(labels, self.positive, scores, counts, squares, rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoreTally):
            return NotImplemented
        return (
            (self.labels, self.positive, self.rows) == (other.labels, other.positive, other.rows)
            and np.array_equal(self.scores, other.scores)
            and np.array_equal(self.counts, other.counts)
            and store.same(self.squares, other.squares)
            and store.same(self.highs, other.highs)
            and self.bins == other.bins
        )

    __hash__ = None  # type: ignore[assignment]

    def reorder(self, labels: Sequence[Label]) -> ScoreTally:
        """Return the same counts with the classes in another order, new ones with zero rows."""
        labels = tuple(labels)
        if labels == self.labels:
            return self
        for label in self.labels:
            if label not in labels:
                raise InputError(f"the class {label!r} of the tally is not among {list(labels)}")
        place = [labels.index(label) for label in self.labels]

        def put(values: Floats) -> Floats:
            full = np.zeros((len(values), len(labels)))
            full[:, place] = values
            return full

        squares = None if self.squares is None else put(self.squares)
        return replace(self, labels=labels, counts=put(self.counts), squares=squares)

    @property
    def highest(self) -> float:
        """The highest score of all rows."""
        return float((self.scores if self.highs is None else self.highs)[-1])

    def binned(self, wanted: Bins) -> ScoreTally:
        """Return the same rows counted in bins."""
        return bins.added(self, None, self.labels, wanted)

    def ends(self) -> tuple[ScoreTally, ScoreTally]:
        """Return two exact tallies between which the rows counted in bins must lie.

        In the first, every row of the positive class has the lowest score of its bin and all others
        the highest: no order within the bins is worse. In the second it is the other way round.
        """
        return self._ends

    @cached_property
    def _ends(self) -> tuple[ScoreTally, ScoreTally]:
        return bins.ends(self)

    def ranking(self) -> Ranking:
        """Return the positive class against the rest."""
        return self._ranking

    @cached_property
    def _ranking(self) -> Ranking:
        return Ranking(self.scores, *map(np.ascontiguousarray, self._split(self.counts)))

    def ranking_squares(self) -> Ranking | None:
        """Return the sums of squared weights of the positive class and the rest, or None."""
        return None if self.squares is None else Ranking(self.scores, *self._split(self.squares))

    def _split(self, values: Floats) -> tuple[Floats, Floats]:
        i = self.labels.index(self.positive)
        if len(self.labels) == 2:
            return values[:, i], values[:, 1 - i]
        return values[:, i], np.delete(values, i, axis=1).sum(1)

    def at(self, threshold: float) -> LabelTally:
        """Call scores at or above a threshold positive; two classes only."""
        if len(self.labels) != 2:
            raise InputError(
                f"a threshold decides between two classes and this tally has {len(self.labels)}"
            )
        if np.isnan(threshold):
            raise InputError("threshold is NaN; give a number, or inf to call no row positive")
        cut = int(np.searchsorted(self.scores, threshold, side="left"))
        i = self.labels.index(self.positive)

        def table(values: Floats) -> Floats:
            full = np.empty((2, 2))
            full[:, i] = values[cut:].sum(0)
            full[:, 1 - i] = values[:cut].sum(0)
            return full

        squares = None if self.squares is None else table(self.squares)
        return LabelTally(self.labels, table(self.counts), squares, self.rows)

    def coarse(
        self, groups: int = 800, cut: float | None = None, around: tuple[int, ...] = ()
    ) -> ScoreTally:
        """Return at most about so many groups, for resampling; every class keeps its detail.

        Half of the cuts are laid at equal shares of the positives and half of the others, so
        that a rare class is never lost in one group. A group's score is its rows' mean. No group
        holds scores on both sides of ``cut``, so that decisions made there stay what they are.
        More cuts, finer than chance moves the counts, are laid ``around`` thresholds, places of
        :meth:`Ranking.from_top`: what is read off there would else jump from group to group.
        """
        if len(self.scores) <= groups:
            return self
        if (groups, cut, around) not in self._coarse:
            self._coarse[groups, cut, around] = self._made_coarse(groups, cut, around)
        return self._coarse[groups, cut, around]

    @cached_property
    def _coarse(self) -> dict[Any, ScoreTally]:
        return {}  # intervals, choices and advice ask for the same one

    def starts(self, groups: int = 800, cut: float | None = None) -> NDArray[np.intp]:
        """Return where at most about so many groups of neighbouring scores start: :meth:`coarse`'s.

        Groups without weight are left out: the rows of one belong to the group before.
        """
        if len(self.scores) <= groups:
            return np.arange(len(self.scores))
        starts = self._cut(groups, cut)
        return np.asarray(starts[self._grouped(starts)[0].sum(1) > 0])

    def _cut(self, groups: int, cut: float | None, around: Sequence[int] = ()) -> NDArray[np.intp]:
        """Return :meth:`starts` with those of groups without weight."""
        if self.squares is None:
            cuts = [_of_top(v, groups // 2) + 1 for v in self.ranking().from_top()]
        else:
            cuts = [_at_shares(v, groups // 2) + 1 for v in self._split(self.counts)]
        if cut is not None:
            cuts.append(np.searchsorted(self.scores, [cut]))
        cuts += [self._near(place) for place in around]
        starts = np.unique(np.concatenate([[0], *cuts]))
        return np.asarray(starts[starts < len(self.scores)])

    def _near(self, place: int) -> NDArray[np.intp]:
        """Return starts of groups about a threshold, in steps of its counts' standard errors."""
        size = len(self.scores)
        place = min(place, size)
        squares, found = self.ranking_squares(), [np.array([place])]
        of_weights = (None, None) if squares is None else (squares.positives, squares.negatives)
        for top, second in zip(self.ranking().from_top(), of_weights, strict=True):
            each = 1.0 if second is None else float(second) / max(float(top[-1]), 1e-300)
            rows = top[place] / each * (1 - top[place] / max(float(top[-1]), 1e-300))
            steps = top[place] + _ERRORS_NEAR * (each * math.sqrt(max(rows, 1.0)))
            found.append(np.searchsorted(top, steps))
        return np.asarray(size - np.minimum(np.concatenate(found), size))

    def _grouped(self, starts: NDArray[np.intp], unit: float = 1.0) -> tuple[Floats, Floats]:
        """Return the counts of groups of neighbouring scores, and sums of scores / unit.

        Whole counts have one sum. That of weights hangs on the order they are added up in, and the
        draws of groups of equal weight on its last digit: there the order is NumPy's.
        """
        if self.squares is not None:
            each = self.counts.sum(1)
            each *= self.scores / unit
            return np.add.reduceat(self.counts, starts, axis=0), np.add.reduceat(each, starts)
        columns = [np.ascontiguousarray(c) for c in self.counts.T]
        out = np.empty((len(columns) + 1, len(starts)))
        _kernels.add_groups(self.scores, columns, starts.astype(np.int64), unit, out)
        return out[:-1].T, out[-1]

    def _made_coarse(self, groups: int, cut: float | None, around: Sequence[int]) -> ScoreTally:
        starts = self._cut(groups, cut, around)
        # Means of scores within 1, so that no sum overflows, and never outside their own group:
        # rounding must not let two groups meet or change places.
        unit = float(max(-self.scores[0], self.scores[-1])) or 1.0
        counts, weighted = self._grouped(starts, unit)
        full = counts.sum(1) > 0
        starts, counts, weighted = starts[full], counts[full], weighted[full]
        ends = np.append(starts[1:], len(self.scores)) - 1
        with np.errstate(over="ignore"):
            means = weighted / counts.sum(1) * unit
        scores = np.clip(means, self.scores[starts], self.scores[ends])
        squares = None
        if self.squares is not None:
            squares = np.add.reduceat(self.squares, starts, axis=0)
        return ScoreTally(self.labels, self.positive, scores, counts, squares, self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the tally as plain data for JSON, with its format and version."""
        return store.pack("score-tally", self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote."""
        return cls(**store.unpack("score-tally", data, cls))


_ERRORS_NEAR = np.concatenate([np.arange(-8, -2), np.arange(-10, 11) / 4, np.arange(3, 9)])
"""Quarters of a standard error where most draws are, whole ones where few are."""


def _without_minus_zero(values: Any) -> Floats:
    """Return ascending scores with 0.0 for -0.0: as they are if nobody can write to them."""
    scores = np.asarray(values, dtype=np.float64)
    private = scores.base is None and not scores.flags.writeable and scores.ndim == 1
    at_zero = np.searchsorted(scores, 0.0) if private else 0
    if private and not np.signbit(scores[at_zero : at_zero + 1]).any():
        return scores
    return scores + 0.0


def _of_top(top: Floats, parts: int) -> NDArray[np.intp]:
    """Return :func:`_at_shares` of whole rows, whose sums ``top`` runs through from the end.

    >>> _of_top(np.array([0.0, 2.0, 3.0, 3.0, 4.0]), 2).tolist()
    [2]
    """
    size, total = len(top) - 1, top[-1]
    shares = np.linspace(0, total, parts + 1)[1:-1]

    def below(i: NDArray[np.intp]) -> Floats:
        return np.asarray(total - top[size - 1 - i])

    # Whole sums have no rounding, but total - shares has: off by one place at most.
    found = size - np.searchsorted(top, total - shares, side="right")
    found = np.clip(found, 0, size - 1)
    found = np.where((found > 0) & (below(np.maximum(found - 1, 0)) >= shares), found - 1, found)
    return np.asarray(np.where(below(found) < shares, found + 1, found))


def _at_shares(rows: Floats, parts: int) -> NDArray[np.intp]:
    """Return where sums of rows from the start reach 1, 2, ... of so many equal parts of all.

    >>> _at_shares(np.array([1.0, 0.0, 1.0, 2.0]), 2).tolist()
    [2]
    """
    # Sums over stretches first: of ten million groups only those near a cut are added up singly.
    step = 1 << 12
    sums = np.add.reduceat(rows, np.arange(0, len(rows), step))
    below = np.cumsum(sums)
    shares = np.linspace(0, below[-1], parts + 1)[1:-1]
    stretch = np.searchsorted(below, shares)
    found = np.empty(len(shares), dtype=np.intp)
    for i in np.unique(stretch):
        inside = np.cumsum(rows[i * step : (i + 1) * step]) + (below[i - 1] if i else 0.0)
        here = stretch == i
        found[here] = i * step + np.searchsorted(inside, shares[here])
    return found


def with_positive(
    names: tuple[Label, ...], codes: NDArray[np.intp], positive: Label | None
) -> tuple[tuple[Label, ...], NDArray[np.intp], Label]:
    """Name the positive class, and its missing opposite when only one class occurs."""
    label = find_positive(names, positive)
    pair = with_opposite(names, label)
    if pair == names:
        return names, codes, label
    table = np.array([pair.index(n) for n in names] + [-1], dtype=np.intp)
    return pair, table[codes], label


def with_opposite(names: Sequence[Label], positive: Label) -> tuple[Label, ...]:
    """Return the classes, made two when fewer occurred: absent ones have zero rows.

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


def _group(
    codes: NDArray[np.intp], scores: Floats, weights: Floats | None, classes: int
) -> tuple[Floats, Floats, Floats | None]:
    """Add up rows by distinct score and class."""
    distinct, group = np.unique(scores + 0.0, return_inverse=True)
    cells = group * classes + codes
    size, shape = len(distinct) * classes, (len(distinct), classes)
    counts = np.bincount(cells, weights, minlength=size).reshape(shape).astype(np.float64)
    if weights is None:
        return distinct, counts, None
    squares = np.bincount(cells, weights**2, minlength=size).reshape(shape)
    return distinct, counts, squares.astype(np.float64)


def _merged(
    scores: Floats, counts: Floats, more: Floats, more_counts: Floats
) -> tuple[Floats, Floats]:
    """Return the scores of two tables, and their counts (m, K) added up where they share one."""
    columns = [np.ascontiguousarray(table.T) for table in (counts, more_counts)]
    found, added = _kernels.merge(scores, columns[0], more, columns[1])
    added.flags.writeable = False  # so that the tally keeps it as it is
    return found, added.reshape(len(columns[0]), len(found)).T
