"""What a plan is, and which questions about rows are none."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import numpy as np

from tallymark.errors import InputError, choices
from tallymark.infer import power as powers
from tallymark.metric.sources import cite

POWER = 0.8
ALPHA = 0.05
ALTERNATIVES = ("two-sided", "one-sided")
CLASSES = ("positives", "negatives")
HAIR = 1e-9
"""A share of rows is taken for whole within this: 0.15 of 300 rows are 45 of them."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How many rows to judge, and what they will tell; prints as one sentence.

    ``n`` are rows in all, ``positives`` and ``negatives`` how many of each class are taken among
    them (None where classes do not matter). ``power`` or ``half_width`` is what these rows reach,
    the other None. ``assumed`` holds every number taken for granted, ``source`` is a key of the
    bibliography.
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

    def __str__(self) -> str:
        rows = f"{self.n:,} row" + ("" if self.n == 1 else "s")
        if "assurance" in self.assumed:
            of, chance = self.assumed["of"], self.assumed["assurance"]
            rows += f" (with a chance of {chance:g} at least {getattr(self, of):,} of the {of})"
        elif self.positives is not None:
            rows += f" ({self.positives:,} positive, {self.negatives:,} negative)"
        reached = (
            f"a half width of {self.half_width:{'.4f' if self.half_width >= 0.001 else '.3g'}}"
            if self.half_width is not None
            else f"a power of {self.power:.4f}"
        )
        return f"{rows} give{'s' if self.n == 1 else ''} {reached} {self.claim}."

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "question": self.question,
            "n": self.n,
            "positives": self.positives,
            "negatives": self.negatives,
            "power": self.power,
            "half_width": self.half_width,
            "assumed": {
                k: v.to_dict() if isinstance(v, Pilot) else v for k, v in self.assumed.items()
            },
            "method": self.method,
            "source": cite(self.source),
            "sentence": str(self),
        }


@dataclass(frozen=True, slots=True)
class Pilot:
    """Variances and covariance of two areas measured on the same rows of a pilot, as by DeLong.

    ``first`` and ``second`` are the variances, ``positives`` and ``negatives`` the rows they were
    measured on.

    Raises
    ------
    InputError
        A variance that is not above 0, a covariance beyond both, a class without rows.

    """

    first: float
    second: float
    covariance: float
    positives: int
    negatives: int

    def __post_init__(self) -> None:
        for name in ("first", "second"):
            value = number_of(f"the pilot's {name} variance", getattr(self, name))
            if not 0 < value < math.inf:
                raise InputError(f"the pilot's {name} variance is {value!r}; it must be above 0")
        most = math.sqrt(self.first * self.second)
        if not abs(number_of("the pilot's covariance", self.covariance)) <= most * (1 + HAIR):
            raise InputError(
                f"the pilot's covariance is {self.covariance!r}, which variances of {self.first!r} "
                f"and {self.second!r} do not allow; it is at most {most:.6g}"
            )
        for name in CLASSES:
            whole(f"the pilot's {name}", getattr(self, name))
        if self.of_difference <= 0:
            raise InputError(
                "the pilot's difference of areas does not vary: its two models rank alike"
            )

    @property
    def of_difference(self) -> float:
        """Return the variance of the difference of both areas."""
        return self.first + self.second - 2 * self.covariance

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "variance_first": float(self.first),
            "variance_second": float(self.second),
            "covariance": float(self.covariance),
            "positives": int(self.positives),
            "negatives": int(self.negatives),
        }


def made(
    question: str,
    n: int,
    rows: tuple[Any, Any] | None = None,
    *,
    power: float | None = None,
    half_width: float | None = None,
    assumed: Mapping[str, Any],
    method: str,
    source: str,
    claim: str,
) -> Plan:
    """Return a plan of n rows, of which so many are positive and so many negative."""
    positives, negatives = (None, None) if rows is None else (int(rows[0]), int(rows[1]))
    plain = {k: float(v) if isinstance(v, Real) else v for k, v in assumed.items()}
    return Plan(
        question, int(n), positives, negatives, power, half_width, plain, method, source, claim
    )


def number_of(name: str, value: Any) -> float:
    """Return a real number, refusing texts, truth values and what else is none."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputError(f"{name} is {value!r}; give a number")
    return float(value)


def share_of(name: str, value: Any, *, closed: bool = False) -> float:
    """Return a number between 0 and 1; the ends themselves only where they make sense."""
    share = number_of(name, value)
    if not (0 <= share <= 1 if closed else 0 < share < 1):
        told = "between 0 and 1" + (", or be one of these" if closed else "")
        raise InputError(f"{name} is {value!r}; it must lie {told}")
    return share


def whole(name: str, value: Any) -> int:
    """Return a whole number of rows."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise InputError(f"{name} is {value!r}; give a whole number from 1 on")
    rows = int(value)
    if rows > powers.MOST_ROWS:
        raise InputError(f"{name} is {rows:,}; at most {powers.MOST_ROWS:,} rows are looked at")
    return rows


