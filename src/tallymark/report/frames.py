"""Values as a table: to print, or to go on with in pandas or Polars."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from tallymark.curve import Curve
from tallymark.curve.thresholds import Pass
from tallymark.errors import InputError, choices
from tallymark.metric import get
from tallymark.report import words
from tallymark.report.evaluation import Evaluation

COLUMNS = ("model", "metric", "title", "value", "low", "high", "level", "method", "reason")
_NUMBERS = ("value", "low", "high", "level")


@dataclass(frozen=True, slots=True)
class Table:
    """One row a model and metric: ``rows`` are dictionaries of the same keys.

    It prints, shows itself in a notebook, and turns into a pandas or Polars frame. Numbers are
    floats, NaN where a value or an interval is undefined; ``reason`` then says why.

    >>> import tallymark as tm
    >>> tm.evaluate([1, 1, 0, 0], [1, 0, 0, 0]).table(["accuracy", "recall"])
    model  metric       value   low   high  method
    model  accuracy     0.750  0.301  0.954  Wilson
    model  sensitivity  0.500  0.095  0.905  Wilson
    """

    rows: tuple[dict[str, Any], ...]

    @classmethod
    def of(cls, ev: Evaluation, metrics: Sequence[str] | None = None) -> Table:
        """Take the metrics named, or all.

        Raises
        ------
        InputError
            A metric that does not exist, or that none of the models has.

        """
        if isinstance(metrics, str):
            metrics = [metrics]
        wanted = None if metrics is None else [get(m).name for m in metrics]
        found = ev.values()
        there = list(dict.fromkeys(name for values in found.values() for name in values))
        for name in wanted or ():
            if name not in there:
                raise InputError(
                    f"{name} cannot be computed of these predictions; {choices(name, there)}"
                )
        rows = []
        for model, values in found.items():
            for name in wanted or values:
                if name in values:
                    v = values[name]
                    cells = (model, name, get(name).title, v.value, v.low, v.high, v.level,
                             v.method, v.reason)  # fmt: skip
                    rows.append(dict(zip(COLUMNS, cells, strict=True)))
        return cls(tuple(rows))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def _cells(self) -> list[tuple[str, ...]]:
        lines: list[tuple[str, ...]] = [("model", "metric", "value", "low", "high", "method")]
        for r in self.rows:
            low, high = ("" if math.isnan(r[k]) else words.number(r[k]) for k in ("low", "high"))
            told = r["reason"] or r["method"] or ""
            name = words.text(r["model"])
            lines.append((name, r["metric"], words.number(r["value"]), low, high, words.text(told)))
        return lines

    def __str__(self) -> str:
        return _aligned(self._cells(), right=range(2, 5))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _html(self._cells())

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as plain dictionaries."""
        return [dict(r) for r in self.rows]

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame; pandas must be installed."""
        pandas = _library("pandas")
        frame = pandas.DataFrame(self.to_dicts(), columns=list(COLUMNS))
        return frame.astype(dict.fromkeys(_NUMBERS, "float64"))

    def to_polars(self) -> Any:
        """Return a Polars DataFrame; Polars must be installed."""
        polars = _library("polars")
        kinds = {c: polars.Float64 if c in _NUMBERS else polars.String for c in COLUMNS}
        return polars.DataFrame(self.to_dicts(), schema=kinds)


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows of the same keys: they print, show themselves in a notebook, and turn into a frame."""

    rows: tuple[dict[str, Any], ...]

    @classmethod
    def of_passes(cls, passes: Sequence[Pass]) -> Listing:
        """Lay out the passes of a threshold that rises score by score."""
        return cls(tuple(
            {
                "pass": p.number, "threshold": p.threshold,
                "dropped_pos": p.dropped_pos, "dropped_neg": p.dropped_neg,
                "TP": p.tp, "FP": p.fp, "FN": p.fn, "TN": p.tn, "TPR": p.tpr, "FPR": p.fpr,
            }
            for p in passes
        ))  # fmt: skip

    @classmethod
    def of_curve(cls, curve: Curve) -> Listing:
        """Lay out the points of a curve: x, y and whatever it has beside them."""
        names = {"x": curve.x_metric, "y": curve.y_metric}
        columns = {
            names.get(name, name): getattr(curve, name)
            for name in ("threshold", "x", "y", "low", "high", "x_low", "x_high", "counts")
        }
        there = {k: np.asarray(v).tolist() for k, v in columns.items() if v is not None}
        return cls(
            tuple(
                dict(zip(there, point, strict=True)) for point in zip(*there.values(), strict=True)
            )
        )

    def to_csv(self) -> str:
        """Return the rows as CSV, numbers in full."""
        if not self.rows:
            return ""
        lines = [",".join(self.rows[0])]
        lines += [",".join(map(repr, r.values())) for r in self.rows]
        return "\n".join(lines) + "\n"

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def _cells(self) -> list[tuple[str, ...]]:
        heads = tuple(self.rows[0]) if self.rows else ()
        rates = ("TPR", "FPR")
        lines = [heads]
        for r in self.rows:
            cells = [
                f"{v:.4g}" if h == "threshold" else (words.number if h in rates else words.count)(v)
                for h, v in r.items()
            ]
            lines.append(tuple(cells))
        return lines

    def __str__(self) -> str:
        return _aligned(self._cells())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _html(self._cells())

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as plain dictionaries."""
        return [dict(r) for r in self.rows]

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame; pandas must be installed."""
        return _library("pandas").DataFrame(self.to_dicts())

    def to_polars(self) -> Any:
        """Return a Polars DataFrame; Polars must be installed."""
        return _library("polars").DataFrame(self.to_dicts())


def _aligned(lines: Sequence[tuple[str, ...]], right: Container[int] | None = None) -> str:
    """Return lines whose columns stand one below the other, some to the right, or all but one."""
    right = range(1, len(lines[0])) if right is None else right
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _html(lines: Sequence[tuple[str, ...]]) -> str:
    head, *body = lines
    titles = "".join(f"<th>{escape(c)}</th>" for c in head)
    rows = "".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in r) + "</tr>" for r in body)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{rows}</tbody></table>"


def _library(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise InputError(
            f"a {name} frame needs {name}; install it with: pip install 'tallymark[{name}]'"
        ) from None
