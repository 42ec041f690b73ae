"""Lazy frames counted by the engine that holds their rows: which queries it is asked."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tallymark.errors import InputError
from tallymark.reading import engines
from tallymark.reading.chunks import Chunk, FrameTable, count_scores
from tallymark.reading.engines import Engine
from tallymark.reading.ingest import RowCounter
from tallymark.reading.models import Note
from tallymark.tally.arrays import join_labels
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


def count_lines(table: FrameTable, counter: RowCounter) -> Iterator[Chunk]:
    """Count a lazy frame where its rows are."""
    job, engine = counter.job, Engine(table, counter.job)
    with engine.guarded():
        dropped = engine.refuse_missing()
        few = engine.summary.rows <= engines.MOST_LINES
        # Rows of several models or scores are kept side by side, and only the classes will tell
        # whether two columns of scores are two models' or of the two classes of one.
        kept = len(job.models) > 1 or len(job.scores) > 1
        by_weight = few and kept and not job.counted
        lines = engine.lines(job.decided, job.scores if few else (), by_weight=by_weight)
        if lines is None:
            raise InputError(
                f"decisions and subgroups of {job.source} make more than {engines.MOST_LINES:,} "
                "groups; judge fewer models at a time, or give fewer subgroup columns"
            )
        counter.begin(lines, dropped)
        engine.add_derived(counter.classes.models)
        if engine.summary.whole:
            yield from [lines] if few or not job.scores else _in_parts(engine, counter, lines)


# -- more rows than are fetched ------------------------------------------------------------------


def _in_parts(engine: Engine, counter: RowCounter, decisions: Chunk) -> list[Chunk]:
    """Return the decisions and each column of scores as chunks; or all at once, if they are few."""
    job, classes = counter.job, counter.classes
    if classes.positive is None:
        every = list(dict.fromkeys(c for m in classes.models for c in m.scores))
        lines = engine.lines(job.decided, every)
        if lines is None:
            raise InputError(
                f"the scores of {len(classes.labels)} classes make more than "
                f"{engines.MOST_LINES:,} distinct rows in {job.source}; round them, or count a "
                "sample of the rows"
            )
        return [lines]
    counted = [_counted(engine, counter, c) for m in classes.models for c in m.scores]
    if len(classes.models) > 1:
        groups = len(classes.labels) * math.prod(len(t.scores) for _, t in counted)
        if groups <= engines.MOST_LINES and all(t.bins is None for _, t in counted):
            lines = engine.lines(job.decided, job.scores, by_weight=not job.counted)
            if lines is not None:
                return [lines]
        counter.forget_rows()
    return [decisions, *(replace(chunk, again=True) for chunk, _ in counted)]


Lines = tuple[Chunk, ScoreTally]
"""The groups of rows by a column of scores, and their tally."""


def _counted(engine: Engine, counter: RowCounter, score: str) -> Lines:
    """Count one score column: exactly where it has few distinct scores, else in bins."""
    job, labels, positive = counter.job, counter.classes.labels, counter.classes.positive
    assert positive is not None

    def tallied(lines: Chunk) -> Lines:
        lines = counter.classes.meant(lines, job)
        (true,) = join_labels({job.truth: lines.labels[job.truth]}, labels)[1]
        return lines, count_scores(true, score, positive, labels, lines)

    def exact() -> Lines | None:
        lines = engine.lines([job.truth], [score])
        return None if lines is None else tallied(lines)

    def few(first: Chunk) -> bool:
        """Tell by a few ranges of scores whether there are few enough distinct ones in all."""
        ranges = np.unique(np.stack([first.numbers[score], first.bins[score][1]], 1), axis=0)
        some = ranges[np.linspace(0, len(ranges) - 1, 6).astype(int)[1:-1]]
        distinct = engine.distinct_within(score, some.tolist())
        return distinct / len(some) * len(ranges) <= engines.MOST_LINES

    low, high = engine.summary.ends[score]
    if low == high and (found := exact()) is not None:
        return found
    keep = (0.0, 0.5) if job.threshold is None else (float(job.threshold),)
    bins = Bins(np.array([low, high]), COARSE)
    first, tally = tallied(engine.binned(score, bins, subgroups=False))
    if tally.bins is None and not job.subgroups:
        return first, tally
    if (tally.bins is None or few(first)) and (found := exact()) is not None:
        return found
    if tally.bins is not None and tally.counts.sum(1).max() > _CROWDED * tally.counts.sum():
        bins = bins.refined(tally, COARSE, keep, STRETCHES)
        first, tally = tallied(engine.binned(score, bins, subgroups=False))
        if tally.bins is None and not job.subgroups:
            return first, tally
    bins = bins.refined(tally, BINS, keep, STRETCHES)
    chunk, tally = tallied(engine.binned(score, bins, subgroups=bool(job.subgroups)))
    if job.subgroups:
        text = (
            f"{score} holds too many distinct scores to keep for every subgroup: there, scores in "
            f"one of {len(tally.scores):,} bins count as ties"
        )
        counter.notes.append(Note("subgroups-in-bins", "warning", text, score))
    return chunk, tally
