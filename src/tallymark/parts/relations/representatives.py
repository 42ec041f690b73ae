"""One number for all metrics: how well a metric, or a mean of several, represents the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tallymark import InputError
from tallymark.core import (
    TEXTS,
    Floats,
    Results,
    Unit,
    canonical,
    chosen_columns,
    metric_of,
    percentile_bounds,
    percentile_level,
)
from tallymark.parts.relations.relations import Bools, lower_is_better, redrawn_means, relations

COMPOSITES: Mapping[str, tuple[str, ...]] = {
    "accuracy + AUC": ("accuracy", "roc_auc"),
    "SAR": ("accuracy", "roc_auc", "rmse"),
    "kappa + (1 - RMSE) + AUC": ("kappa", "rmse", "roc_auc"),
}
"""Means of metrics of two or three families. SAR: Caruana and Niculescu-Mizil (2004)."""

REDRAWN = 2000
"""Resamples of the data sets for the interval of a smallest or mean correlation."""


def components_of(
    metrics: Sequence[str], own_composites: Mapping[str, Sequence[str]], where: str
) -> dict[str, tuple[str, ...]]:
    """Return the columns that each composite is the mean of: those stated, then COMPOSITES.

    One of COMPOSITES is left out where a column of it is missing.

    Raises
    ------
    InputError
        A composite whose name is no text or that of a metric, of fewer than two metrics, of one
        metric twice, or of a metric that is not among ``metrics``.

    """
    present = {canonical(m) for m in metrics}
    out = {}
    for name, metrics_of in own_composites.items():
        names = TEXTS.of(f"the composite {name!r}", metrics_of)
        columns = [chosen_columns(metrics, [m], where, several=False)[0] for m in names]
        if not isinstance(name, str) or name in metrics or metric_of(name)[0] is not None:
            raise InputError(
                f"the composite {name!r} needs a name that no metric has; give another"
            )
        if len(set(columns)) < 2 or len(set(columns)) < len(columns):
            raise InputError(
                f"the composite {name!r} is of {', '.join(columns) or 'no metric'}; it is a plain "
                "mean, so give two or more metrics, each once, such as ['accuracy', 'roc_auc']"
            )
        out[name] = tuple(columns)
    for name, parts in COMPOSITES.items():
        if name not in out and {canonical(m) for m in parts} <= present:
            out[name] = tuple(chosen_columns(metrics, parts, where, several=True))
    return out


def representatives(
    results: Results,
    unit: Unit,
    against: Sequence[str],
    components: Mapping[str, Sequence[str]],
    *,
    draws: int = REDRAWN,
    seed: int = 0,
    **options: Any,
) -> list[dict[str, Any]]:
    """Return how well each metric and composite represents the metrics ``against``, best first.

    A composite is the mean of its metrics, a loss entering as 1 - loss. ``smallest`` is the
    smallest mean Spearman correlation with any of the metrics but the candidate itself: the
    components of a composite are among them, because they can only make it smaller. ``mean``
    leaves out the components, too, with which a composite correlates by identity.

    The intervals are basic (reverse percentile) bootstrap intervals over data sets, as far out as
    Student's t; NaN with fewer than two. The smallest of several means that vary is too small on
    average; percentiles of the draws would double that bias, and the basic interval removes it.

    ``options`` are those of :func:`relations`; a number is NaN where a correlation is missing.
    """
    columns = [results.values]
    for names in components.values():
        at = [results.metrics.index(m) for m in names]
        losses = np.array([lower_is_better(m) for m in names])
        values = results.values[:, at]
        columns.append(np.where(losses, 1 - values, values).mean(1, keepdims=True))
    wide = replace(results, metrics=(*results.metrics, *components), values=np.hstack(columns))
    correlations = relations(wide, unit, **options)
    itself = np.equal.outer(np.array(wide.metrics), np.array(against))
    itself_or_component = itself | np.array(
        [[m in components.get(c, ()) for m in against] for c in wide.metrics]
    )
    at = [wide.metrics.index(m) for m in against]
    spearman = correlations.spearman[:, at]
    redrawn = redrawn_means(correlations, "spearman", draws, seed, at)
    numbers: dict[str, Floats] = {}
    for name, how in (("smallest", _smallest), ("mean", _mean_of_others)):
        left_out = itself if name == "smallest" else itself_or_component
        value = how(spearman, left_out)
        low, high = np.full((2, len(value)), np.nan)
        if len(correlations.datasets) > 1:
            level = percentile_level(correlations.level, len(correlations.datasets) - 1)
            low, high = percentile_bounds(np.moveaxis(how(redrawn, left_out), 0, -1), level)
        low, high = (np.clip(2 * value - bound, -1.0, 1.0) for bound in (high, low))
        numbers |= {name: value, f"{name}_low": low, f"{name}_high": high}
    nearest = np.where(itself, np.inf, spearman).argmin(1)
    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "components": list(components.get(name, ())),
            **{key: float(column[i]) for key, column in numbers.items()},
            "smallest_with": None if np.isnan(numbers["smallest"][i]) else against[nearest[i]],
        }
        for i, name in enumerate(wide.metrics)
    ]
    return sorted(rows, key=lambda row: -np.nan_to_num(row["smallest"], nan=-2.0))


def _smallest(r: Floats, left_out: Bools) -> Floats:
    """Return the smallest of r[..., candidate, metric] that is not left out, NaN if any is."""
    smallest: Floats = np.where(left_out, np.inf, r).min(-1)
    return np.where(np.isinf(smallest), np.nan, smallest)


def _mean_of_others(r: Floats, left_out: Bools) -> Floats:
    """Return the mean of r[..., candidate, metric] over what is not left out."""
    with np.errstate(invalid="ignore"):
        mean: Floats = np.where(left_out, 0.0, r).sum(-1) / (~left_out).sum(-1)
    return mean
