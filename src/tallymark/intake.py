"""Rows in, one counted model each out: the door for arrays, frames and files alike.

Whatever the source, rows arrive in chunks of coded labels and numbers; each chunk is checked,
counted and forgotten.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from tallymark.curve import best_thresholds
from tallymark.errors import InputError
from tallymark.metric import Metric, get
from tallymark.tally import tables
from tallymark.tally.arrays import (
    Coded,
    Floats,
    Label,
    as_scores,
    as_weights,
    code_groups,
    code_labels,
    find_positive,
    first_come,
    join_labels,
    keep_complete,
    same_length,
)
from tallymark.tally.bundles import Columns, assign_columns, by_model, models_of, score_columns
from tallymark.tally.joint import Joint, Side, compact
from tallymark.tally.labels import LabelTally, Missing
from tallymark.tally.scores import ScoreTally, with_opposite
from tallymark.tally.slices import Sliced, Slicer, code_slices, roles_beside
from tallymark.tally.sums import Sums
from tallymark.tally.tables import Chunk

Progress = Callable[[int, int], None]

MOST_KEPT = 2_000_000_000
"""Rows of several models are kept side by side up to so many bytes."""

_ROW_SUM_TOLERANCE = 0.01
"""Rounded probabilities of a row may miss 1 by this much and still be probabilities."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something assumed, or a warning that a number should not be trusted."""

    code: str
    kind: Literal["assumed", "warning"]
    text: str
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """One classifier's tallies, and the rule by which its decisions were made.

    ``scores`` is empty without scores, holds one tally for two classes and one a class for more.
    ``threshold`` is None where decisions were given or are winner-takes-all.
    """

    name: str
    labels: LabelTally
    scores: tuple[ScoreTally, ...]
    probabilities: bool
    threshold: float | None
    rule: str
    sums: Sums | None = None

    def holds(self, metric: Metric) -> bool:
        """Tell whether the tallies hold what a metric reads."""
        if metric.needs in ("counts", "matrix"):
            return True
        if metric.family == "probability" and not self.probabilities:
            return False
        if metric.needs == "rows" and self.sums is None and len(self.labels.labels) > 2:
            return False
        # Of two classes the metrics of all columns at once are other names for the ROC area.
        many = metric.classes == "many" or metric.needs == "class_scores"
        return bool(self.scores) and (not many or len(self.labels.labels) > 2)


@dataclass(frozen=True, slots=True)
class Intake:
    """All that was counted: what an evaluation is made of.

    ``joint`` holds the rows of several models side by side, or of one whose rows come in clusters;
    None for one model of rows that stand alone, for counts made elsewhere, and where the rows would
    take more than :data:`MOST_KEPT` bytes. ``sliced`` holds the tallies of parts of the rows, where
    they were asked for.
    """

    source: str
    rows: int
    dropped: int
    classes: tuple[Label, ...]
    positive: Label | None
    models: tuple[Model, ...]
    notes: tuple[Note, ...]
    weighted: bool
    joint: Joint | None = None
    sliced: Sliced | None = None

    @property
    def clusters(self) -> int | None:
        """How many groups of rows that belong together there are; None where rows stand alone."""
        return None if self.joint is None else self.joint.groups


@dataclass(slots=True)
class _Count:
    """What is counted of one model, chunk by chunk."""

    labels: LabelTally | None = None
    scores: list[ScoreTally] = field(default_factory=list)
    sums: Sums | None = None
    worst_sum: float = 0.0


@dataclass(frozen=True, slots=True)
class _Job:
    """What to count, and how."""

    source: str
    truth: str
    models: tuple[Columns, ...]
    weight: str | None = None
    counted: str | None = None
    cluster: str | None = None
    labels: tuple[Label, ...] | None = None
    positive: Label | None = None
    threshold: float | None = None
    missing: Missing = "error"
    assumed: tuple[str, ...] = ()
    slices: Mapping[str, str] = field(default_factory=dict)


# -- arrays ------------------------------------------------------------------------------------


