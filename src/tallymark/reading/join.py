"""Join predictions with true classes of another file, by a key or by row order.

The key is detected. A column of both tables is a key if it identifies each row in both; equal
values identify the same rows. Rows are joined by order only if nothing in the two tables
contradicts it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallymark.contract import FLAG, PATH, TEXT, checked, shown
from tallymark.errors import InputError, choices, listed, shortened
from tallymark.findings.finding import Finding
from tallymark.findings.notes import ROWS_WITHOUT_PARTNER, WITHOUT_PREDICTION, WITHOUT_TRUTH
from tallymark.quantities import many
from tallymark.reading.chunks import FrameTable
from tallymark.reading.columns import refuse_other_index
from tallymark.reading.files import FileTable, workspace
from tallymark.reading.names import bare, meaning
from tallymark.reading.numerals import ABSENT
from tallymark.reading.profile import Table, profile_of
from tallymark.tally.arrays import is_table


@dataclass(frozen=True, slots=True)
class TruthFile:
    """A file with the true classes, and the options to read it."""

    _path: str | os.PathLike[str]
    _truth: str | None = None
    _header: bool | None = None
    _sheet: str | None = None


@checked(path=PATH, truth=TEXT, header=FLAG, sheet=TEXT)
def file(
    path: str | os.PathLike[str],
    truth: str | None = None,
    header: bool | None = None,
    sheet: str | None = None,
) -> TruthFile:
    r"""Return a file that holds the true classes, for ``truth`` of :func:`tallymark.evaluate`.

    Parameters
    ----------
    path : str or path
        A file of any kind that :func:`tallymark.evaluate` reads, or a link to a table.
    truth : str, optional
        Its column of the true class. Unless given, it is the only column beside the key, else the
        one with a usual name such as ``label``.
    header : bool, optional
        Whether the first row of a CSV or Excel file names the columns.
    sheet : str, optional
        Which sheet of an Excel file to read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> import tallymark as tm
    >>> folder = Path(mkdtemp())
    >>> _ = (folder / "pred.csv").write_text("id,pred\na,cat\nb,dog\nc,dog\n")
    >>> _ = (folder / "gold.csv").write_text("id,animal\nc,cat\nb,dog\na,cat\n")
    >>> ev = tm.evaluate(folder / "pred.csv", truth=tm.file(folder / "gold.csv"), positive="dog")
    >>> round(ev["accuracy"].value, 3), ev.source.format
    (0.667, ('truth from gold.csv, by `id`',))

    """
    return TruthFile(path, truth, header, sheet)


@dataclass(frozen=True, slots=True)
class Joined:
    """The result of joining predictions with true classes.

    ``roles`` are columns of the joined table whose role follows from the join, and ``why`` gives
    the reason for a prediction column. ``key`` is the column they were joined on, None if by row
    order.
    """

    roles: Mapping[str, str | list[str]]
    why: Mapping[str, str]
    key: str | None
    notes: tuple[Finding, ...]


def is_elsewhere(truth: Any) -> bool:
    """Return whether the truth is in another file or frame, not a column name.

    >>> is_elsewhere(TruthFile("gold.csv")), is_elsewhere("label"), is_elsewhere(["cat", "dog"])
    (True, False, False)
    """
    if isinstance(truth, TruthFile) or is_table(truth):
        return True
    names = truth if isinstance(truth, list | tuple) else [truth]
    if truth is None or all(isinstance(n, str) for n in names):
        return False
    raise InputError(
        f"truth is {shown(truth)}; give the name of a column, or the true classes of another file "
        "or frame, such as truth=tm.file('gold.csv')"
    )


_MOST_CLASSES = 50
"""A column with more values is a truth only if its name says so."""

_MOST_COLUMNS = 30
"""Most columns of a table that are tried as keys."""

_EITHER = {"label", "labels", "class", "classes", "target", "targets", "y", "category"}
"""Names of a truth column, or of a prediction column if the truth is in another file."""

_INDEX = re.compile(r"|column\d+|unnamed: ?\d+|index|level_\d+|row_?names|\.\.\.1", re.IGNORECASE)
"""Names of row numbers, and of columns without a header."""

_RANKS = {"rank", "ranking", "position", "place", "order", "rang", "platz", "rango"}
"""Names of counters and ranks, which do not identify rows."""

Rows = FrameTable | FileTable


def join_truth(
    table: Table, other: Table, on: str | None, truth: str | None, roles: Mapping[str, Any]
) -> Joined:
    """Return how the table was joined with the truth; rows without one are dropped.

    ``other`` holds the labels; ``on`` is the key and ``truth`` the column of the true class, None
    to detect them. ``roles`` are the columns of the predictions that the user named.
    """
    for side in (table, other):
        if side.layout:
            raise InputError(
                f"{side.name} was made by {side.layout.made_by}, which writes the true classes "
                "too; judge it alone"
            )
    for role, name, side in (("on", on, table), ("on", on, other), ("truth", truth, other)):
        if name is not None and name not in side.columns:
            raise InputError(
                f"{side.name} has no column {name!r} for {role}; {choices(name, side.columns)}"
            )
    if truth is not None and truth == on:
        raise InputError(f"{truth!r} is named as the key and as the true class; name it once")
    columns = JoinSides(table, other, on, truth, roles)
    if isinstance(table, FrameTable) and (joined := table.join(columns)) is not None:
        return joined
    with workspace(table, other) as connection:
        return _Join(connection, columns).result()


class JoinSides:
    """The columns of two tables, classified by their names."""

    def __init__(
        self, table: Rows, other: Rows, on: str | None, truth: str | None, roles: Mapping[str, Any]
    ) -> None:
        self.table, self.other, self.on, self.truth = table, other, on, truth
        named = [n for v in roles.values() for n in (v if isinstance(v, list | tuple) else [v])]
        self.predicted = bool(roles.get("pred") or roles.get("score"))
        assigned = {truth, *(n for n in named if isinstance(n, str))}
        self.neutral = [c for c in other.columns if c in table.columns and _neutral(c)]
        """The columns of both tables whose names suggest neither prediction nor truth."""
        self.perhaps = (
            [on] if on else [c for c in self.neutral if c not in assigned][:_MOST_COLUMNS]
        )
        """The candidates for the key."""

    def of_truth(self, key: str | None) -> str:
        """Return the column of the true class: the only candidate, else by name or values."""
        if self.truth is not None:
            return self.truth
        free = [c for c in self.other.columns if c != key]
        usual = [c for c in free if (says := meaning(c)) and says.role == "truth"]
        surely = [c for c in usual if bare(c) != "y"]
        own = [c for c in free if c not in self.table.columns]
        for candidates in (free, surely, usual, own):
            if len(candidates) == 1:
                return candidates[0]
        near = usual or (self._like_predictions(own or free) if free else [])
        if len(near) == 1:
            return near[0]
        if not isinstance(self.other, FileTable):
            raise InputError(
                f"{self.other.name} must have one column of the true class beside the key, and has "
                f"{listed(free)}; give a frame of those two columns"
            )
        if not free:
            raise InputError(
                f"{self.other.name} has no column beside {key!r}; add one of the true class"
            )
        say = " or ".join(f"truth=tm.file(..., truth={c!r})" for c in near[:4])
        raise InputError(
            f"several columns of {self.other.name} could be the true class: {listed(near)}; say "
            f"{say}"
        )

    def placed(self, truth: str) -> str:
        """Return the name of the truth column in the joined table."""
        return _free_name(truth, self.table.columns, self.other.name)

    def _like_predictions(self, columns: Sequence[str]) -> list[str]:
        """Return the columns with the values of the predictions; else those with few values.

        If there is a single score, a column with two values is preferred.
        """
        says = {
            c: name_meaning for c in self.table.columns if (name_meaning := meaning(c)) is not None
        }
        preds = [c for c, name_meaning in says.items() if name_meaning.role == "pred"]
        scores = [name_meaning.of for name_meaning in says.values() if name_meaning.role == "score"]
        facts = profile_of(self.table, preds)
        texts = {t for column in facts.values() for t in column.texts} | {
            name for name in scores if name
        }
        facts = profile_of(self.other, columns)
        classes = {
            c: {*column.texts} for c, column in facts.items() if 1 < column.classes <= _MOST_CLASSES
        }
        alike = [
            c for c, values in classes.items() if texts and (values <= texts or texts <= values)
        ]
        two = [c for c, values in classes.items() if len(values) == 2 and len(scores) == 1]
        return alike or two or [*classes] or [*columns]

    def of_predictions(
        self, truth: str, placed: str, key: str | None, k: int
    ) -> dict[str, str | list[str]]:
        """Return the prediction column if its name alone would make it a truth.

        Since the truth is in another file, a column called label, or named like the truth column,
        holds the predictions, unless it repeats the truth beside scores. ``placed`` is the name of
        the truth in the joined table, and ``k`` the number of classes.
        """
        free = [c for c in self.table.columns if c not in (placed, key)]
        says = {c: name_meaning for c in free if (name_meaning := meaning(c)) is not None}
        roles = {c: name_meaning.role for c, name_meaning in says.items()}
        if self.predicted or "pred" in roles.values():
            return {}
        candidates = [c for c in free if c == truth] or [c for c in free if bare(c) in _EITHER]
        candidates = candidates or (free if len(free) == 1 else [])
        if len(candidates) != 1 or roles.get(candidates[0]) == "score":
            return {}
        (column,) = candidates
        scores = [c for c in free if roles.get(c) == "score"]
        if _holds_scores(self.table, column, k):
            return {} if scores else {"score": column}
        if scores and _equal(self.table, column, placed):
            return {}
        if scores and bare(column) not in _EITHER and column in roles:
            raise InputError(
                f"{column!r} of {self.table.name} differs from that of {self.other.name}; say "
                f"pred={column!r} if it holds predictions, or leave it out"
            )
        scores = [c for c in scores if not says[c].weak] or scores
        return {"pred": column} | ({"score": scores} if scores else {})

    def joined(
        self, truth: str, placed: str, key: str | None, how: str, k: int, rows: Sequence[int]
    ) -> Joined:
        """Return the ``Joined`` tables; ``rows`` are the row counts of each and of the join."""
        other = self.other.name
        self.table.say(f"truth from {other}, by {how}")
        roles = self.of_predictions(truth, placed, key, k)
        why = dict.fromkeys(roles, f"the true class is in {other}")
        return Joined({"truth": placed, **roles}, why, key, self._without_partner(*rows))

    def _without_partner(self, mine: int, theirs: int, both: int) -> tuple[Finding, ...]:
        """Return the warning about rows of either table that the other lacks, if there are."""
        names = {"table": self.table.name, "other": self.other.name}
        lost: dict[str, str | int] = {"mine": mine - both, "my_rows": many(mine, "row")}
        lone: dict[str, str | int] = {"theirs": theirs - both, "their_rows": many(theirs, "row")}
        if mine > both and theirs > both:
            return (ROWS_WITHOUT_PARTNER.finding(**names, **lost, **lone),)
        if mine > both:
            return (WITHOUT_TRUTH.finding(**names, **lost),)
        return (WITHOUT_PREDICTION.finding(**names, **lone),) if theirs > both else ()


class _Join:
    """Two tables in one database, whose columns are compared as texts."""

    def __init__(self, connection: Any, columns: JoinSides) -> None:
        self.run, self.connection, self.columns = connection.execute, connection, columns
        self.table, self.other = columns.table, columns.other
        self.sides = (("side_0", self.table), ("side_1", self.other))

    def result(self) -> Joined:
        """Join the tables, and return how."""
        key = self._key()
        truth = self.columns.of_truth(None if key is None else key.other)
        if key is None or (not self.columns.on and key.a.counting and key.b.counting):
            key = self._key_of_two_names(truth) or key  # preferred to a row number
        if key is None:
            self._refuse_other_order(truth)
        on = "p.place = t.place" if key is None else key.sql
        self.run(
            "CREATE OR REPLACE TEMP TABLE pairs AS SELECT p.place, t.place AS other "
            f"FROM side_0 AS p LEFT JOIN side_1 AS t ON {on} ORDER BY p.place"
        )
        rows, matched = self.run("SELECT count(*), count(other) FROM pairs").fetchone()
        (others,) = self.run("SELECT count(*) FROM side_1").fetchone()
        placed, k = self._put_beside(truth)
        name, how = (None, "order") if key is None else (key.name, key.how)
        return self.columns.joined(truth, placed, name, how, k, (rows, others, matched))

    def _put_beside(self, truth: str) -> tuple[str, int]:
        """Add the true class to the predictions; return its column name and the number of classes.

        The labels are converted as in any table, so that they mean the same as when read alone.
        """
        placed = self.columns.placed(truth)
        self.run("CREATE OR REPLACE TEMP TABLE codes (place BIGINT, code INTEGER)")
        labels: tuple[Any, ...] = ()
        for chunk in self.other.chunks([truth], []):
            coded = chunk.labels[truth]
            labels = coded.labels
            arrays = {"place": chunk.first_row + np.arange(chunk.rows), "code": coded.codes}
            _fill(self.connection, "INSERT INTO codes SELECT place, code FROM handed", arrays)
        query = (
            "SELECT p.other IS NOT NULL AS matched, coalesce(code, -1) AS code FROM pairs AS p "
            "LEFT JOIN codes ON p.other = codes.place ORDER BY p.place"
        )
        if isinstance(self.table, FileTable):
            declared = getattr(self.other, "declared", {}).get(truth, ())
            self.table.put_beside(placed, query, labels, declared)
        else:
            columns = self.run(query).fetchnumpy()
            self.table.put_beside(placed, np.asarray(columns["code"]), labels, columns["matched"])
        return placed, len(labels)

    # -- what the columns hold -----------------------------------------------------------------

    def _load(self, mine: Sequence[str], theirs: Sequence[str]) -> list[dict[str, _KeyColumn]]:
        """Create a table with the texts of some columns per side; return facts on these columns."""
        out = []
        for (target, table), columns in zip(self.sides, (mine, theirs), strict=True):
            self._copy(target, table, columns)
            facts = [self.run(_facts(f"k{j}", target)).fetchone() for j in range(len(columns))]
            out.append({c: _KeyColumn(f"k{j}", *facts[j]) for j, c in enumerate(columns)})
        return out

    def _copy(self, target: str, table: Rows, columns: Sequence[str]) -> None:
        make = f"CREATE OR REPLACE TEMP TABLE {target} AS "
        if isinstance(table, FileTable):
            texts = [f"{_plain(_text(table, c))} AS k{j}" for j, c in enumerate(columns)]
            query = ", ".join(["SELECT row_number() OVER () - 1 AS place", *texts]) + " FROM source"
            if table.connection is self.connection:
                table.read(make + query)
            else:
                assert isinstance(self.table, FileTable)
                self.run(f"{make}SELECT * FROM {table.handed_over(query, self.table)}")
            return
        arrays = {"place": np.arange(table.rows)}
        arrays |= {f"k{j}": _texts(table.column(c)) for j, c in enumerate(columns)}
        texts = [f"{_plain(f'k{j}')} AS k{j}" for j in range(len(columns))]
        _fill(self.connection, f"{make}SELECT {', '.join(['place', *texts])} FROM handed", arrays)

    def _one(self, query: str) -> Any:
        return self.run(query).fetchone()[0]

    # -- the key -------------------------------------------------------------------------------

    def _key(self) -> _Key | None:
        """Return the column of both sides that joins them; None if there is none."""
        left, right = self._load(self.columns.perhaps, self.columns.perhaps)
        is_named, keys = self.columns.on is not None, []
        for c, a in left.items():
            b = right[c]
            if not is_named and (a.broken or b.broken):
                continue  # fractions cannot be keys
            if a.unique and b.unique:
                key = self._best(_Key(c, c, a, b))
                if is_named or key.complete or not (a.whole and b.whole and _numbers_rows(c)):
                    keys.append(key)
            elif is_named or any(2 * column.distinct >= column.rows > 0 for column in (a, b)):
                self._refuse_duplicates(c, a, b)
        if not keys:
            return None
        most = max(key.matches for key in keys)
        if not most:
            self._refuse_apart(keys[0])
        keys = [key for key in keys if key.matches == most]
        # A program may have written row numbers after the rows were reordered.
        keys = [key for key in keys if not (key.a.counting and key.b.counting)] or keys
        for other in keys[1:]:
            self._refuse_contradiction(keys[0], other)
        return keys[0]

    def _best(self, key: _Key) -> _Key:
        """Return a key with its number of matches, as texts or as numbers, whichever has more."""
        join = "SELECT count(*) FROM side_0 AS p JOIN side_1 AS t ON "
        key = replace(key, matches=self._one(join + key.sql))
        if key.complete or not (key.a.whole and key.b.whole):
            return key
        numbers = replace(key, numbers=True)
        for column, (side, _) in zip((key.a, key.b), self.sides, strict=True):
            distinct = f"count(DISTINCT TRY_CAST({column.column} AS HUGEINT))"
            if self._one(f"SELECT {distinct} FROM {side}") < column.present:
                return key
        numbers = replace(numbers, matches=self._one(join + numbers.sql))
        return numbers if numbers.matches > key.matches else key

    def _key_of_two_names(self, truth: str, *, numbers: bool = False) -> _Key | None:
        """Return two columns that identify the same rows under different names, or None.

        With ``numbers``, numbers from 0 or 1 up are allowed, unless they are named like ranks.
        """
        mine = [c for c in self.table.columns if _neutral(c)][:_MOST_COLUMNS]
        theirs = [c for c in self.other.columns if c != truth and _neutral(c)][:_MOST_COLUMNS]
        left, right = self._load(mine, theirs)
        candidates = [
            self._best(_Key(c, d, a, b))
            for c, a in left.items()
            if a.names_rows or (numbers and a.unique and a.whole and bare(c) not in _RANKS)
            for d, b in right.items()
            if b.names_rows or (numbers and b.unique and b.whole and bare(d) not in _RANKS)
        ]
        candidates = [key for key in candidates if key.matches * 2 >= min(key.a.rows, key.b.rows)]
        return max(candidates, key=lambda key: key.matches, default=None)

    def _refuse_duplicates(self, column: str, a: _KeyColumn, b: _KeyColumn) -> None:
        side, repeated, table = ("side_1", b, self.other) if a.unique else ("side_0", a, self.table)
        twice = self.run(
            f"SELECT {repeated.column} FROM {side} WHERE {repeated.column} IS NOT NULL GROUP BY 1 "
            "HAVING count(*) > 1 ORDER BY min(place) LIMIT 3"
        ).fetchall()
        raise repeated_key(column, table.name, [value for (value,) in twice])

    def _refuse_apart(self, key: _Key) -> None:
        first = "SELECT {} FROM {} WHERE {} IS NOT NULL ORDER BY place LIMIT 1"
        left, right = (
            shortened(self._one(first.format(column.column, side, column.column)))
            for column, (side, _) in zip((key.a, key.b), self.sides, strict=True)
        )
        raise InputError(
            f"no value of {key.name!r} is in both {self.table.name} (which begins with {left}) and "
            f"{self.other.name} ({right}); write them alike, or name another column with on=..."
        )

    def _refuse_contradiction(self, key: _Key, other: _Key) -> None:
        """Refuse two keys that match different rows."""
        apart = self._one(
            f"SELECT count(*) FROM side_0 AS p JOIN side_1 AS t ON {key.sql} "
            f"WHERE ({other.sql}) IS NOT TRUE"
        )
        if apart:
            raise InputError(
                f"{key.name!r} and {other.name!r} both name the rows of {self.table.name} and "
                f"{self.other.name}, and join different ones; say on={key.name!r} or "
                f"on={other.name!r}"
            )

    def _refuse_other_order(self, truth: str) -> None:
        """Refuse to join by row order if something contradicts it."""
        named = [c for c in self.columns.neutral if c != truth and not _numbers_rows(c)]
        named = named[:_MOST_COLUMNS]
        self._load(named, named)
        a, b = (self._one(f"SELECT count(*) FROM {side}") for side, _ in self.sides)
        if a != b:
            raise InputError(
                f"{self.table.name} has {many(a, 'row')} and {self.other.name} {b:,}, and no "
                "column names each row in both; give both an id column and name it with on=..."
            )
        same = self._key_of_two_names(truth, numbers=True)
        if same is not None and same.complete and not (same.a.counting and same.b.counting):
            raise InputError(
                f"{same.name!r} of {self.table.name} and {same.other!r} of {self.other.name} hold "
                "the same values in another order, so they may name the rows; give both one name, "
                "and say it with on=..."
            )
        frames = {
            name: side.frame.to_native()
            for name, side in (("the predictions", self.table), ("the truth", self.other))
            if type(side) is FrameTable
        }
        refuse_other_index(frames)
        self._refuse_other_names(truth)
        self._load(named, named)
        for j, c in enumerate(named):
            place = self._one(
                "SELECT min(place) FROM side_0 AS p JOIN side_1 AS t USING (place) "
                f"WHERE p.k{j} IS DISTINCT FROM t.k{j}"
            )
            if place is not None:
                raise InputError(
                    f"{c!r} differs between {self.table.name} and {self.other.name} at row "
                    f"{place + 1}, so their rows are not in one order; give both an id column and "
                    "name it with on=..."
                )

    def _refuse_other_names(self, truth: str) -> None:
        """Refuse to join by row order if both sides have identifiers without common values."""
        mine, theirs = (
            [c for c in side.columns if c != truth and _neutral(c)][:_MOST_COLUMNS]
            for _, side in self.sides
        )
        identifiers = [
            [
                c
                for c, column in side.items()
                if column.unique
                and not (column.whole or column.broken)
                and not self._one(f"SELECT bool_or({column.column} LIKE '% %') FROM {name}")
            ]
            for (name, _), side in zip(self.sides, self._load(mine, theirs), strict=True)
        ]
        if all(identifiers):
            (left, *_), (right, *_) = identifiers
            raise InputError(
                f"{left!r} of {self.table.name} and {right!r} of {self.other.name} each name the "
                "rows, in other words, so nothing says that both are in one order; write them "
                "alike, or leave one out if they are"
            )


@dataclass(frozen=True, slots=True)
class _KeyColumn:
    """Facts on a column of one side: its texts, and the whole numbers among them.

    ``in_step`` says that they increase by one from row to row.
    """

    column: str
    rows: int
    present: int
    distinct: int
    broken: int
    integers: int
    low: int | None
    in_step: bool | None

    @property
    def unique(self) -> bool:
        """Whether it identifies each row."""
        return 0 < self.present == self.distinct

    @property
    def whole(self) -> bool:
        """Whether all values are whole numbers."""
        return self.integers == self.present > 0

    @property
    def counting(self) -> bool:
        """Whether it numbers the rows in order."""
        return self.whole and bool(self.in_step)

    @property
    def names_rows(self) -> bool:
        """Whether a column of another name with the same values identifies the same rows.

        Numbers from 0 or 1 up may be ranks or counts instead.
        """
        return self.unique and not self.broken and not (self.whole and self.low in (0, 1))


def _facts(column: str, table: str) -> str:
    """Return the query for the fields of :class:`_KeyColumn`."""
    number, whole = f"TRY_CAST({column} AS DOUBLE)", f"TRY_CAST({column} AS HUGEINT)"
    whole = f"CASE WHEN regexp_full_match({column}, '[+-]?[0-9]+') THEN {whole} END"
    return (
        f"SELECT count(*), count({column}), count(DISTINCT {column}), "
        f"count(*) FILTER ({number} <> trunc({number})), count({whole}), min({whole}), "
        f"min({whole} - place) = max({whole} - place) FROM {table}"
    )


@dataclass(frozen=True, slots=True)
class _Key:
    """A pair of columns, one per side, that identify the same rows."""

    name: str
    other: str
    a: _KeyColumn
    b: _KeyColumn
    matches: int = 0
    numbers: bool = False
    """Whether values are compared as numbers: 007 is 7."""

    @property
    def complete(self) -> bool:
        """Whether all rows of the shorter side have a match."""
        return self.matches == min(self.a.present, self.b.present)

    @property
    def how(self) -> str:
        """The key columns in words."""
        names = f"`{self.name}`" + (f" = `{self.other}`" if self.other != self.name else "")
        return f"{names} as numbers" if self.numbers else names

    @property
    def sql(self) -> str:
        """The join condition in SQL."""
        form = "TRY_CAST({}.{} AS HUGEINT)" if self.numbers else "{}.{}"
        return f"{form.format('p', self.a.column)} = {form.format('t', self.b.column)}"


def repeated_key(column: str, name: str, values: Sequence[Any]) -> InputError:
    """Return the error for a key with duplicate values."""
    return InputError(
        f"{column!r} must name each row once to join the truth, and {name} has {listed(values)} "
        "more than once; leave out the rows that repeat, or name another column with on=..."
    )


def _neutral(name: str) -> bool:
    """Return whether a name suggests no prediction, score or truth; p_id is an id."""
    says = meaning(name)
    return says is None or says.role == "weight" or bare(says.of or "") == "id"


def _numbers_rows(name: str) -> bool:
    """Return whether a column is named like a row number, which may have restarted."""
    return _INDEX.fullmatch(name) is not None


def _free_name(truth: str, columns: Iterable[str], of: str) -> str:
    """Return a free name for the true class in the joined table.

    >>> _free_name("label", ["id", "Label"], "gold.csv")
    'label of gold.csv'
    """
    existing = {c.lower() for c in columns}
    while truth.lower() in existing:
        truth = f"{truth} of {of}"
    return truth


def _text(table: FileTable, column: str) -> str:
    """Return SQL for the texts of a column, NULL where one is missing."""
    value = table.sql_of(column)
    text = f"({value} ->> '$')" if table.types[column] == "JSON" else f"{value}::VARCHAR"
    return f"CASE WHEN trim({text}) NOT IN ({ABSENT}) THEN {text} END"


def _plain(text: str) -> str:
    """Return SQL that normalizes a key: 1.0 is 1, and surrounding blanks are ignored."""
    return f"nullif(regexp_replace(trim({text}), '^([+-]?[0-9]+)[.]0+$', '\\1'), '')"


def _texts(values: Any) -> Any:
    """Return an array as texts, empty for missing values."""
    texts = ["" if v is None or v != v else str(v) for v in values.tolist()]
    return np.array(texts, dtype=object)


def _fill(connection: Any, query: str, arrays: Mapping[str, Any]) -> None:
    """Run a query on arrays, which form the columns of the table ``handed``."""
    connection.execute("SELECT 1").fetchall()  # discard pending results of the previous query
    connection.register("handed", dict(arrays))
    try:
        connection.execute(query)
    finally:
        connection.unregister("handed")


def _holds_scores(table: Rows, column: str, classes: int) -> bool:
    """Return whether a column holds scores instead of classes."""
    facts = profile_of(table, [column]).get(column)
    if facts is None:
        return isinstance(table, FrameTable) and table.holds_floats(column)
    return facts.numeric and (not facts.whole or (classes == 2 and facts.distinct > 2))


def _equal(table: Rows, column: str, truth: str) -> bool:
    """Return whether a column equals the truth in every row."""
    if not table.at_hand:
        return False
    with closing(iter(table.chunks([column, truth], []))) as chunks:  # type: ignore[type-var]
        for chunk in chunks:
            a, b = (chunk.labels[c] for c in (column, truth))
            left, right = (
                np.array([*map(str, c.labels), ""], dtype=object)[c.codes] for c in (a, b)
            )
            if (left != right).any():
                return False
    return True
