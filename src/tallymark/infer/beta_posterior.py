"""Beta distributions of a mean between 0 and 1, chosen by their mean and variance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tallymark.tally.arrays import Floats


def matched_beta(mean: Any, variance: Any, level: float) -> tuple[Floats, Floats]:
    """Return the bounds of central intervals of beta distributions with these means and variances.

    >>> [round(float(bound), 4) for bound in matched_beta(0.5, 1 / 12, 0.95)]  # uniform
    [0.025, 0.975]
    """
    from scipy.special import betaincinv

    tail, shape = (1 - level) / 2, _shape(mean, variance)
    low, high = (betaincinv(*shape, q) for q in (tail, 1 - tail))
    return low, high


def _shape(mean: Any, variance: Any) -> tuple[Any, Any]:
    """Return the two parameters of beta distributions."""
    size = mean * (1 - mean) / variance - 1
    return mean * size, (1 - mean) * size


@dataclass(frozen=True, slots=True)
class BetaPosterior:
    """A beta distribution for a mean between 0 and 1, with the observed mean ``value``.

    >>> uniform = BetaPosterior(0.5, 0.5, 1 / 12)
    >>> [round(bound, 3) for bound in uniform.bounds(0.95)], round(uniform.p_value(0.02), 3)
    ([0.025, 0.975], 0.04)
    """

    value: float
    mean: float
    variance: float

    @property
    def _variance(self) -> float:
        """The variance, below the largest that a beta distribution of this mean can have."""
        return min(self.variance, self.mean * (1 - self.mean) / (1 + 1e-9))

    def bounds(self, level: float) -> tuple[float, float]:
        """Return the central interval, widened to include the observed mean."""
        low, high = matched_beta(self.mean, self._variance, level)
        return min(float(low), self.value), max(float(high), self.value)

    def p_value(self, null: float) -> float:
        """Return one minus the level of the central interval that ends at the null."""
        from scipy.special import betainc

        below = float(betainc(*_shape(self.mean, self._variance), null))
        return min(2 * min(below, 1 - below), 1.0)
