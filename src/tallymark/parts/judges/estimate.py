"""Metrics of all rows, estimated from a judge on each of them and true classes of a few."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

import tallymark as tm
from tallymark import InputError, LabelTally, Value
from tallymark.core import (
    Floats,
    Label,
    Metric,
    Sampler,
    Statistic,
    find_positive,
    get,
    moments,
    percentile_bounds,
)
from tallymark.parts.judges.strata import Pairs
from tallymark.parts.judges.tally import JudgedTally

POSTERIOR = "posterior of the classes by prediction and judge"
HULL = f"{POSTERIOR}, hull with labels only"

FEW_DISAGREEING = 5
"""With fewer labelled rows on which prediction and judge differ, labels only count too."""


def statistic_of(
    metric: str | Metric,
    labels: Sequence[Label],
    positive: Label | None,
    *,
    scored: bool = False,
) -> Statistic:
    """Return a metric with its defaults; refuse one of scores unless there are scores."""
    found = get(metric) if isinstance(metric, str) else metric
    if found._needs in OF_SCORES:
        _refuse_of_scores(found, scored)
    elif found._needs not in ("counts", "matrix"):
        raise InputError(
            f"{found.name} is not estimated from a judge and few labels; name a metric of "
            "predicted classes, such as 'f1'"
        )
    if len(labels) > 2 and found._needs == "counts":
        return Statistic.of(found, labels, None, "macro")
    return Statistic.of(found, labels, positive)


OF_SCORES = ("ranking", "probability", "probabilities")


def _refuse_of_scores(metric: Metric, scored: bool) -> None:
    if not scored:
        raise InputError(
            f"{metric.name} needs scores; name their column with score=..., or metrics of "
            "predicted classes, such as 'f1'"
        )
    if metric._role_needed:
        raise InputError(
            f"{metric.name} needs more than scores; name a metric of scores alone, such as "
            "'roc_auc'"
        )
    if metric._sampling.error not in ("smooth", "optimistic"):
        raise InputError(
            f"{metric.name} varies too irregularly for an interval from few labels; name a metric "
            "that all scores move, such as 'roc_auc', 'average_precision', 'brier' or 'log_loss'"
        )


@dataclass(frozen=True)
class Estimator:
    """Estimates numbers of all rows from the pairs of predictions and judge."""

    pairs: Pairs
    labels: tuple[Label, ...]
    positive: Label | None
    level: float = 0.95
    seed: int = 0
    random: bool = True
    _matrices: dict[int, Floats] = field(default_factory=dict)

    @cached_property
    def rows(self) -> float:
        """The number of all rows."""
        return float(self.pairs.rows.sum())

    def matrix(self, model: int = 0) -> Floats:
        """Return the estimated numbers of rows by true and predicted class: [K, K]."""
        return self._square(self.pairs.confusion(self.pairs.joint, model))

    def matrices(self, model: int = 0) -> Floats:
        """Return draws of :meth:`matrix` from its posterior: [draw, K, K]."""
        if not self._matrices:
            models = range(self.pairs.predicted.shape[1])
            blocks = list(self._draws())
            for i in models:
                self._matrices[i] = np.concatenate([block[i] for block in blocks])
        return self._matrices[model]

    def _draws(self) -> Iterator[list[Floats]]:
        for joint in self.pairs.draws(Sampler(self.seed)):
            yield [
                self._square(self.pairs.confusion(joint, i))
                for i in range(self.pairs.predicted.shape[1])
            ]

    def _square(self, shares: Floats) -> Floats:
        """Return shares as numbers of rows, with rows of zeros for values that are no class."""
        size = len(self.labels)
        out = np.zeros((*shares.shape[:-2], size, size))
        out[..., : shares.shape[-2], : shares.shape[-1]] = shares * self.rows
        return out

    def value(
        self, metric: str | Metric, alone: Value | None = None, of: Label | None = None
    ) -> Value:
        """Return a metric with its interval; ``alone`` is that of the labelled rows only.

        Of more than two classes, ``of`` is the one that is held against the rest.

        Where few labelled rows show prediction and judge to differ, the interval also covers that
        of labels alone, if rows were labelled at random.
        """
        s = statistic_of(metric, self.labels, self.positive)
        if of is not None:
            s = Statistic.of(s.metric, self.labels, of, "binary")
        matrix, name = self.matrix(), s.metric.name
        value = float(s.of_matrix(matrix, self.labels))
        if math.isnan(value):
            reasons = s.reasons_of_matrices(matrix[None], self.labels)[0]
            reason = s.in_words(reasons, self.labels)
            return Value(name, math.nan, reason=reason, definition=s.describe())
        with np.errstate(all="ignore"):
            draws = s.of_matrix(self.matrices(), self.labels)
        low, high, se = self._bounds(value, draws)
        method = POSTERIOR
        if self._few_disagree and alone is not None and not math.isnan(alone.low):
            method = HULL
            low, high = min(low, alone.low), max(high, alone.high)
        return Value(name, value, low, high, self.level, method, definition=s.describe(), se=se)

    @cached_property
    def _few_disagree(self) -> bool:
        """Whether few labelled rows have a prediction that differs from the judge's."""
        differ = ~self.pairs.agree
        apart = bool((self.pairs.predicted[:, 0] != self.pairs.judged).any())
        return self.random and apart and self.pairs.labelled[differ].sum() < FEW_DISAGREEING

    def _bounds(self, value: float, draws: Floats) -> tuple[float, float, float | None]:
        low, high = (float(b) for b in percentile_bounds(draws, self.level))
        _, se = moments(draws)
        return min(low, value), max(high, value), float(se) if se > 0 else None

    def shares(self) -> dict[Label, Value]:
        """Return the share of each class among all rows."""
        whole = self.matrix().sum(1) / self.rows
        draws = self.matrices().sum(2) / self.rows
        out = {}
        for i in range(self.pairs.classes):
            low, high, se = self._bounds(float(whole[i]), draws[:, i])
            share = float(whole[i])
            out[self.labels[i]] = Value("share", share, low, high, self.level, POSTERIOR, se=se)
        return out

    def difference(self, metric: str | Metric, value: float) -> Value:
        """Return a difference of two models with its interval, NaN bounds where undefined.

        ``value`` is the difference of the two models' metrics, each from its own pairs. The draws
        are of both models' pairs together, whose strata differ, so they are moved to it.
        """
        s = statistic_of(metric, self.labels, self.positive)
        own = [float(s.of_matrix(self.matrix(i), self.labels)) for i in (0, 1)]
        with np.errstate(all="ignore"):
            first, second = (s.of_matrix(self.matrices(i), self.labels) for i in (0, 1))
        draws = first - second + (value - (own[0] - own[1]))
        low, high, se = self._bounds(value, draws)
        name, how = s.metric.name, s.describe()
        return Value(name, value, low, high, self.level, POSTERIOR, definition=how, se=se)

    # -- planning ------------------------------------------------------------------------------

    def spread(self, metric: str | Metric, model: int = 0) -> Floats:
        """Return σ of each pair: how much the metric depends on the true class of its rows.

        σ² = Σ_y θ_y (g_y - ḡ)², with g the metric's derivative by the share of rows of true class
        y in the pair, and θ_y = (M_y + 1/K) / (m + 1) from the m labelled rows of the pair.
        """
        slopes = self._slopes(statistic_of(metric, self.labels, self.positive), model)
        p = self.pairs
        g = slopes[: p.classes, p.predicted[:, model]]
        sums = p.weights.sum(0)
        kish = np.divide(sums, p.squares, out=np.ones(len(sums)), where=p.squares > 0)
        theta = (p.weights * kish + 1 / p.classes) / (sums * kish + 1)
        mean = (theta * g).sum(0)
        return np.asarray(np.sqrt((theta * (g - mean) ** 2).sum(0)))

    def _slopes(self, s: Statistic, model: int) -> Floats:
        """Return the derivatives of a metric by the shares of rows: [true, predicted]."""
        matrix = self.matrix(model)
        size, step = len(self.labels), 1e-5 * self.rows
        out = np.empty((size, size))
        for i in range(size):
            for j in range(size):
                up, down = matrix.copy(), matrix.copy()
                up[i, j] += step
                down[i, j] = max(down[i, j] - step, 0.0)
                both = s.of_matrix(np.stack([up, down]), self.labels)
                out[i, j] = (both[0] - both[1]) / (up[i, j] - down[i, j]) * self.rows
        return np.nan_to_num(out, posinf=0.0, neginf=0.0)

    def variance(self, metric: str | Metric, model: int = 0) -> tuple[float, float]:
        """Return V / n, and Σ W² s² / m · (1 - m/N) over strata, whose sum is that of the estimate.

        V is the variance of the metric's derivative g over all rows, so that V / n is left if every
        row has a label; s² is the sample variance of g among the m labelled rows of a stratum.
        """
        p, shares = self.pairs, self.pairs.rows / self.rows
        slopes = self._slopes(statistic_of(metric, self.labels, self.positive), model)
        g, within = slopes[: p.classes, p.predicted[:, model]], 0.0
        for s, counts in zip(p.strata, p.counts, strict=True):
            m, own = counts.sum(), shares[s].sum()
            if m > 0:
                mean = (counts * g[:, s]).sum() / m
                variance = (counts * (g[:, s] - mean) ** 2).sum() / max(m - 1, 1)
                left = max(1 - m / p.rows[s].sum(), 0.0)
                within += own**2 * variance / m * left
        mean = (p.joint * g).sum()
        return float((p.joint * (g - mean) ** 2).sum() / self.rows), float(within)


def estimator(
    tally: JudgedTally,
    models: Sequence[str],
    positive: Label | None,
    *,
    sampled_by: str | None,
    level: float,
    seed: int,
    of_judge: bool = False,
) -> Estimator:
    """Return the estimator of some models of a tally, or of its judge."""
    pairs = tally._pairs(models, sampled_by, of_judge=of_judge)
    labels = tally.labels if of_judge or not models else tally._classes
    random = sampled_by is None and not tally._weighted
    return Estimator(pairs, labels, positive, level, seed, random)


def labels_only(
    tally: JudgedTally, column: int, positive: Label | None, level: float
) -> tm.Evaluation:
    """Return the evaluation of the labelled rows alone."""
    counts = tally._matrix(column)
    labels = tally.labels[: len(counts)]
    return tm.evaluate(LabelTally(labels, counts), positive=positive, level=level)


def positive_of(tally: JudgedTally, positive: Label | None) -> Label | None:
    """Return the positive class of two; None of more classes."""
    classes = tally._classes
    if len(classes) > 2:
        if positive is not None:
            raise InputError(
                f"positive is {positive!r}, and there are {len(classes)} classes; leave it out, or "
                "name two classes"
            )
        return None
    return find_positive(classes, positive)
