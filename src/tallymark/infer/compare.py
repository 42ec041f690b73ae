"""Which model is better: differences with their intervals, tests, and a verdict in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from tallymark.data import CountedRows
from tallymark.display import Display
from tallymark.errors import InputError, choices
from tallymark.infer.bands import sensitivity_at
from tallymark.infer.cautions import HEADLINE, HEADLINE_MANY
from tallymark.infer.difference import Difference
from tallymark.infer.paired import Paired
from tallymark.infer.significance import (
    MOST_RATINGS,
    PERMUTATIONS,
    Evidence,
    bowker,
    cochran_q,
    hanley_mcneil,
    holm,
    mcnemar,
    score_correlation,
    stuart_maxwell,
)
from tallymark.metric import Metric, get
from tallymark.metric.measure import Value, json_number
from tallymark.metric.proportion import quantile

POWER = 0.8
"""Rows needed are those that would show the difference found with this chance."""

CURVE_DRAWS = 400
VISIBLE_LEAD = 0.01
"""A lead of less than this in the true positive rate is too small to be seen."""

_RATES = np.linspace(0, 1, 201)

Kind = Literal["better", "no worse", "equivalent", "undecided", "alike", "undefined"]


@dataclass(frozen=True, slots=True, repr=False)
class Verdict(Display):
    """What may be said of two models by one metric, and no more.

    ``kind``: the first is "better" (the corrected p-value is below 1 - level and the interval
    leaves out 0); "no worse" than the second by more than the margin; "equivalent", nearer than
    the margin either way; "undecided"; "alike" where both decide every row alike; "undefined".
    ``needed`` is how many rows like these would show a true difference as large as the one found,
    in four of five cases; NaN where that says nothing. Of models on different rows ``each`` is how
    many rows either side has, and ``needed`` is of either side.
    """

    kind: Kind
    metric: str
    better: str
    other: str
    difference: Difference
    p_value: float
    margin: float | None
    rows: int
    needed: float = math.nan
    each: tuple[int, int] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "kind": self.kind,
            "metric": self.metric,
            "better": self.better,
            "other": self.other,
            "p_value": json_number(self.p_value),
            "margin": self.margin,
            "needed": json_number(self.needed),
            "text": str(self),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Crossing(Display):
    """Two ROC curves that cross.

    ``places`` are the false positive rates at which the lead changes; ``leads`` the greatest lead
    of the first and of the second model in the true positive rate, at ``at`` their false positive
    rates. ``shown`` says whether both leads are beyond chance: outside the pointwise interval of
    the difference. ``below`` names the model that leads below the first place.
    """

    first: str
    second: str
    places: tuple[float, ...]
    leads: tuple[float, float]
    at: tuple[float, float]
    below: str
    shown: bool

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "places": list(self.places),
            "leads": list(self.leads),
            "at": list(self.at),
            "below": self.below,
            "shown": self.shown,
        }


@dataclass(frozen=True, slots=True, repr=False)
class Pair(Display):
    """Two models compared: ``differences`` are the first's numbers less the second's."""

    first: str
    second: str
    differences: Mapping[str, Difference]
    tests: tuple[Evidence, ...]
    crossing: Crossing | None
    verdict: Verdict

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "differences": {k: d.to_dict() for k, d in self.differences.items()},
            "tests": [t.to_dict() for t in self.tests],
            "crossing": None if self.crossing is None else self.crossing.to_dict(),
            "verdict": self.verdict.to_dict(),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Display):
    """Models compared with each other, or each with one of them.

    ``metric`` decides the verdicts; p-values of several pairs are corrected by Holm's method.
    ``overall`` are the tests of all models at once. Of models on different rows ``samples`` are the
    two sides with their rows, ``rows`` the rows of both, and ``notes`` what else differs.
    """

    names: tuple[str, ...]
    metric: str
    pairs: tuple[Pair, ...]
    overall: tuple[Evidence, ...]
    level: float
    rows: int
    margin: float | None = None
    samples: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()

    def pair(self, first: str, second: str) -> Pair:
        """Return one pair, in whichever order it was compared."""
        for p in self.pairs:
            if {p.first, p.second} == {first, second}:
                return p
        known = [f"{p.first} and {p.second}" for p in self.pairs]
        raise InputError(f"{first} and {second} were not compared; there are {', '.join(known)}")

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict of every pair."""
        return tuple(p.verdict for p in self.pairs)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "models": list(self.names),
            "metric": self.metric,
            "level": self.level,
            "rows": self.rows,
            "margin": self.margin,
            "overall": [t.to_dict() for t in self.overall],
            "samples": [{"name": name, "rows": rows} for name, rows in self.samples],
            "notes": list(self.notes),
            "pairs": [p.to_dict() for p in self.pairs],
        }


