"""Files that hold finished results: confusion matrices, classification reports, numbers alone."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from tallymark.errors import InputError, listed
from tallymark.reading.class_reports import ClassReport, column_of, rebuilt, report_of
from tallymark.reading.encodings import utf16_of
from tallymark.reading.leaderboards import refuse_numbers
from tallymark.reading.names import is_count, is_usual
from tallymark.reading.squares import Side, Square, axes_of, labels_of, same_names, side_of
from tallymark.reading.unpacking import opened
from tallymark.tally.arrays import Label

MOST_BYTES = 1_000_000
"""Finished results are small: longer files are rows."""
_MOST_LINES = 1100

Cells = list[list[str]]


def finished(path: str, *, any_square: bool = False) -> Square | None:
    """Return the finished result that a small file holds, or None where it holds anything else.

    With ``any_square`` a square of numbers is a matrix whatever its columns are called.

    Raises
    ------
    InputError
        A report that no counts give, two results in one file, numbers without predictions.

    """
    name, data = Path(path).name, _bytes(path, pipe=any_square)
    if data is None:
        return None
    if data.startswith(b"\x93NUMPY"):
        return _numpy_file(data)
    text = _text(data)
    if text is None or not text.strip():
        return None
    found = (
        _json_result(text, name)
        or _printed_report(text, name)
        or _weka_matrix(text)
        or _printed_array(text, name)
        or _printed_counts(text)
    )
    if isinstance(found, ClassReport):
        return _of_report(found, _printed_array(text, name), name)
    return found or _of_cells(text, name, any_square=any_square)


def _bytes(path: str, *, pipe: bool) -> bytes | None:
    """Return the bytes of a small file, or of what can be read once; None of anything else."""
    try:
        if pipe and path == "-":
            with opened(path) as file:
                data: bytes = file.read(MOST_BYTES + 1)
            return data if len(data) <= MOST_BYTES else None
        place = Path(path)
        small = place.is_file() and place.stat().st_size <= MOST_BYTES
        return place.read_bytes() if small else None
    except (OSError, ValueError):
        return None


def _text(data: bytes) -> str | None:
    encoding = utf16_of(data[:4096])
    if encoding is None and b"\0" in data[:4096]:
        return None
    try:
        text = data.decode(encoding or "utf-8-sig").lstrip("\ufeff")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _numpy_file(data: bytes) -> Square | None:
    try:
        array = np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, OSError, EOFError, SyntaxError, MemoryError, TokenError):
        return None  # a damaged header
    whole = array.dtype.kind in "iu" and array.ndim == 2 and array.shape[0] == array.shape[1] > 1
    return Square(array.astype(np.float64), kind="a NumPy array") if whole else None


def _of_report(report: ClassReport, beside: Square | None, name: str) -> Square:
    """Return the counts of a report; those of the matrix that stands beside it, if there is."""
    square = rebuilt(report, name)
    if beside is not None and beside.counts.shape == square.counts.shape:
        support = square.counts.sum(1)
        axes: dict[Side, int] = {"truth": 1, "prediction": 0}
        for side, axis in axes.items():
            if np.array_equal(beside.counts.sum(axis), support):
                kind = "a confusion matrix beside a classification report"
                rows = square.rows
                return Square(beside.counts, rows, rows, rows_are=side, kind=kind)
    return square


# -- JSON ----------------------------------------------------------------------------------------

_MATRIX_KEYS = (
    "confusionmatrix", "confmatrix", "confmat", "confusion", "matrix", "cm", "counts", "table",
)  # fmt: skip
_LABEL_KEYS = (
    "labels", "label", "classes", "classnames", "targetnames", "categories", "names", "index",
    "class",
)  # fmt: skip
"""What JSON calls a matrix and its classes, in the order in which they are looked for."""

FOUR = {
    "tp": ("true", "positive"),
    "fn": ("false", "negative"),
    "fp": ("false", "positive"),
    "tn": ("true", "negative"),
}
"""The four counts of two classes, in short and in words."""


def _json_result(text: str, name: str) -> Square | ClassReport | None:
    """Read a report or a matrix that JSON holds, at any depth of objects."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    found = list(_results_in(data, name, ()))
    if len(found) > 1:
        names = listed([".".join(where) or "the whole" for where, _ in found])
        raise InputError(
            f"{name} holds {len(found)} finished results ({names}); keep one in a file"
        )
    if found:
        return found[0][1]
    if isinstance(data, Mapping):
        refuse_numbers(*_flat(data), name)
    return None


