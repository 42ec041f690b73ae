"""Logs given to a command for predictions: said what they are before any column is guessed."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tallymark import InputError
from tallymark.core import (
    ArrayTable,
    Asked,
    Document,
    NotPredictionsError,
    answer,
    enumerated,
    is_path,
    many,
)
from tallymark.parts.logs.log_files import ENDINGS, LogFile

if TYPE_CHECKING:
    from tallymark.parts.logs.log import Errors
    from tallymark.parts.logs.tools import Tool

COLUMNS = ("item", "epoch", "model", "task", "scorer", "value")


def judged(asked: Asked) -> Document | None:
    """Return what is made of the scores in logs; None for other input, or if columns are named.

    Raises
    ------
    NotPredictionsError
        A log without scores of items, or no part judges these.

    """
    paths = asked.data if isinstance(asked.data, list | tuple) else [asked.data]
    if asked.names_predictions or not paths or not all(map(is_path, paths)):
        return None
    files = [Path(path) for path in paths]
    tools = [_tool_of(file) for file in files]
    if all(t is not None or _has_logs(f) for f, t in zip(files, tools, strict=True)):
        table = graded(files, asked.reading.get("errors"))
        try:
            result = None if table is None else answer("of_graded", table, asked)
        except InputError as refused:
            command = f"tallymark log {shlex.join(map(str, files))}"
            raise InputError(f"{refused}; {command} shows all scores") from None
        if result is not None:
            return cast("Document", result)
    for file, tool in zip(files, tools, strict=True):
        if tool is not None:
            raise NotPredictionsError(what_is(file, tool))
    return None


def _tool_of(path: Path) -> Tool | None:
    """Return the tool that wrote a log, None for other files."""
    from tallymark.parts.logs.tools import tool_of  # every reader, which arrays do not need

    try:
        return tool_of(LogFile(path)) if path.is_file() else None
    except (OSError, ValueError):
        return None


def _has_logs(path: Path) -> bool:
    """Return whether a path is a folder with logs that have scores of items."""
    return _is_folder(path) and _holds_scores(path)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # for example, a name that is too long
        return False


def graded(
    paths: Sequence[str | os.PathLike[str]], errors: Errors | None = None
) -> ArrayTable | None:
    """Return the table of the scores in logs and folders; None if one of them is no such log.

    The value of an answer that has no score, or failed and is left out, is NaN.
    """
    from tallymark.parts.logs.log import read_log

    if not all(map(_holds_scores, map(Path, paths))):
        return None
    log = read_log(list(paths), errors=errors)
    if not log.rows:
        return None
    columns = {name: [getattr(r, name) for r in log.rows] for name in COLUMNS}
    columns["value"] = [math.nan if v is None else v for v in columns["value"]]
    table = ArrayTable({name: c for name, c in columns.items() if any(v is not None for v in c)})
    kinds = ({r.task for r in log.rows}, {r.scorer for r in log.rows})
    only = [next(iter(kind)) for kind in kinds if len(kind) == 1]
    what = ", ".join(filter(None, only))
    of = f" ({what})" if what else ""
    table.name = f"{many(len(log.files), 'log')} of {enumerated(log.tools)}{of}"
    for note in log.notes:
        table.say(note.rstrip("."))
    wrong = sum(r.state == "error" and r.value is not None for r in log.rows)
    if wrong:
        table.say(f"{many(wrong, 'score')} of samples that failed count as wrong")
    return table


def _holds_scores(path: Path) -> bool:
    """Return whether a file is a log with scores of items, or a folder holds such a log."""
    if _is_folder(path):
        files = (f for f in path.rglob("*") if f.suffix in ENDINGS and f.is_file())
        return any(map(_holds_scores, files))
    tool = _tool_of(path)
    return tool is not None and tool.read is not None and bool(tool.item)


def what_is(path: Path, tool: Tool) -> str:
    """Return the sentence on a log: what it holds, and what reads it."""
    if tool.read is None:
        return f"{path.name} is a file of {tool.name}: {tool.instead}"
    holds = "scores of items" if tool.item else "finished numbers"
    return (
        f"{path.name} is a log of {tool.name}: it holds {holds}, no predictions of classes; read "
        f"it with tallymark log {shlex.quote(str(path))}, or tm.read_log"
    )
