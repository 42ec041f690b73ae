"""Stated numbers: whether they fit together, and the counts that give them."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import partial
from numbers import Number
from typing import Any

import numpy as np

from tallymark import Counts, InputError
from tallymark.core import (
    TEXT,
    Display,
    Listing,
    Metric,
    checked,
    get,
    shown,
    whole,
)
from tallymark.parts.reconcile.solver import (
    Bounds,
    Constraint,
    Formula,
    Solutions,
    counts_of,
    number_of_matrices,
    solve,
)

COUNTS = ("tp", "fn", "fp", "tn")
MANY_ROWS = 2000
MOST_CHANGES = 2
"""Most changes of a reading; with more, any number could be explained."""

NAMESAKES: Sequence[tuple[str, str, Mapping[str, Any], str]] = (
    ("roc_auc", "roc_auc_optimistic", {}, "ties broken in favour"),
    ("roc_auc", "roc_auc_pessimistic", {}, "ties broken against"),
    ("roc_auc", "roc_hull_auc", {}, "of the convex hull"),
    ("roc_auc", "balanced_accuracy", {}, "of the decisions: the mean of both rates"),
    ("roc_auc", "gini_coefficient", {}, "the Gini coefficient, 2·AUC - 1"),
    ("average_precision", "pr_auc_trapezoid", {}, "area by trapezoids"),
    (
        "average_precision",
        "pr_auc_davis_goadrich",
        {},
        "area interpolated after Davis and Goadrich",
    ),
    ("log_loss", "log_loss", {"base": 2}, "with logarithms of base 2"),
    ("cohen_kappa", "cohen_kappa", {"weights": "linear"}, "with linear weights"),
    ("cohen_kappa", "cohen_kappa", {"weights": "quadratic"}, "with quadratic weights"),
    ("cohen_kappa", "scott_pi", {}, "Scott's pi"),
    ("scott_pi", "cohen_kappa", {}, "Cohen's kappa"),
    ("discriminant_power", "discriminant_power", {"base": 10}, "with logarithms of base 10"),
    ("geometric_mean", "fowlkes_mallows", {}, "that of precision and recall"),
    ("fowlkes_mallows", "geometric_mean", {}, "that of both recalls"),
    ("accuracy", "balanced_accuracy", {}, "balanced accuracy"),
    ("balanced_accuracy", "accuracy", {}, "plain accuracy"),
    (
        "adjusted_geometric_mean",
        "adjusted_geometric_mean",
        {"counts": True},
        "weighted by the number of negatives",
    ),
    ("f1", "f2", {}, "F2"),
    ("f1", "f0_5", {}, "F0.5"),
    ("jaccard", "f1", {}, "F1"),
    ("specificity", "negative_predictive_value", {}, "negative predictive value"),
    ("negative_predictive_value", "specificity", {}, "specificity"),
    ("sensitivity", "precision", {}, "precision"),
    ("precision", "sensitivity", {}, "recall"),
    (
        "expected_calibration_error",
        "expected_calibration_error",
        {"strategy": "mass"},
        "bins of equal mass",
    ),
    ("expected_calibration_error", "expected_calibration_error", {"bins": 15}, "15 bins"),
    (
        "expected_calibration_error",
        "root_mean_squared_calibration_error",
        {},
        "root of mean squares",
    ),
    ("expected_calibration_error", "max_calibration_error", {}, "the largest gap"),
)
"""Other metrics or definitions that go by the name of a metric, in words."""


def namesakes(metric: Metric) -> Iterator[tuple[Metric, Mapping[str, Any], str]]:
    """Yield what else a metric's name may mean: the metric, its parameters, and words."""
    for of, name, params, words in NAMESAKES:
        if of == metric.name:
            yield get(name), params, words


FOLDS = "means over folds, or numbers of other rows than these, need not fit a single matrix"


@dataclass(frozen=True, slots=True, repr=False)
class Claim(Display):
    """A stated number: the metric, the text as printed, and the bounds of its rounding."""

    metric: Metric
    text: str
    _bounds: Bounds

    @property
    def name(self) -> str:
        """The metric's name."""
        return self.metric.name

    @property
    def _middle(self) -> float:
        """The number as printed."""
        return float((self._bounds.low + self._bounds.high) / 2)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        bounds = {"low": float(self._bounds.low), "high": float(self._bounds.high)}
        return {"metric": self.name, "text": self.text, **bounds}


@dataclass(frozen=True, slots=True, repr=False)
class Reading(Display):
    """One way to read the claims, and the matrices that fit, with the reading's positive class.

    ``changes`` say in words how it differs from the plain reading; the plain one has none.
    """

    changes: tuple[str, ...]
    solutions: Solutions


