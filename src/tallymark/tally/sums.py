"""Sums of what is added row by row: the losses of a row's whole vector of probabilities.

The tallies of each class column hold the value of a multi-class loss, but not how it varies from
row to row, since a row's columns belong together. These sums do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tallymark.errors import InputError
from tallymark.tally import store
from tallymark.tally.arrays import Codes, Floats

LOSSES = ("log_loss", "brier", "mean_absolute_error", "root_mean_squared_error")


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sums and sums of squares of losses over rows.

    With weights w: ``totals`` are sums of w x, ``squares`` of w^2 x^2, ``cross`` of w^2 x;
    ``weight`` is the sum of w and ``weight2`` of w^2.
    """

    names: tuple[str, ...]
    totals: Floats
    squares: Floats
    cross: Floats
    weight: float
    weight2: float
    rows: int

    def __post_init__(self) -> None:
        for name in ("totals", "squares", "cross"):
            values = np.array(getattr(self, name), dtype=np.float64)
            if values.shape != (len(self.names),):
                raise InputError(f"{name} has shape {values.shape}; these sums need one a name")
            values.flags.writeable = False
            object.__setattr__(self, name, values)

    @classmethod
    def empty(cls, names: tuple[str, ...] = LOSSES) -> Self:
        """Return the sums of no rows."""
        zero = np.zeros(len(names))
        return cls(names, zero, zero, zero, 0.0, 0.0, 0)

    @classmethod
    def of_probabilities(
        cls, codes: Codes, probabilities: Floats, weights: Floats | None = None
    ) -> Self:
        """Add up each row's losses: (n,) codes of the true class, (n, K) probabilities.

        The loss under the root mean squared error is the squared error.
        """
        n, k = probabilities.shape
        own = probabilities[np.arange(n), codes]
        squared = (probabilities**2).sum(1) - own**2 + (1 - own) ** 2
        absolute = probabilities.sum(1) - own + (1 - own)
        with np.errstate(divide="ignore"):
            losses = np.stack([-np.log(own), squared, absolute / k, squared / k])
        w = np.ones(n) if weights is None else weights
        with np.errstate(invalid="ignore"):
            return cls(
                LOSSES,
                losses @ w,
                losses**2 @ w**2,
                losses @ w**2,
                float(w.sum()),
                float((w**2).sum()),
                n,
            )

    def mean(self, name: str) -> tuple[float, float]:
        """Return the mean loss and its standard error."""
        i = self.names.index(name)
        if self.rows < 2 or not self.weight:
            return math.nan, math.nan
        mean = float(self.totals[i]) / self.weight
        spread = float(self.squares[i] - 2 * mean * self.cross[i] + mean**2 * self.weight2)
        effective = self.weight**2 / self.weight2
        if effective <= 1:
            return mean, math.nan
        variance = max(spread, 0.0) / self.weight**2 * effective / (effective - 1)
        return mean, math.sqrt(variance)

    def __add__(self, other: object) -> Sums:
        if not isinstance(other, Sums):
            return NotImplemented
        if self.names != other.names:
            raise InputError(f"sums of {self.names} and of {other.names} do not add up")
        return Sums(
            self.names,
            self.totals + other.totals,
            self.squares + other.squares,
            self.cross + other.cross,
            self.weight + other.weight,
            self.weight2 + other.weight2,
            self.rows + other.rows,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sums):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Return the sums as plain data for JSON, with their format and version."""
        return store.pack("sums", self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote."""
        return cls(**store.unpack("sums", data, cls))
