"""Excel's sheets, as CSV: the XML in an .xlsx file is read cell by cell, within a budget.

Libraries lay out all cells from the first to the last one, which a sheet of two cells can place
10^10 apart; the process then ends without an exception.
"""

from __future__ import annotations

import csv
import lzma
import posixpath
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.parsers import expat

from tallymark.errors import InputError, choices, listed
from tallymark.reading.headers import MOST_COLUMNS, too_many_columns
from tallymark.reading.unpacking import Budget

_BLOCK = 1 << 18
_WORKBOOK = "xl/workbook.xml"

Event = tuple[str, str, Any]
"""What XML holds: ("start", tag, attributes), ("end", tag, None) or ("text", "", text)."""


def sheet_as_csv(path: str, target: Path, name: str, sheet: str | None, memory: int) -> int:
    """Write a sheet as CSV; return how many rows are empty before its first.

    Rows keep their places: an empty one is an empty line.

    Raises
    ------
    InputError
        What is no Excel workbook, unpacks to too much, or holds no or several sheets with data.

    """
    try:
        with open(path, "rb") as packed, zipfile.ZipFile(packed) as archive:  # noqa: PTH123
            book = _Workbook(archive, Budget(name, Path(path).stat().st_size, memory), name)
            rows = book.rows(book.chosen(sheet))
            before = 0
            with target.open("w", encoding="utf-8", newline="") as file:
                write, first = csv.writer(file, lineterminator="\n"), True
                for empty, row in rows:
                    if first:
                        before, first, width = empty, False, len(row)
                    else:
                        file.write("\n" * empty)
                        width = max(width, len(row))
                    write.writerow(row + [""] * (width - len(row)))
            return before
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, KeyError):
        what = "not an Excel workbook, or damaged"
    except (NotImplementedError, RuntimeError):  # of zipfile: another way of packing, a password
        what = "a locked Excel workbook, or compressed in an unusual way"
    except (expat.ExpatError, ValueError, IndexError, OSError) as error:
        if isinstance(error, InputError):
            raise
        what = "a damaged Excel workbook"
    raise InputError(f"{name} is {what}; save it again as .xlsx or CSV")


class _Workbook:
    """The sheets of a workbook, and the texts that they share."""

    def __init__(self, archive: zipfile.ZipFile, budget: Budget, name: str) -> None:
        self._archive, self._budget, self.name = archive, budget, name
        if _WORKBOOK not in archive.namelist():
            raise InputError(
                f"{name} is a zip archive, not an Excel workbook; unpack it and give the file in it"
            )
        targets: dict[str, str] = {}
        self._sheets: dict[str, str] = {}
        for tag, found in self._tags("xl/_rels/workbook.xml.rels"):
            if tag == "Relationship":
                targets[found.get("Id", "")] = posixpath.join("/xl", found.get("Target", ""))
        for tag, found in self._tags(_WORKBOOK):
            if tag == "sheet":
                place = next((v for k, v in found.items() if k.rpartition(":")[2] == "id"), "")
                self._sheets[found.get("name", "")] = posixpath.normpath(targets[place])[1:]
        self._texts: list[str] | None = None

    def chosen(self, asked: str | None) -> str:
        """Return the sheet that was asked for, or the only one with data."""
        if asked is not None:
            if asked not in self._sheets:
                raise InputError(
                    f"{self.name} has no sheet {asked!r}; {choices(asked, self._sheets)}"
                )
            return asked
        full = [s for s in self._sheets if self._has_table(s)]
        if not full:
            raise InputError(f"{self.name} has no sheet with data; give a header and rows")
        if len(full) > 1:
            raise InputError(
                f"{self.name} has {len(full)} sheets with data, {listed(full)}; say which with "
                f"sheet={full[0]!r}"
            )
        return full[0]

    def _has_table(self, sheet: str) -> bool:
        """Tell whether more than one cell is filled."""
        filled = (text for _, row in self.rows(sheet) for text in row if text)
        return next(filled, None) is not None and next(filled, None) is not None

    def rows(self, sheet: str) -> Iterator[tuple[int, list[str]]]:
        """Return the rows that are not empty, each behind how many that are."""
        if self._sheets[sheet] not in self._archive.namelist():  # a sheet of charts
            return
        if self._texts is None:
            shared = "xl/sharedStrings.xml"
            there = shared in self._archive.namelist()
            self._texts = list(_shared_texts(self.parsed(shared))) if there else []
        yield from _rows_of(self.parsed(self._sheets[sheet]), self._texts, self.name)

    def _tags(self, part: str) -> Iterator[tuple[str, dict[str, str]]]:
        for event, tag, found in self.parsed(part):
            if event == "start":
                yield tag, found

    def parsed(self, part: str) -> Iterator[Event]:
        """Return the events of a part's XML: start and end of a tag, and text."""
        events: list[Event] = []
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = lambda tag, found: events.append(
            ("start", tag.rpartition(":")[2], found)
        )
        parser.EndElementHandler = lambda tag: events.append(("end", tag.rpartition(":")[2], None))
        parser.CharacterDataHandler = lambda text: events.append(("text", "", text))
        parser.StartDoctypeDeclHandler = _refuse_doctype
        with self._archive.open(part) as file:
            while block := file.read(_BLOCK):
                self._budget.spend(len(block))
                parser.Parse(block, False)
                yield from events
                events.clear()
            parser.Parse(b"", True)
        yield from events


