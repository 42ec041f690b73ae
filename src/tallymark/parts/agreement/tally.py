"""Tallies of ratings: how many raters assigned each subject to each category."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np

from tallymark import InputError
from tallymark.core import (
    ANY,
    FLAG,
    NUMBERS,
    TEXT,
    TEXTS,
    Floats,
    Label,
    Tally,
    adds,
    axis,
    checked,
    code_labels,
    is_table,
    join_labels,
    keep_complete,
    lines,
    matrix_to_numpy,
    one_of,
    open_table,
    read_whole,
    shown,
    tabulate,
    trusted,
    whole_rows,
)
from tallymark.parts.agreement.coefficients import agreement
from tallymark.parts.agreement.rating_tables import read_ratings


@checked(ratings=ANY, subject=ANY, rating=ANY, missing=one_of("error", "skip"))
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RatingTally(Tally):
    """Counts ``[subject, category]`` of ratings.

    ``left_out`` is the number of subjects excluded for having another number of ratings than most.

    >>> RatingTally.from_arrays([["a", "a", "b"], ["b", "b", "b"]]).counts
    array([[2., 1.],
           [0., 3.]])
    """

    _kind: ClassVar[str] = "rating-tally"
    labels: tuple[Label, ...] = field(metadata=axis())
    counts: Floats = field(metadata=lines("subjects", "labels"))
    rows: int = field(default=-1, metadata=adds())
    left_out: int = field(default=0, metadata=adds())

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", len(self.counts))
        Tally.__post_init__(self)
        if (self.counts != np.trunc(self.counts)).any():
            raise InputError("counts holds a fraction; give whole numbers")

    @classmethod
    def _empty(cls, labels: Sequence[Label] = ()) -> Self:
        """Return the tally of no subject."""
        return cls(tuple(labels), np.zeros((0, len(labels))))

    @classmethod
    def from_arrays(
        cls,
        ratings: Any,
        *,
        labels: Sequence[Label] | None = None,
        missing: Literal["error", "skip"] = "error",
    ) -> Self:
        """Count a table of ratings of shape (subjects, raters): lists, an array or a frame.

        A missing rating (None or NaN) is refused, or with ``missing="skip"`` its subject simply
        has fewer ratings.

        >>> RatingTally.from_arrays([["a", None], ["b", "b"]], missing="skip").counts
        array([[1., 0.],
               [0., 2.]])
        """
        return cls.of_raters(_raters(ratings), labels, missing)

    @classmethod
    @trusted
    def of_raters(
        cls,
        raters: Mapping[str, Any],
        labels: Sequence[Label] | None = None,
        missing: str = "error",
    ) -> Self:
        """Count one column of ratings by each rater."""
        if not raters:
            return cls._empty(labels or ())
        coded = {name: code_labels(c, name) for name, c in raters.items()}
        if missing == "error":
            remedy = "say missing='skip' to leave those ratings out"
            keep_complete(dict(coded), "error", remedy=remedy)
        names, codes = join_labels(coded, labels)
        every = np.array(codes)
        subject = np.broadcast_to(np.arange(every.shape[1]), every.shape)
        present = every >= 0
        return cls(
            names, tabulate((every.shape[1], len(names)), (subject[present], every[present]))
        )

    @classmethod
    def from_long(cls, subject: Any, rating: Any, *, labels: Sequence[Label] | None = None) -> Self:
        """Count ratings in long form: the subject and the category of each.

        >>> RatingTally.from_long([1, 1, 2], ["a", "b", "b"]).counts
        array([[1., 1.],
               [0., 1.]])
        """
        columns = {
            "subject": code_labels(subject, "subject"),
            "rating": code_labels(rating, "rating"),
        }
        columns, _ = whole_rows(columns, None, "error")
        _, (rows,) = join_labels({"subject": columns["subject"]})
        names, (codes,) = join_labels({"rating": columns["rating"]}, labels)
        return cls(names, tabulate((int(rows.max(initial=-1)) + 1, len(names)), (rows, codes)))

    @classmethod
    @checked(counts=ANY)
    def from_counts(cls, counts: Any, *, labels: Sequence[Label] | None = None) -> Self:
        """Return how many raters put each subject (row) into each category (column).

        ``labels`` are the categories: by default the columns of a frame, or 0, 1, 2 and so on.

        >>> RatingTally.from_counts([[2, 1], [0, 3]], labels=["a", "b"]).labels
        ('a', 'b')
        """
        if is_table(counts):
            counts, columns = matrix_to_numpy(counts)
            labels = columns if labels is None else labels
        table = NUMBERS.of("counts", counts)
        if table.ndim != 2:
            raise InputError(
                f"counts has shape {table.shape}; give one row per subject and one column per "
                "category"
            )
        names = tuple(range(table.shape[1]) if labels is None else labels)
        if len(names) != table.shape[1]:
            raise InputError(
                f"labels names {len(names)} categories and counts has {table.shape[1]} columns; "
                "name one per column"
            )
        return cls(names, table)

    @classmethod
    @checked(subject=TEXT, rating=TEXT, rater=TEXTS, counts=FLAG, missing=one_of("error", "skip"))
    def from_table(
        cls,
        data: Any,
        *,
        subject: str | None = None,
        rating: str | None = None,
        rater: str | Sequence[str] | None = None,
        counts: bool | None = None,
        classes: Sequence[Label] | None = None,
        missing: Literal["error", "skip"] = "error",
        header: bool | None = None,
        sheet: str | None = None,
    ) -> Self:
        """Count the ratings of a frame or the file of a path.

        One line a subject and one column a rater, or with ``counts`` one column a category that
        says how many raters chose it. Without being told, counts are recognised by lines that all
        add up to the same number of raters, or to that in a column of totals, which is no category.
        Lines with another total than most are then left out, and counted in ``left_out``; with
        ``counts=True`` all are kept. Where ``subject`` and ``rating`` name columns, one line
        a rating. ``rater`` names the columns of raters; without it a column whose values differ on
        every line, such as a text, and a column named as the truth beside two others are left out.
        ``classes`` are the categories in their order, which weights such as ``"ordinal"`` go by: by
        default as declared for ordered categories, else sorted.
        ``header`` and ``sheet`` are as in :func:`tallymark.evaluate`.

        >>> import pandas as pd
        >>> RatingTally.from_table(pd.DataFrame({"ann": ["a", "b"], "bob": ["a", "a"]})).counts
        array([[2., 0.],
               [1., 1.]])
        """
        tally, _ = read_ratings(
            cls,
            data,
            subject=subject,
            rating=rating,
            rater=rater,
            counts=counts,
            classes=classes,
            missing=missing,
            header=header,
            sheet=sheet,
        )
        return tally

    def table(self, weights: Any = "nominal", *, level: float = 0.95) -> Any:
        """Return a row a coefficient with its interval, as of :func:`tallymark.agree`."""
        return agreement(self, weights, level).table()

    def raters(self) -> int:
        """Return how many raters rated each subject; refuse unequal numbers."""
        ratings = self.counts.sum(1)
        if len(ratings) and (ratings != ratings[0]).any():
            i = int(np.argmax(ratings != ratings[0]))
            raise InputError(
                f"subject 0 has {ratings[0]:g} ratings and subject {i} has {ratings[i]:g}; Fleiss' "
                "kappa needs the same number for each"
            )
        return int(ratings[0]) if len(ratings) else 0


def _raters(ratings: Any) -> dict[str, Any]:
    """Return the column of each rater, by name."""
    if is_table(ratings):
        table = open_table(ratings)
        return dict(read_whole(table, table.columns, []).labels)
    if isinstance(ratings, np.ndarray) and ratings.ndim == 2:
        columns: list[Any] = list(ratings.T)
    else:
        rows = isinstance(ratings, Sequence | np.ndarray) and getattr(ratings, "ndim", 1) > 0
        if not rows or isinstance(ratings, str | bytes):
            raise InputError(f"ratings is {shown(ratings)}; give a list of each subject's ratings")
        for i, row in enumerate(ratings):
            if not isinstance(row, Sequence | np.ndarray) or isinstance(row, str | bytes):
                raise InputError(f"subject {i} is {row!r}; give the ratings of every subject")
            if len(row) != len(ratings[0]):
                raise InputError(
                    f"subject 0 has {len(ratings[0])} ratings and subject {i} has {len(row)}; "
                    "give every subject one rating by each rater"
                )
        columns = [list(c) for c in zip(*ratings, strict=True)]
    return {f"rater {i + 1}": c for i, c in enumerate(columns)}
