"""The confusion matrix: counts, and their shares of the true class."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.reading.models import Model
from tallymark.report import words
from tallymark.report.blocks import Block, Cell, Chart, Grid, Headline, Paragraph, Row
from tallymark.tally.arrays import Label

if TYPE_CHECKING:
    from tallymark.report.evaluation import Evaluation
    from tallymark.tables import ConfusionMatrix
    from tallymark.tally.labels import LabelTally


from tallymark.errors import InputError
from tallymark.report.drawing import Matrix, Mosaic, brief
from tallymark.report.evaluation import Evaluation
from tallymark.tally.labels import LabelTally
from tallymark.tally.occupied import OccupiedCells

MOST_CELLS = 15
"""Classes for which numbers fit into the cells."""


def confusion(what: Any, numbers: bool = True) -> Matrix:
    """Return the matrix of an evaluation of one model, or of a tally."""
    if isinstance(what, Evaluation):
        if len(what.models) > 1:
            raise InputError(
                f"a confusion matrix is of one model, and here are {len(what.models)}; choose one "
                f"with .model({what.names[0]!r})"
            )
        tally, positive = what.models[0].labels, what.positive
    elif isinstance(what, LabelTally):
        tally, positive = what, None
    else:
        raise InputError(
            f"confusion takes an Evaluation or a LabelTally, not {type(what).__name__}"
        )
    if not tally.labels:
        raise InputError("there is no confusion matrix of no class; count some rows first")
    order = words.shown_order(tally.labels, positive)
    counts = tally.counts[np.ix_(order, order)]
    rows = counts.sum(1, keepdims=True)
    shares = np.divide(counts, rows, out=np.zeros_like(counts), where=rows > 0)
    texts = [
        [f"{words.count(float(n))}\n{words.percent(float(share), 0)}" for n, share in cells]
        for cells in (zip(*row, strict=True) for row in zip(counts, shares, strict=True))
    ]
    written = texts if numbers and len(order) <= MOST_CELLS else []
    return Matrix([brief(tally.labels[i]) for i in order], shares, written)


MOST_CLASSES = 12
"""Classes up to which a matrix is printed; for more, the most frequent confusions are."""

MOST_CONFUSIONS = 8

MANY = 200
"""Classes above which a page names the most frequent confusions, and lists not all classes."""


def label_tally(t: LabelTally) -> Iterator[Block]:
    """Yield the confusion matrix."""
    labels = [str(label) for label in t.labels]
    yield Headline(f"{t.rows:,} rows, {len(labels)} classes, {_right(t)}")
    yield Paragraph(f"{t.rows:,} rows; rows of the matrix are the true classes", "title")
    yield matrix_grid(labels, t.counts)


def confusion_matrix(m: ConfusionMatrix) -> Iterator[Block]:
    """Yield the counts with the true classes as rows."""
    counts, labels = np.asarray(m), [str(label) for label in m.labels]
    right, total = words.count(counts.trace()), words.count(counts.sum())
    yield Headline(f"{len(labels)} classes, {right} of {total} right")
    yield matrix_grid(labels, counts)


def _right(t: LabelTally) -> str:
    right, total = float(t.counts.trace()), float(t.counts.sum())
    return f"{words.count(right)} of {words.count(total)} right"


def matrix_grid(labels: Sequence[str], counts: Any, indent: int = 0) -> Grid:
    """Return a confusion matrix with the true classes as rows."""
    return Grid(
        ("true", *labels),
        [
            (
                label,
                *(
                    Cell(words.count(float(n)), style="bold" if i == j else "")
                    for j, n in enumerate(row)
                ),
            )
            for i, (label, row) in enumerate(zip(labels, counts, strict=True))
        ],
        indent=indent,
    )


def matrix_of_model(model: Model, positive: Label | None) -> Iterator[Block]:
    """Yield the matrix of a model, or its most frequent confusions if there are many classes."""
    yield Paragraph(f"{model.name}: {model.rule}", "title")
    order = words.shown_order(model.labels.labels, positive)
    labels = [str(model.labels.labels[i]) for i in order]
    if len(labels) <= MOST_CLASSES:
        counts = model.labels.counts[np.ix_(order, order)]
        yield Paragraph("  rows: true class, columns: predicted class", "dim")
        yield matrix_grid(labels, counts, indent=2)
        return
    cells = largest_confusions(model.labels, MOST_CONFUSIONS)
    text = f"{len(labels)} classes are too many to print here; {_right(model.labels)}"
    yield Paragraph(text + (", and most often confused are:" if cells else ""), indent=2)
    for true, predicted, n in cells:
        yield Paragraph(f"'{true}' called '{predicted}': {words.count(n)}", indent=4)


def largest_confusions(t: LabelTally, most: int) -> list[tuple[Label, Label, float]]:
    """Return the true class, the predicted class and the rows of the largest wrong cells.

    >>> largest_confusions(LabelTally(("a", "b"), [[5, 1], [2, 9]]), 1)
    [('b', 'a', 2.0)]
    """
    counts: Any = t.counts
    cells = counts if isinstance(counts, OccupiedCells) else OccupiedCells.of(counts)
    rows = np.where(cells.true == cells.predicted, 0.0, cells.values)
    worst = np.lexsort((cells.predicted, cells.true, -rows))[:most]
    at = zip(cells.true[worst], cells.predicted[worst], rows[worst].tolist(), strict=True)
    return [(t.labels[i], t.labels[j], n) for i, j, n in at if n > 0]


def counts_of_models(ev: Evaluation) -> Grid:
    """Return the four counts of two-class models, one row per model."""
    rows = []
    for m in ev.models:
        c = m.labels.binary(ev.positive)
        rows.append((m.name, *(words.count(float(n)) for n in (c.tp, c.fp, c.fn, c.tn)), m.rule))
    return Grid(("model", "TP", "FP", "FN", "TN", "decisions"), rows, wrap=True, indent=2)


WIDE_MATRIX = 12

WIDEST_MATRIX = 30
"""Classes above which a matrix shows only shades, and above which it is not shown."""

SHADES = 5

TRUE_BY_PREDICTED = "true ↓ \npredicted →"


def shaded_matrix(model: Model, positive: Label | None, place: int = 0) -> Grid | Paragraph:
    """Return a model's confusion matrix, or a sentence if there are too many classes.

    The positive class of two comes first. ``place`` is the position of the model in the evaluation,
    for the keys of cells.
    """
    name, tally, k = words.text(model.name), model.labels, len(model.labels.labels)
    if k > WIDEST_MATRIX:
        too_many = "too many for a table to be read. The JSON holds the matrix."
        largest = largest_confusions(tally, MOST_CONFUSIONS) if k > MANY else []
        named = [
            f"{words.text(true)} called {words.text(predicted)} ({words.count(n)})"
            for true, predicted, n in largest
        ]
        most = f" Most often confused: {', '.join(named)}." if named else ""
        return Paragraph(f"{name} has {k:,} classes: {too_many}{most}")
    wide = k > WIDE_MATRIX
    rows: list[Row] = []
    order = words.shown_order(tally.labels, positive)
    for i in order:
        counts = tally.counts[i].tolist()
        total = sum(counts)
        cells = []
        for j in order:
            n = counts[j]
            share = n / total if total else 0.0
            shade = ("g" if i == j else "b") + str(math.ceil(share * SHADES)) if n else ""
            under = words.percent(share) if total and not wide else ""
            key = f"models.{place}.tally.counts.{i}.{j}"
            cells.append(Cell(words.count(n), under, style=shade, key=key))
        name_of_row = words.text(tally.labels[i])
        rows.append((name_of_row, *cells, Cell(words.count(total), style="dim")))
    heads = (TRUE_BY_PREDICTED, *(words.text(tally.labels[i]) for i in order), "rows")
    how = ", the darker the larger its share of the row" if wide else ", shares are of the row"
    caption = f"{words.text(model.rule)}. Rows are the true classes{how}."
    look = "matrix wide" if wide else "matrix"
    return Grid(heads, rows, caption, title=name, look=look)


def mosaic(model: Model, positive: Label | None, kinds: tuple[str, str]) -> Chart | None:
    """Return a chart of a matrix of two classes, whose cells are areas; None without rows.

    ``kinds`` are the names for rows of the positive and of the negative class.
    """
    c = model.labels.binary(positive)
    tp, fp, fn, tn = (float(n) for n in (c.tp, c.fp, c.fn, c.tn))
    if not tp + fp + fn + tn:
        return None
    name = words.text(positive)  # type: ignore[arg-type]
    other = words.text(next(label for label in model.labels.labels if label != positive))
    called, not_called = f"called {name}", f"called {other}"
    columns = [
        (
            name,
            [
                (f"{called}: {words.count(tp)}", tp, True),
                (f"{not_called}: {words.count(fn)}", fn, False),
            ],
        ),
        (
            other,
            [
                (f"{called}: {words.count(fp)}", fp, False),
                (f"{not_called}: {words.count(tn)}", tn, True),
            ],
        ),
    ]
    found = f"{words.count(tp)} of {words.count(tp + fn)} {kinds[0]} found"
    alarms = f"{words.count(fp)} of {words.count(fp + tn)} {kinds[1]} {called}"
    return Chart(
        "Rows by true and predicted class",
        Mosaic([(of, cells) for of, cells in columns if any(n for _, n, _ in cells)]),
        description=f"{found}; {alarms}.",
        kind="mosaic",
        heading=f"{found}, {alarms}",
    )


def bare_matrix(model: Model, positive: Label | None, place: int) -> Grid | Paragraph:
    """Return the matrix without totals, since ``to_dict()`` does not contain them."""
    grid = shaded_matrix(model, positive, place)
    if isinstance(grid, Paragraph):
        return grid
    rows = [row[:-1] for row in grid.rows]
    return replace(grid, heads=grid.heads[:-1], rows=rows, caption=words.text(model.rule))
