"""The command that compares classifiers by a table of their results."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from tallymark.cli.group import (
    how_sure,
    main,
    page_and_json,
    show_results,
    try_outputs,
    write_results,
)
from tallymark.errors import InputError


@main.command()
@click.argument("table", type=click.Path())
@click.option("--metric", metavar="NAME",
              help="The metric to compare by, where there are several.")  # fmt: skip
@click.option(
    "--better",
    type=click.Choice(["high", "low"]),
    help="Which values are good; known of tallymark's own metrics.",
)
@click.option("--control", metavar="NAME",
              help="A classifier to hold all others against, in place of all pairs.")  # fmt: skip
@click.option("--rope", type=float, default=0.01, show_default=True, metavar="D",
              help="The largest difference that does not matter, in the metric's "
              "units.")  # fmt: skip
@how_sure(
    "Of intervals; two classifiers are told apart where p is below 1 less it.",
    "Of the Bayesian signed rank test.",
)
@click.option(
    "--test",
    type=click.Choice(["auto", "corrected_t", "5x2_t", "5x2_f", "wilcoxon"]),
    default="auto",
    show_default=True,
    help="Over the folds of one data set; auto is 5x2_f of five repeats of two folds, and the "
    "corrected resampled t of others.",
)
@click.option("--ratio", metavar="R",
              help="Rows tested over rows trained on, such as 1/9, where folds do not "
              "tell.")  # fmt: skip
@click.option("--dataset", metavar="COLUMN", help="Column of the data set.")
@click.option("--classifier", metavar="COLUMN", help="Column of the classifier.")
@click.option("--repeat", metavar="COLUMN", help="Column of the repeat.")
@click.option("--fold", metavar="COLUMN", help="Column of the fold.")
@click.option("--value", metavar="COLUMN", help="Column of the values.")
@click.option("--on", "only", metavar="NAME", help="One data set alone, by its folds.")
@page_and_json(
    "results.html", "the page, or the critical-difference diagram if the name ends in .svg"
)
def results(
    table: str,
    ratio: str | None,
    only: str | None,
    output: str | None,
    json_path: str | None,
    **asked: Any,
) -> None:
    """Compare classifiers by a TABLE of their results, over folds or data sets.

    TABLE has a row a result: columns dataset, classifier, if there are several of them repeat and
    fold, then one a metric, or metric and value. One data set is judged by its folds, several by
    the ranks of the classifiers on them.
    """
    try_outputs(table, output, json_path)
    from tallymark.studies.model_comparison import compare_results

    found = compare_results(table, ratio=_ratio(ratio), **asked)
    if only is not None:
        found = found.on(only)
    text = found.to_json() if json_path == "-" else str(found)
    drawn = output is not None and Path(output).suffix.lower() == ".svg"
    show_results(text, write_results(found, output, json_path, diagram=drawn), json_path)


def _ratio(text: str | None) -> float | None:
    """Read a ratio such as 1/9 or 0.25."""
    if text is None:
        return None
    try:
        return float(Fraction(text.replace(" ", "")))
    except (ValueError, ZeroDivisionError):
        raise InputError(f"{text!r} is no ratio; give a number such as 1/9 or 0.25") from None
