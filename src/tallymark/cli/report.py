"""Commands that write a report: of predictions in a file, and of the example."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tallymark.cli.group import (
    columns_of_rows,
    how_sure,
    main,
    page_and_json,
    progress,
    show_results,
    try_outputs,
    write_results,
)


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
    from tallymark.report.subgroups import of_models, verdict

    several = len(ev.names) > 1
    return "\n\n".join(
        as_text(
            [*([Paragraph(s.chosen.name, "title")] if several else []), *verdict(s, s.decisive())]
        )
        for s in of_models(ev)
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
