"""Tables of results: one row per result of an algorithm on a data set, one column per metric."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.display import Display
from tallymark.errors import InputError, check_name, choices
from tallymark.metric import Metric, get
from tallymark.reading.profile import Table
from tallymark.reading.readers import open_table, read_whole
from tallymark.tally import arrays
from tallymark.tally.arrays import Coded, Codes, Floats, Label

Unit = Literal["repeat", "pooled", "fold", "algorithm"]
UNITS: tuple[Unit, ...] = ("repeat", "pooled", "fold")
"""The units of analysis per algorithm; "algorithm" compares algorithms."""

KEYS = ("dataset", "algorithm", "repeat")
FACTS = ("rows", "minority")
_OTHERS = ("seconds", "seed")
_ALSO_NAMED = {
    "dataset": ("data set", "data_set", "data", "key_dataset"),
    "algorithm": ("classifier", "model", "learner", "estimator", "method", "key_scheme"),
    "repeat": ("run", "repetition", "key_run"),
    "fold": ("key_fold", "split", "cv_fold"),
}
"""Alternative column names, including those of Weka's experimenter."""

_SEEDS = ("seed", "random_seed", "random_state")
"""Columns that distinguish repeats if there is no repeat column."""

ONE = "all results"
"""The name of the data set if no column has it."""

_POOLED = -1
"""The fold code of results pooled over a whole repeat."""


ALSO = {"auprc": "average_precision"}
"""Metric names of the paper and of Weka that differ from the registry."""


@dataclass(frozen=True, eq=False, repr=False)
class Results(Display):
    """Checked results, sorted by data set, algorithm, repeat and fold.

    ``values[n, K]`` holds the metrics, NaN where one is undefined; ``dataset`` and ``algorithm``
    are codes into the names; ``fold`` is -1 for the pooled predictions of a repeat. ``rows`` and
    ``minority`` (the share of the smaller class) are facts of each data set, NaN where unknown.
    ``assumed`` lists assumptions that were made in reading.
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
    assumed: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.values)

    @property
    def units(self) -> tuple[Unit, ...]:
        """The units of analysis that these results support."""
        folds, pooled = bool((self.fold >= 0).any()), bool((self.fold < 0).any())
        present = {"repeat": folds, "pooled": pooled, "fold": folds}
        return tuple(u for u in UNITS if present[u])

    def units_of(self, unit: Unit) -> Units:
        """Return one row for each unit of analysis.

        Raises
        ------
        InputError
            A unit that does not exist, or that these results do not hold.

        """
        if unit == "algorithm":  # one row per algorithm and data set; cells are data sets
            inner = self.units_of(self.units[0])
            starts = np.flatnonzero(np.append(True, inner.cell[1:] != inner.cell[:-1]))
            cell = inner.cell[starts] // len(self.algorithms)
            return Units(_means(inner.values, starts), cell, inner.undefined, inner.incomplete)
        check_name("unit of analysis", unit, UNITS)
        if unit not in self.units:
            absent = "no pooled results (rows without a fold)" if unit == "pooled" else "no folds"
            raise InputError(
                f"{self.source} has {absent}, which the unit {unit!r} needs; use "
                f"{' or '.join(repr(u) for u in self.units)}, or add them"
            )
        selected = np.flatnonzero(self.fold < 0 if unit == "pooled" else self.fold >= 0)
        cell = (self.dataset * len(self.algorithms) + self.algorithm)[selected]
        values = self.values[selected]
        undefined, incomplete = int(np.count_nonzero(np.isnan(values))), 0
        if unit == "repeat":
            repeat = self.repeat[selected]
            new = (cell[1:] != cell[:-1]) | (repeat[1:] != repeat[:-1])
            starts = np.flatnonzero(np.append(True, new))
            folds = np.diff(np.append(starts, len(values)))
            values, cell = _means(values, starts), cell[starts]
            most = np.zeros(int(cell[-1]) + 1, dtype=np.intp)
            np.maximum.at(most, cell, folds)
            # Means over fewer folds vary more, which alone would produce a correlation.
            complete = folds == most[cell]
            incomplete = int(np.count_nonzero(~complete))
            values, cell = values[complete], cell[complete]
        return Units(values, cell, undefined, incomplete)


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


def _means(values: Floats, starts: NDArray[np.intp]) -> Floats:
    """Return the mean of the defined values in each run of rows; NaN if there is none."""
    defined = np.add.reduceat((~np.isnan(values)).astype(np.float64), starts, axis=0)
    sums = np.add.reduceat(np.where(np.isnan(values), 0.0, values), starts, axis=0)
    return np.where(defined > 0, sums / np.maximum(defined, 1.0), np.nan)


def read_results(source: Any, metrics: Sequence[str] | None = None) -> Results:
    """Return the results in a table.

    Parameters
    ----------
    source : path, data frame, mapping of columns or Results
        Columns ``dataset``, ``algorithm``, ``repeat`` (whole numbers) and ``fold`` (whole numbers,
        missing for the pooled predictions of a repeat); ``rows`` and ``minority`` of the data set
        if known; then one column per metric, or ``metric`` and ``value``.
    metrics : sequence of str, optional
        Metric columns to read; by default every column that is none of the above.

    Raises
    ------
    InputError
        A column that is missing or has other values; a duplicate result; fewer than two metrics.

    Examples
    --------
    >>> r = read_results({"dataset": ["a", "a"], "algorithm": ["x", "x"], "repeat": [0, 1],
    ...                   "fold": [0, 0], "accuracy": [0.9, 0.8], "auc": [0.95, 0.9]})
    >>> r.metrics, len(r), r.units
    (('accuracy', 'auc'), 2, ('repeat', 'fold'))

    """
    return _read(source, metrics, {}, several=True)


def read_metric(
    source: Any,
    metric: str | None = None,
    columns: Mapping[str, str] | None = None,
    **file: Any,
) -> Results:
    """Return one metric of a table of results, in which data set, repeat and fold may be missing.

    Without a column of data sets, all results are of one data set; a column of seeds may then
    distinguish its repeats.

    Parameters
    ----------
    source : path, data frame, mapping of columns or Results
        As for :func:`read_results`. If ``value`` is the only column of numbers, or the one given
        in ``columns``, ``metric`` may name what it contains.
    metric : str, optional
        The metric; required if there are several.
    columns : {role: column}, optional
        The names of the columns ``dataset``, ``algorithm``, ``repeat``, ``fold``, ``metric`` and
        ``value`` in this table.
    **file
        ``header`` and ``sheet`` of a file, as in :func:`tallymark.evaluate`.

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
    requested = None if metric is None else [metric]
    return _read(source, requested, columns or {}, several=False, **file)


