"""Count tables with more distinct scores than are fetched: in bins, and side by side.

Each column of scores is counted exactly where it has few distinct scores, else in bins with proven
bounds. Several models, or one with a score per class, also need their rows side by side: these are
counted in coarser bins of all columns together, and a score of each bin stands for its rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark import InputError, ScoreTally
from tallymark.core import (
    Bins,
    Chunk,
    FrameTable,
    Label,
    ModelCounts,
    RowCounter,
    count_scores,
    decide,
    incomplete,
    join_labels,
    remedy_of_missing,
    width_of,
    without_codes,
)
from tallymark.parts.engines import limits
from tallymark.parts.engines.findings import PAIRS_IN_BINS, SUBGROUPS_IN_BINS
from tallymark.parts.engines.group_counts import Engine, answered
from tallymark.parts.engines.row_sums import RowSums, row_sums
from tallymark.parts.engines.workers import engine_for

Codes = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of scores as it was counted: the class of its scores, its lines and their tally."""

    name: str
    label: Label
    lines: Chunk
    tally: ScoreTally


def count_groups(table: FrameTable, counter: RowCounter) -> Iterator[Chunk]:
    """Count a lazy frame inside its engine, without loading its rows."""
    job = counter.job
    with answered(table):
        engine = engine_for(table, job, counter.notes)
        s = engine.summary
        gaps = {n: (s.missing[n], "") for n in job.needed if s.missing[n]}
        if gaps and job.missing == "error":
            unlabelled = s.missing.get(job.truth, 0)
            raise incomplete(gaps, remedy=remedy_of_missing(job, unlabelled, s.rows))
        few = s.rows <= limits.MOST_LINES
        # Several models or scores need rows side by side. Only the classes show whether two columns
        # of scores belong to two models or to the two classes of one.
        by_row = len(job.models) > 1 or len(job.scores) > 1
        by_weight = few and by_row and not job.counted
        lines = engine.lines(job.decided, job.scores if few else (), by_weight=by_weight)
        if lines is None:
            raise InputError(
                f"decisions and subgroups of {job.source} make more than {limits.MOST_LINES:,} "
                "groups; judge fewer models at a time, or give fewer subgroup columns"
            )
        counter.begin(lines, s.rows - s.whole)
        engine.add_derived(counter.classes.models)
        if s.whole:
            yield from (
                [lines] if few or not job.scores else count_many_scores(engine, counter, lines)
            )


def count_many_scores(engine: Engine, counter: RowCounter, decisions: Chunk) -> Iterator[Chunk]:
    """Yield chunks of the decisions and of each column of scores; one chunk if groups are few.

    Scores of each class, and the rows side by side, are added to the counter.
    """
    job, classes = engine.job, counter.classes
    scored = dict.fromkeys(c for m in classes.models for c in m.scores)
    several = len(classes.models) > 1 or classes.positive is None
    if classes.positive is None:
        exact = engine.lines(job.decided, list(scored))
        if exact is not None:
            yield exact
            return
        if job.subgroups:
            raise InputError(
                f"the scores of {len(classes.labels)} classes make more than {limits.MOST_LINES:,} "
                f"distinct rows in {job.source}; round them, or judge each subgroup in a query of "
                "its own"
            )
    columns = {
        c: _column(engine, counter, c, label, decisions)
        for m in classes.models
        if classes.positive is not None or not m.of_predicted
        for c, label in zip(m.scores, classes.scored, strict=True)
    }
    if len(classes.models) > 1 and classes.positive is not None:
        groups = len(classes.labels) * float(
            np.prod([len(c.tally.scores) for c in columns.values()])
        )
        if groups <= limits.MOST_LINES and all(c.tally.bins is None for c in columns.values()):
            exact = engine.lines(job.decided, list(scored), by_weight=not job.counted)
            if exact is not None:
                yield exact
                return
    if several:
        counter.forget_rows()
    yield decisions
    if classes.positive is None:
        of_rows = {
            m.name: row_sums(engine, classes, m.scores)
            for m in classes.models
            if m.scores and not m.of_predicted
        }
        counter.include({m.name: _of_classes(m, columns, of_rows, counter) for m in classes.models})
    for column in columns.values() if classes.positive is not None else ():
        yield replace(column.lines, again=True)
    if several and columns:
        _keep_side_by_side(engine, counter, columns, decisions)


def _of_classes(
    model: Any, columns: dict[str, Column], of_rows: dict[str, RowSums], counter: RowCounter
) -> ModelCounts:
    """Return the counts of a model with one column of scores per class."""
    if model.name not in of_rows:
        return ModelCounts()
    rows = of_rows[model.name]
    decided = rows.decided if model.pred is None else None
    tallies = tuple(columns[c].tally for c in model.scores)
    return ModelCounts(decided, tallies, rows.sums, rows.worst_sum)


