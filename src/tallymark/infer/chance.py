"""Test whether a classifier is better than chance, or than always predicting one class.

Three questions, each asked of the numbers that a reader sees: is the ROC area above 1/2, is the
accuracy above that of always predicting the most frequent class, and is the Brier score below
that of always giving the prevalence. Interval and p-value of an answer come from one t statistic,
so they agree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tallymark.infer.clustered import Clustered
from tallymark.infer.delong import auc_parts, newcombe
from tallymark.infer.samples import critical_value
from tallymark.metric.proportion import quantile
from tallymark.tally.arrays import Floats
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreTally

FEW = 5
"""With fewer rows (or clusters) of either class, the test is unreliable."""

_HAIR = 1e-15
"""A variance below this is rounding error of equal placements or losses."""


@dataclass(frozen=True, slots=True)
class Gain:
    """How much better than chance a number is on these rows, with its test.

    ``value`` is the difference to chance, positive where the classifier is better, ``low`` and
    ``high`` its interval, and ``p_value`` two-sided. ``warning`` says why not to rely on it.
    """

    value: float
    low: float
    high: float
    level: float
    p_value: float
    statistic: float
    degrees_of_freedom: float
    warning: str | None = None

    @property
    def shown(self) -> bool:
        """Whether the classifier is shown to be better than chance."""
        return self.value > 0 and self.p_value < 1 - self.level


def _student(
    gain: float, variance: float, freedom: float, level: float, warning: str | None = None
) -> Gain:
    """Return the gain with the interval and the p-value of Student's t."""
    from scipy.special import ndtr, stdtr

    t = gain / math.sqrt(variance)
    half = float(critical_value(level, freedom)) * math.sqrt(variance)
    tail = ndtr(-abs(t)) if math.isinf(freedom) else stdtr(freedom, -abs(t))
    return Gain(gain, gain - half, gain + half, level, float(2 * tail), t, freedom, warning)


def area_above_half(
    tally: ScoreTally, clustered: Clustered | None = None, *, level: float = 0.95
) -> Gain | None:
    """Return how much the ROC area A exceeds 1/2 (Brunner and Munzel 2000).

    t = (A - 1/2) / √V with DeLong's variance V = V₁ + V₀, the variances of the mean placements of
    the m positives and of the n negatives, and V² / (V₁²/(m - 1) + V₀²/(n - 1)) degrees of
    freedom. Weighted rows count as their effective number (Kish). With clusters, V is
    Obuchowski's. Where the classes are separated, V is 0 and p is that of the exact rank sum test,
    2 / (m + n over m).

    Parameters
    ----------
    tally : ScoreTally
        Scores of two classes.
    clustered : Clustered, optional
        The rows of the tally with their clusters.
    level : float
        Confidence level of the interval.

    Returns
    -------
    Gain or None
        None if a class has fewer than two rows, or is in fewer than two clusters.

    Examples
    --------
    >>> t = ScoreTally.from_arrays([0, 0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.4, 0.6, 0.3, 0.5, 0.8])
    >>> gain = area_above_half(t)
    >>> round(gain.value, 3), round(gain.statistic, 3), round(gain.p_value, 3), gain.shown
    (0.25, 1.162, 0.298, False)

    """
    if clustered is not None:
        area = clustered.area
        value, variance = float(np.ravel(area.value)[0]), float(np.ravel(area.variance)[0])
        rows = float(area.positives[0]), float(area.negatives[0])
        freedom = float(area.degrees_of_freedom[0])
    else:
        value, parts = auc_parts(tally)
        rows = parts[0][1], parts[1][1]
        variance = sum(v for v, _ in parts)
        terms = [v**2 / (n - 1) for v, n in parts if n > 1]
        freedom = variance**2 / sum(terms) if sum(terms) > 0 else math.inf
    if not min(rows) > 1 or math.isnan(variance):
        return None
    what = "rows" if clustered is None else "clusters with rows"
    few = f"a class has fewer than {FEW} {what}" if min(rows) < FEW else None
    gain = value - 0.5
    if variance > _HAIR**2:
        return _student(gain, variance, freedom, level, few)
    if abs(gain) < _HAIR:
        return Gain(0.0, 0.0, 0.0, level, 1.0, 0.0, freedom, few)
    return _separated(gain, rows, level, few)


def _separated(gain: float, rows: tuple[float, float], level: float, few: str | None) -> Gain:
    """Return the gain of classes without overlap, with the exact p-value of the rank sum."""
    from scipy.special import betaln

    m, n = rows
    p = min(1.0, 2 * math.exp(math.log(m + n + 1) + float(betaln(m + 1, n + 1))))
    low, high = (float(x) - 0.5 for x in newcombe(gain + 0.5, m, n, quantile(level)))
    if p >= 1 - level:  # the interval and the test say the same
        low, high = min(low, 0.0), max(high, 0.0)
    return Gain(gain, low, high, level, p, math.copysign(math.inf, gain), math.inf, few)