@dataclass(frozen=True, slots=True, repr=False)
class Nearest(Display):
    """The value nearest to a claim among the matrices that give all other claims."""

    claim: str
    value: float
    matrix: tuple[int, int, int, int]


@dataclass(frozen=True, repr=False)
class Reconciliation(Display):
    """The matrices that stated numbers can come from.

    ``readings`` are those that fit with the fewest changes, or the plain one alone if it fits.
    ``conflict`` names the smallest group of claims that contradict each other in the plain
    reading, and ``nearest`` what could have been printed instead. ``_searched`` is the number of
    possible matrices, ``complete`` whether all of them were taken into account.
    """

    _claims: tuple[Claim, ...]
    rows: int
    positives: int | None
    readings: tuple[Reading, ...]
    conflict: tuple[str, ...]
    nearest: tuple[Nearest, ...]
    _searched: int
    complete: bool
    _known: Mapping[str, int] = field(default_factory=dict)
    """Counts that were stated themselves."""

    @property
    def solutions(self) -> tuple[tuple[int, int, int, int], ...]:
        """The matrices found, (TP, FN, FP, TN), of all readings; at most 20 of each."""
        return tuple(m for r in self.readings for m in r.solutions.matrices)

    @property
    def plain(self) -> bool:
        """Whether the claims hold as they stand."""
        return bool(self.readings) and not self.readings[0].changes

    def table(self) -> Listing:
        """Return a row a matrix that gives the claims, and how these are then to be read."""
        return Listing(
            tuple(
                {"reading": "; ".join(r.changes)} | _named(m)
                for r in self.readings
                for m in r.solutions.matrices
            )
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "rows": self.rows,
            "positives": self.positives,
            "known": dict(self._known),
            "claims": [
                {
                    "metric": c.name,
                    "stated": c.text,
                    "low": float(c._bounds.low),
                    "high": float(c._bounds.high),
                }
                for c in self._claims
            ],
            "readings": [
                {
                    "changes": list(r.changes),
                    "count": r.solutions.count,
                    "matrices": [_named(m) for m in r.solutions.matrices],
                    "ranges": _named(map(list, r.solutions.ranges)),
                }
                for r in self.readings
            ],
            "conflict": list(self.conflict),
            "nearest": [
                {"metric": n.claim, "value": n.value, "matrix": _named(n.matrix)}
                for n in self.nearest
            ],
            "searched": self._searched,
            "complete": self.complete,
        }


def _named(counts: Iterable[Any]) -> dict[str, Any]:
    return dict(zip(COUNTS, counts, strict=False))


@checked(n=whole(1), positives=whole(0), negatives=whole(0))
def reconcile(
    claims: Mapping[str, str | float],
    *,
    n: int | None = None,
    positives: int | None = None,
    negatives: int | None = None,
    rounding: str = "half",
) -> Reconciliation:
    """Find every matrix of whole counts that gives the stated numbers at their stated rounding.

    First the claims are read as they stand. If nothing fits, the other class is tried as the
    positive one, rows and columns exchanged, other averages and other metrics of the same name, the
    fewest changes first.

    Parameters
    ----------
    claims : mapping of metric to number
        Names or aliases of metrics of the decisions, and numbers as they were printed: a text keeps
        its digits ("0.9930", "99.3%"), a float is taken at the digits of its ``repr``. The counts
        themselves may be claimed: ``{"tp": 70}``.
    n, positives, negatives : int, optional
        What is known of the rows; two of three, or ``n`` alone.
    rounding : {"half", "truncate", "either"}
        How the numbers were rounded: to nearest, both ends counting, cut off, or one of these.

    Raises
    ------
    InputError
        No number of rows, a metric that needs more than decisions, a claim that is not a number.

    Examples
    --------
    >>> result = reconcile({"accuracy": "0.9933", "recall": "1", "specificity": "0.98",
    ...                    "precision": "0.9901"}, n=150, positives=50)
    >>> result.plain, result.readings[0].changes
    (False, ('the other class is the positive one',))
    >>> result.solutions
    ((100, 0, 1, 49),)

    """
    stated, counts = _claims(claims, rounding)
    rows = _Rows(*_numbers_of_rows(n, positives, negatives, counts), counts)
    if not stated and not counts:
        raise InputError("there is nothing to reconcile; state a number, such as accuracy=0.93")
    plain = rows.solve(stated)
    complete = plain.complete
    readings = [Reading((), plain)] if plain.count else []
    conflict: tuple[Claim, ...] = ()
    nearest: list[Nearest | None] = []
    if not plain.count and plain.complete:
        # Where the positives are unknown, each reading of very many rows takes long.
        most = MOST_CHANGES if rows.positives is not None or rows.n <= MANY_ROWS else 1
        for depth in range(1, most + 1):
            for changes in _readings(stated, rows, depth):
                solutions = rows.solve(stated, changes)
                complete &= solutions.complete
                if solutions.count:
                    readings.append(Reading(tuple(words for words, *_ in changes), solutions))
            if readings:
                break
        conflict = _conflict(stated, rows)
        nearest = [_closest(c, [o for o in conflict if o is not c], rows) for c in conflict]
    return Reconciliation(
        stated,
        rows.n,
        rows.positives,
        tuple(readings),
        tuple(c.name for c in conflict),
        tuple(filter(None, nearest)),
        rows.matrices,
        complete,
        counts,
    )


