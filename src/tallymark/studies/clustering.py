"""Groups of metrics that say the same: hierarchical clustering of their correlations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.display import Display
from tallymark.metric.measure import fields_of
from tallymark.tally.arrays import Floats

DISTANCE = "1 - (mean Pearson + mean Spearman) / 2"
LINKAGE = "average"


@dataclass(frozen=True, slots=True)
class Merge:
    """Two groups of metrics joined at a height: the mean distance between their members."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    height: float


@dataclass(frozen=True, slots=True)
class Means:
    """Mean, least and largest correlation of pairs inside groups, or across them."""

    pairs: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, repr=False)
class Clustering(Display):
    """The order of merges, and the groups at the cut.

    ``inside`` and ``across`` are per coefficient; ``left_out`` are metrics without a correlation
    to every other; ``silhouettes`` are the mean silhouette of each number of groups.
    """

    merges: tuple[Merge, ...]
    order: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    rule: str
    cut: float | None
    inside: dict[str, Means]
    across: dict[str, Means]
    between: tuple[tuple[int, int, float, float], ...]
    left_out: tuple[str, ...]
    silhouettes: dict[int, float]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON."""
        plain = {k: v for k, v in fields_of(self).items() if k not in ("order", "between")}
        return {"distance": DISTANCE, "linkage": LINKAGE, **plain}


def cluster(
    metrics: Sequence[str], pearson: Floats, spearman: Floats, *, cut: float | None = None
) -> Clustering:
    """Cluster metrics by average linkage; similar means a high correlation, not a strong one.

    The distance is 1 - r with r the mean of both coefficients: two metrics that run against each
    other are far apart, for they would choose different classifiers. Average linkage takes the
    mean over all pairs across two groups, as the means inside and across groups that are told
    beside it do; single linkage would chain, complete linkage would hang on one pair.

    The groups are those with the largest mean silhouette (Rousseeuw 1987) among 2 to K-1 groups,
    the fewest where several are equal, or those joined above the correlation ``cut``.

    >>> r = np.array([[1, 0.9, 0.1], [0.9, 1, 0.2], [0.1, 0.2, 1]])
    >>> cluster(["accuracy", "kappa", "auc"], r, r).groups
    (('accuracy', 'kappa'), ('auc',))
    """
    from scipy.cluster.hierarchy import leaves_list

    both = (pearson + spearman) / 2
    kept = _complete(both)
    names = [metrics[i] for i in kept]
    left_out = tuple(m for m in metrics if m not in names)
    if len(names) < 2:
        return Clustering((), tuple(names), (), "no two metrics have a correlation", cut, {}, {},
                          (), left_out, {})  # fmt: skip
    tree, labels, silhouettes = _cut_tree(both[np.ix_(kept, kept)], cut)
    if cut is not None:
        rule = f"joined where the mean correlation is {cut:g} or higher"
    elif not silhouettes:
        rule = "two metrics are not grouped; name a cut to group them"
    else:
        rule = "as many groups as make the mean silhouette largest"
    groups = _named(names, labels)
    places = [[list(metrics).index(m) for m in g] for g in groups]
    group = {i: g for g, members in enumerate(places) for i in members}
    pairs = list(combinations(sorted(group), 2))
    inside = [(i, j) for i, j in pairs if group[i] == group[j]]
    across = [(i, j) for i, j in pairs if group[i] != group[j]]
    coefficients = {"pearson": pearson, "spearman": spearman}
    return Clustering(
        merges=_merges(tree, names),
        order=tuple(names[i] for i in leaves_list(tree)),
        groups=groups,
        rule=rule,
        cut=cut,
        inside={c: _means(r, inside) for c, r in coefficients.items()},
        across={c: _means(r, across) for c, r in coefficients.items()},
        between=_between(pearson, spearman, places),
        left_out=left_out,
        silhouettes=silhouettes,
    )


def partition(
    metrics: Sequence[str], pearson: Floats, spearman: Floats, cut: float | None
) -> tuple[tuple[str, ...], ...] | None:
    """Return the groups alone, as :func:`cluster` finds them; None without every correlation."""
    both = (pearson + spearman) / 2
    if np.isnan(both).any():
        return None
    return _named(metrics, _cut_tree(both, cut)[1])


def _cut_tree(both: Floats, cut: float | None) -> tuple[Floats, NDArray[Any], dict[int, float]]:
    """Return the linkage, a group's number for each metric, and the mean silhouettes."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    distance = np.maximum(1.0 - both, 0.0)
    distance = (distance + distance.T) / 2
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance, checks=False), LINKAGE)
    silhouettes = {
        k: _silhouette(distance, fcluster(tree, k, "maxclust")) for k in range(2, len(both))
    }
    if cut is not None:
        labels = fcluster(tree, 1.0 - cut, "distance")
    elif not silhouettes:
        labels = np.arange(len(both))
    else:
        best = max(silhouettes.values())
        count = min(k for k, v in silhouettes.items() if v >= best - 1e-12)
        labels = fcluster(tree, count, "maxclust")
    return tree, labels, silhouettes


