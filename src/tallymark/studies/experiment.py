"""The experiment: algorithms on data sets, repeated stratified cross-validation, every metric.

Each fold is counted once; its numbers and those of a whole repeat, whose folds' tallies are added
up, are arithmetic on the counts. Finished folds are written as they come, so a stopped
experiment resumes where it was.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import sqlite3
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import reduce
from itertools import product
from numbers import Integral
from operator import add
from pathlib import Path
from pickle import PicklingError
from typing import Any

import numpy as np

from tallymark.errors import InputError, choices
from tallymark.metric import METRICS, get
from tallymark.metric.measure import Statistic
from tallymark.studies.algorithms import Algorithm, chosen
from tallymark.studies.datasets import DataSet, files_of, from_arrays, name_of, read
from tallymark.tally.arrays import Label
from tallymark.tally.scores import ScoreTally

FIRST = (
    "accuracy",
    "cohen_kappa",
    "f1",
    "mean_absolute_error",
    "root_mean_squared_error",
    "roc_auc",
    "average_precision",
)
"""The metrics of the study; all others of two classes come after them."""

_DECLARED = {"mean_absolute_error": 1.0, "root_mean_squared_error": 0.5}
"""Losses that Weka divides by the declared classes, and the power in which it does."""


def run(
    datasets: Any,
    algorithms: Any = None,
    repeats: int = 10,
    folds: int = 10,
    seed: int = 0,
    jobs: int | None = None,
    results: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    metrics: Sequence[str] | None = None,
    targets: Mapping[str, str] | None = None,
    positive: Mapping[str, Label] | Label | None = None,
    header: bool | None = None,
) -> dict[str, list[Any]]:
    """Train and test every algorithm on every data set, and return a table of results.

    Parameters
    ----------
    datasets : folder, file, list of paths, or mapping
        ARFF, CSV, Parquet or Arrow files, the class in the last column unless ``targets`` names
        another; or ``{name: (X, y)}``.
    algorithms : names or mapping, optional
        Of :data:`tallymark.studies.algorithms.ALGORITHMS`, by default all; or your own estimators
        by name, which are cloned.
    repeats, folds : int
        Of stratified k-fold cross-validation; algorithms share the folds.
    seed : int
        Repeat r is shuffled by ``seed + r``, which is also the ``random_state`` of algorithms; of
        your own estimators where it is None.
    jobs : int, optional
        Processes at once; all cores by default. Results do not depend on it.
    results : path, optional
        A CSV file that grows fold by fold; what it holds already is not trained again. Beside it
        stays an SQLite database ``.state``, without which it cannot be resumed: what the results
        are of, and the tallies of unfinished repeats; see :class:`Checkpoint`.
    progress : callable, optional
        Called with folds done and folds in all.
    metrics : names, optional
        By default all that two classes have.
    targets : mapping of data set to column, optional
    positive : label, or mapping of data set to label, optional
        The positive class. Unless given it is the first of an ARFF header, as in Weka; of other
        files and arrays 1 of {0, 1} or {-1, 1}, or True; where none of these is, the first when
        sorted.
    header : bool, optional
        Whether the first row of CSV files names the columns; refused where it looks like data.

    Returns
    -------
    dict of columns
        ``dataset``, ``algorithm``, ``repeat``, ``fold`` (None for the predictions of the whole
        repeat), ``rows``, ``minority``, ``seconds``, and one column a metric; None is undefined.

    Raises
    ------
    InputError
        Data sets, algorithms or numbers that cannot be used; a file of results of other settings,
        other rows of a data set or another algorithm of the same name, that cannot be written, or
        that another run is writing; an algorithm that fails, with where and why. Finished folds
        stay in the file of results.

    """
    _needs_sklearn()
    repeats, folds = _whole("repeats", repeats, 1), _whole("folds", folds, 2)
    seed = _whole("seed", seed, 0, _SEEDS - repeats)
    jobs = None if jobs is None else _whole("jobs", jobs, 1)
    makers = chosen(algorithms)
    wanted = statistics_of(metrics)
    if results is not None:
        try_place(results)
    sets = _data_sets(datasets, {} if targets is None else targets, positive, results, header)
    for name in (*sets, *makers):
        if name.splitlines() != [name]:
            raise InputError(f"the name {name!r} is not a single line of text; give another")
    for d in sets.values():
        if d.minority * d.rows < folds:
            raise InputError(
                f"{d.name} has {round(d.minority * d.rows)} rows of its smaller class, too few for "
                f"{folds} folds; use fewer"
            )
    plan = list(product(sets, makers, range(repeats), range(folds)))
    settings = {"folds": folds, "seed": seed, "metrics": [s.metric.name for s in wanted]}
    names = {
        "dataset": {n: d.fingerprint for n, d in sets.items()},
        "algorithm": {n: m.identity for n, m in makers.items()},
    }
    with checkpoint(results, settings, names, lambda f: _line(f, sets[f.key[0]], wanted)) as kept:
        finished = kept.folds()
        todo = [key for key in plan if key not in finished]
        report = progress or (lambda done, total: None)
        report(len(plan) - len(todo), len(plan))
        tasks = ((sets[d], makers[a], r, f, folds, seed) for d, a, r, f in todo)
        for done, fold in enumerate(_trained(tasks, jobs), len(plan) - len(todo) + 1):
            kept.add(fold)
            report(done, len(plan))
        return kept.table(set(sets), set(makers), repeats)


def _needs_sklearn() -> None:
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise InputError(
            "the experiment trains scikit-learn models; install them with "
            "pip install 'tallymark[sklearn]', or give a table of results"
        ) from None


_SEEDS = 2**32
"""Seeds of scikit-learn are below it."""


def _whole(name: str, number: Any, least: int, most: int | None = None) -> int:
    whole = isinstance(number, Integral) and not isinstance(number, bool)
    if not whole or number < least or (most is not None and number > most):
        limits = f"from {least} up" if most is None else f"from {least} to {most}"
        raise InputError(f"{name} is {number!r}; it must be a whole number {limits}")
    return int(number)


def _data_sets(
    datasets: Any, targets: Any, positive: Any, results: Any, header: bool | None
) -> dict[str, DataSet]:
    if not isinstance(targets, Mapping):
        raise InputError(f"targets is {targets!r}; give a column by data set, {{name: column}}")
    if isinstance(datasets, Mapping):
        if targets:
            raise InputError(
                "targets names columns of files, and the data sets are arrays; leave it out"
            )
        arrays = {str(name): given for name, given in datasets.items()}
        positives = _by_name("positive", positive, list(arrays))
        read_in = [_pair(n, given, positives.get(n)) for n, given in arrays.items()]
    else:
        files = [(name_of(f), f) for f in files_of(datasets, results)]
        names = [n for n, _ in files]
        columns = _by_name("targets", targets, names)
        positives = _by_name("positive", positive, names)
        read_in = [read(f, columns.get(n), positives.get(n), header) for n, f in files]
    if not read_in:
        raise InputError("there is no data set; give files, a folder that holds some, or arrays")
    out = {d.name: d for d in read_in}
    if len(out) < len(read_in):
        raise InputError("two data sets have the same name; rename one of the files")
    return out


def _by_name(option: str, given: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return what is given for each data set; a single value is for all."""
    if not isinstance(given, Mapping):
        return {} if given is None else dict.fromkeys(names, given)
    for name in given:
        if name not in names:
            raise InputError(f"{option} names no data set {name!r}; {choices(str(name), names)}")
    return dict(given)


