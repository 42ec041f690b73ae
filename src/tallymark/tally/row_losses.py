"""Means over rows of two classes, in one pass without a sort or a tally."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tallymark import _kernels
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.scores import PlainRows, plain_rows

_MOST_BINS = 64
"""Bins of width 1 / 64 or more are summed side by side within a core's cache."""


class RowBins(NamedTuple):
    """Rows, positive rows and the sum of truth minus probability in each bin."""

    rows: Floats
    positives: Floats
    beyond: Floats


class ProbabilityRows:
    """Plain arrays of labels of two classes and of probabilities.

    Sums over the rows are exact and rounded once, so that they do not depend on the order of the
    rows. The sum over a tally of the same rows agrees with them to the last digits.
    """

    def __init__(self, y_true: Any, y_score: Any, positive: Label | None) -> None:
        self._arrays = y_true, y_score, positive

    def mean(self, loss: str) -> float | None:
        """Return the mean error of a row that is "squared", "absolute" or a "logarithm".

        The logarithm is that of the probability given to the true class, without its sign. None
        for rows that have to be counted.
        """
        for rows, scores in self._read():
            terms = _kernels.add_row_losses(*rows[:3], scores, loss[0])
            if terms is not None:
                return math.fsum(terms) / len(scores)
        return None

    def bins(self, bins: int) -> RowBins | None:
        """Return the sums in so many bins of equal width, None for rows that have to be counted."""
        for rows, scores in self._read() if bins <= _MOST_BINS else []:
            found = _kernels.add_row_bins(*rows[:3], scores, bins)
            if found is not None:
                beyond = [math.fsum(terms) for terms in found[2]]
                return RowBins(np.array(found[0]), np.array(found[1]), np.array(beyond))
        return None

    def _read(self) -> list[tuple[PlainRows, Floats]]:
        return [
            (
                rows._replace(codes=np.ascontiguousarray(rows.codes)),
                np.ascontiguousarray(rows.scores, np.float64),
            )
            for rows in plain_rows(*self._arrays)
        ]
