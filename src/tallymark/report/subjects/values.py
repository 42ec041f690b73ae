"""Single numbers: values with their intervals, differences and tests."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.display import Display
from tallymark.metric import METRICS
from tallymark.metric.measure import Value
from tallymark.part import numbers
from tallymark.quantities import number, p_is, p_value
from tallymark.report import words
from tallymark.report.blocks import Block, Cell, Grid, Headline, Interval, Paragraph

if TYPE_CHECKING:
    from tallymark.findings.finding import Finding
    from tallymark.infer.cautions import NoInformation
    from tallymark.infer.difference import Difference
    from tallymark.infer.significance import Evidence


def published_error(value: Value) -> bool:
    """Return whether a metric is usually published with a standard error, such as kappa."""
    metric = METRICS.get(value.metric)
    published = value.metric in numbers() or (metric is not None and metric._sampling.shows_se)
    return published and value.se is not None


NO_INFORMATION = "no-information rate"

ABOVE_NO_INFORMATION = "accuracy above it"


def how(value: Value) -> str:
    """Return why a number is undefined, or the method of its interval."""
    if value.reason:
        return value.reason
    if value.metric == "log_loss" and math.isinf(value.value):
        return "a row's true class was given probability 0"
    return value.method or ""


def always_saying(label: str) -> str:
    """Return the description of the no-information rate's classifier."""
    return f"always saying '{label}'"


def difference_cells(d: Difference) -> tuple[str, str, str, str, str]:
    """Return the cells of a difference: both values, the difference, its interval and p-value."""
    p = "" if math.isnan(d.p_value) else p_value(d.p_value, d.p_at_most)
    first, second = number(d.first_value), number(d.second_value)
    return first, second, words.value(d, "+"), words.interval(d, "+"), p


def evidence_sentence(test: Evidence) -> str:
    """Return the result of a test as a sentence; a statistic without degrees of freedom is a z."""
    if test.reason:
        return f"{test.name}: no result, {test.reason}"
    p = p_is(test.p_value, test.p_at_most)
    if not math.isnan(test.statistic) and math.isnan(test.degrees):
        return f"{test.name}: z = {number(test.statistic)}, {p}"
    statistic = "" if math.isnan(test.statistic) else f" {number(test.statistic)}"
    if not math.isnan(test.degrees):
        degrees = f"{test.degrees:g}"
        if not math.isnan(test.denominator_degrees):
            degrees += f" and {test.denominator_degrees:.4g}"
        statistic += f" with {degrees} degree{'' if degrees == '1' else 's'} of freedom"
    return f"{test.name}{statistic}: {p}"


@dataclass(frozen=True, slots=True)
class Shown:
    """A value in a table; None if it was not computed for a model.

    ``key`` is its path in ``to_dict()``; the ``best`` of several gets a star, and a page draws the
    interval on a ``scale``.
    """

    value: Value | None
    key: str = ""
    best: bool = False
    scale: tuple[float, float] | None = None


def value_cells(rows: Sequence[Sequence[Shown]], brief: bool = False) -> list[list[Cell]]:
    """Return rows of numbers above their intervals.

    A page also shows why something is missing, ``brief`` or in full.
    """
    values = [s.value for row in rows for s in row if s.value is not None]
    texts = iter([(words.value(v), words.interval(v)) for v in values])
    missing = ("–", "")
    return [
        [_cell(s, missing if s.value is None else next(texts), brief) for s in row] for row in rows
    ]


def value_cell(
    v: Value, scale: tuple[float, float] | None = None, brief: bool = False, key: str = ""
) -> Cell:
    """Return a cell with a number above its interval."""
    return value_cells([[Shown(v, key, scale=scale)]], brief)[0][0]


def _cell(s: Shown, texts: tuple[str, str], brief: bool) -> Cell:
    v = s.value
    if v is None:
        return Cell(*texts, note="not computed for this model", key=s.key)
    method = v.method or ""
    missing = "" if not method.startswith("no interval") else "no interval" if brief else method
    return Cell(
        *texts,
        "*" if s.best else "",
        "best" if s.best else "",
        v.reason or missing,
        None if s.scale is None else Interval(v.value, v.low, v.high, *s.scale),
        key=s.key,
    )


def one_row(
    line: str, columns: Mapping[str, str], headline: str = "", wrap: bool = False
) -> Iterator[Block]:
    """Yield a result in one line, and its numbers as a table of one row."""
    yield Headline(headline or line, line)
    yield Grid(tuple(columns), [tuple(columns.values())], wrap=wrap)


