"""Tables of ratings: one column per rater, or counts of raters per subject and category."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from tallymark import InputError
from tallymark.core import (
    MANY_CLASSES,
    NUMBER,
    Coded,
    FileTable,
    Floats,
    Label,
    Profile,
    Source,
    Table,
    bare,
    listed,
    many,
    meaning,
    must_have,
    open_table,
    profile_of,
    read_texts,
    read_whole,
    typed,
)

if TYPE_CHECKING:
    from tallymark.parts.agreement.tally import RatingTally

T = TypeVar("T", bound="RatingTally")

SUBJECTS = (
    "subject",
    "item",
    "id",
    "case",
    "patient",
    "document",
    "doc",
    "unit",
    "question",
    "task",
    "sample",
    "text",
    "image",
    "objekt",
    "fall",
    "frage",
    "sujet",
    "caso",
)
"""Names of a column of subjects."""

RATERS = (
    "rater",
    "annotator",
    "coder",
    "judge",
    "reader",
    "observer",
    "worker",
    "reviewer",
    "user",
    "bewerter",
    "beurteiler",
    "gutachter",
    "annotateur",
    "juge",
    "anotador",
    "evaluador",
)
"""Names of columns that identify the rater of each rating."""

AGREED = (
    "consensus",
    "majority",
    "majorityvote",
    "mode",
    "final",
    "finallabel",
    "aggregate",
    "aggregated",
    "konsens",
    "mehrheit",
    "mayoria",
)
"""Names of a column derived from the ratings."""

FEWEST_SUBJECTS = 3
"""With fewer subjects, all lines may add up to one number by chance."""


FEWEST_VOTES = 10
"""With fewer lines, the sums of some columns may be equal by chance."""


def read_ratings(
    cls: type[T],
    data: Any,
    *,
    classes: Sequence[Label] | None = None,
    header: bool | None = None,
    sheet: str | None = None,
    **columns: Any,
) -> tuple[T, Source]:
    """Return the tally of a table, :meth:`RatingTally.from_table`, and how the table was read."""
    try:
        table = open_table(data, header=header, sheet=sheet)
    except InputError as error:
        of_file = isinstance(data, str | os.PathLike)
        if header is None and of_file and " two columns called " in str(error):
            raise InputError(f"{error}, or give header=False if its first row is one") from None
        raise
    if header is None and isinstance(table, FileTable) and _is_row(table.columns):
        raise table.headless(table.columns)
    tally, source = _ratings(cls, table, header, **columns)
    if classes is None:
        return tally, source
    order = typed(classes, tally.labels)
    strangers = [label for label in tally.labels if label not in order]
    if strangers or len(set(order)) < len(order):
        wrong = f"leaves out {listed(strangers)}" if strangers else "names a category twice"
        raise InputError(
            f"classes is {listed(order)} and {wrong}; list every category once, in their order"
        )
    return tally.reorder(order), source


def _is_row(names: Sequence[str]) -> bool:
    """Tell whether names are a row of data: they contain fractions, or unordered numbers."""
    numbers = [float(n) if n.isdecimal() else -1.0 for n in names if NUMBER.fullmatch(n)]
    ascending = sorted(set(numbers))
    return -1.0 in numbers or numbers not in (ascending, ascending[::-1])


def _ratings(
    cls: type[T],
    table: Table,
    header: bool | None,
    *,
    subject: str | None = None,
    rating: str | None = None,
    rater: str | Sequence[str] | None = None,
    counts: bool | None = None,
    missing: Literal["error", "skip"] = "error",
) -> tuple[T, Source]:
    """Return the tally of a table that was opened with this ``header``, and how it was read."""
    raters = [rater] if isinstance(rater, str) else list(rater or ())
    if raters:
        if rating is not None or counts:
            raise InputError(
                "each column of rater=... holds one rater's ratings; leave rating=... and "
                "counts=... out"
            )
        columns = _read(table, raters, [])
        tally = cls.of_raters(columns, missing=missing)
        return tally, _source(table, {"pred": tuple(raters)}, {}, "one column per rater")
    why = {}
    if rating is None and not counts and (lines := _one_line_a_rating(table)):
        subject, rating = lines
        why["subgroup"] = "a column that names the rater"
    if rating is not None:
        if subject is None or counts:
            lacking = "counts=... is for one line per subject" if counts else "say subject=..., too"
            raise InputError(f"one line per rating needs both columns; {lacking}")
        columns = _read(table, [subject, rating], [subject])
        roles = {"pred": (rating,), "subgroup": (subject,)}
        tally = cls.from_long(columns[subject], columns[rating])
        return tally, _source(table, roles, why, "one line per rating")
    every = list(table.columns)
    must_have(every, [subject] if subject else [], table.name)
    profiles = profile_of(table, every)
    if counts is not False and (votes := _votes(table, profiles, subject)) is not None:
        return _of_votes(cls, table, *votes, keep=bool(counts))
    every = [c for c in every if c == subject or not _of_each_line(c, profiles)]
    every = every or list(table.columns)  # so that the refusal names them
    named = [c for c in every if (_is_subject(c, table) if subject is None else c == subject)]
    columns = _read(table, every, named)
    columns = {n: c for n, c in columns.items() if n not in named or not _distinct(c)}
    if counts is not False and subject not in columns:
        # Before the categories, the first column may number the subjects.
        later = dict(list(columns.items())[1:])
        first = bool(columns) and _distinct(next(iter(columns.values())))
        for some in (columns, *([later] if first else [])):
            table_of_counts = _counts(some)
            if table_of_counts is not None and (counts or _add_up(table_of_counts)):
                why = {} if counts else {"count": "every line adds up to the same number"}
                how = "how many raters chose each category"
                how += "" if counts else f" (each line adds up to {table_of_counts[0].sum():g})"
                tally = cls.from_counts(table_of_counts, labels=read_texts(list(some)))
                return tally, _source(table, {"count": tuple(some)}, why, how)
    if counts and subject not in columns:
        raise InputError(
            f"{table.name} holds values other than counts in the columns {listed(list(columns))}; "
            "name the column of subjects with subject=..., and write 0 where no rater chose a "
            "category"
        )
    if subject is not None and (counts is None or subject in columns):
        raise InputError("one line per rating needs both columns; say rating=..., too")
    are_ratings = (name in map(str, column.labels) for name, column in columns.items())
    if header is None and isinstance(table, FileTable) and all(are_ratings):
        raise table.headless(list(columns))
    raters = _raters_among(columns)
    tally = cls.of_raters({c: columns[c] for c in raters}, missing=missing)
    left_out = set(table.columns) - {*raters, *named}
    why = {"pred": "values that other columns share"} if left_out else {}
    return tally, _source(table, {"pred": tuple(raters)}, why, "one column per rater")


def _votes(
    table: Table, profiles: Profile, subject: str | None
) -> tuple[tuple[str, ...], Floats, str | None] | None:
    """Return the columns of votes for categories, the votes, and the column of their total.

    Either another column is their sum on every line, or most lines add up to one number and raters
    agree on some lines. Other columns, such as the category that most chose, are left out.
    """
    names = [
        c
        for c, of in profiles.items()
        if c != subject and of.whole and not of.missing and (of.low or 0) >= 0
    ]
    if len(names) < 2 or profiles[names[0]].rows < FEWEST_VOTES:
        return None
    numbers = read_whole(table, [], names).numbers
    for total in names:
        rest = [c for c in names if c != total and (numbers[c] <= numbers[total]).all()]
        for some in _nearly_all(rest):
            votes = np.stack([numbers[c] for c in some], 1)
            if (votes.sum(1) == numbers[total]).all() and (votes.max(0) > 0).sum() > 1:
                return (some, votes, total) if votes.sum(1).max() > 1 else None
    best, best_columns = 0.5, None
    for some in _nearly_all(names):
        votes = np.stack([numbers[c] for c in some], 1)
        totals, lines = np.unique(votes.sum(1), return_counts=True)
        share, most = lines.max() / len(votes), totals[lines.argmax()]
        alike = (votes.max(1) == most).mean()  # all votes of a line are for one category
        if share > best and most > 1 and not votes.min(0).any() and 0.1 <= alike < 1:
            best, best_columns = share, (some, votes, None)
    return best_columns


def _nearly_all(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield subsets of two or more columns: all of them, then all but one, then all but two."""
    sizes = range(len(names), max(len(names) - 3, 1), -1)
    return chain.from_iterable(combinations(names, size) for size in sizes)


