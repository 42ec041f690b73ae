"""Column statistics over all rows of a table."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tallymark.reading.chunks import FrameTable
from tallymark.reading.files import FileTable
from tallymark.reading.numerals import ABSENT, likely, size_of

Table = FrameTable | FileTable
"""Columns by name, read in chunks by ``chunks(labels, numbers, **beside)``.

The label columns of every chunk list the labels of all rows, and the codes of ``groups`` are the
same in every chunk. ``subgroups`` are the label columns that define subgroups, which may have more
values than classes may.
"""

MOST_VALUES = 100
"""Most distinct values of a column that are listed."""

MOST_COLUMNS = 500
"""Most columns that are profiled: the first ones of a wider table."""

_FEWEST_IN_A_FOLD = 5
_MOST_FOLDS = 20


@dataclass(frozen=True, slots=True)
class Column:
    """Statistics of one column over all rows of a table.

    ``values`` are (text, rows) of each distinct value, sorted, where there are few; whole numbers
    are written without a fraction. ``distinct`` is an estimate within a few per cent where
    ``values`` is None, but never reaches the rows that are not missing unless all differ. ``low``
    and ``high`` are None unless every value is a number, and ``whole`` says that all are integers.
    """

    name: str
    type: str
    rows: int
    missing: int
    distinct: int
    values: tuple[tuple[str, int], ...] | None
    low: float | None = None
    high: float | None = None
    whole: bool = False

    @property
    def present(self) -> int:
        """The number of rows with a value."""
        return self.rows - self.missing

    @property
    def numeric(self) -> bool:
        """Whether every value is a number."""
        return self.low is not None

    @property
    def texts(self) -> tuple[str, ...]:
        """The distinct values, if they are few."""
        return tuple(text for text, _ in self.values or ())

    @property
    def fractions(self) -> bool:
        """Whether all values are from 0 to 1, with some in between: a probability."""
        if self.low is None or self.high is None:
            return False
        return not self.whole and self.low >= 0 and self.high <= 1

    @property
    def classes(self) -> int:
        """The number of classes; 0 if the values are not classes."""
        labels = self.whole or not self.numeric
        return len(self.texts) if self.distinct > 1 and labels else 0

    @property
    def equal_pairs(self) -> float:
        """The number of pairs of equal rows; a lower bound if values are not listed."""
        missing = self.missing * (self.missing - 1) / 2
        if self.values is None:
            return missing + self.present * (self.present / self.distinct - 1) / 2
        return missing + sum(rows * (rows - 1) / 2 for _, rows in self.values)

    @property
    def kind(self) -> str:
        """The apparent kind in a word: identifier, probability, two values, folds and so on."""
        present = self.present
        if not present:
            return "empty"
        if self.distinct == 1:
            return "one value"
        if self.distinct == present > 2 and (self.whole or not self.numeric):
            return "identifier"
        if self.fractions:
            return "probability"
        if self.classes == 2:
            return "two values"
        sizes = [rows for _, rows in self.values or ()]
        if self.whole and 2 < len(sizes) <= _MOST_FOLDS and min(sizes) >= _FEWEST_IN_A_FOLD:
            consecutive = self.high == (self.low or 0) + len(sizes) - 1
            if consecutive and max(sizes) - min(sizes) <= max(1, present // 100):
                return "folds"
        if self.numeric and not self.whole:
            return "numbers"
        return "classes" if self.classes and present / self.distinct >= 20 else "repeated values"


Profile = dict[str, Column]
"""The columns of a table by name."""


def first_rows(table: Table, rows: int) -> tuple[tuple[Any, ...], ...]:
    """Return the first rows of a table with their original values."""
    if isinstance(table, FrameTable):
        return table.first(rows)
    columns = ", ".join(map(table.sql_of, table.columns))
    return tuple(table.read(f"SELECT {columns} FROM source LIMIT {rows}").fetchall())


def all_rows(table: Table, most: int) -> tuple[tuple[Any, ...], ...]:
    """Return all rows of a table; empty if it has more, or if an engine would have to read it.

    >>> import pandas as pd
    >>> table = FrameTable(pd.DataFrame({"churn": ["yes", "no"]}))
    >>> all_rows(table, 2), all_rows(table, 1)
    ((('yes',), ('no',)), ())
    """
    if table.in_place:
        return ()
    rows = first_rows(table, most + 1)
    return rows if len(rows) <= most else ()


def profile_of(table: Table, names: Sequence[str]) -> Profile:
    """Return the statistics of columns over all rows; empty if rows are not available.

    >>> import pandas as pd
    >>> table = FrameTable(pd.DataFrame({"churn": ["yes", "no", "no"], "p": [0.9, 0.2, 0.1]}))
    >>> found = profile_of(table, table.columns)
    >>> found["churn"].values, found["p"].kind, found["p"].low
    ((('no', 2), ('yes', 1)), 'probability', 0.1)
    """
    columns = list(names)[:MOST_COLUMNS]
    if not columns:
        return {}
    if isinstance(table, FileTable):
        return _of_file(table, columns)
    if not table.at_hand:
        return {}
    from tallymark.reading.look import of_table

    return {name: contents.facts for name, contents in of_table(table, columns).items()}


def word_of(dtype: str) -> str:
    """Return a type in a word."""
    word = dtype.lower().partition("(")[0]
    words = {
        "varchar": "text",
        "string": "text",
        "json": "text",
        "object": "text",
        "enum": "text",
        "categorical": "text",
        "boolean": "boolean",
    }
    return words.get(word, word)


def _of_file(table: FileTable, names: Sequence[str]) -> Profile:
    """Return the statistics of columns of a file, by two queries over all rows."""
    texts = [text_of(table, name) for name in names]
    facts = [
        f"count({t}), approx_count_distinct({t}), count({n}), min({n}), max({n}), "
        f"count(*) FILTER ({n} <> trunc({n}))"
        for t, n in ((t, likely(t)) for t in texts)
    ]
    rows, *facts_of = table.read(f"SELECT count(*), {', '.join(facts)} FROM source").fetchone()
    each = [facts_of[i : i + 6] for i in range(0, len(facts_of), 6)]
    queries = []
    for text, (present, about, numbers, _, _, broken) in zip(texts, each, strict=True):
        queries.append("NULL")
        if about <= MOST_VALUES * 2:
            queries[-1] = f"histogram({text})"
        elif about >= 0.8 * present and not (numbers == present and broken):
            queries[-1] = f"count(DISTINCT {text})"
    exact = table.read(f"SELECT {', '.join(queries)} FROM source").fetchone()
    out: Profile = {}
    for name, (present, about, numbers, low, high, broken), distinct_values in zip(
        names, each, exact, strict=True
    ):
        numeric = bool(present) and numbers == present
        values: tuple[tuple[str, int], ...] | None = None if present else ()
        distinct = min(about, max(present - 1, 0))
        if isinstance(distinct_values, dict):
            pairs = sorted(distinct_values.items())
            if numeric:
                pairs = sorted(_whole(distinct_values).items(), key=lambda pair: size_of(pair[0]))
            distinct = len(pairs)
            values = tuple(pairs) if distinct <= MOST_VALUES else None
        elif distinct_values is not None:
            distinct = distinct_values
        low, high = (low, high) if numeric else (None, None)
        kind = "number" if numeric else word_of(table.types[name])
        whole = numeric and not broken
        out[name] = Column(name, kind, rows, rows - present, distinct, values, low, high, whole)
    return out


def text_of(table: FileTable, name: str) -> str:
    """Return SQL for a column as texts, NULL for missing."""
    column, kind = table.sql_of(name), table.types[name]
    if kind in ("FLOAT", "DOUBLE"):
        return f"CASE WHEN NOT isnan({column}) THEN {column}::VARCHAR END"
    text = f"nullif({column} ->> '$', 'null')" if kind == "JSON" else f"{column}::VARCHAR"
    absent = ABSENT if table.texts else "''"
    return f"CASE WHEN trim({text}) NOT IN ({absent}) THEN {text} END"


def _whole(counts: dict[str, int]) -> dict[str, int]:
    """Return the counts of whole numbers, merging different spellings of a number."""
    out: dict[str, int] = {}
    for text, rows in counts.items():
        with contextlib.suppress(ValueError, OverflowError):
            text = str(int(float(text))) if float(text) == int(float(text)) else text
        out[text] = out.get(text, 0) + rows
    return out
