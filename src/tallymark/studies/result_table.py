"""Tables of results: one row a result of an algorithm on a data set, one column a metric."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.data.readers import open_table
from tallymark.errors import InputError, choices
from tallymark.metric import get
from tallymark.tally.arrays import Coded, Codes, Floats, as_scores, code_labels, same_length
from tallymark.tally.foreign import is_table

Unit = Literal["repeat", "pooled", "fold", "algorithm"]
UNITS: tuple[Unit, ...] = ("repeat", "pooled", "fold")
"""The units within an algorithm; the unit "algorithm" compares algorithms with one another."""

KEYS = ("dataset", "algorithm", "repeat")
FACTS = ("rows", "minority")
_OTHERS = ("seconds", "seed")
_ALSO_NAMED = {
    "dataset": ("data set", "data_set", "data", "key_dataset"),
    "algorithm": ("classifier", "model", "learner", "estimator", "method", "key_scheme"),
    "repeat": ("run", "repetition", "key_run"),
    "fold": ("key_fold",),
}
"""What else a column is called, Weka's experimenter included, where none has its own name."""

_POOLED = -1
"""The fold of a result that was counted over the predictions of a whole repeat."""


ALSO = {"auprc": "average_precision"}
"""Columns as the paper and Weka call them, where that is no name of the registry."""


@dataclass(frozen=True, eq=False)
class Results:
    """Checked results, sorted by data set, algorithm, repeat and fold.

    ``values[n, K]`` holds the metrics, NaN where one is undefined; ``dataset`` and ``algorithm``
    are codes into the names; ``fold`` is -1 for the pooled predictions of a repeat. ``rows`` and
    ``minority`` (the share of the smaller class) are facts of each data set, NaN where unknown.
    """

    source: str
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    dataset: Codes
    algorithm: Codes
    repeat: NDArray[np.int64]
    fold: NDArray[np.int64]
    metrics: tuple[str, ...]
    values: Floats
    rows: Floats
    minority: Floats

    def __len__(self) -> int:
        return len(self.values)

    @property
    def units(self) -> tuple[Unit, ...]:
        """The units of analysis that these results allow."""
        folds, pooled = bool((self.fold >= 0).any()), bool((self.fold < 0).any())
        there = {"repeat": folds, "pooled": pooled, "fold": folds}
        return tuple(u for u in UNITS if there[u])

    def units_of(self, unit: Unit) -> Units:
        """Return one row for each unit of analysis.

        Raises
        ------
        InputError
            A unit that does not exist, or that these results do not hold.

        """
        if unit == "algorithm":
            return self._means_of_algorithms()
        if unit not in UNITS:
            raise InputError(f"there is no unit of analysis {unit!r}; {choices(str(unit), UNITS)}")
        if unit not in self.units:
            lacking = "no pooled results (rows without a fold)" if unit == "pooled" else "no folds"
            raise InputError(
                f"{self.source} has {lacking}, which the unit {unit!r} needs; take "
                f"{' or '.join(repr(u) for u in self.units)}, or add them"
            )
        keep = self.fold < 0 if unit == "pooled" else self.fold >= 0
        kept = slice(None) if keep.all() else np.flatnonzero(keep)
        cell = (self.dataset * len(self.algorithms) + self.algorithm)[kept]
        values, undefined, incomplete = self.values[kept], 0, 0
        holes = np.isnan(values)
        undefined = int(np.count_nonzero(holes))
        if unit == "repeat":
            values, cell, incomplete = _mean_of_folds(values, holes, cell, self.repeat[kept])
        return Units(values, cell, undefined, incomplete)

    def _means_of_algorithms(self) -> Units:
        """Return one row an algorithm on a data set, the mean of its units; cells are data sets."""
        inner = self.units_of(self.units[0])
        starts = np.flatnonzero(np.append(True, inner.cell[1:] != inner.cell[:-1]))
        holes = np.isnan(inner.values)
        sums = np.add.reduceat(np.where(holes, 0.0, inner.values), starts, axis=0)
        defined = np.add.reduceat((~holes).astype(np.float64), starts, axis=0)
        means = np.where(defined > 0, sums / np.maximum(defined, 1.0), np.nan)
        cell = inner.cell[starts] // len(self.algorithms)
        return Units(means, cell, inner.undefined, inner.incomplete)


