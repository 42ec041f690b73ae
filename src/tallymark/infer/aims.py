"""What a plan aims at and what it says: the shared half of :mod:`tallymark.infer.plan`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

import numpy as np

from tallymark.contract import (
    CORRELATION,
    RATE,
    Kind,
    made_by,
    number,
    one_of,
    pair_of,
    whole,
)
from tallymark.display import Display, fields_of
from tallymark.errors import InputError
from tallymark.infer import power as powers
from tallymark.listing import Listing
from tallymark.metric.sources import cite
from tallymark.quantities import many

POWER = 0.8
ALPHA = 0.05
LEVEL = 0.95
ALTERNATIVES = ("two-sided", "one-sided")
CLASSES = ("positives", "negatives")
HAIR = 1e-9
"""Rounding tolerance for shares of rows: 0.15 of 300 rows counts as exactly 45."""

_TOOTH = 0.01
"""A power that exceeds its target by more is that of whole counts, and falls below it nearby."""

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
    "design_effect": number("[0.01, 10_000]", "a number from 0.01 to 10,000"),
    "icc": CORRELATION,
    "cluster_size": number("[1, 1_000_000]", "a number from 1 to 1,000,000"),
}
"""Valid values of the arguments; shares differ from 0 and 1 by more than rounding error."""


@dataclass(frozen=True, slots=True, repr=False)
class Plan(Display):
    """A sample size and what it achieves; prints as one sentence.

    ``n`` is the total number of rows, ``positives`` and ``negatives`` the rows of each class among
    them (None if classes do not matter). ``power`` or ``half_width`` is what these rows achieve;
    the other is None. ``assumed`` has every assumption, ``source`` is a key of the bibliography.
    ``criteria`` of a validation has the width and the n of each measure, and both are None.
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
    criteria: Mapping[str, Mapping[str, float]] | None = None

    def table(self) -> Listing:
        """Return one row: the number of rows, what they achieve, and the assumptions.

        A validation has one row per measure.
        """
        facts = {n: getattr(self, n) for n in ("question", "n", "positives", "negatives", "power")}
        facts["half_width"] = self.half_width
        rest = {**self.assumed, "method": self.method}
        if self.criteria is None:
            return Listing(({**facts, **rest},))
        of_each = (
            {"measure": name, "width": one["width"], "needed": one["n"]}
            for name, one in self.criteria.items()
        )
        return Listing(tuple({**facts, **each, **rest} for each in of_each))

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        without = ["claim"] if self.criteria else ["claim", "criteria"]
        return {**fields_of(self, *without), "source": cite(self.source), "sentence": str(self)}


@dataclass(frozen=True)
class Clusters:
    """How many independent rows clustered rows are worth: n / design effect (Kish 1965)."""

    design_effect: float = 1.0
    assumed: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, design_effect: Any, icc: Any, cluster_size: Any) -> Clusters:
        """Return the clusters of a design effect, or of an ICC: 1 + (m - 1) ICC for m rows each.

        >>> Clusters.of(None, 0.05, 10).design_effect
        1.45
        """
        given = {"design_effect": design_effect, "icc": icc, "cluster_size": cluster_size}
        given = {name: value for name, value in given.items() if value is not None}
        if "design_effect" in given and len(given) > 1:
            other = next(name for name in given if name != "design_effect")
            raise InputError(
                f"design_effect=... and {other}=... are both given; leave one of them out"
            )
        if len(given) == 1 and "design_effect" not in given:
            (one,) = given
            other = "cluster_size" if one == "icc" else "icc"
            raise InputError(f"{one}=... needs {other}=...; give both, or design_effect=...")
        if not given:
            return cls()
        effect = design_effect if design_effect is not None else 1 + (cluster_size - 1) * icc
        if not 0.01 <= effect <= 10_000:
            raise InputError(
                f"icc is {icc:g}, which with clusters of {cluster_size:g} rows is a design effect "
                f"of {effect:g}; it must be from 0.01 to 10,000"
            )
        return cls(float(effect), {**given, "design_effect": float(effect)})

    def rows(self, independent: int) -> int:
        """Return the clustered rows that are worth so many independent ones."""
        return math.ceil(independent * self.design_effect - HAIR)

    def independent(self, n: int) -> int:
        """Return the effective sample size of n clustered rows; InputError if it is below 1."""
        worth = math.floor(n / self.design_effect + HAIR)
        if not worth:
            raise InputError(
                f"n is {n:,}, which at a design effect of {self.design_effect:g} is worth less "
                "than one independent row; take more rows"
            )
        return worth

    def claim(self, independent: int) -> str:
        """Return the end of a sentence about clustered rows, empty for independent rows."""
        if not self.assumed:
            return ""
        how = f"a design effect of {self.design_effect:g}"
        if "icc" in self.assumed:
            size, icc = self.assumed["cluster_size"], self.assumed["icc"]
            how += f" (clusters of {size:g} rows, ICC {icc:g})"
        return f"; with {how} they are worth {many(independent, 'independent row')}"


@dataclass(frozen=True)
class Aim:
    """The target: find the rows for it, or if ``n`` is given, what these rows achieve.

    ``target`` is the power of a test, or minus the half width of an interval; ``level`` is None
    for a test. ``n`` is a number of independent rows; ``given`` are the rows that it stands for.
    """

    n: int | None
    target: float
    level: float | None = None
    alpha: float = ALPHA
    alternative: str = "two-sided"
    clusters: Clusters = field(default_factory=Clusters)
    given: int | None = None

    def clustered(self, *design: Any) -> Aim:
        """Return the same target for rows in clusters, from the arguments of :class:`Clusters`."""
        clusters = Clusters.of(*design)
        n = None if self.n is None else clusters.independent(self.n)
        return replace(self, n=n, given=self.n, clusters=clusters)

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
        criteria: Mapping[str, Mapping[str, float]] | None = None,
    ) -> Plan:
        """Return the plan of n independent rows, with its positive and negative rows."""
        total = self.clusters.rows(n) if self.given is None else self.given
        positives = None if rows is None else math.floor(int(rows[0]) * total / n + 0.5)
        negatives = None if positives is None else total - positives
        of_test = self.level is None
        of_aim = {"alpha": self.alpha, "alternative": self.alternative}
        facts = {
            **assumed,
            **(of_aim if of_test else {"level": self.level}),
            **self.clusters.assumed,
        }
        plain = {k: float(v) if isinstance(v, Real) else v for k, v in facts.items()}
        power = float(reached) if of_test else None
        half_width = None if of_test or reached is None else -float(reached)
        claim += self.clusters.claim(n)
        if power is not None and self.given is None and power > self.target + _TOOTH:
            claim += f"; no larger number of rows has less than {self.target:g}"
        rows_of = (total, positives, negatives)
        return Plan(question, *rows_of, power, half_width, plain, method, source, claim, criteria)

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
