"""Columns bundled into models: which predictions and scores are one classifier's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallymark.errors import InputError
from tallymark.tally import tables
from tallymark.tally.arrays import Floats, Label, as_scores, untensored


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns one model is made of."""

    name: str
    prediction: str | None = None
    scores: tuple[str, ...] = ()
    classes: tuple[str | None, ...] = ()
    weka: bool = False


def by_model(given: Any, name: str) -> dict[str, Any]:
    """Return arrays by the name of their model; of one model alone it is "model"."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        if not given:
            raise InputError(f"{name} is an empty mapping; give at least one model")
        return {str(k): v for k, v in given.items()}
    return {"model": given}


def score_columns(values: Any, base: str) -> tuple[dict[str, Floats], tuple[str | None, ...]]:
    """Return the score columns of one model by name, and the class that each is named after."""
    values = untensored(values)
    if tables.is_table(values):
        matrix, names = tables.matrix_to_numpy(values)
    elif np.ndim(values) == 2 and np.shape(values)[1] > 1:
        matrix, names = np.asarray(values, dtype=np.float64), None
    else:
        return {base: as_scores(values, base)}, (None,)
    columns = names or tuple(f"{base}[:, {k}]" for k in range(matrix.shape[1]))
    classes = tuple(names) if names else (None,) * len(columns)
    return {
        c: as_scores(np.ascontiguousarray(matrix[:, k]), c) for k, c in enumerate(columns)
    }, classes


def models_of(roles: tables.Roles) -> tuple[Columns, ...]:
    """Bundle the columns into models; class columns are told from model columns when counting."""
    scores = roles.scores
    if roles.weka:
        assert roles.prediction is not None
        return (Columns("weka", roles.prediction, tuple(c for c, _ in scores), weka=True),)
    if len(scores) > 1 and all(c is not None for _, c in scores):
        columns, classes = zip(*scores, strict=True)
        return (Columns("model", roles.prediction, columns, classes),)
    if not scores:
        assert roles.prediction is not None
        return (Columns(roles.prediction, roles.prediction),)
    if len(scores) == 1:
        return (Columns(scores[0][0], roles.prediction, (scores[0][0],), (scores[0][1],)),)
    models = [Columns(c, None, (c,), (k,)) for c, k in scores]
    if roles.prediction:
        models.append(Columns(roles.prediction, roles.prediction))
    return tuple(models)


def assign_columns(
    models: Sequence[Columns], classes: tuple[Label, ...], positive: Label | None
) -> tuple[Columns, ...]:
    """Decide for each model which score column belongs to which class."""
    out: list[Columns] = []
    by_text = {str(label): label for label in classes}
    for m in models:
        named = [c for c in m.classes if c is not None]
        if len(m.scores) > 1 and named and set(named) == set(by_text):
            order = [m.scores[m.classes.index(text)] for text in by_text]
            chosen = order if positive is None else [order[classes.index(positive)]]
            out.append(replace(m, scores=tuple(chosen)))
        elif len(m.scores) > 1 and positive is not None and named:
            # p_forest, p_bayes: not the classes, so the models.
            out += [Columns(c, None, (c,)) for c in m.scores]
            if m.prediction:
                out.append(Columns(m.prediction, m.prediction))
        elif len(m.scores) > 1 and len(m.scores) == len(classes):
            chosen = list(m.scores) if positive is None else [m.scores[classes.index(positive)]]
            out.append(replace(m, scores=tuple(chosen)))
        elif m.scores and not m.weka and (len(m.scores) > 1 or positive is None):
            told = ", ".join(repr(c) for c in m.scores[:8])
            raise InputError(
                f"there are {len(classes)} classes ({', '.join(map(repr, classes[:8]))}) and "
                f"{len(m.scores)} score column{'s' if len(m.scores) > 1 else ''} ({told}); give "
                "one score column a class, named p_CLASS"
            )
        else:
            out.append(m)
    return tuple(out)
