"""Results that are kept fold by fold, so that an experiment that was stopped goes on.

Beside the table ``NAME`` stands ``NAME.state``, an SQLite database, from the first run on; it is
needed to go on, the table alone is enough to study it. The state has three tables:

- ``settings``: one JSON object with ``format``, ``version``, ``folds``, ``seed`` and ``metrics``;
- ``identities``: what each name of a data set (a fingerprint of its rows) and of an algorithm (its
  class and parameters) stood for in the last run that used it;
- ``results``: one row a fold, and one a complete repeat (fold -1): the line of the table as a JSON
  array and, until its repeat is complete, the seconds and the tally of the fold.

A fold and all that follows from it are one transaction, written before the line of the table:
whenever the work is cut off, what is finished is there. Lines that the table lacks are added when
the next run begins. The database is locked while a run lasts, and freed when its process ends,
however it ends.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from tallymark.errors import InputError
from tallymark.tally.scores import ScoreTally

KEYS = ("dataset", "algorithm", "repeat", "fold", "rows", "minority", "seconds")

LABELS = (False, True)

FORMAT = {"format": "tallymark/experiment", "version": 1}

_TABLES = """
    CREATE TABLE settings (json TEXT);
    CREATE TABLE identities (kind TEXT, name TEXT, identity TEXT, PRIMARY KEY (kind, name));
    CREATE TABLE results (
        dataset TEXT, algorithm TEXT, repeat INTEGER, fold INTEGER,
        line TEXT, seconds REAL, tally TEXT,
        PRIMARY KEY (dataset, algorithm, repeat, fold)
    );
"""
_OF_REPEAT = "WHERE dataset = ? AND algorithm = ? AND repeat = ? AND tally IS NOT NULL"

_UNWRITABLE = {
    sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fold:
    """What is counted of one fold: the scores of its rows by true class."""

    dataset: str
    algorithm: str
    repeat: int
    fold: int
    seconds: float
    tally: ScoreTally

    @property
    def key(self) -> tuple[str, str, int, int]:
        """What tells a fold from all others."""
        return self.dataset, self.algorithm, self.repeat, self.fold


def state_of(table: Path) -> Path:
    """Return the file that stands beside a table of results."""
    return table.with_name(table.name + ".state")


def try_place(path: str | os.PathLike[str]) -> None:
    """Say at once, before any long work, whether a table can be kept there.

    Raises
    ------
    InputError
        A folder, a folder that cannot be made, or a place where one may not write.

    """
    place = Path(path)
    if place.is_dir():
        raise InputError(f"{str(place)!r} is a folder; name a file in it for the results")
    with _refusing(place):
        folder = next(p for p in place.absolute().parents if p.exists())
        if not folder.is_dir():
            raise NotADirectoryError(20, f"{folder.name} is no folder")
        for part in (folder, place, state_of(place)):
            if part.exists() and not os.access(part, os.W_OK):
                raise PermissionError(13, "no permission")


@contextmanager
def _refusing(path: Path | None) -> Iterator[None]:
    """Say in one sentence what the system or the database refuses of the results."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_BUSY:
            raise InputError(
                f"another run is writing {str(path)!r}; wait for it, or give another name"
            ) from None
        if isinstance(error, sqlite3.Error) and code not in _UNWRITABLE:
            raise _damaged(path) from None
        raise InputError(
            f"the results {str(path)!r} cannot be written "
            f"({getattr(error, 'strerror', None) or error}); choose a place where you may write"
        ) from None


def _damaged(path: Path | None) -> InputError:
    return InputError(
        f"{str(path)!r} cannot be gone on with: what it or {state_of(path or Path()).name} holds "
        "is not what an experiment writes; give another name"
    )


def _locked(path: Path) -> sqlite3.Connection:
    """Open a database that no other run has open; without a lock where the system has none."""
    address = path.absolute().as_uri()
    database = sqlite3.connect(address, timeout=0, uri=True)
    try:
        database.execute("PRAGMA locking_mode = EXCLUSIVE")
        database.execute("BEGIN EXCLUSIVE")
        database.commit()
    except sqlite3.OperationalError as error:
        database.close()
        if error.sqlite_errorcode != sqlite3.SQLITE_IOERR_LOCK:
            raise
        return sqlite3.connect(address + "?nolock=1", uri=True)
    except sqlite3.Error:
        database.close()
        raise
    return database