def _read(
    source: Any,
    requested: Sequence[str] | None,
    stated: Mapping[str, str],
    *,
    several: bool,
    **file: Any,
) -> Results:
    """Return the requested metrics, or all: at least two if ``several``, else exactly one."""
    if isinstance(source, Results):
        return _with(source, chosen_columns(source.metrics, requested, source.source, several))
    table = _Columns(source, KEYS if several else ("algorithm",), stated, file)
    if "metric" in table.names and "value" in table.names:
        results = _results(table, None)
        return _with(results, chosen_columns(results.metrics, requested, table.name, several))
    others = [] if "value" in stated else table.metrics()
    if not several and [c.lower() for c in others] in ([], ["value"]):
        return replace(
            _results(table, ["value"]), metrics=tuple(requested or [table.names["value"]])
        )
    if not others:
        raise InputError(
            f"{table.name} has no column of a metric; give one column per metric, or the columns "
            "metric and value"
        )
    return _results(table, chosen_columns(others, requested, table.name, several))


def chosen_columns(
    present: Sequence[str], requested: Sequence[str] | None, where: str, several: bool
) -> list[str]:
    """Return the columns of the requested metrics, also by alternative names."""
    canonical_names = [canonical(m) for m in present]
    chosen = list(present) if requested is None else []
    for name in [requested] if isinstance(requested, str) else requested or ():
        names, match = (present, name) if name in present else (canonical_names, canonical(name))
        if match not in names:
            raise InputError(f"{where} has no metric {name!r}; {choices(name, present)}")
        chosen.append(present[names.index(match)])
    chosen = list(dict.fromkeys(chosen))
    if several and len(chosen) < 2:
        few = f"only the metric {chosen[0]!r}" if chosen else "no metric"
        raise InputError(
            f"{where} has {few}; relations need two or more, each in a column of its own"
        )
    if not several and len(chosen) != 1:
        more = " and more" if len(chosen) > 8 else ""
        names = ", ".join(map(repr, chosen[:8])) + more
        raise InputError(f"{where} has the metrics {names}; say which one to compare by")
    return chosen


