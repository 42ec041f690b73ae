"""Values as a table: to print, or to go on with in pandas or Polars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tallymark.errors import InputError, choices
from tallymark.evaluation import Evaluation
from tallymark.metric import get
from tallymark.show import words

COLUMNS = ("model", "metric", "title", "value", "low", "high", "level", "method", "reason")


@dataclass(frozen=True, slots=True)
class Table:
    """One row a model and metric: ``rows`` are dictionaries with the same keys."""

    rows: tuple[dict[str, Any], ...]

    @classmethod
    def of(cls, ev: Evaluation, metrics: Sequence[str] | None = None) -> Table:
        """Take the metrics named, or all."""
        wanted = None if metrics is None else [get(m).name for m in metrics]
        rows = []
        for model, values in ev.values().items():
            for name in wanted or values:
                if name not in values:
                    raise InputError(
                        f"{name} could not be computed for {model}; {choices(name, values)}"
                    )
                v = values[name]
                rows.append(
                    dict(zip(COLUMNS, (model, name, get(name).title, v.value, v.low, v.high,
                                       v.level, v.method, v.reason), strict=True))
                )  # fmt: skip
        return cls(tuple(rows))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __str__(self) -> str:
        lines = [("model", "metric", "value", "low", "high", "method")]
        for r in self.rows:
            bounds = [
                words.number(r[k]) if r["method"] and r[k] == r[k] else "" for k in ("low", "high")
            ]
            told = r["method"] or r["reason"] or ""
            lines.append(
                (words.text(r["model"]), r["metric"], words.number(r["value"]), *bounds, told)
            )
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        return "\n".join(
            "  ".join(c.ljust(w) if i in (0, 1, 5) else c.rjust(w)
                      for i, (c, w) in enumerate(zip(line, widths, strict=True))).rstrip()
            for line in lines
        )  # fmt: skip

    __repr__ = __str__

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as plain dictionaries."""
        return [dict(r) for r in self.rows]

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.to_dicts(), columns=list(COLUMNS))

    def to_polars(self) -> Any:
        """Return a Polars DataFrame."""
        import polars as pl

        return pl.DataFrame(self.to_dicts(), infer_schema_length=None)