def compare(
    counted: CountedRows,
    values: Mapping[str, Mapping[str, Value]],
    *,
    against: str | None = None,
    metric: str | None = None,
    metrics: Sequence[str] | None = None,
    margin: float | None = None,
    permutations: int = PERMUTATIONS,
    level: float = 0.95,
    seed: int = 0,
    by_class: bool = False,
) -> Comparison:
    """Compare every two models, or each with one: see :meth:`tallymark.Evaluation.compare`."""
    check(metric, metrics, margin)
    paired = Paired(counted, values, level=level, seed=seed, by_class=by_class)
    names = paired.joint.names
    if against is not None and against not in names:
        raise InputError(f"there is no model {against!r}; {choices(against, names)}")
    decisive = get(metric) if metric is not None else decisive_of(values, names)
    for name in names:
        if decisive.name not in values[name]:
            raise InputError(f"{name} has no {decisive.name}; choose another metric")
    there = [m for m in asked_for(metric, metrics, counted.positive is not None)
             if any(m.name in values[n] for n in names)]  # fmt: skip
    wanted = list(dict.fromkeys([decisive, *there]))
    pairs = [
        _pair(paired, *_ordered(a, b, values, decisive, against), wanted, decisive, permutations)
        for a, b in combinations(names, 2)
        if against is None or against in (a, b)
    ]
    corrected = holm(np.array([p.differences[decisive.name].p_value for p in pairs]))
    told = tuple(
        replace(p, verdict=judged(p, float(q), margin, level, _same(paired, p, decisive)))
        for p, q in zip(pairs, corrected, strict=True)
    )
    overall = _of_all(paired) if len(names) > 2 else ()
    return Comparison(names, decisive.name, told, overall, level, counted.rows, margin)


def check(metric: str | None, metrics: Sequence[str] | None, margin: float | None) -> None:
    """Refuse what no comparison can use, before anything is counted."""
    for name in (*(metrics or ()), *([] if metric is None else [metric])):
        get(name)
    if metric is not None and get(metric).better == "neither":
        raise InputError(
            f"{get(metric).name} is neither good nor bad when high; choose a metric that ranks "
            "models"
        )
    if margin is not None and not (margin > 0 and math.isfinite(margin)):
        raise InputError(
            f"margin is {margin:g}; give a number above 0, how much worse still counts as no worse"
        )


DECISIVE = ("roc_auc", "matthews_corrcoef", "balanced_accuracy", "accuracy")
"""What decides unless it is named: the first of these that all models have."""


def asked_for(metric: str | None, metrics: Sequence[str] | None, binary: bool) -> list[Metric]:
    """Return the metrics whose differences are wanted: those named, else those looked at first."""
    names = metrics if metrics is not None else HEADLINE if binary else HEADLINE_MANY
    return [get(m) for m in (*([] if metric is None else [metric]), *names)]


def decisive_of(values: Mapping[str, Mapping[str, Value]], names: Sequence[str]) -> Metric:
    """Return what decides unless it is named."""
    for name in DECISIVE:
        if all(name in values[n] and not values[n][name].reason for n in names):
            return get(name)
    return get("accuracy")


def _ordered(
    a: str,
    b: str,
    values: Mapping[str, Mapping[str, Value]],
    decisive: Metric,
    against: str | None,
) -> tuple[str, str]:
    """Put the better one first, unless one of the two is what all are compared with."""
    if against is not None:
        return (b, a) if a == against else (a, b)
    sign = -1 if decisive.better == "low" else 1
    x, y = (sign * values[n][decisive.name].value for n in (a, b))
    return (b, a) if y > x else (a, b)


def _pair(
    paired: Paired,
    first: str,
    second: str,
    wanted: Sequence[Metric],
    decisive: Metric,
    permutations: int,
) -> Pair:
    differences = {m.name: paired.difference(first, second, m) for m in wanted}
    tests = [*_of_decisions(paired, first, second), *_of_areas(paired, first, second)]
    if permutations:
        made = paired.permutation(first, second, decisive, permutations)
        tests.append(replace(made, name=f"permutation of {decisive.name}"))
    crosses = None
    if paired.counted.positive is not None:
        crosses = _crossing(paired, first, second)
    rows = paired.counted.rows
    nothing = Verdict(
        "undefined", decisive.name, first, second, differences[decisive.name], math.nan, None, rows
    )
    return Pair(first, second, differences, tuple(tests), crosses, nothing)


def _crossing(paired: Paired, first: str, second: str) -> Crossing | None:
    """Return where the ROC curves of two models cross; None where one is never visibly ahead.

    The curves are compared at 201 false positive rates, between points along straight lines; the
    spread of the gap comes from resamples in which both have the same rows.
    """
    if not all(len(paired.model(n).scores) == 1 for n in (first, second)):
        return None
    once = [sensitivity_at(paired.model(n).scores[0].score_counts, _RATES) for n in (first, second)]
    gap = (once[0] - once[1])[0]
    ahead = (gap >= VISIBLE_LEAD, gap <= -VISIBLE_LEAD)
    if not (ahead[0].any() and ahead[1].any()):
        return None
    signs = np.where(ahead[0], 1, np.where(ahead[1], -1, 0))
    decided = np.flatnonzero(signs)
    turns = np.flatnonzero(np.diff(signs[decided]))
    places = []
    for t in turns:
        left, right = decided[t], decided[t + 1]
        # The lead changes within a step of the grid: along a straight line.
        k = left + int(np.argmax(gap[left:right] * gap[left + 1 : right + 1] <= 0))
        share = gap[k] / (gap[k] - gap[k + 1]) if gap[k] != gap[k + 1] else 0.0
        places.append(float(_RATES[k] + share * (_RATES[k + 1] - _RATES[k])))
    drawn = [sensitivity_at(r, _RATES) for r in paired.drawn_rankings(first, second, CURVE_DRAWS)]
    error = (drawn[0] - drawn[1]).std(0)
    beyond = np.abs(gap) > paired.z * error
    best = (int(np.argmax(gap)), int(np.argmin(gap)))
    return Crossing(
        first,
        second,
        tuple(places),
        (float(gap[best[0]]), float(-gap[best[1]])),
        (float(_RATES[best[0]]), float(_RATES[best[1]])),
        first if signs[decided[0]] > 0 else second,
        bool((beyond & ahead[0]).any() and (beyond & ahead[1]).any()),
    )


