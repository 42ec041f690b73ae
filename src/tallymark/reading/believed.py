"""How the input was interpreted, and how to interpret other data the same way: ``reading=``."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from tallymark.contract import ANY, CONTRACT, TEXT, TEXTS, Kind, shown
from tallymark.display import Display, plain_data
from tallymark.errors import InputError, choices
from tallymark.reading.question import IN_READING
from tallymark.reading.source import ROLES, Source, has_columns
from tallymark.tally.arrays import Label

COLUMNS = tuple(role for role in ROLES if role != "case")
"""The words that name columns."""

_HERE = {"truth": ANY, "pred": TEXT | TEXTS, "weight": ANY}
READING: Mapping[str, Kind] = {
    word: _HERE.get(word, CONTRACT[word])
    for word in (
        *COLUMNS,
        "score_of",
        "score_is",
        "ignore_case",
        "percent",
        "positive",
        "classes",
        "missing",
    )
}
"""The words that ``reading=`` accepts, with the kind of value of each."""

OPTIONS: Mapping[str, Kind] = {
    word: CONTRACT[word] for word in ("header", "sheet", "memory", "tolerance", "progress", "name")
}
"""The words that ``options=`` accepts, with the kind of value of each."""


@dataclass(frozen=True, slots=True, repr=False)
class Reading(Display):
    """How the input was interpreted, with the evidence.

    ``roles`` map a word such as "score" to the columns read as it, ``meanings`` hold what
    was detected or stated about scores and labels, ``evidence`` the reasons for both, and
    ``arguments`` the values of ``reading=`` that read other data the same way.
    """

    roles: Mapping[str, str | tuple[str, ...]]
    meanings: Mapping[str, Any]
    evidence: tuple[str, ...]
    positive: Label | None
    classes: tuple[Label, ...]
    arguments: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON."""
        return {f.name: plain_data(getattr(self, f.name)) for f in fields(self)}


def reading_of(source: Source, classes: tuple[Label, ...]) -> Reading:
    """Return the interpretation of a source as a ``Reading``."""
    evidence = (*(f"{role}: {why}" for role, why in source._why.items()), *source.format)
    counts = isinstance(source._roles.get("count"), tuple)  # such as those of TP, FN, FP and TN
    columns = source._roles if has_columns(source) and not counts else {}
    arguments: dict[str, Any] = {w: _names(columns[w]) for w in COLUMNS if w in columns}
    if source.positive is not None:
        arguments["positive"] = source.positive
    meanings = {word: value for word, value in source._meanings.items() if word != "classes"}
    return Reading(
        source._roles,
        meanings,
        evidence,
        source.positive,
        classes,
        arguments | dict(source._meanings),
    )


def _names(columns: str | Sequence[str]) -> str | list[str]:
    """Return the columns of a role; elements of one vector are named by the vector's column."""
    if isinstance(columns, str):
        return columns
    vectors = {re.sub(r"\[\d+\]$", "", c) for c in columns}
    of_one = len(vectors) == 1 and not vectors & {*columns}
    return vectors.pop() if of_one else [*columns]


def words_of(reading: Any) -> dict[str, Any]:
    """Return the words of a reading, given as ``Reading``, mapping or path of a JSON file.

    >>> words_of({"score_is": "logit"})
    {'score_is': 'logit'}
    """
    if isinstance(reading, str | os.PathLike):
        reading = _read_file(reading)
    words = reading.arguments if isinstance(reading, Reading) else reading or {}
    return _checked(words, "reading", READING)


def options_of(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return all words of ``options=``, None for those that were not given."""
    return dict.fromkeys(OPTIONS) | _checked(options or {}, "options", OPTIONS)


def _checked(words: Mapping[str, Any], argument: str, kinds: Mapping[str, Kind]) -> dict[str, Any]:
    for word in words:
        if word not in kinds:
            raise InputError(f"{argument} has no word {shown(word)}; {choices(word, kinds, 20)}")
    return {word: kinds[word].of(word, value) for word, value in words.items() if value is not None}


def _read_file(path: str | os.PathLike[str]) -> Mapping[str, Any]:
    """Return the reading in a file that ``tallymark inspect --json`` wrote."""
    try:
        data = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise InputError(
            f"there is no reading in {os.fspath(path)!r}: {error.strerror or error}; give the file "
            "that tallymark inspect FILE --json wrote"
        ) from None
    except (ValueError, RecursionError):
        data = None
    for key in ("reading", "arguments"):
        data = data.get(key, data) if isinstance(data, dict) else None
    if not isinstance(data, dict) or not {*data} <= {*READING}:
        raise InputError(
            f"{os.fspath(path)!r} holds no reading; give the file that tallymark inspect FILE "
            "--json wrote of a file that can be read"
        )
    return data


# -- sentences -----------------------------------------------------------------------------------

_PLAIN = (
    r"tm\.file\([^()]*\)|(?<![\w'])(header|sheet|memory|tolerance|ignore_case|percent|score_is)="
    r"('[^']*'|\"[^\"]*\"|[\w.+-]*\w)?(?:\.\.\.)?"
)


def as_arguments(sentence: str) -> str:
    """Return a sentence with the words of a reading and of options as evaluate() takes them.

    >>> as_arguments("say header=False, or leave memory= out")
    "say options={'header': False}, or leave options={'memory': ...} out"
    """

    def inside(match: re.Match[str]) -> str:
        word = match[1]
        if word is None:
            return match[0]
        argument, value = "reading" if word in IN_READING else "options", match[2] or "..."
        if re.fullmatch(r"\d+[A-Z]+", value):  # an amount such as 20MB
            value = repr(value)
        return f"{argument}={{{word!r}: {value}}}"

    return re.sub(_PLAIN, inside, sentence)
