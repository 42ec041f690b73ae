"""Results that are kept: a table that grows fold by fold, so that a stopped experiment goes on.

Beside the table ``NAME`` stands ``NAME.state`` from the first run on; both are needed to go on, the
table alone to study it. The state is lines of JSON. The first is an object: ``format``,
``version``, ``folds``, ``seed``, ``metrics``, and what every name of a data set and of an algorithm
stood for in the last run that used it (``datasets``: a fingerprint of the rows, ``algorithms``: the
class and its parameters). Each other line is one fold of a repeat whose folds are not all done, an
array: data set, algorithm, repeat, fold, seconds, its distinct scores, ascending, and for each
score how many rows of the negative and of the positive class have it. The folds of complete repeats
are taken out when a run ends; of one that was killed, when the next begins.

While a run writes there is also ``NAME.lock``; ``.new`` is a file that is about to take its place.
"""

from __future__ import annotations

import csv
import errno
import io
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tallymark.errors import InputError
from tallymark.tally.scores import ScoreTally

KEYS = ("dataset", "algorithm", "repeat", "fold", "rows", "minority", "seconds")

LABELS = (False, True)

FORMAT = {"format": "tallymark/experiment", "version": 1}


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
        for part in (folder, place, place.with_name(place.name + ".state")):
            if part.exists() and not os.access(part, os.W_OK):
                raise PermissionError(13, "no permission")