def _flat(data: Mapping[str, Any]) -> tuple[list[str], Cells]:
    """Return the numbers of an object, and of objects in it, as a table of one line."""
    flat: dict[str, str] = {}
    for key, value in data.items():
        inner = value.items() if isinstance(value, Mapping) else ((key, value),)
        flat |= {k: str(v) for k, v in inner if isinstance(v, int | float | str)}
    return list(flat), [list(flat.values())]


def _results_in(
    data: Any, name: str, where: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Square | ClassReport]]:
    """Yield the results that JSON holds, and the keys that lead to them."""
    made: Square | ClassReport | None = None
    if isinstance(data, list) and not where:
        made = _listed_square(data)
    elif isinstance(data, Mapping) and len(where) <= 4:
        made = _object_result(data, name)
        if made is None:
            for key, value in data.items():
                yield from _results_in(value, name, (*where, str(key)))
    if made is not None:
        yield where, made


def _report(data: Mapping[str, Any], name: str) -> ClassReport | None:
    lines = {k: v for k, v in data.items() if isinstance(v, Mapping)}
    if isinstance(accuracy := data.get("accuracy"), int | float):
        lines["accuracy"] = {"recall": accuracy}
    return report_of(lines, name)


def _object_result(data: Mapping[str, Any], name: str) -> Square | ClassReport | None:
    if (report := _report(data, name)) is not None:
        return report
    if set(data) >= {"columns", "index", "data"}:  # pandas' orient="split"
        table = [
            ["", *data["columns"]],
            *([i, *row] for i, row in zip(data["index"], data["data"], strict=False)),
        ]
        return _square([[str(c) for c in row] for row in table])
    plain = {re.sub("[^a-z]", "", k.casefold()): v for k, v in data.items()}
    if "actualvector" in plain and "matrix" in plain:
        return _pycm(plain)
    matrix = next((plain[k] for k in _MATRIX_KEYS if k in plain), None)
    names = next((plain[k] for k in _LABEL_KEYS if isinstance(plain.get(k), list)), None)
    square = _listed_square(matrix) if isinstance(matrix, list) else None
    reports = [r for v in data.values() if isinstance(v, Mapping) and (r := _report(v, name))]
    if square is not None and len(reports) == 1:
        return _of_report(reports[0], square, name)
    if square is not None:
        if names is None or not 0 < len(names) <= len(square.counts):
            return square
        labels = labels_of(names)
        return replace(square, rows=labels, columns=labels)
    return _four_counts(plain) or _nested(
        matrix if isinstance(matrix, Mapping) else data, sure=matrix is not None
    )


def _pycm(data: Mapping[str, Any]) -> Square:
    """Read what PyCM saves: [[true class, [[predicted class, count], ...]], ...]."""
    lines = {str(true): {str(p): n for p, n in line} for true, line in data["matrix"]}
    classes = list(dict.fromkeys([*lines, *(p for line in lines.values() for p in line)]))
    counts = np.array([[lines.get(t, {}).get(p, 0) for p in classes] for t in classes], np.float64)
    labels = labels_of(classes)
    side: Side = "prediction" if data.get("transpose") else "truth"
    return Square(counts, labels, labels, rows_are=side, kind="a matrix of PyCM")


def _nested(data: Mapping[str, Any], *, sure: bool) -> Square | None:
    """Read {class: {class: count}}, whose outer names are rows or, of pandas, columns."""
    if len(data) < 2 or not all(isinstance(v, Mapping) for v in data.values()):
        return None
    inner = list(dict.fromkeys(k for v in data.values() for k in v))
    numbers = [[v.get(k, 0) for k in inner] for v in data.values()]
    if not all(isinstance(n, int | float) for row in numbers for n in row):
        return None
    counts, same = np.array(numbers, np.float64), set(data) == set(inner)
    words = {side_of(k) for k in (*data, *inner)} - {None}
    if not same and len(words) < 2:
        return None
    if same and not sure and not np.array_equal(counts, np.trunc(counts)):
        return None
    return Square(
        counts,
        labels_of(data),
        labels_of(inner),
        doubtful=same and not np.array_equal(counts, counts.T),
        kind="a confusion matrix {class: {class: count}}",
    )


