"""The beta posterior of a mean between 0 and 1, of known mean and variance."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BetaPosterior:
    """A beta distribution for a mean between 0 and 1, with the observed mean ``value``.

    >>> found = BetaPosterior(0.5, 0.5, 1 / 12)  # uniform
    >>> [round(bound, 3) for bound in found.bounds(0.95)], round(found.p_value(0.02), 3)
    ([0.025, 0.975], 0.04)
    """

    value: float
    mean: float
    variance: float

    @property
    def _shape(self) -> tuple[float, float]:
        size = max(self.mean * (1 - self.mean) / self.variance - 1, 1e-9)
        return self.mean * size, (1 - self.mean) * size

    def bounds(self, level: float) -> tuple[float, float]:
        """Return the central interval, widened to include the observed mean."""
        from scipy.special import betaincinv

        low, high = betaincinv(*self._shape, [(1 - level) / 2, (1 + level) / 2])
        return min(float(low), self.value), max(float(high), self.value)

    def p_value(self, null: float) -> float:
        """Return one minus the level of the central interval that ends at the null."""
        from scipy.special import betainc

        below = float(betainc(*self._shape, null))
        return min(2 * min(below, 1 - below), 1.0)