@contextmanager
def _refusing(path: Path | None) -> Iterator[None]:
    """Tell what the system refuses of the results in one sentence."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"the results {str(path)!r} cannot be written ({error.strerror or error}); choose a "
            "place where you may write"
        ) from None


def _locked(path: Path) -> Any:
    """Return an open file that no other run has, beside the table; None where there are no locks.

    The system frees it when the process ends, however it ends.
    """
    place = path.with_name(path.name + ".lock")
    while True:
        file = place.open("a")
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.close()
            if error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
                raise InputError(
                    f"another run is writing {str(path)!r}; wait for it, or give another name"
                ) from None
            place.unlink(missing_ok=True)
            return None  # a file system without locks
        with suppress(OSError):
            if os.fstat(file.fileno()).st_ino == place.stat().st_ino:
                return file
        file.close()  # who had it before has removed it meanwhile


class Checkpoint:
    """A table that grows line by line, in memory and in a file.

    A fold's tally goes into the state file before its line goes into the table, each flushed to
    the disk: whenever the work is cut off, what is finished is there. Half-written last lines are
    dropped, and a fold whose tally is lost before its repeat is complete is trained again. The
    table has one line a fold and one a complete repeat, whose ``fold`` is empty; an empty metric
    is undefined.
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
        self.known = {"datasets": dict(datasets), "algorithms": dict(algorithms)}
        self.row = row
        self.folds: dict[tuple[str, str, int, int], dict[str, Any]] = {}
        self.pooled: dict[tuple[str, str, int], dict[str, Any]] = {}
        self.tallies: dict[tuple[str, str, int], dict[int, Fold]] = {}
        self._table: Any = None
        self._state: Any = None
        self._made: list[Path] = []
        self._lock: Any = None

    @property
    def state_path(self) -> Path:
        """The file beside the table."""
        assert self.path is not None
        return self.path.with_name(self.path.name + ".state")

    def __enter__(self) -> Checkpoint:
        if self.path is None:
            return self
        try:
            with _refusing(self.path):
                folders = [p for p in self.path.absolute().parents if not p.exists()]
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._lock = _locked(self.path)
                self._open()
                self._made += folders if self._made else []
        except BaseException:
            for made in self._made:
                made.unlink(missing_ok=True)
            self._unlock()
            raise
        return self

    def _open(self) -> None:
        assert self.path is not None
        if self.path.exists() != self.state_path.exists():
            lacking = self.state_path if self.path.exists() else self.path
            raise InputError(
                f"{str(self.path)!r} cannot be gone on with: {lacking.name} is missing; give "
                "another name"
            )
        if self.path.exists():
            try:
                self._read()
            except (ValueError, KeyError, TypeError, IndexError) as error:
                if isinstance(error, InputError):
                    raise
                raise InputError(
                    f"{str(self.path)!r} cannot be gone on with: what it or {self.state_path.name} "
                    "holds is not what an experiment writes; give another name"
                ) from None
        else:
            self._made = [self.path, self.state_path]
            self.state_path.write_text(self._head() + "\n", "utf-8")
            self.path.write_text(",".join(self.columns) + "\n", "utf-8")
        self._table = self.path.open("a", encoding="utf-8", newline="")
        self._state = self.state_path.open("a", encoding="utf-8", newline="")

    def __exit__(self, *error: object) -> None:
        if self.path is None:
            return
        for file in (self._table, self._state):
            with suppress(OSError):  # of a full disk, which was said when it was written to
                file.close()
        unused = self._made and not self.folds  # nothing is left behind of a run without results
        with suppress(OSError):  # a state that is not shortened is as good
            if unused:
                self.path.unlink()
                self.state_path.unlink()
            else:
                self._shorten()
        self._unlock()
        if unused:
            for folder in self._made[2:]:
                with suppress(OSError):
                    folder.rmdir()

    def _unlock(self) -> None:
        if self._lock is None:
            return
        place = Path(self._lock.name)
        if sys.platform == "win32":  # which removes no open file, and none that another has open
            self._lock.close()
        with suppress(OSError):  # removed while it is held: who comes now makes a new one
            place.unlink()
        self._lock.close()
        self._lock = None

    def _head(self) -> str:
        return json.dumps(self.settings | self.known)

    def _shorten(self) -> None:
        """Keep of the state only the tallies of unfinished repeats."""
        lines = [self._head()]
        for part in self.tallies.values():
            lines += [packed(f) for f in part.values()]
        _replace(self.state_path, "\n".join(lines) + "\n")

    def _read(self) -> None:
        assert self.path is not None
        state = _whole_lines(self.state_path)
        table = _whole_lines(self.path)
        head = json.loads(state[0]) if state else {}
        before = {kind: dict(head.pop(kind)) for kind in self.known if kind in head}
        if head != self.settings or not table or table[0].split(",") != self.columns:
            raise InputError(
                f"{str(self.path)!r} holds results of other folds, seed or metrics, or of another "
                "version; give another name, or the same settings"
            )
        for line in state[1:]:
            f = _unpacked(json.loads(line))
            self.tallies.setdefault(f.key[:3], {})[f.fold] = f
        for row in csv.DictReader(io.StringIO("\n".join(table) + "\n")):
            result = {k: _typed(k, v) for k, v in row.items()}
            key = (result["dataset"], result["algorithm"], result["repeat"])
            if result["fold"] is None:
                self.pooled[key] = result
                self.tallies.pop(key, None)
            else:
                self.folds[(*key, result["fold"])] = result
        # A fold whose repeat is unfinished counts only with its tally.
        self.folds = {
            k: row for k, row in self.folds.items()
            if k[:3] in self.pooled or k[3] in self.tallies.get(k[:3], {})
        }  # fmt: skip
        self._compare(before)
        rows = [dict(zip(self.columns, self.columns, strict=True)), *self.folds.values()]
        _replace(self.path, self._lines([*rows, *self.pooled.values()]))
        self._shorten()  # what is appended must not run on from a line that was cut off

    def _compare(self, before: dict[str, dict[str, str]]) -> None:
        """Refuse to go on with other rows or another algorithm under a name that has results."""
        results = {
            "datasets": {key[0] for key in self.folds},
            "algorithms": {key[1] for key in self.folds},
        }
        for kind, now in self.known.items():
            then = before[kind]
            for name in sorted(results[kind] & set(now)):
                if then[name] != now[name]:
                    other = f"other rows or classes of the data set {name!r}; give those of before"
                    if kind == "algorithms":
                        other = f"another algorithm {name!r}, {then[name]}; give it another name"
                    raise InputError(
                        f"{str(self.path)!r} holds results of {other}, or another file"
                    )
            self.known[kind] = then | now

    def add(self, fold: Fold) -> None:
        """Keep a fold; with the last of its repeat, the tallies added up."""
        key = fold.key[:3]
        self._write(self._state, packed(fold) + "\n")
        self.tallies.setdefault(key, {})[fold.fold] = fold
        self.folds[fold.key] = self.row(fold)
        self._write(self._table, self._lines([self.folds[fold.key]]))
        self.pool(key)

    def pool(self, key: tuple[str, str, int]) -> None:
        """Keep the numbers of a repeat, of its folds' tallies added up, once it has them all."""
        folds = self.tallies[key].values()
        if len(folds) < self.settings["folds"]:
            return
        total = ScoreTally.empty(LABELS, True)
        for f in folds:
            total = total + f.tally
        self.pooled[key] = self.row(Fold(*key, -1, sum(f.seconds for f in folds), total))
        self._write(self._table, self._lines([self.pooled[key]]))
        del self.tallies[key]

    def _lines(self, rows: Sequence[dict[str, Any]]) -> str:
        text = io.StringIO()
        csv.DictWriter(text, self.columns, lineterminator="\n").writerows(rows)
        return text.getvalue()

    def _write(self, file: Any, text: str) -> None:
        if file is not None:
            with _refusing(self.path):
                file.write(text)
                file.flush()
                os.fsync(file.fileno())

    def table(self, sets: set[str], algorithms: set[str], repeats: int) -> dict[str, list[Any]]:
        """Return the columns of what was asked for, sorted; a file may hold more."""
        rows = self.folds | {(*key, math.inf): row for key, row in self.pooled.items()}
        wanted = [
            rows[key] for key in sorted(rows)
            if key[0] in sets and key[1] in algorithms and key[2] < repeats
        ]  # fmt: skip
        return {c: [row[c] for row in wanted] for c in self.columns}


def _replace(path: Path, text: str) -> None:
    """Write a file beside its place and rename it: there is the whole new one, or the old one."""
    new = path.with_name(path.name + ".new")
    try:
        new.write_text(text, "utf-8")
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def _whole_lines(path: Path) -> list[str]:
    """Return the lines that end: the last one may have been cut off."""
    return path.read_text("utf-8").split("\n")[:-1]


def packed(f: Fold) -> str:
    """Return a fold and its tally as one line of JSON."""
    counts = f.tally.counts.astype(int).tolist()
    return json.dumps([*f.key, f.seconds, f.tally.scores.tolist(), counts])


def _unpacked(line: Sequence[Any]) -> Fold:
    dataset, algorithm, repeat, fold, seconds, scores, counts = line
    tally = ScoreTally(LABELS, True, np.array(scores), np.array(counts, dtype=np.float64))
    return Fold(dataset, algorithm, repeat, fold, seconds, tally)


def _typed(column: str, text: str) -> Any:
    if column in ("dataset", "algorithm"):
        return text
    if text == "":
        return None
    return int(text) if column in ("repeat", "fold", "rows") else float(text)
