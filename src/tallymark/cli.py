"""The command line: predictions in, a judged classifier out.

Whatever needs NumPy is loaded inside the commands, so that help comes at once.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import click

from tallymark.errors import InputError, TallymarkError

NOTHING_FOUND = 1
BAD_INPUT = 2
INTERRUPTED = 130

BAR_AFTER = 1.0
"""Seconds of work after which a progress bar is worth its lines."""


class _Group(click.Group):
    """Commands whose refusals are one sentence and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except TallymarkError as error:
            _stop(ctx, str(error), BAD_INPUT)
        except BrokenPipeError:
            _discard_output()
            ctx.exit(0)
        except OSError as error:
            about = f" {str(error.filename)!r}" if error.filename else ""
            _stop(ctx, f"the system refuses{about}: {error.strerror or error}", BAD_INPUT)
        except KeyboardInterrupt:
            _stop(ctx, "interrupted; no file is half written", INTERRUPTED)
        except Exception as error:
            if not _is_interrupt(error):
                raise
            _stop(ctx, "interrupted; no file is half written", INTERRUPTED)


def _is_interrupt(error: Exception) -> bool:
    """Tell whether it was Ctrl-C: in a query, DuckDB raises errors of its own for that."""
    stopped = type(error) is RuntimeError and "interrupted" in str(error).lower()
    return stopped or type(error).__name__ == "InterruptException"


def _stop(ctx: click.Context, sentence: str, code: int) -> None:
    # A column name may hold whatever a file holds; a terminal must not obey it.
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in sentence)
    click.echo(f"tallymark: {shown}", err=True)
    ctx.exit(code)


def _discard_output() -> None:
    """Let Python close standard output in peace when whoever read it has gone."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tallymark", prog_name="tallymark")
def main() -> None:
    """Judge classifiers: count once, then everything is arithmetic on the counts."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that knows no infinity sign gets its code, not a crash.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _columns(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say which column is what, as one dictionary."""

    @wraps(command)
    def gathered(
        truth: str | None, score: tuple[str, ...], pred: str | None, positive: str | None,
        weight: str | None, missing: str, threshold: float | None, **others: Any,
    ) -> None:  # fmt: skip
        columns = {"truth": truth, "score": list(score) or None, "prediction": pred,
                   "positive": positive, "weight": weight, "missing": missing,
                   "threshold": threshold}  # fmt: skip
        command(columns=columns, **others)

    for option in reversed((
        click.option("--truth", metavar="COLUMN", help="Column of the true class."),
        click.option("--score", metavar="COLUMN", multiple=True,
                     help="Column of a score; repeatable."),
        click.option("--pred", metavar="COLUMN", help="Column of the predicted class."),
        click.option("--positive", metavar="LABEL", help="The positive class of two."),
        click.option("--weight", metavar="COLUMN", help="Column of sampling weights."),
        click.option("--missing", type=click.Choice(["error", "drop"]), default="error",
                     show_default=True,
                     help="Rows where a label or score is missing: refuse them or leave them out."),
        click.option("--threshold", type=float, metavar="T",
                     help="Scores at or above it are called positive; 0.5 of probabilities unless "
                     "given."),
    )):  # fmt: skip
        gathered = option(gathered)
    return gathered


@main.command()
@click.argument("file", type=click.Path())
@_columns
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    metavar="SHARE",
    help="Of the intervals, between 0 and 1.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    metavar="N",
    help="Of the intervals that are resampled.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    is_flag=False,
    flag_value="report.html",
    metavar="[PAGE]",
    help="Write the page; to report.html if -o comes last and names no file.",
)
@click.option(
    "--json",
    "json_path",
    type=click.Path(),
    metavar="PATH",
    help="Write everything as JSON; - prints it in place of the summary.",
)
def report(
    file: str,
    columns: dict[str, Any],
    level: float,
    seed: int,
    output: str | None,
    json_path: str | None,
) -> None:
    """Judge the predictions in FILE: CSV, Parquet, JSON, Arrow or ARFF.

    Columns are found by their usual names unless you name them, and what was assumed is said.
    """
    _report(file, columns, level, seed, output, json_path)


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
    here = Path(__file__).parent
    installed = here / "data" / "breast_cancer.csv"
    return installed if installed.exists() else here.parents[1] / "examples" / installed.name


def _report(
    file: str,
    options: dict[str, Any],
    level: float,
    seed: int,
    output: str | None,
    json_path: str | None,
) -> None:
    printed = json_path == "-"
    _try_outputs(file, output, None if printed else json_path)
    from tallymark.entry import evaluate
    from tallymark.show.terminal import summary, wants_color

    with _progress() as progress:
        ev = evaluate(file, level=level, seed=seed, progress=progress, **options)
        text = ev.to_json() if printed else summary(ev, color=wants_color())
        made = []
        if json_path and not printed:
            ev.to_json(json_path)
            made.append(("json", json_path))
        if output:
            made.append(("page", str(ev.report(output))))
    click.echo(text)
    for kind, path in made:
        click.echo(f"{kind}: {path}", err=printed)