def from_arrays(
    y_true: Any,
    y_pred: Any = None,
    y_score: Any = None,
    *,
    sample_weight: Any = None,
    clusters: Any = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    threshold: float | None = None,
    missing: Missing = "error",
    slices: Mapping[str, Any] | None = None,
    source: str = "arrays",
) -> Intake:
    """Count arrays: predictions, scores, or mappings of model names to them."""
    if y_pred is None and y_score is None:
        raise InputError("there is nothing to judge: give y_pred, y_score or both")
    predictions = by_model(y_pred, "y_pred")
    scores = by_model(y_score, "y_score")
    if predictions and scores and len(set(predictions) | set(scores)) > 1:
        stray = set(predictions) ^ set(scores)
        if stray and not (set(predictions) <= set(scores) or set(scores) <= set(predictions)):
            raise InputError(
                f"y_pred names the models {sorted(predictions)} and y_score {sorted(scores)}; "
                "use the same names for the same model"
            )
    truth = code_labels(y_true, "y_true")
    coded = {"y_true": truth}
    numbers: dict[str, Any] = {}
    models = []
    for name in dict.fromkeys([*scores, *predictions]):
        several = len(scores) > 1 or len(predictions) > 1
        prediction = None
        if name in predictions:
            prediction = f"y_pred[{name!r}]" if several else "y_pred"
            coded[prediction] = code_labels(predictions[name], prediction)
        columns: tuple[str, ...] = ()
        classes: tuple[str | None, ...] = ()
        if name in scores:
            base = f"y_score[{name!r}]" if several else "y_score"
            given, classes = score_columns(scores[name], base)
            numbers.update(given)
            columns = tuple(given)
        models.append(Columns(name, prediction, columns, classes))
    if sample_weight is not None:
        numbers["sample_weight"] = as_scores(sample_weight, "sample_weight")
    groups = {} if clusters is None else {"clusters": code_groups(clusters, "clusters")}
    parts = code_slices(slices, clusters is not None)
    coded |= parts
    same_length(**{k: c.codes for k, c in coded.items()}, **numbers, **groups)
    chunk = Chunk(0, coded, numbers, len(truth.codes), groups)
    job = _Job(
        source=source,
        truth="y_true",
        models=tuple(models),
        weight=None if sample_weight is None else "sample_weight",
        cluster=None if clusters is None else "clusters",
        labels=None if labels is None else tuple(labels),
        positive=positive,
        threshold=threshold,
        missing=missing,
        slices=dict(zip(slices or {}, parts, strict=True)),
    )
    return _count([chunk], job, arrays=True)


# -- frames and files --------------------------------------------------------------------------


def from_table(
    data: Any,
    *,
    truth: str | None = None,
    prediction: str | None = None,
    score: str | Sequence[str] | None = None,
    weight: str | None = None,
    cluster: str | None = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    threshold: float | None = None,
    missing: Missing = "error",
    slices: Sequence[str] = (),
    progress: Progress | None = None,
) -> Intake:
    """Count a frame or a file: columns by name, or found by the usual conventions."""
    table = tables.open_table(data)
    named: dict[str, Any] = {"truth": truth, "prediction": prediction, "score": score}
    named |= {"weight": weight, "cluster": cluster}
    roles = roles_beside(slices, table.columns, named, table.name)
    if roles.pos_neg and cluster:
        raise InputError(
            f"{table.name} holds counts of rows, which no longer tell which rows belong together; "
            f"give a line a row with its {cluster}"
        )
    if roles.pos_neg and slices:
        raise InputError(
            f"{table.name} holds counts of rows by score alone, which no longer tell their "
            f"{slices[0]}; give a line a row"
        )
    if roles.pos_neg:
        return _from_score_counts(table, roles, positive, threshold)
    models = models_of(roles)
    used = [c for m in models for c in m.scores]
    used += [c for c in (roles.weight, roles.counted) if c]
    columns = [roles.truth, *(m.prediction for m in models if m.prediction)]
    job = _Job(
        source=table.name,
        truth=roles.truth,
        models=models,
        weight=roles.weight,
        counted=roles.counted,
        cluster=cluster,
        labels=None if labels is None else tuple(labels),
        positive=positive,
        threshold=threshold,
        missing=missing,
        assumed=roles.assumed,
        slices=dict(zip(slices, slices, strict=True)),
    )
    columns += slices
    groups = [cluster] if cluster else []
    wanted = list(dict.fromkeys(columns)), list(dict.fromkeys(used))
    chunks = table.chunks(*wanted, groups=groups, slices=slices)
    return _count(_reporting(chunks, table.rows, progress) if progress else chunks, job)


