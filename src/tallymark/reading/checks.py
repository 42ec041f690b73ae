"""Checks for leakage, duplicate ids and rows, and unused weights, folds and training rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tallymark.reading.chunks import FrameTable
from tallymark.reading.files import FileTable
from tallymark.reading.long_form import LongTable
from tallymark.reading.models import FEW, NOT_CHECKED, CountedRows
from tallymark.reading.profile import Table, profile_of

MOST_CELLS = 1_000_000
"""Most values that are read again to find duplicates: about a second of work."""

MOST_COLUMNS = 20
"""Most columns that are searched for a row id; likely names first."""

FEWEST_IDS = 10
"""With fewer distinct values a column has too few groups for cluster-robust intervals."""

FEWEST_COPIES = 5
"""With fewer duplicates, equal rows may be chance, unless an id column shows otherwise."""

_ID = "ids?|no|nr|num|number|nummer|code|key|uuid|guid|hash|name"
_WHO = (
    "patient|paciente|subject|subjekt|sujet|sujeto|proband|participant|person|individual|user|"
    "utilisateur|usuario|nutzer|customer|client|cliente|kunde|account|household|haushalt|family|"
    "member|student|speaker|animal|donor|respondent|employee|hospital|site|center|centre|clinic|"
    "project|session"
)
_IDS = re.compile(rf"(?:{_ID})?(?:{_WHO})(?:en|e|n|s)?(?:{_ID})?|id|uuid|guid")
_FOLDS = re.compile(r"(?:outer|inner|test|cv|k)?folds?(?:id|no|nr|num|number|index|idx)?|cv")
_WEIGHTS = re.compile(
    r"(?:sample|sampling|survey|case|row|design|person|probability|final|inverse)?weights?|iptw|"
    r"ipcw|ipw|gewicht(?:ung)?|poids|peso"
)
_SPLITS = re.compile(
    r"(?:data)?(?:split|set|subset|partition|sample|stichprobe|ensemble|conjunto)(?:name|type)?"
)
_TRAINING = re.compile(r"(?:train|lern|entra[iî]nement|entrenamiento)\w*")


def looks_like(names: re.Pattern[str], column: str) -> bool:
    """Return whether a column's name matches, ignoring case, blanks and punctuation.

    >>> [looks_like(_IDS, c) for c in ("Patient ID", "KundenNr", "user_age")]
    [True, True, False]
    """
    return names.fullmatch(re.sub(r"[\W_]", "", column).lower()) is not None


# -- of columns that have no part ----------------------------------------------------------------


def table_checks(table: Table | LongTable, counted: CountedRows) -> dict[str, Any]:
    """Return the checks on unused columns and on whole rows.

    ``unused_weights`` are columns named like weights; ``unused_folds`` are named like folds and
    have similar sizes; ``repeated_ids`` are named like ids and have fewer values than rows.
    ``training_rows`` counts the training rows by a column that marks the split. ``duplicates``
    counts rows that are copies of another one in all columns, including one (``key``) that is
    otherwise unique. An engine that holds the rows is asked for ``repeated_ids`` alone.
    """
    source, rows = counted.source, counted.rows + counted.dropped
    checks: dict[str, Any] = {
        "unused_weights": [c for c in source._ignored if looks_like(_WEIGHTS, c)],
        "unused_folds": NOT_CHECKED,
        "repeated_ids": NOT_CHECKED,
        "training_rows": NOT_CHECKED,
        "duplicates": NOT_CHECKED,
    }
    if isinstance(table, LongTable) or table.layout:
        return checks
    if "count" in source._roles or (table.at_hand and rows > MOST_CELLS):
        return checks
    sizes: dict[re.Pattern[str], dict[str, dict[str, int]]] = {}
    for names in (_IDS, _FOLDS) if table.at_hand else (_IDS,):
        columns = (c for c in source._ignored if looks_like(names, c))
        sizes[names] = {
            c: group_counts for c in columns if (group_counts := table.groups([c])) is not None
        }
    checks["repeated_ids"] = {
        c: group_counts for c, group_counts in sizes[_IDS].items() if _repeats(group_counts)
    }
    if not table.at_hand:
        return checks
    checks["unused_folds"] = {
        c: group_counts for c, group_counts in sizes[_FOLDS].items() if _like_folds(group_counts)
    }
    checks["training_rows"] = _training_rows(table, source._ignored)
    values = [group_counts["values"] for group_counts in sizes[_IDS].values()]
    values += [len(t.scores) for m in counted.models for t in m.scores if t.bins is None]
    if rows in values:  # a unique column: no row is a duplicate
        checks["duplicates"] = {}
    elif rows * len(table.columns) <= MOST_CELLS and source._ignored:
        checks["duplicates"] = _duplicates(table, source._ignored, max(values, default=0))
    return checks


def _training_rows(table: FrameTable | FileTable, ignored: Sequence[str]) -> dict[str, int]:
    """Return the number of training rows, by the column that marks the split."""
    out = {}
    for name in (c for c in ignored if looks_like(_SPLITS, c)):
        values = profile_of(table, [name])[name].values or ()
        rows = sum(n for text, n in values if _TRAINING.fullmatch(text.casefold()))
        if rows and len(values) > 1:
            out[name] = rows
    return out


def _like_folds(sizes: Mapping[str, int]) -> bool:
    return 2 <= sizes["values"] <= 50 and sizes["most"] <= 1.25 * sizes["fewest"] + 1


def _repeats(sizes: Mapping[str, int]) -> bool:
    values, rows = sizes["values"], sizes["rows"]
    return values >= FEWEST_IDS and rows >= 1.05 * values


def _duplicates(table: FrameTable | FileTable, ignored: Sequence[str], values: int) -> Any:
    """Return the number of duplicate rows and the key column; empty without a key column.

    ``values`` is the largest number of distinct ids or scores. If nearly as many rows are distinct,
    equal rows of one person are not chance either.
    """
    of_rows = table.groups(list(table.columns))
    if of_rows is None:
        return NOT_CHECKED
    distinct = of_rows["values"]
    copies = of_rows["rows"] - distinct
    if not copies or distinct < FEW:
        return {}
    for column in sorted(ignored, key=lambda c: not looks_like(_IDS, c))[:MOST_COLUMNS]:
        named = looks_like(_IDS, column)
        if copies < FEWEST_COPIES and not named:
            break
        group_counts = table.groups([column])
        alone = group_counts is not None and group_counts["values"] == distinct
        if alone or (named and copies >= FEWEST_COPIES and values >= 0.9 * distinct):
            return {"copies": copies, "rows": of_rows["rows"], "key": column}
    return {}
