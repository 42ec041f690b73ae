"""Who is compared: the columns with the person of either side, by their names and their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark import InputError
from tallymark.core import (
    Chunk,
    Floats,
    Table,
    choices,
    join_labels,
    listed,
    many,
    profile_of,
    read_whole,
)
from tallymark.parts.verification.people import both_people, pair_codes

PERSONS = (
    "identity",
    "subject",
    "person",
    "client",
    "claimed",
    "speaker",
    "spk",
    "user",
    "reference",
    "template",
    "gallery",
    "probe",
    "enrol",
    "enroll",
)
"""Parts of the names of columns that hold people, or samples of people."""

IDENTITIES = (*PERSONS, "id", "real", "model", "test", "sample", "query", "target")
"""Parts of the names of columns that may be people, if their values say so."""


def parts_of(column: str) -> list[str]:
    """Return the words of a name in lower case.

    >>> parts_of("Subject_ID2")
    ['subject', 'id']
    """
    return "".join(c if c.isalpha() else " " for c in column.lower()).split()


def names_identity(column: str) -> bool:
    """Tell whether a column is named like one of the two identities of a comparison."""
    return any(part in IDENTITIES for part in parts_of(column))


def names_person(column: str) -> bool:
    """Tell whether a column is named like people: such values are shared by comparisons.

    >>> names_person("id1"), names_person("probe_id"), names_person("trial_id")
    (True, True, False)
    """
    words = [w for w in parts_of(column) if len(w) > 1]
    return words == ["id"] or any(word in PERSONS for word in words)


class Sides(NamedTuple):
    """The columns with the person of the probe and of the reference that the user named."""

    probe: str | None = None
    reference: str | None = None

    @property
    def names(self) -> list[str]:
        """The columns; raises InputError if only one is named."""
        names = [name for name in self if name is not None]
        if len(names) == 1:
            raise InputError(
                "probe and reference say together who is compared; give both, or neither"
            )
        return names


@dataclass(frozen=True)
class Who:
    """The people of all comparisons of a table, if known.

    ``first`` is the code of the person in the first of the ``columns``, and ``codes`` those of both
    people, as :func:`pair_codes` gives them. ``repeated`` are columns with the names of people
    whose values repeat, where who is compared is not known.
    """

    columns: tuple[str, ...] = ()
    first: NDArray[np.intp] | None = None
    codes: Floats | None = None
    repeated: tuple[str, ...] = ()


class Kinds(NamedTuple):
    """Which rows of a table are genuine comparisons, and which are of impostors."""

    mated: NDArray[np.bool_]
    other: NDArray[np.bool_]


def who(table: Table, sides: Sides, used: Sequence[str], kinds: Kinds) -> Who:
    """Return who is compared in each row of a table.

    Two columns are the people of both sides if their values are equal in all genuine comparisons
    and differ in all others. Columns that the user named are refused otherwise; columns that are
    named like identities are then not used.
    """
    if named := sides.names:
        for name in named:
            if name not in table.columns:
                raise InputError(f"there is no column {name!r}; {choices(name, table.columns)}")
        found = _people(table, named, kinds)
        if isinstance(found, Who):
            return found
        raise InputError(
            f"{listed(named)} do not hold the people of both sides: {found}; name the columns with "
            "probe=... and reference=..."
        )
    columns = [c for c in table.columns if c not in used and names_identity(c)]
    profile = profile_of(table, columns) if columns else {}
    for pair in combinations((c for c in columns if c in profile and profile[c].distinct > 1), 2):
        found = _people(table, pair, kinds)
        if isinstance(found, Who):
            return found
    return Who(repeated=repeated_people(table, used))


def repeated_people(table: Table, used: Sequence[str]) -> tuple[str, ...]:
    """Return the columns named like people, other than those in use, whose values repeat."""
    named = [c for c in table.columns if c not in used and names_person(c)]
    profile = profile_of(table, named) if named else {}
    return tuple(c for c in named if c in profile and 1 < profile[c].distinct < profile[c].present)


def people_of(chunk: Chunk, pair: Sequence[str]) -> Who | None:
    """Return the people in two columns of all rows, None if one holds texts and one numbers."""
    try:
        _, (one, other) = join_labels({name: chunk.labels[name] for name in pair})
    except InputError:
        return None
    return Who(tuple(pair), one, pair_codes(one, other))


def _people(table: Table, pair: Sequence[str], kinds: Kinds) -> Who | str:
    """Return the people in two columns, or what refutes that these hold them."""
    try:
        chunk = read_whole(table, list(pair), [], groups=[], subgroups=list(pair))
    except InputError:
        return "they hold fractions, or more values than people"
    for name in pair:
        if missing := chunk.labels[name].missing:
            return f"{name} is missing in {many(missing, 'row')}"
    found = people_of(chunk, pair)
    if found is None:
        return "one holds texts and the other numbers"
    equal = same_person(found)
    if differ := int((~equal & kinds.mated).sum()):
        of = int(kinds.mated.sum())
        return f"they differ in {differ:,} of {many(of, 'genuine comparison')}"
    if same := int((equal & kinds.other).sum()):
        of = int(kinds.other.sum())
        return f"they are equal in {same:,} of {many(of, 'impostor comparison')}"
    return found


def same_person(found: Who) -> NDArray[np.bool_]:
    """Tell which comparisons are of one person."""
    assert found.codes is not None
    first, second = both_people(found.codes)
    return np.asarray(first == second)
