"""Groups of metrics: which have a high correlation with one another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.core import Display, Floats, fields_of

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
    left_out: tuple[str, ...]
    silhouettes: dict[int, float]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON."""
        return {"distance": DISTANCE, "linkage": LINKAGE, **fields_of(self, "order")}


def cluster(
    metrics: Sequence[str], pearson: Floats, spearman: Floats, *, cut: float | None = None
) -> Clustering:
    """Cluster metrics by average linkage; similar means a high correlation, not a strong one.

    The distance is 1 - r with r the mean of both coefficients: two metrics that run against each
    other are far apart, for they would choose different classifiers. Average linkage takes the
    mean over all pairs across two groups, like the means inside and across groups that are shown
    beside it; single linkage would chain, and complete linkage would depend on one pair.

    The groups are those with the largest mean silhouette (Rousseeuw 1987) among 2 to K-1 groups,
    the fewest where several are equal, or those joined above the correlation ``cut``.

    >>> r = np.array([[1, 0.9, 0.1], [0.9, 1, 0.2], [0.1, 0.2, 1]])
    >>> cluster(["accuracy", "kappa", "auc"], r, r).groups
    (('accuracy', 'kappa'), ('auc',))
    """
    from scipy.cluster.hierarchy import leaves_list

    complete = _complete((pearson + spearman) / 2)
    names = [metrics[i] for i in complete]
    left_out = tuple(m for m in metrics if m not in names)
    if len(names) < 2:
        return Clustering(
            (), tuple(names), (), "no two metrics have a correlation", cut, {}, {}, left_out, {}
        )
    pearson, spearman = (r[np.ix_(complete, complete)] for r in (pearson, spearman))
    tree, labels, silhouettes = cut_tree((pearson + spearman) / 2, cut)
    rule = "two metrics are not grouped; give a cut to group them"
    if cut is not None:
        rule = f"joined where the mean correlation is {cut:g} or higher"
    elif silhouettes:
        rule = "the number of groups with the largest mean silhouette"
    groups = named_groups(names, labels)
    coefficients = {"pearson": pearson, "spearman": spearman}
    return Clustering(
        _merges(tree, names),
        tuple(names[i] for i in leaves_list(tree)),
        groups,
        rule,
        cut,
        inside={c: _means(of_pairs(names, groups, r, True)) for c, r in coefficients.items()},
        across={c: _means(of_pairs(names, groups, r, False)) for c, r in coefficients.items()},
        left_out=left_out,
        silhouettes=silhouettes,
    )


def cut_tree(both: Floats, cut: float | None) -> tuple[Floats, NDArray[Any], dict[int, float]]:
    """Return the linkage, a group's number for each metric, and the mean silhouettes."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    distance = np.maximum(1.0 - (both + both.T) / 2, 0.0)
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance, checks=False), LINKAGE)
    cuts = {k: fcluster(tree, k, "maxclust") for k in range(2, len(both))}
    silhouettes = {k: _silhouette(distance, labels) for k, labels in cuts.items()}
    labels = np.arange(len(both))
    if cut is not None:
        labels = fcluster(tree, 1.0 - cut, "distance")
    elif silhouettes:
        best = max(silhouettes.values())
        labels = cuts[min(k for k, v in silhouettes.items() if v >= best - 1e-12)]
    return tree, labels, silhouettes


def named_groups(names: Sequence[str], labels: NDArray[Any]) -> tuple[tuple[str, ...], ...]:
    """Return the groups in the order of ``names``."""
    return tuple(
        tuple(m for m, of in zip(names, labels, strict=True) if of == label)
        for label in dict.fromkeys(labels.tolist())
    )


def group_numbers(groups: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the number of each metric's group."""
    return {m: i for i, g in enumerate(groups) for m in g}


def of_pairs(
    metrics: Sequence[str], groups: Sequence[Sequence[str]], matrix: Floats, same: bool
) -> list[float]:
    """Return the correlations of pairs of metrics inside groups if ``same``, else across them.

    Pairs without a correlation, and metrics that are in no group, are left out.
    """
    group = group_numbers(groups)
    pairs = [
        float(matrix[i, j])
        for (i, a), (j, b) in combinations(enumerate(metrics), 2)
        if a in group and b in group and (group[a] == group[b]) == same
    ]
    return [v for v in pairs if not math.isnan(v)]


def _complete(both: Floats) -> list[int]:
    """Return metrics that all correlate pairwise, leaving out those that lack most."""
    complete = list(range(len(both)))
    while complete:
        lacking = np.isnan(both[np.ix_(complete, complete)]).sum(1)
        if not lacking.any():
            break
        complete.pop(int(np.argmax(lacking)))
    return complete


def _silhouette(distance: Floats, labels: NDArray[Any]) -> float:
    """Return the mean silhouette; a group of one counts 0."""
    member = labels[:, None] == np.unique(labels)
    sums, sizes = distance @ member, member.sum(0)
    inside = (sums / np.maximum(sizes - 1, 1))[member]
    nearest = np.where(member, np.inf, sums / sizes).min(1)
    larger = np.maximum(inside, nearest)
    in_company = (member & (sizes > 1)).any(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        scores = np.where(in_company & (larger > 0), (nearest - inside) / larger, 0.0)
    return float(scores.mean())


def _merges(tree: Floats, names: Sequence[str]) -> tuple[Merge, ...]:
    members: list[tuple[str, ...]] = [(n,) for n in names]
    out = []
    for left, right, height, _ in tree:
        a, b = members[int(left)], members[int(right)]
        out.append(Merge(a, b, float(height)))
        members.append((*a, *b))
    return tuple(out)


def _means(r: Sequence[float]) -> Means:
    if not r:
        return Means(0, math.nan, math.nan, math.nan)
    return Means(len(r), float(np.mean(r)), min(r), max(r))
