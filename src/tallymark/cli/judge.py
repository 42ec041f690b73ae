"""Commands that judge the predictions in a file: a report, or an answer to one question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tallymark.cli.group import (
    columns_of_rows,
    how_sure,
    json_flag,
    main,
    page_and_json,
    print_json,
    progress,
    share_of,
    show,
    show_results,
    try_outputs,
    write_results,
)
from tallymark.errors import InputError


@main.command()
@click.argument("file", type=click.Path())
@columns_of_rows
@how_sure("Of the intervals, between 0 and 1.", "Of the intervals that are resampled.")
@click.option(
    "--subgroup",
    "by",
    metavar="COLUMN",
    multiple=True,
    help="Column by whose values parts of the rows are judged as well; repeatable, for each "
    "combination of values.",
)
@page_and_json("report.html")
def report(
    file: str,
    columns: dict[str, Any],
    level: float,
    seed: int,
    by: tuple[str, ...],
    output: str | None,
    json_path: str | None,
) -> None:
    """Judge the predictions in FILE: CSV, Parquet, JSON, Arrow or ARFF.

    Columns are found by their usual names unless you name them, and what was assumed is said.
    """
    _report(file, columns | {"subgroup": by or None}, level, seed, output, json_path)


@main.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    default="demo.html",
    show_default=True,
    metavar="PAGE",
    help="Where to write the page.",
)
def demo(output: str) -> None:
    """Judge three models on real data: 569 tumours, benign or malignant."""
    options = {
        "truth": "diagnosis",
        "positive": "malignant",
        "score": ["logistic", "forest", "bayes"],
    }
    Path(output).parent.mkdir(parents=True, exist_ok=True)
    _report(str(_example()), options, 0.95, 0, output, None)


def _example() -> Path:
    """Return the example's place: beside the installed package, or in the repository."""
    here = Path(__file__).parents[1]
    installed = here / "data" / "breast_cancer.csv"
    return installed if installed.exists() else here.parents[1] / "examples" / installed.name


def _parts(ev: Any) -> str:
    """Say of every model which parts of the rows differ, and which is the worst."""
    from tallymark.report.blocks import Paragraph, as_text
    from tallymark.report.evaluation import subgroups_of_models
    from tallymark.report.renderers import subgroup_verdict

    several = len(ev.names) > 1
    return "\n\n".join(
        as_text(
            [
                *([Paragraph(s.chosen.name, "title")] if several else []),
                *subgroup_verdict(s, s.decisive()),
            ]
        )
        for s in subgroups_of_models(ev)
    )


def _report(
    file: str,
    options: dict[str, Any],
    level: float,
    seed: int,
    output: str | None,
    json_path: str | None,
) -> None:
    try_outputs(file, output, json_path)
    from tallymark.api import evaluate
    from tallymark.display import text as text_of
    from tallymark.report.blocks import wants_color

    with progress() as told:
        ev = evaluate(file, level=level, seed=seed, progress=told, **options)
        text = ev.to_json() if json_path == "-" else text_of(ev, color=wants_color())
        if options.get("subgroup") and json_path != "-":
            text += "\n\n" + _parts(ev)
        made = write_results(ev, output, json_path)
    show_results(text, made, json_path)


@main.command()
@click.argument("file", type=click.Path())
@columns_of_rows
@click.option("--subgroup", "by", metavar="COLUMN", multiple=True, required=True,
              help="Column whose values are the subgroups; repeatable, for each combination of "
              "values.")  # fmt: skip
@click.option("--metric", "metrics", metavar="METRIC", multiple=True,
              help="What to show; subgroups are ranked by the first; repeatable.")  # fmt: skip
@how_sure(
    "Of the intervals; a subgroup differs where its corrected p is below 1 less it.",
    "Of the draws.",
)
@json_flag
def subgroups(
    file: str,
    columns: dict[str, Any],
    by: tuple[str, ...],
    metrics: tuple[str, ...],
    level: float,
    seed: int,
    as_json: bool,
) -> None:
    """Judge parts of the rows in FILE, such as regions, and say which differ from the rest.

    A subgroup is every combination of the columns' values; missing values are a subgroup too.
    P-values are corrected for the number of subgroups (Holm).
    """
    from tallymark.api import evaluate
    from tallymark.metric import get
    from tallymark.report.blocks import as_text
    from tallymark.report.renderers import subgroups as blocks

    names = [get(m).name for m in metrics]  # refuses before the long work
    found = evaluate(file, subgroup=by, level=level, seed=seed, **columns).by(*by)
    if as_json:
        print_json(found.to_dict(names or None))
        return
    click.echo(as_text(blocks(found, names or None)))


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
    from tallymark.report.renderers import agreements
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
    from tallymark.report.renderers import choice

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
    show(found, as_json=as_json)


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
    show(found, as_json=as_json)


@main.command()
@click.argument("file", type=click.Path(), required=False)
@click.option("--table", metavar="[SCHEMA.]NAME",
              help="The table to count; FILE then only tells its columns.")  # fmt: skip
@click.option("--truth", metavar="COLUMN", help="Column of the true class.")
@click.option("--score", metavar="COLUMN", multiple=True, help="Column of a score; repeatable.")
@click.option("--pred", metavar="COLUMN", help="Column of the predicted class.")
@click.option("--by", metavar="COLUMN", multiple=True,
              help="Column of later subgroups, such as the region; repeatable.")  # fmt: skip
@click.option("--dialect", type=click.Choice(["duckdb", "postgres", "spark"]),
              help="Whose SQL; that of the link, or duckdb, unless given.")  # fmt: skip
def sql(
    file: str | None,
    table: str | None,
    truth: str | None,
    score: tuple[str, ...],
    pred: str | None,
    by: tuple[str, ...],
    dialect: str | None,
) -> None:
    """Print the SQL that counts the predictions in FILE or in a table: its result is small.

    FILE is a file, or a link such as postgres://host/db?table=preds. What the SQL returns, saved as
    CSV, gives tallymark report the very evaluation of the rows.
    """
    from tallymark.data.links import POSTGRES, Link, is_link
    from tallymark.data.sql import Asked, counting_sql, file_source, table_name

    if file is None and table is None:
        raise InputError("there is nothing to count; give a FILE, or a table's name with --table")
    link = Link.parse(file) if file is not None and is_link(file) else None
    if dialect is None:
        dialect = "postgres" if link is not None and link.scheme in POSTGRES else "duckdb"
    if file is None:
        asked = Asked.of_names(truth, pred, score, by)
    else:
        asked = Asked.of_source(file, truth=truth, pred=pred, score=score, subgroups=by)
    named = table or (link.table if link is not None else None)
    if named is not None:
        source = table_name(named, dialect)
    else:
        assert file is not None
        if dialect != "duckdb":
            raise InputError(f"{dialect} does not read {file!r}; name its table there with --table")
        source = file_source(file)
    click.echo(counting_sql(asked, source, dialect))
