"""Excel's sheets, as CSV: the XML in an .xlsx file is read cell by cell, within a budget.

Libraries allocate all cells between the first and the last one. A sheet of two cells can place them
10^10 apart, which ends the process without an exception.
"""

from __future__ import annotations

import csv
import lzma
import posixpath
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from xml.parsers import expat

from tallymark import InputError
from tallymark.core import MOST_COLUMNS, Opened, Written, too_many_columns

_BLOCK_SIZE = 1 << 18
_WORKBOOK = "xl/workbook.xml"

MOST_LETTERS = 32_767
"""The number of characters that Excel allows in a cell."""

_BYTES_PER_TEXT = 60
"""Memory in bytes that a string needs besides its characters."""

Rows = Iterator[tuple[int, list[str]]]
"""The non-empty rows of a sheet, each after the number of empty rows before it."""

Event = tuple[str, str, Any]
"""An XML event: ("start", tag, attributes), ("end", tag, None) or ("text", "", text)."""


def sheet_as_csv(opened: Opened, target: Path) -> Written:
    """Write a sheet of an Excel workbook as CSV; see :func:`write_sheet`.

    Raises
    ------
    InputError
        The file is not an Excel workbook, is too large when unpacked, or has no sheet with data, or
        several.

    """
    name = opened.name
    try:
        with open(opened.path, "rb") as packed, zipfile.ZipFile(packed) as archive:  # noqa: PTH123
            book = _Workbook(archive, opened)
            return write_sheet(opened, book.sheets, book.rows, target)
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, KeyError):
        fault = "not an Excel workbook, or damaged"
    except (NotImplementedError, RuntimeError):  # zipfile: another compression, a password
        fault = "a locked Excel workbook, or compressed in an unusual way"
    except (expat.ExpatError, ValueError, IndexError, OSError) as error:
        if isinstance(error, InputError):
            raise
        fault = "a damaged Excel workbook"
    raise InputError(f"{name} is {fault}; save it again as .xlsx or CSV")


def write_sheet(
    opened: Opened, sheets: Collection[str], rows_of: Callable[[str], Rows], target: Path
) -> Written:
    """Write the requested sheet, or the only one with data, as CSV.

    An empty row becomes an empty line, so that line numbers stay right. ``above`` counts the empty
    rows before the first other one, which are not written.
    """
    texts_of = {}
    for sheet in sheets if opened.part is None else ():
        texts = [text for _, row in islice(rows_of(sheet), 50) for text in row if text]
        if len(texts) > 1:
            texts_of[sheet] = texts
    rows, budget = rows_of(opened.chosen(texts_of, "sheet", sheets)), opened.budget()
    above, width = None, 0
    with target.open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file, lineterminator="\n")
        for empty, row in rows:
            if above is None:
                above = empty
            else:
                file.write("\n" * empty)
            width = max(width, len(row))
            # A shared string is unpacked once but written for every cell that refers to it.
            budget.spend(empty + width + sum(map(len, row)))
            write.writerow([*row, *[""] * (width - len(row))])
    return Written(above or 0)