@dataclass(frozen=True, slots=True)
class _Rows:
    """The number of rows, of positives if known, and stated counts."""

    n: int
    positives: int | None
    known: Mapping[str, int]

    def solve(self, claims: Sequence[Claim], changes: Sequence[_Change] = ()) -> Solutions:
        """Return the matrices that give all claims, read with some changes."""
        sides = [words for words, *_ in changes]
        formulas = {name: formula for _, name, formula in changes if formula is not None}
        positives = self.positives
        if _SWAP in sides and positives is not None:
            positives = self.n - positives
        constraints = []
        for c in claims:
            formula = formulas.get(c.name, _formula(c.metric))
            if _TRANSPOSE in sides:
                formula = _exchanged(formula)
            constraints.append(Constraint.of(formula, c._bounds, self.n, positives))
        return solve(constraints, self.n, positives, self.known)

    @property
    def matrices(self) -> int:
        """How many matrices of these rows there are."""
        return number_of_matrices(self.n, self.positives, self.known)


# -- what was stated ---------------------------------------------------------------------------


def parse(text: str | float, rounding: str = "half") -> Bounds:
    """Return the bounds of a number that was rounded as printed.

    >>> b = parse("99.3%")
    >>> float(b.low), float(b.high)
    (0.9925, 0.9935)
    """
    is_number = isinstance(text, str | Number)
    printed = (
        repr(float(text)) if isinstance(text, float) else str(text).strip() if is_number else ""
    )
    try:
        number = Decimal(printed.removesuffix("%").strip())
    except InvalidOperation:
        number = Decimal("nan")
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or abs(number) > 1e300:  # NaN, infinity, and beyond floats
        raise InputError(
            f"{shown(text)} is not a number; give one as it was printed, such as 0.993 or 99.3%"
        )
    x, unit = Fraction(number), Fraction(10) ** exponent
    if printed.endswith("%"):
        x, unit = x / 100, unit / 100
    if rounding == "half":
        return Bounds(x - unit / 2, x + unit / 2)
    if rounding == "truncate":
        return Bounds(x, x + unit, high_open=True) if x >= 0 else Bounds(x - unit, x)
    return Bounds(x - (unit / 2 if x >= 0 else unit), x + unit, high_open=True)


def _claims(claims: Mapping[str, Any], rounding: str) -> tuple[tuple[Claim, ...], dict[str, int]]:
    claims_by_name: dict[str, Claim] = {}
    counts: dict[str, int] = {}
    for name, text in claims.items():
        short = TEXT.of("a claim's metric", name).strip().lower()
        if short in COUNTS:
            counts[short] = _whole(short, text)
            continue
        metric = get(name)
        if metric._needs not in ("counts", "matrix"):
            raise InputError(
                f"{metric.name} needs scores and cannot be computed from counts; leave it out"
            )
        if metric.name in claims_by_name:
            raise InputError(f"{metric.name} is stated twice; state it once")
        claims_by_name[metric.name] = Claim(metric, str(text), parse(text, rounding))
    return tuple(claims_by_name.values()), counts


def _whole(name: str, number: Any) -> int:
    try:
        value = Decimal(str(number).strip().replace(",", ""))
    except InvalidOperation:
        value = Decimal("nan")
    if not value.is_finite() or value != value.to_integral_value() or value < 0:
        raise InputError(f"{name} is {number!r}; it must be a whole number from 0 up")
    return int(value)


