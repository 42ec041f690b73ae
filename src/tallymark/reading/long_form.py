"""Tables in long form (one line per case and model), read as one line per case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError
from tallymark.reading.chunks import AnyTable, Chunk, FrameTable, joined
from tallymark.reading.columns import ModelRoles, Roles
from tallymark.reading.names import is_model
from tallymark.reading.profile import Table, profile_of
from tallymark.reading.source import Source

if TYPE_CHECKING:
    from tallymark.reading.files import FileTable

MOST_MODELS = 100
"""A column with more values does not name models."""

MOST_CASES = 20
"""Most columns that are tried as identifier of the case."""

LINES_MATCH = "its name, and every model has one line per case"


class _UnmatchedError(InputError):
    """The rows of one model do not match those of another; the message says why."""


@dataclass(frozen=True, slots=True)
class LongTable(AnyTable):
    """A table with a column ``model``, whose lines are read as one line per case.

    ``case`` identifies the lines of a case; None if each model's lines have the same order.
    """

    table: FrameTable | FileTable
    model: str
    truth: str
    case: str | None = None
    models: tuple[Any, ...] = ()

    @property
    def name(self) -> str:
        """The name of the table."""
        return self.table.name

    @property
    def format(self) -> Sequence[str]:
        """Notes on what was not read literally."""
        return self.table.format

    @property
    def rows(self) -> int:
        """The number of cases."""
        return self.table.rows // max(len(self.models), 1)

    def spread(self, models: Sequence[ModelRoles]) -> tuple[ModelRoles, ...]:
        """Return the roles of each model, from the roles of one line."""
        return tuple(
            replace(
                m,
                name=str(whose) if len(models) == 1 else f"{whose} {m.name}",
                pred=m.pred and _of(m.pred, whose),
                scores=tuple(_of(c, whose) for c in m.scores),
            )
            for whose in self.models
            for m in models
        )

    def source(self, source: Source, roles: Roles, model: str | bool | None) -> Source:
        """Return the source with the columns by role as the lines have them.

        ``model`` is the user's value of ``model=``.
        """
        own = {"model": self.model} | ({"case": self.case} if self.case else {})
        columns = {role: tuple(names) for role, names in roles.columns.items() if names}
        named = {role: names[0] if len(names) == 1 else names for role, names in columns.items()}
        return replace(
            source,
            _roles={**named, **own},
            _why=source._why if model else {**source._why, "model": LINES_MATCH},
            _ignored=tuple(c for c in source._ignored if c not in own.values()),
        )

    def chunks(
        self,
        labels: Sequence[str],
        numbers: Sequence[str],
        groups: Sequence[str] = (),
        subgroups: Sequence[str] = (),
    ) -> Iterator[Chunk]:
        """Yield the named columns, those of the models side by side, as one chunk."""
        own = {
            _of(c, whose): (i, c) for i, whose in enumerate(self.models) for c in self.table.columns
        }
        place = {c: own.get(c, (0, c)) for c in (*labels, *numbers, *groups)}

        def present(names: Sequence[str], *more: str | None) -> list[str]:
            return list(dict.fromkeys([*(place[c][1] for c in names), *filter(None, more)]))

        chunk = self.read(
            present(labels, self.truth, self.model),
            present(numbers),
            present(groups, self.case),
            subgroups,
        )
        order = self.order(chunk)
        values: dict[str, Any] = {c: coded.codes for c, coded in chunk.labels.items()}
        values |= chunk.numbers | chunk.groups
        for name in place.keys() - own.keys():
            each = values[name][order]
            if not np.array_equal(each[1:], each[:-1], equal_nan=each.dtype.kind == "f"):
                raise InputError(
                    f"{name!r} differs between the models' lines of one case; leave it out, or "
                    "give each case one value"
                )
        lines = [chunk.kept(places) for places in order]
        yield Chunk(
            0,
            {c: lines[i].labels[column] for c, (i, column) in place.items() if c in labels},
            {c: lines[i].numbers[column] for c, (i, column) in place.items() if c in numbers},
            order.shape[1],
            {c: lines[0].groups[c] for c in groups},
        )

    def read(
        self,
        labels: Sequence[str],
        numbers: Sequence[str] = (),
        groups: Sequence[str] = (),
        subgroups: Sequence[str] = (),
    ) -> Chunk:
        """Return all lines of some columns."""
        subgroups = [*subgroups, self.model]
        chunks = self.table.chunks(labels, numbers, groups=groups, subgroups=subgroups)
        return joined(list(chunks))

    def order(self, chunk: Chunk) -> NDArray[np.intp]:
        """Return the line of each model and case as a matrix [model, case]."""
        whose = chunk.labels[self.model]
        if (whose.codes < 0).any():
            raise _UnmatchedError(f"{self.model!r} is missing in some lines")
        sizes = np.bincount(whose.codes, minlength=len(whose.labels))
        least, most = int(sizes.argmin()), int(sizes.argmax())
        if sizes[least] != sizes[most]:
            a, b = whose.labels[most], whose.labels[least]
            raise _UnmatchedError(
                f"{str(a)!r} has {sizes[most]:,} lines and {str(b)!r} {sizes[least]:,}"
            )
        cases = chunk.groups.get(self.case or "")
        keys = (whose.codes,) if cases is None else (cases, whose.codes)
        order = np.lexsort(keys).reshape(len(sizes), -1)
        if cases is not None:
            ids = cases[order]
            if (ids != ids[0]).any() or ids.min() < 0 or (np.diff(ids[0]) == 0).any():
                raise _UnmatchedError(f"{self.case!r} does not name each case once per model")
        truth = chunk.labels[self.truth].codes
        if (truth[order] != truth[order[0]]).any():
            lines = "lines" if self.case else "lines in their order"
            raise _UnmatchedError(f"{self.truth!r} differs between the models' {lines}")
        if cases is None and (np.diff(truth[order[0]]) != 0).sum() < len(set(truth.tolist())):
            raise _UnmatchedError("no column names the case, and the lines are sorted by the truth")
        return order[:, np.argsort(order[0])]


def _of(column: str, whose: Any) -> str:
    return f"{column} of {whose}"


def long_table(
    table: Table, roles: Roles, model: str | bool | None, free: Sequence[str]
) -> LongTable | None:
    """Return the table by cases if a column names models, else None.

    ``model`` is that column, or False for none; ``free`` are the columns without a role.

    Raises
    ------
    InputError
        Lines of several models that cannot be matched.

    """
    if model is False or table.layout:
        return None
    names = [model] if isinstance(model, str) else [c for c in free if names_models(table, c)]
    if not names:
        return None
    name, *more = names
    try:
        if more:
            raise _UnmatchedError(f"{more[0]!r} may name models as well")
        if not (model or table.at_hand):
            raise _UnmatchedError(f"its rows would have to be fetched, as model={name!r} does")
        if roles.counted or roles.pos_neg:
            raise _UnmatchedError("a line that counts rows does not identify their cases")
        return _matched(table, name, roles.truth, [c for c in free if c != name])
    except _UnmatchedError as error:
        if not model and not is_model(name, surely=True):
            return None
        raise InputError(
            f"{name!r} says which model made each prediction, and the models' lines cannot be "
            f"matched: {error}; give one line per case and model, or say subgroup={name!r} to "
            f"judge each model's rows as a subgroup, or model=False if {name!r} names no models"
        ) from None


def names_models(table: Table, name: str, *, surely: bool = False) -> bool:
    """Return whether a column is named like models and holds several, but few, values."""
    if not is_model(name, surely=surely):
        return False
    if not table.at_hand:
        return table.varies(name)
    facts = profile_of(table, [name])[name]
    return 1 < facts.distinct <= MOST_MODELS


def _matched(
    table: FrameTable | FileTable, name: str, truth: str, others: Sequence[str]
) -> LongTable:
    """Return the table by the first column that identifies cases, else by line order."""
    long = LongTable(table, name, truth)
    models = long.read([name, truth]).labels[name].labels
    if len(models) < 2:
        raise _UnmatchedError(f"{name!r} names {len(models)} model; leave model= out")
    long = replace(long, models=models)
    facts, alike = profile_of(table, others), []
    for c in facts or others:
        if column := facts.get(c):
            close = (
                abs(column.distinct * len(models) - column.rows) <= 0.1 * column.rows
                and not column.missing
            )
            if not close or (column.numeric and not column.whole):
                continue
        alike.append(c)
    why: _UnmatchedError | None = None
    for case in [*alike[:MOST_CASES], None]:
        result = replace(long, case=case)
        try:
            order = result.order(result.read([name, truth], groups=[case] if case else []))
        except _UnmatchedError as error:
            why = why or error
            continue
        if case is None and any(_disagree(long, c, order) for c in alike[:MOST_CASES]):
            break
        return result
    assert why is not None
    raise why


def _disagree(long: LongTable, column: str, order: NDArray[np.intp]) -> bool:
    """Return whether a column contradicts that lines at the same position are one case."""
    codes = long.read([long.model], groups=[column]).groups[column]
    return bool((codes[order] != codes[order[0]]).any())
