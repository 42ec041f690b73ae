"""Project a classifier's metrics to another prevalence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tallymark.curve import Curve
from tallymark.errors import InputError
from tallymark.findings.notes import PREVALENCE
from tallymark.infer.intervals import Estimates, interval, interval_of
from tallymark.infer.samples import Tallies
from tallymark.infer.tallies import thresholds_of
from tallymark.metric import Metric, get
from tallymark.metric.measure import Statistic
from tallymark.reading.models import CountedRows, Model
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreTally

GRID = 61
LEAST = 0.001
"""Prevalence curves go from this prevalence to one minus it, in even steps of log odds."""

BAND_GROUPS = 250
"""Number of score groups resampled for a band at every prevalence."""

IN_THE_FIELD = (
    "accuracy",
    "precision",
    "negative_predictive_value",
    "f1",
    "matthews_corrcoef",
    "cohen_kappa",
)
"""The metrics that change with the prevalence slider; sensitivity and specificity stay."""


def project(counted: CountedRows, prevalence: float | Mapping[Label, float]) -> CountedRows:
    """Return the tallies reweighted to other class shares.

    Each true class is multiplied by a factor to get the requested share, with the total weight
    unchanged. TPR and TNR stay the same. Scores are not recalibrated: probabilities calibrated
    here are not calibrated at another prevalence.

    Parameters
    ----------
    counted : CountedRows
        The counted data.
    prevalence : float or mapping
        The prevalence, or the share of each class; the shares in a mapping sum to 1.

    Raises
    ------
    InputError
        Shares out of range or not summing to 1, a class without rows, one share for many classes.

    """
    shares = _shares(counted, prevalence)
    models = []
    for m in counted.models:
        sums = m._sums and m._sums._weighed(_factors(m._sums.weights, m.labels.labels, shares))
        f = _factors(m.labels.counts.sum(1), m.labels.labels, shares)[:, None]
        labels = LabelTally(m.labels.labels, *_multiplied(m.labels, f), m.labels.rows)
        scores = tuple(_with_shares(t, shares) for t in m.scores)
        by = dict(zip(labels.labels, f.ravel(), strict=True))
        of_roles = {role: t._multiplied(by) for role, t in m._role_tallies.items()}
        models.append(replace(m, labels=labels, scores=scores, _sums=sums, _role_tallies=of_roles))
    stated = ", ".join(f"{100 * p:.4g} % are {label}" for label, p in shares.items())
    before = (n for n in counted.notes if n.rule != PREVALENCE.code)
    notes = (*before, PREVALENCE.finding(shares=stated))  # only the latest projection
    return replace(counted, models=tuple(models), notes=notes)


def _shares(counted: CountedRows, prevalence: float | Mapping[Label, float]) -> dict[Label, float]:
    tally = counted.models[0].labels
    if isinstance(prevalence, Mapping):
        if set(prevalence) != set(tally.labels):
            names = ", ".join(repr(k) for k in tally.labels)
            raise InputError(
                f"prevalence names {list(prevalence)}; give the share of each of {names}"
            )
        shares = {label: float(prevalence[label]) for label in tally.labels}
        if not all(p >= 0 for p in shares.values()) or abs(sum(shares.values()) - 1) > 1e-9:
            raise InputError(
                f"the shares of the classes are {list(shares.values())}; they must be from 0 up "
                "and sum to 1"
            )
    else:
        if counted.positive is None:
            raise InputError(
                "one prevalence needs a positive class of two; give the share of each class, "
                f"such as {{{tally.labels[0]!r}: 0.5, ...}}"
            )
        p = float(prevalence)
        if not 0 < p < 1:
            raise InputError(f"prevalence is {prevalence!r}; it must lie between 0 and 1")
        shares = {k: p if k == counted.positive else 1 - p for k in tally.labels}
    support = tally.counts.sum(1)
    for label, n in zip(tally.labels, support, strict=True):
        if n == 0 and shares[label] > 0:
            raise InputError(
                f"no row is truly {label!r}, so how the classifier treats such rows in the field "
                "is unknown; give such rows"
            )
    return shares


def _factors(support: Floats, labels: Sequence[Label], shares: Mapping[Label, Any]) -> Floats:
    """Return the factor for the rows of each class [..., class], from shares of any shape."""
    target = np.stack([shares[label] for label in labels], -1) * support.sum()
    return np.where(support > 0, target / np.where(support > 0, support, 1.0), 0.0)


def _with_shares(t: ScoreTally, shares: Mapping[Label, float]) -> ScoreTally:
    counts, squares = _multiplied(t, _factors(t.counts.sum(0), t.labels, shares))
    return replace(t, counts=counts, sum_squared_weights=squares)


def _multiplied(t: LabelTally | ScoreTally, factors: Floats) -> tuple[Floats, Floats]:
    """Return the counts and squared weights after multiplying rows by factors."""
    squares = t.counts if t.sum_squared_weights is None else t.sum_squared_weights
    return t.counts * factors, squares * factors**2


def grid(points: int = GRID) -> Floats:
    """Return prevalences in even steps of log odds.

    >>> grid(3).round(6).tolist()
    [0.001, 0.5, 0.999]
    """
    odds = math.log(LEAST / (1 - LEAST))
    x = np.linspace(odds, -odds, points)
    return np.asarray(1 / (1 + np.exp(-x)))


def prevalence_curve(
    model: Model,
    metric: str | Metric,
    positive: Label | None,
    *,
    at: Floats | None = None,
    level: float = 0.95,
    seed: int = 0,
    **params: Any,
) -> Curve:
    """Return a metric against prevalence, at fixed TPR and TNR.

    The band is pointwise, the interval at ``level`` for each prevalence. Decisions and scores are
    resampled within each class, once for all prevalences; the ROC area has DeLong's interval. The
    band is NaN where no interval exists: where the value is infinite, or equal in all draws. If
    positives are so rare that fewer than about 30 negatives weigh as much as all of them, average
    precision and similar metrics are optimistic and their band is too narrow, because it depends on
    a few top-scoring negatives.

    Parameters
    ----------
    model : Model
        A model of two classes.
    metric : str
        Any metric of decisions, rankings or probabilities.
    positive : label
        The positive class.
    at : array, optional
        The prevalences; :func:`grid` by default.
    level, seed
        Confidence level of the band, and seed of the draws.
    params
        Parameters of the metric.

    """
    if positive is None:
        raise InputError(
            "a curve over the prevalence needs two classes, one of them positive, and there are "
            f"{len(model.labels.labels)}"
        )
    declared = get(metric)
    if declared._needs == "class_scores" or declared.classes == "many":
        raise InputError(
            f"{declared.name} needs scores of more than two classes, so it has no curve over the "
            "prevalence; choose another metric"
        )
    if declared.family == "probability" and model.scores and not model.probabilities:
        raise model._refusal(declared)
    if declared._role_needed or declared._role in model._role_tallies:
        raise InputError(
            f"{declared.name} depends on the {declared._role} of rows and has no curve over the "
            "prevalence; use .at(prevalence=...) for single shares"
        )
    x = grid() if at is None else np.asarray(at, dtype=np.float64)
    statistic = Statistic.of(declared, model.labels.labels, positive, **params)
    low = high = None
    if declared._needs in ("counts", "matrix"):
        labels = model.labels
        estimates = over_shares({"": statistic}, labels, positive, x, level=level, seed=seed)[""]
        y, low, high = estimates.values, estimates.lows, estimates.highs
    elif model.scores:
        y, low, high = _of_scores(statistic, model.scores[0], x, level, seed)
    else:
        raise model._refusal(declared)
    return Curve(
        f"{declared.name} over prevalence", "prevalence", declared.name, x, y, low=low, high=high
    )


def over_shares(
    statistics: Mapping[str, Statistic],
    tally: LabelTally | ScoreTally,
    positive: Label,
    x: Floats,
    *,
    thresholds: Floats | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Estimates]:
    """Return metrics of the decisions, with their intervals, at each prevalence ``x``.

    Prevalences are treated as known, as in :func:`project`. For scores, the decisions are those at
    each of the ``thresholds``, with the prevalences of one threshold after those of the previous.
    """
    if isinstance(tally, ScoreTally):
        counts, squares = thresholds_of(tally, np.asarray(thresholds))
    else:
        counts, squares = tally.counts[None], tally.sum_squared_weights
    shares = {label: x if label == positive else 1 - x for label in tally.labels}
    factors = _factors(counts[0].sum(1), tally.labels, shares)[..., None]
    k = len(tally.labels)
    reweighted = (counts[:, None] * factors).reshape(-1, k, k)
    squares = counts if squares is None else squares.reshape(counts.shape)
    stack = Tallies(tally.labels, (reweighted, (squares[:, None] * factors**2).reshape(-1, k, k)))
    return interval(statistics, stack, level=level, seed=seed, stratified=True)


def _of_scores(
    statistic: Statistic, tally: ScoreTally, x: Floats, level: float, seed: int
) -> tuple[Floats, Floats, Floats]:
    """Return a metric of the scores at each prevalence, and its bounds."""
    least, most = statistic.metric.range_of(**statistic.params)
    options: dict[str, Any] = {"level": level, "seed": seed, "stratified": True}
    exact = statistic.metric._needs == "rows" or statistic.metric._roc_area is not None
    judged = tally if exact else tally._coarse(BAND_GROUPS)
    points = []
    for p in x.tolist():
        shares = {label: p if label == tally.positive else 1 - p for label in tally.labels}
        v = interval_of(statistic, [_with_shares(judged, shares)], **options)
        value = v.value if exact else float(statistic.measure([_with_shares(tally, shares)]))
        shift = value - v.value if math.isfinite(value) else 0.0
        points.append((value, max(v.low + shift, least), min(v.high + shift, most)))
    y, low, high = (np.array(v) for v in zip(*points, strict=True))
    # Widen bounds to include the value, since those of skewed draws may not.
    unknown = np.isnan(low) | np.isnan(high)
    low, high = np.minimum(low, y), np.maximum(high, y)
    return y, np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)
