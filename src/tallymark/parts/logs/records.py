"""What the reader of a log yields: scores of items, aggregates, and notes in words."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

State = Literal["scored", "unscored", "error"]

VERDICTS = {
    **dict.fromkeys(("true", "yes", "pass", "passed", "correct"), 1.0),
    **dict.fromkeys(("false", "no", "fail", "failed", "incorrect"), 0.0),
}
"""Words that scorers write for right and wrong."""


@dataclass(frozen=True, slots=True)
class LogRow:
    """One score of one item: a row of the table of a log."""

    item: str
    epoch: int
    model: str
    task: str | None
    scorer: str
    value: float | None
    state: State


class Score(NamedTuple):
    """What a reader says of one score.

    Without a ``scorer`` it stands for every scorer of the file, without an ``epoch`` the rows of an
    item are numbered, and without a ``model`` it is named after the file. The ``value`` of an error
    is 0 where the tool counts errors as wrong, and None where it leaves them out.
    """

    item: Any
    scorer: str | None
    value: float | None
    state: State
    epoch: int | None = None
    model: str | None = None
    task: str | None = None


@dataclass(frozen=True)
class Aggregate:
    """A finished number of a file: its ``n`` and standard error ``se`` where the file has them."""

    task: str | None
    scorer: str
    value: float
    n: int | None = None
    se: float | None = None
    model: str | None = None


Found: TypeAlias = Score | Aggregate | str
"""What a reader yields; a text is a note."""


def number_of(value: Any) -> float | None:
    """Return a score as a number; None if it is missing or not a finite number.

    >>> number_of("1.0"), number_of(True), number_of("fail"), number_of(float("nan"))
    (1.0, 1.0, 0.0, None)
    """
    if isinstance(value, str):
        value = VERDICTS.get(value.strip().lower(), value)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def scored(item: Any, scorer: str, value: Any, **where: Any) -> Score:
    """Return the score of an item: unscored where the value is missing or not a number."""
    number = number_of(value)
    return Score(item, scorer, number, "unscored" if number is None else "scored", **where)


def failed(item: Any, scorer: str | None, *, wrong: bool = False, **where: Any) -> Score:
    """Return the score of an item whose sample ended with an error."""
    return Score(item, scorer, 0.0 if wrong else None, "error", **where)


def text_of(item: Any) -> str:
    """Return what identifies an item as text; an object is written as JSON."""
    if isinstance(item, str):
        return item
    return json.dumps(item, sort_keys=True, ensure_ascii=False, default=str)
