"""The classes or labels of an evaluation: the rates of each, the worst first, and confusions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from tallymark.metric import get
from tallymark.metric.cells import CELLS
from tallymark.quantities import count, many, percent
from tallymark.reading.indicators import LabelSets
from tallymark.report import words
from tallymark.report.blocks import (
    GAP,
    LABEL_WIDTH,
    SHORTEST,
    SINGLE_WIDTH,
    Block,
    Bullets,
    Chart,
    Grid,
    Headline,
    Mark,
    Paragraph,
    Row,
)
from tallymark.report.drawing import Axis, Forest, Span
from tallymark.report.subjects.matrices import largest_confusions
from tallymark.report.uses import use_of
from tallymark.tally.arrays import Label

if TYPE_CHECKING:
    from tallymark.metric.measure import Value
    from tallymark.report.evaluation import Evaluation
    from tallymark.tables import PerClass

MOST_DRAWN = 20
"""Classes that are drawn, those with the lowest F1."""

MOST_CONFUSED = 5
"""Confusions that are listed, the most frequent ones."""

RATES = ("sensitivity", "precision")

_COLOURS = 3
"""Models that have a colour each."""


def support(ev: Evaluation, model: str) -> dict[Label, float]:
    """Return how many rows truly have each class, or each label."""
    if isinstance(ev._counted, LabelSets):
        return {**ev._counted.support}
    tally = ev._counted.model(model).labels
    return dict(zip(tally.labels, tally.counts.sum(1).tolist(), strict=True))


def of_each_class(ev: Evaluation, model: str) -> dict[Label, dict[str, Value]]:
    """Return the metrics of each class or label that the tables of the page show as well."""
    return ev.per_class(use_of(ev).per_class)[model]


def worst_first(ev: Evaluation, model: str) -> list[Label]:
    """Return the classes or labels in increasing order of F1, undefined values last."""
    of_classes = of_each_class(ev, model)
    f1 = [values["f1"].value for values in of_classes.values()]
    return [list(of_classes)[i] for i in np.argsort(f1, kind="stable")]


def classes_chart(ev: Evaluation, model: str) -> Chart:
    """Return recall and precision of each class or label with intervals, the worst first.

    A tick is the share of rows of the class: guessing by the shares of the classes gets this in
    both.
    """
    of_classes, rows = of_each_class(ev, model), support(ev, model)
    order = worst_first(ev, model)
    drawn, kind = order[:MOST_DRAWN], "label" if ev.labels else "class"
    place = ev.names.index(model)
    style = place if len(ev.names) <= _COLOURS else 0
    spans = []
    for c in drawn:
        found, right = (of_classes[c][n] for n in RATES)
        guess = of_classes[c]["prevalence"].value
        spans += [
            _span(words.text(c), found, "first", style, guess, f"no {kind} in the truth"),
            _span(words.text(c), right, "open", style, guess, "never predicted"),
        ]
    worst, least = drawn[0], _least(ev, model)
    f1 = of_classes[worst]["f1"]
    title = f"Recall and precision of each {kind}"
    whose = f" by {words.text(model)}" if len(ev.names) > 1 else ""
    kinds = "labels" if ev.labels else "classes"
    some = f"The worst {len(drawn)} of {len(order):,} {kinds}, by F1."
    lowest = f"The lowest F1{whose} is that of {words.called(worst, kind)}"
    lowest += "" if f1.reason else f": {words.value(f1)}"
    if least not in (None, worst):  # the class that the verdict names
        lowest += f"; {words.called(least, kind)} is found least"
    if f1.value == 1:
        lowest = f"No {kind} has an error{whose}"
    return Chart(
        title,
        Forest(Axis("share of rows"), spans, kind=kind, together=len(RATES)),
        _numbers(ev, drawn, of_classes, rows),
        some if len(order) > len(drawn) else "",
        f"Recall and precision of {len(drawn)} of {len(order):,} with "
        f"{percent(ev.level, 0)} intervals, the lowest F1 first.",
        marks=(
            Mark("first", style, f"recall: share of the {kind}'s rows that are found"),
            Mark("open", style, f"precision: share right of the rows called the {kind}"),
            Mark("tick", style, f"share of rows of the {kind}: what guessing gets"),
        ),
        kind="classes",
        heading=lowest,
        called=title,
    )


def _span(
    name: str, v: Value, mark: Literal["first", "open"], style: int, guess: float, missing: str
) -> Span:
    return Span(
        name, v.value, v.low, v.high, mark, style, missing=missing if v.reason else "", guess=guess
    )


def _numbers(
    ev: Evaluation,
    drawn: list[Label],
    of_classes: dict[Label, dict[str, Value]],
    rows: dict[Label, float],
) -> Grid:
    """Return the rates of the classes that are drawn, as a table."""
    level = f"{percent(ev.level, 0)} interval"
    table: list[Row] = []
    for c in drawn:
        found, right = (of_classes[c][n] for n in RATES)
        cells = (text for v in (found, right) for text in (words.value(v), words.interval(v)))
        table.append((words.text(c), count(rows[c]), *cells))
    heads = ("Label" if ev.labels else "Class", "rows", "recall", level, "precision", level)
    return Grid(heads, table)


def confusions(ev: Evaluation, model: str) -> list[Block]:
    """Return the most frequent confusions of classes in words; empty if there are none."""
    if ev.labels:
        return []
    rows = support(ev, model)
    found = largest_confusions(ev.model(model).models[0].labels, MOST_CONFUSED)
    if not found:
        return []
    kind = ev._noun.many
    lines = [
        f"{words.called(true, 'Class')} was predicted as {words.called(said)} in {count(n)} of "
        f"{count(rows[true])} {kind} ({percent(n / rows[true], 0)})"
        for true, said, n in found
    ]
    return [Paragraph("Most frequent confusions", "title"), Bullets(lines)]


PRINTED = ("precision", "sensitivity", "f1")
"""Metrics of each class that are printed if more than these were computed."""

MOST_PRINTED, MOST_LINES = 4, 30
"""Printed models and lines."""

_Column = tuple[str, list[str]]


def per_class(p: PerClass) -> Iterator[Block]:
    """Yield a table with one row per class for each model, and what it leaves out."""
    models = [*p][:MOST_PRINTED]
    every = {label: None for of_model in p.values() for label in of_model}
    computed = {name: None for of in p.values() for values in of.values() for name in values}
    named = [n for n in PRINTED if n in computed] if len(computed) > len(PRINTED) else []
    room = MOST_LINES - 2  # two notes
    classes = [*every][: room - 1 if len(p) == 1 else max(room // len(models) - 3, 1)]
    kinds = f"{p._kind}s" if p._kind == "label" else f"{p._kind}es"
    yield Headline(f"{many(len(every), p._kind, kinds)} by {words.enumerated([*p])}")
    least, undefined = len(computed), ""
    for i, model in enumerate(models):
        if len(p) > 1:
            yield from [GAP] * (i > 0)
            yield Paragraph(words.text(model), "title")
        values, support = p[model], p._support[model]
        rows = ("rows", [count(support[c]) for c in classes])
        columns = _fitting([values[c] for c in classes], named or [*computed], rows)
        least = min(least, len(columns) - 1)
        table = [(p._kind.capitalize(), [words.text(c) for c in classes]), *columns]
        rows_of = [*zip(*(cells for _, cells in table), strict=True)]
        yield Grid([head for head, _ in table], rows_of, single=True)
        reasons = (v.reason for c in classes for v in (values[c][m] for m in (named or computed)))
        undefined = undefined or next(filter(None, reasons), "")
    if undefined:
        yield Paragraph(words.cut_off(f"– is undefined: {undefined}", SINGLE_WIDTH - 2), "dim")
    missing = [
        (len(p) - len(models), "model", "models"),
        (len(every) - len(classes), p._kind, kinds),
        (len(computed) - least, "metric", "metrics"),
    ]
    if texts := [many(*some) for some in missing if some[0] > 0]:
        yield Paragraph(f"Not shown: {words.enumerated(texts)}; .table() has all of them.", "dim")


def _fitting(
    of_classes: Sequence[Mapping[str, Value]], metrics: Sequence[str], rows: _Column
) -> list[_Column]:
    """Return the column of row counts, followed by those of the metrics that fit."""
    columns = [rows]
    for name in metrics:
        column = _column_of(name, [values[name] for values in of_classes])
        if len(columns) == 1 or SHORTEST + sum(map(_width, (*columns, column))) <= SINGLE_WIDTH:
            columns.append(column)
    return columns


def _column_of(name: str, values: Sequence[Value]) -> _Column:
    """Return a metric's column: numbers with their intervals in brackets, without leading zeros."""
    numbers, bounds = [], []
    for v in values:
        value, low, high = words.to_width(v.value, v.low, v.high)
        value = count(v.value) if get(name) in CELLS else value
        numbers.append("–" if v.reason else value)
        text = "" if math.isnan(v.low) else f"[{low}, {high}]"
        bounds.append(re.sub(r"(?<![\d.,])0\.", ".", text))
    head = {"sensitivity": "Recall"}.get(name, name if get(name) in CELLS else words.title(name))
    level = next((v.level for v in values if v.level), None)
    if not level or not any(bounds):
        return head, numbers
    widest = max(map(len, bounds))
    cells = [f"{n} {b:>{widest}}" for n, b in zip(numbers, bounds, strict=True)]
    with_level = f"{head} [{100 * level:g} % CI]"
    return with_level if len(with_level) <= LABEL_WIDTH else head, cells


