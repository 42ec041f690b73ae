"""Bytes where they can be read again: standard input, pipes and packed files are copied first.

A packed file may unpack to a thousand times its size, so that a budget bounds what is written.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import re
import shutil
import stat
import sys
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from tallymark.errors import InputError, choices, listed
from tallymark.reading.names import is_usual

PACKED = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ", ".zst": b"\x28\xb5\x2f\xfd"}
"""How packed files end, and how they begin."""

HEAD = 4096
"""Bytes by which a file is known."""

STDIN = "standard input"
"""What messages call it."""

_BLOCK = 1 << 20
_TIMES = 100
"""Most that a file may grow on unpacking, as a multiple of its size, whatever the memory."""


class Budget:
    """What may come out of a packed file: 100 times its size, or ``memory`` where that is more."""

    def __init__(self, name: str, packed: int, memory: int, remedy: str) -> None:
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


Attribute = tuple[str, tuple[str, ...] | None]
"""A column that a file declares: its name, and its values if these are given."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was found when a file was written as text.

    So many lines stood ``above`` what was written, which was read in another way than usual as
    ``told``. Where it is known to be ``headed``, its first line is no row; where it has no header,
    the file declared its ``columns``, and what was written is CSV that has these for the signs of a
    ``quote``, of an ``escape`` within one and of a ``missing`` value. ``orders`` are the classes of
    columns that declare an order.
    """

    above: int = 0
    told: tuple[str, ...] = ()
    headed: bool = False
    columns: tuple[Attribute, ...] = ()
    quote: str = '"'
    escape: str = '"'
    missing: str = ""
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that is read: where its bytes lie, and what was said of it.

    ``part`` is which of its tables is wanted, ``header`` whether it has one, and ``memory`` bounds
    what is written of it. So many lines of the user's file stood ``above`` these bytes.
    """

    path: str
    name: str
    part: str | None
    memory: int
    header: bool | None = None
    above: int = 0

    def budget(self, remedy: str = "save the table as CSV, and give that") -> Budget:
        """Return how much may come out of the file."""
        return Budget(self.name, Path(self.path).stat().st_size, self.memory, remedy)

    def chosen(
        self, tables: Mapping[str, Iterable[str]], what: str, known: Collection[str] = ()
    ) -> str:
        """Return the one of several tables that was asked for, or the only one.

        ``tables`` are those with data and the names in them, ``known`` all that may be asked for.
        """
        known = known or tables
        if self.part is not None:
            if self.part not in known:
                raise InputError(
                    f"{self.name} has no {what} {self.part!r}; {choices(self.part, known)}"
                )
            return self.part
        likeliest = sorted(tables, key=lambda table: not any(map(is_usual, tables[table])))
        if not likeliest:
            raise InputError(f"{self.name} has no {what} with data; give a header and rows")
        if len(likeliest) > 1:
            raise InputError(
                f"{self.name} has {len(likeliest)} {what}s with data, {listed(likeliest)}; say "
                f"which with sheet={likeliest[0]!r}"
            )
        return likeliest[0]


def first_bytes(path: str) -> bytes:
    """Return the first bytes of a file."""
    with open(path, "rb") as file:  # noqa: PTH123
        return file.read(HEAD)


def copy_part(
    path: str, target: Path, start: int, end: int | None = None, before: bytes = b""
) -> None:
    """Copy the bytes of a file from a place on, behind some others."""
    with open(path, "rb") as file, target.open("wb") as out:  # noqa: PTH123
        file.seek(start)
        out.write(before)
        left = sys.maxsize if end is None else end - start
        while block := file.read(min(left, _BLOCK)):
            left -= len(block)
            out.write(block)


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
    head = first_bytes(place)
    if not head:
        raise _empty(name)
    suffix = next((s for s, begins in PACKED.items() if head.startswith(begins)), None)
    if suffix is None:
        if Path(path).suffix.lower() in PACKED:
            raise _broken(name, Path(path).suffix.lower())
        return place
    unpacked = Path(folder) / f"unpacked-{serial}"
    with Path(place).open("rb") as packed:
        _write_within(_unpacked(packed, name, suffix), unpacked, Opened(place, name, None, memory))
    if not unpacked.stat().st_size:
        raise _empty(name)
    return str(unpacked)


def _write_within(blocks: Iterator[bytes], target: Path, packed: Opened) -> None:
    """Write what comes out of a packed file, unless it is too much."""
    budget = packed.budget("unpack it first and give the file in it")
    with target.open("wb") as out:
        for block in blocks:
            budget.spend(len(block))
            out.write(block)


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
    name = (tables or [""])[0]
    if several:
        name = opened.chosen(dict.fromkeys(tables, ()), "file", names)
    try:
        with zipfile.ZipFile(opened.path) as archive, archive.open(name) as packed:
            _write_within(_blocks(packed), target, opened)
    except (NotImplementedError, RuntimeError):  # another way of packing, a password
        raise InputError(
            f"{opened.name} is locked, or compressed in an unusual way; unpack it and give the "
            "file in it"
        ) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, OSError, lzma.LZMAError):
        raise _broken(opened.name, ".zip") from None
    if not target.stat().st_size:
        raise _empty(f"{name} in {opened.name}")
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


def _blocks(file: Any) -> Iterator[bytes]:
    return iter(lambda: file.read(_BLOCK), b"")


def _empty(name: str) -> InputError:
    return InputError(f"{name} is empty; give a file with a header and rows")


def _broken(name: str, suffix: str) -> InputError:
    return InputError(
        f"{name} is not a complete {_WHAT[suffix]} file; compress or download it again"
    )


_WHAT = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd", ".zip": "zip"}
_MODULES: dict[str, Any] = {".gz": gzip, ".bz2": bz2, ".xz": lzma}


def _unpacked(packed: BinaryIO, name: str, suffix: str) -> Iterator[bytes]:
    if suffix == ".zst":
        yield from _zstd(packed, name)
        return
    try:
        with _MODULES[suffix].open(packed) as file:
            yield from _blocks(file)
    except (OSError, EOFError, zlib.error, lzma.LZMAError):
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
        for compressed in iter(lambda: packed.read(1024), b""):
            block = compressed
            while block:
                frame = frame or zstandard.ZstdDecompressor().decompressobj()
                yield frame.decompress(block)
                block, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
    except zstandard.ZstdError:
        raise _broken(name, ".zst") from None
    if frame is not None:
        raise _broken(name, ".zst")
