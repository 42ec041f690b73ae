"""Tables of metrics and confusion matrices that print and convert to frames."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tallymark.display import Display, plain_data
from tallymark.errors import InputError, choices
from tallymark.listing import Listing, Rows
from tallymark.metric import get
from tallymark.metric.measure import Value
from tallymark.tally.arrays import Label
from tallymark.tally.labels import LabelTally

COLUMNS = ("model", "metric", "title", "value", "low", "high", "level", "se", "method", "reason")
SUBGROUP_COLUMNS = ("rows", *COLUMNS[1:], "support", "small")


@dataclass(frozen=True, slots=True, repr=False)
class Table(Rows):
    """A table with one row per model and metric: ``rows`` are dictionaries with the same keys.

    Returned by :meth:`tallymark.Evaluation.table`. Numbers are floats, NaN where a value or an
    interval is undefined; ``reason`` then says why.

    >>> import tallymark as tm
    >>> print(tm.evaluate([1, 1, 0, 0], [1, 0, 0, 0]).table(["accuracy", "recall"]))
    model  metric       value   low  high  method
    model  accuracy      0.75  0.30  0.95  Wilson
    model  sensitivity   0.50  0.09  0.91  Wilson
    """

    @classmethod
    def _of(cls, ev: Any, metrics: Sequence[str] | None = None, per_class: bool = False) -> Self:
        """Return the table of an evaluation's metrics: the named ones or all, optionally per class.

        Raises
        ------
        InputError
            A metric that does not exist, or that none of the models has.

        """
        if isinstance(metrics, str):
            metrics = [metrics]
        if per_class:
            return cls(ev.per_class(metrics)._rows())
        return cls._of_values(ev.values(), metrics and [get(m).name for m in metrics])

    @classmethod
    def _of_values(
        cls, values: Mapping[str, Mapping[str, Any]], names: Sequence[str] | None
    ) -> Self:
        """Return the table of values by model and by name: the named ones or all."""
        present = list(dict.fromkeys(name for of_model in values.values() for name in of_model))
        for name in names or ():
            if name not in present:
                raise InputError(
                    f"{name} cannot be computed from these predictions; {choices(name, present)}"
                )
        return cls(
            tuple(
                {"model": model, **metric_row(name, of_model[name], of_model[name].metric)}
                for model, of_model in values.items()
                for name in names or of_model
                if name in of_model
            )
        )


class PerClass(Display, dict[str, dict[Label, dict[str, Value]]]):
    """Each class against the rest, a dictionary: model -> class -> metric -> Value.

    Returned by :meth:`tallymark.Evaluation.per_class`. It prints one row per class;
    :meth:`table` has every metric.

    >>> import tallymark as tm
    >>> print(tm.evaluate(["a", "b", "c", "a"], ["a", "b", "b", "a"]).per_class(["f1"]))
    Class  rows      F1 [95 % CI]
    a         2  1.00 [.35, 1.00]
    b         1  0.67  [.09, .93]
    c         1  0.00  [.00, .84]
    """

    def __init__(
        self,
        values: Mapping[str, dict[Label, dict[str, Value]]],
        support: Mapping[str, Mapping[Label, float]],
        kind: str,
    ) -> None:
        super().__init__(values)
        self._support = support
        self._kind = kind

    def table(self) -> Table:
        """Return one row per model, class and metric: to print, as CSV, Arrow or a frame."""
        return Table(self._rows())

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: model -> class -> metric -> value."""
        return {model: plain_data(classes) for model, classes in self.items()}

    def _rows(self) -> tuple[dict[str, Any], ...]:
        return tuple(
            {"model": model, "class": label, **metric_row(name, v, v.metric)}
            for model, of_model in self.items()
            for label, of_class in of_model.items()
            for name, v in of_class.items()
        )


@dataclass(frozen=True, slots=True, repr=False)
class SubgroupTable(Rows):
    """A table with one row per subgroup and metric: ``rows`` are dictionaries with the same keys.

    The subgroup columns come first, None where their value is missing. ``support`` is the number
    of rows behind the value, and ``small`` says whether they are too few to rank it.

    >>> import tallymark as tm
    >>> print(tm.evaluate([1, 1, 0, 0], [1, 0, 0, 0], subgroup={"at": ["a", "b", "a", "b"]}
    ...                   ).by("at").table(["accuracy"]))
    at  rows  metric    value   low  high  method
    a      2  accuracy   1.00  0.34  1.00  Wilson (few rows)
    b      2  accuracy   0.50  0.09  0.91  Wilson (few rows)
    """

    columns: tuple[str, ...]

    @classmethod
    def _of(cls, subgroups: Any, metrics: Sequence[str]) -> Self:
        """Return the table of the named metrics."""
        values = subgroups.values(metrics)
        supports = {m: subgroups._support(m) for m in metrics}
        small = {m: set(subgroups._small(m)) for m in metrics}
        # A subgroup column named like a column of the table gets a suffix.
        names = tuple(f"{c} (subgroup)" if c in SUBGROUP_COLUMNS else c for c in subgroups.columns)
        rows = [
            {
                **dict(zip(names, parts, strict=True)),
                "rows": int(n),
                **metric_row(m, values[key][m]),
                "support": supports[m][key],
                "small": key in small[m],
            }
            for key, parts, n in zip(
                subgroups.keys,
                subgroups._subgroup_counts.keys,
                subgroups._subgroup_counts.rows,
                strict=True,
            )
            for m in metrics
        ]
        return cls(tuple(rows), names)


@dataclass(frozen=True, slots=True, repr=False)
class ConfusionMatrix(Listing):
    """Counts [true, predicted] with the names of the classes, one row per true class.

    Returned by :meth:`tallymark.Evaluation.confusion_matrix`. Every row has the true class under
    ``true`` and a count, or a sum of weights, under ``predicted`` plus each predicted class.

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
    def _of_counts(cls, counts: LabelTally) -> Self:
        """Return the matrix of a tally of labels: whole numbers, or floats if rows have weights."""
        names = ["true", *(f"predicted {label}" for label in counts.labels)]
        whole = counts.sum_squared_weights is None
        cells = counts.counts.astype(np.int64) if whole else counts.counts
        lines = zip(counts.labels, cells.tolist(), strict=True)
        return cls(tuple(dict(zip(names, (true, *n), strict=True)) for true, n in lines))

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes, in the order of rows and columns."""
        return tuple(row["true"] for row in self.rows)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array([list(row.values())[1:] for row in self.rows], dtype=dtype)


@dataclass(frozen=True, slots=True, repr=False)
class PaperTable(Rows):
    """Rows in the format of a paper; ``caption`` describes the numbers and their intervals."""

    caption: str


def metric_row(name: str, v: Any, metric: str | None = None) -> dict[str, Any]:
    """Return a value and its metric as a row of the table."""
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