def _listed_square(data: Sequence[Any]) -> Square | None:
    """Return a list of equally long lists as a square; names may be in its first row and column."""
    if len(data) < 2 or not all(isinstance(row, list) and len(row) == len(data) for row in data):
        return None
    if all(_is_count(v) for row in data for v in row):
        return Square(np.array(data, np.float64))
    cells = [["" if v is None else str(v) for v in row] for row in data]
    return _square(cells)


def _is_count(value: Any) -> bool:
    return type(value) in (int, float) and _whole(value)


def _four_counts(plain: Mapping[str, Any]) -> Square | None:
    """Read an object with the four counts of two classes beside other numbers."""
    by_name = {key.removesuffix("s"): v for key, v in plain.items()}
    four = [by_name.get(k, by_name.get("".join(words))) for k, words in FOUR.items()]
    if not all(_is_count(v) for v in four) or len(plain) == 4:  # four alone are read as a table
        return None
    return _two_by_two(four)


def _two_by_two(four: Sequence[Any]) -> Square:
    tp, fn, fp, tn = map(float, four)
    names: tuple[Label, ...] = ("negative", "positive")
    counts = np.array([[tn, fp], [fn, tp]])
    kind = "the four counts"
    return Square(counts, names, names, rows_are="truth", positive="positive", kind=kind)


# -- text ----------------------------------------------------------------------------------------

_NUMBER = r"(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|nan)"


def _printed_report(text: str, name: str) -> ClassReport | None:
    """Read scikit-learn's classification_report as it is printed, and others like it."""
    lines = text.replace("|", " ").splitlines()
    heads = [i for i, line in enumerate(lines) if _is_report_head(line)]
    if not heads:
        return None
    if len(heads) > 1:
        raise InputError(f"{name} holds {len(heads)} classification reports; keep one in a file")
    columns = list(map(column_of, lines[heads[0]].split()))
    found: dict[str, dict[str, str]] = {}
    k = len(columns)
    for line in lines[heads[0] + 1 :]:
        m = re.fullmatch(rf"\s*(\S.*?)\s+((?:{_NUMBER}\s+){{{k - 1}}}{_NUMBER})\s*", line, re.I)
        if m:
            numbers = zip(columns, m[2].split(), strict=True)
            found[m[1].strip()] = {c: v for c, v in numbers if c}
        elif short := re.fullmatch(rf"\s*accuracy\s+({_NUMBER})\s+\S+\s*", line, re.I):
            found["accuracy"] = {"recall": short[1]}
        elif line.strip(" -:=") and len(found) > 1:
            break
    return report_of(found, name)


def _is_report_head(line: str) -> bool:
    words = line.split()
    found = {column_of(word) for word in words}
    return {"precision", "recall", "support"} <= found and "," not in line


def _printed_array(text: str, name: str) -> Square | None:
    """Read a matrix as NumPy, PyTorch, TensorFlow or a list of Python prints it."""
    is_rows = text.lstrip()[:1] == "{" or text.count("\n") > _MOST_LINES
    if is_rows or not 0 < text.count("[[") <= 3 or "[[[" in text:
        return None
    found = re.findall(r"\[\s*(\[[\d\s,.e+]+\](?:[\s,]*\[[\d\s,.e+]+\])+)\s*,?\s*\]", text)
    tables = [
        [row.replace(",", " ").split() for row in re.findall(r"\[([^\]]*)\]", block)]
        for block in found
    ]
    squares = [rows for rows in tables if all(len(row) == len(rows) for row in rows)]
    if len(squares) > 1:
        raise InputError(f"{name} holds several matrices; keep one in a file")
    if not squares or not all(re.fullmatch(_NUMBER, v) for row in squares[0] for v in row):
        return None
    return Square(np.array(squares[0], np.float64))


def _weka_matrix(text: str) -> Square | None:
    """Read Weka's matrix: ``a b <-- classified as`` above lines such as ``7 2 | a = yes``."""
    if "<-- classified as" not in text:
        return None
    rows = re.findall(r"^\s*((?:[\d.]+\s+)+)\|\s*\w+\s*=\s*(.*?)\s*$", text, re.MULTILINE)
    counts = [[float(v) for v in numbers.split()] for numbers, _ in rows]
    if not counts or any(len(row) != len(counts) for row in counts):
        return None
    classes = labels_of(label for _, label in rows)
    return Square(np.array(counts), classes, classes, rows_are="truth", kind="Weka's matrix")