def _of_votes(
    cls: type[T],
    table: Table,
    names: tuple[str, ...],
    votes: Floats,
    total: str | None,
    *,
    keep: bool,
) -> tuple[T, Source]:
    """Return the tally of the subjects with the most common number of raters.

    All subjects are counted with ``keep``, or if that number holds for at most half of them.
    """
    totals, lines = np.unique(votes.sum(1), return_counts=True)
    most, share = totals[lines.argmax()], lines.max() / len(votes)
    how = "how many raters chose each category"
    how += f" (`{total}` is their sum)" if total else ""
    others = ", ".join(f"{n:g}" for n in totals if n != most)
    used = np.full(len(votes), True)
    if len(totals) == 1:
        how += f" (each line adds up to {most:g})"
    elif keep or share <= 0.5:
        how += f"; lines add up to {totals[0]:g} to {totals[-1]:g}"
    else:
        used = votes.sum(1) == most
        how += (
            f"; {many(lines.max(), 'line')} of {most:g} ratings, and "
            f"{many(len(votes) - lines.max(), 'line')} of {others} left out (counts=True keeps all)"
        )
    tally = cls.from_counts(votes[used], labels=read_texts(names))
    why = {} if keep else {"count": "the sums of the lines"}
    source = _source(table, {"count": names}, why, how)
    return replace(tally, left_out=int((~used).sum())), source


