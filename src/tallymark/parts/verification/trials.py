"""Comparison scores of a verification system: one table with both kinds, or a file of each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import combinations, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark import InputError
from tallymark.core import (
    MEMORY,
    MISSING,
    NUMBER,
    STDIN,
    Chunk,
    FileTable,
    Floats,
    Label,
    Profile,
    Source,
    Table,
    choices,
    first_bytes,
    first_rows,
    is_path,
    join_labels,
    kind_of,
    listed,
    many,
    names_of,
    open_table,
    profile_of,
    read_whole,
    received,
    unpacked_name,
)
from tallymark.parts.verification.identities import (
    Kinds,
    Sides,
    Who,
    names_identity,
    parts_of,
    people_of,
    repeated_people,
    who,
)

TRIALS = (
    ("genuine", "impostor"),
    ("genuine", "imposter"),
    ("mated", "nonmated"),
    ("target", "nontarget"),
    ("client", "impostor"),
    ("client", "imposter"),
    ("match", "nonmatch"),
    ("same", "different"),
    ("authentic", "impostor"),
    ("genuine", "forged"),
    ("match", "mismatch"),
    ("genuino", "impostor"),
    ("genuino", "impostore"),
    ("auténtico", "impostor"),
    ("mismo", "diferente"),
    ("authentique", "imposteur"),
    ("authentique", "faux"),
    ("identique", "différent"),
    ("echt", "falsch"),
    ("echt", "gefälscht"),
    ("echt", "impostor"),
    ("gleich", "verschieden"),
    ("gleich", "ungleich"),
)
"""Names of comparisons of one person and of different people, without blanks or hyphens."""

NUMBERED = (("positive", "negative"), ("true", "false"), ("1", "0"), ("1", "-1"))
"""Words of two classes, which are the kinds of comparisons if there is no third value."""

ATTACKS = (("bonafide", "spoof"), ("bonafide", "attack"), ("genuine", "spoof"), ("live", "spoof"))
"""Words of genuine presentations and attacks, the kinds of attack detection."""

SCORES = (
    "score",
    "scores",
    "similarity",
    "distance",
    "dissimilarity",
    "llr",
    "ähnlichkeit",
    "distanz",
    "abstand",
    "similarité",
    "similitud",
    "distancia",
    "distanza",
)
_DISTANCES = (
    "distance",
    "distances",
    "dissimilarity",
    "dist",
    "distanz",
    "abstand",
    "distancia",
    "distanza",
    "euclidean",
    "manhattan",
    "hamming",
    "mahalanobis",
)
"""Words in the names of scores that are low for comparisons of one person."""

SIDES = ("genuine", "impostor")

_LAYOUTS = {3: (0, 1), 4: (0, 1), 5: (0, 2)}
"""Positions of the claimed and the real identity in score files without a header, by the number of
columns. The last column is the score, the one before it the probe, the second of five the model."""

_MOST_KINDS = 8
"""Most distinct values of a column of kinds of comparisons."""

_ROWS = 50
"""Lines that are read to recognise the layout of a score file."""

Kind = str | Sequence[str]


@dataclass(frozen=True)
class Trials:
    """Scores of the genuine and of the impostor comparisons, by system, and how they were read.

    ``clusters`` are the groups that comparisons of both kinds come in, None where unknown, and
    ``people`` the codes of the two people of each comparison. ``repeated`` are columns of people
    that do not say who is compared.
    """

    genuine: dict[str, Floats]
    impostor: dict[str, Floats]
    source: Source
    clusters: tuple[NDArray[Any], NDArray[Any]] | None = None
    people: Floats | None = None
    repeated: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Asked:
    """The columns that the user named."""

    score: Sequence[str] = ()
    kind: Sequence[str] = ()
    positive: Label | None = None
    cluster: str | Literal[False] | None = None
    sides: Sides = field(default_factory=Sides)

    def __bool__(self) -> bool:
        named = self.score or self.kind or self.positive is not None or self.cluster
        return bool(named or any(self.sides))


def plain(name: str) -> str:
    """Return a word without case, blanks, hyphens and underscores; a number as it is.

    >>> plain("Non-mated"), plain("-1")
    ('nonmated', '-1')
    """
    number = NUMBER.fullmatch(name) is not None
    return name if number else "".join(c for c in name.lower() if c.isalnum())


def read_trials(
    data: Any,
    other: Any = None,
    *,
    score: Kind | None = None,
    kind: Kind | None = None,
    positive: Label | None = None,
    cluster: str | Literal[False] | None = None,
    probe: str | None = None,
    reference: str | None = None,
    header: bool | None = None,
    sheet: str | None = None,
) -> Trials:
    """Return the comparison scores of a table, or of two, and how they were read.

    A table has two columns side by side (``genuine`` and ``impostor``, ``mated`` and ``non-mated``;
    the shorter one ends in empty cells), or scores beside a column of which ``kind`` each is, or
    beside two columns of identities, which are equal in genuine comparisons. Two tables hold one
    column of scores each, or the ``score`` columns named. A file without a header, whose columns
    may stand apart by blanks, is recognised by the number in its first line.

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"kind": ["mated", "non-mated"], "s": [2.5, 1.5]})
    >>> trials = read_trials(rows)
    >>> trials.genuine["s"], trials.source.read_as
    (array([2.5]), 'Read as: truth = `kind` (mated is positive), score = `s`.')
    """
    sides = Sides(probe, reference)
    if sides.names and cluster is not None:
        raise InputError(
            "cluster says which comparisons belong together, and probe and reference say it by "
            "both people; leave one of them out"
        )
    asked = _Asked(names_of(score), names_of(kind), positive, cluster, sides)
    with ExitStack() as stack:
        first, *second = (
            _open(d, header, sheet, stack.enter_context(TemporaryDirectory(prefix="tallymark-")))
            for d in (data, other)
            if d is not None
        )
        if second:
            return _of_two(first, second[0], asked)
        pair = None if asked else _side_by_side(first)
        return _of_columns(first, pair) if pair else _of_kinds(first, asked)


# -- opening -------------------------------------------------------------------------------------


def _open(data: Any, header: bool | None, sheet: str | None, folder: str) -> Table:
    """Return a table; a score file of a system may have no header."""
    place = data
    if is_path(data) and (data == "-" or Path(data).is_file()):
        place = _place(os.fspath(data), folder)
        if header is None and _begins_with_data(place, sheet):
            header = False
    table = open_table(place, header=header, sheet=sheet)
    if isinstance(table, FileTable) and data != "-":
        table.name = Path(data).name
    return table


def _place(path: str, folder: str) -> str:
    """Return the path to read: for columns separated by blanks, a copy with tabs."""
    place = received(path, folder, 0, MEMORY)
    copy = Path(folder) / (STDIN if path == "-" else unpacked_name(Path(path)).name)
    if kind_of(path, first_bytes(place)) == "CSV":
        with open(place, encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123
            if _by_blanks(list(islice(_filled(file), _ROWS))):
                file.seek(0)
                with copy.open("w", encoding="utf-8", errors="surrogateescape") as out:
                    out.writelines("\t".join(line.split()) + "\n" for line in _filled(file))
                return str(copy)
    return str(Path(place).rename(copy)) if path == "-" else path


def _filled(lines: Iterable[str]) -> Iterator[str]:
    return (line for line in lines if line.strip() and not line.startswith("#"))


def _by_blanks(lines: Sequence[str]) -> bool:
    """Tell whether lines have fields separated by blanks, and by no other delimiter."""
    return _separates(None, lines) and not any(_separates(d, lines) for d in ",;\t|")


def _separates(delimiter: str | None, lines: Sequence[str]) -> bool:
    """Tell whether all lines have the same number of fields, more than one, with numbers."""
    fields = [line.strip().split(delimiter) for line in lines]
    widths = {len(of) for of in fields}
    return len(widths) == 1 and widths != {1} and any(_is_number(f.strip()) for f in fields[-1])


def _is_number(text: str | None) -> bool:
    return bool(text) and (NUMBER.fullmatch(str(text)) is not None or text in MISSING)


def _begins_with_data(place: str, sheet: str | None) -> bool:
    """Tell whether the first line of a file is data: numbers, like the lines below it."""
    try:
        table = open_table(place, header=False, sheet=sheet)
        if not isinstance(table, FileTable):
            return False
        first, *below = first_rows(table, _ROWS)
    except InputError:  # the usual reading of the file refuses it
        return False
    numbers = [i for i, text in enumerate(first) if _is_number(text)]
    if not numbers or not all(_is_number(row[i]) for row in below for i in numbers if row[i]):
        return False
    if [*first] == [str(i) for i in range(len(first))] and below:  # pandas numbers columns so
        if len(first) > 1:
            raise table.headless(first)
        return all(str(row[0]).isdecimal() for row in below if row[0])
    return True


# -- one file a kind, or one column a kind -------------------------------------------------------


def _of_two(first: Table, second: Table, asked: _Asked) -> Trials:
    """Return the scores of the genuine comparisons in one table, and the others in another."""
    options = {
        "kind": asked.kind or None,
        "cluster": asked.cluster or None,
        "positive": asked.positive,
        "probe": asked.sides.probe,
    }
    for word, value in options.items():
        if value is not None:
            raise InputError(f"{word} is not for one file per kind; leave {word}= out")
    sides = [_column_of(t, asked.score) for t in (first, second)]
    systems = [tuple(scores) for scores in sides]
    if len(systems[0]) == len(systems[1]) == 1 and systems[0] != systems[1]:
        sides[1] = {systems[0][0]: sides[1][systems[1][0]]}
    how = f"genuine scores from {first.name}, impostor scores from {second.name}"
    roles = {"score": _roles(asked.score or systems[0])}
    name = f"{first.name}, {second.name}"
    source = Source(name, first.kind, roles, format=(*first.format, how))
    repeated = dict.fromkeys(c for t in (first, second) for c in repeated_people(t, systems[0]))
    return Trials(sides[0], sides[1], source, repeated=tuple(repeated))


def _roles(names: Sequence[str]) -> str | tuple[str, ...]:
    return names[0] if len(names) == 1 else tuple(names)


def _column_of(table: Table, names: Sequence[str]) -> dict[str, Floats]:
    """Return the score columns of a file of one kind: those named, or its only one."""
    if _is_headless(table) and not names:
        score = _score_in(table, profile_of(table, table.columns), ())
        return {"score": read_whole(table, [], [score]).numbers[score]}
    if not names and len(table.columns) > 1:
        raise InputError(
            f"{table.name} has the columns {listed(table.columns)}; say which holds the scores "
            "with score=..."
        )
    return dict(read_whole(table, [], list(names or table.columns)).numbers)


def _is_headless(table: Table) -> bool:
    return "no header" in table.format


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


def side_by_side_said(columns: Sequence[str]) -> str | None:
    """Return the sentence that names the command for such columns; None for others."""
    names = {*map(plain, columns)}
    if not any(names >= {*pair} for pair in TRIALS):
        return None
    return (
        "the columns hold genuine and impostor scores side by side; judge them with "
        "tallymark verify, or tm.verify"
    )


def _of_columns(table: Table, pair: tuple[str, str]) -> Trials:
    """Return two columns of scores, of which the shorter ends in empty cells."""
    chunk, sides = read_whole(table, [], list(pair)), []
    for name in pair:
        scores = chunk.numbers[name]
        present = np.flatnonzero(~np.isnan(scores))
        sides.append({"system": scores[: present[-1] + 1 if len(present) else 0]})
    ignored = tuple(c for c in table.columns if c not in pair)
    how = (*table.format, f"{pair[0]} and {pair[1]} side by side")
    source = Source(table.name, table.kind, {"score": pair}, _ignored=ignored, format=how)
    return Trials(sides[0], sides[1], source)


# -- scores beside what each comparison is -------------------------------------------------------


def _of_kinds(table: Table, asked: _Asked) -> Trials:
    """Return the scores of a table with the kind of each comparison, or two identities."""
    groups = names_of(asked.cluster)
    for name in (*asked.score, *asked.kind, *groups):
        if name not in table.columns:
            raise InputError(f"there is no column {name!r}; {choices(name, table.columns)}")
    if len(asked.kind) > 2:
        raise InputError(
            f"kind names {len(asked.kind)} columns; give one that holds the kinds, or two that "
            "hold identities"
        )
    profile = {} if asked.score and asked.kind else profile_of(table, table.columns)
    why = {} if asked.kind else {"truth": "its values"}
    kinds = asked.kind or _kind_in(table, profile, asked)
    names = asked.score or (_score_in(table, profile, kinds),)
    if not asked.score:
        why["score"] = "the only scores"
    chunk = _read(table, kinds, names, groups)
    for name in kinds:
        if missing := chunk.labels[name].missing:
            raise InputError(f"{name} is missing in {many(missing, 'row')}; fill it")
    how, roles = [*table.format], dict[str, Any](truth=_roles(kinds), score=_roles(names))
    if len(kinds) == 2:
        mated_rows = _equal(chunk, kinds)
        other, mated = ~mated_rows, "genuine"
        how.append(f"genuine where `{kinds[0]}` equals `{kinds[1]}`")
    else:
        mated_rows, other, mated, remarks = _split(chunk, kinds[0], asked.positive)
        how += remarks
    compared = _who(table, asked, kinds, chunk, Kinds(mated_rows, other))
    clusters: NDArray[Any] | None = None
    if groups:
        codes, roles["cluster"] = chunk.groups[groups[0]], groups[0]
        clusters = np.where(codes < 0, np.nan, codes)
    if compared.columns:
        clusters = compared.first
        roles["people"] = compared.columns
        if not any(asked.sides):
            why["people"] = "equal in genuine comparisons alone"
    systems = names if asked.score or not _is_headless(table) else ("score",)
    sides = [
        {system: chunk.numbers[n][of] for system, n in zip(systems, names, strict=True)}
        for of in (mated_rows, other)
    ]
    read = {*kinds, *names, *groups, *compared.columns}
    ignored = tuple(c for c in table.columns if c not in read)
    source = Source(table.name, table.kind, roles, mated, why, _ignored=ignored, format=tuple(how))
    both = None if clusters is None else (clusters[mated_rows], clusters[other])
    people = compared.codes
    if people is not None:
        people = np.concatenate((people[mated_rows], people[other]))
    return Trials(sides[0], sides[1], source, both, people, compared.repeated)


def _who(table: Table, asked: _Asked, kinds: Sequence[str], chunk: Chunk, rows: Kinds) -> Who:
    """Return who is compared, unless the user said which comparisons belong together."""
    if asked.cluster is not None:
        return Who()
    if len(kinds) == 1 or any(asked.sides):
        return who(table, asked.sides, (*kinds, *chunk.numbers), rows)
    return people_of(chunk, kinds) or Who()


def _read(
    table: Table, kinds: Sequence[str], names: Sequence[str], groups: Sequence[str] = ()
) -> Chunk:
    """Return all rows of kinds and scores; identities may have many values."""
    several = list(kinds) if len(kinds) > 1 else []
    return read_whole(table, list(kinds), list(names), groups=list(groups), subgroups=several)


def _equal(chunk: Chunk, pair: Sequence[str]) -> NDArray[np.bool_]:
    """Tell in which rows two columns of identities are equal, none of them where they cannot be."""
    try:
        _, (one, other) = join_labels({name: chunk.labels[name] for name in pair})
    except InputError:  # texts and numbers
        return np.full(chunk.rows, False)
    return np.asarray(one == other)


def _split(
    chunk: Chunk, kind: str, positive: Label | None
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], str, list[str]]:
    """Return which rows are genuine, which impostors, the word for it, and what is left out."""
    coded = chunk.labels[kind]
    texts = [str(label) for label in coded.labels]
    pair = _pair(texts, positive)
    if pair is None:
        raise InputError(
            f"{kind} holds {listed(texts[:8])}, which are not two kinds of comparisons, such as "
            "genuine and impostor, mated and non-mated, or 1 and 0; name the genuine one with "
            "positive=..."
        )
    mated, impostors = pair
    rows = {text: coded.codes == i for i, text in enumerate(texts)}
    remarks = [
        f"{many(int(of.sum()), 'comparison')} of the kind {text!r} left out"
        for text, of in rows.items()
        if text != mated and text not in impostors
    ]
    other = np.isin(coded.codes, [i for i, text in enumerate(texts) if text in impostors])
    return rows[mated], other, mated, remarks


def _pair(
    labels: Sequence[str], positive: Label | None = None
) -> tuple[str, tuple[str, ...]] | None:
    """Return the label of genuine comparisons and those of impostors; None if no words match.

    With words for both kinds a third value is left out. Other labels must be two, or ``positive``
    names the genuine one.
    """
    words = {plain(label): label for label in labels}
    if not len(labels) == len(words) > 1:
        return None
    for pairs in (TRIALS, ATTACKS):
        fit = [(words[a], words[b]) for a, b in pairs if words.keys() >= {a, b}]
        if len(fit) == 1 and positive in (None, fit[0][0]):
            return fit[0][0], fit[0][1:]
    if positive is not None:
        rest = tuple(label for label in labels if label != str(positive))
        return (str(positive), rest) if len(rest) < len(labels) else None
    fit = [(words[a], words[b]) for a, b in NUMBERED if set(words) == {a, b}]
    return (fit[0][0], fit[0][1:]) if fit else None


def _kind_in(table: Table, profile: Profile, asked: _Asked) -> Sequence[str]:
    """Return the column whose values are kinds of comparisons, or the two of identities."""
    columns = [c for c in table.columns if c not in asked.score]
    if not profile:  # rows are not at hand
        named = [c for c in columns if plain(c) in ("kind", "label", "type", "truth", "trial")]
        if not named:
            raise _no_kinds(table)
        return [_only(named, "kind", "give the kind of comparison")]
    proposed = _kinds_among(columns, profile, asked.positive)
    worded = any(_level(profile[c].texts) < len(_WORDS) for c, *_ in proposed)
    if not proposed or (_is_headless(table) and not worded and asked.positive is None):
        proposed += _identities(table, profile)
    two = [c for c in columns if c in profile and profile[c].classes == 2]
    if not proposed and len(two) == 1:
        texts = profile[two[0]].texts
        says = " or ".join(f"positive={text!r}" for text in texts)
        raise InputError(
            f"{two[0]} of {table.name} holds {listed(texts)}, which does not say which of them are "
            f"genuine comparisons; say {says}"
        )
    if not proposed:
        raise _no_kinds(table)
    genuine = [_genuine(table, kinds, asked.positive) for kinds in proposed]
    if any((of != genuine[0]).any() for of in genuine):
        names = (kinds[0] if len(kinds) == 1 else list(kinds) for kinds in proposed)
        several = " or ".join(f"kind={name!r}" for name in names)
        raise InputError(
            f"several columns of {table.name} could tell which comparisons are genuine; say "
            f"{several}"
        )
    return proposed[0]


_WORDS = (TRIALS, ATTACKS)
"""Words of kinds; columns with the first have priority over columns with the second."""


def _level(texts: Sequence[str]) -> int:
    """Return the index of the words that match the values of a column, or their number."""
    words = {*map(plain, texts)}
    fit = (level for level, pairs in enumerate(_WORDS) if any({*p} <= words for p in pairs))
    return next(fit, len(_WORDS))


def _kinds_among(
    columns: Sequence[str], profile: Profile, positive: Label | None
) -> list[tuple[str, ...]]:
    """Return the columns of kinds of comparisons, those with the clearest words."""
    few = [c for c in columns if c in profile and 1 < profile[c].distinct <= _MOST_KINDS]
    levels = {c: _level(profile[c].texts) for c in few if _pair(profile[c].texts, positive)}
    return [(c,) for c, level in levels.items() if level == min(levels.values())]


def _genuine(table: Table, kinds: Sequence[str], positive: Label | None) -> NDArray[np.bool_]:
    chunk = _read(table, kinds, ())
    return _equal(chunk, kinds) if len(kinds) == 2 else _split(chunk, kinds[0], positive)[0]


def _no_kinds(table: Table) -> InputError:
    """Return the refusal of a table that does not say which comparisons are genuine."""
    headless = " (it has no header, so these are their places)" if _is_headless(table) else ""
    return InputError(
        f"{table.name} has neither columns named genuine and impostor nor one with the kind of "
        f"each comparison; its columns are {listed(table.columns)}{headless}; say which with "
        "kind=..., and which of its values is genuine with positive=..., or name two columns of "
        "identities, kind=[...], or give one file per kind"
    )


def _identities(table: Table, profile: Profile) -> list[tuple[str, ...]]:
    """Return pairs of columns that hold the same identities, equal in some rows and not in others.

    Without a header, the usual positions are tried before other pairs of columns.
    """
    columns = [c for c in table.columns if c in profile and profile[c].distinct > 1]
    usual = []
    if not _is_headless(table):
        columns = [c for c in columns if names_identity(c)]
    elif layout := _LAYOUTS.get(len(table.columns)):
        usual = [(table.columns[layout[0]], table.columns[layout[1]])]
        columns = [c for c in columns if c != table.columns[-1]]
    else:
        return []
    for some in (usual, combinations(columns, 2)):
        if pairs := [pair for pair in some if _are_identities(table, pair)]:
            return [*pairs]
    return []


def names_distance(column: str) -> bool:
    """Tell whether a column is named like distances.

    >>> names_distance("cosine_distance"), names_distance("similarity")
    (True, False)
    """
    return any(part in _DISTANCES for part in parts_of(column))


def _are_identities(table: Table, pair: tuple[str, str]) -> bool:
    try:
        chunk = _read(table, pair, ())
    except InputError:  # fractions, or more than there can be
        return False
    one, other = (set(chunk.labels[name].labels) for name in pair)
    equal = _equal(chunk, pair)
    shared = 2 * len(one & other) >= min(len(one), len(other))
    return bool(shared and equal.any() and not equal.all())


def _score_in(table: Table, profile: Profile, kinds: Sequence[str]) -> str:
    """Return the one column of scores."""
    columns = [c for c in table.columns if c not in kinds]
    candidates = [c for c in columns if plain(c) in SCORES]
    if not candidates:
        numbers = [c for c in columns if c in profile and profile[c].numeric]
        candidates = [c for c in numbers if not profile[c].whole] or numbers
        if len(candidates) > 1 and profile[candidates[0]].whole and _is_headless(table):
            candidates = candidates[-1:]  # identities, before the score
    if not candidates:
        raise InputError(
            f"{table.name} has no column of scores; its columns are {listed(table.columns)}; say "
            "which with score=..."
        )
    return _only(candidates, "score", "be the scores")


def _only(columns: Sequence[str], role: str, could: str) -> str:
    """Return the one column of a role, or refuse several."""
    if len(columns) > 1:
        options = ", ".join(f"{role}={c!r}" for c in columns)
        raise InputError(f"several columns could {could}; say {options}")
    return columns[0]
