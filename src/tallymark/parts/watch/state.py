"""The state of a watch: a JSON file with the counts of every day, and never a bound."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark import Evaluation, InputError
from tallymark.core import Rule, write_text
from tallymark.parts.watch.daily_counts import Kind

FORMAT, SCHEMA = "tallymark/watch-state", 0

SKETCH = 16
"""Fingerprints of rows that are kept of a day."""

MOSTLY = 0.9
"""Share of rows with a score of their own from which equal scores show equal rows."""


@dataclass(frozen=True)
class State:
    """The rule and the days of a watch, as the file has them."""

    path: Path
    rule: Rule
    kind: Kind
    level: float
    horizon: int
    model: str = ""
    positive: str | None = None
    days: tuple[Mapping[str, Any], ...] = ()
    wealth: Mapping[str, Any] | None = None

    def added(self, ev: Evaluation, on: str, model: str) -> State:
        """Return the state with another day; refuse one that it must not get."""
        self._refuse_date(on)
        day, positive = self.kind.count(ev)
        if self.days and positive != self.positive:
            raise InputError(
                f"the positive class is {positive!r}, and in {str(self.path)!r} it is "
                f"{self.positive!r}; give positive={self.positive!r}, or start a new state"
            )
        sketch = sketch_of(ev)
        self._refuse_overlap(sketch, on)
        kind = self.kind
        if not self.days:
            kind = replace(kind, prior=kind.prior_for(day))
        wealth = kind.wealth(self.days, day, self.wealth)
        more = {"date": on, **day, **({"rows_seen": sketch} if sketch else {})}
        return replace(
            self, kind=kind, model=model, positive=positive, wealth=wealth, days=(*self.days, more)
        )

    def _refuse_date(self, on: str) -> None:
        """Raise InputError for a day that was added, comes before the last, or is one too many."""
        name = str(self.path)
        if len(self.days) >= self.horizon:
            raise InputError(
                f"{name!r} has all of its {self.horizon:,} looks, and its error rate holds for no "
                "more; start a new state, in another file"
            )
        if any(day["date"] == on for day in self.days):
            raise InputError(
                f"{on} is in {name!r} already, and rows counted twice are no new evidence; add "
                "the rows of another day"
            )
        if self.days and on < self.days[-1]["date"]:
            raise InputError(
                f"{on} is before {self.days[-1]['date']}, the last day in {name!r}; add days in "
                "their order"
            )

    def _refuse_overlap(self, sketch: Sequence[str], on: str) -> None:
        """Raise InputError if most rows of a day were counted on days before."""
        seen = {row: day["date"] for day in self.days for row in day.get("rows_seen", ())}
        again = [seen[row] for row in sketch if row in seen]
        if 2 * len(again) >= len(sketch) > 0:
            raise InputError(
                f"most rows of {on} have the scores and classes of rows that were counted before, "
                f"such as on {again[0]}; give the rows of that day alone"
            )

    def write(self) -> None:
        """Write the state as a whole or not at all."""
        rule = self.rule
        data = {
            "format": FORMAT,
            "schema": SCHEMA,
            **_of_rule(rule, self.kind),
            "limit": rule.limit,
            "level": self.level,
            "horizon": self.horizon,
            "kind": self.kind.name,
            "prior": self.kind.prior,
            "model": self.model,
            "positive": self.positive,
            **({"wealth": self.wealth} if self.wealth is not None else {}),
        }
        lines = [f"{_json(key)}: {_json(value)}" for key, value in data.items()]
        days = ",\n".join(f"  {_json(day)}" for day in self.days)
        text = ",\n".join([*lines, f'"days": [\n{days}\n]'])
        write_text(self.path, f"{{\n{text}\n}}\n")


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


def _of_rule(rule: Rule, kind: Kind) -> dict[str, Any]:
    """Return what identifies the number that is watched, but for its limit."""
    return {
        "metric": rule.metric,
        "definition": dict(rule.definition),
        "at": dict(rule.at),
        "side": rule.side,
        "baseline": kind.baseline,
        "compares": rule.margin is not None,
    }


def state_at(path: str | PathLike[str], fresh: State) -> State:
    """Return the state in a file, checked against a new one; the new one if there is no file."""
    path = Path(path)
    if not path.exists():
        return fresh
    name = str(path)
    try:
        data = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"the state {name!r} cannot be read: {error.strerror}") from None
    except ValueError:
        raise InputError(f"{name!r} is not the state of a watch; name another file") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError(f"{name!r} is not the state of a watch; name another file")
    if data.get("schema") != SCHEMA:
        raise InputError(
            f"{name!r} has schema {data.get('schema')!r}, and this release reads schema {SCHEMA}; "
            "use the release that wrote it, or start a new state"
        )
    _refuse_another(data, fresh, name)
    try:
        return _read(data, fresh)
    except (InputError, KeyError, TypeError, ValueError, AttributeError):
        raise InputError(
            f"the counts in {name!r} are damaged; restore the file from a copy, or start a new "
            "state"
        ) from None


def _refuse_another(data: Mapping[str, Any], fresh: State, name: str) -> None:
    """Raise InputError if the file is of another rule, or of other limits and levels."""
    of = _of_rule(fresh.rule, fresh.kind)
    if any(data.get(key) != value for key, value in of.items()):
        watched = f"{data.get('metric')} {data.get('side')} {data.get('limit')}"
        raise InputError(
            f"{name!r} watches another number ({watched}) than {fresh.rule.text!r}; give each rule "
            "a state of its own"
        )
    for key, value in (
        ("limit", fresh.rule.limit),
        ("level", fresh.level),
        ("horizon", fresh.horizon),
    ):
        if data.get(key) != value:
            raise InputError(
                f"{name!r} was started with the {key} {data.get(key)}, and now it is {value:g}; "
                "its error rate holds for what was fixed before the first look: keep it, or start "
                "a new state"
            )


def _read(data: Mapping[str, Any], fresh: State) -> State:
    """Return the state in plain data; raise an error of any kind if its counts are impossible."""
    prior, days = float(data["prior"]), tuple(data["days"])
    kind = replace(fresh.kind, prior=prior)
    dates = [date.fromisoformat(day["date"]).isoformat() for day in days]
    right = (
        data["kind"] == kind.name
        and math.isfinite(prior)
        and prior >= 0
        and isinstance(data["model"], str)
        and isinstance(data["positive"], str | None)
        and sorted(set(dates)) == dates
        and 0 < len(days) <= fresh.horizon
        and all(kind.is_valid(day) and _is_seen(day.get("rows_seen", [])) for day in days)
        and (not kind.stored or all(math.isfinite(day["log_evidence"]) for day in days))
    )
    if not right:
        raise ValueError
    state = replace(
        fresh,
        kind=kind,
        model=data["model"],
        positive=data["positive"],
        days=days,
        wealth=data.get("wealth"),
    )
    kind.progress(days[-1:], state.wealth)  # reads what was saved beside the days
    return state


def _is_seen(rows: Any) -> bool:
    return isinstance(rows, list) and all(isinstance(row, str) for row in rows)


# -- rows that were seen before ------------------------------------------------------------------


def sketch_of(ev: Evaluation) -> list[str]:
    """Return fingerprints of some rows, by which the same rows are recognised; maybe none.

    They are the smallest hashes of the scores with their classes, the same rows in any file that
    holds them: the share of them that another day has estimates the share of its rows. Scores that
    several rows share, as those of a tree, show nothing.
    """
    scores = ev.models[0].scores
    if len(scores) != 1 or scores[0].bins is not None:
        return []
    r = scores[0]._score_counts
    if len(r.scores) < max(2 * SKETCH, MOSTLY * float(r.total)):
        return []
    hashes = np.concatenate([_hashes(r.scores[n > 0], k) for k, n in enumerate((r.neg, r.pos))])
    return [f"{value:016x}" for value in np.sort(hashes)[:SKETCH].tolist()]


def _hashes(scores: NDArray[Any], of_class: int) -> NDArray[np.uint64]:
    """Return the hash of each score with its class: SplitMix64 of its bits."""
    bits = np.ascontiguousarray(scores, "<f8").view("<u8").astype(np.uint64)
    with np.errstate(over="ignore"):
        z = bits + np.uint64((of_class + 1) * 0x9E3779B97F4A7C15 % (1 << 64))
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(z ^ (z >> np.uint64(31)))
