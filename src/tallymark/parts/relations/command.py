"""The command: tallymark study."""

from __future__ import annotations

from glob import has_magic
from pathlib import Path
from typing import Any

import click

import tallymark as tm
from tallymark.cli.group import (
    in_words,
    main,
    named_values,
    one_of,
    option,
    page_and_json,
    progress,
    show_results,
    together,
    try_outputs,
    write_results,
)
from tallymark.core import added, answer

_OF_RELATIONS = ("unit", "constant", "large", "balanced", "cut", "composites", "against")
"""Options that also apply to a table of results; the others are of the experiment."""


@main.command(section="Look up")
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
    callback=named_values("METRIC+METRIC", "both=accuracy+roc_auc"),
)
@option(
    "--against NAME",
    "A metric to represent (default: the seven of Liu et al.); repeatable.",
    multiple=True,
)
@together(*added("results_options"))
def study(
    source: str, output: str | None, json_path: str | None, metrics: tuple[str, ...], **options: Any
) -> None:
    """Study which metrics carry the same information.

    DIR_OR_TABLE is a table of results (columns dataset, algorithm, repeat and fold, then one per
    metric, or metric and value), or a folder of data sets or one of their files, on which the
    experiment is run first.
    """
    options = {name: value for name, value in options.items() if value not in (None, (), {})}
    experiment = [name for name in options if name not in _OF_RELATIONS]
    if experiment and answer("results", source, options.get("results")) is None:
        if not Path(source).exists() and not has_magic(source):
            raise tm.InputError(f"there is no folder or file {source!r}; check the path")
        flags = {p.name: p.opts[0] for p in click.get_current_context().command.params}
        raise tm.InputError(
            f"{flags[experiment[0]]} is an option of the experiment, and {source!r} is a table "
            "of results; give a folder of data sets, or leave it out"
        )
    try_outputs(source, output, json_path, options.get("results"))
    if "composites" in options:
        parts = {name: text.split("+") for name, text in options["composites"].items()}
        options["composites"] = parts
    with progress("running the experiment") as report:
        result = tm.study(source, metrics=metrics or None, progress=report, **options)
        text = result.to_json() if json_path == "-" else in_words(result)
        written = write_results(result, output, json_path)
    show_results(text, written, json_path)
