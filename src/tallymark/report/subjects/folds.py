"""The folds of a cross-validation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tallymark.metric import get
from tallymark.quantities import many, p_is
from tallymark.report import words
from tallymark.report.blocks import GAP, Block, Cell, Grid, Headline, Paragraph, Row, paragraphs
from tallymark.report.evaluation import Evaluation, folds_of
from tallymark.report.subjects.subgroups import MOST_LISTED
from tallymark.report.subjects.values import value_cell
from tallymark.report.words import sentence

if TYPE_CHECKING:
    from tallymark.infer.corrected_t import FoldTest
    from tallymark.infer.folds import Folds


def fold_difference(pair: tuple[str, str], test: FoldTest, title: str) -> str:
    """Return the test of two models' difference over the folds, in words."""
    which = f"Over the folds, {pair[0]} − {pair[1]}: {title}"
    if test.reason:
        return sentence(f"{which}: no test, {test.reason}")
    low, high = test.interval or (math.nan, math.nan)
    difference, start, end = words.to_width(test.difference, low, high, "+")
    bounds = f"{100 * test.level:g} % CI {start} to {end}"
    return sentence(f"{which} {difference} ({bounds}; {p_is(test.p_value)}, {test.method})")


MOST_FOLD_METRICS = 5
"""Metrics listed by fold."""


def folds(f: Folds) -> Iterator[Block]:
    """Yield one row per fold, all rows and the mean of folds, per model; and the differences."""
    yield Headline(f"{len(f.rows):,} folds by {f.column} of {', '.join(f.values)}")
    for i, model in enumerate(f.values):
        if i:
            yield GAP
        yield Paragraph(f"{words.text(model)} by {words.text(f.column)}", "title")
        yield fold_grid(f, model)
    yield from paragraphs(fold_notes(f))


def fold_grid(f: Folds, model: str) -> Grid:
    """Return the table of one model's folds, for the headline metrics."""
    by_metric = dict(list(f.values[model].items())[:MOST_FOLD_METRICS])
    rows: list[Row] = [
        (
            words.subgroup(key),
            words.count(n),
            *(
                Cell(words.value(v.folds[key]), note=v.folds[key].reason or "")
                for v in by_metric.values()
            ),
        )
        for key, n in list(f.rows.items())[:MOST_LISTED]
    ]
    total = words.count(sum(f.rows.values()))
    rows.append(("all rows", total, *(value_cell(v.pooled) for v in by_metric.values())))
    mean = (Cell(words.value(v.mean), words.interval(v.mean)) for v in by_metric.values())
    rows.append(("mean of folds", "", *mean))
    titles = [words.SHORT_TITLES.get(n, n.replace("_", " ")) for n in by_metric]
    heads = (words.text(f.column), "rows", *titles)
    caption = f"{words.interval_head(f.level)}s are below the numbers of all rows and the mean."
    return Grid(heads, rows, caption, optional=(4,))


def fold_notes(f: Folds) -> list[str]:
    """Return how the means were estimated, and which model is better over the folds."""
    notes, more = [], len(f.rows) - MOST_LISTED
    if more > 0:
        notes.append(
            f"{many(more, 'more fold')} {'is' if more == 1 else 'are'} not listed, but included in "
            "the numbers of all rows and in the mean."
        )
    notes.append(
        "Mean of folds: corrected resampled t (Nadeau and Bengio 2003) with test rows / training "
        f"rows = {f.ratio:.3g}, which allows for other training sets. All rows: the predictions of "
        "all folds as if of one model."
    )
    for model, of_model in f.values.items():
        why = words.grouped(
            (v.mean.reason, words.SHORT_TITLES.get(n, n.replace("_", " ")))
            for n, v in of_model.items()
            if v.mean.reason
        )
        notes += [
            words.sentence(f"{model}: no mean of {', '.join(names)}: {reason}")
            for reason, names in why.items()
        ]
    if (metric := f._decisive()) is not None:
        title = get(metric).title
        notes += [fold_difference(*item, title) for item in f.differences(metric).items()]
    return notes


def folds_section(ev: Evaluation, most: int) -> dict[str, Any] | None:
    """Return the sentences on the folds, and a table for each of at most ``most`` models."""
    f = folds_of(ev)
    if f is None:
        return None
    grids = [replace(fold_grid(f, m), title=words.text(m)) for m in list(f.values)[:most]]
    return {"notes": fold_notes(f), "grids": grids}
