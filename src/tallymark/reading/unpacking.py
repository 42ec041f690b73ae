"""Bytes where they can be read again: standard input, pipes and packed files are copied first.

A packed file may unpack to a thousand times its size, so that a budget bounds what is written.
"""

from __future__ import annotations

import contextlib
import shutil
import stat
import sys
import zlib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from tallymark.errors import InputError
from tallymark.reading.kinds import HEAD, PACKED

STDIN = "standard input"
"""What messages call it."""

_BLOCK = 1 << 20
_TIMES = 100
"""A file may unpack to so many times its size, whatever the memory."""


class Budget:
    """What may come out of a packed file: 100 times its size, or ``memory`` where that is more."""

    def __init__(self, name: str, packed: int, memory: int) -> None:
        self.name, self.most = name, max(_TIMES * packed, memory)
        self.spent = 0

    def spend(self, size: int) -> None:
        """Take what came out; refuse it where it is too much."""
        self.spent += size
        if self.spent > self.most:
            raise InputError(
                f"{self.name} unpacks to more than {self.most / 1e6:,.0f} MB, over {_TIMES} times "
                "its size; if this is intended, unpack it first and give the file in it"
            )


def first_bytes(path: str) -> bytes:
    """Return the first bytes of a file."""
    with open(path, "rb") as file:  # noqa: PTH123
        return file.read(HEAD)


def received(path: str, folder: str, serial: int, memory: int) -> str:
    """Return where the bytes of a file, a pipe or standard input (``-``) lie, unpacked.

    Raises
    ------
    InputError
        Nothing to read, a packed file that is broken or unpacks to too much.

    """
    name, place = STDIN if path == "-" else Path(path).name, path
    if path == "-" or not Path(path).is_file():
        place = str(Path(folder) / f"received-{serial}")
        with _stream(path) as source, Path(place).open("wb") as target:
            shutil.copyfileobj(source, target, _BLOCK)
    size = Path(place).stat().st_size
    if not size:
        raise InputError(f"{name} is empty; give a file with a header and rows")
    head = first_bytes(place)
    suffix = next((s for s, begins in PACKED.items() if head.startswith(begins)), None)
    if suffix is None:
        if Path(path).suffix.lower() in PACKED:
            raise _broken(name, Path(path).suffix.lower())
        return place
    target_path = Path(folder) / f"unpacked-{serial}"
    budget = Budget(name, size, memory)
    with Path(place).open("rb") as packed, target_path.open("wb") as out:
        for block in _unpacked(packed, name, suffix):
            budget.spend(len(block))
            out.write(block)
    if not target_path.stat().st_size:
        raise InputError(f"{name} is empty; give a file with a header and rows")
    return str(target_path)


def _stream(path: str) -> Any:
    if path == "-" and (sys.stdin is None or sys.stdin.isatty()):
        raise InputError(f"{STDIN} is a terminal; pipe a file into it, or name one")
    if path == "-":
        return contextlib.nullcontext(sys.stdin.buffer)
    if stat.S_ISCHR(Path(path).stat().st_mode):
        raise InputError(f"{path!r} is a device; name a file")
    return open(path, "rb")  # noqa: PTH123


def _broken(name: str, suffix: str) -> InputError:
    return InputError(
        f"{name} is not a complete {_WHAT[suffix]} file; compress or download it again"
    )


_WHAT = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
_MODULES = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}


def _unpacked(packed: BinaryIO, name: str, suffix: str) -> Iterator[bytes]:
    if suffix == ".zst":
        yield from _zstd(packed, name)
        return
    module = import_module(_MODULES[suffix])  # which takes milliseconds, and few files are packed
    broken = (OSError, EOFError, zlib.error, getattr(module, "LZMAError", EOFError))
    try:
        with module.open(packed) as file:
            yield from iter(lambda: file.read(_BLOCK), b"")
    except broken:
        raise _broken(name, suffix) from None


def _zstd(packed: BinaryIO, name: str) -> Iterator[bytes]:
    try:
        import zstandard
    except ImportError:
        raise InputError(
            "reading .zst files needs zstandard; install it with: pip install 'tallymark[zstd]'"
        ) from None
    frame = None
    try:
        # What so few bytes hold fits into memory, although 4 of them may stand for 128 KB.
        for given in iter(lambda: packed.read(1024), b""):
            block = given
            while block:
                frame = frame or zstandard.ZstdDecompressor().decompressobj()
                yield frame.decompress(block)
                block, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
    except zstandard.ZstdError:
        raise _broken(name, ".zst") from None
    if frame is not None:
        raise _broken(name, ".zst")
