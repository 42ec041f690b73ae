"""Which column says how many rows each line of a table stands for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tallymark.data.chunks import FrameTable
from tallymark.data.columns import Roles, is_count
from tallymark.data.engines import ends_of_whole
from tallymark.data.files import FileTable
from tallymark.data.weka import WekaTable
from tallymark.errors import InputError, listed
from tallymark.tally.arrays import first_come

ENOUGH = 3.0
"""Lines of which none are equal, where so many pairs of rows would be, are combinations of values
that were counted: rows have no equal pair with a probability of 5 %, exp(-3)."""


def settle_counts(
    table: FrameTable | FileTable | WekaTable, roles: Roles, asked: str | bool | None,
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
    ends: Any = None
    if isinstance(table, FileTable):
        x = f"{table.sql_of(name)} ->> '$'" if table.types[name] == "JSON" else table.sql_of(name)
        number = f"TRY_CAST({x} AS DOUBLE)"
        # Where nobody reads the text, DuckDB makes CSV columns numbers, and stops at a word.
        broken, *found, _ = table.read(
            f"SELECT count(*) FILTER (({number} = trunc({number})) IS NOT TRUE), min({number}), "
            f"max({number}), count({x}) FROM source"
        ).fetchone()
        ends = None if broken else found
    elif table.in_engine:
        ends = ends_of_whole(table, name)
    else:
        values = table.column(name)
        if values.dtype.kind in "iuf" and len(values) and (values == np.trunc(values)).all():
            ends = values.min(), values.max()
    return ends is not None and ends[0] is not None and bool(ends[0] >= 0 and ends[1] > 1)


def _are_combinations(table: FrameTable | FileTable, columns: Sequence[str]) -> bool:
    """Tell whether no two lines are equal in some columns, though of rows some would be."""
    lines, groups = table.rows, 1
    expected = pairs = lines * (lines - 1) / 2
    if not pairs or not (isinstance(table, FileTable) or not table.in_engine):
        return False  # it would cost the engine a question for each column
    found = _in_file(table, columns) if isinstance(table, FileTable) else _in_frame(table, columns)
    for name in (*columns, None):
        distinct, equal = next(found)
        if name is None:
            return bool(distinct == lines)
        groups *= distinct
        expected *= equal / pairs
        if expected < ENOUGH and groups > lines:
            break
    return False


def _in_frame(table: FrameTable, columns: Sequence[str]) -> Iterator[tuple[int, float]]:
    """Yield the distinct values and pairs of equal ones of each column, and then of all."""
    together = np.zeros(table.rows, dtype=np.intp)
    for name in columns:
        values = table.column(name)
        if values.dtype.kind == "O":
            values = np.array([f"{type(v).__name__} {v}" for v in values])
        codes = first_come(values)
        counts = np.bincount(codes).astype(float)
        yield len(counts), float((counts * (counts - 1)).sum() / 2)
        together = first_come(together * len(counts) + codes)
    yield int(together.max()) + 1, 0.0


def _in_file(table: FileTable, columns: Sequence[str]) -> Iterator[tuple[int, float]]:
    """Yield the same of a file."""
    for some in [*([c] for c in columns), columns]:
        keys = ", ".join(map(table.sql_of, some))
        yield table.read(
            "SELECT count(*), sum(c * (c - 1)) / 2 FROM (SELECT count(*)::DOUBLE AS c FROM source "
            f"GROUP BY {keys})"
        ).fetchone()
