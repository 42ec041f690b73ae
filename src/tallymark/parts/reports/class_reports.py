"""Rebuild counts from a classification report with precision, recall and support per class."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np

from tallymark import InputError
from tallymark.core import Floats

_MOST_DIGITS = 12
"""Decimals from which a number counts as unrounded."""

_MOST_CANDIDATES = 4_000_000
"""Most counts that are tried to find those that give rounded numbers."""

_COLUMNS = {
    "precision": ("precision", "pre", "prec"),
    "recall": ("recall", "rec"),
    "f1": ("f1-score", "f1_score", "f1", "f-score"),
    "support": ("support", "sup"),
}
"""Names of the columns of a report in scikit-learn, imbalanced-learn and others."""

_OVERALL = (
    "accuracy",
    "micro avg",
    "macro avg",
    "weighted avg",
    "samples avg",
    "avg / total",
    "avg/total",
)
"""The lines of a report that are not of a class."""


@dataclass(frozen=True)
class ClassReport:
    """The numbers of a report as texts, a line a class, and the accuracy; "nan" if unsaid.

    ``beside`` are the square tables of numbers that stand beside it.
    """

    lines: Mapping[str, Mapping[str, str]]
    accuracy: str = "nan"
    beside: Sequence[Any] = ()


@dataclass(frozen=True)
class Rebuilt:
    """Counts [true class, predicted class] of a report.

    ``rounding`` says in words that other counts are possible, and ``mistakes`` that the cells off
    the diagonal are unknown. ``turned`` counts stood beside the report, a row a predicted class.
    """

    classes: Sequence[str]
    table: Floats
    kind: str
    rounding: str = ""
    mistakes: bool = False
    turned: bool = False


def column_of(name: object) -> str | None:
    """Return the kind of number in a column of a report, None for other columns."""
    plain = str(name).strip().casefold()
    return next((column for column, names in _COLUMNS.items() if plain in names), None)


def columns_of(names: Iterable[object]) -> list[str | None]:
    """Return the kind of number in each column of a report."""
    return [column_of(name) for name in names]


def is_head(names: Iterable[object]) -> bool:
    """Tell whether these are the names of a report's columns."""
    return {"precision", "recall", "support"} <= set(columns_of(names))


def printed_heads(lines: Sequence[str]) -> list[int]:
    """Return the lines of a text that are the heads of printed reports."""
    return [i for i, line in enumerate(lines) if "," not in line and is_head(line.split())]


def report_of(lines: Mapping[str, Mapping[str, Any]], name: str) -> ClassReport | None:
    """Parse lines of numbers as a classification report; return None where they are not one.

    Raises
    ------
    InputError
        A report of rows with several labels, or of some of the classes only.

    """
    named = {
        str(key).strip(): {c: str(v).strip() for k, v in line.items() if (c := column_of(k))}
        for key, line in lines.items()
    }
    overall = {key.casefold(): line for key, line in named.items() if key.casefold() in _OVERALL}
    classes = {key: line for key, line in named.items() if key.casefold() not in _OVERALL}
    if len(classes) < 2 or any(
        not {"precision", "recall", "support"} <= set(line) for line in classes.values()
    ):
        return None
    accuracy = overall.get("accuracy", {}).get("recall")
    several = "samples avg" in overall
    if accuracy is None and not several and (micro := overall.get("micro avg")) is not None:
        accuracy = micro.get("recall", "1")
        several = micro.get("precision") != accuracy or float(accuracy) == 1
    if several:
        raise InputError(
            f"{name} is a report of rows with several labels, of parts of texts, or of some of "
            "the classes only: its numbers do not add up to one confusion matrix; give the rows"
        )
    return ClassReport(classes, "nan" if accuracy is None else accuracy)