def _printed_counts(text: str) -> Square | None:
    """Read lines such as ``tp : 69.0`` or ``true_positives: 69``, as Keras prints metrics."""
    four = []
    for short, (first, second) in FOUR.items():
        name = rf"\b(?:{short}|{first}[\s_-]*{second}s?)\b(?:\s*\(\w+\))?"
        found = set(re.findall(rf"{name}\s*[:=]\s*(\d+(?:\.0*)?)(?![\d.])", text, re.I))
        if len(found) != 1:
            return None
        four.append(found.pop())
    return _two_by_two(four)


# -- tables --------------------------------------------------------------------------------------


def _of_cells(text: str, name: str, *, any_square: bool) -> Square | None:
    """Read a table: a report or a matrix between commas, tabs, blanks or bars, or numbers alone."""
    separator = _separator(text)
    blocks = _blocks(text, separator)
    if not blocks:
        return None
    if len(blocks) == 1 and (report := _table_of_report(blocks[0], name)) is not None:
        return _of_report(report, None, name)
    found = [s for block in blocks if (s := _square(block, any_square=any_square)) is not None]
    if len(found) > 1:
        raise InputError(f"{name} holds {len(found)} confusion matrices; keep one in a file")
    square = found[0] if found else _crossed(blocks[0])
    if square is not None:
        positive = re.search(r"'Positive' Class\s*:\s*(.*\S)", text)  # of R's caret
        if positive is not None and square.columns is not None:
            of = {str(label): label for label in square.columns}
            square = replace(square, positive=of.get(positive[1]))
        return square
    if separator is not None and not any_square:
        refuse_numbers(*_headed(blocks[0]), name)
    return None


def _blocks(text: str, separator: str | None) -> list[Cells]:
    """Return the cells of a table; without a separator, of each paragraph of a printed text."""
    if separator is not None:
        try:
            rows = list(csv.reader(io.StringIO(text), delimiter=separator))
        except csv.Error:  # a field that is too long
            return []
        table = [[c.strip() for c in row] for row in rows if any(row)]
        return [table] if table else []
    if text.count("\n") > _MOST_LINES:
        return []
    parts = re.split(r"\n[ \t]*\n", text.replace("|", " "))
    lines = [[line for line in part.splitlines() if line.strip(" \t-:+=")] for part in parts]
    words = [[re.findall(r'"[^"]*"|\S+', line) for line in part] for part in lines if part]
    return [[[c.strip('"') for c in row] for row in part] for part in words]


def _headed(cells: Cells) -> tuple[list[str], Cells]:
    """Return the names of columns, none where the first line holds numbers alone, and the lines."""
    if all(_as_number(c) is not None for c in cells[0]):
        return [], cells
    return cells[0], cells[1:]


def _separator(text: str) -> str | None:
    """Return what stands between the cells of a table, None where that is blanks."""
    lines = [line for line in text.splitlines() if line.strip()][:20]
    counts = {s: min((line.count(s) for line in lines), default=0) for s in ("\t", ";", ",")}
    return next((s for s, n in counts.items() if n), None)


def _table_of_report(cells: Cells, name: str) -> ClassReport | None:
    """Read a report as a table, a line a class or a column a class."""
    if len(cells) < 4 or len({len(row) for row in cells} - {len(cells[0]) + 1}) > 1:
        return None
    for table in (cells, [list(column) for column in zip(*cells, strict=False)]):
        head, *rows = table
        if {column_of(c) for c in head} >= {"precision", "recall", "support"}:
            shift = 1 if rows and len(rows[0]) == len(head) + 1 else 0  # printed without a corner
            lines = {row[0]: dict(zip(head, row[shift:], strict=False)) for row in rows if row}
            return report_of(lines, name)
    return None


def _square(cells: Cells, *, any_square: bool = False) -> Square | None:
    """Return the matrix that a table of cells is, with its names where it has some."""
    cells = [_trimmed(row) for row in cells]
    if not 2 <= len(cells) <= _MOST_LINES:
        return None
    first = next((i for i, row in enumerate(cells) if i and _is_count_line(row)), len(cells))
    for start in range(first, min(first + 2, len(cells) - 1)):
        body = cells[start:]
        if all(_is_count_line(row) for row in body) and len({len(row) for row in body}) == 1:
            found = _named_square(cells[:start], body, any_square=any_square)
            if found is not None:
                return found
    return _headless(cells)