def _pair(name: str, given: Any, positive: Label | None) -> DataSet:
    if isinstance(given, DataSet):
        if positive is not None:
            raise InputError(f"the data set {name!r} already has a positive class; leave it out")
        return given
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise InputError(f"the data set {name!r} is not a pair of arrays; give {{name: (X, y)}}")
    x, y = given
    return from_arrays(name, x, y, positive)


def statistics_of(metrics: Sequence[str] | None) -> list[Statistic]:
    """Return the metrics named, or all that two classes have.

    Raises
    ------
    InputError
        A metric that does not exist, or that needs more than one column of scores.

    """
    asked: Sequence[str] = [*FIRST, *METRICS]
    if metrics is not None:
        asked = [metrics] if isinstance(metrics, str) else metrics
        if not asked:
            raise InputError("metrics is empty; name at least one")
    made = []
    for metric in dict.fromkeys(map(get, asked)):
        if metric.effort and metrics is None:
            continue
        if metric.effort == "needed":
            raise InputError(
                f"{metric.name} needs the effort of each row, which a study does not have; leave "
                "it out"
            )
        if metric.classes != "many" and metric.needs not in ("class_scores", "rows"):
            made.append(Statistic.of(metric, LABELS, True))
        elif metrics is not None:
            raise InputError(
                f"{metric.name} needs whole rows of scores, and a study has two classes; leave it "
                "out"
            )
    return made


