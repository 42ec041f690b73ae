"""The summary for a terminal: the matrix, then each number with its interval and its method."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence

from tallymark.evaluation import Evaluation, Model
from tallymark.metric import get
from tallymark.metric.measure import Value
from tallymark.show import words

MOST_CLASSES = 12
"""Wider matrices do not fit a terminal; the page shows them."""

Line = tuple[str, str]
"""A line and its style: "", "title" or "warning"."""


def summary(ev: Evaluation, *, width: int | None = None, color: bool = False) -> str:
    """Return the summary as text of at most ``width`` columns (the terminal's)."""
    width = width or min(shutil.get_terminal_size((88, 24)).columns, 120)
    lines = list(_lines(ev, max(width, 40)))
    if not color:
        return "\n".join(text for text, _ in lines)
    codes = {"title": "\x1b[1m", "warning": "\x1b[33m"}
    return "\n".join(
        f"{codes[style]}{text}\x1b[0m" if style and text else text for text, style in lines
    )


def wants_color() -> bool:
    """Tell whether standard output is a terminal that was not asked to stay plain."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.name != "nt"


def _lines(ev: Evaluation, width: int) -> Iterator[Line]:
    yield words.text(ev.source), "title"
    yield from _wrapped(words.about(ev), width)
    for note in ev.notes:
        if note.kind == "assumed":
            yield from _wrapped(f"assumed: {note.text}", width)
    yield "", ""
    if len(ev.models) > 1:
        yield from _comparison(ev, width)
        yield "", ""
    for model in ev.models:
        yield from _matrix(ev, model, width)
        yield "", ""
        if len(ev.models) == 1:
            yield from _numbers(ev, model, width)
            yield "", ""
        if not ev.binary:
            yield from _classes(ev, model, width)
            yield "", ""
    yield from _wrapped(words.verdict(ev), width)
    for note in ev.notes:
        if note.kind == "warning":
            yield from _wrapped(f"warning: {note.text}", width, "warning")


def _wrapped(text: str, width: int, style: str = "") -> Iterator[Line]:
    for i, line in enumerate(textwrap.wrap(words.text(text), width - 2) or [""]):
        yield ("  " if i else "") + line, style


def _matrix(ev: Evaluation, model: Model, width: int) -> Iterator[Line]:
    yield from _wrapped(f"{model.name}: {model.rule}", width, "title")
    labels = [words.text(label) for label in model.labels.labels]
    cells = [[words.count(n) for n in row] for row in model.labels.counts]
    column = max(len(c) for row in cells for c in row) + 2
    column = max(column, min(max(len(v) for v in labels), 14) + 2)
    side = min(max(len(v) for v in labels), 20)
    if len(labels) > MOST_CLASSES or side + column * len(labels) + 4 > width:
        right = sum(model.labels.counts.diagonal())
        yield (
            (
                f"  {len(labels)} classes: the matrix is on the page; "
                f"{words.count(right)} of {words.count(model.labels.counts.sum())} rows right"
            ),
            "",
        )
        return
    yield "  " + "true".ljust(side) + "  predicted", ""
    yield ("  " + " " * side + "".join(_cut(v, column - 2).rjust(column) for v in labels)), ""
    for label, row in zip(labels, cells, strict=True):
        yield "  " + _cut(label, side).ljust(side) + "".join(c.rjust(column) for c in row), ""


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _numbers(ev: Evaluation, model: Model, width: int) -> Iterator[Line]:
    values = ev.values()[model.name]
    nothing = ev.no_information()
    rows = []
    for name in words.headline(ev):
        if name not in values:
            continue
        rows.append(_row(words.metric_title(get(name).title, values[name]), values[name]))
        if name == "accuracy":
            told = f"always {words.text(nothing.label)!r}"
            rows.append(("no-information rate", words.number(nothing.rate), "", told))
            p = words.p_value(nothing.p_values[model.name])
            rows.append(("accuracy beats it by chance", "", "", f"p {p} (exact binomial)"))
    yield from _columns(rows, width)


def _row(title: str, v: Value) -> tuple[str, str, str, str]:
    if v.reason:
        return title, "undefined", "", v.reason
    return title, words.number(v.value), words.interval(v), v.method or ""


def _columns(rows: Sequence[tuple[str, str, str, str]], width: int) -> Iterator[Line]:
    sizes = [max(len(r[i]) for r in rows) for i in range(3)]
    left = 2 + sum(sizes) + 6
    for title, value, bounds, method in rows:
        head = f"  {title.ljust(sizes[0])}  {value.rjust(sizes[1])}  {bounds.ljust(sizes[2])}"
        if left + 12 > width:
            yield head.rstrip(), ""
            continue
        wrapped = textwrap.wrap(words.text(method), max(width - left, 12)) or [""]
        yield f"{head}  {wrapped[0]}".rstrip(), ""
        for more in wrapped[1:]:
            yield " " * left + more, ""


def _comparison(ev: Evaluation, width: int) -> Iterator[Line]:
    names = [words.text(m.name) for m in ev.models]
    head = "metric"
    found = ev.values()
    table = []
    for name in words.headline(ev):
        values = [found[m.name].get(name) for m in ev.models]
        known = [v for v in values if v is not None]
        best = words.best_of(known, get(name).better)
        if len(known) < len(values):
            best = set()
        cells = []
        for i, v in enumerate(values):
            mark = "*" if i in best else " "
            cells.append("-" if v is None else f"{words.number(v.value)}{mark}")
        bounds = ["" if v is None else words.interval(v) for v in values]
        title = words.metric_title(get(name).title, known[0])
        table.append((title, cells, bounds))
    first = max(len(head), *(len(t) for t, _, _ in table))
    size = max(18, *(min(len(n), 24) for n in names)) + 2
    across = max(1, (width - first - 2) // size)
    for start in range(0, len(names), across):
        part = slice(start, start + across)
        heads = "".join(_cut(n, size - 2).rjust(size) for n in names[part])
        yield f"  {head.ljust(first)}{heads}", "title"
        for title, cells, bounds in table:
            yield f"  {title.ljust(first)}" + "".join(c.rjust(size) for c in cells[part]), ""
            if any(bounds[part]):
                yield " " * (first + 2) + "".join(f"{b} ".rjust(size) for b in bounds[part]), ""
    yield from _wrapped(
        f"* the best of the row; below each number its {words.percent(ev.level, 0)} interval", width
    )


def _classes(ev: Evaluation, model: Model, width: int) -> Iterator[Line]:
    found = ev.per_class()[model.name]
    names = [n for n in next(iter(found.values()))]
    size = 13
    first = min(max(len("class"), *(len(words.text(c)) for c in found)), 24)
    fit = max(1, (width - first - 2) // size)
    short = {"average_precision": "avg precision", "roc_auc": "ROC AUC"}
    heads = "".join(short.get(n, n).rjust(size) for n in names[:fit])
    yield f"  {'class'.ljust(first)}{heads}", "title"
    for label, values in found.items():
        cells = "".join(words.number(values[n].value).rjust(size) for n in names[:fit])
        yield f"  {_cut(words.text(label), first).ljust(first)}{cells}", ""
