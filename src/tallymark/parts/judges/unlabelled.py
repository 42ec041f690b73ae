"""Name the way to use rows without a true class, where a judge may have a value for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tallymark.core import (
    CountedRows,
    FileTable,
    Finding,
    FrameTable,
    Table,
    bare,
    profile_of,
    rule,
)

_JUDGES = re.compile(
    r".*(?:judge|judged|grader|graded|rater|gpt|llm|claude|gemini|llama|mistral|qwen|proxy)\d*.*"
)

UNLABELLED = rule(
    "rows-without-truth",
    "warning",
    "Most rows have no true class and are left out, and another column may hold a judge's values.",
    "{rows:,} rows without a true class are left out; `{column}` may hold a judge's value for them",
    ". If it does, use all rows with tallymark judge, or tm.few_labels",
)


def few_truths(truth: str, ignored: Sequence[str]) -> str | None:
    """Return how to use all rows, if a column may be a judge's values."""
    if not ignored:
        return None
    named = next((c for c in ignored if _JUDGES.fullmatch(bare(c))), None)
    column = "another column holds" if named is None else f"`{named}` holds"
    return (
        f"or if {column} a judge's value in every row, use all rows with tallymark judge, or "
        "tm.few_labels"
    )


def rows_left_out(table: Table, counted: CountedRows) -> Iterator[Finding]:
    """Yield that most rows are left out, and which column may be a judge's.

    It holds no other values than the classes, in every row.
    """
    ignored, rows = counted.source._ignored, counted.rows + counted.dropped
    if counted.dropped <= counted.rows or not ignored or table.layout or not table.at_hand:
        return
    if not isinstance(table, FrameTable | FileTable):
        return
    classes = set(map(str, counted.classes))
    truth = counted.source._roles.get("truth")
    if not isinstance(truth, str) or 2 * profile_of(table, [truth])[truth].present > rows:
        return
    for column in sorted(ignored, key=lambda c: not _JUDGES.fullmatch(bare(c))):
        profile = profile_of(table, [column])[column]
        values = {*profile.texts}
        if profile.present == rows and len(values) > 1 and values <= classes:
            yield UNLABELLED.finding(rows=counted.dropped, column=column)
            return
