"""Temporary folders that do not outlive their process, even one that the system has killed."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tallymark.errors import InputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PREFIX = "tallymark-rows-"

YOUNG = 60.0
"""A folder younger than this (seconds) may not be locked yet."""


def new_path() -> str:
    """Return a path for a temporary folder, which does not exist yet."""
    with _refused():
        return str(Path(tempfile.gettempdir()) / f"{PREFIX}{secrets.token_hex(8)}")


def make(folder: str) -> int | None:
    """Create a folder with access for this user only, and return its lock.

    The system releases the lock when the process ends, however it ends. So a folder without one is
    abandoned, and the next call removes it.
    """
    with _refused():
        folder.encode()
        Path(folder).mkdir(mode=0o700)
    _remove_abandoned(Path(folder).parent)
    return _lock(Path(folder))


def discard(folder: str, lock: int | None) -> None:
    """Remove a folder and release its lock."""
    shutil.rmtree(folder, ignore_errors=True)
    if lock is not None:
        with contextlib.suppress(OSError):
            os.close(lock)


def _lock(folder: Path) -> int | None:
    """Return a lock on a folder, or None if another process holds it or the system has none."""
    if fcntl is None:
        return None
    descriptor = None
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        if descriptor is not None:
            os.close(descriptor)
        return None
    return descriptor


def _remove_abandoned(parent: Path) -> None:
    for folder in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            facts = folder.lstat()
            if facts.st_uid != os.getuid() or time.time() - facts.st_mtime < YOUNG:
                continue
            if (lock := _lock(folder)) is not None:
                discard(str(folder), lock)


@contextlib.contextmanager
def _refused() -> Iterator[None]:
    """Turn errors about the temporary folder into input errors."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"no temporary folder can be made: {error.strerror}; set TMPDIR to a folder with space"
        ) from None
    except UnicodeError:
        raise InputError(
            "the path of the temporary folder is not UTF-8; set TMPDIR to another folder"
        ) from None
