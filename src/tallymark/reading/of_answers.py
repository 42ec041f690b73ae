"""The answers of a model of more than two classes: right or wrong, by their confidence."""

from __future__ import annotations

from tallymark.reading.models import CountedRows, Model
from tallymark.tally.joint import ModelColumn, PairedPredictions, compact
from tallymark.tally.scores import ScoreTally


def rows_of_answers(counted: CountedRows, name: str) -> CountedRows:
    """Return the answers of a model as two classes, 1 if right, scored by their confidence."""
    joint = counted.joint
    assert joint is not None
    right, confidence = joint.answers(name)
    codes = compact(right, 2)
    tally = ScoreTally.from_arrays(
        codes, confidence, positive=1, labels=(0, 1), sample_weight=joint.weights
    )
    rows = PairedPredictions(
        (0, 1),
        codes,
        (ModelColumn(name, None, (confidence,)),),
        positive=1,
        weights=joint.weights,
        clusters=joint.clusters,
        cluster_names=joint.cluster_names,
    )
    model = Model(name, tally.at(0.5), (tally,), True, 0.5, "scores at or above 0.5")
    weighted = counted.weighted
    return CountedRows(counted.source, tally.rows, 0, (0, 1), 1, (model,), (), weighted, joint=rows)
