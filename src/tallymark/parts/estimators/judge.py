"""Evaluations of estimators: their predictions are counted, and it is said how they were made."""

from __future__ import annotations

from dataclasses import replace

from tallymark import Evaluation, InputError, evaluate
from tallymark.core import Asked, find_positive
from tallymark.parts.estimators.predictions import has_estimators, predicted, splits


def judged(asked: Asked) -> Evaluation | None:
    """Return the evaluation of what estimators predict; None of any other input."""
    reading = asked.reading
    if not has_estimators(asked.data):
        if splits(reading.get("fold")):
            raise InputError(
                "fold says how to split the rows for an estimator, as in evaluate(model, X, y, "
                "fold=5); give a fitted model first, or the fold of each row"
            )
        return None
    outputs = predicted(
        asked.data,
        asked.y_pred,
        reading.get("truth"),
        y_score=asked.y_score,
        labels=reading.get("classes"),
        progress=asked.progress,
        **asked.words("cluster", "fold", "positive"),
    )
    folds = reading.get("fold") if outputs.folds is None else outputs.folds
    classes, positive = outputs.labels or (), reading.get("positive")
    if positive is None and outputs.y_score is not None and len(classes) == 2:
        positive = find_positive(classes, None)  # the class whose scores these are
    ev = evaluate(
        outputs.y_true,
        outputs.y_pred,
        y_score=outputs.y_score,
        **asked.arguments(
            truth=None,
            classes=outputs.labels,
            positive=positive,
            fold=folds,
            name="estimators",
        ),
    )
    counted = ev._counted
    source = replace(counted.source, format=outputs.read_as + counted.source.format)
    return replace(
        ev, _counted=replace(counted, source=source, notes=counted.notes + outputs.notes)
    )
