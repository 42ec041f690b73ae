"""The commands: tallymark judge, tallymark label-next."""

from __future__ import annotations

from typing import Any

import click

import tallymark as tm
from tallymark import InputError
from tallymark.cli.group import (
    NUMBER_OR_PERCENT,
    how_files_are_read,
    how_sure,
    json_flag,
    main,
    one_of,
    option,
    print_format,
    print_json,
    read_labels,
    show,
    show_rows,
    tell,
    together,
    try_outputs,
)
from tallymark.core import STANDARD_OUTPUT

_OF_LABELS = together(
    option("--positive LABEL", "The positive one of two classes."),
    option(
        "--classes A,B,C",
        "The classes; other values of the judge, such as unsure, may stand beside them.",
        callback=read_labels,
    ),
    option(
        "--weight COLUMN",
        "Column with the weight of each labelled row: the inverse of the probability with which "
        "it was chosen.",
    ),
    one_of(
        "--sampled-by",
        ["judge", "pred", "both"],
        text="What decided which rows were labelled (default: chance alone).",
    ),
    option(
        "--labels TABLE",
        "File with the true classes, and the item of each; they are joined by item, and by model, "
        "task and epoch where both have them.",
        type=click.Path(),
    ),
    option("--item COLUMN", "Column that names the item (default: item)."),
)

_OF_MODELS = together(
    option(
        "--pred COLUMN",
        "Column of the predicted class; repeatable. Without it and --score, the share of each "
        "class is estimated, such as a pass rate.",
        multiple=True,
    ),
    option(
        "--score COLUMN",
        "Column of the score of the positive one of two classes; repeatable, one for each --pred.",
        multiple=True,
    ),
    option(
        "--threshold NUMBER",
        "From which score on a row is predicted positive, without --pred (default 0.5).",
        type=NUMBER_OR_PERCENT,
    ),
    option(
        "--inputs COLUMN",
        "A column that the model reads; repeatable. A judge among them is refused.",
        multiple=True,
    ),
)

_OF_FILE = together(
    option("--truth COLUMN", "Column of the true class, missing in most rows."),
    option("--judge COLUMN", "Column of the judge's value, in every row.", required=True),
    _OF_MODELS,
    _OF_LABELS,
)


@main.command(section="Language models and raters")
@click.argument("files", nargs=-1, required=True, type=click.Path())
@option(
    "--truth COLUMN",
    "Column of the true class, missing in most rows; with --labels one of theirs. Repeatable, as "
    "--judge.",
    multiple=True,
)
@option(
    "--judge COLUMN",
    "Column of the judge's value, in every row. Repeatable: one for each of several models side by "
    "side. Logs need none.",
    multiple=True,
)
@_OF_MODELS
@_OF_LABELS
@option("--model COLUMN", "Column of the model: compare pass rates on the same items.")
@option(
    "--cluster COLUMN",
    "With several models, the column that says which items belong together, such as the text.",
)
@option("--scorer NAME", "Of logs with several scorers, the one that is the judge.")
@option("--subgroup COLUMN", "Column whose values define subgroups.")
@option(
    "--order COLUMN",
    "Column with two values, such as which answer the judge saw first: whether its errors depend "
    "on it.",
)
@option(
    "--length COLUMN",
    "Column of the length of what was judged: whether the judge's errors depend on it.",
)
@option("--metric METRIC", "A metric to show; repeatable.", "metrics", multiple=True)
@option("--use USE", "Show the metrics of an application, such as medicine.")
@option("-o --output PAGE", "Write everything as HTML.", type=click.Path())
@how_files_are_read
@how_sure("Confidence level of the intervals.", "Seed of the random draws.")
@json_flag
def judge(files: tuple[str, ...], output: str | None, as_json: bool, **columns: Any) -> None:
    """Judge models in FILES by a judge on every row and true classes of few.

    The judge may be a language model, a second model or a cheap test, and need not be right: the
    labelled rows show how often it is. Without --pred it gives the share of each class, such as the
    pass rate, corrected for the judge's errors.

    With --model, several --judge or logs, models are ranked by their pass rates on the same items.
    Of several files without a column of models, each is a model.

    tallymark judge graded.csv --truth human --judge gpt --model model

    tallymark judge a.eval b.eval --labels labels.csv
    """
    for name in _SEVERAL:
        columns[name] = list(columns[name]) or None
    data: Any = files[0] if len(files) == 1 else list(files)
    for file in files:
        try_outputs(file, output, None)
    result = (_ranked if _of_models(files, columns) else _judged)(data, columns)
    if output is not None:
        result.report(output)
    if output == STANDARD_OUTPUT:
        return
    show(result, as_json=as_json)
    if output is not None:
        tell(f"page: {output}", err=as_json or print_format() != "text")