def _is_subject(column: str, table: Table) -> bool:
    """Tell whether a column is named like subjects, or is an unnamed first column, an index."""
    unnamed = column == table.columns[0] and column.lower() in ("column0", "unnamed: 0", "index")
    return column.lower() in SUBJECTS or (unnamed and "no header" not in table.format)


def _read(table: Table, names: Sequence[str], subjects: Sequence[str]) -> dict[str, Coded]:
    """Return columns of labels; columns of subjects may have more than the limit of classes."""
    return read_whole(table, names, [], subgroups=subjects).labels


def _of_each_line(column: str, profiles: Profile) -> bool:
    """Tell whether every line has a different value, more than there can be categories."""
    return (
        column in profiles and profiles[column].distinct == profiles[column].present > MANY_CLASSES
    )


def _one_line_a_rating(table: Table) -> tuple[str, str] | None:
    """Return the columns of subject and rating if another column names the rater.

    A column called reader may contain the ratings of one reader; then each subject occurs once.
    """
    who = [c for c in table.columns if _called(c) in RATERS]
    if len(who) != 1 or len(table.columns) < 3:
        return None
    subjects = [c for c in table.columns if c not in who and _called(c) in SUBJECTS]
    ratings = [c for c in table.columns if c not in (*who, *subjects)]
    if len(subjects) == len(ratings) == 1:
        names = [subjects[0], ratings[0]]
        of_subject, of_rating, of_rater = _read(table, [*names, *who], subjects).values()
        if _distinct(of_subject):
            return None
        pairs = set(zip(of_subject.codes.tolist(), of_rater.codes.tolist(), strict=True))
        if len(pairs) == len(of_rater.codes):
            return subjects[0], ratings[0]
        if set(of_rater.labels) & set(of_rating.labels):
            return None
        advice = f"subject={names[0]!r}, rating={names[1]!r} if a rater may rate a subject twice"
    else:
        columns = _read(table, [*who, *ratings], ratings)
        values = set(columns.pop(who[0]).labels)
        if any(values & set(column.labels) for column in columns.values()):
            return None
        advice = "which columns hold the subject and the rating, subject=... and rating=..."
    raise InputError(
        f"{table.name} has a column {who[0]!r}, so each line seems to be one rating; say {advice}, "
        "or rater=... for each column that holds the ratings of one rater"
    )


def _called(column: str) -> str:
    """Return the name of a column without the word id: worker_id names a worker."""
    name = bare(column)
    return name.removesuffix("id") or name


def _raters_among(columns: Mapping[str, Coded]) -> list[str]:
    """Return the columns of ratings: no text, no age, and no truth beside two raters.

    A column whose values mostly occur in no other column contains no ratings of the same kind.
    """
    values_of = {
        name: {column.labels[i] for i in column.codes if i >= 0} for name, column in columns.items()
    }
    raters = []
    for name, column in columns.items():
        others = set().union(*(values for other, values in values_of.items() if other != name))
        shared = np.array([*(label in others for label in column.labels), False])[column.codes]
        if len(column.codes) < FEWEST_SUBJECTS or 2 * shared.sum() >= len(shared):
            raters.append(name)
    if len(columns) > 1 and not raters and len(next(iter(columns.values())).codes) > 1:
        raise InputError(
            f"the columns {listed(list(columns))} share no category, so they are not ratings of "
            "one kind; name each rater's column with rater=..., or say subject=... and rating=... "
            "where each line is one rating"
        )
    without_truth = [c for c in raters if not ((says := meaning(c)) and says.role == "truth")]
    without_truth = [c for c in without_truth if bare(c) not in AGREED]
    return without_truth if len(without_truth) > 1 else raters or list(columns)


def _source(
    table: Table, roles: Mapping[str, tuple[str, ...]], why: Mapping[str, str], how: str
) -> Source:
    used = {*chain(*roles.values())}
    ignored = tuple(c for c in table.columns if c not in used)
    return Source(table.name, table.kind, roles, None, why, ignored, (*table.format, how))


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
    """Tell whether every line has a different value."""
    return len(set(column.codes.tolist())) == len(column.codes)
