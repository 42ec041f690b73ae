"""Metrics of predicted labels: scikit-learn's conventions over tallymark's counts.

Where the two differ the drop-in follows scikit-learn: what is 0/0 becomes ``zero_division`` (0
and a warning) and not NaN with a reason, and the positive class is ``pos_label=1``.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tallymark import Counts, InputError, LabelTally
from tallymark.core import MANY_CLASSES, METRICS, join_labels, misses, one_vs_rest
from tallymark.sklearn.plain import (
    Array,
    UnusualError,
    coded,
    drop_in,
    marks_of,
    mean,
    plain,
    undefined,
    warn,
    weights_of,
)

__all__ = [
    "accuracy_score",
    "balanced_accuracy_score",
    "class_likelihood_ratios",
    "classification_report",
    "cohen_kappa_score",
    "confusion_matrix",
    "f1_score",
    "fbeta_score",
    "hamming_loss",
    "jaccard_score",
    "matthews_corrcoef",
    "multilabel_confusion_matrix",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
    "zero_one_loss",
]

# -- counts of two columns of labels: classes, or one column a label -----------------------------


@dataclass(frozen=True, eq=False)
class Classes:
    """One class a row: the sorted labels and the counts [true, predicted]."""

    labels: Array
    matrix: Array
    weights: Array | None

    @property
    def kind(self) -> str:
        """The type of target as scikit-learn calls it."""
        return "binary" if len(self.labels) <= 2 else "multiclass"

    @cached_property
    def counts(self) -> Counts:
        """Each class against the rest."""
        return one_vs_rest(self.matrix)

    @cached_property
    def place(self) -> dict[Any, int]:
        """The index of each label."""
        return {label: i for i, label in enumerate(self.labels.tolist())}

    def _places(self, labels: Any) -> list[int]:
        """Return the index of each requested label, the last index for one that never occurs."""
        return [self.place.get(label, -1) for label in np.asarray(labels).tolist()]

    def against_rest(self, labels: Any, samplewise: bool = False) -> Counts:
        """Return the requested classes against the rest; one that never occurs has no row."""
        if samplewise:
            raise UnusualError
        if labels is None:
            return self.counts
        c, places = self.counts, self._places(labels)
        if -1 not in places:
            return Counts(c.tp[places], c.fp[places], c.fn[places], c.tn[places])
        four = np.zeros((4, len(self.labels) + 1))
        four[:, :-1] = c.tp, c.fp, c.fn, c.tn
        four[3, -1] = self.matrix.sum()
        return Counts(*four[:, places])

    def of_labels(self, labels: Any) -> Array:
        """Return the counts [true, predicted] of the requested labels, in their order."""
        if labels is None:
            return self.matrix
        at, cells = self._places(labels), np.pad(self.matrix, (0, 1))
        occur = [i for i in at if i >= 0]
        if len(set(occur)) < len(occur) or not self.matrix[occur].any():
            raise UnusualError  # labels named twice, or no row that is truly of these classes
        return np.asarray(cells[np.ix_(at, at)])

    def errors(self, of_cells: bool = False) -> Array:
        """Return a matrix whose accuracy is that of the rows."""
        return self.matrix


@dataclass(frozen=True, eq=False)
class Marks:
    """Several labels a row: a column of 0 and 1 for each label."""

    true: Array
    pred: Array
    weights: Array | None

    kind = "multilabel-indicator"

    @property
    def labels(self) -> Array:
        """The columns' numbers."""
        return np.arange(self.true.shape[1])

    def _of_rows(self, marks: Array) -> Array:
        """Return the number of labels of each row, times its weight."""
        rows = np.count_nonzero(marks, axis=1)
        return np.asarray(rows * (1.0 if self.weights is None else self.weights))

    def against_rest(self, labels: Any, samplewise: bool = False) -> Counts:
        """Return the counts of each requested column over rows, or of each row over columns."""
        true, pred = self.true, self.pred
        if labels is not None:
            columns = np.asarray(labels)
            columns = columns.astype(int) if columns.dtype == bool else columns  # True is 1
            if columns.min() < 0 or columns.max() >= true.shape[1]:
                raise UnusualError
            true, pred = true[:, columns], pred[:, columns]
        parts = true & pred, ~true & pred, true & ~pred, ~(true | pred)
        if samplewise:
            return Counts(*map(self._of_rows, parts))
        if self.weights is None:
            return Counts(*(np.count_nonzero(part, axis=0) for part in parts))
        return Counts(*(self.weights.astype(np.float64) @ part for part in parts))

    def errors(self, of_cells: bool = False) -> Array:
        """Return a matrix whose accuracy is that of whole rows, or of their cells."""
        right = self.true == self.pred
        if not of_cells:
            right = right.all(1, keepdims=True)
        return np.array([[self._of_rows(right).sum(), self._of_rows(~right).sum()], [0.0, 0.0]])


