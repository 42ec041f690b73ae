"""Open what is judged: a table, several files, logs, and labels in a table of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark import InputError
from tallymark.core import (
    ArrayTable,
    Coded,
    Finding,
    Table,
    answer,
    check_name,
    code_names,
    is_path,
    listed,
    many,
    must_have,
    open_table,
    read_whole,
    released,
    shortened,
    whole_column,
)
from tallymark.parts.judges import findings

MODEL = "model"
ITEM = "item"
OF_LOGS = "value"
"""The column of scores in a table of logs."""

_KEYS = (MODEL, "task", "epoch")
"""Columns that tell rows of one item apart, if both the rows and their labels have them."""

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Source:
    """Columns as arrays, what they were read from, and what is to be said about it."""

    arrays: Arrays
    name: str
    how: tuple[str, ...] = ()
    notes: tuple[Finding, ...] = ()

    @property
    def table(self) -> Table:
        """The columns as a table."""
        table = ArrayTable(self.arrays)
        table.name = self.name
        return table


def paths_of(data: Any) -> list[Any] | None:
    """Return data as a list of paths, None for other data."""
    if is_path(data):
        return [data]
    several = isinstance(data, list | tuple) and data and all(map(is_path, data))
    return list(data) if several else None


def from_logs(data: Any, scorer: str | None) -> Source | None:
    """Return the scores in logs, those of one scorer; None if data is not logs."""
    paths = paths_of(data)
    table = None if paths is None else answer("graded", paths, None)
    if table is None:
        return None
    arrays = {name: whole_column(table, name) for name in table.columns}
    names = sorted(set(map(str, arrays["scorer"].tolist())))
    if scorer is not None:
        check_name("scorer", scorer, names)
    elif len(names) > 1:
        raise InputError(
            f"the scores in {table.name} are those of {many(len(names), 'scorer')}, "
            f"{listed(names)}; choose one with scorer=..."
        )
    mine = arrays["scorer"].astype(str) == (scorer or names[0])
    arrays = {name: column[mine] for name, column in arrays.items() if name != "scorer"}
    return Source(arrays, f"{table.name}, {scorer or names[0]}", tuple(table.format))


def from_tables(
    data: Any, labels: Sequence[str], numbers: Sequence[str], names: Sequence[str], **opened: Any
) -> Source:
    """Return the named columns of a table, or of several files, of labels, numbers and names.

    A file without a column ``model`` is a model. Columns that tell rows apart are read where they
    are there.
    """
    paths = paths_of(data)
    if paths is None:
        return _from_table(data, labels, numbers, names, **opened)
    stems = [Path(path).stem for path in paths]
    twice = next((n for n in stems if stems.count(n) > 1), None)
    parts = []
    for path, stem in zip(paths, stems, strict=True):
        part = _from_table(path, labels, numbers, [n for n in names if n != MODEL], **opened)
        if MODEL not in part.arrays:
            if twice is not None:
                raise InputError(
                    f"two files would both be the model {twice!r}; give them different names, or "
                    "a column of the model"
                )
            rows = len(next(iter(part.arrays.values())))
            part.arrays[MODEL] = np.full(rows, stem, dtype=object)
        parts.append(part)
    common = [n for n in parts[0].arrays if all(n in p.arrays for p in parts)]
    return Source(
        {name: _end_to_end([p.arrays[name] for p in parts]) for name in common},
        ", ".join(part.name for part in parts),
        tuple(dict.fromkeys(line for part in parts for line in part.how)),
    )


def _from_table(
    data: Any, labels: Sequence[str], numbers: Sequence[str], names: Sequence[str], **opened: Any
) -> Source:
    table = open_table(data, **opened)
    with released(table):
        must_have(table.columns, [*labels, *numbers, *names], table.name)
        beside = (n for n in (ITEM, *_KEYS) if n in table.columns)
        keys = [n for n in dict.fromkeys([*names, *beside]) if n not in (*labels, *numbers)]
        arrays = {name: whole_column(table, name) for name in keys}
        chunk = read_whole(table, labels, numbers)
        arrays |= {name: _decoded(chunk.labels[name]) for name in labels}
        arrays |= {name: chunk.numbers[name] for name in numbers}
        return Source(arrays, table.name, tuple(table.format))


def _decoded(column: Coded) -> NDArray[Any]:
    """Return a label column as an array, with None for missing labels."""
    return np.asarray(np.array([*column.labels, None], dtype=object)[column.codes])


def _end_to_end(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return the columns of several files as one; texts stay texts beside numbers."""
    kinds = {c.dtype.kind in "biuf" for c in columns}
    return np.concatenate([c if len(kinds) == 1 else c.astype(object) for c in columns])


