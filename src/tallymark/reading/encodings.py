"""Convert text of any encoding and any line ends to UTF-8 with line feeds."""

from __future__ import annotations

import codecs
from pathlib import Path

from tallymark.errors import InputError
from tallymark.reading.unpacking import Opened, Written, first_bytes

_BLOCK = 1 << 20


def plain_text(opened: Opened, target: Path) -> Written:
    """Copy a text as UTF-8 with line feeds.

    Text that is not UTF-8 is read as cp1252, which includes latin-1; a note says it is a guess.
    """
    head = first_bytes(opened.path)
    marked = utf16_of(head) or ("utf-8-sig" if head.startswith(codecs.BOM_UTF8) else None)
    for encoding in (marked,) if marked else ("utf-8-sig", "cp1252"):
        try:
            with (
                open(opened.path, encoding=encoding) as text,  # noqa: PTH123
                target.open("w", encoding="utf-8", newline="\n") as out,
            ):
                while block := text.read(_BLOCK):
                    if encoding != "utf-8-sig" and "\0" in block:
                        raise InputError(
                            f"{opened.name} holds bytes that are not text; save the table as CSV "
                            "in UTF-8"
                        )
                    out.write(block)
        except UnicodeError:
            continue
        notes = {"utf-8-sig": (), "cp1252": ("cp1252 (a guess)",)}.get(encoding, ("UTF-16",))
        return Written(0, notes)
    what = (
        f"not well-formed {marked[:6].rstrip('-').upper()}"
        if marked
        else "text neither in UTF-8 nor in cp1252 (latin-1)"
    )
    raise InputError(f"{opened.name} is {what}; save it as UTF-8")


def refuse_long_lines(opened: Opened) -> None:
    """Refuse a line that is too long: DuckDB would skip some silently.

    A line of 2 MB contains a whole block of 1 MB, so checking each block suffices.
    """
    size = Path(opened.path).stat().st_size
    with open(opened.path, "rb") as file:  # noqa: PTH123
        for start in range(0, size - _BLOCK + 1, _BLOCK):
            file.seek(start)
            if not _ends_a_line(file.read(1 << 12)) and not _ends_a_line(file.read(_BLOCK - 4096)):
                file.seek(0)
                line = 1 + sum(file.read(_BLOCK).count(b"\n") for _ in range(start // _BLOCK))
                raise InputError(
                    f"{opened.name} has a line of more than 1 MB, line {line}; correct that line, "
                    "or leave out the column of long strings"
                )


def _ends_a_line(block: bytes) -> bool:
    return b"\n" in block or b"\r" in block


def utf16_of(head: bytes) -> str | None:
    """Return the UTF-16 encoding detected by byte order mark or by zero bytes, else None.

    >>> utf16_of("label;score".encode("utf-16")), utf16_of(b"label;score")
    ('utf-16', None)
    """
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    half = len(head) // 2
    # In UTF-16, letters, digits and separators have one zero byte each.
    if half and head[1::2].count(0) > 0.7 * half > 10 * head[::2].count(0):
        return "utf-16-le"
    if half and head[::2].count(0) > 0.7 * half > 10 * head[1::2].count(0):
        return "utf-16-be"
    return None
