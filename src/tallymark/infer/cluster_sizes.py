"""Compute the degrees of freedom that the sizes of clusters leave.

A jackknife over clusters estimates the variance from as many changes as there are clusters. If a
few clusters hold most rows, it rests on few of them, and the changes themselves cannot show that:
their spread is what has been estimated badly. The sizes can.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from tallymark.infer.samples import FEW_FREEDOMS
from tallymark.metric.measure import Statistic
from tallymark.quantities import percent
from tallymark.tally.arrays import Floats, Label


class ClusterSizes(NamedTuple):
    """The degrees of freedom that unequal cluster sizes leave to a variance estimate.

    ``degrees_of_freedom`` are Bell and McCaffrey's for a mean over rows that are alike within
    clusters, the same for all data of these sizes. With w the clusters' shares of the rows and
    u = w² / (1 - w), they are 1 / (Σw² + (Σu)² - Σu²): one less than clusters of equal size.
    ``largest`` is the share of the largest cluster.

    Source: bell2002.
    """

    degrees_of_freedom: float
    largest: float

    @classmethod
    def of(cls, sizes: Any) -> Self:
        """Return the facts of clusters with these numbers of rows; at least one degree of freedom.

        >>> ClusterSizes.of([5, 5, 5, 5])
        ClusterSizes(degrees_of_freedom=3.0, largest=0.25)
        >>> round(ClusterSizes.of([15, 1, 1, 1, 1, 1]).degrees_of_freedom, 2)
        1.58
        """
        sizes = np.asarray(sizes, np.float64)
        total = float(sizes.sum())
        largest = float(sizes.max(initial=0.0)) / total if total > 0 else 1.0
        if not largest < 1:
            return cls(1.0, 1.0)
        w = sizes / total
        u = w**2 / (1 - w)
        inverse = float((w**2).sum() + u.sum() ** 2 - (u**2).sum())
        return cls(max(1 / inverse, 1.0), largest)

    def warning(self, rows: ClusterSizes) -> str | None:
        """Return why an interval may be too narrow, None with enough degrees of freedom.

        ``rows`` are the sizes by all rows: if they are unequal too, the sentence names their share,
        so that it is the same for all metrics.

        >>> ClusterSizes.of([12, 1, 1]).warning(ClusterSizes.of([40, 30, 30]))
        'few clusters carry it, the largest 40 % of the rows'
        >>> ClusterSizes.of([12, 1, 1]).warning(ClusterSizes.of([10] * 10))
        'few clusters carry it, the largest 86 % of the rows that it counts'
        """
        if self.degrees_of_freedom >= FEW_FREEDOMS:
            return None
        words = "few clusters carry it, the largest {} of the rows"
        if rows.degrees_of_freedom < FEW_FREEDOMS:
            return words.format(percent(rows.largest, 0))
        return f"{words.format(percent(self.largest, 0))} that it counts"


def counted_decisions(s: Statistic, cells: Floats, labels: Sequence[Label]) -> Floats | None:
    """Return how much of what a metric's denominator counts is in each cluster.

    ``cells`` [cluster, true, predicted] are the decisions. None if the metric does not declare its
    denominator, or is an average over classes.
    """
    sampling = s.metric._sampling
    if s.metric._needs not in ("counts", "matrix") or s.average not in ("overall", "binary"):
        return None
    if sampling.denominator is not None:
        of = s.view(cells, labels)
        return np.asarray(s.metric._at_parameters(sampling.denominator, of, s.params))
    if sampling.proportion is not None:
        return np.asarray(sampling.proportion(s.view(cells, labels))[1])
    return None


def counted_rows(s: Statistic, rows: Floats, labels: Sequence[Label]) -> Floats:
    """Return the rows of each cluster from ``rows`` [cluster, true class].

    For a mean of both classes' ranks, such as the ROC area, they are the mean of the cluster's
    shares of the positives and of the negatives.
    """
    ranks = s.metric._roc_area is not None or s.metric._sampling.placements is not None
    total = np.asarray(rows.sum(-1))
    if not ranks or s.average != "binary" or s.positive is None:
        return total
    own = np.asarray(rows[:, list(labels).index(s.positive)])
    return of_both_classes(own, total - own)


def of_both_classes(positives: Floats, negatives: Floats) -> Floats:
    """Return the mean of each cluster's shares of the two classes.

    >>> of_both_classes(np.array([3.0, 1.0]), np.array([5.0, 5.0])).tolist()
    [0.625, 0.375]
    """
    with np.errstate(invalid="ignore"):
        shares = [of / of.sum() for of in (positives, negatives)]
    return np.asarray(np.nan_to_num(shares).mean(0))
