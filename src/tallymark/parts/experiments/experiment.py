"""The experiment: algorithms on data sets, repeated stratified cross-validation, every metric.

Each fold is counted once; its numbers and those of a whole repeat, whose folds' tallies are added
up, are arithmetic on the counts. Finished folds are written as they come, so a stopped
experiment resumes where it was.
"""

from __future__ import annotations

import math
import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import product
from numbers import Integral
from pathlib import Path
from pickle import PicklingError
from typing import Any

import numpy as np

from tallymark import InputError, ScoreTally
from tallymark.core import METRICS, Label, Statistic, choices, get, open_table
from tallymark.parts.experiments.algorithms import Algorithm, chosen
from tallymark.parts.experiments.checkpoint import Fold, check_writable, checkpoint
from tallymark.parts.experiments.datasets import (
    DataSet,
    files_of,
    from_arrays,
    is_kind,
    name_of,
    read,
)

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

LABELS = (False, True)

_DECLARED = {"mean_absolute_error": 1.0, "root_mean_squared_error": 0.5}
"""Losses that Weka divides by a power of the number of declared classes, and the power."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment on the files of data sets; finished folds are in the file ``results``."""

    files: Sequence[Path]
    results: str | os.PathLike[str] | None

    def metrics(self, names: Sequence[str] | None = None) -> list[str]:
        """Return the names of the metrics of its table: all, or those of ``names``.

        Raises
        ------
        InputError
            A metric that does not exist, or that it does not compute.

        """
        return [s.metric.name for s in statistics_of(names)]

    def table(self, **options: Any) -> dict[str, list[Any]]:
        """Run the experiment, and return its table; the options are those of :func:`run`."""
        return run(self.files, results=self.results, **options)


def of_data_sets(source: Any, results: str | os.PathLike[str] | None) -> Experiment | None:
    """Return the experiment on a folder, a list of paths or a file; None of a table of results."""
    if isinstance(source, list | tuple) and source:
        return Experiment(files_of(source), results)
    if not isinstance(source, str | os.PathLike):
        return None
    path = Path(source)
    if not path.is_dir() and (not path.is_file() or not is_kind(path) or _holds_results(path)):
        return None
    return Experiment(files_of(path, results), results)


def _holds_results(path: Path) -> bool:
    """Tell whether a file has one of the key columns of a table of results."""
    named = {"dataset", "algorithm", "repeat"}
    return not named.isdisjoint(column.lower() for column in open_table(path).columns)


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
        Of :data:`tallymark.parts.experiments.algorithms.ALGORITHMS`, by default all; or your own
        estimators by name, which are cloned.
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
        are of, and the tallies of unfinished repeats; see
        :class:`tallymark.parts.experiments.checkpoint.Checkpoint`.
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
    statistics = statistics_of(metrics)
    if results is not None:
        check_writable(results)
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
    settings = {"folds": folds, "seed": seed, "metrics": [s.metric.name for s in statistics]}
    names = {
        "dataset": {n: d.fingerprint for n, d in sets.items()},
        "algorithm": {n: m.identity for n, m in makers.items()},
    }
    with checkpoint(
        results, settings, names, lambda f: _line(f, sets[f.key[0]], statistics)
    ) as store:
        finished = store.folds()
        todo = [key for key in plan if key not in finished]
        report = progress or (lambda done, total: None)
        report(len(plan) - len(todo), len(plan))
        tasks = ((sets[d], makers[a], r, f, folds, seed) for d, a, r, f in todo)
        for done, fold in enumerate(_trained(tasks, jobs), len(plan) - len(todo) + 1):
            store.add(fold)
            report(done, len(plan))
        return store.table(set(sets), set(makers), repeats)


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
        arrays = {str(name): pair for name, pair in datasets.items()}
        positives = _by_name("positive", positive, list(arrays))
        read_in = [_pair(n, pair, positives.get(n)) for n, pair in arrays.items()]
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


def _by_name(option: str, values: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return an option's value for each data set; a single value is for all."""
    if not isinstance(values, Mapping):
        return {} if values is None else dict.fromkeys(names, values)
    for name in values:
        if name not in names:
            raise InputError(f"{option} names no data set {name!r}; {choices(str(name), names)}")
    return dict(values)


def _pair(name: str, arrays: Any, positive: Label | None) -> DataSet:
    if isinstance(arrays, DataSet):
        if positive is not None:
            raise InputError(f"the data set {name!r} already has a positive class; leave it out")
        return arrays
    if not isinstance(arrays, tuple | list) or len(arrays) != 2:
        raise InputError(f"the data set {name!r} is not a pair of arrays; give {{name: (X, y)}}")
    x, y = arrays
    return from_arrays(name, x, y, positive)


def statistics_of(metrics: Sequence[str] | None) -> list[Statistic]:
    """Return the metrics named, or all that two classes have.

    Raises
    ------
    InputError
        A metric that does not exist, or that needs more than one column of scores.

    """
    names: Sequence[str] = [*FIRST, *METRICS]
    if metrics is not None:
        names = [metrics] if isinstance(metrics, str) else metrics
        if not names:
            raise InputError("metrics is empty; name at least one")
    statistics = []
    for metric in dict.fromkeys(map(get, names)):
        if metric._role and metrics is None:
            continue
        if metric._role_needed:
            raise InputError(
                f"{metric.name} needs the {metric._role} of each row, which a study does not "
                "have; leave it out"
            )
        if metric.classes != "many" and metric._needs not in ("class_scores", "rows"):
            statistics.append(Statistic.of(metric, LABELS, True))
        elif metrics is not None:
            raise InputError(
                f"{metric.name} needs whole rows of scores, and a study has two classes; leave it "
                "out"
            )
    return statistics


# -- one fold ----------------------------------------------------------------------------------


def _trained(tasks: Iterable[Any], jobs: int | None) -> Iterator[Fold]:
    from joblib import Parallel, cpu_count, delayed

    parallel = Parallel(n_jobs=jobs or cpu_count(), return_as="generator_unordered")
    try:
        with closing(parallel(delayed(_train)(*task) for task in tasks)) as folds:
            for fold in folds:
                if isinstance(fold, InputError):
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")  # of the folds that are not waited for
                        folds.close()
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
    """Return the tally of a fold, or the refusal if training fails.

    An error raised in another process would end all of them at once, and which one is reported
    would depend on timing.
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


def _line(fold: Fold, d: DataSet, statistics: Sequence[Statistic]) -> list[Any]:
    """Return a line of the table: keys, facts of the data set, and every metric."""
    *keys, number = fold.key
    line = [*keys, None if number < 0 else number, d.rows, round(d.minority, 6)]
    line.append(round(fold.seconds, 4))
    labels = fold.tally.at(0.5)
    for s in statistics:
        of_labels = s.metric._needs in ("counts", "matrix")
        value = float(s.measure(labels if of_labels else (fold.tally,)))
        value *= (2 / len(d.classes)) ** _DECLARED.get(s.metric.name, 0.0)
        line.append(value if math.isfinite(value) else None)
    return line
