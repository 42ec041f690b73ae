"""One label of rows that have several: two classes, counted as any other column."""

from __future__ import annotations

from dataclasses import replace

from tallymark.reading.columns import subgroup_name
from tallymark.reading.given_arrays import chunk_of_arrays
from tallymark.reading.indicators import HAS_IT, LabelSets
from tallymark.reading.ingest import Job, RowCounter
from tallymark.reading.models import CountedRows, at_threshold
from tallymark.tally.arrays import Label


def rows_of_label(sets: LabelSets, label: Label) -> CountedRows:
    """Return the rows of one label as two classes: those that have it, 1, and the others."""
    i = sets.labels.index(label)
    decided = {m.name: m.decided[:, i].astype(int) for m in sets.models if m.threshold is None}
    scores = {m.name: m.scores[:, i] for m in sets.models if m.scores is not None}
    subgroups = _subgroups_of_rows(sets)
    chunk, roles = chunk_of_arrays(
        sets.true[:, i].astype(int),
        decided or None,
        scores or None,
        weight=sets.weights,
        cluster=sets.cluster_codes,
        subgroups=subgroups or None,
    )
    own = {role: sets.source._roles.get(role) for role in ("truth", "pred", "score")}
    named = {role: of[i] for role, of in own.items() if isinstance(of, tuple)}
    source = replace(
        sets.source, name=f"{sets.source.name}: {label}", _roles={**sets.source._roles, **named}
    )
    job = Job(
        source,
        "y_true",
        roles,
        weight=None if sets.weights is None else "weight",
        cluster=None if sets.clusters is None else "cluster",
        positive=1,
        labels=HAS_IT,
        subgroups={column: subgroup_name(column) for column in subgroups},
    )
    counted = RowCounter(job, arrays=True).count([chunk]).result()
    # Thresholds and probabilities were decided from the scores of all labels, not of this one.
    models = []
    for model, of in zip(counted.models, sets.models, strict=True):
        cut = (
            model if of.threshold in (None, model.threshold) else at_threshold(model, of.threshold)
        )
        models.append(replace(cut, probabilities=model.probabilities and of.probabilities))
    about_all_labels = ("threshold-chosen", "not-probabilities")
    notes = tuple(n for n in counted.notes if n.rule not in about_all_labels)
    return replace(counted, models=tuple(models), notes=notes)


def _subgroups_of_rows(sets: LabelSets) -> dict[str, list[Label | None]]:
    """Return the value of every row in each column of subgroups."""
    counts = sets.subgroup_counts
    if counts is None or counts.of_rows is None:
        return {}
    keys = [counts.keys[i] for i in counts.of_rows.tolist()]
    return {column: [key[j] for key in keys] for j, column in enumerate(counts.columns)}
