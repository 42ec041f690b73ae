"""The option --watch of tallymark check."""

from __future__ import annotations

from datetime import date as calendar_date
from typing import Any

import click

import tallymark as tm
from tallymark import InputError
from tallymark.cli.group import (
    add_to_step_summary,
    also,
    columns_of_rows,
    format_option,
    in_words,
    option,
    predictions_of,
    progress,
    show_results,
    step_summary,
    together,
    try_outputs,
    write_results,
    written_or_printed,
)

_OF_THE_GATE = ("forbid", "subgroup", "rules", "strict", "junit")
"""Options of the gate that a watch does not have."""


@also(
    "check",
    option(
        "--watch STATE",
        "Judge the rule at every look: FILE holds the rows of one day, and STATE the counts of "
        "the days before.",
        type=click.Path(),
    ),
    option("--date DAY", "With --watch, the day of the rows, YYYY-MM-DD (default: today)."),
    option(
        "--horizon LOOKS",
        "With --watch, the looks over which its error rate holds (default 365).",
        type=click.IntRange(1),
    ),
    option("-o --output PAGE", "With --watch, write the chart of the days.", type=click.Path()),
    columns_of_rows,
    written_or_printed(
        together(option("--json PATH", "", "json_path", type=click.Path()), format_option)
    ),
)
def watched(
    file: str,
    columns: dict[str, Any],
    watch: str | None,
    date: str | None,
    horizon: int | None,
    output: str | None,
    require: tuple[str, ...],
    no_worse: tuple[str, ...],
    baseline: str | None,
    level: float | None,
    seed: int,
    json_path: str | None,
    **others: Any,
) -> None:
    """With --watch, the rule is judged by evidence that may be looked at every day.

    One rule, of --require, or of --no-worse with a --baseline in FILE. Exit code 0: no alarm, 1:
    alarm, 2: wrong usage, 3: no row counts for the number.
    """
    if watch is None:
        flag = "date" if date is not None else "horizon" if horizon is not None else "output"
        raise InputError(f"--{flag} is of a watch; give --watch STATE, or leave it out")
    for name in _OF_THE_GATE:
        if others.get(name):
            raise InputError(
                f"--{name} is not for a watch; leave it out, or run a check of its own"
            )
    rules = [*require, *no_worse]
    if len(rules) != 1:
        raise InputError(
            f"a watch has one rule, and there are {len(rules)}; give one --require or --no-worse, "
            "and each rule a state of its own"
        )
    if no_worse and baseline is None:
        raise InputError("--no-worse needs a model to compare with; give --baseline MODEL")
    if require and baseline is not None:
        raise InputError("a baseline needs a margin; give --no-worse, or leave --baseline out")
    how: dict[str, Any] = {"baseline": baseline, "horizon": horizon, "level": level}
    given = {key: value for key, value in how.items() if value is not None}
    try_outputs(file, output, json_path, watch)
    summary = step_summary()
    watching = tm.Watch(rules[0], watch, **given)
    with progress() as update:
        columns["options"] = {**(columns["options"] or {}), "progress": update}
        ev = predictions_of(file, seed=seed, **columns)
    look = watching.add(ev, date=calendar_date.today() if date is None else date)
    written = write_results(look, output, json_path)
    add_to_step_summary(summary, look)
    show_results(look.to_json() if json_path == "-" else in_words(look), written, json_path)
    click.get_current_context().exit(look.exit_code)
