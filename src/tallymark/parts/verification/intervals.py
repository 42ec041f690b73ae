"""Intervals of a verification system whose people recur in many comparisons."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import tallymark as tm
from tallymark.core import (
    CountedRows,
    Floats,
    Model,
    Statistic,
    count,
    of_rows,
    quantile,
    wilson,
)
from tallymark.parts.verification.dyadic import (
    Spread,
    eer_spread,
    fmr_spread,
    fnmr_at_fmr_spread,
    fnmr_spread,
    slope,
    spread,
)
from tallymark.parts.verification.people import Dyads, PeopleTally, by_people

PEOPLE = "people"
"""The role of both people, and the key of ``Source.checks`` where they are not known one by one."""

UNKNOWN = "unknown"
"""The value of that check where people recur and nobody said how many there are."""

FEW_FREEDOMS = 10
"""With fewer degrees of freedom, few people carry most of the error."""

ENOUGH_ERRORS = 30
"""With this many errors the true rate is within 30 % of the observed one, at 90 % confidence, if
comparisons are independent (the rule of 30)."""

DYADIC = "dyadic, by people, Student's t"

RESTS_ON = "it rests on only"
"""How the warning on few false matches begins."""

_WHO = "no interval: people recur, and who is compared is not known"
_OTHER = "no interval: people recur, and this metric has no interval that allows for it"

_RATES = {
    "false_positive_rate": ("fmr", False),
    "specificity": ("fmr", True),
    "false_negative_rate": ("fnmr", False),
    "sensitivity": ("fnmr", True),
    "equal_error_rate": ("eer", False),
    "false_negative_rate_at_fpr": ("fnmr_at_fmr", False),
    "sensitivity_at_fpr": ("fnmr_at_fmr", True),
}
"""The error rate that a metric is, and whether it is one minus it."""


@dataclass(frozen=True, slots=True)
class People:
    """The people that recur in the comparisons: how many, None if nobody says.

    ``mated`` and ``non_mated`` have comparisons of a kind, and are effectively as many as
    ``effective_mated`` and ``effective_non_mated`` with equally many each (Kish); None where who
    is compared is not known.
    """

    number: int | None
    mated: int | None = None
    non_mated: int | None = None
    effective_mated: float | None = None
    effective_non_mated: float | None = None

    def _independent(self, of_mated: bool) -> float | None:
        """Return how many comparisons of a kind can be independent, None if that is not known.

        Of non-mated comparisons at most half as many as there are people share none. Where mated
        ones are of known people, each person is one.
        """
        if of_mated and self.mated is not None:
            return self.mated
        people = self.number if self.non_mated is None else self.non_mated
        return None if people is None else people / 2


def people_of(counted: CountedRows, model: Model) -> People | None:
    """Return the people that recur in the comparisons, None where nothing says that they do."""
    tally, known = model._role_tallies.get(PEOPLE), counted.source.checks.get(PEOPLE)
    if isinstance(tally, PeopleTally):
        d = tally.dyads
        effective = (d.effective(kind) for kind in (0, 1))
        return People(d.people, d.people_of(0), d.people_of(1), *effective)
    if known is None:
        return None
    return People(None if known == UNKNOWN else int(known))


def intervals(
    counted: CountedRows, model: Model, statistics: Mapping[str, Statistic], level: float
) -> dict[str, tm.Value]:
    """Return the statistics of a system whose people recur, each with its interval if it has one.

    Empty where nothing says that people recur.
    """
    people = people_of(counted, model)
    if people is None or not model.scores or counted.positive is None:
        return {}
    judged: dict[str, tm.Value] = {}
    tally = model._role_tallies.get(PEOPLE)
    dyads = tally.dyads if isinstance(tally, PeopleTally) else None
    rates = Rates(counted, model, people, dyads)
    for key, s in statistics.items():
        value = rates.judged(s, level) if s.positive == counted.positive else _without(s, model)
        if value is not None:
            judged[key] = value
    return judged


def _without(s: Statistic, model: Model, why: str = _OTHER) -> tm.Value:
    """Return a value that has no interval."""
    of_decisions = s.metric._needs in ("counts", "matrix")
    sums = model._sums if s.metric._needs == "rows" else None
    read: Any = model.labels if of_decisions else sums or model.scores
    value = s.point(read)
    return value if value.reason else replace(value, method=why)


@dataclass(eq=False)
class Rates:
    """The error rates of a system whose people recur, by person and by pair if ``dyads`` are."""

    counted: CountedRows
    model: Model
    people: People
    dyads: Dyads | None

    def judged(self, s: Statistic, level: float) -> tm.Value | None:
        """Return a statistic with its interval, None if the core says why it has none."""
        if self.people.number is None:
            return _without(s, self.model, _WHO)
        rate, complement = _RATES.get(s.metric._preset_of or s.metric.name, ("", False))
        value = _without(s, self.model)
        if value.reason or (not rate and self.dyads is None):
            return value
        if not rate:
            return self._of_rows(s, value, level)
        if rate == "fnmr_at_fmr" and not self._shows({**s.metric.params, **s.params}):
            return None
        x = 1 - value.value if complement else value.value
        low, high, facts = self._bounds(s, rate, x, level)
        if complement:
            low, high = 1 - high, 1 - low
        if not low < high:
            return value
        low, high = min(low, value.value), max(high, value.value)
        return replace(value, low=low, high=high, level=level, **facts)

    def _shows(self, params: Mapping[str, Any]) -> bool:
        """Return whether there are enough non-mated comparisons for a target."""
        return bool(float(self._r.negatives) * params["fpr"] >= 1 - 1e-12)

    @property
    def _r(self) -> Any:
        return self.model.scores[0]._score_counts

    @cached_property
    def _curve(self) -> tuple[Floats, Floats]:
        """The false match and false non-match rate along the thresholds."""
        tp, fp = self._r._cumulative_counts
        return fp / fp[-1], 1 - tp / tp[-1]

    def _bounds(
        self, s: Statistic, rate: str, x: float, level: float
    ) -> tuple[float, float, dict[str, Any]]:
        """Return the bounds of an error rate, and what else stands beside them."""
        said = []
        if rate == "fnmr_at_fmr":
            errors = float(self._r._cumulative_counts[1][self._place(s, rate)])
            if errors < ENOUGH_ERRORS:
                plural = "" if errors == 1 else "es"
                said.append(f"{RESTS_ON} {count(errors)} false match{plural}")
            if self.dyads is None:
                said.append("it takes the threshold of this FMR as known")
        found = self._spread(s, rate) if self.dyads is not None and 0 < x < 1 else None
        if found is None or not found.variance > 0:
            return self._wilson(rate, x, level, said)
        return *found.bounds(x, level), _facts(found, f"{DYADIC}, logit scale", said)

    def _wilson(
        self, rate: str, x: float, level: float, said: list[str]
    ) -> tuple[float, float, dict[str, Any]]:
        """Return Wilson's bounds with the comparisons that can be independent.

        Used where no error, or no difference between people, was seen, and where people are known
        by their number alone.
        """
        of_mated = rate.startswith("fnmr")
        independent = self.people._independent(of_mated)
        assert independent is not None
        n = min(independent, float(self._r.positives if of_mated else self._r.negatives))
        low, high = wilson(x * n, n, quantile(level))
        method = f"Wilson, {count(n)} comparisons taken as independent"
        return float(low), float(high), {"method": method, "warning": "; ".join(said) or None}

    def _place(self, s: Statistic, rate: str) -> int:
        """Return the threshold at which an error rate is read, as an index."""
        place = s.operating_point(self._r)
        assert place is not None
        return min(place - (rate == "fnmr_at_fmr"), len(self._r.scores))

    def _spread(self, s: Statistic, rate: str) -> Spread:
        """Return the variance of an error rate."""
        dyads = self.dyads
        assert dyads is not None
        if rate in ("fmr", "fnmr"):
            cut = -math.inf if self.model.threshold is None else self.model.threshold
            return (fmr_spread if rate == "fmr" else fnmr_spread)(dyads, cut)
        k, (fmr, fnmr) = self._place(s, rate), self._curve
        cut = float(self._r.thresholds()[k])
        error = math.sqrt(fmr_spread(dyads, cut).variance) or 1 / float(self._r.negatives)
        falls = slope(fmr, fnmr, float(fmr[k]), error)
        return (eer_spread if rate == "eer" else fnmr_at_fmr_spread)(dyads, cut, falls)

    def _of_rows(self, s: Statistic, value: tm.Value, level: float) -> tm.Value:
        """Return another statistic with the interval that the influence of its rows gives."""
        joint = self.counted.joint
        if joint is None or s.metric._needs in ("counts", "matrix"):
            return value
        influences = of_rows(joint, self.model, s, stratified=True)
        if influences is None:
            return value
        found = spread(*by_people(joint.numbers[PEOPLE], influences))
        low, high = found.bounds(value.value, level, s.metric.range_of(**s.params))
        if not low < high:
            return value
        facts = _facts(found, DYADIC, [])
        return replace(value, low=low, high=high, level=level, **facts)


def _facts(found: Spread, method: str, said: list[str]) -> dict[str, Any]:
    """Return what stands beside the bounds: the method, warnings and the standard error."""
    freedom = found.degrees_of_freedom
    if freedom < FEW_FREEDOMS:
        few = f"it depends mostly on few people ({freedom:.1f} degrees of freedom)"
        said = [few, *said]
    error = math.sqrt(found.variance) or None
    return {"method": method, "warning": "; ".join(said) or None, "se": error}
