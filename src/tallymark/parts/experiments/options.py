"""The options of the experiment on the command line."""

from __future__ import annotations

from typing import Any

import click


def add(command: Any) -> Any:
    """Return a command with the options of :func:`tallymark.parts.experiments.experiment.run`."""
    # Loading tallymark.cli loads the commands, which ask for these options at once.
    from tallymark.cli.group import header_option, named_values, option, together

    return together(
        option("--repeats N", "Repeats of the experiment (default 10).", type=click.IntRange(1)),
        option("--folds K", "Folds of the experiment (default 10).", type=click.IntRange(2)),
        option(
            "--algorithm NAME",
            "An algorithm of the experiment; repeatable.",
            "algorithms",
            multiple=True,
        ),
        option(
            "--target NAME=COLUMN",
            "The class column of a data set of the experiment (default: the last); repeatable.",
            "targets",
            multiple=True,
            callback=named_values("COLUMN", "colic=surgical_lesion"),
        ),
        option(
            "--positive NAME=CLASS",
            "The positive class of a data set of the experiment (default: the first of an ARFF "
            "header, 1 or true, or the first when sorted); repeatable.",
            multiple=True,
            callback=named_values("CLASS", "colic=yes"),
        ),
        header_option,
        option("--jobs N", "Processes that the experiment runs at once.", type=click.IntRange(1)),
        option("--seed N", "Seed of the experiment (default 0).", type=click.IntRange(0)),
        option(
            "--results FILE",
            "A CSV file for the table of the experiment; if it exists, the experiment resumes.",
            type=click.Path(),
        ),
    )(command)