Targets = Classes | Marks


def count(y_true: Any, y_pred: Any, sample_weight: Any = None) -> Targets:
    """Count plain arrays of true and predicted labels.

    >>> count(["b", "a", "b"], ["b", "b", "b"]).matrix
    array([[0., 1.],
           [0., 2.]])
    >>> count([[0, 1], [1, 1]], [[1, 1], [0, 1]]).against_rest(None).tp
    array([0., 2.])
    """
    true, pred = plain(y_true), plain(y_pred)
    if true.shape != pred.shape:
        raise UnusualError
    weights = weights_of(sample_weight, len(true))
    if true.ndim == 2:
        return Marks(marks_of(true), marks_of(pred), weights)
    kind = true.dtype.kind
    alike = next((kinds for kinds in ("biu", "f", "UO") if kind in kinds), "")
    if pred.dtype.kind not in alike:
        raise UnusualError
    try:
        if weights is None:
            tally = LabelTally.from_arrays(true, pred)
            names, codes = tally.labels, None
        else:
            names, codes = join_labels({"y_true": coded(true), "y_pred": coded(pred)})
    except InputError:
        raise UnusualError from None
    if (k := len(names)) > MANY_CLASSES:  # whose matrix is not written out
        raise UnusualError
    cells: Array
    if codes is None:
        cells = np.asarray(tally.counts)
    else:
        cells = np.bincount(codes[0] * k + codes[1], weights, minlength=k * k).reshape(k, k)
    if alike == "UO" and not all(isinstance(name, str) for name in names):
        raise UnusualError
    as_true = kind == "f" or (kind == "b" and set(names) <= {0, 1})
    labels = np.array(names, true.dtype if as_true else None)
    return Classes(labels, cells, weights)


def _one_column(targets: Targets) -> Classes:
    if isinstance(targets, Marks):
        raise UnusualError
    return targets


# -- helpers -------------------------------------------------------------------------------------


def _overall(name: str, matrix: Array, **params: Any) -> float:
    return float(METRICS[name].compute(matrix, **params))


def _warn_of_one_label(labels: int) -> None:
    if labels == 1:
        warn(
            "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have "
            "the correct shape, use the 'labels' parameter to pass all known labels."
        )


def _whole(values: Any, weights: Array | None) -> Array:
    """Return counts as integers where the weights are."""
    floating = weights is not None and weights.dtype.kind == "f"
    return np.asarray(values, np.float64 if floating else np.int64)


# -- one number of all rows ----------------------------------------------------------------------


@drop_in
def accuracy_score(y_true: Any, y_pred: Any, *, normalize: bool, sample_weight: Any) -> float:
    """Return the share of rows named right; of several labels a row, all of them must be.

    >>> accuracy_score(["a", "b", "c", "c"], ["a", "b", "c", "a"])
    0.75
    """
    matrix = count(y_true, y_pred, sample_weight).errors()
    return _overall("accuracy", matrix) if normalize else float(matrix.trace())


@drop_in
def zero_one_loss(y_true: Any, y_pred: Any, *, normalize: bool, sample_weight: Any) -> float:
    """Return the share of rows named wrong, or their number.

    >>> zero_one_loss([1, 0, 1, 1], [1, 1, 1, 1], normalize=False)
    1.0
    """
    matrix = count(y_true, y_pred, sample_weight).errors()
    return _overall("error_rate", matrix) if normalize else float(misses(matrix))


@drop_in
def hamming_loss(y_true: Any, y_pred: Any, *, sample_weight: Any) -> float:
    """Return the share of labels that are wrong; of several labels a row, each counts.

    >>> hamming_loss([[0, 1], [1, 1]], [[0, 0], [1, 1]])
    0.25
    """
    return _overall("error_rate", count(y_true, y_pred, sample_weight).errors(of_cells=True))


