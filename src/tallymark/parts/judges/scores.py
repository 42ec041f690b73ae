"""Metrics of scores of all rows, from labelled rows that are weighted by judge and score."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tallymark as tm
from tallymark import Value
from tallymark.core import (
    Floats,
    Influence,
    Label,
    ScoreCounts,
    Statistic,
    area_posterior,
    critical_value,
    many,
    matched_beta,
    one_by_chance,
)
from tallymark.parts.judges.strata import LEAST, Codes
from tallymark.parts.judges.tally import JudgedTally

JACKKNIFE = "jackknife of labelled rows by judge and score"
BETA = f"{JACKKNIFE}, beta posterior"
SKEWED = f"{JACKKNIFE}, corrected for skewness"

_HAIR = 1e-12
_STEP = 1e-4
_AT_ONCE = 1 << 22


def score_strata(
    kinds: Codes,
    scores: Floats,
    rows: NDArray[np.int64],
    labelled: NDArray[np.int64],
    *,
    apart: bool = False,
    least: int = LEAST,
) -> Codes:
    """Return the stratum of each cell: its kind and the quarter of all rows by score.

    Neighbouring quarters of a kind with fewer than ``least`` labelled rows merge. Kinds with fewer
    merge before they are divided, unless they are kept ``apart``: then only those whose labelled
    rows show no variance, which are fewer than two.

    >>> scores, ones = np.arange(8.0), np.ones(8, dtype=np.int64)
    >>> score_strata(np.array([[0], [1]] * 4), scores, ones, ones, least=2).tolist()
    [0, 2, 0, 2, 1, 3, 1, 3]
    """
    _, kind = np.unique(kinds, axis=0, return_inverse=True)
    kind = _merged(kind.reshape(-1), labelled, 2 if apart else least)
    cuts = np.quantile(np.repeat(scores, rows), (0.25, 0.5, 0.75))
    quarter = np.searchsorted(cuts, scores)
    counts = np.zeros((int(kind.max()) + 1, len(cuts) + 1))
    np.add.at(counts, (kind, quarter), labelled)
    groups = np.array([_neighbours(c.tolist(), least) for c in counts])
    _, stratum = np.unique(4 * kind + groups[kind, quarter], return_inverse=True)
    return np.asarray(stratum.reshape(-1), dtype=np.intp)


def _merged(kind: Codes, labelled: NDArray[np.int64], least: int) -> Codes:
    """Return the kinds of cells after those with few labelled rows have merged."""
    known = np.bincount(kind, labelled)
    sparse = known < least
    if not sparse.any():
        return kind
    into = int(np.argmax(sparse))
    if known[sparse].sum() < least and not sparse.all():
        into = int(np.argmin(np.where(sparse, np.inf, known)))
    return np.where(sparse[kind], into, kind)


def _neighbours(counts: list[float], least: int) -> list[int]:
    """Return the group of each quarter, such that each group has ``least`` labelled rows."""
    group, total, out = 0, 0.0, []
    for labelled in counts:
        if total >= least:
            group, total = group + 1, 0.0
        out.append(group)
        total += labelled
    if total < least:
        out = [min(g, max(group - 1, 0)) for g in out]
    return out


@dataclass(frozen=True)
class Spread:
    """How a metric varies: the influence of the labelled rows, and of the shares of strata.

    ``influences`` (cells with a true class,) are those of one row of each, scaled so that the sum
    of their squares over rows is the jackknife's variance within strata; ``slopes`` (strata,) are
    the derivatives by the share of each stratum, and ``bias`` the jackknife's.
    """

    influences: Floats
    slopes: Floats
    bias: float


@dataclass(frozen=True)
class ScoreEstimator:
    """Estimates metrics of one model's scores in all rows.

    A labelled row of weight w stands for N w / Σw rows of its stratum, of which N are all rows.
    """

    tally: JudgedTally
    model: int
    labels: tuple[Label, Label]
    positive: Label
    sampled_by: str | None = None
    level: float = 0.95

    @cached_property
    def stratum(self) -> Codes:
        """The stratum of each cell: the judge's value, and what else rows were sampled by."""
        t = self.tally
        by_pred = self.sampled_by in ("pred", "both")
        columns = [1, 2 + self.model] if by_pred else [1]
        labelled = np.where(t._has_truth, t.rows, 0)
        apart = self.sampled_by is not None
        return score_strata(
            t.cells[:, columns], t.scores[:, self.model], t.rows, labelled, apart=apart
        )

    @cached_property
    def rows(self) -> Floats:
        """The number of all rows of each stratum."""
        return np.bincount(self.stratum, self.tally.rows).astype(np.float64)

    @cached_property
    def _known(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.tally._has_truth)

    @cached_property
    def _strata(self) -> Codes:
        """The stratum of each labelled cell."""
        return self.stratum[self._known]

    @cached_property
    def _mass(self) -> Floats:
        """The rows that each labelled cell stands for."""
        weights, strata = self.tally.weights[self._known], self._strata
        return np.asarray(self.rows[strata] * weights / np.bincount(strata, weights)[strata])

    @cached_property
    def _positive(self) -> NDArray[np.bool_]:
        """Whether each labelled cell is of the positive class."""
        codes = self.tally.cells[self._known, 0]
        return np.asarray(codes == self.tally.labels.index(self.positive))

    @cached_property
    def _grid(self) -> tuple[Floats, Codes]:
        """The distinct scores of labelled rows, and the place of each cell among them."""
        scores, place = np.unique(self.tally.scores[self._known, self.model], return_inverse=True)
        return scores, place.reshape(-1)

    def _placed(self, mass: Floats) -> ScoreCounts:
        """Return the counts by score of labelled cells with a mass."""
        scores, place = self._grid
        own = self._positive
        pos, neg = (np.bincount(place, np.where(o, mass, 0.0), len(scores)) for o in (own, ~own))
        return ScoreCounts(scores, pos, neg)

    @cached_property
    def counts(self) -> ScoreCounts:
        """The estimated rows of both classes at each score."""
        return self._placed(self._mass)

    @cached_property
    def effective(self) -> tuple[float, float]:
        """The effective numbers of labelled rows (Kish), positive and negative."""
        each, n = self._mass / self.tally.rows[self._known], self.tally.rows[self._known]
        own = self._positive
        positive, negative = (
            float((n * each)[o].sum() ** 2 / (n * each**2)[o].sum()) for o in (own, ~own)
        )
        return positive, negative

    @cached_property
    def too_few(self) -> str | None:
        """Why no metric is estimated: fewer than two labelled rows of a class."""
        n, own = self.tally.rows[self._known], self._positive
        for label, rows in ((self.positive, n[own].sum()), (self._other, n[~own].sum())):
            if rows < 2:
                return (
                    f"{many(int(rows), 'labelled row is', 'labelled rows are')} of the class "
                    f"{label!r}, and metrics of scores need at least 2 of each class"
                )
        return None

    @property
    def _other(self) -> Label:
        return next(label for label in self.labels if label != self.positive)

    def judge_as_truth(self, s: Statistic) -> float:
        """Return a metric of all rows with the judge's values for the true classes."""
        t = self.tally
        scores, place = np.unique(t.scores[:, self.model], return_inverse=True)
        columns = (
            np.bincount(
                place.reshape(-1), t.rows * (t.cells[:, 1] == t.labels.index(c)), len(scores)
            )
            for c in (self.positive, self._other)
        )
        with np.errstate(all="ignore"):
            return float(s.of_score_counts([ScoreCounts(scores, *columns)]))

    @cached_property
    def labels_only(self) -> tm.Evaluation:
        """Return the evaluation of the scores of the labelled rows alone."""
        t, known = self.tally, self._known
        times = t.rows[known]
        truth = np.array([label == self.positive for label in t.labels])[t.cells[known, 0]]
        scores = t.scores[known, self.model]
        return tm.evaluate(
            np.repeat(truth, times),
            y_score=np.repeat(scores, times),
            positive=True,
            threshold=float(np.median(scores)),
            level=self.level,
        )

    # -- how a metric varies -------------------------------------------------------------------

    def spread(self, s: Statistic) -> Spread:
        """Return how a metric varies with the labelled rows, and with the shares of strata."""
        value = float(s.of_score_counts([self.counts]))
        n, strata = self.tally.rows[self._known].astype(np.float64), self._strata
        m = np.bincount(strata, n)
        with np.errstate(all="ignore"):
            without = np.concatenate([s.of_score_counts([b]) for b in self._without_one()])
            mean = np.bincount(strata, n * without) / m
            larger, smaller = s.of_score_counts([self._moved_shares()]).reshape(-1, 2).T
            influences = np.sqrt((m - 1) / m)[strata] * (mean[strata] - without)
            slopes = (larger - smaller) / (2 * _STEP * self.rows / self.rows.sum())
            bias = float(((m - 1) * (mean - value)).sum())
        return Spread(influences, slopes, bias)

    def _without_one(self) -> Iterator[ScoreCounts]:
        """Yield the counts without one row of each labelled cell, a block of cells at a time."""
        (scores, place), strata, own = self._grid, self._strata, self._positive
        weights, n = self.tally.weights[self._known], self.tally.rows[self._known]
        one, total = weights / n, np.bincount(strata, weights)
        sums = np.zeros((2, len(total), len(scores)))
        np.add.at(sums, (np.where(own, 0, 1), strata, place), self._mass)
        whole = sums.sum(1)
        block = max(1, _AT_ONCE // len(scores))
        for start in range(0, len(place), block):
            cells = np.arange(start, min(start + block, len(place)))
            s = strata[cells]
            left = total[s] - one[cells]
            # What is left of a stratum stands for all of its rows.
            more = one[cells] / left
            tables = whole[:, None] + more[:, None] * sums[:, s]
            gone = self.rows[s] * one[cells] / left
            tables[np.where(own[cells], 0, 1), np.arange(len(cells)), place[cells]] -= gone
            pos, neg = np.maximum(tables, 0.0)
            yield ScoreCounts(scores, pos, neg)

    def _moved_shares(self) -> ScoreCounts:
        """Return the counts with the share of each stratum a little larger, and smaller."""
        scores, place = self._grid
        sums = np.zeros((2, len(self.rows), len(scores)))
        np.add.at(sums, (np.where(self._positive, 0, 1), self._strata, place), self._mass)
        both = np.stack([sums, -sums], 2).reshape(2, -1, len(scores))
        pos, neg = sums.sum(1)[:, None] + _STEP * both
        return ScoreCounts(scores, pos, neg)

    # -- intervals -----------------------------------------------------------------------------

    def value(self, s: Statistic) -> Value:
        """Return a metric with its interval.

        The variance is the jackknife's within strata, and what the shares of strata add. A metric
        of a bounded range has a beta posterior of that variance with one more row placed by chance;
        another has Student's t with the skewness of the influences. If a metric is optimistic in
        finite samples, its interval also covers that about the value without the bias.
        """
        name, definition = s.metric.name, s.describe()
        if self.too_few is not None:
            return Value(name, math.nan, reason=self.too_few, definition=definition)
        value = float(s.of_score_counts([self.counts]))
        if math.isnan(value):
            counts = self.counts
            of = (counts,) if s.metric._needs == "probabilities" else counts
            reason = s.metric.reason(of, **s.params)
            return Value(name, math.nan, reason=reason, definition=definition)
        spread, (least, most) = self.spread(s), s.metric.range_of(**s.params)
        variance, facts = self._facts(spread.influences, spread.slopes[self.stratum])
        bounded = math.isfinite(most - least)
        if not math.isfinite(value) or math.isnan(variance) or (facts is None and not bounded):
            warning = "the labelled rows do not show how far it may vary"
            return Value(name, value, level=self.level, warning=warning, definition=definition)
        freedom = math.inf if facts is None else facts.degrees_of_freedom
        if facts is None or bounded:
            low, high = self._beta(s, value, variance, (least, most))
            method = BETA
        else:
            low, high = facts.cautious.bounds(value, self.level)
            method = SKEWED
        if s.metric._sampling.error == "optimistic":
            half = float(critical_value(self.level, freedom)) * math.sqrt(variance)
            centre = value - spread.bias
            low, high = min(low, centre - half), max(high, centre + half)
            method += ", widened for bias"
        low, high = max(low, least), min(high, most)
        se = _error(variance)
        return Value(name, value, low, high, self.level, method, definition=definition, se=se)

    def _facts(self, influences: Floats, slopes: Floats) -> tuple[float, Influence | None]:
        """Return the variance of a number, and how it varies; None if no labelled row moves it.

        ``influences`` are those of labelled cells, ``slopes`` those of all cells. The variance is
        NaN where it is not known.
        """
        times, n = self.tally.rows[self._known], float(self.rows.sum())
        every = np.repeat(influences, times)
        mean = float(self.tally.rows @ slopes) / n
        between = float(self.tally.rows @ (slopes - mean) ** 2) / n**2
        facts = Influence.of([(every, float(len(every)))])
        if facts is None:
            return (between if np.isfinite(every).all() else math.nan), None
        facts = facts._replace(variance=facts.variance + between)
        return facts.variance, facts

    def _beta(
        self, s: Statistic, value: float, variance: float, extent: tuple[float, float]
    ) -> tuple[float, float]:
        """Return the bounds of a beta posterior with one more row placed by chance."""
        least, width = extent[0], extent[1] - extent[0]
        share, spread = (value - least) / width, variance / width**2
        if s.metric._needs == "ranking":
            placed = (1.0, 1.0)
            if (placements := s.metric._sampling.placements) is not None:
                placed = placements(**{**s.metric.params, **s.params})
            posterior = area_posterior(share, spread, *self.effective, placed)
        else:
            posterior = _one_more(share, spread, sum(self.effective))
        low, high = (float(least + width * b) for b in matched_beta(*posterior, self.level))
        return min(low, value), max(high, value)

    def difference(self, other: ScoreEstimator, s: Statistic) -> Value:
        """Return the metric minus that of another model on the same rows, with its interval.

        Of rankings it is a beta posterior of (d + 1) / 2 with one more row of the rarer class
        placed by chance, of other metrics Student's t corrected for skewness.
        """
        name = s.metric.name
        value = float(s.of_score_counts([self.counts]) - s.of_score_counts([other.counts]))
        ours, theirs = self.spread(s), other.spread(s)
        slopes = ours.slopes[self.stratum] - theirs.slopes[other.stratum]
        variance, facts = self._facts(ours.influences - theirs.influences, slopes)
        low, high, method = math.nan, math.nan, SKEWED
        (least, most), scores = s.metric.range_of(**s.params), self.tally.scores
        if np.array_equal(scores[:, self.model], scores[:, other.model]):
            low, high = value, value
        elif s.metric._needs == "ranking" and math.isfinite(most - least + variance):
            span, rows = 2 * (most - least), min(*self.effective, *other.effective)
            posterior = _one_more(value / span + 0.5, variance / span**2, rows)
            low, high = (float(span * (b - 0.5)) for b in matched_beta(*posterior, self.level))
            low, high, method = min(low, value), max(high, value), BETA
        elif facts is not None:
            low, high = facts.cautious.bounds(value, self.level)
        se = _error(variance)
        return Value(name, value, low, high, self.level, method, definition=s.describe(), se=se)


def _one_more(mean: float, variance: float, rows: float) -> tuple[Any, Any]:
    """Return the mean and variance of a posterior with one more row placed by chance."""
    moved, added = one_by_chance(mean, rows)
    return mean + moved, variance * (rows - 1) / (rows + 1) + added


def _error(variance: float) -> float | None:
    """Return the standard error, None if there is none but rounding error."""
    error = math.sqrt(variance)
    return error if error > _HAIR else None
