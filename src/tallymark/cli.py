"""The command line: predictions in, a judged classifier out."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from tallymark.errors import TallymarkError

BAD_INPUT = 2
INTERRUPTED = 130


class _Group(click.Group):
    """Commands whose refusals are one sentence and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except TallymarkError as error:
            click.echo(f"tallymark: {error}", err=True)
            ctx.exit(BAD_INPUT)
        except KeyboardInterrupt:
            click.echo("tallymark: interrupted; nothing was written", err=True)
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            # Whoever read our output has enough; keep Python from complaining at its end.
            sys.stdout = None  # type: ignore[assignment]
            ctx.exit(0)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tallymark", prog_name="tallymark")
def main() -> None:
    """Judge classifiers: count once, then everything is arithmetic on the counts."""


@main.command()
@click.argument("file", type=click.Path())
@click.option("--truth", metavar="COLUMN", help="Column of the true class.")
@click.option("--score", metavar="COLUMN", multiple=True, help="Column of a score; repeatable.")
@click.option("--pred", metavar="COLUMN", help="Column of the predicted class.")
@click.option("--positive", metavar="LABEL", help="The positive class of two.")
@click.option("--weight", metavar="COLUMN", help="Column of sampling weights.")
@click.option(
    "--missing",
    type=click.Choice(["error", "drop"]),
    default="error",
    show_default=True,
    help="Rows where a label or score is missing: refuse them or leave them out.",
)
@click.option("--threshold", type=float, help="Scores at or above it are positive (0.5).")
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of resampled intervals.")
@click.option("-o", "--output", type=click.Path(), help="Write the page to this HTML file.")
@click.option("--json", "json_path", type=click.Path(), help="Write JSON to this file, - to print.")
def report(
    file: str,
    truth: str | None,
    score: tuple[str, ...],
    pred: str | None,
    positive: str | None,
    weight: str | None,
    missing: str,
    threshold: float | None,
    level: float,
    seed: int,
    output: str | None,
    json_path: str | None,
) -> None:
    """Judge the predictions in FILE: CSV, Parquet, JSON, Arrow or ARFF.

    Columns are found by their usual names unless you name them, and what was assumed is said.
    """
    options = {
        "truth": truth,
        "prediction": pred,
        "score": list(score) or None,
        "positive": positive,
        "weight": weight,
        "missing": missing,
        "threshold": threshold,
    }
    _report(file, options, level, seed, output, json_path)


@main.command()
@click.option(
    "-o", "--output", type=click.Path(), default="tallymark-demo.html", show_default=True,
    help="Where to write the page.",
)  # fmt: skip
def demo(output: str) -> None:
    """Judge three models' predictions on real data (breast cancer) and write the page."""
    Path(output).parent.mkdir(parents=True, exist_ok=True)
    data = _example()
    options = {"truth": "diagnosis", "positive": "malignant",
               "score": ["logistic", "forest", "bayes"]}  # fmt: skip
    _report(str(data), options, 0.95, 0, output, None)


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
    from tallymark.show.output import ready

    for path in (output, None if json_path == "-" else json_path):
        if path is not None:
            ready(path)
    from tallymark.evaluation import evaluate

    with _progress() as progress:
        ev = evaluate(file, level=level, seed=seed, progress=progress, **options)
    if json_path == "-":
        click.echo(ev.to_json())
    else:
        from tallymark.show.terminal import summary, wants_color

        click.echo(summary(ev, color=wants_color()))
    if json_path not in (None, "-"):
        ev.to_json(json_path)
        click.echo(f"json: {json_path}", err=json_path == "-")
    if output is not None:
        written = ev.report(output)
        click.echo(f"page: {written}", err=json_path == "-")


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    """Give a callback that draws a bar on a terminal, once the work has taken a second."""
    if not sys.stderr.isatty():
        yield None
        return
    started = time.monotonic()
    bar: Any = None
    task: Any = None

    def update(done: int, total: int) -> None:
        nonlocal bar, task
        if bar is None and time.monotonic() - started > 1 and done < total:
            from rich.console import Console
            from rich.progress import Progress

            bar = Progress(console=Console(stderr=True), transient=True)
            bar.start()
            task = bar.add_task("counting rows", total=total)
        if bar is not None:
            bar.update(task, completed=done)

    try:
        yield update
    finally:
        if bar is not None:
            bar.stop()


@main.command()
@click.option("--family", metavar="FAMILY", help="threshold, rank or probability.")
@click.option("--find", "text", metavar="TEXT", help="Only those whose words hold this text.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def metrics(family: str | None, text: str | None, as_json: bool) -> None:
    """List the metrics."""
    from tallymark.metric import find

    found = find(family=family, text=text)
    if as_json:
        import json

        click.echo(json.dumps([_facts(m) for m in found], indent=1, ensure_ascii=False))
        return
    if not found:
        click.echo(f"tallymark: no metric speaks of {text!r}", err=True)
        return
    width = max(len(m.name) for m in found)
    for m in found:
        click.echo(f"{m.name.ljust(width)}  {m.family:<11}  {m.title}: {m.formula}")


def _facts(m: Any) -> dict[str, Any]:
    from tallymark.metric.measure import json_number

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
        "sources": list(m.sources),
    }  # fmt: skip


@main.command()
@click.argument("name")
def explain(name: str) -> None:
    """Explain a metric: formula, meaning, range, when it is undefined, sources."""
    import inspect
    import textwrap

    from tallymark.metric import get
    from tallymark.metric.sources import SOURCES
    from tallymark.show.words import chance, number

    m = get(name)
    low, high = (number(x, 0) if abs(x) != float("inf") else number(x) for x in m.range)
    better = {"high": "higher is better", "low": "lower is better", "neither": "no direction"}
    click.echo(f"{m.title} ({m.name})")
    for part in inspect.cleandoc(m.__doc__ or "").split(">>>")[0].strip().split("\n\n"):
        click.echo()
        click.echo(textwrap.fill(" ".join(part.split()), 88))
    facts = [
        ("formula", m.formula),
        ("range", f"{low} to {high}, {better[m.better]}"),
        ("guessing", chance(m.chance)),
        ("needs", m.needs),
        ("undefined when", "; ".join(m.undefined)),
        ("also called", ", ".join(m.aliases)),
        ("parameters", ", ".join(f"{k}={v!r}" for k, v in m.params.items())),
        ("preset of", m.preset_of or ""),
    ]
    click.echo()
    for fact, told in facts:
        if told:
            wrapped = textwrap.wrap(told, 70) or [""]
            click.echo(f"{fact.ljust(15)} {wrapped[0]}")
            for line in wrapped[1:]:
                click.echo(" " * 16 + line)
    for key in m.sources:
        click.echo(textwrap.fill(SOURCES[key], 88, initial_indent=f"{'source'.ljust(15)} ",
                                 subsequent_indent=" " * 16))  # fmt: skip
