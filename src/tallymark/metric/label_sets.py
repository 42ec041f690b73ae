"""Metrics of rows with any number of labels: of predicted label sets, and of label rankings.

Each metric is the mean over rows of the function declared here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError
from tallymark.metric.registry import METRICS, Metric, RowLoss, metric
from tallymark.tally.arrays import Floats, as_array, as_weights, same_length
from tallymark.tally.sums import Sums
from tallymark.tally.threads import side_by_side, threads_for

Flags = NDArray[np.bool_]
"""Label indicators of shape (n, L): whether a row has a label."""

CELLS_AT_ONCE = 1 << 17

_VALUES_OF_ROWS: dict[str, Callable[..., Any]] = {}


class Ranks(NamedTuple):
    """Ranks of each row's labels, sorted by falling score; every field has shape (n, L).

    ``relevant`` is whether the label is true, ``rank`` the number of labels with a score at least
    as high, and ``hits`` how many of those are true.
    """

    relevant: Flags
    rank: NDArray[np.intp]
    hits: NDArray[np.intp]

    @classmethod
    def of(cls, true: Flags, scores: Floats) -> Ranks:
        """Return the ranks of the labels of each row.

        >>> Ranks.of(np.array([[True, False, False]]), np.array([[0.5, 0.9, 0.5]])).rank.tolist()
        [[1, 3, 3]]
        """
        n, k = true.shape
        order = np.argsort(-scores, axis=1, kind="stable")
        relevant = np.take_along_axis(true, order, 1)
        ordered = np.take_along_axis(scores, order, 1)
        # The rank counts labels above and tied labels, so it comes from the last index of the tie.
        ends = np.append(ordered[:, 1:] != ordered[:, :-1], np.ones((n, 1), bool), axis=1)
        last = np.minimum.accumulate(np.where(ends, np.arange(k), k)[:, ::-1], axis=1)[:, ::-1]
        return cls(relevant, last + 1, np.take_along_axis(relevant.cumsum(1), last, 1))

    def of_true(self, values: Any, otherwise: float, per: Any) -> Floats:
        """Return the sum of values over each row's true labels, divided by ``per``.

        Rows with no label or with all labels have no wrong order and get ``otherwise``.
        """
        positives = self.relevant.sum(1)
        ranked = (positives > 0) & (positives < self.relevant.shape[1])
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(ranked, np.where(self.relevant, values, 0.0).sum(1) / per, otherwise)


def mean_over_rows(needs: str, **declared: Any) -> Callable[[Callable[..., Any]], Metric]:
    """Return a decorator for the mean over rows of a function of their label sets or Ranks."""

    def declare(of_rows: Callable[..., Any]) -> Metric:
        name = of_rows.__name__
        _VALUES_OF_ROWS[name] = of_rows

        def mean(rows: Sums) -> Any:
            return np.asarray(rows.average(name))

        mean.__doc__ = of_rows.__doc__
        return metric(
            name=name,
            needs=needs,
            classes="many",
            row_loss=RowLoss(name),
            undefined={"there is no row": lambda rows: not rows.weight},
            **declared,
        )(mean)

    return declare


@mean_over_rows(
    "label_sets",
    title="Subset accuracy",
    formula="share of rows whose predicted set is the true one",
    aliases=("exact match ratio",),
    relatives=("hamming_loss", "accuracy"),
    sources=("tsoumakas2010",),
)
def subset_accuracy(true: Flags, decided: Flags) -> Any:
    """Share of rows with every label right: one wrong label counts as much as ten.

    Misleading: It falls with the number of labels, and where labels are rare most rows counted as
    right have none.

    >>> import tallymark as tm
    >>> tm.metrics.subset_accuracy([[1, 0], [1, 1]], [[1, 0], [1, 0]])
    0.5
    """
    return (true == decided).all(1)


@mean_over_rows(
    "label_sets",
    title="Hamming loss",
    formula="share of the labels of all rows that are wrong",
    better="low",
    relatives=("subset_accuracy", "error_rate"),
    sources=("tsoumakas2010",),
)
def hamming_loss(true: Flags, decided: Flags) -> Any:
    """Share of wrong labels, missed or false: the error rate over all rows and labels together.

    Misleading: Where labels are rare, predicting none of them has a loss near 0.

    >>> import tallymark as tm
    >>> tm.metrics.hamming_loss([[1, 0], [1, 1]], [[1, 0], [1, 0]])
    0.25
    """
    return (true != decided).mean(1)


@mean_over_rows(
    "label_rankings",
    title="Ranking loss",
    formula="mean share of pairs of a true and another label that are out of order or tied",
    better="low",
    relatives=("label_ranking_average_precision", "coverage_error"),
    sources=("schapire2000", "tsoumakas2010"),
)
def ranking_loss(r: Ranks) -> Any:
    """Share of label pairs of a row in which the wrong label scores at least as high.

    Misleading: A row without labels, or with all of them, has no such pair and counts as 0.

    >>> import tallymark as tm
    >>> tm.metrics.ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    0.75
    """
    return r.of_true(r.rank - r.hits, 0.0, per=r.relevant.sum(1) * (~r.relevant).sum(1))


@mean_over_rows(
    "label_rankings",
    title="Coverage error",
    formula="mean rank of the true label of lowest score",
    better="low",
    range=(0, math.inf),
    relatives=("ranking_loss", "label_ranking_average_precision"),
    sources=("schapire2000", "tsoumakas2010"),
)
def coverage_error(r: Ranks) -> Any:
    """Mean depth in the ranked labels at which all true ones are found; ties rank above.

    The best value is the mean number of labels per row.

    Misleading: One low-ranked true label decides a row, and rows without labels count as 0.

    >>> import tallymark as tm
    >>> tm.metrics.coverage_error([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    2.5
    """
    return np.where(r.relevant, r.rank, 0).max(1)


@mean_over_rows(
    "label_rankings",
    title="Label-ranking average precision",
    formula="mean over rows and their true labels of the share of true labels down to its rank",
    aliases=("LRAP",),
    relatives=("average_precision", "ranking_loss"),
    sources=("schapire2000", "tsoumakas2010"),
)
def label_ranking_average_precision(r: Ranks) -> Any:
    """Share of true labels among those ranked at least as high as a true one; 1 is perfect.

    Misleading: A row without labels, or with all of them, counts as 1.

    >>> import tallymark as tm
    >>> p = [[0.75, 0.5, 1], [1, 0.2, 0.1]]
    >>> round(tm.metrics.label_ranking_average_precision([[1, 0, 0], [0, 0, 1]], p), 4)
    0.4167
    """
    return r.of_true(r.hits / r.rank, 1.0, per=r.relevant.sum(1))


# -- arrays --------------------------------------------------------------------------------------


def values_of_rows(true: Flags, second: Any, needs: str) -> dict[str, Floats]:
    """Return, by metric, the values per row of predicted sets ("label_sets") or of scores.

    >>> values = values_of_rows(np.array([[True, False]]), np.array([[True, True]]), "label_sets")
    >>> values["hamming_loss"]
    array([0.5])
    """
    names = [m.name for m in METRICS.values() if m._needs == needs]
    step, values = max(1, CELLS_AT_ONCE // true.shape[1]), np.empty((len(names), len(true)))

    def measure(block: int) -> None:
        rows = slice(block * step, (block + 1) * step)
        read: Any = (true[rows], second[rows])
        if needs != "label_sets":
            read = (Ranks.of(*read),)
        for i, name in enumerate(names):
            values[i, rows] = _VALUES_OF_ROWS[name](*read)

    side_by_side(measure, -(-len(true) // step), threads_for(true.size))
    return dict(zip(names, values, strict=True))


def flags_of(matrix: Any, name: str) -> Flags:
    """Return a matrix of 0 and 1, one column per label, as bool; other values raise InputError.

    >>> flags_of([[1, 0], [0.0, True]], "y_true").tolist()
    [[True, False], [False, True]]
    """
    array = as_array(matrix, name)
    if array.ndim != 2 or array.shape[1] < 2:
        raise InputError(
            f"{name} has shape {array.shape}; give one column of 0 and 1 for each of several labels"
        )
    with np.errstate(invalid="ignore"):
        flags = array == 1
    odd = ~(flags | (array == 0))
    if odd.any():
        i, j = np.argwhere(odd)[0].tolist()
        value = array[i, j].item() if isinstance(array[i, j], np.generic) else array[i, j]
        raise InputError(
            f"{name} holds {value!r} at index {i} of column {j}; each of several columns stands "
            "for a label and holds 0 and 1: give classes as one column, and lists of labels as sets"
        )
    return np.asarray(flags, bool)


def sums_of_arrays(m: Metric, y_true: Any, y_second: Any, sample_weight: Any = None) -> Sums:
    """Return the sums of a metric over rows of true sets and of predicted sets or scores."""
    true = flags_of(y_true, "y_true")
    weights = as_weights(sample_weight, "sample_weight")
    of_sets = m._needs == "label_sets"
    second = flags_of(y_second, "y_pred") if of_sets else as_array(y_second, "y_score")
    if second.shape[1:] != true.shape[1:]:
        raise InputError(
            f"y_true has {true.shape[1]} columns and the predictions have shape {second.shape}; "
            "give one column per label"
        )
    same_length(y_true=true, predictions=second, sample_weight=weights)
    second = second if of_sets else second.astype(np.float64)
    return Sums._of_values(values_of_rows(true, second, m._needs), weights)
