"""Write a file beside its place and rename it: there is a whole file or none."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from tallymark.contract import read
from tallymark.errors import InputError


def ready(path: str | os.PathLike[str]) -> Path:
    """Say at once, before any long work, whether a file can be written there."""
    path = Path(read("path", path))
    folder = path.parent
    if not folder.is_dir():
        raise InputError(f"the folder {str(folder)!r} for {path.name} is not there; make it first")
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; name a file in it")
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise InputError(f"{str(path)!r} cannot be written; choose a place where you may write")
    return path


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text file as UTF-8, whole or not at all, and see it through to the disk."""
    path = ready(path)
    beside = path.with_name(f".{path.name}.{os.urandom(8).hex()}.part")
    try:
        with beside.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise InputError(
            f"{str(path)!r} cannot be written: {error.strerror}; choose a place where you may write"
        ) from None
    finally:
        beside.unlink(missing_ok=True)
    return path


def _sync_folder(folder: Path) -> None:
    """See the new name through to the disk as well, where folders can be opened for that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
