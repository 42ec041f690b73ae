"""Small files that hold a confusion matrix, in every spelling."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from tokenize import TokenError
from typing import Any

import numpy as np

from tallymark import InputError
from tallymark.core import Cells, Label, SmallFile, is_count, is_usual
from tallymark.parts.matrices.squares import (
    FOUR,
    FOUR_COUNTS,
    Side,
    Square,
    axes_of,
    labels_of,
    same_names,
    side_of,
)

_MOST_LINES = 1100
"""Most rows of a matrix, and most lines of a text with a printed one."""


def square_in(file: SmallFile, *, any_square: bool = False) -> Square | None:
    """Return the matrix in a small file, or None for other contents.

    With ``any_square`` a square of numbers is a matrix whatever its columns are called.

    Raises
    ------
    InputError
        Several matrices in one file.

    """
    if file.data.startswith(b"\x93NUMPY"):
        return _numpy_file(file.data)
    if not file.text.strip():
        return None
    return (
        file.only_result(_json_square)
        or _weka_matrix(file.text)
        or _printed_array(file.text, file.name)
        or _printed_counts(file.text)
        or _of_cells(file, any_square=any_square)
    )


def _numpy_file(data: bytes) -> Square | None:
    try:
        array = np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, OSError, EOFError, SyntaxError, MemoryError, TokenError):
        return None  # a damaged header
    whole = array.dtype.kind in "iu" and array.ndim == 2 and array.shape[0] == array.shape[1] > 1
    return Square(array.astype(np.float64), kind="a NumPy array") if whole else None


# -- JSON ----------------------------------------------------------------------------------------

_MATRIX_KEYS = (
    "confusionmatrix",
    "confmatrix",
    "confmat",
    "confusion",
    "matrix",
    "cm",
    "counts",
    "table",
)
_LABEL_KEYS = (
    "labels",
    "label",
    "classes",
    "classnames",
    "targetnames",
    "categories",
    "names",
    "index",
    "class",
)
"""Keys of a matrix and of its classes in JSON, in the order of the search."""


def _json_square(data: Any) -> Square | None:
    """Read a list or an object of JSON."""
    if isinstance(data, list):
        return _listed_square(data)
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
    return Square(counts, names, names, rows_are="truth", positive="positive", kind=FOUR_COUNTS)


# -- text ----------------------------------------------------------------------------------------


def _printed_array(text: str, name: str) -> Square | None:
    """Read a matrix as NumPy, PyTorch, TensorFlow or a list of Python prints it."""
    is_rows = text.lstrip()[:1] == "{" or text.count("\n") > _MOST_LINES
    if is_rows or not 0 < text.count("[[") <= 3 or "[[[" in text:
        return None
    blocks = re.findall(r"\[\s*(\[[\d\s,.e+]+\](?:[\s,]*\[[\d\s,.e+]+\])+)\s*,?\s*\]", text)
    tables = [
        [row.replace(",", " ").split() for row in re.findall(r"\[([^\]]*)\]", block)]
        for block in blocks
    ]
    squares = [rows for rows in tables if all(len(row) == len(rows) for row in rows)]
    if len(squares) > 1:
        raise InputError(f"{name} holds several matrices; keep one in a file")
    if not squares or any(_as_number(v) is None for row in squares[0] for v in row):
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
        numbers = set(re.findall(rf"{name}\s*[:=]\s*(\d+(?:\.0*)?)(?![\d.])", text, re.I))
        if len(numbers) != 1:
            return None
        four.append(numbers.pop())
    return _two_by_two(four)


# -- tables --------------------------------------------------------------------------------------


def _of_cells(file: SmallFile, *, any_square: bool) -> Square | None:
    """Read a table: a matrix between commas, tabs, blanks or bars, or numbers alone."""
    squares = [s for t in file.tables if (s := _square(t, any_square=any_square)) is not None]
    if len(squares) > 1:
        raise InputError(f"{file.name} holds {len(squares)} confusion matrices; keep one in a file")
    square = squares[0] if squares else _crossed(file.tables[0]) if file.tables else None
    if square is None:
        return None
    positive = re.search(r"'Positive' Class\s*:\s*(.*\S)", file.text)  # of R's caret
    if positive is not None and square.columns is not None:
        of = {str(label): label for label in square.columns}
        square = replace(square, positive=of.get(positive[1]))
    return square


def _square(cells: Cells, *, any_square: bool = False) -> Square | None:
    """Return the matrix that a table of cells is, with its names where it has some."""
    cells = [_trimmed(row) for row in cells]
    if not 2 <= len(cells) <= _MOST_LINES:
        return None
    first = next((i for i, row in enumerate(cells) if i and _is_count_line(row)), len(cells))
    for start in range(first, min(first + 2, len(cells) - 1)):
        body = cells[start:]
        if all(_is_count_line(row) for row in body) and len({len(row) for row in body}) == 1:
            square = _named_square(cells[:start], body, any_square=any_square)
            if square is not None:
                return square
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
        square = _if_square([row[1:] for row in body], rows, head, axes, side)
        if square is not None:
            return square
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
    row_labels, column_labels = labels_of(rows), labels_of(columns)
    if not same_names(row_labels, column_labels):
        return None
    return Square(np.array(numbers, np.float64), row_labels, column_labels, axes, side)
