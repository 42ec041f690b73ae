"""One tally of a lazy table, counted by its engine: what ``from_table`` of the tallies asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from tallymark.errors import InputError
from tallymark.tally import engines
from tallymark.tally.arrays import Label, join_labels
from tallymark.tally.engines import Asked, Engine
from tallymark.tally.labels import LabelTally
from tallymark.tally.lines import Lines
from tallymark.tally.scores import ScoreTally, with_positive
from tallymark.tally.tables import FrameTable, Roles

L = TypeVar("L", bound=LabelTally)
S = TypeVar("S", bound=ScoreTally)


def label_tally(
    cls: type[L], table: FrameTable, roles: Roles, *, labels: Sequence[Label] | None, missing: str
) -> L:
    """Count a lazy table's decisions: :meth:`LabelTally.from_table`."""
    prediction = roles.prediction
    assert prediction is not None
    lines = _whole_lines(table, roles, (roles.truth, prediction), (), missing)
    pair = {n: lines.labels[n] for n in (roles.truth, prediction)}
    names, (true, called) = join_labels(pair, labels)
    t = lines.label_tally(true, called, names)
    return cls(t.labels, t.counts, t.sum_squared_weights, t.rows)


def score_tally(
    cls: type[S],
    table: FrameTable,
    roles: Roles,
    *,
    positive: Label | None,
    labels: Sequence[Label] | None,
    missing: str,
) -> S:
    """Count a lazy table's scores: :meth:`ScoreTally.from_table`."""
    ((score, _),) = roles.scores
    lines = _whole_lines(table, roles, (roles.truth,), (score,), missing)
    names, (true,) = join_labels({roles.truth: lines.labels[roles.truth]}, labels)
    names, true, label = with_positive(names, true, positive)
    t = lines.score_tally(true, lines.numbers[score], label, names)
    return cls(t.labels, t.positive, t.scores, t.counts, t.sum_squared_weights, t.rows)


def _whole_lines(
    table: FrameTable,
    roles: Roles,
    labels: tuple[str, ...],
    scores: tuple[str, ...],
    missing: str,
) -> Lines:
    heavy = roles.weight or roles.counted
    asked = Asked(labels, scores, (), heavy, roles.weight is None and heavy is not None)
    engine = Engine(table, asked)
    engine.refuse_missing(missing)
    lines = engine.lines(labels, scores)
    if lines is None:
        column = scores[0] if scores else labels[0]
        raise InputError(
            f"{column} holds more than {engines.MOST_LINES:,} distinct values in each class, too "
            "many for a tally of all of them; evaluate() counts them in bins"
        )
    lines = lines.kept(lines.whole)
    if not len(lines):
        raise InputError(f"{table.name} holds no row to count; give at least one")
    return lines.as_counted() if asked.counted else lines
