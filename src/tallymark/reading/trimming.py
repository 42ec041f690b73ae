"""What stands around the table in a text file: titles and comments above it, totals below it."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from tallymark.errors import InputError
from tallymark.quantities import many
from tallymark.reading.headers import NUMBER, delimiter_of

_HEAD = 1 << 16
"""Bytes at either end that are looked at."""

_TOTALS = (
    "total", "totals", "grand total", "sum", "sums", "summe", "gesamt", "gesamtsumme", "insgesamt",
    "total général", "somme", "total general", "suma", "totale", "soma", "totaal", "razem",
    "итого", "всего", "合計", "合计", "总计",
)  # fmt: skip

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_Lines = list[tuple[int, str]]


def trimmed(path: str, target: Path, name: str) -> tuple[int, tuple[str, ...]] | None:
    """Copy a table without what stands around it; None where nothing does.

    Return how many lines stand above its header, and in words what was left out.
    """
    size = Path(path).stat().st_size
    with open(path, "rb") as file:  # noqa: PTH123
        head = file.read(_HEAD)
        file.seek(max(size - _HEAD, 0))
        tail = file.read()
    above = _lines(head, 0)
    if any(text.split()[:3] == ["inst#", "actual", "predicted"] for _, text in above[:9]):
        raise InputError(
            f"{name} is Weka's output as plain text; give Weka the option -classifications "
            "weka.classifiers.evaluation.output.prediction.CSV and save what it then prints"
        )
    skip, told = _above(above)
    if skip == len(above):
        return None
    header = above[skip][1]
    end, below_told = size, []
    last = [line for line in _lines(tail, max(size - _HEAD, 0)) if line[1].strip()]
    while told and last and last[-1][0] > above[skip][0] and last[-1][1].startswith("#"):
        end = last.pop()[0]
    if last and last[-1][0] > above[skip][0] and _is_total(path, last[-1][1], header):
        end, text = last[-1]
        below_told.append(f"a final line of totals left out ({text.strip()!r})")
    start = above[skip][0]
    if not skip and end == size:
        return None
    with open(path, "rb") as file, target.open("wb") as out:  # noqa: PTH123
        file.seek(start)
        left = end - start
        while left and (block := file.read(min(left, 1 << 20))):
            left -= len(block)
            out.write(block)
    return skip, (*told, *below_told)


def _lines(data: bytes, start: int) -> _Lines:
    """Return the lines of some bytes, each behind its place in the file."""
    text = [(start + m.start(), m[0].decode("utf-8-sig", "replace")) for m in _LINE.finditer(data)]
    return [(place, line.rstrip("\r\n")) for place, line in text if line]


def _fields(line: str, delimiter: str) -> list[str]:
    try:
        return [field.strip() for field in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:
        return [line.strip()]


def _above(lines: _Lines) -> tuple[int, list[str]]:
    """Return how many lines stand above the header, and what they are."""
    texts, told, at = [text for _, text in lines], list[str](), 0
    if texts and re.fullmatch(r"sep=[,;\t|][,;\s]*", texts[0], re.IGNORECASE):
        told, at = ["a line `sep=` above the header"], 1
    comments = 0
    while at < len(texts) - 1 and texts[at].startswith("#") and _is_comment(texts, at):
        at, comments = at + 1, comments + 1
    if comments:
        told.append(_many(comments, "comment line"))
    titles = _titles(texts[at:])
    if titles:
        told.append(_many(sum(map(bool, map(str.strip, texts[at : at + titles]))), "title line"))
    return at + titles, told


def _many(n: int, what: str) -> str:
    return f"{many(n, what)} above the header"


def _is_comment(texts: Sequence[str], at: int) -> bool:
    """Tell a comment from a header that begins with #, which has as many fields as its rows."""
    delimiter = delimiter_of(texts[at])
    fields, below = (len(_fields(text, delimiter)) for text in texts[at : at + 2])
    return fields == 1 or texts[at + 1].startswith("#") or fields != below


def _titles(texts: Sequence[str]) -> int:
    """Return how many lines of one filled field stand above names of several columns."""
    for at, text in enumerate(texts):
        if text.count('"') % 2:  # a name of several lines
            return 0
        delimiter = delimiter_of(text)
        fields = [f for f in _fields(text, delimiter) if f]
        if len(fields) < 2:
            continue
        wide = at + 1 < len(texts) and len(_fields(texts[at + 1], delimiter)) == len(
            _fields(text, delimiter)
        )
        first = [_fields(title, delimiter)[:1] for title in texts[:at]]
        named = at and wide and any(first[0]) and not any(map(NUMBER.fullmatch, fields))
        return at if named else 0
    return 0


def _is_total(path: str, line: str, header: str) -> bool:
    """Tell a line of totals: its one word says so and stands nowhere else, the rest are numbers."""
    delimiter = delimiter_of(header)
    filled = [field for field in _fields(line, delimiter) if field]
    words = [field for field in filled if not NUMBER.fullmatch(field)]
    if len(words) != 1 or words[0].casefold() not in _TOTALS:
        return False
    with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
        return sum(words[0] in _fields(text, delimiter) for text in file if words[0] in text) == 1
