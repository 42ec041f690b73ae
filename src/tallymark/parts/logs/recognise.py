"""Logs given to a command for predictions: said what they are before any column is guessed."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tallymark import Evaluation
from tallymark.core import ArrayTable, Asked, NotPredictionsError, enumerated, many
from tallymark.parts.logs.log_files import ENDINGS, LogFile

if TYPE_CHECKING:
    from tallymark.parts.logs.log import Errors
    from tallymark.parts.logs.tools import Tool

_NAMED = ("truth", "pred", "score")
COLUMNS = ("item", "epoch", "model", "task", "scorer", "value")


def refused(asked: Asked) -> Evaluation | None:
    """Raise NotPredictionsError for a log, unless the user named columns; None for other input."""
    named = [*asked.words(*_NAMED).values(), asked.y_pred, asked.y_score]
    if not isinstance(asked.data, str | os.PathLike) or any(v is not None for v in named):
        return None
    from tallymark.parts.logs.tools import tool_of  # every reader, which arrays do not need

    try:
        path = Path(asked.data)
        tool = tool_of(LogFile(path)) if path.is_file() else None
    except (OSError, ValueError):
        return None
    if tool is not None:
        raise NotPredictionsError(what_is(path, tool))
    return None


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
    table.name = f"the table of {many(len(log.files), 'log')} of {enumerated(log.tools)}"
    for note in log.notes:
        table.say(note.rstrip("."))
    wrong = sum(r.state == "error" and r.value is not None for r in log.rows)
    if wrong:
        table.say(f"{many(wrong, 'score')} of samples that failed count as wrong")
    return table


def _holds_scores(path: Path) -> bool:
    """Return whether a file is a log with scores of items, or a folder holds such a log."""
    from tallymark.parts.logs.tools import tool_of

    if path.is_dir():
        files = (f for f in path.rglob("*") if f.suffix in ENDINGS and f.is_file())
        return any(map(_holds_scores, files))
    try:
        tool = tool_of(LogFile(path)) if path.is_file() else None
    except (OSError, ValueError):
        return False
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