def _of_decisions(paired: Paired, first: str, second: str) -> list[Evidence]:
    """Return the tests of who is right on which rows, and of who names which class how often."""
    if not paired.simple:
        return []
    cells = paired.agreement(first, second)
    k = len(paired.joint.labels)
    every, right = np.ones(k, dtype=bool), np.eye(k, dtype=bool)
    _, one, other, _ = paired.discordant(first, second, every, right)
    found = [mcnemar(one, other, m) for m in ("mid-p", "exact", "chi-square", "corrected")]
    table = cells.sum(0)
    if k > 2:
        found += [bowker(table), stuart_maxwell(table)]
    return found


def _of_areas(paired: Paired, first: str, second: str) -> list[Evidence]:
    """Return Hanley and McNeil's test beside DeLong's, which decides."""
    models = [paired.model(n) for n in (first, second)]
    alone = all(len(m.scores) == 1 for m in models)
    if not paired.simple or paired.counted.positive is None or not alone:
        return []
    found = [paired.values[n].get("roc_auc") for n in (first, second)]
    if found[0] is None or found[1] is None:
        return []
    rankings = [m.scores[0].score_counts for m in models]
    one, other = (
        (v.value, float(r.positives), float(r.negatives))
        for v, r in zip(found, rankings, strict=True)
        if v is not None
    )
    ratings = min(len(r.scores) for r in rankings) <= MOST_RATINGS
    correlation = score_correlation(paired.joint, first, second, ratings=ratings)
    return [hanley_mcneil(one, other, correlation)]


def _of_all(paired: Paired) -> tuple[Evidence, ...]:
    found = []
    if paired.simple:
        found.append(cochran_q(paired.joint.right(paired.thresholds)))
    scored = [m for m in paired.counted.models if len(m.scores) == 1]
    if len(scored) > 2 and paired.counted.positive is not None:
        found.append(paired.auc_test())
    return tuple(found)


def judged(
    pair: Pair, p: float, margin: float | None, level: float, alike: bool = False, worth: float = 0
) -> Verdict:
    """Return what may be said of a pair, whose verdict as it stands has the metric and the rows.

    ``p`` is the corrected p-value; ``alike`` tells that both say the same of every row; ``worth``
    is how many rows of each side tell as much as there are, where sides differ in their rows.
    """
    verdict = pair.verdict
    decisive = get(verdict.metric)
    d = pair.differences[decisive.name]
    sign = -1.0 if decisive.better == "low" else 1.0
    first_ahead = d.value * sign >= 0
    better, other = (pair.first, pair.second) if first_ahead else (pair.second, pair.first)
    verdict = replace(verdict, kind="undecided", better=better, other=other, difference=d,
                      p_value=p, margin=margin)  # fmt: skip
    if d.reason:
        return replace(verdict, kind="undefined")
    if d.value == 0 and alike:
        return replace(verdict, kind="alike")
    if math.isnan(d.low):
        return verdict
    low, high = sorted((sign * d.low, sign * d.high))
    ahead = low if first_ahead else -high
    behind = high if first_ahead else -low
    # Where there is no test the interval alone decides; with one, both must say so.
    if ahead > 0 and (math.isnan(p) or p < 1 - level):
        return replace(verdict, kind="better")
    if margin is not None and ahead > -margin:
        near = behind < margin
        return replace(verdict, kind="equivalent" if near else "no worse")
    needed = math.nan
    here = verdict.rows if verdict.each is None else min(verdict.each)
    if d.value != 0:
        reach = quantile(level) + quantile(2 * POWER - 1)
        needed = (worth or here) * (reach * d.error / d.value) ** 2
    return replace(verdict, needed=max(needed, here + 1.0) if needed == needed else needed)


def _same(paired: Paired, pair: Pair, decisive: Metric) -> bool:
    """Tell whether two models say the same of every row, as far as a metric reads it."""
    if decisive.needs in ("counts", "matrix"):
        cells = paired.agreement(pair.first, pair.second)
        return not (cells.sum(0) - np.diag(np.diag(cells.sum(0)))).any()
    a, b = (paired.joint.model(n).scores for n in (pair.first, pair.second))
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
