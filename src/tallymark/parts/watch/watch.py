"""A gate that may be run every day."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import date as calendar_date
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from tallymark import Evaluation, InputError
from tallymark.core import (
    PATH,
    TEXT,
    Display,
    Rule,
    checked,
    contract,
    margin,
    plain_data,
    ready,
    requirement,
    whole,
)
from tallymark.parts.watch.daily_counts import kind_of
from tallymark.parts.watch.e_values import restarted
from tallymark.parts.watch.results import Look, WatchedDay
from tallymark.parts.watch.state import State, state_at

MOST_LOOKS = 3660
"""Ten years of days: the longest horizon."""


def _day(value: Any) -> str:
    """Return a day as YYYY-MM-DD."""
    if isinstance(value, datetime):
        value = value.date()
    if isinstance(value, str):
        value = calendar_date.fromisoformat(value)
    if not isinstance(value, calendar_date):
        raise TypeError
    # The missing date of pandas is a datetime too, and its text is no day.
    return calendar_date.fromisoformat(value.isoformat()).isoformat()


DAY = contract.Kind("a day such as '2026-11-26'", _day)


@checked(
    rule=TEXT,
    state=PATH,
    baseline=TEXT,
    horizon=whole(1, MOST_LOOKS),
    date=DAY,
    ev=contract.EVALUATION,
)
class Watch(Display):
    """Judge a model every day against a limit, with an error rate that holds for all looks.

    A test of 5 % that is repeated daily for a year gives a false alarm in nearly every year. Here
    the evidence against the limit is a bet that starts anew every day: M_t = Σ_{j ≤ t} w E_{j..t} +
    1 - t w with w = 1/horizon, where E_{j..t} is the e-value of the rows of days j to t. While the
    model keeps its limit, M_t ever reaches 1/(1 - level) with a probability of at most 1 - level;
    where it drops, the days since then give the alarm, however long all was well before.

    Parameters
    ----------
    rule : str
        METRIC >= NUMBER or METRIC <= NUMBER, as for :func:`check`, of a share of rows (accuracy,
        sensitivity, specificity, precision), a bounded mean over rows (brier) or the ROC area. With
        a ``baseline``, the share and by how much it may trail: ``"accuracy 0.01"``.
    state : path
        A JSON file with the counts of each day; created by the first day. Keep it: without it the
        watch starts again.
    baseline : str, optional
        The model on the same rows to compare with, such as the one before.
    level : float
        One minus the error rate of the alarm, and of the interval, over the whole watch.
    horizon : int
        Looks that are planned: 365 for a year of days. It is the length over which the error rate
        holds.

    Raises
    ------
    InputError
        A number that no method serves, or the state of another rule, limit, level or horizon.

    Notes
    -----
    Shares: beta-binomial e-values with a prior near the limit; paired shares: the same against ½
    among the rows on which one model alone is right, or bets on (D + 1)/2 with a margin; means:
    bets that are fixed before the day; the ROC area: asymptotic, from 20 rows of the rarer class
    on. Rows must be independent, and each in one day only. Sources: shin2024, waudby2024,
    waudbysmith2024; docs/gate.md has more.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import tallymark as tm
    >>> state = Path(tempfile.mkdtemp()) / "gate.json"
    >>> for day, right in enumerate([87, 86, 88, 70, 68], 1):
    ...     ev = tm.evaluate([1] * 100, [1] * right + [0] * (100 - right), classes=[0, 1])
    ...     look = tm.Watch("recall >= 0.85", state).add(ev, date=f"2026-10-{day:02}")
    >>> look.alarm, look.since
    (True, '2026-10-04')

    """

    def __init__(
        self,
        rule: str,
        state: str | PathLike[str] = "gate.json",
        *,
        baseline: str | None = None,
        level: float = 0.95,
        horizon: int = 365,
    ) -> None:
        rule, level = TEXT.of("rule", rule), contract.read("level", level)
        horizon = whole(1, MOST_LOOKS).of("horizon", horizon)
        path = ready(PATH.of("state", state))
        parsed = _rule(rule, baseline)
        kind = kind_of(parsed, 1 - level, baseline)
        self._state = state_at(path, State(Path(path), parsed, kind, level, horizon))

    @property
    def rule(self) -> str:
        """The rule, as it was written."""
        return self._state.rule.text

    @property
    def horizon(self) -> int:
        """The looks over which the error rate holds."""
        return self._state.horizon

    @property
    def look(self) -> Look | None:
        """What was found on the last day that the state has; None before the first."""
        if not self._state.days:
            return None
        return _look(self._state, _evidence(self._state))

    def to_dict(self) -> dict[str, Any]:
        """Return the rule, the horizon and the last look as plain data for JSON."""
        return {"rule": self.rule, "horizon": self.horizon, "look": plain_data(self.look)}

    def add(self, ev: Evaluation, *, date: Any = None) -> Look:
        """Count the rows of a day, write the state, and return what is found.

        Parameters
        ----------
        ev : Evaluation
            The rows of that day alone: of one model, or of two with a baseline.
        date : str or datetime.date, optional
            The day, ``"2026-11-26"``; today by default. One look a day, in their order.

        Raises
        ------
        InputError
            A day that was added before, or is before the last; rows that were counted before, as
            far as their scores show it; weighted or clustered rows; a look after the horizon.

        """
        on = _day(calendar_date.today()) if date is None else date
        _refuse(ev, self._state)
        model = next(name for name in ev.names if name != self._state.kind.baseline)
        state = self._state.added(ev, on, model)
        if state.kind.stored:
            now = restarted(state.kind.evidence(state.days), state.horizon)
            state = replace(state, days=(*state.days[:-1], {**state.days[-1], "log_evidence": now}))
        look = _look(state, _evidence(state))
        state.write()
        self._state = state
        return look


def _rule(text: str, baseline: str | None) -> Rule:
    """Return the parsed rule: of a margin with a baseline, else of a limit."""
    if baseline is None:
        return requirement(text)
    rule = margin(text)
    if not rule.metric:
        raise rule.refusal("name the share to compare, such as 'accuracy 0.01'")
    return rule


def _refuse(ev: Evaluation, state: State) -> None:
    """Raise InputError for rows whose evidence no method here can judge."""
    ev._one_column  # noqa: B018  # refuses several labels
    if ev.weighted:
        raise InputError("a watch counts rows, and these have weights; leave them out")
    if ev.clusters is not None:
        raise InputError(
            "a watch is for independent rows, and these are in clusters; take one row of each"
        )
    if ev.stratified:
        raise InputError("a watch is of the rows as they are; leave the prevalence out")
    if state.kind.baseline is None and len(ev.names) > 1:
        names = ", ".join(map(repr, ev.names))
        raise InputError(
            f"a watch is of one model, and here are {names}; choose one with "
            f".model({ev.names[0]!r}), or compare two with baseline={ev.names[0]!r}"
        )


def _evidence(state: State) -> Sequence[float]:
    """Return ln M of each look."""
    kind, days, horizon = state.kind, state.days, state.horizon
    if kind.stored:
        return [day["log_evidence"] for day in days]
    looks = range(1, len(days) + 1)
    return [restarted(kind.evidence(days[:t]), horizon) for t in looks]


def _look(state: State, evidence: Sequence[float]) -> Look:
    """Return what the days of a state show."""
    kind, days, rule = state.kind, state.days, state.rule
    found = kind.progress(days, state.wealth)
    at = -math.log(kind.alpha)
    alarms = [t for t, log_m in enumerate(evidence) if log_m >= at]
    since = None
    if alarms:
        starts = kind.evidence(days[: alarms[-1] + 1])
        since = days[len(starts) - 1 - int(np.argmax(starts[::-1]))]["date"]  # the last of equals
    watched = tuple(
        WatchedDay(
            date=day["date"],
            rows=round(kind.rows(day)),
            value=float(found.of_day[t]),
            so_far=float(found.so_far[t]),
            low=float(found.low[t]),
            high=float(found.high[t]),
            evidence=_exp(evidence[t]),
        )
        for t, day in enumerate(days)
    )
    return Look(
        rule=rule.text,
        metric=rule.metric,
        subject=rule.subject,
        model=state.model,
        baseline=kind.baseline,
        side=rule.side,
        limit=rule.limit,
        level=state.level,
        horizon=state.horizon,
        alarm_at=1 / kind.alpha,
        alarm=bool(alarms),
        alarmed=days[alarms[0]]["date"] if alarms else None,
        since=since,
        method=kind.method,
        days=watched,
    )


def _exp(log_m: float) -> float:
    """Return evidence from its log; infinity beyond the numbers of floats."""
    return math.exp(log_m) if log_m < 700 else math.inf
