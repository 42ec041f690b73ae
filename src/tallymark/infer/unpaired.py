"""Which is better on different rows: one model in two places, or two models on two test sets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.data import CountedRows, Model
from tallymark.errors import InputError
from tallymark.infer.cautions import cautions
from tallymark.infer.compare import (
    DECISIVE,
    Comparison,
    Pair,
    Verdict,
    asked_for,
    check,
    decisive_of,
    judged,
)
from tallymark.infer.delong import auc_covariance, auc_variance
from tallymark.infer.difference import (
    Difference,
    Judged,
    bounded,
    p_of,
    square_and_add,
    without_interval,
)
from tallymark.infer.inference import Inference
from tallymark.infer.replicates import grid_of
from tallymark.infer.sampler import Kind, Sampler, class_rows, percentile_bounds
from tallymark.infer.significance import Evidence, hanley_mcneil, holm, two_proportions
from tallymark.metric import Metric, get
from tallymark.metric.measure import Statistic
from tallymark.metric.proportion import quantile, wilson
from tallymark.metric.skew import moves_with_prevalence
from tallymark.tally.arrays import Label
from tallymark.tally.scores import ScoreTally

DRAWS = 2000
MOST_CELLS = 200_000_000
"""Cells of all draws of a matrix at most: of hundreds of classes there are fewer draws."""

_HAIR = 1e-12
_TOLD = ("few-clusters", "few-rows", "one-class", "absent-class", "few-decide")
"""Cautions of either side that a comparison repeats."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What was counted of one set of rows, and whether the shares of its classes are known."""

    counted: CountedRows
    by_class: bool = False


