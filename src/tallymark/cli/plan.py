"""The commands that plan an evaluation: how many rows it takes, or what so many will tell."""

from __future__ import annotations

from typing import Any

import click

from tallymark.cli.group import json_flag, main, one_of, option, read_share, share, show, together

OF_TESTS = together(
    option("--n N", "Rows there are: tells what they reach.", type=int),
    share("--power", "Power wanted of the test; 0.8 unless given."),
    share("--alpha", "Of the test; 0.05 unless given."),
    option("--one-sided", "Test to the side of what is expected alone.", is_flag=True),
    json_flag,
)  # fmt: skip
"""The options that every plan has."""

OF_INTERVALS = together(
    share("--half-width", "Half of the length wanted of the interval."),
    share("--level", "Of the interval; 0.95 unless given."),
    share("--reference", "What to test against, in place of an interval."),
)
"""The options of plans that may be about an interval."""

VARIANCE = option(
    "--variance WORD", "Of an area: binormal unless given, hanley-mcneil or obuchowski."
)


@main.group()
def plan() -> None:
    """Say how many rows an evaluation takes, or what so many will tell."""


def _answer(question: str, *, one_sided: bool, as_json: bool, **asked: Any) -> None:
    """Print what one of the functions of :mod:`tallymark.infer.plan` says."""
    from tallymark.infer import plan as questions

    given = {name: value for name, value in asked.items() if value is not None}
    given["alternative"] = "one-sided" if one_sided else "two-sided"
    show(getattr(questions, question)(**given), as_json=as_json)


@plan.command()
@click.argument("expected", callback=read_share)
@OF_INTERVALS
@one_of("--of", ["positives", "negatives"],
        "The class whose rows count, as positives do for sensitivity.")  # fmt: skip
@share("--prevalence", "The share of positives among all rows.")
@share("--assurance", "The chance with which the rows are to hold enough of the class; on average "
       "unless given.")  # fmt: skip
@OF_TESTS
def proportion(**asked: Any) -> None:
    """Plan for a proportion EXPECTED, such as an accuracy or a sensitivity.

    tallymark plan proportion 90% --half-width 5%

    tallymark plan proportion 0.9 --reference 0.8 --of positives --prevalence 10%
    """
    _answer("proportion", **asked)


@plan.command()
@click.argument("expected", callback=read_share)
@OF_INTERVALS
@share("--prevalence", "The share of positives; 0.5 unless given.")
@VARIANCE
@OF_TESTS
def auc(**asked: Any) -> None:
    """Plan for an area under the ROC curve EXPECTED.

    tallymark plan auc 0.8 --half-width 0.05 --prevalence 20%

    tallymark plan auc 0.7 --reference 0.5
    """
    _answer("auc", **asked)


@plan.command("auc-difference")
@click.argument("first", callback=read_share)
@click.argument("second", callback=read_share)
@option("--correlation R", "Of the two estimated areas.", type=float)
@option("--score-correlation R", "Of the two models' scores within a class.", type=float)
@option("--pilot VARIANCE VARIANCE COVARIANCE POSITIVES NEGATIVES",
        "Of both areas on a pilot's rows, as by DeLong.",
        type=(float, float, float, int, int))  # fmt: skip
@share("--margin", "Show that the second is less than this below the first: non-inferiority.")
@share("--prevalence", "The share of positives; 0.5 unless given, or the pilot's.")
@VARIANCE
@OF_TESTS
def auc_difference(pilot: Any, **asked: Any) -> None:
    """Plan for two models' areas FIRST and SECOND on the same rows.

    One of --correlation, --score-correlation and --pilot says how the models go together.

    tallymark plan auc-difference 0.80 0.85 --score-correlation 0.6
    """
    from tallymark.infer.plan import Pilot

    _answer("auc_difference", **asked, pilot=None if pilot is None else Pilot(*pilot))


@plan.command()
@click.argument("only_first", callback=read_share)
@click.argument("only_second", callback=read_share)
@one_of("--test", ["exact", "mid-p", "asymptotic"], "Which of McNemar's tests.", default="exact")
@OF_TESTS
def mcnemar(**asked: Any) -> None:
    """Plan for McNemar's test of two classifiers on the same rows.

    ONLY_FIRST and ONLY_SECOND are the shares of rows on which one alone is right.

    tallymark plan mcnemar 10% 5%
    """
    _answer("mcnemar", **asked)
