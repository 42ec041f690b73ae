"""The command that reads logs of evaluations of language models."""

from __future__ import annotations

from typing import Any

import click

from tallymark.cli.group import how_sure, json_flag, main, one_of, option, print_format, show, tell


@main.command(section="Language models and raters")
@click.argument("paths", type=click.Path(), nargs=-1, required=True)
@option(
    "-o --output CSV",
    "Write a row per item, epoch and scorer to this file.",
    type=click.Path(),
)
@one_of(
    "--errors",
    ["wrong", "left-out"],
    "Samples that failed: count them as wrong, where a scorer gives 0 and 1 alone, or leave them "
    "out (default: as the tool does).",
)
@option("--scorer NAME", "Only this scorer; repeatable.", multiple=True)
@how_sure("Confidence level of the intervals.")
@json_flag
def log(
    paths: tuple[str, ...],
    output: str | None,
    errors: str | None,
    scorer: tuple[str, ...],
    level: float,
    as_json: bool,
) -> None:
    """Summarise logs of evaluations of language models: lm-eval, Inspect, promptfoo and others.

    PATHS are files or folders. For each model, task and scorer it prints the items, the errors and
    the mean over items, with Wilson's interval where each item has one value of 0 or 1.
    """
    import tallymark as tm

    options: dict[str, Any] = {"errors": errors, "scorer": list(scorer) or None}
    result = tm.read_log(list(paths), **options, level=level)
    if output:
        result.table().to_csv(output)
    if output != "-":
        show(result, as_json=as_json)
        if output:
            tell(f"csv: {output}", err=as_json or print_format() != "text")
