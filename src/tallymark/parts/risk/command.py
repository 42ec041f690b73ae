"""The command: tallymark refer."""

from __future__ import annotations

from typing import Any

import click

import tallymark as tm
from tallymark.cli.group import (
    NUMBER_OR_PERCENT,
    columns_of_rows,
    how_sure,
    json_flag,
    main,
    option,
    predictions_of,
    print_format,
    read_share,
    show_each,
    tell,
    try_outputs,
    words_given,
)
from tallymark.core import STANDARD_OUTPUT, write_text

_OF_TABLE = ("truth", "pred", "missing", "header", "sheet")
"""What is read beside a column of confidence."""


def _read_shares(ctx: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> Any:
    shares = [read_share(ctx, parameter, text) for text in texts]
    return shares[0] if len(shares) == 1 else shares


@main.command(section="Decide")
@click.argument("file", type=click.Path())
@option(
    "--risk R",
    "The largest share of wrong answers that is acceptable, such as 0.02 or 2%; repeatable.",
    multiple=True,
    callback=_read_shares,
)
@option(
    "--assurance P",
    "The confidence that the risk on new cases is at most R.",
    type=NUMBER_OR_PERCENT,
    default=0.9,
)
@option(
    "--confidence COLUMN",
    "Column of the confidence of each prediction (default: the probability of the predicted "
    "class).",
)
@option(
    "--sets COLUMN",
    "Judge prediction sets instead: the column of the classes in each set, such as a,b; empty "
    "where a set is.",
)
@option(
    "--p-values COLUMN",
    "Instead of --sets, the column of the p-value of a class, named after it or in the order of "
    "--classes; repeatable, one for each class. A set holds the classes above --alpha.",
    multiple=True,
)
@option(
    "--alpha A",
    "The share of sets that may miss the true class, such as 0.1 or 10%.",
    callback=read_share,
)
@option(
    "--calibration-rows N",
    "With --alpha, the rows that the sets were calibrated on: says whether their coverage is too "
    "low to be chance.",
    type=click.IntRange(1),
)
@option("-o --output PAGE", "Write the curve and all numbers as HTML.", type=click.Path())
@columns_of_rows
@how_sure("Confidence level of the intervals, between 0 and 1.")
@json_flag
def refer(
    file: str,
    risk: float | list[float],
    assurance: float,
    confidence: str | None,
    columns: dict[str, Any],
    level: float,
    output: str | None,
    as_json: bool,
    **sets: Any,
) -> None:
    """Say how many cases of FILE can be answered at a risk, and which to refer to a human.

    FILE has a line for each case, with its true class and its scores, or with its predicted class
    and --confidence. With --sets or --p-values it says how often prediction sets hold the true
    class.
    """
    try_outputs(file, output, None)
    if any(v is not None and v != () for v in sets.values()):
        if risk or confidence is not None or output is not None:
            raise tm.InputError(
                "risk=..., confidence=... and output=... are of answers, and these are prediction "
                "sets; leave them out"
            )
        show_each([_of_sets(file, columns, level, **sets)], as_json=as_json)
        return
    answers: list[Any]
    if confidence is None:
        ev = predictions_of(file, level=level, **columns)
        answers = [ev.model(name) for name in ev.names]
    else:
        answers = [_of_column(file, confidence, columns)]
    how = {"assurance": assurance, "level": level}
    referrals = [tm.refer(each, risk, **how) for each in answers]
    if output is not None:
        from tallymark.parts.risk.page import render  # it needs NumPy, and --help does not

        write_text(output, render(referrals))
    if output == STANDARD_OUTPUT:
        return
    show_each(referrals, as_json=as_json)
    if output is not None:
        tell(f"page: {output}", err=as_json or print_format() != "text")


def _of_sets(
    file: str,
    columns: dict[str, Any],
    level: float,
    sets: str | None,
    p_values: tuple[str, ...],
    alpha: float | None,
    calibration_rows: int | None,
) -> Any:
    """Return what prediction sets of a file show."""
    how = {w: v for w, v in _read_alone(columns, ("pred", "missing"), "sets").items() if v}
    if p_values:
        how |= {"p_values": list(p_values), "alpha": alpha}
    tally = tm.SetTally.from_table(file, sets=sets, **how)
    return tm.prediction_sets(tally, alpha=alpha, calibration_rows=calibration_rows, level=level)


def _read_alone(columns: dict[str, Any], but: tuple[str, ...], beside: str) -> dict[str, Any]:
    """Return the options that go with what is read beside the true class; refuse the others."""
    given = words_given(columns)
    of_table = [word for word in (*_OF_TABLE, "classes") if word not in but]
    for word in given:
        if word not in of_table and given[word] not in ((), [], "error"):
            raise tm.InputError(f"{word}=... does not go with {beside}=...; leave one out")
    return {word: given[word] for word in of_table if word in given}


def _of_column(file: str, confidence: str, columns: dict[str, Any]) -> tm.AnswerTally:
    """Return the answers of a file with a column of confidence."""
    how = _read_alone(columns, ("classes",), "confidence")
    if isinstance(how.get("pred"), list):
        if len(how["pred"]) > 1:
            raise tm.InputError(
                "confidence=... is of one prediction; name one column with pred=..."
            )
        (how["pred"],) = how["pred"]
    return tm.AnswerTally.from_table(file, confidence=confidence, **how)