def _reporting(chunks: Iterable[Chunk], rows: int, progress: Progress) -> Iterable[Chunk]:
    progress(0, rows)
    for chunk in chunks:
        yield chunk
        progress(chunk.first_row + chunk.rows, rows)


def _from_score_counts(
    table: tables.Table, roles: tables.Roles, positive: Label | None, threshold: float | None
) -> Intake:
    """Read counts already made: one line for each score, with its positives and negatives."""
    assert roles.pos_neg is not None
    column = roles.scores[0][0]
    pos, neg = roles.pos_neg
    tally = ScoreTally.empty()
    for chunk in table.chunks([], [column, pos, neg]):
        tally += ScoreTally.from_counts(*(chunk.numbers[c] for c in (column, pos, neg)))
    notes: list[Note] = [Note("assumed-columns", "assumed", text) for text in roles.assumed]
    model = _decide(Columns(column), _Count(scores=[tally]), tally.positive, threshold, notes)
    return Intake(
        table.name, tally.rows, 0, tally.labels, tally.positive, (model,), tuple(notes), False
    )


# -- counting ----------------------------------------------------------------------------------


def _count(chunks: Iterable[Chunk], job: _Job, arrays: bool = False) -> Intake:
    classes: tuple[Label, ...] = ()
    positive: Label | None = None
    models = job.models
    counts: list[_Count] = []
    kept: list[Joint] | None = []
    slicer: Slicer | None = None
    rows = dropped = 0
    heaviest = 0.0
    for chunk in chunks:
        first_row = None if arrays else chunk.first_row
        if not counts:
            classes, positive = _classes(chunk, job)
            models = assign_columns(job.models, classes, positive)
            counts = [_Count() for _ in models]
            kept = [] if len(models) > 1 or job.cluster else None
            slicer = Slicer(tuple(job.slices), classes) if job.slices else None
        chunk, left_out = _complete(chunk, job, first_row)
        rows += chunk.rows
        dropped += left_out
        weights = as_weights(
            chunk.numbers.get(job.weight or job.counted or ""),
            job.weight or job.counted or "",
            first_row,
        )
        heaviest = max(heaviest, 1.0 if weights is None else float(weights.max(initial=0)))
        sides = [
            _add(count, chunk, columns, job, classes, positive, weights)
            for columns, count in zip(models, counts, strict=True)
        ]
        if kept is not None or slicer is not None:
            _, (codes,) = join_labels({job.truth: chunk.labels[job.truth]}, classes)
            true = compact(codes, len(classes))
        if slicer is not None:
            slicer.add([chunk.labels[c] for c in job.slices.values()], true, sides, weights)
        if kept is not None:
            groups = chunk.groups[job.cluster].astype(np.int32) if job.cluster else None
            kept.append(Joint(classes, true, tuple(sides), positive, weights, groups))
            if sum(part.nbytes for part in kept) > MOST_KEPT:
                kept = None
                _refuse_without_clusters(job)
    if not rows:
        lost = f" ({dropped:,} left out because something was missing)" if dropped else ""
        raise InputError(f"{job.source} holds no row to count{lost}; give at least one")
    if not heaviest:
        name = job.weight or job.counted
        raise InputError(
            f"{name} is 0 in every row, so that nothing counts; mend it or leave it out"
        )
    notes = [Note("assumed-columns", "assumed", text) for text in job.assumed]
    if positive is not None and job.positive is None:
        text = f"the positive class is {positive!r}"
        notes.append(Note("assumed-positive", "assumed", text))
    joint = Joint.of_parts(kept) if kept else None
    if joint is not None and joint.clusters is not None:
        joint = replace(joint, clusters=first_come(joint.clusters).astype(np.int32))
        notes.append(_of_clusters(joint, job))
    decided = tuple(
        _decide(c, n, positive, job.threshold, notes) for c, n in zip(models, counts, strict=True)
    )
    if job.counted:
        decided = tuple(_unweighted(m) for m in decided)
        rows = decided[0].labels.rows
        if joint is not None and joint.weights is not None:
            fits = joint.nbytes / joint.rows * rows <= MOST_KEPT
            joint = joint.repeated(joint.weights.astype(np.int64)) if fits else None
            if joint is None:
                _refuse_without_clusters(job)
    weighted = job.weight is not None
    return Intake(
        job.source, rows, dropped, classes, positive, decided, tuple(notes), weighted, joint,
        None if slicer is None else slicer.done(job.counted is not None),
    )  # fmt: skip


