"""The answers of a model of more than two classes: right or wrong, by their confidence."""

from __future__ import annotations

from tallymark.reading.ingest import Job, RowCounter
from tallymark.reading.models import CountedRows
from tallymark.reading.readers import chunk_of_arrays


def rows_of_answers(counted: CountedRows, name: str) -> CountedRows:
    """Return the answers of a model as two classes, 1 if right, scored by their confidence."""
    joint = counted.joint
    assert joint is not None
    right, confidence = joint.answers(name)
    chunk, roles = chunk_of_arrays(
        right.astype(int), None, {name: confidence}, weight=joint.weights, cluster=joint.clusters
    )
    job = Job(
        counted.source,
        "y_true",
        roles,
        weight=None if joint.weights is None else "weight",
        cluster=None if joint.clusters is None else "cluster",
        positive=1,
        labels=(0, 1),
    )
    return RowCounter(job, arrays=True).count([chunk]).result()
