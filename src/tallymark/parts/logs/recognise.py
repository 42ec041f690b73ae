"""Logs given to a command for predictions: said what they are before any column is guessed."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from tallymark import Evaluation
from tallymark.core import Asked, NotPredictionsError
from tallymark.parts.logs.log_files import LogFile

if TYPE_CHECKING:
    from tallymark.parts.logs.tools import Tool

_NAMED = ("truth", "pred", "score")


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


def what_is(path: Path, tool: Tool) -> str:
    """Return the sentence on a log: what it holds, and what reads it."""
    if tool.read is None:
        return f"{path.name} is a file of {tool.name}: {tool.instead}"
    holds = "scores of items" if tool.item else "finished numbers"
    return (
        f"{path.name} is a log of {tool.name}: it holds {holds}, no predictions of classes; read "
        f"it with tallymark log {shlex.quote(str(path))}, or tm.read_log"
    )
