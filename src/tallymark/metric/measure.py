"""Evaluate metrics on arrays and tallies: class averages and undefined values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.contract import ANY, checked
from tallymark.display import Display, fields_of
from tallymark.errors import InputError, UndefinedMetricError, choices
from tallymark.metric.label_sets import sums_of_arrays
from tallymark.metric.number import Number
from tallymark.metric.registry import OF_WHOLE_ROWS, Metric, applies_metrics, get
from tallymark.tally.arrays import Label, find_positive
from tallymark.tally.labels import Counts, LabelTally, one_class, one_vs_rest
from tallymark.tally.occupied import MOST_DENSE, OccupiedCells
from tallymark.tally.row_losses import ProbabilityRows
from tallymark.tally.scores import ScoreCounts, ScoreTally, SortedKeys, weighted_concordance
from tallymark.tally.sums import Sums, answers_of_rows, class_sums, class_tallies

_OF_ALL_SCORES = ("probabilities", *OF_WHOLE_ROWS)

MOST_REASONS = 1000
"""Classes of which a reason is written out; more are counted."""

_CLASS_BY_CLASS = ("macro", "weighted", "per_class")

ONE_CLASS_AT_A_TIME = ("counts", "ranking", "probability")
"""Values of ``needs`` for metrics of one class against the rest."""

Tally = LabelTally | Sequence[ScoreTally] | Sums
"""Data that a statistic is computed from: labels; scores, one tally for two classes or one per
class; sums over rows."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Value(Number, Display):
    """A value of a metric with its confidence interval and the definition used.

    It supports formatting, rounding, comparison and arithmetic like a float, and arithmetic
    returns plain floats: see :class:`tallymark.metric.number.Number`. Two values are equal if all
    their fields are; a value equals a plain number if ``value`` does.

    >>> v = Value("f1", 0.95123, 0.92311, 0.97432, 0.95)
    >>> print(v, f"| {v:.1%}", round(v, 2), v > 0.9, v - 0.9 < 0.06)
    0.951 (95 % CI 0.923 to 0.974) | 95.1% 0.95 True True

    ``value`` is NaN if and only if ``reason`` says why. ``low`` and ``high`` are NaN if no
    interval was requested or none exists; ``warning`` says why the interval may be too narrow or
    conservative. ``n_undefined`` is the number of classes that an average omits because the
    metric is undefined on them. ``binning_bounds`` bound the value on the original scores if these
    were counted in bins, None if every score is known; they widen the interval.

    ``se`` is the standard error by the interval's method, always on the metric's own scale, even
    if the interval was computed on another:

    - proportion: √(p(1 - p)/n), with n the effective sample size of weighted rows;
    - ROC area: the root of DeLong's (or Hanley and McNeil's, Newcombe's) variance;
    - jackknife: the delete-one standard error;
    - delta method: from exact derivatives;
    - mean over rows: the standard error of the mean;
    - bootstrap and posterior: the standard deviation of the draws.

    It includes neither bias nor the uncertainty from bins. It is None if there is no interval, or
    if the estimate is 0 or infinite, because no standard error is known to be 0.
    """

    metric: str
    value: float
    low: float = math.nan
    high: float = math.nan
    level: float | None = None
    method: str | None = None
    reason: str | None = None
    warning: str | None = None
    n_undefined: int = 0
    definition: Mapping[str, Any] = field(default_factory=dict)
    binning_bounds: tuple[float, float] | None = None
    se: float | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Value):
            return self.value == other
        ours, theirs = (tuple(getattr(v, f.name) for f in fields(v)) for v in (self, other))
        return ours == theirs

    def __hash__(self) -> int:
        return hash(self.value)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: undefined numbers are None, infinite ones are text."""
        out = fields_of(self)
        if self.binning_bounds is None:
            del out["binning_bounds"]
        return out


@dataclass(frozen=True, slots=True)
class Statistic:
    """A metric with its average, class and parameters, which reduces a tally to one number.

    ``tally`` is a LabelTally for threshold metrics, else a tuple of ScoreTally (one for two
    classes, one per class for more).
    """

    metric: Metric
    average: str
    positive: Label | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    skip_undefined: bool = False
    classes: tuple[Label, ...] | None = None

    @classmethod
    def of(
        cls,
        metric: Metric,
        labels: Sequence[Label],
        positive: Label | None = None,
        average: str | None = None,
        skip_undefined: bool = False,
        classes: Sequence[Label] | None = None,
        **params: Any,
    ) -> Statistic:
        """Return a checked statistic with defaults filled in.

        The default average is overall for metrics of the whole matrix or of all scores, binary
        for two classes, else macro. ``classes`` are the classes to average over, by default all.
        """
        params = metric._check(params) if params else {}
        if metric._of_answers and len(labels) > 2:
            return cls._of_answers(metric, average, classes, params)
        if average == "overall" and metric._needs in ONE_CLASS_AT_A_TIME:
            raise InputError(
                f"{metric.name} judges one class against the rest and has no overall value; say "
                "average='macro', 'micro', 'weighted' or 'per_class'"
            )
        if average is None:
            if classes is not None:
                average = "macro"
            elif metric._needs not in ONE_CLASS_AT_A_TIME:
                average = "overall"
            else:
                average = "binary" if len(labels) <= 2 or positive is not None else "macro"
        if average == "binary" or (average == "overall" and len(labels) <= 2):
            positive = _positive_if_any(labels, positive, needed=average == "binary")
        elif len(labels) > 2:
            positive = None  # no class is special, so the definition must not name one
        of_all = OF_WHOLE_ROWS if average == "binary" else _OF_ALL_SCORES
        if average != "overall" and metric._needs in of_all:
            raise InputError(
                f"{metric.name} is computed from all scores at once; leave average={average!r} out"
            )
        if metric.classes == "many" and len(labels) <= 2:
            raise InputError(
                f"{metric.name} is not defined for {len(labels)} classes; give more than two, and "
                "one score column per class"
            )
        if metric.classes == "two" and len(labels) > 2:
            raise metric._not_of_several(len(labels))
        chosen = None if classes is None else _chosen_classes(classes, labels, average)
        return cls(metric, average, positive, params, skip_undefined, chosen)

    @classmethod
    def _of_answers(
        cls,
        metric: Metric,
        average: str | None,
        classes: Sequence[Label] | None,
        params: Mapping[str, Any],
    ) -> Statistic:
        """Return the statistic of the answers that are one of more than two classes."""
        for name, value in (("average", average), ("classes", classes)):
            if value is not None and value != "overall":
                raise InputError(f"{metric.name} is one number of all answers; leave {name} out")
        return cls(metric, "overall", None, {**params, "scores": "confidence"})

    @classmethod
    def of_each(
        cls, metrics: Iterable[Metric], labels: Sequence[Label], positive: Label | None
    ) -> dict[str, Statistic]:
        """Return the default statistic of each metric, by name."""
        return {m.name: cls.of(m, labels, positive) for m in metrics}

    # -- from label tallies --------------------------------------------------------------------

    def of_matrix(self, matrix: NDArray[Any], labels: Sequence[Label]) -> NDArray[Any]:
        """Return the value of counts[..., true, predicted], NaN where undefined."""
        return self._of_matrix(matrix, labels, self.metric.compute)

    def _of_matrix(
        self, matrix: NDArray[Any], labels: Sequence[Label], apply: Callable[..., Any]
    ) -> NDArray[Any]:
        if self.average not in _CLASS_BY_CLASS:
            return np.asarray(apply(self.view(matrix, labels), **self.params))
        return self._over_classes(one_vs_rest(matrix), matrix, labels, apply)

    def _over_classes(
        self, each: Counts, matrix: Any, labels: Sequence[Label], apply: Callable[..., Any]
    ) -> NDArray[Any]:
        """Return the average, or the values, of the classes against the rest."""
        chosen = self._chosen(labels)
        counts = Counts(*(v[..., chosen] for v in _four(each)))
        per_class = np.asarray(apply(self._read(counts), **self.params))
        if self.average == "per_class":
            return per_class
        return self._average(per_class, np.asarray(matrix.sum(-1))[..., chosen])

    def _read(self, counts: Counts) -> Any:
        return counts if self.metric._needs == "counts" else counts.matrix()

    def _chosen(self, labels: Sequence[Label]) -> Any:
        """Return the indices of the classes to average over."""
        return (
            slice(None) if self.classes is None else [list(labels).index(c) for c in self.classes]
        )

    def view(self, matrix: NDArray[Any] | OccupiedCells, labels: Sequence[Label]) -> Any:
        """Return the metric's input from counts[..., true, predicted]: a matrix or Counts."""
        if self.average == "overall":
            if isinstance(matrix, OccupiedCells) and not self.takes_occupied:
                return np.asarray(matrix)
            return matrix
        if self.average == "binary":
            occurs = self.positive in labels
            positive = self.positive if occurs else find_positive(labels, self.positive)
            counts = one_class(matrix, labels, positive)
        elif self.average == "micro":
            views = _four(one_vs_rest(matrix))
            counts = Counts(*(v[..., self._chosen(labels)].sum(-1) for v in views))
        else:
            raise InputError(f"average={self.average!r} has a view for each class, not one")
        return self._read(counts)

    @property
    def takes_occupied(self) -> bool:
        """Whether it is computed from the occupied cells of a matrix of many classes.

        Metrics of single classes need its margins and its diagonal only.
        """
        return self.average != "overall" or self.metric._sampling.takes_occupied

    def mixes_classes(self, labels: Sequence[Label]) -> bool:
        """Return whether a proportion's denominator mixes true classes, as that of precision does.

        This depends on the definition, not on the counts: without a false positive in the sample,
        new rows may still have some, depending on prevalence.
        """
        assert self.metric._sampling.proportion is not None
        parts = 0
        for i in range(len(labels)):
            every = np.arange(len(labels))
            alone: Any = OccupiedCells(
                np.ones(len(every)), np.full(len(every), i), every, len(every)
            )
            if len(labels) <= MOST_DENSE:
                alone = np.asarray(alone)
            _, whole = self.metric._sampling.proportion(self.view(alone, labels))
            parts += bool(whole > 0)
            if parts > 1:
                return True
        return False

    def gradient(self, matrix: NDArray[Any], labels: Sequence[Label]) -> NDArray[Any]:
        """Return the derivatives of the value by each count of one matrix [true, predicted].

        Complex-step differentiation, exact for ``smooth`` metrics. Of many classes they are those
        of the occupied cells.
        """
        k, step = len(labels), 1e-20
        function = partial(self.metric._function, **self.metric.params)
        if self.average in ("macro", "weighted"):
            return self._gradient_of_average(matrix, labels, function)
        derivatives = np.empty((k, k))
        for i in range(k):  # one true class at a time, to limit memory
            moved = np.repeat(matrix[None].astype(complex), k, 0)
            moved[range(k), i, range(k)] += 1j * step
            with np.errstate(all="ignore"):
                derivatives[i] = np.imag(self._of_matrix(moved, labels, function)) / step
        return derivatives

    def _gradient_of_average(
        self, matrix: NDArray[Any], labels: Sequence[Label], function: Callable[..., Any]
    ) -> NDArray[Any]:
        """Return the derivatives of an average, by the chain rule through each class's counts.

        A row of true class i predicted as j is a true negative of every class but i and j.
        """
        chosen, step = self._chosen(labels), 1e-20
        four = [v[chosen] for v in _four(one_vs_rest(matrix))]
        moved = Counts(*(v + 1j * step * np.eye(4)[i][:, None] for i, v in enumerate(four)))
        support = four[0] + four[2]
        with np.errstate(all="ignore"):
            values = np.asarray(function(self._read(moved), **self.params))
            average = self._average(values[0].real, support)
        weights = np.ones_like(support) if self.average == "macro" else support
        defined = weights > 0
        if self.skip_undefined:
            defined &= ~np.isnan(values[0].real)
        weights = np.where(defined, weights, 0.0)
        slopes = np.where(defined, weights * values.imag / step, 0.0)
        if self.average == "weighted":
            slopes[[0, 2]] += np.where(defined, values[0].real - average, 0.0)
        tp, fp, fn, tn = slopes / weights.sum()
        rows, columns = np.zeros(len(labels)), np.zeros(len(labels))
        rows[chosen], columns[chosen] = fn - tn, fp - tn
        hits = rows.copy()
        hits[chosen] = tp - tn
        if isinstance(matrix, OccupiedCells):
            right = matrix.true == matrix.predicted
            off = rows[matrix.true] + columns[matrix.predicted]
            return np.asarray(tn.sum() + np.where(right, hits[matrix.true], off))
        by_cell: NDArray[Any] = tn.sum() + rows[:, None] + columns
        np.fill_diagonal(by_cell, tn.sum() + hits)
        return by_cell

    # -- from score tallies --------------------------------------------------------------------

    def of_score_counts(self, rankings: Sequence[ScoreCounts]) -> NDArray[Any]:
        """Return the value of one ScoreCounts, or of one per class, NaN where undefined."""
        if self.metric._needs == "probabilities":
            return self.metric.compute(tuple(rankings), **self.params)
        if len(rankings) == 1 and self.average != "per_class":
            return self.metric.compute(rankings[0], **self.params)
        if self.average == "micro":
            return self.metric.compute(pooled(rankings), **self.params)
        per_class = np.stack([self.metric.compute(r, **self.params) for r in rankings], -1)
        if self.average == "per_class":
            return per_class
        return self._average(per_class, np.stack([r.positives for r in rankings], -1))

    def of_blocks(self, blocks: Iterable[ScoreCounts]) -> list[NDArray[Any]]:
        """Return the values on one class's scores, one array per block of replicates."""
        return [self.of_score_counts([block]) for block in blocks]

    def operating_point(self, r: ScoreCounts) -> int | None:
        """Return the threshold at which the value is read, an index into the cumulative counts."""
        if self.metric._sampling.operating_point is None:
            return None
        with np.errstate(all="ignore"):
            place = self.metric._at_parameters(
                self.metric._sampling.operating_point, r, self.params
            )
        return min(int(place), len(r.scores) + 1)

    def _average(self, per_class: NDArray[Any], support: NDArray[Any]) -> NDArray[Any]:
        weights = np.ones_like(support) if self.average == "macro" else support
        if self.skip_undefined:
            weights = np.where(np.isnan(per_class), 0.0, weights)
            per_class = np.where(np.isnan(per_class), 0.0, per_class)
        # A class of weight 0 must not make the average NaN where it is undefined.
        per_class = np.where(weights == 0, 0.0, per_class)
        with np.errstate(all="ignore"):
            return np.asarray((per_class * weights).sum(-1) / weights.sum(-1))

    # -- from any tally ------------------------------------------------------------------------

    def measure(self, tally: Tally) -> NDArray[Any]:
        """Return the value on a tally, of shape (), or (K,) with average="per_class"."""
        if isinstance(tally, LabelTally):
            return self.of_matrix(tally.counts, tally.labels)
        if self.metric._needs in OF_WHOLE_ROWS:
            return self.metric.compute(self._whole(tally), **self.params)
        assert not isinstance(tally, Sums)
        if len(tally) == 1 and self.average in ("macro", "micro", "weighted"):
            raise InputError(
                f"average={self.average!r} needs scores of each class, and these are of one; leave "
                "average out, or give one score column per class"
            )
        return self.of_score_counts([t._score_counts for t in self.of_requested_classes(tally)])

    def _whole(self, tally: Sequence[ScoreTally] | Sums) -> Any:
        """Return the input of a metric that reads all columns of scores at once."""
        if self.metric._needs == "class_scores":
            return tuple(tally)  # type: ignore[arg-type]
        return tally if isinstance(tally, Sums) else Sums._of_scores(tally)

    def of_requested_classes(self, tallies: Sequence[ScoreTally]) -> Sequence[ScoreTally]:
        """Return the tallies of the requested classes: the positive one, or those averaged."""
        if len(tallies) == 1:
            return tallies
        if self.average == "binary":
            return [t for t in tallies if t.positive == self.positive]
        return [t for t in tallies if self.classes is None or t.positive in self.classes]

    def reasons(self, tally: Tally) -> dict[Label | None, str]:
        """Return why the value is undefined, by class, or under None for the whole tally."""
        if isinstance(tally, LabelTally):
            return self.reasons_of_matrices(tally.counts[None], tally.labels)[0]
        if self.metric._needs in OF_WHOLE_ROWS:
            views: dict[Label | None, Any] = {None: self._whole(tally)}
        else:
            assert not isinstance(tally, Sums)
            tallies = self.of_requested_classes(tally)
            views = {t.positive: t._score_counts for t in tallies}
            if self.metric._needs == "probabilities":
                views = {None: tuple(views.values())}
            elif len(views) == 1 or self.average not in _CLASS_BY_CLASS:
                views = {None: pooled([*views.values()])}
        result = {k: self.metric.reason(v, **self.params) for k, v in views.items()}
        return {k: v for k, v in result.items() if v}

    def reasons_of_matrices(
        self, counts: NDArray[Any], labels: Sequence[Label]
    ) -> list[dict[Label | None, str]]:
        """Return :meth:`reasons` for each matrix of ``counts[S, true, predicted]``."""
        if self.average in _CLASS_BY_CLASS:
            asked = {*(self.classes or labels)}
            places = [i for i, label in enumerate(labels) if label in asked]
            whose: list[Any] = [labels[i] for i in places]
            views = Counts(*(v[..., places] for v in _four(one_vs_rest(counts))))
            cases = self.metric._cases(self._read(views), **self.params)
        else:
            whose = [None]
            cases = self.metric._cases(self.view(counts, labels), **self.params)
        out: list[dict[Label | None, str]] = [{} for _ in counts]
        for words, case in cases.items():
            case = case if whose != [None] else np.expand_dims(case, -1)
            for i, j in np.argwhere(np.broadcast_to(case, (len(counts), len(whose)))).tolist():
                before = out[i].get(whose[j])
                out[i][whose[j]] = words if before is None else f"{before} and {words}"
        return out

    def reason_of(self, tally: Tally) -> str:
        """Return one sentence on why the value is undefined."""
        classes = tally.labels if isinstance(tally, LabelTally) else None
        return self.in_words(self.reasons(tally), classes)

    @staticmethod
    def in_words(reasons: Mapping[Label | None, str], labels: Sequence[Label] | None) -> str:
        """Return the reasons as one sentence."""
        words = [
            message if label is None else f"class {label!r}: {message}"
            for label, message in reasons.items()
        ]
        if words:
            more = len(words) - MOST_REASONS
            further = [f"and {more:,} more classes"] if more > 0 else []
            return "; ".join([*words[:MOST_REASONS], *further])
        if labels is not None and not labels:
            return "there is no class"
        return "it is +inf for one class and -inf for another"

    def describe(self) -> dict[str, Any]:
        """Return the definition in use as plain data: formula, average, parameters, classes."""
        out: dict[str, Any] = {"formula": self.metric.words.formula, "average": self.average}
        if self.positive is not None:
            out["positive"] = self.positive
        params = {**self.metric.params, **self.params}
        if params:
            out["params"] = params
        if self.average in ("macro", "weighted"):
            out["skip_undefined"] = self.skip_undefined
        if self.classes is not None:
            out["classes"] = list(self.classes)
        return out

    def point(self, tally: Tally) -> Value:
        """Return the value without an interval."""
        if self.average == "per_class":
            raise InputError("average='per_class' is many values; ask for one class at a time")
        value = float(self.measure(tally))
        skipping = self.skip_undefined and self.average in ("macro", "weighted")
        return Value(
            metric=self.metric.name,
            value=value,
            reason=self.reason_of(tally) if math.isnan(value) else None,
            n_undefined=len(self.reasons(tally)) if skipping else 0,
            definition=self.describe(),
        )


