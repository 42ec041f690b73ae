"""Lazy frames counted by the engine that holds their rows: lines come back, and become tallies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tallymark.intake.decide import Count, decide
from tallymark.intake.models import Intake, Note
from tallymark.intake.rows import MOST_KEPT, Job, assumptions, classes_of, nothing_in
from tallymark.tally.arrays import Codes, Label
from tallymark.tally.bundles import Columns, assign_columns
from tallymark.tally.engines import Asked, Engine
from tallymark.tally.joint import Side, compact
from tallymark.tally.lines import Lines
from tallymark.tally.tables import FrameTable

EXACT = 2**53
"""Whole numbers below this are exact in the floating numbers of a tally."""


def count_engine(table: FrameTable, scores: Sequence[str], job: Job) -> Intake:
    """Count a lazy frame where its rows are; ``scores`` are all columns of scores to be whole."""
    predictions = tuple(dict.fromkeys(m.prediction for m in job.models if m.prediction))
    asked = Asked(
        (job.truth, *predictions),
        tuple(scores),
        tuple(job.slices.values()),
        job.weight or job.counted,
        job.counted is not None,
    )
    engine = Engine(table, asked)
    dropped = engine.refuse_missing(job.missing)
    summary = engine.summary
    found = engine.lines(
        asked.labels, asked.scores, by_weight=len(job.models) > 1 and not job.counted
    )
    assert found is not None
    classes, positive = classes_of(found.labels, job)
    models = assign_columns(job.models, classes, positive)
    if not summary.whole:
        raise nothing_in(job, dropped)
    lines = found.kept(found.whole)
    lines = lines.as_counted() if job.counted else lines
    true = lines.codes(job.truth, classes)
    counts = [Count() for _ in models]
    sides = [
        _add(count, lines, true, columns, classes, positive)
        for columns, count in zip(models, counts, strict=True)
    ]
    notes = assumptions(job, positive)
    narrow = compact(true, len(classes))
    joint = None
    if len(models) > 1:
        joint = lines.joint(classes, narrow, sides, MOST_KEPT, positive)
    sliced = lines.sliced(job.slices, classes, true, sides) if job.slices else None
    decided = tuple(
        decide(c, n, positive, job.threshold, notes) for c, n in zip(models, counts, strict=True)
    )
    rows = int(lines.rows.sum())
    notes += _too_many(rows, engine)
    weighted = job.weight is not None
    return Intake(
        job.source, rows, dropped, classes, positive, decided, tuple(notes), weighted, joint, sliced
    )


def _add(
    count: Count,
    lines: Lines,
    true: Codes,
    columns: Columns,
    classes: tuple[Label, ...],
    positive: Label | None,
) -> Side:
    """Count the lines of one model, and return its column of them."""
    decided: Codes | None = None
    if columns.prediction is not None:
        decided = lines.codes(columns.prediction, classes)
    scores = tuple(lines.numbers[c] for c in columns.scores)
    whose = classes if positive is None else (positive,)
    count.scores = [
        lines.score_tally(true, s, label, classes) for s, label in zip(scores, whose, strict=False)
    ]
    if scores and positive is None:
        matrix = np.stack(scores, 1)
        if decided is None:
            decided = np.argmax(matrix, axis=1)
        count.worst_sum = float(np.abs(matrix.sum(1) - 1).max(initial=0))
        count.sums = lines.sums(true, matrix)
    if decided is not None:
        count.labels = lines.label_tally(true, decided, classes)
        decided = compact(decided, len(classes))
    return Side(columns.name, decided, scores)


def _too_many(rows: int, engine: Engine) -> list[Note]:
    """Warn of counts so large that they are no longer exact."""
    if rows < EXACT:
        return []
    return [
        Note(
            "inexact-counts",
            "warning",
            f"{rows:,} rows are more than 2^53: counts are exact to 16 digits only",
        )
    ]