def is_two_sided(alternative: str) -> bool:
    """Tell which alternative is meant, refusing unknown words."""
    if alternative not in ALTERNATIVES:
        raise InputError(
            f"alternative is {alternative!r}; {choices(str(alternative), ALTERNATIVES)}"
        )
    return alternative == "two-sided"


def power_of_test(n: Any, power: Any, alpha: Any) -> float:
    """Return the power wanted of a test, refusing what is no question about one."""
    alpha = share_of("alpha", alpha)
    if n is not None:
        whole("n", n)
        if power is not None:
            raise InputError("n and power are both given; leave out the one that is asked for")
        return POWER
    wanted = share_of("power", POWER if power is None else power)
    if wanted <= alpha:
        raise InputError(f"power is {power!r}; it must be above alpha, which is {alpha:g}")
    return wanted


def power_asked(
    reference: Any, half_width: Any, n: Any, power: Any, level: Any, alpha: Any
) -> float | None:
    """Return the power wanted where the question is about a test, None if about an interval."""
    if reference is not None:
        for name, value in (("half_width", half_width), ("level", level)):
            if value is not None:
                raise InputError(
                    f"{name} is of an interval and reference of a test; plan one of them"
                )
        return power_of_test(n, power, ALPHA if alpha is None else alpha)
    for name, value in (("power", power), ("alpha", alpha)):
        if value is not None:
            raise InputError(f"{name} is of a test; give the reference it tests against")
    if (n is None) == (half_width is None):
        told = "n and half_width are both given; leave out the one that is asked for"
        raise InputError(told if n is not None else "give half_width, reference or n")
    if n is not None:
        whole("n", n)
    elif not 0 < number_of("half_width", half_width) < 0.5:
        raise InputError(f"half_width is {half_width!r}; it must lie between 0 and 0.5")
    if level is not None:
        share_of("level", level)
    return None


def reached(n: int | None, wanted: str, most: int = powers.MOST_ROWS) -> int:
    """Return n, refusing a target that is out of reach."""
    if n is None:
        raise InputError(f"{wanted} takes more rows than are looked at, {most:,}")
    return n


def split(n: Any, prevalence: float) -> tuple[Any, Any]:
    """Return how many of n rows are positive, and how many negative."""
    positives = np.floor(np.asarray(n) * prevalence + 0.5)
    return positives, n - positives


def rows_for(
    n: int | None,
    prevalence: float,
    values: Callable[[Any], Any],
    target: float | None,
    what: str,
) -> int:
    """Return n, refused where a class has no row; or the least n whose values reach a target."""
    if n is not None:
        for name, rows in zip(CLASSES, split(n, prevalence), strict=True):
            if rows < 1:
                raise InputError(
                    f"n is {n:,}, which at a prevalence of {prevalence:g} holds no {name}; "
                    "take more rows"
                )
        return n
    assert target is not None
    start = max(2, math.floor(0.5 / min(prevalence, 1 - prevalence)))
    while min(map(float, split(start, prevalence))) < 1:
        start += 1
    wanted = f"{what} of {target:g}"
    return reached(
        powers.least(values, -target if what == "a half width" else target, start), wanted
    )


def of_class(
    of: str | None, prevalence: Any, assurance: Any, assumed: dict[str, Any]
) -> tuple[Callable[[int], int], Callable[[int], int]]:
    """Return what turns rows of a class into rows of all, and the reverse."""
    if of is None:
        for name, value in (("prevalence", prevalence), ("assurance", assurance)):
            if value is not None:
                raise InputError(
                    f"{name} matters where rows of one class count; give of='positives' or "
                    "of='negatives'"
                )
        return int, int
    if of not in CLASSES:
        raise InputError(f"of is {of!r}; {choices(str(of), CLASSES)}")
    if prevalence is None:
        raise InputError(f"of={of!r} needs the prevalence, the share of positives among all rows")
    positive = share_of("prevalence", prevalence)
    share = positive if of == "positives" else 1 - positive
    assumed |= {"of": of, "prevalence": prevalence}
    if assurance is not None:
        assurance = share_of("assurance", assurance)
        assumed["assurance"] = assurance

    def rows(used: int) -> int:
        if assurance is None:
            return math.ceil(used / share - HAIR)
        from scipy.stats import nbinom

        # So many rows of the other class come before the last one that is needed.
        return used + int(nbinom.ppf(assurance, used, share))

    def count(n: int) -> int:
        if assurance is None:
            used = math.floor(n * share + HAIR)
        else:
            from scipy.stats import binom

            used = int(binom.isf(assurance, n, share))
            # The largest number that is reached with the chance: P(K > used) may be it exactly.
            used += bool(binom.sf(used, n, share) >= assurance)
        if used < 1:
            raise InputError(
                f"n is {n:,}, which at a prevalence of {prevalence:g} holds no {of}; take more rows"
            )
        return used

    return rows, count