def _refuse_without_clusters(job: _Job) -> None:
    if job.cluster:
        raise InputError(
            f"{job.source} is too large to keep its rows, which {job.cluster} needs (at most "
            f"{MOST_KEPT / 1e9:.3g} GB of labels and scores); judge fewer rows or models"
        )


def _of_clusters(joint: Joint, job: _Job) -> Note:
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


def _classes(chunk: Chunk, job: _Job) -> tuple[tuple[Label, ...], Label | None]:
    """Return the classes of the truth and of every prediction, and the positive one of two."""
    coded = {job.truth: chunk.labels[job.truth]}
    coded.update({m.prediction: chunk.labels[m.prediction] for m in job.models if m.prediction})
    classes, _ = join_labels(coded, job.labels)
    if not classes:
        raise InputError(f"{job.truth} holds no label; give the true class of each row")
    wanted = match_label(classes, job.positive)
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


def _complete(chunk: Chunk, job: _Job, first_row: int | None) -> tuple[Chunk, int]:
    """Check every number and leave out, or refuse, rows where something is missing."""
    numbers = {name: as_scores(values, name, first_row) for name, values in chunk.numbers.items()}
    scores = {k: v for k, v in numbers.items() if k not in (job.weight, job.counted)}
    # What is missing in a column to slice by is a slice of its own.
    labels = {k: c for k, c in chunk.labels.items() if k not in job.slices.values()}
    keep = keep_complete({**labels, **scores, **chunk.groups}, job.missing, first_row)
    if keep is None:
        return replace(chunk, numbers=numbers), 0
    return (
        Chunk(
            first_row=chunk.first_row,
            labels={k: Coded(c.codes[keep], c.labels) for k, c in chunk.labels.items()},
            numbers={k: v[keep] for k, v in numbers.items()},
            rows=int(keep.sum()),
            groups={k: v[keep] for k, v in chunk.groups.items()},
        ),
        int(chunk.rows - keep.sum()),
    )


def _add(
    count: _Count,
    chunk: Chunk,
    columns: Columns,
    job: _Job,
    classes: tuple[Label, ...],
    positive: Label | None,
    weights: Floats | None,
) -> Side:
    """Count a chunk of one model, and return its column of the rows."""
    truth = chunk.labels[job.truth]
    options: dict[str, Any] = {"labels": classes, "sample_weight": weights}
    scores = [chunk.numbers[c] for c in columns.scores]
    if columns.weka and positive is not None and scores:
        assert columns.prediction is not None
        scores = [tables.weka_positive_score(chunk.labels[columns.prediction], scores[0], positive)]
    elif columns.weka:
        scores = []  # the probability of the predicted class alone does not rank three classes
    decided = None
    if columns.prediction is not None:
        predicted = chunk.labels[columns.prediction]
        made = LabelTally.from_arrays(truth, predicted, **options)
        count.labels = made if count.labels is None else count.labels + made
        decided = compact(join_labels({"": predicted}, classes)[1][0], len(classes))
    if not scores:
        return Side(columns.name, decided)
    whose = classes if positive is None else (positive,)
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
        if columns.prediction is None:
            winner = Coded(np.argmax(matrix, axis=1), classes)
            decided = compact(winner.codes, len(classes))
            made = LabelTally.from_arrays(Coded(codes, classes), winner, **options)
            count.labels = made if count.labels is None else count.labels + made
        count.worst_sum = max(count.worst_sum, float(np.abs(matrix.sum(1) - 1).max(initial=0)))
        sums = Sums.of_rows(codes, matrix, weights)
        count.sums = sums if count.sums is None else count.sums + sums
    return Side(columns.name, decided, tuple(scores))


