"""Write a file beside its place and rename it: there is a whole file or none."""

from __future__ import annotations

import os
from pathlib import Path
from secrets import token_hex

from tallymark.errors import InputError


def ready(path: str | os.PathLike[str]) -> Path:
    """Say at once, before any long work, whether a file can be written there."""
    path = Path(path)
    folder = path.parent
    if not folder.is_dir():
        raise InputError(f"the folder {str(folder)!r} for {path.name} is not there; make it first")
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; name a file in it")
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise InputError(f"{str(path)!r} cannot be written; choose a place where you may write")
    return path


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text file as UTF-8, whole or not at all."""
    path = ready(path)
    beside = path.with_name(f".{path.name}.{token_hex(8)}.part")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return path