def _numbers_of_rows(
    n: int | None, positives: int | None, negatives: int | None, counts: Mapping[str, int]
) -> tuple[int, int | None]:
    if positives is None and {"tp", "fn"} <= set(counts):
        positives = counts["tp"] + counts["fn"]
    if negatives is None and {"fp", "tn"} <= set(counts):
        negatives = counts["fp"] + counts["tn"]
    if n is None:
        if positives is None or negatives is None:
            raise InputError(
                "the number of rows is missing; give n=..., or positives=... and negatives=..."
            )
        n = positives + negatives
    if positives is None and negatives is not None:
        positives = n - negatives
    if positives is not None and not 0 <= positives <= n:
        raise InputError(f"{positives} positives of {n} rows are impossible; check both numbers")
    if positives is not None and negatives is not None and positives + negatives != n:
        raise InputError(
            f"{positives} positives and {negatives} negatives are {positives + negatives} rows, "
            f"and n is {n}; check them"
        )
    if n == 0:
        raise InputError("n is 0; give at least one row")
    return n, positives


# -- readings ----------------------------------------------------------------------------------

_Change = tuple[str, str, Formula | None]
"""Words, the name of a claim, and its other formula; None if the change concerns all claims."""

_SWAP = "the other class is the positive one"
_TRANSPOSE = "rows and columns are exchanged: the true classes are the predicted ones"


def _formula(metric: Metric, params: Mapping[str, Any] | None = None) -> Formula:
    compute: Callable[..., Any] = partial(metric.compute, **(params or {}))
    return compute if metric._needs == "counts" else lambda c: compute(c.matrix())


def _alternatives(claim: Claim) -> list[tuple[str, Formula]]:
    """Return other meanings of a claim, without those that always give the same number."""
    of = _formula(claim.metric)
    formulas: dict[str, Formula] = {}
    if claim.metric._needs == "counts":  # others are one number of both classes
        formulas = {
            "of the other class": lambda c: of(c._swap()),
            "the macro average of both classes": lambda c: (of(c) + of(c._swap())) / 2,
            "the average of both classes weighted by their rows": lambda c: (
                (of(c) * c.positives + of(c._swap()) * c.negatives) / (c.positives + c.negatives)
            ),
            "the micro average of both classes": lambda c: of(
                Counts(c.tp + c.tn, c.fp + c.fn, c.fn + c.fp, c.tn + c.tp)
            ),
        }
    for metric, params, words in namesakes(claim.metric):
        if metric._needs in ("counts", "matrix"):
            formulas[words] = _formula(metric, params)
    values_seen = [_probe(of)]
    alternatives = []
    for words, formula in formulas.items():
        values = _probe(formula)
        if not any(np.allclose(values, other, equal_nan=True) for other in values_seen):
            values_seen.append(values)
            alternatives.append((f"{claim.name} is {words}", formula))
    return alternatives


def _probe(formula: Formula) -> Any:
    x = np.array([[9, 7, 4, 30], [20, 3, 1, 31], [5, 5, 11, 40], [17, 11, 2, 23]])
    with np.errstate(all="ignore"):
        return np.asarray(formula(counts_of(x)), dtype=np.float64)


def _readings(stated: Sequence[Claim], rows: _Rows, depth: int) -> Iterator[tuple[_Change, ...]]:
    """Yield readings with ``depth`` changes, at most one for each claim."""
    sides = [] if rows.known else [_SWAP, _TRANSPOSE]
    if rows.positives is None:
        sides = sides[1:]
    changes: list[_Change] = [(side, "", None) for side in sides]
    changes += [(words, c.name, formula) for c in stated for words, formula in _alternatives(c)]
    for some in itertools.combinations(changes, depth):
        names = [name for _, name, _ in some if name]
        if len(set(names)) == len(names):
            yield some


def _exchanged(formula: Formula) -> Formula:
    return lambda c: formula(Counts(tp=c.tp, fp=c.fn, fn=c.fp, tn=c.tn))


# -- why nothing fits --------------------------------------------------------------------------


def _conflict(stated: Sequence[Claim], rows: _Rows) -> tuple[Claim, ...]:
    """Return the smallest group of claims that no matrix gives."""
    for size in range(1, len(stated) + 1):
        for group in itertools.combinations(stated, size):
            solutions = rows.solve(group)
            if not solutions.count and solutions.complete:
                return group
    return ()


