"""The command that holds stated numbers against each other, or against a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from tallymark.cli.group import NOTHING_FOUND, columns_of_rows, json_flag, main, print_json
from tallymark.errors import InputError


@main.command()
@click.argument("claims", nargs=-1, required=True, metavar="[FILE] METRIC=NUMBER...")
@click.option("--n", "n", type=int, metavar="N", help="How many rows there are.")
@click.option("--positives", type=int, metavar="N", help="How many of them are positive.")
@click.option("--negatives", type=int, metavar="N", help="How many of them are negative.")
@click.option(
    "--rounding",
    type=click.Choice(["half", "truncate", "either"]),
    default="half",
    show_default=True,
    help="How the numbers were rounded: to nearest, cut off, or one of these.",
)
@columns_of_rows
@json_flag
def reconcile(
    claims: tuple[str, ...],
    n: int | None,
    positives: int | None,
    negatives: int | None,
    rounding: str,
    columns: dict[str, Any],
    as_json: bool,
) -> None:
    """Find the counts that give stated numbers, or the proof that none do.

    METRIC=NUMBER are numbers as they were printed, such as accuracy=0.9933 recall=100%, and tp=70
    for counts. Exit code 1 says that nothing fits.

    With a FILE of predictions it is the reverse: which definition of METRIC (class, average,
    parameter, rule for 0/0) gives NUMBER there.
    """
    file, stated = _file_and_claims(claims)
    if file is not None:
        if n is not None or positives is not None or negatives is not None:
            raise InputError(f"--n, --positives and --negatives are counted in {file!r}; leave out")
        _definitions(file, stated, columns, rounding, as_json)
        return
    from tallymark.studies.claims import reconcile as solve

    found = solve(stated, n=n, positives=positives, negatives=negatives, rounding=rounding)
    _print(found.to_dict() if as_json else str(found))
    if not found.readings:
        sys.exit(NOTHING_FOUND)


def _file_and_claims(claims: tuple[str, ...]) -> tuple[str | None, dict[str, str]]:
    from tallymark.studies.claims import split_claim

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
        raise InputError(f"there is no claim beside {file!r}; add one, such as f1=0.871")
    return file, stated


def _definitions(
    file: str, stated: dict[str, str], columns: dict[str, Any], rounding: str, as_json: bool
) -> None:
    from tallymark.api import evaluate
    from tallymark.report.like import which_definition

    ev = evaluate(file, **columns)
    found = [
        told
        for metric, number in stated.items()
        for told in which_definition(ev, metric, number, rounding=rounding)
    ]
    if as_json:
        _print([f.to_dict() for f in found])
    else:
        click.echo("\n\n".join(map(str, found)))
    if not any(f.fitting for f in found):
        sys.exit(NOTHING_FOUND)


def _print(found: Any) -> None:
    if isinstance(found, str):
        click.echo(found)
        return
    print_json(found)
