"""Intervals and tests of a difference, or of a mean, from the influence of each row.

The influence of a row is its weight times the derivative of the value with respect to that
weight (the infinitesimal jackknife; Efron 1982). The sum of their squares estimates the variance,
and the sum of their cubes the skewness, of which a few changed rows or large losses have much.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tallymark import _kernels
from tallymark.infer.samples import critical_value
from tallymark.metric.measure import Statistic
from tallymark.reading.models import Model
from tallymark.tally.arrays import Floats
from tallymark.tally.joint import PairedPredictions
from tallymark.tally.score_counts import placement_sums
from tallymark.tally.sums import LOSSES, Sums, row_losses

_HAIR = 1e-15
"""A sum of squares below this is rounding error of equal influences."""


class Influence(NamedTuple):
    """How a difference, or a mean, varies: variance, skew and degrees of freedom.

    ``skew`` is Σe³ / Σe² of the influences e. ``degrees_of_freedom`` are Welch's over the classes,
    and ``effective`` Satterthwaite's, of how far the squared influences vary: few if a few rows
    carry most of the variance.
    """

    variance: float
    skew: float
    degrees_of_freedom: float
    effective: float

    @classmethod
    def of(cls, parts: Sequence[tuple[Floats, float]], freedom: float = math.inf) -> Self | None:
        """Return the facts of influences; None if a class has one row, or nothing varies.

        Parameters
        ----------
        parts : sequence of (array, float)
            The influences of the rows of each class, or of whole clusters, and their effective
            number.
        freedom : float
            The most degrees of freedom.

        Examples
        --------
        >>> e = np.array([0.01, -0.01, 0.02, -0.02])
        >>> Influence.of([(e, 4)]).degrees_of_freedom
        3.0

        """
        parts = [(e, n) for e, n in parts if len(e)]
        if not parts or min(n for _, n in parts) <= 1:
            return None
        # Elementwise sums: starting the threads of a BLAS dot product would take longer.
        squared = [e * e for e, _ in parts]
        squares = np.array([float(s.sum()) for s in squared])
        total = float(squares.sum())
        if not _HAIR**2 < total < math.inf:
            return None
        n = np.array([float(rows) for _, rows in parts])
        variances = squares * n / (n - 1)
        variance = float(variances.sum())
        welch = variance**2 / float((variances**2 / (n - 1)).sum())
        fourth = sum(float((s * s).sum()) for s in squared)
        spread = fourth - float((squares**2 / n).sum())
        effective = 2 * total**2 / spread if spread > 0 else math.inf
        third = sum(float((s * e).sum()) for s, (e, _) in zip(squared, parts, strict=True))
        skew = third / total
        return cls(variance, skew, min(welch, freedom), effective)

    @property
    def cautious(self) -> Influence:
        """The same facts with at most Satterthwaite's degrees of freedom, at least one.

        >>> Influence(4.0, 0.1, 9.0, 8.0).cautious.degrees_of_freedom
        8.0
        """
        few = min(self.degrees_of_freedom, max(self.effective, 1.0))
        return self._replace(degrees_of_freedom=few)

    def scaled(self, factor: float) -> Influence:
        """Return the facts of the difference times a positive factor.

        >>> Influence(4.0, 0.1, 9.0, 8.0).scaled(0.5)
        Influence(variance=1.0, skew=0.05, degrees_of_freedom=9.0, effective=8.0)
        """
        return self._replace(variance=self.variance * factor**2, skew=self.skew * factor)

    def bounds(self, gap: float, level: float) -> tuple[float, float]:
        """Return the interval of a difference.

        With t the critical value, V the variance and g the skew, it reaches
        g₊t²/2 + t√(V + g₊²t²/4) above, and as far below with -g: farther on the side to which the
        influences are skewed. A value exactly so far away differs by t standard errors, if the
        variance grows with the distance by g. :meth:`p_value` inverts it.

        >>> facts = Influence(0.0002, 0.0025, 41.0, 21.8)
        >>> low, high = facts.bounds(0.0156, 0.95)
        >>> round(low, 4), round(high, 4), round(facts.p_value(0.0156, low), 6)
        (-0.013, 0.0497, 0.05)
        """
        t = float(critical_value(level, self.degrees_of_freedom))
        below, above = (self._reach(side * self.skew, t) for side in (-1, 1))
        return gap - below, gap + above

    def _reach(self, skew: float, t: float) -> float:
        half = max(skew, 0.0) * t / 2
        return t * (half + math.hypot(math.sqrt(self.variance), half))

    def p_value(self, gap: float, null: float = 0.0) -> float:
        """Return the two-sided p-value of the null value, the inverse of :meth:`bounds`."""
        from scipy.special import stdtr

        away = abs(gap - null)
        toward = -self.skew if gap > null else self.skew
        error = math.sqrt(self.variance + max(toward, 0.0) * away)
        return float(2 * stdtr(self.degrees_of_freedom, -away / error))


def within_classes(
    influences: NDArray[Any], codes: Any, weights: Floats | None = None
) -> list[tuple[NDArray[Any], float]]:
    """Return the influences of each class's rows, with the effective number of rows.

    >>> e = np.array([0.2, -0.1, -0.1])
    >>> [(part.tolist(), rows) for part, rows in within_classes(e, np.array([0, 1, 1]))]
    [([0.2], 1.0), ([-0.1, -0.1], 2.0)]
    """
    parts = []
    for code in np.unique(codes):
        own = codes == code
        rows = float(np.count_nonzero(own))
        if weights is not None:
            w = weights[own]
            second = float((w**2).sum())
            rows = float(w.sum()) ** 2 / second if second else 0.0
        parts.append((influences[own], rows))
    return parts


# -- the rows of one model ---------------------------------------------------------------------


def of_rows(
    joint: PairedPredictions,
    model: Model,
    s: Statistic,
    *,
    stratified: bool = False,
    losses: Floats | None = None,
) -> Floats | None:
    """Return the influence of each row on a statistic of a model's scores, shape (n,).

    None where it has no formula: it has one for linear functions of the ROC area, for means of row
    losses (``losses``, if they are known), and for metrics that declare their ``slopes``. With
    ``stratified``, the shares of the classes are known, and influences are deviations within each
    class.
    """
    metric, scores = s.metric, joint.model(model.name).scores
    weights = np.ones(joint.rows) if joint.weights is None else joint.weights
    if stratified:  # the rows of a class weigh what its known share is
        support = model.labels.reorder(joint.labels).counts.sum(1)
        of_class = np.bincount(joint.true, weights, len(support))
        weights = weights * (support / np.where(of_class > 0, of_class, 1.0))[joint.true]
    losses = losses_of(joint, model, s) if losses is None else losses
    if losses is not None:
        # An elementwise product: starting the threads of a BLAS dot product would take longer.
        total = float(weights.sum())
        mean = float((weights * losses).sum()) / total
        with np.errstate(invalid="ignore"):  # NaN where the mean is infinite
            influences = _slope_of(s, mean) * weights * (losses - mean) / total
    elif joint.positive_code is None or len(scores) != 1:
        return None
    else:
        own = joint.true == joint.positive_code
        r = model.scores[0]._score_counts
        if metric._roc_area is not None:
            columns = (scores[0], r.scores, *r._cumulative_counts)
            column, places, tp, fp = (np.ascontiguousarray(v, np.float64) for v in columns)
            area, *_ = r._cached(placement_sums, squares=None)
            influences = np.empty(joint.rows)
            _kernels.place_rows(column, places, tp, fp, area, own.view(np.uint8), influences)
            total = np.where(own, weights[own].sum(), weights[~own].sum())
            influences *= metric._roc_area.slope * weights / total
        elif metric._sampling.slopes is not None:
            pos, neg = metric._sampling.slopes(r, **{**metric.params, **s.params})
            place = np.searchsorted(r.scores, scores[0])
            influences = weights * np.where(own, pos[place], neg[place])
        else:
            return None
    if stratified:
        means = np.bincount(joint.true, influences) / np.where(support > 0, support, 1.0)
        influences -= weights * means[joint.true]
    return np.asarray(influences)


def losses_of(joint: PairedPredictions, model: Model, s: Statistic) -> Floats | None:
    """Return the loss of each row whose mean a statistic is, or is a function of; else None.

    The loss of a row without weight is 0.
    """
    scores = joint.model(model.name).scores
    name = _loss_name(s, len(scores)) if scores else None
    if name is None:
        return None
    alone = len(scores) == 1
    codes = joint.true == joint.positive_code if alone else joint.true
    losses = row_losses(name, codes, scores[0] if alone else np.stack(scores, 1))
    return losses if joint.weights is None else np.where(joint.weights > 0, losses, 0.0)


def _loss_name(s: Statistic, columns: int) -> str | None:
    loss = s.metric._sampling.row_loss
    if loss is not None and not s.params:
        return loss.name
    if s.metric._needs != "rows":
        return None
    # A metric of sums is the mean of the one loss that it reads.
    names = (*LOSSES, *(f"top_{k}" for k in range(1, max(columns, 2))))
    params = {**s.metric.params, **s.params}
    for name in names:
        one = Sums._of_averages(names, [float(other == name) for other in names], 1)
        if float(s.metric._function(one, **params)) == 1.0:
            return name
    return None


def _slope_of(s: Statistic, mean: float) -> float:
    """Return the derivative of a statistic by the mean of its losses, by a complex step."""
    loss = s.metric._sampling.row_loss
    if loss is None or loss.outer is None:
        return 1.0
    return float(loss.outer(mean + 1e-20j).imag / 1e-20)


# -- exact test of a few differing rows --------------------------------------------------------

MOST_FLIPPED = 15
"""Up to this many differing rows, all exchanges of the two models are enumerated."""


def sign_flip(differences: Floats) -> float | None:
    """Return the exact p-value of no difference where the models may be exchanged in each row.

    It is the share of all 2ⁿ exchanges whose sum is at least as far from 0 as the observed one,
    with n the rows that differ; None if these are more than :data:`MOST_FLIPPED`.

    >>> sign_flip(np.array([0.0, -0.1, -0.2, -0.3, -0.1, -0.2]))
    0.0625
    """
    changed = differences[differences != 0]
    if len(changed) > MOST_FLIPPED or not np.isfinite(changed).all():
        return None
    signs = 1 - 2 * (np.arange(1 << len(changed))[:, None] >> np.arange(len(changed)) & 1)
    sums = np.abs(signs @ changed)
    return float(np.mean(sums >= sums[0] * (1 - 1e-12)))


def exchange_effects(own: NDArray[np.bool_], first: NDArray[Any], second: NDArray[Any]) -> Floats:
    """Return by how much exchanging two models' scores in each row changes their ROC areas.

    ``own`` marks the positive rows; ``first`` and ``second`` are scores on one scale, or integers
    from 0 that rank them. With εᵢ = -1
    for the rows that are exchanged and 1 for all others, the difference of the areas is Σ εᵢeᵢ for
    any choice of rows: exchanging both rows of a pair reverses what it adds, so no product of two
    εᵢ remains. eᵢ is the difference of the row's placements among the scores of both models in the
    other class, over the rows of its own class.

    >>> own = np.array([True, True, False, False])
    >>> a, b = np.array([0.9, 0.4, 0.3, 0.5]), np.array([0.9, 0.6, 0.3, 0.5])
    >>> exchange_effects(own, a, b).tolist()  # areas of 0.75 and 1
    [0.0, -0.25, 0.0, 0.0]
    """
    scale, size = np.concatenate([first, second]), len(own)
    if not np.issubdtype(scale.dtype, np.integer):
        scale = np.unique(scale, return_inverse=True)[1]
    a, b = scale[:size], scale[size:]
    effects = np.zeros(size)
    for rows, sign in ((own, 1), (~own, -1)):
        others = np.bincount(np.concatenate([a[~rows], b[~rows]]), minlength=int(scale.max()) + 1)
        below = np.cumsum(others)
        # Twice the number of rows below: an integer, so equal placements differ by exactly 0.
        twice = 2 * below - others
        moved = twice[a[rows]] - twice[b[rows]]
        effects[rows] = (
            sign * moved / (2 * max(2 * int((~rows).sum()), 1) * max(int(rows.sum()), 1))
        )
    return effects
