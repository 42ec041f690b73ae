"""Likelihood ratios of two classes: scikit-learn's conventions over tallymark's counts."""

from __future__ import annotations

import math
from typing import Any

from tallymark.errors import InputError
from tallymark.metric import METRICS
from tallymark.sklearn.checks import check, undefined
from tallymark.sklearn.counted import Classes, count
from tallymark.sklearn.labelled import chosen
from tallymark.tally.labels import OneMatrix


def class_likelihood_ratios(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    replace_undefined_by: Any = math.nan,
) -> tuple[float, float]:
    """Return LR+ and LR-; x/0 is ``replace_undefined_by`` with a warning, where ours is infinite.

    >>> class_likelihood_ratios([0, 1, 0, 1, 0], [1, 1, 0, 0, 0])
    (1.5, 0.75)
    """
    check(
        "class_likelihood_ratios",
        replace_undefined_by=replace_undefined_by,
        sample_weight=sample_weight,
    )
    targets = count(y_true, y_pred, sample_weight)
    if not isinstance(targets, Classes) or targets.kind != "binary":
        raise InputError(
            "class_likelihood_ratios only supports binary classification problems, got targets of "
            f"type: {targets.kind}"
        )
    instead = _replacements(replace_undefined_by)
    matrix = chosen(targets, labels)
    if matrix.shape != (2, 2):
        raise InputError(
            f"class_likelihood_ratios needs two labels and there is {len(matrix)}; name both with "
            "labels=[negative, positive]"
        )
    (tn, fp), (fn, tp) = matrix.tolist()
    c = OneMatrix(tp, fp, fn, tn)
    hint = "Use the `replace_undefined_by` param to control this behavior."
    if not c.positives:
        undefined(
            "No samples of the positive class are present in `y_true`. `positive_likelihood_ratio` "
            f"and `negative_likelihood_ratio` are both set to `np.nan`. {hint}"
        )
    out = []
    for name, none, sign in (("positive", fp == 0, "LR+"), ("negative", tn == 0, "LR-")):
        value = METRICS[f"{name}_likelihood_ratio"].single(c)
        if none:
            why = f"`{name}_likelihood_ratio` is ill-defined and "
            if sign == "LR+" and tp == 0:
                why = (
                    "No samples were predicted for the positive class and "
                    "`positive_likelihood_ratio` is "
                )
            undefined(f"{why}set to `np.nan`. {hint}")
            value = instead[sign]
        out.append(value)
    return out[0], out[1]


def _replacements(given: Any) -> dict[str, float]:
    if not isinstance(given, dict):
        return {"LR+": float(given), "LR-": float(given)}
    bounds = {"LR+": (1.0, math.inf), "LR-": (0.0, 1.0)}
    for name, (low, high) in bounds.items():
        value = given.get(name)
        if not isinstance(value, int | float) or not (math.isnan(value) or low <= value <= high):
            raise InputError(
                "The dictionary passed as `replace_undefined_by` needs to be in the form "
                "`{'LR+': `value_1`, 'LR-': `value_2`}` where the value for `LR+` ranges from "
                "`1.0` to `np.inf` or is `np.nan` and the value for `LR-` ranges from `0.0` to "
                f"`1.0` or is `np.nan`; got `{given}`."
            )
    return {name: float(given[name]) for name in bounds}