class Checkpoint:
    """A table of results that grows line by line, in a file or in memory alone.

    The table has one line a fold and one a complete repeat, whose ``fold`` is empty; an empty
    metric is undefined.
    """

    def __init__(
        self,
        path: Any,
        metrics: Sequence[str],
        settings: dict[str, Any],
        datasets: Mapping[str, str],
        algorithms: Mapping[str, str],
        row: Callable[[Fold], dict[str, Any]],
    ) -> None:
        self.path = None if path is None else Path(path)
        self.columns = [*KEYS, *metrics]
        self.settings = {**FORMAT, **settings, "metrics": list(metrics)}
        self.identities = {"dataset": dict(datasets), "algorithm": dict(algorithms)}
        self.row = row
        self._made: list[Path] = []

    def __enter__(self) -> Checkpoint:
        with _refusing(self.path):
            if self.path is None:
                self._database = sqlite3.connect(":memory:")
            else:
                state, places = state_of(self.path), (self.path, *self.path.absolute().parents)
                if self.path.exists() and not state.exists():
                    raise InputError(
                        f"{str(self.path)!r} cannot be gone on with: {state.name} is missing; give "
                        "another name"
                    )
                made = [p for p in places if not p.exists()]
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._database = _locked(state)
                self._made = made
            try:
                self._open()
            except BaseException:
                self.__exit__()
                raise
        return self

    def __exit__(self, *error: object) -> None:
        unused = False
        with suppress(sqlite3.Error):
            unused = not self._select("SELECT 1 FROM results LIMIT 1")
        self._database.close()
        if self.path in self._made and unused:  # nothing is left behind of a run without results
            with suppress(OSError):
                for file in (self.path, state_of(self.path)):
                    file.unlink(missing_ok=True)
                for folder in self._made[1:]:
                    folder.rmdir()

    def _select(self, query: str, *values: Any) -> list[Any]:
        return self._database.execute(query, values).fetchall()

    def _open(self) -> None:
        """Compare what is kept with what is asked for, and bring the table up to date."""
        if not self._select("SELECT 1 FROM sqlite_master"):
            self._database.executescript(f"BEGIN; {_TABLES} COMMIT")
        with self._database:
            for (settings,) in self._select("SELECT json FROM settings"):
                if json.loads(settings) != self.settings:
                    raise InputError(
                        f"{str(self.path)!r} holds results of other folds, seed or metrics, or of "
                        "another version; give another name, or the same settings"
                    )
            self._database.execute("DELETE FROM settings")
            self._database.execute("INSERT INTO settings VALUES (?)", [json.dumps(self.settings)])
            for kind, now in self.identities.items():
                self._compare(kind, now)
        if self.path is not None:
            lines = self._select("SELECT line FROM results ORDER BY rowid")
            text = _csv([self.columns, *(json.loads(line) for (line,) in lines)])
            kept = self.path.read_bytes() if self.path.exists() else b""
            if not text.startswith(kept):  # a part of a line may be left of the last one
                raise _damaged(self.path)
            self._append(text[len(kept) :])

    def _compare(self, kind: str, now: Mapping[str, str]) -> None:
        """Refuse to go on with other rows or another algorithm under a name that has results."""
        before = dict(self._select("SELECT name, identity FROM identities WHERE kind = ?", kind))
        used = {name for (name,) in self._select(f"SELECT DISTINCT {kind} FROM results")}
        for name in sorted(used & set(now)):
            if before[name] != now[name]:
                other = f"other rows or classes of the data set {name!r}; give those of before"
                if kind == "algorithm":
                    other = f"another algorithm {name!r}, {before[name]}; give it another name"
                raise InputError(f"{str(self.path)!r} holds results of {other}, or another file")
        rows = [(kind, *pair) for pair in now.items()]
        self._database.executemany("INSERT OR REPLACE INTO identities VALUES (?, ?, ?)", rows)

    def folds(self) -> set[tuple[str, str, int, int]]:
        """Return the keys of all folds that are finished."""
        return set(self._select("SELECT dataset, algorithm, repeat, fold FROM results"))

    def add(self, fold: Fold) -> None:
        """Keep a fold; with the last of its repeat, the numbers of their tallies added up."""
        repeat = fold.key[:3]
        with _refusing(self.path):
            with self._database:
                tally = json.dumps(fold.tally.to_dict())
                lines = [self._insert(fold, tally)]
                parts = self._select(f"SELECT seconds, tally FROM results {_OF_REPEAT}", *repeat)
                if len(parts) == self.settings["folds"]:
                    total = reduce(add, (ScoreTally.from_dict(json.loads(t)) for _, t in parts))
                    lines.append(self._insert(Fold(*repeat, -1, sum(s for s, _ in parts), total)))
                    self._database.execute(f"UPDATE results SET tally = NULL {_OF_REPEAT}", repeat)
            self._append(_csv(lines))

    def _insert(self, fold: Fold, tally: str | None = None) -> list[Any]:
        row = self.row(fold)
        line = [row[c] for c in self.columns]
        values = (*fold.key, json.dumps(line), fold.seconds, tally)
        self._database.execute("INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?)", values)
        return line

    def _append(self, lines: bytes) -> None:
        if self.path is not None:
            with self.path.open("ab") as file:
                file.write(lines)

    def table(self, sets: set[str], algorithms: set[str], repeats: int) -> dict[str, list[Any]]:
        """Return the columns of what was asked for, sorted; a file may hold more."""
        rows = self._select("SELECT dataset, algorithm, repeat, fold, line FROM results")
        rows.sort(key=lambda r: (*r[:3], math.inf if r[3] < 0 else r[3]))
        lines = [json.loads(line) for d, a, r, _, line in rows
                 if d in sets and a in algorithms and r < repeats]  # fmt: skip
        return {c: [line[i] for line in lines] for i, c in enumerate(self.columns)}


def _csv(lines: Iterable[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()
