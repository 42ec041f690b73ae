"""The command: tallymark results."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import click

import tallymark as tm
from tallymark.cli.group import (
    NUMBER_OR_PERCENT,
    how_files_are_read,
    how_sure,
    in_words,
    main,
    one_of,
    option,
    page_and_json,
    show_results,
    try_outputs,
    write_results,
)


@main.command(section="Compare")
@click.argument("table", type=click.Path())
@option("--metric NAME", "The metric to compare by, if there are several.")
@one_of("--better", ["high", "low"], "Which values are better; known for tallymark's own metrics.")
@option(
    "--control NAME", "A classifier to compare all others with, instead of comparing all pairs."
)
@option(
    "--rope D",
    "The largest difference that does not matter, in units of the metric.",
    type=NUMBER_OR_PERCENT,
    default=0.01,
)
@how_sure(
    "Confidence level; two classifiers differ significantly if p is below 1 − level.",
    "Seed of the Bayesian signed rank test.",
)
@one_of(
    "--test",
    ["auto", "corrected_t", "5x2_t", "5x2_f", "wilcoxon"],
    default="auto",
    text="The test over the folds of one data set; auto is the corrected resampled t. The "
    "5x2cv tests find differences too often with few rows.",
)
@option("--ratio R", "Test rows over training rows, such as 1/9, if the folds do not show it.")
@option("--dataset COLUMN", "Column of the data set.")
@option("--classifier COLUMN", "Column of the classifier.")
@option("--repeat COLUMN", "Column of the repeat.")
@option("--fold COLUMN", "Column of the fold.")
@option("--value COLUMN", "Column of the values.")
@how_files_are_read
@option("--on NAME", "Compare on this data set only, by its folds.", "only")
@page_and_json(
    "results.html", "the page, or the critical-difference diagram if the name ends in .svg"
)
def results(
    table: str,
    ratio: str | None,
    only: str | None,
    output: str | None,
    json_path: str | None,
    **options: Any,
) -> None:
    """Compare classifiers by a TABLE of their results, over folds or data sets.

    TABLE has one row per result: the columns dataset and classifier, repeat (or seed) and fold if
    there are several, then one column per metric, or metric and value. One data set, which needs no
    column, is judged by its folds, several by the ranks of the classifiers on them.
    """
    try_outputs(table, output, json_path)
    comparison = tm.compare_results(table, ratio=_ratio(ratio), **options)
    if only is not None:
        comparison = comparison.on(only)
    text = comparison.to_json() if json_path == "-" else in_words(comparison)
    diagram = output if output is not None and Path(output).suffix.lower() == ".svg" else None
    written = write_results(comparison, None if diagram else output, json_path)
    if diagram:
        comparison.diagram(diagram)
        written.append(("diagram", diagram))
    show_results(text, written, json_path)


def _ratio(text: str | None) -> float | None:
    """Read a ratio such as 1/9 or 0.25."""
    if text is None:
        return None
    try:
        return float(Fraction(text.replace(" ", "")))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise tm.InputError(f"{text!r} is not a ratio; give a number such as 1/9 or 0.25") from None
