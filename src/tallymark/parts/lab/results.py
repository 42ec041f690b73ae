"""The results of the lab: which metrics react to which failure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tallymark.core import (
    TEXT,
    ByMetric,
    Display,
    Document,
    Listing,
    Named,
    checked,
    fields_of,
    plain_data,
)
from tallymark.parts.lab import words
from tallymark.parts.lab.failures import FAILURES, check_failure

SURE = 0.8
"""The power from which a failure counts as noticed."""

Effect = Literal["worse", "better", "higher", "lower", "noisier", "none", "undefined"]


@dataclass(frozen=True, slots=True, repr=False)
class Reaction(Display):
    """The effect of a failure on a metric.

    ``value`` is the metric on the rows themselves. ``expected`` is its mean over samples with the
    failure, ``change`` that minus the mean over samples without it. ``power`` is the share of
    samples with the failure whose value lies outside ``limits``, the central values of samples
    without it, and ``error`` its Monte Carlo standard error, that of the limits included. An
    undefined value is not outside; ``undefined`` is the share of such samples.

    ``effect`` is "worse" or "better", or "higher" or "lower" of a metric without a better
    direction; "none" where the power is below twice the rate of samples without the failure;
    "noisier" where it is not, but the mean does not move by four Monte Carlo errors; "undefined"
    where more than half of the samples have no value.
    """

    failure: str
    metric: str
    value: float
    expected: float
    change: float
    power: float
    error: float
    limits: tuple[float, float]
    undefined: float
    effect: Effect

    @property
    def noticed(self) -> bool:
        """Whether the power is at least 80 %."""
        return self.power >= SURE


@checked(failure=TEXT)
@dataclass(frozen=True, slots=True, repr=False)
class Lab(Named, Document):
    """What :meth:`tallymark.Evaluation.lab` found: which metrics react to which failure.

    ``lab["skew"]["accuracy"]`` is one :class:`Reaction`, and iterating yields the failures.
    ``failures`` holds the strength of each;
    ``n`` the rows of a sample. ``rate_without_failure`` is, by metric, the share of samples without
    a failure that lie outside the limits: 1 - ``level``, apart from chance and ties. ``left_out``
    says why failures and metrics do not apply, and ``notes`` are about the rows.
    """

    source: str
    model: str
    rows: int
    n: int
    draws: int
    level: float
    seed: int
    failures: Mapping[str, float]
    reactions: tuple[Reaction, ...]
    rate_without_failure: Mapping[str, float]
    left_out: Mapping[str, str]
    notes: tuple[str, ...] = ()

    def __getitem__(self, failure: str) -> dict[str, Reaction]:
        check_failure(failure, self.failures)
        return ByMetric({r.metric: r for r in self.reactions if r.failure == failure})

    def _keys(self) -> list[str]:
        return list(self.failures)

    def sentence(self, failure: str) -> str:
        """Return which metrics notice a failure, which do not and which look better."""
        reactions = self[failure].values()
        what = FAILURES[failure].told(self.failures[failure])
        return words.reactions(failure, what, reactions)

    def table(self) -> Listing:
        """Return a row a failure and metric: values, change, power and effect."""
        rows = []
        for r in self.reactions:
            low, high = r.limits
            rows.append(
                {
                    "model": self.model,
                    "failure": r.failure,
                    "strength": self.failures[r.failure],
                    "metric": r.metric,
                    "value": r.value,
                    "expected": r.expected,
                    "change": r.change,
                    "power": r.power,
                    "error": r.error,
                    "low": low,
                    "high": high,
                    "undefined": r.undefined,
                    "effect": r.effect,
                }
            )
        return Listing(tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, as ``lab.schema.json`` describes."""
        return {
            **self._heading("lab"),
            **fields_of(self, "reactions"),
            "sentences": {name: self.sentence(name) for name in self.failures},
            "reactions": plain_data(self.reactions),
        }
