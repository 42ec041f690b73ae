"""Lazy frames counted by the engine that holds their rows: which queries it is asked."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tallymark.data import engines
from tallymark.data.chunks import Chunk, FrameTable, count_scores
from tallymark.data.engines import Asked, Engine
from tallymark.data.ingest import Job, RowCounter, Settle
from tallymark.data.models import CountedRows, ModelCounts, Note
from tallymark.errors import InputError
from tallymark.tally.arrays import Floats, join_labels
from tallymark.tally.bins import Bins
from tallymark.tally.scores import ScoreTally

BINS = 1 << 18
"""So many bins an engine counts in, where it holds more distinct scores than are fetched."""

COARSE = 4096
"""Bins of the first look at how scores are spread."""

STRETCHES = 24
"""Stretches of bins in an engine: some evaluate every branch of a CASE on every row."""

_CROWDED = 1 / 50
"""A bin of the first look that holds more of the rows than this is looked into again."""


def count_engine(table: FrameTable, job: Job) -> CountedRows:
    """Count a lazy frame where its rows are."""
    engine = _engine(table, job)
    asked, counter = engine.asked, RowCounter(job)
    dropped = engine.refuse_missing(job.missing)
    by_weight = len(job.models) > 1 and not job.counted
    few = engine.summary.rows <= engines.MOST_LINES
    lines = engine.lines(asked.labels, asked.scores if few else (), by_weight=by_weight and few)
    if lines is None:
        raise InputError(
            f"decisions and subgroups of {job.source} make more than {engines.MOST_LINES:,} "
            "groups; judge fewer models at a time, or give fewer subgroup columns"
        )
    counter.begin(lines.labels, dropped)
    if engine.summary.whole:
        parts = not few and asked.scores
        for chunk in _in_parts(engine, counter, lines) if parts else [lines]:
            counter.add(chunk)
    return counter.result()


def count_one_in_engine(table: FrameTable, job: Job, settle: Settle) -> ModelCounts:
    """Count the one model of a job exactly, where the rows of a lazy frame are."""
    engine, counter = _engine(table, job), RowCounter(job, settle)
    engine.refuse_missing(job.missing)
    asked = engine.asked
    lines = engine.lines(asked.labels, asked.scores)
    if lines is None:
        raise InputError(
            f"{(*asked.scores, *asked.labels)[0]} holds more than {engines.MOST_LINES:,} distinct "
            "values in each class, too many for a tally of all of them; evaluate() counts them in "
            "bins"
        )
    if not lines.rows:
        raise job.nothing_in()
    counter.add(lines)
    assert counter.counted is not None
    return counter.counted.models[0]


def _engine(table: FrameTable, job: Job) -> Engine:
    predictions = dict.fromkeys(m.pred for m in job.models if m.pred)
    scores = dict.fromkeys(c for m in job.models for c in m.scores)
    asked = Asked(
        (job.truth, *predictions),
        tuple(scores),
        tuple(job.subgroups.values()),
        job.weight or job.counted,
        job.counted is not None,
    )
    return Engine(table, asked)


# -- more rows than are fetched ------------------------------------------------------------------


def _in_parts(engine: Engine, counter: RowCounter, decisions: Chunk) -> list[Chunk]:
    """Return the decisions and each column of scores as chunks; or all at once, if they are few."""
    job, classes = counter.job, counter.classes
    if classes.positive is None:
        every = list(dict.fromkeys(c for m in classes.models for c in m.scores))
        lines = engine.lines(engine.asked.labels, every)
        if lines is None:
            raise InputError(
                f"the scores of {len(classes.labels)} classes make more than "
                f"{engines.MOST_LINES:,} distinct rows in {job.source}; round them, or count a "
                "sample of the rows"
            )
        return [lines]
    chunks, groups, exact = [decisions], len(classes.labels), True
    for model in classes.models:
        for score in model.scores:
            chunk, tally = _Column(engine, counter, score).counted()
            groups *= len(tally.scores)
            exact = exact and tally.bins is None
            chunks.append(replace(chunk, again=True))
    if len(classes.models) > 1:
        if exact and groups <= engines.MOST_LINES:
            asked, by_weight = engine.asked, not job.counted
            lines = engine.lines(asked.labels, asked.scores, by_weight=by_weight)
            if lines is not None:
                return [lines]
        counter.forget_rows()
    return chunks


@dataclass(frozen=True, slots=True)
class _Column:
    """One score column: counted exactly where it has few distinct scores, else in bins."""

    engine: Engine
    counter: RowCounter
    score: str

    def counted(self) -> tuple[Chunk, ScoreTally]:
        """Return the groups of rows by this score, and their tally."""
        job, score = self.counter.job, self.score
        low, high = self.engine.summary.ends[score]
        exact = self._exact() if low == high else None
        if exact is not None:
            return exact
        keep = (0.0, 0.5) if job.threshold is None else (float(job.threshold),)
        bins = Bins(np.array([low, high]), COARSE)
        first, tally = self._in_bins(bins)
        if tally.bins is None and not job.subgroups:
            return first, tally
        lows, highs = first.numbers[score], first.bins[score][1]
        few = tally.bins is None or self._few(np.unique(np.stack([lows, highs], 1), axis=0))
        exact = self._exact() if few else None
        if exact is not None:
            return exact
        if tally.bins is not None and tally.counts.sum(1).max() > _CROWDED * tally.counts.sum():
            bins = bins.refined(tally, COARSE, keep, STRETCHES)
            first, tally = self._in_bins(bins)
            if tally.bins is None and not job.subgroups:
                return first, tally
        bins = bins.refined(tally, BINS, keep, STRETCHES)
        chunk, tally = self._in_bins(bins, subgroups=bool(job.subgroups))
        if job.subgroups:
            text = (
                f"{score} holds too many distinct scores to keep them for every subgroup: there, "
                f"those of one of {len(tally.scores):,} bins count as ties"
            )
            self.counter.notes.append(Note("subgroups-in-bins", "warning", text, score))
        return chunk, tally

    def _few(self, ranges: Floats) -> bool:
        """Tell by a few ranges of scores whether there are few enough distinct ones in all."""
        some = ranges[np.linspace(0, len(ranges) - 1, 6).astype(int)[1:-1]]
        within = [(float(a), float(b)) for a, b in some]
        distinct = self.engine.distinct_within(self.score, within)
        return distinct / len(some) * len(ranges) <= engines.MOST_LINES

    def _exact(self) -> tuple[Chunk, ScoreTally] | None:
        lines = self.engine.lines((self.counter.job.truth,), (self.score,))
        return None if lines is None else (lines, self._tally(lines))

    def _in_bins(self, bins: Bins, *, subgroups: bool = False) -> tuple[Chunk, ScoreTally]:
        lines = self.engine.binned(self.counter.job.truth, self.score, bins, subgroups=subgroups)
        return lines, self._tally(lines)

    def _tally(self, lines: Chunk) -> ScoreTally:
        classes, truth = self.counter.classes, self.counter.job.truth
        assert classes.positive is not None
        (true,) = join_labels({truth: lines.labels[truth]}, classes.labels)[1]
        return count_scores(true, self.score, classes.positive, classes.labels, lines)