def _named(names: Sequence[str], labels: NDArray[Any]) -> tuple[tuple[str, ...], ...]:
    """Return groups in the order of the metrics given."""
    groups: dict[int, list[str]] = {}
    for name, label in zip(names, labels, strict=True):
        groups.setdefault(int(label), []).append(name)
    return tuple(tuple(g) for g in groups.values())


def _complete(both: Floats) -> list[int]:
    """Return metrics of which every two have a correlation, leaving out those that lack most."""
    kept = list(range(len(both)))
    while kept:
        lacking = np.isnan(both[np.ix_(kept, kept)]).sum(1)
        if not lacking.any():
            break
        kept.pop(int(np.argmax(lacking)))
    return kept


def _silhouette(distance: Floats, labels: NDArray[Any]) -> float:
    """Return the mean silhouette; a group of one counts 0."""
    member = labels[:, None] == np.unique(labels)
    sizes = member.sum(0)
    sums = distance @ member
    in_group = member.argmax(1)
    rows = np.arange(len(labels))
    inside = sums[rows, in_group] / np.maximum(sizes[in_group] - 1, 1)
    means = np.where(member, np.inf, sums / sizes)
    nearest = means.min(1)
    larger = np.maximum(inside, nearest)
    with np.errstate(invalid="ignore", divide="ignore"):
        scores = np.where((sizes[in_group] > 1) & (larger > 0), (nearest - inside) / larger, 0.0)
    return float(scores.mean())


def _merges(tree: Floats, names: Sequence[str]) -> tuple[Merge, ...]:
    members: list[tuple[str, ...]] = [(n,) for n in names]
    out = []
    for left, right, height, _ in tree:
        a, b = members[int(left)], members[int(right)]
        out.append(Merge(a, b, float(height)))
        members.append((*a, *b))
    return tuple(out)


def _means(matrix: Floats, pairs: Sequence[tuple[int, int]]) -> Means:
    if not pairs:
        return Means(0, math.nan, math.nan, math.nan)
    values = np.array([matrix[i, j] for i, j in pairs])
    return Means(len(values), float(values.mean()), float(values.min()), float(values.max()))


def _between(
    pearson: Floats, spearman: Floats, places: Sequence[Sequence[int]]
) -> tuple[tuple[int, int, float, float], ...]:
    """Return for each two groups (and each with itself) the mean of both coefficients."""
    out = []
    for a, first in enumerate(places):
        for b in range(a, len(places)):
            pairs = [(i, j) for i in first for j in places[b] if i != j]
            if pairs:
                p, s = (float(np.mean([m[i, j] for i, j in pairs])) for m in (pearson, spearman))
                out.append((a, b, p, s))
    return tuple(out)
