"""What a watch found at a look."""

from __future__ import annotations

import math
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from tallymark.core import (
    PATH,
    Document,
    Listing,
    Side,
    checked,
    fields_of,
    plain_data,
    write_text,
)
from tallymark.parts.watch.page import render

ALARM, UNJUDGED = 1, 3
"""Exit codes, as those of a gate; 0 is that of a look without an alarm."""


@dataclass(frozen=True, slots=True)
class WatchedDay:
    """One look: the number of that day, of all rows so far with its interval, and the evidence.

    ``evidence`` is that of all days up to this one, by which an alarm is given.
    """

    date: str
    rows: int
    value: float
    so_far: float
    low: float
    high: float
    evidence: float


@checked
@dataclass(frozen=True, slots=True, repr=False)
class Look(Document):
    """What :meth:`tallymark.Watch.add` found on the last day.

    ``value`` is the number of all rows so far, ``low`` and ``high`` bound it at all looks together
    at ``level``: over the whole watch they miss the truth at any look in at most 1 - level of
    cases. ``alarm`` says whether the ``evidence`` against the limit has reached ``alarm_at`` = 1/(1
    - level) on this day or on an earlier one, ``alarmed``; a model that keeps its limit gives an
    alarm in at most 1 - level of watches. ``since`` is the day on which the drop most likely began:
    the start with most evidence, on the last day on which there is an alarm; without an alarm None.
    With a ``baseline``, the number is the model's minus that of the baseline.
    """

    rule: str
    metric: str
    subject: str
    model: str
    baseline: str | None
    side: Side
    limit: float
    level: float
    horizon: int
    alarm_at: float
    alarm: bool
    alarmed: str | None
    since: str | None
    method: str
    days: tuple[WatchedDay, ...]

    @property
    def last(self) -> WatchedDay:
        """The day that was added last."""
        return self.days[-1]

    @property
    def date(self) -> str:
        """The day that was added last, as YYYY-MM-DD."""
        return self.last.date

    @property
    def value(self) -> float:
        """The number of all rows so far; NaN if no row counts for it."""
        return self.last.so_far

    @property
    def interval(self) -> tuple[float, float]:
        """The bounds of the number, valid at every look."""
        return self.last.low, self.last.high

    @property
    def evidence(self) -> float:
        """The evidence against the limit: an alarm is given where it reaches ``alarm_at``."""
        return self.last.evidence

    @property
    def exit_code(self) -> int:
        """0 without an alarm, 1 with one, 3 if no row so far counts for the number."""
        if self.alarm:
            return ALARM
        return UNJUDGED if math.isnan(self.value) else 0

    @checked(path=PATH)
    def report(self, path: str | PathLike[str] = "watch.html") -> Path:
        """Write one self-contained HTML file: the sentence, the chart and the last days."""
        return write_text(path, render(self))

    def table(self) -> Listing:
        """Return a row a day: its number, that of all rows so far with its interval, evidence."""
        return Listing(tuple(fields_of(day) for day in self.days))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, with its format and version."""
        return {
            **self._heading("watch"),
            "exit_code": self.exit_code,
            **fields_of(self, "days"),
            **{key: plain_data(getattr(self, key)) for key in ("date", "value", "evidence")},
            "low": plain_data(self.last.low),
            "high": plain_data(self.last.high),
            "days": plain_data(self.days),
        }
