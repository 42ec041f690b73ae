"""A command that passes or fails a model: for continuous integration."""

from __future__ import annotations

from typing import Any

import click

import tallymark as tm
from tallymark.cli.group import (
    NUMBER_OR_PERCENT,
    add_to_step_summary,
    columns_of_rows,
    format_option,
    in_words,
    main,
    option,
    progress,
    show_results,
    step_summary,
    together,
    try_outputs,
    written_or_printed,
)


@main.command(section="Plan and check")
@click.argument("file", type=click.Path())
@columns_of_rows
@option(
    "--require RULE",
    'METRIC >= NUMBER or METRIC <= NUMBER, such as "recall >= 0.9 at fpr=0.05"; repeatable.',
    multiple=True,
)
@option(
    "--forbid CODE",
    "Code of a warning or of advice that must not be given, such as leak; repeatable.",
    multiple=True,
)
@option(
    "--baseline MODEL",
    "The model to compare with: another model in FILE, or a JSON file that report --json wrote.",
)
@option(
    "--no-worse MARGIN",
    'How much worse than the baseline still passes: 0.01 of the deciding metric, or "log_loss '
    '0.02"; repeatable.',
    multiple=True,
)
@option(
    "--subgroup COLUMN",
    "Column whose values define subgroups for which every rule is judged as well; repeat it "
    "for combinations of values.",
    multiple=True,
)
@option(
    "--rules TOML",
    "A file with any of these: require, forbid, no-worse, baseline, subgroup, strict, level; "
    "in pyproject.toml, the table tool.tallymark.check.",
    type=click.Path(),
)
@option("--strict", "An undecided rule fails.", is_flag=True)
@option(
    "--level SHARE",
    "Confidence level of the intervals (default 0.95); a rule is judged at (1 − level) / 2.",
    type=NUMBER_OR_PERCENT,
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, metavar="N", help="Seed of the random draws."
)
@option("--junit PATH", "Write JUnit XML, one test case per rule and subgroup.", type=click.Path())
@written_or_printed(
    together(
        option(
            "--json PATH",
            "Write everything as JSON; - prints it instead of the table.",
            "json_path",
            type=click.Path(),
        ),
        format_option,
    )
)
def check(
    file: str,
    columns: dict[str, Any],
    junit: str | None,
    json_path: str | None,
    **rules: Any,
) -> None:
    """Pass or fail the model in FILE by rules that are judged on intervals.

    A rule passes if the whole interval keeps the limit, fails if the whole interval is beyond it,
    and is otherwise undecided, which passes unless --strict. It is undecided, too, in a subgroup
    with fewer than 30 of what the metric rests on, such as positives. Exit code 0: passed, 1:
    failed, 2: wrong usage, 3: a rule could not be judged. On GitHub the table goes to the step's
    summary, too.
    """
    try_outputs(file, junit, json_path)
    summary = step_summary()
    rules["subgroup"] = list(rules["subgroup"]) or None
    with progress() as update:
        columns["options"] = {**(columns["options"] or {}), "progress": update}
        gate = tm.check(file, **rules, **columns)
    written = []
    if junit:
        gate.to_junit(junit)
        written.append(("junit", junit))
    if json_path not in (None, "-"):
        gate.to_json(json_path)
        written.append(("json", str(json_path)))
    add_to_step_summary(summary, gate)
    show_results(gate.to_json() if json_path == "-" else in_words(gate), written, json_path)
    click.get_current_context().exit(gate.exit_code)
