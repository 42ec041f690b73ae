"""Rows of numbers: to print, or to go on with in pandas or Polars."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Self

import numpy as np

from tallymark.curve import Curve
from tallymark.display import Display
from tallymark.errors import InputError, choices
from tallymark.metric import get

COLUMNS = ("model", "metric", "title", "value", "low", "high", "level", "se", "method", "reason")
SUBGROUP_COLUMNS = ("rows", *COLUMNS[1:], "support", "small")
_NUMBERS = ("value", "low", "high", "level", "se")
_TEXTS = ("model", "metric", "title", "method", "reason")


@dataclass(frozen=True, slots=True, repr=False)
class Rows(Display):
    """Dictionaries of the same keys: they print, and turn into a pandas or Polars frame."""

    rows: tuple[dict[str, Any], ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as plain dictionaries."""
        return [dict(r) for r in self.rows]

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame; pandas must be installed."""
        frame = _library("pandas").DataFrame(self.to_dicts())
        return frame.astype({c: "float64" for c in _NUMBERS if c in frame.columns})

    def to_polars(self) -> Any:
        """Return a Polars DataFrame; Polars must be installed."""
        polars = _library("polars")
        types = {**dict.fromkeys(_NUMBERS, polars.Float64), **dict.fromkeys(_TEXTS, polars.String)}
        known = {c: types[c] for r in self.rows[:1] for c in r if c in types}
        rows = self.to_dicts()
        return polars.DataFrame(rows, schema_overrides=known, infer_schema_length=None)


@dataclass(frozen=True, slots=True, repr=False)
class Table(Rows):
    """One row a model and metric: ``rows`` are dictionaries of the same keys.

    It prints, shows itself in a notebook, and turns into a pandas or Polars frame. Numbers are
    floats, NaN where a value or an interval is undefined; ``reason`` then says why.

    >>> import tallymark as tm
    >>> print(tm.evaluate([1, 1, 0, 0], [1, 0, 0, 0]).table(["accuracy", "recall"]))
    model  metric       value    low   high  method
    model  accuracy     0.750  0.301  0.954  Wilson
    model  sensitivity  0.500  0.095  0.905  Wilson
    """

    @classmethod
    def of(cls, ev: Any, metrics: Sequence[str] | None = None) -> Self:
        """Return the table of an evaluation's metrics, those named or all.

        Raises
        ------
        InputError
            A metric that does not exist, or that none of the models has.

        """
        if isinstance(metrics, str):
            metrics = [metrics]
        return cls.of_values(ev.values(), metrics and [get(m).name for m in metrics])

    @classmethod
    def of_values(
        cls, values: Mapping[str, Mapping[str, Any]], wanted: Sequence[str] | None
    ) -> Self:
        """Return the table of values by model and by name, of all names or those wanted."""
        present = list(dict.fromkeys(name for of_model in values.values() for name in of_model))
        for name in wanted or ():
            if name not in present:
                raise InputError(
                    f"{name} cannot be computed of these predictions; {choices(name, present)}"
                )
        return cls(tuple(
            {"model": model, **_row(name, of_model[name], of_model[name].metric)}
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
                **dict(zip(names, parts, strict=True)), "rows": int(n), **_row(m, values[key][m]),
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
    """Rows of the same keys: they print, show themselves in a notebook, and turn into a frame."""

    @classmethod
    def of_curve(cls, curve: Curve) -> Self:
        """Return the points of a curve: x, y and whatever it has beside them."""
        names = {"x": curve.x_metric, "y": curve.y_metric}
        columns = {
            names.get(name, name): getattr(curve, name)
            for name in ("threshold", "x", "y", "low", "high", "x_low", "x_high", "counts")
        }
        present = {k: np.asarray(v).tolist() for k, v in columns.items() if v is not None}
        points = zip(*present.values(), strict=True)
        return cls(tuple(dict(zip(present, point, strict=True)) for point in points))

    def to_csv(self) -> str:
        """Return the rows as CSV, numbers in full."""
        if not self.rows:
            return ""
        lines = [",".join(self.rows[0])]
        lines += [",".join(map(repr, r.values())) for r in self.rows]
        return "\n".join(lines) + "\n"


def _row(name: str, v: Any, metric: str | None = None) -> dict[str, Any]:
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


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise InputError(
            f"a {name} frame needs {name}; install it with: pip install 'tallymark[{name}]'"
        ) from None
