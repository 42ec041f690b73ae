"""Chunks of checked rows, counted one by one and forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tallymark.data.apply_threshold import Count, decide
from tallymark.data.chunks import Chunk
from tallymark.data.columns import ModelRoles, assign_columns
from tallymark.data.memory import Scoring
from tallymark.data.models import CountedRows, Note
from tallymark.data.weka import weka_positive_score
from tallymark.errors import InputError
from tallymark.tally.arrays import (
    Coded,
    Floats,
    Label,
    as_weights,
    find_positive,
    first_come,
    join_labels,
    keep_complete,
)
from tallymark.tally.joint import ModelColumn, PairedPredictions, compact
from tallymark.tally.labels import LabelTally, Missing
from tallymark.tally.scores import ScoreTally, with_opposite
from tallymark.tally.subgroups import SubgroupCounter
from tallymark.tally.sums import Sums

MOST_KEPT = 2_000_000_000
"""Rows of several models are kept side by side up to so many bytes."""


@dataclass(frozen=True, slots=True)
class Job:
    """What to count, and how."""

    source: str
    truth: str
    models: tuple[ModelRoles, ...]
    weight: str | None = None
    counted: str | None = None
    cluster: str | None = None
    labels: tuple[Label, ...] | None = None
    positive: Label | None = None
    threshold: float | None = None
    missing: Missing = "error"
    assumed: tuple[str, ...] = ()
    subgroups: Mapping[str, str] = field(default_factory=dict)
    scoring: Scoring | None = None
    most_kept: int = MOST_KEPT


Settle = Callable[[tuple[Label, ...]], tuple[tuple[Label, ...], Label | None]]
"""What makes of the classes that occur those to count under, and the positive one."""


def count_rows(chunks: Iterable[Chunk], job: Job, arrays: bool = False) -> CountedRows:
    """Count chunk after chunk; rows of arrays are named by their index."""
    counter = RowCounter(job, arrays=arrays)
    for chunk in chunks:
        counter.add(chunk)
    return counter.result()


class RowCounter:
    """Counts chunks of rows: every model, its subgroups, and the rows of several side by side."""

    def __init__(self, job: Job, settle: Settle | None = None, *, arrays: bool = False) -> None:
        self.job = job
        self.counts: list[Count] = []
        self._settle = settle
        self._arrays = arrays
        self._rows = self._dropped = 0
        self._heaviest = 0.0

    def _begin(self, labels: Mapping[str, Coded]) -> None:
        """Settle the classes by the first chunk, which lists the labels of all."""
        job = self.job
        if self._settle is None:
            self.classes, self.positive = classes_of(labels, job)
        else:
            self.classes, self.positive = self._settle(classes_in(labels, job))
        self._models = assign_columns(job.models, self.classes, self.positive)
        self.counts = [Count() for _ in self._models]
        self._parts: list[PairedPredictions] | None = (
            [] if len(self._models) > 1 or job.cluster else None
        )
        self._subgroup_counter = (
            SubgroupCounter(tuple(job.subgroups), self.classes) if job.subgroups else None
        )

    def add(self, chunk: Chunk) -> None:
        """Count some rows."""
        job, first_row = self.job, None if self._arrays else chunk.first_row
        if not self.counts:
            self._begin(chunk.labels)
        chunk, left_out = complete_rows(chunk, job, first_row)
        self._rows += chunk.rows
        self._dropped += left_out
        name = job.weight or job.counted or ""
        weights = as_weights(chunk.numbers.get(name), name, first_row)
        heaviest = 1.0 if weights is None else float(weights.max(initial=0))
        self._heaviest = max(self._heaviest, heaviest)
        sides = [
            add_rows(count, chunk, columns, job, self.classes, self.positive, weights)
            for columns, count in zip(self._models, self.counts, strict=True)
        ]
        if self._parts is None and self._subgroup_counter is None:
            return
        _, (codes,) = join_labels({job.truth: chunk.labels[job.truth]}, self.classes)
        true = compact(codes, len(self.classes))
        if self._subgroup_counter is not None:
            levels = [chunk.labels[c] for c in job.subgroups.values()]
            self._subgroup_counter.add(levels, true, sides, weights)
        if self._parts is not None:
            groups = chunk.groups[job.cluster].astype(np.int32) if job.cluster else None
            part = PairedPredictions(
                self.classes, true, tuple(sides), self.positive, weights, groups
            )
            self._parts.append(part)
            if sum(p.nbytes for p in self._parts) > min(job.most_kept, MOST_KEPT):
                self._forget_rows()

    def _forget_rows(self) -> None:
        """Keep no rows side by side; clusters cannot do without."""
        self._parts = None
        if self.job.cluster:
            raise InputError(
                f"{self.job.source} is too large to keep its rows, which {self.job.cluster} needs "
                f"(at most {MOST_KEPT / 1e9:.3g} GB of labels and scores); judge fewer rows or "
                "models"
            )

    def result(self) -> CountedRows:
        """Return all that was counted, with decisions made by thresholds where none are given."""
        job = self.job
        if not self._rows:
            raise nothing_in(job, self._dropped)
        if not self._heaviest:
            raise nothing_weighs(job.weight or job.counted)
        self._finish_scores()
        notes = assumptions(job, self.positive)
        joint = self._joint(notes)
        if job.counted:
            for count in self.counts:
                count.as_rows()
        models = tuple(
            decide(m, c, self.positive, job.threshold, notes)
            for m, c in zip(self._models, self.counts, strict=True)
        )
        rows = self._rows
        if job.counted:
            rows = models[0].labels.rows
            joint = self._repeated(joint, rows)
        subgroup_counts = (
            None
            if self._subgroup_counter is None
            else self._subgroup_counter.done(job.counted is not None)
        )
        return CountedRows(
            job.source, rows, self._dropped, self.classes, self.positive, models, tuple(notes),
            job.weight is not None, joint, subgroup_counts,
        )  # fmt: skip

    def _finish_scores(self) -> None:
        """Take the scores that were counted within a limit of memory, if there is one."""
        if self.job.scoring is None:
            return
        whose = self.classes if self.positive is None else (self.positive,)
        for columns, count in zip(self._models, self.counts, strict=True):
            count.scores = self.job.scoring.tallies(columns.name, whose) or count.scores
        if any(t.bins is not None for c in self.counts for t in c.scores):
            self._forget_rows()  # rows and bins do not go together

    def _joint(self, notes: list[Note]) -> PairedPredictions | None:
        """Return the rows of several models side by side, clusters numbered as they first come."""
        joint = PairedPredictions.of_parts(self._parts) if self._parts else None
        if joint is not None and joint.clusters is not None:
            joint = replace(joint, clusters=first_come(joint.clusters).astype(np.int32))
            notes.append(_of_clusters(joint, self.job))
        return joint

    def _repeated(self, joint: PairedPredictions | None, rows: int) -> PairedPredictions | None:
        """Return each line as often as it counts rows; None where they would take too much."""
        if joint is None or joint.weights is None:
            return joint
        if joint.nbytes / joint.rows * rows <= MOST_KEPT:
            return joint.repeated(joint.weights.astype(np.int64))
        self._forget_rows()
        return None


def nothing_weighs(name: str | None) -> InputError:
    """Return the refusal of weights that are all 0."""
    return InputError(f"{name} is 0 in every row, so that nothing counts; mend it or leave it out")


def nothing_in(job: Job, dropped: int) -> InputError:
    """Return the refusal of a source without a row to count."""
    lost = f" ({dropped:,} left out because something was missing)" if dropped else ""
    return InputError(f"{job.source} holds no row to count{lost}; give at least one")


def assumptions(job: Job, positive: Label | None) -> list[Note]:
    """Return what was assumed: which column is what, and which class is positive."""
    notes = [Note("assumed-columns", "assumed", text) for text in job.assumed]
    if positive is not None and job.positive is None:
        text = f"the positive class is {positive!r}"
        notes.append(Note("assumed-positive", "assumed", text))
    return notes


def _of_clusters(joint: PairedPredictions, job: Job) -> Note:
    """Say how many groups of rows there are: nobody sees it from the numbers."""
    assert joint.clusters is not None
    sizes = np.bincount(joint.clusters)
    of = "of one row each" if sizes.max() == 1 else f"of up to {sizes.max():,} rows"
    many = f"{len(sizes):,} clusters" if len(sizes) > 1 else "one cluster"
    return Note(
        "clusters",
        "assumed",
        f"the {joint.rows:,} rows come in {many} {of}, by {job.cluster}: intervals are of clusters "
        "drawn whole, not of rows",
    )


def classes_in(labels: Mapping[str, Coded], job: Job) -> tuple[Label, ...]:
    """Return the classes of the truth and of every prediction, or those of the job."""
    coded = {job.truth: labels[job.truth]}
    coded.update({m.pred: labels[m.pred] for m in job.models if m.pred})
    return join_labels(coded, job.labels)[0]


def classes_of(labels: Mapping[str, Coded], job: Job) -> tuple[tuple[Label, ...], Label | None]:
    """Return the classes to count under, and the positive one of two."""
    classes = classes_in(labels, job)
    if not classes:
        raise InputError(f"{job.truth} holds no label; give the true class of each row")
    return settle_classes(classes, job.positive)


def settle_classes(
    classes: tuple[Label, ...], asked: Label | None
) -> tuple[tuple[Label, ...], Label | None]:
    """Return the classes, made two where fewer occur, and the positive one of two."""
    wanted = match_label(classes, asked)
    if len(classes) > 2:
        if wanted is not None:
            raise InputError(
                f"positive is {wanted!r} and there are {len(classes)} classes; leave positive out "
                "to judge them all, or give labels of two classes"
            )
        return classes, None
    positive = find_positive(classes, wanted)
    return with_opposite(classes, positive), positive


def match_label(labels: Sequence[Label], asked: Label | None) -> Label | None:
    """Return the label asked for as it stands in the data: "1" finds 1, "true" finds True."""
    if asked is None or asked in labels or not isinstance(asked, str):
        return asked
    for label in labels:
        if str(label).lower() == asked.lower() and not isinstance(label, str):
            return label
    return asked


def complete_rows(chunk: Chunk, job: Job, first_row: int | None) -> tuple[Chunk, int]:
    """Leave out, or refuse, rows where a label, a score or a cluster is missing."""
    scores = {k: v for k, v in chunk.numbers.items() if k not in (job.weight, job.counted)}
    # What is missing in a subgroup column is a subgroup too.
    labels = {k: c for k, c in chunk.labels.items() if k not in job.subgroups.values()}
    keep = keep_complete({**labels, **scores, **chunk.groups}, job.missing, first_row)
    if keep is None:
        return chunk, 0
    return (
        Chunk(
            first_row=chunk.first_row,
            labels={k: Coded(c.codes[keep], c.labels) for k, c in chunk.labels.items()},
            numbers={k: v[keep] for k, v in chunk.numbers.items()},
            rows=int(keep.sum()),
            groups={k: v[keep] for k, v in chunk.groups.items()},
        ),
        int(chunk.rows - keep.sum()),
    )


def add_rows(
    count: Count,
    chunk: Chunk,
    columns: ModelRoles,
    job: Job,
    classes: tuple[Label, ...],
    positive: Label | None,
    weights: Floats | None,
) -> ModelColumn:
    """Count a chunk of one model, and return its column of the rows."""
    truth = chunk.labels[job.truth]
    options: dict[str, Any] = {"labels": classes, "sample_weight": weights}
    scores = [chunk.numbers[c] for c in columns.scores]
    if columns.weka and positive is not None and scores:
        assert columns.pred is not None
        scores = [weka_positive_score(chunk.labels[columns.pred], scores[0], positive)]
    elif columns.weka:
        scores = []  # the probability of the predicted class alone does not rank three classes
    decided = None
    if columns.pred is not None:
        predicted = chunk.labels[columns.pred]
        made = LabelTally.from_arrays(truth, predicted, **options)
        count.labels = made if count.labels is None else count.labels + made
        decided = compact(join_labels({"": predicted}, classes)[1][0], len(classes))
    if not scores:
        return ModelColumn(columns.name, decided)
    whose = classes if positive is None else (positive,)
    if job.scoring is not None and not columns.weka:
        named = dict(zip(whose, columns.scores, strict=True))
        job.scoring.add(columns.name, named, job.truth, chunk, classes, weights)
    else:
        tallies = [
            ScoreTally.from_arrays(truth, s, positive=label, **options)
            for s, label in zip(scores, whose, strict=True)
        ]
        if count.scores:
            tallies = [a + b for a, b in zip(count.scores, tallies, strict=True)]
        count.scores = tallies
    if positive is None:
        matrix = np.stack(scores, 1)
        _, (codes,) = join_labels({job.truth: truth}, classes)
        if columns.pred is None:
            winner = Coded(np.argmax(matrix, axis=1), classes)
            decided = compact(winner.codes, len(classes))
            made = LabelTally.from_arrays(Coded(codes, classes), winner, **options)
            count.labels = made if count.labels is None else count.labels + made
        count.worst_sum = max(count.worst_sum, float(np.abs(matrix.sum(1) - 1).max(initial=0)))
        if job.counted and weights is not None:
            sums = Sums.of_rows(codes, matrix, weights, weights, int(weights.sum()))
        else:
            sums = Sums.of_rows(codes, matrix, weights)
        count.sums = sums if count.sums is None else count.sums + sums
    return ModelColumn(columns.name, decided, tuple(scores))
