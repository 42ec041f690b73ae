"""The commands: tallymark evals, and tallymark plan evals."""

from __future__ import annotations

from typing import Any

import click

from tallymark.cli.group import (
    NUMBER_OR_PERCENT,
    how_files_are_read,
    how_sure,
    in_words,
    json_flag,
    main,
    one_of,
    option,
    page_and_json,
    share,
    show,
    show_results,
    try_outputs,
    write_results,
)


@main.command(section="Language models and raters")
@click.argument("files", nargs=-1, required=True, type=click.Path())
@option("--graded COLUMN", "Column of the grade: right or wrong, or a number from 0 to 1.")
@option("--item COLUMN", "Column that names the question.")
@option("--epoch COLUMN", "Column that tells repeated answers to a question apart.")
@option("--model COLUMN", "Column of the model.")
@option("--task COLUMN", "Column of the task.")
@option("--cluster COLUMN", "Column that says which questions belong together, such as the text.")
@option("--scorer NAME", "Whose grades to use, if there are several scorers.")
@one_of(
    "--errors",
    ["left-out", "wrong"],
    "Answers without a grade: left out with a warning (as unless given), or counted as wrong.",
)
@one_of(
    "--weigh",
    ["tasks", "items"],
    "Whether each task (the default with several tasks) or each question counts the same.",
)
@option(
    "--least SIZE",
    "The smallest difference that matters: say how many questions would show it.",
    type=NUMBER_OR_PERCENT,
)
@one_of(
    "--method",
    ["auto", "clopper-pearson"],
    default="auto",
    text="Interval of independent grades of 0 and 1: Wilson's (auto), or one that always covers as "
    "often as its level.",
)
@how_files_are_read
@how_sure("Confidence level; two models differ if Holm's p is below 1 − level.")
@page_and_json("leaderboard.html")
def evals(files: tuple[str, ...], output: str | None, json_path: str | None, **how: Any) -> None:
    """Judge models by graded answers in FILES, and compare those on the same questions.

    FILES have one row per answer, with its grade, such as the columns item, model and correct; or
    one row per question with one column of grades for each model. Of several files each is a model,
    unless it has a column of models.

    tallymark evals answers.csv --least 0.02
    """
    from tallymark import evals as judged

    try_outputs(files[0], output, json_path)
    board = judged(files[0] if len(files) == 1 else list(files), **how)
    text = board.to_json() if json_path == "-" else in_words(board)
    show_results(text, write_results(board, output, json_path), json_path)


_plan = main.commands["plan"]
assert isinstance(_plan, click.Group)


@_plan.command("evals")
@share("--difference", "The difference of two models' accuracies to show.")
@share("--disagree", "The share of questions that only one of the two models solves.")
@option("--n N", "Number of questions you have: says what they can show.", type=int)
@option("--power SHARE", "Power of the test.", type=NUMBER_OR_PERCENT, default=0.8)
@option("--alpha SHARE", "Significance level of the test.", type=NUMBER_OR_PERCENT, default=0.05)
@option("--clusters G", "Number of clusters that the questions come in.", type=int)
@option(
    "--icc R",
    "Correlation of the differences of two questions of a cluster (default 0).",
    type=float,
)
@json_flag
def plan(as_json: bool, **how: Any) -> None:
    """Plan how many questions show a difference of two models that answer the same ones.

    tallymark plan evals --difference 0.02 --disagree 0.15

    tallymark plan evals --disagree 20% --n 500
    """
    from tallymark import plan_evals

    show(plan_evals(**how), as_json=as_json)
