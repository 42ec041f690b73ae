"""Checkpoints: save the results of an experiment after each fold, to resume it later."""

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

from tallymark import InputError, ScoreTally

KEYS = ("dataset", "algorithm", "repeat", "fold", "rows", "minority", "seconds")

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
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
}


@dataclass(frozen=True, slots=True)
class Fold:
    """The tally of scores of one fold of a data set, algorithm and repeat."""

    key: tuple[str, str, int, int]
    seconds: float
    tally: ScoreTally


def state_of(table: Path) -> Path:
    """Return the path of the state beside a table of results."""
    return table.with_name(table.name + ".state")


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise InputError, before any long computation, if a table cannot be written to a path.

    Raises
    ------
    InputError
        The path is a folder, its folder cannot be created, or it is not writable.

    """
    table = Path(path)
    if table.is_dir():
        raise InputError(f"{str(table)!r} is a folder; name a file in it for the results")
    with _errors_refused(table):
        folder = next(p for p in table.absolute().parents if p.exists())
        if not folder.is_dir():
            raise NotADirectoryError(20, f"{folder.name} is not a folder")
        for part in (folder, table, state_of(table)):
            if part.exists() and not os.access(part, os.W_OK):
                raise PermissionError(13, "no permission")


@contextmanager
def _errors_refused(path: Path | None) -> Iterator[None]:
    """Raise errors of the system or the database as InputError, in one sentence."""
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
            f"({getattr(error, 'strerror', None) or error}); choose a place where you can write"
        ) from None


def _damaged(path: Path | None) -> InputError:
    return InputError(
        f"{str(path)!r} cannot be resumed: it or {state_of(path or Path()).name} does not hold "
        "what an experiment writes; give another name"
    )


def _open_locked(path: Path) -> sqlite3.Connection:
    """Return the state of a table, locked for this process where the file system has locks."""
    state = state_of(path)
    if path.exists() and not state.exists():
        raise InputError(
            f"{str(path)!r} cannot be resumed: {state.name} is missing; give another name"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    address = state.absolute().as_uri()
    database = sqlite3.connect(address, timeout=0, uri=True)
    try:
        database.execute("PRAGMA locking_mode = EXCLUSIVE")
        database.execute("BEGIN EXCLUSIVE")
        database.commit()
    except sqlite3.Error as error:
        database.close()
        if error.sqlite_errorcode != sqlite3.SQLITE_IOERR_LOCK:
            raise
        return sqlite3.connect(address + "?nolock=1", uri=True)
    return database


class Checkpoint:
    """A table of results that grows line by line, in a file or in memory only.

    The table has one line per fold and one per complete repeat, whose ``fold`` is empty. An empty
    metric is undefined. The SQLite database ``NAME.state`` beside the table ``NAME`` is needed to
    resume; the table alone is enough for an analysis. The database has three tables:

    - ``settings``: one JSON object with ``format``, ``version``, ``folds``, ``seed``, ``metrics``;
    - ``identities``: a fingerprint of the rows of each data set by name, and the class and the
      parameters of each algorithm by name, as of the last run that used it;
    - ``results``: one row per fold, and one per complete repeat (fold -1): the line of the table as
      a JSON array and, until the repeat is complete, the seconds and the tally of the fold.

    A fold and the repeat that it completes are saved in one transaction, before their lines are
    added to the table, so an interrupted run loses no finished fold. The next run adds the lines
    that the table lacks. The database is locked until the process of a run ends.
    """

    def __init__(
        self,
        path: Path | None,
        database: sqlite3.Connection,
        settings: dict[str, Any],
        identities: Mapping[str, Mapping[str, str]],
        line_of: Callable[[Fold], list[Any]],
    ) -> None:
        self.path, self._database, self._line_of = path, database, line_of
        self.columns = [*KEYS, *settings["metrics"]]
        self.settings = FORMAT | settings
        self._open(identities)

    def _select(self, query: str, *values: Any) -> list[Any]:
        return self._database.execute(query, values).fetchall()

    def _open(self, identities: Mapping[str, Mapping[str, str]]) -> None:
        """Compare the state with the requested experiment, and bring the table up to date."""
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
            for kind, now in identities.items():
                self._compare(kind, now)
        if self.path is not None:
            lines = self._select("SELECT line FROM results ORDER BY rowid")
            text = _csv([self.columns, *(json.loads(line) for (line,) in lines)])
            saved = self.path.read_bytes() if self.path.exists() else b""
            if not text.startswith(saved):  # the last line may be incomplete
                raise _damaged(self.path)
            self._append(text[len(saved) :])

    def _compare(self, kind: str, identities: Mapping[str, str]) -> None:
        """Raise InputError if a name with results is now of other rows or another algorithm."""
        before = dict(self._select("SELECT name, identity FROM identities WHERE kind = ?", kind))
        used = {name for (name,) in self._select(f"SELECT DISTINCT {kind} FROM results")}
        for name in sorted(used & set(identities)):
            if before[name] != identities[name]:
                conflict = f"other rows or classes of the data set {name!r}; give the earlier ones"
                if kind == "algorithm":
                    conflict = f"another algorithm {name!r}, {before[name]}; give it another name"
                raise InputError(f"{str(self.path)!r} holds results of {conflict}, or another file")
        rows = [(kind, *pair) for pair in identities.items()]
        self._database.executemany("INSERT OR REPLACE INTO identities VALUES (?, ?, ?)", rows)

    def folds(self) -> set[tuple[str, str, int, int]]:
        """Return (data set, algorithm, repeat, fold) of each finished fold."""
        return set(self._select("SELECT dataset, algorithm, repeat, fold FROM results"))

    def add(self, fold: Fold) -> None:
        """Add a fold; after the last fold of a repeat, also the metrics of its added tallies."""
        repeat = fold.key[:3]
        with _errors_refused(self.path):
            with self._database:
                tally = json.dumps(fold.tally.to_dict())
                lines = [self._insert(fold, tally)]
                parts = self._select(f"SELECT seconds, tally FROM results {_OF_REPEAT}", *repeat)
                if len(parts) == self.settings["folds"]:
                    total = reduce(add, (ScoreTally.from_dict(json.loads(t)) for _, t in parts))
                    lines.append(self._insert(Fold((*repeat, -1), sum(s for s, _ in parts), total)))
                    self._database.execute(f"UPDATE results SET tally = NULL {_OF_REPEAT}", repeat)
            self._append(_csv(lines))

    def _insert(self, fold: Fold, tally: str | None = None) -> list[Any]:
        line = self._line_of(fold)
        values = (*fold.key, json.dumps(line), fold.seconds, tally)
        self._database.execute("INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?)", values)
        return line

    def _append(self, lines: bytes) -> None:
        if self.path is not None:
            with self.path.open("ab") as file:
                file.write(lines)

    def table(self, sets: set[str], algorithms: set[str], repeats: int) -> dict[str, list[Any]]:
        """Return the columns of the requested results, sorted; the file may contain more."""
        rows = self._select("SELECT dataset, algorithm, repeat, fold, line FROM results")
        rows.sort(key=lambda r: (*r[:3], math.inf if r[3] < 0 else r[3]))
        lines = [
            json.loads(line)
            for d, a, r, _, line in rows
            if d in sets and a in algorithms and r < repeats
        ]
        return {c: [line[i] for line in lines] for i, c in enumerate(self.columns)}


@contextmanager
def checkpoint(results: str | os.PathLike[str] | None, *arguments: Any) -> Iterator[Checkpoint]:
    """Open the checkpoint of an experiment, and create its folder if it is missing.

    A run without results leaves no files or folders.
    """
    path = None if results is None else Path(results)
    with _errors_refused(path):
        created = (
            [] if path is None else [p for p in (path, *path.absolute().parents) if not p.exists()]
        )
        database = sqlite3.connect(":memory:") if path is None else _open_locked(path)
    try:
        with _errors_refused(path):
            opened = Checkpoint(path, database, *arguments)
        yield opened
    finally:
        unused = False
        with suppress(sqlite3.Error):
            unused = not database.execute("SELECT 1 FROM results LIMIT 1").fetchall()
        database.close()
        if path in created and unused:
            with suppress(OSError):
                for file in (path, state_of(path)):
                    file.unlink(missing_ok=True)
                for folder in created[1:]:
                    folder.rmdir()


def _csv(lines: Iterable[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()