@drop_in
def balanced_accuracy_score(
    y_true: Any, y_pred: Any, *, sample_weight: Any, adjusted: bool
) -> float:
    """Return the mean share found of the classes that are true of some row.

    tallymark's own ``balanced_accuracy`` is NaN where a class was predicted and never true; here
    such a class is left out, with a warning.

    >>> balanced_accuracy_score([1, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0])
    0.75
    """
    targets = _one_column(count(y_true, y_pred, sample_weight))
    _warn_of_one_label(len(targets.labels))
    recalls = _values("recall", targets.counts)
    n_undefined = np.count_nonzero(np.isnan(recalls))
    if n_undefined:
        warn("y_pred contains classes not in y_true")
    score = np.float64(mean(recalls))
    if adjusted:
        chance = 1 / (len(recalls) - n_undefined)
        score = (score - chance) / (1 - chance)
    return float(score)


@drop_in
def matthews_corrcoef(y_true: Any, y_pred: Any, *, sample_weight: Any) -> float:
    """Return the correlation of truth and prediction, 0 where one of them is all of one class.

    >>> round(matthews_corrcoef([1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 1]), 6)
    0.707107
    """
    matrix = _one_column(count(y_true, y_pred, sample_weight)).matrix
    _warn_of_one_label(len(matrix))
    value = _overall("matthews_corrcoef", matrix)
    return 0.0 if math.isnan(value) else value


@drop_in
def cohen_kappa_score(
    y1: Any,
    y2: Any,
    *,
    labels: Any,
    weights: str | None,
    sample_weight: Any,
    replace_undefined_by: float = math.nan,
) -> float:
    """Return the agreement beyond chance; ``replace_undefined_by`` and a warning where 0/0.

    >>> cohen_kappa_score([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """
    matrix = _one_column(count(y1, y2, sample_weight)).of_labels(labels)
    value = _overall("cohen_kappa", matrix, weights=weights)
    if math.isnan(value):
        raise UnusualError
    return value


@drop_in
def class_likelihood_ratios(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any,
    sample_weight: Any,
    replace_undefined_by: Any = math.nan,
) -> tuple[float, float]:
    """Return LR+ and LR-; x/0 is ``replace_undefined_by`` with a warning, where ours is infinite.

    >>> class_likelihood_ratios([0, 1, 0, 1, 0], [1, 1, 0, 0, 0])
    (1.5, 0.75)
    """
    targets = _one_column(count(y_true, y_pred, sample_weight))
    if targets.kind != "binary":
        raise UnusualError
    matrix = targets.of_labels(labels)
    if matrix.shape != (2, 2):
        raise InputError(
            f"class_likelihood_ratios needs two labels and there is {len(matrix)}; name both with "
            "labels=[negative, positive]"
        )
    (tn, fp), (fn, tp) = matrix
    c = Counts(tp, fp, fn, tn)
    names = "positive_likelihood_ratio", "negative_likelihood_ratio"
    plus, minus = (float(METRICS[name].compute(c)) for name in names)
    if not (math.isfinite(plus) and math.isfinite(minus)):
        raise UnusualError
    return plus, minus


# -- matrices ------------------------------------------------------------------------------------


@drop_in
def confusion_matrix(
    y_true: Any, y_pred: Any, *, labels: Any, sample_weight: Any, normalize: str | None
) -> Array:
    """Return counts [true, predicted]: integers unless weighted, a share of 0/0 made 0.

    >>> confusion_matrix([0, 1, 1, 0], [0, 1, 0, 0])
    array([[2, 0],
           [1, 1]])
    """
    targets = _one_column(count(y_true, y_pred, sample_weight))
    counts = _whole(targets.of_labels(labels), targets.weights)
    _warn_of_one_label(len(counts))
    if normalize is None:
        return counts
    axis = {"true": 1, "pred": 0, "all": None}[normalize]
    with np.errstate(all="ignore"):
        return np.asarray(np.nan_to_num(counts / counts.sum(axis=axis, keepdims=True)))


@drop_in
def multilabel_confusion_matrix(
    y_true: Any, y_pred: Any, *, sample_weight: Any, labels: Any, samplewise: bool
) -> Array:
    """Return a 2x2 matrix of counts for each label, or for each row with ``samplewise``.

    >>> multilabel_confusion_matrix([0, 2, 1], [0, 2, 2])[2]
    array([[1, 1],
           [0, 1]])
    """
    targets = count(y_true, y_pred, sample_weight)
    return _whole(targets.against_rest(labels, samplewise).matrix(), targets.weights)


# -- precision, recall and metrics of both -------------------------------------------------------

