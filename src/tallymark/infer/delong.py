"""Compute DeLong variances and intervals of ROC areas from score counts, in O(distinct scores).

Covariances between models and clustered variances (Obuchowski) need the rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark import _kernels
from tallymark.infer.cluster_sizes import ClusterSizes, of_both_classes
from tallymark.tally.arrays import Floats
from tallymark.tally.joint import PairedPredictions
from tallymark.tally.score_counts import placement_sums
from tallymark.tally.scores import ScoreCounts, ScoreTally


def auc_variance(tally: ScoreTally) -> tuple[float, float]:
    """Return the AUC and DeLong's estimate of its variance (DeLong, DeLong & Clarke-Pearson 1988).

    The placement of a positive row is the share of negatives that score lower, and that of a
    negative row is the share of positives that score higher; ties count half. The variance of the
    AUC is the sum of the variances of the two mean placements. Weighted rows enter with their
    squared weights.
    """
    return _of_ranking(tally._score_counts, tally._squared_score_counts)


def auc_parts(tally: ScoreTally) -> tuple[float, list[tuple[float, float]]]:
    """Return the AUC, and per class the variance of its mean placement and its effective rows.

    The positive class is first. The two variances add up to that of :func:`auc_variance`; NaN for
    a class with one row.

    >>> t = ScoreTally.from_arrays([0, 0, 0, 1, 1], [0.1, 0.3, 0.6, 0.2, 0.8])
    >>> area, parts = auc_parts(t)
    >>> round(area, 3), [(round(v, 4), n) for v, n in parts]
    (0.667, [(0.1111, 2.0), (0.0278, 3.0)])
    """
    return _parts_of(tally._score_counts, tally._squared_score_counts)


def _of_ranking(r: ScoreCounts, squares: ScoreCounts | None) -> tuple[float, float]:
    auc, parts = _parts_of(r, squares)
    return auc, sum(variance for variance, _ in parts)


def _parts_of(
    r: ScoreCounts, squares: ScoreCounts | None
) -> tuple[float, list[tuple[float, float]]]:
    p, n = float(r.positives), float(r.negatives)
    auc, *spreads = r._cached(placement_sums, squares=squares)
    second = (p, n)
    if squares is not None:
        second = float(squares.pos.sum()), float(squares.neg.sum())
    parts = []
    for total, total2, spread in zip((p, n), second, spreads, strict=True):
        effective = total**2 / total2 if total2 else 0.0
        variance = math.nan
        if effective > 1:
            variance = spread / total**2 * effective / (effective - 1)
        parts.append((variance, effective))
    return auc, parts


class Areas(NamedTuple):
    """AUCs of models: ``values`` [..., M] and their ``covariance`` [..., M, M].

    ``parts`` are the terms that add up to the covariance, each with its effective number of rows
    or clusters.
    """

    values: Floats
    covariance: Floats
    parts: tuple[tuple[Floats, Any], ...]


def areas_of(joint: PairedPredictions, tallies: Sequence[ScoreTally]) -> Areas:
    """Return the AUCs of several models on the same rows, their covariance, and its terms.

    Every row has a placement in each model, as in :func:`auc_variance`. The covariance of the
    AUCs is the covariance of the mean placements of the positives plus that of the negatives
    (DeLong, DeLong & Clarke-Pearson 1988). It is NaN if a class has fewer than two rows. Weighted
    rows enter with their squared weights.

    With clusters, placements are summed within each cluster, and the placements of positives and
    negatives of one cluster may be correlated (Obuchowski 1997). With P and N the sums over a
    cluster of (placement - AUC) / rows of the class, the covariance is I/(I-1) times the sum of
    P'P over clusters with positives, of N'N over clusters with negatives, and of P'N + N'P over
    all clusters, where I is the number of clusters in each sum. Clusters of one row each give
    DeLong's covariance. It is NaN if a class occurs in fewer than two clusters. The degrees of
    freedom are Satterthwaite's, 2 V² / Var(V) with V the sum over clusters of (P + N)², because a
    few large clusters carry most of the variance; they are at most those that the sizes of the
    clusters leave, and one less than the number of clusters with the rarer class.
    """
    own = (joint.true == joint.positive_code).view(np.uint8)
    models, areas = [], []
    for side, tally in zip(joint.models, tallies, strict=True):
        r = tally._score_counts
        columns = (side.scores[0], r.scores, *r._cumulative_counts)
        models.append([np.ascontiguousarray(c, np.float64) for c in columns])
        with np.errstate(invalid="ignore"):  # with one class only, placements are undefined
            areas.append(r._cached(placement_sums, squares=None)[0])
    aucs = np.array(areas)
    add_up = _of_rows if joint.clusters is None else _of_clusters
    sums, crossed, least = add_up(joint, own, models, aucs)
    if min(effective for _, effective in sums) <= 1:
        return Areas(aucs, np.full((len(aucs), len(aucs)), math.nan), ())
    parts = [(each * effective / (effective - 1), effective) for each, effective in sums]
    covariance = parts[0][0] + parts[1][0]
    if crossed is not None:
        covariance = covariance + crossed + crossed.T
        # A cluster may hold rows of both classes, so the two terms are not independent.
        parts = [(covariance, min(least, *(effective for _, effective in parts)))]
    return Areas(aucs, covariance, tuple(parts))


def _of_rows(
    joint: PairedPredictions,
    own: NDArray[np.uint8],
    models: Sequence[Sequence[Floats]],
    aucs: Floats,
) -> tuple[list[tuple[Floats, float]], Floats | None, float]:
    """Return per class the sum of placement products with its effective number of rows.

    Also return the products across classes, None where no row has a placement in both, and the
    effective number of clusters.
    """
    products = np.empty((2, len(aucs), len(aucs)))
    column, scores, tp, fp = (list(c) for c in zip(*models, strict=True))
    _kernels.add_products(column, scores, tp, fp, aucs, own, joint.weights, products.reshape(-1))
    out = []
    for each, code in zip(products, (1, 0), strict=True):
        total = second = float(np.count_nonzero(own == code))
        if joint.weights is not None:
            weights = joint.weights[own == code]
            total, second = float(weights.sum()), float((weights**2).sum())
        out.append((each / total**2, total**2 / second) if second else (each, 0.0))
    return out, None, math.inf


def _of_clusters(
    joint: PairedPredictions,
    own: NDArray[np.uint8],
    models: Sequence[Sequence[Floats]],
    aucs: Floats,
) -> tuple[list[tuple[Floats, float]], Floats | None, float]:
    """Return the same as :func:`_of_rows`, with placements summed within clusters.

    The effective numbers count clusters.
    """
    assert joint.clusters is not None
    assert joint.groups is not None
    off = np.empty((len(models), joint.rows))
    for (column, scores, tp, fp), auc, place in zip(models, aucs.tolist(), off, strict=True):
        _kernels.place_rows(column, scores, tp, fp, auc, own, place)
    if joint.weights is not None:
        off *= joint.weights
    parts, sums, sizes = [], [], []
    for rows in (own == 1, own == 0):
        within = joint.clusters[rows]
        weights = None if joint.weights is None else joint.weights[rows]
        sizes.append(np.bincount(within, weights, joint.groups).astype(np.float64))
        with np.errstate(invalid="ignore"):
            each = np.stack([np.bincount(within, o[rows], joint.groups) for o in off])
            each = each / sizes[-1].sum()
            parts.append((each @ each.T, float(len(np.unique(within)))))
        sums.append(each)
    square = (sums[0] + sums[1]) ** 2
    second = square.sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = 2 * second**2 / ((square**2).sum(1) - second**2 / joint.groups)
    few = freedom[np.isfinite(freedom) & (freedom > 0)]
    least = ClusterSizes.of(of_both_classes(*sizes)).degrees_of_freedom
    crossed = sums[0] @ sums[1].T * (joint.groups / max(joint.groups - 1, 1))
    return parts, crossed, 1 + max(float(few.min(initial=least)), 1.0)


def area_slopes(tally: ScoreTally, *, pairs: bool = False) -> tuple[Floats, Floats]:
    """Return the influence of one row at each score on the AUC, [other class, score].

    The first array is for positive rows, the second for negative rows. The influence is
    (placement - AUC) / (weight of the class without the row): the exact change when the row is
    removed, per unit of its weight. The negatives form one class, or with ``pairs`` each true
    class other than the positive one is separate.

    >>> t = ScoreTally.from_arrays([0, 0, 1, 1], [0.1, 0.3, 0.2, 0.4])  # AUC 3/4
    >>> pos, neg = area_slopes(t)
    >>> pos[0, [1, 3]].tolist(), neg[0, [0, 2]].tolist()  # without (1, 0.2) it is 1: it moved -1/4
    ([-0.25, 0.25], [0.25, -0.25])
    """

    def of(table: Floats) -> tuple[Floats, Floats]:
        own = tally.labels.index(tally.positive)
        rest = np.delete(table, own, axis=1).T
        return table[:, own][None], rest if pairs else rest.sum(0, keepdims=True)

    def below(counts: Floats) -> Floats:
        return np.asarray(np.cumsum(counts, -1) - counts / 2)

    pos, neg = of(tally.counts)
    squares = tally.sum_squared_weights
    unit = [np.ones((1, 1))] * 2
    p, n = (v.sum(-1, keepdims=True) for v in (pos, neg))
    with np.errstate(all="ignore"):
        if squares is not None:  # weight of a typical row at each score
            unit = [
                np.where(w > 0, w2 / w, 0.0) for w, w2 in zip((pos, neg), of(squares), strict=True)
            ]
        lower = below(neg) / n
        area = (pos * lower).sum(-1, keepdims=True) / p
        return (lower - area) / (p - unit[0]), (1 - below(pos) / p - area) / (n - unit[1])


def hand_till_error(tallies: Sequence[ScoreTally]) -> float:
    """Return a conservative standard error of Hand and Till's M.

    Its pairwise areas share rows, and the tallies do not hold their covariance, so this returns
    the upper bound: the error of a mean is at most the mean of the errors.
    """
    errors = []
    for t in tallies:
        others = [i for i, label in enumerate(t.labels) if label != t.positive]
        counts, second = t._pairs_with(others, t.counts), t.sum_squared_weights
        squares = repeat(None) if second is None else t._pairs_with(others, second)
        errors += [math.sqrt(_of_ranking(*pair)[1]) for pair in zip(counts, squares, strict=False)]
    return sum(errors) / len(errors)


def one_by_chance(mean: Any, rows: Any, share: Any = 1.0) -> tuple[Any, Any]:
    """Return the change in a mean and in its variance from one extra row, uniform on 0 to 1.

    With weight u beside k other rows, the extra row moves the mean A by u (1/2 - A) / (k + u) and
    adds the variance u (1/12 + (1/2 - A)² k / (k + u)) / ((k + u) (k + u + 1)).

    >>> one_by_chance(0.5, 1.0)  # one row at 1/2, and one anywhere
    (0.0, 0.013888888888888888)
    """
    every = rows + share
    spread = share * (1 / 12 + (0.5 - mean) ** 2 * rows / every)
    return share * (0.5 - mean) / every, spread / (every * (every + 1))


def area_posterior(
    auc: Any, variance: Any, m: Any, n: Any, placed: tuple[float, float] = (1.0, 1.0)
) -> tuple[Floats, Floats]:
    """Return the posterior mean and variance of AUCs from m positives and n negatives.

    One row with a uniform placement (:func:`one_by_chance`) is added: a share n/(m+n) of it to
    the positives and m/(m+n) to the negatives. The rows of each class get Dirichlet weights
    (Rubin's Bayesian bootstrap), which scales DeLong's variance by (k-1)/(k+1), with k the rows
    of the smaller class. The extra row keeps the interval wide in small samples: with ten
    positives above all negatives, an AUC of about 0.8 is still possible. For a partial area, only
    the share ``placed`` of the rows of each class has a placement.

    >>> mean, variance = area_posterior(0.9, 0.003, 10, 90)
    >>> round(float(mean), 4), round(float(variance), 4)
    (0.8665, 0.0041)
    """
    k = np.minimum(m, n)
    mean, spread = auc + 0.0, variance * (k - 1) / (k + 1)
    m, n = m * placed[0], n * placed[1]
    for rows, share in ((m, n / (m + n)), (n, m / (m + n))):
        moved, added = one_by_chance(auc, rows, share)
        mean, spread = mean + moved, spread + added
    return mean, spread


def newcombe_variance(a: Any, m: Any, n: Any) -> Any:
    """Return Newcombe's (2006) variance of areas A from m positives and n negatives.

    V(A) = A(1-A)/(mn) * (1 + k (1-A)/(2-A) + k A/(1+A)), k = (m+n)/2 - 1.
    """
    k = (m + n) / 2 - 1
    return np.maximum(a * (1 - a) * (1 + k * (1 - a) / (2 - a) + k * a / (1 + a)) / (m * n), 0.0)


def newcombe(auc: Any, m: Any, n: Any, z: Any) -> tuple[Floats, Floats]:
    """Return the score intervals of AUCs from m positives and n negatives (Newcombe 2006).

    The bounds are the areas A at distance z sqrt(V(A)) from the observed one.

    >>> low, high = newcombe(1.0, 10, 10, 1.959964)
    >>> round(float(low), 3), float(high)
    (0.8, 1.0)
    """

    def beyond(a: Any) -> Any:
        return np.abs(auc - a) > z * np.sqrt(newcombe_variance(a, m, n))

    def search(outside: float) -> Any:
        inside: Any = auc
        out: Any = outside
        for _ in range(100):
            middle = (inside + out) / 2
            far = beyond(middle)
            inside, out = np.where(far, inside, middle), np.where(far, middle, out)
        return np.where(beyond(outside), inside, outside)

    # The variance is 0 at exactly 0 and 1, so start just inside them.
    tiny = 1e-12
    return np.where(auc == 0, 0.0, search(tiny)), np.where(auc == 1, 1.0, search(1 - tiny))