# -- one fold ----------------------------------------------------------------------------------


def _trained(tasks: Iterable[Any], jobs: int | None) -> Iterator[Fold]:
    from joblib import Parallel, cpu_count, delayed

    parallel = Parallel(n_jobs=jobs or cpu_count(), return_as="generator_unordered")
    try:
        with closing(parallel(delayed(_train)(*task) for task in tasks)) as made:
            for fold in made:
                if isinstance(fold, InputError):
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")  # of the folds that are not waited for
                        made.close()
                    raise fold
                yield fold
    except (BrokenExecutor, PicklingError) as error:
        reason = "a process of the experiment was killed, perhaps for lack of memory; "
        reason += "use fewer jobs"
        if isinstance(error, PicklingError):
            reason = "one of the algorithms cannot be sent to other processes; use jobs=1"
        elif "serialize" in str(error):
            reason = (
                "the processes of the experiment cannot import the module that an algorithm's "
                "class is in; use jobs=1"
            )
        raise InputError(reason) from None


def _train(
    d: DataSet, maker: Algorithm, repeat: int, fold: int, folds: int, seed: int
) -> Fold | InputError:
    """Return what is counted of a fold, or why there is nothing.

    A refusal raised in another process ends all of them at once, and which error is seen then is
    up to chance.
    """
    from sklearn.model_selection import StratifiedKFold
    from threadpoolctl import threadpool_limits

    split = StratifiedKFold(folds, shuffle=True, random_state=seed + repeat).split(d.x, d.y)
    train, test = next(part for i, part in enumerate(split) if i == fold)
    start = time.perf_counter()
    with threadpool_limits(1), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of fits that stop before they converge
        try:
            model = maker.make(seed + repeat, d.nominal).fit(d.x[train], d.y[train])
            every = np.asarray(model.predict_proba(d.x[test]), dtype=np.float64)
            p = every[:, list(model.classes_).index(True)]
            if len(p) != len(test) or not ((p >= -_SLACK) & (p <= 1 + _SLACK)).all():
                raise ValueError("predict_proba does not give one number from 0 to 1 per row")
        except Exception as error:
            cause = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(".: ")
            return InputError(
                f"{maker.name!r} fails on the data set {d.name!r} in repeat {repeat}, fold {fold} "
                f"({cause}); correct it, or leave one of the two out"
            )
    seconds = time.perf_counter() - start
    tally = ScoreTally.from_arrays(d.y[test], np.clip(p, 0.0, 1.0), positive=True, labels=LABELS)
    return Fold((d.name, maker.name, repeat, fold), seconds, tally)


_SLACK = 1e-6
"""Probabilities may leave 0 to 1 by rounding."""


def _line(fold: Fold, d: DataSet, wanted: Sequence[Statistic]) -> list[Any]:
    """Return a line of the table: keys, facts of the data set, and every metric."""
    *keys, number = fold.key
    line = [*keys, None if number < 0 else number, d.rows, round(d.minority, 6)]
    line.append(round(fold.seconds, 4))
    labels = fold.tally.at(0.5)
    for s in wanted:
        of_labels = s.metric.needs in ("counts", "matrix")
        value = float(s.measure(labels if of_labels else (fold.tally,)))
        value *= (2 / len(d.classes)) ** _DECLARED.get(s.metric.name, 0.0)
        line.append(value if math.isfinite(value) else None)
    return line


# -- results that are kept ----------------------------------------------------------------------

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
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
}


@dataclass(frozen=True, slots=True)
class Fold:
    """What is counted of one fold of a data set, algorithm and repeat: scores by true class."""

    key: tuple[str, str, int, int]
    seconds: float
    tally: ScoreTally


def state_of(table: Path) -> Path:
    """Return the file that stands beside a table of results."""
    return table.with_name(table.name + ".state")


