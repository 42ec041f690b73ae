"""Formats of a classification report: JSON, printed text, or a table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from tallymark import InputError
from tallymark.core import Cells, SmallFile
from tallymark.parts.reports.class_reports import (
    ClassReport,
    columns_of,
    is_head,
    printed_heads,
    report_of,
)


def report_in(file: SmallFile) -> ClassReport | None:
    """Return the report in a small file, or None for other contents.

    Raises
    ------
    InputError
        A report of rows with several labels, two reports in one file.

    """
    return (
        file.only_result(lambda data: _object_report(data, file.name))
        or _printed_report(file.text, file.name)
        or (_table_of_report(file.tables[0], file.name) if len(file.tables) == 1 else None)
    )


# -- JSON ----------------------------------------------------------------------------------------


def _object_report(data: Any, name: str) -> ClassReport | None:
    """Return the report of an object, or the report beside a matrix in it."""
    if not isinstance(data, Mapping):
        return None
    report = _lines_report(data, name)
    squares = [value for value in data.values() if _is_square(value)]
    if report is not None or not squares:
        return report
    inner = [_lines_report(v, name) for v in data.values() if isinstance(v, Mapping)]
    reports = [report for report in inner if report is not None]
    return replace(reports[0], beside=squares) if len(reports) == 1 else None


def _lines_report(data: Mapping[str, Any], name: str) -> ClassReport | None:
    lines = {k: v for k, v in data.items() if isinstance(v, Mapping)}
    if isinstance(accuracy := data.get("accuracy"), int | float):
        lines["accuracy"] = {"recall": accuracy}
    return report_of(lines, name)


def _is_square(value: Any) -> bool:
    """Tell whether a value of JSON is K rows of K counts."""
    return (
        isinstance(value, list)
        and len(value) > 1
        and all(isinstance(row, list) and len(row) == len(value) for row in value)
        and all(type(n) in (int, float) and n >= 0 and n % 1 == 0 for row in value for n in row)
    )


# -- text ----------------------------------------------------------------------------------------


_NUMBER = r"(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|nan)"


def _printed_report(text: str, name: str) -> ClassReport | None:
    """Read scikit-learn's classification_report as it is printed, and others like it."""
    lines = text.replace("|", " ").splitlines()
    heads = printed_heads(lines)
    if not heads:
        return None
    if len(heads) > 1:
        raise InputError(f"{name} holds {len(heads)} classification reports; keep one in a file")
    columns = columns_of(lines[heads[0]].split())
    rows: dict[str, dict[str, str]] = {}
    k = len(columns)
    for line in lines[heads[0] + 1 :]:
        m = re.fullmatch(rf"\s*(\S.*?)\s+((?:{_NUMBER}\s+){{{k - 1}}}{_NUMBER})\s*", line, re.I)
        if m:
            numbers = zip(columns, m[2].split(), strict=True)
            rows[m[1].strip()] = {c: v for c, v in numbers if c}
        elif short := re.fullmatch(rf"\s*accuracy\s+({_NUMBER})\s+\S+\s*", line, re.I):
            rows["accuracy"] = {"recall": short[1]}
        elif line.strip(" -:=") and len(rows) > 1:
            break
    report, beside = report_of(rows, name), list(_printed_squares(text))
    if report is not None and len(beside) > 1:
        raise InputError(f"{name} holds several matrices; keep one in a file")
    return None if report is None else replace(report, beside=beside)


def _printed_squares(text: str) -> Iterator[list[list[float]]]:
    """Yield the matrices that NumPy or a list of Python prints: [[70 30] [20 80]]."""
    if text.count("[[") > 3 or "[[[" in text:
        return
    for block in re.findall(r"\[\s*(\[[\d\s,.e+]+\](?:[\s,]*\[[\d\s,.e+]+\])+)\s*,?\s*\]", text):
        rows = [row.replace(",", " ").split() for row in re.findall(r"\[([^\]]*)\]", block)]
        numbers = all(re.fullmatch(_NUMBER, n) for row in rows for n in row)
        if numbers and all(len(row) == len(rows) for row in rows):
            yield [[float(n) for n in row] for row in rows]


# -- tables --------------------------------------------------------------------------------------


def _table_of_report(cells: Cells, name: str) -> ClassReport | None:
    """Read a report as a table, a line a class or a column a class."""
    if len(cells) < 4 or len({len(row) for row in cells} - {len(cells[0]) + 1}) > 1:
        return None
    for table in (cells, [list(column) for column in zip(*cells, strict=False)]):
        head, *rows = table
        if is_head(head):
            shift = 1 if rows and len(rows[0]) == len(head) + 1 else 0  # printed without a corner
            lines = {row[0]: dict(zip(head, row[shift:], strict=False)) for row in rows if row}
            return report_of(lines, name)
    return None
