"""Compute the intraclass correlation of clustered rows and the design effects it causes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.contract import checked
from tallymark.display import Display, json_number
from tallymark.errors import InputError, choices
from tallymark.findings.finding import Finding
from tallymark.findings.notes import DESIGN_EFFECT, FEW_CLUSTERS_DECIDE, NO_DESIGN_EFFECT
from tallymark.infer.clustered import Clustered
from tallymark.infer.intervals import Inference, interval
from tallymark.infer.samples import Single
from tallymark.metric import ByMetric, get
from tallymark.metric.headlines import HEADLINE, HEADLINE_MANY
from tallymark.metric.measure import Statistic
from tallymark.quantities import percent
from tallymark.reading.models import Model


@checked
@dataclass(frozen=True, slots=True, repr=False)
class DesignEffects(Display):
    """The design effects of clustering on a model's metrics.

    ``icc`` is the intraclass correlation of correct decisions, NaN where no cluster has two rows
    or where all decisions are right or all are wrong. ``effects`` are the design effects by
    metric: the variance with clusters over the variance of independent rows, i.e. the squared
    ratio of the standard errors (Kish 1965). ``clusters`` and ``rows`` are their numbers.
    ``widths`` are the widths of the intervals over those of independent rows: more than the root
    of the design effect where few clusters leave few degrees of freedom.
    """

    clusters: int
    rows: int
    icc: float
    effects: Mapping[str, float]
    widths: Mapping[str, float]
    _largest: float | None = None
    """The share of the rows in the largest cluster, if few clusters carry accuracy."""

    def effective_sample_size(self, metric: str) -> float:
        """Return the number of independent rows with the same precision: rows / design effect.

        At most the number of rows: a smaller variance than that of independent rows is chance, or
        rows of one cluster that differ more than others.
        """
        name = get(metric).name
        if name not in self.effects:
            raise InputError(f"{name} has no design effect here; {choices(name, self.effects)}")
        return min(self.rows / self.effects[name], float(self.rows))

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        each = {
            name: {
                "design_effect": json_number(effect),
                "effective_sample_size": json_number(self.effective_sample_size(name)),
            }
            for name, effect in self.effects.items()
        }
        icc = json_number(self.icc)
        return {"clusters": self.clusters, "rows": self.rows, "icc": icc, "metrics": each}

    def _note(self, model: str | None = None) -> Finding | None:
        """Return the finding about accuracy, None if accuracy has no design effect."""
        effect = self.effects.get("accuracy")
        if effect is None or math.isnan(self.icc):
            return None
        whose, wider = "" if model is None else f"{model}: ", self.widths["accuracy"]
        if self._largest is not None:
            largest = percent(self._largest, 0)
            return FEW_CLUSTERS_DECIDE.finding(model, whose=whose, wider=wider, largest=largest)
        much = "resemble each other" if self.icc >= 0.005 else "hardly resemble each other"
        values: dict[str, Any] = {"whose": whose, "much": much, "icc": self.icc, "wider": wider}
        if effect <= 1:
            return NO_DESIGN_EFFECT.finding(model, **values)
        effective = round(self.effective_sample_size("accuracy"))
        return DESIGN_EFFECT.finding(model, **values, rows=self.rows, effective=effective)


def intraclass_correlation(values: NDArray[Any], clusters: NDArray[Any]) -> float:
    """Return the intraclass correlation of row values (one-way analysis of variance).

    (MSB - MSW) / (MSB + (n0 - 1) MSW), with the mean squares between and within k clusters of m
    rows each, and the adjusted mean cluster size n0 = (N - Σ m² / N) / (k - 1) (Donner and Koval
    1980; for 0/1 values Ridout, Demétrio and Firth 1999). The minimum is -1 / (n0 - 1): rows of
    one cluster may differ more than rows of different clusters. NaN where no cluster has two
    rows, with one cluster, or if all values are equal.

    Sources: donner1980, ridout1999.

    >>> right, patient = np.array([1, 1, 0, 0, 1, 0]), np.array([0, 0, 1, 1, 2, 2])
    >>> round(intraclass_correlation(right, patient), 6)  # (1/2 - 1/6) / (1/2 + 1/6)
    0.5
    """
    _, codes, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    n, k = len(values), len(sizes)
    if k < 2 or n == k:
        return math.nan
    x = np.asarray(values, dtype=np.float64)
    means = np.bincount(codes, x) / sizes
    between = float((sizes * (means - x.mean()) ** 2).sum()) / (k - 1)
    within = float(((x - means[codes]) ** 2).sum()) / (n - k)
    size = (n - float((sizes.astype(np.float64) ** 2).sum()) / n) / (k - 1)
    total = between + (size - 1) * within
    return (between - within) / total if total > 0 else math.nan


def design_effects(inference: Inference, model: Model) -> DesignEffects | None:
    """Return the design effects of the headline metrics, None if the rows are not clustered.

    A metric needs both a clustered and an independent standard error to be included.

    Source: kish1965.
    """
    counted = inference.one_column
    joint = counted.joint
    if joint is None or joint.clusters is None:
        return None
    names = HEADLINE if counted.positive is not None else HEADLINE_MANY
    metrics = [m for m in map(get, names) if model._holds(m)]
    clustered = inference.of_metrics(model, metrics)
    statistics = {m.name: Statistic.of(m, counted.classes, counted.positive) for m in metrics}
    alone = interval(
        statistics,
        Single(model.labels, model.scores, model._sums),
        level=inference.level,
        seed=inference.seed,
        stratified=inference.stratified,
    )
    effects, widths = ByMetric[float](), ByMetric[float]()
    for name, v in clustered.items():
        independent = alone[name].value()
        if v.se and independent.se:
            effects[name] = (v.se / independent.se) ** 2
            widths[name] = (v.high - v.low) / (independent.high - independent.low)
    decided = joint.model(model.name).decisions(model.threshold, joint.positive_code)
    icc = intraclass_correlation(decided == joint.true, joint.clusters)
    largest = None
    if (accuracy := statistics.get("accuracy")) is not None:
        rows = Clustered.of(counted, model.name, seed=inference.seed)
        largest = rows.sizes(accuracy).largest if rows.few_clusters(accuracy) else None
    return DesignEffects(joint.groups or 0, joint.rows, icc, effects, widths, largest)