_DENOMINATORS = {
    "precision": ("Precision", "predicted"),
    "recall": ("Recall", "true"),
    "f-score": ("F-score", "true nor predicted"),
    "jaccard": ("Jaccard", "true or predicted"),
}
_SCORES = ("precision", "recall", "f-score")
_OURS = {"recall": "sensitivity", "f-score": "f_beta"}


def _values(name: str, counts: Counts, beta: float = 1.0) -> Array:
    """Return a metric of each class, NaN where it is undefined."""
    params = {"beta": float(beta)} if name == "f-score" else {}
    return METRICS[_OURS.get(name, name)].compute(counts, **params)


def _filled(
    name: str, values: Array, average: str | None, zero_division: Any, warn_for: Collection[str]
) -> Array:
    """Return the values with undefined ones replaced by ``zero_division``."""
    missing = np.isnan(values)
    if not missing.any():
        return values
    if zero_division == "warn" and name in warn_for:
        title, empty = _DENOMINATORS[name]
        each, what = ("label", "sample") if average != "samples" else ("sample", "label")
        where = f"in {each}s with" if values.size > 1 else "due to"
        undefined(
            f"{title} is ill-defined and being set to 0.0 {where} no {empty} {what}s. Use "
            "`zero_division` parameter to control this behavior."
        )
    return np.where(missing, 0.0 if zero_division == "warn" else zero_division, values)


def _counts_of(targets: Targets, labels: Any, average: str | None) -> Counts:
    """Return the counts of the requested labels, summed for the micro average."""
    c = targets.against_rest(labels, average == "samples")
    if average != "micro":
        return c
    return Counts(*([v.sum()] for v in (c.tp, c.fp, c.fn, c.tn)))


def _rates(
    y_true: Any,
    y_pred: Any,
    *names: str,
    labels: Any,
    pos_label: Any,
    average: str | None,
    sample_weight: Any,
    zero_division: Any,
    beta: float = 1.0,
    warn_for: Collection[str] | None = None,
) -> tuple[list[Any], Array]:
    """Return rates, of each class or averaged, and the true rows of each class."""
    targets = count(y_true, y_pred, sample_weight)
    if average == "binary":
        occurs = targets.kind == "binary" and pos_label in targets.place  # type: ignore[union-attr]
        if not occurs and (targets.kind != "binary" or len(targets.labels) == 2):
            raise UnusualError
        labels = [pos_label]
    elif pos_label not in (None, 1):  # which is then ignored, with a warning
        raise UnusualError
    counts = _counts_of(targets, labels, average)
    weights = {"weighted": counts.positives, "samples": targets.weights}.get(average or "")
    rates: list[Any] = []
    for name in names:
        rate, warned = name, names if warn_for is None else warn_for
        if name == "f-score" and not 0 < beta < math.inf:
            rate, warned = "precision" if beta == 0 else "recall", ()
        values = _filled(rate, _values(rate, counts, beta), average, zero_division, warned)
        rates.append(values if average is None else float(mean(values, weights)))
    return rates, _whole(counts.positives, targets.weights)


@drop_in
def precision_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """Return the share of the rows called positive that truly are; 0/0 is ``zero_division``.

    >>> precision_score([1, 1, 0, 0, 0], [1, 1, 1, 1, 0])
    0.5
    """
    return _rates(y_true, y_pred, "precision", **options)[0][0]


@drop_in
def recall_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """Return the share of the truly positive rows that were found; 0/0 is ``zero_division``.

    >>> recall_score([1, 1, 1, 1, 0], [1, 1, 1, 0, 0])
    0.75
    """
    return _rates(y_true, y_pred, "recall", **options)[0][0]


@drop_in
def f1_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """Return the harmonic mean of precision and recall; 0/0 is ``zero_division``.

    >>> f1_score([1, 1, 0, 0], [1, 0, 1, 0])
    0.5
    """
    return _rates(y_true, y_pred, "f-score", **options)[0][0]


@drop_in
def fbeta_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """Return the mean of precision and recall where recall weighs beta times as much.

    >>> fbeta_score([1, 1, 0, 0], [1, 0, 1, 0], beta=2)
    0.5
    """
    return _rates(y_true, y_pred, "f-score", **options)[0][0]


@drop_in
def jaccard_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """Return the overlap of true and predicted positives; 0/0 is ``zero_division``, 0 or 1.

    >>> jaccard_score([1, 1, 1, 0, 0], [1, 1, 0, 1, 0])
    0.5
    """
    return _rates(y_true, y_pred, "jaccard", **options)[0][0]