def _width(column: _Column) -> int:
    """Return the width of a column with the gap before it."""
    head, cells = column
    return 2 + max(len(text) for text in (head[:LABEL_WIDTH], *cells))


def _least(ev: Evaluation, model: str) -> Label | None:
    """Return the class that is found least by its recall; None if all are found."""
    if ev.labels:
        return None
    counts = ev.model(model).models[0].labels
    rows, right = counts.counts.sum(1), counts.counts.diagonal(0, -2, -1)
    with np.errstate(invalid="ignore", divide="ignore"):
        recall = np.where(rows > 0, right / rows, math.inf)
    worst = int(np.argmin(recall))
    return counts.labels[worst] if recall[worst] < 1 else None


def least_found(ev: Evaluation, model: str) -> str:
    """Return which class is found least and what it is called most often; empty if all are found.

    The share of a class that is found is its recall.
    """
    least = _least(ev, model)
    if least is None:
        return ""
    tally = ev.model(model).models[0].labels
    worst = tally.labels.index(least)
    wrong = np.array(tally.counts[worst])
    right, wrong[worst] = float(wrong[worst]), 0
    said = words.called(tally.labels[int(np.argmax(wrong))])
    return (
        f"The class found least is {words.text(least)}: {count(right)} of "
        f"{count(support(ev, model)[least])} {ev._noun.many}; {count(float(wrong.max()))} were "
        f"predicted as {said}."
    )


def labels_found(ev: Evaluation, model: str) -> tuple[str, str]:
    """Return how many rows have every label right; then its interval, and the worst label."""
    values, worst = ev.values()[model], worst_first(ev, model)[0]
    whole, wrong = values["subset_accuracy"], values["hamming_loss"]
    f1 = of_each_class(ev, model)[worst]["f1"]
    called = words.called(worst, "label")
    lowest = "" if f1.reason else f" The lowest F1 is that of {called}, {words.value(f1)}."
    return f"Every label is right in {percent(whole.value)} of the rows", (
        f"{percent(ev.level, 0)} CI {percent(whole.low)} to {percent(whole.high)}; "
        f"{percent(wrong.value)} of all labels are wrong.{lowest}"
    )
