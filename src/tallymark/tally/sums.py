"""Sums of what is added row by row: the losses of a row's whole vector of scores.

The tallies of each class column hold the value of most multi-class losses, but not how they vary
from row to row, since a row's columns belong together; and of some not even the value: where the
true class stands among the scores of its row, or how long the row's vector is. These sums do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from tallymark.errors import InputError
from tallymark.tally import store
from tallymark.tally.arrays import Codes, Floats

if TYPE_CHECKING:
    from tallymark.tally.scores import ScoreTally

LOSSES = (
    "log_loss", "brier", "mean_absolute_error", "root_mean_squared_error", "spherical_score",
)  # fmt: skip
"""What is summed of every row of probabilities."""

_AT_ONCE = 1 << 16
MOST_RANKS = 20
"""Hits among the first so many classes are counted, for every number up to that."""


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
    def of_rows(cls, codes: Codes, scores: Floats, weights: Floats | None = None) -> Self:
        """Add up each row's losses: (n,) codes of the true class, (n, K) scores.

        The losses of :data:`LOSSES` mean something only where the scores are probabilities; the
        loss under the root mean squared error is the squared error. ``top_k`` is 1 where the true
        class is among the k highest scores of its row, for k below K; of classes that tie for the
        last places each has its share.
        """
        names, losses = _losses(codes, scores)
        w = np.ones(len(codes)) if weights is None else weights
        return cls._add_up(names, losses, w, w**2, len(codes))

    @classmethod
    def of_scores(cls, tallies: Sequence[ScoreTally]) -> Self:
        """Add up the losses of rows of two classes, which the tally of the last column holds."""
        tally = tallies[-1]
        r, squares = tally.ranking(), tally.ranking_squares()
        total: Sums = cls.empty()
        for start in range(0, len(tally.scores), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            p = tally.scores[part]
            q = 1 - p
            names, losses = _losses_of_two(np.concatenate([p, q]), np.concatenate([q, p]))
            weights = np.concatenate([r.pos[part], r.neg[part]])
            weights2 = weights
            if squares is not None:
                weights2 = np.concatenate([squares.pos[part], squares.neg[part]])
            total = total + cls._add_up(names, losses, weights, weights2, len(p))
        return cls(
            total.names, total.totals, total.squares, total.cross, total.weight, total.weight2,
            tally.rows,
        )  # fmt: skip

    @classmethod
    def _add_up(
        cls, names: tuple[str, ...], losses: Floats, w: Floats, w2: Floats, rows: int
    ) -> Self:
        losses = np.where(w == 0, 0.0, losses)  # an infinite loss of no row is none
        with np.errstate(invalid="ignore"):
            return cls(
                names,
                losses @ w,
                losses**2 @ w2,
                losses @ w2,
                float(w.sum()),
                float(w2.sum()),
                rows,
            )

    def average(self, name: str) -> float:
        """Return the mean of what is summed under a name; NaN without rows."""
        if name not in self.names:
            raise InputError(f"these rows were not summed by {name!r} but {list(self.names)}")
        return float(self.totals[self.names.index(name)]) / self.weight if self.weight else math.nan

    def mean(self, name: str) -> tuple[float, float]:
        """Return the mean loss and its standard error."""
        i = self.names.index(name)
        if self.rows < 2 or not self.weight:
            return math.nan, math.nan
        mean = float(self.totals[i]) / self.weight
        if not math.isfinite(mean):
            return mean, math.nan
        spread = float(self.squares[i] - 2 * mean * self.cross[i] + mean**2 * self.weight2)
        effective = self.weight**2 / self.weight2
        if effective <= 1:
            return mean, math.nan
        variance = max(spread, 0.0) / self.weight**2 * effective / (effective - 1)
        return mean, math.sqrt(variance)

    def errors(self) -> Sums:
        """Return sums whose averages are the standard errors of these averages."""
        found = np.array([self.mean(name)[1] for name in self.names])
        return Sums(self.names, found, found, found, 1.0, 1.0, self.rows)

    def scaled(self, factor: float) -> Sums:
        """Return sums of losses so many times as large, of rows of the same weight."""
        a, b, c = self.totals * factor, self.squares * factor**2, self.cross * factor
        return Sums(self.names, a, b, c, self.weight, self.weight2, self.rows)

    def __add__(self, other: object) -> Sums:
        if not isinstance(other, Sums):
            return NotImplemented
        if not self.rows or not other.rows:
            return self if self.rows else other
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


def _losses_of_two(own: Floats, other: Floats) -> tuple[tuple[str, ...], Floats]:
    """Return what :func:`_losses` does of two classes, of which the true one has ``own``."""
    squared = other**2 + (1 - own) ** 2
    absolute = other + (1 - own)
    with np.errstate(all="ignore"):
        unit = np.maximum(own, other)
        length = np.sqrt((own / unit) ** 2 + (other / unit) ** 2)
        spherical = np.where(own == 0, 0.0, own / unit / length)
        logs = -np.log(own)
    first = np.where(own > other, 1.0, np.where(own == other, 0.5, 0.0))
    losses = [logs, squared, absolute / 2, squared / 2, spherical, first]
    return (*LOSSES, "top_1"), np.stack(losses)


def _losses(codes: Codes, scores: Floats) -> tuple[tuple[str, ...], Floats]:
    """Return the names of the losses and their values, of shape (losses, rows)."""
    n, k = scores.shape
    own = scores[np.arange(n), codes]
    others = scores.copy()
    others[np.arange(n), codes] = 0.0
    squared = (others**2).sum(1) + (1 - own) ** 2
    absolute = others.sum(1) + (1 - own)
    with np.errstate(all="ignore"):
        # Within 1 before they are squared, so that no row of small scores has length 0.
        unit = np.abs(scores).max(1, initial=0)
        length = np.sqrt(((scores / unit[:, None]) ** 2).sum(1))
        spherical = np.where(own == 0, 0.0, own / unit / length)
        losses = [-np.log(own), squared, absolute / k, squared / k, spherical]
    higher = (scores > own[:, None]).sum(1)
    equal = (scores == own[:, None]).sum(1)
    places = range(1, min(k - 1, MOST_RANKS) + 1)
    losses += [np.clip((place - higher) / equal, 0.0, 1.0) for place in places]
    return (*LOSSES, *(f"top_{place}" for place in places)), np.stack(losses)