def _try_outputs(file: str, output: str | None, json_path: str | None) -> None:
    """Refuse places that cannot be written before the long work, not after it."""
    from tallymark.show.output import ready

    taken = {Path(file).resolve(): "the file to judge"}
    for path, what in ((output, "the page"), (json_path, "the JSON")):
        if not path:
            continue
        place = ready(path).resolve()
        if place in taken:
            raise InputError(f"{path!r} would be both {taken[place]} and {what}; give another name")
        taken[place] = what


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    """Give a callback for rows done and rows in all; a terminal sees a bar if it takes long."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task("counting rows", total=None)

    def update(done: int, total: int) -> None:
        # After the last row comes the judging, of which nobody knows how long it takes.
        over = done >= total
        bar.update(task, completed=done, total=None if over else total)
        if over:
            bar.update(task, description="judging")

    timer = threading.Timer(BAR_AFTER, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield update
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


@main.command()
@click.option("--family", metavar="FAMILY", help="threshold, rank or probability.")
@click.option("--find", "text", metavar="TEXT", help="Only those whose words hold this text.")
@click.option("--better", metavar="high|low|neither", help="Only those of which this is better.")
@click.option(
    "--range",
    "within",
    type=float,
    nargs=2,
    metavar="LOW HIGH",
    help="Only those that cannot leave this range.",
)
@click.option(
    "--scores/--decisions",
    "needs_scores",
    default=None,
    help="Only those that need scores, or that decisions are enough for.",
)
@click.option(
    "--moves/--still",
    "moves",
    default=None,
    help="Only those that move with the prevalence, or that do not.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def metrics(
    family: str | None,
    text: str | None,
    better: str | None,
    within: tuple[float, float] | None,
    needs_scores: bool | None,
    moves: bool | None,
    as_json: bool,
) -> None:
    """List the metrics: all, or those that fit every fact asked for."""
    from tallymark.metric import find

    found = find(
        family=family, text=text, better=better, within=within, needs_scores=needs_scores,
        moves=moves,
    )  # fmt: skip
    if as_json:
        import json

        click.echo(json.dumps([_facts(m) for m in found], indent=1, ensure_ascii=False))
        return
    if not found:
        told = f" speaks of {text!r}" if text else " fits all of that"
        click.echo(f"tallymark: no metric{told}", err=True)
        sys.exit(NOTHING_FOUND)
    width = max(len(m.name) for m in found)
    for m in found:
        click.echo(f"{m.name.ljust(width)}  {m.family:<11}  {m.title}: {m.formula}")


def _facts(m: Any) -> dict[str, Any]:
    from tallymark.metric.measure import json_number
    from tallymark.metric.skew import moves_with_prevalence

    return {
        "name": m.name,
        "title": m.title,
        "family": m.family,
        "needs": m.needs,
        "formula": m.formula,
        "meaning": m.meaning,
        "range": [json_number(float(x)) for x in m.range],
        "better": m.better,
        "chance": m.chance,
        "undefined_when": list(m.undefined),
        "aliases": list(m.aliases),
        "parameters": {k: v if not isinstance(v, float) else json_number(v)
                       for k, v in m.params.items()},
        "misleads": m.misleads,
        "relatives": list(m.relatives),
        "moves_with_prevalence": moves_with_prevalence(m),
        "sources": list(m.sources),
    }  # fmt: skip


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
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    metavar="SHARE",
    help="Of the intervals.",
)
def agree(
    file: str, subject: str | None, rating: str | None, weights: str, missing: str, level: float
) -> None:
    """Measure the agreement of raters: one line a subject and one column a rater in FILE."""
    from tallymark.metric.agreement import COEFFICIENTS, agreement
    from tallymark.show.terminal import agreements
    from tallymark.tally.ratings import RatingTally

    wanted: Any = missing
    tally = RatingTally.from_table(file, subject=subject, rating=rating, missing=wanted)
    found = [agreement(tally, name, weights=weights, level=level) for name in COEFFICIENTS]
    click.echo(agreements(tally, found))


@main.command()
@click.argument("name", metavar="METRIC|FILE")
@click.option(
    "--like",
    "library",
    metavar="LIBRARY",
    help="Judge FILE under the definitions of sklearn, pycm, weka, yardstick or torchmetrics.",
)
@_columns
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def explain(name: str, library: str | None, columns: dict[str, Any], as_json: bool) -> None:
    """Explain a METRIC: formula, meaning, when it misleads, sources, relatives.

    With --like, judge the predictions in a FILE under another library's definitions, beside ours.
    The other options say which of its columns is what.
    """
    if library is not None:
        _explain_like(name, library, columns, as_json)
        return
    for option, value in columns.items():
        if value not in (None, "error"):
            told = "pred" if option == "prediction" else option
            raise InputError(
                f"--{told} goes with --like LIBRARY, and {name!r} is taken for a metric"
            )
    if as_json:
        import json

        from tallymark.metric import get

        click.echo(json.dumps(_facts(get(name)), indent=1, ensure_ascii=False))
        return
    _explain_metric(name)


def _explain_like(file: str, library: str, columns: dict[str, Any], as_json: bool) -> None:
    from tallymark.entry import evaluate
    from tallymark.like import LIBRARIES, like

    if library not in LIBRARIES:  # before the long work
        from tallymark.errors import choices

        raise InputError(f"there is no library {library!r} here; {choices(library, LIBRARIES)}")
    found = like(evaluate(file, **columns), library)
    if as_json:
        import json

        told = [
            {"library": f.library, "model": f.model, "left_out": list(f.left_out),
             "rows": [r.to_dict() for r in f.rows]} for f in found
        ]  # fmt: skip
        click.echo(json.dumps(told, indent=1, ensure_ascii=False))
        return
    from tallymark.show.terminal import likeness

    click.echo("\n\n".join(likeness(f) for f in found))


def _explain_metric(name: str) -> None:
    import inspect
    import textwrap

    from tallymark.metric import get
    from tallymark.metric.skew import moves_with_prevalence
    from tallymark.metric.sources import cite
    from tallymark.show.words import chance

    m = get(name)
    low, high = (f"{x:g}".replace("inf", "∞") for x in m.range)
    better = {"high": "higher is better", "low": "lower is better", "neither": "no direction"}
    click.echo(f"{m.title} ({m.name})")
    told = inspect.cleandoc(m.function.__doc__ or "").split(">>>")[0].strip()
    for part in (m.meaning, *told.split("\n\n")[1:]):
        click.echo()
        click.echo(textwrap.fill(" ".join(part.split()), 88))
    facts = [
        ("misleads when", m.misleads),
        ("formula", m.formula),
        ("range", f"{low} to {high}, {better[m.better]}"),
        ("guessing", chance(m.chance)),
        ("needs", m.needs.replace("_", " ")),
        ("prevalence", "moves with it" if moves_with_prevalence(m) else "does not move with it"),
        ("undefined when", "; ".join(m.undefined)),
        ("also called", ", ".join(m.aliases)),
        ("parameters", ", ".join(f"{k}={v!r}" for k, v in m.params.items())),
        ("preset of", m.preset_of or ""),
        ("relatives", ", ".join(m.relatives)),
    ]
    click.echo()
    for fact, told in facts:
        if told:
            wrapped = textwrap.wrap(told, 70) or [""]
            click.echo(f"{fact.ljust(15)} {wrapped[0]}")
            for line in wrapped[1:]:
                click.echo(" " * 16 + line)
    for key in m.sources:
        click.echo(textwrap.fill(cite(key), 88, initial_indent=f"{'source'.ljust(15)} ",
                                 subsequent_indent=" " * 16))  # fmt: skip


@main.command()
@click.argument("file", type=click.Path())
@_columns
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
    from tallymark.entry import evaluate
    from tallymark.show.terminal import choice

    ev = evaluate(file, **columns)
    for name in ev.names:
        found = ev.model(name).choose_threshold(metric, within=dict(within), **dict(param))
        click.echo(choice(name, found))


@main.command()
@click.argument("file", type=click.Path())
@click.argument("name")
@_columns
@click.option("-o", "--output", type=click.Path(), metavar="CSV", help="Write it here instead.")
def curve(file: str, name: str, columns: dict[str, Any], output: str | None) -> None:
    """Print the points of a curve as CSV.

    NAME is a curve (roc, pr, det, gain, lift, deciles, cost, decision, calibration and so on), a
    metric of the decisions, which is told at every threshold, or passes: the ROC curve as it is
    worked out by hand.
    """
    from tallymark.entry import evaluate
    from tallymark.show.frames import Listing
    from tallymark.show.output import ready, write_text

    if output:
        ready(output)
    ev = evaluate(file, **columns)
    points = ev.passes() if name == "passes" else Listing.of_curve(ev.curve(name))
    text = points.to_csv()
    if output:
        write_text(output, text)
        click.echo(f"csv: {output}")
    else:
        click.echo(text, nl=False)