class Side:
    """One model on its own rows: its numbers, and resamples of them that no other side shares.

    ``place`` is 0 or 1, which draws are whose.
    """

    def __init__(
        self, sample: Sample, model: Model, name: str, metrics: Iterable[Metric], *, place: int,
        level: float, seed: int, draws: int = DRAWS,
    ) -> None:  # fmt: skip
        counted = sample.counted
        self.sample, self.model, self.name, self.draws = sample, model, name, draws
        self.sampler = Sampler(seed, sample.by_class, stream=place)
        self.statistics = {
            m.name: Statistic.of(m, counted.classes, counted.positive)
            for m in metrics
            if model.holds(m)
        }
        inference = Inference(counted, level=level, seed=seed, fixed_class_shares=sample.by_class)
        self.values = inference.values(model, self.statistics)
        self.clustered = inference.clusters(model.name)

    @property
    def simple(self) -> bool:
        """Whether every row counts once and alone."""
        return not (self.sample.counted.weighted or self.sample.by_class or self.clustered)

    def share(self, metric: str) -> tuple[float, float] | None:
        """Return hits and rows, weighted ones by their effective number, of a proportion of rows.

        None for what is none, or has no such interval: of clusters, or where rows of several
        classes whose shares are known are mixed.
        """
        s, t = self.statistics[metric], self.model.labels
        if s.metric.proportion is None or s.average not in ("overall", "binary"):
            return None
        if self.clustered or (self.sample.by_class and s.mixes_classes(t.labels)):
            return None
        hit, whole = (float(v) for v in s.metric.proportion(s.view(t.counts, t.labels)))
        if t.sum_squared_weights is None or not whole:
            return hit, whole
        _, squared = s.metric.proportion(s.view(t.sum_squared_weights, t.labels))
        rows = whole**2 / float(squared)
        return hit / whole * rows, rows

    @cached_property
    def area(self) -> tuple[float, float]:
        """The ROC area of two classes and its variance: DeLong's, or Obuchowski's of clusters."""
        tally = self.model.scores[0]
        if self.clustered is None:
            return auc_variance(tally)
        if self.clustered.joint.groups == 1:
            return self.values["roc_auc"].value, math.nan
        areas, covariance = auc_covariance(self.clustered.joint, [tally])
        return float(areas[0]), float(covariance[0, 0])

    @property
    def measured_area(self) -> tuple[float, float, float]:
        """The area, and the positives and negatives it is of."""
        r = self.model.scores[0].score_counts
        return self.values["roc_auc"].value, float(r.positives), float(r.negatives)

    @cached_property
    def drawn(self) -> Mapping[str, NDArray[Any]]:
        """Each statistic over resamples; what no tally draws anew is not among them."""
        if self.clustered is not None:
            return self._of_clusters()
        decided = {k: s for k, s in self._defined() if s.metric.needs in ("counts", "matrix")}
        out = self._of_labels(decided)
        if len(self.model.scores) == 1:
            rest = {
                k: s
                for k, s in self._defined()
                if k not in decided and s.metric.needs not in ("rows", "class_scores")
            }
            out |= self._of_scores(rest)
        return out

    def _defined(self) -> list[tuple[str, Statistic]]:
        return [(k, s) for k, s in self.statistics.items() if math.isfinite(self.values[k].value)]

    def _of_clusters(self) -> dict[str, NDArray[Any]]:
        assert self.clustered is not None
        resampled, out = self.clustered.resampled, {}
        if resampled is None or self.clustered.joint.groups == 1:
            return {}
        for key, s in self._defined():
            found = resampled.values(0, s)
            if found is not None:
                out[key] = found[0] + (self.values[key].value - found[1])
        return out

    def _of_labels(self, statistics: Mapping[str, Statistic]) -> dict[str, NDArray[Any]]:
        """Draw matrices: where a cell is empty, or all draws are the same, from the posterior."""
        tally = self.model.labels
        empty = {k for k, s in statistics.items() if s.has_empty_cell(tally)}
        kept = {k: s for k, s in statistics.items() if k not in empty}
        out = self._matrices(kept, "bootstrap")
        again = empty | {k for k, values in out.items() if _flat(values)}
        return out | self._matrices({k: statistics[k] for k in again}, "posterior")

    def _matrices(self, statistics: Mapping[str, Statistic], kind: Kind) -> dict[str, NDArray[Any]]:
        t = self.model.labels
        draws = max(200, min(self.draws, MOST_CELLS // max(t.counts.size, 1)))
        of = [partial(s.of_matrix, labels=t.labels) for s in statistics.values()]
        squares = None if t.sum_squared_weights is None else t.sum_squared_weights[None]
        found = self.sampler.values(of, t.counts[None], squares, kind, draws)
        return dict(zip(statistics, found[:, 0], strict=True))

    def _of_scores(self, statistics: Mapping[str, Statistic]) -> dict[str, NDArray[Any]]:
        """Draw rankings, coarse ones of very many scores, around the exact values."""
        alike: dict[int, tuple[ScoreTally, list[str]]] = {}
        for key, s in statistics.items():
            grid = grid_of(s, self.model.scores[0])
            alike.setdefault(id(grid), (grid, []))[1].append(key)
        out = {}
        for grid, keys in alike.values():
            found: dict[str, list[NDArray[Any]]] = {k: [] for k in keys}
            for block in self.sampler.scores(grid, "bootstrap", self.draws):
                for key in keys:
                    found[key].append(statistics[key].of_score_counts([block]))
            with np.errstate(invalid="ignore"):
                for key, values in found.items():
                    exact = float(statistics[key].of_score_counts([grid.score_counts]))
                    out[key] = np.concatenate(values) + (self.values[key].value - exact)
        return out


def difference(first: Side, second: Side, metric: Metric, level: float) -> Difference:
    """Return one metric of a side less that of the other, with its interval and p-value."""
    a, b = (side.values.get(metric.name) for side in (first, second))
    if (told := without_interval(metric.name, (first.name, second.name), a, b)) is not None:
        return told
    assert a is not None
    assert b is not None
    return bounded(metric, a, b, level, *_bounds(first, second, metric, level))


def _bounds(first: Side, second: Side, metric: Metric, level: float) -> Judged:
    if metric.roc_area is not None and first.sample.counted.positive is not None:
        found = _of_areas(first, second, metric.roc_area.slope, level)
        return found or _added(first, second, metric.name)
    shares = first.share(metric.name), second.share(metric.name)
    if shares[0] is not None and shares[1] is not None:
        low, high = newcombe_unpaired(*shares[0], *shares[1], quantile(level))
        test = two_proportions(*shares[0], *shares[1])
        weighted = first.sample.counted.weighted or second.sample.counted.weighted
        method = "Newcombe, unpaired" + (", effective rows (approximate)" if weighted else "")
        # Where both sides hit all rows, or none, there is nothing to be tested.
        return low, high, method, 1.0 if test.reason else test.p_value, test.name
    drawn = first.drawn.get(metric.name), second.drawn.get(metric.name)
    if drawn[0] is None or drawn[1] is None or _flat(drawn[0]) or _flat(drawn[1]):
        return _added(first, second, metric.name)
    n = min(map(len, (drawn[0], drawn[1])))
    with np.errstate(invalid="ignore"):
        gaps = drawn[0][:n] - drawn[1][:n]
    lows, highs = percentile_bounds(gaps, level)
    name = f"bootstrap of both sides, each by itself, {n:,} draws"
    if not (math.isfinite(lows) and math.isfinite(highs)):
        why = f"no interval: {name}, most of them undefined or infinite"
        return math.nan, math.nan, why, math.nan, None
    if highs - lows <= _HAIR * max(abs(lows), abs(highs)):
        return _added(first, second, metric.name)
    return float(lows), float(highs), name, p_of(gaps), "bootstrap"


def _of_areas(first: Side, second: Side, scale: float, level: float) -> Judged | None:
    """Return the bounds of a difference of areas, whose variances add up.

    None where one of the two has no variance, as an area of 0 or 1: its own interval is one-sided.
    """
    (a, va), (b, vb) = first.area, second.area
    if not (va > _HAIR and vb > _HAIR):
        return None
    gap, error = (a - b) * scale, math.sqrt(va + vb) * scale
    clustered = first.clustered is not None or second.clustered is not None
    name = "Obuchowski, clusters, unpaired" if clustered else "DeLong, unpaired"
    half = quantile(level) * error
    return gap - half, gap + half, name, math.erfc(abs(gap / error) / math.sqrt(2)), name


def _added(first: Side, second: Side, metric: str) -> Judged:
    """Return the bounds from the intervals of both, and the p-value that agrees with them."""
    a, b = (side.values[metric] for side in (first, second))
    for v, side in ((a, first), (b, second)):
        if math.isnan(v.low):
            why = (v.method or "it has none").removeprefix("no interval: ")
            return math.nan, math.nan, f"no interval: of {side.name}, {why}", math.nan, None
    low, high, name, p, test = square_and_add(a, b)
    return low, high, name.removesuffix(", as if independent"), p, test


def _flat(values: NDArray[Any]) -> bool:
    """Tell draws that are all the same, up to rounding, or of which none is defined."""
    there = values[np.isfinite(values)]
    if not len(there):
        return True
    return bool(np.ptp(there) <= _HAIR * max(float(np.abs(there).max()), 1e-300))


def newcombe_unpaired(
    hit: float, n: float, other_hit: float, other_n: float, z: float
) -> tuple[float, float]:
    """Return the interval of the difference of two proportions of different rows.

    Newcombe's (1998) hybrid score interval, his method 10: the distances of Wilson's bounds from
    the proportions, added as squares. NaN where a side has no rows.

    Parameters
    ----------
    hit, n, other_hit, other_n : float
        Hits among the rows of either side; effective numbers where rows have weights.
    z : float
        The normal quantile of the level.

    Source: newcombe1998.

    Examples
    --------
    >>> low, high = newcombe_unpaired(56, 70, 48, 80, 1.959964)
    >>> round(low, 4), round(high, 4)
    (0.0524, 0.3339)

    """
    if not (n and other_n):
        return math.nan, math.nan
    p, q = hit / n, other_hit / other_n
    (l1, u1), (l2, u2) = (
        tuple(float(v) for v in wilson(h, m, z)) for h, m in ((hit, n), (other_hit, other_n))
    )
    return p - q - math.hypot(p - l1, u2 - q), p - q + math.hypot(u1 - p, q - l2)


# -- all of it ---------------------------------------------------------------------------------


def compare_samples(
    first: Sample,
    second: Sample,
    *,
    metric: str | None = None,
    metrics: Sequence[str] | None = None,
    margin: float | None = None,
    called: tuple[str, str] | None = None,
    draws: int = DRAWS,
    level: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Compare models on different rows, of which none is in both: a model in two places.

    A difference is judged by the method that fits what it is a difference of:

    - AUC (and Gini) of two classes: the variances of both add up, DeLong's, or Obuchowski's of
      clusters; where one is 0 or 1, square-and-add of both intervals;
    - a proportion of rows: Newcombe's square-and-add of Wilson's intervals, and the score test,
      which agrees with it on all but few tables;
    - anything else that a tally can draw anew: the percentile interval of draws, each side's by
      itself; those of a side with an empty cell come from the posterior of its cells;
    - what is left: square-and-add of both intervals, of which a normal one adds its variance.

    Parameters
    ----------
    first, second : Sample
        What was counted of the two sets of rows: the same classes, the same positive one.
    metric, metrics, margin
        As of :meth:`tallymark.Evaluation.compare`.
    called : pair of str, optional
        What the sides are called: by default where their rows came from, or first and second.
    draws, level, seed
        Of the intervals.

    Returns
    -------
    Comparison
        A pair for every model that is on both sides, or for the one of each side; differences
        are the first side's number less the second's.

    Raises
    ------
    InputError
        Other classes or another positive class, models that cannot be matched, an unknown metric,
        the same rows twice, fewer than 100 draws.

    Sources: newcombe1998, zou2008, delong1988, obuchowski1997.

    """
    check(metric, metrics, margin)
    if draws < 100:
        raise InputError(f"draws is {draws}; an interval needs at least 100")
    sides = _called(first.counted, second.counted, called)
    _refuse(first.counted, second.counted, sides)
    matched, notes = _matched(first.counted, second.counted, sides)
    binary = first.counted.positive is not None
    wanted = asked_for(metric, metrics, binary)
    options: dict[str, Any] = {"level": level, "seed": seed, "draws": draws}
    measured = list(dict.fromkeys([*wanted, *map(get, DECISIVE)]))
    found = [
        (
            Side(first, a, f"{a.name} ({sides[0]})", measured, place=0, **options),
            Side(second, b, f"{b.name} ({sides[1]})", measured, place=1, **options),
        )
        for a, b in matched
    ]
    values = {side.name: side.values for two in found for side in two}
    decisive = get(metric) if metric is not None else decisive_of(values, list(values))
    for name, has in values.items():
        if decisive.name not in has:
            raise InputError(f"{name} has no {decisive.name}; choose another metric")
    shown = [m for m in wanted if any(m.name in has for has in values.values())]
    shown = list(dict.fromkeys([decisive, *shown]))
    pairs = [_pair(a, b, shown, decisive, level) for a, b in found]
    corrected = holm(np.array([p.differences[decisive.name].p_value for p in pairs]))
    verdicts = [
        judged(p, float(q), margin, level, worth=_worth(a, b, decisive.name))
        for p, q, (a, b) in zip(pairs, corrected, found, strict=True)
    ]
    notes += _of_thresholds(matched, sides)
    notes += _of_balance((first, second), sides, shown)
    for i, sample in enumerate((first, second)):
        own = [two[i] for two in found]
        counted = replace(sample.counted, models=tuple(side.model for side in own))
        told = cautions(counted, {x.model.name: x.values for x in own}, sample.by_class)
        notes += [f"{sides[i]}: {n.text}" for n in told if n.code in _TOLD]
    rows = (first.counted.rows, second.counted.rows)
    return Comparison(
        tuple(values), decisive.name,
        tuple(replace(p, verdict=v) for p, v in zip(pairs, verdicts, strict=True)),
        (), level, sum(rows), margin, samples=tuple(zip(sides, rows, strict=True)),
        notes=tuple(notes),
    )  # fmt: skip


def _called(a: CountedRows, b: CountedRows, called: tuple[str, str] | None) -> tuple[str, str]:
    if called is None:
        return (a.source, b.source) if a.source != b.source else ("first", "second")
    if isinstance(called, str) or len(called) != 2 or called[0] == called[1]:
        raise InputError(f"called is {called!r}; give two different names, such as ('a', 'b')")
    return str(called[0]), str(called[1])


def _refuse(a: CountedRows, b: CountedRows, sides: tuple[str, str]) -> None:
    """Refuse sides that do not ask the same question, or are the same rows."""
    if a is b or (a.joint is not None and a.joint is b.joint):
        raise InputError(
            "both sides are the same rows; compare() tells more of models on the same rows"
        )

    def told(labels: Sequence[Label]) -> str:
        more = f" and {len(labels) - 5} more" if len(labels) > 5 else ""
        return ", ".join(repr(label) for label in labels[:5]) + more

    # Two classes may be in either order; of more, metrics of ordered classes depend on it.
    alike = set(a.classes) == set(b.classes) if len(a.classes) == 2 else a.classes == b.classes
    if not alike:
        raise InputError(
            f"{sides[0]} has the classes {told(a.classes)} and {sides[1]} {told(b.classes)}; give "
            "evaluate() the same labels=... for both"
        )
    if a.positive != b.positive:
        raise InputError(
            f"the positive class is {a.positive!r} in {sides[0]} and {b.positive!r} in {sides[1]}; "
            "give evaluate() the same positive=... for both"
        )


def _matched(
    a: CountedRows, b: CountedRows, sides: tuple[str, str]
) -> tuple[list[tuple[Model, Model]], list[str]]:
    """Return the models of one name on both sides, or the one of each, and who is left out."""
    there = {m.name: m for m in b.models}
    both = [(m, there[m.name]) for m in a.models if m.name in there]
    if both:
        names = {m.name for m, _ in both}
        left = [f"{m.name} ({s})" for c, s in ((a, sides[0]), (b, sides[1])) for m in c.models
                if m.name not in names]  # fmt: skip
        return both, [f"left out, being on one side alone: {', '.join(left)}"] if left else []
    if len(a.models) == len(b.models) == 1:
        return [(a.models[0], b.models[0])], []
    told = [", ".join(repr(m.name) for m in c.models) for c in (a, b)]
    raise InputError(
        f"no model has the same name on both sides ({told[0]} in {sides[0]}, {told[1]} in "
        f"{sides[1]}); name them alike, or choose one a side with .model(name)"
    )


def _pair(
    first: Side, second: Side, shown: Sequence[Metric], decisive: Metric, level: float
) -> Pair:
    differences = {m.name: difference(first, second, m, level) for m in shown}
    names = (first.name, second.name)
    each = (first.sample.counted.rows, second.sample.counted.rows)
    nothing = Verdict(
        "undefined", decisive.name, *names, differences[decisive.name], math.nan, None, sum(each),
        each=each,
    )  # fmt: skip
    tests = tuple(_tests(first, second, decisive))
    return Pair(*names, differences, tests, None, nothing)


def _tests(first: Side, second: Side, decisive: Metric) -> list[Evidence]:
    """Return tests beside those of the differences: of a proportion, and of the areas."""
    if not (first.simple and second.simple):
        return []
    found = []
    for name in dict.fromkeys([decisive.name, "accuracy"]):
        shares = [side.share(name) if name in side.statistics else None for side in (first, second)]
        if shares[0] is not None and shares[1] is not None:
            for method in ("score", "fisher", "boschloo"):
                test = two_proportions(*shares[0], *shares[1], method)
                if method == "boschloo" and test.reason:
                    continue  # of many rows all three tell the same
                found.append(replace(test, name=f"{test.name}, {get(name).in_a_sentence}"))
            break
    if first.sample.counted.positive is not None and all(
        len(side.model.scores) == 1 for side in (first, second)
    ):
        found.append(hanley_mcneil(first.measured_area, second.measured_area))
    return found


def _worth(first: Side, second: Side, metric: str) -> float:
    """Return how many rows of either side have the error of the difference, were it their number.

    The rows of the side that is less sure count for more: its variance is the larger part.
    """
    n = [side.sample.counted.rows for side in (first, second)]
    widths = [side.values[metric].high - side.values[metric].low for side in (first, second)]
    total = sum(w**2 for w in widths)
    if not total > 0:  # NaN without an interval
        return 2 / (1 / n[0] + 1 / n[1])
    return sum(w**2 / total * m for w, m in zip(widths, n, strict=True))


# -- what else differs -------------------------------------------------------------------------


def _of_thresholds(matched: Sequence[tuple[Model, Model]], sides: tuple[str, str]) -> list[str]:
    return [
        f"{a.name} decides at {a.threshold:.6g} in {sides[0]} and at {b.threshold:.6g} in "
        f"{sides[1]}: its decisions differ for that too; give one threshold"
        for a, b in matched
        if a.name == b.name
        and a.threshold is not None
        and b.threshold is not None
        and a.threshold != b.threshold
    ]


def _of_balance(
    samples: tuple[Sample, Sample], sides: tuple[str, str], metrics: Iterable[Metric]
) -> list[str]:
    """Tell where the classes are mixed otherwise by more than chance, and what moves with that."""
    first = samples[0].counted
    tallies = [s.counted.models[0].labels.reorder(first.classes) for s in samples]
    support = [t.counts.sum(1) for t in tallies]
    if not all(v.sum() > 0 for v in support):
        return []
    shares = [v / v.sum() for v in support]
    known = [s.by_class for s in samples]
    if np.allclose(shares[0], shares[1], rtol=1e-6, atol=1e-9):
        return []
    if not all(known):
        rows = [class_rows(t) for t in tallies]
        table = np.stack([s * r.sum() for s, r in zip(shares, rows, strict=True)])
        expected = table.sum(1)[:, None] * table.sum(0) / table.sum()
        there = expected > 0
        from scipy.special import chdtrc

        statistic = float(((table - expected)[there] ** 2 / expected[there]).sum())
        if chdtrc(max(int((table.sum(0) > 0).sum()) - 1, 1), statistic) >= 0.05:
            return []
    code = (
        int(np.argmax(np.abs(shares[0] - shares[1])))
        if first.positive is None
        else first.classes.index(first.positive)
    )
    moved = dict.fromkeys(m.in_a_sentence for m in metrics if moves_with_prevalence(m))
    told = (
        f"{first.classes[code]} is the class of {shares[0][code]:.3g} of the rows in {sides[0]} "
        f"and of {shares[1][code]:.3g} in {sides[1]}"
    )
    if not moved:
        return [told]
    return [
        f"{told}: {', '.join(moved)} differ for that alone; bring both to one class balance with "
        "at(prevalence=...), or look at what it does not move"
    ]