def accuracy_above_majority(tally: LabelTally) -> float | None:
    """Return the one-sided p-value of accuracy above that of the majority rule.

    Always predicting the most frequent class is another classifier on the same rows. Let b be the
    rows of other classes that the classifier gets right, and c those of the most frequent class
    that it gets wrong. McNemar's mid-p is P(X > b) + P(X = b) / 2 with X binomial of b + c rows
    and 1/2 (Fagerland, Lydersen and Laake 2013). The customary binomial test takes the share of
    that class as known, and so is too often significant.

    Returns
    -------
    float or None
        None for weighted rows, for which it is not known, and where all rows are of one class.

    Examples
    --------
    >>> t = LabelTally(("no", "yes"), np.array([[140, 10], [20, 30]]))
    >>> round(accuracy_above_majority(t), 6)
    0.000725

    """
    gained, lost = gained_and_lost(tally)
    support = tally.counts.sum(1)
    if tally.sum_squared_weights is not None or not 0 < support.max() < support.sum():
        return None
    from scipy.special import betainc

    total = gained + lost
    if not total:
        return 0.5
    # P(X >= k) is the incomplete beta function; mid-p is the mean of P(X >= b) and P(X > b).
    tails = [
        1.0 if k <= 0 else 0.0 if k > total else float(betainc(k, total - k + 1, 0.5))
        for k in (gained, gained + 1)
    ]
    return sum(tails) / 2


def gained_and_lost(tally: LabelTally) -> tuple[float, float]:
    """Return the rows right here and wrong by the most frequent class, and the reverse.

    >>> gained_and_lost(LabelTally(("no", "yes"), np.array([[140, 10], [20, 30]])))
    (30.0, 10.0)
    """
    right, support = tally.counts.diagonal(), tally.counts.sum(1)
    i = int(support.argmax())
    return float(right.sum() - right[i]), float(support[i] - right[i])


def brier_below_prevalence(
    tally: ScoreTally,
    clustered: Clustered | None = None,
    *,
    level: float = 0.95,
    stratified: bool = False,
) -> Gain | None:
    """Return by how much the Brier score is below that of always giving the prevalence.

    With p̂ the share of positives, q̂ = 1 - p̂ and d = (p̂ - y)² - (s - y)² of each row, the gain is
    the mean of d, plus p̂q̂/(n - 1), since p̂ is fitted to the same n rows. Its variance adds up
    n_c/(n_c - 1) Σ ((d - mean d)/n)² over the classes, plus 2(p̂q̂/n)² for the fitted p̂; Welch's
    degrees of freedom are those of the classes. Weighted rows count as their effective number
    (Kish). With clusters, deviations are summed within each first. With ``stratified``, the
    prevalence is assumed, not fitted.

    Returns
    -------
    Gain or None
        None if scores are outside 0 to 1, a class has fewer than two rows, or nothing varies.

    Examples
    --------
    >>> t = ScoreTally.from_arrays([0, 0, 0, 1, 1], [0.2, 0.1, 0.6, 0.7, 0.8])
    >>> gain = brier_below_prevalence(t)
    >>> round(gain.value, 4), round(gain.p_value, 4)
    (0.192, 0.2234)

    """
    r, squares = tally._score_counts, tally._squared_score_counts
    weights = np.stack([r.pos, r.neg])
    second = weights if squares is None else np.stack([squares.pos, squares.neg])
    s, truth = r.scores, np.array([[1.0], [0.0]])
    of_class, of_class2 = weights.sum(1), second.sum(1)
    if not of_class.min() > 0 or s.min() < 0 or s.max() > 1:
        return None
    rows, n = of_class**2 / of_class2, float(of_class.sum() ** 2 / of_class2.sum())
    if not rows.min() > 1:
        return None
    total = float(of_class.sum())
    share = float(of_class[0] / total)
    spread = share * (1 - share)
    d = (share - truth) ** 2 - (s - truth) ** 2
    mean = float((weights * d).sum() / total)
    center = (weights * d).sum(1, keepdims=True) / of_class[:, None] if stratified else mean
    few = f"a class has fewer than {FEW} rows" if rows.min() < FEW else None
    fitted = 0.0 if stratified else spread / (n - 1)
    if clustered is not None:
        of_clusters = _cluster_sums(clustered, share, mean)
        groups = len(of_clusters)
        parts = np.array([groups / (groups - 1) * float(of_clusters @ of_clusters)])
        freedoms = np.array([groups - 1.0])
    else:
        parts = rows / (rows - 1) * (second * ((d - center) / total) ** 2).sum(1)
        freedoms = rows - 1
    variance = float(parts.sum())
    if not variance > _HAIR**2:
        return None
    freedom = variance**2 / float((parts**2 / freedoms).sum())
    if not stratified:
        variance += 2 * (spread / n) ** 2
    return _student(mean + fitted, variance, freedom, level, few)


def _cluster_sums(clustered: Clustered, share: float, mean: float) -> Floats:
    """Return the deviation of each row's gain from the mean, summed within clusters."""
    joint = clustered.joint
    assert joint.clusters is not None
    assert joint.groups is not None
    y = (joint.true == joint.positive_code).astype(np.float64)
    d = (share - y) ** 2 - (joint.models[0].scores[0] - y) ** 2 - mean
    weights = np.ones(len(y)) if joint.weights is None else joint.weights
    return np.asarray(np.bincount(joint.clusters, weights * d, joint.groups) / weights.sum())