_SEVERAL = ("truth", "judge", "pred", "score", "inputs", "metrics")

_OF_PREDICTIONS = (
    *("pred", "score", "threshold", "inputs", "subgroup", "order", "length", "metrics", "use"),
)
"""Options that models compared by their pass rates do not have."""

_OF_BOARDS = ("model", "cluster", "scorer")
"""The command-line options for comparing models by their pass rates."""


def _of_models(files: tuple[str, ...], columns: dict[str, Any]) -> bool:
    """Tell whether models are compared by their pass rates."""
    judges, predicted = columns["judge"] or [], bool(columns["pred"] or columns["score"])
    several = not predicted and (len(files) > 1 or not judges)
    named = any(columns[name] is not None for name in _OF_BOARDS)
    return named or len(judges) > 1 or several


def _ranked(data: Any, columns: dict[str, Any]) -> Any:
    for name in _OF_PREDICTIONS:
        if columns.pop(name) is not None:
            raise InputError(
                f"{name} is for one table of predictions, and models are compared by their pass "
                f"rates; leave {name}=... out"
            )
    return tm.judged_evals(data, **columns)


def _judged(data: Any, columns: dict[str, Any]) -> Any:
    for name in _OF_BOARDS:
        columns.pop(name)
    for name in ("truth", "judge"):
        if isinstance(columns[name], list):
            if len(columns[name]) > 1:
                raise InputError(f"{name} names several columns; name one with {name}=...")
            (columns[name],) = columns[name]
    columns["inputs"] = columns["inputs"] or ()
    return tm.few_labels(data, **columns)


@main.command("label-next", section="Language models and raters")
@click.argument("file", type=click.Path())
@_OF_FILE
@option("-n N", "How many rows to label.", type=click.IntRange(1))
@option("--metric METRIC", "The metric whose interval is to be narrow (default accuracy).")
@option("--model COLUMN", "Whose metric it is, if there are several models.")
@option(
    "--width WIDTH",
    "Say how many labels in all give an interval of this width, such as 0.1 for ±0.05.",
    type=float,
)
@option(
    "-o PATH",
    "Write the rows, numbered from 1 below the header, to a CSV file, instead of printing them.",
    "out",
    type=click.Path(),
)
@how_files_are_read
@how_sure("Confidence level of the interval.", "Seed of the choice of rows.")
@json_flag
def label_next(
    file: str,
    n: int | None,
    metric: str | None,
    model: str | None,
    width: float | None,
    out: str | None,
    as_json: bool,
    **columns: Any,
) -> None:
    """Choose which rows of FILE to label next, so that an interval gets narrow."""
    if n is None and width is None:
        raise InputError("there is nothing to do; give -n 50, --width 0.1 or both")
    if n is None and out is not None:
        raise InputError("-o writes the rows to label; give -n 50 as well")
    try_outputs(file, out, None)
    columns |= {name: list(columns[name]) or None for name in ("pred", "score")}
    result = tm.few_labels(file, **columns)
    needed: dict[str, int] = {}
    if width is not None:
        for way, chosen in (("at_random", False), ("chosen", True)):
            needed[way] = result.labels_needed(width, metric=metric, model=model, allocated=chosen)
        sentence = (
            f"An interval of width {width:g} needs about {needed['at_random']:,} labels in all at "
            f"random, or {needed['chosen']:,} chosen by this command; there are "
            f"{result.labelled:,}."
        )
        tell(sentence, err=as_json or n is not None)
    if n is None:
        if as_json:
            print_json({"labels_needed": needed})
        return
    rows = result.label_next(n, metric=metric, model=model)
    by = "both" if result.models else "judge"
    tell(f"When they are labelled, judge with --sampled-by {by}.", err=True)
    if out is not None:
        rows.to_csv(out)
        tell(f"{len(rows):,} rows to label are in {out}.", err=as_json)
    elif as_json:
        print_json({"rows": rows.to_dicts(), **({"labels_needed": needed} if needed else {})})
    else:
        show_rows(rows)
