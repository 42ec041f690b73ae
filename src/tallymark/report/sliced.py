"""Slices as text and as a table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tallymark.infer.against import SliceDifference
from tallymark.infer.cautions import FEW
from tallymark.infer.slices import Slices
from tallymark.metric import get
from tallymark.metric.measure import Value
from tallymark.report import words
from tallymark.report.frames import _aligned, _html, _library

MISSING = "(missing)"
MOST_LINES = 40
_FIRST = 4
COLUMNS = (
    "rows", "metric", "title", "value", "low", "high", "level", "method", "reason", "support",
    "small",
)  # fmt: skip
_NUMBERS = ("value", "low", "high", "level")


@dataclass(frozen=True, slots=True)
class SliceTable:
    """One row a slice and metric: ``rows`` are dictionaries of the same keys.

    The columns sliced by come first, None where their value is missing; ``support`` is how many
    rows the number rests on and ``small`` whether those are too few to rank it.

    >>> import tallymark as tm
    >>> tm.evaluate([1, 1, 0, 0], [1, 0, 0, 0], slices={"at": ["a", "b", "a", "b"]}
    ...             ).by("at").table(["accuracy"])
    at  rows  metric    value    low   high  method
    a      2  accuracy  1.000  0.342  1.000  Wilson (few rows)
    b      2  accuracy  0.500  0.095  0.905  Wilson (few rows)
    """

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]

    @classmethod
    def of(cls, slices: Slices, metrics: Sequence[str]) -> SliceTable:
        """Take the metrics named."""
        values = slices.values(metrics)
        supports = {m: slices.support(m) for m in metrics}
        # A column that is called as one of the table's own keeps its place under another name.
        names = tuple(f"{c} (slice)" if c in COLUMNS else c for c in slices.columns)
        rows = []
        for key, parts, n in zip(slices.keys, slices.sliced.keys, slices.sliced.rows, strict=True):
            for m in metrics:
                v, support = values[key][m], supports[m][key]
                rows.append({
                    **dict(zip(names, parts, strict=True)), "rows": int(n), "metric": m,
                    "title": get(m).title, "value": v.value, "low": v.low, "high": v.high,
                    "level": v.level, "method": v.method, "reason": v.reason, "support": support,
                    "small": support < FEW,
                })  # fmt: skip
        return cls(names, tuple(rows))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def _cells(self) -> list[tuple[str, ...]]:
        lines = [(*map(words.text, self.columns), "rows", "metric", "value", "low", "high",
                  "method")]  # fmt: skip
        for r in self.rows:
            low, high = ("" if math.isnan(r[k]) else words.number(r[k]) for k in ("low", "high"))
            told = (r["reason"] or r["method"] or "") + (" (few rows)" if r["small"] else "")
            names = (shown(r[c]) for c in self.columns)
            lines.append((*names, words.count(r["rows"]), r["metric"], words.number(r["value"]),
                          low, high, words.text(told)))  # fmt: skip
        return lines

    def __str__(self) -> str:
        n = len(self.columns)
        return _aligned(self._cells(), right=(n, n + 2, n + 3, n + 4))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _html(self._cells())

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as plain dictionaries."""
        return [dict(r) for r in self.rows]

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame; pandas must be installed."""
        frame = _library("pandas").DataFrame(self.to_dicts())
        return frame.astype(dict.fromkeys(_NUMBERS, "float64"))

    def to_polars(self) -> Any:
        """Return a Polars DataFrame; Polars must be installed."""
        return _library("polars").DataFrame(self.to_dicts(), infer_schema_length=None)


def shown(value: Any) -> str:
    """Return a slice's value as it is shown."""
    return MISSING if value is None else words.text(str(value))


def named(slices: Slices, key: Any) -> str:
    """Return a slice's name in a sentence."""
    parts = (key,) if len(slices.columns) == 1 else key
    return ", ".join(shown(p) for p in parts)


def told(slices: Slices, metrics: Sequence[str] | None = None) -> str:
    """Return a line a slice, with the metrics that are looked at first, or those named."""
    names = list(metrics or slices.metrics()[:_FIRST])
    values = slices.values(names)
    few = {m: set(slices.small(m)) for m in names}
    lines = [(*map(words.text, slices.columns), "rows", *names)]
    for key, parts, n in zip(slices.keys, slices.sliced.keys, slices.sliced.rows, strict=True):
        if len(lines) > MOST_LINES:
            break
        cells = (_cell(values[key][m], key in few[m]) for m in names)
        lines.append((*map(shown, parts), words.count(int(n)), *cells))
    out = [_aligned(lines, right=range(len(slices.columns), len(lines[0])))]
    if len(slices) > MOST_LINES:
        out.append(f"and {len(slices) - MOST_LINES:,} more slices: .table() has all of them")
    if any(cell.endswith("*") for line in lines[1:] for cell in line[-len(names) :]):
        out.append(f"* rests on fewer than {FEW} rows: not ranked, not tested")
    return "\n".join(out)


def _cell(v: Value, small: bool) -> str:
    if v.reason:
        return "undefined"
    mark = "*" if small else " "
    if math.isnan(v.low):
        return words.number(v.value) + mark
    return f"{words.number(v.value)} [{words.number(v.low)}, {words.number(v.high)}]{mark}"


def verdict(slices: Slices, metric: str) -> str:
    """Say in words which slices differ from the rest in a metric, and which is worst."""
    title = get(metric).in_a_sentence
    if len(slices) < 2:
        return "there is one slice alone: nothing to hold it against"
    tested = [d for d in slices.differences(metric) if not math.isnan(d.corrected)]
    flagged = slices.flags(metric)
    head = f"{len(flagged)} of {len(tested)} slices tested differ from the rest in {title}"
    out = [head + (":" if flagged else f" at level {slices.level:g}")]
    out += [f"  {named(slices, d.key)}: {_gap(d)}" for d in flagged[:MOST_LINES]]
    out += [of_worst(slices, metric)] if get(metric).better != "neither" else []
    left = len(slices) - len(tested)
    if left:
        out.append(f"{left} not tested, with fewer than {FEW} rows that it rests on or no interval")
    return "\n".join(out)


def of_worst(slices: Slices, metric: str) -> str:
    """Say which slice is worst, and how bad the worst is when the choice is allowed for."""
    found = slices.worst_of_all(metric)
    if found is None:
        return f"no slice rests on {FEW} rows: none is called the worst"
    low, high, least, most = map(words.number, (found.low, found.high, found.least, found.most))
    told = (
        f"worst of {found.of:,}: {named(slices, found.key)} at {words.number(found.value.value)}, "
        f"{low} to {high} allowing for the choice"
    )
    if len(found.candidates) > 1:
        told += (
            f"; {len(found.candidates):,} slices may be the worst, whose true number lies between "
            f"{least} and {most}"
        )
    return told


def _gap(d: SliceDifference) -> str:
    return f"{d.difference}, p = {d.corrected:.2g} (Holm)"