def _decide(
    columns: Columns,
    count: _Count,
    positive: Label | None,
    threshold: float | None,
    notes: list[Note],
) -> Model:
    """Turn counted scores into decisions, and say by which rule."""
    scores, name = tuple(count.scores), columns.name
    if not scores:
        assert count.labels is not None
        return Model(name, count.labels, (), False, None, "predictions as given")
    low = min(float(t.scores[0]) for t in scores)
    high = max(float(t.scores[-1]) for t in scores)
    probabilities = low >= 0 and high <= 1
    if not probabilities:
        worst = low if low < 0 else high
        notes.append(
            Note(
                "not-probabilities",
                "warning",
                f"{columns.scores[0] if columns.scores else name} holds {worst:.6g}, outside 0 to "
                "1: it is treated as a score that ranks, not as a probability",
                name,
            )
        )
    if positive is None:
        if probabilities and count.worst_sum > _ROW_SUM_TOLERANCE:
            probabilities = False
            notes.append(
                Note(
                    "not-probabilities",
                    "warning",
                    f"the scores of one row of {name} miss a sum of 1 by {count.worst_sum:.3g}: "
                    "they are treated as scores, not as probabilities",
                    name,
                )
            )
        assert count.labels is not None
        rule = "predictions as given" if columns.prediction else "the most probable class"
        return Model(name, count.labels, scores, probabilities, None, rule, count.sums)
    if count.labels is not None and threshold is None:
        return Model(name, count.labels, scores, probabilities, None, "predictions as given")
    if threshold is not None:
        cut, rule = float(threshold), f"scores at or above {threshold:g}"
    elif probabilities:
        cut, rule = 0.5, "scores at or above 0.5"
    elif low < 0 < high:
        cut, rule = 0.0, "scores at or above 0"
    else:
        cut, rule = _best(scores[0], name, notes)
    return Model(name, scores[0].at(cut), scores, probabilities, cut, rule)


def _best(tally: ScoreTally, name: str, notes: list[Note]) -> tuple[float, str]:
    """Choose the threshold of highest Youden's J; the middle score where J is undefined."""
    found, _ = best_thresholds(tally, get("youden_j"))
    finite = found[np.isfinite(found)]  # no threshold above every score: that decides nothing
    cut = float(finite[0]) if len(finite) else float(np.median(tally.scores))
    notes.append(
        Note(
            "threshold-chosen",
            "warning",
            f"{name} has no natural threshold, so {cut:.6g} was chosen, the one of highest Youden's"
            " J on these very rows: what it decides looks better here than it will on new rows; "
            "say threshold=... (--threshold)",
            name,
        )
    )
    return cut, f"scores at or above {cut:.6g}, chosen on these rows by Youden's J"


def _unweighted(model: Model) -> Model:
    """Read weights that are counts as so many rows of weight 1."""
    for counts in (model.labels.counts, *(t.counts for t in model.scores)):
        if (counts != np.trunc(counts)).any():
            raise InputError("the column of counts holds fractions; counts are whole numbers")
    return replace(
        model,
        labels=LabelTally(model.labels.labels, model.labels.counts),
        scores=tuple(ScoreTally(t.labels, t.positive, t.scores, t.counts) for t in model.scores),
        sums=None,
    )


def is_path(data: Any) -> bool:
    """Tell a path from data."""
    return isinstance(data, str | os.PathLike)
