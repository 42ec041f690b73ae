"""Whether metrics agree: their correlations over results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark import InputError
from tallymark.core import (
    NUMBERS,
    TEXTS,
    Display,
    Floats,
    Sampler,
    Unit,
    canonical,
    check_name,
    checked,
    contract,
    correlations,
    metric_of,
    one_of,
    plain_data,
    read_results,
    share,
    whole,
)
from tallymark.parts.relations.clustering import (
    Clustering,
    cluster,
    cut_tree,
    group_numbers,
    named_groups,
)

Bools = NDArray[np.bool_]
Ints = NDArray[np.intp]

FEWEST = 3
"""Fewest results for a correlation: of two results it is always 1 or -1."""


# -- correlations within a data set and algorithm ----------------------------------------------


def by_cell(values: Floats, sizes: Ints) -> tuple[Floats, Floats, Bools]:
    """Return Pearson [C, K, K], Spearman [C, K, K] and the pairs with a constant metric.

    ``values[n, K]`` are ordered by cell; ``sizes[C]`` are the results of each.
    """
    shape = (len(sizes), values.shape[1], values.shape[1])
    pearson, spearman = np.full(shape, np.nan), np.full(shape, np.nan)
    constant = np.zeros(shape, dtype=bool)
    for cell, x in enumerate(np.split(values.T, np.cumsum(sizes)[:-1], axis=1)):
        # Metrics that are undefined in the same results are correlated together.
        missing, places = np.isnan(x), dict[bytes, int]()
        pattern = np.array([places.setdefault(row.tobytes(), len(places)) for row in missing])
        undefined = missing[np.unique(pattern, return_index=True)[1]]
        pairs = list(combinations(range(len(undefined)), 2))
        for a, b in pairs + [(a, a) for a in range(len(undefined))]:
            defined = ~(undefined[a] | undefined[b])
            if defined.sum() >= FEWEST:
                metrics = np.flatnonzero((pattern == a) | (pattern == b))
                at = np.ix_(metrics, metrics)
                r, rho, same = correlations(x[metrics][:, defined])
                pearson[cell][at], spearman[cell][at], constant[cell][at] = r, rho, same
    return pearson, spearman, constant


# -- their averages over data sets -------------------------------------------------------------


def sums_of_sets(cells: Floats, owner: Floats) -> tuple[Floats, Floats]:
    """Return the sum and the number of defined correlations of each data set [D, K, K].

    ``owner[D, C]`` is 1 where a cell is of a data set.
    """
    defined = (~np.isnan(cells)).astype(np.float64)
    return np.tensordot(owner, np.nan_to_num(cells), 1), np.tensordot(owner, defined, 1)


def cluster_mean(cells: Floats, owner: Floats, level: float) -> tuple[Floats, Floats, Floats, Ints]:
    """Return mean, bounds and number of correlations [C, K, K]; ``owner[D, C]`` are the sets."""
    from scipy.special import stdtrit

    sums, counts = sums_of_sets(cells, owner)
    total = counts.sum(0)
    sets = np.count_nonzero(counts, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = sums.sum(0) / total
        residual = sums - counts * mean
        variance = sets / (sets - 1.0) * (residual**2).sum(0) / total**2
        half = stdtrit(np.maximum(sets - 1, 1), (1 + level) / 2) * np.sqrt(variance)
        half = np.where(sets < 2, np.nan, half)
    mean, low, high = (np.clip(v, -1.0, 1.0) for v in (mean, mean - half, mean + half))
    itself = np.eye(len(mean), dtype=bool) & (total > 0)
    mean[itself] = low[itself] = high[itself] = 1.0
    return mean, low, high, total.astype(np.intp)


def bounds_within(r: Floats, n: int, level: float, ranks: bool) -> tuple[Floats, Floats]:
    """Return Fisher's interval of the correlations of one cell of n results.

    The standard error of z is 1/sqrt(n - 3), of ranks sqrt((1 + r^2/2) / (n - 3)) (Bonett and
    Wright 2000).
    """
    from scipy.special import ndtri

    if n < 4:
        return np.full_like(r, np.nan), np.full_like(r, np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.arctanh(r)
        half = ndtri((1 + level) / 2) * np.sqrt((1 + r * r / 2 if ranks else 1.0) / (n - 3))
    return np.tanh(z - half), np.tanh(z + half)


# -- the whole ---------------------------------------------------------------------------------

Constant = Literal["skip", "one"]

COEFFICIENTS = ("pearson", "spearman")
_MATRICES = tuple(f"{name}{end}" for name in COEFFICIENTS for end in ("", "_low", "_high"))

_IN_JSON = (
    "unit",
    "definition",
    "interval",
    "level",
    "constant",
    "metrics",
    "datasets",
    "algorithms",
)
"""Keys of relations in JSON besides the matrices and the cells."""

UNIT_WORDS: Mapping[str, str] = {
    "repeat": "one result per cross-validation repeat, the mean over its folds",
    "pooled": "one result per cross-validation repeat, from its pooled predictions",
    "fold": "one result per single fold",
    "algorithm": "one result per algorithm, its mean over all repeats",
}

ALL_ALGORITHMS = "all algorithms"
"""The algorithm of a cell when algorithms are compared with one another."""


OPTIONS: Mapping[str, contract.Kind] = {
    "constant": one_of("skip", "one"),
    "cut": contract.number("[-1, 1)", "a correlation from -1 to below 1, such as 0.77"),
    "datasets": TEXTS,
    "algorithms": TEXTS,
    "reference": contract.mapping("a dictionary of metrics and pearson, spearman or both"),
    "draws": whole(1, 1_000_000),
}
"""Valid options of :func:`relations` and of the methods of :class:`Relations`."""


@dataclass(frozen=True, eq=False, repr=False)
class Relations(Display):
    """Correlations among metrics within each data set and algorithm, and their average.

    ``pearson`` and ``spearman`` [K, K] are averages over the cells (a data set and an algorithm)
    in which both metrics varied, NaN where there is none; ``_low`` and ``_high`` their interval.
    ``_averaged`` [K, K] counts those cells, ``_constant_cells`` the ones in which a metric of the
    two was constant: left out with ``constant="skip"``, taken as 1 with ``"one"``.
    ``_cell_pearson`` and ``_cell_spearman`` [C, K, K] are the correlations of each cell, NaN where
    ``_cell_constant`` is true or fewer than three results have both metrics.
    """

    source: str
    metrics: tuple[str, ...]
    unit: Unit
    constant: Constant
    level: float
    _cut: float | None
    cells: tuple[tuple[str, str], ...]
    results: tuple[int, ...]
    _cell_pearson: Floats
    _cell_spearman: Floats
    _cell_constant: Bools
    _turned: tuple[str, ...]
    _undefined: int
    _incomplete: int
    _too_few: int
    pearson: Floats = field(init=False)
    pearson_low: Floats = field(init=False)
    pearson_high: Floats = field(init=False)
    spearman: Floats = field(init=False)
    spearman_low: Floats = field(init=False)
    spearman_high: Floats = field(init=False)
    _averaged: Ints = field(init=False)
    _constant_cells: Ints = field(init=False)

    def __post_init__(self) -> None:
        averages: dict[str, Any] = {"_constant_cells": self._cell_constant.sum(0)}
        for name in COEFFICIENTS:
            cells = self._cells(name), self._owner
            mean, low, high, number = cluster_mean(*cells, self.level)
            if self._alone:
                low, high = bounds_within(mean, self.results[0], self.level, name == "spearman")
            averages |= {name: mean, f"{name}_low": low, f"{name}_high": high, "_averaged": number}
        for name, values in averages.items():
            object.__setattr__(self, name, values)

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets averaged over."""
        return tuple(dict.fromkeys(d for d, _ in self.cells))

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms averaged over."""
        return tuple(dict.fromkeys(a for _, a in self.cells))

    @property
    def definition(self) -> str:
        """The definition of the numbers in one sentence."""
        constant = "skipped" if self.constant == "skip" else "counted as correlation 1, as in Weka"
        within = "within each data set and algorithm"
        cell = "over the algorithms of each data set" if self.unit == "algorithm" else within
        turned = f"; the sign of {', '.join(self._turned)} is reversed, as lower is better"
        return (
            f"{UNIT_WORDS[self.unit]}; correlated {cell}, then the mean over these; a constant "
            f"metric is {constant}{turned if self._turned else ''}"
        )

    @property
    def interval(self) -> str:
        """The method of the intervals, or why there are none."""
        n = len(self.datasets)
        if self._alone:
            return (
                f"{share(self.level)} interval by Fisher's z, over other splits of the same "
                "data set; it does not extend to other data sets"
            )
        if n < 2:
            return "no interval: it needs two data sets or more"
        return (
            f"{share(self.level)} t interval with {n - 1} degrees of freedom; data sets are the "
            "independent units, because algorithms share the rows and folds of a data set"
        )

    @property
    def _alone(self) -> bool:
        """Whether there is a single cell, with exchangeable results: whole repeats."""
        return len(self.cells) == 1 and self.unit in ("repeat", "pooled") and not self._undefined

    @cached_property
    def _clustering(self) -> Clustering:
        """The hierarchical clustering of the metrics, cut at ``cut`` or by the silhouette."""
        return cluster(self.metrics, self.pearson, self.spearman, cut=self._cut)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The groups of metrics."""
        return self._clustering.groups

    @checked(**OPTIONS)
    def stability(self, draws: int = 200, seed: int = 0) -> float:
        """Return how often resampling the data sets with replacement gives the same groups.

        From 0 to 1; NaN with fewer than two data sets, or where a metric has no correlation.
        """
        if len(self.datasets) < 2 or self._clustering.left_out or not self.groups:
            return math.nan
        pearson, spearman = (redrawn_means(self, name, draws, seed) for name in COEFFICIENTS)
        same = 0
        for both in (pearson + spearman) / 2:
            if not np.isnan(both).any():
                _, labels, _ = cut_tree(both, self._cut)
                same += named_groups(self.metrics, labels) == self.groups
        return same / draws

    @property
    def _owner(self) -> Floats:
        """Return [D, C]: 1 where a cell is of a data set."""
        owners = np.array([d for d, _ in self.cells])
        owner: Floats = np.equal.outer(np.array(self.datasets), owners).astype(np.float64)
        return owner

    def _cells(self, name: str) -> Floats:
        """Return a coefficient of every cell as it enters the average."""
        cells: Floats = getattr(self, f"_cell_{name}")
        return cells if self.constant == "skip" else np.where(self._cell_constant, 1.0, cells)

    @checked(**OPTIONS)
    def only(
        self, datasets: Sequence[str] | None = None, algorithms: Sequence[str] | None = None
    ) -> Relations:
        """Return the same averages over some of the data sets, or of the algorithms."""
        datasets = self.datasets if datasets is None else datasets
        algorithms = self.algorithms if algorithms is None else algorithms
        for name in datasets:
            check_name("data set", name, self.datasets)
        for name in algorithms:
            check_name("algorithm", name, self.algorithms)
        keep = [i for i, (d, a) in enumerate(self.cells) if d in datasets and a in algorithms]
        if not keep:
            raise InputError(
                "there are no results of these data sets and algorithms; choose others"
            )
        return replace(
            self,
            cells=tuple(self.cells[i] for i in keep),
            results=tuple(self.results[i] for i in keep),
            _cell_pearson=self._cell_pearson[keep],
            _cell_spearman=self._cell_spearman[keep],
            _cell_constant=self._cell_constant[keep],
        )

    @checked(**OPTIONS)
    def distance(self, reference: Mapping[str, Any]) -> float:
        """Return the mean absolute difference from another table of correlations.

        ``reference`` has ``metrics`` and a matrix ``pearson``, ``spearman`` or both; the mean is
        over the pairs of metrics that both have, and over the coefficients given.

        >>> t = {"dataset": ["a"] * 3, "algorithm": ["x"] * 3, "repeat": [0, 1, 2],
        ...      "fold": [0] * 3, "accuracy": [0.9, 0.8, 0.7], "auc": [0.9, 0.8, 0.7]}
        >>> round(relations(t).distance({"metrics": ["acc", "auc"],
        ...                              "pearson": [[1, 0.9], [0.9, 1]]}), 9)
        0.1
        """
        theirs = [canonical(m) for m in TEXTS.of("reference's metrics", reference.get("metrics"))]
        ours = [canonical(m) for m in self.metrics]
        both = [m for m in ours if m in theirs]
        coefficients = [c for c in COEFFICIENTS if c in reference]
        if len(both) < 2 or not coefficients:
            raise InputError(
                "the reference shares fewer than two metrics with these results, or has neither "
                "pearson nor spearman; name its metrics as here: " + ", ".join(self.metrics)
            )
        at, at_theirs = ([names.index(m) for m in both] for names in (ours, theirs))
        upper = np.triu_indices(len(both), 1)
        gaps = []
        for name in coefficients:
            matrix = NUMBERS.of(f"reference's {name}", reference[name])
            if matrix.shape != (len(theirs), len(theirs)):
                raise InputError(
                    f"{name} of the reference has shape {matrix.shape}; {len(theirs)} metrics make "
                    f"{(len(theirs), len(theirs))}"
                )
            gap = getattr(self, name)[np.ix_(at, at)] - matrix[np.ix_(at_theirs, at_theirs)]
            gaps.append(np.abs(gap)[upper])
        return float(np.mean(np.concatenate(gaps)))

    def pairs(self) -> list[dict[str, Any]]:
        """Return one dictionary a pair of metrics: both correlations, intervals and counts."""
        group = group_numbers(self.groups)
        out = []
        for (i, a), (j, b) in combinations(enumerate(self.metrics), 2):
            grouped = a in group and b in group
            facts = {
                "same_group": group[a] == group[b] if grouped else None,
                "averaged": int(self._averaged[i, j]),
                "constant": int(self._constant_cells[i, j]),
            }
            numbers = {name: float(getattr(self, name)[i, j]) for name in _MATRICES}
            out.append({"a": a, "b": b, **numbers, **facts})
        return out

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON; an undefined number is null."""
        return {
            **{name: plain_data(getattr(self, name)) for name in _IN_JSON},
            "constant_cells": plain_data(self._constant_cells),
            **{name: plain_data(getattr(self, name)) for name in _MATRICES},
            "averaged": plain_data(self._averaged),
            "sign_turned": list(self._turned),
            "too_few_results": self._too_few,
            "undefined_values": self._undefined,
            "incomplete_repeats": self._incomplete,
            "clustering": self._clustering.to_dict(),
            "cells": [
                {
                    "dataset": d,
                    "algorithm": a,
                    "results": self.results[i],
                    "pearson": plain_data(self._cell_pearson[i]),
                    "spearman": plain_data(self._cell_spearman[i]),
                }
                for i, (d, a) in enumerate(self.cells)
            ],
        }


def redrawn_means(
    relations: Relations,
    name: str,
    draws: int,
    seed: int,
    columns: Sequence[int] | slice = slice(None),
) -> Floats:
    """Return a coefficient's means [draws, K, columns] over data sets drawn with replacement."""
    sums, counts = sums_of_sets(relations._cells(name)[..., columns], relations._owner)
    sets = len(relations.datasets)
    rng = Sampler(seed).generator("data sets")
    weights = rng.multinomial(sets, np.full(sets, 1 / sets), size=draws).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Floats = np.tensordot(weights, sums, 1) / np.tensordot(weights, counts, 1)
    return means