def _crossed(cells: Cells) -> Square | None:
    """Return the matrix of R's data frame of a table: a line for each of K times K cells."""
    head, *lines = cells
    if len(head) not in (3, 4) or len(lines) < 4 or not is_count(head[-1]):
        return None
    if any(len(row) != len(head) for row in lines):
        return None
    pairs = [tuple(row[-3:-1]) for row in lines]
    rows, columns = (list(dict.fromkeys(p[k] for p in pairs)) for k in (0, 1))
    crossed = len(set(pairs)) == len(pairs) == len(rows) * len(columns)
    if not crossed or not all(_whole(row[-1]) for row in lines):
        return None
    counts = {p: row[-1] for p, row in zip(pairs, lines, strict=True)}
    numbers = [[counts[r, c] for c in columns] for r in rows]
    return _if_square(numbers, rows, columns, (head[-3], head[-2]))


def _trimmed(row: list[str]) -> list[str]:
    while row and not row[-1]:
        row = row[:-1]
    return row


def _is_count_line(row: Sequence[str]) -> bool:
    return len(row) > 1 and _whole(row[-2]) and _as_number(row[-1]) is not None


def _whole(value: Any) -> bool:
    number = _as_number(value)
    return number is not None and 0 <= number < 2**53 and number == int(number)


def _as_number(value: Any) -> float | None:
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _headless(cells: Cells) -> Square | None:
    """Return lines of as many whole numbers as there are lines; none that begin with a number."""
    if not all(len(row) == len(cells) and all(map(_whole, row)) for row in cells):
        return None
    counts = np.array(cells, np.float64)
    numbered = len(counts) > 2 and all(b - a == 1 for a, b in pairwise(counts[:, 0].tolist()))
    return None if numbered or counts.max() <= 1 else Square(counts)


def _named_square(above: Cells, body: Cells, *, any_square: bool) -> Square | None:
    """Return a matrix under a line of names, with what the lines above it call the sides."""
    *titles, head = above
    side_names = [row[0] for row in body if row[0]]
    if len(side_names) == 1 and side_of(side_names[0]) and not head[0] and len(head) > 1:
        # The rows' name stands in a column of its own, before that of the classes.
        head, body = [side_names[0], *head[2:]], [row[1:] for row in body]
    width, axes = len(body[0]), ("", "")
    words = [c for row in titles[-1:] for c in row if side_of(c)]
    across = words[0] if len(words) == 1 else ""
    if titles and len(head) == 1 and len(titles[-1]) > 1:  # pandas prints the rows' name alone
        over = titles.pop()
        axes, head = (head[0], over[0]), over[1:]
    elif len(head) == width:
        (down, own), head = axes_of(head[0]), head[1:]
        axes = (down, own or across)
    elif len(head) == width - 1:
        axes = ("", across)
    side: Side | None = None
    if head and head[-1].casefold() == "class.error":  # of R's randomForest, whose rows are true
        head, side, body = head[:-1], "truth", [row[:-1] for row in body]
        width -= 1
    if len(head) == width - 1 and all(_whole(c) for row in body for c in row[1:]):
        rows = [row[0] for row in body]
        found = _if_square([row[1:] for row in body], rows, head, axes, side)
        if found is not None:
            return found
    names = [*axes[:1], *head]
    whole = all(_whole(c) for row in body for c in row)
    if len(names) == width == len(body) and whole and not titles:
        counts = np.array(body, np.float64)
        columns = labels_of(names)
        numbered = columns in (tuple(range(width)), tuple(range(1, width + 1)))
        usual = any(is_usual(n) or _as_number(n) is not None for n in names) and not numbered
        if counts.max() > 1 and (any_square or not usual):
            return Square(counts, None, columns)
    return None


def _if_square(
    numbers: Cells,
    rows: Sequence[str],
    columns: Sequence[str],
    axes: tuple[str, str],
    side: Side | None = None,
) -> Square | None:
    """Return named counts where rows and columns are about as many."""
    if abs(len(rows) - len(columns)) > 1 or len(set(rows)) < len(rows):
        return None
    named, called = labels_of(rows), labels_of(columns)
    if not same_names(named, called):
        return None
    return Square(np.array(numbers, np.float64), named, called, axes, side)