@dataclass(frozen=True, eq=False)
class Units:
    """Units of analysis: ``cell`` is data set x algorithm, ascending.

    ``undefined`` counts the values that were undefined, ``incomplete`` the repeats left out
    because they have fewer folds than others of their cell.
    """

    values: Floats
    cell: Codes
    undefined: int
    incomplete: int


def _mean_of_folds(
    values: Floats, holes: NDArray[np.bool_], cell: Codes, repeat: NDArray[np.int64]
) -> tuple[Floats, Codes, int]:
    """Return the mean over each repeat's folds, of those where the metric is defined."""
    new = np.append(True, (cell[1:] != cell[:-1]) | (repeat[1:] != repeat[:-1]))
    starts = np.flatnonzero(new)
    folds = np.diff(np.append(starts, len(values)))
    cells = cell[starts]
    most = np.zeros(int(cells[-1]) + 1, dtype=np.intp)
    np.maximum.at(most, cells, folds)
    # Means of fewer folds scatter more than the rest, and would correlate for that alone.
    whole = folds == most[cells]
    if len(np.unique(folds)) == 1 and not holes.any():
        means = values.reshape(len(starts), -1, values.shape[1]).mean(1)
    else:
        sums = np.add.reduceat(np.where(holes, 0.0, values), starts, axis=0)
        defined = np.add.reduceat((~holes).astype(np.float64), starts, axis=0)
        means = np.where(defined > 0, sums / np.maximum(defined, 1.0), np.nan)
    return means[whole], cells[whole], int(np.count_nonzero(~whole))


def read_results(source: Any, metrics: Sequence[str] | None = None) -> Results:
    """Read a table of results.

    Parameters
    ----------
    source : path, data frame, mapping of columns or Results
        Columns ``dataset``, ``algorithm``, ``repeat`` (whole numbers) and ``fold`` (whole numbers,
        missing for the pooled predictions of a repeat); ``rows`` and ``minority`` of the data set
        if known; then one column a metric, or ``metric`` and ``value``.
    metrics : sequence of str, optional
        Columns to take; by default every column that is none of the above.

    Raises
    ------
    InputError
        A column that is missing or holds something else; a result told twice; fewer than two
        metrics.

    Examples
    --------
    >>> r = read_results({"dataset": ["a", "a"], "algorithm": ["x", "x"], "repeat": [0, 1],
    ...                   "fold": [0, 0], "accuracy": [0.9, 0.8], "auc": [0.95, 0.9]})
    >>> r.metrics, len(r), r.units
    (('accuracy', 'auc'), 2, ('repeat', 'fold'))

    """
    if isinstance(source, Results):
        return source if metrics is None else _enough(_chosen(source, metrics))
    table = _Columns(source)
    for name in KEYS:
        table.need(name)
    wanted = None if _is_long(table) else _wanted(table, metrics)
    made = _read(table, wanted)
    return _enough(made if wanted or metrics is None else _chosen(made, metrics))


def read_metric(
    source: Any, metric: str | None = None, columns: Mapping[str, str] | None = None
) -> Results:
    """Read one metric of a table of results, in which repeat and fold may be missing.

    Parameters
    ----------
    source : path, data frame, mapping of columns or Results
        As :func:`read_results` takes it. Where ``value`` is the only column of numbers, or the
        one stated, ``metric`` may say what it holds.
    metric : str, optional
        Which one; needed where there are several.
    columns : {role: column}, optional
        What the columns of ``dataset``, ``algorithm``, ``repeat``, ``fold``, ``metric`` and
        ``value`` are called in this table.

    Raises
    ------
    InputError
        As :func:`read_results`; several metrics of which none was chosen.

    Examples
    --------
    >>> r = read_metric({"data": ["a", "a"], "classifier": ["x", "y"], "auc": [0.95, 0.9]})
    >>> r.algorithms, r.metrics, r.values.tolist()
    (('x', 'y'), ('auc',), [[0.95], [0.9]])

    """
    if isinstance(source, Results):
        return _chosen(source, [_one(source.metrics, metric, source.source)])
    table = _Columns(source, columns or {})
    for name in ("dataset", "algorithm"):
        table.need(name)
    if _is_long(table):
        made = _read(table, None)
        return _chosen(made, [_one(made.metrics, metric, table.name)])
    others = [] if columns and "value" in columns else _wanted(table, None)
    if not others or [c.lower() for c in others] == ["value"]:
        return replace(_read(table, ["value"]), metrics=(metric or table.own("value"),))
    return _read(table, [_one(others, metric, table.name)])


