"""Lazy frames counted by the engine that holds their rows: lines come back, and become tallies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tallymark.data import engines
from tallymark.data.apply_threshold import Count, decide
from tallymark.data.columns import ModelRoles, assign_columns
from tallymark.data.engines import Asked, Engine
from tallymark.data.frames import FrameTable
from tallymark.data.group_counts import GroupCounts
from tallymark.data.ingest import (
    MOST_KEPT,
    Job,
    Settle,
    assumptions,
    classes_in,
    classes_of,
    nothing_in,
)
from tallymark.data.models import CountedRows, Note
from tallymark.errors import InputError
from tallymark.tally.arrays import Codes, Floats, Label
from tallymark.tally.bins import Bins
from tallymark.tally.joint import ModelColumn, PairedPredictions, compact
from tallymark.tally.scores import ScoreTally
from tallymark.tally.subgroups import SubgroupCounts, SubgroupModel

EXACT = 2**53
"""Whole numbers below this are exact in the floating numbers of a tally."""

BINS = 1 << 18
"""So many bins an engine counts in, where it holds more distinct scores than are fetched."""

COARSE = 4096
"""Bins of the first look at how scores are spread."""

STRETCHES = 24
"""Stretches of bins in an engine: some evaluate every branch of a CASE on every row."""

_CROWDED = 1 / 50
"""A bin of the first look that holds more of the rows than this is looked into again."""


def count_engine(table: FrameTable, scores: Sequence[str], job: Job) -> CountedRows:
    """Count a lazy frame where its rows are; ``scores`` are all columns of scores to be whole."""
    predictions = tuple(dict.fromkeys(m.pred for m in job.models if m.pred))
    asked = Asked(
        (job.truth, *predictions),
        tuple(scores),
        tuple(job.subgroups.values()),
        job.weight or job.counted,
        job.counted is not None,
    )
    engine = Engine(table, asked)
    dropped = engine.refuse_missing(job.missing)
    by_weight = len(job.models) > 1 and not job.counted
    few = engine.summary.rows <= engines.MOST_LINES
    found = engine.lines(asked.labels, asked.scores if few else (), by_weight=by_weight and few)
    if found is None:
        raise InputError(
            f"decisions and subgroups of {job.source} make more than {engines.MOST_LINES:,} "
            "groups; judge fewer models at a time, or give fewer subgroup columns"
        )
    classes, positive = classes_of(found.labels, job)
    models = assign_columns(job.models, classes, positive)
    if not engine.summary.whole:
        raise nothing_in(job, dropped)
    counting = _Counting(engine, job, classes, positive, models)
    if not few and asked.scores:
        found = counting.in_parts(_usable(found, job))
    if found is not None:
        counting.at_once(_usable(found, job))
    notes = assumptions(job, positive)
    decided = tuple(
        decide(c, n, positive, job.threshold, notes)
        for c, n in zip(models, counting.counts, strict=True)
    )
    notes += counting.notes
    rows = decided[0].labels.rows
    if rows >= EXACT:
        told = f"{rows:,} rows are more than 2^53: counts are exact to 16 digits only"
        notes.append(Note("inexact-counts", "warning", told))
    return CountedRows(
        job.source, rows, dropped, classes, positive, decided, tuple(notes),
        job.weight is not None, counting.joint, counting.subgroup_counts,
    )  # fmt: skip


def count_one_in_engine(table: FrameTable, job: Job, settle: Settle) -> Count:
    """Count the one model of a job exactly, where the rows of a lazy frame are."""
    (model,) = job.models
    labels = (job.truth, *([model.pred] if model.pred else []))
    heavy = job.weight or job.counted
    engine = Engine(table, Asked(labels, model.scores, (), heavy, job.counted is not None))
    engine.refuse_missing(job.missing)
    lines = engine.lines(labels, model.scores)
    if lines is None:
        raise InputError(
            f"{(*model.scores, *labels)[0]} holds more than {engines.MOST_LINES:,} distinct values "
            "in each class, too many for a tally of all of them; evaluate() counts them in bins"
        )
    lines = _usable(lines, job)
    if not len(lines):
        raise nothing_in(job, 0)
    counting = _Counting(engine, job, *settle(classes_in(lines.labels, job)), job.models)
    counting.at_once(lines)
    return counting.counts[0]


def _usable(found: GroupCounts, job: Job) -> GroupCounts:
    """Return the lines of rows that have everything, with counts of rows taken for rows."""
    lines = found.kept(found.whole)
    return lines.as_counted() if job.counted else lines


@dataclass(slots=True)
class _Counting:
    """What becomes of lines: the counts of every model, their rows side by side, and subgroups."""

    engine: Engine
    job: Job
    classes: tuple[Label, ...]
    positive: Label | None
    models: tuple[ModelRoles, ...]
    counts: list[Count] = None  # type: ignore[assignment]
    notes: list[Note] = None  # type: ignore[assignment]
    joint: PairedPredictions | None = None
    subgroup_counts: SubgroupCounts | None = None

    def __post_init__(self) -> None:
        self.counts = [Count() for _ in self.models]
        self.notes = []

    def at_once(self, lines: GroupCounts) -> None:
        """Count every model of the same lines, which tell all their scores and decisions."""
        true = lines.codes(self.job.truth, self.classes)
        sides = [
            self._side(count, lines, true, columns)
            for columns, count in zip(self.models, self.counts, strict=True)
        ]
        if len(self.models) > 1:
            narrow = compact(true, len(self.classes))
            self.joint = lines.joint(self.classes, narrow, sides, MOST_KEPT, self.positive)
        if self.job.subgroups:
            self.subgroup_counts = lines.subgroup_counts(
                self.job.subgroups, self.classes, true, sides
            )

    def _side(
        self, count: Count, lines: GroupCounts, true: Codes, columns: ModelRoles
    ) -> ModelColumn:
        """Count one model, and return its column of the lines."""
        classes, positive = self.classes, self.positive
        decided: Codes | None = None
        if columns.pred is not None:
            decided = lines.codes(columns.pred, classes)
        scores = tuple(lines.numbers[c] for c in columns.scores)
        whose = classes if positive is None else (positive,)
        count.scores = [
            lines.score_tally(true, s, label, classes)
            for s, label in zip(scores, whose, strict=False)
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
        return ModelColumn(columns.name, decided, scores)

    # -- more rows than are fetched ------------------------------------------------------------

    def in_parts(self, decisions: GroupCounts) -> GroupCounts | None:
        """Count every model by queries of its own; or return the lines of all, if they are few."""
        job, engine = self.job, self.engine
        if self.positive is None:
            every = list(dict.fromkeys(c for m in self.models for c in m.scores))
            found = engine.lines(engine.asked.labels, every)
            if found is None:
                raise InputError(
                    f"the scores of {len(self.classes)} classes make more than "
                    f"{engines.MOST_LINES:,} distinct rows in {job.source}; round them, or count "
                    "a sample of the rows"
                )
            return found
        parts: list[SubgroupCounts] = []
        groups = len(self.classes)
        exact = True
        for columns, count in zip(self.models, self.counts, strict=True):
            sides: list[tuple[GroupCounts, ModelColumn]] = []
            if columns.pred is not None:
                called = decisions.codes(columns.pred, self.classes)
                true = decisions.codes(job.truth, self.classes)
                count.labels = decisions.label_tally(true, called, self.classes)
                sides.append((decisions, ModelColumn(columns.name, called)))
            if columns.scores:
                (score,) = columns.scores
                lines, tally = self._column(score)
                count.scores = [tally]
                groups *= len(tally.scores)
                exact = exact and tally.bins is None
                ends = lines.numbers[score] if lines.low is None else lines.low
                sides.append((lines, ModelColumn(columns.name, None, (ends,))))
            if job.subgroups:
                parts.append(self._subgroup_counts(sides))
        if exact and len(self.models) > 1 and groups <= engines.MOST_LINES:
            return engine.lines(engine.asked.labels, engine.asked.scores, by_weight=not job.counted)
        if parts:
            models = tuple(m for p in parts for m in p.models)
            self.subgroup_counts = replace(parts[0], models=models)
        return None

    def _subgroup_counts(self, sides: Sequence[tuple[GroupCounts, ModelColumn]]) -> SubgroupCounts:
        """Count one model into subgroups: decisions and scores come in lines of their own."""
        found = [
            lines.subgroup_counts(self.job.subgroups, self.classes,
                                  lines.codes(self.job.truth, self.classes), [side])
            for lines, side in sides
        ]  # fmt: skip
        if len(found) == 1:
            return found[0]
        (a,), (b,) = (f.models for f in found)
        return replace(
            found[0], models=(SubgroupModel(a.name, a.counts, a.sum_squared_weights, b.scores),)
        )

    def _column(self, score: str) -> tuple[GroupCounts, ScoreTally]:
        """Count one score column: exactly where it has few distinct scores, else in bins."""
        job, engine = self.job, self.engine
        assert self.positive is not None
        low, high = engine.summary.low[score], engine.summary.high[score]
        found = self._exact(score) if low == high else None
        if found is not None:
            return found
        keep = (0.0, 0.5) if job.threshold is None else (float(job.threshold),)
        bins = Bins(np.array([low, high]), COARSE)
        first, tally = self._binned(score, bins, subgroups=False)
        ends = [first.low, first.high]
        ranges = np.unique(np.stack(ends, 1), axis=0)  # type: ignore[arg-type]
        if tally.bins is None and not job.subgroups:
            return first, tally
        few = tally.bins is None or self._few(score, ranges)
        found = self._exact(score) if few else None
        if found is not None:
            return found
        assert tally.bins is not None
        if tally.counts.sum(1).max() > _CROWDED * tally.counts.sum():
            bins = bins.refined(tally, COARSE, keep, STRETCHES)
            first, tally = self._binned(score, bins, subgroups=False)
            if tally.bins is None and not job.subgroups:
                return first, tally
        bins = bins.refined(tally, BINS, keep, STRETCHES)
        found = self._binned(score, bins, subgroups=bool(job.subgroups))
        if job.subgroups:
            told = (
                f"{score} holds too many distinct scores to keep them for every subgroup: there, "
                f"those of one of {len(found[1].scores):,} bins count as ties"
            )
            self.notes.append(Note("subgroups-in-bins", "warning", told, score))
        return found

    def _few(self, score: str, ranges: Floats) -> bool:
        """Tell by a few ranges of scores whether there are few enough distinct ones in all."""
        some = ranges[np.linspace(0, len(ranges) - 1, 6).astype(int)[1:-1]]
        found = self.engine.distinct_within(score, [(float(a), float(b)) for a, b in some])
        return found / len(some) * len(ranges) <= engines.MOST_LINES

    def _exact(self, score: str) -> tuple[GroupCounts, ScoreTally] | None:
        lines = self.engine.lines((self.job.truth,), (score,))
        if lines is None:
            return None
        lines = _usable(lines, self.job)
        true = lines.codes(self.job.truth, self.classes)
        assert self.positive is not None
        return lines, lines.score_tally(true, lines.numbers[score], self.positive, self.classes)

    def _binned(self, score: str, bins: Bins, *, subgroups: bool) -> tuple[GroupCounts, ScoreTally]:
        lines = _usable(
            self.engine.binned(self.job.truth, score, bins, subgroups=subgroups), self.job
        )
        true = lines.codes(self.job.truth, self.classes)
        assert self.positive is not None
        return lines, lines.binned_tally(true, score, bins, self.positive, self.classes)
