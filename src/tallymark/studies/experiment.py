"""The experiment: algorithms on data sets, repeated stratified cross-validation, every metric.

Each fold is counted once; its numbers and those of a whole repeat, whose folds' tallies are added
up, are arithmetic on the counts. Finished folds are written as they come, so that an experiment
that is stopped goes on where it was.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tallymark.errors import InputError
from tallymark.metric import METRICS, get
from tallymark.metric.measure import Statistic
from tallymark.studies.algorithms import chosen
from tallymark.studies.datasets import DataSet, from_arrays, read
from tallymark.tally.scores import ScoreTally

FIRST = (
    "accuracy", "cohen_kappa", "f1", "mean_absolute_error", "root_mean_squared_error", "roc_auc",
    "average_precision",
)  # fmt: skip
"""The metrics of the study; all others of two classes come after them."""

KEYS = ("dataset", "algorithm", "repeat", "fold", "rows", "minority", "seconds")

_DECLARED = {"mean_absolute_error": 1.0, "root_mean_squared_error": 0.5}
"""Losses that Weka divides by the declared classes, and the power in which it does."""

LABELS = (False, True)


@dataclass(frozen=True, slots=True)
class _Fold:
    """What is counted of one fold: the scores of its rows by true class."""

    dataset: str
    algorithm: str
    repeat: int
    fold: int
    seconds: float
    tally: ScoreTally

    @property
    def key(self) -> tuple[str, str, int, int]:
        return self.dataset, self.algorithm, self.repeat, self.fold


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
) -> dict[str, list[Any]]:
    """Train and test every algorithm on every data set, and return a table of results.

    Parameters
    ----------
    datasets : folder, list of paths, or mapping
        ARFF, CSV, Parquet or Arrow files, the class in the last column unless ``targets`` names
        another; or ``{name: (X, y)}``. The first class of an ARFF header is the positive one, as
        in Weka, of other files the first when sorted.
    algorithms : names or mapping, optional
        Of :data:`tallymark.studies.algorithms.ALGORITHMS`, by default all; or your own estimators
        by name.
    repeats, folds : int
        Of stratified k-fold cross-validation; algorithms share the folds.
    seed : int
        Repeat r is shuffled by ``seed + r``.
    jobs : int, optional
        Processes at once; all cores by default. Results do not depend on it.
    results : path, optional
        A CSV file that grows fold by fold; what it holds already is not trained again. Beside it
        stands a file of tallies, ``.state``, while there are unfinished repeats.
    progress : callable, optional
        Called with folds done and folds in all.
    metrics : names, optional
        By default all that two classes have.
    targets : mapping of data set to column, optional

    Returns
    -------
    dict of columns
        ``dataset``, ``algorithm``, ``repeat``, ``fold`` (None for the predictions of the whole
        repeat), ``rows``, ``minority``, ``seconds``, and one column a metric; None is undefined.

    Raises
    ------
    InputError
        Data sets, algorithms or numbers that cannot be used; a file of results of other settings.

    """
    _needs_sklearn()
    for name, number, least in (("repeats", repeats, 1), ("folds", folds, 2)):
        if isinstance(number, bool) or not isinstance(number, int) or number < least:
            raise InputError(f"{name} is {number!r}; it must be a whole number from {least} up")
    makers = chosen(algorithms)
    sets = _data_sets(datasets, targets or {})
    for d in sets.values():
        if d.minority * d.rows < folds:
            raise InputError(
                f"{d.name} has {round(d.minority * d.rows)} rows of its smaller class, too few for "
                f"{folds} folds; take fewer"
            )
    wanted = _statistics(metrics)
    plan = [(d, a, r, f) for d in sets for a in makers for r in range(repeats)
            for f in range(folds)]  # fmt: skip
    kept = _Results(results, [s.metric.name for s in wanted], {"folds": folds, "seed": seed})
    with kept:
        for repeat, part in list(kept.tallies.items()):  # cut off before they were added up
            if len(part) == folds and repeat[0] in sets:
                kept.pool(repeat, lambda whole: _row(whole, sets[whole.dataset], wanted))
        todo = [key for key in plan if key not in kept.folds]
        done = len(plan) - len(todo)
        if progress is not None:
            progress(done, len(plan))
        for fold in _trained(todo, sets, makers, folds, seed, jobs):
            kept.add(fold, _row(fold, sets[fold.dataset], wanted), folds,
                     lambda whole: _row(whole, sets[whole.dataset], wanted))  # fmt: skip
            done += 1
            if progress is not None:
                progress(done, len(plan))
        return kept.table(set(sets), set(makers), repeats)


def _needs_sklearn() -> None:
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise InputError(
            "the experiment trains scikit-learn models; install them with "
            "pip install 'tallymark[sklearn]', or give a table of results"
        ) from None


def _data_sets(datasets: Any, targets: Mapping[str, str]) -> dict[str, DataSet]:
    if isinstance(datasets, Mapping):
        found = [d if isinstance(d, DataSet) else from_arrays(name, *d)
                 for name, d in datasets.items()]  # fmt: skip
    else:
        files = datasets
        if isinstance(datasets, str | os.PathLike):
            folder = Path(datasets)
            files = sorted(p for p in folder.iterdir() if p.suffix.lower() in _ENDINGS)
        found = [read(f, targets.get(Path(f).stem)) for f in files]
    if not found:
        raise InputError("there is no data set; give files, a folder that holds some, or arrays")
    out = {d.name: d for d in found}
    if len(out) < len(found):
        raise InputError("two data sets have the same name; rename one of the files")
    return out


_ENDINGS = (".arff", ".csv", ".tsv", ".parquet", ".pq", ".arrow", ".feather")


def _statistics(metrics: Sequence[str] | None) -> list[Statistic]:
    if metrics is None:
        names = [*FIRST, *(n for n in METRICS if n not in FIRST)]
    else:
        names = list(dict.fromkeys(get(m).name for m in metrics))
    made = []
    for name in names:
        metric = get(name)
        usable = metric.classes != "many" and metric.needs not in ("class_scores", "rows")
        if usable:
            made.append(Statistic.of(metric, LABELS, True))
        elif metrics is not None:
            raise InputError(f"{name} needs whole rows of scores; the study is of two classes")
    return made


# -- one fold ----------------------------------------------------------------------------------


def _trained(
    todo: Sequence[tuple[str, str, int, int]],
    sets: Mapping[str, DataSet],
    makers: Mapping[str, Any],
    folds: int,
    seed: int,
    jobs: int | None,
) -> Iterator[_Fold]:
    from joblib import Parallel, cpu_count, delayed

    count = cpu_count() if jobs is None else jobs
    if count < 1:
        raise InputError(f"jobs is {jobs!r}; it must be a whole number from 1 up")
    tasks = (delayed(_train)(sets[d], a, makers[a], r, f, folds, seed) for d, a, r, f in todo)
    yield from Parallel(n_jobs=count, return_as="generator_unordered")(tasks)


def _train(
    d: DataSet, algorithm: str, make: Any, repeat: int, fold: int, folds: int, seed: int
) -> _Fold:
    from sklearn.model_selection import StratifiedKFold
    from threadpoolctl import threadpool_limits

    split = StratifiedKFold(folds, shuffle=True, random_state=seed + repeat).split(d.x, d.y)
    train, test = next(part for i, part in enumerate(split) if i == fold)
    start = time.perf_counter()
    with threadpool_limits(1), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of fits that stop before they converge
        model = make(seed + repeat, d.nominal).fit(d.x[train], d.y[train])
        p = model.predict_proba(d.x[test])[:, list(model.classes_).index(True)]
    seconds = time.perf_counter() - start
    tally = ScoreTally.from_arrays(d.y[test], np.clip(p, 0.0, 1.0), positive=True, labels=LABELS)
    return _Fold(d.name, algorithm, repeat, fold, seconds, tally)


def _row(fold: _Fold, d: DataSet, wanted: Sequence[Statistic]) -> dict[str, Any]:
    """Return a line of the table: keys, facts of the data set, and every metric."""
    labels, rankings = fold.tally.at(0.5), [fold.tally.ranking()]
    row: dict[str, Any] = {
        "dataset": d.name, "algorithm": fold.algorithm, "repeat": fold.repeat,
        "fold": None if fold.fold < 0 else fold.fold, "rows": d.rows,
        "minority": round(d.minority, 6), "seconds": round(fold.seconds, 4),
    }  # fmt: skip
    for s in wanted:
        if s.metric.needs in ("counts", "matrix"):
            value = float(s.of_matrix(labels.counts, labels.labels))
        else:
            value = float(s.of_rankings(rankings))
        power = _DECLARED.get(s.metric.name)
        if power is not None:
            value *= (2 / len(d.classes)) ** power
        row[s.metric.name] = value if math.isfinite(value) else None
    return row


# -- results that are kept ---------------------------------------------------------------------


class _Results:
    """A table that grows line by line, in memory and in a file.

    A fold's tally goes into the state file before its line goes into the table, each flushed to
    the disk: whenever the work is cut off, what is finished is there. Half-written last lines are
    dropped.
    """

    def __init__(self, path: Any, metrics: Sequence[str], settings: dict[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self.columns = [*KEYS, *metrics]
        self.settings = {**settings, "metrics": list(metrics)}
        self.folds: dict[tuple[str, str, int, int], dict[str, Any]] = {}
        self.pooled: dict[tuple[str, str, int], dict[str, Any]] = {}
        self.tallies: dict[tuple[str, str, int], dict[int, _Fold]] = {}
        self._table: io.TextIOBase | Any = None
        self._state: io.TextIOBase | Any = None

    @property
    def state_path(self) -> Path:
        assert self.path is not None
        return self.path.with_name(self.path.name + ".state")

    def __enter__(self) -> _Results:
        if self.path is None:
            return self
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists() != self.state_path.exists():
            lacking = self.state_path if self.path.exists() else self.path
            raise InputError(
                f"{str(self.path)!r} cannot be gone on with: {lacking.name} is missing; give "
                "another name"
            )
        if self.path.exists():
            self._read()
        else:
            self.state_path.write_text(json.dumps(self.settings) + "\n", "utf-8")
            self.path.write_text(",".join(self.columns) + "\n", "utf-8")
        self._table = self.path.open("a", encoding="utf-8", newline="")
        self._state = self.state_path.open("a", encoding="utf-8", newline="")
        return self

    def __exit__(self, *error: object) -> None:
        for file in (self._table, self._state):
            if file is not None:
                file.close()
        if self.path is not None and self._state is not None:
            self._shorten()

    def _shorten(self) -> None:
        """Keep of the state only the tallies of unfinished repeats."""
        lines = [json.dumps(self.settings)]
        for part in self.tallies.values():
            lines += [_packed(f) for f in part.values()]
        short = self.state_path.with_name(self.state_path.name + ".new")
        short.write_text("\n".join(lines) + "\n", "utf-8")
        short.replace(self.state_path)

    def _read(self) -> None:
        assert self.path is not None
        state = _whole_lines(self.state_path)
        table = _whole_lines(self.path)
        settings = json.loads(state[0]) if state else None
        if settings != self.settings or not table or table[0].split(",") != self.columns:
            raise InputError(
                f"{str(self.path)!r} holds results of other folds, seed or metrics; give another "
                "name, or the same settings"
            )
        for line in state[1:]:
            f = _unpacked(json.loads(line))
            self.tallies.setdefault(f.key[:3], {})[f.fold] = f
        for row in csv.DictReader(io.StringIO("\n".join(table) + "\n")):
            found = {k: _typed(k, v) for k, v in row.items()}
            key = (found["dataset"], found["algorithm"], found["repeat"])
            if found["fold"] is None:
                self.pooled[key] = found
                self.tallies.pop(key, None)
            else:
                self.folds[(*key, found["fold"])] = found
        # A fold whose repeat is unfinished counts only with its tally.
        for whole in [k for k in self.folds if k[:3] not in self.pooled]:
            if whole[3] not in self.tallies.get(whole[:3], {}):
                del self.folds[whole]
        kept = [*self.folds.values(), *self.pooled.values()]
        text = io.StringIO()
        writer = csv.DictWriter(text, self.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)
        new = self.path.with_name(self.path.name + ".new")
        new.write_text(text.getvalue(), "utf-8")
        new.replace(self.path)
        self._shorten()  # what is appended must not run on from a line that was cut off

    def add(
        self, fold: _Fold, row: dict[str, Any], folds: int, of: Callable[[_Fold], dict[str, Any]]
    ) -> None:
        """Keep a fold; with the last of its repeat, the tallies added up."""
        key = fold.key[:3]
        self._write(self._state, _packed(fold) + "\n")
        self.tallies.setdefault(key, {})[fold.fold] = fold
        self.folds[fold.key] = row
        self._write(self._table, self._line(row))
        part = self.tallies[key]
        if len(part) == folds:
            self.pool(key, of)

    def pool(self, key: tuple[str, str, int], of: Callable[[_Fold], dict[str, Any]]) -> None:
        """Keep the numbers of a whole repeat, of its folds' tallies added up."""
        part = self.tallies[key]
        total = ScoreTally.empty(LABELS, True)
        for f in part.values():
            total = total + f.tally
        seconds = sum(f.seconds for f in part.values())
        self.pooled[key] = of(_Fold(*key, -1, seconds, total))
        self._write(self._table, self._line(self.pooled[key]))
        del self.tallies[key]

    def _line(self, row: dict[str, Any]) -> str:
        text = io.StringIO()
        csv.DictWriter(text, self.columns, lineterminator="\n").writerow(row)
        return text.getvalue()

    @staticmethod
    def _write(file: Any, text: str) -> None:
        if file is not None:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())

    def table(self, sets: set[str], algorithms: set[str], repeats: int) -> dict[str, list[Any]]:
        """Return the columns of what was asked for, sorted; a file may hold more."""
        rows = [
            *sorted(self.folds.items()),
            *(((*k, math.inf), v) for k, v in sorted(self.pooled.items())),
        ]
        wanted = [
            row for key, row in sorted(rows, key=lambda kv: kv[0])
            if key[0] in sets and key[1] in algorithms and key[2] < repeats
        ]  # fmt: skip
        return {c: [row[c] for row in wanted] for c in self.columns}


def _whole_lines(path: Path) -> list[str]:
    """Return the lines that end: the last one may have been cut off."""
    text = path.read_text("utf-8")
    return text[: text.rfind("\n") + 1].splitlines()


def _packed(f: _Fold) -> str:
    counts = f.tally.counts.astype(int).tolist()
    return json.dumps([*f.key, f.seconds, f.tally.scores.tolist(), counts])


def _unpacked(line: Sequence[Any]) -> _Fold:
    dataset, algorithm, repeat, fold, seconds, scores, counts = line
    tally = ScoreTally(LABELS, True, np.array(scores), np.array(counts, dtype=np.float64))
    return _Fold(dataset, algorithm, repeat, fold, seconds, tally)


def _typed(column: str, text: str) -> Any:
    if column in ("dataset", "algorithm"):
        return text
    if text == "":
        return None
    return int(text) if column in ("repeat", "fold", "rows") else float(text)
