"""Classifiers held against each other: what was found, over folds or over data sets."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tallymark.errors import InputError, choices
from tallymark.studies.folds import FoldTest
from tallymark.studies.many import Friedman, Posterior, Ties, groups
from tallymark.tally.arrays import Floats

Better = Literal["high", "low"]
Rule = Literal["folds", "wilcoxon", "nemenyi", "holm"]
Test = Literal["auto", "corrected_t", "5x2_t", "5x2_f", "wilcoxon"]

FORMAT = "tallymark/contest"
FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Terms:
    """What was asked: the same for every comparison of a contest.

    ``better`` is which values of the metric are good; ``level`` is of the intervals, and
    1 - level the share of false alarms that tests allow; ``rope`` is the largest difference that
    does not matter.
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


@dataclass(frozen=True, slots=True)
class Field:
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


@dataclass(frozen=True, slots=True)
class Pair:
    """Two classifiers held against each other.

    ``first`` is the one of better mean rank, or mean, or the control. ``result`` tests the two
    alone, over the folds of the data set if there is one, over data sets if there are several;
    ``adjusted`` is its p-value by Holm's method over all pairs. ``z``, ``rank_p``, ``rank_holm``
    and ``nemenyi`` test the two mean ranks, None on one data set. ``p_value`` is the one of these
    that decides, None where it is undefined; ``winner`` is None where the two are not told apart.
    ``posterior`` is of the first less the second; ``wins``, ``equals`` and ``losses`` of the first
    are counted over data sets, or over folds if there is one data set.
    """

    first: str
    second: str
    result: FoldTest
    adjusted: float | None
    z: float | None
    rank_p: float | None
    rank_holm: float | None
    nemenyi: float | None
    p_value: float | None
    winner: str | None
    posterior: Posterior
    better: Better
    wins: int
    equals: int
    losses: int

    @property
    def probabilities(self) -> tuple[float, float, float]:
        """How probable it is that the first is better, about equal, worse; NaN if undefined."""
        p = self.posterior
        ends = (p.above, p.below) if self.better == "high" else (p.below, p.above)
        return ends[0], p.within, ends[1]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, None for what is undefined."""
        better, equal, worse = (None if math.isnan(p) else p for p in self.probabilities)
        return {
            "first": self.first,
            "second": self.second,
            "winner": self.winner,
            "p_value": self.p_value,
            "test": self.result.to_dict(),
            "p_holm": self.adjusted,
            "rank_z": self.z,
            "rank_p_value": self.rank_p,
            "rank_p_holm": self.rank_holm,
            "nemenyi_p_value": self.nemenyi,
            "first_better": better,
            "about_equal": equal,
            "second_better": worse,
            "posterior": self.posterior.to_dict(),
            "wins": self.wins,
            "equals": self.equals,
            "losses": self.losses,
        }


@dataclass(frozen=True, eq=False)
class Contest:
    """Classifiers held against each other by one metric, over folds or over data sets.

    ``values[D, K]`` are the means on each data set; ``order`` are the classifiers from the best
    mean rank (of one data set the best mean) down. ``friedman`` and ``critical_difference`` are
    None on one data set. ``rule`` is what decides whether two classifiers are told apart:

    - "folds", of one data set: the test over its folds, adjusted by Holm's method;
    - "wilcoxon", of two classifiers over data sets: Wilcoxon's signed rank test;
    - "nemenyi", of more: Nemenyi's test of mean ranks, where Iman and Davenport's F says that
      they differ at all;
    - "holm", with a control: the tests of mean ranks against it by Holm's method, likewise.

    Printing it tells all of this; ``verdict`` says it in sentences.
    """

    source: str
    terms: Terms
    fields: tuple[Field, ...]
    classifiers: tuple[str, ...]
    values: Floats
    order: tuple[int, ...]
    friedman: Friedman | None
    critical_difference: float | None
    rule: Rule
    pairs: tuple[Pair, ...]
    notes: tuple[str, ...]

    @property
    def metric(self) -> str:
        """The metric that is compared."""
        return self.terms.metric

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets on which every classifier has a result."""
        return tuple(f.dataset for f in self.fields)

    @property
    def mean_ranks(self) -> dict[str, float]:
        """The mean rank of each classifier over data sets, the best first; empty on one."""
        if self.friedman is None:
            return {}
        return {self.classifiers[i]: self.friedman.ranks[i] for i in self.order}

    @property
    def means(self) -> dict[str, float]:
        """The mean value of each classifier, the best rank (of one data set the best mean) first.

        Over data sets it is the mean of values that may not be comparable: ranks decide.
        """
        mean = self.values.mean(0)
        return {self.classifiers[i]: float(mean[i]) for i in self.order}

    @property
    def differ(self) -> bool:
        """Tell whether tests of single pairs may speak: by Iman and Davenport's F, where needed."""
        if self.rule in ("folds", "wilcoxon"):
            return True
        f = self.friedman
        return f is not None and not f.reason and f.f_p_value < 1 - self.terms.level

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The largest groups of classifiers not told apart, best first; with a control its own.

        Empty on one data set, where not being told apart need not hang together.
        """
        if self.friedman is None:
            return ()
        names = [self.classifiers[i] for i in self.order]
        if not self.differ:
            return (tuple(names),)
        if self.rule == "nemenyi" and self.critical_difference is not None:
            found = groups(self.friedman.ranks, self.critical_difference)
            return tuple(tuple(self.classifiers[i] for i in g) for g in found)
        apart = {p.second for p in self.pairs if p.winner} | {
            p.first for p in self.pairs if p.winner and self.terms.control is None
        }
        rest = tuple(n for n in names if n not in apart)
        return (rest,) if len(rest) > 1 else ()

    def pair(self, first: str, second: str) -> Pair:
        """Return what was found of two classifiers, in whichever order they stand.

        Raises
        ------
        InputError
            A classifier that is not there, or two that were not compared: with a control, only
            pairs with it are.

        """
        for name in (first, second):
            if name not in self.classifiers:
                raise InputError(
                    f"there is no classifier {name!r}; {choices(name, self.classifiers)}"
                )
        for p in self.pairs:
            if {p.first, p.second} == {first, second}:
                return p
        raise InputError(f"{first!r} and {second!r} were not compared; every pair has the control")

    def on(self, dataset: str) -> Contest:
        """Return the contest on one data set alone, by its folds.

        Raises
        ------
        InputError
            A data set that is not there.

        """
        from tallymark.studies.compare import held

        for f in self.fields:
            if f.dataset == dataset:
                return held(f"{self.source}, {dataset}", self.terms, (f,), self.classifiers, ())
        raise InputError(f"there is no data set {dataset!r}; {choices(dataset, self.datasets)}")

    def table(self) -> list[dict[str, Any]]:
        """Return one dictionary a pair, flat, for a frame of any library."""
        nested = ("test", "posterior")
        return [
            {k: v for k, v in p.to_dict().items() if k not in nested}
            | {"difference": p.result.difference, "method": p.result.method,
               "reason": p.result.reason}
            for p in self.pairs
        ]  # fmt: skip

    @property
    def verdict(self) -> str:
        """What the evidence says, in sentences: never more than was found."""
        from tallymark.report.contest_text import verdict

        return verdict(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, with its format and version."""
        from importlib.metadata import version

        t = self.terms
        return {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "tallymark": version("tallymark"),
            "source": self.source,
            "metric": t.metric,
            "better": t.better,
            "level": t.level,
            "rope": t.rope,
            "control": t.control,
            "seed": t.seed,
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
                for f, row in zip(self.fields, self.values, strict=True)
            ],
            "friedman": None if self.friedman is None else self.friedman.to_dict(),
            "critical_difference": self.critical_difference,
            "groups": [list(g) for g in self.groups],
            "pairs": [p.to_dict() for p in self.pairs],
        }

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return everything as JSON text, and write it where a path is given."""
        text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        if path is not None:
            from tallymark.report.output import write_text

            write_text(path, text)
        return text

    def diagram(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the critical-difference diagram as SVG text, and write it where a path is given.

        Raises
        ------
        InputError
            Of one data set, where there are no mean ranks.

        """
        from tallymark.report.diagram import picture

        text = picture(self)
        if path is not None:
            from tallymark.report.output import write_text

            write_text(path, text)
        return text

    def report(self, path: str | os.PathLike[str] = "results.html") -> Path:
        """Write the page: one HTML file that holds everything and fetches nothing."""
        from tallymark.report.contest_page import write

        return write(self, path)

    def __str__(self) -> str:
        from tallymark.report.contest_text import summary

        return summary(self)

    __repr__ = __str__
