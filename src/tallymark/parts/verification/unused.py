"""Warn that people recur in comparisons whose columns of people are not used."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tallymark.core import (
    CountedRows,
    FileTable,
    Finding,
    FrameTable,
    Table,
    enumerated,
    read_whole,
    rule,
)
from tallymark.parts.verification.identities import Kinds, Sides, names_identity, who
from tallymark.parts.verification.people import both_people

MOST_ROWS = 200_000
"""Most comparisons whose people are read: a fraction of a second of work."""

NOT_USED = rule(
    "people-not-used",
    "warning",
    "People recur, and the columns that name them are not used.",
    "{people} people recur in {columns}; these intervals assume independent comparisons",
    ". Use tallymark verify",
    dependence=True,
)


def people_not_used(table: Table, counted: CountedRows) -> Iterator[Finding]:
    """Yield that two unused columns hold the people of both sides, and that these recur.

    Two columns do so if their values are equal in all positive rows and differ in all others.
    """
    named = [c for c in counted.source._ignored if names_identity(c)]
    truth, positive = counted.source._roles.get("truth"), str(counted.positive)
    if len(named) < 2 or not isinstance(truth, str) or counted.rows > MOST_ROWS:
        return
    if not isinstance(table, FrameTable | FileTable) or table.layout or not table.at_hand:
        return
    true = read_whole(table, [truth], []).labels[truth]
    texts = [str(label) for label in true.labels]
    if positive not in texts:
        return
    mated = true.codes == texts.index(positive)
    others = [c for c in table.columns if c not in named]
    found = who(table, Sides(), others, Kinds(mated, ~mated & (true.codes >= 0)))
    if found.codes is None:
        return
    first, second = both_people(found.codes)
    _, rows = np.unique(np.append(first, second[second != first]), return_counts=True)
    if recurring := int((rows > 1).sum()):
        columns = enumerated([f"`{name}`" for name in found.columns])
        yield NOT_USED.finding(people=recurring, columns=columns)
