"""Commands that plan an evaluation: the number of rows, or the precision of a given number."""

from __future__ import annotations

from typing import Any

import click

from tallymark.cli.group import (
    json_flag,
    main,
    one_of,
    option,
    option_group,
    read_share,
    share,
    show,
)

OF_TESTS = option_group(
    "tests",
    option("--n N", "Number of rows you have: says what they can show.", type=int),
    share("--power", "Power of the test (default 0.8)."),
    share("--alpha", "Significance level of the test (default 0.05)."),
    option("--one-sided", "Test only in the expected direction.", is_flag=True),
)
"""The options of every plan."""

OF_INTERVALS = option_group(
    "intervals",
    share("--half-width", "Half of the width that the interval may have."),
    share("--level", "Confidence level of the interval (default 0.95)."),
    share("--reference", "The value to test against, instead of an interval."),
)
"""The options of plans that may be for an interval."""

OF_CLUSTERS = option_group(
    "design effect",
    option("--design-effect D", "Design effect of rows in clusters.", type=float),
    option("--icc R", "Intraclass correlation, instead of the design effect.", type=float),
    option("--cluster-size M", "Rows per cluster, with --icc.", type=float),
)
"""The options of every plan for rows in clusters."""

VARIANCE = option(
    "--variance WORD", "Variance of an area: binormal (default), hanley-mcneil or obuchowski."
)


@main.group(section="Plan and check")
def plan() -> None:
    """Say how many rows an evaluation takes, or what a given number can show."""


def _answer(question: str, *, one_sided: bool | None = None, as_json: bool, **options: Any) -> None:
    """Print the result of a function of :mod:`tallymark.infer.plan`."""
    from tallymark.infer import plan as questions

    arguments = {name: value for name, value in options.items() if value is not None}
    if one_sided is not None:
        arguments["alternative"] = "one-sided" if one_sided else "two-sided"
    show(getattr(questions, question)(**arguments), as_json=as_json)


@plan.command()
@click.argument("expected", callback=read_share)
@OF_INTERVALS
@one_of(
    "--of",
    ["positives", "negatives"],
    "The class whose rows count: positives for sensitivity, for example.",
)
@share("--prevalence", "The prevalence, the share of positives among all rows.")
@share(
    "--assurance",
    "The probability that the rows hold enough of the class (default: enough on average).",
)
@OF_TESTS
@OF_CLUSTERS
@json_flag
def proportion(**options: Any) -> None:
    """Plan for a proportion EXPECTED, such as an accuracy or a sensitivity.

    tallymark plan proportion 90% --half-width 5%

    tallymark plan proportion 0.9 --reference 0.8 --of positives --prevalence 10%
    """
    _answer("proportion", **options)


@plan.command()
@click.argument("expected", callback=read_share)
@OF_INTERVALS
@share("--prevalence", "The prevalence (default 0.5).")
@VARIANCE
@OF_TESTS
@OF_CLUSTERS
@json_flag
def auc(**options: Any) -> None:
    """Plan for a ROC area EXPECTED.

    tallymark plan auc 0.8 --half-width 0.05 --prevalence 20%

    tallymark plan auc 0.7 --reference 0.5
    """
    _answer("auc", **options)


@plan.command("auc-difference")
@click.argument("first", callback=read_share)
@click.argument("second", callback=read_share)
@option("--correlation R", "Correlation of the two estimated areas.", type=float)
@option(
    "--score-correlation R", "Correlation of the two models' scores within a class.", type=float
)
@option(
    "--pilot VARIANCE VARIANCE COVARIANCE POSITIVES NEGATIVES",
    "Variances and covariance of both areas on the rows of a pilot, such as DeLong's.",
    type=(float, float, float, int, int),
)
@share(
    "--margin", "Non-inferiority margin: show that the second is at most this much below the first."
)
@share("--prevalence", "The prevalence (default: the pilot's, else 0.5).")
@VARIANCE
@OF_TESTS
@OF_CLUSTERS
@json_flag
def auc_difference(pilot: Any, **options: Any) -> None:
    """Plan for two models' areas FIRST and SECOND on the same rows.

    One of --correlation, --score-correlation and --pilot says how the models are correlated.

    tallymark plan auc-difference 0.80 0.85 --score-correlation 0.6
    """
    from tallymark.infer.plan import Pilot

    _answer("auc_difference", **options, pilot=None if pilot is None else Pilot(*pilot))


@plan.command()
@click.argument("only_first", callback=read_share)
@click.argument("only_second", callback=read_share)
@one_of(
    "--test",
    ["compare", "exact", "mid-p", "asymptotic"],
    "Which of McNemar's tests (default: the one by which a comparison decides).",
)
@OF_TESTS
@OF_CLUSTERS
@json_flag
def mcnemar(**options: Any) -> None:
    """Plan for McNemar's test of two classifiers on the same rows.

    ONLY_FIRST and ONLY_SECOND are the shares of rows that only one of them classifies correctly.

    tallymark plan mcnemar 10% 5%
    """
    _answer("mcnemar", **options)


@plan.command()
@click.argument("expected", type=float)
@click.argument("first", callback=read_share)
@click.argument("second", callback=read_share, required=False)
@OF_INTERVALS
@OF_TESTS
@OF_CLUSTERS
@json_flag
def kappa(**options: Any) -> None:
    """Plan for Cohen's kappa EXPECTED of two raters.

    FIRST and SECOND are the shares of rows that each of them calls positive.

    tallymark plan kappa 0.7 30% --half-width 0.1

    tallymark plan kappa 0.7 30% 35% --reference 0.5
    """
    _answer("kappa", **options)


@plan.command()
@click.argument("expected", callback=read_share)
@click.argument("prevalence", callback=read_share)
@option(
    "--linear-predictor MEAN SD",
    "Mean and standard deviation of the logit of the risk (default: what both arguments imply).",
    type=(float, float),
)
@option("--beta A B", "Instead, the beta distribution of the risk.", type=(float, float))
@share("--threshold", "Risk threshold of the net benefit, with the two options that follow.")
@share("--sensitivity", "Sensitivity at the threshold.")
@share("--specificity", "Specificity at the threshold.")
@option("--n N", "Number of rows you have: says how wide their intervals are.", type=int)
@option("--oe-width W", "Width of the interval of the O:E ratio (default 0.2).", type=float)
@option("--slope-width W", "Width, calibration slope (default 0.2).", type=float)
@option("--auc-width W", "Width, c-statistic (default 0.1).", type=float)
@option("--net-benefit-width W", "Width, standardized net benefit (default 0.2).", type=float)
@share("--level", "Confidence level of the intervals (default 0.95).")
@OF_CLUSTERS
@json_flag
def validation(**options: Any) -> None:
    """Plan to validate a risk model of c-statistic EXPECTED at a PREVALENCE of events.

    tallymark plan validation 0.8 10%

    tallymark plan validation 0.77 0.43 --threshold 0.3 --sensitivity 0.9 --specificity 0.5
    """
    _answer("validation", **options)