def _chosen_classes(
    classes: Sequence[Label], labels: Sequence[Label], average: str
) -> tuple[Label, ...]:
    if average not in ("macro", "micro", "weighted", "per_class"):
        raise InputError(
            f"classes needs an average over classes, and average={average!r} is not; say 'macro', "
            "'micro', 'weighted' or 'per_class'"
        )
    for label in classes:
        if label not in labels:
            raise InputError(
                f"classes names the class {label!r}; {choices(str(label), map(str, labels))}"
            )
    if len(set(classes)) < len(classes) or not classes:
        raise InputError(f"classes is {list(classes)}; name each class once, and at least one")
    return tuple(classes)


def _positive_if_any(labels: Sequence[Label], positive: Label | None, needed: bool) -> Label | None:
    if positive is None and not needed:
        return None
    if positive is None and len(labels) > 2:
        raise InputError(
            f"average='binary' needs the positive class of {len(labels)}; say positive=..., or "
            "average='macro', 'micro', 'weighted' or 'per_class'"
        )
    places = list(labels)
    return places[places.index(positive)] if positive in places else find_positive(labels, positive)


def _four(c: Counts) -> tuple[NDArray[Any], ...]:
    return c.tp, c.fp, c.fn, c.tn


class MatrixViews:
    """Inputs of statistics from counts[..., true, predicted], each computed once and shared.

    >>> views = MatrixViews(np.array([[8.0, 2.0], [1.0, 9.0]]), (0, 1))
    >>> views.values([Statistic.of(get(name), (0, 1)) for name in ("recall", "specificity")])
    [array(0.9), array(0.8)]
    """

    def __init__(self, matrix: NDArray[Any] | OccupiedCells, labels: Sequence[Label]) -> None:
        self.matrix, self.labels = matrix, labels
        self._views: dict[Any, Any] = {}

    def values(self, statistics: Iterable[Statistic]) -> list[NDArray[Any]]:
        """Return the values of statistics, NaN where undefined."""
        return [self.value(s) for s in statistics]

    def value(self, s: Statistic) -> NDArray[Any]:
        """Return the value of a statistic, NaN where undefined."""
        matrix = self.matrix
        if isinstance(matrix, OccupiedCells) and matrix.ndim == 2 and not s.takes_occupied:
            return s.of_matrix(matrix, self.labels)  # type: ignore[arg-type]
        if isinstance(matrix, OccupiedCells) and not s.takes_occupied:
            parts = (s.of_matrix(dense, self.labels) for dense in matrix.dense())
            return np.concatenate(list(parts))
        if s.average in _CLASS_BY_CLASS:
            return s._over_classes(self._of_each_class, matrix, self.labels, s.metric.compute)
        key = (s.average, s.positive, s.classes, s.metric._needs)
        if key not in self._views:
            self._views[key] = s.view(matrix, self.labels)
        return s.metric.compute(self._views[key], **s.params)

    @cached_property
    def _of_each_class(self) -> Counts:
        return one_vs_rest(self.matrix)


