"""Write output files atomically, and write to pipes and devices directly."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import sys
from pathlib import Path

from tallymark.contract import read
from tallymark.errors import InputError

STANDARD_OUTPUT = "-"

_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")
_STANDARD = {"/dev/stdout": 1, "/dev/stderr": 2}


def is_file(path: str | os.PathLike[str]) -> bool:
    """Return whether writing creates or replaces a regular file (no pipe, device or open file)."""
    name = os.fspath(path)
    if name == STANDARD_OUTPUT or _descriptor(name) is not None:
        return False
    try:
        return stat.S_ISREG(os.stat(name).st_mode)  # noqa: PTH116
    except OSError:
        return True


def _descriptor(name: str) -> int | None:
    """Return the file descriptor that a path such as /dev/stdout or /dev/fd/3 refers to."""
    numbered = _DESCRIPTOR.fullmatch(name)
    return int(numbered[1]) if numbered else _STANDARD.get(name)


def ready(path: str | os.PathLike[str]) -> Path:
    """Return the path if a file can be written there; raise an error before any long work."""
    path = Path(read("path", path))
    if str(path) == STANDARD_OUTPUT or _descriptor(str(path)) is not None:
        return path
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; name a file in it")
    place = Path(os.path.realpath(path)) if path.is_symlink() and is_file(path) else path
    folder = place.parent
    if not folder.is_dir():
        raise InputError(
            f"the folder {str(folder)!r} for {place.name} does not exist; create it first"
        )
    beside = not is_file(path) or os.access(folder, os.W_OK)
    if not beside or (path.exists() and not os.access(path, os.W_OK)):
        raise InputError(f"{str(path)!r} cannot be written; choose a writable path")
    return path


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text as UTF-8 atomically, flush it to the disk, and return the path.

    An existing file keeps its mode, and a symbolic link keeps pointing to it. Pipes, devices, open
    files such as /dev/stdout and standard output, ``-``, are written to, never replaced.
    """
    path = ready(path)
    try:
        if is_file(path):
            _replace(Path(os.path.realpath(path)), text)
        else:
            _pass_on(path, text)
    except BrokenPipeError:  # the reader closed the pipe: the command line exits quietly
        raise
    except OSError as error:
        raise InputError(
            f"{str(path)!r} cannot be written: {error.strerror}; choose a place where you may write"
        ) from None
    return path


def _replace(place: Path, text: str) -> None:
    beside = place.with_name(f".tallymark.{os.urandom(8).hex()}.part")
    try:
        with beside.open("x", encoding="utf-8", newline="\n") as file:
            if place.exists():
                beside.chmod(stat.S_IMODE(place.stat().st_mode))
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(place)
        _sync_folder(place.parent)
    finally:
        beside.unlink(missing_ok=True)


def _pass_on(path: Path, text: str) -> None:
    if str(path) == STANDARD_OUTPUT:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    number = _descriptor(str(path))
    for stream in (sys.stdout, sys.stderr) if number is not None else ():
        stream.flush()  # keep the order with text printed before
    # Opening the path of a file behind /dev/stdout would overwrite it from the start.
    handle = os.open(path, os.O_WRONLY) if number is None else os.dup(number)
    with open(handle, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123
        file.write(text)


def _sync_folder(folder: Path) -> None:
    """Flush the directory entry to the disk, where the system allows opening directories."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
