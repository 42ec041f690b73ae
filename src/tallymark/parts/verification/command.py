"""The command: tallymark verify."""

from __future__ import annotations

from typing import Any

import click

import tallymark as tm
from tallymark.cli import judge
from tallymark.cli.group import (
    how_files_are_read,
    how_sure,
    main,
    one_of,
    option,
    page_and_json,
    settle_no,
    show_results,
    try_outputs,
)


@main.command(section="Judge")
@click.argument("file", type=click.Path())
@click.argument("impostor", type=click.Path(), required=False)
@option("--score COLUMN", "Column of the scores; repeatable, one per system.", multiple=True)
@option(
    "--kind COLUMN",
    "Column of what each comparison is: genuine or impostor, 1 or 0; or, given twice, the two "
    "columns of identities that are equal in genuine comparisons.",
    multiple=True,
)
@option("--positive LABEL", "The value that marks genuine comparisons, if it is not obvious.")
@option("--cluster COLUMN", "Column that says which comparisons belong together.")
@option("--no-cluster", "Each comparison has people of its own.", is_flag=True)
@option(
    "--probe COLUMN",
    "Column of the person of the probe, with --reference: comparisons that share a person are not "
    "independent (default: found).",
)
@option("--reference COLUMN", "Column of the person of the reference.")
@option(
    "--people P",
    "How many people there are, if they recur and nothing says who is compared.",
    type=int,
)
@one_of(
    "--higher-is",
    ["genuine", "impostor"],
    "Which comparisons have the higher scores: genuine for similarities, impostor for distances.",
)
@option(
    "--threshold T",
    "Scores at or above it (distances at or below it) are accepted: report FMR and FNMR there.",
    type=float,
)
@one_of(
    "--missing",
    ["error", "drop"],
    default="error",
    text="Comparisons without a score: refuse or leave them out.",
)
@how_files_are_read
@how_sure("Confidence level of the intervals, between 0 and 1.", "Seed of the resampled intervals.")
@judge.whole_text
@page_and_json("verification.html")
def verify(
    file: str,
    impostor: str | None,
    score: tuple[str, ...],
    kind: tuple[str, ...],
    full: bool,
    output: str | None,
    json_path: str | None,
    **options: Any,
) -> None:
    """Judge a verification system by its comparison scores.

    It says the equal error rate (EER), the false match rate (FMR) and the false non-match rate
    (FNMR) at a threshold, the FNMR at fixed FMR, and the detection error trade-off (DET).

    FILE holds scores side by side in columns genuine and impostor (mated and non-mated, target and
    nontarget), or a column of scores and a column with the kind of each comparison, or with the
    claimed and the real identity; score files without a header are read by what they hold. With
    another file, FILE holds the scores of genuine comparisons and IMPOSTOR those of impostors.
    """
    try_outputs(file, output, json_path)
    settle_no(options, "cluster")
    ev = tm.verify(file, impostor, score=list(score) or None, kind=list(kind) or None, **options)
    show_results(*judge.results(ev, [], output, json_path, full=full), json_path)
