"""Confusion matrices in any spelling: names, totals, which side is the truth, counts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from tallymark import InputError, LabelTally
from tallymark.core import (
    EXACT,
    TOTALS,
    CountedRows,
    Floats,
    Label,
    Source,
    from_tallies,
    is_positive,
    listed,
    read_texts,
)

Side = Literal["truth", "prediction"]

_TRUE = """
    actual actuals true truth reference ref gold golden real observed obs target expected gt ytrue
    ytest groundtruth condition disease disorder standard
    wahr wahre wahrheit tatsachlich tatsachliche referenz vrai reel reelle verite verdadero
    verdad verdadera"""
_PREDICTED = """
    predicted predict prediction predictions pred preds prd forecast estimated estimate output
    classified assigned hypothesis hyp guess ypred yhat screening
    vorhersage vorhergesagt vorhergesagte prognose klassifiziert predit prevision predicho
    predicha prediccion pronostico"""
_WORDS: dict[Side, frozenset[str]] = {
    "truth": frozenset(_TRUE.split()),
    "prediction": frozenset(_PREDICTED.split()),
}
"""Words that say whether a side of a matrix is the true or the predicted classes."""

_LABEL = ("label", "labels", "class", "target", "category")
"""Names of the true class when the other name is a word for the prediction."""

_AFFIX = re.compile(
    "(?<=[a-z])(?=[+\N{MINUS SIGN}\N{EN DASH}-]$)|(?<=[a-z])(?=\\d+$)"
    r"|[\s_:.=/()\[\]]+|-(?!$)",
    re.IGNORECASE,
)
"""Separators between such a word and the name of a class."""


FOUR = {
    "tp": ("true", "positive"),
    "fn": ("false", "negative"),
    "fp": ("false", "positive"),
    "tn": ("true", "negative"),
}
"""The four counts of two classes, in short and in words."""

FOUR_COUNTS = "the four counts"
"""The kind of a square whose names say which count is which."""


@dataclass(frozen=True)
class Square:
    """A table of counts with the names of its rows and columns, None if it has none.

    ``axes`` are the titles of the rows and of the columns, ``rows_are`` the meaning of the rows in
    its format, and ``positive`` the class that it names as positive. ``kind`` is the format.
    """

    counts: Floats
    rows: tuple[Label, ...] | None = None
    columns: tuple[Label, ...] | None = None
    axes: tuple[str, str] = ("", "")
    rows_are: Side | None = None
    positive: Label | None = None
    doubtful: bool = False
    kind: str = "a confusion matrix"


@dataclass(frozen=True)
class Matrix:
    """Counts [true class, predicted class], and how they were read."""

    counts: Floats
    labels: tuple[Label, ...] | None
    rows_are: Side
    why: str
    left_out: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """The meaning of its rows, and the reason."""
        what = "true" if self.rows_are == "truth" else "predicted"
        return f"rows = {what} classes ({self.why})"


def side_of(text: object) -> Side | None:
    """Return whether a name means the truth or predictions; None for neither, or both.

    >>> side_of("Predicted class"), side_of("y_true"), side_of("cat")
    ('prediction', 'truth', None)
    """
    plain = unicodedata.normalize("NFKD", str(text)).casefold()
    words = re.findall(r"[^\W\d_]+", "".join(c for c in plain if not unicodedata.combining(c)))
    if words[:2] == ["y", "test"] or words == ["test", "label"]:
        return "truth"
    if words[:1] == ["test"] or words[:2] == ["index", "test"]:  # of a diagnostic test
        return "prediction"
    joined = ["".join(words)] if len(words) == 2 else []
    sides = {side for side, words_of_side in _WORDS.items() if words_of_side & {*words, *joined}}
    return sides.pop() if len(sides) == 1 else None


def axes_of(corner: str) -> tuple[str, str]:
    r"""Return the titles of rows and columns in the corner of a table.

    >>> axes_of("true/pred"), axes_of("predicted"), axes_of("Predicted →")
    (('true', 'pred'), ('predicted', ''), ('', 'Predicted →'))
    """
    parts = [p.strip() for p in re.split(r"[\\/|]|\bvs\.?\s", corner) if p.strip()]
    if len(parts) == 1:  # Spark joins the names of both columns, that of the rows first
        ends = (i for i, c in enumerate(corner) if c == "_")
        pairs = [[corner[:i], corner[i + 1 :]] for i in ends]
        both = {"truth", "prediction"}
        sides = [{("truth" if w in _LABEL else side_of(w)) for w in pair} for pair in pairs]
        parts = next((p for p, of in zip(pairs, sides, strict=True) if of == both), parts)
        if len(parts) == 2:
            return parts[0], parts[1]
    down, across = "↓", "→"
    if len(parts) == 2 and {side_of(p) for p in parts} == {"truth", "prediction"}:
        first, second = parts
        turned = across in first or down in second
        return (second, first) if turned else (first, second)
    return ("", corner) if across in corner and down not in corner else (corner, "")


def settled(
    square: Square,
    name: str,
    *,
    labels: Sequence[Label] | None = None,
    rows_are: Side | None = None,
    remedy: str = "rows_are='prediction'",
) -> Matrix | None:
    """Return the matrix of a square, or None if its rows and columns name different classes.

    Raises
    ------
    InputError
        Totals that are no sums, two sides that are both the truth, rows that seem to be
        predictions although nothing says so.

    """
    square, left_out = _without_totals(square, name, set(map(str, labels or ())))
    rows, columns = square.counts.shape
    matched = _matched(square) if rows == columns > 1 else None
    if matched is None:
        return None
    square, classes, sides = matched
    axis_sides: list[Side | None] = [
        side_of(axis) or side for axis, side in zip(square.axes, sides, strict=True)
    ]
    if axis_sides[0] is not None and axis_sides[0] == axis_sides[1] and rows_are is None:
        raise InputError(
            f"the rows and the columns of {name} are both named as "
            f"{'true' if axis_sides[0] == 'truth' else 'predicted'} classes; correct one "
            f"of them, or say {remedy.replace('prediction', 'truth')} or {remedy}"
        )
    side, why = _side_of_rows(square, axis_sides, rows_are)
    if side is None:
        _refuse_other_names(square, name, remedy)
        _refuse_empty_rows(square.counts, classes, name, remedy)
        side, why = "truth", f"assumed; {remedy} turns it"
    counts = square.counts if side == "truth" else square.counts.T
    return Matrix(counts, classes, side, why, left_out)


def _side_of_rows(
    square: Square, sides: Sequence[Side | None], rows_are: Side | None
) -> tuple[Side | None, str]:
    """Return the meaning of the rows, and the reason."""
    if rows_are is not None:
        return rows_are, "as you say"
    words = [f"`{axis}`" for axis, side in zip(square.axes, sides, strict=True) if axis and side]
    by_words = f"named {' and '.join(words)}" if words else "by the names of rows and columns"
    if sides[0] is not None:
        return sides[0], by_words
    if sides[1] is not None:
        return ("prediction" if sides[1] == "truth" else "truth"), by_words
    return square.rows_are, "as this form has them"


def _refuse_other_names(square: Square, name: str, remedy: str) -> None:
    """Refuse rows and columns with different names for the classes: a test and a disease."""
    rows, columns = square.rows or (), square.columns or ()
    if rows and columns and set(map(_plain, rows)) != set(map(_plain, columns)):
        what = f"has the rows {listed(rows)} and the columns {listed(columns)}, and"
    elif square.doubtful:
        what = "holds a matrix whose outer names (its rows here) some write for the true classes "
        what += "and pandas' to_json() for the columns:"
    else:
        return
    raise InputError(
        f"{name} {what} nothing says which of them are the true classes; say {remedy} if the "
        f"columns are, or {remedy.replace('prediction', 'truth')} if the rows are"
    )


def _refuse_empty_rows(
    counts: Floats, classes: Sequence[Label] | None, name: str, remedy: str
) -> None:
    """Refuse a predicted class whose row is empty, since rows may be the predictions."""
    empty = np.flatnonzero((counts.sum(1) == 0) & (counts.sum(0) > 0))
    if len(empty) and not ((counts.sum(0) == 0) & (counts.sum(1) > 0)).any():
        k = int(empty[0])
        which = repr(classes[k]) if classes else f"number {k + 1}"
        raise InputError(
            f"row {which} of {name} is all zero and its column is not, as where rows are the "
            f"predicted classes and this one is never predicted; say {remedy} if they are, or "
            f"{remedy.replace('prediction', 'truth')} if no row is of this class"
        )


# -- counts ----------------------------------------------------------------------------------------


def from_square(
    square: Square,
    name: str,
    remedy: str,
    *,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    rows_are: Side | None = None,
) -> CountedRows:
    """Return the counts of a matrix in a file or a table, and how it was read.

    ``remedy`` is the call that reads its rows as the predicted classes.
    """
    m = matrix_of(square, name, labels, rows_are, remedy)
    roles = {"truth": "rows", "pred": "columns"}
    if m.rows_are == "prediction":
        roles = {"truth": "columns", "pred": "rows"}
    statements = (square.kind,) if square.kind == FOUR_COUNTS else (square.kind, m.said)
    source = Source(name, "matrix", roles, _ignored=m.left_out, format=statements)
    positive = square.positive if positive is None else positive
    return from_tallies(
        {"model": as_tally(m, name, labels)}, source, labels=labels, positive=positive
    )


def matrix_of(
    square: Square,
    name: str,
    labels: Sequence[Label] | None,
    rows_are: Side | None,
    remedy: str = "rows_are='prediction'",
) -> Matrix:
    """Return the matrix of a square; refuse rows and columns that name different classes."""
    forms = [square]
    if labels is not None:  # which may stand for the names of rows and columns
        forms.append(replace(square, rows=None, columns=None))
    for form in forms:
        matrix = settled(form, name, labels=labels, rows_are=rows_are, remedy=remedy)
        if matrix is not None:
            return matrix
    if square.rows is None or square.columns is None:
        raise no_square(name)
    raise InputError(
        f"{name} has the rows {listed(square.rows[:8])} and the columns "
        f"{listed(square.columns[:8])}; give one row and one column per class, or name "
        "the classes with classes=[...]"
    )


def turning(path: str) -> str:
    """Return the call that reads the rows of a matrix as the predicted classes."""
    return f"tm.matrix({path}, rows_are='prediction')"


def no_square(name: str) -> InputError:
    """Return the refusal of input that is not a square table of numbers."""
    return InputError(
        f"{name} is not a square table of numbers; give one row per true and one column per "
        "predicted class, such as [[70, 30], [20, 80]]"
    )


def as_tally(m: Matrix, name: str, labels: Sequence[Label] | None = None) -> LabelTally:
    """Return the counts [true class, predicted class] of a matrix as a tally."""
    table = m.counts
    names = m.labels or labels
    if names is not None and len(names) != len(table):
        raise InputError(
            f"classes names {len(names)} classes and {name} has {len(table)} rows; name one per row"
        )
    bad = ~((table >= 0) & (table < EXACT) & (table == np.trunc(table)))
    if bad.any():
        i, j = np.argwhere(bad)[0].tolist()
        what = "counts are whole numbers from 0 up to 2^53"
        if (table >= 0).all() and any(_are_shares(table.sum(a)) for a in (0, 1, None)):
            what += ", and these are shares; give the matrix without normalize=..."
        raise InputError(f"{name} holds {table[i, j]:.6g} in row {i + 1}, column {j + 1}; {what}")
    return LabelTally(tuple(range(len(table)) if names is None else names), table)


def _are_shares(sums: Any) -> bool:
    """Tell whether sums are 1 or 100, apart from rounding."""
    return any(np.allclose(sums, whole, atol=0.02 * whole) for whole in (1, 100))


# -- totals --------------------------------------------------------------------------------------


def _without_totals(square: Square, name: str, classes: set[str]) -> tuple[Square, tuple[str, ...]]:
    """Return a square without rows and columns of sums, which are checked, and their names."""
    counts = square.counts
    sums = [
        [i for i, n in enumerate(names or ()) if is_total(n)]
        for names in (square.rows, square.columns)
    ]
    inner = [[i for i in range(counts.shape[a]) if i not in sums[a]] for a in (0, 1)]
    left_out: list[str] = []
    for a, names in enumerate((square.rows, square.columns)):
        for i in sums[a]:
            total = np.take(counts, i, axis=a)[inner[1 - a]]
            right = np.array_equal(total, counts[np.ix_(*inner)].sum(a))
            label = str(names[i]) if names else ""
            if right and total.any():
                left_out.append(label)
            elif label in classes:
                inner[a] = sorted([*inner[a], i])
            else:
                raise InputError(
                    f"{label!r} of {name} does not hold the sums of the other counts; correct it, "
                    "or leave it out"
                )
    if not left_out and _ends_in_sums(square, classes):
        k = len(counts) - 1
        inner, left_out = [list(range(k))] * 2, ["sums in the last row and column"]
    rows, columns = [
        None if n is None else tuple(n[i] for i in part if i < len(n))
        for n, part in zip((square.rows, square.columns), inner, strict=True)
    ]
    square = replace(square, counts=counts[np.ix_(*inner)], rows=rows, columns=columns)
    return square, tuple(dict.fromkeys(left_out))


def is_total(name: object) -> bool:
    """Tell whether a row or a column is named like totals."""
    return str(name).casefold().strip(" :.") in TOTALS


def same_names(rows: Sequence[Label], columns: Sequence[Label]) -> bool:
    """Tell whether rows and columns, without totals, name the same classes."""
    one: tuple[Label, ...] = tuple(n for n in rows if not is_total(n))
    other = tuple(n for n in columns if not is_total(n))
    if len(one) < 2 or len(one) != len(other):
        return False
    return _matched(Square(np.zeros((len(one), len(one))), one, other)) is not None


def _ends_in_sums(square: Square, classes: set[str]) -> bool:
    """Tell whether the last row and column are the sums, whatever their names."""
    c = square.counts
    last = {str(n[-1]) for n in (square.rows, square.columns) if n is not None and len(n) == len(c)}
    if last & classes or c.shape[0] != c.shape[1] or len(c) < 3 or not c[:-1, :-1].any():
        return False
    return np.array_equal(c[:-1].sum(0), c[-1]) and np.array_equal(c[:, :-1].sum(1), c[:, -1])


# -- names ---------------------------------------------------------------------------------------


def _matched(
    square: Square,
) -> tuple[Square, tuple[Label, ...] | None, tuple[Side | None, Side | None]] | None:
    """Return a square with its columns in the order of its rows, its classes, and the two sides."""
    rows, columns = square.rows, square.columns
    if rows is None or columns is None:
        return square, rows if columns is None else columns, (None, None)
    both = [(r, c) for r in _spellings(rows) for c in _spellings(columns)]
    orders = [(_order(r[0], c[0]), r, c) for r, c in both]
    # Words such as sick and healthy are of a class only where no names are the same.
    orders += [(_order_by_meaning(r[0], c[0]), r, c) for r, c in reversed(both)]
    for order, (names, row_side), (others, column_side) in orders:
        if order is not None:
            counts = square.counts[:, order]
            square = replace(square, counts=counts, columns=tuple(columns[k] for k in order))
            truth_in_columns = side_of(square.axes[1]) == "truth" or column_side == "truth"
            classes = tuple(others[k] for k in order) if truth_in_columns else names
            return square, classes, (row_side, column_side)
    return None


def _spellings(names: Sequence[Label]) -> Iterator[tuple[tuple[Label, ...], Side | None]]:
    """Yield the classes that names may mean: as written, and without a word for their side."""
    yield tuple(names), None
    texts = [str(n).strip() for n in names]
    candidates: list[tuple[int, tuple[Label, ...], Side]] = []
    for at_end in (False, True):
        each = [dict(_affixes(t, at_end=at_end)) for t in texts]
        for word in set.intersection(*map(set, each)) if each else ():
            side = side_of(word)
            rest = tuple(e[word] for e in each)
            if side is not None and len(set(rest)) == len(rest):
                candidates.append((len(word), rest, side))
    for _, classes, side in sorted(candidates, key=lambda f: -f[0]):
        yield labels_of(classes), side


def _affixes(text: str, *, at_end: bool) -> Iterator[tuple[str, str]]:
    """Yield the parts before and after each separator of a name, or after and before it."""
    for match in _AFFIX.finditer(text):
        before, behind = text[: match.start()], text[match.end() :]
        if at_end:
            before, behind = behind.rstrip(")]"), before
        if before and behind:
            yield before.casefold(), behind.strip("()[] '\"")


def labels_of(names: Iterable[object]) -> tuple[Label, ...]:
    """Return the classes that names stand for: numbers, booleans or texts."""
    return tuple(read_texts([str(n) for n in names]))


def _order(rows: Sequence[Label], columns: Sequence[Label]) -> list[int] | None:
    """Return the positions of the columns in the order of the rows; None for other classes."""
    if len(set(map(str, rows))) < len(rows) or len(rows) != len(columns):
        return None
    for form in (str, _plain):
        place = {form(c): k for k, c in enumerate(columns)}
        if len(place) == len(rows) and {form(r) for r in rows} == set(place):
            return [place[form(r)] for r in rows]
    return None


def _order_by_meaning(rows: Sequence[Label], columns: Sequence[Label]) -> list[int] | None:
    """Return the positions of two columns by meaning, such as positive and sick."""
    if len(rows) != 2 or len(columns) != 2 or any(_plain(n).isdigit() for n in (*rows, *columns)):
        return None
    first = [
        (0 if is_positive(a, b) else 1 if is_positive(b, a) else None)
        for a, b in (map(_plain, rows), map(_plain, columns))
    ]
    if None in first:
        return None
    return [0, 1] if first[0] == first[1] else [1, 0]


def _plain(label: object) -> str:
    text = str(label).strip().casefold()
    return text.replace("\N{MINUS SIGN}", "-").replace("\N{EN DASH}", "-")
