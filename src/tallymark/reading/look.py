"""A sample of a table in memory, on which interpretations are tried."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError
from tallymark.reading.chunks import ArrayTable, Chunk, FrameTable, read_texts
from tallymark.reading.classes import fold
from tallymark.reading.files import FileTable
from tallymark.reading.names import is_usual
from tallymark.reading.numerals import likely, size_of
from tallymark.reading.profile import MOST_VALUES, Column, Table, text_of, word_of
from tallymark.tally.arrays import (
    MANY_CLASSES,
    MAX_CLASSES,
    MOST_SUBGROUPS,
    Codes,
    Floats,
    as_scores,
    code_groups,
    code_labels,
    series_to_numpy,
)

MOST_ROWS = 20_000
"""Rows in the sample; a reading that they support is checked on all rows later."""

MOST_CELLS = 2_000_000
MOST_COLUMNS = 200
"""For wider tables: named columns first, then usual names, then the first ones."""

_AT_ONCE = 32
"""DuckDB keeps whole blocks of rows of each column, however few rows are read."""


@dataclass(frozen=True, eq=False)
class Contents:
    """The sampled values of one column.

    ``numbers`` are None unless every value is one; ``texts`` are None for missing values.
    """

    name: str
    type: str
    texts: NDArray[Any]
    numbers: Floats | None
    native: NDArray[Any] | None = None
    """The values of a frame or an array; None for files of texts."""

    @cached_property
    def coded(self) -> tuple[Codes, tuple[str, ...]]:
        """The index of each row's text among the distinct ones, -1 for missing."""
        place: dict[str, int] = {}
        codes = [-1 if t is None else place.setdefault(t, len(place)) for t in self.texts.tolist()]
        return np.array(codes, dtype=np.intp), tuple(place)

    @cached_property
    def facts(self) -> Column:
        """A summary of the column."""
        codes, labels = self.coded
        counts = np.bincount(codes[codes >= 0], minlength=len(labels))
        missing = int((codes < 0).sum())
        values = None
        if len(labels) <= MOST_VALUES:
            pairs = sorted(zip(labels, counts.tolist(), strict=True))
            numeric = self.numbers is not None
            values = tuple(sorted(pairs, key=lambda p: size_of(p[0])) if numeric else pairs)
        low = high = None
        whole = False
        if self.numbers is not None and len(labels):
            present = self.numbers[~np.isnan(self.numbers)]
            low, high = float(present.min()), float(present.max())
            whole = bool((present == np.trunc(present)).all())
        return Column(
            self.name, self.type, len(codes), missing, len(labels), values, low, high, whole
        )

    @cached_property
    def classes(self) -> frozenset[str]:
        """The distinct values as classes, ignoring case; empty if they are not classes.

        Fractions, unique values, and too many values are not classes.
        """
        facts = self.facts
        few = facts.distinct > MANY_CLASSES and facts.rows < 2 * facts.distinct
        if facts.distinct < 1 or facts.distinct > MAX_CLASSES or few:
            return frozenset()
        if facts.numeric and not facts.whole:
            return frozenset()
        return frozenset(map(fold, self.coded[1]))

    @property
    def is_vector(self) -> bool:
        """Whether values are vectors of numbers, such as a score for each class."""
        first = next((t for t in self.texts.tolist() if t is not None), "")
        return (
            self.numbers is None and first[:1] in ("[", "(", "{") and first[-1:] in ("]", ")", "}")
        )

    @property
    def width(self) -> int:
        """The length of the first vector; 0 for other columns."""
        first = next((t for t in self.texts.tolist() if t is not None), "")
        return len(re.findall(r"[^\s,;\[\](){}]+", first)) if self.is_vector else 0

    @property
    def names_rows(self) -> bool:
        """Whether every row has its own value, no fraction: an id or a text."""
        return self.facts.distinct == self.facts.present > 2 and not (
            self.facts.numeric and not self.facts.whole
        )

    def codes_of(self, classes: Sequence[str]) -> Codes:
        """Return the index of each row's class among some, -1 for others."""
        place = {c: i for i, c in enumerate(classes)}
        codes, labels = self.coded
        return np.array([*(place.get(fold(t), -1) for t in labels), -1], dtype=np.intp)[codes]


