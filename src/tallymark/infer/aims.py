"""What a plan aims at and what it says: the shared half of :mod:`tallymark.infer.plan`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from tallymark.contract import CORRELATION, RATE, Kind, made_by, number, one_of, pair_of, whole
from tallymark.display import Display, fields_of
from tallymark.errors import InputError
from tallymark.infer import power as powers
from tallymark.listing import Listing
from tallymark.metric.sources import cite

POWER = 0.8
ALPHA = 0.05
LEVEL = 0.95
ALTERNATIVES = ("two-sided", "one-sided")
CLASSES = ("positives", "negatives")
HAIR = 1e-9
"""Rounding tolerance for shares of rows: 0.15 of 300 rows counts as exactly 45."""

Values = Callable[[Any], Any]
"""Map numbers of rows to the power of a test, or to the negated half width of an interval."""


ROWS = whole(1, powers.MOST_ROWS)

OF_PLANS: Mapping[str, Kind] = {
    **dict.fromkeys(
        (
            "alpha",
            "assurance",
            "expected",
            "first",
            "level",
            "margin",
            "power",
            "prevalence",
            "reference",
            "second",
        ),
        number(f"[{HAIR}, {1 - HAIR}]", "a number between 0 and 1"),
    ),
    **dict.fromkeys(("only_first", "only_second"), RATE),
    "half_width": number("(0, 0.5)", "a number between 0 and 0.5"),
    "n": ROWS,
    "correlation": CORRELATION,
    "score_correlation": CORRELATION | pair_of(CORRELATION),
    "pilot": made_by("tallymark.plan.Pilot(...)", "Pilot"),
    "variance": one_of(*powers.VARIANCES),
    "alternative": one_of(*ALTERNATIVES),
}
"""Valid values of the arguments; shares must not be within rounding error of 0 or 1."""


@dataclass(frozen=True, slots=True, repr=False)
class Plan(Display):
    """A sample size and what it achieves; prints as one sentence.

    ``n`` is the total number of rows, ``positives`` and ``negatives`` the rows of each class among
    them (None if classes do not matter). ``power`` or ``half_width`` is what these rows achieve;
    the other is None. ``assumed`` has every assumption, ``source`` is a key of the bibliography.
    """

    question: str
    n: int
    positives: int | None
    negatives: int | None
    power: float | None
    half_width: float | None
    assumed: Mapping[str, Any]
    method: str
    source: str
    claim: str = field(repr=False)

    def table(self) -> Listing:
        """Return one row: the number of rows, what they achieve, and the assumptions."""
        facts = {n: getattr(self, n) for n in ("question", "n", "positives", "negatives", "power")}
        return Listing(
            ({**facts, "half_width": self.half_width, **self.assumed, "method": self.method},)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {**fields_of(self, "claim"), "source": cite(self.source), "sentence": str(self)}


@dataclass(frozen=True)
class Aim:
    """The target: find the rows for it, or if ``n`` is given, what these rows achieve.

    ``target`` is the power of a test, or minus the half width of an interval; ``level`` is None
    for a test.
    """

    n: int | None
    target: float
    level: float | None = None
    alpha: float = ALPHA
    alternative: str = "two-sided"

    @classmethod
    def of_test(cls, n: Any, power: Any, alpha: Any, alternative: str) -> Aim:
        """Return the target of a test; raise InputError for conflicting arguments."""
        alpha = ALPHA if alpha is None else alpha
        if n is not None and power is not None:
            raise InputError("n and power are both given; leave out the one to compute")
        target = POWER if power is None else power
        if n is None and target <= alpha:
            raise InputError(f"power is {power!r}; it must be above alpha, which is {alpha:g}")
        return cls(n, target, None, alpha, alternative)

    @classmethod
    def of_either(
        cls,
        n: Any,
        half_width: Any,
        reference: Any,
        power: Any,
        level: Any,
        alpha: Any,
        alternative: str,
    ) -> Aim:
        """Return the target of a test if there is a reference, else of an interval."""
        other = {"power": power, "alpha": alpha}
        why = "is for a test; give the reference to test against"
        if reference is not None:
            other = {"half_width": half_width, "level": level}
            why = "is for an interval and reference for a test; plan one of them"
        for name, value in other.items():
            if value is not None:
                raise InputError(f"{name} {why}")
        if reference is not None:
            return cls.of_test(n, power, alpha, alternative)
        if n is None and half_width is None:
            raise InputError("give half_width=..., reference=... or n=...")
        if n is not None and half_width is not None:
            raise InputError("n and half_width are both given; leave out the one to compute")
        return cls(n, -(half_width or 0.0), LEVEL if level is None else level)

    @property
    def two_sided(self) -> bool:
        """Whether the test is two-sided."""
        return self.alternative == "two-sided"

    def reached(self, n: int | None, most: int = powers.MOST_ROWS) -> int:
        """Return n; raise InputError if the target is out of reach."""
        if n is None:
            what = "a power" if self.level is None else "a half width"
            raise InputError(
                f"{what} of {abs(self.target):g} needs more rows than the limit of {most:,}"
            )
        return n

    def least(self, values: Values, start: int = 1) -> int:
        """Return the least n that reaches the target."""
        return self.reached(powers.least(values, self.target, start))

    def plan(
        self,
        question: str,
        n: int,
        rows: tuple[Any, Any] | None,
        reached: Any,
        assumed: Mapping[str, Any],
        method: str,
        source: str,
        claim: str,
    ) -> Plan:
        """Return the plan of n rows, with its positive and negative rows."""
        positives, negatives = (None, None) if rows is None else (int(rows[0]), int(rows[1]))
        of_test = self.level is None
        of_aim = {"alpha": self.alpha, "alternative": self.alternative}
        facts = {**assumed, **(of_aim if of_test else {"level": self.level})}
        plain = {k: float(v) if isinstance(v, Real) else v for k, v in facts.items()}
        power, half_width = (float(reached), None) if of_test else (None, -float(reached))
        return Plan(
            question, int(n), positives, negatives, power, half_width, plain, method, source, claim
        )

    def plan_of_both(
        self,
        question: str,
        prevalence: float,
        values: Values,
        assumed: Mapping[str, Any],
        method: str,
        source: str,
        claim: str,
    ) -> Plan:
        """Return the plan of rows of both classes; raise InputError if a class has no rows."""
        n = self.n
        if n is None:
            start = max(2, math.floor(0.5 / min(prevalence, 1 - prevalence)))
            while min(map(float, split(start, prevalence))) < 1:
                start += 1
            n = self.least(values, start)
        rows = split(n, prevalence)
        for name, some in zip(CLASSES, rows, strict=True):
            if some < 1:
                raise no_rows(n, prevalence, name)
        return self.plan(question, n, rows, values(n), assumed, method, source, claim)


def no_rows(n: int, prevalence: float, of: str) -> InputError:
    """Return the error for n rows that hold none of a class."""
    return InputError(
        f"n is {n:,}, which at a prevalence of {prevalence:g} holds no {of}; take more rows"
    )


def split(n: Any, prevalence: float) -> tuple[Any, Any]:
    """Return the numbers of positive and of negative rows among n."""
    positives = np.floor(np.asarray(n) * prevalence + 0.5)
    return positives, n - positives
