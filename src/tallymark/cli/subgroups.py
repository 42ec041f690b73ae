"""The command that judges parts of the rows."""

from __future__ import annotations

from typing import Any

import click

from tallymark.cli.group import columns_of_rows, how_sure, json_flag, main, print_json


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
    from tallymark.report.subgroups import subgroups as blocks

    names = [get(m).name for m in metrics]  # refuses before the long work
    found = evaluate(file, subgroup=by, level=level, seed=seed, **columns).by(*by)
    if as_json:
        print_json(found.to_dict(names or None))
        return
    click.echo(as_text(blocks(found, names or None)))
