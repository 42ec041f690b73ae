"""Resamples of the scores of one class, drawn once for all numbers that are read off them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from tallymark.infer.jackknife import GROUPS, Jackknife, leave_out, without_one
from tallymark.infer.sampler import DRAWS, Normals, Sampler
from tallymark.metric.measure import Statistic
from tallymark.metric.proportion import wilson
from tallymark.tally.arrays import Floats
from tallymark.tally.score_counts import LONG
from tallymark.tally.scores import ScoreCounts, ScoreTally
from tallymark.tally.threads import side_by_side, threads_for

_BIAS_DRAWS = 100
_BIAS_DRAWS_OF_MANY = 40
"""Of very many rows the first order leaves little of the draws' chance: see :meth:`bias`."""

_CELLS_AT_ONCE = 1 << 16
_AROUND_THRESHOLDS = 32
"""Groups away from the thresholds of a number that only these decide."""


def grid_of(s: Statistic, tally: ScoreTally) -> ScoreTally:
    """Return the few groups of scores that a statistic is resampled on.

    A number that moves by steps is read off at a threshold or two. On groups alike everywhere it
    would take a few values only, however many rows there are: its own are fine about those.
    """
    if s.metric.error != "quantile" or tally.coarse() is tally:
        return tally.coarse()
    place = s.operating_point(tally.score_counts)
    if place is None:  # as few groups without it would tell less than those alike
        return tally.coarse()
    return tally.coarse(_AROUND_THRESHOLDS, around=(place,), lowest=True)


def _few_at_once(rankings: Iterable[ScoreCounts]) -> list[ScoreCounts]:
    """Return stacks of rankings cut into so few that numbers of them stay in the cache."""
    out = []
    for r in rankings:
        some = max(1, _CELLS_AT_ONCE // max(len(r.scores), 1))
        for i in range(0, len(r.pos), some):
            out.append(ScoreCounts(r.scores, r.pos[i : i + some], r.neg[i : i + some]))
    return out


class Replicates:
    """The resamples of the scores of one class: each kind of them made when first asked for."""

    def __init__(self, tally: ScoreTally, sampler: Sampler) -> None:
        self.tally = tally
        self.sampler = sampler
        self._grids: dict[Any, ScoreTally] = {}
        self._posteriors: dict[int, list[ScoreCounts]] = {}
        self._normals = Normals(sampler.seed) if len(tally.scores) > LONG else None

    def ready(self, statistics: Sequence[Statistic]) -> int:
        """Make what many statistics share, side by side; return how many threads judge them."""
        errors = {s.metric.error for s in statistics}
        threads = threads_for(min(len(self.tally.scores), 800) * DRAWS)
        if threads < 2 or len(errors) < 2:
            return 1
        self.tally.coarse()
        steps = [s for s in statistics if s.metric.error == "quantile"]
        side_by_side(lambda i: self._grid(steps[i]), len(steps), threads)
        grids = {id(grid): grid for grid in map(self._grid, steps)}
        tasks: list[Callable[[], object]] = [partial(self._posterior, g) for g in grids.values()]
        tasks.append(lambda: without_one(self.tally, each=False))
        if "optimistic" in errors:
            tasks.append(lambda: self._drawn)
        if "null_at_zero" in errors:
            tasks.append(lambda: self._some_calibrated)
        side_by_side(lambda i: tasks[i](), len(tasks), threads)
        return threads

    def _grid(self, s: Statistic) -> ScoreTally:
        key = (s.metric.name, *sorted(s.params.items()))
        if key not in self._grids:
            self._grids[key] = grid_of(s, self.tally)
        return self._grids[key]

    def _posterior(self, grid: ScoreTally) -> list[ScoreCounts]:
        if id(grid) not in self._posteriors:
            drawn = self.sampler.scores(grid, "posterior", normals=self._normals)
            self._posteriors[id(grid)] = _few_at_once(drawn)
        return self._posteriors[id(grid)]

    def posterior(self, s: Statistic, value: float) -> Floats:
        """Return the number over draws from the posterior, around its value on all scores."""
        grid = self._grid(s)
        return _of(s, self._posterior(grid)) + (value - _exact(s, grid))

    def _resampled(self, grid: ScoreTally, draws: int) -> list[ScoreCounts]:
        return _few_at_once(self.sampler.scores(grid, "bootstrap", draws))

    @cached_property
    def _for_bias(self) -> ScoreTally:
        # Of very many scores chance adds little, and the jackknife's groups tell how little.
        return self.tally.coarse(*((GROUPS,) if len(self.tally.scores) > LONG else ()))

    @cached_property
    def _drawn(self) -> list[ScoreCounts]:
        grid = self._for_bias
        if len(self.tally.scores) <= LONG:
            return self._resampled(grid, _BIAS_DRAWS)
        # With so many rows in a cell, shares of them vary as counts do, and cost far less.
        shares = self.sampler.scores(grid, "bayesian", _BIAS_DRAWS_OF_MANY, self._normals)
        return _few_at_once(shares)

    def bias(self, s: Statistic, left: Jackknife) -> float:
        """Return by how much resampling moves the number on average.

        What it moves by in first order, which the jackknife tells, is 0 on average: taken off each
        draw, little of the draws' own chance is left (Efron 1990).
        """
        grid = self._for_bias.score_counts
        pos, neg = left.slopes(grid.scores)
        first = [(b.pos - grid.pos) @ pos + (b.neg - grid.neg) @ neg for b in self._drawn]
        with np.errstate(invalid="ignore"):
            moved = _of(s, self._drawn) - np.concatenate(first)
            return float(np.nanmean(moved)) - _exact(s, self._for_bias)

    def error(self, s: Statistic) -> float:
        """Return a standard error."""
        if s.metric.error != "quantile":
            return leave_out(s, self.tally, self.sampler.stratified).error
        with np.errstate(invalid="ignore"):  # where draws are infinite there is none
            return float(np.nanstd(_of(s, self._resampled(self._grid(s), DRAWS))))

    @cached_property
    def _some_calibrated(self) -> list[ScoreCounts]:
        return self._calibrated(_FIRST_DRAWS, "first")

    @cached_property
    def _more_calibrated(self) -> list[ScoreCounts]:
        return self._calibrated(DRAWS - _FIRST_DRAWS, "more")

    def _calibrated(self, draws: int, purpose: str) -> list[ScoreCounts]:
        return _few_at_once(self.sampler.calibrated(self.tally.coarse(), draws, purpose))

    def is_calibrated(self, s: Statistic, value: float, level: float) -> bool:
        """Tell whether calibrated probabilities would often enough be as far off.

        That is, in more than one tail of the level. Of most models the first draws tell: many of
        them are as far off, or the value is so many of their standard deviations off that no
        distribution has such a tail (Cantelli's inequality).
        """
        tail = (1 - level) / 2
        some = _of(s, self._some_calibrated)
        if wilson((some >= value).sum(), len(some), _CERTAIN)[0] > tail:
            return True
        if value > some.mean() + 2 * math.sqrt(1 / tail - 1) * some.std():
            return False
        values = np.concatenate([some, _of(s, self._more_calibrated)])
        return float((values >= value).mean()) > tail


_FIRST_DRAWS = 100
_CERTAIN = 4.0


def _of(s: Statistic, blocks: Sequence[ScoreCounts]) -> Floats:
    return np.concatenate([s.of_score_counts([b]) for b in blocks])


def _exact(s: Statistic, grid: ScoreTally) -> float:
    """Return the number of the groups as they are, which draws lie around."""
    return float(s.of_score_counts([grid.score_counts]))