class _Workbook:
    """The sheets of a workbook, and their shared strings."""

    def __init__(self, archive: zipfile.ZipFile, opened: Opened) -> None:
        self._archive, self._name = archive, opened.name
        self._budget = opened.budget()
        targets: dict[str, str] = {}
        self.sheets: dict[str, str] = {}
        for tag, attributes in self._start_tags("xl/_rels/workbook.xml.rels"):
            if tag == "Relationship":
                targets[attributes.get("Id", "")] = posixpath.join(
                    "/xl", attributes.get("Target", "")
                )
        for tag, attributes in self._start_tags(_WORKBOOK):
            if tag == "sheet":
                relation = next(
                    (v for k, v in attributes.items() if k.rpartition(":")[2] == "id"), ""
                )
                self.sheets[attributes.get("name", "")] = posixpath.normpath(targets[relation])[1:]
        self._texts: list[str] | None = None

    def rows(self, sheet: str) -> Rows:
        """Yield the rows of a sheet, none for a sheet of charts."""
        if self.sheets[sheet] not in self._archive.namelist():
            return
        if self._texts is None:
            shared = "xl/sharedStrings.xml"
            self._texts = []
            if shared in self._archive.namelist():
                for text in _shared_texts(self._events(shared), self._name):
                    self._budget.spend(_BYTES_PER_TEXT)  # its characters were counted when unpacked
                    self._texts.append(text)
        yield from _rows_of(self._events(self.sheets[sheet]), self._texts, self._name)

    def _start_tags(self, part: str) -> Iterator[tuple[str, dict[str, str]]]:
        for event, tag, attributes in self._events(part):
            if event == "start":
                yield tag, attributes

    def _events(self, part: str) -> Iterator[Event]:
        """Yield the events of an XML file in the archive: start and end of a tag, and text."""
        events: list[Event] = []
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = lambda tag, attributes: events.append(
            ("start", tag.rpartition(":")[2], attributes)
        )
        parser.EndElementHandler = lambda tag: events.append(("end", tag.rpartition(":")[2], None))
        parser.CharacterDataHandler = lambda text: events.append(("text", "", text))
        parser.StartDoctypeDeclHandler = _refuse_doctype
        with self._archive.open(part) as file:
            while block := file.read(_BLOCK_SIZE):
                self._budget.spend(len(block))
                parser.Parse(block, False)
                yield from events
                events.clear()
            parser.Parse(b"", True)
        yield from events


def _refuse_doctype(*_: Any) -> None:
    raise ValueError("a workbook declares no entities")


def _extended(text: str, part: str, name: str) -> str:
    """Return the text of a cell, extended; raise InputError if it is longer than Excel allows."""
    if len(text) + len(part) > MOST_LETTERS:
        raise InputError(
            f"{name} has a cell of more than {MOST_LETTERS:,} letters, more than Excel writes; "
            "leave out that column, or save the table as CSV"
        )
    return text + part


def _shared_texts(events: Iterator[Event], name: str) -> Iterator[str]:
    """Yield the shared strings, which cells refer to by number, without their phonetic guides."""
    text, inside, phonetic = "", False, False
    for event, tag, value in events:
        if event == "text":
            if inside and not phonetic:
                text = _extended(text, value, name)
        elif tag == "t":
            inside = event == "start"
        elif tag == "rPh":
            phonetic = event == "start"
        elif tag == "si" and event == "end":
            yield text
            text = ""


def _rows_of(events: Iterator[Event], shared: Sequence[str], name: str) -> Rows:
    """Yield the rows of a sheet."""
    last = number = column = 0
    cells: dict[int, str] = {}
    kind, text, inside = "n", "", False
    for event, tag, value in events:
        if event == "text":
            if inside:
                text = _extended(text, value, name)
        elif tag in ("v", "t"):
            inside = event == "start"
        elif tag == "c" and event == "start":
            column = _column_of(value["r"]) if "r" in value else column + 1
            kind, text = value.get("t", "n"), ""
            if column > MOST_COLUMNS:
                raise too_many_columns(name)
        elif tag == "c":
            if kind == "s" and text:
                text = shared[_index_of(text)]
            elif kind == "b":
                text = {"1": "true", "0": "false"}.get(text, text)
            if text.strip():
                cells[column] = text
        elif tag == "row" and event == "start":
            number = _index_of(value.get("r", str(number + 1)))
            cells, column = {}, 0
        elif tag == "row" and cells:
            if number <= last:
                raise ValueError("rows out of order")
            yield number - last - 1, [cells.get(i, "") for i in range(1, max(cells) + 1)]
            last = number


def _column_of(reference: str) -> int:
    """Return the number of a cell's column: 28 for AB7."""
    column = 0
    for letter in reference.rstrip("0123456789"):
        column = 26 * column + ord(letter) - 64
    if not 0 < column < 1 << 20:
        raise ValueError("no place of a cell")
    return column


def _index_of(text: str) -> int:
    """Return the number of a row or of a shared string; Excel has at most 1,048,576 of each."""
    index = int(text)
    if not 0 <= index <= 1 << 20:
        raise ValueError("no such place")
    return index
