"""Graded answers that were given to tallymark.evaluate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tallymark import InputError
from tallymark.core import Asked, Table, open_table, released
from tallymark.parts.evals.judge import evals
from tallymark.parts.evals.leaderboard import Leaderboard, leaderboard
from tallymark.parts.evals.reading import ROLES, lone_grades, read_table

_WORDS = (*ROLES, "scorer", "errors")
_OPENED = ("header", "sheet")


def named(asked: Asked) -> Leaderboard | None:
    """Return the leaderboard of data whose columns of grades the user named, None for others."""
    if asked.reading.get("graded") is None:
        return None
    return _called(evals(asked.data, **_arguments(asked)), asked)


def without_truth(asked: Asked) -> Leaderboard | None:
    """Return the leaderboard if the table has exactly one column of grades, else None."""
    if any(v is not None for v in _for_predictions(asked).values()):
        return None
    if isinstance(asked.data, list):
        return _called(evals(asked.data, **_arguments(asked)), asked)
    table = open_table(asked.data, **{word: asked.opened[word] for word in _OPENED})
    with released(table):
        column = lone_grades(table)
        return None if column is None else _of_table(table, asked, column)


def of_logs(table: Table, asked: Asked) -> Leaderboard:
    """Return the leaderboard of the graded answers in logs."""
    return _of_table(table, asked, None)


def _of_table(table: Table, asked: Asked, graded: str | None) -> Leaderboard:
    given = {**_arguments(asked), "graded": graded}
    read = read_table(table, {w: given.get(w) for w in (*ROLES, "scorer")}, given.get("errors"))
    level = given["level"]
    return _called(leaderboard(read, level=level, weigh=None, least=None, method="auto"), asked)


def _called(board: Leaderboard, asked: Asked) -> Leaderboard:
    return board if asked.name is None else replace(board, source=asked.name)


def _arguments(asked: Asked) -> dict[str, Any]:
    """Return the arguments of ``tm.evals``; refuse those that are for predictions."""
    for name, value in _for_predictions(asked).items():
        if value is not None:
            raise InputError(
                f"{name} is for predictions of classes, and these are graded answers; leave "
                f"{name}=... out"
            )
    given = {w: v for w, v in asked.reading.items() if w in _WORDS and v is not False}
    opened = {word: asked.opened[word] for word in _OPENED}
    return given | opened | {"level": asked.inference["level"]}


def _for_predictions(asked: Asked) -> dict[str, Any]:
    """Return the arguments that are for predictions of classes, None for those not given."""
    reading = {w: v for w, v in asked.reading.items() if w not in _WORDS and v is not False}
    opened = {w: v for w, v in asked.opened.items() if w not in _OPENED}
    arrays = {"y_pred": asked.y_pred, "y_score": asked.y_score, "threshold": asked.threshold}
    return {**arrays, **reading, **opened}
