"""Commands that answer one question: agreement, a threshold, the points of a curve."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tallymark.cli.group import columns_of_rows, how_sure, json_flag, main, print_json, share_of
from tallymark.errors import InputError


@main.command()
@click.argument("file", type=click.Path())
@click.option(
    "--subject", metavar="COLUMN", help="Column of the subject, where each line is one rating."
)
@click.option("--rating", metavar="COLUMN", help="Column of the rating, where each line is one.")
@click.option(
    "--weights",
    default="nominal",
    show_default=True,
    metavar="WORD",
    help="nominal, ordinal, linear, interval or ratio.",
)
@click.option(
    "--missing",
    type=click.Choice(["error", "skip"]),
    default="skip",
    show_default=True,
    help="Ratings that are missing: refuse them, or let their subject have fewer.",
)
@how_sure("Of the intervals.")
def agree(
    file: str, subject: str | None, rating: str | None, weights: str, missing: str, level: float
) -> None:
    """Measure the agreement of raters: one line a subject and one column a rater in FILE."""
    from tallymark.metric.agreement import COEFFICIENTS, agree
    from tallymark.report.blocks import as_text
    from tallymark.report.terminal import agreements
    from tallymark.tally.ratings import RatingTally

    wanted: Any = missing
    tally = RatingTally.from_table(file, subject=subject, rating=rating, missing=wanted)
    found = [agree(tally, name, weights=weights, level=level) for name in COEFFICIENTS]
    click.echo(as_text(agreements(tally, found)))


@main.command()
@click.argument("file", type=click.Path())
@columns_of_rows
@click.option(
    "--best",
    "metric",
    default="youden_j",
    show_default=True,
    metavar="METRIC",
    help="What the threshold is to be best at; expected_cost is the cheapest.",
)
@click.option(
    "--within",
    type=(str, float),
    multiple=True,
    metavar="METRIC NUMBER",
    help="A rate to keep, such as: --within fpr 0.01; repeatable.",
)
@click.option(
    "--param",
    type=(str, float),
    multiple=True,
    metavar="NAME NUMBER",
    help="A parameter of the metric, such as: --param cost_fn 10; repeatable.",
)
def threshold(
    file: str,
    columns: dict[str, Any],
    metric: str,
    within: tuple[tuple[str, float], ...],
    param: tuple[tuple[str, float], ...],
) -> None:
    """Choose a threshold for the scores in FILE, and say how much the choice flatters."""
    from tallymark.api import evaluate
    from tallymark.report.blocks import as_text
    from tallymark.report.terminal import choice

    ev = evaluate(file, **columns)
    for name in ev.names:
        found = ev.model(name).optimal_threshold(metric, within=dict(within), **dict(param))
        click.echo(as_text(choice(found, name)))


@main.command()
@click.argument("file", type=click.Path())
@click.argument("name")
@columns_of_rows
@click.option(
    "--over",
    type=click.Choice(["threshold", "prevalence"]),
    default="threshold",
    show_default=True,
    help="What a metric is told against.",
)
@click.option(
    "--band",
    type=click.Choice(["pointwise", "vertical", "simultaneous", "calibrated"]),
    help="Bounds: of each point at its threshold, of y at each x, or of the whole curve at once, "
    "surely or as narrow as draws allow.",
)
@how_sure("Of the bounds.", "Of the draws.")
@click.option("-o", "--output", type=click.Path(), metavar="CSV", help="Write it here instead.")
def curve(
    file: str,
    name: str,
    columns: dict[str, Any],
    over: str,
    band: str | None,
    level: float,
    seed: int,
    output: str | None,
) -> None:
    """Print the points of a curve as CSV.

    NAME is a curve (roc, pr, det, gain, lift, deciles, cost, decision, calibration and so on), a
    metric of the decisions, which is told at every threshold, or passes: the ROC curve as it is
    worked out by hand. With --over prevalence any metric, against the share of positives. With
    --band there are columns low and high, and of x where it is a rate too; what they are is told on
    standard error.
    """
    from tallymark.api import evaluate
    from tallymark.errors import InputError
    from tallymark.output import ready, write_text
    from tallymark.tables import Listing

    if output:
        ready(output)
    if name == "passes" and band:
        raise InputError("passes has no band: it shows how the curve is worked out; take roc")
    ev = evaluate(file, level=level, seed=seed, **columns)
    if name == "passes":
        points = ev.passes()
    else:
        found = ev.curve(name, over=over, band=band)
        points = Listing.of_curve(found)
        if found.method:
            click.echo(f"bounds: {level:g}, {found.method}", err=True)
    text = points.to_csv()
    if output:
        write_text(output, text)
        click.echo(f"csv: {output}")
    else:
        click.echo(text, nl=False)


@main.command()
@click.argument("file", type=click.Path())
@columns_of_rows
@click.option(
    "--with",
    "other",
    type=click.Path(),
    metavar="OTHER",
    help="Compare each model with itself on the rows of another file, with the same columns.",
)
@click.option("--against", metavar="MODEL", help="Compare every other model with this one.")
@click.option("--metric", metavar="METRIC", help="What decides: the ROC area of scores, else MCC.")
@click.option(
    "--also",
    "metrics",
    metavar="METRIC",
    multiple=True,
    help="A difference to show beside it, in place of the usual ones; repeatable.",
)
@click.option(
    "--margin",
    type=float,
    metavar="SIZE",
    help="How much worse still counts as no worse, in units of the metric.",
)
@how_sure("Of the intervals.", "Of the draws.")
@json_flag
def compare(
    file: str,
    columns: dict[str, Any],
    other: str | None,
    against: str | None,
    metric: str | None,
    metrics: tuple[str, ...],
    margin: float | None,
    level: float,
    seed: int,
    as_json: bool,
) -> None:
    """Say which of several models in FILE is better, and how sure that is.

    Models are columns of one file, so that all are judged on the same rows, such as:
    tallymark compare FILE --score a --score b

    With another file the same models are judged on other rows, as of two hospitals, or before and
    after a change: tallymark compare FILE --with OTHER --score a
    """
    from tallymark.api import evaluate
    from tallymark.infer.compare import check

    check(metric, metrics, margin)  # refuses before the long work
    if other is not None and Path(other).resolve() == Path(file).resolve():
        raise InputError(f"{other!r} is both sides; give --with the predictions on other rows")
    options: dict[str, Any] = {"metric": metric, "metrics": metrics or None, "margin": margin}
    ev = evaluate(file, level=level, seed=seed, **columns)
    if other is None:
        found = ev.compare(against, **options)
    elif against is not None:
        raise InputError("--against is of models on the same rows; leave it out beside --with")
    else:
        same = {**columns, "positive": ev.positive, "labels": ev.classes}
        try:
            theirs = evaluate(other, level=level, seed=seed, **same)
        except InputError as refused:  # of two files it must be told which one
            named = other in str(refused)
            raise InputError(str(refused) if named else f"{other}: {refused}") from None
        found = ev.compare_with(theirs, **options)
    if as_json:
        print_json(found.to_dict())
        return
    from tallymark.display import text
    from tallymark.report.blocks import wants_color

    click.echo(text(found, color=wants_color()))


@main.command()
@click.argument("file", type=click.Path())
@columns_of_rows
@click.option(
    "--use",
    type=click.Choice(["decisions", "ranking", "probabilities"]),
    help="What is used of the classifier.",
)
@click.option(
    "--costs",
    type=float,
    nargs=2,
    metavar="FALSE_ALARM MISSED",
    help="What each error costs, in any unit, such as: --costs 1 10.",
)
@click.option(
    "--prevalence",
    metavar="SHARE",
    help="The share of positives in the field, such as 0.01 or 1%.",
)
@click.option(
    "--worse",
    type=click.Choice(["missed", "false-alarms"]),
    help="Which error hurts more, where costs are not known.",
)
@json_flag
def advise(
    file: str,
    columns: dict[str, Any],
    use: str | None,
    costs: tuple[float, float] | None,
    prevalence: str | None,
    worse: str | None,
    as_json: bool,
) -> None:
    """Say which numbers to look at for the predictions in FILE, and which could mislead.

    Four answers sharpen the advice; none is needed.
    """
    from tallymark.api import evaluate
    from tallymark.studies.advice import Answers

    cost_fp, cost_fn = costs or (None, None)
    answers: dict[str, Any] = {
        "use": use, "cost_fp": cost_fp, "cost_fn": cost_fn, "prevalence": share_of(prevalence),
        "worse": None if worse is None else worse.replace("-", " "),
    }  # fmt: skip
    Answers(**answers)  # refuses before the long work
    found = evaluate(file, **columns).advise(**answers)
    if as_json:
        print_json(found.to_dict())
        return
    from tallymark.display import text
    from tallymark.report.blocks import wants_color

    click.echo(text(found, color=wants_color()))