@checked(**OPTIONS, metrics=TEXTS)
def relations(
    table: Any,
    unit: Unit = "repeat",
    constant: Constant = "skip",
    metrics: Sequence[str] | None = None,
    *,
    level: float = 0.95,
    cut: float | None = None,
) -> Relations:
    """Correlate metrics within each data set and algorithm, and average over these.

    Pearson's r, and Spearman's rho as Pearson's r of the ranks, ties sharing their mean rank;
    from -1 to 1. A metric of which low is better enters with its sign turned, so that a positive
    correlation always means agreement: the same as correlating 1 - loss.

    The interval of an average treats data sets as the independent units: algorithms are tried on
    the same rows and folds, so their correlations are not independent of one another. With s_d
    the sum and n_d the number of correlations of data set d, the mean is sum s_d / sum n_d, its
    variance D/(D-1) sum (s_d - n_d mean)^2 / (sum n_d)^2, and the interval Student's with D-1
    degrees of freedom: with equally many of each data set, the t interval of data-set means.

    Parameters
    ----------
    table : path, data frame, mapping of columns or Results
        See :func:`tallymark.reading.result_table.read_results`.
    unit : {"repeat", "pooled", "fold", "algorithm"}
        What one result is: the mean over a repeat's folds, the pooled predictions of a repeat, or
        a single fold; with "algorithm" the mean of an algorithm over all its repeats, correlated
        over the algorithms of a data set: would the metrics choose the same one? Metrics of
        single folds move together because they share a test fold, which may be easy or hard; the
        mean over a repeat's folds sees every row once, and that cancels.
    constant : {"skip", "one"}
        A metric that does not vary has no correlation: leave it out and count it, or take the
        correlation for 1, as Weka does.
    metrics : sequence of str, optional
        Columns to take; by default all.
    level : float
        Confidence level of the intervals.
    cut : float, optional
        The correlation above which metrics make a group; by default as many groups as make the
        mean silhouette largest. See :func:`tallymark.parts.relations.clustering.cluster`.

    Raises
    ------
    InputError
        A table that cannot be used, an option that does not exist, or fewer than three results of
        every algorithm on every data set.

    Of one algorithm on one data set there is Fisher's interval over other splits of it instead,
    and none of single folds, which share rows.

    Sources: Liu et al. (2014); Spearman's midranks; Liang and Zeger (1986) for the variance.

    Examples
    --------
    >>> t = {"dataset": ["a"] * 4, "algorithm": ["x"] * 4, "repeat": [0, 1, 2, 3],
    ...      "fold": [0] * 4, "accuracy": [0.9, 0.8, 0.7, 0.6], "mae": [0.1, 0.2, 0.35, 0.3]}
    >>> r = relations(t)
    >>> round(float(r.spearman[0, 1]), 6), r._turned
    (0.8, ('mae',))

    """
    results = read_results(table, metrics)
    units = results.units_of(unit)
    cells, sizes = np.unique(units.cell, return_counts=True)
    enough = sizes >= FEWEST
    if not enough.any() and unit == "algorithm":
        raise InputError(
            f"every data set has fewer than {FEWEST} algorithms; comparing them needs {FEWEST} or "
            "more"
        )
    if not enough.any():
        folds = unit != "fold" and "fold" in results.units
        raise InputError(
            f"every algorithm has fewer than {FEWEST} results on every data set "
            f"({UNIT_WORDS[unit]}); a correlation needs {FEWEST} or more: repeat more often"
            + (", or use the unit 'fold'" if folds else "")
        )
    turned = tuple(m for m in results.metrics if lower_is_better(m))
    signs = np.array([-1.0 if m in turned else 1.0 for m in results.metrics])
    pearson, spearman, steady = by_cell(units.values, sizes)
    turn = signs[:, None] * signs
    algorithms = (ALL_ALGORITHMS,) if unit == "algorithm" else results.algorithms
    names = list(product(results.datasets, algorithms))
    return Relations(
        source=results.source,
        metrics=results.metrics,
        unit=unit,
        constant=constant,
        level=level,
        _cut=cut,
        cells=tuple(names[c] for c in cells[enough]),
        results=tuple(sizes[enough].tolist()),
        _cell_pearson=(pearson * turn)[enough],
        _cell_spearman=(spearman * turn)[enough],
        _cell_constant=steady[enough],
        _turned=turned,
        _undefined=units.undefined,
        _incomplete=units.incomplete,
        _too_few=int(np.count_nonzero(~enough)),
    )


def lower_is_better(name: str) -> bool:
    """Tell whether a column holds a metric of which low is better; unknown names are not.

    >>> lower_is_better("rmse"), lower_is_better("auc"), lower_is_better("1-MAE")
    (True, False, False)
    """
    metric, turned = metric_of(name)
    return metric is not None and metric.better == "low" and not turned