def _one(there: Sequence[str], metric: str | None, where: str) -> str:
    """Return the metric asked for, or the only one there is."""
    if metric is not None:
        return there[_places([metric], there, where)[0]]
    if len(there) != 1:
        told = ", ".join(repr(m) for m in there[:8]) + (" and more" if len(there) > 8 else "")
        raise InputError(f"{where} has the metrics {told}; say which one to compare by")
    return there[0]


def _is_long(table: _Columns) -> bool:
    return table.has("metric") and table.has("value")


def _read(table: _Columns, wanted: Sequence[str] | None) -> Results:
    """Read the metrics wanted, a column each; of None those of the columns metric and value."""
    long = wanted is None
    numbers = ["value"] if wanted is None else list(wanted)
    table.read(
        ["dataset", "algorithm", *(["metric"] if long else [])],
        [*(c for c in ("repeat", "fold", *FACTS) if table.has(c)), *numbers],
    )
    dataset, algorithm = table.labels("dataset"), table.labels("algorithm")
    rows = len(dataset.codes)
    repeat = (
        _whole(table.numbers("repeat"), "repeat", missing=False)
        if table.has("repeat")
        else np.zeros(rows, dtype=np.int64)
    )
    fold = (
        _whole(table.numbers("fold"), "fold", missing=True)
        if table.has("fold")
        else np.full(rows, _POOLED, dtype=np.int64)
    )
    facts = {
        name: _fact(table.numbers(name), dataset, name)
        if table.has(name)
        else np.full(len(dataset.labels), np.nan)
        for name in FACTS
    }
    key = _key(dataset, algorithm, repeat, fold)
    if long:
        names, values, first = _pivot(table, key, dataset, algorithm, repeat, fold)
    else:
        names = numbers
        values = np.stack([table.numbers(c) for c in numbers], axis=1)
        first = _order(key, dataset, algorithm, repeat, fold)
    whole = isinstance(first, slice)
    return Results(
        source=table.name,
        datasets=tuple(str(d) for d in dataset.labels),
        algorithms=tuple(str(a) for a in algorithm.labels),
        dataset=dataset.codes[first],
        algorithm=algorithm.codes[first],
        repeat=repeat[first],
        fold=fold[first],
        metrics=tuple(names),
        values=values if whole or long else values[first],
        rows=facts["rows"],
        minority=facts["minority"],
    )


def canonical(name: str) -> str:
    """Return the registry's name of a metric, also of 1 - loss; other names as they are."""
    bare = name.removeprefix("1-")
    bare = ALSO.get(bare.lower(), bare)
    try:
        found = get(bare)
    except InputError:
        return name
    return found.name if not name.startswith("1-") or found.better == "low" else name


def _places(asked: Sequence[str], there: Sequence[str], where: str) -> list[int]:
    """Return where metrics stand, by the names of their columns or others they are known by."""
    if isinstance(asked, str):
        asked = [asked]
    known = [canonical(m) for m in there]
    places = []
    for name in asked:
        if name in there:
            places.append(there.index(name))
        elif canonical(name) in known:
            places.append(known.index(canonical(name)))
        else:
            raise InputError(f"{where} has no metric {name!r}; {choices(name, there)}")
    return list(dict.fromkeys(places))


def _chosen(results: Results, metrics: Sequence[str]) -> Results:
    places = _places(metrics, results.metrics, results.source)
    return replace(
        results,
        metrics=tuple(results.metrics[i] for i in places),
        values=results.values[:, places],
    )


def _enough(results: Results) -> Results:
    if len(results.metrics) < 2:
        told = f"only the metric {results.metrics[0]!r}" if results.metrics else "no metric"
        raise InputError(
            f"{results.source} has {told}; relations need two or more, each in a column of its own"
        )
    return results