# -- labels of another table -----------------------------------------------------------------------


def with_labels(
    source: Source, labels: Any, truth: str | None, item: str, model: str = MODEL
) -> tuple[Source, str]:
    """Return the columns with the labels of another table, and the name of their column.

    Labels are joined by the item, and by the model, task and epoch where both have them.
    """
    rows = source.arrays
    table = open_table(labels)
    with released(table):
        must_have(list(rows), [item], source.name)
        must_have(table.columns, [item], table.name)
        among = [model, *(k for k in _KEYS if k != MODEL)]
        keys = [item, *(k for k in among if k in rows and k in table.columns)]
        truth = _truth_of(table, keys, truth)
        if truth in rows:
            raise InputError(
                f"{truth!r} is a column of both {source.name} and {table.name}; leave labels=... "
                "out, or rename one of them"
            )
        values = _decoded(read_whole(table, [truth], []).labels[truth])
        of_labels = _names_of({k: whole_column(table, k) for k in keys}, keys)
    lacking = [k for k in among if k in rows and k not in keys]
    place = _places(of_labels, values, keys, lacking, table.name)
    out, matched = np.full(len(rows[item]), None, dtype=object), set()
    for row, key in enumerate(_names_of(rows, keys)):
        if (at := place.get(key)) is None:
            continue
        if key in matched:
            raise _several_rows(key, keys, [k for k in among if k in rows], source, table.name)
        matched.add(key)
        out[row] = values[at]
    lone = [key for key in place if key not in matched]
    if not matched:
        first = _names_of({k: rows[k][:1] for k in keys}, keys)[0]
        raise InputError(
            f"no row of {source.name} matches a label of {table.name}: the first row has "
            f"{_where(first, keys)}, and the first label {_where(lone[0], keys)}; write them "
            "alike, or name another column with item=..."
        )
    notes = source.notes
    if lone:
        such = _where(lone[0], keys)
        found = findings.LABELS_UNMATCHED.finding(lone=len(lone), labels=len(place), such=such)
        notes = (*notes, found)
    how = (*source.how, f"labels from {table.name}, by {' and '.join(f'`{k}`' for k in keys)}")
    return Source({**rows, truth: out}, source.name, how, notes), truth


def _truth_of(table: Table, keys: Sequence[str], truth: str | None) -> str:
    """Return the column of labels: the named one, else the only one beside the keys."""
    if truth is not None:
        must_have(table.columns, [truth], table.name)
        return truth
    rest = [c for c in table.columns if c not in (*keys, *_KEYS)]
    if len(rest) != 1:
        among = listed(rest) if rest else "no column"
        raise InputError(
            f"{table.name} has {among} beside {listed(list(keys))}; name the column of labels with "
            "truth=..."
        )
    return rest[0]


def _names_of(columns: Mapping[str, Any], keys: Sequence[str]) -> list[tuple[str, ...]]:
    """Return what names each row: its values in the key columns, as texts."""
    coded = [code_names(columns[k], k) for k in keys]
    texts = [np.array([str(v) for v in c.labels], dtype=object)[c.codes].tolist() for c in coded]
    return list(zip(*texts, strict=True))


def _places(
    names: Sequence[tuple[str, ...]],
    values: NDArray[Any],
    keys: Sequence[str],
    lacking: Sequence[str],
    table: str,
) -> dict[tuple[str, ...], int]:
    """Return the row of each label; refuse two labels of one row."""
    place: dict[tuple[str, ...], int] = {}
    for row, (name, value) in enumerate(zip(names, values.tolist(), strict=True)):
        if value is None:
            continue
        if name in place:
            more = f"add the column {lacking[0]!r} to it, or " if lacking else ""
            raise InputError(
                f"{table} has two labels where {_where(name, keys)}; {more}keep one of them"
            )
        place[name] = row
    if not place:
        raise InputError(f"{table} holds no label; give at least one")
    return place


def _several_rows(
    name: tuple[str, ...], keys: Sequence[str], own: Sequence[str], source: Source, labels: str
) -> InputError:
    """Return the error for a label that stands for several rows."""
    lacking = [k for k in own if k not in keys]
    remedy = f"add the column {lacking[0]!r} to it" if lacking else "leave out those that repeat"
    return InputError(
        f"{source.name} has several rows where {_where(name, keys)}, and {labels} has one label "
        f"for them; {remedy}"
    )


def _where(name: tuple[str, ...], keys: Sequence[str]) -> str:
    return " and ".join(f"{k} = {shortened(v)}" for k, v in zip(keys, name, strict=True))
