"""Our number beside theirs, from both sides.

Where both are defined they are equal. Where ours is not, it is NaN with a reason, and theirs is
NaN or the number that this system is known to put in its place. Where theirs is NaN, so is ours,
unless the table says why not.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from peers.cases import Case

NAN = math.nan
INF = math.inf


def never(case: Case) -> bool:
    return False


def always(case: Case) -> bool:
    return True


@dataclass(frozen=True, eq=False)
class Same:
    """A line of a peer's table: this metric of ours is that call of theirs.

    ``blank`` is what they may answer where ours is NaN, beside NaN itself; ``infinite`` what they
    may answer where ours is infinite, beside infinity. ``mute`` tells where they answer NaN and
    ours has a value. ``only`` tells on which cases the two are one definition.
    """

    ours: str
    theirs: Callable[[Case], Any]
    average: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    blank: tuple[float, ...] = ()
    infinite: tuple[float, ...] = ()
    mute: Callable[[Case], bool] = never
    only: Callable[[Case], bool] = always
    distinct: int = 12  # so many different values at least: numbers that hardly vary prove nothing
    rel: float = 1e-9
    abs: float = 1e-11

    def __str__(self) -> str:
        given = [f"{k}={v}" for k, v in self.options.items() if not callable(v)]
        return "-".join([self.ours, *([self.average] if self.average else []), *given])


def lines(table: Iterable[Same]) -> list[Any]:
    """Return the lines of a table as parameters of a test."""
    return [pytest.param(line, id=str(line)) for line in table]


def close(a: float, b: float, line: Same) -> bool:
    if math.isinf(a) or math.isinf(b):
        return a == b
    return abs(a - b) <= max(line.abs, line.rel * max(abs(a), abs(b)))


def fault(line: Same, case: Case, ours: float, theirs: float, used: set[str]) -> str | None:
    """Say what is wrong with one pair of numbers, if anything is; note what was made use of."""
    if math.isnan(ours):
        if math.isnan(theirs):
            return None
        for b in line.blank:
            if close(theirs, b, line):
                used.add(f"blank {b}")
                return None
        return f"ours is undefined, theirs {theirs!r}"
    if math.isinf(ours):
        for b in line.infinite:
            if theirs == b or (math.isnan(theirs) and math.isnan(b)):
                used.add(f"infinite {b}")
                return None
    if math.isnan(theirs):
        if line.mute(case):
            used.add("mute")
            return None
        return f"theirs is undefined, ours {ours!r}"
    return None if close(ours, theirs, line) else f"ours {ours!r}, theirs {theirs!r}"


def excuses(line: Same) -> set[str]:
    """Return what the line allows: each must have happened, or it is to be struck out."""
    return {
        *(f"blank {b}" for b in line.blank),
        *(f"infinite {b}" for b in line.infinite),
        *(["mute"] if line.mute is not never else []),
    }


def hold(line: Same, cases: Iterable[Case], least: int = 25) -> tuple[int, int]:
    """Hold every case to one line of a table; return how many were defined, and how many not."""
    wrong, values, undefined = [], [], 0
    used: set[str] = set()
    for case in filter(line.only, cases):
        ours = case.ours(line.ours, line.average, line.options)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            theirs = line.theirs(case)
        ours, theirs = np.atleast_1d(ours), np.atleast_1d(np.asarray(theirs, float))
        assert ours.shape == theirs.shape, (case.name, ours, theirs)
        if np.isnan(ours).any():
            undefined += 1
            assert "undefined" in case.reason(line.ours, line.average, line.options)
        for a, b in zip(ours.tolist(), theirs.tolist(), strict=True):
            if told := fault(line, case, a, b, used):
                wrong.append(f"{case.name}: {told}")
            elif not math.isnan(a) and not math.isnan(b):
                values.append(a)
    assert not wrong, f"{len(wrong)} of {len(wrong) + len(values)} differ:\n" + "\n".join(wrong[:6])
    assert len(values) >= least, f"only {len(values)} numbers were compared"
    assert len(set(values)) >= line.distinct, "the numbers compared are nearly all alike"
    assert used == excuses(line), f"never happened: {excuses(line) - used}"
    return len(values), undefined
