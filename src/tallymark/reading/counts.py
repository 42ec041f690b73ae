"""Which column says how many rows each line of a table stands for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from tallymark.errors import InputError, listed
from tallymark.reading.chunks import FrameTable
from tallymark.reading.columns import Roles
from tallymark.reading.engines import ends_of_whole
from tallymark.reading.files import FileTable
from tallymark.reading.names import is_count
from tallymark.reading.profile import Table, profile_of
from tallymark.reading.weka import WekaTable

ENOUGH = 3.0
"""Lines of which none are equal, where so many pairs of rows would be, are combinations of values
that were counted: rows have no equal pair with a probability of 5 %, exp(-3)."""


def settle_counts(
    table: Table, roles: Roles, asked: str | bool | None,
    beside: Sequence[str | None] = (),
) -> Roles:  # fmt: skip
    """Return the roles with the column that counts rows, where its name and all lines say so.

    A column is called ``n`` or ``count`` for many reasons. It counts rows where it holds whole
    numbers, and the other columns hold each combination of their values once: rows would have
    equal ones. ``asked`` is what somebody said: a column, or False where each line is one row.
    The columns ``beside`` were given a part.

    Raises
    ------
    InputError
        A column that could count rows as well as not.

    """
    if asked is not None or roles.counted or roles.pos_neg or isinstance(table, WekaTable):
        return roles
    taken = {c for names in roles.columns.values() for c in names}
    free = [c for c in table.columns if c not in {*taken, *beside}]
    names = [c for c in (free if roles.weight is None else [roles.weight]) if is_count(c)]
    names = [c for c in names if _can_count(table, c)]
    if len(names) > 1:
        raise InputError(
            f"several columns could count the rows of each line: {listed(names)}; say which with "
            "count=..., or count=False if each line is one row"
        )
    for name in names:
        others = [c for c in table.columns if c != name]
        alone = {*taken, *beside} - {name} >= set(others)
        if not (alone or _are_combinations(table, others)):
            weighs = f"weight={name!r} with count=False if it weighs each row"
            single = "count=False if each line is one row"
            raise InputError(
                f"{name} holds whole numbers and could count the rows of each line; say "
                f"count={name!r} if it does, or {weighs if roles.weight else single}"
            )
        why = {**roles.why, "count": "its name, and every combination has one line"}
        return replace(roles, weight=None, counted=name, why=why)
    return roles


def _can_count(table: FrameTable | FileTable, name: str) -> bool:
    """Tell whether a column holds whole numbers, zero or more and some above 1, in every line."""
    held = profile_of(table, [name])
    if held is not None:
        column = held[name]
        ends = (column.low, column.high) if column.whole and not column.missing else None
    else:
        assert isinstance(table, FrameTable)
        ends = ends_of_whole(table, name)
    low, high = ends or (None, None)
    return low is not None and high is not None and bool(low >= 0 and high > 1)


def _are_combinations(table: FrameTable | FileTable, columns: Sequence[str]) -> bool:
    """Tell whether no two lines are equal in some columns, though of rows some would be."""
    held, lines = profile_of(table, columns), table.rows
    if held is None or len(held) < len(columns):
        return False  # it would cost the engine a question for each column
    pairs = lines * (lines - 1) / 2
    expected = pairs * math.prod(c.equal_pairs / pairs for c in held.values()) if pairs else 0.0
    groups = math.prod(c.distinct + bool(c.missing) for c in held.values())
    if expected < ENOUGH and (groups > lines or not pairs):
        return False
    found = table.groups(columns)
    return found is not None and found["values"] == lines
