"""Every metric that ranks models as a scorer, for cross-validation and searches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.metrics import make_scorer

from tallymark.core import METRICS, Label, get

_RESPONSES = {
    "threshold": "predict",
    "rank": ("decision_function", "predict_proba"),
    "probability": "predict_proba",
}


def score(
    y_true: Any,
    y_pred: Any,
    *,
    metric: str,
    pos_label: Label | None = None,
    labels: Sequence[Label] | None = None,
    sample_weight: Any = None,
    **options: Any,
) -> float:
    """Return a metric by its name, the positive class of two being the last as scikit-learn has it.

    More than two classes are averaged as the metric does by itself, and ``options`` are its own.

    >>> score(["no", "yes", "yes", "no"], ["no", "yes", "no", "no"], metric="sensitivity")
    0.5
    """
    judge = get(metric)
    if pos_label is None and (np.ndim(y_pred) == 1 or np.shape(y_pred)[1] == 2):
        columns = (y_true, y_pred) if judge.family == "threshold" else (y_true,)
        occurring = np.unique(np.concatenate([np.unique(np.asarray(c)) for c in columns]))
        classes = occurring.tolist() if labels is None else sorted(labels)
        if len(classes) == 2:
            pos_label = classes[-1]
    value = judge(
        y_true, y_pred, positive=pos_label, labels=labels, sample_weight=sample_weight, **options
    )
    return float(value)


def scorers(
    *, pos_label: Label | None = None, labels: Sequence[Label] | None = None
) -> dict[str, Any]:
    """Return a scorer for every metric of the registry that is better high or low, by its name.

    Greater is better in all of them: a loss comes with its sign changed. An undefined metric is
    NaN. ``labels`` names all classes where a fold may lack one, ``pos_label`` the positive one
    where it is not the last of two. Top-k accuracy is there if ``labels`` names more than two.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> cross_val_score(GaussianNB(), X, y, scoring=scorers()["youden_j"], cv=3).round(3)
    array([0.803, 0.865, 0.892])
    """
    return {
        name: make_scorer(
            score,
            response_method=_RESPONSES[metric.family],
            greater_is_better=metric.better == "high",
            metric=name,
            pos_label=pos_label,
            labels=labels,
        )
        for name, metric in METRICS.items()
        if metric.family in _RESPONSES
        and metric.better != "neither"
        and not metric._role
        and (metric.classes == "any" or len(labels or ()) > 2)
    }
