"""Rows with any number of labels: averages of metrics, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from tallymark.metric import get
from tallymark.metric.measure import Value
from tallymark.reading.indicators import AVERAGES
from tallymark.report import words
from tallymark.report.blocks import Cell, Grid, Row
from tallymark.report.subjects.values import value_cell

if TYPE_CHECKING:
    from tallymark.report.evaluation import Evaluation

AVERAGE_WORDS = (
    "macro: mean over labels. micro: all labels of all rows counted as one. weighted: mean over "
    "labels by how many rows have them. samples: mean over rows."
)


def averages(ev: Evaluation, model: str, *, brief: bool = True) -> Grid:
    """Return one row per metric of a label and one column per average, with intervals."""
    place = f"models.{ev.names.index(model)}.averages"
    rows: list[Row] = []
    for name, of in ev._averages()[model].items():
        cells = [
            replace(value_cell(of[a], brief=brief), key=f"{place}.{name}.{a}")
            if a in of
            else Cell("")
            for a in AVERAGES
        ]
        rows.append((get(name).title, *cells))
    caption = f"The number, its {words.percent(ev.level, 0)} interval below it. {AVERAGE_WORDS}"
    return Grid(("Average over labels", *AVERAGES), rows, "" if brief else caption, indent=2)


def labels_verdict(ev: Evaluation, best: str, values: Mapping[str, Value]) -> str:
    """Return how often the best model has all labels right, and the share of wrong labels."""
    level = words.percent(ev.level, 0)
    whole, wrong, f1 = (values[n] for n in ("subset_accuracy", "hamming_loss", "f1"))
    lead = f"{words.text(best)} has" if len(ev.names) > 1 else "It has"
    text = (
        f"{lead} every label right in {words.percent(whole.value)} of the rows ({level} CI "
        f"{words.percent(whole.low)} to {words.percent(whole.high)}); "
        f"{words.percent(wrong.value)} of all labels are wrong."
    )
    if f1.reason:
        return text
    return f"{text} The mean F1 of the labels is {words.value(f1)} ({words.interval(f1)})."
