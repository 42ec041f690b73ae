"""Areas under the curves of risk against coverage, with their jackknife intervals.

A classifier that may refer cases answers those of highest confidence first. At coverage k/n it
answers k of n rows, and its selective risk is the share of wrong answers among them. Rows of equal
confidence come in any order: every area is exactly the mean over all orders of such rows.

Arrays are of the levels of confidence from the highest down: E wrong answers among the N rows of
higher levels, and w wrong ones among the m rows of a level.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tallymark import Value
from tallymark.core import Floats, critical_value, matched_beta, scaled

FEW_ERRORS = 5
"""With fewer wrong answers, the intervals may be too narrow."""

METHOD = "jackknife on the logit scale, Student's t, and beta posterior with one more row"

_DIRECT = 64.0
"""Harmonic numbers are differences of digamma functions below this, and of their series above."""


@dataclass(frozen=True, slots=True)
class Area:
    """An area under a curve of risk: its value, and those without one row of each cell.

    ``without`` (2, G) are the values without a right and without a wrong answer of each level, and
    ``rows`` (2, G) the number of such rows.
    """

    value: float
    without: Floats
    rows: Floats

    def standard_error(self) -> float:
        """Return the delete-one jackknife standard error over all rows."""
        some = self.rows > 0
        values, rows = self.without[some], self.rows[some]
        n = float(rows.sum())
        mean = float((rows * values).sum() / n)
        return math.sqrt((n - 1) / n * float((rows * (values - mean) ** 2).sum()))


@dataclass(frozen=True)
class Levels:
    """Right and wrong answers at each level of confidence, from the highest down."""

    confidence: Floats
    right: Floats
    wrong: Floats

    @cached_property
    def rows(self) -> Floats:
        """The rows of each level, m."""
        return self.right + self.wrong

    @cached_property
    def answered(self) -> Floats:
        """The rows of each level and of all higher ones."""
        return np.cumsum(self.rows)

    @cached_property
    def errors(self) -> Floats:
        """The wrong answers among them."""
        return np.cumsum(self.wrong)

    @property
    def n(self) -> float:
        """All rows."""
        return float(self.rows.sum())

    @property
    def errors_of_all(self) -> float:
        """All wrong answers."""
        return float(self.wrong.sum())

    @cached_property
    def aurc(self) -> Area:
        """The mean over k of the risk among the k rows of highest confidence.

        A level adds w + (E - N w/m) (H(N + m) - H(N)), with the harmonic numbers H. Without a row
        of a higher level, N and perhaps E are one less.
        """
        n, m, w = self.n, self.rows, self.wrong
        above, wrong_above, share = self.answered - m, self.errors - w, w / m
        terms = _area_of_level(wrong_above, above, m, w)
        # A level below a removed row. The highest level, of which there is none, has above = 0.
        fewer = np.maximum(above - 1, 0.0)
        steps = harmonic_difference(fewer, m)
        after_right = w + (wrong_above - fewer * share) * steps
        after = np.stack([after_right, after_right - steps])
        before = np.cumsum(terms) - terms
        without = [
            before
            + _area_of_level(wrong_above, above, m - 1, w - wrong)
            + after[wrong][::-1].cumsum()[::-1]
            - after[wrong]
            for wrong in (0, 1)
        ]
        return self._area(float(terms.sum()) / n, np.stack(without) / max(n - 1, 1))

    @cached_property
    def augrc(self) -> Area:
        """The mean over k of the wrong answers among the k rows of highest confidence, over n.

        Along a level the wrong answers rise evenly: AUGRC = Σ m (E + w/2) / n².
        """
        n, m, w = self.n, self.rows, self.wrong
        wrong_above = self.errors - w
        terms = m * (wrong_above + w / 2)
        before = np.cumsum(terms) - terms
        below = n - self.answered
        after = terms[::-1].cumsum()[::-1] - terms
        without = [
            before + (m - 1) * (wrong_above + (w - wrong) / 2) + after - wrong * below
            for wrong in (0, 1)
        ]
        return self._area(float(terms.sum()) / n**2, np.stack(without) / max(n - 1, 1) ** 2)

    @cached_property
    def e_aurc(self) -> Area:
        """AURC less that of the best order of very many rows with this error rate."""
        n, errors, of = self.n, self.errors_of_all, self.aurc
        best = [_best((errors - wrong) / max(n - 1, 1)) for wrong in (0, 1)]
        # Rounding must not make the area of the best order negative.
        value = max(of.value - _best(errors / n), 0.0)
        return self._area(value, of.without - np.array(best)[:, None])

    def _area(self, value: float, without: Floats) -> Area:
        return Area(value, without, np.stack([self.right, self.wrong]))

    def risk(self) -> Floats:
        """Return the risk of answering all rows down to each level."""
        return self.errors / self.answered


def _area_of_level(wrong_above: Floats, above: Floats, rows: Floats, wrong: Floats) -> Floats:
    """Return the sum of the risks along levels of m rows, the mean over their orders."""
    share = np.divide(wrong, rows, out=np.zeros(len(rows)), where=rows > 0)
    return wrong + (wrong_above - above * share) * harmonic_difference(above, rows)


def _best(risk: float) -> float:
    """Return the AURC of the best order of very many rows: r + (1 - r) ln(1 - r).

    >>> round(_best(0.5), 6), _best(0.0), _best(1.0)
    (0.153426, 0.0, 1.0)
    """
    return risk + (1 - risk) * math.log1p(-risk) if 0 < risk < 1 else risk


def harmonic_difference(above: Floats, rows: Floats) -> Floats:
    """Return H(N + m) - H(N) of the harmonic numbers: the sum of 1/k from N + 1 to N + m.

    Above 64 rows it is a series in N + 1/2 without cancellation, whose error is below 1e-15.

    >>> harmonic_difference(np.array([0.0, 2.0]), np.array([2.0, 0.0])).round(12).tolist()
    [1.5, 0.0]
    """
    from scipy.special import digamma

    def tail(x: Any) -> Any:
        square = x**-2.0
        return square * (1 / 24 - square * (7 / 960 - square * 31 / 8064))

    start, end = above + 0.5, above + rows + 0.5
    series = np.log1p(rows / start) + tail(end) - tail(start)
    direct = digamma(above + rows + 1) - digamma(above + 1)
    return np.asarray(np.where(above < _DIRECT, direct, series))


MEASURES: dict[str, tuple[Callable[[Levels], Area], float]] = {
    "aurc": (lambda levels: levels.aurc, 1.0),
    "augrc": (lambda levels: levels.augrc, 0.5),
    "e_aurc": (lambda levels: levels.e_aurc, math.log(2)),
}
"""The areas by name, each with the greatest value that it can have; the least is 0."""


def measure(name: str, levels: Levels, level: float) -> Value:
    """Return an area with its interval.

    The interval covers two. The first is the jackknife's on the logit scale of the area's range,
    with Student's t of n - 1 degrees of freedom; there is none at an end of the range. The second
    is of the beta distribution that has the jackknife's variance and one more row, which is at
    either end of the range with probability 1/2: so it is wide where few answers are wrong.
    """
    of, most = MEASURES[name]
    n, errors = levels.n, levels.errors_of_all
    if n < 2:
        value = of(levels).value if n else math.nan
        reason = None if n else "there is no row"
        return Value(name, value, level=level, reason=reason)
    area = of(levels)
    error = area.standard_error()
    low, high = interval(area.value, error, n, level, most)
    few = None
    if errors < FEW_ERRORS:
        few = f"only {errors:,.0f} wrong {'answer' if errors == 1 else 'answers'}"
    return Value(name, area.value, low, high, level, METHOD, warning=few, se=error or None)


def interval(
    value: float, error: float, n: float, level: float, most: float
) -> tuple[float, float]:
    """Return the bounds of an area between 0 and ``most`` with a standard error.

    >>> [round(end, 4) for end in interval(0.0, 0.0, 99, 0.95, 1.0)]  # no wrong answer
    [0.0, 0.0184]
    """
    share, variance = value / most, (error / most) ** 2
    by_t = scaled(share, error / most, critical_value(level, n - 1), (0.0, 1.0))
    centre = (n * share + 0.5) / (n + 1)
    by_beta = matched_beta(centre, variance * (n - 1) / (n + 1) + 0.25 / (n + 1) ** 2, level)
    low, high = (float(f(f(by_t[i], by_beta[i]), share)) for i, f in enumerate((np.fmin, np.fmax)))
    return most * low, most * high