def _bounded(v: Value | Difference, columns: Mapping[str, str], sign: str = "") -> Iterator[Block]:
    """Yield a number with its interval, in a line and as a table, and its warning."""
    line = words.with_interval(v, sign)
    if isinstance(v, Value) and published_error(v):
        line += f", SE {v.se:.2g}"
    head = words.interval_head(v.level) if v.level else "interval"
    named = {head if k == "interval" else k: text for k, text in columns.items()}
    yield from one_row(line, named, f"{v.metric} {line}", wrap=True)
    yield from warning_of(v.warning)


def value(v: Value) -> Iterator[Block]:
    """Yield a value with its interval, its method and its warning."""
    columns = {"metric": v.metric, "value": words.value(v), "interval": words.interval(v)}
    if v.se is not None:
        columns["standard error"] = words.number(v.se, 4)
    return _bounded(v, {**columns, "method": how(v)})


def difference(d: Difference) -> Iterator[Block]:
    """Yield a difference with both numbers, its interval and its p-value."""
    heads = ("metric", "first", "second", "difference", "interval", "p", "method")
    cells = (d.metric, *difference_cells(d), d.reason or d.method or "")
    return _bounded(d, dict(zip(heads, cells, strict=True)), "+")


def evidence(e: Evidence) -> Iterator[Block]:
    """Yield a test with its statistic and its p-value."""
    yield from one_row(
        evidence_sentence(e),
        {
            "test": e.name,
            "statistic": plain(e.statistic),
            "degrees of freedom": plain(e.degrees),
            "of the denominator": plain(e.denominator_degrees),
            "p": words.p_value(e.p_value, e.p_at_most),
        },
    )
    yield from warning_of(e.reason)


def no_information(n: NoInformation) -> Iterator[Block]:
    """Yield the accuracy of always predicting the most frequent class."""
    line = f"accuracy {words.number(n.rate)} by {always_saying(str(n.label))}"
    yield Headline(line)
    yield Paragraph(f"{NO_INFORMATION} {words.number(n.rate)} ({always_saying(str(n.label))})")
    tests = [(model, words.p_value(p)) for model, p in n.p_values.items() if p is not None]
    if tests:
        yield Grid(("model", f"p, {ABOVE_NO_INFORMATION}"), tests)


def finding(f: Finding) -> Iterator[Block]:
    """Yield the text of a finding."""
    yield Headline(f"{f.severity}: {f.text}", f.text)
    yield Paragraph(words.said(f.text))


def fields_of(result: Display) -> Iterator[Block]:
    """Yield the fields of a result without a renderer of its own."""
    names = [f.name for f in fields(result)] if is_dataclass(result) else list(vars(result))
    facts = {n: plain(getattr(result, n)) for n in names if not n.startswith("_")}
    yield Headline(", ".join(f"{k} {v}" for k, v in facts.items()))
    yield Grid(("", type(result).__name__), list(facts.items()), left=(0, 1), wrap=True)


def plain(value: Any) -> str:
    """Return a field in short form: numbers in full, arrays and mappings by their size."""
    if isinstance(value, np.ndarray) and value.size > 1:
        return f"{'×'.join(map(str, value.shape))} numbers"
    if isinstance(value, float | np.ndarray):
        number = np.asarray(value, np.float64).item() if np.size(value) == 1 else math.nan
        return "-" if math.isnan(number) else f"{number:.6g}"
    if isinstance(value, Display):
        return type(value).__name__
    if isinstance(value, Mapping):
        return f"{len(value):,} entries"
    if isinstance(value, tuple | list):
        short = ", ".join(map(plain, value[:6]))
        return short if len(value) <= 6 else f"{short} and {len(value) - 6:,} more"
    return f"{value:,}" if type(value) is int else str(value)


def warning_of(text: str | None) -> Iterator[Block]:
    """Yield a warning, if there is one."""
    if text:
        yield Paragraph(f"warning: {text}", "warning")


def more(n: int, what: str) -> Iterator[Block]:
    """Yield how many more there are than are shown, if any."""
    if n > 0:
        yield Paragraph(f"and {n:,} more {what}", "dim")


def ends_of(values: Sequence[Value]) -> tuple[float, float] | None:
    """Return the lowest and highest bound of the intervals of values."""
    ends = [x for v in values for x in (v.low, v.high) if math.isfinite(x)]
    return (min(ends), max(ends)) if ends else None