def _wanted(table: _Columns, metrics: Sequence[str] | None) -> list[str]:
    known = {*KEYS, "fold", *FACTS, *_OTHERS}
    others = [c for c in table.columns if c.lower() not in known and c not in table.taken]
    if metrics is None:
        if not others:
            raise InputError(
                f"{table.name} has no column of a metric; give one column a metric, or the columns "
                "metric and value"
            )
        return others
    return [others[i] for i in _places(metrics, others, table.name)]


class _Columns:
    """Columns of a path, a frame or a mapping, by their names in lower case.

    ``taken`` are the columns that have a role under another name.
    """

    def __init__(self, source: Any, stated: Mapping[str, str] | None = None) -> None:
        self._given: Mapping[Any, Any] | None = None
        if isinstance(source, Mapping):
            self.name = "the table"
            self._given = {str(k): v for k, v in source.items()}
            self.columns = tuple(self._given)
        elif isinstance(source, str | os.PathLike) or is_table(source):
            self._table = open_table(source)
            self.name = self._table.name
            self.columns = self._table.columns
        else:
            raise InputError(
                f"{type(source).__name__} is no table of results; give the path of a file, a data "
                "frame, or a dictionary of columns"
            )
        # A name as it is written goes before one that differs in upper and lower case.
        self._own: dict[str, str] = {c.lower(): c for c in self.columns}
        self._own |= {c: c for c in self.columns}
        self.taken: set[str] = set()
        for role, column in (stated or {}).items():
            if column not in self.columns:
                raise InputError(
                    f"{self.name} has no column {column!r} for the "
                    f"{role.replace('algorithm', 'classifier')}; {choices(column, self.columns)}"
                )
            if column in self.taken:
                raise InputError(f"the column {column!r} cannot be two things; name another")
            self._own[role] = column
            self.taken.add(column)
        for role, names in _ALSO_NAMED.items():
            there = next((n for n in names if n in self._own), None)
            if role not in self._own and there is not None:
                self._own[role] = self._own[there]
                self.taken.add(self._own[there])
        self._labels: dict[str, Coded] = {}
        self._numbers: dict[str, Floats] = {}

    def has(self, name: str) -> bool:
        """Tell whether there is such a column."""
        return name in self._own

    def own(self, name: str) -> str:
        """Return what the column is called in this table."""
        return self._own[name]

    def need(self, name: str) -> None:
        """Refuse a table without a column that every table of results has."""
        if name not in self._own:
            raise InputError(
                f"{self.name} has no column {name!r}; a table of results has the columns dataset, "
                "algorithm, repeat and fold, then one a metric"
            )

    def read(self, labels: Sequence[str], numbers: Sequence[str]) -> None:
        """Read the columns named, each once."""
        own_labels = {n: self._own.get(n, n) for n in labels}
        own_numbers = {n: self._own.get(n, n) for n in numbers}
        if self._given is not None:
            given = self._given
            self._labels = {n: code_labels(given[c], c, None) for n, c in own_labels.items()}
            self._numbers = {n: as_scores(given[c], c, None) for n, c in own_numbers.items()}
            same_length(
                **{n: c.codes for n, c in self._labels.items()},
                **{str(n): c for n, c in self._numbers.items()},
            )
        else:
            chunks = list(self._table.chunks(list(own_labels.values()), list(own_numbers.values())))
            self._labels = {
                n: Coded(
                    np.concatenate([k.labels[c].codes for k in chunks]), chunks[0].labels[c].labels
                )
                for n, c in own_labels.items()
            }
            self._numbers = {
                n: as_scores(np.concatenate([k.numbers[c] for k in chunks]), c, 0)
                for n, c in own_numbers.items()
            }
        if not len(next(iter(self._numbers.values()))):
            raise InputError(f"{self.name} has no rows; give at least three results")
        for name, coded in self._labels.items():
            if coded.missing:
                row = int(np.argmin(coded.codes)) + 1
                raise InputError(f"{name} is missing in row {row} of {self.name}; name it there")

    def labels(self, name: str) -> Coded:
        """Return a column of names that was read."""
        return self._labels[name]

    def numbers(self, name: str) -> Floats:
        """Return a column of numbers that was read."""
        return self._numbers[name]


