"""Commands about tables of results: compare classifiers, and study which metrics are redundant."""

from __future__ import annotations

from fractions import Fraction
from glob import has_magic
from pathlib import Path
from typing import Any

import click

import tallymark as tm
from tallymark.cli.group import (
    header_option,
    how_files_are_read,
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
from tallymark.part import answer


@main.command()
@click.argument("table", type=click.Path())
@option("--metric NAME", "The metric to compare by, if there are several.")
@one_of("--better", ["high", "low"], "Which values are better; known for tallymark's own metrics.")
@option(
    "--control NAME", "A classifier to compare all others with, instead of comparing all pairs."
)
@option(
    "--rope D",
    "The largest difference that does not matter, in units of the metric.",
    type=float,
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
    **asked: Any,
) -> None:
    """Compare classifiers by a TABLE of their results, over folds or data sets.

    TABLE has one row per result: the columns dataset and classifier, repeat (or seed) and fold if
    there are several, then one column per metric, or metric and value. One data set, which needs no
    column, is judged by its folds, several by the ranks of the classifiers on them.
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
        raise InputError(f"{text!r} is not a ratio; give a number such as 1/9 or 0.25") from None


@main.command()
@click.argument("source", type=click.Path(), metavar="DIR_OR_TABLE")
@one_of(
    "--unit",
    ["repeat", "pooled", "fold"],
    "What one result is: the mean over a repeat's folds (the default where there are folds), "
    "the pooled predictions of a repeat, or a single fold.",
)
@page_and_json("study.html")
@option("--metric NAME", "A metric of the table to include; repeatable.", "metrics", multiple=True)
@one_of(
    "--constant",
    ["skip", "one"],
    default="skip",
    text="If a metric does not vary: skip the pair, or set its correlation to 1.",
)
@option(
    "--large ROWS",
    "Number of rows from which a data set is large (default 3000).",
    type=click.IntRange(1),
)
@option(
    "--balanced SHARE",
    "Share of the smaller class from which a data set is balanced (default 0.4).",
    type=click.FloatRange(0, 0.5),
)
@option(
    "--cut R",
    "Group metrics whose mean correlation is at least this (default: chosen by the silhouette).",
    type=float,
)
@option(
    "--composite NAME=METRIC+METRIC",
    "A mean of metrics that might represent all others, a loss entering as 1 - loss; repeatable.",
    "composites",
    multiple=True,
)
@option(
    "--against NAME",
    "A metric to represent (default: the seven of Liu et al.); repeatable.",
    multiple=True,
)
@option("--repeats N", "Repeats of the experiment (default 10).", type=click.IntRange(1))
@option("--folds K", "Folds of the experiment (default 10).", type=click.IntRange(2))
@option(
    "--algorithm NAME", "An algorithm of the experiment; repeatable.", "algorithms", multiple=True
)
@option(
    "--target NAME=COLUMN",
    "The class column of a data set of the experiment (default: the last); repeatable.",
    "targets",
    multiple=True,
)
@option(
    "--positive NAME=CLASS",
    "The positive class of a data set of the experiment (default: the first of an ARFF "
    "header, 1 or true, or the first when sorted); repeatable.",
    multiple=True,
)
@header_option
@option("--jobs N", "Processes that the experiment runs at once.", type=click.IntRange(1))
@option("--seed N", "Seed of the experiment (default 0).", type=click.IntRange(0))
@option(
    "--results FILE",
    "A CSV file for the table of the experiment; if it exists, the experiment resumes.",
    type=click.Path(),
)
def study(
    source: str, output: str | None, json_path: str | None, metrics: tuple[str, ...], **given: Any
) -> None:
    """Study which metrics carry the same information.

    DIR_OR_TABLE is a table of results (columns dataset, algorithm, repeat and fold, then one per
    metric, or metric and value), or a folder of data sets or one of their files, on which the
    experiment is run first.
    """
    several = {name: list(value) for name, value in given.items() if isinstance(value, tuple)}
    given = {name: value for name, value in (given | several).items() if value not in (None, [])}
    experiment = [name for name in given if name not in _OF_RELATIONS]
    if experiment and answer("results", source, given.get("results")) is None:
        if not Path(source).exists() and not has_magic(source):
            raise InputError(f"there is no folder or file {source!r}; check the path")
        options = {p.name: p.opts[0] for p in click.get_current_context().command.params}
        raise InputError(
            f"{options[experiment[0]]} is an option of the experiment, and {source!r} is a table "
            "of results; give a folder of data sets, or leave it out"
        )
    try_outputs(source, output, json_path, given.get("results"))
    for name, what, such in (
        ("targets", "COLUMN", "colic=surgical_lesion"),
        ("positive", "CLASS", "colic=yes"),
        ("composites", "METRIC+METRIC", "both=accuracy+roc_auc"),
    ):
        if name in given:
            given[name] = _by_name(name.removesuffix("s"), given[name], what, such)
    if "composites" in given:
        parts = {name: text.split("+") for name, text in given["composites"].items()}
        given["composites"] = parts
    with progress("running the experiment") as report:
        found = tm.study(source, metrics=list(metrics) or None, progress=report, **given)
        text = found.to_json() if json_path == "-" else in_words(found)
        made = write_results(found, output, json_path)
    show_results(text, made, json_path)


_OF_RELATIONS = ("unit", "constant", "large", "balanced", "cut", "composites", "against")


def _by_name(option: str, stated: list[str], what: str, such: str) -> dict[str, str]:
    named = {}
    for text in stated:
        name, sign, value = text.partition("=")
        if not (name and sign and value):
            raise InputError(f"--{option} {text!r} is not NAME={what}, such as {such}")
        named[name] = value
    return named