@dataclass(frozen=True, eq=False)
class Look:
    """A sample of rows by column; also a table, on which readings are tried."""

    name: str
    kind: str
    contents: Mapping[str, Contents]
    rows: int
    texts: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns in the sample."""
        return tuple(self.contents)

    def chunks(
        self,
        labels: Sequence[str],
        numbers: Sequence[str],
        groups: Sequence[str] = (),
        subgroups: Sequence[str] = (),
    ) -> Iterator[Chunk]:
        """Yield the named columns as one chunk."""
        coded = {}
        for c in labels:
            most = MOST_SUBGROUPS if c in subgroups else MAX_CLASSES
            coded[c] = code_labels(self._labels(c), c, 0, most)
        yield Chunk(
            0,
            coded,
            {c: self._numbers(c) for c in numbers},
            self.rows,
            {c: code_groups(self._labels(c), c, 0) for c in groups},
        )

    def in_percent(self) -> Look:
        """Return the sample with numbers from 0 to 100 as fractions, if they may be percentages."""

        def share(h: Contents) -> Contents:
            low, high = h.facts.low, h.facts.high
            if h.numbers is None or low is None or high is None or low < 0 or not 1 < high <= 100:
                return h
            return replace(h, numbers=h.numbers / 100)

        return replace(self, contents={name: share(h) for name, h in self.contents.items()})

    def _labels(self, column: str) -> Any:
        contents = self.contents[column]
        if contents.native is not None:
            return contents.native
        codes, texts = contents.coded
        typed = self.texts or contents.type in ("number", "boolean")
        values = [*(read_texts(texts) if typed else texts), None]
        out = np.empty(len(values), dtype=object)
        out[:] = values
        return out[codes]

    def _numbers(self, column: str) -> Floats:
        contents = self.contents[column]
        if contents.numbers is not None:
            return contents.numbers
        return as_scores(contents.texts if contents.native is None else contents.native, column, 0)


def look_at(table: Table, named: Collection[str] = ()) -> Look:
    """Return a sample of a table: its first rows, or evenly spread rows of one in memory."""
    others = sorted((c for c in table.columns if c not in named), key=lambda c: not is_usual(c))
    first = {*others[:MOST_COLUMNS], *named}
    names = [c for c in table.columns if c in first]
    most = max(min(MOST_ROWS, MOST_CELLS // max(len(names), 1)), 1000)
    if isinstance(table, FileTable):
        contents, texts = _of_file(table, names, most), table.texts
    else:
        contents, texts = of_table(table, names, most), False
    rows = len(next(iter(contents.values())).texts) if contents else 0
    return Look(table.name, table.kind, contents, rows, texts)


def of_table(
    table: FrameTable, names: Sequence[str], most: int | None = None
) -> dict[str, Contents]:
    """Return the columns of a frame: all rows, or ``most`` evenly spread ones."""
    if isinstance(table, ArrayTable):
        arrays = {name: table.column(name) for name in names}
        if most is not None and table.rows > most:
            spread = np.linspace(0, table.rows - 1, most).astype(int)
            arrays = {name: array[spread] for name, array in arrays.items()}
        return {name: of_array(array, name) for name, array in arrays.items()}
    with table.guarded():
        frame, contents = table.some(most), {}
        for name in names:
            series = frame.get_column(frame.columns[table.columns.index(name)])
            contents[name] = of_array(_native(series, name), name, str(series.dtype))
    return contents


def _native(series: Any, name: str) -> NDArray[Any]:
    try:
        # Polars would take a name such as ^id$ for a pattern.
        return series_to_numpy(series.alias("x").to_native(), name)
    except InputError:  # neither labels nor numbers
        out = np.empty(len(series), dtype=object)
        out[:] = [None if v is None else str(v) for v in series.to_list()]
        return out


def of_array(array: NDArray[Any], name: str, dtype: str = "") -> Contents:
    """Return the contents of an array.

    >>> of_array(np.array([1.0, 2.0, np.nan]), "x").facts.values
    (('1', 1), ('2', 1))
    """
    texts = np.empty(len(array), dtype=object)
    if array.ndim > 1:
        texts[:] = [str(row) for row in array.tolist()]
        return Contents(name, "list", texts, None, array)
    if array.dtype.kind in "iuf":
        numbers = array.astype(np.float64)
        present = numbers[~np.isnan(numbers)]
        whole = bool((present == np.trunc(present)).all())
        texts[:] = [None if v != v else f"{v:.0f}" if whole else repr(v) for v in numbers.tolist()]
        return Contents(name, "number", texts, numbers if len(present) else None, array)
    texts[:] = [_text(v) for v in array.tolist()]
    return Contents(name, word_of(dtype) if dtype else "text", texts, None, array)


def _text(value: Any) -> str | None:
    """Return a value as a text, None if missing."""
    if value is None or (isinstance(value, float) and value != value):
        return None
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if text.strip() else None


def _of_file(table: FileTable, names: Sequence[str], most: int) -> dict[str, Contents]:
    """Return the first rows of a file: the texts, and their numbers."""
    texts = [text_of(table, name) for name in names]
    each = [f"{t} AS t{i}, {likely(t)} AS n{i}" for i, t in enumerate(texts)]
    arrays: dict[str, Any] = {}
    for start in range(0, len(each), _AT_ONCE):
        columns = ", ".join(each[start : start + _AT_ONCE])
        arrays |= table.read(f"SELECT {columns} FROM source LIMIT {most}", arrays=True)
    contents = {}
    for i, name in enumerate(names):
        column = arrays[f"t{i}"]
        missing = np.ma.getmaskarray(column)
        text = np.ma.getdata(column).astype(object)
        text[missing] = None
        number = np.ma.filled(np.ma.asarray(arrays[f"n{i}"], dtype=np.float64), np.nan)
        numeric = bool((~missing).any()) and not np.isnan(number[~missing]).any()
        if numeric and (number[~missing] == np.trunc(number[~missing])).all():
            text[~missing] = [f"{v:.0f}" for v in number[~missing].tolist()]
        kind = "number" if numeric else word_of(table.types[name])
        contents[name] = Contents(name, kind, text, number if numeric else None)
    return contents
