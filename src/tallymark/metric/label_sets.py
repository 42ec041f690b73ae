"""Rows with any number of labels: whether the whole set is right, and how the labels are ranked."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tallymark.metric.registry import Metric, RowLoss, metric
from tallymark.tally.sums import Sums


def of_sets(name: str, **declared: Any) -> Callable[[Any], Metric]:
    """Declare a mean over rows that have any number of labels."""
    return partial(
        metric, name=name, classes="many", row_loss=RowLoss(name),
        undefined={"there is no row": lambda rows: not rows.weight},
    )(**{"needs": "label_sets", **declared})  # fmt: skip


@of_sets(
    "subset_accuracy",
    title="Subset accuracy",
    formula="share of rows whose predicted set is the true one",
    aliases=("exact match ratio",),
    relatives=("hamming_loss", "accuracy"),
    sources=("tsoumakas2010",),
)
def subset_accuracy(rows: Sums) -> Any:
    """Share of rows of which every label is right: one wrong label is as bad as ten.

    Misleading: It falls with the number of labels, and where labels are rare most of the rows that
    are right have none.

    >>> import tallymark as tm
    >>> tm.metrics.subset_accuracy([[1, 0], [1, 1]], [[1, 0], [1, 0]])
    0.5
    """
    return np.asarray(rows.average("subset_accuracy"))


@of_sets(
    "hamming_loss",
    title="Hamming loss",
    formula="share of the labels of all rows that are wrong",
    better="low",
    relatives=("subset_accuracy", "error_rate"),
    sources=("tsoumakas2010",),
)
def hamming_loss(rows: Sums) -> Any:
    """Share of wrong labels, missed or false: the error rate over all rows and labels together.

    Misleading: Where labels are rare, predicting none of them has a loss near 0.

    >>> import tallymark as tm
    >>> tm.metrics.hamming_loss([[1, 0], [1, 1]], [[1, 0], [1, 0]])
    0.25
    """
    return np.asarray(rows.average("hamming_loss"))


@of_sets(
    "ranking_loss",
    title="Ranking loss",
    needs="label_rankings",
    formula="mean share of pairs of a true and another label that are out of order or tied",
    better="low",
    relatives=("label_ranking_average_precision", "coverage_error"),
    sources=("schapire2000", "tsoumakas2010"),
)
def ranking_loss(rows: Sums) -> Any:
    """Share of pairs of labels of one row of which the wrong one has a score at least as high.

    Misleading: A row without labels, or with all of them, has no such pair and counts 0.

    >>> import tallymark as tm
    >>> tm.metrics.ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    0.75
    """
    return np.asarray(rows.average("ranking_loss"))


@of_sets(
    "coverage_error",
    title="Coverage error",
    needs="label_rankings",
    formula="mean rank of the true label of lowest score",
    better="low",
    range=(0, math.inf),
    relatives=("ranking_loss", "label_ranking_average_precision"),
    sources=("schapire2000", "tsoumakas2010"),
)
def coverage_error(rows: Sums) -> Any:
    """How far down the list of labels one must go to find all true ones; ties count as above.

    The best value is the mean number of labels a row.

    Misleading: One true label far down decides a row, and rows without labels count 0.

    >>> import tallymark as tm
    >>> tm.metrics.coverage_error([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    2.5
    """
    return np.asarray(rows.average("coverage_error"))


@of_sets(
    "label_ranking_average_precision",
    title="Label-ranking average precision",
    needs="label_rankings",
    formula="mean over rows and their true labels of the share of true labels down to its rank",
    aliases=("LRAP",),
    relatives=("average_precision", "ranking_loss"),
    sources=("schapire2000", "tsoumakas2010"),
)
def label_ranking_average_precision(rows: Sums) -> Any:
    """How many of the labels ranked at least as high as a true one are true: 1 is perfect.

    Misleading: A row without labels, or with all of them, counts 1.

    >>> import tallymark as tm
    >>> p = [[0.75, 0.5, 1], [1, 0.2, 0.1]]
    >>> round(tm.metrics.label_ranking_average_precision([[1, 0, 0], [0, 0, 1]], p), 4)
    0.4167
    """
    return np.asarray(rows.average("label_ranking_average_precision"))
