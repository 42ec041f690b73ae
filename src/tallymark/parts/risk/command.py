"""The command: tallymark refer."""

from __future__ import annotations

from typing import Any

import click

import tallymark as tm
from tallymark.cli.group import (
    columns_of_rows,
    how_sure,
    json_flag,
    main,
    option,
    read_share,
    show_each,
    words_given,
)

_OF_TABLE = ("truth", "pred", "missing", "header", "sheet")
"""What is read beside a column of confidence."""


def _read_shares(ctx: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> Any:
    shares = [read_share(ctx, parameter, text) for text in texts]
    return shares[0] if len(shares) == 1 else shares


@main.command()
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
    type=float,
    default=0.9,
)
@option(
    "--confidence COLUMN",
    "Column of the confidence of each prediction (default: the probability of the predicted "
    "class).",
)
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
    as_json: bool,
) -> None:
    """Say how many cases of FILE can be answered at a risk, and which to refer to a human.

    FILE has a line for each case, with its true class and its scores, or with its predicted class
    and --confidence.
    """
    answers: list[Any]
    if confidence is None:
        ev = tm.evaluate(file, level=level, **columns)
        answers = [ev.model(name) for name in ev.names]
    else:
        answers = [_of_column(file, confidence, columns)]
    how = {"assurance": assurance, "level": level}
    show_each([tm.refer(each, risk, **how) for each in answers], as_json=as_json)


def _of_column(file: str, confidence: str, columns: dict[str, Any]) -> tm.AnswerTally:
    """Return the answers of a file with a column of confidence."""
    given = words_given(columns)
    for word in given:
        if word not in _OF_TABLE and given[word] not in ((), [], "error"):
            raise tm.InputError(f"{word}=... does not go with confidence=...; leave one out")
    how = {word: given[word] for word in _OF_TABLE if word in given}
    if isinstance(how.get("pred"), list):
        if len(how["pred"]) > 1:
            raise tm.InputError(
                "confidence=... is of one prediction; name one column with pred=..."
            )
        (how["pred"],) = how["pred"]
    return tm.AnswerTally.from_table(file, confidence=confidence, **how)