def rebuilt(report: ClassReport, name: str) -> Rebuilt:
    """Return the counts that give all numbers of a report; those that stand beside it, if any do.

    Of two classes they are unique where the numbers are not rounded. Of more, hits and margins
    are; the cells off the diagonal are the arrangement that is nearest to chance.

    Raises
    ------
    InputError
        Numbers that no counts give.

    """
    of = _Numbers.of(report, name)
    each = 2 * of.half * of.support + 1  # about how many hits give the recall of a class
    if (each.prod() if len(each) == 2 else each.sum()) > _MOST_CANDIDATES:
        raise _too_many(name)
    solution = of.two_classes() if len(of.support) == 2 else of.more_classes()
    if solution is None:
        raise InputError(
            f"no counts give the numbers of {name}: support, recall, precision and accuracy "
            "contradict each other, as in means over folds or where a line is missing; give the "
            "rows or the confusion matrix"
        )
    counts, rounding = solution
    for table in map(np.array, report.beside):
        for turned, rows in ((False, table), (True, table.T)):
            if len(table) == len(counts) and np.array_equal(rows.sum(1), counts.sum(1)):
                kind = "a confusion matrix beside a classification report"
                return Rebuilt(list(report.lines), rows, kind, turned=turned)
    mistakes = len(counts) > 2 and bool(counts.sum() > counts.trace())
    kind = "counts rebuilt from a classification report"
    return Rebuilt(list(report.lines), counts, kind, rounding, mistakes)


def _too_many(name: str) -> InputError:
    return InputError(
        f"the rounding of {name} leaves too many matrices possible to look at; give a report "
        "with more digits (scikit-learn: digits=12, or output_dict=True as JSON)"
    )


