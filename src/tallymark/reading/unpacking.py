"""Make input re-readable: copy standard input and pipes, unpack compressed files.

A compressed file may expand a thousandfold, so a budget limits the output.
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
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from tallymark.errors import InputError, choices, listed
from tallymark.reading.names import is_usual

PACKED = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ", ".zst": b"\x28\xb5\x2f\xfd"}
"""File endings and magic bytes of compressed files."""

HEAD = 4096
"""Number of bytes that identify a file."""

STDIN = "standard input"
"""The name of standard input in messages."""

_BLOCK = 1 << 20
_TIMES = 100
"""Expansion factor that is always allowed on unpacking, whatever the memory limit."""


class Budget:
    """The size limit of an unpacked file: 100 times its size, or ``memory`` if that is more."""

    def __init__(self, name: str, packed: int, memory: int, remedy: str) -> None:
        self.name, self.most, self.remedy = name, max(_TIMES * packed, memory), remedy
        self.spent = 0

    def spend(self, size: int) -> None:
        """Add bytes that were unpacked or derived; refuse to exceed the limit."""
        self.spent += size
        if self.spent > self.most:
            raise InputError(
                f"{self.name} unpacks to more than {self.most / 1e6:,.0f} MB, over {_TIMES} times "
                f"its size; if this is intended, {self.remedy}"
            )


Attribute = tuple[str, tuple[str, ...] | None]
"""A column that a file declares: its name, and its values if known."""


@dataclass(frozen=True, slots=True)
class Written:
    """The result of converting a file to text.

    ``above`` is the number of lines skipped before the text, ``notes`` say what was not
    read literally. ``headed`` says that the first line is a header; if the file declares its
    ``columns``, the text is CSV without a header, with the given ``quote``, ``escape`` and
    ``missing`` signs. ``orders`` are the categories of columns that declare an order.
    """

    above: int = 0
    notes: tuple[str, ...] = ()
    headed: bool = False
    columns: tuple[Attribute, ...] = ()
    quote: str = '"'
    escape: str = '"'
    missing: str = ""
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Opened:
    """A file to read: the path of its bytes, and the user's options.

    ``part`` selects a table, ``header`` says whether it has one, and ``memory`` limits the unpacked
    size. ``above`` is the number of lines of the user's file before these bytes.
    """

    path: str
    name: str
    part: str | None
    memory: int
    header: bool | None = None
    above: int = 0

    def budget(self, remedy: str = "save the table as CSV, and give that") -> Budget:
        """Return the size limit for output unpacked from the file."""
        return Budget(self.name, Path(self.path).stat().st_size, self.memory, remedy)

    def chosen(
        self, tables: Mapping[str, Iterable[str]], what: str, available: Collection[str] = ()
    ) -> str:
        """Return the requested table of several, or the only one.

        ``tables`` are non-empty tables with their names, ``available`` all that may be requested.
        """
        available = available or tables
        if self.part is not None:
            if self.part not in available:
                raise InputError(
                    f"{self.name} has no {what} {self.part!r}; {choices(self.part, available)}"
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
    """Copy the bytes of a file from an offset on, after a prefix."""
    with open(path, "rb") as file, target.open("wb") as out:  # noqa: PTH123
        file.seek(start)
        out.write(before)
        remaining = sys.maxsize if end is None else end - start
        while block := file.read(min(remaining, _BLOCK)):
            remaining -= len(block)
            out.write(block)


def received(path: str, folder: str, serial: int, memory: int) -> str:
    """Return the path of the unpacked bytes of a file, a pipe or standard input (``-``).

    Raises
    ------
    InputError
        Empty input, or a compressed file that is broken or too large.

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
    """Write the unpacked bytes, within the limit."""
    budget = packed.budget("unpack it first and give the file in it")
    with target.open("wb") as out:
        for block in blocks:
            budget.spend(len(block))
            out.write(block)


def zip_members(path: str) -> tuple[str, ...]:
    """Return the names of the files in a zip archive; empty for other files."""
    if not first_bytes(path).startswith(b"PK"):
        return ()
    try:
        with zipfile.ZipFile(path) as archive:
            return tuple(n for n in archive.namelist() if not n.endswith("/"))
    except (zipfile.BadZipFile, OSError, ValueError):
        return ()


def unzipped(opened: Opened, endings: Sequence[str], target: Path) -> tuple[str, str | None]:
    """Unpack the table in a zip archive; return its name and the requested part.

    ``endings`` are those of tables, which exclude notes in the archive.
    """
    names = [n for n in zip_members(opened.path) if not _HIDDEN.search(n)]
    tables = [n for n in names if Path(n).suffix.lower() in endings] or names
    several = len(tables) > 1 or opened.part in names
    name = (tables or [""])[0]
    if several:
        name = opened.chosen(dict.fromkeys(tables, ()), "file", names)
    try:
        with zipfile.ZipFile(opened.path) as archive, archive.open(name) as packed:
            _write_within(_blocks(packed), target, opened)
    except (NotImplementedError, RuntimeError):  # another compression method, or a password
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
"""Files that operating systems add to archives."""


def opened(path: str) -> Any:
    """Return the bytes of a file, a pipe or standard input, as a context."""
    if path == "-" and (sys.stdin is None or sys.stdin.isatty()):
        raise InputError(f"{STDIN} is a terminal; pipe a file into it, or name one")
    if path == "-":
        return contextlib.nullcontext(sys.stdin.buffer)
    if stat.S_ISCHR(Path(path).stat().st_mode):
        raise InputError(f"{path!r} is a device; name a file")
    return open(path, "rb")  # noqa: PTH123


@contextlib.contextmanager
def standard_input() -> Iterator[str]:
    """Yield the path of a copy of standard input, named like it, which can be read again."""
    with TemporaryDirectory() as folder:
        place = Path(folder) / STDIN
        with opened("-") as source, place.open("wb") as target:
            shutil.copyfileobj(source, target, _BLOCK)
        yield str(place)


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
        # The output of so few bytes fits into memory, although 4 of them may stand for 128 KB.
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