def _refuse_doctype(*_: Any) -> None:
    raise ValueError("a workbook declares no entities")


def _shared_texts(events: Iterator[Event]) -> Iterator[str]:
    """Return the texts that cells refer to by number, without what tells how they are spoken."""
    parts: list[str] = []
    inside = spoken = False
    for event, tag, found in events:
        if event == "text":
            if inside and not spoken:
                parts.append(found)
        elif tag == "t":
            inside = event == "start"
        elif tag == "rPh":
            spoken = event == "start"
        elif tag == "si" and event == "end":
            yield "".join(parts)
            parts = []


def _rows_of(
    events: Iterator[Event], shared: Sequence[str], name: str
) -> Iterator[tuple[int, list[str]]]:
    """Return the rows that are not empty, each behind how many that are."""
    last = number = column = 0
    cells: dict[int, str] = {}
    kind, parts, inside = "n", list[str](), False
    for event, tag, found in events:
        if event == "text":
            if inside:
                parts.append(found)
        elif tag in ("v", "t"):
            inside = event == "start"
        elif tag == "c" and event == "start":
            column = _column_of(found["r"]) if "r" in found else column + 1
            kind, parts = found.get("t", "n"), []
            if column > MOST_COLUMNS:
                raise too_many_columns(name)
        elif tag == "c":
            text = "".join(parts)
            if kind == "s" and text:
                text = shared[_place_of(text)]
            elif kind == "b":
                text = {"1": "true", "0": "false"}.get(text, text)
            if text.strip():
                cells[column] = text
        elif tag == "row" and event == "start":
            number = _place_of(found.get("r", str(number + 1)))
            cells, column = {}, 0
        elif tag == "row" and cells:
            if number <= last:
                raise ValueError("rows out of order")
            yield number - last - 1, [cells.get(i, "") for i in range(1, max(cells) + 1)]
            last = number


def _column_of(reference: str) -> int:
    """Return the number of a cell's column: 28 of AB7."""
    column = 0
    for letter in reference.rstrip("0123456789"):
        column = 26 * column + ord(letter) - 64
    if not 0 < column < 1 << 20:
        raise ValueError("no place of a cell")
    return column


def _place_of(text: str) -> int:
    """Return a number of a row or a text, of which Excel has at most 1,048,576."""
    place = int(text)
    if not 0 <= place <= 1 << 20:
        raise ValueError("no such place")
    return place