def _with(results: Results, metrics: Sequence[str]) -> Results:
    places = [results.metrics.index(m) for m in metrics]
    return replace(results, metrics=tuple(metrics), values=results.values[:, places])


def _results(table: _Columns, metrics: Sequence[str] | None) -> Results:
    """Return the results of the wanted metric columns; None reads the long form."""
    long = ["metric"] if metrics is None else []
    present = [c for c in ("repeat", "fold", *FACTS) if c in table.names]
    keyed = [c for c in ("dataset", "algorithm") if c in table.names]
    labels, numbers = table.read([*keyed, *long], [*present, *(metrics or ["value"])])
    algorithm, rows = labels["algorithm"], len(labels["algorithm"].codes)
    constant = Coded(np.zeros(rows, dtype=np.intp), (ONE,))
    dataset, metric = labels.get("dataset", constant), [labels[c] for c in long]
    repeat = _whole(numbers.get("repeat", np.zeros(rows)), "repeat", missing=False)
    fold = _whole(numbers.get("fold", np.full(rows, np.nan)), "fold", missing=True)
    if table.seeded:
        others = [dataset.codes, algorithm.codes, fold, *(m.codes for m in metric)]
        if len(np.unique(np.stack(others), axis=1).T) == rows:  # folds suffice as a key
            repeat = np.zeros_like(repeat)
    unknown = np.full(len(dataset.labels), np.nan)
    facts = {f: _fact(numbers[f], dataset, f) if f in numbers else unknown for f in FACTS}
    keys = [dataset.codes, algorithm.codes, repeat, fold, *(m.codes for m in metric)]
    order = np.lexsort(keys[::-1])
    steps = [np.diff(k[order]) != 0 for k in keys]
    same = ~np.any(steps, axis=0)
    if same.any():
        at = int(order[int(np.argmax(same)) + 1])
        if absent := [c for c in ("dataset", "repeat", "fold") if c not in table.names]:
            table.ask_which(algorithm.labels[algorithm.codes[at]], absent, metrics or ())
        where = "pooled" if fold[at] < 0 else f"fold {fold[at]}"
        raise InputError(
            f"the result of {algorithm.labels[algorithm.codes[at]]!r} on "
            f"{dataset.labels[dataset.codes[at]]!r}, repeat {repeat[at]}, {where}, "
            f"occurs twice (again in row {at + 1}); keep one"
        )
    new = np.append(True, np.any(steps[:4], axis=0))
    first = order[new]
    if metrics is None:
        names = [str(m) for m in metric[0].labels]
        values = np.full((len(first), len(names)), np.nan)
        values[np.cumsum(new) - 1, metric[0].codes[order]] = numbers["value"][order]
    else:
        names = list(metrics)
        values = np.stack([numbers[c] for c in names], axis=1)[first]
    return Results(
        table.name,
        tuple(map(str, dataset.labels)),
        tuple(map(str, algorithm.labels)),
        dataset.codes[first],
        algorithm.codes[first],
        repeat[first],
        fold[first],
        tuple(names),
        values,
        **facts,
        assumed=table.assumed,
    )


def metric_of(name: str) -> tuple[Metric | None, bool]:
    """Return the metric in a column (None if unknown) and whether the column is 1 minus it."""
    bare = name.removeprefix("1-")
    try:
        return get(ALSO.get(bare.lower(), bare)), bare != name
    except InputError:
        return None, False


def canonical(name: str) -> str:
    """Return the registry's name of a metric, also for 1 - loss; other names unchanged."""
    metric, turned = metric_of(name)
    return name if metric is None or (turned and metric.better != "low") else metric.name


_OF_A_SPLIT = re.compile(r"split(\d+)_test_(.+)")