@drop_in
def precision_recall_fscore_support(
    y_true: Any, y_pred: Any, *, average: str | None, **options: Any
) -> tuple[Any, Any, Any, Any]:
    """Return precision, recall, F-beta and the true rows of each class, or averages of them.

    >>> precision_recall_fscore_support([0, 1, 1, 1], [0, 1, 1, 0], average="macro")
    (0.75, 0.8333333333333333, 0.7333333333333334, None)
    """
    (precision, recall, f), rows = _rates(y_true, y_pred, *_SCORES, average=average, **options)
    return precision, recall, f, rows if average is None else None


# -- the report ----------------------------------------------------------------------------------

_HEADERS = ("precision", "recall", "f1-score", "support")
_Row = tuple[Any, ...]
"""A name, precision, recall, F1 and support."""


@drop_in
def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any,
    target_names: Any,
    sample_weight: Any,
    digits: int,
    output_dict: bool,
    zero_division: Any,
) -> Any:
    """Return precision, recall, F1 and support by class and averaged, as text or as a dict.

    The rows are counted once for the whole report.

    >>> print(classification_report([0, 1, 1, 1], [0, 1, 1, 0]))
                  precision    recall  f1-score   support
    <BLANKLINE>
               0       0.50      1.00      0.67         1
               1       1.00      0.67      0.80         3
    <BLANKLINE>
        accuracy                           0.75         4
       macro avg       0.75      0.83      0.73         4
    weighted avg       0.88      0.75      0.77         4
    <BLANKLINE>
    """
    targets = count(y_true, y_pred, sample_weight)
    reported = targets.labels if labels is None else np.asarray(labels)
    names = [str(name) for name in (reported if target_names is None else target_names)]
    if len(names) != len(reported):
        raise UnusualError
    counts = _counts_of(targets, labels, None)
    support = _whole(counts.positives, targets.weights)
    weights = {"weighted": counts.positives, "samples": targets.weights}
    four = np.array([counts.tp, counts.fp, counts.fn, counts.tn])
    with_micro = Counts(*np.concatenate([four, four.sum(1, keepdims=True)], axis=1))
    rates = np.array([_values(name, with_micro) for name in _SCORES])
    undefined_somewhere = math.isnan(rates.sum())

    def scores(average: str | None) -> list[Any]:
        some = rates[:, -1:] if average == "micro" else rates[:, :-1]
        if average == "samples":
            of_rows = _counts_of(targets, labels, average)
            some = np.array([_values(name, of_rows) for name in _SCORES])
        if undefined_somewhere or average == "samples":
            named = zip(_SCORES, some, strict=True)
            some = np.array([_filled(n, v, average, zero_division, _SCORES) for n, v in named])
        if average == "micro":
            return list(some[:, 0].tolist())
        return list((mean(some, weights.get(average)) if average else some).tolist())

    rows = list(zip(names, *scores(None), support.tolist(), strict=True))
    multilabel = targets.kind == "multilabel-indicator"
    every_label = labels is None or set(reported.tolist()) >= set(targets.labels.tolist())
    micro = "accuracy" if every_label and not multilabel else "micro avg"
    averages = {"micro": micro, "macro": "macro avg", "weighted": "weighted avg"}
    if multilabel:
        averages["samples"] = "samples avg"
    total = support.sum()
    means = [(title, *scores(average), total) for average, title in averages.items()]
    return _as_dict(rows, means) if output_dict else _as_text(rows, means, names, digits)


def _as_dict(rows: Sequence[_Row], averages: Sequence[_Row]) -> dict[str, Any]:
    out: dict[str, Any] = {
        name: dict(zip(_HEADERS, map(float, values), strict=True))
        for name, *values in [*rows, *averages]
    }
    if any(name == "accuracy" for name, *_ in averages):
        out["accuracy"] = out["accuracy"]["precision"]
    return out


def _as_text(
    rows: Sequence[_Row], averages: Sequence[_Row], names: Sequence[str], digits: int
) -> str:
    width = max(len("weighted avg"), digits, *map(len, names))
    lines = [f"{'':{width}} " + "".join(f" {word:>9}" for word in _HEADERS), ""]
    one = f" %9.{digits}f"
    three = one * 3
    for i, (name, *scores, support) in enumerate([*rows, *averages]):
        if i == len(rows):
            lines.append("")
        if i >= len(rows) and name == "accuracy":
            cells = " " * 20 + one % scores[2]
        else:
            cells = three % tuple(scores)
        lines.append(f"{name:>{width}} {cells} {support!s:>9}")
    return "\n".join(lines) + "\n"