def try_place(path: str | os.PathLike[str]) -> None:
    """Say at once, before any long work, whether a table can be kept there.

    Raises
    ------
    InputError
        A folder, a folder that cannot be made, or a place that is not writable.

    """
    place = Path(path)
    if place.is_dir():
        raise InputError(f"{str(place)!r} is a folder; name a file in it for the results")
    with _refusing(place):
        folder = next(p for p in place.absolute().parents if p.exists())
        if not folder.is_dir():
            raise NotADirectoryError(20, f"{folder.name} is not a folder")
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
            f"({getattr(error, 'strerror', None) or error}); choose a place where you can write"
        ) from None


def _damaged(path: Path | None) -> InputError:
    return InputError(
        f"{str(path)!r} cannot be resumed: it or {state_of(path or Path()).name} does not hold "
        "what an experiment writes; give another name"
    )


def _locked(path: Path) -> sqlite3.Connection:
    """Open the state beside a table, alone; without a lock where the system has none."""
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
    """A table of results that grows line by line, in a file or in memory alone.

    The table has one line a fold and one a complete repeat, whose ``fold`` is empty; an empty
    metric is undefined. Beside the table ``NAME`` stands ``NAME.state``, an SQLite database, which
    is needed to resume; the table alone is enough to study it. The state has three tables:

    - ``settings``: one JSON object with ``format``, ``version``, ``folds``, ``seed``, ``metrics``;
    - ``identities``: what each name of a data set (a fingerprint of its rows) and of an algorithm
      (its class and parameters) stood for in the last run that used it;
    - ``results``: one row a fold, and one a complete repeat (fold -1): the line of the table as a
      JSON array and, until its repeat is complete, the seconds and the tally of the fold.

    A fold and all that follows from it are one transaction, written before the line of the table:
    whenever the work is cut off, what is finished is there. Lines that the table lacks are added
    when the next run begins. The database is locked while a run lasts, and freed when its process
    ends, however it ends.
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
            for kind, now in identities.items():
                self._compare(kind, now)
        if self.path is not None:
            lines = self._select("SELECT line FROM results ORDER BY rowid")
            text = _csv([self.columns, *(json.loads(line) for (line,) in lines)])
            kept = self.path.read_bytes() if self.path.exists() else b""
            if not text.startswith(kept):  # a part of a line may be left of the last one
                raise _damaged(self.path)
            self._append(text[len(kept) :])

    def _compare(self, kind: str, now: Mapping[str, str]) -> None:
        """Refuse to resume with other rows or another algorithm under a name that has results."""
        before = dict(self._select("SELECT name, identity FROM identities WHERE kind = ?", kind))
        used = {name for (name,) in self._select(f"SELECT DISTINCT {kind} FROM results")}
        for name in sorted(used & set(now)):
            if before[name] != now[name]:
                other = f"other rows or classes of the data set {name!r}; give the earlier ones"
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
        """Return the columns of what was asked for, sorted; a file may hold more."""
        rows = self._select("SELECT dataset, algorithm, repeat, fold, line FROM results")
        rows.sort(key=lambda r: (*r[:3], math.inf if r[3] < 0 else r[3]))
        lines = [
            json.loads(line)
            for d, a, r, _, line in rows
            if d in sets and a in algorithms and r < repeats
        ]
        return {c: [line[i] for line in lines] for i, c in enumerate(self.columns)}


@contextmanager
def checkpoint(results: str | os.PathLike[str] | None, *what: Any) -> Iterator[Checkpoint]:
    """Open what is kept of an experiment, its folder made where it is missing.

    Nothing is left behind of a run without results.
    """
    path = None if results is None else Path(results)
    with _refusing(path):
        made = (
            [] if path is None else [p for p in (path, *path.absolute().parents) if not p.exists()]
        )
        database = sqlite3.connect(":memory:") if path is None else _locked(path)
    try:
        with _refusing(path):
            kept = Checkpoint(path, database, *what)
        yield kept
    finally:
        unused = False
        with suppress(sqlite3.Error):
            unused = not database.execute("SELECT 1 FROM results LIMIT 1").fetchall()
        database.close()
        if path in made and unused:
            with suppress(OSError):
                for file in (path, state_of(path)):
                    file.unlink(missing_ok=True)
                for folder in made[1:]:
                    folder.rmdir()


def _csv(lines: Iterable[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()