def over_pairs(s: Statistic) -> bool:
    """Return whether a statistic is an average over pairs of classes."""
    return s.metric._sampling.averages is not None and s.metric._sampling.averages[1] == "pairs"


def as_average(s: Statistic) -> Statistic:
    """Return the average over classes by which the metric is defined, else the statistic itself.

    For an average over pairs of classes, return the unweighted mean over the pairs' rankings.
    """
    if s.metric._sampling.averages is None:
        return s
    of, how = s.metric._sampling.averages
    return Statistic(get(of), "macro" if how == "pairs" else how)


def pooled(rankings: Sequence[ScoreCounts]) -> ScoreCounts:
    """Return one ranking of all (row, class) pairs, from which micro averages are computed."""
    if len(rankings) == 1:
        return rankings[0]
    scores, place = np.unique(np.concatenate([r.scores for r in rankings]), return_inverse=True)
    pos = np.zeros((*rankings[0].pos.shape[:-1], len(scores)))
    neg = np.zeros_like(pos)
    start = 0
    for r in rankings:
        at = place[start : start + len(r.scores)]
        pos[..., at] += r.pos
        neg[..., at] += r.neg
        start += len(r.scores)
    return ScoreCounts(scores, pos, neg)


@applies_metrics
@checked(metric=ANY)
def number(
    metric: Metric,
    y_true: Any,
    y_pred: Any = None,
    *,
    positive: Label | None = None,
    labels: Sequence[Label] | None = None,
    sample_weight: Any = None,
    average: str | None = None,
    undefined: str | float = "nan",
    skip_undefined: bool = False,
    classes: Sequence[Label] | None = None,
    missing: Any = "error",
    **params: Any,
) -> Any:
    """Return a metric of arrays or of a tally as a plain float, or an array with one per class.

    Parameters
    ----------
    y_true : array of n labels, or a LabelTally, ScoreTally, sequence of ScoreTally, or Sums
    y_pred : array of n labels or scores, or of shape (n, K) with one score per class
    positive : label, optional
        The positive class, required if it cannot be inferred.
    average : {"overall", "binary", "macro", "micro", "weighted", "per_class"}, optional
        How classes are averaged. By default overall if the metric is defined for any number of
        classes, else binary for two classes and macro for more.
    undefined : {"nan", "raise"} or float
        Result to return if the metric is undefined, or "raise".
    skip_undefined : bool
        Whether an average omits classes on which the metric is undefined.
    classes : sequence of labels, optional
        Classes to average over, by default all.

    Raises
    ------
    InputError
        If arrays or arguments are invalid.
    UndefinedMetricError
        If the result is undefined and ``undefined="raise"``.

    """
    plain = y_pred is not None and labels is None and not params
    if plain and metric._sampling.of_area is not None and average in (None, "binary"):
        ties = metric._sampling.of_area.ties
        area = _area_of_rows(y_true, y_pred, positive, sample_weight, ties)
        if area is not None:
            return metric._sampling.of_area(area)
    of_rows = metric._scoring.of_rows
    plain = plain and sample_weight is None
    if plain and of_rows is not None and average is None and classes is None:
        value = metric._at_parameters(of_rows, ProbabilityRows(y_true, y_pred, positive), {})
        if value is not None:
            return float(value)
    options = {"labels": labels, "sample_weight": sample_weight, "missing": missing}
    present, tally = _tally(metric, y_true, y_pred, positive, options)
    if metric.family == "probability" and isinstance(tally, tuple):
        for t in tally:
            refuse_no_probability(t, metric.name)
    if isinstance(tally, tuple) and len(tally) == 1:
        counted = tally[0].positive
        if positive is not None and positive != counted:
            raise InputError(
                f"this tally's scores are those of {counted!r} and positive is {positive!r}; make "
                "the tally with that class positive, and with its scores"
            )
        positive = counted
    statistic = Statistic.of(metric, present, positive, average, skip_undefined, classes, **params)
    value = statistic.measure(tally)
    if np.isnan(value).any():
        if undefined == "raise":
            raise UndefinedMetricError(f"{metric.name} is undefined: {statistic.reason_of(tally)}")
        if undefined != "nan":
            value = np.where(np.isnan(value), float(undefined), value)
    return float(value) if value.ndim == 0 else value


