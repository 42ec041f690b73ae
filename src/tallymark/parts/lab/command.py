"""The command: tallymark lab."""

from __future__ import annotations

from typing import Any

import click

from tallymark.cli.group import (
    columns_of_rows,
    how_sure,
    json_flag,
    main,
    option,
    predictions_of,
    read_share,
    show_each,
)


def _read_failures(
    ctx: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> dict[str, float | None]:
    """Parse failures such as skew, drift=0.2 or drift=20%."""
    strengths: dict[str, float | None] = {}
    for text in texts:
        name, sign, strength = text.partition("=")
        strengths[name.strip()] = read_share(ctx, parameter, strength) if sign else None
    return strengths


@main.command(section="Look up")
@click.argument("file", type=click.Path())
@columns_of_rows
@option(
    "--failure NAME[=STRENGTH]",
    "A failure to simulate instead of all, such as skew or drift=20%; repeatable.",
    "failures",
    multiple=True,
    callback=_read_failures,
)
@option(
    "--metric METRIC",
    "A metric to judge instead of the usual ones; repeatable.",
    "metrics",
    multiple=True,
)
@option("--n N", "Rows of a sample (default: as many as FILE has).", type=click.IntRange(1))
@option("--draws N", "Samples with each failure.", type=click.IntRange(100, 100_000), default=1000)
@how_sure(
    "The share of the values without failure that count as usual.", "Seed of the random draws."
)
@json_flag
def lab(
    file: str,
    columns: dict[str, Any],
    failures: dict[str, float | None],
    metrics: tuple[str, ...],
    n: int | None,
    draws: int,
    as_json: bool,
    **sure: Any,
) -> None:
    """Say which metrics react to a failure of the classifier in FILE, and with what power.

    New samples are drawn from the counts of FILE, without a failure and with each: skew,
    label_noise, drift, lookalikes, random_scores, threshold_shift, squashed_scores and
    overconfident.
    """
    from tallymark.parts.lab.failures import strengths_of

    strengths = strengths_of(failures or None)  # refuses before the long work
    ev = predictions_of(file, **columns, **sure)
    options: dict[str, Any] = {"metrics": metrics or None, "n": n, "draws": draws}
    show_each([ev.model(name).lab(strengths, **options) for name in ev.names], as_json=as_json)
