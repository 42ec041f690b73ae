"""The comparison of classifiers over folds or over data sets."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tallymark import InputError
from tallymark.core import (
    Display,
    Document,
    Floats,
    FoldTest,
    Listing,
    Posterior,
    check_name,
    checked,
    corrected_t,
    correlated_t,
    differences,
    holm,
    pair_of,
    paired_5x2_f,
    paired_5x2_t,
    plain_data,
    svg,
    write_text,
)
from tallymark.parts.results.diagram import chart
from tallymark.parts.results.friedman import (
    Friedman,
    Ties,
    critical_difference,
    friedman,
    groups,
    rank_table,
    rank_tests,
)
from tallymark.parts.results.page import render
from tallymark.parts.results.posteriors import signed_ranks
from tallymark.parts.results.wilcoxon import wilcoxon
from tallymark.parts.results.words import verdict

Better = Literal["high", "low"]
Rule = Literal["folds", "wilcoxon", "nemenyi", "holm"]
Test = Literal["auto", "corrected_t", "5x2_t", "5x2_f", "wilcoxon"]

MOST_FOLDS = 20
"""More folds of one repeat are seldom meant: their repeats may have been numbered through."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The options of a comparison, the same for every pair.

    ``better`` says which values of the metric are good; ``level`` is the confidence level, and
    1 - level the significance level of the tests; ``rope`` is the largest difference that does not
    matter.
    """

    metric: str
    better: Better
    level: float
    rope: float
    control: str | None
    test: Test
    ratio: float | None
    ties: Ties
    draws: int
    seed: int


@dataclass(frozen=True, slots=True, repr=False)
class Field(Display):
    """The results of all classifiers on one data set.

    ``values[n, K]`` are those that every classifier has, by repeat and fold; ``repeats`` and
    ``folds`` say how they were made, ``folds`` being 0 of results that are not of folds.
    """

    dataset: str
    values: Floats
    repeats: int
    folds: int

    def ratio(self, stated: float | None) -> float | None:
        """Return test rows over training rows, None where it is not known."""
        if stated is not None:
            return stated
        return 1 / (self.folds - 1) if self.folds > 1 else None


@dataclass(frozen=True, slots=True, repr=False)
class Pair(Display):
    """The comparison of two classifiers.

    In ``pairs``, ``first`` is the one of better mean rank, or mean, or the control. ``result``
    tests the two alone, over the folds of the data set if there is one, over data sets if there
    are several; ``adjusted`` is its p-value by Holm's method over all pairs. ``_rank_z``,
    ``_rank_p_value``, ``_rank_p_holm`` and ``_nemenyi_p_value`` test the two mean ranks, None on
    one data set. ``p_value`` is the one of these that decides, None where it is undefined;
    ``winner`` is None where the two do not differ significantly. ``_posterior`` is of the first
    less the second; ``wins``, ``equals`` and ``losses`` of the first are counted over data sets, or
    over folds if there is one data set. ``_differ`` tells whether tests of single pairs count.
    """

    first: str
    second: str
    result: FoldTest
    adjusted: float | None
    _rank_z: float | None
    _rank_p_value: float | None
    _rank_p_holm: float | None
    _nemenyi_p_value: float | None
    p_value: float | None
    winner: str | None
    _posterior: Posterior
    better: Better
    wins: int
    equals: int
    losses: int
    _metric: str
    _rule: Rule
    _differ: bool

    @property
    def probabilities(self) -> tuple[float, float, float]:
        """How probable it is that the first is better, about equal, worse; NaN if undefined."""
        p = self._posterior
        ends = (p.above, p.below) if self.better == "high" else (p.below, p.above)
        return ends[0], p.within, ends[1]

    def _reversed(self) -> Pair:
        """Return the same comparison with the two classifiers exchanged."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            result=self.result._reversed(),
            _rank_z=None if self._rank_z is None else 0.0 - self._rank_z,
            _posterior=self._posterior._reversed(),
            wins=self.losses,
            losses=self.wins,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, None for what is undefined."""
        keys = {"result": "test", "adjusted": "p_holm"}
        plain = {
            keys.get(f.name, f.name.removeprefix("_")): plain_data(getattr(self, f.name))
            for f in fields(self)
            if f.name not in ("better", "_metric", "_rule", "_differ")
        }
        names = ("first_better", "about_equal", "second_better")
        return plain | dict(zip(names, plain_data(self.probabilities), strict=True))


@checked
@dataclass(frozen=True, eq=False, repr=False)
class ModelComparison(Document):
    """The comparison of classifiers by one metric, over folds or over data sets.

    ``values[D, K]`` are the means on each data set; ``_order`` are the classifiers from the best
    mean rank (of one data set the best mean) down. ``friedman`` and ``critical_difference`` are
    None on one data set. ``rule`` decides whether two classifiers differ significantly:

    - "folds", of one data set: the test over its folds, adjusted by Holm's method;
    - "wilcoxon", of two classifiers over data sets: Wilcoxon's signed rank test;
    - "nemenyi", of more: Nemenyi's test of mean ranks, where Iman and Davenport's F says that
      they differ at all;
    - "holm", with a control: the tests of mean ranks against it by Holm's method, likewise.

    Printing it shows all of this; ``verdict`` says it in sentences.
    """

    source: str
    _terms: Terms
    _fields: tuple[Field, ...]
    classifiers: tuple[str, ...]
    values: Floats
    _order: tuple[int, ...]
    friedman: Friedman | None
    critical_difference: float | None
    rule: Rule
    pairs: tuple[Pair, ...]
    notes: tuple[str, ...]

    @property
    def metric(self) -> str:
        """The metric that is compared."""
        return self._terms.metric

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets on which every classifier has a result."""
        return tuple(f.dataset for f in self._fields)

    @property
    def mean_ranks(self) -> dict[str, float]:
        """The mean rank of each classifier over data sets, the best first; empty on one."""
        if self.friedman is None:
            return {}
        return {self.classifiers[i]: self.friedman.ranks[i] for i in self._order}

    @property
    def means(self) -> dict[str, float]:
        """The mean value of each classifier, the best rank (of one data set the best mean) first.

        Over data sets it is the mean of values that may not be comparable: ranks decide.
        """
        mean = self.values.mean(0)
        return {self.classifiers[i]: float(mean[i]) for i in self._order}

    @property
    def _differ(self) -> bool:
        """Tell whether tests of single pairs count: by Iman and Davenport's F, where needed."""
        if self.rule in ("folds", "wilcoxon"):
            return True
        f = self.friedman
        return f is not None and not f.reason and f.f_p_value < 1 - self._terms.level

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The largest groups of classifiers that do not differ, best first; with a control its own.

        Empty on one data set, where "not significantly different" need not be transitive.
        """
        if self.friedman is None:
            return ()
        names = [self.classifiers[i] for i in self._order]
        if not self._differ:
            return (tuple(names),)
        if self.rule == "nemenyi" and self.critical_difference is not None:
            places = groups(self.friedman.ranks, self.critical_difference)
            return tuple(tuple(self.classifiers[i] for i in g) for g in places)
        apart = {p.second for p in self.pairs if p.winner}
        if self._terms.control is None:
            apart |= {p.first for p in self.pairs if p.winner}
        rest = tuple(n for n in names if n not in apart)
        return (rest,) if len(rest) > 1 else ()

    def pair(self, first: str, second: str) -> Pair:
        """Return the comparison of two classifiers, first minus second.

        Raises
        ------
        InputError
            A classifier that is not there, the same one twice, or two that were not compared: with
            a control, only pairs with it are.

        """
        return pair_of(self.pairs, self.classifiers, first, second, "classifier")

    def on(self, dataset: str) -> ModelComparison:
        """Return the comparison on one data set alone, by its folds.

        Raises
        ------
        InputError
            A data set that is not there.

        """
        check_name("data set", dataset, self.datasets)
        field = self._fields[self.datasets.index(dataset)]
        return comparison_of(
            f"{self.source}, {dataset}", self._terms, (field,), self.classifiers, ()
        )

    def table(self) -> Listing:
        """Return a row a pair of classifiers: their difference and what the tests say."""
        nested = ("test", "posterior")
        return Listing(
            tuple(
                {k: v for k, v in p.to_dict().items() if k not in nested}
                | {
                    "difference": p.result.difference,
                    "method": p.result.method,
                    "reason": p.result.reason,
                }
                for p in self.pairs
            )
        )

    @property
    def verdict(self) -> str:
        """The result of the comparison in sentences."""
        return verdict(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, with its format and version."""
        t = self._terms
        return {
            **self._heading("model_comparison"),
            "source": self.source,
            **{k: getattr(t, k) for k in ("metric", "better", "level", "rope", "control", "seed")},
            "rule": self.rule,
            "verdict": self.verdict,
            "notes": list(self.notes),
            "classifiers": [
                {"name": n, "mean": m, "mean_rank": self.mean_ranks.get(n)}
                for n, m in self.means.items()
            ],
            "datasets": [
                {
                    "name": f.dataset,
                    "results": len(f.values),
                    "repeats": f.repeats,
                    "folds": f.folds,
                    "ratio": f.ratio(t.ratio),
                    "means": dict(zip(self.classifiers, row.tolist(), strict=True)),
                }
                for f, row in zip(self._fields, self.values, strict=True)
            ],
            "friedman": None if self.friedman is None else self.friedman.to_dict(),
            "critical_difference": self.critical_difference,
            "groups": [list(g) for g in self.groups],
            "pairs": [p.to_dict() for p in self.pairs],
        }

    def diagram(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the critical-difference diagram as SVG text, and write it where a path is given.

        Raises
        ------
        InputError
            Of one data set, where there are no mean ranks.

        """
        text, _ = svg.picture(chart(self))
        if path is not None:
            write_text(path, text)
        return text

    def report(self, path: str | os.PathLike[str] = "results.html") -> Path:
        """Write one self-contained HTML file, which needs no network."""
        return write_text(path, render(self))


# -- the tests ---------------------------------------------------------------------------------


def comparison_of(
    source: str,
    terms: Terms,
    data_sets: tuple[Field, ...],
    classifiers: tuple[str, ...],
    notes: tuple[str, ...],
) -> ModelComparison:
    """Return the comparison of classifiers by their results on each data set."""
    values = np.stack([f.values.mean(0) for f in data_sets])
    values.setflags(write=False)
    several, k = len(data_sets) > 1, len(classifiers)
    mean_ranks = rank_table(values, better=terms.better).mean(0)
    (by_mean,) = rank_table(values.mean(0)[None], better=terms.better)
    order = tuple(sorted(range(k), key=lambda i: (mean_ranks[i] if several else 0, by_mean[i], i)))
    rule: Rule = "folds"
    if several:
        rule = "wilcoxon" if k == 2 else "nemenyi" if terms.control is None else "holm"
    elif terms.ratio is None and (n := data_sets[0].folds) > MOST_FOLDS:
        notes += (
            f"{n} folds of a repeat are read as {n}-fold cross-validation: if they are not, say "
            "which column has the repeat, or ratio",
        )
    comparison = ModelComparison(
        source,
        terms,
        data_sets,
        classifiers,
        values,
        order,
        friedman(values, better=terms.better, ties=terms.ties) if several else None,
        critical_difference(k, len(data_sets), level=terms.level) if several else None,
        rule,
        (),
        notes,
    )
    pairs = list(combinations(order, 2))
    if terms.control is not None:
        c = classifiers.index(terms.control)
        pairs = [(c, i) for i in order if i != c]
    return replace(comparison, pairs=_pairs(comparison, pairs))


def _pairs(c: ModelComparison, chosen: Sequence[tuple[int, int]]) -> tuple[Pair, ...]:
    t = c._terms
    values = c._fields[0].values if c.friedman is None else c.values
    sides = [(values[:, i], values[:, j]) for i, j in chosen]
    gaps = np.stack([differences(*side) for side in sides])
    if c.friedman is None:
        (field,) = c._fields
        results = [_over_folds(field, t, *side) for side in sides]
        options: dict[str, Any] = {"ratio": field.ratio(t.ratio), "rope": t.rope}
        posteriors = [correlated_t(*side, **options) for side in sides]
    else:
        results = [wilcoxon(*side, level=t.level) for side in sides]
        posteriors = signed_ranks(gaps, rope=t.rope, draws=t.draws, seed=t.seed)
    numbers = {"adjusted": holm(np.array([r.p_value for r in results])), **_of_ranks(c, chosen)}
    decides = {"nemenyi": "_nemenyi_p_value", "holm": "_rank_p_holm"}.get(c.rule, "adjusted")
    signs = np.sign(gaps) * (1 if t.better == "high" else -1)
    out = []
    for n, (i, j) in enumerate(chosen):
        p_values: dict[str, Any] = {
            name: None if math.isnan(v[n]) else float(v[n]) for name, v in numbers.items()
        }
        p, first, second = p_values[decides], c.classifiers[i], c.classifiers[j]
        winner = None
        if c._differ and p is not None and p < 1 - t.level:
            winner = _winner(c, results[n], p_values["_rank_z"], first, second)
        wins, equals, losses = (int(np.sum(signs[n] == sign)) for sign in (1, 0, -1))
        out.append(
            Pair(
                first,
                second,
                results[n],
                p_value=p,
                winner=winner,
                _posterior=posteriors[n],
                better=t.better,
                wins=wins,
                equals=equals,
                losses=losses,
                _metric=t.metric,
                _rule=c.rule,
                _differ=c._differ,
                **p_values,
            )
        )
    return tuple(out)


def _of_ranks(c: ModelComparison, chosen: Sequence[tuple[int, int]]) -> dict[str, Floats]:
    """Return z, its p-value plain and by Holm's method, and Nemenyi's; NaN on one data set."""
    names = ("_rank_z", "_rank_p_value", "_rank_p_holm", "_nemenyi_p_value")
    if c.friedman is None or c.friedman.reason:
        return dict.fromkeys(names, np.full(len(chosen), np.nan))
    z, p, nemenyi = rank_tests(c.friedman.ranks, len(c._fields), chosen)
    return dict(zip(names, (z, p, holm(p), nemenyi), strict=True))


def _winner(
    c: ModelComparison, test: FoldTest, z: float | None, first: str, second: str
) -> str | None:
    """Return the better of two classifiers that differ significantly."""
    if z is not None and c.rule in ("nemenyi", "holm"):
        return first if z < 0 else second
    if test.test == "5x2_t" and test.statistic * test.difference < 0:
        return None  # its one fold points the other way than all ten
    return first if (test.difference > 0) == (c._terms.better == "high") else second


def _over_folds(field: Field, t: Terms, a: Floats, b: Floats) -> FoldTest:
    five = (field.repeats, field.folds, len(a)) == (5, 2, 10)
    kind = t.test
    if kind in ("auto", "corrected_t"):
        return corrected_t(a, b, ratio=field.ratio(t.ratio), level=t.level)
    if kind != "wilcoxon" and not five:
        raise InputError(
            f"the test {kind!r} needs five repeats of two folds, and {field.dataset!r} has "
            f"{len(a)} results of {field.repeats} repeats; use 'corrected_t'"
        )
    test = {"5x2_t": paired_5x2_t, "5x2_f": paired_5x2_f}.get(kind, wilcoxon)
    return test(a, b, level=t.level)