def _area_of_rows(
    y_true: Any, y_pred: Any, positive: Label | None, sample_weight: Any, ties: float
) -> float | None:
    """Return the ROC area of plain two-class arrays by one sort, without a tally, else None."""
    pairs: tuple[float, float, float, float] | None
    if sample_weight is None:
        keys = SortedKeys.of(y_true, y_pred, positive)
        pairs = None if keys is None else keys.concordance()
    else:
        pairs = weighted_concordance(y_true, y_pred, positive, sample_weight)
    if pairs is None:
        return None
    lower, not_higher, p, n = pairs
    if not (p and n):
        return None
    area = ((1 - ties) * lower + ties * not_higher) / (p * n)
    return min(area, 1.0)  # sums of weights may exceed 1 by rounding


def _tally(
    metric: Metric, y_true: Any, y_pred: Any, positive: Label | None, options: dict[str, Any]
) -> tuple[tuple[Label, ...], LabelTally | tuple[ScoreTally, ...] | Sums]:
    """Return the classes and the tally that the metric needs, from arrays or a given tally."""
    labelled = metric._needs in ("counts", "matrix")
    if y_pred is None:
        for name, option in options.items():
            if option is not None and option != "error":
                raise InputError(
                    f"{name} is for arrays, and these rows are already counted; leave it out"
                )
        return _counted(metric, y_true)
    if metric.family == "multi-label":
        weights = options["sample_weight"]
        return _CLASSES_OF_SUMS, sums_of_arrays(metric, y_true, y_pred, weights)
    if labelled:
        counted = LabelTally.from_arrays(y_true, y_pred, **options)
        return counted.labels, counted
    if np.ndim(y_pred) == 2 and np.shape(y_pred)[1] > 1:
        if metric._of_answers and np.shape(y_pred)[1] > 2:
            classes, right, confidence, weights = answers_of_rows(y_true, y_pred, **options)
            tally = ScoreTally.from_arrays(
                right.astype(np.int8), confidence, positive=1, labels=(0, 1), sample_weight=weights
            )
            return classes, (tally,)
        if metric._needs == "rows":
            classes, sums = class_sums(y_true, y_pred, **options)
            if metric.family == "probability":
                for t in class_tallies(y_true, y_pred, **options):
                    refuse_no_probability(t, metric.name)
            return classes, sums
        tallies = class_tallies(y_true, y_pred, **options)
        if len(tallies) == 2 and metric._needs != "class_scores":
            label = find_positive(tallies[0].labels, positive)
            tallies = tuple(t for t in tallies if t.positive == label)
    else:
        tallies = (ScoreTally.from_arrays(y_true, y_pred, positive=positive, **options),)
    return tallies[0].labels, tallies


