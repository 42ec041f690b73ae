"""Random rows for the comparison with other systems: fixed seeds, unlike one another.

Few rows and many, balanced classes and rare ones, ties, weights, classes without a row, all rows
of one class, all rows predicted as one class, always right, always wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

import tallymark as tm
from tallymark.metric import METRICS
from tallymark.tally.sums import class_tallies

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Case:
    """True classes, what was predicted (labels, scores or probabilities), and weights or None."""

    name: str
    y: Array
    p: Array
    w: Array | None
    labels: list[int]
    arrays: bool = False

    @property
    def binary(self) -> bool:
        return self.labels == [0, 1]

    def ours(self, name: str, average: str | None, options: Mapping[str, Any]) -> Any:
        """Return our value: from the tally of the rows, of every fourth case from the arrays.

        An option may be a function of the case.
        """
        options = {k: v(self) if callable(v) else v for k, v in options.items()}
        positive = {"positive": 1} if self.binary else {}
        call = METRICS[name]
        if self.arrays or call._needs == "rows":
            rows = {"labels": self.labels, "sample_weight": self.w}
            if call.family == "rank" and self.binary and self.w is None:
                rows = {}  # the way without a tally
            return call(self.y, self.p, average=average, **rows, **positive, **options)
        tally = self.label_tally if call._needs in ("counts", "matrix") else self.score_tally
        return call(tally, average=average, **positive, **options)

    def reason(self, name: str, average: str | None, options: Mapping[str, Any]) -> str:
        """Return why our value is NaN."""
        try:
            self.ours(name, average, {**options, "undefined": "raise"})
        except tm.UndefinedMetricError as error:
            return str(error)
        raise AssertionError(f"{name} is NaN on {self.name} and does not say why")

    @cached_property
    def label_tally(self) -> tm.LabelTally:
        return tm.LabelTally.from_arrays(self.y, self.p, labels=self.labels, sample_weight=self.w)

    @cached_property
    def score_tally(self) -> Any:
        if self.p.ndim == 2:
            return class_tallies(self.y, self.p, labels=self.labels, sample_weight=self.w)
        return tm.ScoreTally.from_arrays(
            self.y, self.p, positive=1, labels=self.labels, sample_weight=self.w
        )

    @cached_property
    def matrix(self) -> Array:
        """Count rows by an independent road: counts[true, predicted]."""
        out = np.zeros((len(self.labels),) * 2)
        at = {label: i for i, label in enumerate(self.labels)}
        w = np.ones(len(self.y)) if self.w is None else self.w
        for t, q, u in zip(self.y.tolist(), self.p.tolist(), w.tolist(), strict=True):
            out[at[t], at[q]] += u
        return out

    @cached_property
    def one_class(self) -> bool:
        return len(set(self.y.tolist())) < 2


def _rows(rng: np.random.Generator, i: int, least: int = 1) -> int:
    return max(least, int(10 ** (rng.uniform(3, 4) if i % 50 == 7 else rng.uniform(0, 2.7))))


def _weights(rng: np.random.Generator, i: int, n: int) -> Array | None:
    if i % 5 == 0:
        return rng.uniform(0.1, 9, n)
    if i % 5 == 1:
        return rng.integers(1, 6, n).astype(float)
    if i % 20 == 2:
        return 10 ** rng.uniform(-3, 3, n)
    return None


def _labelled(i: int, k: int, weighted: bool) -> Case:
    rng = np.random.default_rng([1, i, k])
    n = _rows(rng, i)
    y = rng.choice(k, n, p=rng.dirichlet(np.full(k, rng.choice([0.4, 1, 8]))))
    guess = rng.choice(k, n, p=rng.dirichlet(np.full(k, rng.choice([0.4, 1, 8]))))
    p = np.where(rng.random(n) < rng.choice([0, 0.3, 0.7, 0.9, 0.97]), y, guess)
    if i % 23 == 3:
        y = np.full(n, rng.integers(k))
    if i % 29 == 3:
        p = np.full(n, rng.integers(k))
    if i % 31 == 3:
        p = y.copy()
    if i % 31 == 4:
        p = (y + 1) % k
    labels = list(range(k)) if k == 2 or i % 2 else sorted({*y.tolist(), *p.tolist()})
    w = _weights(rng, i, n) if weighted else None
    return Case(f"labelled {i}, {k} classes, {n} rows", y, p, w, labels, i % 4 == 0)


@cache
def two_classes(count: int = 120, weighted: bool = True) -> tuple[Case, ...]:
    """Predicted labels of two classes."""
    return tuple(_labelled(i, 2, weighted) for i in range(count))


@cache
def many_classes(count: int = 120, weighted: bool = True) -> tuple[Case, ...]:
    """Predicted labels of 3 to 30 classes; in every second case some have no row at all."""
    sizes = (3, 4, 5, 3, 8, 3, 14, 30)
    return tuple(_labelled(i, sizes[i % 8], weighted) for i in range(count))


def _scored(i: int, weighted: bool) -> Case:
    rng = np.random.default_rng([2, i])
    n = _rows(rng, i, 2)
    y = (rng.random(n) < rng.choice([0.03, 0.2, 0.5, 0.6, 0.9])).astype(int)
    if i % 23 == 3:
        y[:] = i % 2
    s = 1 / (1 + np.exp(-rng.normal(rng.choice([-0.5, 0, 0.5, 1.5, 4]) * (y - 0.4), 1)))
    steps = rng.choice([1, 2, 5, 10, 50, 0, 0, 0])
    if steps:
        s = np.round(s * steps) / steps
    if i % 37 == 5:
        s = np.full(n, 0.3)
    if i % 41 == 5:
        s = s**40  # tiny ones
    w = _weights(rng, i, n) if weighted else None
    return Case(f"scored {i}, {n} rows", y, s, w, [0, 1], i % 4 == 0)


@cache
def scores(count: int = 125, weighted: bool = True) -> tuple[Case, ...]:
    """Scores from 0 to 1 of two classes."""
    return tuple(_scored(i, weighted) for i in range(count))


def _probable(i: int, weighted: bool) -> Case:
    rng = np.random.default_rng([3, i])
    k = (3, 4, 5, 7, 12)[i % 5]
    n = _rows(rng, i, 2)
    y = rng.choice(k, n, p=rng.dirichlet(np.full(k, 3.0)))
    if i % 2:
        y = np.concatenate([y, np.arange(k)])
    raw = rng.normal(0, 1, (len(y), k)) + rng.choice([0, 1, 3]) * np.eye(k)[y]
    p = np.exp(raw) / np.exp(raw).sum(1, keepdims=True)
    if i % 3 == 0:
        p = rng.multinomial(rng.choice([2, 8, 40]), p) + 1e-3
        p /= p.sum(1, keepdims=True)
    w = _weights(rng, i, len(y)) if weighted else None
    return Case(f"probable {i}, {k} classes, {len(y)} rows", y, p, w, list(range(k)), i % 4 == 0)


@cache
def probabilities(count: int = 80, weighted: bool = True) -> tuple[Case, ...]:
    """Probabilities of 3 to 12 classes; in every second case each class has a row."""
    return tuple(_probable(i, weighted) for i in range(count))
