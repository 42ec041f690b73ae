"""The command that judges a confusion matrix."""

from __future__ import annotations

import math
import re
from typing import Any

import click

import tallymark as tm
from tallymark.cli import judge
from tallymark.cli.group import (
    how_sure,
    in_words,
    main,
    one_of,
    option,
    page_and_json,
    print_format,
    read_labels,
    share,
    show_results,
    try_outputs,
)

MOST_CLASSES, MOST_IN_A_SUMMARY = 12, 5
"""Most classes of which the matrix is printed before all numbers, and before a summary."""


@main.command(section="Judge")
@click.argument("counts", nargs=-1, required=True, metavar="COUNTS... | FILE")
@option(
    "--classes A,B,C",
    "The classes, in the order of the rows (default 0,1,2 and so on).",
    callback=read_labels,
)
@option("--positive LABEL", "The positive one of two classes (default 1 if they are 0 and 1).")
@option(
    "--rows",
    "What the rows are (default: as their names say, else the true classes).",
    "rows_are",
    type=click.Choice(["truth", "prediction"]),
)
@one_of(
    "--order",
    ["rows", "textbook"],
    default="rows",
    text="The order of four COUNTS: row by row of the classes, or TP FN FP TN.",
)
@share("--prevalence", "The prevalence in the field, such as 0.01 or 1%.")
@how_sure("Confidence level of the intervals, between 0 and 1.", "Seed of the resampled intervals.")
@one_of(
    "--use",
    judge.USES,
    "What the classifier is for; decides which metrics come first and what they are called.",
)
@judge.formulas_as_printed
@judge.whole_text
@page_and_json("report.html")
def matrix(
    counts: tuple[str, ...],
    prevalence: float | None,
    as_printed: bool,
    full: bool,
    output: str | None,
    json_path: str | None,
    **options: Any,
) -> None:
    """Judge a confusion matrix: its COUNTS row by row, or a FILE.

    Rows are the true classes, columns the predicted ones. For two classes 0 and 1 the counts are TN
    FP FN TP; with --positive 0, or --order textbook, they are TP FN FP TN. The matrix is printed
    as it was read.

    FILE holds a matrix as CSV, JSON, NumPy or R write or print it, or a classification report of
    scikit-learn, whose counts are rebuilt.

    tallymark matrix 70 30 20 80 --classes sick,healthy --positive sick

    tallymark matrix 70 30 20 80 --order textbook
    """
    try_outputs(None, output, json_path)
    counted = _matrix_of(counts, **options)
    ev = counted.at(prevalence=prevalence)
    more = [judge.errata(ev)] if as_printed else []
    page = {"as_printed": as_printed}
    text, written = judge.results(ev, more, output, json_path, full=full, page=page)
    most = MOST_CLASSES if full else MOST_IN_A_SUMMARY
    if json_path != "-" and print_format() == "text" and len(ev.classes) <= most:
        text = f"{_order_of(counted)}\n\n{text}"
    show_results(text, written, json_path)


def _matrix_of(
    counts: tuple[str, ...],
    *,
    classes: Any,
    positive: str | None,
    order: str,
    **sure: Any,
) -> Any:
    """Return the evaluation of counts, or of the matrix in a file."""
    from tallymark.core import read_texts

    names = None if classes is None else read_texts(classes)
    if len(counts) == 1 and not re.fullmatch(r"[\[\](),;\s\d.]*", counts[0]):
        if order == "textbook":
            raise tm.InputError("order='textbook' is for four counts, not for a file; leave it out")
        return tm.matrix(counts[0], classes=names, positive=positive, **sure)
    if len(counts) == 1:  # 70,30,20,80 or [[70, 30], [20, 80]]
        counts = tuple(re.sub(r"[\[\](),;]", " ", counts[0]).split())
    cells, k = [_count(text) for text in counts], math.isqrt(len(counts))
    if k < 2 or k * k != len(cells):
        raise tm.InputError(
            f"there {'is one count' if len(cells) == 1 else f'are {len(cells)} counts'}; give K "
            "times K of them row by row, such as 4 of two classes or 9 of three"
        )
    if order == "textbook":
        if k != 2 or positive is not None:
            raise tm.InputError(
                "order='textbook' is TP FN FP TN of two classes, the first of them positive; give "
                "four counts, and leave positive=... out"
            )
        names = [1, 0] if names is None else names
        positive = names[0]
    table = [cells[i * k : i * k + k] for i in range(k)]
    try:
        return tm.matrix(table, classes=names, positive=positive, **sure)
    except tm.InputError as refused:
        raise tm.InputError(str(refused).replace("rows_are=", "rows=")) from None


def _order_of(ev: Any) -> str:
    """Return the counts as a small table, those of two classes with TP, FN, FP and TN."""
    from tallymark.core import Listing

    counts = ev.models[0].labels.counts
    names = {(True, True): "TP", (True, False): "FN", (False, True): "FP", (False, False): "TN"}
    lines = []
    for true, row in zip(ev.classes, counts, strict=True):
        line = {"": f"true {true}"}
        for predicted, n in zip(ev.classes, row, strict=True):
            name = names[true == ev.positive, predicted == ev.positive] if ev.binary else ""
            line[f"predicted {predicted}"] = f"{name} {n:,.0f}".strip()
        lines.append(line)
    return in_words(Listing(tuple(lines))).rstrip()


def _count(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise tm.InputError(
            f"{text!r} is not a count; give whole numbers, without separators, such as 1000"
        ) from None
