"""Tables of ratings: one column a rater, or how many raters put each subject into each category."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from tallymark.data.chunks import joined, read_texts
from tallymark.data.columns import must_have
from tallymark.data.readers import Table, open_table, whole
from tallymark.data.source import Source
from tallymark.errors import InputError, listed
from tallymark.tally.arrays import Coded, Floats
from tallymark.tally.ratings import RatingTally

SUBJECTS = ("subject", "item", "id", "case", "patient", "document", "unit")
"""Names of a column that tells the subjects apart."""

FEWEST_SUBJECTS = 3
"""Ratings of fewer subjects may well add up to one number by chance."""


def read_ratings(
    cls: type[RatingTally],
    data: Any,
    *,
    subject: str | None = None,
    rating: str | None = None,
    counts: bool | None = None,
    missing: Literal["error", "skip"] = "error",
) -> tuple[RatingTally, Source]:
    """Return the tally of a table, :meth:`RatingTally.from_table`, and how the table was read."""
    table = open_table(data)
    if rating is not None:
        if subject is None or counts:
            lacking = "counts=... is of one line a subject" if counts else "say subject=..., too"
            raise InputError(f"one line a rating needs both columns; {lacking}")
        columns = whole(table, [subject, rating], []).labels
        roles: Roles = {"pred": rating, "subgroup": subject}
        tally = cls.from_long(columns[subject], columns[rating])
        return tally, _source(table, roles, {}, "one line a rating")
    every = list(table.columns)
    must_have(every, [subject] if subject else [], table.name)
    named = [c for c in every if (c.lower() in SUBJECTS if subject is None else c == subject)]
    columns = joined(list(table.chunks(every, [], subgroups=named))).labels
    columns = {n: c for n, c in columns.items() if n not in named or not _distinct(c)}
    if counts is not False and subject not in columns:
        # Before the categories, the first column may number the subjects.
        later = dict(list(columns.items())[1:])
        first = bool(columns) and _distinct(next(iter(columns.values())))
        for some in (columns, *([later] if first else [])):
            found = _counts(some)
            if found is not None and (counts or _add_up(found)):
                why = {} if counts else {"count": "every line adds up to the same number"}
                how = "how many raters chose each category"
                how += "" if counts else f" (each line adds up to {found[0].sum():g})"
                made = cls.from_counts(found, labels=read_texts(list(some)))
                return made, _source(table, {"count": tuple(some)}, why, how)
    if counts and subject not in columns:
        raise InputError(
            f"{table.name} holds more than whole numbers from 0 up in the columns "
            f"{listed(list(columns))}; name the column of subjects with subject=..., and write 0 "
            "where no rater chose a category"
        )
    if subject is not None and (counts is None or subject in columns):
        raise InputError("one line a rating needs both columns; say rating=..., too")
    tally = cls.of_raters(columns, missing=missing)
    return tally, _source(table, {"pred": tuple(columns)}, {}, "one column a rater")


Roles = dict[str, str | tuple[str, ...]]


def _source(table: Table, roles: Roles, why: Mapping[str, str], how: str) -> Source:
    used = {n for names in roles.values() for n in ([names] if isinstance(names, str) else names)}
    ignored = tuple(c for c in table.columns if c not in used)
    return Source(table.name, table.kind, roles, None, why, ignored, (how,))


def _counts(columns: Mapping[str, Coded]) -> Floats | None:
    """Return columns of whole numbers from 0 up as counts [subject, category], or None."""
    if len(columns) < 2 or any(isinstance(v, str) for c in columns.values() for v in c.labels):
        return None
    values = [np.append(np.asarray(c.labels, float), -1)[c.codes] for c in columns.values()]
    table = np.stack(values, axis=1)
    return table if (table >= 0).all() and (table == np.trunc(table)).all() else None


def _add_up(counts: Floats | None) -> bool:
    """Tell whether every line adds up to the same number of raters, and lines differ."""
    if counts is None or len(counts) < FEWEST_SUBJECTS:
        return False
    raters = counts.sum(1)
    return bool(raters[0] >= 2 and (raters == raters[0]).all() and (counts != counts[0]).any())


def _distinct(column: Coded) -> bool:
    """Tell whether every line has a value of its own."""
    return len(set(column.codes.tolist())) == len(column.codes)
