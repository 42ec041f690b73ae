"""Methods of interval by name: which numbers each serves, and its bounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError, choices
from tallymark.infer.delong import auc_variance, newcombe
from tallymark.infer.jackknife import Jackknife, leave_out, scaled
from tallymark.infer.replicates import grid_of
from tallymark.infer.sampler import Sampler, percentile_bounds
from tallymark.metric.measure import Statistic, Value
from tallymark.metric.proportion import quantile, wilson, worth
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreTally

DRAWS = 2000


class Draws:
    """Resamples of one tally, drawn once however many numbers are asked of them.

    How: "multinomial", as rows are; "bayesian", by Dirichlet(1, ..., 1) weights of the rows;
    "posterior", by the posterior of the cells; "stratified", within each class.
    """

    def __init__(
        self, tally: LabelTally | tuple[ScoreTally, ...], draws: int = DRAWS, seed: int = 0
    ) -> None:
        self.tally = tally
        self.draws = draws
        self.seed = seed
        self._made: dict[tuple[str, int], list[Any]] = {}

    def blocks(self, how: str, grid: ScoreTally | None = None) -> list[Any]:
        """Return the resamples: blocks of matrices, or rankings of the groups of a grid."""
        key = (how, id(grid))
        if key not in self._made:
            sampler = Sampler(self.seed, how == "stratified")
            kind: Any = "bootstrap" if how in ("multinomial", "stratified") else how
            t = self.tally
            if isinstance(t, LabelTally):
                squares = None if t.sum_squared_weights is None else t.sum_squared_weights[None]
                made = sampler.matrices(t.counts[None], squares, kind, self.draws)
                self._made[key] = [block[0] for block in made]
            else:
                grid = grid or t[0].coarse()
                self._made[key] = list(sampler.scores(grid, kind, self.draws))
        return self._made[key]


@dataclass(frozen=True)
class Case:
    """One number whose interval is asked for, and what the methods share about it."""

    statistic: Statistic
    tally: LabelTally | tuple[ScoreTally, ...]
    value: float
    level: float = 0.95
    resampled: Draws | None = None

    @cached_property
    def draws(self) -> Draws:
        """The resamples, shared or its own."""
        return self.resampled or Draws(self.tally)

    @cached_property
    def z(self) -> float:
        """The normal quantile of the level."""
        return quantile(self.level)

    @property
    def extent(self) -> tuple[float, float]:
        """The range of the metric at its parameters."""
        return self.statistic.metric.range_of(**self.statistic.params)

    @cached_property
    def part(self) -> tuple[float, float]:
        """Successes and rows of a proportion; of weighted rows what they are worth."""
        s, t = self.statistic, self.tally
        assert isinstance(t, LabelTally)
        assert s.metric.proportion is not None
        hit, whole = (float(v) for v in s.metric.proportion(s.view(t.counts, t.labels)))
        if t.sum_squared_weights is None:
            return hit, whole
        second = s.metric.proportion(s.view(t.sum_squared_weights, t.labels))
        rows = float(worth(hit, whole, *second))
        return hit / whole * rows, rows

    def drawn(self, how: str) -> NDArray[Any]:
        """Return the values over resamples of a kind: of scores, laid around the exact value."""
        s = self.statistic
        if isinstance(self.tally, LabelTally):
            blocks = self.draws.blocks(how)
            return np.concatenate([s.of_matrix(b, self.tally.labels) for b in blocks])
        grid = grid_of(s, self.tally[0])
        values = np.concatenate([s.of_score_counts([r]) for r in self.draws.blocks(how, grid)])
        return values + (self.value - float(s.of_score_counts([grid.score_counts])))

    @cached_property
    def multinomial(self) -> NDArray[Any]:
        """The values over multinomial resamples."""
        return self.drawn("multinomial")

    @cached_property
    def left_out(self) -> Jackknife:
        """The number without one row of each cell."""
        tally = self.tally if isinstance(self.tally, LabelTally) else self.tally[0]
        return leave_out(self.statistic, tally)


# -- what each serves --------------------------------------------------------------------------


def _proportion(c: Case) -> str | None:
    if not isinstance(c.tally, LabelTally) or c.statistic.metric.proportion is None:
        return "it is no proportion of rows"
    if c.statistic.average not in ("overall", "binary"):
        return "an average over classes is no proportion of rows"
    return None


def _area(c: Case) -> str | None:
    if isinstance(c.tally, LabelTally) or c.statistic.metric.roc_area is None:
        return "it is no area under the ROC curve"
    return None if len(c.tally) == 1 else "it is an average of areas"


def _drawable(c: Case) -> str | None:
    if isinstance(c.tally, LabelTally):
        return None
    if c.statistic.metric.needs in ("rows", "class_scores"):
        return "it needs whole rows of scores, which a tally does not draw anew"
    return None if len(c.tally) == 1 else "columns of more than two classes are tallied apart"


def _unweighted(c: Case) -> str | None:
    squares = (
        c.tally.sum_squared_weights
        if isinstance(c.tally, LabelTally)
        else c.tally[0].sum_squared_weights
    )
    return _drawable(c) or (None if squares is None else "rows have weights")


def _smooth(c: Case) -> str | None:
    if not isinstance(c.tally, LabelTally):
        return "it is no number of decisions"
    return None if c.statistic.metric.smooth else "it has kinks, where no derivative exists"


# -- bounds ------------------------------------------------------------------------------------

Bounds = tuple[float, float]


def _wilson(c: Case) -> Bounds:
    low, high = wilson(*c.part, c.z)
    return float(low), float(high)


def _clopper_pearson(c: Case) -> Bounds:
    from scipy.special import betaincinv

    hit, n = c.part
    tail = (1 - c.level) / 2
    low = 0.0 if hit <= 0 else float(betaincinv(hit, n - hit + 1, tail))
    high = 1.0 if hit >= n else float(betaincinv(hit + 1, n - hit, 1 - tail))
    return low, high


def _jeffreys(c: Case) -> Bounds:
    from scipy.special import betaincinv

    hit, n = c.part
    tail = (1 - c.level) / 2
    # Brown, Cai and DasGupta: at either end the bound is the end itself, or it would exclude it.
    low = 0.0 if hit <= 0 else float(betaincinv(hit + 0.5, n - hit + 0.5, tail))
    high = 1.0 if hit >= n else float(betaincinv(hit + 0.5, n - hit + 0.5, 1 - tail))
    return low, high


def _agresti_coull(c: Case) -> Bounds:
    hit, n = c.part
    more = n + c.z**2
    p = (hit + c.z**2 / 2) / more
    half = c.z * math.sqrt(p * (1 - p) / more)
    return p - half, p + half


def _delta(c: Case) -> Bounds:
    assert isinstance(c.tally, LabelTally)
    return scaled(c.value, delta_error(c.statistic, c.tally), c.z, c.extent)


def _jackknife(c: Case) -> Bounds:
    left = c.left_out
    return scaled(c.value, left.error, left.reach(c.level), c.extent)


def _percentile(c: Case) -> Bounds:
    low, high = percentile_bounds(c.multinomial, c.level)
    return float(low), float(high)


def _basic(c: Case) -> Bounds:
    low, high = _percentile(c)
    return 2 * c.value - high, 2 * c.value - low


def _bca(c: Case) -> Bounds:
    from scipy.special import ndtr, ndtri

    drawn = c.multinomial
    there = np.sort(drawn[~np.isnan(drawn)])
    if 2 * len(there) < len(drawn):
        return math.nan, math.nan
    slack = 1e-12 * max(1.0, abs(c.value))
    below = (there < c.value - slack).sum() + (np.abs(there - c.value) <= slack).sum() / 2
    share = min(max(below / len(there), 0.5 / len(there)), 1 - 0.5 / len(there))
    bias = float(ndtri(share))
    usable = np.isfinite(c.left_out.values)
    values, rows = c.left_out.values[usable], c.left_out.rows[usable]
    off = (rows * values).sum() / rows.sum() - values
    spread = float((rows * off**2).sum())
    bend = float((rows * off**3).sum()) / (6 * spread**1.5) if spread > 0 else 0.0
    found = []
    for tail in ((1 - c.level) / 2, (1 + c.level) / 2):
        moved = bias + float(ndtri(tail))
        at = float(ndtr(bias + moved / max(1 - bend * moved, 1e-3)))
        found.append(float(there[min(int(at * len(there)), len(there) - 1)]))
    return found[0], found[1]


def _bayesian(c: Case) -> Bounds:
    low, high = percentile_bounds(c.drawn("bayesian"), c.level)
    return float(low), float(high)


def _posterior(c: Case) -> Bounds:
    low, high = percentile_bounds(c.drawn("posterior"), c.level)
    return float(low), float(high)


def _stratified(c: Case) -> Bounds:
    low, high = percentile_bounds(c.drawn("stratified"), c.level)
    return float(low), float(high)


def _of_area(c: Case, bounds: Bounds) -> Bounds:
    of = c.statistic.metric.roc_area
    assert of is not None
    return of(bounds[0]), of(bounds[1])


def _auc_rows(t: ScoreTally) -> tuple[float, float]:
    """Return the positives and negatives, weighted ones by their effective number."""
    r, squares = t.score_counts, t.squared_score_counts
    if squares is None:
        return float(r.positives), float(r.negatives)
    return (
        float(r.positives) ** 2 / float(squares.positives),
        float(r.negatives) ** 2 / float(squares.negatives),
    )


def _delong(c: Case) -> Bounds:
    assert not isinstance(c.tally, LabelTally)
    auc, variance = auc_variance(c.tally[0])
    half = c.z * math.sqrt(variance)
    return _of_area(c, (auc - half, auc + half))


def _delong_logit(c: Case) -> Bounds:
    assert not isinstance(c.tally, LabelTally)
    auc, variance = auc_variance(c.tally[0])
    return _of_area(c, scaled(auc, math.sqrt(variance), c.z, (0, 1)))


def hanley_mcneil_error(auc: float, positives: float, negatives: float) -> float:
    """Return Hanley and McNeil's (1982) standard error of an AUC, from exponential scores.

    >>> round(hanley_mcneil_error(0.893, 51, 58), 4)
    0.0325
    """
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    over = (positives - 1) * (q1 - auc**2) + (negatives - 1) * (q2 - auc**2)
    return math.sqrt((auc * (1 - auc) + over) / (positives * negatives))


def _hanley_mcneil(c: Case) -> Bounds:
    assert not isinstance(c.tally, LabelTally)
    auc, _ = auc_variance(c.tally[0])
    half = c.z * hanley_mcneil_error(auc, *_auc_rows(c.tally[0]))
    return _of_area(c, (auc - half, auc + half))


def _newcombe(c: Case) -> Bounds:
    assert not isinstance(c.tally, LabelTally)
    auc, _ = auc_variance(c.tally[0])
    return _of_area(c, newcombe(auc, *_auc_rows(c.tally[0]), c.z))


# -- derivatives -------------------------------------------------------------------------------


def delta_error(s: Statistic, t: LabelTally) -> float:
    """Return the standard error by the delta method: the derivatives are exact.

    The counts are a multinomial draw: the variance is Σ n_c g_c² - (Σ n_c g_c)² / n, with g the
    gradient by complex step; of weighted rows Σ w² takes the place of the counts.
    """
    g = s.gradient(t.counts, t.labels)
    second = t.counts if t.sum_squared_weights is None else t.sum_squared_weights
    # What the metric does when all counts grow alike is no uncertainty of its.
    along = float((t.counts * g).sum()) / float(t.counts.sum())
    return math.sqrt(float((second * (g - along) ** 2).sum()))


# -- the methods -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Method:
    """A way to an interval: ``unfit`` says why it does not serve a case, or None."""

    name: str
    title: str
    source: str
    unfit: Callable[[Case], str | None]
    bounds: Callable[[Case], Bounds]
    exact: bool = True
    """Whether weighted rows enter with their own squares, not by their effective number."""


_ALL = (
    Method("wilson", "Wilson", "wilson1927", _proportion, _wilson),
    Method(
        "clopper-pearson", "Clopper-Pearson", "clopper1934", _proportion, _clopper_pearson
    ),
    Method("jeffreys", "Jeffreys", "brown2001", _proportion, _jeffreys),
    Method("agresti-coull", "Agresti-Coull", "agresti1998", _proportion, _agresti_coull),
    Method("delta", "delta method", "oehlert1992", _smooth, _delta),
    Method("delong", "DeLong", "delong1988", _area, _delong),
    Method("delong-logit", "DeLong, logit scale", "delong1988", _area, _delong_logit),
    Method("hanley-mcneil", "Hanley-McNeil", "hanley1982", _area, _hanley_mcneil, False),
    Method("newcombe", "Newcombe, score interval", "newcombe2006", _area, _newcombe, False),
    Method("jackknife", "jackknife, Student's t", "efron1993", _drawable, _jackknife),
    Method("percentile", "percentile bootstrap", "efron1993", _drawable, _percentile),
    Method("basic", "basic bootstrap", "efron1993", _drawable, _basic),
    Method("bca", "BCa bootstrap", "efron1987", _unweighted, _bca),
    Method("bayesian", "Bayesian bootstrap", "rubin1981", _drawable, _bayesian),
    Method(
        "stratified", "percentile bootstrap within each class", "efron1993", _drawable,
        _stratified, False,
    ),
    Method("posterior", "Dirichlet posterior", "brown2001", _drawable, _posterior),
)  # fmt: skip

METHODS: Mapping[str, Method] = MappingProxyType({m.name: m for m in _ALL})
"""Every method by its name."""


def serving(statistic: Statistic, tally: LabelTally | Sequence[ScoreTally]) -> dict[str, Method]:
    """Return the methods that serve a statistic of a tally.

    >>> from tallymark.metric import get
    >>> t = LabelTally.from_arrays([0, 0, 1, 1], [0, 1, 1, 1])
    >>> list(serving(Statistic.of(get("f1"), t.labels), t))[:3]
    ['delta', 'jackknife', 'percentile']
    """
    case = Case(statistic, tally if isinstance(tally, LabelTally) else tuple(tally), math.nan)
    return {name: m for name, m in METHODS.items() if m.unfit(case) is None}


def interval_by(
    method: str,
    statistic: Statistic,
    tally: LabelTally | Sequence[ScoreTally],
    point: Value,
    *,
    level: float = 0.95,
    seed: int = 0,
    draws: int = DRAWS,
) -> Value:
    """Return a value with its interval by one method.

    Parameters
    ----------
    method : str
        A key of :data:`METHODS`.
    statistic, tally, point
        The number, what it is a number of, and its value.
    level, seed, draws
        Of the interval, and of resampling.

    Raises
    ------
    InputError
        An unknown method, or one that does not serve this number: the message says which do.

    """
    if method not in METHODS:
        raise InputError(f"there is no method {method!r}; {choices(method, METHODS)}")
    if draws < 100:
        raise InputError(f"draws is {draws}; an interval needs at least 100")
    held = tally if isinstance(tally, LabelTally) else tuple(tally)
    resampled = Draws(held, draws, seed)
    found, case = METHODS[method], Case(statistic, held, point.value, level, resampled)
    why = found.unfit(case)
    if why:
        fit = ", ".join(serving(statistic, held)) or "none"
        raise InputError(
            f"{method} does not serve {statistic.metric.name}: {why}; those that do: {fit}"
        )
    if point.reason:
        return point
    if math.isinf(point.value):
        return replace(point, method="no interval: the value is infinite")
    with np.errstate(all="ignore"):
        low, high = found.bounds(case)
    squares = (
        held.sum_squared_weights if isinstance(held, LabelTally) else held[0].sum_squared_weights
    )
    title = found.title
    if found.bounds in (_percentile, _basic, _bca, _bayesian, _stratified, _posterior):
        title += f", {draws:,} draws"
    if squares is not None and not found.exact:
        title += ", effective sample size of the weights (approximate)"
    if math.isnan(low) or math.isnan(high):
        return replace(point, method=f"no interval: {title} has none here")
    least, most = statistic.metric.range_of(**statistic.params)
    low, high = max(low, least), min(high, most)
    if low == high or high - low <= 1e-12 * max(abs(low), abs(high)):
        return replace(point, method=f"no interval: {title}, which has no width here")
    return replace(point, low=low, high=high, level=level, method=title)
