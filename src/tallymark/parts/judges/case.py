"""A tally and how it is judged: metrics, shares and differences from labels and judge."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from tallymark import Evaluation, InputError, Value
from tallymark.core import Floats, Label, Metric, Statistic, quantile, wilson
from tallymark.parts.judges.estimate import (
    OF_SCORES,
    Estimator,
    estimator,
    labels_only,
    statistic_of,
)
from tallymark.parts.judges.scores import ScoreEstimator
from tallymark.parts.judges.strata import Pairs
from tallymark.parts.judges.tally import JudgedTally

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class JudgedMetric:
    """A metric of a model: from labels and judge, from labels alone, and with the judge as truth.

    ``worth`` is the number of labels chosen at random that would give as narrow an interval without
    a judge; None where rows were not labelled at random, or an interval is missing.
    """

    model: str
    value: Value
    labels_only: Value | None
    judge_as_truth: float
    worth: float | None


@dataclass(frozen=True, slots=True)
class JudgedDifference:
    """The first model's metric minus the second's, under the same judge and the same labels."""

    first: str
    second: str
    value: Value


@dataclass(frozen=True, slots=True)
class JudgedShare:
    """The share of a class: corrected, from the labelled rows alone, and as the judge says."""

    label: Label
    value: Value
    labels_only: Value | None
    judge_as_truth: float


@dataclass(frozen=True)
class Case:
    """A tally, and how it is judged."""

    tally: JudgedTally
    positive: Label | None
    sampled_by: str | None
    level: float
    seed: int
    _made: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def random(self) -> bool:
        """Whether rows were labelled at random."""
        return self.sampled_by is None and not self.tally._weighted

    def of(self, *models: str, of_judge: bool = False) -> Estimator:
        """Return the estimator of some models, or of the judge with the help of one."""
        return self._once(
            (models, of_judge),
            lambda: estimator(
                self.tally,
                models,
                self.positive,
                sampled_by=self.sampled_by,
                level=self.level,
                seed=self.seed,
                of_judge=of_judge,
            ),
        )

    def _once(self, key: Any, make: Callable[[], V]) -> V:
        """Return what was made under a key, or make it."""
        if key not in self._made:
            self._made[key] = make()
        made: V = self._made[key]
        return made

    def of_scores(self, model: str) -> ScoreEstimator:
        """Return the estimator of a model's scores."""
        t, positive = self.tally, self.positive
        assert positive is not None
        first, second = t._classes
        place, by = t.models.index(model), self.sampled_by
        return self._once(
            ("scores", model),
            lambda: ScoreEstimator(t, place, (first, second), positive, by, self.level),
        )

    def alone(self, column: int) -> Evaluation | None:
        """Return the evaluation of the labelled rows, if they are a random sample."""
        if not self.random:
            return None
        t, positive, level = self.tally, self.positive, self.level
        return self._once(("alone", column), lambda: labels_only(t, column, positive, level))

    def statistic(self, metric: str | Metric) -> Statistic:
        """Return a metric with default parameters; raise an error if it cannot be estimated."""
        t = self.tally
        s = statistic_of(metric, t._classes, self.positive, scored=t._has_scores)
        if s.metric._needs in ("probability", "probabilities"):
            worst = t.scores.min() if t.scores.min() < 0 else t.scores.max()
            if not 0 <= worst <= 1:
                raise InputError(
                    f"{s.metric.name} needs probabilities, and a score is {worst:.6g}; give "
                    "numbers from 0 to 1, or use a rank metric such as 'roc_auc'"
                )
        return s

    def metric(self, model: str, metric: str | Metric) -> JudgedMetric:
        """Return a metric of a model beside that of the labels alone, and by the judge."""
        s = self.statistic(metric)
        if s.metric._needs in OF_SCORES:
            scores = self.of_scores(model)
            value, naive = scores.value(s), scores.judge_as_truth(s)
            known = self.random and scores.too_few is None
            only = scores.labels_only[s.metric.name] if known else None
        else:
            estimate = self.of(model)
            alone = self.alone(2 + self.tally.models.index(model))
            only = None if alone is None else alone[s.metric.name]
            value = estimate.value(s.metric, alone=only)
            with np.errstate(all="ignore"):
                matrix = _judge_as_truth(estimate.pairs)
                naive = float(s.of_matrix(matrix, self.tally._classes))
        worth = None
        if only is not None and value.high > value.low and not math.isnan(only.low):
            ratio = (only.high - only.low) / (value.high - value.low)
            worth = self.tally.labelled * ratio**2
        return JudgedMetric(model, value, only, naive, worth)

    def shares(self) -> list[JudgedShare]:
        """Return the share of each class; with labels only by Wilson's interval."""
        t = self.tally
        values = self.of(*t.models[:1]).shares()
        judged = np.bincount(t.cells[:, 1], t.rows, len(t.labels)) / t.rows.sum()
        alone = t._matrix(1).sum(1)
        return [
            JudgedShare(
                label,
                values[label],
                _wilson(alone[i], alone.sum(), self.level) if self.random else None,
                float(judged[i]),
            )
            for i, label in enumerate(t._classes)
        ]

    def differences(self, judged: Sequence[JudgedMetric]) -> list[JudgedDifference]:
        """Return the differences of all pairs of models where both numbers are defined."""
        out, values = [], {(m.model, m.value.metric): m.value.value for m in judged}
        for first, second in combinations(self.tally.models, 2):
            both = self.of(first, second)
            for name in dict.fromkeys(m.value.metric for m in judged):
                difference = values[first, name] - values[second, name]
                if not math.isfinite(difference):
                    continue
                if (s := self.statistic(name)).metric._needs in OF_SCORES:
                    value = self.of_scores(first).difference(self.of_scores(second), s)
                else:
                    value = both.difference(name, difference)
                out.append(JudgedDifference(first, second, value))
        return out

    def of_the_judge(self) -> list[Value]:
        """Return the judge's own metrics: its agreement, and its sensitivity to each class."""
        t, estimate = self.tally, self.of(*self.tally.models[:1], of_judge=True)
        alone = self.alone(1) if len(t.labels) == t.classes else None
        names = ["accuracy", "cohen_kappa"]
        if self.positive is not None:
            names += ["sensitivity", "specificity"]
        out = [estimate.value(n, alone=None if alone is None else alone[n]) for n in names]
        if self.positive is None:
            out += [estimate.value("sensitivity", of=label) for label in t._classes]
        return out


def _judge_as_truth(pairs: Pairs) -> Floats:
    """Return the rows by the judge's class and the prediction."""
    out = np.zeros((pairs.classes, pairs.classes))
    inside = pairs.judged < pairs.classes
    np.add.at(out, (pairs.judged[inside], pairs.predicted[inside, 0]), pairs.rows[inside])
    return out


def _wilson(k: float, n: float, level: float) -> Value:
    low, high = wilson(k, n, quantile(level))
    return Value("share", float(k / n), float(low), float(high), level, "Wilson")
