"""Commands about tables of results: compare classifiers, and study which metrics say the same."""

from __future__ import annotations

from fractions import Fraction
from glob import has_magic
from pathlib import Path
from typing import Any

import click

import tallymark as tm
from tallymark.cli.group import (
    how_sure,
    in_words,
    main,
    one_of,
    option,
    page_and_json,
    progress,
    show_results,
    try_outputs,
    write_results,
)
from tallymark.errors import InputError


@main.command()
@click.argument("table", type=click.Path())
@option("--metric NAME", "The metric to compare by, where there are several.")
@one_of("--better", ["high", "low"],
        "Which values are good; known of tallymark's own metrics.")  # fmt: skip
@option("--control NAME", "A classifier to hold all others against, in place of all pairs.")
@option("--rope D",
        "The largest difference that does not matter, in the metric's units.",
        type=float, default=0.01)  # fmt: skip
@how_sure("Of intervals; two classifiers differ significantly where p is below 1 minus it.",
          "Of the Bayesian signed rank test.")  # fmt: skip
@one_of("--test", ["auto", "corrected_t", "5x2_t", "5x2_f", "wilcoxon"], default="auto",
        text="Over the folds of one data set; auto is the corrected resampled t. The 5x2cv tests "
        "find differences too often with few rows.")  # fmt: skip
@option("--ratio R", "Rows tested over rows trained on, such as 1/9, where folds do not tell.")
@option("--dataset COLUMN", "Column of the data set.")
@option("--classifier COLUMN", "Column of the classifier.")
@option("--repeat COLUMN", "Column of the repeat.")
@option("--fold COLUMN", "Column of the fold.")
@option("--value COLUMN", "Column of the values.")
@option("--on NAME", "One data set alone, by its folds.", "only")
@page_and_json("results.html",
               "the page, or the critical-difference diagram if the name ends in .svg")  # fmt: skip
def results(
    table: str, ratio: str | None, only: str | None, output: str | None, json_path: str | None,
    **asked: Any,
) -> None:  # fmt: skip
    """Compare classifiers by a TABLE of their results, over folds or data sets.

    TABLE has a row a result: columns dataset, classifier, if there are several of them repeat and
    fold, then one a metric, or metric and value. One data set is judged by its folds, several by
    the ranks of the classifiers on them.
    """
    try_outputs(table, output, json_path)
    found = tm.compare_results(table, ratio=_ratio(ratio), **asked)
    if only is not None:
        found = found.on(only)
    text = found.to_json() if json_path == "-" else in_words(found)
    drawn = output is not None and Path(output).suffix.lower() == ".svg"
    show_results(text, write_results(found, output, json_path, diagram=drawn), json_path)


def _ratio(text: str | None) -> float | None:
    """Read a ratio such as 1/9 or 0.25."""
    if text is None:
        return None
    try:
        return float(Fraction(text.replace(" ", "")))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise InputError(f"{text!r} is no ratio; give a number such as 1/9 or 0.25") from None


@main.command()
@click.argument("source", type=click.Path(), metavar="DIR_OR_TABLE")
@one_of("--unit", ["repeat", "pooled", "fold"],
        "What one result is: the mean over a repeat's folds (the default where there are folds), "
        "the pooled predictions of a repeat, or a single fold.")  # fmt: skip
@page_and_json("study.html")
@option("--metric NAME",
        "A metric to take, of those in the table; repeatable.",
        "metrics", multiple=True)  # fmt: skip
@one_of("--constant", ["skip", "one"], default="skip",
        text="A metric that does not vary: leave the pair out, or take its correlation for "
        "1.")  # fmt: skip
@option("--large ROWS",
        "Rows from which a data set is large; 3000 unless given.",
        type=click.IntRange(1))  # fmt: skip
@option("--balanced SHARE",
        "Share of the smaller class from which a data set is balanced; 0.4 unless given.",
        type=click.FloatRange(0, 0.5))  # fmt: skip
@option("--cut R",
        "Group metrics that correlate at least so; by the silhouette unless given.",
        type=float)  # fmt: skip
@option("--repeats N", "Of the experiment: repeats; 10 unless given.", type=click.IntRange(1))
@option("--folds K", "Of the experiment: folds; 10 unless given.", type=click.IntRange(2))
@option("--algorithm NAME",
        "Of the experiment: an algorithm; repeatable.", "algorithms", multiple=True)  # fmt: skip
@option("--target NAME=COLUMN",
        "Of the experiment: the column of a data set's class, by default the last; repeatable.",
        "targets", multiple=True)  # fmt: skip
@option("--positive NAME=CLASS",
        "Of the experiment: a data set's positive class; unless given the first of an ARFF "
        "header, 1 or true, or the first when sorted; repeatable.",
        multiple=True)  # fmt: skip
@option("--jobs N", "Of the experiment: processes at once.", type=click.IntRange(1))
@option("--seed N", "Of the experiment: 0 unless given.", type=click.IntRange(0))
@option("--results FILE",
        "Of the experiment: a CSV file for its table; one that is there is gone on with.",
        type=click.Path())  # fmt: skip
def study(
    source: str, output: str | None, json_path: str | None, metrics: tuple[str, ...], **given: Any
) -> None:
    """Study which metrics say the same.

    DIR_OR_TABLE is a table of results (columns dataset, algorithm, repeat and fold, then one a
    metric, or metric and value), or a folder of data sets or one of their files, on which the
    experiment is run first.
    """
    several = {name: list(value) for name, value in given.items() if isinstance(value, tuple)}
    given = {name: value for name, value in (given | several).items() if value not in (None, [])}
    from tallymark.studies.study import data_files

    experiment = [name for name in given if name not in _OF_RELATIONS]
    if experiment and data_files(source, given.get("results")) is None:
        if not Path(source).exists() and not has_magic(source):
            raise InputError(f"there is no folder or file {source!r}; look at the path")
        options = {p.name: p.opts[0] for p in click.get_current_context().command.params}
        raise InputError(
            f"{options[experiment[0]]} is of the experiment, and {source!r} is a table of results; "
            "give a folder of data sets, or leave it out"
        )
    try_outputs(source, output, json_path, given.get("results"))
    for name, what, such in (
        ("targets", "COLUMN", "surgical_lesion"),
        ("positive", "CLASS", "yes"),
    ):
        if name in given:
            given[name] = _by_name(name.removesuffix("s"), given[name], what, such)
    with progress("running the experiment") as report:
        found = tm.study(source, metrics=list(metrics) or None, progress=report, **given)
        text = found.to_json() if json_path == "-" else in_words(found)
        made = write_results(found, output, json_path)
    show_results(text, made, json_path)


_OF_RELATIONS = ("unit", "constant", "large", "balanced", "cut")


def _by_name(option: str, stated: list[str], what: str, such: str) -> dict[str, str]:
    named = {}
    for text in stated:
        name, sign, value = text.partition("=")
        if not (name and sign and value):
            raise InputError(f"--{option} {text!r} is not NAME={what}, such as colic={such}")
        named[name] = value
    return named
