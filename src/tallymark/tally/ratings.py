"""Tallies of ratings: how many raters put each subject into each category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tallymark.errors import InputError
from tallymark.tally import store
from tallymark.tally.arrays import Floats, Label, code_labels, join_labels, keep_complete
from tallymark.tally.labels import merged_labels


@dataclass(frozen=True, slots=True, eq=False)
class RatingTally:
    """Counts ``[subject, category]`` of the ratings given.

    >>> RatingTally.from_arrays([["a", "a", "b"], ["b", "b", "b"]]).counts
    array([[2., 1.],
           [0., 3.]])
    """

    labels: tuple[Label, ...]
    counts: Floats
    rows: int = -1

    def __post_init__(self) -> None:
        labels = tuple(self.labels)
        if len(set(labels)) < len(labels):
            raise InputError(f"labels names a class twice: {list(labels)}")
        rows = len(self.counts)
        counts = store.counts_array(self.counts, (rows, len(labels)), "counts")
        if (counts != np.trunc(counts)).any():
            raise InputError("counts holds a fraction; ratings are counted in whole numbers")
        for name, value in (("labels", labels), ("counts", counts), ("rows", rows)):
            object.__setattr__(self, name, value)

    @classmethod
    def empty(cls, labels: Sequence[Label] = ()) -> Self:
        """Return the tally of no subject."""
        return cls(tuple(labels), np.zeros((0, len(labels))))

    @classmethod
    def from_arrays(cls, ratings: Any, *, labels: Sequence[Label] | None = None) -> Self:
        """Count a table of ratings of shape (subjects, raters): lists, an array or a frame.

        Raises InputError where a rating is missing: tables in which subjects are rated by
        different raters are given as counts, ``RatingTally(labels, counts)``.
        """
        coded = {name: code_labels(c, name) for name, c in _raters(ratings).items()}
        if not coded:
            return cls.empty(labels or ())
        keep_complete(dict(coded), "error")
        names, codes = join_labels(coded, labels)
        counts = np.zeros((len(codes[0]), len(names)))
        for column in codes:
            counts[np.arange(len(column)), column] += 1
        return cls(names, counts)

    def __add__(self, other: object) -> RatingTally:
        if not isinstance(other, RatingTally):
            return NotImplemented
        labels = merged_labels(self.labels, other.labels)
        parts = []
        for t in (self, other):
            full = np.zeros((t.rows, len(labels)))
            full[:, [labels.index(label) for label in t.labels]] = t.counts
            parts.append(full)
        return RatingTally(labels, np.concatenate(parts))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RatingTally):
            return NotImplemented
        return self.labels == other.labels and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]

    def raters(self) -> int:
        """Return how many raters rated each subject; refuse unequal numbers."""
        given = self.counts.sum(1)
        if len(given) and (given != given[0]).any():
            i = int(np.argmax(given != given[0]))
            raise InputError(
                f"subject 0 has {given[0]:g} ratings and subject {i} has {given[i]:g}; Fleiss' "
                "kappa needs the same number for each"
            )
        return int(given[0]) if len(given) else 0

    def to_dict(self) -> dict[str, Any]:
        """Return the tally as plain data for JSON, with its format and version."""
        return store.pack("rating-tally", self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote."""
        return cls(**store.unpack("rating-tally", data, cls))


def _raters(ratings: Any) -> dict[str, Any]:
    """Return the column of each rater, by name."""
    from tallymark.tally.tables import FrameTable, is_table

    if is_table(ratings):
        table = FrameTable(ratings)
        return dict(next(table.chunks(table.columns, [])).labels)
    if isinstance(ratings, np.ndarray) and ratings.ndim == 2:
        columns: list[Any] = list(ratings.T)
    else:
        for i, row in enumerate(ratings):
            if isinstance(row, str | bytes) or not hasattr(row, "__len__"):
                raise InputError(f"subject {i} is {row!r}; give the ratings of every subject")
            if len(row) != len(ratings[0]):
                raise InputError(
                    f"subject 0 has {len(ratings[0])} ratings and subject {i} has {len(row)}; "
                    "give every subject one rating by each rater"
                )
        columns = [list(c) for c in zip(*ratings, strict=True)]
    return {f"rater {i + 1}": c for i, c in enumerate(columns)}
