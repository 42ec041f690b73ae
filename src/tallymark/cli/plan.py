"""The commands that plan an evaluation: how many rows it takes, or what so many will tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from tallymark.cli.group import json_flag, main, share_of, show

Command = Callable[..., None]


def _read(context: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    return share_of(text)


def _share(name: str, text: str) -> Callable[[Command], Command]:
    """Return an option that takes a share such as 0.05 or 5%."""
    return click.option(name, callback=_read, metavar="SHARE", help=text)


def _rows(command: Command) -> Command:
    """Give a command the options that every plan has."""
    for option in reversed((
        click.option("--n", "n", type=int, metavar="N",
                     help="Rows there are: tells what they reach."),
        _share("--power", "Power wanted of the test; 0.8 unless given."),
        _share("--alpha", "Of the test; 0.05 unless given."),
        click.option("--one-sided", is_flag=True,
                     help="Test to the side of what is expected alone."),
        json_flag,
    )):  # fmt: skip
        command = option(command)
    return command


def _interval(command: Command) -> Command:
    """Give a command the options of plans that may be about an interval."""
    for option in reversed((
        _share("--half-width", "Half of the length wanted of the interval."),
        _share("--level", "Of the interval; 0.95 unless given."),
        _share("--reference", "What to test against, in place of an interval."),
    )):  # fmt: skip
        command = option(command)
    return command


VARIANCE = click.option(
    "--variance",
    metavar="WORD",
    help="Of an area: binormal unless given, hanley-mcneil or obuchowski.",
)


@main.group()
def plan() -> None:
    """Say how many rows an evaluation takes, or what so many will tell."""


@plan.command()
@click.argument("expected", callback=_read)
@_interval
@click.option(
    "--of",
    type=click.Choice(["positives", "negatives"]),
    help="The class whose rows count, as positives do for sensitivity.",
)
@_share("--prevalence", "The share of positives among all rows.")
@_share(
    "--assurance",
    "The chance with which the rows are to hold enough of the class; on average unless given.",
)
@_rows
def proportion(one_sided: bool, as_json: bool, **asked: Any) -> None:
    """Plan for a proportion EXPECTED, such as an accuracy or a sensitivity.

    tallymark plan proportion 90% --half-width 5%

    tallymark plan proportion 0.9 --reference 0.8 --of positives --prevalence 10%
    """
    from tallymark.infer.plan import proportion as ask

    show(ask(**asked, alternative=_side(one_sided)), as_json=as_json)


@plan.command()
@click.argument("expected", callback=_read)
@_interval
@_share("--prevalence", "The share of positives; 0.5 unless given.")
@VARIANCE
@_rows
def auc(one_sided: bool, as_json: bool, **asked: Any) -> None:
    """Plan for an area under the ROC curve EXPECTED.

    tallymark plan auc 0.8 --half-width 0.05 --prevalence 20%

    tallymark plan auc 0.7 --reference 0.5
    """
    from tallymark.infer.plan import auc as ask

    show(ask(**_given(asked), alternative=_side(one_sided)), as_json=as_json)


@plan.command("auc-difference")
@click.argument("first", callback=_read)
@click.argument("second", callback=_read)
@click.option("--correlation", type=float, metavar="R", help="Of the two estimated areas.")
@click.option(
    "--score-correlation",
    type=float,
    metavar="R",
    help="Of the two models' scores within a class.",
)
@click.option(
    "--pilot",
    type=(float, float, float, int, int),
    metavar="VARIANCE VARIANCE COVARIANCE POSITIVES NEGATIVES",
    help="Of both areas on a pilot's rows, as by DeLong.",
)
@_share(
    "--margin",
    "Show that the second is less than this below the first: non-inferiority.",
)
@_share("--prevalence", "The share of positives; 0.5 unless given, or the pilot's.")
@VARIANCE
@_rows
def auc_difference(one_sided: bool, as_json: bool, pilot: Any, **asked: Any) -> None:
    """Plan for two models' areas FIRST and SECOND on the same rows.

    One of --correlation, --score-correlation and --pilot says how the models go together.

    tallymark plan auc-difference 0.80 0.85 --score-correlation 0.6
    """
    from tallymark.infer.plan import Pilot
    from tallymark.infer.plan import auc_difference as ask

    measured = None if pilot is None else Pilot(*pilot)
    show(ask(**_given(asked), pilot=measured, alternative=_side(one_sided)), as_json=as_json)


@plan.command()
@click.argument("only_first", callback=_read)
@click.argument("only_second", callback=_read)
@click.option(
    "--test",
    type=click.Choice(["exact", "mid-p", "asymptotic"]),
    default="exact",
    show_default=True,
    help="Which of McNemar's tests.",
)
@_rows
def mcnemar(one_sided: bool, as_json: bool, **asked: Any) -> None:
    """Plan for McNemar's test of two classifiers on the same rows.

    ONLY_FIRST and ONLY_SECOND are the shares of rows on which one alone is right.

    tallymark plan mcnemar 10% 5%
    """
    from tallymark.infer.plan import mcnemar as ask

    show(ask(**_given(asked), alternative=_side(one_sided)), as_json=as_json)


def _given(asked: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in asked.items() if v is not None}


def _side(one_sided: bool) -> str:
    return "one-sided" if one_sided else "two-sided"