def _whole(values: Floats, name: str, missing: bool) -> NDArray[np.int64]:
    """Return whole numbers from 0, and -1 where one is missing and may be."""
    absent = np.isnan(values)
    bad = absent if not missing else np.zeros(len(values), dtype=bool)
    with np.errstate(invalid="ignore"):
        bad = bad | (~absent & ((values != np.trunc(values)) | (values < 0) | (values > 2**31)))
    if bad.any():
        row = int(np.argmax(bad))
        told = "missing" if absent[row] else f"{values[row]:g}"
        raise InputError(f"{name} is {told} in row {row + 1}; give whole numbers from 0")
    return np.where(absent, _POOLED, values).astype(np.int64)


def _fact(values: Floats, dataset: Coded, name: str) -> Floats:
    """Return the one value that each data set has, NaN where none is told."""
    out = np.full(len(dataset.labels), np.nan)
    known = ~np.isnan(values)
    out[dataset.codes[known]] = values[known]
    with np.errstate(invalid="ignore"):
        differ = known & (np.abs(values - out[dataset.codes]) > 1e-9 * np.abs(values))
    if differ.any():
        row = int(np.argmax(differ))
        d = dataset.codes[row]
        raise InputError(
            f"{name} of the data set {dataset.labels[d]!r} is {values[row]:g} in one row and "
            f"{out[d]:g} in another; it is a fact of the data set, so give one"
        )
    if name == "minority" and bool(((out < 0) | (out > 0.5 + 1e-9)).any()):
        d = int(np.argmax((out < 0) | (out > 0.5 + 1e-9)))
        raise InputError(
            f"minority of the data set {dataset.labels[d]!r} is {out[d]:g}; it is the share of "
            "the smaller class, from 0 to 0.5"
        )
    return out


def _key(
    dataset: Coded, algorithm: Coded, repeat: NDArray[np.int64], fold: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return a number that orders results by data set, algorithm, repeat and fold."""
    if int(repeat.max()) > 1_000_000:
        repeat = np.unique(repeat, return_inverse=True)[1]
    if int(fold.max()) > 1_000_000:
        fold = np.unique(fold, return_inverse=True)[1]
    cell = dataset.codes * len(algorithm.labels) + algorithm.codes
    repeats, folds = int(repeat.max()) + 1, int(fold.max()) + 2
    return (cell.astype(np.int64) * repeats + repeat) * folds + fold + 1


def _order(
    key: NDArray[np.int64],
    dataset: Coded,
    algorithm: Coded,
    repeat: NDArray[np.int64],
    fold: NDArray[np.int64],
) -> Any:
    """Return the order of results, where no result may be told twice."""
    steps = np.diff(key)
    if (steps > 0).all():
        return slice(None)
    order = np.argsort(key, kind="stable")
    same = np.diff(key[order]) == 0
    if same.any():
        at = int(order[int(np.argmax(same)) + 1])
        raise _twice(at, dataset, algorithm, repeat, fold)
    return order


def _twice(
    at: int, dataset: Coded, algorithm: Coded, repeat: NDArray[np.int64], fold: NDArray[np.int64]
) -> InputError:
    where = "pooled" if fold[at] < 0 else f"fold {fold[at]}"
    return InputError(
        f"the result of {algorithm.labels[algorithm.codes[at]]!r} on "
        f"{dataset.labels[dataset.codes[at]]!r}, repeat {repeat[at]}, {where}, is there twice "
        f"(again in row {at + 1}); keep one"
    )


def _pivot(
    table: _Columns,
    key: NDArray[np.int64],
    dataset: Coded,
    algorithm: Coded,
    repeat: NDArray[np.int64],
    fold: NDArray[np.int64],
) -> tuple[list[str], Floats, NDArray[np.intp]]:
    """Turn the columns metric and value into one column a metric; NaN where none is told."""
    metric = table.labels("metric")
    unique, first, place = np.unique(key, return_index=True, return_inverse=True)
    cell = place * len(metric.labels) + metric.codes
    order = np.argsort(cell, kind="stable")
    same = np.diff(cell[order]) == 0
    if same.any():
        raise _twice(int(order[int(np.argmax(same)) + 1]), dataset, algorithm, repeat, fold)
    values = np.full((len(unique), len(metric.labels)), np.nan)
    values[place, metric.codes] = table.numbers("value")
    return [str(m) for m in metric.labels], values, first
