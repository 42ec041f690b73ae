"""Rows of numbers: to print, to paste, or to go on with in a frame of any library."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tallymark.contract import checked
from tallymark.display import Display
from tallymark.errors import InputError, choices
from tallymark.metric import get
from tallymark.output import write_text
from tallymark.tally.arrays import Label
from tallymark.tally.labels import LabelTally

COLUMNS = ("model", "metric", "title", "value", "low", "high", "level", "se", "method", "reason")
SUBGROUP_COLUMNS = ("rows", *COLUMNS[1:], "support", "small")
_NUMBERS = ("value", "low", "high", "level", "se")


@checked
@dataclass(frozen=True, slots=True, repr=False)
class Rows(Display):
    """Dictionaries of the same keys: they print, and go on as CSV, Arrow or a frame.

    What reads Arrow's stream reads them as they are: ``polars.DataFrame(rows)``,
    ``pyarrow.table(rows)``, ``duckdb.sql("SELECT * FROM rows")``.
    """

    rows: tuple[dict[str, Any], ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, place: int) -> dict[str, Any]:
        return self.rows[place]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as plain dictionaries."""
        return [dict(r) for r in self.rows]

    def to_csv(self, path: str | PathLike[str] | None = None) -> str:
        """Return the rows as CSV (RFC 4180), and write it to a file if one is named.

        Numbers are written in full, and what is undefined is empty. Texts are written as they are:
        a name that begins with =, +, - or @ is one that a spreadsheet takes for a formula, so let
        it import those columns as text.

        >>> print(Listing(({"name": 'a "b" c', "n": 1, "x": 0.1, "y": None},)).to_csv(), end="")
        name,n,x,y
        "a ""b"" c",1,0.1,
        """
        columns = self._columns()
        lines = [columns, *zip(*columns.values(), strict=True)]
        text = "".join(",".join(map(_csv, line)) + "\n" for line in lines) if columns else ""
        if path is not None:
            write_text(path, text)
        return text

    def _columns(self) -> dict[str, list[Any]]:
        """Return the columns by name, their values as plain Python."""
        names = dict.fromkeys(name for r in self.rows for name in r)
        return {_text(n): [_plain(r.get(n)) for r in self.rows] for n in names}

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame; pandas must be installed."""
        frame = _library("pandas").DataFrame(self.to_dicts())
        return frame.astype({c: "float64" for c in _NUMBERS if c in frame.columns})

    def to_polars(self) -> Any:
        """Return a Polars DataFrame; Polars must be installed."""
        return _library("polars").DataFrame(self)

    def to_arrow(self) -> Any:
        """Return a pyarrow Table; pyarrow must be installed."""
        return _library("pyarrow", "arrow").table(self)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return Arrow's stream of the rows, which DuckDB makes: no pyarrow is needed."""
        columns = {n: _typed(n, values) for n, values in self._columns().items()}
        if not columns:
            raise InputError("a table without rows has no columns; use .to_dicts()")
        import duckdb

        quoted = (n.replace('"', '""') for n in columns)
        query = ", ".join(
            f'unnest(${i}::{kind}[]) AS "{name}"'
            for i, (name, (kind, _)) in enumerate(zip(quoted, columns.values(), strict=True), 1)
        )
        values = [values for _, values in columns.values()]
        return duckdb.connect().sql(f"SELECT {query}", params=values).__arrow_c_stream__()


@dataclass(frozen=True, slots=True, repr=False)
class Table(Rows):
    """One row a model and metric: ``rows`` are dictionaries of the same keys.

    Of :meth:`tallymark.Evaluation.table`. Numbers are floats, NaN where a value or an interval is
    undefined; ``reason`` then says why.

    >>> import tallymark as tm
    >>> print(tm.evaluate([1, 1, 0, 0], [1, 0, 0, 0]).table(["accuracy", "recall"]))
    model  metric       value    low   high  method
    model  accuracy     0.750  0.301  0.954  Wilson
    model  sensitivity  0.500  0.095  0.905  Wilson
    """

    @classmethod
    def of(cls, ev: Any, metrics: Sequence[str] | None = None, per_class: bool = False) -> Self:
        """Return the table of an evaluation's metrics, those named or all, or of each class.

        Raises
        ------
        InputError
            A metric that does not exist, or that none of the models has.

        """
        if isinstance(metrics, str):
            metrics = [metrics]
        if not per_class:
            return cls.of_values(ev.values(), metrics and [get(m).name for m in metrics])
        return cls(tuple(
            {"model": model, "class": label, **metric_row(name, v, v.metric)}
            for model, of_model in ev.per_class(metrics).items()
            for label, of_class in of_model.items()
            for name, v in of_class.items()
        ))  # fmt: skip

    @classmethod
    def of_values(
        cls, values: Mapping[str, Mapping[str, Any]], wanted: Sequence[str] | None
    ) -> Self:
        """Return the table of values by model and by name, of all names or those wanted."""
        present = list(dict.fromkeys(name for of_model in values.values() for name in of_model))
        for name in wanted or ():
            if name not in present:
                raise InputError(
                    f"{name} cannot be computed from these predictions; {choices(name, present)}"
                )
        return cls(tuple(
            {"model": model, **metric_row(name, of_model[name], of_model[name].metric)}
            for model, of_model in values.items()
            for name in wanted or of_model
            if name in of_model
        ))  # fmt: skip