def _of_searches(source: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return ``cv_results_`` of one or several scikit-learn searches as a table.

    Each candidate is a classifier, each scorer a metric; other mappings are unchanged.

    >>> _of_searches({"params": [{"C": 1}], "split0_test_score": [0.9], "split1_test_score": [1]})
    {'dataset': ['search', 'search'], 'classifier': ['C=1', 'C=1'], 'fold': [0, 1],
     'score': [0.9, 1.0]}
    """
    if "params" in source and any(_OF_A_SPLIT.fullmatch(str(k)) for k in source):
        searches: Mapping[Any, Any] = {"": source}
    elif source and all(isinstance(v, Mapping) and "params" in v for v in source.values()):
        searches = source
    else:
        return source
    scores = [
        {m.groups(): v for k, v in search.items() if (m := _OF_A_SPLIT.fullmatch(str(k)))}
        for search in searches.values()
    ]
    if any(set(search) != set(scores[0]) or not search for search in scores):
        raise InputError(
            "the searches have different folds or scorers; give all the same cv and scoring"
        )
    folds = sorted({int(fold) for fold, _ in scores[0]})
    metrics = sorted({metric for _, metric in scores[0]})
    table: dict[str, list[Any]] = {k: [] for k in ("dataset", "classifier", "fold", *metrics)}
    for (name, search), values in zip(searches.items(), scores, strict=True):
        for i, params in enumerate(search["params"]):
            words = ", ".join(f"{k}={v}" for k, v in params.items())
            for fold in folds:
                table["dataset"].append("search")
                table["classifier"].append(": ".join(filter(None, (str(name), words))))
                table["fold"].append(fold)
                for metric in metrics:
                    table[metric].append(float(values[str(fold), metric][i]))
    return table


class _Columns:
    """The columns of a path, a frame or a mapping, by lower-case name.

    ``assigned`` are columns that have a role under another name.
    """

    def __init__(
        self,
        source: Any,
        needs: Sequence[str],
        stated: Mapping[str, str],
        file: Mapping[str, Any] | None = None,
    ) -> None:
        self._table: Table | dict[str, Any]
        if isinstance(source, Mapping):
            source = _of_searches(source)
            self._table = {str(k): v for k, v in source.items()}
            self.name, self.columns = "the table", tuple(self._table)
        elif isinstance(source, str | os.PathLike) or arrays.is_table(source):
            named = list(stated.values())
            self._table = open_table(source, named=named, **(file or {}))
            self.name, self.columns = self._table.name, self._table.columns
        else:
            raise InputError(
                f"{type(source).__name__} is not a table of results; give the path of a file, a "
                "data frame, or a dictionary of columns"
            )
        # An exact match has precedence over one that ignores case.
        self.names = {c.lower(): c for c in self.columns} | {c: c for c in self.columns}
        self.assigned: set[str] = set()
        for role, column in stated.items():
            if column not in self.columns:
                raise InputError(
                    f"{self.name} has no column {column!r} for the "
                    f"{role.replace('algorithm', 'classifier')}; {choices(column, self.columns)}"
                )
            if column in self.assigned:
                raise InputError(f"the column {column!r} cannot have two roles; name another")
            self.names[role] = column
            self.assigned.add(column)
        for role, others in _ALSO_NAMED.items():
            other = next((n for n in others if n in self.names), None)
            if role not in self.names and other is not None:
                self.names[role] = self.names[other]
                self.assigned.add(self.names[other])
        self.assumed, self.seeded = tuple[str, ...](), False
        if "dataset" not in needs and "dataset" not in self.names:
            seeds = next((n for n in _SEEDS if n in self.names), None)
            if "repeat" not in self.names and seeds is not None:
                self.names["repeat"], self.seeded = self.names[seeds], True
                self.assigned.add(self.names[seeds])
            self.assumed = ("all results are of one data set: no column names several",)
        for name in needs:
            if name not in self.names:
                if "dataset" not in needs:
                    raise InputError(self._without_classifiers())
                raise InputError(
                    f"{self.name} has no column {name!r}; a table of results has the columns "
                    "dataset, algorithm, repeat and fold, then one per metric"
                )

    def _without_classifiers(self) -> str:
        """Return that no column names classifiers, and how a column of each becomes one."""
        kept = [self.names[k] for k in ("dataset", "repeat", "fold") if k in self.names]
        frame = "df" if "dataset" in self.names else "df.reset_index()"
        if "dataset" not in self.names:
            kept.insert(0, "dataset")
        ids = repr(kept[0]) if len(kept) == 1 else repr(kept)
        return (
            f"{self.name} has no column 'classifier'; a table of results has the columns dataset "
            "and classifier, optionally repeat and fold, then one per metric; in pandas, "
            f"{frame}.melt({ids}, var_name='classifier', value_name='auc') makes it of a table "
            "with a column per classifier"
        )

    def metrics(self) -> list[str]:
        """Return the columns that are neither keys nor facts of a data set."""
        others = {*KEYS, "fold", *FACTS, *_OTHERS}
        out = [c for c in self.columns if c.lower() not in others and c not in self.assigned]
        # Without data sets, a column of texts may name them, or stands for something else.
        return [c for c in out if not self._telling("dataset", [c])] if self.assumed else out

    def ask_which(self, algorithm: Label, lacking: Sequence[str], metrics: Sequence[str]) -> None:
        """Refuse duplicate results of an algorithm if an unused column may distinguish them."""
        used = {self.names[c] for c in (*KEYS, "fold", "metric", "value") if c in self.names}
        unused = [c for c in self.columns if c not in {*used, *metrics} and metric_of(c)[0] is None]
        says = " or ".join(f"{role}={c!r}" for role in lacking for c in self._telling(role, unused))
        if says:
            raise InputError(
                f"{self.name} has several results of {algorithm!r}, and nothing says of which data "
                f"set, repeat or fold each is; say {says}"
            )

    def _telling(self, role: str, columns: Sequence[str]) -> list[str]:
        """Return unused columns that may be keys: texts for data sets, whole numbers otherwise."""
        out = []
        for column in columns:
            try:
                _, numbers = self.read([], [column])
            except InputError:
                out += [column] if role == "dataset" else []
                continue
            whole = (numbers[column] == np.trunc(numbers[column])) & (numbers[column] >= 0)
            out += [column] if role != "dataset" and whole.all() else []
        return out

    def read(
        self, labels: Sequence[str], numbers: Sequence[str]
    ) -> tuple[dict[str, Coded], dict[str, Floats]]:
        """Return the columns of labels and of numbers, by role."""
        named = {n: self.names.get(n, n) for n in (*labels, *numbers)}
        if isinstance(self._table, dict):
            columns = {n: (self._table[c], c) for n, c in named.items()}
            coded = {n: arrays.code_labels(*columns[n]) for n in labels}
            values = {n: arrays.as_scores(*columns[n]) for n in numbers}
            arrays.same_length(**{n: c.codes for n, c in coded.items()}, **values)
        else:
            chunk = read_whole(
                self._table, *([named[n] for n in some] for some in (labels, numbers))
            )
            coded = {n: chunk.labels[named[n]] for n in labels}
            values = {n: chunk.numbers[named[n]] for n in numbers}
        if not len(next(iter(values.values()))):
            raise InputError(f"{self.name} has no rows; give at least three results")
        for name, column in coded.items():
            if column.missing:
                row = int(np.argmin(column.codes)) + 1
                raise InputError(f"{name} is missing in row {row} of {self.name}; fill it in")
        return coded, values


def _whole(values: Floats, name: str, missing: bool) -> NDArray[np.int64]:
    """Return whole numbers from 0 up, and -1 for missing values if allowed."""
    absent = np.isnan(values)
    with np.errstate(invalid="ignore"):
        bad = np.where(
            absent, not missing, (values != np.trunc(values)) | (values < 0) | (values > 2**31)
        )
    if bad.any():
        row = int(np.argmax(bad))
        value = "missing" if absent[row] else f"{values[row]:g}"
        raise InputError(f"{name} is {value} in row {row + 1}; give whole numbers from 0")
    return np.where(absent, _POOLED, values).astype(np.int64)


def _fact(values: Floats, dataset: Coded, name: str) -> Floats:
    """Return the single value per data set, NaN if there is none."""
    out = np.full(len(dataset.labels), np.nan)
    present = ~np.isnan(values)
    out[dataset.codes[present]] = values[present]
    with np.errstate(invalid="ignore"):
        differ = present & (np.abs(values - out[dataset.codes]) > 1e-9 * np.abs(values))
    if differ.any():
        row = int(np.argmax(differ))
        d = dataset.codes[row]
        raise InputError(
            f"{name} of the data set {dataset.labels[d]!r} is {values[row]:g} in one row and "
            f"{out[d]:g} in another; it is a property of the data set, so give one value"
        )
    outside = (out < 0) | (out > 0.5 + 1e-9)
    if name == "minority" and outside.any():
        d = int(np.argmax(outside))
        raise InputError(
            f"minority of the data set {dataset.labels[d]!r} is {out[d]:g}; give the share of the "
            "smaller class, from 0 to 0.5"
        )
    return out