def _counted(
    metric: Metric, counts: Any
) -> tuple[tuple[Label, ...], LabelTally | tuple[ScoreTally, ...] | Sums]:
    """Return the classes and the given tallies, after checking that the metric can read them."""
    if metric._needs in ("counts", "matrix"):
        if isinstance(counts, LabelTally):
            return counts.labels, counts
        raise InputError(f"{metric.name} needs a LabelTally or two arrays, y_true and y_pred")
    if isinstance(counts, Sums) and (metric._needs == "rows" or metric.family == "multi-label"):
        return _CLASSES_OF_SUMS, counts
    tallies = tuple(counts) if isinstance(counts, list | tuple) else (counts,)
    if not tallies or not all(isinstance(t, ScoreTally) for t in tallies):
        raise InputError(f"{metric.name} needs a ScoreTally or two arrays, y_true and y_score")
    if metric._needs == "rows" and len(tallies) != 1:
        raise InputError(
            f"{metric.name} needs whole rows of scores, which the tallies of the columns do not "
            "hold; give arrays, or the Sums of the rows"
        )
    return tallies[0].labels, tallies


_CLASSES_OF_SUMS: tuple[Label, ...] = (0, 1, 2)
"""Placeholder labels for more than two classes: Sums do not store their names."""


def refuse_no_probability(tally: ScoreTally, name: str) -> None:
    """Raise InputError if a score is outside [0, 1], since it is then not a probability."""
    if len(tally.scores) and not (tally.scores[0] >= 0 and tally.scores[-1] <= 1):
        worst = tally.scores[0] if tally.scores[0] < 0 else tally.scores[-1]
        raise InputError(
            f"{name} needs probabilities and y_score holds {worst:.6g}; give numbers from 0 to 1, "
            "or use a rank metric such as roc_auc"
        )