def _closest(claim: Claim, rest: Sequence[Claim], rows: _Rows) -> Nearest | None:
    """Return the value nearest to a claim: widen its bounds until some matrix fits."""
    low, high = claim._bounds.low, claim._bounds.high
    step = (high - low) or Fraction(1, 1000)

    def widened(by: Fraction) -> Solutions:
        return rows.solve((*rest, replace(claim, _bounds=Bounds(low - by, high + by))))

    least, most, solutions = Fraction(0), step, widened(step)
    limit = 10**6 * max(Fraction(1), abs(high))
    while solutions.complete and not solutions.count and most < limit:
        least, most = most, 2 * most
        solutions = widened(most)
    if not solutions.complete or not solutions.count:
        return None
    while solutions.count > 1 and most - least > step / 2**20:  # no nearer one is to be missed
        middle = (least + most) / 2
        tried = widened(middle)
        if tried.count:
            most, solutions = middle, tried
        else:
            least = middle
    x = np.array([[tp + fn, tp, fp, rows.n] for tp, fn, fp, _ in solutions.matrices])
    values = np.asarray(_formula(claim.metric)(counts_of(x)), dtype=np.float64)
    i = int(np.argmin(np.abs(values - claim._middle)))
    return Nearest(claim.name, float(values[i]), solutions.matrices[i])


def split_claim(text: str) -> tuple[str, str]:
    """Return the name and the number of a claim such as ``accuracy=0.93``.

    >>> split_claim("accuracy = 99.3%")
    ('accuracy', '99.3%')
    """
    parts = re.fullmatch(r"\s*([^=]+?)\s*=\s*(.+?)\s*", text)
    if not parts:
        raise InputError(
            f"{text!r} is not a claim; write it as metric=number, such as accuracy=0.93"
        )
    return parts[1], parts[2]


def short(x: float, text: str) -> str:
    """Return a value with one digit more than a claim was printed with."""
    digits = 1 + (len(text.rstrip("%").split(".")[1]) if "." in text else 0)
    if text.rstrip().endswith("%"):
        return f"{100 * x:.{digits}f}%"
    return f"{x:.{digits}f}" if math.isfinite(x) else str(x)


def sentences(result: Reconciliation) -> Iterator[str]:
    """Yield the result in sentences; matrices are indented, and items of a list marked."""
    of = f"{result.rows:,} rows"
    if result.positives is not None:
        of += f", {result.positives:,} of them positive,"
    if result._known:
        counts = ", ".join(f"{k.upper()} {v:,}" for k, v in result._known.items())
        of = f"{of.rstrip(',')} with {counts}"
    texts = {c.name: c.text for c in result._claims}
    stated = ", ".join(f"{name} {text}" for name, text in texts.items()) or "the counts"
    if result.plain:
        (solutions,) = (reading.solutions for reading in result.readings)
        one = solutions.count == 1
        each = "Exactly one matrix" if one else f"Each of {solutions.count:,} matrices"
        yield f"{each} of {of} gives {stated}."
        yield from _matrices(solutions)
        return
    if not result.complete and not result.readings:
        yield (
            f"Undecided: there are too many matrices of {of.rstrip(',')} to check each. State "
            "more numbers, or the number of positives."
        )
        return
    ruled_out = f"all {result._searched:,} matrices are ruled out"
    if result._searched <= 1:
        none = "the counts contradict each other"
        ruled_out = "the only possible one does not" if result._searched else none
    yield f"No matrix of {of} gives {stated}: {ruled_out}."
    if not result._searched:
        return
    if result.conflict and result._searched > 1:
        alone = f"{result.conflict[0]} {texts[result.conflict[0]]} alone is impossible here."
        several = f"{' and '.join(result.conflict)} alone contradict each other."
        yield alone if len(result.conflict) == 1 else several
    for n in result.nearest:
        rest = " with the others as stated" if len(result.conflict) > 1 else ""
        stated = texts[n.claim]
        counts = ", ".join(f"{name.upper()} {v:,}" for name, v in _named(n.matrix).items())
        yield f"- {n.claim} can be {short(n.value, stated)}{rest}, not {stated}: {counts}"
    if not result.readings:
        yield f"No other reading fits either. Note that {FOLDS}."
    for reading in result.readings:
        count = reading.solutions.count
        fits = "exactly one matrix fits" if count == 1 else f"{count:,} matrices fit"
        yield ""
        yield f"If {' and '.join(reading.changes)}: {fits}."
        yield from _matrices(reading.solutions)


def _matrices(solutions: Solutions) -> Iterator[str]:
    for matrix in solutions.matrices[:5]:
        yield "  " + "  ".join(f"{name.upper()} {v:,}" for name, v in _named(matrix).items())
    if solutions.count > 5:
        ranges = ", ".join(
            f"{name.upper()} {a:,}" + (f" to {b:,}" if b != a else "")
            for name, (a, b) in _named(solutions.ranges).items()
        )
        yield f"  ... in all: {ranges}"
