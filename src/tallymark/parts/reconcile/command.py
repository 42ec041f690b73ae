"""The command: tallymark reconcile."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

import tallymark as tm
from tallymark import InputError
from tallymark.cli.group import (
    NOTHING_FOUND,
    columns_of_rows,
    json_flag,
    main,
    one_of,
    option,
    predictions_of,
    show,
    show_each,
)


@main.command(section="Plan and check")
@click.argument("claims", nargs=-1, required=True, metavar="[FILE] METRIC=NUMBER...")
@option("--n N", "How many rows there are.", type=int)
@option("--positives N", "How many of them are positive.", type=int)
@option("--negatives N", "How many of them are negative.", type=int)
@one_of(
    "--rounding",
    ["half", "truncate", "either"],
    default="half",
    text="How the numbers were rounded: to nearest, cut off, or either of these.",
)
@columns_of_rows
@json_flag
def reconcile(
    claims: tuple[str, ...], rounding: str, columns: dict[str, Any], as_json: bool, **rows: Any
) -> None:
    """Find the counts that give stated numbers, or the proof that none do.

    METRIC=NUMBER are numbers as they were printed, such as accuracy=0.9933 recall=100%, and tp=70
    for counts. Exit code 1: nothing fits.

    With a FILE of predictions it is the reverse: which definition of METRIC (class, average,
    parameter, rule for 0/0) gives NUMBER there.
    """
    file, stated = _file_and_claims(claims)
    if file is not None:
        if any(count is not None for count in rows.values()):
            raise InputError(f"--n, --positives and --negatives are counted in {file!r}; leave out")
        ev = predictions_of(file, **columns)
        answers = (tm.which_definition(ev, *s, rounding=rounding) for s in stated.items())
        candidates = [definitions for of_models in answers for definitions in of_models]
        show_each(candidates, as_json=as_json)
        fits = any(c.fitting for c in candidates)
    else:
        reconciliation = tm.reconcile(stated, rounding=rounding, **rows)
        show(reconciliation, as_json=as_json)
        fits = bool(reconciliation.readings)
    if not fits:
        sys.exit(NOTHING_FOUND)


def _file_and_claims(claims: tuple[str, ...]) -> tuple[str | None, dict[str, str]]:
    from tallymark.parts.reconcile.claims import split_claim

    first, *rest = claims
    named = "=" not in first or "://" in first or Path(first).is_file()
    file = first if named else None
    stated: dict[str, str] = {}
    for text in rest if file is not None else claims:
        name, number = split_claim(text)
        if name in stated:
            raise InputError(f"{name} is stated twice; state it once")
        stated[name] = number
    if not stated:
        raise InputError(f"there is no claim for {file!r}; add one, such as f1=0.871")
    return file, stated
