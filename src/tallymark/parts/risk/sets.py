"""Prediction sets: how often they hold the true class, and how large they are."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tallymark import InputError, Value
from tallymark.core import (
    ANY,
    TEXT,
    TEXTS,
    Coded,
    Document,
    Floats,
    Label,
    Listing,
    Tally,
    adds,
    axis,
    checked,
    code_labels,
    contract,
    fields_of,
    is_table,
    join_labels,
    keep_complete,
    listed,
    made_by,
    matched_beta,
    matrix_to_numpy,
    must_have,
    open_table,
    quantile,
    read_whole,
    released,
    shown,
    tabulate,
    trusted,
    typed,
    whole,
    wilson,
)
from tallymark.parts.risk.answers import column_of

TOO_LOW = 0.01
"""A coverage is too low to be chance where a lower one is less probable than this."""

_ALPHA = contract.number("[1e-9, 1)", "a share of errors between 0 and 1, such as 0.1")


@checked(sets=ANY, p_values=ANY, alpha=_ALPHA)
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SetTally(Tally):
    """Counts ``[true class, size of the set, whether it holds the true class]`` of prediction sets.

    Sizes go from 0 to the number of classes. Tallies of the same classes are added without loss.

    >>> t = SetTally.from_arrays(["a", "b", "b"], [["a"], ["a", "b"], []])
    >>> t.labels, t.counts[..., 1].tolist()  # those that hold the true class
    (('a', 'b'), [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    """

    _kind: ClassVar[str] = "set-tally"
    labels: tuple[Label, ...] = field(metadata=axis())
    counts: Floats = field(metadata=adds("labels", "sizes", "held"))
    rows: int = field(default=-1, metadata=adds())

    def __post_init__(self) -> None:
        Tally.__post_init__(self)
        if self.counts.shape[1:] != (len(self.labels) + 1, 2):
            raise InputError(
                f"counts has shape {self.counts.shape}; {len(self.labels)} classes need sizes from "
                f"0 to {len(self.labels)}, each without and with the true class"
            )
        if (self.counts != np.trunc(self.counts)).any():
            raise InputError("counts holds a fraction; give whole numbers")

    def __add__(self, other: object) -> Self:
        if not isinstance(other, SetTally):
            return NotImplemented
        if self.rows and other.rows and set(self.labels) != set(other.labels):
            raise InputError(
                f"one tally has the classes {listed(self.labels)} and the other "
                f"{listed(other.labels)}; count both with the same classes=[...]"
            )
        return Tally.__add__(self, other)

    def _facts(self) -> Iterator[tuple[str, bool]]:
        yield "labels", len(set(map(type, self.labels))) <= 1
        yield "counts", int(self.counts.sum()) == self.rows
        yield "counts", not self.counts[:, 0, 1].any()  # an empty set holds no class
        yield "counts", not self.counts[:, len(self.labels), 0].any()

    @classmethod
    def from_arrays(
        cls,
        y_true: Any,
        sets: Any = None,
        *,
        p_values: Any = None,
        alpha: float | None = None,
        classes: Sequence[Label] | None = None,
    ) -> Self:
        """Count the prediction sets of rows.

        Parameters
        ----------
        y_true : array of n labels
        sets : sequence of n collections of labels
            The classes in the set of each row; a class that is named twice counts once.
        p_values : array (n, K) or frame, optional
            Instead of sets, the conformal p-value of each class: the set holds the classes whose
            p-value exceeds ``alpha``.
        alpha : float, optional
            The share of sets that may miss the true class.
        classes : sequence, optional
            All classes, in the order of the columns of ``p_values``. By default the columns of a
            frame, or the classes that occur, sorted.

        """
        true = code_labels(y_true, "y_true")
        keep_complete({"y_true": true}, "error", remedy="leave those rows out")
        if (sets is None) == (p_values is None):
            raise InputError("give sets=... or p_values=... of the rows, and not both")
        if (alpha is None) == (sets is None):
            need = (
                "alpha=... goes with p_values=...; leave it out"
                if p_values is None
                else ("p_values=... needs alpha=..., such as alpha=0.1")
            )
            raise InputError(need)
        if p_values is None:
            labels, codes, member = _of_sets(true, sets, classes)
        else:
            labels, codes, member = _of_p_values(true, p_values, float(alpha or 0), classes)
        return cls._of_rows(labels, codes, member)

    @classmethod
    @checked(sets=TEXT, p_values=TEXTS, alpha=_ALPHA)
    def from_table(
        cls,
        data: Any,
        *,
        sets: str | None = None,
        p_values: str | Sequence[str] | None = None,
        alpha: float | None = None,
        truth: str | None = None,
        classes: Sequence[Label] | None = None,
        header: bool | None = None,
        sheet: str | None = None,
    ) -> Self:
        """Count the prediction sets of a frame or of a file.

        ``sets`` is the column of the classes in each set, as text: ``a,b``, ``a|b``, ``a;b`` or
        ``["a", "b"]``, empty for an empty set. ``p_values`` are the columns of the p-values,
        named after their classes or in the order of ``classes``. ``truth`` is found by its name if
        that is usual. ``header`` and ``sheet`` are as in :func:`tallymark.evaluate`.

        >>> frame = {"label": ["a", "b"], "set": ["a", "a|b"]}
        >>> SetTally.from_table(frame, sets="set").counts.sum((0, 2)).tolist()  # by size
        [0.0, 1.0, 1.0]
        """
        named = [] if p_values is None else [p_values] if isinstance(p_values, str) else p_values
        table = open_table(data, header=header, sheet=sheet)
        with released(table):
            columns = [*named, *([] if sets is None else [sets])]
            must_have(table.columns, columns, table.name)
            others = [c for c in table.columns if c not in columns]
            true = column_of(others, table.name, "truth", truth)
            rows = read_whole(table, [true, *([] if sets is None else [sets])], list(named))
        y_true = rows.labels[true]
        if classes is not None:
            classes = typed(classes, y_true.labels)
        if sets is not None:
            held = _members(rows.labels[sets], y_true.labels)
            return cls.from_arrays(
                y_true, held, p_values=list(named) or None, alpha=alpha, classes=classes
            )
        p = np.stack([rows.numbers[c] for c in named], 1) if named else None
        if named and classes is None:
            classes = typed(named, y_true.labels)
        return cls.from_arrays(y_true, p_values=p, alpha=alpha, classes=classes)

    @classmethod
    @trusted
    def _of_rows(
        cls, labels: tuple[Label, ...], codes: NDArray[np.intp], member: NDArray[np.bool_]
    ) -> Self:
        """Return the tally of rows by the codes of their classes and their sets (n, K)."""
        held = member[np.arange(len(codes)), codes]
        shape = len(labels), len(labels) + 1, 2
        return cls(labels, tabulate(shape, (codes, member.sum(1), held.astype(np.intp))))


def _members(sets: Coded, like: Sequence[Label]) -> list[list[Label]]:
    """Return the classes of each set from its text, of the type of the true classes."""
    texts = [
        [m for part in _APART.split(str(text)) if (m := part.strip(_AROUND))]
        for text in sets.labels
    ]
    each = iter(typed([m for members in texts for m in members], like))
    of_text = [[next(each) for _ in members] for members in texts]
    return [of_text[code] if code >= 0 else [] for code in sets.codes.tolist()]


_APART, _AROUND = re.compile("[,;|]"), " \t[](){}'\""
"""What separates the classes of a set in a text, and what may stand around each."""


def _of_sets(
    true: Coded, sets: Any, classes: Sequence[Label] | None
) -> tuple[tuple[Label, ...], NDArray[np.intp], NDArray[np.bool_]]:
    """Return the classes, the true codes and the members (n, K) of sets."""
    alone = getattr(sets, "ndim", 1) == 0 or isinstance(sets, str | bytes | Mapping | type)
    if alone or not isinstance(sets, Iterable):
        raise InputError(f"sets is {shown(sets)}; give a list of the classes of each row")
    each: list[Any] = list(sets)
    for i, members in enumerate(each):
        if isinstance(members, str | bytes | Mapping) or not isinstance(members, Iterable):
            raise InputError(
                f"sets holds {shown(members)} at index {i}; give a list of its classes"
            )
    each = [list(members) for members in each]
    if len(each) != len(true.codes):
        raise InputError(
            f"the lengths differ: y_true has {len(true.codes):,} rows and sets {len(each):,}; give "
            "both the same rows"
        )
    named = code_labels([label for members in each for label in members], "sets")
    keep_complete({"sets": named}, "error", remedy="leave those classes out of the sets")
    labels, (codes, members) = join_labels({"y_true": true, "sets": named}, classes)
    member = np.zeros((len(each), len(labels)), np.bool_)
    member[np.repeat(np.arange(len(each)), [len(m) for m in each]), members] = True
    return labels, codes.astype(np.intp), member


def _of_p_values(
    true: Coded, p_values: Any, alpha: float, classes: Sequence[Label] | None
) -> tuple[tuple[Label, ...], NDArray[np.intp], NDArray[np.bool_]]:
    """Return the classes, the true codes and the members (n, K) of sets by p-values."""
    if is_table(p_values):
        p, columns = matrix_to_numpy(p_values)
        classes = typed(columns, true.labels) if classes is None else classes
    else:
        p = np.asarray(contract.NUMBERS.of("p_values", p_values))
    if p.ndim != 2 or len(p) != len(true.codes):
        raise InputError(
            f"p_values has shape {p.shape}; give {len(true.codes):,} rows, and a column for each "
            "class"
        )
    if not ((p >= 0) & (p <= 1)).all():
        raise InputError("p_values holds a number outside 0 to 1; give p-values")
    labels, (codes,) = join_labels({"y_true": true}, classes)
    if len(labels) != p.shape[1]:
        raise InputError(
            f"p_values has {p.shape[1]} columns, and there are {len(labels)} classes, "
            f"{listed(labels)}; name all of them in the order of the columns with classes=[...]"
        )
    return labels, codes.astype(np.intp), p > alpha


@dataclass(frozen=True, slots=True, repr=False)
class PredictionSets(Document):
    """What :func:`tallymark.prediction_sets` found: coverage and sizes, in all and by part.

    ``coverage`` is the share of sets that hold the true class, ``mean_size`` their mean size.
    ``by_class`` is the coverage of each true class, ``by_size`` that of the sets of each size that
    occurs. ``p_this_low`` is the probability that valid sets cover so few of these rows, or fewer;
    None if ``alpha`` and ``calibration_rows`` were not stated.
    """

    rows: int
    classes: tuple[Label, ...]
    coverage: Value
    mean_size: Value
    empty: int
    single: int
    by_class: Mapping[Label, Value]
    by_size: Mapping[int, Value]
    alpha: float | None
    calibration_rows: int | None
    p_this_low: float | None
    level: float
    tally: SetTally

    @property
    def warning(self) -> str | None:
        """Why the coverage is too low to be chance, None where it is not or nothing is known."""
        p = self.p_this_low
        if p is None or self.alpha is None or p >= TOO_LOW:
            return None
        return (
            f"the coverage is below the {100 * (1 - self.alpha):.6g} % that were wanted by more "
            "than chance; the rows may differ from those of the calibration"
        )

    def table(self) -> Listing:
        """Return a row for the coverage and the mean size, then for each class and each size."""
        facts = ("value", "low", "high", "level", "method")
        parts: list[tuple[str, Label | None, Value]] = [
            ("", None, self.coverage),
            ("", None, self.mean_size),
        ]
        parts += [("class", label, v) for label, v in self.by_class.items()]
        parts += [("size", size, v) for size, v in self.by_size.items()]
        rows = (
            {"part": part, "of": of, "number": v.metric, **{n: getattr(v, n) for n in facts}}
            for part, of, v in parts
        )
        return Listing(tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON."""
        parts: dict[str, Mapping[Any, Value]] = {
            "by_class": self.by_class,
            "by_size": self.by_size,
        }
        return {
            **self._heading("prediction-sets"),
            **fields_of(self, "tally", "coverage", "mean_size", *parts),
            "coverage": self.coverage.to_dict(),
            "mean_size": self.mean_size.to_dict(),
            **{n: [{"of": k, **v.to_dict()} for k, v in p.items()] for n, p in parts.items()},
        }


@checked(
    tally=made_by("what tallymark.SetTally makes", "SetTally"),
    alpha=_ALPHA,
    calibration_rows=whole(1),
)
def prediction_sets(
    tally: SetTally,
    *,
    alpha: float | None = None,
    calibration_rows: int | None = None,
    level: float = 0.95,
) -> PredictionSets:
    """Return how often prediction sets hold the true class, and how large they are.

    Parameters
    ----------
    tally : SetTally
        Counts of the sets by their true class, their size and whether they hold it.
    alpha : float, optional
        The share of sets that may miss the true class.
    calibration_rows : int, optional
        The rows on which split conformal prediction chose its sets. With ``alpha`` it gives
        ``p_this_low``.
    level : float
        Of the intervals.

    Returns
    -------
    PredictionSets
        ``coverage`` and its parts have Wilson's interval. The mean size has that of the beta
        distribution of its share of all K classes, with one more row that is of size 0 or K:
        mean μ = (Σs + ½)/(n + 1), variance (Σ(s - μ)² + ½μ² + ½(1 - μ)²)/(n (n + 1)).
        ``p_this_low`` is P(X ≤ covered), X ~ BetaBinomial(n, c + 1 - l, l) with c calibration
        rows and l = ⌊(c + 1) alpha⌋ (Vovk 2012, Angelopoulos and Bates 2023); below 0.01 there is
        a ``warning``. Sources: vovk2012.

    Raises
    ------
    InputError
        No rows; a calibration of so few rows that its sets are all classes.

    Examples
    --------
    >>> import tallymark as tm
    >>> t = tm.SetTally.from_arrays([0, 1, 1, 0], [[0], [0, 1], [0], []], classes=[0, 1])
    >>> found = tm.prediction_sets(t)
    >>> found.coverage.value, found.mean_size.value, found.empty
    (0.5, 1.0, 1)

    """
    n = tally.rows
    if not n:
        raise InputError("there is no prediction set to judge; give at least one row")
    by_size, held = tally.counts.sum((0, 2)), tally.counts[..., 1]
    found = {int(s): (held[:, s].sum(), by_size[s]) for s in np.flatnonzero(by_size)}
    of_class = zip(tally.labels, held.sum(1), tally.counts.sum((1, 2)), strict=True)
    covered = int(held.sum())
    p = None
    if alpha is not None and calibration_rows is not None:
        p = probability_this_low(covered, n, alpha, calibration_rows)
    return PredictionSets(
        rows=n,
        classes=tally.labels,
        coverage=_share(covered, n, level),
        mean_size=_mean_size(by_size, level),
        empty=int(by_size[0]),
        single=int(by_size[1]) if len(by_size) > 1 else 0,
        by_class={label: _share(k, m, level) for label, k, m in of_class if m},
        by_size={size: _share(k, m, level) for size, (k, m) in found.items()},
        alpha=alpha,
        calibration_rows=calibration_rows,
        p_this_low=p,
        level=level,
        tally=tally,
    )


def _share(covered: float, rows: float, level: float) -> Value:
    low, high = wilson(covered, rows, quantile(level))
    counts = {"covered": int(covered), "rows": int(rows)}
    share, error = covered / rows, math.sqrt(covered * (rows - covered) / rows) / rows
    ends = float(low), float(high)
    return Value(
        "coverage", float(share), *ends, level, "Wilson", definition=counts, se=error or None
    )


def _mean_size(rows: Floats, level: float) -> Value:
    """Return the mean size of sets, from how many rows have each size, 0 to K."""
    most, n = len(rows) - 1, float(rows.sum())
    value = float((rows * np.arange(most + 1)).sum()) / n
    if n < 2:
        return Value("mean_size", value, method="no interval: one set")
    shares, mean = np.arange(most + 1) / most, value / most
    moved = (n * mean + 0.5) / (n + 1)
    squares = float((rows * (shares - moved) ** 2).sum())
    added = (moved**2 + (1 - moved) ** 2) / 2
    low, high = matched_beta(moved, (squares + added) / (n * (n + 1)), level)
    ends = min(most * float(low), value), max(most * float(high), value)
    return Value("mean_size", value, *ends, level, "beta posterior with one more row")


def probability_this_low(covered: int, rows: int, alpha: float, calibration_rows: int) -> float:
    """Return the probability that valid conformal sets cover at most so many rows.

    >>> round(probability_this_low(34, 50, 0.1, 100), 6)
    0.000589
    """
    from scipy.stats import betabinom

    missed = math.floor((calibration_rows + 1) * alpha * (1 + 1e-12))
    if not missed:
        raise InputError(
            f"calibration_rows is {calibration_rows:,}, which is too few for alpha {alpha:g}; such "
            f"sets hold every class unless there are {math.ceil(1 / alpha - 1 - 1e-9):,} rows"
        )
    return float(betabinom(rows, calibration_rows + 1 - missed, missed).cdf(covered))