# -- one column of scores --------------------------------------------------------------------------


def _column(
    engine: Engine, counter: RowCounter, score: str, label: Label, decisions: Chunk
) -> Column:
    """Return the counts of a score column: exact for few distinct scores, else in bins."""
    job, labels = engine.job, counter.classes.labels

    def counted(lines: Chunk) -> Column:
        lines = without_codes(lines, job)
        lines = counter.classes.meant(lines.kept(lines.labels[job.truth].codes >= 0), job)
        (true,) = join_labels({job.truth: lines.labels[job.truth]}, labels)[1]
        return Column(score, label, lines, count_scores(true, score, label, labels, lines))

    def exact() -> Column | None:
        lines = engine.lines([job.truth], [score])
        return None if lines is None else counted(lines)

    def few(first: Chunk) -> bool:
        """Estimate from a sample of score ranges whether all distinct scores fit into one query."""
        ranges = np.unique(np.stack([first.numbers[score], first.bins[score][1]], 1), axis=0)
        some = ranges[np.linspace(0, len(ranges) - 1, 6).astype(int)[1:-1]]
        distinct = engine.distinct_within(score, some.tolist())
        return distinct / len(some) * len(ranges) <= limits.MOST_LINES

    low, high = engine.summary.ends[score]
    if low == high and (found := exact()) is not None:
        return found
    keep = (0.0, 0.5) if job.threshold is None else (float(job.threshold),)
    lines, fitted = engine.first_look(score)
    first = counted(lines)
    if first.tally.bins is None and not job.subgroups:
        return first
    may_be_few = first.tally.bins is None or (engine.perhaps_few(score) and few(first.lines))
    if may_be_few and (found := exact()) is not None:
        return found
    bins, tolerance = Bins(np.array([low, high]), limits.COARSE), counter.tolerance
    if fitted and not job.subgroups and _narrow(first.tally, tolerance):
        return first
    if not fitted and _crowded(first.tally):
        bins = bins._refined(first.tally, limits.COARSE, keep, limits.STRETCHES)
        first = counted(engine.binned(score, bins, subgroups=False))
        if first.tally.bins is None and not job.subgroups:
            return first
    most = limits.BINS
    if job.subgroups:
        cells = len(_distinct(decisions, [job.truth, *job.subgroups.values()]))
        most = min(most, max(limits.MOST_LINES // cells, 1))
    at_most = most if job.subgroups else limits.MOST_BINS
    found = first
    while True:
        bins = bins._refined(found.tally, most, keep, limits.STRETCHES)
        found = counted(engine.binned(score, bins, subgroups=bool(job.subgroups)))
        if tolerance is None or (width := width_of(found.tally)) <= tolerance:
            break
        most = int(1.25 * len(bins) * width / tolerance)
        if most > at_most:
            raise InputError(
                f"tolerance={tolerance:g} needs about {most:.2g} bins of {score}, and an engine "
                f"counts {at_most:,}{' with these subgroups' if job.subgroups else ''}; give a "
                f"tolerance of at least {width * len(bins) / at_most:.1g}"
            )
    if job.subgroups and found.tally.bins is not None:
        found, width = _tied_in_subgroups(found, engine)
        counter.notes.append(
            SUBGROUPS_IN_BINS.finding(score, bins=len(found.tally.scores), width=width)
        )
    return found


def _narrow(tally: ScoreTally, tolerance: float | None) -> bool:
    """Tell whether bins that were laid by a sample fit all rows."""
    return not _crowded(tally) and (tolerance is None or width_of(tally) <= tolerance)


def _crowded(tally: ScoreTally) -> bool:
    """Tell whether a bin with several scores has too large a share of the rows."""
    if tally.highs is None:
        return False
    rows = tally.counts.sum(1)
    of_several = rows[tally.highs > tally.scores]
    return float(of_several.max(initial=0.0)) > limits.CROWDED * float(rows.sum())


def _distinct(lines: Chunk, names: list[str]) -> NDArray[np.intp]:
    """Return the distinct combinations of some columns of labels, as rows of codes."""
    codes = np.stack([lines.labels[name].codes for name in names], 1)
    return np.unique(codes, axis=0)


def _tied_in_subgroups(column: Column, engine: Engine) -> tuple[Column, float]:
    """Return a column whose lines have one score per bin, and how wide the bounds are.

    The lowest scores of a bin differ between classes and subgroups, which would order its rows.
    The width is that of the bounds on the ROC area, of the subgroup where it is largest.
    """
    lines, tally, name = column.lines, column.tally, column.name
    bins, _ = lines.bins[name]
    place = np.searchsorted(bins._place(tally.scores), bins._place(lines.numbers[name]))
    lines = replace(lines, numbers={**lines.numbers, name: tally.scores[place]})
    job = engine.job
    codes = [lines.labels[c].codes for c in job.subgroups.values()]
    _, group = np.unique(np.stack(codes, 1), axis=0, return_inverse=True)
    truth = lines.labels[job.truth]
    own = truth.codes == truth.labels.index(column.label)
    mass = lines.mass
    assert mass is not None
    assert tally.highs is not None
    cells, cell = np.unique(group * len(tally.scores) + place, return_inverse=True)
    of_class = [np.bincount(cell, mass * rows, len(cells)) for rows in (own, ~own)]
    wide = (tally.highs > tally.scores)[cells % len(tally.scores)]
    of_group = cells // len(tally.scores)
    tied = np.bincount(of_group, of_class[0] * of_class[1] * wide)
    pairs = np.bincount(of_group, of_class[0]) * np.bincount(of_group, of_class[1])
    width = float(np.max(tied[pairs > 0] / pairs[pairs > 0], initial=0.0))
    return replace(column, lines=lines), width


# -- rows side by side -----------------------------------------------------------------------------


def _keep_side_by_side(
    engine: Engine, counter: RowCounter, columns: dict[str, Column], decisions: Chunk
) -> None:
    """Keep the rows in bins of all columns together, as fine as the groups that are fetched allow.

    The first bins are so few that their groups fit whatever the rows are. Where scores of a row
    agree, many groups are empty, and finer bins fit too.
    """
    job, classes = engine.job, counter.classes
    best = {
        m.name: engine.best(m.scores)
        for m in classes.models
        if classes.positive is None and m.pred is None and m.scores
    }
    cells = decisions.rows * len(classes.labels) ** len(best)
    size = max(int((limits.MOST_LINES / cells) ** (1 / len(columns))), 2)
    keep = _thresholds(counter, columns)
    lines, grown = None, 4.0
    while True:
        size = min(size, limits.SIDE_BY_SIDE)
        bins = {c: _coarser(column, size, keep) for c, column in columns.items()}
        found = engine.lines(
            job.decided,
            [c for c, laid in bins.items() if laid is None],
            bins={c: laid for c, laid in bins.items() if laid is not None},
            by_weight=not job.counted,
            keys={f"best_{i}": e for i, e in enumerate(best.values())},
        )
        if found is None:
            break
        grown = max(found.rows / lines.rows, 1.0) if lines is not None else grown
        lines, laid_out = found, bins
        if size == limits.SIDE_BY_SIDE or lines.rows * grown > limits.MOST_LINES:
            break
        size *= 2
    if lines is None:
        return
    decided = {name: lines.numbers[f"best_{i}"].astype(np.intp) for i, name in enumerate(best)}
    lines = classes.meant(lines, job)
    numbers = dict(lines.numbers)
    for name, laid in laid_out.items():
        if laid is not None:
            numbers[name] = _standing_for(columns[name].tally, laid, numbers[name])
    counter.keep(replace(lines, numbers=numbers), decided)
    sizes = [len(laid) for laid in laid_out.values() if laid is not None]
    if sizes:
        counter.notes.append(PAIRS_IN_BINS.finding(bins=min(sizes)))


def _thresholds(counter: RowCounter, columns: dict[str, Column]) -> dict[str, tuple[float, ...]]:
    """Return the thresholds of decisions by each column, which are edges of its bins."""
    classes, job = counter.classes, counter.job
    keep: dict[str, tuple[float, ...]] = {}
    for m in classes.models if classes.positive is not None else ():
        for c in m.scores:
            model = decide(
                m, ModelCounts(scores=(columns[c].tally,)), classes.positive, job.threshold, []
            )
            keep[c] = () if model.threshold is None else (model.threshold,)
    return keep


def _coarser(column: Column, size: int, keep: dict[str, tuple[float, ...]]) -> Bins | None:
    """Return about so many bins of a column; None if it has no more distinct scores."""
    tally = column.tally
    if tally.bins is None and len(tally.scores) <= size:
        return None
    ends = Bins(np.array([tally.scores[0], tally._highest]), 1)
    stretches = min(limits.STRETCHES, max(size // 2, 2))
    return ends._refined(tally, size, keep.get(column.name, ()), stretches)


def _standing_for(tally: ScoreTally, bins: Bins, place: NDArray[Any]) -> NDArray[np.float64]:
    """Return one score for each coarse bin: that of the median row in the bin.

    A bin without a score of the tally takes the next lower one, in whose bin its rows are.
    """
    places = bins._place(tally.scores)
    before = np.append(0.0, np.cumsum(tally.counts.sum(1)))
    wanted, of_row = np.unique(place, return_inverse=True)
    first, after = (np.searchsorted(places, wanted, side=side) for side in ("left", "right"))
    median = np.searchsorted(before[1:], (before[first] + before[after]) / 2)
    median = np.where(first < after, median, first - 1).clip(min=0)
    return np.asarray(tally.scores[median[of_row]])