@dataclass(frozen=True, slots=True, repr=False)
class SubgroupTable(Rows):
    """One row a subgroup and metric: ``rows`` are dictionaries of the same keys.

    The subgroup columns come first, None where their value is missing; ``support`` is how many
    rows the number rests on and ``small`` whether those are too few to rank it.

    >>> import tallymark as tm
    >>> print(tm.evaluate([1, 1, 0, 0], [1, 0, 0, 0], subgroup={"at": ["a", "b", "a", "b"]}
    ...                   ).by("at").table(["accuracy"]))
    at  rows  metric    value    low   high  method
    a      2  accuracy  1.000  0.342  1.000  Wilson (few rows)
    b      2  accuracy  0.500  0.095  0.905  Wilson (few rows)
    """

    columns: tuple[str, ...]

    @classmethod
    def of(cls, subgroups: Any, metrics: Sequence[str]) -> Self:
        """Return the table of the metrics named."""
        values = subgroups.values(metrics)
        supports = {m: subgroups.support(m) for m in metrics}
        small = {m: set(subgroups.small(m)) for m in metrics}
        # A column that is called as one of the table's own keeps its place under another name.
        names = tuple(f"{c} (subgroup)" if c in SUBGROUP_COLUMNS else c for c in subgroups.columns)
        rows = [
            {
                **dict(zip(names, parts, strict=True)), "rows": int(n),
                **metric_row(m, values[key][m]),
                "support": supports[m][key], "small": key in small[m],
            }
            for key, parts, n in zip(
                subgroups.keys,
                subgroups.subgroup_counts.keys,
                subgroups.subgroup_counts.rows,
                strict=True,
            )
            for m in metrics
        ]  # fmt: skip
        return cls(tuple(rows), names)


@dataclass(frozen=True, slots=True, repr=False)
class Listing(Rows):
    """Rows of what is not a metric with its interval: points of a curve, differences, studies."""


@dataclass(frozen=True, slots=True, repr=False)
class ConfusionMatrix(Listing):
    """Counts [true, predicted] with the names of the classes: one row a true class.

    Of :meth:`tallymark.Evaluation.confusion_matrix`. Every row has the true class under ``true``
    and a count, or a sum of weights, under ``predicted`` with the name of each predicted class.

    >>> import numpy as np
    >>> import tallymark as tm
    >>> cm = tm.evaluate([0, 1, 1], [0, 1, 0]).confusion_matrix()
    >>> np.asarray(cm), cm.labels
    (array([[1, 0],
           [1, 1]]), (0, 1))
    >>> cm.to_dicts()[1]
    {'true': 1, 'predicted 0': 1, 'predicted 1': 1}
    """

    @classmethod
    def of_counts(cls, counts: LabelTally) -> Self:
        """Return the matrix of a tally of labels, in whole numbers unless rows have weights."""
        names = ["true", *(f"predicted {label}" for label in counts.labels)]
        whole = counts.sum_squared_weights is None
        cells = counts.counts.astype(np.int64) if whole else counts.counts
        lines = zip(counts.labels, cells.tolist(), strict=True)
        return cls(tuple(dict(zip(names, (true, *n), strict=True)) for true, n in lines))

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes, in the order of rows and of columns."""
        return tuple(row["true"] for row in self.rows)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array([list(row.values())[1:] for row in self.rows], dtype=dtype)


@dataclass(frozen=True, slots=True, repr=False)
class PaperTable(Rows):
    """Rows as a paper prints them; ``caption`` says what the numbers and their intervals are."""

    caption: str


def metric_row(name: str, v: Any, metric: str | None = None) -> dict[str, Any]:
    """Return a value with its metric under the names of the columns."""
    se = math.nan if v.se is None else v.se
    cells = (
        name,
        get(metric or name).title,
        v.value,
        v.low,
        v.high,
        v.level,
        se,
        v.method,
        v.reason,
    )
    return dict(zip(COLUMNS[1:], cells, strict=True))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _text(value: Any) -> str:
    """Return a text that UTF-8 can hold: half a pair of surrogates is spelled out."""
    return str(value).encode("utf-8", "backslashreplace").decode()


def _csv(value: Any) -> str:
    """Return a cell of a CSV file: nothing where it is undefined, an empty text in quotes."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    text = _text(value)
    marks = re.search('[",\r\n]', text) or text != text.strip() or not text
    return '"' + text.replace('"', '""') + '"' if marks else text


_LONGEST = 1 << 63


def _typed(name: str, values: Iterable[Any]) -> tuple[str, list[Any]]:
    """Return the type of a column in SQL, and its values: numbers, or texts of them all."""
    kept = list(values)
    kinds = {type(v) for v in kept if v is not None}
    if name in _NUMBERS or (kinds <= {int, float} and float in kinds):
        return "DOUBLE", kept
    if kinds == {bool}:
        return "BOOLEAN", kept
    if kinds == {int} and all(-_LONGEST <= v < _LONGEST for v in kept if v is not None):
        return "BIGINT", kept
    return "VARCHAR", [None if v is None else _text(v) for v in kept]


def _library(name: str, extra: str = "") -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise InputError(
            f"a {name} frame needs {name}; install it with: pip install "
            f"'tallymark[{extra or name}]'"
        ) from None