@dataclass(frozen=True)
class _Numbers:
    """The numbers of each class, and half a unit of their last decimal."""

    names: Sequence[str]
    support: Any
    precision: Floats
    recall: Floats
    f1: Floats
    accuracy: float
    half: float
    source: str

    @classmethod
    def of(cls, report: ClassReport, name: str) -> _Numbers:
        lines = list(report.lines.values())
        texts = [t for line in lines for column, t in line.items() if column != "support"]
        texts.append(report.accuracy)
        shares = np.array([_number(t, name) for t in texts])
        support = np.array([_number(line["support"], name) for line in lines])
        if (shares < 0).any() or (shares > 1).any():
            raise InputError(
                f"{name} holds precision, recall or accuracy beyond 0 and 1; give them as shares"
            )
        whole = (support >= 0) & (support < 2**53) & (support == np.trunc(support))
        if not whole.all() or not support.any():
            raise InputError(
                f"the support in {name} holds other than whole numbers; give the report of "
                "unweighted rows"
            )
        digits = max(map(_decimals, texts))
        half = 1e-9 if digits >= _MOST_DIGITS else 0.5 * 10.0**-digits + 1e-9
        precision, recall, f1 = (
            np.array([_number(line.get(column, "nan"), name) for line in lines])
            for column in ("precision", "recall", "f1")
        )
        names, accuracy = list(report.lines), _number(report.accuracy, name)
        return cls(names, support, precision, recall, f1, accuracy, half, name)

    @property
    def rows(self) -> float:
        return float(self.support.sum())

    def hits(self, k: int) -> Any:
        """Return all numbers of true positives of a class that give its recall."""
        n, r = float(self.support[k]), float(self.recall[k])
        if not n or math.isnan(r):
            return np.zeros(1)
        low, high = math.ceil(n * (r - self.half) - 1e-9), math.floor(n * (r + self.half) + 1e-9)
        return np.arange(max(low, 0), min(high, n) + 1, dtype=np.float64)

    def fits(self, k: int, hits: Any, predicted: Any) -> Any:
        """Tell which true positives and predictions of a class give its other numbers."""
        with np.errstate(all="ignore"):
            precision = hits / predicted
            f1 = 2 * hits / (self.support[k] + predicted)
        stated = self.precision[k]
        # A class that is never predicted has a precision of 0, or of 1 with zero_division=1.
        right = np.where(
            predicted == 0,
            stated in (0, 1) or math.isnan(stated),
            np.abs(precision - stated) <= self.half,
        )
        if not math.isnan(self.f1[k]):
            right &= (np.abs(f1 - self.f1[k]) <= self.half) | (hits == 0)
        return right

    def fits_accuracy(self, hits: Any) -> Any:
        """Tell which true positives of all classes give the accuracy, if the report has it."""
        return math.isnan(self.accuracy) | (abs(hits / self.rows - self.accuracy) <= self.half)

    def two_classes(self) -> tuple[Floats, str] | None:
        a, b = (g.ravel() for g in np.meshgrid(self.hits(0), self.hits(1), indexing="ij"))
        n, m = self.support
        right = self.fits(0, a, a + m - b) & self.fits(1, b, b + n - a) & self.fits_accuracy(a + b)
        a, b = a[right], b[right]
        if not len(a):
            return None
        printed = self.support * np.nan_to_num(self.recall)
        far = np.abs(a - printed[0]) + np.abs(b - printed[1])
        i = int(np.argmin(far))
        counts = np.array([[a[i], n - a[i]], [m - b[i], b[i]]])
        words = ""
        if len(a) > 1:
            share = (a + b) / (n + m)
            words = (
                f"its rounding makes {len(a):,} matrices possible (accuracy from {share.min():.4g} "
                f"to {share.max():.4g})"
            )
        return counts, words

    def more_classes(self) -> tuple[Floats, str] | None:
        low, high = self._ranges()
        if (low > high).any():
            return None
        open_ = np.flatnonzero((low < high).any(1))
        chosen = self._chosen(low, high) if len(open_) else low
        if chosen is None or chosen[:, 1].sum() != self.rows:
            return None
        hits, predicted = chosen.T
        if not len(open_):
            each = all(bool(self.fits(k, hits[k], predicted[k])) for k in range(len(hits)))
            if not each or not self.fits_accuracy(hits.sum()):
                return None
        counts = arranged(self.support - hits, predicted - hits)
        if counts is None:
            return None
        words = ""
        if len(open_):
            k = int(open_[np.argmax((high - low)[open_, 0])])
            words = (
                "its rounding makes several matrices possible: it leaves open the counts of "
                f"{len(open_)} of {len(low)} classes (such as {low[k, 0]:,.0f} to "
                f"{high[k, 0]:,.0f} hits of {self.names[k]!r})"
            )
        return counts + np.diag(hits), words

    def _ranges(self) -> tuple[Floats, Floats]:
        """Return lower and upper bounds of each class's true positives and predicted positives."""
        ends = []
        for k in range(len(self.support)):
            hits, stated, others = self.hits(k), self.precision[k], self.rows - self.support[k]
            if not len(hits):
                return np.ones((1, 2)), np.zeros((1, 2))
            low, high = float(hits[0]), float(hits[-1])
            least = max(math.ceil(low / min(stated + self.half, 1) - 1e-9), low) if low else 0.0
            most = high + others
            if low and stated > self.half:
                most = min(math.floor(high / (stated - self.half) + 1e-9), most)
            elif low == high == 0 and stated == 1:  # never predicted, with zero_division=1
                most = 0.0
            ends.append(((low, least), (high, most)))
        return np.array([e[0] for e in ends]), np.array([e[1] for e in ends])

    def _chosen(self, low: Floats, high: Floats) -> Floats | None:
        """Return consistent true positives and predictions nearest to the printed numbers."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        k, one = len(low), np.eye(len(low))
        n, s, half = self.rows, self.support, self.half
        recall, precision = np.nan_to_num(self.recall), np.nan_to_num(self.precision)
        # The unknowns are hits and predictions of each class, and how far either is off.
        middle = np.concatenate([s * recall, (low[:, 1] + high[:, 1]) / 2])
        off = np.concatenate([np.eye(2 * k), np.eye(2 * k)], 1)
        below = np.concatenate([np.eye(2 * k), -np.eye(2 * k)], 1)

        def of(hits: Floats, predicted: Floats) -> Floats:
            hits, predicted = np.atleast_2d(hits), np.atleast_2d(predicted)
            return np.concatenate([hits, predicted, np.zeros((len(hits), 2 * k))], 1)

        every, nothing, end = np.ones(k), np.zeros(k), 1e-9 * (1 + n)
        limits = [
            LinearConstraint(off, middle, np.inf),
            LinearConstraint(below, -np.inf, middle),
            LinearConstraint(of(nothing, every), n, n),
            LinearConstraint(of(-one, one), 0, n - s),
            # Mistakes of a class, either way, are no more than there are in all.
            LinearConstraint(of(np.ones((k, k)) - 2 * one, one), -np.inf, n - s),
            LinearConstraint(of(one, -np.diag(precision + half)), -np.inf, 1e-9),
            LinearConstraint(of(one, -np.diag(precision - half)), -1e-9, np.inf),
        ]
        f1 = np.where(np.isnan(self.f1), 0.5, self.f1)
        wide = np.where(np.isnan(self.f1) | (low[:, 0] == 0), 1.0, half)
        limits += [
            LinearConstraint(of(2 * one, -np.diag(f1 + wide)), -np.inf, (f1 + wide) * s + 1e-9),
            LinearConstraint(of(2 * one, -np.diag(f1 - wide)), (f1 - wide) * s - 1e-9, np.inf),
        ]
        if not math.isnan(self.accuracy):
            least, most = n * (self.accuracy - half) - end, n * (self.accuracy + half) + end
            limits.append(LinearConstraint(of(every, nothing), least, most))
        solution = milp(
            np.concatenate([np.zeros(2 * k), np.ones(2 * k)]),
            constraints=limits,
            integrality=np.concatenate([np.ones(2 * k), np.zeros(2 * k)]),
            bounds=Bounds(
                np.concatenate([low.T.ravel(), np.zeros(2 * k)]),
                np.concatenate([high.T.ravel(), np.full(2 * k, np.inf)]),
            ),
            options={"time_limit": 10.0, "mip_rel_gap": 0.05},
        )
        if solution.x is None:
            if solution.status == 1:
                raise _too_many(self.source)
            return None
        return np.asarray(np.round(solution.x[: 2 * k]).reshape(2, k).T)


def arranged(rows: Floats, columns: Floats) -> Floats | None:
    """Return whole counts off the diagonal with these sums, as even as possible, or None.

    >>> arranged(np.array([1.0, 2.0, 0.0]), np.array([2.0, 0.0, 1.0])).tolist()
    [[0.0, 0.0, 1.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    if not rows.any() and not columns.any():
        return np.zeros((len(rows), len(rows)))
    from scipy.optimize import linprog
    from scipy.sparse import eye_array, kron, vstack

    k = len(rows)
    even = 1.0 - np.eye(k)
    with np.errstate(all="ignore"):
        for _ in range(1000):  # proportional fitting
            even = even * np.nan_to_num(rows / even.sum(1), posinf=0)[:, None]
            even = even * np.nan_to_num(columns / even.sum(0), posinf=0)
    floor = np.floor(even + 1e-6)
    # The rest is whole at every corner of what is possible, and at most 1 a cell.
    ones = np.ones((1, k))
    sums = vstack([kron(eye_array(k), ones), kron(ones, eye_array(k))], format="csr")
    for most, start in ((1.0, floor), (np.inf, np.zeros((k, k)))):
        remaining = np.concatenate([rows - start.sum(1), columns - start.sum(0)])
        limits = [(0, 0 if i == j else most) for i in range(k) for j in range(k)]
        solution = linprog(-(even - start).ravel(), A_eq=sums, b_eq=remaining, bounds=limits)
        if solution.x is not None:
            return np.asarray(start + np.round(solution.x).reshape(k, k))
    return None


def _number(text: str, name: str) -> float:
    try:
        return float(Decimal(text))
    except InvalidOperation:
        raise InputError(
            f"{name} holds {text!r} where a number of a report should be; correct it"
        ) from None


def _decimals(text: str) -> int:
    exponent = Decimal(text).as_tuple().exponent
    return max(-exponent, 0) if isinstance(exponent, int) else 0
