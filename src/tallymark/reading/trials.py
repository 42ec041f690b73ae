"""Comparison scores of a verification system: one table with both kinds, or a file of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tallymark.errors import InputError, choices, listed
from tallymark.reading.names import TRIALS
from tallymark.reading.profile import Profile, Table, profile_of
from tallymark.reading.readers import open_table, whole
from tallymark.reading.source import Source
from tallymark.tally.arrays import Floats, Label

PAIRS = (*TRIALS, ("positive", "negative"), ("true", "false"), ("1", "0"))
"""What a column of kinds may hold."""

SCORES = ("score", "scores", "similarity", "distance", "dissimilarity", "llr", "ähnlichkeit",
          "distanz", "abstand", "similarité", "similitud", "distancia", "distanza")  # fmt: skip
DISTANCES = ("distance", "distances", "dissimilarity", "dist", "distanz", "abstand", "distancia",
             "distanza")  # fmt: skip

SIDES = ("genuine", "impostor")

Trials = dict[str, dict[str, Floats]]
"""Scores of the "genuine" and of the "impostor" comparisons: side -> system -> scores."""


def plain(name: str) -> str:
    """Return a word without case, blanks, hyphens and underscores.

    >>> plain("Non-mated")
    'nonmated'
    """
    return "".join(c for c in name.lower() if c.isalnum())


def read_trials(
    data: Any, other: Any = None, *, score: str | Sequence[str] | None = None,
    kind: str | None = None, positive: Label | None = None,
) -> tuple[Trials, Source]:  # fmt: skip
    """Return the comparison scores of a table, or of two, and how they were read.

    A table has two columns side by side (``genuine`` and ``impostor``, ``mated`` and ``non-mated``;
    the shorter one ends in empty cells), or scores beside a column of which ``kind`` each is. Two
    tables hold one column of scores each, or the ``score`` columns named.

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"kind": ["mated", "non-mated"], "s": [2.5, 1.5]})
    >>> trials, source = read_trials(rows)
    >>> trials["genuine"]["s"], source.read_as
    (array([2.5]), 'Read as: truth = `kind` (mated is positive), score = `s`.')
    """
    names = [score] if isinstance(score, str) else list(score or ())
    table = open_table(data)
    if other is not None:
        for word, given in (("kind", kind), ("positive", positive)):
            if given is not None:
                raise InputError(f"{word} is not for one file per kind; leave {word}= out")
        tables = (table, open_table(other))
        sides = [_column_of(t, names) for t in tables]
        systems = [tuple(scores) for scores in sides]
        if len(systems[0]) == len(systems[1]) == 1 and systems[0] != systems[1]:
            sides[1] = {systems[0][0]: sides[1][systems[1][0]]}
        told = (f"genuine scores from {tables[0].name}, impostor scores from {tables[1].name}",)
        name = f"{tables[0].name}, {tables[1].name}"
        source = Source(name, table.kind, {"score": _roles(names or systems[0])}, format=told)
        return dict(zip(SIDES, sides, strict=True)), source
    pair = None if names or kind or positive is not None else _side_by_side(table)
    return _of_columns(table, pair) if pair else _of_kinds(table, names, kind, positive)


def _roles(names: Sequence[str]) -> str | tuple[str, ...]:
    return names[0] if len(names) == 1 else tuple(names)


def _column_of(table: Table, names: Sequence[str]) -> dict[str, Floats]:
    """Return the score columns of a file of one kind: those named, or its only one."""
    if not names and len(table.columns) > 1:
        raise InputError(
            f"{table.name} has the columns {listed(table.columns)}; say which holds the scores "
            "with score=..."
        )
    chunk = whole(table, [], list(names or table.columns))
    found = {name: chunk.numbers[name] for name in names or table.columns}
    if not names and _is_number(table.columns[0]):  # a list of numbers without a header
        found = {"score": np.append(float(table.columns[0]), found[table.columns[0]])}
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _side_by_side(table: Table) -> tuple[str, str] | None:
    """Return the two columns that are named after both kinds of comparisons."""
    by_word = {plain(c): c for c in table.columns}
    pairs = [(by_word[a], by_word[b]) for a, b in TRIALS if a in by_word and b in by_word]
    if len(pairs) > 1:
        raise InputError(
            f"{table.name} has several pairs of columns that could be genuine and impostor scores: "
            f"{'; '.join(map(listed, pairs))}; keep one of them"
        )
    return pairs[0] if pairs else None


def _of_columns(table: Table, pair: tuple[str, str]) -> tuple[Trials, Source]:
    """Return two columns of scores, of which the shorter ends in empty cells."""
    chunk, sides = whole(table, [], list(pair)), {}
    for side, name in zip(SIDES, pair, strict=True):
        scores = chunk.numbers[name]
        present = np.flatnonzero(~np.isnan(scores))
        sides[side] = {"system": scores[: present[-1] + 1 if len(present) else 0]}
    ignored = tuple(c for c in table.columns if c not in pair)
    told = (f"{pair[0]} and {pair[1]} side by side",)
    return sides, Source(table.name, table.kind, {"score": pair}, ignored=ignored, format=told)


def _of_kinds(
    table: Table, names: Sequence[str], kind: str | None, positive: Label | None
) -> tuple[Trials, Source]:
    """Return scores beside a column of which kind each comparison is."""
    for name in (*names, *([kind] if kind else [])):
        if name not in table.columns:
            raise InputError(f"there is no column {name!r}; {choices(name, table.columns)}")
    of_kind = kind
    profile = None if names and kind else profile_of(table, table.columns)
    why = {}
    if of_kind is None:
        of_kind, why["truth"] = _kind_in(table, profile, names, positive), "its values"
    if not names:
        names, why["score"] = [_score_in(table, profile, of_kind)], "the only scores"
    chunk = whole(table, [of_kind], list(names))
    coded = chunk.labels[of_kind]
    mated = _mated([str(label) for label in coded.labels], positive)
    if mated is None:
        shown = listed([str(label) for label in coded.labels][:8])
        raise InputError(
            f"{of_kind} holds {shown}, which are not two kinds of comparisons, such as genuine and "
            "impostor, mated and non-mated, or 1 and 0; name the genuine one with positive=..."
        )
    own = np.isin(coded.codes, [i for i, label in enumerate(coded.labels) if str(label) == mated])
    if (coded.codes < 0).any():
        raise InputError(f"{of_kind} is missing in {int((coded.codes < 0).sum()):,} rows; fill it")
    sides = {
        side: {name: chunk.numbers[name][of] for name in names}
        for side, of in zip(SIDES, (own, ~own), strict=True)
    }
    ignored = tuple(c for c in table.columns if c not in (of_kind, *names))
    roles: Mapping[str, Any] = {"truth": of_kind, "score": _roles(names)}
    return sides, Source(table.name, table.kind, roles, mated, ignored=ignored)


def _mated(labels: Sequence[str], positive: Label | None = None) -> str | None:
    """Return the label of mated comparisons among two, None where no pair of words fits."""
    if positive is not None:
        return str(positive) if str(positive) in labels and len(labels) == 2 else None
    words = {plain(label): label for label in labels}
    if not len(words) == len(labels) == 2:
        return None
    return next((words[a] for a, b in PAIRS if set(words) == {a, b}), None)


def _kind_in(
    table: Table, profile: Profile | None, names: Sequence[str], positive: Label | None
) -> str:
    """Return the one column whose values are two kinds of comparisons."""
    found = [c for c in table.columns if c not in names]
    if profile is None:  # of an engine
        found = [c for c in found if plain(c) in ("kind", "label", "type", "truth", "trial")]
    else:
        two = [c for c in found if c in profile and profile[c].distinct == 2]
        found = [c for c in two if _mated(profile[c].texts, positive) is not None]
    if not found:
        raise InputError(
            f"{table.name} has neither columns named genuine and impostor nor one with the kind of "
            f"each comparison; its columns are {listed(table.columns)}; say which with kind=..., "
            "and which of its values is genuine with positive=..., or give one file per kind"
        )
    return _only(found, "kind", "give the kind of comparison")


def _score_in(table: Table, profile: Profile | None, kind: str) -> str:
    """Return the one column of scores."""
    columns = [c for c in table.columns if c != kind]
    found = [c for c in columns if plain(c) in SCORES]
    if not found and profile is not None:
        numbers = [c for c in columns if c in profile and profile[c].numeric]
        found = [c for c in numbers if not profile[c].whole] or numbers
    if not found:
        raise InputError(
            f"{table.name} has no column of scores; its columns are {listed(table.columns)}; say "
            "which with score=..."
        )
    return _only(found, "score", "be the scores")


def _only(columns: Sequence[str], role: str, could: str) -> str:
    """Return the one column of a role, or refuse several."""
    if len(columns) > 1:
        asked = ", ".join(f"{role}={c!r}" for c in columns)
        raise InputError(f"several columns could {could}; say {asked}")
    return columns[0]
