"""Score columns computed from others: 1 - p, differences, softmax."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tallymark.tally.arrays import Floats

TOLERANCE = 1e-6
"""Scores closer than this are equal up to rounding."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A column of scores computed from the ``columns`` of a table.

    "linear" is a constant plus a multiple of each column, "exp" the exponential of a single column,
    and "softmax" the component ``at`` of the softmax over all columns.

    >>> rest = Derived("1 - p_no", ("p_no",), factors=(-1.0,), constant=1.0)
    >>> rest.of({"p_no": np.array([0.25, 1.0])})
    array([0.75, 0.  ])
    """

    name: str
    columns: tuple[str, ...]
    way: Literal["linear", "exp", "softmax"] = "linear"
    factors: tuple[float, ...] = ()
    constant: float = 0.0
    at: int = 0
    note: str = ""
    """How it was computed, for the sentence "Read as"."""

    def of(self, numbers: Mapping[str, Floats]) -> Floats:
        """Return the scores of some rows."""
        if self.way == "exp":
            return np.exp(numbers[self.columns[0]])
        if self.way == "softmax":
            logits = np.stack([numbers[c] for c in self.columns])
            powers = np.exp(logits - logits.max(0))
            return np.asarray(powers[self.at] / powers.sum(0))
        out: Floats | float = self.constant
        for column, factor in zip(self.columns, self.factors, strict=True):
            # 1 - p instead of 1 + (-1) * p, so that all routes give the same bits.
            out = out - numbers[column] if factor == -1 else out + factor * numbers[column]
        return np.asarray(out)


def rest_of(column: str, note: str) -> Derived:
    """Return one minus a probability."""
    return Derived(f"1 - {column}", (column,), factors=(-1.0,), constant=1.0, note=note)


def negated(column: str, note: str) -> Derived:
    """Return a score with the opposite sign, for scores where lower is better."""
    return Derived(f"-{column}", (column,), factors=(-1.0,), note=note)


def difference(column: str, other: str, note: str) -> Derived:
    """Return the difference of two scores."""
    return Derived(f"{column} - {other}", (column, other), factors=(1.0, -1.0), note=note)


def divided(column: str, note: str) -> Derived:
    """Return a percentage as a fraction."""
    return Derived(f"{column} / 100", (column,), factors=(0.01,), note=note)


ROW_SUM_TOLERANCE = 0.01
"""How far the sum of a row's probabilities may be from 1, to allow for rounding."""

DUST = 1e-5
"""Tolerance for probabilities outside 0 to 1 by rounding, mostly of float32."""


def without_dust(scores: Floats) -> Floats:
    """Return probabilities clipped to 0 and 1 if they exceed them only by rounding.

    >>> without_dust(np.array([-2.8e-17, 0.5, 1.00000005])).tolist()
    [0.0, 0.5, 1.0]
    """
    if not len(scores):
        return scores
    low, high = scores.min(), scores.max()
    within = low >= -DUST and high <= 1 + DUST
    return np.clip(scores, 0.0, 1.0) if within and (low < 0 or high > 1) else scores
