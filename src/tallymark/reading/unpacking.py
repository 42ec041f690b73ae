"""Bytes where they can be read again: standard input, pipes and packed files are copied first.

A packed file may unpack to a thousand times its size, so that a budget bounds what is written.
"""

from __future__ import annotations

import contextlib
import lzma
import re
import shutil
import stat
import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from tallymark.errors import InputError, choices, listed

PACKED = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ", ".zst": b"\x28\xb5\x2f\xfd"}
"""How packed files end, and how they begin."""

HEAD = 4096
"""Bytes by which a file is known."""

STDIN = "standard input"
"""What messages call it."""

_BLOCK = 1 << 20
_TIMES = 100
"""A file may unpack to so many times its size, whatever the memory."""


class Budget:
    """What may come out of a packed file: 100 times its size, or ``memory`` where that is more."""

    def __init__(
        self,
        name: str,
        packed: int,
        memory: int,
        remedy: str = "unpack it first and give the file in it",
    ) -> None:
        self.name, self.most, self.remedy = name, max(_TIMES * packed, memory), remedy
        self.spent = 0

    def spend(self, size: int) -> None:
        """Count what came out, or what was built of it; refuse it where it is too much."""
        self.spent += size
        if self.spent > self.most:
            raise InputError(
                f"{self.name} unpacks to more than {self.most / 1e6:,.0f} MB, over {_TIMES} times "
                f"its size; if this is intended, {self.remedy}"
            )


@dataclass(frozen=True, slots=True)
class Written:
    """What was found when a file was written as text: lines above it, and what else to say."""

    above: int = 0
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Opened:
    """A file whose tables are written as text: which of them, within how much memory."""

    path: str
    name: str
    part: str | None
    memory: int

    def budget(self) -> Budget:
        """Return how much may come out of the file."""
        size = Path(self.path).stat().st_size
        return Budget(self.name, size, self.memory, "save the table as CSV, and give that")

    def chosen(self, names: Sequence[str], what: str, known: Sequence[str] = ()) -> str:
        """Return the one of several tables that was asked for, or the only one.

        ``names`` are those with data, the likeliest first, and ``known`` all of them.
        """
        known = known or names
        if self.part is not None and self.part not in known:
            raise InputError(
                f"{self.name} has no {what} {self.part!r}; {choices(self.part, known)}"
            )
        if self.part is None and not names:
            raise InputError(f"{self.name} has no {what} with data; give a header and rows")
        if self.part is None and len(names) > 1:
            raise InputError(
                f"{self.name} has {len(names)} {what}s with data, {listed(names)}; say which with "
                f"sheet={names[0]!r}"
            )
        return self.part if self.part is not None else names[0]


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
        with opened(path) as source, Path(place).open("wb") as target:
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


def zip_members(path: str) -> tuple[str, ...]:
    """Return the names of the files in a zip archive; none of a file that is no such archive."""
    if not first_bytes(path).startswith(b"PK"):
        return ()
    try:
        with zipfile.ZipFile(path) as archive:
            return tuple(n for n in archive.namelist() if not n.endswith("/"))
    except (zipfile.BadZipFile, OSError, ValueError):
        return ()


def unzipped(opened: Opened, known: Sequence[str], target: Path) -> tuple[str, str | None]:
    """Unpack the table of a zip archive: return its name, and which part of it was asked for.

    ``known`` are the ends of names of tables, which tell them from notes beside them.
    """
    names = [n for n in zip_members(opened.path) if not _HIDDEN.search(n)]
    tables = [n for n in names if Path(n).suffix.lower() in known] or names
    several = len(tables) > 1 or opened.part in names
    name = opened.chosen(tables, "file", names) if several else (tables or [""])[0]
    budget = Budget(opened.name, Path(opened.path).stat().st_size, opened.memory)
    try:
        with (
            zipfile.ZipFile(opened.path) as archive,
            archive.open(name) as packed,
            target.open("wb") as out,
        ):
            while block := packed.read(_BLOCK):
                budget.spend(len(block))
                out.write(block)
    except (NotImplementedError, RuntimeError):  # another way of packing, a password
        raise InputError(
            f"{opened.name} is locked, or compressed in an unusual way; unpack it and give the "
            "file in it"
        ) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, OSError, lzma.LZMAError):
        raise _broken(opened.name, ".zip") from None
    if not target.stat().st_size:
        raise InputError(f"{name} in {opened.name} is empty; give a file with a header and rows")
    return name, None if several else opened.part


_HIDDEN = re.compile(r"(^|/)(__MACOSX/|\.|Thumbs\.db$)")
"""What systems put into an archive beside the files."""


def opened(path: str) -> Any:
    """Return the bytes of a file, a pipe or standard input, as a context."""
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


_WHAT = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd", ".zip": "zip"}
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
