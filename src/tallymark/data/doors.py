"""The doors: arrays, frames and files, each as chunks of rows to count."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from tallymark.data.decide import Count, decide
from tallymark.data.engine import count_engine
from tallymark.data.models import Intake, Note
from tallymark.data.rows import Job, assumptions, count_rows
from tallymark.data.scoring import SAMPLED, Room, Scoring
from tallymark.errors import InputError
from tallymark.tally import tables
from tallymark.tally.arrays import Label, as_scores, code_groups, code_labels, same_length
from tallymark.tally.bundles import Columns, by_model, models_of, score_columns
from tallymark.tally.files import FileTable
from tallymark.tally.labels import Missing
from tallymark.tally.links import released
from tallymark.tally.scores import ScoreTally
from tallymark.tally.slices import code_slices, roles_beside
from tallymark.tally.stored import Stored, ahead
from tallymark.tally.tables import Chunk, FrameTable

Progress = Callable[[int, int], None]

_LINES = "rows of a line"


def from_arrays(y_true: Any, y_pred: Any = None, y_score: Any = None, **options: Any) -> Intake:
    """Count arrays: predictions, scores, or mappings of model names to them.

    ``options`` are those of :func:`rows_of_arrays`.
    """
    counted = _counted_at_once(y_true, y_pred, y_score, **options)
    if counted is not None:
        return counted
    chunk, job = rows_of_arrays(y_true, y_pred, y_score, **options)
    return count_rows([chunk], job, arrays=True)


def _counted_at_once(
    y_true: Any,
    y_pred: Any = None,
    y_score: Any = None,
    *,
    positive: Label | None = None,
    threshold: float | None = None,
    missing: Missing = "error",
    source: str = "arrays",
    **others: Any,
) -> Intake | None:
    """Count the scores of one model by the kernel that checks rows as it sorts them, or None.

    Every pass that only looks whether all is well is one over memory, and alone in its core.
    """
    if y_pred is not None or missing not in ("error", "drop"):
        return None
    if any(option is not None for option in others.values()):
        return None
    tally = ScoreTally.of_plain(y_true, y_score, positive)
    if tally is None:
        return None
    ((name, _),) = by_model(y_score, "y_score").items()
    columns = Columns(name, None, ("y_score",), (None,))
    job = Job(source, "y_true", (columns,), positive=positive, threshold=threshold)
    notes = assumptions(job, tally.positive)
    model = decide(columns, Count(scores=[tally]), tally.positive, threshold, notes)
    return Intake(
        source, tally.rows, 0, tally.labels, tally.positive, (model,), tuple(notes), weighted=False
    )


def rows_of_arrays(
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
) -> tuple[Chunk, Job]:
    """Return arrays as one chunk of rows, and what to count of them."""
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
    job = Job(
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
    return chunk, job


def from_table(
    data: Any,
    *,
    memory: str | int | None = None,
    tolerance: float | None = None,
    **options: Any,
) -> Intake:
    """Count a frame, a file or a link; ``options`` are those of :func:`count_table`."""
    room = Room.of(memory, tolerance)
    table = tables.open_table(data, memory=room.reading)
    with released(table):
        if isinstance(table, FrameTable) and not (memory is tolerance is None):
            raise InputError(
                f"memory and tolerance are for files; {table.name} is in memory already, or "
                "counted where its rows are"
            )
        return count_table(table, room=room, **options)


def count_table(
    table: tables.Table,
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
    room: Room | None = None,
) -> Intake:
    """Count a table: columns by name, or found by the usual conventions."""
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
    job = Job(
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
    if isinstance(table, FrameTable) and table.lazy and not cluster:
        # Clusters are of rows, which alone tell them apart: those travel.
        if progress:
            progress(0, table.rows)
        counted = count_engine(table, list(dict.fromkeys(m for c in models for m in c.scores)), job)
        if progress:
            progress(table.rows, table.rows)
        return counted
    columns += slices
    groups = [cluster] if cluster else []
    wanted = list(dict.fromkeys(columns)), list(dict.fromkeys(used))
    if isinstance(table, FileTable):
        with table.reading(*wanted, groups=groups, slices=slices) as stored:
            return _count_stored(stored, job, room or Room.of(), progress)
    chunks = table.chunks(*wanted, groups=groups, slices=slices)
    return count_rows(_reporting(chunks, table.rows, progress) if progress else chunks, job)


def _count_stored(stored: Stored, job: Job, room: Room, progress: Progress | None) -> Intake:
    """Count a file within a room: again, with narrower bins, until they are narrow enough."""
    if not (stored.numbers or stored.groups or job.slices) and len(job.models) == 1:
        # Decisions alone are as many lines as there are cells: DuckDB adds up the rows.
        lines = stored.grouped(_LINES)
        if lines is not None:
            if progress:
                progress(stored.rows, stored.rows)
            return count_rows([lines], replace(job, counted=_LINES))
    sample = cache(lambda: tuple(stored.sample(SAMPLED)))
    cuts = [] if not job.threshold else [job.threshold]
    columns = sum(len(m.scores) for m in job.models)
    scoring: Scoring | None = Scoring(room, sample, columns, cuts)
    while True:
        with ahead(stored.chunks(room.rows)) as chunks:
            told = _reporting(chunks, stored.rows, progress) if progress else chunks
            found = count_rows(told, replace(job, scoring=scoring, most_kept=room.joint))
        assert scoring is not None
        tallies = {(m.name, t.positive): t for m in found.models for t in m.scores}
        scoring = scoring.refined(tallies)
        if scoring is None:
            return found


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
    model = decide(Columns(column), Count(scores=[tally]), tally.positive, threshold, notes)
    return Intake(
        table.name, tally.rows, 0, tally.labels, tally.positive, (model,), tuple(notes), False
    )


def is_path(data: Any) -> bool:
    """Tell a path from data."""
    return isinstance(data, str | os.PathLike)
